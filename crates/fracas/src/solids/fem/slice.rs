//! What a blade does to tetrahedra: it opens the faces that lie on its way, and where they are remeshed it makes such faces first.
//!
//! ```text
//! of an edge that crosses the way: near an end, that vertex is on it from now on; else it is split there, and the new vertex is
//! open every face whose corners are all on the way, between tetrahedra on both sides
//! ```
//!
//! Splitting edge by edge makes of a tetrahedron what a table of cases would (recipe `sheet`, section 4: a wedge, a pyramid and their like), whatever
//! its signs, and faces of neighbours meet whatever comes first. A vertex that is taken as it is bends the cut to it, by a tenth of an edge at most; at
//! a quarter, which leaves better shapes, plane after plane would be off to one side. What would be too thin is not split either.
//!
//! Without remeshing the faces between middles on both sides open, as cracks do: the cut shows the teeth of the mesh.
//!
//! A blade comes step by step, and its steps are shorter than tetrahedra. So vertices remember which blade has passed them.

use super::cracks::Cracks;
use super::remesh::{OnEdge, Remesh, edges};
use super::topology::{Topology, is_joined};
use crate::geometry::Patch;
use crate::parallel::Span;
use glam::DVec3;

/// An edge that crosses this near to an end is cut there, in edges.
const SNAPPED: f64 = 0.1;
/// What is nearer than this to the plane of the blade lies in it, in mean edges of the body.
const IN_PLANE: f64 = 1e-5;

/// A cut of a piece.
pub(crate) struct Slice<'a> {
    pub patch: &'a Patch,
    /// Where every vertex is, m.
    pub places: Vec<DVec3>,
    /// Which blade has passed each vertex last.
    pub passed: &'a mut Vec<u64>,
    pub topology: &'a mut Topology,
    pub corners: &'a mut Vec<[u32; 4]>,
    pub cracks: &'a mut Cracks,
    /// Heights of all vertices above the plane.
    pub heights: Vec<f64>,
    /// Vertices that it passes now.
    pub fresh: Vec<bool>,
}

impl Slice<'_> {
    /// Cuts the tetrahedra of a piece, with those that begin.
    pub fn run(mut self, of: Span, remesh: Option<&Remesh>) {
        self.heights = self.places.iter().map(|&x| self.patch.height(x)).collect();
        self.fresh = vec![false; self.places.len()];
        let crossed = |slice: &Self, t: &usize| {
            let heights = slice.corners[*t].map(|v| slice.heights[v as usize]);
            heights.iter().any(|&h| h <= 0.0) && heights.iter().any(|&h| h >= 0.0)
        };
        let mut all: Vec<usize> = of.filter(|t| crossed(&self, t)).collect();
        let Some(remesh) = remesh else {
            self.open(&all, Self::parts_teeth);
            return;
        };
        self.take_what_lies_in_it(&all, IN_PLANE * f64::from(remesh.edge()));
        self.snap(&all);
        let (mut at, mut known) = (0, self.corners.len());
        while at < all.len() {
            self.split_all(all[at] as u32, remesh);
            at += 1;
            all.extend(known..self.corners.len());
            known = self.corners.len();
        }
        self.open(&all, Self::parts_passed);
    }

    fn take(&mut self, vertex: u32) {
        self.passed[vertex as usize] = self.patch.blade();
        self.fresh[vertex as usize] = true;
    }

    /// Vertices in the plane itself: no edge tells whether they are passed.
    fn take_what_lies_in_it(&mut self, all: &[usize], near: f64) {
        for &t in all {
            for v in self.corners[t] {
                let v = v as usize;
                if self.heights[v].abs() < near {
                    self.heights[v] = 0.0;
                    if !self.fresh[v] && self.patch.contains(self.places[v]) {
                        self.take(v as u32);
                    }
                }
            }
        }
    }

    /// Where an edge is crossed away from what was passed: the share from its first end.
    fn crossing(&self, [a, b]: [u32; 2]) -> Option<f64> {
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
        let [x, y] = [a, b].map(|v| self.places[v as usize]);
        self.patch.contains(x.lerp(y, share)).then_some(share)
    }

    /// Takes vertices near to which an edge is crossed, the nearest first.
    fn snap(&mut self, all: &[usize]) {
        let mut near: Vec<(f64, u32, [u32; 2])> = Vec::new();
        for &t in all {
            for ends in edges(self.corners[t]) {
                let Some(share) = self.crossing(ends) else { continue };
                let (off, end) = if share < 0.5 { (share, 0) } else { (1.0 - share, 1) };
                if off < SNAPPED {
                    near.push((off, ends[end], ends));
                }
            }
        }
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, vertex, ends) in near {
            if !ends.iter().any(|&v| self.fresh[v as usize]) {
                self.take(vertex);
            }
        }
    }

    /// Splits the edges of a tetrahedron that are crossed. Where a part would be too thin the nearer end is taken instead.
    fn split_all(&mut self, t: u32, remesh: &Remesh) {
        loop {
            let found = edges(self.corners[t as usize]).into_iter();
            let found = found.filter_map(|ends| Some((ends, self.crossing(ends)?))).next();
            let Some((ends, share)) = found else { return };
            let vertex = self.places.len() as u32;
            let new = OnEdge { vertex, ends, share: share as f32 };
            let ring = self.topology.around_edge(self.corners, ends, t);
            if !remesh.fits(self.corners, self.cracks.rest(), ring, &new) {
                self.take(new.nearer());
                continue;
            }
            let [x, y] = ends.map(|v| self.places[v as usize]);
            self.cracks.split(self.topology, self.corners, t, new);
            self.places.push(x.lerp(y, share));
            self.heights.push(0.0);
            self.passed.push(0);
            self.fresh.push(false);
            self.take(vertex);
        }
    }

    /// Opens the faces of some tetrahedra that part what lies on both sides.
    fn open(&mut self, all: &[usize], parts: impl Fn(&Self, usize, usize) -> bool) {
        let mut faces = Vec::new();
        let across = self.topology.across();
        for &t in all {
            for (k, &other) in across[t].iter().enumerate().filter(|&(_, &u)| is_joined(u)) {
                let [above, beyond] = [t, other as usize].map(|t| self.is_above(t));
                if above == beyond || !parts(self, t, k) {
                    continue;
                }
                // told by the one below, whichever has been looked at
                let back = across[other as usize].iter().position(|&u| u as usize == t);
                faces.push(if above { (other, back.unwrap_or(0)) } else { (t as u32, k) });
            }
        }
        faces.sort_unstable();
        faces.dedup();
        for (t, k) in faces {
            let before = self.cracks.born.len();
            self.cracks.open_face(self.topology, self.corners, t, k);
            for born in &self.cracks.born[before..] {
                if let Some(&blade) = self.passed.get(born.parent as usize) {
                    self.passed.push(blade);
                }
            }
        }
    }

    /// Whether the middle of a tetrahedron is above. What was passed counts as in the plane.
    fn is_above(&self, t: usize) -> bool {
        let corners = self.corners[t].map(|v| v as usize);
        let off = |&v: &usize| if self.fresh[v] { 0.0 } else { self.heights[v] };
        let sum: f64 = corners.iter().map(off).sum();
        if sum != 0.0 {
            sum > 0.0
        } else {
            corners.iter().map(|&v| self.heights[v]).sum::<f64>() > 0.0
        }
    }

    /// Corners of a face, by the corner that it lies opposite.
    fn face(&self, t: usize, k: usize) -> impl Iterator<Item = usize> {
        let corners = self.corners[t];
        (0..4).filter(move |&c| c != k).map(move |c| corners[c] as usize)
    }

    /// Whether this blade has passed all corners of a face, and one just now.
    fn parts_passed(&self, t: usize, k: usize) -> bool {
        let mut corners = self.face(t, k);
        corners.all(|v| self.passed[v] == self.patch.blade())
            && self.face(t, k).any(|v| self.fresh[v])
    }

    /// Whether the blade passes the middle of a face.
    fn parts_teeth(&self, t: usize, k: usize) -> bool {
        let sum: DVec3 = self.face(t, k).map(|v| self.places[v]).sum();
        self.patch.contains(sum / 3.0)
    }
}
