//! The drawable surface of a body: triangles that follow it, split where it breaks, and show its inside.
//!
//! ```text
//! SkinMesh (shape's frame) → Binding (to a body) → SkinUpdate → Drawn → Skinned (where everything is now)
//!                            whom vertices follow   what leaves  whoever draws
//! ```
//!
//! Every triangle has an owner: a fragment, which is a particle, or a tetrahedron. Faces between two owners are drawn
//! on both sides once what joined them is cut. Vertices follow particles by one of two rules, see `weights.rs`, and
//! split where the owners around them no longer hang together, see `bind.rs`.
//!
//! Models without orientations have R_p = I. The faces of particles that were taken away are gone. Of fragments that broke
//! again the hulls of their parts are drawn instead, as inside.

mod bind;
mod drawn;
mod dust;
mod numbers;
mod plan;
mod remeshed;
mod sheet;
mod smooth;
mod splinters;
mod surface;
mod update;
mod weights;

pub use bind::Binding;
pub use drawn::Drawn;
pub use dust::{Dust, DustConfig, Speck, SpeckKind};
pub use splinters::Splinter;
pub use surface::ShapeSurface;
pub use update::{
    ClusterChange, ClusterMesh, GONE, Ring, SkinBasis, SkinPart, SkinPoint, SkinRest, SkinState,
    SkinUpdate,
};

use crate::parallel::Workers;
use crate::world::{Body, PieceId};
use glam::Vec3;
use std::sync::Arc;

/// What can be drawn of a shape, in the shape's frame.
///
/// Particles are named by their number in the shape: the order in which it lists them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinMesh {
    /// Positions, in m.
    pub vertices: Vec<[f32; 3]>,
    /// Whom faces belong to.
    pub owners: Owners,
    /// The owner that each vertex follows as long as what it belongs to hangs together; empty if it is one of those of
    /// its faces.
    pub homes: Vec<u32>,
    /// The boundary of the whole.
    pub outside: Vec<Face>,
    /// Texture coordinates of the corners of each of its faces; empty if there are none.
    pub uvs: Vec<[[f32; 2]; 3]>,
    /// Normals of the corners of each of its faces, of unit length; found from the faces if there are none.
    pub normals: Vec<[[f32; 3]; 3]>,
    /// Where it can come apart.
    pub inside: Vec<InsideFace>,
    /// What it is built of, as lines: the edges of tetrahedra. Empty where there are none.
    pub edges: Vec<Edge>,
    /// What of it stays whole: all faces, or none where this is empty.
    pub splinters: Vec<Splinter>,
}

/// A triangle of the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Vertices, counter-clockwise seen from outside.
    pub corners: [u32; 3],
    /// The owner it belongs to.
    pub owner: u32,
}

/// A triangle between two owners, drawn on both sides once nothing joins them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsideFace {
    /// Vertices, counter-clockwise seen from outside the first owner.
    pub corners: [u32; 3],
    /// The two owners; [`GONE`] instead of the second where nothing is across it any more.
    pub between: [u32; 2],
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Vertices.
    pub ends: [u32; 2],
    /// The owner it belongs to.
    pub owner: u32,
}

/// Whom faces belong to, and so by which rule their vertices follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Owners {
    /// Particles, by number: vertices are blended between the owner and what is bonded to it.
    #[default]
    Particles,
    /// Tetrahedra, given by the numbers of their corners: vertices keep their place in the owner.
    Tets(Vec<[u32; 4]>),
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
    /// There are texture coordinates or normals, but not of every outer face.
    #[error("the skin has {what} of {found} faces, but {faces} outer faces")]
    NotAllFaces {
        /// Which of the two.
        what: &'static str,
        /// How many faces have them.
        found: usize,
        /// How many there are.
        faces: usize,
    },
    /// There are homes, but not of every vertex.
    #[error("the skin has homes of {found} vertices, but {vertices} vertices")]
    NotAllVertices {
        /// How many vertices have one.
        found: usize,
        /// How many there are.
        vertices: usize,
    },
    /// The body splits its tetrahedra along cracks, and the mesh draws something else than their faces.
    #[error(
        "the body splits its tetrahedra along cracks, which only a skin of their own faces can follow: draw those, or do not remesh it"
    )]
    Remeshed,
    /// A splinter is not one.
    #[error(
        "splinter {number} of the skin has vertices, faces or tetrahedra of others, or lacks its own"
    )]
    BadSplinter {
        /// Which.
        number: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} of the skin has a coordinate that is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
}

/// A skin bound to a body and drawn by the processor: a [`Binding`] and the [`Drawn`] that it updates.
///
/// ```
/// use fracas::contact::shape::Shape;
/// use fracas::material::{Material, presets};
/// use fracas::math::Rot;
/// use fracas::skin::{Skin, SkinMesh};
/// use fracas::world::{RigidPart, ShapeDesc};
/// use fracas::{BodyDesc, World, WorldConfig};
///
/// let shape = Shape::sphere(0.1)?;
/// let ball = [RigidPart { shape, position: [0.0; 3], rotation: Rot::IDENTITY, material: 0 }];
/// let steel = Material::try_from(&presets::steel())?;
/// let mut world = World::new(WorldConfig::default())?;
/// let desc = BodyDesc::new("ball", ShapeDesc::Rigid(ball.to_vec()), vec![steel]);
/// let id = world.spawn(BodyDesc { position: [5.0, 1.0, 0.0], ..desc })?;
///
/// let mut skin = Skin::new(SkinMesh::of_rigid(&ball, 32), world.body(id).unwrap())?;
/// world.step(1.0 / 60.0);
/// let drawn = skin.update(world.body(id).unwrap(), [5.0, 1.0, 0.0]); // relative to this point
/// assert!(drawn.positions.iter().all(|x| x[1] < 0.1), "it falls");
/// assert_eq!(drawn.positions.len(), drawn.normals.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Skin {
    binding: Binding,
    drawn: Drawn,
    lines: SkinnedLines,
}

/// The triangles of a body where they are now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skinned {
    /// Vertices relative to the origin that was asked for, in m. One that lies on a sharp edge or
    /// in several pieces is listed several times.
    pub positions: Vec<[f32; 3]>,
    /// Of unit length.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates; 0 where there are none.
    pub uvs: Vec<[f32; 2]>,
    /// The particle that each vertex belongs to, as index into the states of the update: its owner, or the corner of the
    /// tetrahedron that owns it which it follows most.
    pub owners: Vec<u32>,
    /// The piece that each vertex belongs to.
    pub pieces: Vec<PieceId>,
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
    /// Two positions each.
    pub lines: Vec<[u32; 2]>,
}

impl Skin {
    /// Binds a mesh to a body.
    ///
    /// # Errors
    /// [`SkinError`] if the mesh names vertices or particles that do not exist.
    pub fn new(mesh: impl Into<Arc<SkinMesh>>, body: &Body) -> Result<Self, SkinError> {
        Ok(Self {
            binding: Binding::new(mesh, body)?,
            drawn: Drawn::default(),
            lines: SkinnedLines::default(),
        })
    }

    /// The same, moved by several threads. Results do not depend on it.
    pub fn with_workers(self, workers: Workers) -> Self {
        Self { drawn: self.drawn.with_workers(workers), ..self }
    }

    /// The mesh that it was made of.
    pub fn mesh(&self) -> &Arc<SkinMesh> {
        self.binding.mesh()
    }

    /// Draws deformation so many times as large, see [`Binding::draw_deformation`].
    pub fn draw_deformation(&mut self, times: Option<f32>) {
        self.binding.draw_deformation(times);
    }

    /// Column of each state in the body, or [`GONE`]: to whom the owners of vertices belong.
    pub fn columns(&self) -> &[u32] {
        self.binding.columns()
    }

    /// What the last update told.
    pub fn last(&self) -> &SkinUpdate {
        self.binding.last()
    }

    /// Where all triangles are now, relative to `origin`. Of another body than that which it was
    /// bound to nothing is drawn.
    pub fn update(&mut self, body: &Body, origin: [f64; 3]) -> &Skinned {
        static NOTHING: Skinned = Skinned::NOTHING;
        if !self.binding.belongs_to(body) {
            return &NOTHING;
        }
        self.drawn.apply(self.binding.update(body, origin));
        self.drawn.evaluate()
    }

    /// Updates the skins of several bodies on several threads, as [`update`](Self::update) does one after the other;
    /// [`skinned`](Self::skinned) then gives what came of it.
    pub fn update_all(skins: &mut [(&mut Self, &Body)], origin: [f64; 3], workers: &Workers) {
        workers.enter(|| {
            workers.for_each(skins, &|(skin, body)| {
                skin.update(body, origin);
            });
        });
    }

    /// What the last update gave.
    pub fn skinned(&self) -> &Skinned {
        self.drawn.skinned()
    }

    /// Where all edges are now, relative to `origin`; none for another body than its own.
    pub fn update_lines(&mut self, body: &Body, origin: [f64; 3]) -> &SkinnedLines {
        self.lines = SkinnedLines::default();
        if self.binding.belongs_to(body) {
            self.drawn.apply(self.binding.update(body, origin));
            self.drawn.evaluate();
            let Self { binding, drawn, lines, .. } = self;
            let mesh = binding.mesh_now();
            for edge in &mesh.edges {
                let ends = edge.ends.map(|v| Some((v, binding.owner_at(v, edge.owner)?)));
                let [Some(from), Some(to)] = ends else { continue };
                let first = lines.positions.len() as u32;
                lines.lines.push([first, first + 1]);
                let at = |v: u32| Vec3::from(mesh.vertices[v as usize]);
                let moved = [from, to].map(|(v, owner)| drawn.place(at(v), owner).to_array());
                lines.positions.extend(moved);
            }
        }
        &self.lines
    }
}

impl Skinned {
    const NOTHING: Self = Self {
        positions: Vec::new(),
        normals: Vec::new(),
        uvs: Vec::new(),
        owners: Vec::new(),
        pieces: Vec::new(),
        inside: Vec::new(),
        triangles: Vec::new(),
    };
}

impl SkinMesh {
    /// Normals at the corners of triangles, counter-clockwise seen from outside: smooth, but for edges of more than 40°.
    pub fn corner_normals(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[[f32; 3]; 3]> {
        let outside = triangles.iter().map(|&corners| Face { corners, owner: 0 }).collect();
        let mesh = Self { vertices: vertices.to_vec(), outside, ..Self::default() };
        let triangles = smooth::triangles(&mesh);
        let normals = smooth::normals(&mesh, &triangles);
        let of =
            |triangle: &smooth::Triangle| triangle.group.map(|g| normals[g as usize].to_array());
        triangles.iter().map(of).collect()
    }

    /// Refuses what names vertices, tetrahedra or particles that do not exist.
    fn check(&self, particles: usize) -> Result<(), SkinError> {
        let finite = |x: &[f32; 3]| x.iter().all(|x| x.is_finite());
        if let Some(vertex) = self.vertices.iter().position(|x| !finite(x)) {
            return Err(SkinError::NotFinite { vertex });
        }
        if let Owners::Tets(tets) = &self.owners {
            let mut corners = tets.iter().flatten().copied();
            if let Some(particle) = corners.find(|&p| p as usize >= particles) {
                return Err(SkinError::NoParticle { particle, count: particles });
            }
        }
        let faces = self.outside.len();
        for (what, found) in
            [("texture coordinates", self.uvs.len()), ("normals", self.normals.len())]
        {
            if found > 0 && found != faces {
                return Err(SkinError::NotAllFaces { what, found, faces });
            }
        }
        let (found, vertices) = (self.homes.len(), self.vertices.len());
        if found > 0 && found != vertices {
            return Err(SkinError::NotAllVertices { found, vertices });
        }
        let owner_count = self.owner_count(particles);
        let outside = self.outside.iter().map(|f| (&f.corners[..], [f.owner; 2]));
        let sides = |[a, b]: [u32; 2]| [a, if b == GONE { a } else { b }];
        let inside = self.inside.iter().map(|f| (&f.corners[..], sides(f.between)));
        let edges = self.edges.iter().map(|e| (&e.ends[..], [e.owner; 2]));
        let homes = self.homes.iter().map(|&home| (&[][..], [home; 2]));
        for (vertices, owners) in outside.chain(inside).chain(edges).chain(homes) {
            let count = self.vertices.len();
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= count) {
                return Err(SkinError::NoVertex { vertex, count });
            }
            if let Some(&particle) = owners.iter().find(|&&p| p as usize >= owner_count) {
                return Err(SkinError::NoParticle { particle, count: owner_count });
            }
        }
        self.check_splinters(owner_count)
    }
}
