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

#[cfg(test)]
mod tests {
    use super::*;

    /// What answers a force, put back through A_c, is that force: with contacts of any direction and stiffness, and arms on one side.
    #[test]
    fn answers_balance_the_force() {
        let inertia = DMat3::from_diagonal(DVec3::new(2e-4, 3e-4, 5e-5));
        let inv_inertia = inertia.inverse();
        let motion = Motion { mass: 0.2, inertia, inv_inertia, ..Motion::default() };
        let mut coarse = Coarse::of_mass(&motion, 1.0 / 240.0);
        let mut contacts = vec![];
        for k in 1..7 {
            let t = f64::from(k);
            let n = DVec3::new(t.sin(), t.cos(), 0.3).normalize();
            let stiffness = 1e5 * t * DMat3::from_cols(n.x * n, n.y * n, n.z * n);
            let arm = 0.03 * DVec3::new((2.0 * t).cos(), t.sin().abs(), 1.0);
            coarse.add(stiffness, arm);
            contacts.push((stiffness, arm));
        }
        let (force, torque) = (DVec3::new(3.0, -8.0, 1.0), DVec3::new(0.1, 0.02, -0.3));
        let (shift, turn) = coarse.inverse().answer(force, torque);
        let inv_h2 = 240.0 * 240.0;
        let (mut left, mut turned) =
            (force - inv_h2 * motion.mass * shift, torque - inv_h2 * (inertia * turn));
        for (stiffness, arm) in contacts {
            let push = stiffness * (shift + turn.cross(arm));
            left -= push;
            turned -= arm.cross(push);
        }
        assert!(left.length() < 1e-6 * force.length(), "force left: {left}");
        assert!(turned.length() < 1e-6 * torque.length(), "torque left: {turned}");
    }
}
