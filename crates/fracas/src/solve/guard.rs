//! The last net: a solve that has made energy, a hundredth of what its island has or more, is not believed.
//!
//! Backward Euler with contact takes energy, never gives it. Few iterations may make some, of what is crushed flat by a weight of ten
//! thousand times its own without end. Then a part of the step is taken back:
//!
//! ```text
//! v(s) = v* + s (x − x*)/h,   ½ Σ m v(s)² ≤ ½ Σ m v*² + Ψ_n + W
//! ```
//!
//! with Ψ_n stored at the start of the substep and W the work of grips, springs and moving obstacles. Forces of contacts shrink alike, so
//! momentum stays what it was.

use super::links::Link;
use super::{Part, Scratch, Side, Touch};
use crate::contact::Contact;
use crate::math::Rot;
use crate::solids::motion::carry_rigidly;
use crate::solids::{Particles, Residual, Step};

/// Energy that a solve may make, of what the island has. Less than that comes from iterations that were stopped early, and goes again;
/// taking back every thousandth took the rebound of a shot with it.
const TOLERANCE: f64 = 1e-2;

/// Energy of what is pushed out of an overlap by 0.2 m/s, in J/kg.
const PUSHED_OUT: f64 = 0.02;

/// Kinetic energy as it would be after this share of the step: E₀ + b s + c s², in J.
#[derive(Clone, Copy, Debug, Default)]
struct Kinetic {
    start: f64,
    slope: f64,
    square: f64,
}

impl Kinetic {
    fn add(&mut self, particles: &Particles, part: &Part, h: f32) {
        for j in part.span.clone() {
            let mass = f64::from(particles.mass[j]);
            let v = particles.velocity[j].as_dvec3();
            let dv = particles.correction[j].as_dvec3() / f64::from(h);
            self.start += 0.5 * mass * v.length_squared();
            self.slope += mass * v.dot(dv);
            self.square += 0.5 * mass * dv.length_squared();
            if particles.oriented() {
                let back = particles.inertial_orientation[j].inverse();
                let dw = (particles.orientation[j] * back).log() / h;
                let (w, momentum) = (particles.spin[j], particles.inertia_times(j, dw));
                self.start += 0.5 * f64::from(w.dot(particles.inertia_times(j, w)));
                self.slope += f64::from(w.dot(momentum));
                self.square += 0.5 * f64::from(dw.dot(momentum));
            }
        }
    }

    /// What the whole step adds.
    fn gain(&self) -> f64 {
        self.slope + self.square
    }

    /// The largest share of the step, at most 1, that adds no more than this.
    fn share(&self, allowed: f64) -> f64 {
        if self.gain() <= allowed {
            return 1.0;
        }
        // b s + c s² = allowed, by the root that does not cancel
        let root = (self.slope * self.slope + 4.0 * self.square * allowed).max(0.0).sqrt();
        let share = if self.slope > 0.0 {
            2.0 * allowed / (self.slope + root)
        } else {
            (root - self.slope) / (2.0 * self.square)
        };
        share.clamp(0.0, 1.0)
    }
}

/// Takes back what the solve of an island has made of nothing.
pub(super) fn take_back<S: Side>(
    sides: &mut [S],
    parts: &mut [Part],
    contacts: &mut [Contact],
    touches: &mut [Touch],
    links: &mut [Link],
    step: &Step,
    scratch: &mut Scratch,
) {
    let mut kinetic = Kinetic::default();
    for part in parts.iter() {
        kinetic.add(sides[part.side].particles(), part, step.h);
    }
    // most substeps end here: without elasticity of its own nothing gains speed
    if kinetic.gain() <= TOLERANCE * kinetic.start {
        return;
    }
    let mut work = 0.0;
    for (contact, touch) in contacts.iter().zip(&*touches) {
        let force = touch.felt * contact.normal + touch.felt_slip;
        work += f64::from(force.dot(contact.drift));
    }
    for link in links.iter() {
        // springs between bodies may have been stretched
        work += f64::from(link.force.length_squared() / link.stiffness.max(f32::MIN_POSITIVE));
    }
    for pulled in &scratch.springs {
        work += f64::from(pulled.force.dot(pulled.moved));
    }
    let (mut before, mut after) = (0.0, 0.0);
    for part in parts.iter() {
        work += work_of_grips(&sides[part.side], part);
        let [at_end, at_start] = stored(&mut sides[part.side], part, step, scratch);
        after += at_end;
        before += at_start;
    }
    // what overlaps is pushed out, from rest as well
    let mass: f64 = parts.iter().map(|part| part.motion.mass).sum();
    let allowed = (before + work.max(0.0)).max(PUSHED_OUT * mass - kinetic.start);
    let made = kinetic.gain() + after - allowed;
    if made <= TOLERANCE * (kinetic.start + allowed) {
        return;
    }
    // what is stored at the end counts too; where that alone is too much, nothing of the solve can be believed
    let share = if after <= allowed { kinetic.share(allowed - after) } else { 0.0 } as f32;
    for part in parts.iter_mut() {
        let held = part.held.clone();
        let alone = share == 0.0 && !held.is_empty() && sides[part.side].solid().solves_held();
        if !alone || !solved_alone(&mut sides[part.side], part, step, scratch) {
            let (_, particles, held) = sides[part.side].all_mut();
            scale(particles, part, share, step.h);
            for target in &mut held[part.held.clone()] {
                target.force *= share;
                target.torque *= share;
            }
        }
        part.residual = Residual { relative: f32::MAX, force: f32::MAX, ..part.residual };
    }
    for (contact, touch) in contacts.iter_mut().zip(touches) {
        touch.felt *= share;
        touch.felt_slip *= share;
        contact.force *= share;
        contact.slip_force *= share;
    }
    for link in links {
        link.force *= share;
    }
    for pulled in &mut scratch.springs {
        pulled.force *= share;
    }
}

/// What the grips of a part have done in the substep, in J.
fn work_of_grips<S: Side>(side: &S, part: &Part) -> f64 {
    let particles = side.particles();
    let mut work = 0.0;
    for target in &side.held()[part.held.clone()] {
        let j = target.particle as usize;
        work += f64::from(target.force.dot(target.position - particles.previous[j]));
        if particles.oriented() {
            let turned = target.orientation * particles.previous_orientation[j].inverse();
            work += f64::from(target.torque.dot(turned.log()));
        }
    }
    work
}

/// What a part stores at the end of the substep and at its start, in J.
fn stored<S: Side>(side: &mut S, part: &Part, step: &Step, scratch: &mut Scratch) -> [f64; 2] {
    let (solid, particles, _) = side.all_mut();
    let (span, oriented) = (part.span.clone(), particles.oriented());
    let mut audit = |particles: &Particles| {
        let room = scratch.image.span_mut(part.places(), oriented);
        solid.audit(particles, span.clone(), step, room)
    };
    let after = audit(particles);
    at_start(particles);
    let before = audit(particles);
    at_start(particles);
    [after, before]
}

/// Solves a part that grips hold without what touches it: left where it is, it would be stretched farther by them in every substep. Whether
/// that makes no energy either.
fn solved_alone<S: Side>(side: &mut S, part: &Part, step: &Step, scratch: &mut Scratch) -> bool {
    let (solid, particles, held) = side.all_mut();
    solid.solve_alone(particles, part.span.clone(), &mut held[part.held.clone()], step);
    let mut kinetic = Kinetic::default();
    kinetic.add(side.particles(), part, step.h);
    let work = work_of_grips(side, part);
    let [after, before] = stored(side, part, step, scratch);
    kinetic.gain() + after <= before + work.max(0.0) + TOLERANCE * kinetic.start
}

/// Exchanges where the particles of a body are for where they were at the start of the substep.
fn at_start(particles: &mut Particles) {
    std::mem::swap(&mut particles.position, &mut particles.previous);
    std::mem::swap(&mut particles.remainder, &mut particles.previous_remainder);
    std::mem::swap(&mut particles.orientation, &mut particles.previous_orientation);
}

/// Brings a part to a share of its step. Where nothing of it is left, it moves on as it was at the start of the substep: freely, what is
/// deformed beyond measure would only be torn farther apart.
fn scale(particles: &mut Particles, part: &Part, share: f32, h: f32) {
    if share == 0.0 && part.held.is_empty() {
        carry_rigidly(particles, part.span.clone(), &part.motion, h);
        return;
    }
    for j in part.span.clone() {
        if particles.held[j] {
            continue;
        }
        particles.correction[j] *= share;
        particles.set_place(j, particles.inertial_place(j) + particles.correction[j].as_dvec3());
        if particles.oriented() {
            let start = particles.inertial_orientation[j];
            let turn = (particles.orientation[j] * start.inverse()).log();
            particles.orientation[j] = (Rot::exp(share * turn) * start).normalized();
        }
    }
}
