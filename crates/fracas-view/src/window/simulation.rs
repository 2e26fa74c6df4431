//! The thread on which the scene runs.
//!
//! ```text
//! window → commands → simulation → moments (mailbox), notices → window
//! ```
//!
//! The window never waits for a step: it draws the last moment there is. The simulation never waits
//! for the window, except while every frame is to be seen.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use eframe::egui;
use fracas::glam::DVec3;
use fracas_scene::Scene;
use fracas_scene::play::{Action, HASH_EVERY, PlayError, Recorder, RecordingError};

use super::mailbox::Mailbox;
use super::moment::{Command, Moment, Notice};
use super::pacing::{Meter, Pacer};
use super::show::Show;
use super::watch::{self, Watch};
use crate::stage::Style;

/// A moment that nobody has looked at is replaced after this time, in s.
const STALE: f64 = 1.0 / 30.0;
/// How often the simulation looks whether the window has taken a frame that it must see, in s.
const PATIENCE: f64 = 0.002;
/// How long the end of the program waits for the last step, in s.
const FAREWELL: f64 = 2.0;

/// Wakes the window, if there is one.
#[derive(Debug, Default)]
struct Wake(Mutex<Option<egui::Context>>);

impl Wake {
    fn set(&self, context: Option<egui::Context>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = context;
    }

    fn wake(&self) {
        if let Some(context) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            context.request_repaint();
        }
    }
}

/// The window's end of the thread. The thread ends with it.
#[derive(Debug)]
pub(super) struct Simulation {
    commands: Option<Sender<Command>>,
    notices: Receiver<Notice>,
    mailbox: Arc<Mailbox<Moment>>,
    wake: Arc<Wake>,
    thread: Option<JoinHandle<()>>,
}

/// What a simulation begins with.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The first scene.
    pub scene: String,
    pub threads: u32,
    pub clock: fn() -> f64,
    pub paused: bool,
    pub style: Style,
}

impl Simulation {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn start(start: Start, recorder: Option<Recorder>) -> io::Result<Self> {
        let (commands, orders) = channel();
        let (tell, notices) = channel();
        let (mailbox, wake) = (Arc::new(Mailbox::default()), Arc::new(Wake::default()));
        let now = (start.clock)();
        let worker = Worker {
            orders,
            tell,
            mailbox: Arc::clone(&mailbox),
            wake: Arc::clone(&wake),
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
        };
        let thread = std::thread::Builder::new()
            .name("simulation".to_owned())
            .spawn(move || worker.run(&start.scene))?;
        Ok(Self { commands: Some(commands), notices, mailbox, wake, thread: Some(thread) })
    }

    /// Asks for something.
    pub fn send(&self, command: Command) {
        // a thread that has ended has said why in a notice
        let _ = self.commands.as_ref().map(|commands| commands.send(command));
    }

    /// The newest moment, if it was not taken yet.
    pub fn moment(&self) -> Option<Moment> {
        self.mailbox.take()
    }

    /// What was told since this was asked last.
    pub fn notices(&self) -> Vec<Notice> {
        self.notices.try_iter().collect()
    }

    /// Whom to wake when there is something new.
    pub fn wake(&self, context: Option<egui::Context>) {
        self.wake.set(context);
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.commands = None;
        let Some(thread) = self.thread.take() else { return };
        // a long step or the building of a scene is not waited for: the program ends
        let mut waited = 0.0;
        while !thread.is_finished() && waited < FAREWELL {
            std::thread::sleep(Duration::from_secs_f64(PATIENCE));
            waited += PATIENCE;
        }
    }
}

/// What the thread works with.
struct Worker {
    orders: Receiver<Command>,
    tell: Sender<Notice>,
    mailbox: Arc<Mailbox<Moment>>,
    wake: Arc<Wake>,
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
    fn run(mut self, first: &str) {
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
        self.fresh || self.every_frame && self.mailbox.is_full()
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
                    self.tell(Notice::Refused(error.to_string()));
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
            self.tell(Notice::Building(Some(file.clone())));
            self.act_now(action);
            self.tell(Notice::Building(None));
            self.pacer.rest((self.clock)());
        } else {
            self.act_now(action);
        }
    }

    fn act_now(&mut self, action: &Action) {
        let Some(show) = &mut self.show else {
            // whoever asks is answered
            return self.tell(Notice::Grab(None));
        };
        let frame = show.play().frame();
        let done = show.act(action);
        let bound = show.bind();
        let grabbed = show.play().grabbed().map(|grabbed| DVec3::from(grabbed.point));
        if let Action::Grab { .. } = action {
            self.tell(Notice::Grab(grabbed));
        }
        match done {
            Ok(()) => self.record(|recorder| recorder.action(frame, action)),
            // pulling at nothing is how the camera is turned
            Err(PlayError::Nothing) => {}
            Err(error) => self.tell(Notice::Refused(error.to_string())),
        }
        if let Err(error) = bound {
            self.tell(Notice::Refused(error.to_string()));
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
                self.tell(Notice::Failed(format!("the scene was stopped: {reason}")));
            }
        }
    }

    /// Shows the window what it has not seen, unless it has not even looked at the last moment.
    fn post(&mut self) {
        let now = (self.clock)();
        let waits = self.mailbox.is_full() && now < self.posted + STALE;
        let Some(show) = self.show.as_mut().filter(|_| self.unseen && !waits) else { return };
        let (style, origin, meter) = (&self.style, self.origin, &self.meter);
        match guarded(|| Ok(show.moment(style, origin, meter, now))) {
            Ok(moment) => {
                self.mailbox.post(moment, Moment::merge);
                self.unseen = false;
                self.posted = (self.clock)();
                self.wake.wake();
            }
            Err(reason) => {
                self.show = None;
                self.tell(Notice::Failed(format!("the scene cannot be drawn: {reason}")));
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
        self.tell(Notice::Building(Some(name.to_owned())));
        self.record_hash();
        let number = self.opened + 1;
        let (threads, clock) = (self.threads, self.clock);
        let built = guarded(|| Show::new(scene()?, name, number, threads, clock));
        let now = (self.clock)();
        match built {
            Ok(show) => {
                self.opened = number;
                self.origin = show.facts().framing.camera(1.0).target;
                self.pacer.set_step(f64::from(show.play().scene().dt()), now);
                (self.meter, self.steps_asked) = (Meter::default(), 0);
                (self.unseen, self.fresh) = (true, true);
                let scene = show.play().scene().clone();
                self.record(|recorder| recorder.begin(&scene, name));
                self.show = Some(show);
                self.tell(Notice::Ready);
            }
            Err(reason) => self.tell(Notice::Failed(reason)),
        }
        self.tell(Notice::Building(None));
        // what time went by was not the scene's
        self.pacer.rest(now);
    }

    fn tell(&self, notice: Notice) {
        // without a window the thread ends at the next command
        let _ = self.tell.send(notice);
        self.wake.wake();
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
            self.tell(Notice::Refused(format!("the recording ends here: {reason}")));
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
