//! Where the triangles of the surface and the faces of the partition cross, decided exactly with
//! Shewchuk's predicates.
//!
//! An edge of one sheet that passes through a triangle of the other is one new vertex; a triangle
//! and a face that cross share two of those, the ends of a segment.

use fracas::glam::DVec3;
use parry3d_f64::partitioning::Bvh;
use robust::{Coord3D, orient3d};

use super::patch::{self, Part};
use super::{ClipError, Sheets, bounds};

/// An edge of one sheet through a triangle of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crossing {
    /// Vertices of the edge, the lower first; they tell which sheet it is of.
    edge: [u32; 2],
    /// Number of the triangle in the other sheet.
    triangle: u32,
}

/// Where a triangle of the surface and a face of the partition cross.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// The triangle and the face.
    pub of: [u32; 2],
    /// Vertices. Seen from outside the surface, the first cell of the face is to the left of the
    /// way from the first to the second; seen from outside that cell, outside the surface is.
    pub ends: [u32; 2],
}

/// All crossings of the two sheets.
pub(super) struct Crossings {
    pub segments: Vec<Segment>,
    /// In the order of their vertices.
    crossings: Vec<Crossing>,
    /// Vertices of the crossings, edge by edge in their order, along each edge from its lower
    /// vertex.
    along: Vec<u32>,
}

impl Crossings {
    /// Finds them, and adds their vertices to the sheets.
    pub fn find(sheets: &mut Sheets, tree: &Bvh) -> Result<Self, ClipError> {
        let meetings = meetings(sheets, tree)?;
        let mut crossings: Vec<Crossing> = meetings.iter().flat_map(|m| m.1).collect();
        crossings.sort_unstable();
        crossings.dedup();
        let first = sheets.vertices.len() as u32;
        // sorted, so every crossing is found
        let vertex = |c: Crossing| first + crossings.partition_point(|&other| other < c) as u32;
        let segment = |&(of, ends): &Meeting| Segment { of, ends: ends.map(vertex) };
        let segments = meetings.iter().map(segment).collect();

        let shares: Vec<f64> = crossings.iter().map(|&c| share(sheets, c)).collect();
        let places: Vec<DVec3> =
            crossings.iter().zip(&shares).map(|(c, &share)| place(sheets, c.edge, share)).collect();
        sheets.vertices.extend(places);
        let along = along(&crossings, &shares).into_iter().map(|i| first + i).collect();
        Ok(Self { segments, crossings, along })
    }

    /// Segments by the triangle of the surface that they are on, in order.
    pub fn by_triangle(&self) -> Vec<(u32, [u32; 2])> {
        self.by(0)
    }

    /// Segments by the face of the partition that they are on, in order.
    pub fn by_face(&self) -> Vec<(u32, [u32; 2])> {
        self.by(1)
    }

    fn by(&self, sheet: usize) -> Vec<(u32, [u32; 2])> {
        let mut by: Vec<_> = self.segments.iter().map(|s| (s.of[sheet], s.ends)).collect();
        by.sort_unstable();
        by
    }

    /// The triangles of a sheet, each divided along its segments.
    pub fn divide(
        &self,
        sheets: &Sheets,
        triangles: &[[u32; 3]],
        segments: Vec<(u32, [u32; 2])>,
    ) -> Result<Vec<Part>, ClipError> {
        let mut parts = Vec::with_capacity(triangles.len() + 4 * segments.len());
        let mut rest = segments.as_slice();
        for (source, &corners) in (0..).zip(triangles) {
            let (on, later) = rest.split_at(rest.partition_point(|segment| segment.0 <= source));
            rest = later;
            if on.is_empty() {
                parts.push(Part { corners, source });
            } else {
                let pieces = patch::divided(sheets, corners, &self.ring(corners), on)?;
                parts.extend(pieces.into_iter().map(|corners| Part { corners, source }));
            }
        }
        Ok(parts)
    }

    /// The vertices around a triangle.
    fn ring(&self, corners: [u32; 3]) -> Vec<u32> {
        let mut ring = Vec::new();
        for k in 0..3 {
            let [from, to] = [corners[k], corners[(k + 1) % 3]];
            ring.push(from);
            let on = self.on([from.min(to), from.max(to)]);
            if from < to {
                ring.extend(on);
            } else {
                ring.extend(on.iter().rev());
            }
        }
        ring
    }

    /// The vertices on an edge, from its lower end.
    fn on(&self, edge: [u32; 2]) -> &[u32] {
        let start = self.crossings.partition_point(|c| c.edge < edge);
        let count = self.crossings[start..].iter().take_while(|c| c.edge == edge).count();
        &self.along[start..start + count]
    }
}

/// A triangle and a face, and the ends of their segment.
type Meeting = ([u32; 2], [Crossing; 2]);

fn meetings(sheets: &Sheets, tree: &Bvh) -> Result<Vec<Meeting>, ClipError> {
    let mut meetings = Vec::new();
    for (f, &face) in (0..).zip(&sheets.partition) {
        for t in tree.intersect_aabb(&bounds(sheets.corners(face))) {
            if let Some(ends) = meeting(sheets, [t, f])? {
                meetings.push(([t, f], ends));
            }
        }
    }
    Ok(meetings)
}

/// The start and the end of the segment of a triangle and a face.
///
/// With normals n and m of the two, it runs along n × m. The triangle lies left of its own edges,
/// so an edge that goes to the front of the face is where the segment starts. The face lies left of
/// its edges too, so one that goes to the front of the triangle is where it ends.
fn meeting(sheets: &Sheets, of: [u32; 2]) -> Result<Option<[Crossing; 2]>, ClipError> {
    let [t, f] = of;
    let triangles = [sheets.surface[t as usize], sheets.partition[f as usize]];
    let places = triangles.map(|triangle| sheets.corners(triangle));
    let behind = [behind(places[1], places[0])?, behind(places[0], places[1])?];
    if behind.iter().any(|&[a, b, c]| a == b && b == c) {
        return Ok(None);
    }
    let mut ends: [Vec<Crossing>; 2] = Default::default();
    for sheet in [0, 1] {
        for k in 0..3 {
            let next = (k + 1) % 3;
            let edge = [places[sheet][k], places[sheet][next]];
            if behind[sheet][k] != behind[sheet][next] && passes(edge, places[1 - sheet])? {
                let [a, b] = [triangles[sheet][k], triangles[sheet][next]];
                let crossing = Crossing { edge: [a.min(b), a.max(b)], triangle: of[1 - sheet] };
                let starts = (sheet == 0) == behind[sheet][k];
                ends[usize::from(!starts)].push(crossing);
            }
        }
    }
    match [ends[0].as_slice(), ends[1].as_slice()] {
        [[], []] => Ok(None),
        [&[start], &[end]] => Ok(Some([start, end])),
        _ => Err(ClipError::Flat),
    }
}

/// Which corners of a triangle lie behind another.
fn behind(t: [DVec3; 3], [a, b, c]: [DVec3; 3]) -> Result<[bool; 3], ClipError> {
    Ok([is_behind(t, a)?, is_behind(t, b)?, is_behind(t, c)?])
}

/// Place of a crossing along its edge, from 0 at the lower vertex to 1.
fn share(sheets: &Sheets, crossing: Crossing) -> f64 {
    let Crossing { edge, triangle } = crossing;
    let of_surface = edge[0] < sheets.first;
    let other = if of_surface { &sheets.partition } else { &sheets.surface };
    let corners = sheets.corners(other[triangle as usize]);
    let [low, high] = edge.map(|v| volume(corners, sheets.vertices[v as usize]));
    low / (low - high)
}

fn place(sheets: &Sheets, edge: [u32; 2], share: f64) -> DVec3 {
    let [low, high] = edge.map(|v| sheets.vertices[v as usize]);
    low + share * (high - low)
}

/// Numbers of the crossings, edge by edge, sorted along each.
fn along(crossings: &[Crossing], shares: &[f64]) -> Vec<u32> {
    let mut along: Vec<u32> = (0..crossings.len() as u32).collect();
    let edge = |i: u32| crossings[i as usize].edge;
    for same in along.chunk_by_mut(|&a, &b| edge(a) == edge(b)) {
        same.sort_by(|&a, &b| shares[a as usize].total_cmp(&shares[b as usize]));
    }
    along
}

/// Where the way from one point to another passes a triangle, from 0 to 1; `None` if beside it.
pub(super) fn passage([from, to]: [DVec3; 2], t: [DVec3; 3]) -> Result<Option<f64>, ClipError> {
    if is_behind(t, from)? == is_behind(t, to)? || !passes([from, to], t)? {
        return Ok(None);
    }
    let start = volume(t, from);
    Ok(Some(start / (start - volume(t, to))))
}

/// Whether a point lies behind a triangle, where its normal points away from.
pub(super) fn is_behind(t: [DVec3; 3], point: DVec3) -> Result<bool, ClipError> {
    positive(volume(t, point))
}

/// Whether a line passes all edges of a triangle on the same side.
fn passes([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Result<bool, ClipError> {
    let first = positive(volume([p, q, a], b))?;
    Ok(positive(volume([p, q, b], c))? == first && positive(volume([p, q, c], a))? == first)
}

/// The sign of a volume, which must have one.
fn positive(volume: f64) -> Result<bool, ClipError> {
    if volume == 0.0 || volume.is_nan() { Err(ClipError::Flat) } else { Ok(volume > 0.0) }
}

/// Six times the volume between a triangle and a point, above 0 behind it; the sign is exact.
fn volume([a, b, c]: [DVec3; 3], d: DVec3) -> f64 {
    let coordinate = |x: DVec3| Coord3D { x: x.x, y: x.y, z: x.z };
    orient3d(coordinate(a), coordinate(b), coordinate(c), coordinate(d))
}
