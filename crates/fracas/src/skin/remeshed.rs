//! What is drawn of a body that splits its tetrahedra along cracks: their faces, found anew whenever some were split.
//!
//! A vertex of the shape is then told by its number and its place at rest: one that began on an edge has the number of the nearer end, and its
//! copies where faces open have the place that it had.

use super::update::GONE;
use super::{Edge, Face, InsideFace, Owners, SkinMesh};
use crate::solids::fem::topology::{SortedFace, faces_of, outward};
use crate::world::Body;

/// Vertices of the shape of a body as it is split, in order. Empty if it is not.
#[derive(Clone, Debug, Default)]
pub(super) struct Vertices {
    known: Vec<(u32, [u32; 3])>,
}

impl Vertices {
    fn new(body: &Body) -> Self {
        let mut known: Vec<_> =
            (0..body.particle_count()).map(|column| key(body, column)).collect();
        known.sort_unstable();
        known.dedup();
        Self { known }
    }

    /// Which of them the particle in a column is, if it is one.
    pub fn of(&self, body: &Body, column: u32) -> Option<u32> {
        if self.known.is_empty() {
            return Some(body.shape_number(column as usize) as u32);
        }
        let found = self.known.binary_search(&key(body, column as usize));
        found.ok().map(|k| k as u32)
    }
}

fn key(body: &Body, column: usize) -> (u32, [u32; 3]) {
    (body.shape_number(column) as u32, body.rest_positions()[column].map(f32::to_bits))
}

/// The faces of its tetrahedra. Where one was split and what is across an open face was not, there is none across.
pub(super) fn mesh(body: &Body) -> (SkinMesh, Vertices) {
    let vertices = Vertices::new(body);
    let number = |column: u32| vertices.of(body, column).unwrap_or_default();
    let tets: Vec<[u32; 4]> = body.tets().iter().map(|tet| tet.map(number)).collect();
    let mut faces = faces_of(&tets);
    faces.sort_unstable();
    let opened = body.faces().iter().filter(|face| face.opened);
    let mut opened: Vec<_> = opened.map(|face| (face.tet, face.corners)).collect();
    opened.sort_unstable();
    let corners = |face: &SortedFace| outward(tets[face.tet as usize])[usize::from(face.corner)];
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for sides in faces.chunk_by(|a, b| a.face == b.face) {
        match sides {
            [one, other] => {
                inside.push(InsideFace { corners: corners(one), between: [one.tet, other.tet] })
            }
            alone => alone.iter().for_each(|side| {
                let place = outward(body.tets()[side.tet as usize])[usize::from(side.corner)];
                if opened.binary_search(&(side.tet, place)).is_ok() {
                    inside.push(InsideFace { corners: corners(side), between: [side.tet, GONE] });
                } else {
                    outside.push(Face { corners: corners(side), owner: side.tet });
                }
            }),
        }
    }
    let places = vertices.known.iter().map(|(_, bits)| bits.map(f32::from_bits));
    let mesh = SkinMesh {
        vertices: places.collect(),
        edges: edges(&tets),
        owners: Owners::Tets(tets),
        outside,
        inside,
        ..SkinMesh::default()
    };
    (mesh, vertices)
}

/// Every edge once, with the lowest of the tetrahedra around it.
fn edges(tets: &[[u32; 4]]) -> Vec<Edge> {
    let of = |(&[a, b, c, d], owner): (&[u32; 4], u32)| {
        let all = [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
        all.map(|[a, b]| ([a.min(b), a.max(b)], owner))
    };
    let mut edges: Vec<_> = tets.iter().zip(0..).flat_map(of).collect();
    edges.sort_unstable();
    edges.dedup_by_key(|edge| edge.0);
    edges.into_iter().map(|(ends, owner)| Edge { ends, owner }).collect()
}

/// Whether a mesh draws nothing but faces of its own tetrahedra.
pub(super) fn is_of_faces(mesh: &SkinMesh) -> bool {
    let Owners::Tets(tets) = &mesh.owners else { return false };
    let holds =
        |corners: &[u32; 3], owner: u32| corners.iter().all(|v| tets[owner as usize].contains(v));
    mesh.outside.iter().all(|face| holds(&face.corners, face.owner))
        && mesh.inside.iter().all(|face| face.between.iter().all(|&tet| holds(&face.corners, tet)))
}
