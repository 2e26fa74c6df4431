//! What the user hands to a world: bodies, half-spaces, grips. Nothing is checked yet.

use super::ids::{BodyId, ParticleId};
use crate::contact::shape::Shape;
use crate::geometry::Pattern;
use crate::material::Material;
use crate::math::Rot;
use crate::solids::brittle::BrittleOptions;
use crate::solids::fem::{TetOptions, TetShape};
use crate::solids::meshless::MeshlessShape;
use crate::solids::oriented::OrientedShape;
use crate::solids::sheet::SheetShape;
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
    /// What it may touch.
    pub layers: Layers,
    /// Into what a hit breaks the fragments around it, once each. Without, they break in two where they are overloaded.
    pub pattern: Option<Pattern>,
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
            layers: Layers::default(),
            pattern: None,
        }
    }
}

/// Geometry and the model that moves it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShapeDesc {
    /// Oriented particles joined by bonds (seed 000).
    Oriented(OrientedShape),
    /// Tetrahedra with corotated linear elasticity (seed 003); vertices become particles.
    Tets {
        /// The tetrahedra.
        shape: TetShape,
        /// How they are solved.
        options: TetOptions,
    },
    /// Linear tetrahedra around rigid references, which crack (seed 001); vertices become particles.
    Brittle {
        /// The tetrahedra.
        shape: TetShape,
        /// How they are solved.
        options: BrittleOptions,
    },
    /// Corotated smoothed particles, which tear (seed 002).
    Meshless(MeshlessShape),
    /// Triangles that stretch, bend and tear (seed 004); vertices become particles.
    Sheet(SheetShape),
    /// Rigid solids, each a piece of its own: a projectile, or the thousand fragments of a wall.
    Rigid(Vec<RigidPart>),
    /// A model of your own, see `examples/own_model.rs`.
    Custom {
        /// Its particles, in the shape's frame.
        particles: Box<Particles>,
        /// The model.
        solid: Box<dyn Solid>,
    },
}

impl ShapeDesc {
    /// One rigid solid.
    ///
    /// ```
    /// use fracas::contact::shape::Shape;
    /// use fracas::material::{Material, MaterialDesc};
    /// use fracas::world::{BodyDesc, ShapeDesc, World, WorldConfig};
    ///
    /// let steel = Material::try_from(&MaterialDesc { density: 7850.0.into(), ..Default::default() })?;
    /// let mut world = World::new(WorldConfig::default())?;
    /// let mut ball = BodyDesc::new("ball", ShapeDesc::rigid(Shape::sphere(0.02)?), vec![steel]);
    /// ball.velocity = [100.0, 0.0, 0.0];
    /// world.spawn(ball)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rigid(shape: Shape) -> Self {
        Self::Rigid(vec![RigidPart {
            shape,
            position: [0.0; 3],
            rotation: Rot::IDENTITY,
            material: 0,
        }])
    }
}

/// A rigid solid of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidPart {
    /// A convex solid or a compound of some.
    pub shape: Shape,
    /// Where its origin is in the frame of the body, in m.
    pub position: [f32; 3],
    /// How it is turned there.
    pub rotation: Rot,
    /// Index into the body's materials.
    pub material: u16,
}

/// Who may touch whom: two do if each is in a layer that the other meets.
///
/// ```
/// use fracas::world::Layers;
///
/// let ghosts = Layers { member: 0b10, meets: 0b01 };
/// assert!(ghosts.meet(Layers::default()));
/// assert!(!ghosts.meet(ghosts));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// The layers that it is in, one bit each.
    pub member: u32,
    /// The layers that it touches.
    pub meets: u32,
}

impl Default for Layers {
    /// In the first layer, touching all.
    fn default() -> Self {
        Self { member: 1, meets: u32::MAX }
    }
}

impl Layers {
    /// Whether these two touch.
    pub fn meet(self, other: Self) -> bool {
        self.member & other.meets != 0 && other.member & self.meets != 0
    }
}

/// Something that others touch and that does not give way: ground, walls, tools.
///
/// ```
/// use fracas::contact::shape::Shape;
/// use fracas::world::{MoveKey, ObstacleDesc, ObstacleMotion, World, WorldConfig};
///
/// let mut world = World::new(WorldConfig::default())?;
/// let press = ObstacleDesc {
///     position: [0.0, 1.0, 0.0],
///     // comes down by 30 cm within 2 s
///     motion: Some(ObstacleMotion {
///         keys: vec![
///             MoveKey::default(),
///             MoveKey { time: 2.0, offset: [0.0, -0.3, 0.0], angle: 0.0 },
///         ],
///         ..ObstacleMotion::default()
///     }),
///     ..ObstacleDesc::new(Shape::block([0.5, 0.05, 0.5].into())?)
/// };
/// let press = world.add_obstacle(press)?;
/// world.step(1.0 / 60.0);
/// let pressed_with = world.obstacle(press).map(|o| o.reaction());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleDesc {
    /// Any shape, triangle meshes and height fields too.
    pub shape: Shape,
    /// Where the shape's origin is, in m.
    pub position: [f64; 3],
    /// How the shape is turned.
    pub rotation: Rot,
    /// Coefficient of sliding friction; combined with the body's by the geometric mean.
    pub friction: f32,
    /// Coefficient of static friction, at least `friction`.
    pub friction_static: f32,
    /// Share of the speed that a rigid body keeps when it bounces, 0 to 1; combined likewise.
    pub restitution: f32,
    /// How it moves; `None` where it stands, or is moved by
    /// [`World::move_obstacle`](super::World::move_obstacle).
    pub motion: Option<ObstacleMotion>,
    /// What it may touch.
    pub layers: Layers,
    /// Whether it only feels what is inside and stops nothing.
    pub sensor: bool,
}

impl ObstacleDesc {
    /// At the origin, at rest, with the friction of dry stone.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            position: [0.0; 3],
            rotation: Rot::IDENTITY,
            friction: 0.5,
            friction_static: 0.5,
            restitution: 0.5,
            motion: None,
            layers: Layers::default(),
            sensor: false,
        }
    }
}

/// The time table of an obstacle: shifted, and turned about an axis, from where it was put.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleMotion {
    /// A point of the axis, in m.
    pub pivot: [f64; 3],
    /// Direction of the axis; need not be unit length.
    pub axis: [f32; 3],
    /// Piecewise linear, in world time; keeps its first and last values outside its range.
    pub keys: Vec<MoveKey>,
}

impl Default for ObstacleMotion {
    /// Not yet of use: it has no keys.
    fn default() -> Self {
        Self { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys: Vec::new() }
    }
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
    /// Share of the speed that a rigid body keeps when it bounces, 0 to 1; combined likewise.
    pub restitution: f32,
}

impl Default for HalfSpaceDesc {
    /// The ground: everything below y = 0.
    fn default() -> Self {
        Self {
            point: [0.0; 3],
            normal: [0.0, 1.0, 0.0],
            friction: 0.5,
            friction_static: 0.5,
            restitution: 0.5,
        }
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
    /// Pulls the centre of mass c of the particles towards a place, as a hand on a rubber band does: with
    /// −k (c − target) − b ċ, spread over the particles by mass, so that it turns nothing about their centre.
    ///
    /// Steady for all stiffnesses and dampings, at any length of a step, whatever hangs on the particles. What would bring
    /// the whole piece nearer by more than 99 % within a substep is cut to that, the damping first.
    /// [`World::move_grip`](super::World::move_grip) moves the target.
    Spring {
        /// Where it pulls to, in m.
        target: [f64; 3],
        /// k, in N/m, at least 0.
        stiffness: f32,
        /// b, in N s/m, at least 0.
        damping: f32,
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
