//! Fracture (001 sec. 4): the stress that the break test of [`fem::breaking`](crate::solids::fem) looks at, from u and averaged over
//! `load_time`.

use super::Brittle;
use crate::math::fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use crate::math::wide::Sym3x8;
use crate::math::wide::columns::load_lanes;
use crate::math::{Sym3, ops};
use crate::parallel::{Span, Workers};
use crate::solids::fem::breaking::{Felt, earn, stress_bound};
use crate::solids::fem::elements::Elements;
use crate::solids::fem::lanes::{Point, gather, point, vector};
use crate::solids::fem::system::{load_gradients, outer_sum};
use crate::solids::fem::tets::Tets;
use crate::solids::{Particles, Residual, Step};
use crate::world::Changes;

/// λ tr(ε) I + 2 μ ε of eight tetrahedra with ε = sym ∇u, in the frame of their piece, Pa (001 eq. 5).
#[inline(always)]
fn stress_of_eight<S: Simd>(simd: S, tets: &Tets, deviation: &[Point], first: usize) -> Sym3x8<S> {
    let corner = |k: usize| gather(simd, deviation, &tets.corners, first, k);
    let u = corner(0);
    let [g1, g2, g3] = load_gradients(simd, &tets.gradient, first);
    let slope = outer_sum(corner(1) - u, g1, corner(2) - u, g2, corner(3) - u, g3);
    let one = f32x8::splat(simd, 1.0);
    let per_volume = one / load_lanes(simd, &tets.volume, first);
    let [lambda, mu] = [0, 1].map(|k| load_lanes(simd, &tets.lame[k], first) * per_volume);
    let strain = slope.symmetric_part();
    let mut stress = strain * (mu + mu);
    let pressure = lambda * strain.trace();
    stress.xx += pressure;
    stress.yy += pressure;
    stress.zz += pressure;
    stress
}

/// Whether some tetrahedron of a piece has at least this share of what it stands.
pub(super) fn is_near(
    tets: &Tets,
    span: &Span,
    limits: &[f32],
    deviation: &[Point],
    share: f32,
) -> bool {
    let of = tets.of(span);
    let mut stresses = [Sym3::ZERO; 8];
    of.clone().step_by(8).any(|first| {
        dispatch!(Level::new(), simd => {
            stresses = stress_of_eight(simd, tets, deviation, first).to_lanes();
        });
        let mut each = stresses.iter().zip(first..of.end.min(first + 8));
        each.any(|(stress, t)| stress_bound(stress) >= share * limits[t])
    })
}

impl Brittle {
    pub(super) fn break_piece(
        &mut self,
        particles: &mut Particles,
        span: Span,
        step: &Step,
        residual: Residual,
        credit: &mut f32,
        changes: &mut Changes,
    ) {
        earn(credit, step.h);
        let near = !self.is_rigid(&span) && self.feel(&span, step);
        if near && !residual.converged() {
            self.breaking.counts.waited += 1;
        }
        if near && residual.converged() {
            self.open_cracks(particles, &span, credit, changes, &step.workers);
        }
        if self.impacts.iter().any(|hit| hit.piece == span.start) {
            // what an impact loads it with ends with the substep
            self.felt[self.elements.tets.of(&span)].fill(Sym3::ZERO);
        }
    }

    fn open_cracks(
        &mut self,
        particles: &mut Particles,
        span: &Span,
        credit: &mut f32,
        changes: &mut Changes,
        workers: &Workers,
    ) {
        let rest = particles.rest.clone();
        let Self { elements, breaking, remesh, felt, next_id, .. } = self;
        let at_rest = Felt { stress: felt, turn: None, places: &rest };
        let remesh = remesh.as_mut();
        let found = breaking
            .open(elements, remesh, at_rest, particles, span, credit, next_id, changes, workers);
        let Some(cracks) = found else { return };
        if !cracks.opened.is_empty() {
            let hits = self.impacts.iter_mut().filter(|hit| hit.piece == span.start);
            hits.for_each(|hit| hit.broke = true);
        }
        self.take_begun();
    }

    /// What cracks or a blade have just begun, as it is where it began.
    pub(super) fn take_begun(&mut self) {
        let Self { breaking, deviation, felt, .. } = self;
        let cracks = breaking.cracks();
        let mut on_edges = cracks.on_edges.iter().peekable();
        for born in &cracks.born {
            let new = on_edges.next_if(|new| new.vertex == born.vertex);
            deviation.push(match new {
                Some(new) => point(new.between(new.ends.map(|v| vector(deviation[v as usize])))),
                None => deviation[born.parent as usize],
            });
        }
        for half in &cracks.halves {
            felt.push(felt[half.parent as usize]);
        }
    }

    /// Brings the stress that the break test averages up to this substep. Whether some is worth a look.
    fn feel(&mut self, span: &Span, step: &Step) -> bool {
        let hit = self.impacts.iter().find(|hit| hit.piece == span.start).map(|hit| hit.times);
        let Self { elements: Elements { tets, .. }, deviation, felt, breaking, .. } = self;
        let (mut near, mut time, mut share) = (false, 0.0, 1.0);
        let mut stresses = [Sym3::ZERO; 8];
        let of = tets.of(span);
        for first in of.clone().step_by(8) {
            dispatch!(Level::new(), simd => {
                stresses = stress_of_eight(simd, tets, deviation, first).to_lanes();
            });
            for (now, t) in stresses.iter().zip(first..of.end.min(first + 8)) {
                if tets.load_time[t] != time {
                    time = tets.load_time[t];
                    share = if time > 0.0 { -ops::exp_m1(-step.h / time) } else { 1.0 };
                }
                felt[t] = felt[t] + (*now - felt[t]) * hit.unwrap_or(share);
                near |= breaking.is_near(t, &felt[t]);
            }
        }
        near
    }
}
