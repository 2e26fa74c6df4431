//! Fracas: real-time deformation and fracture of solids.

pub mod math;

pub use glam;
