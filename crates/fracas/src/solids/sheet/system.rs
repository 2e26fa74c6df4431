//! The substep of a piece: Newton's method around conjugate gradients, in f64.
//!
//! ```text
//! r = M (x* − x)/h² − ∇Ψ(x),   (M/h² + K) d = r,   x ← x + α d with α = 1, ½, ¼ … until ½ |x − x*|²_M / h² + Ψ(x) falls
//! ```

use super::coarse::Aggregates;
use super::elastic::{Elements, Stretched};
use super::remesh::Plane;
use crate::parallel::Span;
use crate::solids::{Anchor, Particles, Residual, Step};
use crate::solve::Held;
use glam::{DMat3, DVec3, Vec3};

/// Newton steps at most.
const NEWTON: u32 = 12;
/// What is left of all that acts when a substep is solved: a tenth of what counts as converged, since stress decides what tears.
const LEFT: f64 = 1e-3;
/// A stress beside which what is out of balance counts for nothing, Pa: in free fall nothing else acts.
const FLOOR: f64 = 10.0;
/// Iterations of a substep, for each sweep of the world.
const ITERATIONS: u32 = 64;
/// What an iteration brings the residual down to at least before the next Newton step.
const ENOUGH: f64 = 0.1;
/// How often a step is halved.
const HALVED: u32 = 12;
/// Share of the slope that a step has to gain.
const GAIN: f64 = 1e-4;
/// Below this many vertices a coarse space is no gain.
const SMALL: usize = 64;

/// What changes with the particles, and room for the solve; over all vertices of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// Where vertices are, m.
    pub x: Vec<DVec3>,
    /// ∇Ψ, N.
    pub force: Vec<DVec3>,
    /// Triangles as they are now.
    pub stretched: Vec<Stretched>,
    /// D = M/h² + the blocks of K, N/m, and its inverse; 0 of what is held.
    blocks: Vec<DMat3>,
    inverse: Vec<DMat3>,
    residual: Vec<DVec3>,
    preconditioned: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
    way: Vec<DVec3>,
    tried: Vec<DVec3>,
    /// Of each piece that was solved alone, by the start of its span.
    coarse: Vec<(Span, Aggregates)>,
    /// Of all solves since it was set to 0.
    pub iterations: u32,
}

impl System {
    /// Room for so many; what was built for pieces is built anew.
    pub fn resize(&mut self, vertices: usize, triangles: usize) {
        let none = Stretched { f: [DVec3::ZERO; 2], tension: [0.0; 3] };
        self.stretched.resize(triangles, none);
        let Self { x, force, residual, preconditioned, direction, image, way, tried, .. } = self;
        for column in [x, force, residual, preconditioned, direction, image, way, tried] {
            column.resize(vertices, DVec3::ZERO);
        }
        self.blocks.resize(vertices, DMat3::ZERO);
        self.inverse.resize(vertices, DMat3::ZERO);
        self.coarse.clear();
    }

    /// Takes over where particles are.
    pub fn follow(&mut self, particles: &Particles, span: &Span) {
        for j in span.clone() {
            self.x[j] = particles.place(j);
        }
    }

    /// ∇Ψ and all that the matrix is made from, where the vertices are.
    pub fn linearise(&mut self, elements: &Elements, span: &Span) {
        self.force[span.clone()].fill(DVec3::ZERO);
        elements.add_gradient(&self.x, span, &mut self.force, &mut self.stretched);
    }

    /// D and its inverse.
    pub fn find_blocks(&mut self, particles: &Particles, elements: &Elements, span: &Span, h: f32) {
        let inv_h2 = 1.0 / (f64::from(h) * f64::from(h));
        for j in span.clone() {
            let inertia = DVec3::splat(inv_h2 * f64::from(particles.mass[j]));
            self.blocks[j] = DMat3::from_diagonal(inertia);
        }
        elements.add_diagonal(&self.stretched, span, &mut self.blocks);
        for j in span.clone() {
            let held = particles.held[j];
            self.inverse[j] = if held { DMat3::ZERO } else { self.blocks[j].inverse() };
        }
    }

    /// r = M (x* − x)/h² − ∇Ψ of a particle in the solve with contacts, N.
    pub fn gradient_at(&self, particles: &Particles, h: f32, j: usize) -> Vec3 {
        let inertia = particles.mass[j] / (h * h) * particles.correction[j];
        -inertia - self.force[j].as_vec3()
    }

    /// out = (M/h² + K) p, for the solve with contacts.
    pub fn product(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        h: f32,
        p: &[Vec3],
        out: &mut [Vec3],
    ) {
        for (p, j) in p.iter().zip(span.clone()) {
            self.direction[j] = p.as_dvec3();
        }
        self.multiply(particles, elements, span, h);
        for (out, j) in out.iter_mut().zip(span.clone()) {
            *out = self.image[j].as_vec3();
        }
    }

    /// image = (M/h² + K) direction.
    fn multiply(&mut self, particles: &Particles, elements: &Elements, span: &Span, h: f32) {
        let inv_h2 = 1.0 / (f64::from(h) * f64::from(h));
        for j in span.clone() {
            self.image[j] = inv_h2 * f64::from(particles.mass[j]) * self.direction[j];
        }
        elements.add_product(&self.stretched, span, &self.direction, &mut self.image);
    }

    /// z = (D + extra)⁻¹ r, for the solve with contacts, which adds the rigid motions of the piece by itself.
    pub fn precondition(&self, span: &Span, extra: &[f32], r: &[Vec3], z: &mut [Vec3]) {
        for (k, j) in span.clone().enumerate() {
            let answer = match extra[k] {
                0.0 => self.inverse[j] * r[k].as_dvec3(),
                stiffness => {
                    let more = DMat3::from_diagonal(DVec3::splat(f64::from(stiffness)));
                    (self.blocks[j] + more).inverse() * r[k].as_dvec3()
                }
            };
            z[k] = answer.as_vec3();
        }
    }

    /// nᵀ D⁻¹ n at a point, m/N.
    pub fn compliance_at(&self, anchor: &Anchor, n: Vec3) -> f32 {
        let n = n.as_dvec3();
        let carried = anchor.carriers().into_iter().filter(|&(_, share)| share != 0.0);
        carried.map(|(j, share)| share * share * n.dot(self.inverse[j as usize] * n) as f32).sum()
    }

    /// Solves the substep of a piece that nothing touches, from x_n + h v_n on, with what is held at its targets.
    pub fn solve(
        &mut self,
        particles: &mut Particles,
        plane: &Plane,
        elements: &Elements,
        span: &Span,
        held: &mut [Held],
        step: &Step,
    ) -> Residual {
        let h = f64::from(step.h);
        for j in span.clone() {
            let start = (h * h) * particles.acceleration[j].as_dvec3();
            self.x[j] = particles.inertial_place(j) - start;
        }
        for target in held.iter() {
            self.x[target.particle as usize] = target.position.as_dvec3();
        }
        let count = span.len() as f64;
        let mut acts = count * (FLOOR * elements.section(span, plane.edge)).powi(2);
        for j in span.clone() {
            let weight = particles.mass[j] * particles.acceleration[j];
            acts += f64::from(weight.length_squared());
        }
        let (mut left, mut all) = (0.0, acts);
        let (mut goes_on, before) = (true, self.iterations);
        for round in 0..=NEWTON {
            self.linearise(elements, span);
            (left, all) = (0.0, acts);
            for j in span.clone() {
                let inertia = f64::from(particles.mass[j]) / (h * h);
                let r = inertia * (particles.inertial_place(j) - self.x[j]) - self.force[j];
                self.residual[j] = r;
                *(if particles.held[j] { &mut all } else { &mut left }) += r.length_squared();
            }
            if !goes_on || round == NEWTON || left <= LEFT * LEFT * all {
                break;
            }
            self.find_blocks(particles, elements, span, step.h);
            self.factor_coarse(particles, plane, elements, span, step.h);
            let enough = (0.25 * LEFT * LEFT * all / left).min(ENOUGH * ENOUGH) * left;
            let left = (before + ITERATIONS * step.sweeps).saturating_sub(self.iterations);
            let slope = self.iterate(particles, elements, span, step, left, enough);
            goes_on = self.advance(particles, elements, span, slope, h) && left > 0;
        }
        for target in held.iter_mut() {
            let force = -self.residual[target.particle as usize];
            (target.force, target.torque) = (force.as_vec3(), Vec3::ZERO);
        }
        for j in span.clone() {
            particles.set_place(j, self.x[j]);
            let off = particles.place(j) - particles.inertial_place(j);
            particles.correction[j] = off.as_vec3();
        }
        Residual::new(left, all, span.len())
    }

    /// Conjugate gradients on (M/h² + K) d = r from 0 on, until r·r is below `enough`, at most so many. Returns r·d of the first r.
    fn iterate(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
        most: u32,
        enough: f64,
    ) -> f64 {
        for j in span.clone() {
            self.way[j] = DVec3::ZERO;
            if particles.held[j] {
                self.residual[j] = DVec3::ZERO;
            }
        }
        self.answer(span);
        let mut rz = dot(&self.residual, &self.preconditioned, span);
        let (mut beta, mut slope) = (0.0, 0.0);
        for _ in 0..most {
            if rz <= 0.0 || rz.is_nan() {
                break;
            }
            self.iterations += 1;
            for j in span.clone() {
                self.direction[j] = self.preconditioned[j] + beta * self.direction[j];
            }
            self.multiply(particles, elements, span, step.h);
            let curvature = dot(&self.direction, &self.image, span);
            // rounding has made the direction worthless
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let alpha = rz / curvature;
            let mut square = 0.0;
            for j in span.clone() {
                self.way[j] += alpha * self.direction[j];
                if !particles.held[j] {
                    self.residual[j] -= alpha * self.image[j];
                    square += self.residual[j].length_squared();
                }
            }
            // each step is conjugate to those before
            slope += alpha * rz;
            if square <= enough {
                break;
            }
            self.answer(span);
            let next = dot(&self.residual, &self.preconditioned, span);
            beta = next / rz;
            rz = next;
        }
        slope
    }

    /// z = D⁻¹ r + P A_c⁻¹ Pᵀ r.
    fn answer(&mut self, span: &Span) {
        let Self { inverse, residual, preconditioned, coarse, .. } = self;
        for j in span.clone() {
            preconditioned[j] = inverse[j] * residual[j];
        }
        if let Some((_, coarse)) = coarse.iter_mut().find(|(of, _)| of == span) {
            coarse.add_answer(&residual[span.clone()], &mut preconditioned[span.clone()]);
        }
    }

    fn factor_coarse(
        &mut self,
        particles: &Particles,
        plane: &Plane,
        elements: &Elements,
        span: &Span,
        h: f32,
    ) {
        if span.len() < SMALL {
            return;
        }
        if !self.coarse.iter().any(|(of, _)| of == span) {
            self.coarse.push((span.clone(), Aggregates::new(plane, elements, span)));
        }
        let Self { coarse, stretched, x, .. } = self;
        if let Some((_, coarse)) = coarse.iter_mut().find(|(of, _)| of == span) {
            coarse.factor(particles, elements, stretched, x, span, h);
        }
    }

    /// Moves along the way that was found, as far as what it minimises falls; false if that is nowhere.
    fn advance(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        slope: f64,
        h: f64,
    ) -> bool {
        let before = self.potential(particles, elements, &self.x, span, h);
        let mut share = 1.0;
        for _ in 0..HALVED {
            for j in span.clone() {
                self.tried[j] = self.x[j] + share * self.way[j];
            }
            let after = self.potential(particles, elements, &self.tried, span, h);
            // a gain that rounding hides is none to look for
            let hidden = 1e-12 * before.abs();
            if after <= before - GAIN * share * slope + hidden {
                self.x[span.clone()].copy_from_slice(&self.tried[span.clone()]);
                return true;
            }
            share *= 0.5;
        }
        false
    }

    /// ½ Σ m |x − x*|²/h² + Ψ(x), J.
    fn potential(
        &self,
        particles: &Particles,
        elements: &Elements,
        x: &[DVec3],
        span: &Span,
        h: f64,
    ) -> f64 {
        let mut inertia = 0.0;
        for j in span.clone().filter(|&j| !particles.held[j]) {
            let off = x[j] - particles.inertial_place(j);
            inertia += f64::from(particles.mass[j]) * off.length_squared();
        }
        0.5 * inertia / (h * h) + elements.energy(x, span)
    }
}

fn dot(a: &[DVec3], b: &[DVec3], span: &Span) -> f64 {
    a[span.clone()].iter().zip(&b[span.clone()]).map(|(a, b)| a.dot(*b)).sum()
}
