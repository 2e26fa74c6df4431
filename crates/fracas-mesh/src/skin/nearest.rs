//! The nearest of many points.

use fracas::glam::Vec3;

/// Finds the nearest of many points: a tree that halves them along their longest extent.
pub(super) struct NearestPoint {
    /// In the order of the tree: the middle of a range divides it.
    points: Vec<(Vec3, u32)>,
    /// The axis along which the range around a point was divided, by its place.
    axes: Vec<u8>,
}

impl NearestPoint {
    pub fn new(points: impl Iterator<Item = Vec3>) -> Self {
        let mut points: Vec<(Vec3, u32)> = points.zip(0..).collect();
        let mut axes = vec![0; points.len()];
        divide(&mut points, &mut axes);
        Self { points, axes }
    }

    /// Number of the nearest point, the lowest of several; `None` if there are none.
    pub fn of(&self, at: Vec3) -> Option<u32> {
        let mut best = (f32::INFINITY, u32::MAX);
        self.search(0..self.points.len(), at, &mut best);
        (best.1 != u32::MAX).then_some(best.1)
    }

    fn search(&self, range: std::ops::Range<usize>, at: Vec3, best: &mut (f32, u32)) {
        if range.is_empty() {
            return;
        }
        let middle = range.start + range.len() / 2;
        let (point, number) = self.points[middle];
        let found = (point.distance_squared(at), number);
        if found < *best {
            *best = found;
        }
        let axis = usize::from(self.axes[middle]);
        let off = at[axis] - point[axis];
        let (below, above) = (range.start..middle, middle + 1..range.end);
        let (near, far) = if off < 0.0 { (below, above) } else { (above, below) };
        self.search(near, at, best);
        if off * off <= best.0 {
            self.search(far, at, best);
        }
    }
}

fn divide(points: &mut [(Vec3, u32)], axes: &mut [u8]) {
    if points.len() < 2 {
        return;
    }
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = points.iter().fold(start, |(low, high), p| (low.min(p.0), high.max(p.0)));
    let axis = (high - low).max_position();
    let middle = points.len() / 2;
    points
        .select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    axes[middle] = axis as u8;
    let (below, above) = points.split_at_mut(middle);
    let (axes_below, axes_above) = axes.split_at_mut(middle);
    divide(below, axes_below);
    divide(&mut above[1..], &mut axes_above[1..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::signed;

    /// Against a search through all, with points that coincide and places far outside.
    #[test]
    fn the_tree_finds_the_nearest_point() {
        let random = |i: u64, k: u64| (4.0 * signed(7, &[i, k])).round() as f32 * 0.25;
        let fine = |i: u64, k: u64| 1.5 * signed(8, &[i, k]) as f32;
        for count in [0, 1, 2, 3, 100, 500] {
            let point = |i| Vec3::from([0, 1, 2].map(|k| random(i, k)));
            let points: Vec<Vec3> = (0..count).map(point).collect();
            let tree = NearestPoint::new(points.iter().copied());
            for i in 0..200 {
                let at = Vec3::from([0, 1, 2].map(|k| fine(i, k)));
                let all = points.iter().zip(0..).map(|(p, i)| (at.distance_squared(*p), i));
                let truth = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                assert_eq!(tree.of(at), truth.map(|(_, i)| i));
            }
        }
    }
}
