//! How deep convex cores overlap: the expanding polytope of van den Bergen, *Proximity Queries and
//! Penetration Depth Computation on 3D Game Objects*, 2001. A polytope inside A − B around the
//! origin is grown where it is nearest to the origin until it meets the surface of A − B.

use super::core::Core;
use super::gjk::{Simplex, Vertex, triangle};
use glam::DVec3;

/// The shallowest way out.
pub(super) struct Depth {
    /// Unit, out of b towards a: the way for a.
    pub normal: DVec3,
    /// At least 0.
    pub depth: f64,
    pub on_a: DVec3,
    pub on_b: DVec3,
}

/// Corners of the polytope at most; for round cores the depth then stands to a millionth.
const CORNERS: usize = 64;
/// Euler: F = 2 V − 4; some room for faces that are being replaced.
const FACES: usize = 2 * CORNERS;

#[derive(Clone, Copy)]
struct Side {
    corners: [u8; 3],
    normal: DVec3,
    /// Of its plane from the origin.
    distance: f64,
}

struct Polytope {
    vertices: [Vertex; CORNERS],
    vertex_count: usize,
    sides: [Side; FACES],
    side_count: usize,
}

/// How deep two cores overlap that the distance search found to overlap.
pub(super) fn depth(a: &Core, b: &Core, start: &Simplex) -> Depth {
    let size = a.size.min(b.size);
    let round = a.is_round() || b.is_round();
    let tolerance = if round { 1.0e-6 } else { 1.0e-8 } * size;
    let flat = 1.0e-9 * size;
    let mut polytope = Polytope::EMPTY;
    if let Some(touching) = polytope.surround_origin(a, b, start, flat) {
        return touching;
    }
    loop {
        let nearest = polytope.nearest();
        let side = polytope.sides[nearest];
        let vertex = Vertex::farthest(a, b, side.normal);
        let reached = vertex.w.dot(side.normal);
        if reached - side.distance <= tolerance || !polytope.grow(vertex, flat) {
            return polytope.answer(&side, reached);
        }
    }
}

/// Some unit vector across `d`.
fn across(d: DVec3) -> DVec3 {
    d.any_orthogonal_vector().normalize()
}

impl Polytope {
    const EMPTY: Self = Self {
        vertices: [Vertex::ZERO; CORNERS],
        vertex_count: 0,
        sides: [Side { corners: [0; 3], normal: DVec3::ZERO, distance: 0.0 }; FACES],
        side_count: 0,
    };

    /// Becomes a tetrahedron of A − B that holds the origin; if A − B is flat, gives the answer.
    fn surround_origin(&mut self, a: &Core, b: &Core, start: &Simplex, thin: f64) -> Option<Depth> {
        let mut corners = [Vertex::ZERO; 4];
        corners[..start.count].copy_from_slice(&start.vertices[..start.count]);
        let mut count = start.count;
        // The direction to grow to if fewer than four corners are known: both ways across.
        while count < 4 {
            let edge = corners[1].w - corners[0].w;
            let normal = match count {
                1 => a.centre() - b.centre(),
                2 => across(edge),
                _ => edge.cross(corners[2].w - corners[0].w),
            };
            let normal = normal.try_normalize().unwrap_or(DVec3::Y);
            // across a segment there are many ways to look
            let third = across(normal);
            let other = if count == 2 { edge.normalize_or_zero().cross(normal) } else { third };
            let looks: &[DVec3] = match count {
                1 => &[normal, -normal, third, -third, normal.cross(third), -normal.cross(third)],
                2 => &[normal, -normal, other, -other],
                _ => &[normal, -normal],
            };
            let height = |w: DVec3| match count {
                1 => (w - corners[0].w).length(),
                2 => (w - corners[0].w).cross(edge.normalize_or_zero()).length(),
                _ => (w - corners[0].w).dot(normal).abs(),
            };
            let mut best = (thin, None);
            for &look in looks {
                let vertex = Vertex::farthest(a, b, look);
                if height(vertex.w) > best.0 {
                    best = (height(vertex.w), Some(vertex));
                }
            }
            match best.1 {
                Some(vertex) => corners[count] = vertex,
                None => return Some(flat(a, b, normal, start)),
            }
            count += 1;
        }
        let [p, q, r, s] = [0, 1, 2, 3].map(|k| corners[k].w);
        if (q - p).cross(r - p).dot(s - p) > 0.0 {
            corners.swap(1, 2);
        }
        self.vertices[..4].copy_from_slice(&corners);
        self.vertex_count = 4;
        for corners in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
            self.push(corners);
        }
        None
    }

    fn push(&mut self, corners: [u8; 3]) {
        let [p, q, r] = corners.map(|k| self.vertices[usize::from(k)].w);
        let normal = (q - p).cross(r - p);
        let length = normal.length();
        // A side without area never is the nearest.
        let longest = p.distance_squared(q).max(q.distance_squared(r)).max(r.distance_squared(p));
        let (normal, distance) = if length > 1.0e-12 * longest {
            let normal = normal / length;
            (normal, normal.dot(p))
        } else {
            (DVec3::ZERO, f64::INFINITY)
        };
        self.sides[self.side_count] = Side { corners, normal, distance };
        self.side_count += 1;
    }

    fn nearest(&self) -> usize {
        let mut best = 0;
        for k in 1..self.side_count {
            if self.sides[k].distance < self.sides[best].distance {
                best = k;
            }
        }
        best
    }

    /// Replaces the sides that see `vertex` by the cone from their rim; false if there is no room
    /// or rounding lets it be seen from nowhere. Sides less than `flat` below it do not see it:
    /// rounding of coplanar points, such as on the lid of a cylinder, must not make slivers.
    fn grow(&mut self, vertex: Vertex, flat: f64) -> bool {
        if self.vertex_count == CORNERS {
            return false;
        }
        let mut rim = [[0u8; 2]; FACES];
        let mut rim_count = 0;
        let mut kept = 0;
        for k in 0..self.side_count {
            let side = self.sides[k];
            let corner = self.vertices[usize::from(side.corners[0])].w;
            if side.normal.dot(vertex.w - corner) <= flat {
                self.sides[kept] = side;
                kept += 1;
                continue;
            }
            for e in 0..3 {
                let edge = [side.corners[e], side.corners[(e + 1) % 3]];
                // an edge that both its sides lose is inside
                match rim[..rim_count].iter().position(|r| *r == [edge[1], edge[0]]) {
                    Some(i) => {
                        rim_count -= 1;
                        rim[i] = rim[rim_count];
                    }
                    None if rim_count < FACES => {
                        rim[rim_count] = edge;
                        rim_count += 1;
                    }
                    None => return false,
                }
            }
        }
        if rim_count == 0 || kept + rim_count > FACES {
            return false;
        }
        self.side_count = kept;
        let apex = self.vertex_count as u8;
        self.vertices[self.vertex_count] = vertex;
        self.vertex_count += 1;
        for edge in &rim[..rim_count] {
            self.push([edge[0], edge[1], apex]);
        }
        true
    }

    /// The way out through a side, beyond which A − B goes on as far as `reached`.
    fn answer(&self, side: &Side, reached: f64) -> Depth {
        let [p, q, r] = side.corners.map(|k| self.vertices[usize::from(k)]);
        let [u, v, w] = triangle(p.w, q.w, r.w);
        let (normal, depth) = (-side.normal, reached.max(0.0));
        let on_a = u * p.a + v * q.a + w * r.a;
        Depth { normal, depth, on_a, on_b: on_a + depth * normal }
    }
}

/// A − B lies in a plane, on a line or in one point, with the origin in it: the cores only touch.
fn flat(a: &Core, b: &Core, normal: DVec3, start: &Simplex) -> Depth {
    let towards_a = normal.dot(a.centre() - b.centre()) >= 0.0;
    let (on_a, on_b) = start.witness();
    Depth { normal: if towards_a { normal } else { -normal }, depth: 0.0, on_a, on_b }
}
