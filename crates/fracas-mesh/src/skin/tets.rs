//! What is drawn of tetrahedra: their boundary, with or without the faces between them, or a surface of any resolution that they hold.

use fracas::glam::{DMat3, DVec3};
use fracas::skin::{Edge, Face, InsideFace, Owners, SkinMesh};

use crate::distance::SignedDistance;
use crate::surface::Surface;
use crate::tets::{EDGES, TetMesh};

/// The boundary of tetrahedra that hang together, and their edges. Its vertices are those of the mesh.
pub fn of_tets(mesh: &TetMesh) -> SkinMesh {
    let boundary = mesh.boundary().into_iter();
    SkinMesh {
        vertices: mesh.vertices.iter().map(|x| x.as_vec3().to_array()).collect(),
        owners: Owners::Tets(mesh.tets.clone()),
        outside: boundary.map(|(corners, owner)| Face { corners, owner }).collect(),
        edges: edges(mesh, 0),
        ..SkinMesh::default()
    }
}

/// The same of tetrahedra that come apart, with every face between two of them.
pub fn of_breaking_tets(mesh: &TetMesh) -> SkinMesh {
    let neighbours = mesh.neighbours();
    let mut inside = Vec::with_capacity(2 * mesh.tets.len());
    for (across, tet) in neighbours.iter().zip(0..) {
        for (face, next) in across.iter().enumerate() {
            if let Some(next) = next.filter(|&next| tet < next) {
                let corners = mesh.face(tet as usize, face);
                inside.push(InsideFace { corners, between: [tet, next] });
            }
        }
    }
    SkinMesh { inside, ..of_tets(mesh) }
}

/// A surface of any resolution that follows tetrahedra, which may end inside or outside of it, with their edges. Nothing is
/// cut: every vertex is at home in the tetrahedron that holds it, or else in the nearest.
///
/// Once they come apart it is torn along its own triangles and has no inside; [`embedded`](super::embedded)
/// has.
pub fn held(surface: &Surface, mesh: &TetMesh) -> SkinMesh {
    let holder = Holder::new(mesh);
    let mut homes: Vec<u32> = surface.vertices.iter().map(|&x| holder.of(x)).collect();
    let face = |&corners: &[u32; 3]| Face { corners, owner: homes[corners[0] as usize] };
    let outside = surface.triangles.iter().map(face).collect();
    let first = surface.vertices.len() as u32;
    let mut home_of_corner = vec![0; mesh.vertices.len()];
    for (corners, tet) in mesh.tets.iter().zip(0..) {
        corners.iter().for_each(|&v| home_of_corner[v as usize] = tet);
    }
    homes.extend(home_of_corner);
    let vertices = surface.vertices.iter().chain(&mesh.vertices);
    SkinMesh {
        vertices: vertices.map(|x| x.as_vec3().to_array()).collect(),
        owners: Owners::Tets(mesh.tets.clone()),
        homes,
        outside,
        uvs: surface.uvs.clone(),
        edges: edges(mesh, first),
        ..SkinMesh::default()
    }
}

/// Every edge once, with the lowest of the tetrahedra around it; vertices are counted from `first`.
pub(crate) fn edges(mesh: &TetMesh, first: u32) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(6 * mesh.tets.len());
    for (corners, owner) in mesh.tets.iter().zip(0..) {
        for [i, j] in EDGES {
            let (a, b) = (first + corners[i], first + corners[j]);
            edges.push(([a.min(b), a.max(b)], owner));
        }
    }
    edges.sort_unstable();
    edges.dedup_by_key(|edge| edge.0);
    edges.into_iter().map(|(ends, owner)| Edge { ends, owner }).collect()
}

/// Finds the tetrahedron that holds a point, or else the nearest.
pub(crate) struct Holder<'a> {
    mesh: &'a TetMesh,
    neighbours: Vec<[Option<u32>; 4]>,
    /// The tetrahedron of each triangle of the boundary.
    behind: Vec<u32>,
    boundary: Option<SignedDistance>,
}

impl<'a> Holder<'a> {
    pub fn new(mesh: &'a TetMesh) -> Self {
        let (triangles, behind) = mesh.boundary().into_iter().unzip();
        let boundary = SignedDistance::of(mesh.vertices.clone(), triangles);
        Self { mesh, neighbours: mesh.neighbours(), behind, boundary }
    }

    pub fn of(&self, point: DVec3) -> u32 {
        let located = self.boundary.as_ref().map(|boundary| boundary.locate(point));
        match located {
            Some((distance, _, triangle, _)) if distance >= 0.0 => self.behind[triangle as usize],
            Some((_, _, triangle, _)) => {
                let from = self.behind[triangle as usize];
                self.walk(from, point).unwrap_or_else(|| self.best(point))
            }
            None => self.best(point),
        }
    }

    /// From tetrahedron to tetrahedron, across the face beyond which the point is farthest. Nearly always so short that
    /// looking at all of them is the exception.
    fn walk(&self, from: u32, point: DVec3) -> Option<u32> {
        let mut at = from;
        for _ in 0..64 {
            let (corner, least) = self.least_share(at, point);
            if least >= 0.0 {
                return Some(at);
            }
            at = self.neighbours[at as usize][corner]?;
        }
        None
    }

    /// That in which the least barycentric coordinate is the largest.
    fn best(&self, point: DVec3) -> u32 {
        let tets = 0..self.mesh.tets.len() as u32;
        let share = |tet: &u32| self.least_share(*tet, point).1;
        tets.max_by(|a, b| share(a).total_cmp(&share(b)).then(b.cmp(a))).unwrap_or(0)
    }

    /// The least barycentric coordinate of a point in a tetrahedron, and that of which corner it is.
    fn least_share(&self, tet: u32, point: DVec3) -> (usize, f64) {
        let [a, b, c, d] = self.mesh.corners(tet as usize);
        let edges = DMat3::from_cols(b - a, c - a, d - a);
        let [b, c, d] = (edges.inverse() * (point - a)).to_array();
        let shares = [1.0 - b - c - d, b, c, d];
        let least = (0..4).min_by(|&i, &j| shares[i].total_cmp(&shares[j])).unwrap_or(0);
        (least, shares[least])
    }
}
