//! Pairs of shapes that may touch within the substep: found anew, carried along, or on their way.
//!
//! Looking at two hulls takes some microseconds, and most pairs of a pile have hardly moved since the last
//! look. So the points of a pair are kept in the frames of its two shapes and move along with them until
//! the two have moved against each other by [`CARRIED`] of the margin.

use super::Other;
use super::narrow::{Point, collide};
use super::shape::{Pose, Shape};
use crate::world::ParticleId;
use glam::Vec3;

/// How far two shapes may have moved against each other before they are looked at again, in margins.
const CARRIED: f32 = 0.2;
/// Steps of the search for the moment of an impact.
const STEPS: usize = 16;

/// One of two that may meet.
#[derive(Clone, Copy, Debug)]
pub struct Mover<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Where it is at the start of the substep.
    pub pose: Pose,
    /// Its way within the substep, in m.
    pub way: Vec3,
    /// Distance within which it makes contacts though nothing moves, in m.
    pub margin: f32,
    /// How far its points are from its origin at most, in m. Of the second it is not asked.
    pub radius: f32,
}

/// How two shapes lay to each other when they were last looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The first in the frame of the second.
    pub relative: Pose,
    /// How far they were from making contacts, in m; 0 if they did.
    pub clear: f32,
}

/// A point of contact in the frames of its two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptPoint {
    /// In the frame of the first, in m.
    pub on_a: Vec3,
    /// In the frame of the second, in m.
    pub on_b: Vec3,
    /// In the frame of the second.
    pub normal: Vec3,
    /// As in [`Point`].
    pub feature: u32,
}

/// A pair that was looked at, and where its points are in a list. State: a later step reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The first of the pair.
    pub first: ParticleId,
    /// The second.
    pub second: Other,
    /// What it looked like.
    pub look: Look,
    /// Where its points begin.
    pub start: u32,
    /// How many there are.
    pub count: u32,
}

/// Appends where `a` and `b` may touch within the substep to `points`, in their common frame, and what
/// may be kept of it to `kept`. Returns nothing if nothing may be kept: they come from afar.
///
/// What is farther apart than the margin touches only if it meets on its way: otherwise what flies past would
/// be stopped by the plane between.
pub fn meet(
    a: &Mover<'_>,
    b: &Mover<'_>,
    old: Option<(Look, &[KeptPoint])>,
    points: &mut Vec<Point>,
    kept: &mut Vec<KeptPoint>,
) -> Option<Look> {
    let margin = a.margin.min(b.margin);
    let way = a.way - b.way;
    let back = b.pose.rotation.inverse();
    let relative = Pose {
        rotation: back * a.pose.rotation,
        position: back * (a.pose.position - b.pose.position),
    };
    if let Some((look, old)) = old {
        let moved = moved_since(&look.relative, &relative, a.radius);
        if look.clear == 0.0 && moved <= CARRIED * margin {
            points.extend(old.iter().map(|point| point.carried(a, b)));
            kept.extend_from_slice(old);
            return Some(look);
        }
        if moved + way.length() < look.clear {
            return Some(look);
        }
    }
    let start = points.len();
    // two that cannot move freely are never paired
    collide(a.shape, &a.pose, b.shape, &b.pose, 2.0 * margin, points).ok()?;
    let nearest = points[start..].iter().map(|point| point.gap).fold(2.0 * margin, f32::min);
    if nearest <= margin {
        kept.extend(points[start..].iter().map(|point| KeptPoint::of(point, a, b)));
        return Some(Look { relative, clear: 0.0 });
    }
    points.truncate(start);
    if way.length() <= nearest {
        return Some(Look { relative, clear: nearest - margin });
    }
    impact(a, b, way, points);
    None
}

/// By how much no point within `radius` of the first has moved more, seen from the second, in m.
fn moved_since(before: &Pose, now: &Pose, radius: f32) -> f32 {
    let turn = now.rotation * before.rotation.inverse();
    // the angle is 2 asin |v| ≤ π |v|
    let sine = Vec3::new(turn.x, turn.y, turn.z).length();
    before.position.distance(now.position) + std::f32::consts::PI * sine * radius
}

impl KeptPoint {
    fn of(point: &Point, a: &Mover<'_>, b: &Mover<'_>) -> Self {
        Self {
            on_a: a.pose.undo(point.on_a),
            on_b: b.pose.undo(point.on_b),
            normal: b.pose.rotation.inverse() * point.normal,
            feature: point.feature,
        }
    }

    /// Where it is now.
    fn carried(&self, a: &Mover<'_>, b: &Mover<'_>) -> Point {
        let normal = b.pose.rotation * self.normal;
        let (on_a, on_b) = (a.pose.apply(self.on_a), b.pose.apply(self.on_b));
        Point { on_a, on_b, normal, gap: normal.dot(on_a - on_b), feature: self.feature }
    }
}

/// The first moment at which `a` meets `b` on its straight way: advances by no more than the gap,
/// which is a lower bound of the distance. Contacts are those of the impact, their gaps the way to it along the
/// normal. Turning is left to the margin.
fn impact(a: &Mover<'_>, b: &Mover<'_>, way: Vec3, points: &mut Vec<Point>) {
    let start = points.len();
    let length = way.length();
    let close = 1e-2 * a.margin.min(b.margin);
    let mut time = 0.0;
    for _ in 0..STEPS {
        points.truncate(start);
        let pose = Pose { position: a.pose.position + way * time, ..a.pose };
        let reach = (1.0 - time) * length + close;
        if collide(a.shape, &pose, b.shape, &b.pose, reach, points).is_err() {
            return;
        }
        // of all points the one that is reached first
        let mut first: Option<(f32, f32)> = None;
        for point in &points[start..] {
            let speed = -point.normal.dot(way);
            if first.is_none_or(|(gap, _)| point.gap < gap) {
                first = Some((point.gap, speed));
            }
        }
        let Some((gap, speed)) = first else { return };
        if gap <= close {
            for point in &mut points[start..] {
                point.gap += -point.normal.dot(way) * time;
                // seen from where it is now
                point.on_a -= way * time;
            }
            let stops = |point: &Point| point.normal.dot(way) < 0.0;
            let mut k = start;
            while k < points.len() {
                if stops(&points[k]) {
                    k += 1;
                } else {
                    points.remove(k);
                }
            }
            return;
        }
        if speed <= 0.0 {
            // the nearest point is left behind; what lies ahead is at least as far as that
            time += gap / length;
        } else {
            time += gap / speed.max(1e-3 * length);
        }
        if time > 1.0 {
            points.truncate(start);
            return;
        }
    }
    points.truncate(start);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]
    use super::*;
    use crate::math::Rot;

    fn mover(shape: &Shape, at: [f32; 3], way: [f32; 3]) -> Mover<'_> {
        let pose = Pose { position: at.into(), ..Pose::IDENTITY };
        Mover { shape, pose, way: way.into(), margin: 0.01, radius: shape.bounding_radius() }
    }

    fn found(a: &Mover<'_>, b: &Mover<'_>) -> Vec<Point> {
        let mut points = Vec::new();
        meet(a, b, None, &mut points, &mut Vec::new());
        points
    }

    /// A fast ball meets a thin plate on its way, from any distance within it, and not the one beside it.
    #[test]
    fn fast_ball_meets_a_thin_plate() {
        let ball = Shape::sphere(0.02).unwrap();
        let plate = Shape::block(Vec3::new(0.005, 0.5, 0.5)).unwrap();
        let target = mover(&plate, [0.0; 3], [0.0; 3]);
        for distance in [0.05, 0.4, 1.0, 1.6] {
            let points = found(&mover(&ball, [-distance, 0.1, 0.0], [1.6, 0.0, 0.0]), &target);
            assert_eq!(points.len(), 1, "from {distance} m");
            assert!((points[0].gap - (distance - 0.025)).abs() < 1e-3, "{:?}", points[0]);
            assert!(points[0].normal.x < -0.999);
        }
        assert!(found(&mover(&ball, [-1.0, 0.53, 0.0], [1.6, 0.0, 0.0]), &target).is_empty());
        assert!(found(&mover(&ball, [-1.0, 0.0, 0.0], [0.9, 0.0, 0.0]), &target).is_empty());
    }

    /// Kept points are those that a new look finds, as long as little has moved.
    #[test]
    fn carried_points_are_those_of_a_new_look() {
        let block = Shape::block(Vec3::new(0.1, 0.05, 0.1)).unwrap();
        let below = mover(&block, [0.0; 3], [0.0; 3]);
        let mut above = mover(&block, [0.02, 0.101, 0.01], [0.0; 3]);
        let (mut points, mut kept) = (Vec::new(), Vec::new());
        let look = meet(&above, &below, None, &mut points, &mut kept).unwrap();
        assert!(kept.len() >= 4);
        above.pose.position += Vec3::new(5e-4, -3e-4, 0.0);
        above.pose.rotation = Rot::exp(Vec3::new(1e-3, 0.0, 2e-3));
        let fresh = found(&above, &below);
        points.clear();
        let again = meet(&above, &below, Some((look, &kept)), &mut points, &mut Vec::new());
        assert_eq!(again, Some(look), "it was looked at anew");
        for point in &points {
            let same = fresh.iter().find(|f| f.feature == point.feature).unwrap();
            assert!((same.gap - point.gap).abs() < 2e-5, "{same:?} {point:?}");
        }
        // and not after a larger turn
        above.pose.rotation = Rot::exp(Vec3::new(0.1, 0.0, 0.0));
        let later = meet(&above, &below, Some((look, &kept)), &mut points, &mut Vec::new());
        assert_ne!(later, Some(look));
    }
}
