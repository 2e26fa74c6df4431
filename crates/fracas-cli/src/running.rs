//! A scene that runs, frame by frame, while somebody watches.

use crate::clock;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::table::{count, number};
use anyhow::{Context, Result};
use fracas::skin::{Dust, DustConfig, Speck};
use fracas::{Event, StepReport, World, WorldConfig};
use fracas_scene::Scene;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most threads a world takes.
pub const MAX_THREADS: u32 = 64;

/// A world with the frames it has done, a bar on the terminal, and an ear for Ctrl-C.
#[derive(Debug)]
pub struct Running {
    /// The world.
    pub world: World,
    /// Frames done.
    pub frame: u64,
    /// What the last frame was like.
    pub last: StepReport,
    /// Whether Ctrl-C was pressed: there are no more frames.
    pub interrupted: bool,
    /// Chips and dust of its cracks, if somebody sees them.
    dust: Option<Dust>,
    dt: f32,
    progress: Progress,
    told: Told,
    ctrl_c: Arc<AtomicBool>,
}

/// Reads a scene and prints what has no effect in it.
///
/// # Errors
/// What is wrong with it.
pub fn open(name: &str) -> Result<Scene> {
    let scene = Scene::open(name)?;
    for warning in scene.warnings() {
        eprintln!("{warning}");
    }
    Ok(scene)
}

impl Running {
    /// A world to run so many frames.
    ///
    /// # Errors
    /// If Ctrl-C cannot be watched for.
    pub fn new(mut world: World, scene: &Scene, frames: u64) -> Result<Self> {
        world.set_clock(clock::seconds);
        Ok(Self {
            world,
            frame: 0,
            last: StepReport::default(),
            interrupted: false,
            dust: None,
            dt: scene.dt(),
            progress: Progress::new(frames),
            told: Told::default(),
            ctrl_c: watch_ctrl_c()?,
        })
    }

    /// The same, with chips and dust.
    pub fn with_dust(self) -> Self {
        Self { dust: Some(Dust::new(DustConfig::default())), ..self }
    }

    /// Chips and dust of its cracks; none if nobody asked for them.
    pub fn specks(&self) -> &[Speck] {
        self.dust.as_ref().map_or(&[], Dust::specks)
    }

    /// Does a frame and tells whether it did: not after Ctrl-C.
    pub fn step(&mut self) -> bool {
        if self.ctrl_c.load(Ordering::Relaxed) {
            self.interrupted = true;
            return false;
        }
        self.last = self.world.step(self.dt);
        self.frame += 1;
        // drained in any case: they would pile up
        let events: Vec<Event> = self.world.events().collect();
        if let Some(dust) = &mut self.dust {
            dust.advance(&self.world, self.dt);
            dust.emit(&self.world, &events);
        }
        self.told.tell(&self.progress, self.frame, &self.last, self.world.config());
        self.progress.show(&self.last);
        true
    }

    /// Prints a line on stderr without tearing the bar.
    pub fn say(&self, line: &str) {
        self.progress.say(line);
    }

    /// Removes the bar; what the last frame was like.
    pub fn finish(self) -> StepReport {
        self.progress.finish();
        self.last
    }

    /// How the program ends if nothing else went wrong.
    pub fn exit(&self) -> Exit {
        if self.interrupted {
            Exit::Interrupted
        } else if self.last.quarantined > 0 {
            Exit::Failed
        } else {
            Exit::Fine
        }
    }
}

/// What was said already, so that it is said once.
#[derive(Debug, Default)]
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

/// One per core.
pub fn available_threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    u32::try_from(cores).unwrap_or(MAX_THREADS).min(MAX_THREADS)
}

/// A flag that Ctrl-C raises. The second Ctrl-C ends the program.
///
/// # Errors
/// If there can be none.
pub fn watch_ctrl_c() -> Result<Arc<AtomicBool>> {
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
