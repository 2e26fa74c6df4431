//! Islands of models with explicit steps of their own, among themselves and on obstacles.
//!
//! Such a step is so short that what touches gives way only by its own mass within it. So contacts are solved between kick and drift, one after the
//! other, as impulses on the particles that touch:
//!
//! ```text
//! λ ← max(0, λ − m (v_n + s)),   s = gap/d while apart,   what is left of an overlap is pushed out slowly
//! ```
//!
//! Both ends feel one impulse, so momentum is kept; nothing is linearised, and a soft body is as right in contact as it is alone.
//!
//! Springs pull before that, each as one impulse on all that it pulls, by where they will be at the end of the substep, τ from here:
//!
//! ```text
//! J = −d κ (γ + c − c_0 + τ v) / (1 + d κ τ/m)                              κ, γ as in `springs`
//! ```

use super::springs::{self, Pulled};
use super::{Held, Part, Side, Touch};
use crate::contact::{Contact, Spot};
use crate::solids::{Explicit, Particles, Residual, Step};
use glam::Vec3;

/// Passes over all contacts in a step.
const PASSES: u32 = 6;
/// Share of an overlap that a step pushes out, and the largest speed of that, in m/s.
const RECOVERED: f32 = 0.1;
const PUSH: f32 = 0.2;

/// A particle that touches something.
#[derive(Clone, Copy, Debug)]
struct Mover {
    side: usize,
    particle: u32,
    v: Vec3,
    /// 0 of what is held.
    inv_mass: f32,
}

/// A contact.
#[derive(Clone, Copy, Debug)]
struct Row {
    a: u32,
    /// For an obstacle the last, which nothing moves.
    b: u32,
    n: Vec3,
    /// Velocity of an obstacle there.
    drift: Vec3,
    gap: f32,
    /// Mass that the contact feels; 0 if neither end gives way.
    mass: f32,
    friction: [f32; 2],
    sliding: bool,
    /// Impulses of this step, and of the substep so far.
    push: f32,
    rub: Vec3,
    pushed: f32,
    rubbed: Vec3,
    /// Motion of the first point relative to the second so far.
    moved: Vec3,
}

/// Room for such islands, never read across steps.
#[derive(Clone, Debug, Default)]
pub struct Room {
    movers: Vec<Mover>,
    rows: Vec<Row>,
    springs: Vec<Pulled>,
}

/// Whether an island is one for this solver.
pub fn is_explicit<S: Side>(sides: &[S], parts: &[Part]) -> bool {
    parts.iter().all(|part| sides[part.side].solid().integrates())
}

/// Carries an island of models with explicit steps through the substep.
pub fn solve_explicit_island<S: Side>(
    sides: &mut [S],
    parts: &mut [Part],
    contacts: &mut [Contact],
    touches: &mut [Touch],
    step: &Step,
    room: &mut Room,
) {
    let mut count = 0;
    for part in parts.iter_mut() {
        part.first = count;
        count += part.span.len();
    }
    let mut steps = 1;
    each(sides, parts, |solid, _, _, _| steps = steps.max(solid.steps()));
    let d = step.h / steps as f32;
    each(sides, parts, |solid, part, particles, held| {
        let held = &mut held[part.held.clone()];
        solid.start(particles, part.span.clone(), held, step, steps);
    });
    room.list(sides, contacts, step.h);
    springs::gather(sides, parts, &mut room.springs);
    room.come_along(sides, 0.5 * d);
    for k in 1..=steps {
        each(sides, parts, |solid, part, _, held| {
            solid.kick(part.span.clone(), &mut held[part.held.clone()], step, steps);
        });
        room.pull(sides, [step.h, d, step.h - (k - 1) as f32 * d]);
        room.push(sides, d);
        let way = if k == steps { 0.5 * d } else { d };
        each(sides, parts, |solid, part, _, _| solid.drift(part.span.clone(), way));
        room.come_along(sides, way);
    }
    for part in parts.iter_mut() {
        let (solid, particles, held) = sides[part.side].all_mut();
        if let Some(solid) = solid.explicit() {
            solid.finish(particles, part.span.clone(), &held[part.held.clone()], step);
        }
        particles.correction[part.span.clone()].fill(Vec3::ZERO);
        part.residual = Residual { integrated: true, ..Residual::default() };
    }
    for ((contact, touch), row) in contacts.iter_mut().zip(touches).zip(&room.rows) {
        contact.force = row.pushed / step.h;
        contact.slip_force = row.rubbed / step.h;
        contact.sliding = row.sliding;
        (touch.felt, touch.felt_slip) = (contact.force, contact.slip_force);
        touch.moved = row.moved;
    }
    springs::give_back(sides, &room.springs);
}

/// Calls `work` with every part and its model.
fn each<S: Side>(
    sides: &mut [S],
    parts: &[Part],
    mut work: impl FnMut(&mut dyn Explicit, &Part, &Particles, &mut [Held]),
) {
    for part in parts {
        let (solid, particles, held) = sides[part.side].all_mut();
        if let Some(solid) = solid.explicit() {
            work(solid, part, particles, held);
        }
    }
}

impl Room {
    /// Particles that touch something, each once, and the contacts between them.
    fn list<S: Side>(&mut self, sides: &[S], contacts: &[Contact], h: f32) {
        let Self { movers, rows, .. } = self;
        let name = |spot: &Spot| (spot.body as usize, spot.anchor.particle);
        let ends = contacts.iter().flat_map(|contact| [Some(contact.first), contact.second]);
        movers.clear();
        movers.extend(ends.flatten().map(|spot| {
            let (side, particle) = name(&spot);
            let particles = sides[side].particles();
            let j = particle as usize;
            let inv_mass = if particles.held[j] { 0.0 } else { 1.0 / particles.mass[j] };
            Mover { side, particle, v: Vec3::ZERO, inv_mass }
        }));
        movers.sort_unstable_by_key(|mover| (mover.side, mover.particle));
        movers.dedup_by_key(|mover| (mover.side, mover.particle));
        let count = movers.len() as u32;
        let place = |spot: &Spot| {
            let found = movers.binary_search_by_key(&name(spot), |m| (m.side, m.particle));
            found.map_or(count, |k| k as u32)
        };
        rows.clear();
        rows.extend(contacts.iter().map(|contact| {
            let a = place(&contact.first);
            let b = contact.second.as_ref().map_or(count, &place);
            let inv_mass = |k: u32| movers.get(k as usize).map_or(0.0, |mover| mover.inv_mass);
            let give = inv_mass(a) + inv_mass(b);
            Row {
                a,
                b,
                n: contact.normal,
                drift: contact.drift / h,
                gap: contact.gap,
                mass: if give > 0.0 { 1.0 / give } else { 0.0 },
                friction: contact.friction,
                sliding: contact.sliding,
                push: 0.0,
                rub: Vec3::ZERO,
                pushed: 0.0,
                rubbed: Vec3::ZERO,
                moved: Vec3::ZERO,
            }
        }));
        movers.push(Mover { side: 0, particle: 0, v: Vec3::ZERO, inv_mass: 0.0 });
    }

    /// Velocities as the models have them; all but the last, which nothing moves.
    fn read<S: Side>(&mut self, sides: &mut [S]) {
        let count = self.movers.len() - 1;
        for mover in &mut self.movers[..count] {
            if let Some(solid) = sides[mover.side].all_mut().0.explicit() {
                mover.v = solid.velocity(mover.particle as usize);
            }
        }
    }

    /// Solves all contacts at the velocities after a kick of length d.
    fn push<S: Side>(&mut self, sides: &mut [S], d: f32) {
        self.read(sides);
        let Self { movers, rows, .. } = self;
        for row in rows.iter_mut() {
            // as in the step before
            row.apply(movers, row.push * row.n + row.rub);
        }
        for _ in 0..PASSES {
            rows.iter_mut().for_each(|row| row.solve(movers, d));
        }
        for row in rows.iter_mut() {
            row.pushed += row.push;
            row.rubbed += row.rub;
        }
        let count = movers.len() - 1;
        for mover in &movers[..count] {
            if let Some(solid) = sides[mover.side].all_mut().0.explicit() {
                solid.set_velocity(mover.particle as usize, mover.v);
            }
        }
    }

    /// Springs pull at the velocities after a kick of length d, `left` before the end of the substep.
    fn pull<S: Side>(&mut self, sides: &mut [S], [h, d, left]: [f32; 3]) {
        for spring in self.springs.chunk_by_mut(Pulled::is_with) {
            let (mut v, mut moved, mut mass, mut stiffness) = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0);
            for pulled in spring.iter() {
                let j = pulled.particle as usize;
                let (solid, particles, _) = sides[pulled.side()].all_mut();
                mass += particles.mass[j];
                stiffness += pulled.stiffness;
                moved += pulled.stiffness * pulled.moved;
                v += pulled.stiffness * solid.explicit().map_or(Vec3::ZERO, |s| s.velocity(j));
            }
            let (v, moved) = (v / stiffness, moved / stiffness);
            let gap = spring.first().map_or(Vec3::ZERO, |pulled| pulled.gap);
            let give = 1.0 + d * stiffness * left / mass;
            let impulse = -d * stiffness / give * (gap + moved + left * v);
            for pulled in spring {
                let j = pulled.particle as usize;
                let (solid, particles, _) = sides[pulled.side()].all_mut();
                let own = pulled.stiffness / stiffness * impulse;
                pulled.force += own / h;
                if let Some(solid) = solid.explicit().filter(|_| !particles.held[j]) {
                    solid.set_velocity(j, solid.velocity(j) + own / particles.mass[j]);
                }
            }
        }
    }

    /// Gaps after a drift of length d.
    fn come_along<S: Side>(&mut self, sides: &mut [S], d: f32) {
        self.read(sides);
        for row in &mut self.rows {
            let way = d * row.speed(&self.movers);
            row.moved += way;
            row.gap += way.dot(row.n);
        }
        for pulled in &mut self.springs {
            if let Some(solid) = sides[pulled.side()].all_mut().0.explicit() {
                pulled.moved += d * solid.velocity(pulled.particle as usize);
            }
        }
    }
}

impl Row {
    /// Velocity of the first point relative to the second.
    fn speed(&self, movers: &[Mover]) -> Vec3 {
        movers[self.a as usize].v - movers[self.b as usize].v - self.drift
    }

    fn apply(&self, movers: &mut [Mover], impulse: Vec3) {
        let a = &mut movers[self.a as usize];
        a.v += a.inv_mass * impulse;
        let b = &mut movers[self.b as usize];
        b.v -= b.inv_mass * impulse;
    }

    fn solve(&mut self, movers: &mut [Mover], d: f32) {
        let slack =
            if self.gap > 0.0 { self.gap / d } else { (RECOVERED * self.gap / d).max(-PUSH) };
        let v = self.speed(movers);
        let push = (self.push - self.mass * (v.dot(self.n) + slack)).max(0.0);
        let along = (push - self.push) * self.n;
        self.push = push;
        self.apply(movers, along);

        let v = self.speed(movers);
        let across = v - v.dot(self.n) * self.n;
        let wanted = self.rub - self.mass * across;
        let [sliding, at_rest] = self.friction;
        let most = push * if self.sliding { sliding } else { at_rest };
        let size = wanted.length();
        self.sliding = size > most;
        let most = if self.sliding { push * sliding } else { most };
        let rub = if size > most { wanted * (most / size) } else { wanted };
        let more = rub - self.rub;
        self.rub = rub;
        self.apply(movers, more);
    }
}
