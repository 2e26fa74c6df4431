//! Oracles of seeds 001 and 003, energy against finite differences in f64, the system against its dense form, recovery.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::material::MaterialDesc;
use crate::parallel::Workers;
use crate::solids::fem::topology::{Born, is_joined, outward};
use crate::world::ParticleId;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Unit tetrahedron of oracle 001.1.
fn unit_tet() -> TetShape {
    TetShape {
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        tets: vec![[0, 1, 2, 3]],
        ..TetShape::default()
    }
}

/// A cube of n³ cells of six tetrahedra each, all of one handedness.
fn cube(n: usize, size: f32) -> TetShape {
    block([n; 3], [size / n as f32; 3])
}

fn block(cells: [usize; 3], spacing: [f32; 3]) -> TetShape {
    let [ny, nz] = [cells[1] + 1, cells[2] + 1];
    let mut shape = TetShape::default();
    for i in 0..=cells[0] {
        for j in 0..ny {
            for k in 0..nz {
                let at = [i, j, k].map(|n| n as f32);
                shape.vertices.push([0, 1, 2].map(|a| spacing[a] * at[a]));
            }
        }
    }
    let place = |i: usize, j: usize, k: usize| ((i * ny + j) * nz + k) as u32;
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                for [a, b, c] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]]
                {
                    // along the edges of the cell, one axis after the other
                    let mut at = [i, j, k];
                    let mut path = vec![place(at[0], at[1], at[2])];
                    for axis in [a, b, c] {
                        at[axis] += 1;
                        path.push(place(at[0], at[1], at[2]));
                    }
                    let even = (b + 3 - a) % 3 == 1;
                    let [p, q, r, s] = [path[0], path[1], path[2], path[3]];
                    shape.tets.push(if even { [p, q, r, s] } else { [p, r, q, s] });
                    assert!(a != c);
                }
            }
        }
    }
    shape
}

fn build(shape: &TetShape, density: f32, e: f32, nu: f32) -> (Particles, Corotated) {
    let desc = MaterialDesc {
        density: density.into(),
        youngs_modulus: e.into(),
        poisson_ratio: nu.into(),
        ..MaterialDesc::default()
    };
    let material = Material::try_from(&desc).unwrap();
    let (particles, solid, _) =
        Corotated::build(shape, TetOptions::default(), &[material], 0).unwrap();
    (particles, solid)
}

fn step(h: f32, sweeps: u32) -> Step {
    Step { h, sweeps, workers: Workers::default() }
}

fn linear(linear: &mut [Vec3]) -> DofsMut<'_> {
    DofsMut { linear, angular: &mut [] }
}

/// K without mass: over so long a substep there is none.
fn stiffness(particles: &Particles, solid: &mut Corotated) -> DMatrix<f64> {
    let (all, step) = (0..particles.len(), step(1e7, 8));
    solid.measure(particles, all.clone(), &step);
    solid.linearise(particles, all.clone(), &step);
    let n = particles.len();
    let mut matrix = DMatrix::zeros(3 * n, 3 * n);
    for column in 0..3 * n {
        let mut p = vec![Vec3::ZERO; n];
        p[column / 3][column % 3] = 1.0;
        let mut out = vec![Vec3::ZERO; n];
        let p = DofsRef { linear: &p, angular: &[] };
        solid.product(particles, all.clone(), &step, p, linear(&mut out));
        for (row, f) in out.iter().flat_map(|f| f.to_array()).enumerate() {
            matrix[(row, column)] = f64::from(f);
        }
    }
    matrix
}

/// Oracle 001.1: K of the unit tetrahedron for E = 1, ν = 0.25.
#[test]
fn stiffness_is_the_printed_one() {
    let (particles, mut solid) = build(&unit_tet(), 1.0, 1.0, 0.25);
    let k = stiffness(&particles, &mut solid);
    assert!((k.trace() - 2.0).abs() < 2e-6, "trace {}", k.trace());
    let row = [-0.2, -1.0 / 15.0, -1.0 / 15.0, 0.2, 0.0, 0.0];
    for (j, wanted) in row.into_iter().enumerate() {
        assert!((k[(3, j)] - wanted).abs() < 2e-6, "K[3][{j}] = {}", k[(3, j)]);
    }
    let mut found: Vec<f64> = k.clone().symmetric_eigen().eigenvalues.iter().copied().collect();
    found.sort_by(f64::total_cmp);
    let third = 1.0 / 3.0;
    let wanted = [
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.133333333,
        0.133333333,
        0.206734701,
        third,
        third,
        0.859931966,
    ];
    for (found, wanted) in found.into_iter().zip(wanted) {
        assert!((found - wanted).abs() < 2e-6, "{found} instead of {wanted}");
    }
    let shift = DVector::from_fn(12, |i, _| [0.3, -1.0, 0.7][i % 3]);
    let turn = DVector::from_fn(12, |i, _| {
        let x = Vec3::from(unit_tet().vertices[i / 3]);
        f64::from(Vec3::new(0.2, -0.5, 1.0).cross(x)[i % 3])
    });
    assert!((&k * shift).amax() < 1e-6 && (&k * turn).amax() < 1e-6);
}

/// Oracle 001.2: stretched by 1 % along x, it pulls back, and by as much.
#[test]
fn stretched_tetrahedron_pulls_back() {
    let (mut particles, mut solid) = build(&unit_tet(), 1.0, 1.0, 0.25);
    particles.position.iter_mut().for_each(|x| x.x *= 1.01);
    let mut force = vec![Vec3::ZERO; 4];
    solid.audit(&particles, 0..4, &step(0.01, 8), linear(&mut force));
    let third = 0.002 / 3.0;
    let wanted =
        [[0.002, third, third], [-0.002, 0.0, 0.0], [0.0, -third, 0.0], [0.0, 0.0, -third]];
    for (found, wanted) in force.into_iter().zip(wanted) {
        assert!((found - Vec3::from(wanted)).length() < 2e-7, "{found} instead of {wanted:?}");
    }
}

/// Oracle 003.3: linear forces of a displacement with shear; the solver's product is what holds against them.
#[test]
fn sheared_tetrahedron_has_the_printed_forces() {
    let (particles, mut solid) = build(&unit_tet(), 1.0, 1.0, 0.25);
    let k = stiffness(&particles, &mut solid);
    let gradient = [[0.01, 0.003, 0.0], [0.0, -0.002, 0.001], [0.002, 0.0, 0.004]];
    let u = DVector::from_fn(12, |i, _| {
        let x = unit_tet().vertices[i / 3];
        (0..3).map(|k| gradient[i % 3][k] * f64::from(x[k])).sum()
    });
    let wanted = [
        0.002466667,
        0.0008,
        0.001533333,
        -0.002133333,
        -0.0002,
        -0.000133333,
        -0.0002,
        -0.000533333,
        -0.000066667,
        -0.000133333,
        -0.000066667,
        -0.001333333,
    ];
    for (held, wanted) in (k * u).iter().zip(wanted) {
        assert!((held + wanted).abs() < 1e-8, "{} instead of {wanted}", -held);
    }
}

/// Oracle 003.1.
#[test]
fn lame_constants_are_those_of_the_erratum() {
    let cases = [
        (0.1, 0.113636364),
        (0.25, 0.4),
        (0.3, 0.576923077),
        (0.4, 1.428571429),
        (0.45, 3.103448276),
        (0.49, 16.44295302),
    ];
    for (nu, lambda) in cases {
        let (_, solid) = build(&unit_tet(), 1.0, 1.0, nu);
        let found = f64::from(solid.elements.tets.lame[0][0]) * 6.0;
        assert!((found / lambda - 1.0).abs() < 2e-5, "ν = {nu}: {found} instead of {lambda}");
        let mu = f64::from(solid.elements.tets.lame[1][0]) * 6.0 * 2.0 * (1.0 + f64::from(nu));
        assert!((mu - 1.0).abs() < 1e-6);
    }
}

/// Oracle 003.4: a turned tetrahedron feels nothing, a mirrored one keeps its frame and the sign is on the smallest stretch.
#[test]
fn rotation_costs_nothing_and_inversion_keeps_its_frame() {
    let (mut particles, mut solid) = build(&unit_tet(), 1.0, 1.0, 0.25);
    let rest = particles.position.clone();
    let turn = Rot::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 40f32.to_radians());
    particles.position.iter_mut().for_each(|x| *x = turn * *x);
    let mut force = vec![Vec3::ZERO; 4];
    let energy = solid.audit(&particles, 0..4, &step(0.01, 8), linear(&mut force));
    assert!(energy < 1e-12 && force.iter().all(|f| f.length() < 1e-6), "{energy} {force:?}");

    for (scale, wanted) in [
        (Vec3::new(-0.5, 1.0, 1.0), [-0.5, 1.0, 1.0]),
        (Vec3::new(1.0, -0.7, 1.0), [1.0, -0.7, 1.0]),
    ] {
        particles.position = rest.iter().map(|x| *x * scale).collect();
        solid.rotation.fill(Rot::from_axis_angle(Vec3::X, 0.3));
        let (all, step) = (0..4, step(0.01, 8));
        for _ in 0..6 {
            solid.measure(&particles, all.clone(), &step);
            solid.linearise(&particles, all.clone(), &step);
        }
        let s = solid.distortion(&particles, 0);
        let diagonal = [s.x_axis.x, s.y_axis.y, s.z_axis.z].map(|x| 1.0 + x);
        for (found, wanted) in diagonal.into_iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-4, "{diagonal:?}");
        }
    }
}

/// Ψ in f64, with rotations by an SVD of another library.
fn energy(shape: &TetShape, x: &[Vector3<f64>], lambda: f64, mu: f64) -> f64 {
    let point = |v: u32| {
        let [x, y, z] = shape.vertices[v as usize].map(f64::from);
        Vector3::new(x, y, z)
    };
    let edges =
        |p: [Vector3<f64>; 4]| Matrix3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]]);
    let mut sum = 0.0;
    for &tet in &shape.tets {
        let rest = edges(tet.map(point));
        let f = edges(tet.map(|v| x[v as usize])) * rest.try_inverse().unwrap();
        let svd = f.svd(true, true);
        let r = svd.u.unwrap() * svd.v_t.unwrap();
        let strain = (r.transpose() * f + f.transpose() * r) * 0.5 - Matrix3::identity();
        let volume = rest.determinant() / 6.0;
        sum += volume * (mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2));
    }
    sum
}

/// Forces are −∇Ψ of an energy that is written down elsewhere, in any orientation.
#[test]
fn forces_are_the_slope_of_the_energy() {
    let shape = cube(2, 1.0);
    let (mut particles, mut solid) = build(&shape, 1000.0, 1e5, 0.3);
    let turn = Rot::exp(Vec3::new(1.0, 2.0, -0.5));
    let noise = |k: usize| 0.06 * ((k as f32 * 12.9898).sin() * 43_758.547).fract();
    for (j, x) in particles.position.iter_mut().enumerate() {
        let bump = Vec3::new(noise(3 * j), noise(3 * j + 1), noise(3 * j + 2));
        *x = turn * (*x + bump);
    }
    let all = 0..particles.len();
    solid.turn(all.clone(), turn);
    let mut force = vec![Vec3::ZERO; particles.len()];
    let found = solid.audit(&particles, all, &step(0.01, 8), linear(&mut force));
    let (lambda, mu) = (1e5 * 0.3 / (1.3 * 0.4), 1e5 / 2.6);
    let mut x: Vec<Vector3<f64>> = particles
        .position
        .iter()
        .map(|x| Vector3::new(f64::from(x.x), f64::from(x.y), f64::from(x.z)))
        .collect();
    let whole = energy(&shape, &x, lambda, mu);
    assert!((found / whole - 1.0).abs() < 1e-5, "{found} instead of {whole}");
    let scale = force.iter().map(|f| f.length()).fold(0.0, f32::max);
    for j in 0..x.len() {
        for k in 0..3 {
            let at = x[j][k];
            let mut slope = 0.0;
            for side in [1.0, -1.0] {
                x[j][k] = at + side * 1e-5;
                slope += side * energy(&shape, &x, lambda, mu) / 2e-5;
            }
            x[j][k] = at;
            let error = (f64::from(force[j][k]) + slope).abs();
            assert!(error < 2e-5 * f64::from(scale), "vertex {j}: {} and {slope}", force[j][k]);
        }
    }
}

/// The product is symmetric, not below 0, and translation is exactly free of force.
#[test]
fn system_is_symmetric_and_shifts_are_free() {
    let shape = cube(2, 1.0);
    let (mut particles, mut solid) = build(&shape, 1000.0, 1e5, 0.3);
    let turn = Rot::exp(Vec3::new(-0.7, 0.4, 2.0));
    for (j, x) in particles.position.iter_mut().enumerate() {
        *x = turn * (*x + 0.05 * Vec3::new((j as f32).sin(), (3.0 * j as f32).cos(), 0.0));
    }
    solid.turn(0..particles.len(), turn);
    let k = stiffness(&particles, &mut solid);
    assert!((&k - k.transpose()).amax() < 1e-6 * k.amax());
    let least = k.clone().symmetric_eigen().eigenvalues.min();
    assert!(least > -1e-5 * k.amax(), "{least}");
    let shift = Vec3::new(0.5, -2.0, 1.25);
    let given = vec![shift; particles.len()];
    let mut out = given.clone();
    let step = step(1e7, 8);
    let p = DofsRef { linear: &given, angular: &[] };
    solid.product(&particles, 0..particles.len(), &step, p, linear(&mut out));
    for (j, f) in out.iter().enumerate() {
        // inertia alone, 1e19 times smaller than the stiffness times the shift
        let inertia = particles.mass[j] / 1e14 * shift;
        assert!((*f - inertia).length() < 1e-6 * inertia.length(), "{f} instead of {inertia}");
    }
}

/// Steps a free piece without forces, as the world does.
fn move_on(particles: &mut Particles, solid: &mut Corotated, step: &Step) -> Residual {
    let all = 0..particles.len();
    for j in all.clone() {
        particles.previous[j] = particles.position[j];
        particles.inertial[j] = particles.position[j] + step.h * particles.velocity[j];
    }
    let residual = solid.solve_alone(particles, all.clone(), &mut [], step);
    for j in all {
        particles.velocity[j] += particles.correction[j] / step.h;
    }
    residual
}

/// A cube pressed flat, one turned inside out, and one all of whose vertices are thrown about come back within 2 s.
#[test]
fn crushed_and_inverted_cubes_recover() {
    let shape = cube(3, 0.3);
    type Map = fn(usize, Vec3) -> Vec3;
    let maps: [(&str, Map); 4] = [
        ("flat", |_, x| Vec3::new(x.x, 0.0, x.z)),
        ("a point", |_, _| Vec3::splat(0.1)),
        ("inside out", |_, x| Vec3::new(-x.x, x.y, x.z)),
        ("thrown about", |j, _| {
            let noise = |k: usize| 0.3 * ((k as f32 * 78.233).sin() * 43_758.547).fract();
            Vec3::new(noise(3 * j), noise(3 * j + 1), noise(3 * j + 2))
        }),
    ];
    for (name, map) in maps {
        let (mut particles, mut solid) = build(&shape, 1000.0, 1e5, 0.3);
        for j in 0..particles.len() {
            particles.position[j] = map(j, particles.rest[j]);
        }
        let step = step(1.0 / 240.0, 8);
        for _ in 0..480 {
            move_on(&mut particles, &mut solid, &step);
        }
        for t in 0..solid.elements.tets.len() {
            let f = DMat3::IDENTITY + solid.distortion(&particles, t);
            let strain = solid.strain_of(&particles, t).norm();
            assert!(f.determinant() > 0.5 && strain < 0.2, "{name}: tetrahedron {t} is {f}");
        }
    }
}

/// The frame of the piece turns with it: the solve takes as many iterations at any angle.
#[test]
fn iterations_do_not_grow_when_the_body_is_turned() {
    let shape = block([8, 3, 3], [0.1; 3]);
    let mut counts = Vec::new();
    for turn in
        [Vec3::ZERO, Vec3::new(0.0, 0.8, 0.0), Vec3::new(1.5, -2.0, 0.7), Vec3::new(0.0, 0.0, 3.1)]
    {
        let (mut particles, mut solid) = build(&shape, 1000.0, 1e6, 0.3);
        let turn = Rot::exp(turn);
        particles.position.iter_mut().for_each(|x| *x = turn * *x);
        solid.turn(0..particles.len(), turn);
        let load = turn * Vec3::new(0.0, 0.0, -300.0);
        let least = step(1.0 / 60.0, 1);
        for j in 0..particles.len() {
            particles.previous[j] = particles.position[j];
            // as if one half was pushed
            let push = if particles.rest[j].x > 0.4 { load } else { -load };
            particles.acceleration[j] = push;
            particles.inertial[j] = particles.position[j] + least.h * least.h * push;
        }
        let all = 0..particles.len();
        let residual = solid.solve_alone(&mut particles, all, &mut [], &least);
        assert!(residual.converged(), "{residual:?}");
        counts.push(solid.system.iterations);
    }
    assert!(counts.iter().all(|&n| n.abs_diff(counts[0]) <= 1), "{counts:?}");
}

/// Opens the face of a tetrahedron opposite one of its corners.
fn open_face(solid: &mut Corotated, particles: &mut Particles, tet: usize, corner: usize) {
    let Elements { tets, topology, .. } = &mut solid.elements;
    let face = outward(tets.corners[tet])[corner];
    let mut born = Vec::new();
    topology.split_face(&mut tets.corners, tet as u32, corner, particles.len(), &mut born);
    for Born { parent, .. } in &born {
        particles.push_copy(*parent as usize, ParticleId(particles.len() as u64));
    }
    let opened = born.iter().flat_map(|born| [born.parent, born.vertex]).chain(face);
    opened.for_each(|v| particles.broken[v as usize] = true);
}

/// Where volume is kept by a term of its own, forces are still the slope of the energy, and the matrix is that of the linear one at rest.
#[test]
fn kept_volume_has_forces_from_its_energy() {
    let shape = cube(1, 1.0);
    let material = MaterialDesc {
        youngs_modulus: 1e5f32.into(),
        poisson_ratio: 0.45f32.into(),
        ..MaterialDesc::default()
    };
    let material = Material::try_from(&material).unwrap();
    let options = TetOptions { keeps_volume: true, ..TetOptions::default() };
    let (mut particles, mut solid, _) = Corotated::build(&shape, options, &[material], 0).unwrap();
    let (mut plain_particles, mut plain) = build(&shape, 1000.0, 1e5, 0.45);
    let (kept, linear_one) =
        (stiffness(&particles, &mut solid), stiffness(&plain_particles, &mut plain));
    assert!((&kept - &linear_one).amax() < 1e-5 * kept.amax());
    plain_particles.position.clear();

    for (j, x) in particles.position.iter_mut().enumerate() {
        let t = j as f32;
        *x = Vec3::new(1.2 * x.x + 0.1 * x.y, 0.9 * x.y, x.z)
            + 0.05 * Vec3::new(t.sin(), t.cos(), (2.0 * t).sin());
    }
    let all = 0..particles.len();
    let mut force = vec![Vec3::ZERO; particles.len()];
    let step = step(0.01, 8);
    // by many small turns from the last
    let audit = |particles: &Particles, solid: &mut Corotated, force: &mut [Vec3]| {
        solid.audit(particles, 0..particles.len(), &step, linear(force))
    };
    audit(&particles, &mut solid, &mut force);
    let scale = force.iter().map(|f| f.length()).fold(0.0, f32::max);
    let mut room = force.clone();
    for j in all {
        for k in 0..3 {
            let at = particles.position[j][k];
            let mut slope = 0.0;
            for side in [1.0, -1.0] {
                particles.position[j][k] = at + side * 1e-2;
                slope += f64::from(side) * audit(&particles, &mut solid, &mut room) / 2e-2;
            }
            particles.position[j][k] = at;
            let error = (f64::from(force[j][k]) + slope).abs();
            assert!(error < 3e-3 * f64::from(scale), "vertex {j}: {} and {slope}", force[j][k]);
        }
    }
}

/// A bar with cracks, by planes that go halfway through from both sides: aggregates know them, the lattice and blocks alone do not.
#[test]
fn aggregates_know_cracks() {
    let mut counts = Vec::new();
    for knows in [true, false] {
        let (mut particles, mut solid) = build(&block([16, 6, 6], [0.1; 3]), 1000.0, 1e9, 0.3);
        let count = particles.len();
        let middle = |particles: &Particles, solid: &Corotated, t: usize| {
            let sum: Vec3 =
                solid.elements.tets.corners[t].iter().map(|&v| particles.rest[v as usize]).sum();
            0.25 * sum
        };
        for (plane, (x, above)) in
            [(0.4, true), (0.7, false), (1.0, true), (1.3, false)].into_iter().enumerate()
        {
            for t in 0..solid.elements.tets.len() {
                for corner in 0..4 {
                    let other = solid.elements.topology.across()[t][corner];
                    if !is_joined(other) {
                        continue;
                    }
                    let [a, b] =
                        [middle(&particles, &solid, t), middle(&particles, &solid, other as usize)];
                    let inside = |p: Vec3| if above { p.y > 0.15 } else { p.y < 0.45 };
                    if a.x < x && b.x > x && inside(a) && inside(b) {
                        open_face(&mut solid, &mut particles, t, corner);
                    }
                }
            }
            let born = particles.len() - count;
            assert!(born > 10 * (plane + 1), "plane {plane} has opened too little");
        }
        let Elements { tets, topology, .. } = std::mem::take(&mut solid.elements);
        let elements = Elements::new(tets, topology, particles.len());
        for j in 0..particles.len() {
            particles.mass[j] = elements.tets.mass_of(&elements.stars, j) as f32;
        }
        solid = Corotated::from_elements(elements, TetOptions::default());
        solid.validate(&particles);
        if !knows {
            particles.broken.fill(false);
        }
        particles.held.iter_mut().zip(&particles.rest).for_each(|(held, x)| *held = x.x == 0.0);
        let step = step(1.0 / 60.0, 8);
        let load = Vec3::new(0.0, -9.81, 0.0);
        for j in 0..particles.len() {
            particles.acceleration[j] = load;
            particles.inertial[j] = particles.position[j] + step.h * step.h * load;
        }
        let all = 0..particles.len();
        let mut held: Vec<Held> = all
            .clone()
            .filter(|&j| particles.held[j])
            .map(|j| Held {
                particle: j as u32,
                grip: 0,
                position: particles.position[j],
                orientation: Rot::IDENTITY,
                force: Vec3::ZERO,
                torque: Vec3::ZERO,
            })
            .collect();
        let residual = solid.solve_alone(&mut particles, all, &mut held, &step);
        counts.push((solid.system.iterations, residual));
    }
    println!("with aggregates {:?}, with the lattice {:?}", counts[0], counts[1]);
    assert!(counts[0].1.converged(), "{:?}", counts[0]);
    assert!(counts[0].0 < counts[1].0, "{counts:?}");
}

/// A (A⁻¹ r) = r of the matrix at rest, with one side held.
#[cfg(feature = "direct")]
#[test]
fn factor_is_that_of_the_matrix_at_rest() {
    let shape = block([6, 3, 2], [0.1; 3]);
    let (mut particles, mut solid) = build(&shape, 1000.0, 1e6, 0.3);
    let (all, step) = (0..particles.len(), step(1.0 / 60.0, 8));
    for j in all.clone() {
        particles.held[j] = particles.rest[j].x == 0.0;
    }
    solid.measure(&particles, all.clone(), &step);
    solid.linearise(&particles, all.clone(), &step);
    let force = |j: usize| {
        let wave = |k: usize| ((3 * j + k) as f32 * 0.7).sin();
        if particles.held[j] { Vec3::ZERO } else { Vec3::new(wave(0), wave(1), wave(2)) }
    };
    let r: Vec<Vec3> = all.clone().map(force).collect();
    let points: Vec<_> = r.iter().map(|&r| crate::solids::fem::lanes::point(r)).collect();
    let mut factor = crate::solids::fem::direct::Factor::new(
        &particles,
        &solid.elements.tets,
        all.clone(),
        step.h,
    )
    .unwrap();
    let product = factor.solve(&points);
    let d: Vec<Vec3> = all.clone().map(|j| factor.motion_of(j)).collect();
    let mut image = vec![Vec3::ZERO; d.len()];
    let given = DofsRef { linear: &d, angular: &[] };
    solid.product(&particles, all.clone(), &step, given, linear(&mut image));
    for j in all.filter(|&j| !particles.held[j]) {
        assert!(image[j].distance(r[j]) < 1e-4, "{j}: {} instead of {}", image[j], r[j]);
    }
    assert!(d.iter().zip(&particles.held).all(|(d, &held)| !held || *d == Vec3::ZERO));
    let wanted: f64 = d.iter().zip(&r).map(|(d, r)| d.as_dvec3().dot(r.as_dvec3())).sum();
    assert!((product / wanted - 1.0).abs() < 1e-6, "{product} instead of {wanted}");
}

/// In the shape that it has flowed to a body stores nothing, and forces beside it are the slope of its energy.
#[test]
fn what_has_flowed_rests_in_its_new_shape() {
    let (mut particles, mut solid) = build(&cube(1, 1.0), 1000.0, 1e5, 0.3);
    let flowed = Mat3::from_cols(
        Vec3::new(1.3, 0.1, 0.0),
        Vec3::new(0.0, 0.9, 0.05),
        Vec3::new(0.02, 0.0, 1.0 / (1.3 * 0.9)),
    );
    let flowed = flowed * (1.0 / flowed.determinant().cbrt());
    let back = (flowed.inverse() - Mat3::IDENTITY).to_cols_array();
    let count = solid.elements.tets.len();
    solid.plastic = Some(back.map(|value| vec![value; count]));
    let turn = Rot::exp(Vec3::new(0.3, -0.5, 0.8));
    for j in 0..particles.len() {
        let place = turn.to_mat3() * (flowed * particles.rest[j]);
        particles.set_place(j, place.as_dvec3());
    }
    solid.rotation.fill(turn);
    let all = 0..particles.len();
    let mut force = vec![Vec3::ZERO; particles.len()];
    let at = step(1.0 / 60.0, 8);
    let energy = solid.audit(&particles, all.clone(), &at, linear(&mut force));
    assert!(energy.abs() < 1e-5, "{energy} J");
    assert!(force.iter().all(|f| f.length() < 1.0), "{force:?}");
    let pushed = |particles: &mut Particles, by: f64| {
        let place = particles.place(0) + by * glam::DVec3::X;
        particles.set_place(0, place);
    };
    pushed(&mut particles, 0.05);
    solid.audit(&particles, all.clone(), &at, linear(&mut force));
    let pull = f64::from(force[0].x);
    let mut room = force.clone();
    pushed(&mut particles, 1e-3);
    let above = solid.audit(&particles, all.clone(), &at, linear(&mut room));
    pushed(&mut particles, -2e-3);
    let below = solid.audit(&particles, all, &at, linear(&mut room));
    let slope = (above - below) / 2e-3;
    assert!((pull + slope).abs() < 1e-2 * slope.abs(), "{pull} N and a slope of {slope} N");
}

/// Erratum 003.5: half of what is beyond y = 0.05 of a strain of 0.1 along x, deviatoric.
#[test]
fn flow_is_that_of_the_oracle() {
    let (_, mut solid) = build(&unit_tet(), 1000.0, 1.0, 0.25);
    let mu = 0.4f32;
    let tets = &mut solid.elements.tets;
    tets.set(MaterialField::YieldStress, 2.0 * mu * 1.5f32.sqrt() * 0.05);
    tets.set(MaterialField::HardeningModulus, 0.0);
    tets.set(MaterialField::CreepRate, std::f32::consts::LN_2);
    tets.set(MaterialField::PlasticLimit, 4.0);
    // of log strain 0.1, and small enough a difference to the linear one that the oracle has
    let strain = Sym3 { xx: 0.1, ..Sym3::ZERO };
    let beyond = plastic::beyond(tets, 0, 0.0, &strain).unwrap();
    let flow = plastic::flow(tets, 0, beyond, &Mat3::IDENTITY, &strain, 1.0).unwrap();
    let share = 0.012_920_919 / (0.1 * 2.0 / 3.0);
    let log = 1.1f32.ln();
    let wanted = [(-share * log * 2.0 / 3.0).exp(), (share * log / 3.0).exp()];
    assert!((flow.factor.xx - wanted[0]).abs() < 1e-6, "{:?}, not {wanted:?}", flow.factor);
    assert!((flow.factor.yy - wanted[1]).abs() < 1e-6, "{:?}, not {wanted:?}", flow.factor);
    assert!((flow.factor.determinant() - 1.0).abs() < 1e-6);
}
