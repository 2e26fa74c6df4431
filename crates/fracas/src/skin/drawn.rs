//! The processor's way from [`SkinUpdate`] to triangles: what a window does on a graphics card.

use super::update::{ClusterChange, ClusterMesh, GONE, SkinBasis, SkinState, SkinUpdate};
use super::weights::{self, Frame, Influence};
use super::{Owners, Skinned};
use crate::math::Rot;
use crate::parallel::Workers;
use crate::world::PieceId;
use glam::{Mat3, Vec3};
use std::sync::Arc;

/// A skin as its updates tell it.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    basis: SkinBasis,
    /// Whom the vertices of each owner follow.
    rings: Vec<Vec<u32>>,
    clusters: Vec<Cluster>,
    states: Vec<SkinState>,
    pieces: Vec<PieceId>,
    frames: Vec<Frame>,
    skinned: Skinned,
    workers: Workers,
}

/// What is drawn of a cluster.
#[derive(Clone, Debug, Default)]
struct Cluster {
    mesh: Arc<ClusterMesh>,
    /// Points that are drawn, with their place among those below.
    points: Vec<(u32, u32)>,
    /// Whether each of them was inside.
    inside: Vec<bool>,
    /// Triangles of those points.
    triangles: Vec<[u32; 3]>,
    /// Places that are drawn.
    places: Vec<Place>,
    /// Whom they follow.
    influences: Vec<Influence>,
    /// Where they are, and what turns normals there.
    moved: Vec<(Vec3, Mat3)>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    rest: Vec3,
    owner: u32,
    /// End of its influences; they begin where those of the place before end.
    end: u32,
}

impl Drawn {
    /// Drawn by several threads. Results do not depend on it.
    pub fn with_workers(self, workers: Workers) -> Self {
        Self { workers, ..self }
    }

    /// Takes in what changed.
    pub fn apply(&mut self, update: &SkinUpdate) {
        if let Some(basis) = &update.begun {
            let workers = std::mem::take(&mut self.workers);
            *self = Self { basis: basis.clone(), workers, ..Self::default() };
            self.clusters.resize_with(basis.clusters as usize, Cluster::default);
        }
        self.basis.particles.extend(&update.grown);
        for ring in &update.rings {
            let owner = ring.owner as usize;
            if self.rings.len() <= owner {
                self.rings.resize(owner + 1, Vec::new());
            }
            self.rings[owner].clone_from(&ring.members);
        }
        self.states.clone_from(&update.states);
        let split = self.pieces != update.pieces;
        self.pieces.clone_from(&update.pieces);
        self.change_clusters(&update.clusters);
        if !update.clusters.is_empty() {
            self.lay_out();
        }
        if split || !update.clusters.is_empty() {
            self.tell_pieces();
        }
    }

    /// Binds the clusters that changed anew; they are told in their order.
    fn change_clusters(&mut self, changes: &[ClusterChange]) {
        let Self { clusters, basis, rings, workers, .. } = self;
        let mut next = changes.iter().peekable();
        let mut jobs = Vec::with_capacity(changes.len());
        for (cluster, k) in clusters.iter_mut().zip(0..) {
            if let Some(change) = next.next_if(|change| change.cluster == k) {
                jobs.push((cluster, change));
            }
        }
        workers.enter(|| {
            workers.for_each(&mut jobs, &|(cluster, change)| cluster.change(change, basis, rings));
        });
    }

    /// Where all triangles are, as of the last update.
    pub fn skinned(&self) -> &Skinned {
        &self.skinned
    }

    /// Where every vertex is at rest, in the shape's frame.
    pub fn rests(&self) -> impl Iterator<Item = [f32; 3]> {
        self.clusters.iter().flat_map(|cluster| {
            let places = &cluster.places;
            cluster.points.iter().map(|&(_, place)| places[place as usize].rest.to_array())
        })
    }

    /// The states that the colour of every vertex is mixed of, with shares that are not negative and sum to 1: its owner,
    /// or the corners of the tetrahedron that owns it.
    pub fn shares(&self) -> impl Iterator<Item = [(u32, f32); 4]> {
        let affine = matches!(self.basis.owners, Owners::Tets(_));
        self.clusters.iter().flat_map(move |cluster| {
            cluster.points.iter().map(move |&(_, place)| cluster.shares(place as usize, affine))
        })
    }

    /// Moves all that is drawn to where the particles are.
    pub fn evaluate(&mut self) -> &Skinned {
        self.frames.clear();
        for (state, number) in self.states.iter().zip(0..) {
            let rest = Vec3::from(self.basis.rest(number).position);
            self.frames.push(frame(state, rest, &self.basis.owners));
        }
        let Skinned { positions, normals, .. } = &mut self.skinned;
        let (mut positions, mut normals) = (&mut positions[..], &mut normals[..]);
        let mut jobs = Vec::with_capacity(self.clusters.len());
        for cluster in self.clusters.iter_mut().filter(|cluster| !cluster.points.is_empty()) {
            let count = cluster.points.len();
            let (own, rest) = positions.split_at_mut(count);
            positions = rest;
            let (turned, rest) = normals.split_at_mut(count);
            normals = rest;
            jobs.push((cluster, own, turned));
        }
        let (frames, workers) = (&self.frames, &self.workers);
        workers.enter(|| {
            workers.for_each(&mut jobs, &|(cluster, positions, normals)| {
                cluster.evaluate(frames, positions, normals);
            });
        });
        &self.skinned
    }

    /// Where a place at rest is that follows an owner.
    pub(super) fn place(&self, at: Vec3, owner: u32) -> Vec3 {
        let mut influences = Vec::new();
        follow(&self.basis, &self.rings, owner, at, &mut influences);
        weights::place(&self.frames, &influences, at).0
    }

    /// Lists all that is drawn, cluster after cluster.
    fn lay_out(&mut self) {
        let Skinned { positions, normals, uvs, owners, inside, triangles, .. } = &mut self.skinned;
        uvs.clear();
        owners.clear();
        inside.clear();
        triangles.clear();
        for cluster in &self.clusters {
            let first = owners.len() as u32;
            triangles.extend(cluster.triangles.iter().map(|t| t.map(|k| first + k)));
            inside.extend(&cluster.inside);
            for &(point, place) in &cluster.points {
                owners.push(cluster.followed_most(place as usize, &self.basis.owners));
                uvs.push(cluster.mesh.points[point as usize].uv);
            }
        }
        positions.resize(owners.len(), [0.0; 3]);
        normals.resize(owners.len(), [0.0; 3]);
    }

    /// Which piece every vertex belongs to.
    fn tell_pieces(&mut self) {
        let Self { states, pieces, skinned, .. } = self;
        let Skinned { owners, pieces: of, .. } = skinned;
        of.clear();
        of.extend(owners.iter().map(|&state| {
            let piece = states[state as usize].piece;
            pieces.get(piece as usize).copied().unwrap_or(PieceId(u64::MAX))
        }));
    }
}

fn frame(state: &SkinState, rest: Vec3, owners: &Owners) -> Frame {
    let position = Vec3::from(state.position);
    match owners {
        Owners::Tets(_) => Frame { turn: Mat3::ZERO, shift: position },
        Owners::Particles => {
            let [x, y, z, w] = state.rotation;
            let turn = Rot { x, y, z, w }.to_mat3();
            Frame { turn, shift: position - turn * rest }
        }
    }
}

fn alone(state: u32) -> [(u32, f32); 4] {
    [(state, 1.0), (state, 0.0), (state, 0.0), (state, 0.0)]
}

/// Of an owner without a ring, a part of a fragment, the owner alone.
fn follow(
    basis: &SkinBasis,
    rings: &[Vec<u32>],
    owner: u32,
    at: Vec3,
    influences: &mut Vec<Influence>,
) {
    let alone = [owner];
    let ring = rings.get(owner as usize).map_or(&alone[..], Vec::as_slice);
    weights::follow(basis, owner, ring, at, influences);
}

impl Cluster {
    fn change(&mut self, change: &ClusterChange, basis: &SkinBasis, rings: &[Vec<u32>]) {
        if let Some(mesh) = &change.mesh {
            self.mesh = Arc::clone(mesh);
        }
        self.points.clear();
        self.inside.clear();
        self.triangles.clear();
        self.places.clear();
        self.influences.clear();
        let mut place_of = vec![GONE; self.mesh.places.len()];
        for &part in &change.shown {
            let part = &self.mesh.parts[part as usize];
            let shift = self.points.len() as u32;
            for point in part.points.clone() {
                let place = self.mesh.points[point as usize].place as usize;
                if place_of[place] == GONE {
                    place_of[place] = self.places.len() as u32;
                    let (rest, owner) = (Vec3::from(self.mesh.places[place]), change.owners[place]);
                    follow(basis, rings, owner, rest, &mut self.influences);
                    let end = self.influences.len() as u32;
                    self.places.push(Place { rest, owner, end });
                }
                self.points.push((point, place_of[place]));
                self.inside.push(part.inside);
            }
            let own = part.triangles.start as usize..part.triangles.end as usize;
            let triangles = self.mesh.triangles[own].iter();
            self.triangles
                .extend(triangles.map(|t| t.map(|point| shift + point - part.points.start)));
        }
    }

    fn influences(&self, place: usize) -> &[Influence] {
        let start = if place == 0 { 0 } else { self.places[place - 1].end as usize };
        &self.influences[start..self.places[place].end as usize]
    }

    /// The particle that a place belongs to: its owner, or the corner of a tetrahedron that has the largest weight, the
    /// first of several.
    fn followed_most(&self, place: usize, owners: &Owners) -> u32 {
        let larger = |a: Influence, b: &Influence| if b.weight > a.weight { *b } else { a };
        match (owners, self.influences(place).split_first()) {
            (Owners::Tets(_), Some((&first, rest))) => rest.iter().fold(first, larger).state,
            _ => self.places[place].owner,
        }
    }

    /// See [`Drawn::shares`].
    fn shares(&self, place: usize, affine: bool) -> [(u32, f32); 4] {
        let owner = self.places[place].owner;
        let &[a, b, c, d] = self.influences(place) else { return alone(owner) };
        if !affine {
            return alone(owner);
        }
        // outside of the tetrahedron no colour is taken away
        let corners = [a, b, c, d].map(|corner| (corner.state, corner.weight.max(0.0)));
        let sum: f32 = corners.iter().map(|corner| corner.1).sum();
        corners.map(|(state, share)| (state, share / sum))
    }

    fn evaluate(&mut self, frames: &[Frame], positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
        self.moved.clear();
        let mut start = 0;
        for place in &self.places {
            let influences = &self.influences[start..place.end as usize];
            start = place.end as usize;
            let (x, slope) = weights::place(frames, influences, place.rest);
            self.moved.push((x, weights::of_normals(&slope, frames, influences)));
        }
        for (k, &(point, place)) in self.points.iter().enumerate() {
            let (x, turn) = &self.moved[place as usize];
            positions[k] = x.to_array();
            let normal = *turn * Vec3::from(self.mesh.points[point as usize].normal);
            normals[k] = normal.normalize_or(Vec3::Y).to_array();
        }
    }
}
