//! Sheets: stretch, bending and tears against closed forms and conservation.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::FRAME;
use common::sheet_figures::{self as figures, PAPER};
use common::sheets::{STIFF, Stuff, body, config, grid, pull, rectangle, rows_one_way};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::math::Rot;
use fracas::solids::sheet::{Criterion, SheetShape, TipTest};
use fracas::world::{
    BodyDesc, BodyId, CommandError, GripDesc, GripMotion, HalfSpaceDesc, Region, ShapeDesc,
};
use fracas::{World, WorldConfig};

#[test]
fn a_strip_has_the_modulus_and_the_poisson_ratio_of_its_material() {
    let [modulus, poisson] = figures::pulled_strip();
    println!("E {modulus}, ν {poisson}");
    assert!((modulus - 1.0).abs() < 0.01, "E is {modulus} of that asked for");
    assert!((poisson - 1.0).abs() < 0.01, "ν is {poisson} of that asked for");
}

#[test]
fn a_sheet_that_sticks_out_hangs_like_the_elastica() {
    let share = figures::sticking_out();
    println!("drop {share}");
    assert!((share - 1.0).abs() < 0.05, "drop is {share} of that of the elastica");
}

/// Straight across the pull, at the same load, in two pieces, with all of its mass and area, for rows of triangles and for shaken ones.
#[test]
fn a_notched_strip_tears_straight_whatever_its_mesh() {
    let mut forces = Vec::new();
    for (turn, shaken) in [(0.0, 0.0), (20.0, 0.0), (50.0, 0.0), (0.0, 0.5), (70.0, 0.5)] {
        let tear = figures::notched_strip(turn, shaken, 1);
        println!("{turn}° {shaken}: {tear:?}");
        assert!(tear.angle.abs() < 2.0, "it runs {}° off", tear.angle);
        assert!(tear.roughness < 0.1, "it is {} edges rough", tear.roughness);
        assert_eq!(tear.pieces, 2);
        assert!(tear.triangles < 1.02, "{} times the triangles", tear.triangles);
        let [mass, area] = tear.kept;
        assert!(mass.abs() < 1e-7, "mass changed by {mass}");
        assert!(area.abs() < 1e-6, "area changed by {area}");
        forces.push(tear.force);
    }
    let least = forces.iter().copied().fold(f64::INFINITY, f64::min);
    let most = forces.iter().copied().fold(0.0, f64::max);
    assert!(most / least < 1.05, "it tears at {least} N to {most} N");
}

/// K_I = σ √(πa sec(πa/W)) of a crack that is long against the disc, K_II = 0; slanted by 15° it would turn by 26.7°.
#[test]
fn a_crack_in_the_middle_has_the_intensity_of_theory() {
    let crack = figures::centre_crack(12.0, 90.0, 0.0);
    println!("{crack:?}");
    for [one, two] in &crack.intensity {
        let share = one / crack.width;
        assert!((share - 1.0).abs() < 0.03, "K_I is {share} of theory");
        assert!(two.abs() < 0.06 * one, "K_II is {two} beside {one}");
    }
    for release in &crack.release {
        let share = release / crack.width;
        // triangles are too stiff to set free all of it: 3 % less
        assert!((share - 1.0).abs() < 0.05, "√(E G) is {share} of K_I of theory");
    }
    let crack = figures::centre_crack(12.0, 75.0, 30.0);
    println!("{crack:?} {:?}", crack.kinks());
    for kink in crack.kinks() {
        assert!((kink.abs() - 26.7).abs() < 5.0, "it would turn by {kink}°");
    }
}

/// The interaction integral, which knows no constant of a disc: K_I of a straight crack, and how far a slanted one would turn on any rows.
#[test]
fn the_integral_tells_the_intensity_of_theory() {
    let crack = figures::centre_crack_by(TipTest::Integral, 12.0, 90.0, 0.0);
    println!("{crack:?}");
    for [one, two] in &crack.intensity {
        let share = one / crack.width;
        assert!((share - 1.0).abs() < 0.03, "K_I is {share} of theory");
        assert!(two.abs() < 0.03 * one, "K_II is {two} beside {one}");
    }
    for turn in [0.0, 30.0, 60.0] {
        let crack = figures::centre_crack_by(TipTest::Integral, 12.0, 75.0, turn);
        println!("{turn}°: {crack:?} {:?}", crack.kinks());
        for kink in crack.kinks() {
            assert!((kink.abs() - 26.7).abs() < 5.0, "it would turn by {kink}°");
        }
    }
}

/// Under an even pull the stress criterion holds to the strength; what the separation tensor holds to depends on how triangles lie.
#[test]
fn a_strip_begins_to_tear_at_its_strength() {
    for (turn, shaken) in [(0.0, 0.0), (45.0, 0.0), (20.0, 0.4)] {
        let [stress, separation] = [Criterion::Stress, Criterion::Separation]
            .map(|criterion| figures::first_crack(criterion, turn, shaken));
        println!("{turn}° {shaken}: stress {stress}, separation {separation}");
        assert!((stress - 1.0).abs() < 0.03, "it tears at {stress} of its strength");
        assert!((0.4..1.3).contains(&separation), "it tears at {separation} of its strength");
    }
}

/// A tear turns along the weave, to the side where that runs.
#[test]
fn a_tear_follows_the_weave() {
    for weave in [30.0, -30.0] {
        let angle = figures::woven_strip(0.2, weave);
        println!("weave at {weave}°: tear at {angle}°");
        assert!((angle / weave - 1.0).abs() < 0.5, "woven at {weave}°, torn at {angle}°");
    }
}

/// Legs that are drawn up and down tear along the line between them: at the fold edges that are in the way are divided. It ran 81° off when they
/// were not, and at thousands of times the force when the tear waited for a solve to a hundredth, however small the forces that this left.
#[test]
fn trousers_tear_along_their_line() {
    let tear = figures::trousers(16);
    println!("{tear:?}");
    assert!(tear.opened >= 10, "{} edges torn", tear.opened);
    assert!(tear.angle.abs() < 10.0, "it runs {}° off", tear.angle);
    assert!(tear.force < 20.0, "it takes {} times G_c t/2", tear.force);
}

#[test]
fn the_same_tear_on_any_number_of_threads() {
    let hashes = [1, 2, 3].map(|threads| figures::notched_strip(10.0, 0.4, threads).hash);
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:?}");
}

fn torn_strip() -> (World, BodyId) {
    let mut shape = rectangle([0.1, 0.15], 0.1 / 20.0, 15.0, 0.4);
    shape.cuts = vec![[[-0.05, 0.0], [-0.025, 0.0]]];
    let mut world = World::new(config(-9.81)).unwrap();
    let id = world.spawn(body(shape, PAPER)).unwrap();
    pull(&mut world, id, [-1.0, -0.075 + 1e-5], 0.0);
    pull(&mut world, id, [0.075 - 1e-5, 1.0], 0.02);
    (world, id)
}

/// Saved while the crack runs, a world goes on with the same bits.
#[test]
fn a_snapshot_of_a_tear_goes_on_alike() {
    let (mut world, id) = torn_strip();
    let mut torn = 0;
    for _ in 0..200 {
        world.step(FRAME);
        torn += world.body(id).unwrap().changes().opened.len();
        if torn > 4 {
            break;
        }
    }
    assert!(torn > 4 && world.body(id).unwrap().pieces().len() == 1, "{torn} edges torn");
    let mut other = World::load(&world.save(), 1).unwrap();
    assert_eq!(world.hash(), other.hash());
    for frame in 0..60 {
        world.step(FRAME);
        other.step(FRAME);
        assert_eq!(world.hash(), other.hash(), "frame {frame}");
    }
    world.body(id).unwrap().validate();
    assert_eq!(world.body(id).unwrap().pieces().len(), 2);
}

/// The same of a cloth that hangs from one side and swings, soft enough to begin every substep with what pulled it before; on two threads.
#[test]
fn a_snapshot_of_a_swinging_cloth_goes_on_alike() {
    let heavy = Stuff { density: 8000.0, bending: 1e-4, ..CLOTH };
    let mut world = World::new(config(-9.81)).unwrap();
    let id = world.spawn(body(grid([40, 40], 0.05), heavy)).unwrap();
    pull(&mut world, id, [0.99, 2.0], 0.0);
    for _ in 0..20 {
        world.step(FRAME);
    }
    let mut other = World::load(&world.save(), 2).unwrap();
    assert_eq!(world.hash(), other.hash());
    for frame in 0..10 {
        world.step(FRAME);
        other.step(FRAME);
        assert_eq!(world.hash(), other.hash(), "frame {frame}");
    }
}

/// A free sheet that flies apart by its spin keeps momentum and angular momentum.
#[test]
fn momentum_stays_while_a_sheet_tears() {
    let stuff = Stuff { strength: 2e4, toughness: 1e3, modulus: 1e7, ..STIFF };
    let mut world = World::new(config(0.0)).unwrap();
    let desc = body(rectangle([0.3, 0.3], 0.02, 10.0, 0.3), stuff);
    let desc = BodyDesc { velocity: [0.3, 0.2, -0.1], spin: [0.0, 60.0, 0.0], ..desc };
    let id = world.spawn(desc).unwrap();
    let momentum = |world: &World| {
        let body = world.body(id).unwrap();
        let velocities = body.pieces().iter().flat_map(|piece| body.velocities(piece));
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        let all = body.masses().iter().zip(velocities).zip(body.world_positions());
        for ((&mass, &velocity), x) in all {
            let p = f64::from(mass) * Vec3::from(velocity).as_dvec3();
            linear += p;
            angular += DVec3::from(x).cross(p);
        }
        (linear, angular)
    };
    let before = momentum(&world);
    let mut torn = 0;
    for _ in 0..60 {
        world.step(FRAME);
        let body = world.body(id).unwrap();
        body.validate();
        torn += body.changes().opened.len();
    }
    let after = momentum(&world);
    let pieces = world.body(id).unwrap().pieces().len();
    println!("{torn} edges, {pieces} pieces, {before:?} {after:?}");
    assert!(torn > 0, "nothing tore");
    let (p, l) = (after.0.distance(before.0), after.1.distance(before.1));
    assert!(p < 1e-4 * before.0.length(), "momentum changed by {p}");
    assert!(l < 1e-3 * before.1.length(), "angular momentum changed by {l}");
}

const CLOTH: Stuff = Stuff {
    density: 300.0,
    modulus: 1e6,
    poisson: 0.3,
    thickness: 1e-3,
    bending: 1e-6,
    strength: f32::INFINITY,
    toughness: f32::INFINITY,
};

fn heights(world: &World, id: BodyId) -> Vec<[f64; 3]> {
    world.body(id).unwrap().world_positions().collect()
}

fn floor(world: &mut World) {
    world.add_half_space(HalfSpaceDesc::default()).unwrap();
}

/// One cloth on the floor, another on that: both lie still, the second above the first.
#[test]
fn cloths_come_to_lie_on_each_other() {
    cloths_lie_on_each_other(|| grid([12, 12], 0.02));
}

/// The same where all diagonals are one way.
#[test]
fn cloths_divided_one_way_come_to_lie_on_each_other() {
    cloths_lie_on_each_other(|| rows_one_way([12, 12], 0.02));
}

fn cloths_lie_on_each_other(shape: impl Fn() -> SheetShape) {
    let mut world = World::new(config(-9.81)).unwrap();
    floor(&mut world);
    let drop = |height: f64| BodyDesc { position: [0.0, height, 0.0], ..body(shape(), CLOTH) };
    let low = world.spawn(drop(0.02)).unwrap();
    let turned = Rot::exp(Vec3::new(0.0, 0.4, 0.0));
    let high = world.spawn(BodyDesc { rotation: turned, ..drop(0.06) }).unwrap();
    for _ in 0..180 {
        world.step(FRAME);
    }
    let (a, b) = (heights(&world, low), heights(&world, high));
    let bounds = |x: &[[f64; 3]]| {
        let y = x.iter().map(|x| x[1]);
        (y.clone().fold(f64::INFINITY, f64::min), y.fold(0.0, f64::max))
    };
    println!("low {:?} high {:?}", bounds(&a), bounds(&b));
    assert!(bounds(&a).0 > -1e-3 && bounds(&a).1 < 0.01, "the first: {:?}", bounds(&a));
    assert!(bounds(&b).0 > -1e-3 && bounds(&b).1 < 0.02, "the second: {:?}", bounds(&b));
    let mean = |x: &[[f64; 3]]| x.iter().map(|x| x[1]).sum::<f64>() / x.len() as f64;
    assert!(mean(&b) > mean(&a), "{} m is not above {} m", mean(&b), mean(&a));
}

/// The lowest place, above or below the cloth, of a ball of 0.26 kg that comes down on a cloth of 48 g held at its border, with this speed, in m/s.
fn lowest_of_ball(speed: f32, substeps: u32) -> f64 {
    let stuff = Stuff { modulus: 1e7, ..CLOTH };
    let mut world = World::new(WorldConfig { substeps, ..config(-9.81) }).unwrap();
    let id = world.spawn(body(grid([16, 16], 0.025), stuff)).unwrap();
    for (axis, sign) in [(0, 1.0f32), (0, -1.0), (2, 1.0), (2, -1.0)] {
        let (mut min, mut max) = ([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
        if sign > 0.0 {
            min[axis] = 0.199;
        } else {
            max[axis] = -0.199;
        }
        let (region, motion) = (Region::Box { min, max }, GripMotion::Hold);
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    }
    let ball = ShapeDesc::rigid(Shape::sphere(0.05).unwrap());
    let stone = Stuff { density: 500.0, ..CLOTH };
    let mut desc = BodyDesc::new("ball", ball, vec![stone.material()]);
    desc.position = [0.01, 0.15, 0.02];
    desc.velocity = [0.0, -speed, 0.0];
    let ball = world.spawn(desc).unwrap();
    let mut lowest = f64::INFINITY;
    for _ in 0..120 {
        world.step(FRAME);
        let [x, y, z] = heights(&world, ball)[0];
        // thrown up it may come down beside the cloth
        if x.abs().max(z.abs()) < 0.2 {
            lowest = lowest.min(y);
        }
    }
    println!("{speed} m/s: lowest {lowest} m");
    lowest
}

/// A ball that falls on a cloth held at its border is caught.
#[test]
fn a_held_cloth_catches_a_ball() {
    let lowest = lowest_of_ball(0.0, 4);
    assert!(lowest > -0.05, "the ball falls through to {lowest} m");
}

#[test]
fn a_held_cloth_catches_a_fast_ball() {
    let lowest = lowest_of_ball(10.0, 4);
    assert!(lowest > -0.2, "the ball falls through to {lowest} m");
}

#[test]
#[ignore = "open: at two substeps, in each of which it goes by its own size, the ball goes through the cloth, see docs/open.md; run with --include-ignored"]
fn a_held_cloth_catches_a_ball_in_large_steps() {
    for (speed, substeps) in [(12.0, 2), (20.0, 2)] {
        let lowest = lowest_of_ball(speed, substeps);
        assert!(lowest > -0.2, "at {speed} m/s the ball falls through to {lowest} m");
    }
}

/// A strip that falls upright on the floor folds up and lies there, and nowhere goes through itself.
#[test]
fn a_falling_strip_folds_and_does_not_cross_itself() {
    let mut world = World::new(WorldConfig { substeps: 2, ..config(-9.81) }).unwrap();
    floor(&mut world);
    let upright = Rot::exp(Vec3::new(0.05, 0.0, 1.5));
    // folds of some 7 cm, which triangles of 2 cm can show
    let strip = body(grid([24, 6], 0.02), Stuff { bending: 1e-3, ..CLOTH });
    let desc = BodyDesc { position: [0.0, 0.27, 0.0], rotation: upright, ..strip };
    let id = world.spawn(desc).unwrap();
    let mut worst = 0;
    for frame in 0..180 {
        world.step(FRAME);
        if frame % 10 == 0 {
            worst = worst.max(figures::crossings(&world, id));
        }
    }
    let high = heights(&world, id).into_iter().map(|x| x[1]).fold(0.0, f64::max);
    let last = figures::crossings(&world, id);
    println!("{worst} crossings at worst, {last} in the end, {high} m high");
    assert_eq!(last, 0, "edges go through triangles");
    assert!(high < 0.2, "it stands {high} m high");
}

/// A sheet hung over a ball stays outside of it.
#[test]
fn a_cloth_drapes_over_a_ball() {
    let mut world = World::new(config(-9.81)).unwrap();
    floor(&mut world);
    let ball = ShapeDesc::rigid(Shape::sphere(0.1).unwrap());
    let stone = Stuff { density: 5000.0, ..CLOTH };
    let mut desc = BodyDesc::new("ball", ball, vec![stone.material()]);
    desc.position = [0.0, 0.1, 0.0];
    let ball = world.spawn(desc).unwrap();
    let cloth = BodyDesc { position: [0.02, 0.23, 0.01], ..body(grid([20, 20], 0.02), CLOTH) };
    let id = world.spawn(cloth).unwrap();
    for _ in 0..240 {
        world.step(FRAME);
    }
    let middle = DVec3::from(heights(&world, ball)[0]);
    let near = heights(&world, id).into_iter().map(|x| DVec3::from(x).distance(middle));
    let nearest = near.fold(f64::INFINITY, f64::min);
    let lowest = heights(&world, id).into_iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    println!("nearest {nearest}, lowest {lowest}");
    assert!(nearest > 0.098, "{nearest} m from the middle of the ball");
    assert!(lowest > -1e-3 && lowest < 0.12, "the border hangs at {lowest} m");
}

/// Every wrong shape says what is wrong with it, and where.
#[test]
fn wrong_shapes_are_refused_with_the_place() {
    let good = || grid([2, 2], 0.1);
    let refused = |shape: SheetShape| {
        let mut world = World::new(config(0.0)).unwrap();
        match world.spawn(body(shape, STIFF)) {
            Err(CommandError::BadShape { what, .. }) => what,
            other => panic!("not refused: {other:?}"),
        }
    };
    assert_eq!(refused(SheetShape::default()), "it has no triangles");
    let mut shape = good();
    shape.vertices[3][1] = f32::NAN;
    assert_eq!(refused(shape), "vertex 3 is at no finite place");
    let mut shape = good();
    shape.triangles[2].swap(0, 1);
    assert!(refused(shape).contains("has not one triangle on either side"));
    let mut shape = good();
    shape.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(refused(shape).starts_with("triangle 0 has area -0.005"));
    let mut shape = good();
    shape.vertices.push([1.0, 1.0]);
    assert_eq!(refused(shape), "vertex 9 has no triangle");
    let mut shape = good();
    shape.triangles[0][1] = 99;
    assert_eq!(refused(shape), "triangle 0 has not three corners that exist");
    let mut shape = good();
    shape.cuts = vec![[[3.0, 0.0], [4.0, 0.0]]];
    assert!(refused(shape).starts_with("cut 0 begins outside"));
}

/// The tear begins at the hand and runs until its ends stand what is left: a tip that the mesh refuses does not hold up the others.
/// When it did, some twenty cracks of two edges or so were left, loaded up to 29 times beyond the toughness.
#[test]
fn a_sheet_tears_where_it_is_dragged() {
    let tear = figures::dragged_sheet(240);
    println!("{tear:?}");
    assert!(tear.opened > 20, "{} edges opened", tear.opened);
    assert!(tear.tips <= 4, "{} ends of cracks are left", tear.tips);
    assert!(tear.overload < 1.0, "a tip is left at {} of the toughness", tear.overload);
}

/// What yields carries σ_Y + H α and keeps the stretch by which it has flowed.
#[test]
fn a_strip_yields_and_hardens() {
    for hardening in [0.0, 2e6] {
        let [stress, left] = figures::yielding_strip(hardening);
        println!("H {hardening}: stress {stress}, left {left}");
        assert!((stress - 1.0).abs() < 0.03, "it carries {stress} of σ_Y + H α");
        assert!((left - 1.0).abs() < 0.05, "{left} of its flow is left");
    }
}

/// The wind presses on a sheet's area, ½ ρ c u² A, and does nothing along it.
#[test]
fn wind_presses_on_the_area_of_a_sheet() {
    let [across, along] = figures::blown();
    println!("across {across}, along {along}");
    assert!((across - 1.0).abs() < 0.01, "{across} of ½ ρ c u²");
    assert!(along < 1e-6, "{along} m/s from wind along it");
}

/// Held at its border it sags like Navier's plate, bent along both sides and twisted at the corners, whichever way its squares are divided.
/// Where diagonals alternate it sagged by 0.60 of that: bending stored 2.9 times the energy of twist.
#[test]
fn a_plate_of_steel_sags_as_theory_says() {
    for one_way in [true, false] {
        let [sag, up] = figures::steel_foil(one_way);
        println!("one way {one_way}: sag {sag}, energy up {up}");
        assert!((sag - 1.0).abs() < 0.02, "it sags by {sag} of theory");
        assert!(up < 1e-3, "its energy rises by {up} of what its weight does");
    }
}
