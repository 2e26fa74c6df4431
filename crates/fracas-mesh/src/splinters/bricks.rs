//! Bricks in bond.

use std::collections::BTreeMap;

use fracas::glam::DVec3;

use crate::clip::{Partition, PartitionFace};

/// A part of a brick less than this share of its size is left to its neighbour.
const LEAST: f64 = 0.02;

/// How far the partition goes on beyond the bounds, over the size of a brick.
const BEYOND: f64 = 0.5;

/// Space in boxes from the lowest corner of the bounds on. Every other course begins half a length earlier.
pub(super) fn partition([low, high]: [DVec3; 2], size: DVec3) -> Partition {
    // halves of bricks along x, so that all vertices are in common
    let steps = DVec3::new(0.5 * size.x, size.y, size.z);
    let lines: [Vec<f64>; 3] = [0, 1, 2].map(|k| lines(low[k], high[k], steps[k], size[k]));
    let brick = |[i, j, k]: [usize; 3]| ((i + j % 2) / 2, j, k);
    let counts = lines.each_ref().map(|lines| lines.len() - 1);
    let mut numbers = BTreeMap::new();
    for at in cells(counts) {
        let next = numbers.len() as u32;
        numbers.entry(brick(at)).or_insert(next);
    }
    let number = |at: [usize; 3]| numbers.get(&brick(at)).copied().unwrap_or(0);
    let mut partition = Partition::default();
    let mut known = BTreeMap::new();
    for axis in 0..3 {
        let (along, across) = ((axis + 1) % 3, (axis + 2) % 3);
        for at in cells(counts).filter(|at| at[axis] > 0) {
            let mut before = at;
            before[axis] -= 1;
            let between = [number(before), number(at)];
            if between[0] == between[1] {
                continue;
            }
            let [a, b, c, d] = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| {
                let mut corner = at;
                corner[along] += i;
                corner[across] += j;
                *known.entry(corner).or_insert_with(|| {
                    let place = [0, 1, 2].map(|k| lines[k][corner[k]]);
                    partition.vertices.push(DVec3::from(place));
                    partition.vertices.len() as u32 - 1
                })
            });
            for corners in [[a, b, c], [a, c, d]] {
                partition.faces.push(PartitionFace { corners, between });
            }
        }
    }
    partition
}

/// Where bricks meet along an axis; the first and the last lie beyond the bounds.
fn lines(low: f64, high: f64, step: f64, size: f64) -> Vec<f64> {
    let mut lines = vec![low - BEYOND * size];
    let mut next = 1.0;
    while low + next * step < high - LEAST * size {
        lines.push(low + next * step);
        next += 1.0;
    }
    lines.push(high + BEYOND * size);
    lines
}

fn cells([x, y, z]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..x * y * z).map(move |k| [k % x, k / x % y, k / (x * y)])
}
