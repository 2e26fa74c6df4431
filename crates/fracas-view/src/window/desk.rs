//! All that the window knows. It outlives the window, should that lose its device.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use fracas::StepReport;
use fracas::glam::{DVec2, DVec3};
use fracas_scene::play::Action;

use super::driver::Driver;
use super::hand::Hand;
use super::keys::Deed;
use super::moment::{Command, HISTORY, Moment, Notice};
use super::orbit::Orbit;
use super::pacing::Meter;
use super::panels::look::Look;
use super::panels::material::Chosen;
use super::script::{self, ScriptError};
use super::simulation::Simulation;
use super::toasts::Toasts;
use crate::camera::{Camera, Framing};
use crate::scale::Ends;
use crate::shown::Shown;

/// Simulated seconds in a second, as the window offers them.
pub(super) const SPEEDS: [(f64, &str); 5] =
    [(1.0, "1"), (0.5, "1/2"), (0.25, "1/4"), (0.1, "1/10"), (1.0 / 30.0, "1/30")];

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

/// A ball to shoot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ball {
    /// In m/s.
    pub speed: f32,
    /// In m.
    pub radius: f32,
    pub preset: String,
}

/// What becomes of a mesh that is let go over the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Falling {
    pub preset: String,
    pub pieces: u32,
    /// Its largest extent, in m.
    pub size: f32,
}

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
    pub developed: (Sender<Result<PathBuf, String>>, Receiver<Result<PathBuf, String>>),
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
            orbit: Orbit { camera, size: DVec2::ONE },
            origin: camera.target,
            paused,
            speed: 0,
            ball: Ball { speed: 10.0, radius: 0.05, preset: "steel".to_owned() },
            falling: Falling { preset: "glass".to_owned(), pieces: 60, size: 0.3 },
            look: Look::default(),
            chosen: Chosen::default(),
            hand: Hand::default(),
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

    /// Balls and meshes fit what is in the scene.
    fn fit_sizes(&mut self) {
        let Some(moment) = &self.moment else { return };
        let extent = moment.facts.extent();
        self.ball.radius = one_digit(0.04 * extent) as f32;
        self.ball.speed = one_digit(12.0 * extent.sqrt()) as f32;
        self.falling.size = one_digit(0.3 * extent) as f32;
    }

    /// Does what a key or button asks for; `pointer` is where it points in the view, if it does.
    pub fn perform(&mut self, deed: Deed, pointer: Option<DVec2>) {
        match deed {
            Deed::Pause => self.pause(!self.paused),
            Deed::Step => {
                self.pause(true);
                self.send(Command::Step);
            }
            Deed::Slower => self.set_speed((self.speed + 1).min(SPEEDS.len() - 1)),
            Deed::Faster => self.set_speed(self.speed.saturating_sub(1)),
            Deed::Reset => self.send(Command::Reset),
            Deed::Shoot => self.shoot(pointer.unwrap_or(0.5 * self.orbit.size)),
            Deed::FrameAll => self.frame_all(),
            Deed::Home => self.home(),
            Deed::Screenshot => self.shots.push(Shot::View(None)),
            Deed::WindowScreenshot => self.shots.push(Shot::Window(None)),
            Deed::RecordFrames => self.record_frames(),
            Deed::Help => self.help = !self.help,
            Deed::Close => self.close_one(),
            // the window itself sees to it
            Deed::Quit => {}
        }
    }

    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.send(Command::Pause(paused));
    }

    pub fn set_speed(&mut self, index: usize) {
        self.speed = index;
        self.send(Command::Speed(SPEEDS[index].0));
    }

    pub fn open(&mut self, name: &str) {
        self.send(Command::Open(name.to_owned()));
    }

    /// Shoots a ball from the eye through a pixel.
    pub fn shoot(&self, pixel: DVec2) {
        let ray = self.orbit.ray(pixel);
        let Ball { speed, radius, preset } = self.ball.clone();
        self.act(Action::Shoot {
            origin: ray.origin.to_array(),
            direction: ray.direction.as_vec3().to_array(),
            speed,
            radius,
            preset,
        });
    }

    /// A scene is opened; a mesh falls from above the middle of the scene.
    pub fn take_file(&mut self, path: &std::path::Path) {
        let file = path.display().to_string();
        if is_scene(path) {
            return self.open(&file);
        }
        let Some(moment) = &self.moment else { return };
        let Falling { preset, pieces, size } = self.falling.clone();
        let above = DVec3::Y * (0.75 * f64::from(size) + 0.05 * moment.facts.extent());
        let position = (moment.framing.top() + above).to_array();
        self.act(Action::Drop { file, preset, pieces, position, size });
    }

    fn home(&mut self) {
        let Some(moment) = &self.moment else { return };
        let aspect = (self.orbit.size.x / self.orbit.size.y) as f32;
        let found = || moment.facts.framing.camera(aspect);
        self.orbit.camera = moment.facts.camera.unwrap_or_else(found);
    }

    fn frame_all(&mut self) {
        let Some(moment) = &self.moment else { return };
        let aspect = (self.orbit.size.x / self.orbit.size.y) as f32;
        self.orbit.stand_as(&moment.framing.camera(aspect));
    }

    /// Keeps the drawings near to where the camera looks.
    pub fn follow_camera(&mut self) {
        let Camera { target, .. } = self.orbit.camera;
        if target.distance(self.origin) > 20.0 * self.orbit.distance() {
            self.origin = target;
            self.send(Command::Origin(target));
        }
    }

    fn record_frames(&mut self) {
        let now = self.now();
        match self.album.take() {
            Some((folder, _)) => {
                self.toasts.tell(now, format!("frames are in {}", folder.display()));
            }
            None => match super::files::new_folder(std::path::Path::new("."), &self.stem()) {
                Ok(folder) => self.album = Some((folder, None)),
                Err(reason) => self.toasts.refuse(now, format!("no frames: {reason}")),
            },
        }
        self.send(Command::EveryFrame(self.album.is_some()));
    }

    /// Lets go, else closes the topmost of what is open.
    fn close_one(&mut self) {
        if self.hand.let_go() {
            self.act(Action::Release);
        } else if self.help {
            self.help = false;
        } else {
            self.error = None;
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
    pub fn tell_of_picture(&mut self, result: Result<PathBuf, String>) {
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

/// Whether a file is a scene, by its name.
pub(super) fn is_scene(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// A number above 0 rounded to one digit that counts.
fn one_digit(number: f64) -> f64 {
    let decade = 10.0_f64.powf(number.log10().floor());
    (number / decade).round() * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_round() {
        for (number, round) in [(0.0437, 0.04), (11.6, 10.0), (0.96, 1.0), (300.0, 300.0)] {
            assert!(
                (one_digit(number) - round).abs() < 1e-9,
                "{number} became {}",
                one_digit(number)
            );
        }
    }

    #[test]
    fn scenes_are_known_by_their_ending() {
        assert!(is_scene(std::path::Path::new("a/b.TOML")));
        assert!(!is_scene(std::path::Path::new("a.toml/b.obj")));
    }
}
