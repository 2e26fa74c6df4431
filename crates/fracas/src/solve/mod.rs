//! The one solver of pieces that something touches or holds: contact inside the elastic solve.
//!
//! Augmented Lagrangian rounds, each a few iterations of conjugate gradients on
//! (A + Σ k JᵀJ) δ = r over the piece, with A = M/h² + K from the model:
//!
//! ```text
//! start at x_n + h v_n, held particles at their targets
//! repeat: active = λ − k g > 0;  friction from the force felt in the round before
//!         a few iterations of CG;  f = λ − k g where active;  λ = max(0, f)
//! ```
//!
//! Two rules make a body at rest a fixed point, so that its strain is the static one however few
//! iterations there are: the start is x_n + h v_n and never x*, and forces are kept from substep
//! to substep. A force becomes a multiplier only if the solve has felt it.

mod cg;
mod dofs;

pub use dofs::{Dofs, Pair};

use crate::contact::Contact;
use crate::math::Rot;
use crate::parallel::Span;
use crate::solids::{DofsRef, Motion, Particles, Residual, Solid, Step};
use cg::System;
use glam::Vec3;

/// Rounds per substep: fewer than two are always a substep late with who touches and who slides.
const ROUNDS: u32 = 4;
/// Iterations per round.
const ITERATIONS: u32 = 4;
/// Stiffness of a contact over that of the point it touches. Softer is slower, stiffer (10 and
/// more) makes the set of active contacts flutter.
const STIFFNESS: f32 = 0.3;

/// A held particle and where it has to be at the end of the substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the grip that holds it.
    pub grip: u32,
    /// Position in the piece's frame.
    pub position: Vec3,
    /// Orientation.
    pub orientation: Rot,
    /// Force on the body, in N, after the solve.
    pub force: Vec3,
    /// Torque on the particle, in N m, after the solve.
    pub torque: Vec3,
}

/// What the solve makes of a contact within a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Whether it pushes.
    active: bool,
    /// k, in N/m.
    stiffness: f32,
    /// k_t for a contact that sticks, in N/m.
    slip_stiffness: f32,
    /// k_s: what friction has of it in this round.
    hold: f32,
    /// Friction at no slip, in N.
    base: Vec3,
    /// Force felt by the solve along the normal, in N.
    pub felt: f32,
    /// Friction felt by the solve, in N.
    pub felt_slip: Vec3,
    /// Motion of the point since the start of the substep, in m.
    pub moved: Vec3,
}

/// Room of a body for the solve, never read across steps.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    residual: Dofs,
    preconditioned: Dofs,
    direction: Dofs,
    image: Dofs,
    delta: Dofs,
    /// Motion since the start of the substep.
    moved: Dofs,
    /// Stiffness of contacts, per particle.
    extra: Vec<f32>,
    /// Beside the contacts of the body.
    pub touches: Vec<Touch>,
}

impl Scratch {
    /// Room for a body.
    pub fn new(particle_count: usize, oriented: bool) -> Self {
        let dofs = || Dofs::new(particle_count, oriented);
        Self {
            residual: dofs(),
            preconditioned: dofs(),
            direction: dofs(),
            image: dofs(),
            delta: dofs(),
            moved: dofs(),
            extra: vec![0.0; particle_count],
            touches: Vec::with_capacity(particle_count),
        }
    }

    /// Room for a vector over the body, for use outside the solve.
    pub fn spare(&mut self) -> &mut Dofs {
        &mut self.image
    }
}

/// Solves the substep of one piece that is touched or held. `touches` stands beside `contacts`.
///
/// `motion` is the piece's at the start of the substep, for its rigid modes.
pub fn solve_touched(
    solid: &mut dyn Solid,
    particles: &mut Particles,
    span: Span,
    motion: &Motion,
    contacts: &mut [Contact],
    held: &mut [Held],
    step: &Step,
    scratch: &mut Scratch,
    first_touch: usize,
) -> Residual {
    start(particles, span.clone(), held, step, scratch);
    let touches = first_touch..first_touch + contacts.len();
    for k in 0..contacts.len() {
        scratch.touches[touches.start + k] = prepare(solid, particles, &contacts[k], step);
    }
    for _ in 0..ROUNDS {
        solid.linearise(particles, span.clone(), step);
        solid.gradient(particles, span.clone(), step, scratch.residual.span_mut(span.clone()));
        open_round(contacts, span.clone(), scratch, touches.clone());
        let system = System {
            solid: &mut *solid,
            particles,
            span: span.clone(),
            step,
            contacts,
            rigid_modes: held.is_empty().then_some(motion),
        };
        cg::iterate(system, scratch, touches.clone(), ITERATIONS);
        apply(particles, span.clone(), scratch);
        close_round(contacts, span.clone(), scratch, touches.clone());
    }
    finish(solid, particles, span, contacts, held, step, scratch, touches)
}

/// x_n + h v_n = x* − h² a, and targets for what is held.
fn start(particles: &mut Particles, span: Span, held: &[Held], step: &Step, scratch: &mut Scratch) {
    let h2 = step.h * step.h;
    let moved = scratch.moved.span_mut(span.clone());
    for (k, j) in span.clone().enumerate() {
        particles.correction[j] = -h2 * particles.acceleration[j];
        particles.position[j] = particles.inertial[j] + particles.correction[j];
        moved.linear[k] = particles.position[j] - particles.previous[j];
        if particles.oriented() {
            let back = Rot::exp(-h2 * particles.spin_acceleration[j]);
            particles.orientation[j] = (back * particles.inertial_orientation[j]).normalized();
            let turned = particles.orientation[j] * particles.previous_orientation[j].inverse();
            moved.angular[k] = turned.log();
        }
    }
    for target in held {
        let j = target.particle as usize;
        particles.position[j] = target.position;
        particles.correction[j] = target.position - particles.inertial[j];
        moved.linear[j - span.start] = target.position - particles.previous[j];
        if particles.oriented() {
            particles.orientation[j] = target.orientation;
            let turned = target.orientation * particles.previous_orientation[j].inverse();
            moved.angular[j - span.start] = turned.log();
        }
    }
}

/// Stiffness of a contact from that of the point it touches: k = κ / (nᵀ D⁻¹ n).
fn prepare(solid: &dyn Solid, particles: &Particles, contact: &Contact, step: &Step) -> Touch {
    let across = contact.normal.any_orthonormal_vector();
    let compliance = |n| solid.compliance(particles, &contact.anchor, n, step);
    Touch {
        stiffness: STIFFNESS / compliance(contact.normal),
        slip_stiffness: STIFFNESS / compliance(across),
        felt: contact.force,
        felt_slip: contact.slip_force,
        ..Touch::default()
    }
}

/// Motion of the contact's point since the start of the substep.
fn point_motion(moved: DofsRef<'_>, contact: &Contact, start: usize) -> Vec3 {
    let k = contact.anchor.particle as usize - start;
    let turned = moved.angular.get(k).map_or(Vec3::ZERO, |w| w.cross(contact.anchor.arm));
    moved.linear[k] + turned
}

/// Decides who pushes and who slides, and adds their forces to the residual.
///
/// ```text
/// cap = μ · (force felt in the round before);   f_t = λ_t − k_t s
/// stick |f_t| ≤ cap:  k_s = k_t,              base = λ_t
/// slide            :  k_s = min(k_t, cap/|s|), base = clamp(f_t, cap) + k_s s
/// ```
///
/// The sliding branch is the affine secant through (s, clamp(f_t)): continuous, symmetric.
fn open_round(contacts: &mut [Contact], span: Span, scratch: &mut Scratch, touches: Span) {
    let Scratch { moved, residual, extra, touches: all, .. } = scratch;
    extra[span.clone()].fill(0.0);
    let moved = moved.span(span.clone());
    let residual = residual.span_mut(span.clone());
    for (contact, touch) in contacts.iter_mut().zip(&mut all[touches]) {
        let n = contact.normal;
        let motion = point_motion(moved, contact, span.start);
        let pushed = contact.force - touch.stiffness * (contact.gap + motion.dot(n));
        touch.active = pushed > 0.0;

        let slip = motion - n * motion.dot(n);
        let wanted = contact.slip_force - touch.slip_stiffness * slip;
        let [slide, stick] = contact.friction;
        let felt = touch.felt.max(0.0);
        // a contact that stuck lets go at the static limit, one that slides holds below the other
        let cap = if contact.sliding { slide } else { stick } * felt;
        // nothing presses: nothing rubs
        contact.sliding = wanted.length() > cap || felt == 0.0;
        (touch.hold, touch.base) = if contact.sliding {
            let cap = slide * felt;
            let secant = if cap == 0.0 { 0.0 } else { cap / slip.length() };
            let hold = touch.slip_stiffness.min(secant);
            (hold, wanted.clamp_length_max(cap) + hold * slip)
        } else {
            (touch.slip_stiffness, contact.slip_force)
        };

        let normal_force = if touch.active { pushed } else { 0.0 };
        let force = normal_force * n + touch.base - touch.hold * slip;
        let k = contact.anchor.particle as usize - span.start;
        residual.linear[k] += force;
        if let Some(torque) = residual.angular.get_mut(k) {
            *torque += contact.anchor.arm.cross(force);
        }
        let pushing = if touch.active { touch.stiffness } else { 0.0 };
        extra[contact.anchor.particle as usize] += pushing + touch.hold;
    }
}

/// Moves the particles by what the iterations found.
fn apply(particles: &mut Particles, span: Span, scratch: &mut Scratch) {
    let delta = scratch.delta.span(span.clone());
    let moved = scratch.moved.span_mut(span.clone());
    for (k, j) in span.enumerate() {
        let d = delta.linear[k];
        particles.position[j] += d;
        particles.correction[j] += d;
        moved.linear[k] += d;
        if let Some(&w) = delta.angular.get(k) {
            particles.orientation[j] = (Rot::exp(w) * particles.orientation[j]).normalized();
            moved.angular[k] += w;
        }
    }
}

/// Forces felt, and multipliers from them.
fn close_round(contacts: &mut [Contact], span: Span, scratch: &mut Scratch, touches: Span) {
    let moved = scratch.moved.span(span.clone());
    for (contact, touch) in contacts.iter_mut().zip(&mut scratch.touches[touches]) {
        let n = contact.normal;
        touch.moved = point_motion(moved, contact, span.start);
        let gap = contact.gap + touch.moved.dot(n);
        touch.felt = if touch.active { contact.force - touch.stiffness * gap } else { 0.0 };
        let slip = touch.moved - n * touch.moved.dot(n);
        touch.felt_slip = touch.base - touch.hold * slip;
        contact.force = touch.felt.max(0.0);
        let limit = contact.friction[usize::from(!contact.sliding)] * contact.force;
        contact.slip_force = touch.felt_slip.clamp_length_max(limit);
    }
}

/// What is left unbalanced at the end: the reaction where it is held, a residual elsewhere.
fn finish(
    solid: &mut dyn Solid,
    particles: &Particles,
    span: Span,
    contacts: &[Contact],
    held: &mut [Held],
    step: &Step,
    scratch: &mut Scratch,
    touches: Span,
) -> Residual {
    solid.linearise(particles, span.clone(), step);
    let Scratch { residual, touches: all, .. } = scratch;
    solid.gradient(particles, span.clone(), step, residual.span_mut(span.clone()));
    let residual = residual.span_mut(span.clone());
    let mut scale = 0.0;
    for (contact, touch) in contacts.iter().zip(&all[touches]) {
        let force = touch.felt * contact.normal + touch.felt_slip;
        scale += f64::from(force.length_squared());
        let k = contact.anchor.particle as usize - span.start;
        residual.linear[k] += force;
        if let Some(torque) = residual.angular.get_mut(k) {
            *torque += contact.anchor.arm.cross(force);
        }
    }
    for target in held {
        let k = target.particle as usize - span.start;
        target.force = -std::mem::take(&mut residual.linear[k]);
        target.torque = residual.angular.get_mut(k).map_or(Vec3::ZERO, |t| -std::mem::take(t));
        scale += f64::from(target.force.length_squared());
    }
    let mut left = 0.0;
    for (k, j) in span.enumerate() {
        let weight = particles.mass[j] * particles.acceleration[j];
        scale += f64::from(weight.length_squared());
        left += f64::from(residual.linear[k].length_squared());
    }
    let relative = if scale > 0.0 { (left / scale).sqrt() as f32 } else { 0.0 };
    Residual { relative }
}
