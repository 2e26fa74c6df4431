//! Tetrahedra: what the models that are made of them share (seeds 001 and 003).

pub mod shape;

pub use shape::{TetOptions, TetShape, TetSolver};
