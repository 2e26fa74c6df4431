//! Materials beyond isotropic linear elasticity: what flows, what is stiffer along its fibres, what stiffens as it is stretched.
//!
//! ```text
//! F_E = F F_P⁻¹,   ε = sym(Rᵀ F_E) − I,   R the rotation of F_E
//! w = μ |ε|² + ½ λ (tr ε)² + ½ k (a·ε a)²           a = F_P θ/|F_P θ|, k what fibres add along themselves
//! ψ = w + w²/2w₀,   T = (1 + w/w₀) ∂w/∂ε,   w₀ = ½ E ε_s²            a bar: σ = E ε (1 + (ε/ε_s)²)
//! Q = V R T F_P⁻ᵀ L − κ F                                           still the gradient of the energy
//! ```
//!
//! From [`MOST_STIFFENED`] times its first stiffness on it is linear again. Flow (002 sec. 5.1) is that of von Mises, as fast as `creep_rate` says:
//!
//! ```text
//! σ_eq = √(3/2) |dev σ|,  dev σ = 2 μ dev ε (1 + w/w₀)                     yields where σ_eq > σ_Y + H α
//! κ = 1 + H/3μ,   Δα = (σ_eq − σ_Y − H α)/(3 μ κ) · (1 − exp(−c κ h))
//! F_P ← V diag(exp(3 μ Δα/σ_eq dev log s)) Vᵀ F_P,   α ← α + Δα            s, V principal stretches of F_E; det F_P = 1
//! ```
//!
//! Fibres themselves do not flow. Neither do membranes and ropes, nor particles that have lost their neighbours in a direction.

use super::rest::{Extent, Rest};
use crate::math::{Sym3, log_stretches, ops, symmetric_eigen};
use glam::{Mat3, Vec3};

/// The most that stretching makes it stiffer: explicit steps become four times as many.
pub(super) const MOST_STIFFENED: f32 = 16.0;

/// Columns of what such a material needs beyond others.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tissue {
    /// F_P⁻¹ by columns. State.
    pub plastic: [Vec<f32>; 9],
    /// α. State.
    pub hardened: Vec<f32>,
    /// Largest stretch of any F_P⁻¹ so far: what has become thin asks for shorter steps. State.
    pub squeezed: f32,
    /// a; follows, like the next.
    pub axis: [Vec<f32>; 3],
    /// k V, N m.
    pub fibre: Vec<f32>,
    /// 1/(w₀ V), 1/J.
    pub stiffening: Vec<f32>,
}

impl Tissue {
    /// That has not flowed.
    pub fn new(count: usize) -> Self {
        let column = |k: usize| vec![if k.is_multiple_of(4) { 1.0 } else { 0.0 }; count];
        let mut tissue = Self { squeezed: 1.0, ..Self::default() };
        tissue.plastic = std::array::from_fn(column);
        tissue.make_room(count);
        tissue
    }

    pub fn make_room(&mut self, count: usize) {
        let follow = self.axis.iter_mut().chain([&mut self.fibre, &mut self.stiffening]);
        follow.chain([&mut self.hardened]).for_each(|column| column.resize(count, 0.0));
    }

    /// Every column of one float per particle.
    pub fn columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Self { plastic, hardened, axis, fibre, stiffening, .. } = self;
        plastic.iter_mut().chain(axis).chain([hardened, fibre, stiffening])
    }

    /// F_P⁻¹ of a particle.
    pub fn plastic_of(&self, i: usize) -> Mat3 {
        Mat3::from_cols_array(&std::array::from_fn(|k| self.plastic[k][i]))
    }

    /// a of a particle.
    pub fn axis_of(&self, i: usize) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|k| self.axis[k][i]))
    }

    fn set_plastic(&mut self, i: usize, inverse: &Mat3, fibre: Vec3) {
        for (column, value) in self.plastic.iter_mut().zip(inverse.to_cols_array()) {
            column[i] = value;
        }
        self.set_axis(i, fibre);
    }

    /// a from θ.
    pub fn set_axis(&mut self, i: usize, fibre: Vec3) {
        let axis = (self.plastic_of(i).inverse() * fibre).normalize_or(fibre);
        for (column, value) in self.axis.iter_mut().zip(axis.to_array()) {
            column[i] = value;
        }
    }
}

/// 1 + w/w₀, with the energy w V and 1/(w₀ V).
fn secant(energy: f32, stiffening: f32) -> f32 {
    (1.0 + energy * stiffening).min(MOST_STIFFENED)
}

impl Rest {
    /// ∂w/∂ε V of a particle as it is after tears, and 1 + w/w₀.
    fn forced(&self, i: usize, e: Sym3) -> (Sym3, f32) {
        let bulk = self.lame[1][i] * e.trace();
        let mut t = self.lame[0][i] * e + Sym3::from_diagonal(Vec3::splat(bulk));
        let Some(tissue) = &self.tissue else { return (t, 1.0) };
        let axis = tissue.axis_of(i);
        t = t + tissue.fibre[i] * axis.dot(e.mul_vec(axis)) * Sym3::outer(axis);
        (t, secant(0.5 * e.dot(t), tissue.stiffening[i]))
    }

    /// How much stiffer a particle is by its stretch: T over ∂w/∂ε.
    pub fn stiffened(&self, i: usize, e: Sym3) -> f32 {
        self.forced(i, e).1
    }

    /// ψ V of a particle, J.
    pub fn stored(&self, i: usize, e: Sym3) -> f64 {
        let (t, _) = self.forced(i, e);
        let energy = 0.5 * f64::from(e.dot(t));
        let stiffening = self.tissue.as_ref().map_or(0.0, |tissue| f64::from(tissue.stiffening[i]));
        let most = f64::from(MOST_STIFFENED);
        let soft = if stiffening > 0.0 { energy.min((most - 1.0) / stiffening) } else { energy };
        soft + 0.5 * stiffening * soft * soft + most * (energy - soft)
    }

    /// T of a particle, Pa.
    pub fn stress(&self, i: usize, e: Sym3) -> Sym3 {
        let [lambda, mu] = self.lame_of(i);
        let mut t = 2.0 * mu * e + Sym3::from_diagonal(Vec3::splat(lambda * e.trace()));
        if let Some(tissue) = &self.tissue {
            let (axis, along) = (tissue.axis_of(i), self.fibre_of(i));
            t = t + along * axis.dot(e.mul_vec(axis)) * Sym3::outer(axis);
            t = self.stiffened(i, e) * t;
        }
        t
    }

    /// Speed of waves at a particle over that of its material at rest: what is drawn out is thin and stiff.
    pub fn quickened(&self, i: usize, e: Sym3) -> f32 {
        let squeezed = self.tissue.as_ref().map_or(1.0, |tissue| tissue.squeezed);
        // σ = E ε (1 + x) has the slope E (1 + 3 x)
        squeezed * (3.0 * self.stiffened(i, e) - 2.0).sqrt()
    }
}

/// Lets one particle flow for h seconds. Returns what is left of its strain, and the work, in J; nothing if it does not flow.
pub(super) fn flow(rest: &mut Rest, i: usize, strain: Sym3, h: f32) -> Option<(Sym3, f64)> {
    let mean = strain.trace() / 3.0;
    let deviator = strain - Sym3::from_diagonal(Vec3::splat(mean));
    let [_, mu] = rest.lame_of(i);
    let matter = &rest.matter;
    let tissue = rest.tissue.as_ref()?;
    let limit = matter.yield_stress[i] + matter.hardening[i] * tissue.hardened[i];
    let linear = 2.0 * mu * 1.5f32.sqrt() * deviator.norm();
    if linear * MOST_STIFFENED <= limit || rest.gaps[i] || rest.extent != Extent::Solid {
        return None;
    }
    let equivalent = linear * rest.stiffened(i, strain);
    if equivalent <= limit {
        return None;
    }
    let stiffer = 1.0 + matter.hardening[i] / (3.0 * mu);
    let given = (equivalent - limit) / (3.0 * mu * stiffer);
    let given = given * -ops::exp_m1(-matter.creep_rate[i] * stiffer * h);
    let (values, axes) = symmetric_eigen(&strain);
    let logs = log_stretches(values.map(|e| 1.0 + e));
    let share = (3.0 * mu * given / equivalent).min(1.0);
    if logs.clamped || share.is_nan() || share <= 0.0 {
        return None;
    }
    let mean = logs.value.iter().sum::<f32>() / 3.0;
    let shrunk = logs.value.map(|log| ops::exp_m1(-share * (log - mean)));
    let of = |values: [f32; 3]| {
        values[0] * Sym3::outer(axes.x_axis)
            + values[1] * Sym3::outer(axes.y_axis)
            + values[2] * Sym3::outer(axes.z_axis)
    };
    let left = of(std::array::from_fn(|k| values[k] + (1.0 + values[k]) * shrunk[k]));
    let before = tissue.plastic_of(i);
    let after = before * of(shrunk.map(|s| 1.0 + s)).to_mat3();
    let [longest, thinnest] = extremes(&after);
    let was = extremes(&before);
    let far = longest.max(thinnest);
    if far > matter.plastic_limit[i] && far > was[0].max(was[1]) {
        return None;
    }
    let stored = rest.stored(i, strain);
    let fibre = matter.fibre[i];
    let tissue = rest.tissue.as_mut()?;
    tissue.hardened[i] += given;
    tissue.squeezed = tissue.squeezed.max(longest);
    tissue.set_plastic(i, &after, fibre);
    Some((left, (stored - rest.stored(i, left)).max(0.0)))
}

/// Largest stretch of a matrix and of its inverse.
fn extremes(a: &Mat3) -> [f32; 2] {
    let (squares, _) = symmetric_eigen(&Sym3::from_mat3(&(a.transpose() * *a)));
    [squares[0].sqrt(), 1.0 / squares[2].sqrt()]
}
