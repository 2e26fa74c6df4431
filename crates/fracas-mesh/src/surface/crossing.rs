//! Where triangles of a surface meet that should not.
//!
//! Pairs whose boxes meet come from parry's tree of boxes; whether the triangles meet is decided
//! exactly, with Shewchuk's predicates (*Adaptive Precision Floating-Point Arithmetic and Fast
//! Robust Geometric Predicates*, 1997), so that neither a tolerance nor the scale matters. Closed
//! triangles are meant: touching counts, but for the corners and edges that a pair shares by place.

use fracas::glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use robust::{Coord, Coord3D, orient2d, orient3d};

use super::Surface;

/// Corners of a triangle.
type Triangle = [DVec3; 3];

/// The search ends at so many pairs: of a heap of triangles in one place, all pairs cross.
pub(super) const MOST_PAIRS: usize = 1000;

/// Pairs of triangles that meet where they should not, the lower number first: all of them, or the
/// first [`MOST_PAIRS`]. All triangles must have an area.
pub(crate) fn crossings(surface: &Surface) -> Vec<[u32; 2]> {
    let boxes: Vec<Aabb> = (0..surface.triangles.len())
        .map(|t| {
            let [a, b, c] = surface.corners(t);
            Aabb::new(a.min(b).min(c), a.max(b).max(c))
        })
        .collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let mut pairs = Vec::new();
    for t in 0..surface.triangles.len() as u32 {
        let corners = surface.corners(t as usize);
        for other in tree.intersect_aabb(&boxes[t as usize]).filter(|&other| other > t) {
            if cross(corners, surface.corners(other as usize)) {
                pairs.push([t, other]);
            }
            if pairs.len() == MOST_PAIRS {
                return pairs;
            }
        }
    }
    pairs
}

/// Whether two triangles meet in more than the corners and the edge that they share.
fn cross(t: Triangle, u: Triangle) -> bool {
    let shared: Vec<(usize, usize)> =
        (0..9).map(|k| (k / 3, k % 3)).filter(|&(i, j)| t[i] == u[j]).collect();
    match *shared.as_slice() {
        [] => {
            !apart(t, u)
                && !apart(u, t)
                && (edges(t).into_iter().any(|edge| hits(edge, u))
                    || edges(u).into_iter().any(|edge| hits(edge, t)))
        }
        // What they have in common is convex and holds the corner. If it holds more, it reaches a
        // side opposite that corner.
        [(i, j)] => hits(opposite(t, i), u) || hits(opposite(u, j), t),
        // Two planes meet in the edge only; in one plane, the triangles must lie on either side.
        [(i, j), (k, l)] => {
            let (apex, other) = (t[3 - i - k], u[3 - j - l]);
            volume(t, other) == 0.0 && {
                let axis = flat_axis(t);
                same_side(side(axis, t[i], t[k], apex), side(axis, t[i], t[k], other))
            }
        }
        _ => true,
    }
}

fn edges([a, b, c]: Triangle) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn opposite(t: Triangle, corner: usize) -> [DVec3; 2] {
    [t[(corner + 1) % 3], t[(corner + 2) % 3]]
}

/// Whether all corners of `t` lie strictly on one side of the plane of `u`.
fn apart(t: Triangle, u: Triangle) -> bool {
    let sides = t.map(|corner| volume(u, corner));
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

/// Whether a segment and a triangle have a point in common.
fn hits([p, q]: [DVec3; 2], t: Triangle) -> bool {
    let (from, to) = (volume(t, p), volume(t, q));
    if from == 0.0 && to == 0.0 {
        return hits_in_plane([p, q], t);
    }
    if same_side(from, to) {
        return false;
    }
    // The line meets the plane inside if it passes all edges on the same side.
    same_sign(edges(t).map(|[a, b]| volume([p, q, a], b)))
}

/// The same in the plane of the triangle.
fn hits_in_plane([p, q]: [DVec3; 2], t: Triangle) -> bool {
    let axis = flat_axis(t);
    same_sign(edges(t).map(|[a, b]| side(axis, a, b, p)))
        || edges(t).into_iter().any(|edge| segments_meet(axis, [p, q], edge))
}

fn segments_meet(axis: usize, [p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    let [pa, pb] = [side(axis, p, q, a), side(axis, p, q, b)];
    let [ap, aq] = [side(axis, a, b, p), side(axis, a, b, q)];
    if [pa, pb, ap, aq] == [0.0; 4] {
        // on one line: they meet if their boxes do
        let overlap =
            |k: usize| p[k].min(q[k]) <= a[k].max(b[k]) && a[k].min(b[k]) <= p[k].max(q[k]);
        return (0..3).all(overlap);
    }
    !same_side(pa, pb) && !same_side(ap, aq)
}

fn same_side(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

fn same_sign(values: [f64; 3]) -> bool {
    values.iter().all(|&x| x >= 0.0) || values.iter().all(|&x| x <= 0.0)
}

/// Exact sign of the volume between a triangle and a point.
fn volume([a, b, c]: Triangle, d: DVec3) -> f64 {
    let coordinate = |x: DVec3| Coord3D { x: x.x, y: x.y, z: x.z };
    orient3d(coordinate(a), coordinate(b), coordinate(c), coordinate(d))
}

/// Exact sign of the area of a triangle seen along an axis.
fn side(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let coordinate = |x: DVec3| Coord { x: x[(axis + 1) % 3], y: x[(axis + 2) % 3] };
    orient2d(coordinate(a), coordinate(b), coordinate(c))
}

/// An axis along which the triangle is seen as large as can be.
fn flat_axis([a, b, c]: Triangle) -> usize {
    let seen = [0, 1, 2].map(|axis| side(axis, a, b, c).abs());
    (0..3).fold(0, |best, axis| if seen[axis] > seen[best] { axis } else { best })
}

/// Whether three points lie exactly on a line.
pub(super) fn collinear([a, b, c]: Triangle) -> bool {
    (0..3).all(|axis| side(axis, a, b, c) == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Whole = [i64; 3];

    /// Whether convex hulls of whole-numbered points meet: by all axes that could part them.
    fn hulls_meet(t: &[Whole], u: &[Whole]) -> bool {
        let edges = |p: &[Whole]| -> Vec<Whole> {
            let pairs = (0..p.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            pairs.map(|(i, j)| minus(p[i], p[j])).collect()
        };
        let (e, f) = (edges(t), edges(u));
        let all: Vec<Whole> = e.iter().chain(&f).copied().collect();
        let normals: Vec<Whole> =
            all.iter().flat_map(|&a| all.iter().map(move |&b| cross_product(a, b))).collect();
        let in_plane = normals.iter().flat_map(|&n| all.iter().map(move |&a| cross_product(n, a)));
        let mut axes = normals.iter().copied().chain(in_plane).chain(all.iter().copied());
        !axes.any(|axis| {
            let range = |p: &[Whole]| {
                let along = p.iter().map(|&x| dot(axis, x));
                (along.clone().min().unwrap(), along.max().unwrap())
            };
            let ((low, high), (lowest, highest)) = (range(t), range(u));
            high < lowest || highest < low
        })
    }

    fn minus(a: Whole, b: Whole) -> Whole {
        [0, 1, 2].map(|k| a[k] - b[k])
    }

    fn cross_product(a: Whole, b: Whole) -> Whole {
        [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
    }

    fn dot(a: Whole, b: Whole) -> i64 {
        (0..3).map(|k| a[k] * b[k]).sum()
    }

    /// The triangle with a small piece cut off at corner k, so that what is left beyond a shared
    /// corner or edge can be asked for.
    fn cut(t: [Whole; 3], off: &[usize]) -> Vec<Whole> {
        const FINE: i64 = 1000;
        let scaled = t.map(|x| x.map(|x| FINE * x));
        let mut left = Vec::new();
        for k in 0..3 {
            if off.contains(&k) {
                for other in (0..3).filter(|other| !off.contains(other)) {
                    let to = minus(t[other], t[k]);
                    left.push([0, 1, 2].map(|i| scaled[k][i] + to[i]));
                }
            } else {
                left.push(scaled[k]);
            }
        }
        left
    }

    /// A few whole coordinates only, so that all special cases come up.
    fn corner() -> impl Strategy<Value = Whole> {
        prop::array::uniform3(0i64..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, max_global_rejects: 20_000, ..Default::default() })]
        #[test]
        fn triangles_cross_as_their_hulls_do(
            t in prop::array::uniform3(corner()),
            u in prop::array::uniform3(corner()),
            share in 0usize..3,
        ) {
            let mut u = u;
            u[..share].copy_from_slice(&t[..share]);
            let place = |t: [Whole; 3]| t.map(|x| DVec3::from(x.map(|x| x as f64)));
            prop_assume!(!collinear(place(t)) && !collinear(place(u)));
            let common = |a: &[Whole; 3], b: &[Whole; 3]| -> Vec<usize> {
                (0..3).filter(|&k| b.contains(&a[k])).collect()
            };
            let (in_t, in_u) = (common(&t, &u), common(&u, &t));
            let expected = match in_t.len() {
                3 => true,
                // cut along the common edge or at the common corner: the rest must be apart
                _ => hulls_meet(&cut(t, &in_t), &cut(u, &[]))
                    || hulls_meet(&cut(u, &in_u), &cut(t, &[])),
            };
            prop_assert_eq!(cross(place(t), place(u)), expected);
            prop_assert_eq!(cross(place(u), place(t)), expected);
        }
    }
}
