//! Islands of pieces that move as a whole: rigid bodies, dust and free pieces of brittle bodies among themselves and on obstacles.
//!
//! Nothing there gives way but by moving, so that contacts can be solved one after the other, in
//! velocities, at a small part of the cost of conjugate gradients over the island. What is left of
//! an overlap is pushed out slowly; the last passes take the speed of pushing back out of the
//! velocities, as in the soft step of Catto, *Solver2D*, 2024. His spring under it sags by some
//! millimetres below a pile, and is left out.
//!
//! ```text
//! λ ← max(0, λ − m (v_n + s)),   s = gap/h while apart,   β gap/h with a limit while deep
//! x = x_n + h v,   then passes with s = 0 for the velocities
//! ```
//!
//! What has more than one particle is told at the end what pushed on each of them, which loads it.

use super::carried::Carried;
use super::{Part, Side, Touch};
use crate::contact::{Contact, Spot};
use crate::math::{Rot, Sym3};
use crate::solids::{DofsRef, Particles, Residual, Step};
use glam::{DVec3, Vec3};

/// Passes that move the bodies, at least; half as many more only correct velocities.
const PASSES: u32 = 4;
/// At most, and the contacts times passes up to which there are more: a few boxes on top of each other need
/// them, and have the time.
const MANY_PASSES: u32 = 16;
const ROWS: u32 = 2048;
/// Share of an overlap that a substep pushes out.
const RECOVERED: f32 = 0.1;
/// Largest speed at which overlaps are pushed out, in m/s.
const PUSH: f32 = 1.0;
/// Overlap that is left alone, in m: with it a resting contact stays one.
const SLOP: f32 = 2e-4;

/// A body: velocities, and how it gives way.
#[derive(Clone, Copy, Debug, Default)]
struct Mover {
    v: Vec3,
    w: Vec3,
    inv_mass: f32,
    /// In the world.
    inv_inertia: Sym3,
}

/// A contact.
#[derive(Clone, Copy, Debug)]
struct Row {
    a: u32,
    /// For an obstacle the last, which nothing moves.
    b: u32,
    n: Vec3,
    arm_a: Vec3,
    arm_b: Vec3,
    /// Velocity of an obstacle there.
    drift: Vec3,
    gap: f32,
    /// Mass that the contact feels along the normal and across.
    mass: f32,
    mass_across: f32,
    /// Impulses so far.
    push: f32,
    rub: Vec3,
    friction: [f32; 2],
    sliding: bool,
}

/// Room for islands of rigid bodies, never read across steps.
#[derive(Clone, Debug, Default)]
pub struct Room {
    movers: Vec<Mover>,
    rows: Vec<Row>,
    /// What is out of balance at the particles of pieces of many, N.
    left: Vec<Vec3>,
}

impl Room {
    /// Room for so many particles.
    pub fn reserve(&mut self, count: usize, contacts: usize) {
        // and one that nothing moves
        self.movers.reserve((count + 1).saturating_sub(self.movers.len()));
        self.rows.reserve(contacts.saturating_sub(self.rows.len()));
        self.left.reserve(count.saturating_sub(self.left.len()));
    }
}

/// Whether an island is one for this solver.
pub fn is_rigid<S: Side>(sides: &[S], parts: &[Part]) -> bool {
    parts.iter().all(|part| {
        let (solid, particles) = (sides[part.side].solid(), sides[part.side].particles());
        let whole = part.alone().is_some() || solid.moves_as_a_whole(particles, &part.span);
        whole && !part.pulled
    })
}

/// Solves the substep of an island of pieces that move as a whole, of which none is pulled by a spring. Those that grips hold go where these
/// do, and nothing else moves them.
pub fn solve_rigid_island<S: Side>(
    sides: &mut [S],
    parts: &mut [Part],
    contacts: &mut [Contact],
    touches: &mut [Touch],
    step: &Step,
    room: &mut Room,
) {
    let h = step.h;
    let Room { movers, rows, left } = room;
    let mut count = 0;
    for part in parts.iter_mut() {
        part.first = count;
        count += if part.alone().is_some() { 0 } else { part.span.len() };
    }
    movers.clear();
    movers.extend(parts.iter().map(|part| match part.held.is_empty() {
        true => Mover::of(&sides[part.side], part),
        false => Mover::held(&sides[part.side], part, h),
    }));
    movers.push(Mover::default());
    rows.clear();
    rows.extend(contacts.iter().map(|contact| Row::of(contact, sides, parts, movers, h)));

    for row in rows.iter() {
        row.apply(movers, row.push * row.n + row.rub);
    }
    let inv_h = 1.0 / h;
    let passes = (ROWS / rows.len().max(1) as u32).clamp(PASSES, MANY_PASSES);
    for _ in 0..passes {
        rows.iter_mut().for_each(|row| row.solve(movers, inv_h, true));
    }
    for row in rows.iter_mut() {
        row.gap += h * row.speed(movers).dot(row.n);
    }
    for (part, mover) in parts.iter_mut().zip(movers.iter()) {
        match part.alone() {
            Some(j) => place(&mut sides[part.side], j, mover, h),
            None => place_piece(&mut sides[part.side], part, mover, h),
        }
        part.residual = Residual { whole: true, ..Residual::default() };
    }
    for _ in 0..passes / 2 {
        // what has not pushed in this substep may bounce in the next, and must come there at full speed
        let pushed = rows.iter_mut().filter(|row| row.push > 0.0);
        pushed.for_each(|row| row.solve(movers, inv_h, false));
    }
    for ((contact, touch), row) in contacts.iter_mut().zip(touches).zip(rows.iter()) {
        contact.force = row.push / h;
        contact.slip_force = row.rub / h;
        contact.sliding = row.sliding;
        touch.felt = contact.force;
        touch.felt_slip = contact.slip_force;
        touch.moved = h * row.speed(movers);
    }
    leave(sides, parts, contacts, rows, h, left);
    for (part, mover) in parts.iter_mut().zip(movers.iter()) {
        let side = &mut sides[part.side];
        match part.alone() {
            Some(j) => settle(side, j, mover),
            None => settle_piece(side, part, mover, &left[part.places()], step),
        }
    }
}

/// What is out of balance at the particles of pieces of many: what pushes on them, and their inertia.
fn leave<S: Side>(
    sides: &[S],
    parts: &[Part],
    contacts: &[Contact],
    rows: &[Row],
    h: f32,
    left: &mut Vec<Vec3>,
) {
    left.clear();
    for part in parts.iter().filter(|part| part.alone().is_none()) {
        let Particles { mass, correction, .. } = sides[part.side].particles();
        left.extend(part.span.clone().map(|j| -mass[j] / (h * h) * correction[j]));
    }
    for (contact, row) in contacts.iter().zip(rows) {
        let force = contact.force * contact.normal + contact.slip_force;
        if force == Vec3::ZERO {
            continue;
        }
        let ends = [(row.a, Some(contact.first), force), (row.b, contact.second, -force)];
        for (place, spot, force) in ends {
            let Some(spot) = spot else { continue };
            let part = &parts[place as usize];
            if part.alone().is_some() {
                continue;
            }
            for (j, share) in spot.anchor.carriers() {
                left[part.place(j)] += share * force;
            }
        }
    }
}

impl Mover {
    fn of(side: &impl Side, part: &Part) -> Self {
        let particles = side.particles();
        let Some(j) = part.alone() else {
            let motion = &part.motion;
            return Self {
                v: motion.velocity().as_vec3(),
                w: motion.spin().as_vec3(),
                inv_mass: (1.0 / motion.mass) as f32,
                inv_inertia: Sym3::from_mat3(&motion.inv_inertia.as_mat3()),
            };
        };
        let oriented = particles.oriented();
        Self {
            v: particles.velocity[j],
            w: if oriented { particles.spin[j] } else { Vec3::ZERO },
            inv_mass: 1.0 / particles.mass[j],
            inv_inertia: if oriented {
                particles.inv_inertia[j].conjugate(particles.orientation[j])
            } else {
                Sym3::default()
            },
        }
    }

    /// Of a piece that grips hold: what is this stiff gives way to none of what touches it.
    fn held(side: &impl Side, part: &Part, h: f32) -> Self {
        let carried = Carried::of(&side.held()[part.held.clone()], side.particles());
        let [v, w] = carried.velocity(part.motion.centre, h);
        Self { v, w, ..Self::default() }
    }

    #[inline(always)]
    fn at(&self, arm: Vec3) -> Vec3 {
        self.v + self.w.cross(arm)
    }

    /// What an impulse of 1 along `d` moves the point by.
    fn gives_way(&self, arm: Vec3, d: Vec3) -> f32 {
        let lever = arm.cross(d);
        self.inv_mass + lever.dot(self.inv_inertia.mul_vec(lever))
    }

    #[inline(always)]
    fn pushed(&mut self, arm: Vec3, impulse: Vec3) {
        self.v += self.inv_mass * impulse;
        self.w += self.inv_inertia.mul_vec(arm.cross(impulse));
    }
}

impl Row {
    fn of<S: Side>(
        contact: &Contact,
        sides: &[S],
        parts: &[Part],
        movers: &[Mover],
        h: f32,
    ) -> Self {
        let place = |spot: Spot| {
            let at = (spot.body as usize, spot.anchor.particle as usize);
            parts.partition_point(|part| (part.side, part.span.end) <= at) as u32
        };
        let a = place(contact.first);
        let b = contact.second.map_or(parts.len() as u32, place);
        let arm = |spot: Spot, place: u32| {
            let part = &parts[place as usize];
            if part.alone().is_some() {
                return spot.anchor.arm;
            }
            let particles = sides[part.side].particles();
            let carrier = particles.previous[spot.anchor.particle as usize];
            ((carrier + spot.anchor.arm).as_dvec3() - part.motion.centre).as_vec3()
        };
        let arm_a = arm(contact.first, a);
        let arm_b = contact.second.map_or(Vec3::ZERO, |spot| arm(spot, b));
        let n = contact.normal;
        let gives_way = |d: Vec3| {
            movers[a as usize].gives_way(arm_a, d) + movers[b as usize].gives_way(arm_b, d)
        };
        // between two that are held nothing can be done
        let mass = |gives: f32| if gives > 0.0 { 1.0 / gives } else { 0.0 };
        let t = n.any_orthonormal_vector();
        // one mass for all directions across: the smaller, with which neither overshoots
        let across = gives_way(t).max(gives_way(n.cross(t)));
        Self {
            a,
            b,
            n,
            arm_a,
            arm_b,
            drift: contact.drift / h,
            gap: contact.gap,
            mass: mass(gives_way(n)),
            mass_across: mass(across),
            push: h * contact.force,
            rub: h * contact.slip_force,
            friction: contact.friction,
            sliding: contact.sliding,
        }
    }

    /// Velocity of the first point relative to the second.
    #[inline(always)]
    fn speed(&self, movers: &[Mover]) -> Vec3 {
        movers[self.a as usize].at(self.arm_a) - movers[self.b as usize].at(self.arm_b) - self.drift
    }

    #[inline(always)]
    fn apply(&self, movers: &mut [Mover], impulse: Vec3) {
        movers[self.a as usize].pushed(self.arm_a, impulse);
        movers[self.b as usize].pushed(self.arm_b, -impulse);
    }

    /// Friction first: of the two it is the one that may be wrong.
    fn solve(&mut self, movers: &mut [Mover], inv_h: f32, pushing: bool) {
        if self.push > 0.0 {
            let speed = self.speed(movers);
            let across = speed - self.n * speed.dot(self.n);
            let wanted = self.rub - self.mass_across * across;
            let [slide, stick] = self.friction;
            let limit = if self.sliding { slide } else { stick } * self.push;
            self.sliding = wanted.length_squared() > limit * limit;
            let rub =
                if self.sliding { wanted.clamp_length_max(slide * self.push) } else { wanted };
            self.apply(movers, rub - self.rub);
            self.rub = rub;
        } else if self.rub != Vec3::ZERO {
            self.apply(movers, -self.rub);
            self.rub = Vec3::ZERO;
        }

        let speed = self.speed(movers).dot(self.n);
        let bias = if self.gap > 0.0 {
            // may come nearer by as much
            self.gap * inv_h
        } else if pushing {
            (RECOVERED * inv_h * (self.gap + SLOP).min(0.0)).max(-PUSH)
        } else {
            0.0
        };
        let push = (self.push - self.mass * (speed + bias)).max(0.0);
        self.apply(movers, (push - self.push) * self.n);
        self.push = push;
    }
}

/// Where the velocities that solve the contacts take a body: x = x* + h (v − v*).
fn place(side: &mut impl Side, j: usize, mover: &Mover, h: f32) {
    let (_, particles, _) = side.all_mut();
    let dv = mover.v - particles.velocity[j];
    particles.correction[j] = h * dv;
    particles.position[j] = particles.inertial[j] + particles.correction[j];
    // the commit will add this again, to what the last passes leave
    particles.velocity[j] = -dv;
    if particles.oriented() {
        let dw = mover.w - particles.spin[j];
        let q = particles.inertial_orientation[j];
        particles.orientation[j] = (Rot::exp(h * dw) * q).normalized();
        particles.spin[j] = -dw;
    }
}

/// Makes the velocity after the commit that of the last passes.
fn settle(side: &mut impl Side, j: usize, mover: &Mover) {
    let (_, particles, _) = side.all_mut();
    particles.velocity[j] += mover.v;
    if particles.oriented() {
        particles.spin[j] += mover.w;
    }
}

/// Where the velocities that solve the contacts take a piece of many particles: x = c* + h (V − V*) + exp(h (Ω − Ω*)) (x* − c*).
fn place_piece(side: &mut impl Side, part: &Part, mover: &Mover, h: f32) {
    let (_, particles, held) = side.all_mut();
    let (motion, h64) = (&part.motion, f64::from(h));
    if !part.held.is_empty() {
        let carried = Carried::of(&held[part.held.clone()], particles);
        carried.carry(particles, part.span.clone());
        return;
    }
    let shift = h64 * (mover.v.as_dvec3() - motion.velocity());
    let turn = Rot::exp(h * (mover.w - motion.spin().as_vec3())).to_dmat3();
    let centre = part.centre(h);
    for j in part.span.clone() {
        let inertial = particles.inertial_place(j);
        let place = centre + shift + turn * (inertial - centre);
        particles.set_place(j, place);
        particles.correction[j] = (place - inertial).as_vec3();
    }
}

/// Lets a piece take what pushed on it, and makes its velocities after the commit those of the last passes.
fn settle_piece(side: &mut impl Side, part: &mut Part, mover: &Mover, left: &[Vec3], step: &Step) {
    let (solid, particles, held) = side.all_mut();
    let held = &mut held[part.held.clone()];
    let left = DofsRef { linear: left, angular: &[] };
    let settled = solid.settle(particles, part.span.clone(), held, left, step);
    // the velocities below are those of the impulses, whatever the way of the substep was
    part.residual = Residual { adrift: false, whole: true, ..settled.unwrap_or_default() };
    if !held.is_empty() {
        let carried = Carried::of(held, particles);
        carried.leave_velocities(particles, part.span.clone(), step.h);
        return;
    }
    let (mut first, mut mass) = (DVec3::ZERO, 0.0);
    for j in part.span.clone() {
        first += f64::from(particles.mass[j]) * particles.place(j);
        mass += f64::from(particles.mass[j]);
    }
    let centre = first / mass;
    for j in part.span.clone() {
        let arm = (particles.place(j) - centre).as_vec3();
        // the commit will add the correction
        particles.velocity[j] = mover.at(arm) - particles.correction[j] / step.h;
    }
}
