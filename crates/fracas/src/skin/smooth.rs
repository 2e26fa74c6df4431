//! Which corners of triangles share a normal: sharp edges stay sharp.

use super::SkinMesh;
use glam::Vec3;

/// Triangles that meet at a smaller angle than 40° are shaded as one surface: cos 40°.
const SMOOTH: f32 = 0.766_044_4;

/// A triangle that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Triangle {
    /// Vertices of the mesh.
    pub vertices: [u32; 3],
    /// Corners with the same number at the same vertex share their normal.
    pub group: [u32; 3],
    /// The particle it belongs to.
    pub owner: u32,
    /// The particle on its other side; itself on the outside.
    pub across: u32,
}

impl Triangle {
    fn new(vertices: [u32; 3], owner: u32, across: u32) -> Self {
        Self { vertices, group: [0; 3], owner, across }
    }

    /// Whether it is a face between two particles.
    pub fn is_inside(&self) -> bool {
        self.owner != self.across
    }

    fn normal(&self, mesh: &SkinMesh) -> Vec3 {
        let [a, b, c] = self.vertices.map(|v| Vec3::from(mesh.vertices[v as usize]));
        (b - a).cross(c - a).normalize_or_zero()
    }
}

/// All triangles of a mesh, those inside once for each side, with their groups.
pub(super) fn triangles(mesh: &SkinMesh) -> Vec<Triangle> {
    let mut triangles: Vec<Triangle> =
        mesh.outside.iter().map(|f| Triangle::new(f.corners, f.owner, f.owner)).collect();
    for face in &mesh.inside {
        let ([i, j, k], [a, b]) = (face.corners, face.between);
        triangles.push(Triangle::new([i, j, k], a, b));
        triangles.push(Triangle::new([i, k, j], b, a));
    }
    join_smooth_edges(mesh, &mut triangles);
    triangles
}

/// Corners at both ends of a smooth edge are joined; groups are what hangs together.
fn join_smooth_edges(mesh: &SkinMesh, triangles: &mut [Triangle]) {
    let normals: Vec<Vec3> = triangles.iter().map(|t| t.normal(mesh)).collect();
    // an edge between two outer triangles, or between two with the same particles on both sides
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        let sides = triangle.is_inside().then_some([triangle.owner, triangle.across]);
        for k in 0..3 {
            let (a, b) = (triangle.vertices[k], triangle.vertices[(k + 1) % 3]);
            edges.push((([a.min(b), a.max(b)], sides), t, k));
        }
    }
    edges.sort_unstable();
    let mut joined: Vec<u32> = (0..3 * triangles.len() as u32).collect();
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        let &[(_, t, k), (_, u, l)] = same else { continue };
        // neighbours run along their edge in opposite directions
        let opposite = triangles[t].vertices[k] == triangles[u].vertices[(l + 1) % 3];
        if opposite && normals[t].dot(normals[u]) >= SMOOTH {
            join(&mut joined, 3 * t + k, 3 * u + (l + 1) % 3);
            join(&mut joined, 3 * t + (k + 1) % 3, 3 * u + l);
        }
    }
    for (t, triangle) in triangles.iter_mut().enumerate() {
        triangle.group = [0, 1, 2].map(|k| root(&mut joined, 3 * t + k) as u32);
    }
}

/// The lowest corner that a corner is joined to, with the way there shortened.
fn root(joined: &mut [u32], mut corner: usize) -> usize {
    while joined[corner] as usize != corner {
        joined[corner] = joined[joined[corner] as usize];
        corner = joined[corner] as usize;
    }
    corner
}

fn join(joined: &mut [u32], a: usize, b: usize) {
    let (a, b) = (root(joined, a), root(joined, b));
    joined[a.max(b)] = a.min(b) as u32;
}
