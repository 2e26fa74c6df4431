//! Continuous collision: the first moment at which a corner meets a triangle, or an edge an edge, while all their
//! points move straight.
//!
//! Four points are in one plane where a cubic in time is 0 (Provot 1997):
//!
//! ```text
//! f(t) = (u(t) × v(t)) · w(t) = c₀ + c₁ t + c₂ t² + c₃ t³
//! ```
//!
//! The roots of f′ cut the substep into stretches in which f rises or falls, each of which holds one root of f at most: no
//! root is missed. At each of them, in order, the distance tells whether the two really meet. All in f64.

use super::super::narrow::{nearest_on_segments, nearest_on_triangle};
use glam::DVec3;

/// A point and its way within the substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moving {
    /// Where it starts, in m.
    pub start: DVec3,
    /// Where it goes, in m.
    pub way: DVec3,
}

impl Moving {
    /// At a time between 0 and 1.
    #[inline]
    pub fn at(&self, time: f64) -> DVec3 {
        self.start + time * self.way
    }

    fn minus(&self, other: &Self) -> Self {
        Self { start: self.start - other.start, way: self.way - other.way }
    }
}

/// Where two meet first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Share of the substep.
    pub time: f64,
    /// Weights of the corners of the triangle, or, of two edges, of their second ends.
    pub weights: [f64; 3],
}

/// Distance at which two meet, of their size: more than rounding leaves at a root.
const TOUCH: f64 = 1e-6;
/// Halvings of a stretch: down to the last bit of the time.
const HALVINGS: u32 = 64;

/// The first moment at which a corner goes through a triangle from its front, which is the side from which its
/// corners are seen counter-clockwise.
pub fn corner_triangle(p: &Moving, [a, b, c]: &[Moving; 3]) -> Option<Impact> {
    let [u, v, w] = [b.minus(a), c.minus(a), p.minus(a)];
    let size = extent(&[u, v, w]);
    first_root(&cubic(&u, &v, &w), |time| {
        let [u, v, w] = [u.at(time), v.at(time), w.at(time)];
        let weights = nearest_on_triangle(-w, u - w, v - w);
        let away = weights[1] * u + weights[2] * v - w;
        let way = weights[0] * a.way + weights[1] * b.way + weights[2] * c.way - p.way;
        let comes = u.cross(v).dot(way) > 0.0;
        (comes && away.length() <= TOUCH * size).then_some(Impact { time, weights })
    })
}

/// The first moment at which two edges cross.
pub fn edge_edge([a, b]: &[Moving; 2], [c, d]: &[Moving; 2]) -> Option<Impact> {
    let [u, v, w] = [b.minus(a), d.minus(c), c.minus(a)];
    let size = extent(&[u, v, w]);
    first_root(&cubic(&u, &v, &w), |time| {
        let [u, v, w] = [u.at(time), v.at(time), w.at(time)];
        let [s, t] = nearest_on_segments(u, v, w);
        let away = w + t * v - s * u;
        (away.length() <= TOUCH * size).then_some(Impact { time, weights: [s, t, 0.0] })
    })
}

/// A length that all of this is about.
fn extent(all: &[Moving]) -> f64 {
    all.iter().map(|m| m.start.length() + m.way.length()).fold(0.0, f64::max)
}

/// Coefficients of (u(t) × v(t)) · w(t).
fn cubic(u: &Moving, v: &Moving, w: &Moving) -> [f64; 4] {
    let c0 = u.start.cross(v.start);
    let c1 = u.start.cross(v.way) + u.way.cross(v.start);
    let c2 = u.way.cross(v.way);
    [
        c0.dot(w.start),
        c1.dot(w.start) + c0.dot(w.way),
        c2.dot(w.start) + c1.dot(w.way),
        c2.dot(w.way),
    ]
}

/// The first root in 0 to 1 that `accept` takes.
fn first_root(c: &[f64; 4], accept: impl Fn(f64) -> Option<Impact>) -> Option<Impact> {
    let f = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    // what rounding leaves of f where it is 0
    let noise = 1e-14 * c.iter().map(|c| c.abs()).sum::<f64>();
    let [low, high] = turning_points(c);
    let stops = [0.0, low, high, 1.0];
    for k in 0..3 {
        let (from, to) = (stops[k], stops[k + 1]);
        let (start, end) = (f(from), f(to));
        // where it only touches 0, or begins there
        if start.abs() <= noise
            && let Some(impact) = accept(from)
        {
            return Some(impact);
        }
        if (start > 0.0) != (end > 0.0)
            && let Some(impact) = accept(halve(&f, from, to, start > 0.0))
        {
            return Some(impact);
        }
    }
    (f(1.0).abs() <= noise).then(|| accept(1.0)).flatten()
}

/// Where f′ is 0 within 0 to 1, in order; 0 and 1 where it is not.
fn turning_points(c: &[f64; 4]) -> [f64; 2] {
    let (a, b, d) = (3.0 * c[3], 2.0 * c[2], c[1]);
    let square = b * b - 4.0 * a * d;
    if square < 0.0 {
        return [0.0, 1.0];
    }
    // the two that do not cancel
    let q = -0.5 * (b + square.sqrt().copysign(b));
    let inside = |t: f64| if t > 0.0 && t < 1.0 { Some(t) } else { None };
    match (inside(q / a), inside(d / q)) {
        (Some(s), Some(t)) => [s.min(t), s.max(t)],
        (Some(t), None) | (None, Some(t)) => [t, 1.0],
        (None, None) => [0.0, 1.0],
    }
}

/// Where f changes its sign; it is above 0 at the start or not.
fn halve(f: &impl Fn(f64) -> f64, mut from: f64, mut to: f64, above: bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (from + to);
        if middle <= from || middle >= to {
            break;
        }
        if (f(middle) > 0.0) == above {
            from = middle;
        } else {
            to = middle;
        }
    }
    // before, rather than after
    from
}
