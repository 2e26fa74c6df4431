//! The tree of boxes: eight to a node, every level an array.

use super::order::{Point, halve};
use super::{Bounds, Item, NO_GROUP, Pair};
use crate::parallel::{Span, Workers};
use glam::DVec3;

/// Boxes per node.
pub(super) const WIDTH: usize = 8;

/// Steps along an axis: a quarter of the range of `i32`, so that differences do not overflow.
const STEPS: i32 = 1 << 30;

/// Growth of [`Tree::looseness`] at which the order is made anew.
const LOOSE: f64 = 1.25;

/// Items of which the usual size and place are taken.
const SAMPLES: usize = 255;

/// From metres to steps. Never changes the order of two coordinates, so boxes that meet in metres
/// meet in steps: in the same step counts as touching, and what lies outside is on the border.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    origin: DVec3,
    steps_per_metre: f64,
}

impl Frame {
    /// Around all items while a step is smaller than the usual item (1,000 km for items of 1 mm);
    /// else around the middle one, so that a runaway does not blur the others.
    fn around(items: &[Item]) -> Self {
        let all = items
            .iter()
            .map(|i| i.bounds().checked())
            .fold(Bounds::EMPTY, |a, b| Bounds { min: a.min.min(b.min), max: a.max.max(b.max) });
        let extent = (all.max - all.min).max_element();
        if extent.is_nan() || extent <= 0.0 {
            return Self::default();
        }
        let range = f64::from(STEPS);
        let usual = median(items, |b| (b.max - b.min).max_element()) * range;
        if usual <= 0.0 || extent <= usual {
            return Self { origin: all.min, steps_per_metre: range / extent };
        }
        let middle = [0, 1, 2].map(|k| median(items, |b| b.min[k]));
        let origin = DVec3::from_array(middle) - DVec3::splat(0.5 * usual);
        Self { origin, steps_per_metre: range / usual }
    }

    fn step(&self, x: f64, axis: usize) -> i32 {
        (((x - self.origin[axis]) * self.steps_per_metre) as i32).clamp(0, STEPS - 1)
    }

    fn lane(&self, bounds: &Bounds, group: u32) -> Lane {
        if !bounds.meets(bounds) {
            return Lane::EMPTY;
        }
        Lane {
            lo: [0, 1, 2].map(|k| self.step(bounds.min[k], k)),
            hi: [0, 1, 2].map(|k| self.step(bounds.max[k], k)),
            group,
        }
    }

    /// A box in metres that holds all whose steps are in `lane`; without end at the border.
    fn bounds(&self, lane: &Lane) -> Bounds {
        // one step more on either side than rounding can take
        let metres = |step: i32, k: usize| f64::from(step) / self.steps_per_metre + self.origin[k];
        let mut bounds = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        for k in 0..3 {
            if lane.lo[k] > 0 {
                bounds.min[k] = metres(lane.lo[k] - 1, k);
            }
            if lane.hi[k] < STEPS - 1 {
                bounds.max[k] = metres(lane.hi[k] + 2, k);
            }
        }
        bounds
    }
}

/// Median of `value` over a sample of the items; 0 if none is finite.
fn median(items: &[Item], value: impl Fn(&Bounds) -> f64) -> f64 {
    let mut sample = [0.0; SAMPLES];
    let mut count = 0;
    let bounds = items.iter().step_by(items.len().div_ceil(SAMPLES).max(1));
    for bounds in bounds.map(|i| i.bounds().checked()).filter(|b| b.meets(b)) {
        sample[count] = value(&bounds);
        count += 1;
    }
    if count == 0 {
        return 0.0;
    }
    *sample[..count].select_nth_unstable_by(count / 2, f64::total_cmp).1
}

/// One box of a node, in steps.
#[derive(Clone, Copy, Debug)]
struct Lane {
    lo: [i32; 3],
    hi: [i32; 3],
    /// Group of all items inside, or [`NO_GROUP`].
    group: u32,
}

impl Lane {
    /// Meets nothing, itself included.
    const EMPTY: Self = Self { lo: [STEPS; 3], hi: [-1; 3], group: NO_GROUP };

    fn is_empty(&self) -> bool {
        self.lo[0] > self.hi[0]
    }
}

/// Eight boxes side by side.
#[derive(Clone, Copy, Debug)]
struct Node {
    lo: [[i32; WIDTH]; 3],
    hi: [[i32; WIDTH]; 3],
    group: [u32; WIDTH],
}

impl Node {
    const EMPTY: Self =
        Self { lo: [[STEPS; WIDTH]; 3], hi: [[-1; WIDTH]; 3], group: [NO_GROUP; WIDTH] };

    fn lane(&self, l: usize) -> Lane {
        Lane {
            lo: [0, 1, 2].map(|k| self.lo[k][l]),
            hi: [0, 1, 2].map(|k| self.hi[k][l]),
            group: self.group[l],
        }
    }

    fn set(&mut self, l: usize, lane: Lane) {
        for k in 0..3 {
            self.lo[k][l] = lane.lo[k];
            self.hi[k][l] = lane.hi[k];
        }
        self.group[l] = lane.group;
    }

    /// The box around all eight.
    fn bound(&self) -> Lane {
        let mut filled = (0..WIDTH).filter(|&l| self.lo[0][l] <= self.hi[0][l]);
        let first = filled.next().map_or(NO_GROUP, |l| self.group[l]);
        let alike = filled.all(|l| self.group[l] == first);
        Lane {
            lo: self.lo.map(|lanes| lanes.into_iter().fold(STEPS, i32::min)),
            hi: self.hi.map(|lanes| lanes.into_iter().fold(-1, i32::max)),
            group: if alike { first } else { NO_GROUP },
        }
    }

    /// Which of the boxes meet `with`, as bits.
    ///
    /// Two intervals miss each other where `b.hi − a.lo` or `a.hi − b.lo` is negative, so the sign of
    /// all six differences or-ed together tells; there is no branch, and compilers make it SIMD.
    #[inline(always)]
    fn meeting(&self, with: &Lane) -> u32 {
        const BIT: [i32; WIDTH] = [1, 2, 4, 8, 16, 32, 64, 128];
        let mut signs = [0i32; WIDTH];
        for k in 0..3 {
            for l in 0..WIDTH {
                signs[l] |= with.hi[k].wrapping_sub(self.lo[k][l]);
                signs[l] |= self.hi[k][l].wrapping_sub(with.lo[k]);
            }
        }
        (0..WIDTH).fold(0, |bits, l| bits | (!(signs[l] >> 31) & BIT[l])) as u32
    }

    /// Size of the box around all against the sizes of the boxes in it; bounded, so that one node
    /// with two distant boxes does not hide all others.
    fn looseness(&self) -> f64 {
        let mut girths = [0.0f32; WIDTH];
        for k in 0..3 {
            for l in 0..WIDTH {
                girths[l] += (self.hi[k][l] - self.lo[k][l] + 1) as f32;
            }
        }
        // those of empty boxes are negative
        let inside: f32 = girths.into_iter().map(|girth| girth.max(0.0)).sum();
        let around = self.bound();
        let girth: f32 = (0..3).map(|k| (around.hi[k] - around.lo[k] + 1) as f32).sum();
        f64::from((girth / inside.max(1.0)).clamp(0.0, 16.0))
    }
}

/// Positions of the bits that are set, ascending.
fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let position = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (position < 32).then_some(position)
    })
}

/// Whether items of these groups, or mixtures of groups, may be paired.
fn may_meet(a: u32, b: u32) -> bool {
    a != b || a == NO_GROUP
}

/// The tree. Level 0 holds the boxes of items; there are always two levels at least.
#[derive(Debug, Default)]
pub(super) struct Tree {
    frame: Frame,
    /// Item at every place.
    order: Vec<u32>,
    /// Boxes at every place, eight to a leaf.
    bounds: Vec<[Bounds; WIDTH]>,
    /// `depth` of them are in use; the others are empty, kept for their memory.
    levels: Vec<Vec<Node>>,
    depth: usize,
    /// Looseness when the order was made.
    fresh: f64,
    /// Scratch.
    points: Vec<Point>,
}

impl Tree {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn update(&mut self, workers: &Workers, items: &[Item]) {
        self.frame = Frame::around(items);
        if self.order.len() == items.len() {
            self.fit(workers, items);
            if self.looseness(workers) <= LOOSE * self.fresh {
                return;
            }
        }
        self.reorder(workers, items);
        self.fit(workers, items);
        self.fresh = self.looseness(workers);
    }

    fn reorder(&mut self, workers: &Workers, items: &[Item]) {
        let frame = self.frame;
        self.points.clear();
        self.points.resize(items.len(), Point::default());
        workers.for_span(0..items.len(), &mut self.points[..], &|span, points| {
            for (point, i) in points.iter_mut().zip(span) {
                let lane = frame.lane(&items[i].bounds().checked(), NO_GROUP);
                let at = [0, 1, 2].map(|k| (lane.lo[k] + lane.hi[k]) / 2);
                *point = Point { at, item: i as u32 };
            }
        });
        halve(workers, &mut self.points);
        self.order.clear();
        self.order.extend(self.points.iter().map(|p| p.item));
    }

    /// Brings the boxes of all levels up to the items, in the order as it is.
    fn fit(&mut self, workers: &Workers, items: &[Item]) {
        let (frame, order) = (self.frame, &self.order);
        let leaves = items.len().div_ceil(WIDTH);
        self.depth = depth(leaves);
        if self.levels.len() < self.depth {
            self.levels.resize_with(self.depth, Vec::new);
        }
        self.bounds.clear();
        self.bounds.resize(leaves, [Bounds::EMPTY; WIDTH]);
        let mut count = leaves;
        for level in &mut self.levels {
            level.clear();
            level.resize(count, Node::EMPTY);
            count = if count > 1 { count.div_ceil(WIDTH) } else { 0 };
        }
        if leaves == 0 {
            return;
        }
        if leaves == 1 {
            self.levels[1].push(Node::EMPTY);
        }

        let columns = (&mut self.levels[0][..], &mut self.bounds[..]);
        workers.for_span(0..leaves, columns, &|span, (nodes, bounds)| {
            for ((node, bounds), leaf) in nodes.iter_mut().zip(bounds).zip(span) {
                for (l, &i) in order[leaf * WIDTH..].iter().take(WIDTH).enumerate() {
                    let item = &items[i as usize];
                    bounds[l] = item.bounds().checked();
                    node.set(l, frame.lane(&bounds[l], item.group));
                }
            }
        });
        for level in 1..self.depth {
            let (below, nodes) = self.levels.split_at_mut(level);
            let (below, nodes) = (&below[level - 1], &mut nodes[0][..]);
            workers.for_span(0..nodes.len(), nodes, &|span, nodes| {
                for (node, i) in nodes.iter_mut().zip(span) {
                    for (l, child) in below[i * WIDTH..].iter().take(WIDTH).enumerate() {
                        node.set(l, child.bound());
                    }
                }
            });
        }
    }

    /// Mean looseness of the two lowest levels; above them are too few nodes to matter.
    fn looseness(&self, workers: &Workers) -> f64 {
        let mean = |nodes: &[Node]| {
            let part = |span: Span| nodes[span].iter().map(Node::looseness).sum::<f64>();
            workers.sum(0..nodes.len(), &part) / nodes.len().max(1) as f64
        };
        self.levels.iter().take(2).map(|nodes| mean(nodes)).sum()
    }

    /// Number of nodes whose pairs can be searched by themselves.
    pub(super) fn task_nodes(&self) -> usize {
        self.levels.get(1).map_or(0, Vec::len)
    }

    pub(super) fn in_box(&self, bounds: &Bounds, found: &mut Vec<u32>) {
        let lane = self.frame.lane(bounds, NO_GROUP);
        self.visit(&|node| node.meeting(&lane), &|b| b.meets(bounds), found);
    }

    pub(super) fn along(&self, from: DVec3, to: DVec3, half: DVec3, found: &mut Vec<u32>) {
        let meets =
            |b: &Bounds| Bounds { min: b.min - half, max: b.max + half }.meets_segment(from, to);
        let boxes = |node: &Node| {
            (0..WIDTH).fold(0, |bits, l| {
                let lane = node.lane(l);
                bits | (u32::from(!lane.is_empty() && meets(&self.frame.bounds(&lane))) << l)
            })
        };
        self.visit(&boxes, &meets, found);
    }

    /// Items that `meets` tells, among those in boxes that `open` tells as bits of their node.
    fn visit(
        &self,
        open: &impl Fn(&Node) -> u32,
        meets: &impl Fn(&Bounds) -> bool,
        found: &mut Vec<u32>,
    ) {
        if self.depth > 0 {
            self.visit_below(self.depth - 1, 0, open, meets, found);
        }
    }

    fn visit_below(
        &self,
        level: usize,
        node: usize,
        open: &impl Fn(&Node) -> u32,
        meets: &impl Fn(&Bounds) -> bool,
        found: &mut Vec<u32>,
    ) {
        for l in ones(open(&self.levels[level][node])) {
            let child = node * WIDTH + l;
            if level > 0 {
                self.visit_below(level - 1, child, open, meets, found);
            } else if meets(&self.bounds[node][l]) {
                found.push(self.order[child]);
            }
        }
    }
}

/// Levels over `leaves` leaves.
fn depth(leaves: usize) -> usize {
    let (mut levels, mut count) = (usize::from(leaves > 0), leaves);
    while count > 1 {
        count = count.div_ceil(WIDTH);
        levels += 1;
    }
    if leaves == 1 { 2 } else { levels }
}

/// Search for pairs in a tree.
pub(super) struct Search<'a, K> {
    pub(super) tree: &'a Tree,
    pub(super) keep: &'a K,
    pub(super) found: &'a mut Vec<Pair>,
}

impl<K: Fn(u32, u32) -> bool> Search<'_, K> {
    /// Pairs between node `a` of level 1 and itself and those after it.
    pub(super) fn pairs_of(&mut self, a: usize) {
        let around = self.tree.levels[1][a].bound();
        self.descend(self.tree.depth - 1, 0, a, &around);
    }

    fn descend(&mut self, level: usize, node: usize, a: usize, around: &Lane) {
        if level == 1 {
            return self.nodes(a, node, around);
        }
        let tree = self.tree;
        let here = &tree.levels[level][node];
        for l in ones(here.meeting(around)) {
            let child = node * WIDTH + l;
            // the last node of level 1 below the child
            let last = ((child + 1) << (WIDTH.ilog2() as usize * (level - 2))) - 1;
            if last >= a && may_meet(here.group[l], around.group) {
                self.descend(level - 1, child, a, around);
            }
        }
    }

    /// Pairs between nodes `a` and `b` of level 1.
    fn nodes(&mut self, a: usize, b: usize, around: &Lane) {
        let (node, other) = (&self.tree.levels[1][a], &self.tree.levels[1][b]);
        let near = if a == b { node.meeting(around) } else { node.meeting(&other.bound()) };
        for l in ones(near) {
            let lane = node.lane(l);
            let after = if a == b { !0 << l } else { !0 };
            for m in ones(other.meeting(&lane) & after) {
                if may_meet(lane.group, other.group[m]) {
                    self.leaves(a * WIDTH + l, b * WIDTH + m, &lane, &other.lane(m));
                }
            }
        }
    }

    /// Pairs between leaves `a` and `b`, whose boxes are given.
    fn leaves(&mut self, a: usize, b: usize, around_a: &Lane, around_b: &Lane) {
        let (leaf, other) = (&self.tree.levels[0][a], &self.tree.levels[0][b]);
        if a == b {
            for l in 0..WIDTH {
                self.lanes(a, l, b, leaf.meeting(&leaf.lane(l)) & (!0 << l << 1));
            }
            return;
        }
        let near_b = other.meeting(around_a);
        if near_b == 0 {
            return;
        }
        let near_a = leaf.meeting(around_b);
        if near_a.count_ones() <= near_b.count_ones() {
            for l in ones(near_a) {
                self.lanes(a, l, b, other.meeting(&leaf.lane(l)) & near_b);
            }
        } else {
            for m in ones(near_b) {
                self.lanes(b, m, a, leaf.meeting(&other.lane(m)) & near_a);
            }
        }
    }

    /// Item `l` of leaf `a` with those items of leaf `b` that `bits` tells.
    #[inline(always)]
    fn lanes(&mut self, a: usize, l: usize, b: usize, bits: u32) {
        let tree = self.tree;
        for m in ones(bits) {
            let groups = (tree.levels[0][a].group[l], tree.levels[0][b].group[m]);
            if !may_meet(groups.0, groups.1) || !tree.bounds[a][l].meets(&tree.bounds[b][m]) {
                continue;
            }
            let (i, j) = (tree.order[a * WIDTH + l], tree.order[b * WIDTH + m]);
            let pair = (i.min(j), i.max(j));
            if (self.keep)(pair.0, pair.1) {
                self.found.push(pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    impl Tree {
        pub(in super::super) fn capacities(&self) -> impl Iterator<Item = usize> {
            let levels = self.levels.iter().map(Vec::capacity);
            levels.chain([self.order.capacity(), self.bounds.capacity(), self.points.capacity()])
        }
    }

    /// Chips of 2 mm on a lattice of 5 mm, 15 to an edge.
    fn chips() -> Vec<Item> {
        let place = |i: usize| DVec3::new((i % 15) as f64, (i / 15 % 15) as f64, (i / 225) as f64);
        let item = |i| Item { centre: place(i) * 0.005, half: Vec3::splat(0.001), group: NO_GROUP };
        (0..3_375).map(item).collect()
    }

    #[test]
    fn runaways_do_not_blur_the_others() {
        for far in [0.0, 1e3, 1e6, 1e9, 1e30, 1e300, f64::MAX] {
            let mut items = chips();
            items[3].centre.x = far;
            items[4].centre.y = -far;
            let frame = Frame::around(&items);
            for item in &items[5..] {
                let lane = frame.lane(&item.bounds(), NO_GROUP);
                let steps = f64::from(lane.hi[0] - lane.lo[0]);
                assert!(steps >= 1.0, "{far}: a chip of {steps} steps");
            }
        }
    }

    /// The order stays while things move together, and is made anew when it no longer fits.
    #[test]
    fn the_order_is_kept_while_it_is_good() {
        let workers = Workers::default();
        let mut tree = Tree::default();
        let mut items = chips();
        tree.update(&workers, &items);
        let (order, fresh) = (tree.order.clone(), tree.fresh);
        for item in &mut items {
            item.centre += DVec3::new(3.0, -9.0, 1e4);
        }
        tree.update(&workers, &items);
        assert_eq!(tree.order, order, "moved together");

        let count = items.len();
        let shuffled: Vec<Item> = (0..count).map(|i| items[i * 1_009 % count]).collect();
        tree.update(&workers, &shuffled);
        assert_ne!(tree.order, order);
        assert!(tree.looseness(&workers) < 1.1 * fresh, "as good as new");

        // leaves stay as they are, but no longer lie beside each other
        let leaf_of: Vec<usize> = (0..count)
            .map(|i| tree.order.iter().position(|&o| o as usize == i).unwrap_or(0) / WIDTH)
            .collect();
        let mut blown = shuffled.clone();
        for (item, leaf) in blown.iter_mut().zip(leaf_of) {
            item.centre +=
                DVec3::new((leaf * 97 % 211) as f64, (leaf * 31 % 101) as f64, 0.0) * 0.1;
        }
        tree.update(&workers, &blown);
        assert!(tree.looseness(&workers) <= LOOSE * tree.fresh);
        let mut new = Tree::default();
        new.update(&workers, &blown);
        assert!(tree.looseness(&workers) <= LOOSE * new.fresh, "blown apart");
    }
}
