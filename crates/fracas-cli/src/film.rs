//! `fracas film`: several moments of a scene in one picture.

use crate::exit::Exit;
use crate::output;
use crate::running::{self, Running, available_threads};
use crate::studio::{self, Size, Studio};
use crate::table::count;
use anyhow::{Result, bail};
use fracas::WorldConfig;
use fracas_view::{Picture, contact_sheet};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

/// The most moments of a film: more cannot be looked at.
const MOST_MOMENTS: usize = 100;

/// Run a scene and draw several moments side by side into one PNG file.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A scene file, or the name of a gallery scene (see `fracas scenes`)
    scene: String,

    /// The file to write
    #[arg(short, long, value_name = "FILE.png")]
    output: PathBuf,

    /// The frames to draw, such as 0,30,60 [default: nine from the first to the last]
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    at: Vec<u64>,

    /// Pixels of one moment, across and down
    #[arg(long, value_name = "WxH", default_value_t = Size([640, 360]))]
    size: Size,

    #[command(flatten)]
    options: studio::Options,
}

/// Runs the subcommand.
///
/// # Errors
/// A scene that is wrong, nothing to draw with, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    let Arguments { scene: name, output, .. } = arguments;
    output::probe_whole(output)?;
    let scene = running::open(name)?;
    let frames = moments(&arguments.at, scene.frames())?;
    let last = frames.last().copied().unwrap_or(0);
    let config = WorldConfig { threads: available_threads(), ..scene.world_config() };
    let (world, looks) = scene.build_looks(config)?;
    let mut running = Running::new(world, &scene, last)?.with_dust();
    let mut studio =
        Studio::open(&scene, &running.world, looks, &arguments.options, arguments.size)?;

    // drawn at the end, when a camera that finds its own place has seen all of it
    let mut seen = Vec::new();
    loop {
        studio.watch(&running.world);
        if frames.contains(&running.frame) {
            seen.push(studio.remember(&running));
        }
        if running.frame == last || !running.step() {
            break;
        }
    }
    let exit = running.exit();
    if exit != Exit::Interrupted {
        let pictures =
            seen.iter().map(|moment| studio.draw(moment)).collect::<Result<Vec<Picture>>>()?;
        if let Some(sheet) = contact_sheet(&pictures) {
            studio::write_png(output, &sheet)?;
        }
        running.finish();
        let moments = count(pictures.len() as u64, "moment");
        writeln!(io::stdout(), "{}: {moments} of {name}", output.display())?;
    }
    Ok(exit)
}

/// The frames wanted, each once, in their order; without any, nine spread over all.
fn moments(wanted: &[u64], frames: u64) -> Result<BTreeSet<u64>> {
    if wanted.is_empty() {
        return Ok((0..9).map(|k| k * frames / 8).collect());
    }
    let moments: BTreeSet<u64> = wanted.iter().copied().collect();
    if moments.len() > MOST_MOMENTS {
        bail!("{} moments are too many for one picture: {MOST_MOMENTS} at most", moments.len());
    }
    Ok(moments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_sorted_and_spread() {
        let all = |wanted: &[u64], frames| {
            moments(wanted, frames).unwrap().into_iter().collect::<Vec<_>>()
        };
        assert_eq!(all(&[60, 0, 30, 30], 100), [0, 30, 60]);
        assert_eq!(all(&[], 80), [0, 10, 20, 30, 40, 50, 60, 70, 80]);
        assert_eq!(all(&[], 2), [0, 1, 2]);
        let many: Vec<u64> = (0..101).collect();
        assert!(moments(&many, 10).unwrap_err().to_string().contains("100 at most"));
    }
}
