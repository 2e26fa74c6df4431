//! Reads shapes and has them made.

mod lattice;
mod meshed;

use fracas::skin::SkinMesh;
use fracas::solids::oriented::OrientedShape;
use fracas_mesh::solid::FragmentedSolid;

use crate::meshes::Mesher;
use crate::reader::{Reader, Span};
use lattice::Lattice;
use meshed::Meshed;

/// A shape as written, checked but not made.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    geometry: Geometry,
    pub span: Span,
}

#[derive(Clone, Debug)]
enum Geometry {
    /// Filled with rows of particles.
    Lattice(Lattice),
    /// Filled with tetrahedra, which are gathered into fragments.
    Meshed(Meshed),
}

impl Shape {
    /// About how many particles it has, rather too high than too low.
    pub fn particle_count(&self) -> u64 {
        match &self.geometry {
            Geometry::Lattice(lattice) => lattice.particle_count(),
            Geometry::Meshed(meshed) => meshed.particle_count(),
        }
    }

    /// Particles and bonds, or what is wrong.
    pub fn make(&self, seed: u64, mesher: &Mesher) -> Result<Made, String> {
        match &self.geometry {
            Geometry::Lattice(lattice) => {
                let shape = lattice.make(seed).map_err(|error| error.to_string())?;
                Ok(Made::Lattice(*lattice, shape))
            }
            Geometry::Meshed(meshed) => {
                meshed.make(seed, mesher).map(|solid| Made::Fragments(Box::new(solid)))
            }
        }
    }
}

/// A shape that was made.
pub(crate) enum Made {
    Lattice(Lattice, OrientedShape),
    Fragments(Box<FragmentedSolid>),
}

impl Made {
    /// Particles and bonds.
    pub fn shape(&self) -> &OrientedShape {
        match self {
            Self::Lattice(_, shape) => shape,
            Self::Fragments(solid) => &solid.shape,
        }
    }

    /// What is drawn of it, or what is wrong.
    pub fn skin(&self) -> Result<SkinMesh, String> {
        match self {
            Self::Lattice(lattice, shape) => lattice.skin(shape).map_err(|error| error.to_string()),
            Self::Fragments(solid) => Ok(solid.skin()),
        }
    }
}

/// `None` if it is wrong.
pub(crate) fn read(reader: Reader<'_>) -> Option<Shape> {
    let span = reader.span.clone();
    let geometry = match reader.kind() {
        "mesh" | "lathe" | "shell" => meshed::read(&reader).map(Geometry::Meshed),
        _ => lattice::read(&reader).map(Geometry::Lattice),
    };
    reader.finish();
    Some(Shape { geometry: geometry?, span })
}
