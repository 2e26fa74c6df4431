//! Steps under frames of any length, and poses between steps, against closed forms.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, Random, body, floor, lattice, material, weightless};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::Material;
use fracas::math::Rot;
use fracas::world::{
    BodyDesc, CommandError, MoveKey, ObstacleDesc, ObstacleMotion, Pace, ShapeDesc, WorldPose,
};
use fracas::{World, WorldConfig};

const DT: f64 = 1.0 / 60.0;

fn ball() -> BodyDesc {
    let stone = Material::try_from(&material(1e6)).unwrap();
    BodyDesc::new("ball", ShapeDesc::rigid(Shape::sphere(0.1).unwrap()), vec![stone])
}

/// A spinning ball thrown in frames of 7 to 40 ms is drawn where it was one step before, as near as a chord
/// is to its arc and the integrator to the truth.
#[test]
fn drawn_poses_follow_free_flight() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let (speed, spin) = (Vec3::new(3.0, 4.0, 0.0), Vec3::new(0.0, 6.0, 0.0));
    let far = DVec3::new(1e6, 0.0, 0.0);
    let id = world
        .spawn(BodyDesc {
            position: far.to_array(),
            velocity: speed.to_array(),
            spin: spin.to_array(),
            ..ball()
        })
        .unwrap();
    let mut pace = Pace::new(DT, 8).unwrap();
    let mut random = Random(3);
    let mut time = 0.0;
    let gravity = Vec3::from(world.config().gravity).as_dvec3();
    let h = DT / f64::from(world.config().substeps);
    for _ in 0..80 {
        let frame = 0.007 + 0.033 * random.below(1000) as f64 / 1000.0;
        time += frame;
        let paced = pace.advance(&mut world, frame).unwrap();
        assert_eq!(paced.dropped, 0.0);
        assert!((paced.share - (time / DT).fract()).abs() < 1e-6);
        if world.time() < DT {
            continue;
        }
        let drawn = time - DT;
        let poses: Vec<_> = pace.poses(&world, id).collect();
        assert_eq!(poses.len(), 1);
        let (particle, pose) = poses[0];
        assert_eq!(pace.pose(&world, id, particle), Some(pose));
        // symplectic Euler is ahead of the parabola by ½ g h t, a chord below it by up to g dt²/8
        let truth = far + speed.as_dvec3() * drawn + 0.5 * gravity * drawn * (drawn + h);
        let off = DVec3::from(pose.position) - truth;
        let chord = gravity.length() * DT * DT / 8.0;
        assert!(off.length() < 1.05 * chord + 1e-5 * (1.0 + drawn), "{off} at {drawn} s");
        let turned = pose.rotation * Rot::exp(-(drawn as f32) * spin);
        assert!(turned.log().length() < 2e-4 + 1e-4 * drawn as f32, "{turned:?} at {drawn} s");
    }
}

/// Thrown onto a floor: the world is the same to the last bit, however the second is cut up.
#[test]
fn the_same_second_in_any_frames() {
    let run = |frames: &mut dyn Iterator<Item = f64>| {
        let mut world = World::new(WorldConfig::default()).unwrap();
        world.add_half_space(floor()).unwrap();
        let desc = body(lattice([3, 3, 3], 0.1, 3), &material(1e5));
        world.spawn(BodyDesc { position: [0.0, 0.2, 0.0], ..desc }).unwrap();
        let mut pace = Pace::new(DT, 100).unwrap();
        let steps: u32 = frames.map(|f| pace.advance(&mut world, f).unwrap().steps).sum();
        (steps, world.hash())
    };
    let whole = run(&mut std::iter::once(1.0));
    assert_eq!(whole.0, 60);
    for count in [7, 60, 180, 1000] {
        assert_eq!(run(&mut (0..count).map(|_| 1.0 / f64::from(count))), whole, "{count} frames");
    }
    let mut random = Random(5);
    let cuts: Vec<f64> = (0..50).map(|_| (1 + random.below(1000)) as f64).collect();
    let sum: f64 = cuts.iter().sum();
    assert_eq!(run(&mut cuts.iter().map(|cut| cut / sum)), whole, "uneven frames");
}

/// Bodies that come, break and go between steps, and obstacles on their way.
#[test]
fn what_comes_breaks_and_goes_is_drawn() {
    let mut world = World::new(weightless()).unwrap();
    let mut pace = Pace::new(DT, 4).unwrap();
    let desc = body(lattice([4, 2, 2], 0.1, 3), &material(1e5));
    let bar = world.spawn(BodyDesc { velocity: [6.0, 0.0, 0.0], ..desc }).unwrap();
    let keys = vec![MoveKey::default(), MoveKey { time: 1.0, offset: [0.0, 3.0, 0.0], angle: 0.0 }];
    let lift = ObstacleDesc {
        position: [0.0, 9.0, 0.0],
        motion: Some(ObstacleMotion { keys, ..ObstacleMotion::default() }),
        ..ObstacleDesc::new(Shape::sphere(0.1).unwrap())
    };
    let lift = world.add_obstacle(lift).unwrap();
    // nothing was stepped: all is where it waits
    let now: Vec<[f64; 3]> = world.body(bar).unwrap().world_positions().collect();
    let drawn = |pace: &Pace, world: &World, id| -> Vec<[f64; 3]> {
        pace.poses(world, id).map(|(_, pose)| pose.position).collect()
    };
    assert_eq!(drawn(&pace, &world, bar), now);

    // half of the second step: half way between the first and the start, for a body that waited
    let paced = pace.advance(&mut world, 1.5 * DT).unwrap();
    assert_eq!(paced.steps, 1);
    for (drawn, start) in drawn(&pace, &world, bar).iter().zip(&now) {
        assert!((drawn[0] - start[0] - 0.5 * 6.0 * DT).abs() < 1e-6, "{drawn:?} from {start:?}");
    }
    let lifted = pace.obstacle(&world, lift).unwrap().position[1];
    assert!((lifted - 9.0 - 1.5 * DT).abs() < 1e-6, "{lifted}");

    // a split puts particles in another order; each is still drawn between its own places
    let ids = world.body(bar).unwrap().particle_ids().to_vec();
    let bonds: Vec<_> = world.body(bar).unwrap().bonds().collect();
    for [a, b] in bonds.into_iter().filter(|[a, b]| (a.0 < ids[8].0) != (b.0 < ids[8].0)) {
        world.cut(bar, a, b).unwrap();
    }
    let late = world
        .spawn(BodyDesc { velocity: [0.0, 1.2, 0.0], position: [0.0, 5.0, 0.0], ..ball() })
        .unwrap();
    pace.advance(&mut world, DT).unwrap();
    assert_eq!(world.body(bar).unwrap().pieces().len(), 2);
    let rest: Vec<[f32; 3]> = world.body(bar).unwrap().rest_positions().to_vec();
    for (drawn, rest) in drawn(&pace, &world, bar).iter().zip(&rest) {
        let wanted = f64::from(rest[0]) + 1.5 * 6.0 * DT;
        assert!((drawn[0] - wanted).abs() < 1e-5, "{drawn:?}, wanted {wanted}");
    }
    assert!((drawn(&pace, &world, late)[0][1] - 5.0 - 0.6 * DT).abs() < 1e-6);

    // stepped by others, all is drawn where it is; so is what is new since the last step
    world.step(FRAME);
    let now: Vec<[f64; 3]> = world.body(bar).unwrap().world_positions().collect();
    assert_eq!(drawn(&pace, &world, bar), now);

    world.remove(bar).unwrap();
    pace.advance(&mut world, DT).unwrap();
    assert_eq!(pace.poses(&world, bar).count(), 0);
    assert_eq!(pace.pose(&world, bar, ids[0]), None);
    world.remove_obstacle(lift).unwrap();
    world.apply_commands();
    assert_eq!(pace.obstacle(&world, lift), None);
}

/// A world that cannot keep up gets slower; what is dropped is told, and the share is kept.
#[test]
fn too_long_frames_are_dropped() {
    let mut world = World::new(weightless()).unwrap();
    let mut pace = Pace::new(DT, 3).unwrap();
    let paced = pace.advance(&mut world, 10.25 * DT).unwrap();
    assert_eq!(paced.steps, 3);
    assert!((paced.dropped - 7.0 * DT).abs() < 1e-12, "{paced:?}");
    assert!((paced.share - 0.25).abs() < 1e-9);
    assert!((world.time() - 3.0 * DT).abs() < 1e-6);
    let paced = pace.advance(&mut world, 1e300).unwrap();
    assert_eq!(paced.steps, 3);
    assert!((0.0..=1.0).contains(&paced.share) && paced.dropped > 1e299);
    assert_eq!(pace.advance(&mut world, 0.0).unwrap().steps, 0);
}

#[test]
fn bad_numbers_are_refused() {
    let field = |result: Result<(), CommandError>| match result {
        Err(CommandError::OutOfRange { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    for dt in [0.0, -DT, 0.067, f64::NAN, f64::INFINITY] {
        assert_eq!(field(Pace::new(dt, 1).map(|_| ())), "dt");
    }
    assert_eq!(field(Pace::new(DT, 0).map(|_| ())), "most_steps");
    let mut world = World::new(weightless()).unwrap();
    let mut pace = Pace::new(1.0 / 15.0, 1).unwrap();
    for elapsed in [-1e-9, f64::NAN, f64::INFINITY] {
        assert_eq!(field(pace.advance(&mut world, elapsed).map(|_| ())), "elapsed");
    }
    assert_eq!((pace.share(), world.time()), (0.0, 0.0));
    assert_eq!(WorldPose::default().rotation, Rot::IDENTITY);
}
