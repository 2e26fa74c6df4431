//! Mass against numbers and counted points, hulls against all their points.
#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use super::*;
use crate::math::Sym3;
use proptest::prelude::*;

fn mass(shape: &Shape) -> MassProperties {
    shape.mass_properties(2.0).unwrap()
}

fn assert_near(found: f32, expected: f32, tolerance: f32) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0e-3),
        "{found}, expected {expected}"
    );
}

fn assert_inertia(found: Sym3, expected: Vec3, tolerance: f32) {
    let [xx, yy, zz, xy, yz, zx] = found.to_array();
    for (f, e) in [(xx, expected.x), (yy, expected.y), (zz, expected.z)] {
        assert_near(f, e, tolerance);
    }
    let off = [xy, yz, zx].into_iter().fold(0f32, |m, x| m.max(x.abs()));
    assert!(off < tolerance * expected.max_element(), "{found:?}");
}

/// Textbook values; the capsule against its own integral over slices.
#[test]
fn mass_of_simple_solids_is_in_the_books() {
    let pi = std::f32::consts::PI;
    let sphere = mass(&Shape::sphere(0.3).unwrap());
    let m = 2.0 * 4.0 / 3.0 * pi * 0.027;
    assert_near(sphere.mass, m, 1.0e-6);
    assert_inertia(sphere.inertia, Vec3::splat(0.4 * m * 0.09), 1.0e-6);

    let block = mass(&Shape::block(Vec3::new(0.5, 1.0, 1.5)).unwrap());
    assert_near(block.mass, 12.0, 1.0e-6);
    assert_inertia(block.inertia, Vec3::new(13.0, 10.0, 5.0), 1.0e-6);

    let cylinder = mass(&Shape::cylinder(1.0, 0.5).unwrap());
    let m = 2.0 * pi * 0.25 * 2.0;
    assert_near(cylinder.mass, m, 1.0e-6);
    let across = m * (3.0 * 0.25 + 4.0) / 12.0;
    assert_inertia(cylinder.inertia, Vec3::new(across, 0.5 * m * 0.25, across), 1.0e-6);

    let (l, r) = (0.8f64, 0.3f64);
    let (mut m, mut along, mut across) = (0.0, 0.0, 0.0);
    let slices = 200_000;
    for i in 0..slices {
        let thick = 2.0 * (l + r) / f64::from(slices);
        let y = -(l + r) + (f64::from(i) + 0.5) * thick;
        let beyond = (y.abs() - l).max(0.0);
        let squared = r * r - beyond * beyond;
        let dm = 2.0 * std::f64::consts::PI * squared * thick;
        m += dm;
        along += dm * squared / 2.0;
        across += dm * (squared / 4.0 + y * y);
    }
    let capsule = mass(&Shape::capsule(l as f32, r as f32).unwrap());
    assert_near(capsule.mass, m as f32, 1.0e-5);
    assert_inertia(capsule.inertia, Vec3::new(across as f32, along as f32, across as f32), 1.0e-5);
}

/// A cube as a hull, anywhere and with points inside: six faces, eight corners, the mass of a box.
#[test]
fn cube_of_points_is_a_box() {
    for shift in [Vec3::ZERO, Vec3::new(10.0, -4.0, 3.0)] {
        let mut points = Vec::new();
        for i in 0..64 {
            let step = Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32);
            points.push(shift + step * Vec3::new(0.25, 0.5, 0.75));
        }
        let hull = Hull::new(&points).unwrap();
        let corners: Vec<&[u16]> = hull.polygons().collect();
        assert_eq!(corners.len(), 6);
        // points amid faces are no corners; those on edges may be
        assert!(hull.vertices().len() >= 8 && hull.vertices().len() <= 32);
        let found = mass(&Shape::Hull(hull));
        let expected = mass(&Shape::block(Vec3::new(0.375, 0.75, 1.125)).unwrap());
        assert_near(found.mass, expected.mass, 1.0e-6);
        assert!((found.centre - shift - Vec3::new(0.375, 0.75, 1.125)).length() < 2.0e-6);
        let e = expected.inertia;
        assert_inertia(found.inertia, Vec3::new(e.xx, e.yy, e.zz), 1.0e-5);
    }
}

/// A compound of two halves is the whole, turned and moved.
#[test]
fn halves_make_a_whole() {
    let whole = mass(&Shape::block(Vec3::new(1.0, 0.5, 0.25)).unwrap());
    let half = Shape::block(Vec3::new(0.5, 0.5, 0.25)).unwrap();
    let turned = Shape::block(Vec3::new(0.5, 0.25, 0.5)).unwrap();
    let quarter = Rot::exp(std::f32::consts::FRAC_PI_2 * Vec3::X);
    let at = |x: f32| Vec3::new(x, 2.0, 0.0);
    let both = Shape::compound(vec![
        (Pose { rotation: Rot::IDENTITY, position: at(0.5) }, half),
        (Pose { rotation: quarter, position: at(-0.5) }, turned),
    ])
    .unwrap();
    let found = mass(&both);
    assert_near(found.mass, whole.mass, 1.0e-6);
    assert!((found.centre - at(0.0)).length() < 1.0e-6);
    let e = whole.inertia;
    assert_inertia(found.inertia, Vec3::new(e.xx, e.yy, e.zz), 2.0e-6);
    assert!(Shape::half_space(Vec3::Y).unwrap().mass_properties(1.0).is_none());
}

/// Whether a hull holds a point, by all its faces; their normals from all their corners (Newell), since
/// the first three may be nearly in line.
fn holds(hull: &Hull, p: Vec3, margin: f64) -> bool {
    hull.polygons().all(|f| {
        let corner = |k: usize| hull.vertices()[f[k % f.len()] as usize].as_dvec3();
        let from = |k: usize| corner(k) - corner(0);
        let normal = (1..f.len()).map(|k| from(k).cross(from(k + 1))).sum::<glam::DVec3>();
        normal.normalize().dot(p.as_dvec3() - corner(0)) <= margin
    })
}

fn any_points(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec3>> {
    let point = proptest::array::uniform3(-1.0f32..1.0).prop_map(Vec3::from_array);
    prop::collection::vec(point, count)
}

/// A point that rounding lifts out of a face is no vertex of a hull without an edge there.
#[test]
fn hull_has_no_vertex_within_a_face() {
    let corner = |k: i32| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32);
    let mut points: Vec<Vec3> = (0..8).map(corner).collect();
    points.insert(3, Vec3::new(0.4, 0.5, 1.0 + 6.0e-7));
    let hull = Hull::new(&points).unwrap();
    assert_eq!((hull.vertices().len(), hull.polygons().count()), (8, 6));
    let named: Vec<u16> = hull.polygons().flatten().copied().collect();
    assert!((0..8).all(|v| named.iter().filter(|&&n| n == v).count() == 3), "{named:?}");
}

proptest! {
    /// Every point is inside, the support function is that of the points, faces close up by Euler,
    /// and mass, centre and inertia are those of counted points.
    #[test]
    fn hull_is_the_smallest_around_its_points(
        points in any_points(8..60), flatten in 0.02f32..1.0, round in any::<bool>(),
    ) {
        let scale = Vec3::new(1.0, flatten, 1.0);
        let points: Vec<Vec3> = points
            .iter()
            .map(|p| scale * if round { p.normalize_or(Vec3::X) } else { *p })
            .collect();
        let hull = Hull::new(&points).unwrap();
        for &p in &points {
            prop_assert!(holds(&hull, p, 1.0e-5), "{p} is outside");
        }
        let (v, f) = (hull.vertices().len(), hull.polygons().count());
        let edges: usize = hull.polygons().map(<[u16]>::len).sum();
        prop_assert_eq!(v + f, edges / 2 + 2);
        let shape = Shape::Hull(hull.clone());
        for k in 0..40 {
            let d = Vec3::new((k as f32).sin(), (1.7 * k as f32).cos(), (0.6 * k as f32).sin());
            let highest = points.iter().map(|p| p.dot(d)).fold(f32::NEG_INFINITY, f32::max);
            let found = shape.support(d).unwrap().dot(d);
            prop_assert!((found - highest).abs() < 1.0e-5, "{found} of {highest}");
        }
    }

    /// The box around a shape touches it on all six sides, and its sphere holds it.
    #[test]
    fn bounds_are_tight(
        v in proptest::array::uniform3(-3.0f32..3.0), points in any_points(8..20),
        s in proptest::array::uniform3(0.1f32..2.0),
    ) {
        let pose = Pose { rotation: Rot::exp(Vec3::from_array(v)), position: Vec3::new(1.0, 2.0, 3.0) };
        let [x, y, z] = s;
        let sizes = Vec3::new(x, y, z);
        for shape in [
            Shape::sphere(x), Shape::ellipsoid(sizes), Shape::block(sizes), Shape::capsule(x, y),
            Shape::cylinder(x, y), Shape::hull(&points),
        ] {
            let shape = shape.unwrap();
            let bounds = shape.aabb(&pose);
            for n in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
                let local = shape.support(pose.rotation.inverse() * n).unwrap();
                let side = if n.min_element() < 0.0 { bounds.min } else { bounds.max };
                let (found, expected) = (side.dot(n), pose.apply(local).dot(n));
                prop_assert!((found - expected).abs() < 1.0e-5, "{found} {expected} {shape:?}");
                prop_assert!(local.length() <= shape.bounding_radius() * 1.000_001);
            }
        }
    }
}

/// Counting points of a grid: a rough but independent integral.
#[test]
fn mass_of_a_hull_is_that_of_counted_points() {
    let points: Vec<Vec3> = (0..30)
        .map(|i| {
            let t = i as f32;
            Vec3::new((1.3 * t).sin(), 0.6 * (2.1 * t).cos(), 0.8 * (0.7 * t + 1.0).sin())
        })
        .collect();
    let hull = Hull::new(&points).unwrap();
    let n = 90;
    let cell = 2.0 / n as f32;
    let (mut count, mut first, mut second) = (0.0f64, glam::DVec3::ZERO, [0.0f64; 6]);
    for i in 0..n * n * n {
        let p = Vec3::new((i % n) as f32, (i / n % n) as f32, (i / n / n) as f32);
        let p = (p + 0.5) * cell - 1.0;
        if holds(&hull, p, 0.0) {
            count += 1.0;
            let q = p.as_dvec3();
            first += q;
            let s = [q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x];
            (0..6).for_each(|k| second[k] += s[k]);
        }
    }
    let found = mass(&Shape::Hull(hull));
    let m = 2.0 * count * f64::from(cell * cell * cell);
    let c = first / count;
    let s = second.map(|s| s / count * m);
    let about = [
        s[0] - m * c.x * c.x,
        s[1] - m * c.y * c.y,
        s[2] - m * c.z * c.z,
        s[3] - m * c.x * c.y,
        s[4] - m * c.y * c.z,
        s[5] - m * c.z * c.x,
    ];
    assert_near(found.mass, m as f32, 5.0e-3);
    assert!((found.centre - c.as_vec3()).length() < 2.0e-3, "{} {c}", found.centre);
    let trace = about[0] + about[1] + about[2];
    let expected =
        [trace - about[0], trace - about[1], trace - about[2], -about[3], -about[4], -about[5]];
    for (f, e) in found.inertia.to_array().into_iter().zip(expected) {
        assert!((f64::from(f) - e).abs() < 5.0e-3 * trace, "{f} {e}");
    }
}

/// What cannot be a shape is refused with a reason.
#[test]
fn bad_shapes_are_refused() {
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1.0e-9, 1.0e9] {
        assert!(Shape::sphere(bad).is_err(), "{bad}");
        assert!(Shape::capsule(1.0, bad).is_err() && Shape::cylinder(bad, 1.0).is_err());
        assert!(Shape::block(Vec3::new(1.0, bad, 1.0)).is_err());
        assert!(Shape::ellipsoid(Vec3::new(1.0, 1.0, bad)).is_err());
    }
    assert!(Shape::ellipsoid(Vec3::new(1.0, 1.0, 0.001)).is_err());
    let message = Shape::sphere(-1.0).unwrap_err().to_string();
    assert_eq!(message, "radius of the sphere must be between 1e-6 and 1e6 m, but is -1");
    for bad in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
        assert!(Shape::half_space(bad).is_err());
    }

    let flat = |points: &[Vec3]| match Hull::new(points) {
        Err(ShapeError::Flat { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(flat(&[]), "one point");
    assert_eq!(flat(&[Vec3::ONE; 5]), "one point");
    assert_eq!(flat(&[Vec3::ZERO, Vec3::X, 2.0 * Vec3::X, 3.0 * Vec3::X]), "a line");
    assert_eq!(flat(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE - Vec3::Z]), "a plane");
    assert!(matches!(
        Hull::new(&[Vec3::ZERO, Vec3::NAN, Vec3::X, Vec3::Y, Vec3::Z]),
        Err(ShapeError::NotFinite { index: 1, .. })
    ));

    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let mesh = |t: Vec<[u32; 3]>| TriangleMesh::new(corners.clone(), t);
    assert!(mesh(vec![[0, 1, 2]]).is_ok());
    assert!(matches!(mesh(vec![]), Err(ShapeError::WrongCount { .. })));
    assert!(matches!(mesh(vec![[0, 1, 3]]), Err(ShapeError::NoSuchVertex { vertex: 3, .. })));
    assert!(matches!(mesh(vec![[0, 1, 2], [0, 1, 1]]), Err(ShapeError::NoArea { triangle: 1 })));

    assert!(HeightField::new(2, vec![0.0; 4], [1.0; 2]).is_ok());
    assert!(HeightField::new(2, vec![0.0; 5], [1.0; 2]).is_err());
    assert!(HeightField::new(1, vec![0.0; 4], [1.0; 2]).is_err());
    assert!(HeightField::new(2, vec![0.0, 0.0, f32::NAN, 0.0], [1.0; 2]).is_err());
    assert!(HeightField::new(2, vec![0.0; 4], [0.0, 1.0]).is_err());

    assert!(Shape::compound(vec![]).is_err());
    let ground = Shape::half_space(Vec3::Y).unwrap();
    assert!(matches!(
        Shape::compound(vec![(Pose::IDENTITY, ground)]),
        Err(ShapeError::BadPart { part: 0, kind: "half-space" })
    ));
}
