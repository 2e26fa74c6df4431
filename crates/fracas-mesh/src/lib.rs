//! From shapes to what the engine simulates: pure functions, no files.
//!
//! ```text
//! Surface → ClosedSurface → TetMesh → Fragments → OrientedShape
//!           (surface)       (stuffing) (fragments)
//!                                   → TetShape
//! ```
//!
//! Or straight from a generator:
//!
//! ```
//! use fracas_mesh::generate::{self, Sampling};
//!
//! let bar = generate::bar(1.0, 0.2, 0.2, &Sampling::count(320))?;
//! assert_eq!(bar.points.len(), 320); // 20 × 4 × 4
//! # Ok::<(), generate::GenerateError>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that fails may panic"))]

pub mod attributes;
pub mod clip;
pub mod distance;
pub mod fragments;
pub mod generate;
pub mod nearest;
pub mod objects;
pub mod random;
mod rigid;
pub mod skin;
pub mod solid;
pub mod splinters;
pub mod stuffing;
pub mod surface;
pub mod tet_solid;
pub mod tets;

pub use attributes::{Attribute, Objects};
pub use surface::{ClosedSurface, Surface};
pub use tets::TetMesh;
