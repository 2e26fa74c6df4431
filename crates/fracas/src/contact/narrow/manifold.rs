//! From a contact normal to contact points: the sides that face each other are cut to what they
//! have in common, seen along the normal.
//!
//! Where two sides cross each other, every corner of the common polygon lies between two edges.
//! The labels of these two edges name the corner: they stay when bodies slide or turn a little,
//! whichever of the two sides is cut at the other.

use super::core::{Core, Polygon};
use glam::DVec3;

/// A pair of points, in f64 and relative to the origin of the pair.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub on_a: DVec3,
    pub on_b: DVec3,
    pub gap: f64,
    pub feature: u32,
}

impl Candidate {
    const NONE: Self = Self { on_a: DVec3::ZERO, on_b: DVec3::ZERO, gap: 0.0, feature: 0 };
}

/// Bit of a label that says that the edge is one of b.
pub(super) const OF_B: u16 = 1 << 15;
/// Feature of a point that no two edges name: the deepest points of round sides.
pub(super) const DEEPEST: u32 = 0x7fff_ffff;

/// Names a corner by the edges that meet there, in either order.
fn name(before: u16, after: u16) -> u32 {
    u32::from(before.min(after)) << 16 | u32::from(before.max(after))
}

/// The same corner with a and b exchanged.
pub(super) fn exchanged(feature: u32) -> u32 {
    name((feature >> 16) as u16 ^ OF_B, feature as u16 ^ OF_B)
}

/// Corners of a clipped side at most: each cut adds one.
const MAX_CLIPPED: usize = 40;

/// Corner of a side while it is cut: the labels of the edges that end and begin there.
#[derive(Clone, Copy)]
struct Corner {
    point: DVec3,
    before: u16,
    after: u16,
}

struct Clipped {
    corners: [Corner; MAX_CLIPPED],
    count: usize,
}

impl Clipped {
    const EMPTY: Self = Self {
        corners: [Corner { point: DVec3::ZERO, before: 0, after: 0 }; MAX_CLIPPED],
        count: 0,
    };

    fn push(&mut self, corner: Corner) {
        if self.count < MAX_CLIPPED {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    fn of(side: &Polygon) -> Self {
        let mut clipped = Self::EMPTY;
        for k in 0..side.count {
            // a segment is a polygon of two edges; its ends are named by one each
            let previous = if side.count == 2 { k } else { (k + side.count - 1) % side.count };
            let before = side.labels[previous];
            clipped.push(Corner { point: side.points[k], before, after: side.labels[k] });
        }
        clipped
    }

    /// Cuts away what is outside of a plane; the rest is `kept` (Sutherland, Hodgman 1974).
    fn cut(&self, outward: DVec3, offset: f64, label: u16, kept: &mut Self) {
        kept.count = 0;
        for k in 0..self.count {
            let (here, next) = (self.corners[k], self.corners[(k + 1) % self.count]);
            let (h0, h1) = (outward.dot(here.point) - offset, outward.dot(next.point) - offset);
            if h0 <= 0.0 {
                kept.push(here);
            }
            if (h0 <= 0.0) != (h1 <= 0.0) {
                let point = here.point + (next.point - here.point) * (h0 / (h0 - h1));
                // leaving, the rim goes on along the cut; coming back, it came from there
                let (before, after) =
                    if h0 <= 0.0 { (here.after, label) } else { (label, here.after) };
                kept.push(Corner { point, before, after });
            }
        }
    }
}

/// Points where the sides of a and b face each other.
pub(super) struct Manifold {
    points: [Candidate; MAX_CLIPPED + 1],
    count: usize,
}

impl Manifold {
    pub(super) fn new() -> Self {
        Self { points: [Candidate::NONE; MAX_CLIPPED + 1], count: 0 }
    }

    pub(super) fn push(&mut self, candidate: Candidate) {
        if self.count < self.points.len() {
            self.points[self.count] = candidate;
            self.count += 1;
        }
    }

    pub(super) fn points(&self) -> &[Candidate] {
        &self.points[..self.count]
    }

    /// Fills in the common corners of the sides of `a` and `b`; gaps include the radii.
    pub(super) fn fill(&mut self, a: &Core, b: &Core, normal: DVec3, reach: f64) {
        let (side_a, side_b) = (a.side(-normal, 0), b.side(normal, OF_B));
        if side_a.count == 1 || side_b.count == 1 {
            return;
        }
        let along_a = side_a.normal.map_or(0.0, |m| -m.dot(normal));
        let along_b = side_b.normal.map_or(0.0, |m| m.dot(normal));
        let radii = a.radius + b.radius;
        let mut add = |core_a: DVec3, core_b: DVec3, corner: &Corner| {
            let gap = (core_a - core_b).dot(normal) - radii;
            if gap <= reach {
                let (on_a, on_b) = (core_a - a.radius * normal, core_b + b.radius * normal);
                let feature = name(corner.before, corner.after);
                self.push(Candidate { on_a, on_b, gap, feature });
            }
        };
        // The side that faces the normal better is the one the other is cut at: its plane answers
        // for the points across. Nearly edge-on a plane would answer with rounding.
        let edge_on = 0.1;
        match (side_a.normal, side_b.normal) {
            (_, Some(m)) if along_b >= along_a && along_b > edge_on => {
                let clipped = clip(&side_a, &side_b, normal);
                for corner in &clipped.corners[..clipped.count] {
                    let t = (side_b.points[0] - corner.point).dot(m) / along_b;
                    add(corner.point, corner.point + t * normal, corner);
                }
            }
            (Some(m), _) if along_a > edge_on => {
                let clipped = clip(&side_b, &side_a, -normal);
                for corner in &clipped.corners[..clipped.count] {
                    let t = (side_a.points[0] - corner.point).dot(m) / along_a;
                    add(corner.point - t * normal, corner.point, corner);
                }
            }
            (None, None) => {
                let clipped = along_line(&side_a, &side_b, normal);
                for corner in &clipped.corners[..clipped.count] {
                    let (p, q) = (side_b.points[0], side_b.points[1]);
                    let t = (corner.point - p).dot(q - p) / (q - p).length_squared();
                    let on_line = p + t * (q - p);
                    let gap = (corner.point - on_line).dot(normal);
                    add(corner.point, corner.point - gap * normal, corner);
                }
            }
            _ => {}
        }
    }

    /// Four of them: the deepest, the one farthest from it, the one that spans the largest triangle
    /// with these, and the one farthest beyond its sides. Doubles go.
    pub(super) fn reduce(&self, normal: DVec3, size: f64) -> Few {
        let mut few = Few { points: [Candidate::NONE; 4], count: 0 };
        let read = |c: &Candidate| (c.on_a, c.gap);
        few.count = reduce_to_four(self.points(), normal, 1.0e-3 * size, read, &mut few.points);
        few
    }
}

/// The points that are left.
pub(super) struct Few {
    points: [Candidate; 4],
    count: usize,
}

impl Few {
    pub(super) fn points(&self) -> &[Candidate] {
        &self.points[..self.count]
    }
}

/// `incident` cut at the edges of `reference`, which runs counter-clockwise about `about`.
fn clip(incident: &Polygon, reference: &Polygon, about: DVec3) -> Clipped {
    let (mut clipped, mut kept) = (Clipped::of(incident), Clipped::EMPTY);
    for k in 0..reference.count {
        let (p, q) = (reference.points[k], reference.points[(k + 1) % reference.count]);
        let outward = (q - p).cross(about);
        let (from, to) = if k % 2 == 0 { (&clipped, &mut kept) } else { (&kept, &mut clipped) };
        from.cut(outward, outward.dot(p), reference.labels[k], to);
    }
    if reference.count.is_multiple_of(2) { clipped } else { kept }
}

/// Sine of the angle up to which two segments share a stretch and not just a point.
const PARALLEL: f64 = 0.02;

/// The part of segment a beside segment b, if they run along each other.
fn along_line(a: &Polygon, b: &Polygon, normal: DVec3) -> Clipped {
    let (u, v) = (a.points[1] - a.points[0], b.points[1] - b.points[0]);
    let sine = u.cross(v).dot(normal).abs();
    if sine >= PARALLEL * u.length() * v.length() {
        return Clipped::EMPTY;
    }
    let (mut clipped, mut kept) = (Clipped::of(a), Clipped::EMPTY);
    clipped.cut(-v, -v.dot(b.points[0]), b.labels[0], &mut kept);
    kept.cut(v, v.dot(b.points[1]), b.labels[1], &mut clipped);
    clipped
}

/// Up to four of `points`, see [`Manifold::reduce`], none nearer to another than `apart`; `read` gives
/// place and gap.
///
/// Those that touch or nearly do, within ten times `apart`, come before others: of a stone on the ground the
/// corners it stands on, and not one far out that is still above it. Others take the places that these leave.
pub(super) fn reduce_to_four<T: Copy>(
    points: &[T],
    normal: DVec3,
    apart: f64,
    read: impl Fn(&T) -> (DVec3, f64),
    chosen: &mut [T; 4],
) -> usize {
    let least = points.iter().map(|p| read(p).1).fold(f64::INFINITY, f64::min);
    let touching = |p: &&T| read(p).1 <= least.max(0.0) + 10.0 * apart;
    let first_of = |list: &mut dyn Iterator<Item = &T>, value: &dyn Fn(&T) -> f64, above: f64| {
        let mut best = (above, None);
        for point in list {
            let v = value(point);
            if v > best.0 {
                best = (v, Some(*point));
            }
        }
        best.1.map(|point| (best.0, point))
    };
    // the point of the largest value, if that is above a limit
    let best = |value: &dyn Fn(&T) -> f64, above: f64| {
        let near = first_of(&mut points.iter().filter(touching), value, above);
        near.or_else(|| first_of(&mut points.iter(), value, above))
    };
    let place = |p: &T| read(p).0;
    // across the normal only
    let flat = |d: DVec3| d - d.dot(normal) * normal;
    // of those as deep as the deepest, the outermost: a point amid a flat side spans nothing
    let mean = points.iter().map(place).sum::<DVec3>() / points.len() as f64;
    let depth_first = |p: &T| {
        let level = read(p).1 <= least + 0.01 * apart;
        if level { flat(place(p) - mean).length_squared() } else { f64::NEG_INFINITY }
    };
    let Some((_, first)) = best(&depth_first, f64::NEG_INFINITY) else { return 0 };
    chosen[0] = first;
    let a = place(&first);
    let away = |p: &T| flat(place(p) - a).length_squared();
    let Some((farthest, second)) = best(&away, apart * apart) else { return 1 };
    chosen[1] = second;
    let b = place(&second);
    let area = |p: DVec3, q: DVec3, x: DVec3| (q - p).cross(x - p).dot(normal);
    // a tenth of a thousandth of the square over the first two
    let thin = 1.0e-4 * farthest;
    let Some((_, third)) = best(&|p| area(a, b, place(p)).abs(), thin) else { return 2 };
    chosen[2] = third;
    let mut c = place(&third);
    let (mut p, q) = (a, b);
    if area(p, q, c) < 0.0 {
        core::mem::swap(&mut p, &mut c);
    }
    // p, q, c run counter-clockwise: outside of an edge its area is negative
    let outside = |x: &T| {
        let x = place(x);
        let areas = [area(p, q, x), area(q, c, x), area(c, p, x)];
        -areas.into_iter().fold(f64::INFINITY, f64::min)
    };
    let Some((_, fourth)) = best(&outside, thin) else { return 3 };
    chosen[3] = fourth;
    4
}

/// What the caller sees of a candidate.
pub(super) fn to_point(c: &Candidate, normal: DVec3, origin: DVec3) -> super::Point {
    super::Point {
        on_a: (c.on_a + origin).as_vec3(),
        on_b: (c.on_b + origin).as_vec3(),
        normal: normal.as_vec3(),
        gap: c.gap as f32,
        feature: c.feature,
    }
}
