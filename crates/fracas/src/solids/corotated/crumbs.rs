//! Crumbs: small pieces that broke off are rigid from then on, in the shape they had.
//!
//! A crumb of wood weighs some grams and is as stiff as the beam it comes from: an error of a hundredth in the forces that its elements
//! set free throws it away. Nor is its deformation to be seen: a wave crosses it within a fraction of a millisecond.

use super::Corotated;
use crate::math::{Rot, ops, rotation};
use crate::parallel::Span;
use crate::solids::Particles;
use crate::solve::Held;
use glam::{DMat3, DVec3};

/// A piece of fewer tetrahedra is one.
const CRUMB: usize = 20;
/// A piece of fewer is one if a wave crosses it within [`CROSSED`].
const SHARD: usize = 200;
/// In s.
const CROSSED: f32 = 5e-4;
/// How many times as much a particle that a grip holds counts as another where the motion of a crumb is told.
const LEADS: f64 = 1e4;

impl Corotated {
    /// Whether so few tetrahedra make a crumb.
    pub(super) fn is_small(&self, span: &Span) -> bool {
        self.elements.tets.of(span).len() < CRUMB
    }

    /// Whether a piece has broken off and is small.
    pub(super) fn is_crumb(&self, particles: &Particles, span: &Span) -> bool {
        (self.is_small(span) || self.is_stiff(span))
            && particles.broken[span.clone()].contains(&true)
    }

    /// Whether a piece is not large, and a wave crosses it too fast to be seen.
    pub(super) fn is_stiff(&self, span: &Span) -> bool {
        let tets = &self.elements.tets;
        let of = tets.of(span);
        let Some(first) = of.clone().next().filter(|_| of.len() < SHARD) else { return false };
        let size = ops::cbrt(tets.volume[of].iter().sum::<f32>());
        size < CROSSED * (tets.modulus[first] / tets.density[first]).sqrt()
    }
}

/// Whether a grip holds some of a piece.
pub(super) fn is_held(particles: &Particles, span: &Span) -> bool {
    particles.held[span.clone()].contains(&true)
}

/// Brings a crumb to the rigid motion from where it was that is nearest to where its particles are; what is held goes where its grips are, and
/// takes the rest along.
pub(super) fn carry(particles: &mut Particles, span: &Span, held: &[Held]) {
    for target in held {
        particles.set_place(target.particle as usize, target.position.as_dvec3());
    }
    let weight = |particles: &Particles, j: usize| {
        let led = if particles.held[j] { LEADS } else { 1.0 };
        led * f64::from(particles.mass[j])
    };
    let (mut mass, mut centres) = (0.0, [DVec3::ZERO; 2]);
    for j in span.clone() {
        let m = weight(particles, j);
        mass += m;
        centres[0] += m * particles.previous_place(j);
        centres[1] += m * particles.place(j);
    }
    let [before, now] = centres.map(|sum| sum / mass);
    let mut product = DMat3::ZERO;
    for j in span.clone() {
        let m = weight(particles, j);
        let (from, to) = (particles.previous_place(j) - before, particles.place(j) - now);
        product += m * DMat3::from_cols(from.x * to, from.y * to, from.z * to);
    }
    let size = product.to_cols_array().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let turn =
        if size > 0.0 { rotation(&(product * (1.0 / size)).as_mat3()) } else { Rot::IDENTITY };
    let turn = turn.to_dmat3();
    for j in span.clone() {
        let place = now + turn * (particles.previous_place(j) - before);
        particles.set_place(j, place);
        particles.correction[j] = (place - particles.inertial_place(j)).as_vec3();
    }
}
