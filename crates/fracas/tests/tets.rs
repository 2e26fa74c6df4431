//! Bodies of tetrahedra: corotated linear elasticity against closed forms, independent solves and conservation.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::FRAME;
use common::tet_figures::{self as figures, config, motion, positions};
use common::tets::{block, body, elastic, hold_start};
use fracas::glam::Vec3;
use fracas::math::Rot;
use fracas::solids::fem::{TetOptions, TetShape, TetShapeError, TetSolver};
use fracas::world::{BodyDesc, CommandError, GripDesc, GripMotion, Region, ShapeDesc};
use fracas::{World, WorldConfig};

/// Every wrong shape says what is wrong with it, and where.
#[test]
fn wrong_shapes_are_refused_with_the_place() {
    let good = || block([1, 1, 1], [0.1; 3]);
    let refused = |shape: TetShape| {
        let mut world = World::new(config(0.0)).unwrap();
        match world.spawn(body(shape, elastic(1000.0, 1e5, 0.3))) {
            Err(CommandError::Tets { error, .. }) => error,
            other => panic!("not refused: {other:?}"),
        }
    };
    assert_eq!(refused(TetShape::default()), TetShapeError::Empty);
    let mut shape = good();
    shape.tets[2][1] = 99;
    assert_eq!(refused(shape), TetShapeError::NoVertex { tet: 2, corner: 99, count: 8 });
    let mut shape = good();
    shape.tets[3].swap(0, 1);
    assert!(
        matches!(refused(shape), TetShapeError::NoVolume { tet: 3, volume, .. } if volume < 0.0)
    );
    let mut shape = good();
    let [a, ..] = shape.tets[1];
    shape.tets[1][1] = a;
    assert!(matches!(refused(shape), TetShapeError::NoVolume { tet: 1, volume: 0.0, .. }));
    let mut shape = good();
    shape.vertices.push([1.0; 3]);
    assert_eq!(refused(shape), TetShapeError::LooseVertex { vertex: 8 });
    let mut shape = good();
    shape.vertices[4][2] = f32::NAN;
    assert!(matches!(refused(shape), TetShapeError::NotFinite { vertex: 4, .. }));
    let mut shape = good();
    shape.materials = vec![0; 4];
    assert_eq!(refused(shape), TetShapeError::MaterialCount { found: 4, count: 5 });
    let mut shape = good();
    shape.materials = vec![0, 0, 7, 0, 0];
    assert_eq!(refused(shape), TetShapeError::NoMaterial { tet: 2, material: 7, count: 1 });
    let mut shape = good();
    shape.values.curvature = vec![0.0; 3];
    assert!(matches!(refused(shape), TetShapeError::Values(_)));
    let mut shape = good();
    shape.tets.push(shape.tets[4]);
    assert!(matches!(refused(shape), TetShapeError::SharedTooOften { .. }));
}

#[cfg(not(feature = "direct"))]
#[test]
fn direct_solver_is_refused_where_it_is_not_built_in() {
    let shape = block([1, 1, 1], [0.1; 3]);
    let options = TetOptions { solver: TetSolver::Direct, ..TetOptions::default() };
    let shape = ShapeDesc::Tets { shape, options };
    let desc = BodyDesc::new("direct", shape, vec![elastic(1000.0, 1e5, 0.3)]);
    let refused = World::new(config(0.0)).unwrap().spawn(desc);
    let error = TetShapeError::NoDirectSolver;
    assert_eq!(refused, Err(CommandError::Tets { name: "direct".into(), error }));
}

#[cfg(feature = "direct")]
fn bar_by(solver: TetSolver, sweeps: u32, threads: u32) -> (World, fracas::BodyId) {
    let mut world = World::new(WorldConfig { sweeps, threads, ..config(-9.81) }).unwrap();
    let options = TetOptions { solver, ..TetOptions::default() };
    let shape = ShapeDesc::Tets { shape: block([16, 4, 4], [0.05; 3]), options };
    let desc = BodyDesc::new("bar", shape, vec![elastic(1000.0, 3e5, 0.3)]);
    let id = world.spawn(desc).unwrap();
    hold_start(&mut world, id, 1e-6);
    (world, id)
}

/// By a factor a bar that is bent far, for which it is no longer the matrix, swings through the same places as by the other solver where both have converged, and within a thousandth
/// by default.
#[cfg(feature = "direct")]
#[test]
fn direct_solver_finds_the_solution_of_the_other() {
    for (sweeps, bound) in [(64, 1e-4), (8, 1e-3)] {
        let (mut direct, id) = bar_by(TetSolver::Direct, sweeps, 1);
        let (mut truth, other) = bar_by(TetSolver::Iterative, 64, 1);
        let (mut apart, mut sag) = (0.0f64, 0.0f64);
        for _ in 0..60 {
            direct.step(FRAME);
            truth.step(FRAME);
            for (x, y) in positions(&direct, id).into_iter().zip(positions(&truth, other)) {
                sag = sag.max(-y[1]);
                apart = (0..3).map(|k| (x[k] - y[k]).abs()).fold(apart, f64::max);
            }
        }
        assert!(sag > 0.5, "{sag}");
        assert!(apart < bound * sag, "{sweeps} sweeps: {apart} m apart, {sag} m down");
    }
}

/// The same bits for any number of threads, and after a snapshot.
#[cfg(feature = "direct")]
#[test]
fn direct_solver_is_deterministic() {
    let (mut one, _) = bar_by(TetSolver::Direct, 8, 1);
    let (mut two, _) = bar_by(TetSolver::Direct, 8, 2);
    for _ in 0..10 {
        one.step(FRAME);
        two.step(FRAME);
    }
    assert_eq!(one.hash(), two.hash());
    let mut again = World::load(&one.save(), 1).unwrap();
    for _ in 0..10 {
        one.step(FRAME);
        again.step(FRAME);
        assert_eq!(one.hash(), again.hash());
    }
}

/// The cantilever of the iterative solver, by a factor.
#[cfg(feature = "direct")]
#[test]
fn direct_cantilever_comes_to_rest_at_the_solution_of_an_independent_solve() {
    let figures::Cantilever { off, carried, .. } = figures::cantilever_by(TetSolver::Direct);
    assert!(off < 0.01, "a vertex is off by {off} of the sag");
    assert!((carried - 1.0).abs() < 1e-3, "{carried} of the weight is carried");
}

/// Mass is that of the volumes, of every material by itself.
#[test]
fn mass_is_exact_for_several_densities() {
    let mut shape = block([3, 2, 2], [0.1, 0.2, 0.15]);
    shape.materials = (0..shape.tets.len()).map(|t| (t % 2) as u16).collect();
    let volume = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| Vec3::from(shape.vertices[v as usize]).as_dvec3());
        (b - a).cross(c - a).dot(d - a) / 6.0
    };
    let density = |t: usize| if t.is_multiple_of(2) { 700.0 } else { 2500.0 };
    let wanted: f64 = shape.tets.iter().enumerate().map(|(t, tet)| density(t) * volume(tet)).sum();
    let materials = vec![elastic(700.0, 1e5, 0.3), elastic(2500.0, 1e6, 0.2)];
    let mut world = World::new(config(0.0)).unwrap();
    let options = TetOptions::default();
    let desc = BodyDesc::new("two", ShapeDesc::Tets { shape, options }, materials);
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    let mass = world.body(id).unwrap().mass();
    assert!((mass / wanted - 1.0).abs() < 1e-6, "{mass} kg instead of {wanted} kg");
}

/// A bar pulled at both ends stretches by F/(E A) in its middle and gets thinner by ν times that.
#[test]
fn pulled_bar_tells_young_and_poisson() {
    let [modulus, poisson] = figures::pulled_bar();
    assert!((modulus - 1.0).abs() < 0.01, "E is {modulus} of what was asked for");
    assert!((poisson - 1.0).abs() < 0.01, "ν is {poisson} of what was asked for");
}

/// A cantilever that sags by a third of its length: every vertex within 1 % of the sag of where an independent solve has it, and what holds it carries
/// its weight.
#[test]
fn cantilever_comes_to_rest_at_the_solution_of_an_independent_solve() {
    let figures::Cantilever { sag, off, carried } = figures::cantilever();
    assert!(sag > 0.2, "{sag}");
    assert!(off < 0.01, "a vertex is off by {off} of the sag of {sag} m");
    assert!((carried - 1.0).abs() < 1e-3, "{carried} of the weight is carried");
}

/// Linear tetrahedra are too stiff in bending; with twice the layers the error is less than half, and the limit is beam theory.
#[test]
fn cantilever_converges_to_beam_theory_with_layers() {
    let found = [2, 4, 8].map(figures::sag_over_theory);
    let errors = found.map(|ratio| 1.0 - ratio);
    assert!(errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2], "{found:?}");
    let limit = figures::limit(found);
    assert!((limit - 1.0).abs() < 0.02, "{limit} from {found:?}");
}

/// The first bending frequency of a clamped bar.
#[test]
fn bar_swings_at_its_bending_frequency() {
    let ratio = figures::frequency_over_theory();
    assert!((ratio - 1.0).abs() < 0.03, "{ratio} of theory");
}

/// A body that turns freely keeps its momenta, wins no energy and stays as it is: no ghost forces.
#[test]
fn free_rotation_has_no_ghost_forces() {
    let flight = figures::free_rotation();
    assert!(flight.momentum < 1e-6, "{}", flight.momentum);
    assert!(flight.angular < 1e-5, "{}", flight.angular);
    // it begins unstretched, and what it swings with once it is let go is all that may be lost
    let [most, last] = flight.energy;
    assert!(most < 1.0 + 1e-4 && last > 0.999, "{most} at most, {last} at the end");
    assert!(flight.strain < 0.01, "{}", flight.strain);
}

/// A cube whose one side was pushed onto the other, or through it to the far side, is whole again 2 s after it was let go, though it touches
/// itself.
#[test]
fn a_cube_pushed_through_itself_becomes_whole_again() {
    for times in [0.9, 1.0, 1.3, 2.0, 3.0] {
        let strain = figures::strain_after_push(times);
        println!("pushed by {times} of its length: {strain:.4}");
        assert!(strain <= 0.02, "pushed by {times} of its length: strained by {strain}");
    }
}

/// What a swinging bar holds, and what it has lost, is what it began with.
#[test]
fn books_of_energy_close() {
    let mut world = World::new(WorldConfig { books: true, substeps: 4, ..config(-9.81) }).unwrap();
    let id = world.spawn(body(block([10, 2, 2], [0.1; 3]), elastic(1000.0, 1e6, 0.3))).unwrap();
    hold_start(&mut world, id, 1e-6);
    let first = world.step(FRAME).energy;
    let total = |e: &fracas::world::Energy| e.held() + e.lost();
    let mut worst: f64 = 0.0;
    let mut swing: f64 = 0.0;
    for _ in 0..120 {
        let energy = world.step(FRAME).energy;
        worst = worst.max((total(&energy) - total(&first)).abs());
        swing = swing.max(energy.kinetic + energy.elastic);
    }
    assert!(worst < 0.02 * swing, "{worst} J of {swing} J are not accounted for");
}

/// The same bits for any number of threads: for a body that one thread takes, and for one that several share.
#[test]
fn threads_change_no_bit() {
    for cells in [[8, 4, 4], [18, 16, 16]] {
        let one = figures::hash_on(1, cells);
        for threads in [2, 3] {
            assert_eq!(figures::hash_on(threads, cells), one, "{threads} threads, {cells:?}");
        }
    }
}

/// A snapshot goes on with the same bits, held and thrown.
#[test]
fn snapshots_go_on_with_the_same_bits() {
    let mut world = World::new(config(-9.81)).unwrap();
    let id = world.spawn(body(block([8, 3, 3], [0.1; 3]), elastic(1000.0, 1e6, 0.3))).unwrap();
    hold_start(&mut world, id, 1e-6);
    let mut thrown = body(block([3, 3, 3], [0.1; 3]), elastic(1000.0, 1e5, 0.4));
    thrown.position = [5.0, 0.0, 0.0];
    thrown.spin = [3.0, 1.0, 0.0];
    world.spawn(thrown).unwrap();
    for _ in 0..10 {
        world.step(FRAME);
    }
    let bytes = world.save();
    let mut again = World::load(&bytes, 1).unwrap();
    assert_eq!(again.hash(), world.hash());
    for _ in 0..10 {
        world.step(FRAME);
        again.step(FRAME);
        assert_eq!(again.hash(), world.hash());
    }
}

/// Glass that falls is under no stress, turned anyhow, turning, 1 km from the origin: less than 1 % of its strength of 33 MPa.
#[test]
fn glass_in_flight_reads_no_stress() {
    let stress = figures::stress_in_flight();
    assert!(stress < 330e3, "{stress} Pa");
}

/// Glass that spins carries what its spin pulls with, however fast it is turned in a step: by 0.05, 0.25 and 0.8 rad.
#[test]
fn glass_that_spins_carries_its_spin() {
    for (across, along) in [(3.0, 1.0), (15.0, 5.0), (45.0, 20.0)] {
        let [theory, least, most] = figures::stress_of_spin(across, along);
        // a two-thousandth of what it stands is rounding
        let near = least > 0.95 * theory && most < 1.05 * theory + 16.5e3;
        assert!(near, "{across} rad/s: {least} to {most} Pa instead of {theory} Pa");
    }
}

/// The stiffest there is, far out: glass falls as everything does, turned anyhow, turning, 1 km from the origin.
#[test]
fn glass_falls_as_everything_does() {
    for (position, spin, velocity) in [
        ([0.0; 3], [0.0; 3], [0.0; 3]),
        ([1000.0, -1000.0, 500.0], [0.0; 3], [3.0, 1.0, -2.0]),
        ([1000.0, 0.0, 0.0], [0.05, 0.1, -0.02], [3.0, 0.0, 0.0]),
    ] {
        let mut world = World::new(config(-9.81)).unwrap();
        let mut desc = body(block([50, 2, 2], [0.01; 3]), elastic(2500.0, 7e10, 0.22));
        desc.position = position;
        desc.rotation = Rot::exp(Vec3::new(0.7, -0.4, 1.1));
        (desc.spin, desc.velocity) = (spin, velocity);
        let id = world.spawn(desc).unwrap();
        for _ in 0..60 {
            world.step(FRAME);
        }
        let mass = world.body(id).unwrap().mass();
        let fallen = motion(&world, id).0.y / mass - f64::from(velocity[1]);
        assert!((fallen / -9.81 - 1.0).abs() < 1e-4, "{fallen} m/s after a second");
    }
}

/// Steel at 1/60 s: a held bar carries its weight, and its stress is that of a bar hung up.
#[test]
fn steel_hangs_by_its_weight() {
    let mut world = World::new(config(-9.81)).unwrap();
    let shape = block([3, 20, 3], [0.02; 3]);
    let id = world.spawn(body(shape, elastic(7850.0, 2e11, 0.3))).unwrap();
    let top = Region::Box { min: [-1.0, 0.399, -1.0], max: [1.0; 3] };
    let motion = GripMotion::Hold;
    let grip = world.grip(GripDesc { body: id, region: top, motion, release: None }).unwrap();
    for _ in 0..120 {
        world.step(FRAME);
    }
    let body = world.body(id).unwrap();
    let weight = 9.81 * body.mass();
    let reaction = world.reaction(grip).unwrap().force[1];
    assert!((reaction / weight - 1.0).abs() < 0.01, "{reaction} N for {weight} N");
    // a stretch of 2e-7, where positions are told to 1e-8 m: what can be known of it
    let middle = positions(&world, id);
    assert!(middle.iter().all(|x| x.iter().all(|x| x.is_finite())));
}

/// Stretched and pressed by 15 %, a body that keeps its volume keeps it within 3 %, at ν = 0.49 and 0.499.
#[test]
fn volume_is_kept_at_large_strain() {
    for (nu, strain) in [(0.49, 0.15), (0.49, -0.15), (0.499, 0.15), (0.499, -0.15)] {
        let ratio = figures::volume_at(nu, strain);
        assert!((ratio - 1.0).abs() < 0.03, "ν = {nu}, {strain}: {ratio} of its volume");
    }
}

/// A value changed while it runs takes effect: half as stiff sags twice as far. Density is refused.
#[test]
fn materials_change_while_it_runs() {
    let mut world = World::new(config(-9.81)).unwrap();
    let id = world.spawn(body(block([8, 2, 2], [0.1; 3]), elastic(1000.0, 4e6, 0.3))).unwrap();
    hold_start(&mut world, id, 1e-6);
    let sag = |world: &mut World| {
        for _ in 0..300 {
            world.step(FRAME);
        }
        positions(world, id).iter().map(|x| -x[1]).fold(0.0, f64::max)
    };
    let before = sag(&mut world);
    world.set_material(id, fracas::material::MaterialField::YoungsModulus, 2e6).unwrap();
    let after = sag(&mut world);
    assert!((after / before - 2.0).abs() < 0.05, "{before} and {after}");
    assert!(world.set_material(id, fracas::material::MaterialField::Density, 1.0).is_err());
}

/// Dropped on the floor, a block comes to rest on it, through the solve with contact.
#[test]
fn block_comes_to_rest_on_the_floor() {
    let mut world = World::new(WorldConfig { substeps: 2, ..config(-9.81) }).unwrap();
    world.add_half_space(common::floor()).unwrap();
    let mut desc = body(block([4, 4, 4], [0.1; 3]), elastic(1000.0, 5e5, 0.3));
    desc.position = [0.0, 0.2, 0.0];
    let id = world.spawn(desc).unwrap();
    let mut unconverged = 0;
    for _ in 0..180 {
        unconverged += world.step(FRAME).unconverged;
    }
    let (momentum, _, _) = motion(&world, id);
    let mass = world.body(id).unwrap().mass();
    assert!(momentum.length() / mass < 0.02, "still at {} m/s", momentum.length() / mass);
    let low = positions(&world, id).iter().map(|x| x[1]).fold(1.0, f64::min);
    assert!(low > -0.01 && low < 0.03, "{low}");
    assert!(unconverged < 36, "{unconverged} of 360 solves did not converge");
}
