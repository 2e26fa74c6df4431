//! Fibres lead tears (002 sec. 3.2).
//!
//! ```text
//! φ = F θ/|F θ|                                          carried by the deformation             erratum 002.17
//! a' = normalise(a − (1 − β)(a·φ) φ)                     the normal of a tear turns off them    erratum 002.18
//! β = β₀ + (1 − β₀)(1 − exp(−ε̇/ε̇₀))                     the faster, the less
//! ```
//!
//! All of it in the frame that turns with the particle, in which F is the stretch S. β = 0 follows the fibre, β = 1 does not feel it.

use crate::math::{Sym3, ops, symmetric_eigen};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Time over which the strain is averaged that its rate is read against, and in which a rate that has passed is forgotten, s.
const MEMORY: f32 = 1.0;
/// Time that a load lasts at least before its rate is told, s: at its first moments it is that of waves.
const LEAST: f32 = 0.1;
/// Share of the strain of failure from which on a particle is loaded.
const LOADED: f32 = 0.1;

/// How fast a particle is loaded. What grows evenly since it was loaded has the rate that it grows with, however fast; what is let go, as all of
/// a body is beside a tear that runs, counts for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Pace {
    /// |ε| averaged over the last second.
    averaged: f32,
    /// How long it has been loaded, s.
    loaded: f32,
    /// Largest rate, fading, 1/s.
    rate: f32,
}

impl Pace {
    /// After h seconds at |ε|, where it fails at a strain of `failure`.
    ///
    /// ```text
    /// ε̇ = (|ε| − ε̄)/(τ (1 − exp(−t/τ)))                     exact for |ε| = ε̇ t
    /// ```
    pub fn follow(&mut self, strain: f32, failure: f32, h: f32) {
        let blend = -ops::exp_m1(-h / MEMORY);
        self.rate *= 1.0 - blend;
        if strain < LOADED * failure {
            *self = Self { averaged: strain, loaded: 0.0, ..*self };
            return;
        }
        self.loaded += h;
        self.averaged += blend * (strain - self.averaged);
        let lag = -MEMORY * ops::exp_m1(-self.loaded.max(LEAST) / MEMORY);
        self.rate = self.rate.max((strain - self.averaged) / lag);
    }

    pub fn rate(&self) -> f32 {
        self.rate
    }
}

/// A fibre as the stretch S = I + ε has carried it, of unit length.
pub(super) fn carried(fibre: Vec3, strain: Sym3) -> Vec3 {
    (fibre + strain.mul_vec(fibre)).normalize_or(fibre)
}

/// The normal of a tear beside a fibre. A tear that cannot but cross it does.
pub(super) fn bent(normal: Vec3, fibre: Vec3, beta: f32) -> Vec3 {
    let across = normal - (1.0 - beta) * normal.dot(fibre) * fibre;
    if across.length_squared() > 1e-6 { across.normalize() } else { normal }
}

/// What a material stands across a plane of unit normal n, over what it stands across the fibres' own: nᵀ B n with B = q + (1 − q) φ φᵀ, and q that
/// of a plane along them.
pub(super) fn strength(normal: Vec3, fibre: Vec3, across: f32) -> f32 {
    let along = normal.dot(fibre);
    across + (1.0 - across) * along * along
}

/// Normal of the plane on which a stress is largest over what the material stands there: B^−½ y, y the principal direction of B^−½ T B^−½.
pub(super) fn weakest(stress: Sym3, fibre: Vec3, across: f32) -> Vec3 {
    if across == 1.0 {
        return symmetric_eigen(&stress).1.x_axis;
    }
    let root = 1.0 / across.sqrt();
    let scale = Sym3::from_diagonal(Vec3::splat(root)) + (1.0 - root) * Sym3::outer(fibre);
    let scaled = scale.to_mat3() * stress.to_mat3() * scale.to_mat3();
    scale.mul_vec(symmetric_eigen(&Sym3::from_mat3(&scaled)).1.x_axis).normalize_or(fibre)
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
    use std::f32::consts::FRAC_PI_2;

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

    /// A bar that is pulled at an angle to its fibres stands 1/(cos² + sin²/q) of what it stands along them; no plane tears before.
    #[test]
    fn strength_falls_off_the_fibre() {
        for (angle, across) in
            [(0.0f32, 0.25), (0.5, 0.25), (0.8, 0.1), (1.3, 4.0), (FRAC_PI_2, 0.25f32)]
        {
            let fibre = Vec3::new(angle.cos(), angle.sin(), 0.0);
            let stress = Sym3::outer(Vec3::X);
            let load = |n: Vec3| n.dot(stress.mul_vec(n)) / strength(n, fibre, across);
            let found = 1.0 / load(weakest(stress, fibre, across));
            let wanted = 1.0 / (angle.cos().powi(2) + angle.sin().powi(2) / across);
            assert!((found / wanted - 1.0).abs() < 1e-4, "{found} instead of {wanted} at {angle}");
            for k in 0..100 {
                let phase = k as f32;
                let n =
                    Vec3::new(phase.sin(), (1.7 * phase).cos(), (0.3 * phase).sin()).normalize();
                assert!(load(n) <= 1.0001 / found, "plane {n} tears before");
            }
        }
    }

    /// A ramp is read as it is, slow or fast, and is not forgotten at once when it ends.
    #[test]
    fn ramps_have_the_rate_that_they_grow_with() {
        for rate in [0.01, 0.1, 0.5f32] {
            let (mut pace, h) = (Pace::default(), 0.005);
            let steps = (0.08 / rate / h) as usize;
            for k in 1..=steps {
                pace.follow(rate * h * k as f32, 0.08, h);
            }
            let found = pace.rate();
            assert!((found / rate - 1.0).abs() < 0.1, "{found} instead of {rate} a second");
            for _ in 0..20 {
                pace.follow(0.02, 0.08, h);
            }
            assert!((pace.rate() / found - 0.905).abs() < 0.01, "it forgets at once");
        }
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
