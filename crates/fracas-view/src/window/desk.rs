//! All that the window knows. It outlives the window, should that lose its device.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use fracas::StepReport;
use fracas::glam::{DVec2, DVec3};
use fracas_scene::play::Action;

use super::deeds::{Ball, Falling};
use super::driver::Driver;
use super::hand::Hand;
use super::moment::{Command, HISTORY, Moment, Notice};
use super::orbit::Orbit;
use super::pacing::Meter;
use super::panels::Marks;
use super::panels::look::Look;
use super::panels::material::Chosen;
use super::script::{self, ScriptError};
use super::simulation::Simulation;
use super::toasts::Toasts;
use crate::camera::{Camera, Framing};
use crate::scale::Ends;
use crate::shown::Shown;

/// Why a window was closed.
#[derive(Debug)]
pub(super) enum Ending {
    /// Its device is gone: it is to be opened again.
    Lost,
    /// A script could not go on.
    Script(ScriptError),
}

/// A picture that was asked for; without a path it finds a new name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shot {
    View(Option<PathBuf>),
    Window(Option<PathBuf>),
}

/// Where a picture is, or why it is not.
pub(super) type Developed = Result<PathBuf, String>;

/// All that the window knows.
pub(super) struct Desk {
    pub simulation: Simulation,
    pub clock: fn() -> f64,
    /// The last there is.
    pub moment: Option<Moment>,
    /// What of it nobody has drawn yet.
    pub undrawn: Option<Shown>,
    /// The scale of colours, if they tell of a quantity.
    pub ends: Option<Ends>,
    /// Another for every moment.
    pub version: u64,
    /// What the last steps were like.
    pub history: VecDeque<StepReport>,
    pub orbit: Orbit,
    /// What the drawings are relative to.
    origin: DVec3,
    pub paused: bool,
    /// Index into [`SPEEDS`].
    pub speed: usize,
    pub ball: Ball,
    pub falling: Falling,
    pub look: Look,
    pub chosen: Chosen,
    pub hand: Hand,
    /// What has a name in the panels.
    pub marks: Marks,
    pub toasts: Toasts,
    pub building: Option<String>,
    /// What is wrong with a scene.
    pub error: Option<String>,
    pub help: bool,
    pub shots: Vec<Shot>,
    /// Where every frame is written, and the last that was.
    pub album: Option<(PathBuf, Option<u64>)>,
    /// Pictures of the whole window that are under way, and what became of them.
    pub awaited: usize,
    pub developed: (Sender<Developed>, Receiver<Developed>),
    pub driver: Option<Driver>,
    /// What a script asks of the window.
    pub asked: Option<script::Deed>,
    pub draws: u64,
    /// Bytes that the last moment took to the device.
    pub bytes: u64,
    /// Of the window, in points.
    pub size: [f32; 2],
    /// Numbers of the scenes whose start was drawn last, and told of.
    drawn: u64,
    seen: u64,
    /// Of the window.
    pub frames: Meter,
    pub ending: Option<Ending>,
}

impl Desk {
    pub fn new(
        simulation: Simulation,
        clock: fn() -> f64,
        paused: bool,
        size: [f32; 2],
        driver: Option<Driver>,
    ) -> Self {
        let camera = Framing::default().camera(1.5);
        Self {
            simulation,
            clock,
            moment: None,
            undrawn: None,
            ends: None,
            version: 0,
            history: VecDeque::new(),
            orbit: Orbit { camera, size: DVec2::new(size[0].into(), size[1].into()) },
            origin: camera.target,
            paused,
            speed: 0,
            ball: Ball { speed: 10.0, radius: 0.05, preset: "steel".to_owned() },
            falling: Falling { preset: "glass".to_owned(), pieces: 60, size: 0.3 },
            look: Look::default(),
            chosen: Chosen::default(),
            hand: Hand::default(),
            marks: Marks::new(),
            toasts: Toasts::default(),
            building: None,
            error: None,
            help: false,
            shots: Vec::new(),
            album: None,
            awaited: 0,
            developed: channel(),
            driver,
            asked: None,
            draws: 0,
            bytes: 0,
            size,
            drawn: 0,
            seen: 0,
            frames: Meter::default(),
            ending: None,
        }
    }

    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    pub fn send(&self, command: Command) {
        self.simulation.send(command);
    }

    pub fn act(&self, action: Action) {
        self.send(Command::Act(action));
    }

    /// Frames done.
    pub fn frame(&self) -> u64 {
        self.moment.as_ref().map_or(0, |moment| moment.frame)
    }

    /// The name of the scene, for files.
    pub fn stem(&self) -> String {
        self.moment.as_ref().map_or_else(String::new, |moment| moment.facts.stem().to_owned())
    }

    /// Takes what the simulation has to tell.
    pub fn receive(&mut self) {
        for notice in self.simulation.notices() {
            self.hear(notice);
        }
        if let Some(moment) = self.simulation.moment() {
            self.take(moment);
        }
        let developed: Vec<_> = self.developed.1.try_iter().collect();
        for result in developed {
            self.awaited = self.awaited.saturating_sub(1);
            self.tell_of_picture(result);
        }
    }

    fn hear(&mut self, notice: Notice) {
        let now = self.now();
        match notice {
            Notice::Building(name) => self.building = name,
            Notice::Ready => self.error = None,
            Notice::Failed(text) => self.error = Some(text),
            Notice::Grab(point) => self.hand.answer(point, &mut self.orbit),
            Notice::Told(text) => self.toasts.tell(now, text),
            Notice::Refused(text) => self.toasts.refuse(now, text),
        }
    }

    fn take(&mut self, mut moment: Moment) {
        let facts = self.moment.as_ref().map(|moment| &moment.facts);
        let is_new = facts.is_none_or(|facts| facts.name != moment.facts.name);
        if facts.is_none_or(|facts| facts.number != moment.facts.number) {
            self.history.clear();
            self.undrawn = None;
        }
        let shown = std::mem::take(&mut moment.shown);
        self.ends = shown.ends;
        match &mut self.undrawn {
            Some(undrawn) => undrawn.absorb(shown),
            None => self.undrawn = Some(shown),
        }
        self.tell_of_quarantine(&moment);
        self.history.extend(moment.reports.iter().cloned());
        let extra = self.history.len().saturating_sub(HISTORY);
        self.history.drain(..extra);
        self.version += 1;
        self.moment = Some(moment);
        if is_new {
            self.home();
            self.fit_sizes();
        }
    }

    /// What became invalid is frozen: whoever plays should know why it does not move.
    fn tell_of_quarantine(&mut self, moment: &Moment) {
        let frozen = |report: Option<&StepReport>| report.map_or(0, |report| report.quarantined);
        let (before, after) = (frozen(self.history.back()), frozen(moment.reports.last()));
        if after > before {
            let now = self.now();
            let text = format!("{} pieces became invalid and were frozen", after - before);
            self.toasts.refuse(now, text);
        }
    }

    /// Keeps the drawings near to where the camera looks.
    pub fn follow_camera(&mut self) {
        let Camera { target, .. } = self.orbit.camera;
        if target.distance(self.origin) > 20.0 * self.orbit.distance() {
            self.origin = target;
            self.send(Command::Origin(target));
        }
    }

    /// Lets a scene begin when its start was drawn the last time.
    pub fn begin_what_was_seen(&mut self) {
        if self.seen != self.drawn {
            self.seen = self.drawn;
            self.send(Command::Seen(self.seen));
        }
        self.drawn = self.moment.as_ref().map_or(0, |moment| moment.facts.number);
    }

    /// Whether a scene waits for its start to be seen.
    pub fn is_waited_for(&self) -> bool {
        self.seen != self.drawn
    }

    /// Says where a picture is, or why it is not.
    pub fn tell_of_picture(&mut self, result: Developed) {
        let now = self.now();
        match result {
            Ok(path) => self.toasts.tell(now, format!("picture: {}", path.display())),
            Err(reason) => self.toasts.refuse(now, format!("no picture: {reason}")),
        }
    }

    /// Whether nothing that was asked for is under way.
    pub fn is_idle(&self) -> bool {
        let built = self.building.is_none() && (self.moment.is_some() || self.error.is_some());
        built
            && !self.is_waited_for()
            && !self.hand.is_asking()
            && self.shots.is_empty()
            && self.awaited == 0
    }
}
