//! Signed distance to a closed surface.

use std::f64::consts::TAU;

use fracas::glam::DVec3;
use parry3d_f64::query::{PointQueryWithLocation, Ray, RayCast};
use parry3d_f64::shape::{TriMesh, TriMeshFlags, TrianglePointLocation};

use crate::surface::ClosedSurface;

/// Below this cosine between the way to the foot point and the pseudo-normal there, the side is
/// settled by the winding number: slivers have normals of few digits, and at a knife edge the
/// pseudo-normal is a small difference of large parts.
const CLEAR_COSINE: f64 = 0.2;

/// Distances to a closed surface, negative inside: parry's closest point on a tree of boxes, with
/// the sign from angle-weighted pseudo-normals (Baerentzen & Aanaes, *Signed Distance Computation
/// Using the Angle Weighted Pseudonormal*, TVCG 2005) where these are clear, else from the winding
/// number.
#[derive(Debug)]
pub struct SignedDistance {
    mesh: TriMesh,
    /// Below this distance the way to the foot point is rounding, and so is the side, in m.
    negligible: f64,
}

impl SignedDistance {
    /// Builds the tree. `None` if parry refuses the mesh, which a closed surface gives no reason
    /// for.
    pub fn new(surface: &ClosedSurface) -> Option<Self> {
        let surface = surface.surface();
        Self::of(surface.vertices.clone(), surface.triangles.clone())
    }

    /// The same for bare triangles that are known to be closed.
    pub(crate) fn of(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Option<Self> {
        let mesh = TriMesh::with_flags(vertices, triangles, TriMeshFlags::ORIENTED).ok()?;
        // 2²⁰ times the rounding of coordinates as large as the box
        let negligible = 1.0e-10 * mesh.local_aabb().extents().length();
        Some(Self { mesh, negligible })
    }

    /// Distance of a point, negative inside, in m.
    pub fn at(&self, point: DVec3) -> f64 {
        let (distance, _) = self.project(point);
        distance
    }

    /// Distance of a point, negative inside, and the closest point of the surface.
    pub fn project(&self, point: DVec3) -> (f64, DVec3) {
        let (distance, foot, ..) = self.locate(point);
        (distance, foot)
    }

    /// The same with the triangle of the closest point, and its place there between the corners.
    pub(crate) fn locate(&self, point: DVec3) -> (f64, DVec3, u32, [f64; 3]) {
        let (foot, (triangle, location)) =
            self.mesh.project_local_point_and_get_location(point, false);
        // none within a solid, which a triangle is not
        let between = location.barycentric_coordinates().unwrap_or([1.0 / 3.0; 3]);
        let away = point - foot.point;
        let distance = away.length();
        let normal = self.pseudo_normal(triangle, location);
        if distance == 0.0 {
            return (0.0, foot.point, triangle, between);
        }
        let cosine = away.dot(normal) / (distance * normal.length());
        let inside = if cosine.abs() >= CLEAR_COSINE || distance <= self.negligible {
            cosine < 0.0
        } else {
            self.winding_number(point) > 0.5
        };
        (if inside { -distance } else { distance }, foot.point, triangle, between)
    }

    /// The closest point of the surface, where the side does not matter.
    pub fn foot(&self, point: DVec3) -> DVec3 {
        self.foot_and_triangle(point).0
    }

    /// The same with the triangle of the closest point.
    pub(crate) fn foot_and_triangle(&self, point: DVec3) -> (DVec3, u32) {
        let (foot, (triangle, _)) = self.mesh.project_local_point_and_get_location(point, false);
        (foot.point, triangle)
    }

    /// Way along a ray to the surface, if it is hit within a reach.
    pub(crate) fn cast(&self, from: DVec3, direction: DVec3, reach: f64) -> Option<f64> {
        self.mesh.cast_local_ray(&Ray::new(from, direction), reach, false)
    }

    /// Angle-weighted normal of the face, edge or vertex that a foot point lies on.
    fn pseudo_normal(&self, triangle: u32, location: TrianglePointLocation) -> DVec3 {
        let of_face = || self.mesh.triangle(triangle).scaled_normal();
        let Some(normals) = self.mesh.pseudo_normals() else { return of_face() };
        match location {
            TrianglePointLocation::OnVertex(corner) => {
                let vertex = self.mesh.indices()[triangle as usize][corner as usize];
                normals.vertices_pseudo_normal[vertex as usize]
            }
            TrianglePointLocation::OnEdge(edge, _) => {
                normals.edges_pseudo_normal[triangle as usize][edge as usize]
            }
            TrianglePointLocation::OnFace(..) | TrianglePointLocation::OnSolid => of_face(),
        }
    }

    /// How often the surface winds around a point: 1 inside, 0 outside. Solid angles after van
    /// Oosterom & Strackee, *The Solid Angle of a Plane Triangle*, 1983.
    fn winding_number(&self, point: DVec3) -> f64 {
        let half_angle = |triangle: parry3d_f64::shape::Triangle| {
            let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|x| x - point);
            let [la, lb, lc] = [a.length(), b.length(), c.length()];
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            a.dot(b.cross(c)).atan2(below)
        };
        self.mesh.triangles().map(half_angle).sum::<f64>() / TAU
    }
}
