//! Labels that spread from segments over all that hangs together.

use fracas::sets::Sets;

use super::ClipError;
use super::patch::Part;

/// A side of a part: its edge, the lower vertex first; the part; whether it runs from the lower.
type Side = ([u32; 2], u32, bool);

/// The label of each part. Parts with a common edge have the same, but for walls: directed edges,
/// each with the label to its left and the one to its right. Of those that hang together and touch
/// no wall, `ask` knows the label; `conflict` tells of two labels for the same.
pub(super) fn spread(
    parts: &[Part],
    walls: impl Iterator<Item = ([u32; 2], u32, u32)>,
    conflict: impl Fn(&Part, [u32; 2]) -> ClipError,
    ask: impl Fn(&Part) -> Result<u32, ClipError>,
) -> Result<Vec<u32>, ClipError> {
    let walls = both_ways(walls);
    let mut sets = Sets::new(parts.len());
    let mut known = Vec::with_capacity(walls.len());
    for same in sides(parts).chunk_by(|a, b| a.0 == b.0) {
        if label_of(&walls, directed(&same[0])).is_some() {
            known.extend(
                same.iter().filter_map(|side| Some((side.1, label_of(&walls, directed(side))?))),
            );
        } else {
            same.windows(2).for_each(|pair| sets.join(pair[0].1, pair[1].1));
        }
    }
    let mut labels = vec![None; parts.len()];
    for (part, label) in known {
        let before = labels[sets.find(part) as usize].replace(label);
        if let Some(before) = before.filter(|&before| before != label) {
            return Err(conflict(&parts[part as usize], [before.min(label), before.max(label)]));
        }
    }
    let mut label = |(part, i): (&Part, u32)| {
        let label = &mut labels[sets.find(i) as usize];
        Ok(match *label {
            Some(label) => label,
            None => *label.insert(ask(part)?),
        })
    };
    parts.iter().zip(0..).map(&mut label).collect()
}

/// Each wall as seen from either side: its directed edge with the label to the left, in order.
fn both_ways(walls: impl Iterator<Item = ([u32; 2], u32, u32)>) -> Vec<([u32; 2], u32)> {
    let mut both: Vec<_> =
        walls.flat_map(|([a, b], left, right)| [([a, b], left), ([b, a], right)]).collect();
    both.sort_unstable();
    both
}

fn label_of(walls: &[([u32; 2], u32)], edge: [u32; 2]) -> Option<u32> {
    let found = walls.binary_search_by_key(&edge, |wall| wall.0).ok()?;
    Some(walls[found].1)
}

fn directed(&([low, high], _, forward): &Side) -> [u32; 2] {
    if forward { [low, high] } else { [high, low] }
}

/// All sides of all parts, those of an edge together.
fn sides(parts: &[Part]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * parts.len());
    for (part, number) in parts.iter().zip(0..) {
        let [a, b, c] = part.corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            sides.push(([from.min(to), from.max(to)], number, from < to));
        }
    }
    sides.sort_unstable();
    sides
}
