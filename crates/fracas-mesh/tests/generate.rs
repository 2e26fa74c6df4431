//! The generators against what is known of the shapes.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use std::f64::consts::PI;

use fracas::solids::oriented::OrientedShape;
use fracas_mesh::generate::{
    GenerateError, MAX_PARTICLES, Neighbourhood, Resolution, Sampling, bar, block, cylinder, plate,
    sheet, sphere, torus,
};
use proptest::prelude::*;

const NEIGHBOURHOODS: [Neighbourhood; 3] =
    [Neighbourhood::Faces, Neighbourhood::Edges, Neighbourhood::Full];

fn volume(shape: &OrientedShape) -> f64 {
    shape.points.iter().map(|p| f64::from(p.volume)).sum()
}

/// Largest distance of a particle's centre from the origin.
fn farthest(shape: &OrientedShape) -> f64 {
    let square = |p: [f32; 3]| p.map(|x| f64::from(x).powi(2)).iter().sum::<f64>();
    shape.points.iter().map(|p| square(p.position)).fold(0.0, f64::max).sqrt()
}

fn centre(shape: &OrientedShape) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for point in &shape.points {
        for axis in 0..3 {
            sum[axis] += f64::from(point.volume) * f64::from(point.position[axis]);
        }
    }
    sum.map(|x| x / volume(shape))
}

/// ∫ x xᵀ dV about the origin, as xx, yy, zz, xy, yz, zx: the cells' own moments plus V c cᵀ.
fn second_moment(shape: &OrientedShape) -> [f64; 6] {
    let mut sum = [0.0; 6];
    for point in &shape.points {
        let [x, y, z] = point.position.map(f64::from);
        let shifted = [x * x, y * y, z * z, x * y, y * z, z * x];
        for k in 0..6 {
            sum[k] += f64::from(point.second_moment[k]) + f64::from(point.volume) * shifted[k];
        }
    }
    sum
}

/// Bonds are pairs of different particles, each once, the lower first and in order; all particles
/// hang together (by flood fill); volumes, radii and moments are usable.
fn validate(shape: &OrientedShape) {
    let count = shape.points.len();
    assert!(shape.bonds.iter().all(|&[i, j]| i < j && (j as usize) < count));
    assert!(shape.bonds.is_sorted_by(|a, b| a < b), "bonds in order are unique");

    let mut neighbours = vec![vec![]; count];
    for &[i, j] in &shape.bonds {
        neighbours[i as usize].push(j);
        neighbours[j as usize].push(i);
    }
    let mut reached = vec![false; count];
    let mut open = vec![0];
    reached[0] = true;
    while let Some(i) = open.pop() {
        for &j in &neighbours[i as usize] {
            if !std::mem::replace(&mut reached[j as usize], true) {
                open.push(j);
            }
        }
    }
    assert!(reached.iter().all(|&r| r), "the shape is in pieces");

    for point in &shape.points {
        assert!(point.volume.is_normal() && point.volume > 0.0);
        assert!(point.radii.iter().all(|r| r.is_normal() && *r > 0.0));
        assert!(point.second_moment[..3].iter().all(|m| m.is_normal() && *m > 0.0));
        // the ellipsoid has the volume of the cell
        let [a, b, c] = point.radii.map(f64::from);
        assert_close(4.0 / 3.0 * PI * a * b * c, f64::from(point.volume), 1.0e-6);
    }
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error <= tolerance * expected.abs(), "{found} should be {expected}");
}

/// Mass and inertia of a box whatever the lattice: ∫ x² dV = V a²/12.
#[test]
fn block_has_the_volume_and_inertia_of_a_box() {
    let size = [1.0, 0.4, 0.7];
    for counts in [[1, 1, 1], [2, 3, 4], [11, 4, 5], [3, 1, 9]] {
        let shape = block(size, &Sampling::lattice(counts)).unwrap();
        validate(&shape);
        let [a, b, c] = size.map(f64::from);
        let v = a * b * c;
        assert_close(volume(&shape), v, 1.0e-6);
        let moment = second_moment(&shape);
        for (found, side) in moment.into_iter().zip([a, b, c]) {
            assert_close(found, v * side * side / 12.0, 1.0e-6);
        }
        assert!(moment[3..].iter().all(|m| m.abs() < 1.0e-7 * v));
    }
}

#[test]
fn centres_are_half_a_spacing_inside() {
    let shape = block([2.0, 1.0, 0.5], &Sampling::lattice([4, 5, 2])).unwrap();
    for (axis, outermost) in [(0, 0.75), (1, 0.4), (2, 0.125)] {
        let most = shape.points.iter().map(|p| p.position[axis]).fold(f32::MIN, f32::max);
        let least = shape.points.iter().map(|p| p.position[axis]).fold(f32::MAX, f32::min);
        assert_eq!((least, most), (-outermost, outermost));
    }
}

/// The axis of most cells is the outermost loop, that of fewest the innermost.
#[test]
fn particles_are_numbered_in_rows() {
    let shape = block([3.0, 2.0, 1.0], &Sampling::lattice([3, 2, 1])).unwrap();
    let positions: Vec<_> = shape.points.iter().map(|p| p.position).collect();
    let expected = [[-1.0, -0.5], [-1.0, 0.5], [0.0, -0.5], [0.0, 0.5], [1.0, -0.5], [1.0, 0.5]];
    assert_eq!(positions, expected.map(|[x, y]| [x, y, 0.0]));
}

/// Faces, face diagonals and body diagonals of an a × b × c lattice, counted by hand.
#[test]
fn bonds_are_as_many_as_the_lattice_has() {
    for counts in [[1, 1, 1], [2, 2, 2], [4, 4, 20], [5, 3, 7], [1, 6, 2]] {
        let [a, b, c] = counts.map(|n: u32| n as usize);
        let (x, y, z) = (a - 1, b - 1, c - 1);
        let faces = x * b * c + a * y * c + a * b * z;
        let edges = 2 * (x * y * c + x * b * z + a * y * z);
        let corners = 4 * x * y * z;
        let expected = [faces, faces + edges, faces + edges + corners];
        for (neighbourhood, expected) in NEIGHBOURHOODS.into_iter().zip(expected) {
            let sampling = Sampling { neighbourhood, ..Sampling::lattice(counts) };
            let shape = block([1.0; 3], &sampling).unwrap();
            validate(&shape);
            assert_eq!(shape.bonds.len(), expected);
        }
    }
}

/// The twisted bar of 000 sec. 5 has 320 particles and 1,888 edges. Of all lattices of 320 cells,
/// 2 × 10 × 16 with 18 neighbours comes nearest; of those with a square section, 4 × 4 × 20.
#[test]
fn twisted_bar_of_the_paper() {
    let edges = |neighbourhood, counts| {
        let sampling = Sampling { neighbourhood, ..Sampling::lattice(counts) };
        block(counts.map(|n| n as f32), &sampling).unwrap().bonds.len()
    };
    let mut nearest = (usize::MAX, [0; 3], 0, Neighbourhood::Faces);
    for a in (1..=320).filter(|a| 320 % a == 0) {
        for b in (a..=320 / a).filter(|b| 320 / a % b == 0 && 320 / a / b >= *b) {
            let counts = [a, b, 320 / a / b];
            for neighbourhood in NEIGHBOURHOODS {
                let found = edges(neighbourhood, counts);
                let off = found.abs_diff(1888);
                if off < nearest.0 {
                    nearest = (off, counts, found, neighbourhood);
                }
            }
        }
    }
    assert_eq!(nearest, (12, [2, 10, 16], 1876, Neighbourhood::Edges));
    assert_eq!(edges(Neighbourhood::Edges, [4, 4, 20]), 2056);
}

#[test]
fn bar_and_plate_lie_on_the_ground() {
    let shape = bar(1.0, 0.3, 0.2, &Sampling::spacing(0.1)).unwrap();
    assert_eq!(shape.points.len(), 10 * 3 * 2);
    let extent = |shape: &OrientedShape, axis: usize| {
        shape.points.iter().map(|p| p.position[axis]).fold(0.0, f32::max) * 2.0
    };
    assert_close(extent(&shape, 0).into(), 0.9, 1.0e-6); // length along x
    assert_close(extent(&shape, 1).into(), 0.1, 1.0e-6); // height along y
    assert_close(extent(&shape, 2).into(), 0.2, 1.0e-6); // width along z

    let shape = plate(1.0, 0.5, 0.01, &Sampling::count(800)).unwrap();
    validate(&shape);
    assert_eq!(shape.points.len(), 800); // 40 × 1 × 20
    assert_eq!(extent(&shape, 1), 0.0);
}

/// Within 10 % of the wish for sides within 1 : 8, and cells no longer than twice their width.
#[test]
fn block_counts_are_met() {
    for size in
        [[1.0, 1.0, 1.0], [1.0, 0.2, 0.2], [0.5, 0.5, 2.0], [1.0, 0.7, 0.3], [4.0, 1.0, 0.5]]
    {
        for wished in (100..=400).chain([1_000, 2_700, 24_000, 100_000]) {
            let sampling =
                Sampling { neighbourhood: Neighbourhood::Faces, ..Sampling::count(wished) };
            let shape = block(size, &sampling).unwrap();
            assert_close(shape.points.len() as f64, f64::from(wished), 0.1);
            let radii = shape.points[0].radii;
            let longest = radii.into_iter().fold(0.0, f32::max);
            let shortest = radii.into_iter().fold(f32::MAX, f32::min);
            assert!(longest <= 2.0 * shortest, "{size:?} with {wished}: cells like {radii:?}");
        }
    }
    // where cubes fit exactly, they are taken
    assert_eq!(bar(1.0, 0.2, 0.2, &Sampling::count(320)).unwrap().points.len(), 320);
    assert_eq!(block([1.0; 3], &Sampling::count(1000)).unwrap().points.len(), 1000);
}

#[test]
fn sphere_counts_are_met() {
    let mut worst: f64 = 0.0;
    for wished in (300..=4_000).chain([10_000, 24_000, 100_000]) {
        let sampling = Sampling { neighbourhood: Neighbourhood::Faces, ..Sampling::count(wished) };
        let shape = sphere(0.5, &sampling).unwrap();
        worst = worst.max((shape.points.len() as f64 / f64::from(wished) - 1.0).abs());
    }
    assert!(worst <= 0.05, "a sphere misses its count by {worst}");
}

#[test]
fn cylinder_counts_are_met() {
    for (radius, height) in [(0.5, 1.0), (0.1, 1.0), (1.0, 0.1), (0.3, 0.5)] {
        for wished in (300..=600).chain([2_700, 10_000, 100_000]) {
            let sampling =
                Sampling { neighbourhood: Neighbourhood::Faces, ..Sampling::count(wished) };
            let shape = cylinder(radius, height, &sampling).unwrap();
            assert_close(shape.points.len() as f64, f64::from(wished), 0.05);
            let [x, y, z] = shape.points[0].radii;
            assert_eq!(x, z);
            assert!((0.5..=2.0).contains(&(x / y)), "{radius} × {height}, {wished}: {x} by {y}");
        }
    }
}

/// ∫ x² dV is (4/15) π r⁵ for a ball and π r⁴ h/4, π r² h³/12 for a cylinder. The staircase of cells
/// rounds the surface to about a tenth of a spacing: 3 % at a thousand particles and more.
#[test]
fn round_shapes_have_their_volume_and_nearly_their_inertia() {
    let (r, h) = (0.5, 0.8);
    for wished in [1_000, 5_000, 20_000] {
        let shape = sphere(r as f32, &Sampling::count(wished)).unwrap();
        validate(&shape);
        assert_close(volume(&shape), 4.0 / 3.0 * PI * f64::powi(r, 3), 1.0e-6);
        let [xx, yy, zz, ..] = second_moment(&shape);
        assert_close(xx, 4.0 / 15.0 * PI * f64::powi(r, 5), 0.03);
        // all axes are treated alike, which these counts allow
        assert_close(yy, xx, 1.0e-6);
        assert_close(zz, xx, 1.0e-6);

        let shape = cylinder(r as f32, h as f32, &Sampling::count(wished)).unwrap();
        validate(&shape);
        assert_close(volume(&shape), PI * r * r * h, 1.0e-6);
        let [xx, yy, zz, ..] = second_moment(&shape);
        assert_close(xx, PI * f64::powi(r, 4) * h / 4.0, 0.03);
        assert_close(yy, PI * r * r * f64::powi(h, 3) / 12.0, 0.03);
        assert_close(zz, PI * f64::powi(r, 4) * h / 4.0, 0.03);
    }
}

/// No centre lies outside by more than a tenth of the spacing.
#[test]
fn centres_of_round_shapes_lie_inside() {
    for wished in (1..=2_000).chain([10_000, 100_000]) {
        let sampling = Sampling { neighbourhood: Neighbourhood::Faces, ..Sampling::count(wished) };
        let shape = sphere(0.5, &sampling).unwrap();
        let spacing = f64::from(shape.points[0].volume).cbrt();
        let out = farthest(&shape) - 0.5;
        assert!(out <= 0.1 * spacing, "{wished}: {out} m outside, with a spacing of {spacing} m");
    }
}

/// Even the coarsest: one particle is a ball's worth of volume, and all lattices hang together.
#[test]
fn few_particles_are_a_shape_too() {
    for wished in 1..=60 {
        for neighbourhood in NEIGHBOURHOODS {
            let sampling = Sampling { neighbourhood, ..Sampling::count(wished) };
            for shape in [
                sphere(0.1, &sampling).unwrap(),
                cylinder(0.1, 0.3, &sampling).unwrap(),
                block([0.1, 0.2, 0.1], &sampling).unwrap(),
            ] {
                validate(&shape);
                assert!(shape.points.len() <= 2 * wished as usize + 1);
            }
        }
    }
    for counts in [[1, 1, 1], [2, 2, 2], [1, 2, 3], [7, 6, 5], [2, 9, 1]] {
        let sampling =
            Sampling { neighbourhood: Neighbourhood::Faces, ..Sampling::lattice(counts) };
        validate(&sphere(0.1, &sampling).unwrap());
        validate(&cylinder(0.1, 0.3, &sampling).unwrap());
    }
}

/// V = 2π²Rr², ∫ (x² + z²) dV = V (R² + 3r²/4) and ∫ y² dV = V r²/4.
#[test]
fn a_torus_has_its_volume_and_nearly_its_inertia() {
    let (big, small) = (0.5, 0.15);
    // the tube is 6, 11 and 17 cells across: layers of cells see its round top and bottom coarsely
    for (wished, tolerance) in [(2_000, 0.08), (10_000, 0.08), (40_000, 0.04)] {
        let shape = torus(big as f32, small as f32, &Sampling::count(wished)).unwrap();
        validate(&shape);
        let expected = 2.0 * PI * PI * big * small * small;
        assert_close(volume(&shape), expected, 1.0e-6);
        let [xx, yy, zz, ..] = second_moment(&shape);
        let around = expected * (big * big + 0.75 * small * small);
        assert_close(xx + zz, around, 0.01);
        assert_close(xx, zz, 1.0e-6);
        assert_close(yy, expected * small * small / 4.0, tolerance);
        assert!(centre(&shape).iter().all(|x| x.abs() < 1.0e-6));
    }
}

#[test]
fn torus_counts_are_met() {
    for (radius, tube) in [(0.5, 0.2), (1.0, 0.1), (0.2, 0.15), (1.0, 0.03)] {
        for wished in (300..=420).step_by(7).chain([1_000, 2_700, 10_000, 100_000]) {
            let sampling =
                Sampling { neighbourhood: Neighbourhood::Faces, ..Sampling::count(wished) };
            let shape = torus(radius, tube, &sampling).unwrap();
            validate(&shape);
            assert_close(shape.points.len() as f64, f64::from(wished), 0.05);
        }
    }
}

/// However thin, a ring holds together.
#[test]
fn thin_and_coarse_rings_hold_together() {
    for tube in [0.9, 0.3, 0.01, 0.001] {
        for neighbourhood in NEIGHBOURHOODS {
            for wished in [1, 2, 5, 20, 50, 100, 500] {
                let sampling = Sampling { neighbourhood, ..Sampling::count(wished) };
                validate(&torus(1.0, tube, &sampling).unwrap());
            }
            for counts in [[1, 1, 1], [2, 2, 2], [3, 1, 4], [9, 2, 7], [20, 3, 31], [1, 1, 40]] {
                let sampling = Sampling { neighbourhood, ..Sampling::lattice(counts) };
                validate(&torus(1.0, tube, &sampling).unwrap());
            }
        }
    }
}

#[test]
fn a_sheet_is_one_particle_thick() {
    let shape = sheet(2.0, 1.0, 0.01, &Sampling::lattice([8, 1, 4])).unwrap();
    validate(&shape);
    assert_eq!(shape, plate(2.0, 1.0, 0.01, &Sampling::lattice([8, 1, 4])).unwrap());
    for (length, width, thickness) in [(1.0, 1.0, 0.001), (2.0, 0.5, 0.1), (0.1, 1.0, 0.9)] {
        for wished in (100..=200).chain([1, 2, 3, 1_000, 20_000]) {
            let shape = sheet(length, width, thickness, &Sampling::count(wished)).unwrap();
            validate(&shape);
            assert!(shape.points.iter().all(|p| p.position[1] == 0.0));
            assert_close(shape.points.len() as f64, f64::from(wished), 0.1);
            let [l, w, t] = [length, width, thickness].map(f64::from);
            assert_close(volume(&shape), l * w * t, 1.0e-6);
            let [xx, yy, zz, ..] = second_moment(&shape);
            for (found, side) in [(xx, l), (yy, t), (zz, w)] {
                assert_close(found, l * w * t * side * side / 12.0, 1.0e-5);
            }
            if wished >= 100 {
                let [x, _, z] = shape.points[0].radii;
                assert!((0.5..=2.0).contains(&(x / z)), "cells are {x} by {z}");
            }
        }
    }
    let shape = sheet(1.0, 0.5, 0.3, &Sampling::spacing(0.1)).unwrap();
    assert_eq!(shape.points.len(), 50);
}

#[test]
fn bad_rings_and_sheets_are_refused() {
    let fine = Sampling::count(100);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(torus(bad, 0.1, &fine), Err(GenerateError::BadSize { .. })));
        assert!(matches!(torus(1.0, bad, &fine), Err(GenerateError::BadSize { .. })));
        assert!(matches!(sheet(1.0, bad, 0.1, &fine), Err(GenerateError::BadSize { .. })));
        let spaced = Sampling::spacing(bad);
        assert!(matches!(sheet(1.0, 1.0, 0.1, &spaced), Err(GenerateError::BadSize { .. })));
        assert!(matches!(torus(1.0, 0.1, &spaced), Err(GenerateError::BadSize { .. })));
    }
    for tube in [1.0, 2.0] {
        assert!(matches!(torus(1.0, tube, &fine), Err(GenerateError::ThickTube { .. })));
    }
    let none = Sampling::count(0);
    assert!(matches!(torus(1.0, 0.1, &none), Err(GenerateError::NoParticles)));
    assert!(matches!(sheet(1.0, 1.0, 0.1, &none), Err(GenerateError::NoParticles)));
    let thick = Sampling::lattice([3, 2, 3]);
    assert_eq!(
        sheet(1.0, 1.0, 0.1, &thick).unwrap_err().to_string(),
        "a sheet is one particle thick, but its lattice has 3 × 2 × 3 cells"
    );
    let empty = Sampling::lattice([3, 0, 3]);
    assert!(matches!(sheet(1.0, 1.0, 0.1, &empty), Err(GenerateError::EmptyLattice(_))));
    let many = Sampling::count(MAX_PARTICLES as u32);
    assert!(matches!(torus(1.0, 1.0e-5, &many), Err(GenerateError::TooManyCells { .. })));
}

/// The same seed gives the same bits, another seed others; no particle leaves its reach and the
/// centre of mass stays.
#[test]
fn jitter_is_repeatable_and_bounded() {
    let straight = block([1.0, 0.5, 0.5], &Sampling::lattice([20, 10, 10])).unwrap();
    let shaken = |seed| {
        let sampling = Sampling { jitter: 0.2, seed, ..Sampling::lattice([20, 10, 10]) };
        block([1.0, 0.5, 0.5], &sampling).unwrap()
    };
    assert_eq!(shaken(7), shaken(7));
    assert_ne!(shaken(7), shaken(8));
    assert_eq!(shaken(7).bonds, straight.bonds);
    assert!(centre(&shaken(7)).iter().all(|x| x.abs() < 1.0e-7));
    let mut most: f32 = 0.0;
    for (p, q) in shaken(7).points.iter().zip(&straight.points) {
        for axis in 0..3 {
            most = most.max((p.position[axis] - q.position[axis]).abs());
        }
    }
    // 0.2 of 0.05 m, and the mean shift of 2000 particles, about 0.6/√2000 of that, taken off
    assert!((0.0095..0.0105).contains(&most), "{most}");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let fine = Sampling::count(100);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(block([1.0, bad, 1.0], &fine), Err(GenerateError::BadSize { .. })));
        assert!(matches!(bar(1.0, 1.0, bad, &fine), Err(GenerateError::BadSize { .. })));
        assert!(matches!(plate(bad, 1.0, 1.0, &fine), Err(GenerateError::BadSize { .. })));
        assert!(matches!(sphere(bad, &fine), Err(GenerateError::BadSize { .. })));
        assert!(matches!(cylinder(1.0, bad, &fine), Err(GenerateError::BadSize { .. })));
        let spaced = Sampling::spacing(bad);
        assert!(matches!(sphere(1.0, &spaced), Err(GenerateError::BadSize { .. })));
    }
    for tiny in [1.0e-45, 1.0e-9] {
        assert!(matches!(sphere(tiny, &fine), Err(GenerateError::BadCell { .. })));
        assert!(matches!(block([1.0, tiny, 1.0], &fine), Err(GenerateError::BadCell { .. })));
    }
    assert!(matches!(block([f32::MAX; 3], &fine), Err(GenerateError::BadCell { .. })));
    for bad in [-0.1, 0.41, f32::NAN, f32::INFINITY] {
        let refused = block([1.0; 3], &Sampling { jitter: bad, ..fine });
        assert!(matches!(refused, Err(GenerateError::BadJitter { .. })));
    }
    let message = |sampling: Sampling| block([1.0; 3], &sampling).unwrap_err().to_string();
    assert_eq!(
        message(Sampling::count(0)),
        "a shape needs at least one particle, but the particle count is 0"
    );
    assert_eq!(
        message(Sampling::lattice([3, 0, 3])),
        "a lattice needs at least one cell along each axis, but has 3 × 0 × 3"
    );
    assert_eq!(
        message(Sampling::count(MAX_PARTICLES as u32 + 1)),
        "the shape would have about 2000001 particles, but at most 2000000 are allowed"
    );
    let huge = message(Sampling::lattice([u32::MAX; 3]));
    assert!(huge.ends_with("but at most 2000000 are allowed"), "{huge}");
    let huge = message(Sampling::spacing(1.0e-5));
    assert!(huge.ends_with("but at most 2000000 are allowed"), "{huge}");
}

fn any_sampling() -> impl Strategy<Value = Sampling> {
    let resolution = prop_oneof![
        (1u32..3000).prop_map(Resolution::Count),
        prop::array::uniform3(1u32..12).prop_map(Resolution::Lattice),
    ];
    (resolution, 0usize..3, 0.0f32..=0.4, any::<u64>()).prop_map(
        |(resolution, kind, jitter, seed)| Sampling {
            resolution,
            neighbourhood: NEIGHBOURHOODS[kind],
            jitter,
            seed,
        },
    )
}

proptest! {
    #[test]
    fn any_block_is_sound(
        size in prop::array::uniform3(0.01f32..10.0),
        sampling in any_sampling(),
    ) {
        let shape = block(size, &sampling).unwrap();
        validate(&shape);
        let [a, b, c] = size.map(f64::from);
        assert_close(volume(&shape), a * b * c, 1.0e-6);
        prop_assert!(centre(&shape).iter().all(|x| x.abs() < 1.0e-5));
        // jitter stays inside, but for the mean shift, which at least one particle has as well
        for point in &shape.points {
            for axis in 0..3 {
                prop_assert!(point.position[axis].abs() <= 0.9 * size[axis]);
            }
        }
    }

    #[test]
    fn any_round_shape_is_sound(
        radius in 0.01f32..10.0,
        height in 0.01f32..10.0,
        sampling in any_sampling(),
    ) {
        let r = f64::from(radius);
        let shape = sphere(radius, &sampling).unwrap();
        validate(&shape);
        assert_close(volume(&shape), 4.0 / 3.0 * PI * r.powi(3), 1.0e-6);
        let shape = cylinder(radius, height, &sampling).unwrap();
        validate(&shape);
        assert_close(volume(&shape), PI * r * r * f64::from(height), 1.0e-6);
        if height < radius && height > 0.01 * radius {
            let shape = torus(radius, height, &sampling).unwrap();
            validate(&shape);
            let tube = f64::from(height);
            assert_close(volume(&shape), 2.0 * PI * PI * r * tube * tube, 1.0e-6);
        }
    }

    /// Whatever the numbers, there is an answer and no panic.
    #[test]
    fn odd_numbers_are_refused_or_fit(
        size in prop::array::uniform3(prop::num::f32::ANY),
        count in 0u32..2000,
        spacing in prop::num::f32::ANY,
        jitter in prop::num::f32::ANY,
    ) {
        for resolution in [Resolution::Count(count), Resolution::Spacing(spacing)] {
            for jitter in [0.0, jitter] {
                let sampling = Sampling { resolution, jitter, ..Default::default() };
                if let Ok(shape) = block(size, &sampling) {
                    validate(&shape);
                }
                if let Ok(shape) = cylinder(size[0], size[1], &sampling) {
                    validate(&shape);
                }
                if let Ok(shape) = torus(size[0], size[1], &sampling) {
                    validate(&shape);
                }
                if let Ok(shape) = sheet(size[0], size[1], size[2], &sampling) {
                    validate(&shape);
                }
            }
        }
    }
}
