//! The thread on which the scene runs, seen from the window.
//!
//! ```text
//! window → commands → simulation → moments (mailbox), notices → window
//! ```
//!
//! The window never waits for a step: it draws the last moment there is. The simulation never waits
//! for the window, except while every frame is to be seen.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use eframe::egui;
use fracas_scene::play::Recorder;

use super::mailbox::Mailbox;
use super::moment::{Command, Moment, Notice};
use super::worker::Worker;
use crate::stage::Style;

/// How long the end of the program waits for the last step, and how often it looks, in s.
const FAREWELL: [f64; 2] = [2.0, 0.005];

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

/// The way from the thread to the window.
#[derive(Debug)]
pub(super) struct Post {
    notices: Sender<Notice>,
    mailbox: Arc<Mailbox<Moment>>,
    wake: Arc<Wake>,
}

impl Post {
    /// Tells something at once.
    pub fn tell(&self, notice: Notice) {
        // without a window the thread ends at the next command
        let _ = self.notices.send(notice);
        self.wake.wake();
    }

    /// Shows the world as it is.
    pub fn show(&self, moment: Moment) {
        self.mailbox.post(moment, Moment::merge);
        self.wake.wake();
    }

    /// Whether the window has not taken the last moment yet.
    pub fn is_full(&self) -> bool {
        self.mailbox.is_full()
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
        let post = Post { notices: tell, mailbox: Arc::clone(&mailbox), wake: Arc::clone(&wake) };
        let worker = Worker::new(&start, orders, post, recorder);
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
        let [most, period] = FAREWELL;
        let mut waited = 0.0;
        while !thread.is_finished() && waited < most {
            std::thread::sleep(Duration::from_secs_f64(period));
            waited += period;
        }
    }
}
