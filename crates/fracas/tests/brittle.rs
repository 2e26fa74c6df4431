//! Brittle bodies against what theory says of them.
#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "common/brittle_figures.rs"]
mod figures;
#[path = "common/tets.rs"]
mod tets;

use figures::{
    Bending, ByBroyden, FRAME, Flight, Hanging, Notch, Oracle, brittle, config, falling_plate,
    glass,
};
use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::math::Rot;
use fracas::solids::fem::{TetOptions, TetSolver};
use fracas::world::{BodyDesc, HalfSpaceDesc, ObstacleDesc, ShapeDesc, World};
use tets::{block, go_on_after_loading};

/// A bar between two supports cracks in the middle of its stretched face, under the load of beam theory.
#[test]
fn a_bent_bar_breaks_under_the_load_of_theory() {
    let Bending { load, off_middle, off_face } = figures::bending(4);
    assert!((load - 1.0).abs() < 0.1, "it cracks at {load} of the load of beam theory");
    assert!(off_middle < 1.0 / 6.0, "{off_middle} of the span off the middle");
    assert!(off_face < 0.1, "{off_face} of the height off the stretched face");
}

/// A notch grows where it ends, when K = Y σ √(π a) comes to K_c.
#[test]
fn a_notch_grows_at_the_toughness() {
    let Notch { grows, parts, off_tip } = figures::notch(10);
    assert!((grows - 1.0).abs() < 0.15, "it grows at {grows} of the stress of theory");
    assert!((parts - 1.0).abs() < 0.15, "the plate parts at {parts} of the stress of theory");
    assert!(off_tip < 0.25, "{off_tip} of its length off its tip");
}

/// A bar that hangs breaks where it is held, where all its weight pulls.
#[test]
fn a_hanging_bar_breaks_at_its_support() {
    let Hanging { place, strength } = figures::hanging();
    assert!(place < 0.1, "it cracks {place} of its length below its support");
    // where it is held it cannot get thinner, which adds some
    assert!(strength > 0.95 && strength < 1.3, "at a strength of {strength} ρ g L");
}

/// A bar that spins is pulled by ρ ω² (L²/4 − x²)/2, most in its middle.
#[test]
fn spinning_bar_feels_what_theory_says() {
    let share = figures::stress_of_spin();
    assert!((share - 1.0).abs() < 0.05, "{share} of ρ ω² L²/8");
}

/// Glass that flies feels nothing, anyhow turned and far out.
#[test]
fn flight_loads_nothing() {
    let mut world = World::new(config(-9.81)).unwrap();
    let mut desc = brittle(block([50, 2, 2], [0.01; 3]), glass(3.3e7, 6e5));
    desc.position = [1000.0, -1000.0, 500.0];
    desc.rotation = Rot::exp(Vec3::new(0.7, -0.4, 1.1));
    desc.velocity = [3.0, 1.0, -2.0];
    desc.spin = [0.05, 0.1, -0.02];
    let id = world.spawn(desc).unwrap();
    for _ in 0..60 {
        world.step(FRAME);
        let worst =
            world.body(id).unwrap().stresses().into_iter().fold(0.0, |a: f32, s| a.max(s.abs()));
        assert!(worst < 0.01 * 3.3e7, "{worst} Pa");
    }
}

/// A free body keeps its momentum and its angular momentum while it tumbles, and while it breaks.
#[test]
fn momentum_stays() {
    for strength in [f32::INFINITY, 1e5] {
        let Flight { pieces, momentum, angular } = figures::flight(strength);
        assert_eq!(pieces > 1, strength.is_finite(), "{pieces} pieces");
        assert!(momentum < 1e-6, "momentum off by {momentum}");
        assert!(angular < 1e-5, "angular momentum off by {angular}");
    }
}

/// Oracle and walk know the pieces that brute force finds, after every single face.
#[test]
fn the_oracle_misses_nothing() {
    for in_fans in [false, true] {
        let found = figures::random_splits(5_000, in_fans);
        let Oracle { asked, yes, parted, missed, wrong } = found;
        assert_eq!([missed, wrong], [0, 0], "of {asked} faces");
        assert!(yes >= parted && parted > 1_000, "{parted} parted of {yes}");
        assert!(found.efficiency() > 0.8, "{} of its alarms are right", found.efficiency());
    }
}

/// A ring that is cut through once still hangs together, which no look at a face can tell (001 figure 4).
#[test]
fn a_ring_is_a_false_alarm() {
    let [once, twice] = figures::ring();
    assert_eq!([once.yes, once.parted, once.missed], [1, 0, 0], "the first cut");
    assert_eq!([twice.yes, twice.parted, twice.missed], [1, 1, 0], "the second");
}

/// With faces that have an edge on the surface first the oracle is not fooled by a fan below it, with these last it is (001 figure 5).
#[test]
fn faces_at_the_surface_come_first() {
    let [first, last] = figures::fan_order();
    assert_eq!([first.yes, first.parted, first.wrong], [0, 0, 0], "of {} faces", first.asked);
    assert!(last.yes > 0 && last.parted == 0 && last.wrong == 0, "{last:?}");
}

/// No bound is below an eigenvalue, and what they let through while a plate breaks is mostly overloaded.
#[test]
fn bounds_miss_nothing() {
    assert_eq!(figures::bounds(10_000).missed, 0);
    let counts = figures::counts_of_breaking();
    assert!(counts.overloaded <= counts.bounded && counts.bounded <= counts.gerschgorin);
    assert!(counts.gerschgorin <= counts.vertices && counts.cracks > 0, "{counts:?}");
    assert!(counts.fans_through <= counts.through && counts.through <= counts.faces, "{counts:?}");
}

/// The solver of seed 001 tells the stress of something soft; of glass it tells that it has failed, and nothing breaks by it.
#[test]
fn broyden_fails_openly() {
    let ByBroyden { off, unconverged, finite, .. } = figures::by_broyden(1e5, f32::INFINITY);
    assert!(finite && unconverged == 0, "{unconverged} substeps did not converge");
    assert!(off < 0.01, "stress off by {off}");
    let ByBroyden { unconverged, finite, pieces, .. } = figures::by_broyden(7e10, 100.0);
    assert!(finite && pieces == 1, "{pieces} pieces");
    assert!(unconverged > 200, "only {unconverged} of 240 substeps count as not converged");
}

/// A model that has no use for the solver of seed 001 refuses it in words.
#[test]
fn only_brittle_bodies_have_the_solver_of_the_text() {
    let mut world = World::new(config(0.0)).unwrap();
    let options = TetOptions { solver: TetSolver::Broyden, ..TetOptions::default() };
    let shape = ShapeDesc::Tets { shape: block([2, 2, 2], [0.1; 3]), options };
    let refused = world.spawn(BodyDesc::new("soft", shape, vec![glass(1e7, 1e5)])).unwrap_err();
    assert!(refused.to_string().contains("for `brittle` bodies alone"), "{refused}");
}

/// A block that falls stops on the floor, rests there and sleeps.
#[test]
fn a_block_comes_to_rest() {
    let mut world = World::new(config(-9.81)).unwrap();
    world.add_half_space(HalfSpaceDesc::default()).unwrap();
    let mut desc = brittle(block([6, 4, 4], [0.05; 3]), glass(f32::INFINITY, f32::INFINITY));
    desc.position = [0.0, 0.5, 0.0];
    desc.rotation = Rot::exp(Vec3::new(0.3, 0.1, 0.2));
    let id = world.spawn(desc).unwrap();
    for _ in 0..240 {
        world.step(FRAME);
    }
    let body = world.body(id).unwrap();
    let lowest = body.world_positions().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    assert!(lowest.abs() < 2e-3, "its lowest point is at {lowest} m");
    assert!(body.pieces()[0].is_asleep(), "it does not sleep");
}

/// A plate that is dropped breaks, wins no energy by it, and what it is in afterwards weighs the same.
#[test]
fn a_dropped_plate_breaks() {
    let (mut world, id) = falling_plate(2);
    world.apply_commands();
    let mass = world.body(id).unwrap().mass();
    let mut energies = Vec::new();
    for _ in 0..90 {
        energies.push(world.step(FRAME).energy.held());
        world.body(id).unwrap().validate();
    }
    let body = world.body(id).unwrap();
    assert!(body.pieces().len() > 3, "{} pieces", body.pieces().len());
    assert!((body.mass() / mass - 1.0).abs() < 1e-6);
    let fall = energies[0] - energies[energies.len() - 1];
    let mut least = energies[0];
    for (frame, &energy) in energies.iter().enumerate() {
        assert!(
            energy - least < 1e-2 * fall,
            "{} J of {fall} won by frame {frame}",
            energy - least
        );
        least = least.min(energy);
    }
}

/// The same bits on any number of threads.
#[test]
fn threads_change_no_bit() {
    let hashes = [1, 2, 3].map(|threads| {
        let (hash, pieces) = figures::hash_on(threads);
        assert!(pieces > 3, "it did not break");
        hash
    });
    assert_eq!(hashes, [hashes[0]; 3]);
}

/// Boxes around whole pieces, before faces are looked at, hide nothing: with a half-space that only feels, far below, all faces are looked at, and every
/// bit is the same, while pieces fly apart, lie on each other and sleep.
#[test]
fn boxes_around_pieces_hide_nothing() {
    let states = [false, true].map(|felt| {
        let (mut world, id) = falling_plate(2);
        let ball = ShapeDesc::rigid(Shape::sphere(0.03).unwrap());
        let mut ball = BodyDesc::new("ball", ball, vec![glass(1e9, 1e9)]);
        (ball.position, ball.velocity) = ([0.05, 0.5, 0.05], [0.0, -2.0, 0.0]);
        world.spawn(ball).unwrap();
        if felt {
            let plane = Shape::half_space(Vec3::Y).unwrap();
            let sensor = ObstacleDesc { sensor: true, ..ObstacleDesc::new(plane) };
            let position = [0.0, -1e3, 0.0];
            world.add_obstacle(ObstacleDesc { position, ..sensor }).unwrap();
        }
        let mut slept = 0;
        for _ in 0..120 {
            slept = world.step(FRAME).sleeping;
        }
        let body = world.body(id).unwrap();
        assert!(body.pieces().len() > 3 && slept > 0, "{} pieces", body.pieces().len());
        body.world_positions().map(|x| x.map(f64::to_bits)).collect::<Vec<_>>()
    });
    assert!(states[0] == states[1], "not the same places");
}

/// Saved while it breaks and loaded again, it goes on with the same bits.
#[test]
fn snapshots_go_on_with_the_same_bits() {
    let (mut world, _) = falling_plate(1);
    go_on_after_loading(&mut world, 24, FRAME);
}
