//! Bodies of smoothed particles: elasticity against closed forms and conservation, tears against what was asked for.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::meshless_figures::{self as figures, FRAME, Slab, block, config, flesh};
use common::{floor, grip_box};
use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc, MaterialField};
use fracas::world::{BodyDesc, GripMotion, ShapeDesc};
use fracas::{World, WorldConfig};

/// Young's modulus and Poisson's ratio are inputs (errata 002.1, 002.11).
#[test]
fn a_pulled_bar_shows_its_material() {
    let [e, nu] = figures::pulled_bar(6);
    assert!((e - 1.0).abs() < 0.03, "E is {e} of what was asked for");
    assert!((nu - 1.0).abs() < 0.03, "ν is {nu} of what was asked for");
}

/// Fibres make it stiffer along themselves, and only there.
#[test]
fn bars_are_stiffer_along_their_fibres() {
    let along = figures::of_material([6, 6], 0.25, [1.0, 0.0, 0.0]);
    assert!((along[0] - 1.0).abs() < 0.03 && (along[1] - 1.0).abs() < 0.03, "{along:?}");
    let [e, _] = figures::of_material([6, 6], 0.25, [0.0, 0.0, 1.0]);
    assert!((e / 0.25 - 1.0).abs() < 0.03, "E across is {e} of that along instead of 0.25");
}

/// A single layer is stretched in plane stress, a single row feels E alone (002 sec. 2.3, erratum 002.7).
#[test]
fn membranes_and_ropes_show_their_material() {
    let [e, nu] = figures::of_material([8, 1], 1.0, [1.0, 0.0, 0.0]);
    assert!((e - 1.0).abs() < 0.03 && (nu - 1.0).abs() < 0.03, "a membrane has E {e}, ν {nu}");
    let [e, _] = figures::of_material([1, 1], 1.0, [1.0, 0.0, 0.0]);
    assert!((e - 1.0).abs() < 0.03, "a rope has E {e}");
}

/// Tissue stiffens as it is stretched.
#[test]
fn stiffening_follows_its_law() {
    for strain in [0.05, 0.15] {
        let ratio = figures::stiffened(strain, 0.0);
        assert!((ratio - 1.0).abs() < 0.03, "{ratio} of the stress at {strain}");
    }
}

/// What yields carries what it has hardened to, and keeps what it has flowed.
#[test]
fn bars_yield_harden_and_stay_long() {
    let [stress, left] = figures::yielded();
    println!(
        "{stress:.4} of the stress, {left:.4} of the strain; ν 0.3 stiffens {:.4}",
        figures::stiffened(0.15, 0.3)
    );
    assert!((stress - 1.0).abs() < 0.03, "{stress} of the stress");
    assert!((left - 1.0).abs() < 0.05, "{left} of the strain is left");
}

/// Half as strong across its fibres it tears at half the stress.
#[test]
fn bars_tear_sooner_across_their_fibres() {
    let mut desc = flesh(1e5, 0.0);
    desc.grain.direction = [0.0, 1.0, 0.0].into();
    desc.grain.strength_ratio = 0.5.into();
    let [peak, _] = figures::ramped(4, 0.0, &desc);
    assert!((peak / 0.5 - 1.0).abs() < 0.05, "at {peak} of its strength along them");
}

/// Fibres turn with what they lie in: simple shear 1 turns one by 45° (erratum 002.17).
#[test]
fn fibres_are_carried_by_the_deformation() {
    let off = figures::sheared_fibre();
    assert!(off < 0.1, "off 45° by {off}°");
}

/// Membranes and ropes that fly and spin keep what they have, and a snapshot of what has flowed goes on as the world does.
#[test]
fn thin_bodies_keep_their_momentum() {
    for counts in [[12, 12, 1], [24, 1, 1]] {
        let ([p, l], hash) = figures::free_flight_of(counts, 1);
        assert!(p < 1e-5 && l < 1e-4, "{counts:?}: momentum is off by {p}, angular by {l}");
        assert_eq!(figures::free_flight_of(counts, 2).1, hash, "two threads");
    }
}

/// √(E/ρ)/4L, at 5 ms whatever the stiffness: substeps follow it.
#[test]
fn a_bar_swings_at_its_frequency() {
    for modulus in [1e5, 1e6] {
        let ratio = figures::axial_frequency(modulus);
        assert!((ratio - 1.0).abs() < 0.02, "{ratio} of it at {modulus} Pa");
    }
}

/// Without the world's help, and for any number of threads the same.
#[test]
fn momentum_is_kept() {
    let ([p, l], hash) = figures::free_flight(1);
    assert!(p < 1e-5, "momentum is off by {p}");
    assert!(l < 1e-5, "angular momentum is off by {l}");
    for threads in [2, 3] {
        assert_eq!(figures::free_flight(threads).1, hash, "{threads} threads");
    }
}

/// A checkerboard costs energy, and does not grow.
#[test]
fn zero_energy_modes_are_under_control() {
    let worst = figures::hourglass();
    assert!(worst < 0.01, "a pattern of {worst} spacings");
}

/// A ramp tears it at the stress asked for, at three resolutions.
#[test]
fn a_ramped_bar_tears_at_its_strength() {
    for across in [2, 4, 8] {
        let [peak, parted] = figures::ramped_bar(across, 0.0, 0.0);
        println!("{across} across: at {peak:.3} of its strength, parted after {parted:.0} ms");
        assert!((peak - 1.0).abs() < 0.05, "at {peak} of its strength, {across} across");
        assert!(parted < 300.0, "it took {parted} ms to part, {across} across");
    }
}

/// 002 fig. 4.1: soft tears leave more pairs that half see each other.
#[test]
fn rigid_tears_are_clean() {
    let correlation = figures::cleanness(3);
    println!("{correlation}");
    assert!(correlation <= -0.9, "a rank correlation of {correlation}");
}

/// Held by its corners the slab tears by its weight, into large pieces and not into dust; the same on any number of threads, and after a snapshot.
#[test]
fn the_slab_tears_without_dust() {
    let run = |threads: u32| {
        let mut slab = Slab::new(threads, [50, 48, 10], &Slab::flesh(1e5, 0.85));
        let bonds = slab.body().bond_count();
        for _ in 0..44 {
            slab.world.step(FRAME);
        }
        assert!(slab.body().bond_count() < bonds - 1000, "nothing tears");
        let bytes = slab.world.save();
        for _ in 0..8 {
            slab.world.step(FRAME);
        }
        (slab, bytes)
    };
    let (mut slab, bytes) = run(1);
    let hash = slab.world.hash();
    for threads in [2, 3] {
        let (other, _) = run(threads);
        assert_eq!(other.world.hash(), hash, "{threads} threads");
    }
    let mut again = World::load(&bytes, 2).unwrap();
    for _ in 0..8 {
        again.step(FRAME);
    }
    assert_eq!(again.hash(), hash, "after a snapshot while it tears");
    for _ in 0..60 {
        slab.world.step(FRAME);
    }
    let (dust, pieces) = (slab.dust(), slab.body().pieces().len());
    println!("{pieces} pieces, {:.3} % dust", 100.0 * dust);
    assert!(dust <= 0.002, "{} % of it are dust", 100.0 * dust);
    // what falls for 0.6 s has 6 m/s
    let fastest = slab.fastest();
    assert!(fastest < 20.0, "something flies at {fastest} m/s");
}

/// A tear follows fibres that lead it, the less the less they do (002 fig. 3.4).
#[test]
fn tears_follow_fibres() {
    let angle = |beta: Option<f32>| figures::peel(beta, f32::INFINITY, 0.05);
    let led = [0.0, 0.1].map(|beta| angle(Some(beta)));
    assert!(led.iter().all(|angle| (angle - 45.0).abs() < 10.0), "{led:?}° instead of 45°");
    let (quarter, half, free) = (angle(Some(0.25)), angle(Some(0.5)), angle(None));
    assert!(free.abs() < 10.0, "{free}° without fibres");
    let falling = led[1] > quarter && quarter > half && half > free;
    assert!(falling, "{led:?}°, {quarter}°, {half}°, {free}°");
}

/// The faster a sheet is torn, the less of its fibres the tear feels.
#[test]
fn fast_tears_leave_the_fibre() {
    let angles = figures::PEELS.map(|speed| figures::peel(Some(0.05), figures::RATE, speed));
    assert!(angles.windows(2).all(|pair| pair[0] > pair[1]), "{angles:?}");
}

/// A block dropped onto the floor comes to rest there and carries its weight.
#[test]
fn a_dropped_block_rests_on_the_floor() {
    let desc = MaterialDesc { damping_time: 0.2.into(), ..flesh(1e5, 0.3) };
    let gravity = [0.0, -9.81, 0.0];
    let mut world = World::new(WorldConfig { gravity, ..config(2) }).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut body = block([8, 8, 8], 0.05, &desc);
    body.position = [0.0, 0.25, 0.0];
    let id = world.spawn(body).unwrap();
    for _ in 0..1000 {
        world.step(FRAME);
    }
    let body = world.body(id).unwrap();
    let lowest = body.world_positions().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    assert!((lowest - 0.025).abs() < 1e-3, "its lowest particles are at {lowest} m");
    let speeds = body.pieces().iter().flat_map(|piece| body.velocities(piece));
    let fastest = speeds.map(|v| Vec3::from(*v).length()).fold(0.0, f32::max);
    assert!(fastest < 0.01, "still at {fastest} m/s");
    // ρ g H/2 in the mean over the height, on a block of E = 1e5: 2 kPa, 2 %
    let height = body.world_positions().map(|x| x[1]).fold(0.0, f64::max) - lowest;
    let sag = 1.0 - height / 0.35;
    assert!((0.01..0.03).contains(&sag), "it sags by {sag}");
}

/// Two that meet keep their momentum and part again.
#[test]
fn two_blocks_that_meet_keep_their_momentum() {
    let mut world = World::new(config(2)).unwrap();
    let bodies = [-1.0f32, 1.0].map(|side| {
        let mut body = block([8, 6, 6], 0.05, &flesh(1e5, 0.3));
        body.position = [f64::from(0.25 * side), f64::from(0.05 * side), 0.0];
        body.velocity = [-side, 0.0, 0.0];
        world.spawn(body).unwrap()
    });
    for _ in 0..100 {
        world.step(FRAME);
    }
    let momentum = |k: usize| {
        let body = world.body(bodies[k]).unwrap();
        let speeds = body.pieces().iter().flat_map(|piece| body.velocities(piece));
        let all = speeds.zip(body.masses());
        all.map(|(v, &m)| m * Vec3::from(*v)).sum::<Vec3>()
    };
    let (a, b) = (momentum(0), momentum(1));
    let scale = 0.5 * 8.0 * 36.0 * 0.125;
    assert!((a + b).length() < 1e-4 * scale, "{} kg m/s are left over", (a + b).length());
    assert!(a.x < 0.0 && b.x > 0.0, "they do not part: {a} and {b}");
}

/// Held by one end and made stiffer while it swings, it takes the new value over.
#[test]
fn materials_change_while_a_body_lives() {
    let mut world = World::new(config(1)).unwrap();
    let id = world.spawn(block([8, 4, 4], 0.05, &flesh(1e5, 0.3))).unwrap();
    let held = grip_box(id, [-1.0; 3], [-0.15, 1.0, 1.0], GripMotion::Hold);
    world.grip(held).unwrap();
    world.step(FRAME);
    world.set_material(id, MaterialField::YoungsModulus, 1e6).unwrap();
    world.step(FRAME);
    world.body(id).unwrap().validate();
    assert!(world.set_material(id, MaterialField::Density, 500.0).is_err());
}

/// What a hand on a rubber band holds hangs as low as its weight stretches that, and carries it.
#[test]
fn a_block_hangs_by_a_spring() {
    let gravity = [0.0, -9.81, 0.0];
    let mut world = World::new(WorldConfig { gravity, ..config(1) }).unwrap();
    let desc = MaterialDesc { damping_time: 0.1.into(), ..flesh(1e5, 0.3) };
    let id = world.spawn(block([4, 8, 4], 0.05, &desc)).unwrap();
    let weight = 128.0 * 0.125 * 9.81;
    let (stiffness, damping, target) = (2e3, 100.0, [0.0, 0.175, 0.0]);
    let motion = GripMotion::Spring { target, stiffness, damping };
    let grip = world.grip(grip_box(id, [-1.0, 0.16, -1.0], [1.0; 3], motion)).unwrap();
    for _ in 0..1600 {
        world.step(FRAME);
    }
    let force = world.reaction(grip).unwrap().force[1];
    assert!((force / weight - 1.0).abs() < 0.01, "{force} N carry {weight} N");
    let sag = target[1] - world.grip_centre(grip).unwrap()[1];
    let wanted = weight / f64::from(stiffness);
    assert!((sag / wanted - 1.0).abs() < 0.02, "it hangs {sag} m low instead of {wanted} m");
}

/// A rigid ball that falls onto flesh stays on it: an island of two models.
#[test]
fn a_ball_rests_on_flesh() {
    let gravity = [0.0, -9.81, 0.0];
    let mut world = World::new(WorldConfig { gravity, ..config(2) }).unwrap();
    world.add_half_space(floor()).unwrap();
    let desc = MaterialDesc { damping_time: 0.2.into(), ..flesh(1e5, 0.3) };
    let mut bed = block([10, 5, 10], 0.05, &desc);
    bed.position = [0.0, 0.126, 0.0];
    let bed = world.spawn(bed).unwrap();
    let material = Material::try_from(&flesh(1e5, 0.3)).unwrap();
    let shape = ShapeDesc::rigid(Shape::sphere(0.08).unwrap());
    let mut ball = BodyDesc::new("ball", shape, vec![material]);
    ball.position = [0.0, 0.40, 0.0];
    let ball = world.spawn(ball).unwrap();
    for _ in 0..400 {
        world.step(FRAME);
    }
    let height = world.body(ball).unwrap().world_positions().next().unwrap()[1];
    assert!((0.27..0.34).contains(&height), "the ball is at {height} m");
    let bed = world.body(bed).unwrap();
    let lowest = bed.world_positions().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    assert!((lowest - 0.025).abs() < 5e-3, "the lowest of the bed is at {lowest} m");
    bed.validate();
}
