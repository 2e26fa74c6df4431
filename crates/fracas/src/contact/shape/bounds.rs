//! How far a shape reaches.

use super::{Pose, Shape};
use glam::Vec3;

/// A box along the axes of the frame; empty if `min` is above `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// Holds nothing.
    pub const EMPTY: Self =
        Self { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };

    /// The smallest box around all points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around both.
    pub fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Larger by `margin` on all sides.
    pub fn grown(self, margin: f32) -> Self {
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// Whether they share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The point in the middle.
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Around `centre`, this far to all sides.
    fn about(centre: Vec3, extent: Vec3) -> Self {
        Self { min: centre - extent, max: centre + extent }
    }
}

impl Shape {
    /// The box around the shape at this pose; infinite for a half-space.
    ///
    /// A coordinate may be off by a rounding of the size of the box.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let r = pose.rotation.to_mat3();
        // extent of a set along axis k is the support function at row k of R
        let rows = [r.row(0), r.row(1), r.row(2)];
        let extent = |support: &dyn Fn(Vec3) -> f32| Vec3::from_array(rows.map(support));
        let about = |e: Vec3| Aabb::about(pose.position, e);
        match self {
            Self::Sphere(s) => about(Vec3::splat(s.radius)),
            Self::Ellipsoid(e) => about(extent(&|n| (e.radii * n).length())),
            Self::Box(b) => about(extent(&|n| b.half.dot(n.abs()))),
            Self::Capsule(c) => about(extent(&|n| c.half_length * n.y.abs() + c.radius)),
            Self::Cylinder(c) => about(extent(&|n| {
                c.half_length * n.y.abs() + c.radius * (n.x * n.x + n.z * n.z).sqrt()
            })),
            Self::Hull(hull) => Aabb::around(hull.vertices().iter().map(|&v| pose.apply(v))),
            Self::Compound(c) => c
                .parts
                .iter()
                .map(|(part, shape)| shape.aabb(&pose.of(part)))
                .fold(Aabb::EMPTY, Aabb::join),
            Self::HalfSpace(_) => about(Vec3::INFINITY),
            Self::TriangleMesh(mesh) => {
                Aabb::around(mesh.vertices().iter().map(|&v| pose.apply(v)))
            }
            Self::HeightField(field) => {
                let b = field.bounds();
                let half = 0.5 * (b.max - b.min);
                Aabb::about(pose.apply(b.centre()), extent(&|n| half.dot(n.abs())))
            }
        }
    }

    /// The farthest any of its points is from its origin, in m; infinite for a half-space.
    pub fn bounding_radius(&self) -> f32 {
        let farthest = |points: &[Vec3]| points.iter().map(|p| p.length()).fold(0.0, f32::max);
        match self {
            Self::Sphere(s) => s.radius,
            Self::Ellipsoid(e) => e.radii.max_element(),
            Self::Box(b) => b.half.length(),
            Self::Capsule(c) => c.half_length + c.radius,
            Self::Cylinder(c) => Vec3::new(c.half_length, c.radius, 0.0).length(),
            Self::Hull(hull) => farthest(hull.vertices()),
            Self::Compound(c) => c
                .parts
                .iter()
                .map(|(pose, shape)| pose.position.length() + shape.bounding_radius())
                .fold(0.0, f32::max),
            Self::HalfSpace(_) => f32::INFINITY,
            Self::TriangleMesh(mesh) => farthest(mesh.vertices()),
            Self::HeightField(field) => {
                let b = field.bounds();
                b.min.abs().max(b.max.abs()).length()
            }
        }
    }
}
