//! Sharp edges and corners of a surface, which a mesh should keep.

use fracas::glam::DVec3;
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::Polyline;

/// Edges are sharp if the normals beside them differ by more than this, in cosine: 40°.
const SHARP: f64 = 0.766;

/// Sharp edges, and corners where they meet or turn.
pub(super) struct Features {
    edges: Option<Polyline>,
    corners: Option<Polyline>,
}

impl Features {
    /// Finds them in a closed surface.
    pub(super) fn of(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let edges = sharp_edges(vertices, triangles);
        let corners = corners(vertices, &edges).into_iter().map(|v| [v, v]).collect();
        let tree = |lines: Vec<[u32; 2]>| {
            (!lines.is_empty()).then(|| Polyline::new(vertices.to_vec(), Some(lines)))
        };
        Self { edges: tree(edges), corners: tree(corners) }
    }

    /// The closest point of a sharp edge within a reach.
    pub(super) fn nearest_edge(&self, point: DVec3, reach: f64) -> Option<DVec3> {
        nearest(&self.edges, point, reach).map(|(_, place)| place)
    }

    /// The closest corner within a reach: a number for it, and its place.
    pub(super) fn nearest_corner(&self, point: DVec3, reach: f64) -> Option<(u32, DVec3)> {
        nearest(&self.corners, point, reach)
    }
}

fn nearest(lines: &Option<Polyline>, point: DVec3, reach: f64) -> Option<(u32, DVec3)> {
    let (foot, (line, _)) =
        lines.as_ref()?.project_local_point_and_get_location_with_max_dist(point, true, reach)?;
    foot.point.is_finite().then_some((line, foot.point))
}

/// Edges whose two triangles are bent, sorted.
fn sharp_edges(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (t, &[a, b, c]) in triangles.iter().enumerate() {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            sides.push(([a.min(b), a.max(b)], t as u32));
        }
    }
    sides.sort_unstable();
    let normal = |t: u32| {
        let [a, b, c] = triangles[t as usize].map(|v| vertices[v as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let sharp = |same: &[([u32; 2], u32)]| match *same {
        [(edge, t), (_, u)] if normal(t).dot(normal(u)) < SHARP => Some(edge),
        _ => None,
    };
    sides.chunk_by(|a, b| a.0 == b.0).filter_map(sharp).collect()
}

/// Vertices where three or more sharp edges meet, or two that turn.
fn corners(vertices: &[DVec3], edges: &[[u32; 2]]) -> Vec<u32> {
    let mut ends: Vec<[u32; 2]> = edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
    ends.sort_unstable();
    let is_corner = |ends: &[[u32; 2]]| match *ends {
        [_] => false,
        [[v, a], [_, b]] => {
            let [v, a, b] = [v, a, b].map(|v| vertices[v as usize]);
            (v - a).normalize_or_zero().dot((b - v).normalize_or_zero()) < SHARP
        }
        _ => true,
    };
    ends.chunk_by(|a, b| a[0] == b[0])
        .filter(|ends| is_corner(ends))
        .map(|ends| ends[0][0])
        .collect()
}
