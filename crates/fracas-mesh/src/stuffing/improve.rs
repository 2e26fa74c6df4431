//! Moves the vertices of a stuffed mesh: onto sharp edges, to better angles, to the right volume.
//! No tetrahedron falls under [`GUARD`] by that, and the topology stays.

use fracas::glam::DVec3;

use super::quality::cosine;
use super::shape::Shape;
use crate::distance::SignedDistance;
use crate::tets::TetMesh;

/// Cosine of the angle below which no move may push a tetrahedron: 10°.
const GUARD: f64 = 0.984_807_753;

/// Vertices whose tetrahedra are all above this angle are left alone, in cosine: 20°.
const GOOD: f64 = 0.939_692_621;

/// Rounds of snapping and smoothing.
const ROUNDS: usize = 4;

/// Newton steps towards the volume; each squares the error unless the guard holds vertices.
const VOLUME_STEPS: usize = 6;

/// What a vertex of the boundary is bound to.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    /// Moves freely: not at the boundary.
    Inside,
    /// Stays on the surface.
    Surface,
    /// Stays on sharp edges.
    Edge,
    /// Stays.
    Corner,
}

/// A mesh that is being improved.
pub(super) struct Improver<'a> {
    mesh: TetMesh,
    /// Boundary triangles.
    faces: Vec<[u32; 3]>,
    shape: &'a Shape,
    /// Width of a lattice cell.
    width: f64,
    /// Tetrahedra around each vertex.
    tets: Groups,
    /// Boundary triangles around each vertex.
    fans: Groups,
    bound: Vec<Bound>,
}

impl<'a> Improver<'a> {
    pub(super) fn new(mesh: TetMesh, faces: Vec<[u32; 3]>, shape: &'a Shape, width: f64) -> Self {
        let tets = Groups::new(mesh.vertices.len(), &mesh.tets);
        let fans = Groups::new(mesh.vertices.len(), &faces);
        let bind = |v: usize| if fans.of(v).is_empty() { Bound::Inside } else { Bound::Surface };
        let bound = (0..mesh.vertices.len()).map(bind).collect();
        Self { mesh, faces, shape, width, tets, fans, bound }
    }

    /// All improvements.
    pub(super) fn run(mut self) -> TetMesh {
        for _ in 0..ROUNDS {
            self.settle();
            self.snap_corners();
            self.snap_edges();
            self.reach_out();
            self.smooth();
        }
        self.correct_volume(self.shape.volume);
        self.mesh
    }

    /// Puts vertices of the boundary onto the surface where it was raised.
    fn settle(&mut self) {
        for v in 0..self.bound.len() {
            if self.bound[v] == Bound::Surface {
                let (from, foot) =
                    (self.mesh.vertices[v], self.shape.distance.foot(self.mesh.vertices[v]));
                if from.distance(foot) > 1.0e-6 * self.width {
                    self.try_part_of_move(v, foot);
                }
            }
        }
    }

    /// Pulls vertices to points of the surface that are far from the mesh, the farthest first:
    /// tips that fell between the points of the lattice.
    fn reach_out(&mut self) {
        let Some(boundary) = boundary(&self.mesh, &self.faces) else { return };
        let mut wishes = Vec::new();
        for point in self.shape.samples() {
            let (foot, face) = boundary.foot_and_triangle(point);
            if foot.distance(point) > 0.25 * self.width {
                wishes.push((foot.distance(point), point, face));
            }
        }
        wishes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut moved = vec![false; self.bound.len()];
        for (_, point, face) in wishes {
            let way = |&v: &u32| self.mesh.vertices[v as usize].distance(point);
            let mut corners = self.faces[face as usize];
            corners.sort_by(|a, b| way(a).total_cmp(&way(b)));
            for v in corners.map(|v| v as usize) {
                if !moved[v] && self.bound[v] != Bound::Corner {
                    moved[v] = true;
                    if self.try_part_of_move(v, point) {
                        break;
                    }
                }
            }
        }
    }

    /// Pulls the closest vertex that may go there onto each corner.
    fn snap_corners(&mut self) {
        let mut wishes = Vec::new();
        for v in 0..self.bound.len() {
            if !matches!(self.bound[v], Bound::Surface | Bound::Edge) {
                continue;
            }
            let x = self.mesh.vertices[v];
            if let Some((corner, place)) = self.shape.features.nearest_corner(x, 0.8 * self.width) {
                wishes.push((corner, x.distance(place), v, place));
            }
        }
        wishes.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for around in wishes.chunk_by(|a, b| a.0 == b.0) {
            let taken = |v: &usize| self.bound[*v] == Bound::Corner;
            if around.iter().any(|(_, _, v, _)| taken(v)) {
                continue;
            }
            for &(_, _, v, place) in around {
                if self.try_move(v, place) {
                    self.bound[v] = Bound::Corner;
                    break;
                }
            }
        }
    }

    /// Pulls vertices onto sharp edges that the boundary cuts short, the closest first.
    fn snap_edges(&mut self) {
        let mut wishes = Vec::new();
        for v in 0..self.bound.len() {
            if self.bound[v] != Bound::Surface {
                continue;
            }
            let x = self.mesh.vertices[v];
            let Some(place) = self.shape.features.nearest_edge(x, 0.6 * self.width) else {
                continue;
            };
            if self.cuts_short(v, x.distance(place)) {
                wishes.push((x.distance(place), v, place));
            }
        }
        wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, v, place) in wishes {
            if self.try_part_of_move(v, place) {
                self.bound[v] = Bound::Edge;
            }
        }
    }

    /// Whether a side of the boundary at `v` leaves the surface, and its other end is no closer to
    /// a sharp edge.
    fn cuts_short(&self, v: usize, to_edge: f64) -> bool {
        let x = self.mesh.vertices[v];
        self.fans.of(v).iter().flat_map(|&f| self.faces[f as usize]).any(|other| {
            let y = self.mesh.vertices[other as usize];
            let middle = 0.5 * (x + y);
            other as usize != v
                && self.shape.features.nearest_edge(y, to_edge).is_none()
                && self.shape.distance.foot(middle).distance(middle) > 0.02 * self.width
        })
    }

    /// Moves vertices of bad tetrahedra where their worst angle grows: to the mean of their
    /// neighbours, or a step along an axis.
    fn smooth(&mut self) {
        for v in 0..self.bound.len() {
            let mut worst = self.worst_around(v);
            if worst < GOOD || self.bound[v] == Bound::Corner {
                continue;
            }
            let from = self.mesh.vertices[v];
            let mut best = from;
            let step = 0.1 * self.width;
            let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| step * axis);
            let mean = self.mean_of_neighbours(v);
            let tries = axes.iter().flat_map(|&way| [from + way, from - way]);
            for target in [mean, 0.5 * (mean + from)].into_iter().chain(tries) {
                let Some(target) = self.hold(v, target) else { continue };
                self.mesh.vertices[v] = target;
                let now = self.worst_around(v);
                if now < worst {
                    (worst, best) = (now, target);
                }
            }
            self.mesh.vertices[v] = best;
        }
    }

    /// The closest place that a vertex is bound to.
    fn hold(&self, v: usize, target: DVec3) -> Option<DVec3> {
        match self.bound[v] {
            Bound::Inside => Some(target),
            Bound::Surface => Some(self.shape.distance.foot(target)),
            Bound::Edge => self.shape.features.nearest_edge(target, self.width),
            Bound::Corner => None,
        }
    }

    /// Mean of the neighbours: for a vertex of the boundary, of those in the boundary.
    fn mean_of_neighbours(&self, v: usize) -> DVec3 {
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        let mut add = |others: &[u32]| {
            for &other in others.iter().filter(|&&other| other as usize != v) {
                sum += self.mesh.vertices[other as usize];
                count += 1.0;
            }
        };
        if self.bound[v] == Bound::Inside {
            self.tets.of(v).iter().for_each(|&t| add(&self.mesh.tets[t as usize]));
        } else {
            self.fans.of(v).iter().for_each(|&f| add(&self.faces[f as usize]));
        }
        sum / count
    }

    /// Shifts the boundary along its normals until the mesh has a volume: Newton steps on a common
    /// offset s, with dV/ds = Σ |A| over the area vectors A = ∂V/∂x of the vertices.
    fn correct_volume(&mut self, wanted: f64) {
        for _ in 0..VOLUME_STEPS {
            let areas = self.area_vectors();
            let missing = wanted - self.mesh.volume();
            let slope: f64 = areas.iter().map(|a| a.length()).sum();
            let offset = missing / slope;
            if missing.abs() <= 1.0e-9 * wanted || !offset.is_finite() {
                break;
            }
            for (v, area) in areas.into_iter().enumerate() {
                if area != DVec3::ZERO {
                    let _ =
                        self.try_move(v, self.mesh.vertices[v] + offset * area.normalize_or_zero());
                }
            }
        }
    }

    /// ∂V/∂x of each vertex: a third of the area vectors of the boundary triangles around it.
    fn area_vectors(&self) -> Vec<DVec3> {
        let mut areas = vec![DVec3::ZERO; self.mesh.vertices.len()];
        for face in &self.faces {
            let [a, b, c] = face.map(|v| self.mesh.vertices[v as usize]);
            let share = (b - a).cross(c - a) / 6.0;
            face.iter().for_each(|&v| areas[v as usize] += share);
        }
        areas
    }

    /// Moves a vertex unless a tetrahedron gets worse than both [`GUARD`] and what was there.
    fn try_move(&mut self, v: usize, to: DVec3) -> bool {
        let from = self.mesh.vertices[v];
        let limit = self.worst_around(v).max(GUARD);
        self.mesh.vertices[v] = to;
        let fits = self.worst_around(v) <= limit;
        if !fits {
            self.mesh.vertices[v] = from;
        }
        fits
    }

    /// Moves a vertex, else a part of the way, which leaves room for the next round. Says if it
    /// arrived.
    fn try_part_of_move(&mut self, v: usize, to: DVec3) -> bool {
        let from = self.mesh.vertices[v];
        let part = [1.0, 0.5, 0.25].into_iter().find(|&part| self.try_move(v, from.lerp(to, part)));
        part == Some(1.0)
    }

    /// Worst cosine of the tetrahedra around a vertex.
    fn worst_around(&self, v: usize) -> f64 {
        let of = |&t: &u32| cosine(self.mesh.corners(t as usize));
        self.tets.of(v).iter().map(of).fold(-1.0, f64::max)
    }
}

/// Distance to the boundary of a mesh.
pub(super) fn boundary(mesh: &TetMesh, faces: &[[u32; 3]]) -> Option<SignedDistance> {
    SignedDistance::of(mesh.vertices.clone(), faces.to_vec())
}

/// Worst cosine of a mesh.
pub(super) fn worst(mesh: &TetMesh) -> f64 {
    (0..mesh.tets.len()).map(|t| cosine(mesh.corners(t))).fold(-1.0, f64::max)
}

/// Lists of elements around vertices.
struct Groups {
    starts: Vec<u32>,
    elements: Vec<u32>,
}

impl Groups {
    fn new<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> Self {
        let mut starts = vec![0; vertices + 1];
        for &v in elements.as_flattened() {
            starts[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut grouped = vec![0; N * elements.len()];
        for (id, element) in elements.iter().enumerate() {
            for &v in element {
                grouped[next[v as usize] as usize] = id as u32;
                next[v as usize] += 1;
            }
        }
        Self { starts, elements: grouped }
    }

    fn of(&self, vertex: usize) -> &[u32] {
        &self.elements[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}
