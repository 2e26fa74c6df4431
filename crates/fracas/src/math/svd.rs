//! Singular value decomposition of a 3×3 matrix.

use glam::{Mat3, Vec3};

/// A = U diag(s) Vᵀ with proper rotations U and V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd {
    /// Left singular vectors as columns; a rotation.
    pub u: Mat3,
    /// Singular values, |s.x| ≥ |s.y| ≥ |s.z|; only `s.z` may be negative, when det(A) < 0.
    pub s: Vec3,
    /// Right singular vectors as columns; a rotation.
    pub v: Mat3,
}

/// Singular value decomposition with the sign on the smallest value (000.1), in f64 inside.
///
/// Works for every finite matrix: rank deficient, inverted, of any scale. Where singular vectors
/// are free (rank 1 or 0, equal values) a fixed choice is made: U follows V by the shortest turn,
/// so that `diag(1, 0, 0)` and the zero matrix give U = V = I. An entry that is not finite gives
/// U = V = I and s = 0.
pub fn svd(a: &Mat3) -> Svd {
    let Svd64 { u, s, v } = svd_f64(a);
    let columns = |m: [Triple; 3]| Mat3::from_cols_array_2d(&m.map(|c| c.map(|x| x as f32)));
    Svd { u: columns(u), s: Vec3::from_array(s.map(|x| x as f32)), v: columns(v) }
}

/// [`Svd`] before rounding, singular vectors as a list.
pub(super) struct Svd64 {
    pub u: [Triple; 3],
    pub s: Triple,
    pub v: [Triple; 3],
}

/// A vector in f64. glam's f64 types are a feature of glam that nothing else here needs.
pub(super) type Triple = [f64; 3];

fn dot(a: Triple, b: Triple) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Triple, b: Triple) -> Triple {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a x + b y.
fn combine(a: f64, x: Triple, b: f64, y: Triple) -> Triple {
    [a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]]
}

fn length(a: Triple) -> f64 {
    dot(a, a).sqrt()
}

const AXES: [Triple; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// One-sided Jacobi (Hestenes 1958): turns pairs of columns of W = A V until they are orthogonal;
/// then |w_i| are the singular values and w_i/|w_i| the left vectors. It never forms AᵀA, so
/// small singular values keep their digits.
pub(super) fn svd_f64(a: &Mat3) -> Svd64 {
    let scale = a.to_cols_array().iter().fold(0.0f32, |m, x| m.max(x.abs()));
    if !a.is_finite() || scale == 0.0 {
        return Svd64 { u: AXES, s: [0.0; 3], v: AXES };
    }
    let scale = f64::from(scale);
    let a = a.to_cols_array_2d().map(|column| column.map(|x| f64::from(x) / scale));
    let (mut w, mut v) = (a, AXES);

    // Converges quadratically: 4 or 5 sweeps are enough for f64, the last finds nothing to do.
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (1, 2), (0, 2)] {
            turned |= orthogonalize(&mut w, &mut v, p, q);
        }
        if !turned {
            break;
        }
    }

    // Largest first; equal ones keep their order.
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if dot(w[p], w[p]) < dot(w[q], w[q]) {
            w.swap(p, q);
            v.swap(p, q);
        }
    }
    let s = [length(w[0]), length(w[1])];
    v[2] = cross(v[0], v[1]);
    let u0 = w[0].map(|x| x / s[0]);
    let u1 = if s[1] > RANK_ONE * s[0] { w[1].map(|x| x / s[1]) } else { carried(v[0], u0, v[1]) };
    let u2 = cross(u0, u1);
    // s₃ = u₃ᵀ A v₃, which carries the sign of det(A)
    let s2 = (0..3).map(|j| dot(u2, a[j]) * v[2][j]).sum::<f64>();
    Svd64 { u: [u0, u1, u2], s: [s[0] * scale, s[1] * scale, s2 * scale], v }
}

const MAX_SWEEPS: usize = 12;
/// Columns whose cosine is below this are orthogonal to f64.
const ORTHOGONAL: f64 = 1.0e-15;
/// Below this share of the largest, the second singular value is rounding of f64.
const RANK_ONE: f64 = 1.0e-15;

/// Turns columns p and q of W and V in their plane so that w_p · w_q = 0; false if they were.
fn orthogonalize(w: &mut [Triple; 3], v: &mut [Triple; 3], p: usize, q: usize) -> bool {
    let (alpha, beta, gamma) = (dot(w[p], w[p]), dot(w[q], w[q]), dot(w[p], w[q]));
    // Also leaves a column of zeros alone, and products that underflow.
    if gamma.abs() <= ORTHOGONAL * (alpha * beta).sqrt() {
        return false;
    }
    // tan of the angle with cot 2φ = (β − α)/2γ, the smaller of the two
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = 1.0f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    (w[p], w[q]) = (combine(c, w[p], -s, w[q]), combine(s, w[p], c, w[q]));
    (v[p], v[q]) = (combine(c, v[p], -s, v[q]), combine(s, v[p], c, v[q]));
    true
}

/// `x` after the shortest turn that carries the unit vector `from` to the unit vector `to`.
fn carried(from: Triple, to: Triple, x: Triple) -> Triple {
    let (axis, cosine) = (cross(from, to), dot(from, to));
    // Opposite: any half turn does; x ⟂ from stays as it is.
    if cosine < -1.0 + 1.0e-12 {
        return x;
    }
    let t = cross(axis, x);
    let y = combine(1.0, combine(1.0, x, 1.0, t), 1.0 / (1.0 + cosine), cross(axis, t));
    let n = length(y);
    y.map(|y| y / n)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_decomposes(a: Mat3) {
        let Svd { u, s, v } = svd(&a);
        let scale = a.to_cols_array().iter().fold(0.0f32, |m, x| m.max(x.abs()));
        let rebuilt = u * Mat3::from_diagonal(s) * v.transpose();
        assert!(rebuilt.abs_diff_eq(a, 2.0e-6 * scale), "{a} became {rebuilt}");
        for r in [u, v] {
            assert!((r.transpose() * r).abs_diff_eq(Mat3::IDENTITY, 1.0e-6), "{a}: {r}");
            assert!((r.determinant() - 1.0).abs() < 1.0e-6, "{a}: {r}");
        }
        assert!(s.x >= s.y && s.y >= s.z.abs(), "{a}: {s}");
    }

    #[test]
    fn degenerate_matrices_decompose() {
        let x = Vec3::new(0.3, -0.5, 0.8);
        let y = Vec3::new(0.7, 0.1, -0.4);
        let rank_one = Mat3::from_cols(x * y.x, x * y.y, x * y.z);
        let flat = Mat3::from_cols(x, y, x + y);
        for scale in [1.0e-38, 1.0e-20, 1.0, 1.0e20, 1.0e38] {
            for a in [
                Mat3::IDENTITY,
                Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0)),
                Mat3::from_diagonal(Vec3::new(-1.0, -1.0, -1.0)),
                Mat3::from_diagonal(Vec3::new(0.0, 0.0, 1.0)),
                Mat3::from_diagonal(Vec3::new(0.0, -1.0, 0.0)),
                rank_one,
                flat,
                -flat,
            ] {
                assert_decomposes(a * scale);
            }
        }
        assert_decomposes(Mat3::ZERO);
    }

    #[test]
    fn free_directions_follow_the_shortest_turn() {
        let line = svd(&Mat3::from_diagonal(Vec3::X));
        assert_eq!((line.u, line.v), (Mat3::IDENTITY, Mat3::IDENTITY));
        let nothing = svd(&Mat3::ZERO);
        assert_eq!((nothing.u, nothing.s, nothing.v), (Mat3::IDENTITY, Vec3::ZERO, Mat3::IDENTITY));
    }

    #[test]
    fn bad_numbers_give_the_named_fallback() {
        let bad = svd(&Mat3::from_diagonal(Vec3::new(1.0, f32::NAN, 1.0)));
        assert_eq!((bad.u, bad.s, bad.v), (Mat3::IDENTITY, Vec3::ZERO, Mat3::IDENTITY));
    }

    proptest! {
        #[test]
        fn any_matrix_decomposes(e in proptest::array::uniform9(-1.0f32..1.0)) {
            assert_decomposes(Mat3::from_cols_array(&e));
        }
    }
}
