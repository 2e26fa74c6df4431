//! The factor of a symmetric matrix whose entries stand near its diagonal: A = L Lᵀ, in f64.

use crate::math::fearless_simd::{Level, Simd, dispatch};
use glam::DMat3;

/// The lower half of a symmetric matrix, each row from its first entry on; its factor later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skyline {
    /// Column of the first entry of each row, and where it stands.
    first: Vec<usize>,
    start: Vec<usize>,
    values: Vec<f64>,
}

impl Skyline {
    /// Zero, in blocks of so many rows, with room from the lowest block that each is joined with up to the diagonal.
    pub fn new(block: usize, lowest: &[u32]) -> Self {
        let rows = lowest.iter().flat_map(|&low| std::iter::repeat_n(block * low as usize, block));
        let first: Vec<usize> = rows.collect();
        let mut size = 0;
        let mut start = Vec::with_capacity(first.len());
        for (row, &first) in first.iter().enumerate() {
            start.push(size);
            size += row + 1 - first;
        }
        Self { first, start, values: vec![0.0; size] }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[self.start[i]..self.start[i] + i + 1 - self.first[i]]
    }

    /// Adds to the entries from a row and a column on.
    pub fn add(&mut self, row: usize, column: usize, block: &DMat3) {
        for (j, values) in block.to_cols_array_2d().iter().enumerate() {
            for (i, value) in values.iter().enumerate() {
                let (row, column) = (row + i, column + j);
                // the other half is the same
                if column <= row {
                    self.values[self.start[row] + column - self.first[row]] += value;
                }
            }
        }
    }

    /// The lower half, row by row, with zeros around.
    pub fn to_dense(&self) -> Vec<f64> {
        let count = self.first.len();
        let mut dense = vec![0.0; count * count];
        for (i, row) in dense.chunks_exact_mut(count.max(1)).enumerate() {
            row[self.first[i]..=i].copy_from_slice(self.row(i));
        }
        dense
    }

    /// L Lᵀ; motions that others can do, whose pivots are below so much of their diagonal, are left out.
    pub fn factor(&mut self, dependent: f64) {
        dispatch!(Level::new(), simd => self.factor_rows(simd, dependent));
    }

    #[inline(always)]
    fn factor_rows<S: Simd>(&mut self, _: S, dependent: f64) {
        for i in 0..self.first.len() {
            let (done, row) = self.values.split_at_mut(self.start[i]);
            let from = self.first[i];
            for j in from..i {
                let other = &done[self.start[j]..self.start[j] + j + 1 - self.first[j]];
                let both = from.max(self.first[j]);
                let pivot = other[j - self.first[j]];
                let sum = dot(&row[both - from..j - from], &other[both - self.first[j]..]);
                let value = &mut row[j - from];
                *value = if pivot > 0.0 { (*value - sum) / pivot } else { 0.0 };
            }
            let diagonal = row[i - from];
            let left = diagonal - dot(&row[..i - from], &row[..i - from]);
            row[i - from] = if left > dependent * diagonal { left.sqrt() } else { 0.0 };
        }
    }

    /// b ← A⁻¹ b, and b·A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) -> f64 {
        dispatch!(Level::new(), simd => self.solve_rows(simd, b))
    }

    #[inline(always)]
    fn solve_rows<S: Simd>(&self, _: S, b: &mut [f64]) -> f64 {
        let mut square = 0.0;
        for i in 0..b.len() {
            let (row, from) = (self.row(i), self.first[i]);
            let pivot = row[i - from];
            let left = b[i] - dot(&row[..i - from], &b[from..i]);
            b[i] = if pivot > 0.0 { left / pivot } else { 0.0 };
            square += b[i] * b[i];
        }
        for i in (0..b.len()).rev() {
            let (row, from) = (self.row(i), self.first[i]);
            let pivot = row[i - from];
            b[i] = if pivot > 0.0 { b[i] / pivot } else { 0.0 };
            let x = b[i];
            for (b, l) in b[from..i].iter_mut().zip(row) {
                *b -= l * x;
            }
        }
        square
    }
}

/// Σ a b, sixteen sums side by side, the rest four by four.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let b = &b[..a.len()];
    let mut sums = [0.0; 16];
    let ((blocks, a), (others, b)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    for (a, b) in blocks.iter().zip(others) {
        for k in 0..16 {
            sums[k] += a[k] * b[k];
        }
    }
    let ((fours, a), (others, b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in fours.iter().zip(others) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    for half in [8, 4, 2, 1] {
        for k in 0..half {
            sums[k] += sums[k + half];
        }
    }
    let last: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    sums[0] + last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A x = b of a matrix of blocks with gaps, and of one whose last row depends on the others.
    #[test]
    fn skyline_solves_what_it_factors() {
        let mut a = Skyline::new(6, &[0, 0, 1]);
        for i in 0..18 {
            for j in a.first[i]..=i {
                let (x, y) = (i as f64, j as f64);
                let value = if i == j { 9.0 + x } else { (x * 1.7 + y * 0.3).sin() };
                let at = a.start[i] + j - a.first[i];
                a.values[at] = value;
            }
        }
        let entry = |a: &Skyline, i: usize, j: usize| {
            let (i, j) = (i.max(j), i.min(j));
            if j < a.first[i] { 0.0 } else { a.values[a.start[i] + j - a.first[i]] }
        };
        let wanted: Vec<f64> = (0..18).map(|i| (i as f64 * 0.7).cos()).collect();
        let mut b: Vec<f64> =
            (0..18).map(|i| (0..18).map(|j| entry(&a, i, j) * wanted[j]).sum()).collect();
        let given = b.clone();
        a.factor(1e-12);
        let square = a.solve(&mut b);
        let product: f64 = b.iter().zip(&given).map(|(x, b)| x * b).sum();
        assert!((square / product - 1.0).abs() < 1e-12);
        for (found, wanted) in b.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-12, "{found} instead of {wanted}");
        }
    }
}
