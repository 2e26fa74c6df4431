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
/// `triangle` tells where the corners are that carry a point.
pub fn keep_true(
    found: &mut Vec<Contact>,
    known: [&[Contact]; 2],
    triangle: &dyn Fn(Spot) -> [Vec3; 3],
) {
    let is_known = |contact: &Contact| {
        known.iter().any(|list| list.binary_search_by_key(&contact.key, |c| c.key).is_ok())
    };
    found.dedup_by_key(|contact| contact.key);
    found.retain(|contact| !contact.doubtful || is_known(contact));
    let is_corner = |c: &Contact| c.size > 0.0 && !c.first.anchor.is_shared();
    let (mut kept, mut start) = (0, 0);
    while start < found.len() {
        let pair = found[start].key.pair();
        let end = start + found[start..].iter().take_while(|c| c.key.pair() == pair).count();
        let group = start..end;
        start = end;
        for k in group.clone() {
            let contact = found[k];
            let beaten = group.len() > 1 && is_corner(&contact) && {
                let depth = |c: &Contact| -c.gap * if is_known(c) { 0.5 } else { 1.0 };
                group.clone().any(|i| {
                    // those before have moved down already, but not changed places among each other
                    let other = &found[i];
                    i != k && is_corner(other) && {
                        let first = (depth(other), i) < (depth(&contact), k);
                        first && is_beaten(&contact, other, triangle)
                    }
                })
            };
            if beaten {
                found[k].size = -1.0;
            }
        }
        for k in group {
            if found[k].size >= 0.0 {
                found[kept] = found[k];
                kept += 1;
            }
        }
    }
    found.truncate(kept);
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
