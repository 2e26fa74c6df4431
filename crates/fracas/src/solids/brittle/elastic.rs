//! The rigid reference of a piece, and the deviation from it.
//!
//! ```text
//! A = Σ m x (x⁰ − c⁰)ᵀ,   R of A,   x_ref = c + R (x⁰ − c⁰)                        (001 eq. 4, erratum 001.4)
//! (M/h² + K) u = Rᵀ ( M (x* − x_ref)/h² + f ),   x = x_ref, of what is held x_ref + R u   (001 eqs. 1–3, errata 001.1–3)
//! ```
//!
//! K is that at rest, so that the matrix of a piece is constant until it breaks. Against K a piece of glass has hardly any mass: f32 tells its
//! stress because u is solved for as a small number of its own, and never read off positions (methods, "Implicit solves"). f
//! are the forces of contacts, which the solver has found for the reference as a rigid body: what is this stiff gives way as a whole
//! before it deforms.

use super::{Brittle, fracture};
use crate::math::{Rot, Sym3, ops};
use crate::parallel::{Span, Workers};
use crate::solids::fem::elements::Elements;
use crate::solids::fem::lanes::{Point, point, vector};
use crate::solids::fem::system::{Pose, System};
use crate::solids::fem::tets::Tets;
use crate::solids::fem::{TetOptions, TetSolver};
use crate::solids::{Particles, Residual, Step};
use crate::solve::Held;
use glam::{DMat3, DVec3, Vec3};

/// What may be out of balance at the end, of what acts: stresses of single vertices are some times as far off.
const SHARE: f32 = 1e-3;
/// The same where nothing is near breaking, as a solve that goes so far tells, and of an impact, whose force is known no better.
const COARSE_SHARE: f32 = 1e-2;
/// Of what the material stands: stresses from which on a solve goes on to the finer share.
const NEAR: f32 = 0.25;
/// Iterations at most.
const MOST: u32 = 256;
/// Where little acts: what acts counts for this share at least of the force that parts a tetrahedron.
const FLOOR: f32 = 1.0;

/// Of the force that parts the weakest tetrahedron: what the loads on a free piece must come to, or
/// it counts as without. No stress is off by more than this share of what the material stands.
const LIGHT: f32 = 0.01;

/// Of the strength: what the wave of an impact is at least.
const IMPACT: f32 = 0.1;

/// How often a wave crosses a stiff piece within a substep, at least: bars ten times as long as high have then come to rest in some tens of
/// substeps, glass of a metre within one.
const CROSSINGS: f32 = 8.0;

/// Of the speed of a piece: what forces may tell wrongly of it.
const ADRIFT: f64 = 0.1;

/// Substeps that cracks take to run through a body under an impact, about: each passes on so much of it.
pub(super) const ROUNDS: f32 = 16.0;

/// A piece that something has hit in this substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact {
    /// The first of its particles.
    pub piece: usize,
    /// By how much its stress is more than what the solve tells.
    pub times: f32,
    /// Whether cracks have opened under it.
    pub broke: bool,
}

/// Where a piece would be if it were rigid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub turn: Rot,
    /// c, relative to the origin of the piece, m.
    centre: DVec3,
    /// c⁰, m.
    rest: DVec3,
    mass: f64,
    /// Diagonal of the box that is as wide spread at rest, m.
    size: f64,
}

impl Reference {
    /// The one that fits particles best, by mass.
    pub fn of(particles: &Particles, span: &Span, workers: &Workers) -> Self {
        let Pose { turn, centres: [rest, centre] } = Pose::of(particles, span, workers);
        let (mut mass, mut spread) = (0.0, 0.0);
        for j in span.clone() {
            let m = f64::from(particles.mass[j]);
            mass += m;
            spread += m * particles.rest[j].as_dvec3().distance_squared(rest);
        }
        Self { turn, centre, rest, mass, size: (12.0 * spread / mass).sqrt() }
    }

    /// x_ref of a particle, relative to the origin of the piece, m.
    pub fn place(&self, rest: Vec3) -> DVec3 {
        self.centre + self.turn.to_dmat3() * (rest.as_dvec3() - self.rest)
    }
}

/// Whether a grip holds some of a piece.
pub(super) fn is_held(particles: &Particles, span: &Span) -> bool {
    particles.held[span.clone()].contains(&true)
}

/// The system of elements that do not turn in the frame of their piece.
pub(super) fn system(elements: &Elements, solver: TetSolver) -> System {
    let mut system = System::new(0, 0, TetOptions { solver, ..TetOptions::default() });
    follow(&mut system, elements);
    system
}

/// Brings it up to elements that are others or in another order.
pub(super) fn follow(system: &mut System, elements: &Elements) {
    system.resize(elements.stars.len(), elements.tets.len());
    system.gradient.clone_from(&elements.tets.gradient);
}

/// Particles to x_n + h v_n, held ones to their targets.
pub(super) fn start(particles: &mut Particles, span: &Span, held: &[Held], step: &Step) {
    let h2 = step.h * step.h;
    for j in span.clone() {
        particles.correction[j] = -h2 * particles.acceleration[j];
        particles.set_place(j, particles.inertial_place(j) + particles.correction[j].as_dvec3());
    }
    for target in held {
        let (j, place) = (target.particle as usize, target.position.as_dvec3());
        particles.set_place(j, place);
        particles.correction[j] = (place - particles.inertial_place(j)).as_vec3();
    }
}

/// How much more an impact loads a piece than its impulse does, spread over the substep; none if what touches it only presses.
///
/// An impact on something this stiff lasts until a wave has come back from its far end, T = 2 L/c or the material's own load time, which
/// a substep is far longer than: of its force only the mean is known. The true one is h/T times as large. It counts as an impact where
/// the wave alone, ρ c Δv, would be a share of the strength.
fn impact(
    particles: &Particles,
    tets: &Tets,
    span: &Span,
    left: &[Vec3],
    reference: &Reference,
    h: f32,
) -> Option<Impact> {
    let inv_h2 = 1.0 / (h * h);
    let mut push = DVec3::ZERO;
    for (left, j) in left.iter().zip(span.clone()) {
        push += (*left + inv_h2 * particles.mass[j] * particles.correction[j]).as_dvec3();
    }
    let first = tets.of(span).start;
    let (modulus, density) = (tets.modulus[first], tets.density[first]);
    let wave = (modulus / density).sqrt();
    let mean = particles.acceleration[span.start].length();
    let change = (f64::from(h) * push.length() / reference.mass) as f32 - h * mean;
    let time = tets.load_time[first].max(2.0 * reference.size as f32 / wave);
    let is_impact = density * wave * change > IMPACT * tets.strength[first];
    is_impact.then_some(Impact { piece: span.start, times: h / time, broke: false })
}

/// Whether the forces of contacts do not tell how the piece moves, as far as the solve went: what they leave out of balance would change its
/// speed by a share of what it has, and by more than its accelerations do.
fn is_adrift(
    particles: &Particles,
    span: &Span,
    left: &[Vec3],
    reference: &Reference,
    h: f32,
) -> bool {
    let (mut net, mut torque, mut energy) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for (left, j) in left.iter().zip(span.clone()) {
        let arm = particles.position[j].as_dvec3() - reference.centre;
        net += left.as_dvec3();
        torque += arm.cross(left.as_dvec3());
        energy += f64::from(particles.mass[j] * particles.velocity[j].length_squared());
    }
    let h = f64::from(h);
    // a torque turns what is as wide spread by its reach
    let strayed = h * (net.length() + 6.0 * torque.length() / reference.size) / reference.mass;
    let falls = h * f64::from(particles.acceleration[span.start].length());
    strayed * strayed > ADRIFT * ADRIFT * energy / reference.mass + falls * falls
}

/// The rigid acceleration that an impact gives a piece: with its inertia the impact is in balance, and loads only elements.
#[derive(Clone, Copy, Debug)]
struct Relief {
    centre: DVec3,
    linear: DVec3,
    angular: DVec3,
}

impl Relief {
    /// Of what presses the vertices of a piece, in its frame, N.
    fn of(
        particles: &Particles,
        span: &Span,
        reference: &Reference,
        press: impl Fn(usize) -> Vec3,
    ) -> Self {
        let centre = reference.rest;
        let (mut net, mut torque, mut spread) = (DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
        for j in span.clone() {
            let arm = particles.rest[j].as_dvec3() - centre;
            let force = press(j).as_dvec3();
            net += force;
            torque += arm.cross(force);
            let m = f64::from(particles.mass[j]);
            spread += m * DMat3::from_cols(arm.x * arm, arm.y * arm, arm.z * arm);
        }
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
        Self { centre, linear: net / reference.mass, angular: inertia.inverse() * torque }
    }

    /// −m a of a vertex.
    fn at(&self, particles: &Particles, j: usize) -> Vec3 {
        let arm = particles.rest[j].as_dvec3() - self.centre;
        -particles.mass[j] * (self.linear + self.angular.cross(arm)).as_vec3()
    }
}

impl Brittle {
    /// Puts a piece to its reference and the deviation from it that its loads ask for. `left` is what is out of balance with contacts
    /// where the particles are; without, there are none.
    pub(super) fn deviate(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        left: Option<&[Vec3]>,
        step: &Step,
    ) -> Residual {
        let rigid = self.is_rigid(&span) && held.is_empty();
        if rigid && left.is_none() {
            // what acts is not the same everywhere, and turns it
            for j in span.clone() {
                particles.set_place(j, particles.inertial_place(j));
            }
        }
        let reference = Reference::of(particles, &span, &step.workers);
        let adrift = left.is_some_and(|left| is_adrift(particles, &span, left, &reference, step.h));
        if rigid {
            self.unload(&span);
            self.carry(particles, &span, &reference, false);
            return Residual { adrift, ..Residual::default() };
        }
        let parts = self.parts_at(&span);
        let Self { elements: Elements { tets, stars, .. }, system, deviation, breaking, .. } = self;
        let (turn, back) = (reference.turn.to_mat3(), reference.turn.to_mat3().transpose());
        for target in held.iter() {
            let j = target.particle as usize;
            let off = target.position.as_dvec3() - reference.place(particles.rest[j]);
            deviation[j] = point(back * off.as_vec3());
        }
        let inv_h2 = f64::from(1.0 / (step.h * step.h));
        let press = |j: usize| {
            // forces of contacts, or none
            let pressed = left.map_or(Vec3::ZERO, |left| {
                let inertia = (inv_h2 as f32) * particles.mass[j] * particles.correction[j];
                left[j - span.start] + inertia
            });
            back * pressed
        };
        let inertia = |j: usize| {
            let off = particles.inertial_place(j) - reference.place(particles.rest[j]);
            back * (inv_h2 * f64::from(particles.mass[j]) * off).as_vec3()
        };
        let hit = left.and_then(|left| impact(particles, tets, &span, left, &reference, step.h));
        let free_hit = hit.filter(|_| held.is_empty());
        let relief =
            free_hit.map(|hit| (hit.times, Relief::of(particles, &span, &reference, press)));
        let load = |j: usize| match &relief {
            Some((times, relief)) => *times * (press(j) + relief.at(particles, j)),
            None => press(j) + inertia(j),
        };
        // of what is free the load is already that of the impact
        let felt_times = |hit: Impact| if free_hit.is_some() { 1.0 } else { hit.times };
        self.impacts.extend(hit.map(|hit| Impact { times: felt_times(hit), ..hit }));
        let loads = || span.clone().map(|j| load(j).length()).sum::<f32>();
        if held.is_empty() && parts.is_finite() && loads() < LIGHT * parts {
            self.unload(&span);
            self.carry(particles, &span, &reference, false);
            return Residual { adrift, ..Residual::default() };
        }
        let floor = if parts.is_finite() { f64::from(FLOOR * parts).powi(2) } else { 0.0 };
        let share = if parts.is_finite() { COARSE_SHARE } else { SHARE };
        system.build(particles, tets, stars, &span, step.h).turn = reference.turn;
        let mut solve = |share: f32, deviation: &mut [Point]| {
            let ends = (MOST, share, floor);
            system.solve_deviation(particles, tets, stars, &span, step, ends, load, deviation)
        };
        let mut residual = solve(share, deviation);
        if hit.is_none() && fracture::is_near(tets, &span, breaking.limits(), deviation, NEAR) {
            residual = solve(SHARE, deviation);
        }
        for target in held.iter_mut() {
            let force = turn * system.reaction(target.particle as usize);
            (target.force, target.torque) = (force, Vec3::ZERO);
        }
        self.carry(particles, &span, &reference, !held.is_empty());
        Residual { adrift, ..residual }
    }

    /// Whether a piece swings so fast that a substep tells nothing of it: what grips hold of it is then where its loads have it, and how it gets
    /// there is no motion.
    pub(super) fn is_stiff(&self, span: &Span) -> bool {
        let tets = &self.elements.tets;
        let of = tets.of(span);
        let Some(first) = of.clone().next() else { return true };
        let size = ops::cbrt(tets.volume[of].iter().sum::<f32>());
        CROSSINGS * size < self.h * (tets.modulus[first] / tets.density[first]).sqrt()
    }

    /// The force that parts the weakest tetrahedron of a piece, about, N.
    fn parts_at(&self, span: &Span) -> f32 {
        let of = self.elements.tets.of(span);
        let least =
            |column: &[f32]| column[of.clone()].iter().copied().fold(f32::INFINITY, f32::min);
        let volume = least(&self.elements.tets.volume);
        least(self.breaking.limits()) * ops::cbrt(volume * volume)
    }

    /// Takes all loads off a piece.
    fn unload(&mut self, span: &Span) {
        self.deviation[span.clone()].fill([0.0; 4]);
        self.felt[self.elements.tets.of(span)].fill(Sym3::ZERO);
    }

    /// K u at the particles as they are, for what grips hold among contacts.
    pub(super) fn restore(&mut self, particles: &Particles, span: &Span, step: &Step) {
        let reference = Reference::of(particles, span, &step.workers);
        let back = reference.turn.to_mat3().transpose();
        let off = |j: usize| {
            let off = particles.place(j) - reference.place(particles.rest[j]);
            point(back * off.as_vec3())
        };
        let Elements { tets, stars, .. } = &self.elements;
        self.system.restore(particles, tets, stars, span, step, off);
    }

    /// x = x_ref, and x_ref + R u of what is held: there u is how far grips have pulled it.
    ///
    /// What is free stays on its reference. Contacts have been solved for it as for a rigid body, which pays nothing for u; a u that moved
    /// particles would hand them energy that nobody gave, in thin glass more than the fall had.
    fn carry(&self, particles: &mut Particles, span: &Span, reference: &Reference, held: bool) {
        let turn = reference.turn.to_mat3();
        for j in span.clone() {
            let off = if held { turn * vector(self.deviation[j]) } else { Vec3::ZERO };
            let place = reference.place(particles.rest[j]) + off.as_dvec3();
            particles.set_place(j, place);
            particles.correction[j] = (place - particles.inertial_place(j)).as_vec3();
        }
    }
}
