//! What is drawn of a shape: fragments with all their faces, or the smooth surface of a simple
//! shape around its lattice of particles.

use fracas::glam::Vec3;
use fracas::skin::{Edge, Face, InsideFace, SkinMesh};
use fracas::solids::oriented::{OrientedPoint, OrientedShape};

use crate::fragments::Interface;
use crate::generate::{GenerateError, surfaces};
use crate::solid::FragmentedSolid;
use crate::surface::Surface;
use crate::tets::EDGES;

/// Fewest and most quads along an edge of a block that is more than one particle thick: enough to
/// show how it bends, and no more than a picture shows.
const BLOCK_CELLS: [f64; 2] = [4.0, 64.0];

/// Fewest and most edges around a cylinder, or along a ring: round enough for a silhouette.
const AROUND: [f64; 2] = [48.0, 256.0];

/// The same around the tube of a ring.
const AROUND_TUBE: [f64; 2] = [24.0, 96.0];

/// Fewest and most divisions of a ball: 1,280 to 20,480 triangles.
const SPHERE_DIVISIONS: [f64; 2] = [3.0, 5.0];

impl FragmentedSolid {
    /// The faces of all fragments, on the boundary and between them, and the edges of the
    /// tetrahedra. Its vertices are those of the mesh.
    pub fn skin(&self) -> SkinMesh {
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

/// A block of `size` along x, y and z, in m, in about the cells of its lattice.
///
/// ```
/// use fracas_mesh::generate::{self, Sampling};
/// use fracas_mesh::skin;
///
/// let beam = generate::block([1.0, 0.2, 0.2], &Sampling::lattice([20, 4, 4]))?;
/// let skin = skin::block([1.0, 0.2, 0.2], &beam)?;
/// assert_eq!(skin.outside.len(), 4 * (20 * 4 + 4 * 4 + 4 * 20));
/// # Ok::<(), generate::GenerateError>(())
/// ```
///
/// # Errors
///
/// See [`GenerateError`].
pub fn block(size: [f64; 3], shape: &OrientedShape) -> Result<SkinMesh, GenerateError> {
    let cell = cell(shape);
    let counts = std::array::from_fn(|k| {
        let cells = (size[k] / cell[k]).round();
        let [fewest, most] = BLOCK_CELLS;
        if cells > 1.0 { cells.clamp(fewest, most) as u32 } else { 1 }
    });
    Ok(of_surface(&surfaces::block_grid(size, counts)?, shape))
}

/// A ball, in m.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn sphere(radius: f64, shape: &OrientedShape) -> Result<SkinMesh, GenerateError> {
    // the edges of an icosahedron are 1.05 radii long
    let divisions = (1.05 * radius / spacing(shape)).log2().ceil();
    let [fewest, most] = SPHERE_DIVISIONS;
    Ok(of_surface(&surfaces::sphere(radius, divisions.clamp(fewest, most) as u32)?, shape))
}

/// A cylinder of `height` along y, in m.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn cylinder(
    radius: f64,
    height: f64,
    shape: &OrientedShape,
) -> Result<SkinMesh, GenerateError> {
    let segments = edges_around(radius, shape, AROUND);
    Ok(of_surface(&surfaces::cylinder(radius, height, segments)?, shape))
}

/// A ring around the y axis: `radius` from the axis to the middle of the `tube`, in m.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn torus(radius: f64, tube: f64, shape: &OrientedShape) -> Result<SkinMesh, GenerateError> {
    let segments = edges_around(radius + tube, shape, AROUND);
    let sides = edges_around(tube, shape, AROUND_TUBE);
    Ok(of_surface(&surfaces::torus(radius, tube, segments, sides)?, shape))
}

/// A surface around a shape: every face belongs to the particle that is nearest to its centre.
/// Nothing is known of its inside.
pub fn of_surface(surface: &Surface, shape: &OrientedShape) -> SkinMesh {
    let vertices: Vec<[f32; 3]> = surface.vertices.iter().map(|x| x.as_vec3().to_array()).collect();
    let nearest = NearestPoint::new(&shape.points);
    let face = |&corners: &[u32; 3]| {
        let sum: Vec3 = corners.iter().map(|&v| Vec3::from(vertices[v as usize])).sum();
        Some(Face { corners, owner: nearest.of(sum / 3.0)? })
    };
    let outside = surface.triangles.iter().filter_map(face).collect();
    SkinMesh { vertices, outside, ..SkinMesh::default() }
}

/// Sides of the cell around a particle, which its ellipsoid has the proportions and the volume of.
fn cell(shape: &OrientedShape) -> [f64; 3] {
    let Some(point) = shape.points.first() else { return [1.0; 3] };
    let [a, b, c] = point.radii.map(f64::from);
    let scale = (f64::from(point.volume) / (a * b * c)).cbrt();
    [scale * a, scale * b, scale * c]
}

/// Side of a cube of the volume of a particle, in m.
fn spacing(shape: &OrientedShape) -> f64 {
    let [a, b, c] = cell(shape);
    (a * b * c).cbrt()
}

fn edges_around(radius: f64, shape: &OrientedShape, [fewest, most]: [f64; 2]) -> u32 {
    (std::f64::consts::TAU * radius / spacing(shape)).round().clamp(fewest, most) as u32
}

/// Finds the nearest of many points: a tree that halves them along their longest extent.
struct NearestPoint {
    /// In the order of the tree: the middle of a range divides it.
    points: Vec<(Vec3, u32)>,
    /// The axis along which the range around a point was divided, by its place.
    axes: Vec<u8>,
}

impl NearestPoint {
    fn new(points: &[OrientedPoint]) -> Self {
        let mut points: Vec<(Vec3, u32)> =
            points.iter().zip(0..).map(|(p, i)| (p.position.into(), i)).collect();
        let mut axes = vec![0; points.len()];
        divide(&mut points, &mut axes);
        Self { points, axes }
    }

    /// Number of the nearest point, the lowest of several; `None` if there are none.
    fn of(&self, at: Vec3) -> Option<u32> {
        let mut best = (f32::INFINITY, u32::MAX);
        self.search(0..self.points.len(), at, &mut best);
        (best.1 != u32::MAX).then_some(best.1)
    }

    fn search(&self, range: std::ops::Range<usize>, at: Vec3, best: &mut (f32, u32)) {
        if range.is_empty() {
            return;
        }
        let middle = range.start + range.len() / 2;
        let (point, number) = self.points[middle];
        let found = (point.distance_squared(at), number);
        if found < *best {
            *best = found;
        }
        let axis = usize::from(self.axes[middle]);
        let off = at[axis] - point[axis];
        let (below, above) = (range.start..middle, middle + 1..range.end);
        let (near, far) = if off < 0.0 { (below, above) } else { (above, below) };
        self.search(near, at, best);
        if off * off <= best.0 {
            self.search(far, at, best);
        }
    }
}

fn divide(points: &mut [(Vec3, u32)], axes: &mut [u8]) {
    if points.len() < 2 {
        return;
    }
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = points.iter().fold(start, |(low, high), p| (low.min(p.0), high.max(p.0)));
    let axis = (high - low).max_position();
    let middle = points.len() / 2;
    points
        .select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    axes[middle] = axis as u8;
    let (below, above) = points.split_at_mut(middle);
    let (axes_below, axes_above) = axes.split_at_mut(middle);
    divide(below, axes_below);
    divide(&mut above[1..], &mut axes_above[1..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::signed;

    /// Against a search through all, with points that coincide and places far outside.
    #[test]
    fn the_tree_finds_the_nearest_point() {
        let random = |i: u64, k: u64| (4.0 * signed(7, &[i, k])).round() as f32 * 0.25;
        let fine = |i: u64, k: u64| 1.5 * signed(8, &[i, k]) as f32;
        let cube = crate::generate::block([1.0; 3], &crate::generate::Sampling::count(1)).unwrap();
        for count in [0, 1, 2, 3, 100, 500] {
            let point = |i| [0, 1, 2].map(|k| random(i, k));
            let points: Vec<OrientedPoint> = (0..count)
                .map(|i| OrientedPoint { position: point(i), ..cube.points[0] })
                .collect();
            let tree = NearestPoint::new(&points);
            for i in 0..200 {
                let at = Vec3::from([0, 1, 2].map(|k| fine(i, k)));
                let far = |p: &OrientedPoint| at.distance_squared(p.position.into());
                let all = points.iter().zip(0..).map(|(p, i)| (far(p), i));
                let truth = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                assert_eq!(tree.of(at), truth.map(|(_, i)| i));
            }
        }
    }
}
