//! Mean curvature at the vertices of a surface.

use fracas::glam::DVec3;

use super::Surface;

impl Surface {
    /// Mean curvature (κ₁ + κ₂)/2 at each vertex, in 1/m: positive where the surface bulges, 1/r on
    /// a ball of radius r; 0 at vertices that no triangle uses.
    ///
    /// The cotangent Laplacian over mixed Voronoi areas (Meyer, Desbrun, Schröder, Barr, *Discrete
    /// Differential-Geometry Operators for Triangulated 2-Manifolds*, 2003, eq. 8 and fig. 4), along
    /// the normal. At the border of an open surface half of the neighbourhood is missing, so that
    /// the value is only good for a flat one there.
    pub fn mean_curvature(&self) -> Vec<f64> {
        let mut laplacian = vec![DVec3::ZERO; self.vertices.len()];
        let mut normal = vec![DVec3::ZERO; self.vertices.len()];
        let mut area = vec![0.0; self.vertices.len()];
        for t in 0..self.triangles.len() {
            let corners = self.corners(t);
            let vertices = self.triangles[t].map(|v| v as usize);
            let cross = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let double = cross.length();
            if double == 0.0 {
                continue; // no angles
            }
            for k in 0..3 {
                let [x, y, z] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
                let cotangent = (y - x).dot(z - x) / double; // at corner k, opposite y–z
                let [b, c] = [vertices[(k + 1) % 3], vertices[(k + 2) % 3]];
                laplacian[b] += 0.5 * cotangent * (y - z);
                laplacian[c] += 0.5 * cotangent * (z - y);
                normal[vertices[k]] += cross;
                area[vertices[k]] += mixed_area([x, y, z], 0.5 * double);
            }
        }
        let curvature = |v: usize| {
            if area[v] == 0.0 {
                return 0.0;
            }
            0.5 * laplacian[v].dot(normal[v].normalize_or_zero()) / area[v]
        };
        (0..self.vertices.len()).map(curvature).collect()
    }
}

/// The share of a triangle's area that belongs to corner `x`: its Voronoi cell, or, in an obtuse
/// triangle, half at the obtuse corner and a quarter at each other.
fn mixed_area([x, y, z]: [DVec3; 3], area: f64) -> f64 {
    let [at_x, at_y, at_z] =
        [(y - x).dot(z - x), (z - y).dot(x - y), (x - z).dot(y - z)].map(|dot| dot / (2.0 * area));
    if at_x < 0.0 {
        0.5 * area
    } else if at_y < 0.0 || at_z < 0.0 {
        0.25 * area
    } else {
        (x.distance_squared(y) * at_z + x.distance_squared(z) * at_y) / 8.0
    }
}
