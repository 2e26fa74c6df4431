//! Bodies of revolution with a wall: glasses, pots, pipes.
//!
//! The surface is a stack of rings of triangles about as wide as long, so that there are fewer
//! around where the radius is small; prisms through the wall are cut into tetrahedra.

use fracas::glam::DVec3;

use super::GenerateError;
use super::circle::{turn, widening};
use super::error::require_length;
use super::prisms::{MAX_ELEMENTS, inverted, prisms, require_tets};
use super::profile::{Point, Profile, Row};
use crate::surface::Surface;
use crate::tets::TetMesh;

/// A body of revolution about the y axis with a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct Lathe {
    /// The outer line as points (r, y), in m. Where it starts or ends on the axis, with r = 0, the
    /// body is closed: a glass is a line from the middle of its foot to its rim.
    pub profile: Vec<[f64; 2]>,
    /// Thickness of the wall, inwards from the outer line, in m.
    pub wall: f64,
    /// Layers of tetrahedra through the wall.
    pub layers: u32,
    /// How fine it is.
    pub resolution: LatheResolution,
}

/// How fine a body of revolution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LatheResolution {
    /// So many edges around the widest ring, at least 6; the others are about as long.
    Segments(u32),
    /// About so many tetrahedra: met within 3 % from 1,000 on.
    Tets(u32),
}

/// Makes a body of revolution.
///
/// Rings are widened a little, so that each polygon has the area of its circle and the body the
/// volume of the smooth one.
///
/// ```
/// use fracas_mesh::generate::{Lathe, LatheResolution, lathe};
///
/// let tumbler = Lathe {
///     profile: vec![[0.0, 0.0], [0.03, 0.0], [0.035, 0.1]],
///     wall: 0.002,
///     layers: 1,
///     resolution: LatheResolution::Tets(6000),
/// };
/// let mesh = lathe(&tumbler)?;
/// assert!(mesh.tets.len().abs_diff(6000) <= 180);
/// # Ok::<(), fracas_mesh::generate::GenerateError>(())
/// ```
///
/// # Errors
///
/// Lines that cross the axis or themselves, walls too thick for them; see [`GenerateError`].
pub fn lathe(lathe: &Lathe) -> Result<TetMesh, GenerateError> {
    require_length("wall", lathe.wall)?;
    let profile = Profile::new(&lathe.profile, Some(lathe.wall))?;
    require_tets(0, lathe.layers)?;
    let per_triangle = 3 * u64::from(lathe.layers);
    let rings = match lathe.resolution {
        LatheResolution::Segments(segments) => rings_of_segments(&profile, segments)?,
        LatheResolution::Tets(0) => return Err(GenerateError::NoTets),
        LatheResolution::Tets(tets) => rings_of_count(&profile, tets, per_triangle)?,
    };
    let triangles = stack(&rings);
    require_tets(triangles.len(), lathe.layers)?;

    // from the inner side to the outer, which the triangles face
    let layer = |j: u32| {
        let share = f64::from(j) / f64::from(lathe.layers);
        rings.iter().flat_map(move |ring| ring.points(ring.row.between(share)))
    };
    let vertices: Vec<DVec3> = (0..=lathe.layers).flat_map(layer).collect();
    let in_layer = vertices.len() / (lathe.layers as usize + 1);
    let tets = prisms(&triangles, in_layer, lathe.layers);
    let mesh = TetMesh { vertices, tets, ..TetMesh::default() };
    match inverted(&mesh) {
        Some((tets, at)) => Err(GenerateError::TooThick { thickness: lathe.wall, tets, at }),
        None => Ok(mesh),
    }
}

/// The space between a line of points (r, y), in m, and the y axis, turned about it, as a closed
/// surface: flat discs close it where the line does not end on the axis. So many edges around the
/// widest ring, at least 6; rings are widened as those of [`lathe`] are.
///
/// # Errors
///
/// Lines that cross the axis or themselves; see [`GenerateError`].
pub fn revolved(profile: &[[f64; 2]], segments: u32) -> Result<Surface, GenerateError> {
    let mut points = profile.to_vec();
    // flat discs where the line does not end on the axis
    if let (Some(&[r, y]), Some(&[last_r, last_y])) = (profile.first(), profile.last()) {
        if r != 0.0 {
            points.insert(0, [0.0, y]);
        }
        if last_r != 0.0 {
            points.push([0.0, last_y]);
        }
    }
    let rings = rings_of_segments(&Profile::new(&points, None)?, segments)?;
    let triangles = stack(&rings);
    if triangles.len() as u64 > MAX_ELEMENTS {
        return Err(GenerateError::TooManyElements { count: triangles.len() as u64 });
    }
    let vertices = rings.iter().flat_map(|ring| ring.points(ring.row.outer)).collect();
    Ok(Surface { vertices, triangles, ..Surface::default() })
}

/// Vertices around the axis.
struct Ring {
    row: Row,
    /// How many; 1 on the axis.
    count: u32,
    /// Turned by half an edge, so that the triangles between rings are nearly equilateral.
    turned: bool,
}

/// Fewest edges around: with 6 the polygon is as wide as its triangles are long.
const FEWEST: u32 = 6;

impl Ring {
    /// Its vertices for a point of the profile. Anti-clockwise seen from above is from z to x.
    fn points(&self, [r, y]: Point) -> impl Iterator<Item = DVec3> + use<> {
        let (count, half) = (self.count, u64::from(self.turned));
        let r = if count == 1 { 0.0 } else { r * widening(count) };
        (0..u64::from(count)).map(move |k| {
            let [cosine, sine] = turn(2 * k + half, 2 * u64::from(count));
            DVec3::new(r * sine, y, r * cosine)
        })
    }

    /// How many edges it has: none on the axis.
    fn edges(&self) -> u32 {
        if self.count == 1 { 0 } else { self.count }
    }

    /// Where vertex k is, in turns; k may be `count`, one turn on.
    fn turns(&self, k: u32) -> f64 {
        (f64::from(k) + if self.turned { 0.5 } else { 0.0 }) / f64::from(self.count)
    }
}

fn rings_of_segments(profile: &Profile, segments: u32) -> Result<Vec<Ring>, GenerateError> {
    if segments < FEWEST {
        return Err(GenerateError::FewSegments { segments });
    }
    let edge = std::f64::consts::TAU * profile.widest() / f64::from(segments);
    rings(profile, edge, EQUILATERAL * edge, 1)
}

/// Height of an equilateral triangle over its edge.
const EQUILATERAL: f64 = 0.866_025_403_784_438_6;

/// Rings with edges about so long and so far apart, in m.
fn rings(
    profile: &Profile,
    edge: f64,
    apart: f64,
    per_triangle: u64,
) -> Result<Vec<Ring>, GenerateError> {
    let count = (most_triangles(profile, edge) as u64).saturating_mul(per_triangle);
    if count > 4 * MAX_ELEMENTS {
        return Err(GenerateError::TooManyElements { count });
    }
    let ring = |(i, row): (usize, Row)| {
        let around = (std::f64::consts::TAU * row.between(0.5)[0] / edge).round() as u32;
        let count = if row.outer[0] == 0.0 { 1 } else { around.max(FEWEST) };
        Ring { row, count, turned: i % 2 == 1 }
    };
    Ok(profile.rows(apart).into_iter().enumerate().map(ring).collect())
}

/// An upper estimate: an equilateral triangle has an area of 0.43 edge², but there are at least
/// twice 6 between two rings, and a ring at each point of the profile.
fn most_triangles(profile: &Profile, edge: f64) -> f64 {
    let around = std::f64::consts::TAU * profile.widest();
    let at_points = 2.0 * profile.points() as f64 * around;
    profile.area() / (0.43 * edge * edge) + (12.0 * profile.length() + at_points) / edge
}

/// Rings with about so many tetrahedra: the count falls with the length of edges, up to steps,
/// so bisection comes close, and the nearest that it meets is taken. The steps are those of whole
/// rings; so a second search keeps the rings and changes how many edges they have.
fn rings_of_count(
    profile: &Profile,
    tets: u32,
    per_triangle: u64,
) -> Result<Vec<Ring>, GenerateError> {
    let ideal = (profile.area() * per_triangle as f64 / (0.43 * f64::from(tets))).sqrt();
    let mut longest = ideal;
    while most_triangles(profile, longest) * per_triangle as f64 > f64::from(tets)
        && longest < 1.0e3 * ideal
    {
        longest *= 2.0;
    }
    let search = |lengths: [f64; 2], apart: &dyn Fn(f64) -> f64| {
        nearest_count(tets, lengths, |edge| {
            let rings = rings(profile, edge, apart(edge), per_triangle)?;
            let between = |pair: &[Ring]| u64::from(pair[0].edges()) + u64::from(pair[1].edges());
            let count = per_triangle * rings.windows(2).map(between).sum::<u64>();
            Ok((count as f64, rings))
        })
    };
    let (edge, _) = search([0.25 * ideal, longest], &|edge| EQUILATERAL * edge)?;
    let (_, rings) = search([0.8 * edge, 1.25 * edge], &|_| EQUILATERAL * edge)?;
    Ok(rings)
}

/// Bisection for the length that gives the wished count, which falls with it: the nearest that it
/// meets, with what was made of it. Lengths for which nothing could be made are too short.
fn nearest_count<T>(
    wished: u32,
    [mut short, mut long]: [f64; 2],
    make: impl Fn(f64) -> Result<(f64, T), GenerateError>,
) -> Result<(f64, T), GenerateError> {
    let mut best = Err(GenerateError::TooManyElements { count: wished.into() });
    let mut least = f64::INFINITY;
    for _ in 0..30 {
        let length = (short * long).sqrt();
        let mut over = f64::INFINITY;
        if let Ok((count, made)) = make(length) {
            over = count - f64::from(wished);
            if over.abs() < least {
                (least, best) = (over.abs(), Ok((length, made)));
            }
        }
        if over > 0.0 {
            short = length;
        } else {
            long = length;
        }
    }
    best
}

/// Triangles between neighbouring rings, facing away from the axis. Between two rings the next
/// triangle is the one on the side whose next vertex comes first around.
fn stack(rings: &[Ring]) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    let mut first = 0;
    for pair in rings.windows(2) {
        let [low, high] = pair else { continue };
        let (from, to) = (first, first + low.count);
        let at_low = |k: u32| from + k % low.count;
        let at_high = |k: u32| to + k % high.count;
        let (mut i, mut j) = (0, 0);
        while i < low.edges() || j < high.edges() {
            let low_first = low.turns(i) + low.turns(i + 1) <= high.turns(j) + high.turns(j + 1);
            if i < low.edges() && (j == high.edges() || low_first) {
                triangles.push([at_low(i), at_low(i + 1), at_high(j)]);
                i += 1;
            } else {
                triangles.push([at_low(i), at_high(j + 1), at_high(j)]);
                j += 1;
            }
        }
        first = to;
    }
    triangles
}
