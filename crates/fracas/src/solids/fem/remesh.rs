//! Remeshing along a crack (001 sec. 6): tetrahedra are split where its plane crosses them, so that the faces that open lie in it.
//!
//! ```text
//! of the fan of w: every edge (a, b) that does not contain w and crosses the plane is split at m, s = h_a/(h_a − h_b)
//!     around it (a, b, c, d) becomes (a, m, c, d) with s V and (m, b, c, d) with (1 − s) V
//! ```
//!
//! Of an edge that crosses near an end, or whose halves would be too thin, the crack goes along the faces that are there. At m everything is
//! what it was there before: rest, places and velocities are linear in a tetrahedron. So are Σ m x and Σ m v of quarters of masses,
//! which therefore stay; Σ m x² falls by s (1 − s) |a − b|² V ρ/4 for each tetrahedron, and the angular momentum is brought back with that of the piece.

use super::cracks::Plane;
use super::tets::Tets;
use crate::solids::Particles;
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::ParticleId;
use glam::Vec3;

/// Of the mean edge of the body as it was built: how short the edges of a split may be at least.
const SHORTEST: f32 = 0.1;
/// The shape of a half at least, see [`quality`].
const THINNEST: f32 = 0.03;

/// What is left to split of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Remesh {
    /// Tetrahedra that may still begin.
    left: u64,
    /// Mean edge of the body as it was built, m.
    edge: f32,
}

/// A vertex that began on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OnEdge {
    pub vertex: u32,
    pub ends: [u32; 2],
    /// s: how far it is from the first to the second.
    pub share: f32,
}

impl OnEdge {
    /// The end that is nearer.
    pub fn nearer(&self) -> u32 {
        self.ends[usize::from(self.share > 0.5)]
    }

    /// Between the values of both ends.
    pub fn between(&self, [a, b]: [Vec3; 2]) -> Vec3 {
        a + self.share * (b - a)
    }

    /// The value of a column that is linear along the edge.
    pub fn value(&self, column: &[Vec3]) -> Vec3 {
        self.between(self.ends.map(|v| column[v as usize]))
    }
}

/// A tetrahedron that began as a half of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Half {
    /// The one that it was a part of, which goes on as the other half.
    pub parent: u32,
    /// How much of its volume it took.
    pub share: f32,
}

impl Remesh {
    /// As many again as there are.
    pub fn new(tets: &Tets, rest: &[Vec3]) -> Self {
        let (mut sum, mut count) = (0.0, 0.0);
        for tet in &tets.corners {
            for [a, b] in edges(*tet) {
                sum += f64::from(rest[a as usize].distance(rest[b as usize]));
                count += 1.0;
            }
        }
        Self { left: tets.len() as u64, edge: (sum / count) as f32 }
    }

    /// A vertex where the plane crosses an edge of the fan of another away from its ends, and a tetrahedron of that edge: the first, but for
    /// edges that are refused.
    pub fn find(
        &self,
        corners: &[[u32; 4]],
        rest: &[Vec3],
        fan: impl Iterator<Item = u32>,
        vertex: u32,
        plane: Plane,
        refused: &[[u32; 2]],
    ) -> Option<(OnEdge, u32)> {
        let height = |v: u32| plane.height(rest[v as usize]);
        for t in fan {
            for ends in edges(corners[t as usize]) {
                let [a, b] = ends.map(height);
                let crosses = (a < 0.0) != (b < 0.0) && a.abs().min(b.abs()) >= self.shortest();
                if crosses && !ends.contains(&vertex) && !refused.contains(&ends) {
                    let share = a / (a - b);
                    return Some((OnEdge { vertex: rest.len() as u32, ends, share }, t));
                }
            }
        }
        None
    }

    /// Whether an edge may be split there, of `ring` around it.
    pub fn allows(&self, corners: &[[u32; 4]], rest: &[Vec3], ring: &[u32], new: &OnEdge) -> bool {
        ring.len() as u64 <= self.left && self.fits(corners, rest, ring, new)
    }

    /// Whether no half would be too small or too thin.
    pub fn fits(&self, corners: &[[u32; 4]], rest: &[Vec3], ring: &[u32], new: &OnEdge) -> bool {
        let here = new.value(rest);
        let near = |v: &u32| rest[*v as usize].distance(here) < self.shortest();
        let is_fine = |&t: &u32| {
            let tet = corners[t as usize];
            let half = |end: u32| {
                let place = |v: u32| if v == end { here } else { rest[v as usize] };
                quality(tet.map(place)) >= THINNEST
            };
            !tet.iter().any(near) && new.ends.into_iter().all(half)
        };
        ring.iter().all(is_fine)
    }

    /// So many tetrahedra began.
    pub fn spend(&mut self, count: usize) {
        self.left -= count as u64;
    }

    /// What is nearer than this counts as the same place, m.
    pub fn shortest(&self) -> f32 {
        SHORTEST * self.edge
    }

    /// Mean edge of the body as it was built, m.
    pub fn edge(&self) -> f32 {
        self.edge
    }

    /// Tetrahedra that may still begin.
    pub fn left(&self) -> u64 {
        self.left
    }

    pub fn hash(&self, hash: &mut StateHash) {
        hash.number(self.left);
    }

    pub fn save(&self, bytes: &mut Vec<u8>) {
        bytes.number(self.left);
        bytes.floats(&[self.edge]);
    }

    pub fn load(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let left = reader.number()?;
        let edge: Vec<f32> = reader.column_of(1)?;
        Ok(Self { left, edge: edge[0] })
    }
}

/// The six edges of a tetrahedron, the lower end first.
pub(crate) fn edges([a, b, c, d]: [u32; 4]) -> [[u32; 2]; 6] {
    [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].map(|[a, b]| [a.min(b), a.max(b)])
}

/// 6√2 V over the cube of the root mean square of its edges: 1 of a regular tetrahedron, 0 of a flat one, less of one that is inside out.
pub(crate) fn quality([a, b, c, d]: [Vec3; 4]) -> f32 {
    let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
    let ways = [b - a, c - a, d - a, c - b, d - b, d - c];
    let square = ways.iter().map(|way| way.length_squared()).sum::<f32>() / 6.0;
    6.0 * std::f32::consts::SQRT_2 * volume / (square * square.sqrt())
}

/// Adds a particle on an edge, where its ends have it and as fast. What is not linear is that of the nearer end.
pub(crate) fn push_on_edge(particles: &mut Particles, new: &OnEdge, id: ParticleId) {
    particles.push_copy(new.nearer() as usize, id);
    let j = particles.len() - 1;
    let Particles { rest, velocity, acceleration, correction, strength, broken, held, .. } =
        particles;
    for column in [rest, velocity, acceleration, correction] {
        column[j] = new.value(column);
    }
    let [a, b] = new.ends.map(|v| strength[v as usize]);
    strength[j] = a + new.share * (b - a);
    (broken[j], held[j]) = (false, false);
    let whole = f64::from(new.share);
    let ends = new.ends.map(|v| v as usize);
    let [a, b] = ends.map(|v| particles.place(v));
    particles.set_place(j, a.lerp(b, whole));
    let [a, b] = ends.map(|v| particles.inertial_place(v));
    particles.set_inertial_place(j, a.lerp(b, whole));
    let [a, b] = ends.map(|v| particles.previous_place(v));
    particles.set_previous_place(j, a.lerp(b, whole));
}

#[cfg(test)]
mod tests {
    use super::super::cracks::{Cracks, OpenFace};
    use super::super::topology::Topology;
    use super::super::topology::tests::{assert_closed, block, labels, random};
    use super::*;

    struct Mesh {
        rest: Vec<Vec3>,
        corners: Vec<[u32; 4]>,
        topology: Topology,
        cracks: Cracks,
    }

    fn unit(state: &mut u64) -> f32 {
        (random(state) % 20_001) as f32 / 10_000.0 - 1.0
    }

    fn direction(state: &mut u64) -> Vec3 {
        Vec3::new(unit(state), unit(state), unit(state)).normalize_or(Vec3::X)
    }

    impl Mesh {
        /// A block whose vertices inside are off their places, so that no edge is like another.
        fn shaken(cells: [usize; 3], state: &mut u64) -> Self {
            let (mut rest, corners) = block(cells);
            let most = Vec3::from(cells.map(|n| n as f32));
            for x in &mut rest {
                if x.min_element() > 0.0 && (*x - most).max_element() < 0.0 {
                    *x += 0.15 * Vec3::new(unit(state), unit(state), unit(state));
                }
            }
            let topology = Topology::new(&corners);
            Self { rest, corners, topology, cracks: Cracks::default() }
        }

        fn remesh(&self) -> Remesh {
            let tets = Tets { corners: self.corners.clone(), ..Tets::default() };
            Remesh::new(&tets, &self.rest)
        }

        /// Runs a crack from a vertex as far as the mesh goes; what has opened.
        fn crack(
            &mut self,
            vertex: u32,
            normal: Vec3,
            remesh: Option<&mut Remesh>,
        ) -> Vec<OpenFace> {
            let Self { rest, corners, topology, cracks } = self;
            let home = |v: u32| corners.iter().position(|tet| tet.contains(&v)).unwrap_or(0) as u32;
            let homes: Vec<u32> = (0..rest.len() as u32).map(home).collect();
            cracks.begin(rest, homes.into_iter());
            let plane = Plane { normal, point: rest[vertex as usize] };
            cracks.run(topology, corners, remesh, vertex, plane, |_| true);
            let mut on_edges = cracks.on_edges.iter().peekable();
            for born in &cracks.born {
                let new = on_edges.next_if(|new| new.vertex == born.vertex);
                rest.push(new.map_or(rest[born.parent as usize], |new| new.value(rest)));
            }
            cracks.opened.clone()
        }

        fn volume(&self) -> f64 {
            let of = |tet: &[u32; 4]| {
                let [a, b, c, d] = tet.map(|v| self.rest[v as usize].as_dvec3());
                (b - a).cross(c - a).dot(d - a) / 6.0
            };
            self.corners.iter().map(of).sum()
        }

        fn worst(&self) -> f32 {
            let of = |tet: &[u32; 4]| quality(tet.map(|v| self.rest[v as usize]));
            self.corners.iter().map(of).fold(1.0, f32::min)
        }

        /// Area of faces, and by area the mean of the angle between each and a plane, in degrees.
        fn tilt(&self, opened: &[OpenFace], normal: Vec3) -> (f32, f32) {
            let (mut whole, mut sum) = (0.0, 0.0);
            for open in opened {
                let [a, b, c] = open.corners.map(|v| self.rest[v as usize]);
                let across = (b - a).cross(c - a);
                let area = 0.5 * across.length();
                whole += area;
                sum += area * across.normalize_or(Vec3::X).dot(normal).abs().min(1.0).acos();
            }
            (whole, (sum / whole).to_degrees())
        }
    }

    /// Crack after crack through random vertices along random planes: faces meet, surfaces are closed, nothing is lost, no half is thin.
    #[test]
    fn random_cracks_keep_the_mesh_whole() {
        let mut state = 0x51ed_270b_a7f3_09c5;
        let (mut halves, mut parts) = (0, 0);
        for round in 0..40 {
            let mut mesh = Mesh::shaken([3, 3, 3], &mut state);
            let (volume, worst) = (mesh.volume(), mesh.worst());
            let mut remesh = mesh.remesh();
            let most = 2 * mesh.corners.len();
            for _ in 0..4 {
                let vertex = random(&mut state) % mesh.rest.len();
                mesh.crack(vertex as u32, direction(&mut state), Some(&mut remesh));
                mesh.topology.validate(&mesh.corners);
                let beside = |a: usize, b: usize| mesh.topology.across()[a].contains(&(b as u32));
                let label = labels(mesh.corners.len(), beside);
                assert_closed(&mesh.topology, &mesh.corners, &mesh.rest, &label);
                parts = parts.max(label.iter().max().map_or(0, |&last| last));
                for v in 0..mesh.rest.len() as u32 {
                    let Mesh { corners, topology, .. } = &mut mesh;
                    let star = corners.iter().filter(|tet| tet.contains(&v)).count();
                    let home = corners.iter().position(|tet| tet.contains(&v));
                    let fan = home.map_or(0, |t| topology.fan(corners, v, t as u32).len());
                    assert!(star > 0 && fan == star, "vertex {v} has {fan} of {star} in its fan");
                }
                let off = mesh.volume() / volume - 1.0;
                assert!(off.abs() < 1e-6, "round {round}: volume off by {off}");
                let thin = mesh.worst();
                assert!(thin >= THINNEST.min(worst), "round {round}: quality {thin} of {worst}");
                halves += mesh.cracks.halves.len();
            }
            assert!(mesh.corners.len() <= most, "{} of {most}", mesh.corners.len());
        }
        assert!(halves > 1000 && parts > 0, "{halves} halves, {parts}");
    }

    /// Bars that are cut across at odd angles: with splits the faces of the crack lie in its plane, without they zigzag.
    #[test]
    fn cracks_lie_in_their_plane() {
        let mut state = 0x0bad_5eed_1234_5679;
        let mut means = [0.0; 2];
        for _ in 0..8 {
            let mesh = Mesh::shaken([9, 4, 4], &mut state);
            let normal = Vec3::new(1.0, 0.6 * unit(&mut state), 0.6 * unit(&mut state)).normalize();
            let middle = Vec3::new(4.5, 2.0, 2.0);
            let near = |&v: &u32| mesh.rest[v as usize].distance(middle);
            let all = 0..mesh.rest.len() as u32;
            let Some(vertex) = all.min_by(|a, b| near(a).total_cmp(&near(b))) else { continue };
            for (with, mean) in [false, true].into_iter().zip(&mut means) {
                let mut mesh = Mesh {
                    rest: mesh.rest.clone(),
                    corners: mesh.corners.clone(),
                    topology: mesh.topology.clone(),
                    cracks: Cracks::default(),
                };
                let mut remesh = mesh.remesh();
                let opened = mesh.crack(vertex, normal, with.then_some(&mut remesh));
                let (area, tilt) = mesh.tilt(&opened, normal);
                *mean += tilt / 8.0;
                let flat = 16.0 / normal.x;
                assert!(!with || area / flat < 1.2, "{area} m² instead of {flat}");
                let beside = |a: usize, b: usize| mesh.topology.across()[a].contains(&(b as u32));
                let label = labels(mesh.corners.len(), beside);
                assert!(label.iter().any(|&part| part > 0), "the crack did not go through");
            }
        }
        let [without, with] = means;
        println!("{with}° off the plane, without splits {without}°");
        assert!(with < 4.0 && without > 30.0, "{with}°, without {without}°");
    }
}
