//! Skins that have to be closed.

use std::collections::BTreeMap;

use fracas::glam::DVec3;
use fracas::skin::Skinned;

/// Volume inside triangles that have to be closed, in m³.
pub fn volume(skinned: &Skinned) -> f64 {
    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    let mut volume = 0.0;
    for corners in &skinned.triangles {
        let points = corners.map(|v| skinned.positions[v as usize]);
        let [a, b, c] = points.map(|x| DVec3::from(x.map(f64::from)));
        volume += a.dot(b.cross(c)) / 6.0;
        let [i, j, k] = points.map(|x| x.map(f32::to_bits));
        // two corners may be rounded to one place
        for (from, to) in [(i, j), (j, k), (k, i)].into_iter().filter(|(from, to)| from != to) {
            *edges.entry((from.min(to), from.max(to))).or_default() +=
                if from < to { 1 } else { -1 };
        }
    }
    assert!(edges.values().all(|&sum| sum == 0), "the skin is not closed");
    volume
}
