//! Fragments against what is known of them: closed, connected, exact, even.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod tet_blocks;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use fracas::glam::{DMat3, DVec3, Vec3};
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::{BodyDesc, ShapeDesc, World, WorldConfig};
use fracas_mesh::distance::SignedDistance;
use fracas_mesh::fragments::{Focus, Fracture, FractureError, Fragments, Pattern};
use fracas_mesh::tets::TetError;
use fracas_mesh::{Attribute, ClosedSurface, Objects, Surface, TetMesh};
use parry3d_f64::transformation::{VolumeMeshParameters, volume_mesh};
use proptest::prelude::*;
use tet_blocks::{Cell, block, jittered, kuhn, regular};

fn bar() -> TetMesh {
    kuhn(&block([12, 4, 4]), jittered(0.12, 3))
}

fn l_shape() -> Vec<Cell> {
    block([8, 8, 3]).into_iter().filter(|&[x, y, _]| x < 3 || y < 3).collect()
}

fn ring() -> Vec<Cell> {
    let outside = |&[x, y, _]: &Cell| !(2..5).contains(&x) || !(2..5).contains(&y);
    block([7, 7, 2]).into_iter().filter(outside).collect()
}

fn dumbbell() -> Vec<Cell> {
    let solid = |&[x, y, z]: &Cell| !(4..7).contains(&x) || (y == 1 && z == 1);
    block([11, 4, 4]).into_iter().filter(solid).collect()
}

fn divide(mesh: &TetMesh, pattern: Pattern, count: u32) -> Fragments {
    Fragments::new(mesh, &Fracture::new(pattern, count)).unwrap()
}

/// Volume inside closed triangles, by the divergence theorem.
fn enclosed(mesh: &TetMesh, faces: &[[u32; 3]]) -> f64 {
    let origin = mesh.vertices[faces[0][0] as usize];
    let signed = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| mesh.vertices[v as usize] - origin);
        a.dot(b.cross(c)) / 6.0
    };
    faces.iter().map(signed).sum()
}

/// Faces turned so that the smallest vertex comes first: equal if they look the same way.
fn turned([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// Whether tetrahedra hang together by faces, by a search that compares every pair.
fn connected(mesh: &TetMesh, tets: &[usize]) -> bool {
    let shared = |a: usize, b: usize| {
        mesh.tets[a].iter().filter(|corner| mesh.tets[b].contains(corner)).count() == 3
    };
    let mut open = vec![tets[0]];
    let mut left: Vec<usize> = tets[1..].to_vec();
    while let Some(tet) = open.pop() {
        let (next, rest) = left.iter().copied().partition(|&other| shared(tet, other));
        left = rest;
        open.extend::<Vec<usize>>(next);
    }
    left.is_empty()
}

/// ∫(x−c)(x−c)ᵀ dV as a matrix.
fn matrix([xx, yy, zz, xy, yz, zx]: [f64; 6]) -> DMat3 {
    DMat3::from_cols_array(&[xx, xy, zx, xy, yy, yz, zx, yz, zz])
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v.x * v, v.y * v, v.z * v)
}

/// Everything that holds for any division of any mesh.
fn assert_sound(mesh: &TetMesh, division: &Fragments) {
    let Fragments { of_tet, fragments, interfaces, .. } = division;
    assert_eq!(of_tet.len(), mesh.tets.len());
    let mut tets = vec![Vec::new(); fragments.len()];
    for (tet, &fragment) in of_tet.iter().enumerate() {
        tets[fragment as usize].push(tet);
    }

    for (number, faces) in division.surfaces().iter().enumerate() {
        assert!(connected(mesh, &tets[number]), "fragment {number} is in pieces");
        let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for &[a, b, c] in faces {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                *edges.entry([from, to]).or_insert(0) += 1;
            }
        }
        for (&[from, to], count) in &edges {
            assert_eq!(edges.get(&[to, from]), Some(count), "fragment {number} is open");
        }
        let once: BTreeSet<_> = faces.iter().map(|&face| turned(face)).collect();
        assert_eq!(once.len(), faces.len(), "a face occurs twice");

        let fragment = &fragments[number];
        let volume: f64 = tets[number].iter().map(|&tet| mesh.tet_volume(tet)).sum();
        assert!((enclosed(mesh, faces) / volume - 1.0).abs() < 1e-9);
        assert!((fragment.volume / volume - 1.0).abs() < 1e-12);

        // radii: above 0, and the ellipsoid has at least the volume
        let [a, b, c] = fragment.radii;
        assert!(a > 0.0 && b > 0.0 && c > 0.0);
        let ellipsoid = 4.0 / 3.0 * std::f64::consts::PI * a * b * c;
        assert!(ellipsoid > (1.0 - 1e-9) * volume);
    }

    // the boundary of the solid is the union of those of the fragments
    let mut boundary: Vec<_> =
        fragments.iter().flat_map(|f| &f.boundary).copied().map(turned).collect();
    let mut whole: Vec<_> = mesh.boundary().into_iter().map(|(face, _)| turned(face)).collect();
    boundary.sort_unstable();
    whole.sort_unstable();
    assert_eq!(boundary, whole);

    // edges: sorted, each pair once, where and only where tetrahedra of both share a face
    let pairs: Vec<[u32; 2]> = interfaces.iter().map(|i| i.fragments).collect();
    assert!(pairs.is_sorted_by(|a, b| a < b) && pairs.iter().all(|[a, b]| a < b));
    let mut expected: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for (tet, beside) in mesh.neighbours().iter().enumerate() {
        for &next in beside.iter().flatten() {
            let [a, b] = [of_tet[tet], of_tet[next as usize]];
            if a < b {
                *expected.entry([a, b]).or_insert(0) += 1;
            }
        }
    }
    let found = interfaces.iter().map(|i| (i.fragments, i.faces.len())).collect();
    assert_eq!(expected, found);
    for interface in interfaces {
        let area = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| mesh.vertices[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let sum: f64 = interface.faces.iter().map(area).sum();
        assert!((interface.area - sum).abs() < 1e-12 * sum);
        // each face belongs to a tetrahedron of the first, seen from outside it
        let of_first: BTreeSet<_> = tets[interface.fragments[0] as usize]
            .iter()
            .flat_map(|&tet| (0..4).map(move |face| turned(mesh.face(tet, face))))
            .collect();
        assert!(interface.faces.iter().all(|&face| of_first.contains(&turned(face))));
    }

    // parallel axes: the fragments' moments make up the body's
    let volume = mesh.volume();
    let centre: DVec3 =
        (0..mesh.tets.len()).map(|tet| mesh.tet_volume(tet) * mesh.centre(tet)).sum::<DVec3>()
            / volume;
    let summed = fragments.iter().fold(DMat3::ZERO, |sum, f| {
        sum + matrix(f.second_moment) + f.volume * outer(f.centre - centre)
    });
    let whole = Fragments::from_labels(mesh, &vec![0; mesh.tets.len()]).unwrap();
    let whole = whole.fragments.iter().fold(DMat3::ZERO, |sum, f| {
        sum + matrix(f.second_moment) + f.volume * outer(f.centre - centre)
    });
    assert!((summed - whole).to_cols_array().iter().all(|d| d.abs() < 1e-9 * whole.x_axis.x));

    let shape = division.oriented();
    assert_eq!(shape.bonds, pairs);
    let total: f64 = shape.points.iter().map(|p| f64::from(p.volume)).sum();
    assert!((total / volume - 1.0).abs() < 1e-6);
    for (point, fragment) in shape.points.iter().zip(fragments) {
        assert_eq!(point.position, fragment.centre.as_vec3().to_array());
        assert!(
            (Vec3::from_array([point.axes[0], point.axes[1], point.axes[2]]).length_squared()
                + point.axes[3].powi(2)
                - 1.0)
                .abs()
                < 1e-5
        );
    }
}

#[test]
fn any_division_is_closed_connected_and_exact() {
    let meshes = [
        bar(),
        kuhn(&l_shape(), jittered(0.1, 1)),
        kuhn(&ring(), jittered(0.1, 2)),
        kuhn(&dumbbell(), jittered(0.1, 9)),
    ];
    for mesh in &meshes {
        for pattern in [Pattern::KMeans, Pattern::Voronoi] {
            for count in [1, 2, 30] {
                let division = divide(mesh, pattern, count);
                assert_eq!(division.fragments.len(), count as usize);
                assert_sound(mesh, &division);
            }
        }
        for count in [1, 6] {
            let division = divide(mesh, Pattern::Convex, count);
            assert!((1..=count as usize).contains(&division.fragments.len()));
            assert_sound(mesh, &division);
        }
    }
    let mesh = kuhn(&block([3, 3, 2]), jittered(0.1, 5));
    let each = divide(&mesh, Pattern::KMeans, mesh.tets.len() as u32);
    assert_eq!(each.fragments.len(), mesh.tets.len());
    assert_sound(&mesh, &each);
    let each = divide(&mesh, Pattern::Voronoi, mesh.tets.len() as u32 - 1);
    assert_eq!(each.fragments.len(), mesh.tets.len() - 1);
    assert_sound(&mesh, &each);
}

#[test]
fn a_block_in_one_fragment_has_the_moments_of_the_textbook() {
    // 4 × 2 × 1 cells of 0.5 × 0.3 × 0.2 m, far from the origin
    let size = DVec3::new(2.0, 0.6, 0.2);
    let corner = DVec3::new(1000.0, -500.0, 250.0);
    let cell = DVec3::new(0.5, 0.3, 0.2);
    let mesh = kuhn(&block([4, 2, 1]), |at| corner + cell * regular(at));
    let division = divide(&mesh, Pattern::KMeans, 1);
    let fragment = &division.fragments[0];
    let volume = size.x * size.y * size.z;
    assert!((fragment.volume / volume - 1.0).abs() < 1e-9);
    assert!(fragment.centre.distance(corner + 0.5 * size) < 1e-9);
    let [xx, yy, zz, xy, yz, zx] = fragment.second_moment;
    for (found, side) in [(xx, size.x), (yy, size.y), (zz, size.z)] {
        assert!((found / (volume * side * side / 12.0) - 1.0).abs() < 1e-9);
    }
    assert!([xy, yz, zx].iter().all(|m| m.abs() < 1e-9 * xx));
    // radii in proportion to the sides, with the block's volume: side · ∛(3/4π)
    for (radius, side) in fragment.radii.iter().zip(size.to_array()) {
        assert!((radius / (0.620_350_490_899_4 * side) - 1.0).abs() < 1e-6);
    }
    assert!(fragment.axes.log().length() < 1e-6);
}

#[test]
fn axes_turn_with_the_block() {
    let turn = Rot::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1).to_mat3().as_dmat3();
    let mesh = kuhn(&block([6, 3, 1]), |at| turn * regular(at));
    let fragment = &divide(&mesh, Pattern::KMeans, 1).fragments[0];
    let axes = fragment.axes.to_mat3().as_dmat3();
    for axis in 0..3 {
        assert!(axes.col(axis).dot(turn.col(axis)).abs() > 1.0 - 1e-6);
    }
    let side = 0.620_350_490_899_4;
    for (radius, expected) in fragment.radii.iter().zip([6.0 * side, 3.0 * side, side]) {
        assert!((radius / expected - 1.0).abs() < 1e-5, "{radius} {expected}");
    }
}

/// A plate of 20 × 20 × 1 cells, 10,000 times wider than thick: too flat for single precision and
/// for contact.
#[test]
fn thin_fragments_stay_usable() {
    let turn = Rot::from_axis_angle(Vec3::new(0.48, 0.6, 0.64), 0.7).to_mat3().as_dmat3();
    let mesh = kuhn(&block([20, 20, 1]), |at| turn * (regular(at) * DVec3::new(1.0, 1.0, 1e-4)));
    let division = divide(&mesh, Pattern::KMeans, 30);
    assert_sound(&mesh, &division);
    let bond = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|f| division.fragments[f as usize].centre);
        a.distance(b)
    };
    let shape = division.oriented();
    let mean = shape.bonds.iter().map(bond).sum::<f64>() / shape.bonds.len() as f64;
    for point in &shape.points {
        let least = point.radii.into_iter().fold(f32::MAX, f32::min);
        assert!((f64::from(least) / (0.1 * mean) - 1.0).abs() < 1e-6);
        let moment = matrix(point.second_moment.map(f64::from));
        let minor = moment.x_axis.x * moment.y_axis.y - moment.x_axis.y * moment.y_axis.x;
        assert!(moment.x_axis.x > 0.0 && minor > 0.0 && moment.determinant() > 0.0);
    }
}

/// Standard deviation of the volumes over their mean.
fn unevenness(division: &Fragments) -> f64 {
    let volumes: Vec<f64> = division.fragments.iter().map(|f| f.volume).collect();
    let mean = volumes.iter().sum::<f64>() / volumes.len() as f64;
    let square = volumes.iter().map(|v| (v / mean - 1.0).powi(2)).sum::<f64>();
    (square / volumes.len() as f64).sqrt()
}

#[test]
fn k_means_is_even_and_voronoi_is_not() {
    let mesh = kuhn(&block([10, 10, 10]), jittered(0.1, 4));
    for seed in 0..3 {
        let of = |pattern| {
            let fracture = Fracture { seed, ..Fracture::new(pattern, 100) };
            Fragments::new(&mesh, &fracture).unwrap()
        };
        let (even, uneven) = (unevenness(&of(Pattern::KMeans)), unevenness(&of(Pattern::Voronoi)));
        println!("seed {seed}: k-means {even:.3}, Voronoi {uneven:.3}");
        // independent random cells in space have 0.423
        assert!(even < 0.2, "{even}");
        assert!(uneven > 2.0 * even, "{uneven}");
    }
}

#[test]
fn neighbours_in_number_are_near() {
    let mesh = kuhn(&block([10, 10, 10]), regular);
    let division = divide(&mesh, Pattern::KMeans, 200);
    let centres: Vec<DVec3> = division.fragments.iter().map(|f| f.centre).collect();
    let step = |pair: &[DVec3]| pair[0].distance(pair[1]);
    let mean = centres.windows(2).map(step).sum::<f64>() / 199.0;
    // a fragment is 1.7 wide; in random order the mean distance would be 6.6
    println!("mean step {mean:.2}");
    assert!(mean < 2.3, "{mean}");
}

#[test]
fn fragments_at_a_focus_are_smaller_by_the_ratio() {
    let mesh = kuhn(&block([18, 18, 9]), jittered(0.1, 8));
    let focus = Focus { point: DVec3::new(9.0, 9.0, 4.5), radius: 8.0, ratio: 0.4 };
    let width = |distance: f64| {
        let t = (distance / 8.0).min(1.0);
        0.4 + 0.6 * (3.0 * t * t - 2.0 * t.powi(3))
    };
    for (pattern, tolerance) in [(Pattern::KMeans, 0.12), (Pattern::Voronoi, 0.25)] {
        let fracture = Fracture { focus: Some(focus), ..Fracture::new(pattern, 250) };
        let division = Fragments::new(&mesh, &fracture).unwrap();
        assert_eq!(division.fragments.len(), 250);
        let mean_volume = |range: &Range<f64>| {
            let inside = division.fragments.iter().map(|f| (f.centre, f.volume));
            let inside = inside.filter(|(x, _)| range.contains(&x.distance(focus.point)));
            let (count, volume) = inside.fold((0, 0.0), |(n, sum), (_, v)| (n + 1, sum + v));
            assert!(count > 10, "{count} fragments");
            volume / f64::from(count)
        };
        // fragments of width w, w³ in volume, are as many as the integral of w⁻³
        let wished_volume = |range: &Range<f64>| {
            let inside = (0..mesh.tets.len()).map(|tet| (mesh.centre(tet), mesh.tet_volume(tet)));
            let (number, volume) = inside
                .map(|(x, v)| (x.distance(focus.point), v))
                .filter(|(r, _)| range.contains(r))
                .map(|(r, v)| (v / width(r).powi(3), v))
                .fold((0.0, 0.0), |(n, sum), (number, v)| (n + number, sum + v));
            volume / number
        };
        let (near, far) = (0.0..2.5, 8.0..99.0);
        let found = (mean_volume(&near) / mean_volume(&far)).cbrt();
        let wished = (wished_volume(&near) / wished_volume(&far)).cbrt();
        println!("{pattern:?}: near over far {found:.3}, wished {wished:.3}");
        assert!((found / wished - 1.0).abs() < tolerance, "{pattern:?} {found} {wished}");
    }
}

/// Two prongs 2 × 2 cells wide and 14 high, 0.05 apart, joined at the bottom.
#[test]
fn a_thin_gap_is_never_bridged() {
    let cells: Vec<Cell> =
        block([5, 2, 16]).into_iter().filter(|&[x, _, z]| x != 2 || z < 2).collect();
    let narrow = |[x, y, z]: Cell| {
        let x = if x >= 3 { f64::from(x) - 0.95 } else { x.into() };
        DVec3::new(x, y.into(), z.into())
    };
    let mesh = kuhn(&cells, narrow);
    for pattern in [Pattern::KMeans, Pattern::Voronoi] {
        for seed in 0..20 {
            let division = Fragments::new(&mesh, &Fracture { seed, ..Fracture::new(pattern, 16) });
            let division = division.unwrap();
            let prong = |right: bool| -> BTreeSet<u32> {
                let inside = |&tet: &usize| {
                    let centre = mesh.centre(tet);
                    centre.z > 7.0 && (centre.x > 2.025) == right
                };
                (0..mesh.tets.len()).filter(inside).map(|tet| division.of_tet[tet]).collect()
            };
            assert!(prong(false).is_disjoint(&prong(true)), "{pattern:?} {seed}");
        }
    }
}

#[test]
fn convex_parts_follow_the_shape() {
    // an L is two blocks, and a dumbbell two blocks and a bridge
    let mesh = kuhn(&l_shape(), regular);
    let division = divide(&mesh, Pattern::Convex, 2);
    assert_eq!(division.fragments.len(), 2);
    assert_sound(&mesh, &division);
    let volumes: Vec<f64> = division.fragments.iter().map(|f| f.volume).collect();
    // 3 × 8 × 3 and 5 × 3 × 3, cut either way, to a layer of half cells
    println!("L: {volumes:?}");
    assert!((volumes.iter().fold(0.0, |a: f64, &b| a.max(b)) - 72.0).abs() < 6.0, "{volumes:?}");

    let mesh = kuhn(&dumbbell(), regular);
    let volumes = |count: u32| {
        let division = divide(&mesh, Pattern::Convex, count);
        let mut volumes: Vec<f64> = division.fragments.iter().map(|f| f.volume).collect();
        volumes.sort_unstable_by(f64::total_cmp);
        println!("dumbbell: {volumes:?}");
        volumes
    };
    // cut in the middle first; then, with few parts wished, the halves of the bridge are joined
    for (count, expected) in [(8, &[1.5, 1.5, 64.0, 64.0][..]), (3, &[3.0, 64.0, 64.0])] {
        let found = volumes(count);
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.7), "{found:?}");
    }

    // a block is convex already
    assert_eq!(divide(&kuhn(&block([4, 3, 2]), regular), Pattern::Convex, 9).fragments.len(), 1);
}

#[test]
fn objects_become_fragments_and_split_where_they_do_not_hang_together() {
    let mut mesh = kuhn(&block([6, 2, 2]), jittered(0.1, 6));
    // a, b, a along x: a is in two pieces
    let object = |tet: usize| u32::from((2..4).contains(&(tet / (6 * 4))));
    let of = (0..mesh.tets.len()).map(object).collect();
    mesh.objects = Objects { names: vec!["a".into(), "b".into()], of };
    let division = divide(&mesh, Pattern::Objects, 0);
    assert_sound(&mesh, &division);
    assert_eq!(division.fragments.len(), 3);
    assert_eq!(division.interfaces.len(), 2);
}

#[test]
fn attributes_are_means_over_volume() {
    let mut mesh = bar();
    let plane = DVec3::new(0.7, -1.3, 2.1);
    let linear = mesh.vertices.iter().map(|x| plane.dot(*x) as f32 + 4.0).collect();
    mesh.vertex_attributes = vec![Attribute { name: "linear".into(), values: linear }];
    let volumes = (0..mesh.tets.len()).map(|tet| mesh.tet_volume(tet) as f32).collect();
    mesh.tet_attributes = vec![Attribute { name: "volume".into(), values: volumes }];
    let division = divide(&mesh, Pattern::KMeans, 20);
    let attributes = division.attributes(&mesh);
    assert_eq!(attributes[0].name, "linear");
    assert_eq!(attributes[1].name, "volume");
    for (fragment, &value) in division.fragments.iter().zip(&attributes[0].values) {
        // the mean of a linear function is its value at the centre of mass
        assert!((plane.dot(fragment.centre) + 4.0 - f64::from(value)).abs() < 1e-4);
    }
    for (number, &value) in attributes[1].values.iter().enumerate() {
        let of = |power: i32| -> f64 {
            let inside = (0..mesh.tets.len()).filter(|&t| division.of_tet[t] as usize == number);
            inside.map(|tet| mesh.tet_volume(tet).powi(power)).sum()
        };
        assert!((of(2) / of(1) / f64::from(value) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn the_same_seed_gives_the_same_fragments_and_another_does_not() {
    let mesh = bar();
    for pattern in [Pattern::KMeans, Pattern::Voronoi, Pattern::Convex] {
        assert_eq!(divide(&mesh, pattern, 40), divide(&mesh, pattern, 40));
    }
    for pattern in [Pattern::KMeans, Pattern::Voronoi] {
        let other = Fracture { seed: 1, ..Fracture::new(pattern, 40) };
        assert_ne!(divide(&mesh, pattern, 40), Fragments::new(&mesh, &other).unwrap());
    }
}

#[test]
fn separate_parts_share_the_fragments_by_volume() {
    // blocks of 64, 16 and 1 cells
    let mut cells = block([4, 4, 4]);
    cells.extend(block([4, 2, 2]).iter().map(|&[x, y, z]| [x + 10, y, z]));
    cells.push([20, 0, 0]);
    let mesh = kuhn(&cells, regular);
    let (component, _) = mesh.components();
    for pattern in [Pattern::KMeans, Pattern::Voronoi] {
        for (count, expected) in [(3, [1, 1, 1]), (21, [16, 4, 1]), (81, [64, 16, 1])] {
            let division = divide(&mesh, pattern, count);
            assert_sound(&mesh, &division);
            let found = [0, 1, 2].map(|c| {
                let of = (0..mesh.tets.len()).filter(|&tet| component[tet] == c);
                of.map(|tet| division.of_tet[tet]).collect::<BTreeSet<_>>().len()
            });
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn what_cannot_be_divided_is_refused_with_a_reason() {
    let mesh = kuhn(&[[0, 0, 0], [5, 0, 0]], regular);
    let refused = |fracture: Fracture| Fragments::new(&mesh, &fracture).unwrap_err();
    for pattern in [Pattern::KMeans, Pattern::Voronoi, Pattern::Convex] {
        assert_eq!(refused(Fracture::new(pattern, 0)), FractureError::NoFragments);
        assert_eq!(
            refused(Fracture::new(pattern, 1)),
            FractureError::FewerThanComponents { count: 1, components: 2 }
        );
    }
    for pattern in [Pattern::KMeans, Pattern::Voronoi] {
        assert_eq!(
            refused(Fracture::new(pattern, 13)),
            FractureError::TooManyFragments { count: 13, tets: 12 }
        );
    }
    assert_eq!(refused(Fracture::new(Pattern::Objects, 3)), FractureError::NoObjects);

    let focus = Focus { point: DVec3::ZERO, radius: 1.0, ratio: 0.5 };
    let with = |focus, pattern| Fracture { focus: Some(focus), ..Fracture::new(pattern, 3) };
    for (focus, message) in [
        (
            Focus { radius: 0.0, ..focus },
            "the radius of the focus must be above 0 and finite, in m, but is 0",
        ),
        (
            Focus { radius: f64::NAN, ..focus },
            "the radius of the focus must be above 0 and finite, in m, but is NaN",
        ),
        (
            Focus { ratio: 1.5, ..focus },
            "the ratio of the focus must be from 0.01 to 1, but is 1.5",
        ),
        (
            Focus { point: DVec3::INFINITY, ..focus },
            "the point of the focus must be finite, but is inf",
        ),
    ] {
        assert_eq!(refused(with(focus, Pattern::KMeans)).to_string(), message);
    }
    assert_eq!(refused(with(focus, Pattern::Convex)), FractureError::FocusWithoutUse);
    assert_eq!(refused(with(focus, Pattern::Objects)), FractureError::FocusWithoutUse);

    let fracture = Fracture::new(Pattern::KMeans, 1);
    let empty = Fragments::new(&TetMesh::default(), &fracture);
    assert_eq!(empty, Err(FractureError::Mesh(TetError::Empty)));
    assert_eq!(
        Fragments::from_labels(&mesh, &[0; 11]),
        Err(FractureError::WrongLabels { found: 11, tets: 12 })
    );
}

/// The bunny as tetrahedra of a body-centred cubic lattice, those whose centre lies inside: about
/// 6,142 of them.
fn bunny() -> TetMesh {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/bunny.obj");
    let text = std::fs::read_to_string(path).unwrap();
    let mut surface = Surface::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["v", x, y, z] => {
                surface.vertices.push(DVec3::from_array([x, y, z].map(|x| x.parse().unwrap())));
            }
            ["f", a, b, c] => {
                let vertex =
                    |word: &str| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                surface.triangles.push([a, b, c].map(vertex));
            }
            _ => {}
        }
    }
    let parameters = VolumeMeshParameters::new(0.01125);
    let cover = volume_mesh(&surface.vertices, &surface.triangles, &parameters).unwrap();
    let distance = SignedDistance::new(&ClosedSurface::new(surface).unwrap()).unwrap();
    let mut mesh = TetMesh { vertices: cover.vertices, tets: cover.cells, ..TetMesh::default() };
    let inside = |&tet: &usize| distance.at(mesh.centre(tet)) < 0.0;
    mesh.tets = (0..mesh.tets.len()).filter(inside).map(|tet| mesh.tets[tet]).collect();
    mesh.repair().unwrap().0
}

/// The paper's bunny has 300 particles and 1,288 edges (000 sec. 6).
#[test]
fn the_bunny_has_about_as_many_edges_as_in_the_paper() {
    let mesh = bunny();
    assert!(mesh.tets.len().abs_diff(6142) < 185, "{} tetrahedra", mesh.tets.len());
    for seed in 0..3 {
        let fracture = Fracture { seed, ..Fracture::new(Pattern::KMeans, 300) };
        let division = Fragments::new(&mesh, &fracture).unwrap();
        let edges = division.interfaces.len();
        println!("{} tetrahedra, 300 fragments, {edges} edges", mesh.tets.len());
        assert!(edges.abs_diff(1288) <= 128, "{edges} edges");
        if seed == 0 {
            assert_sound(&mesh, &division);
        }
    }
}

/// What the engine asks of a shape, it gets: also of slivers, one to a fragment.
#[test]
fn the_engine_takes_every_division() {
    let flat = DVec3::new(1.0, 0.7, 2e-3);
    let meshes = [bar(), kuhn(&block([4, 4, 1]), |at| flat * jittered(0.1, 2)(at))];
    for mesh in meshes {
        for (pattern, count) in [
            (Pattern::KMeans, 40),
            (Pattern::KMeans, 96),
            (Pattern::Voronoi, 40),
            (Pattern::Convex, 5),
        ] {
            let division = divide(&mesh, pattern, count);
            let mut world = World::new(WorldConfig::default()).unwrap();
            let material = MaterialDesc { density: 1000.0.into(), ..MaterialDesc::default() };
            let material = Material::try_from(&material).unwrap();
            let shape = ShapeDesc::Oriented(division.oriented());
            let body = world.spawn(BodyDesc::new("body", shape, vec![material])).unwrap();
            world.step(1.0 / 60.0);
            let mass = world.body(body).unwrap().mass();
            assert!((mass / (1000.0 * mesh.volume()) - 1.0).abs() < 1e-6);
        }
    }
}

/// A heap of cubes with gaps, jittered and scaled, divided: sound, or refused with a reason.
fn divide_heap(keep: &[bool], seed: u64, exponent: i32, fracture: Fracture) {
    let kept = block([4, 3, 3]).into_iter().zip(keep).filter(|(_, keep)| **keep);
    let cells: Vec<Cell> = kept.map(|(cell, _)| cell).collect();
    let (place, scale) = (jittered(0.15, seed), 10f64.powi(exponent));
    let mesh = kuhn(&cells, |at| scale * place(at));
    match Fragments::new(&mesh, &fracture) {
        Ok(division) => {
            let (found, count) = (division.fragments.len(), fracture.count as usize);
            assert!(found == count || (found < count && fracture.pattern == Pattern::Convex));
            assert_sound(&mesh, &division);
        }
        Err(FractureError::FewerThanComponents { count, components }) => {
            assert!(components > count as usize && mesh.components().1 == components);
        }
        Err(FractureError::TooManyFragments { .. }) => {
            assert!(mesh.tets.len() < fracture.count as usize);
        }
        Err(error) => assert_eq!(error, FractureError::Mesh(TetError::Empty)),
    }
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn heap() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(prop::bool::weighted(0.6), 36)
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn random_heaps_of_cubes_are_divided_soundly(
        keep in heap(), seed: u64, count in 1..60u32, exponent in -4..5i32, even: bool,
    ) {
        let pattern = if even { Pattern::KMeans } else { Pattern::Voronoi };
        divide_heap(&keep, seed, exponent, Fracture { seed, ..Fracture::new(pattern, count) });
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn random_heaps_of_cubes_have_sound_convex_parts(
        keep in heap(), seed: u64, count in 1..20u32, exponent in -4..5i32,
    ) {
        divide_heap(&keep, seed, exponent, Fracture::new(Pattern::Convex, count));
    }
}
