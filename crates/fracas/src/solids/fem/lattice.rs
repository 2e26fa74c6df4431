//! The coarse space of a piece: a lattice around it, in which its vertices move by trilinear weights.
//!
//! ```text
//! A_c = Pᵀ (M/h² + K) P,   y = A_c⁻¹ Pᵀ r,   z += P y
//! ```
//!
//! P has a row per vertex and three columns per node of the lattice; rows of held vertices are 0. A piece of few vertices is its own lattice, and
//! y is then the solution at rest. Nodes are numbered layer by layer along the axis with most of them, so that A_c = L Lᵀ of many keeps near its diagonal. All is in
//! f64: beside the stiffness of glass, the mass of a piece is lost in f32.
//!
//! What the lattice does not know, iterations must find: about two for each vertex along an edge of a cell. So its nodes grow with the
//! piece, or a tetrahedron of a large one would cost more than one of a small one.

use super::lanes::Point;
use super::skyline::Skyline;
use super::tets::Tets;
use crate::math::fearless_simd::{Level, Simd, dispatch, f32x4, prelude::*};
use crate::parallel::{Columns, SUM_LEAF, Span};
use crate::solids::Particles;
use glam::{DMat3, DVec3, Vec3};

/// Vertices up to which a piece is its own lattice.
const OWN: usize = 48;
/// Vertices for each node of a lattice of many: about four along each axis, less at its borders.
const SHARE: usize = 40;
/// Nodes of the lattice of a piece, where that is fewer: the solve is still far cheaper than a product.
const NODES: usize = 80;
/// And at most. Twice as many take four times the time to factor and more room than fits beside the elements in a cache.
const MOST_NODES: usize = 800;
/// Vertices whose forces are summed in f32 before they are summed in f64: those of a leaf of other sums.
const LEAF: usize = SUM_LEAF;
/// A pivot this much below its diagonal is that of a motion which others can do.
const DEPENDENT: f64 = 1e-13;

/// The eight nodes around a vertex and their weights; without weight where there are fewer.
#[derive(Clone, Copy, Debug, Default)]
struct Weights {
    node: [u16; 8],
    weight: [f32; 8],
}

/// Forces on all nodes by some vertices of the piece.
#[derive(Clone, Debug)]
struct Leaf {
    force: Vec<Point>,
}

/// A_c of few nodes or of many: up to [`NODES`] its inverse is quicker, a product without a row that waits for the one before.
#[derive(Clone, Debug)]
enum Matrix {
    /// A_c⁻¹, row by row.
    Inverse(Vec<f64>),
    /// L.
    Factor(Skyline),
}

impl Default for Matrix {
    fn default() -> Self {
        Self::Inverse(Vec::new())
    }
}

/// The coarse space of a piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lattice {
    weights: Vec<Weights>,
    nodes: usize,
    matrix: Matrix,
    leaves: Vec<Leaf>,
    /// Pᵀ r and y.
    force: Vec<f64>,
    answer: Vec<f64>,
    moved: Vec<Point>,
}

impl Lattice {
    /// Of the particles of a span and the tetrahedra between them.
    pub fn new(particles: &Particles, tets: &Tets, span: Span, of: Span, h: f32) -> Self {
        let mut lattice = Self::with_weights(particles, span.clone());
        let mut matrix = lattice.matrix(particles, tets, span.clone(), of, h);
        lattice.matrix = if lattice.nodes <= NODES {
            Matrix::Inverse(inverse(matrix.to_dense(), 3 * lattice.nodes))
        } else {
            matrix.factor(DEPENDENT);
            Matrix::Factor(matrix)
        };
        let leaf = Leaf { force: vec![[0.0; 4]; lattice.nodes] };
        lattice.leaves = vec![leaf; span.len().div_ceil(LEAF)];
        lattice.force = vec![0.0; 3 * lattice.nodes];
        lattice.answer = vec![0.0; 3 * lattice.nodes];
        lattice.moved = vec![[0.0; 4]; lattice.nodes];
        lattice
    }

    fn with_weights(particles: &Particles, span: Span) -> Self {
        let count = span.len();
        if count <= OWN {
            let own = |k: usize| Weights { node: [k as u16; 8], weight: first(1.0) };
            return Self {
                weights: (0..count).map(own).collect(),
                nodes: count,
                ..Self::default()
            }
            .hold(particles, span);
        }
        let rest = &particles.rest[span.clone()];
        let (mut low, mut high) = (rest[0], rest[0]);
        for &x in rest {
            (low, high) = (low.min(x), high.max(x));
        }
        let nodes = (count / SHARE).max(NODES.min(count / 4)).min(MOST_NODES);
        let cells = cells(high - low, nodes);
        let weights = rest.iter().map(|&x| trilinear(x - low, high - low, cells)).collect();
        let nodes = cells.iter().map(|&n| n + 1).product();
        Self { weights, nodes, ..Self::default() }.hold(particles, span)
    }

    /// What is held does not move with the nodes.
    fn hold(mut self, particles: &Particles, span: Span) -> Self {
        for (weights, j) in self.weights.iter_mut().zip(span) {
            if particles.held[j] {
                weights.weight = [0.0; 8];
            }
        }
        self
    }

    /// A_c. With G = Σ_c y_c b_cᵀ and b_c = Σ_i w_ic g_i, a tetrahedron adds
    /// V (λ b bᵀ' + μ b' bᵀ + μ (b·b') I).
    fn matrix(&self, particles: &Particles, tets: &Tets, span: Span, of: Span, h: f32) -> Skyline {
        let mut matrix = Skyline::new(3, &self.lowest(tets, span.clone(), of.clone()));
        let mut add = |a: usize, b: usize, block: DMat3| {
            if a >= b {
                matrix.add(3 * a, 3 * b, &block);
            }
        };
        let inv_h2 = 1.0 / (f64::from(h) * f64::from(h));
        for (weights, j) in self.weights.iter().zip(span.clone()) {
            let mass = inv_h2 * f64::from(particles.mass[j]);
            for (a, wa) in weights.parts() {
                for (b, wb) in weights.parts() {
                    add(a, b, DMat3::from_diagonal(DVec3::splat(mass * wa * wb)));
                }
            }
        }
        let mut around: Vec<(usize, DVec3)> = Vec::with_capacity(32);
        for t in of {
            around.clear();
            for (corner, &v) in tets.corners[t].iter().enumerate() {
                let g = tets.gradient_of(t, corner);
                for (node, w) in self.weights[v as usize - span.start].parts() {
                    match around.iter_mut().find(|(other, _)| *other == node) {
                        Some((_, b)) => *b += w * g,
                        None => around.push((node, w * g)),
                    }
                }
            }
            let [lambda, mu] = [0, 1].map(|k| f64::from(tets.lame[k][t]));
            for &(p, a) in &around {
                for &(q, b) in &around {
                    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(b.x * a, b.y * a, b.z * a);
                    let block = lambda * outer(a, b) + mu * outer(b, a);
                    add(p, q, block + DMat3::from_diagonal(DVec3::splat(mu * a.dot(b))));
                }
            }
        }
        matrix
    }

    /// The lowest node that each shares a tetrahedron with.
    fn lowest(&self, tets: &Tets, span: Span, of: Span) -> Vec<u32> {
        let mut lowest: Vec<u32> = (0..self.nodes as u32).collect();
        for t in of {
            let nodes = || {
                let corners =
                    tets.corners[t].iter().map(|&v| &self.weights[v as usize - span.start]);
                corners.flat_map(|weights| weights.parts()).map(|(node, _)| node as u32)
            };
            let Some(least) = nodes().min() else { continue };
            for node in nodes() {
                lowest[node as usize] = lowest[node as usize].min(least);
            }
        }
        lowest
    }

    /// Room for what [`restrict`](Leaves::restrict) writes, leaf by leaf, and the weights.
    pub fn leaves(&mut self) -> Leaves<'_> {
        Leaves { leaves: &mut self.leaves, weights: &self.weights }
    }

    /// y = A_c⁻¹ Pᵀ r of the leaves as they are, kept for [`motion`](Self::motion). Returns r·P y.
    pub fn answer(&mut self) -> f64 {
        let Self { leaves, force, matrix, answer, moved, .. } = self;
        force.fill(0.0);
        for leaf in &*leaves {
            for (force, leaf) in force.as_chunks_mut::<3>().0.iter_mut().zip(&leaf.force) {
                for k in 0..3 {
                    force[k] += f64::from(leaf[k]);
                }
            }
        }
        match matrix {
            Matrix::Inverse(inverse) => {
                dispatch!(Level::new(), simd => multiply(simd, inverse, force, answer));
            }
            Matrix::Factor(factor) => {
                answer.copy_from_slice(force);
                factor.solve(answer);
            }
        }
        for (moved, y) in moved.iter_mut().zip(answer.as_chunks::<3>().0) {
            *moved = [y[0] as f32, y[1] as f32, y[2] as f32, 0.0];
        }
        force.iter().zip(&*answer).map(|(q, y)| q * y).sum()
    }

    /// (P y) of a vertex of the piece.
    #[inline(always)]
    pub fn motion<S: Simd>(&self, simd: S, k: usize) -> f32x4<S> {
        let Weights { node, weight } = &self.weights[k];
        let mut sum = f32x4::splat(simd, 0.0);
        for i in 0..8 {
            let y = f32x4::from_slice(simd, &self.moved[node[i] as usize]);
            sum += y * f32x4::splat(simd, weight[i]);
        }
        sum
    }
}

/// Forces on nodes by the vertices of some leaves, which are cut between leaves only.
pub(crate) struct Leaves<'a> {
    leaves: &'a mut [Leaf],
    weights: &'a [Weights],
}

impl Leaves<'_> {
    /// Σ w r of the one leaf that is left.
    #[inline(always)]
    pub fn restrict<S: Simd>(self, simd: S, r: &[Point]) {
        for leaf in self.leaves {
            restrict(simd, self.weights, r, &mut leaf.force);
        }
    }
}

impl Columns for Leaves<'_> {
    fn split_at(self, i: usize) -> (Self, Self) {
        debug_assert_eq!(i % LEAF, 0, "a cut within a leaf");
        let (first, rest) = self.leaves.split_at_mut(i / LEAF);
        let (weights, others) = self.weights.split_at(i);
        (Self { leaves: first, weights }, Self { leaves: rest, weights: others })
    }
}

impl Weights {
    fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        let all = self.node.iter().zip(self.weight);
        all.filter(|&(_, w)| w != 0.0).map(|(&node, w)| (node as usize, f64::from(w)))
    }
}

fn first(weight: f32) -> [f32; 8] {
    std::array::from_fn(|k| if k == 0 { weight } else { 0.0 })
}

/// Cells along each axis, about cubes, with at most so many nodes.
fn cells(size: Vec3, nodes: usize) -> [usize; 3] {
    let most = size.max_element();
    let mut best = [1; 3];
    for k in 1..nodes {
        let cell = most / k as f32;
        let along = size.to_array().map(|x| ((x / cell).round() as usize).max(1));
        if along.iter().map(|&n| n + 1).product::<usize>() > nodes {
            break;
        }
        best = along;
    }
    best
}

/// Nodes and weights of a point in a box of so many cells.
fn trilinear(x: Vec3, size: Vec3, cells: [usize; 3]) -> Weights {
    let mut low = [0; 3];
    let mut part = [0.0; 3];
    for k in 0..3 {
        let at = if size[k] > 0.0 { x[k] / size[k] * cells[k] as f32 } else { 0.0 };
        low[k] = (at as usize).min(cells[k] - 1);
        part[k] = at - low[k] as f32;
    }
    let mut weights = Weights::default();
    // the axis with most cells is counted last
    let mut order = [0, 1, 2];
    order.sort_by_key(|&k| std::cmp::Reverse(cells[k]));
    for corner in 0..8 {
        let (mut node, mut weight) = (0, 1.0);
        for k in order {
            let far = corner >> k & 1;
            node = node * (cells[k] + 1) + low[k] + far;
            weight *= if far == 1 { part[k] } else { 1.0 - part[k] };
        }
        (weights.node[corner], weights.weight[corner]) = (node as u16, weight);
    }
    weights
}

/// Σ w r into a leaf.
#[inline(always)]
fn restrict<S: Simd>(simd: S, weights: &[Weights], r: &[Point], leaf: &mut [Point]) {
    leaf.fill([0.0; 4]);
    for (weights, r) in weights.iter().zip(r) {
        let r = f32x4::from_slice(simd, r);
        for i in 0..8 {
            let place = &mut leaf[weights.node[i] as usize];
            let sum = f32x4::from_slice(simd, place) + r * f32x4::splat(simd, weights.weight[i]);
            sum.store_slice(place);
        }
    }
}

/// y = B q of a symmetric matrix, by columns: sums in the order of q.
#[inline(always)]
fn multiply<S: Simd>(_: S, matrix: &[f64], q: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    for (row, &q) in matrix.chunks_exact(y.len()).zip(q) {
        for (y, b) in y.iter_mut().zip(row) {
            *y += q * b;
        }
    }
}

/// A⁻¹ by Cholesky; motions that others can do are left out.
fn inverse(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    // L in the lower half
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        for j in 0..i {
            let other = &above[j * n..j * n + j + 1];
            let pivot = other[j];
            row[j] = if pivot > 0.0 { (row[j] - dot(&row[..j], other)) / pivot } else { 0.0 };
        }
        let diagonal = row[i];
        let left = diagonal - dot(&row[..i], &row[..i]);
        row[i] = if left > DEPENDENT * diagonal { left.sqrt() } else { 0.0 };
    }
    // L⁻¹, row by row
    let mut lower = vec![0.0; n * n];
    for i in 0..n {
        let pivot = a[i * n + i];
        if pivot == 0.0 {
            continue;
        }
        let (above, row) = lower.split_at_mut(i * n);
        let row = &mut row[..n];
        for k in 0..i {
            let factor = a[i * n + k];
            for (x, y) in row[..=k].iter_mut().zip(&above[k * n..]) {
                *x -= factor * y;
            }
        }
        row[i] = 1.0;
        row[..=i].iter_mut().for_each(|x| *x /= pivot);
    }
    // L⁻ᵀ L⁻¹
    a.fill(0.0);
    for k in 0..n {
        let row = &lower[k * n..k * n + k + 1];
        for (i, &factor) in row.iter().enumerate() {
            for (x, y) in a[i * n..].iter_mut().zip(row) {
                *x += factor * y;
            }
        }
    }
    a
}

/// Σ a b, four sums side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, last) = a.as_chunks::<4>();
    for (a, b) in fours.iter().zip(b.as_chunks::<4>().0) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let from = 4 * fours.len();
    let last: f64 = last.iter().zip(&b[from..]).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + last
}
