//! A blow: an impulse at a point of a body.

use super::body::Body;
use super::command::{Command, find_mut};
use super::error::{CommandError, require};
use super::ids::BodyId;
use super::{Piece, World};
use crate::solids::Particles;
use glam::{DMat3, DVec3, Vec3};

impl World {
    /// Gives a body an impulse, in N s, at a point of the world, at the start of the next step.
    ///
    /// The particle whose ellipsoid's largest sphere is nearest to the point takes it together
    /// with those bonded to it, as if they were one rigid body: momentum grows by the impulse, and
    /// angular momentum about any place by arm × impulse. (Particles that cannot turn and stand on
    /// one line cannot be turned about it; that part of the angular momentum is left out.) The
    /// energy it brings is external work.
    ///
    /// # Errors
    /// [`CommandError::NoBody`]; [`CommandError::OutOfRange`] if a number is not finite;
    /// [`CommandError::TooFar`] if every particle is farther away than its largest radius.
    pub fn impulse(
        &mut self,
        body: BodyId,
        point: [f64; 3],
        impulse: [f32; 3],
    ) -> Result<(), CommandError> {
        for x in point {
            require(x.is_finite(), "point", "finite", x as f32)?;
        }
        for p in impulse {
            require(p.is_finite(), "impulse", "finite", p)?;
        }
        let struck = self.find(body)?.struck_at(DVec3::from(point));
        if struck.distance > struck.allowed {
            let Struck { distance, allowed, .. } = struck;
            return Err(CommandError::TooFar { body, point, distance, allowed });
        }
        self.queue.push(Command::Impulse(body, point, impulse));
        Ok(())
    }

    pub(super) fn apply_impulse(&mut self, id: BodyId, point: [f64; 3], impulse: [f32; 3]) {
        let Some(body) = find_mut(&mut self.bodies, id) else { return };
        let point = DVec3::from(point);
        let struck = body.struck_at(point);
        if struck.distance <= struck.allowed {
            body.strike(struck.particle, point, Vec3::from(impulse).as_dvec3());
        }
    }
}

/// The particle that a point lies at.
struct Struck {
    particle: usize,
    /// From the sphere around its ellipsoid to the point, in m; negative inside.
    distance: f64,
    /// The largest distance that still counts, in m.
    allowed: f64,
}

impl Body {
    /// The particle nearest to a point, by the sphere around its ellipsoid; the first of equals.
    fn struck_at(&self, point: DVec3) -> Struck {
        let mut nearest = Struck { particle: 0, distance: f64::INFINITY, allowed: 0.0 };
        for piece in &self.pieces {
            let point = point - piece.origin;
            for j in piece.span.clone() {
                let radius = f64::from(self.particles.radii[j].into_iter().fold(0.0, f32::max));
                let distance = point.distance(self.particles.position[j].as_dvec3()) - radius;
                if distance < nearest.distance {
                    nearest = Struck { particle: j, distance, allowed: radius };
                }
            }
        }
        nearest
    }

    /// Particle `j` and those bonded to it change their velocities as one rigid body does:
    ///
    /// ```text
    /// Δv_i = p/M + Δw × (x_i − c),   Δw_i = Δw = H⁻¹ ((point − c) × p)
    /// ```
    fn strike(&mut self, j: usize, point: DVec3, impulse: DVec3) {
        let Self { particles, pieces, model, spent, .. } = self;
        let piece: &Piece = &pieces[pieces.partition_point(|piece| piece.span.end <= j)];
        if piece.frozen {
            return;
        }
        let bonded = model.solid().neighbours(j).iter().map(|&i| i as usize);
        let members = std::iter::once(j).chain(bonded);
        let place = |particles: &Particles, i: usize| particles.position[i].as_dvec3();

        let (mut mass, mut first) = (0.0, DVec3::ZERO);
        for i in members.clone() {
            let m = f64::from(particles.mass[i]);
            mass += m;
            first += m * place(particles, i);
        }
        let centre = first / mass;
        let (mut inertia, mut longest) = (DMat3::ZERO, DVec3::ZERO);
        for i in members.clone() {
            let r = place(particles, i) - centre;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            let arm2 = DMat3::from_diagonal(DVec3::splat(r.length_squared()));
            inertia += f64::from(particles.mass[i]) * (arm2 - outer);
            if particles.oriented() {
                let own = particles.inertia[i].conjugate(particles.orientation[i]);
                inertia += own.to_mat3().as_dmat3();
            }
            if r.length_squared() > longest.length_squared() {
                longest = r;
            }
        }
        let turn = turn_by(inertia, longest, (point - piece.origin - centre).cross(impulse));
        let shift = impulse / mass;
        for i in members {
            let change = (shift + turn.cross(place(particles, i) - centre)).as_vec3();
            spent.external_work += change_velocity(particles, i, change);
            if particles.oriented() {
                let before = particles.spin[i];
                particles.spin[i] += turn.as_vec3();
                let twice = particles.spin[i].dot(particles.inertia_times(i, particles.spin[i]))
                    - before.dot(particles.inertia_times(i, before));
                spent.external_work += 0.5 * f64::from(twice);
            }
        }
    }
}

/// Change of spin of a rigid body by an angular impulse. What stands on a line, along `longest`,
/// does not turn about it.
fn turn_by(inertia: DMat3, longest: DVec3, angular: DVec3) -> DVec3 {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if inertia.determinant() > 1e-9 * trace * trace * trace {
        inertia.inverse() * angular
    } else if trace > 0.0 {
        // H = ½ tr H (I − a aᵀ)
        2.0 / trace * angular.reject_from(longest)
    } else {
        DVec3::ZERO
    }
}

/// Changes the velocity of a particle; returns by how much its kinetic energy grows, in J.
pub(super) fn change_velocity(particles: &mut Particles, j: usize, change: Vec3) -> f64 {
    let before = particles.velocity[j].as_dvec3();
    particles.velocity[j] += change;
    let after = particles.velocity[j].as_dvec3();
    0.5 * f64::from(particles.mass[j]) * (after.length_squared() - before.length_squared())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two points of 1 kg at ±x: about y and z they turn by L/(2 x²), about x not at all.
    #[test]
    fn points_on_a_line_turn_across_it() {
        let x = 0.5;
        let inertia = DMat3::from_diagonal(DVec3::new(0.0, 2.0 * x * x, 2.0 * x * x));
        let turn = turn_by(inertia, DVec3::new(-x, 0.0, 0.0), DVec3::new(7.0, 1.0, -2.0));
        assert_eq!(turn, DVec3::new(0.0, 2.0, -4.0));
        assert_eq!(turn_by(DMat3::ZERO, DVec3::ZERO, DVec3::ONE), DVec3::ZERO);
    }
}
