//! What the user hands to a world: bodies, half-spaces, grips. Nothing is checked yet.

use super::ids::{BodyId, ParticleId};
use crate::material::Material;
use crate::math::Rot;
use crate::solids::oriented::OrientedShape;
use crate::solids::{Particles, Solid};

/// A body to spawn.
///
/// The shape is given in its own frame; `position` and `rotation` place it in the world.
#[derive(Debug)]
pub struct BodyDesc {
    /// For messages; need not be unique.
    pub name: String,
    /// Geometry and the model that moves it.
    pub shape: ShapeDesc,
    /// What it is made of; `material` of each particle is an index into this list.
    pub materials: Vec<Material>,
    /// Where the shape's origin goes, in m.
    pub position: [f64; 3],
    /// How the shape is turned.
    pub rotation: Rot,
    /// Velocity of the shape's centre of mass, in m/s.
    pub velocity: [f32; 3],
    /// Rate of turning about the centre of mass, in rad/s.
    pub spin: [f32; 3],
    /// Seed of noise in the materials.
    pub seed: u64,
}

impl BodyDesc {
    /// A body at rest at the origin.
    pub fn new(name: impl Into<String>, shape: ShapeDesc, materials: Vec<Material>) -> Self {
        Self {
            name: name.into(),
            shape,
            materials,
            position: [0.0; 3],
            rotation: Rot::IDENTITY,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            seed: 0,
        }
    }
}

/// Geometry and the model that moves it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShapeDesc {
    /// Oriented particles joined by bonds (seed 000).
    Oriented(OrientedShape),
    /// A model of your own, see `examples/own_model.rs`.
    Custom {
        /// Its particles, in the shape's frame.
        particles: Box<Particles>,
        /// The model.
        solid: Box<dyn Solid>,
    },
}

/// A half-space obstacle: everything behind the plane is solid.
#[derive(Clone, Debug, PartialEq)]
pub struct HalfSpaceDesc {
    /// A point of the surface, in m.
    pub point: [f64; 3],
    /// Outward normal; need not be unit length.
    pub normal: [f32; 3],
    /// Coefficient of sliding friction; combined with the body's by the geometric mean.
    pub friction: f32,
    /// Coefficient of static friction, at least `friction`.
    pub friction_static: f32,
}

impl Default for HalfSpaceDesc {
    /// The ground: everything below y = 0.
    fn default() -> Self {
        Self { point: [0.0; 3], normal: [0.0, 1.0, 0.0], friction: 0.5, friction_static: 0.5 }
    }
}

/// An attachment of some particles to a frame that is held or moves, or to a force.
#[derive(Clone, Debug, PartialEq)]
pub struct GripDesc {
    /// The body it holds.
    pub body: BodyId,
    /// Which particles.
    pub region: Region,
    /// What it does with them.
    pub motion: GripMotion,
    /// When it lets go, in s of world time; `None` for never.
    pub release: Option<f64>,
}

/// Which particles of a body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Region {
    /// Those whose rest position, in the shape's frame, lies in this box; bounds included.
    Box {
        /// Lowest corner, in m; `-inf` allowed.
        min: [f32; 3],
        /// Highest corner, in m; `inf` allowed.
        max: [f32; 3],
    },
    /// These.
    Particles(Vec<ParticleId>),
}

/// What a grip does. Time tables are piecewise linear, in world time, and keep their first and
/// last values outside their range.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GripMotion {
    /// Keeps the particles where they were when it took hold.
    Hold,
    /// Carries them along rigidly: shifted, and turned about an axis through `pivot`.
    Move {
        /// A point of the axis, in m.
        pivot: [f64; 3],
        /// Direction of the axis; need not be unit length.
        axis: [f32; 3],
        /// The table.
        keys: Vec<MoveKey>,
    },
    /// Pulls with a force and torque spread over the particles by mass.
    Pull {
        /// The table.
        keys: Vec<PullKey>,
    },
}

/// A moment of [`GripMotion::Move`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoveKey {
    /// World time, in s.
    pub time: f64,
    /// Shift since the grip took hold, in m.
    pub offset: [f32; 3],
    /// Angle turned since the grip took hold, in rad; may exceed a turn.
    pub angle: f32,
}

/// A moment of [`GripMotion::Pull`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PullKey {
    /// World time, in s.
    pub time: f64,
    /// Total force on the held particles, in N.
    pub force: [f32; 3],
    /// Total torque about their centre of mass, in N m.
    pub torque: [f32; 3],
}
