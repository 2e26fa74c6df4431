//! Pieces: found by flood fill after a cut, and kept as consecutive ranges of particles.

use super::body::{Body, Piece, Scratch};
use super::event::Event;
use super::ids::PieceId;
use crate::solids::Solid;
#[cfg(debug_assertions)]
use {crate::solids::Motion, glam::DVec3};

/// Labels every particle with the lowest index it is connected to.
pub(super) fn label_components(solid: &dyn Solid, label: &mut Vec<u32>, queue: &mut Vec<u32>) {
    let count = label_room(solid, label);
    for seed in 0..count as u32 {
        if label[seed as usize] != u32::MAX {
            continue;
        }
        label[seed as usize] = seed;
        queue.clear();
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
}

/// All particles unlabelled; returns how many there are.
fn label_room(solid: &dyn Solid, label: &mut Vec<u32>) -> usize {
    let count = solid.particle_count();
    label.clear();
    label.resize(count, u32::MAX);
    count
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
    #[cfg(debug_assertions)]
    let before = total_motion(body);
    split_unchecked(body, born, next_piece, events);
    #[cfg(debug_assertions)]
    assert_same_motion(&before, &total_motion(body));
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

fn split_unchecked(
    body: &mut Body,
    born: Option<f64>,
    next_piece: &mut u64,
    events: &mut Vec<Event>,
) {
    let Body { model, particles, pieces, scratch, changes, id, .. } = body;
    let Scratch { order, label, queue, new_pieces, .. } = scratch;
    label_components(model.solid(), label, queue);

    // stable partition per piece: sorted by (label, index), labels being first indices
    order.clear();
    order.extend(0..particles.len() as u32);
    new_pieces.clear();
    for piece in pieces.iter() {
        let range = piece.span.clone();
        order[range.clone()].sort_unstable_by_key(|&i| (label[i as usize], i));
        let (mut start, first) = (range.start, new_pieces.len());
        while start < range.end {
            let this = label[order[start] as usize];
            let length =
                order[start..range.end].iter().take_while(|&&i| label[i as usize] == this).count();
            let whole = length == range.len();
            let part = if whole {
                piece.clone()
            } else {
                let part = Piece {
                    id: PieceId(*next_piece),
                    span: start..start + length,
                    born: born.or(piece.born),
                    shape: None,
                    ..piece.clone()
                };
                *next_piece += 1;
                changes.pieces_split.push((piece.id, part.id));
                events.push(Event::Split { body: *id, parent: piece.id, piece: part.id });
                part
            };
            new_pieces.push(part);
            start += length;
        }
        let mass = |part: &Piece| -> f64 {
            order[part.span.clone()].iter().map(|&i| f64::from(particles.mass[i as usize])).sum()
        };
        // the first of equals
        let parts = new_pieces[first..].iter_mut().rev();
        if let Some(heaviest) = parts.max_by(|a, b| mass(a).total_cmp(&mass(b))) {
            heaviest.born = piece.born;
        }
    }
    if new_pieces.len() == pieces.len() {
        return;
    }
    reorder(body);
    body.pieces.clear();
    body.pieces.append(&mut body.scratch.new_pieces);
}

/// Takes pieces away with their particles; some other piece must be left.
pub(super) fn remove(body: &mut Body, is_gone: impl Fn(&Piece) -> bool) {
    let Body { pieces, particles, scratch, changes, .. } = body;
    let order = &mut scratch.order;
    order.clear();
    for piece in pieces.iter().filter(|piece| !is_gone(piece)) {
        order.extend(piece.span.start as u32..piece.span.end as u32);
    }
    let count = order.len();
    for piece in pieces.iter().filter(|piece| is_gone(piece)) {
        order.extend(piece.span.start as u32..piece.span.end as u32);
        changes.pieces_removed.push(piece.id);
    }
    if count == particles.len() {
        return;
    }
    reorder(body);
    let Body { pieces, particles, model, scratch, grips, pushes, .. } = body;
    particles.truncate(count);
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

/// Puts particle `order[k]` of the scratch at place `k`, with all that names particles.
fn reorder(body: &mut Body) {
    let Body { model, particles, grips, pushes, scratch, .. } = body;
    let Scratch { permuted, order, place, held, impulses, .. } = scratch;
    place.clear();
    place.resize(particles.len(), 0);
    for (to, &from) in order.iter().enumerate() {
        place[from as usize] = to as u32;
    }
    particles.permute(order, permuted);
    model.solid_mut().permute(order, place);
    // contacts name particles by id, and their places are found anew in every substep
    for push in impulses.iter_mut() {
        push.particle = place[push.particle as usize];
    }
    impulses.sort_unstable_by_key(|push| (push.particle, push.contact));
    for target in held.iter_mut() {
        target.particle = place[target.particle as usize];
    }
    held.sort_unstable_by_key(|target| target.particle);
    for member in grips.iter_mut().flat_map(|grip| &mut grip.members) {
        member.particle = place[member.particle as usize];
    }
    for push in pushes.iter_mut() {
        push.particle = place[push.particle as usize];
    }
}
