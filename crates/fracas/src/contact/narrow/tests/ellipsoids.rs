//! Ellipsoids against the optimum in f64.

use super::*;
use glam::DVec3;

/// In f64, by projected gradients from many starts: the truth for ellipsoids.
fn ellipsoid_truth(ra: Vec3, pa: &Pose, rb: Vec3, pb: &Pose) -> f64 {
    let (qa, qb) = (rotation_f64(pa.rotation), rotation_f64(pb.rotation));
    let between = pa.position.as_dvec3() - pb.position.as_dvec3();
    let (ra, rb) = (ra.as_dvec3(), rb.as_dvec3());
    let gap = |n: DVec3| {
        n.dot(between) - (ra * (qa.transpose() * n)).length() - (rb * (qb.transpose() * n)).length()
    };
    let count = 3000;
    let mut starts: Vec<(f64, DVec3)> = (0..count)
        .map(|i| {
            let y = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
            let (s, c) = (2.399_963_229_728_653 * i as f64).sin_cos();
            let r = (1.0 - y * y).sqrt();
            let n = DVec3::new(r * c, y, r * s);
            (gap(n), n)
        })
        .collect();
    starts.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut best = f64::NEG_INFINITY;
    for &(_, start) in &starts[..4] {
        let (mut n, mut here, mut step) = (start, gap(start), 0.03);
        while step > 1.0e-8 {
            let u = n.any_orthonormal_vector();
            let v = n.cross(u);
            let mut better = false;
            for d in [u, -u, v, -v, u + v, u - v, v - u, -u - v] {
                let next = (n + step * d).normalize();
                if gap(next) > here {
                    (n, here, better) = (next, gap(next), true);
                    break;
                }
            }
            if !better {
                step *= 0.5;
            }
        }
        best = best.max(here);
    }
    best
}

/// Random pairs with radii from 1 to 10, apart, touching and overlapping up to half of the smallest
/// radius: the gap is the largest of all directions to 1e-4 of the smaller radius.
#[test]
fn ellipsoid_gap_is_the_optimum() {
    let mut random = Random(99);
    let mut worst = 0f64;
    let mut tested = 0;
    for _ in 0..600 {
        let mut radii =
            || Vec3::new(random.within(0.1, 1.0), random.within(0.1, 1.0), random.within(0.1, 1.0));
        let (ra, rb) = (radii(), radii());
        let pa = Pose { rotation: random.rotation(), position: random.vector() };
        let along = random.vector().normalize();
        let distance = random.within(0.2, 2.5);
        let pb = Pose { rotation: random.rotation(), position: pa.position + distance * along };
        let smallest = f64::from(ra.min_element().min(rb.min_element()));
        let truth = ellipsoid_truth(ra, &pa, rb, &pb);
        if truth < -0.5 * smallest {
            continue;
        }
        tested += 1;
        let found = ellipsoid_ellipsoid(ra, &pa, rb, &pb, 10.0).unwrap();
        let error = (f64::from(found.gap) - truth).abs() / smallest;
        worst = worst.max(error);
        assert!(error < 1.0e-4, "{} against {truth}: {ra} {pa:?} {rb} {pb:?}", found.gap);
    }
    println!("worst error of {tested} pairs: {worst:e} of the smallest radius");
    assert!(tested > 200);
}

/// Deep overlaps: never deeper than along the best axis, and within a tenth of the truth.
#[test]
fn deep_ellipsoids_find_a_short_way_out() {
    let mut random = Random(5);
    for _ in 0..300 {
        let mut radii =
            || Vec3::new(random.within(0.2, 1.0), random.within(0.2, 1.0), random.within(0.2, 1.0));
        let (ra, rb) = (radii(), radii());
        let pa = Pose { rotation: random.rotation(), position: Vec3::ZERO };
        let pb = Pose { rotation: random.rotation(), position: 0.2 * random.vector() };
        let truth = ellipsoid_truth(ra, &pa, rb, &pb);
        let found = ellipsoid_ellipsoid(ra, &pa, rb, &pb, 10.0).unwrap();
        let gap = f64::from(found.gap);
        assert!(gap <= truth + 1.0e-5 && gap > 1.1 * truth, "{gap} against {truth}");
    }
}

/// Closed forms: two spheres, the prototype's pair, touching and coincident ones.
#[test]
fn spheres_and_simple_ellipsoids_have_closed_forms() {
    let (a, b) = (Shape::sphere(0.5).unwrap(), Shape::sphere(0.25).unwrap());
    let found = points(&a, &at(Vec3::X), &b, &at(Vec3::ZERO), 1.0);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].normal, found[0].gap), (Vec3::X, 0.25));
    assert_eq!((found[0].on_a, found[0].on_b), (0.5 * Vec3::X, 0.25 * Vec3::X));

    // along a common axis
    let e = Shape::ellipsoid(Vec3::new(0.1, 0.2, 0.3)).unwrap();
    let turned =
        Pose { rotation: Rot::exp(std::f32::consts::FRAC_PI_2 * Vec3::X), position: Vec3::Y };
    let found = points(&e, &turned, &e, &Pose::IDENTITY, 1.0);
    assert!((found[0].gap - (1.0 - 0.3 - 0.2)).abs() < 1.0e-6, "{found:?}");

    // same place: out along the shortest axis
    let found = points(&e, &Pose::IDENTITY, &e, &Pose::IDENTITY, 1.0);
    assert!((found[0].gap + 0.2).abs() < 1.0e-6 && found[0].normal.x.abs() > 0.999, "{found:?}");
    let found = points(&a, &Pose::IDENTITY, &a, &Pose::IDENTITY, 1.0);
    assert_eq!((found[0].gap, found[0].normal), (-1.0, Vec3::Y));
}
