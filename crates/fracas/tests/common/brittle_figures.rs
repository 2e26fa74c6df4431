//! What brittle bodies do against what theory says of them, as figures: for the tests of the engine and the table of what it shows.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use super::tets::{block, elastic};
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, MaterialDesc, MaterialField, presets};
use fracas::math::{Rot, Sym3, symmetric_eigen};
use fracas::solids::brittle::BrittleOptions;
use fracas::solids::fem::topology::{OPENED, Topology};
use fracas::solids::fem::{FractureCounts, gerschgorin, stress_bound};
use fracas::solids::fem::{TetShape, TetSolver};
use fracas::world::{
    BodyDesc, Event, GripDesc, GripMotion, HalfSpaceDesc, PullKey, Region, ShapeDesc,
};
use fracas::{BodyId, World, WorldConfig};
use std::hint::black_box;
use std::time::Instant;

pub const FRAME: f32 = 1.0 / 60.0;
const G: f64 = 9.81;

pub fn config(gravity: f32) -> WorldConfig {
    WorldConfig { gravity: [0.0, gravity, 0.0], substeps: 4, ..WorldConfig::default() }
}

/// A world that is told its load in every substep.
fn slow(gravity: f32) -> World {
    World::new(WorldConfig { substeps: 1, ..config(gravity) }).unwrap()
}

pub fn brittle(shape: TetShape, material: Material) -> BodyDesc {
    let options = BrittleOptions::default();
    BodyDesc::new("brittle", ShapeDesc::Brittle { shape, options }, vec![material])
}

/// Glass of this strength and toughness.
pub fn glass(strength: f32, toughness: f32) -> Material {
    let desc =
        MaterialDesc { strength: strength.into(), toughness: toughness.into(), ..presets::glass() };
    Material::try_from(&desc).unwrap()
}

/// Momentum, and angular momentum about the origin of the world.
pub fn motion(world: &World, id: BodyId) -> (DVec3, DVec3) {
    let body = world.body(id).unwrap();
    let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    let velocities = body.pieces().iter().flat_map(|piece| body.velocities(piece));
    for ((x, v), &m) in body.world_positions().zip(velocities).zip(body.masses()) {
        let push = f64::from(m) * Vec3::from(*v).as_dvec3();
        momentum += push;
        angular += DVec3::from(x).cross(push);
    }
    (momentum, angular)
}

/// How long loads take to grow, in s, and to what share of what theory says that a body stands.
const RAMP: (f64, f64) = (2.0, 1.5);

/// Pulls the vertices of a box at rest with a force that grows from 0 along the ramp.
fn pull(world: &mut World, body: BodyId, [min, max]: [[f32; 3]; 2], force: [f64; 3]) {
    let force = force.map(|f| (RAMP.1 * f) as f32);
    let keys = vec![PullKey::default(), PullKey { time: RAMP.0, force, ..PullKey::default() }];
    let (region, motion) = (Region::Box { min, max }, GripMotion::Pull { keys });
    world.grip(GripDesc { body, region, motion, release: None }).unwrap();
}

/// How far the ramp has come, of the load of theory.
fn load_of(world: &World) -> f64 {
    RAMP.1 * world.time() / RAMP.0
}

/// Where and under what share of the load of theory the first faces of a body open while its load grows.
fn first_crack(world: &mut World) -> Option<(f64, Vec<DVec3>)> {
    while world.time() < RAMP.0 {
        world.step(FRAME / 4.0);
        let opened: Vec<DVec3> = world
            .events()
            .filter_map(|event| match event {
                Event::Crack { position, .. } => Some(DVec3::from(position)),
                _ => None,
            })
            .collect();
        if !opened.is_empty() {
            return Some((load_of(world), opened));
        }
    }
    None
}

/// A bar under a load in its middle between two supports.
#[derive(Clone, Copy, Debug)]
pub struct Bending {
    /// The load under which it cracks, of that of beam theory.
    pub load: f64,
    /// How far the first face is from the middle, of the span.
    pub off_middle: f64,
    /// And from the stretched face, of the height.
    pub off_face: f64,
}

/// Three-point bending. A force presses on a line across the upper face; at the supports lines at half the height are held, which
/// do not part while a bar is bent: nothing but that force loads it. It is sixteen times as long between its supports as high, and stands
/// half its height over.
pub fn bending(layers: usize) -> Bending {
    let (height, strength) = (0.08, 3.3e7);
    let cell = height / layers as f64;
    let across = 2 * layers.div_ceil(4);
    let shape = block([17 * layers, layers, across], [cell as f32; 3]);
    let mut world = slow(0.0);
    let id = world.spawn(brittle(shape, glass(strength as f32, 6e5))).unwrap();
    let (span, width, middle) = (16.0 * height, across as f64 * cell, 8.5 * height);
    let line = |x: f64, y: f64| {
        let corner = |off: f64, z: f32| [(x + off) as f32, (y + off) as f32, z];
        [corner(-1e-4, -1.0), corner(1e-4, 1.0)]
    };
    // σ = 3 F L/(2 b h²)
    let force = strength * 2.0 * width * height * height / (3.0 * span);
    pull(&mut world, id, line(middle, height), [0.0, -force, 0.0]);
    for end in [-0.5, 0.5] {
        let [min, max] = line(middle + end * span, 0.5 * height);
        let (region, motion) = (Region::Box { min, max }, GripMotion::Hold);
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    }
    let Some((load, opened)) = first_crack(&mut world) else {
        return Bending { load: f64::INFINITY, off_middle: 1.0, off_face: 1.0 };
    };
    // cracks begin where they are overloaded, and run from there
    Bending {
        load,
        off_middle: (opened[0].x - middle).abs() / span,
        off_face: opened[0].y.abs() / height,
    }
}

/// A plate with a notch from one edge, pulled at both ends until it parts.
#[derive(Clone, Copy, Debug)]
pub struct Notch {
    /// The stress under which its notch grows, of K_c/(Y √(π a)).
    pub grows: f64,
    /// And that under which it is in two.
    pub parts: f64,
    /// How far the first face is from the tip of the notch, of its length.
    pub off_tip: f64,
}

/// Single-edge notch tension: 0.1 m wide and three times as long, a notch of 0.4 of the width, so many cells across, two through its thickness. The
/// forces at both ends are in balance, and turn nothing: the plate is free to bend, as in the handbook.
///
/// The notch is one of the shape: above and below it tetrahedra have vertices of their own.
pub fn notch(cells: usize) -> Notch {
    let (width, toughness) = (0.1f64, 6e5);
    let cell = width / cells as f64;
    let (long, deep) = (3 * cells, 2 * cells / 5);
    let mut shape = block([cells, long, 2], [cell as f32; 3]);
    let level = (long / 2) as f32 * cell as f32;
    open_notch(&mut shape, deep as f32 * cell as f32, level);
    let mut world = slow(0.0);
    // what only its notch weakens
    let id = world.spawn(brittle(shape, glass(1e9, toughness as f32))).unwrap();
    let length = deep as f64 * cell;
    let share = length / width;
    let y = 1.12 - 0.231 * share + 10.55 * share.powi(2) - 21.72 * share.powi(3)
        + 30.39 * share.powi(4);
    let stress = toughness / (y * (std::f64::consts::PI * length).sqrt());
    let force = stress * width * 2.0 * cell;
    for (end, sign) in [(0.0, -1.0), (long as f32 * cell as f32, 1.0)] {
        let (min, max) = ([-1.0, end - 1e-4, -1.0], [1.0, end + 1e-4, 1.0]);
        pull(&mut world, id, [min, max], [0.0, sign * force, 0.0]);
    }
    let Some((grows, opened)) = first_crack(&mut world) else {
        return Notch { grows: f64::INFINITY, parts: f64::INFINITY, off_tip: 1.0 };
    };
    let tip = DVec3::new(length, f64::from(level), opened[0].z);
    let is_whole = |world: &World| world.body(id).unwrap().pieces().len() == 1;
    while is_whole(&world) && world.time() < RAMP.0 {
        world.step(FRAME / 4.0);
    }
    let parts = if is_whole(&world) { f64::INFINITY } else { load_of(&world) };
    Notch { grows, parts, off_tip: opened[0].distance(tip) / length }
}

/// Gives the tetrahedra above a level vertices of their own as far as x.
fn open_notch(shape: &mut TetShape, x: f32, level: f32) {
    let near = 1e-3 * x;
    let count = shape.vertices.len();
    let mut twin = vec![None; count];
    for v in 0..count {
        let at = shape.vertices[v];
        if (at[1] - level).abs() < near && at[0] < x - near {
            twin[v] = Some(shape.vertices.len() as u32);
            shape.vertices.push(at);
        }
    }
    for tet in &mut shape.tets {
        let middle = tet.iter().map(|&v| shape.vertices[v as usize][1]).sum::<f32>() / 4.0;
        if middle > level {
            *tet = tet.map(|v| twin[v as usize].unwrap_or(v));
        }
    }
}

/// A bar that hangs from its upper end while it gets weaker, until it cracks.
#[derive(Clone, Copy, Debug)]
pub struct Hanging {
    /// How far below its support the first face opens, of its length.
    pub place: f64,
    /// What it stands then, of ρ g L.
    pub strength: f64,
}

pub fn hanging() -> Hanging {
    let (cells, size) = ([4, 20, 4], 0.05);
    let length = 20.0 * size;
    let mut world = slow(-G as f32);
    let material = glass(1e6, 6e5);
    let density = 2500.0;
    let id = world.spawn(brittle(block(cells, [size as f32; 3]), material)).unwrap();
    let region = Region::Box { min: [-1.0, length as f32 - 1e-3, -1.0], max: [1.0, 10.0, 1.0] };
    let grip = GripDesc { body: id, region, motion: GripMotion::Hold, release: None };
    world.grip(grip).unwrap();
    let weight = density * G * length;
    while world.time() < RAMP.0 {
        // from twice to half of what it takes
        let strength = weight * (2.0 - 1.5 * world.time() / RAMP.0);
        world.set_material(id, MaterialField::Strength, strength as f32).unwrap();
        world.step(FRAME / 4.0);
        let highest = world
            .events()
            .filter_map(|event| match event {
                Event::Crack { position, .. } => Some(position[1]),
                _ => None,
            })
            .reduce(f64::max);
        if let Some(y) = highest {
            return Hanging { place: (length - y) / length, strength: strength / weight };
        }
    }
    Hanging { place: 1.0, strength: 0.0 }
}

/// The mean stress in the middle of a bar that spins, over ρ ω² L²/8.
pub fn stress_of_spin() -> f64 {
    let mut world = World::new(config(0.0)).unwrap();
    let mut desc = brittle(block([20, 2, 2], [0.05; 3]), elastic(2500.0, 7e10, 0.22));
    desc.spin = [0.0, 20.0, 0.0];
    let id = world.spawn(desc).unwrap();
    for _ in 0..60 {
        world.step(FRAME);
    }
    let body = world.body(id).unwrap();
    let (stresses, rest) = (body.stresses(), body.rest_positions());
    let middle = (0..rest.len()).filter(|&v| (rest[v][0] - 0.5).abs() < 1e-3);
    let found: Vec<f32> = middle.map(|v| stresses[v]).collect();
    let mean = f64::from(found.iter().sum::<f32>()) / found.len() as f64;
    mean / (2500.0 * 400.0 / 8.0)
}

/// How a free body drifts in two seconds.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    pub pieces: usize,
    /// Of its momentum and angular momentum, relative.
    pub momentum: f64,
    pub angular: f64,
}

/// A block that tumbles, and breaks by its spin if it is weak enough.
pub fn flight(strength: f32) -> Flight {
    let mut world = World::new(config(0.0)).unwrap();
    let mut desc = brittle(block([12, 4, 3], [0.05; 3]), glass(strength, 1e4));
    desc.velocity = [0.3, -0.2, 0.1];
    desc.spin = [4.0, 30.0, -8.0];
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    let before = motion(&world, id);
    for _ in 0..120 {
        world.step(FRAME);
    }
    let after = motion(&world, id);
    Flight {
        pieces: world.body(id).unwrap().pieces().len(),
        momentum: (after.0 - before.0).length() / before.0.length(),
        angular: (after.1 - before.1).length() / before.1.length(),
    }
}

/// A plate that is about to break on the floor, on so many threads.
pub fn falling_plate(threads: u32) -> (World, BodyId) {
    let mut world = World::new(WorldConfig { threads, ..config(-G as f32) }).unwrap();
    world.add_half_space(HalfSpaceDesc::default()).unwrap();
    let mut desc = brittle(block([12, 12, 2], [0.02; 3]), glass(1e7, 2e5));
    desc.position = [0.0, 0.2, 0.0];
    desc.velocity = [0.0, -4.0, 0.0];
    desc.rotation = Rot::exp(Vec3::new(0.3, 0.1, 0.2));
    let id = world.spawn(desc).unwrap();
    (world, id)
}

/// The hash of a plate that breaks, after half a second on so many threads, and how many pieces it is in.
pub fn hash_on(threads: u32) -> (u64, usize) {
    let (mut world, id) = falling_plate(threads);
    for _ in 0..30 {
        world.step(FRAME);
    }
    (world.hash(), world.body(id).unwrap().pieces().len())
}

/// How the break test answers while a plate breaks.
pub fn counts_of_breaking() -> FractureCounts {
    let (mut world, id) = falling_plate(1);
    for _ in 0..60 {
        world.step(FRAME);
    }
    world.body(id).unwrap().fracture_counts().unwrap()
}

/// What the solver of seed 001 comes to in a bar of this stiffness that spins.
#[derive(Clone, Copy, Debug)]
pub struct ByBroyden {
    /// The largest stress off that of conjugate gradients, of theirs.
    pub off: f64,
    /// Substeps of 240 that counted as not converged.
    pub unconverged: u64,
    /// Whether all numbers are some.
    pub finite: bool,
    pub pieces: usize,
}

pub fn by_broyden(modulus: f32, strength: f32) -> ByBroyden {
    let run = |solver: TetSolver| {
        let mut world = World::new(config(0.0)).unwrap();
        let desc = MaterialDesc {
            youngs_modulus: modulus.into(),
            strength: strength.into(),
            toughness: f32::INFINITY.into(),
            ..presets::glass()
        };
        let options = BrittleOptions { solver, ..BrittleOptions::default() };
        let shape = ShapeDesc::Brittle { shape: block([10, 2, 2], [0.1; 3]), options };
        let mut desc = BodyDesc::new("bar", shape, vec![Material::try_from(&desc).unwrap()]);
        desc.spin = [0.0, 2.0, 0.0];
        let id = world.spawn(desc).unwrap();
        let unconverged = (0..60).map(|_| world.step(FRAME).unconverged).sum::<u64>();
        let body = world.body(id).unwrap();
        let finite = body.world_positions().flatten().all(f64::is_finite)
            && body.stresses().iter().all(|s| s.is_finite())
            && !body.pieces().iter().any(|piece| piece.is_frozen());
        (body.stresses(), unconverged, finite, body.pieces().len())
    };
    let (truth, ..) = run(TetSolver::Iterative);
    let (found, unconverged, finite, pieces) = run(TetSolver::Broyden);
    let most = truth.iter().fold(0.0f32, |most, s| most.max(s.abs()));
    // pieces of a body that broke are not compared
    let apart = truth.iter().zip(&found).fold(0.0f32, |most, (a, b)| most.max((a - b).abs()));
    ByBroyden { off: f64::from(apart / most), unconverged, finite, pieces }
}

// ---- the oracle ----

/// What the split-vertex oracle said of faces that opened one after the other, and what was true by brute force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oracle {
    /// Faces that opened.
    pub asked: u64,
    /// Those at which it says that the body may have parted.
    pub yes: u64,
    /// Those at which the body did.
    pub parted: u64,
    /// Those at which the body did though it says no.
    pub missed: u64,
    /// Faces after which pieces by oracle and walk were others than by brute force.
    pub wrong: u64,
}

impl Oracle {
    /// The share of its alarms that were right.
    pub fn efficiency(&self) -> f64 {
        self.parted as f64 / self.yes as f64
    }
}

/// Tetrahedra of which faces open, with the pieces that oracle and walk know.
struct Opening {
    topology: Topology,
    corners: Vec<[u32; 4]>,
    places: Vec<Vec3>,
    /// Of each tetrahedron: its piece.
    piece: Vec<usize>,
    count: usize,
}

impl Opening {
    fn new(shape: &TetShape) -> Self {
        let topology = Topology::new(&shape.tets);
        let places = shape.vertices.iter().map(|&x| Vec3::from(x)).collect();
        let piece = vec![0; shape.tets.len()];
        Self { topology, corners: shape.tets.clone(), places, piece, count: 1 }
    }

    /// The tetrahedron across the face opposite a corner.
    fn across(&self, tet: u32, corner: usize) -> Option<u32> {
        Some(self.topology.across()[tet as usize][corner]).filter(|&other| other < OPENED)
    }

    /// Faces that are still joined, each from both sides.
    fn joined(&self) -> Vec<(u32, usize)> {
        let all = (0..self.corners.len() as u32).flat_map(|t| (0..4).map(move |k| (t, k)));
        all.filter(|&(t, k)| self.across(t, k).is_some()).collect()
    }

    /// Corners of the face opposite a corner.
    fn face(&self, tet: u32, corner: usize) -> [u32; 3] {
        let tet = self.corners[tet as usize];
        std::array::from_fn(|i| tet[if i < corner { i } else { i + 1 }])
    }

    /// Opens a face and asks the oracle, and brute force.
    fn open(&mut self, tet: u32, corner: usize, oracle: &mut Oracle) {
        let Some(other) = self.across(tet, corner) else { return };
        let mut born = Vec::new();
        let Self { topology, corners, places, .. } = self;
        topology.split_face(corners, tet, corner, places.len(), &mut born);
        places.extend(born.iter().map(|born| places[born.parent as usize]).collect::<Vec<_>>());
        let yes = self.is_through(tet, corner, other);
        let side = yes.then(|| self.topology.parted(tet, other)).flatten();
        if let Some(side) = side {
            side.iter().for_each(|&t| self.piece[t as usize] = self.count);
            self.count += 1;
        }
        let truth = self.brute_force();
        let parted = truth[tet as usize] != truth[other as usize];
        oracle.asked += 1;
        oracle.yes += u64::from(yes);
        oracle.parted += u64::from(parted);
        oracle.missed += u64::from(parted && !yes);
        oracle.wrong += u64::from(first_of_each(&self.piece) != truth);
    }

    /// The lowest tetrahedron that each hangs together with, by a flood fill of everything.
    fn brute_force(&self) -> Vec<usize> {
        let mut label = vec![usize::MAX; self.corners.len()];
        let mut queue = Vec::new();
        for first in 0..label.len() {
            if label[first] < first {
                continue;
            }
            label[first] = first;
            queue.push(first as u32);
            while let Some(t) = queue.pop() {
                for next in (0..4).filter_map(|k| self.across(t, k)) {
                    if label[next as usize] == usize::MAX {
                        label[next as usize] = first;
                        queue.push(next);
                    }
                }
            }
        }
        label
    }

    /// Faces of the fan of a vertex between both sides of a plane through it, from one side.
    fn between(&mut self, tet: u32, vertex: u32, normal: Vec3) -> Vec<(u32, usize)> {
        let point = self.places[vertex as usize];
        let Self { topology, corners, places, .. } = self;
        let sides = topology.plane_sides(corners, places, vertex, tet, normal, point);
        let below = |t: u32| sides.iter().any(|&(u, above)| u == t && !above);
        let mut faces = Vec::new();
        for &(t, _) in sides.iter().filter(|(_, above)| *above) {
            let of = (0..4).filter(|&k| self.corners[t as usize][k] != vertex);
            let of = of.filter(|&k| self.across(t, k).is_some_and(below));
            faces.extend(of.map(|k| (t, k)));
        }
        faces
    }

    /// Whether a face has an edge on the surface.
    fn is_at_surface(&self, tet: u32, corner: usize) -> bool {
        let face = self.face(tet, corner);
        let outside = (0..self.corners.len() as u32).flat_map(|t| (0..4).map(move |k| (t, k)));
        let mut outside = outside.filter(|&(t, k)| self.across(t, k).is_none());
        let shared = |(t, k)| self.face(t, k).iter().filter(|v| face.contains(v)).count();
        outside.any(|face| shared(face) >= 2)
    }
}

/// Of each: the first that has the same.
fn first_of_each(piece: &[usize]) -> Vec<usize> {
    let mut first = vec![usize::MAX; piece.iter().max().map_or(0, |most| most + 1)];
    let mut of = |(t, &p): (usize, &usize)| {
        first[p] = first[p].min(t);
        first[p]
    };
    piece.iter().enumerate().map(&mut of).collect()
}

fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 33) as usize
}

/// So many faces of blocks opened in random order, or fan by fan along random planes as cracks do.
pub fn random_splits(count: u64, in_fans: bool) -> Oracle {
    let shape = block([3, 3, 3], [1.0; 3]);
    let (mut state, mut oracle) = (0x1234_5678_9abc_def1, Oracle::default());
    while oracle.asked < count {
        let mut opening = Opening::new(&shape);
        while oracle.asked < count {
            let joined = opening.joined();
            if joined.is_empty() {
                break;
            }
            let (tet, corner) = joined[random(&mut state) % joined.len()];
            if !in_fans {
                opening.open(tet, corner, &mut oracle);
                continue;
            }
            let vertex = opening.corners[tet as usize][(corner + 1) % 4];
            let part = |state: &mut u64| random(state) as f32 / (1u64 << 31) as f32 - 0.5;
            let normal = Vec3::from_array(std::array::from_fn(|_| part(&mut state)));
            let mut faces = opening.between(tet, vertex, normal);
            faces.sort_by_key(|&(t, k)| !opening.is_at_surface(t, k));
            // a plane that parts none of its fan, as one of a single tetrahedron
            if faces.is_empty() {
                faces.push((tet, corner));
            }
            for (tet, corner) in faces {
                opening.open(tet, corner, &mut oracle);
            }
        }
    }
    oracle
}

/// A ring that is cut through once and then again (001 figure 4): no local oracle can tell that it still hangs together after the first.
pub fn ring() -> [Oracle; 2] {
    let (around, across) = (8, 2);
    let mut shape = block([around, across, across], [1.0; 3]);
    let layer = (across + 1) * (across + 1);
    let last = (around * layer) as u32;
    shape.vertices.truncate(last as usize);
    for v in shape.tets.iter_mut().flatten().filter(|v| **v >= last) {
        *v -= last;
    }
    let mut opening = Opening::new(&shape);
    [0, around / 2].map(|cut| {
        let inside = |v: &u32| (cut * layer..(cut + 1) * layer).contains(&(*v as usize));
        let mut oracle = Oracle::default();
        // vertices that begin are none of the layer any more
        let faces =
            opening.joined().into_iter().filter(|&(t, k)| opening.face(t, k).iter().all(inside));
        for (tet, corner) in faces.collect::<Vec<_>>() {
            opening.open(tet, corner, &mut oracle);
        }
        oracle
    })
}

/// Fans of all vertices one layer below the surface, each split alone along planes (001 figure 5): with the faces that have an edge
/// on the surface first, and last.
pub fn fan_order() -> [Oracle; 2] {
    let shape = block([4, 4, 4], [1.0; 3]);
    let fresh = Opening::new(&shape);
    [false, true].map(|last| {
        let mut oracle = Oracle::default();
        for vertex in 0..shape.vertices.len() as u32 {
            let at = shape.vertices[vertex as usize];
            let inside = at.iter().all(|&x| x > 0.5 && x < 3.5);
            if !inside || !at.iter().any(|x| !(1.5..=2.5).contains(x)) {
                continue;
            }
            let tet = shape.tets.iter().position(|tet| tet.contains(&vertex)).unwrap() as u32;
            for normal in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.8, 0.1)] {
                let mut opening =
                    Opening { topology: fresh.topology.clone(), ..Opening::new(&shape) };
                let mut faces = opening.between(tet, vertex, normal);
                faces.sort_by_key(|&(t, k)| opening.is_at_surface(t, k) == last);
                for (tet, corner) in faces {
                    opening.open(tet, corner, &mut oracle);
                }
            }
        }
        oracle
    })
}

// ---- the break test ----

/// Times of bounds on the largest of three eigenvalues and of the eigenvalues themselves, in ns each, and how they answer.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub gerschgorin: f64,
    pub both: f64,
    pub eigenvalues: f64,
    /// Of random stresses with a tenth beyond the limit: the share of what is let through that is truly beyond it, by Gerschgorin and by
    /// both bounds.
    pub efficiency: [f64; 2],
    /// Those beyond the limit that a bound did not let through.
    pub missed: usize,
}

/// The best of many rounds over random stresses.
pub fn bounds(count: usize) -> Bounds {
    let mut state = 0x2545_f491_4f6c_dd1d;
    // of three numbers the sum is nearly normal
    let mut part = || (0..3).map(|_| random(&mut state) as f32 / (1u64 << 31) as f32 - 0.5).sum();
    let stresses: Vec<Sym3> =
        (0..count).map(|_| Sym3::from_array(std::array::from_fn(|_| part()))).collect();
    let largest: Vec<f32> = stresses.iter().map(|s| symmetric_eigen(s).0[0]).collect();
    let mut sorted = largest.clone();
    sorted.sort_unstable_by(f32::total_cmp);
    let limit = sorted[9 * count / 10];
    let let_through = |bound: fn(&Sym3) -> f32| {
        let passed = stresses.iter().filter(|s| bound(s) >= limit).count();
        largest.iter().filter(|&&most| most >= limit).count() as f64 / passed as f64
    };
    let beyond = stresses.iter().zip(&largest).filter(|(_, most)| **most >= 1.00001 * limit);
    let missed = beyond.filter(|(s, _)| gerschgorin(s).min(stress_bound(s)) < limit).count();
    let time = |what: &dyn Fn(&Sym3) -> f32| {
        let mut best = f64::INFINITY;
        for _ in 0..20 {
            let start = Instant::now();
            black_box(stresses.iter().map(|s| what(black_box(s))).sum::<f32>());
            best = best.min(start.elapsed().as_secs_f64());
        }
        1e9 * best / count as f64
    };
    Bounds {
        gerschgorin: time(&|s| gerschgorin(s)),
        both: time(&|s| stress_bound(s)),
        eigenvalues: time(&|s| symmetric_eigen(s).0[0]),
        efficiency: [let_through(gerschgorin), let_through(stress_bound)],
        missed,
    }
}

// ---- what the oracle saves ----

/// How pieces are found after the faces of a fan have opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// All that hangs together with a face is walked through, as in 001 algorithm 4.
    Whole,
    /// Walks from both sides of a face, until one ends or they meet.
    Smaller,
}

/// Mean times of fans that were split, in µs: of those that made a piece and of those that did not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rupture {
    pub without: [f64; 2],
    pub with: [f64; 2],
    pub fans: [usize; 2],
}

impl Rupture {
    /// What the oracle adds where a piece began, of the time without; below 0 where it spares walks there, too.
    pub fn cost(&self) -> f64 {
        self.with[0] / self.without[0] - 1.0
    }

    /// What it saves where none did.
    pub fn saving(&self) -> f64 {
        1.0 - self.with[1] / self.without[1]
    }
}

/// A fan that was split: in what time, s, and whether a piece began by it.
#[derive(Clone, Copy, Debug)]
struct Fan {
    time: f64,
    parted: bool,
}

/// Fans of a block of 6,000 tetrahedra are split along random planes (001 table 4): with walks through whole pieces as in the text, and
/// with walks of the smaller side.
pub fn rupture() -> [Rupture; 2] {
    let shape = block([12, 10, 10], [1.0; 3]);
    [Search::Whole, Search::Smaller].map(|search| {
        let mut rupture = Rupture::default();
        for asked in [false, true] {
            // of every fan the best of some rounds, which are all the same
            let mut best = split_fans(&shape, search, asked);
            for _ in 0..10 {
                for (best, now) in best.iter_mut().zip(split_fans(&shape, search, asked)) {
                    best.time = best.time.min(now.time);
                }
            }
            for k in 0..2 {
                let fans = || best.iter().filter(|fan| fan.parted == (k == 0));
                let count = fans().count();
                let times = if asked { &mut rupture.with } else { &mut rupture.without };
                times[k] = 1e6 * fans().map(|fan| fan.time).sum::<f64>() / count as f64;
                rupture.fans[k] = count;
            }
        }
        rupture
    })
}

fn split_fans(shape: &TetShape, search: Search, asked: bool) -> Vec<Fan> {
    let mut opening = Opening::new(shape);
    let (mut state, mut seen) = (0x9e37_79b9_7f4a_7c15, vec![0; shape.tets.len()]);
    let (mut fans, mut round) = (Vec::new(), 0);
    for _ in 0..3000 {
        let tet = (random(&mut state) % shape.tets.len()) as u32;
        let vertex = opening.corners[tet as usize][random(&mut state) % 4];
        let part = |state: &mut u64| random(state) as f32 / (1u64 << 31) as f32 - 0.5;
        let normal = Vec3::from_array(std::array::from_fn(|_| part(&mut state)));
        let start = Instant::now();
        let mut faces = opening.between(tet, vertex, normal);
        if faces.is_empty() {
            continue;
        }
        let outer = |t: u32| (0..4).any(|k| opening.across(t, k).is_none());
        faces.sort_by_key(|&(t, k)| !outer(t) && !opening.across(t, k).is_some_and(outer));
        let mut sides = Vec::new();
        for &(t, k) in &faces {
            let Some(other) = opening.across(t, k) else { continue };
            let (mut born, Opening { topology, corners, places, .. }) = (Vec::new(), &mut opening);
            topology.split_face(corners, t, k, places.len(), &mut born);
            for born in &born {
                places.push(places[born.parent as usize]);
            }
            sides.push((t, other, asked && opening.is_through(t, k, other)));
        }
        let alarm = !asked || sides.iter().any(|side| side.2);
        let parted = alarm && opening.is_parted(&sides, search, asked, &mut seen, &mut round);
        let time = start.elapsed().as_secs_f64();
        fans.push(Fan { time, parted });
    }
    fans
}

impl Opening {
    /// What the oracle says of a face that has opened.
    fn is_through(&self, tet: u32, corner: usize, other: u32) -> bool {
        let below = &self.corners[other as usize];
        !self.face(tet, corner).iter().any(|v| below.contains(v))
    }

    /// Whether pieces began at faces, by a search that looks at those alone that the oracle let through, if it was asked.
    fn is_parted(
        &mut self,
        sides: &[(u32, u32, bool)],
        search: Search,
        asked: bool,
        seen: &mut [u32],
        round: &mut u32,
    ) -> bool {
        if search == Search::Smaller {
            let looked = sides.iter().filter(|side| side.2 || !asked);
            return looked.filter(|side| self.topology.parted(side.0, side.1).is_some()).count()
                > 0;
        }
        *round += 1;
        let mut pieces = 0;
        for t in sides.iter().flat_map(|side| [side.0, side.1]) {
            if seen[t as usize] == *round {
                continue;
            }
            pieces += 1;
            let mut queue = vec![t];
            seen[t as usize] = *round;
            while let Some(t) = queue.pop() {
                for next in (0..4).filter_map(|k| self.across(t, k)) {
                    if seen[next as usize] != *round {
                        seen[next as usize] = *round;
                        queue.push(next);
                    }
                }
            }
        }
        pieces > 1
    }
}
