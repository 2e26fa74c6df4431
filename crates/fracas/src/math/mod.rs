//! What glam lacks: rotations, symmetric 3×3 matrices, and the decompositions the models need.
//!
//! Values are `f32`; a function that runs once per rest shape may work in `f64` inside. Every
//! function gives the same bits on every machine: transcendental functions come from [`ops`]
//! only, nothing is fused, no reciprocal is approximate. Kernels that run per group and sweep are
//! written once, generic over [`wide::Lane`]; the scalar form here and the 8-wide form in [`wide`]
//! are the same code, hence the same bits.
//!
//! Of glam only the scalar types `Vec3` and `Mat3` are used: the others change their bits with the
//! instruction set.

mod eigen;
pub mod ops;
mod rot;
mod rotation;
mod strain;
mod stretch;
mod svd;
mod sym3;
pub mod wide;

pub use eigen::symmetric_eigen;
pub use fearless_simd;
pub use rot::Rot;
pub use rotation::{newton_step, rotation};
pub use strain::{
    Clamped, MIN_STRETCH, biot_strain, corotated_strain, green_strain, green_strain_of_gradient,
    hencky_strain, log_stretches,
};
pub use stretch::{
    StretchBasis, eigenvalue_bounds, largest_safe_deviation, optimal_stretch, stretch_bound,
    undiluted_stretch,
};
pub use svd::{Svd, svd};
pub use sym3::Sym3;
