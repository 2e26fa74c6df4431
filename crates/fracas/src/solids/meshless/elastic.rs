//! The elastic part: corotated linear elasticity on the neighbourhoods of particles (002 ch. 2), with one symmetric weight per pair.
//!
//! ```text
//! F = (Σ c x Xᵀ) L                                   least squares: exact for linear fields          erratum 002.8
//! R = rotation part of F, one Newton step from the last                                          errata 002.9, 10
//! T = 2 μ ε + λ tr(ε) I,   ε = sym(RᵀF) − I
//! Q = V R T L − κ F
//! f = Σ_j c (Q_i + Q_j) X + Σ_j c (κ_i + κ_j) x                                                      erratum 002.11
//! ```
//!
//! | symbol | meaning |
//! | --- | --- |
//! | X, x | from a particle to its neighbour, at rest and now |
//! | c | weight of the pair, the same for both; see `kernel` |
//! | L | inverse of M = Σ c X Xᵀ |
//! | κ | stiffness of the control of zero-energy modes |
//!
//! This is the gradient of
//!
//! ```text
//! Ψ = Σ_i V_i ψ(F_i) + ½ Σ_i κ_i Σ_j c |F_i X − x|²,   ψ = μ |ε|² + ½ λ (tr ε)²
//! ```
//!
//! F_i is what makes the second term least, so that its change through F_i vanishes: control of zero-energy modes is one more sum.
//! R is the rotation of F itself, so Ψ does not change when the body turns, and angular momentum is kept without a torque correction.
//!
//! Every pass gathers: a particle reads its neighbours and writes itself. Positions are four floats, a pair four floats and an index;
//! rotations and stresses are found eight particles at a time.

use super::rest::{Pairs, Rest, Weight};
use super::tissue;
use crate::math::fearless_simd::{Level, Simd, dispatch, f32x4, f32x8, prelude::*};
use crate::math::wide::columns::{
    load_lanes, load_rotations, load_sym3, load_vec3, store_rotations, transpose, vec3,
};
use crate::math::wide::{Sym3x8, Vec3x8, WideMat3, WideRot, WideSym3, newton_step};
use crate::math::{self, Rot, Sym3};
use crate::parallel::{Span, Workers};
use crate::solids::Particles;
use crate::solve::Held;
use bytemuck::{Pod, Zeroable};
use glam::{Mat3, Vec3};

/// Share of the spacing that a wave of compression may pass in a substep. Up to 1 is stable on lattices, 0.9 on points that are jittered by 0.2.
pub(super) const COURANT: f32 = 0.6;
/// The most explicit substeps of a substep of the world; what is stiffer than they reach is made softer, and that is told.
pub(super) const MOST_SUBSTEPS: u32 = 256;

/// Three numbers on 16 bytes; the fourth means nothing unless it is said.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(16))]
pub(super) struct Quad([f32; 4]);

impl Quad {
    pub fn new(v: Vec3, last: f32) -> Self {
        Self([v.x, v.y, v.z, last])
    }

    pub fn vector(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }
}

/// What a particle gives its neighbours, on one cache line: the columns of Q, and b = Q Σ c X + Σ c (κ_i + κ_j) x, its own part
/// of the force on itself.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Record([f32; 16]);

/// Never read across substeps, but for the strain, which fracture reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Positions, or a direction of the solve.
    pub x: Vec<Quad>,
    pub v: Vec<Quad>,
    /// Acceleration, and 1/m; both 0 of what is held.
    a: Vec<Quad>,
    pub records: Vec<Record>,
    /// The same of a product.
    pub products: Vec<Record>,
    /// ε of the last evaluation.
    pub strain: Vec<Sym3>,
}

impl Scratch {
    pub(super) fn new(count: usize) -> Self {
        let quads = || vec![Quad::default(); count];
        Self {
            x: quads(),
            v: quads(),
            a: quads(),
            records: vec![Record::zeroed(); count],
            products: vec![Record::zeroed(); count],
            strain: vec![Sym3::ZERO; count],
        }
    }
}

/// The model's numbers for this substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants<'a> {
    pub rest: &'a Rest,
    /// Factor on the stiffness, at most 1, that explicit substeps reach.
    pub reached: f32,
    pub level: Level,
}

/// Places and velocities of a piece before its explicit steps of length d. One is drift, kick, drift: symmetric, symplectic, without damping,
/// and positions and velocities are those of one moment.
///
/// ```text
/// x ← x + ½ d v,   v ← v + d (a + f(x)/m),   x ← x + ½ d v
/// ```
///
/// Here the first half of a drift is done. What is held goes straight to its target; the force that takes is the mean over the substep.
pub(super) fn start(
    particles: &Particles,
    scratch: &mut Scratch,
    span: Span,
    held: &mut [Held],
    [h, d]: [f32; 2],
    workers: &Workers,
) {
    let columns =
        (&mut scratch.x[span.clone()], &mut scratch.v[span.clone()], &mut scratch.a[span.clone()]);
    let Particles { position, velocity, acceleration, mass, .. } = particles;
    workers.for_span(span.clone(), columns, &|range, (x, v, a)| {
        for (k, j) in range.enumerate() {
            let begin = velocity[j] - h * acceleration[j];
            x[k] = Quad::new(position[j] + 0.5 * d * begin, 0.0);
            v[k] = Quad::new(begin, 0.0);
            a[k] = Quad::new(acceleration[j], 1.0 / mass[j]);
        }
    });
    for target in held.iter_mut() {
        let j = target.particle as usize;
        let straight = (target.position - position[j]) / h;
        let begin = velocity[j] - h * acceleration[j];
        target.force = mass[j] * ((straight - begin) / h - acceleration[j]);
        target.torque = Vec3::ZERO;
        scratch.x[j] = Quad::new(position[j] + 0.5 * d * straight, 0.0);
        scratch.v[j] = Quad::new(straight, 0.0);
        scratch.a[j] = Quad::default();
    }
}

/// Kick by d, then drift by so much. `share` is what this step is of the substep; ε is kept of the last.
pub(super) fn kick(
    constants: Constants<'_>,
    rotation: &mut [Rot],
    scratch: &mut Scratch,
    span: Span,
    held: &mut [Held],
    ([d, drift, share], last): ([f32; 3], bool),
    workers: &Workers,
) {
    let Scratch { x, records, strain, .. } = scratch;
    let strain = last.then_some(&mut strain[..]);
    fit(constants, x, rotation, (records, strain), span.clone(), workers);
    for target in held.iter_mut() {
        let j = target.particle as usize;
        target.force -= share * force_at(constants, &scratch.records, j);
    }
    let Scratch { x, v, a, records, .. } = scratch;
    let columns = (&mut x[span.clone()], &mut v[span.clone()]);
    workers.for_span(span, columns, &|range, (x, v)| {
        dispatch!(constants.level, simd => {
            kick_range(simd, &constants.rest.pairs, records, a, [d, drift], range, x, v)
        });
    });
}

/// x ← x + d v.
pub(super) fn drift(scratch: &mut Scratch, span: Span, d: f32) {
    for (x, v) in scratch.x[span.clone()].iter_mut().zip(&scratch.v[span]) {
        *x = Quad::new(x.vector() + d * v.vector(), 0.0);
    }
}

/// Places and velocities at the end of the steps.
pub(super) fn finish(
    particles: &mut Particles,
    scratch: &Scratch,
    span: Span,
    held: &[Held],
    workers: &Workers,
) {
    let Particles { position, velocity, .. } = particles;
    let columns = [&mut position[span.clone()], &mut velocity[span.clone()]];
    let Scratch { x, v, .. } = scratch;
    workers.for_span(span, columns, &|range, [position, velocity]| {
        for (k, j) in range.enumerate() {
            position[k] = x[j].vector();
            velocity[k] = v[j].vector();
        }
    });
    for target in held {
        particles.position[target.particle as usize] = target.position;
    }
}

/// F, R and Q of all particles of a span for where they are, and ε if it is asked for.
pub(super) fn fit(
    constants: Constants<'_>,
    x: &[Quad],
    rotation: &mut [Rot],
    (records, strain): (&mut [Record], Option<&mut [Sym3]>),
    span: Span,
    workers: &Workers,
) {
    let strain = strain.map(|strain| &mut strain[span.clone()]);
    let columns = (&mut rotation[span.clone()], &mut records[span.clone()], strain);
    workers.for_span(span, columns, &|range, (rotation, records, strain)| {
        dispatch!(constants.level, simd => {
            if constants.rest.tissue.is_some() {
                fit_wide::<_, false, true>(simd, constants, x, rotation, records, strain, range)
            } else {
                fit_wide::<_, false, false>(simd, constants, x, rotation, records, strain, range)
            }
        });
    });
}

/// The same of the linearised problem, with rotations and strains as they are: `x` are displacements.
pub(super) fn fit_linear(
    constants: Constants<'_>,
    x: &[Quad],
    rotation: &mut [Rot],
    (records, strain): (&mut [Record], &mut [Sym3]),
    span: Span,
    workers: &Workers,
) {
    let columns =
        (&mut rotation[span.clone()], &mut records[span.clone()], &mut strain[span.clone()]);
    workers.for_span(span, columns, &|range, (rotation, records, strain)| {
        let strain = Some(strain);
        dispatch!(constants.level, simd => {
            if constants.rest.tissue.is_some() {
                fit_wide::<_, true, true>(simd, constants, x, rotation, records, strain, range)
            } else {
                fit_wide::<_, true, false>(simd, constants, x, rotation, records, strain, range)
            }
        });
    });
}

#[inline(always)]
fn fit_wide<S: Simd, const LINEAR: bool, const TISSUE: bool>(
    simd: S,
    constants: Constants<'_>,
    x: &[Quad],
    rotation: &mut [Rot],
    records: &mut [Record],
    mut strain: Option<&mut [Sym3]>,
    range: Span,
) {
    let rest = constants.rest;
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let reached = f32x8::splat(simd, constants.reached);
    let mut at = 0;
    while at < range.len() {
        let (i, lanes) = (range.start + at, (range.len() - at).min(8));
        let mut rows = [[zero; 8]; 2];
        for lane in 0..8 {
            let [a, b] = gather(simd, &rest.pairs, x, i + lane.min(lanes - 1));
            (rows[0][lane], rows[1][lane]) = (a, b);
        }
        let (m, n) = (transpose(rows[0]), transpose(rows[1]));
        let moment = WideMat3 {
            x_axis: vec3(m[0], m[1], m[2]),
            y_axis: vec3(m[4], m[5], m[6]),
            z_axis: vec3(n[0], n[1], n[2]),
        };
        let pull: Vec3x8<S> = vec3(n[4], n[5], n[6]);
        let inverse = load_sym3(simd, &rest.inverse, i).to_mat3();
        let mut start = load_rotations(simd, &rotation[at..at + lanes]);
        let mut f = moment * inverse;
        if !LINEAR && rest.gaps[i..i + lanes].contains(&true) {
            let (mut gradients, mut turns) = (f.to_lanes(), start.to_lanes());
            for lane in (0..lanes).filter(|lane| rest.gaps[i + lane]) {
                let filled = fill_gaps(rest, i + lane, gradients[lane], turns[lane]);
                (gradients[lane], turns[lane]) = filled;
            }
            f = WideMat3::from_lanes(simd, &gradients);
            start = WideRot::from_lanes(simd, &turns);
        }
        // F F_P⁻¹ and F_P⁻ᵀ L
        let (mut strained, mut pulled) = (f, inverse);
        let tissue = if TISSUE { rest.tissue.as_ref() } else { None };
        if let Some(tissue) = tissue {
            let plastic = WideMat3 {
                x_axis: load_columns(simd, &tissue.plastic[..3], i),
                y_axis: load_columns(simd, &tissue.plastic[3..6], i),
                z_axis: load_columns(simd, &tissue.plastic[6..], i),
            };
            strained = f * plastic;
            pulled = plastic.transpose_mul(&inverse);
        }
        let q = if LINEAR { start } else { newton_step(&strained, start) };
        let turn = q.to_mat3();
        let mut e = turn.transpose_mul(&strained).symmetric_part();
        if !LINEAR {
            (e.xx, e.yy, e.zz) = (e.xx - one, e.yy - one, e.zz - one);
        }
        let shear = load_lanes(simd, &rest.lame[0], i);
        let bulk = load_lanes(simd, &rest.lame[1], i);
        let mut t = e * shear + WideSym3::diagonal(bulk * e.trace());
        if let Some(tissue) = tissue {
            let axis = load_vec3(simd, &tissue.axis, i);
            let along = axis.dot(e * axis) * load_lanes(simd, &tissue.fibre, i);
            t = t + outer(axis) * along;
            let stiffer = match &strain {
                Some(strain) if LINEAR => {
                    let mut stiffer = [1.0; 8];
                    for lane in 0..lanes {
                        stiffer[lane] = rest.stiffened(i + lane, strain[at + lane]);
                    }
                    f32x8::from_slice(simd, &stiffer)
                }
                _ => {
                    let energy = f32x8::splat(simd, 0.5) * dot(&e, &t);
                    let most = f32x8::splat(simd, tissue::MOST_STIFFENED);
                    (one + energy * load_lanes(simd, &tissue.stiffening, i)).min(most)
                }
            };
            t = t * stiffer;
        }
        let kappa = load_lanes(simd, &rest.hourglass, i);
        let q_i = (turn * (t.to_mat3() * pulled) - f * kappa) * reached;
        let own = q_i * load_vec3(simd, &rest.lean, i) + pull * reached;
        let (a, b, c) = (q_i.x_axis, q_i.y_axis, q_i.z_axis);
        let first = transpose([a.x, a.y, a.z, zero, b.x, b.y, b.z, zero]);
        let second = transpose([c.x, c.y, c.z, zero, own.x, own.y, own.z, zero]);
        for (lane, record) in records[at..at + lanes].iter_mut().enumerate() {
            first[lane].store_slice(&mut record.0[..8]);
            second[lane].store_slice(&mut record.0[8..]);
        }
        if !LINEAR {
            store_rotations(q, &mut rotation[at..at + lanes]);
        }
        if let Some(strain) = strain.as_mut().filter(|_| !LINEAR) {
            let rows = transpose([e.xx, e.yy, e.zz, e.xy, e.yz, e.zx, zero, zero]);
            for (lane, strain) in strain[at..at + lanes].iter_mut().enumerate() {
                let mut row = [0.0; 8];
                rows[lane].store_slice(&mut row);
                let [xx, yy, zz, xy, yz, zx, ..] = row;
                *strain = Sym3 { xx, yy, zz, xy, yz, zx };
            }
        }
        at += 8;
    }
}

#[inline(always)]
fn load_columns<S: Simd>(simd: S, columns: &[Vec<f32>], i: usize) -> Vec3x8<S> {
    vec3(
        load_lanes(simd, &columns[0], i),
        load_lanes(simd, &columns[1], i),
        load_lanes(simd, &columns[2], i),
    )
}

/// v vᵀ.
#[inline(always)]
fn outer<S: Simd>(v: Vec3x8<S>) -> Sym3x8<S> {
    WideSym3 {
        xx: v.x * v.x,
        yy: v.y * v.y,
        zz: v.z * v.z,
        xy: v.x * v.y,
        yz: v.y * v.z,
        zx: v.z * v.x,
    }
}

/// a : b.
#[inline(always)]
fn dot<S: Simd>(a: &Sym3x8<S>, b: &Sym3x8<S>) -> f32x8<S> {
    let across = a.xy * b.xy + a.yz * b.yz + a.zx * b.zx;
    a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + across + across
}

/// F and rotation of a particle with neighbours in some directions only, from F of those: in the others it is as long as flow has left it, and turned
/// as they are. Where one direction is missing it is normal to the others, where two are they turn the shortest way: forces are still the
/// gradient of the energy. Where some are missing in part they follow the last rotation.
fn fill_gaps(rest: &Rest, i: usize, f: Mat3, last: Rot) -> (Mat3, Rot) {
    let missing = rest.missing_of(i);
    let count = missing.trace();
    // a projector has tr A = tr A²
    let whole = (missing.dot(missing) - count).abs() < 1e-4;
    let mut turn = last;
    if whole && (count - 1.0).abs() < 1e-4 {
        let n = longest(missing.to_mat3());
        // of rank two, so its cofactors are n' nᵀ
        let cofactors = Mat3::from_cols(
            f.y_axis.cross(f.z_axis),
            f.z_axis.cross(f.x_axis),
            f.x_axis.cross(f.y_axis),
        );
        turn = turned(last, n, cofactors * n);
    } else if whole && (count - 2.0).abs() < 1e-4 {
        let along = longest(Mat3::IDENTITY - missing.to_mat3());
        turn = turned(last, along, f * along);
    }
    (f + turn.to_mat3() * (rest.flowed(i) * missing.to_mat3()), turn)
}

/// Direction of v in a matrix v vᵀ.
fn longest(a: Mat3) -> Vec3 {
    let columns = [a.x_axis, a.y_axis, a.z_axis];
    let of =
        |best: Vec3, v: Vec3| if v.length_squared() > best.length_squared() { v } else { best };
    columns.into_iter().fold(Vec3::ZERO, of).normalize_or(Vec3::X)
}

/// A rotation turned the shortest way so that it takes `from` to where `to` points; as it is if that is nowhere, or straight behind.
fn turned(last: Rot, from: Vec3, to: Vec3) -> Rot {
    let (now, to) = (last * from, to.normalize_or(Vec3::ZERO));
    let (axis, cosine) = (now.cross(to), now.dot(to));
    if to == Vec3::ZERO || cosine < -0.99 {
        return last;
    }
    let arc = Rot { x: axis.x, y: axis.y, z: axis.z, w: 1.0 + cosine };
    (arc.normalized() * last).normalized()
}

/// Columns of Σ c x Xᵀ and Σ c (κ_i + κ_j) x of one particle, four floats each. Two running sums hide the latency of the additions.
#[inline(always)]
fn gather<S: Simd>(simd: S, pairs: &Pairs, x: &[Quad], i: usize) -> [f32x8<S>; 2] {
    let own = f32x4::from_slice(simd, &x[i].0);
    let zero = f32x4::splat(simd, 0.0);
    let (mut even, mut odd) = ([zero; 4], [zero; 4]);
    let slots = pairs.slots(i);
    let (others, last) = pairs.other[slots.clone()].as_chunks::<2>();
    let (weights, last_weight) = pairs.weight[slots].as_chunks::<2>();
    for (&[j, k], [v, w]) in others.iter().zip(weights) {
        add_pair(simd, &mut even, own, &x[j as usize], v);
        add_pair(simd, &mut odd, own, &x[k as usize], w);
    }
    if let (&[j], [w]) = (last, last_weight) {
        add_pair(simd, &mut even, own, &x[j as usize], w);
    }
    let (a, b) = (even[0] + odd[0], even[1] + odd[1]);
    let (c, d) = (even[2] + odd[2], even[3] + odd[3]);
    [a.combine(b), c.combine(d)]
}

#[inline(always)]
fn add_pair<S: Simd>(simd: S, sum: &mut [f32x4<S>; 4], own: f32x4<S>, x: &Quad, w: &Weight) {
    let away = f32x4::from_slice(simd, &x.0) - own;
    sum[0] += away * f32x4::splat(simd, w.0[0]);
    sum[1] += away * f32x4::splat(simd, w.0[1]);
    sum[2] += away * f32x4::splat(simd, w.0[2]);
    sum[3] += away * f32x4::splat(simd, w.0[3]);
}

/// −∇Ψ at one particle: b_i + Σ_j Q_j c X.
#[inline(always)]
fn force_on<S: Simd>(simd: S, pairs: &Pairs, records: &[Record], i: usize) -> f32x4<S> {
    let mut even = f32x4::from_slice(simd, &records[i].0[12..]);
    let mut odd = f32x4::splat(simd, 0.0);
    let slots = pairs.slots(i);
    let (others, last) = pairs.other[slots.clone()].as_chunks::<2>();
    let (weights, last_weight) = pairs.weight[slots].as_chunks::<2>();
    for (&[j, k], [v, w]) in others.iter().zip(weights) {
        even += times(simd, &records[j as usize], v);
        odd += times(simd, &records[k as usize], w);
    }
    if let (&[j], [w]) = (last, last_weight) {
        even += times(simd, &records[j as usize], w);
    }
    even + odd
}

/// Q c X.
#[inline(always)]
fn times<S: Simd>(simd: S, record: &Record, w: &Weight) -> f32x4<S> {
    let q = &record.0;
    f32x4::from_slice(simd, &q[..4]) * f32x4::splat(simd, w.0[0])
        + f32x4::from_slice(simd, &q[4..8]) * f32x4::splat(simd, w.0[1])
        + f32x4::from_slice(simd, &q[8..12]) * f32x4::splat(simd, w.0[2])
}

/// The same as a plain vector, in N.
pub(super) fn force_at(constants: Constants<'_>, records: &[Record], i: usize) -> Vec3 {
    let mut force = Quad::default();
    dispatch!(constants.level, simd => {
        force_on(simd, &constants.rest.pairs, records, i).store_slice(&mut force.0)
    });
    force.vector()
}

/// The same of all of a span: added to `out` with a factor.
pub(super) fn add_forces(
    constants: Constants<'_>,
    records: &[Record],
    span: Span,
    factor: f32,
    out: &mut [Vec3],
    workers: &Workers,
) {
    workers.for_span(span, out, &|range, out| {
        dispatch!(constants.level, simd => {
            add_range(simd, &constants.rest.pairs, records, range, factor, out)
        });
    });
}

#[inline(always)]
fn add_range<S: Simd>(
    simd: S,
    pairs: &Pairs,
    records: &[Record],
    range: Span,
    factor: f32,
    out: &mut [Vec3],
) {
    for (out, i) in out.iter_mut().zip(range) {
        let mut force = Quad::default();
        force_on(simd, pairs, records, i).store_slice(&mut force.0);
        *out += factor * force.vector();
    }
}

#[inline(always)]
fn kick_range<S: Simd>(
    simd: S,
    pairs: &Pairs,
    records: &[Record],
    a: &[Quad],
    [d, drift]: [f32; 2],
    range: Span,
    x: &mut [Quad],
    v: &mut [Quad],
) {
    let (d, drift) = (f32x4::splat(simd, d), f32x4::splat(simd, drift));
    for (k, i) in range.enumerate() {
        let force = force_on(simd, pairs, records, i);
        let a_i = &a[i].0;
        let change = f32x4::from_slice(simd, a_i) + force * f32x4::splat(simd, a_i[3]);
        let v_i = f32x4::from_slice(simd, &v[k].0) + change * d;
        let x_i = f32x4::from_slice(simd, &x[k].0) + v_i * drift;
        v_i.store_slice(&mut v[k].0);
        x_i.store_slice(&mut x[k].0);
    }
}

/// F of one particle, with directions in which it has no neighbours as its last rotation has them.
pub(super) fn gradient(rest: &Rest, position: &[Vec3], rotation: Rot, i: usize) -> Mat3 {
    let mut moment = Mat3::ZERO;
    for slot in rest.pairs.slots(i) {
        let away = position[rest.pairs.other[slot] as usize] - position[i];
        let w = rest.pairs.weight[slot].vector();
        moment += Mat3::from_cols(away * w.x, away * w.y, away * w.z);
    }
    let f = moment * rest.inverse_of(i).to_mat3();
    if rest.gaps[i] { fill_gaps(rest, i, f, rotation).0 } else { f }
}

/// Rotation, F and ε of one particle, brought fully up.
pub(super) fn stretch(
    rest: &Rest,
    position: &[Vec3],
    rotation: Rot,
    i: usize,
) -> (Rot, Mat3, Sym3) {
    let f = gradient(rest, position, rotation, i);
    let strained = rest.tissue.as_ref().map_or(f, |tissue| f * tissue.plastic_of(i));
    let mut q = rotation;
    for _ in 0..3 {
        q = math::newton_step(&strained, q);
    }
    (q, f, math::corotated_strain(&strained, q))
}

/// What one particle adds to Ψ, in J.
pub(super) fn energy(constants: Constants<'_>, position: &[Vec3], rotation: Rot, i: usize) -> f64 {
    let rest = constants.rest;
    let (_, f, e) = stretch(rest, position, rotation, i);
    let strained = rest.stored(i, e);
    let kappa = rest.hourglass[i];
    let mut apart = 0.0;
    for slot in rest.pairs.slots(i) {
        let j = rest.pairs.other[slot] as usize;
        let w = rest.pairs.weight[slot];
        // c is in the weights only as c X and c (κ_i + κ_j)
        let c = w.0[3] / (kappa + rest.hourglass[j]);
        if c > 0.0 {
            let left = f * w.vector() / c - (position[j] - position[i]);
            apart += f64::from(c * left.length_squared());
        }
    }
    f64::from(constants.reached) * (strained + 0.5 * f64::from(kappa) * apart)
}
