//! From shapes to what the engine simulates: pure functions, no files.
//!
//! ```
//! use fracas_mesh::generate::{self, Sampling};
//!
//! let bar = generate::bar(1.0, 0.2, 0.2, &Sampling::count(320))?;
//! assert_eq!(bar.points.len(), 320); // 20 × 4 × 4
//! # Ok::<(), generate::GenerateError>(())
//! ```

pub mod generate;
