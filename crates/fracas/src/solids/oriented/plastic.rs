//! Plastic flow (000 sec. 3.4): where the elastic strain of a group is beyond yield, its rest shape follows.
//!
//! The elastic stretch S of a group is measured in every substep, and most groups end at a bound: of ‖S − 1‖ first, of
//! the eigenvalues of S then. Only those that may flow or break are decomposed.
//!
//! ```text
//! M = Rᵀ B F_P + e,   A = F_P P F_P + e,   A S + S A = M + Mᵀ              000 eq. 6, errata 000.3, 7, 17
//! ε = log λ(S),   ε' = ε − tr ε/3,   ε_eq = √(3/2) |ε'|                    yields where ε_eq > ε_Y (erratum 000.16)
//! κ = 1 + ⅔ H/E,   x = (ε_eq − ε_Y)/κ · (1 − exp(−ν κ h)),   γ = x/ε_eq     rate form, erratum 000.15
//! F_P ← V diag(exp(γ ε')) Vᵀ F_P,   α ← α + ⅔ x,   ε_Y = (σ_Y + H α)/E      000 eq. 9, of determinant 1
//! ```
//!
//! α = ∫ √(2/3) |dε_P| is the plastic strain of a pulled bar. What ε_eq gives up is 3/2 of it: along a bar that is pulled,
//! whose ν is 0, only two thirds of the strain change its shape.
//!
//! The product of two symmetric matrices turns, F_P = W U. The turn W is moved over to R, so that F_P stays symmetric
//! and R the rotation of the material, which the particles of the group follow.

use super::elastic::{Constants, Member, Moments, moments};
use super::rest::{Limits, Rest};
use crate::math::fearless_simd::{Simd, dispatch, f32x8, prelude::*};
use crate::math::wide::columns::{load_lanes, load_rotations, load_sym3};
use crate::math::wide::{
    Mat3x8, Sym3x8, WideSym3, eigenvalue_bounds, newton_step, optimal_stretch, stretch_bound,
    symmetric_eigen,
};
use crate::math::{self, Clamped, Rot, Sym3, log_stretches, ops};
use crate::parallel::Span;
use crate::solids::{Particles, Step};
use glam::{DMat3, Mat3, Vec3};

/// Groups below this share of their limit are not decomposed: their bound stands for their strain in the average of
/// the break test. It can never bring that to the limit.
const LISTEN: f32 = 0.5;

/// Below this share of its mean extent, as a second moment, a group counts as flat along an axis.
const FLAT: f32 = 0.1;

/// Smallest share of the position part that is added to moments, erratum 000.7.
const PADDING: f32 = 1e-3 / 3.0;

/// What was measured of a group in this substep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tension {
    /// Largest principal elastic strain after the flow, or a bound of it below half of the limit.
    pub strain: f32,
    /// Its direction in the world; zero where the strain is a bound.
    pub normal: Vec3,
    /// Whether the group has flowed.
    pub flowed: bool,
}

/// State of groups that flow changes, from the start of a span on.
pub(super) struct Flowing<'a> {
    pub rotation: &'a mut [Rot],
    pub plastic: [&'a mut [f32]; 6],
    pub flowed: &'a mut [f32],
    pub tension: &'a mut [Tension],
}

impl<'a> crate::parallel::Columns for Flowing<'a> {
    fn split_at(self, i: usize) -> (Self, Self) {
        let (r0, r1) = self.rotation.split_at_mut(i);
        let (p0, p1) = self.plastic.split_at(i);
        let (f0, f1) = self.flowed.split_at_mut(i);
        let (t0, t1) = self.tension.split_at_mut(i);
        (
            Flowing { rotation: r0, plastic: p0, flowed: f0, tension: t0 },
            Flowing { rotation: r1, plastic: p1, flowed: f1, tension: t1 },
        )
    }
}

/// Measures every group of the span and lets those flow that have yielded. Returns the work, in J.
///
/// `members` hold the records of the particles as they are.
pub(super) fn flow(
    constants: Constants<'_>,
    particles: &Particles,
    members: &[Member],
    span: Span,
    step: &Step,
    columns: Flowing<'_>,
) -> f64 {
    step.workers.fold_span(span, columns, &|range, columns| {
        dispatch!(constants.level, simd => if constants.flowed {
            flow_range::<_, true>(simd, constants, particles, members, range, step.h, columns)
        } else {
            flow_range::<_, false>(simd, constants, particles, members, range, step.h, columns)
        })
    })
}

#[inline(always)]
fn flow_range<S: Simd, const FLOWED: bool>(
    simd: S,
    constants: Constants<'_>,
    particles: &Particles,
    members: &[Member],
    range: Span,
    h: f32,
    mut columns: Flowing<'_>,
) -> f64 {
    let rest = constants.rest;
    let one = f32x8::splat(simd, 1.0);
    let mut work = 0.0;
    let mut at = 0;
    while at < range.len() {
        let (g, lanes) = (range.start + at, (range.len() - at).min(8));
        let eight = at..at + lanes;
        let Moments { positions, own, .. } = moments(simd, rest, members, g, lanes);
        let spread = load_sym3(simd, &rest.spread, g);
        let (positions_then, spread_then) = if FLOWED {
            let [xx, yy, zz, xy, yz, zx] =
                columns.plastic.each_ref().map(|column| load_lanes(simd, column, at));
            let plastic = WideSym3 { xx, yy, zz, xy, yz, zx }.to_mat3();
            (positions * plastic, (plastic * spread.to_mat3() * plastic).symmetric_part())
        } else {
            (positions, spread)
        };
        let start = load_rotations(simd, &columns.rotation[eight.clone()]);
        let q = newton_step(&(positions_then + own), start);
        let e = spread_then.trace() * f32x8::splat(simd, PADDING);
        let a = spread_then + WideSym3::diagonal(e);
        let m = q.to_mat3().transpose_mul(&positions_then) + WideSym3::diagonal(e).to_mat3();

        // 1 − e^−ε ≥ ε/(1+ε) and 1 + ε ≤ e^ε: no more than the strain allows, without its exponential
        let quiet = quiet_strain(rest, particles, g, lanes);
        let deviation = lanes_of(stretch_bound(&a, &m, load_lanes(simd, &rest.least, g) + e));
        if quiet[..lanes]
            .iter()
            .zip(deviation)
            .all(|(&quiet, bound)| bound <= quiet / (1.0 + quiet))
        {
            store_bounds(&deviation, &mut columns.tension[eight]);
            at += 8;
            continue;
        }
        let stretch = optimal_stretch(&a, &m);
        let (low, high) = eigenvalue_bounds(&stretch);
        let (low, high) = (lanes_of(low), lanes_of(high - one));
        store_bounds(&high, &mut columns.tension[eight]);
        let within =
            |(lane, &quiet): (usize, &f32)| high[lane] < quiet && low[lane] > 1.0 / (1.0 + quiet);
        if quiet[..lanes].iter().enumerate().all(within) {
            at += 8;
            continue;
        }
        let which = Lanes { g, at, lanes, h };
        let measured = (q.to_lanes(), &stretch, &positions, &spread_then);
        work += flow_lanes(constants, which, measured, &mut columns);
        at += 8;
    }
    work
}

/// Strain at which groups need a closer look.
fn quiet_strain(rest: &Rest, particles: &Particles, g: usize, lanes: usize) -> [f32; 8] {
    let limits = &rest.limits;
    let mut quiet = [0.0; 8];
    for (lane, quiet) in quiet[..lanes].iter_mut().enumerate() {
        let g = g + lane;
        let breaking = LISTEN * limits.break_strain[g] * particles.strength[g];
        *quiet = breaking.min(limits.yield_strain[g]).min(limits.crush_strain(g));
    }
    quiet
}

#[inline(always)]
fn lanes_of<S: Simd>(v: f32x8<S>) -> [f32; 8] {
    let mut lanes = [0.0; 8];
    v.store_slice(&mut lanes);
    lanes
}

fn store_bounds(bounds: &[f32; 8], tension: &mut [Tension]) {
    for (tension, &strain) in tension.iter_mut().zip(bounds) {
        *tension = Tension { strain, normal: Vec3::ZERO, flowed: false };
    }
}

/// Which groups, and the substep.
#[derive(Clone, Copy)]
struct Lanes {
    /// The first.
    g: usize,
    /// Its place in the columns.
    at: usize,
    lanes: usize,
    h: f32,
}

/// Decomposes the stretch of eight groups and lets those flow that have yielded.
fn flow_lanes<S: Simd>(
    constants: Constants<'_>,
    Lanes { g, at, lanes, h }: Lanes,
    (turned, stretch, positions, extents): ([Rot; 8], &Sym3x8<S>, &Mat3x8<S>, &Sym3x8<S>),
    columns: &mut Flowing<'_>,
) -> f64 {
    let (values, vectors) = symmetric_eigen(stretch);
    let (values, vectors) = (values.to_lanes(), vectors.to_lanes());
    let extents = extents.to_lanes();
    let positions = positions.to_lanes();
    let mut work = 0.0;
    for lane in 0..lanes {
        let Clamped { value: mut log, clamped } = log_stretches(values[lane].to_array());
        // turned inside out: its strain says nothing
        if clamped {
            continue;
        }
        let (group, place) = (g + lane, at + lane);
        let axes = [vectors[lane].x_axis, vectors[lane].y_axis, vectors[lane].z_axis];
        for (strain, axis) in log.iter_mut().zip(axes) {
            *strain *= heard(&extents[lane], axis);
        }
        let normal = turned[lane] * vectors[lane].x_axis;
        let limits = &constants.rest.limits;
        let Some(flow) = Flow::of(limits, group, log, h) else {
            columns.tension[place] = Tension { strain: log[0], normal, flowed: false };
            continue;
        };
        let before = Sym3::from_array(columns.plastic.each_ref().map(|column| column[place]));
        let Some((turn, after)) = flow.plastic(&vectors[lane], before, limits.plastic_limit[group])
        else {
            columns.tension[place] = Tension { strain: log[0], normal, flowed: false };
            continue;
        };
        let r = turned[lane].to_mat3();
        let r_after = r * turn.to_mat3();
        let [was, is] = [r * before.to_mat3(), r_after * after.to_mat3()]
            .map(|goal| misfit(&goal, &positions[lane], &constants.rest.spread_of(group)));
        // a flow that stores energy is none
        if is >= was {
            columns.tension[place] = Tension { strain: log[0], normal, flowed: false };
            continue;
        }
        let stiffness = constants.reached * constants.rest.stiffness[group];
        work += 0.5 * f64::from(stiffness) * (was - is);
        columns.rotation[place] = (turned[lane] * turn).normalized();
        for (column, value) in columns.plastic.iter_mut().zip(after.to_array()) {
            column[place] = value;
        }
        columns.flowed[place] += flow.strain;
        let strain = log[0] - flow.share * flow.deviator[0];
        columns.tension[place] = Tension { strain, normal, flowed: true };
    }
    work
}

/// How far the strain along an axis is to be believed: fully where the group reaches as far along it as others do, less where
/// it is flat. There a small bend would read as a large strain.
fn heard(extent: &Sym3, axis: Vec3) -> f32 {
    let (along, mean) = (axis.dot(extent.mul_vec(axis)), extent.trace() / 3.0);
    if mean > 0.0 { (along / (FLAT * mean)).min(1.0) } else { 0.0 }
}

/// Σ w |x − c − T (x̄ − c̄)|² without the part that does not change with T, in f64.
fn misfit(t: &Mat3, positions: &Mat3, spread: &Sym3) -> f64 {
    let (t, b, p) = (t.as_dmat3(), positions.as_dmat3(), spread.to_mat3().as_dmat3());
    let dot = |a: &DMat3, b: &DMat3| {
        a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
    };
    dot(&t, &(t * p)) - 2.0 * dot(&t, &b)
}

/// How much of its elastic strain a group gives up in a substep.
struct Flow {
    /// Plastic strain Δα = ⅔ x.
    strain: f32,
    /// γ.
    share: f32,
    /// ε', largest first.
    deviator: [f32; 3],
}

impl Flow {
    /// Of a group with these principal strains, largest first; none below yield.
    ///
    /// Where it is compressed beyond its compressive strength, it is crushed: flows though it has not yielded
    /// (erratum 000.20).
    fn of(limits: &Limits, g: usize, log: [f32; 3], h: f32) -> Option<Self> {
        let mean = (log[0] + log[1] + log[2]) / 3.0;
        let deviator = log.map(|strain| strain - mean);
        let equivalent = (1.5 * deviator.iter().map(|d| d * d).sum::<f32>()).sqrt();
        let crush = limits.crush_strain(g);
        let crushed = -log[2] > crush;
        let limit = limits.yield_strain[g];
        let beyond = equivalent - if crushed { limit.min(crush) } else { limit };
        if beyond <= 0.0 {
            return None;
        }
        let stiffer = 1.0 + 2.0 / 3.0 * limits.hardening[g] / limits.modulus[g];
        let given = beyond / stiffer * -ops::exp_m1(-limits.creep_rate[g] * stiffer * h);
        (given > 0.0).then(|| Self {
            strain: 2.0 / 3.0 * given,
            share: given / equivalent,
            deviator,
        })
    }

    /// W and U of V diag(exp(γ ε')) Vᵀ F_P = W U, with U of determinant 1. None where a principal value of U would go
    /// beyond `limit` or its inverse, and farther than it is (erratum 000.18).
    fn plastic(&self, v: &Mat3, before: Sym3, limit: f32) -> Option<(Rot, Sym3)> {
        let [a, b, c] = self.deviator.map(|strain| ops::exp(self.share * strain));
        let step =
            Sym3::outer(v.x_axis) * a + Sym3::outer(v.y_axis) * b + Sym3::outer(v.z_axis) * c;
        let product = step.to_mat3() * before.to_mat3();
        let mut turn = Rot::IDENTITY;
        for _ in 0..2 {
            turn = math::newton_step(&product, turn);
        }
        let after = Sym3::from_mat3(&(turn.to_mat3().transpose() * product));
        let after = after * (1.0 / ops::cbrt(after.determinant()));
        let extreme = |u: &Sym3| {
            let (values, _) = math::symmetric_eigen(u);
            values[0].max(1.0 / values[2])
        };
        let (low, high) = math::eigenvalue_bounds(&after);
        let within = high <= limit && low * limit >= 1.0;
        (within || extreme(&after) <= limit.max(extreme(&before))).then_some((turn, after))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may end by panic")]
mod tests {
    use super::*;

    fn near(found: Sym3, wanted: [f32; 6], tolerance: f32) -> bool {
        found.to_array().iter().zip(wanted).all(|(a, b)| (a - b).abs() <= tolerance)
    }

    fn spun(angle: f32) -> Mat3 {
        Rot::exp(Vec3::Z * angle.to_radians()).to_mat3()
    }

    /// Oracle of 000.14 (000-F): Λ = (1.5, 1, 0.8) about 30°, of which a share γ = 0.3767 flows.
    #[test]
    fn flow_gives_the_printed_plastic_part() {
        let log = [1.5f32.ln(), 0.0, 0.8f32.ln()];
        let mean = (log[0] + log[1] + log[2]) / 3.0;
        let deviator = log.map(|strain| strain - mean);
        let flow = Flow { strain: 0.0, share: 0.376_684_83, deviator };
        let v = spun(30.0);
        let (turn, plastic) = flow.plastic(&v, Sym3::IDENTITY, 4.0).unwrap();
        let wanted = [1.098_326_5, 1.017_687_1, 0.898_573, 0.069_835_72, 0.0, 0.0];
        assert!(near(plastic, wanted, 2e-6), "{plastic:?}");
        assert!(turn.log().length() < 1e-6, "nothing turns what was round");
        // what is left of the elastic stretch
        let left: [f32; 3] = std::array::from_fn(|k| (log[k] - flow.share * deviator[k]).exp());
        let stretch = Sym3::outer(v.x_axis) * left[0]
            + Sym3::outer(v.y_axis) * left[1]
            + Sym3::outer(v.z_axis) * left[2];
        let wanted = [1.243_804_6, 1.096_706, 0.890_3, 0.127_391_18, 0.0, 0.0];
        assert!(near(stretch, wanted, 2e-6), "{stretch:?}");
        assert!((stretch.determinant() - 1.2).abs() < 2e-6);
    }

    fn limits(yield_stress: f32, hardening_modulus: f32, creep_rate: f32) -> Limits {
        let desc = crate::material::MaterialDesc {
            youngs_modulus: 1e6.into(),
            yield_stress: yield_stress.into(),
            hardening_modulus: hardening_modulus.into(),
            creep_rate: creep_rate.into(),
            ..Default::default()
        };
        let material = crate::material::Material::try_from(&desc).unwrap();
        let sample = material.sample(&crate::material::SamplePoint::default()).unwrap();
        let mut limits = Limits::default();
        limits.push(&sample, 0.1);
        limits.harden(0);
        limits
    }

    /// 000.15: how much flows in a second does not depend on into how many steps it is cut, with hardening or without.
    #[test]
    fn flow_is_the_same_at_every_rate() {
        for hardening in [0.0, 5e5] {
            let flowed = [30, 60, 240, 2000].map(|steps| {
                let mut limits = limits(1e4, hardening, 3.0);
                let mut strain = 1.5f32.ln();
                for _ in 0..steps {
                    // held in shape: what flows leaves the strain
                    let flow = Flow::of(&limits, 0, [strain, 0.0, 0.0], 1.0 / steps as f32);
                    let flow = flow.unwrap();
                    strain -= flow.share * strain;
                    limits.flowed[0] += flow.strain;
                    limits.harden(0);
                }
                limits.flowed[0]
            });
            let ratio = 1.0 + 2.0 / 3.0 * hardening / 1e6;
            let given = (1.5f32.ln() - 0.01) / ratio * (1.0 - (-3.0 * ratio).exp());
            let wanted = 2.0 / 3.0 * given;
            for strain in flowed {
                assert!((strain - wanted).abs() < 1e-5, "{flowed:?}, not {wanted}");
            }
        }
    }

    /// Erratum 000.16: pressed or blown up evenly it neither flows nor hardens; yield is that of a pulled bar.
    #[test]
    fn only_a_change_of_shape_flows() {
        let limits = limits(1e4, 0.0, 30.0);
        for strain in [-0.5, 0.5] {
            assert!(Flow::of(&limits, 0, [strain; 3], 0.01).is_none());
        }
        assert!(Flow::of(&limits, 0, [0.0099, 0.0, 0.0], 0.01).is_none());
        assert!(Flow::of(&limits, 0, [0.0101, 0.0, 0.0], 0.01).is_some());
        assert!(Flow::of(&limits, 0, [0.0, 0.0, -0.0101], 0.01).is_some());
    }

    /// Erratum 000.18: F_P stays within its limit, keeps its volume, and goes back from there.
    #[test]
    fn flow_ends_at_the_plastic_limit() {
        let along = |sign: f32| Flow {
            strain: 0.0,
            share: 0.05,
            deviator: [2.0, -1.0, -1.0].map(|d: f32| sign * d),
        };
        let v = spun(20.0);
        let mut plastic = Sym3::IDENTITY;
        let mut steps = 0;
        while let Some((_, next)) = along(1.0).plastic(&v, plastic, 2.0) {
            plastic = next;
            steps += 1;
            assert!(steps < 100, "it never ends");
            assert!((plastic.determinant() - 1.0).abs() < 1e-5);
        }
        let (values, _) = math::symmetric_eigen(&plastic);
        assert!(values[0] <= 2.0 && values[0] > 1.8, "{values:?}");
        assert!(along(-1.0).plastic(&v, plastic, 2.0).is_some());
        // another order of stretches turns the product, and the turn is given back
        let (turn, after) = along(1.0).plastic(&spun(70.0), plastic, 9.0).unwrap();
        assert!(turn.log().length() > 1e-3);
        let product = turn.to_mat3() * after.to_mat3();
        assert!((product.determinant() - 1.0).abs() < 1e-5);
    }
}
