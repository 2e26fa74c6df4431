//! The models, and what they share.

pub mod brittle;
pub mod corotated;
pub mod division;
pub mod fem;
pub mod meshless;
pub mod model;
pub mod motion;
pub mod oriented;
pub mod particles;
pub mod rigid;
pub mod sheet;
pub mod solid;

pub use division::{Division, Joined, Part};
pub use model::Model;
pub use motion::Motion;
pub use particles::{NO_SHAPE, NewParticle, Particles};
pub use rigid::RigidSet;
pub use solid::{
    Anchor, Boundary, CrackTip, DofsMut, DofsRef, Explicit, Face, Fragment, NeedsReload, Residual,
    Solid, Step,
};
