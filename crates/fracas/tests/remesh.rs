//! Brittle bodies whose tetrahedra are split along cracks.
#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "common/tets.rs"]
mod tets;

use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, MaterialDesc, presets};
use fracas::math::Rot;
use fracas::solids::brittle::BrittleOptions;
use fracas::solids::fem::TetShape;
use fracas::world::{
    Body, BodyDesc, BodyId, GripDesc, GripMotion, HalfSpaceDesc, MoveKey, Region, ShapeDesc, World,
    WorldConfig,
};
use std::collections::BTreeMap;
use tets::{block, go_on_after_loading};

const FRAME: f32 = 1.0 / 60.0;

fn config(gravity: f32) -> WorldConfig {
    WorldConfig { gravity: [0.0, gravity, 0.0], substeps: 4, ..WorldConfig::default() }
}

fn remeshed(shape: TetShape, material: Material) -> BodyDesc {
    let options = BrittleOptions { remesh: true, ..BrittleOptions::default() };
    BodyDesc::new("brittle", ShapeDesc::Brittle { shape, options }, vec![material])
}

/// A block whose vertices inside are off their places, so that no plane goes along its faces.
fn shaken(cells: [usize; 3], spacing: f32) -> TetShape {
    let mut shape = block(cells, [spacing; 3]);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut unit = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    for x in &mut shape.vertices {
        let inside = |axis: usize| {
            let cell = x[axis] / spacing;
            cell > 0.5 && cell < cells[axis] as f32 - 0.5
        };
        let inside = [0, 1, 2].map(inside);
        for axis in (0..3).filter(|&axis| inside[axis]) {
            x[axis] += 0.2 * spacing * unit();
        }
    }
    shape
}

/// Glass of this strength and toughness.
fn glass(strength: f32, toughness: f32) -> Material {
    let desc =
        MaterialDesc { strength: strength.into(), toughness: toughness.into(), ..presets::glass() };
    Material::try_from(&desc).unwrap()
}

/// Momentum, and angular momentum about the origin of the world.
fn motion(world: &World, id: BodyId) -> (DVec3, DVec3) {
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

/// Volume at rest.
fn volume(body: &Body) -> f64 {
    let rest: Vec<DVec3> =
        body.rest_positions().iter().map(|&x| Vec3::from(x).as_dvec3()).collect();
    let of = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| rest[v as usize]);
        (b - a).cross(c - a).dot(d - a) / 6.0
    };
    body.tets().iter().map(of).sum()
}

/// A face lies between two tetrahedra at most, and what has one is a closed surface.
fn assert_conforming(body: &Body) {
    let mut faces: BTreeMap<[u32; 3], Vec<[u32; 3]>> = BTreeMap::new();
    for &[a, b, c, d] in body.tets() {
        for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
            let mut key = face;
            key.sort_unstable();
            faces.entry(key).or_default().push(face);
        }
    }
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for (key, sides) in faces {
        assert!(sides.len() <= 2, "face {key:?} of {} tetrahedra", sides.len());
        let [face] = sides[..] else { continue };
        for k in 0..3 {
            let (from, to) = (face[k], face[(k + 1) % 3]);
            *edges.entry((from.min(to), from.max(to))).or_default() +=
                if from < to { 1 } else { -1 };
        }
    }
    assert!(edges.values().all(|&n| n == 0), "its surface is not closed");
}

/// A free body that its spin breaks keeps its mass, its volume and its motion, and never has more than twice its tetrahedra.
#[test]
fn nothing_is_lost() {
    let mut world = World::new(config(0.0)).unwrap();
    let shape = shaken([12, 4, 3], 0.05);
    let count = shape.tets.len();
    let mut desc = remeshed(shape, glass(1e5, 1e4));
    desc.velocity = [0.3, -0.2, 0.1];
    desc.spin = [4.0, 30.0, -8.0];
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    let before = motion(&world, id);
    let mass = world.body(id).unwrap().mass();
    let whole = volume(world.body(id).unwrap());
    for frame in 0..120 {
        world.step(FRAME);
        let body = world.body(id).unwrap();
        body.validate();
        let tets = body.tets().len();
        assert!(tets <= 2 * count, "{tets} tetrahedra of {count}");
        let off = body.mass() / mass - 1.0;
        assert!(off.abs() < 1e-6, "mass off by {off} in frame {frame}");
        let off = volume(body) / whole - 1.0;
        assert!(off.abs() < 1e-6, "volume off by {off} in frame {frame}");
    }
    assert_conforming(world.body(id).unwrap());
    let body = world.body(id).unwrap();
    let (pieces, tets) = (body.pieces().len(), body.tets().len());
    assert!(pieces > 1 && tets > count, "{pieces} pieces, {tets} tetrahedra");
    let after = motion(&world, id);
    let off = (after.0 - before.0).length() / before.0.length();
    assert!(off < 1e-6, "momentum off by {off}");
    let off = (after.1 - before.1).length() / before.1.length();
    assert!(off < 1e-5, "angular momentum off by {off}");
}

/// A bar that grips pull apart breaks between them. What they hold goes with them, and no vertex that began on an edge is held.
#[test]
fn grips_hold_what_they_took() {
    let mut world = World::new(config(0.0)).unwrap();
    let shape = shaken([12, 3, 3], 0.05);
    let count = shape.tets.len();
    let id = world.spawn(remeshed(shape, glass(1e6, 1e4))).unwrap();
    let ends = [[f32::NEG_INFINITY, 0.06], [0.54, f32::INFINITY]];
    for ([from, to], way) in ends.into_iter().zip([-0.01, 0.01]) {
        let min = [from, f32::NEG_INFINITY, f32::NEG_INFINITY];
        let region = Region::Box { min, max: [to, f32::INFINITY, f32::INFINITY] };
        let key = |time, x| MoveKey { time, offset: [x, 0.0, 0.0], angle: 0.0 };
        let keys = vec![key(0.0, 0.0), key(1.0, way)];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    }
    for _ in 0..60 {
        world.step(FRAME);
        world.body(id).unwrap().validate();
    }
    let body = world.body(id).unwrap();
    let (pieces, tets) = (body.pieces().len(), body.tets().len());
    assert!(pieces > 1 && tets > count, "{pieces} pieces, {tets} tetrahedra of {count}");
    for (x, rest) in body.world_positions().zip(body.rest_positions()) {
        let way = if rest[0] < 0.052 { -0.01 } else { 0.01 };
        if rest[0] < 0.052 || rest[0] > 0.548 {
            let off = x[0] - f64::from(rest[0]) - way;
            assert!(off.abs() < 1e-4, "{rest:?} is off by {off} m");
        }
    }
}

/// A plate that is about to break on the floor, on so many threads.
fn falling_plate(threads: u32) -> (World, BodyId) {
    let mut world = World::new(WorldConfig { threads, ..config(-9.81) }).unwrap();
    world.add_half_space(HalfSpaceDesc::default()).unwrap();
    let mut desc = remeshed(block([12, 12, 2], [0.02; 3]), glass(1e7, 2e5));
    desc.position = [0.0, 0.2, 0.0];
    desc.velocity = [0.0, -4.0, 0.0];
    desc.rotation = Rot::exp(Vec3::new(0.3, 0.1, 0.2));
    let id = world.spawn(desc).unwrap();
    (world, id)
}

/// A plate that is dropped breaks, wins no energy by it, and what it is in afterwards weighs the same.
#[test]
fn a_dropped_plate_breaks() {
    let (mut world, id) = falling_plate(2);
    world.apply_commands();
    let mass = world.body(id).unwrap().mass();
    let mut energies = Vec::new();
    for _ in 0..90 {
        energies.push(world.step(FRAME).energy.held());
        world.body(id).unwrap().validate();
    }
    let body = world.body(id).unwrap();
    assert!(body.pieces().len() > 3, "{} pieces", body.pieces().len());
    assert!((body.mass() / mass - 1.0).abs() < 1e-6);
    let fall = energies[0] - energies[energies.len() - 1];
    let mut least = energies[0];
    for (frame, &energy) in energies.iter().enumerate() {
        let won = energy - least;
        assert!(won < 1e-2 * fall, "{won} J of {fall} won by frame {frame}");
        least = least.min(energy);
    }
}

/// The same bits on any number of threads.
#[test]
fn threads_change_no_bit() {
    let hashes = [1, 2, 3].map(|threads| {
        let (mut world, id) = falling_plate(threads);
        for _ in 0..15 {
            world.step(FRAME);
        }
        assert!(world.body(id).unwrap().tets().len() > 1440, "nothing was split");
        world.hash()
    });
    assert_eq!(hashes, [hashes[0]; 3]);
}

/// Saved while it breaks and loaded again, it goes on with the same bits.
#[test]
fn snapshots_go_on_with_the_same_bits() {
    let (mut world, id) = falling_plate(1);
    go_on_after_loading(&mut world, 15, FRAME);
    assert!(world.body(id).unwrap().tets().len() > 1440, "nothing was split");
}
