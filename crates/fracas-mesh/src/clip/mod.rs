//! A closed surface, cut into cells by a partition of space: one mesh that fits together exactly.
//!
//! ```text
//! Partition, shaken → segments of both → patches, triangulated → cells, inside → Clipped
//!                     (crossings)        (patch)                 (label, probe)  (check)
//! ```
//!
//! Which edge crosses which triangle is decided exactly, and everything else follows from that by
//! numbers of vertices alone; coordinates only shape the triangles. So that no edge touches another
//! in a single point, the partition is shaken a little first; where that, or rounding, still goes
//! wrong, it is shaken anew.

mod check;
mod crossings;
mod label;
mod patch;
mod probe;
#[cfg(test)]
mod tests;

use fracas::glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use crate::random;
use crate::surface::{Surface, describe};
use crossings::Crossings;
use patch::Part;

/// How often the partition is shaken anew before it counts as impossible.
const ATTEMPTS: u64 = 8;

/// How far a vertex of the partition is shaken along each axis, over its shortest edge: not to be
/// seen, and 10¹² times the rounding.
const SHAKE: f64 = 1.0e-4;

/// A partition of space into cells, as far as a surface reaches.
///
/// Its faces meet in common vertices and edges only, also when each vertex moves by 10⁻⁴ of its
/// shortest edge. Where it meets the surface, it reaches beyond.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// Positions, in m.
    pub vertices: Vec<DVec3>,
    /// Where cells meet.
    pub faces: Vec<PartitionFace>,
    /// The cell that is everywhere if there are no faces.
    pub lone: u32,
}

/// A triangle between two cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartitionFace {
    /// Vertices, counter-clockwise seen from outside the first cell.
    pub corners: [u32; 3],
    /// The two cells.
    pub between: [u32; 2],
}

/// A surface in cells: for every cell, its parts outside and inside close without a gap, vertex by
/// vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clipped {
    /// Positions, in m: first those of the surface, as they were.
    pub vertices: Vec<DVec3>,
    /// What the triangles of the surface became, in their order.
    pub outside: Vec<OutsidePart>,
    /// What is left of the faces of the partition, in their order.
    pub inside: Vec<InsidePart>,
}

/// A part of a triangle of the surface, or all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutsidePart {
    /// Vertices, counter-clockwise seen from outside.
    pub corners: [u32; 3],
    /// The cell below.
    pub cell: u32,
    /// The triangle of the surface that it lies in.
    pub triangle: u32,
}

/// A part of a face of the partition, or all of it, inside the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InsidePart {
    /// Vertices, counter-clockwise seen from outside the first cell.
    pub corners: [u32; 3],
    /// The two cells.
    pub between: [u32; 2],
    /// The face of the partition that it lies in.
    pub face: u32,
}

/// Why a surface was not cut.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// A triangle of the surface has a corner that does not exist.
    #[error("triangle {triangle} of the surface has a vertex that does not exist")]
    MissingVertex {
        /// Which triangle.
        triangle: usize,
    },
    /// The same of a face of the partition.
    #[error("face {face} of the partition has a vertex that does not exist")]
    MissingPartitionVertex {
        /// Which face.
        face: usize,
    },
    /// A vertex is at no place.
    #[error("a vertex of the surface or of the partition is not finite")]
    NotFinite,
    /// A face has the same cell on both sides.
    #[error("face {face} of the partition has cell {cell} on both sides")]
    SameCell {
        /// Which face.
        face: usize,
        /// The cell.
        cell: u32,
    },
    /// An edge touches a triangle in its rim, however the partition was shaken.
    #[error("the surface or the partition has a triangle without area")]
    Flat,
    /// A triangle could not be divided as the crossings on it ask for.
    #[error(
        "the pieces near {} overlap: does the surface, or the partition, cross itself there?",
        describe(*near)
    )]
    Overlap {
        /// A place in it, in m.
        near: DVec3,
    },
    /// A part of the surface belongs to two cells.
    #[error(
        "near {} the surface belongs to both cell {} and cell {}: the partition does not part them",
        describe(*near), cells[0], cells[1]
    )]
    NotParted {
        /// A place in the part, in m.
        near: DVec3,
        /// The cells.
        cells: [u32; 2],
    },
    /// A part of the partition is both inside and outside.
    #[error("near {} the surface does not part inside from outside", describe(*near))]
    NoInside {
        /// A place in the part, in m.
        near: DVec3,
    },
    /// The pieces of a cell leave a gap.
    #[error(
        "cell {cell} is not closed: the surface has a hole, or the partition ends inside it, or \
         its cells do not fit together"
    )]
    Open {
        /// The first of such cells.
        cell: u32,
    },
}

/// Cuts a closed surface into cells.
///
/// The vertices of the surface stay where they are; those of the partition move by up to 10⁻⁴ of
/// their shortest edge along each axis, by chance that depends on `seed` alone.
///
/// ```
/// use fracas::glam::DVec3;
/// use fracas_mesh::clip::{Partition, PartitionFace, clip};
/// use fracas_mesh::generate::surfaces;
///
/// let block = surfaces::block([1.0; 3])?;
/// let corner = |y, z| DVec3::new(0.1, y, z);
/// let vertices = vec![corner(-3.0, -3.0), corner(9.0, -3.0), corner(-3.0, 9.0)];
/// let faces = vec![PartitionFace { corners: [0, 1, 2], between: [0, 1] }];
/// let halves = clip(&block, &Partition { vertices, faces, lone: 0 }, 1)?;
/// assert!(halves.outside.iter().any(|part| part.cell == 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// See [`ClipError`]. What is returned is closed.
pub fn clip(surface: &Surface, partition: &Partition, seed: u64) -> Result<Clipped, ClipError> {
    check::input(surface, partition)?;
    let tree = tree(surface);
    let mut result = Err(ClipError::Flat);
    for attempt in 0..ATTEMPTS {
        result = shaken_clip(surface, partition, &tree, &[seed, attempt]);
        if result.is_ok() {
            break;
        }
    }
    result
}

impl Clipped {
    /// Weights of the corners of the source triangle at a corner (0, 1 or 2) of a part: what values
    /// at its corners, as texture coordinates, are weighted with there.
    pub fn weights(&self, surface: &Surface, part: &OutsidePart, corner: usize) -> [f64; 3] {
        let vertex = part.corners[corner];
        let source = surface.triangles[part.triangle as usize];
        if source.contains(&vertex) {
            return source.map(|v| f64::from(u8::from(v == vertex)));
        }
        let [a, b, c] = surface.corners(part.triangle as usize);
        let from_a = self.vertices[vertex as usize] - a;
        let normal = (b - a).cross(c - a);
        let share = |area: DVec3| area.dot(normal) / normal.length_squared();
        let (of_b, of_c) = (share(from_a.cross(c - a)), share((b - a).cross(from_a)));
        // rounding may put it outside by a little, by more in a needle
        let weights = [1.0 - of_b - of_c, of_b, of_c].map(|weight| weight.max(0.0));
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }
}

/// The two sets of triangles, with vertices numbered through: those of the surface, those of the
/// partition, and where they cross.
struct Sheets {
    vertices: Vec<DVec3>,
    surface: Vec<[u32; 3]>,
    partition: Vec<[u32; 3]>,
    /// The first vertex of the partition.
    first: u32,
}

impl Sheets {
    fn new(surface: &Surface, partition: &Partition, key: &[u64; 2]) -> Self {
        let first = surface.vertices.len() as u32;
        let size = surface.bounds().map_or(0.0, |[low, high]| low.distance(high));
        let mut vertices = surface.vertices.clone();
        vertices.extend(shaken(partition, size, key));
        let faces = partition.faces.iter().map(|face| face.corners.map(|v| first + v));
        let (surface, partition) = (surface.triangles.clone(), faces.collect());
        Self { vertices, surface, partition, first }
    }

    fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|v| self.vertices[v as usize])
    }

    fn centre(&self, triangle: [u32; 3]) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        (a + b + c) / 3.0
    }
}

/// The vertices of a partition, each a little off its place; never more than the surface, which is
/// of this size, would show.
fn shaken(partition: &Partition, size: f64, key: &[u64; 2]) -> impl Iterator<Item = DVec3> {
    let mut shortest = vec![size; partition.vertices.len()];
    for [a, b, c] in partition.faces.iter().map(|face| face.corners.map(|v| v as usize)) {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            let length = partition.vertices[i].distance(partition.vertices[j]);
            shortest[i] = shortest[i].min(length);
            shortest[j] = shortest[j].min(length);
        }
    }
    let [seed, attempt] = *key;
    partition.vertices.iter().zip(shortest).enumerate().map(move |(v, (&place, length))| {
        let random = |axis| random::signed(seed, &[attempt, v as u64, axis]);
        place + SHAKE * length * DVec3::from([0, 1, 2].map(random))
    })
}

fn bounds([a, b, c]: [DVec3; 3]) -> Aabb {
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}

fn tree(surface: &Surface) -> Bvh {
    let boxes: Vec<Aabb> =
        (0..surface.triangles.len()).map(|t| bounds(surface.corners(t))).collect();
    Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes)
}

/// Cuts a surface by a partition that is shaken by chance of this key.
fn shaken_clip(
    surface: &Surface,
    partition: &Partition,
    tree: &Bvh,
    key: &[u64; 2],
) -> Result<Clipped, ClipError> {
    let mut sheets = Sheets::new(surface, partition, key);
    let crossings = Crossings::find(&mut sheets, tree)?;
    let parts = crossings.divide(&sheets, &sheets.surface, crossings.by_triangle())?;
    let cells = cells(&sheets, partition, &crossings, &parts)?;
    let outside: Vec<OutsidePart> = parts
        .iter()
        .zip(cells)
        .map(|(part, cell)| OutsidePart { corners: part.corners, cell, triangle: part.source })
        .collect();

    let parts = crossings.divide(&sheets, &sheets.partition, crossings.by_face())?;
    let sides = sides(&sheets, tree, key, &crossings, &parts)?;
    let left = parts.iter().zip(sides).filter(|&(_, side)| side == INSIDE);
    let inside: Vec<InsidePart> = left
        .map(|(&Part { corners, source: face }, _)| InsidePart {
            corners,
            between: partition.faces[face as usize].between,
            face,
        })
        .collect();
    let clipped = Clipped { vertices: sheets.vertices, outside, inside };
    check::closed(&clipped)?;
    Ok(compacted(clipped, surface.vertices.len()))
}

/// The cell of each part of the surface.
fn cells(
    sheets: &Sheets,
    partition: &Partition,
    crossings: &Crossings,
    parts: &[Part],
) -> Result<Vec<u32>, ClipError> {
    let walls = crossings.segments.iter().map(|segment| {
        let [left, right] = partition.faces[segment.of[1] as usize].between;
        (segment.ends, left, right)
    });
    let near = |part: &Part| sheets.centre(part.corners);
    label::spread(
        parts,
        walls,
        |part, cells| ClipError::NotParted { near: near(part), cells },
        |part| probe::cell(sheets, partition, part.corners[0]),
    )
}

const OUTSIDE: u32 = 0;
const INSIDE: u32 = 1;

/// [`INSIDE`] or [`OUTSIDE`] for each part of the partition.
fn sides(
    sheets: &Sheets,
    tree: &Bvh,
    key: &[u64; 2],
    crossings: &Crossings,
    parts: &[Part],
) -> Result<Vec<u32>, ClipError> {
    let walls = crossings.segments.iter().map(|segment| (segment.ends, OUTSIDE, INSIDE));
    let near = |part: &Part| sheets.centre(part.corners);
    label::spread(
        parts,
        walls,
        |part, _| ClipError::NoInside { near: near(part) },
        |part| {
            let inside = probe::inside(sheets, tree, part.corners[0], key)?;
            Ok(if inside { INSIDE } else { OUTSIDE })
        },
    )
}

/// Without the vertices that no part uses, but for the first so many.
fn compacted(clipped: Clipped, kept: usize) -> Clipped {
    let Clipped { vertices, mut outside, mut inside } = clipped;
    let mut used = vec![false; vertices.len()];
    used[..kept].fill(true);
    let corners = outside.iter().map(|part| part.corners);
    for v in corners.chain(inside.iter().map(|part| part.corners)).flatten() {
        used[v as usize] = true;
    }
    let mut count = 0;
    let number: Vec<u32> = used
        .iter()
        .map(|&used| {
            count += u32::from(used);
            count.saturating_sub(1)
        })
        .collect();
    let outside_corners = outside.iter_mut().map(|part| &mut part.corners);
    for corners in outside_corners.chain(inside.iter_mut().map(|part| &mut part.corners)) {
        *corners = corners.map(|v| number[v as usize]);
    }
    let vertices = vertices.into_iter().zip(used).filter_map(|(x, used)| used.then_some(x));
    Clipped { vertices: vertices.collect(), outside, inside }
}
