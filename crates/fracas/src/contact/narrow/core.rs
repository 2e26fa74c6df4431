//! Convex solids as the general algorithm sees them: a core, and a ball rolled around it.
//!
//! A sphere is a point with a radius, a capsule a segment with one. An ellipsoid is what is left
//! when a ball of its smallest radius of curvature δ = r_min² / r_max is rolled off its inside,
//! with that ball: h(n) − δ|n| is still a support function. The distance of cores then answers for
//! overlaps up to the radii, and only deeper ones need the search of `epa`.
//!
//! Everything here is f64, so that a gap of a millionth of the size still has a direction.

use super::super::shape::{Face, Hull, Pose, Shape, Triangle};
use crate::math::Rot;
use glam::{DMat3, DVec3};

/// The rotation as a matrix in f64, of a quaternion whose length may be off by a rounding.
pub(crate) fn rotation_f64(q: Rot) -> DMat3 {
    let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(f64::from);
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    DMat3::from_cols(
        DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)),
        DVec3::new(s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)),
        DVec3::new(s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)),
    )
}

/// A convex solid at its place.
pub(super) struct Core<'a> {
    kind: Kind<'a>,
    rotation: DMat3,
    pub(super) position: DVec3,
    /// Of the ball around the core.
    pub(super) radius: f64,
    /// The smallest extent, to which tolerances are relative.
    pub(super) size: f64,
}

enum Kind<'a> {
    Point,
    Ellipsoid { radii: DVec3, eroded: f64 },
    Box { half: DVec3 },
    Segment { half: f64 },
    Cylinder { half: f64, radius: f64 },
    Hull(&'a Hull),
    Triangle([DVec3; 3], DVec3),
}

/// Corners of faces beyond this are thinned out.
const MAX_CORNERS: usize = 16;
/// Corners of a hull beyond this are not all tried against a plane.
const MANY_CORNERS: usize = 40;
/// Corners of the polygon in the lid of a cylinder.
const LID_CORNERS: usize = 8;
/// Cosine between contact normal and axis below which a cylinder is touched along a line.
const SIDE: f64 = 0.7;
/// The same for a capsule. Steeper, the ball at the far end is touched inside the capsule: here by
/// less than a thirtieth of its radius.
const CAPSULE_SIDE: f64 = 0.25;

/// A side of a core: point, segment or polygon, in order about `normal`.
pub(super) struct Polygon {
    pub points: [DVec3; MAX_CORNERS],
    /// Of the edge from each point to the next.
    pub labels: [u16; MAX_CORNERS],
    pub count: usize,
    /// Outward unit normal of a polygon; nothing for points and segments.
    pub normal: Option<DVec3>,
}

impl Polygon {
    fn new(normal: Option<DVec3>) -> Self {
        Self { points: [DVec3::ZERO; MAX_CORNERS], labels: [0; MAX_CORNERS], count: 0, normal }
    }

    fn push(&mut self, point: DVec3, label: u16) {
        self.points[self.count] = point;
        self.labels[self.count] = label;
        self.count += 1;
    }
}

impl<'a> Core<'a> {
    /// A convex solid, relative to `origin`; nothing for the other shapes.
    pub(super) fn new(shape: &'a Shape, pose: &Pose, origin: DVec3) -> Option<Self> {
        let (kind, radius, size) = match shape {
            Shape::Sphere(s) => (Kind::Point, f64::from(s.radius()), f64::from(s.radius())),
            Shape::Ellipsoid(e) => {
                let radii = e.radii().as_dvec3();
                let (low, high) = (radii.min_element(), radii.max_element());
                // a hair less, so that the core stays convex in spite of rounding
                let eroded = if low == high { low } else { 0.999 * low * low / high };
                let kind =
                    if low == high { Kind::Point } else { Kind::Ellipsoid { radii, eroded } };
                (kind, eroded, low)
            }
            Shape::Box(b) => {
                let half = b.half().as_dvec3();
                (Kind::Box { half }, 0.0, half.min_element())
            }
            Shape::Capsule(c) => {
                let half = f64::from(c.half_length());
                (Kind::Segment { half }, f64::from(c.radius()), f64::from(c.radius()))
            }
            Shape::Cylinder(c) => {
                let (half, radius) = (f64::from(c.half_length()), f64::from(c.radius()));
                (Kind::Cylinder { half, radius }, 0.0, half.min(radius))
            }
            Shape::Hull(hull) => (Kind::Hull(hull), 0.0, hull.thickness()),
            _ => return None,
        };
        let rotation = rotation_f64(pose.rotation);
        Some(Self { kind, rotation, position: pose.position.as_dvec3() - origin, radius, size })
    }

    /// A triangle of something at this place.
    pub(super) fn of_triangle(triangle: &Triangle, rotation: DMat3, position: DVec3) -> Self {
        let [a, b, c] = triangle.corners;
        let size = a.distance(b).min(b.distance(c)).min(c.distance(a));
        Self {
            kind: Kind::Triangle(triangle.corners, triangle.normal),
            rotation,
            position,
            radius: 0.0,
            size,
        }
    }

    /// A triangle of these corners and this normal.
    pub(super) fn of_corners(corners: [DVec3; 3], normal: DVec3) -> Self {
        let [a, b, c] = corners;
        let size = a.distance(b).min(b.distance(c)).min(c.distance(a));
        let kind = Kind::Triangle(corners, normal);
        Self { kind, rotation: DMat3::IDENTITY, position: DVec3::ZERO, radius: 0.0, size }
    }

    /// A point, whose tolerances are those of something of this size.
    pub(super) fn of_point(position: DVec3, size: f64) -> Self {
        Self { kind: Kind::Point, rotation: DMat3::IDENTITY, position, radius: 0.0, size }
    }

    /// Whether support points move along it as the direction turns: searches then end by tolerance.
    pub(super) fn is_round(&self) -> bool {
        matches!(self.kind, Kind::Ellipsoid { .. } | Kind::Cylinder { .. })
    }

    fn place(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.position
    }

    /// A point inside.
    pub(super) fn centre(&self) -> DVec3 {
        match self.kind {
            Kind::Hull(hull) => self.place(hull.centre()),
            Kind::Triangle([a, b, c], _) => self.place((a + b + c) / 3.0),
            _ => self.position,
        }
    }

    /// The point of the core farthest along `d`, which has some length.
    #[inline]
    pub(super) fn support(&self, d: DVec3) -> DVec3 {
        if let Kind::Point = self.kind {
            return self.position;
        }
        // Rᵀ d
        let l = DVec3::new(
            self.rotation.x_axis.dot(d),
            self.rotation.y_axis.dot(d),
            self.rotation.z_axis.dot(d),
        );
        let local = match self.kind {
            Kind::Point => DVec3::ZERO,
            Kind::Ellipsoid { radii, eroded } => {
                let scaled = radii * l;
                radii * scaled / scaled.length() - l * (eroded / l.length())
            }
            Kind::Box { half } => half.copysign(l),
            Kind::Segment { half } => DVec3::new(0.0, half.copysign(l.y), 0.0),
            Kind::Cylinder { half, radius } => {
                let across = (l.x * l.x + l.z * l.z).sqrt();
                let s = if across > 0.0 { radius / across } else { 0.0 };
                DVec3::new(s * l.x, half.copysign(l.y), s * l.z)
            }
            Kind::Hull(hull) => hull.points()[hull.farthest(l)],
            Kind::Triangle([a, b, c], _) => {
                let (u, v, w) = (a.dot(l), b.dot(l), c.dot(l));
                if u >= v && u >= w {
                    a
                } else if v >= w {
                    b
                } else {
                    c
                }
            }
        };
        self.place(local)
    }

    /// The flat side, edge or point that faces the unit vector `d`. `owner` marks its labels.
    pub(super) fn side(&self, d: DVec3, owner: u16) -> Polygon {
        let l = self.rotation.transpose() * d;
        let mut polygon = match self.kind {
            Kind::Point | Kind::Ellipsoid { .. } => {
                let mut point = Polygon::new(None);
                point.push(self.support(d), owner);
                return point;
            }
            Kind::Box { half } => box_side(half, l),
            Kind::Segment { half } => {
                let mut segment = Polygon::new(None);
                segment.push(DVec3::Y * half.copysign(l.y), 0);
                if l.y.abs() < CAPSULE_SIDE {
                    segment.push(DVec3::Y * -half.copysign(l.y), 1);
                }
                segment
            }
            Kind::Cylinder { half, radius } => cylinder_side(half, radius, l),
            Kind::Hull(hull) => hull_side(hull, hull.facing(l)),
            Kind::Triangle(corners, normal) => {
                let up = normal.dot(l) >= 0.0;
                let mut triangle = Polygon::new(Some(if up { normal } else { -normal }));
                for k in 0..3 {
                    // the other way round, edge labels shift by one
                    let (i, label) = if up { (k, k) } else { (2 - k, (4 - k) % 3) };
                    triangle.push(corners[i], label as u16);
                }
                triangle
            }
        };
        for k in 0..polygon.count {
            polygon.points[k] = self.place(polygon.points[k]);
            polygon.labels[k] |= owner;
        }
        polygon.normal = polygon.normal.map(|n| self.rotation * n);
        polygon
    }

    /// Calls `visit` with corners and their labels: all of them, or those of the side that faces `d`
    /// if there are too many or it is round.
    pub(super) fn corners(&self, d: DVec3, mut visit: impl FnMut(DVec3, u16)) {
        match self.kind {
            Kind::Point | Kind::Ellipsoid { .. } => {}
            Kind::Box { half } => {
                for k in 0..8u16 {
                    let sign = |bit: u16| if k & bit == 0 { -1.0 } else { 1.0 };
                    visit(self.place(half * DVec3::new(sign(1), sign(2), sign(4))), k);
                }
            }
            Kind::Hull(hull) if hull.points().len() <= MANY_CORNERS => {
                for (k, p) in hull.points().iter().enumerate() {
                    visit(self.place(*p), k as u16);
                }
            }
            _ => {
                let side = self.side(d, 0);
                for k in 0..side.count {
                    visit(side.points[k], side.labels[k]);
                }
            }
        }
    }

    /// Normal of the flat side that faces `d`, if it has one.
    pub(super) fn facing(&self, d: DVec3) -> Option<DVec3> {
        let l = self.rotation.transpose() * d;
        let local = match self.kind {
            Kind::Point | Kind::Ellipsoid { .. } | Kind::Segment { .. } => return None,
            Kind::Box { .. } => {
                let (axis, sign) = main_axis(l);
                DVec3::AXES[axis] * sign
            }
            Kind::Cylinder { .. } if l.y.abs() < SIDE => return None,
            Kind::Cylinder { .. } => DVec3::new(0.0, 1f64.copysign(l.y), 0.0),
            Kind::Hull(hull) => hull.facing(l).normal,
            Kind::Triangle(_, normal) => normal * 1f64.copysign(normal.dot(l)),
        };
        Some(self.rotation * local)
    }
}

/// The axis that `l` is most along, and its sign.
fn main_axis(l: DVec3) -> (usize, f64) {
    let a = l.abs();
    let axis = if a.x >= a.y && a.x >= a.z { 0 } else { 1 + usize::from(a.z > a.y) };
    (axis, 1f64.copysign(l[axis]))
}

/// Edges are numbered by their direction and the signs of the other two coordinates.
fn box_side(half: DVec3, l: DVec3) -> Polygon {
    let (axis, sign) = main_axis(l);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut side = Polygon::new(Some(DVec3::AXES[axis] * sign));
    // counter-clockwise in (u, v) if the side faces up its axis
    let round = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    for k in 0..4 {
        let at = |k: usize| if sign > 0.0 { round[k % 4] } else { round[(7 - k) % 4] };
        let ((a, b), (c, d)) = (at(k), at(k + 1));
        let mut point = DVec3::ZERO;
        (point[axis], point[u], point[v]) = (sign * half[axis], a * half[u], b * half[v]);
        // the edge along u keeps its v and the other way round
        let (direction, kept, kept_sign) = if b == d { (u, v, b) } else { (v, u, a) };
        debug_assert!(if b == d { a != c } else { a == c });
        let bits = |k: usize, s: f64| if s > 0.0 { 1 << k } else { 0 };
        let label = 8 * direction + bits(axis, sign) + bits(kept, kept_sign);
        side.push(point, label as u16);
    }
    side
}

fn cylinder_side(half: f64, radius: f64, l: DVec3) -> Polygon {
    let top = l.y > 0.0;
    if l.y.abs() < SIDE {
        let across = (l.x * l.x + l.z * l.z).sqrt();
        let out = DVec3::new(l.x, 0.0, l.z) * (radius / across);
        let mut line = Polygon::new(None);
        line.push(out + DVec3::Y * half, 0);
        line.push(out - DVec3::Y * half, 1);
        return line;
    }
    let sign = if top { 1.0 } else { -1.0 };
    let mut lid = Polygon::new(Some(DVec3::Y * sign));
    const DIAGONAL: f64 = core::f64::consts::FRAC_1_SQRT_2;
    const ROUND: [(f64, f64); LID_CORNERS] = [
        (1.0, 0.0),
        (DIAGONAL, DIAGONAL),
        (0.0, 1.0),
        (-DIAGONAL, DIAGONAL),
        (-1.0, 0.0),
        (-DIAGONAL, -DIAGONAL),
        (0.0, -1.0),
        (DIAGONAL, -DIAGONAL),
    ];
    for k in 0..LID_CORNERS {
        // z × x = y: from z to x is counter-clockwise about y
        let (i, label) = if top { (k, k) } else { (7 - k, 8 + (14 - k) % 8) };
        let (z, x) = ROUND[i];
        lid.push(DVec3::new(x * radius, half * sign, z * radius), 2 + label as u16);
    }
    lid
}

fn hull_side(hull: &Hull, face: &Face) -> Polygon {
    let mut side = Polygon::new(Some(face.normal));
    let count = face.vertices.len();
    let taken = count.min(MAX_CORNERS);
    for k in 0..taken {
        let i = k * count / taken;
        side.push(hull.points()[face.vertices[i] as usize], face.edges[i]);
    }
    side
}
