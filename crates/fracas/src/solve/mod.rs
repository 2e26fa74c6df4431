//! The one solver of everything that something touches or holds: contact inside the elastic solve.
//!
//! Pieces that touch each other, directly or through others, are an island and are solved
//! together. Augmented Lagrangian rounds, each a few iterations of conjugate gradients on
//! (A + Σ k JᵀJ) δ = r over the island, with A = M/h² + K from the models of its pieces:
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
pub mod links;
mod rigid;

pub use dofs::{Dofs, Pair};
pub use rigid::{Room as RigidRoom, is_rigid, solve_rigid_island};

use crate::contact::{Contact, Spot};
use crate::math::Rot;
use crate::parallel::Span;
use crate::solids::{DofsRef, Motion, Particles, Residual, Solid, Step};
use cg::System;
use glam::Vec3;
use links::Link;

/// Rounds per substep: fewer than two are always a substep late with who touches and who slides.
const ROUNDS: u32 = 4;
/// Iterations per round.
const ITERATIONS: u32 = 4;
/// Stiffness of a contact over that of the points it touches. Softer is slower, stiffer (10 and
/// more) makes the set of active contacts flutter.
const STIFFNESS: f32 = 0.3;
/// The same for pieces of one particle: these have no stiffness of their own, only mass, so that a
/// contact must do what their surroundings do elsewhere. Softer, a shot goes through a wall.
const RIGID_STIFFNESS: f32 = 10.0;

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
    /// Unknowns of the two points, as places in the island; the second of an obstacle is none.
    places: [Option<u32>; 2],
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
    /// Motion of the first point relative to the second since the start of the substep, in m.
    pub moved: Vec3,
}

/// A body that has pieces in an island: what the solve needs of it.
pub trait Side {
    /// Its model.
    fn solid(&self) -> &dyn Solid;
    /// Its particles.
    fn particles(&self) -> &Particles;
    /// Its held particles, in the order of their index.
    fn held(&self) -> &[Held];
    /// All three, to change.
    fn all_mut(&mut self) -> (&mut dyn Solid, &mut Particles, &mut [Held]);
}

/// A piece in an island.
#[derive(Clone, Debug)]
pub struct Part {
    /// Index of its body among the sides.
    pub side: usize,
    /// Its particles.
    pub span: Span,
    /// Those of them that are held, among the held of the side.
    pub held: Span,
    /// Where its unknowns begin in the island.
    pub first: usize,
    /// Its motion at the start of the substep, for its rigid modes.
    pub motion: Motion,
    /// How its solve ended.
    pub residual: Residual,
    /// Names of its cluster and island, which those that hang together share.
    pub group: [u32; 2],
}

impl Part {
    fn place(&self, particle: u32) -> usize {
        self.first + particle as usize - self.span.start
    }

    /// Its unknowns.
    fn places(&self) -> Span {
        self.first..self.first + self.span.len()
    }
}

/// Room for the solve of an island, never read across steps.
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
    /// For islands of rigid bodies.
    pub rigid: rigid::Room,
}

impl Scratch {
    /// Room for an island of so many particles.
    pub fn reserve(&mut self, count: usize) {
        if self.extra.len() < count {
            self.resize(count);
            self.rigid.reserve(count);
        }
    }

    fn resize(&mut self, count: usize) {
        let Self { residual, preconditioned, direction, image, delta, moved, extra, .. } = self;
        for dofs in [residual, preconditioned, direction, image, delta, moved] {
            dofs.resize(count);
        }
        extra.resize(count, 0.0);
    }
}

/// Solves the substep of an island. `touches` stands beside `contacts`, whose spots name bodies by
/// their index among the sides, as those of `links` do; parts come in the order of their sides and spans.
pub fn solve_island<S: Side>(
    sides: &mut [S],
    parts: &mut [Part],
    contacts: &mut [Contact],
    touches: &mut [Touch],
    links: &mut [Link],
    step: &Step,
    scratch: &mut Scratch,
) {
    let mut count = 0;
    for part in parts.iter_mut() {
        part.first = count;
        count += part.span.len();
    }
    scratch.resize(count);
    for part in parts.iter() {
        start(&mut sides[part.side], part, step, scratch);
    }
    for (contact, touch) in contacts.iter().zip(touches.iter_mut()) {
        *touch = prepare(sides, parts, contact, step);
    }
    links::prepare(links, sides, parts, step);
    for _ in 0..ROUNDS {
        for part in parts.iter() {
            let (solid, particles, _) = sides[part.side].all_mut();
            solid.linearise(particles, part.span.clone(), step);
            let oriented = particles.oriented();
            let residual = scratch.residual.span_mut(part.places(), oriented);
            solid.gradient(particles, part.span.clone(), step, residual);
        }
        open_round(contacts, touches, scratch);
        links::open_round(links, &scratch.moved, &mut scratch.residual, &mut scratch.extra);
        let system = System { sides, parts, step, contacts, touches, links };
        cg::iterate(system, scratch, ITERATIONS);
        for part in parts.iter() {
            apply(sides[part.side].all_mut().1, part, scratch);
        }
        close_round(contacts, touches, scratch);
        links::close_round(links, &scratch.moved);
    }
    finish(sides, parts, contacts, touches, links, step, scratch);
}

/// x_n + h v_n = x* − h² a, and targets for what is held.
fn start(side: &mut impl Side, part: &Part, step: &Step, scratch: &mut Scratch) {
    let h2 = step.h * step.h;
    let (_, particles, held) = side.all_mut();
    let oriented = particles.oriented();
    let moved = scratch.moved.span_mut(part.places(), oriented);
    for (k, j) in part.span.clone().enumerate() {
        particles.correction[j] = -h2 * particles.acceleration[j];
        particles.position[j] = particles.inertial[j] + particles.correction[j];
        moved.linear[k] = particles.position[j] - particles.previous[j];
        if oriented {
            let back = Rot::exp(-h2 * particles.spin_acceleration[j]);
            particles.orientation[j] = (back * particles.inertial_orientation[j]).normalized();
            let turned = particles.orientation[j] * particles.previous_orientation[j].inverse();
            moved.angular[k] = turned.log();
        }
    }
    for target in &held[part.held.clone()] {
        let j = target.particle as usize;
        let k = j - part.span.start;
        particles.position[j] = target.position;
        particles.correction[j] = target.position - particles.inertial[j];
        moved.linear[k] = target.position - particles.previous[j];
        if oriented {
            particles.orientation[j] = target.orientation;
            let turned = target.orientation * particles.previous_orientation[j].inverse();
            moved.angular[k] = turned.log();
        }
    }
}

/// Stiffness of a contact from that of the points it touches: k = κ / Σ nᵀ D⁻¹ n, with κ between
/// that of rigid points and that of others by what each contributes.
fn prepare<S: Side>(sides: &[S], parts: &[Part], contact: &Contact, step: &Step) -> Touch {
    let spots = [Some(contact.first), contact.second];
    let part_of = |spot: Spot| {
        let at = (spot.body as usize, spot.anchor.particle as usize);
        &parts[parts.partition_point(|part| (part.side, part.span.end) <= at)]
    };
    let stiffness = |n: Vec3| {
        let (mut all, mut weighted) = (0.0, 0.0);
        for spot in spots.into_iter().flatten() {
            let side = &sides[spot.body as usize];
            let compliance = side.solid().compliance(side.particles(), &spot.anchor, n, step);
            let rigid = part_of(spot).span.len() == 1;
            all += compliance;
            weighted += compliance * if rigid { RIGID_STIFFNESS } else { STIFFNESS };
        }
        weighted / (all * all)
    };
    Touch {
        places: spots.map(|spot| Some(part_of(spot?).place(spot?.anchor.particle) as u32)),
        stiffness: stiffness(contact.normal),
        slip_stiffness: stiffness(contact.normal.any_orthonormal_vector()),
        felt: contact.force,
        felt_slip: contact.slip_force,
        ..Touch::default()
    }
}

/// Motion of the first point of a contact relative to the second, of a vector over the island.
fn relative_motion(v: DofsRef<'_>, contact: &Contact, touch: &Touch) -> Vec3 {
    let at = |place: Option<u32>, spot: Option<Spot>| match (place, spot) {
        (Some(k), Some(spot)) => {
            let k = k as usize;
            v.linear[k] + v.angular[k].cross(spot.anchor.arm)
        }
        _ => Vec3::ZERO,
    };
    at(touch.places[0], Some(contact.first)) - at(touch.places[1], contact.second)
}

/// Adds a force on the first point of a contact, and the opposite on the second.
fn add_force(v: &mut Dofs, contact: &Contact, touch: &Touch, force: Vec3) {
    let spots = [Some(contact.first), contact.second];
    for ((place, spot), force) in touch.places.into_iter().zip(spots).zip([force, -force]) {
        if let (Some(k), Some(spot)) = (place, spot) {
            v.linear[k as usize] += force;
            v.angular[k as usize] += spot.anchor.arm.cross(force);
        }
    }
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
fn open_round(contacts: &mut [Contact], touches: &mut [Touch], scratch: &mut Scratch) {
    let Scratch { moved, residual, extra, .. } = scratch;
    extra.fill(0.0);
    for (contact, touch) in contacts.iter_mut().zip(touches) {
        let n = contact.normal;
        let motion = relative_motion(moved.all(), contact, touch) - contact.drift;
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
        add_force(residual, contact, touch, force);
        let pushing = if touch.active { touch.stiffness } else { 0.0 };
        for place in touch.places.into_iter().flatten() {
            extra[place as usize] += pushing + touch.hold;
        }
    }
}

/// Moves the particles by what the iterations found.
fn apply(particles: &mut Particles, part: &Part, scratch: &mut Scratch) {
    let oriented = particles.oriented();
    let delta = scratch.delta.span(part.places(), oriented);
    let moved = scratch.moved.span_mut(part.places(), oriented);
    for (k, j) in part.span.clone().enumerate() {
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
fn close_round(contacts: &mut [Contact], touches: &mut [Touch], scratch: &Scratch) {
    for (contact, touch) in contacts.iter_mut().zip(touches) {
        let n = contact.normal;
        touch.moved = relative_motion(scratch.moved.all(), contact, touch) - contact.drift;
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
fn finish<S: Side>(
    sides: &mut [S],
    parts: &mut [Part],
    contacts: &[Contact],
    touches: &[Touch],
    links: &[Link],
    step: &Step,
    scratch: &mut Scratch,
) {
    let Scratch { residual, extra: scale, .. } = scratch;
    for part in parts.iter() {
        let (solid, particles, _) = sides[part.side].all_mut();
        solid.linearise(particles, part.span.clone(), step);
        let oriented = particles.oriented();
        solid.gradient(
            particles,
            part.span.clone(),
            step,
            residual.span_mut(part.places(), oriented),
        );
    }
    scale.fill(0.0);
    for (contact, touch) in contacts.iter().zip(touches) {
        let force = touch.felt * contact.normal + touch.felt_slip;
        add_force(residual, contact, touch, force);
        for place in touch.places.into_iter().flatten() {
            scale[place as usize] += force.length_squared();
        }
    }
    links::finish(links, residual, scale);
    for part in parts.iter_mut() {
        let (_, particles, held) = sides[part.side].all_mut();
        let mut all = 0.0;
        for target in &mut held[part.held.clone()] {
            let k = part.place(target.particle);
            target.force = -std::mem::take(&mut residual.linear[k]);
            target.torque = -std::mem::take(&mut residual.angular[k]);
            all += f64::from(target.force.length_squared());
        }
        let mut left = 0.0;
        for j in part.span.clone() {
            let k = part.place(j as u32);
            let weight = particles.mass[j] * particles.acceleration[j];
            all += f64::from(weight.length_squared()) + f64::from(scale[k]);
            left += f64::from(residual.linear[k].length_squared());
        }
        let relative = if all > 0.0 { (left / all).sqrt() as f32 } else { 0.0 };
        part.residual = Residual { relative };
    }
}
