//! Patterns as written, and why one is refused.

use crate::contact::shape::ShapeError;

/// A pattern of fracture as written in a scene file. Nothing is checked yet; see
/// [`Pattern`](super::Pattern).
///
/// ```toml
/// pattern = { voronoi = { radius = 0.2, count = 30, seed = 1 } }
/// pattern = { radial = { radius = 0.3, rays = 11, rings = 4, seed = 1 } }
/// pattern = { brick = { size = [0.24, 0.07, 0.11], radius = 0.5 } }
/// pattern = { cells = [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]] }
/// ```
///
/// Numbers are at least 1e-6 and at most 1e6 m where they are sizes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum PatternDesc {
    /// Voronoi cells of random points, denser towards the hit: stone, concrete.
    Voronoi {
        /// Farthest points from the hit, in m. Beyond, the solid stays in few parts.
        radius: f32,
        /// How many points; from 2 to 1,024. Fewer find room in what is much thinner than the
        /// radius.
        count: u32,
        /// Chooses the points.
        #[cfg_attr(feature = "serde", serde(default))]
        seed: u64,
    },
    /// Rays from the hit and rings around the line of impact: glass, plates.
    Radial {
        /// How far rays run, in m. Beyond, the solid stays in few parts.
        radius: f32,
        /// How many rays, two of them in one line; from 3 to 128.
        rays: u32,
        /// How many cells follow each other between two rays, from short to long; from 1 to 64.
        rings: u32,
        /// Chooses the angles and distances.
        #[cfg_attr(feature = "serde", serde(default))]
        seed: u64,
    },
    /// Bricks laid in courses, each shifted by half a brick. They lie in the frame of the fragment,
    /// wherever the hit is.
    Brick {
        /// Length, height and depth of a brick, in m.
        size: [f32; 3],
        /// How far from the hit bricks come loose, in m; not more than 16,384 of them.
        radius: f32,
        /// Direction of the length; need not be unit length.
        #[cfg_attr(feature = "serde", serde(default = "x_axis"))]
        along: [f32; 3],
        /// Direction from course to course, made perpendicular to `along`.
        #[cfg_attr(feature = "serde", serde(default = "y_axis"))]
        up: [f32; 3],
        /// Corner of a brick, in m.
        #[cfg_attr(feature = "serde", serde(default))]
        origin: [f32; 3],
    },
    /// Convex cells, each given by its corners in m, relative to the hit and with y along the impact.
    /// They must fill a convex solid without gaps and overlaps. At most 1,024.
    Cells(Vec<Vec<[f32; 3]>>),
}

#[cfg(feature = "serde")]
fn x_axis() -> [f32; 3] {
    [1.0, 0.0, 0.0]
}

#[cfg(feature = "serde")]
fn y_axis() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

/// Why a pattern was refused. Every message names the field and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A number lies outside what its field allows.
    #[error("{field} must be {allowed}, but is {found}")]
    OutOfRange {
        /// The field, as written in a scene file.
        field: &'static str,
        /// What it allows.
        allowed: &'static str,
        /// What was given.
        found: f32,
    },
    /// The corners of a cell span no solid.
    #[error("cells[{cell}]: {why}")]
    BadCell {
        /// Its place in the list.
        cell: usize,
        /// What is wrong with it.
        why: ShapeError,
    },
    /// Two cells take the same room.
    #[error("cells[{first}] and cells[{second}] must not overlap, but share {volume} m³")]
    Overlap {
        /// One of them.
        first: usize,
        /// The other.
        second: usize,
        /// Of what both hold, in m³.
        volume: f64,
    },
    /// There is room between cells.
    #[error(
        "cells must fill the smallest convex solid around them, {hull} m³, but together they have \
         {sum} m³"
    )]
    Gap {
        /// Sum of their volumes, in m³.
        sum: f64,
        /// Volume of the solid around them, in m³.
        hull: f64,
    },
}

/// More bricks than any hit should loosen at once.
const MAX_BRICKS: f32 = 16_384.0;

impl PatternDesc {
    /// Checks all numbers; the cells of a list are checked where they are made.
    pub(super) fn check(&self) -> Result<(), PatternError> {
        match self {
            Self::Voronoi { radius, count, seed: _ } => {
                require_size("voronoi.radius", *radius)?;
                let allowed = "from 2 to 1024";
                require((2..=1024).contains(count), "voronoi.count", allowed, *count as f32)
            }
            Self::Radial { radius, rays, rings, seed: _ } => {
                require_size("radial.radius", *radius)?;
                let holds = (3..=128).contains(rays);
                require(holds, "radial.rays", "from 3 to 128", *rays as f32)?;
                let holds = (1..=64).contains(rings);
                require(holds, "radial.rings", "from 1 to 64", *rings as f32)
            }
            Self::Brick { size, radius, along, up, origin } => {
                for s in size {
                    require_size("brick.size", *s)?;
                }
                require_size("brick.radius", *radius)?;
                let bricks: f32 = size.iter().map(|s| 2.0 * radius / s + 2.0).product();
                let allowed = "so small that it reaches at most 16384 bricks";
                require(bricks <= MAX_BRICKS, "brick.radius", allowed, *radius)?;
                require_axes(*along, *up)?;
                for x in origin {
                    let allowed = "within 1e6 m";
                    require(x.abs() <= 1.0e6, "brick.origin", allowed, *x)?;
                }
                Ok(())
            }
            Self::Cells(cells) => {
                let holds = (1..=1024).contains(&cells.len());
                require(holds, "number of cells", "from 1 to 1024", cells.len() as f32)
            }
        }
    }
}

/// `Ok` if two directions span a plane: both are there, and more than 1° apart.
fn require_axes(along: [f32; 3], up: [f32; 3]) -> Result<(), PatternError> {
    let [along, up] = [along, up].map(|d| glam::DVec3::from_array(d.map(f64::from)));
    for (field, d) in [("brick.along", along), ("brick.up", up)] {
        let length = d.length();
        let usable = length > 1.0e-12 && length.is_finite();
        require(usable, field, "a direction, not 0 and finite", length as f32)?;
    }
    let sine = along.normalize().cross(up.normalize()).length();
    let allowed = "more than 1° away from brick.along";
    require(sine > 0.0174, "brick.up", allowed, sine as f32)
}

/// `Ok` if `found` is a usable size. Written so that NaN fails.
fn require_size(field: &'static str, found: f32) -> Result<(), PatternError> {
    require((1.0e-6..=1.0e6).contains(&found), field, "between 1e-6 and 1e6 m", found)
}

fn require(
    holds: bool,
    field: &'static str,
    allowed: &'static str,
    found: f32,
) -> Result<(), PatternError> {
    if holds { Ok(()) } else { Err(PatternError::OutOfRange { field, allowed, found }) }
}
