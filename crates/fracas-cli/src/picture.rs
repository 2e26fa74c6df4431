//! `fracas picture`: one moment of a scene as PNG.

use crate::exit::Exit;
use crate::output;
use crate::running::{self, Running, available_threads};
use crate::studio::{self, Size, Studio};
use anyhow::Result;
use fracas::WorldConfig;
use std::io::{self, Write};
use std::path::PathBuf;

/// Run a scene up to a frame and draw that as a PNG file.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A scene file, or the name of a gallery scene (see `fracas scenes`)
    scene: String,

    /// The frame to draw; 0 is the start
    #[arg(long, value_name = "N", default_value_t = 0)]
    frame: u64,

    /// The file to write
    #[arg(short, long, value_name = "FILE.png")]
    output: PathBuf,

    /// Pixels across and down
    #[arg(long, value_name = "WxH", default_value_t = Size([1280, 720]))]
    size: Size,

    #[command(flatten)]
    options: studio::Options,
}

/// Runs the subcommand.
///
/// # Errors
/// A scene that is wrong, nothing to draw with, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    let Arguments { scene: name, frame, output, .. } = arguments;
    output::probe_whole(output)?;
    let scene = running::open(name)?;
    let config = WorldConfig { threads: available_threads(), ..scene.world_config() };
    let (world, looks) = scene.build_looks(config)?;
    let mut running = Running::new(world, &scene, *frame)?.with_dust();
    let mut studio =
        Studio::open(&scene, &running.world, looks, &arguments.options, arguments.size)?;
    while running.frame < *frame && running.step() {
        studio.watch(&running.world);
    }
    let exit = running.exit();
    if exit != Exit::Interrupted {
        let moment = studio.remember(&running);
        studio::write_png(output, &studio.draw(&moment)?)?;
        running.finish();
        writeln!(io::stdout(), "{}: frame {frame} of {name}", output.display())?;
    }
    Ok(exit)
}
