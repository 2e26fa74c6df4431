//! Goals of reliability where things touch: R6, R8, R10, R12, and the same bits on any number of threads.

use crate::SHOWS;
use crate::common::bodies::{
    awake, awake_weightless, body, floor, is_sound, rigid, rigid_row, settle, stuff,
};
use crate::common::extreme::{Hung, LOADED, heap};
use crate::common::{self, FRAME, lattice, material};
use crate::shows::{MACHINE, Row, centre, short, show};
use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::solids::oriented::OrientedShape;
use fracas::world::{BodyDesc, MoveKey, ObstacleDesc, ObstacleMotion};
use fracas::{World, WorldConfig};

// ---- R6 ----

#[test]
fn not_finite() {
    let _reading = MACHINE.read();
    show(&SHOWS, "not_finite", || {
        let (mut frozen, mut sound, mut fast) = (Vec::new(), true, 0.0_f32);
        for soft in [true, false] {
            let (mut world, ids) = heap(soft);
            settle(&mut world, 60);
            let hit = ids[4];
            let particle = body(&world, hit).particle_ids()[0];
            // finite as a force, not as an acceleration
            world.push(hit, particle, [f32::MAX; 3], [0.0; 3]).unwrap();
            frozen.push(world.step(FRAME).quarantined);
            for _ in 0..120 {
                let report = world.step(FRAME);
                fast = fast.max(report.max_speed);
            }
            let others = ids.iter().filter(|&&id| id != hit);
            sound &= others.map(|&id| body(&world, id)).all(|body| {
                body.pieces().iter().all(|piece| {
                    let numbers = body.positions(piece).iter().chain(body.velocities(piece));
                    !piece.is_frozen() && numbers.flatten().all(|x| x.is_finite())
                })
            });
        }
        vec![
            Row::new(
                "R6, one of nine that touch is pushed beyond f32: frozen after a step",
                format!("{} soft, {} rigid", frozen[0], frozen[1]),
                "1, 1".to_owned(),
                frozen == [1, 1],
            ),
            Row::new(
                "R6: the others finite and free after 2 s",
                sound.to_string(),
                "true".to_owned(),
                sound,
            ),
            Row::at_most("R6: fastest of the others", fast.into(), 1.0, " m/s"),
        ]
    });
}

// ---- R8 ----

#[test]
fn mass_ratio() {
    let _reading = MACHINE.read();
    show(&SHOWS, "mass_ratio", || {
        let mut rows = Vec::new();
        for (what, hang) in LOADED {
            for ratio in [1e4, 1e6] {
                let Hung { sound, stretch, gain } = hang(ratio);
                let name = |claim: &str| format!("R8, {what}, {ratio:.0e} : 1: {claim}");
                rows.push(Row::new(&name("finite"), sound.to_string(), "true".to_owned(), sound));
                if let Some(gain) = gain {
                    rows.push(Row::at_most(&name("energy gained, of its scale"), gain, 1e-4, ""));
                }
                if ratio == 1e4 {
                    rows.push(Row::at_most(
                        &name("length off after 10 s"),
                        100.0 * stretch,
                        5.0,
                        " %",
                    ));
                }
            }
        }
        rows
    });
}

// ---- R10 ----

#[test]
#[ignore = "full length; run with --include-ignored in release"]
fn coincident() {
    let _reading = MACHINE.read();
    show(&SHOWS, "coincident", || {
        let mut shape = lattice([10, 10, 10], 0.05, 3);
        shape.points.iter_mut().for_each(|point| point.position = [0.0; 3]);
        let dust = OrientedShape { bonds: Vec::new(), ..shape };
        let mut rows = one_place("dust", common::body(dust, &material(1e6)));
        let ball = Shape::sphere(0.025).unwrap();
        let balls = rigid_row(&ball, &stuff(1000.0, 0.5, 0.5), &[Vec3::ZERO; 1000]);
        rows.extend(one_place("rigid spheres", balls));
        rows
    });
}

/// What 1,000 at one point do within a sixth of a second; all of them touch each other.
fn one_place(what: &str, desc: BodyDesc) -> Vec<Row> {
    let mut world = World::new(awake_weightless(4)).unwrap();
    world.spawn(desc).unwrap();
    let (mut sound, mut speed) = (true, 0.0_f32);
    for _ in 0..10 {
        speed = speed.max(world.step(FRAME).max_speed);
        sound &= is_sound(&world);
    }
    // 0.5 radius per substep of 1/240 s
    let clamp = 0.5 * 0.025 * 240.0;
    let name = |claim: &str| format!("R10, 1,000 {what} at one point: {claim}");
    vec![
        Row::new(&name("finite"), sound.to_string(), "true".to_owned(), sound),
        Row::at_most(&name("fastest"), speed.into(), clamp, " m/s"),
    ]
}

// ---- R12 ----

/// Steps of no length, of almost none, and far too long ones, at 100 random moments.
#[test]
fn spikes() {
    let _reading = MACHINE.read();
    show(&SHOWS, "spikes", || {
        let (mut unchanged, mut off, mut sound) = (true, 0.0_f64, true);
        for soft in [true, false] {
            let (mut world, ids) = heap(soft);
            settle(&mut world, 60);
            let before: Vec<_> = ids.iter().map(|&id| centre(body(&world, id))).collect();
            let mut random = common::Random(12);
            for _ in 0..100 {
                for _ in 0..random.below(5) {
                    world.step(FRAME);
                }
                let dt = [0.0, 1e-9, 1.0, 10.0][random.below(4)];
                let hash = world.hash();
                let report = world.step(dt);
                unchanged &= dt > 0.0 || report.hash == hash;
                sound &= is_sound(&world);
            }
            settle(&mut world, 60);
            for (id, before) in ids.iter().zip(before) {
                off = off.max(centre(body(&world, *id)).distance(before));
            }
        }
        vec![
            Row::new(
                "R12, spikes of dt: 0 changes nothing, all finite",
                format!("{unchanged}, {sound}"),
                "true, true".to_owned(),
                unchanged && sound,
            ),
            Row::at_most("R12, spikes of dt: resting cubes have moved by", 1e3 * off, 5.0, " mm"),
        ]
    });
}

// ---- threads ----

#[test]
fn threads() {
    let _reading = MACHINE.read();
    show(&SHOWS, "threads", || {
        let one = hashes(1);
        let mut rows = Vec::new();
        for threads in [2, 3] {
            let same = one.iter().zip(hashes(threads)).filter(|(a, b)| **a == *b).count();
            rows.push(Row::new(
                &format!("hashes of 600 steps, 1 thread and {threads}"),
                format!("{same} of 600 equal"),
                "all".to_owned(),
                same == 600,
            ));
        }
        let mut distinct = one;
        distinct.sort_unstable();
        distinct.dedup();
        rows.push(Row::told("hashes that differ from step to step", short(distinct.len() as f64)));
        rows
    });
}

/// Soft and rigid bodies that fall on each other and are stirred by an obstacle that moves and turns.
fn hashes(threads: u32) -> Vec<u64> {
    let mut world = World::new(WorldConfig { threads, ..awake(4) }).unwrap();
    world.add_half_space(floor(0.5, 0.5)).unwrap();
    for k in 0..12 {
        let high = f64::from(k / 4);
        let position =
            [0.25 * f64::from(k % 2) + 0.02 * high, 0.2 + 0.25 * high, 0.25 * f64::from(k / 2 % 2)];
        let desc = match k % 3 {
            0 => common::body(lattice([3, 3, 3], 0.05, 3), &material(3e5)),
            1 => rigid(
                Shape::block(Vec3::new(0.1, 0.06, 0.08)).unwrap(),
                &stuff(700.0, 0.5, 0.3),
                [0.0; 3],
            ),
            _ => rigid(Shape::capsule(0.08, 0.05).unwrap(), &stuff(2000.0, 0.5, 0.3), [0.0; 3]),
        };
        world.spawn(BodyDesc { position, ..desc }).unwrap();
    }
    let key = |time: f64, x: f32, angle: f32| MoveKey { time, offset: [x, 0.0, 0.0], angle };
    let keys =
        vec![key(0.0, 0.0, 0.0), key(4.0, 0.8, 9.0), key(8.0, 0.0, 0.0), key(10.0, 0.4, 9.0)];
    let motion = ObstacleMotion { pivot: [-0.4, 0.1, 0.1], axis: [0.0, 1.0, 0.0], keys };
    let paddle = Shape::block(Vec3::new(0.03, 0.1, 0.25)).unwrap();
    let paddle = ObstacleDesc {
        position: [-0.4, 0.1, 0.1],
        motion: Some(motion),
        ..ObstacleDesc::new(paddle)
    };
    world.add_obstacle(paddle).unwrap();
    (0..600).map(|_| world.step(FRAME).hash).collect()
}
