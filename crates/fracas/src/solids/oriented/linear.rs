//! The problem linearised: what conjugate gradients ask of the model in a solve with contact.
//!
//! Each group follows a displacement p, θ as its best rigid motion of it, about where its members are:
//!
//! ```text
//! δc = Σ w p / M,   ω_g = H⁻¹ Σ ( w r × p + J θ/n ),   r = x − c,   H = Σ ( w (r·r I − r rᵀ) + J/n )
//! (K p)_j = Σ_g k_g w_j ( p_j − δc − ω × r_j ),   (K θ)_j = Σ_g k_g J_j (θ_j − ω) / n_j
//! ```
//!
//! A projection per group, so K is symmetric, at least 0, and 0 on rigid motions of the body as it
//! was measured. (Freezing R alone would hold back every rotation with the full stiffness. Arms of the goals,
//! R (x̄ − c̄), differ from these by the strain; but these split into a part of the particle and one
//! of the group, so that what both give each other are six floats, and nothing is turned.)

use super::elastic::{Constants, Goal, Member, sum_goals_of_eight};
use super::rest::Rest;
use crate::math::Rot;
use crate::math::fearless_simd::{Simd, dispatch, f32x8, prelude::*};
use crate::math::wide::columns::{
    load_lanes, load_points, load_rotations, load_sym3, load_vec3, store_points, store_sym3,
    store_vec3, transpose, vec3,
};
use crate::math::wide::{Rotx8, Sym3x8, Vec3x8, WideRot, WideSym3};
use crate::parallel::Span;
use crate::solids::{DofsMut, DofsRef, Particles, Step};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// A torque and a force, or a turn and a shift; the rest is zero.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
struct Twist([f32; 8]);

/// Where the particles are, for [`product`] and [`precondition`]; never read across steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// Place of each particle from the one in the middle of its span, m.
    place: [Vec<f32>; 3],
    /// Q J̄ Qᵀ / n of each particle, kg m².
    turning: [Vec<f32>; 6],
    /// Its inverse.
    inv_turning: [Vec<f32>; 6],
    /// c of each group, from the same particle.
    centre: [Vec<f32>; 3],
    /// H⁻¹ of each group, 1/(kg m²).
    inv_inertia: [Vec<f32>; 6],
    given: Vec<Twist>,
    answer: Vec<Twist>,
}

impl Frame {
    pub(super) fn new(count: usize) -> Self {
        let zeros = || vec![0.0; count];
        Self {
            place: std::array::from_fn(|_| zeros()),
            turning: std::array::from_fn(|_| zeros()),
            inv_turning: std::array::from_fn(|_| zeros()),
            centre: std::array::from_fn(|_| zeros()),
            inv_inertia: std::array::from_fn(|_| zeros()),
            given: vec![Twist::zeroed(); count],
            answer: vec![Twist::zeroed(); count],
        }
    }

    /// At least so many.
    pub(super) fn grow(&mut self, count: usize) {
        if self.given.len() < count {
            *self = Self::new(count);
        }
    }
}

/// The part of columns that belongs to a span.
fn cut<const N: usize>(columns: &mut [Vec<f32>; N], span: Span) -> [&mut [f32]; N] {
    columns.each_mut().map(|column| &mut column[span.clone()])
}

/// Brings the frame up to the particles. `members` is room for what particles give their groups.
pub(super) fn measure(
    constants: Constants<'_>,
    particles: &Particles,
    members: &mut [Member],
    frame: &mut Frame,
    span: Span,
    step: &Step,
) {
    let (rest, workers) = (constants.rest, &step.workers);
    let origin = particles.position[span.start + span.len() / 2];
    let columns = (
        &mut members[span.clone()],
        cut(&mut frame.place, span.clone()),
        cut(&mut frame.turning, span.clone()),
        cut(&mut frame.inv_turning, span.clone()),
    );
    workers.for_span(span.clone(), columns, &|range, columns| {
        dispatch!(constants.level, simd => {
            place_range(simd, rest, particles, range, origin, columns)
        });
    });
    let members = &*members;
    let columns = (cut(&mut frame.centre, span.clone()), cut(&mut frame.inv_inertia, span.clone()));
    workers.for_span(span, columns, &|range, columns| {
        dispatch!(constants.level, simd => {
            gather_range(simd, rest, members, range, columns)
        });
    });
}

type Placed<'a> = (&'a mut [Member], [&'a mut [f32]; 3], [&'a mut [f32]; 6], [&'a mut [f32]; 6]);

/// Places and inertias of particles, and their records for [`gather_range`]: x twice, in the two
/// orders whose product is xx, yy, zz, xy, yz, zx, and Q Ē Qᵀ / n.
#[inline(always)]
fn place_range<S: Simd>(
    simd: S,
    rest: &Rest,
    particles: &Particles,
    range: Span,
    origin: Vec3,
    (members, mut place, mut turning, mut inv_turning): Placed<'_>,
) {
    let splat = |value: f32| f32x8::splat(simd, value);
    let zero = splat(0.0);
    let origin = vec3(splat(origin.x), splat(origin.y), splat(origin.z));
    let mut at = 0;
    while at < range.len() {
        let (j, lanes) = (range.start + at, (range.len() - at).min(8));
        let eight = at..at + lanes;
        let x = load_points(simd, &particles.position, j) - origin;
        let q = load_rotations(simd, &particles.orientation[j..j + lanes]).to_mat3();
        let moment = load_sym3(simd, &rest.moment, j).to_mat3();
        let own = (q * moment * q.transpose()).symmetric_part();
        let inertia = own.trace_minus();
        store_vec3(x, &mut place, eight.clone());
        store_sym3(&inertia, &mut turning, eight.clone());
        store_sym3(&inverse(&inertia, 0.0), &mut inv_turning, eight.clone());
        let first = transpose([x.x, x.y, x.z, x.x, x.y, x.z, zero, zero]);
        let second = transpose([x.x, x.y, x.z, x.y, x.z, x.x, zero, zero]);
        let third = transpose([own.xx, own.yy, own.zz, own.xy, own.yz, own.zx, zero, zero]);
        for (lane, member) in members[eight].iter_mut().enumerate() {
            first[lane].store_slice(&mut member.0[..8]);
            second[lane].store_slice(&mut member.0[8..16]);
            third[lane].store_slice(&mut member.0[16..]);
        }
        at += 8;
    }
}

/// Added to the inertia of a group, of its trace: more than rounding takes away, so that the group
/// never turns by more than its members and K stays at least 0.
const PADDING: f32 = 2e-7;

/// (A + padding tr A)⁻¹, zero where A has none.
#[inline(always)]
fn inverse<S: Simd>(a: &Sym3x8<S>, padding: f32) -> Sym3x8<S> {
    let trace = a.trace();
    let (one, zero) = (f32x8::splat(trace.simd, 1.0), f32x8::splat(trace.simd, 0.0));
    // of unit size: cubes of small bodies' inertia are beyond f32
    let scale = trace.simd_gt(zero).select(one / trace, zero);
    let even = *a * scale + WideSym3::diagonal(f32x8::splat(trace.simd, padding));
    let adjugate = even.adjugate();
    let determinant = even.determinant(&adjugate);
    let scale = determinant.simd_gt(zero).select(scale / determinant, zero);
    adjugate * scale
}

/// c and H⁻¹ of groups, with all places seen from the particle in the middle of the group: seen from
/// elsewhere the sums of squares would cancel.
#[inline(always)]
fn gather_range<S: Simd>(
    simd: S,
    rest: &Rest,
    members: &[Member],
    range: Span,
    (mut centre, mut inv_inertia): ([&mut [f32]; 3], [&mut [f32]; 6]),
) {
    let zero = f32x8::splat(simd, 0.0);
    let mut at = 0;
    while at < range.len() {
        let (g, lanes) = (range.start + at, (range.len() - at).min(8));
        let (mut firsts, mut seconds, mut middles) = ([zero; 8], [zero; 8], [zero; 8]);
        for lane in 0..8 {
            let list = rest.groups.of(g + lane.min(lanes - 1));
            let part =
                |member: &Member, k: usize| f32x8::from_slice(simd, &member.0[8 * k..8 * k + 8]);
            let own = &members[list[0] as usize];
            let (x, y) = (part(own, 0), part(own, 1));
            let (mut first, mut second) = (zero, part(own, 2));
            for &j in &list[1..] {
                let member = &members[j as usize];
                let weighted = (part(member, 0) - x) * f32x8::splat(simd, rest.weight[j as usize]);
                first += weighted;
                second += weighted * (part(member, 1) - y) + part(member, 2);
            }
            (firsts[lane], seconds[lane], middles[lane]) = (first, second, x);
        }
        let (first, second, middle) = (transpose(firsts), transpose(seconds), transpose(middles));
        let first = vec3(first[0], first[1], first[2]);
        let [xx, yy, zz, xy, yz, zx, ..] = second;
        let b = first * load_lanes(simd, &rest.inv_mass, g);
        // about the centre: Σ w r rᵀ = Σ w d dᵀ − M b bᵀ
        let moment = WideSym3 {
            xx: xx - first.x * b.x,
            yy: yy - first.y * b.y,
            zz: zz - first.z * b.z,
            xy: xy - first.x * b.y,
            yz: yz - first.y * b.z,
            zx: zx - first.z * b.x,
        };
        let eight = at..at + lanes;
        store_vec3(vec3(middle[0], middle[1], middle[2]) + b, &mut centre, eight.clone());
        store_sym3(&inverse(&moment.trace_minus(), PADDING), &mut inv_inertia, eight);
        at += 8;
    }
}

/// r = M (x* − x)/h² + m s (ḡ − x) and, for orientations, J (log(q* q⁻¹)/h² + s log(r̄ q⁻¹)).
pub(super) fn gradient(
    constants: Constants<'_>,
    particles: &Particles,
    goals: &[Goal],
    span: Span,
    step: &Step,
    r: DofsMut<'_>,
) {
    step.workers.for_span(span, r, &|range, r| {
        dispatch!(constants.level, simd => {
            gradient_range(simd, constants, particles, goals, range, step.h, r)
        });
    });
}

#[inline(always)]
fn gradient_range<S: Simd>(
    simd: S,
    constants: Constants<'_>,
    particles: &Particles,
    goals: &[Goal],
    range: Span,
    h: f32,
    r: DofsMut<'_>,
) {
    let rest = constants.rest;
    let splat = |value: f32| f32x8::splat(simd, value);
    let (zero, one) = (splat(0.0), splat(1.0));
    let (reached, inv_h2) = (splat(constants.reached), splat(1.0 / (h * h)));
    let mut at = 0;
    while at < range.len() {
        let (j, lanes) = (range.start + at, (range.len() - at).min(8));
        let (low, high) = sum_goals_of_eight(simd, rest, goals, j, lanes);
        let (b0, b1) = (transpose(low), transpose(high));
        let share = load_lanes(simd, &rest.share, j);
        let n = load_lanes(simd, &rest.group_count, j);
        let total = share * n;
        // a group of one pulls nobody: its share is 0
        let inv_total = total.simd_gt(zero).select(one / total, zero);
        let s = share * reached;
        let x_rest = load_points(simd, &particles.rest, j);
        let goal = (vec3(b0[0], b0[1], b0[2]) * x_rest.x
            + vec3(b0[3], b0[4], b0[5]) * x_rest.y
            + vec3(b0[6], b0[7], b1[0]) * x_rest.z
            + vec3(b1[1], b1[2], b1[3]))
            * inv_total;
        let x = load_points(simd, &particles.position, j);
        let x_star = load_points(simd, &particles.inertial, j);
        let mass = load_lanes(simd, &particles.mass, j);
        let force = ((x_star - x) * inv_h2 + (goal - x) * s) * mass;

        let eight = j..j + lanes;
        let q = load_rotations(simd, &particles.orientation[eight.clone()]);
        let back = q.inverse();
        let q_star = load_rotations(simd, &particles.inertial_orientation[eight]);
        let sum = WideRot { x: b1[4], y: b1[5], z: b1[6], w: b1[7] };
        // of no length where no group pulls
        let mean = sum.normalized_or(q_star);
        let twist = log(q_star * back) * inv_h2 + log(mean * back) * s;
        let inertia = load_sym3(simd, &rest.moment, j).trace_minus();
        let torque = q * (inertia * (back * twist)) * n;
        store_points(force, &mut r.linear[at..at + lanes]);
        store_points(torque, &mut r.angular[at..at + lanes]);
        at += 8;
    }
}

/// [`Rot::log`] of eight.
#[inline(always)]
fn log<S: Simd>(q: Rotx8<S>) -> Vec3x8<S> {
    let splat = |value: f32| f32x8::splat(q.w.simd, value);
    let v = vec3(q.x, q.y, q.z);
    let sine2 = v.dot(v);
    let large = sine2.simd_ge(splat(0.04));
    if large.any_true() {
        return Vec3x8::from_lanes(q.w.simd, &q.to_lanes().map(Rot::log));
    }
    let series = splat(2.0)
        + sine2
            * (splat(1.0 / 3.0)
                + sine2
                    * (splat(0.15) + sine2 * (splat(5.0 / 56.0) + sine2 * splat(35.0 / 576.0))));
    v * q.w.simd_lt(splat(0.0)).select(-series, series)
}

/// out = (M/h² + K) p; see the head of this file.
pub(super) fn product(
    constants: Constants<'_>,
    particles: &Particles,
    frame: &mut Frame,
    span: Span,
    step: &Step,
    p: DofsRef<'_>,
    out: DofsMut<'_>,
) {
    let (rest, workers) = (constants.rest, &step.workers);
    let start = span.start;
    let mut given = std::mem::take(&mut frame.given);
    let mut answer = std::mem::take(&mut frame.answer);
    let fixed = &*frame;
    workers.for_span(span.clone(), &mut given[span.clone()], &|range, given| {
        dispatch!(constants.level, simd => give_range(simd, rest, fixed, range, start, p, given));
    });
    workers.for_span(span.clone(), &mut answer[span.clone()], &|range, answer| {
        dispatch!(constants.level, simd => {
            follow_range(simd, rest, fixed, &given, range, answer)
        });
    });
    workers.for_span(span, out, &|range, out| {
        dispatch!(constants.level, simd => {
            answer_range(
                simd, constants, particles, fixed, &answer, range, start, p, step.h, out,
            )
        });
    });
    (frame.given, frame.answer) = (given, answer);
}

/// Σ of the records of a list. Four running sums hide the latency of the additions.
#[inline(always)]
fn sum_twists<S: Simd>(simd: S, list: &[u32], twists: &[Twist]) -> f32x8<S> {
    let of = |i: u32| f32x8::from_slice(simd, &twists[i as usize].0);
    let mut sums = [f32x8::splat(simd, 0.0); 4];
    let (fours, last) = list.as_chunks::<4>();
    for &[a, b, c, d] in fours {
        sums[0] += of(a);
        sums[1] += of(b);
        sums[2] += of(c);
        sums[3] += of(d);
    }
    for (k, &i) in last.iter().enumerate() {
        sums[k] += of(i);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The same for eight lists from `i` on: first and second half, side by side.
#[inline(always)]
fn sum_twists_of_eight<S: Simd>(
    simd: S,
    rest: &Rest,
    twists: &[Twist],
    i: usize,
    lanes: usize,
) -> (Vec3x8<S>, Vec3x8<S>) {
    let mut rows = [f32x8::splat(simd, 0.0); 8];
    for (lane, row) in rows.iter_mut().enumerate() {
        *row = sum_twists(simd, rest.groups.of(i + lane.min(lanes - 1)), twists);
    }
    let [a, b, c, d, e, f, ..] = transpose(rows);
    (vec3(a, b, c), vec3(d, e, f))
}

#[inline(always)]
fn store_twists<S: Simd>(a: Vec3x8<S>, b: Vec3x8<S>, twists: &mut [Twist]) {
    let zero = f32x8::splat(a.x.simd, 0.0);
    let rows = transpose([a.x, a.y, a.z, b.x, b.y, b.z, zero, zero]);
    for (row, twist) in rows.into_iter().zip(twists) {
        row.store_slice(&mut twist.0);
    }
}

/// What particles give their groups: w x × p + J θ/n and w p.
#[inline(always)]
fn give_range<S: Simd>(
    simd: S,
    rest: &Rest,
    frame: &Frame,
    range: Span,
    start: usize,
    p: DofsRef<'_>,
    given: &mut [Twist],
) {
    let mut at = 0;
    while at < range.len() {
        let (j, lanes) = (range.start + at, (range.len() - at).min(8));
        let x = load_vec3(simd, &frame.place, j);
        let wp = load_points(simd, p.linear, j - start) * load_lanes(simd, &rest.weight, j);
        let theta = load_points(simd, p.angular, j - start);
        let torque = x.cross(wp) + load_sym3(simd, &frame.turning, j) * theta;
        store_twists(torque, wp, &mut given[at..at + lanes]);
        at += 8;
    }
}

/// What groups make of it: k ω and k t, so that the motion at x is t + ω × x.
#[inline(always)]
fn follow_range<S: Simd>(
    simd: S,
    rest: &Rest,
    frame: &Frame,
    given: &[Twist],
    range: Span,
    answer: &mut [Twist],
) {
    let mut at = 0;
    while at < range.len() {
        let (g, lanes) = (range.start + at, (range.len() - at).min(8));
        let (torque, wp) = sum_twists_of_eight(simd, rest, given, g, lanes);
        let c = load_vec3(simd, &frame.centre, g);
        let omega = load_sym3(simd, &frame.inv_inertia, g) * (torque - c.cross(wp));
        let shift = wp * load_lanes(simd, &rest.inv_mass, g) - omega.cross(c);
        let k = load_lanes(simd, &rest.stiffness, g);
        store_twists(omega * k, shift * k, &mut answer[at..at + lanes]);
        at += 8;
    }
}

/// What particles make of that.
#[inline(always)]
fn answer_range<S: Simd>(
    simd: S,
    constants: Constants<'_>,
    particles: &Particles,
    frame: &Frame,
    answer: &[Twist],
    range: Span,
    start: usize,
    p: DofsRef<'_>,
    h: f32,
    out: DofsMut<'_>,
) {
    let rest = constants.rest;
    let splat = |value: f32| f32x8::splat(simd, value);
    let (reached, inv_h2) = (splat(constants.reached), splat(1.0 / (h * h)));
    let mut at = 0;
    while at < range.len() {
        let (j, lanes) = (range.start + at, (range.len() - at).min(8));
        let (turn, shift) = sum_twists_of_eight(simd, rest, answer, j, lanes);
        let pulled = shift + turn.cross(load_vec3(simd, &frame.place, j));
        let d = inv_h2 + reached * load_lanes(simd, &rest.share, j);
        let w = reached * load_lanes(simd, &rest.weight, j);
        let mass = load_lanes(simd, &particles.mass, j);
        let linear = load_points(simd, p.linear, j - start) * (mass * d) - pulled * w;

        let n = load_lanes(simd, &rest.group_count, j);
        let theta = load_points(simd, p.angular, j - start) * (d * n);
        let angular = load_sym3(simd, &frame.turning, j) * (theta - turn * reached);
        store_points(linear, &mut out.linear[at..at + lanes]);
        store_points(angular, &mut out.angular[at..at + lanes]);
        at += 8;
    }
}

/// D⁻¹ r, with D = m (1/h² + s) plus `extra` for positions, J (1/h² + s) for orientations.
pub(super) fn precondition(
    constants: Constants<'_>,
    particles: &Particles,
    frame: &Frame,
    span: Span,
    step: &Step,
    extra: &[f32],
    r: DofsRef<'_>,
    z: DofsMut<'_>,
) {
    let start = span.start;
    step.workers.for_span(span, z, &|range, z| {
        dispatch!(constants.level, simd => {
            precondition_range(
                simd, constants, particles, frame, range, start, extra, r, step.h, z,
            )
        });
    });
}

#[inline(always)]
fn precondition_range<S: Simd>(
    simd: S,
    constants: Constants<'_>,
    particles: &Particles,
    frame: &Frame,
    range: Span,
    start: usize,
    extra: &[f32],
    r: DofsRef<'_>,
    h: f32,
    z: DofsMut<'_>,
) {
    let rest = constants.rest;
    let splat = |value: f32| f32x8::splat(simd, value);
    let (one, reached, inv_h2) = (splat(1.0), splat(constants.reached), splat(1.0 / (h * h)));
    let mut at = 0;
    while at < range.len() {
        let (j, lanes) = (range.start + at, (range.len() - at).min(8));
        let d = inv_h2 + reached * load_lanes(simd, &rest.share, j);
        let mass = load_lanes(simd, &particles.mass, j);
        let linear = one / (mass * d + load_lanes(simd, extra, j - start));
        let angular = one / (d * load_lanes(simd, &rest.group_count, j));
        let torque = load_points(simd, r.angular, j - start);
        let turned = load_sym3(simd, &frame.inv_turning, j) * torque * angular;
        let moved = load_points(simd, r.linear, j - start) * linear;
        store_points(moved, &mut z.linear[at..at + lanes]);
        store_points(turned, &mut z.angular[at..at + lanes]);
        at += 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Sym3;
    use crate::math::fearless_simd::Level;

    /// Eight at a time and one at a time are the same bits, for turns of any size and either sign.
    #[test]
    fn log_of_eight_is_that_of_each() {
        for scale in [0.0, 1e-6, 1e-3, 0.1, 0.39, 0.41, 1.0, 3.1] {
            let q: [Rot; 8] = std::array::from_fn(|k| {
                let axis = Vec3::new(k as f32 - 3.5, 1.0, 0.3 * k as f32).normalize();
                let Rot { x, y, z, w } = Rot::exp(axis * (scale * (1.0 + 0.003 * k as f32)));
                let sign = if k % 3 == 0 { -1.0 } else { 1.0 };
                Rot { x: sign * x, y: sign * y, z: sign * z, w: sign * w }
            });
            let wide = dispatch!(Level::new(), simd => log(Rotx8::from_lanes(simd, &q)).to_lanes());
            for (lane, q) in wide.into_iter().zip(q) {
                assert_eq!(lane.to_array().map(f32::to_bits), q.log().to_array().map(f32::to_bits));
            }
        }
    }

    /// Small bodies have inertias whose cubes are no f32; what has none has no inverse.
    #[test]
    fn inverse_does_not_care_about_the_unit() {
        for scale in [1e-20f32, 1e-6, 1.0, 1e15] {
            let a = Sym3 { xx: 4.0, yy: 3.0, zz: 2.0, xy: 1.0, yz: 0.5, zx: -0.5 } * scale;
            let lanes = [a, Sym3::default(), a, a, a, a, a, a];
            let found = dispatch!(Level::new(), simd => {
                inverse(&Sym3x8::from_lanes(simd, &lanes), 0.0).to_lanes()
            });
            let product = (a.to_mat3() * (1.0 / scale)) * (found[0].to_mat3() * scale);
            assert!(product.abs_diff_eq(glam::Mat3::IDENTITY, 1e-6), "{scale}: {product}");
            assert_eq!(found[1], Sym3::default());
        }
    }
}
