//! A surface in a box of unit size: all tolerances and tie-breaks are the same at every scale.

use fracas::glam::DVec3;

use super::features::Features;
use super::{FillError, topology};
use crate::distance::SignedDistance;
use crate::surface::{ClosedSurface, Surface};
use crate::tets::TetMesh;

/// A surface to be filled, scaled so that its longest side is 1 and its middle the origin.
pub(super) struct Shape {
    pub(super) surface: Surface,
    pub(super) distance: SignedDistance,
    pub(super) features: Features,
    pub(super) bounds: [DVec3; 2],
    /// Enclosed volume.
    pub(super) volume: f64,
    /// Euler characteristic of each part.
    pub(super) parts: Vec<i64>,
    /// Of the body under each vertex.
    thickness: Vec<f64>,
    centre: DVec3,
    /// Length of 1 here, in m.
    pub(super) scale: f64,
}

impl Shape {
    pub(super) fn new(closed: &ClosedSurface) -> Result<Self, FillError> {
        let original = closed.surface();
        let [low, high] = original.bounds().ok_or(FillError::NoInside { volume: 0.0 })?;
        let centre = 0.5 * (low + high);
        let scale = (high - low).max_element();
        let triangles = original.triangles.clone();
        // to 32 binary places, below what files hold, so that rounding in the scale decides no ties
        let grid = (1_u64 << 32) as f64;
        let place = |&x: &DVec3| (grid * ((x - centre) / scale)).round() / grid;
        let vertices: Vec<DVec3> = original.vertices.iter().map(place).collect();
        let surface = Surface { vertices, triangles, ..Surface::default() };
        let volume = surface.volume();
        let no_inside = FillError::NoInside { volume: original.volume() };
        let finite = surface.vertices.iter().all(|x| x.is_finite());
        if !finite || volume.is_nan() || volume <= 0.0 {
            return Err(no_inside);
        }
        let bounds = surface.bounds().ok_or(no_inside.clone())?;
        let distance = SignedDistance::of(surface.vertices.clone(), surface.triangles.clone())
            .ok_or(no_inside)?;
        let parts = topology::parts(&surface.triangles).map_err(|_| FillError::NotClosed)?;
        let features = Features::of(&surface.vertices, &surface.triangles);
        let thickness = thickness(&surface, &distance);
        Ok(Self { surface, distance, features, bounds, volume, parts, thickness, centre, scale })
    }

    /// A mesh of this shape, back at the place and size of the original.
    pub(super) fn restore(&self, mut mesh: TetMesh) -> TetMesh {
        mesh.vertices.iter_mut().for_each(|x| *x = self.centre + self.scale * *x);
        mesh
    }

    /// Points all over the surface: the vertices, and the middles of the triangles.
    pub(super) fn samples(&self) -> impl Iterator<Item = DVec3> {
        let middle = |t: usize| self.surface.corners(t).into_iter().sum::<DVec3>() / 3.0;
        let middles = (0..self.surface.triangles.len()).map(middle);
        self.surface.vertices.iter().copied().chain(middles)
    }

    /// Signed distance to the surface, raised on both sides of the body where it is thinner than
    /// `thickness`: thinner parts than the cells would fall between the points of a lattice. At most
    /// by half of it.
    pub(super) fn level(&self, point: DVec3, thickness: f64) -> f64 {
        let (distance, _, triangle, between) = self.distance.locate(point);
        let corners = self.surface.triangles[triangle as usize];
        // between corners, so that the raised surface has no steps
        let missing = |k: usize| (thickness - self.thickness[corners[k] as usize]).max(0.0);
        distance - 0.5 * (0..3).map(|k| between[k] * missing(k)).sum::<f64>()
    }
}

impl Shape {
    /// Half of the surface has less of the body under it.
    pub(super) fn median_thickness(&self) -> f64 {
        let mut shares: Vec<(f64, f64)> = (0..self.surface.triangles.len())
            .map(|t| {
                let [a, b, c] = self.surface.corners(t);
                let thickest = self.surface.triangles[t].map(|v| self.thickness[v as usize]);
                (thickest.into_iter().fold(0.0, f64::max), (b - a).cross(c - a).length())
            })
            .collect();
        shares.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = 0.5 * shares.iter().map(|(_, area)| area).sum::<f64>();
        let mut below = 0.0;
        let reached = |(_, area): &&(f64, f64)| {
            below += area;
            below >= half
        };
        shares.iter().find(reached).map_or(f64::INFINITY, |(thickness, _)| *thickness)
    }
}

/// Thickness of the body under each vertex: the least way inwards to the other side from the
/// triangles around it.
fn thickness(surface: &Surface, distance: &SignedDistance) -> Vec<f64> {
    let mut at_vertex = vec![f64::INFINITY; surface.vertices.len()];
    for t in 0..surface.triangles.len() {
        let [a, b, c] = surface.corners(t);
        let inward = -(b - a).cross(c - a).normalize_or_zero();
        // off the triangle itself; 4 is longer than the unit box
        let from = (a + b + c) / 3.0 + 1.0e-6 * inward;
        let way = distance.cast(from, inward, 4.0).unwrap_or(f64::INFINITY);
        for v in surface.triangles[t] {
            at_vertex[v as usize] = at_vertex[v as usize].min(way);
        }
    }
    at_vertex
}
