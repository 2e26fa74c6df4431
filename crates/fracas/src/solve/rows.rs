//! Contacts within a round: who pushes, how hard, and on whom.
//!
//! What pushes is listed twice: as rows, whose forces are found one by one, and as pulls in the order of
//! the unknowns, so that every particle sums its own and no two threads write to the same place.

use super::coarse::{Coarse, Inverse};
use super::links::Link;
use super::springs::Pulled;
use super::{Part, Touch};
use crate::contact::{Contact, Spot};
use crate::parallel::{Span, Workers};
use crate::solids::{Anchor, DofsMut, DofsRef, Particles};
use glam::{DMat3, DVec3, Vec3};

/// Share of the stiffness that decides whether a contact of a surface that is shot at still presses if it did in the round before:
/// λ − c k g > 0.
const LATE: f32 = 0.1;

/// No unknown: the side of an obstacle.
const NOBODY: u32 = u32::MAX;

/// A contact that pushes or rubs in this round, or a link, numbered after all contacts, or a particle that a
/// spring pulls, numbered after all links.
#[derive(Clone, Copy, Debug)]
struct Row {
    contact: u32,
    places: [u32; 2],
    arms: [Vec3; 2],
    normal: Vec3,
    /// k where it pushes.
    push: f32,
    /// k_s.
    hold: f32,
    /// What it adds to the stiffness of a particle.
    extra: f32,
    /// Where its ends stand in [`Rows::shared`] if triangles carry one of them, else [`NOBODY`].
    shared: u32,
}

/// Who carries the point at one end of a row: places and shares.
pub(super) type Carriers = [(u32, f32); 3];

/// Force on the first point of a row, and its work on the motion it answers.
#[derive(Clone, Copy, Debug)]
struct Push {
    force: Vec3,
    work: f32,
}

/// One side of a row.
#[derive(Clone, Copy, Debug)]
struct Pull {
    place: u32,
    row: u32,
    /// 1 for the first point, −1 for the second, times the share that the particle carries.
    sign: f32,
    arm: Vec3,
}

impl Pull {
    /// Which end of its row it is.
    fn end(&self) -> usize {
        usize::from(self.sign.is_sign_negative())
    }
}

/// The rows of an island.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    pushes: Vec<Push>,
    /// In the order of places, and of rows where those are the same.
    pulls: Vec<Pull>,
    /// Where the pulls of each place begin.
    starts: Vec<u32>,
    /// The rows of each spring, which act as one.
    springs: Vec<Span>,
    /// Both ends of rows of which triangles carry one.
    shared: Vec<[Carriers; 2]>,
}

impl Rows {
    /// Room for an island of so many particles.
    pub fn reserve(&mut self, count: usize, contacts: usize) {
        fn room<T>(list: &mut Vec<T>, count: usize) {
            list.reserve(count.saturating_sub(list.len()));
        }
        room(&mut self.rows, contacts);
        room(&mut self.pushes, contacts);
        room(&mut self.pulls, 2 * contacts);
        room(&mut self.starts, count + 2);
    }

    /// Room for contacts that triangles carry: three pulls at either end.
    pub fn reserve_shared(&mut self, contacts: usize) {
        self.shared.reserve(contacts.saturating_sub(self.shared.len()));
        self.pulls.reserve((6 * contacts).saturating_sub(self.pulls.len()));
    }

    /// Lists what [`open`] found to push, over so many unknowns.
    pub fn list(
        &mut self,
        contacts: &[Contact],
        touches: &[Touch],
        links: &[Link],
        pulled: &[Pulled],
        count: usize,
    ) {
        let Self { rows, pushes, pulls, starts, springs, shared } = self;
        rows.clear();
        pushes.clear();
        springs.clear();
        shared.clear();
        starts.clear();
        starts.resize(count + 2, 0);
        for ((contact, touch), index) in contacts.iter().zip(touches).zip(0..) {
            // what was felt counts at the end, even if it pushes no more
            if !touch.active && touch.hold == 0.0 && touch.felt == 0.0 {
                continue;
            }
            let places = touch.places.map(|place| place.unwrap_or(NOBODY));
            let push = if touch.active { touch.stiffness } else { 0.0 };
            let arm = |spot: Option<Spot>| spot.map_or(Vec3::ZERO, |spot| spot.anchor.arm);
            let ends = [Some(contact.first), contact.second];
            let carried = ends.iter().flatten().any(|spot| spot.anchor.is_shared());
            rows.push(Row {
                shared: if carried { shared.len() as u32 } else { NOBODY },
                contact: index,
                places,
                arms: [contact.first.anchor.arm, arm(contact.second)],
                normal: contact.normal,
                push,
                hold: touch.hold,
                extra: push + touch.hold,
            });
            pushes.push(Push { force: touch.force, work: 0.0 });
            if carried {
                shared.push([0, 1].map(|k| carriers(places[k], ends[k])));
            }
        }
        for (link, index) in links.iter().zip(contacts.len() as u32..) {
            let k = link.stiffness;
            let carried = link.beside.iter().any(Option::is_some);
            rows.push(Row {
                contact: index,
                places: link.places,
                arms: link.spots.map(|spot| spot.anchor.arm),
                // it holds in all directions alike
                normal: Vec3::X,
                push: k,
                hold: k,
                extra: k,
                shared: if carried { shared.len() as u32 } else { NOBODY },
            });
            pushes.push(Push { force: link.force, work: 0.0 });
            if carried {
                shared.push([0, 1].map(|end| carriers(link.places[end], Some(link.spots[end]))));
            }
        }
        let mut number = (contacts.len() + links.len()) as u32;
        for spring in pulled.chunk_by(Pulled::is_with) {
            springs.push(rows.len()..rows.len() + spring.len());
            for &Pulled { place, stiffness: k, force, .. } in spring {
                rows.push(Row {
                    contact: number,
                    places: [place, NOBODY],
                    arms: [Vec3::ZERO; 2],
                    normal: Vec3::X,
                    push: k,
                    hold: k,
                    extra: k,
                    shared: NOBODY,
                });
                pushes.push(Push { force, work: 0.0 });
                number += 1;
            }
        }
        let mut total = 0;
        for row in rows.iter() {
            row.each_pull(shared, &mut |place, _, _| {
                starts[place as usize + 2] += 1;
                total += 1;
            });
        }
        // after this, starts[k + 1] is where the next pull of place k goes
        let mut before = 0;
        for start in &mut starts[1..] {
            before += *start;
            *start = before;
        }
        pulls.clear();
        pulls.resize(total, Pull { place: NOBODY, row: 0, sign: 0.0, arm: Vec3::ZERO });
        for (row, index) in rows.iter().zip(0..) {
            row.each_pull(shared, &mut |place, sign, arm| {
                let at = &mut starts[place as usize + 1];
                pulls[*at as usize] = Pull { place, row: index, sign, arm };
                *at += 1;
            });
        }
    }

    /// Forces that answer a motion of the unknowns: k JᵀJ p, to be added by [`Rows::add_forces`].
    /// Returns their work pᵀ k JᵀJ p.
    pub fn multiply(&mut self, p: DofsRef<'_>, workers: &Workers) -> f64 {
        let Self { rows, pushes, shared, .. } = self;
        workers.for_span(0..rows.len(), &mut pushes[..], &|range, pushes| {
            for (row, push) in rows[range].iter().zip(pushes) {
                let at = |k: usize| {
                    let place = row.places[k] as usize;
                    match shared.get(row.shared as usize) {
                        Some(ends) if is_carried(&ends[k]) => carried(p.linear, &ends[k]),
                        _ => p.linear[place] + p.angular[place].cross(row.arms[k]),
                    }
                };
                let second = if row.places[1] == NOBODY { Vec3::ZERO } else { at(1) };
                let motion = at(0) - second;
                let along = row.normal * motion.dot(row.normal);
                let force = row.push * along + row.hold * (motion - along);
                *push = Push { force, work: force.dot(motion) };
            }
        });
        self.pull_together(p);
        self.pushes.iter().map(|push| f64::from(push.work)).sum()
    }

    /// A spring answers the mean motion of all that it pulls, not of each: it turns nothing.
    fn pull_together(&mut self, p: DofsRef<'_>) {
        let Self { rows, pushes, springs, .. } = self;
        for spring in springs.iter() {
            let (rows, pushes) = (&rows[spring.clone()], &mut pushes[spring.clone()]);
            let force: Vec3 = pushes.iter().map(|push| push.force).sum();
            let mean = force / rows.iter().map(|row| row.push).sum::<f32>();
            for (row, push) in rows.iter().zip(pushes) {
                let force = row.push * mean;
                *push = Push { force, work: force.dot(p.linear[row.places[0] as usize]) };
            }
        }
    }

    /// Takes the forces that the solve has felt instead.
    pub fn take_felt(
        &mut self,
        contacts: &[Contact],
        touches: &[Touch],
        links: &[Link],
        pulled: &[Pulled],
    ) {
        for (row, push) in self.rows.iter().zip(&mut self.pushes) {
            let index = row.contact as usize;
            let after = index.wrapping_sub(contacts.len());
            push.force = match (contacts.get(index), links.get(after)) {
                (Some(contact), _) => {
                    touches[index].felt * contact.normal + touches[index].felt_slip
                }
                (None, Some(link)) => link.force,
                (None, None) => pulled[after - links.len()].force,
            };
        }
    }

    fn pulls_of(&self, part: &Part) -> &[Pull] {
        let Span { start, end } = part.places();
        // starts[k] is where the pulls of place k begin, now that all are listed
        &self.pulls[self.starts[start] as usize..self.starts[end] as usize]
    }

    /// Adds the forces on a part to a vector over its unknowns.
    pub fn add_forces(&self, part: &Part, v: &mut DofsMut<'_>) {
        for pull in self.pulls_of(part) {
            let k = pull.place as usize - part.first;
            let force = pull.sign * self.pushes[pull.row as usize].force;
            v.linear[k] += force;
            if let Some(torque) = v.angular.get_mut(k) {
                *torque += pull.arm.cross(force);
            }
        }
    }

    /// Adds the stiffness of contacts to that of the particles of a part.
    pub fn add_stiffness(&self, part: &Part, extra: &mut [f32]) {
        for pull in self.pulls_of(part) {
            let row = &self.rows[pull.row as usize];
            // k J Jᵀ ≤ k diag(shares), which sum up to 1
            extra[pull.place as usize - part.first] += pull.sign.abs() * row.extra;
        }
    }

    /// The rigid modes of a part with what pushes on it.
    pub fn rigid_modes(&self, part: &Part, particles: &Particles, h: f32) -> Inverse {
        let mut coarse = Coarse::of_mass(&part.motion, h);
        let centre = part.centre(h);
        for pull in self.pulls_of(part) {
            let Row { places, normal, push, hold, shared, .. } = self.rows[pull.row as usize];
            // a piece that touches itself moves as a whole all the same
            if places.iter().all(|&place| part.places().contains(&(place as usize))) {
                continue;
            }
            let index = |place: u32| part.span.start + place as usize - part.first;
            let arm = match self.shared.get(shared as usize).map(|ends| &ends[pull.end()]) {
                Some(ends) if is_carried(ends) => {
                    // the point as a whole, not each of those that carry it
                    if pull.place != places[pull.end()] {
                        continue;
                    }
                    let at =
                        |&(place, share): &(u32, f32)| share * particles.position[index(place)];
                    ends.iter().map(at).sum::<Vec3>().as_dvec3() - centre
                }
                _ => match part.alone() {
                    Some(_) => pull.arm.as_dvec3(),
                    None => (particles.position[index(pull.place)] + pull.arm).as_dvec3() - centre,
                },
            };
            let n = normal.as_dvec3();
            let along = DMat3::from_cols(n.x * n, n.y * n, n.z * n);
            let (push, hold) = (f64::from(push), f64::from(hold));
            coarse.add((push - hold) * along + DMat3::from_diagonal(DVec3::splat(hold)), arm);
        }
        coarse.inverse()
    }

    /// Adds the squares of the forces on the particles of a part.
    pub fn add_squares(&self, part: &Part, squares: &mut [f32]) {
        for pull in self.pulls_of(part) {
            let force = self.pushes[pull.row as usize].force;
            squares[pull.place as usize - part.first] +=
                pull.sign * pull.sign * force.length_squared();
        }
    }
}

impl Row {
    /// Calls `visit` with everyone that it pulls: place, sign times share, lever arm.
    #[inline(always)]
    fn each_pull(&self, shared: &[[Carriers; 2]], visit: &mut impl FnMut(u32, f32, Vec3)) {
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let place = self.places[k];
            if place == NOBODY {
                continue;
            }
            match shared.get(self.shared as usize) {
                Some(ends) if is_carried(&ends[k]) => {
                    for &(mate, share) in &ends[k] {
                        // the first stands for the point even if it carries nothing
                        if share != 0.0 || mate == place {
                            visit(mate, sign * share, Vec3::ZERO);
                        }
                    }
                }
                _ => visit(place, sign, self.arms[k]),
            }
        }
    }
}

/// Who carries the point at one end; the corners of a triangle are of one piece, so their unknowns lie apart as they do.
pub(super) fn carriers(place: u32, spot: Option<Spot>) -> Carriers {
    let alone = [(place, 1.0), (place, 0.0), (place, 0.0)];
    let carried = |anchor: Anchor| {
        anchor
            .carriers()
            .map(|(j, share)| (place.wrapping_add(j.wrapping_sub(anchor.particle)), share))
    };
    spot.filter(|spot| spot.anchor.is_shared()).map_or(alone, |spot| carried(spot.anchor))
}

/// Whether a triangle carries it, and not one particle.
#[inline(always)]
fn is_carried(ends: &Carriers) -> bool {
    ends[1].0 != ends[0].0
}

#[inline(always)]
fn carried(linear: &[Vec3], ends: &Carriers) -> Vec3 {
    let of = |(place, share): (u32, f32)| share * linear[place as usize];
    of(ends[0]) + of(ends[1]) + of(ends[2])
}

/// Motion of the first point of a contact relative to the second, of a vector over the island.
fn relative_motion(v: DofsRef<'_>, contact: &Contact, touch: &Touch) -> Vec3 {
    let at = |place: Option<u32>, spot: Option<Spot>| match (place, spot) {
        (Some(k), Some(spot)) if spot.anchor.is_shared() => {
            carried(v.linear, &carriers(k, Some(spot)))
        }
        (Some(k), Some(spot)) => {
            let k = k as usize;
            v.linear[k] + v.angular[k].cross(spot.anchor.arm)
        }
        _ => Vec3::ZERO,
    };
    at(touch.places[0], Some(contact.first)) - at(touch.places[1], contact.second)
}

/// Whether a contact that nobody has felt is open at the end; what moved there is noted.
pub(super) fn opens(contact: &Contact, touch: &mut Touch, moved: DofsRef<'_>) -> bool {
    touch.moved = relative_motion(moved, contact, touch) - contact.drift;
    contact.gap + touch.moved.dot(contact.normal) >= 0.0
}

/// Decides who pushes and who slides, and with which force.
///
/// ```text
/// cap = μ · (force felt in the round before);   f_t = λ_t − k_t s
/// stick |f_t| ≤ cap:  k_s = k_t,              base = λ_t
/// slide            :  k_s = min(k_t, cap/|s|), base = clamp(f_t, cap) + k_s s
/// ```
///
/// The sliding branch is the affine secant through (s, clamp(f_t)): continuous, symmetric.
pub(super) fn open(contact: &mut Contact, touch: &mut Touch, moved: DofsRef<'_>) {
    let n = contact.normal;
    let motion = relative_motion(moved, contact, touch) - contact.drift;
    let gap = contact.gap + motion.dot(n);
    let pushed = contact.force - touch.stiffness * gap;
    // if a shot is stopped a little too early, all contacts would let go at once, and it would fly on
    let holds = touch.shot && touch.active && touch.felt > 0.0;
    let sticks = if holds { LATE } else { 1.0 };
    touch.active = contact.force - sticks * touch.stiffness * gap > 0.0;

    let slip = motion - n * motion.dot(n);
    let wanted = contact.slip_force - touch.slip_stiffness * slip;
    let [slide, stick] = contact.friction;
    let felt = touch.felt.max(0.0);
    // a contact that stuck lets go at the static limit, one that slides holds below the other
    let cap = if contact.sliding { slide } else { stick } * felt;
    // nothing presses: nothing rubs
    contact.sliding = wanted.length() > cap || felt == 0.0;
    (touch.hold, touch.base) = if contact.sliding {
        let cap = slide * felt;
        let secant = if cap == 0.0 { 0.0 } else { cap / slip.length() };
        let hold = touch.slip_stiffness.min(secant);
        (hold, wanted.clamp_length_max(cap) + hold * slip)
    } else {
        (touch.slip_stiffness, contact.slip_force)
    };
    let normal_force = if touch.active { pushed } else { 0.0 };
    touch.force = normal_force * n + touch.base - touch.hold * slip;
}

/// The force felt, and multipliers from it.
pub(super) fn close(contact: &mut Contact, touch: &mut Touch, moved: DofsRef<'_>) {
    feel(contact, touch, moved);
    contact.force = touch.felt.max(0.0);
    let limit = contact.friction[usize::from(!contact.sliding)] * contact.force;
    contact.slip_force = touch.felt_slip.clamp_length_max(limit);
}

/// The force felt.
pub(super) fn feel(contact: &mut Contact, touch: &mut Touch, moved: DofsRef<'_>) {
    let n = contact.normal;
    touch.moved = relative_motion(moved, contact, touch) - contact.drift;
    let gap = contact.gap + touch.moved.dot(n);
    touch.felt = if touch.active { contact.force - touch.stiffness * gap } else { 0.0 };
    let slip = touch.moved - n * touch.moved.dot(n);
    touch.felt_slip = touch.base - touch.hold * slip;
}
