//! Bodies that touch each other, against closed forms.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::{FRAME, body, centre_of_mass, floor, grip_box, lattice, material, weightless};
use fracas::material::MaterialDesc;
use fracas::solids::oriented::OrientedShape;
use fracas::world::{BodyDesc, Event, GripMotion, PullKey};
use fracas::{BodyId, StepReport, World, WorldConfig};

fn cube(counts: [usize; 3], material: &MaterialDesc, position: [f64; 3]) -> BodyDesc {
    BodyDesc { position, ..body(lattice(counts, 0.05, 3), material) }
}

fn speed_x(world: &World, id: BodyId) -> f64 {
    let body = world.body(id).unwrap();
    let mut momentum = 0.0;
    let mut masses = body.masses().iter();
    for piece in body.pieces() {
        for v in body.velocities(piece) {
            momentum += f64::from(v[0]) * f64::from(*masses.next().unwrap());
        }
    }
    momentum / body.mass()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

/// Smallest distance of two particles of two bodies; 0.05 where they touch.
fn nearest(world: &World, a: BodyId, b: BodyId) -> f64 {
    let [a, b] = [a, b].map(|id| world.body(id).unwrap());
    let pairs = a.world_positions().flat_map(|x| b.world_positions().map(move |y| distance(x, y)));
    pairs.fold(f64::INFINITY, f64::min)
}

/// Two that meet off centre exchange momentum and turn; together they keep both.
#[test]
fn a_collision_keeps_momentum_and_angular_momentum() {
    let soft = MaterialDesc { friction: 0.5.into(), ..material(1e5) };
    for speed in [2.0_f32, 20.0] {
        let mut world = World::new(weightless()).unwrap();
        let mut a = cube([4, 4, 4], &soft, [-0.25, 0.0, 300.0]);
        a.velocity = [speed, 0.0, 0.0];
        let a = world.spawn(a).unwrap();
        let b = world.spawn(cube([4, 4, 4], &soft, [0.1, 0.07, 300.0])).unwrap();
        let start = world.step(1e-4);
        let scale = world.body(a).unwrap().mass() * f64::from(speed);
        let mut touched = 0;
        for frame in 0..60 {
            let now = world.step(FRAME);
            touched += now.contacts;
            let near = nearest(&world, a, b);
            assert!(near > 0.045, "{speed} m/s, frame {frame}: particles {near} m apart");
            let off = distance(now.momentum, start.momentum) / scale;
            assert!(off < 1e-6, "{speed} m/s, frame {frame}: momentum off by {off}");
            let off = distance(now.angular_momentum, start.angular_momentum) / (0.1 * scale);
            assert!(off < 1e-5, "{speed} m/s, frame {frame}: angular momentum off by {off}");
        }
        assert!(touched > 0, "they never met");
        assert!(speed_x(&world, b) > 0.2 * f64::from(speed), "the other was not pushed");
    }
}

fn lowest(world: &World, id: BodyId) -> f64 {
    world.body(id).unwrap().world_positions().map(|x| x[1]).fold(f64::INFINITY, f64::min)
}

fn highest(world: &World, id: BodyId) -> f64 {
    world.body(id).unwrap().world_positions().map(|x| x[1]).fold(f64::NEG_INFINITY, f64::max)
}

fn settle(world: &mut World, frames: u32) -> StepReport {
    let mut last = StepReport::default();
    for _ in 0..frames {
        last = world.step(FRAME);
    }
    last
}

/// A stack of three stands: what lies above presses on what lies below, nobody sinks in.
#[test]
fn a_stack_stands() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(floor()).unwrap();
    let rubber = material(1e6);
    let ids: Vec<BodyId> = (0..3)
        .map(|k| {
            world.spawn(cube([4, 2, 4], &rubber, [0.0, 0.051 + 0.102 * f64::from(k), 0.0])).unwrap()
        })
        .collect();
    let last = settle(&mut world, 240);
    assert!(last.max_speed < 0.01, "it still moves with {} m/s", last.max_speed);
    for pair in ids.windows(2) {
        let gap = lowest(&world, pair[1]) - highest(&world, pair[0]) - 0.05;
        assert!(gap.abs() < 2.5e-3, "gap of {gap} m in the stack");
    }
    let [x, _, z] = centre_of_mass(world.body(ids[2]).unwrap());
    assert!(x.hypot(z) < 5e-3, "the stack leans by {x}, {z}");
}

/// Nothing holds two halves together after a cut, and nothing drives them apart: their ellipsoids
/// overlap at birth, which is allowed.
#[test]
fn halves_of_a_cut_block_stay_where_they_are() {
    let mut world = World::new(weightless()).unwrap();
    let id = world.spawn(cube([6, 4, 4], &material(1e6), [0.0; 3])).unwrap();
    settle(&mut world, 10);
    let body = world.body(id).unwrap();
    let left: Vec<_> = body
        .particle_ids()
        .iter()
        .zip(body.rest_positions())
        .filter(|(_, x)| x[0] < body.rest_positions().iter().map(|x| x[0]).sum::<f32>() / 96.0)
        .map(|(id, _)| *id)
        .collect();
    let across: Vec<_> =
        body.bonds().filter(|[a, b]| left.contains(a) != left.contains(b)).collect();
    for [a, b] in across {
        world.cut(id, a, b).unwrap();
    }
    let last = settle(&mut world, 120);
    assert_eq!(last.pieces, 2);
    assert!(last.max_speed < 1e-3, "the halves move with {} m/s", last.max_speed);
}

/// A fast light ball does not go through a wall that is one particle thick, at 60 Hz.
#[test]
fn a_shot_does_not_go_through_a_wall() {
    for speed in [20.0_f32, 100.0] {
        let mut world = World::new(weightless()).unwrap();
        let wall = world.spawn(cube([1, 7, 7], &material(1e7), [0.0; 3])).unwrap();
        let mut shot = cube([1, 1, 1], &material(1e7), [-0.7, 0.012, 0.007]);
        shot.velocity = [speed, 0.0, 0.0];
        let shot = world.spawn(shot).unwrap();
        let start = world.step(1e-5);
        let scale = world.body(shot).unwrap().mass() * f64::from(speed);
        for frame in 0..60 {
            let now = world.step(FRAME);
            let [x, ..] = centre_of_mass(world.body(shot).unwrap());
            let [w, ..] = centre_of_mass(world.body(wall).unwrap());
            assert!(x < w, "{speed} m/s, frame {frame}: the shot is at {x}, the wall at {w}");
            let off = distance(now.momentum, start.momentum) / scale;
            assert!(off < 1e-5, "{speed} m/s, frame {frame}: momentum off by {off}");
        }
        assert!(speed_x(&world, wall) > 0.0, "the wall was not hit");
    }
}

/// What was spawned overlapping is pushed apart, slowly.
#[test]
fn bodies_spawned_into_each_other_part_gently() {
    let mut world = World::new(weightless()).unwrap();
    let rubber = material(1e6);
    let a = world.spawn(cube([3, 3, 3], &rubber, [0.0; 3])).unwrap();
    let b = world.spawn(cube([3, 3, 3], &rubber, [0.12, 0.01, 0.0])).unwrap();
    let mut fastest: f32 = 0.0;
    for _ in 0..240 {
        fastest = fastest.max(world.step(FRAME).max_speed);
    }
    assert!(fastest < 0.5, "they flew apart with {fastest} m/s");
    let apart =
        distance(centre_of_mass(world.body(a).unwrap()), centre_of_mass(world.body(b).unwrap()));
    assert!(apart > 0.147, "they still overlap: centres {apart} m apart");
}

/// A touch is told once, with the speed of the approach, for both.
#[test]
fn both_bodies_tell_of_the_touch() {
    let mut world = World::new(weightless()).unwrap();
    let mut a = cube([2, 2, 2], &material(1e6), [-0.2, 0.0, 0.0]);
    a.velocity = [1.5, 0.0, 0.0];
    let a = world.spawn(a).unwrap();
    let b = world.spawn(cube([2, 2, 2], &material(1e6), [0.0; 3])).unwrap();
    let mut told = Vec::new();
    for _ in 0..30 {
        world.step(FRAME);
        for event in world.events() {
            if let Event::Contact { body, speed, .. } = event {
                told.push((body, speed));
            }
        }
    }
    let of = |id: BodyId| told.iter().find(|(body, _)| *body == id).copied();
    for id in [a, b] {
        let (_, speed) = of(id).unwrap();
        assert!((speed - 1.5).abs() < 0.05, "{speed} m/s");
    }
}

/// The same bits on any number of threads, with islands that join and part.
#[test]
fn a_pile_is_the_same_on_any_number_of_threads() {
    let hashes = |threads: u32| {
        let mut world = World::new(WorldConfig { threads, ..WorldConfig::default() }).unwrap();
        world.add_half_space(floor()).unwrap();
        for k in 0..9 {
            let at = |n: usize| 0.17 * n as f64 + 0.003 * k as f64;
            let position = [at(k % 3), 0.2 + 0.2 * (k / 3) as f64, 0.01 * k as f64];
            world.spawn(cube([3, 3, 3], &material(3e5), position)).unwrap();
        }
        (0..120).map(|_| world.step(FRAME).hash).collect::<Vec<u64>>()
    };
    let one = hashes(1);
    assert_eq!(one, hashes(2));
    assert_eq!(one, hashes(3));
}

/// The same for one island of large bodies, which is cut between them and within the largest.
#[test]
fn a_large_island_is_the_same_on_any_number_of_threads() {
    let hashes = |threads: u32| {
        let config = WorldConfig { threads, substeps: 2, ..WorldConfig::default() };
        let mut world = World::new(config).unwrap();
        world.add_half_space(floor()).unwrap();
        world.spawn(cube([12, 2, 45], &material(3e5), [0.0, 0.06, 0.0])).unwrap();
        for k in 0..6 {
            let position = [0.13 * f64::from(k % 2), 0.25, 0.26 * f64::from(k / 2)];
            world.spawn(cube([5, 5, 5], &material(3e5), position)).unwrap();
        }
        (0..25).map(|_| world.step(FRAME).hash).collect::<Vec<u64>>()
    };
    let one = hashes(1);
    assert_eq!(one, hashes(2));
    assert_eq!(one, hashes(3));
}

/// Two prongs, each one cell thick and three cells apart, joined at their left ends.
fn tongs() -> OrientedShape {
    let whole = lattice([10, 5, 2], 0.05, 3);
    let kept = |k: usize| {
        let [x, y, _] = whole.points[k].position;
        x < -0.15 || y.abs() > 0.09
    };
    let kept: Vec<usize> = (0..whole.points.len()).filter(|&k| kept(k)).collect();
    let place = |k: u32| kept.binary_search(&(k as usize)).ok().map(|at| at as u32);
    let bonds = whole.bonds.iter().filter_map(|&[a, b]| Some([place(a)?, place(b)?])).collect();
    let points = kept.iter().map(|&k| whole.points[k]).collect();
    OrientedShape { points, bonds, ..OrientedShape::default() }
}

/// Pressed together, the prongs of one piece meet and do not pass through each other.
#[test]
fn a_body_does_not_pass_through_itself() {
    let mut world = World::new(weightless()).unwrap();
    let id = world.spawn(body(tongs(), &material(1e5))).unwrap();
    for sign in [1.0_f32, -1.0] {
        let force = [0.0, -2.0 * sign, 0.0];
        let keys = vec![PullKey { time: 0.0, force, torque: [0.0; 3] }];
        let (low, high) = (0.09 * sign, 0.2 * sign);
        let (min, max) = ([0.19, low.min(high), -9.0], [9.0, low.max(high), 9.0]);
        world.grip(grip_box(id, min, max, GripMotion::Pull { keys })).unwrap();
    }
    let (mut touched, mut nearest) = (0, f64::INFINITY);
    for _ in 0..240 {
        touched += world.step(FRAME).contacts;
        let body = world.body(id).unwrap();
        let prong = |up: bool| {
            let rest = body.rest_positions().iter();
            let on = move |x: &[f32; 3]| x[0] > 0.1 && (x[1] > 0.0) == up;
            body.world_positions().zip(rest).filter(move |(_, rest)| on(rest)).map(|(x, _)| x)
        };
        for a in prong(true) {
            nearest = prong(false).map(|b| distance(a, b)).fold(nearest, f64::min);
        }
    }
    assert_eq!(world.body(id).unwrap().pieces().len(), 1);
    assert!(touched > 0, "the prongs never met: {nearest} m");
    assert!(nearest > 0.045, "particles of the two prongs are {nearest} m apart");
}
