//! Two convex solids.

use super::core::Core;
use super::epa;
use super::gjk::{self, Answer};
use super::manifold::{Candidate, DEEPEST, Few, Manifold};
use glam::DVec3;

/// Where and how two cores, with their radii, are nearest or overlap the least.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    /// Unit, out of b towards a.
    pub normal: DVec3,
    /// Between the surfaces.
    pub gap: f64,
    pub on_a: DVec3,
    pub on_b: DVec3,
}

/// Nearest points, if the gap is at most `reach`.
pub(super) fn nearest(a: &Core, b: &Core, reach: f64) -> Option<Nearest> {
    let radii = a.radius + b.radius;
    let (normal, distance, on_a, on_b) = match gjk::distance(a, b, reach + radii) {
        Answer::Far => return None,
        Answer::Apart { normal, distance, on_a, on_b } => (normal, distance, on_a, on_b),
        Answer::Overlap(simplex) => {
            let found = epa::depth(a, b, &simplex);
            (found.normal, -found.depth, found.on_a, found.on_b)
        }
    };
    let found = Nearest {
        normal,
        gap: distance - radii,
        on_a: on_a - a.radius * normal,
        on_b: on_b + b.radius * normal,
    };
    let snapped = snap(a, b, found);
    (snapped.gap <= reach).then_some(snapped)
}

/// The largest gap over all directions is the true one. Where a flat side gives at least as much
/// as was found, the search stopped at a rounding, or at a few digits of a round surface, beside it:
/// a cylinder lying on a table is pushed straight up.
fn snap(a: &Core, b: &Core, found: Nearest) -> Nearest {
    let tolerance = 1.0e-6 * a.size.min(b.size);
    let mut best = found;
    for (side, of_a) in [(b.facing(found.normal), false), (a.facing(-found.normal), true)] {
        let Some(side) = side else { continue };
        let n = if of_a { -side } else { side };
        if n.dot(found.normal) < 0.999 {
            continue;
        }
        let (on_a, on_b) = (a.support(-n) - a.radius * n, b.support(n) + b.radius * n);
        let gap = (on_a - on_b).dot(n);
        if gap >= best.gap - tolerance {
            // the flat side answers below or above the other's farthest point
            best = if of_a {
                Nearest { normal: n, gap, on_a: on_b + gap * n, on_b }
            } else {
                Nearest { normal: n, gap, on_a, on_b: on_a - gap * n }
            };
            break;
        }
    }
    best
}

/// Up to four points between two cores.
pub(super) fn collide(a: &Core, b: &Core, reach: f64) -> Option<(DVec3, Few)> {
    let nearest = nearest(a, b, reach)?;
    Some((nearest.normal, manifold(a, b, &nearest, reach)))
}

/// Up to four points along the normal of the nearest.
pub(super) fn manifold(a: &Core, b: &Core, nearest: &Nearest, reach: f64) -> Few {
    let size = a.size.min(b.size);
    let mut manifold = Manifold::new();
    manifold.fill(a, b, nearest.normal, reach);
    add_deepest(&mut manifold, nearest, 1.0e-5 * size);
    manifold.reduce(nearest.normal, size)
}

/// The nearest points themselves, unless a corner is as deep: a named corner is easier to follow.
fn add_deepest(manifold: &mut Manifold, nearest: &Nearest, tolerance: f64) {
    if !manifold.points().iter().any(|c| c.gap <= nearest.gap + tolerance) {
        let Nearest { gap, on_a, on_b, .. } = *nearest;
        manifold.push(Candidate { on_a, on_b, gap, feature: DEEPEST });
    }
}
