//! How grips carry what they hold, as far as that is a rigid motion: what is as stiff as glass goes where its grips go.

use super::Held;
use crate::math::Rot;
use crate::solids::Particles;
use glam::{DMat3, DVec3, Vec3};

/// Of the squared reach of grips: what is added to their moments.
const LINE: f64 = 1e-6;

/// The rigid motion within a substep that fits the targets of grips best.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Of what is held, at the start, m.
    middle: DVec3,
    shift: DVec3,
    turn: DVec3,
}

impl Carried {
    /// Of what is held in one piece, at least one particle.
    pub fn of(held: &[Held], particles: &Particles) -> Self {
        let start = |target: &Held| particles.previous_place(target.particle as usize);
        let way = |target: &Held| target.position.as_dvec3() - start(target);
        let count = held.len() as f64;
        let middle = held.iter().map(start).sum::<DVec3>() / count;
        let shift = held.iter().map(way).sum::<DVec3>() / count;
        let (mut moment, mut spread, mut most) = (DVec3::ZERO, DMat3::ZERO, 0.0f64);
        for target in held {
            let arm = start(target) - middle;
            moment += arm.cross(way(target));
            spread += DMat3::from_diagonal(DVec3::splat(arm.length_squared()))
                - DMat3::from_cols(arm.x * arm, arm.y * arm, arm.z * arm);
            most = most.max(arm.length_squared());
        }
        // grips along a line do not tell how it turns about that: it does not
        let floor = DMat3::from_diagonal(DVec3::splat(LINE * count * most));
        let turn = if most > 0.0 { (spread + floor).inverse() * moment } else { DVec3::ZERO };
        Self { middle, shift, turn }
    }

    /// Velocity of a point and spin, for substeps of `h`.
    pub fn velocity(&self, point: DVec3, h: f32) -> [Vec3; 2] {
        let way = self.shift + self.turn.cross(point - self.middle);
        [way, self.turn].map(|way| (way / f64::from(h)).as_vec3())
    }

    /// Brings particles of a piece from the start of the substep to its end.
    pub fn carry(&self, particles: &mut Particles, span: std::ops::Range<usize>) {
        let turn = Rot::exp(self.turn.as_vec3()).to_dmat3();
        for j in span {
            let arm = particles.previous_place(j) - self.middle;
            let place = self.middle + self.shift + turn * arm;
            particles.set_place(j, place);
            particles.correction[j] = (place - particles.inertial_place(j)).as_vec3();
        }
    }

    /// Makes the velocities of a piece after the commit those of this motion: how it deforms is no motion of its own.
    pub fn leave_velocities(
        &self,
        particles: &mut Particles,
        span: std::ops::Range<usize>,
        h: f32,
    ) {
        for j in span {
            let [velocity, _] = self.velocity(particles.previous_place(j), h);
            // the commit will add the correction
            particles.velocity[j] = velocity - particles.correction[j] / h;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solids::particles::NewParticle;

    /// Grips that turn and shift what they hold tell that motion, of a line of them all but the turn about it.
    #[test]
    fn grips_tell_how_they_carry() {
        let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5]];
        let mut particles = Particles::default();
        for place in places {
            particles.push(NewParticle {
                rest: Vec3::from_array(place),
                mass: 1.0,
                inertia: None,
                radii: [0.1; 3],
                axes: Rot::IDENTITY,
                friction: [0.0; 2],
                restitution: 0.0,
                material: 0,
            });
            particles.remember_place(particles.len() - 1);
        }
        let (shift, turn) = (Vec3::new(0.1, -0.2, 0.3), Vec3::new(0.002, 0.001, -0.003));
        let target = |particle: u32| {
            let at = Vec3::from_array(places[particle as usize]);
            let position = at + shift + turn.cross(at);
            let (orientation, grip) = (Rot::IDENTITY, 0);
            let (force, torque) = (Vec3::ZERO, Vec3::ZERO);
            Held { particle, grip, position, orientation, force, torque }
        };
        let all: Vec<Held> = (0..4).map(target).collect();
        for held in [&all[..], &all[..1]] {
            let carried = Carried::of(held, &particles);
            let [v, w] = carried.velocity(DVec3::ZERO, 0.5);
            assert!((v - 2.0 * shift).length() < 1e-4, "{v} instead of {}", 2.0 * shift);
            let wanted = if held.len() > 1 { 2.0 * turn } else { Vec3::ZERO };
            assert!((w - wanted).length() < 1e-4, "{w} instead of {wanted}");
        }
    }
}
