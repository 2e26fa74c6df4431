//! Cracks that run (001 sec. 4.2, recipe C): from a vertex, along one plane, from fan to fan.
//!
//! ```text
//! queue = [v];  while there are some:
//!     split what the plane crosses of the fan of w, if the body is remeshed
//!     of the fan of w: on which side of the plane each tetrahedron has its middle
//!     open the faces between both sides, those beside a surface first, unless a tetrahedron would lose its last neighbour
//!     queue what these faces touch, where the crack goes on
//! ```
//!
//! Splitting every vertex that is overloaded by itself gives gravel; a crack that runs on within the substep parts the body and
//! relieves what is beside it.

use super::remesh::{Half, OnEdge, Remesh};
use super::topology::{Born, Topology, is_joined, outward};
use glam::Vec3;

/// Vertices that a crack passes in a substep, at most.
const LONGEST: usize = 300;
/// A fan of fewer tetrahedra is left as it is.
const SMALLEST_FAN: usize = 6;

/// The plane of a crack, at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    /// Of unit length.
    pub normal: Vec3,
    /// A point of it, in m.
    pub point: Vec3,
}

impl Plane {
    /// n·(x − p), m.
    pub fn height(&self, x: Vec3) -> f32 {
        self.normal.dot(x - self.point)
    }

    /// What is nearer than this to the plane lies in it.
    fn snapped(&self, x: Vec3, near: f32) -> Vec3 {
        let height = self.height(x);
        if height.abs() < near { x - height * self.normal } else { x }
    }
}

/// A face that has opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OpenFace {
    /// The tetrahedra on both sides.
    pub tets: [u32; 2],
    /// Its corners before, counter-clockwise seen from the second.
    pub corners: [u32; 3],
    /// Whether all its corners are two vertices now. Only then may the body have come apart here (split-vertex oracle, 001
    /// sec. 4.3, 001.10).
    pub through: bool,
}

/// What cracks of a body have done in a substep, and room for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cracks {
    /// Vertices before.
    count: usize,
    /// Vertices that began.
    pub born: Vec<Born>,
    /// Those of them that began on edges.
    pub on_edges: Vec<OnEdge>,
    /// Tetrahedra that began, behind all others.
    pub halves: Vec<Half>,
    /// Faces that opened, in order.
    pub opened: Vec<OpenFace>,
    /// Fans that were split, and those of them in which the oracle let a face through.
    pub fans: [u64; 2],
    /// Where every vertex is at rest, m.
    rest: Vec<Vec3>,
    /// Of each vertex: some tetrahedron of its fan.
    home: Vec<u32>,
    queue: Vec<u32>,
    /// Vertices of before that the crack has come to.
    passed: Vec<u32>,
    fan: Vec<(u32, f32)>,
    refused: Vec<[u32; 2]>,
    between: Vec<(bool, u32, u8)>,
}

impl Cracks {
    /// Forgets those before; of vertices at these places at rest each knows a tetrahedron.
    pub fn begin(&mut self, rest: &[Vec3], home: impl Iterator<Item = u32>) {
        self.count = rest.len();
        self.born.clear();
        self.on_edges.clear();
        self.halves.clear();
        self.opened.clear();
        self.fans = [0; 2];
        self.rest.clear();
        self.rest.extend_from_slice(rest);
        self.home.clear();
        self.home.extend(home);
    }

    /// The vertex of before that a vertex was, or of one that began on an edge the nearer end.
    pub fn root(&self, mut vertex: u32) -> u32 {
        while let Some(k) = (vertex as usize).checked_sub(self.count) {
            vertex = self.born[k].parent;
        }
        vertex
    }

    /// Runs from a vertex along a plane through it, as long as `goes_on` tells of a vertex of before that it does. Returns how many faces opened. A plane
    /// that has the whole fan of the first vertex on one side is moved to its middle (001.7).
    pub fn run(
        &mut self,
        topology: &mut Topology,
        corners: &mut Vec<[u32; 4]>,
        mut remesh: Option<&mut Remesh>,
        vertex: u32,
        mut plane: Plane,
        mut goes_on: impl FnMut(u32) -> bool,
    ) -> usize {
        let before = self.opened.len();
        self.queue.clear();
        self.passed.clear();
        self.queue.push(vertex);
        self.passed.push(self.root(vertex));
        let near = remesh.as_ref().map_or(0.0, |remesh| remesh.shortest());
        let mut at = 0;
        while let Some(&w) = self.queue.get(at) {
            at += 1;
            let first = at == 1;
            if at > LONGEST || !first && !goes_on(self.root(w)) {
                continue;
            }
            self.look(topology, corners, w, plane, near);
            let mut level = 0.0;
            if first {
                level = self.middle();
                self.fan.iter_mut().for_each(|(_, height)| *height -= level);
                plane.point += level * plane.normal;
            }
            // faces of a fan that the plane had to be moved into do not lie in it anyhow
            if let Some(remesh) = remesh.as_deref_mut().filter(|_| level == 0.0) {
                self.refine(topology, corners, remesh, w, plane);
            }
            self.open_between(topology, corners, w);
        }
        self.opened.len() - before
    }

    /// Heights of the tetrahedra of a fan above the plane. Vertices that are near it count as in it.
    fn look(
        &mut self,
        topology: &mut Topology,
        corners: &[[u32; 4]],
        vertex: u32,
        plane: Plane,
        near: f32,
    ) {
        let Self { fan, rest, home, .. } = self;
        let height = |&t: &u32| {
            let place = |v: u32| plane.snapped(rest[v as usize], near);
            let sum: Vec3 = corners[t as usize].iter().map(|&v| place(v)).sum();
            (t, plane.height(0.25 * sum))
        };
        let tets = topology.fan(corners, vertex, home[vertex as usize]);
        fan.clear();
        fan.extend(tets.iter().map(height));
    }

    /// Splits what the plane crosses of the fan of a vertex, as far as that is allowed, and looks at the fan anew.
    fn refine(
        &mut self,
        topology: &mut Topology,
        corners: &mut Vec<[u32; 4]>,
        remesh: &mut Remesh,
        vertex: u32,
        plane: Plane,
    ) {
        if self.fan.len() < SMALLEST_FAN {
            return;
        }
        self.refused.clear();
        loop {
            let Self { fan, rest, refused, .. } = &mut *self;
            let fan = fan.iter().map(|&(t, _)| t);
            let found = remesh.find(corners, rest, fan, vertex, plane, refused);
            let Some((new, tet)) = found else { break };
            let ring = topology.around_edge(corners, new.ends, tet);
            if !remesh.allows(corners, rest, ring, &new) {
                refused.push(new.ends);
                continue;
            }
            remesh.spend(ring.len());
            self.split(topology, corners, tet, new);
            self.look(topology, corners, vertex, plane, remesh.shortest());
        }
    }

    /// Splits an edge of a tetrahedron, and all around it.
    pub fn split(
        &mut self,
        topology: &mut Topology,
        corners: &mut Vec<[u32; 4]>,
        tet: u32,
        new: OnEdge,
    ) {
        let first = corners.len() as u32;
        let split = topology.split_edge(corners, new.ends, tet, new.vertex);
        let half = |&parent: &u32| Half { parent, share: 1.0 - new.share };
        self.halves.extend(split.iter().map(half));
        self.born.push(Born { parent: new.nearer(), vertex: new.vertex });
        self.home.push(tet);
        // the other half of what was its home may have been it
        self.home[new.ends[1] as usize] = first;
        self.rest.push(new.value(&self.rest));
        self.on_edges.push(new);
    }

    /// The height at which a plane parts the fan: 0 if it does, or that of the middle one.
    fn middle(&self) -> f32 {
        let above = self.fan.iter().filter(|&&(_, height)| height > 0.0).count();
        if above > 0 && above < self.fan.len() {
            return 0.0;
        }
        let mut heights: Vec<f32> = self.fan.iter().map(|&(_, height)| height).collect();
        heights.sort_unstable_by(f32::total_cmp);
        // of an even number the lower one, so that some lie above
        heights[(heights.len() - 1) / 2]
    }

    /// Opens the faces between tetrahedra above and below, and queues what they touch.
    fn open_between(&mut self, topology: &mut Topology, corners: &mut [[u32; 4]], vertex: u32) {
        if self.fan.len() < SMALLEST_FAN {
            return;
        }
        let Self { fan, between, .. } = self;
        between.clear();
        for &(t, height) in fan.iter().filter(|&&(_, height)| height > 0.0) {
            for k in 0..4 {
                let other = topology.across()[t as usize][k];
                if !is_joined(other) || corners[t as usize][k] == vertex || height <= 0.0 {
                    continue;
                }
                let below = fan.iter().any(|&(u, height)| u == other && height <= 0.0);
                if below {
                    let beside = [t, other].iter().any(|&t| is_outside(topology, t));
                    between.push((!beside, t, k as u8));
                }
            }
        }
        between.sort_unstable();
        let before = self.opened.len();
        for at in 0..self.between.len() {
            let (_, t, k) = self.between[at];
            self.open(topology, corners, t, k as usize);
        }
        let opened = &self.opened[before..];
        self.fans[0] += u64::from(!opened.is_empty());
        self.fans[1] += u64::from(opened.iter().any(|face| face.through));
    }

    /// Opens a face, unless a tetrahedron would lose its last neighbour, and queues its corners.
    fn open(&mut self, topology: &mut Topology, corners: &mut [[u32; 4]], tet: u32, k: usize) {
        let Some(corners) = self.open_face(topology, corners, tet, k) else { return };
        for v in corners.into_iter().flatten() {
            let root = self.root(v);
            if !self.passed.contains(&root) {
                self.passed.push(root);
            }
            if !self.queue.contains(&v) {
                self.queue.push(v);
            }
        }
    }

    /// Opens a face, unless a tetrahedron would lose its last neighbour. Its corners before and after, seen from `tet`.
    pub fn open_face(
        &mut self,
        topology: &mut Topology,
        corners: &mut [[u32; 4]],
        tet: u32,
        k: usize,
    ) -> Option<[[u32; 3]; 2]> {
        let other = topology.across()[tet as usize][k];
        if !is_joined(other) || [tet, other].iter().any(|&t| neighbours(topology, t) < 2) {
            return None;
        }
        let face = outward(corners[tet as usize])[k];
        let begun = self.born.len();
        topology.split_face(corners, tet, k, self.count, &mut self.born);
        for &Born { parent, .. } in &self.born[begun..] {
            self.home[parent as usize] = other;
            self.home.push(tet);
            self.rest.push(self.rest[parent as usize]);
        }
        let after = outward(corners[tet as usize])[k];
        let through = !after.iter().any(|v| corners[other as usize].contains(v));
        self.opened.push(OpenFace { tets: [tet, other], corners: face, through });
        Some([face, after])
    }

    /// Where every vertex is at rest, those that began with it, m.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Vertices of before that the last crack came to.
    pub fn passed(&self) -> &[u32] {
        &self.passed
    }
}

fn neighbours(topology: &Topology, tet: u32) -> usize {
    topology.across()[tet as usize].iter().filter(|&&other| is_joined(other)).count()
}

/// Whether a tetrahedron has a face of the surface.
fn is_outside(topology: &Topology, tet: u32) -> bool {
    neighbours(topology, tet) < 4
}
