//! What bars and cubes of tetrahedra do, as figures: for the tests of the engine and the table of what it shows.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use super::tets::{block, body, elastic, hold_start};
use fracas::glam::{DVec3, Vec3};
use fracas::math::Rot;
use fracas::solids::fem::{TetOptions, TetShape, TetSolver};
use fracas::world::{
    BodyDesc, GripDesc, GripMotion, HalfSpaceDesc, MoveKey, PullKey, Region, ShapeDesc,
};
use fracas::{BodyId, World, WorldConfig};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

const FRAME: f32 = 1.0 / 60.0;
const G: f64 = 9.81;

pub fn config(gravity: f32) -> WorldConfig {
    WorldConfig { gravity: [0.0, gravity, 0.0], substeps: 1, ..WorldConfig::default() }
}

/// Where the particles of a body are, in the order of its shape.
pub fn positions(world: &World, id: BodyId) -> Vec<[f64; 3]> {
    let body = world.body(id).unwrap();
    let mut all: Vec<_> = body.particle_ids().iter().zip(body.world_positions()).collect();
    all.sort_by_key(|(id, _)| **id);
    all.into_iter().map(|(_, x)| x).collect()
}

/// E and ν that a bar of E = 1e6 Pa, ν = 0.3 pulled at both ends shows in its middle, over those: it stretches by F/(E A) and gets thinner by ν
/// times that.
pub fn pulled_bar() -> [f64; 2] {
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
    [found / e, -across / along / nu]
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

/// A cantilever that sags by a third of its length.
pub struct Cantilever {
    /// How far its tip has come down in an independent solve, in m.
    pub sag: f64,
    /// The largest distance of a vertex from where that solve has it, of the sag.
    pub off: f64,
    /// What holds it, over its weight.
    pub carried: f64,
}

pub fn cantilever() -> Cantilever {
    cantilever_by(TetSolver::Iterative)
}

pub fn cantilever_by(solver: TetSolver) -> Cantilever {
    let shape = block([8, 2, 2], [0.1; 3]);
    let (e, nu, density) = (1.2e5, 0.3, 1000.0);
    let lame = [e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu))];
    let truth = equilibrium(&shape, lame, density, G);
    let mut world = World::new(config(-G as f32)).unwrap();
    let options = TetOptions { solver, ..TetOptions::default() };
    let material = elastic(density as f32, e as f32, nu as f32);
    let desc = BodyDesc::new("cantilever", ShapeDesc::Tets { shape, options }, vec![material]);
    let id = world.spawn(desc).unwrap();
    let grip = hold_start(&mut world, id, 1e-6);
    // it swings at half a hertz, and only the integrator damps
    for _ in 0..2400 {
        world.step(FRAME);
    }
    let sag = truth.iter().map(|x| -x.y).fold(0.0, f64::max);
    let apart = positions(&world, id).into_iter().zip(&truth);
    let off = apart.map(|(x, y)| (Vector3::from(x) - y).norm()).fold(0.0, f64::max) / sag;
    let weight = G * world.body(id).unwrap().mass();
    Cantilever { sag, off, carried: world.reaction(grip).unwrap().force[1] / weight }
}

/// Sag of a cantilever of 1 m and 0.2 m height under its own weight, small, over that of a Timoshenko beam.
pub fn sag_over_theory(layers: usize) -> f64 {
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

/// The limit of a row of three whose differences shrink evenly (Aitken).
pub fn limit([a, b, c]: [f64; 3]) -> f64 {
    let (last, before) = (c - b, b - a);
    c + last * last / (before - last)
}

/// The first bending frequency of a clamped bar over that of Euler and Bernoulli with the correction for shear and the turning of sections.
pub fn frequency_over_theory() -> f64 {
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
    found / (euler * slender)
}

/// Momentum, angular momentum and kinetic energy of a body.
pub fn motion(world: &World, id: BodyId) -> (DVec3, DVec3, f64) {
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

/// How a body that turns freely drifts in 600 frames.
pub struct Flight {
    /// Of its momentum and angular momentum, relative.
    pub momentum: f64,
    pub angular: f64,
    /// The largest kinetic and elastic energy over the first, and the last.
    pub energy: [f64; 2],
    /// The largest strain at the end.
    pub strain: f32,
}

pub fn free_rotation() -> Flight {
    let mut world = World::new(WorldConfig { books: true, ..config(0.0) }).unwrap();
    let mut desc = body(block([6, 3, 2], [0.1; 3]), elastic(1000.0, 1e6, 0.3));
    desc.velocity = [0.3, -0.2, 0.1];
    desc.spin = [1.0, 3.0, -2.0];
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    let before = about_centre(&world, id);
    let (mut most, mut last) = (before.2, before.2);
    for _ in 0..600 {
        let energy = world.step(FRAME).energy;
        last = energy.kinetic + energy.elastic;
        most = most.max(last);
    }
    let after = about_centre(&world, id);
    let strains = world.body(id).unwrap().strains();
    Flight {
        momentum: (after.0 - before.0).length() / before.0.length(),
        angular: (after.1 - before.1).length() / before.1.length(),
        energy: [most / before.2, last / before.2],
        strain: strains.iter().flatten().fold(0.0f32, |a, e| a.max(e.abs())),
    }
}

/// The same with angular momentum about the centre of mass.
fn about_centre(world: &World, id: BodyId) -> (DVec3, DVec3, f64) {
    let (momentum, angular, kinetic) = motion(world, id);
    let body = world.body(id).unwrap();
    let places = body.world_positions().zip(body.masses());
    let moment: DVec3 = places.map(|(x, &m)| f64::from(m) * DVec3::from(x)).sum();
    (momentum, angular - (moment / body.mass()).cross(momentum), kinetic)
}

/// Volume of a block of ν stretched by this strain, over that at rest, with the volume kept by a term of its own.
pub fn volume_at(nu: f32, strain: f32) -> f64 {
    let shape = block([8, 4, 4], [0.05; 3]);
    let mut world = World::new(WorldConfig { substeps: 2, ..config(0.0) }).unwrap();
    let options = TetOptions { keeps_volume: true, ..TetOptions::default() };
    let desc = ShapeDesc::Tets { shape: shape.clone(), options };
    let id = world.spawn(BodyDesc::new("rubber", desc, vec![elastic(1000.0, 1e5, nu)])).unwrap();
    hold_start(&mut world, id, 1e-6);
    world.apply_commands();
    let before = volume(&shape, &positions(&world, id));
    move_end(&mut world, id, 0.4, &[(0.0, 0.0), (1.0, 0.4 * strain)], None);
    for _ in 0..120 {
        world.step(FRAME);
    }
    let x = positions(&world, id);
    let end = x.iter().map(|x| x[0]).fold(0.0, f64::max);
    assert!((end - 0.4 * f64::from(1.0 + strain)).abs() < 1e-4, "the end is at {end} m");
    volume(&shape, &x) / before
}

fn volume(shape: &TetShape, x: &[[f64; 3]]) -> f64 {
    let of = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| DVec3::from(x[v as usize]));
        (b - a).cross(c - a).dot(d - a) / 6.0
    };
    shape.tets.iter().map(of).sum()
}

/// Moves the far end of a bar of this length along it: (time, shift) in s and m.
fn move_end(world: &mut World, id: BodyId, length: f32, keys: &[(f64, f32)], release: Option<f64>) {
    let region = Region::Box { min: [length - 1e-3, -1.0, -1.0], max: [10.0; 3] };
    let key = |&(time, x): &(f64, f32)| MoveKey { time, offset: [x, 0.0, 0.0], angle: 0.0 };
    let keys = keys.iter().map(key).collect();
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
    world.grip(GripDesc { body: id, region, motion, release }).unwrap();
}

/// Largest strain of a cube 2 s after its one side was let go that had been pushed onto the other (1) or through it to the far side (2).
pub fn strain_after_push(times: f32) -> f32 {
    let mut world = World::new(WorldConfig { substeps: 4, ..config(0.0) }).unwrap();
    let id = world.spawn(body(block([4, 4, 4], [0.1; 3]), elastic(1000.0, 1e5, 0.3))).unwrap();
    let (min, max) = ([f32::NEG_INFINITY; 3], [1e-6, f32::INFINITY, f32::INFINITY]);
    let region = Region::Box { min, max };
    let hold = GripDesc { body: id, region, motion: GripMotion::Hold, release: Some(1.0) };
    world.grip(hold).unwrap();
    move_end(&mut world, id, 0.4, &[(0.0, 0.0), (0.5, -0.4 * times)], Some(1.0));
    for _ in 0..180 {
        world.step(FRAME);
    }
    let strains = world.body(id).unwrap().strains();
    strains.iter().flatten().fold(0.0f32, |a, e| a.max(e.abs()))
}

/// Largest stress that glass in flight reads over a second, in Pa: a bar of 1 m of tetrahedra of 1 cm, turned anyhow, 1 km out, falling and turning.
pub fn stress_in_flight() -> f32 {
    let mut worst = 0.0f32;
    for (position, spin, velocity) in [
        ([0.0; 3], [0.0; 3], [0.0; 3]),
        ([1000.0, -1000.0, 500.0], [0.0; 3], [3.0, 1.0, -2.0]),
        ([1000.0, 0.0, 0.0], [0.05, 0.1, -0.02], [3.0, 0.0, 0.0]),
    ] {
        let mut world = World::new(config(-G as f32)).unwrap();
        let mut desc = body(block([100, 2, 2], [0.01; 3]), elastic(2500.0, 7e10, 0.22));
        desc.position = position;
        desc.rotation = Rot::exp(Vec3::new(0.7, -0.4, 1.1));
        (desc.spin, desc.velocity) = (spin, velocity);
        let id = world.spawn(desc).unwrap();
        for frame in 0..60 {
            world.step(FRAME);
            if frame % 15 == 14 {
                let stresses = world.body(id).unwrap().stresses();
                worst = stresses.iter().fold(worst, |a, s| a.max(s.abs()));
            }
        }
    }
    worst
}

/// Largest stress of a rod of glass, 1 m of tetrahedra of 1 cm, that spins across itself and about itself for a second, in Pa: ρ ω² L²/8, which
/// its middle carries, and the least and the most of all frames.
pub fn stress_of_spin(across: f32, along: f32) -> [f64; 3] {
    let density = 2500.0;
    let mut world = World::new(config(-G as f32)).unwrap();
    let mut desc = body(block([100, 2, 2], [0.01; 3]), elastic(density, 7e10, 0.22));
    let turn = Rot::exp(Vec3::new(0.7, -0.4, 1.1));
    desc.position = [1000.0, 0.0, 0.0];
    desc.rotation = turn;
    desc.spin = (turn * Vec3::new(along, 0.0, across)).to_array();
    let id = world.spawn(desc).unwrap();
    let theory = f64::from(density * across * across) / 8.0;
    let [mut least, mut most] = [f64::MAX, 0.0f64];
    for _ in 0..60 {
        world.step(FRAME);
        let stresses = world.body(id).unwrap().stresses();
        let worst = f64::from(stresses.iter().fold(0.0f32, |a, s| a.max(s.abs())));
        (least, most) = (least.min(worst), most.max(worst));
    }
    [theory, least, most]
}

/// Strain of the lowest of 30 layers of a column that shortens by 0.1 % under its weight, over statics.
pub fn lowest_layer(substeps: u32) -> f64 {
    let (layers, size) = (30, 0.02_f32);
    let height = f64::from(size) * layers as f64;
    let modulus = 1000.0 * G * height / 2e-3;
    let config = WorldConfig { substeps, sleeping: false, ..config(-G as f32) };
    let mut world = World::new(config).unwrap();
    world
        .add_half_space(HalfSpaceDesc { friction: 0.0, friction_static: 0.0, ..Default::default() })
        .unwrap();
    let id = world
        .spawn(body(block([2, layers, 2], [size; 3]), elastic(1000.0, modulus as f32, 0.0)))
        .unwrap();
    for _ in 0..300 {
        world.step(FRAME);
    }
    let mut mean = 0.0;
    for _ in 0..60 {
        world.step(FRAME);
        let x = positions(&world, id);
        let layer = |k: usize| {
            let of = (0..9).map(|i| x[(i / 3 * (layers + 1) + k) * 3 + i % 3][1]);
            of.sum::<f64>() / 9.0
        };
        mean += (1.0 - (layer(1) - layer(0)) / f64::from(size)) / 60.0;
    }
    mean / (2e-3 * (1.0 - 0.5 / layers as f64))
}

/// The hash of a bar of so many cells that sags, after six frames.
pub fn hash_on(threads: u32, cells: [usize; 3]) -> u64 {
    let mut world = World::new(WorldConfig { threads, ..config(-G as f32) }).unwrap();
    let id = world.spawn(body(block(cells, [0.1; 3]), elastic(1000.0, 1e6, 0.3))).unwrap();
    hold_start(&mut world, id, 1e-6);
    for _ in 0..6 {
        world.step(FRAME);
    }
    world.hash()
}
