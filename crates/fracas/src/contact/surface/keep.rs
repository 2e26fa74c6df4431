//! Of all that corners and faces may touch, what is kept: one contact per corner and plane, and none that only looks like one.

use super::super::{Contact, Other, Spot};
use glam::Vec3;

/// Cosine between normals of contacts that count as one plane: 2.5°.
const SAME_PLANE: f32 = 0.999;

/// Drops contacts of the same name, doubtful ones whose two have not touched before, and of those of one corner
///
/// - doubles, where it lies over the edge between two triangles of one plane;
/// - deeper ones, where it is inside beside an edge that sticks out: it leaves through the nearer of the two faces, and
///   through the one that it came in by as long as that is not twice as deep.
///
/// All lists are in the order of their keys; `known` are contacts of the substep before and of islands that just woke.
/// `is_surface` tells of a body whether it touches by a surface, `triangle` where the corners are that carry a point of one.
pub fn keep_true(
    found: &mut Vec<Contact>,
    known: [&[Contact]; 2],
    is_surface: &dyn Fn(u32) -> bool,
    triangle: &dyn Fn(Spot) -> [Vec3; 3],
) {
    // a solid meets a surface with many points, none of which has to do with another
    let is_corner =
        |contact: &Contact| !contact.first.anchor.is_shared() && is_surface(contact.first.body);
    let is_known = |contact: &Contact| {
        known.iter().any(|list| list.binary_search_by_key(&contact.key, |c| c.key).is_ok())
    };
    found.dedup_by_key(|contact| contact.key);
    found.retain(|contact| !contact.doubtful || is_known(contact));
    let depth = |c: &Contact| -c.gap * if is_known(c) { 0.5 } else { 1.0 };
    for pair in found.chunk_by_mut(|a, b| a.key.pair() == b.key.pair()) {
        for k in 0..pair.len() {
            let mine = (depth(&pair[k]), k);
            let beaten = is_corner(&pair[k])
                && pair.iter().enumerate().any(|(i, other)| {
                    let first = is_corner(other) && (depth(other), i) < mine;
                    first && is_beaten(&pair[k], other, triangle)
                });
            pair[k].doubtful = beaten;
        }
    }
    found.retain(|contact| !contact.doubtful);
}

/// Whether one of two contacts of a corner has no say beside the other, which is less deep.
fn is_beaten(contact: &Contact, other: &Contact, triangle: &dyn Fn(Spot) -> [Vec3; 3]) -> bool {
    if contact.normal.dot(other.normal) > SAME_PLANE {
        return true;
    }
    let Other::Surface(_) = contact.key.second else { return false };
    let (Some(mine), Some(its)) = (contact.second, other.second) else { return false };
    if contact.gap >= 0.0 {
        return false;
    }
    let [a, ..] = triangle(mine);
    let [p, q, r] = triangle(its);
    // the other face falls away behind this one: the edge between sticks out
    contact.normal.dot((p + q + r) / 3.0 - a) < 0.0
}
