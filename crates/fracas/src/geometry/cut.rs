//! Convex polyhedra cut by planes.
//!
//! Which side a vertex is on is decided once, and all else follows from that by counting edges: so
//! both parts are closed, however grazing the cut.

use super::convex::{Convex, FLAT, area_vector, bulging_triangles, edges};
use glam::DVec3;

/// Vertices nearer to the plane than this are on it, relative to the size. A coarser eye looks only
/// if a finer one sees no single line of cut, which takes faces thinner than it resolves.
const EYES: [f64; 4] = [1.0e-9, 1.0e-8, 1.0e-7, 1.0e-6];

/// How far a corner of the cut may lie beyond one of its edges, relative to the size.
/// Where a plane grazes a face, vertices that are on it to the eye can make the line zigzag.
const DENT: f64 = 1.0e-6;

/// A part with less than this share of the volume is no part.
const SLIVER: f64 = 1.0e-12;

/// Where a vertex is, or which part is meant.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Below,
    On,
    Above,
}

/// Both parts of a cut.
struct Halves {
    below: Convex,
    above: Convex,
    cap_area: f64,
}

impl Convex {
    /// The parts with `normal`·x ≤ `offset` and with `normal`·x ≥ `offset`; the normal may have any
    /// length.
    ///
    /// A vertex within 1e-9 of the size of the plane counts as on it and becomes a corner of both.
    /// A part with less than 1e-12 of the volume is none, and the other is the whole. A plane
    /// without direction or with a number that is not finite leaves everything below.
    ///
    /// The corners of the cut are the same bits in both parts, and those on an edge depend on its two
    /// ends alone: a neighbour with the same edge gets the same corner.
    pub fn cut(&self, normal: DVec3, offset: f64) -> (Option<Self>, Option<Self>) {
        match self.halves(normal, offset) {
            Ok(halves) => (Some(halves.below), Some(halves.above)),
            Err(Side::Above) => (None, Some(self.clone())),
            Err(_) => (Some(self.clone()), None),
        }
    }

    /// Area of the section with the plane `normal`·x = `offset`, in m²; 0 where
    /// [`Convex::cut`] leaves the whole.
    pub fn area_of_cap(&self, normal: DVec3, offset: f64) -> f64 {
        self.halves(normal, offset).map_or(0.0, |halves| halves.cap_area)
    }

    /// Both parts, or the side on which everything is.
    fn halves(&self, normal: DVec3, offset: f64) -> Result<Halves, Side> {
        let heights: Vec<f64> = self.vertices.iter().map(|v| normal.dot(*v) - offset).collect();
        let size = normal.length() * self.size();
        for eye in EYES {
            let side = |&h: &f64| {
                let (below, above) = (h < -eye * size, h > eye * size);
                if below { Side::Below } else { [Side::On, Side::Above][usize::from(above)] }
            };
            let sides: Vec<Side> = heights.iter().map(side).collect();
            if !sides.contains(&Side::Above) {
                return Err(Side::Below);
            }
            if !sides.contains(&Side::Below) {
                return Err(Side::Above);
            }
            let on = |(h, s): (&f64, &Side)| if *s == Side::On { h.abs() } else { 0.0 };
            let flat = heights.iter().zip(&sides).map(on).fold(0.0, f64::max) <= FLAT * size;
            if let Some(halves) = self.halves_of_sides(normal, &heights, &sides, flat) {
                return self.without_slivers(halves);
            }
        }
        let (low, high) = self.extent(normal);
        Err(if offset - low < high - offset { Side::Above } else { Side::Below })
    }

    fn without_slivers(&self, halves: Halves) -> Result<Halves, Side> {
        let least = SLIVER * self.volume();
        if halves.below.volume() <= least {
            Err(Side::Above)
        } else if halves.above.volume() <= least {
            Err(Side::Below)
        } else {
            Ok(halves)
        }
    }

    /// Both parts; none if the cut is not one line around the solid.
    fn halves_of_sides(
        &self,
        normal: DVec3,
        heights: &[f64],
        sides: &[Side],
        flat: bool,
    ) -> Option<Halves> {
        let crossed = self.crossed_edges(sides);
        let mut vertices = self.vertices.clone();
        for &[a, b] in &crossed {
            let [(p, h), (q, k)] = [a, b].map(|i| (self.vertices[i as usize], heights[i as usize]));
            vertices.push(p + (q - p) * (h / (h - k)));
        }

        let mut below = self.clipped(normal, sides, &crossed, Side::Below);
        let mut above = self.clipped(normal, sides, &crossed, Side::Above);
        let on = |v: u32| sides.get(v as usize).is_none_or(|s| *s == Side::On);
        let mut rim: Vec<[u32; 2]> = open_edges(&below, on).map(|[a, b]| [b, a]).collect();
        rim.sort_unstable();
        let cap = closed_loop(&rim)?;
        let mut other: Vec<[u32; 2]> = open_edges(&above, on).collect();
        other.sort_unstable();
        if other != rim {
            return None;
        }

        if !is_convex(&vertices, &cap, normal, DENT * self.size()) {
            return None;
        }

        if flat {
            let turned: Vec<u32> = cap.iter().rev().copied().collect();
            below.push_face(&cap);
            above.push_face(&turned);
        } else {
            let mut triangles = Vec::new();
            bulging_triangles(&vertices, &cap, &mut triangles);
            triangles.iter().for_each(|t| below.push_face(t));
            triangles.iter().for_each(|&[a, b, c]| above.push_face(&[a, c, b]));
            // A side of a triangle can be an edge of faces that the cap lies on.
            if !below.is_closed() || !above.is_closed() {
                return None;
            }
        }

        let cap_area = area_vector(cap.iter().map(|&v| vertices[v as usize])).length();
        let [below, above] = [below, above].map(|half| half.with_used(&vertices));
        Some(Halves { below, above, cap_area })
    }

    /// Edges through the plane, each from below to above, in rising order.
    fn crossed_edges(&self, sides: &[Side]) -> Vec<[u32; 2]> {
        let mut crossed: Vec<[u32; 2]> = self
            .faces()
            .flat_map(edges)
            .filter(|e| e.map(|v| sides[v as usize]) == [Side::Below, Side::Above])
            .collect();
        crossed.sort_unstable();
        crossed
    }

    /// The faces of one part without its cap; new vertices are numbered after the old in the order of
    /// the edges they are on.
    fn clipped(&self, normal: DVec3, sides: &[Side], crossed: &[[u32; 2]], part: Side) -> Self {
        let side = |v: u32| sides[v as usize];
        let mut clipped = Self::empty(Vec::new());
        for face in self.faces() {
            // A face can lie in the plane where the solid is bent by less than the tolerance; it
            // bounds what is behind it.
            let lies = || face.iter().all(|&v| side(v) == Side::On);
            let behind = || match area_vector(self.points(face)).dot(normal) >= 0.0 {
                true => Side::Below,
                false => Side::Above,
            };
            if face.iter().all(|&v| side(v) != part) && !(lies() && behind() == part) {
                continue;
            }
            for [a, b] in edges(face) {
                if side(a) == part || side(a) == Side::On {
                    clipped.loops.push(a);
                }
                let edge = if side(a) == Side::Below { [a, b] } else { [b, a] };
                if let Ok(number) = crossed.binary_search(&edge) {
                    clipped.loops.push((sides.len() + number) as u32);
                }
            }
            clipped.ends.push(clipped.loops.len() as u32);
        }
        clipped
    }
}

/// Edges between vertices on the plane that no face runs the other way.
fn open_edges(part: &Convex, on: impl Fn(u32) -> bool) -> impl Iterator<Item = [u32; 2]> {
    let mut all: Vec<[u32; 2]> =
        part.faces().flat_map(edges).filter(|&[a, b]| on(a) && on(b)).collect();
    all.sort_unstable();
    let open = all.clone();
    open.into_iter().filter(move |&[a, b]| all.binary_search(&[b, a]).is_err())
}

/// Whether a polygon around `normal` is on the left of all its edges; those shorter than `dent` have
/// no direction.
fn is_convex(vertices: &[DVec3], cap: &[u32], normal: DVec3, dent: f64) -> bool {
    let up = normal.normalize_or_zero();
    edges(cap).all(|edge| {
        let [a, b] = edge.map(|v| vertices[v as usize]);
        let (inward, length) = (up.cross(b - a), a.distance(b));
        let left = |&v: &u32| inward.dot(vertices[v as usize] - a) >= -dent * length;
        length < dent || cap.iter().all(left)
    })
}

/// The one loop that sorted edges form; none if they form several or cross.
fn closed_loop(edges: &[[u32; 2]]) -> Option<Vec<u32>> {
    let first = edges.first()?[0];
    let mut found = vec![first];
    let mut at = edges[0][1];
    while at != first && found.len() <= edges.len() {
        found.push(at);
        let next = edges.binary_search_by_key(&at, |e| e[0]).ok()?;
        at = edges[next][1];
    }
    (found.len() == edges.len() && found.len() >= 3).then_some(found)
}
