//! The narrow phase against searches over all directions, closed forms and itself.
#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod ellipsoids;
mod triangles;

use super::*;
use crate::math::Rot;
use glam::Vec3;
use proptest::prelude::*;
use triangles::{flat_field, flat_mesh};

/// xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0))
    }

    fn rotation(&mut self) -> Rot {
        Rot::exp(3.0 * self.vector())
    }

    fn size(&mut self) -> f32 {
        self.within(0.3, 1.0)
    }

    /// One of the six convex solids.
    fn convex(&mut self, kind: usize) -> Shape {
        let sizes = Vec3::new(self.size(), self.size(), self.size());
        match kind {
            0 => Shape::ellipsoid(sizes),
            1 => Shape::sphere(sizes.x),
            2 => Shape::block(sizes),
            3 => Shape::capsule(sizes.x, 0.5 * sizes.y),
            4 => Shape::cylinder(sizes.x, sizes.y),
            _ => {
                let points: Vec<Vec3> =
                    (0..16).map(|_| self.vector().normalize_or_zero() * sizes).collect();
                Shape::hull(&points)
            }
        }
        .unwrap()
    }
}

const KINDS: usize = 6;

fn at(position: Vec3) -> Pose {
    Pose { position, ..Pose::IDENTITY }
}

fn points(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, reach: f32) -> Vec<Point> {
    let mut out = Vec::new();
    collide(a, pa, b, pb, reach, &mut out).unwrap();
    out
}

fn deepest(points: &[Point]) -> Point {
    *points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).unwrap()
}

/// gap(n) by the support functions of the shapes, which the narrow phase does not use.
fn gap_along(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, n: Vec3) -> f32 {
    let low = pa.apply(a.support(pa.rotation.inverse() * -n).unwrap());
    let high = pb.apply(b.support(pb.rotation.inverse() * n).unwrap());
    (low - high).dot(n)
}

/// The largest gap over all directions: a spiral over the sphere, then ever smaller turns.
fn largest_gap(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, random: &mut Random) -> (f32, Vec3) {
    let count = 1500;
    let mut starts: Vec<(f32, Vec3)> = (0..count)
        .map(|i| {
            let y = 1.0 - 2.0 * (i as f32 + 0.5) / count as f32;
            let turn = 2.399_963_2 * i as f32;
            let r = (1.0 - y * y).sqrt();
            let n = Vec3::new(r * turn.cos(), y, r * turn.sin());
            (gap_along(a, pa, b, pb, n), n)
        })
        .collect();
    starts.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut best = starts[0];
    for &start in &starts[..6] {
        let mut here = start;
        let mut step = 0.06;
        while step > 1.0e-5 {
            let mut better = false;
            for _ in 0..12 {
                let n = (here.1 + step * random.vector()).normalize();
                let gap = gap_along(a, pa, b, pb, n);
                if gap > here.0 {
                    here = (gap, n);
                    better = true;
                }
            }
            if !better {
                step *= 0.6;
            }
        }
        if here.0 > best.0 {
            best = here;
        }
    }
    best
}

/// How far a point is from the surface, along the shape's own measure; 0 on the surface.
fn off_surface(shape: &Shape, p: Vec3) -> f32 {
    match shape {
        Shape::Sphere(s) => p.length() - s.radius(),
        Shape::Ellipsoid(e) => ((p / e.radii()).length() - 1.0) * e.radii().min_element(),
        Shape::Box(b) => (p.abs() - b.half()).max_element(),
        Shape::Capsule(c) => {
            let core = Vec3::Y * p.y.clamp(-c.half_length(), c.half_length());
            p.distance(core) - c.radius()
        }
        Shape::Cylinder(c) => {
            let across = Vec3::new(p.x, 0.0, p.z).length() - c.radius();
            across.max(p.y.abs() - c.half_length())
        }
        Shape::Hull(hull) => hull
            .polygons()
            .map(|f| {
                let [a, b, c] = [0, 1, 2].map(|k| hull.vertices()[f[k] as usize]);
                (b - a).cross(c - a).normalize().dot(p - a)
            })
            .fold(f32::NEG_INFINITY, f32::max),
        _ => panic!("no convex solid"),
    }
}

/// Every pair of convex solids, apart and overlapping: no direction gives a larger gap, the gap is
/// the one between the points, and these lie on the surfaces.
#[test]
fn no_direction_gives_a_larger_gap() {
    let mut random = Random(7);
    for kind_a in 0..KINDS {
        for kind_b in 0..KINDS {
            for _ in 0..6 {
                let (a, b) = (random.convex(kind_a), random.convex(kind_b));
                let pa = Pose { rotation: random.rotation(), position: random.vector() };
                let pb = Pose { rotation: random.rotation(), position: 1.6 * random.vector() };
                let found = points(&a, &pa, &b, &pb, 10.0);
                let case = format!("{} {}: {a:?} {pa:?} {b:?} {pb:?}", a.kind(), b.kind());
                assert!((1..=4).contains(&found.len()), "{} points, {case}", found.len());
                let first = deepest(&found);
                let (largest, along) = largest_gap(&a, &pa, &b, &pb, &mut random);
                assert!(
                    first.gap > largest - 3.0e-5,
                    "gap {} along {}, but {largest} along {along}, {case}",
                    first.gap,
                    first.normal
                );
                let own = gap_along(&a, &pa, &b, &pb, first.normal);
                assert!((first.gap - own).abs() < 1.0e-5, "{} is really {own}, {case}", first.gap);
                for p in &found {
                    assert!((p.normal.length() - 1.0).abs() < 1.0e-6);
                    let gap = p.normal.dot(p.on_a - p.on_b);
                    assert!((gap - p.gap).abs() < 1.0e-5, "{gap} {p:?} {case}");
                    let off = (p.on_a - p.on_b - gap * p.normal).length();
                    assert!(off < 2.0e-3, "points are {off} beside each other, {p:?} {case}");
                    for (shape, pose, x) in [(&a, &pa, p.on_a), (&b, &pb, p.on_b)] {
                        let off = off_surface(shape, pose.undo(x));
                        // far ends of capsules: see `CAPSULE_SIDE` in `core`
                        let allowed =
                            if matches!(shape, Shape::Capsule(_)) { 0.02 } else { 2.0e-3 };
                        assert!(
                            off.abs() < allowed,
                            "{off} off the {}, {p:?} {case}",
                            shape.kind()
                        );
                    }
                    let same = found.iter().filter(|q| q.feature == p.feature).count();
                    assert_eq!(same, 1, "{found:?} {case}");
                }
            }
        }
    }
}

proptest! {
    /// (a, b) and (b, a) are the same to the last bit.
    #[test]
    fn exchange_changes_only_the_sides(
        seed in 1u64..u64::MAX, kind_a in 0..KINDS, kind_b in 0..KINDS, reach in -0.1f32..3.0,
    ) {
        let mut random = Random(seed);
        let (a, b) = (random.convex(kind_a), random.convex(kind_b));
        let pa = Pose { rotation: random.rotation(), position: random.vector() };
        let pb = Pose { rotation: random.rotation(), position: 1.5 * random.vector() };
        let one = points(&a, &pa, &b, &pb, reach);
        let two = points(&b, &pb, &a, &pa, reach);
        prop_assert_eq!(one.len(), two.len());
        for (p, q) in one.iter().zip(&two) {
            prop_assert_eq!((p.on_a, p.on_b, p.normal, p.gap), (q.on_b, q.on_a, -q.normal, q.gap));
            prop_assert!(p.gap <= reach);
        }
    }

    /// Moving both together moves the answer with them.
    #[test]
    fn answer_moves_with_both(seed in 1u64..u64::MAX, kind_a in 0..KINDS, kind_b in 0..KINDS) {
        let mut random = Random(seed);
        let (a, b) = (random.convex(kind_a), random.convex(kind_b));
        let pa = Pose { rotation: random.rotation(), position: random.vector() };
        let pb = Pose { rotation: random.rotation(), position: 2.0 * random.vector() };
        let moved = Pose { rotation: random.rotation(), position: 3.0 * random.vector() };
        let one = deepest(&points(&a, &pa, &b, &pb, 10.0));
        let two = deepest(&points(&a, &moved.of(&pa), &b, &moved.of(&pb), 10.0));
        // a deep overlap of round solids is searched to a few digits only
        prop_assert!((one.gap - two.gap).abs() < 3.0e-5, "{one:?} {two:?}");
        // Apart there is one nearest direction only; overlapping, two may be equally good.
        if one.gap > 0.05 {
            let off = (moved.rotation * one.normal - two.normal).length();
            prop_assert!(off < 5.0e-3, "{off}: {one:?} {two:?}");
        }
    }

    /// Nothing is ever found beyond the reach, and what is found within does not depend on it.
    #[test]
    fn reach_only_limits(seed in 1u64..u64::MAX, kind_a in 0..KINDS, kind_b in 0..KINDS) {
        let mut random = Random(seed);
        let (a, b) = (random.convex(kind_a), random.convex(kind_b));
        let pa = Pose { rotation: random.rotation(), position: random.vector() };
        let pb = Pose { rotation: random.rotation(), position: 4.0 * random.vector() };
        let gap = deepest(&points(&a, &pa, &b, &pb, 20.0)).gap;
        prop_assert!(points(&a, &pa, &b, &pb, gap - 1.0e-4).is_empty());
        let near = points(&a, &pa, &b, &pb, gap + 1.0e-4);
        prop_assert!(!near.is_empty());
        prop_assert!((deepest(&near).gap - gap).abs() < 1.0e-5);
    }
}

fn block(x: f32, y: f32, z: f32) -> Shape {
    Shape::block(Vec3::new(x, y, z)).unwrap()
}

/// Area of the convex polygon through points of a horizontal manifold.
fn area(points: &[Point]) -> f32 {
    let centre = points.iter().map(|p| p.on_a).sum::<Vec3>() / points.len() as f32;
    let mut round: Vec<Vec3> = points.iter().map(|p| p.on_a - centre).collect();
    round.sort_by(|p, q| p.z.atan2(p.x).total_cmp(&q.z.atan2(q.x)));
    let n = round.len();
    (0..n).map(|i| 0.5 * round[i].cross(round[(i + 1) % n]).y.abs()).sum()
}

/// Boxes on boxes, shifted: four points that cover the whole common rectangle, straight up, apart,
/// touching and overlapping.
#[test]
fn boxes_rest_on_the_whole_overlap() {
    let (a, b) = (block(0.5, 0.25, 0.5), block(0.6, 0.5, 0.4));
    for (shift, common) in [(Vec3::ZERO, 0.8), (Vec3::new(0.3, 0.0, 0.2), 0.8 * 0.7)] {
        for gap in [-0.05, -1.0e-4, 0.0, 1.0e-4, 0.3] {
            let pa = at(shift + (0.75 + gap) * Vec3::Y);
            let found = points(&a, &pa, &b, &Pose::IDENTITY, 0.5);
            assert_eq!(found.len(), 4, "{gap} {found:?}");
            for p in &found {
                assert_eq!(p.normal, Vec3::Y);
                assert!((p.gap - gap).abs() < 1.0e-6, "{p:?} {gap}");
            }
            let covered = area(&found);
            assert!((covered - common).abs() < 1.0e-5, "{covered} of {common} at {shift}");
        }
    }
}

/// The names of corners stay while a box turns and slides a little on another, also when the order
/// of the two in space changes.
#[test]
fn features_stay_while_a_box_slides() {
    let (a, b) = (block(0.3, 0.3, 0.3), block(1.0, 0.2, 1.0));
    let names = |x: f32, turn: f32, tilt: f32| {
        let rotation = Rot::exp(Vec3::new(tilt, turn, 0.0));
        let pa = Pose { rotation, position: Vec3::new(x, 0.5, 0.01) };
        let mut names: Vec<u32> =
            points(&a, &pa, &b, &Pose::IDENTITY, 0.05).iter().map(|p| p.feature).collect();
        names.sort_unstable();
        names
    };
    let ball = Shape::ellipsoid(Vec3::new(0.1, 0.2, 0.3)).unwrap();
    let name = |x: f32| points(&ball, &at(Vec3::new(x, 0.4, 0.0)), &ball, &Pose::IDENTITY, 1.0);
    assert_eq!(name(-0.01)[0].feature, name(0.01)[0].feature);

    let first = names(-0.01, 0.3, 0.0);
    assert_eq!(first.len(), 4);
    for (x, turn, tilt) in [(0.01, 0.3, 0.0), (0.02, 0.35, 1.0e-4), (-0.2, 0.4, -1.0e-4)] {
        assert_eq!(names(x, turn, tilt), first, "{x} {turn} {tilt}");
    }
}

/// Capsules and cylinders on their side rest on two points, cylinders on their lid on four.
#[test]
fn round_solids_rest_on_lines_and_lids() {
    let floor = block(3.0, 0.5, 3.0);
    let half_space = Shape::half_space(Vec3::Y).unwrap();
    let lying = Rot::exp(std::f32::consts::FRAC_PI_2 * Vec3::Z);
    let capsule = Shape::capsule(0.5, 0.2).unwrap();
    let cylinder = Shape::cylinder(0.5, 0.2).unwrap();
    for (shape, rotation, height, count) in [
        (&capsule, lying, 0.2, 2),
        (&cylinder, lying, 0.2, 2),
        (&capsule, Rot::IDENTITY, 0.7, 1),
        (&cylinder, Rot::IDENTITY, 0.5, 4),
    ] {
        for overlap in [0.01, 1.0e-4, -1.0e-3] {
            let pose = |base: f32| Pose { rotation, position: (base + height - overlap) * Vec3::Y };
            for (ground, base) in [(&floor, 0.5), (&half_space, 0.0)] {
                let found = points(shape, &pose(base), ground, &Pose::IDENTITY, 0.05);
                assert_eq!(found.len(), count, "{overlap} {found:?}");
                for p in &found {
                    assert!((p.gap + overlap).abs() < 1.0e-6, "{p:?}");
                    assert!((p.normal - Vec3::Y).length() < 1.0e-6, "{p:?}");
                }
                let spread = found[0].on_a.distance(found.last().unwrap().on_a);
                assert!(count < 2 || spread > 0.25, "{found:?}");
            }
        }
    }
    // side by side
    let beside = Pose { rotation: lying, position: Vec3::new(0.1, 0.41, 0.0) };
    let below = Pose { rotation: lying, position: Vec3::ZERO };
    for shape in [&capsule, &cylinder] {
        let found = points(shape, &beside, shape, &below, 0.05);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|p| (p.gap - 0.01).abs() < 1.0e-4), "{found:?}");
        assert!((found[0].on_a.distance(found[1].on_a) - 0.9).abs() < 1.0e-3, "{found:?}");
    }
}

/// Against a half-space the gap of the deepest point is the support function, for all solids, and
/// corners in reach are at most four, spread wide.
#[test]
fn half_space_gap_is_the_support_function() {
    let mut random = Random(3);
    for kind in 0..KINDS {
        for _ in 0..20 {
            let shape = random.convex(kind);
            let pose = Pose { rotation: random.rotation(), position: random.vector() };
            let ground = Shape::half_space(random.vector()).unwrap();
            let at = Pose { rotation: random.rotation(), position: random.vector() };
            let Shape::HalfSpace(plane) = &ground else { unreachable!() };
            let n = at.rotation * plane.normal();
            let low = pose.apply(shape.support(pose.rotation.inverse() * -n).unwrap());
            let gap = n.dot(low - at.position);
            let found = points(&shape, &pose, &ground, &at, 10.0);
            assert!((deepest(&found).gap - gap).abs() < 1.0e-5, "{found:?} {gap}");
            assert!(found.len() <= 4);
            for p in &found {
                assert!((p.normal - n).length() < 1.0e-5);
                assert!((n.dot(p.on_b - at.position)).abs() < 1.0e-5);
                // far ends of capsules: see `CAPSULE_SIDE` in `core`
                let allowed = if kind == 3 { 0.02 } else { 1.0e-4 };
                assert!(off_surface(&shape, pose.undo(p.on_a)).abs() < allowed, "{p:?} {shape:?}");
            }
            let reversed = points(&ground, &at, &shape, &pose, 10.0);
            assert!(reversed.iter().zip(&found).all(|(p, q)| p.normal == -q.normal));
        }
    }
}

/// A compound of boxes is touched like its boxes, from either side, with names of its own.
#[test]
fn compound_is_touched_part_by_part() {
    let legs = [-0.4f32, 0.4].map(|x| (at(Vec3::new(x, 0.0, 0.0)), block(0.1, 0.3, 0.1)));
    let top = (at(0.35 * Vec3::Y), block(0.6, 0.05, 0.2));
    let table = Shape::compound([&legs[..], &[top]].concat()).unwrap();
    let ground = Shape::half_space(Vec3::Y).unwrap();
    let pose = at(0.295 * Vec3::Y);
    for floor in [ground, flat_mesh(8, 0.3)] {
        let found = points(&table, &pose, &floor, &Pose::IDENTITY, 0.05);
        assert_eq!(found.len(), 8, "{found:?}");
        assert!(found.iter().all(|p| (p.gap + 0.005).abs() < 1.0e-6 && p.normal == Vec3::Y));
        let mut names: Vec<u32> = found.iter().map(|p| p.feature).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 8);
    }
    let ball = Shape::sphere(0.1).unwrap();
    let above = at(Vec3::new(0.0, 0.295 + 0.4 + 0.09, 0.0));
    let found = points(&ball, &above, &table, &pose, 0.02);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap + 0.01).abs() < 1.0e-6 && found[0].normal == Vec3::Y, "{found:?}");
    let stacked = points(&table, &at(1.0 * Vec3::Y), &table, &pose, 0.02);
    assert_eq!(stacked.len(), 8, "{stacked:?}");
}

/// Every pair has an answer or says that it has none.
#[test]
fn table_is_complete() {
    let mut random = Random(2);
    let mut shapes: Vec<Shape> = (0..KINDS).map(|k| random.convex(k)).collect();
    shapes.push(Shape::compound(vec![(Pose::IDENTITY, block(0.5, 0.5, 0.5))]).unwrap());
    shapes.push(Shape::half_space(Vec3::Y).unwrap());
    shapes.push(flat_mesh(8, 0.3));
    shapes.push(flat_field(8, 0.3));
    // a height field begins at its origin
    let place = |shape: &Shape, x: f32| match shape {
        Shape::HeightField(_) => at(Vec3::new(x - 1.2, x, x - 1.2)),
        _ => at(Vec3::splat(x)),
    };
    for a in &shapes {
        for b in &shapes {
            let mut out = Vec::new();
            let answer = collide(a, &place(a, 0.3), b, &place(b, 0.2), 0.5, &mut out);
            if a.is_fixed() && b.is_fixed() {
                assert_eq!(answer, Err(MissingPair { a: a.kind(), b: b.kind() }));
                assert!(out.is_empty());
            } else {
                assert_eq!(answer, Ok(()));
                assert!(!out.is_empty(), "{} {}", a.kind(), b.kind());
            }
        }
    }
}

/// Same place, same turn, same size; exactly touching; poses that are not finite: never NaN.
#[test]
fn degenerate_poses_give_numbers() {
    let mut random = Random(17);
    let finite = |found: &[Point], case: &str| {
        for p in found {
            let fine = p.on_a.is_finite() && p.on_b.is_finite() && p.gap.is_finite();
            assert!(fine && (p.normal.length() - 1.0).abs() < 1.0e-5, "{p:?} {case}");
        }
    };
    for kind_a in 0..KINDS {
        for kind_b in 0..KINDS {
            for _ in 0..20 {
                let (a, b) = (random.convex(kind_a), random.convex(kind_b));
                let rotation = random.rotation();
                for position in [Vec3::ZERO, 1.0e-20 * Vec3::X, 1.0e-6 * Vec3::Y, 0.5 * Vec3::Z] {
                    for rotation in [Rot::IDENTITY, rotation] {
                        let pose = Pose { rotation, position };
                        let case = format!("{a:?} {b:?} {pose:?}");
                        let found =
                            points(&a, &pose, &b, &Pose { rotation, ..Pose::IDENTITY }, 0.5);
                        assert!(!found.is_empty(), "{case}");
                        assert!(found.iter().all(|p| p.gap < 0.5), "{case}");
                        finite(&found, &case);
                    }
                }
            }
            let (a, b) = (random.convex(kind_a), random.convex(kind_b));
            for bad in [f32::NAN, f32::INFINITY] {
                assert!(points(&a, &at(bad * Vec3::X), &b, &Pose::IDENTITY, 1.0).is_empty());
            }
        }
    }
    // crossing and collinear segments inside each other
    let capsule = Shape::capsule(0.5, 0.1).unwrap();
    for rotation in [Rot::IDENTITY, Rot::exp(Vec3::X), Rot::exp(Vec3::new(0.0, 1.0, 1.0))] {
        for position in [Vec3::ZERO, 0.2 * Vec3::Y] {
            let pose = Pose { rotation, position };
            let found = points(&capsule, &pose, &capsule, &Pose::IDENTITY, 0.1);
            finite(&found, "capsules");
            assert!((deepest(&found).gap + 0.2).abs() < 1.0e-5, "{pose:?} {found:?}");
        }
    }
}

/// A box and the hull of its corners are the same solid.
#[test]
fn hull_of_corners_is_the_box() {
    let mut random = Random(41);
    for _ in 0..200 {
        let half = Vec3::new(random.size(), random.size(), random.size());
        let corners: Vec<Vec3> = (0..8)
            .map(|k| {
                half * Vec3::new([-1.0, 1.0][k & 1], [-1.0, 1.0][k >> 1 & 1], [-1.0, 1.0][k >> 2])
            })
            .collect();
        let (solid, hull) = (Shape::block(half).unwrap(), Shape::hull(&corners).unwrap());
        let kind = (random.unit() * 6.0) as usize;
        let other = random.convex(kind);
        let pa = Pose { rotation: random.rotation(), position: random.vector() };
        let pb = Pose { rotation: random.rotation(), position: 1.5 * random.vector() };
        let one = points(&solid, &pa, &other, &pb, 5.0);
        let two = points(&hull, &pa, &other, &pb, 5.0);
        let (one, two) = (deepest(&one).gap, deepest(&two).gap);
        assert!((one - two).abs() < 2.0e-5, "{one} {two} {}", other.kind());
    }
}

/// A pebble on a slab 5,000 times its size, and a slab under it: the gap stands to a rounding of the
/// coordinates.
#[test]
fn small_rests_on_large() {
    let slab = block(50.0, 1.0, 50.0);
    let mut random = Random(51);
    for kind in 0..KINDS {
        let shape = random.convex(kind);
        let small = match &shape {
            Shape::Hull(hull) => {
                let corners: Vec<Vec3> = hull.vertices().iter().map(|&v| 0.02 * v).collect();
                Shape::hull(&corners).unwrap()
            }
            Shape::Ellipsoid(e) => Shape::ellipsoid(0.02 * e.radii()).unwrap(),
            Shape::Sphere(s) => Shape::sphere(0.02 * s.radius()).unwrap(),
            Shape::Box(b) => Shape::block(0.02 * b.half()).unwrap(),
            Shape::Capsule(c) => Shape::capsule(0.02 * c.half_length(), 0.02 * c.radius()).unwrap(),
            _ => Shape::cylinder(0.01, 0.02).unwrap(),
        };
        for _ in 0..20 {
            let rotation = random.rotation();
            let low = (rotation * small.support(rotation.inverse() * Vec3::NEG_Y).unwrap()).y;
            let gap = random.within(-0.002, 0.002);
            let x =
                Vec3::new(random.within(-40.0, 40.0), 1.0 - low + gap, random.within(-40.0, 40.0));
            let found =
                points(&small, &Pose { rotation, position: x }, &slab, &Pose::IDENTITY, 0.01);
            let first = deepest(&found);
            assert!((first.gap - gap).abs() < 1.0e-6, "{} {gap} {}", first.gap, small.kind());
            assert!((first.normal - Vec3::Y).length() < 1.0e-3, "{first:?} {}", small.kind());
        }
    }
}

/// A stone stands on four corners, of which one is a little higher; a fifth, far out, is higher still but
/// within reach. The four it stands on are found, however wide the triangle with the fifth would be: else its
/// corners take turns, and it never comes to rest.
#[test]
fn corners_that_touch_come_before_those_that_nearly_do() {
    let stone = Shape::hull(&[
        Vec3::new(0.2, 0.0, 0.2),
        Vec3::new(-0.2, 0.001, 0.2),
        Vec3::new(-0.2, 0.0, -0.2),
        Vec3::new(0.2, 0.001, -0.2),
        Vec3::new(0.9, 0.03, 0.0),
        Vec3::new(-0.9, 0.03, 0.0),
        Vec3::new(0.0, 2.0, 0.0),
    ])
    .unwrap();
    let ground = Shape::half_space(Vec3::Y).unwrap();
    let found = points(&stone, &Pose::IDENTITY, &ground, &Pose::IDENTITY, 0.05);
    let mut heights: Vec<f32> = found.iter().map(|point| point.gap).collect();
    heights.sort_by(f32::total_cmp);
    assert_eq!(heights.len(), 4);
    assert!(heights[3] < 0.002, "{heights:?}");
}
