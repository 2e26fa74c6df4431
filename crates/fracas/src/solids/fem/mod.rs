//! Tetrahedra: what the models that are made of them share (seeds 001 and 003).
//!
//! `shape` is what is handed in and what is wrong with it, `tets` the elements at rest as columns, `stars` who is around
//! a vertex, `lanes` eight points at a time, `lattice` the coarse space of a piece, `aggregates` that of one with cracks, `skyline` the factor of its matrix, `direct` that of all of a piece, `broyden` the integrator of seed 001, `system` the linear system of a piece and its
//! solve, `stress` what a vertex feels,
//! `topology` who lies across which face and what happens when one opens, `breaking` what fails and where, `cracks` how cracks run, `remesh` how tetrahedra are split along
//! them, `slice` what blades do, `elements` all of that together.

mod aggregates;
pub(crate) mod breaking;
mod broyden;
pub(crate) mod cracks;
#[cfg(feature = "direct")]
pub(crate) mod direct;
pub(crate) mod elements;
pub(crate) mod lanes;
pub(crate) mod lattice;
pub(crate) mod remesh;
pub mod shape;
pub(crate) mod skyline;
pub(crate) mod slice;
pub(crate) mod stars;
pub(crate) mod stress;
pub(crate) mod system;
pub(crate) mod tets;
pub mod topology;

pub use breaking::{FractureCounts, gerschgorin, stress_bound};
pub use shape::{TetOptions, TetShape, TetShapeError, TetSolver};
