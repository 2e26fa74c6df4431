//! Where two convex polyhedra touch, face on face.

use super::convex::{Convex, area_vector};
use glam::DVec3;

/// How far faces that touch may be from one plane, relative to the size: a hundred times what cuts
/// leave.
const TOUCH: f64 = 1.0e-7;

impl Convex {
    /// Area over which faces of both lie on each other, back to back, in m²: what holds two cells
    /// of one solid together. Faces within 1e-7 of the larger size of one plane lie on each other.
    pub fn shared_area(&self, other: &Self) -> f64 {
        let tolerance = TOUCH * self.size().max(other.size());
        let ((low, high), (least, most)) = (self.bounds(), other.bounds());
        let reach = DVec3::splat(tolerance);
        if (low - reach).cmpgt(most).any() || (least - reach).cmpgt(high).any() {
            return 0.0;
        }
        let theirs = other.face_polygons();
        let mine = self.face_polygons();
        let pairs = mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| overlap(a, b, tolerance)).sum()
    }

    fn face_polygons(&self) -> Vec<Polygon> {
        let polygon = |face| {
            let points: Vec<DVec3> = self.points(face).collect();
            Polygon { area: area_vector(points.iter().copied()), points }
        };
        self.faces().map(polygon).collect()
    }
}

/// A face by itself.
struct Polygon {
    /// Area times normal.
    area: DVec3,
    points: Vec<DVec3>,
}

/// Area of two polygons over each other, if they face each other in one plane.
fn overlap(a: &Polygon, b: &Polygon, tolerance: f64) -> f64 {
    if a.area.dot(b.area) >= 0.0 {
        return 0.0;
    }
    // The plane is that of the larger, whose normal is the better one.
    let larger = b.area.length_squared() > a.area.length_squared();
    let (small, large) = if larger { (a, b) } else { (b, a) };
    let Some(normal) = large.area.try_normalize() else { return 0.0 };
    let lies = |p: &DVec3| normal.dot(*p - large.points[0]).abs() <= tolerance;
    if !small.points.iter().all(lies) {
        return 0.0;
    }
    let mut rest = small.points.clone();
    for (i, &from) in large.points.iter().enumerate() {
        let to = large.points[(i + 1) % large.points.len()];
        rest = left_of(&rest, from, normal.cross(to - from));
    }
    area_vector(rest.into_iter()).length()
}

/// The part of a polygon with (x − `from`)·`inward` ≥ 0 (Sutherland, Hodgman, *Reentrant Polygon
/// Clipping*, 1974).
fn left_of(polygon: &[DVec3], from: DVec3, inward: DVec3) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (h, k) = (inward.dot(p - from), inward.dot(q - from));
        if h >= 0.0 {
            kept.push(p);
        }
        if (h < 0.0) != (k < 0.0) && h != 0.0 && k != 0.0 {
            kept.push(p + (q - p) * (h / (h - k)));
        }
    }
    kept
}
