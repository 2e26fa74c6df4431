//! Where a piece is inside out, and whose contacts with each other mean nothing until it is right again.
//!
//! Behind a face whose material is inside out there is no inside, and what such material has carried through each other stands on the
//! wrong side: contacts would hold it there. A part of a bar that is mirrored, of half length R, carries its neighbours through each
//! other as far as 3 R from its middle:
//!
//! ```text
//! x ↦ −x for |x| < R,  x ∓ 2 R beyond:   [R, 3 R] and [−3 R, −R] lie in each other
//! ```
//!
//! So no two faces touch that are both that near, at rest, to the same part of a piece that is inside out. Elsewhere it touches itself
//! as always.

use crate::sets::Sets;
use crate::solids::Particles;
use glam::Vec3;

/// Volume over that at rest up to which a tetrahedron has no outside.
const FLAT: f32 = 0.0;
/// How far from its middle a part that is inside out carries others through each other, in its own radii.
const REACH: f32 = 3.0;

/// Parts of a body that are inside out: a cache, made anew in every substep.
#[derive(Clone, Debug, Default)]
pub(super) struct Tangles {
    /// Middle and reach of each, at rest.
    balls: Vec<(Vec3, f32)>,
    /// Tetrahedra that are inside out.
    inverted: Vec<u32>,
    /// Particles that hang together by them.
    joined: Sets,
    /// Name of its part and one of its corners.
    corners: Vec<(u32, u32)>,
}

impl Tangles {
    /// Nothing is.
    pub fn clear(&mut self) {
        self.balls.clear();
    }

    /// Finds them.
    pub fn find(&mut self, tets: &[[u32; 4]], particles: &Particles) {
        let Self { balls, inverted, joined, corners } = self;
        balls.clear();
        inverted.clear();
        let volume = |tet: &[u32; 4], x: &[Vec3]| {
            let [a, b, c, d] = tet.map(|j| x[j as usize]);
            (b - a).cross(c - a).dot(d - a)
        };
        for (tet, index) in tets.iter().zip(0..) {
            if volume(tet, &particles.position) <= FLAT * volume(tet, &particles.rest) {
                inverted.push(index);
            }
        }
        if inverted.is_empty() {
            return;
        }
        joined.reset(particles.len());
        for &[a, b, c, d] in inverted.iter().map(|&t| &tets[t as usize]) {
            [b, c, d].into_iter().for_each(|j| joined.join(a, j));
        }
        corners.clear();
        for &j in inverted.iter().flat_map(|&t| &tets[t as usize]) {
            corners.push((joined.find(j), j));
        }
        corners.sort_unstable();
        for part in corners.chunk_by(|a, b| a.0 == b.0) {
            let places = || part.iter().map(|&(_, j)| particles.rest[j as usize]);
            let least = places().fold(Vec3::INFINITY, Vec3::min);
            let most = places().fold(Vec3::NEG_INFINITY, Vec3::max);
            let middle = 0.5 * (least + most);
            let radius = places().map(|x| x.distance(middle)).fold(0.0, f32::max);
            balls.push((middle, REACH * radius));
        }
    }

    /// Whether a part that is inside out may have carried two places at rest through each other.
    pub fn part(&self, a: Vec3, b: Vec3) -> bool {
        self.balls
            .iter()
            .any(|&(middle, reach)| a.distance(middle).max(b.distance(middle)) <= reach)
    }
}
