//! A scene that somebody plays with: actions between steps, recorded so that they can be repeated.

use std::path::Path;

use fracas::{Event, StepReport, World, WorldConfig};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Look, Scene, SceneError};

/// A scene that somebody plays with.
#[derive(Debug)]
pub struct Play {
    scene: Scene,
    world: World,
    looks: Vec<Look>,
    events: Vec<Event>,
    frame: u64,
}

/// What somebody does between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Takes hold of what a ray meets first.
    Grab {
        /// Where the ray begins, in m.
        origin: [f64; 3],
        /// Where it leads.
        direction: [f32; 3],
    },
    /// Pulls what is held.
    Drag {
        /// Where to, in m.
        target: [f64; 3],
    },
    /// Lets go.
    Release,
    /// Shoots a ball.
    Shoot {
        /// Where from, in m.
        origin: [f64; 3],
        /// Where to.
        direction: [f32; 3],
        /// In m/s.
        speed: f32,
        /// In m.
        radius: f32,
        /// What it is made of.
        preset: String,
    },
    /// Changes a value of a material.
    Material {
        /// Of this body, or of all.
        body: Option<u64>,
        /// The name of the value.
        field: String,
        /// In its unit.
        value: f32,
    },
    /// Changes all values of a material.
    Preset {
        /// Of this body, or of all.
        body: Option<u64>,
        /// The name of the preset.
        preset: String,
    },
    /// Drops the mesh of a file.
    Drop {
        /// The file.
        file: String,
        /// What it is made of.
        preset: String,
        /// Fragments.
        pieces: u32,
        /// Where its centre is, in m.
        position: [f64; 3],
        /// Its largest extent, in m.
        size: f32,
    },
}

/// Why an action was refused.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct PlayError(String);

/// What is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grabbed {
    /// The body.
    pub body: u64,
    /// Where it is held, in m.
    pub point: [f64; 3],
    /// Where it is pulled to, in m.
    pub target: [f64; 3],
    /// The force on it, in N.
    pub force: [f64; 3],
}

impl Play {
    /// Builds the scene.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn new(scene: Scene, config: WorldConfig) -> Result<Self, SceneError> {
        let (world, looks) = scene.build_looks(config)?;
        Ok(Self { scene, world, looks, events: Vec::new(), frame: 0 })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// As [`World::set_clock`].
    pub fn set_clock(&mut self, clock: fn() -> f64) {
        self.world.set_clock(clock);
    }

    /// Frames done.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Does something, before the next step.
    ///
    /// # Errors
    /// [`PlayError`].
    pub fn act(&mut self, action: &Action) -> Result<(), PlayError> {
        match action {
            Action::Drag { .. } | Action::Release => Ok(()),
            _ => Err(PlayError("not yet".to_owned())),
        }
    }

    /// Does a frame.
    pub fn step(&mut self) -> StepReport {
        let report = self.world.step(self.scene.dt());
        self.frame += 1;
        self.events = self.world.events().collect();
        report
    }

    /// What happened in the last frame.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What is drawn of bodies that are new since the last call.
    pub fn new_looks(&mut self) -> Vec<Look> {
        std::mem::take(&mut self.looks)
    }

    /// What is held.
    pub fn grabbed(&self) -> Option<Grabbed> {
        None
    }
}

/// Writes down what somebody does.
#[derive(Debug)]
pub struct Recorder;

impl Recorder {
    /// Begins a file.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn create(_path: &Path) -> std::io::Result<Self> {
        Ok(Self)
    }

    /// Begins a scene.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn begin(&mut self, _scene: &Scene, _name: &str) -> std::io::Result<()> {
        Ok(())
    }

    /// Before this frame, this was done.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn action(&mut self, _frame: u64, _action: &Action) -> std::io::Result<()> {
        Ok(())
    }

    /// After this frame, the world had this hash.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn hash(&mut self, _frame: u64, _hash: u64) -> std::io::Result<()> {
        Ok(())
    }
}
