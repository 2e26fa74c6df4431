//! Bodies of tetrahedra: corotated linear elasticity against closed forms, independent solves and conservation.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::FRAME;
use common::tets::{block, body, elastic, hold_start};
use fracas::glam::{DVec3, Vec3};
use fracas::math::Rot;
use fracas::solids::fem::{TetOptions, TetShape, TetShapeError, TetSolver};
use fracas::world::{BodyDesc, CommandError, GripDesc, GripMotion, PullKey, Region, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

fn config(gravity: f32) -> WorldConfig {
    WorldConfig {
        gravity: [0.0, gravity, 0.0],
        substeps: 1,
        // what rests is still to be solved
        sleeping: false,
        ..WorldConfig::default()
    }
}

fn positions(world: &World, id: BodyId) -> Vec<[f64; 3]> {
    let body = world.body(id).unwrap();
    let mut all: Vec<_> = body.particle_ids().iter().zip(body.world_positions()).collect();
    all.sort_by_key(|(id, _)| **id);
    all.into_iter().map(|(_, x)| x).collect()
}

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

/// Mass is that of the volumes, of every material by itself.
#[test]
fn mass_is_exact_for_several_densities() {
    let mut shape = block([3, 2, 2], [0.1, 0.2, 0.15]);
    shape.materials = (0..shape.tets.len()).map(|t| (t % 2) as u16).collect();
    let volume = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| Vec3::from(shape.vertices[v as usize]).as_dvec3());
        (b - a).cross(c - a).dot(d - a) / 6.0
    };
    let density = |t: usize| if t % 2 == 0 { 700.0 } else { 2500.0 };
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
    let (e, nu, force) = (1e6f64, 0.3f64, 100.0f32);
    let mut world = World::new(WorldConfig { substeps: 2, ..config(0.0) }).unwrap();
    let desc = body(block([24, 4, 4], [0.05; 3]), elastic(1000.0, e as f32, nu as f32));
    let id = world.spawn(desc).unwrap();
    for (low, high, sign) in [(-1.0, 0.0, -1.0f32), (1.2 - 1e-3, 2.0, 1.0)] {
        let region = Region::Box { min: [low, -1.0, -1.0], max: [high, 1.0, 1.0] };
        let key = PullKey { force: [sign * force, 0.0, 0.0], ..PullKey::default() };
        let motion = GripMotion::Pull { keys: vec![key] };
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    }
    for _ in 0..600 {
        world.step(FRAME);
    }
    let x = positions(&world, id);
    let shape = block([24, 4, 4], [0.05; 3]);
    let mean = |keep: &dyn Fn([f32; 3]) -> bool, axis: usize| {
        let all = shape.vertices.iter().zip(&x).filter(|(rest, _)| keep(**rest));
        let (sum, count) = all.fold((0.0, 0.0), |(s, n), (_, x)| (s + x[axis], n + 1.0));
        sum / count
    };
    let near = |a: f32, b: f32| (a - b).abs() < 1e-3;
    // between planes three thicknesses from the ends
    let length = mean(&|r| near(r[0], 0.8), 0) - mean(&|r| near(r[0], 0.4), 0);
    let middle = |r: [f32; 3]| r[0] > 0.4 && r[0] < 0.8;
    let width =
        mean(&|r| middle(r) && near(r[1], 0.2), 1) - mean(&|r| middle(r) && near(r[1], 0.0), 1);
    let (along, across) = (length / 0.4 - 1.0, width / 0.2 - 1.0);
    let found = f64::from(force) / 0.04 / along;
    assert!((found / e - 1.0).abs() < 0.01, "E = {found}");
    assert!((-across / along / nu - 1.0).abs() < 0.01, "ν = {}", -across / along);
}

/// Statics of the corotated energy in f64: x ← x − K_R⁻¹ (∇Ψ − m g) with rotations by SVD, until nothing moves.
fn equilibrium(
    shape: &TetShape,
    [lambda, mu]: [f64; 2],
    density: f64,
    g: f64,
) -> Vec<Vector3<f64>> {
    let n = shape.vertices.len();
    let rest: Vec<Vector3<f64>> = shape
        .vertices
        .iter()
        .map(|v| Vector3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2])))
        .collect();
    let mut x = rest.clone();
    let edges = |p: &[Vector3<f64>], tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| p[v as usize]);
        Matrix3::from_columns(&[b - a, c - a, d - a])
    };
    // the matrix leaves out what turns, so that whole steps would go too far
    const SHARE: f64 = 0.5;
    for round in 0..600 {
        let g = g * (f64::from(round) / 60.0).min(1.0);
        let mut matrix = DMatrix::<f64>::zeros(3 * n, 3 * n);
        let mut force = DVector::<f64>::zeros(3 * n);
        for tet in &shape.tets {
            let inverse = edges(&rest, tet).try_inverse().unwrap();
            let volume = edges(&rest, tet).determinant() / 6.0;
            let f = edges(&x, tet) * inverse;
            let svd = f.svd(true, true);
            let r = svd.u.unwrap() * svd.v_t.unwrap();
            let strain = r.transpose() * f - Matrix3::identity();
            let stress =
                lambda * strain.trace() * Matrix3::identity() + mu * (strain + strain.transpose());
            let mut a = [Vector3::zeros(); 4];
            for i in 1..4 {
                a[i] = r * inverse.row(i - 1).transpose();
                let own = a[i];
                a[0] -= own;
            }
            for i in 0..4 {
                let at = 3 * tet[i] as usize;
                let pull = r * stress * r.transpose() * a[i] * volume;
                for k in 0..3 {
                    force[at + k] -= pull[k];
                }
                force[at + 1] -= density * volume / 4.0 * g;
                for j in 0..4 {
                    let block = (lambda * a[i] * a[j].transpose()
                        + mu * a[j] * a[i].transpose()
                        + mu * a[i].dot(&a[j]) * Matrix3::identity())
                        * volume;
                    let to = 3 * tet[j] as usize;
                    for p in 0..3 {
                        for q in 0..3 {
                            matrix[(at + p, to + q)] += block[(p, q)];
                        }
                    }
                }
            }
        }
        for v in (0..n).filter(|&v| rest[v].x < 1e-6) {
            for k in 0..3 {
                matrix.row_mut(3 * v + k).fill(0.0);
                matrix.column_mut(3 * v + k).fill(0.0);
                matrix[(3 * v + k, 3 * v + k)] = 1.0;
                force[3 * v + k] = 0.0;
            }
        }
        let way = matrix.cholesky().unwrap().solve(&force);
        for v in 0..n {
            x[v] += SHARE * Vector3::new(way[3 * v], way[3 * v + 1], way[3 * v + 2]);
        }
        if round > 60 && way.amax() < 1e-9 {
            return x;
        }
    }
    panic!("the reference does not converge");
}

/// A cantilever that sags by a third of its length: every vertex within 1 % of the sag of where an independent solve has it.
#[test]
fn cantilever_comes_to_rest_at_the_solution_of_an_independent_solve() {
    let shape = block([8, 2, 2], [0.1; 3]);
    let (e, nu, density) = (1.2e5, 0.3, 1000.0);
    let lame = [e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu))];
    let truth = equilibrium(&shape, lame, density, 9.81);
    let mut world = World::new(config(-9.81)).unwrap();
    let id =
        world.spawn(body(shape.clone(), elastic(density as f32, e as f32, nu as f32))).unwrap();
    let grip = hold_start(&mut world, id, 1e-6);
    // it swings at half a hertz, and only the integrator damps
    for _ in 0..2400 {
        world.step(FRAME);
    }
    let sag = truth.iter().map(|x| -x.y).fold(0.0, f64::max);
    assert!(sag > 0.2, "{sag}");
    for (v, x) in positions(&world, id).into_iter().enumerate() {
        let apart = (Vector3::from(x) - truth[v]).norm();
        assert!(apart < 0.01 * sag, "vertex {v} is {apart} m off, at a sag of {sag} m");
    }
    // what holds it carries its weight
    let body = world.body(id).unwrap();
    let weight = 9.81 * body.mass();
    let reaction = world.reaction(grip).unwrap();
    assert!((reaction.force[1] / weight - 1.0).abs() < 1e-3, "{:?} for {weight} N", reaction.force);
}

/// Sag of a cantilever of 1 m and 0.2 m height under its own weight, small, over that of a Timoshenko beam.
fn sag_over_theory(layers: usize) -> f64 {
    let (length, height, e, nu, density, g) = (1.0, 0.2, 1e7, 0.3, 1000.0, 9.81);
    let cell = height / layers as f64;
    let along = (length / cell).round() as usize;
    let spacing = [(length / along as f64) as f32, cell as f32, cell as f32];
    let shape = block([along, layers, layers], spacing);
    let mut world = World::new(WorldConfig { sweeps: 32, ..config(-g as f32) }).unwrap();
    let id = world.spawn(body(shape, elastic(density as f32, e as f32, nu as f32))).unwrap();
    hold_start(&mut world, id, 1e-6);
    for _ in 0..120 {
        world.step(FRAME);
    }
    let tip = positions(&world, id).into_iter().filter(|x| x[0] > 0.99);
    let (sum, count) = tip.fold((0.0, 0.0), |(sum, n), x| (sum + x[1], n + 1.0));
    let sag = 0.5 * height - sum / count;
    let load = density * g * height * height;
    let inertia = height.powi(4) / 12.0;
    let shear = e / (2.0 * (1.0 + nu)) * height * height * 5.0 / 6.0;
    sag / (load * length.powi(4) / (8.0 * e * inertia) + load * length * length / (2.0 * shear))
}

/// Linear tetrahedra are too stiff in bending; with twice the layers the error is less than half, and the limit is beam theory.
#[test]
fn cantilever_converges_to_beam_theory_with_layers() {
    let found = [2, 4, 8].map(sag_over_theory);
    let errors = found.map(|ratio| 1.0 - ratio);
    assert!(errors[0] > errors[1] && errors[1] > errors[2], "{found:?}");
    assert!(errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2], "{found:?}");
    // the limit of a row whose differences shrink evenly (Aitken)
    let (last, before) = (found[2] - found[1], found[1] - found[0]);
    let limit = found[2] + last * last / (before - last);
    assert!((limit - 1.0).abs() < 0.02, "{limit} from {found:?}");
}

/// The first bending frequency of a clamped bar, against Euler and Bernoulli with the correction for shear and the turning of sections.
#[test]
fn bar_swings_at_its_bending_frequency() {
    let (length, height, e, density) = (1.0f64, 0.1f64, 2e7f64, 1000.0f64);
    let shape = block([80, 8, 8], [0.0125; 3]);
    let mut world = World::new(WorldConfig { substeps: 8, ..config(0.0) }).unwrap();
    let id = world.spawn(body(shape, elastic(density as f32, e as f32, 0.0))).unwrap();
    hold_start(&mut world, id, 1e-6);
    let tip = |world: &World| {
        let tip = positions(world, id).into_iter().filter(|x| x[0] > 0.97);
        tip.map(|x| x[1]).sum::<f64>()
    };
    world.apply_commands();
    let rest = tip(&world);
    // a push about along the first mode, so that it swings alone
    let found = world.body(id).unwrap();
    let (ids, masses) = (found.particle_ids().to_vec(), found.masses().to_vec());
    for ((particle, mass), x) in ids.into_iter().zip(masses).zip(positions(&world, id)) {
        let force = mass * 6.0 * (x[0] * x[0]) as f32;
        world.push(id, particle, [0.0, force, 0.0], [0.0; 3]).unwrap();
    }
    let (mut time, mut last, mut crossings) = (0.0, 0.0, Vec::new());
    while crossings.len() < 3 && time < 3.0 {
        world.step(FRAME / 2.0);
        time += f64::from(FRAME) / 2.0;
        let way = tip(&world) - rest;
        if time > 0.05 && last * way < 0.0 {
            crossings.push(time - f64::from(FRAME) / 2.0 * way / (way - last));
        }
        last = way;
    }
    let found = 1.0 / (crossings[2] - crossings[0]);
    let radius2 = height * height / 12.0;
    let euler =
        1.8751f64.powi(2) / std::f64::consts::TAU * (e * radius2 / density).sqrt() / length.powi(2);
    // Timoshenko, to first order: turning, and shear with E/(κ G) = 2·6/5 for ν = 0
    let slender = 1.0 - 0.5 * radius2 / length.powi(2) * (4.648 + 2.4 * 1.8751f64.powi(4) / 4.648);
    let truth = euler * slender;
    assert!(
        (found / truth - 1.0).abs() < 0.03,
        "{found} Hz instead of {truth} Hz (slender: {euler} Hz)"
    );
}

fn motion(world: &World, id: BodyId) -> (DVec3, DVec3, f64) {
    let body = world.body(id).unwrap();
    let (mut momentum, mut angular, mut kinetic) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for piece in body.pieces() {
        let origin = DVec3::from(piece.origin());
        let all = body.positions(piece).iter().zip(body.velocities(piece)).zip(body.masses());
        for ((x, v), &m) in all {
            let (x, v) = (origin + Vec3::from(*x).as_dvec3(), Vec3::from(*v).as_dvec3());
            momentum += f64::from(m) * v;
            angular += f64::from(m) * x.cross(v);
            kinetic += 0.5 * f64::from(m) * v.length_squared();
        }
    }
    (momentum, angular, kinetic)
}

/// A body that turns freely keeps its momenta, wins no energy and stays as it is: no ghost forces.
#[test]
fn free_rotation_has_no_ghost_forces() {
    let mut world = World::new(config(0.0)).unwrap();
    let mut desc = body(block([6, 3, 2], [0.1; 3]), elastic(1000.0, 1e6, 0.3));
    desc.velocity = [0.3, -0.2, 0.1];
    desc.spin = [1.0, 3.0, -2.0];
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    let before = motion(&world, id);
    let mut most = before.2;
    for _ in 0..600 {
        world.step(FRAME);
        most = most.max(motion(&world, id).2);
    }
    let after = motion(&world, id);
    assert!((after.0 - before.0).length() < 1e-5 * before.0.length(), "{before:?} {after:?}");
    assert!((after.1 - before.1).length() < 1e-4 * before.1.length(), "{before:?} {after:?}");
    // what backward Euler takes of an elastic body that is stretched by its spin, and no more
    assert!(most < 1.001 * before.2 && after.2 > 0.98 * before.2, "{before:?} {after:?}");
    let strains = world.body(id).unwrap().strains();
    let largest = strains.iter().flatten().fold(0.0f32, |a, e| a.max(e.abs()));
    assert!(largest < 0.01, "{largest}");
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
        let hash = |threads: u32| {
            let mut world = World::new(WorldConfig { threads, ..config(-9.81) }).unwrap();
            let id = world.spawn(body(block(cells, [0.1; 3]), elastic(1000.0, 1e6, 0.3))).unwrap();
            hold_start(&mut world, id, 1e-6);
            for _ in 0..6 {
                world.step(FRAME);
            }
            world.hash()
        };
        let one = hash(1);
        for threads in [2, 3] {
            assert_eq!(hash(threads), one, "{threads} threads, {cells:?}");
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

/// Glass in flight feels no more than rounding: a bar of 1 m of tetrahedra of 1 cm, turned anyhow, turning, 1 km out. Positions half a metre
/// from the origin of the piece are told to 1.5e-8 m, and a substep rounds them three times: by 3 to 5e-6 of the strain of one tetrahedron of 1 cm.
/// A corner of the surface, where the fit reads beyond the middles, reads some of these: 5e-5 of E are allowed.
#[test]
fn rigid_motion_of_glass_makes_no_stress() {
    const ROUNDING: f32 = 5e-5 * 7e10;
    for (position, spin, velocity) in [
        ([0.0; 3], [0.0; 3], [0.0; 3]),
        ([1000.0, -1000.0, 500.0], [0.0; 3], [3.0, 1.0, -2.0]),
        ([1000.0, 0.0, 0.0], [0.05, 0.1, -0.02], [3.0, 0.0, 0.0]),
    ] {
        let mut world = World::new(config(-9.81)).unwrap();
        let mut desc = body(block([100, 2, 2], [0.01; 3]), elastic(2500.0, 7e10, 0.22));
        desc.position = position;
        desc.rotation = Rot::exp(Vec3::new(0.7, -0.4, 1.1));
        (desc.spin, desc.velocity) = (spin, velocity);
        let id = world.spawn(desc).unwrap();
        let mut most = 0.0f32;
        for frame in 0..60 {
            world.step(FRAME);
            if frame % 15 == 14 {
                let stresses = world.body(id).unwrap().stresses();
                most = stresses.iter().fold(most, |a, s| a.max(s.abs()));
            }
        }
        assert!(most < ROUNDING, "{most} Pa at {position:?}, turning {spin:?}");
        // and it falls as it must
        let fallen =
            motion(&world, id).0.y / world.body(id).unwrap().mass() - f64::from(velocity[1]);
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
        let shape = block([8, 4, 4], [0.05; 3]);
        let volume = |x: &[[f64; 3]]| -> f64 {
            let of = |tet: &[u32; 4]| {
                let [a, b, c, d] = tet.map(|v| DVec3::from(x[v as usize]));
                (b - a).cross(c - a).dot(d - a) / 6.0
            };
            shape.tets.iter().map(of).sum()
        };
        let mut world = World::new(WorldConfig { substeps: 2, ..config(0.0) }).unwrap();
        let options = TetOptions { keeps_volume: true, ..TetOptions::default() };
        let desc = ShapeDesc::Tets { shape: shape.clone(), options };
        let id =
            world.spawn(BodyDesc::new("rubber", desc, vec![elastic(1000.0, 1e5, nu)])).unwrap();
        hold_start(&mut world, id, 1e-6);
        world.apply_commands();
        let before = volume(&positions(&world, id));
        let region = Region::Box { min: [0.399, -1.0, -1.0], max: [1.0; 3] };
        let key = |time, x: f32| fracas::world::MoveKey { time, offset: [x, 0.0, 0.0], angle: 0.0 };
        let keys = vec![key(0.0, 0.0), key(1.0, 0.4 * strain)];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
        for _ in 0..120 {
            world.step(FRAME);
        }
        let x = positions(&world, id);
        let after = volume(&x);
        assert!((after / before - 1.0).abs() < 0.03, "ν = {nu}, {strain}: {before} to {after} m³");
        let end = x.iter().map(|x| x[0]).fold(0.0, f64::max);
        assert!((end - 0.4 * f64::from(1.0 + strain)).abs() < 1e-4, "{end}");
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
