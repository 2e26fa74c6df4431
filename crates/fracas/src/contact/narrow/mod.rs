//! Where two shapes touch: pure functions, one file per kind of pair.
//!
//! [`collide`] is the table. Ellipsoids and spheres among themselves have their own maximisation;
//! all other pairs of convex solids share one algorithm in f64 (distance or depth of cores, then
//! the sides that face each other cut to what they have in common); half-spaces are exact; meshes and height
//! fields go triangle by triangle; compounds part by part.
//!
//! Nothing is remembered between calls and nothing is allocated but room in `out`. Bits depend on
//! the arguments alone.

mod convex;
mod core;
mod ellipsoids;
mod epa;
mod faces;
mod gjk;
mod half_space;
mod manifold;
mod sweep;
mod triangles;

pub use self::ellipsoids::ellipsoid_ellipsoid;
pub use self::faces::{OnFace, Solid};
pub use self::sweep::{Met, Way, sweep, sweep_triangles};
pub use self::triangles::each_facet;

pub(super) use self::core::rotation_f64;
pub(super) use self::gjk::nearest_on_segments;
pub(crate) use self::gjk::{triangle as nearest_on_triangle, weights_in_triangle};

use self::core::Core;
use super::shape::{Compound, Pose, Shape};
use ::core::cmp::Ordering;
use glam::Vec3;

/// A pair of points where two shapes touch or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// On the surface of a, in the common frame.
    pub on_a: Vec3,
    /// On the surface of b, in the common frame.
    pub on_b: Vec3,
    /// Unit, out of b towards a.
    pub normal: Vec3,
    /// normal · (on_a − on_b), in m; negative if they overlap.
    pub gap: f32,
    /// Which corner, edge or side it is: the same from substep to substep while the same ones
    /// meet, different for all points of a pair.
    pub feature: u32,
}

impl Point {
    /// The same point, seen from b.
    fn exchanged(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a, normal: -self.normal, ..self }
    }
}

/// Two shapes that cannot touch each other, because neither can move freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a {a} cannot touch a {b}: neither can move freely; give one of them a convex shape or a compound"
)]
pub struct MissingPair {
    /// What the first is.
    pub a: &'static str,
    /// What the second is.
    pub b: &'static str,
}

/// Appends all contact points of a and b with a gap of at most `reach` to `out`, both shapes placed in one
/// common frame of small numbers.
///
/// Exchanging a and b exchanges `on_a` and `on_b`, reverses normals and changes nothing else.
/// Poses must be finite; otherwise nothing is found.
///
/// # Errors
/// If neither of them can move freely.
pub fn collide(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    reach: f32,
    out: &mut Vec<Point>,
) -> Result<(), MissingPair> {
    if a.is_fixed() && b.is_fixed() {
        return Err(MissingPair { a: a.kind(), b: b.kind() });
    }
    if !(is_finite(pose_a) && is_finite(pose_b) && reach.is_finite()) {
        return Ok(());
    }
    let start = out.len();
    // Ellipsoids among themselves are symmetric already, compounds by their parts.
    let same = rank(a) == rank(b) && !matches!(a, Shape::Compound(_)) && round_radii(a).is_none();
    let by_pose = || if same { compare(pose_a, pose_b) } else { Ordering::Equal };
    let order = rank(a).cmp(&rank(b)).then_with(by_pose);
    if order == Ordering::Greater {
        in_order(b, pose_b, a, pose_a, reach, out);
        for point in &mut out[start..] {
            *point = point.exchanged();
            // Which of two boxes comes first may change from step to step; names must not.
            if same {
                point.feature = manifold::exchanged(point.feature);
            }
        }
    } else {
        in_order(a, pose_a, b, pose_b, reach, out);
    }
    Ok(())
}

fn is_finite(pose: &Pose) -> bool {
    let q = pose.rotation;
    pose.position.is_finite() && [q.x, q.y, q.z, q.w].iter().all(|c| c.is_finite())
}

/// Place of a shape in its pair.
fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Ellipsoid(_) | Shape::Sphere(_) => 0,
        Shape::Box(_) => 1,
        Shape::Capsule(_) => 2,
        Shape::Cylinder(_) => 3,
        Shape::Hull(_) => 4,
        Shape::Compound(_) => 5,
        Shape::HalfSpace(_) => 6,
        Shape::TriangleMesh(_) => 7,
        Shape::HeightField(_) => 8,
    }
}

/// Some total order of poses.
fn compare(a: &Pose, b: &Pose) -> Ordering {
    let list = |p: &Pose| {
        let (x, q) = (p.position, p.rotation);
        [x.x, x.y, x.z, q.x, q.y, q.z, q.w]
    };
    let pairs = list(a).into_iter().zip(list(b));
    pairs.map(|(a, b)| a.total_cmp(&b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// The table, for `rank(a) <= rank(b)`.
fn in_order(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, reach: f32, out: &mut Vec<Point>) {
    match (a, b) {
        (Shape::Compound(compound), _) => compound_other(compound, pa, b, pb, reach, out),
        (_, Shape::Compound(compound)) => {
            let start = out.len();
            compound_other(compound, pb, a, pa, reach, out);
            out[start..].iter_mut().for_each(|point| *point = point.exchanged());
        }
        (_, Shape::HalfSpace(plane)) => {
            let origin = pa.position.as_dvec3();
            if let Some(core) = Core::new(a, pa, origin) {
                let point = pb.position.as_dvec3() - origin;
                let normal = rotation_f64(pb.rotation) * plane.normal().as_dvec3();
                let normal = normal.normalize();
                half_space::convex_half_space(&core, point, normal, reach.into(), origin, out);
            }
        }
        (_, Shape::TriangleMesh(mesh)) => triangles::convex_mesh(a, pa, mesh, pb, reach, out),
        (_, Shape::HeightField(f)) => triangles::convex_height_field(a, pa, f, pb, reach, out),
        _ => match (round_radii(a), round_radii(b)) {
            (Some(ra), Some(rb)) => out.extend(ellipsoid_ellipsoid(ra, pa, rb, pb, reach)),
            _ => convex_convex(a, pa, b, pb, reach, out),
        },
    }
}

fn round_radii(shape: &Shape) -> Option<Vec3> {
    match shape {
        Shape::Ellipsoid(e) => Some(e.radii()),
        Shape::Sphere(s) => Some(Vec3::splat(s.radius())),
        _ => None,
    }
}

fn convex_convex(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, reach: f32, out: &mut Vec<Point>) {
    let origin = pa.position.as_dvec3();
    if let (Some(core_a), Some(core_b)) = (Core::new(a, pa, origin), Core::new(b, pb, origin))
        && let Some((normal, points)) = convex::collide(&core_a, &core_b, reach.into())
    {
        out.extend(points.points().iter().map(|c| manifold::to_point(c, normal, origin)));
    }
}

/// Part by part, as far as their bounding spheres come near.
fn compound_other(
    compound: &Compound,
    pose: &Pose,
    other: &Shape,
    other_pose: &Pose,
    reach: f32,
    out: &mut Vec<Point>,
) {
    for (number, (place, part)) in compound.parts().iter().enumerate() {
        let part_pose = pose.of(place);
        let apart = part_pose.position.distance(other_pose.position);
        // infinite for half-spaces, hence never skipped
        if apart - part.bounding_radius() - other.bounding_radius() > reach {
            continue;
        }
        let start = out.len();
        // a part can move with its compound, so this pair cannot be missing
        if collide(part, &part_pose, other, other_pose, reach, out).is_ok() && number > 0 {
            for point in &mut out[start..] {
                point.feature = triangles::mix(point.feature, number as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests;
