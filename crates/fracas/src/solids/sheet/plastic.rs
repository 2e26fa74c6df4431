//! Plastic flow in the plane of a sheet, at its vertices as all that it is made of: von Mises in plane stress.
//!
//! ```text
//! σ_eq = √(S_xx² − S_xx S_yy + S_yy² + 3 S_xy²)                    yields where σ_eq > σ_Y + H α; S the mean around a vertex
//! N = ∂σ_eq/∂S,   k = N:C:N + H,   Δα = (σ_eq − σ_Y − H α)/k · (1 − exp(−c k h/3μ)),   E_P ← E_P + Δα N,   α ← α + Δα
//! ```
//!
//! E_P is taken off Green's strain, which is right as long as it is small; its principal stretches stay within `plastic_limit`. What is bent does
//! not yield: it has no creases.

use super::Sheet;
use super::elastic::principal;
use crate::math::ops;
use crate::parallel::Span;
use crate::solids::{Particles, Step};

/// σ_eq of a stress xx, yy, xy.
fn equivalent([xx, yy, xy]: [f64; 3]) -> f64 {
    (xx * xx - xx * yy + yy * yy + 3.0 * xy * xy).sqrt()
}

impl Sheet {
    /// Lets a piece flow. Returns the elastic energy that it took, J.
    pub(super) fn flow(&mut self, particles: &Particles, span: Span, step: &Step) -> f64 {
        if self.elements.is_whole || !self.yields(particles, &span) {
            return 0.0;
        }
        self.system.follow(particles, &span);
        let before = self.elements.energy(&self.system.x, &span);
        let flows: Vec<(usize, f64, [f64; 3])> = span
            .clone()
            .filter_map(|v| self.flow_at(v, step.h).map(|(strain, axis)| (v, strain, axis)))
            .collect();
        let Self { fabric, elements, system, .. } = self;
        for (v, strain, axis) in flows {
            fabric.hardened[v] += strain as f32;
            (0..3).for_each(|k| fabric.plastic[k][v] += (strain * axis[k]) as f32);
        }
        let of = elements.of(&span);
        for element in &mut elements.triangles[of] {
            element.plastic = fabric.plastic_of(element.corners);
        }
        before - elements.energy(&system.x, &span)
    }

    /// Whether a triangle of a piece is beyond the yield stress of a corner.
    fn yields(&self, particles: &Particles, span: &Span) -> bool {
        let elements = &self.elements;
        elements.triangles[elements.of(span)].iter().any(|element| {
            let least = element.corners.map(|v| self.limit_at(v as usize));
            let least = least.into_iter().fold(f64::INFINITY, f64::min);
            least.is_finite() && {
                let f = element.slope_of(element.corners.map(|v| particles.place(v as usize)));
                equivalent(element.stress(f)) > least
            }
        })
    }

    /// σ_Y + H α at a vertex, Pa.
    fn limit_at(&self, v: usize) -> f64 {
        f64::from(self.fabric.yield_stress[v] + self.fabric.hardening[v] * self.fabric.hardened[v])
    }

    /// Δα and N of a vertex that yields, with vertices where the system has them.
    fn flow_at(&self, v: usize, h: f32) -> Option<(f64, [f64; 3])> {
        let Self { plane, elements, fabric, system, .. } = self;
        let (mut stress, mut whole) = ([0.0; 3], 0.0);
        for (t, _) in plane.table.fan(v as u32) {
            let element = &elements.triangles[t as usize];
            let of = element.stress(element.slope(&system.x));
            (0..3).for_each(|k| stress[k] += element.area * of[k]);
            whole += element.area;
        }
        let [xx, yy, xy] = stress.map(|s| s / whole);
        let felt = equivalent([xx, yy, xy]);
        let beyond = felt - self.limit_at(v);
        if beyond.is_nan() || beyond <= 0.0 {
            return None;
        }
        let axis = [2.0 * xx - yy, 2.0 * yy - xx, 3.0 * xy].map(|s| s / (2.0 * felt));
        let (e, nu) = (f64::from(fabric.modulus[v]), f64::from(fabric.poisson[v]));
        let (lambda, mu) = (e * nu / (1.0 - nu * nu), e / (2.0 * (1.0 + nu)));
        let trace = axis[0] + axis[1];
        let square = axis[0] * axis[0] + axis[1] * axis[1] + 2.0 * axis[2] * axis[2];
        let stiff = lambda * trace * trace + 2.0 * mu * square + f64::from(fabric.hardening[v]);
        let rate = fabric.creep_rate[v] * (stiff / (3.0 * mu)) as f32;
        let strain = beyond / stiff * f64::from(-ops::exp_m1(-rate * h));
        let after = [0, 1, 2].map(|k| f64::from(fabric.plastic[k][v]) + strain * axis[k]);
        let limit = f64::from(fabric.plastic_limit[v]);
        let [high, low] = principal(after).map(|x| 1.0 + 2.0 * x);
        let fits = high <= limit * limit && low * limit * limit >= 1.0;
        fits.then_some((strain, axis))
    }
}
