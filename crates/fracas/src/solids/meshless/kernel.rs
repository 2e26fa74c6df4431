//! Weights of pairs, from the slope of the kernel of 002 eq. 2.14:
//!
//! ```text
//! W(r) = C (2h/π) (1 − sin(π r/2h)),   −W'(r) = C cos(π r/2h)                   erratum 002.7
//! c = cos(π r'/2h) / r,   r' = r + A h                                           002 eq. 3.1, erratum 002.12
//! ```
//!
//! r is the distance at rest, A the opacity of the pair. The slope takes r lengthened by A, the direction is that of the true
//! difference. C, which differs for solids, membranes and ropes, drops out: the gradient is corrected by the second moment of
//! these same weights (erratum 002.8), so one kernel serves all three.

use crate::math::ops;
use std::f32::consts::FRAC_PI_2;

/// Radius of the neighbourhood over the spacing of particles: all 26 around in a lattice. More neighbours bend too softly.
pub(super) const SUPPORT: f32 = 1.75;

/// c of a pair at rest distance `r` that sees each other through opacity `a`, in 1/m; 0 if it does not.
pub(super) fn weight(r: f32, a: f32, h: f32) -> f32 {
    let lengthened = r + a * h;
    if lengthened >= h || r <= 0.0 { 0.0 } else { ops::cos(FRAC_PI_2 * lengthened / h) / r }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    const H: f64 = 0.2;

    fn w(r: f64) -> f64 {
        2.0 * H / PI * (1.0 - (PI * r / (2.0 * H)).sin())
    }

    /// ∫ W over a ball, a disk and an interval of radius h, without C.
    fn integral(shell: impl Fn(f64) -> f64) -> f64 {
        let n = 100_000;
        let dr = H / f64::from(n);
        (0..n).map(|k| (f64::from(k) + 0.5) * dr).map(|r| w(r) * shell(r) * dr).sum()
    }

    /// Oracles of erratum 002.7 for h = 0.2: C of solids, and those that sheets and ropes would need instead.
    #[test]
    fn slope_is_that_of_a_kernel_of_integral_one() {
        let solid = 1.0 / (8.0 * H.powi(4) * (1.0 / 3.0 - 8.0 / PI.powi(2) + 16.0 / PI.powi(3)));
        let sheet = PI.powi(2) / (2.0 * H.powi(3) * (PI.powi(2) - 8.0));
        let rope = PI.powi(2) / (4.0 * H.powi(2) * (PI - 2.0));
        assert!((solid - 2014.132305909).abs() < 1e-6, "{solid}");
        for (name, found) in [
            ("a ball", solid * integral(|r| 4.0 * PI * r * r)),
            ("a disk", sheet * integral(|r| 2.0 * PI * r)),
            ("an interval", rope * integral(|_| 2.0)),
        ] {
            assert!((found - 1.0).abs() < 1e-7, "the kernel over {name} sums up to {found}");
        }
        let slope = |r: f64| solid * r * f64::from(weight(r as f32, 0.0, H as f32));
        assert!((slope(0.1) - 1424.206611718).abs() < 2e-6 * 1424.2, "{}", slope(0.1));
        assert!((slope(1e-4) - solid).abs() < 2e-6 * solid, "{}", slope(1e-4));
        assert_eq!(weight(0.2, 0.0, 0.2), 0.0);
    }

    /// Erratum 002.12: opacity lengthens the distance of the slope and not the direction.
    #[test]
    fn opacity_takes_a_pair_out_of_sight() {
        let c = |a| weight(0.1, a, 0.2);
        assert!((c(0.25) * 0.1 - (0.75 * FRAC_PI_2).cos()).abs() < 1e-6);
        assert!(c(0.0) > c(0.25) && c(0.25) > c(0.49) && c(0.49) > 0.0);
        assert_eq!(c(0.5), 0.0);
        assert_eq!(c(1.0), 0.0);
    }
}
