//! A closed surface, filled with tetrahedra.
//!
//! ```text
//! ClosedSurface → unit box → lattice → cut and warped → checked → improved → TetMesh
//!                 (shape)    (lattice)                  (topology) (improve)
//! ```

mod conform;
mod enclose;
mod features;
mod improve;
mod lattice;
mod quality;
mod shape;
mod topology;

use crate::surface::ClosedSurface;
use crate::tets::TetMesh;
use shape::Shape;

/// Most tetrahedra of one mesh.
pub const MAX_TETS: u32 = 5_000_000;

/// How far the count may be from the wished one, over it: less than the promised 3 %, so that no
/// rounding decides.
const COUNT_TOLERANCE: f64 = 0.0299;

/// How a surface is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// About how many tetrahedra, at most [`MAX_TETS`]; met within 3 %.
    pub tets: u32,
    /// Whether the tetrahedra follow the surface or enclose it.
    pub fit: Fit,
}

impl Filling {
    /// About so many tetrahedra that follow the surface.
    pub fn tets(tets: u32) -> Self {
        Self { tets, fit: Fit::Conform }
    }
}

/// How tetrahedra lie to the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fit {
    /// Their boundary is the surface: what is simulated has its shape and volume.
    #[default]
    Conform,
    /// They hold the surface inside, for a skin that is embedded in them.
    Enclose,
}

/// Fills a closed surface with tetrahedra.
///
/// With [`Fit::Conform`] all tetrahedra are positive with dihedral angles above 9°; the boundary
/// is closed, nowhere pinched, has the same parts with the same Euler characteristics as the
/// surface, encloses the same volume to 0.2 %, and is nowhere farther from it than a lattice cell. What cannot be had so is an error. Named parts
/// and attributes are left empty.
///
/// # Errors
///
/// See [`FillError`].
pub fn fill(surface: &ClosedSurface, filling: &Filling) -> Result<TetMesh, FillError> {
    let tets = filling.tets;
    if tets == 0 {
        return Err(FillError::NoTets);
    }
    if tets > MAX_TETS {
        return Err(FillError::TooManyTets { tets });
    }
    let shape = Shape::new(surface)?;
    let mesh = match filling.fit {
        Fit::Conform => conform::conform(&shape, tets)?,
        Fit::Enclose => enclose::enclose(&shape, tets)?,
    };
    Ok(shape.restore(mesh))
}

/// Why a surface could not be filled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FillError {
    /// No tetrahedra were asked for.
    #[error("a solid needs at least one tetrahedron, but the count is 0")]
    NoTets,
    /// More tetrahedra than [`MAX_TETS`].
    #[error("{tets} tetrahedra were asked for, but a mesh has at most {MAX_TETS}")]
    TooManyTets {
        /// As asked for.
        tets: u32,
    },
    /// The surface encloses nothing, or a vertex is not finite.
    #[error(
        "the surface encloses {volume} m³, which must be above 0; are its triangles \
         counter-clockwise seen from outside?"
    )]
    NoInside {
        /// In m³.
        volume: f64,
    },
    /// An edge has more or less than two triangles.
    #[error("the surface is not closed: an edge does not have exactly two triangles")]
    NotClosed,
    /// A thin, long shape would need a lattice of too many points.
    #[error(
        "the box around the surface would hold {points:.1e} lattice points, at most {max:.1e} are \
         taken; ask for fewer tetrahedra, or turn a long shape along an axis",
        max = lattice::MAX_POINTS
    )]
    LatticeTooLarge {
        /// That would be needed.
        points: f64,
    },
    /// The body is a thin wall almost everywhere.
    #[error(
        "at {tets} tetrahedra the cells are {width:.2e} m wide, but most of the body is a wall of \
         {wall:.2e} m; ask for {least} tetrahedra at least, or use the shell or lathe generator"
    )]
    TooThin {
        /// As asked for.
        tets: u32,
        /// Width of a cell, in m.
        width: f64,
        /// Thickness that half of the surface does not have under it, in m.
        wall: f64,
        /// Fewer cannot do.
        least: u64,
    },
    /// No lattice gave a mesh of the same shape.
    #[error(
        "at {tets} tetrahedra the cells are {width:.2e} m wide, too coarse for this shape: {flaw}; \
         {advice}"
    )]
    ShapeLost {
        /// As asked for.
        tets: u32,
        /// Width of a cell, in m.
        width: f64,
        /// What was wrong with the best mesh.
        flaw: Flaw,
        /// What would help.
        advice: Advice,
    },
    /// No cell size came close enough to the wished count.
    #[error(
        "{tets} tetrahedra were asked for, but whole cells give {closest} at the closest; ask for \
         that many"
    )]
    CountMissed {
        /// As asked for.
        tets: u32,
        /// The closest count.
        closest: usize,
    },
}

/// How a shape that was lost could be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// A count that was tried and found to do, if there is one within reason.
    pub needed: Option<u32>,
}

impl std::fmt::Display for Advice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.needed {
            Some(needed) => write!(f, "about {needed} tetrahedra would do"),
            None => f.write_str(
                "more did not help within reason; thicken the walls, or use the shell generator",
            ),
        }
    }
}

/// What was wrong with a mesh that was thrown away.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The count was missed.
    #[error("the closest count was {found}")]
    Count {
        /// Tetrahedra.
        found: usize,
    },
    /// Parts of the body touched in a point or an edge.
    #[error("parts of the body that lie closer than a cell grew together in a point")]
    Pinched,
    /// The boundary has other parts or holes than the surface.
    #[error(
        "thin walls or narrow gaps were lost (the mesh has {} boundary parts with Euler \
         characteristic {}, the surface {} with {})",
        found.0, found.1, wanted.0, wanted.1
    )]
    Parts {
        /// Number of parts of the boundary and the sum of their Euler characteristics.
        found: (usize, i64),
        /// The same of the surface.
        wanted: (usize, i64),
    },
    /// Parts of the boundary run through each other.
    #[error("parts of the body that lie closer than a cell grew into each other")]
    Crossing,
    /// A tetrahedron was too flat.
    #[error("a tetrahedron has an angle below 9°")]
    Angle,
    /// The volume could not be corrected.
    #[error("the volume is off by {:.2} %", 100.0 * error)]
    Volume {
        /// Found over right, less 1.
        error: f64,
    },
    /// A part of the surface is far from the mesh.
    #[error("a spike or thin wall was lost, {cells:.1} cells away from the mesh")]
    Far {
        /// Distance in widths of a cell.
        cells: f64,
    },
}

impl Flaw {
    /// The one that says more about the shape: that of the mesh that came further.
    fn worse(self, other: Self) -> Self {
        let reached = |flaw: Self| match flaw {
            Self::Count { .. } => 0,
            Self::Pinched => 1,
            Self::Parts { .. } => 2,
            Self::Angle => 3,
            Self::Volume { .. } => 4,
            Self::Far { .. } => 5,
            Self::Crossing => 6,
        };
        if reached(self) >= reached(other) { self } else { other }
    }
}
