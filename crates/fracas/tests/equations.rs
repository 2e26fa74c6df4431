//! Equations of the texts (`docs/equations.md`) that no other test knows the answer of.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "common/brittle_figures.rs"]
mod figures;
#[path = "common/tets.rs"]
mod tets;

use figures::{brittle, config};
use fracas::World;
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Gradient, Material, MaterialDesc, Varying};
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
