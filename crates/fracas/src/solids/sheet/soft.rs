//! Conjugate gradients for pieces that are soft beside their inertia, as cloth is: in f32, eight triangles at a time.
//!
//! Newton's method around it measures what is out of balance in f64, so that rounding costs iterations and no accuracy. Of a sheet as stiff as paper
//! it would cost all of them: its stretch is millions of times M/h².
//!
//! ```text
//! (M/h² + K) d = r,   z = D⁻¹ r,   K p per triangle as in `elastic`, by differences of p
//! ```

use super::elastic::{Elements, Quartic, positive};
use crate::math::Sym3;
use crate::math::fearless_simd::{Level, Simd, dispatch, f32x4, f32x8, prelude::*};
use crate::math::wide::Vec3x8;
use crate::math::wide::columns::{load_lanes, vec3};
use crate::parallel::{Span, Workers};
use crate::solids::fem::lanes::{Point, gather, point, store, sum_slots, vector};
use crate::solids::{Particles, Step};
use glam::{DVec3, Vec3};

/// Bending that is less than this share of M/h² everywhere is left out of the matrix, and found by the next Newton step: its largest eigenvalue is
/// some three times its diagonal.
const LIMP: f64 = 0.02;

/// See [`Soft::columns`].
const COLUMNS: usize = 18;

/// What the matrix is made from, and room for the solve; over all triangles and vertices of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct Soft {
    corners: Vec<[u32; 3]>,
    /// F by columns, g₁ and g₂, A t λ*, A t μ, A t S⁺, A t S⁻.
    columns: [Vec<f32>; COLUMNS],
    /// What triangles do to their corners.
    slots: Vec<[Point; 3]>,
    /// The blocks of K of each triangle on the diagonal: xx, yy, zz and xy, yz, zx.
    along: Vec<[Point; 3]>,
    across: Vec<[Point; 3]>,
    /// D, N/m, and its inverse by columns; 0 of what is held.
    blocks: Vec<Sym3>,
    inverse: Vec<[Point; 3]>,
    /// Whether bending is left out at a vertex's piece.
    limp: Vec<bool>,
    residual: Vec<Point>,
    preconditioned: Vec<Point>,
    direction: Vec<Point>,
    image: Vec<Point>,
    way: Vec<Point>,
}

/// Sums that an iteration needs.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// r·z.
    product: f64,
    /// r·r.
    square: f64,
}

impl std::ops::Add for Sums {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { product: self.product + b.product, square: self.square + b.square }
    }
}

/// The matrix of a piece.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    elements: &'a Elements,
    corners: &'a [[u32; 3]],
    columns: &'a [Vec<f32>; COLUMNS],
    mass: &'a [f32],
    span: &'a Span,
    inv_h2: f32,
    limp: bool,
    workers: &'a Workers,
}

impl Soft {
    /// Room for so many.
    pub fn resize(&mut self, vertices: usize, triangles: usize) {
        let Self { corners, columns, slots, along, across, blocks, inverse, limp, .. } = self;
        corners.resize(triangles, [0; 3]);
        columns.iter_mut().for_each(|column| column.resize(triangles, 0.0));
        [slots, along, across].into_iter().for_each(|s| s.resize(triangles, [[0.0; 4]; 3]));
        blocks.resize(vertices, Sym3::ZERO);
        inverse.resize(vertices, [[0.0; 4]; 3]);
        limp.resize(vertices, false);
        let Self { residual, preconditioned, direction, image, way, .. } = self;
        for points in [residual, preconditioned, direction, image, way] {
            points.resize(vertices, [0.0; 4]);
        }
    }

    /// ∇Ψ of a piece with its vertices at `x`, N, and all that the matrix is made from.
    pub fn linearise(
        &mut self,
        elements: &Elements,
        x: &[DVec3],
        span: &Span,
        force: &mut [DVec3],
        workers: &Workers,
    ) {
        let Self { corners, columns, slots, .. } = self;
        let of = elements.of(span);
        let room = (&mut corners[of.clone()], cut(columns, &of), &mut slots[of.clone()]);
        workers.for_span(of, room, &|range, room| linearise_range(elements, x, range, room));
        let slots = slots.as_flattened();
        workers.for_span(span.clone(), &mut force[span.clone()], &|range, force| {
            for (v, force) in range.zip(force) {
                let pulls = elements.corners_of(v).iter();
                let sum: Vec3 = pulls.map(|&corner| vector(slots[corner as usize])).sum();
                *force = sum.as_dvec3() + elements.bending.force_at(x, v);
            }
        });
    }

    /// D and its inverse, of what was linearised.
    pub fn find_blocks(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
    ) {
        let Self { columns, along, across, blocks, inverse, limp, .. } = self;
        let (of, workers) = (elements.of(span), &step.workers);
        let columns = &*columns;
        let room = (&mut along[of.clone()], &mut across[of.clone()]);
        workers.for_span(of, room, &|range, (along, across)| {
            dispatch!(Level::new(), simd => find_blocks(simd, columns, range, along, across));
        });
        let inv_h2 = 1.0 / (step.h * step.h);
        let is_limp =
            |v: usize| elements.bending.diagonal(v) <= LIMP * f64::from(inv_h2 * particles.mass[v]);
        let is_limp = span.clone().all(is_limp);
        limp[span.clone()].fill(is_limp);
        let (along, across) = (&*along, &*across);
        let room = (&mut blocks[span.clone()], &mut inverse[span.clone()]);
        workers.for_span(span.clone(), room, &|range, (blocks, inverse)| {
            for ((v, block), inverse) in range.zip(blocks).zip(inverse) {
                let inertia = inv_h2 * particles.mass[v];
                let bending = if is_limp { 0.0 } else { elements.bending.diagonal(v) as f32 };
                let mut sums = [Vec3::splat(inertia + bending), Vec3::ZERO];
                for &corner in elements.corners_of(v) {
                    sums[0] += vector(along.as_flattened()[corner as usize]);
                    sums[1] += vector(across.as_flattened()[corner as usize]);
                }
                let [d, o] = sums;
                *block = Sym3 { xx: d.x, yy: d.y, zz: d.z, xy: o.x, yz: o.y, zx: o.z };
                let free = if particles.held[v] { None } else { block.inverse() };
                let Sym3 { xx, yy, zz, xy, yz, zx } = free.unwrap_or_default();
                *inverse = [[xx, xy, zx, 0.0], [xy, yy, yz, 0.0], [zx, yz, zz, 0.0]];
            }
        });
    }

    /// Conjugate gradients on (M/h² + K) d = r from 0 on, until r·r is below `enough`, at most so many; d goes to `way`. What is held stays.
    /// Returns r·d of the first r, and how many there were.
    pub fn iterate(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
        r: &[DVec3],
        most: u32,
        enough: f64,
        way: &mut [DVec3],
    ) -> (f64, u32) {
        let workers = &step.workers;
        let first = &mut self.residual[span.clone()];
        workers.for_span(span.clone(), first, &|range, first| {
            for (j, first) in range.zip(first) {
                let free = if particles.held[j] { Vec3::ZERO } else { r[j].as_vec3() };
                *first = point(free);
            }
        });
        self.way[span.clone()].fill([0.0; 4]);
        let mut sums = self.advance(0.0, span, &particles.held, workers);
        let (mut beta, mut slope, mut count) = (0.0, 0.0, 0);
        while count < most && sums.product > 0.0 {
            count += 1;
            self.follow_residual(beta, span, workers);
            let curvature = self.multiply(particles, elements, span, step);
            // rounding has made the direction worthless
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let alpha = sums.product / curvature;
            // each step is conjugate to those before
            slope += alpha * sums.product;
            let next = self.advance(alpha as f32, span, &particles.held, workers);
            if next.square <= enough {
                break;
            }
            beta = (next.product / sums.product) as f32;
            sums = next;
        }
        for j in span.clone() {
            way[j] = vector(self.way[j]).as_dvec3();
        }
        (slope, count)
    }

    /// What [`Elements::along`] tells, along the way that was found.
    pub fn along(&self, elements: &Elements, span: &Span, workers: &Workers) -> [f64; 3] {
        let Self { corners, columns, way, .. } = self;
        let Quartic([two, three, four]) = workers.sum(elements.of(span), &|range: Span| {
            dispatch!(Level::new(), simd => along_range(simd, corners, columns, way, range))
        });
        [0.5 * two, 0.5 * three, 0.125 * four]
    }

    /// p = z + β p.
    fn follow_residual(&mut self, beta: f32, span: &Span, workers: &Workers) {
        let Self { preconditioned, direction, .. } = self;
        let z = &*preconditioned;
        workers.for_span(span.clone(), &mut direction[span.clone()], &|range, p| {
            dispatch!(Level::new(), simd => mix(simd, beta, p, &z[range]));
        });
    }

    /// image = (M/h² + K) direction. Returns their product.
    fn multiply(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        span: &Span,
        step: &Step,
    ) -> f64 {
        let Self { corners, columns, slots, direction, image, limp, .. } = self;
        let matrix = Matrix {
            elements,
            corners,
            columns,
            mass: &particles.mass,
            span,
            inv_h2: 1.0 / (step.h * step.h),
            limp: limp[span.start],
            workers: &step.workers,
        };
        matrix.multiply(direction, slots, &mut image[span.clone()])
    }

    /// d += α p, r −= α A p where nothing is held, z = D⁻¹ r.
    fn advance(&mut self, alpha: f32, span: &Span, held: &[bool], workers: &Workers) -> Sums {
        let Self { inverse, residual, preconditioned, way, direction, image, .. } = self;
        let columns = (
            &mut way[span.clone()],
            &mut residual[span.clone()],
            &mut preconditioned[span.clone()],
        );
        let given = (&direction[..], &image[..], &inverse[..], held);
        workers.fold_span(span.clone(), columns, &|range, columns| {
            let (p, image, inverse, held) = given;
            let given =
                (&p[range.clone()], &image[range.clone()], &inverse[range.clone()], &held[range]);
            dispatch!(Level::new(), simd => advance_range(simd, alpha, columns, given))
        })
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
        let start = span.start;
        let direction = &mut self.direction[span.clone()];
        step.workers.for_span(0..p.len(), direction, &|range, direction| {
            direction.iter_mut().zip(&p[range]).for_each(|(to, p)| *to = point(*p));
        });
        self.multiply(particles, elements, span, step);
        let image = &self.image;
        step.workers.for_span(0..out.len(), out, &|range, out| {
            for (k, out) in range.zip(out) {
                *out = vector(image[start + k]);
            }
        });
    }

    /// z = (D + extra)⁻¹ r, for the solve with contacts.
    pub fn precondition(
        &self,
        span: &Span,
        extra: &[f32],
        r: &[Vec3],
        z: &mut [Vec3],
        workers: &Workers,
    ) {
        let start = span.start;
        workers.for_span(0..z.len(), z, &|range, z| {
            for (k, z) in range.zip(z) {
                *z = if extra[k] == 0.0 {
                    self.answer(start + k, r[k])
                } else {
                    let block = self.blocks[start + k] + Sym3::from_diagonal(Vec3::splat(extra[k]));
                    block.inverse().unwrap_or_default() * r[k]
                };
            }
        });
    }

    /// D⁻¹ r at a vertex.
    pub fn answer(&self, v: usize, r: Vec3) -> Vec3 {
        let [x, y, z] = self.inverse[v].map(vector);
        r.x * x + r.y * y + r.z * z
    }
}

#[cfg(test)]
impl Soft {
    /// [`along`](Self::along) a way of the body.
    pub fn along_of(&mut self, elements: &Elements, span: &Span, way: &[DVec3]) -> [f64; 3] {
        self.way = way.iter().map(|d| point(d.as_vec3())).collect();
        self.along(elements, span, &Workers::default())
    }
}

/// The part of each column that belongs to some triangles.
fn cut<'a>(columns: &'a mut [Vec<f32>; COLUMNS], of: &Span) -> [&'a mut [f32]; COLUMNS] {
    columns.each_mut().map(|column| &mut column[of.clone()])
}

type Linear<'a> = (&'a mut [[u32; 3]], [&'a mut [f32]; COLUMNS], &'a mut [[Point; 3]]);

/// What some triangles do to their corners, and what the matrix needs of them.
fn linearise_range(
    elements: &Elements,
    x: &[DVec3],
    range: Span,
    (corners, mut columns, slots): Linear<'_>,
) {
    for (k, t) in range.enumerate() {
        let element = &elements.triangles[t];
        let f = element.slope(x);
        let s = element.stress(f);
        let [stress, tension] = [s, positive(s)].map(|s| s.map(|s| element.volume * s));
        let ([u, v], [_, b, c], [lambda, mu]) = (f, element.g, element.lame);
        corners[k] = element.corners;
        let of = [u.x, u.y, u.z, v.x, v.y, v.z, b.x, b.y, c.x, c.y, lambda, mu];
        let pushed = [0, 1, 2].map(|k| stress[k] - tension[k]);
        for (column, value) in columns.iter_mut().zip(of.into_iter().chain(tension).chain(pushed)) {
            column[k] = value as f32;
        }
        let [xx, yy, xy] = stress;
        let pull = element.on_corners([xx * u + xy * v, xy * u + yy * v]);
        slots[k] = pull.map(|force| point(force.as_vec3()));
    }
}

/// Eight triangles.
struct Eight<S: Simd> {
    /// Columns of F.
    f: [Vec3x8<S>; 2],
    /// g₁ and g₂ by their coordinates.
    g: [[f32x8<S>; 2]; 2],
    lame: [f32x8<S>; 2],
    /// xx, yy, xy of both parts.
    tension: [f32x8<S>; 3],
    pushed: [f32x8<S>; 3],
}

impl<S: Simd> Eight<S> {
    #[inline(always)]
    fn load(simd: S, columns: &[Vec<f32>; COLUMNS], t: usize) -> Self {
        let load = |k: usize| load_lanes(simd, &columns[k], t);
        Self {
            f: [vec3(load(0), load(1), load(2)), vec3(load(3), load(4), load(5))],
            g: [[load(6), load(7)], [load(8), load(9)]],
            lame: [load(10), load(11)],
            tension: [load(12), load(13), load(14)],
            pushed: [load(15), load(16), load(17)],
        }
    }

    /// λ* F g gᵀ Fᵀ + μ (g·g F Fᵀ + F g gᵀ Fᵀ) + g·S⁺ g, times A t: the diagonal and what is beside it.
    #[inline(always)]
    fn block(&self, [x, y]: [f32x8<S>; 2]) -> [Vec3x8<S>; 2] {
        let ([u, v], [lambda, mu]) = (self.f, self.lame);
        let [xx, yy, xy] = self.tension;
        let along = u * x + v * y;
        let both = mu * (x * x + y * y);
        let own = lambda + mu;
        let pulled = x * (xx * x + xy * y) + y * (xy * x + yy * y);
        let of = |a: [f32x8<S>; 2], b: [f32x8<S>; 2], c: [f32x8<S>; 2]| {
            own * a[0] * a[1] + both * (b[0] * b[1] + c[0] * c[1])
        };
        let diagonal = |a, b, c| of([a, a], [b, b], [c, c]) + pulled;
        [
            vec3(
                diagonal(along.x, u.x, v.x),
                diagonal(along.y, u.y, v.y),
                diagonal(along.z, u.z, v.z),
            ),
            vec3(
                of([along.x, along.y], [u.x, u.y], [v.x, v.y]),
                of([along.y, along.z], [u.y, u.z], [v.y, v.z]),
                of([along.z, along.x], [u.z, u.x], [v.z, v.x]),
            ),
        ]
    }

    /// What acts on corners 1 and 2, from how they move against corner 0.
    #[inline(always)]
    fn pull(&self, d1: Vec3x8<S>, d2: Vec3x8<S>) -> [Vec3x8<S>; 2] {
        let ([u, v], [[bx, by], [cx, cy]], [lambda, mu]) = (self.f, self.g, self.lame);
        let [txx, tyy, txy] = self.tension;
        let (du, dv) = (d1 * bx + d2 * cx, d1 * by + d2 * cy);
        // A t dE
        let (xx, yy, xy) = (u.dot(du), v.dot(dv), u.dot(dv) + v.dot(du));
        let trace = lambda * (xx + yy);
        let (sxx, syy, sxy) = (trace + (mu + mu) * xx, trace + (mu + mu) * yy, mu * xy);
        let first = u * sxx + v * sxy + du * txx + dv * txy;
        let second = u * sxy + v * syy + du * txy + dv * tyy;
        [first * bx + second * by, first * cx + second * cy]
    }
}

impl<S: Simd> Eight<S> {
    /// See [`Elements::along`].
    #[inline(always)]
    fn along(&self, d1: Vec3x8<S>, d2: Vec3x8<S>) -> [f32x8<S>; 3] {
        let ([u, v], [[bx, by], [cx, cy]], [lambda, mu]) = (self.f, self.g, self.lame);
        let (du, dv) = (d1 * bx + d2 * cx, d1 * by + d2 * cy);
        // twice xy, so that pairs of stress and strain sum up
        let one = [u.dot(du), v.dot(dv), u.dot(dv) + v.dot(du)];
        let both = du.dot(dv);
        let two = [du.dot(du), dv.dot(dv), both + both];
        let work = |a: [f32x8<S>; 3], b: [f32x8<S>; 3]| {
            lambda * (a[0] + a[1]) * (b[0] + b[1])
                + mu * (a[0] * b[0] + a[0] * b[0] + a[1] * b[1] + a[1] * b[1] + a[2] * b[2])
        };
        let [xx, yy, xy] = self.pushed;
        [xx * two[0] + yy * two[1] + xy * two[2], work(one, two), work(two, two)]
    }
}

/// Three vectors of eight triangles, or of as many as there is room for.
#[inline(always)]
fn store_corners<S: Simd>(simd: S, corners: [Vec3x8<S>; 3], slots: &mut [[Point; 3]]) {
    let mut room = [[[0.0; 4]; 8]; 3];
    for (of, room) in corners.into_iter().zip(&mut room) {
        store(simd, of, room);
    }
    for (k, slot) in slots.iter_mut().take(8).enumerate() {
        *slot = [room[0][k], room[1][k], room[2][k]];
    }
}

#[inline(always)]
fn along_range<S: Simd>(
    simd: S,
    corners: &[[u32; 3]],
    columns: &[Vec<f32>; COLUMNS],
    way: &[Point],
    range: Span,
) -> Quartic {
    let mut sums = [f32x8::splat(simd, 0.0); 3];
    for t in range.clone().step_by(8) {
        let [d0, d1, d2] = [0, 1, 2].map(|k| gather(simd, way, corners, t, k));
        let of = Eight::load(simd, columns, t).along(d1 - d0, d2 - d0);
        // past the end are triangles of others
        let mut left = [1.0; 8];
        left[range.end.saturating_sub(t).min(8)..].fill(0.0);
        let left = f32x8::from_slice(simd, &left);
        (0..3).for_each(|k| sums[k] += of[k] * left);
    }
    Quartic(sums.map(|sum| {
        let mut eight = [0.0; 8];
        sum.store_slice(&mut eight);
        eight.iter().map(|&x| f64::from(x)).sum()
    }))
}

#[inline(always)]
fn find_blocks<S: Simd>(
    simd: S,
    columns: &[Vec<f32>; COLUMNS],
    range: Span,
    along: &mut [[Point; 3]],
    across: &mut [[Point; 3]],
) {
    let zero = f32x8::splat(simd, 0.0);
    for t in range.clone().step_by(8) {
        let eight = Eight::load(simd, columns, t);
        let [[bx, by], [cx, cy]] = eight.g;
        let first = [zero - bx - cx, zero - by - cy];
        let [a, b, c] = [first, eight.g[0], eight.g[1]].map(|g| eight.block(g));
        let at = t - range.start;
        store_corners(simd, [a[0], b[0], c[0]], &mut along[at..]);
        store_corners(simd, [a[1], b[1], c[1]], &mut across[at..]);
    }
}

impl Matrix<'_> {
    /// image = (M/h² + K) p. `p` is of the body, `image` begins with the piece. Returns p·image.
    fn multiply(&self, p: &[Point], slots: &mut [[Point; 3]], image: &mut [Point]) -> f64 {
        let Self { elements, span, workers, .. } = *self;
        let of = elements.of(span);
        workers.for_span(of.clone(), &mut slots[of], &|range, slots| {
            dispatch!(Level::new(), simd => self.pull_corners(simd, p, range, slots));
        });
        let slots = slots.as_flattened();
        workers.fold_span(span.clone(), image, &|range, image| {
            dispatch!(Level::new(), simd => self.sum_range(simd, p, slots, range, image))
        })
    }

    #[inline(always)]
    fn pull_corners<S: Simd>(&self, simd: S, p: &[Point], range: Span, slots: &mut [[Point; 3]]) {
        let zero = vec3(f32x8::splat(simd, 0.0), f32x8::splat(simd, 0.0), f32x8::splat(simd, 0.0));
        for t in range.clone().step_by(8) {
            let [p0, p1, p2] = [0, 1, 2].map(|k| gather(simd, p, self.corners, t, k));
            let [b, c] = Eight::load(simd, self.columns, t).pull(p1 - p0, p2 - p0);
            store_corners(simd, [zero - b - c, b, c], &mut slots[t - range.start..]);
        }
    }

    #[inline(always)]
    fn sum_range<S: Simd>(
        &self,
        simd: S,
        p: &[Point],
        slots: &[Point],
        range: Span,
        image: &mut [Point],
    ) -> f64 {
        let mut product = f32x4::splat(simd, 0.0);
        for (image, v) in image.iter_mut().zip(range) {
            let own = f32x4::from_slice(simd, &p[v]);
            let inertia = own * f32x4::splat(simd, self.inv_h2 * self.mass[v]);
            let mut sum = inertia + sum_slots(simd, slots, self.elements.corners_of(v));
            if !self.limp {
                let (columns, values) = self.elements.bending.rows.of(v);
                for (&w, &stiffness) in columns.iter().zip(values) {
                    let other = f32x4::from_slice(simd, &p[w as usize]);
                    sum += (other - own) * f32x4::splat(simd, stiffness as f32);
                }
            }
            sum.store_slice(image);
            product += own * sum;
        }
        sum_of_four(product)
    }
}

#[inline(always)]
fn sum_of_four<S: Simd>(v: f32x4<S>) -> f64 {
    let mut four = [0.0; 4];
    v.store_slice(&mut four);
    four.iter().map(|&x| f64::from(x)).sum()
}

/// p = z + β p.
#[inline(always)]
fn mix<S: Simd>(simd: S, beta: f32, p: &mut [Point], z: &[Point]) {
    let betas = f32x4::splat(simd, beta);
    for (p, z) in p.iter_mut().zip(z) {
        let mut sum = f32x4::from_slice(simd, z);
        // what was in there may be no number
        if beta != 0.0 {
            sum += f32x4::from_slice(simd, p) * betas;
        }
        sum.store_slice(p);
    }
}

type Given<'a> = (&'a [Point], &'a [Point], &'a [[Point; 3]], &'a [bool]);

#[inline(always)]
fn advance_range<S: Simd>(
    simd: S,
    alpha: f32,
    (d, r, z): (&mut [Point], &mut [Point], &mut [Point]),
    (p, image, inverse, held): Given<'_>,
) -> Sums {
    let zero = f32x4::splat(simd, 0.0);
    let (mut product, mut square) = (zero, zero);
    let alphas = f32x4::splat(simd, alpha);
    for k in 0..d.len() {
        if alpha != 0.0 {
            let way = f32x4::from_slice(simd, &p[k]) * alphas;
            (f32x4::from_slice(simd, &d[k]) + way).store_slice(&mut d[k]);
            if !held[k] {
                let force = f32x4::from_slice(simd, &image[k]) * alphas;
                (f32x4::from_slice(simd, &r[k]) - force).store_slice(&mut r[k]);
            }
        }
        let [x, y, w, _] = r[k];
        let [a, b, c] = &inverse[k];
        let answer = f32x4::from_slice(simd, a) * f32x4::splat(simd, x)
            + f32x4::from_slice(simd, b) * f32x4::splat(simd, y)
            + f32x4::from_slice(simd, c) * f32x4::splat(simd, w);
        answer.store_slice(&mut z[k]);
        let left = f32x4::from_slice(simd, &r[k]);
        product += left * answer;
        square += left * left;
    }
    Sums { product: sum_of_four(product), square: sum_of_four(square) }
}
