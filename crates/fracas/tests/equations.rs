//! Equations of the texts (`docs/equations.md`) that no other test knows the answer of.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "common/brittle_figures.rs"]
mod figures;
#[path = "common/tets.rs"]
mod tets;

use figures::{brittle, config};
use fracas::World;
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Gradient, Material, MaterialDesc, Varying, presets};
use fracas::world::{Event, GripDesc, GripMotion, MoveKey, Region, WorldConfig};
use tets::{block, hold_start};

/// 001 eqs. 3 and 4 (erratum 001.4): the rigid reference of a piece has its centre of mass and the rotation that fits best, each
/// vertex by its mass. Then what is left over has no sum and no torque:
///
/// ```text
/// Σ m d = 0,   Σ m (x_ref − c) × d = 0,   d = x − x_ref
/// ```
///
/// One end of the bar is twenty times as heavy as the other; without masses in either sum it would be far off.
#[test]
fn a_reference_fits_its_piece_by_mass() {
    let length = 1.0;
    let density = Gradient { from: [0.0; 3], to: [length, 0.0, 0.0], start: 100.0, end: 2000.0 };
    let desc = MaterialDesc {
        density: Varying::Gradient(density),
        youngs_modulus: 1e6.into(),
        ..MaterialDesc::default()
    };
    let mut world = World::new(config(-9.81)).unwrap();
    let shape = block([10, 2, 2], [0.1 * length, 0.1, 0.1]);
    let id = world.spawn(brittle(shape, Material::try_from(&desc).unwrap())).unwrap();
    hold_start(&mut world, id, 0.01);
    for _ in 0..30 {
        world.step(1.0 / 60.0);
    }

    let body = world.body(id).unwrap();
    let piece = &body.pieces()[0];
    let references = body.references(piece).unwrap();
    let place = |x: [f32; 3]| Vec3::from(x).as_dvec3();
    // what is off, by mass and without
    let (mut sums, mut plain, mut size) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2], 0.0);
    let at = || references.iter().zip(body.positions(piece)).zip(body.masses());
    let centre =
        at().map(|(([r, _], _), &m)| f64::from(m) * place(*r)).sum::<DVec3>() / body.mass();
    for (([r, _], x), &m) in at() {
        let (arm, off) = (place(*r) - centre, place(*x) - place(*r));
        for (sums, weight) in [(&mut sums, f64::from(m)), (&mut plain, 1.0)] {
            sums[0] += weight * off;
            sums[1] += weight * arm.cross(off);
        }
        size += f64::from(m) * off.length();
    }
    assert!(size / body.mass() > 1e-3, "it hardly bends");
    for sum in sums {
        assert!(sum.length() < 1e-3 * size, "{sum} is left of {size}");
    }
    let count = references.len() as f64;
    assert!(plain[0].length() / count > 1e-3, "all weigh the same: nothing is tested");
}

/// 001 eqs. 5 and 6: all that is held is carried by a linear map, stretched by e along x and sheared by 2 e in x and y. The largest
/// principal stress is
///
/// ```text
/// (λ + μ) e + μ √(e² + (2e)²)
/// ```
///
/// everywhere, and the first crack opens where that is the strength. With stresses of shear in one another's place it would stand 1.4 times as much.
#[test]
fn stretch_and_shear_break_at_the_largest_principal_stress() {
    let strength = 3e7;
    let desc = MaterialDesc {
        strength: (strength as f32).into(),
        load_time: 0.0.into(),
        ..presets::glass()
    };
    let material = Material::try_from(&desc).unwrap();
    let sample = material.sample(&Default::default()).unwrap();
    let [lambda, mu] = [sample.lambda(), sample.mu()].map(f64::from);
    let stands = strength / (lambda + (1.0 + 5f64.sqrt()) * mu);

    let mut world = World::new(WorldConfig { substeps: 1, ..config(0.0) }).unwrap();
    let (length, across) = (0.1f32, 4);
    let id = world.spawn(brittle(block([1, across, across], [length; 3]), material)).unwrap();
    hold_start(&mut world, id, 0.01);
    // 1.5 times what it stands within 2 s
    let e = 1.5 * stands as f32 * length;
    let keys = [0.0, 1.0].map(|share: f32| MoveKey {
        time: 2.0 * f64::from(share),
        offset: [share * e, share * 2.0 * e, 0.0],
        angle: 0.0,
    });
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys: keys.to_vec() };
    let region = Region::Box { min: [0.5 * length, -1.0, -1.0], max: [1.0; 3] };
    world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();

    let mut load = f64::NAN;
    while load.is_nan() && world.time() < 2.0 {
        world.step(1.0 / 240.0);
        if world.events().any(|event| matches!(event, Event::Crack { .. })) {
            load = 1.5 * world.time() / 2.0;
        }
    }
    assert!((load - 1.0).abs() < 0.02, "the first crack opens at {load} of what it stands");
}
