//! Layers of prisms over triangles, cut into tetrahedra.

use fracas::glam::DVec3;

use super::GenerateError;
use crate::tets::TetMesh;

/// The most tetrahedra or triangles a generator makes.
pub const MAX_ELEMENTS: u64 = 10_000_000;

/// `Ok` for so many triangles and layers.
pub(super) fn require_tets(triangles: usize, layers: u32) -> Result<(), GenerateError> {
    if layers == 0 {
        return Err(GenerateError::NoLayers);
    }
    let count = 3 * (triangles as u64).saturating_mul(layers.into());
    if count > MAX_ELEMENTS { Err(GenerateError::TooManyElements { count }) } else { Ok(()) }
}

/// Three tetrahedra for each triangle and layer, triangle by triangle. Vertex v of layer j is
/// j × `vertices` + v; layer 0 lies on the back of the triangles.
///
/// Of the corners in ascending order a < b < c, with a', b', c' above them, the tetrahedra are
/// a b c c', a b b' c' and a a' b' c': the diagonal of each side runs up from its lower corner, so
/// that neighbours agree on it.
pub(super) fn prisms(triangles: &[[u32; 3]], vertices: usize, layers: u32) -> Vec<[u32; 4]> {
    let mut tets = Vec::with_capacity(3 * triangles.len() * layers as usize);
    for &[x, y, z] in triangles {
        let mut corners = [x, y, z];
        corners.sort_unstable();
        let even = corners == [x, y, z] || corners == [y, z, x] || corners == [z, x, y];
        for layer in 0..layers {
            let [a, b, c] = corners.map(|v| layer * vertices as u32 + v);
            let [a_up, b_up, c_up] = [a, b, c].map(|v| v + vertices as u32);
            for mut tet in [[a, b, c, c_up], [a, b, b_up, c_up], [a, a_up, b_up, c_up]] {
                // a b b' c' runs the other way round than its two neighbours
                if even == (tet[2] == b_up && tet[1] == b) {
                    tet.swap(0, 1);
                }
                tets.push(tet);
            }
        }
    }
    tets
}

/// The tetrahedra without volume or turned inside out, counted, and where the first is.
pub(super) fn inverted(mesh: &TetMesh) -> Option<(usize, DVec3)> {
    let mut bad = (0..mesh.tets.len()).filter(|&tet| {
        // A volume that is rounding only: 1e-10 of that of a cube with the longest edge.
        let [a, b, c, d] = mesh.corners(tet);
        let longest = [a - b, a - c, a - d, b - c, b - d, c - d]
            .into_iter()
            .fold(0.0, |longest: f64, edge| longest.max(edge.length()));
        mesh.tet_volume(tet) <= 1.0e-10 * longest.powi(3)
    });
    let first = bad.next()?;
    Some((1 + bad.count(), mesh.centre(first)))
}
