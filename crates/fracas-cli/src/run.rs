//! `fracas run`: steps a scene from its first frame to its last.

use crate::exit::Exit;
use crate::frames::Frames;
use crate::output::Unwritable;
use crate::replay;
use crate::running::{self, MAX_THREADS, Running, available_threads};
use crate::stats::{Header, Recorder, StatsFile, Summary, hash_text};
use crate::studio::{self, Size, Studio};
use crate::table::{count, number};
use anyhow::Result;
use fracas::parallel::Workers;
use fracas::{StepReport, WorldConfig};
use fracas_scene::{Look, Scene};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Run a scene and tell how fast it was.
///
/// On a terminal a bar shows the time left; in a pipe only the last line is printed. Ctrl-C
/// finishes the frame, writes the stats so far and ends with exit code 130; a second Ctrl-C ends
/// at once.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("made").multiple(true)))]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub struct Arguments {
    /// A scene file, or the name of a gallery scene (see `fracas scenes`)
    #[arg(group = "what")]
    scene: Option<String>,

    /// Do again what somebody did to scenes, from a recording, and compare all hashes in it; a difference
    /// is exit code 4
    #[arg(long, value_name = "FILE", group = "what", conflicts_with_all = ["frames", "made"])]
    replay: Option<PathBuf>,

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

    /// Draw frames into this folder, as 000000.png and so on; it is made if need be
    #[arg(long, value_name = "DIR", group = "made")]
    pictures: Option<PathBuf>,

    /// Write the surfaces of all bodies into this folder, as 000000.ply and so on; it is made if
    /// need be
    #[arg(long, value_name = "DIR", group = "made")]
    frames_out: Option<PathBuf>,

    /// Draw or write every so many frames, from the start on
    #[arg(long, value_name = "K", default_value_t = 1, requires = "made",
          value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,

    /// Pixels of a picture, across and down
    #[arg(long, value_name = "WxH", default_value_t = Size([1280, 720]), requires = "pictures")]
    size: Size,

    #[command(flatten)]
    options: studio::Options,
}

/// Runs the subcommand.
///
/// # Errors
/// A scene or a recording that is wrong, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    let threads = arguments.threads.unwrap_or_else(available_threads);
    if let Some(file) = &arguments.replay {
        return replay::run(file, threads, arguments.stats.as_ref());
    }
    // there is one of the two, or the command line is refused
    let name = arguments.scene.clone().unwrap_or_default();
    let scene = running::open(&name)?;
    let header = Header { scene: name.clone(), version: env!("CARGO_PKG_VERSION"), threads };
    let recorder = Recorder::new(arguments.stats.as_ref(), header)?;

    let config = WorldConfig { threads, books: arguments.stats.is_some(), ..scene.world_config() };
    let frames = arguments.frames.unwrap_or(scene.frames());
    let (running, watchers) = if arguments.pictures.is_none() && arguments.frames_out.is_none() {
        (Running::new(scene.build_with(config)?, &scene, frames)?, Watchers::default())
    } else {
        let workers = Workers::new(config.threads)?;
        let (world, looks) = scene.build_looks(config)?;
        let running = Running::new(world, &scene, frames)?.with_dust();
        let watchers = Watchers::open(arguments, &scene, &running, looks, &workers)?;
        (running, watchers)
    };
    let ended = step_frames(running, frames, recorder, watchers)?;
    writeln!(io::stdout(), "{}", summary_line(&name, &ended))?;
    Ok(ended.exit())
}

/// Who makes files of frames.
#[derive(Default)]
struct Watchers<'a> {
    album: Option<Album<'a>>,
    frames: Option<Frames>,
}

impl<'a> Watchers<'a> {
    /// Makes the folders, draws and writes the start.
    fn open(
        arguments: &'a Arguments,
        scene: &Scene,
        running: &Running,
        looks: Vec<Look>,
        workers: &Workers,
    ) -> Result<Self> {
        let folder = arguments.frames_out.as_ref();
        let write =
            |folder: &PathBuf| Frames::open(folder, arguments.every, running, &looks, workers);
        let frames = folder.map(write).transpose()?;
        let folder = arguments.pictures.as_ref();
        let draw = |folder: &'a PathBuf| Album::open(folder, arguments, scene, running, looks);
        Ok(Self { album: folder.map(draw).transpose()?, frames })
    }

    /// Draws and writes the frame. Whoever cannot go on says why and is left out; tells whether all could.
    fn take(&mut self, running: &Running) -> bool {
        let drawn = self.album.as_mut().map_or(Ok(()), |album| album.take(running));
        if let Err(reason) = &drawn {
            running.say(&format!("error: {reason:#}; the run goes on without pictures"));
            self.album = None;
        }
        let written = self.frames.as_mut().map_or(Ok(()), |frames| frames.take(running));
        if let Err(reason) = &written {
            running.say(&format!("error: {reason:#}; the run goes on without frames"));
            self.frames = None;
        }
        drawn.is_ok() && written.is_ok()
    }
}

/// A folder that pictures are drawn into.
struct Album<'a> {
    folder: &'a Path,
    every: u64,
    studio: Studio,
}

impl<'a> Album<'a> {
    /// Makes the folder and draws the start.
    fn open(
        folder: &'a Path,
        arguments: &Arguments,
        scene: &Scene,
        running: &Running,
        looks: Vec<Look>,
    ) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|reason| Unwritable::new(folder, reason))?;
        let studio =
            Studio::open(scene, &running.world, looks, &arguments.options, arguments.size)?;
        let mut album = Self { folder, every: arguments.every, studio };
        album.take(running)?;
        Ok(album)
    }

    /// Draws the frame if it is one of those wanted.
    fn take(&mut self, running: &Running) -> Result<()> {
        self.studio.watch(&running.world);
        if !running.frame.is_multiple_of(self.every) {
            return Ok(());
        }
        let moment = self.studio.remember(running);
        let path = self.folder.join(format!("{:06}.png", running.frame));
        studio::write_png(&path, &self.studio.draw(&moment)?)
    }
}

/// What a run came to.
struct Ended {
    frames: u64,
    summary: Summary,
    last: StepReport,
    /// The record, the pictures or the frames broke off.
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

/// The run itself: step, record, draw, until the last frame or Ctrl-C.
fn step_frames(
    mut running: Running,
    frames: u64,
    mut recorder: Recorder,
    mut watchers: Watchers<'_>,
) -> Result<Ended> {
    let mut ms = Vec::new();
    let mut unwritten = false;
    while running.frame < frames && running.step() {
        ms.push(running.last.ms.total);
        // A full disk ends the record, not the run
        if let Err(reason) = recorder.push(running.frame, &running.last) {
            running.say(&format!("error: {reason}; the run goes on without a record"));
            recorder = Recorder::Off;
            unwritten = true;
        }
        unwritten |= !watchers.take(&running);
    }
    let summary = Summary::new(&ms, running.last.time, running.interrupted);
    recorder.finish(&summary)?;
    Ok(Ended { frames: running.frame, summary, last: running.finish(), unwritten })
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
}
