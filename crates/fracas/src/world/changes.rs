//! The one log of edits of topology.

use super::ids::{ParticleId, PieceId};
use glam::{DVec3, Vec3};

/// What changed in a body's topology since the log was last emptied, in order. Caches and drawable
/// meshes follow a body by this log alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Bonds that were cut, by their ends.
    pub bonds_cut: Vec<[ParticleId; 2]>,
    /// The faces that opened by that, one for each.
    pub opened: Vec<Opened>,
    /// Fragments that broke again: the particle that ended, and each that began.
    pub divided: Vec<(ParticleId, ParticleId)>,
    /// Particles that began where faces of tetrahedra opened: the one that it was, and the new one.
    pub born: Vec<(ParticleId, ParticleId)>,
    /// Particles that began on edges of tetrahedra that were split, or within triangles of a sheet: two corners, the nearer first for a sheet, and the
    /// new one.
    pub on_edges: Vec<([ParticleId; 2], ParticleId)>,
    /// Pieces that fell apart: the one that ended, and each that began.
    pub pieces_split: Vec<(PieceId, PieceId)>,
    /// Pieces that were taken away with all their particles.
    pub pieces_removed: Vec<PieceId>,
}

/// New surface: a face between two particles, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opened {
    /// The piece in which it opened; told by the world.
    pub piece: PieceId,
    /// The particles on both sides.
    pub ends: [ParticleId; 2],
    /// Its middle, in m. A model tells it relative to the origin of the piece, and the world moves it.
    pub position: DVec3,
    /// Its normal in the world.
    pub normal: Vec3,
    /// Its area, in m².
    pub area: f32,
    /// Elastic energy that it set free, in J.
    pub energy: f32,
    /// Index into the body's materials.
    pub material: u16,
    /// Whether the body may have come apart there. Of a face of tetrahedra some of whose corners still hold both sides it has not.
    pub through: bool,
}

impl Changes {
    /// With room for all that a body can log.
    pub(crate) fn with_room(bonds: usize, particles: usize) -> Self {
        Self {
            bonds_cut: Vec::with_capacity(bonds),
            opened: Vec::with_capacity(bonds),
            divided: Vec::new(),
            born: Vec::new(),
            on_edges: Vec::new(),
            pieces_split: Vec::with_capacity(2 * particles),
            pieces_removed: Vec::with_capacity(particles),
        }
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.bonds_cut.clear();
        self.opened.clear();
        self.divided.clear();
        self.born.clear();
        self.on_edges.clear();
        self.pieces_split.clear();
        self.pieces_removed.clear();
    }
}
