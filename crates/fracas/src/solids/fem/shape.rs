//! Tetrahedra of a solid, as they are handed in.

use super::topology;
use crate::material::PointValues;
use glam::{DVec3, Vec3};

/// Tetrahedra of a solid, in the frame of the shape.
///
/// Neighbours should be near each other in the lists: memory is read in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetShape {
    /// Positions, in m. Each belongs to a tetrahedron; each becomes a particle.
    pub vertices: Vec<[f32; 3]>,
    /// Corners a, b, c, d of each tetrahedron, with (b−a)×(c−a)·(d−a) > 0.
    pub tets: Vec<[u32; 4]>,
    /// Index into the body's materials of each tetrahedron; empty if all are of the first.
    pub materials: Vec<u16>,
    /// What a material can follow at the middle of each tetrahedron; empty if nothing is known.
    pub values: PointValues,
}

/// How a body of tetrahedra is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TetOptions {
    /// What solves the linear system of a substep.
    pub solver: TetSolver,
    /// Whether volume is kept by a term of its own, for nearly incompressible materials.
    pub keeps_volume: bool,
}

/// What solves the linear system of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TetSolver {
    /// Conjugate gradients with a two-level preconditioner.
    #[default]
    Iterative,
    /// A factor of the matrix; needs the feature `direct`.
    Direct,
    /// Broyden's method, as seed 001 has it: for comparison, and for `brittle` alone. It diverges where the stiffness is far beyond
    /// m/h², as that of every real material is at the step of a frame: then what it ends with counts as not converged, and nothing breaks.
    Broyden,
}

impl TetSolver {
    /// Whether this build has it.
    pub fn is_built_in(self) -> bool {
        match self {
            Self::Iterative | Self::Broyden => true,
            Self::Direct => cfg!(feature = "direct"),
        }
    }
}

/// Why tetrahedra are no solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TetShapeError {
    /// There is nothing.
    #[error("it has no tetrahedra")]
    Empty,
    /// More than indices can name.
    #[error("{count} {what} are more than a body may have: at most {most}")]
    TooMany {
        /// Vertices or tetrahedra.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A coordinate is no number.
    #[error("vertex {vertex} is at {position:?}: its coordinates must be finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Where it is said to be.
        position: [f32; 3],
    },
    /// A corner that does not exist.
    #[error("tetrahedron {tet} has the corner {corner}, but there are {count} vertices")]
    NoVertex {
        /// The tetrahedron.
        tet: usize,
        /// Its corner.
        corner: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A tetrahedron without a volume, or inside out.
    #[error(
        "tetrahedron {tet} has a volume of {volume:e} m³ with edges of {edge:e} m: it must be above {least:e} m³, so exchange two corners if it is inside out, or take it away"
    )]
    NoVolume {
        /// The tetrahedron.
        tet: usize,
        /// (b−a)×(c−a)·(d−a)/6, in m³.
        volume: f64,
        /// Its longest edge, in m.
        edge: f64,
        /// What it must be above, in m³.
        least: f64,
    },
    /// A face that more than two tetrahedra share.
    #[error(
        "the face {face:?} belongs to tetrahedra {first}, {second} and another: two may share a face"
    )]
    SharedTooOften {
        /// Its corners, in order.
        face: [u32; 3],
        /// A tetrahedron of it.
        first: usize,
        /// Another.
        second: usize,
    },
    /// A vertex that no tetrahedron has.
    #[error("vertex {vertex} belongs to no tetrahedron: take it away")]
    LooseVertex {
        /// The vertex.
        vertex: usize,
    },
    /// A list that does not fit.
    #[error("there are {found} materials for {count} tetrahedra: give one for each, or none")]
    MaterialCount {
        /// Its length.
        found: usize,
        /// How many there are.
        count: usize,
    },
    /// A material that the body does not have.
    #[error("tetrahedron {tet} is of material {material}, but there are {count}")]
    NoMaterial {
        /// The tetrahedron.
        tet: usize,
        /// The index.
        material: u16,
        /// How many materials the body has.
        count: usize,
    },
    /// Values that do not fit.
    #[error("{0}")]
    Values(String),
    /// A mass that is no number.
    #[error("vertex {vertex} has a mass of {mass} kg, which single precision cannot hold")]
    Mass {
        /// The vertex.
        vertex: usize,
        /// Its mass.
        mass: f64,
    },
    /// A solver that is not built in.
    #[error(
        "the direct solver is not built in: build with `--features direct`, or leave `solver` away"
    )]
    NoDirectSolver,
    /// A solver of another model.
    #[error("the solver of seed 001 (Broyden) is for `brittle` bodies alone: leave `solver` away")]
    OnlyBrittle,
}

/// Vertices and tetrahedra that a body may have: four slots of each tetrahedron are named by 32 bits.
const MOST: usize = (u32::MAX / 8) as usize;

/// Volume over the cube of the longest edge below which a tetrahedron is flat. A regular one has 0.118; below this the
/// gradients of the rest shape are rounding.
const FLAT: f64 = 1e-6;

impl TetShape {
    /// Six times the volume is (b−a)×(c−a)·(d−a); of tetrahedron `tet`, in m³.
    pub(crate) fn volume(&self, tet: usize) -> f64 {
        let [a, b, c, d] = self.corners_of(tet);
        (b - a).cross(c - a).dot(d - a) / 6.0
    }

    /// Where its corners are.
    pub(crate) fn corners_of(&self, tet: usize) -> [DVec3; 4] {
        self.tets[tet].map(|v| Vec3::from(self.vertices[v as usize]).as_dvec3())
    }

    /// The material of a tetrahedron.
    pub(crate) fn material(&self, tet: usize) -> u16 {
        self.materials.get(tet).copied().unwrap_or_default()
    }

    /// What is wrong with it, for a body of so many materials.
    pub(crate) fn check(&self, materials: usize) -> Result<(), TetShapeError> {
        self.check_counts()?;
        for (vertex, &position) in self.vertices.iter().enumerate() {
            if !position.iter().all(|x| x.is_finite()) {
                return Err(TetShapeError::NotFinite { vertex, position });
            }
        }
        let count = self.vertices.len();
        let mut used = vec![false; count];
        for tet in 0..self.tets.len() {
            for corner in self.tets[tet] {
                let seen = used.get_mut(corner as usize);
                *seen.ok_or(TetShapeError::NoVertex { tet, corner, count })? = true;
            }
            self.check_volume(tet)?;
            let material = self.material(tet);
            if material as usize >= materials {
                return Err(TetShapeError::NoMaterial { tet, material, count: materials });
            }
        }
        if let Some(vertex) = used.iter().position(|&used| !used) {
            return Err(TetShapeError::LooseVertex { vertex });
        }
        self.values.check(self.tets.len()).map_err(TetShapeError::Values)?;
        self.check_faces()
    }

    /// Two tetrahedra at most share a face, and lie on both sides of it.
    fn check_faces(&self) -> Result<(), TetShapeError> {
        let mut faces = topology::faces_of(&self.tets);
        faces.sort_unstable();
        for three in faces.windows(3) {
            let [a, b, c] = [three[0], three[1], three[2]];
            if a.face == b.face && b.face == c.face {
                let (first, second) = (a.tet as usize, b.tet as usize);
                return Err(TetShapeError::SharedTooOften { face: a.face, first, second });
            }
        }
        let same_side = |pair: &&[topology::SortedFace]| {
            pair[0].face == pair[1].face && pair[0].even == pair[1].even
        };
        match faces.windows(2).find(same_side) {
            Some(pair) => Err(TetShapeError::SharedTooOften {
                face: pair[0].face,
                first: pair[0].tet as usize,
                second: pair[1].tet as usize,
            }),
            None => Ok(()),
        }
    }

    fn check_counts(&self) -> Result<(), TetShapeError> {
        if self.tets.is_empty() {
            return Err(TetShapeError::Empty);
        }
        let counts = [("vertices", self.vertices.len()), ("tetrahedra", self.tets.len())];
        for (what, count) in counts {
            if count > MOST {
                return Err(TetShapeError::TooMany { what, count, most: MOST });
            }
        }
        let (found, count) = (self.materials.len(), self.tets.len());
        if found != 0 && found != count {
            return Err(TetShapeError::MaterialCount { found, count });
        }
        Ok(())
    }

    /// Conditions are written so that NaN fails them.
    fn check_volume(&self, tet: usize) -> Result<(), TetShapeError> {
        let corners = self.corners_of(tet);
        let mut edge = 0.0f64;
        for i in 0..4 {
            for j in 0..i {
                edge = edge.max(corners[i].distance(corners[j]));
            }
        }
        let (volume, least) = (self.volume(tet), FLAT * edge * edge * edge);
        if volume > least && (volume as f32) > 0.0 && volume.is_finite() {
            return Ok(());
        }
        Err(TetShapeError::NoVolume { tet, volume, edge, least })
    }
}
