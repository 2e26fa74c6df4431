//! The elastic part: goals of shape matching, the sweep, and the linearised problem.
//!
//! Energy of the model (000 sec. 3.2 as an implicit step): every member of a group is
//! drawn to where the group's best rigid motion would carry it,
//!
//! ```text
//! Ψ = ½ Σ_g k_g Σ_{j∈g} ( w_j |x_j − g_gj|² + φ_gjᵀ J_j φ_gj / n_j ),
//! g_gj = R_g F_P (x̄_j − c̄_g) + c_g,    φ_gj = log(R_g Q_j⁻¹)
//! ```
//!
//! | symbol | meaning |
//! | --- | --- |
//! | x, x*, Q, Q* | position and orientation relative to rest; with * without constraint |
//! | w_j = m_j/n_j | weight in each of the n_j groups that held j at rest |
//! | R_g, c_g | rotation and centre of group g |
//! | F_P | plastic deformation of the group, see `plastic`; 1 where nothing has flowed |
//! | s_j = Σ_g k_g/n_j | stiffness that particle j feels, per mass |
//!
//! R_g and c_g minimise Ψ, so its gradient is taken with both fixed. Per sweep every particle
//! adds a record to its groups, every group one to its particles: plain sums of cache lines.

use super::rest::{Rest, sym3_at};
use crate::math::fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use crate::math::wide::columns::{
    load_lanes, load_points, load_rotations, load_sym3, load_vec3, store_pairs, store_points,
    store_rotations, transpose, vec3,
};
use crate::math::wide::{Mat3x8, Rotx8, Vec3x8, WideMat3, WideRot, newton_step};
use crate::math::{self, Rot, Sym3, ops, undiluted_stretch};
use crate::parallel::{Span, Workers};
use crate::solids::{DofsMut, Particles, Residual, Step};
use bytemuck::{Pod, Zeroable};
use glam::{Mat3, Vec3};

/// What a particle gives its groups: w u x̄ᵀ by columns (9), w u (3), Q Ē/n by columns (9), with
/// u = x − x̄; the rest is zero.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Member(pub [f32; 24]);

/// What a group gives its particles: k times T by columns (9), t (3) and a rotation (4), so that
/// its goal for a particle is T x̄ + t.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Goal([f32; 16]);

/// Never read across steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub members: Vec<Member>,
    pub goals: Vec<Goal>,
    older: Vec<Vec3>,
    /// |r|² and the square of the force it is compared with, per particle.
    misfit: Vec<[f32; 2]>,
}

impl Scratch {
    pub(super) fn new(count: usize) -> Self {
        Self {
            members: vec![Member::zeroed(); count],
            goals: vec![Goal::zeroed(); count],
            older: vec![Vec3::ZERO; count],
            misfit: vec![[0.0; 2]; count],
        }
    }

    /// At least so many.
    pub(super) fn grow(&mut self, count: usize) {
        if self.members.len() < count {
            self.members.resize(count, Member::zeroed());
            self.goals.resize(count, Goal::zeroed());
            self.older.resize(count, Vec3::ZERO);
            self.misfit.resize(count, [0.0; 2]);
        }
    }
}

/// The model's numbers for this substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants<'a> {
    pub rest: &'a Rest,
    /// Factor on every k_g, at most 1, that the sweeps can reach.
    pub reached: f32,
    /// Whether some F_P is not 1.
    pub flowed: bool,
    pub level: Level,
}

impl Constants<'_> {
    /// a = h² s: stiffness against inertia.
    #[inline(always)]
    fn ratio(&self, j: usize, h: f32) -> f32 {
        h * h * self.reached * self.rest.share[j]
    }
}

/// Coefficients of the Chebyshev iteration whose polynomial p stays above −¼ on the spectrum
/// [0, k]: the time stepper z² − 2pz + p = 0 with an inexact solve is stable for −⅓ ≤ p ≤ 1, and
/// no choice of ρ by k alone keeps to that for few sweeps.
///
/// ```text
/// ρ = min( k/(2−k), 1/cosh(2.063/n) ),  γ = 1 + ρ,  ω₁ = 1,  ω₂ = 2/(2−ρ²),  ω = 4/(4 − ρ² ω)
/// ```
#[derive(Clone, Copy, Debug)]
struct Chebyshev {
    rho: f32,
    omega: f32,
}

impl Chebyshev {
    fn new(k: f32, sweeps: u32) -> Self {
        let limit = 1.0 / ops::cosh_f64(2.063 / f64::from(sweeps));
        Self { rho: (k / (2.0 - k)).min(limit as f32), omega: 1.0 }
    }

    fn gamma(self) -> f32 {
        1.0 + self.rho
    }

    fn next(self) -> Self {
        let rho2 = self.rho * self.rho;
        let omega =
            if self.omega == 1.0 { 2.0 / (2.0 - rho2) } else { 4.0 / (4.0 - rho2 * self.omega) };
        Self { omega, ..self }
    }
}

/// n sweeps of implicit Jacobi with Chebyshev acceleration, from x* on.
///
/// ```text
/// x⁺ = x* + k_j (ḡ_j − x*),   k_j = a/(1+a),   a = h² s_j,   ḡ_j = Σ_g k_g g_gj / Σ_g k_g
/// ```
///
/// Blending from x* and not from x makes the fixed point backward Euler of Ψ: Young's modulus is
/// an input, whatever the number of sweeps and substeps.
pub(super) fn sweep_alone(
    constants: Constants<'_>,
    particles: &mut Particles,
    rotation: &mut [Rot],
    scratch: &mut Scratch,
    span: Span,
    step: &Step,
) -> Residual {
    let workers = &step.workers;
    start_alone(constants, particles, rotation, scratch, span.clone(), workers);
    let stiffest = span.clone().map(|j| constants.ratio(j, step.h)).fold(0.0, f32::max);
    let mut chebyshev = Chebyshev::new(stiffest / (1.0 + stiffest), step.sweeps);
    for sweep in 0..step.sweeps {
        fit_groups(
            constants,
            &scratch.members,
            rotation,
            &mut scratch.goals,
            span.clone(),
            workers,
        );
        let last = sweep + 1 == step.sweeps;
        move_to_goals(constants, particles, scratch, span.clone(), step, chebyshev, last);
        chebyshev = chebyshev.next();
    }
    let count = span.len();
    let sums = workers.sum(span, &|leaf: Span| {
        let mut sum = glam::DVec2::ZERO;
        for [r, f] in &scratch.misfit[leaf] {
            sum += glam::DVec2::new(f64::from(*r), f64::from(*f));
        }
        sum
    });
    Residual::new(sums.x, sums.y, count)
}

/// Particles to x*, groups turned on with their centre particle, first records.
fn start_alone(
    constants: Constants<'_>,
    particles: &mut Particles,
    rotation: &mut [Rot],
    scratch: &mut Scratch,
    span: Span,
    workers: &Workers,
) {
    let Particles { position, orientation, inertial, inertial_orientation, .. } = particles;
    let (inertial, inertial_orientation) = (&*inertial, &*inertial_orientation);
    let before = &particles.previous_orientation;
    let columns = (
        (&mut position[span.clone()], &mut orientation[span.clone()]),
        &mut rotation[span.clone()],
        &mut scratch.older[span.clone()],
    );
    workers.for_span(span.clone(), columns, &|range, ((x, q), rotation, older)| {
        for (k, j) in range.enumerate() {
            x[k] = inertial[j];
            q[k] = inertial_orientation[j];
            older[k] = x[k];
            // of unit length up to rounding, which the fit takes away
            rotation[k] = q[k] * before[j].inverse() * rotation[k];
        }
    });
    write_members(constants, particles, &mut scratch.members, span, workers);
}

/// The particles' records for where they are.
pub(super) fn write_members(
    constants: Constants<'_>,
    particles: &Particles,
    members: &mut [Member],
    span: Span,
    workers: &Workers,
) {
    workers.for_span(span.clone(), &mut members[span], &|range, members| {
        dispatch!(constants.level, simd => {
            write_range(simd, constants.rest, particles, range, members)
        });
    });
}

#[inline(always)]
fn write_range<S: Simd>(
    simd: S,
    rest: &Rest,
    particles: &Particles,
    range: Span,
    members: &mut [Member],
) {
    let mut at = 0;
    while at < range.len() {
        let (j, lanes) = (range.start + at, (range.len() - at).min(8));
        let x_rest = load_points(simd, &particles.rest, j);
        let x = load_points(simd, &particles.position, j);
        let q = load_rotations(simd, &particles.orientation[j..j + lanes]);
        store_members(simd, rest, j, x_rest, x, q, &mut members[at..at + lanes]);
        at += 8;
    }
}

/// Records of eight particles from `j` on: their shares of the moments A_pq (000 sec. 3.2).
#[inline(always)]
fn store_members<S: Simd>(
    simd: S,
    rest: &Rest,
    j: usize,
    x_rest: Vec3x8<S>,
    x: Vec3x8<S>,
    q: Rotx8<S>,
    members: &mut [Member],
) {
    let wu = (x - x_rest) * load_lanes(simd, &rest.weight, j);
    let (a, b, c) = (wu * x_rest.x, wu * x_rest.y, wu * x_rest.z);
    let e = q.to_mat3() * load_sym3(simd, &rest.moment, j).to_mat3();
    let zero = f32x8::splat(simd, 0.0);
    let first = transpose([a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y]);
    let second = transpose([c.z, wu.x, wu.y, wu.z, e.x_axis.x, e.x_axis.y, e.x_axis.z, e.y_axis.x]);
    let third =
        transpose([e.y_axis.y, e.y_axis.z, e.z_axis.x, e.z_axis.y, e.z_axis.z, zero, zero, zero]);
    for (lane, member) in members.iter_mut().enumerate() {
        first[lane].store_slice(&mut member.0[..8]);
        second[lane].store_slice(&mut member.0[8..16]);
        third[lane].store_slice(&mut member.0[16..]);
    }
}

/// Rotation and goals of every group of the span, eight at a time.
fn fit_groups(
    constants: Constants<'_>,
    members: &[Member],
    rotation: &mut [Rot],
    goals: &mut [Goal],
    span: Span,
    workers: &Workers,
) {
    let columns = (&mut rotation[span.clone()], &mut goals[span.clone()]);
    workers.for_span(span, columns, &|range, (rotation, goals)| {
        let rest = constants.rest;
        dispatch!(constants.level, simd => if constants.flowed {
            fit_wide::<_, true>(simd, range, rest, members, rotation, goals)
        } else {
            fit_wide::<_, false>(simd, range, rest, members, rotation, goals)
        });
    });
}

/// Sums over eight groups, from which rotation, goals and stretch follow.
pub(super) struct Moments<S: Simd> {
    /// B = Σ w (x − c)(x̄ − c̄)ᵀ: the part of positions.
    pub positions: Mat3x8<S>,
    /// Σ Q Ē/n: the part of the particles themselves.
    pub own: Mat3x8<S>,
    /// Σ w u.
    pub shift: Vec3x8<S>,
}

/// Moments of eight groups from `g` on, centred as erratum 000.6 asks:
///
/// ```text
/// B = P + Σ w u x̄ᵀ − (Σ w u) c̄ᵀ
/// ```
#[inline(always)]
pub(super) fn moments<S: Simd>(
    simd: S,
    rest: &Rest,
    members: &[Member],
    g: usize,
    lanes: usize,
) -> Moments<S> {
    let sums = sum_of_eight(simd, rest, members, g, lanes);
    let (b0, b1, b2) = (transpose(sums[0]), transpose(sums[1]), transpose(sums[2]));
    let c_rest = load_vec3(simd, &rest.centre, g);
    let spread = load_sym3(simd, &rest.spread, g);
    let shift = vec3(b1[1], b1[2], b1[3]);
    let from_u = WideMat3 {
        x_axis: vec3(b0[0], b0[1], b0[2]) - shift * c_rest.x,
        y_axis: vec3(b0[3], b0[4], b0[5]) - shift * c_rest.y,
        z_axis: vec3(b0[6], b0[7], b1[0]) - shift * c_rest.z,
    };
    let own = WideMat3 {
        x_axis: vec3(b1[4], b1[5], b1[6]),
        y_axis: vec3(b1[7], b2[0], b2[1]),
        z_axis: vec3(b2[2], b2[3], b2[4]),
    };
    Moments { positions: spread.to_mat3() + from_u, own, shift }
}

/// Per group g (000 eq. 1 with moments of sec. 3.2; F_P on the positions only, erratum 000.17):
///
/// ```text
/// A_pq = B F_P + Σ Q Ē/n,   R ← one Newton step on SO(3),
/// c = c̄ + Σ w u / M,   T = R F_P,   t = c − T c̄
/// ```
#[inline(always)]
fn fit_wide<S: Simd, const FLOWED: bool>(
    simd: S,
    range: Span,
    rest: &Rest,
    members: &[Member],
    rotation: &mut [Rot],
    goals: &mut [Goal],
) {
    let mut at = 0;
    while at < range.len() {
        let (g, lanes) = (range.start + at, (range.len() - at).min(8));
        let Moments { positions, own, shift } = moments(simd, rest, members, g, lanes);
        let c_rest = load_vec3(simd, &rest.centre, g);
        let start = load_rotations(simd, &rotation[at..at + lanes]);
        let (q, turned) = if FLOWED {
            let plastic = load_sym3(simd, &rest.plastic, g).to_mat3();
            let q = newton_step(&(positions * plastic + own), start);
            (q, q.to_mat3() * plastic)
        } else {
            let q = newton_step(&(positions + own), start);
            (q, q.to_mat3())
        };
        let t = c_rest + shift * load_lanes(simd, &rest.inv_mass, g) - turned * c_rest;
        let k = load_lanes(simd, &rest.stiffness, g);
        store_goals(k, turned, t, q, &mut goals[at..at + lanes]);
        store_rotations(q, &mut rotation[at..at + lanes]);
        at += 8;
    }
}

/// Σ of the members' records for eight groups from `g` on; lanes past the end repeat the last.
///
/// Two running sums hide the latency of the additions.
#[inline(always)]
fn sum_of_eight<S: Simd>(
    simd: S,
    rest: &Rest,
    members: &[Member],
    g: usize,
    lanes: usize,
) -> [[f32x8<S>; 8]; 3] {
    let mut rows = [[f32x8::splat(simd, 0.0); 8]; 3];
    for lane in 0..8 {
        let list = rest.groups.of(g + lane.min(lanes - 1));
        let mut even = [f32x8::splat(simd, 0.0); 3];
        let mut odd = even;
        let (pairs, last) = list.as_chunks::<2>();
        for &[i, j] in pairs {
            let (a, b) = (&members[i as usize].0, &members[j as usize].0);
            for part in 0..3 {
                let at = 8 * part;
                even[part] += f32x8::from_slice(simd, &a[at..at + 8]);
                odd[part] += f32x8::from_slice(simd, &b[at..at + 8]);
            }
        }
        if let &[i] = last {
            let a = &members[i as usize].0;
            for part in 0..3 {
                even[part] += f32x8::from_slice(simd, &a[8 * part..8 * part + 8]);
            }
        }
        for part in 0..3 {
            rows[part][lane] = even[part] + odd[part];
        }
    }
    rows
}

/// Σ of the goals of the groups in `list`, in two halves.
#[inline(always)]
fn sum_goals<S: Simd>(simd: S, list: &[u32], goals: &[Goal]) -> (f32x8<S>, f32x8<S>) {
    let zero = f32x8::splat(simd, 0.0);
    let (mut even, mut odd) = ((zero, zero), (zero, zero));
    let (pairs, last) = list.as_chunks::<2>();
    for &[g, h] in pairs {
        let (a, b) = (&goals[g as usize].0, &goals[h as usize].0);
        even.0 += f32x8::from_slice(simd, &a[..8]);
        even.1 += f32x8::from_slice(simd, &a[8..]);
        odd.0 += f32x8::from_slice(simd, &b[..8]);
        odd.1 += f32x8::from_slice(simd, &b[8..]);
    }
    if let &[g] = last {
        let a = &goals[g as usize].0;
        even.0 += f32x8::from_slice(simd, &a[..8]);
        even.1 += f32x8::from_slice(simd, &a[8..]);
    }
    (even.0 + odd.0, even.1 + odd.1)
}

/// The same as plain numbers.
#[inline(always)]
fn sum_goals_plain<S: Simd>(simd: S, list: &[u32], goals: &[Goal]) -> [f32; 16] {
    let (low, high) = sum_goals(simd, list, goals);
    let mut sum = [0.0; 16];
    low.store_slice(&mut sum[..8]);
    high.store_slice(&mut sum[8..]);
    sum
}

/// Σ T x̄ + Σ t of a sum of goals.
#[inline(always)]
fn goal_of(sum: &[f32; 16], x_rest: Vec3) -> Vec3 {
    let (a, b) = (Vec3::new(sum[0], sum[1], sum[2]), Vec3::new(sum[3], sum[4], sum[5]));
    let (c, t) = (Vec3::new(sum[6], sum[7], sum[8]), Vec3::new(sum[9], sum[10], sum[11]));
    a * x_rest.x + b * x_rest.y + c * x_rest.z + t
}

/// Mean rotation of a sum of goals, on the side of the particle's own orientation.
#[inline(always)]
fn mean_rotation(sum: &[f32; 16], q: Rot) -> Rot {
    let [x, y, z, w] = [sum[12], sum[13], sum[14], sum[15]];
    let side = if x * q.x + y * q.y + z * q.z + w * q.w < 0.0 { -1.0 } else { 1.0 };
    Rot { x: side * x, y: side * y, z: side * z, w: side * w }.normalized()
}

/// One sweep's second half: particles to the blend of x* and their mean goal, extrapolated, and
/// their records for the next sweep.
fn move_to_goals(
    constants: Constants<'_>,
    particles: &mut Particles,
    scratch: &mut Scratch,
    span: Span,
    step: &Step,
    chebyshev: Chebyshev,
    last: bool,
) {
    let Particles { position, orientation, .. } = particles;
    let fixed = Fixed {
        rest: &particles.rest,
        mass: &particles.mass,
        inertial: &particles.inertial,
        inertial_orientation: &particles.inertial_orientation,
        goals: &scratch.goals,
    };
    let columns = (
        (&mut position[span.clone()], &mut orientation[span.clone()]),
        &mut scratch.members[span.clone()],
        &mut scratch.older[span.clone()],
        &mut scratch.misfit[span.clone()],
    );
    step.workers.for_span(span, columns, &|range, columns| {
        dispatch!(constants.level, simd => {
            move_range(simd, constants, fixed, range, columns, step.h, chebyshev, last)
        });
    });
}

/// What [`move_range`] reads.
#[derive(Clone, Copy)]
struct Fixed<'a> {
    rest: &'a [Vec3],
    mass: &'a [f32],
    inertial: &'a [Vec3],
    inertial_orientation: &'a [Rot],
    goals: &'a [Goal],
}

type Moved<'a> =
    ((&'a mut [Vec3], &'a mut [Rot]), &'a mut [Member], &'a mut [Vec3], &'a mut [[f32; 2]]);

#[inline(always)]
fn move_range<S: Simd>(
    simd: S,
    constants: Constants<'_>,
    fixed: Fixed<'_>,
    range: Span,
    ((x, q), members, older, misfit): Moved<'_>,
    h: f32,
    chebyshev: Chebyshev,
    last: bool,
) {
    let rest = constants.rest;
    let splat = |value: f32| f32x8::splat(simd, value);
    let (zero, one) = (splat(0.0), splat(1.0));
    let (omega, gamma) = (splat(chebyshev.omega), splat(chebyshev.gamma()));
    let stiffness = splat(h * h * constants.reached);
    let mut at = 0;
    while at < range.len() {
        let (j, lanes) = (range.start + at, (range.len() - at).min(8));
        let eight = at..at + lanes;
        let share = load_lanes(simd, &rest.share, j);
        let total = share * load_lanes(simd, &rest.group_count, j);
        // a group of one pulls nobody: its particle goes where it would go alone
        let pulled = total.simd_gt(zero);
        let inv_total = pulled.select(one / total, zero);
        let a = share * stiffness;
        let k = a / (one + a);

        let (low, high) = sum_goals_of_eight(simd, rest, fixed.goals, j, lanes);
        let (b0, b1) = (transpose(low), transpose(high));
        let x_rest = load_points(simd, fixed.rest, j);
        let goal = (vec3(b0[0], b0[1], b0[2]) * x_rest.x
            + vec3(b0[3], b0[4], b0[5]) * x_rest.y
            + vec3(b0[6], b0[7], b1[0]) * x_rest.z
            + vec3(b1[1], b1[2], b1[3]))
            * inv_total;

        let x_star = load_points(simd, fixed.inertial, j);
        let target = x_star + (goal - x_star) * k;
        let now = load_points(simd, x, at);
        let before = load_points(simd, older, at);
        if last {
            let inertia = load_lanes(simd, fixed.mass, j) * splat(1.0 / (h * h));
            let off = (target - now) * (inertia * (one + a));
            let moved = (now - x_star) * inertia;
            // not less than a hundred times what rounding of x and of the goals leaves unbalanced
            let rounding = now * (inertia * (one + a) * splat(1000.0 * f32::EPSILON));
            let (r2, f2) = (off.dot(off), moved.dot(moved) + rounding.dot(rounding));
            store_pairs(r2, f2, &mut misfit[eight.clone()]);
        }
        let next = before + (now + (target - now) * gamma - before) * omega;

        // (1−k) q* + k r̄ on the side of q*, normalised
        let q_star = load_rotations(simd, &fixed.inertial_orientation[j..j + lanes]);
        let sum = WideRot { x: b1[4], y: b1[5], z: b1[6], w: b1[7] };
        let along = sum.x * q_star.x + sum.y * q_star.y + sum.z * q_star.z + sum.w * q_star.w;
        let mean = k * along.simd_lt(zero).select(-inv_total, inv_total);
        let mixed = WideRot {
            x: q_star.x - k * q_star.x + mean * sum.x,
            y: q_star.y - k * q_star.y + mean * sum.y,
            z: q_star.z - k * q_star.z + mean * sum.z,
            w: q_star.w - k * q_star.w + mean * sum.w,
        };
        let turned = mixed.normalized_or(q_star);

        store_members(simd, rest, j, x_rest, next, turned, &mut members[eight.clone()]);
        store_points(now, &mut older[eight.clone()]);
        store_points(next, &mut x[eight.clone()]);
        store_rotations(turned, &mut q[eight]);
        at += 8;
    }
}

/// Σ of the goals for eight particles from `j` on, as rows.
#[inline(always)]
pub(super) fn sum_goals_of_eight<S: Simd>(
    simd: S,
    rest: &Rest,
    goals: &[Goal],
    j: usize,
    lanes: usize,
) -> ([f32x8<S>; 8], [f32x8<S>; 8]) {
    let zero = f32x8::splat(simd, 0.0);
    let (mut low, mut high) = ([zero; 8], [zero; 8]);
    for lane in 0..8 {
        let list = rest.groups.of(j + lane.min(lanes - 1));
        (low[lane], high[lane]) = sum_goals(simd, list, goals);
    }
    (low, high)
}

/// Rotations and goals for the particles as they are.
pub(super) fn linearise(
    constants: Constants<'_>,
    particles: &Particles,
    rotation: &mut [Rot],
    scratch: &mut Scratch,
    span: Span,
    step: &Step,
) {
    let workers = &step.workers;
    write_members(constants, particles, &mut scratch.members, span.clone(), workers);
    fit_groups(constants, &scratch.members, rotation, &mut scratch.goals, span, workers);
}

/// Newton steps of an audit: from a warm start two give f32's last digit.
pub(super) const AUDIT_STEPS: u32 = 2;

/// −∇Ψ alone.
pub(super) fn elastic_force(
    constants: Constants<'_>,
    particles: &Particles,
    scratch: &Scratch,
    span: Span,
    step: &Step,
    force: DofsMut<'_>,
) {
    step.workers.for_span(span, force, &|range, force| {
        for (k, j) in range.enumerate() {
            let (pull, twist) = toward_goal(constants, particles, scratch, j);
            force.linear[k] = particles.mass[j] * pull;
            force.angular[k] = particles.inertia_times(j, twist);
        }
    });
}

/// s (ḡ − x) and s log(r̄ q⁻¹): acceleration towards the mean goal.
fn toward_goal(
    constants: Constants<'_>,
    particles: &Particles,
    scratch: &Scratch,
    j: usize,
) -> (Vec3, Vec3) {
    let rest = constants.rest;
    let total = rest.share[j] * rest.group_count[j];
    // a group of one pulls nobody
    if total == 0.0 {
        return (Vec3::ZERO, Vec3::ZERO);
    }
    let sum = dispatch!(constants.level, simd => {
        sum_goals_plain(simd, rest.groups.of(j), &scratch.goals)
    });
    let (x, q) = (particles.position[j], particles.orientation[j]);
    let s = constants.reached * rest.share[j];
    let pull = goal_of(&sum, particles.rest[j]) * (1.0 / total) - x;
    (s * pull, s * (mean_rotation(&sum, q) * q.inverse()).log())
}

/// 1/h² + s_j: the diagonal of A per mass.
pub(super) fn diagonal(constants: Constants<'_>, j: usize, h: f32) -> f32 {
    1.0 / (h * h) + constants.reached * constants.rest.share[j]
}

/// Rotation and stretch S of group `g` as its members are. S is that of positions alone: the ellipsoids, which
/// do not stretch, would dilute it (erratum 000.7); and it is the elastic part, what F_P leaves (erratum 000.17). The
/// rotation is brought up to the particles, from `start` on.
pub(super) fn stretch(rest: &Rest, particles: &Particles, start: Rot, g: usize) -> (Rot, Sym3) {
    let list = rest.groups.of(g);
    let weighted = |j: u32| rest.weight[j as usize] * particles.position[j as usize];
    let centre = list.iter().map(|&j| weighted(j)).sum::<Vec3>() * rest.inv_mass[g];
    let c_rest = rest.centre_of(g);
    let (mut positions, mut own) = (Mat3::ZERO, Mat3::ZERO);
    for &j in list {
        let j = j as usize;
        let p = rest.weight[j] * (particles.position[j] - centre);
        let q = particles.rest[j] - c_rest;
        positions += Mat3::from_cols(p * q.x, p * q.y, p * q.z);
        own += particles.orientation[j].to_mat3() * sym3_at(&rest.moment, j).to_mat3();
    }
    let plastic = rest.plastic_of(g).to_mat3();
    let positions = positions * plastic;
    let mut r = start;
    for _ in 0..AUDIT_STEPS {
        r = math::newton_step(&(positions + own), r);
    }
    let spread = Sym3::from_mat3(&(plastic * rest.spread_of(g).to_mat3() * plastic));
    (r, undiluted_stretch(&spread, &positions, r))
}

/// Ψ in f64, member by member, with these rotations of the groups.
pub(super) fn energy(
    constants: Constants<'_>,
    particles: &Particles,
    rotation: &[Rot],
    span: Span,
    workers: &Workers,
) -> f64 {
    workers.sum(span, &|leaf: Span| {
        leaf.map(|g| group_energy(constants, particles, rotation[g], g)).sum()
    })
}

/// What group `g` adds to Ψ with this rotation, in J.
pub(super) fn group_energy(
    constants: Constants<'_>,
    particles: &Particles,
    rotation: Rot,
    g: usize,
) -> f64 {
    let rest = constants.rest;
    let list = rest.groups.of(g);
    if list.len() == 1 {
        return 0.0;
    }
    let (t, c_rest) = (rotation.to_mat3() * rest.plastic_of(g).to_mat3(), rest.centre_of(g));
    let weighted = |j: usize| rest.weight[j] * (particles.position[j] - particles.rest[j]);
    let moved: Vec3 = list.iter().map(|&j| weighted(j as usize)).sum();
    let centre = c_rest + moved * rest.inv_mass[g];
    let mut sum = 0.0;
    for &j in list {
        let j = j as usize;
        let goal = t * (particles.rest[j] - c_rest) + centre;
        let off = particles.position[j] - goal;
        let phi = (rotation * particles.orientation[j].inverse()).log();
        let turned = phi.dot(particles.inertia_times(j, phi)) / rest.group_count[j];
        sum += f64::from(rest.weight[j] * off.length_squared() + turned);
    }
    0.5 * f64::from(constants.reached * rest.stiffness[g]) * sum
}

/// k (T, t, q) as records.
#[inline(always)]
fn store_goals<S: Simd>(
    k: f32x8<S>,
    t_mat: Mat3x8<S>,
    t: Vec3x8<S>,
    q: Rotx8<S>,
    goals: &mut [Goal],
) {
    let WideMat3 { x_axis: a, y_axis: b, z_axis: c } = t_mat * k;
    let (t, q) = (t * k, q * k);
    let low = transpose([a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y]);
    let high = transpose([c.z, t.x, t.y, t.z, q.x, q.y, q.z, q.w]);
    for (lane, goal) in goals.iter_mut().enumerate() {
        low[lane].store_slice(&mut goal.0[..8]);
        high[lane].store_slice(&mut goal.0[8..]);
    }
}
