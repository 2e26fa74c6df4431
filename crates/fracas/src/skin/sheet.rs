//! What is drawn of a sheet: its triangles as they are now, once for each side. Cracks move vertices and flip edges, so all is told in every update.

use super::update::{ClusterMesh, SkinPart, SkinPoint};
use super::{Face, SkinMesh};
use crate::solids::sheet::SheetShape;
use crate::world::Body;
use glam::Vec3;

/// Where texture coordinates begin in the shape's frame and how long they are along x and z, in m. They stay with the places at rest,
/// whatever cracks do to the triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cloth {
    start: Vec3,
    size: Vec3,
}

impl Cloth {
    /// Around the vertices of a mesh.
    pub fn around(vertices: &[[f32; 3]]) -> Self {
        let all = || vertices.iter().map(|&x| Vec3::from(x));
        let start = all().fold(Vec3::INFINITY, Vec3::min);
        let size = all().fold(Vec3::NEG_INFINITY, Vec3::max) - start;
        // what has no width has one texture coordinate
        let size = Vec3::select(size.cmpgt(Vec3::ZERO), size, Vec3::ONE);
        Self { start, size }
    }

    fn uv(&self, rest: Vec3) -> [f32; 2] {
        let share = (rest - self.start) / self.size;
        [share.x, share.z]
    }
}

impl SkinMesh {
    /// Of a sheet. Bound to its body, both sides are drawn as they are, whatever has torn.
    pub fn of_sheet(shape: &SheetShape) -> Self {
        let face = |&corners: &[u32; 3]| Face { corners, owner: corners[0] };
        Self {
            vertices: shape.in_frame().collect(),
            outside: shape.triangles.iter().map(face).collect(),
            ..Self::default()
        }
    }
}

/// Both sides of a sheet, each as far from its particles as others keep off, and the particle of each place by its column.
pub(super) fn mesh(body: &Body, cloth: &Cloth) -> (ClusterMesh, Vec<u32>) {
    let triangles = body.sheet();
    let positions: Vec<Vec3> = body
        .pieces()
        .iter()
        .flat_map(|piece| body.positions(piece).iter().map(|&x| Vec3::from(x)))
        .collect();
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for &corners in triangles {
        let [a, b, c] = corners.map(|j| positions[j as usize]);
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|&j| normals[j as usize] += normal);
    }
    let (mut mesh, mut owners) = (ClusterMesh::default(), Vec::new());
    let rests = body.rest_positions().iter().map(|&rest| cloth.uv(rest.into()));
    for (column, (uv, normal)) in rests.zip(&normals).enumerate() {
        let out = normal.normalize_or(Vec3::Y);
        let half = body.half_thickness(column);
        for side in [out, -out] {
            let place = mesh.places.len() as u32;
            mesh.points.push(SkinPoint { place, normal: side.to_array(), uv });
            mesh.places.push((half * side).to_array());
            owners.push(column as u32);
        }
    }
    for &[a, b, c] in triangles {
        let [p, q, r] = [a, b, c].map(|j| 2 * j);
        mesh.triangles.extend([[p, q, r], [p + 1, r + 1, q + 1]]);
    }
    mesh.parts.push(SkinPart {
        points: 0..mesh.points.len() as u32,
        triangles: 0..mesh.triangles.len() as u32,
        inside: false,
    });
    (mesh, owners)
}
