//! The models, and what they share.

pub mod model;
pub mod motion;
pub mod oriented;
pub mod particles;
pub mod solid;

pub use model::Model;
pub use motion::Motion;
pub use particles::{NewParticle, Particles};
pub use solid::{Anchor, DofsMut, DofsRef, NeedsReload, Residual, Solid, Step};
