//! Convex hulls of points, after Barber, Dobkin and Huhdanpaa, *The Quickhull Algorithm for Convex
//! Hulls*, 1996: of a face with points outside the farthest is added, and the faces that see it
//! are replaced by the cone from their rim.
//!
//! A point less than `tolerance` above all faces is inside: coplanar points never make slivers.

use super::ShapeError;
use glam::DVec3;

/// A triangle of the growing hull.
struct Side {
    corners: [usize; 3],
    normal: DVec3,
    offset: f64,
    outside: Vec<usize>,
}

impl Side {
    fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// Triangles of the hull, counter-clockwise from outside, as indices into `points`.
pub(super) fn triangles(points: &[DVec3]) -> Result<Vec<[usize; 3]>, ShapeError> {
    let extent = extent(points);
    let first = first_tetrahedron(points, extent)?;
    // Rounding can only spoil hulls of points that are nearly coplanar; a coarser eye sees them so.
    for tolerance in [1.0e-7, 1.0e-6, 1.0e-5, 1.0e-4] {
        let found = grow(points, first, tolerance * extent);
        if is_closed(&found) {
            return Ok(found);
        }
    }
    Err(ShapeError::Flat {
        count: points.len(),
        what: "a plane",
        thickness: extent as f32 * 1.0e-4,
    })
}

/// The largest side of the box around the points.
fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().fold(DVec3::INFINITY, |m, p| m.min(*p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |m, p| m.max(*p));
    (high - low).max_element()
}

/// Index and value of the largest; the first of equals.
fn largest(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, value) in values.enumerate() {
        if value > best.1 {
            best = (i, value);
        }
    }
    best
}

/// Four points far apart, positively oriented, or why there are none.
fn first_tetrahedron(points: &[DVec3], extent: f64) -> Result<[usize; 4], ShapeError> {
    // Thinner than this, normals would be made of the rounding of f32 coordinates.
    let thin = 1.0e-4 * extent;
    let flat = |what, thickness: f64| {
        Err(ShapeError::Flat { count: points.len(), what, thickness: thickness as f32 })
    };
    if points.is_empty() || extent <= 1.0e-6 {
        return flat("one point", extent.max(0.0));
    }
    let (a, _) = largest(points.iter().map(|p| -(p.x + p.y + p.z)));
    let (b, _) = largest(points.iter().map(|p| p.distance_squared(points[a])));
    let axis = (points[b] - points[a]).normalize();
    let (c, width) = largest(points.iter().map(|p| (*p - points[a]).cross(axis).length()));
    if width <= thin {
        return flat("a line", width);
    }
    let normal = axis.cross(points[c] - points[a]).normalize();
    let (d, thickness) = largest(points.iter().map(|p| normal.dot(*p - points[a]).abs()));
    if thickness <= thin {
        return flat("a plane", thickness);
    }
    let up = normal.dot(points[d] - points[a]) > 0.0;
    Ok(if up { [a, c, b, d] } else { [a, b, c, d] })
}

fn grow(points: &[DVec3], [a, b, c, d]: [usize; 4], tolerance: f64) -> Vec<[usize; 3]> {
    let side = |corners: [usize; 3]| {
        let [p, q, r] = corners.map(|i| points[i]);
        let normal = (q - p).cross(r - p).normalize_or_zero();
        Side { corners, normal, offset: normal.dot(p), outside: Vec::new() }
    };
    let assign = |sides: &mut [Side], candidates: &mut dyn Iterator<Item = usize>| {
        for i in candidates {
            let (best, height) = largest(sides.iter().map(|s| s.height(points[i])));
            if height > tolerance {
                sides[best].outside.push(i);
            }
        }
    };
    // the fourth point is above the plane of a, c, b seen the other way round
    let mut sides: Vec<Side> = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]].map(side).into();
    assign(&mut sides, &mut (0..points.len()));
    while let Some(k) = sides.iter().position(|s| !s.outside.is_empty()) {
        let (farthest, _) = largest(sides[k].outside.iter().map(|&i| sides[k].height(points[i])));
        let apex = sides[k].outside[farthest];
        let (seen, kept): (Vec<Side>, Vec<Side>) =
            sides.into_iter().partition(|s| s.height(points[apex]) > tolerance);
        let mut edges: Vec<[usize; 2]> = seen
            .iter()
            .flat_map(|s| [0, 1, 2].map(|e| [s.corners[e], s.corners[(e + 1) % 3]]))
            .collect();
        edges.sort_unstable();
        let rim = edges.iter().filter(|&&[u, v]| edges.binary_search(&[v, u]).is_err());
        let mut cone: Vec<Side> = rim.map(|&[u, v]| side([u, v, apex])).collect();
        let mut orphans = seen.into_iter().flat_map(|s| s.outside).filter(|&i| i != apex);
        assign(&mut cone, &mut orphans);
        sides = kept;
        sides.append(&mut cone);
    }
    sides.into_iter().map(|s| s.corners).collect()
}

/// Whether every edge has one triangle on either side, and Euler's V − E + F = 2 holds.
fn is_closed(triangles: &[[usize; 3]]) -> bool {
    let mut edges: Vec<[usize; 2]> =
        triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
    edges.sort_unstable();
    let mut vertices: Vec<usize> = edges.iter().map(|e| e[0]).collect();
    vertices.dedup();
    edges.windows(2).all(|w| w[0] != w[1])
        && edges.iter().all(|&[u, v]| edges.binary_search(&[v, u]).is_ok())
        && vertices.len() + triangles.len() == edges.len() / 2 + 2
}
