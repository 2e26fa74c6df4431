//! What breaks again: convex solids, cut by planes and by the patterns of a hit.
//!
//! Pure functions in f64. Fragments break seldom, so nothing here is made for every step.
//!
//! ```
//! use fracas::geometry::{Convex, Pattern, PatternDesc};
//! use fracas::glam::DVec3;
//!
//! let pane = Convex::block(DVec3::new(0.5, 0.01, 0.5))?;
//! let star = PatternDesc::Radial { radius: 0.3, rays: 9, rings: 3, seed: 1 };
//! let hit = DVec3::new(0.1, 0.01, 0.0);
//! let cells = Pattern::try_from(&star)?.cells(hit, DVec3::NEG_Y, &pane, 1.0e-7);
//! let sum: f64 = cells.iter().map(Convex::volume).sum();
//! assert!((sum / pane.volume() - 1.0).abs() < 1.0e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod convex;
mod cut;
mod overlap;
mod patch;
mod pattern;
#[cfg(test)]
mod tests;

pub use convex::{Convex, Measure};
pub use patch::Patch;
pub use pattern::{Pattern, PatternDesc, PatternError};
