//! How a figure is taken.

use crate::clock::Stopwatch;
use crate::stats::median;
use std::time::{Duration, Instant};

/// Rounds of which the best counts.
const ROUNDS: usize = 5;
/// A round goes on until both are reached, so that its median means something.
const MIN_RUNS: usize = 7;
const ROUND_TIME: Duration = Duration::from_millis(150);

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Best of the medians, in ms.
    pub ms_median: f64,
    /// The slowest run of the round that gave that median, in ms.
    pub ms_max: f64,
}

impl Timing {
    /// The one with the lower median.
    pub fn best(self, other: Self) -> Self {
        if other.ms_median < self.ms_median { other } else { self }
    }
}

/// Times `work`, which runs on this many threads, after one run to warm up.
pub fn time(threads: u32, mut work: impl FnMut()) -> Timing {
    work();
    best((0..ROUNDS).map(|_| round(threads, &mut work)))
}

/// The milliseconds of one round's runs.
fn round(threads: u32, work: &mut impl FnMut()) -> Vec<f64> {
    let start = Instant::now();
    let mut ms = Vec::new();
    while ms.len() < MIN_RUNS || start.elapsed() < ROUND_TIME {
        let watch = Stopwatch::start(threads);
        work();
        ms.push(1.0e3 * watch.elapsed().as_secs_f64());
    }
    ms
}

/// The round with the least median.
fn best(rounds: impl Iterator<Item = Vec<f64>>) -> Timing {
    let mut best = Timing { ms_median: f64::INFINITY, ms_max: f64::INFINITY };
    for mut ms in rounds {
        ms.sort_by(f64::total_cmp);
        let ms_median = median(&ms);
        if ms_median < best.ms_median {
            best = Timing { ms_median, ms_max: ms.last().copied().unwrap_or(ms_median) };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_median_counts_with_its_own_maximum() {
        let rounds = [vec![3.0, 1.0, 9.0], vec![2.0, 2.0, 4.0], vec![5.0, 5.0, 5.0]];
        assert_eq!(best(rounds.into_iter()), Timing { ms_median: 2.0, ms_max: 4.0 });
    }

    /// Sleeping takes wall time and no processor time.
    #[test]
    fn one_thread_is_timed_by_the_processor_several_by_the_wall() {
        let sleep = || std::thread::sleep(Duration::from_millis(4));
        let wall = round(2, &mut { sleep });
        assert!(wall.iter().all(|&ms| ms >= 4.0), "{wall:?}");
        let watch = Stopwatch::start(1);
        assert!(matches!(watch, Stopwatch::Processor(_)), "{watch:?}");
    }
}
