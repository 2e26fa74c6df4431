//! Conjugate gradients over one piece, with its contacts.

use super::dofs::{dot, mix};
use super::{Pair, Scratch, Touch};
use crate::contact::Contact;
use crate::parallel::Span;
use crate::solids::{DofsMut, DofsRef, Motion, Particles, Solid, Step};
use glam::{DVec3, Vec3};

/// (M/h² + K + Σ k JᵀJ) of one piece.
pub(super) struct System<'a> {
    pub solid: &'a mut dyn Solid,
    pub particles: &'a Particles,
    pub span: Span,
    pub step: &'a Step,
    pub contacts: &'a [Contact],
    /// The piece's motion if it is free to move as a whole.
    pub rigid_modes: Option<&'a Motion>,
}

/// `count` iterations from 0 on; the residual comes in and the solution goes out in `scratch`.
pub(super) fn iterate(mut system: System<'_>, scratch: &mut Scratch, touches: Span, count: u32) {
    let span = system.span.clone();
    let workers = system.step.workers.clone();
    let Scratch { residual, preconditioned, direction, image, delta, extra, touches: all, .. } =
        scratch;
    let (touches, extra) = (&all[touches], &extra[span.clone()]);
    system.mask(residual.span_mut(span.clone()));
    delta.span_mut(span.clone()).linear.fill(Vec3::ZERO);
    delta.span_mut(span.clone()).angular.fill(Vec3::ZERO);

    let (r, z) = (residual, preconditioned);
    system.precondition(extra, r.span(span.clone()), z.span_mut(span.clone()));
    mix(direction.span_mut(span.clone()), 0.0, 1.0, z.span(span.clone()), &workers);
    let mut rz = dot(r.span(span.clone()), z.span(span.clone()), &workers);
    for _ in 0..count {
        let p = direction.span(span.clone());
        system.product(touches, p, image.span_mut(span.clone()));
        let curvature = dot(p, image.span(span.clone()), &workers);
        // nothing left to do, or a direction that rounding made worthless
        if !(curvature > 0.0 && rz > 0.0) {
            break;
        }
        let alpha = (rz / curvature) as f32;
        mix(delta.span_mut(span.clone()), 1.0, alpha, p, &workers);
        mix(r.span_mut(span.clone()), 1.0, -alpha, image.span(span.clone()), &workers);
        system.precondition(extra, r.span(span.clone()), z.span_mut(span.clone()));
        let next = dot(r.span(span.clone()), z.span(span.clone()), &workers);
        let beta = (next / rz) as f32;
        mix(direction.span_mut(span.clone()), beta, 1.0, z.span(span.clone()), &workers);
        rz = next;
    }
}

impl System<'_> {
    /// Held particles are no unknowns.
    fn mask(&self, v: DofsMut<'_>) {
        if self.rigid_modes.is_some() {
            return;
        }
        for (k, j) in self.span.clone().enumerate() {
            if self.particles.held[j] {
                v.linear[k] = Vec3::ZERO;
                if let Some(angular) = v.angular.get_mut(k) {
                    *angular = Vec3::ZERO;
                }
            }
        }
    }

    fn product(&mut self, touches: &[Touch], p: DofsRef<'_>, mut out: DofsMut<'_>) {
        self.solid.product(self.particles, self.span.clone(), self.step, p, out.reborrow());
        for (contact, touch) in self.contacts.iter().zip(touches) {
            let k = contact.anchor.particle as usize - self.span.start;
            let arm = contact.anchor.arm;
            let turned = p.angular.get(k).map_or(Vec3::ZERO, |w| w.cross(arm));
            let motion = p.linear[k] + turned;
            let along = contact.normal * motion.dot(contact.normal);
            let push = if touch.active { touch.stiffness } else { 0.0 };
            let force = push * along + touch.hold * (motion - along);
            out.linear[k] += force;
            if let Some(torque) = out.angular.get_mut(k) {
                *torque += arm.cross(force);
            }
        }
        self.mask(out);
    }

    /// z = D⁻¹ r + P A_c⁻¹ Pᵀ r with P the six rigid modes, on which K is 0: A_c = Pᵀ M P / h².
    /// Without them a body slides with a fraction of its true acceleration.
    fn precondition(&self, extra: &[f32], r: DofsRef<'_>, mut z: DofsMut<'_>) {
        let (span, step) = (self.span.clone(), self.step);
        self.solid.precondition(self.particles, span.clone(), step, extra, r, z.reborrow());
        let Some(motion) = self.rigid_modes else { return self.mask(z) };

        let sums = step.workers.sum(span.clone(), &|leaf: Span| {
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for j in leaf {
                let k = j - span.start;
                let f = r.linear[k].as_dvec3();
                force += f;
                torque += (self.particles.position[j].as_dvec3() - motion.centre).cross(f);
                torque += r.angular.get(k).map_or(DVec3::ZERO, |t| t.as_dvec3());
            }
            Pair(force, torque)
        });
        let h2 = f64::from(step.h) * f64::from(step.h);
        let shift = (h2 / motion.mass * sums.0).as_vec3();
        let turn = (h2 * (motion.inv_inertia * sums.1)).as_vec3();
        let centre = motion.centre.as_vec3();
        step.workers.for_span(span, z, &|range, z| {
            for (k, j) in range.enumerate() {
                z.linear[k] += shift + turn.cross(self.particles.position[j] - centre);
                if let Some(angular) = z.angular.get_mut(k) {
                    *angular += turn;
                }
            }
        });
    }
}
