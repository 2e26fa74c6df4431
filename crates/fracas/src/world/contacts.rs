//! Who has pushed whom in the last substep.

use super::body::Body;
use super::ids::{BodyId, ParticleId};
use super::{HitTarget, World};
use crate::contact::{Other, Spot};
use glam::{DVec3, Vec3};

/// A place where two have pushed each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The one that the normal points to; never an obstacle.
    pub first: HitTarget,
    /// The other.
    pub second: HitTarget,
    /// Where, in m.
    pub position: [f64; 3],
    /// From the second to the first, unit length.
    pub normal: [f32; 3],
    /// Pressure and friction on the first, in N; the second feels the opposite.
    pub force: [f32; 3],
    /// Whether it slid.
    pub sliding: bool,
}

impl ContactPoint {
    /// The bodies of the two; an obstacle is none.
    pub fn bodies(&self) -> [Option<BodyId>; 2] {
        [self.first, self.second].map(|target| match target {
            HitTarget::Body { body, .. } => Some(body),
            HitTarget::Obstacle(_) => None,
        })
    }
}

impl World {
    /// Every contact that carried force in the last substep, in a fixed order. None before the first step
    /// and right after loading, and none of what sleeps.
    pub fn contacts(&self) -> impl Iterator<Item = ContactPoint> {
        let touching = &self.touching;
        touching.contacts.iter().zip(&touching.touches).filter_map(|(contact, touch)| {
            let force = touch.felt * contact.normal + touch.felt_slip;
            if force == Vec3::ZERO {
                return None;
            }
            let (first, at) = self.found(contact.first, contact.key.first)?;
            let second = match (contact.key.second, contact.second) {
                (Other::Particle(particle), Some(spot)) => self.found(spot, particle)?.0,
                (Other::Surface(body), Some(spot)) => {
                    let body = self.body(body)?;
                    let corner = body.particles.id.get(spot.anchor.particle as usize)?;
                    self.found(spot, *corner)?.0
                }
                (Other::Obstacle(id), _) => HitTarget::Obstacle(id),
                (Other::Particle(_) | Other::Surface(_), None) => return None,
            };
            Some(ContactPoint {
                first,
                second,
                position: (at + contact.first.anchor.arm.as_dvec3()).to_array(),
                normal: contact.normal.to_array(),
                force: force.to_array(),
                sliding: contact.sliding,
            })
        })
    }

    /// Sum of the contact forces on a body in the last substep, in N; `None` if there is no such body.
    /// What its pieces do to each other adds up to nothing.
    pub fn force_on(&self, body: BodyId) -> Option<[f64; 3]> {
        self.body(body)?;
        let mut sum = DVec3::ZERO;
        for contact in self.contacts() {
            let force = Vec3::from(contact.force).as_dvec3();
            let [first, second] = contact.bodies().map(|id| id == Some(body));
            sum += if first { force } else { DVec3::ZERO };
            sum -= if second { force } else { DVec3::ZERO };
        }
        Some(sum.to_array())
    }

    /// A particle of a contact, and where its centre is. Splits since have put columns in another
    /// order, and bodies may be gone.
    fn found(&self, spot: Spot, particle: ParticleId) -> Option<(HitTarget, DVec3)> {
        let holds = |body: &&Body| body.particles.id.contains(&particle);
        let noted = self.bodies.get(spot.body as usize);
        let at = spot.anchor.particle as usize;
        let (body, j) = match noted.filter(|body| body.particles.id.get(at) == Some(&particle)) {
            Some(body) => (body, at),
            None => {
                let body = self.bodies.iter().find(holds)?;
                (body, body.particles.id.iter().position(|id| *id == particle)?)
            }
        };
        let piece = &body.pieces[body.piece_of(j as u32) as usize];
        let target = HitTarget::Body { body: body.id, piece: piece.id, particle };
        Some((target, piece.origin + body.particles.position[j].as_dvec3()))
    }
}
