//! Polygons as triangles.

use fracas::glam::{DVec2, DVec3};

/// Concave polygons with more corners are refused: clipping ears takes up to the cube of them.
pub(super) const MOST_CONCAVE_CORNERS: usize = 128;

/// A concave polygon with more corners than [`MOST_CONCAVE_CORNERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the face is concave and has {0} corners, but at most {MOST_CONCAVE_CORNERS} can be split; \
     export triangles"
)]
pub(super) struct TooManyCorners(usize);

/// Splits a polygon of `n` ≥ 3 corners at `point(0)`, …, `point(n − 1)` into n − 2 triangles wound
/// like it: the fan around the first corner where that covers the polygon, as it does for every
/// convex one, else by clipping ears in the plane of the polygon.
pub(super) fn triangulate(
    n: usize,
    point: impl Fn(usize) -> DVec3,
    mut give: impl FnMut([usize; 3]),
) -> Result<(), TooManyCorners> {
    if n > 3 && !fan_covers(n, &point) {
        if n > MOST_CONCAVE_CORNERS {
            return Err(TooManyCorners(n));
        }
        let points: Vec<DVec3> = (0..n).map(point).collect();
        clip_ears(&points, give);
        return Ok(());
    }
    (2..n).for_each(|k| give([0, k - 1, k]));
    Ok(())
}

/// Twice the area of the polygon times its normal (Newell): a sum over the triangles of any fan.
fn area_vector(n: usize, point: &impl Fn(usize) -> DVec3) -> DVec3 {
    let origin = point(0);
    (2..n).map(|k| (point(k - 1) - origin).cross(point(k) - origin)).sum()
}

fn fan_covers(n: usize, point: &impl Fn(usize) -> DVec3) -> bool {
    let (origin, normal) = (point(0), area_vector(n, point));
    (2..n).all(|k| (point(k - 1) - origin).cross(point(k) - origin).dot(normal) >= 0.0)
}

/// Cuts off one corner after the other that is convex and holds no other corner. A polygon that
/// crosses itself may run out of such corners; the rest becomes a fan, for the checks of surfaces
/// to judge.
fn clip_ears(points: &[DVec3], mut give: impl FnMut([usize; 3])) {
    let normal = area_vector(points.len(), &|k| points[k]);
    // Seen along the axis that the normal is nearest to, from the side it points to.
    let [x, y, z] = normal.abs().to_array();
    let (u, v, w) = match () {
        () if x >= y && x >= z => (1, 2, 0),
        () if y >= z => (2, 0, 1),
        () => (0, 1, 2),
    };
    let (u, v) = if normal[w] < 0.0 { (v, u) } else { (u, v) };
    let flat: Vec<DVec2> = points.iter().map(|p| DVec2::new(p[u], p[v])).collect();
    let side = |a: usize, b: usize, c: usize| (flat[b] - flat[a]).perp_dot(flat[c] - flat[a]);
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut at = 0;
    let mut refused = 0;
    while left.len() > 3 && refused < left.len() {
        let n = left.len();
        let [a, b, c] = [left[at % n], left[(at + 1) % n], left[(at + 2) % n]];
        let holds = |&p: &usize| {
            let inside = side(a, b, p) >= 0.0 && side(b, c, p) >= 0.0 && side(c, a, p) >= 0.0;
            inside && [a, b, c].iter().all(|&corner| flat[p] != flat[corner])
        };
        if side(a, b, c) > 0.0 && !left.iter().any(holds) {
            give([a, b, c]);
            left.remove((at + 1) % n);
            refused = 0;
        } else {
            refused += 1;
        }
        at = (at + 1) % left.len();
    }
    (2..left.len()).for_each(|k| give([left[0], left[k - 1], left[k]]));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(points: &[DVec3]) -> Vec<[usize; 3]> {
        let mut triangles = Vec::new();
        triangulate(points.len(), |k| points[k], |t| triangles.push(t)).unwrap();
        triangles
    }

    /// Twice the area of a triangle, signed along +z.
    fn area(points: &[DVec3], [a, b, c]: [usize; 3]) -> f64 {
        (points[b] - points[a]).cross(points[c] - points[a]).z
    }

    #[test]
    fn convex_polygons_become_fans() {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let square = square.map(|(x, y)| DVec3::new(x, y, 0.0));
        assert_eq!(split(&square), [[0, 1, 2], [0, 2, 3]]);
    }

    /// All triangles wound like the polygon and their areas adding up to its own: no overlap.
    #[test]
    fn concave_polygons_are_covered_once() {
        let arrow = [(0.0, 0.0), (2.0, 1.0), (0.0, 2.0), (1.0, 1.0)];
        let comb = [
            (0.0, 0.0),
            (7.0, 0.0),
            (7.0, 3.0),
            (6.0, 3.0),
            (6.0, 1.0),
            (5.0, 1.0),
            (5.0, 3.0),
            (4.0, 3.0),
            (4.0, 1.0),
            (3.0, 1.0),
            (3.0, 3.0),
            (2.0, 3.0),
            (2.0, 1.0),
            (0.0, 1.0),
        ];
        for outline in [&arrow[..], &comb[..]] {
            for start in 0..outline.len() {
                let mut points: Vec<_> =
                    outline.iter().map(|&(x, y)| DVec3::new(x, y, 0.0)).collect();
                points.rotate_left(start);
                assert_turns_keep(&points);
                let n = points.len();
                let whole: f64 = (0..n).map(|k| points[k].cross(points[(k + 1) % n]).z).sum();
                let triangles = split(&points);
                assert_eq!(triangles.len(), n - 2);
                assert!(triangles.iter().all(|&t| area(&points, t) >= 0.0), "start {start}");
                let sum: f64 = triangles.iter().map(|&t| area(&points, t)).sum();
                assert!((sum - whole).abs() < 1e-12, "{sum} of {whole}, start {start}");
            }
        }
    }

    /// However the polygon lies in space, it is split at the same places.
    fn assert_turns_keep(points: &[DVec3]) {
        let triangles = split(points);
        let turns: [fn(DVec3) -> DVec3; 5] = [
            |p| DVec3::new(p.z, p.x, p.y),
            |p| DVec3::new(p.y, p.z, p.x),
            |p| DVec3::new(p.x, -p.y, -p.z),
            |p| DVec3::new(-p.z, p.y, p.x),
            |p| DVec3::new(p.x, p.z, -p.y),
        ];
        for turn in turns {
            let turned: Vec<_> = points.iter().map(|&p| turn(p)).collect();
            assert_eq!(split(&turned), triangles);
        }
    }

    #[test]
    fn a_huge_concave_polygon_is_refused() {
        let star = |k: usize| {
            let (radius, angle) = (1.0 + (k % 2) as f64, k as f64 / 200.0 * std::f64::consts::TAU);
            radius * DVec3::new(angle.cos(), angle.sin(), 0.0)
        };
        assert_eq!(triangulate(200, star, |_| ()), Err(TooManyCorners(200)));
    }
}
