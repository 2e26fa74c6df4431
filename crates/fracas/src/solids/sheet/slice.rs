//! What a blade does to a sheet: a vertex is put wherever its way crosses an edge, and the edges between these are opened.
//!
//! ```text
//! of an edge that crosses the way: near an end, that vertex is moved to the way if it is free; else the edge is split there
//! open every edge whose ends are both on the way, between triangles on both sides
//! ```
//!
//! Splitting an edge leaves the shape as it is, also where the sheet is folded; a hop, with its flips, would cut across. What would leave an
//! angle below the bound of hops is taken back, and the nearer end is on the way as it is.
//!
//! Where a cut ends within the sheet is the tip of a crack.

use super::Sheet;
use super::fracture::Tip;
use super::remesh::Plane;
use super::topology::previous;
use crate::geometry::Patch;
use crate::parallel::Span;
use crate::solids::Particles;
use crate::world::Changes;

/// A free vertex this near to where an edge is crossed is moved there, in edges.
const MOVED: f64 = 0.25;
/// What is nearer than this to the plane of the blade lies in it, in mean edges of the sheet.
const IN_PLANE: f64 = 1e-6;

/// A cut of a piece.
struct Slice<'a> {
    patch: &'a Patch,
    plane: &'a mut Plane,
    /// Which blade has passed each vertex last.
    passed: &'a mut Vec<u64>,
    /// Height of each vertex above the plane of the blade, m; 0 of what it passes now.
    heights: Vec<f64>,
    fresh: Vec<bool>,
}

impl Sheet {
    pub(super) fn slice_piece(
        &mut self,
        particles: &mut Particles,
        span: Span,
        patch: &Patch,
        next_id: &mut u64,
        changes: &mut Changes,
    ) {
        let Self { plane, elements, passed, .. } = self;
        for j in span.clone() {
            plane.shape[j] = particles.place(j);
            plane.fixed[j] = particles.held[j];
        }
        passed.resize(particles.len(), 0);
        let heights = plane.shape.iter().map(|&x| patch.height(x)).collect();
        let fresh = vec![false; particles.len()];
        Slice { patch, plane, passed, heights, fresh }.run(elements.of(&span));
        if passed.iter().all(|&blade| blade == 0) {
            passed.clear();
        }
        if self.plane.changes.is_empty() && self.plane.opened.is_empty() {
            return;
        }
        let opened = self.plane.opened.iter();
        let ends = opened.flat_map(|open| open.ends.into_iter().chain(open.others)).collect();
        let seen = changes.opened.len();
        // ids of its own are for its cracks
        let own = std::mem::replace(&mut self.next_id, *next_id);
        self.take_hop(particles, changes);
        *next_id = std::mem::replace(&mut self.next_id, own);
        // it is the blade that takes them apart
        changes.opened[seen..].iter_mut().for_each(|opened| opened.energy = 0.0);
        self.follow_hops(particles);
        self.find_tips(&span, ends);
    }

    /// Tips of a piece after edges with these ends were opened in it: some are no more, and some of the ends are.
    fn find_tips(&mut self, span: &Span, mut ends: Vec<u32>) {
        let Self { plane, tips, .. } = self;
        let elsewhere = |tip: &Tip| !span.contains(&(tip.vertex as usize));
        tips.retain(|tip| elsewhere(tip) || plane.tip_at(tip.vertex).is_some());
        ends.sort_unstable();
        ends.dedup();
        ends.retain(|&v| tips.iter().all(|tip| tip.vertex != v));
        let new = |vertex| Some(Tip { vertex, direction: plane.tip_at(vertex)? });
        tips.extend(ends.into_iter().filter_map(new));
        tips.sort_by_key(|tip| tip.vertex);
    }
}

impl Slice<'_> {
    /// Cuts the triangles of a piece, with those that begin.
    fn run(mut self, of: Span) {
        let mut all: Vec<u32> = of.filter(|&t| self.is_crossed(t)).map(|t| t as u32).collect();
        self.take_what_lies_in_it(&all);
        self.move_near(&all);
        let (mut at, mut known) = (0, self.plane.table.len() as u32);
        while at < all.len() {
            self.split_all(all[at]);
            at += 1;
            all.extend(known..self.plane.table.len() as u32);
            known = self.plane.table.len() as u32;
        }
        self.open(&all);
    }

    fn is_crossed(&self, t: usize) -> bool {
        let heights = self.plane.table.corners()[t].map(|v| self.heights[v as usize]);
        heights.iter().any(|&h| h <= 0.0) && heights.iter().any(|&h| h >= 0.0)
    }

    fn take(&mut self, vertex: u32) {
        self.passed[vertex as usize] = self.patch.blade();
        self.fresh[vertex as usize] = true;
    }

    /// Vertices in the plane itself: no edge tells whether they are passed.
    fn take_what_lies_in_it(&mut self, all: &[u32]) {
        let near = IN_PLANE * self.plane.edge;
        for &t in all {
            for v in self.plane.table.corners()[t as usize] {
                if self.heights[v as usize].abs() < near {
                    self.heights[v as usize] = 0.0;
                    if self.patch.contains(self.plane.shape[v as usize]) {
                        self.take(v);
                    }
                }
            }
        }
    }

    /// Ends of the edge opposite a corner, and where it is crossed away from what was passed: the share from the first.
    fn crossing(&self, t: u32, k: usize) -> Option<([u32; 2], f64)> {
        let [_, a, b] = self.plane.table.from_corner(t, k);
        let [h, g] = [a, b].map(|v| self.heights[v as usize]);
        if h * g >= 0.0 {
            return None;
        }
        let share = h / (h - g);
        // a blade that comes by once more, elsewhere, has not passed what it passed then
        let passed = |v: u32, share: f64| {
            self.fresh[v as usize] || share <= 0.5 && self.passed[v as usize] == self.patch.blade()
        };
        if passed(a, share) || passed(b, 1.0 - share) {
            return None;
        }
        let [x, y] = [a, b].map(|v| self.plane.shape[v as usize]);
        self.patch.contains(x.lerp(y, share)).then_some(([a, b], share))
    }

    /// Moves free vertices to where an edge is crossed near them, the nearest first.
    fn move_near(&mut self, all: &[u32]) {
        let mut near = Vec::new();
        for &t in all {
            for k in 0..3 {
                let Some((ends, share)) = self.crossing(t, k) else { continue };
                let (off, end) = if share < 0.5 { (share, 0) } else { (1.0 - share, 1) };
                if off < MOVED {
                    near.push((off, ends[end], ends[1 - end], t));
                }
            }
        }
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (share, v, w, t) in near {
            if self.fresh[v as usize] || self.fresh[w as usize] {
                continue;
            }
            let [from, to] = [v, w].map(|v| self.plane.rest[v as usize]);
            if self.plane.try_move(v, t, from.lerp(to, share)) {
                self.heights[v as usize] = 0.0;
                self.take(v);
            }
        }
    }

    /// Splits the edges of a triangle that are crossed. Where a part would be too sharp the nearer end is taken instead.
    fn split_all(&mut self, t: u32) {
        while let Some((k, (ends, share))) = (0..3).find_map(|k| Some((k, self.crossing(t, k)?))) {
            if self.plane.try_split(t, k, share) {
                self.heights.push(0.0);
                self.passed.push(0);
                self.fresh.push(false);
                self.take(self.heights.len() as u32 - 1);
            } else {
                self.take(ends[usize::from(share > 0.5)]);
            }
        }
    }

    /// Opens the edges of some triangles that part what lies on both sides.
    fn open(&mut self, all: &[u32]) {
        let table = &self.plane.table;
        let mut edges = Vec::new();
        for &t in all {
            for k in 0..3 {
                let Some(u) = table.beyond(t, k) else { continue };
                let [_, a, b] = table.from_corner(t, k);
                let passed = |v: u32| self.passed[v as usize] == self.patch.blade();
                let parts =
                    passed(a) && passed(b) && (self.fresh[a as usize] || self.fresh[b as usize]);
                if parts && self.is_above(t) != self.is_above(u) {
                    let back = (0..3).find(|&l| table.beyond(u, l) == Some(t)).unwrap_or(0);
                    edges.push((t, k).min((u, back)));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        for (t, k) in edges {
            let [_, a, b] = self.plane.table.from_corner(t, k);
            let Some(doubled) = self.plane.open(a, b) else { continue };
            // in the order in which they began
            for parent in [a, b].into_iter().zip(doubled).filter_map(|(v, new)| new.map(|_| v)) {
                self.passed.push(self.passed[parent as usize]);
            }
        }
    }

    /// Whether a triangle is above. What was passed counts as in the plane.
    fn is_above(&self, t: u32) -> bool {
        let corners = self.plane.table.corners()[t as usize].map(|v| v as usize);
        let off = |&v: &usize| if self.fresh[v] { 0.0 } else { self.heights[v] };
        let sum: f64 = corners.iter().map(off).sum();
        if sum != 0.0 {
            sum > 0.0
        } else {
            corners.iter().map(|&v| self.heights[v]).sum::<f64>() > 0.0
        }
    }
}

impl Plane {
    /// Where a crack points to that ends in a vertex: one of whose ring the first and the last lie on each other, so that both banks meet there.
    fn tip_at(&self, v: u32) -> Option<glam::DVec2> {
        let (first, k) = self.table.fan(v).next()?;
        let (last, l) = self.table.fan(v).last()?;
        if self.table.beyond(first, previous(k)).is_some() {
            return None;
        }
        let a = self.rest[self.table.from_corner(first, k)[1] as usize];
        let b = self.rest[self.table.corners()[last as usize][previous(l)] as usize];
        let way = self.rest[v as usize] - a;
        let meet = a.distance_squared(b) < (IN_PLANE * self.edge).powi(2);
        meet.then(|| way.normalize_or_zero()).filter(|way| way.length_squared() > 0.0)
    }
}
