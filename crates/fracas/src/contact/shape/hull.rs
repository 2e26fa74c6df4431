//! Convex polyhedra.

use super::{ShapeError, quickhull, require_points};
use glam::{DVec3, Vec3};

/// A convex polyhedron: the smallest that holds given points.
///
/// Its faces are polygons; triangles of one plane are joined, so that a cube has six.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<Vec3>,
    /// The vertices in f64, for the narrow phase.
    points: Vec<DVec3>,
    faces: Vec<Face>,
    /// Mean of the vertices: some point well inside.
    centre: DVec3,
    /// From the centre to the nearest face.
    thickness: f64,
}

/// A face of a [`Hull`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Face {
    /// Counter-clockwise from outside.
    pub vertices: Vec<u16>,
    /// Of the edge from each vertex to the next; the same number on both sides of the edge.
    pub edges: Vec<u16>,
    /// Outward, unit length.
    pub normal: DVec3,
}

/// More vertices than any contact needs; features are numbered in 15 bits.
const MAX_VERTICES: usize = 8192;

impl Hull {
    /// The smallest convex polyhedron that holds all `points`, given in m in any order. Points
    /// inside, and up to 1e-6 of the size outside, are left out.
    ///
    /// # Errors
    /// If a coordinate is not finite, or the points lie in a plane, on a line or in one place.
    pub fn new(points: &[Vec3]) -> Result<Self, ShapeError> {
        require_points("points of the hull", points)?;
        let given: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
        let mut triangles = quickhull::triangles(&given)?;

        let mut used: Vec<usize> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        if used.len() > MAX_VERTICES {
            let (list, allowed) = ("vertices of the hull", format!("at most {MAX_VERTICES}"));
            return Err(ShapeError::WrongCount { list, allowed, found: used.len() });
        }
        for corner in triangles.iter_mut().flatten() {
            *corner = used.partition_point(|u| u < corner);
        }
        let vertices: Vec<Vec3> = used.iter().map(|&i| points[i]).collect();
        let points: Vec<DVec3> = vertices.iter().map(|p| p.as_dvec3()).collect();
        let faces = join_coplanar(&points, &triangles);
        Ok(Self::of_faces(vertices, points, faces).without_strays())
    }

    /// Without vertices that lie within a polygon that was joined around them.
    fn without_strays(self) -> Self {
        let mut used: Vec<u16> =
            self.faces.iter().flat_map(|f| f.vertices.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        if used.len() == self.vertices.len() {
            return self;
        }
        let Self { vertices, points, mut faces, .. } = self;
        for v in faces.iter_mut().flat_map(|f| &mut f.vertices) {
            *v = used.partition_point(|u| u < v) as u16;
        }
        let vertices = used.iter().map(|&v| vertices[v as usize]).collect();
        let points = used.iter().map(|&v| points[v as usize]).collect();
        Self::of_faces(vertices, points, faces)
    }

    fn of_faces(vertices: Vec<Vec3>, points: Vec<DVec3>, faces: Vec<Face>) -> Self {
        let centre = points.iter().sum::<DVec3>() / points.len() as f64;
        let height = |f: &Face| f.normal.dot(points[f.vertices[0] as usize] - centre);
        let thickness = faces.iter().map(height).fold(f64::INFINITY, f64::min);
        Self { vertices, points, faces, centre, thickness }
    }

    /// From what a snapshot saved; none if a face names a vertex that is not there.
    pub(super) fn from_parts(vertices: Vec<Vec3>, faces: Vec<Face>) -> Option<Self> {
        let fits = |face: &Face| {
            let here = |&v: &u16| (v as usize) < vertices.len();
            let sound = face.vertices.len() >= 3 && face.edges.len() == face.vertices.len();
            sound && face.vertices.iter().all(here) && face.normal.is_finite()
        };
        let sound = vertices.len() >= 4 && vertices.len() <= MAX_VERTICES && faces.len() >= 4;
        if !sound || !faces.iter().all(fits) || vertices.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let points = vertices.iter().map(|p| p.as_dvec3()).collect();
        Some(Self::of_faces(vertices, points, faces))
    }

    /// Its corners, in m, in the order they were given.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Corners of every face, counter-clockwise from outside.
    pub fn polygons(&self) -> impl Iterator<Item = &[u16]> {
        self.faces.iter().map(|f| f.vertices.as_slice())
    }

    pub(crate) fn points(&self) -> &[DVec3] {
        &self.points
    }

    pub(crate) fn faces(&self) -> &[Face] {
        &self.faces
    }

    pub(crate) fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Whether the origin of its frame is inside.
    pub(crate) fn holds_origin(&self) -> bool {
        self.faces.iter().all(|f| f.normal.dot(self.points[f.vertices[0] as usize]) > 0.0)
    }

    /// From the centre to the nearest face, in m.
    pub(crate) fn thickness(&self) -> f64 {
        self.thickness
    }

    /// The vertex farthest along `d`; the first of equals.
    #[inline]
    pub(crate) fn farthest(&self, d: DVec3) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, p) in self.points.iter().enumerate() {
            let height = p.dot(d);
            if height > best.1 {
                best = (i, height);
            }
        }
        best.0
    }

    /// The face whose normal is most along `d`; the first of equals.
    #[inline]
    pub(crate) fn facing(&self, d: DVec3) -> &Face {
        let mut best = (&self.faces[0], f64::NEG_INFINITY);
        for face in &self.faces {
            let along = face.normal.dot(d);
            if along > best.1 {
                best = (face, along);
            }
        }
        best.0
    }
}

/// Twice the area times the normal.
fn area_vector(points: &[DVec3], t: &[usize; 3]) -> DVec3 {
    (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]])
}

/// Polygons from triangles: from the largest triangle on, neighbours that stay within a rounding
/// of its plane are joined to it.
fn join_coplanar(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<Face> {
    let size = points.iter().map(|p| p.distance(points[0])).fold(0.0, f64::max);
    let tolerance = 1.0e-6 * size;

    let mut owner: Vec<([usize; 2], usize)> = Vec::with_capacity(3 * triangles.len());
    for (k, t) in triangles.iter().enumerate() {
        owner.extend([0, 1, 2].map(|e| ([t[e], t[(e + 1) % 3]], k)));
    }
    owner.sort_unstable();
    let across = |u: usize, v: usize| {
        owner.binary_search_by_key(&[v, u], |o| o.0).map(|i| owner[i].1).unwrap_or(usize::MAX)
    };
    let edge_numbers: Vec<[usize; 2]> = owner.iter().map(|o| o.0).filter(|e| e[0] < e[1]).collect();

    let area: Vec<f64> = triangles.iter().map(|t| area_vector(points, t).length()).collect();
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| area[j].total_cmp(&area[i]));

    let mut group = vec![usize::MAX; triangles.len()];
    let mut faces = Vec::new();
    for seed in order {
        if group[seed] != usize::MAX {
            continue;
        }
        let normal = area_vector(points, &triangles[seed]).normalize_or_zero();
        let offset = normal.dot(points[triangles[seed][0]]);
        let mut members = vec![seed];
        group[seed] = seed;
        let mut next = 0;
        while next < members.len() {
            let t = triangles[members[next]];
            next += 1;
            for e in 0..3 {
                let k = across(t[e], t[(e + 1) % 3]);
                let free = k < triangles.len() && group[k] == usize::MAX;
                let flat = |k: usize| {
                    triangles[k].iter().all(|&i| (normal.dot(points[i]) - offset).abs() < tolerance)
                };
                if free && flat(k) && area_vector(points, &triangles[k]).dot(normal) > 0.0 {
                    group[k] = seed;
                    members.push(k);
                }
            }
        }
        let mut rim: Vec<[usize; 2]> = Vec::new();
        for &k in &members {
            let t = triangles[k];
            let edges = [0, 1, 2].map(|e| [t[e], t[(e + 1) % 3]]);
            rim.extend(edges.iter().filter(|e| group[across(e[0], e[1])] != seed));
        }
        rim.sort_unstable();
        faces.push(polygon(&rim, normal, &edge_numbers));
    }
    faces
}

/// The loop that the sorted edges of a rim form.
fn polygon(rim: &[[usize; 2]], normal: DVec3, edge_numbers: &[[usize; 2]]) -> Face {
    let mut face = Face { vertices: Vec::new(), edges: Vec::new(), normal };
    let mut edge = rim[0];
    for _ in 0..rim.len() {
        let key = [edge[0].min(edge[1]), edge[0].max(edge[1])];
        face.vertices.push(edge[0] as u16);
        face.edges.push(edge_numbers.partition_point(|e| e < &key) as u16);
        edge = rim[rim.partition_point(|e| e[0] < edge[1]).min(rim.len() - 1)];
    }
    face
}
