//! What overlays show of bodies and contacts, against what is known.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, body, floor, grip_box, lattice, material, weightless};
use fracas::contact::shape::Shape;
use fracas::material::{Attribute, Grain, Material, MaterialDesc, MaterialField, Noise, Varying};
use fracas::math::Rot;
use fracas::world::{Body, BodyDesc, GripMotion, MoveKey, ShapeDesc, World, WorldConfig};

const INF: f32 = f32::INFINITY;
const SPACING: f32 = 0.05;

/// A bar that is 2 % longer between its grips: σ = E ε in its middle, and times the area of its section it is
/// what the grip pulls with.
#[test]
fn stress_of_a_stretched_bar_is_that_of_its_strain_and_of_its_load() {
    let desc = MaterialDesc { damping_time: 0.05.into(), ..material(1e6) };
    let mut world = World::new(weightless()).unwrap();
    let id = world.spawn(body(lattice([16, 4, 4], SPACING, 3), &desc)).unwrap();
    // centres of the outer layers, 15 spacings apart
    let end = 7.4 * SPACING;
    world.grip(grip_box(id, [-INF; 3], [-end, INF, INF], GripMotion::Hold)).unwrap();
    let stretch = 0.02 * 15.0 * SPACING;
    let keys =
        vec![MoveKey::default(), MoveKey { time: 1.0, offset: [stretch, 0.0, 0.0], angle: 0.0 }];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
    let grip = world.grip(grip_box(id, [end, -INF, -INF], [INF; 3], motion)).unwrap();
    for _ in 0..150 {
        world.step(FRAME);
    }
    let body = world.body(id).unwrap();
    let (mut sum, mut count) = (0.0, 0.0);
    for (stress, rest) in body.stresses().into_iter().zip(body.rest_positions()) {
        if rest[0].abs() < 2.0 * SPACING {
            sum += f64::from(stress);
            count += 1.0;
        }
    }
    let stress = sum / count;
    let expected = 1e6 * 1.02_f64.ln();
    assert!((stress / expected - 1.0).abs() < 0.02, "{stress} Pa, E ε = {expected} Pa");
    let load = world.reaction(grip).unwrap().force[0] / f64::from(4.0 * SPACING).powi(2);
    assert!((stress / load - 1.0).abs() < 0.03, "{stress} Pa, the grip pulls with {load} Pa");
}

/// What is pressed has a stress below 0, and what is rigid none.
#[test]
fn pressed_is_below_zero() {
    let mut world = World::new(WorldConfig { sleeping: false, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut column = body(lattice([3, 12, 3], SPACING, 3), &material(3e5));
    column.position = [0.0, 0.3, 0.0];
    let column = world.spawn(column).unwrap();
    let steel = vec![Material::try_from(&MaterialDesc::default()).unwrap()];
    let ball = ShapeDesc::rigid(Shape::sphere(0.1).unwrap());
    let mut ball = BodyDesc::new("ball", ball, steel);
    ball.position = [2.0, 0.1, 0.0];
    let ball = world.spawn(ball).unwrap();
    for _ in 0..120 {
        world.step(FRAME);
    }
    let body = world.body(column).unwrap();
    for (stress, rest) in body.stresses().into_iter().zip(body.rest_positions()) {
        assert!(stress < 0.0 || rest[1] > 0.2, "{stress} Pa at height {}", rest[1]);
    }
    assert_eq!(world.body(ball).unwrap().stresses(), [0.0]);
}

/// Forces of contacts carry the weight of a soft ball of rows, and of a rigid one.
#[test]
fn contacts_carry_the_weight_of_a_ball() {
    for soft in [true, false] {
        let config = WorldConfig { sleeping: false, ..WorldConfig::default() };
        let mut world = World::new(config).unwrap();
        world.add_half_space(floor()).unwrap();
        let desc = MaterialDesc { damping_time: 0.05.into(), ..material(1e6) };
        let mut ball = if soft {
            let mut shape = lattice([5, 5, 5], SPACING, 3);
            // without its corners, which stand at 0.17 m
            let centre =
                |k: &u32| shape.points[*k as usize].position.map(|x| x * x).iter().sum::<f32>();
            let kept: Vec<u32> = (0..125).filter(|k| centre(k) < 0.15 * 0.15).collect();
            let place = |k: u32| kept.binary_search(&k).ok().map(|place| place as u32);
            let bonds = shape.bonds.iter().filter_map(|&[a, b]| Some([place(a)?, place(b)?]));
            shape.bonds = bonds.collect();
            shape.points = kept.iter().map(|&k| shape.points[k as usize]).collect();
            body(shape, &desc)
        } else {
            let shape = ShapeDesc::rigid(Shape::sphere(0.125).unwrap());
            BodyDesc::new("ball", shape, vec![Material::try_from(&desc).unwrap()])
        };
        ball.position = [0.0, 0.126, 0.0];
        let id = world.spawn(ball).unwrap();
        for _ in 0..240 {
            world.step(FRAME);
        }
        let weight = 9.81 * world.body(id).unwrap().mass();
        let (mut up, mut count) = (0.0, 0);
        for contact in world.contacts() {
            assert_eq!(contact.bodies(), [Some(id), None]);
            assert!(contact.normal[1] > 0.999 && contact.position[1].abs() < 0.01, "{contact:?}");
            up += f64::from(contact.force[1]);
            count += 1;
        }
        assert!(count > 0);
        assert!((up / weight - 1.0).abs() < 0.01, "{up} N for {weight} N, soft: {soft}");
    }
}

fn densities(body: &Body) -> Vec<f32> {
    body.masses().iter().map(|mass| mass / SPACING.powi(3)).collect()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a / b - 1.0).abs() < 1e-5, "{a} for {b}");
    }
}

/// What a value is at a particle is what the body was made with: densities are known from masses. Also after a cut has put
/// particles in another order, and after loading; a value that was changed is the same everywhere.
#[test]
fn values_are_those_that_the_body_was_made_with() {
    let noise = Varying::Noise(Noise { mean: 1000.0, spread: 300.0, wavelength: 0.1 });
    let attribute =
        Varying::Attribute(Attribute { name: "heavy".into(), scale: 900.0, offset: 500.0 });
    for density in [noise, attribute] {
        let desc = MaterialDesc { density, ..material(1e6) };
        let mut shape = lattice([8, 3, 3], SPACING, 3);
        let heavy = (0..72).map(|k| (k * 37 % 72) as f32 / 72.0).collect();
        shape.values.attributes.push(("heavy".into(), heavy));
        let mut spawned = body(shape, &desc);
        spawned.seed = 11;
        let mut world = World::new(weightless()).unwrap();
        let id = world.spawn(spawned).unwrap();
        let before = world.body(id).unwrap();
        let found = before.values(MaterialField::Density);
        assert_near(&found, &densities(before));
        assert!(found.iter().any(|x| (x / found[0] - 1.0).abs() > 0.1), "{found:?}");

        let places: Vec<_> = before.particle_ids().iter().zip(before.rest_positions()).collect();
        let left = |id| places.iter().any(|(known, rest)| **known == id && rest[2] < 0.01);
        for [a, b] in before.bonds().filter(|&[a, b]| left(a) != left(b)).collect::<Vec<_>>() {
            world.cut(id, a, b).unwrap();
        }
        world.step(FRAME);
        assert_eq!(world.body(id).unwrap().pieces().len(), 2);
        let mut world = World::load(&world.save(), 1).unwrap();
        let after = world.body(id).unwrap();
        assert_near(&after.values(MaterialField::Density), &densities(after));

        world.set_material(id, MaterialField::Strength, 5e4).unwrap();
        world.step(FRAME);
        assert_eq!(world.body(id).unwrap().values(MaterialField::Strength), [5e4; 72]);
    }
}

/// The grain turns with the body; without grain there are no fibres.
#[test]
fn fibres_turn_with_the_body() {
    let grain = |strength_ratio: f32| MaterialDesc {
        grain: Grain {
            direction: [0.0, 3.0, 0.0].into(),
            strength_ratio: strength_ratio.into(),
            ..Grain::default()
        },
        ..material(1e6)
    };
    let mut world = World::new(weightless()).unwrap();
    let plain = world.spawn(body(lattice([2, 2, 2], SPACING, 3), &grain(1.0))).unwrap();
    let mut desc = body(lattice([2, 2, 2], SPACING, 3), &grain(0.1));
    desc.rotation = Rot::from_axis_angle([0.0, 0.0, 1.0].into(), std::f32::consts::FRAC_PI_2);
    desc.position = [1.0, 0.0, 0.0];
    let turned = world.spawn(desc).unwrap();
    assert!(world.body(plain).unwrap().fibres().is_empty());
    for _ in 0..2 {
        let fibres = world.body(turned).unwrap().fibres();
        assert_eq!(fibres.len(), 8);
        for [x, y, z] in fibres {
            let off = (x + 1.0).abs() + y.abs() + z.abs();
            assert!(off < 1e-4, "{:?}", [x, y, z]);
        }
        world.step(FRAME);
    }
}
