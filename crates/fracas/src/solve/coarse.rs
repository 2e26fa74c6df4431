//! The six rigid modes of a piece, with what its contacts put against them.
//!
//! ```text
//! A_c = Pᵀ (M/h² + Σ k JᵀJ) P = [T Cᵀ; C R],   P = [1, −r×]
//! ```
//!
//! K is 0 on rigid motions. Without its contacts, whose stiffness is that of particles, a small piece that others press
//! on is moved many times too far by every iteration.

use crate::solids::Motion;
use glam::{DMat3, DVec3};

/// A_c of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coarse {
    shifting: DMat3,
    coupling: DMat3,
    turning: DMat3,
    turns: bool,
}

/// Its inverse, by blocks: T⁻¹, C and (R − C T⁻¹ Cᵀ)⁻¹.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inverse {
    shifting: DMat3,
    coupling: DMat3,
    turning: DMat3,
}

impl Coarse {
    /// That of a piece that nothing touches.
    pub fn of_mass(motion: &Motion, h: f32) -> Self {
        let inv_h2 = 1.0 / (f64::from(h) * f64::from(h));
        // of what lies on a line the inertia alone has none
        let turns = motion.inv_inertia != DMat3::ZERO;
        let inertia = if turns { motion.inv_inertia.inverse() } else { DMat3::ZERO };
        Self {
            shifting: DMat3::from_diagonal(DVec3::splat(inv_h2 * motion.mass)),
            coupling: DMat3::ZERO,
            turning: inv_h2 * inertia,
            turns,
        }
    }

    /// Adds a contact of this stiffness at an arm from the centre: a force k (t + w × r) and its torque.
    pub fn add(&mut self, stiffness: DMat3, arm: DVec3) {
        let DVec3 { x, y, z } = arm;
        let cross = DMat3::from_cols_array(&[0.0, z, -y, -z, 0.0, x, y, -x, 0.0]);
        let torque = cross * stiffness;
        self.shifting += stiffness;
        self.coupling += torque;
        self.turning += torque * cross.transpose();
    }

    pub fn inverse(&self) -> Inverse {
        let shifting = self.shifting.inverse();
        let schur = self.turning - self.coupling * shifting * self.coupling.transpose();
        let turning = if self.turns { schur.inverse() } else { DMat3::ZERO };
        Inverse { shifting, coupling: self.coupling, turning }
    }
}

impl Inverse {
    /// Shift and turn of the piece that answer a force and a torque about its centre.
    pub fn answer(&self, force: DVec3, torque: DVec3) -> (DVec3, DVec3) {
        let turn = self.turning * (torque - self.coupling * (self.shifting * force));
        (self.shifting * (force - self.coupling.transpose() * turn), turn)
    }
}
