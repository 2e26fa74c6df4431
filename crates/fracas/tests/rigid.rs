//! Rigid bodies against closed forms.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::{FRAME, floor, material, weightless};
use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::{
    BodyDesc, Event, Layers, MoveKey, ObstacleDesc, ObstacleMotion, RigidPart, ShapeDesc,
};
use fracas::{BodyId, HalfSpaceDesc, World, WorldConfig};

fn stone() -> MaterialDesc {
    MaterialDesc { density: 2000.0.into(), restitution: 0.0.into(), ..material(1e5) }
}

fn rigid(shape: Shape, position: [f64; 3]) -> BodyDesc {
    let material = Material::try_from(&stone()).unwrap();
    BodyDesc { position, ..BodyDesc::new("rigid", ShapeDesc::rigid(shape), vec![material]) }
}

fn place(world: &World, id: BodyId) -> [f64; 3] {
    world.body(id).unwrap().world_positions().next().unwrap()
}

#[test]
fn shapes_come_to_rest_on_the_floor_at_their_height() {
    let shapes = [
        ("sphere", Shape::sphere(0.1).unwrap(), 0.1),
        ("box", Shape::block(Vec3::new(0.2, 0.1, 0.15)).unwrap(), 0.1),
        ("cylinder", Shape::cylinder(0.1, 0.15).unwrap(), 0.1),
    ];
    for (name, shape, height) in shapes {
        let mut world = World::new(WorldConfig::default()).unwrap();
        world.add_half_space(floor()).unwrap();
        let id = world.spawn(rigid(shape, [0.0, height + 0.1, 0.0])).unwrap();
        for _ in 0..120 {
            world.step(FRAME);
        }
        let report = world.step(FRAME);
        let y = place(&world, id)[1];
        assert!((y - height).abs() < 1e-4, "{name} rests at {y} m instead of {height}");
        assert!(report.max_speed < 1e-3, "{name} still moves with {} m/s", report.max_speed);
    }
}

/// A spinning box keeps momentum, angular momentum and energy, tumbling about its middle axis.
#[test]
fn free_box_tumbles_without_loss() {
    let mut world = World::new(weightless()).unwrap();
    let mut desc = rigid(Shape::block(Vec3::new(0.3, 0.2, 0.1)).unwrap(), [0.0; 3]);
    desc.spin = [0.01, 5.0, 0.0];
    desc.velocity = [3.0, 0.0, 0.0];
    let id = world.spawn(desc).unwrap();
    let start = world.step(1e-4);
    let mut last = start.clone();
    let mut flipped = false;
    for _ in 0..600 {
        last = world.step(FRAME);
        let body = world.body(id).unwrap();
        let [x, y, z, w] = body.orientations(&body.pieces()[0])[0];
        // its own y axis against that of the world
        flipped |= Rot { x, y, z, w }.to_mat3().y_axis.y < -0.9;
    }
    for k in 0..3 {
        let off = (last.angular_momentum[k] - start.angular_momentum[k]).abs();
        assert!(off < 1e-5 * start.angular_momentum[1], "axis {k} off by {off}");
    }
    let gain = last.energy.kinetic / start.energy.kinetic - 1.0;
    assert!(gain.abs() < 1e-3, "energy changed by {gain}");
    assert!(flipped, "the middle axis is not stable, yet it never turned over");
}

#[test]
fn stack_of_boxes_stands() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut ids = Vec::new();
    for k in 0..5 {
        let shape = Shape::block(Vec3::splat(0.1)).unwrap();
        ids.push(world.spawn(rigid(shape, [0.0, 0.1 + 0.2 * f64::from(k), 0.0])).unwrap());
    }
    for _ in 0..240 {
        world.step(FRAME);
    }
    for (k, &id) in ids.iter().enumerate() {
        let [x, y, z] = place(&world, id);
        let wanted = 0.1 + 0.2 * k as f64;
        assert!((y - wanted).abs() < 1e-3, "box {k} at {y} instead of {wanted}");
        assert!(x.hypot(z) < 1e-3, "box {k} has moved aside");
    }
}

fn bouncy(e: f32) -> Vec<Material> {
    let desc = MaterialDesc { restitution: e.into(), friction: 0.0.into(), ..stone() };
    vec![Material::try_from(&MaterialDesc { friction_static: 0.0.into(), ..desc }).unwrap()]
}

fn awake(config: WorldConfig) -> World {
    World::new(WorldConfig { sleeping: false, ..config }).unwrap()
}

/// A ball rises to e² of the height it fell from, at any number of substeps.
#[test]
fn ball_rises_to_the_square_of_its_restitution() {
    for substeps in [1, 4] {
        let mut mean = 0.0;
        for k in 0..10 {
            let height = 0.5 + 0.17 * f64::from(k);
            let mut world = awake(WorldConfig { substeps, ..WorldConfig::default() });
            let ground = HalfSpaceDesc { restitution: 0.6, ..floor() };
            world.add_half_space(ground).unwrap();
            let mut ball = rigid(Shape::sphere(0.1).unwrap(), [0.0, height + 0.1, 0.0]);
            ball.materials = bouncy(0.6);
            let id = world.spawn(ball).unwrap();
            let (mut down, mut top) = (false, 0.0_f64);
            for _ in 0..150 {
                world.step(FRAME);
                let y = place(&world, id)[1] - 0.1;
                let up = world.body(id).unwrap().velocities(&world.body(id).unwrap().pieces()[0])
                    [0][1]
                    > 0.0;
                down |= up;
                if down && !up {
                    break;
                }
                top = if down { top.max(y) } else { 0.0 };
            }
            mean += top / (0.36 * height) / 10.0;
        }
        assert!((mean - 1.0).abs() < 0.03, "{substeps} substeps: {mean} of e² h");
    }
}

/// Five balls in a row: the last takes all the momentum of the first.
#[test]
fn row_of_balls_passes_the_momentum_on() {
    let mut world = awake(weightless());
    let mut ids = Vec::new();
    for k in 0..6 {
        // one at a distance, five that touch
        let x = if k == 0 { -0.5 } else { 0.2 * f64::from(k) };
        let mut ball = rigid(Shape::sphere(0.1).unwrap(), [x, 0.0, 0.0]);
        ball.materials = bouncy(1.0);
        ball.velocity = if k == 0 { [2.0, 0.0, 0.0] } else { [0.0; 3] };
        ids.push(world.spawn(ball).unwrap());
    }
    for _ in 0..60 {
        world.step(FRAME);
    }
    let speed =
        |id: BodyId| world.body(id).unwrap().velocities(&world.body(id).unwrap().pieces()[0])[0][0];
    assert!((speed(ids[5]) - 2.0).abs() < 0.02, "the last moves with {} m/s", speed(ids[5]));
    for &id in &ids[..5] {
        assert!(speed(id).abs() < 0.02, "one of the others moves with {} m/s", speed(id));
    }
}

fn table(keys: Vec<MoveKey>) -> Option<ObstacleMotion> {
    Some(ObstacleMotion { keys, ..ObstacleMotion::default() })
}

/// A box on a moving plate is carried along, by friction and by the plate below it; the plate feels its weight.
#[test]
fn moving_obstacle_carries_what_is_on_it() {
    let mut world = awake(WorldConfig::default());
    let keys =
        vec![MoveKey::default(), MoveKey { time: 10.0, offset: [2.0, 1.0, 0.0], angle: 0.0 }];
    let plate = ObstacleDesc {
        position: [0.0, -0.05, 0.0],
        motion: table(keys),
        friction: 1.0,
        friction_static: 1.0,
        ..ObstacleDesc::new(Shape::block(Vec3::new(1.0, 0.05, 1.0)).unwrap())
    };
    let plate = world.add_obstacle(plate).unwrap();
    let id = world.spawn(rigid(Shape::block(Vec3::splat(0.1)).unwrap(), [0.0, 0.1, 0.0])).unwrap();
    for _ in 0..300 {
        world.step(FRAME);
    }
    let [x, y, _] = place(&world, id);
    assert!((x - 1.0).abs() < 0.01 && (y - 0.6).abs() < 1e-3, "carried to {x}, {y}");
    let weight = world.body(id).unwrap().mass() * 9.81;
    let force = world.obstacle(plate).unwrap().reaction().force[1];
    assert!((force - weight).abs() < 0.01 * weight, "{force} N under {weight} N");
}

/// A moved obstacle hits with the speed that the way takes.
#[test]
fn moved_obstacle_pushes_with_its_speed() {
    let mut world = awake(weightless());
    let bat = ObstacleDesc {
        position: [-0.3, 0.0, 0.0],
        ..ObstacleDesc::new(Shape::block(Vec3::new(0.05, 0.5, 0.5)).unwrap())
    };
    let bat = world.add_obstacle(bat).unwrap();
    let id = world.spawn(rigid(Shape::sphere(0.1).unwrap(), [0.0; 3])).unwrap();
    for k in 1..30 {
        let x = -0.3 + 3.0 * f64::from(k) / 60.0;
        world.move_obstacle(bat, [x, 0.0, 0.0], Rot::IDENTITY).unwrap();
        world.step(FRAME);
    }
    let v = world.body(id).unwrap().velocities(&world.body(id).unwrap().pieces()[0])[0];
    assert!((v[0] - 3.0).abs() < 0.01, "pushed to {v:?} instead of 3 m/s");
}

#[test]
fn sensors_tell_who_comes_and_goes_and_layers_part() {
    let mut world = awake(weightless());
    let gate = ObstacleDesc {
        sensor: true,
        ..ObstacleDesc::new(Shape::block(Vec3::new(0.1, 1.0, 1.0)).unwrap())
    };
    let gate = world.add_obstacle(gate).unwrap();
    // a wall that it does not meet
    let wall = ObstacleDesc {
        position: [1.0, 0.0, 0.0],
        layers: Layers { member: 2, meets: 2 },
        ..ObstacleDesc::new(Shape::block(Vec3::new(0.1, 1.0, 1.0)).unwrap())
    };
    world.add_obstacle(wall).unwrap();
    let mut ball = rigid(Shape::sphere(0.1).unwrap(), [-1.0, 0.0, 0.0]);
    ball.velocity = [4.0, 0.0, 0.0];
    let id = world.spawn(ball).unwrap();
    let mut seen = Vec::new();
    for _ in 0..60 {
        world.step(FRAME);
        let x = place(&world, id)[0];
        for event in world.events() {
            match event {
                Event::Entered { sensor, body, .. } if (sensor, body) == (gate, id) => {
                    seen.push(("in", x));
                }
                Event::Left { sensor, body, .. } if (sensor, body) == (gate, id) => {
                    seen.push(("out", x));
                }
                _ => {}
            }
        }
    }
    let names: Vec<&str> = seen.iter().map(|&(name, _)| name).collect();
    assert_eq!(names, ["in", "out"], "{seen:?}");
    assert!((seen[0].1 + 0.2).abs() < 0.08 && (seen[1].1 - 0.2).abs() < 0.08, "{seen:?}");
    assert!((place(&world, id)[0] - 3.0).abs() < 1e-3, "something stopped it");
}

/// A small heap of all convex shapes, or of those that do not roll.
fn heap(threads: u32, rolling: bool) -> World {
    let config = WorldConfig { threads, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut shapes = vec![
        Shape::sphere(0.1).unwrap(),
        Shape::block(Vec3::new(0.12, 0.08, 0.1)).unwrap(),
        Shape::capsule(0.1, 0.06).unwrap(),
        Shape::cylinder(0.1, 0.08).unwrap(),
        Shape::ellipsoid(Vec3::new(0.14, 0.08, 0.1)).unwrap(),
        Shape::hull(
            &[[0.15, -0.05, 0.0], [-0.1, -0.05, 0.1], [-0.1, -0.05, -0.1], [0.0, 0.12, 0.0]]
                .map(Vec3::from),
        )
        .unwrap(),
    ];
    if !rolling {
        shapes.retain(|shape| matches!(shape, Shape::Box(_) | Shape::Hull(_)));
    }
    let parts = (0..60)
        .map(|k| RigidPart {
            shape: shapes[k % shapes.len()].clone(),
            position: [
                0.3 * (k % 3) as f32 + 0.01 * (k % 7) as f32,
                0.2 + 0.26 * (k / 6) as f32,
                0.3 * (k / 3 % 2) as f32,
            ],
            rotation: Rot::exp(Vec3::new(k as f32, 2.0 * k as f32, 0.5)),
            material: 0,
        })
        .collect();
    let material = Material::try_from(&stone()).unwrap();
    world.spawn(BodyDesc::new("heap", ShapeDesc::Rigid(parts), vec![material])).unwrap();
    world
}

/// The same bits for any number of threads, and after a snapshot, awake and asleep.
#[test]
fn heap_is_the_same_on_any_number_of_threads_and_after_a_snapshot() {
    let mut worlds: Vec<World> = [1, 2, 3].map(|threads| heap(threads, true)).into();
    for frame in 0..300 {
        if frame == 30 || frame == 250 {
            let bytes = worlds[0].save();
            worlds[2] = World::load(&bytes, 2).unwrap();
        }
        let hashes: Vec<u64> = worlds.iter_mut().map(|world| world.step(FRAME).hash).collect();
        assert!(hashes.iter().all(|&hash| hash == hashes[0]), "frame {frame}: {hashes:?}");
    }
    assert!(worlds[0].step(FRAME).sleeping > 0, "none sleeps after 5 s");
}

/// What sleeps stays where it is, costs no contacts, and wakes by a touch, as a whole and in balance.
#[test]
fn sleepers_wake_by_touch() {
    let mut world = heap(1, false);
    let mut report = world.step(FRAME);
    for _ in 0..600 {
        report = world.step(FRAME);
    }
    assert_eq!((report.sleeping, report.contacts), (60, 0));
    let before = world.hash();
    let still = world.step(FRAME);
    assert_eq!(still.max_speed, 0.0);
    assert_ne!(before, still.hash, "time goes on");

    let mut ball = rigid(Shape::sphere(0.1).unwrap(), [0.3, 3.0, 0.15]);
    ball.velocity = [0.0, -5.0, 0.0];
    world.spawn(ball).unwrap();
    let mut woken = false;
    for _ in 0..60 {
        let report = world.step(FRAME);
        assert!(report.max_speed < 12.0, "the heap burst: {} m/s", report.max_speed);
        woken |= report.sleeping < 60;
    }
    assert!(woken, "nothing woke");
}

/// What falls asleep in a sensor has not left it, while something else still moves.
#[test]
fn sleepers_stay_in_their_sensor() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(floor()).unwrap();
    let zone =
        ObstacleDesc { sensor: true, ..ObstacleDesc::new(Shape::block(Vec3::splat(0.5)).unwrap()) };
    let zone = world.add_obstacle(zone).unwrap();
    world.spawn(rigid(Shape::block(Vec3::splat(0.1)).unwrap(), [0.0, 0.1, 0.0])).unwrap();
    let mut ball = rigid(Shape::sphere(0.1).unwrap(), [2.0, 0.1, 0.0]);
    ball.velocity = [1.0, 0.0, 0.0];
    world.spawn(ball).unwrap();
    let mut slept = false;
    for frame in 0..120 {
        slept |= world.step(FRAME).sleeping == 1;
        let left = world.events().any(|event| matches!(event, Event::Left { .. }));
        assert!(!left, "frame {frame}: it is said to have left");
    }
    assert!(slept, "it never slept");
    assert_eq!(world.obstacle(zone).unwrap().inside().len(), 1);
}
