//! Moments against closed forms and against the sum of parts; cuts against counting.
#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use super::convex::{edges, outer};
use super::*;
use crate::contact::shape::Shape;
use crate::material::noise::mix;
use glam::{DMat3, DVec3, Vec3};

/// Uniform between −1 and 1, the same in every run.
pub(super) struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = mix(self.0);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    pub fn index(&mut self, count: usize) -> usize {
        self.0 = mix(self.0);
        self.0 as usize % count
    }
}

/// The hull of random points in a box with these sides.
pub(super) fn random_hull(numbers: &mut Numbers, count: usize, sides: DVec3) -> Convex {
    let points: Vec<Vec3> = (0..count).map(|_| (numbers.vector() * sides).as_vec3()).collect();
    Convex::hull(&points).unwrap()
}

/// Every edge once in either direction, V − E + F = 2, no vertex unused, none beyond a face.
pub(super) fn assert_sound(solid: &Convex) {
    assert_sound_to(solid, 1.0e-9);
}

/// The same where vertices may be this far from the planes of their faces, relative to the size.
fn assert_sound_to(solid: &Convex, eye: f64) {
    let mut all: Vec<[u32; 2]> = solid.faces().flat_map(edges).collect();
    all.sort_unstable();
    assert!(all.windows(2).all(|w| w[0] != w[1]), "an edge runs twice: {solid:?}");
    assert!(all.iter().all(|&[a, b]| all.binary_search(&[b, a]).is_ok()), "open: {solid:?}");
    let mut used: Vec<u32> = solid.loops.clone();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used.len(), solid.vertices().len(), "unused vertices");
    assert_eq!(used.len() + solid.faces().count(), all.len() / 2 + 2, "Euler: {solid:?}");
    let size = solid.size();
    for face in solid.faces().filter(|face| solid.width(face) > 1.0e-5 * size) {
        let (normal, offset) = solid.plane(face);
        let highest = solid.extent(normal).1 - offset;
        let allowed = size * (2.0e-6 + 4.0 * eye * size / solid.width(face));
        assert!(highest < allowed, "{face:?} not convex by {highest} > {allowed}: {solid:?}");
    }
}

/// Volume, centre and second moment of several parts, by the parallel-axis theorem.
fn sum_of(parts: &[Measure]) -> Measure {
    let volume: f64 = parts.iter().map(|p| p.volume).sum();
    let centre = parts.iter().map(|p| p.centre * p.volume).sum::<DVec3>() / volume;
    let moved = |p: &Measure| p.second_moment + outer(p.centre - centre) * p.volume;
    let second_moment = parts.iter().map(moved).fold(DMat3::ZERO, |a, b| a + b);
    Measure { volume, centre, second_moment }
}

fn largest(m: DMat3) -> f64 {
    m.to_cols_array().into_iter().fold(0.0, |most, x: f64| most.max(x.abs()))
}

/// Largest difference of two measures, relative to `b`.
fn difference(a: &Measure, b: &Measure) -> f64 {
    let moment = largest(b.second_moment);
    let length = (moment / b.volume).sqrt();
    let volume = (a.volume / b.volume - 1.0).abs();
    let centre = a.centre.distance(b.centre) / length;
    volume.max(centre).max(largest(a.second_moment - b.second_moment) / moment)
}

#[test]
fn block_has_the_moments_of_a_box() {
    let half = DVec3::new(0.5, 1.0, 0.1);
    let block = Convex::block(half).unwrap();
    assert_sound(&block);
    let volume = 0.4;
    let second_moment = DMat3::from_diagonal(half * half * (volume / 3.0));
    let truth = Measure { volume, centre: DVec3::ZERO, second_moment };
    assert!(difference(&block.measure(), &truth) < 1.0e-15);

    let shift = DVec3::new(3.0, -7.0, 2.0);
    let moved = block.transformed(DMat3::IDENTITY, shift).unwrap();
    assert!(difference(&moved.measure(), &Measure { centre: shift, ..truth }) < 1.0e-13);
    assert_eq!(block.extent(DVec3::new(0.0, 2.0, 0.0)), (-2.0, 2.0));
    assert_eq!(block.corners()[7], [0.5, 1.0, 0.1]);
    assert!(block.contains(DVec3::new(0.4, -1.0, 0.0)) && !block.contains(shift));
}

/// ∫xxᵀ about the centre of the unit tetrahedron: V · 3/80 on the diagonal, −V/80 off it.
#[test]
fn tetrahedron_has_the_moments_of_the_books() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let found = Convex::hull(&corners).unwrap().measure();
    let (on, off) = (1.0 / 160.0, -1.0 / 480.0);
    let second_moment = DMat3::from_cols_array(&[on, off, off, off, on, off, off, off, on]);
    let truth = Measure { volume: 1.0 / 6.0, centre: DVec3::splat(0.25), second_moment };
    assert!(difference(&found, &truth) < 1.0e-15, "{found:?}");
}

/// The shapes of contact sum in another way, to f32.
#[test]
fn hulls_have_the_mass_of_the_shapes_of_contact() {
    let mut numbers = Numbers(1);
    for count in [4, 8, 20, 100] {
        let hull = random_hull(&mut numbers, count, DVec3::new(1.0, 0.3, 2.0));
        assert_sound(&hull);
        let corners: Vec<Vec3> = hull.corners().into_iter().map(Vec3::from_array).collect();
        let truth = Shape::hull(&corners).unwrap().mass_properties(1.0).unwrap();
        let found = hull.measure();
        assert!((found.volume / f64::from(truth.mass) - 1.0).abs() < 1.0e-6);
        assert!(found.centre.distance(truth.centre.as_dvec3()) < 1.0e-6);
        let m = found.second_moment;
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - m;
        let error = largest(inertia - truth.inertia.to_mat3().as_dmat3());
        assert!(error < 1.0e-6 * trace, "{error}");
    }
}

/// ∫ over the image under L is |det L| L S Lᵀ, also for mirrors.
#[test]
fn images_have_the_moments_of_their_map() {
    let mut numbers = Numbers(2);
    for _ in 0..200 {
        let hull = random_hull(&mut numbers, 12, DVec3::ONE);
        let linear = DMat3::from_cols(numbers.vector(), numbers.vector(), numbers.vector());
        let shift = numbers.vector();
        if linear.determinant().abs() < 0.05 {
            continue;
        }
        let image = hull.transformed(linear, shift).unwrap();
        assert_sound(&image);
        let (m, det) = (hull.measure(), linear.determinant().abs());
        let truth = Measure {
            volume: m.volume * det,
            centre: linear * m.centre + shift,
            second_moment: linear * m.second_moment * linear.transpose() * det,
        };
        assert!(difference(&image.measure(), &truth) < 1.0e-12);
    }
    let block = Convex::block(DVec3::ONE).unwrap();
    assert_eq!(block.transformed(DMat3::ZERO, DVec3::ZERO), None);
    assert_eq!(block.transformed(DMat3::IDENTITY, DVec3::NAN), None);
}

/// Halves of halves, six deep: every two are their parent, and all together the first. The corners
/// of a cut are the same bits on both sides.
#[test]
fn parts_add_up_to_the_whole() {
    let mut numbers = Numbers(3);
    let (mut cuts, mut worst) = (0, 0.0f64);
    while cuts < 10_000 {
        let sides = DVec3::new(1.0, 0.4, 0.2 + 0.8 * numbers.next().abs());
        let count = 4 + numbers.index(40);
        let hull = random_hull(&mut numbers, count, sides);
        let mut parts = vec![hull.clone()];
        for _ in 0..6 {
            let mut next = Vec::new();
            for part in &parts {
                let normal = numbers.vector();
                let corner = part.vertices()[numbers.index(part.vertices().len())];
                let through = part.measure().centre.lerp(corner, 0.5);
                let (below, above) = part.cut(normal, normal.dot(through));
                cuts += 1;
                let halves: Vec<Convex> = [below, above].into_iter().flatten().collect();
                let measures: Vec<Measure> = halves.iter().map(Convex::measure).collect();
                worst = worst.max(difference(&sum_of(&measures), &part.measure()));
                let [below, above] = &halves[..] else { panic!("not cut: {part:?}") };
                assert_same_cap(below, above);
                halves.iter().for_each(assert_sound);
                next.extend(halves);
            }
            parts = next;
        }
        let measures: Vec<Measure> = parts.iter().map(Convex::measure).collect();
        worst = worst.max(difference(&sum_of(&measures), &hull.measure()));
    }
    assert!(worst < 1.0e-12, "worst of {cuts} cuts: {worst:e}");
}

fn assert_same_cap(below: &Convex, above: &Convex) {
    let cap =
        |solid: &Convex| -> Vec<DVec3> { solid.points(solid.faces().last().unwrap()).collect() };
    let (lower, mut upper) = (cap(below), cap(above));
    upper.reverse();
    assert_eq!(lower, upper);
}

#[test]
fn planes_through_corners_edges_and_faces_make_no_slivers() {
    let cube = Convex::block(DVec3::ONE).unwrap();
    let counts = |solid: &Option<Convex>| {
        let solid = solid.as_ref().unwrap();
        assert_sound(solid);
        (solid.vertices().len(), solid.faces().count(), solid.volume())
    };
    // through four corners: two prisms
    let (below, above) = cube.cut(DVec3::new(1.0, 1.0, 0.0), 0.0);
    assert_eq!(counts(&below), (6, 5, 4.0));
    assert_eq!(counts(&above), (6, 5, 4.0));
    // through three: a corner is off
    let (below, above) = cube.cut(DVec3::ONE, 1.0);
    assert_eq!((counts(&below).0, counts(&below).1), (7, 7));
    assert_eq!((counts(&above).0, counts(&above).1), (4, 4));
    assert!((counts(&above).2 - 4.0 / 3.0).abs() < 1.0e-15);
    // through two, and one
    let (below, above) = cube.cut(DVec3::new(2.0, 1.0, 0.0), 1.0);
    assert_eq!((counts(&below).0, counts(&above).0), (8, 6));
    let (below, above) = cube.cut(DVec3::new(3.0, 2.0, 1.0), 2.0);
    assert!((counts(&below).2 + counts(&above).2 - 8.0).abs() < 1.0e-14);
    // a face, an edge, a corner: all is on one side
    for (normal, offset) in [(DVec3::X, 1.0), (DVec3::new(1.0, 1.0, 0.0), 2.0), (DVec3::ONE, 3.0)] {
        assert_eq!(cube.cut(normal, offset), (Some(cube.clone()), None));
        assert_eq!(cube.cut(-normal, -offset), (None, Some(cube.clone())));
        assert_eq!(cube.area_of_cap(normal, offset), 0.0);
    }
    // sections: a square, a diagonal rectangle and a regular hexagon of side √2
    assert_eq!(cube.area_of_cap(DVec3::Z, 0.3), 4.0);
    assert!((cube.area_of_cap(DVec3::new(3.0, 3.0, 0.0), 0.0) - 32f64.sqrt()).abs() < 1.0e-15);
    assert!((cube.area_of_cap(DVec3::ONE, 0.0) - 27f64.sqrt()).abs() < 1.0e-14);
}

#[test]
fn slivers_are_no_parts() {
    let cube = Convex::block(DVec3::ONE).unwrap();
    let whole = || Some(cube.clone());
    // a layer of 1e-10, a chip of 1e-15/6 of the volume, a wedge along an edge of 1e-14
    assert_eq!(cube.cut(DVec3::X, 1.0 - 1.0e-10), (whole(), None));
    assert_eq!(cube.cut(DVec3::ONE, 3.0 - 2.0e-5), (whole(), None));
    assert_eq!(cube.cut(DVec3::new(-1.0, -1.0, 0.0), 1.0e-7 - 2.0), (None, whole()));
    // what is thin and more is one
    let (below, above) = cube.cut(DVec3::X, 1.0 - 1.0e-8);
    assert!((above.unwrap().volume() / 4.0e-8 - 1.0).abs() < 1.0e-7);
    assert!((below.unwrap().volume() - 8.0).abs() < 1.0e-7);
    // no plane at all
    for (normal, offset) in [
        (DVec3::ZERO, 0.0),
        (DVec3::NAN, 0.0),
        (DVec3::X, f64::NAN),
        (DVec3::new(f64::INFINITY, 0.0, 0.0), 0.0),
        (DVec3::X, f64::INFINITY),
    ] {
        assert_eq!(cube.cut(normal, offset), (whole(), None));
    }
}

/// Planes through three corners of what was cut so before, missed by nothing up to a little more
/// than the tolerance: all that makes thin faces and short edges.
#[test]
fn grazing_cuts_stay_closed_and_add_up() {
    let mut numbers = Numbers(4);
    let (mut worst, mut kept) = (0.0f64, 0);
    for round in 0..400 {
        let hull = random_hull(&mut numbers, 8, DVec3::new(1.0, 0.5, 1.0));
        let mut parts = vec![hull.clone()];
        for _ in 0..24 {
            let part = parts.swap_remove(numbers.index(parts.len()));
            let corner =
                |numbers: &mut Numbers| part.vertices()[numbers.index(part.vertices().len())];
            let [a, b, c] = [0; 3].map(|_| corner(&mut numbers));
            let miss = [0.0, 1.0e-16, 1.0e-12, 3.0e-10, 1.0e-9, 4.0e-9, 1.0e-7][round % 7];
            let normal = (b - a).cross(c - a).normalize_or_zero() + numbers.vector() * miss;
            let (below, above) = part.cut(normal, normal.dot(a) + miss * numbers.next());
            kept += usize::from(below.is_some() && above.is_some());
            let halves: Vec<Convex> = [below, above].into_iter().flatten().collect();
            halves.iter().for_each(|half| assert_sound_to(half, 1.0e-6));
            // of its size: layers of a few tolerances have no digits of their own
            let sum: f64 = halves.iter().map(Convex::volume).sum();
            worst = worst.max((sum - part.volume()).abs() / part.size().powi(3));
            parts.extend(halves);
        }
        let sum: f64 = parts.iter().map(Convex::volume).sum();
        worst = worst.max((sum / hull.volume() - 1.0).abs());
    }
    assert!(kept > 2_000, "only {kept} cuts");
    assert!(worst < 1.0e-11, "{worst:e}");
}

/// Grids of points on a turned box: in f32 no face is quite flat, and corners lie on edges.
#[test]
fn hulls_with_bent_faces_add_up_as_well() {
    let mut numbers = Numbers(8);
    let mut worst = 0.0f64;
    for _ in 0..60 {
        let axis = numbers.vector().as_vec3().normalize();
        let turn = crate::math::Rot::from_axis_angle(axis, numbers.next() as f32);
        let grid = |i: usize| Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32);
        let points: Vec<Vec3> = (0..64).map(|i| turn * (grid(i) * 0.37)).collect();
        let hull = Convex::hull(&points).unwrap();
        assert_sound(&hull);
        let mut parts = vec![hull.clone()];
        for _ in 0..6 {
            let normal = numbers.vector();
            let cut = |p: &Convex| p.cut(normal, normal.dot(hull.measure().centre));
            parts = parts.iter().flat_map(|p| <[_; 2]>::from(cut(p))).flatten().collect();
        }
        parts.iter().for_each(assert_sound);
        let measures: Vec<Measure> = parts.iter().map(Convex::measure).collect();
        worst = worst.max(difference(&sum_of(&measures), &hull.measure()));
        assert!(parts.len() > 20, "{}", parts.len());
    }
    assert!(worst < 1.0e-12, "{worst:e}");
}

/// A random symmetric positive matrix.
fn random_covariance(numbers: &mut Numbers) -> DMat3 {
    let a = DMat3::from_cols(numbers.vector(), numbers.vector(), numbers.vector());
    a * a.transpose() + DMat3::from_diagonal(DVec3::splat(0.02))
}

#[test]
fn image_has_the_moments_asked_for() {
    let mut numbers = Numbers(5);
    let mut worst = 0.0f64;
    for _ in 0..2_000 {
        let sides = DVec3::new(1.0, 0.3 + 0.1 * numbers.next(), 0.5);
        let hull = random_hull(&mut numbers, 10, sides);
        let c = random_covariance(&mut numbers) * 0.1;
        let image = hull.with_moments(c).unwrap();
        assert_sound(&image);
        let (before, after) = (hull.measure(), image.measure());
        worst = worst.max(largest(after.second_moment * (1.0 / after.volume) - c) / largest(c));
        worst = worst.max(after.centre.distance(before.centre));
    }
    assert!(worst < 1.0e-12, "{worst:e}");
}

/// The map that is left of all is the symmetric one: none for its own moments, a scale for a
/// multiple, and Lᵀ = L where it turns and stretches.
#[test]
fn moments_are_reached_without_a_turn() {
    let mut numbers = Numbers(6);
    for _ in 0..100 {
        let hull = random_hull(&mut numbers, 10, DVec3::new(1.0, 0.4, 0.7));
        let now = hull.measure();
        let own = now.second_moment * (1.0 / now.volume);
        for factor in [1.0, 2.0] {
            let image = hull.with_moments(own * (factor * factor)).unwrap();
            for (v, w) in hull.vertices().iter().zip(image.vertices()) {
                assert!((now.centre + (*v - now.centre) * factor).distance(*w) < 1.0e-12);
            }
        }
        let image = hull.with_moments(random_covariance(&mut numbers)).unwrap();
        let arms = |solid: &Convex| {
            let v = solid.vertices();
            DMat3::from_cols(v[1] - v[0], v[2] - v[0], v[3] - v[0])
        };
        if arms(&hull).determinant().abs() > 0.1 {
            let l = arms(&image) * arms(&hull).inverse();
            assert!(l.abs_diff_eq(l.transpose(), 1.0e-10), "{l}");
        }
    }
}

#[test]
fn impossible_moments_are_refused() {
    let block = Convex::block(DVec3::ONE).unwrap();
    let skew = DMat3::from_cols_array(&[1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    for c in [DMat3::ZERO, -DMat3::IDENTITY, DMat3::NAN, DMat3::IDENTITY * f64::INFINITY, skew] {
        assert_eq!(block.with_moments(c), None, "{c}");
    }
    let indefinite = DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0));
    assert_eq!(block.with_moments(indefinite), None);
}

#[test]
fn shared_area_is_that_of_the_cut() {
    let mut numbers = Numbers(7);
    let cube = Convex::block(DVec3::ONE).unwrap();
    for _ in 0..500 {
        let normal = numbers.vector();
        let offset = 0.3 * numbers.next();
        let (Some(below), Some(above)) = cube.cut(normal, offset) else { continue };
        let (area, back) = (below.shared_area(&above), above.shared_area(&below));
        let truth = cube.area_of_cap(normal, offset);
        assert!((area / truth - 1.0).abs() < 1.0e-12 && (back / area - 1.0).abs() < 1.0e-12);

        // of three parts, the two that were one share with the third what they shared before
        let (Some(left), Some(right)) = above.cut(numbers.vector(), 0.0) else { continue };
        let sum = below.shared_area(&left) + below.shared_area(&right);
        assert!((sum / truth - 1.0).abs() < 1.0e-11, "{sum} of {truth}");
    }
}

#[test]
fn only_faces_on_each_other_share_area() {
    let cube = Convex::block(DVec3::ONE).unwrap();
    let other = Convex::block(DVec3::new(1.0, 0.5, 2.0)).unwrap();
    let at =
        |x: f64, y: f64, z: f64| other.transformed(DMat3::IDENTITY, DVec3::new(x, y, z)).unwrap();
    // 2 · (1 + 0.5 − 0.75) beside, over an edge, over a corner
    assert_eq!(cube.shared_area(&at(2.0, 0.75, 0.0)), 1.5);
    assert_eq!(cube.shared_area(&at(2.0, 0.75, 2.0)), 0.75);
    // apart by more than the tolerance, inside each other, and along one line
    assert_eq!(cube.shared_area(&at(2.0 + 1.0e-5, 0.0, 0.0)), 0.0);
    assert_eq!(cube.shared_area(&at(0.0, 0.0, 0.0)), 0.0);
    assert_eq!(cube.shared_area(&at(2.0, 1.5, 0.0)), 0.0);
    assert_eq!(cube.shared_area(&cube), 0.0);
}

#[test]
fn bad_input_is_refused_by_name() {
    for half in [DVec3::new(1.0, 0.0, 1.0), DVec3::new(-1.0, 1.0, 1.0), DVec3::NAN] {
        let message = Convex::block(half).unwrap_err().to_string();
        assert!(message.starts_with("half extent of the block must be between"), "{message}");
    }
    let flat = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
    assert!(Convex::hull(&flat).is_err());
    assert!(Convex::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN]).is_err());
    assert!(Convex::hull(&[]).is_err());
}
