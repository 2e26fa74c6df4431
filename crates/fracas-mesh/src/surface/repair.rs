//! Repairs that change no shape: counted, so that they can be printed.

use std::collections::BTreeMap;
use std::fmt;

use fracas::glam::DVec3;
use fracas::sets::Sets;

use super::Surface;
use super::check::require_usable;
use super::crossing::collinear;
use super::edges::{by_edge, fans, sides};
use super::shells::shells;

/// What was repaired, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SurfaceRepairs {
    /// Vertices at the very place of another, joined with it.
    pub welded: usize,
    /// Vertices within 1e-6 of the size from another, joined with it because that closed the
    /// surface.
    pub welded_near: usize,
    /// Triangles with a corner used twice, or flat ones on a line, removed.
    pub flat: usize,
    /// Triangles that were there already, removed.
    pub duplicates: usize,
    /// Faces between two objects that touch, removed with their counterparts: the body is whole.
    pub inner_faces: usize,
    /// Triangles turned to face the same way as their neighbours.
    pub turned: usize,
    /// Closed parts that were inside out.
    pub inside_out: usize,
    /// Vertices in which parts touched, doubled to part them.
    pub split: usize,
    /// Vertices that no triangle used, removed.
    pub unused: usize,
}

impl SurfaceRepairs {
    fn lines(&self) -> [(usize, &'static str, &'static str); 9] {
        [
            (self.welded, "duplicate vertex welded", "duplicate vertices welded"),
            (self.welded_near, "nearly equal vertex welded", "nearly equal vertices welded"),
            (self.flat, "triangle without area removed", "triangles without area removed"),
            (self.duplicates, "duplicate triangle removed", "duplicate triangles removed"),
            (self.inner_faces, "face between objects removed", "faces between objects removed"),
            (self.turned, "triangle turned", "triangles turned"),
            (self.inside_out, "inside-out part turned", "inside-out parts turned"),
            (self.split, "touching vertex split", "touching vertices split"),
            (self.unused, "unused vertex removed", "unused vertices removed"),
        ]
    }
}

/// All that was repaired, with commas between; empty if nothing was.
impl fmt::Display for SurfaceRepairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for (count, one, many) in self.lines() {
            if count > 0 {
                write!(f, "{between}{count} {}", if count == 1 { one } else { many })?;
                between = ", ";
            }
        }
        Ok(())
    }
}

/// How near vertices must be to be tried as one, as a share of the box diagonal.
const NEAR: f64 = 1.0e-6;

impl Surface {
    /// Mends what can be mended without changing the shape.
    ///
    /// A surface that cannot even be looked at (bad indices, lists of the wrong length, vertices
    /// that are no numbers) comes back as it was, for [`ClosedSurface::new`](super::ClosedSurface)
    /// to refuse.
    pub fn repair(self) -> (Self, SurfaceRepairs) {
        let mut repairs = SurfaceRepairs::default();
        if require_usable(&self).is_err() {
            return (self, repairs);
        }
        let mut surface = self;
        let used = surface.used();
        let same = equal_vertices(&surface.vertices, &used);
        surface.weld(&same, &mut repairs.welded);
        surface.clean(&mut repairs);
        surface.close(&used, &mut repairs);
        surface.swap_flat(&mut repairs);
        surface.face_alike(&mut repairs);
        surface.face_outwards(&mut repairs);
        let joined = repairs.welded + repairs.welded_near;
        surface.split_touching(&same, &mut repairs);
        let before = surface.vertices.len();
        let surface = surface.without_unused();
        // a vertex that was joined with another is not unused as well
        repairs.unused = before - surface.vertices.len() - joined;
        (surface, repairs)
    }

    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.vertices.len()];
        for &v in self.triangles.iter().flatten() {
            used[v as usize] = true;
        }
        used
    }

    /// Uses the vertex `same[v]` instead of v.
    fn weld(&mut self, same: &[u32], welded: &mut usize) {
        *welded += same.iter().enumerate().filter(|&(v, &to)| v != to as usize).count();
        for v in self.triangles.iter_mut().flatten() {
            *v = same[*v as usize];
        }
    }

    /// Keeps the triangles that are to be kept, with what belongs to them.
    fn retain(&mut self, keep: &[bool]) {
        let kept = || (0..keep.len()).filter(|&t| keep[t]);
        self.objects = self.objects.select(kept());
        if !self.uvs.is_empty() {
            self.uvs = kept().map(|t| self.uvs[t]).collect();
        }
        self.triangles = kept().map(|t| self.triangles[t]).collect();
    }

    /// Removes triangles with a corner used twice and duplicates; and pairs of opposite faces where
    /// two objects touch.
    fn clean(&mut self, repairs: &mut SurfaceRepairs) {
        let mut keep = vec![true; self.triangles.len()];
        // by corners: the first triangle that runs one way, and the first that runs the other
        let mut seen: BTreeMap<[u32; 3], [Option<usize>; 2]> = BTreeMap::new();
        for (t, &[a, b, c]) in self.triangles.iter().enumerate() {
            if a == b || b == c || c == a {
                keep[t] = false;
                repairs.flat += 1;
                continue;
            }
            let mut corners = [a, b, c];
            corners.sort_unstable();
            let even = corners == [a, b, c] || corners == [b, c, a] || corners == [c, a, b];
            let first = &mut seen.entry(corners).or_default()[usize::from(even)];
            if first.is_some() {
                keep[t] = false;
                repairs.duplicates += 1;
            } else {
                *first = Some(t);
            }
        }
        for pair in seen.values() {
            if let [Some(t), Some(u)] = *pair
                && self.objects.get(t) != self.objects.get(u)
            {
                (keep[t], keep[u]) = (false, false);
                repairs.inner_faces += 1;
            }
        }
        self.retain(&keep);
    }

    /// Joins vertices that are nearly at the same place if that makes an open surface closed.
    fn close(&mut self, used: &[bool], repairs: &mut SurfaceRepairs) {
        if !self.is_open() {
            return;
        }
        let [low, high] = self.bounds().unwrap_or_default();
        let same = near_vertices(&self.vertices, used, low, NEAR * low.distance(high));
        let (mut trial, mut counted) = (self.clone(), *repairs);
        trial.weld(&same, &mut counted.welded_near);
        // those at equal places are among the near ones, and were counted before
        counted.welded_near -= counted.welded.min(counted.welded_near);
        trial.clean(&mut counted);
        if !trial.is_open() && !trial.triangles.is_empty() {
            (*self, *repairs) = (trial, counted);
        }
    }

    fn is_open(&self) -> bool {
        by_edge(&sides(&self.triangles)).any(|same| same.len() == 1)
    }

    /// Removes triangles whose corners lie exactly on a line. One cannot just be taken out: with b
    /// between a and c, the neighbours would meet in a–b–c on one side and a–c on the other. So the
    /// neighbour over a–c is cut in two at b. Flat ones of which that neighbour is flat too wait
    /// for the next round; what no round can mend stays, and is refused later.
    fn swap_flat(&mut self, repairs: &mut SurfaceRepairs) {
        loop {
            let flat: Vec<bool> =
                (0..self.triangles.len()).map(|t| collinear(self.corners(t))).collect();
            if !flat.contains(&true) {
                return;
            }
            let mut touched = vec![false; self.triangles.len()];
            let mut swapped = 0;
            for same in by_edge(&sides(&self.triangles)) {
                let [one, two] = *same else { continue };
                for (s, n) in [(one, two), (two, one)] {
                    let (t, u) = (s.triangle as usize, n.triangle as usize);
                    let opposed = s.forward != n.forward;
                    if opposed
                        && flat[t]
                        && !flat[u]
                        && !touched[t]
                        && !touched[u]
                        && self.cut_at_flat(t, s.side as usize, u, n.side as usize)
                    {
                        (touched[t], touched[u]) = (true, true);
                        swapped += 1;
                    }
                }
            }
            if swapped == 0 {
                return;
            }
            repairs.flat += swapped;
        }
    }

    /// Makes of the flat triangle t, whose side is its longest, and its neighbour u over that side
    /// two that are not flat. `false` if the side is not the longest.
    fn cut_at_flat(&mut self, t: usize, side: usize, u: usize, neighbour_side: usize) -> bool {
        let at = |corner: usize| corner % 3;
        let corners = self.corners(t);
        let [c, a, b] = [0, 1, 2].map(|k| corners[at(side + k)]);
        let (whole, part) = (a - c, b - c);
        let share = part.dot(whole) / whole.length_squared();
        if !(share > 0.0 && share < 1.0) {
            return false;
        }
        // u runs a → c → d, as the side of t runs c → a
        let [ua, uc, ud] = [0, 1, 2].map(|k| at(neighbour_side + k));
        let b = self.triangles[t][at(side + 2)];
        let [a, c, d] = [ua, uc, ud].map(|k| self.triangles[u][k]);
        self.triangles[t] = [a, b, d];
        self.triangles[u] = [b, c, d];
        if !self.uvs.is_empty() {
            let [a, c, d] = [ua, uc, ud].map(|k| self.uvs[u][k]);
            let mix = |k: usize| c[k] + share as f32 * (a[k] - c[k]);
            let b = [mix(0), mix(1)];
            self.uvs[t] = [a, b, d];
            self.uvs[u] = [b, c, d];
        }
        if let Some(object) = self.objects.get(u) {
            self.objects.of[t] = object;
        }
        true
    }

    fn turn(&mut self, t: usize) {
        self.triangles[t].swap(1, 2);
        if let Some(uvs) = self.uvs.get_mut(t) {
            uvs.swap(1, 2);
        }
    }

    /// Makes neighbours face the same way, by flood fill over edges of two triangles; in each part
    /// the fewer ones turn. A part with one side only stays as it is.
    fn face_alike(&mut self, repairs: &mut SurfaceRepairs) {
        let mut links: Vec<(u32, u32, bool)> = Vec::new();
        for same in by_edge(&sides(&self.triangles)) {
            if let [s, t] = *same {
                let differ = s.forward == t.forward;
                links.push((s.triangle, t.triangle, differ));
                links.push((t.triangle, s.triangle, differ));
            }
        }
        links.sort_unstable();
        let mut turned: Vec<Option<bool>> = vec![None; self.triangles.len()];
        for seed in 0..self.triangles.len() {
            if turned[seed].is_some() {
                continue;
            }
            turned[seed] = Some(false);
            let (mut part, mut next, mut two_sided) = (vec![seed as u32], 0, true);
            while let Some(&t) = part.get(next) {
                next += 1;
                let from = links.partition_point(|link| link.0 < t);
                for &(_, to, differ) in links[from..].iter().take_while(|link| link.0 == t) {
                    let wanted = turned[t as usize].map(|turned| turned ^ differ);
                    if turned[to as usize].is_none() {
                        turned[to as usize] = wanted;
                        part.push(to);
                    } else {
                        two_sided &= turned[to as usize] == wanted;
                    }
                }
            }
            let is_turned = |t: &&u32| turned[**t as usize] == Some(true);
            let count = part.iter().filter(is_turned).count();
            let fewer = 2 * count <= part.len();
            if two_sided {
                repairs.turned += count.min(part.len() - count);
                for &t in part.iter().filter(|t| is_turned(t) == fewer) {
                    self.turn(t as usize);
                }
            }
        }
    }

    /// Turns closed parts that are inside out; a cavity keeps facing the other way than the part it
    /// lies in, so that all parts in one turn with it.
    fn face_outwards(&mut self, repairs: &mut SurfaceRepairs) {
        let shells = shells(self);
        for shell in &shells {
            if shells[shell.root].volume < 0.0 {
                repairs.inside_out += 1;
                for &t in &shell.triangles {
                    self.turn(t as usize);
                }
            }
        }
    }

    /// Gives each fan of triangles its own copy of a vertex in which several touch. Where `same`
    /// joined vertices that belong to different fans, that joining is undone and not counted.
    fn split_touching(&mut self, same: &[u32], repairs: &mut SurfaceRepairs) {
        let mut joined = vec![0; self.vertices.len()];
        for (v, &to) in same.iter().enumerate() {
            joined[to as usize] += usize::from(v != to as usize);
        }
        let fans = fans(&self.triangles);
        let mut first: Vec<Option<u32>> = vec![None; self.vertices.len()];
        let mut copies: BTreeMap<u32, u32> = BTreeMap::new();
        for (corner, fan) in fans.into_iter().enumerate() {
            let v = self.triangles[corner / 3][corner % 3] as usize;
            if *first[v].get_or_insert(fan) == fan {
                continue;
            }
            let copy = *copies.entry(fan).or_insert(self.vertices.len() as u32);
            if copy as usize == self.vertices.len() {
                if joined[v] > 0 {
                    joined[v] -= 1;
                    repairs.welded -= 1;
                } else {
                    repairs.split += 1;
                }
                self.vertices.push(self.vertices[v]);
                for attribute in &mut self.attributes {
                    attribute.values.push(attribute.values[v]);
                }
            }
            self.triangles[corner / 3][corner % 3] = copy;
        }
    }

    /// The same without vertices that no triangle uses.
    pub(crate) fn without_unused(mut self) -> Self {
        let used = self.used();
        let kept: Vec<usize> = (0..used.len()).filter(|&v| used[v]).collect();
        let mut number = vec![0; used.len()];
        for (new, &old) in kept.iter().enumerate() {
            number[old] = new as u32;
        }
        self.vertices = kept.iter().map(|&v| self.vertices[v]).collect();
        for attribute in &mut self.attributes {
            *attribute = attribute.select(kept.iter().copied());
        }
        for v in self.triangles.iter_mut().flatten() {
            *v = number[*v as usize];
        }
        self
    }
}

/// The first used vertex at the place of each; those not used stay for themselves.
fn equal_vertices(vertices: &[DVec3], used: &[bool]) -> Vec<u32> {
    // −0 and 0 are the same place
    let key = |v: u32| (vertices[v as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..vertices.len() as u32).filter(|&v| used[v as usize]).collect();
    order.sort_unstable_by_key(|&v| (key(v), v));
    let mut same: Vec<u32> = (0..vertices.len() as u32).collect();
    for equal in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &v in equal {
            same[v as usize] = equal[0];
        }
    }
    same
}

/// The first used vertex of the cluster of each, in which every one is nearer than `reach` to
/// another.
fn near_vertices(vertices: &[DVec3], used: &[bool], low: DVec3, reach: f64) -> Vec<u32> {
    // cells as wide as the reach, so that near ones are in the same cell or the next
    let cell = |v: u32| ((vertices[v as usize] - low) / reach).to_array().map(|x| x as i64);
    let mut cells: Vec<([i64; 3], u32)> =
        (0..vertices.len() as u32).filter(|&v| used[v as usize]).map(|v| (cell(v), v)).collect();
    cells.sort_unstable();
    let mut sets = Sets::new(vertices.len());
    for &([x, y, z], v) in &cells {
        for (dx, dy) in (0..9).map(|k| (k / 3 - 1, k % 3 - 1)) {
            let column = [x + dx, y + dy];
            let from = cells.partition_point(|&(at, _)| at < [column[0], column[1], z - 1]);
            let is_near = |at: [i64; 3]| at <= [column[0], column[1], z + 1];
            for &(_, w) in cells[from..].iter().take_while(|&&(at, _)| is_near(at)) {
                if w < v && vertices[v as usize].distance(vertices[w as usize]) <= reach {
                    sets.join(v, w);
                }
            }
        }
    }
    (0..vertices.len() as u32).map(|v| sets.find(v)).collect()
}
