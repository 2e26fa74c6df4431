//! Why a shape was refused, and the checks at the border.

use super::MAX_PARTICLES;

/// Why a shape was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A length of the shape, or the spacing, is not usable.
    #[error("the {what} must be above 0 and finite, but is {found} m")]
    BadSize {
        /// Which length.
        what: &'static str,
        /// What was given.
        found: f32,
    },
    /// No particles were asked for.
    #[error("a shape needs at least one particle, but the particle count is 0")]
    NoParticles,
    /// A lattice has no cells along an axis.
    #[error("a lattice needs at least one cell along each axis, but has {} × {} × {}", .0[0], .0[1], .0[2])]
    EmptyLattice(
        /// Cells along x, y and z.
        [u32; 3],
    ),
    /// The lattice is finer than this machine should be asked for.
    #[error(
        "the shape would have about {count} particles, but at most {MAX_PARTICLES} are allowed"
    )]
    TooManyParticles {
        /// How many there would be.
        count: u64,
    },
    /// The cells are so small or large that their moments leave single precision.
    #[error("cells must be from 1e-6 to 1e6 m wide, but one side would be {found} m")]
    BadCell {
        /// The width of a cell, in m.
        found: f32,
    },
    /// The jitter could let particles meet.
    #[error("jitter must be from 0 to 0.4 of the spacing, but is {found}")]
    BadJitter {
        /// What was given.
        found: f32,
    },
}

/// `Ok` for a length that something can have; NaN is none.
pub(super) fn require_size(what: &'static str, found: f32) -> Result<(), GenerateError> {
    if found > 0.0 && found.is_finite() {
        Ok(())
    } else {
        Err(GenerateError::BadSize { what, found })
    }
}

/// `Ok` for a number of particles that may be made.
pub(super) fn require_count(count: u64) -> Result<(), GenerateError> {
    match count {
        0 => Err(GenerateError::NoParticles),
        1..=MAX_PARTICLES => Ok(()),
        _ => Err(GenerateError::TooManyParticles { count }),
    }
}
