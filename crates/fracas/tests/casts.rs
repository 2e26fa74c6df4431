//! Rays, moved shapes and overlaps against inside tests, brute force and closed forms.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, body, floor, lattice, material, weightless};
use fracas::contact::narrow::{Way, collide, sweep};
use fracas::contact::ray::{Ray, Struck, cast};
use fracas::contact::shape::{HeightField, Hull, Pose, Shape, TriangleMesh};
use fracas::glam::{DMat3, DVec3, Vec3};
use fracas::material::Material;
use fracas::math::Rot;
use fracas::world::{
    BodyDesc, CommandError, HitTarget, Layers, ObstacleDesc, RayDesc, ShapeDesc, WorldPose,
};
use fracas::{BodyId, World};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

/// Whether a solid holds a point of its own frame, written without any of the engine's maths. The ground of
/// a height field is asked from its triangles.
fn holds(shape: &Shape, p: DVec3) -> bool {
    let beyond = |half: f32| (p.y.abs() - f64::from(half)).max(0.0);
    let across = p.x.hypot(p.z);
    match shape {
        Shape::Sphere(s) => p.length() <= s.radius().into(),
        Shape::Ellipsoid(e) => (p / e.radii().as_dvec3()).length() <= 1.0,
        Shape::Box(b) => p.abs().cmple(b.half().as_dvec3()).all(),
        Shape::Capsule(c) => across.hypot(beyond(c.half_length())) <= c.radius().into(),
        Shape::Cylinder(c) => across <= c.radius().into() && beyond(c.half_length()) == 0.0,
        Shape::Hull(hull) => hull.polygons().all(|face| below(hull, face, p)),
        Shape::HalfSpace(plane) => plane.normal().as_dvec3().dot(p) <= 0.0,
        Shape::Compound(c) => c.parts().iter().any(|(pose, part)| {
            let back = matrix(pose.rotation).transpose();
            holds(part, back * (p - pose.position.as_dvec3()))
        }),
        Shape::HeightField(field) => p.y <= ground(field, p.x, p.z).unwrap_or(f64::NEG_INFINITY),
        _ => unreachable!("a mesh has no inside"),
    }
}

/// Newell's normal of a face.
fn below(hull: &Hull, face: &[u16], p: DVec3) -> bool {
    let at = |k: usize| hull.vertices()[face[k % face.len()] as usize].as_dvec3();
    let normal: DVec3 = (1..face.len()).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0))).sum();
    normal.dot(p - at(0)) <= 0.0
}

/// The ground, by a search over all triangles.
fn ground(field: &HeightField, x: f64, z: f64) -> Option<f64> {
    triangles_of(field).iter().find_map(|&[a, b, c]| {
        let area = |p: DVec3, q: DVec3| (q.z - p.z) * (x - p.x) - (q.x - p.x) * (z - p.z);
        let [u, v, w] = [area(b, c), area(c, a), area(a, b)];
        let inside = u >= -1e-12 && v >= -1e-12 && w >= -1e-12;
        inside.then(|| (u * a.y + v * b.y + w * c.y) / (u + v + w))
    })
}

/// In the order of their numbers.
fn triangles_of(field: &HeightField) -> Vec<[DVec3; 3]> {
    let (columns, [dx, dz]) = (field.columns(), field.spacing());
    let at = |c: usize, r: usize| {
        let height = field.heights()[r * columns + c];
        DVec3::new(c as f64 * f64::from(dx), height.into(), r as f64 * f64::from(dz))
    };
    let mut list = Vec::new();
    for r in 0..field.rows() - 1 {
        for c in 0..columns - 1 {
            list.push([at(c, r), at(c, r + 1), at(c + 1, r + 1)]);
            list.push([at(c, r), at(c + 1, r + 1), at(c + 1, r)]);
        }
    }
    list
}

fn matrix(q: Rot) -> DMat3 {
    q.to_mat3().as_dmat3()
}

/// A random direction or size from whole numbers.
fn vector(range: core::ops::Range<f64>) -> impl Strategy<Value = DVec3> {
    proptest::array::uniform3(range).prop_map(DVec3::from_array)
}

fn turn() -> impl Strategy<Value = Rot> {
    vector(-3.0..3.0).prop_map(|v| Rot::exp(v.as_vec3()))
}

/// Solids of every kind, around the origin and about a metre large.
fn solid() -> impl Strategy<Value = Shape> {
    let sizes = || proptest::array::uniform3(0.1f32..1.0);
    let points = proptest::collection::vec(proptest::array::uniform3(-1.0f32..1.0), 6..24);
    let convex = prop_oneof![
        sizes().prop_map(|s| Shape::sphere(s[0]).unwrap()),
        sizes().prop_map(|s| Shape::ellipsoid(s.into()).unwrap()),
        sizes().prop_map(|s| Shape::block(s.into()).unwrap()),
        sizes().prop_map(|s| Shape::capsule(s[0], s[1]).unwrap()),
        sizes().prop_map(|s| Shape::cylinder(s[0], s[1]).unwrap()),
        points.prop_filter_map("flat", |points| {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            Shape::hull(&points).ok()
        }),
    ];
    let part = (convex.clone(), vector(-0.7..0.7), turn())
        .prop_map(|(shape, at, rotation)| (Pose { position: at.as_vec3(), rotation }, shape));
    let compound = proptest::collection::vec(part, 1..4).prop_map(|p| Shape::compound(p).unwrap());
    prop_oneof![6 => convex, 2 => compound]
}

fn hills() -> impl Strategy<Value = HeightField> {
    let heights = proptest::collection::vec(-0.5f32..0.5, 20);
    (heights, 0.3f32..0.6, 0.3f32..0.6)
        .prop_map(|(heights, dx, dz)| HeightField::new(5, heights, [dx, dz]).unwrap())
}

/// What a ray along which a solid is sampled must have hit.
fn check_against_samples(
    shape: &Shape,
    rotation: Rot,
    position: DVec3,
    ray: &Ray,
) -> Result<(), TestCaseError> {
    let back = matrix(rotation).transpose();
    let inside = |t: f64| holds(shape, back * (ray.at(t) - position));
    let struck = cast(shape, rotation, position, ray);
    let end = struck.map_or(ray.length, |s| s.distance - 1e-5);
    for k in 0..400 {
        let t = f64::from(k) / 400.0 * end;
        prop_assert!(end < 0.0 || !inside(t), "{struck:?} came after {t} inside {shape:?}");
    }
    let Some(Struck { distance, normal, .. }) = struck else { return Ok(()) };
    prop_assert!((0.0..=ray.length).contains(&distance));
    prop_assert!((normal.length() - 1.0).abs() < 1e-6);
    if distance == 0.0 {
        prop_assert!(inside(0.0) || inside(1e-6));
        prop_assert!(normal.distance(-ray.direction) < 1e-12);
        return Ok(());
    }
    prop_assert!(normal.dot(ray.direction) <= 1e-6);
    // the surface is at that point, and its outside is where the normal points to
    let point = ray.at(distance);
    let holds_at = |p: DVec3| holds(shape, back * (p - position));
    prop_assert!(holds_at(point - 2e-5 * normal), "outside behind {point} {normal} of {shape:?}");
    prop_assert!(!holds_at(point - 1e-5 * ray.direction));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nothing is inside before the hit, and the surface is at the hit, for rays from outside and inside.
    #[test]
    fn rays_hit_solids_where_samples_find_them(
        shape in solid(), rotation in turn(), at in vector(-3.0..3.0),
        from in vector(-2.5..2.5), towards in vector(-0.8..0.8), far in any::<bool>(),
    ) {
        // a kilometre's offset of both must change nothing
        let shift = if far { DVec3::new(1e6, -2e6, 3e6) } else { DVec3::ZERO };
        let direction = (towards - from).normalize();
        let ray = Ray { origin: shift + at + from, direction, length: 6.0 };
        check_against_samples(&shape, rotation, shift + at, &ray)?;
    }

    #[test]
    fn rays_hit_hills_where_samples_find_them(
        field in hills(), rotation in turn(), from in vector(-2.0..3.0), to in vector(0.0..2.0),
        axis in 0usize..6,
    ) {
        // straight along an axis too
        let mut direction = (to - from).normalize();
        if axis < 3 {
            direction = DVec3::AXES[axis] * direction[axis].signum();
        }
        let turned = matrix(rotation);
        let shift = DVec3::new(5.0, 6.0, 7.0);
        let ray = Ray { origin: shift + turned * from, direction: turned * direction, length: 6.0 };
        check_against_samples(&Shape::HeightField(field), rotation, shift, &ray)?;
    }

    /// The ground from above is the mesh of its triangles, by number and weights.
    #[test]
    fn hills_are_their_triangles(field in hills(), from in vector(0.0..2.0), to in vector(0.0..2.0)) {
        let origin = from + 0.6 * DVec3::Y;
        let direction = (DVec3::new(to.x, -0.6, to.z) - origin).normalize();
        let ray = Ray { origin, direction, length: INF };
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for corners in triangles_of(&field) {
            let first = vertices.len() as u32;
            vertices.extend(corners.map(|p| p.as_vec3()));
            triangles.push([first, first + 1, first + 2]);
        }
        let mesh = Shape::TriangleMesh(TriangleMesh::new(vertices, triangles).unwrap());
        let columns = field.columns() as u32;
        let field = Shape::HeightField(field);
        let on_field = cast(&field, Rot::IDENTITY, DVec3::ZERO, &ray);
        prop_assume!(on_field.is_none_or(|s| s.element.is_some()));
        let on_mesh = cast(&mesh, Rot::IDENTITY, DVec3::ZERO, &ray);
        prop_assert_eq!(on_field.is_some(), on_mesh.is_some());
        let (Some(a), Some(b)) = (on_field, on_mesh) else { return Ok(()) };
        prop_assert!((a.distance - b.distance).abs() < 1e-5);
        prop_assert!(a.normal.distance(b.normal) < 1e-5 || a.weights != b.weights);
        // the field numbers one cell more per row than there is
        let cell = a.element.unwrap() / 2;
        let number = 2 * (cell / columns * (columns - 1) + cell % columns) + a.element.unwrap() % 2;
        if a.weights.unwrap().iter().all(|&w| w > 1e-9) {
            prop_assert_eq!(Some(number), b.element);
        }
    }
}

/// A ball of triangles: a cube of `n` × `n` squares per side, blown up.
fn ball_mesh(n: usize) -> TriangleMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let at = |i: usize, k: usize| {
                let [u, v] = [i, k].map(|i| 2.0 * i as f32 / n as f32 - 1.0);
                let mut p = Vec3::ZERO;
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, u, v);
                p.normalize()
            };
            for i in 0..n {
                for k in 0..n {
                    let first = vertices.len() as u32;
                    vertices.extend([at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)]);
                    for t in [[0, 1, 2], [0, 2, 3]] {
                        let [a, b, c] = if sign > 0.0 { t } else { [t[0], t[2], t[1]] };
                        triangles.push([first + a, first + b, first + c]);
                    }
                }
            }
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Möller and Trumbore 1997, as an independent rule.
fn cross_triangle(ray: &Ray, [a, b, c]: [DVec3; 3]) -> Option<f64> {
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let det = ab.dot(p);
    let from = ray.origin - a;
    let u = from.dot(p) / det;
    let q = from.cross(ab);
    let v = ray.direction.dot(q) / det;
    let t = ac.dot(q) / det;
    (det != 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}

/// From inside a closed mesh every ray comes out, also straight through corners and edges; distance and
/// weights are those of the triangle, and the normal is on the inner side.
#[test]
fn no_ray_slips_out_of_a_closed_mesh() {
    let mesh = ball_mesh(6);
    let corners =
        |t: u32| mesh.triangles()[t as usize].map(|v| mesh.vertices()[v as usize].as_dvec3());
    let shape = Shape::TriangleMesh(mesh.clone());
    let mut targets: Vec<DVec3> = mesh.vertices().iter().map(|v| v.as_dvec3()).collect();
    for t in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = corners(t);
        targets.extend([(a + b) / 2.0, (b + c) / 2.0, 0.3 * a + 0.7 * c, (a + b + c) / 3.0]);
    }
    for origin in [DVec3::ZERO, DVec3::new(0.3, -0.2, 0.45), DVec3::new(0.5, 0.0, 0.5)] {
        for &target in &targets {
            let ray = Ray { origin, direction: (target - origin).normalize(), length: INF };
            let struck = cast(&shape, Rot::IDENTITY, DVec3::ZERO, &ray)
                .unwrap_or_else(|| panic!("{origin} → {target} slipped out"));
            assert!((struck.distance - origin.distance(target)).abs() < 1e-6, "{struck:?}");
            let [a, b, c] = corners(struck.element.unwrap());
            let [u, v, w] = struck.weights.unwrap();
            assert!((u * a + v * b + w * c).distance(target) < 1e-6);
            assert!(struck.normal.dot(ray.direction) < 0.0);
            let nearest = (0..mesh.triangles().len() as u32)
                .filter_map(|t| cross_triangle(&ray, corners(t)))
                .fold(INF, f64::min);
            assert!(nearest >= struck.distance - 1e-9);
        }
    }
    // from outside the other side answers, and what flies past misses
    let ray = |y: f64| Ray { origin: DVec3::new(-3.0, y, 0.01), direction: DVec3::X, length: INF };
    let struck = cast(&shape, Rot::IDENTITY, DVec3::ZERO, &ray(0.02)).unwrap();
    assert!((struck.distance - 2.0).abs() < 0.05 && struck.normal.x < -0.9, "{struck:?}");
    assert_eq!(cast(&shape, Rot::IDENTITY, DVec3::ZERO, &ray(1.01)), None);
    let short = Ray { length: 1.9, ..ray(0.02) };
    assert_eq!(cast(&shape, Rot::IDENTITY, DVec3::ZERO, &short), None);
}

/// Along a surface a ray is in a closed solid; a hair above it is not. A triangle seen from its edge
/// is not met.
#[test]
fn rays_along_surfaces() {
    let along = |height: f64| Ray {
        origin: DVec3::new(-3.0, height, 0.1),
        direction: DVec3::X,
        length: INF,
    };
    let shapes = [
        Shape::block(Vec3::new(1.0, 0.5, 1.0)).unwrap(),
        Shape::cylinder(0.5, 1.0).unwrap(),
        Shape::hull(
            [-1.0, 1.0]
                .map(|x| [-0.5, 0.5].map(|y| [-1.0, 1.0].map(|z| Vec3::new(x, y, z))))
                .as_flattened()
                .as_flattened(),
        )
        .unwrap(),
    ];
    for shape in &shapes {
        let hit = |height| cast(shape, Rot::IDENTITY, DVec3::ZERO, &along(height));
        let struck = hit(0.5).unwrap();
        assert!((struck.distance - 2.0).abs() < 0.01, "{struck:?} {shape:?}");
        assert!(struck.normal.x < -0.99);
        assert_eq!(hit(0.5 + 1e-9), None, "{shape:?}");
    }
    let ball = Shape::sphere(0.5).unwrap();
    let grazing = Ray { origin: DVec3::new(-3.0, 0.5, 0.0), direction: DVec3::X, length: INF };
    let struck = cast(&ball, Rot::IDENTITY, DVec3::ZERO, &grazing).unwrap();
    assert_eq!((struck.distance, struck.normal), (3.0, DVec3::Y));

    let plane = Shape::half_space(Vec3::Y).unwrap();
    let on_plane = |height| cast(&plane, Rot::IDENTITY, DVec3::ZERO, &along(height));
    assert_eq!(on_plane(0.0).map(|s| (s.distance, s.normal)), Some((0.0, -DVec3::X)));
    assert_eq!(on_plane(1e-9), None);

    let corners =
        vec![Vec3::new(0.0, 0.5, 0.0), Vec3::new(1.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 1.0)];
    let sheet = Shape::TriangleMesh(TriangleMesh::new(corners, vec![[0, 2, 1]]).unwrap());
    assert_eq!(cast(&sheet, Rot::IDENTITY, DVec3::ZERO, &along(0.5)), None);
}

fn overlap(a: &Shape, at: &Pose, b: &Shape, pose: &Pose) -> bool {
    let mut points = Vec::new();
    collide(a, at, b, pose, 0.0, &mut points).unwrap();
    !points.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// A moved solid overlaps nothing before it is met, overlaps a hair later, and is met between the two
    /// surfaces.
    #[test]
    fn moved_solids_meet_where_they_begin_to_overlap(
        a in solid(), b in solid(), turn_a in turn(), turn_b in turn(),
        from in vector(-4.0..4.0), aim in vector(-1.2..1.2),
    ) {
        let direction = (aim - from).normalize();
        let way = Way { direction, length: 7.0 };
        let met = sweep(&a, turn_a, &b, turn_b, -from, &way);
        let pose_b = Pose { rotation: turn_b, position: Vec3::ZERO };
        let at = |t: f64| Pose { rotation: turn_a, position: (from + t * direction).as_vec3() };
        let touches = |t: f64| overlap(&a, &at(t), &b, &pose_b);
        let end = met.map_or(7.0, |met| met.distance - 1e-4);
        for k in 0..60 {
            let t = f64::from(k) / 60.0 * end;
            prop_assert!(end < 0.0 || !touches(t), "overlap at {t} before {met:?}");
        }
        let Some(met) = met else { return Ok(()) };
        prop_assert!((0.0..=7.0).contains(&met.distance));
        if met.distance == 0.0 {
            prop_assert!(touches(1e-5) || touches(0.0));
            return Ok(());
        }
        // as soon as it goes a hair farther along the normal
        let pushed = Pose {
            position: at(met.distance).position - 1e-4 * met.normal.as_vec3(),
            ..at(met.distance)
        };
        prop_assert!(overlap(&a, &pushed, &b, &pose_b), "{met:?} is too soon");
        prop_assert!(met.normal.dot(direction) < 1e-6);
        // the point is on b, and b lies behind the plane through it
        let (on_b, back) = (from + met.point, matrix(turn_b).transpose());
        let tiny = Shape::sphere(2e-4).unwrap();
        let here = Pose { position: on_b.as_vec3(), ..Pose::IDENTITY };
        prop_assert!(overlap(&tiny, &here, &b, &pose_b), "{met:?} is not on {b:?}");
        prop_assert!(!holds(&b, back * (on_b + 2e-4 * met.normal)));
        if let Some(farthest) = b.support((back * met.normal).as_vec3()) {
            // the edge of a cylinder is known to a few digits only
            let beyond = (back * met.normal).dot(farthest.as_dvec3() - back * on_b);
            prop_assert!(beyond < 2e-3, "{b:?} reaches {beyond} m beyond {met:?}");
        }
    }

    /// A ball whose centre is on the edge of a box, to a rounding, is in it by its radius.
    #[test]
    fn ball_on_an_edge_overlaps(
        half in proptest::array::uniform3(0.2f32..1.0), rotation in turn(), along in -0.9f32..0.9,
    ) {
        let pose = Pose { rotation, position: Vec3::ZERO };
        let edge = Vec3::new(half[0], along * half[1], -half[2]);
        let here = Pose { position: pose.apply(edge), ..Pose::IDENTITY };
        let (ball, block) = (Shape::sphere(2e-4).unwrap(), Shape::block(half.into()).unwrap());
        prop_assert!(overlap(&ball, &here, &block, &pose));
    }

    /// A ball stops at its radius from the nearest triangle.
    #[test]
    fn moved_ball_meets_a_mesh_at_its_radius(
        from in vector(-4.0..4.0), aim in vector(-1.2..1.2), radius in 0.05f32..0.5, turned in turn(),
    ) {
        let mesh = ball_mesh(3);
        let back = matrix(turned).transpose();
        let apart = |centre: DVec3| {
            let corners = mesh.triangles().iter().map(|t| t.map(|v| mesh.vertices()[v as usize].as_dvec3()));
            corners.map(|t| distance_to_triangle(back * centre, t)).fold(INF, f64::min)
        };
        let direction = (aim - from).normalize();
        let way = Way { direction, length: 6.0 };
        let shape = Shape::TriangleMesh(mesh.clone());
        let met = sweep(&Shape::sphere(radius).unwrap(), Rot::IDENTITY, &shape, turned, -from, &way);
        let radius = f64::from(radius);
        for k in 0..60 {
            let t = f64::from(k) / 60.0 * met.map_or(6.0, |met| met.distance);
            prop_assert!(apart(from + t * direction) > radius - 1e-5 || met.is_some_and(|m| m.distance == 0.0));
        }
        if let Some(met) = met.filter(|met| met.distance > 0.0) {
            let centre = from + met.distance * direction;
            prop_assert!((apart(centre) - radius).abs() < 1e-5, "{} for {radius}", apart(centre));
            prop_assert!((from + met.point).distance(centre - radius * met.normal) < 1e-4);
            prop_assert!(met.element.is_some());
        }
    }
}

fn distance_to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let inside =
        [(a, b), (b, c), (c, a)].iter().all(|(u, v)| (v - u).cross(p - u).dot(normal) >= 0.0);
    if inside {
        return normal.dot(p - a).abs();
    }
    let to_edge = |u: DVec3, v: DVec3| {
        let t = ((p - u).dot(v - u) / (v - u).length_squared()).clamp(0.0, 1.0);
        p.distance(u + t * (v - u))
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

/// Closed forms of moved solids on planes and hills, and of compounds.
#[test]
fn moved_solids_meet_the_ground_at_its_height() {
    let down = Way { direction: -DVec3::Y, length: 10.0 };
    let plane = Shape::half_space(Vec3::Y).unwrap();
    let field = Shape::HeightField(HeightField::new(3, vec![0.25; 9], [2.0, 2.0]).unwrap());
    let ball = |x: f32| {
        (Pose { position: Vec3::new(x, 0.0, 0.0), ..Pose::IDENTITY }, Shape::sphere(0.25).unwrap())
    };
    let dumbbell = Shape::compound(vec![ball(-0.5), ball(0.5)]).unwrap();
    let tilt = Rot::from_axis_angle(Vec3::Z, std::f32::consts::FRAC_PI_6);
    let lowest = [
        (Shape::sphere(0.5).unwrap(), Rot::IDENTITY, 0.5),
        (Shape::block(Vec3::splat(0.5)).unwrap(), tilt, 0.5 * (0.5 + 0.75f64.sqrt())),
        (Shape::capsule(0.5, 0.25).unwrap(), Rot::IDENTITY, 0.75),
        (dumbbell, tilt, 0.5),
    ];
    for (shape, rotation, height) in &lowest {
        let met = sweep(shape, *rotation, &plane, Rot::IDENTITY, DVec3::new(0.0, -3.0, 0.0), &down);
        let met = met.unwrap();
        assert!((met.distance - (3.0 - height)).abs() < 1e-6, "{met:?} of {shape:?}");
        assert!((met.point.y + 3.0).abs() < 1e-6 && met.normal == DVec3::Y);
        let place = DVec3::new(-2.0, -3.0, -2.0);
        let met = sweep(shape, *rotation, &field, Rot::IDENTITY, place, &down).unwrap();
        assert!((met.distance - (2.75 - height)).abs() < 1e-6, "{met:?} of {shape:?}");
        assert!(met.normal.distance(DVec3::Y) < 1e-6 && met.element.is_some());
        // under the ground it is inside, and sideways above it meets nothing
        let buried =
            sweep(shape, *rotation, &field, Rot::IDENTITY, DVec3::new(-2.0, 3.0, -2.0), &down);
        assert_eq!(buried.map(|met| met.distance), Some(0.0));
        let sideways = Way { direction: DVec3::X, length: 10.0 };
        assert_eq!(sweep(shape, *rotation, &plane, Rot::IDENTITY, place, &sideways), None);
        assert_eq!(sweep(shape, *rotation, &field, Rot::IDENTITY, place, &sideways), None);
    }
    let two = Shape::compound(vec![ball(-0.5), ball(0.5)]).unwrap();
    let met =
        sweep(&lowest[0].0, Rot::IDENTITY, &two, Rot::IDENTITY, DVec3::new(-0.5, -3.0, 0.0), &down);
    let met = met.unwrap();
    assert_eq!(met.element, Some(1));
    assert!((met.distance - 2.25).abs() < 1e-6);
}

/// A soft block of ellipsoids that has been shaken, and what stands around it.
fn scene() -> (World, BodyId) {
    let mut shape = lattice([8, 5, 5], 0.1, 3);
    for (k, point) in shape.points.iter_mut().enumerate() {
        point.radii = [0.05, 0.03 + 0.0001 * k as f32, 0.04];
        let q = Rot::exp(Vec3::new(0.1 * k as f32, 0.05 * k as f32, 0.3));
        point.axes = [q.x, q.y, q.z, q.w];
    }
    let mut world = World::new(weightless()).unwrap();
    let desc = BodyDesc {
        position: [1e5, 2.0, -1e5],
        rotation: Rot::exp(Vec3::new(0.3, 0.4, 0.5)),
        spin: [1.0, 6.0, 2.0],
        ..body(shape, &material(1e5))
    };
    let id = world.spawn(desc).unwrap();
    (world, id)
}

/// All ellipsoids, and boxes of what is broken, that a ray hits, from the numbers that are there to be drawn.
fn brute_force(
    world: &World,
    body: BodyId,
    origin: DVec3,
    direction: DVec3,
) -> Vec<(f64, HitTarget)> {
    let found = world.body(body).unwrap();
    let pieces = found.piece_indices();
    let mut hits = Vec::new();
    for (j, (centre, axes)) in found.world_positions().zip(found.ellipsoids()).enumerate() {
        let piece = found.pieces()[pieces[j] as usize].id();
        let particle = found.particle_ids()[j];
        let target = HitTarget::Body { body, piece, particle };
        if found.broken()[j] {
            // cubes, along the axes of their ellipsoids
            let own = axes.map(|axis| Vec3::from(axis).as_dvec3().normalize());
            let back = DMat3::from_cols(own[0], own[1], own[2]).transpose();
            let (o, d) = (back * (origin - DVec3::from(centre)), back * direction);
            let (near, far) = ((-0.05 * d.signum() - o) / d, (0.05 * d.signum() - o) / d);
            let (enter, leave) = (near.max_element().max(0.0), far.min_element());
            if enter <= leave {
                hits.push((enter, target));
            }
            continue;
        }
        let axes = DMat3::from_cols_array_2d(&axes.map(|axis| axis.map(f64::from))).inverse();
        let (o, d) = (axes * (origin - DVec3::from(centre)), axes * direction);
        let (a, b, c) = (d.dot(d), o.dot(d), o.dot(o) - 1.0);
        let root = b * b - a * c;
        let t = if c <= 0.0 { 0.0 } else { (-b - root.sqrt()) / a };
        if t >= 0.0 {
            hits.push((t, target));
        }
    }
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    hits
}

/// Before the first step, deformed on its way, and in pieces.
#[test]
fn rays_into_a_body_hit_its_ellipsoids() {
    let (mut world, id) = scene();
    let mut random = common::Random(7);
    let mut number = || random.below(1 << 20) as f64 / f64::from(1 << 20);
    let mut found = 0;
    for moment in 0..3 {
        if moment == 1 {
            for _ in 0..20 {
                world.step(FRAME);
            }
        }
        if moment == 2 {
            let ids = world.body(id).unwrap().particle_ids().to_vec();
            let bonds: Vec<_> = world.body(id).unwrap().bonds().collect();
            for [a, b] in bonds.into_iter().filter(|pair| pair.contains(&ids[77])) {
                world.cut(id, a, b).unwrap();
            }
            world.step(FRAME);
            assert_eq!(world.body(id).unwrap().pieces().len(), 2);
        }
        let hash = world.hash();
        let casts = world.casts();
        let middle = DVec3::from(common::centre_of_mass(world.body(id).unwrap()));
        for _ in 0..200 {
            let mut point = || DVec3::new(number(), number(), number()) - 0.5;
            // some start inside
            let (origin, to) = (middle + 1.2 * point(), middle + 0.4 * point());
            let direction = (to - origin).as_vec3();
            let ray = RayDesc::new(origin.to_array(), direction.to_array());
            let unit = direction.as_dvec3().normalize();
            let expected = brute_force(&world, id, origin, unit);
            let all = world.cast_ray_all(ray).unwrap();
            let first = world.cast_ray(ray).unwrap();
            assert_eq!(first, all.first().copied());
            assert_eq!(casts.cast_ray(ray), Ok(first));
            assert_eq!(casts.cast_ray_all(ray).as_ref(), Ok(&all));
            let ball = Shape::sphere(0.07).unwrap();
            let pose = WorldPose { position: ray.origin, ..WorldPose::default() };
            let way = (2.0 * direction).to_array();
            let met = world.cast_shape(&ball, pose, way, Layers::default());
            assert_eq!(casts.cast_shape(&ball, pose, way, Layers::default()), met);
            let inside = world.overlaps(&ball, pose, Layers::default());
            assert_eq!(casts.overlaps(&ball, pose, Layers::default()), inside);
            assert_eq!(all.len(), expected.len());
            for (hit, (t, _)) in all.iter().zip(&expected) {
                assert!((hit.distance - t).abs() < 1e-5, "{hit:?}, expected {t}");
                assert!(expected.iter().any(|(_, target)| *target == hit.target));
                let position = DVec3::from(hit.position);
                assert!(position.distance(origin + hit.distance * unit) < 1e-9);
                assert!(Vec3::from(hit.normal).dot(direction) <= 0.0);
            }
            if let Some(last) = all.last().filter(|hit| hit.distance > 0.0) {
                let short = RayDesc { length: 0.999 * last.distance, ..ray };
                assert!(
                    world.cast_ray_all(short).unwrap().iter().all(|hit| hit.target != last.target)
                );
            }
            found += all.len();
        }
        assert_eq!(hash, world.hash(), "asking changes nothing");
    }
    assert!(found > 1000, "only {found} hits");
}

fn stone(shape: Shape) -> BodyDesc {
    BodyDesc::new(
        "stone",
        ShapeDesc::rigid(shape),
        vec![Material::try_from(&material(1e6)).unwrap()],
    )
}

/// Rigid solids, obstacles that wait and obstacles that stand; layers and sensors.
#[test]
fn rays_hit_rigid_solids_and_obstacles_of_their_layers() {
    let mut world = World::new(weightless()).unwrap();
    // a hull whose centre of mass is not its origin
    let corners =
        [Vec3::ZERO, 2.0 * Vec3::X, Vec3::Y, Vec3::Z].map(|p| p + Vec3::new(1.0, 0.0, 0.0));
    let quarter = Rot::from_axis_angle(Vec3::Y, std::f32::consts::FRAC_PI_2);
    let wedge = BodyDesc { rotation: quarter, ..stone(Shape::hull(&corners).unwrap()) };
    let wedge = world.spawn(wedge).unwrap();
    // no rigid solid touches it, rays of the third layer do
    let ghost = Layers { member: 0b10, meets: 0b100 };
    let shade = BodyDesc {
        position: [0.1, 0.5, -1.1],
        layers: ghost,
        ..stone(Shape::sphere(0.2).unwrap())
    };
    let shade = world.spawn(shade).unwrap();
    let ball = ObstacleDesc {
        position: [0.1, -2.0, -1.1],
        ..ObstacleDesc::new(Shape::sphere(0.5).unwrap())
    };
    let ball = world.add_obstacle(ball).unwrap();
    let sensor = ObstacleDesc { sensor: true, ..ObstacleDesc::new(Shape::sphere(9.0).unwrap()) };
    world.add_obstacle(sensor).unwrap();
    // x of the shape goes to −z of the world, z to x: over (0.1, −1.1) its height is 1 − 0.1/2 − 0.1
    let seeing = Layers { member: 0b101, meets: u32::MAX };
    let down = RayDesc { layers: seeing, ..RayDesc::new([0.1, 5.0, -1.1], [0.0, -1.0, 0.0]) };
    for moment in 0..2 {
        let hits = world.cast_ray_all(down).unwrap();
        let bodies: Vec<_> = hits
            .iter()
            .map(|hit| match hit.target {
                HitTarget::Body { body, .. } => Ok(body),
                HitTarget::Obstacle(id) => Err(id),
            })
            .collect();
        assert_eq!(bodies, [Ok(wedge), Ok(shade), Err(ball)], "moment {moment}");
        let heights = [0.85, 0.7, -1.5];
        for (hit, height) in hits.iter().zip(heights) {
            assert!((hit.position[1] - height).abs() < 1e-6, "{hit:?}");
        }
        let solid = RayDesc { layers: Layers::default(), ..down };
        assert_eq!(world.cast_ray_all(solid).unwrap().len(), 2, "the ghost is not hit");
        let pose = WorldPose { position: [0.1, 0.75, -1.1], rotation: Rot::IDENTITY };
        let probe = Shape::sphere(0.08).unwrap();
        let both = world.overlaps(&probe, pose, seeing).unwrap();
        assert_eq!(both.len(), 2);
        assert!(both[0] < both[1]);
        let far = WorldPose { position: [0.1, 3.0, -1.1], ..pose };
        assert_eq!(world.overlaps(&probe, far, Layers::default()).unwrap(), []);
        let hit =
            world.cast_shape(&probe, far, [0.0, -9.0, 0.0], Layers::default()).unwrap().unwrap();
        // a ball stands off a slope by its radius along the normal: by r/cos upwards
        let slope = (0.25f64 + 1.0 + 1.0).sqrt();
        assert!((hit.distance - (3.0 - 0.85 - 0.08 * slope)).abs() < 1e-5, "{hit:?}");
        assert_eq!(hit.target, hits[0].target);
        world.step(FRAME);
    }
}

/// Numbers that no query can answer are refused by name, and nothing happens.
#[test]
fn bad_numbers_are_refused() {
    let (world, _) = scene();
    let refused = |result: Result<_, CommandError>, field: &str| match result {
        Err(CommandError::OutOfRange { field: found, .. }) => assert_eq!(found, field),
        other => panic!("{field} was accepted: {other:?}"),
    };
    let ray = RayDesc::new([0.0; 3], [1.0, 0.0, 0.0]);
    let some = |hit: Option<_>| hit.is_some();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let wide = f64::from(bad);
        let cast = |ray| world.cast_ray(ray).map(some);
        refused(cast(RayDesc { origin: [0.0, wide, 0.0], ..ray }), "origin");
        refused(cast(RayDesc { direction: [0.0, bad, 1.0], ..ray }), "direction");
        let ball = Shape::sphere(1.0).unwrap();
        let pose = WorldPose { position: [wide, 0.0, 0.0], ..WorldPose::default() };
        let moved = |pose, way| world.cast_shape(&ball, pose, way, Layers::default()).map(some);
        refused(moved(pose, [1.0; 3]), "position");
        let turned =
            WorldPose { rotation: Rot { x: bad, ..Rot::IDENTITY }, ..WorldPose::default() };
        refused(moved(turned, [1.0; 3]), "rotation");
        refused(moved(WorldPose::default(), [bad, 0.0, 0.0]), "way");
        refused(world.overlaps(&ball, pose, Layers::default()).map(|l| l.is_empty()), "position");
    }
    refused(world.cast_ray(RayDesc { direction: [0.0; 3], ..ray }).map(some), "direction");
    for length in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        refused(world.cast_ray(RayDesc { length, ..ray }).map(some), "length");
        refused(world.cast_ray_all(RayDesc { length, ..ray }).map(|l| l.is_empty()), "length");
    }
    // the shortest direction that f32 has is one, and no length is allowed
    let short = RayDesc { direction: [0.0, 1e-45, 0.0], length: 0.0, ..ray };
    assert_eq!(world.cast_ray(short), Ok(None));
    let plane = Shape::half_space(Vec3::Y).unwrap();
    let moved = world.cast_shape(&plane, WorldPose::default(), [1.0; 3], Layers::default());
    assert_eq!(moved, Err(CommandError::FixedShape("half-space")));
    assert_eq!(
        moved.unwrap_err().to_string(),
        "a half-space cannot be moved: give a convex solid or a compound"
    );
}

/// What stands on the floor is carried with its weight, and each of two with what lies on it.
#[test]
fn contacts_carry_the_weight() {
    let config = fracas::WorldConfig { sleeping: false, ..Default::default() };
    let mut world = World::new(config).unwrap();
    let ground = world.add_half_space(floor()).unwrap();
    let lower = world
        .spawn(BodyDesc {
            position: [0.0, 0.1, 0.0],
            ..stone(Shape::block(Vec3::splat(0.1)).unwrap())
        })
        .unwrap();
    let soft =
        BodyDesc { position: [0.0, 0.3, 0.0], ..body(lattice([4, 4, 4], 0.05, 3), &material(1e6)) };
    let upper = world.spawn(soft).unwrap();
    assert_eq!(world.contacts().count(), 0);
    assert_eq!(world.force_on(upper), Some([0.0; 3]));
    for _ in 0..180 {
        world.step(FRAME);
    }
    let hash = world.hash();
    let g = f64::from(-world.config().gravity[1]);
    for id in [lower, upper] {
        let weight = world.body(id).unwrap().mass() * g;
        let [x, y, z] = world.force_on(id).unwrap();
        assert!((y - weight).abs() < 0.02 * weight, "{y} N under {weight} N");
        assert!(x.hypot(z) < 0.02 * weight);
    }
    let whole: f64 = [lower, upper].iter().map(|id| world.body(*id).unwrap().mass() * g).sum();
    let mut on_floor = 0.0;
    for contact in world.contacts() {
        let HitTarget::Body { body, piece, particle } = contact.first else {
            panic!("{contact:?}")
        };
        let found = world.body(body).unwrap();
        assert_eq!(found.pieces()[0].id(), piece);
        assert!(found.particle_ids().contains(&particle));
        if contact.second == HitTarget::Obstacle(ground) {
            assert_eq!((body, contact.normal), (lower, [0.0, 1.0, 0.0]));
            assert!(contact.position[1].abs() < 1e-3, "{contact:?}");
            on_floor += f64::from(contact.force[1]);
        } else {
            assert!((contact.position[1] - 0.2).abs() < 2e-3, "{contact:?}");
        }
    }
    assert!((on_floor - whole).abs() < 0.02 * whole, "{on_floor} N of {whole} N");
    assert_eq!(hash, world.hash());
    assert_eq!(world.force_on(BodyId(99)), None);
    // a body that is gone has no contacts, and those of the others are still told
    world.remove(upper).unwrap();
    world.apply_commands();
    assert!(world.contacts().count() > 0);
    assert!(world.contacts().all(|c| c.second == HitTarget::Obstacle(ground)));
}

/// In every step of an impact the momentum changes by the forces: two balls, one substep per step.
#[test]
fn contact_forces_are_what_moves() {
    let mut config = weightless();
    config.substeps = 1;
    let mut world = World::new(config).unwrap();
    let ball = |x: f64, v: f32| BodyDesc {
        position: [x, 0.02 * x, 0.0],
        velocity: [v, 0.0, 0.0],
        ..stone(Shape::sphere(0.1).unwrap())
    };
    let ids = [world.spawn(ball(-0.2, 2.0)).unwrap(), world.spawn(ball(0.2, -1.0)).unwrap()];
    world.apply_commands();
    let momentum = |world: &World, id| {
        let body = world.body(id).unwrap();
        DVec3::from(body.velocities(&body.pieces()[0])[0].map(f64::from)) * body.mass()
    };
    let mut pushed = 0.0;
    for _ in 0..20 {
        let before = ids.map(|id| momentum(&world, id));
        world.step(FRAME);
        for (id, before) in ids.into_iter().zip(before) {
            let change = momentum(&world, id) - before;
            let force = DVec3::from(world.force_on(id).unwrap()) * f64::from(FRAME);
            assert!(
                change.distance(force) < 1e-4 * before.length().max(1.0),
                "{change} by {force}"
            );
            pushed += force.length();
        }
    }
    assert!(pushed > 1.0, "they have met");
}

/// Prints how many rays per second a body of 2,000 particles answers.
#[test]
#[ignore = "measures; run with --ignored --nocapture in release"]
fn rays_per_second() {
    let mut world = World::new(weightless()).unwrap();
    let shape = lattice([20, 10, 10], 0.1, 3);
    world.spawn(body(shape, &material(1e5))).unwrap();
    world.step(FRAME);
    let mut random = common::Random(11);
    let mut number = || random.below(1 << 20) as f32 / (1 << 20) as f32 - 0.5;
    let rays: Vec<RayDesc> = (0..20_000)
        .map(|_| {
            let origin = [4.0 * f64::from(number()), 3.0 * f64::from(number()), 4.0];
            let to = [2.0 * number(), number(), 0.0];
            RayDesc::new(origin, [0, 1, 2].map(|k| to[k] - origin[k] as f32))
        })
        .collect();
    for _ in 0..3 {
        let start = std::time::Instant::now();
        let hits = rays.iter().filter(|ray| world.cast_ray(**ray).unwrap().is_some()).count();
        let rate = rays.len() as f64 / start.elapsed().as_secs_f64();
        println!("{rate:.0} rays/s, {hits} of {} hit", rays.len());
        let start = std::time::Instant::now();
        let casts = world.casts();
        println!("prepared in {:.0} µs", 1e6 * start.elapsed().as_secs_f64());
        let start = std::time::Instant::now();
        let hits = rays.iter().filter(|ray| casts.cast_ray(**ray).unwrap().is_some()).count();
        let rate = rays.len() as f64 / start.elapsed().as_secs_f64();
        println!("{rate:.0} rays/s, {hits} of {} hit", rays.len());
    }
}
