//! A scene that runs, and what there is to draw of it.

use std::sync::Arc;

use fracas::glam::DVec3;
use fracas::skin::{Dust, DustConfig, SkinError};
use fracas::{StepReport, World, WorldConfig};
use fracas_scene::Scene;
use fracas_scene::play::{Action, Play, PlayError};

use super::moment::{BodyFacts, Facts, Moment};
use super::pacing::Meter;
use crate::camera::{Camera, Framing};
use crate::stage::{Stage, Style};

/// A scene that runs.
#[derive(Debug)]
pub(super) struct Show {
    play: Play,
    stage: Stage,
    dust: Dust,
    facts: Arc<Facts>,
    /// Of the steps that nobody has been told of yet.
    reports: Vec<StepReport>,
    hash: u64,
    /// Something was done that the next step will make true, ...
    acted: bool,
    /// ... or has: the facts are to be taken down again.
    stale: bool,
}

impl Show {
    /// Builds a scene.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(
        scene: Scene,
        name: &str,
        number: u64,
        threads: u32,
        clock: fn() -> f64,
    ) -> Result<Self, String> {
        // without the books, the plots of energy would not add up
        let config = WorldConfig { threads, books: true, ..scene.world_config() };
        let mut play = Play::new(scene, config).map_err(|error| error.to_string())?;
        play.set_clock(clock);
        let looks = play.new_looks();
        let stage = Stage::new(play.world(), looks).map_err(|error| error.to_string())?;
        let mut framing = Framing::default();
        framing.include(play.world());
        let facts = Facts {
            number,
            name: name.to_owned(),
            title: play.scene().title().to_owned(),
            camera: play.scene().camera().map(Camera::from),
            framing,
            bodies: bodies(play.world()),
        };
        let hash = play.world().hash();
        let dust = Dust::new(DustConfig::default());
        let facts = Arc::new(facts);
        Ok(Self { play, stage, dust, facts, reports: Vec::new(), hash, acted: false, stale: false })
    }

    /// What it plays.
    pub fn play(&self) -> &Play {
        &self.play
    }

    /// What is known of it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Hash of the state.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Does a step and tells how many milliseconds it took.
    ///
    /// # Errors
    /// If something new cannot be drawn.
    pub fn step(&mut self) -> Result<f64, SkinError> {
        let report = self.play.step();
        let (world, dt) = (self.play.world(), self.play.scene().dt());
        self.dust.advance(world, dt);
        self.dust.emit(world, self.play.events());
        let ms = report.ms.total;
        self.hash = report.hash;
        self.reports.push(report);
        self.stale |= std::mem::take(&mut self.acted);
        self.bind()?;
        Ok(ms)
    }

    /// Plays with it.
    ///
    /// # Errors
    /// If the action is refused.
    pub fn act(&mut self, action: &Action) -> Result<(), PlayError> {
        let done = self.play.act(action);
        // where a thing is held and pulled to changes nothing that the facts tell of
        self.acted |=
            !matches!(action, Action::Grab { .. } | Action::Drag { .. } | Action::Release);
        done
    }

    /// Binds what was added, so that it is drawn.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn bind(&mut self) -> Result<(), SkinError> {
        let looks = self.play.new_looks();
        if !looks.is_empty() {
            self.stage.add(self.play.world(), looks)?;
        }
        Ok(())
    }

    /// Shows everything from the start again.
    ///
    /// # Errors
    /// If something can no longer be drawn.
    pub fn begin_anew(&mut self) -> Result<(), SkinError> {
        self.stage.begin_anew(self.play.world())
    }

    /// The world as it is now, for the window.
    pub fn moment(&mut self, style: &Style, origin: DVec3, meter: &Meter, now: f64) -> Moment {
        let world = self.play.world();
        if std::mem::take(&mut self.stale) {
            let bodies = bodies(world);
            self.facts = Arc::new(Facts { bodies, ..Facts::clone(&self.facts) });
        }
        let mut shown = self.stage.show(world, style, origin);
        self.stage.add_specks(&mut shown.drawing, world, self.dust.specks());
        let mut framing = Framing::default();
        framing.include(world);
        let all = || world.body_ids().filter_map(|id| world.body(id));
        Moment {
            shown,
            reports: std::mem::take(&mut self.reports),
            frame: self.play.frame(),
            time: world.time(),
            pieces: all().map(|body| body.pieces().len()).sum(),
            particles: all().map(|body| body.particle_count()).sum(),
            hash: self.hash,
            grabbed: self.play.grabbed(),
            framing,
            speed: meter.speed(now),
            ms: meter.ms(),
            facts: Arc::clone(&self.facts),
        }
    }
}

fn bodies(world: &World) -> Vec<BodyFacts> {
    let bodies = world.body_ids().filter_map(|id| world.body(id));
    let facts = |body: &fracas::Body| BodyFacts {
        id: body.id().0,
        name: body.name().to_owned(),
        model: body.model(),
        material: body.materials().first().map(|m| m.desc().clone()).unwrap_or_default(),
    };
    bodies.map(facts).collect()
}
