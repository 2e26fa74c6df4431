//! Why a command was refused.

use super::ids::{AttachmentId, BladeId, BodyId, FieldId, GripId, ObstacleId, ParticleId, PieceId};
use crate::contact::shape::ShapeError;
use crate::material::MaterialError;
use crate::solids::fem::TetShapeError;

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
    /// No piece of the body has this id.
    #[error("body {body} has no piece {piece}")]
    NoPiece {
        /// The body.
        body: BodyId,
        /// The piece asked for.
        piece: PieceId,
    },
    /// No blade has this id.
    #[error("there is no blade {0}")]
    NoBlade(BladeId),
    /// An edge that does not move, or moves along itself, cuts nothing.
    #[error("the edge of the blade passes no area: it must move, and not along itself only")]
    NothingPassed,
    /// No field has this id.
    #[error("there is no field {0}")]
    NoField(FieldId),
    /// A point lies at no particle of the body.
    #[error(
        "the point {point:?} is {distance} m away from the nearest particle of body {body}, but may be {allowed} m at most"
    )]
    TooFar {
        /// The body.
        body: BodyId,
        /// The point.
        point: [f64; 3],
        /// Its distance from the sphere around the nearest particle, in m.
        distance: f64,
        /// The largest radius of that particle, in m.
        allowed: f64,
    },
    /// No grip has this id.
    #[error("there is no grip {0}")]
    NoGrip(GripId),
    /// A grip that is no spring was to be moved by command.
    #[error(
        "grip {0} is not a spring: a hold stays where it is, and a move or pull has a time table"
    )]
    NotASpring(GripId),
    /// No obstacle has this id.
    #[error("there is no obstacle {0}")]
    NoObstacle(ObstacleId),
    /// A shape that only something at rest can have was to be moved.
    #[error("a {0} cannot be moved: give a convex solid or a compound")]
    FixedShape(&'static str),
    /// A grip holds nothing.
    #[error("the grip on body {0} holds no particle: its region is empty")]
    EmptyGrip(BodyId),
    /// No attachment has this id.
    #[error("there is no attachment {0}")]
    NoAttachment(AttachmentId),
    /// A body cannot be attached to itself.
    #[error("body {0} cannot be attached to itself: an attachment joins two bodies")]
    AttachedToItself(BodyId),
    /// An attachment joins nothing.
    #[error(
        "the attachment of bodies {first} and {second} joins nothing: in its region they are farther apart than {distance} m; they are nearest, {apart} m apart, at {position:?}"
    )]
    EmptyAttachment {
        /// The bodies.
        first: BodyId,
        /// The other.
        second: BodyId,
        /// The distance that it bridges, in m.
        distance: f32,
        /// How far apart they are, in m; below 0 if they overlap.
        apart: f32,
        /// Where they are nearest, in m.
        position: [f64; 3],
    },
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
    /// Tetrahedra cannot become a body.
    #[error("the shape of body {name:?} is not usable: {error}")]
    Tets {
        /// The body's name.
        name: String,
        /// What is wrong with them.
        error: TetShapeError,
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
