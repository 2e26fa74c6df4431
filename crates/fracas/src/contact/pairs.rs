//! Pairs of particles that may touch within the substep.

use super::margin;
use super::narrow::{Point, ellipsoid_ellipsoid};
use super::shape::Pose;
use crate::solids::Particles;
use glam::Vec3;

/// Steps of the search for the moment of an impact.
const STEPS: usize = 16;

/// The ellipsoid of a particle, in a frame whose origin lies at `shift` from that of its piece.
pub(crate) fn pose(particles: &Particles, j: usize, shift: Vec3) -> Pose {
    // as it was at the start of the substep, from which its motion counts
    let rotation = match particles.previous_orientation.get(j) {
        Some(&q) => q * particles.axes[j],
        None => particles.axes[j],
    };
    Pose { rotation, position: particles.position[j] + shift }
}

/// How far the box around an ellipsoid reaches from its centre, in m.
pub fn reach(particles: &Particles, j: usize) -> Vec3 {
    let radii = particles.radii[j];
    if radii[0] == radii[1] && radii[1] == radii[2] {
        return Vec3::splat(radii[0]);
    }
    let axes = pose(particles, j, Vec3::ZERO).rotation.to_mat3();
    let [a, b, c] = radii;
    let square = |axis: Vec3| axis * axis;
    let sum = square(axes.x_axis * a) + square(axes.y_axis * b) + square(axes.z_axis * c);
    Vec3::new(sum.x.sqrt(), sum.y.sqrt(), sum.z.sqrt())
}

/// Half of the margin within which a particle makes contacts, in m: grown by it, the boxes of any two
/// meet that are within the margin of the pair.
pub fn half_margin(particles: &Particles, j: usize) -> f32 {
    0.5 * margin(particles.radii[j])
}

/// Where particle `i` of one piece and `j` of another may touch within a substep. `shift` is the
/// origin of the second piece seen from that of the first; points are in the frame of the first.
///
/// Particles that are farther apart than the margin touch only if they meet on their way: otherwise
/// what flies past would be stopped by the plane between them.
pub fn touch(
    first: &Particles,
    i: usize,
    second: &Particles,
    j: usize,
    shift: Vec3,
    h: f32,
) -> Option<Point> {
    let (a, b) = (pose(first, i, Vec3::ZERO), pose(second, j, shift));
    let [ra, rb] = [Vec3::from(first.radii[i]), Vec3::from(second.radii[j])];
    let way = h * (first.velocity[i] - second.velocity[j]);
    let margin = margin(first.radii[i]).min(margin(second.radii[j]));
    let near = ellipsoid_ellipsoid(ra, &a, rb, &b, margin + way.length())?;
    if near.gap <= margin {
        let approach = way.dot(near.normal).min(0.0);
        return (near.gap + approach <= margin).then_some(near);
    }
    impact(ra, a, rb, &b, way)
}

/// The first moment at which a moving ellipsoid meets one at rest: advances by no more than the gap,
/// which is a lower bound of the distance. The contact is that of the impact, its gap the way to it
/// along the normal.
fn impact(ra: Vec3, start: Pose, rb: Vec3, b: &Pose, way: Vec3) -> Option<Point> {
    let close = 1e-3 * ra.min_element().min(rb.min_element());
    let mut time = 0.0;
    for _ in 0..STEPS {
        let a = Pose { position: start.position + way * time, ..start };
        let met = ellipsoid_ellipsoid(ra, &a, rb, b, f32::MAX)?;
        let speed = -met.normal.dot(way);
        if met.gap <= close {
            let gap = met.gap + speed * time;
            // seen from where it is now
            let on_a = met.on_a - way * time;
            return (speed > 0.0).then_some(Point { on_a, gap, ..met });
        }
        if speed <= 0.0 {
            return None;
        }
        time += met.gap / speed;
        if time > 1.0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]

    use super::*;
    use crate::math::{Rot, Sym3};
    use crate::solids::NewParticle;

    fn ball(at: Vec3, velocity: Vec3) -> Particles {
        let mut particles = Particles::default();
        particles.push(NewParticle {
            rest: at,
            mass: 1.0,
            inertia: Some(Sym3 { xx: 1.0, yy: 1.0, zz: 1.0, ..Sym3::default() }),
            radii: [0.1; 3],
            axes: Rot::IDENTITY,
            friction: [0.0; 2],
            restitution: 0.0,
            material: 0,
        });
        particles.velocity[0] = velocity;
        particles
    }

    /// A ball at 100 m/s: head on it meets, past by a hair it does not, and the way to the impact is
    /// right where it grazes.
    #[test]
    fn fast_balls_touch_what_is_on_their_way_only() {
        let h = 1.0 / 60.0;
        let target = ball(Vec3::ZERO, Vec3::ZERO);
        let shot = |height: f32| {
            let flying = ball(Vec3::new(-1.2, height, 0.0), Vec3::new(100.0, 0.0, 0.0));
            touch(&flying, 0, &target, 0, Vec3::ZERO, h)
        };
        let head_on = shot(0.0).unwrap();
        assert!((head_on.gap - 1.0).abs() < 1e-3, "{head_on:?}");
        assert!(head_on.normal.x < -0.999);
        assert_eq!(shot(0.201), None);
        let grazing = shot(0.1).unwrap();
        // centres 0.2 apart at the impact: sin = 0.5
        assert!((grazing.normal.y - 0.5).abs() < 1e-2, "{grazing:?}");
        let way = 1.2 - 0.2 * 0.75_f32.sqrt();
        assert!((grazing.gap - way * 0.75_f32.sqrt()).abs() < 2e-2, "{grazing:?}");
        // too slow to arrive
        let slow = ball(Vec3::new(-1.2, 0.0, 0.0), Vec3::new(10.0, 0.0, 0.0));
        assert_eq!(touch(&slow, 0, &target, 0, Vec3::ZERO, h), None);
    }
}
