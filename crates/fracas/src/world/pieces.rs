//! Pieces: connected components, kept as consecutive ranges of particles.
//!
//! After cuts `walk.rs` finds what fell off. Only pieces that lost something are put in order anew.

mod places;
#[cfg(test)]
mod tests;
mod walk;

pub(super) use places::Places;
pub(super) use walk::Walks;

use super::body::{Body, Piece, Scratch};
use super::event::Event;
use super::ids::PieceId;
use super::step::range_of;
use crate::parallel::Span;
use crate::solids::Solid;
#[cfg(debug_assertions)]
use {crate::solids::Motion, glam::DVec3};

/// Labels every particle with the lowest index it is connected to, by flood fill.
pub(super) fn components(solid: &dyn Solid) -> Vec<u32> {
    let mut label = vec![u32::MAX; solid.particle_count()];
    let mut queue = Vec::with_capacity(label.len());
    for seed in 0..label.len() as u32 {
        if label[seed as usize] != u32::MAX {
            continue;
        }
        label[seed as usize] = seed;
        queue.push(seed);
        while let Some(i) = queue.pop() {
            for &j in solid.neighbours(i as usize) {
                if label[j as usize] == u32::MAX {
                    label[j as usize] = seed;
                    queue.push(j);
                }
            }
        }
    }
    label
}

/// Makes pieces of the parts of a body that was just built and is one piece. That is no event.
pub(super) fn split_built(body: &mut Body, next_piece: &mut u64) {
    body.scratch.label = components(body.model.solid());
    body.scratch.torn.clear();
    body.scratch.torn.push(0);
    part(body, None, next_piece, &mut Vec::new());
    body.changes.clear();
}

/// After bonds were cut: splits every piece that is no longer connected. Particles of a new piece
/// keep their order (a stable partition of the parent's range), the parts come in the order of
/// their first particle.
///
/// Nothing moves and nothing is lost: in debug builds mass, momentum and angular momentum are
/// compared before and after.
///
/// The heaviest part stays what its parent was; the others are born at this time, if any.
pub(super) fn split(
    body: &mut Body,
    born: Option<f64>,
    next_piece: &mut u64,
    events: &mut Vec<Event>,
) {
    let Body { model, pieces, places, changes, cuts_seen, scratch, .. } = body;
    let Scratch { walks, torn, label, .. } = scratch;
    let cuts = changes.bonds_cut.iter().zip(&changes.opened).skip(*cuts_seen);
    let cuts = cuts.filter(|(_, opened)| opened.through).map(|(ends, _)| ends);
    let cuts = cuts.filter_map(|&[a, b]| Some([places.of(a)?, places.of(b)?]));
    walks.follow(model.solid(), cuts);
    *cuts_seen = changes.bonds_cut.len();

    torn.clear();
    torn.extend(walks.fallen().map(|i| pieces.partition_point(|piece| piece.span.end <= i)));
    torn.sort_unstable();
    torn.dedup();
    for &k in torn.iter() {
        walks.label(pieces[k].span.clone(), label);
    }
    part(body, born, next_piece, events);
}

/// Mass, momentum and angular momentum about the world's origin, summed over the pieces.
#[cfg(debug_assertions)]
fn total_motion(body: &Body) -> (f64, DVec3, DVec3) {
    let workers = crate::parallel::Workers::default();
    let mut total = (0.0, DVec3::ZERO, DVec3::ZERO);
    for piece in &body.pieces {
        let position = &body.particles.position;
        let motion = Motion::of(&body.particles, position, piece.span.clone(), &workers);
        total.0 += motion.mass;
        total.1 += motion.momentum;
        total.2 += motion.angular + (piece.origin + motion.centre).cross(motion.momentum);
    }
    total
}

#[cfg(debug_assertions)]
fn assert_same_motion(a: &(f64, DVec3, DVec3), b: &(f64, DVec3, DVec3)) {
    assert!((a.0 - b.0).abs() <= 1e-6 * a.0, "a split changed the mass: {} to {}", a.0, b.0);
    let same = |x: DVec3, y: DVec3| x.distance(y) <= 1e-6 * (x.length() + a.0);
    assert!(same(a.1, b.1), "a split changed the momentum: {} to {}", a.1, b.1);
    assert!(same(a.2, b.2), "a split changed the angular momentum: {} to {}", a.2, b.2);
}

/// Makes pieces of the parts of every piece that is torn, as they are labelled.
fn part(body: &mut Body, born: Option<f64>, next_piece: &mut u64, events: &mut Vec<Event>) {
    #[cfg(debug_assertions)]
    let before = (!body.scratch.torn.is_empty()).then(|| total_motion(body));
    for k in 0..body.scratch.torn.len() {
        tear(body, body.scratch.torn[k], born, next_piece, events);
    }
    replace_torn(&mut body.pieces, &mut body.scratch);
    #[cfg(debug_assertions)]
    if let Some(before) = before {
        assert_same_motion(&before, &total_motion(body));
    }
}

/// Lists the parts of a piece, or the piece itself if it has but one.
fn tear(
    body: &mut Body,
    torn: usize,
    born: Option<f64>,
    next_piece: &mut u64,
    events: &mut Vec<Event>,
) {
    let piece = body.pieces[torn].clone();
    let span = piece.span.clone();
    let mut end = sort_by_label(&mut body.scratch, span.clone());
    if end == span.end {
        body.scratch.parts.push(piece);
        return;
    }
    reorder(body, span.clone());
    let Body { id: body, particles, changes, scratch, .. } = body;
    let (mut start, mut heaviest) = (span.start, (0.0, scratch.parts.len()));
    while start < span.end {
        let id = PieceId(*next_piece);
        *next_piece += 1;
        changes.pieces_split.push((piece.id, id));
        events.push(Event::Split { body: *body, parent: piece.id, piece: id });
        let mass = particles.mass[start..end].iter().map(|&m| f64::from(m)).sum::<f64>();
        // the first of equals
        if mass > heaviest.0 {
            heaviest = (mass, scratch.parts.len());
        }
        let born = born.or(piece.born);
        scratch.parts.push(Piece { id, span: start..end, born, shape: None, ..piece.clone() });
        start = end;
        end = scratch.part_end(start - span.start).unwrap_or(span.end);
    }
    scratch.parts[heaviest.1].born = piece.born;
}

/// Puts parts where the pieces were, from the back, so that every piece moves once at most.
fn replace_torn(pieces: &mut Vec<Piece>, scratch: &mut Scratch) {
    let Scratch { torn, parts, .. } = scratch;
    let mut from = pieces.len();
    // room, to be written over
    pieces.extend_from_slice(&parts[torn.len()..]);
    let mut to = pieces.len();
    while let Some(k) = torn.pop() {
        while from > k + 1 {
            (from, to) = (from - 1, to - 1);
            pieces[to] = pieces[from].clone();
        }
        from = k;
        let start = pieces[k].span.start;
        while let Some(part) = parts.pop_if(|part| part.span.start >= start) {
            to -= 1;
            pieces[to] = part;
        }
    }
}

/// Order and places of the particles of a span, stable and by their labels. Tells where the first
/// part ends.
fn sort_by_label(scratch: &mut Scratch, span: Span) -> usize {
    let Scratch { order, place, label, ends, .. } = scratch;
    // counted per part, at its first particle
    ends[span.clone()].fill(0);
    for i in span.clone() {
        ends[label[i] as usize] += 1;
    }
    let mut start = span.start as u32;
    for i in span.clone().filter(|&i| label[i] as usize == i) {
        start += std::mem::replace(&mut ends[i], start);
    }
    order.clear();
    order.resize(span.len(), 0);
    place.clear();
    for i in span.clone() {
        let end = &mut ends[label[i] as usize];
        order[*end as usize - span.start] = i as u32;
        place.push(*end);
        *end += 1;
    }
    scratch.part_end(0).unwrap_or(span.end)
}

impl Scratch {
    /// Where the part ends that begins at this place of the order, if there is one.
    fn part_end(&self, place: usize) -> Option<usize> {
        self.order.get(place).map(|&first| self.ends[first as usize] as usize)
    }
}

/// Takes pieces away with their particles; some other piece must be left.
pub(super) fn remove(body: &mut Body, is_gone: impl Fn(&Piece) -> bool) {
    let Body { pieces, particles, scratch, changes, .. } = body;
    let Some(first) = pieces.iter().position(&is_gone) else { return };
    // those before stay where they are
    let span = pieces[first].span.start..particles.len();
    let Scratch { order, place, .. } = scratch;
    order.clear();
    for piece in pieces[first..].iter().filter(|piece| !is_gone(piece)) {
        order.extend(piece.span.start as u32..piece.span.end as u32);
    }
    let count = span.start + order.len();
    for piece in pieces[first..].iter().filter(|piece| is_gone(piece)) {
        order.extend(piece.span.start as u32..piece.span.end as u32);
        changes.pieces_removed.push(piece.id);
    }
    place.clear();
    place.resize(span.len(), 0);
    for (to, &from) in (span.start as u32..).zip(order.iter()) {
        place[from as usize - span.start] = to;
    }
    reorder(body, span);
    let Body { pieces, particles, places, model, scratch, grips, pushes, .. } = body;
    particles.truncate(count);
    places.truncate(count);
    model.solid_mut().truncate(count);
    // of the substep before, and found anew in the next
    scratch.impulses.clear();
    scratch.held.clear();
    let stays = |particle: u32| (particle as usize) < count;
    for grip in grips.iter_mut() {
        grip.members.retain(|member| stays(member.particle));
    }
    grips.retain(|grip| !grip.members.is_empty());
    pushes.retain(|push| stays(push.particle));
    pieces.retain(|piece| !is_gone(piece));
    let mut start = 0;
    for piece in pieces {
        piece.span = start..start + piece.span.len();
        start = piece.span.end;
    }
}

/// Puts particles that were added behind all others to the ends of their pieces: of each, in order, `homes` tells the
/// index of its piece.
pub(super) fn take_in(body: &mut Body, homes: &[usize]) {
    let Some(&first) = homes.iter().min() else { return };
    let Body { pieces, particles, places, scratch, .. } = body;
    let span = pieces[first].span.start..particles.len();
    let old = particles.len() - homes.len();
    let Scratch { order, place, .. } = scratch;
    order.clear();
    for (k, piece) in pieces.iter_mut().enumerate().skip(first) {
        let start = span.start + order.len();
        order.extend(piece.span.start as u32..piece.span.end as u32);
        let added = (old as u32..).zip(homes).filter(|&(_, &home)| home == k);
        order.extend(added.map(|(i, _)| i));
        piece.span = start..span.start + order.len();
    }
    place.clear();
    place.resize(span.len(), 0);
    for (to, &from) in (span.start as u32..).zip(order.iter()) {
        place[from as usize - span.start] = to;
    }
    places.list_anew(&particles.id);
    reorder(body, span);
}

/// Puts the particles of a span, which are whole pieces, in the order of the scratch, with all that
/// names particles.
fn reorder(body: &mut Body, span: Span) {
    let Body { model, particles, places, grips, pushes, scratch, .. } = body;
    let Scratch { permuted, order, place, held, impulses, .. } = scratch;
    particles.permute(span.clone(), order, permuted);
    model.solid_mut().permute(span.clone(), order, place);
    places.follow(&particles.id, span.clone());
    let follow = |particle: &mut u32| {
        let inside = (*particle as usize).checked_sub(span.start);
        if let Some(&to) = inside.and_then(|k| place.get(k)) {
            *particle = to;
        }
    };
    // contacts name particles by id, and their places are found anew in every substep
    let touched = range_of(impulses, &span, |push| push.particle);
    impulses[touched.clone()].iter_mut().for_each(|push| follow(&mut push.particle));
    impulses[touched].sort_unstable_by_key(|push| (push.particle, push.contact));
    let gripped = range_of(held, &span, |target| target.particle);
    held[gripped.clone()].iter_mut().for_each(|target| follow(&mut target.particle));
    held[gripped].sort_unstable_by_key(|target| target.particle);
    let members = grips.iter_mut().flat_map(|grip| &mut grip.members);
    members.for_each(|member| follow(&mut member.particle));
    pushes.iter_mut().for_each(|push| follow(&mut push.particle));
}
