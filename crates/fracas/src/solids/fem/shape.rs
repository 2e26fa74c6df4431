//! Tetrahedra of a solid, as they are handed in.

use crate::material::PointValues;

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
}
