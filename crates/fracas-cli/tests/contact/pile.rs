//! A pile of convex fragments comes to rest and sleeps.

use crate::SHOWS;
use crate::common::FRAME;
use crate::common::bodies::{body, floor, stuff};
use crate::shows::{MACHINE, QUIET, Row, busy_cores, short, show};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::Material;
use fracas::math::Rot;
use fracas::world::{BodyDesc, RigidPart, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};
use std::time::Instant;

#[test]
fn small_pile() {
    let _reading = MACHINE.read();
    show(&SHOWS, "small_pile", || pile("pile of 64", 4).rows);
}

#[test]
#[ignore = "full length; run with --include-ignored in release"]
fn large_pile() {
    let _alone = MACHINE.write();
    show(&SHOWS, "large_pile", || {
        let before = busy_cores();
        let Pile { mut rows, awake_ms, asleep_ms } = pile("pile of 1,000", 10);
        let share = asleep_ms / awake_ms;
        let mut cost =
            Row::at_most("pile of 1,000: asleep costs, of moving", 100.0 * share, 2.0, " %");
        let busy = before.max(busy_cores());
        if busy > QUIET {
            cost.excuse = Some(format!("others use {} cores", short(busy)));
        }
        rows.push(cost);
        rows.push(Row::told(
            "pile of 1,000: a frame while it moves",
            format!("{} ms", short(awake_ms)),
        ));
        rows.push(Row::told(
            "pile of 1,000: moving, against rapier3d",
            "see bench pile".to_owned(),
        ));
        rows
    });
}

struct Pile {
    rows: Vec<Row>,
    /// Mean over the second and third second.
    awake_ms: f64,
    /// Mean over the frames of the second ten seconds in which all slept; NaN if none.
    asleep_ms: f64,
}

/// 10 s to come to rest, then 10 s to stay there.
fn pile(name: &str, side: usize) -> Pile {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(floor(0.5, 0.0)).unwrap();
    let id = world.spawn(fragments(side)).unwrap();
    let count = (side * side * side) as u64;
    let (mut asleep_after, mut deepest, mut left) = (None, 0.0, 0);
    let mut awake_ms = 0.0;
    for frame in 0..600 {
        let begin = Instant::now();
        let report = world.step(FRAME);
        if (60..180).contains(&frame) {
            awake_ms += 1e3 * begin.elapsed().as_secs_f64() / 120.0;
        }
        left = count - report.sleeping;
        if asleep_after.is_none() {
            if left == 0 {
                asleep_after = Some(report.time);
            } else {
                // the last that was seen of it while it was awake
                deepest = f64::from(report.max_penetration);
            }
        }
    }
    let before = places(&world, id);
    let mut asleep = Vec::new();
    for _ in 0..600 {
        let begin = Instant::now();
        if world.step(FRAME).sleeping == count {
            asleep.push(1e3 * begin.elapsed().as_secs_f64());
        }
    }
    let asleep_ms = asleep.iter().sum::<f64>() / asleep.len() as f64;
    let drift =
        before.iter().zip(places(&world, id)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
    let figure = asleep_after.map_or_else(
        || format!("{left} of {count} awake at 10 s"),
        |time| format!("{} s", short(time)),
    );
    let rows = vec![
        Row::new(
            &format!("{name}: sleeps after"),
            figure,
            "≤ 10 s".to_owned(),
            asleep_after.is_some(),
        ),
        Row::at_most(
            &format!("{name}: deepest overlap as it falls asleep"),
            1e3 * deepest,
            2.0,
            " mm",
        ),
        Row::at_most(&format!("{name}: drift in the next 10 s"), 1e3 * drift, 0.1, " mm"),
    ];
    Pile { rows, awake_ms, asleep_ms }
}

fn places(world: &World, id: BodyId) -> Vec<DVec3> {
    body(world, id).world_positions().map(DVec3::from).collect()
}

/// Numbers between −1 and 1, the same everywhere (Knuth's MMIX generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32 * 2.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// W5: hulls of 16 points on a sphere of 0.5 m, turned at random, in a grid of `side`³.
pub fn fragments(side: usize) -> BodyDesc {
    let mut random = Random(1);
    let mut parts = Vec::new();
    for k in 0..side * side * side {
        let mut point = |_| 0.5 * random.vector().normalize_or(Vec3::X);
        let points: Vec<Vec3> = (0..16).map(&mut point).collect();
        let [x, z, y] = [k % side, k / side % side, k / side / side].map(|n| n as f32);
        let shift = 0.55 * (y % 2.0);
        parts.push(RigidPart {
            shape: Shape::hull(&points).unwrap(),
            position: [
                1.1 * x + shift + 0.02 * random.next(),
                0.6 + 1.05 * y,
                1.1 * z + 0.02 * random.next(),
            ],
            rotation: Rot::exp(3.0 * random.vector()),
            material: 0,
        });
    }
    let material = Material::try_from(&stuff(1000.0, 0.5, 0.0)).unwrap();
    BodyDesc::new("pile", ShapeDesc::Rigid(parts), vec![material])
}
