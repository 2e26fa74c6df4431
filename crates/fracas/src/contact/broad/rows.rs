//! Pairs brought into ascending order.

use super::Pair;
use crate::parallel::{Columns, Workers};

/// Pairs of consecutive first items; `ends` are where those of each item end, counted from the
/// first pair of all.
struct Rows<'a> {
    pairs: &'a mut [Pair],
    ends: &'a [usize],
    start: usize,
}

impl Columns for Rows<'_> {
    fn split_at(self, i: usize) -> (Self, Self) {
        let middle = if i == 0 { self.start } else { self.ends[i - 1] };
        let (a, b) = self.pairs.split_at_mut(middle - self.start);
        let (ends_a, ends_b) = self.ends.split_at(i);
        (
            Rows { pairs: a, ends: ends_a, start: self.start },
            Rows { pairs: b, ends: ends_b, start: middle },
        )
    }
}

/// Sorts what was found into `pairs`: by counting for the first item, then each row.
///
/// `items` is the number of items; `ends` is scratch.
pub(super) fn gather(
    workers: &Workers,
    items: usize,
    found: impl Iterator<Item = Pair> + Clone,
    ends: &mut Vec<usize>,
    pairs: &mut Vec<Pair>,
) {
    ends.clear();
    ends.resize(items, 0);
    for (i, _) in found.clone() {
        ends[i as usize] += 1;
    }
    // from counts to starts; filling moves each start to its end
    let mut total = 0;
    for end in ends.iter_mut() {
        total += std::mem::replace(end, total);
    }
    pairs.clear();
    pairs.resize(total, (0, 0));
    for pair in found {
        let place = &mut ends[pair.0 as usize];
        pairs[*place] = pair;
        *place += 1;
    }
    workers.for_span(0..items, Rows { pairs, ends, start: 0 }, &|_, rows: Rows<'_>| {
        let (mut rest, mut start) = (rows.pairs, rows.start);
        for &end in rows.ends {
            let (row, after) = rest.split_at_mut(end - start);
            row.sort_unstable_by_key(|&(_, j)| j);
            (rest, start) = (after, end);
        }
    });
}
