//! The models, listed once.

use super::brittle::Brittle;
use super::corotated::Corotated;
use super::meshless::Meshless;
use super::oriented::Oriented;
use super::rigid::RigidSet;
use super::sheet::Sheet;
use super::solid::Solid;

/// How a body deforms and breaks.
#[derive(Debug)]
#[non_exhaustive]
pub enum Model {
    /// Oriented particles, shape matching per neighbourhood (seed 000).
    Oriented(Box<Oriented>),
    /// Corotated linear elasticity on tetrahedra (seed 003).
    Corotated(Box<Corotated>),
    /// Linear tetrahedra around rigid references (seed 001).
    Brittle(Box<Brittle>),
    /// Corotated smoothed particles that tear (seed 002).
    Meshless(Box<Meshless>),
    /// Sheets of triangles that tear (seed 004).
    Sheet(Box<Sheet>),
    /// Rigid solids.
    Rigid(RigidSet),
    /// A model of the user's own.
    Custom(Box<dyn Solid>),
}

impl Model {
    /// The one place that tells models apart.
    pub fn solid(&self) -> &dyn Solid {
        match self {
            Self::Oriented(oriented) => oriented.as_ref(),
            Self::Corotated(corotated) => corotated.as_ref(),
            Self::Brittle(brittle) => brittle.as_ref(),
            Self::Meshless(meshless) => meshless.as_ref(),
            Self::Sheet(sheet) => sheet.as_ref(),
            Self::Rigid(set) => set,
            Self::Custom(solid) => solid.as_ref(),
        }
    }

    /// The same, to change.
    pub fn solid_mut(&mut self) -> &mut dyn Solid {
        match self {
            Self::Oriented(oriented) => oriented.as_mut(),
            Self::Corotated(corotated) => corotated.as_mut(),
            Self::Brittle(brittle) => brittle.as_mut(),
            Self::Meshless(meshless) => meshless.as_mut(),
            Self::Sheet(sheet) => sheet.as_mut(),
            Self::Rigid(set) => set,
            Self::Custom(solid) => solid.as_mut(),
        }
    }
}
