//! Grips that pull by a spring: statics, any stiffness, energy, threads, errors.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, body, floor, grip_box, lattice, material, weightless};
use fracas::contact::shape::Shape;
use fracas::material::{Material, MaterialDesc};
use fracas::world::{BodyDesc, CommandError, GripMotion, ShapeDesc, World, WorldConfig};
use fracas::{BodyId, GripId};

const INF: f32 = f32::INFINITY;
const SPACING: f32 = 0.05;
const G: f64 = 9.81;

/// Critically damped at 3 Hz for a mass, in kg.
fn spring(target: [f64; 3], mass: f64) -> GripMotion {
    let rate = 2.0 * std::f64::consts::PI * 3.0;
    let (stiffness, damping) = ((mass * rate * rate) as f32, (2.0 * mass * rate) as f32);
    GripMotion::Spring { target, stiffness, damping }
}

/// Mass of the block, in kg.
const MASS: f64 = 15.625;
/// Particles that are held: all, the upper layer, the middle of the upper side.
const ALL: [f32; 3] = [-INF; 3];
const LAYER: [f32; 3] = [-INF, 0.06, -INF];
const ONE: [f32; 3] = [-0.01, 0.06, -0.01];

/// A block of 5 × 5 × 5, held by some of its particles.
fn hung(config: WorldConfig, min: [f32; 3], motion: GripMotion) -> (World, BodyId, GripId) {
    let mut world = World::new(config).unwrap();
    let stiff = MaterialDesc { damping_time: 0.1.into(), ..material(1e6) };
    let id = world.spawn(body(lattice([5, 5, 5], SPACING, 3), &stiff)).unwrap();
    let max = if min == ONE { [0.01, INF, 0.01] } else { [INF; 3] };
    let grip = world.grip(grip_box(id, min, max, motion)).unwrap();
    (world, id, grip)
}

fn step(world: &mut World, frames: usize) {
    for _ in 0..frames {
        world.step(FRAME);
    }
}

/// One particle of 125, a layer, the whole block: the spring feels what hangs on them, not what they weigh.
#[test]
fn a_hung_body_settles_at_its_weight_over_the_stiffness() {
    // straight above: what hangs by one side would swing
    let target = [0.0, 0.5, 0.0];
    for substeps in [2, 4, 16] {
        for held in [ALL, LAYER, ONE] {
            let config = WorldConfig { substeps, ..WorldConfig::default() };
            let (mut world, id, grip) = hung(config, held, spring(target, MASS));
            step(&mut world, 180);
            let (mass, centre) = (world.body(id).unwrap().mass(), world.grip_centre(grip).unwrap());
            let rate = 2.0 * std::f64::consts::PI * 3.0;
            let (sag, expected) = (target[1] - centre[1], mass / MASS * G / (rate * rate));
            let of = format!("{substeps} substeps, held above {held:?}");
            assert!((sag / expected - 1.0).abs() < 0.01, "{of}: {sag} m for {expected} m");
            let [x, y, z] = world.reaction(grip).unwrap().force;
            let beside = (x * x + z * z).sqrt();
            assert!((y / (mass * G) - 1.0).abs() < 0.01 && beside < 0.01 * y, "{of}: {y} N");
        }
    }
}

/// The point pulled at comes to the target and stays there, however stiff and damped the spring, also where one particle of
/// 125 is held.
#[test]
fn no_spring_is_too_stiff() {
    let target = [0.1, 0.2, 0.0];
    for (stiffness, damping) in [(1e7, 0.0), (1e7, 1e5), (1e12, 1e12), (1e38, 0.0), (1e38, 1e38)] {
        for held in [ALL, LAYER, ONE] {
            let motion = GripMotion::Spring { target, stiffness, damping };
            let (mut world, _, grip) = hung(WorldConfig::default(), held, motion);
            let mut fastest = 0.0_f32;
            for _ in 0..240 {
                let report = world.step(FRAME);
                assert_eq!(report.quarantined, 0);
                fastest = fastest.max(report.max_speed);
            }
            let of = format!("k = {stiffness:e}, b = {damping:e}, held above {held:?}");
            let centre = world.grip_centre(grip).unwrap();
            let off = (0..3).map(|k| (centre[k] - target[k]).powi(2)).sum::<f64>().sqrt();
            // a damper of 1e12 with a spring of 1e12 needs a second for each factor e
            let allowed = if damping > 1e6 { 0.05 } else { 1e-3 };
            assert!(off < allowed, "{of}: {off} m away");
            // 0.22 m within a substep of 1/240 s, and the waves that it sends through the block
            assert!(fastest < 200.0, "{of}: {fastest} m/s");
            // held as a whole it comes to rest; held by one side it swings below, as a pendulum does
            let left = world.step(FRAME).max_speed;
            assert!(left < if held == ALL { 0.1 } else { 20.0 }, "{of}: still {left} m/s");
        }
    }
}

/// A spring without stiffness is a damper, and one with neither is nothing.
#[test]
fn a_spring_of_nothing_does_nothing() {
    let motion = GripMotion::Spring { target: [1.0; 3], stiffness: 0.0, damping: 0.0 };
    let (mut world, _, grip) = hung(weightless(), ALL, motion);
    let speed = world.step(FRAME).max_speed;
    // what rounding makes of rest
    assert!(speed < 1e-4, "{speed} m/s");
    assert_eq!(world.reaction(grip).unwrap().force, [0.0; 3]);
}

/// It pulls at the centre of what it holds: a body that spins goes on spinning.
#[test]
fn a_spring_turns_nothing() {
    let mut world = World::new(weightless()).unwrap();
    let mut desc = body(lattice([4, 4, 4], SPACING, 3), &material(1e7));
    desc.spin = [0.0, 4.0, 0.0];
    let id = world.spawn(desc).unwrap();
    world.grip(grip_box(id, [-INF; 3], [INF; 3], spring([0.5, 0.0, 0.0], 8.0))).unwrap();
    let before = world.step(FRAME).angular_momentum;
    let mut report = fracas::StepReport::default();
    for _ in 0..120 {
        report = world.step(FRAME);
    }
    let (found, expected) = (report.angular_momentum[1], before[1]);
    assert!((found / expected - 1.0).abs() < 1e-3, "L = {found}, was {expected} kg m²/s");
}

/// One rigid solid, alone and on the floor: lifted, and let down again.
#[test]
fn a_rigid_ball_follows_the_hand() {
    let steel = Material::try_from(&MaterialDesc { density: 7850.0.into(), ..Default::default() });
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(floor()).unwrap();
    let shape = ShapeDesc::rigid(Shape::sphere(0.1).unwrap());
    let mut ball = BodyDesc::new("ball", shape, vec![steel.unwrap()]);
    ball.position = [0.0, 0.1, 0.0];
    let id = world.spawn(ball).unwrap();
    step(&mut world, 60);
    assert!(world.body(id).unwrap().pieces()[0].is_asleep());
    let mass = world.body(id).unwrap().mass();
    let sag = G / (2.0 * std::f64::consts::PI * 3.0_f64).powi(2);

    let grip =
        world.grip(grip_box(id, [-INF; 3], [INF; 3], spring([0.0, 1.0, 0.0], mass))).unwrap();
    step(&mut world, 120);
    let [_, y, _] = world.grip_centre(grip).unwrap();
    assert!((1.0 - y - sag).abs() < 0.01 * sag, "{y} m high, {sag} m below 1 m expected");
    // below the floor: pressed down by what the floor carries
    world.move_grip(grip, [0.3, 0.0, 0.0]).unwrap();
    step(&mut world, 240);
    let [x, y, _] = world.grip_centre(grip).unwrap();
    assert!((y - 0.1).abs() < 1e-3 && (x - 0.3).abs() < 0.05, "at {x}, {y} m");
    world.release(grip).unwrap();
    step(&mut world, 1);
    assert_eq!((world.grip_centre(grip), world.reaction(grip)), (None, None));
}

/// What the spring does while its target moves is work from outside: held and lost is what was put in.
#[test]
fn books_close_while_the_target_moves() {
    let config = WorldConfig { books: true, substeps: 8, ..WorldConfig::default() };
    let (mut world, _, grip) = hung(config, LAYER, spring([0.0; 3], MASS));
    let mut scale = 0.0_f64;
    let mut open = 0.0_f64;
    let before = world.step(FRAME).energy;
    for frame in 0..240 {
        let angle = 0.05 * f64::from(frame);
        world.move_grip(grip, [0.3 * angle.sin(), 0.2 * angle.cos(), 0.1]).unwrap();
        let e = world.step(FRAME).energy;
        let put_in = e.external_work - before.external_work;
        open = (e.held() + e.lost() - before.held() - before.lost() - put_in).abs().max(open);
        scale = scale.max(e.kinetic + put_in.abs());
    }
    assert!(open < 0.02 * scale, "the books are open by {open} J of {scale} J");
}

/// The same bits on one thread and two, and after loading; a target counts in the hash.
#[test]
fn springs_have_the_same_bits_on_any_threads_and_after_loading() {
    let run = |threads: u32| {
        let config = WorldConfig { threads, ..WorldConfig::default() };
        let mut world = World::new(config).unwrap();
        world.add_half_space(floor()).unwrap();
        let mut grips = Vec::new();
        for k in 0..3 {
            let mut desc = body(lattice([5, 4, 4], SPACING, 3), &material(3e5));
            desc.position = [0.1 * f64::from(k), 0.12 + 0.22 * f64::from(k), 0.0];
            let id = world.spawn(desc).unwrap();
            let motion = spring([0.2, 0.5, 0.0], 10.0);
            grips.push(world.grip(grip_box(id, [0.09, -INF, -INF], [INF; 3], motion)).unwrap());
        }
        step(&mut world, 30);
        world.move_grip(grips[1], [-0.5, 0.4, 0.1]).unwrap();
        step(&mut world, 30);
        (world, grips)
    };
    let ((mut one, grips), (mut two, _)) = (run(1), run(2));
    assert_eq!(one.hash(), two.hash());
    let mut loaded = World::load(&one.save(), 2).unwrap();
    for _ in 0..20 {
        let hash = one.step(FRAME).hash;
        assert_eq!([two.step(FRAME).hash, loaded.step(FRAME).hash], [hash; 2]);
    }
    assert_eq!(one.grip_centre(grips[0]), loaded.grip_centre(grips[0]));
    let before = one.hash();
    one.move_grip(grips[0], [9.0, 0.0, 0.0]).unwrap();
    one.apply_commands();
    assert_ne!(one.hash(), before);
}

/// Members stay members when the body is cut between them, and are pulled on as one.
#[test]
fn a_spring_holds_on_to_both_halves_of_a_cut_body() {
    let (mut world, id, grip) = hung(weightless(), ALL, spring([0.0; 3], MASS));
    step(&mut world, 2);
    let middle: Vec<_> = {
        let body = world.body(id).unwrap();
        let of = |id| body.particle_ids().iter().position(|&i| i == id).unwrap();
        let left = |id| body.rest_positions()[of(id)][0] < -0.01;
        body.bonds().filter(|&[a, b]| left(a) != left(b)).collect()
    };
    for [a, b] in middle {
        world.cut(id, a, b).unwrap();
    }
    world.move_grip(grip, [0.0, 0.4, 0.0]).unwrap();
    step(&mut world, 120);
    assert_eq!(world.body(id).unwrap().pieces().len(), 2);
    let [_, y, _] = world.grip_centre(grip).unwrap();
    assert!((y - 0.4).abs() < 1e-3, "{y} m");
    world.validate();
}

#[test]
fn commands_that_make_no_sense_are_refused() {
    let (mut world, id, grip) = hung(weightless(), ALL, spring([0.0; 3], MASS));
    // valid at once
    world.move_grip(grip, [0.0; 3]).unwrap();
    let hold = world.grip(grip_box(id, [-INF; 3], [INF; 3], GripMotion::Hold)).unwrap();
    for _ in 0..2 {
        assert_eq!(world.move_grip(hold, [0.0; 3]), Err(CommandError::NotASpring(hold)));
        let beyond = world.move_grip(grip, [0.0, f64::NAN, 0.0]).unwrap_err();
        assert!(beyond.to_string().starts_with("target must be finite"), "{beyond}");
        step(&mut world, 1);
    }
    let bad = |stiffness, damping| GripMotion::Spring { target: [0.0; 3], stiffness, damping };
    for motion in [bad(-1.0, 0.0), bad(0.0, -1.0), bad(INF, 0.0), bad(1.0, f32::NAN)] {
        assert!(world.grip(grip_box(id, [-INF; 3], [INF; 3], motion)).is_err());
    }
    world.release(grip).unwrap();
    step(&mut world, 1);
    assert_eq!(world.move_grip(grip, [0.0; 3]), Err(CommandError::NoGrip(grip)));
}
