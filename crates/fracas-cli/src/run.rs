//! `fracas run`: steps a scene from its first frame to its last.

use crate::clock;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::stats::{Header, Recorder, StatsFile, Summary, hash_text};
use crate::table::{count, number};
use anyhow::{Context, Result};
use fracas::{StepReport, World, WorldConfig};
use fracas_scene::Scene;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most threads a world takes.
const MAX_THREADS: u32 = 64;

/// Run a scene and tell how fast it was.
///
/// On a terminal a bar shows the time left; in a pipe only the last line is printed. Ctrl-C
/// finishes the frame, writes the stats so far and ends with exit code 130; a second Ctrl-C ends
/// at once.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A scene file, or the name of a gallery scene (see `fracas scenes`)
    scene: String,

    /// Frames to run instead of as many as the scene says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frames: Option<u64>,

    /// Threads to run on; the results do not depend on it [default: one per core]
    #[arg(long, value_name = "T",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_THREADS)))]
    threads: Option<u32>,

    /// Write a record of every frame: .json whole at the end, .jsonl line by line
    #[arg(long, value_name = "FILE")]
    stats: Option<StatsFile>,
}

/// Runs the subcommand.
///
/// # Errors
/// A scene that is wrong, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    let interrupted = watch_ctrl_c()?;
    let scene = Scene::open(&arguments.scene)?;
    for warning in scene.warnings() {
        eprintln!("{warning}");
    }

    let threads = arguments.threads.unwrap_or_else(available_threads);
    let header =
        Header { scene: arguments.scene.clone(), version: env!("CARGO_PKG_VERSION"), threads };
    let recorder = Recorder::new(arguments.stats.as_ref(), header)?;

    let config = WorldConfig { threads, books: arguments.stats.is_some(), ..scene.world_config() };
    let mut world = scene.build_with(config)?;
    world.set_clock(clock::seconds);
    let frames = arguments.frames.unwrap_or(scene.frames());

    let ended = step_frames(&mut world, frames, scene.dt(), recorder, &interrupted)?;
    writeln!(io::stdout(), "{}", summary_line(&arguments.scene, &ended))?;
    Ok(ended.exit())
}

/// What a run came to.
struct Ended {
    frames: u64,
    summary: Summary,
    last: StepReport,
    /// The record broke off.
    unwritten: bool,
}

impl Ended {
    fn exit(&self) -> Exit {
        if self.summary.interrupted {
            Exit::Interrupted
        } else if self.unwritten {
            Exit::Unwritable
        } else if self.last.quarantined > 0 {
            Exit::Failed
        } else {
            Exit::Fine
        }
    }
}

/// The run itself: step, record, show, until the last frame or Ctrl-C.
fn step_frames(
    world: &mut World,
    frames: u64,
    dt: f32,
    mut recorder: Recorder,
    interrupted: &AtomicBool,
) -> Result<Ended> {
    let mut progress = Progress::new(frames);
    let mut told = Told::default();
    let mut ms = Vec::new();
    let mut last = StepReport::default();
    let mut unwritten = false;

    for frame in 1..=frames {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        last = world.step(dt);
        world.events(); // drained: nobody here reads them, and they would pile up
        ms.push(last.ms.total);
        // A full disk ends the record, not the run
        if let Err(reason) = recorder.push(frame, &last) {
            progress.say(&format!("error: {reason}; the run goes on without a record"));
            recorder = Recorder::Off;
            unwritten = true;
        }
        told.tell(&progress, frame, &last, world.config());
        progress.show(&last);
    }
    progress.finish();

    let stepped = ms.len() as u64;
    let summary = Summary::new(&ms, last.time, stepped < frames);
    recorder.finish(&summary)?;
    Ok(Ended { frames: stepped, summary, last, unwritten })
}

/// What was said already, so that it is said once.
#[derive(Default)]
struct Told {
    soft: bool,
    quarantined: u64,
}

impl Told {
    fn tell(&mut self, progress: &Progress, frame: u64, report: &StepReport, config: &WorldConfig) {
        if report.stiffness_reached < 1.0 && !self.soft {
            self.soft = true;
            progress.say(&softness(report.stiffness_reached, config));
        }
        if report.quarantined > self.quarantined {
            let new = report.quarantined - self.quarantined;
            self.quarantined = report.quarantined;
            progress.say(&format!(
                "warning: frame {frame}: {} became invalid, put back to the last valid state \
                 and frozen; the others go on",
                count(new, "piece")
            ));
        }
    }
}

/// Tells that a body is softer than its material, and what helps.
///
/// The reachable modulus grows with the square of substeps × sweeps, so that many times the square
/// root of what is missing are needed.
fn softness(reached: f32, config: &WorldConfig) -> String {
    /// The largest substeps × sweeps that a world takes.
    const LIMIT: f64 = 64.0 * 64.0;

    let now = f64::from(config.substeps) * f64::from(config.sweeps);
    let needed = (now / f64::from(reached).sqrt()).ceil();
    let remedy = if needed <= LIMIT {
        format!(
            "raise substeps × sweeps from {now} to about {needed} in the scene's [world], or \
             lower its youngs_modulus"
        )
    } else {
        "no number of sweeps reaches it: use larger particles or a lower youngs_modulus".to_owned()
    };
    format!(
        "warning: the stiffest body acts with {} of its youngs_modulus, because the sweeps cannot \
         reach more; loads shrink by the same factor, strains at yield and break stay those of \
         the material. To change it, {remedy}.",
        number(f64::from(reached))
    )
}

fn summary_line(scene: &str, ended: &Ended) -> String {
    let Ended { frames, summary, last, .. } = ended;
    format!(
        "{scene}: {} in {} s{}, {} ms per frame (p99 {}, max {}), {} times real time, {}, hash {}",
        count(*frames, "frame"),
        number(last.time),
        if summary.interrupted { ", interrupted" } else { "" },
        number(summary.ms_median),
        number(summary.ms_p99),
        number(summary.ms_max),
        number(summary.realtime_factor),
        count(last.pieces, "piece"),
        hash_text(last.hash)
    )
}

fn available_threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    u32::try_from(cores).unwrap_or(MAX_THREADS).min(MAX_THREADS)
}

/// A flag that Ctrl-C raises. The second Ctrl-C ends the program.
fn watch_ctrl_c() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted.code().into());
        }
    })
    .context("cannot watch for Ctrl-C")?;
    Ok(interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(interrupted: bool, quarantined: u64) -> Ended {
        let last = StepReport {
            time: 10.0,
            pieces: 2,
            hash: 0x1234,
            quarantined,
            ..StepReport::default()
        };
        let summary = Summary::new(&[1.0, 3.0], last.time, interrupted);
        Ended { frames: 2, summary, last, unwritten: false }
    }

    #[test]
    fn a_run_ends_with_the_documented_code() {
        assert_eq!(ended(false, 0).exit(), Exit::Fine);
        assert_eq!(ended(false, 1).exit(), Exit::Failed);
        assert_eq!(ended(true, 1).exit(), Exit::Interrupted);
        assert_eq!(Ended { unwritten: true, ..ended(false, 1) }.exit(), Exit::Unwritable);
    }

    #[test]
    fn the_summary_is_one_line_with_the_hash() {
        assert_eq!(
            summary_line("bar", &ended(false, 0)),
            "bar: 2 frames in 10.00 s, 2.000 ms per frame (p99 3.000, max 3.000), 2500 times \
             real time, 2 pieces, hash 0000000000001234"
        );
    }

    /// A quarter of the stiffness wants twice the sweeps; a billionth is out of reach.
    #[test]
    fn softness_names_the_factor_and_the_remedy() {
        let config = WorldConfig { substeps: 4, sweeps: 8, ..WorldConfig::default() };
        let mild = softness(0.25, &config);
        assert!(mild.contains("0.2500 of its youngs_modulus"), "{mild}");
        assert!(mild.contains("from 32 to about 64"), "{mild}");
        assert!(softness(1.0e-9, &config).contains("larger particles"));
        assert!(softness(0.0, &config).contains("larger particles"));
    }
}
