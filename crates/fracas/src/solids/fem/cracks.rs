//! Cracks that run (001 sec. 4.2, recipe C): from a vertex, along one plane, from fan to fan.
//!
//! ```text
//! queue = [v];  while there are some:
//!     of the fan of w: on which side of the plane each tetrahedron has its middle
//!     open the faces between both sides, those beside a surface first, unless a tetrahedron would lose its last neighbour
//!     queue what these faces touch, where the crack goes on
//! ```
//!
//! Splitting every vertex that is overloaded by itself gives gravel; a crack that runs on within the substep parts the body and
//! relieves what is beside it.

use super::topology::{Born, NONE, Topology, outward};
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
    /// Faces that opened, in order.
    pub opened: Vec<OpenFace>,
    /// Of each vertex: some tetrahedron of its fan.
    home: Vec<u32>,
    queue: Vec<u32>,
    /// Vertices of before that the crack has come to.
    passed: Vec<u32>,
    fan: Vec<(u32, f32)>,
    between: Vec<(bool, u32, u8)>,
}

impl Cracks {
    /// Forgets those before; of `count` vertices each knows a tetrahedron.
    pub fn begin(&mut self, count: usize, home: impl Iterator<Item = u32>) {
        self.count = count;
        self.born.clear();
        self.opened.clear();
        self.home.clear();
        self.home.extend(home);
    }

    /// The vertex of before that a vertex was.
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
        corners: &mut [[u32; 4]],
        rest: &[Vec3],
        vertex: u32,
        mut plane: Plane,
        mut goes_on: impl FnMut(u32) -> bool,
    ) -> usize {
        let before = self.opened.len();
        self.queue.clear();
        self.passed.clear();
        self.queue.push(vertex);
        self.passed.push(self.root(vertex));
        let mut at = 0;
        while let Some(&w) = self.queue.get(at) {
            at += 1;
            let first = at == 1;
            if at > LONGEST || !first && !goes_on(self.root(w)) {
                continue;
            }
            self.look(topology, corners, rest, w, plane);
            if first {
                let level = self.middle();
                self.fan.iter_mut().for_each(|(_, height)| *height -= level);
                plane.point += level * plane.normal;
            }
            self.open_between(topology, corners, w);
        }
        self.opened.len() - before
    }

    /// Heights of the tetrahedra of a fan above the plane.
    fn look(
        &mut self,
        topology: &mut Topology,
        corners: &[[u32; 4]],
        rest: &[Vec3],
        vertex: u32,
        plane: Plane,
    ) {
        let mut fan = std::mem::take(&mut self.fan);
        fan.clear();
        let height = |&t: &u32| {
            let place = |v: u32| rest[self.root(v) as usize];
            let sum: Vec3 = corners[t as usize].iter().map(|&v| place(v)).sum();
            (t, plane.normal.dot(0.25 * sum - plane.point))
        };
        let tets = topology.fan(corners, vertex, self.home[vertex as usize]);
        fan.extend(tets.iter().map(height));
        self.fan = fan;
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
                if other == NONE || corners[t as usize][k] == vertex || height <= 0.0 {
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
        for at in 0..self.between.len() {
            let (_, t, k) = self.between[at];
            self.open(topology, corners, t, k as usize);
        }
    }

    /// Opens a face, unless a tetrahedron would lose its last neighbour, and queues its corners.
    fn open(&mut self, topology: &mut Topology, corners: &mut [[u32; 4]], tet: u32, k: usize) {
        let other = topology.across()[tet as usize][k];
        if other == NONE || [tet, other].iter().any(|&t| neighbours(topology, t) < 2) {
            return;
        }
        let face = outward(corners[tet as usize])[k];
        let begun = self.born.len();
        topology.split_face(corners, tet, k, self.count, &mut self.born);
        for &Born { parent, .. } in &self.born[begun..] {
            self.home[parent as usize] = other;
            self.home.push(tet);
        }
        let after = outward(corners[tet as usize])[k];
        let through = !after.iter().any(|v| corners[other as usize].contains(v));
        self.opened.push(OpenFace { tets: [tet, other], corners: face, through });
        for v in face.into_iter().chain(after) {
            let root = self.root(v);
            if !self.passed.contains(&root) {
                self.passed.push(root);
            }
            if !self.queue.contains(&v) {
                self.queue.push(v);
            }
        }
    }

    /// Vertices of before that the last crack came to.
    pub fn passed(&self) -> &[u32] {
        &self.passed
    }
}

fn neighbours(topology: &Topology, tet: u32) -> usize {
    topology.across()[tet as usize].iter().filter(|&&other| other != NONE).count()
}

/// Whether a tetrahedron has a face of the surface.
fn is_outside(topology: &Topology, tet: u32) -> bool {
    neighbours(topology, tet) < 4
}
