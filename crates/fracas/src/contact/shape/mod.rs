//! What others may touch: shapes, their mass, their extent.
//!
//! A shape is checked when it is made; past that border nothing is checked again. Axes of capsules
//! and cylinders are y. Half-spaces, triangle meshes and height fields are for things that do not
//! move freely: they have no mass.

mod bounds;
mod height_field;
mod hull;
mod mass;
mod mesh;
mod quickhull;
mod state;

pub use bounds::Aabb;
pub use height_field::HeightField;
pub use hull::Hull;
pub use mass::MassProperties;
pub use mesh::TriangleMesh;

pub(super) use hull::Face;
pub(super) use mesh::{Rim, Triangle};

use crate::math::Rot;
use glam::Vec3;

/// Why a shape was refused. Every message names the number and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is zero, negative, not finite or too far from 1 m for `f32`.
    #[error("{field} must be {allowed}, but is {found}")]
    OutOfRange {
        /// The size, such as `radius of the capsule`.
        field: &'static str,
        /// What it allows.
        allowed: &'static str,
        /// What was given.
        found: f32,
    },
    /// A coordinate is not finite.
    #[error("{list}[{index}] must have finite coordinates, but is {found}")]
    NotFinite {
        /// The list that holds it.
        list: &'static str,
        /// Its place in the list.
        index: usize,
        /// What was given.
        found: Vec3,
    },
    /// The points of a hull span no volume.
    #[error(
        "a hull needs points that span a volume, but these {count} points lie within {thickness} m \
         of {what}"
    )]
    Flat {
        /// How many points there are.
        count: usize,
        /// What they lie on.
        what: &'static str,
        /// How far they leave it.
        thickness: f32,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, but there are only {count} vertices")]
    NoSuchVertex {
        /// The triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A triangle has no area, hence no side.
    #[error("triangle {triangle} has no area; leave it out")]
    NoArea {
        /// The triangle.
        triangle: usize,
    },
    /// A list is shorter or longer than it must be.
    #[error("{list} must have {allowed} entries, but has {found}")]
    WrongCount {
        /// The list.
        list: &'static str,
        /// What it allows.
        allowed: String,
        /// What was given.
        found: usize,
    },
    /// A part of a compound has no volume of its own, or parts of its own.
    #[error("part {part} of the compound is a {kind}; parts must be convex solids")]
    BadPart {
        /// The part.
        part: usize,
        /// What it is.
        kind: &'static str,
    },
}

/// `Ok` if `found` is a usable size: between 1 µm and 1,000 km, so that products of three sizes
/// stay far inside `f32`. Written so that NaN fails.
fn require_size(field: &'static str, found: f32) -> Result<(), ShapeError> {
    let holds = (1.0e-6..=1.0e6).contains(&found);
    let allowed = "between 1e-6 and 1e6 m";
    if holds { Ok(()) } else { Err(ShapeError::OutOfRange { field, allowed, found }) }
}

/// `Ok` if every point is finite and within 1,000 km.
fn require_points(list: &'static str, points: &[Vec3]) -> Result<(), ShapeError> {
    match points.iter().position(|p| !p.abs().cmple(Vec3::splat(1.0e6)).all()) {
        Some(index) => Err(ShapeError::NotFinite { list, index, found: points[index] }),
        None => Ok(()),
    }
}

/// Where a shape is: x ↦ rotation x + position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// How it is turned.
    pub rotation: Rot,
    /// Where the origin of the shape is.
    pub position: Vec3,
}

impl Pose {
    /// Not moved, not turned.
    pub const IDENTITY: Self = Self { rotation: Rot::IDENTITY, position: Vec3::ZERO };

    /// A point of the shape, moved.
    #[inline]
    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.position
    }

    /// The point of the shape that was moved here.
    #[inline]
    pub fn undo(&self, point: Vec3) -> Vec3 {
        self.rotation.inverse() * (point - self.position)
    }

    /// First `part`, then `self`: the pose of a part of a moved whole.
    #[inline]
    pub fn of(&self, part: &Self) -> Self {
        Self { rotation: self.rotation * part.rotation, position: self.apply(part.position) }
    }
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f32,
}

/// An ellipsoid along its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    radii: Vec3,
}

/// A rectangular block along its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    half: Vec3,
}

/// All points within `radius` of a segment along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    half_length: f32,
    radius: f32,
}

/// A cylinder along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_length: f32,
    radius: f32,
}

/// Everything behind the plane through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    normal: Vec3,
}

/// Convex solids, held together.
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    parts: Vec<(Pose, Shape)>,
}

/// What others may touch. Made by the functions of the same names, which check.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// See [`Shape::ellipsoid`].
    Ellipsoid(Ellipsoid),
    /// See [`Shape::sphere`].
    Sphere(Sphere),
    /// See [`Shape::block`].
    Box(Block),
    /// See [`Shape::capsule`].
    Capsule(Capsule),
    /// See [`Shape::cylinder`].
    Cylinder(Cylinder),
    /// See [`Shape::hull`].
    Hull(Hull),
    /// See [`Shape::compound`].
    Compound(Compound),
    /// See [`Shape::half_space`].
    HalfSpace(Plane),
    /// See [`TriangleMesh::new`].
    TriangleMesh(TriangleMesh),
    /// See [`HeightField::new`].
    HeightField(HeightField),
}

impl Sphere {
    /// In m.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

impl Ellipsoid {
    /// Half of its extent along its axes, in m.
    pub fn radii(&self) -> Vec3 {
        self.radii
    }
}

impl Block {
    /// Half of its extent along its axes, in m.
    pub fn half(&self) -> Vec3 {
        self.half
    }
}

impl Capsule {
    /// Half of the length of the segment, in m.
    pub fn half_length(&self) -> f32 {
        self.half_length
    }

    /// In m.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

impl Cylinder {
    /// Half of its length, in m.
    pub fn half_length(&self) -> f32 {
        self.half_length
    }

    /// In m.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

impl Plane {
    /// Outward, unit length.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }
}

impl Compound {
    /// The solids and where they are.
    pub fn parts(&self) -> &[(Pose, Shape)] {
        &self.parts
    }
}

impl Shape {
    /// The ball of this radius in m.
    ///
    /// # Errors
    /// If the radius is not a usable size.
    pub fn sphere(radius: f32) -> Result<Self, ShapeError> {
        require_size("radius of the sphere", radius)?;
        Ok(Self::Sphere(Sphere { radius }))
    }

    /// The ellipsoid with these radii along x, y, z in m.
    ///
    /// # Errors
    /// If a radius is not a usable size, or one is more than 100 times another: such a needle or
    /// leaf has no curvature that `f32` could work with.
    pub fn ellipsoid(radii: Vec3) -> Result<Self, ShapeError> {
        for radius in radii.to_array() {
            require_size("radius of the ellipsoid", radius)?;
        }
        let ratio = radii.max_element() / radii.min_element();
        if ratio > 100.0 {
            let field = "ratio of the radii of the ellipsoid";
            return Err(ShapeError::OutOfRange { field, allowed: "at most 100", found: ratio });
        }
        Ok(Self::Ellipsoid(Ellipsoid { radii }))
    }

    /// The ellipsoid of a particle, whose radii were checked with it.
    pub(crate) fn of_radii(radii: Vec3) -> Self {
        if radii.x == radii.y && radii.y == radii.z {
            Self::Sphere(Sphere { radius: radii.x })
        } else {
            Self::Ellipsoid(Ellipsoid { radii })
        }
    }

    /// The box from −`half` to `half` in m.
    ///
    /// # Errors
    /// If a coordinate is not a usable size.
    pub fn block(half: Vec3) -> Result<Self, ShapeError> {
        for h in half.to_array() {
            require_size("half extent of the box", h)?;
        }
        Ok(Self::Box(Block { half }))
    }

    /// All points within `radius` of the segment from −`half_length` to `half_length` on y, in m.
    ///
    /// # Errors
    /// If one is not a usable size.
    pub fn capsule(half_length: f32, radius: f32) -> Result<Self, ShapeError> {
        require_size("half length of the capsule", half_length)?;
        require_size("radius of the capsule", radius)?;
        Ok(Self::Capsule(Capsule { half_length, radius }))
    }

    /// The cylinder along y from −`half_length` to `half_length`, in m.
    ///
    /// # Errors
    /// If one is not a usable size.
    pub fn cylinder(half_length: f32, radius: f32) -> Result<Self, ShapeError> {
        require_size("half length of the cylinder", half_length)?;
        require_size("radius of the cylinder", radius)?;
        Ok(Self::Cylinder(Cylinder { half_length, radius }))
    }

    /// The smallest convex solid that holds all `points`, given in m in any order.
    ///
    /// # Errors
    /// If a coordinate is not finite, or the points lie in a plane, on a line or in one place.
    pub fn hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        Ok(Self::Hull(Hull::new(points)?))
    }

    /// Convex solids, held together. Where they overlap, mass counts twice.
    ///
    /// # Errors
    /// If there are none, a pose is not finite, or a part is no convex solid.
    pub fn compound(parts: Vec<(Pose, Self)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            let (list, allowed) = ("parts of the compound", "at least 1".to_owned());
            return Err(ShapeError::WrongCount { list, allowed, found: 0 });
        }
        let positions: Vec<Vec3> = parts.iter().map(|(pose, _)| pose.position).collect();
        require_points("positions of the parts", &positions)?;
        for (part, (_, shape)) in parts.iter().enumerate() {
            if !shape.is_convex_solid() {
                return Err(ShapeError::BadPart { part, kind: shape.kind() });
            }
        }
        let normalise = |(pose, shape): (Pose, Self)| {
            (Pose { rotation: pose.rotation.normalized(), ..pose }, shape)
        };
        Ok(Self::Compound(Compound { parts: parts.into_iter().map(normalise).collect() }))
    }

    /// Everything behind the plane through the origin with this outward normal of any length.
    ///
    /// # Errors
    /// If the normal has no direction.
    pub fn half_space(normal: Vec3) -> Result<Self, ShapeError> {
        match normal.try_normalize() {
            Some(normal) => Ok(Self::HalfSpace(Plane { normal })),
            None => Err(ShapeError::OutOfRange {
                field: "length of the normal of the half-space",
                allowed: "above 0 and finite",
                found: normal.length(),
            }),
        }
    }

    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ellipsoid(_) => "ellipsoid",
            Self::Sphere(_) => "sphere",
            Self::Box(_) => "box",
            Self::Capsule(_) => "capsule",
            Self::Cylinder(_) => "cylinder",
            Self::Hull(_) => "hull",
            Self::Compound(_) => "compound",
            Self::HalfSpace(_) => "half-space",
            Self::TriangleMesh(_) => "triangle mesh",
            Self::HeightField(_) => "height field",
        }
    }

    /// Whether it is one convex solid: ellipsoid, sphere, box, capsule, cylinder or hull.
    pub fn is_convex_solid(&self) -> bool {
        !self.is_fixed() && !matches!(self, Self::Compound(_))
    }

    /// Whether it can only belong to something that does not move freely.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::HalfSpace(_) | Self::TriangleMesh(_) | Self::HeightField(_))
    }

    /// The point farthest along `direction` (any length) in the frame of the shape, for convex
    /// solids.
    ///
    /// Without a direction it is some point of the surface.
    pub fn support(&self, direction: Vec3) -> Option<Vec3> {
        let d = direction.try_normalize().unwrap_or(Vec3::Y);
        let point = match self {
            Self::Sphere(s) => s.radius * d,
            Self::Ellipsoid(e) => {
                let scaled = e.radii * d;
                e.radii * scaled / scaled.length()
            }
            Self::Box(b) => b.half.copysign(d),
            Self::Capsule(c) => Vec3::Y * c.half_length.copysign(d.y) + c.radius * d,
            Self::Cylinder(c) => {
                let radial = Vec3::new(d.x, 0.0, d.z).try_normalize().unwrap_or(Vec3::ZERO);
                Vec3::Y * c.half_length.copysign(d.y) + c.radius * radial
            }
            Self::Hull(hull) => hull.vertices()[hull.farthest(d.as_dvec3())],
            Self::Compound(_)
            | Self::HalfSpace(_)
            | Self::TriangleMesh(_)
            | Self::HeightField(_) => return None,
        };
        Some(point)
    }
}

#[cfg(test)]
mod tests;
