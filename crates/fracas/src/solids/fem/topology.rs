//! Who lies across which face, and what happens when a face opens (001 sec. 4, recipe C).
//!
//! A vertex is one fan: its tetrahedra hang together over faces that contain it. So a fan is found by a walk from any one of its tetrahedra, and
//! what shares a vertex hangs together. Opening a face parts its two tetrahedra; where that parts the fan of a corner, the corner becomes two vertices; where
//! all three have parted, the body may have.
//!
//! ```text
//! split_face(t, u): across ← opened on both sides
//!     for the corners v that t and u still share: fan of v from t; if u is not in it, that fan gets a new vertex
//! split_edge(a, b) at m: of every t = (a, b, c, d) around it t ← (a, m, c, d), and (m, b, c, d) behind all others
//! ```

use super::super::solid::Face;
use glam::Vec3;

/// Across a face of the surface there is nothing.
pub const NONE: u32 = u32::MAX;
/// Nor across a face that has opened.
pub const OPENED: u32 = u32::MAX - 1;

/// Whether there is a tetrahedron.
pub(crate) fn is_joined(across: u32) -> bool {
    across < OPENED
}

/// A face by its corners in order, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortedFace {
    /// Corners, the lowest first.
    pub face: [u32; 3],
    /// The tetrahedron.
    pub tet: u32,
    /// The corner that it lies opposite.
    pub corner: u8,
    /// Whether an even number of swaps brings its corners, seen from outside, in order.
    pub even: bool,
}

/// A vertex that began when a face opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Born {
    /// The vertex that it was.
    pub parent: u32,
    /// The new one: behind all others.
    pub vertex: u32,
}

/// Tetrahedra across the faces of each.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// The tetrahedron across the face opposite each corner, or [`NONE`] or [`OPENED`].
    across: Vec<[u32; 4]>,
    walk: Walk,
}

/// Room for walks.
#[derive(Clone, Debug, Default)]
struct Walk {
    /// Of each tetrahedron: the walk that saw it last.
    seen: Vec<u32>,
    stamp: u32,
    found: [Vec<u32>; 2],
}

/// Corners of the faces of a tetrahedron, counter-clockwise seen from outside; face k lies opposite corner k.
pub(crate) fn outward([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 4] {
    [[b, c, d], [a, d, c], [a, b, d], [a, c, b]]
}

/// All faces, in the order of tetrahedra.
pub(crate) fn faces_of(corners: &[[u32; 4]]) -> Vec<SortedFace> {
    let mut faces = Vec::with_capacity(4 * corners.len());
    for (&tet, t) in corners.iter().zip(0..) {
        for (face, corner) in outward(tet).into_iter().zip(0..) {
            let [a, b, c] = face;
            let even = (a < b) ^ (b < c) ^ (a < c);
            let mut face = face;
            face.sort_unstable();
            faces.push(SortedFace { face, tet: t, corner, even });
        }
    }
    faces
}

impl Topology {
    /// Of tetrahedra that meet face to face, at most two at each.
    pub fn new(corners: &[[u32; 4]]) -> Self {
        let mut across = vec![[NONE; 4]; corners.len()];
        let mut faces = faces_of(corners);
        faces.sort_unstable();
        for pair in faces.windows(2).filter(|pair| pair[0].face == pair[1].face) {
            let [a, b] = [pair[0], pair[1]];
            across[a.tet as usize][a.corner as usize] = b.tet;
            across[b.tet as usize][b.corner as usize] = a.tet;
        }
        Self::of_across(across)
    }

    /// Tells faces of the surface that lie on each other as opened: a crack that is there from the start. Returns their corners.
    pub(crate) fn open_coinciding(
        &mut self,
        corners: &[[u32; 4]],
        places: &[Vec3],
    ) -> Vec<[u32; 3]> {
        let key = |face: [u32; 3]| {
            // −0 is 0
            let mut key = face.map(|v| places[v as usize].to_array().map(|x| (x + 0.0).to_bits()));
            key.sort_unstable();
            key
        };
        let mut outside = Vec::new();
        for (t, across) in self.across.iter().enumerate() {
            let faces = outward(corners[t]).into_iter().zip(across).enumerate();
            let faces = faces.filter(|(_, (_, other))| !is_joined(**other));
            outside.extend(faces.map(|(k, (face, _))| (key(face), t, k, face)));
        }
        outside.sort_unstable();
        let mut opened = Vec::new();
        for pair in outside.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            for &(_, t, k, face) in pair {
                self.across[t][k] = OPENED;
                opened.push(face);
            }
        }
        opened
    }

    /// As it was saved.
    pub(crate) fn of_across(across: Vec<[u32; 4]>) -> Self {
        let seen = vec![0; across.len()];
        Self { across, walk: Walk { seen, ..Walk::default() } }
    }

    /// Tetrahedra across the faces of each.
    pub fn across(&self) -> &[[u32; 4]] {
        &self.across
    }

    /// The faces of the surface, in the order of tetrahedra, into a list that is emptied first.
    pub fn list_surface(&self, corners: &[[u32; 4]], faces: &mut Vec<Face>) {
        faces.clear();
        for (t, across) in self.across.iter().enumerate() {
            let outside = outward(corners[t]).into_iter().zip(across);
            let outside = outside.filter(|&(_, &other)| !is_joined(other));
            faces.extend(outside.map(|(corners, &other)| Face {
                corners,
                tet: t as u32,
                opened: other == OPENED,
            }));
        }
    }

    /// The fan of a vertex from one of its tetrahedra, in the order of the walk.
    pub fn fan(&mut self, corners: &[[u32; 4]], vertex: u32, tet: u32) -> &[u32] {
        let Self { across, walk } = self;
        walk.begin(0);
        walk.visit(0, tet);
        let mut at = 0;
        while let Some(&t) = walk.found[0].get(at) {
            at += 1;
            for k in 0..4 {
                let other = across[t as usize][k];
                // the face opposite the vertex does not contain it
                if is_joined(other) && corners[t as usize][k] != vertex && !walk.has_seen(other) {
                    walk.visit(0, other);
                }
            }
        }
        &walk.found[0]
    }

    /// On which side of a plane the tetrahedra of a fan have their middles, in the order of [`fan`](Self::fan): above if
    /// n·(c − p) > 0. Where all are on one side the plane is moved to the middle one of them, so that it parts the fan.
    pub fn plane_sides(
        &mut self,
        corners: &[[u32; 4]],
        places: &[Vec3],
        vertex: u32,
        tet: u32,
        normal: Vec3,
        point: Vec3,
    ) -> Vec<(u32, bool)> {
        let height = |&t: &u32| {
            let sum: Vec3 = corners[t as usize].iter().map(|&v| places[v as usize]).sum();
            (t, normal.dot(0.25 * sum - point))
        };
        let fan: Vec<(u32, f32)> = self.fan(corners, vertex, tet).iter().map(height).collect();
        let above = fan.iter().filter(|&&(_, height)| height > 0.0).count();
        let mut level = 0.0;
        if above == 0 || above == fan.len() {
            let mut heights: Vec<f32> = fan.iter().map(|&(_, height)| height).collect();
            heights.sort_unstable_by(f32::total_cmp);
            // of an even number the lower one, so that some lie above
            level = heights[(heights.len() - 1) / 2];
        }
        fan.into_iter().map(|(t, height)| (t, height > level)).collect()
    }

    /// Opens the face of tetrahedron `tet` opposite its corner `corner`; false if nothing lies across it. Corners of which the fan falls
    /// apart become two vertices: those on the side of `tet` begin behind all `vertex_count` and are told to `born`.
    pub fn split_face(
        &mut self,
        corners: &mut [[u32; 4]],
        tet: u32,
        corner: usize,
        vertex_count: usize,
        born: &mut Vec<Born>,
    ) -> bool {
        let other = self.across[tet as usize][corner];
        if !is_joined(other) {
            return false;
        }
        self.across[tet as usize][corner] = OPENED;
        for back in &mut self.across[other as usize] {
            if *back == tet {
                *back = OPENED;
            }
        }
        for k in (0..4).filter(|&k| k != corner) {
            let vertex = corners[tet as usize][k];
            if !corners[other as usize].contains(&vertex) {
                continue;
            }
            if self.fan(corners, vertex, tet).contains(&other) {
                continue;
            }
            let new = (vertex_count + born.len()) as u32;
            for &t in &self.walk.found[0] {
                let place = corners[t as usize].iter_mut().find(|v| **v == vertex);
                place.into_iter().for_each(|v| *v = new);
            }
            born.push(Born { parent: vertex, vertex: new });
        }
        true
    }

    /// The tetrahedra around an edge of `tet`, from that on: those that hang together over faces that contain the edge.
    pub fn around_edge(&mut self, corners: &[[u32; 4]], ends: [u32; 2], tet: u32) -> &[u32] {
        let Self { across, walk } = self;
        walk.begin(0);
        walk.visit(0, tet);
        let mut at = 0;
        while let Some(&t) = walk.found[0].get(at) {
            at += 1;
            for k in 0..4 {
                let other = across[t as usize][k];
                let contains = !ends.contains(&corners[t as usize][k]);
                if is_joined(other) && contains && !walk.has_seen(other) {
                    walk.visit(0, other);
                }
            }
        }
        &walk.found[0]
    }

    /// Splits an edge of `tet` at a new vertex, and all [around it](Self::around_edge), so that faces still meet. Each keeps its first end and
    /// loses the second; what it lost follows behind all others, in the same order. Returns those that were split.
    pub fn split_edge(
        &mut self,
        corners: &mut Vec<[u32; 4]>,
        ends: [u32; 2],
        tet: u32,
        vertex: u32,
    ) -> &[u32] {
        self.around_edge(corners, ends, tet);
        let Self { across, walk } = self;
        let (ring, first) = (&walk.found[0], corners.len() as u32);
        for (&t, half) in ring.iter().zip(first..) {
            let (before, beside) = (corners[t as usize], across[t as usize]);
            let (mut kept, mut lost) = (before, before);
            let (mut beside_kept, mut beside_lost) = (beside, beside);
            for k in 0..4 {
                if before[k] == ends[0] {
                    // the face that does not contain the first end
                    (lost[k], beside_kept[k]) = (vertex, half);
                    if let Some(other) = across.get_mut(beside[k] as usize) {
                        other.iter_mut().filter(|back| **back == t).for_each(|back| *back = half);
                    }
                } else if before[k] == ends[1] {
                    (kept[k], beside_lost[k]) = (vertex, t);
                } else if let Some(place) = ring.iter().position(|&u| u == beside[k]) {
                    beside_lost[k] = first + place as u32;
                }
            }
            corners[t as usize] = kept;
            across[t as usize] = beside_kept;
            corners.push(lost);
            across.push(beside_lost);
        }
        walk.seen.resize(across.len(), 0);
        ring
    }

    /// The tetrahedra of the smaller side, if these two no longer hang together: walks from both, one each in turn, until one has
    /// no way to go or meets the other.
    pub fn parted(&mut self, a: u32, b: u32) -> Option<&[u32]> {
        let Self { across, walk } = self;
        walk.begin(0);
        walk.found[1].clear();
        walk.visit(0, a);
        // both walks have a mark of their own
        walk.stamp += 1;
        walk.visit(1, b);
        let marks = [walk.stamp - 1, walk.stamp];
        let mut at = [0, 0];
        loop {
            for side in 0..2 {
                let Some(&t) = walk.found[side].get(at[side]) else {
                    return Some(&walk.found[side]);
                };
                at[side] += 1;
                for &next in across[t as usize].iter().filter(|&&next| is_joined(next)) {
                    let seen = walk.seen[next as usize];
                    if seen == marks[1 - side] {
                        return None;
                    }
                    if seen != marks[side] {
                        walk.seen[next as usize] = marks[side];
                        walk.found[side].push(next);
                    }
                }
            }
        }
    }

    /// Puts tetrahedra in another order: `order[k]` becomes number k.
    pub(crate) fn permute(&mut self, order: &[u32]) {
        let mut place = vec![NONE; order.len()];
        for (&from, to) in order.iter().zip(0..) {
            place[from as usize] = to;
        }
        let moved = |t: u32| if is_joined(t) { place[t as usize] } else { t };
        self.across = order.iter().map(|&t| self.across[t as usize].map(moved)).collect();
    }

    /// Keeps the first of them, which touch no other.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.across.truncate(count);
        self.walk.seen.truncate(count);
    }

    /// What contradicts itself, for bytes that come from outside.
    pub(crate) fn check(&self, corners: &[[u32; 4]]) -> Result<(), &'static str> {
        for (t, across) in self.across.iter().enumerate() {
            for (k, &other) in across.iter().enumerate().filter(|&(_, &other)| is_joined(other)) {
                let back = self.across.get(other as usize);
                let back = back.ok_or("a tetrahedron beside one that does not exist")?;
                let shared = (0..4).filter(|&i| i != k).map(|i| corners[t][i]);
                if !shared.into_iter().all(|v| corners[other as usize].contains(&v)) {
                    return Err("tetrahedra side by side that share no face");
                }
                if back.iter().filter(|&&to| to as usize == t).count() != 1 {
                    return Err("a face that is known on one side only");
                }
            }
        }
        Ok(())
    }

    /// Checks every invariant.
    ///
    /// # Panics
    /// If one does not hold: that is a bug.
    pub fn validate(&self, corners: &[[u32; 4]]) {
        assert_eq!(self.across.len(), corners.len(), "faces of other tetrahedra");
        if let Err(what) = self.check(corners) {
            panic!("{what}");
        }
    }
}

impl Walk {
    /// Forgets what was seen and what this side has found.
    fn begin(&mut self, side: usize) {
        // two marks may be used by one walk
        if self.stamp > u32::MAX - 4 {
            self.seen.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.found[side].clear();
    }

    fn has_seen(&self, tet: u32) -> bool {
        self.seen[tet as usize] == self.stamp
    }

    fn visit(&mut self, side: usize, tet: u32) {
        self.seen[tet as usize] = self.stamp;
        self.found[side].push(tet);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// A block of cells of six tetrahedra each, all around the same diagonal.
    pub fn block(cells: [usize; 3]) -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let [ny, nz] = [cells[1] + 1, cells[2] + 1];
        let place = |[i, j, k]: [usize; 3]| ((i * ny + j) * nz + k) as u32;
        let mut places = Vec::new();
        let mut corners = Vec::new();
        for i in 0..=cells[0] {
            for j in 0..=cells[1] {
                for k in 0..=cells[2] {
                    places.push(Vec3::new(i as f32, j as f32, k as f32));
                    if i == cells[0] || j == cells[1] || k == cells[2] {
                        continue;
                    }
                    let paths = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];
                    for (number, path) in paths.into_iter().enumerate() {
                        let mut at = [i, j, k];
                        let mut tet = [place(at); 4];
                        for (corner, axis) in path.into_iter().enumerate() {
                            at[axis] += 1;
                            tet[corner + 1] = place(at);
                        }
                        if number >= 3 {
                            tet.swap(1, 2);
                        }
                        corners.push(tet);
                    }
                }
            }
        }
        (places, corners)
    }

    pub fn random(state: &mut u64) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 33) as usize
    }

    /// What hangs together, by joining sets until nothing changes.
    pub fn labels(count: usize, joined: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let mut label: Vec<usize> = (0..count).collect();
        for a in 0..count {
            for b in 0..a {
                if joined(a, b) && label[a] != label[b] {
                    let (keep, drop) = (label[a].min(label[b]), label[a].max(label[b]));
                    label.iter_mut().filter(|l| **l == drop).for_each(|l| *l = keep);
                }
            }
        }
        label
    }

    /// Every directed edge of the surface of each part as often as its reverse, no face twice, and the volume inside that of its tetrahedra.
    pub fn assert_closed(
        topology: &Topology,
        corners: &[[u32; 4]],
        places: &[Vec3],
        label: &[usize],
    ) {
        let mut faces = Vec::new();
        topology.list_surface(corners, &mut faces);
        let parts: BTreeSet<usize> = label.iter().copied().collect();
        for part in parts {
            let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
            let (mut inside, mut whole) = (0.0, 0.0);
            for face in faces.iter().filter(|face| label[face.tet as usize] == part) {
                let [a, b, c] = face.corners;
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    *edges.entry((from.min(to), from.max(to))).or_default() +=
                        if from < to { 1 } else { -1 };
                }
                let [a, b, c] = face.corners.map(|v| places[v as usize].as_dvec3());
                inside += a.dot(b.cross(c)) / 6.0;
            }
            assert!(edges.values().all(|&n| n == 0), "an edge of part {part} is open");
            for tet in corners.iter().zip(label).filter(|(_, l)| **l == part).map(|(tet, _)| tet) {
                let [a, b, c, d] = tet.map(|v| places[v as usize].as_dvec3());
                whole += (b - a).cross(c - a).dot(d - a) / 6.0;
            }
            assert!((inside - whole).abs() < 1e-5 * whole, "{inside} instead of {whole}");
        }
    }

    /// 10⁴ faces opened in random order against what is found by brute force.
    #[test]
    fn random_splits_agree_with_brute_force() {
        let mut state = 0x1234_5678_9abc_def1;
        let mut splits = 0;
        while splits < 10_000 {
            let (mut places, mut corners) = block([2, 2, 2]);
            let mut topology = Topology::new(&corners);
            let mut label = vec![0; corners.len()];
            assert_closed(&topology, &corners, &places, &label);
            loop {
                let all = 0..corners.len() as u32;
                let inner = |t: u32| (0..4).map(move |k| (t, k));
                let open: Vec<(u32, usize)> = all
                    .flat_map(inner)
                    .filter(|&(t, k)| is_joined(topology.across[t as usize][k]))
                    .collect();
                if open.is_empty() {
                    break;
                }
                let (tet, corner) = open[random(&mut state) % open.len()];
                let other = topology.across[tet as usize][corner];
                let mut born = Vec::new();
                assert!(topology.split_face(&mut corners, tet, corner, places.len(), &mut born));
                for new in &born {
                    assert_eq!(new.vertex as usize, places.len());
                    places.push(places[new.parent as usize]);
                }
                splits += 1;
                topology.validate(&corners);

                // what is left of every fan is one fan, and each is its own vertex
                let beside = |a: usize, b: usize| topology.across[a].contains(&(b as u32));
                for v in 0..places.len() as u32 {
                    let star: Vec<usize> =
                        (0..corners.len()).filter(|&t| corners[t].contains(&v)).collect();
                    let fans = labels(star.len(), |a, b| {
                        let (a, b) = (star[a], star[b]);
                        let shares =
                            |k: usize| topology.across[a][k] == b as u32 && corners[a][k] != v;
                        (0..4).any(shares)
                    });
                    assert!(fans.iter().all(|&l| l == 0), "vertex {v} has several fans");
                }
                let truth = labels(corners.len(), beside);
                let parts = |label: &[usize]| label.iter().copied().collect::<BTreeSet<_>>().len();
                let fell = parts(&truth) > parts(&label);
                let side: Option<Vec<u32>> = topology.parted(tet, other).map(<[u32]>::to_vec);
                assert_eq!(side.is_some(), fell, "split {splits}");
                if let Some(side) = side {
                    let first = truth[side[0] as usize];
                    let theirs = truth.iter().filter(|&&l| l == first).count();
                    assert!(
                        side.iter().all(|&t| truth[t as usize] == first) && side.len() == theirs
                    );
                    let others = if first == truth[tet as usize] { other } else { tet };
                    let others = truth.iter().filter(|&&l| l == truth[others as usize]).count();
                    assert!(theirs <= others + 1, "{theirs} walked instead of {others}");
                }
                label = truth;
                // sharing a vertex and sharing a face hang the same together
                if splits % 50 == 0 {
                    let touching =
                        |a: usize, b: usize| corners[a].iter().any(|v| corners[b].contains(v));
                    assert_eq!(labels(corners.len(), touching), label);
                }
                assert_closed(&topology, &corners, &places, &label);
            }
            assert_eq!(places.len(), 4 * corners.len(), "all are alone at the end");
        }
    }

    /// A plane parts the fan of a vertex in its middle, and that of one beside it too.
    #[test]
    fn planes_part_every_fan() {
        let (places, corners) = block([2, 2, 2]);
        let mut topology = Topology::new(&corners);
        for (tet, v) in corners.iter().zip(0..).map(|(tet, t)| (t, tet[0])) {
            for point in [places[v as usize], Vec3::splat(-5.0)] {
                let normal = Vec3::new(0.3, 0.8, -0.5).normalize();
                let sides = topology.plane_sides(&corners, &places, v, tet, normal, point);
                let star = corners.iter().filter(|tet| tet.contains(&v)).count();
                assert_eq!(sides.len(), star);
                let above = sides.iter().filter(|(_, above)| *above).count();
                assert!(star == 1 || above > 0 && above < star, "{above} of {star} at {v}");
                let middle = |t: u32| {
                    let sum: Vec3 = corners[t as usize].iter().map(|&v| places[v as usize]).sum();
                    normal.dot(0.25 * sum)
                };
                for &(a, up) in &sides {
                    for &(b, down) in &sides {
                        assert!(!up || down || middle(a) >= middle(b));
                    }
                }
            }
        }
    }
}
