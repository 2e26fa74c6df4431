//! Scenes for the goals of reliability: what touches while it is pushed beyond all numbers, and light
//! things that carry heavy ones.

use super::bodies::{awake, body, floor, is_sound, rigid, stuff};
use super::column::{GRAVITY, MASS, SPACING, springs};
use super::{FRAME, grip_box, lattice};
use fracas::contact::shape::{Pose, Shape};
use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::{BodyDesc, GripMotion, ObstacleDesc, RigidPart, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};

const INF: f32 = f32::INFINITY;

/// Nine cubes in three stacks that lean on each other.
pub fn heap(soft: bool) -> (World, Vec<BodyId>) {
    let mut world = World::new(awake(4)).unwrap();
    world.add_half_space(floor(0.5, 0.0)).unwrap();
    let matter = MaterialDesc { youngs_modulus: 1e6.into(), ..stuff(1000.0, 0.5, 0.0) };
    let ids = (0..9).map(|k| {
        let position = [0.1 * f64::from(k % 3), 0.05 + 0.1 * f64::from(k / 3), 0.0];
        let desc = if soft {
            super::body(lattice([2, 2, 2], 0.05, 3), &matter)
        } else {
            rigid(Shape::block(Vec3::splat(0.05)).unwrap(), &matter, [0.0; 3])
        };
        world.spawn(BodyDesc { position, ..desc }).unwrap()
    });
    let ids = ids.collect();
    (world, ids)
}

/// What became of a chain or stack.
pub struct Hung {
    pub sound: bool,
    /// Change of length, of the length.
    pub stretch: f64,
    /// Energy above that at the start, of the heaviest's weight times a hundredth of the length; none
    /// for a model that keeps no books.
    pub gain: Option<f64>,
}

/// 10 s at 60 Hz × 4. Length is from `top` to the centre of the last body.
fn hang(mut world: World, last: BodyId, particle: usize, top: f64, booked: bool) -> Hung {
    let place = |world: &World| body(world, last).world_positions().nth(particle).unwrap()[1];
    let first = world.step(1e-5).energy.held();
    let length = (top - place(&world)).abs();
    let heaviest = body(&world, last).masses().iter().copied().fold(0.0, f32::max);
    let scale = f64::from(heaviest) * GRAVITY * 0.01 * length;
    let (mut sound, mut gain) = (true, 0.0_f64);
    for _ in 0..600 {
        let report = world.step(FRAME);
        gain = gain.max((report.energy.held() - report.energy.external_work - first) / scale);
        sound &= is_sound(&world);
    }
    let stretch = ((top - place(&world)).abs() / length - 1.0).abs();
    Hung { sound, stretch, gain: booked.then_some(gain) }
}

fn booked() -> WorldConfig {
    WorldConfig { books: true, ..awake(4) }
}

/// Twenty layers of springs, the lowest heavy; stiff enough to stretch by 1 %.
fn hang_springs(ratio: f32) -> Hung {
    let mut world = World::new(awake(4)).unwrap();
    let mut masses = [MASS; 20];
    masses[0] *= ratio;
    let stiffness = masses[0] * GRAVITY as f32 / (0.01 * SPACING);
    let id = world.spawn(springs(&masses, stiffness, 0.0)).unwrap();
    let top = 18.5 * SPACING;
    world.grip(grip_box(id, [-INF, top, -INF], [INF; 3], GripMotion::Hold)).unwrap();
    hang(world, id, 0, f64::from(19.0 * SPACING), false)
}

/// Ten particles in a row, the lowest heavy.
fn hang_oriented(ratio: f32) -> Hung {
    let mut world = World::new(booked()).unwrap();
    let mut shape = lattice([1, 10, 1], 0.05, 3);
    shape.points[0].material = 1;
    // yields by 0.5 % under 10⁴ times the mass of a particle
    let stress = ratio * 1000.0 * 0.05 * 9.81;
    let hard = MaterialDesc { youngs_modulus: (stress / 0.005).into(), ..stuff(1000.0, 0.5, 0.0) };
    let heavy = MaterialDesc { density: (1000.0 * ratio).into(), ..hard.clone() };
    let materials = [hard, heavy].map(|desc| Material::try_from(&desc).unwrap()).to_vec();
    let id = world.spawn(BodyDesc::new("chain", ShapeDesc::Oriented(shape), materials)).unwrap();
    world.grip(grip_box(id, [-INF, 0.2, -INF], [INF; 3], GripMotion::Hold)).unwrap();
    hang(world, id, 0, 0.225, true)
}

/// Ten links, each a loop of four capsules turned by 90° against the last, hang on a rod.
fn hang_links(ratio: f32) -> Hung {
    const HALF: f32 = 0.04;
    const WIDTH: f32 = 0.02;
    const RADIUS: f32 = 0.008;
    let capsule = |half, position, axis_x: bool| {
        let angle = if axis_x { std::f32::consts::FRAC_PI_2 } else { 0.0 };
        let rotation = Rot::from_axis_angle(Vec3::Z, angle);
        (Pose { rotation, position }, Shape::capsule(half, RADIUS).unwrap())
    };
    let link = Shape::compound(vec![
        capsule(HALF, Vec3::new(WIDTH, 0.0, 0.0), false),
        capsule(HALF, Vec3::new(-WIDTH, 0.0, 0.0), false),
        capsule(WIDTH, Vec3::new(0.0, HALF, 0.0), true),
        capsule(WIDTH, Vec3::new(0.0, -HALF, 0.0), true),
    ])
    .unwrap();
    let mut world = World::new(booked()).unwrap();
    let rod = ObstacleDesc {
        position: [0.0, f64::from(HALF - 2.0 * RADIUS), 0.0],
        rotation: Rot::from_axis_angle(Vec3::X, std::f32::consts::FRAC_PI_2),
        ..ObstacleDesc::new(Shape::capsule(0.2, RADIUS).unwrap())
    };
    world.add_obstacle(rod).unwrap();
    let pitch = 2.0 * HALF - 2.0 * RADIUS;
    let part = |k: u8| RigidPart {
        shape: link.clone(),
        position: [0.0, -pitch * f32::from(k), 0.0],
        rotation: Rot::from_axis_angle(Vec3::Y, std::f32::consts::FRAC_PI_2 * f32::from(k % 2)),
        material: u16::from(k == 9),
    };
    let light = stuff(1000.0, 0.5, 0.0);
    let heavy = MaterialDesc { density: (1000.0 * ratio).into(), ..light.clone() };
    let materials = [light, heavy].map(|desc| Material::try_from(&desc).unwrap()).to_vec();
    let chain = ShapeDesc::Rigid((0..10).map(part).collect());
    let id = world.spawn(BodyDesc::new("chain", chain, materials)).unwrap();
    hang(world, id, 9, f64::from(HALF), true)
}

/// Ten boxes, the uppermost heavy.
fn stack_boxes(ratio: f32) -> Hung {
    let mut world = World::new(booked()).unwrap();
    world.add_half_space(floor(0.5, 0.0)).unwrap();
    let cube = Shape::block(Vec3::splat(0.05)).unwrap();
    let mut last = None;
    for k in 0..10 {
        let density = if k == 9 { 1000.0 * ratio } else { 1000.0 };
        let place = [0.0, 0.05 + 0.1 * f64::from(k), 0.0];
        last = Some(world.spawn(rigid(cube.clone(), &stuff(density, 0.5, 0.0), place)).unwrap());
    }
    hang(world, last.unwrap(), 0, 0.0, true)
}

/// Five soft cubes that yield by 0.5 % under a heavy box.
fn stack_soft(ratio: f32) -> Hung {
    let mut world = World::new(booked()).unwrap();
    world.add_half_space(floor(0.5, 0.0)).unwrap();
    let stress = ratio * 1000.0 * 0.1 * 9.81;
    let hard = MaterialDesc { youngs_modulus: (stress / 0.005).into(), ..stuff(1000.0, 0.5, 0.0) };
    for k in 0..5 {
        let cube = super::body(lattice([2, 2, 2], 0.05, 3), &hard);
        let position = [0.0, 0.05 + 0.1 * f64::from(k), 0.0];
        world.spawn(BodyDesc { position, ..cube }).unwrap();
    }
    let cube = Shape::block(Vec3::splat(0.05)).unwrap();
    let heavy = rigid(cube, &stuff(1000.0 * ratio, 0.5, 0.0), [0.0, 0.55, 0.0]);
    let heavy = world.spawn(heavy).unwrap();
    hang(world, heavy, 0, 0.0, true)
}

/// What becomes of one for a ratio of masses.
pub type Load = fn(f32) -> Hung;

/// Every chain and stack, by name.
pub const LOADED: [(&str, Load); 5] = [
    ("springs", hang_springs),
    ("oriented chain", hang_oriented),
    ("chain of rigid links", hang_links),
    ("stack of boxes", stack_boxes),
    ("stack of soft cubes under a box", stack_soft),
];
