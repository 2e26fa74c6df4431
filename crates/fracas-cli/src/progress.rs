//! The bar on the terminal while a scene runs.

use fracas::StepReport;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};

use crate::table::{count, number};

/// Weight of the newest frame in the mean shown, so that the figure can be read.
const NEWEST: f64 = 0.1;

/// A bar with the time left and live figures; hidden where nobody watches.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    ms: Option<f64>,
}

impl Progress {
    /// A bar over this many frames. It is drawn only if both outputs are terminals: in a pipe or
    /// a log there is nobody to watch.
    pub fn new(frames: u64) -> Self {
        let watched = io::stdout().is_terminal() && io::stderr().is_terminal();
        let bar = if watched { ProgressBar::new(frames) } else { ProgressBar::hidden() };
        Self { bar: bar.with_style(style()), ms: None }
    }

    /// Shows that a frame is done and what the world is like after it.
    pub fn show(&mut self, report: &StepReport) {
        let newest = report.ms.total;
        let mean = self.ms.map_or(newest, |ms| ms + NEWEST * (newest - ms));
        self.ms = Some(mean);
        if !self.bar.is_hidden() {
            self.bar.set_message(live_figures(mean, report));
            self.bar.inc(1);
        }
    }

    /// Prints a line on stderr without tearing the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Removes the bar.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn live_figures(ms: f64, report: &StepReport) -> String {
    format!(
        "{} ms per frame, {}, {}, {} m/s",
        number(ms),
        count(report.pieces, "piece"),
        count(report.contacts, "contact"),
        number(f64::from(report.max_speed))
    )
}

fn style() -> ProgressStyle {
    // A template that does not parse is a bug that the test below finds; a plain bar is no reason
    // to stop a simulation
    ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar())
}

const TEMPLATE: &str = "{bar:24} {pos}/{len} frames, {eta} left  {wide_msg}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_parses() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }

    #[test]
    fn live_figures_read_well() {
        let report =
            StepReport { pieces: 1, contacts: 12, max_speed: 0.5, ..StepReport::default() };
        assert_eq!(
            live_figures(7.25, &report),
            "7.250 ms per frame, 1 piece, 12 contacts, 0.5000 m/s"
        );
    }
}
