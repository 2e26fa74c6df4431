//! Who touches what.
//!
//! Contacts are found once per substep, before the solve, with all that could meet within it;
//! normals and lever arms stay fixed until the next. Their forces are found inside the solve.

mod half_space;

pub use half_space::HalfSpace;

use crate::material::combine_friction;
use crate::parallel::Span;
use crate::solids::{Anchor, Particles};
use glam::{DVec3, Vec3};

/// A point of a body near an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The point.
    pub anchor: Anchor,
    /// Index of the obstacle.
    pub obstacle: u32,
    /// Out of the obstacle.
    pub normal: Vec3,
    /// Distance at the start of the substep, in m; negative if inside.
    pub gap: f32,
    /// Combined coefficients of sliding and static friction.
    pub friction: [f32; 2],

    // ---- state: warm start of the next solve ----
    /// λ: normal force, in N; at least 0.
    pub force: f32,
    /// λ_t: friction force, in N, across the normal.
    pub slip_force: Vec3,
    /// Whether it slid in the last round.
    pub sliding: bool,
}

impl Contact {
    /// Order and identity within a body.
    fn key(&self) -> (u32, u32) {
        (self.anchor.particle, self.obstacle)
    }
}

/// Distance within which a contact is made though nothing moves, in diameters of the particle:
/// keeps the set of contacts of a resting body the same from substep to substep.
const MARGIN: f32 = 0.4;

/// Contacts of the particles of one piece, appended to `found` in order; forces carried over from
/// `old`, which is in the same order.
pub fn find(
    particles: &Particles,
    span: Span,
    origin: DVec3,
    half_spaces: &[HalfSpace],
    h: f32,
    old: &[Contact],
    found: &mut Vec<Contact>,
) {
    let first = old.partition_point(|c| (c.anchor.particle as usize) < span.start);
    let mut old = old[first..].iter().peekable();
    for j in span {
        let margin = 2.0 * MARGIN * particles.radii[j].into_iter().fold(f32::INFINITY, f32::min);
        for (index, half_space) in half_spaces.iter().enumerate() {
            let n = half_space.normal;
            let centre = half_space.height(origin, particles.position[j]);
            let reach = particles.radii[j].into_iter().fold(0.0, f32::max);
            let approach = (h * particles.velocity[j].dot(n)).min(0.0);
            if centre + approach > reach + margin {
                continue;
            }
            let arm = half_space.support(particles, j);
            let gap = centre + arm.dot(n);
            if gap + approach > margin {
                continue;
            }
            let mut contact = Contact {
                anchor: Anchor { particle: j as u32, arm },
                obstacle: index as u32,
                normal: n,
                gap,
                friction: [0, 1]
                    .map(|k| combine_friction(particles.friction[j][k], half_space.friction[k])),
                force: 0.0,
                slip_force: Vec3::ZERO,
                sliding: false,
            };
            while old.next_if(|c| c.key() < contact.key()).is_some() {}
            if let Some(warm) = old.next_if(|c| c.key() == contact.key()) {
                contact.force = warm.force;
                contact.slip_force = warm.slip_force - n * warm.slip_force.dot(n);
                contact.sliding = warm.sliding;
            }
            found.push(contact);
        }
    }
}
