//! Fracas: real-time deformation and fracture of solids.
//!
//! A [`World`] owns bodies, obstacles and grips; [`World::step`] advances them and tells what
//! happened. The engine reads no files, opens no window and asks no clock: scene files are the
//! business of `fracas-scene`, shapes of `fracas-mesh`.

pub mod contact;
pub mod geometry;
pub mod material;
pub mod math;
pub mod parallel;
pub mod sets;
pub mod skin;
pub mod solids;
pub mod solve;
pub mod state;
pub mod world;

pub use glam;
#[cfg(feature = "parallel")]
pub use rayon;
pub use world::{
    AttachDesc, AttachKind, AttachRegion, Attachment, AttachmentId, Body, BodyDesc, BodyId,
    Command, CommandError, Event, GripDesc, GripId, GripMotion, HalfSpaceDesc, ParticleId, PieceId,
    StepReport, World, WorldConfig,
};
