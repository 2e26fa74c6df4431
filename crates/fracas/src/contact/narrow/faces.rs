//! A face of a surface and a convex solid: its corners on the solid, its edges and its inside.
//!
//! Corners of the face answer for themselves. What is left for the face is what touches it between them: corners of the
//! solid and round sides over its inside, edges across its edges. The solid is outside of the surface, so a face pushes it
//! out along its own normal, wherever its middle is.

use super::super::shape::{Pose, Shape};
use super::super::surface::Facet;
use super::Point;
use super::convex::{self, Nearest};
use super::core::Core;
use super::gjk;
use super::manifold::{DEEPEST, Manifold, OF_B};
use glam::DVec3;

/// Steps of the search for the moment of an impact.
const STEPS: usize = 24;
/// Weight below which a corner has no part in a point.
const CORNER: f64 = 1e-3;
/// Cosine between a contact normal and that of a face from which on the face is touched from above.
const ABOVE: f64 = 0.99;
/// Cosine between a contact normal and what is outward at a corner from which on it would be pulled out of its body.
const AWAY: f64 = 0.5;
/// Depth over the height of the tetrahedron behind a face up to which a solid is pushed out through it.
const SHALLOW: f64 = 0.5;

/// A convex solid that faces may touch, with its way within the substep.
pub struct Solid<'a> {
    core: Core<'a>,
    /// In m, all of it alike.
    way: DVec3,
}

/// Where a face and a solid may touch.
#[derive(Clone, Copy, Debug)]
pub struct OnFace {
    /// Weights of the corners of the face.
    pub weights: [f64; 3],
    /// On the solid at the start of the substep; `on_a` is that of the face, the normal points out of the solid.
    pub point: Point,
    /// Whether it is an edge of the face that touches, and which.
    pub edge: Option<u8>,
}

impl<'a> Solid<'a> {
    /// None for shapes that are no convex solids.
    pub fn new(shape: &'a Shape, pose: &Pose, way: DVec3) -> Option<Self> {
        Some(Self { core: Core::new(shape, pose, DVec3::ZERO)?, way })
    }

    /// Whether it is round, so that its normal turns from point to point.
    pub fn is_round(&self) -> bool {
        self.core.radius > 0.0 || self.core.is_round()
    }

    /// Where a corner of a surface may touch it within the substep.
    pub fn meet_corner(&mut self, at: DVec3, way: DVec3, margin: f64) -> Option<Point> {
        let way = way - self.way;
        let reach = margin + way.length();
        let near = convex::nearest(&Core::of_point(at, self.core.size), &self.core, reach)?;
        let point = |near: &Nearest, time: f64| {
            let back = time * way;
            Point {
                on_a: at.as_vec3(),
                on_b: (near.on_b - back).as_vec3(),
                normal: near.normal.as_vec3(),
                gap: (near.gap - near.normal.dot(back)) as f32,
                feature: 0,
            }
        };
        if near.gap <= margin {
            return Some(point(&near, 0.0));
        }
        let (time, near) = self.advance(near, way, |time, core, reach| {
            let corner = Core::of_point(at + time * way, core.size);
            convex::nearest(&corner, core, reach)
        })?;
        Some(point(&near, time))
    }

    /// A corner that is inside leaves through the side that its own body is on, and not through the next one, which of a wall
    /// may be the far one. `out` is outward of that body.
    pub fn back_into_body(&self, at: DVec3, out: DVec3, nearest: Point) -> Point {
        if nearest.normal.as_dvec3().dot(out) < AWAY {
            return nearest;
        }
        let normal = self.core.facing(-out).unwrap_or(-out);
        let side = self.core.support(normal) + self.core.radius * normal;
        let gap = normal.dot(at - side);
        let on_b = (at - gap * normal).as_vec3();
        Point { on_b, normal: normal.as_vec3(), gap: gap as f32, ..nearest }
    }

    /// Calls `found` with where a face may touch it between its corners.
    pub fn meet_face(&mut self, face: &Facet, margin: f64, mut found: impl FnMut(OnFace)) {
        // one way for all of it; what corners do differently they answer for
        let mean = face.corners.iter().map(|corner| corner.way).sum::<DVec3>() / 3.0;
        let way = mean - self.way;
        let start = face.at(0.0);
        let moved = |time: f64| start.map(|corner| corner + time * way);
        let reach = margin + way.length();
        let at = |time: f64, core: &Core<'_>, reach: f64| {
            convex::nearest(&Core::of_corners(moved(time), face.normal), core, reach)
        };
        let Some(near) = at(0.0, &self.core, reach) else { return };
        if near.gap <= margin {
            return self.list(face, &near, start, DVec3::ZERO, margin, &mut found);
        }
        if let Some((time, near)) = self.advance(near, way, at) {
            self.list(face, &near, moved(time), time * way, margin, &mut found);
        }
    }

    /// Advances by no more than the gap, which is a lower bound of the distance, until it is closed.
    fn advance(
        &self,
        mut near: Nearest,
        way: DVec3,
        at: impl Fn(f64, &Core<'_>, f64) -> Option<Nearest>,
    ) -> Option<(f64, Nearest)> {
        let close = 1e-4 * self.core.size;
        let mut time = 0.0;
        for _ in 0..STEPS {
            let speed = -near.normal.dot(way);
            if near.gap <= close {
                return (speed > 0.0).then_some((time, near));
            }
            if speed <= 0.0 {
                return None;
            }
            time += near.gap / speed;
            if time > 1.0 {
                return None;
            }
            near = at(time, &self.core, way.length() + close)?;
        }
        None
    }

    /// The points of a face at `corners`, seen from where it was `back` before.
    fn list(
        &self,
        face: &Facet,
        near: &Nearest,
        corners: [DVec3; 3],
        back: DVec3,
        reach: f64,
        found: &mut impl FnMut(OnFace),
    ) {
        let triangle = Core::of_corners(corners, face.normal);
        // behind the face: it is pushed out through it, and not to where it is on its way. A sheet has no behind.
        let reversed = face.two_sided && near.normal.dot(face.normal) > 0.0;
        let face = &(if reversed { face.reversed() } else { *face });
        let behind = near.normal.dot(face.normal) > -1e-3 || near.gap < -0.5 * self.core.size;
        if behind && !face.two_sided {
            return self.push_out(face, corners, back, found);
        }
        let mut told = false;
        let mut tell = |on_a: DVec3, on_b: DVec3, gap: f64, feature: u32| {
            let [a, b, c] = corners.map(|corner| corner - on_a);
            let weights = gjk::triangle(a, b, c);
            let heavy = weights.map(|w| w > CORNER);
            let edge = match heavy {
                [true, true, true] => None,
                [true, true, false] => Some(0),
                [false, true, true] => Some(1),
                [true, false, true] => Some(2),
                // corners answer for themselves
                _ => return,
            };
            let out = -near.normal;
            let counts = match edge {
                None => out.dot(face.normal) > ABOVE,
                Some(k) => face.owns_edge(k) && face.is_out_of_edge(k, out, 0.0),
            };
            if counts {
                told = true;
                let point = Point {
                    on_a: (on_a - back).as_vec3(),
                    on_b: on_b.as_vec3(),
                    normal: near.normal.as_vec3(),
                    gap: (gap - near.normal.dot(back)) as f32,
                    feature: name(feature),
                };
                found(OnFace { weights, point, edge: edge.map(|k| k as u8) });
            }
        };
        let mut manifold = Manifold::new();
        manifold.fill(&triangle, &self.core, near.normal, reach);
        let deepest = manifold.points().iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        for c in manifold.points() {
            tell(c.on_a, c.on_b, c.gap, c.feature);
        }
        if near.gap < deepest - 1e-5 * self.core.size {
            tell(near.on_a, near.on_b, near.gap, DEEPEST);
        }
        if !told && near.gap < 0.0 {
            self.push_out(face, corners, back, found);
        }
    }

    /// Whether a face overlaps it.
    pub fn holds(&self, face: &Facet) -> bool {
        convex::nearest(&Core::of_corners(face.at(0.0), face.normal), &self.core, 0.0).is_some()
    }

    /// The deepest point of the solid, out along the normal of the face that it is under.
    fn push_out(
        &self,
        face: &Facet,
        corners: [DVec3; 3],
        back: DVec3,
        found: &mut impl FnMut(OnFace),
    ) {
        let out = face.normal;
        let on_b = self.core.support(-out) - self.core.radius * out;
        let gap = out.dot(on_b - corners[0]);
        if gap > 0.0 || gap < -SHALLOW * face.height {
            return;
        }
        let weights = gjk::weights_in_triangle(corners, on_b);
        if weights.iter().all(|&w| w >= 0.0) {
            let point = Point {
                on_a: (on_b - gap * out - back).as_vec3(),
                on_b: on_b.as_vec3(),
                normal: -out.as_vec3(),
                gap: (gap + out.dot(back)) as f32,
                feature: DEEPEST,
            };
            found(OnFace { weights, point, edge: None });
        }
    }
}

/// A name of the corner of the solid alone, where only edges of it meet there: it then stays the same from face to face.
fn name(feature: u32) -> u32 {
    let of_solid = |label: u16| label & OF_B != 0;
    let (one, other) = ((feature >> 16) as u16, feature as u16);
    if feature == DEEPEST || of_solid(one) && of_solid(other) { feature } else { DEEPEST - 1 }
}
