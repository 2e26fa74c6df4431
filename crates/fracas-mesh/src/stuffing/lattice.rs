//! Isosurface stuffing on a uniform lattice, after Labelle & Shewchuk, *Isosurface Stuffing: Fast
//! Tetrahedral Meshes with Good Dihedral Angles*, SIGGRAPH 2007.
//!
//! A body-centred cubic lattice has a point at every corner and at every centre of cubic cells.
//! Its tetrahedra have two long edges, along the axes, and four short ones, from corner to centre.
//! The surface cuts edges; lattice points that are too close to a cut move onto it; what is left
//! of each tetrahedron inside is one to three tetrahedra.

use fracas::glam::DVec3;

use super::FillError;
use super::shape::Shape;
use crate::tets::{self, TetMesh};

/// A point moves onto a cut of a long edge that is closer than this part of the edge (paper,
/// section 3.2: with both values all dihedral angles are above 10.7°).
const WARP_LONG: f64 = 0.24999;

/// The same for short edges.
const WARP_SHORT: f64 = 0.41189;

/// A point this close to the surface, over the cell width, lies on it.
const ON_SURFACE: f64 = 1.0e-6;

/// Cuts are this close to the surface, over the cell width; vertices are put onto it later.
const ROOT_TOLERANCE: f64 = 1.0e-3;

/// Most points of a lattice: 128 MB of distances.
pub(super) const MAX_POINTS: f64 = 16.0e6;

/// A body-centred cubic lattice, with the distance at each of its points.
pub(super) struct Lattice<'a> {
    shape: &'a Shape,
    origin: DVec3,
    /// Width of a cell.
    width: f64,
    /// Thickness that thin parts are raised to, see [`Shape::level`].
    raised_to: f64,
    /// Cells along each axis.
    cells: [u32; 3],
    /// Signed distance at each point, in the order of [`Lattice::index`]. Far from the surface only
    /// the sign is right.
    values: Vec<f64>,
}

/// Where an edge of the lattice crosses the surface.
struct Cut {
    /// The ends, lower index first.
    ends: [u32; 2],
    /// From the first end, over the length of the edge.
    at: f64,
    /// Not taken away by a point that moved.
    alive: bool,
}

impl<'a> Lattice<'a> {
    /// Lays a lattice around a shape, moved by a part of a cell along each axis,
    /// and samples the distance.
    pub(super) fn sample(
        shape: &'a Shape,
        width: f64,
        shift: DVec3,
        raised_to: f64,
    ) -> Result<Self, FillError> {
        let [low, high] = shape.bounds;
        // one cell around the box, one for raised parts, one for the shift and one because centres need the next corner
        let cells = ((high - low) / width).ceil() + DVec3::splat(6.0);
        let points = 2.0 * cells.x * cells.y * cells.z;
        if points.is_nan() || points > MAX_POINTS {
            return Err(FillError::LatticeTooLarge { points });
        }
        let size = cells * width;
        let origin = 0.5 * (low + high) - 0.5 * size + (shift - 0.25) * width;
        let cells = cells.to_array().map(|n| n as u32);
        let values = vec![f64::NAN; points as usize];
        let mut lattice = Self { shape, origin, width, raised_to, cells, values };
        lattice.measure();
        Ok(lattice)
    }

    /// Distances, row by row. All points within |d| of a point at distance d lie on its side, so
    /// runs of them are skipped; those with a neighbour on the other side never are.
    fn measure(&mut self) {
        let [low, high] = self.shape.bounds;
        let near = 1.01 * self.width + self.raised_to;
        for kind in 0..2 {
            for k in 0..self.cells[2] {
                for j in 0..self.cells[1] {
                    let mut known: f64 = 0.0;
                    for i in 0..self.cells[0] {
                        let index = self.index([i, j, k], kind) as usize;
                        known -= known.signum() * self.width;
                        if known.abs() < near {
                            let place = self.position(index as u32);
                            let outside_box = place.distance(place.clamp(low, high));
                            known = if outside_box > near {
                                outside_box
                            } else {
                                self.shape.level(place, self.raised_to)
                            };
                        }
                        let on_surface = known.abs() <= ON_SURFACE * self.width;
                        self.values[index] = if on_surface { 0.0 } else { known };
                    }
                }
            }
        }
    }

    /// Index of the corner (kind 0) or centre (kind 1) of a cell.
    fn index(&self, [x, y, z]: [u32; 3], kind: u32) -> u32 {
        2 * (x + self.cells[0] * (y + self.cells[1] * z)) + kind
    }

    /// Cell of a point, and whether it is its corner (0) or its centre (1).
    fn cell(&self, index: u32) -> ([u32; 3], u32) {
        let (cell, kind) = (index / 2, index % 2);
        let (x, row) = (cell % self.cells[0], cell / self.cells[0]);
        ([x, row % self.cells[1], row / self.cells[1]], kind)
    }

    fn position(&self, index: u32) -> DVec3 {
        let (cell, kind) = self.cell(index);
        let cell = DVec3::from_array(cell.map(f64::from));
        self.origin + self.width * (cell + 0.5 * f64::from(kind))
    }

    /// The tetrahedra: two neighbouring centres and an edge of the face between them. Corners 0, 1
    /// and corners 2, 3 span the long edges.
    fn for_each_tet(&self, mut visit: impl FnMut([u32; 4])) {
        for centre in (1..self.values.len() as u32).step_by(2) {
            let (cell, _) = self.cell(centre);
            for axis in 0..3 {
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                let mut next = cell;
                next[axis] += 1;
                // the corners reach one further
                if (0..3).any(|k| next[k] + 1 >= self.cells[k]) {
                    continue;
                }
                let opposite = self.index(next, 1);
                let ring = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[along_u, along_v]| {
                    let mut corner = next;
                    corner[u] += along_u;
                    corner[v] += along_v;
                    self.index(corner, 0)
                });
                for side in 0..4 {
                    visit([centre, opposite, ring[side], ring[(side + 1) % 4]]);
                }
            }
        }
    }

    /// Fills the inside.
    pub(super) fn stuff(mut self) -> TetMesh {
        let mut cuts = self.cut_edges();
        let moved = self.warp(&mut cuts);
        let mut stencils = Stencils::new(&self, &cuts, moved);
        self.for_each_tet(|tet| stencils.fill(tet));
        stencils.mesh
    }

    /// All edges that cross the surface, sorted by their ends.
    fn cut_edges(&self) -> Vec<Cut> {
        let mut edges = Vec::new();
        self.for_each_tet(|tet| {
            let inside = tet.map(|p| self.values[p as usize] < 0.0);
            if inside == [true; 4] || inside == [false; 4] {
                return;
            }
            for [a, b] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
                let (a, b) = (tet[a].min(tet[b]), tet[a].max(tet[b]));
                if self.values[a as usize] * self.values[b as usize] < 0.0 {
                    edges.push([a, b]);
                }
            }
        });
        edges.sort_unstable();
        edges.dedup();
        edges.into_iter().map(|ends| Cut { ends, at: self.root(ends), alive: true }).collect()
    }

    /// Where the distance is 0 on an edge whose ends lie on both sides: regula falsi with the
    /// Illinois rule (Dowell & Jarratt 1971), which keeps the bracket and so always ends.
    fn root(&self, ends: [u32; 2]) -> f64 {
        let [from, to] = ends.map(|p| self.position(p));
        let [mut f_low, mut f_high] = ends.map(|p| self.values[p as usize]);
        let (mut low, mut high) = (0.0, 1.0);
        let tolerance = ROOT_TOLERANCE * self.width;
        let mut last_was_low = None;
        for _ in 0..60 {
            let at = (low * f_high - high * f_low) / (f_high - f_low);
            let f = self.shape.level(from.lerp(to, at), self.raised_to);
            if f.abs() <= tolerance || high - low <= ROOT_TOLERANCE {
                return at;
            }
            let is_low = f * f_low > 0.0;
            if is_low {
                (low, f_low) = (at, f);
                f_high *= if last_was_low == Some(true) { 0.5 } else { 1.0 };
            } else {
                (high, f_high) = (at, f);
                f_low *= if last_was_low == Some(false) { 0.5 } else { 1.0 };
            }
            last_was_low = Some(is_low);
        }
        0.5 * (low + high)
    }

    /// Moves points that are too close to a cut onto the closest one; gives the new positions,
    /// sorted by point. Their values become 0 and the cuts on all their edges are gone.
    fn warp(&mut self, cuts: &mut [Cut]) -> Vec<(u32, DVec3)> {
        let mut at_point: Vec<(u32, u32)> = Vec::with_capacity(2 * cuts.len());
        for (id, cut) in cuts.iter().enumerate() {
            at_point.extend(cut.ends.map(|p| (p, id as u32)));
        }
        at_point.sort_unstable();
        let mut moved = Vec::new();
        for around in at_point.chunk_by(|a, b| a.0 == b.0) {
            let point = around[0].0;
            let mut nearest: Option<(f64, DVec3)> = None;
            for &(_, id) in around {
                let Cut { ends: [a, b], at, alive } = cuts[id as usize];
                let (far, at) = if a == point { (b, at) } else { (a, 1.0 - at) };
                let limit = if is_long(point, far) { WARP_LONG } else { WARP_SHORT };
                if !alive || at >= limit {
                    continue;
                }
                let (here, there) = (self.position(point), self.position(far));
                let way = at * here.distance(there);
                if nearest.is_none_or(|(least, _)| way < least) {
                    nearest = Some((way, here.lerp(there, at)));
                }
            }
            if let Some((_, place)) = nearest {
                moved.push((point, place));
                self.values[point as usize] = 0.0;
                for &(_, id) in around {
                    cuts[id as usize].alive = false;
                }
            }
        }
        moved
    }
}

/// Long edges join two corners or two centres.
fn is_long(a: u32, b: u32) -> bool {
    a % 2 == b % 2
}

/// What becomes of the tetrahedra of a lattice (paper, figure 3).
struct Stencils<'a> {
    lattice: &'a Lattice<'a>,
    cuts: &'a [Cut],
    moved: Vec<(u32, DVec3)>,
    /// Vertex of the mesh at each point and each cut.
    at_point: Vec<u32>,
    at_cut: Vec<u32>,
    mesh: TetMesh,
}

/// No vertex yet.
const NONE: u32 = u32::MAX;

impl<'a> Stencils<'a> {
    fn new(lattice: &'a Lattice<'a>, cuts: &'a [Cut], moved: Vec<(u32, DVec3)>) -> Self {
        let at_point = vec![NONE; lattice.values.len()];
        let at_cut = vec![NONE; cuts.len()];
        Self { lattice, cuts, moved, at_point, at_cut, mesh: TetMesh::default() }
    }

    /// Keeps the inner part of a tetrahedron.
    fn fill(&mut self, tet: [u32; 4]) {
        let value = |p: &u32| self.lattice.values[*p as usize];
        let pick = |wanted: fn(f64) -> bool| {
            tet.iter().copied().filter(|p| wanted(value(p))).collect::<Vec<u32>>()
        };
        if tet.iter().all(|p| value(p) >= 0.0) {
            return;
        }
        if tet.iter().all(|p| value(p) < 0.0) {
            let corners = tet.map(|p| self.point(p));
            return self.push(corners);
        }
        let (inside, zero, outside) = (pick(|d| d < 0.0), pick(|d| d == 0.0), pick(|d| d > 0.0));
        match (&inside[..], &zero[..], &outside[..]) {
            (_, _, []) => {
                let corners = tet.map(|p| self.point(p));
                self.push(corners);
            }
            (&[a], zero, outside) => {
                let mut corners = [self.point(a); 4];
                for (k, &z) in zero.iter().enumerate() {
                    corners[1 + k] = self.point(z);
                }
                for (k, &o) in outside.iter().enumerate() {
                    corners[1 + zero.len() + k] = self.cut(a, o);
                }
                self.push(corners);
            }
            (&[a, b], &[z], &[o]) => {
                let [first, second] = self.ranked(a, b, o);
                let (z, m, l) = (self.point(z), self.point(first), self.point(second));
                let (cm, cl) = (self.cut(first, o), self.cut(second, o));
                self.push([z, m, l, cl]);
                self.push([z, m, cl, cm]);
            }
            (&[a, b, c], [], &[o]) => self.fill_prism([a, b, c], o),
            (&[a, b], [], &[o, p]) => self.fill_wedge([a, b], [o, p]),
            _ => {}
        }
    }

    /// Three corners inside, one outside. The diagonals are ranked, so one corner has both of its
    /// faces' diagonals and the prism falls into three.
    fn fill_prism(&mut self, inside: [u32; 3], o: u32) {
        let wins = |s: &Self, a: u32| {
            inside.iter().filter(|&&b| b != a && s.ranked(a, b, o)[0] == a).count()
        };
        let mut order = inside;
        order.sort_by_key(|&a| std::cmp::Reverse(wins(self, a)));
        let [t, m, l] = order.map(|p| self.point(p));
        let [ct, cm, cl] = order.map(|p| self.cut(p, o));
        self.push([t, ct, cm, cl]);
        self.push([t, m, cm, cl]);
        self.push([t, m, l, cl]);
    }

    /// Two corners inside, two outside.
    fn fill_wedge(&mut self, [a, b]: [u32; 2], [o, p]: [u32; 2]) {
        let [x, y] = self.ranked(a, b, o);
        let same = self.ranked(a, b, p)[0] == x;
        let [px, py] = [x, y].map(|q| self.point(q));
        let [xo, xp, yo, yp] = [(x, o), (x, p), (y, o), (y, p)].map(|(i, o)| self.cut(i, o));
        if same {
            // both diagonals start at x; that of the cut is free
            self.push([px, py, yo, yp]);
            let choices =
                [[[px, xo, xp, yo], [px, xp, yo, yp]], [[px, xo, xp, yp], [px, xo, yo, yp]]];
            let cosine = |choice: &[[u32; 4]; 2]| {
                let corners = |t: [u32; 4]| t.map(|v| self.mesh.vertices[v as usize]);
                choice.map(|t| unsigned_cosine(corners(t))).into_iter().fold(-1.0, f64::max)
            };
            let best = usize::from(cosine(&choices[1]) < cosine(&choices[0]));
            choices[best].into_iter().for_each(|tet| self.push(tet));
        } else {
            self.push([px, py, yo, xp]);
            self.push([px, xo, xp, yo]);
            self.push([py, yo, yp, xp]);
        }
    }

    /// Which of two corners inside has the diagonal of the quadrilateral that is left of the face
    /// with `o`, first. Depends on the face only, so both tetrahedra there agree: the short cut
    /// edge goes first, and of two short ones that whose cell has even coordinates in sum.
    fn ranked(&self, a: u32, b: u32, o: u32) -> [u32; 2] {
        let a_first = match (is_long(a, o), is_long(b, o)) {
            (false, true) => true,
            (true, false) => false,
            _ => self.lattice.cell(a).0.iter().sum::<u32>() % 2 == 0,
        };
        if a_first { [a, b] } else { [b, a] }
    }

    /// Vertex at a lattice point.
    fn point(&mut self, point: u32) -> u32 {
        if self.at_point[point as usize] == NONE {
            let place = match self.moved.binary_search_by_key(&point, |&(p, _)| p) {
                Ok(k) => self.moved[k].1,
                Err(_) => self.lattice.position(point),
            };
            self.at_point[point as usize] = self.mesh.vertices.len() as u32;
            self.mesh.vertices.push(place);
        }
        self.at_point[point as usize]
    }

    /// Vertex where the edge from `a` to `b` crosses the surface.
    fn cut(&mut self, a: u32, b: u32) -> u32 {
        let ends = [a.min(b), a.max(b)];
        // an edge from inside to outside has a cut, so nothing else is found
        let id = self.cuts.partition_point(|cut| cut.ends < ends);
        if self.at_cut[id] == NONE {
            let [from, to] = ends.map(|p| self.lattice.position(p));
            self.at_cut[id] = self.mesh.vertices.len() as u32;
            self.mesh.vertices.push(from.lerp(to, self.cuts[id].at));
        }
        self.at_cut[id]
    }

    /// Adds a tetrahedron, turned to be positive.
    fn push(&mut self, [a, b, c, d]: [u32; 4]) {
        let volume = tets::volume([a, b, c, d].map(|v| self.mesh.vertices[v as usize]));
        self.mesh.tets.push(if volume < 0.0 { [a, b, d, c] } else { [a, b, c, d] });
    }
}

/// [`super::quality::cosine`] of a tetrahedron that may be inside out.
fn unsigned_cosine([a, b, c, d]: [DVec3; 4]) -> f64 {
    super::quality::cosine([a, b, c, d]).min(super::quality::cosine([a, b, d, c]))
}
