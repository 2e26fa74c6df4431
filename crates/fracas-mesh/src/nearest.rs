//! Values of a surface at the point of it that is nearest to another.

use fracas::glam::DVec3;
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::TriMesh;

use crate::surface::Surface;

/// Finds the nearest point of a surface, open or closed.
#[derive(Debug)]
pub struct NearestOnSurface<'a> {
    surface: &'a Surface,
    mesh: TriMesh,
}

impl<'a> NearestOnSurface<'a> {
    /// Builds a tree of boxes; `None` without triangles.
    pub fn new(surface: &'a Surface) -> Option<Self> {
        let mesh = TriMesh::new(surface.vertices.clone(), surface.triangles.clone()).ok()?;
        Some(Self { surface, mesh })
    }

    /// Way to the nearest point, in m.
    pub fn distance(&self, point: DVec3) -> f64 {
        let place =
            self.weights(point).map(|(v, weight)| weight * self.surface.vertices[v as usize]);
        place.into_iter().sum::<DVec3>().distance(point)
    }

    /// The three vertices around the nearest point, with their weights.
    pub fn weights(&self, point: DVec3) -> [(u32, f64); 3] {
        let (_, (triangle, place)) = self.mesh.project_local_point_and_get_location(point, false);
        let weights = place.barycentric_coordinates().unwrap_or([1.0 / 3.0; 3]);
        let corners = self.surface.triangles[triangle as usize];
        [0, 1, 2].map(|k| (corners[k], weights[k]))
    }
}
