#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use super::ccd::{Moving, corner_triangle, edge_edge};
use super::*;
use crate::contact::narrow::{nearest_on_segments, nearest_on_triangle, weights_in_triangle};

/// Numerical Recipes' linear congruential generator.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        size * DVec3::new(self.unit(), self.unit(), self.unit())
    }

    fn moving(&mut self, way: f64) -> Moving {
        Moving { start: self.vector(1.0), way: self.vector(way) }
    }
}

const CASES: usize = 100_000;
/// Moments at which the oracle looks.
const SAMPLES: usize = 200;

/// The first two neighbouring moments between which a corner changes from the front of a triangle to its back while it is over
/// it at both: all that it takes is in plain sight, and some crossings beside the rim are left out.
fn sampled_corner(p: &Moving, triangle: &[Moving; 3]) -> Option<f64> {
    let side = |time: f64| {
        let [a, b, c] = triangle.map(|corner| corner.at(time));
        let over = weights_in_triangle([a, b, c], p.at(time)).iter().all(|&w| w > 0.0);
        let n = (b - a).cross(c - a);
        (n.dot(p.at(time) - a), over, n)
    };
    let mut before = side(0.0);
    for k in 1..=SAMPLES {
        let time = k as f64 / SAMPLES as f64;
        let now = side(time);
        // a triangle that swings around in between may have let the corner pass beside it
        let same = before.2.dot(now.2) > 0.9 * before.2.length() * now.2.length();
        if before.0 > 0.0 && now.0 < 0.0 && before.1 && now.1 && same {
            return Some(time);
        }
        before = now;
    }
    None
}

/// No corner that goes through a triangle is missed, none is found late, and what is found is there.
#[test]
fn no_corner_goes_through_a_triangle_unseen() {
    let mut random = Random(1);
    let (mut crossings, mut impacts) = (0, 0);
    for case in 0..CASES {
        let way = [0.02, 0.3, 2.0, 20.0][case % 4];
        let mut p = random.moving(way);
        let triangle = [0; 3].map(|_| random.moving(way));
        // every other one flies towards where the triangle will be
        if case % 8 < 4 {
            let [a, b, c] = triangle.map(|corner| corner.at(0.5));
            p.way = 2.0 * ((a + b + c) / 3.0 - p.start) + random.vector(0.3);
        }
        let found = corner_triangle(&p, &triangle);
        if let Some(time) = sampled_corner(&p, &triangle) {
            crossings += 1;
            let impact = found.unwrap_or_else(|| panic!("case {case}: missed at {time}"));
            assert!(impact.time <= time, "case {case}: found at {}, was {time}", impact.time);
        }
        if let Some(impact) = found {
            impacts += 1;
            let [a, b, c] = triangle.map(|corner| corner.at(impact.time) - p.at(impact.time));
            let away = weighted([a, b, c], nearest_on_triangle(a, b, c)).length();
            assert!(away < 1e-5 * (1.0 + way), "case {case}: {away} apart");
        }
    }
    println!("{crossings} crossings sampled, {impacts} impacts");
    assert!(crossings > CASES / 50, "only {crossings} crossings");
}

/// The first two neighbouring moments between which the volume of four points changes its sign while both edges are seen to
/// cross, along the normal of the two.
fn sampled_edges(one: &[Moving; 2], other: &[Moving; 2]) -> Option<f64> {
    let side = |time: f64| {
        let [a, b] = one.map(|end| end.at(time));
        let [c, d] = other.map(|end| end.at(time));
        let (u, v, w) = (b - a, d - c, c - a);
        let n = u.cross(v);
        // by Cramer's rule, without clamps
        let s = w.cross(v).dot(n) / n.length_squared();
        let t = w.cross(u).dot(n) / n.length_squared();
        let inside = |x: f64| x > 0.0 && x < 1.0;
        (n.dot(w), inside(s) && inside(t), n)
    };
    let mut before = side(0.0);
    for k in 1..=SAMPLES {
        let time = k as f64 / SAMPLES as f64;
        let now = side(time);
        // edges that turn through being parallel change the sign as well
        let same = before.2.dot(now.2) > 0.9 * before.2.length() * now.2.length();
        if (before.0 > 0.0) != (now.0 > 0.0) && before.1 && now.1 && same {
            return Some(time);
        }
        before = now;
    }
    None
}

#[test]
fn no_edges_cross_unseen() {
    let mut random = Random(2);
    let (mut crossings, mut impacts) = (0, 0);
    for case in 0..CASES {
        let way = [0.02, 0.3, 2.0, 20.0][case % 4];
        let one = [0; 2].map(|_| random.moving(way));
        let other = [0; 2].map(|_| random.moving(way));
        let found = edge_edge(&one, &other);
        if let Some(time) = sampled_edges(&one, &other) {
            crossings += 1;
            let impact = found.unwrap_or_else(|| panic!("case {case}: missed at {time}"));
            assert!(impact.time <= time, "case {case}: found at {}, was {time}", impact.time);
        }
        if let Some(impact) = found {
            impacts += 1;
            let [a, b] = one.map(|end| end.at(impact.time));
            let [c, d] = other.map(|end| end.at(impact.time));
            let [s, t] = nearest_on_segments(b - a, d - c, c - a);
            let away = (c + t * (d - c) - a - s * (b - a)).length();
            assert!(away < 1e-5 * (1.0 + way), "case {case}: {away} apart");
        }
    }
    assert!(crossings > CASES / 50, "only {crossings} crossings");
    println!("{crossings} crossings sampled, {impacts} impacts");
}

/// The point of two segments nearest to each other, against a search over both.
#[test]
fn nearest_points_of_segments_are_nearest() {
    let mut random = Random(3);
    for case in 0..300 {
        let [u, v, w] = [0; 3].map(|_| random.vector(1.0));
        // parallel ones too
        let v = if case % 5 == 0 { 0.7 * u } else { v };
        let apart = |s: f64, t: f64| (w + t * v - s * u).length();
        let [s, t] = nearest_on_segments(u, v, w);
        let mut least = f64::INFINITY;
        for i in 0..=100 {
            for j in 0..=100 {
                least = least.min(apart(f64::from(i) / 100.0, f64::from(j) / 100.0));
            }
        }
        assert!(apart(s, t) <= least + 1e-9, "case {case}: {} against {least}", apart(s, t));
    }
}

/// Corners and tetrahedron of a tetrahedron, with a surface.
fn tetrahedron() -> (Particles, Surface) {
    use crate::math::Rot;
    use crate::solids::NewParticle;
    let mut particles = Particles::default();
    for rest in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z] {
        particles.push(NewParticle {
            rest,
            mass: 1.0,
            inertia: None,
            radii: [0.1; 3],
            axes: Rot::IDENTITY,
            friction: [0.5; 2],
            restitution: 0.0,
            material: 0,
        });
    }
    let corners = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let faces = corners.map(|corners| Face { corners, tet: 0, opened: false });
    let mut surface = Surface::default();
    surface.follow(&faces, &[[0, 1, 2, 3]], &particles);
    (particles, surface)
}

/// Every corner and every edge belongs to one face, and what is across an edge is the corner that the face has not.
#[test]
fn faces_answer_for_every_corner_and_edge_once() {
    let (particles, surface) = tetrahedron();
    let facets: Vec<Facet> =
        (0..4).map(|face| surface.facet(face, &particles, Vec3::ZERO, 0.01)).collect();
    let owned: u32 = facets.iter().map(|facet| (facet.owns & 0b111).count_ones()).sum();
    let edges: u32 = facets.iter().map(|facet| (facet.owns >> 3).count_ones()).sum();
    assert_eq!((owned, edges), (4, 6));
    assert_eq!(surface.corners().len(), 4);
    for (face, facet) in facets.iter().enumerate() {
        let corners = surface.faces()[face].corners;
        let missing = (0..4).find(|j| !corners.contains(j)).unwrap() as usize;
        for k in 0..3 {
            let across = facet.across[k].unwrap().start;
            assert_eq!(across, particles.rest[missing].as_dvec3(), "face {face}, edge {k}");
            assert!(facet.is_sharp(k), "all edges of a tetrahedron stick out");
        }
        // outward: the missing corner is behind
        let there = particles.rest[missing].as_dvec3() - facet.corners[0].start;
        assert!(facet.normal.dot(there) < 0.0);
        for k in 0..3 {
            let mut seen = 0;
            surface.around(face, k, |_| seen += 1);
            assert_eq!(seen, 3, "faces around a corner");
        }
    }
}

/// A corner just over a face, one just behind it, one behind the far side, and one on its way through.
#[test]
fn corners_meet_the_face_they_are_over() {
    let (particles, surface) = tetrahedron();
    let floor = surface.facet(0, &particles, Vec3::ZERO, 1.0);
    let point = |at: [f64; 3], way: [f64; 3]| {
        let corner = Moving { start: at.into(), way: way.into() };
        let far = Moving { start: DVec3::new(5.0, 5.0, 5.0), way: corner.way };
        let other = Moving { start: DVec3::new(5.0, 6.0, 5.0), way: corner.way };
        let facet = Facet::new([corner, far, other], [None; 3], 1, 0.1, 1.0);
        let mut met = Vec::new();
        meet_facets(&facet, &floor, Rules { own: false }, Marks::ALL, |m| met.push(m));
        met
    };
    // the face at z = 0 looks down
    let over = point([0.2, 0.3, -0.05], [0.0; 3]);
    assert_eq!(over.len(), 1);
    assert!((over[0].gap - 0.05).abs() < 1e-12 && over[0].normal.z == -1.0 && !over[0].doubtful);
    let weights = over[0].weights[1];
    // corners 0, 2, 1 of the tetrahedron
    assert!((weights[2] - 0.2).abs() < 1e-6 && (weights[1] - 0.3).abs() < 1e-6, "{weights:?}");
    let inside = point([0.2, 0.3, 0.1], [0.0; 3]);
    assert!(inside[0].gap == -0.1 && !inside[0].doubtful);
    assert!(point([0.2, 0.3, 0.7], [0.0; 3])[0].doubtful, "it may be outside of another side");
    assert!(point([0.2, 0.3, 1.2], [0.0; 3]).is_empty(), "farther than the tetrahedron is high");
    assert!(point([0.2, 0.3, -0.3], [0.0; 3]).is_empty(), "farther than the margin, at rest");
    let shot = point([-1.8, 0.3, -1.0], [4.0, 0.0, 2.0]);
    assert_eq!(shot.len(), 1);
    assert!((shot[0].gap - 1.0).abs() < 1e-6, "{:?}", shot[0]);
    assert!((shot[0].weights[1][2] - 0.2).abs() < 1e-6, "{:?}", shot[0]);
    assert!(point([-2.8, 0.3, -1.0], [4.0, 0.0, 2.0]).is_empty(), "past the rim");
    assert!(point([0.2, 0.3, 2.0], [0.0, 0.0, -4.0]).is_empty(), "from behind");
}

/// Whatever two faces could touch with, their outlines do not hide, and they do hide most of those that cannot.
#[test]
fn outlines_hide_nothing_that_touches() {
    let mut random = Random(3);
    let (mut met, mut kept) = (0, 0);
    for case in 0..CASES {
        let way = [0.0, 1e-3, 0.1, 1.0][case % 4];
        let drift = random.vector(5.0);
        let shift = random.vector([0.0, 0.3, 1.0][case % 3]);
        let mut face = |beside: DVec3| {
            let mut moving = || {
                let way = drift + random.vector(way);
                // as f32 has it
                Moving { start: random.vector(0.5).as_vec3().as_dvec3() + beside, way }
            };
            let (corners, across) = ([0; 3].map(|_| moving()), [0; 3].map(|_| moving()));
            let owns = (random.unit().to_bits() >> 20) as u8 & 0x3f;
            let facet = Facet::new(corners, across.map(Some), owns, 0.05, 0.3);
            let near = |m: Moving| (m.start - beside).as_vec3();
            let ways = corners.map(|m| m.way.as_vec3());
            let across = across.map(|m| Some(near(m)));
            (facet, Outline::new(corners.map(near), ways, across, owns, 0.05, 0.3))
        };
        let ((a, one), (b, other)) = (face(DVec3::ZERO), face(shift));
        let marks = may_meet(&one, &other, shift.as_vec3());
        let meetings = |marks: Marks| {
            let mut all = Vec::new();
            meet_facets(&a, &b, Rules { own: false }, marks, |met| all.push(met.features));
            all
        };
        let all = meetings(Marks::ALL);
        assert_eq!(meetings(marks), all, "case {case}");
        met += usize::from(!all.is_empty());
        kept += usize::from(!marks.is_none());
    }
    println!("{met} of {CASES} touch, {kept} are looked at");
    assert!(met > CASES / 20 && kept < CASES / 2, "{met}, {kept}");
}

/// A roof whose ridge is bent more and more lies in one across it, turned over: the contact of the two ridges begins without a push and grows steadily.
/// Had it begun with all of the overlap, soft bodies on each other would have been kicked for ever.
#[test]
fn ridges_begin_to_touch_without_a_push() {
    let at = |x: f64, y: f64, z: f64| Moving { start: DVec3::new(x, y, z), way: DVec3::ZERO };
    let overlap = 1e-4;
    let gap_at = |bend: f64| {
        // the lower ridge runs along x and falls off to both sides, the upper one along y
        let low = |x: f64, y: f64| at(x, y, -bend * y.abs());
        let high = |x: f64, y: f64| at(x, y, bend * x.abs() - overlap);
        let [p, q] = [-0.01, 0.01].map(|x| low(x, 0.0));
        let below =
            Facet::new([p, q, low(0.0, 0.02)], [Some(low(0.0, -0.02)), None, None], 8, 1e-3, 0.01);
        let [p, q] = [-0.01, 0.01].map(|y| high(0.0, y));
        let above = Facet::new(
            [p, q, high(0.02, 0.0)],
            [Some(high(-0.02, 0.0)), None, None],
            8,
            1e-3,
            0.01,
        );
        let mut gap = None;
        let rules = Rules { own: false };
        meet_facets(&above, &below, rules, Marks::ALL, |met| gap = Some(met.gap));
        gap
    };
    let gaps: Vec<_> = (0..=100).map(|k| gap_at(1e-3 * f64::from(k))).collect();
    let gaps: Vec<_> = gaps.into_iter().skip_while(Option::is_none).map(Option::unwrap).collect();
    assert!(gaps.len() > 60 && gaps[0].abs() < 0.1 * overlap, "{gaps:?}");
    assert!(gaps.windows(2).all(|w| w[1] <= w[0] && w[0] - w[1] < 0.1 * overlap), "{gaps:?}");
    assert!((gaps[gaps.len() - 1] + overlap).abs() < 1e-12, "{gaps:?}");
}

/// A row of tetrahedra along x of which those about the middle are mirrored: what these carried through each other is let go, and
/// nothing beyond.
#[test]
fn what_was_carried_through_each_other_is_let_go() {
    use crate::math::Rot;
    use crate::solids::NewParticle;
    let mut particles = Particles::default();
    let mut tets = Vec::new();
    let mut place = Vec::new();
    // on the axis and beside it; each tetrahedron ends at the next place
    for k in -20..=20_i16 {
        let first = particles.len() as u32;
        if k < 20 {
            tets.push([first, first + 3, first + 1, first + 2]);
        }
        for across in [Vec3::ZERO, Vec3::Y, Vec3::Z] {
            let rest = Vec3::X * f32::from(k) + 0.01 * across;
            let x = rest.x;
            let mirrored = if x.abs() <= 2.0 { -x } else { x - 4.0 * x.signum() };
            place.push(Vec3::new(mirrored, rest.y, rest.z));
            particles.push(NewParticle {
                rest,
                mass: 1.0,
                inertia: None,
                radii: [0.1; 3],
                axes: Rot::IDENTITY,
                friction: [0.5; 2],
                restitution: 0.0,
                material: 0,
            });
        }
    }
    let mut tangles = Tangles::default();
    let at = |x: f32| Vec3::X * x;
    tangles.find(&tets, &particles);
    assert!(!tangles.part(at(-2.1), at(2.1)), "at rest nothing is inside out");
    particles.position.copy_from_slice(&place);
    tangles.find(&tets, &particles);
    // those of [2, 6] and of [−6, −2] lie in each other
    assert!(tangles.part(at(2.1), at(-2.1)) && tangles.part(at(5.9), at(-5.9)));
    assert!(!tangles.part(at(6.1), at(-6.1)) && !tangles.part(at(8.0), at(19.0)));
}
