//! What the simulation and the window tell each other.

use std::sync::Arc;

use fracas::StepReport;
use fracas::glam::DVec3;
use fracas::material::MaterialDesc;
use fracas_scene::play::{Action, Grabbed};

use crate::camera::{Camera, Framing};
use crate::shown::Shown;
use crate::stage::Style;

/// Reports kept of the past: 20 s at 60 frames a second.
pub(super) const HISTORY: usize = 1200;

/// What the window asks of the simulation, done between two steps.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// Plays with the scene.
    Act(Action),
    /// Stops or goes on.
    Pause(bool),
    /// Does one step.
    Step,
    /// Simulated seconds in a second.
    Speed(f64),
    /// Begins the scene anew.
    Reset,
    /// Opens another scene: a name of the gallery, or the path of a file.
    Open(String),
    /// How the world is drawn.
    Style(Style),
    /// Somebody else draws from now on, who has seen nothing yet.
    Anew,
    /// Where the camera looks, in m: drawings are relative to it.
    Origin(DVec3),
    /// The start of the scene of this number was seen: it may begin.
    Seen(u64),
    /// Whether every frame is to be seen: the simulation then waits for the window.
    EveryFrame(bool),
}

/// What the simulation tells at once, beside moments.
#[derive(Clone, Debug)]
pub(super) enum Notice {
    /// A scene or a mesh is being built, or is no more.
    Building(Option<String>),
    /// A scene is there.
    Ready,
    /// A scene could not be opened, or had to be stopped. The one before it is still there.
    Failed(String),
    /// Something was taken hold of, at this place in m, or nothing.
    Grab(Option<DVec3>),
    /// Something worth knowing.
    Told(String),
    /// An action was refused.
    Refused(String),
}

/// A world as it was at some moment.
#[derive(Debug)]
pub(super) struct Moment {
    /// What there is to draw, until somebody takes it.
    pub shown: Shown,
    /// What the steps since the moment before were like, the last at the end.
    pub reports: Vec<StepReport>,
    /// Frames done.
    pub frame: u64,
    /// In s.
    pub time: f64,
    /// Connected pieces.
    pub pieces: usize,
    /// Particles.
    pub particles: usize,
    /// Hash of the state.
    pub hash: u64,
    /// What is held.
    pub grabbed: Option<Grabbed>,
    /// Where everything is.
    pub framing: Framing,
    /// Simulated seconds per second, over the last second.
    pub speed: f64,
    /// Milliseconds per step, over the last second.
    pub ms: f64,
    /// What changes rarely.
    pub facts: Arc<Facts>,
}

impl Moment {
    /// The newer of two, with what the older, which nobody has seen, had to tell.
    pub fn merge(older: Self, mut newer: Self) -> Self {
        if older.facts.number == newer.facts.number {
            let mut reports = older.reports;
            reports.append(&mut newer.reports);
            let extra = reports.len().saturating_sub(HISTORY);
            reports.drain(..extra);
            newer.reports = reports;
            let mut shown = older.shown;
            shown.absorb(newer.shown);
            newer.shown = shown;
        }
        newer
    }
}

/// What is known of a scene.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// Another one for every scene that was opened or begun anew.
    pub number: u64,
    /// What it was opened by.
    pub name: String,
    /// What to watch.
    pub title: String,
    /// Its camera, if it has one.
    pub camera: Option<Camera>,
    /// Where everything was at the start.
    pub framing: Framing,
    /// Its bodies.
    pub bodies: Vec<BodyFacts>,
}

impl Facts {
    /// Size of all that was there at the start, in m.
    pub fn extent(&self) -> f64 {
        self.framing.extent()
    }

    /// The name without folders and ending, for files.
    pub fn stem(&self) -> &str {
        let name = self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name);
        name.strip_suffix(".toml").unwrap_or(name)
    }
}

/// What is known of a body.
#[derive(Clone, Debug)]
pub(super) struct BodyFacts {
    /// Its handle.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The name of its model.
    pub model: &'static str,
    /// Its first material.
    pub material: MaterialDesc,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(number: u64, frames: std::ops::Range<u64>) -> Moment {
        let facts = Facts {
            number,
            name: "folder/bowl.toml".to_owned(),
            title: String::new(),
            camera: None,
            framing: Framing::default(),
            bodies: Vec::new(),
        };
        Moment {
            shown: Shown::default(),
            reports: frames
                .clone()
                .map(|step| StepReport { step, ..StepReport::default() })
                .collect(),
            frame: frames.end,
            time: 0.0,
            pieces: 0,
            particles: 0,
            hash: 0,
            grabbed: None,
            framing: Framing::default(),
            speed: 1.0,
            ms: 1.0,
            facts: Arc::new(facts),
        }
    }

    /// Plots miss no step, but do not grow without end; another scene begins anew.
    #[test]
    fn merged_moments_tell_of_all_steps() {
        let merged = Moment::merge(moment(1, 0..3), moment(1, 3..5));
        assert_eq!(merged.frame, 5);
        assert!(merged.reports.iter().map(|report| report.step).eq(0..5));
        let long = Moment::merge(merged, moment(1, 5..5000));
        assert_eq!(long.reports.len(), HISTORY);
        assert_eq!(long.reports.last().map(|report| report.step), Some(4999));
        assert_eq!(Moment::merge(long, moment(2, 0..1)).reports.len(), 1);
    }

    #[test]
    fn scenes_have_short_names() {
        assert_eq!(moment(0, 0..0).facts.stem(), "bowl");
    }
}
