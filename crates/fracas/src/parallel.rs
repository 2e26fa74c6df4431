//! Work on several threads with the same bits as on one.
//!
//! Every element of a column is written by exactly one task from inputs that no task writes, so
//! the cuts between tasks cannot show. Sums are folded along a tree whose shape depends on the
//! number of elements alone. Columns are cut by `split_at_mut`, so there is no `unsafe` here.

use crate::world::CommandError;
use std::ops::Range;

/// Elements below which a task is not cut further: about 30 µs of the cheapest pass.
const CHUNK: usize = 512;

/// Tasks that a thread has of a pass: more let a late thread catch up, and each costs a thread a look around.
#[cfg(feature = "parallel")]
const TASKS: usize = 4;

/// Elements per leaf of a sum. Part of every result: changing it changes hashes.
pub(crate) const SUM_LEAF: usize = 1024;

/// A consecutive range of particles.
pub type Span = Range<usize>;

/// The threads of a world.
#[derive(Clone, Debug, Default)]
pub struct Workers {
    #[cfg(feature = "parallel")]
    pool: Option<std::sync::Arc<rayon::ThreadPool>>,
}

impl Workers {
    /// Starts `threads` threads; none are started for one.
    ///
    /// # Errors
    /// [`CommandError::Threads`] if the system refuses. Without the feature `parallel` every
    /// number runs on the caller's thread.
    #[cfg_attr(not(feature = "parallel"), allow(unused_variables, reason = "one thread only"))]
    pub fn new(threads: u32) -> Result<Self, CommandError> {
        #[cfg(feature = "parallel")]
        if threads > 1 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads as usize)
                .thread_name(|i| format!("fracas-{i}"))
                .build()
                .map_err(|e| CommandError::Threads { threads, reason: e.to_string() })?;
            return Ok(Self { pool: Some(std::sync::Arc::new(pool)) });
        }
        Ok(Self::default())
    }

    /// Uses a pool that others use too.
    #[cfg(feature = "parallel")]
    pub fn of_pool(pool: std::sync::Arc<rayon::ThreadPool>) -> Self {
        Self { pool: Some(pool) }
    }

    /// Runs `work` on the pool, so that the joins inside it are spread over its threads.
    pub fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }

    /// Both, at once if there is a free thread.
    pub(crate) fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(feature = "parallel")]
        if self.pool.is_some() {
            return rayon::join(a, b);
        }
        (a(), b())
    }

    fn is_single(&self) -> bool {
        #[cfg(feature = "parallel")]
        return self.pool.is_none();
        #[cfg(not(feature = "parallel"))]
        true
    }

    /// Elements of so many below which a task is not cut further. Where tasks are cut never shows in results, so this may
    /// follow the number of threads.
    fn grain(&self, length: usize, least: usize) -> usize {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return length.div_ceil(TASKS * pool.current_num_threads()).max(least);
        }
        length.max(least)
    }

    /// Calls `work` with every element of `items`.
    pub fn for_each<T: Send>(&self, items: &mut [T], work: &(impl Fn(&mut T) + Sync)) {
        if items.len() < 2 || self.is_single() {
            items.iter_mut().for_each(work);
        } else {
            let (a, b) = items.split_at_mut(items.len() / 2);
            self.join(|| self.for_each(a, work), || self.for_each(b, work));
        }
    }

    /// Calls `work(range, columns of that range)` until all of `span` is covered.
    ///
    /// `columns` begin at `span.start`.
    pub fn for_span<C: Columns>(&self, span: Span, columns: C, work: &(impl Fn(Span, C) + Sync)) {
        let grain = self.grain(span.len(), CHUNK);
        if !span.is_empty() {
            self.for_tasks(span, columns, grain, work);
        }
    }

    fn for_tasks<C: Columns>(
        &self,
        span: Span,
        columns: C,
        grain: usize,
        work: &(impl Fn(Span, C) + Sync),
    ) {
        if span.len() <= grain {
            return work(span, columns);
        }
        let half = (span.len() / 2).next_multiple_of(CHUNK);
        let middle = span.start + half;
        let (a, b) = columns.split_at(half);
        self.join(
            || self.for_tasks(span.start..middle, a, grain, work),
            || self.for_tasks(middle..span.end, b, grain, work),
        );
    }

    /// As [`for_span`](Self::for_span), over the leaves of a sum, which it returns.
    pub fn fold_span<C: Columns, T: Send + std::ops::Add<Output = T>>(
        &self,
        span: Span,
        columns: C,
        work: &(impl Fn(Span, C) -> T + Sync),
    ) -> T {
        let grain = self.grain(span.len(), SUM_LEAF);
        self.fold_tasks(span, columns, grain, work)
    }

    /// The tree is that of the leaves, whatever the tasks.
    fn fold_tasks<C: Columns, T: Send + std::ops::Add<Output = T>>(
        &self,
        span: Span,
        columns: C,
        grain: usize,
        work: &(impl Fn(Span, C) -> T + Sync),
    ) -> T {
        if span.len() <= SUM_LEAF {
            return work(span, columns);
        }
        let half = (span.len() / 2).next_multiple_of(SUM_LEAF);
        let middle = span.start + half;
        let (first, rest) = columns.split_at(half);
        let a = || self.fold_tasks(span.start..middle, first, grain, work);
        let b = || self.fold_tasks(middle..span.end, rest, grain, work);
        let (a, b) = if span.len() <= grain { (a(), b()) } else { self.join(a, b) };
        a + b
    }

    /// Sum of `part` over the leaves of `span`.
    pub fn sum<T: Send + std::ops::Add<Output = T>>(
        &self,
        span: Span,
        part: &(impl Fn(Span) -> T + Sync),
    ) -> T {
        self.fold_span(span, (), &|leaf, ()| part(leaf))
    }
}

/// Slices of equal length that are cut together.
pub trait Columns: Send + Sized {
    /// The first `i` elements of each, and the rest.
    fn split_at(self, i: usize) -> (Self, Self);
}

/// None at all.
impl Columns for () {
    fn split_at(self, _: usize) -> (Self, Self) {
        ((), ())
    }
}

impl<T: Send> Columns for &mut [T] {
    fn split_at(self, i: usize) -> (Self, Self) {
        self.split_at_mut(i)
    }
}

impl<T: Send, const N: usize> Columns for [&mut [T]; N] {
    fn split_at(mut self, i: usize) -> (Self, Self) {
        let rest = self.each_mut().map(|column| {
            let (first, rest) = std::mem::take(column).split_at_mut(i);
            *column = first;
            rest
        });
        (self, rest)
    }
}

/// Columns that may not be there.
impl<C: Columns> Columns for Option<C> {
    fn split_at(self, i: usize) -> (Self, Self) {
        match self.map(|columns| columns.split_at(i)) {
            Some((first, rest)) => (Some(first), Some(rest)),
            None => (None, None),
        }
    }
}

macro_rules! columns_of_tuple {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Columns),+> Columns for ($($name,)+) {
            fn split_at(self, i: usize) -> (Self, Self) {
                let halves = ($(self.$index.split_at(i),)+);
                (($(halves.$index.0,)+), ($(halves.$index.1,)+))
            }
        }
    };
}
columns_of_tuple!(A 0, B 1);
columns_of_tuple!(A 0, B 1, C 2);
columns_of_tuple!(A 0, B 1, C 2, D 3);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// Sums of floats of very different size, where any other grouping shows in the last bits.
    #[test]
    fn sums_have_the_same_bits_for_any_thread_count() {
        let values: Vec<f64> =
            (0..10_007).map(|i| ((i * 7919) % 1009) as f64 * 10f64.powi(i % 17 - 8)).collect();
        let of = |threads| {
            let workers = Workers::new(threads).unwrap();
            workers.enter(|| workers.sum(0..values.len(), &|s: Span| values[s].iter().sum::<f64>()))
        };
        let one: f64 = of(1);
        for threads in [2, 3, 7] {
            assert_eq!(one.to_bits(), of(threads).to_bits(), "{threads} threads");
        }
    }

    /// The same for sums over columns that are written meanwhile.
    #[test]
    fn folds_have_the_same_bits_for_any_thread_count() {
        let of = |threads| {
            let workers = Workers::new(threads).unwrap();
            let mut columns = [vec![0.0f64; 10_007], vec![0.0f64; 10_007]];
            let sum = workers.enter(|| {
                let [a, b] = &mut columns;
                workers.fold_span(7..10_014, [&mut a[..], &mut b[..]], &|range, [a, b]| {
                    let mut sum = 0.0;
                    for (k, i) in range.enumerate() {
                        a[k] = ((i * 7919) % 1009) as f64 * 10f64.powi(i as i32 % 17 - 8);
                        b[k] = -0.3 * a[k];
                        sum += a[k] + b[k];
                    }
                    sum
                })
            });
            (sum.to_bits(), columns)
        };
        let one = of(1);
        assert!(one.1[0][10_006] != 0.0 && one.1[1][5_000] == -0.3 * one.1[0][5_000]);
        for threads in [2, 3, 7] {
            assert_eq!(one, of(threads), "{threads} threads");
        }
    }

    #[test]
    fn every_element_is_visited_once_with_its_own_index() {
        for threads in [1, 2, 3] {
            let workers = Workers::new(threads).unwrap();
            let (mut a, mut b) = (vec![0usize; 5_003], vec![0u8; 5_003]);
            workers.enter(|| {
                let columns = (&mut a[..], &mut b[..]);
                workers.for_span(100..5_103, columns, &|range, (a, b)| {
                    for (k, i) in range.enumerate() {
                        a[k] = i;
                        b[k] += 1;
                    }
                })
            });
            assert!(a.iter().enumerate().all(|(k, &i)| i == k + 100));
            assert!(b.iter().all(|&n| n == 1));
        }
    }
}
