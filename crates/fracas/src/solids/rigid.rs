//! Rigid solids: particles without bonds, whose shapes touch and never deform.
//!
//! In the solver they are an energy Ψ = 0: A = M/h² and nothing else. So weights, projectiles and
//! fragments meet soft bodies in one solve, and no hand-over is needed when something breaks.

use super::particles::Particles;
use super::solid::{Anchor, DofsMut, DofsRef, Residual, Solid, Step};
use crate::parallel::Span;
use crate::solve::Held;
use crate::state::{Reader, SnapshotError, StateHash};
use crate::world::Changes;
use glam::Vec3;

/// Any number of rigid solids, each a piece of its own.
#[derive(Clone, Debug, Default)]
pub struct RigidSet {
    count: usize,
}

impl RigidSet {
    /// Of so many solids.
    pub fn new(count: usize) -> Self {
        Self { count }
    }
}

/// [`Solid::gradient`] of what is bonded to nothing, in any model: M (x* − x)/h², J log(q* q⁻¹)/h².
pub fn gradient_alone(particles: &Particles, j: usize, h: f32) -> (Vec3, Vec3) {
    let inv_h2 = 1.0 / (h * h);
    let linear = -inv_h2 * particles.mass[j] * particles.correction[j];
    if !particles.oriented() {
        return (linear, Vec3::ZERO);
    }
    let back = particles.inertial_orientation[j] * particles.orientation[j].inverse();
    (linear, inv_h2 * particles.inertia_times(j, back.log()))
}

/// [`Solid::product`] of the same: M p/h², J p/h².
pub fn product_alone(particles: &Particles, j: usize, h: f32, p: (Vec3, Vec3)) -> (Vec3, Vec3) {
    let inv_h2 = 1.0 / (h * h);
    let linear = inv_h2 * particles.mass[j] * p.0;
    if !particles.oriented() {
        return (linear, Vec3::ZERO);
    }
    (linear, inv_h2 * particles.inertia_times(j, p.1))
}

impl Solid for RigidSet {
    fn name(&self) -> &'static str {
        "rigid"
    }

    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        for (k, j) in span.enumerate() {
            (r.linear[k], r.angular[k]) = gradient_alone(particles, j, step.h);
        }
    }

    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    ) {
        for (k, j) in span.enumerate() {
            let p = (p.linear[k], p.angular[k]);
            (out.linear[k], out.angular[k]) = product_alone(particles, j, step.h, p);
        }
    }

    fn precondition(
        &self,
        particles: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        let h2 = step.h * step.h;
        for (k, j) in span.enumerate() {
            z.linear[k] = r.linear[k] / (particles.mass[j] / h2 + extra[k]);
            z.angular[k] = h2 * particles.inv_inertia_times(j, r.angular[k]);
        }
    }

    fn compliance(&self, particles: &Particles, anchor: &Anchor, n: Vec3, step: &Step) -> f32 {
        let j = anchor.particle as usize;
        let lever = anchor.arm.cross(n);
        let turning = lever.dot(particles.inv_inertia_times(j, lever));
        step.h * step.h * (1.0 / particles.mass[j] + turning)
    }

    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        _: &mut [Held],
        _: &Step,
    ) -> Residual {
        particles.position[span.clone()].copy_from_slice(&particles.inertial[span]);
        Residual::default()
    }

    fn audit(&mut self, _: &Particles, _: Span, _: &Step, force: DofsMut<'_>) -> f64 {
        force.linear.fill(Vec3::ZERO);
        force.angular.fill(Vec3::ZERO);
        0.0
    }

    fn strain(&self, _: &Particles, _: usize) -> [f32; 3] {
        [0.0; 3]
    }

    fn particle_count(&self) -> usize {
        self.count
    }

    fn neighbours(&self, _: usize) -> &[u32] {
        &[]
    }

    fn bond_count(&self) -> usize {
        0
    }

    /// There are no bonds to cut.
    fn cut(&mut self, _: &mut Particles, _: usize, _: usize, _: &mut Changes) -> f64 {
        0.0
    }

    fn permute(&mut self, _: Span, _: &[u32], _: &[u32]) {}

    fn truncate(&mut self, count: usize) {
        self.count = count;
    }

    fn validate(&self, particles: &Particles) {
        assert_eq!(particles.len(), self.count, "particles of a rigid set");
        assert!(particles.oriented(), "rigid solids without orientations");
    }

    fn hash(&self, _: &mut StateHash) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &mut Reader<'_>, particles: &Particles) -> Result<(), SnapshotError> {
        self.count = particles.len();
        Ok(())
    }
}
