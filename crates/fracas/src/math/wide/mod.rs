//! Eight values side by side: the kernels of [`math`](super) for whole batches of groups.
//!
//! A type such as [`Mat3x8`] holds eight matrices, entry by entry in one vector each (structure of
//! arrays). The kernels have no branches and no token argument: the values carry it. They are
//! `#[inline(always)]`, so that they take on the instruction set of the caller; the caller is a
//! function entered through `dispatch!`:
//!
//! ```
//! use fracas::math::fearless_simd::{Level, Simd, dispatch};
//! use fracas::math::wide::{self, Mat3x8, Rotx8};
//!
//! type Mats = [[f32; 8]; 9]; // eight matrices, column by column
//! type Rots = [[f32; 8]; 4]; // eight quaternions x, y, z, w
//!
//! #[inline(always)]
//! fn follow<S: Simd>(simd: S, a: &[Mats], q: &mut [Rots]) {
//!     for (a, q) in a.iter().zip(q) {
//!         wide::newton_step(&Mat3x8::load(simd, a), Rotx8::load(simd, q)).store(q);
//!     }
//! }
//!
//! let mut identity = [[0.0; 8]; 9];
//! for diagonal in [0, 4, 8] {
//!     identity[diagonal] = [1.0; 8];
//! }
//! let mut q = [[[0.6; 8], [0.0; 8], [0.0; 8], [0.8; 8]]];
//! dispatch!(Level::new(), simd => follow(simd, &[identity], &mut q));
//! assert!(q[0][0][7].abs() < 1.0e-6, "back to the identity in one step");
//! ```
//!
//! Results are the same bits for every instruction set, and the same as those of the scalar forms.

pub(crate) mod columns;
mod lane;
mod types;

pub use super::eigen::symmetric_eigen_lanes as symmetric_eigen;
pub use super::rotation::newton_step_lanes as newton_step;
pub use super::stretch::{
    eigenvalue_bounds_lanes as eigenvalue_bounds, optimal_stretch_lanes as optimal_stretch,
    stretch_bound_lanes as stretch_bound, stretch_with_basis_lanes as stretch_with_basis,
};
pub use lane::Lane;
pub use types::{Mat3x8, Rotx8, Sym3x8, Vec3x8, WideMat3, WideRot, WideSym3, WideVec3};

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
