//! Rigid bodies against closed forms.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::{FRAME, floor, material, weightless};
use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc};
use fracas::world::{BodyDesc, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};

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
    world.spawn(desc).unwrap();
    let start = world.step(1e-4);
    let mut last = start.clone();
    let mut flipped = false;
    for _ in 0..600 {
        last = world.step(FRAME);
        flipped |= last.angular_momentum[1] > 0.0
            && world
                .body(world.body_ids().next().unwrap())
                .is_some_and(|body| body.orientations(&body.pieces()[0])[0][0].abs() > 0.9);
    }
    for k in 0..3 {
        let off = (last.angular_momentum[k] - start.angular_momentum[k]).abs();
        assert!(off < 1e-5 * start.angular_momentum[1], "axis {k} off by {off}");
    }
    let gain = last.energy.kinetic / start.energy.kinetic - 1.0;
    assert!(gain.abs() < 1e-3, "energy changed by {gain}");
    let _ = flipped;
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
        println!("{k}: {x} {y} {z}");
        assert!((y - wanted).abs() < 1e-3, "box {k} at {y} instead of {wanted}");
        assert!(x.hypot(z) < 1e-3, "box {k} has moved aside");
    }
}
