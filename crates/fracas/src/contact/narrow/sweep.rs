//! The first moment at which a shape on a straight way meets another.
//!
//! The plane between the nearest points of two convex solids parts them, and they cannot meet
//! before the gap across it is closed (conservative advancement; van den Bergen 2004). Nearest
//! points of cores are known in f64, so this ends within a few steps.

use super::super::shape::{Compound, HeightField, Pose, Shape, TriangleMesh};
use super::convex::{self, Nearest};
use super::core::{Core, rotation_f64};
use super::triangles::local_bounds;
use crate::math::Rot;
use glam::{DMat3, DVec3, Vec3};

/// Steps after which a way that grazes is given up.
const STEPS: usize = 64;
/// Gap at which two touch, in sizes of the smaller.
const TOUCH: f64 = 3e-6;
/// Gap between cores above which the plane between has a direction, though of round ones the search has a
/// few digits only.
const WIDE: f64 = 1e-3;

/// A straight way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Unit length; zero for none.
    pub direction: DVec3,
    /// In m.
    pub length: f64,
}

/// Where a moved shape meets another, in a frame around its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// Way to there, in m; 0 if they overlap at the start.
    pub distance: f64,
    /// On the surface of what is met.
    pub point: DVec3,
    /// Outward there, unit length; if they overlap at the start, the shortest way out.
    pub normal: DVec3,
    /// The triangle of a mesh or height field, or the part of a compound.
    pub element: Option<u32>,
}

/// Something to be met.
struct Placed {
    rotation: Rot,
    turn: DMat3,
    position: DVec3,
}

/// The first moment at which `a`, turned by `rotation_a` and with its origin at 0, meets `b` on its
/// way. Without a way: whether they overlap. Nothing if `a` can only belong to something that does not move
/// freely.
pub fn sweep(
    a: &Shape,
    rotation_a: Rot,
    b: &Shape,
    rotation: Rot,
    position: DVec3,
    way: &Way,
) -> Option<Met> {
    let place = Placed { rotation, turn: rotation_f64(rotation), position };
    if let Shape::Compound(compound) = a {
        let parts = compound.parts().iter();
        return parts.fold(None, |best, (pose, part)| {
            let shift = rotation_f64(rotation_a) * pose.position.as_dvec3();
            let way = way.up_to(&best);
            let met = sweep(part, rotation_a * pose.rotation, b, rotation, position - shift, &way);
            sooner(best, met.map(|met| Met { point: met.point + shift, ..met }))
        });
    }
    let mover = Mover::new(a, rotation_a)?;
    match b {
        Shape::Compound(compound) => mover.meets_compound(compound, &place, way),
        Shape::HalfSpace(plane) => {
            let normal = (place.turn * plane.normal().as_dvec3()).normalize();
            mover.meets_plane(normal, place.position, way)
        }
        Shape::TriangleMesh(mesh) => mover.meets_mesh(mesh, &place, way),
        Shape::HeightField(field) => mover.meets_height_field(field, &place, way),
        _ => mover.meets_convex(b, &place, way),
    }
}

/// The first moment at which `a`, turned by `rotation` and with its origin at 0, meets one of many triangles on its way;
/// `element` counts them.
pub fn sweep_triangles(
    a: &Shape,
    rotation: Rot,
    triangles: impl Iterator<Item = [DVec3; 3]> + Clone,
    way: &Way,
) -> Option<Met> {
    if let Shape::Compound(compound) = a {
        return compound.parts().iter().fold(None, |best, (pose, part)| {
            let shift = rotation_f64(rotation) * pose.position.as_dvec3();
            let shifted = triangles.clone().map(|corners| corners.map(|corner| corner - shift));
            // a compound of compounds is never made
            let mover = Mover::new(part, rotation * pose.rotation)?;
            let met = mover.meets_triangles(shifted, &way.up_to(&best));
            sooner(best, met.map(|met| Met { point: met.point + shift, ..met }))
        });
    }
    Mover::new(a, rotation)?.meets_triangles(triangles, way)
}

impl Way {
    /// No farther than where something was met.
    fn up_to(&self, met: &Option<Met>) -> Self {
        Self { length: met.map_or(self.length, |met| met.distance), ..*self }
    }
}

/// The one that is met first, the first of equals.
fn sooner(best: Option<Met>, met: Option<Met>) -> Option<Met> {
    match (best, met) {
        (Some(a), Some(b)) if b.distance < a.distance => met,
        (None, _) => met,
        _ => best,
    }
}

/// A convex solid on its way.
struct Mover<'a> {
    shape: &'a Shape,
    pose: Pose,
    core: Core<'a>,
}

impl<'a> Mover<'a> {
    fn new(shape: &'a Shape, rotation: Rot) -> Option<Self> {
        let pose = Pose { rotation, position: Vec3::ZERO };
        Some(Self { shape, pose, core: Core::new(shape, &pose, DVec3::ZERO)? })
    }

    fn meets_triangles(
        &self,
        triangles: impl Iterator<Item = [DVec3; 3]>,
        way: &Way,
    ) -> Option<Met> {
        // what comes no nearer than this to the line is not met
        let reach = f64::from(self.shape.bounding_radius());
        let mut best = None;
        for (corners, number) in triangles.zip(0..) {
            let [a, b, c] = corners;
            let centre = (a + b + c) / 3.0;
            let radius = centre.distance(a).max(centre.distance(b)).max(centre.distance(c));
            let along = centre.dot(way.direction).clamp(0.0, way.length);
            if centre.distance(along * way.direction) > (reach + radius) * (1.0 + 1e-6) {
                continue;
            }
            let normal = (b - a).cross(c - a).normalize_or(DVec3::Y);
            let met = self.meets_core(&mut Core::of_corners(corners, normal), &way.up_to(&best));
            best = sooner(best, met.map(|met| Met { element: Some(number), ..met }));
        }
        best
    }
}

impl Mover<'_> {
    fn meets_convex(&self, b: &Shape, place: &Placed, way: &Way) -> Option<Met> {
        let pose = Pose { rotation: place.rotation, position: Vec3::ZERO };
        self.meets_core(&mut Core::new(b, &pose, -place.position)?, way)
    }

    fn meets_compound(&self, compound: &Compound, place: &Placed, way: &Way) -> Option<Met> {
        let parts = compound.parts().iter().zip(0..);
        parts.fold(None, |best, ((pose, part), number)| {
            let part_place = Placed {
                rotation: place.rotation * pose.rotation,
                turn: place.turn * rotation_f64(pose.rotation),
                position: place.position + place.turn * pose.position.as_dvec3(),
            };
            let met = self.meets_convex(part, &part_place, &way.up_to(&best));
            sooner(best, met.map(|met| Met { element: Some(number), ..met }))
        })
    }

    /// Closed form.
    fn meets_plane(&self, normal: DVec3, at: DVec3, way: &Way) -> Option<Met> {
        let lowest = self.core.support(-normal) - self.core.radius * normal;
        let height = normal.dot(lowest - at);
        let fall = -normal.dot(way.direction);
        let distance = if height <= 0.0 { 0.0 } else { height / fall };
        // NaN and negative where it moves along or away
        if !(0.0..=way.length).contains(&distance) {
            return None;
        }
        let point = lowest + distance * way.direction;
        let point = point - normal * normal.dot(point - at);
        Some(Met { distance, point, normal, element: None })
    }

    fn meets_mesh(&self, mesh: &TriangleMesh, place: &Placed, way: &Way) -> Option<Met> {
        let mut best = None;
        mesh.near(&self.bounds_in(place, way), |i| {
            let triangle = mesh.triangle(i);
            let mut core = Core::of_triangle(&triangle, place.turn, place.position);
            let met = self.meets_core(&mut core, &way.up_to(&best));
            best = sooner(best, met.map(|met| Met { element: Some(i), ..met }));
        });
        best
    }

    /// Its surface; what starts with its centre below is inside.
    fn meets_height_field(&self, field: &HeightField, place: &Placed, way: &Way) -> Option<Met> {
        let centre = place.turn.transpose() * (self.core.centre() - place.position);
        let (min, max) = (field.bounds().min.as_dvec3(), field.bounds().max.as_dvec3());
        let over = |k: usize| (min[k]..=max[k]).contains(&centre[k]);
        let height = field.height_at(centre.x, centre.z);
        if over(0) && over(2) && centre.y <= height {
            let point = place.position + place.turn * DVec3::new(centre.x, height, centre.z);
            let normal = place.turn * DVec3::Y;
            return Some(Met { distance: 0.0, point, normal, element: None });
        }
        let cells = field.under(&self.bounds_in(place, way));
        let mut best = None;
        for row in cells.rows[0]..cells.rows[1] {
            for column in cells.columns[0]..cells.columns[1] {
                for second in [false, true] {
                    let triangle = field.triangle(column, row, second);
                    let mut core = Core::of_triangle(&triangle, place.turn, place.position);
                    let met = self.meets_core(&mut core, &way.up_to(&best));
                    let element = Some(field.number(column, row, second));
                    best = sooner(best, met.map(|met| Met { element, ..met }));
                }
            }
        }
        best
    }

    /// The box around its whole way, in the frame of something.
    fn bounds_in(&self, place: &Placed, way: &Way) -> super::super::shape::Aabb {
        let end = way.direction * way.length;
        let at = |shift: DVec3| {
            let position = (place.position - shift).as_vec3();
            let frame = Pose { rotation: place.rotation, position };
            local_bounds(self.shape, &self.pose, &frame, 0.0)
        };
        at(DVec3::ZERO).join(at(end))
    }

    fn meets_core(&self, b: &mut Core<'_>, way: &Way) -> Option<Met> {
        let start = b.position;
        let size = self.core.size.min(b.size);
        let mut distance = 0.0;
        // the last plane between that had a direction
        let mut plane = None;
        for _ in 0..STEPS {
            b.position = start - distance * way.direction;
            let left = way.length - distance;
            let Nearest { normal, gap, on_b, .. } =
                convex::nearest(&self.core, b, left + TOUCH * size)?;
            let speed = -normal.dot(way.direction);
            // how wide the gap is for sure: no part of the two is between these planes
            let [lowest, highest] = [self.core.support(-normal), b.support(normal)];
            let sure = normal.dot(lowest - highest) - self.core.radius - b.radius;
            if sure > 0.0 && speed <= 0.0 {
                return None;
            }
            let exact = !(self.core.is_round() || b.is_round());
            if exact || gap + self.core.radius + b.radius > WIDE * size {
                plane = Some(normal);
            }
            if gap <= TOUCH * size {
                let point = on_b + distance * way.direction;
                let normal = plane.unwrap_or(normal);
                return Some(Met { distance, point, normal, element: None });
            }
            distance += if sure > 0.0 { sure / speed } else { 0.5 * gap };
            if distance > way.length {
                return None;
            }
        }
        None
    }
}
