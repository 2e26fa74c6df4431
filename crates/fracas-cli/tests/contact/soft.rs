//! Soft bodies on each other, on themselves and on a rod; light under heavy.

use crate::SHOWS;
use crate::common::bodies::{awake, awake_weightless, body, floor, is_sound, rigid, stuff};
use crate::common::{self, FRAME, grip_box, lattice, material};
use crate::shows::{MACHINE, Row, centre, show};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::MaterialDesc;
use fracas::solids::oriented::OrientedShape;
use fracas::world::{BodyDesc, GripMotion, PullKey};
use fracas::{Body, World, WorldConfig};

// ---- light under heavy ----

#[test]
fn light_under_heavy() {
    let _reading = MACHINE.read();
    show(&SHOWS, "light_under_heavy", || {
        // 1 cm³ of water's density; 5 MPa of rubber yield by a fifth under 10 kg
        let hard = MaterialDesc { youngs_modulus: 5e6.into(), ..stuff(1000.0, 0.5, 0.0) };
        let stone = rigid(Shape::block(Vec3::splat(0.005)).unwrap(), &hard, [0.0, 0.005, 0.0]);
        let rubber = common::body(lattice([4, 4, 4], 0.0025, 3), &hard);
        let rubber = BodyDesc { position: [0.0, 0.005, 0.0], ..rubber };
        let mut rows = pressed("1 g of stone under 10 kg", stone, 5.0);
        rows.extend(pressed("1 g of rubber under 10 kg", rubber, 30.0));
        rows
    });
}

/// 10 kg fall by 1 cm on something that is 1 cm high and gives way by so many per cent at most.
fn pressed(name: &str, light: BodyDesc, yields: f64) -> Vec<Row> {
    let mut world = World::new(WorldConfig { books: true, ..awake(4) }).unwrap();
    world.add_half_space(floor(0.5, 0.0)).unwrap();
    let light = world.spawn(light).unwrap();
    let weight = Shape::block(Vec3::new(0.1, 0.05, 0.1)).unwrap();
    let weight = rigid(weight, &stuff(2500.0, 0.5, 0.0), [0.0, 0.07, 0.0]);
    let weight = world.spawn(weight).unwrap();
    let first = world.step(1e-5).energy.held();
    let drop = 10.0 * 9.81 * 0.01;
    let (mut gain, mut sound, mut speed) = (0.0_f64, true, 0.0_f32);
    for frame in 0..300 {
        let report = world.step(FRAME);
        gain = gain.max((report.energy.held() - first) / drop);
        sound &= is_sound(&world);
        if frame >= 240 {
            speed = speed.max(report.max_speed);
        }
    }
    let sunk = (0.06 - centre(body(&world, weight)).y) / 0.01;
    let grams = 1e3 * body(&world, light).mass();
    assert!((grams - 1.0).abs() < 1e-3, "{grams} g");
    vec![
        Row::new(&format!("{name}: finite"), sound.to_string(), "true".to_owned(), sound),
        Row::at_most(&format!("{name}: energy gained, of the drop"), 100.0 * gain, 0.01, " %"),
        Row::at_most(
            &format!("{name}: speed in the fifth second"),
            1e3 * f64::from(speed),
            10.0,
            " mm/s",
        ),
        Row::at_most(&format!("{name}: weight sinks, of the 1 cm"), 100.0 * sunk, yields, " %"),
    ]
}

// ---- settled overlap ----

/// Mean radius of a body's ellipsoids, each the cube root of the product of its three.
pub fn radius(body: &Body) -> f64 {
    let lengths = |axes: [[f32; 3]; 3]| axes.map(|axis| f64::from(Vec3::from(axis).length()));
    let one = |axes| lengths(axes).iter().product::<f64>().cbrt();
    body.ellipsoids().map(one).sum::<f64>() / body.particle_count() as f64
}

pub fn overlap_row(name: &str, deepest: f64, radius: f64) -> Row {
    let name = format!("{name}: settled overlap, of a particle's radius");
    Row::at_most(&name, 100.0 * deepest / radius, 5.0, " %")
}

pub fn drawn_row(name: &str, depth: f64, size: f64) -> Row {
    let name = format!("{name}: drawn overlap, of the body's size");
    Row::at_most(&name, 100.0 * depth / size, 2.0, " %")
}

/// Deepest overlap in the last second of so many.
fn deepest_at_rest(world: &mut World, seconds: usize) -> f64 {
    let depths: Vec<f32> = (0..60 * seconds).map(|_| world.step(FRAME).max_penetration).collect();
    depths[60 * (seconds - 1)..].iter().copied().fold(0.0, f32::max).into()
}

/// Longest side of the box around a body at rest.
pub fn extent(body: &Body) -> f64 {
    let side = |k: usize| {
        let along = || body.rest_positions().iter().map(|x| x[k]);
        along().fold(f32::MIN, f32::max) - along().fold(f32::MAX, f32::min)
    };
    (0..3).map(side).fold(0.0, f32::max).into()
}

// ---- folded bar ----

#[test]
fn folded_bar() {
    let _reading = MACHINE.read();
    show(&SHOWS, "folded_bar", || {
        let mut world = World::new(awake_weightless(4)).unwrap();
        let id = world.spawn(common::body(folded(), &material(1e5))).unwrap();
        for sign in [1.0_f32, -1.0] {
            let keys =
                vec![PullKey { time: 0.0, force: [0.0, -2.0 * sign, 0.0], torque: [0.0; 3] }];
            let (low, high) = (0.09 * sign, 0.2 * sign);
            let (min, max) = ([0.19, low.min(high), -9.0], [9.0, low.max(high), 9.0]);
            world.grip(grip_box(id, min, max, GripMotion::Pull { keys })).unwrap();
        }
        let deepest = deepest_at_rest(&mut world, 6);
        // drawn are the cells around the particles, which meet where these are a cell apart
        let bar = body(&world, id);
        let prong = |up: bool| {
            let on = move |x: &[f32; 3]| x[0] > 0.1 && (x[1] > 0.0) == up;
            let rest = bar.rest_positions().iter();
            bar.world_positions().zip(rest).filter(move |(_, x)| on(x)).map(|(x, _)| DVec3::from(x))
        };
        let near = prong(true)
            .flat_map(|a| prong(false).map(move |b| a.distance(b)))
            .fold(f64::MAX, f64::min);
        assert!(near < 0.051, "the prongs never met: {near} m");
        vec![
            overlap_row("folded bar", deepest, 0.025),
            drawn_row("folded bar", (0.05 - near).max(0.0), extent(bar)),
        ]
    });
}

/// Two prongs, each one cell thick and three cells apart, joined at their left ends.
fn folded() -> OrientedShape {
    let whole = lattice([10, 5, 2], 0.05, 3);
    let stays = |k: &usize| {
        let [x, y, _] = whole.points[*k].position;
        x < -0.15 || y.abs() > 0.09
    };
    let kept: Vec<usize> = (0..whole.points.len()).filter(stays).collect();
    let place = |k: u32| kept.binary_search(&(k as usize)).ok().map(|at| at as u32);
    let bonds = whole.bonds.iter().filter_map(|&[a, b]| Some([place(a)?, place(b)?])).collect();
    let points = kept.iter().map(|&k| whole.points[k]).collect();
    OrientedShape { points, bonds, ..OrientedShape::default() }
}
