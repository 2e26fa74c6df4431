//! Which corners of triangles share a normal: sharp edges stay sharp.

use super::SkinMesh;
use super::update::GONE;
use crate::sets::Sets;
use glam::Vec3;

/// Triangles of the outside that meet at a smaller angle than 40° are shaded as one surface: cos 40°.
const SMOOTH: f32 = 0.766_044_4;

/// Crack faces are rough: theirs are one surface below 12° only.
const SMOOTH_INSIDE: f32 = 0.978_147_6;

/// A triangle that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Triangle {
    /// Vertices of the mesh.
    pub vertices: [u32; 3],
    /// Corners with the same number at the same vertex share their normal.
    pub group: [u32; 3],
    /// Index of the outer face that it is, if it is one.
    face: Option<u32>,
    /// The owner it belongs to.
    pub owner: u32,
    /// The owner on its other side; itself on the outside.
    pub across: u32,
}

impl Triangle {
    fn new(vertices: [u32; 3], owner: u32, across: u32) -> Self {
        Self { vertices, group: [0; 3], face: None, owner, across }
    }

    /// Texture coordinates of its corners; 0 where there are none.
    pub fn uvs(&self, mesh: &SkinMesh) -> [[f32; 2]; 3] {
        let own = self.face.and_then(|face| mesh.uvs.get(face as usize));
        own.copied().unwrap_or_default()
    }

    /// Normals of its corners, if they are given.
    fn normals(&self, mesh: &SkinMesh) -> Option<[Vec3; 3]> {
        let own = mesh.normals.get(self.face? as usize)?;
        Some(own.map(Vec3::from))
    }

    /// Whether it is a face between two owners.
    pub fn is_inside(&self) -> bool {
        self.owner != self.across
    }

    /// Along its normal, twice its area long.
    fn area(&self, mesh: &SkinMesh) -> Vec3 {
        let [a, b, c] = self.vertices.map(|v| Vec3::from(mesh.vertices[v as usize]));
        (b - a).cross(c - a)
    }
}

/// All triangles of a mesh, those inside once for each side, by owner, the outside first, then by the owner
/// across; with their groups.
pub(super) fn triangles(mesh: &SkinMesh) -> Vec<Triangle> {
    let mut triangles: Vec<Triangle> =
        mesh.outside.iter().map(|f| Triangle::new(f.corners, f.owner, f.owner)).collect();
    for (triangle, face) in triangles.iter_mut().zip(0..) {
        triangle.face = Some(face);
    }
    for face in &mesh.inside {
        let ([i, j, k], [a, b]) = (face.corners, face.between);
        triangles.push(Triangle::new([i, j, k], a, b));
        if b != GONE {
            triangles.push(Triangle::new([i, k, j], b, a));
        }
    }
    triangles.sort_by_key(|t| (t.owner, t.is_inside(), t.across));
    join_smooth_edges(mesh, &mut triangles);
    join_given(mesh, &mut triangles);
    triangles
}

/// Normals that differ by less than this are one.
const ONE_NORMAL: f32 = 1.0 / 2048.0;

/// Corners of a vertex whose normals are given, and the same, are one group.
fn join_given(mesh: &SkinMesh, triangles: &mut [Triangle]) {
    let mut corners = Vec::new();
    for (t, triangle) in triangles.iter().enumerate() {
        let Some(normals) = triangle.normals(mesh) else { continue };
        for (k, normal) in normals.into_iter().enumerate() {
            let rounded = normal.to_array().map(|x| (x / ONE_NORMAL).round() as i32);
            corners.push(((triangle.vertices[k], rounded), t, k));
        }
    }
    corners.sort_unstable();
    for same in corners.chunk_by(|a, b| a.0 == b.0) {
        let (_, t, k) = same[0];
        for &(_, u, l) in same {
            triangles[u].group[l] = (3 * t + k) as u32;
        }
    }
}

/// Normal of every group, by its number.
pub(super) fn normals(mesh: &SkinMesh, triangles: &[Triangle]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; 3 * triangles.len()];
    for triangle in triangles {
        let areas = triangle.normals(mesh).unwrap_or([triangle.area(mesh); 3]);
        for (group, area) in triangle.group.into_iter().zip(areas) {
            normals[group as usize] += area;
        }
    }
    for normal in &mut normals {
        *normal = normal.normalize_or(Vec3::Y);
    }
    normals
}

/// Corners at both ends of a smooth edge are joined; groups are what hangs together.
fn join_smooth_edges(mesh: &SkinMesh, triangles: &mut [Triangle]) {
    let normals: Vec<Vec3> = triangles.iter().map(|t| t.area(mesh).normalize_or_zero()).collect();
    // an edge between two outer triangles, or between two with the same owners on both sides
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        let sides = triangle.is_inside().then_some([triangle.owner, triangle.across]);
        for k in 0..3 {
            let (a, b) = (triangle.vertices[k], triangle.vertices[(k + 1) % 3]);
            edges.push((([a.min(b), a.max(b)], sides), t, k));
        }
    }
    edges.sort_unstable();
    let corner = |t: usize, k: usize| (3 * t + k % 3) as u32;
    let mut joined = Sets::new(3 * triangles.len());
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        let &[(_, t, k), (_, u, l)] = same else { continue };
        // neighbours run along their edge in opposite directions
        let opposite = triangles[t].vertices[k] == triangles[u].vertices[(l + 1) % 3];
        let smooth = if triangles[t].is_inside() { SMOOTH_INSIDE } else { SMOOTH };
        if opposite && normals[t].dot(normals[u]) >= smooth {
            joined.join(corner(t, k), corner(u, l + 1));
            joined.join(corner(t, k + 1), corner(u, l));
        }
    }
    for (t, triangle) in triangles.iter_mut().enumerate() {
        triangle.group = [0, 1, 2].map(|k| joined.find(corner(t, k)));
    }
}
