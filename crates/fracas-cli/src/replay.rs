//! `fracas run --replay`: does again what somebody did to scenes, and compares.

use crate::clock;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::running::{self, watch_ctrl_c};
use crate::stats::{Header, Recorder, StatsFile, Summary, hash_text};
use crate::table::count;
use anyhow::{Context, Result};
use fracas::{StepReport, WorldConfig};
use fracas_scene::play::{Difference, Play, Recording, Replayed, Session};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Replays all sessions of a recording; tells of each what it came to.
///
/// # Errors
/// A recording or a scene that is wrong, an action that can no longer be done, or a file that cannot be
/// written.
pub fn run(file: &Path, threads: u32, stats: Option<&StatsFile>) -> Result<Exit> {
    let recording = Recording::read(file)?;
    if recording.cut_short {
        eprintln!("warning: the last line of {} broke off and is left out", file.display());
    }
    let header =
        Header { scene: file.display().to_string(), version: env!("CARGO_PKG_VERSION"), threads };
    let mut record = Record {
        recorder: Recorder::new(stats, header)?,
        ms: Vec::new(),
        seconds: 0.0,
        unwritten: false,
    };
    let ctrl_c = watch_ctrl_c()?;
    let mut exit = Exit::Fine;
    for session in &recording.sessions {
        let scene = running::open(&session.scene)?;
        let config = WorldConfig { threads, books: stats.is_some(), ..scene.world_config() };
        let mut play = Play::new(scene, config)?;
        play.set_clock(clock::seconds);
        let mut progress = Progress::new(session.frames());
        let before = record.seconds;
        let replayed = session.replay_on(&mut play, &mut |_, report| {
            record.push(&progress, report, before);
            progress.show(report);
            !ctrl_c.load(Ordering::Relaxed)
        });
        progress.finish();
        let replayed = replayed.with_context(|| file.display().to_string())?;
        writeln!(io::stdout(), "{}", summary_line(session, &replayed))?;
        if replayed.scene_changed {
            eprintln!("warning: the text of {} has changed since it was recorded", session.scene);
        }
        if let Some(difference) = &replayed.difference {
            eprintln!("error: {}, {}", file.display(), difference_line(session, difference));
            exit = Exit::Failed;
        }
        if replayed.interrupted {
            exit = Exit::Interrupted;
            break;
        }
    }
    let summary = Summary::new(&record.ms, record.seconds, exit == Exit::Interrupted);
    record.recorder.finish(&summary)?;
    Ok(if exit == Exit::Fine && record.unwritten { Exit::Unwritable } else { exit })
}

/// The stats of all sessions together, their frames and times counted on.
struct Record {
    recorder: Recorder,
    ms: Vec<f64>,
    seconds: f64,
    unwritten: bool,
}

impl Record {
    fn push(&mut self, progress: &Progress, report: &StepReport, before: f64) {
        self.ms.push(report.ms.total);
        self.seconds = before + report.time;
        // a full disk ends the record, not the replay
        if let Err(reason) = self.recorder.push(self.ms.len() as u64, report) {
            progress.say(&format!("error: {reason}; the replay goes on without a record"));
            self.recorder = Recorder::Off;
            self.unwritten = true;
        }
    }
}

fn summary_line(session: &Session, replayed: &Replayed) -> String {
    let Replayed { frames, actions, hashes, last_hash, interrupted, .. } = replayed;
    format!(
        "{}: {}{}, {}, {} compared, hash {}",
        session.scene,
        count(*frames, "frame"),
        if *interrupted { ", interrupted" } else { "" },
        count(*actions, "action"),
        if *hashes == 1 { "1 hash".to_owned() } else { format!("{hashes} hashes") },
        hash_text(*last_hash)
    )
}

fn difference_line(session: &Session, difference: &Difference) -> String {
    let Difference { line, frame, recorded, found } = *difference;
    let now = env!("CARGO_PKG_VERSION");
    let version = if session.version == now {
        String::new()
    } else {
        format!(" by fracas {}, this is {now}", session.version)
    };
    format!(
        "line {line}: after {} the hash is {}, but {} was recorded{version}",
        count(frame, "frame"),
        hash_text(found),
        hash_text(recorded)
    )
}
