//! Triangle surfaces: as read, repaired, and checked to be closed.

mod check;
mod crossing;
mod curvature;
mod edges;
mod repair;
mod shells;
mod subdivide;

pub use check::{ClosedSurface, SurfaceError};
pub use repair::SurfaceRepairs;

pub(crate) use check::require_manifold;
pub(crate) use crossing::crossings;

use fracas::glam::DVec3;

use crate::attributes::{Attribute, Objects};

/// A triangle surface as a file or a generator gives it. Nothing is checked yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Positions, in m.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of the corners of each triangle; empty if there are none.
    pub uvs: Vec<[[f32; 2]; 3]>,
    /// Named parts, by triangle.
    pub objects: Objects,
    /// Values at vertices.
    pub attributes: Vec<Attribute>,
}

impl Surface {
    /// Corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// Mean of the corners of a triangle.
    pub fn centre(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        (a + b + c) / 3.0
    }

    /// Triangles that hang together over edges: each part in order, the parts by their first
    /// triangle.
    pub fn components(&self) -> Vec<Vec<u32>> {
        edges::components(&self.triangles)
    }

    /// Enclosed volume, in m³, if the surface is closed; positive if the triangles are
    /// counter-clockwise seen from outside.
    pub fn volume(&self) -> f64 {
        // about the first vertex, so that a surface far from the origin loses no digits
        let origin = self.vertices.first().copied().unwrap_or_default();
        let signed = |t: usize| {
            let [a, b, c] = self.corners(t).map(|x| x - origin);
            a.dot(b.cross(c)) / 6.0
        };
        (0..self.triangles.len()).map(signed).sum()
    }

    /// Area, in m².
    pub fn area(&self) -> f64 {
        let area = |t: usize| {
            let [a, b, c] = self.corners(t);
            0.5 * (b - a).cross(c - a).length()
        };
        (0..self.triangles.len()).map(area).sum()
    }

    /// Lowest and highest corner of the box around all vertices; `None` without vertices.
    pub fn bounds(&self) -> Option<[DVec3; 2]> {
        let first = *self.vertices.first()?;
        let grow = |[low, high]: [DVec3; 2], &x: &DVec3| [low.min(x), high.max(x)];
        Some(self.vertices.iter().fold([first; 2], grow))
    }

    /// Euler characteristic V − E + F of the triangles, vertices that none uses left out: 2 for
    /// every ball, 0 for every ring.
    pub fn euler_characteristic(&self) -> i64 {
        euler_characteristic(&self.triangles)
    }
}

/// A place for a message, with four digits: `(0.1203, -0.04, 0)`.
pub(crate) fn describe(at: DVec3) -> String {
    let number = |x: f64| {
        let x: f64 = format!("{x:.3e}").parse().unwrap_or(x);
        // thirty zeros tell nobody how far away that is
        if x.abs() < 1e9 { x.to_string() } else { format!("{x:e}") }
    };
    let [x, y, z] = at.to_array().map(number);
    format!("({x}, {y}, {z})")
}

/// V − E + F of a set of triangles.
pub(crate) fn euler_characteristic(triangles: &[[u32; 3]]) -> i64 {
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    vertices.len() as i64 - edges.len() as i64 + triangles.len() as i64
}
