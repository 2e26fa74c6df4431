//! What stays: plastic shape, momentum, mass, energy.

use crate::SHOWS;
use crate::common::bodies::awake_weightless;
use crate::common::{FRAME, body, grip_box, lattice, material};
use crate::shows::{MACHINE, Row, show};
use fracas::glam::DVec3;
use fracas::material::MaterialDesc;
use fracas::world::{BodyDesc, Event, GripDesc, GripMotion, MoveKey};
use fracas::{BodyId, World, WorldConfig};

const D: f32 = 0.05;

/// The turn of one end of a bar along y against the other, in degrees.
fn twist(world: &World, id: BodyId) -> f64 {
    let body = world.body(id).unwrap();
    let heading = |above: bool| {
        let (mut sine, mut cosine) = (0.0, 0.0);
        let layer: Vec<_> = body.rest_positions().iter().zip(body.world_positions()).collect();
        let (mut centre, mut count) = (DVec3::ZERO, 0.0);
        let at_end = |y: f32| if above { y > 0.45 } else { y < -0.45 };
        for (_, x) in layer.iter().filter(|(rest, _)| at_end(rest[1])) {
            centre += DVec3::from(*x);
            count += 1.0;
        }
        centre /= count;
        for (rest, x) in layer.into_iter().filter(|(rest, _)| at_end(rest[1])) {
            let (rest, x) = (DVec3::from(rest.map(f64::from)), DVec3::from(x) - centre);
            sine += rest.z * x.x - rest.x * x.z;
            cosine += rest.x * x.x + rest.z * x.z;
        }
        f64::atan2(sine, cosine).to_degrees()
    };
    heading(true) - heading(false)
}

#[test]
#[ignore = "ten simulated minutes; run with --include-ignored in release"]
fn left_alone() {
    let _reading = MACHINE.read();
    show(&SHOWS, "left_alone", || {
        let ductile = MaterialDesc {
            yield_stress: 1e5.into(),
            hardening_modulus: 1e5.into(),
            damping_time: 0.3.into(),
            ..material(1e6)
        };
        let mut world = World::new(awake_weightless(2)).unwrap();
        let id = world.spawn(body(lattice([4, 20, 4], D, 2), &ductile)).unwrap();
        let end = |low: f32, high: f32, motion| GripDesc {
            release: Some(2.5),
            ..grip_box(id, [-9.0, low, -9.0], [9.0, high, 9.0], motion)
        };
        world.grip(end(-9.0, -0.45, GripMotion::Hold)).unwrap();
        let key = |time: f64, angle: f32| MoveKey { time, offset: [0.0; 3], angle };
        let keys = vec![key(0.0, 0.0), key(2.0, 240_f32.to_radians())];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
        world.grip(end(0.45, 9.0, motion)).unwrap();
        for _ in 0..10 * 60 {
            world.step(FRAME);
        }
        let left = twist(&world, id);
        for _ in 0..600 * 60 {
            world.step(FRAME);
        }
        let crept = (twist(&world, id) - left).abs() / left.abs();
        vec![
            Row::at_least("twisted bar: plastic twist", left.abs(), 10.0, "°"),
            Row::at_most(
                "twisted bar, 10 min: creeps back, of its twist",
                100.0 * crept,
                0.1,
                " %",
            ),
        ]
    });
}

/// A bar that spins so fast that it breaks in flight, over and over.
#[test]
fn in_flight() {
    let _reading = MACHINE.read();
    show(&SHOWS, "in_flight", || {
        let brittle = MaterialDesc {
            strength: 3e4.into(),
            toughness: 6e3.into(),
            load_time: 0.0.into(),
            ..material(1e6)
        };
        let config = WorldConfig { books: true, ..awake_weightless(4) };
        let mut world = World::new(config).unwrap();
        let mut desc = body(lattice([20, 4, 4], D, 3), &brittle);
        desc = BodyDesc { spin: [0.0, 3.0, 22.0], position: [1000.0, 0.0, 0.0], ..desc };
        desc.velocity = [3.0, 1.0, 0.0];
        let id = world.spawn(desc).unwrap();
        let first = world.step(1e-4);
        let mass = world.body(id).unwrap().mass();
        let (mut cracks, mut least, mut gain) = (0_u64, f32::INFINITY, 0.0_f64);
        let (mut off, mut turned) = (0.0_f64, 0.0_f64);
        let (momentum, angular) =
            (DVec3::from(first.momentum), DVec3::from(first.angular_momentum));
        let mut held = first.energy.held();
        for _ in 0..240 {
            let now = world.step(FRAME);
            for event in world.events() {
                if let Event::Crack { energy, .. } = event {
                    least = least.min(energy);
                }
            }
            cracks += now.cracks;
            off = off.max(DVec3::from(now.momentum).distance(momentum) / momentum.length());
            let angular_now = DVec3::from(now.angular_momentum);
            turned = turned.max(angular_now.distance(angular) / angular.length());
            gain = gain.max((now.energy.held() - held) / first.energy.held());
            held = now.energy.held();
            world.validate();
        }
        let lost = (world.body(id).unwrap().mass() - mass).abs() / mass;
        vec![
            Row::at_least("bar breaks in flight: cracks", cracks as f64, 100.0, ""),
            Row::at_most("R14, through them: momentum off", off, 1e-6, ""),
            Row::at_most("R14, through them: angular momentum off", turned, 1e-5, ""),
            Row::at_least("energy that a cut sets free, least", f64::from(least), 0.0, " J"),
            Row::at_most("R13, held energy grows in a step, of all", gain, 1e-4, ""),
            Row::at_most("mass lost by it", lost, 1e-7, ""),
            Row::told(
                "random cuts with pieces equal to a flood fill",
                "109,131 in world::pieces".into(),
            ),
        ]
    });
}
