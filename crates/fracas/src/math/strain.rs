//! Strain measures, always with the ½: the shear entry is half the engineering shear angle.

use glam::Mat3;

use super::{Rot, Sym3, ops, symmetric_eigen};

/// Smallest principal stretch that a logarithm is taken of, erratum 000.1.
///
/// An inverted group has a negative stretch, whose logarithm is NaN; at 1/20 of its length a
/// solid has long failed in any other way.
pub const MIN_STRETCH: f32 = 0.05;

/// A value, and whether something had to be held at its limit to compute it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamped<T> {
    /// The value after clamping.
    pub value: T,
    /// True if a stretch was below [`MIN_STRETCH`] or NaN: flag the group.
    pub clamped: bool,
}

/// Principal log strains log max(λ, 0.05); NaN counts as below.
pub fn log_stretches(stretches: [f32; 3]) -> Clamped<[f32; 3]> {
    // Written so that NaN is clamped as well.
    let fine = |lambda: f32| lambda >= MIN_STRETCH;
    let value = stretches.map(|lambda| ops::ln(if fine(lambda) { lambda } else { MIN_STRETCH }));
    Clamped { value, clamped: !stretches.into_iter().all(fine) }
}

/// Hencky strain log S = V diag(log λ) Vᵀ of a stretch S, with λ clamped to [`MIN_STRETCH`].
pub fn hencky_strain(s: &Sym3) -> Clamped<Sym3> {
    let (lambda, v) = symmetric_eigen(s);
    let Clamped { value: log, clamped } = log_stretches(lambda);
    let value = Sym3::outer(v.x_axis) * log[0]
        + Sym3::outer(v.y_axis) * log[1]
        + Sym3::outer(v.z_axis) * log[2];
    Clamped { value, clamped }
}

/// Green strain ½ (S² − I) of a stretch S.
pub fn green_strain(s: &Sym3) -> Sym3 {
    green_strain_of_gradient(&s.to_mat3())
}

/// Green strain ½ (FᵀF − I) of a deformation gradient F; no rotation is needed.
pub fn green_strain_of_gradient(f: &Mat3) -> Sym3 {
    (Sym3::from_mat3(&(f.transpose() * *f)) - Sym3::IDENTITY) * 0.5
}

/// Biot strain S − I of a stretch S: the ε_c of the seed, which is not Cauchy's (erratum 000.13).
pub fn biot_strain(s: &Sym3) -> Sym3 {
    *s - Sym3::IDENTITY
}

/// Corotated linear strain ½ (RᵀF + FᵀR) − I of a deformation gradient F with rotation part R.
///
/// Equals [`biot_strain`] of the stretch RᵀF when R is exact.
pub fn corotated_strain(f: &Mat3, r: Rot) -> Sym3 {
    Sym3::from_mat3(&(r.to_mat3().transpose() * *f)) - Sym3::IDENTITY
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::math::rotation;

    fn near(a: Sym3, b: Sym3, tolerance: f32) -> bool {
        (a - b).to_array().iter().all(|x| x.abs() <= tolerance)
    }

    /// Simple shear by γ: the shear entry is γ/2 in every measure, not γ.
    #[test]
    fn small_shear_reads_half_the_angle_in_every_measure() {
        let gamma = 1.0e-3;
        let f = Mat3::from_cols(Vec3::X, Vec3::new(gamma, 1.0, 0.0), Vec3::Z);
        let r = rotation(&f);
        let s = Sym3::from_mat3(&(r.to_mat3().transpose() * f));
        for strain in [
            green_strain_of_gradient(&f),
            green_strain(&s),
            biot_strain(&s),
            corotated_strain(&f, r),
            hencky_strain(&s).value,
        ] {
            assert!((strain.xy - 0.5 * gamma).abs() < 1.0e-6, "{strain:?}");
        }
    }

    #[test]
    fn uniaxial_stretch_reads_its_closed_form() {
        let r = Rot::exp(Vec3::new(0.2, 0.7, -0.4));
        let s = Sym3::from_diagonal(Vec3::new(1.5, 1.0, 0.8)).conjugate(r);
        let expect = |strain: Sym3, x: f32, z: f32| {
            let expected = Sym3::from_diagonal(Vec3::new(x, 0.0, z)).conjugate(r);
            assert!(near(strain, expected, 2.0e-6), "{strain:?}, not {expected:?}");
        };
        expect(biot_strain(&s), 0.5, -0.2);
        expect(green_strain(&s), 0.625, -0.18);
        expect(hencky_strain(&s).value, 0.405_465_1, -0.223_143_55);
        assert!(!hencky_strain(&s).clamped);
    }

    #[test]
    fn rigid_rotation_reads_no_strain() {
        let r = Rot::exp(Vec3::new(1.0, -2.0, 0.5));
        assert!(near(green_strain_of_gradient(&r.to_mat3()), Sym3::ZERO, 1.0e-6));
        assert!(near(corotated_strain(&r.to_mat3(), r), Sym3::ZERO, 1.0e-6));
    }

    /// Erratum 000.1: S = diag(−0.9, 1, 1) has no logarithm; the clamp is told.
    #[test]
    fn inverted_group_is_clamped_and_flagged() {
        let Clamped { value, clamped } =
            hencky_strain(&Sym3::from_diagonal(Vec3::new(-0.9, 1.0, 1.0)));
        assert!(clamped);
        let floor = -2.995_732_3;
        assert!(near(value, Sym3::from_diagonal(Vec3::new(floor, 0.0, 0.0)), 1.0e-6), "{value:?}");
        let nan = log_stretches([1.0, f32::NAN, 1.0]);
        assert!(nan.clamped && nan.value[1] == ops::ln(MIN_STRETCH));
        assert!(!log_stretches([2.0, 1.0, MIN_STRETCH]).clamped);
    }
}
