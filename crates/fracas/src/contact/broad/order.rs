//! Items in an order in which neighbours in space are neighbours in the row.

use super::tree::WIDTH;
use crate::parallel::Workers;

/// Items below which a part is not ordered by a task of its own.
const TASK: usize = 2048;

/// Centre of a box, in steps of the tree, and whose it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    pub(super) at: [i32; 3],
    pub(super) item: u32,
}

/// Halves `points` along their longest axis, then each half, down to the leaves.
///
/// The first half is a power of two of leaves, so that every node of every level holds one part of
/// the halving (a k-d tree, laid out from the left).
pub(super) fn halve(workers: &Workers, points: &mut [Point]) {
    if points.len() <= WIDTH {
        return;
    }
    let axis = longest_axis(points);
    let middle = points.len().div_ceil(WIDTH).next_power_of_two() / 2 * WIDTH;
    points.select_nth_unstable_by_key(middle, |p| p.at[axis]);
    let parallel = points.len() > TASK;
    let (a, b) = points.split_at_mut(middle);
    if parallel {
        workers.join(|| halve(workers, a), || halve(workers, b));
    } else {
        halve(workers, a);
        halve(workers, b);
    }
}

fn longest_axis(points: &[Point]) -> usize {
    let (mut lo, mut hi) = ([i32::MAX; 3], [i32::MIN; 3]);
    for point in points {
        for k in 0..3 {
            lo[k] = lo[k].min(point.at[k]);
            hi[k] = hi[k].max(point.at[k]);
        }
    }
    let length = |k: usize| hi[k] - lo[k];
    (1..3).fold(0, |best, k| if length(k) > length(best) { k } else { best })
}
