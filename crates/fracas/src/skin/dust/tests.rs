#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::material::MaterialDesc;
use crate::math::Rot;
use crate::solids::oriented::{OrientedPoint, OrientedShape};
use crate::world::{BodyDesc, HalfSpaceDesc, ObstacleDesc, PieceId, ShapeDesc, WorldConfig};

const FRAME: f32 = 1.0 / 60.0;

/// A world with half-spaces through these points, with these normals.
fn world(floors: &[([f64; 3], [f32; 3])]) -> World {
    let mut world = World::new(WorldConfig::default()).unwrap();
    for &(point, normal) in floors {
        world.add_half_space(HalfSpaceDesc { point, normal, ..HalfSpaceDesc::default() }).unwrap();
    }
    world.step(FRAME);
    world
}

fn crack(position: [f64; 3], normal: [f32; 3], area: f32, energy: f32) -> Event {
    let (body, piece) = (BodyId(1), PieceId(1));
    Event::Crack { body, piece, position, normal, area, energy, material: 3 }
}

/// Of many directions.
fn cracks(count: u64, area: f32, energy: f32) -> Vec<Event> {
    let one = |k| {
        let mut draws = Draws(1000 * k);
        let mut draw = || 2.0 * draws.share() - 1.0;
        let normal = Vec3::new(draw(), draw(), draw()).normalize();
        let position = [draw(), 2.0 + draw(), draw()].map(f64::from);
        crack(position, normal.to_array(), area, energy)
    };
    (0..count).map(one).collect()
}

fn count(dust: &Dust, kind: SpeckKind) -> usize {
    dust.specks().iter().filter(|speck| speck.kind == kind).count()
}

fn roomy() -> DustConfig {
    DustConfig { most: 10_000_000, ..DustConfig::default() }
}

fn is_finite(speck: &Speck) -> bool {
    DVec3::from(speck.position).is_finite()
        && Vec3::from(speck.velocity).is_finite()
        && speck.radius.is_finite()
        && speck.radius > 0.0
}

/// Within five standard deviations of the mean, of draws that differ by one at most.
#[test]
fn the_number_of_specks_goes_with_the_area() {
    let (world, seeds, n) = (world(&[]), 30, 2_000);
    for area in [1e-5, 1e-4, 7.3e-4, 3.3e-3] {
        let events = cracks(n, area, 1.0);
        let mut found = [0; 2];
        for seed in 0..seeds {
            let mut dust = Dust::new(DustConfig { seed, ..roomy() });
            dust.emit(&world, &events);
            found[0] += count(&dust, SpeckKind::Chip);
            found[1] += count(&dust, SpeckKind::Dust);
        }
        for (found, per_area) in found.into_iter().zip([1e3, 4e3]) {
            let (cracks, expected) = ((seeds * n) as f64, per_area * f64::from(area));
            let sigma = (cracks * expected.fract() * (1.0 - expected.fract())).sqrt();
            let off = (found as f64 - cracks * expected) / sigma;
            println!("{area} m²: {found} of {:.0}, {off:.2} σ", cracks * expected);
            assert!(off.abs() < 5.0, "{area} m²: {found}, {off} σ");
        }
    }
}

#[test]
fn specks_lie_in_the_disk_of_their_crack_and_fill_it() {
    for normal in [[0.0, 1.0, 0.0], [0.6, 0.0, -0.8], [-1.0, 2.0, 2.0]] {
        let (position, area) = ([10.0, -3.0, 5e3], 0.5f32);
        let mut dust = Dust::new(roomy());
        dust.emit(&world(&[]), &[crack(position, normal, area, 1.0)]);
        let rim2 = f64::from(area) / std::f64::consts::PI;
        let n = Vec3::from(normal).normalize().as_dvec3();
        let mut sum = 0.0;
        for speck in dust.specks() {
            let from = DVec3::from(speck.position) - DVec3::from(position);
            assert!(from.dot(n).abs() < 1e-6 && from.length_squared() < rim2 * (1.0 + 1e-5));
            sum += from.length_squared() / rim2;
            assert_eq!((speck.body, speck.material, speck.age), (BodyId(1), 3, 0.0));
        }
        // r² is uniform in a disk that is filled evenly
        let mean = sum / dust.specks().len() as f64;
        assert!((mean - 0.5).abs() < 0.02, "{} specks, mean r² {mean}", dust.specks().len());
    }
}

#[test]
fn sizes_go_with_the_root_of_the_area() {
    let mut dust = Dust::new(roomy());
    dust.emit(&world(&[]), &[crack([0.0; 3], [0.0, 1.0, 0.0], 0.25, 1.0)]);
    for speck in dust.specks() {
        let (low, high) = match speck.kind {
            SpeckKind::Chip => (0.015, 0.04),
            SpeckKind::Dust => (0.0005, 0.002),
        };
        assert!((low..=high).contains(&speck.radius), "{speck:?}");
    }
}

/// √(2 · 0.1 · E / (ρ A d)), with water where nothing is known: 1 dm² of 5.5 mm is 0.055 kg.
#[test]
fn speeds_come_from_the_energy_and_stay_bounded() {
    for (energy, expected) in [(0.0, 0.0), (0.025, 0.3015), (0.1, 0.603), (1e9, 3.0)] {
        let mut dust = Dust::new(roomy());
        dust.emit(&world(&[]), &cracks(300, 0.01, energy));
        let speed = |speck: &Speck| Vec3::from(speck.velocity).length();
        let fastest = dust.specks().iter().map(speed).fold(0.0, f32::max);
        // 0.3 of it goes along the crack
        let bound = expected * 1.09f32.sqrt();
        assert!(fastest <= bound * 1.001, "{fastest} m/s of {energy} J");
        assert!(fastest >= 0.95 * expected, "{fastest} m/s of {energy} J");
    }
}

#[test]
fn both_sides_get_their_share() {
    let mut dust = Dust::new(roomy());
    dust.emit(&world(&[]), &[crack([0.0; 3], [0.0, 0.0, 1.0], 1.0, 1e3)]);
    let up = dust.specks().iter().filter(|speck| speck.velocity[2] > 0.0).count();
    let half = dust.specks().len() as f64 / 2.0;
    assert!((up as f64 - half).abs() < 5.0 * (half / 2.0).sqrt(), "{up} of {}", 2.0 * half);
}

#[test]
fn the_budget_is_never_exceeded_and_the_oldest_go_first() {
    let world = world(&[]);
    for most in [0, 1, 2, 7, 400] {
        let mut dust = Dust::new(DustConfig { most, ..DustConfig::default() });
        for step in 0..40 {
            let before = dust.specks().len();
            let first = dust.specks().first().copied();
            dust.emit(&world, &cracks(1 + 5 * step, 1e-2, 1.0));
            assert!(dust.specks().len() <= most);
            let ages: Vec<f32> = dust.specks().iter().map(|speck| speck.age).collect();
            assert!(ages.is_sorted_by(|a, b| a >= b), "{ages:?}");
            let new = ages.iter().filter(|&&age| age == 0.0).count();
            assert!(new <= most.div_ceil(4), "{new} in a step of {most}");
            if before > 0 && before + new <= most {
                assert_eq!(dust.specks().first().copied(), first, "one went too early");
            }
            dust.advance(&world, FRAME);
        }
        assert!(most < 7 || dust.specks().len() > most / 2);
    }
}

/// Thinned out, the kinds keep their ratio, also where every crack wants the same mixture.
#[test]
fn a_step_beyond_its_share_keeps_the_mixture() {
    let mut dust = Dust::new(DustConfig { most: 4_000, ..DustConfig::default() });
    dust.emit(&world(&[]), &cracks(1_000, 1e-3, 1.0));
    let (chips, grains) = (count(&dust, SpeckKind::Chip), count(&dust, SpeckKind::Dust));
    assert_eq!([chips, grains], [200, 800]);
    // one crack alone wants more than everything
    dust.emit(&world(&[]), &cracks(1, 1e30, 1.0));
    assert_eq!(dust.specks().len(), 2_000);
}

#[test]
fn the_same_events_give_the_same_specks() {
    let world = world(&[([0.0; 3], [0.1, 1.0, 0.0])]);
    let run = |seed, batch: usize| {
        let mut dust = Dust::new(DustConfig { seed, ..DustConfig::default() });
        for _ in 0..3 {
            for events in cracks(40, 2e-3, 0.01).chunks(batch) {
                dust.emit(&world, events);
            }
            (0..30).for_each(|_| dust.advance(&world, FRAME));
        }
        dust.specks().to_vec()
    };
    assert!(run(5, 40).len() > 200);
    assert_eq!(run(5, 40), run(5, 40));
    assert_eq!(run(5, 40), run(5, 7), "handed over in parts");
    assert_ne!(run(5, 40), run(6, 40));
}

/// The same bits on every machine: a change of them must be meant.
#[test]
fn bits_are_pinned() {
    let world = world(&[([0.0; 3], [0.1, 1.0, 0.0])]);
    let mut dust = Dust::new(DustConfig::default());
    dust.emit(&world, &cracks(40, 2e-3, 0.01));
    (0..90).for_each(|_| dust.advance(&world, FRAME));
    let mut hash = 0;
    for speck in dust.specks() {
        let bits = speck.position.map(f64::to_bits).into_iter();
        let bits = bits.chain(speck.velocity.map(|v| u64::from(v.to_bits())));
        hash = bits.chain([u64::from(speck.radius.to_bits())]).fold(hash, |h, x| mix(h ^ x));
    }
    assert_eq!(hash, 0xc1a3_f8db_5874_29f7, "{hash:#x}");
}

/// Nothing is ever below a floor, whatever its slope and the step, and in the end all chips lie.
#[test]
fn chips_come_to_rest_on_floors_and_never_go_below() {
    let floors = [
        vec![([0.0; 3], [0.0, 1.0, 0.0])],
        vec![([0.0, 0.5, 0.0], [0.3, 1.0, -0.2])],
        vec![([0.0; 3], [0.0, 1.0, 0.0]), ([-1.5, 0.0, 0.0], [1.0, 0.0, 0.0])],
    ];
    for floors in floors {
        let world = world(&floors);
        for dt in [1.0 / 15.0, FRAME, 1.0 / 240.0] {
            let mut dust = Dust::new(DustConfig::default());
            dust.emit(&world, &cracks(300, 1e-3, 1e3));
            let mut lowest = f64::INFINITY;
            for _ in 0..(6.0 / dt) as usize {
                dust.advance(&world, dt);
                for floor in floors_of(&world) {
                    for speck in dust.specks() {
                        let height = floor.height(speck.position.into());
                        lowest = lowest.min(height - f64::from(speck.radius));
                    }
                }
            }
            assert!(lowest > -1.1e-9, "{lowest} m");
            assert_eq!(count(&dust, SpeckKind::Dust), 0);
            assert!(count(&dust, SpeckKind::Chip) > 200);
            let before = dust.specks().to_vec();
            dust.advance(&world, dt);
            for (speck, before) in dust.specks().iter().zip(before) {
                assert_eq!(speck.velocity, [0.0; 3], "{speck:?}");
                assert_eq!(speck.position, before.position);
            }
        }
    }
}

/// A crack at the floor throws nothing into it.
#[test]
fn nothing_begins_below_a_floor() {
    let world = world(&[([0.0; 3], [0.0, 1.0, 0.0])]);
    let mut dust = Dust::new(roomy());
    dust.emit(&world, &[crack([0.0, 0.01, 0.0], [1.0, 0.0, 0.0], 0.5, 1.0)]);
    assert!(dust.specks().len() > 2_000);
    assert!(dust.specks().iter().all(|speck| speck.position[1] > f64::from(speck.radius) - 1.1e-9));
}

/// Beyond the angle of repose chips slide on, and never stick to walls.
#[test]
fn chips_slide_off_what_is_steep() {
    let world = world(&[([0.0; 3], [1.0, 0.5, 0.0]), ([0.0, -50.0, 0.0], [0.0, 1.0, 0.0])]);
    let mut dust = Dust::new(DustConfig::default());
    dust.emit(&world, &cracks(200, 1e-3, 1.0));
    (0..600).for_each(|_| dust.advance(&world, FRAME));
    for speck in dust.specks() {
        assert!(speck.position[1] < -49.0, "{speck:?}");
        assert_eq!(speck.velocity, [0.0; 3]);
    }
}

#[test]
fn chips_at_rest_follow_their_floor_and_fall_without_it() {
    let mut world = world(&[([0.0; 3], [0.0, 1.0, 0.0])]);
    let mut dust = Dust::new(DustConfig::default());
    dust.emit(&world, &cracks(200, 1e-3, 1.0));
    (0..300).for_each(|_| dust.advance(&world, FRAME));
    let id = world.obstacles().next().map(Obstacle::id).unwrap();
    for step in 1..=20 {
        world.move_obstacle(id, [0.0, 0.02 * f64::from(step), 0.0], Rot::IDENTITY).unwrap();
        world.step(FRAME);
        dust.advance(&world, FRAME);
    }
    for speck in dust.specks() {
        assert!((speck.position[1] - 0.4 - f64::from(speck.radius)).abs() < 1e-9, "{speck:?}");
    }
    world.remove_obstacle(id).unwrap();
    world.step(FRAME);
    (0..60).for_each(|_| dust.advance(&world, FRAME));
    assert!(dust.specks().iter().all(|speck| speck.position[1] < -3.0));
}

/// What is far behind a half-space does not touch it, for instance by its layers.
#[test]
fn floors_leave_alone_what_is_behind_them() {
    let world = world(&[([0.0, 9.0, 0.0], [0.0, 1.0, 0.0])]);
    let mut dust = Dust::new(DustConfig::default());
    dust.emit(&world, &cracks(200, 1e-3, 1.0));
    dust.advance(&world, FRAME);
    assert!(!dust.specks().is_empty());
    assert!(dust.specks().iter().all(|speck| speck.position[1] < 4.0));
}

#[test]
fn chips_fly_on_parabolas_whatever_the_step() {
    let world = world(&[]);
    let mut dust = Dust::new(roomy());
    dust.emit(&world, &cracks(50, 1e-2, 1.0));
    let mut coarse = dust.clone();
    (0..40).for_each(|_| coarse.advance(&world, 1.0 / 20.0));
    (0..480).for_each(|_| dust.advance(&world, 1.0 / 240.0));
    let is_chip = |speck: &&Speck| speck.kind == SpeckKind::Chip;
    let pairs = dust.specks().iter().filter(is_chip).zip(coarse.specks().iter().filter(is_chip));
    let way = |(a, b): (&Speck, &Speck)| DVec3::from(a.position).distance(b.position.into());
    let farthest = pairs.map(way).fold(0.0, f64::max);
    assert!(farthest < 1e-3, "{farthest} m apart after a fall of 19.6 m");
}

#[test]
fn dust_slows_down_sinks_and_fades() {
    let world = world(&[]);
    let mut dust = Dust::new(DustConfig { chips_per_area: 0.0, ..roomy() });
    dust.emit(&world, &cracks(500, 1e-2, 1e9));
    let faster = |speck: &Speck| (Vec3::from(speck.velocity) + Vec3::Y * 0.1962).length();
    let fastest = |dust: &Dust| dust.specks().iter().map(faster).fold(0.0, f32::max);
    let (start, starts) = (fastest(&dust), dust.specks().to_vec());
    let mut coarse = dust.clone();
    (0..18).for_each(|_| dust.advance(&world, FRAME));
    let after = fastest(&dust);
    println!("dust: {start} m/s relative to sinking, {after} m/s after 0.3 s");
    assert!(after < 0.06 * start, "{after} of {start} m/s after 0.3 s");
    for (speck, start) in dust.specks().iter().zip(&starts) {
        let way = DVec3::from(speck.position).distance(start.position.into());
        assert!(way < 0.45, "{way} m");
    }
    // the same in one step
    coarse.advance(&world, 0.3);
    for (a, b) in dust.specks().iter().zip(coarse.specks()) {
        assert!(DVec3::from(a.position).distance(b.position.into()) < 1e-5);
    }
    (0..99).for_each(|_| dust.advance(&world, FRAME));
    assert_eq!(dust.specks().len(), starts.len());
    let sinks = |speck: &Speck| Vec3::from(speck.velocity).distance(Vec3::Y * -0.1962) < 1e-3;
    assert!(dust.specks().iter().all(sinks));
    (0..4).for_each(|_| dust.advance(&world, FRAME));
    assert!(dust.specks().is_empty(), "dust is left after 2 s");
}

#[test]
fn odd_numbers_give_no_odd_specks() {
    let world = world(&[([0.0; 3], [0.0, 1.0, 0.0])]);
    let odd = [0.0, -1.0, f32::MIN_POSITIVE, 1e-44, f32::MAX, f32::INFINITY, f32::NAN];
    let mut dust = Dust::new(DustConfig { most: 1_000_000, ..DustConfig::default() });
    for area in odd {
        for energy in odd {
            for x in odd {
                dust.emit(&world, &[crack([f64::from(x); 3], [x; 3], 0.01, energy)]);
                dust.emit(&world, &[crack([0.0; 3], [x; 3], area, energy)]);
            }
        }
        for dt in [area, FRAME] {
            if dt < 1e30 || !dt.is_finite() {
                dust.advance(&world, dt);
            }
        }
        let bad = dust.specks().iter().find(|speck| !is_finite(speck));
        assert!(bad.is_none(), "{area} m²: {bad:?}");
    }
    assert!(!dust.specks().is_empty());
    let no_area = &[crack([0.0; 3], [0.0; 3], 0.0, 1.0)];
    let before = dust.specks().len();
    dust.emit(&world, no_area);
    assert_eq!(dust.specks().len(), before);
    for odd in [-1.0, f32::NAN, 0.0] {
        let config = DustConfig { chips_per_area: odd, dust_per_area: odd, ..roomy() };
        let mut none = Dust::new(config);
        none.emit(&world, &cracks(100, 1.0, 1.0));
        assert!(none.specks().is_empty());
    }
}

/// A chain of six that flies without gravity and is cut in the middle.
fn cut_chain(velocity: [f32; 3]) -> World {
    let point = |i: u32| OrientedPoint {
        position: [0.1 * i as f32, 0.0, 0.0],
        volume: 1e-3,
        second_moment: [1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0],
        radii: [0.05; 3],
        axes: [0.0, 0.0, 0.0, 1.0],
        material: 0,
    };
    let shape = OrientedShape {
        points: (0..6).map(point).collect(),
        bonds: vec![[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]],
        ..OrientedShape::default()
    };
    let gravity = [0.0; 3];
    let mut world = World::new(WorldConfig { gravity, ..WorldConfig::default() }).unwrap();
    let body = BodyDesc {
        name: "chain".into(),
        shape: ShapeDesc::Oriented(shape),
        materials: vec![Material::try_from(&MaterialDesc::default()).unwrap()],
        position: [0.0; 3],
        rotation: Rot::IDENTITY,
        velocity,
        spin: [0.0; 3],
        seed: 0,
        layers: Default::default(),
        pattern: None,
    };
    let id = world.spawn(body).unwrap();
    let ids = world.body(id).unwrap().particle_ids().to_vec();
    world.cut(id, ids[2], ids[3]).unwrap();
    world.step(FRAME);
    world
}

#[test]
fn specks_fly_with_the_material_of_their_crack() {
    let velocity = Vec3::new(1.0, -2.0, 30.0);
    let mut world = cut_chain(velocity.to_array());
    let events: Vec<Event> = world.events().collect();
    let mut dust = Dust::new(roomy());
    // often enough to have some, whatever the area
    (0..2_000).for_each(|_| dust.emit(&world, &events));
    assert!(dust.specks().len() > 10, "{events:?}");
    for speck in dust.specks() {
        assert!(Vec3::from(speck.velocity).distance(velocity) < 0.05, "{speck:?}");
    }
    // a step later nothing is known of that crack
    world.step(FRAME);
    let mut late = Dust::new(roomy());
    (0..2_000).for_each(|_| late.emit(&world, &events));
    assert_eq!(late.specks().len(), dust.specks().len());
    assert!(late.specks().iter().all(|speck| Vec3::from(speck.velocity).length() < 0.05));
}

#[test]
fn worlds_do_not_feel_it() {
    let (mut with, mut without) = (cut_chain([1.0; 3]), cut_chain([1.0; 3]));
    let mut dust = Dust::new(roomy());
    for _ in 0..20 {
        let mut events: Vec<Event> = with.events().collect();
        events.extend(cracks(50, 1e-2, 1.0));
        let before = with.hash();
        dust.emit(&with, &events);
        dust.advance(&with, FRAME);
        assert_eq!(with.hash(), before);
        with.step(FRAME);
        without.step(FRAME);
        assert_eq!(with.hash(), without.hash());
    }
    assert!(!dust.specks().is_empty());
}

/// Sensors are no floors.
#[test]
fn sensors_catch_nothing() {
    let mut world = world(&[]);
    let shape = Shape::half_space(Vec3::Y).unwrap();
    let sensor = ObstacleDesc { sensor: true, ..ObstacleDesc::new(shape) };
    let id = world.add_obstacle(sensor).unwrap();
    world.step(FRAME);
    assert!(world.obstacle(id).is_some() && floors_of(&world).is_empty());
}
