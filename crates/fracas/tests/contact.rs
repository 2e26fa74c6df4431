//! Contact and grips against closed forms: friction on an incline, weight of a column, reactions.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::*;
use fracas::material::MaterialDesc;
use fracas::world::{GripMotion, MoveKey, PullKey, World, WorldConfig};

const G: f64 = 9.81;
const SPACING: f32 = 0.05;
const INF: f32 = f32::INFINITY;

/// A flat block on a floor with μ = ½, gravity tilted so that the floor is an incline.
fn incline(tangent: f64) -> (World, fracas::BodyId) {
    let angle = tangent.atan();
    let gravity = [(G * angle.sin()) as f32, -(G * angle.cos()) as f32, 0.0];
    let mut world = World::new(WorldConfig { gravity, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let desc = MaterialDesc { damping_time: 0.2.into(), ..material(1.0e6) };
    let mut block = body(lattice([6, 3, 6], SPACING, 3), &desc);
    block.position = [0.0, 1.5 * f64::from(SPACING), 0.0];
    let id = world.spawn(block).unwrap();
    (world, id)
}

/// Coulomb: below tan θ = μ friction carries the whole load. What remains is creep, which must
/// not be seen: 1 mm in a second.
#[test]
fn block_sticks_below_the_angle_of_friction() {
    for tangent in [0.45, 0.49] {
        let (mut world, id) = incline(tangent);
        for _ in 0..60 {
            world.step(FRAME);
        }
        let before = centre_of_mass(world.body(id).unwrap());
        for _ in 0..60 {
            world.step(FRAME);
        }
        let after = centre_of_mass(world.body(id).unwrap());
        let creep = (after[0] - before[0]).hypot(after[2] - before[2]);
        assert!(creep < 1e-3, "tan {tangent}: crept {creep} m in a second, allowed 1e-3");
    }
}

/// Coulomb: above it the block slides with a = g (sin θ − μ cos θ).
#[test]
fn block_slides_above_the_angle_of_friction_with_the_right_acceleration() {
    for tangent in [0.6, 0.8] {
        let (mut world, id) = incline(tangent);
        let mass = world.body(id).unwrap().mass();
        let speed = |world: &mut World, steps| {
            let mut last = 0.0;
            for _ in 0..steps {
                last = world.step(FRAME).momentum[0] / mass;
            }
            last
        };
        let (v0, v1) = (speed(&mut world, 30), speed(&mut world, 30));
        let angle = f64::atan(tangent);
        let expected = G * (angle.sin() - 0.5 * angle.cos());
        let found = (v1 - v0) / 0.5;
        let error = found / expected - 1.0;
        assert!(error.abs() < 0.02, "tan {tangent}: a = {found}, expected {expected} ± 2 %");
    }
}

/// Mean height of every layer of a lattice whose rest y has `count` values.
fn layers(world: &World, id: fracas::BodyId, count: usize) -> Vec<f64> {
    let body = world.body(id).unwrap();
    let mut sums = vec![(0.0, 0.0); count];
    for (x, rest) in body.world_positions().zip(body.rest_positions()) {
        let layer = (rest[1] / SPACING + 0.5 * (count as f32 - 1.0)).round() as usize;
        sums[layer].0 += x[1];
        sums[layer].1 += 1.0;
    }
    sums.into_iter().map(|(sum, n)| sum / n).collect()
}

/// Strain between neighbouring layers.
fn strains(heights: &[f64]) -> Vec<f64> {
    heights.windows(2).map(|pair| (pair[1] - pair[0]) / f64::from(SPACING) - 1.0).collect()
}

/// Straight line through (i, values[i]): intercept and slope.
fn line(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mid = 0.5 * (n - 1.0);
    let mean = values.iter().sum::<f64>() / n;
    let (mut up, mut down) = (0.0, 0.0);
    for (i, v) in values.iter().enumerate() {
        up += (i as f64 - mid) * (v - mean);
        down += (i as f64 - mid).powi(2);
    }
    (mean - up / down * mid, up / down)
}

/// Twelve layers standing on the floor or hung by the uppermost, after two seconds of damped rest.
fn loaded_column(substeps: u32, hung: bool) -> (World, fracas::BodyId, f64) {
    let config = WorldConfig { substeps, settle: 0.3, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let desc = MaterialDesc { damping_time: 0.05.into(), ..material(3.0e5) };
    let mut column = body(lattice([4, 12, 4], SPACING, 3), &desc);
    column.position = [0.0, 6.0 * f64::from(SPACING), 0.0];
    let id = world.spawn(column).unwrap();
    if hung {
        let top = [-INF, 5.4 * SPACING, -INF];
        world.grip(grip_box(id, top, [INF; 3], GripMotion::Hold)).unwrap();
    } else {
        world.add_half_space(floor()).unwrap();
    }
    let mut reached = 1.0;
    for _ in 0..150 {
        reached = world.step(FRAME).stiffness_reached;
    }
    (world, id, 3.0e5 * f64::from(reached))
}

/// Statics: the floor carries the weight, so the strain falls from ρ g H / E at the floor to 0 at
/// the top, for every number of substeps. Groups reach over two layers and see the end of the
/// body one layer early, so the line is fitted to the inner gaps. The stiffness is the one that
/// the report says was reached.
#[test]
fn column_on_the_floor_is_strained_by_its_weight() {
    for substeps in [1, 2, 8] {
        let (world, id, modulus) = loaded_column(substeps, false);
        let all = strains(&layers(&world, id, 12));
        let (first, slope) = line(&all[1..10]);
        // gap i (between layers i and i+1) carries 11 − i layers; the floor lies half a layer
        // below layer 0, a whole gap below gap 0's middle
        let per_layer = 1000.0 * G * f64::from(SPACING) / modulus;
        let at_floor = -(first - 2.0 * slope);
        let expected = 12.0 * per_layer;
        let error = at_floor / expected - 1.0;
        assert!(
            error.abs() < 0.02,
            "{substeps} substeps: strain {at_floor} at the floor, expected {expected} ± 2 %"
        );
    }
}

/// The same upside down: a hung bar is stretched most where it is held.
#[test]
fn hung_bar_is_strained_by_its_weight() {
    for substeps in [1, 2, 8] {
        let (world, id, modulus) = loaded_column(substeps, true);
        let all = strains(&layers(&world, id, 12));
        let (first, slope) = line(&all[1..10]);
        let per_layer = 1000.0 * G * f64::from(SPACING) / modulus;
        // the held layer carries itself: its middle carries 11.5 layers, gap 10 carries 11
        let at_top = first + 9.0 * slope;
        let expected = 11.0 * per_layer;
        let error = at_top / expected - 1.0;
        assert!(
            error.abs() < 0.02,
            "{substeps} substeps: strain {at_top} at the top, expected {expected} ± 2 %"
        );
    }
}

/// Balance of forces: what holds a hanging bar at rest is its weight.
#[test]
fn reaction_of_a_hanging_bar_is_its_weight() {
    let mut world = World::new(WorldConfig { settle: 0.3, ..WorldConfig::default() }).unwrap();
    let desc = MaterialDesc { damping_time: 0.05.into(), ..material(3.0e5) };
    let id = world.spawn(body(lattice([3, 8, 3], SPACING, 3), &desc)).unwrap();
    let top = [-INF, 3.4 * SPACING, -INF];
    let grip = world.grip(grip_box(id, top, [INF; 3], GripMotion::Hold)).unwrap();
    for _ in 0..150 {
        world.step(FRAME);
    }
    let force = world.reaction(grip).unwrap().force;
    let weight = world.body(id).unwrap().mass() * G;
    let off = ((force[1] - weight).powi(2) + force[0].powi(2) + force[2].powi(2)).sqrt();
    assert!(off < 5e-3 * weight, "the grip carries {force:?} N, the bar weighs {weight} N");
}

/// Balance of torques: a bar held at one end is turned by its weight at its centre of mass.
#[test]
fn reaction_torque_of_a_cantilever_is_that_of_its_weight() {
    let mut world = World::new(WorldConfig { settle: 0.3, ..WorldConfig::default() }).unwrap();
    let desc = MaterialDesc { damping_time: 0.05.into(), ..material(3.0e5) };
    let id = world.spawn(body(lattice([8, 3, 3], SPACING, 3), &desc)).unwrap();
    let end = [-3.4 * SPACING, INF, INF];
    let grip = world.grip(grip_box(id, [-INF; 3], end, GripMotion::Hold)).unwrap();
    for _ in 0..240 {
        world.step(FRAME);
    }
    let reaction = world.reaction(grip).unwrap();
    let body = world.body(id).unwrap();
    let arm = centre_of_mass(body)[0] + 3.5 * f64::from(SPACING);
    // −(c − pivot) × (0, −W, 0) has z = arm W
    let expected = arm * body.mass() * G;
    let [x, y, z] = reaction.torque;
    let off = (x * x + y * y + (z - expected).powi(2)).sqrt();
    assert!(off < 5e-3 * expected, "torque {:?} N m, expected {expected} about z", [x, y, z]);
}

/// Newton: a free body gains F t / M whichever of its particles are pulled, and no more turns
/// than the torque gives: J ω = τ t, here of a cube pulled as a whole.
#[test]
fn pulled_free_body_accelerates_by_force_over_mass() {
    for all in [true, false] {
        let mut world = World::new(weightless()).unwrap();
        let id = world.spawn(body(lattice([4, 4, 4], SPACING, 3), &material(1.0e6))).unwrap();
        let force = [3.0, -2.0, 1.0];
        let torque = if all { [0.0, 0.01, 0.0] } else { [0.0; 3] };
        let keys = vec![PullKey { time: 0.0, force, torque }];
        let min = if all { [-INF; 3] } else { [0.06; 3] };
        world.grip(grip_box(id, min, [INF; 3], GripMotion::Pull { keys })).unwrap();
        let mut report = world.step(FRAME);
        for _ in 1..30 {
            report = world.step(FRAME);
        }
        for k in 0..3 {
            let expected = f64::from(force[k]) * report.time;
            let found = report.momentum[k];
            let size = 3.75 * report.time;
            assert!((found - expected).abs() < 1e-4 * size, "P[{k}] = {found}, F t = {expected}");
        }
        if all {
            let (found, expected) = (report.angular_momentum[1], 0.01 * report.time);
            assert!((found / expected - 1.0).abs() < 1e-3, "L = {found}, τ t = {expected}");
        }
    }
}

/// Work and energy: a slow twist of one end is stored. What the grip's torque does, summed by the
/// trapezoid rule over 120 steps, is what the books say, and is the elastic energy up to what the
/// integrator takes.
#[test]
fn work_of_a_twisting_grip_is_stored() {
    let mut world = World::new(WorldConfig { books: true, ..weightless() }).unwrap();
    let desc = MaterialDesc { damping_time: 0.2.into(), ..material(3.0e5) };
    let id = world.spawn(body(lattice([3, 8, 3], SPACING, 3), &desc)).unwrap();
    let low = [INF, -3.4 * SPACING, INF];
    world.grip(grip_box(id, [-INF; 3], low, GripMotion::Hold)).unwrap();
    let (time, angle) = (2.0, 0.5f32);
    let keys = vec![MoveKey::default(), MoveKey { time, offset: [0.0; 3], angle }];
    let axis = [0.0, 1.0, 0.0];
    let twist = GripMotion::Move { pivot: [0.0; 3], axis, keys };
    let high = [-INF, 3.4 * SPACING, -INF];
    let grip = world.grip(grip_box(id, high, [INF; 3], twist)).unwrap();
    let (mut work, mut before) = (0.0, 0.0);
    let mut report = fracas::StepReport::default();
    for _ in 0..120 {
        report = world.step(FRAME);
        let torque = world.reaction(grip).unwrap().torque[1];
        work += 0.5 * (before + torque) * f64::from(angle) / 120.0;
        before = torque;
    }
    let e = report.energy;
    // the trapezoid rule meets steps that end in the middle of ripples of a percent
    assert!(
        (work / e.external_work - 1.0).abs() < 0.02,
        "∫ τ dθ = {work}, booked {}",
        e.external_work
    );
    let stored = e.elastic / e.external_work;
    assert!((stored - 1.0).abs() < 0.02, "stored {} J of {} J", e.elastic, e.external_work);
}

/// The axis of a turn is a direction: its length must not change the angle.
#[test]
fn axis_of_a_grip_need_not_be_of_unit_length() {
    let turned_by = |length: f32| {
        let mut world = World::new(weightless()).unwrap();
        let id = world.spawn(body(lattice([3, 3, 3], SPACING, 3), &material(1.0e6))).unwrap();
        let keys = vec![MoveKey { time: 0.0, offset: [0.0; 3], angle: 0.5 }];
        let twist = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, length, 0.0], keys };
        world.grip(grip_box(id, [-INF; 3], [INF; 3], twist)).unwrap();
        world.step(FRAME);
        let body = world.body(id).unwrap();
        let [x, y, z, w] = body.orientations(&body.pieces()[0])[0];
        2.0 * (x * x + y * y + z * z).sqrt().atan2(w)
    };
    for length in [1.0, 2.0, 0.1, 100.0] {
        let angle = turned_by(length);
        assert!((angle - 0.5).abs() < 1e-5, "axis of length {length}: turned {angle} for 0.5 rad");
    }
}

/// A block dropped from a metre arrives with 4.4 m/s, 18 mm per substep, and must be stopped at
/// the surface: inside the solve, not a substep later.
#[test]
fn block_dropped_from_a_metre_goes_no_deeper_than_two_millimetres() {
    for (modulus, rotation) in [(1.0e5, 0.0), (1.0e6, 0.6), (1.0e8, 0.3)] {
        let mut world = World::new(WorldConfig::default()).unwrap();
        world.add_half_space(floor()).unwrap();
        let mut block = body(lattice([4, 4, 4], SPACING, 3), &material(modulus));
        block.position = [0.0, 1.1, 0.0];
        block.rotation = fracas::math::Rot::from_axis_angle([1.0, 0.3, 0.2].into(), rotation);
        world.spawn(block).unwrap();
        let mut deepest: f32 = 0.0;
        for _ in 0..120 {
            deepest = deepest.max(world.step(FRAME).max_penetration);
        }
        assert!(deepest < 2e-3, "E = {modulus:e}: {deepest} m deep, allowed 2e-3");
    }
}
