//! Links: pairs of points that are held together, inside the same solve as contacts.
//!
//! ```text
//! g(x) = first point − second point;   f = −k g on the first
//! ```
//!
//! A link is a spring, about as stiff as what it holds together, and always active: it pulls as well
//! as it pushes. It has no multiplier, unlike a contact. Kept from substep to substep, λ ← λ − k g
//! would make m g̈ = λ an equation of third order in time, whose oscillations grow wherever
//! k h² < m: two blocks glued together stood, a chain of six flew apart. The force of a spring at
//! rest is the same, and the gap that it leaves is that of one more layer of the body.

use super::rows::carriers;
use super::{Dofs, Part, Side};
use crate::contact::Spot;
use crate::math::Rot;
use crate::parallel::Span;
use crate::solids::{DofsRef, Step};
use glam::Vec3;

/// Stiffness of the links of a pair of particles over that of the particles: as if they were bonded.
/// (Hanging blocks of two layers sag twice as much as with stiff links, half of their layers being
/// those between them.)
const STIFFNESS: f32 = 3.0;
/// The same for pieces of one particle, whose only stiffness is inertia. Stiffer, rods of eight no
/// longer converge; as it is they sag by a twentieth of their length.
const RIGID_STIFFNESS: f32 = 100.0;
/// The same for a piece of tetrahedra as a whole, see [`prepare`].
const WHOLE_STIFFNESS: f32 = 10.0;

/// A point that goes with a triangle: beside it or above it as much as within it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// From the first corner to the others at the start of the substep, in m.
    pub edges: [Vec3; 2],
    /// What it takes of either edge, and how far it is above the plane of the triangle, in m.
    pub at: Vec3,
}

impl Beside {
    /// From the first corner to the point.
    pub fn reach(&self) -> Vec3 {
        self.reach_of(self.edges)
    }

    fn reach_of(&self, [e, f]: [Vec3; 2]) -> Vec3 {
        self.at.x * e + self.at.y * f + self.at.z * e.cross(f).normalize_or_zero()
    }

    /// What the corners of the triangle would have to carry for a point that is not beside it but at the place of it nearest to that, but for
    /// the first: none of it less than nothing.
    pub fn shares(&self) -> [f32; 2] {
        let all = [1.0 - self.at.x - self.at.y, self.at.x, self.at.y].map(|share| share.max(0.0));
        let sum: f32 = all.iter().sum();
        [all[1] / sum, all[2] / sum]
    }

    /// How motions of the corners move the point.
    fn motion(&self, [a, b, c]: [Vec3; 3]) -> Vec3 {
        let [e, f] = self.edges;
        a + self.reach_of([e + (b - a), f + (c - a)]) - self.reach()
    }
}

/// Two points that are held together during a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Names of its cluster and island, as in [`Part::group`].
    pub group: [u32; 2],
    /// Where it came from.
    pub index: u32,
    /// The points, with bodies named by their index among the sides. Both arms reach to one point,
    /// so that the pair has no torque of its own.
    pub spots: [Spot; 2],
    /// Where they are beside the triangles that carry them, if triangles do.
    pub beside: [Option<Beside>; 2],
    /// First point minus second at the start of the substep, in m.
    pub gap: Vec3,
    /// Part that it has in holding its two particles together: several links may.
    pub share: f32,
    /// Force on the first, in N, after the solve.
    pub force: Vec3,
    /// Motion of the first point relative to the second during the substep, in m.
    pub moved: Vec3,
    /// Unknowns of the two points, as places in the island.
    pub(super) places: [u32; 2],
    /// k, in N/m.
    pub(super) stiffness: f32,
}

impl Link {
    /// Before the solve.
    pub fn new(
        index: u32,
        spots: [Spot; 2],
        beside: [Option<Beside>; 2],
        gap: Vec3,
        share: f32,
    ) -> Self {
        Self {
            group: [0; 2],
            index,
            spots,
            beside,
            gap,
            share,
            force: Vec3::ZERO,
            moved: Vec3::ZERO,
            places: [0; 2],
            stiffness: 0.0,
        }
    }

    /// ½ k g² at the end of the substep, in J.
    pub fn stored(&self) -> f64 {
        0.5 * f64::from(self.stiffness * (self.gap + self.moved).length_squared())
    }

    /// The same at its start.
    pub fn stored_before(&self) -> f64 {
        0.5 * f64::from(self.stiffness * self.gap.length_squared())
    }

    /// How a motion of the unknowns moves the first point relative to the second: arms are turned and not sheared, or what spins
    /// would grow with every substep.
    fn motion(&self, moved: DofsRef<'_>) -> Vec3 {
        let at = |end: usize| {
            if let Some(beside) = self.beside[end] {
                let carriers = carriers(self.places[end], Some(self.spots[end]));
                return beside.motion(carriers.map(|(place, _)| moved.linear[place as usize]));
            }
            let k = self.places[end] as usize;
            let arm = self.spots[end].anchor.arm;
            moved.linear[k] + (Rot::exp(moved.angular[k]) * arm - arm)
        };
        at(0) - at(1)
    }
}

/// Those of an island, among links in the order of their groups.
pub fn of_group(links: &[Link], group: [u32; 2]) -> Span {
    let start = links.partition_point(|link| link.group < group);
    start..start + links[start..].partition_point(|link| link.group == group)
}

/// Finds the unknowns, and the stiffness from that of the points: k = κ share / Σ tr(D⁻¹)/3, with κ
/// between that of rigid points and that of others by what each contributes.
///
/// Tetrahedra are as stiff as their material, and against D a body of them is rigid: as in contacts, what it gives way as a whole is
/// added, 1/k = (Σ tr(D⁻¹)/3 κ + Σ tr(P (Pᵀ M P)⁻¹ Pᵀ)/3 h²/κ_whole)/share. With D alone two blocks that are glued were thrown apart
/// by what a solve leaves out of balance.
pub(super) fn prepare<S: Side>(links: &mut [Link], sides: &[S], parts: &[Part], step: &Step) {
    for link in links {
        let (mut all, mut weighted, mut soft) = (0.0, 0.0, 0.0);
        for (end, spot) in link.spots.iter().enumerate() {
            let at = (spot.body as usize, spot.anchor.particle as usize);
            let part = &parts[parts.partition_point(|part| (part.side, part.span.end) <= at)];
            link.places[end] = part.place(spot.anchor.particle) as u32;
            let (solid, particles) = (sides[at.0].solid(), sides[at.0].particles());
            let mean = |along: &dyn Fn(Vec3) -> f32| {
                (along(Vec3::X) + along(Vec3::Y) + along(Vec3::Z)) / 3.0
            };
            let own = mean(&|n| solid.compliance(particles, &spot.anchor, n, step));
            let stiffness = if part.span.len() == 1 { RIGID_STIFFNESS } else { STIFFNESS };
            all += own;
            weighted += own * stiffness;
            soft += own / stiffness;
            if spot.anchor.is_shared() {
                soft += mean(&|n| part.compliance(particles, spot, n, step.h)) / WHOLE_STIFFNESS;
            }
        }
        let shared = link.beside.iter().any(Option::is_some);
        let stiffness = if shared { 1.0 / soft } else { weighted / (all * all) };
        // what grips hold on both sides they hold together
        link.stiffness = if soft > 0.0 { link.share * stiffness } else { 0.0 };
    }
}

/// Their forces where the unknowns are now.
pub(super) fn pull(links: &mut [Link], moved: &Dofs) {
    for link in links {
        link.moved = link.motion(moved.all());
        link.force = -link.stiffness * (link.gap + link.moved);
    }
}
