//! Tetrahedral meshes: as read, repaired, measured.

mod check;
mod order;
mod quality;

pub use check::{MAX_COORDINATE, NO_VOLUME, TetError, TetRepairs};
pub use quality::{Quality, Spread};

use fracas::glam::DVec3;

use crate::attributes::{Attribute, Objects};
use crate::surface::Surface;

/// A tetrahedral mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Positions, in m.
    pub vertices: Vec<DVec3>,
    /// Corners a, b, c, d of each tetrahedron, with (b−a)×(c−a)·(d−a) > 0.
    pub tets: Vec<[u32; 4]>,
    /// Named parts, by tetrahedron.
    pub objects: Objects,
    /// Values at vertices.
    pub vertex_attributes: Vec<Attribute>,
    /// Values of tetrahedra.
    pub tet_attributes: Vec<Attribute>,
}

/// The faces of a tetrahedron, counter-clockwise seen from outside; face k lies opposite corner k.
pub const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The edges of a tetrahedron; edge 5 − k lies opposite edge k.
pub const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// A face of a tetrahedron, in a form that is the same for both who share it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SharedFace {
    /// Its vertices, sorted.
    corners: [u32; 3],
    tet: u32,
    /// Which face of the tetrahedron.
    face: u32,
    /// Whether sorting was an even permutation of the face seen from outside.
    even: bool,
}

/// Volume of a tetrahedron, in m³; negative if it is inverted.
pub fn volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

impl TetMesh {
    /// Corners of a tetrahedron.
    pub fn corners(&self, tet: usize) -> [DVec3; 4] {
        self.tets[tet].map(|v| self.vertices[v as usize])
    }

    /// Mean of the corners of a tetrahedron.
    pub fn centre(&self, tet: usize) -> DVec3 {
        let [a, b, c, d] = self.corners(tet);
        0.25 * (a + b + c + d)
    }

    /// Volume of a tetrahedron, in m³; negative if it is inverted.
    pub fn tet_volume(&self, tet: usize) -> f64 {
        volume(self.corners(tet))
    }

    /// Volume of all, in m³.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|tet| self.tet_volume(tet)).sum()
    }

    /// Vertices of a face of a tetrahedron, counter-clockwise seen from outside it.
    pub fn face(&self, tet: usize, face: usize) -> [u32; 3] {
        FACES[face].map(|corner| self.tets[tet][corner])
    }

    /// Area of a face of a tetrahedron, in m².
    pub fn face_area(&self, tet: usize, face: usize) -> f64 {
        let [a, b, c] = self.face(tet, face).map(|v| self.vertices[v as usize]);
        0.5 * (b - a).cross(c - a).length()
    }

    /// The tetrahedron behind each face of each; `None` at the boundary, and where three or more
    /// meet (which [`TetMesh::check`] refuses).
    pub fn neighbours(&self) -> Vec<[Option<u32>; 4]> {
        let mut neighbours = vec![[None; 4]; self.tets.len()];
        for same in self.sorted_faces().chunk_by(|a, b| a.corners == b.corners) {
            if let [a, b] = same {
                neighbours[a.tet as usize][a.face as usize] = Some(b.tet);
                neighbours[b.tet as usize][b.face as usize] = Some(a.tet);
            }
        }
        neighbours
    }

    /// All faces, those with the same vertices side by side.
    fn sorted_faces(&self) -> Vec<SharedFace> {
        let mut faces = Vec::with_capacity(4 * self.tets.len());
        for tet in 0..self.tets.len() {
            for face in 0..4 {
                let mut corners = self.face(tet, face);
                let mut even = true;
                for [i, j] in [[0, 1], [1, 2], [0, 1]] {
                    if corners[i] > corners[j] {
                        corners.swap(i, j);
                        even = !even;
                    }
                }
                faces.push(SharedFace { corners, tet: tet as u32, face: face as u32, even });
            }
        }
        faces.sort_unstable();
        faces
    }

    /// The faces that only one tetrahedron has, counter-clockwise seen from outside, with that
    /// tetrahedron.
    pub fn boundary(&self) -> Vec<([u32; 3], u32)> {
        let neighbours = self.neighbours();
        let mut boundary = Vec::new();
        for tet in 0..self.tets.len() {
            for face in 0..4 {
                if neighbours[tet][face].is_none() {
                    boundary.push((self.face(tet, face), tet as u32));
                }
            }
        }
        boundary
    }

    /// The boundary as a surface, with its vertices, their attributes and the objects of its
    /// tetrahedra.
    pub fn surface(&self) -> Surface {
        let (faces, tets): (Vec<_>, Vec<_>) = self.boundary().into_iter().unzip();
        let (kept, triangles) = check::compacted(&faces, self.vertices.len());
        let attributes = self.vertex_attributes.iter();
        Surface {
            vertices: kept.iter().map(|&vertex| self.vertices[vertex]).collect(),
            triangles,
            uvs: Vec::new(),
            objects: self.objects.select(tets.into_iter().map(|tet| tet as usize)),
            attributes: attributes.map(|a| a.select(kept.iter().copied())).collect(),
        }
    }

    /// The component of each tetrahedron, and how many there are. Tetrahedra of a component are
    /// joined by faces; components are numbered by their first tetrahedron.
    pub fn components(&self) -> (Vec<u32>, usize) {
        components(&self.neighbours(), |_, _| true)
    }
}

/// Components of the tetrahedra, where neighbours count as joined if `joins` says so.
pub(crate) fn components(
    neighbours: &[[Option<u32>; 4]],
    joins: impl Fn(usize, usize) -> bool,
) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let mut of = vec![NONE; neighbours.len()];
    let mut count = 0;
    let mut open = Vec::new();
    for start in 0..neighbours.len() {
        if of[start] != NONE {
            continue;
        }
        of[start] = count;
        open.push(start);
        while let Some(tet) = open.pop() {
            for next in neighbours[tet].into_iter().flatten().map(|next| next as usize) {
                if of[next] == NONE && joins(tet, next) {
                    of[next] = count;
                    open.push(next);
                }
            }
        }
        count += 1;
    }
    (of, count as usize)
}
