//! Impulses, explosions, damage, wind and drag.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, Random, body, floor, lattice, material, weightless};
use fracas::glam::{DVec3, Vec3};
use fracas::math::Rot;
use fracas::solids::oriented::OrientedShape;
use fracas::world::{
    Blast, CommandError, FieldDesc, FieldKind, StepReport, World, WorldConfig, Zone,
};
use fracas::{BodyDesc, BodyId};

const AIR: f32 = 1.2;

fn single(radii: [f32; 3]) -> OrientedShape {
    let mut shape = lattice([1, 1, 1], 0.1, 3);
    shape.points[0].radii = radii;
    shape
}

fn spawned(world: &mut World, desc: BodyDesc) -> BodyId {
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    id
}

fn at(shape: OrientedShape, position: [f64; 3]) -> BodyDesc {
    BodyDesc { position, ..body(shape, &material(1e5)) }
}

fn velocity(world: &World, id: BodyId) -> Vec3 {
    let body = world.body(id).unwrap();
    body.velocities(&body.pieces()[0])[0].into()
}

fn velocities(world: &World, id: BodyId) -> Vec<Vec3> {
    let body = world.body(id).unwrap();
    let all = body.pieces().iter().flat_map(|piece| body.velocities(piece));
    all.map(|&v| v.into()).collect()
}

/// Energy of a report that no step has changed: one too short does nothing.
fn now(world: &mut World) -> StepReport {
    world.step(0.0)
}

fn distance(a: [f64; 3], b: DVec3) -> f64 {
    DVec3::from(a).distance(b)
}

/// ΔP = p, ΔL about the origin = x × p, for many places and directions; the work is what the
/// kinetic energy has grown by.
#[test]
fn an_impulse_brings_its_momentum_and_angular_momentum() {
    let mut random = Random(5);
    let mut number = || random.below(2001) as f64 / 1000.0 - 1.0;
    for round in 0..20 {
        let mut world = World::new(WorldConfig { books: true, ..weightless() }).unwrap();
        let mut desc = at(lattice([5, 4, 3], 0.1, 3), [100.0, -3.0, 7.0]);
        desc.rotation = Rot::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.3 * round as f32);
        desc.velocity = [1.0, 2.0, 3.0];
        desc.spin = [0.3, -0.2, 0.5];
        let id = spawned(&mut world, desc);
        let before = now(&mut world);
        let places: Vec<[f64; 3]> = world.body(id).unwrap().world_positions().collect();
        // 0.09 m from a centre: inside its sphere of 0.05 m or less than that away from it
        let way = DVec3::new(number(), number(), number()).normalize() * 0.09;
        let point = DVec3::from(places[(17 * round + 3) % places.len()]) + way;
        let p = DVec3::new(number(), number(), number()) * 3.0;
        let p = p.as_vec3();
        world.impulse(id, point.to_array(), p.to_array()).unwrap();
        world.apply_commands();
        let after = now(&mut world);
        let p = p.as_dvec3();
        let gained = DVec3::from(after.momentum) - DVec3::from(before.momentum);
        assert!(gained.distance(p) < 1e-5, "{gained} instead of {p}");
        // about the centre of mass, which is where it was
        let centre = DVec3::new(100.0, -3.0, 7.0);
        let turned = DVec3::from(after.angular_momentum) - DVec3::from(before.angular_momentum);
        let expected = (point - centre).cross(p);
        assert!(turned.distance(expected) < 1e-5, "{turned} instead of {expected}");
        let work = after.energy.external_work - before.energy.external_work;
        let grown = after.energy.kinetic - before.energy.kinetic;
        assert!((work - grown).abs() < 1e-5 * grown.abs().max(1.0), "{work} and {grown}");
        // and the solve keeps what was given
        for _ in 0..30 {
            world.step(FRAME);
        }
        let later = now(&mut world);
        assert!(distance(later.momentum, DVec3::from(after.momentum)) < 1e-4);
        assert!(distance(later.angular_momentum, DVec3::from(after.angular_momentum)) < 1e-4);
    }
}

#[test]
fn an_impulse_beside_the_body_is_refused_with_the_distance() {
    let mut world = World::new(weightless()).unwrap();
    let id = spawned(&mut world, at(single([0.05; 3]), [1.0, 0.0, 0.0]));
    let up = [0.0, 1.0, 0.0];
    world.impulse(id, [1.0999, 0.0, 0.0], up).unwrap();
    let refused = world.impulse(id, [1.2, 0.0, 0.0], up).unwrap_err();
    let CommandError::TooFar { body, distance, allowed, .. } = refused else {
        panic!("{refused}");
    };
    assert_eq!(body, id);
    assert!((distance - 0.15).abs() < 1e-6 && (allowed - 0.05).abs() < 1e-6);
    world.remove(id).unwrap();
    world.step(FRAME);
    assert_eq!(world.impulse(id, [1.0, 0.0, 0.0], up), Err(CommandError::NoBody(id)));
}

/// Eight single particles at the corners of a cube: each takes its share of the energy, outwards.
#[test]
fn an_explosion_gives_each_its_share_straight_outwards() {
    let mut world = World::new(weightless()).unwrap();
    let centre = DVec3::new(1e4, 20.0, -5.0);
    let mut ids = Vec::new();
    for k in 0..8 {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 0.3 } else { -0.3 };
        let corner = centre + DVec3::new(sign(0), sign(1), sign(2));
        ids.push(spawned(&mut world, at(single([0.05; 3]), corner.to_array())));
    }
    let (radius, energy) = (1.0, 50.0);
    let blast = Blast { centre: centre.to_array(), radius, energy };
    world.explode(blast).unwrap();
    world.apply_commands();
    let report = now(&mut world);
    assert!(DVec3::from(report.momentum).length() < 1e-5, "{:?}", report.momentum);
    // s = ½ (1 − d/√(d² + ρ²)) of each, times (1 − d/R)²
    let d = 0.3 * 3f64.sqrt();
    let share = 0.5 * (1.0 - d / (d * d + 0.0025).sqrt());
    let expected = 8.0 * 50.0 * share * (1.0 - d) * (1.0 - d);
    let found = report.energy.kinetic;
    assert!((found / expected - 1.0).abs() < 1e-5, "{found} instead of {expected} J");
    assert!((report.energy.external_work / found - 1.0).abs() < 1e-6);
    for (k, id) in ids.into_iter().enumerate() {
        let place = DVec3::from(world.body(id).unwrap().pieces()[0].origin()) - centre;
        let v = velocity(&world, id).as_dvec3();
        assert!(v.normalize().distance(place.normalize()) < 1e-5, "particle {k} flies along {v}");
    }
}

/// However dense and fast things are around it, no more energy comes than there is, and what is
/// out of reach keeps its bits.
#[test]
fn an_explosion_gives_at_most_its_energy_and_only_within_reach() {
    let all = [0.0, 8.0, -8.0].map(|speed| {
        let mut world = World::new(weightless()).unwrap();
        let inside = spawned(&mut world, at(lattice([6, 6, 6], 0.1, 3), [0.0; 3]));
        let mut desc = at(lattice([4, 4, 4], 0.1, 3), [0.0, 0.9, 0.0]);
        desc.velocity = [0.0, speed, 0.0];
        let moving = spawned(&mut world, desc);
        let outside = spawned(&mut world, at(lattice([3, 3, 3], 0.1, 3), [3.0, 0.0, 0.0]));
        let before = now(&mut world).energy.kinetic;
        let far = world.body(moving).unwrap();
        let reach = 0.85;
        let beyond: Vec<(usize, Vec3)> = far
            .world_positions()
            .enumerate()
            .filter(|(_, x)| DVec3::from(*x).length() > reach)
            .map(|(k, _)| (k, velocities(&world, moving)[k]))
            .collect();
        assert!(!beyond.is_empty() && beyond.len() < 64);
        let blast = Blast { centre: [0.01, 0.02, 0.0], radius: reach as f32 - 0.05, energy: 300.0 };
        world.explode(blast).unwrap();
        world.apply_commands();
        let report = now(&mut world);
        let given = report.energy.kinetic - before;
        println!("{speed} m/s: {given} J of 300");
        assert!(given > 10.0 && given <= 300.0, "{given} J were given");
        assert!((report.energy.external_work - given).abs() < 1e-3 * given);
        assert!(velocities(&world, outside).iter().all(|&v| v == Vec3::ZERO));
        let after = velocities(&world, moving);
        assert!(beyond.iter().all(|&(k, v)| after[k] == v));
        assert!(velocities(&world, inside).iter().filter(|v| v.length() > 0.1).count() > 100);
        given
    });
    assert!((all[1] / all[0] - 1.0).abs() < 1e-5, "what flies away takes as much: {all:?}");
    assert!(all[2] < 0.99 * all[0], "what comes near is slowed: {all:?}");
}

#[test]
fn damage_multiplies_in_its_zone_and_lasts_over_splits_and_snapshots() {
    let mut world = World::new(weightless()).unwrap();
    let mut desc = at(lattice([6, 1, 1], 0.1, 3), [1e5, 0.0, 0.0]);
    desc.rotation = Rot::from_axis_angle(Vec3::Y, std::f32::consts::PI);
    let id = spawned(&mut world, desc);
    assert_eq!(world.body(id).unwrap().strengths(), [1.0; 6]);
    let hash = world.hash();
    // turned by half a turn: the last particles of the shape are at the lowest x
    let zone = Zone::Sphere { centre: [1e5 - 0.25, 0.0, 0.0], radius: 0.15 };
    world.damage(zone, 0.5).unwrap();
    world.damage(Zone::Box { min: [0.0, -1.0, -1.0], max: [1e5 - 0.2, 1.0, 1.0] }, 0.2).unwrap();
    world.apply_commands();
    let expected = [1.0, 1.0, 1.0, 1.0, 0.5, 0.1];
    assert_eq!(world.body(id).unwrap().strengths(), expected);
    assert_ne!(world.hash(), hash, "damage is state");

    let ids = world.body(id).unwrap().particle_ids().to_vec();
    for k in [0, 1, 3] {
        world.cut(id, ids[k], ids[k + 1]).unwrap();
    }
    world.step(FRAME);
    let mut loaded = World::load(&world.save(), 1).unwrap();
    for world in [&world, &loaded] {
        let body = world.body(id).unwrap();
        for (id, &strength) in body.particle_ids().iter().zip(body.strengths()) {
            let k = ids.iter().position(|i| i == id).unwrap();
            assert_eq!(strength, expected[k], "particle {k}");
        }
    }
    assert_eq!(world.step(FRAME).hash, loaded.step(FRAME).hash);
    for bad in [-0.1, 1.1, f32::NAN] {
        assert!(world.damage(zone, bad).is_err());
    }
}

fn wind(velocity: [f32; 3], zone: Zone) -> FieldDesc {
    FieldDesc { kind: FieldKind::Wind { velocity, density: AIR, coefficient: 0.5 }, zone }
}

/// What falls in air ends at √(2 m g/(ρ c A)), A seen from below, and the books close.
#[test]
fn a_falling_particle_reaches_its_terminal_velocity() {
    // an ellipsoid on its flat side, on its edge, and turned by 30° between them
    for angle in [0.0, 30.0, 90.0f32] {
        let mut world = World::new(WorldConfig { books: true, ..WorldConfig::default() }).unwrap();
        let mut desc = at(single([0.2, 0.05, 0.2]), [0.0, 500.0, 0.0]);
        desc.rotation = Rot::from_axis_angle(Vec3::Z, angle.to_radians());
        let id = spawned(&mut world, desc);
        world.add_field(wind([0.0; 3], Zone::Everywhere)).unwrap();
        world.apply_commands();
        let start = now(&mut world).energy;
        for _ in 0..1200 {
            world.step(FRAME);
        }
        // shadow of the ellipsoid: a disk of 0.2 m, an ellipse of 0.2 × 0.05 m, between them
        let (sin, cos) = (f64::from(angle).to_radians().sin(), f64::from(angle).to_radians().cos());
        let width = (0.2f64 * cos).hypot(0.05 * sin);
        let area = std::f64::consts::PI * 0.2 * width;
        let expected = (2.0 * 1.0 * 9.81 / (f64::from(AIR) * 0.5 * area)).sqrt();
        let found = f64::from(-velocity(&world, id).y);
        println!("{angle}°: {found:.3} m/s, √(2mg/ρcA) = {expected:.3}");
        assert!((found / expected - 1.0).abs() < 0.01, "{found} instead of {expected} m/s");
        let energy = now(&mut world).energy;
        let open = energy.held() + energy.lost() - start.held() - energy.external_work;
        assert!(open.abs() < 1e-3 * energy.external_work.abs(), "the books are open by {open} J");
        assert!(energy.external_work < -100.0);
    }
}

/// Alone in air, |u − v| falls as 1/(1 + k |u − v| t): exactly, for every step.
#[test]
fn wind_carries_along_and_never_overshoots() {
    for (dt, steps) in [(1.0 / 1000.0, 2000), (1.0 / 15.0, 30)] {
        let mut world = World::new(WorldConfig { substeps: 1, ..weightless() }).unwrap();
        let id = spawned(&mut world, at(single([0.1; 3]), [0.0; 3]));
        world.add_field(wind([20.0, 0.0, 0.0], Zone::Everywhere)).unwrap();
        for _ in 0..steps {
            world.step(dt);
        }
        let k = 0.5 * f64::from(AIR) * 0.5 * std::f64::consts::PI * 0.01;
        let expected = 20.0 - 20.0 / (1.0 + k * 20.0 * world.time());
        let found = f64::from(velocity(&world, id).x);
        println!("{found} m/s, {expected} expected");
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} instead of {expected}");
    }
    // a storm of lead at the longest step
    let mut world = World::new(WorldConfig { substeps: 1, ..weightless() }).unwrap();
    let id = spawned(&mut world, at(lattice([3, 3, 3], 0.1, 3), [0.0; 3]));
    let kind = FieldKind::Wind { velocity: [0.0, 30.0, 0.0], density: 1e7, coefficient: 1e3 };
    world.add_field(FieldDesc { kind, zone: Zone::Everywhere }).unwrap();
    for step in 0..60 {
        let report = world.step(1.0 / 15.0);
        let mean = report.momentum[1] / 27.0;
        // the particles move against each other, hence a little more or less on the mean
        assert!((0.0..=30.1).contains(&mean), "step {step}: {mean} m/s");
        assert_eq!(report.quarantined, 0);
    }
    let mean = velocities(&world, id).iter().sum::<Vec3>() / 27.0;
    assert!(mean.distance(Vec3::new(0.0, 30.0, 0.0)) < 0.1, "{mean}");
}

/// A block in wind along its rows feels it on its front layer only: ½ ρ c u² times the shadows of
/// 16 spheres; after it is cut across, on that of the part behind, too.
#[test]
fn wind_acts_on_what_is_exposed() {
    let mut world = World::new(WorldConfig { substeps: 1, ..weightless() }).unwrap();
    let id = spawned(&mut world, at(lattice([6, 4, 4], 0.1, 3), [0.0; 3]));
    let field = world.add_field(wind([5.0, 0.0, 0.0], Zone::Everywhere)).unwrap();
    let force = |report: &StepReport| report.momentum[0] * 1000.0;
    let dt = 1e-3;
    let one = force(&world.step(dt));
    let expected = 16.0 * 0.5 * f64::from(AIR) * 0.5 * 25.0 * std::f64::consts::PI * 0.0025;
    println!("{one} N, {expected} expected");
    assert!((one / expected - 1.0).abs() < 1e-2, "{one} instead of {expected} N");

    let body = world.body(id).unwrap();
    let (ids, rest) = (body.particle_ids().to_vec(), body.rest_positions().to_vec());
    let x = |id| rest[ids.iter().position(|&i| i == id).unwrap()][0];
    let across: Vec<_> = body.bonds().filter(|&[a, b]| x(a) * x(b) < 0.0).collect();
    for [a, b] in across {
        world.cut(id, a, b).unwrap();
    }
    let before = force(&world.step(0.0));
    let both = force(&world.step(dt)) - before;
    assert!((both / (2.0 * expected) - 1.0).abs() < 1e-2, "{both} N on two fronts");

    world.remove_field(field).unwrap();
    let before = force(&world.step(0.0));
    let none = force(&world.step(dt)) - before;
    assert!(none.abs() < 1e-4 * one, "{none} N without wind");
    assert_eq!(world.remove_field(field), Err(CommandError::NoField(field)));
}

/// v' = −r v: e^(−r t) for velocity and spin, for every step, only where the field is.
#[test]
fn drag_fades_velocity_and_spin_exponentially() {
    for substeps in [1, 4] {
        let mut world = World::new(WorldConfig { substeps, ..weightless() }).unwrap();
        let [_, outside] = [0.0, 9.0].map(|x| {
            let mut desc = at(lattice([3, 3, 3], 0.1, 3), [x, 0.0, 0.0]);
            (desc.velocity, desc.spin) = ([1.0, 0.5, 0.0], [0.0, 0.0, 0.2]);
            spawned(&mut world, desc)
        });
        let zone = Zone::Box { min: [-3.0; 3], max: [3.0; 3] };
        world.add_field(FieldDesc { kind: FieldKind::Drag { rate: 2.0 }, zone }).unwrap();
        world.apply_commands();
        let before = now(&mut world);
        for _ in 0..60 {
            world.step(FRAME);
        }
        let after = now(&mut world);
        let fade = (-2.0 * world.time()).exp();
        // half of the momentum is outside
        let [p0, p1] = [before.momentum[0], after.momentum[0]];
        assert!((p1 / p0 - 0.5 * (1.0 + fade)).abs() < 1e-4, "{} of {}", p1 / p0, fade);
        let v = velocity(&world, outside);
        assert!((v.y - 0.5).abs() < 0.03 && v.is_finite());
        let inside = world.body_ids().next().unwrap();
        let spin = {
            let body = world.body(inside).unwrap();
            let piece = &body.pieces()[0];
            let (x, v) = (body.positions(piece), body.velocities(piece));
            let (a, b) =
                (Vec3::from(x[0]) - Vec3::from(x[26]), Vec3::from(v[0]) - Vec3::from(v[26]));
            f64::from(a.cross(b).z / (a.x * a.x + a.y * a.y))
        };
        assert!((spin / 0.2 - fade).abs() < 2e-3, "{spin} rad/s left of 0.2");
    }
}

/// What rests in a strong field keeps its weight: the floor carries m g.
#[test]
fn drag_does_not_carry_what_rests() {
    let fall = |rate: f32| {
        let mut world = World::new(WorldConfig::default()).unwrap();
        world.add_half_space(floor()).unwrap();
        let id = spawned(&mut world, at(lattice([3, 3, 3], 0.1, 3), [0.0, 0.15, 0.0]));
        let kind = FieldKind::Drag { rate };
        world.add_field(FieldDesc { kind, zone: Zone::Everywhere }).unwrap();
        for _ in 0..300 {
            world.step(FRAME);
        }
        let heights = world.body(id).unwrap().world_positions().map(|x| x[1]);
        heights.fold(f64::NEG_INFINITY, f64::max)
    };
    let [weak, strong] = [fall(20.0), fall(1e6)];
    println!("top at {weak:.5} and {strong:.5} m, 0.25 without weight");
    assert!(weak < 0.2495 && (weak - strong).abs() < 2e-4, "{weak} and {strong}");
}

/// Everything of this page in one world: same bits for any number of threads and after loading.
#[test]
fn same_bits_for_all_threads_and_after_loading() {
    let run = |threads: u32, reload: bool| {
        let mut world = World::new(WorldConfig { threads, ..WorldConfig::default() }).unwrap();
        world.add_half_space(floor()).unwrap();
        let mut ids = Vec::new();
        for k in 0..4 {
            ids.push(spawned(
                &mut world,
                at(lattice([4, 4, 4], 0.1, 3), [0.5 * f64::from(k), 0.3, 0.0]),
            ));
        }
        let gone = world.add_field(wind([3.0, 0.0, 1.0], Zone::Everywhere)).unwrap();
        let zone = Zone::Sphere { centre: [0.5, 0.0, 0.0], radius: 1.0 };
        world.add_field(FieldDesc { kind: FieldKind::Drag { rate: 3.0 }, zone }).unwrap();
        for step in 0..60 {
            if step == 5 {
                world.impulse(ids[0], [0.0, 0.35, 0.0], [1.0, 20.0, 3.0]).unwrap();
                world.damage(zone, 0.5).unwrap();
            }
            if step == 10 {
                let blast = Blast { centre: [0.7, 0.0, 0.1], radius: 2.0, energy: 500.0 };
                world.explode(blast).unwrap();
            }
            if step == 30 {
                world.remove_field(gone).unwrap();
                if reload {
                    let bytes = world.save();
                    world = World::load(&bytes, threads).unwrap();
                    assert_eq!(world.save(), bytes, "what is loaded is saved the same");
                    assert_eq!(world.fields().count(), 1);
                    // an id is never used twice
                    let mut copy = World::load(&bytes, threads).unwrap();
                    let new = copy.add_field(wind([0.0; 3], zone)).unwrap();
                    assert!(new != gone && world.fields().all(|(id, _)| id != new));
                    copy.apply_commands();
                    assert_ne!(copy.hash(), world.hash(), "fields are state");
                }
            }
            world.step(FRAME);
        }
        world.hash()
    };
    let one = run(1, false);
    assert_eq!(one, run(2, false));
    assert_eq!(one, run(3, true));
    assert_eq!(one, run(1, true));
}
