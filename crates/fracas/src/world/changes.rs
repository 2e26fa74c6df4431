//! The one log of edits of topology.

use super::ids::{ParticleId, PieceId};

/// What changed in a body's topology since the log was last emptied, in order. Caches and drawable
/// meshes follow a body by this log alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Bonds that were cut, by their ends.
    pub bonds_cut: Vec<[ParticleId; 2]>,
    /// Pieces that fell apart: the one that ended, and each that began.
    pub pieces_split: Vec<(PieceId, PieceId)>,
    /// Pieces that were taken away with all their particles.
    pub pieces_removed: Vec<PieceId>,
}

impl Changes {
    /// With room for all that a body can log.
    pub(crate) fn with_room(bonds: usize, particles: usize) -> Self {
        Self {
            bonds_cut: Vec::with_capacity(bonds),
            pieces_split: Vec::with_capacity(2 * particles),
            pieces_removed: Vec::with_capacity(particles),
        }
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.bonds_cut.clear();
        self.pieces_split.clear();
        self.pieces_removed.clear();
    }
}
