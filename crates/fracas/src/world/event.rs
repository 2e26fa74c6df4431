//! What happened, as plain structs in a deterministic order.

use super::Opened;
use super::ids::{AttachmentId, BodyId, ObstacleId, PieceId};

/// Something that happened during a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A bond or face opened.
    Crack {
        /// The body.
        body: BodyId,
        /// The piece in which it opened.
        piece: PieceId,
        /// Middle of the new surface, in m.
        position: [f64; 3],
        /// Its normal.
        normal: [f32; 3],
        /// Its area, in m².
        area: f32,
        /// Elastic energy that it set free, in J.
        energy: f32,
        /// Index into the body's materials.
        material: u16,
    },
    /// A piece fell apart.
    Split {
        /// The body.
        body: BodyId,
        /// The piece that ended.
        parent: PieceId,
        /// A piece that began; one event for each.
        piece: PieceId,
    },
    /// Something pushed a piece, an obstacle or another piece, after nothing had in the substep before.
    Contact {
        /// The body.
        body: BodyId,
        /// The piece.
        piece: PieceId,
        /// Where the first touching particle is, in m.
        position: [f64; 3],
        /// Speed of approach there, in m/s.
        speed: f32,
    },
    /// A link of an attachment broke under its load.
    LinkBroken {
        /// The attachment.
        attachment: AttachmentId,
        /// Where, in m.
        position: [f64; 3],
        /// What it carried, as a force on the first of the two bodies, in N.
        force: [f32; 3],
    },
    /// The last link of an attachment broke: its bodies are apart.
    Detached {
        /// The attachment.
        attachment: AttachmentId,
        /// Where the last link was, in m.
        position: [f64; 3],
    },
    /// A piece became invalid, was put back to its last valid state and frozen.
    Quarantined {
        /// The body.
        body: BodyId,
        /// The piece.
        piece: PieceId,
        /// The column in which the first bad number stood.
        field: &'static str,
    },
    /// A piece came into a sensor.
    Entered {
        /// The sensor.
        sensor: ObstacleId,
        /// The body.
        body: BodyId,
        /// The piece.
        piece: PieceId,
    },
    /// A piece is no longer in a sensor.
    Left {
        /// The sensor.
        sensor: ObstacleId,
        /// The body.
        body: BodyId,
        /// The piece.
        piece: PieceId,
    },
    /// A piece was taken away by the [`DebrisRule`](super::DebrisRule).
    DebrisRemoved {
        /// The body.
        body: BodyId,
        /// The piece.
        piece: PieceId,
        /// Where its centre of mass was, in m.
        position: [f64; 3],
        /// Its mass, in kg.
        mass: f64,
    },
    /// The last piece of a body was taken away, and the body with it.
    BodyRemoved {
        /// The body.
        body: BodyId,
    },
    /// A limit reserved at load was reached.
    LimitReached {
        /// The body.
        body: BodyId,
        /// What ran out.
        what: &'static str,
    },
}

impl Event {
    /// Of a face that opened in a body.
    pub(super) fn crack(body: BodyId, opened: &Opened) -> Self {
        Self::Crack {
            body,
            piece: opened.piece,
            position: opened.position.to_array(),
            normal: opened.normal.to_array(),
            area: opened.area,
            energy: opened.energy,
            material: opened.material,
        }
    }
}
