//! A calculation that never changes, to compare machines and the same machine at other times.

use super::{Row, time};
use std::hint::black_box;

/// Floats per array: three arrays fill half of a 32 KiB first-level cache.
const LENGTH: usize = 1_365;
/// Passes over them per run: about a millisecond.
const PASSES: usize = 4_000;

/// The kernel on one thread and on two, each doing all of it. Its unit is one multiply and add.
pub fn rows() -> Vec<Row> {
    [1, 2].map(row).into()
}

fn row(threads: u32) -> Row {
    let timing = time(threads, || {
        if threads == 1 {
            black_box(kernel());
            return;
        }
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| black_box(kernel()));
            }
        });
    });
    Row::new("calibration", LENGTH as u64, PASSES as u64, threads, timing)
}

/// a ← a b + c, over and over. Rust never fuses the two, so every processor rounds alike and the
/// result is the same everywhere.
fn kernel() -> f32 {
    let mut a = black_box([1.0_f32; LENGTH]);
    let b = black_box([0.999_f32; LENGTH]);
    let c = black_box([0.002_f32; LENGTH]);
    for _ in 0..PASSES {
        for ((a, b), c) in a.iter_mut().zip(&b).zip(&c) {
            *a = *a * b + c;
        }
        // Otherwise the compiler may keep a block of `a` in registers for all passes
        black_box(&mut a);
    }
    a[0]
}

/// Processes that wanted to run in the last minute, where the system tells.
pub fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a → c / (1 − b) = 2, from 1, with the distance shrinking by b each pass:
    /// 2 − 0.999⁴⁰⁰⁰ = 1.98172. Rounding moves it by at most ½ ulp / (1 − b) = 1.2e-4.
    #[test]
    fn the_kernel_computes_its_geometric_series() {
        let a = kernel();
        assert!((a - 1.98172).abs() < 1.2e-4, "{a}");
    }
}
