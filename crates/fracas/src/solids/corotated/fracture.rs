//! Fracture (003: "as in the previous lecture"): faces open along the plane across the largest principal stress, see
//! [`fem::breaking`](crate::solids::fem). Stress is averaged in the frame of each tetrahedron; cracks run in the deformed body.

use super::{Corotated, stress_in};
use crate::math::ops;
use crate::parallel::Span;
use crate::solids::fem::breaking::{Felt, earn};
use crate::solids::{Particles, Residual, Step};
use crate::world::Changes;

impl Corotated {
    /// Opens cracks in a piece where its solve tells that it fails.
    pub(super) fn break_piece(
        &mut self,
        particles: &mut Particles,
        span: &Span,
        step: &Step,
        residual: Residual,
        credit: &mut f32,
        changes: &mut Changes,
    ) {
        earn(credit, step.h);
        let Some(parts) = self.feel(span, step) else { return };
        if !residual.allows_crack(parts) {
            self.breaking.counts.waited += 1;
            return;
        }
        let places = particles.position.clone();
        let Self { elements, breaking, felt, rotation, next_id, .. } = self;
        let felt = Felt { stress: felt, turn: Some(rotation), places: &places };
        let workers = &step.workers;
        breaking.open(elements, None, felt, particles, span, credit, next_id, changes, workers);
    }

    /// Brings the stress that the break test averages up to this substep. The least force that parts what is worth a look, N; none if nothing is.
    fn feel(&mut self, span: &Span, step: &Step) -> Option<f32> {
        let Self { elements, felt, breaking, strain, options, .. } = self;
        let tets = &elements.tets;
        let (mut time, mut share) = (0.0, 1.0);
        let mut parts = f32::INFINITY;
        for t in tets.of(span) {
            if tets.load_time[t] != time {
                time = tets.load_time[t];
                share = if time > 0.0 { -ops::exp_m1(-step.h / time) } else { 1.0 };
            }
            let now = stress_in(tets, t, &strain[t], options.keeps_volume);
            felt[t] = felt[t] + share * (now - felt[t]);
            if breaking.is_near(t, &felt[t]) {
                let area = ops::cbrt(tets.volume[t] * tets.volume[t]);
                parts = parts.min(breaking.limits()[t] * area);
            }
        }
        parts.is_finite().then_some(parts)
    }
}
