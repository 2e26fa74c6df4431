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

mod carried;
mod cg;
mod coarse;
mod dofs;
mod explicit;
mod guard;
pub mod links;
mod rigid;
mod rows;
mod sides;
mod springs;
#[cfg(test)]
mod tests;
mod untouched;

pub use carried::Carried;
use cg::Solved;
pub use dofs::{Dofs, Pair};
pub use explicit::{is_explicit, solve_explicit_island};
pub use rigid::{is_rigid, solve_rigid_island};
pub use springs::Pulled;

use crate::contact::{Contact, Spot};
use crate::math::Rot;
use crate::parallel::{Span, Workers};
use crate::solids::rigid::gradient_alone;
use crate::solids::{DofsMut, DofsRef, Motion, Particles, Residual, Solid, Step};
use glam::{DVec3, Vec3};
use links::Link;
use rows::Rows;
use sides::each_side;

/// Rounds per substep, at least: fewer than two are always a substep late with who touches and who slides.
const ROUNDS: u32 = 4;
/// At most, where the solve has not converged, and where something hits so fast that it would come out on the other side, or a sheet is
/// touched: of a shot four rounds may leave enough to fly on, and what stretches as little and bends as far as cloth takes a step to
/// the next linear system in each. With eight one cloth fell through another.
const MANY_ROUNDS: u32 = 8;
const VIOLENT_ROUNDS: u32 = 32;
/// Iterations per round, at least and at most.
const ITERATIONS: u32 = 4;
const MANY_ITERATIONS: u32 = 8;
/// A round is over when it has brought r·z down to this share. Multipliers learn only from such rounds.
const ROUND_SHARE: f64 = 0.1;
/// The solve has converged when r·z, twice the energy of what is still to be moved, is this share of what it was about: what
/// its first round found, and what the accelerations of the substep set in motion.
const SHARE: f64 = 3e-4;
/// Stiffness of a contact over that of the points it touches. Softer is slower, stiffer (10 and
/// more) makes the set of active contacts flutter.
const STIFFNESS: f32 = 0.3;
/// The same for pieces of one particle: these have no stiffness of their own, only mass, so that a
/// contact must do what their surroundings do elsewhere. Softer, a shot goes through a wall.
const RIGID_STIFFNESS: f32 = 10.0;

/// Contacts of a particle that room is taken for, two sharing one: see the room for contacts of the
/// world.
const CONTACTS: usize = 6;

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
    /// Whether a surface is shot at: it lets go late.
    shot: bool,
    /// k, in N/m.
    stiffness: f32,
    /// k_t for a contact that sticks, in N/m.
    slip_stiffness: f32,
    /// k_s: what friction has of it in this round.
    hold: f32,
    /// Friction at no slip, in N.
    base: Vec3,
    /// Force on the first point when the round begins, in N.
    force: Vec3,
    /// Force felt by the solve along the normal, in N.
    pub felt: f32,
    /// Friction felt by the solve, in N.
    pub felt_slip: Vec3,
    /// Motion of the first point relative to the second since the start of the substep, in m.
    pub moved: Vec3,
}

/// A body that has pieces in an island: what the solve needs of it.
pub trait Side: Send + Sync {
    /// Its model.
    fn solid(&self) -> &dyn Solid;
    /// Its particles.
    fn particles(&self) -> &Particles;
    /// Its held particles, in the order of their index.
    fn held(&self) -> &[Held];
    /// All three, to change.
    fn all_mut(&mut self) -> (&mut dyn Solid, &mut Particles, &mut [Held]);
    /// Its particles that springs pull, spring by spring.
    fn pulled(&self) -> &[Pulled];
    /// The same, to change.
    fn pulled_mut(&mut self) -> &mut [Pulled];
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
    /// Whether a spring pulls some of them.
    pub pulled: bool,
    /// Where its unknowns begin in the island.
    pub first: usize,
    /// Its place among the parts of the island.
    pub number: usize,
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

    /// The particle of a piece that has one, on which no model puts a force: most of what has broken.
    fn alone(&self) -> Option<usize> {
        (self.span.len() == 1 && self.held.is_empty()).then_some(self.span.start)
    }

    /// nᵀ P (Pᵀ M P)⁻¹ Pᵀ n h²: how far a point gives way per force if the piece moves as a whole, in m/N; 0 of what is held.
    fn compliance(&self, particles: &Particles, spot: &Spot, n: Vec3, h: f32) -> f32 {
        if !self.held.is_empty() {
            return 0.0;
        }
        let place = particles.previous[spot.anchor.particle as usize] + spot.anchor.arm;
        let lever = (place.as_dvec3() - self.motion.centre).cross(n.as_dvec3());
        let turning = lever.dot(self.motion.inv_inertia * lever);
        h * h * (1.0 / self.motion.mass + turning) as f32
    }

    /// About where its centre of mass is within the substep, in its frame.
    fn centre(&self, h: f32) -> DVec3 {
        self.motion.centre + f64::from(h) * self.motion.velocity()
    }

    /// The same, counted from the first of these parts.
    fn places_among(&self, parts: &[Self]) -> Span {
        let Span { start, end } = self.places();
        start - parts[0].first..end - parts[0].first
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
    /// Stiffness of contacts, per particle; at the end the squares of their forces.
    extra: Vec<f32>,
    /// Rigid modes, per part.
    coarse: Vec<coarse::Inverse>,
    rows: Rows,
    springs: Vec<Pulled>,
    /// For islands of rigid bodies.
    pub rigid: rigid::Room,
    /// For those of models with explicit steps.
    pub explicit: explicit::Room,
}

impl Scratch {
    /// Room for an island of so many particles, of which some break, and then touch with whole sides.
    pub fn reserve(&mut self, count: usize, breaking: usize) {
        if self.extra.len() < count {
            self.resize(count);
        }
        let contacts = CONTACTS * (count + 6 * breaking);
        self.coarse.reserve(count.saturating_sub(self.coarse.len()));
        self.rows.reserve(count, contacts);
        self.rigid.reserve(count, contacts.max(4 * CONTACTS * count));
    }

    /// Room for contacts of so many faces of a surface.
    pub fn reserve_faces(&mut self, count: usize) {
        self.rows.reserve(0, CONTACTS * count);
        self.rows.reserve_shared(CONTACTS * count);
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
/// their index among the sides; parts come in the order of their sides and spans.
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
    for (part, number) in parts.iter_mut().zip(0..) {
        part.number = number;
        part.first = count;
        count += part.span.len();
    }
    scratch.resize(count);
    if links.is_empty()
        && untouched::solve_untouched(sides, parts, contacts, touches, step, scratch)
    {
        return;
    }
    springs::gather(sides, parts, &mut scratch.springs);
    let workers = &step.workers;
    let violent = contacts.iter().any(|contact| contact.is_violent(step.h));
    let of_sheet = |part: &Part| !sides[part.side].solid().sheet().is_empty();
    let rounds = if violent || parts.iter().any(of_sheet) { VIOLENT_ROUNDS } else { MANY_ROUNDS };
    let mut scale = pushed(sides, parts, step.h);
    let mut learned = true;
    for round in 0..=rounds {
        bring_up(sides, parts, step, scratch, round == 0);
        if round == 0 {
            prepare_all(sides, parts, contacts, touches, step);
            links::prepare(links, sides, parts, step);
        } else {
            let close = if learned || round == rounds { rows::close } else { rows::feel };
            each_contact(contacts, touches, &scratch.moved, workers, &close);
        }
        links::pull(links, &scratch.moved);
        springs::pull(&mut scratch.springs, &scratch.moved);
        if round == rounds {
            break;
        }
        each_contact(contacts, touches, &scratch.moved, workers, &rows::open);
        scratch.extra.fill(0.0);
        let Scratch { rows, coarse, springs, .. } = scratch;
        rows.list(contacts, touches, links, springs, count);
        coarse.clear();
        coarse.extend(parts.iter().map(|part| {
            let particles = sides[part.side].particles();
            rows.rigid_modes(part, particles, step.h)
        }));
        match cg::iterate(sides, parts, step, scratch, round, &mut scale) {
            Solved::Before => {
                // contacts and what is held are in the residual
                bring_up(sides, parts, step, scratch, false);
                break;
            }
            solved => learned = solved == Solved::Now,
        }
    }
    scratch.rows.take_felt(contacts, touches, links, &scratch.springs);
    finish(sides, parts, step, scratch);
    guard::take_back(sides, parts, contacts, touches, links, step, scratch);
    springs::give_back(sides, &scratch.springs);
}

/// Σ m (h a)²: the energy, twice, of what a substep of its accelerations alone would set in motion.
fn pushed<S: Side>(sides: &[S], parts: &[Part], h: f32) -> f64 {
    let mut sum = 0.0;
    for part in parts {
        let particles = sides[part.side].particles();
        for j in part.span.clone() {
            let dv = h * particles.acceleration[j];
            sum += f64::from(particles.mass[j] * dv.length_squared());
        }
    }
    sum
}

/// Calls `work` with every contact.
fn each_contact(
    contacts: &mut [Contact],
    touches: &mut [Touch],
    moved: &Dofs,
    workers: &Workers,
    work: &(impl Fn(&mut Contact, &mut Touch, DofsRef<'_>) + Sync),
) {
    workers.for_span(0..contacts.len(), (contacts, touches), &|_, (contacts, touches)| {
        for (contact, touch) in contacts.iter_mut().zip(touches) {
            work(contact, touch, moved.all());
        }
    });
}

/// Particles to where the round begins, and what is unbalanced there but for contacts.
fn bring_up<S: Side>(
    sides: &mut [S],
    parts: &[Part],
    step: &Step,
    scratch: &mut Scratch,
    starting: bool,
) {
    let Scratch { residual, moved, delta, .. } = scratch;
    let columns = (residual.all_mut(), moved.all_mut());
    let work = |side: &mut S, parts: &[Part], (mut r, mut moved): (DofsMut<'_>, DofsMut<'_>)| {
        for part in parts {
            let (solid, particles, held) = side.all_mut();
            let (places, oriented) = (part.places_among(parts), particles.oriented());
            let moved = moved.reborrow().within(places.clone(), oriented);
            if starting {
                start(particles, &held[part.held.clone()], part, step, moved);
            } else {
                apply(particles, part, delta.span(part.places(), oriented), moved);
            }
            let mut r = r.reborrow().within(places, oriented);
            if let Some(j) = part.alone() {
                r.set(0, gradient_alone(particles, j, step.h));
                continue;
            }
            solid.measure(particles, part.span.clone(), step);
            solid.linearise(particles, part.span.clone(), step);
            solid.gradient(particles, part.span.clone(), step, r);
        }
        0.0
    };
    each_side(&step.workers, sides, 0, parts, columns, &work);
}

/// x_n + h v_n = x* − h² a, and targets for what is held.
fn start(particles: &mut Particles, held: &[Held], part: &Part, step: &Step, moved: DofsMut<'_>) {
    let h2 = step.h * step.h;
    let oriented = particles.oriented();
    for (k, j) in part.span.clone().enumerate() {
        particles.correction[j] = -h2 * particles.acceleration[j];
        particles.set_place(j, particles.inertial_place(j) + particles.correction[j].as_dvec3());
        moved.linear[k] = (particles.place(j) - particles.previous_place(j)).as_vec3();
        if oriented {
            particles.orientation[j] = particles.inertial_orientation[j];
            if particles.spin_acceleration[j] != Vec3::ZERO {
                let back = Rot::exp(-h2 * particles.spin_acceleration[j]);
                particles.orientation[j] = (back * particles.orientation[j]).normalized();
            }
            // more than half a turn is not to be read off orientations
            moved.angular[k] = particles.turn[j] - h2 * particles.spin_acceleration[j];
        }
    }
    for target in held {
        let j = target.particle as usize;
        let k = j - part.span.start;
        let place = target.position.as_dvec3();
        particles.set_place(j, place);
        particles.correction[j] = (place - particles.inertial_place(j)).as_vec3();
        moved.linear[k] = (place - particles.previous_place(j)).as_vec3();
        if oriented {
            particles.orientation[j] = target.orientation;
            let turned = target.orientation * particles.previous_orientation[j].inverse();
            moved.angular[k] = turned.log();
        }
    }
}

/// What every contact needs for the solve. One that neither end gives way to pushes nobody.
fn prepare_all<S: Side>(
    sides: &[S],
    parts: &[Part],
    contacts: &mut [Contact],
    touches: &mut [Touch],
    step: &Step,
) {
    step.workers.for_span(0..contacts.len(), (contacts, touches), &|_, (contacts, touches)| {
        for (contact, touch) in contacts.iter_mut().zip(touches) {
            *touch = prepare(sides, parts, contact, step);
            if touch.stiffness == 0.0 {
                (contact.force, contact.slip_force) = (0.0, Vec3::ZERO);
                (touch.felt, touch.felt_slip) = (0.0, Vec3::ZERO);
            }
        }
    });
}

/// Stiffness of a contact from that of the points it touches: k = κ / Σ nᵀ D⁻¹ n, with κ between
/// that of rigid points and that of others by what each contributes.
///
/// Tetrahedra are as stiff as their material, so that D may be a million times M/h². Against that a body of them is rigid,
/// and gives way as a whole before it does at the point: 1/k = Σ nᵀ D⁻¹ n / κ + nᵀ P (Pᵀ M P)⁻¹ Pᵀ n h² / κ_rigid. With D alone
/// a nanometre was a force, and a block of 1 GPa on the floor flew off.
fn prepare<S: Side>(sides: &[S], parts: &[Part], contact: &Contact, step: &Step) -> Touch {
    let ends = [Some(contact.first), contact.second].map(|spot| {
        let spot = spot?;
        let at = (spot.body as usize, spot.anchor.particle as usize);
        Some((spot, &parts[parts.partition_point(|part| (part.side, part.span.end) <= at)]))
    });
    let of_surface =
        |(_, part): &(Spot, &Part)| sides[part.side].solid().boundary().surface().is_some();
    let in_row = ends.iter().flatten().any(of_surface);
    // a little of a triangle that is held otherwise would have to give way by many times the gap
    let is_given = |(spot, part): &(Spot, &Part)| {
        let held = &sides[part.side].particles().held;
        let carriers = spot.anchor.carriers().into_iter().filter(|&(j, _)| held[j as usize]);
        carriers.map(|(_, share)| share).sum::<f32>() >= 0.5
    };
    let given = ends.iter().flatten().all(is_given);
    let stiffness = |n: Vec3| {
        if given {
            return 0.0;
        }
        let (mut all, mut weighted) = (0.0, 0.0);
        let mut soft = 0.0;
        for (spot, part) in ends.into_iter().flatten() {
            let side = &sides[part.side];
            let compliance = side.solid().compliance(side.particles(), &spot.anchor, n, step);
            let rigid = part.span.len() == 1;
            if in_row {
                soft += compliance / if rigid { RIGID_STIFFNESS } else { STIFFNESS };
                let whole = part.compliance(side.particles(), &spot, n, step.h);
                soft += if rigid { 0.0 } else { whole / RIGID_STIFFNESS };
                continue;
            }
            all += compliance;
            weighted += compliance * if rigid { RIGID_STIFFNESS } else { STIFFNESS };
        }
        if in_row { 1.0 / soft } else { weighted / (all * all) }
    };
    let place = |(spot, part): (Spot, &Part)| part.place(spot.anchor.particle) as u32;
    Touch {
        places: ends.map(|end| end.map(place)),
        stiffness: stiffness(contact.normal),
        slip_stiffness: stiffness(contact.normal.any_orthonormal_vector()),
        shot: contact.size > 0.0 && contact.is_violent(step.h),
        felt: contact.force,
        felt_slip: contact.slip_force,
        ..Touch::default()
    }
}

/// Moves the particles by what the iterations found.
fn apply(particles: &mut Particles, part: &Part, delta: DofsRef<'_>, moved: DofsMut<'_>) {
    for (k, j) in part.span.clone().enumerate() {
        let d = delta.linear[k];
        particles.set_place(j, particles.place(j) + d.as_dvec3());
        particles.correction[j] += d;
        moved.linear[k] += d;
        if let Some(&w) = delta.angular.get(k) {
            particles.orientation[j] = (Rot::exp(w) * particles.orientation[j]).normalized();
            moved.angular[k] += w;
        }
    }
}

/// What is left unbalanced at the end: the reaction where it is held, a residual elsewhere.
fn finish<S: Side>(sides: &mut [S], parts: &mut [Part], step: &Step, scratch: &mut Scratch) {
    let Scratch { residual, extra, rows, .. } = scratch;
    extra.fill(0.0);
    let columns = (residual.all_mut(), &mut extra[..]);
    let rows = &*rows;
    let work = |side: &mut S, parts: &[Part], (mut r, squares): (DofsMut<'_>, &mut [f32])| {
        for part in parts {
            let (_, particles, held) = side.all_mut();
            let (places, oriented) = (part.places_among(parts), particles.oriented());
            let mut r = r.reborrow().within(places.clone(), oriented);
            rows.add_forces(part, &mut r);
            rows.add_squares(part, &mut squares[places]);
            for target in &mut held[part.held.clone()] {
                let k = target.particle as usize - part.span.start;
                target.force = -r.linear[k];
                target.torque = r.angular.get(k).map_or(Vec3::ZERO, |&torque| -torque);
            }
        }
        0.0
    };
    each_side(&step.workers, sides, 0, parts, columns, &work);
    for part in parts.iter_mut() {
        let side = &mut sides[part.side];
        let (solid, particles, held) = side.all_mut();
        let held = &mut held[part.held.clone()];
        let left = scratch.residual.span(part.places(), particles.oriented());
        part.residual = match solid.settle(particles, part.span.clone(), held, left, step) {
            Some(residual) => residual,
            None => residual_of(part, particles, held, scratch),
        };
    }
}

/// What is out of balance over what acts, of a piece.
fn residual_of(part: &Part, particles: &Particles, held: &[Held], scratch: &Scratch) -> Residual {
    let (mut left, mut all) = (0.0, 0.0);
    for j in part.span.clone() {
        let k = part.place(j as u32);
        let weight = particles.mass[j] * particles.acceleration[j];
        all += f64::from(weight.length_squared()) + f64::from(scratch.extra[k]);
        left += f64::from(scratch.residual.linear[k].length_squared());
    }
    for target in held {
        let reaction = f64::from(target.force.length_squared());
        all += reaction;
        left -= reaction;
    }
    Residual::new(left.max(0.0), all, part.span.len())
}
