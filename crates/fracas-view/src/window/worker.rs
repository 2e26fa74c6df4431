//! The thread on which the scene runs: commands, steps and moments, each when it is due.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use fracas::glam::DVec3;
use fracas_scene::Scene;
use fracas_scene::play::{Action, HASH_EVERY, PlayError, Recorder, RecordingError};

use super::moment::{Command, Notice};
use super::pacing::{Meter, Pacer};
use super::show::Show;
use super::simulation::{Post, Start};
use super::watch::{self, Watch};
use crate::stage::Style;

/// A moment that nobody has looked at is replaced after this time, in s.
const STALE: f64 = 1.0 / 30.0;
/// How often it is looked whether the window has seen what it must see, in s.
const PATIENCE: f64 = 0.002;

/// What the thread works with.
pub(super) struct Worker {
    orders: Receiver<Command>,
    window: Post,
    threads: u32,
    clock: fn() -> f64,
    show: Option<Show>,
    /// Scenes opened so far.
    opened: u64,
    recorder: Option<Recorder>,
    watch: Option<Watch>,
    paused: bool,
    steps_asked: u32,
    every_frame: bool,
    /// The window has not seen the start of the scene yet: nothing happens before.
    fresh: bool,
    pacer: Pacer,
    meter: Meter,
    style: Style,
    origin: DVec3,
    /// There is something that no moment shows yet.
    unseen: bool,
    /// When the last moment was posted.
    posted: f64,
}

impl Worker {
    pub fn new(
        start: &Start,
        orders: Receiver<Command>,
        window: Post,
        recorder: Option<Recorder>,
    ) -> Self {
        let now = (start.clock)();
        Self {
            orders,
            window,
            threads: start.threads,
            clock: start.clock,
            show: None,
            opened: 0,
            recorder,
            watch: None,
            paused: start.paused,
            steps_asked: 0,
            every_frame: false,
            fresh: false,
            pacer: Pacer::new(1.0, now),
            meter: Meter::default(),
            style: start.style,
            origin: DVec3::ZERO,
            unseen: false,
            posted: now,
        }
    }

    /// Opens the first scene and works until the window is gone.
    pub fn run(mut self, first: &str) {
        self.open(first);
        while self.obey() {
            if self.is_due() {
                self.step();
            }
            self.post();
            if self.watch.as_mut().is_some_and(|watch| watch.was_saved((self.clock)())) {
                self.reopen();
            }
        }
        self.record_hash();
    }

    /// Waits for a command until something else is due, then does all that there are. Tells whether
    /// there is still a window.
    fn obey(&mut self) -> bool {
        match self.orders.recv_timeout(Duration::from_secs_f64(self.wait())) {
            Ok(command) => self.apply(command),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        loop {
            match self.orders.try_recv() {
                Ok(command) => self.apply(command),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// Seconds until there is something to do without a command.
    fn wait(&self) -> f64 {
        let now = (self.clock)();
        let posting =
            if self.unseen { (self.posted + STALE - now).max(0.0) } else { watch::PERIOD };
        let stepping = match (self.runs(), self.must_be_seen()) {
            (true, true) => PATIENCE,
            (true, false) if self.steps_asked > 0 => 0.0,
            (true, false) => self.pacer.wait(now),
            (false, _) => watch::PERIOD,
        };
        posting.min(stepping)
    }

    fn runs(&self) -> bool {
        self.show.is_some() && (!self.paused || self.steps_asked > 0)
    }

    /// Whether the window has to see something before the next step.
    fn must_be_seen(&self) -> bool {
        self.fresh || self.every_frame && self.window.is_full()
    }

    fn is_due(&self) -> bool {
        let due = self.steps_asked > 0 || self.pacer.wait((self.clock)()) == 0.0;
        self.runs() && due && !self.must_be_seen()
    }

    fn apply(&mut self, command: Command) {
        let now = (self.clock)();
        match &command {
            Command::Act(action) => self.act(action),
            Command::Pause(paused) => {
                self.paused = *paused;
                self.pacer.rest(now);
            }
            Command::Step => self.steps_asked += 1,
            Command::Speed(speed) => self.pacer.set_speed(*speed, now),
            Command::Reset => self.reset(),
            Command::Open(name) => self.open(name),
            Command::Style(style) => self.style = *style,
            Command::Anew => {
                let begun = self.show.as_mut().map_or(Ok(()), Show::begin_anew);
                if let Err(error) = begun {
                    self.window.tell(Notice::Refused(error.to_string()));
                }
            }
            Command::Origin(origin) => self.origin = *origin,
            Command::Seen(number) => {
                self.fresh &= *number != self.opened;
                self.pacer.rest(now);
            }
            Command::EveryFrame(every) => self.every_frame = *every,
        }
        self.unseen |= !matches!(command, Command::Seen(_));
    }

    fn act(&mut self, action: &Action) {
        // to fill a mesh takes its time
        if let Action::Drop { file, .. } = action {
            self.window.tell(Notice::Building(Some(file.clone())));
            self.act_now(action);
            self.window.tell(Notice::Building(None));
            self.pacer.rest((self.clock)());
        } else {
            self.act_now(action);
        }
    }

    fn act_now(&mut self, action: &Action) {
        let Some(show) = &mut self.show else {
            // whoever asks is answered
            return self.window.tell(Notice::Grab(None));
        };
        let frame = show.play().frame();
        let done = show.act(action);
        let bound = show.bind();
        let grabbed = show.play().grabbed().map(|grabbed| DVec3::from(grabbed.point));
        if let Action::Grab { .. } = action {
            self.window.tell(Notice::Grab(grabbed));
        }
        match done {
            Ok(()) => self.record(|recorder| recorder.action(frame, action)),
            // pulling at nothing is how the camera is turned
            Err(PlayError::Nothing) => {}
            Err(error) => self.window.tell(Notice::Refused(error.to_string())),
        }
        if let Err(error) = bound {
            self.window.tell(Notice::Refused(error.to_string()));
        }
    }

    fn step(&mut self) {
        let Some(show) = &mut self.show else { return };
        self.pacer.begin((self.clock)());
        self.steps_asked = self.steps_asked.saturating_sub(1);
        self.unseen = true;
        match guarded(|| show.step().map_err(|error| error.to_string())) {
            Ok(ms) => {
                let dt = f64::from(show.play().scene().dt());
                let frame = show.play().frame();
                self.meter.push((self.clock)(), ms, dt);
                if frame.is_multiple_of(HASH_EVERY) {
                    self.record_hash();
                }
            }
            Err(reason) => {
                self.show = None;
                self.window.tell(Notice::Failed(format!("the scene was stopped: {reason}")));
            }
        }
    }

    /// Shows the window what it has not seen, unless it has not even looked at the last moment.
    fn post(&mut self) {
        let now = (self.clock)();
        let waits = self.window.is_full() && now < self.posted + STALE;
        let Some(show) = self.show.as_mut().filter(|_| self.unseen && !waits) else { return };
        let (style, origin, meter) = (&self.style, self.origin, &self.meter);
        match guarded(|| Ok(show.moment(style, origin, meter, now))) {
            Ok(moment) => {
                self.window.show(moment);
                self.unseen = false;
                self.posted = (self.clock)();
            }
            Err(reason) => {
                self.show = None;
                self.window.tell(Notice::Failed(format!("the scene cannot be drawn: {reason}")));
            }
        }
    }

    fn open(&mut self, name: &str) {
        self.build(name, || Scene::open(name).map_err(|error| error.to_string()));
        self.watch = Watch::new(name, (self.clock)());
    }

    /// The scene as it was read, from its start.
    fn reset(&mut self) {
        let Some(show) = &self.show else { return };
        let (scene, name) = (show.play().scene().clone(), show.facts().name.clone());
        self.build(&name, || Ok(scene));
    }

    /// The scene as its file is now.
    fn reopen(&mut self) {
        let name = self.watch.as_ref().map(|watch| watch.path().display().to_string());
        if let Some(name) = name {
            self.open(&name);
        }
    }

    fn build(&mut self, name: &str, scene: impl FnOnce() -> Result<Scene, String>) {
        self.window.tell(Notice::Building(Some(name.to_owned())));
        self.record_hash();
        let (number, threads, clock) = (self.opened + 1, self.threads, self.clock);
        match guarded(|| Show::new(scene()?, name, number, threads, clock)) {
            Ok(show) => self.begin(show),
            Err(reason) => self.window.tell(Notice::Failed(reason)),
        }
        self.window.tell(Notice::Building(None));
        // what time went by was not the scene's
        self.pacer.rest((self.clock)());
    }

    fn begin(&mut self, show: Show) {
        let (scene, facts) = (show.play().scene().clone(), show.facts());
        let name = facts.name.clone();
        (self.opened, self.origin) = (facts.number, facts.framing.camera(1.0).target);
        self.pacer.set_step(f64::from(scene.dt()), (self.clock)());
        (self.meter, self.steps_asked) = (Meter::default(), 0);
        (self.unseen, self.fresh) = (true, true);
        self.show = Some(show);
        self.record(|recorder| recorder.begin(&scene, &name));
        self.window.tell(Notice::Ready);
        let count = scene.warnings().len();
        if count > 0 {
            let text = format!("warnings: {count}; `fracas check {name}` tells them");
            self.window.tell(Notice::Told(text));
        }
    }

    fn record_hash(&mut self) {
        let Some(show) = &self.show else { return };
        let (frame, hash) = (show.play().frame(), show.hash());
        self.record(|recorder| recorder.hash(frame, hash));
    }

    /// Writes into the recording; a full disk ends it, not the scene.
    fn record(&mut self, write: impl FnOnce(&mut Recorder) -> Result<(), RecordingError>) {
        if let Some(Err(reason)) = self.recorder.as_mut().map(write) {
            self.recorder = None;
            self.window.tell(Notice::Refused(format!("the recording ends here: {reason}")));
        }
    }
}

/// A panic as an error: one scene must not take the window with it.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "for an unknown reason".to_owned());
        Err(format!("the program has a bug here, please report it: {text}"))
    })
}
