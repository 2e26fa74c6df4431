//! Springs: particles that are pulled together towards a point, inside the same solve as contacts.
//!
//! ```text
//! c = Σ w x with w = m / Σ m;   f = −k (c' − target) − b (c' − c)/h = −κ (γ + c' − c),   w f on each
//! κ = k + b/h,   γ = k (c − target)/κ
//! ```
//!
//! This is backward Euler of a spring with a damper, and stable for all k and b. It has to be in the solve,
//! because what hangs on the particles may be far heavier than they are. As a force from before the
//! substep, made stable by the mass of the particles alone, a pot that is held by one of its 300 fragments
//! would hang 25 times too low.

use super::{Dofs, Part, Side};
use glam::Vec3;

/// A particle that a spring pulls, with others, during a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulled {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the grip that pulls it; particles of one grip stand together.
    pub grip: u32,
    /// γ, in m: the same for all of one grip.
    pub gap: Vec3,
    /// Its share of κ, in N/m.
    pub stiffness: f32,
    /// Force on it, in N, after the solve.
    pub force: Vec3,
    /// Its own motion during the substep, in m.
    pub moved: Vec3,
    /// Its body among the sides, and its place in the list of that body.
    side: u32,
    index: u32,
    /// Its unknowns, as a place in the island.
    pub(super) place: u32,
}

impl Pulled {
    /// Before the solve.
    pub fn new(particle: u32, grip: u32, gap: Vec3, stiffness: f32) -> Self {
        let (force, moved) = (Vec3::ZERO, Vec3::ZERO);
        Self { particle, grip, gap, stiffness, force, moved, side: 0, index: 0, place: 0 }
    }

    /// Its body among the sides.
    pub(super) fn side(&self) -> usize {
        self.side as usize
    }

    /// Whether both are pulled by the same spring.
    pub(super) fn is_with(&self, other: &Self) -> bool {
        (self.side, self.grip) == (other.side, other.grip)
    }
}

/// Lists all that springs pull in an island.
pub(super) fn gather<S: Side>(sides: &[S], parts: &[Part], list: &mut Vec<Pulled>) {
    list.clear();
    for of_side in parts.chunk_by(|a, b| a.side == b.side) {
        let side = of_side[0].side;
        for (pulled, index) in sides[side].pulled().iter().zip(0..) {
            let particle = pulled.particle as usize;
            let part = of_side.get(of_side.partition_point(|part| part.span.end <= particle));
            if let Some(part) = part.filter(|part| part.span.contains(&particle)) {
                let place = part.place(pulled.particle) as u32;
                let (force, moved) = (Vec3::ZERO, Vec3::ZERO);
                list.push(Pulled { side: side as u32, index, place, force, moved, ..*pulled });
            }
        }
    }
}

/// Their forces where the unknowns are now.
pub(super) fn pull(list: &mut [Pulled], moved: &Dofs) {
    for spring in list.chunk_by_mut(Pulled::is_with) {
        let (mut sum, mut stiffness) = (Vec3::ZERO, 0.0);
        for pulled in spring.iter_mut() {
            pulled.moved = moved.all().linear[pulled.place as usize];
            sum += pulled.stiffness * pulled.moved;
            stiffness += pulled.stiffness;
        }
        let mean = sum / stiffness;
        for pulled in spring {
            pulled.force = -pulled.stiffness * (pulled.gap + mean);
        }
    }
}

/// Tells the bodies what pulled them.
pub(super) fn give_back<S: Side>(sides: &mut [S], list: &[Pulled]) {
    for pulled in list {
        let of_body = &mut sides[pulled.side as usize].pulled_mut()[pulled.index as usize];
        (of_body.force, of_body.moved) = (pulled.force, pulled.moved);
    }
}
