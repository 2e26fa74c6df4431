//! Optimal stretch of a group (seed 000 sec. 3.1), and bounds that often make it unnecessary.

use glam::Mat3;

use super::wide::{Lane, WideMat3, WideSym3};
use super::{Rot, Sym3, ops, svd};

/// The symmetric stretch S that, after the rotation R, maps the rest shape best: 000 eq. 8.
///
/// `a_qq` is the second moment A of the rest shape, `m` = Rᵀ A_pq. S minimises
/// Σ m_i |R S q_i − p_i|² and solves the Lyapunov equation
///
/// ```text
/// A S + S A = M + Mᵀ                                   000 eq. 6, optimal for any R: erratum 000.3
/// K = (M − A) A⁻¹,   l = −(tr(A⁻¹) I − A⁻¹)⁻¹ axial(K − Kᵀ),   S = I + K + [l]× A⁻¹
/// ```
///
/// The seed solves it by an eigen-decomposition of A; here S A − M = \[l\]× (000 eq. 4) is
/// multiplied by A⁻¹ and S = Sᵀ demanded, where \[l\]× A⁻¹ + A⁻¹ \[l\]× = \[(tr(A⁻¹) I − A⁻¹) l\]×.
/// S = I solves it for M = A, so only the rest M − A is solved for: rounding, enlarged by the
/// condition of A, is then relative to the strain, and an undeformed group reads I exactly.
///
/// A must be positive definite (erratum 000.4): where its smallest eigenvalue is below about 1e-6
/// of the largest, in f32 rounding, the result is I. Flat and collinear groups of points have such
/// an A: use [`undiluted_stretch`].
pub fn optimal_stretch(a_qq: &Sym3, m: &Mat3) -> Sym3 {
    optimal_stretch_lanes(&WideSym3::from(*a_qq), &WideMat3::from(*m)).into()
}

/// Smallest λ_min/λ_max of A_qq for which a stretch is computed; f32 rounding is 1e-7.
const MIN_CONDITION: f32 = 1.0e-6;

/// [`optimal_stretch`](super::optimal_stretch) for every lane.
#[inline(always)]
pub fn optimal_stretch_lanes<T: Lane>(a_qq: &WideSym3<T>, m: &WideMat3<T>) -> WideSym3<T> {
    let largest = a_qq.max_abs();
    let (zero, one) = (largest.constant(0.0), largest.constant(1.0));
    // A zero matrix turns into NaN here and gives I below.
    let scale = one / largest;
    let a = *a_qq * scale;
    let adjugate = a.adjugate();
    let determinant = a.determinant(&adjugate);
    let leading = T::both(a.xx.gt(zero), adjugate.zz.gt(zero));
    // λ_min ≈ det / ‖adj‖
    let conditioned = determinant.gt(largest.constant(MIN_CONDITION) * adjugate.max_abs());
    let definite = T::both(leading, conditioned);

    let inverse = adjugate * (one / determinant);
    let g = inverse.trace_minus();
    let g_adjugate = g.adjugate();
    let spin = g_adjugate * (one / g.determinant(&g_adjugate));
    let s = stretch_with_basis_lanes(&a, &inverse, &spin, &(*m * scale));
    WideSym3::select(definite, s, WideSym3::diagonal(one))
}

/// The constants of [`optimal_stretch`] that depend on the rest shape only; computed in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchBasis {
    /// The second moment A itself.
    pub moment: Sym3,
    /// A⁻¹.
    pub inverse: Sym3,
    /// (tr(A⁻¹) I − A⁻¹)⁻¹.
    pub spin: Sym3,
    /// Smallest eigenvalue of A, for [`stretch_bound`].
    pub lambda_min: f32,
}

impl StretchBasis {
    /// From the second moment A of the rest shape; `None` unless A is positive definite and its
    /// inverse fits into f32.
    pub fn new(a_qq: &Sym3) -> Option<Self> {
        let inverse = a_qq.inverse()?;
        // Sylvester's criterion; the last singular value carries the sign of det(A)
        let [xx, yy, xy] = [a_qq.xx, a_qq.yy, a_qq.xy].map(f64::from);
        let lambda_min = svd::svd_f64(&a_qq.to_mat3()).s[2] as f32;
        let definite = xx > 0.0 && xx * yy > xy * xy && lambda_min > 0.0;
        let spin = Sym3::from(WideSym3::from(inverse).trace_minus()).inverse()?;
        definite.then_some(Self { moment: *a_qq, inverse, spin, lambda_min })
    }

    /// [`optimal_stretch`] of `m` = Rᵀ A_pq.
    #[inline]
    pub fn stretch(&self, m: &Mat3) -> Sym3 {
        let [moment, inverse, spin] = [self.moment, self.inverse, self.spin].map(WideSym3::from);
        stretch_with_basis_lanes(&moment, &inverse, &spin, &WideMat3::from(*m)).into()
    }
}

/// [`StretchBasis::stretch`](super::StretchBasis::stretch) for every lane: `moment`, `inverse` and
/// `spin` are fields of the basis, `m` = Rᵀ A_pq.
#[inline(always)]
pub fn stretch_with_basis_lanes<T: Lane>(
    moment: &WideSym3<T>,
    inverse: &WideSym3<T>,
    spin: &WideSym3<T>,
    m: &WideMat3<T>,
) -> WideSym3<T> {
    let full = inverse.to_mat3();
    let k = (*m - moment.to_mat3()) * full;
    let minus_l = *spin * k.axial();
    // [l]× A⁻¹ column by column; the sum is symmetric up to rounding
    let strain = WideMat3 {
        x_axis: k.x_axis - minus_l.cross(full.x_axis),
        y_axis: k.y_axis - minus_l.cross(full.y_axis),
        z_axis: k.z_axis - minus_l.cross(full.z_axis),
    };
    strain.symmetric_part() + WideSym3::diagonal(moment.xx.constant(1.0))
}

/// Stretch measured from positions alone, erratum 000.7.
///
/// Ellipsoids turn but do not stretch, so with them in the moments the stretch is diluted (1.2
/// reads 1.17). R comes from the full matrices, S from the position parts P of A_qq and B of A_pq:
///
/// ```text
/// (P + eI) S + S (P + eI) = RᵀB + BᵀR + 2eI,   e = 1e-3 tr P / 3
/// ```
///
/// A direction in which the group has no extent gets stretch 1; a group of one particle, P = 0,
/// gets S = I.
pub fn undiluted_stretch(p: &Sym3, b: &Mat3, r: Rot) -> Sym3 {
    let e = 1.0e-3 * p.trace() / 3.0;
    let a = *p + Sym3::IDENTITY * e;
    let m = r.to_mat3().transpose() * *b + Mat3::from_diagonal(glam::Vec3::splat(e));
    optimal_stretch(&a, &m)
}

/// Upper bound of ‖S − I‖_F without computing S, from A(S − I) + (S − I)A = 2 (sym M − A):
///
/// ```text
/// ‖S − I‖_F ≤ ‖sym M − A‖_F / λ_min(A)
/// ```
///
/// Every eigenvalue of S is then within this of 1. Compare with [`largest_safe_deviation`] to
/// skip groups that cannot have reached a strain limit.
#[inline]
pub fn stretch_bound(a_qq: &Sym3, m: &Mat3, lambda_min: f32) -> f32 {
    stretch_bound_lanes(&WideSym3::from(*a_qq), &WideMat3::from(*m), lambda_min)
}

/// [`stretch_bound`](super::stretch_bound) for every lane.
#[inline(always)]
pub fn stretch_bound_lanes<T: Lane>(a_qq: &WideSym3<T>, m: &WideMat3<T>, lambda_min: T) -> T {
    // Divided first: squares of small moments would vanish.
    let deviation = (m.symmetric_part() - *a_qq) * (lambda_min.constant(1.0) / lambda_min);
    deviation.norm_squared().sqrt()
}

/// Largest ‖S − I‖ at which no |log λ| can exceed `strain`: 1 − e^(−strain).
///
/// In compression log(1 − b) is farther from 0 than log(1 + b), so this side decides.
#[inline]
pub fn largest_safe_deviation(strain: f32) -> f32 {
    -ops::exp_m1(-strain)
}

/// Lower and upper bound of the eigenvalues of S, without an eigen-decomposition:
///
/// ```text
/// m − p ≤ λ ≤ m + p,   m = tr S / 3,   p = √(2/3) ‖S − mI‖_F
/// ```
///
/// Tight for uniaxial stretch (upper) and compression (lower).
#[inline]
pub fn eigenvalue_bounds(s: &Sym3) -> (f32, f32) {
    eigenvalue_bounds_lanes(&WideSym3::from(*s))
}

/// [`eigenvalue_bounds`](super::eigenvalue_bounds) for every lane.
#[inline(always)]
pub fn eigenvalue_bounds_lanes<T: Lane>(s: &WideSym3<T>) -> (T, T) {
    let mean = s.trace() * s.xx.constant(1.0 / 3.0);
    let deviator = *s - WideSym3::diagonal(mean);
    let two_thirds = mean.constant(2.0 / 3.0);
    let p = (two_thirds * deviator.norm_squared()).sqrt();
    (mean - p, mean + p)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use glam::Vec3;
    use nalgebra::Matrix3;
    use proptest::prelude::*;

    use super::*;
    use crate::math::{rotation, symmetric_eigen};

    fn near(a: Sym3, b: Sym3, tolerance: f32) -> bool {
        (a - b).to_array().iter().all(|x| x.abs() <= tolerance)
    }

    fn in_f64(a: &Mat3) -> Matrix3<f64> {
        Matrix3::from_column_slice(&a.to_cols_array().map(f64::from))
    }

    /// 000 eq. 8 as printed: S = V ((Vᵀ N V) ∘ 2/(λ_i + λ_j)) Vᵀ with A = V Λ Vᵀ, N = sym M.
    fn by_eigen_decomposition(a: &Sym3, m: &Mat3) -> Matrix3<f64> {
        let m = in_f64(m);
        let n = (m + m.transpose()) * 0.5;
        let eigen = in_f64(&a.to_mat3()).symmetric_eigen();
        let (v, l) = (eigen.eigenvectors, eigen.eigenvalues);
        let mut s = v.transpose() * n * v;
        for i in 0..3 {
            for j in 0..3 {
                s[(i, j)] *= 2.0 / (l[i] + l[j]);
            }
        }
        v * s * v.transpose()
    }

    /// The box of oracle 000.2: corners (±1, ±½, ±½), stretched 1.5 along (1, 1, 0).
    fn inset() -> (Sym3, Mat3) {
        let a_qq = Sym3::from_diagonal(Vec3::new(8.0, 2.0, 2.0));
        let a_pq = Mat3::from_cols(
            Vec3::new(10.0, 2.0, 0.0),
            Vec3::new(0.5, 2.5, 0.0),
            Vec3::new(0.0, 0.0, 2.0),
        );
        (a_qq, a_pq)
    }

    /// Σ |R S q − p|² over the corners of the box, p = U q, divided by nothing.
    fn residual_energy(r: Mat3, s: Mat3) -> f64 {
        let u = Mat3::from_cols(Vec3::new(1.25, 0.25, 0.0), Vec3::new(0.25, 1.25, 0.0), Vec3::Z);
        let mut sum = 0.0;
        for corner in 0..8 {
            let sign = |bit: i32| if corner & bit == 0 { 1.0 } else { -1.0 };
            let q = Vec3::new(sign(1), 0.5 * sign(2), 0.5 * sign(4));
            sum += f64::from((r * (s * q) - u * q).length_squared());
        }
        sum
    }

    /// Oracle of 000.2 (000-A), with its eigenvalues and residual energies.
    #[test]
    fn sheared_box_has_the_printed_stretch() {
        let (a_qq, a_pq) = inset();
        let r = rotation(&a_pq).to_mat3();
        let s = optimal_stretch(&a_qq, &(r.transpose() * a_pq));
        let expected =
            Sym3 { xx: 1.270_882_4, yy: 1.211_309_7, zz: 1.0, xy: 0.158_860_3, ..Sym3::ZERO };
        assert!(near(s, expected, 2.0e-6), "{s:?}");
        let (values, _) = symmetric_eigen(&s);
        for (value, printed) in values.into_iter().zip([1.402_724_7, 1.079_467_4, 1.0]) {
            assert!((value - printed).abs() < 2.0e-6, "{values:?}");
        }
        assert!((residual_energy(r, s.to_mat3()) - 0.141_955_836).abs() < 2.0e-6);
        let u = Mat3::from_cols(Vec3::new(1.25, 0.25, 0.0), Vec3::new(0.25, 1.25, 0.0), Vec3::Z);
        let naive = Sym3::from_mat3(&(r.transpose() * u)).to_mat3();
        assert!((residual_energy(r, naive) - 0.221_805_994).abs() < 2.0e-6);
    }

    /// 000 sec. 3.1: polar decomposition of A = A_pq A_qq⁻¹ gives another rotation and another
    /// stretch, R_l = I and S_l = U here, which with the optimal R fit worse (0.2315 against
    /// 0.1420).
    #[test]
    fn polar_decomposition_of_the_linear_map_is_not_the_optimal_pair() {
        let (a_qq, a_pq) = inset();
        let map = a_pq * a_qq.inverse().unwrap().to_mat3();
        let r_l = rotation(&map);
        let s_l = Sym3::from_mat3(&(r_l.to_mat3().transpose() * map));
        assert!(r_l.log().length() < 1.0e-6, "{r_l:?}");
        assert!(near(s_l, Sym3 { xx: 1.25, yy: 1.25, zz: 1.0, xy: 0.25, ..Sym3::ZERO }, 1.0e-6));

        let r = rotation(&a_pq);
        let s = optimal_stretch(&a_qq, &(r.to_mat3().transpose() * a_pq));
        assert!((r * r_l.inverse()).log().length() > 0.11);
        assert!((s - s_l).norm() > 0.1, "{s:?} and {s_l:?}");
        let with_s_l = residual_energy(r.to_mat3(), s_l.to_mat3());
        assert!((with_s_l - 0.231_502_749).abs() < 2.0e-6, "{with_s_l}");
    }

    /// Oracle of 000.4: two unit spheres r = ½ at distance 1, stretched 1.2.
    #[test]
    fn pair_of_spheres_reads_the_diluted_stretch() {
        let a_qq = Sym3::from_diagonal(Vec3::new(0.6, 0.1, 0.1));
        let m = Mat3::from_diagonal(Vec3::new(0.5 * 1.2 + 0.1, 0.1, 0.1));
        let expected = Sym3::from_diagonal(Vec3::new(1.166_666_7, 1.0, 1.0));
        assert!(near(optimal_stretch(&a_qq, &m), expected, 2.0e-6));
    }

    /// Oracle of 000.7 (000-S): positions alone, in a turned world; unmeasured axes exactly 1.
    #[test]
    fn undiluted_stretch_reads_the_true_one() {
        for (name, moment, printed) in [
            ("7-star", Vec3::new(2.0, 2.0, 2.0), 1.1998),
            ("sheet of 5", Vec3::new(2.0, 2.0, 0.0), 1.199_867),
            ("pair", Vec3::new(0.5, 0.0, 0.0), 1.199_933),
        ] {
            let p = Sym3::from_diagonal(moment);
            let b = Mat3::from_diagonal(Vec3::new(1.2 * moment.x, moment.y, moment.z));
            let s = undiluted_stretch(&p, &b, Rot::IDENTITY);
            let expected = Sym3::from_diagonal(Vec3::new(printed, 1.0, 1.0));
            assert!(near(s, expected, 2.0e-6), "{name}: {s:?}");

            let r = Rot::exp(Vec3::new(0.4, -0.3, 0.9));
            let turned = undiluted_stretch(&p, &(r.to_mat3() * b), r);
            // RᵀB comes back with rounding of 1e-7, and e is 3e-4 of the largest moment
            assert!(near(turned, expected, 3.0e-4), "{name}, turned: {turned:?}");
        }
    }

    /// Dilution as printed in 000.7: 7-star with r = d/2 reads 1.170212766.
    #[test]
    fn ellipsoids_dilute_the_stretch() {
        let ellipsoid = 7.0 * 0.25 / 5.0;
        let a_qq = Sym3::IDENTITY * (2.0 + ellipsoid);
        let m = Mat3::from_diagonal(Vec3::new(2.4, 2.0, 2.0) + Vec3::splat(ellipsoid));
        assert!((optimal_stretch(&a_qq, &m).xx - 1.170_212_8).abs() < 2.0e-6);
    }

    #[test]
    fn moment_without_an_inverse_gives_no_stretch() {
        let m = Mat3::from_diagonal(Vec3::new(1.2, 1.0, 1.0));
        let x = Vec3::new(0.3, -0.5, 0.8);
        let bad = Sym3::IDENTITY * f32::NAN;
        let inverted = Sym3::from_diagonal(Vec3::new(1.0, 1.0, -1.0));
        let flat = Sym3::outer(x) + Sym3::outer(Vec3::new(0.7, 0.1, -0.4));
        for a in [Sym3::ZERO, Sym3::outer(x), flat, inverted, bad] {
            assert_eq!(optimal_stretch(&a, &m), Sym3::IDENTITY, "{a:?}");
        }
        for a in [Sym3::ZERO, inverted, bad] {
            assert_eq!(StretchBasis::new(&a), None, "{a:?}");
        }
        assert_eq!(undiluted_stretch(&Sym3::ZERO, &Mat3::ZERO, Rot::IDENTITY), Sym3::IDENTITY);
    }

    #[test]
    fn undeformed_group_reads_one_exactly() {
        let a = Sym3 { xx: 1.7, yy: 0.8, zz: 2.3, xy: 1.0, yz: 1.2, zx: 1.9 } + Sym3::IDENTITY;
        for scale in [1.0e-20, 1.0e-6, 1.0, 1.0e20] {
            let a = a * scale;
            assert_eq!(optimal_stretch(&a, &a.to_mat3()), Sym3::IDENTITY);
            assert_eq!(StretchBasis::new(&a).unwrap().stretch(&a.to_mat3()), Sym3::IDENTITY);
        }
    }

    #[test]
    fn uniaxial_bound_is_tight() {
        let r = Rot::exp(Vec3::new(0.3, 0.5, -0.2));
        let (low, high) =
            eigenvalue_bounds(&Sym3::from_diagonal(Vec3::new(1.4, 1.0, 1.0)).conjugate(r));
        assert!((high - 1.4).abs() < 1.0e-6 && low < 1.0, "{low} {high}");
        let (low, high) =
            eigenvalue_bounds(&Sym3::from_diagonal(Vec3::new(0.6, 1.0, 1.0)).conjugate(r));
        assert!((low - 0.6).abs() < 1.0e-6 && high > 1.0, "{low} {high}");
    }

    #[test]
    fn safe_deviation_is_that_of_compression() {
        assert!((largest_safe_deviation(0.1) - 0.095_162_58).abs() < 1.0e-7);
        assert!((largest_safe_deviation(1.0e-6) - 1.0e-6).abs() < 1.0e-11);
    }

    /// A second moment with λ_min/λ_max above about 1e-3, and a map near a rotation.
    fn groups() -> impl Strategy<Value = (Sym3, Mat3)> {
        let entries = || proptest::array::uniform9(-1.0f32..1.0);
        (entries(), entries(), 0.0f32..0.5).prop_map(|(a, b, size)| {
            let a = Mat3::from_cols_array(&a);
            let a_qq = Sym3::from_mat3(&(a * a.transpose())) + Sym3::IDENTITY * 0.01;
            (a_qq, (Mat3::IDENTITY + Mat3::from_cols_array(&b) * size) * a_qq.to_mat3())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Also erratum 000.3: here R = I, which is the optimal rotation of none of these maps.
        #[test]
        fn short_form_equals_the_eigen_decomposition((a, m) in groups()) {
            let expected = by_eigen_decomposition(&a, &m);
            let basis = StretchBasis::new(&a).unwrap();
            for s in [optimal_stretch(&a, &m), basis.stretch(&m)] {
                // condition up to 600 times rounding 6e-8 of strains up to 2
                let error = (in_f64(&s.to_mat3()) - expected).amax();
                prop_assert!(error < 3.0e-4, "{a:?} {m}: off by {error}");
                let rest = a.to_mat3() * s.to_mat3() + s.to_mat3() * a.to_mat3()
                    - m - m.transpose();
                // a is up to 3: 2 · 3 · the error above
                prop_assert!(rest.abs_diff_eq(Mat3::ZERO, 1.8e-3), "{rest}");
            }
        }

        #[test]
        fn bounds_hold((a, m) in groups()) {
            let basis = StretchBasis::new(&a).unwrap();
            let s = basis.stretch(&m);
            let deviation = (s - Sym3::IDENTITY).norm();
            let bound = stretch_bound(&a, &m, basis.lambda_min);
            prop_assert!(deviation <= bound * 1.001 + 1.0e-4, "{deviation} above {bound}");
            let (values, _) = symmetric_eigen(&s);
            let (low, high) = eigenvalue_bounds(&s);
            prop_assert!(high >= values[0] - 1.0e-5 && low <= values[2] + 1.0e-5);
        }

        /// 000.2: S is positive definite if sym M is.
        #[test]
        fn definite_input_gives_a_definite_stretch((a, m) in groups()) {
            let (n, _) = symmetric_eigen(&Sym3::from_mat3(&m));
            if n[2] > 1.0e-3 {
                let (s, _) = symmetric_eigen(&optimal_stretch(&a, &m));
                prop_assert!(s[2] > 0.0, "{s:?}");
            }
        }

        #[test]
        fn unit_of_the_moments_does_not_matter((a, m) in groups(), k in -60i32..60) {
            let scale = 2.0f32.powi(k);
            prop_assert_eq!(optimal_stretch(&(a * scale), &(m * scale)), optimal_stretch(&a, &m));
        }
    }
}
