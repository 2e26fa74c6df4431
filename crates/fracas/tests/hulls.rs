//! What has lost a bond is touched by its hull: it stands on its faces, and is born without a push.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, Random, body, centre_of_mass, floor, lattice, material, weightless};
use fracas::glam::Vec3;
use fracas::math::Rot;
use fracas::solids::oriented::OrientedShape;
use fracas::world::{
    Body, BodyId, CommandError, HitTarget, RayDesc, StepReport, World, WorldConfig,
};

/// Side of a fragment, in m.
const SIDE: f32 = 0.05;

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step(FRAME);
    }
}

/// Cuts all bonds between fragments on two sides.
fn cut_between(world: &mut World, id: BodyId, side: impl Fn([f32; 3]) -> bool) {
    let body = world.body(id).unwrap();
    let rest: Vec<_> = body.particle_ids().iter().zip(body.rest_positions()).collect();
    let side_of = |id| rest.iter().find(|(other, _)| **other == id).map(|(_, x)| side(**x));
    let across: Vec<_> = body.bonds().filter(|&[a, b]| side_of(a) != side_of(b)).collect();
    for [a, b] in across {
        world.cut(id, a, b).unwrap();
    }
}

fn cut_all(world: &mut World, id: BodyId) {
    let bonds: Vec<_> = world.body(id).unwrap().bonds().collect();
    for [a, b] in bonds {
        world.cut(id, a, b).unwrap();
    }
}

/// The radii that the generators give: ellipsoids as large as their fragments, which reach into each other.
fn as_generated(mut shape: OrientedShape) -> OrientedShape {
    shape.points.iter_mut().for_each(|point| point.radii = [0.620_35 * SIDE; 3]);
    shape
}

fn positions(body: &Body) -> Vec<[f64; 3]> {
    let mut numbered: Vec<_> = body.shape_numbers().zip(body.world_positions()).collect();
    numbered.sort_unstable_by_key(|pair| pair.0);
    numbered.into_iter().map(|pair| pair.1).collect()
}

fn farthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let distance = |(x, y): (&[f64; 3], &[f64; 3])| {
        (0..3).map(|k| (x[k] - y[k]) * (x[k] - y[k])).sum::<f64>().sqrt()
    };
    a.iter().zip(b).map(distance).fold(0.0, f64::max)
}

/// Cells of a lattice fill space: their boxes touch at a cut, and nothing drives the halves apart, however
/// much their ellipsoids overlapped.
#[test]
fn weightless_halves_stay_where_they_are() {
    for shape in [lattice([4, 4, 4], SIDE, 3), as_generated(lattice([4, 4, 4], SIDE, 3))] {
        for turn in [Rot::IDENTITY, Rot::from_axis_angle(Vec3::new(1.0, 2.0, 0.5), 0.7)] {
            let mut world = World::new(weightless()).unwrap();
            let mut desc = body(shape.clone(), &material(1e6));
            desc.rotation = turn;
            let id = world.spawn(desc).unwrap();
            steps(&mut world, 5);
            cut_between(&mut world, id, |x| x[0] > 0.0);
            let mut fastest: f32 = 0.0;
            for _ in 0..120 {
                fastest = fastest.max(world.step(FRAME).max_speed);
            }
            assert_eq!(world.body(id).unwrap().pieces().len(), 2);
            assert!(fastest < 1e-3, "the halves move with {fastest} m/s");
        }
    }
}

/// Octahedra of the volume of cells reach far into each other, which is no reason to fly apart: not when a
/// cut uncovers them, and not when they turn and shift a little against each other.
#[test]
fn hulls_that_overlap_at_birth_do_not_fly_apart() {
    for shift in [0.0, 0.003] {
        let mut shape = as_generated(lattice([4, 4, 4], SIDE, 3));
        let corner = |k: usize| {
            let mut corner = [shift, 0.5 * shift, 0.0];
            corner[k / 2] += [SIDE, -SIDE][k % 2];
            corner
        };
        shape.hulls = vec![(0..6).map(corner).collect(); 64];
        let mut world = World::new(weightless()).unwrap();
        let mut desc = body(shape, &material(1e6));
        desc.spin = [0.05, 0.02, 0.1];
        let id = world.spawn(desc).unwrap();
        steps(&mut world, 5);
        let start = world.step(FRAME).max_speed;
        cut_between(&mut world, id, |x| x[0] > 0.0);
        let mut fastest: f32 = 0.0;
        for _ in 0..120 {
            fastest = fastest.max(world.step(FRAME).max_speed);
        }
        println!("{start} m/s before, {fastest} m/s after");
        assert_eq!(world.body(id).unwrap().pieces().len(), 2);
        assert!(fastest < 1.1 * start, "{start} m/s before, {fastest} m/s after");
    }
}

/// A bar of balls that rests on the floor breaks in the middle, where there are now cubes that stand on an
/// edge below it: it rises, and does not jump.
#[test]
fn what_breaks_on_the_floor_does_not_jump() {
    let mut world = World::new(WorldConfig { sleeping: false, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut desc = body(lattice([4, 1, 1], SIDE, 3), &material(1e7));
    desc.rotation = Rot::from_axis_angle(Vec3::X, 0.7);
    desc.position = [0.0, f64::from(0.5 * SIDE), 0.0];
    let id = world.spawn(desc).unwrap();
    steps(&mut world, 30);
    let below = standing(world.body(id).unwrap());
    assert!(below.iter().all(|&(height, _)| height < -0.009), "{below:?}");
    cut_between(&mut world, id, |x| x[0] > 0.0);
    let mut fastest: f32 = 0.0;
    for _ in 0..5 {
        fastest = fastest.max(world.step(FRAME).max_speed);
    }
    println!("they rise with {fastest} m/s");
    assert!(fastest < 0.5, "they jump with {fastest} m/s");
    steps(&mut world, 120);
    let deepest = world.step(FRAME).max_penetration;
    assert!(deepest < 1e-3, "still {deepest} m below the floor");
}

/// A block on the floor, cut level in half: the upper half rests on the lower.
#[test]
fn the_upper_half_rests_on_the_lower() {
    let mut world = World::new(WorldConfig { sleeping: false, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut desc = body(lattice([4, 4, 4], SIDE, 3), &material(1e7));
    desc.position = [0.0, 0.1, 0.0];
    let id = world.spawn(desc).unwrap();
    steps(&mut world, 60);
    let before = positions(world.body(id).unwrap());
    cut_between(&mut world, id, |x| x[1] > 0.0);
    let mut off: f64 = 0.0;
    for _ in 0..120 {
        world.step(FRAME);
        off = off.max(farthest(&before, &positions(world.body(id).unwrap())));
    }
    println!("moved by {off} m");
    assert_eq!(world.body(id).unwrap().pieces().len(), 2);
    // 2 % of a fragment, and no more than that aside
    assert!(off < 1e-3, "moved by {off} m");
}

/// How far the lowest corner of each cube is from the floor, in m, and its lowest face from level.
fn standing(body: &Body) -> Vec<(f64, f32)> {
    let mut found = Vec::new();
    for piece in body.pieces() {
        for (&x, &[i, j, k, w]) in body.positions(piece).iter().zip(body.orientations(piece)) {
            let turn = Rot { x: i, y: j, z: k, w }.to_mat3();
            let axes = [turn.x_axis, turn.y_axis, turn.z_axis];
            let reach: f32 = axes.iter().map(|axis| 0.5 * SIDE * axis.y.abs()).sum();
            let level = axes.iter().map(|axis| axis.y.abs()).fold(0.0, f32::max);
            let height = piece.origin()[1] + f64::from(x[1] - reach);
            found.push((height, level.min(1.0).acos().to_degrees()));
        }
    }
    found
}

fn random_turn(random: &mut Random) -> Rot {
    let mut number = || random.below(2001) as f32 / 1000.0 - 1.0;
    Rot::from_axis_angle(Vec3::new(number(), number(), number() + 0.01), 3.0 * number())
}

/// Cubes that have come apart in the air come to rest on a face. Ellipsoids would roll.
#[test]
fn dropped_cubes_come_to_rest_on_a_face() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut random = Random(11);
    let pairs: Vec<BodyId> = (0..10)
        .map(|k| {
            let mut desc = body(as_generated(lattice([2, 1, 1], SIDE, 3)), &material(1e7));
            desc.position = [f64::from(k), 0.3, 0.0];
            desc.rotation = random_turn(&mut random);
            desc.spin = [1.0, 2.0, -1.0];
            world.spawn(desc).unwrap()
        })
        .collect();
    world.step(FRAME);
    pairs.iter().for_each(|&id| cut_all(&mut world, id));
    let mut last = StepReport::default();
    for _ in 0..240 {
        last = world.step(FRAME);
    }
    let all: Vec<_> = pairs.iter().flat_map(|&id| standing(world.body(id).unwrap())).collect();
    println!("{all:?}");
    assert_eq!(all.len(), 20);
    let flat = all.iter().filter(|(height, tilt)| height.abs() < 1e-3 && *tilt < 2.0).count();
    assert!(flat >= 18, "{flat} of 20 lie on a face: {all:?}");
    assert!(last.max_speed < 1e-2, "they still move with {} m/s", last.max_speed);
}

/// A block that turns and breaks in flight into halves that rub against each other.
fn tumbling(threads: u32) -> (World, BodyId) {
    let mut world = World::new(WorldConfig { threads, ..weightless() }).unwrap();
    let mut desc = body(as_generated(lattice([6, 3, 3], SIDE, 3)), &material(1e6));
    (desc.velocity, desc.spin) = ([1.0, 0.5, -0.3], [2.0, 1.0, 4.0]);
    let id = world.spawn(desc).unwrap();
    steps(&mut world, 10);
    cut_between(&mut world, id, |x| x[1] > 0.0);
    (world, id)
}

#[test]
fn halves_keep_their_momentum() {
    let (mut world, _) = tumbling(1);
    let start = world.step(FRAME);
    let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    for _ in 0..60 {
        let now = world.step(FRAME);
        let off = |a: [f64; 3], b: [f64; 3]| size([0, 1, 2].map(|k| a[k] - b[k])) / size(b);
        let [linear, angular] =
            [off(now.momentum, start.momentum), off(now.angular_momentum, start.angular_momentum)];
        assert!(linear < 1e-6, "momentum off by {linear}");
        assert!(angular < 1e-5, "angular momentum off by {angular}");
    }
}

/// Halves and dust on the floor.
fn rubble(threads: u32) -> World {
    let mut world = World::new(WorldConfig { threads, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut random = Random(3);
    for k in 0..4 {
        let mut desc = body(as_generated(lattice([3, 3, 3], SIDE, 3)), &material(1e6));
        desc.position = [0.1 * f64::from(k % 2), 0.15 + 0.2 * f64::from(k), 0.02 * f64::from(k)];
        desc.rotation = random_turn(&mut random);
        let id = world.spawn(desc).unwrap();
        world.step(FRAME);
        match k % 2 {
            0 => cut_all(&mut world, id),
            _ => cut_between(&mut world, id, |x| x[2] > 0.02),
        }
    }
    world
}

#[test]
fn broken_worlds_come_back_from_snapshots_bit_for_bit() {
    let mut world = rubble(1);
    for count in [0, 12, 30] {
        steps(&mut world, count);
        let bytes = world.save();
        let mut again = World::load(&bytes, 2).unwrap();
        assert_eq!(again.save(), bytes);
        for step in 0..60 {
            assert_eq!(world.step(FRAME).hash, again.step(FRAME).hash, "step {step}");
        }
    }
    world.validate();
}

#[test]
fn threads_do_not_show_in_rubble() {
    let hashes = [1, 2, 3].map(|threads| {
        let mut world = rubble(threads);
        steps(&mut world, 90);
        world.hash()
    });
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:?}");
}

/// A corner of a hull is felt by a ray only once a bond is lost, and where the corner was given.
#[test]
fn a_hull_is_met_once_it_is_broken() {
    let mut shape = lattice([2, 1, 1], SIDE, 3);
    let h = 0.5 * SIDE;
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -h } else { h });
    shape.hulls = vec![(0..8).map(corner).collect(); 2];
    // the axes of ellipsoids are those of hulls no more than of the shape
    shape.points.iter_mut().for_each(|point| point.axes = [0.0, 0.382_683_43, 0.0, 0.923_879_5]);
    let mut world = World::new(weightless()).unwrap();
    let id = world.spawn(body(shape, &material(1e6))).unwrap();
    world.step(FRAME);
    // past a ball, through the corner of the cube
    let near_corner = f64::from(0.95 * h);
    let ray = RayDesc::new([f64::from(h), 1.0, near_corner], [0.0, -1.0, 0.0]);
    let beside = RayDesc::new([f64::from(2.0 * SIDE), 1.0, near_corner], [0.0, -1.0, 0.0]);
    let past = RayDesc { origin: [0.0475, 1.0, near_corner], ..ray };
    assert_eq!(world.cast_ray(past).unwrap(), None);
    cut_all(&mut world, id);
    world.step(FRAME);
    let hit = world.cast_ray(past).unwrap().unwrap();
    assert!((hit.distance - (1.0 - f64::from(h))).abs() < 1e-5, "{hit:?}");
    assert!(hit.normal[1] > 0.999, "{hit:?}");
    assert!(matches!(hit.target, HitTarget::Body { .. }));
    assert_eq!(world.cast_ray(beside).unwrap(), None);
    assert_eq!(world.casts().cast_ray(past).unwrap(), Some(hit));
}

fn refusal(change: impl Fn(&mut OrientedShape)) -> String {
    let mut shape = lattice([2, 1, 1], SIDE, 3);
    let corners = vec![[-0.02, -0.02, -0.02], [0.03, 0.0, 0.0], [0.0, 0.03, 0.0], [0.0, 0.0, 0.03]];
    shape.hulls = vec![corners; 2];
    change(&mut shape);
    let mut world = World::new(weightless()).unwrap();
    match world.spawn(body(shape, &material(1e6))) {
        Err(CommandError::BadShape { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn hulls_that_are_none_are_refused_by_the_number_of_their_point() {
    let few = refusal(|shape| drop(shape.hulls.pop()));
    assert!(few.contains("1 hulls") && few.contains("2 points"), "{few}");
    let flat = refusal(|shape| shape.hulls[1].iter_mut().for_each(|corner| corner[2] = 0.0));
    assert!(flat.contains("point 1") && flat.contains("plane"), "{flat}");
    let three = refusal(|shape| shape.hulls[0].truncate(3));
    assert!(three.contains("point 0"), "{three}");
    let wild = refusal(|shape| shape.hulls[1][2][0] = f32::NAN);
    assert!(wild.contains("point 1") && wild.contains("finite"), "{wild}");
    let away = refusal(|shape| shape.hulls[1].iter_mut().for_each(|corner| corner[0] += 0.1));
    assert!(away.contains("point 1") && away.contains("relative"), "{away}");
}

/// Ids of particles and numbers of fragments stay together when pieces go.
#[test]
fn numbers_follow_their_particles() {
    let mut world = World::new(weightless()).unwrap();
    world.spawn(body(lattice([2, 1, 1], SIDE, 3), &material(1e6))).unwrap();
    let mut desc = body(lattice([5, 1, 1], SIDE, 3), &material(1e6));
    desc.position = [0.0, 1.0, 0.0];
    let id = world.spawn(desc).unwrap();
    world.step(FRAME);
    let ids = world.body(id).unwrap().particle_ids().to_vec();
    world.cut(id, ids[1], ids[2]).unwrap();
    world.step(FRAME);
    let piece = world.body(id).unwrap().pieces()[0].id();
    world.remove_piece(id, piece).unwrap();
    world.step(FRAME);
    let left = world.body(id).unwrap();
    assert_eq!(left.shape_numbers().collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(left.particle_ids(), &ids[2..]);
    assert!(centre_of_mass(left)[0] > 0.0);
}
