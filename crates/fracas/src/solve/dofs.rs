//! Vectors over the unknowns of an island.

use crate::math::fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use crate::parallel::{Span, Workers};
use crate::solids::{DofsMut, DofsRef};
use glam::{DVec3, Vec3};

/// A vector over the unknowns of an island: position and rotation of every particle. Where a model
/// has no orientations the second stays 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dofs {
    pub(super) linear: Vec<Vec3>,
    pub(super) angular: Vec<Vec3>,
}

impl Dofs {
    /// Zero.
    pub fn new(count: usize) -> Self {
        Self { linear: vec![Vec3::ZERO; count], angular: vec![Vec3::ZERO; count] }
    }

    /// Room for so many particles; what it holds is of no meaning, but for rotations that no model has.
    pub(super) fn resize(&mut self, count: usize) {
        self.linear.resize(count, Vec3::ZERO);
        self.angular.clear();
        self.angular.resize(count, Vec3::ZERO);
    }

    /// All of it.
    pub(super) fn all(&self) -> DofsRef<'_> {
        DofsRef { linear: &self.linear, angular: &self.angular }
    }

    /// The same, to change.
    pub(super) fn all_mut(&mut self) -> DofsMut<'_> {
        DofsMut { linear: &mut self.linear, angular: &mut self.angular }
    }

    /// The part of some particles, with rotations only if they have them.
    pub fn span(&self, span: Span, oriented: bool) -> DofsRef<'_> {
        let angular = if oriented { &self.angular[span.clone()] } else { &[] };
        DofsRef { linear: &self.linear[span], angular }
    }

    /// The same, to change.
    pub fn span_mut(&mut self, span: Span, oriented: bool) -> DofsMut<'_> {
        self.all_mut().within(span, oriented)
    }
}

impl<'a> DofsMut<'a> {
    /// The part of some particles, with rotations only if they have them.
    pub(super) fn within(self, span: Span, oriented: bool) -> DofsMut<'a> {
        let angular = if oriented { &mut self.angular[span.clone()] } else { &mut [] };
        DofsMut { linear: &mut self.linear[span], angular }
    }

    /// To read.
    pub(super) fn as_ref(&self) -> DofsRef<'_> {
        DofsRef { linear: self.linear, angular: self.angular }
    }

    pub(super) fn copy_from(&mut self, v: DofsRef<'_>) {
        self.linear.copy_from_slice(v.linear);
        self.angular.copy_from_slice(v.angular);
    }

    /// Puts a force and a torque, or a shift and a turn.
    pub(super) fn set(&mut self, k: usize, (linear, angular): (Vec3, Vec3)) {
        self.linear[k] = linear;
        if let Some(place) = self.angular.get_mut(k) {
            *place = angular;
        }
    }

    pub(super) fn fill_zero(&mut self) {
        self.linear.fill(Vec3::ZERO);
        self.angular.fill(Vec3::ZERO);
    }
}

impl<'a> DofsRef<'a> {
    /// The shift and the turn of a particle, or force and torque.
    pub(super) fn of(self, k: usize) -> (Vec3, Vec3) {
        (self.linear[k], self.angular.get(k).copied().unwrap_or_default())
    }

    /// The part of some particles.
    pub(super) fn within(self, span: Span) -> DofsRef<'a> {
        let angular = if self.angular.is_empty() { &[] } else { &self.angular[span.clone()] };
        DofsRef { linear: &self.linear[span], angular }
    }
}

/// Σ a·b, the same for any number of threads: leaves in f32, eight sums side by side, and f64 above.
pub(super) fn dot(a: DofsRef<'_>, b: DofsRef<'_>, workers: &Workers) -> f64 {
    workers.sum(0..a.linear.len(), &|leaf: Span| {
        let (a, b) = (a.within(leaf.clone()), b.within(leaf));
        dot_leaf(a, b)
    })
}

/// The same without threads, of few.
pub(super) fn dot_leaf(a: DofsRef<'_>, b: DofsRef<'_>) -> f64 {
    let sum = |a: &[Vec3], b: &[Vec3]| {
        let (a, b) = (bytemuck::cast_slice(a), bytemuck::cast_slice(b));
        dispatch!(Level::new(), simd => dot_floats(simd, a, b))
    };
    sum(a.linear, b.linear) + sum(a.angular, b.angular)
}

#[inline(always)]
fn dot_floats<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f64 {
    let (a, a_last) = a.as_chunks::<8>();
    let (b, b_last) = b.as_chunks::<8>();
    let mut sum = f32x8::splat(simd, 0.0);
    for (a, b) in a.iter().zip(b) {
        sum += f32x8::from_slice(simd, a) * f32x8::from_slice(simd, b);
    }
    let last: f32 = a_last.iter().zip(b_last).map(|(a, b)| a * b).sum();
    sum_of_lanes(sum) + f64::from(last)
}

/// Sum of eight numbers, in their order.
#[inline(always)]
pub(super) fn sum_of_lanes<S: Simd>(v: f32x8<S>) -> f64 {
    let mut lanes = [0.0; 8];
    v.store_slice(&mut lanes);
    lanes.iter().map(|&x| f64::from(x)).sum()
}

/// a ← α a + β b.
pub(super) fn mix(a: DofsMut<'_>, alpha: f32, beta: f32, b: DofsRef<'_>, workers: &Workers) {
    workers.for_span(0..a.linear.len(), a, &|range, a| {
        let b = b.within(range);
        let mix = |a: &mut [Vec3], b: &[Vec3]| {
            let (a, b) = (bytemuck::cast_slice_mut(a), bytemuck::cast_slice(b));
            dispatch!(Level::new(), simd => mix_floats(simd, a, alpha, beta, b));
        };
        mix(a.linear, b.linear);
        mix(a.angular, b.angular);
    });
}

#[inline(always)]
fn mix_floats<S: Simd>(simd: S, a: &mut [f32], alpha: f32, beta: f32, b: &[f32]) {
    let (a, a_last) = a.as_chunks_mut::<8>();
    let (b, b_last) = b.as_chunks::<8>();
    let (alphas, betas) = (f32x8::splat(simd, alpha), f32x8::splat(simd, beta));
    for (a, b) in a.iter_mut().zip(b) {
        let mixed = alphas * f32x8::from_slice(simd, a) + betas * f32x8::from_slice(simd, b);
        mixed.store_slice(a);
    }
    for (a, b) in a_last.iter_mut().zip(b_last) {
        *a = alpha * *a + beta * *b;
    }
}

/// A force and a torque, summed together.
#[derive(Clone, Copy, Debug)]
pub struct Pair(pub DVec3, pub DVec3);

impl std::ops::Add for Pair {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0, self.1 + b.1)
    }
}
