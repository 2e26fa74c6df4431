//! Explosions and damage.

use super::World;
use super::command::Command;
use super::error::{CommandError, require};
use super::impulse::change_velocity;
use super::zone::Zone;
use glam::DVec3;

/// An explosion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blast {
    /// Where, in m.
    pub centre: [f64; 3],
    /// How far it reaches, in m; above 0.
    pub radius: f32,
    /// What it gives at most, in J; 0 or above.
    pub energy: f32,
}

impl World {
    /// Explodes at the start of the next step: particles whose centres are within the radius
    /// are pushed straight away from the centre.
    ///
    /// With E the energy, R the radius, d the distance of a particle and ρ the radius of its
    /// cross-section seen from the centre, the energy of the particle grows by
    ///
    /// ```text
    /// e = E s (1 − d/R)² / max(1, Σ s),   s = ½ (1 − d/√(d² + ρ²))
    /// ```
    ///
    /// where s is its share of all directions. Nothing stands in the shade of anything: where
    /// shares overlap so far that they exceed the whole, all are scaled down. A particle that
    /// comes towards the centre is pushed as if it were at rest and takes less. So the energy given
    /// never exceeds E; it is booked as external work.
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`].
    pub fn explode(&mut self, blast: Blast) -> Result<(), CommandError> {
        let Blast { centre, radius, energy } = blast;
        for x in centre {
            require(x.is_finite(), "centre", "finite", x as f32)?;
        }
        require(radius > 0.0 && radius.is_finite(), "radius", "above 0", radius)?;
        require(energy >= 0.0 && energy.is_finite(), "energy", "0 or above", energy)?;
        self.queue.push(Command::Explode(blast));
        Ok(())
    }

    pub(super) fn apply_blast(&mut self, blast: Blast) {
        let mut shares = 0.0;
        self.each_in_blast(blast, |_, hit| {
            shares += hit.share;
            0.0
        });
        let energy = f64::from(blast.energy) / shares.max(1.0);
        self.each_in_blast(blast, |particles, hit| {
            let j = hit.particle;
            let away = particles.velocity[j].as_dvec3().dot(hit.direction).max(0.0);
            // ½ m (v + Δv)² = ½ m v² + e, without the difference of near numbers
            let gain = 2.0 * energy * hit.share * hit.nearness * hit.nearness
                / f64::from(particles.mass[j]);
            let sum = (away * away + gain).sqrt() + away;
            let change = if sum > 0.0 { gain / sum } else { 0.0 };
            change_velocity(particles, j, (change * hit.direction).as_vec3())
        });
    }

    /// Calls `f` with every particle within reach that is not frozen; what it returns is
    /// external work.
    fn each_in_blast(
        &mut self,
        blast: Blast,
        mut f: impl FnMut(&mut crate::solids::Particles, Hit) -> f64,
    ) {
        let reach = f64::from(blast.radius);
        for body in &mut self.bodies {
            for piece in body.pieces.iter().filter(|piece| !piece.frozen) {
                let centre = DVec3::from(blast.centre) - piece.origin;
                for particle in piece.span.clone() {
                    let way = body.particles.position[particle].as_dvec3() - centre;
                    let distance = way.length();
                    // at the very centre no direction is away
                    if distance >= reach || distance == 0.0 {
                        continue;
                    }
                    let direction = way / distance;
                    let area = body.particles.cross_section(particle, direction.as_vec3());
                    let rho2 = area / std::f64::consts::PI;
                    let slant = (distance * distance + rho2).sqrt();
                    // ½ (1 − d/√(d² + ρ²)), without the difference of near numbers
                    let share = 0.5 * rho2 / (slant * (slant + distance));
                    let nearness = 1.0 - distance / reach;
                    let hit = Hit { particle, direction, share, nearness };
                    body.spent.external_work += f(&mut body.particles, hit);
                }
            }
        }
    }
}

/// A particle that an explosion reaches.
struct Hit {
    particle: usize,
    /// Away from the centre.
    direction: DVec3,
    /// s, of all directions.
    share: f64,
    /// 1 − d/R.
    nearness: f64,
}

impl World {
    /// Weakens all particles in a part of space at the start of the next step: the factor on the
    /// strength of their material, 1 for a body as spawned, is multiplied by `factor`.
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`] for a factor outside 0 to 1, or a zone with numbers that are
    /// not finite.
    pub fn damage(&mut self, zone: Zone, factor: f32) -> Result<(), CommandError> {
        zone.check()?;
        require((0.0..=1.0).contains(&factor), "factor", "0 to 1", factor)?;
        self.queue.push(Command::Damage(zone, factor));
        Ok(())
    }

    pub(super) fn apply_damage(&mut self, zone: Zone, factor: f32) {
        for body in &mut self.bodies {
            for piece in &body.pieces {
                for j in piece.span.clone() {
                    let place = piece.origin + body.particles.position[j].as_dvec3();
                    if zone.contains(place.to_array()) {
                        body.particles.strength[j] *= factor;
                    }
                }
            }
        }
    }
}
