//! What is drawn of a shape, with its inside: fragments, cells of a lattice, or a surface of any resolution cut up
//! along either. Of tetrahedra with their inside if they come apart.

mod cells;
mod nearest;
pub(crate) mod own;
mod rough;
pub(crate) mod tets;

pub use own::{OwnSurfaceError, embedded};
pub use rough::roughen;
pub use tets::{held, of_breaking_tets, of_tets};

use fracas::glam::Vec3;
use fracas::skin::{Edge, Face, InsideFace, SkinMesh};
use fracas::solids::oriented::OrientedShape;

use crate::clip::{self, Clipped};
use crate::fragments::Interface;
use crate::generate::{self, GenerateError, Sampling, surfaces};
use crate::solid::FragmentedSolid;
use crate::surface::Surface;
use crate::tets::EDGES;
use nearest::NearestPoint;

/// Fewest and most edges around a cylinder, or along a ring: round enough for a silhouette.
const AROUND: [f64; 2] = [48.0, 256.0];

/// The same around the tube of a ring.
const AROUND_TUBE: [f64; 2] = [24.0, 96.0];

/// Fewest and most divisions of a ball: 1,280 to 20,480 triangles.
const SPHERE_DIVISIONS: [f64; 2] = [3.0, 5.0];

impl FragmentedSolid {
    /// The faces of all fragments, on the boundary and between them, and the edges of the
    /// tetrahedra. Its vertices are those of the mesh. Where the solid has a surface of its own, that one.
    pub fn skin(&self) -> SkinMesh {
        if let Some(own) = &self.own {
            let mut skin = own.clone();
            let first = skin.vertices.len() as u32;
            skin.vertices.extend(self.mesh.vertices.iter().map(|x| x.as_vec3().to_array()));
            let moved = |edge: Edge| Edge { ends: edge.ends.map(|v| first + v), ..edge };
            skin.edges = self.edges().into_iter().map(moved).collect();
            return skin;
        }
        let fragments = self.fragments.fragments.iter().zip(0..);
        let outside = fragments.flat_map(|(fragment, owner)| {
            fragment.boundary.iter().map(move |&corners| Face { corners, owner })
        });
        let inside = self.fragments.interfaces.iter().flat_map(|interface| {
            let Interface { fragments: between, faces, .. } = interface;
            faces.iter().map(|&corners| InsideFace { corners, between: *between })
        });
        SkinMesh {
            vertices: self.mesh.vertices.iter().map(|x| x.as_vec3().to_array()).collect(),
            outside: outside.collect(),
            inside: inside.collect(),
            edges: self.edges(),
            ..SkinMesh::default()
        }
    }

    /// Every edge once, with the lowest of the fragments around it.
    fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::with_capacity(6 * self.mesh.tets.len());
        for (corners, &owner) in self.mesh.tets.iter().zip(&self.fragments.of_tet) {
            for [i, j] in EDGES {
                let (a, b) = (corners[i], corners[j]);
                edges.push(([a.min(b), a.max(b)], owner));
            }
        }
        edges.sort_unstable();
        edges.dedup_by_key(|edge| edge.0);
        edges.into_iter().map(|(ends, owner)| Edge { ends, owner }).collect()
    }
}

/// A block of `size` along x, y and z, in m, filled as [`generate::block`] does: the cells of its lattice.
///
/// ```
/// use fracas_mesh::generate::Sampling;
/// use fracas_mesh::skin;
///
/// let skin = skin::block([1.0, 0.2, 0.2], &Sampling::lattice([20, 4, 4]))?;
/// assert_eq!(skin.outside.len(), 4 * (20 * 4 + 4 * 4 + 4 * 20));
/// # Ok::<(), fracas_mesh::generate::GenerateError>(())
/// ```
///
/// # Errors
///
/// See [`GenerateError`].
pub fn block(size: [f64; 3], sampling: &Sampling) -> Result<SkinMesh, GenerateError> {
    Ok(cells::boxes(&generate::block_cells(size, sampling)?))
}

/// The same of [`generate::sheet`].
///
/// # Errors
///
/// See [`GenerateError`].
pub fn sheet(size: [f64; 3], sampling: &Sampling) -> Result<SkinMesh, GenerateError> {
    Ok(cells::boxes(&generate::sheet_cells(size, sampling)?))
}

/// A ball, in m, cut up into the cells that [`generate::sphere`] fills.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn sphere(radius: f64, sampling: &Sampling) -> Result<SkinMesh, GenerateError> {
    let cells = generate::sphere_cells(radius, sampling)?;
    // the edges of an icosahedron are 1.05 radii long
    let divisions = (1.05 * radius / cells.width()).log2().ceil();
    let [fewest, most] = SPHERE_DIVISIONS;
    let surface = surfaces::sphere(radius, divisions.clamp(fewest, most) as u32)?;
    Ok(cells::cut(&surface, &cells))
}

/// A cylinder of `height` along y, in m, cut up into the cells that [`generate::cylinder`] fills.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn cylinder(radius: f64, height: f64, sampling: &Sampling) -> Result<SkinMesh, GenerateError> {
    let cells = generate::cylinder_cells(radius, height, sampling)?;
    let segments = edges_around(radius, cells.width(), AROUND);
    Ok(cells::cut(&surfaces::cylinder(radius, height, segments)?, &cells))
}

/// A ring around the y axis: `radius` from the axis to the middle of the `tube`, in m, cut up into the cells that
/// [`generate::torus`] fills.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn torus(radius: f64, tube: f64, sampling: &Sampling) -> Result<SkinMesh, GenerateError> {
    let cells = generate::torus_cells(radius, tube, sampling)?;
    let segments = edges_around(radius + tube, cells.width(), AROUND);
    let sides = edges_around(tube, cells.width(), AROUND_TUBE);
    Ok(cells::cut(&surfaces::torus(radius, tube, segments, sides)?, &cells))
}

fn edges_around(radius: f64, width: f64, [fewest, most]: [f64; 2]) -> u32 {
    (std::f64::consts::TAU * radius / width).round().clamp(fewest, most) as u32
}

/// A surface around a shape: every face belongs to the particle that is nearest to its centre.
/// Nothing is known of its inside.
pub fn of_surface(surface: &Surface, shape: &OrientedShape) -> SkinMesh {
    let vertices: Vec<[f32; 3]> = surface.vertices.iter().map(|x| x.as_vec3().to_array()).collect();
    let nearest = NearestPoint::new(shape.points.iter().map(|p| p.position.into()));
    let face = |&corners: &[u32; 3]| {
        let sum: Vec3 = corners.iter().map(|&v| Vec3::from(vertices[v as usize])).sum();
        Some(Face { corners, owner: nearest.of(sum / 3.0)? })
    };
    let outside = surface.triangles.iter().filter_map(face).collect();
    SkinMesh { vertices, outside, ..SkinMesh::default() }
}

/// A surface that was cut up, with its texture coordinates.
pub(crate) fn of_clipped(surface: &Surface, clipped: &Clipped) -> SkinMesh {
    let outside = clipped.outside.iter();
    let weights = |part: &clip::OutsidePart| {
        [0, 1, 2].map(|corner| clipped.weights(surface, part, corner).map(|w| w as f32))
    };
    let uvs = |part: &clip::OutsidePart| {
        let own = surface.uvs[part.triangle as usize];
        weights(part)
            .map(|w| [0, 1].map(|k| w[0] * own[0][k] + w[1] * own[1][k] + w[2] * own[2][k]))
    };
    let normals = SkinMesh::corner_normals(
        &surface.vertices.iter().map(|x| x.as_vec3().to_array()).collect::<Vec<_>>(),
        &surface.triangles,
    );
    let normals = |part: &clip::OutsidePart| {
        let own = normals[part.triangle as usize].map(Vec3::from);
        let between = |w: [f32; 3]| w[0] * own[0] + w[1] * own[1] + w[2] * own[2];
        weights(part).map(|w| between(w).normalize_or(own[0]).to_array())
    };
    SkinMesh {
        vertices: clipped.vertices.iter().map(|x| x.as_vec3().to_array()).collect(),
        uvs: if surface.uvs.is_empty() { Vec::new() } else { outside.clone().map(uvs).collect() },
        normals: outside.clone().map(normals).collect(),
        outside: outside.map(|part| Face { corners: part.corners, owner: part.cell }).collect(),
        inside: clipped
            .inside
            .iter()
            .map(|part| InsideFace { corners: part.corners, between: part.between })
            .collect(),
        ..SkinMesh::default()
    }
}
