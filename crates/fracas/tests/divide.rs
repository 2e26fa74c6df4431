//! Fragments break again: in two under their load, and in a pattern where they are hit.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, Random, body, floor, lattice, material, weightless};
use fracas::contact::shape::Shape;
use fracas::geometry::{Pattern, PatternDesc};
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::{
    Body, BodyDesc, BodyId, Event, GripDesc, GripMotion, ParticleId, Region, ShapeDesc, World,
    WorldConfig,
};

/// Side of a fragment, in m.
const SIDE: f32 = 0.1;

/// E = 1e9 Pa, ρ = 1000 kg/m³: c = 1000 m/s, and a cube that lands flat feels ¼ ρ c v.
fn brittle(strength: f32) -> MaterialDesc {
    MaterialDesc {
        strength: strength.into(),
        toughness: 1e9.into(),
        load_time: 1e-5.into(),
        ..material(1e9)
    }
}

fn radial(radius: f32) -> Pattern {
    let desc = PatternDesc::Radial { radius, rays: 8, rings: 3, seed: 5 };
    Pattern::try_from(&desc).unwrap()
}

/// Drops a cube flat from this height above the floor; how many parts there are in the end.
fn drop_cube(height: f64, substeps: u32, strength: f32) -> (World, BodyId) {
    let config = WorldConfig { substeps, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut desc = body(lattice([1, 1, 1], SIDE, 3), &brittle(strength));
    // the last metre is enough
    let fall = height.min(0.1);
    desc.position = [0.0, f64::from(0.5 * SIDE) + fall, 0.0];
    desc.velocity = [0.0, -((2.0 * 9.81 * (height - fall)) as f32).sqrt(), 0.0];
    let id = world.spawn(desc).unwrap();
    (0..30).for_each(|_| drop(world.step(FRAME)));
    (world, id)
}

fn parts(world: &World, id: BodyId) -> usize {
    world.body(id).unwrap().particle_count()
}

/// ¼ ρ c v = 2 MPa at 8 m/s, 3.3 m. From 20 m it splits, from 10 cm it does not.
#[test]
fn a_cube_splits_after_a_high_fall_only() {
    let (mut world, id) = drop_cube(20.0, 4, 2e6);
    let many = parts(&world, id);
    assert!(many > 1, "it is whole");
    let events: Vec<_> = world.events().collect();
    let cracks = events.iter().filter(|event| matches!(event, Event::Crack { .. })).count();
    let splits = events.iter().filter(|event| matches!(event, Event::Split { .. })).count();
    assert_eq!((cracks, splits), (many - 1, 2 * (many - 1)));
    assert_eq!(world.body(id).unwrap().pieces().len(), many);
    world.validate();
    let (world, id) = drop_cube(0.1, 4, 2e6);
    assert_eq!(parts(&world, id), 1);
}

/// Parts are never below 1/16 of the mean fragment, however hard the fall.
#[test]
fn parts_have_a_least_size() {
    let (world, id) = drop_cube(2000.0, 4, 1e4);
    let body = world.body(id).unwrap();
    let least = body.masses().iter().fold(f32::INFINITY, |m, &x| m.min(x));
    println!("{} parts, the least has {least} kg", body.particle_count());
    assert!(body.particle_count() > 4 && body.particle_count() <= 16);
    assert!(least >= 1.0 / 16.0 - 1e-6, "{least} kg");
    assert!((body.mass() - 1.0).abs() < 1e-6);
}

/// The height at which a cube splits is a matter of the material, not of the substeps.
#[test]
fn the_height_at_which_it_splits_does_not_depend_on_substeps() {
    let heights = [1, 4, 8].map(|substeps| {
        let (mut low, mut high) = (0.1, 20.0);
        for _ in 0..8 {
            let middle = 0.5 * (low + high);
            let (world, id) = drop_cube(middle, substeps, 2e6);
            if parts(&world, id) > 1 { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    });
    println!("splits from {heights:?} m on");
    for height in heights {
        assert!((height / heights[1] - 1.0).abs() < 0.2, "{heights:?}");
        assert!((height / 3.26 - 1.0).abs() < 0.2, "{heights:?}, not 3.26 m");
    }
}
