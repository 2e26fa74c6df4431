//! Bending of a sheet: that of a plate, from the places of its vertices alone.
//!
//! Through a triangle and the far corners of its neighbours goes one parabola, H′ its second derivative. Where two triangles meet, the slope is the mean of
//! those of their parabolas, and the second derivative of a triangle is what these slopes make around it:
//!
//! ```text
//! H = H′ + ½/A Σ_e l (n·[∇q]) n nᵀ,   Ψ = ½ A D ( W(H) + W(H − H′) ),   W(H) = (1 − ν) |H|² + ν |tr H|²
//! ```
//!
//! with [∇q] the step from the own slope to the neighbour's in the middle of edge e. H is exact for every parabola, and Σ A H has nothing but what happens
//! at the border: both are needed for a sheet to bend like a plate however it is divided. Slopes of flat triangles in the place of ∇q store 2.9
//! times the energy of twist where diagonals alternate; H′ alone sags 1.7 times as far there. H − H′ vanishes as triangles get smaller, and leaves no
//! shape without energy.
//!
//! At a border, where neighbours are missing, H′ is the one of least energy among those that fit. Every column of the world's x is bent alone, and all of
//! it is quadratic: the matrix is constant, the same for all three, positive, and vanishes for what is flat.

use super::elastic::Element;
use super::remesh::Plane;
use super::rest::{Fabric, mean};
use super::topology::next;
use glam::{DMat3, DVec2, DVec3};

/// Corners of a patch: of the triangle, of its neighbours, of theirs.
const CORNERS: usize = 12;
/// Below this, of 1, what three neighbours tell of a direction is no more than noise: six corners on a conic tell only five things.
const TOLD: f64 = 0.01;

/// H′ of a triangle.
#[derive(Clone, Copy, Debug, Default)]
struct Fit {
    /// Its corners, then the far ones of its neighbours; those that are not there are its first.
    corners: [u32; 6],
    /// What each adds to H′: xx, yy, xy, 1/m².
    c: [[f64; 3]; 6],
}

/// A triangle and what is around it, and how they bend.
#[derive(Clone, Copy, Debug)]
struct Patch {
    corners: [u32; CORNERS],
    count: usize,
    /// What each corner adds to H and to H − H′: xx, yy, xy, 1/m².
    c: [[f64; 3]; CORNERS],
    off: [[f64; 3]; CORNERS],
    /// A D (1 − ν) and A D ν, N m³.
    weight: [f64; 2],
}

/// How a sheet bends: by triangles, and summed up by vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bending {
    fits: Vec<Fit>,
    patches: Vec<Patch>,
    /// Which vertices each acts on, in order, and how stiffly, N/m.
    pub rows: Rows,
    /// Whether any of it is bent at a cost.
    stiff: bool,
}

/// The rows of a symmetric matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    first: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    /// The columns and values of a row.
    pub fn of(&self, v: usize) -> (&[u32], &[f64]) {
        let row = self.first[v] as usize..self.first[v + 1] as usize;
        (&self.columns[row.clone()], &self.values[row])
    }
}

impl Bending {
    /// Anew from the rest plane.
    pub fn follow(&mut self, plane: &Plane, fabric: &Fabric, triangles: &[Element]) {
        self.stiff = fabric.bending.iter().any(|&d| d > 0.0);
        self.fits.clear();
        self.patches.clear();
        self.rows = Rows { first: vec![0; plane.table.vertex_count() + 1], ..Rows::default() };
        if !self.stiff {
            return;
        }
        let all = 0..plane.table.len() as u32;
        self.fits.extend(all.clone().map(|t| Fit::new(plane, fabric, triangles, t)));
        self.patches.extend(all.map(|t| Patch::new(plane, fabric, triangles, &self.fits, t)));
        let vertices = plane.table.vertex_count() as u32;
        self.rows = self.list(plane, |_| true, vertices);
    }

    /// After these triangles have changed, or begun: what is around them.
    pub fn follow_some(
        &mut self,
        plane: &Plane,
        fabric: &Fabric,
        triangles: &[Element],
        changed: &[u32],
    ) {
        if !self.stiff {
            let count = plane.table.vertex_count();
            self.rows.first.resize(count + 1, 0);
            return;
        }
        let fits = with_neighbours(plane, changed);
        let patches = with_neighbours(plane, &fits);
        let mut touched = vec![false; plane.table.vertex_count()];
        let mut touch = |patch: &Patch| {
            patch.corners.iter().for_each(|&v| touched[v as usize] = true);
        };
        let old = |&&t: &&u32| (t as usize) < self.patches.len();
        patches.iter().filter(old).for_each(|&t| touch(&self.patches[t as usize]));
        self.fits.resize(plane.table.len(), Fit::default());
        for &t in &fits {
            self.fits[t as usize] = Fit::new(plane, fabric, triangles, t);
        }
        for &t in &patches {
            let patch = Patch::new(plane, fabric, triangles, &self.fits, t);
            touch(&patch);
            // new ones come last, and all of them have changed
            match self.patches.get_mut(t as usize) {
                Some(old) => *old = patch,
                None => self.patches.push(patch),
            }
        }
        let vertices = plane.table.vertex_count() as u32;
        self.rows = self.list(plane, |v| touched[v as usize], vertices);
    }

    /// Rows of all vertices, of which some are new and the others as they were.
    fn list(&self, plane: &Plane, is_new: impl Fn(u32) -> bool, vertices: u32) -> Rows {
        let mut rows = Rows::default();
        rows.first.reserve(vertices as usize + 1);
        rows.columns.reserve(self.rows.columns.len());
        rows.values.reserve(self.rows.values.len());
        rows.first.push(0);
        let (mut around, mut row) = (Vec::new(), Vec::new());
        for v in 0..vertices {
            if is_new(v) {
                self.find_row(plane, v, &mut around, &mut row);
                rows.columns.extend(row.iter().map(|&(w, _)| w));
                rows.values.extend(row.iter().map(|&(_, stiffness)| stiffness));
            } else {
                let (columns, values) = self.rows.of(v as usize);
                rows.columns.extend_from_slice(columns);
                rows.values.extend_from_slice(values);
            }
            rows.first.push(rows.columns.len() as u32);
        }
        rows
    }

    /// What acts on a vertex, summed in the order of triangles.
    fn find_row(&self, plane: &Plane, v: u32, around: &mut Vec<u32>, row: &mut Vec<(u32, f64)>) {
        around.clear();
        row.clear();
        around.extend(plane.table.fan(v).map(|(t, _)| t));
        let mut from = 0;
        for _ in 0..2 {
            let to = around.len();
            for k in from..to {
                let t = around[k];
                for u in (0..3).filter_map(|k| plane.table.beyond(t, k)) {
                    if !around.contains(&u) {
                        around.push(u);
                    }
                }
            }
            from = to;
        }
        around.sort_unstable();
        for &t in around.iter() {
            let patch = &self.patches[t as usize];
            let corners = &patch.corners[..patch.count];
            let Some(i) = corners.iter().position(|&w| w == v) else { continue };
            for (j, &w) in corners.iter().enumerate() {
                let stiffness = patch.stiffness(i, j);
                match row.iter_mut().find(|(at, _)| *at == w) {
                    Some((_, sum)) => *sum += stiffness,
                    None => row.push((w, stiffness)),
                }
            }
        }
        row.sort_unstable_by_key(|&(w, _)| w);
    }

    /// Ψ of these triangles with the vertices at `x`, J.
    pub fn energy(&self, x: &[DVec3], triangles: impl Iterator<Item = usize>) -> f64 {
        if !self.stiff {
            return 0.0;
        }
        triangles.map(|t| self.patches[t].energy(x)).sum()
    }

    /// The slope of its energy at a vertex, from that to the others, so that it vanishes exactly for a shift.
    pub fn force_at(&self, x: &[DVec3], v: usize) -> DVec3 {
        let (from, mut sum) = (x[v], DVec3::ZERO);
        let (columns, values) = self.rows.of(v);
        for (&w, &stiffness) in columns.iter().zip(values) {
            sum += stiffness * (x[w as usize] - from);
        }
        sum
    }

    /// What a vertex does to itself, the same in all directions, N/m.
    pub fn diagonal(&self, v: usize) -> f64 {
        let (columns, values) = self.rows.of(v);
        columns.binary_search(&(v as u32)).map_or(0.0, |at| values[at])
    }
}

/// Triangles and those across their edges, in order.
fn with_neighbours(plane: &Plane, triangles: &[u32]) -> Vec<u32> {
    let mut all = triangles.to_vec();
    for &t in triangles {
        all.extend((0..3).filter_map(|k| plane.table.beyond(t, k)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// What xx, yy and xy of H each add to ½ p·H p.
fn square(p: DVec2) -> [f64; 3] {
    [0.5 * p.x * p.x, 0.5 * p.y * p.y, p.x * p.y]
}

impl Fit {
    fn new(plane: &Plane, fabric: &Fabric, triangles: &[Element], t: u32) -> Self {
        let own = &triangles[t as usize].corners;
        let mut fit = Self { corners: [own[0]; 6], c: [[0.0; 3]; 6] };
        fit.corners[..3].copy_from_slice(own);
        // how high each far corner is above the plane of the triangle: q·H, of unit length
        let (mut told, mut heights) = (DMat3::ZERO, [[0.0; 4]; 3]);
        let from = plane.rest[own[0] as usize];
        let corners = own.map(|v| plane.rest[v as usize] - from);
        for k in 0..3 {
            let Some(u) = plane.table.beyond(t, k) else { continue };
            let far = far_corner(plane, u, own);
            fit.corners[3 + k] = far;
            let p = plane.rest[far as usize] - from;
            let g = &triangles[t as usize].g;
            let shares = [1.0 - g[1].dot(p) - g[2].dot(p), g[1].dot(p), g[2].dot(p)];
            let mut q = square(p);
            for i in 0..3 {
                let of = square(corners[i]);
                (0..3).for_each(|k| q[k] -= shares[i] * of[k]);
            }
            let q = DVec3::from(q);
            let size = (q.x * q.x + q.y * q.y + 0.5 * q.z * q.z).sqrt();
            *told.col_mut(k) = q / size;
            heights[k] = [-shares[0], -shares[1], -shares[2], 1.0].map(|s| s / size);
        }
        // what is known of H, heaped up by what it costs: H′ = W⁻¹ Q (Qᵀ W⁻¹ Q)⁻¹ heights
        let nu = mean(&fabric.poisson, *own);
        let inverse = 1.0 / (1.0 - nu * nu);
        let gives = DMat3::from_cols(
            DVec3::new(inverse, -nu * inverse, 0.0),
            DVec3::new(-nu * inverse, inverse, 0.0),
            DVec3::new(0.0, 0.0, 0.5 / (1.0 - nu)),
        );
        let soft = gives * told;
        let known = told.transpose() * soft;
        let least = DMat3::from_diagonal(DVec3::splat(TOLD * TOLD));
        let back = soft * (known * known + least).inverse() * known;
        for (k, of) in heights.iter().enumerate() {
            let column = back.col(k).to_array();
            for (corner, share) in [0, 1, 2, 3 + k].into_iter().zip(of) {
                (0..3).for_each(|h| fit.c[corner][h] += share * column[h]);
            }
        }
        fit
    }

    /// Adds the slope of the parabola of a triangle at a place along g: what each of its corners has of it.
    fn add_slope(
        &self,
        plane: &Plane,
        element: &Element,
        at: DVec2,
        g: DVec2,
        mut add: impl FnMut(u32, f64),
    ) {
        let mut of_h = [0.0; 3];
        for (&v, slope) in element.corners.iter().zip(element.g) {
            let along = slope.dot(g);
            add(v, along);
            let q = square(plane.rest[v as usize] - at);
            (0..3).for_each(|k| of_h[k] -= along * q[k]);
        }
        for (&v, c) in self.corners.iter().zip(&self.c) {
            add(v, of_h[0] * c[0] + of_h[1] * c[1] + of_h[2] * c[2]);
        }
    }
}

/// The corner of a triangle that is none of these.
fn far_corner(plane: &Plane, u: u32, own: &[u32; 3]) -> u32 {
    let corners = plane.table.corners()[u as usize];
    corners.into_iter().find(|v| !own.contains(v)).unwrap_or(corners[0])
}

impl Patch {
    fn new(plane: &Plane, fabric: &Fabric, triangles: &[Element], fits: &[Fit], t: u32) -> Self {
        let element = &triangles[t as usize];
        let own = &fits[t as usize];
        let bending = element.area * mean(&fabric.bending, element.corners);
        let nu = mean(&fabric.poisson, element.corners);
        let mut patch = Self {
            corners: [element.corners[0]; CORNERS],
            count: 0,
            c: [[0.0; 3]; CORNERS],
            off: [[0.0; 3]; CORNERS],
            weight: [bending * (1.0 - nu), bending * nu],
        };
        own.corners.iter().for_each(|&v| {
            patch.place(v);
        });
        for k in 0..3 {
            let Some(u) = plane.table.beyond(t, k) else { continue };
            // −g is l n / 2A
            let g = element.g[k];
            let [a, b] = [next(k), next(next(k))].map(|k| element.corners[k] as usize);
            let middle = 0.5 * (plane.rest[a] + plane.rest[b]);
            let scale = -1.0 / g.length_squared();
            let both = [g.x * g.x * scale, g.y * g.y * scale, g.x * g.y * scale];
            let mut add = |v: u32, share: f64| {
                let at = patch.place(v);
                (0..3).for_each(|k| patch.off[at][k] += share * both[k]);
            };
            own.add_slope(plane, element, middle, g, |v, share| add(v, -share));
            let other = &triangles[u as usize];
            fits[u as usize].add_slope(plane, other, middle, g, add);
        }
        patch.c = patch.off;
        for (&v, c) in own.corners.iter().zip(&own.c) {
            let at = patch.place(v);
            (0..3).for_each(|k| patch.c[at][k] += c[k]);
        }
        patch
    }

    /// Where a corner stands; the last one if there is no room, which there is for three triangles of three neighbours.
    fn place(&mut self, v: u32) -> usize {
        let known = self.corners[..self.count].iter().position(|&w| w == v);
        known.unwrap_or_else(|| {
            let at = self.count.min(CORNERS - 1);
            self.corners[at] = v;
            self.count = at + 1;
            at
        })
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        // from the first corner on, so that it vanishes exactly for a shift
        let from = x[self.corners[0] as usize];
        let (mut h, mut off) = ([DVec3::ZERO; 3], [DVec3::ZERO; 3]);
        for i in 1..self.count {
            let d = x[self.corners[i] as usize] - from;
            for k in 0..3 {
                h[k] += self.c[i][k] * d;
                off[k] += self.off[i][k] * d;
            }
        }
        let of = |[xx, yy, xy]: [DVec3; 3]| {
            let all = xx.length_squared() + yy.length_squared() + 2.0 * xy.length_squared();
            self.weight[0] * all + self.weight[1] * (xx + yy).length_squared()
        };
        0.5 * (of(h) + of(off))
    }

    /// What two of its corners do to each other, the same in all directions, N/m.
    fn stiffness(&self, i: usize, j: usize) -> f64 {
        let [shape, trace] = self.weight;
        let of = |a: [f64; 3], b: [f64; 3]| {
            shape * (a[0] * b[0] + a[1] * b[1] + 2.0 * a[2] * b[2])
                + trace * (a[0] + a[1]) * (b[0] + b[1])
        };
        of(self.c[i], self.c[j]) + of(self.off[i], self.off[j])
    }
}

#[cfg(test)]
mod tests {
    use super::super::elastic::Elements;
    use super::super::elastic::tests::fabric;
    use super::super::remesh::tests::{random, square};
    use super::*;

    /// Bent along a side, along a diagonal and twisted, triangles whose diagonals alternate, shaken or not, store W(H) of a plate.
    #[test]
    fn parabolas_store_what_a_plate_does() {
        let (nu, rigidity, mut state) = (0.3, 2.0, 7);
        for shaken in [0.0, 0.4] {
            let plane = square(14, shaken, &mut state);
            let fabric = fabric(plane.rest.len(), [1.0, nu as f32, 0.1, rigidity as f32]);
            let elements = Elements::new(&plane, &fabric);
            // at the border neighbours are missing
            let inside = |t: usize| {
                let corners = plane.table.corners()[t].map(|v| plane.rest[v as usize]);
                corners.iter().all(|p| p.min_element() > 3.5 && p.max_element() < 10.5)
            };
            let inner = || (0..plane.table.len()).filter(|&t| inside(t));
            let area: f64 = inner().map(|t| elements.triangles[t].area).sum();
            for [xx, yy, xy] in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.5]] {
                let height = |p: &DVec2| 0.5 * (xx * p.x * p.x + yy * p.y * p.y) + xy * p.x * p.y;
                let bent: Vec<DVec3> =
                    plane.rest.iter().map(|p| DVec3::new(p.x, p.y, height(p))).collect();
                let square = xx * xx + yy * yy + 2.0 * xy * xy;
                let trace: f64 = xx + yy;
                let wanted = 0.5 * rigidity * area * ((1.0 - nu) * square + nu * trace * trace);
                let share = elements.bending.energy(&bent, inner()) / wanted;
                assert!((share - 1.0).abs() < 0.01, "{share} of theory for {xx}, {yy}, {xy}");
            }
        }
    }

    /// What cracks change is, to the bit, what is found anew: so a world goes on alike after it was saved.
    #[test]
    fn what_follows_a_crack_is_as_if_found_anew() {
        let mut state = 11;
        let mut plane = square(12, 0.3, &mut state);
        let values = [1.0, 0.3, 0.1, 2.0];
        let mut elements = Elements::new(&plane, &fabric(plane.rest.len(), values));
        let mut hops = 0;
        for _ in 0..60 {
            let v = (random(&mut state) * plane.rest.len() as f64) as u32;
            let turn = random(&mut state) * std::f64::consts::TAU;
            if plane.hop(v, DVec2::new(turn.cos(), turn.sin())).is_none() {
                continue;
            }
            hops += 1;
            let mut changed: Vec<u32> = plane.table.written_since(0).collect();
            changed.extend(plane.moved().flat_map(|v| plane.table.fan(v).map(|(t, _)| t)));
            plane.commit();
            let fabric = fabric(plane.rest.len(), values);
            elements.follow_some(&plane, &fabric, &changed);
            let anew = Elements::new(&plane, &fabric);
            for v in 0..plane.rest.len() {
                let [one, other] = [&elements, &anew].map(|e| e.bending.rows.of(v));
                assert!(one == other, "vertex {v} after {hops} hops");
            }
        }
        assert!(hops > 20, "{hops} hops");
    }
}
