//! Mass, centre and inertia of solids, exact for constant density.

use super::{Hull, Pose, Shape};
use crate::math::Sym3;
use core::f64::consts::PI;
use glam::{DMat3, DVec3, Vec3};

/// What a rigid body needs to know of its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// In kg.
    pub mass: f32,
    /// Centre of mass, in the frame of the shape, in m.
    pub centre: Vec3,
    /// Inertia about the centre of mass, along the axes of the shape, in kg m².
    pub inertia: Sym3,
}

/// ∫ 1, ∫ x and ∫ x xᵀ over a solid, about its origin.
#[derive(Clone, Copy, Debug)]
struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    /// Of nothing.
    const ZERO: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// A solid that is symmetric about its coordinate planes, by ∫ x², ∫ y², ∫ z².
    fn symmetric(volume: f64, second: DVec3) -> Self {
        Self { volume, first: DVec3::ZERO, second: DMat3::from_diagonal(second) }
    }

    /// The tetrahedron from the origin to a triangle, counted negative if that faces inwards.
    ///
    /// ```text
    /// V = a·(b×c)/6,   ∫x = V (a+b+c)/4,   ∫xxᵀ = V/20 (aaᵀ + bbᵀ + ccᵀ + ssᵀ),  s = a+b+c
    /// ```
    fn tetrahedron([a, b, c]: [DVec3; 3]) -> Self {
        let volume = a.dot(b.cross(c)) / 6.0;
        let s = a + b + c;
        let sum = outer(a) + outer(b) + outer(c) + outer(s);
        Self { volume, first: s * (volume / 4.0), second: sum * (volume / 20.0) }
    }

    fn plus(self, o: Self) -> Self {
        Self {
            volume: self.volume + o.volume,
            first: self.first + o.first,
            second: self.second + o.second,
        }
    }

    /// The same solid, moved by x ↦ R x + t.
    fn moved(self, pose: &Pose) -> Self {
        let (r, t) = (super::super::narrow::rotation_f64(pose.rotation), pose.position.as_dvec3());
        let turned = r * self.first;
        let second = r * self.second * r.transpose();
        let cross = cross_outer(turned, t) + cross_outer(t, turned);
        Self {
            volume: self.volume,
            first: turned + t * self.volume,
            second: second + cross + outer(t) * self.volume,
        }
    }
}

fn cross_outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn outer(a: DVec3) -> DMat3 {
    cross_outer(a, a)
}

fn hull_moments(hull: &Hull) -> Moments {
    // About a vertex: tetrahedra are then small numbers even if the origin is far away.
    let about = hull.points()[0];
    let mut sum = Moments::ZERO;
    for face in hull.faces() {
        let corner = |i: usize| hull.points()[face.vertices[i] as usize] - about;
        for i in 2..face.vertices.len() {
            sum = sum.plus(Moments::tetrahedron([corner(0), corner(i - 1), corner(i)]));
        }
    }
    sum.moved(&Pose { position: about.as_vec3(), ..Pose::IDENTITY })
}

fn moments(shape: &Shape) -> Option<Moments> {
    let moments = match shape {
        Shape::Sphere(s) => ellipsoid(DVec3::splat(f64::from(s.radius))),
        Shape::Ellipsoid(e) => ellipsoid(e.radii.as_dvec3()),
        Shape::Box(b) => {
            let half = b.half.as_dvec3();
            let volume = 8.0 * half.element_product();
            Moments::symmetric(volume, half * half * (volume / 3.0))
        }
        Shape::Cylinder(c) => cylinder(f64::from(c.half_length), f64::from(c.radius)),
        Shape::Capsule(c) => {
            let (l, r) = (f64::from(c.half_length), f64::from(c.radius));
            // Two half balls of volume 2π/3 r³ each, whose centres are at 3/8 r from their discs:
            // ∫y² of both is that of a ball, 2 V l² of moving them out and 2 · 2 V · l · 3/8 r.
            let half_ball = 2.0 / 3.0 * PI * r * r * r;
            let away = 2.0 * half_ball * (l * l + 0.75 * l * r);
            let caps = ellipsoid(DVec3::splat(r));
            let caps = Moments::symmetric(
                caps.volume,
                caps.second * DVec3::ONE + DVec3::new(0.0, away, 0.0),
            );
            cylinder(l, r).plus(caps)
        }
        Shape::Hull(hull) => hull_moments(hull),
        Shape::Compound(c) => {
            let mut sum = Moments::ZERO;
            for (pose, part) in &c.parts {
                sum = sum.plus(moments(part)?.moved(pose));
            }
            sum
        }
        Shape::HalfSpace(_) | Shape::TriangleMesh(_) | Shape::HeightField(_) => return None,
    };
    Some(moments)
}

fn ellipsoid(radii: DVec3) -> Moments {
    let volume = 4.0 / 3.0 * PI * radii.element_product();
    Moments::symmetric(volume, radii * radii * (volume / 5.0))
}

fn cylinder(l: f64, r: f64) -> Moments {
    let volume = 2.0 * PI * r * r * l;
    Moments::symmetric(volume, DVec3::new(r * r / 4.0, l * l / 3.0, r * r / 4.0) * volume)
}

impl Shape {
    /// Mass, centre and inertia at this density in kg/m³; none for what cannot move freely.
    pub fn mass_properties(&self, density: f32) -> Option<MassProperties> {
        let m = moments(self)?;
        let centre = m.first / m.volume;
        // about the centre, then I = tr(C) 1 − C
        let c = (m.second - outer(centre) * m.volume) * f64::from(density);
        let trace = c.x_axis.x + c.y_axis.y + c.z_axis.z;
        let inertia = [
            trace - c.x_axis.x,
            trace - c.y_axis.y,
            trace - c.z_axis.z,
            -c.x_axis.y,
            -c.y_axis.z,
            -c.z_axis.x,
        ];
        Some(MassProperties {
            mass: (m.volume * f64::from(density)) as f32,
            centre: centre.as_vec3(),
            inertia: Sym3::from_array(inertia.map(|x| x as f32)),
        })
    }
}
