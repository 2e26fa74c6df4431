//! A scene that somebody plays with: takes hold of bodies, shoots at them, changes what they are made of. What was
//! done can be recorded and replayed with the same bits, see `docs/play.md`.
//!
//! ```
//! use fracas_scene::Scene;
//! use fracas_scene::play::{Action, Play};
//!
//! let scene = Scene::open("falling-bar")?;
//! let config = scene.world_config();
//! let mut play = Play::new(scene, config)?;
//! let ball = Action::Shoot {
//!     origin: [0.0, 0.5, 3.0],
//!     direction: [0.0, 0.0, -1.0],
//!     speed: 20.0,
//!     radius: 0.05,
//!     preset: "steel".into(),
//! };
//! play.act(&ball)?;
//! play.step();
//! assert_eq!(play.new_looks().len(), play.world().body_ids().count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod dropped;
mod hand;
mod recording;
mod replay;

use std::sync::Arc;

use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc, MaterialError, MaterialField, presets};
use fracas::world::{Body, BodyDesc, CommandError};
use fracas::{BodyId, Event, StepReport, World, WorldConfig};

pub use action::Action;
pub use hand::Grabbed;
pub use recording::{HASH_EVERY, Recorder, Recording, RecordingError, Session};
pub use replay::{Difference, ReplayError, Replayed};

use crate::cache::Cache;
use crate::format::MOST_PARTICLES;
use crate::meshes::Mesher;
use crate::nearest::nearest;
use crate::shapes::Made;
use crate::{Look, Scene, SceneError};
use dropped::Dropped;
use hand::Hand;

/// A scene that somebody plays with.
///
/// Whatever is done is an [`Action`], checked at once and done with the next step. The same actions after the same frames
/// give the same bits, for any number of threads.
#[derive(Debug)]
pub struct Play {
    scene: Scene,
    world: World,
    mesher: Mesher,
    frame: u64,
    events: Vec<Event>,
    /// Looks that nobody has taken yet.
    looks: Vec<Look>,
    hand: Option<Hand>,
    /// Balls shot and files dropped so far.
    ball_count: u64,
    drop_count: u64,
}

/// Why an action was refused; everything is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// There is no body where the hand reaches to.
    #[error(
        "there is nothing to take hold of there: aim at a body; ground and other obstacles stay where they are"
    )]
    Nothing,
    /// No material has this name.
    #[error(
        "there is no preset {name:?}{}; there are {}",
        meant(name, preset_names()),
        list(preset_names())
    )]
    UnknownPreset {
        /// As given.
        name: String,
    },
    /// Materials have no such value.
    #[error(
        "materials have no value {name:?}{}; they have {}",
        meant(name, field_names()),
        list(field_names())
    )]
    UnknownField {
        /// As given.
        name: String,
    },
    /// A number lies outside what its field allows.
    #[error("{field} must be {allowed}, but is {found}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// What it allows.
        allowed: &'static str,
        /// What was given.
        found: f64,
    },
    /// A value cannot be changed while the scene runs.
    #[error(
        "{field} cannot be changed while the scene runs: write it into the scene file and load it again"
    )]
    NeedsReload {
        /// The value.
        field: &'static str,
    },
    /// A mesh file cannot become a body.
    #[error("{file}: {what}")]
    Mesh {
        /// The file, as given.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// A material value was refused.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The engine refused it.
    #[error(transparent)]
    Command(CommandError),
}

impl From<CommandError> for PlayError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::NeedsReload { field, .. } => Self::NeedsReload { field },
            CommandError::Material(error) => Self::Material(error),
            error => Self::Command(error),
        }
    }
}

fn preset_names() -> impl Iterator<Item = &'static str> + Clone {
    presets::PRESETS.iter().map(|(name, _)| *name)
}

fn field_names() -> impl Iterator<Item = &'static str> + Clone {
    MaterialField::ALL.into_iter().map(MaterialField::name)
}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn meant(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> String {
    nearest(name, known).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default()
}

/// Conditions are written so that NaN fails them.
fn require(
    holds: bool,
    field: &'static str,
    allowed: &'static str,
    found: f64,
) -> Result<(), PlayError> {
    if holds { Ok(()) } else { Err(PlayError::OutOfRange { field, allowed, found }) }
}

fn require_finite(field: &'static str, values: [f64; 3]) -> Result<(), PlayError> {
    values.into_iter().try_for_each(|x| require(x.is_finite(), field, "finite", x))
}

fn require_above_0(field: &'static str, value: f32) -> Result<(), PlayError> {
    require(value > 0.0 && value.is_finite(), field, "above 0 and finite", value.into())
}

fn preset(name: &str) -> Result<MaterialDesc, PlayError> {
    let known = fracas::material::preset(name);
    known.ok_or_else(|| PlayError::UnknownPreset { name: name.into() })
}

impl Play {
    /// The scene at its start.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn new(scene: Scene, config: WorldConfig) -> Result<Self, SceneError> {
        let (world, looks) = scene.build_looks(config)?;
        Ok(Self {
            scene,
            world,
            mesher: Mesher::new(Cache::of_user()),
            frame: 0,
            events: Vec::new(),
            looks,
            hand: None,
            ball_count: 0,
            drop_count: 0,
        })
    }

    /// As it was given.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Everything that exists.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Times stages by this clock, see [`World::set_clock`].
    pub fn set_clock(&mut self, clock: fn() -> f64) {
        self.world.set_clock(clock);
    }

    /// Frames done.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Does something, from the next step on.
    ///
    /// # Errors
    /// Why it cannot be done; then nothing has changed.
    pub fn act(&mut self, action: &Action) -> Result<(), PlayError> {
        match action {
            Action::Grab { origin, direction } => {
                let hand = Hand::grab(&mut self.world, *origin, *direction)?;
                self.release()?;
                self.hand = Some(hand);
                Ok(())
            }
            Action::Drag { target } => {
                require_finite("target", *target)?;
                self.hand.as_mut().map_or(Ok(()), |hand| hand.drag(&mut self.world, *target))
            }
            Action::Release => self.release(),
            Action::Shoot { origin, direction, speed, radius, preset } => {
                self.shoot(*origin, Vec3::from(*direction), *speed, *radius, preset)
            }
            Action::Slice { from, to } => Ok(self.world.slice(*from, *to, None)?),
            Action::Material { body, field, value } => {
                let unknown = || PlayError::UnknownField { name: field.clone() };
                let field = MaterialField::from_name(field).ok_or_else(unknown)?;
                self.set_values(*body, |_| vec![(field, *value)])
            }
            Action::Preset { body, preset: name } => {
                let desc = preset(name)?;
                self.set_values(*body, |body| live_values(&desc, body))
            }
            Action::Drop { file, preset, pieces, position, size } => {
                self.drop_file(file, preset, *pieces, *position, *size)
            }
        }
    }

    /// One frame, as long as the scene says.
    pub fn step(&mut self) -> StepReport {
        let report = self.world.step(self.scene.dt());
        self.frame += 1;
        self.events.clear();
        self.events.extend(self.world.events());
        // what it held may have been taken away
        let world = &self.world;
        self.hand = self.hand.filter(|hand| world.grip_centre(hand.grip).is_some());
        report
    }

    /// What happened in the last step, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What is drawn of the bodies that were added since the last call; at first, of all.
    pub fn new_looks(&mut self) -> Vec<Look> {
        std::mem::take(&mut self.looks)
    }

    /// What the hand holds now.
    pub fn grabbed(&self) -> Option<Grabbed> {
        self.hand.as_ref().map(|hand| hand.holds(&self.world))
    }

    fn release(&mut self) -> Result<(), PlayError> {
        match self.hand.take() {
            Some(hand) => Ok(self.world.release(hand.grip)?),
            None => Ok(()),
        }
    }

    fn shoot(
        &mut self,
        origin: [f64; 3],
        direction: Vec3,
        speed: f32,
        radius: f32,
        name: &str,
    ) -> Result<(), PlayError> {
        require_above_0("speed", speed)?;
        require_above_0("radius", radius)?;
        let length = direction.as_dvec3().length();
        require(
            length > 0.0 && length.is_finite(),
            "direction",
            "finite and longer than 0",
            length,
        )?;
        let material = Material::try_from(&preset(name)?)?;
        let made = Made::solid(Shape::sphere(radius).map_err(CommandError::from)?);
        let velocity = f64::from(speed) / length * direction.as_dvec3();
        let ball = format!("ball-{}", self.ball_count + 1);
        let refused = |what| PlayError::Mesh { file: ball.clone(), what };
        let skin = made.skin(std::slice::from_ref(&material), false).map_err(refused)?;
        let desc = BodyDesc {
            position: origin,
            velocity: velocity.as_vec3().to_array(),
            seed: self.next_seed(),
            ..BodyDesc::new(ball, made.desc(), vec![material])
        };
        let body = self.world.spawn(desc)?;
        self.looks.push(Look { body, skin: Arc::new(skin), paint: None });
        self.ball_count += 1;
        Ok(())
    }

    fn drop_file(
        &mut self,
        file: &str,
        name: &str,
        pieces: u32,
        position: [f64; 3],
        size: f32,
    ) -> Result<(), PlayError> {
        require_above_0("size", size)?;
        require_finite("position", position)?;
        let some = (1..=MOST_PARTICLES).contains(&u64::from(pieces));
        require(some, "pieces", "from 1 to 1000000", pieces.into())?;
        let material = Material::try_from(&preset(name)?)?;
        let dropped = Dropped { file, pieces, position, size, seed: self.next_seed() };
        let name = format!("drop-{}", self.drop_count + 1);
        let (desc, skin) = dropped.make(name, material, &self.mesher)?;
        let body = self.world.spawn(desc)?;
        self.looks.push(Look { body, skin, paint: None });
        self.drop_count += 1;
        Ok(())
    }

    /// Every body has noise of its own, as those of the scene have.
    fn next_seed(&self) -> u64 {
        self.scene.seed().wrapping_add(self.world.body_ids().count() as u64)
    }

    /// Changes values of one body, or of all: of all of them or of none.
    fn set_values(
        &mut self,
        body: Option<u64>,
        values: impl Fn(&Body) -> Vec<(MaterialField, f32)>,
    ) -> Result<(), PlayError> {
        let ids: Vec<BodyId> = match body {
            Some(number) => vec![BodyId(number)],
            None => self.world.body_ids().collect(),
        };
        let mut changes = Vec::with_capacity(ids.len());
        for id in ids {
            let body = self.world.body(id).ok_or(CommandError::NoBody(id))?;
            let values = values(body);
            for material in body.materials() {
                let with =
                    |material: Material, &(field, value): &(_, f32)| material.with(field, value);
                values.iter().try_fold(material.clone(), with)?;
            }
            changes.push((id, values));
        }
        for (id, values) in changes {
            self.world.set_material_values(id, &values)?;
        }
        Ok(())
    }
}

/// The values of a material that a body can take over while it stands, in an order in which each is allowed beside
/// those before: static friction is never below sliding friction.
fn live_values(desc: &MaterialDesc, body: &Body) -> Vec<(MaterialField, f32)> {
    use MaterialField as F;
    let sliding = body.materials().iter().filter_map(|material| material.get(F::Friction).bounds());
    let highest = sliding.fold(0.0, |most: f32, (_, highest)| most.max(highest));
    let rises = desc.get(F::FrictionStatic).constant().is_some_and(|value| value >= highest);
    let frictions =
        if rises { [F::FrictionStatic, F::Friction] } else { [F::Friction, F::FrictionStatic] };
    let others = F::ALL
        .into_iter()
        .filter(|field| !matches!(field, F::Density | F::Friction | F::FrictionStatic));
    let fields = frictions.into_iter().chain(others);
    fields.filter_map(|field| Some((field, desc.get(field).constant()?))).collect()
}

#[cfg(test)]
mod tests;
