//! Against closed forms, differences of the energy, and conservation.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::material::MaterialDesc;
use crate::parallel::Workers;
use glam::Mat3;

const SPACING: f32 = 0.05;

fn lattice(counts: [usize; 3], jitter: f32) -> MeshlessShape {
    let mut shape = MeshlessShape::default();
    let mut seed = 1u32;
    let mut shake = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        jitter * SPACING * ((seed >> 8) as f32 / (1 << 23) as f32 - 1.0)
    };
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                let position = [x, y, z].map(|k| SPACING * k as f32 + shake());
                shape.points.push(MeshlessPoint { position, volume: SPACING.powi(3), material: 0 });
            }
        }
    }
    shape
}

fn desc() -> MaterialDesc {
    MaterialDesc {
        density: 1000.0.into(),
        youngs_modulus: 1e5.into(),
        poisson_ratio: 0.3.into(),
        damping_time: f32::INFINITY.into(),
        ..MaterialDesc::default()
    }
}

fn built(shape: &MeshlessShape, desc: &MaterialDesc) -> (Particles, Meshless) {
    Meshless::build(shape, &[Material::try_from(desc).unwrap()], 0).unwrap()
}

fn step() -> Step {
    Step { h: 1e-3, sweeps: 8, workers: Workers::default() }
}

/// Strains as the wide fit measures them.
fn strains(particles: &Particles, solid: &mut Meshless) -> Vec<Sym3> {
    for _ in 0..4 {
        solid.linearise(particles, 0..particles.len(), &step());
    }
    solid.scratch.strain.clone()
}

fn transform(particles: &mut Particles, map: Mat3) {
    for j in 0..particles.len() {
        particles.position[j] = map * particles.rest[j] + Vec3::new(0.1, -0.2, 0.3);
    }
}

/// Every linear field is read as it is, at surfaces and corners too (erratum 002.8).
#[test]
fn linear_fields_are_exact() {
    let map = Mat3::from_cols_array(&[1.1, 0.05, -0.1, 0.2, 0.9, 0.03, 0.0, -0.15, 1.05]);
    let rotation = crate::math::rotation(&map);
    let wanted = crate::math::corotated_strain(&map, rotation);
    for jitter in [0.0, 0.15] {
        let (mut particles, mut solid) = built(&lattice([7, 6, 5], jitter), &desc());
        transform(&mut particles, map);
        for (i, e) in strains(&particles, &mut solid).into_iter().enumerate() {
            let off = (e - wanted).norm();
            assert!(off < 1e-5, "particle {i} is off by {off} at jitter {jitter}");
        }
    }
}

/// Erratum 002.10: turning is no strain.
#[test]
fn rigid_rotation_is_no_strain() {
    for jitter in [0.0, 0.15] {
        let (mut particles, mut solid) = built(&lattice([7, 6, 5], jitter), &desc());
        let turn = Rot::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 0.65);
        transform(&mut particles, turn.to_mat3());
        let worst = strains(&particles, &mut solid).iter().map(|e| e.norm()).fold(0.0, f32::max);
        assert!(worst < 1e-5, "a strain of {worst} at jitter {jitter}");
    }
}

/// The force is the gradient of the energy (erratum 002.11: not half of it), after cuts too, as long as there are neighbours in all directions.
#[test]
fn forces_are_differences_of_the_energy() {
    let (mut particles, mut solid) = built(&lattice([5, 4, 4], 0.1), &desc());
    let mut changes = Changes::default();
    for (a, b) in [(30, 31), (30, 35), (30, 47), (31, 46)] {
        if solid.bonded(a, b) {
            solid.cut(&mut particles, a, b, &mut changes);
        }
    }
    assert!(!changes.bonds_cut.is_empty() && !solid.rest.gaps.contains(&true));
    let map = Mat3::from_cols_array(&[1.05, 0.1, 0.0, -0.1, 1.02, 0.05, 0.02, -0.05, 0.97]);
    transform(&mut particles, map);
    for j in 0..particles.len() {
        let phase = j as f32;
        let noise = Vec3::new(phase.sin(), (2.3 * phase).cos(), (1.7 * phase).sin());
        particles.position[j] += 0.03 * SPACING * noise;
    }
    let (span, step) = (0..particles.len(), step());
    let mut force = vec![Vec3::ZERO; particles.len()];
    let mut audit = |particles: &Particles, force: &mut [Vec3]| {
        for _ in 0..4 {
            solid.linearise(particles, span.clone(), &step);
        }
        let room = DofsMut { linear: force, angular: &mut [] };
        solid.audit(particles, span.clone(), &step, room)
    };
    audit(&particles, &mut force);
    let largest = force.iter().map(|f| f.length()).fold(0.0, f32::max);
    let mut room = force.clone();
    for j in [0, 17, 30, 31, 47, 63, 79] {
        for k in 0..3 {
            let d = 2e-4 * SPACING;
            let before = particles.position[j];
            let mut energy = [0.0; 2];
            for (side, energy) in [-d, d].into_iter().zip(&mut energy) {
                particles.position[j][k] = before[k] + side;
                *energy = audit(&particles, &mut room);
            }
            particles.position[j] = before;
            let slope = (energy[0] - energy[1]) / f64::from(2.0 * d);
            let off = (f64::from(force[j][k]) - slope).abs();
            let allowed = 5e-3 * f64::from(largest);
            assert!(off < allowed, "{} N instead of {slope} N at {j}", force[j][k]);
        }
    }
}

/// Internal forces have neither sum nor torque.
#[test]
fn forces_keep_momentum() {
    let (mut particles, mut solid) = built(&lattice([6, 5, 4], 0.1), &desc());
    for j in 0..particles.len() {
        let phase = j as f32;
        particles.position[j] += 0.1 * SPACING * Vec3::new(phase.sin(), phase.cos(), 0.3);
    }
    let mut force = vec![Vec3::ZERO; particles.len()];
    let room = DofsMut { linear: &mut force, angular: &mut [] };
    solid.audit(&particles, 0..particles.len(), &step(), room);
    let sum: Vec3 = force.iter().sum();
    let torque: Vec3 = force.iter().zip(&particles.position).map(|(f, x)| x.cross(*f)).sum();
    let all: f32 = force.iter().map(|f| f.length()).sum();
    assert!(sum.length() < 1e-6 * all, "a net force of {} of {all} N", sum.length());
    assert!(torque.length() < 1e-6 * all * 0.3, "a net torque of {}", torque.length());
}

/// The product is symmetric, positive, and that of differences of the gradient where nothing turns.
#[test]
fn product_is_the_slope_of_the_gradient() {
    let (mut particles, mut solid) = built(&lattice([4, 4, 4], 0.0), &desc());
    let (span, step) = (0..particles.len(), step());
    let n = particles.len();
    let vector = |s: f32| -> Vec<Vec3> {
        (0..n).map(|j| Vec3::new((s * j as f32).sin(), (s + j as f32).cos(), 0.5)).collect()
    };
    let (p, q) = (vector(1.3), vector(0.7));
    solid.measure(&particles, span.clone(), &step);
    solid.linearise(&particles, span.clone(), &step);
    let mut product = |p: &[Vec3]| {
        let mut out = vec![Vec3::ZERO; n];
        let room = DofsMut { linear: &mut out, angular: &mut [] };
        solid.product(&particles, span.clone(), &step, DofsRef { linear: p, angular: &[] }, room);
        out
    };
    let (ap, aq) = (product(&p), product(&q));
    let dot = |a: &[Vec3], b: &[Vec3]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(a.dot(*b))).sum()
    };
    let (one, other) = (dot(&q, &ap), dot(&p, &aq));
    assert!((one - other).abs() < 1e-5 * dot(&p, &ap), "{one} is not {other}");
    // a field without rotation: the matrix with turned frames fixed is exact
    let stretch: Vec<Vec3> =
        particles.rest.iter().map(|x| Vec3::new(x.x, -x.y, 0.5 * x.z)).collect();
    let wanted = product(&stretch);
    let d = 1e-2;
    particles.correction.fill(Vec3::ZERO);
    for j in 0..n {
        particles.position[j] = particles.rest[j] + d * stretch[j];
        particles.correction[j] = d * stretch[j];
    }
    solid.linearise(&particles, span.clone(), &step);
    let mut r = vec![Vec3::ZERO; n];
    solid.gradient(&particles, span, &step, DofsMut { linear: &mut r, angular: &mut [] });
    let largest = wanted.iter().map(|w| w.length()).fold(0.0, f32::max);
    for j in 0..n {
        let off = (-r[j] / d - wanted[j]).length();
        assert!(off < 1e-3 * largest, "particle {j} is off by {off} of {largest}");
    }
}

/// Wrong shapes say what is wrong with them, and where.
#[test]
fn wrong_shapes_are_refused_with_the_place() {
    let refused = |change: &dyn Fn(&mut MeshlessShape)| {
        let mut shape = lattice([2, 2, 2], 0.0);
        change(&mut shape);
        match Meshless::build(&shape, &[Material::try_from(&desc()).unwrap()], 0) {
            Err(Refused::Shape(what)) => what,
            other => panic!("not refused: {other:?}"),
        }
    };
    assert_eq!(refused(&|shape| shape.points.clear()), "it has no points");
    let what = refused(&|shape| shape.points[3].volume = -1.0);
    assert_eq!(what, "point 3 has volume -1, which must be above 0");
    let what = refused(&|shape| shape.points[2].position[1] = f32::NAN);
    assert_eq!(what, "point 2 has a number that is not finite");
    let what = refused(&|shape| shape.points[5].material = 4);
    assert_eq!(what, "point 5 is of material 4, but there are 1");
    let what = refused(&|shape| {
        let near = |k: usize| MeshlessPoint { position: [1e-4 * k as f32; 3], ..shape.points[0] };
        shape.points = (0..200).map(near).collect();
    });
    assert!(what.starts_with("point 0 has 199 others within 0.0875 m"), "{what}");
}
