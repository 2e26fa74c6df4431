//! Vectors over the unknowns of an island.

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
        let angular = if oriented { &mut self.angular[span.clone()] } else { &mut [] };
        DofsMut { linear: &mut self.linear[span], angular }
    }
}

/// Σ a·b in f64, the same for any number of threads.
pub(super) fn dot(a: DofsRef<'_>, b: DofsRef<'_>, workers: &Workers) -> f64 {
    let sum = |a: &[Vec3], b: &[Vec3]| {
        workers.sum(0..a.len(), &|leaf: Span| {
            let mut sum = 0.0;
            for i in leaf {
                sum += f64::from(a[i].dot(b[i]));
            }
            sum
        })
    };
    sum(a.linear, b.linear) + sum(a.angular, b.angular)
}

/// a ← α a + β b.
pub(super) fn mix(a: DofsMut<'_>, alpha: f32, beta: f32, b: DofsRef<'_>, workers: &Workers) {
    let columns = |a: &mut [Vec3], b: &[Vec3]| {
        workers.for_span(0..a.len(), a, &|range, a| {
            for (k, i) in range.enumerate() {
                a[k] = alpha * a[k] + beta * b[i];
            }
        });
    };
    columns(a.linear, b.linear);
    columns(a.angular, b.angular);
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
