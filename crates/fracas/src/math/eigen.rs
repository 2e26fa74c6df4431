//! Eigenvalues and eigenvectors of a symmetric 3×3 matrix.

use glam::Mat3;

use super::Sym3;
use super::wide::{Lane, WideMat3, WideSym3, WideVec3};

/// A = V diag(λ) Vᵀ: eigenvalues λ, largest first, and eigenvectors as the columns of V.
///
/// V is a rotation. The largest component of each of its first two columns is positive (the first
/// of equals counts) and the third is their cross product; equal eigenvalues keep the order of the
/// axes. So the same matrix gives the same crack plane everywhere. Entries must be finite.
///
/// ```
/// use fracas::math::{Sym3, symmetric_eigen};
/// use fracas::glam::Vec3;
///
/// let (values, vectors) = symmetric_eigen(&Sym3::from_diagonal(Vec3::new(1.0, 1.4, 0.9)));
/// assert_eq!(values, [1.4, 1.0, 0.9]);
/// assert_eq!(vectors.x_axis, Vec3::Y);
/// ```
pub fn symmetric_eigen(a: &Sym3) -> ([f32; 3], Mat3) {
    let (values, vectors) = symmetric_eigen_lanes(&WideSym3::from(*a));
    ([values.x, values.y, values.z], vectors.into())
}

/// Worst residual over 20 000 random matrices (see the tests): 8e-2 of the largest entry after two
/// sweeps, 5e-6 after three, 6e-7, which is rounding, after four.
const SWEEPS: usize = 4;

/// [`symmetric_eigen`](super::symmetric_eigen) for every lane, by cyclic Jacobi with a fixed
/// number of sweeps.
#[inline(always)]
pub fn symmetric_eigen_lanes<T: Lane>(a: &WideSym3<T>) -> (WideVec3<T>, WideMat3<T>) {
    jacobi::<T, SWEEPS>(a)
}

#[inline(always)]
fn jacobi<T: Lane, const SWEEPS: usize>(a: &WideSym3<T>) -> (WideVec3<T>, WideMat3<T>) {
    let largest = a.max_abs();
    let (zero, one) = (largest.constant(0.0), largest.constant(1.0));
    // Scaled to largest entry 1, so that squares neither vanish nor overflow.
    let some = largest.gt(largest.constant(1.0e-37));
    let scale = T::select(some, largest, one);
    let mut a = *a * (one / scale);
    let mut v = WideMat3 {
        x_axis: WideVec3 { x: one, y: zero, z: zero },
        y_axis: WideVec3 { x: zero, y: one, z: zero },
        z_axis: WideVec3 { x: zero, y: zero, z: one },
    };

    for _ in 0..SWEEPS {
        turn(&mut a.xx, &mut a.yy, &mut a.xy, &mut a.zx, &mut a.yz, &mut v.x_axis, &mut v.y_axis);
        turn(&mut a.yy, &mut a.zz, &mut a.yz, &mut a.xy, &mut a.zx, &mut v.y_axis, &mut v.z_axis);
        turn(&mut a.xx, &mut a.zz, &mut a.zx, &mut a.xy, &mut a.yz, &mut v.x_axis, &mut v.z_axis);
    }

    order(&mut a.xx, &mut a.yy, &mut v.x_axis, &mut v.y_axis);
    order(&mut a.yy, &mut a.zz, &mut v.y_axis, &mut v.z_axis);
    order(&mut a.xx, &mut a.yy, &mut v.x_axis, &mut v.y_axis);
    let x_axis = signed(v.x_axis);
    let y_axis = signed(v.y_axis);
    let values = WideVec3 { x: a.xx, y: a.yy, z: a.zz } * scale;
    (values, WideMat3 { x_axis, y_axis, z_axis: x_axis.cross(y_axis) })
}

/// Jacobi rotation that brings the entry `pq` to zero; `rp` and `rq` are the entries it mixes.
///
/// ```text
/// t = tan φ = 2 a_pq sgn(d) / (|d| + √(d² + 4 a_pq²)),   d = a_qq − a_pp
/// a_pp −= t a_pq,  a_qq += t a_pq,  (x_p, x_q) ← (c x_p − s x_q, s x_p + c x_q)
/// ```
#[inline(always)]
fn turn<T: Lane>(
    pp: &mut T,
    qq: &mut T,
    pq: &mut T,
    rp: &mut T,
    rq: &mut T,
    v_p: &mut WideVec3<T>,
    v_q: &mut WideVec3<T>,
) {
    let (zero, one) = (pp.constant(0.0), pp.constant(1.0));
    let d = *qq - *pp;
    let twice = *pq + *pq;
    let root = d.abs() + (d * d + twice * twice).sqrt();
    // Entries below 1e-15 of the largest have no square in f32, and no effect either.
    let needed = root.gt(zero.constant(1.0e-15));
    let t = T::select(zero.gt(d), -twice, twice) / T::select(needed, root, one);
    let t = T::select(needed, t, zero);
    let c = one / (one + t * t).sqrt();
    let s = t * c;

    let shift = t * *pq;
    *pp = *pp - shift;
    *qq = *qq + shift;
    *pq = T::select(needed, zero, *pq);
    (*rp, *rq) = (c * *rp - s * *rq, s * *rp + c * *rq);
    (*v_p, *v_q) = (*v_p * c - *v_q * s, *v_p * s + *v_q * c);
}

/// Larger eigenvalue first; equal ones stay.
#[inline(always)]
fn order<T: Lane>(a: &mut T, b: &mut T, u: &mut WideVec3<T>, v: &mut WideVec3<T>) {
    let swap = b.gt(*a);
    (*a, *b) = (T::select(swap, *b, *a), T::select(swap, *a, *b));
    (*u, *v) = (WideVec3::select(swap, *v, *u), WideVec3::select(swap, *u, *v));
}

/// ± v, so that its largest component is positive.
#[inline(always)]
fn signed<T: Lane>(v: WideVec3<T>) -> WideVec3<T> {
    let mut largest = v.x;
    for component in [v.y, v.z] {
        largest = T::select(component.abs().gt(largest.abs()), component, largest);
    }
    let one = v.x.constant(1.0);
    v * T::select(v.x.constant(0.0).gt(largest), -one, one)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;
    use crate::math::Rot;

    /// Largest entry of A V − V diag(λ), relative to the largest of A.
    fn residual<const SWEEPS: usize>(a: &Sym3) -> f32 {
        let (values, vectors) = jacobi::<f32, SWEEPS>(&WideSym3::from(*a));
        let (values, v) = (Vec3::from(values), Mat3::from(vectors));
        let error = a.to_mat3() * v - v * Mat3::from_diagonal(values);
        let size = |m: Mat3| m.to_cols_array().iter().fold(0.0f32, |m, x| m.max(x.abs()));
        size(error) / size(a.to_mat3())
    }

    /// Why four sweeps: worst residual over 20 000 matrices.
    #[test]
    fn four_sweeps_reach_rounding_and_three_do_not() {
        let mut worst = [0.0f32; 3];
        let mut t = 0.0f32;
        for _ in 0..20_000 {
            t += 0.618;
            let a = Sym3::from_array([1.0, 1.7, 2.3, 3.1, 4.3, 5.9].map(|f| (f * t).sin()));
            worst[0] = worst[0].max(residual::<2>(&a));
            worst[1] = worst[1].max(residual::<3>(&a));
            worst[2] = worst[2].max(residual::<4>(&a));
        }
        assert!(worst[0] > 1.0e-2 && worst[1] > 2.0e-6 && worst[2] < 1.0e-6, "{worst:?}");
    }

    #[test]
    fn ties_keep_the_order_of_the_axes() {
        let (values, vectors) = symmetric_eigen(&(Sym3::IDENTITY * 3.0));
        assert_eq!((values, vectors), ([3.0; 3], Mat3::IDENTITY));
        let (values, vectors) = symmetric_eigen(&Sym3::from_diagonal(Vec3::new(1.0, 2.0, 2.0)));
        assert_eq!(values, [2.0, 2.0, 1.0]);
        assert_eq!(vectors, Mat3::from_cols(Vec3::Y, Vec3::Z, Vec3::X));
        assert_eq!(symmetric_eigen(&Sym3::ZERO), ([0.0; 3], Mat3::IDENTITY));
    }

    /// Oracle of 000.20: 50° about z, stretch 1.4 along x: e = (1, 0, 0) in the group, normal
    /// (0.642788, 0.766044, 0) in the world.
    #[test]
    fn crack_plane_is_turned_into_the_world() {
        let r = Rot::from_axis_angle(Vec3::Z, 50.0_f32.to_radians());
        let (values, vectors) = symmetric_eigen(&Sym3::from_diagonal(Vec3::new(1.4, 1.0, 1.0)));
        assert_eq!((values[0], vectors.x_axis), (1.4, Vec3::X));
        let normal = r * vectors.x_axis;
        assert!((normal - Vec3::new(0.642_788, 0.766_044, 0.0)).length() < 2.0e-6, "{normal}");
    }

    proptest! {
        #[test]
        fn decomposition_rebuilds_the_matrix_at_any_scale(
            e in proptest::array::uniform6(-1.0f32..1.0),
            exponent in -30i32..30,
        ) {
            let scale = 10.0f32.powi(exponent);
            let a = Sym3::from_array(e) * scale;
            let (l, v) = symmetric_eigen(&a);
            let rebuilt = v * Mat3::from_diagonal(Vec3::from_array(l) / scale) * v.transpose();
            prop_assert!(rebuilt.abs_diff_eq(a.to_mat3() * (1.0 / scale), 4.0e-6), "{rebuilt}");
            prop_assert!(l[0] >= l[1] && l[1] >= l[2]);
            prop_assert!((v.transpose() * v).abs_diff_eq(Mat3::IDENTITY, 2.0e-6));
            prop_assert!((v.determinant() - 1.0).abs() < 2.0e-6);
            for axis in [v.x_axis, v.y_axis] {
                prop_assert!(axis.max_element() >= -axis.min_element());
            }
        }
    }
}
