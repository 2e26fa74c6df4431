//! Friction and restitution against closed forms.

use crate::SHOWS;
use crate::common::bodies::{
    awake, awake_weightless, body, floor, rigid, rigid_row, settle, stuff, turn, velocity,
};
use crate::common::{self, FRAME, lattice};
use crate::shows::{GRAVITY, MACHINE, Row, centre, short, show};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::MaterialDesc;
use fracas::math::Rot;
use fracas::world::{BodyDesc, HalfSpaceDesc};
use fracas::{BodyId, World};

// ---- incline ----

#[test]
fn incline() {
    let _reading = MACHINE.read();
    show(&SHOWS, "incline", || {
        let mut rows = Vec::new();
        for block in [Block::Rigid, Block::Soft] {
            let name = block.name();
            let (mut off, mut wrong) = (0.0_f64, 0.0_f64);
            for friction in [0.2, 0.5, 0.8] {
                for substeps in [1, 4] {
                    let limit = f64::from(friction).atan();
                    off = off.max((critical_angle(block, friction, substeps) - limit).abs());
                    let angle = limit + 10f64.to_radians();
                    let (sin, cos) = angle.sin_cos();
                    let expected = GRAVITY * (sin - f64::from(friction) * cos);
                    let found = acceleration(block, friction, substeps, angle);
                    wrong = wrong.max((found / expected - 1.0).abs());
                }
            }
            let title = format!("incline, {name}: angle at which it slides, off atan μ");
            rows.push(Row::at_most(&title, off.to_degrees(), 1.0, "°"));
            let title = format!("incline, {name}: acceleration off g(sin θ − μ cos θ)");
            rows.push(Row::at_most(&title, 100.0 * wrong, 2.0, " %"));
        }
        rows
    });
}

#[derive(Clone, Copy, PartialEq)]
enum Block {
    Rigid,
    Soft,
}

impl Block {
    fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid box",
            Self::Soft => "soft block",
        }
    }

    /// 30 × 10 × 30 cm.
    fn desc(self, material: &MaterialDesc) -> BodyDesc {
        match self {
            Self::Rigid => {
                rigid(Shape::block(Vec3::new(0.15, 0.05, 0.15)).unwrap(), material, [0.0; 3])
            }
            Self::Soft => common::body(lattice([6, 2, 6], 0.05, 3), material),
        }
    }
}

/// A block that lies on a slope down to x, and the way down.
fn on_slope(block: Block, friction: f32, substeps: u32, angle: f64) -> (World, BodyId, DVec3) {
    let mut world = World::new(awake(substeps)).unwrap();
    let (sin, cos) = angle.sin_cos();
    let slope = floor(friction, 0.0);
    let normal = [sin as f32, cos as f32, 0.0];
    world.add_half_space(HalfSpaceDesc { normal, ..slope }).unwrap();
    let mut desc = block.desc(&stuff(1000.0, friction, 0.0));
    desc.position = [0.05 * sin, 0.05 * cos, 0.0];
    desc.rotation = Rot::from_axis_angle(Vec3::Z, -angle as f32);
    let id = world.spawn(desc).unwrap();
    (world, id, DVec3::new(cos, -sin, 0.0))
}

/// Between sticking and sliding, found by halving an interval of ±3° around atan μ.
fn critical_angle(block: Block, friction: f32, substeps: u32) -> f64 {
    let limit = f64::from(friction).atan();
    let (mut sticks, mut slides) = (limit - 3f64.to_radians(), limit + 3f64.to_radians());
    for _ in 0..5 {
        let angle = 0.5 * (sticks + slides);
        let (mut world, id, down) = on_slope(block, friction, substeps, angle);
        settle(&mut world, 60);
        let before = centre(body(&world, id)).dot(down);
        settle(&mut world, 60);
        // what creeps by more than 3 mm in the second second slides
        if centre(body(&world, id)).dot(down) - before > 3e-3 {
            slides = angle;
        } else {
            sticks = angle;
        }
    }
    0.5 * (sticks + slides)
}

/// From 0.25 s to 1 s.
fn acceleration(block: Block, friction: f32, substeps: u32, angle: f64) -> f64 {
    let (mut world, id, down) = on_slope(block, friction, substeps, angle);
    settle(&mut world, 15);
    let before = velocity(&world, id).dot(down);
    settle(&mut world, 45);
    (velocity(&world, id).dot(down) - before) / 0.75
}

// ---- bounce ----

#[test]
fn bounce() {
    let _reading = MACHINE.read();
    show(&SHOWS, "bounce", || {
        let mut rows = Vec::new();
        for restitution in [0.3, 0.5, 0.8] {
            let means = [1, 2, 8].map(|substeps| mean_rebound(restitution, substeps));
            let off = means.map(|mean| (mean - 1.0).abs()).into_iter().fold(0.0, f64::max);
            let name = format!("bounce, e = {restitution}: mean height off e² h");
            rows.push(Row::at_most(&name, 100.0 * off, 2.0, " %"));
            rows.push(Row::told(
                &format!("bounce, e = {restitution}: of e² h at 1, 2, 8 substeps"),
                means.map(short).join(", "),
            ));
        }
        rows
    });
}

/// Height of the first bounce over e² h, mean of 20 spheres dropped from 0.2 m to 2.1 m.
fn mean_rebound(restitution: f32, substeps: u32) -> f64 {
    const RADIUS: f32 = 0.1;
    let drops: Vec<f32> = (0..20).map(|k| 0.2 + 0.1 * k as f32).collect();
    let starts: Vec<Vec3> = (0..20).map(|k| Vec3::new(k as f32, RADIUS + drops[k], 0.0)).collect();
    let mut world = World::new(awake(substeps)).unwrap();
    world.add_half_space(floor(0.5, restitution)).unwrap();
    let ball = Shape::sphere(RADIUS).unwrap();
    let id = world.spawn(rigid_row(&ball, &stuff(1000.0, 0.5, restitution), &starts)).unwrap();
    let mut heights: Vec<Vec<f64>> = vec![Vec::new(); 20];
    for _ in 0..120 {
        world.step(FRAME);
        for (x, heights) in body(&world, id).world_positions().zip(&mut heights) {
            heights.push(x[1] - f64::from(RADIUS));
        }
    }
    let ratio = |(heights, &drop): (&Vec<f64>, &f32)| {
        first_top(heights) / f64::from(restitution * restitution * drop)
    };
    heights.iter().zip(&drops).map(ratio).sum::<f64>() / 20.0
}

/// Top of the parabola through the three highest frames between the first low and the next.
fn first_top(heights: &[f64]) -> f64 {
    let rising = (1..heights.len()).find(|&k| heights[k] > heights[k - 1]).unwrap();
    let top = (rising..heights.len() - 1).find(|&k| heights[k + 1] < heights[k]).unwrap();
    let [a, b, c] = [heights[top - 1], heights[top], heights[top + 1]];
    let (slope, curve) = (0.5 * (c - a), a - 2.0 * b + c);
    b - 0.5 * slope * slope / curve
}

// ---- rolling ----

#[test]
fn rolling() {
    let _reading = MACHINE.read();
    show(&SHOWS, "rolling", || {
        let mut rows = Vec::new();
        for substeps in [1, 4] {
            // from spin alone: v = 2/7 ω r; from speed alone: 5/7 v
            let spun = roll(substeps, 20.0, 0.0);
            let thrown = roll(substeps, 0.0, 2.0);
            for (how, found, expected) in
                [("spun", spun, 4.0 / 7.0), ("thrown", thrown, 10.0 / 7.0)]
            {
                let name = |what: &str| format!("sphere {how}, {substeps} substeps: {what}");
                let off = |v: f64| 100.0 * (v / expected - 1.0).abs();
                rows.push(Row::at_most(&name("speed of rolling off"), off(found[0]), 2.0, " %"));
                rows.push(Row::at_most(&name("the same 5 s later"), off(found[1]), 2.0, " %"));
                rows.push(Row::at_most(&name("slips, of its speed"), 100.0 * found[2], 2.0, " %"));
            }
        }
        rows
    });
}

/// Speed after a second and five seconds later, and how much of that the lowest point slips.
fn roll(substeps: u32, spin: f32, speed: f32) -> [f64; 3] {
    const RADIUS: f64 = 0.1;
    let mut world = World::new(awake(substeps)).unwrap();
    world.add_half_space(floor(0.5, 0.0)).unwrap();
    let ball = Shape::sphere(RADIUS as f32).unwrap();
    let mut desc = rigid(ball, &stuff(1000.0, 0.5, 0.0), [0.0, RADIUS, 0.0]);
    desc.spin = [0.0, 0.0, -spin];
    desc.velocity = [speed, 0.0, 0.0];
    let id = world.spawn(desc).unwrap();
    settle(&mut world, 60);
    let early = velocity(&world, id).x;
    settle(&mut world, 299);
    let (before, from) = (turn(&world, id), centre(body(&world, id)).x);
    settle(&mut world, 1);
    let late = velocity(&world, id).x;
    let turned = (turn(&world, id) * before.inverse()).log();
    let way = centre(body(&world, id)).x - from;
    let slip = (way + RADIUS * f64::from(turned.z)) / way;
    [early, late, slip.abs()]
}

// ---- cradle ----

#[test]
fn cradle() {
    let _reading = MACHINE.read();
    show(&SHOWS, "cradle", || {
        let mut rows = Vec::new();
        for (how, gap) in [("touching", 0.0), ("1 mm apart", 1e-3)] {
            let passed = [1, 2, 8].map(|substeps| passed_on(gap, substeps));
            let off = passed.map(|share| (share - 1.0).abs()).into_iter().fold(0.0, f64::max);
            let name = format!("cradle of 5, {how}: momentum of the last off");
            rows.push(Row::at_most(&name, 100.0 * off, 2.0, " %"));
            rows.push(Row::told(
                &format!("cradle of 5, {how}: passed on at 1, 2, 8 substeps"),
                passed.map(short).join(", "),
            ));
        }
        rows
    });
}

/// Momentum of the last of five over that of the first, which comes with 1 m/s.
fn passed_on(gap: f64, substeps: u32) -> f64 {
    let mut world = World::new(awake_weightless(substeps)).unwrap();
    let steel = stuff(7850.0, 0.0, 1.0);
    let mut last = None;
    for k in 0..5 {
        let ball = Shape::sphere(0.05).unwrap();
        let mut desc = rigid(ball, &steel, [(0.1 + gap) * f64::from(k), 0.0, 0.0]);
        if k == 0 {
            desc.position[0] -= 0.2;
            desc.velocity[0] = 1.0;
        }
        last = Some(world.spawn(desc).unwrap());
    }
    settle(&mut world, 60);
    velocity(&world, last.unwrap()).x
}
