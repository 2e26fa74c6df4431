//! Fibres lead tears (002 sec. 3.2).
//!
//! ```text
//! φ = F θ/|F θ|                                          carried by the deformation             erratum 002.17
//! a' = normalise(a − (1 − β)(a·φ) φ)                     the normal of a tear turns off them    erratum 002.18
//! β = β₀ + (1 − β₀)(1 − exp(−ε̇/ε̇₀))                     the faster, the less
//! ```
//!
//! All of it in the frame that turns with the particle, in which F is the stretch S. β = 0 follows the fibre, β = 1 does not feel it.

use crate::math::{Sym3, ops};
use glam::Vec3;

/// Time over which the stress is averaged that the strain rate is read against, s.
pub(super) const MEMORY: f32 = 1.0;

/// θ as the stretch S = I + ε has carried it, of unit length.
pub(super) fn carried(fibre: Vec3, strain: Sym3) -> Vec3 {
    (fibre + strain.mul_vec(fibre)).normalize_or(fibre)
}

/// The normal of a tear beside a fibre. A tear that cannot but cross it does.
pub(super) fn bent(normal: Vec3, fibre: Vec3, beta: f32) -> Vec3 {
    let across = normal - (1.0 - beta) * normal.dot(fibre) * fibre;
    if across.length_squared() > 1e-6 { across.normalize() } else { normal }
}

/// β of a material at a strain rate, in 1/s.
pub(super) fn influence(least: f32, rate: f32, reference: f32) -> f32 {
    least - (1.0 - least) * ops::exp_m1(-rate / reference)
}

/// Strain rate of a piece from readings at its undamaged particles, in 1/s: their median. At a tip that runs it is large however slowly the
/// body is pulled, and would undo the fibres where they count; a mean would still be that of the tip.
pub(super) fn median(readings: &mut [f32]) -> f32 {
    let middle = readings.len() / 2;
    if readings.is_empty() {
        return 0.0;
    }
    *readings.select_nth_unstable_by(middle, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle of erratum 002.18: fibre at 45°, tear along x, so its normal is y.
    #[test]
    fn tears_turn_to_the_fibre_as_far_as_it_has_influence() {
        let fibre = Vec3::new(1.0, 1.0, 0.0).normalize();
        for (beta, wanted) in [(0.0, 45.0), (0.25, 30.964), (0.5, 18.435), (1.0, 0.0f32)] {
            let normal = bent(Vec3::Y, fibre, beta);
            let tear = (-normal.x).atan2(normal.y).to_degrees();
            assert!((tear - wanted).abs() < 1e-3, "{tear}° instead of {wanted}° at {beta}");
        }
        assert_eq!(bent(Vec3::X, Vec3::X, 0.0), Vec3::X);
    }

    /// Oracle of erratum 002.17: simple shear 1 turns a fibre along y to 45°; rotation alone would leave it at 26.565°.
    #[test]
    fn fibres_are_carried_by_the_deformation() {
        let f = glam::Mat3::from_cols_array(&[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let r = crate::math::rotation(&f);
        let strain = crate::math::corotated_strain(&f, r);
        let angle = |v: Vec3| v.x.atan2(v.y).to_degrees();
        let found = angle(r * carried(Vec3::Y, strain));
        assert!((found - 45.0).abs() < 1e-3, "{found}°");
        assert!((angle(r * Vec3::Y) - 26.565).abs() < 1e-3);
    }

    #[test]
    fn fast_tears_feel_less_of_the_fibre() {
        assert_eq!(influence(0.1, 0.0, 1.0), 0.1);
        assert!((influence(0.1, 1.0, 1.0) - (1.0 - 0.9 * (-1.0f32).exp())).abs() < 1e-6);
        assert_eq!(influence(0.1, 3.0, f32::INFINITY), 0.1);
        assert_eq!(influence(0.3, 1e9, 1.0), 1.0);
        assert_eq!(median(&mut [3.0, 1.0, 100.0, 2.0, 0.0]), 2.0);
    }
}
