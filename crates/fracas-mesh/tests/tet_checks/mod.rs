//! What every mesh of tetrahedra must be, and measures of it.

#![allow(dead_code, reason = "each test file uses its own part")]

use fracas::glam::DVec3;
use fracas_mesh::{Surface, TetMesh};

/// Positive; every face of one or two tetrahedra, and of two only in opposite directions; every edge
/// of the boundary between two faces in opposite directions; all vertices used.
pub fn assert_sound(mesh: &TetMesh) {
    assert!(!mesh.tets.is_empty());
    assert!((0..mesh.tets.len()).all(|tet| mesh.tet_volume(tet) > 0.0));
    let mut used = vec![false; mesh.vertices.len()];
    let mut faces: Vec<([u32; 3], bool)> = Vec::new();
    for &[a, b, c, d] in &mesh.tets {
        for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
            let mut sorted = face;
            sorted.sort_unstable();
            let even = [face, [face[1], face[2], face[0]], [face[2], face[0], face[1]]];
            faces.push((sorted, even.contains(&sorted)));
        }
        for v in [a, b, c, d] {
            used[v as usize] = true;
        }
    }
    assert!(used.into_iter().all(|used| used));
    faces.sort_unstable();
    for same in faces.chunk_by(|a, b| a.0 == b.0) {
        match same {
            [_] => {}
            [(_, one), (_, other)] => assert_ne!(one, other, "two tetrahedra on one side"),
            _ => panic!("{} tetrahedra at a face", same.len()),
        }
    }
    assert_closed(&boundary(mesh).triangles);
}

/// Every edge twice, in opposite directions.
pub fn assert_closed(triangles: &[[u32; 3]]) {
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    assert!(edges.is_sorted_by(|a, b| a < b), "an edge twice in one direction");
    for &[a, b] in &edges {
        assert!(edges.binary_search(&[b, a]).is_ok(), "an open edge");
    }
}

/// The boundary of a mesh.
pub fn boundary(mesh: &TetMesh) -> Surface {
    let triangles = mesh.boundary().into_iter().map(|(face, _)| face).collect();
    Surface { vertices: mesh.vertices.clone(), triangles, ..Surface::default() }
}

/// Least angle between two faces of a tetrahedron, in degrees.
pub fn least_dihedral(mesh: &TetMesh) -> f64 {
    let mut least = f64::INFINITY;
    for tet in 0..mesh.tets.len() {
        let x = mesh.corners(tet);
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let [k, l] = match (i, j) {
                (0, 1) => [2, 3],
                (0, 2) => [1, 3],
                (0, 3) => [1, 2],
                (1, 2) => [0, 3],
                (1, 3) => [0, 2],
                _ => [0, 1],
            };
            let axis = (x[j] - x[i]).normalize();
            let off = |v: DVec3| v - axis * v.dot(axis);
            least = least.min(off(x[k] - x[i]).angle_between(off(x[l] - x[i])));
        }
    }
    least.to_degrees()
}

/// ∫ x xᵀ dV about the origin, as xx, yy, zz, exact for tetrahedra: V/20 (Σ xᵢ² + (Σ xᵢ)²).
pub fn second_moment(mesh: &TetMesh) -> [f64; 3] {
    let mut moment = DVec3::ZERO;
    for tet in 0..mesh.tets.len() {
        let corners = mesh.corners(tet);
        let sum: DVec3 = corners.iter().sum();
        let squares: DVec3 = corners.iter().map(|&x| x * x).sum();
        moment += mesh.tet_volume(tet) / 20.0 * (squares + sum * sum);
    }
    moment.to_array()
}

pub fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error <= tolerance * expected.abs(), "{found} should be {expected}");
}
