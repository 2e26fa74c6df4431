//! What a world is told once.

use super::debris::DebrisRule;
use super::error::CommandError;

/// Settings of a [`World`](super::World).
#[derive(Clone, Debug, PartialEq)]
pub struct WorldConfig {
    /// Acceleration of everything, in m/s².
    pub gravity: [f32; 3],
    /// Substeps per step; 1 to 64.
    pub substeps: u32,
    /// Iterations of a body's own solver per substep; 1 to 64.
    ///
    /// Stiffness is limited by substeps × sweeps, see
    /// [`StepReport::stiffness_reached`](super::StepReport).
    pub sweeps: u32,
    /// Threads of the step, 1 to 64. The results do not depend on it.
    pub threads: u32,
    /// Restores momentum and angular momentum of free pieces after the elastic solve
    /// (000 sec. 3.3). Off only to show what happens without.
    pub momentum_correction: bool,
    /// Measures what the integrator dissipates, for books of energy that can be checked.
    /// Changes no result and about doubles the time of a step.
    pub books: bool,
    /// Pieces that rest for half a second are left out until something wakes them.
    pub sleeping: bool,
    /// Fragments that are alone split in two where their load is beyond their strength, down to a sixteenth. Off by default: piles of
    /// such crumbs are not solved well enough yet.
    pub fragments_split: bool,
    /// Gravity grows from 0 to its full value over this time, in s; 0 for none. Nothing breaks
    /// meanwhile, so that a scene starts at rest under its own weight.
    pub settle: f32,
    /// Takes away what was split off, by age, size and number; `None` keeps everything.
    pub debris: Option<DebrisRule>,
}

impl Default for WorldConfig {
    /// Earth, stiff enough for a few thousand particles, one thread.
    fn default() -> Self {
        Self {
            gravity: [0.0, -9.81, 0.0],
            substeps: 4,
            sweeps: 8,
            threads: 1,
            momentum_correction: true,
            books: false,
            sleeping: true,
            fragments_split: false,
            settle: 0.0,
            debris: None,
        }
    }
}

impl WorldConfig {
    /// Refuses what no world can run with.
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`] names the field and what it allows.
    pub fn check(&self) -> Result<(), CommandError> {
        use super::error::require;
        for g in self.gravity {
            require(g.is_finite(), "gravity", "finite", g)?;
        }
        let counts =
            [("substeps", self.substeps), ("sweeps", self.sweeps), ("threads", self.threads)];
        for (field, count) in counts {
            require((1..=64).contains(&count), field, "1 to 64", count as f32)?;
        }
        if let Some(rule) = &self.debris {
            rule.check()?;
        }
        require(self.settle >= 0.0 && self.settle.is_finite(), "settle", "0 or above", self.settle)
    }
}
