//! Conjugate gradients over one island, with its contacts.
//!
//! An iteration is three passes: bodies multiply, contacts answer, bodies move on. Between them stand
//! the two sums that every such iteration needs.

use super::coarse::Inverse;
use super::dofs::{dot, dot_leaf, mix, sum_of_lanes};
use super::sides::each_side;
use super::{
    Held, ITERATIONS, MANY_ITERATIONS, Pair, Part, ROUND_SHARE, ROUNDS, SHARE, Scratch, Side,
};
use crate::math::fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use crate::math::wide::Vec3x8;
use crate::math::wide::columns::{load_points, store_points, vec3};
use crate::parallel::Span;
use crate::solids::rigid::product_alone;
use crate::solids::{DofsMut, DofsRef, Particles, Solid, Step};
use glam::{DVec3, Vec3};

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Solved {
    /// There was nothing left to do when it began.
    Before,
    /// It brought down what there was.
    Now,
    /// Its iterations were too few.
    NotYet,
}

/// Iterations on (M/h² + K + Σ k JᵀJ) δ = r from 0 on; the residual without contacts comes in and the
/// solution goes out in `scratch`. The first round adds what it begins with to `scale`, what the solve is about.
///
/// Every round starts from scratch. Going on from the last direction of the round before, made conjugate to the
/// new residual, converged better in heaps, and let shots through walls where who pushes changes at once.
pub(super) fn iterate<S: Side>(
    sides: &mut [S],
    parts: &[Part],
    step: &Step,
    scratch: &mut Scratch,
    round: u32,
    scale: &mut f64,
) -> Solved {
    let Scratch { residual, preconditioned, direction, image, delta, extra, coarse, rows, .. } =
        scratch;
    let coarse = &coarse[..];
    let workers = &step.workers;
    let vectors = (residual.all_mut(), image.all_mut());
    let columns = (vectors, preconditioned.all_mut(), delta.all_mut(), &mut extra[..]);
    let open = |side: &mut S, parts: &[Part], columns: Opening<'_>| {
        let ((mut r, mut room), mut z, mut delta, extra) = columns;
        let mut sum = 0.0;
        for part in parts {
            let oriented = side.particles().oriented();
            let places = part.places_among(parts);
            let mut r = r.reborrow().within(places.clone(), oriented);
            let extra = &mut extra[places.clone()];
            rows.add_forces(part, &mut r);
            rows.add_stiffness(part, extra);
            delta.reborrow().within(places.clone(), true).fill_zero();
            let mut z = z.reborrow().within(places.clone(), oriented);
            if part.alone().is_some() {
                sum += answer_alone(&coarse[part.number], r.as_ref(), &mut z);
                continue;
            }
            mask(&side.held()[part.held.clone()], part, &mut r);
            sum += precondition(
                side,
                part,
                step,
                extra,
                &coarse[part.number],
                r.as_ref(),
                z.reborrow(),
                room.reborrow().within(places, oriented),
            );
        }
        sum
    };
    let mut rz = each_side(workers, sides, 0, parts, columns, &open);
    if round == 0 {
        *scale += rz;
    } else if round >= ROUNDS && rz <= SHARE * *scale {
        return Solved::Before;
    }
    let enough = (ROUND_SHARE * rz).max(0.3 * SHARE * *scale);
    let mut beta = 0.0;
    for count in 0..MANY_ITERATIONS {
        if count >= ITERATIONS && rz <= enough {
            break;
        }
        let z = &*preconditioned;
        let columns = (direction.all_mut(), image.all_mut());
        let multiply = |side: &mut S, parts: &[Part], (mut p, mut image): Multiplying<'_>| {
            let mut sum = 0.0;
            for part in parts {
                let (solid, particles, held) = side.all_mut();
                let (places, oriented) = (part.places_among(parts), particles.oriented());
                let mut p = p.reborrow().within(places.clone(), oriented);
                let mut image = image.reborrow().within(places, oriented);
                let z = z.span(part.places(), oriented);
                if let Some(j) = part.alone() {
                    let (old, new) = (p.as_ref().of(0), z.of(0));
                    let next = if beta == 0.0 {
                        new
                    } else {
                        (beta * old.0 + new.0, beta * old.1 + new.1)
                    };
                    let (force, torque) = product_alone(particles, j, step.h, next);
                    p.set(0, next);
                    image.set(0, (force, torque));
                    sum += f64::from(next.0.dot(force)) + f64::from(next.1.dot(torque));
                    continue;
                }
                if beta == 0.0 {
                    // what was in there may be no number
                    p.copy_from(z);
                } else {
                    mix(p.reborrow(), beta, 1.0, z, workers);
                }
                let span = part.span.clone();
                solid.product(particles, span, step, p.as_ref(), image.reborrow());
                mask(&held[part.held.clone()], part, &mut image);
                sum += dot(p.as_ref(), image.as_ref(), workers);
            }
            sum
        };
        let own = each_side(workers, sides, 0, parts, columns, &multiply);
        let curvature = own + rows.multiply(direction.all(), workers);
        // nothing left to do, or a direction that rounding made worthless
        if !(curvature > 0.0 && rz > 0.0) {
            return Solved::Now;
        }
        let alpha = (rz / curvature) as f32;

        let (rows, extra, direction) = (&*rows, &*extra, &*direction);
        let columns =
            ((residual.all_mut(), preconditioned.all_mut()), image.all_mut(), delta.all_mut());
        let advance = |side: &mut S, parts: &[Part], columns: Advancing<'_>| {
            let ((mut r, mut z), mut image, mut delta) = columns;
            let mut sum = 0.0;
            for part in parts {
                let (places, oriented) = (part.places_among(parts), side.particles().oriented());
                let mut r = r.reborrow().within(places.clone(), oriented);
                let mut image = image.reborrow().within(places.clone(), oriented);
                let mut delta = delta.reborrow().within(places.clone(), oriented);
                rows.add_forces(part, &mut image);
                let p = direction.span(part.places(), oriented);
                if part.alone().is_some() {
                    let mut z = z.reborrow().within(places, oriented);
                    let step = |a: (Vec3, Vec3), alpha: f32, b: (Vec3, Vec3)| {
                        (a.0 + alpha * b.0, a.1 + alpha * b.1)
                    };
                    delta.set(0, step(delta.as_ref().of(0), alpha, p.of(0)));
                    r.set(0, step(r.as_ref().of(0), -alpha, image.as_ref().of(0)));
                    sum += answer_alone(&coarse[part.number], r.as_ref(), &mut z);
                    continue;
                }
                mask(&side.held()[part.held.clone()], part, &mut image);
                mix(delta, 1.0, alpha, p, workers);
                mix(r.reborrow(), 1.0, -alpha, image.as_ref(), workers);
                let z = z.reborrow().within(places, oriented);
                sum += precondition(
                    side,
                    part,
                    step,
                    &extra[part.places()],
                    &coarse[part.number],
                    r.as_ref(),
                    z,
                    image,
                );
            }
            sum
        };
        let next = each_side(workers, sides, 0, parts, columns, &advance);
        beta = (next / rz) as f32;
        rz = next;
    }
    if rz <= enough { Solved::Now } else { Solved::NotYet }
}

type Opening<'a> = ((DofsMut<'a>, DofsMut<'a>), DofsMut<'a>, DofsMut<'a>, &'a mut [f32]);
type Multiplying<'a> = (DofsMut<'a>, DofsMut<'a>);
type Advancing<'a> = ((DofsMut<'a>, DofsMut<'a>), DofsMut<'a>, DofsMut<'a>);

/// Held particles are no unknowns.
fn mask(held: &[Held], part: &Part, v: &mut DofsMut<'_>) {
    for target in held {
        let k = target.particle as usize - part.span.start;
        v.linear[k] = Vec3::ZERO;
        if let Some(angular) = v.angular.get_mut(k) {
            *angular = Vec3::ZERO;
        }
    }
}

/// z = D⁻¹ r + P A_c⁻¹ Pᵀ r with P the six rigid modes of each piece, on which K is 0:
/// see [`super::coarse`]. Without them a body slides with a fraction of its true acceleration.
/// Returns r·z. What `room` holds is of no meaning before and after.
fn precondition<S: Side>(
    side: &mut S,
    part: &Part,
    step: &Step,
    extra: &[f32],
    coarse: &Inverse,
    r: DofsRef<'_>,
    mut z: DofsMut<'_>,
    room: DofsMut<'_>,
) -> f64 {
    let (solid, particles, held) = side.all_mut();
    if part.held.is_empty() && solid.boundary().surface().is_some() {
        return precondition_deformation(solid, particles, part, step, extra, coarse, r, z, room);
    }
    solid.precondition(particles, part.span.clone(), step, extra, r, z.reborrow());
    // what is held does not move as a whole
    if !part.held.is_empty() {
        mask(&held[part.held.clone()], part, &mut z);
        return dot(r, z.as_ref(), &step.workers);
    }
    add_rigid_modes(particles, part, step, coarse, r, z)
}

/// The same for tetrahedra, whose diagonal may be a million times M/h². Of what it answers the rigid motion is taken out and left to A_c,
/// which knows the contacts:
///
/// ```text
/// z = (1 − Π) B (1 − Π)ᵀ r + P A_c⁻¹ Pᵀ r,   Π = P (Pᵀ M P)⁻¹ Pᵀ M
/// ```
///
/// Of a stiff body contacts are thousands of times as stiff as M/h². With both, every iteration moved it as many times too
/// far: a block of 1 GPa was thrown back from a wall with eight times its speed.
fn precondition_deformation(
    solid: &mut dyn Solid,
    particles: &Particles,
    part: &Part,
    step: &Step,
    extra: &[f32],
    coarse: &Inverse,
    r: DofsRef<'_>,
    mut z: DofsMut<'_>,
    room: DofsMut<'_>,
) -> f64 {
    let (count, workers, motion) = (part.span.len(), &step.workers, &part.motion);
    let centre = part.centre(step.h).as_vec3();
    let x = &particles.position[part.span.clone()];
    let mass = &particles.mass[part.span.clone()];
    // Pᵀ v, or Pᵀ M v
    let gather = |v: &[Vec3], weight: &(dyn Fn(usize) -> f32 + Sync)| {
        workers.sum(0..count, &|leaf: Span| {
            let mut sum = Pair(DVec3::ZERO, DVec3::ZERO);
            for k in leaf {
                let f = weight(k) * v[k];
                sum = sum + Pair(f.as_dvec3(), (x[k] - centre).cross(f).as_dvec3());
            }
            sum
        })
    };
    let rigid = |Pair(force, torque): Pair| {
        ((force / motion.mass).as_vec3(), (motion.inv_inertia * torque).as_vec3())
    };
    let Pair(force, torque) = gather(r.linear, &|_| 1.0);
    let (shift, turn) = rigid(Pair(force, torque));
    workers.for_span(0..count, &mut room.linear[..], &|range, room| {
        for (k, room) in range.zip(room) {
            *room = r.linear[k] - mass[k] * (shift + turn.cross(x[k] - centre));
        }
    });
    solid.precondition(particles, part.span.clone(), step, extra, room.as_ref(), z.reborrow());
    let (own_shift, own_turn) = rigid(gather(z.linear, &|k| mass[k]));
    let (shift, turn) = coarse.answer(force, torque);
    let (shift, turn) = (shift.as_vec3() - own_shift, turn.as_vec3() - own_turn);
    workers.for_span(0..count, &mut z.linear[..], &|range, z| {
        for (k, z) in range.zip(z) {
            *z += shift + turn.cross(x[k] - centre);
        }
    });
    dot(r, z.as_ref(), workers)
}

/// z of a piece of one particle, whose rigid modes are all it has. Returns r·z.
fn answer_alone(coarse: &Inverse, r: DofsRef<'_>, z: &mut DofsMut<'_>) -> f64 {
    let (force, torque) = r.of(0);
    let (shift, turn) = coarse.answer(force.as_dvec3(), torque.as_dvec3());
    let (shift, turn) = (shift.as_vec3(), turn.as_vec3());
    z.set(0, (shift, turn));
    f64::from(force.dot(shift)) + f64::from(torque.dot(turn))
}

fn add_rigid_modes(
    particles: &Particles,
    part: &Part,
    step: &Step,
    coarse: &Inverse,
    r: DofsRef<'_>,
    z: DofsMut<'_>,
) -> f64 {
    let count = part.span.len();
    let centre = part.centre(step.h).as_vec3();
    let x = &particles.position[part.span.clone()];
    let sums = step.workers.sum(0..count, &|leaf: Span| {
        let (x, r) = (&x[leaf.clone()], r.within(leaf));
        dispatch!(Level::new(), simd => force_and_torque(simd, x, centre, r))
    });
    let (shift, turn) = coarse.answer(sums.0, sums.1);
    let (shift, turn) = (shift.as_vec3(), turn.as_vec3());
    step.workers.fold_span(0..count, z, &|range, mut z| {
        let x = &x[range.clone()];
        dispatch!(Level::new(), simd => move_rigidly(simd, x, centre, shift, turn, &mut z));
        dot_leaf(r.within(range), z.as_ref())
    })
}

/// Σ f and Σ (x − c) × f + τ.
#[inline(always)]
fn force_and_torque<S: Simd>(simd: S, x: &[Vec3], centre: Vec3, r: DofsRef<'_>) -> Pair {
    let centre = splat(simd, centre);
    let mut force = splat(simd, Vec3::ZERO);
    let mut torque = force;
    for at in (0..x.len()).step_by(8) {
        let f = load_points(simd, r.linear, at);
        force = force + f;
        torque = torque + (load_points(simd, x, at) - centre).cross(f);
        if !r.angular.is_empty() {
            torque = torque + load_points(simd, r.angular, at);
        }
    }
    let sum = |v: Vec3x8<S>| DVec3::new(sum_of_lanes(v.x), sum_of_lanes(v.y), sum_of_lanes(v.z));
    Pair(sum(force), sum(torque))
}

/// z += shift + turn × (x − c).
#[inline(always)]
fn move_rigidly<S: Simd>(
    simd: S,
    x: &[Vec3],
    centre: Vec3,
    shift: Vec3,
    turn: Vec3,
    z: &mut DofsMut<'_>,
) {
    let [centre, shift, turn] = [centre, shift, turn].map(|v| splat(simd, v));
    for at in (0..x.len()).step_by(8) {
        let eight = at..x.len().min(at + 8);
        let arm = load_points(simd, x, at) - centre;
        let linear = load_points(simd, z.linear, at) + (shift + turn.cross(arm));
        store_points(linear, &mut z.linear[eight.clone()]);
        if !z.angular.is_empty() {
            let angular = load_points(simd, z.angular, at) + turn;
            store_points(angular, &mut z.angular[eight]);
        }
    }
}

/// The same vector eight times.
#[inline(always)]
fn splat<S: Simd>(simd: S, v: Vec3) -> Vec3x8<S> {
    vec3(f32x8::splat(simd, v.x), f32x8::splat(simd, v.y), f32x8::splat(simd, v.z))
}
