//! `fracas view`: a scene in a window.

use crate::clock;
use crate::exit::Exit;
use crate::output;
use crate::running::{self, MAX_THREADS, available_threads};
use crate::studio::Size;
use anyhow::Result;
use fracas_view::window::{self, WindowOptions};
use std::path::PathBuf;

/// Show a scene in a window: pull, shoot, break, change materials while it runs.
///
/// F1 in the window lists mouse and keys. Mesh and scene files may be dropped on it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A scene file, or the name of a gallery scene (see `fracas scenes`)
    #[arg(default_value = "pot")]
    scene: String,

    /// Threads to run on; the results do not depend on it [default: one per core]
    #[arg(long, value_name = "T",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_THREADS)))]
    threads: Option<u32>,

    /// Size of the window, across and down
    #[arg(long, value_name = "WxH", default_value_t = Size([1280, 720]))]
    size: Size,

    /// Wait at the start until Space is pressed
    #[arg(long)]
    paused: bool,

    /// Write down all that is done, to be repeated
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Do what a file says, as if by mouse and keyboard (see docs/window.md)
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
}

/// Runs the subcommand.
///
/// # Errors
/// A scene that is wrong, no display, nothing to draw with, or a script that cannot go on.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    // what is wrong from the start is told on the terminal, later mistakes in the window
    running::open(&arguments.scene)?;
    if let Some(path) = &arguments.record {
        output::probe_whole(path)?;
    }
    window::open(&WindowOptions {
        scene: arguments.scene.clone(),
        threads: arguments.threads.unwrap_or_else(available_threads),
        clock: clock::seconds,
        size: arguments.size.0,
        paused: arguments.paused,
        record: arguments.record.clone(),
        script: arguments.script.clone(),
    })?;
    Ok(Exit::Fine)
}
