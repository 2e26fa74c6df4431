//! Who touches what.
//!
//! ```text
//! half-spaces (half_space) ┐
//! boxes → broad → narrow (pairs, meet) ┴→ contacts, in the order of their keys → islands
//! ```
//!
//! Contacts are found once per substep, before the solve, with all that could meet within it;
//! normals and lever arms stay fixed until the next. Their forces are found inside the solve.

pub mod broad;
mod half_space;
mod meet;
pub mod narrow;
pub mod near;
pub mod pairs;
pub mod ray;
pub mod shape;
pub mod surface;

pub use half_space::{HalfSpace, touch_half_spaces, touch_half_spaces_by_corners};
pub use meet::{Kept, KeptPoint, Look, Mover, meet};

use crate::solids::Anchor;
use crate::world::{BodyId, ObstacleId, ParticleId};
use glam::Vec3;

/// Two points, of two pieces or of a piece and an obstacle, that may push each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Order and identity.
    pub key: Key,
    /// The point that the normal points to.
    pub first: Spot,
    /// The other; none for an obstacle, which does not give way.
    pub second: Option<Spot>,
    /// From the second to the first, unit length.
    pub normal: Vec3,
    /// Distance at the start of the substep, in m, with the overlap that is allowed added; negative
    /// if they overlap by more.
    pub gap: f32,
    /// Way of the second point within the substep, in m, where that is an obstacle; 0 otherwise.
    pub drift: Vec3,
    /// Speed at which they came nearer before the solve, in m/s.
    pub approach: f32,
    /// Combined coefficients of sliding and static friction.
    pub friction: [f32; 2],
    /// Combined coefficient of restitution.
    pub restitution: f32,
    /// Whether one of the two has another shape than in the substep before: it broke.
    pub fresh: bool,
    /// Whether it counts only if the two have touched before; of surfaces of tetrahedra.
    pub doubtful: bool,
    /// Length of what touches, in m, where a surface of tetrahedra does; 0 where lever arms tell it.
    pub size: f32,

    // ---- state: warm start of the next solve ----
    /// λ: normal force, in N; at least 0.
    pub force: f32,
    /// λ_t: friction force on the first, in N, across the normal.
    pub slip_force: Vec3,
    /// Whether it slid in the last round.
    pub sliding: bool,
    /// Overlap that is allowed, since the two were born overlapping, in m. It only shrinks.
    pub allowance: f32,
}

impl Contact {
    /// Not yet pressed, and with an obstacle at rest.
    pub(crate) fn new(key: Key, first: Spot, point: &narrow::Point) -> Self {
        Self {
            key,
            first,
            second: None,
            normal: point.normal,
            gap: point.gap,
            drift: Vec3::ZERO,
            approach: 0.0,
            friction: [0.0; 2],
            restitution: 0.0,
            fresh: false,
            doubtful: false,
            size: 0.0,
            force: 0.0,
            slip_force: Vec3::ZERO,
            sliding: false,
            allowance: 0.0,
        }
    }

    /// Whether something comes nearer within the substep by more than half of what it touches with, which of
    /// particles is the lever arm, about their radius: a shot.
    pub(crate) fn is_violent(&self, h: f32) -> bool {
        let way = h * self.approach;
        let deep = |length: f32| way * way > 0.25 * length && self.gap < way;
        if self.size > 0.0 {
            return deep(self.size * self.size);
        }
        let spots = [Some(self.first), self.second];
        spots.into_iter().flatten().any(|spot| deep(spot.anchor.arm.length_squared()))
    }
}

/// What a contact is between. Ids are never used twice, so it lasts over splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The particle of the first point.
    pub first: ParticleId,
    /// What has the second.
    pub second: Other,
    /// Which point of the pair, where there are several.
    pub feature: u32,
}

/// The second of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    /// A particle.
    Particle(ParticleId),
    /// Something that does not give way.
    Obstacle(ObstacleId),
    /// The surface of a body of tetrahedra, whichever of its triangles.
    Surface(BodyId),
}

/// A point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// Index of the body.
    pub body: u32,
    /// Index of the piece, until the next split.
    pub piece: u32,
    /// The point.
    pub anchor: Anchor,
}

/// Distance within which a contact is made though nothing moves, in diameters of the particle:
/// keeps the set of contacts of a resting body the same from substep to substep.
const MARGIN: f32 = 0.4;

/// That distance for an ellipsoid of these radii, in m.
pub(crate) fn margin(radii: [f32; 3]) -> f32 {
    2.0 * MARGIN * radii.into_iter().fold(f32::INFINITY, f32::min)
}

/// Speed at which an overlap that bodies were spawned with is pushed apart, in m/s.
const SEPARATION: f32 = 0.2;

/// Takes forces over from the contacts of the substep before, and from those of islands that just woke.
/// All lists are in the order of their keys.
///
/// Of a pair with several points, those that other corners meet at now take over from the nearest that are
/// gone: a face that rests on another would else be let go whenever the names of its corners change.
///
/// A pair that is new and overlaps already was not kept apart by anybody: a bond was cut between its
/// particles, or bodies were spawned into each other. Its overlap is allowed at first; otherwise it
/// would fly apart. Within a body the allowance shrinks as the two part; between bodies it is also
/// taken back slowly. The same holds of a particle that broke, and that others touch by another shape than
/// before: the overlap of that is new.
pub fn carry_over(old: &[Contact], woken: &[Contact], found: &mut [Contact], h: f32) {
    let (mut old, mut woken) = (old, woken);
    for pair in found.chunk_by_mut(|a, b| a.key.pair() == b.key.pair()) {
        let name = pair[0].key.pair();
        let known = match take_pair(&mut old, name) {
            [] => take_pair(&mut woken, name),
            known => known,
        };
        carry_pair(known, pair);
        for contact in pair {
            if contact.second.is_none_or(|second| second.body != contact.first.body) {
                contact.allowance = (contact.allowance - SEPARATION * h).max(0.0);
            }
            contact.allowance = contact.allowance.max(-contact.gap - SEPARATION * h);
            contact.gap += contact.allowance;
        }
    }
}

/// The contacts of a pair at the front of a list, once all before it are dropped.
fn take_pair<'a>(list: &mut &'a [Contact], name: (ParticleId, Other)) -> &'a [Contact] {
    let start = list.iter().take_while(|contact| contact.key.pair() < name).count();
    let rest = &list[start..];
    let (pair, rest) = rest.split_at(rest.iter().take_while(|c| c.key.pair() == name).count());
    *list = rest;
    pair
}

/// More points than a pair of convex solids has; of meshes the others start anew.
const POINTS: usize = 64;

fn carry_pair(known: &[Contact], pair: &mut [Contact]) {
    if pair[0].fresh {
        return share_out(&known[..known.len().min(POINTS)], pair);
    }
    if known.len() > POINTS && matches!(pair[0].key.second, Other::Surface(_)) {
        return carry_many(known, pair);
    }
    let known = &known[..known.len().min(POINTS)];
    let mut used = 0_u64;
    let mut fresh = 0_u64;
    for (k, contact) in pair.iter_mut().enumerate() {
        match known.iter().position(|c| c.key == contact.key) {
            Some(same) => {
                used |= 1 << same;
                contact.take_over(&known[same]);
            }
            None if k < POINTS => fresh |= 1 << k,
            None => {}
        }
    }
    for (k, contact) in pair.iter_mut().enumerate().take(POINTS) {
        if fresh >> k & 1 == 0 {
            continue;
        }
        let away = |c: &Contact| c.first.anchor.arm.distance_squared(contact.first.anchor.arm);
        let unused = known.iter().enumerate().filter(|(i, _)| used >> i & 1 == 0);
        let nearest = unused.min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b)));
        if let Some((i, warm)) = nearest {
            used |= 1 << i;
            contact.take_over(warm);
        } else if known.is_empty() && contact.second.is_some() {
            contact.allow(f32::INFINITY);
        }
    }
}

/// A large solid on a fine surface: those of the same names.
fn carry_many(known: &[Contact], pair: &mut [Contact]) {
    for contact in pair {
        match known.binary_search_by_key(&contact.key, |c| c.key) {
            Ok(same) => contact.take_over(&known[same]),
            Err(_) => contact.allow(f32::INFINITY),
        }
    }
}

/// Points of a pair of which one has got another shape: none is where one was before, so each begins with
/// an equal share of the force.
fn share_out(known: &[Contact], pair: &mut [Contact]) {
    let share = 1.0 / pair.len() as f32;
    let force: f32 = known.iter().map(|contact| contact.force).sum();
    let slip: Vec3 = known.iter().map(|contact| contact.slip_force).sum();
    let sliding = known.iter().any(|contact| contact.sliding);
    for contact in pair {
        let n = contact.normal;
        contact.force = share * force;
        contact.slip_force = share * (slip - n * slip.dot(n));
        contact.sliding = sliding;
        contact.allow(f32::INFINITY);
    }
}

impl Contact {
    fn take_over(&mut self, warm: &Self) {
        let n = self.normal;
        self.force = warm.force;
        self.slip_force = warm.slip_force - n * warm.slip_force.dot(n);
        self.sliding = warm.sliding;
        self.allow(warm.allowance);
    }

    /// It may overlap as it does, by `most` at most.
    fn allow(&mut self, most: f32) {
        self.allowance = most.min((-self.gap).max(0.0));
    }
}

impl Key {
    /// What it is between.
    fn pair(&self) -> (ParticleId, Other) {
        (self.first, self.second)
    }
}
