//! The bodies of an island, handed out to threads.

use super::{Part, Side};
use crate::parallel::{Columns, Workers};
use std::ops::Add;

/// Particles below which a row of bodies is not cut further: a pass over them takes a few µs.
const FEW: usize = 300;

/// Calls `work(body, its parts, its columns)` for every body that has parts, and returns the sum.
///
/// `sides` begin with the body of index `base`; `columns` begin with the first unknown of the parts.
/// Where the row is cut depends on the parts alone.
pub(super) fn each_side<S: Side, C: Columns, T: Send + Default + Add<Output = T>>(
    workers: &Workers,
    sides: &mut [S],
    base: usize,
    parts: &[Part],
    columns: C,
    work: &(impl Fn(&mut S, &[Part], C) -> T + Sync),
) -> T {
    let [first, .., last] = parts else {
        let one = |part: &Part| work(&mut sides[part.side - base], parts, columns);
        return parts.first().map_or_else(T::default, one);
    };
    if first.side == last.side {
        return work(&mut sides[first.side - base], parts, columns);
    }
    let end = last.places().end;
    let middle = (first.first + end) / 2;
    // between two bodies, near the middle
    let side = parts[parts.partition_point(|part| part.places().end <= middle)].side;
    let cut = match parts.partition_point(|part| part.side < side) {
        0 => parts.partition_point(|part| part.side == side),
        cut => cut,
    };
    let (parts_a, parts_b) = parts.split_at(cut);
    let next = &parts_b[0];
    let (sides_a, sides_b) = sides.split_at_mut(next.side - base);
    let (columns_a, columns_b) = columns.split_at(next.first - first.first);
    let a = || each_side(workers, sides_a, base, parts_a, columns_a, work);
    let b = || each_side(workers, sides_b, next.side, parts_b, columns_b, work);
    let (a, b) = if end - first.first > FEW { workers.join(a, b) } else { (a(), b()) };
    a + b
}
