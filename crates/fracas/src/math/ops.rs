//! The only transcendental functions of the solvers.
//!
//! The standard library takes them from the platform, whose last bits differ; `libm` is compiled
//! from the same source everywhere. `sqrt` is exact by IEEE 754 and needs no wrapper.

/// sin x, x in rad.
#[inline]
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// cos x, x in rad.
#[inline]
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Angle of the point (x, y) from the x axis, in rad, from −π to π.
#[inline]
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

/// eˣ.
#[inline]
pub fn exp(x: f32) -> f32 {
    libm::expf(x)
}

/// eˣ − 1, accurate for small x: what every rate r turns into, 1 − exp(−r Δt) = −exp_m1(−r Δt).
#[inline]
pub fn exp_m1(x: f32) -> f32 {
    libm::expm1f(x)
}

/// Natural logarithm of x.
#[inline]
pub fn ln(x: f32) -> f32 {
    libm::logf(x)
}

/// Cube root of x, for det^(1/3).
#[inline]
pub fn cbrt(x: f32) -> f32 {
    libm::cbrtf(x)
}

/// eˣ in f64.
#[inline]
pub fn exp_f64(x: f64) -> f64 {
    libm::exp(x)
}

/// sin x in f64.
#[inline]
pub fn sin_f64(x: f64) -> f64 {
    libm::sin(x)
}

/// cosh x in f64.
#[inline]
pub fn cosh_f64(x: f64) -> f64 {
    libm::cosh(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Same bits everywhere is a promise about these very bits; a `libm` that changes them must
    /// be noticed here and not in a golden hash.
    #[test]
    fn last_bits_are_pinned() {
        let bits: Vec<u32> =
            [sin(1.0), cos(1.0), atan2(1.0, 3.0), exp(1.0), exp_m1(1.0e-3), ln(3.0), cbrt(2.0)]
                .map(f32::to_bits)
                .to_vec();
        assert_eq!(
            bits,
            [
                0x3f57_6aa4,
                0x3f0a_5140,
                0x3ea4_bc7d,
                0x402d_f854,
                0x3a83_2337,
                0x3f8c_9f54,
                0x3fa1_4518
            ],
            "{bits:08x?}"
        );
        assert_eq!(exp_f64(1.0).to_bits(), 0x4005_bf0a_8b14_576a);
        assert_eq!(sin_f64(1.0).to_bits(), 0x3fea_ed54_8f09_0cee);
        assert_eq!(cosh_f64(1.0).to_bits(), 0x3ff8_b075_51d9_f551);
    }
}
