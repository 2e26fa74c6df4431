//! The factor of the matrix of a piece at rest, M/h² + K = L Lᵀ, in f64, by faer on one thread.
//!
//! In the frame of the piece it holds at any angle: it is made anew only with what is held, the length of the substep, materials and
//! pieces. Where elements turn against the piece it is not quite the matrix any more, and preconditions conjugate gradients; where they do not, one
//! substitution is the solution.

use super::lanes::{Point, vector};
use super::tets::Tets;
use crate::parallel::Span;
use crate::solids::Particles;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side, Spec};
use glam::{DMat3, DVec3, Vec3};
use std::mem::MaybeUninit;
use std::sync::Arc;

/// L, and room to substitute with it.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// Place of each vertex of the piece among those that are not held.
    number: Vec<Option<u32>>,
    symbolic: Arc<SymbolicCholesky<u32>>,
    values: Arc<Vec<f64>>,
    unknowns: Vec<f64>,
    stack: Vec<MaybeUninit<u8>>,
}

impl Factor {
    /// Of the particles of a span and the tetrahedra between them; none if everything is held, or the matrix is not positive definite.
    pub fn new(particles: &Particles, tets: &Tets, span: Span, h: f32) -> Option<Self> {
        let mut free = 0;
        let mut count = |&held: &bool| {
            free += u32::from(!held);
            (!held).then(|| free - 1)
        };
        let number: Vec<Option<u32>> =
            particles.held[span.clone()].iter().map(&mut count).collect();
        if free == 0 {
            return None;
        }
        let matrix = lower_half(&Blocks::new(particles, tets, span, &number, h), free as usize)?;
        let ordering = SymmetricOrdering::Amd;
        let (rows, side) = (matrix.symbolic(), Side::Lower);
        let symbolic =
            factorize_symbolic_cholesky(rows, side, ordering, Default::default()).ok()?;
        let mut values = vec![0.0; symbolic.len_val()];
        let needed = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        symbolic
            .factorize_numeric_llt(
                &mut values,
                matrix.as_ref(),
                side,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(needed)),
                Spec::default(),
            )
            .ok()?;
        let needed = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        Some(Self {
            number,
            values: Arc::new(values),
            unknowns: vec![0.0; matrix.ncols()],
            stack: vec![MaybeUninit::uninit(); needed.unaligned_bytes_required()],
            symbolic: Arc::new(symbolic),
        })
    }

    /// d = (M/h² + K)⁻¹ r, kept for [`motion_of`](Self::motion_of), with d = 0 where it is held. Returns r·d.
    pub fn solve(&mut self, r: &[Point]) -> f64 {
        let Self { number, symbolic, values, unknowns, stack } = self;
        for (number, r) in number.iter().zip(r) {
            let Some(k) = number else { continue };
            let at = 3 * *k as usize;
            unknowns[at..at + 3].copy_from_slice(&vector(*r).as_dvec3().to_array());
        }
        let count = unknowns.len();
        let column = MatMut::from_column_major_slice_mut(unknowns, count, 1);
        let factor = LltRef::<u32, f64>::new(symbolic, values);
        factor.solve_in_place_with_conj(Conj::No, column, Par::Seq, MemStack::new(stack));
        let product = |(k, r): (usize, &Point)| vector(*r).as_dvec3().dot(self.unknowns_of(k));
        r.iter().enumerate().map(product).sum()
    }

    fn unknowns_of(&self, k: usize) -> DVec3 {
        let Some(number) = self.number[k] else { return DVec3::ZERO };
        let at = 3 * number as usize;
        DVec3::new(self.unknowns[at], self.unknowns[at + 1], self.unknowns[at + 2])
    }

    /// d of a vertex of the piece.
    #[inline(always)]
    pub fn motion_of(&self, k: usize) -> Vec3 {
        self.unknowns_of(k).as_vec3()
    }
}

/// The lower half of the matrix in blocks of three rows, column by column.
struct Blocks {
    /// Column and row of each, in order.
    at: Vec<[u32; 2]>,
    block: Vec<DMat3>,
}

impl Blocks {
    fn new(particles: &Particles, tets: &Tets, span: Span, number: &[Option<u32>], h: f32) -> Self {
        let of = tets.of(&span);
        let corners = |t: usize| tets.corners[t].map(|v| number[v as usize - span.start]);
        let mut at: Vec<[u32; 2]> = number.iter().flatten().map(|&k| [k, k]).collect();
        for t in of.clone() {
            each_pair(corners(t), |column, row, _, _| at.push([column, row]));
        }
        at.sort_unstable();
        at.dedup();
        let mut all = Self { block: vec![DMat3::ZERO; at.len()], at };
        let inv_h2 = 1.0 / (f64::from(h) * f64::from(h));
        for (&number, j) in number.iter().zip(span.clone()) {
            let Some(k) = number else { continue };
            let inertia = inv_h2 * f64::from(particles.mass[j]);
            all.add(k, k, DMat3::from_diagonal(DVec3::splat(inertia)));
        }
        for t in of {
            let [lambda, mu] = [0, 1].map(|k| f64::from(tets.lame[k][t]));
            let g = [0, 1, 2, 3].map(|corner| tets.gradient_of(t, corner));
            let outer = |a: DVec3, b: DVec3| DMat3::from_cols(b.x * a, b.y * a, b.z * a);
            each_pair(corners(t), |column, row, j, i| {
                let (a, b) = (g[i], g[j]);
                let block = lambda * outer(a, b) + mu * outer(b, a);
                all.add(column, row, block + DMat3::from_diagonal(DVec3::splat(mu * a.dot(b))));
            });
        }
        all
    }

    fn add(&mut self, column: u32, row: u32, block: DMat3) {
        if let Ok(k) = self.at.binary_search(&[column, row]) {
            self.block[k] += block;
        }
    }
}

/// Pairs of corners that are not held, each with its column and row in the lower half, and its corners.
fn each_pair(of: [Option<u32>; 4], mut take: impl FnMut(u32, u32, usize, usize)) {
    for (j, column) in of.iter().enumerate() {
        for (i, row) in of.iter().enumerate() {
            match (*column, *row) {
                (Some(column), Some(row)) if column <= row => take(column, row, j, i),
                _ => {}
            }
        }
    }
}

/// As faer takes it: rows of each column in order, from the diagonal on.
fn lower_half(blocks: &Blocks, free: usize) -> Option<SparseColMat<u32, f64>> {
    let count = 3 * free;
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut first = 0;
    while let Some(&[column, _]) = blocks.at.get(first) {
        let same = blocks.at[first..].iter().take_while(|at| at[0] == column).count();
        for k in 0..3 {
            for (&[_, row], block) in
                blocks.at[first..first + same].iter().zip(&blocks.block[first..])
            {
                let from = if row == column { k } else { 0 };
                for i in from..3 {
                    rows.push(3 * row + i as u32);
                    values.push(block.col(k)[i]);
                }
            }
            starts.push(u32::try_from(rows.len()).ok()?);
        }
        first += same;
    }
    let symbolic = SymbolicSparseColMat::new_checked(count, count, starts, None, rows);
    Some(SparseColMat::new(symbolic, values))
}
