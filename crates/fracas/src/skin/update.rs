//! What leaves the engine for whoever draws: [`SkinUpdate`], and nothing else.

use super::{Owners, SkinMesh};
use crate::world::PieceId;
use std::sync::Arc;

/// What changed of a skin since the last time. Whoever applies all of them in order
/// ([`Drawn`](super::Drawn), a window, another program) knows where every triangle is.
#[derive(Clone, Debug, Default)]
pub struct SkinUpdate {
    /// What everything is made of; with the first update only.
    pub begun: Option<SkinBasis>,
    /// At rest, vertices that began when tetrahedra came apart: they are particles of the basis from now on, behind all others.
    pub grown: Vec<SkinRest>,
    /// The point that positions are relative to, in m.
    pub origin: [f64; 3],
    /// Every particle of the shape by its number, then every vertex that began, then every part of a fragment that broke again.
    pub states: Vec<SkinState>,
    /// The pieces that states name.
    pub pieces: Vec<PieceId>,
    /// Owners whose vertices follow others than before.
    pub rings: Vec<Ring>,
    /// Clusters that were touched by a crack.
    pub clusters: Vec<ClusterChange>,
}

/// Where a particle is.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::NoUninit)]
#[repr(C)]
pub struct SkinState {
    /// Relative to the origin of the update, in m.
    pub position: [f32; 3],
    /// Index into the pieces of the update, or [`GONE`].
    pub piece: u32,
    /// How it is turned since rest, a unit quaternion (x, y, z, w).
    pub rotation: [f32; 4],
}

/// In place of a piece or an owner that is no longer there.
pub const GONE: u32 = u32::MAX;

/// What does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinBasis {
    /// Whom vertices follow.
    pub owners: Owners,
    /// Every particle of the shape by its number, then every vertex that had begun.
    pub particles: Vec<SkinRest>,
    /// How many clusters there are, with that of the parts.
    pub clusters: u32,
}

/// A particle at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::NoUninit)]
#[repr(C)]
pub struct SkinRest {
    /// In the shape's frame, in m.
    pub position: [f32; 3],
    /// r_p: how far around it vertices follow it, in m.
    pub reach: f32,
}

/// Whom the vertices of an owner follow: of a particle itself and those bonded to it, of a tetrahedron its
/// corners.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// The owner.
    pub owner: u32,
    /// Numbers of particles.
    pub members: Vec<u32>,
}

/// A cluster after a crack.
#[derive(Clone, Debug)]
pub struct ClusterChange {
    /// Which.
    pub cluster: u32,
    /// Its triangles, if they are others than before: once when it is first drawn, once when it first breaks.
    pub mesh: Option<Arc<ClusterMesh>>,
    /// Owner of each of its places, or [`GONE`].
    pub owners: Vec<u32>,
    /// Which of its parts are drawn.
    pub shown: Vec<u32>,
}

/// Triangles of some owners that are near each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterMesh {
    /// Places at rest, in the shape's frame, in m.
    pub places: Vec<[f32; 3]>,
    /// What is drawn at them.
    pub points: Vec<SkinPoint>,
    /// Three points each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// What is drawn or not as one: the outside of an owner, or its side of an interface.
    pub parts: Vec<SkinPart>,
}

/// A vertex that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct SkinPoint {
    /// Index into the places.
    pub place: u32,
    /// Of unit length, at rest.
    pub normal: [f32; 3],
    /// Texture coordinates; 0 where there are none.
    pub uv: [f32; 2],
}

/// Consecutive points and triangles of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkinPart {
    /// Points; no other part uses them.
    pub points: std::ops::Range<u32>,
    /// Triangles.
    pub triangles: std::ops::Range<u32>,
    /// Whether it was inside the solid.
    pub inside: bool,
}

impl SkinUpdate {
    /// Takes in the update that follows: applying the sum is applying both. Whoever draws more rarely than the world
    /// steps misses nothing.
    pub fn absorb(&mut self, later: Self) {
        if later.begun.is_some() {
            *self = later;
            return;
        }
        self.origin = later.origin;
        self.states = later.states;
        self.pieces = later.pieces;
        self.grown.extend(later.grown);
        // applied in order, so that the last word on an owner counts
        self.rings.extend(later.rings);
        for change in later.clusters {
            match self.clusters.binary_search_by_key(&change.cluster, |known| known.cluster) {
                Err(place) => self.clusters.insert(place, change),
                Ok(place) => {
                    let known = &mut self.clusters[place];
                    let mesh = change.mesh.or_else(|| known.mesh.take());
                    *known = ClusterChange { mesh, ..change };
                }
            }
        }
    }

    /// Bytes that it takes to hand it on.
    pub fn bytes(&self) -> usize {
        let begun = self.begun.as_ref().map_or(0, |basis| {
            let tets = match &basis.owners {
                Owners::Particles => 0,
                Owners::Tets(tets) => size_of_val(&tets[..]),
            };
            size_of_val(&basis.particles[..]) + tets + 4
        });
        let rings: usize = self.rings.iter().map(|ring| 8 + size_of_val(&ring.members[..])).sum();
        let clusters: usize = self.clusters.iter().map(ClusterChange::bytes).sum();
        size_of_val(&self.origin)
            + size_of_val(&self.states[..])
            + size_of_val(&self.pieces[..])
            + begun
            + size_of_val(&self.grown[..])
            + rings
            + clusters
    }
}

impl ClusterChange {
    /// Bytes that it takes to hand it on.
    pub fn bytes(&self) -> usize {
        let mesh = self.mesh.as_ref().map_or(0, |mesh| {
            size_of_val(&mesh.places[..])
                + size_of_val(&mesh.points[..])
                + size_of_val(&mesh.triangles[..])
                + size_of_val(&mesh.parts[..])
        });
        4 + mesh + size_of_val(&self.owners[..]) + size_of_val(&self.shown[..])
    }
}

impl SkinBasis {
    /// A state that no particle of the shape has is that of a part, which lies about its own centre.
    pub(super) fn rest(&self, state: u32) -> SkinRest {
        self.particles.get(state as usize).copied().unwrap_or_default()
    }
}

impl SkinMesh {
    /// The owner that a vertex follows if it can.
    pub(super) fn home(&self, vertex: u32) -> Option<u32> {
        self.homes.get(vertex as usize).copied()
    }

    /// How many owners there are, of so many particles.
    pub(super) fn owner_count(&self, particles: usize) -> usize {
        match &self.owners {
            Owners::Particles => particles,
            Owners::Tets(tets) => tets.len(),
        }
    }
}
