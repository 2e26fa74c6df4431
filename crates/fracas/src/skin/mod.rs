//! The drawable surface of a body: triangles that follow its particles.
//!
//! ```text
//! SkinMesh (shape's frame) → Skin (bound to a body) → Skinned (where everything is now)
//! ```
//!
//! A vertex follows its owner particle and the particles bonded to it. Each of them moves it
//! rigidly, and the results are blended:
//!
//! ```text
//! x_v = Σ_p w_p (x_p + R_p (X_v − X_p)) / Σ_p w_p,   w_p = (1 − |X_v − X_p|²/r_p²)²
//! ```
//!
//! Faces inside the solid appear once the particles on their two sides are in different pieces.
//! Models without orientations have R_p = I. The faces of particles that were taken away are gone. Of fragments that broke
//! again the hulls of their parts are drawn instead, as inside.

mod bind;
mod smooth;
mod surface;

pub use surface::ShapeSurface;

use crate::math::Rot;
use crate::world::{Body, BodyId, Piece, PieceId};
use bind::{Bound, Place};
use glam::{DVec3, Mat3, Vec3};
use smooth::Triangle;
use std::sync::Arc;

/// What can be drawn of a shape, in the shape's frame.
///
/// Particles are named by their number in the shape: the order in which it lists them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinMesh {
    /// Positions, in m.
    pub vertices: Vec<[f32; 3]>,
    /// The boundary of the whole.
    pub outside: Vec<Face>,
    /// Where it can come apart.
    pub inside: Vec<InsideFace>,
    /// What it is built of, as lines: the edges of tetrahedra. Empty where there are none.
    pub edges: Vec<Edge>,
}

/// A triangle of the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Vertices, counter-clockwise seen from outside.
    pub corners: [u32; 3],
    /// The particle it belongs to.
    pub owner: u32,
}

/// A triangle between two particles, drawn on both sides once they are in different pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsideFace {
    /// Vertices, counter-clockwise seen from outside the first particle.
    pub corners: [u32; 3],
    /// The two particles.
    pub between: [u32; 2],
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Vertices.
    pub ends: [u32; 2],
    /// The particle it belongs to.
    pub owner: u32,
}

/// Why a mesh is no skin of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// A face or edge names a vertex that does not exist.
    #[error("a face or edge of the skin names vertex {vertex}, but there are {count}")]
    NoVertex {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A face or edge names a particle that does not exist.
    #[error("a face or edge of the skin belongs to particle {particle}, but the body has {count}")]
    NoParticle {
        /// Number of the particle in the shape.
        particle: u32,
        /// How many there are.
        count: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} of the skin has a coordinate that is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
}

/// A skin bound to a body.
#[derive(Clone, Debug)]
pub struct Skin {
    mesh: Arc<SkinMesh>,
    body: BodyId,
    /// All triangles that may be drawn, the outside first.
    triangles: Vec<Triangle>,
    /// r_p of each particle of the shape, in m.
    reach: Vec<f32>,
    /// Whom vertices follow, as of the body's bonds at the last update.
    bound: Bound,
    /// Hulls of the parts of fragments.
    parts: Vec<Hull>,
    /// The bonds, particles and pieces that both were made for.
    seen: ([usize; 2], Vec<PieceId>),
    moved: Vec<Vec3>,
    skinned: Skinned,
    lines: SkinnedLines,
}

/// What is drawn of a part of a fragment.
#[derive(Clone, Debug)]
struct Hull {
    /// Its column.
    particle: u32,
    /// About its centre at rest, in m.
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// The triangles of a body where they are now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skinned {
    /// Vertices relative to the origin that was asked for, in m. One that lies on a sharp edge or
    /// in several pieces is listed several times.
    pub positions: Vec<[f32; 3]>,
    /// Of unit length; up where all triangles around a vertex have lost their area.
    pub normals: Vec<[f32; 3]>,
    /// The particle that each vertex belongs to, as index into the body's columns.
    pub owners: Vec<u32>,
    /// Whether each vertex lies on a face that was inside the solid.
    pub inside: Vec<bool>,
    /// Three vertices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The edges of a body where they are now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinnedLines {
    /// Their ends, relative to the origin that was asked for, in m.
    pub positions: Vec<[f32; 3]>,
    /// The particle that each end belongs to, as index into the body's columns.
    pub owners: Vec<u32>,
    /// Two positions each.
    pub lines: Vec<[u32; 2]>,
}

impl Skin {
    /// Binds a mesh to a body.
    ///
    /// # Errors
    /// [`SkinError`] if the mesh names vertices or particles that do not exist.
    pub fn new(mesh: impl Into<Arc<SkinMesh>>, body: &Body) -> Result<Self, SkinError> {
        let mesh = mesh.into();
        mesh.check(body.shape_particle_count())?;
        let mut skin = Self {
            body: body.id(),
            triangles: smooth::triangles(&mesh),
            reach: bind::reach(&mesh, body),
            mesh,
            bound: Bound::default(),
            parts: Vec::new(),
            seen: ([usize::MAX; 2], Vec::new()),
            moved: Vec::new(),
            skinned: Skinned::default(),
            lines: SkinnedLines::default(),
        };
        skin.follow(body);
        Ok(skin)
    }

    /// The mesh that it was made of.
    pub fn mesh(&self) -> &Arc<SkinMesh> {
        &self.mesh
    }

    /// Where all triangles are now, relative to `origin`. Of another body than that which it was
    /// bound to nothing is drawn.
    pub fn update(&mut self, body: &Body, origin: [f64; 3]) -> &Skinned {
        if !self.belongs_to(body) {
            self.skinned = Skinned::default();
            self.seen.0 = [usize::MAX; 2];
            return &self.skinned;
        }
        self.follow(body);
        self.move_places(body, origin, 0..self.bound.surface);
        let Skinned { positions, normals, triangles, .. } = &mut self.skinned;
        positions.clear();
        positions.extend(self.bound.points.iter().map(|&p| self.moved[p as usize].to_array()));
        for Hull { particle, vertices, .. } in &self.parts {
            let (turn, centre) = body.frame_seen_from(*particle as usize, origin);
            positions.extend(vertices.iter().map(|&x| (centre + turn * x).to_array()));
        }
        normals.clear();
        normals.resize(positions.len(), [0.0; 3]);
        for corners in triangles.iter() {
            let [a, b, c] = corners.map(|v| Vec3::from(positions[v as usize]));
            let area = (b - a).cross(c - a);
            for &v in corners {
                let sum = &mut normals[v as usize];
                *sum = (Vec3::from(*sum) + area).to_array();
            }
        }
        for normal in normals.iter_mut() {
            *normal = Vec3::from(*normal).normalize_or(Vec3::Y).to_array();
        }
        &self.skinned
    }

    /// Where all edges are now, relative to `origin`; none for another body than its own.
    pub fn update_lines(&mut self, body: &Body, origin: [f64; 3]) -> &SkinnedLines {
        if !self.belongs_to(body) {
            self.lines = SkinnedLines::default();
            self.seen.0 = [usize::MAX; 2];
            return &self.lines;
        }
        self.follow(body);
        self.move_places(body, origin, 0..self.bound.places.len());
        let SkinnedLines { positions, owners, lines } = &mut self.lines;
        positions.clear();
        positions.extend(self.moved.iter().map(|x| x.to_array()));
        owners.clear();
        owners.extend(self.bound.places.iter().map(|place| place.owner));
        lines.clone_from(&self.bound.lines);
        &self.lines
    }

    fn belongs_to(&self, body: &Body) -> bool {
        body.id() == self.body && body.shape_particle_count() == self.reach.len()
    }

    /// Binds anew where bonds were cut since the last time.
    fn follow(&mut self, body: &Body) {
        let pieces = body.pieces().iter().map(Piece::id);
        let counts = [body.bond_count(), body.particle_count()];
        if self.seen.0 == counts && pieces.clone().eq(self.seen.1.iter().copied()) {
            return;
        }
        self.seen = (counts, pieces.collect());
        self.bound = Bound::new(&self.mesh, &self.triangles, &self.reach, body);
        let Skinned { owners, inside, triangles, .. } = &mut self.skinned;
        owners.clear();
        owners.extend(self.bound.points.iter().map(|&p| self.bound.places[p as usize].owner));
        inside.clone_from(&self.bound.inside);
        triangles.clone_from(&self.bound.triangles);
        self.parts = hulls_of_parts(body);
        for Hull { particle, vertices, triangles: own } in &self.parts {
            let first = owners.len() as u32;
            owners.extend(std::iter::repeat_n(*particle, vertices.len()));
            inside.extend(std::iter::repeat_n(true, vertices.len()));
            triangles.extend(own.iter().map(|corners| corners.map(|v| first + v)));
        }
    }

    /// Positions of a range of places, relative to `origin`: origins are subtracted in f64.
    fn move_places(&mut self, body: &Body, origin: [f64; 3], range: std::ops::Range<usize>) {
        let rest = body.rest_positions();
        let mut frames: Vec<(Mat3, Vec3)> = Vec::with_capacity(rest.len());
        let mut shifts = Vec::with_capacity(body.pieces().len());
        for piece in body.pieces() {
            shifts.push((DVec3::from(piece.origin()) - DVec3::from(origin)).as_vec3());
            let turns = body.orientations(piece);
            for (k, &x) in body.positions(piece).iter().enumerate() {
                let [q_x, q_y, q_z, q_w] = turns.get(k).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
                let turn = Rot { x: q_x, y: q_y, z: q_z, w: q_w }.to_mat3();
                let x_rest = Vec3::from(rest[frames.len()]);
                frames.push((turn, Vec3::from(x) - turn * x_rest));
            }
        }
        self.moved.clear();
        for Place { vertex, piece, influences, .. } in &self.bound.places[range] {
            let at = Vec3::from(self.mesh.vertices[*vertex as usize]);
            let mut sum = Vec3::ZERO;
            for &(particle, weight) in &self.bound.influences[influences.clone()] {
                let (turn, shift) = &frames[particle as usize];
                sum += weight * (*turn * at + *shift);
            }
            self.moved.push(sum + shifts[*piece as usize]);
        }
    }
}

/// What is drawn of all parts of fragments.
fn hulls_of_parts(body: &Body) -> Vec<Hull> {
    let parts = (0..body.particle_count()).filter(|&j| body.is_part(j));
    let drawn = parts.filter_map(|j| {
        let (shape, pose) = body.shape_at_rest(j)?;
        let ShapeSurface { vertices, triangles, .. } = ShapeSurface::new(shape, 8);
        let vertices = vertices.iter().map(|&x| pose.apply(x.into())).collect();
        Some(Hull { particle: j as u32, vertices, triangles })
    });
    drawn.collect()
}

impl SkinMesh {
    /// Refuses what names vertices or particles that do not exist.
    fn check(&self, particles: usize) -> Result<(), SkinError> {
        let finite = |x: &[f32; 3]| x.iter().all(|x| x.is_finite());
        if let Some(vertex) = self.vertices.iter().position(|x| !finite(x)) {
            return Err(SkinError::NotFinite { vertex });
        }
        let outside = self.outside.iter().map(|f| (&f.corners[..], [f.owner; 2]));
        let inside = self.inside.iter().map(|f| (&f.corners[..], f.between));
        let edges = self.edges.iter().map(|e| (&e.ends[..], [e.owner; 2]));
        for (vertices, owners) in outside.chain(inside).chain(edges) {
            let count = self.vertices.len();
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= count) {
                return Err(SkinError::NoVertex { vertex, count });
            }
            if let Some(&particle) = owners.iter().find(|&&p| p as usize >= particles) {
                return Err(SkinError::NoParticle { particle, count: particles });
            }
        }
        Ok(())
    }
}
