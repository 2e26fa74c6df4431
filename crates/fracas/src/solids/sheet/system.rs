//! The substep of a piece: Newton's method around conjugate gradients, in f64.
//!
//! ```text
//! r = M (x* − x)/h² − ∇Ψ(x),   (M/h² + K) d = r,   x ← x + α d with α = 1, ½, ¼ … until ½ |x − x*|²_M / h² + Ψ(x) falls
//! ```
//!
//! Every pass over triangles or vertices is cut among threads; what triangles do to vertices is gathered by these. Along d the energy is a quartic
//! in α, so that no step has to be tried out.

use super::coarse::Aggregates;
use super::elastic::{Elements, Pull, Stretched};
use super::remesh::Plane;
use super::soft::Soft;
use crate::parallel::{Span, Workers};
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
/// Nor is it while triangles are not this many times as stiff as M/h²: what an iteration reaches is then as far as forces get in a substep.
const STIFF: f64 = 300.0;

/// What changes with the particles, and room for the solve; over all vertices of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// Where vertices are, m.
    pub x: Vec<DVec3>,
    /// ∇Ψ, N.
    pub force: Vec<DVec3>,
    /// Triangles as they are now, and room for what they do.
    pub stretched: Vec<Stretched>,
    pulls: Vec<Pull>,
    /// D = M/h² + the blocks of K, N/m, and its inverse; 0 of what is held.
    blocks: Vec<DMat3>,
    inverse: Vec<DMat3>,
    residual: Vec<DVec3>,
    preconditioned: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
    way: Vec<DVec3>,
    /// Instead of all that for pieces that are soft, and at each vertex whether its piece is.
    soft: Soft,
    is_soft: Vec<bool>,
    /// Of each piece that was solved alone, by the start of its span.
    coarse: Vec<(Span, Aggregates)>,
    /// Of all solves since it was set to 0.
    pub iterations: u32,
}

impl System {
    /// Room for so many; what was built for pieces is built anew.
    pub fn resize(&mut self, vertices: usize, triangles: usize) {
        self.stretched.resize(triangles, Stretched::NONE);
        self.pulls.resize(triangles, [DVec3::ZERO; 3]);
        let Self { x, force, residual, preconditioned, direction, image, way, .. } = self;
        for column in [x, force, residual, preconditioned, direction, image, way] {
            column.resize(vertices, DVec3::ZERO);
        }
        self.blocks.resize(vertices, DMat3::ZERO);
        self.inverse.resize(vertices, DMat3::ZERO);
        self.soft.resize(vertices, triangles);
        self.is_soft.resize(vertices, false);
        self.coarse.clear();
    }

    /// Takes over where particles are.
    pub fn follow(&mut self, particles: &Particles, span: &Span) {
        for j in span.clone() {
            self.x[j] = particles.place(j);
        }
    }

    /// ∇Ψ and all that the matrix is made from, where the vertices are.
    pub fn linearise(&mut self, elements: &Elements, span: &Span, workers: &Workers) {
        let Self { x, stretched, pulls, force, soft, is_soft, .. } = self;
        if is_soft[span.start] {
            return soft.linearise(elements, x, span, force, workers);
        }
        elements.find_gradient(x, span, stretched, pulls, force, workers);
    }

    /// Finds out whether a piece is soft beside its inertia: before all else in a substep.
    pub fn weigh(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
    ) -> bool {
        let mass: f64 = particles.mass[span.clone()].iter().map(|&m| f64::from(m)).sum();
        let h = f64::from(step.h);
        let is_soft = h * h * elements.stiffness(span) <= STIFF * mass;
        self.is_soft[span.clone()].fill(is_soft);
        is_soft
    }

    /// D and its inverse.
    pub fn find_blocks(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
    ) {
        let Self { blocks, inverse, stretched, soft, is_soft, .. } = self;
        if is_soft[span.start] {
            return soft.find_blocks(particles, elements, span, step);
        }
        let inv_h2 = 1.0 / (f64::from(step.h) * f64::from(step.h));
        let columns = (&mut blocks[span.clone()], &mut inverse[span.clone()]);
        step.workers.for_span(span.clone(), columns, &|vertices, (blocks, inverse)| {
            for ((j, block), inverse) in vertices.zip(blocks).zip(inverse) {
                let inertia = inv_h2 * f64::from(particles.mass[j]);
                *block = elements.diagonal_at(stretched, j)
                    + DMat3::from_diagonal(DVec3::splat(inertia));
                *inverse = if particles.held[j] { DMat3::ZERO } else { block.inverse() };
            }
        });
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
        step: &Step,
        p: &[Vec3],
        out: &mut [Vec3],
    ) {
        if self.is_soft[span.start] {
            return self.soft.product(particles, elements, span, step, p, out);
        }
        for (p, j) in p.iter().zip(span.clone()) {
            self.direction[j] = p.as_dvec3();
        }
        self.multiply(particles, elements, span, step);
        for (out, j) in out.iter_mut().zip(span.clone()) {
            *out = self.image[j].as_vec3();
        }
    }

    /// image = (M/h² + K) direction. Returns their product.
    fn multiply(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
    ) -> f64 {
        let Self { stretched, pulls, direction, image, .. } = self;
        elements.find_pulls(stretched, span, direction, pulls, &step.workers);
        let inv_h2 = 1.0 / (f64::from(step.h) * f64::from(step.h));
        step.workers.fold_span(span.clone(), &mut image[span.clone()], &|vertices, image| {
            let mut sum = 0.0;
            for (j, image) in vertices.zip(image) {
                let p = direction[j];
                let inertia = inv_h2 * f64::from(particles.mass[j]) * p;
                *image = inertia + elements.product_at(pulls, direction, j);
                sum += p.dot(*image);
            }
            sum
        })
    }

    /// z = (D + extra)⁻¹ r, for the solve with contacts, which adds the rigid motions of the piece by itself.
    pub fn precondition(
        &self,
        span: &Span,
        extra: &[f32],
        r: &[Vec3],
        z: &mut [Vec3],
        workers: &Workers,
    ) {
        let start = span.start;
        if self.is_soft[start] {
            return self.soft.precondition(span, extra, r, z, workers);
        }
        workers.for_span(span.clone(), z, &|vertices, z| {
            for (j, z) in vertices.zip(z) {
                let (stiffness, r) = (extra[j - start], r[j - start].as_dvec3());
                let answer = if stiffness == 0.0 {
                    self.inverse[j] * r
                } else {
                    let more = DMat3::from_diagonal(DVec3::splat(f64::from(stiffness)));
                    (self.blocks[j] + more).inverse() * r
                };
                *z = answer.as_vec3();
            }
        });
    }

    /// nᵀ D⁻¹ n at a point, m/N.
    pub fn compliance_at(&self, anchor: &Anchor, n: Vec3) -> f32 {
        let carried = anchor.carriers().into_iter().filter(|&(_, share)| share != 0.0);
        let gives = |j: usize| match self.is_soft[j] {
            true => n.dot(self.soft.answer(j, n)),
            false => n.as_dvec3().dot(self.inverse[j] * n.as_dvec3()) as f32,
        };
        carried.map(|(j, share)| share * share * gives(j as usize)).sum()
    }

    /// Solves the substep of a piece that nothing touches, from x_n + h v_n on, with what is held at its targets. `pulled` is what elasticity did in
    /// the substep before, m/s².
    pub fn solve(
        &mut self,
        particles: &mut Particles,
        plane: &Plane,
        elements: &Elements,
        span: &Span,
        held: &mut [Held],
        pulled: &[Vec3],
        step: &Step,
    ) -> Residual {
        let h = f64::from(step.h);
        let soft = self.weigh(particles, elements, span, step);
        for j in span.clone() {
            // pulled as in the substep before; what is stiff swings too fast for that
            let pull = if soft { pulled[j] } else { -particles.acceleration[j] };
            self.x[j] = particles.inertial_place(j) + (h * h) * pull.as_dvec3();
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
            self.linearise(elements, span, &step.workers);
            let Sums(free, reactions) = self.find_residual(particles, span, step);
            (left, all) = (free, acts + reactions);
            if !goes_on || round == NEWTON || left <= LEFT * LEFT * all {
                break;
            }
            self.find_blocks(particles, elements, span, step);
            let coarse = !soft && span.len() >= SMALL;
            if coarse {
                self.factor_coarse(particles, plane, elements, span, step.h);
            }
            let enough = (0.25 * LEFT * LEFT * all / left).min(ENOUGH * ENOUGH) * left;
            let most = (before + ITERATIONS * step.sweeps).saturating_sub(self.iterations);
            let slope = if soft {
                let Self { soft, residual, way, iterations, .. } = self;
                let (slope, count) =
                    soft.iterate(particles, elements, span, step, residual, most, enough, way);
                *iterations += count;
                slope
            } else {
                self.iterate(particles, elements, span, step, coarse, most, enough)
            };
            goes_on = self.advance(elements, span, step, slope) && most > 0;
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

    /// r = M (x* − x)/h² − ∇Ψ. Returns r·r of what is free and of what is held.
    fn find_residual(&mut self, particles: &Particles, span: &Span, step: &Step) -> Sums {
        let inv_h2 = 1.0 / (f64::from(step.h) * f64::from(step.h));
        let Self { x, force, residual, .. } = self;
        step.workers.fold_span(span.clone(), &mut residual[span.clone()], &|vertices, residual| {
            let mut sums = Sums(0.0, 0.0);
            for (j, r) in vertices.zip(residual) {
                let inertia = inv_h2 * f64::from(particles.mass[j]);
                *r = inertia * (particles.inertial_place(j) - x[j]) - force[j];
                let sum = if particles.held[j] { &mut sums.1 } else { &mut sums.0 };
                *sum += r.length_squared();
            }
            sums
        })
    }

    /// Conjugate gradients on (M/h² + K) d = r from 0 on, until r·r is below `enough`, at most so many. Returns r·d of the first r.
    fn iterate(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
        coarse: bool,
        most: u32,
        enough: f64,
    ) -> f64 {
        for j in span.clone() {
            self.way[j] = DVec3::ZERO;
            // of the solve before, which may have ended in no numbers
            (self.direction[j], self.image[j]) = (DVec3::ZERO, DVec3::ZERO);
            if particles.held[j] {
                self.residual[j] = DVec3::ZERO;
            }
        }
        let Sums(_, mut rz) = self.answer(particles, span, step, coarse, 0.0);
        let (mut beta, mut slope) = (0.0, 0.0);
        for _ in 0..most {
            if rz <= 0.0 || rz.is_nan() {
                break;
            }
            self.iterations += 1;
            let Self { direction, preconditioned, .. } = self;
            step.workers.for_span(span.clone(), &mut direction[span.clone()], &|vertices, p| {
                for (j, p) in vertices.zip(p) {
                    *p = preconditioned[j] + beta * *p;
                }
            });
            let curvature = self.multiply(particles, elements, span, step);
            // rounding has made the direction worthless
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let alpha = rz / curvature;
            // each step is conjugate to those before
            slope += alpha * rz;
            let Sums(square, next) = self.answer(particles, span, step, coarse, alpha);
            if square <= enough {
                break;
            }
            beta = next / rz;
            rz = next;
        }
        slope
    }

    /// A step of this length, and z = D⁻¹ r + P A_c⁻¹ Pᵀ r of what is left. Returns r·r and r·z.
    fn answer(
        &mut self,
        particles: &Particles,
        span: &Span,
        step: &Step,
        with_coarse: bool,
        alpha: f64,
    ) -> Sums {
        let Self { inverse, residual, preconditioned, coarse, way, direction, image, .. } = self;
        let columns = (
            &mut way[span.clone()],
            &mut residual[span.clone()],
            &mut preconditioned[span.clone()],
        );
        let sums =
            step.workers.fold_span(span.clone(), columns, &|vertices, (way, residual, z)| {
                let mut sums = Sums(0.0, 0.0);
                for (((j, way), r), z) in vertices.zip(way).zip(residual).zip(z) {
                    *way += alpha * direction[j];
                    if !particles.held[j] {
                        *r -= alpha * image[j];
                    }
                    *z = inverse[j] * *r;
                    sums = sums + Sums(r.length_squared(), r.dot(*z));
                }
                sums
            });
        let coarse = coarse.iter_mut().find(|(of, _)| with_coarse && of == span);
        let Some((_, coarse)) = coarse else { return sums };
        coarse.add_answer(&residual[span.clone()], &mut preconditioned[span.clone()]);
        Sums(sums.0, dot(residual, preconditioned, span))
    }

    fn factor_coarse(
        &mut self,
        particles: &Particles,
        plane: &Plane,
        elements: &Elements,
        span: &Span,
        h: f32,
    ) {
        if !self.coarse.iter().any(|(of, _)| of == span) {
            self.coarse.push((span.clone(), Aggregates::new(plane, elements, span)));
        }
        let Self { coarse, stretched, x, .. } = self;
        if let Some((_, coarse)) = coarse.iter_mut().find(|(of, _)| of == span) {
            coarse.factor(particles, elements, stretched, x, span, h);
        }
    }

    /// Moves along the way that was found, as far as what it minimises falls; false if that is nowhere.
    fn advance(&mut self, elements: &Elements, span: &Span, step: &Step, slope: f64) -> bool {
        let Self { x, way, stretched, soft, is_soft, .. } = self;
        let [two, three, four] = match is_soft[span.start] {
            true => soft.along(elements, span, &step.workers),
            false => elements.along(stretched, span, way, &step.workers),
        };
        // along what conjugate gradients found, half of the second order is what the slope gains
        let falls = |s: f64| -slope + s * (0.5 * slope + two + s * (three + s * four));
        let shares = std::iter::successors(Some(1.0), |share| Some(0.5 * share));
        let mut tried = shares.take(HALVED as usize);
        let Some(share) = tried.find(|&share| falls(share) <= -GAIN * slope) else { return false };
        step.workers.for_span(span.clone(), &mut x[span.clone()], &|vertices, x| {
            for (j, x) in vertices.zip(x) {
                *x += share * way[j];
            }
        });
        true
    }
}

/// Two sums at once.
struct Sums(f64, f64);

impl std::ops::Add for Sums {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

fn dot(a: &[DVec3], b: &[DVec3], span: &Span) -> f64 {
    a[span.clone()].iter().zip(&b[span.clone()]).map(|(a, b)| a.dot(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::elastic::tests::fabric;
    use super::super::remesh::tests::{random, square};
    use super::*;
    use crate::solids::particles::NewParticle;

    /// Of a shaken cloth both kinds of solve have the same forces, matrix, diagonal and quartic, but for the rounding of f32; with bending that
    /// counts and with bending that does not.
    #[test]
    fn soft_sheets_have_the_same_matrix() {
        let mut state = 5;
        for rigidity in [1.0, 1e-6] {
            let plane = square(21, 0.4, &mut state);
            let fabric = fabric(plane.rest.len(), [1e3, 0.3, 0.1, rigidity]);
            let elements = Elements::new(&plane, &fabric);
            let count = plane.rest.len();
            let mut particles = Particles::default();
            let mut shaken =
                |size: f64| size * DVec3::from([0; 3].map(|_| random(&mut state) - 0.5));
            for rest in &plane.rest {
                let rest = DVec3::new(rest.x, 0.0, -rest.y) + shaken(0.3);
                particles.push(NewParticle {
                    rest: rest.as_vec3(),
                    mass: 0.1,
                    inertia: None,
                    radii: [0.1; 3],
                    axes: crate::math::Rot::IDENTITY,
                    friction: [0.0; 2],
                    restitution: 0.0,
                    material: 0,
                });
            }
            particles.keep_remainders();
            let step = Step { h: 0.01, sweeps: 8, workers: Workers::default() };
            let span = 0..count;
            let p: Vec<Vec3> = (0..count).map(|_| shaken(1.0).as_vec3()).collect();
            let [stiff, soft] = [false, true].map(|soft| {
                let mut system = System::default();
                system.resize(count, elements.triangles.len());
                system.is_soft.fill(soft);
                system.follow(&particles, &span);
                system.linearise(&elements, &span, &step.workers);
                system.find_blocks(&particles, &elements, &span, &step);
                let mut out = vec![Vec3::ZERO; count];
                system.product(&particles, &elements, &span, &step, &p, &mut out);
                let mut answer = vec![Vec3::ZERO; count];
                let extra = vec![0.0; count];
                system.precondition(&span, &extra, &p, &mut answer, &step.workers);
                let way: Vec<DVec3> = p.iter().map(|p| p.as_dvec3()).collect();
                let along = match soft {
                    true => system.soft.along_of(&elements, &span, &way),
                    false => elements.along(&system.stretched, &span, &way, &step.workers),
                };
                (system.force.clone(), out, answer, along)
            });
            let size = |v: &[Vec3]| v.iter().map(|v| v.length()).fold(0.0, f32::max);
            // what is left out of the matrix is far less than inertia
            let bound = if rigidity > 0.01 { 1e-5 } else { 1e-4 };
            for (one, other, what) in
                [(&stiff.1, &soft.1, "product"), (&stiff.2, &soft.2, "answer")]
            {
                let off: Vec<Vec3> = one.iter().zip(other).map(|(a, b)| *a - *b).collect();
                assert!(size(&off) < bound * size(one), "{what} off by {}", size(&off));
            }
            for (one, other) in stiff.0.iter().zip(&soft.0) {
                assert!(one.distance(*other) < 1e-4, "{one} N and {other} N");
            }
            for (one, other) in stiff.3.iter().zip(soft.3) {
                assert!((one - other).abs() < 1e-4 * one.abs(), "{one} J and {other} J");
            }
        }
    }
}
