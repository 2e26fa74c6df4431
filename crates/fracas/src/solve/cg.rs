//! Conjugate gradients over one island, with its contacts.

use super::dofs::{Dofs, dot, mix};
use super::links::{self, Link};
use super::{Pair, Part, Scratch, Side, Touch, add_force, relative_motion};
use crate::contact::Contact;
use crate::parallel::Span;
use crate::solids::Step;
use glam::{DVec3, Vec3};

/// (M/h² + K + Σ k JᵀJ) of one island.
pub(super) struct System<'a, S> {
    pub sides: &'a mut [S],
    pub parts: &'a [Part],
    pub step: &'a Step,
    pub contacts: &'a [Contact],
    pub touches: &'a [Touch],
    pub links: &'a [Link],
}

/// `count` iterations from 0 on; the residual comes in and the solution goes out in `scratch`.
pub(super) fn iterate<S: Side>(mut system: System<'_, S>, scratch: &mut Scratch, count: u32) {
    let workers = system.step.workers.clone();
    let Scratch { residual: r, preconditioned: z, direction, image, delta, extra, .. } = scratch;
    system.mask(r);
    delta.linear.fill(Vec3::ZERO);
    delta.angular.fill(Vec3::ZERO);

    system.precondition(extra, r, z);
    mix(direction.all_mut(), 0.0, 1.0, z.all(), &workers);
    let mut rz = dot(r.all(), z.all(), &workers);
    for _ in 0..count {
        system.product(direction, image);
        let curvature = dot(direction.all(), image.all(), &workers);
        // nothing left to do, or a direction that rounding made worthless
        if !(curvature > 0.0 && rz > 0.0) {
            break;
        }
        let alpha = (rz / curvature) as f32;
        mix(delta.all_mut(), 1.0, alpha, direction.all(), &workers);
        mix(r.all_mut(), 1.0, -alpha, image.all(), &workers);
        system.precondition(extra, r, z);
        let next = dot(r.all(), z.all(), &workers);
        let beta = (next / rz) as f32;
        mix(direction.all_mut(), beta, 1.0, z.all(), &workers);
        rz = next;
    }
}

impl<S: Side> System<'_, S> {
    /// Held particles are no unknowns.
    fn mask(&self, v: &mut Dofs) {
        for part in self.parts {
            for target in &self.sides[part.side].held()[part.held.clone()] {
                let k = part.place(target.particle);
                v.linear[k] = Vec3::ZERO;
                v.angular[k] = Vec3::ZERO;
            }
        }
    }

    fn product(&mut self, p: &Dofs, out: &mut Dofs) {
        for part in self.parts {
            let (solid, particles, _) = self.sides[part.side].all_mut();
            let (places, oriented) = (part.places(), particles.oriented());
            let image = out.span_mut(places.clone(), oriented);
            solid.product(particles, part.span.clone(), self.step, p.span(places, oriented), image);
        }
        for (contact, touch) in self.contacts.iter().zip(self.touches) {
            let motion = relative_motion(p.all(), contact, touch);
            let along = contact.normal * motion.dot(contact.normal);
            let push = if touch.active { touch.stiffness } else { 0.0 };
            add_force(out, contact, touch, push * along + touch.hold * (motion - along));
        }
        links::add_product(self.links, p, out);
        self.mask(out);
    }

    /// z = D⁻¹ r + P A_c⁻¹ Pᵀ r with P the six rigid modes of each piece, on which K is 0:
    /// A_c = Pᵀ M P / h². Without them a body slides with a fraction of its true acceleration.
    fn precondition(&self, extra: &[f32], r: &Dofs, z: &mut Dofs) {
        for part in self.parts {
            let side = &self.sides[part.side];
            let (solid, particles) = (side.solid(), side.particles());
            let (places, oriented) = (part.places(), particles.oriented());
            solid.precondition(
                particles,
                part.span.clone(),
                self.step,
                &extra[places.clone()],
                r.span(places.clone(), oriented),
                z.span_mut(places, oriented),
            );
            // what is held does not move as a whole
            if part.held.is_empty() {
                self.add_rigid_modes(part, r, z);
            }
        }
        self.mask(z);
    }

    fn add_rigid_modes(&self, part: &Part, r: &Dofs, z: &mut Dofs) {
        let (step, motion) = (self.step, &part.motion);
        let particles = self.sides[part.side].particles();
        let oriented = particles.oriented();
        let r = r.span(part.places(), oriented);
        let sums = step.workers.sum(part.span.clone(), &|leaf: Span| {
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for j in leaf {
                let k = j - part.span.start;
                let f = r.linear[k].as_dvec3();
                force += f;
                torque += (particles.position[j].as_dvec3() - motion.centre).cross(f);
                torque += r.angular.get(k).map_or(DVec3::ZERO, |t| t.as_dvec3());
            }
            Pair(force, torque)
        });
        let h2 = f64::from(step.h) * f64::from(step.h);
        let shift = (h2 / motion.mass * sums.0).as_vec3();
        let turn = (h2 * (motion.inv_inertia * sums.1)).as_vec3();
        let centre = motion.centre.as_vec3();
        let z = z.span_mut(part.places(), oriented);
        step.workers.for_span(part.span.clone(), z, &|range, z| {
            for (k, j) in range.enumerate() {
                z.linear[k] += shift + turn.cross(particles.position[j] - centre);
                if let Some(angular) = z.angular.get_mut(k) {
                    *angular += turn;
                }
            }
        });
    }
}
