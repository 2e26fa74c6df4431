//! Stretch and bending of a sheet.
//!
//! Triangles measure Green's strain in their rest plane (004 eq. 3–5 with errata 004.1–4: a matrix with a row of ones, ½ in the strain,
//! thickness, and λ* of plane stress):
//!
//! ```text
//! F = Σ x_i g_iᵀ (3×2),   E = ½ (FᵀF − 1),   S = λ* tr E 1 + 2 μ E,   f_i = −A t F S g_i
//! λ* = 2 λ μ / (λ + 2 μ) = E ν / (1 − ν²)
//! ```
//!
//! The matrix of the solve has S⁺ in the place of S, its part in tension: what is compressed buckles, and a matrix that knew it would not be
//! positive.
//!
//! Bending is that of a plate. How F changes from a triangle to its neighbours is its second derivative (rotation-free triangles; Oñate and
//! Zárate 2000), a vector of the world for each pair of directions:
//!
//! ```text
//! H = −Σ_k sym( g_k ⊗ (F_k − F) ),   Ψ = ½ A D ( (1 − ν) |H|² + ν |tr H|² ),   k over the neighbours there are
//! ```
//!
//! It is quadratic in the places, so that its matrix is constant and positive for any shape; it vanishes for all that is flat, and of what is bent
//! without stretch |H| is the curvature.

use super::remesh::Plane;
use super::rest::{Fabric, mean};
use super::topology::next;
use crate::parallel::Span;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// A triangle at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub corners: [u32; 3],
    /// Gradients of the shape functions, 1/m.
    pub g: [DVec2; 3],
    /// m².
    pub area: f64,
    /// A t λ* and A t μ, N m.
    pub lame: [f64; 2],
    /// A t, m³.
    pub volume: f64,
    /// E_P, of which the stress knows nothing: xx, yy, xy.
    pub plastic: [f64; 3],
}

/// A triangle and its neighbours, and how they bend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Its corners, then the far ones of its neighbours; those that are not there are its first.
    pub corners: [u32; 6],
    /// What each adds to H: xx, yy, xy, 1/m².
    c: [[f64; 3]; 6],
    /// A D (1 − ν) and A D ν, N m³.
    weight: [f64; 2],
}

/// A triangle as it is now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretched {
    /// Columns of F.
    pub f: [DVec3; 2],
    /// A t S⁺: xx, yy, xy, N m.
    pub tension: [f64; 3],
}

/// All that follows from the rest plane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    pub triangles: Vec<Element>,
    /// One of each triangle.
    pub patches: Vec<Patch>,
    /// A vertex of the piece that each triangle is in, as of when pieces were put in order.
    anchor: Vec<u32>,
    /// Vertices joined with each by an edge, and where those of each begin.
    around: Vec<u32>,
    first: Vec<u32>,
}

impl Elements {
    pub fn new(plane: &Plane, fabric: &Fabric) -> Self {
        let mut elements = Self::default();
        elements.follow(plane, fabric);
        elements.follow_pieces(plane);
        elements
    }

    /// After triangles, places or materials have changed.
    pub fn follow(&mut self, plane: &Plane, fabric: &Fabric) {
        let table = &plane.table;
        self.triangles.clear();
        self.triangles.extend((0..table.len() as u32).map(|t| Element::new(plane, fabric, t)));
        let Self { triangles, patches, .. } = self;
        patches.clear();
        let count = 0..table.len() as u32;
        patches.extend(count.map(|t| Patch::new(plane, fabric, triangles, t)));
        // those that began are in no piece until these are put in order
        self.anchor.resize(table.len(), u32::MAX);
        self.list_around(plane);
    }

    /// After pieces have been put in order.
    pub fn follow_pieces(&mut self, plane: &Plane) {
        self.anchor.clear();
        self.anchor.extend(plane.table.corners().iter().map(|corners| corners[0]));
    }

    fn list_around(&mut self, plane: &Plane) {
        self.around.clear();
        self.first.clear();
        for v in 0..plane.table.vertex_count() as u32 {
            self.first.push(self.around.len() as u32);
            for (t, k) in plane.table.fan(v) {
                let [_, a, b] = plane.table.from_corner(t, k);
                self.around.push(a);
                // the last of an open fan
                if plane.table.beyond(t, next(k)).is_none() {
                    self.around.push(b);
                }
            }
        }
        self.first.push(self.around.len() as u32);
    }

    pub fn neighbours(&self, v: usize) -> &[u32] {
        &self.around[self.first[v] as usize..self.first[v + 1] as usize]
    }

    pub fn edge_count(&self) -> usize {
        self.around.len() / 2
    }

    /// What an edge of this length is as a section of a piece, m².
    pub fn section(&self, span: &Span, edge: f64) -> f64 {
        let of = &self.triangles[self.of(span)];
        edge * of.first().map_or(0.0, |element| element.volume / element.area)
    }

    /// The triangles of a piece.
    pub fn of(&self, span: &Span) -> Span {
        // pieces share no corner, and come in the same order
        let before = |end: usize| self.anchor.partition_point(|&v| (v as usize) < end);
        before(span.start)..before(span.end)
    }

    /// Ψ of a piece with its vertices at `x`, J.
    pub fn energy(&self, x: &[DVec3], span: &Span) -> f64 {
        let stretch = self.triangles[self.of(span)].iter().map(|element| element.energy(x));
        let bend = self.patches[self.of(span)].iter().map(|patch| patch.energy(x));
        stretch.sum::<f64>() + bend.sum::<f64>()
    }

    /// The same of triangles that are chosen by their number, for when pieces are not in order.
    pub fn energy_where(&self, x: &[DVec3], chosen: impl Fn(usize) -> bool) -> f64 {
        let all = self.triangles.iter().zip(&self.patches).enumerate();
        let chosen = all.filter(|&(t, _)| chosen(t));
        chosen.map(|(_, (element, patch))| element.energy(x) + patch.energy(x)).sum()
    }

    /// Adds ∇Ψ of a piece with its vertices at `x` to `force`, N, and tells how its triangles are.
    pub fn add_gradient(
        &self,
        x: &[DVec3],
        span: &Span,
        force: &mut [DVec3],
        stretched: &mut [Stretched],
    ) {
        for t in self.of(span) {
            let element = &self.triangles[t];
            let f = element.slope(x);
            let s = element.stress(f);
            let [first, second] =
                [s[0] * f[0] + s[2] * f[1], s[2] * f[0] + s[1] * f[1]].map(|p| element.volume * p);
            for (&v, g) in element.corners.iter().zip(element.g) {
                force[v as usize] += g.x * first + g.y * second;
            }
            stretched[t] = Stretched { f, tension: positive(s).map(|s| element.volume * s) };
        }
        for patch in &self.patches[self.of(span)] {
            patch.add_force(x, force);
        }
    }

    /// Adds K p of a piece.
    pub fn add_product(
        &self,
        stretched: &[Stretched],
        span: &Span,
        p: &[DVec3],
        out: &mut [DVec3],
    ) {
        for t in self.of(span) {
            let (element, Stretched { f, tension }) = (&self.triangles[t], &stretched[t]);
            let d = element.slope(p);
            let [lambda, mu] = element.lame;
            // A t dE, twice
            let (xx, yy) = (2.0 * f[0].dot(d[0]), 2.0 * f[1].dot(d[1]));
            let xy = f[0].dot(d[1]) + f[1].dot(d[0]);
            let trace = 0.5 * lambda * (xx + yy);
            let [sxx, syy, sxy] = [trace + mu * xx, trace + mu * yy, mu * xy];
            let first = sxx * f[0] + sxy * f[1] + tension[0] * d[0] + tension[2] * d[1];
            let second = sxy * f[0] + syy * f[1] + tension[2] * d[0] + tension[1] * d[1];
            for (&v, g) in element.corners.iter().zip(element.g) {
                out[v as usize] += g.x * first + g.y * second;
            }
        }
        for patch in &self.patches[self.of(span)] {
            patch.add_force(p, out);
        }
    }

    /// Adds the blocks on the diagonal of K of a piece.
    pub fn add_diagonal(&self, stretched: &[Stretched], span: &Span, blocks: &mut [DMat3]) {
        for t in self.of(span) {
            let (element, now) = (&self.triangles[t], &stretched[t]);
            for i in 0..3 {
                blocks[element.corners[i] as usize] += element.block(now, i, i);
            }
        }
        for patch in &self.patches[self.of(span)] {
            for i in 0..6 {
                let own = DVec3::splat(patch.stiffness(i, i));
                blocks[patch.corners[i] as usize] += DMat3::from_diagonal(own);
            }
        }
    }
}

impl Element {
    fn new(plane: &Plane, fabric: &Fabric, t: u32) -> Self {
        let corners = plane.table.corners()[t as usize];
        let [a, b, c] = corners.map(|v| plane.rest[v as usize]);
        let inverse = DMat2::from_cols(b - a, c - a).inverse().transpose();
        let g = [-inverse.x_axis - inverse.y_axis, inverse.x_axis, inverse.y_axis];
        let area = 0.5 * plane.twice_area(t);
        let volume = area * mean(&fabric.thickness, corners);
        let (e, nu) = (mean(&fabric.modulus, corners), mean(&fabric.poisson, corners));
        let lame = [e * nu / (1.0 - nu * nu), e / (2.0 * (1.0 + nu))].map(|x| volume * x);
        Self { corners, g, area, lame, volume, plastic: fabric.plastic_of(corners) }
    }

    /// Columns of Σ x_i g_iᵀ, by differences: they vanish exactly for a shift.
    pub fn slope(&self, x: &[DVec3]) -> [DVec3; 2] {
        self.slope_of(self.corners.map(|v| x[v as usize]))
    }

    /// The same from the corners.
    pub fn slope_of(&self, [x0, x1, x2]: [DVec3; 3]) -> [DVec3; 2] {
        let (d1, d2) = (x1 - x0, x2 - x0);
        [self.g[1].x * d1 + self.g[2].x * d2, self.g[1].y * d1 + self.g[2].y * d2]
    }

    /// Green's strain: xx, yy, xy.
    pub fn strain(&self, f: [DVec3; 2]) -> [f64; 3] {
        [
            0.5 * (f[0].length_squared() - 1.0),
            0.5 * (f[1].length_squared() - 1.0),
            0.5 * f[0].dot(f[1]),
        ]
    }

    /// What of the strain is elastic, E − E_P.
    fn elastic(&self, f: [DVec3; 2]) -> [f64; 3] {
        let strain = self.strain(f);
        [0, 1, 2].map(|k| strain[k] - self.plastic[k])
    }

    /// S, the second stress of Piola and Kirchhoff in the rest plane: xx, yy, xy, Pa.
    pub fn stress(&self, f: [DVec3; 2]) -> [f64; 3] {
        let e = self.elastic(f);
        let [lambda, mu] = self.lame.map(|x| x / self.volume);
        let pressure = lambda * (e[0] + e[1]);
        [pressure + 2.0 * mu * e[0], pressure + 2.0 * mu * e[1], 2.0 * mu * e[2]]
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let e = self.elastic(self.slope(x));
        let trace = e[0] + e[1];
        let square = e[0] * e[0] + e[1] * e[1] + 2.0 * e[2] * e[2];
        0.5 * self.lame[0] * trace * trace + self.lame[1] * square
    }

    /// λ F g_i g_jᵀ Fᵀ + μ (g_i·g_j F Fᵀ + F g_j g_iᵀ Fᵀ) + g_i·S⁺ g_j, times A t.
    pub fn block(&self, now: &Stretched, i: usize, j: usize) -> DMat3 {
        let Stretched { f, tension } = now;
        let (gi, gj) = (self.g[i], self.g[j]);
        let (a, b) = (gi.x * f[0] + gi.y * f[1], gj.x * f[0] + gj.y * f[1]);
        let [lambda, mu] = self.lame;
        let both = outer(f[0], f[0]) + outer(f[1], f[1]);
        let pulled = gi.x * (tension[0] * gj.x + tension[2] * gj.y)
            + gi.y * (tension[2] * gj.x + tension[1] * gj.y);
        lambda * outer(a, b)
            + mu * (gi.dot(gj) * both + outer(b, a))
            + DMat3::from_diagonal(DVec3::splat(pulled))
    }
}

impl Patch {
    fn new(plane: &Plane, fabric: &Fabric, triangles: &[Element], t: u32) -> Self {
        let element = &triangles[t as usize];
        let mut corners = [element.corners[0]; 6];
        corners[..3].copy_from_slice(&element.corners);
        let mut c = [[0.0; 3]; 6];
        let mut add = |at: usize, p: DVec2, q: DVec2| {
            let both = [p.x * q.x, p.y * q.y, 0.5 * (p.x * q.y + p.y * q.x)];
            (0..3).for_each(|k| c[at][k] += both[k]);
        };
        for k in 0..3 {
            let Some(u) = plane.table.beyond(t, k) else { continue };
            let (g, other) = (element.g[k], &triangles[u as usize]);
            for (&v, &slope) in other.corners.iter().zip(&other.g) {
                let mine = element.corners.iter().position(|&w| w == v);
                let at = mine.unwrap_or(3 + k);
                corners[at] = v;
                add(at, -g, slope);
            }
            (0..3).for_each(|at| add(at, g, element.g[at]));
        }
        let bending = element.area * mean(&fabric.bending, element.corners);
        let nu = mean(&fabric.poisson, element.corners);
        Self { corners, c, weight: [bending * (1.0 - nu), bending * nu] }
    }

    /// H: xx, yy, xy.
    fn curvature(&self, x: &[DVec3]) -> [DVec3; 3] {
        // from the first corner on, so that it vanishes exactly for a shift
        let from = x[self.corners[0] as usize];
        let mut h = [DVec3::ZERO; 3];
        for (&v, c) in self.corners.iter().zip(&self.c).skip(1) {
            let d = x[v as usize] - from;
            (0..3).for_each(|k| h[k] += c[k] * d);
        }
        h
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let [xx, yy, xy] = self.curvature(x);
        let all = xx.length_squared() + yy.length_squared() + 2.0 * xy.length_squared();
        0.5 * (self.weight[0] * all + self.weight[1] * (xx + yy).length_squared())
    }

    /// Adds the slope of its energy.
    fn add_force(&self, x: &[DVec3], force: &mut [DVec3]) {
        let [xx, yy, xy] = self.curvature(x);
        let [shape, trace] = self.weight;
        let both = trace * (xx + yy);
        let moments = [shape * xx + both, shape * yy + both, 2.0 * shape * xy];
        for (&v, c) in self.corners.iter().zip(&self.c) {
            force[v as usize] += c[0] * moments[0] + c[1] * moments[1] + c[2] * moments[2];
        }
    }

    /// What two of its corners do to each other, the same in all directions, N/m.
    pub fn stiffness(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.c[i], self.c[j]);
        let [shape, trace] = self.weight;
        shape * (a[0] * b[0] + a[1] * b[1] + 2.0 * a[2] * b[2])
            + trace * (a[0] + a[1]) * (b[0] + b[1])
    }
}

/// The part in tension of a stress xx, yy, xy.
pub(crate) fn positive(s: [f64; 3]) -> [f64; 3] {
    let [high, low] = principal(s);
    if low >= 0.0 {
        s
    } else if high <= 0.0 {
        [0.0; 3]
    } else {
        let share = high / (high - low);
        [share * (s[0] - low), share * (s[1] - low), share * s[2]]
    }
}

/// Principal values of a stress xx, yy, xy, the larger first.
pub(crate) fn principal(s: [f64; 3]) -> [f64; 2] {
    let (middle, half) = (0.5 * (s[0] + s[1]), 0.5 * (s[0] - s[1]));
    let radius = (half * half + s[2] * s[2]).sqrt();
    [middle + radius, middle - radius]
}

/// The direction of the larger principal value, of unit length.
pub(crate) fn principal_axis(s: [f64; 3]) -> DVec2 {
    let [high, _] = principal(s);
    // both are along it; the longer is the one that rounding has left
    let (a, b) = (DVec2::new(s[2], high - s[0]), DVec2::new(high - s[1], s[2]));
    let axis = if a.length_squared() > b.length_squared() { a } else { b };
    axis.normalize_or(DVec2::X)
}

/// a bᵀ.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::solids::sheet::remesh::tests::{random, square};

    fn fabric(count: usize, [e, nu, t, d]: [f32; 4]) -> Fabric {
        let of = |value: f32| vec![value; count];
        Fabric {
            thickness: of(t),
            density: of(1.0),
            modulus: of(e),
            poisson: of(nu),
            bending: of(d),
            strength: of(1.0),
            toughness: of(1.0),
            yield_stress: of(f32::INFINITY),
            creep_rate: of(1.0),
            hardening: of(0.0),
            plastic_limit: of(1.0),
            plastic: [0; 3].map(|_| of(0.0)),
            hardened: of(0.0),
        }
    }

    /// Erratum 004.3: λ = μ = 0.4, t = 0.01.
    #[test]
    fn forces_of_a_triangle_are_those_of_erratum_004_3() {
        use crate::solids::sheet::topology::CornerTable;
        let table = CornerTable::new(vec![[0, 1, 2]], 3).unwrap();
        let rest = vec![DVec2::ZERO, DVec2::X, DVec2::Y];
        let plane = Plane::new(table, rest);
        let elements = Elements::new(&plane, &fabric(3, [1.0, 0.25, 0.01, 0.0]));
        let x = [[0.0, 0.0, 0.0], [1.1, 0.0, 0.1], [0.05, 0.95, 0.2]].map(DVec3::from);
        let mut force = [DVec3::ZERO; 3];
        let mut stretched = [Stretched { f: [DVec3::ZERO; 2], tension: [0.0; 3] }];
        elements.add_gradient(&x, &(0..3), &mut force, &mut stretched);
        let wanted = [
            [0.0007775, 0.0001425, 0.0001],
            [-0.0006125, -0.0001425, -0.000085],
            [-0.000165, 0.0, -0.000015],
        ];
        for (force, wanted) in force.iter().zip(wanted) {
            let off = (-*force).distance(DVec3::from(wanted));
            assert!(off < 1e-9, "{} N instead of {wanted:?} N", -*force);
        }
    }

    /// 004.4: the parts in tension and in compression sum up, and have the eigenvalues of one sign.
    #[test]
    fn tension_is_the_positive_part() {
        let mut state = 3;
        for _ in 0..1000 {
            let s = [0; 3].map(|_| 4.0 * random(&mut state) - 2.0);
            let plus = positive(s);
            let minus = positive(s.map(|x| -x)).map(|x| -x);
            for k in 0..3 {
                assert!((plus[k] + minus[k] - s[k]).abs() < 1e-12);
            }
            assert!(principal(plus)[1] > -1e-12 && principal(minus)[0] < 1e-12);
            let axis = principal_axis(s);
            let pull = DVec2::new(s[0] * axis.x + s[2] * axis.y, s[2] * axis.x + s[1] * axis.y);
            assert!(pull.distance(principal(s)[0] * axis) < 1e-9, "{pull} along {axis}");
        }
    }

    /// ∇Ψ by differences of Ψ; K p by differences of ∇Ψ where nothing is compressed; the blocks on the diagonal of K.
    #[test]
    fn gradient_and_matrix_are_derivatives_of_the_energy() {
        let mut state = 9;
        let plane = square(4, 0.4, &mut state);
        let count = plane.rest.len();
        let elements = Elements::new(&plane, &fabric(count, [3.0, 0.3, 0.1, 0.02]));
        let (all, triangles) = (0..count, plane.table.len());
        let mut noise =
            |size: f64| DVec3::from([0; 3].map(|_| size * (2.0 * random(&mut state) - 1.0)));
        let x: Vec<DVec3> =
            plane.rest.iter().map(|p| 1.5 * DVec3::new(p.x, p.y, 0.0) + noise(0.1)).collect();
        let p: Vec<DVec3> = (0..count).map(|_| noise(1.0)).collect();
        let none = Stretched { f: [DVec3::ZERO; 2], tension: [0.0; 3] };
        let gradient = |x: &[DVec3]| {
            let (mut force, mut stretched) = (vec![DVec3::ZERO; count], vec![none; triangles]);
            elements.add_gradient(x, &all, &mut force, &mut stretched);
            (force, stretched)
        };
        let moved =
            |by: f64| -> Vec<DVec3> { x.iter().zip(&p).map(|(x, p)| *x + by * *p).collect() };
        let (force, stretched) = gradient(&x);
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let step = 1e-5;
        let slope = (elements.energy(&moved(step), &all) - elements.energy(&moved(-step), &all))
            / (2.0 * step);
        assert!((slope - dot(&force, &p)).abs() < 1e-7 * slope.abs(), "{slope}");
        assert!(stretched.iter().all(|now| {
            let [xx, yy, xy] = now.tension;
            xx * yy - xy * xy > 0.0
        }));
        let mut product = vec![DVec3::ZERO; count];
        elements.add_product(&stretched, &all, &p, &mut product);
        let (ahead, behind) = (gradient(&moved(step)).0, gradient(&moved(-step)).0);
        for j in 0..count {
            let wanted = (ahead[j] - behind[j]) / (2.0 * step);
            let off = product[j].distance(wanted);
            assert!(off < 1e-6 * (1.0 + wanted.length()), "{} instead of {wanted}", product[j]);
        }
        let mut blocks = vec![DMat3::ZERO; count];
        elements.add_diagonal(&stretched, &all, &mut blocks);
        for j in 0..count {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let mut unit = vec![DVec3::ZERO; count];
                unit[j] = axis;
                let mut image = vec![DVec3::ZERO; count];
                elements.add_product(&stretched, &all, &unit, &mut image);
                assert!(image[j].distance(blocks[j] * axis) < 1e-9 * blocks[j].x_axis.length());
            }
        }
    }

    /// A sheet rolled to a cylinder stores ½ D κ² per area; one that is flat, however it lies, nothing.
    #[test]
    fn a_cylinder_stores_half_d_kappa_squared() {
        let mut state = 4;
        for shaken in [0.0, 0.4] {
            let plane = square(40, shaken, &mut state);
            let count = plane.rest.len();
            let elements = Elements::new(&plane, &fabric(count, [0.0, 0.0, 0.1, 2.0]));
            let flat: Vec<DVec3> = plane.rest.iter().map(|p| DVec3::new(p.y, 3.0, p.x)).collect();
            assert!(elements.energy(&flat, &(0..count)) < 1e-20);
            let radius = 30.0;
            let rolled: Vec<DVec3> = plane
                .rest
                .iter()
                .map(|p| {
                    let turn = p.x / radius;
                    DVec3::new(radius * turn.sin(), p.y, radius * turn.cos())
                })
                .collect();
            // at the border neighbours are missing
            let wanted = 0.5 * 2.0 / (radius * radius) * 40.0 * 40.0;
            let found = elements.energy(&rolled, &(0..count));
            let off = found / wanted - 1.0;
            assert!(off.abs() < 0.06, "{found} J instead of {wanted} J");
        }
    }
}
