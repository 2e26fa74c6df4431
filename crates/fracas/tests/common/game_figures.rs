//! How corotated tetrahedra yield and tear, against what theory says, as figures: for the tests of the engine and the table of what it shows.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use super::brittle_figures::motion;
use super::tets::{block, body};
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Grain, Material, MaterialDesc, Noise, Varying};
use fracas::solids::fem::TetShape;
use fracas::world::{Event, GripDesc, GripMotion, MoveKey, PullKey, Region};
use fracas::{BodyId, World, WorldConfig};

pub const FRAME: f32 = 1.0 / 60.0;

/// Something like aluminium foam: light, stiff enough to be quasi-static within a ramp.
pub fn metal() -> MaterialDesc {
    MaterialDesc {
        density: 1000.0.into(),
        youngs_modulus: 1e8.into(),
        poisson_ratio: 0.3.into(),
        damping_time: 0.05.into(),
        yield_stress: 1e6.into(),
        hardening_modulus: 1e7.into(),
        creep_rate: 1e3.into(),
        plastic_limit: 4.0.into(),
        ..MaterialDesc::default()
    }
}

pub fn checked(desc: &MaterialDesc) -> Material {
    Material::try_from(desc).unwrap()
}

pub fn world(substeps: u32) -> World {
    World::new(WorldConfig { gravity: [0.0; 3], substeps, ..WorldConfig::default() }).unwrap()
}

fn slab(from: f32, to: f32) -> Region {
    Region::Box { min: [from, -9.0, -9.0], max: [to, 9.0, 9.0] }
}

/// Pulls both ends of a bar along x by a force that grows from 0 to this within some seconds and then follows further keys, times and shares of it.
pub fn pull_ends(world: &mut World, id: BodyId, length: f32, force: f64, keys: &[(f64, f64)]) {
    for (region, sign) in [(slab(-1.0, 1e-4), -1.0), (slab(length - 1e-4, length + 1.0), 1.0)] {
        let key = |&(time, share): &(f64, f64)| PullKey {
            time,
            force: [(sign * share * force) as f32, 0.0, 0.0],
            ..PullKey::default()
        };
        let motion = GripMotion::Pull { keys: keys.iter().map(key).collect() };
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    }
}

/// Length of the middle of a bar over that at rest, less 1, from the vertices of two planes.
pub fn stretch_between(world: &World, id: BodyId, shape: &TetShape, planes: [f32; 2]) -> f64 {
    let body = world.body(id).unwrap();
    let mut all: Vec<_> = body.particle_ids().iter().zip(body.world_positions()).collect();
    all.sort_by_key(|(id, _)| **id);
    let mean = |plane: f32| {
        let at = shape.vertices.iter().zip(&all).filter(|(rest, _)| (rest[0] - plane).abs() < 1e-4);
        let (sum, count) = at.fold((0.0, 0.0), |(sum, n), (_, (_, x))| (sum + x[0], n + 1.0));
        sum / count
    };
    let rest = f64::from(planes[1] - planes[0]);
    (mean(planes[1]) - mean(planes[0])) / rest - 1.0
}

/// 0 of tetrahedra whose middle is between these, 1 of the others: where grips pull, stress is higher than elsewhere.
fn ends_of(shape: &TetShape, from: f32, to: f32) -> Vec<u16> {
    let middle = |tet: &[u32; 4]| {
        let sum: f32 = tet.iter().map(|&v| shape.vertices[v as usize][0]).sum();
        0.25 * sum
    };
    shape.tets.iter().map(|tet| u16::from(!(from..to).contains(&middle(tet)))).collect()
}

/// Plastic set of a bar that was stretched by 4 % between its ends and let go, over (E ε − σ_Y)/(E + H) with ε how far its middle was stretched, at so many
/// frames a second.
pub fn plastic_set(rate: f64) -> f64 {
    let shape = block([12, 2, 2], [0.05; 3]);
    let mut world = world(1);
    let id = world.spawn(body(shape.clone(), checked(&metal()))).unwrap();
    for (region, way) in [(slab(-1.0, 1e-4), -0.012), (slab(0.6 - 1e-4, 1.0), 0.012)] {
        let keys = vec![
            MoveKey::default(),
            MoveKey { time: 1.5, offset: [way, 0.0, 0.0], ..MoveKey::default() },
        ];
        let motion = GripMotion::Move { keys, axis: [0.0, 0.0, 1.0], pivot: [0.0; 3] };
        world.grip(GripDesc { body: id, region, motion, release: Some(2.0) }).unwrap();
    }
    let stretch = |world: &World| (1.0 + stretch_between(world, id, &shape, [0.2, 0.4])).ln();
    let mut run = |seconds: f64| {
        for _ in 0..(seconds * rate).round() as usize {
            world.step((1.0 / rate) as f32);
        }
        stretch(&world)
    };
    let (held, free) = (run(1.9), run(1.1));
    free / ((1e8 * held - 1e6) / 1.1e8)
}

/// Under what share of strength times area the first face of a pulled bar opens, and whether it is in two in the end.
pub fn ramped_bar(layers: usize, strength: f64) -> (f64, usize) {
    let cell = 0.1 / layers as f32;
    let shape = block([6 * layers, layers, layers], [cell; 3]);
    let desc = MaterialDesc {
        strength: (strength as f32).into(),
        // where nothing but strength decides
        toughness: f32::INFINITY.into(),
        yield_stress: f32::INFINITY.into(),
        ..metal()
    };
    let mut world = world(1);
    // grips hold the ends in line, and where they end stress is higher: they are made stronger
    let mut shape = shape;
    shape.materials = ends_of(&shape, 0.15, 0.45);
    let strong = MaterialDesc { strength: f32::INFINITY.into(), ..desc.clone() };
    let mut desc_of = body(shape, checked(&desc));
    desc_of.materials.push(checked(&strong));
    let id = world.spawn(desc_of).unwrap();
    pull_ends(&mut world, id, 0.6, strength * 0.01, &[(0.0, 0.0), (2.0, 1.5)]);
    let mut first = None;
    while world.time() < 2.2 {
        world.step(FRAME / 4.0);
        let cracked = world.events().any(|event| matches!(event, Event::Crack { .. }));
        if cracked && first.is_none() {
            first = Some(world.time() / 2.0 * 1.5);
        }
    }
    (first.unwrap_or(f64::NAN), world.body(id).unwrap().pieces().len())
}

/// A plate with a notch in its edge that is pulled by moving its ends: how far faces that open are off the line of the notch, in cells, the
/// farthest; how many pieces of more than a tenth of it there are; how much its mass and momentum have changed, relative.
pub struct Notched {
    pub off_line: f64,
    pub first_off_tip: f64,
    pub halves: usize,
    pub mass: f64,
}

pub fn notched_plate(cells: usize) -> Notched {
    let cell = 0.4 / cells as f32;
    let mut shape = block([cells, cells, 1], [cell; 3]);
    // the notch: vertices of its line are two, up to a quarter of the height
    let line = 0.5 * 0.4;
    let on = |v: &[f32; 3]| (v[0] - line).abs() < 1e-5 && v[1] < 0.25 * 0.4 - 0.5 * cell;
    let count = shape.vertices.len();
    let mut twin = vec![None; count];
    for v in 0..count {
        if on(&shape.vertices[v]) {
            twin[v] = Some(shape.vertices.len() as u32);
            shape.vertices.push(shape.vertices[v]);
        }
    }
    for t in 0..shape.tets.len() {
        let middle: f32 =
            shape.tets[t].iter().map(|&v| shape.vertices[v as usize][0]).sum::<f32>() / 4.0;
        if middle > line {
            for v in &mut shape.tets[t] {
                *v = twin[*v as usize].unwrap_or(*v);
            }
        }
    }
    let desc = MaterialDesc { strength: 4e6.into(), toughness: 3e5.into(), ..metal() };
    let mut world = world(2);
    let id = world.spawn(body(shape, checked(&desc))).unwrap();
    for (region, way) in [(slab(-1.0, 1e-4), -0.02), (slab(0.4 - 1e-4, 1.0), 0.02)] {
        let keys = vec![
            MoveKey::default(),
            MoveKey { time: 2.0, offset: [way, 0.0, 0.0], ..MoveKey::default() },
        ];
        let motion = GripMotion::Move { keys, axis: [0.0, 0.0, 1.0], pivot: [0.0; 3] };
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    }
    let mass = |world: &World| -> f64 {
        world.body(id).unwrap().masses().iter().map(|&m| f64::from(m)).sum()
    };
    let before = mass(&world);
    let mut found = Notched { off_line: 0.0, first_off_tip: f64::NAN, halves: 0, mass: 0.0 };
    let tip = DVec3::new(0.2, 0.1, 0.0);
    while world.time() < 2.5 {
        world.step(FRAME / 2.0);
        let events: Vec<Event> = world.events().collect();
        for event in events {
            if let Event::Crack { position, .. } = event {
                let off = DVec3::new(position[0], position[1], 0.0) - tip;
                if found.first_off_tip.is_nan() {
                    found.first_off_tip = off.length() / f64::from(cell);
                }
                found.off_line = found.off_line.max(off.x.abs() / f64::from(cell));
            }
        }
    }
    let body = world.body(id).unwrap();
    let large = |count: usize| count > body.particle_ids().len() / 10;
    found.halves = body.pieces().iter().filter(|piece| large(body.ids(piece).len())).count();
    found.mass = (mass(&world) / before - 1.0).abs();
    found
}

/// A free block that two impulses tear apart: momentum, angular momentum and mass before and after, relative; energy of its motion and its elements that
/// is won, of the first; pieces.
pub struct Torn {
    pub momentum: f64,
    pub angular: f64,
    pub mass: f64,
    pub pieces: usize,
    /// Most that the energy of motion and elements rose by from one frame to the next, of the first.
    pub won: f64,
    pub hash: u64,
}

pub fn torn_in_flight(threads: u32) -> Torn {
    let shape = block([12, 4, 4], [0.05; 3]);
    let desc = MaterialDesc { strength: 5e4.into(), toughness: 2e4.into(), ..metal() };
    let config = WorldConfig {
        gravity: [0.0; 3],
        substeps: 4,
        threads,
        // what elements store is energy too
        books: true,
        ..WorldConfig::default()
    };
    let mut world = World::new(config).unwrap();
    let mut desc = body(shape.clone(), checked(&desc));
    desc.velocity = [1.0, 0.5, 0.0];
    desc.spin = [0.0, 0.0, 40.0];
    let id = world.spawn(desc).unwrap();
    world.step(1e-4);
    let (p, l) = motion(&world, id);
    let mass = |world: &World| -> f64 {
        world.body(id).unwrap().masses().iter().map(|&m| f64::from(m)).sum()
    };
    let before = mass(&world);
    let first = world.step(1e-4).energy.held();
    let (mut last, mut won) = (first, 0.0f64);
    for _ in 0..60 {
        let held = world.step(FRAME).energy.held();
        won = won.max((held - last) / first);
        last = held;
    }
    let (p1, l1) = motion(&world, id);
    Torn {
        momentum: (p1 - p).length() / p.length(),
        angular: (l1 - l).length() / l.length(),
        mass: (mass(&world) / before - 1.0).abs(),
        pieces: world.body(id).unwrap().pieces().len(),
        won,
        hash: world.hash(),
    }
}

/// Faces that open in blocks that spin about random axes until they burst, until there are so many; every body is validated after every frame.
pub fn random_cracks(count: u64) -> (u64, usize) {
    let (mut opened, mut blocks) = (0, 0);
    while opened < count {
        let shape = block([8, 8, 8], [0.05; 3]);
        let spread = |k: usize| ((blocks * 7 + k * 13) % 17) as f32 / 8.0 - 1.0;
        let noise = Noise { mean: 4e4, spread: 2e4, wavelength: 0.15 };
        let desc = MaterialDesc {
            strength: Varying::Noise(noise),
            toughness: 8e3.into(),
            yield_stress: f32::INFINITY.into(),
            ..metal()
        };
        let mut world = world(2);
        let mut spawned = body(shape, checked(&desc));
        spawned.seed = blocks as u64;
        spawned.spin = [60.0 * spread(0), 60.0 * spread(1), 60.0 * spread(2) + 20.0];
        let id = world.spawn(spawned).unwrap();
        for _ in 0..20 {
            world.step(FRAME);
            world.body(id).unwrap().validate();
        }
        let counts = world.body(id).unwrap().fracture_counts().unwrap();
        assert!(blocks < 200, "{opened} faces in {blocks} blocks");
        opened += counts.faces;
        blocks += 1;
    }
    (opened, blocks)
}

/// Of a cantilever whose end is pushed down: area-weighted mean of |n·d| over all faces that open, for a strength across the grain of this share of that
/// along it, which runs along the beam.
pub fn beam_faces(ratio: f32) -> (f64, usize) {
    let mut shape = block([24, 8, 4], [0.025; 3]);
    shape.materials = ends_of(&shape, 0.1, 0.5);
    let desc = MaterialDesc {
        yield_stress: f32::INFINITY.into(),
        strength: 1e6.into(),
        toughness: 1e5.into(),
        grain: Grain { strength_ratio: ratio.into(), ..MaterialDesc::default().grain },
        ..metal()
    };
    let strong = MaterialDesc {
        strength: f32::INFINITY.into(),
        toughness: f32::INFINITY.into(),
        ..desc.clone()
    };
    let mut world = world(2);
    let mut spawned = body(shape, checked(&desc));
    spawned.materials.push(checked(&strong));
    let id = world.spawn(spawned).unwrap();
    for (region, way) in [(slab(-1.0, 0.03), 0.0), (slab(0.57, 1.0), -0.06)] {
        let keys = vec![
            MoveKey::default(),
            MoveKey { time: 1.0, offset: [0.0, way, 0.0], ..MoveKey::default() },
        ];
        let motion = GripMotion::Move { keys, axis: [0.0, 0.0, 1.0], pivot: [0.0; 3] };
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    }
    let (mut along, mut area) = (0.0, 0.0);
    while world.time() < 1.0 {
        world.step(FRAME / 2.0);
        for event in world.events() {
            if let Event::Crack { normal, area: opened, .. } = event {
                along += f64::from(opened) * f64::from(Vec3::from(normal).x.abs());
                area += f64::from(opened);
            }
        }
    }
    (along / area, world.body(id).unwrap().pieces().len())
}

/// Milliseconds of frames of 1/60 s on 2 threads of a cantilever of 10,000 tetrahedra that yields under its weight, and faces that opened.
pub fn bending_times() -> (Vec<f64>, usize) {
    let desc = MaterialDesc { strength: 1e9.into(), yield_stress: 2e5.into(), ..metal() };
    frame_times(block([20, 10, 10], [0.05; 3]), &desc)
}

/// The same of W6, a bar of 6,000 tetrahedra that is held at one end and tears under its weight: at a strain of 0.015, since at the 0.05 of Rapier, whose bar sags
/// farther, it holds.
pub fn tearing_times() -> (Vec<f64>, usize) {
    let desc = MaterialDesc {
        density: 131.0.into(),
        youngs_modulus: 2e5.into(),
        poisson_ratio: 0.3.into(),
        strength: 3e3.into(),
        ..MaterialDesc::default()
    };
    frame_times(block([12, 10, 10], [0.1; 3]), &desc)
}

fn frame_times(shape: TetShape, desc: &MaterialDesc) -> (Vec<f64>, usize) {
    let config = WorldConfig { substeps: 1, threads: 2, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let id = world.spawn(body(shape, checked(desc))).unwrap();
    let (region, motion) = (slab(-1.0, 1e-4), GripMotion::Hold);
    world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    // the first frame builds what later ones use
    world.step(FRAME);
    let (mut times, mut opened) = (Vec::new(), 0);
    for _ in 0..120 {
        let start = std::time::Instant::now();
        world.step(FRAME);
        times.push(1e3 * start.elapsed().as_secs_f64());
        opened += world.events().filter(|event| matches!(event, Event::Crack { .. })).count();
    }
    (times, opened)
}
