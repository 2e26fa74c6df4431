//! Points on a circle, the same bits on every machine.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// Cosine and sine of `part/whole` turns. `whole` must be above 0.
///
/// Reduced to an eighth of a turn in whole numbers, so that points which mirror each other do so to
/// the bit; then Taylor's series, whose last term is below 1e-18 there.
pub(super) fn turn(part: u64, whole: u64) -> [f64; 2] {
    let eighths = 8 * (part % whole);
    let (octant, rest) = (eighths / whole, eighths % whole);
    // even octants count from their start, odd ones back from their end
    let rest = if octant.is_multiple_of(2) { rest } else { whole - rest };
    let angle = TAU / 8.0 * (rest as f64 / whole as f64);
    let (c, s) = if rest == whole {
        (FRAC_1_SQRT_2, FRAC_1_SQRT_2) // where the series would differ in the last bit
    } else {
        (series(1.0, 0, angle), series(angle, 1, angle))
    };
    match octant {
        0 => [c, s],
        1 => [s, c],
        2 => [-s, c],
        3 => [-c, s],
        4 => [-c, -s],
        5 => [-s, -c],
        6 => [s, -c],
        _ => [c, -s],
    }
}

/// Every second term of the exponential series, with alternating signs, from this one on.
fn series(first: f64, power: u32, x: f64) -> f64 {
    let (mut term, mut sum) = (first, first);
    for k in 0..8 {
        let n = f64::from(power + 2 * k);
        term *= -x * x / ((n + 1.0) * (n + 2.0));
        sum += term;
    }
    sum
}

/// How much wider a polygon of so many corners must be than a circle to have its area.
pub(super) fn widening(corners: u32) -> f64 {
    let [_, sine] = turn(1, corners.into());
    (TAU / (f64::from(corners) * sine)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_cosine_and_sine() {
        for whole in (1..200).chain([1000, 4096, 99_991]) {
            for part in (0..2 * whole).step_by(1 + whole as usize / 50) {
                let [c, s] = turn(part, whole);
                let angle = TAU * ((part % whole) as f64 / whole as f64);
                assert!((c - angle.cos()).abs() < 2.0e-15, "{part}/{whole}");
                assert!((s - angle.sin()).abs() < 2.0e-15, "{part}/{whole}");
            }
        }
        assert_eq!(turn(1, 4), [0.0, 1.0]);
        for (part, whole) in [(1, 5), (3, 8), (5, 17), (31, 64)] {
            let ([c, s], [c_back, s_back]) = (turn(part, whole), turn(whole - part, whole));
            assert_eq!([c, s], [c_back, -s_back], "mirrored to the bit");
        }
    }

    #[test]
    fn widened_polygons_have_the_area_of_the_circle() {
        for n in 3..50 {
            let angle = TAU / f64::from(n);
            let area = 0.5 * f64::from(n) * angle.sin() * widening(n).powi(2);
            assert!((area / std::f64::consts::PI - 1.0).abs() < 1.0e-14);
        }
    }
}
