//! Why a command was refused.

use super::ids::{BodyId, GripId, ObstacleId, ParticleId};
use crate::contact::shape::ShapeError;
use crate::material::MaterialError;

/// Why a command was refused; the world is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A number lies outside what its field allows.
    #[error("{field} must be {allowed}, but is {found}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// What it allows.
        allowed: &'static str,
        /// What was given.
        found: f32,
    },
    /// No body has this id.
    #[error("there is no body {0}")]
    NoBody(BodyId),
    /// No particle of the body has this id.
    #[error("body {body} has no particle {particle}")]
    NoParticle {
        /// The body.
        body: BodyId,
        /// The particle asked for.
        particle: ParticleId,
    },
    /// No grip has this id.
    #[error("there is no grip {0}")]
    NoGrip(GripId),
    /// No obstacle has this id.
    #[error("there is no obstacle {0}")]
    NoObstacle(ObstacleId),
    /// A shape that only something at rest can have was to be moved.
    #[error("a {0} cannot be moved: give a convex solid or a compound")]
    FixedShape(&'static str),
    /// A grip holds nothing.
    #[error("the grip on body {0} holds no particle: its region is empty")]
    EmptyGrip(BodyId),
    /// Two particles are not bonded.
    #[error("particles {0} and {1} are not bonded")]
    NoBond(ParticleId, ParticleId),
    /// A shape cannot become a body.
    #[error("the shape of body {name:?} is not usable: {what}")]
    BadShape {
        /// The body's name.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// A material value was refused.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// A shape was refused.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A time table is not in order.
    #[error(
        "the times of a time table must be finite, not negative and rising, but key {index} is at {time} s"
    )]
    BadTimes {
        /// The key.
        index: usize,
        /// Its time.
        time: f64,
    },
    /// A time table is empty.
    #[error("a time table must have at least one key")]
    NoKeys,
    /// A value enters the rest shape of the body.
    #[error("{field} enters the rest shape of body {body}: spawn it anew to change it")]
    NeedsReload {
        /// The field.
        field: &'static str,
        /// The body.
        body: BodyId,
    },
    /// The thread pool could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The number asked for.
        threads: u32,
        /// What the system said.
        reason: String,
    },
}

/// `Ok` if `holds`. Conditions are written so that NaN fails them.
pub(crate) fn require(
    holds: bool,
    field: &'static str,
    allowed: &'static str,
    found: f32,
) -> Result<(), CommandError> {
    if holds { Ok(()) } else { Err(CommandError::OutOfRange { field, allowed, found }) }
}
