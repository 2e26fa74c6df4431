//! Why a shape was refused, and the checks at the border.

use fracas::glam::DVec3;

use super::profile::MOST_POINTS;
use super::{MAX_ELEMENTS, MAX_PARTICLES};
use crate::surface::{SurfaceError, describe};

/// Why a shape was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A length of the shape, or the spacing, is not usable.
    #[error("the {what} must be above 0 and finite, but is {found} m")]
    BadSize {
        /// Which length.
        what: &'static str,
        /// What was given.
        found: f32,
    },
    /// A length of a surface or a mesh is not usable.
    #[error("the {what} must be from 1e-9 to 1e9 m, but is {found} m")]
    BadLength {
        /// Which length.
        what: &'static str,
        /// What was given.
        found: f64,
    },
    /// No particles were asked for.
    #[error("a shape needs at least one particle, but the particle count is 0")]
    NoParticles,
    /// A lattice has no cells along an axis.
    #[error("a lattice needs at least one cell along each axis, but has {} × {} × {}", .0[0], .0[1], .0[2])]
    EmptyLattice(
        /// Cells along x, y and z.
        [u32; 3],
    ),
    /// The lattice is finer than this machine should be asked for.
    #[error(
        "the shape would have about {count} particles, but at most {MAX_PARTICLES} are allowed"
    )]
    TooManyParticles {
        /// How many there would be.
        count: u64,
    },
    /// The cells are so small or large that their moments leave single precision.
    #[error("cells must be from 1e-6 to 1e6 m wide, but one side would be {found} m")]
    BadCell {
        /// The width of a cell, in m.
        found: f32,
    },
    /// The jitter could let particles meet.
    #[error("jitter must be from 0 to 0.4 of the spacing, but is {found}")]
    BadJitter {
        /// What was given.
        found: f32,
    },
    /// A sheet has more than one layer.
    #[error("a sheet is one particle thick, but its lattice has {} × {} × {} cells", .0[0], .0[1], .0[2])]
    ThickSheet(
        /// Cells along x, y and z.
        [u32; 3],
    ),
    /// The ring has no hole.
    #[error("the tube of a torus must be thinner than its radius of {radius} m, but is {tube} m")]
    ThickTube {
        /// From the axis to the middle of the tube, in m.
        radius: f64,
        /// Radius of the tube, in m.
        tube: f64,
    },
    /// The box around a thin ring has too many cells.
    #[error(
        "the lattice around the ring would have about {count} cells, but at most {MAX_CELLS} are \
         looked through; ask for fewer particles, or make the ring of parts"
    )]
    TooManyCells {
        /// How many there would be.
        count: u64,
    },
    /// The mesh is finer than this machine should be asked for.
    #[error(
        "the mesh would have about {count} tetrahedra or triangles, but at most {MAX_ELEMENTS} are allowed"
    )]
    TooManyElements {
        /// How many there would be.
        count: u64,
    },
    /// No tetrahedra were asked for.
    #[error("a mesh needs at least one tetrahedron, but the count is 0")]
    NoTets,
    /// The wall or shell has no layers.
    #[error("a wall needs at least one layer of tetrahedra, but has 0")]
    NoLayers,
    /// Too few edges around.
    #[error("a round shape needs at least 6 edges around (3 for a torus), but has {segments}")]
    FewSegments {
        /// How many there are.
        segments: u32,
    },
    /// A profile is no line, or has too many points.
    #[error("a profile needs from 2 to {MOST_POINTS} points, but has {points}")]
    BadProfile {
        /// How many there are.
        points: usize,
    },
    /// A point of a profile is not where it may be.
    #[error(
        "point {index} of the profile is (r {r}, y {y}): r must be 1e-9 m or more, or 0 at the \
         two ends, and both within 1e6 m (counted from 0)"
    )]
    BadProfilePoint {
        /// Which.
        index: usize,
        /// Distance from the axis, in m.
        r: f64,
        /// Height, in m.
        y: f64,
    },
    /// Two points of a profile are the same.
    #[error(
        "point {index} of the profile is less than 1e-9 m from the one before it (counted from 0)"
    )]
    RepeatedProfilePoint {
        /// The second of the two.
        index: usize,
    },
    /// A profile crosses itself.
    #[error(
        "the profile crosses itself: its segments {} and {} meet (counted from 0)",
        .segments[0], .segments[1]
    )]
    CrossingProfile {
        /// Which.
        segments: [usize; 2],
    },
    /// A profile turns back.
    #[error(
        "the profile turns by more than 150°, or meets the axis nearly along it, at (r {r}, y {y}): \
         the wall would have no end there"
    )]
    SharpCorner {
        /// Distance of the corner from the axis, in m.
        r: f64,
        /// Its height, in m.
        y: f64,
    },
    /// The wall does not fit into the profile.
    #[error(
        "the wall of {wall} m is too thick for the profile: its inside would cross the axis or the \
         profile near (r {r}, y {y})"
    )]
    ThickWall {
        /// How thick it is, in m.
        wall: f64,
        /// Distance of a point there from the axis, in m.
        r: f64,
        /// Its height, in m.
        y: f64,
    },
    /// The offset of a surface turns tetrahedra inside out.
    #[error(
        "a thickness of {thickness} m is too much for how curved the surface is: {tets} tetrahedra \
         would be inside out, for example near {}",
        describe(*.at)
    )]
    TooThick {
        /// How thick it is, in m.
        thickness: f64,
        /// How many would be inside out.
        tets: usize,
        /// Where.
        at: DVec3,
    },
    /// The surface cannot be given a thickness.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
}

/// The most cells that are looked through for those inside a shape.
pub(super) const MAX_CELLS: u64 = 64_000_000;

/// `Ok` for a length that something can have; NaN is none.
pub(super) fn require_size(what: &'static str, found: f32) -> Result<(), GenerateError> {
    if found > 0.0 && found.is_finite() {
        Ok(())
    } else {
        Err(GenerateError::BadSize { what, found })
    }
}

/// The same in double precision, within a range that volumes can be computed for.
pub(super) fn require_length(what: &'static str, found: f64) -> Result<(), GenerateError> {
    if (1.0e-9..=1.0e9).contains(&found) {
        Ok(())
    } else {
        Err(GenerateError::BadLength { what, found })
    }
}

/// `Ok` for a number of particles that may be made.
pub(super) fn require_count(count: u64) -> Result<(), GenerateError> {
    match count {
        0 => Err(GenerateError::NoParticles),
        1..=MAX_PARTICLES => Ok(()),
        _ => Err(GenerateError::TooManyParticles { count }),
    }
}
