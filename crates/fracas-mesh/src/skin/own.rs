//! A surface of any resolution, cut along the fragments or tetrahedra that fill it.
//!
//! Tetrahedra follow a surface only roughly. Where they end inside it, a skirt goes on from the edges between
//! fragments on their boundary, along its normals, until it is outside.

use std::collections::BTreeMap;

use fracas::glam::{DVec3, Vec3};
use fracas::skin::{Owners, SkinMesh};

use super::nearest::NearestPoint;
use super::of_clipped;
use crate::clip::{self, ClipError, Partition, PartitionFace};
use crate::distance::SignedDistance;
use crate::fragments::Fragments;
use crate::stuffing::{self, Filling, Fit};
use crate::surface::{ClosedSurface, Surface};
use crate::tets::TetMesh;

/// Width of a skirt over the farthest that the surface is outside the tetrahedra; the next if that fails, as where
/// skirts of opposite sides of a groove meet.
const WIDTHS: [f64; 4] = [1.5, 3.0, 1.1, 6.0];

/// Tetrahedra that hold the surface over those that fill it.
const ENCLOSING: f64 = 3.0;

/// Least width of a skirt over the mean edge of the tetrahedra.
const LEAST_WIDTH: f64 = 0.02;

/// Why a surface is not drawn on the fragments that fill it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnSurfaceError {
    /// It could not be cut.
    #[error("its own surface cannot be cut into fragments: {0}")]
    Clip(#[from] ClipError),
    /// Nothing of a fragment lies inside the surface.
    #[error(
        "nothing of fragment {fragment} lies inside the surface: use more tetrahedra, or fewer fragments"
    )]
    Lost {
        /// Which.
        fragment: usize,
    },
}

/// A surface that tetrahedra fill, cut along the faces between those with different labels.
fn cut(surface: &Surface, mesh: &TetMesh, of_tet: &[u32]) -> Result<SkinMesh, ClipError> {
    let reach = farthest(surface, mesh);
    let least = LEAST_WIDTH * mean_edge(mesh);
    let mut result = Err(ClipError::Flat);
    for width in WIDTHS {
        let partition = partition(mesh, of_tet, (width * reach).max(least));
        result = clip::clip(surface, &partition, 0).map(|clipped| of_clipped(surface, &clipped));
        if result.is_ok() {
            break;
        }
    }
    result
}

/// A surface cut along the fragments that fill it. Where skirts cross each other, as between teeth that the tetrahedra
/// have lost, others that hold the whole surface are given the fragment of the nearest.
pub(crate) fn cut_fragments(
    surface: &ClosedSurface,
    mesh: &TetMesh,
    of_tet: &[u32],
) -> Result<SkinMesh, ClipError> {
    cut(surface.surface(), mesh, of_tet).or_else(|error| {
        let tets = (ENCLOSING * mesh.tets.len() as f64) as u32;
        let filling = Filling { tets, fit: Fit::Enclose };
        let Ok(around) = stuffing::fill(surface, &filling) else { return Err(error) };
        let centres = (0..mesh.tets.len()).map(|tet| mesh.centre(tet).as_vec3());
        let nearest = NearestPoint::new(centres);
        let label =
            |tet: usize| nearest.of(around.centre(tet).as_vec3()).map_or(0, |k| of_tet[k as usize]);
        let labels: Vec<u32> = (0..around.tets.len()).map(label).collect();
        cut(surface.surface(), &around, &labels).map_err(|_| error)
    })
}

/// A surface embedded in tetrahedra that fill it, with their edges: every vertex keeps its place in one of them, and every face
/// between two may open.
///
/// # Errors
///
/// [`ClipError`] if the surface cannot be cut, as where it is far from the tetrahedra.
pub fn embedded(surface: &Surface, mesh: &TetMesh) -> Result<SkinMesh, ClipError> {
    let each: Vec<u32> = (0..mesh.tets.len() as u32).collect();
    let mut skin = cut(surface, mesh, &each)?;
    let first = skin.vertices.len() as u32;
    skin.vertices.extend(mesh.vertices.iter().map(|x| x.as_vec3().to_array()));
    let edges = super::tets::edges(mesh, first);
    Ok(SkinMesh { owners: Owners::Tets(mesh.tets.clone()), edges, ..skin })
}

/// The corners of all triangles of each fragment, counter-clockwise seen from outside it.
pub(crate) fn closed_cells(skin: &SkinMesh, count: usize) -> Vec<Vec<[DVec3; 3]>> {
    let mut cells = vec![Vec::new(); count];
    let at = |v: u32| Vec3::from(skin.vertices[v as usize]).as_dvec3();
    for face in &skin.outside {
        cells[face.owner as usize].push(face.corners.map(at));
    }
    for face in &skin.inside {
        let [i, j, k] = face.corners.map(at);
        cells[face.between[0] as usize].push([i, j, k]);
        cells[face.between[1] as usize].push([i, k, j]);
    }
    cells
}

/// The largest distance of the surface outside the tetrahedra, at its vertices and the middles of its edges and
/// triangles, in m.
fn farthest(surface: &Surface, mesh: &TetMesh) -> f64 {
    let boundary = mesh.boundary().into_iter().map(|(corners, _)| corners).collect();
    let Some(distance) = SignedDistance::of(mesh.vertices.clone(), boundary) else { return 0.0 };
    let middles = (0..surface.triangles.len()).flat_map(|t| {
        let [a, b, c] = surface.corners(t);
        [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0]
    });
    let all = surface.vertices.iter().copied().chain(middles);
    all.map(|x| distance.at(x)).fold(0.0, f64::max)
}

fn mean_edge(mesh: &TetMesh) -> f64 {
    // of a regular tetrahedron of the mean volume: V = a³/(6√2)
    (mesh.volume() / mesh.tets.len().max(1) as f64 * 6.0 * std::f64::consts::SQRT_2).cbrt()
}

/// Faces between tetrahedra with different labels, and skirts so wide.
fn partition(mesh: &TetMesh, of_tet: &[u32], width: f64) -> Partition {
    let mut partition = Partition {
        vertices: mesh.vertices.clone(),
        faces: Vec::new(),
        lone: of_tet.first().copied().unwrap_or(0),
    };
    let neighbours = mesh.neighbours();
    for tet in 0..mesh.tets.len() {
        for face in 0..4 {
            let Some(next) = neighbours[tet][face] else { continue };
            let between = [of_tet[tet], of_tet[next as usize]];
            if (tet as u32) < next && between[0] != between[1] {
                partition.faces.push(PartitionFace { corners: mesh.face(tet, face), between });
            }
        }
    }
    add_skirts(&mut partition, mesh, of_tet, width);
    partition
}

fn add_skirts(partition: &mut Partition, mesh: &TetMesh, of_tet: &[u32], width: f64) {
    let boundary = mesh.boundary();
    let normals = normals(mesh, &boundary);
    // directed edges of the boundary, with the label of the face on their left
    let mut labels = BTreeMap::new();
    for (corners, tet) in &boundary {
        for k in 0..3 {
            labels.insert([corners[k], corners[(k + 1) % 3]], of_tet[*tet as usize]);
        }
    }
    let mut outer = BTreeMap::new();
    for (&[u, v], &left) in labels.iter().filter(|([u, v], _)| u < v) {
        let Some(&right) = labels.get(&[v, u]) else { continue };
        if left == right {
            continue;
        }
        let [u_out, v_out] = [u, v].map(|v| {
            *outer.entry(v).or_insert_with(|| {
                let at = mesh.vertices[v as usize] + width * normals[v as usize];
                partition.vertices.push(at);
                partition.vertices.len() as u32 - 1
            })
        });
        // looks to the right of the edge, seen from outside
        let between = [left, right];
        for corners in [[u, v, v_out], [u, v_out, u_out]] {
            partition.faces.push(PartitionFace { corners, between });
        }
    }
}

/// Normals at the vertices of the boundary, of faces weighted by their angles.
fn normals(mesh: &TetMesh, boundary: &[([u32; 3], u32)]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; mesh.vertices.len()];
    for (corners, _) in boundary {
        let x = corners.map(|v| mesh.vertices[v as usize]);
        let normal = (x[1] - x[0]).cross(x[2] - x[0]).normalize_or_zero();
        for k in 0..3 {
            let (a, b) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
            normals[corners[k] as usize] += a.angle_between(b) * normal;
        }
    }
    normals.into_iter().map(DVec3::normalize_or_zero).collect()
}

impl Fragments {
    /// The same fragments as a skin that was cut along them has them: their volumes, centres and moments.
    pub(crate) fn measured_by(mut self, skin: &SkinMesh) -> Result<Self, OwnSurfaceError> {
        let cells = closed_cells(skin, self.fragments.len());
        if let Some(fragment) = cells.iter().position(|cell| cell.len() < 4) {
            return Err(OwnSurfaceError::Lost { fragment });
        }
        self.measure_again(&cells);
        match self.fragments.iter().position(|f| f.volume.is_nan() || f.volume <= 0.0) {
            Some(fragment) => Err(OwnSurfaceError::Lost { fragment }),
            None => Ok(self),
        }
    }
}
