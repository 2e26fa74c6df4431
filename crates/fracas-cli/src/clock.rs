//! The clocks that the engine does not have.

use cpu_time::ProcessTime;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Seconds since the first call: what [`fracas::World::set_clock`] is given.
pub fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Seconds of processor time that this process has used: a clock for
/// [`fracas::World::set_clock`] that other programs on the machine do not drive on. Right for one
/// thread; with several it runs faster than time.
pub fn processor_seconds() -> f64 {
    ProcessTime::try_now().map_or_else(|_| seconds(), |now| now.as_duration().as_secs_f64())
}

/// Time as a benchmark takes it: processor time for one thread, which other programs on the
/// machine do not lengthen, wall time for several, where waiting counts.
#[derive(Debug)]
pub enum Stopwatch {
    /// Processor time of all threads of this process.
    Processor(ProcessTime),
    /// Wall time.
    Wall(Instant),
}

impl Stopwatch {
    /// Starts the right one for work on this many threads.
    pub fn start(threads: u32) -> Self {
        match ProcessTime::try_now() {
            Ok(now) if threads == 1 => Self::Processor(now),
            _ => Self::Wall(Instant::now()),
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        match self {
            // Cannot fail after having started; 0 would show at once in a table of timings
            Self::Processor(start) => start.try_elapsed().unwrap_or_default(),
            Self::Wall(start) => start.elapsed(),
        }
    }
}
