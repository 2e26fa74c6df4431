//! Where a ray meets a shape first: closed forms in f64.
//!
//! A convex solid is what planes, tubes and balls have in common. A ray is inside each of them for
//! one stretch of its length, and what these stretches have in common is inside the solid (Cyrus and
//! Beck 1978). Triangles are met by the rule of Woop, Benthin and Wald 2013, through which no ray
//! slips between two triangles that share an edge.
//!
//! Solids are closed: their surface belongs to them. A ray that starts in one meets it at once,
//! with a normal straight against the ray. A triangle mesh is a surface without inside; a triangle that lies
//! along the ray is not met.

use super::narrow::rotation_f64;
use super::shape::{Aabb, Capsule, Compound, HeightField, Hull, Shape, TriangleMesh};
use crate::math::Rot;
use core::cell::Cell;
use glam::{DMat3, DVec3};

/// A part of a straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Unit length.
    pub direction: DVec3,
    /// In m; may be infinite.
    pub length: f64,
}

/// Where a ray meets a shape first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Struck {
    /// From the start of the ray, in m.
    pub distance: f64,
    /// Outward, unit length; of a mesh on the side that the ray comes from; straight against the ray if
    /// it starts inside.
    pub normal: DVec3,
    /// The triangle of a mesh or height field, or the part of a compound.
    pub element: Option<u32>,
    /// Weights of the corners of that triangle.
    pub weights: Option<[f64; 3]>,
}

/// Where a ray first meets a shape that is turned by `rotation` and whose origin is at `position`.
///
/// ```
/// use fracas::contact::ray::{Ray, cast};
/// use fracas::contact::shape::Shape;
/// use fracas::glam::DVec3;
/// use fracas::math::Rot;
///
/// let ball = Shape::sphere(0.5)?;
/// let ray = Ray { origin: DVec3::ZERO, direction: DVec3::X, length: f64::INFINITY };
/// let struck = cast(&ball, Rot::IDENTITY, DVec3::new(3.0, 0.0, 0.0), &ray);
/// assert_eq!(struck.map(|s| (s.distance, s.normal)), Some((2.5, -DVec3::X)));
/// # Ok::<(), fracas::contact::shape::ShapeError>(())
/// ```
pub fn cast(shape: &Shape, rotation: Rot, position: DVec3, ray: &Ray) -> Option<Struck> {
    let turn = rotation_f64(rotation);
    let struck = local(shape, &ray.seen_from(&turn, position))?;
    Some(Struck { normal: turn * struck.normal, ..struck })
}

impl Ray {
    /// The point this far along, in m.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + distance * self.direction
    }

    /// The same in the frame of something that is turned and moved.
    fn seen_from(&self, turn: &DMat3, position: DVec3) -> Self {
        let back = turn.transpose();
        let direction = back * self.direction;
        Self { origin: back * (self.origin - position), direction, length: self.length }
    }

    /// What it meets if it starts inside.
    fn at_once(&self) -> Struck {
        Struck { distance: 0.0, normal: -self.direction, element: None, weights: None }
    }

    /// Whether it comes through a box within `limit`, give or take a rounding.
    fn comes_through(&self, bounds: &Aabb, limit: f64) -> bool {
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let slack = 1e-14 * (max.abs().max(min.abs()) + self.origin.abs()).max_element();
        let mut inside = Stretch { enter: 0.0, leave: limit, ..Stretch::ALL };
        for k in 0..3 {
            inside.behind(self.origin[k] - max[k] - slack, self.direction[k], DVec3::ZERO);
            inside.behind(min[k] - slack - self.origin[k], -self.direction[k], DVec3::ZERO);
        }
        inside.enter <= inside.leave
    }
}

/// For which part of its line a ray is inside, in m from its start, and the outward normal where it
/// comes in.
#[derive(Clone, Copy)]
struct Stretch {
    enter: f64,
    leave: f64,
    normal: DVec3,
}

impl Stretch {
    const ALL: Self = Self { enter: f64::NEG_INFINITY, leave: f64::INFINITY, normal: DVec3::ZERO };

    fn is_empty(&self) -> bool {
        self.enter > self.leave
    }

    fn never(&mut self) {
        self.leave = f64::NEG_INFINITY;
        self.enter = f64::INFINITY;
    }

    /// Cut to what is behind a plane, above which the ray starts at `height` and rises by `rise` per m.
    fn behind(&mut self, height: f64, rise: f64, normal: DVec3) {
        if rise == 0.0 {
            if height > 0.0 {
                self.never();
            }
            return;
        }
        let crossing = -height / rise;
        if rise > 0.0 {
            self.leave = self.leave.min(crossing);
        } else if crossing > self.enter {
            (self.enter, self.normal) = (crossing, normal);
        }
    }

    /// Cut to |x_k| ≤ half.
    fn between(&mut self, ray: &Ray, k: usize, half: f64) {
        let (x, rise) = (ray.origin[k], ray.direction[k]);
        self.behind(x - half, rise, DVec3::AXES[k]);
        self.behind(-x - half, -rise, -DVec3::AXES[k]);
    }

    /// Cut to |o + t d| ≤ 1: a ball, or a tube where o and d are those across its axis, both scaled.
    /// `normal` is along the outward normal at such a point.
    ///
    /// ```text
    /// t = t₀ ± √((1 − |o + t₀ d|²) / d·d),   t₀ = −o·d / d·d: where it is nearest to the centre
    /// ```
    fn within_one(&mut self, o: DVec3, d: DVec3, normal: impl Fn(DVec3) -> DVec3) {
        let squared = d.length_squared();
        if squared == 0.0 {
            if o.length_squared() > 1.0 {
                self.never();
            }
            return;
        }
        let middle = -o.dot(d) / squared;
        let left = 1.0 - (o + middle * d).length_squared();
        if left < 0.0 {
            return self.never();
        }
        let half = (left / squared).sqrt();
        if middle - half > self.enter {
            self.enter = middle - half;
            self.normal = normal(o + self.enter * d).normalize_or(-d.normalize_or_zero());
        }
        self.leave = self.leave.min(middle + half);
    }

    /// Cut to what is within `radius` of the line along y.
    fn in_tube(&mut self, ray: &Ray, radius: f64) {
        let across = |v: DVec3| DVec3::new(v.x, 0.0, v.z) / radius;
        self.within_one(across(ray.origin), across(ray.direction), |p| p);
    }

    /// The stretch inside one or the other of two, whose union is convex.
    fn or(self, other: Self) -> Self {
        if other.is_empty() {
            return self;
        }
        if self.is_empty() {
            return other;
        }
        let first = if other.enter < self.enter { other } else { self };
        Self { leave: self.leave.max(other.leave), ..first }
    }

    /// Where the ray is inside first.
    fn first(self, ray: &Ray) -> Option<Struck> {
        if self.is_empty() || self.leave < 0.0 {
            return None;
        }
        if self.enter <= 0.0 {
            return Some(ray.at_once());
        }
        let reached = self.enter <= ray.length && self.enter < f64::INFINITY;
        let struck =
            Struck { distance: self.enter, normal: self.normal, element: None, weights: None };
        reached.then_some(struck)
    }
}

/// Where a ray in the frame of a shape meets it.
fn local(shape: &Shape, ray: &Ray) -> Option<Struck> {
    let mut inside = Stretch::ALL;
    match shape {
        Shape::Sphere(sphere) => {
            let radius = f64::from(sphere.radius());
            if radius <= 0.0 {
                return None;
            }
            inside.within_one(ray.origin / radius, ray.direction / radius, |p| p);
        }
        Shape::Ellipsoid(ellipsoid) => {
            let radii = ellipsoid.radii().as_dvec3();
            // particles of a user's own model may have none
            if radii.min_element() <= 0.0 {
                return None;
            }
            inside.within_one(ray.origin / radii, ray.direction / radii, |p| p / radii);
        }
        Shape::Box(block) => {
            for (k, half) in block.half().as_dvec3().to_array().into_iter().enumerate() {
                inside.between(ray, k, half);
            }
        }
        Shape::Capsule(capsule) => inside = in_capsule(capsule, ray),
        Shape::Cylinder(cylinder) => {
            inside.between(ray, 1, cylinder.half_length().into());
            inside.in_tube(ray, cylinder.radius().into());
        }
        Shape::Hull(hull) => cut_by_faces(&mut inside, hull, ray),
        Shape::HalfSpace(plane) => {
            let normal = plane.normal().as_dvec3();
            inside.behind(normal.dot(ray.origin), normal.dot(ray.direction), normal);
        }
        Shape::Compound(compound) => return cast_compound(compound, ray),
        Shape::TriangleMesh(mesh) => return cast_mesh(mesh, ray),
        Shape::HeightField(field) => return cast_height_field(field, ray),
    }
    inside.first(ray)
}

/// A tube between two balls.
fn in_capsule(capsule: &Capsule, ray: &Ray) -> Stretch {
    let (half, radius) = (f64::from(capsule.half_length()), f64::from(capsule.radius()));
    let mut inside = Stretch::ALL;
    inside.between(ray, 1, half);
    inside.in_tube(ray, radius);
    for end in [half, -half] {
        let mut ball = Stretch::ALL;
        let from = (ray.origin - end * DVec3::Y) / radius;
        ball.within_one(from, ray.direction / radius, |p| p);
        inside = inside.or(ball);
    }
    inside
}

fn cut_by_faces(inside: &mut Stretch, hull: &Hull, ray: &Ray) {
    for face in hull.faces() {
        let corner = hull.points()[face.vertices[0] as usize];
        let height = face.normal.dot(ray.origin - corner);
        inside.behind(height, face.normal.dot(ray.direction), face.normal);
    }
}

/// The nearest part, the first of equals.
fn cast_compound(compound: &Compound, ray: &Ray) -> Option<Struck> {
    let mut best: Option<Struck> = None;
    for ((pose, part), number) in compound.parts().iter().zip(0..) {
        if let Some(struck) = cast(part, pose.rotation, pose.position.as_dvec3(), ray)
            && best.is_none_or(|best| struck.distance < best.distance)
        {
            best = Some(Struck { element: Some(number), ..struck });
        }
    }
    best
}

/// A ray as triangles see it: the axis that it is most along, the two others, and by how much these
/// must be sheared so that it goes along that axis.
struct Shear {
    origin: DVec3,
    axes: [usize; 3],
    x: f64,
    y: f64,
    z: f64,
}

impl Shear {
    fn new(ray: &Ray) -> Self {
        let d = ray.direction;
        let a = d.abs();
        let along = if a.x >= a.y && a.x >= a.z { 0 } else { 1 + usize::from(a.z > a.y) };
        let axes = [(along + 1) % 3, (along + 2) % 3, along];
        let [x, y, z] = axes.map(|k| d[k]);
        Self { origin: ray.origin, axes, x: x / z, y: y / z, z: 1.0 / z }
    }

    /// Distance along the ray's line to a triangle and the weights of its corners there. An edge gets the
    /// same product from both of its triangles, up to the sign, so that one of the two is met.
    fn triangle(&self, corners: &[DVec3; 3]) -> Option<(f64, [f64; 3])> {
        let [a, b, c] = corners.map(|p| {
            let q = p - self.origin;
            let [x, y, z] = self.axes.map(|k| q[k]);
            DVec3::new(x - self.x * z, y - self.y * z, self.z * z)
        });
        let [u, v, w] = [c.x * b.y - c.y * b.x, a.x * c.y - a.y * c.x, b.x * a.y - b.y * a.x];
        let sum = u + v + w;
        let outside = u.min(v).min(w) < 0.0 && u.max(v).max(w) > 0.0;
        if outside || sum == 0.0 {
            return None;
        }
        let weights = [u / sum, v / sum, w / sum];
        Some((weights[0] * a.z + weights[1] * b.z + weights[2] * c.z, weights))
    }
}

/// Where a ray first meets one of many triangles, on either side; `element` counts them.
pub fn cast_triangles(triangles: impl Iterator<Item = [DVec3; 3]>, ray: &Ray) -> Option<Struck> {
    let shear = Shear::new(ray);
    let mut best: Option<Struck> = None;
    for (corners, number) in triangles.zip(0..) {
        let Some((distance, weights)) = shear.triangle(&corners) else { continue };
        let limit = best.map_or(ray.length, |best| best.distance);
        if distance < 0.0 || distance > limit || best.is_some_and(|b| b.distance == distance) {
            continue;
        }
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        best = Some(Struck { distance, normal, element: Some(number), weights: Some(weights) });
    }
    best
}

/// The nearest triangle, the first of equals.
fn cast_mesh(mesh: &TriangleMesh, ray: &Ray) -> Option<Struck> {
    let shear = Shear::new(ray);
    let limit = Cell::new(ray.length);
    let mut best: Option<Struck> = None;
    mesh.walk(
        |bounds| ray.comes_through(bounds, limit.get()),
        |i| {
            let triangle = mesh.triangle(i);
            let Some((distance, weights)) = shear.triangle(&triangle.corners) else { return };
            if !(0.0..=limit.get()).contains(&distance) {
                return;
            }
            if best.is_some_and(|b| b.distance == distance && b.element <= Some(i)) {
                return;
            }
            limit.set(distance);
            let towards = triangle.normal.dot(ray.direction) <= 0.0;
            let normal = if towards { triangle.normal } else { -triangle.normal };
            best = Some(Struck { distance, normal, element: Some(i), weights: Some(weights) });
        },
    );
    best
}

/// Column by column along the ray, of the axis that it crosses more cells along.
fn cast_height_field(field: &HeightField, ray: &Ray) -> Option<Struck> {
    let [dx, dz] = field.spacing().map(f64::from);
    let spacing = [dx, 0.0, dz];
    let counts = [field.columns() - 1, 0, field.rows() - 1];
    let mut over = Stretch::ALL;
    let (o, d) = (ray.origin, ray.direction);
    over.behind(o.y - f64::from(field.bounds().max.y), d.y, DVec3::Y);
    for k in [0, 2] {
        over.behind(o[k] - counts[k] as f64 * spacing[k], d[k], DVec3::AXES[k]);
        over.behind(-o[k], -d[k], -DVec3::AXES[k]);
    }
    let start = over.enter.max(0.0);
    let end = over.leave.min(ray.length);
    if over.is_empty() || start > end || start == f64::INFINITY {
        return None;
    }
    let entry = ray.at(start);
    let from_above = over.enter > 0.0 && over.normal.y > 0.0;
    if !from_above && entry.y <= field.height_at(entry.x, entry.z) {
        return over.first(ray);
    }
    let shear = Shear::new(ray);
    let by_columns = d.x.abs() / dx >= d.z.abs() / dz;
    let (k, other) = if by_columns { (0, 2) } else { (2, 0) };
    // the rows that it may be over between two moments, with room for rounding
    let range = |k: usize, from: f64, to: f64| {
        let [p, q] = [from, to].map(|t| (o[k] + t * d[k]) / spacing[k]);
        let slack = 1e-9 * (1.0 + counts[k] as f64);
        let most = (counts[k] - 1) as f64;
        let low = (p.min(q) - slack).floor().clamp(0.0, most) as usize;
        let high = (p.max(q) + slack).floor().clamp(0.0, most) as usize;
        (low, high)
    };
    // an infinite ray straight down stays over one cell
    let end = if end.is_finite() { end } else { start };
    let (low, high) = range(k, start, end);
    let mut best: Option<Struck> = None;
    for step in 0..=high - low {
        let line = if d[k] >= 0.0 { low + step } else { high - step };
        let [mut from, mut to] = [start, end];
        if d[k] != 0.0 {
            let crossing = |line: usize| (line as f64 * spacing[k] - o[k]) / d[k];
            let [p, q] = [crossing(line), crossing(line + 1)];
            (from, to) = (p.min(q).clamp(start, end), p.max(q).clamp(start, end));
        }
        let (first, last) = range(other, from, to);
        for cell in first..=last {
            let (column, row) = if by_columns { (line, cell) } else { (cell, line) };
            for second in [false, true] {
                let corners = field.corners(column, row, second);
                let Some((distance, weights)) = shear.triangle(&corners) else { continue };
                let nearer = best.is_none_or(|best| distance < best.distance);
                if (0.0..=ray.length).contains(&distance) && nearer {
                    let element = Some(field.number(column, row, second));
                    let normal = field.triangle(column, row, second).normal;
                    best = Some(Struck { distance, normal, element, weights: Some(weights) });
                }
            }
        }
        if best.is_some_and(|best| best.distance <= to) {
            break;
        }
    }
    best
}
