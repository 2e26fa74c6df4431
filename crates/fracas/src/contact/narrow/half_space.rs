//! A convex solid and a half-space.

use super::Point;
use super::core::Core;
use super::manifold::{Candidate, DEEPEST, Manifold, to_point};
use glam::DVec3;

/// Up to four points of `a` within `reach` of the plane through `point` with unit normal `n`: its
/// deepest, and those that span the widest area.
pub(super) fn convex_half_space(
    a: &Core,
    point: DVec3,
    n: DVec3,
    reach: f64,
    origin: DVec3,
    out: &mut Vec<Point>,
) {
    let candidate = |core: DVec3, feature: u32| {
        let on_a = core - a.radius * n;
        let gap = (on_a - point).dot(n);
        Candidate { on_a, on_b: on_a - gap * n, gap, feature }
    };
    let mut manifold = Manifold::new();
    let mut deepest = candidate(a.support(-n), DEEPEST);
    if deepest.gap > reach {
        return;
    }
    a.corners(-n, |core, label| {
        let corner = candidate(core, u32::from(label) << 16 | u32::from(label));
        if corner.gap <= reach {
            // a named corner is easier to follow
            if corner.gap <= deepest.gap + 1.0e-5 * a.size {
                deepest.feature = 0;
            }
            manifold.push(corner);
        }
    });
    if deepest.feature == DEEPEST {
        manifold.push(deepest);
    }
    let few = manifold.reduce(n, a.size);
    out.extend(few.points().iter().map(|c| to_point(c, n, origin)));
}
