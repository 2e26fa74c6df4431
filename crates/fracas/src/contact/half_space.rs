//! Ellipsoids, and corners of surfaces, against half-spaces.

use super::narrow::Point;
use super::surface::MARGIN;
use super::{Contact, Key, Other, Spot, margin};
use crate::material::combine_friction;
use crate::math::Rot;
use crate::parallel::Span;
use crate::solids::{Anchor, Particles};
use crate::world::{Layers, ObstacleId};
use glam::{DVec3, Vec3};

/// Everything behind a plane, solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Its handle.
    pub id: ObstacleId,
    /// A point of the surface.
    pub point: DVec3,
    /// Outward, unit length.
    pub normal: Vec3,
    /// Coefficients of sliding and static friction.
    pub friction: [f32; 2],
    /// Coefficient of restitution.
    pub restitution: f32,
    /// What it may touch.
    pub layers: Layers,
    /// How its point moves within the substep, in m.
    pub shift: Vec3,
    /// How it turns about that.
    pub turn: Rot,
}

impl HalfSpace {
    /// Height of a point above the surface, from f64 origins, in m.
    pub fn height(&self, origin: DVec3, x: Vec3) -> f32 {
        (self.normal.as_dvec3().dot(origin - self.point) + f64::from(self.normal.dot(x))) as f32
    }

    /// Way of a point of the surface within the substep.
    fn drift(&self, origin: DVec3, x: Vec3) -> Vec3 {
        if self.turn == Rot::IDENTITY {
            return self.shift;
        }
        let from = (origin - self.point).as_vec3() + x;
        self.shift + (self.turn * from - from)
    }

    /// From the centre of particle `j`, turned by `q`, to the lowest point of its ellipsoid.
    ///
    /// ```text
    /// h(n) = √ Σ (r_k n·a_k)²,   arm = −Σ r_k² (n·a_k) a_k / h(n)
    /// ```
    pub fn support(&self, particles: &Particles, j: usize, q: Option<&Rot>) -> Vec3 {
        let radii = Vec3::from(particles.radii[j]);
        if radii.x == radii.y && radii.y == radii.z {
            return -radii.x * self.normal;
        }
        let turned = q.map_or(particles.axes[j], |&q| q * particles.axes[j]);
        let local = turned.inverse() * self.normal;
        let scaled = radii * local;
        let reach = scaled.length();
        if reach > 0.0 { turned * (radii * scaled * (-1.0 / reach)) } else { Vec3::ZERO }
    }
}

/// Contacts of the ellipsoids of one piece of body number `body`, appended to `found`. Other shapes touch a
/// half-space like any obstacle.
pub fn touch_half_spaces(
    [body, piece]: [u32; 2],
    particles: &Particles,
    span: Span,
    origin: DVec3,
    layers: Layers,
    half_spaces: &[HalfSpace],
    h: f32,
    found: &mut Vec<Contact>,
) {
    for j in span.filter(|&j| particles.touched_shape(j).is_none()) {
        let margin = margin(particles.radii[j]);
        for half_space in half_spaces.iter().filter(|h| h.layers.meet(layers)) {
            let n = half_space.normal;
            let centre = half_space.height(origin, particles.position[j]);
            let reach = particles.radii[j].into_iter().fold(0.0, f32::max);
            let drift = half_space.drift(origin, particles.position[j]);
            let speed = (particles.velocity[j] - drift / h).dot(n);
            let approach = (h * speed).min(0.0);
            if centre + approach > reach + margin {
                continue;
            }
            let arm = half_space.support(particles, j, particles.previous_orientation.get(j));
            let gap = centre + arm.dot(n);
            if gap + approach > margin {
                continue;
            }
            let friction =
                [0, 1].map(|k| combine_friction(particles.friction[j][k], half_space.friction[k]));
            let second = Other::Obstacle(half_space.id);
            found.push(Contact {
                key: Key { first: particles.id[j], second, feature: 0 },
                first: Spot { body, piece, anchor: Anchor::new(j as u32, arm) },
                second: None,
                normal: n,
                gap,
                drift,
                approach: -speed,
                friction,
                restitution: combine_friction(particles.restitution[j], half_space.restitution),
                force: 0.0,
                slip_force: Vec3::ZERO,
                sliding: false,
                allowance: 0.0,
                fresh: false,
                doubtful: false,
                size: 0.0,
            });
        }
    }
}

/// Contacts of corners of a surface, given with the distances within which they make contacts though nothing moves, of
/// one piece of body number `body`, appended to `found`.
pub fn touch_half_spaces_by_corners(
    [body, piece]: [u32; 2],
    particles: &Particles,
    corners: &[(u32, f32)],
    two_sided: bool,
    origin: DVec3,
    layers: Layers,
    half_spaces: &[HalfSpace],
    h: f32,
    found: &mut Vec<Contact>,
) {
    for half_space in half_spaces.iter().filter(|h| h.layers.meet(layers)) {
        let normal = half_space.normal;
        for &(corner, margin) in corners {
            let j = corner as usize;
            let offset = if two_sided { particles.radii[j][0] } else { 0.0 };
            let gap = half_space.height(origin, particles.position[j]) - offset;
            let drift = half_space.drift(origin, particles.position[j]);
            let speed = (particles.velocity[j] - drift / h).dot(normal);
            if gap + (h * speed).min(0.0) > margin {
                continue;
            }
            let nowhere = Vec3::ZERO;
            let point = Point { on_a: nowhere, on_b: nowhere, normal, gap, feature: 0 };
            let key =
                Key { first: particles.id[j], second: Other::Obstacle(half_space.id), feature: 0 };
            let friction =
                [0, 1].map(|k| combine_friction(particles.friction[j][k], half_space.friction[k]));
            let first = Spot { body, piece, anchor: Anchor::new(corner, Vec3::ZERO) };
            found.push(Contact {
                drift,
                approach: -speed,
                friction,
                size: margin / MARGIN,
                ..Contact::new(key, first, &point)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Sym3;
    use crate::solids::NewParticle;
    use std::f32::consts::{PI, TAU};

    /// The lowest point of an ellipsoid, against a search over its surface.
    #[test]
    fn support_is_the_lowest_point_of_the_ellipsoid() {
        let axes = Rot::from_axis_angle(Vec3::new(1.0, 2.0, -0.5), 0.7);
        let radii = [0.3, 0.1, 0.2];
        let mut particles = Particles::default();
        particles.push(NewParticle {
            rest: Vec3::ZERO,
            mass: 1.0,
            inertia: Some(Sym3 { xx: 1.0, yy: 1.0, zz: 1.0, ..Sym3::default() }),
            radii,
            axes,
            friction: [0.0; 2],
            restitution: 0.0,
            material: 0,
        });
        particles.orientation[0] = Rot::from_axis_angle(Vec3::Y, 0.4);
        let normal = Vec3::new(0.2, 0.9, -0.3).normalize();
        let id = ObstacleId(0);
        let floor = HalfSpace {
            id,
            point: DVec3::ZERO,
            normal,
            friction: [0.0; 2],
            restitution: 0.0,
            layers: Layers::default(),
            shift: Vec3::ZERO,
            turn: Rot::IDENTITY,
        };
        let turned = particles.orientation[0] * axes;
        let mut lowest = f32::INFINITY;
        for i in 0..400 {
            for k in 0..800 {
                let (u, v) = (i as f32 / 400.0 * PI, k as f32 / 800.0 * TAU);
                let sphere = Vec3::new(u.sin() * v.cos(), u.sin() * v.sin(), u.cos());
                lowest = lowest.min((turned * (sphere * Vec3::from(radii))).dot(normal));
            }
        }
        let found = floor.support(&particles, 0, particles.orientation.first());
        assert!(
            (found.dot(normal) - lowest).abs() < 1e-4,
            "{} against {lowest}",
            found.dot(normal)
        );
        // and it lies on the surface
        let on = (turned.inverse() * found) / Vec3::from(radii);
        assert!((on.length() - 1.0).abs() < 1e-5);
    }
}
