//! One triangle, divided along segments: a constrained Delaunay triangulation in its plane.

use fracas::glam::DVec3;
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation, mitigate_underflow};

use super::{ClipError, Sheets};

/// A piece of a triangle, or all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Vertices, the same way around as the triangle.
    pub corners: [u32; 3],
    /// Number of the triangle in its sheet.
    pub source: u32,
}

type Plane = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// The pieces of a triangle with these corners, with these vertices around it, that has these
/// segments on it.
pub(super) fn divided(
    sheets: &Sheets,
    corners: [u32; 3],
    ring: &[u32],
    segments: &[(u32, [u32; 2])],
) -> Result<Vec<[u32; 3]>, ClipError> {
    let overlap = || ClipError::Overlap { near: sheets.centre(corners) };
    // those of the corners are the lowest, so the first three points span the triangle
    let mut vertices: Vec<u32> =
        ring.iter().copied().chain(segments.iter().flat_map(|s| s.1)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut plane = points(sheets, corners, &vertices).ok_or_else(overlap)?;
    let around = ring.iter().zip(ring.iter().cycle().skip(1)).map(|(&a, &b)| [a, b]);
    for ends in around.chain(segments.iter().map(|s| s.1)) {
        // sorted, so every vertex is found
        let [from, to] = ends
            .map(|v| FixedVertexHandle::from_index(vertices.partition_point(|&other| other < v)));
        // more than one if another point lies on it, none if it crosses another
        if plane.try_add_constraint(from, to).len() != 1 {
            return Err(overlap());
        }
    }
    let pieces = within(&plane, &vertices);
    // Euler: so many if all other points lie within the ring
    let expected = 2 * vertices.len() - ring.len() - 2;
    if pieces.len() == expected { Ok(pieces) } else { Err(overlap()) }
}

/// The vertices in the plane, numbered in their order; `None` if two are in the same place.
fn points(sheets: &Sheets, corners: [u32; 3], vertices: &[u32]) -> Option<Plane> {
    let [across, up] = axes(sheets.corners(corners));
    let mut plane = Plane::with_capacity(vertices.len(), 3 * vertices.len(), 2 * vertices.len());
    for (number, &v) in vertices.iter().enumerate() {
        let place = sheets.vertices[v as usize];
        let point = mitigate_underflow(Point2::new(place[across], place[up]));
        if plane.insert(point).ok()?.index() != number {
            return None;
        }
    }
    Some(plane)
}

/// The axes that a triangle is seen along as large as can be, and counter-clockwise.
fn axes([a, b, c]: [DVec3; 3]) -> [usize; 2] {
    let normal = (b - a).cross(c - a);
    let axis = normal.abs().max_position();
    let [across, up] = [(axis + 1) % 3, (axis + 2) % 3];
    if normal[axis] > 0.0 { [across, up] } else { [up, across] }
}

/// The triangles within the constraints: all that are not reached from outside.
fn within(plane: &Plane, vertices: &[u32]) -> Vec<[u32; 3]> {
    let mut reached = vec![false; plane.num_all_faces()];
    // hull edges run clockwise: the triangles are to their right
    let hull = plane.convex_hull().filter(|edge| !edge.is_constraint_edge());
    let mut open: Vec<_> = hull.map(|edge| edge.rev().face().fix()).collect();
    while let Some(face) = open.pop() {
        let Some(face) = plane.face(face).as_inner() else { continue };
        if std::mem::replace(&mut reached[face.index()], true) {
            continue;
        }
        let passable = face.adjacent_edges().into_iter().filter(|edge| !edge.is_constraint_edge());
        open.extend(passable.map(|edge| edge.rev().face().fix()));
    }
    let kept = plane.inner_faces().filter(|face| !reached[face.index()]);
    kept.map(|face| face.vertices().map(|v| vertices[v.index()])).collect()
}
