//! The rotation of 8 matrices at a time: the innermost loop of the elastic solvers.

use super::{Row, time};
use fracas::math::fearless_simd::{Level, Simd, dispatch};
use fracas::math::wide::{self, Mat3x8, Rotx8};
use std::hint::black_box;

/// Eight matrices, column by column.
type Mats = [[f32; 8]; 9];
/// Eight quaternions x, y, z, w.
type Rots = [[f32; 8]; 4];

/// Matrices: with their rotations they fill half of a 32 KiB first-level cache.
const MATRICES: usize = 256;
/// Newton steps for each of them per run.
const STEPS: usize = 400;

/// One Newton step on SO(3); the unit is one matrix and step. All steps cost the same: the kernel
/// has no branches.
pub fn rows() -> Vec<Row> {
    let level = Level::new();
    let matrices = sheared();
    let timing = time(1, || {
        let mut from = [[[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]]; MATRICES / 8];
        let mut to = from;
        for _ in 0..STEPS / 2 {
            dispatch!(level, simd => step_all(simd, black_box(&matrices), &from, &mut to));
            dispatch!(level, simd => step_all(simd, black_box(&matrices), &to, &mut from));
        }
        black_box(&from);
    });
    vec![Row::new("rotation", MATRICES as u64, STEPS as u64, 1, timing)]
}

/// From one array to another: in place, the kernel's last choice between the new rotation and the
/// old becomes a masked store, which takes some processors longer than the whole step.
#[inline(always)]
fn step_all<S: Simd>(simd: S, matrices: &[Mats], from: &[Rots], to: &mut [Rots]) {
    for ((a, q), out) in matrices.iter().zip(from).zip(to) {
        wide::newton_step(&Mat3x8::load(simd, a), Rotx8::load(simd, q)).store(out);
    }
}

/// The identity with a shear that differs from matrix to matrix, up to 0.3.
fn sheared() -> [Mats; MATRICES / 8] {
    let mut matrices = [[[0.0; 8]; 9]; MATRICES / 8];
    for (i, batch) in matrices.iter_mut().enumerate() {
        for diagonal in [0, 4, 8] {
            batch[diagonal] = [1.0; 8];
        }
        batch[3] = std::array::from_fn(|lane| 0.3 * (8 * i + lane) as f32 / MATRICES as f32);
    }
    matrices
}
