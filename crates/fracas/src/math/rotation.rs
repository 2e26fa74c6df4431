//! The rotation part of a 3×3 matrix: the R that maximises tr(Rᵀ A).

use glam::Mat3;

use super::wide::{Lane, WideMat3, WideRot, WideVec3};
use super::{Rot, svd};

/// One Newton step on SO(3) from the warm start `q` towards the rotation part of `a`.
///
/// With M = Rᵀ A and S = sym M, the objective after a further turn ω of the body frame is
/// tr S + g·ω − ½ ωᵀ (tr(S) I − S) ω + O(ω³), hence
///
/// ```text
/// (tr(S) I − S) ω = g = axial(M − Mᵀ),   q ← normalise(q · (ω, 1 + √(1 + ω²)))
/// ```
///
/// The last factor turns by atan |ω|, which is exact for M = s R, any angle below 90°. The more
/// common (ω/2, 1) turns by 2 atan |ω|/2 and overshoots: from 0.037 rad off, one step leaves
/// 1.3e-5 rad with it and 7e-7 with this; from 1 rad, six steps leave up to 1.4 rad, and here
/// four steps reach rounding (stretches 1 ± 0.2; random matrices for the second pair).
///
/// The cubic term vanishes with g, so the error falls with its third power: two steps from any
/// usual warm start reach rounding. Where the matrix is not safely positive
/// definite (far from the optimum, an inverted or a collinear group) the safe step of Müller,
/// Bender, Chentanez and Macklin, *A Robust Method to Extract the Rotational Part of
/// Deformations*, MIG 2016, is taken instead: ω = g / (|tr M| + ε).
///
/// Keeps the branch of the warm start: an inverted group stays where it was while that is a local
/// optimum (erratum 000.1). `q` must be a unit quaternion; it is returned as it is when `a` is
/// zero (below 3e-39), or not finite. A `q` from which every direction looks the same, such as a
/// half turn off a matrix of rotation, is a critical point and is kept too: start cold with
/// [`rotation`].
pub fn newton_step(a: &Mat3, q: Rot) -> Rot {
    newton_step_lanes(&WideMat3::from(*a), WideRot::from(q)).into()
}

/// Smallest det(tr(S) I − S) over tr(S)³ at which the Newton step is taken. For a rod-like matrix
/// (1, s, s) it is 2s; below, the spin about the rod would be read from rounding.
const SAFE_DETERMINANT: f32 = 1.0e-4;
/// Smallest tr(S) at which the Newton step is taken, for largest entry 1; the optimum has at
/// least 1.
const SAFE_TRACE: f32 = 0.1;

/// [`newton_step`](super::newton_step) for every lane.
#[inline(always)]
pub fn newton_step_lanes<T: Lane>(a: &WideMat3<T>, q: WideRot<T>) -> WideRot<T> {
    let largest = a.max_abs();
    let (zero, one) = (largest.constant(0.0), largest.constant(1.0));
    // Zero and non-finite matrices turn into NaN here, which the last line meets.
    let m = q.to_mat3().transpose_mul(&(*a * (one / largest)));
    let s = m.symmetric_part();
    let g = m.axial();

    let trace = s.trace();
    let hessian = s.trace_minus();
    let adjugate = hessian.adjugate();
    let determinant = hessian.determinant(&adjugate);

    // Sylvester's criterion with room for rounding
    let leading = T::both(hessian.xx.gt(zero), adjugate.zz.gt(zero));
    let conditioned = determinant.gt(largest.constant(SAFE_DETERMINANT) * (trace * trace * trace));
    let safe = T::both(T::both(leading, conditioned), trace.gt(largest.constant(SAFE_TRACE)));

    // ω = v / d either way, and (ω, 1 + √(1 + ω²)) ∝ (v, d + √(d² + v²)): no division
    let v = WideVec3::select(safe, adjugate * g, g);
    let d = T::select(safe, determinant, trace.abs() + largest.constant(1.0e-9));
    (q * WideRot { x: v.x, y: v.y, z: v.z, w: d + (d * d + v.dot(v)).sqrt() }).normalized_or(q)
}

/// The rotation part of any matrix, from a cold start: R = U Vᵀ with the sign on the smallest
/// singular value (000.1), the global maximum of tr(Rᵀ A).
///
/// Works in f64 for inverted, flat, collinear and zero matrices of any scale. Where R is not
/// unique, the choice of [`svd`](super::svd()) is taken: the shortest turn for a collinear matrix,
/// [`Rot::IDENTITY`] for zero. An entry that is not finite gives [`Rot::IDENTITY`].
pub fn rotation(a: &Mat3) -> Rot {
    let svd::Svd64 { u, v, .. } = svd::svd_f64(a);
    // column j of U Vᵀ is Σ_k u_k v_k[j]
    let entry = |i: usize, j: usize| (0..3).map(|k| u[k][i] * v[k][j]).sum::<f64>();
    Rot::from_columns([0, 1, 2].map(|j| [entry(0, j), entry(1, j), entry(2, j)]))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;
    use crate::math::Sym3;

    /// Angle between two rotations, in rad.
    fn angle(a: Rot, b: Rot) -> f32 {
        (a * b.inverse()).log().length()
    }

    /// A_pq of the box of oracle 000.1 under a linear map: corners (±1, ±½, ±½), unit masses.
    fn box_moment(map: Mat3) -> Mat3 {
        map * Mat3::from_diagonal(Vec3::new(8.0, 2.0, 2.0))
    }

    /// Oracle of 000.1 (000-D): the warm start keeps its branch, S = diag(−0.9, 1, 1).
    #[test]
    fn inverted_group_stays_on_the_branch_of_its_warm_start() {
        let a = box_moment(Mat3::from_diagonal(Vec3::new(-0.9, 1.0, 1.0)));
        // The box is long along x, so here the identity is a saddle with g = 0: kept exactly.
        assert_eq!(newton_step(&a, Rot::IDENTITY), Rot::IDENTITY);
        // With equal moments it is a local optimum, and a start near it comes back to it.
        let a = Mat3::from_diagonal(Vec3::new(-0.9, 1.0, 1.0));
        let mut q = Rot::exp(Vec3::new(0.02, -0.01, 0.01));
        for _ in 0..4 {
            q = newton_step(&a, q);
        }
        assert!(angle(q, Rot::IDENTITY) < 1.0e-6, "{q:?}");
    }

    /// Oracle of 000.1, cold: a half turn about one of two tied axes, S = diag(0.9, ∓1, ±1), and
    /// always the same one.
    #[test]
    fn inverted_group_from_cold_reaches_the_global_optimum() {
        let a = box_moment(Mat3::from_diagonal(Vec3::new(-0.9, 1.0, 1.0)));
        let r = rotation(&a);
        let s = r.to_mat3().transpose() * Mat3::from_diagonal(Vec3::new(-0.9, 1.0, 1.0));
        let d = Vec3::new(s.x_axis.x, s.y_axis.y, s.z_axis.z);
        assert!((d.x - 0.9).abs() < 1.0e-6 && (d.y + d.z).abs() < 1.0e-6, "{s}");
        assert_eq!(r, rotation(&a));
    }

    /// Oracle of 000.2: R = 6.842773413° about z, tan = 0.12.
    #[test]
    fn sheared_box_turns_by_the_printed_angle() {
        let a = Mat3::from_cols(
            Vec3::new(10.0, 2.0, 0.0),
            Vec3::new(0.5, 2.5, 0.0),
            Vec3::new(0.0, 0.0, 2.0),
        );
        let expected = Vec3::new(0.0, 0.0, 6.842_773_4_f32.to_radians());
        assert!((rotation(&a).log() - expected).length() < 1.0e-6, "{}", rotation(&a).log());
        let warm = newton_step(&a, newton_step(&a, Rot::IDENTITY));
        assert!((warm.log() - expected).length() < 1.0e-6, "{}", warm.log());
    }

    /// Oracle of 000.4 (000-R): rotation by 30° from orientations alone, for one ellipsoid, a
    /// pair, a chain and a sheet of unit spheres with r = ½, m = 1.
    #[test]
    fn rotation_of_degenerate_groups_comes_from_the_ellipsoids() {
        let twist = Rot::from_axis_angle(Vec3::X, 30.0_f32.to_radians());
        let e = 0.05;
        for (count, positions) in [
            (1.0, Vec3::ZERO),
            (2.0, Vec3::new(0.5, 0.0, 0.0)),
            (3.0, Vec3::new(2.0, 0.0, 0.0)),
            (5.0, Vec3::new(2.0, 2.0, 0.0)),
        ] {
            let a_qq = Sym3::from_diagonal(positions + Vec3::splat(count * e));
            let a_pq = twist.to_mat3() * a_qq.to_mat3();
            assert!(angle(rotation(&a_pq), twist) < 1.0e-6);
            let warm = (0..4).fold(Rot::IDENTITY, |q, _| newton_step(&a_pq, q));
            assert!(angle(warm, twist) < 1.0e-6, "{count} particles: {warm:?}");
        }
    }

    #[test]
    fn nothing_to_follow_keeps_the_warm_start() {
        let q = Rot::exp(Vec3::new(0.3, 0.2, 0.1));
        let bad = |x: f32| Mat3::from_cols(Vec3::X, Vec3::new(0.0, x, 0.0), Vec3::Z);
        for a in [Mat3::ZERO, bad(f32::NAN), bad(f32::INFINITY), bad(f32::NEG_INFINITY)] {
            assert_eq!(newton_step(&a, q), q, "{a}");
            assert_eq!(rotation(&a), Rot::IDENTITY, "{a}");
        }
    }

    #[test]
    fn collinear_group_takes_the_shortest_turn() {
        let to = Vec3::new(0.6, 0.8, 0.0);
        let a = Mat3::from_cols(2.0 * to, Vec3::ZERO, Vec3::ZERO);
        let shortest = Rot::from_axis_angle(Vec3::Z, 0.8_f32.atan2(0.6));
        assert!(angle(rotation(&a), shortest) < 1.0e-6);
        let warm = (0..4).fold(Rot::IDENTITY, |q, _| newton_step(&a, q));
        assert!(angle(warm, shortest) < 1.0e-6, "{warm:?}");
    }

    #[test]
    fn one_step_is_exact_for_a_scaled_rotation() {
        for degrees in [1.0_f32, 30.0, 60.0, 85.0] {
            let r = Rot::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), degrees.to_radians());
            let q = newton_step(&(r.to_mat3() * 3.0), Rot::IDENTITY);
            assert!(angle(q, r) < 1.0e-6, "{degrees}°: {}", angle(q, r));
        }
    }

    /// What stack.md reports for (ω/2, 1) is 1.9e-5 after one step and 2.1e-7 after two.
    #[test]
    fn two_steps_from_a_usual_warm_start_reach_rounding() {
        let mut worst = [0.0_f32; 2];
        for i in 0..1000 {
            let t = i as f32;
            let turn = Rot::exp(Vec3::new((0.7 * t).sin(), (1.3 * t).cos(), (0.3 * t).sin()));
            let stretch = Sym3 {
                xx: 1.0 + 0.3 * (0.11 * t).sin(),
                yy: 1.0 + 0.3 * (0.23 * t).sin(),
                zz: 1.0 + 0.3 * (0.37 * t).sin(),
                xy: 0.1 * (0.41 * t).sin(),
                yz: 0.1 * (0.53 * t).sin(),
                zx: 0.1 * (0.61 * t).sin(),
            };
            let a = turn.to_mat3() * stretch.to_mat3();
            let axis = Vec3::new(t.cos(), t.sin(), (2.0 * t).cos()).normalize();
            let once = newton_step(&a, turn * Rot::exp(0.037 * axis));
            worst[0] = worst[0].max(angle(once, turn));
            worst[1] = worst[1].max(angle(newton_step(&a, once), turn));
        }
        assert!(worst[0] < 6.0e-6 && worst[1] < 5.0e-7, "{worst:?}");
    }

    proptest! {
        /// The unit of A does not matter: a power of two changes no bit.
        #[test]
        fn scale_changes_nothing(e in proptest::array::uniform9(-1.0f32..1.0), k in -60i32..60) {
            let (a, scale) = (Mat3::from_cols_array(&e), 2.0f32.powi(k));
            let q = Rot::exp(Vec3::new(0.1, 0.2, -0.3));
            prop_assert_eq!(newton_step(&(a * scale), q), newton_step(&a, q));
            prop_assert_eq!(rotation(&(a * scale)), rotation(&a));
        }

        /// Turning the input turns the output.
        #[test]
        fn rotation_follows_a_turn_of_the_world(
            e in proptest::array::uniform9(-0.3f32..0.3),
            v in proptest::array::uniform3(-1.5f32..1.5),
        ) {
            let a = Mat3::IDENTITY + Mat3::from_cols_array(&e);
            let turn = Rot::exp(Vec3::from_array(v));
            let turned = rotation(&(turn.to_mat3() * a));
            prop_assert!(angle(turned, turn * rotation(&a)) < 3.0e-6);
        }
    }
}
