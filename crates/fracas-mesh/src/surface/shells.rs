//! Closed parts of a surface, and which lies inside which.

use fracas::glam::DVec3;

use super::Surface;
use super::edges::{by_edge, sides};

/// A part of a surface that hangs together.
pub(super) struct Shell {
    pub triangles: Vec<u32>,
    /// Enclosed volume, in m³: below 0 if the triangles face inwards. 0 if it is open.
    pub volume: f64,
    /// How many others it lies in.
    pub depth: usize,
    /// The outermost of those, or itself.
    pub root: usize,
}

/// The parts of a surface.
pub(super) fn shells(surface: &Surface) -> Vec<Shell> {
    let mut open = vec![false; surface.triangles.len()];
    for same in by_edge(&sides(&surface.triangles)) {
        let closed = matches!(same, [a, b] if a.forward != b.forward);
        for side in same {
            open[side.triangle as usize] |= !closed;
        }
    }
    let parts = surface.components();
    let closed: Vec<bool> =
        parts.iter().map(|part| !part.iter().any(|&t| open[t as usize])).collect();
    let boxes: Vec<[DVec3; 2]> = parts.iter().map(|part| bounds(surface, part)).collect();

    // A part that does not cross another lies inside it with all its points, or with none; corners
    // may touch it, the middle of a triangle does not.
    let inside = |i: usize, j: usize| {
        let ([low, high], [lowest, highest]) = (boxes[i], boxes[j]);
        i != j
            && closed[i]
            && low.cmpge(lowest).all()
            && high.cmple(highest).all()
            && winding(surface, &parts[j], surface.centre(parts[i][0] as usize)).abs() > 0.5
    };
    let solid: Vec<usize> = (0..parts.len()).filter(|&i| closed[i]).collect();
    let around: Vec<Vec<usize>> = (0..parts.len())
        .map(|i| solid.iter().copied().filter(|&j| inside(i, j)).collect())
        .collect();
    let root = |i: usize| around[i].iter().copied().find(|&j| around[j].is_empty()).unwrap_or(i);
    let roots: Vec<usize> = (0..parts.len()).map(root).collect();
    let shell = |(i, triangles): (usize, Vec<u32>)| Shell {
        volume: if closed[i] { volume(surface, &triangles) } else { 0.0 },
        triangles,
        depth: around[i].len(),
        root: roots[i],
    };
    parts.into_iter().enumerate().map(shell).collect()
}

fn bounds(surface: &Surface, part: &[u32]) -> [DVec3; 2] {
    let first = surface.corners(part[0] as usize)[0];
    let corners = part.iter().flat_map(|&t| surface.corners(t as usize));
    corners.fold([first; 2], |[low, high], x| [low.min(x), high.max(x)])
}

fn volume(surface: &Surface, part: &[u32]) -> f64 {
    let origin = surface.corners(part[0] as usize)[0];
    let signed = |&t: &u32| {
        let [a, b, c] = surface.corners(t as usize).map(|x| x - origin);
        a.dot(b.cross(c)) / 6.0
    };
    part.iter().map(signed).sum()
}

/// How many times a closed part goes around a point: the sum of the solid angles of its triangles
/// (Van Oosterom & Strackee, *The Solid Angle of a Plane Triangle*, 1983) over that of a sphere.
/// Unlike the crossings of a ray it has no special cases.
fn winding(surface: &Surface, part: &[u32], point: DVec3) -> f64 {
    let half_angle = |&t: &u32| {
        let [a, b, c] = surface.corners(t as usize).map(|x| x - point);
        let [la, lb, lc] = [a.length(), b.length(), c.length()];
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        a.dot(b.cross(c)).atan2(below)
    };
    part.iter().map(half_angle).sum::<f64>() / std::f64::consts::TAU
}
