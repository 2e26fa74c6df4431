//! Plastic flow (003, erratum 003.5), in the form that stands any amount of it: F = F_E F_P.
//!
//! ```text
//! σ_eq = √(3/2) |dev σ|,  dev σ = 2 μ dev ε                                yields where σ_eq > σ_Y + H α (von Mises)
//! κ = 1 + H/3μ,   Δα = (σ_eq − σ_Y − H α)/(3 μ κ) · (1 − exp(−c κ h))       rate form: the same at every step length
//! γ = 3 μ Δα/σ_eq,   F_P ← V diag(exp(γ dev log s)) Vᵀ F_P,   α ← α + Δα    s, V principal stretches of F_E; det F_P = 1
//! ```
//!
//! α is the plastic strain of a pulled bar. The strain of seed 003 is added to and not trace-free: volume would grow with every flow
//! (erratum 003.5); the increment here is deviatoric, and the product keeps its volume however far it goes. What is pressed beyond its
//! compressive strength flows though it has not yielded: it is crushed.

use crate::math::{Sym3, log_stretches, ops, symmetric_eigen};
use crate::solids::fem::tets::Tets;
use glam::{Mat3, Vec3};

/// What a tetrahedron gives up in a substep.
pub(super) struct Flow {
    /// Δα.
    pub strain: f32,
    /// F_P⁻¹ is multiplied by this from the right.
    pub factor: Sym3,
    /// What is left of ε.
    pub left: Sym3,
    /// Elastic energy that it takes, J.
    pub work: f64,
}

/// Whether a tetrahedron with this elastic strain flows: beyond yield by so much, Pa, and its σ_eq.
pub(super) fn beyond(tets: &Tets, t: usize, hardened: f32, strain: &Sym3) -> Option<[f32; 2]> {
    let mean = strain.trace() / 3.0;
    let deviator = *strain - Sym3::from_diagonal(Vec3::splat(mean));
    let [lambda, mu] = [0, 1].map(|k| tets.lame[k][t] / tets.volume[t]);
    let equivalent = 2.0 * mu * 1.5f32.sqrt() * deviator.norm();
    let mut limit = tets.yield_stress[t] + tets.hardening[t] * hardened;
    let crushes = tets.compressive_strength[t];
    // no principal stress is below the mean by more than √(2/3) |dev σ| = ⅔ σ_eq
    let pressure = -(3.0 * lambda + 2.0 * mu) * mean;
    if pressure + 2.0 / 3.0 * equivalent > crushes {
        let least = symmetric_eigen(&deviator).0[2];
        if pressure - 2.0 * mu * least > crushes {
            limit = limit.min(crushes);
        }
    }
    (equivalent > limit).then_some([equivalent - limit, equivalent])
}

/// How a tetrahedron that is [`beyond`] yield flows within h seconds; not at all if it is turned inside out, or where its F_P is as far as it may go.
pub(super) fn flow(
    tets: &Tets,
    t: usize,
    [beyond, equivalent]: [f32; 2],
    before: &Mat3,
    strain: &Sym3,
    h: f32,
) -> Option<Flow> {
    let [lambda, mu] = [0, 1].map(|k| tets.lame[k][t] / tets.volume[t]);
    let stiffer = 1.0 + tets.hardening[t] / (3.0 * mu);
    let given = beyond / (3.0 * mu * stiffer) * -ops::exp_m1(-tets.creep_rate[t] * stiffer * h);
    let share = 3.0 * mu * given / equivalent;
    if share.is_nan() || share <= 0.0 {
        return None;
    }
    let (values, axes) = symmetric_eigen(strain);
    let logs = log_stretches(values.map(|e| 1.0 + e));
    if logs.clamped {
        return None;
    }
    let mean = logs.value.iter().sum::<f32>() / 3.0;
    let shrunk = logs.value.map(|log| ops::exp_m1(-share * (log - mean)));
    let of = |values: [f32; 3]| {
        values[0] * Sym3::outer(axes.x_axis)
            + values[1] * Sym3::outer(axes.y_axis)
            + values[2] * Sym3::outer(axes.z_axis)
    };
    let left: [f32; 3] = std::array::from_fn(|k| values[k] + (1.0 + values[k]) * shrunk[k]);
    let energy = |e: [f32; 3]| {
        let (sum, squares) = (e[0] + e[1] + e[2], e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        f64::from(mu * squares + 0.5 * lambda * sum * sum)
    };
    let work = f64::from(tets.volume[t]) * (energy(values) - energy(left));
    let factor = of(shrunk.map(|s| 1.0 + s));
    // a flow that stores energy is none
    let allowed = work > 0.0 && within(before, &factor, tets.plastic_limit[t]);
    allowed.then(|| Flow { strain: given, factor, left: of(left), work })
}

/// Whether F_P stays within its limit, or at least comes nearer to it.
fn within(before: &Mat3, factor: &Sym3, limit: f32) -> bool {
    let extreme = |a: &Mat3| {
        let (squares, _) = symmetric_eigen(&Sym3::from_mat3(&(a.transpose() * *a)));
        squares[0].max(1.0 / squares[2]).sqrt()
    };
    let after = extreme(&(*before * factor.to_mat3()));
    after <= limit || after <= extreme(before)
}
