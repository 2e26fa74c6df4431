//! Steps at the pace of real time, and how fast they really were.

use std::collections::VecDeque;

/// How far a step may be late before the lost time is given up, in s of real time.
const SLACK: f64 = 0.05;
/// How long is looked back to tell how fast it was, in s of real time.
const LOOK_BACK: f64 = 1.0;

/// When the next step is due: real time times a speed. Slow motion is fewer steps in a second, never
/// shorter ones. Times are those of one clock, in s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    speed: f64,
    dt: f64,
    due: f64,
}

impl Pacer {
    /// Steps of `dt` seconds in real time, the first at once.
    pub fn new(dt: f64, now: f64) -> Self {
        Self { speed: 1.0, dt, due: now }
    }

    /// Simulated seconds in a second.
    pub fn set_speed(&mut self, speed: f64, now: f64) {
        self.speed = speed;
        self.due = self.due.min(now + self.dt / speed);
    }

    /// The length of a step, of another scene.
    pub fn set_step(&mut self, dt: f64, now: f64) {
        (self.dt, self.due) = (dt, now);
    }

    /// Seconds until the next step; 0 if it is due.
    pub fn wait(&self, now: f64) -> f64 {
        (self.due - now).max(0.0)
    }

    /// A step is begun. What is late is made up for, unless it is too late: then the simulation is
    /// slower than asked for, and does not rush later.
    pub fn begin(&mut self, now: f64) {
        self.due = self.due.max(now - SLACK) + self.dt / self.speed;
    }

    /// Nothing was to be done until now.
    pub fn rest(&mut self, now: f64) {
        self.due = self.due.max(now);
    }
}

/// How fast it really was.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter {
    /// When a step ended, and the milliseconds and the simulated seconds of it.
    steps: VecDeque<(f64, f64, f64)>,
}

impl Meter {
    /// A step of `dt` simulated seconds ended.
    pub fn push(&mut self, now: f64, ms: f64, dt: f64) {
        self.steps.push_back((now, ms, dt));
        // the last that ended before tells when the first of the others began
        while self.steps.get(1).is_some_and(|&(end, ..)| end < now - LOOK_BACK) {
            self.steps.pop_front();
        }
    }

    /// Simulated seconds per second, over the last second, or since the last step where that is longer ago.
    pub fn speed(&self, now: f64) -> f64 {
        let old = self.steps.partition_point(|&(end, ..)| end <= now - LOOK_BACK);
        let mut recent = self.steps.iter().skip(old.saturating_sub(1));
        let Some(&(start, ..)) = recent.next() else { return 0.0 };
        let simulated = recent.fold(0.0, |sum, &(.., dt)| sum + dt);
        simulated / (now - start).max(f64::MIN_POSITIVE)
    }

    /// Milliseconds per step, their mean over the last second.
    pub fn ms(&self) -> f64 {
        let total = self.steps.iter().map(|&(_, ms, _)| ms).fold(0.0, |sum, ms| sum + ms);
        total / self.steps.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps done in `seconds` when each takes `cost` seconds.
    fn steps(speed: f64, seconds: f64, cost: f64) -> usize {
        let (mut now, mut count) = (5.0, 0);
        let mut pacer = Pacer::new(1.0 / 60.0, now);
        pacer.set_speed(speed, now);
        while now < 5.0 + seconds {
            now += pacer.wait(now);
            pacer.begin(now);
            now += cost;
            count += 1;
        }
        count
    }

    /// 60 steps a second in real time, 2 in the slowest motion, whatever a step costs below that.
    #[test]
    fn steps_keep_real_time() {
        for cost in [0.0, 0.001, 0.015] {
            let count = steps(1.0, 2.0, cost);
            assert!((119..=122).contains(&count), "{count} steps at {cost} s each");
        }
        let slow = steps(1.0 / 30.0, 3.0, 0.001);
        assert!((6..=7).contains(&slow), "{slow}");
    }

    /// Steps that take too long follow each other at once.
    #[test]
    fn slow_steps_do_not_wait() {
        let count = steps(1.0, 2.0, 0.1);
        assert!((20..=21).contains(&count), "{count}");
    }

    /// After a second of waiting for one long step there is no rush.
    #[test]
    fn lost_time_is_given_up() {
        let mut pacer = Pacer::new(0.01, 0.0);
        pacer.begin(0.0);
        let mut at_once = 0;
        while pacer.wait(1.0) == 0.0 {
            pacer.begin(1.0);
            at_once += 1;
        }
        assert!(at_once <= 6, "{at_once} steps at once");
    }

    #[test]
    fn faster_is_felt_at_once() {
        let mut pacer = Pacer::new(0.01, 0.0);
        pacer.set_speed(0.01, 0.0);
        pacer.begin(0.0);
        assert!(pacer.wait(0.1) > 0.8);
        pacer.set_speed(1.0, 0.1);
        assert!(pacer.wait(0.1) <= 0.01 + 1e-12);
    }

    #[test]
    fn the_meter_tells_the_truth() {
        let mut meter = Meter::default();
        assert_eq!(meter.speed(3.0), 0.0);
        // every 50 ms a step of 1/60 s that took 40 ms
        for k in 0..60 {
            meter.push(3.0 + 0.05 * f64::from(k), 40.0, 1.0 / 60.0);
        }
        let (now, truth) = (3.0 + 0.05 * 59.0, 20.0 / 60.0);
        assert!((meter.speed(now) - truth).abs() < 0.02, "{}", meter.speed(now));
        assert!((meter.ms() - 40.0).abs() < 1e-9);
        assert_eq!(meter.speed(now + 2.0), 0.0);
    }

    /// Of steps that take longer than is looked back, two are enough to tell.
    #[test]
    fn the_meter_tells_of_slow_steps() {
        let mut meter = Meter::default();
        for k in 0..4 {
            meter.push(5.0 * f64::from(k), 0.0, 1.0);
            let truth = if k == 0 { 0.0 } else { 0.2 };
            assert!((meter.speed(5.0 * f64::from(k)) - truth).abs() < 1e-9, "after step {k}");
        }
    }
}
