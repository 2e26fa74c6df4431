#![allow(clippy::unwrap_used, reason = "tests")]
use super::*;
use proptest::prelude::*;

/// Numbers from a seed (xorshift), in 0..1.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// How to fill a scene.
#[derive(Clone, Debug)]
struct Scene {
    seed: u64,
    count: usize,
    /// Edge of the region, in m.
    region: f64,
    origin: f64,
    /// Sizes range over this factor.
    sizes: f64,
    /// Coordinates on a lattice of this spacing, where many boxes touch exactly; 0 for none.
    lattice: f64,
    groups: u32,
    /// One in so many is not finite or inside out; 0 for none.
    bad: usize,
}

fn scenes() -> impl Strategy<Value = Scene> {
    let places = prop::sample::select(vec![0.0, -3.0, 1e6, -1e6, 1e9]);
    let lattices = prop::sample::select(vec![0.0, 0.5]);
    let sizes = prop::sample::select(vec![1.0, 10.0, 1000.0]);
    let regions = prop::sample::select(vec![0.0, 1.0, 10.0, 1e3, 1e6]);
    (any::<u64>(), 0..700usize, regions, places, sizes, lattices, 1..9u32, 0..9usize).prop_map(
        |(seed, count, region, origin, sizes, lattice, groups, bad)| Scene {
            seed,
            count,
            region,
            origin,
            sizes,
            lattice,
            groups,
            bad,
        },
    )
}

impl Scene {
    fn items(&self) -> Vec<Item> {
        let mut random = Random::new(self.seed);
        let snap = |x: f64| match self.lattice {
            0.0 => x,
            spacing => (x / spacing).round() * spacing,
        };
        let mut item = |i: usize| {
            let local = (random.point() - DVec3::splat(0.5)) * self.region;
            let size = 0.5 * self.sizes.powf(random.next());
            let half = (random.point() * 0.5 + 0.5) * size;
            let mut item = Item {
                centre: [0, 1, 2].map(|k| snap(self.origin + local[k])).into(),
                half: [0, 1, 2].map(|k| snap(half[k]) as f32).into(),
                group: match (random.next() * f64::from(self.groups)) as u32 {
                    0 => NO_GROUP,
                    group => group,
                },
            };
            if self.bad > 0 && i.is_multiple_of(self.bad) {
                match i / self.bad % 5 {
                    0 => item.centre.y = f64::NAN,
                    1 => item.half.z = f32::NAN,
                    2 => item.centre.x = f64::INFINITY,
                    3 => item.half.x = f32::INFINITY,
                    _ => item.half.y = -1e-3,
                }
            }
            item
        };
        (0..self.count).map(&mut item).collect()
    }
}

/// Smallest and largest coordinate along an axis; none if that is no interval.
fn interval(item: &Item, axis: usize) -> Option<(f64, f64)> {
    let (c, h) = (item.centre[axis], f64::from(item.half[axis]));
    ((c - h).is_finite() && (c + h).is_finite() && h >= 0.0).then_some((c - h, c + h))
}

fn meet(a: &Item, b: &Item) -> bool {
    (0..3).all(|k| match (interval(a, k), interval(b, k)) {
        (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
        _ => false,
    })
}

/// Every item with every other.
fn all_pairs(items: &[Item], keep: impl Fn(u32, u32) -> bool) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, a) in items.iter().enumerate() {
        for (j, b) in items.iter().enumerate().skip(i + 1) {
            let apart = a.group == b.group && a.group != NO_GROUP;
            if !apart && meet(a, b) && keep(i as u32, j as u32) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

fn find(broad: &mut Broad, workers: &Workers, items: &[Item]) -> Vec<Pair> {
    let mut pairs = vec![(7, 7)];
    workers.enter(|| {
        broad.update(workers, items);
        broad.find_pairs(workers, &|_, _| true, &mut pairs);
    });
    pairs
}

/// A loose heap of boxes that overlap about five others each.
fn heap(count: usize, seed: u64) -> Vec<Item> {
    let mut random = Random::new(seed);
    let edge = (count as f64).cbrt();
    let mut item = |_| Item {
        centre: random.point() * edge,
        half: (random.point() * 0.3 + 0.4).as_vec3(),
        group: NO_GROUP,
    };
    (0..count).map(&mut item).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pairs_are_those_of_trying_all(scene in scenes(), modulus in 1..5u32) {
        let items = scene.items();
        let keep = |i: u32, j: u32| (i + j).is_multiple_of(modulus);
        let (mut broad, mut pairs) = (Broad::default(), Vec::new());
        let workers = Workers::default();
        broad.update(&workers, &items);
        broad.find_pairs(&workers, &|i, j| { assert!(i < j); keep(i, j) }, &mut pairs);
        prop_assert_eq!(pairs, all_pairs(&items, keep));
    }

    /// The order of an earlier scene, of any scene, is as good as a new one.
    #[test]
    fn history_does_not_show(first in scenes(), second in scenes()) {
        let mut broad = Broad::default();
        let workers = Workers::default();
        find(&mut broad, &workers, &first.items());
        let mut second = second;
        second.count = first.count;
        let items = second.items();
        prop_assert_eq!(find(&mut broad, &workers, &items), all_pairs(&items, |_, _| true));
    }

    #[test]
    fn box_queries_are_those_of_trying_all(scene in scenes(), probe in scenes()) {
        let items = scene.items();
        let mut broad = Broad::default();
        broad.update(&Workers::default(), &items);
        let mut found = vec![7];
        for mut probe in (Scene { origin: scene.origin, count: 20, bad: 0, ..probe }).items() {
            probe.group = NO_GROUP;
            broad.in_box(&probe.bounds(), &mut found);
            let all = (0..items.len()).filter(|&i| meet(&items[i], &probe));
            prop_assert_eq!(&found, &all.map(|i| i as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn segment_queries_are_those_of_trying_all(scene in scenes(), seed in any::<u64>()) {
        let scene = Scene { lattice: 0.0, region: scene.region.max(1.0), ..scene };
        let items = scene.items();
        let mut broad = Broad::default();
        broad.update(&Workers::default(), &items);
        let mut random = Random::new(seed);
        let mut found = vec![7];
        for _ in 0..20 {
            let mut end = || (random.point() * 1.5 - 0.75) * scene.region + scene.origin;
            let (from, to) = (end(), end());
            let half = (random.point() * 0.5).as_vec3();
            broad.along(from, to, half, &mut found);
            let all = (0..items.len()).filter(|&i| segment_meets(&items[i], half, from, to));
            prop_assert_eq!(&found, &all.map(|i| i as u32).collect::<Vec<_>>());
        }
    }
}

/// Segment against grown box by separating axes (Ericson, Real-Time Collision Detection, 5.3.3):
/// nothing in common with slabs.
fn segment_meets(item: &Item, grown: Vec3, from: DVec3, to: DVec3) -> bool {
    if (0..3).any(|k| interval(item, k).is_none()) {
        return false;
    }
    let extent = (item.half.as_dvec3() + grown.as_dvec3()).to_array();
    let middle = (0.5 * (from + to) - item.centre).to_array();
    let half = (0.5 * (to - from)).to_array();
    (0..3).all(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        middle[k].abs() <= extent[k] + half[k].abs()
            && (middle[i] * half[j] - middle[j] * half[i]).abs()
                <= extent[i] * half[j].abs() + extent[j] * half[i].abs()
    })
}

/// Eight boxes of a cube of edge 2 around the origin share its middle; their outer faces touch
/// a ninth and the corner of a tenth; a gap of one bit of f64 parts the eleventh.
#[test]
fn touching_is_meeting_and_one_bit_apart_is_not() {
    let half = Vec3::splat(0.5);
    let at = |x, y, z| Item { centre: DVec3::new(x, y, z), half, group: NO_GROUP };
    let mut items: Vec<Item> = (0..8)
        .map(|i| {
            let side = |bit: i32| if i & bit == 0 { -0.5 } else { 0.5 };
            at(side(1), side(2), side(4))
        })
        .collect();
    items.push(at(1.5, 0.5, 0.5));
    items.push(at(2.5, 1.5, 1.5));
    items.push(at(-1.5f64.next_up(), 0.0, 0.0));
    items[10].centre.x = (-1.5f64).next_down();
    let pairs = find(&mut Broad::default(), &Workers::default(), &items);
    let of = |i: u32| pairs.iter().filter(|p| p.0 == i || p.1 == i).count();
    assert_eq!(pairs.iter().filter(|p| p.1 < 8).count(), 28, "all of the cube meet at its middle");
    assert_eq!(of(8), 5, "four of the cube, and the tenth");
    assert_eq!(of(9), 1, "touches a corner");
    assert_eq!(of(10), 0, "one bit away: {pairs:?}");
}

#[test]
fn a_large_heap_over_time_is_that_of_trying_all_for_any_thread_count() {
    let mut items = heap(3_000, 5);
    items[17] =
        Item { centre: DVec3::splat(7.0), half: Vec3::new(500.0, 0.1, 500.0), group: NO_GROUP };
    let threads = [1, 2, 3].map(|threads| Workers::new(threads).unwrap());
    let mut broads = [Broad::default(), Broad::default(), Broad::default()];
    // each one goes its own way, and all of them apart
    let mut random = Random::new(9);
    let ways: Vec<DVec3> = items.iter().map(|_| random.point() - DVec3::splat(0.5)).collect();
    for round in 0..8 {
        let right = all_pairs(&items, |_, _| true);
        assert!(right.len() > 6_000, "{} pairs", right.len());
        for (broad, workers) in broads.iter_mut().zip(&threads) {
            assert_eq!(find(broad, workers, &items), right, "round {round}");
        }
        for (item, way) in items.iter_mut().zip(&ways) {
            item.centre = item.centre * 1.02 + *way;
        }
        if round == 5 {
            items.reverse();
        }
    }
}

/// The worst that there is: all in one place. All pairs are right, and none twice.
#[test]
fn coincident_items_all_meet() {
    let item = Item { centre: DVec3::splat(-4e5), half: Vec3::splat(0.01), group: NO_GROUP };
    let items = vec![item; 600];
    let pairs = find(&mut Broad::default(), &Workers::default(), &items);
    assert_eq!(pairs, all_pairs(&items, |_, _| true));
    assert_eq!(pairs.len(), 600 * 599 / 2);
    let points = vec![Item { half: Vec3::ZERO, ..item }; 100];
    assert_eq!(find(&mut Broad::default(), &Workers::default(), &points).len(), 100 * 99 / 2);
}

#[test]
fn bad_questions_find_nothing_and_endless_ones_all() {
    let mut broad = Broad::default();
    let mut found = vec![7];
    let whole = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
    broad.in_box(&whole, &mut found);
    broad.along(DVec3::ZERO, DVec3::X, Vec3::ONE, &mut found);
    assert!(found.is_empty(), "no items yet");
    broad.update(&Workers::default(), &heap(100, 1));
    broad.in_box(&whole, &mut found);
    assert_eq!(found, (0..100).collect::<Vec<_>>());
    broad.in_box(&Bounds { min: DVec3::NAN, max: DVec3::INFINITY }, &mut found);
    assert!(found.is_empty());
    broad.in_box(&Bounds { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY }, &mut found);
    assert!(found.is_empty());
    broad.along(DVec3::NAN, DVec3::X, Vec3::ONE, &mut found);
    assert!(found.is_empty());
    broad.along(DVec3::ZERO, DVec3::X, Vec3::NAN, &mut found);
    assert!(found.is_empty());
}

/// Segments along an axis, through faces, and of no length.
#[test]
fn segments_along_axes_touch_faces() {
    let items = [0.0, 2.0, 4.0].map(|x| Item {
        centre: DVec3::new(1e6 + x, -5.0, 0.0),
        half: Vec3::splat(0.5),
        group: NO_GROUP,
    });
    let mut broad = Broad::default();
    broad.update(&Workers::default(), &items);
    let along = |from: [f64; 3], to: [f64; 3], half: f32| {
        let (mut found, place) = (Vec::new(), DVec3::new(1e6, -5.0, 0.0));
        let (from, to) = (place + DVec3::from(from), place + DVec3::from(to));
        broad.along(from, to, Vec3::splat(half), &mut found);
        found
    };
    assert_eq!(along([-9.0, 0.0, 0.0], [9.0, 0.0, 0.0], 0.0), [0, 1, 2]);
    assert_eq!(along([-9.0, 0.0, 0.0], [1.5, 0.0, 0.0], 0.0), [0, 1], "ends on a face");
    assert_eq!(along([-9.0, 0.5, 0.0], [1.25, 0.5, 0.0], 0.0), [0], "slides along a face");
    assert_eq!(along([-9.0, 0.75, 0.0], [9.0, 0.75, 0.0], 0.0), [0; 0]);
    assert_eq!(
        along([-9.0, 0.75, 0.0], [9.0, 0.75, 0.0], 0.25),
        [0, 1, 2],
        "grown until it touches"
    );
    assert_eq!(along([2.0, 0.25, 0.0], [2.0, 0.25, 0.0], 0.0), [1], "a point");
}

/// Buffers reach their size in a first round of a motion that repeats, and keep it.
#[test]
fn a_warm_broad_phase_keeps_its_buffers() {
    let start = heap(2_000, 3);
    let (mut broad, mut pairs) = (Broad::default(), Vec::new());
    let workers = Workers::default();
    let mut sizes = Vec::new();
    for step in 0..60 {
        // round and round, so that the order is made anew in between
        let phase = f64::from(step % 20);
        let mut items = start.clone();
        for (i, item) in items.iter_mut().enumerate() {
            item.centre.x += phase.min(20.0 - phase) * 0.3 * (i % 3) as f64;
        }
        // a few come and go
        items.truncate(2_000 - 100 * (step as usize % 2));
        broad.update(&workers, &items);
        broad.find_pairs(&workers, &|_, _| true, &mut pairs);
        sizes.push(broad.capacities().chain([pairs.capacity()]).collect::<Vec<_>>());
    }
    assert!(sizes[40..].iter().all(|s| *s == sizes[39]));
}

impl Broad {
    fn capacities(&self) -> impl Iterator<Item = usize> {
        let tasks = self.tasks.iter().map(|t| t.found.capacity());
        tasks.chain([self.ends.capacity()]).chain(self.tree.capacities())
    }
}

/// Figures, on demand: `cargo test -p fracas --lib broad_figures --release -- --ignored --nocapture`.
#[test]
#[ignore = "measures, takes long"]
fn broad_figures() {
    for count in [2_700usize, 24_000, 100_000] {
        let grouped = |sparse: f64, group: &dyn Fn(u32) -> u32| -> Vec<Item> {
            let (each, edge) = (count / 12, (count as f64 / 12.0).cbrt().ceil() as usize);
            let body = |b: usize| {
                DVec3::new((b % 2) as f64, (b / 4) as f64 * 1.02, (b / 2 % 2) as f64)
                    * (edge as f64 * 0.98 * sparse)
            };
            let place = |i: usize| {
                DVec3::new((i % edge) as f64, (i / edge % edge) as f64, (i / edge / edge) as f64)
            };
            let item = |i: usize| Item {
                centre: body(i / each) + place(i % each) + 1e6,
                half: Vec3::splat(0.7),
                group: group((i / each) as u32),
            };
            (0..each * 12).map(item).collect()
        };
        let mut plate = heap(count, 2);
        plate.iter_mut().for_each(|i| i.centre.y *= 4.0 / (count as f64).cbrt());
        plate.iter_mut().for_each(|i| i.centre *= (count as f64).powf(1.0 / 6.0) / 2.0);
        plate.iter_mut().for_each(|i| i.centre.y /= (count as f64).powf(1.0 / 6.0) / 2.0);
        plate[0].half = Vec3::new(1e3, 1.0, 1e3);
        let mut plane = heap(count, 4);
        plane.iter_mut().for_each(|i| i.centre *= DVec3::new(1.0, 0.0, 1.0));
        plane.iter_mut().for_each(|i| i.centre *= (count as f64).powf(1.0 / 6.0));
        for (name, items) in [
            ("pile", heap(count, 1)),
            ("12 bodies", grouped(1.0, &|b| b)),
            ("12 bodies, self", grouped(1.0, &|_| NO_GROUP)),
            ("12 bodies apart", grouped(1e4, &|b| b)),
            ("plate and crumbs", plate),
            ("plane", plane),
        ] {
            for threads in [1, 2] {
                measure(name, &items, threads);
            }
        }
    }
}

fn measure(name: &str, items: &[Item], threads: u32) {
    let workers = Workers::new(threads).unwrap();
    let (mut broad, mut pairs) = (Broad::default(), Vec::new());
    let mut best = [f64::INFINITY; 3];
    let mut time = |slot: usize, work: &mut (dyn FnMut() + Send)| {
        let start = std::time::Instant::now();
        workers.enter(&mut *work);
        best[slot] = best[slot].min(start.elapsed().as_secs_f64() * 1e3);
    };
    for round in 0..20_000_000 / (items.len() * 40) + 5 {
        if round % 4 == 0 {
            broad.tree = Tree::default();
            time(0, &mut || broad.update(&workers, items));
        }
        time(1, &mut || broad.update(&workers, items));
        time(2, &mut || broad.find_pairs(&workers, &|_, _| true, &mut pairs));
    }
    let count = items.len();
    println!(
        "{name:18}{count:7} items {threads} threads: new order {:8.3} ms, kept {:8.3}, pairs {:8.3}, {} pairs",
        best[0],
        best[1],
        best[2],
        pairs.len()
    );
}
