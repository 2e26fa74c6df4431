//! Vectors over the unknowns of a body.

use crate::parallel::{Span, Workers};
use crate::solids::{DofsMut, DofsRef};
use glam::{DVec3, Vec3};

/// A vector over the unknowns of a body: position and, for oriented particles, rotation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dofs {
    linear: Vec<Vec3>,
    angular: Vec<Vec3>,
}

impl Dofs {
    /// Zero.
    pub fn new(particle_count: usize, oriented: bool) -> Self {
        let angular = if oriented { particle_count } else { 0 };
        Self { linear: vec![Vec3::ZERO; particle_count], angular: vec![Vec3::ZERO; angular] }
    }

    /// The part of one piece.
    pub fn span(&self, span: Span) -> DofsRef<'_> {
        let angular = if self.angular.is_empty() { &[] } else { &self.angular[span.clone()] };
        DofsRef { linear: &self.linear[span], angular }
    }

    /// The same, to change.
    pub fn span_mut(&mut self, span: Span) -> DofsMut<'_> {
        let angular =
            if self.angular.is_empty() { &mut [] } else { &mut self.angular[span.clone()] };
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
