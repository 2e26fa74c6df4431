//! The interactive window.
//!
//! ```text
//! pointer, keys, files, script → Desk → commands → simulation (own thread) → moments → Desk → Viewport, panels
//! ```
//!
//! How it is used is described in `docs/window.md`.

mod app;
mod deeds;
mod desk;
mod dialogs;
mod driver;
mod files;
mod hand;
mod keys;
mod mailbox;
mod moment;
mod orbit;
mod overlays;
mod pacing;
mod panels;
mod report;
mod script;
mod show;
mod simulation;
mod sliders;
mod theme;
mod toasts;
mod viewport;
mod watch;
mod worker;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui_wgpu::{
    SurfaceConfig, WgpuConfiguration, WgpuError, WgpuSetup, WgpuSetupCreateNew,
};
use eframe::{NativeOptions, egui};
use fracas_scene::play::{Recorder, RecordingError};
use thiserror::Error;

use crate::gpu::{self, GpuError};
use app::App;
use desk::{Desk, Ending};
use driver::Driver;
use simulation::{Simulation, Start};

pub use script::ScriptError;

/// A window is opened again at most so often after its device was lost.
const REOPENINGS: u32 = 5;

/// What a window is opened with.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// A scene file, or the name of a gallery scene.
    pub scene: String,
    /// Threads of the simulation.
    pub threads: u32,
    /// Seconds since some moment: paces the simulation and times its stages.
    pub clock: fn() -> f64,
    /// Points across and down.
    pub size: [u32; 2],
    /// Whether the scene waits at its start.
    pub paused: bool,
    /// Where all that is done is written down, to be repeated.
    pub record: Option<PathBuf>,
    /// What to do with the window, as if by hand.
    pub script: Option<PathBuf>,
}

/// Why there is no window, or why it had to be closed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// No screen, or none that can be reached.
    #[error(
        "there is no display to open a window on: {reason}\n\
         help: `fracas picture` and `fracas film` draw without one"
    )]
    NoDisplay {
        /// What the system says.
        reason: String,
    },
    /// Nothing to draw with.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The window could not be opened for another reason.
    #[error("the window could not be opened: {0}")]
    Refused(String),
    /// The graphics device was lost again and again.
    #[error("the graphics device was lost {REOPENINGS} times; the driver may say why")]
    Lost,
    /// The recording cannot be written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A script that is wrong, cannot be read, or could not go on.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The system has no more threads.
    #[error("the simulation cannot be started: {0}")]
    NoThread(io::Error),
}

/// Opens a window and returns when it is closed.
///
/// # Errors
/// [`WindowError`].
pub fn open(options: &WindowOptions) -> Result<(), WindowError> {
    let driver = options.script.as_deref().map(read_script).transpose()?;
    let recorder = options.record.as_deref().map(Recorder::create).transpose()?;
    let WindowOptions { threads, clock, paused, .. } = *options;
    let scene = options.scene.clone();
    let start = Start { scene, threads, clock, paused, style: Default::default() };
    let simulation = Simulation::start(start, recorder).map_err(WindowError::NoThread)?;
    let size = options.size.map(|side| side as f32);
    let mut desk = Desk::new(simulation, clock, paused, size, driver);
    for _ in 0..REOPENINGS {
        show(&mut desk)?;
        match desk.ending.take() {
            None => return Ok(()),
            Some(Ending::Script(error)) => return Err(error.into()),
            Some(Ending::Lost) => {}
        }
    }
    Err(WindowError::Lost)
}

fn read_script(path: &Path) -> Result<Driver, WindowError> {
    let text = std::fs::read_to_string(path).map_err(|reason| ScriptError {
        file: path.to_owned(),
        line: 0,
        message: format!("cannot be read: {reason}"),
    })?;
    Ok(Driver::new(path, script::parse(path, &text)?))
}

/// Shows a window until it is closed: with a proper driver if there is one, else through OpenGL.
fn show(desk: &mut Desk) -> Result<(), WindowError> {
    let chosen = wgpu::Backends::from_env();
    match show_with(desk, chosen.unwrap_or(wgpu::Backends::PRIMARY)) {
        Err(WindowError::Gpu(GpuError::NoAdapter { .. })) if chosen.is_none() => {
            show_with(desk, wgpu::Backends::all())
        }
        result => result,
    }
}

fn show_with(desk: &mut Desk, backends: wgpu::Backends) -> Result<(), WindowError> {
    let mut setup = WgpuSetupCreateNew::without_display_handle();
    setup.instance_descriptor.backends = backends;
    setup.device_descriptor = Arc::new(|adapter| wgpu::DeviceDescriptor {
        label: Some("window"),
        required_limits: gpu::limits_of(adapter),
        ..Default::default()
    });
    let viewport = egui::ViewportBuilder::default()
        .with_title("Fracas")
        .with_app_id("fracas")
        .with_icon(egui::IconData::default())
        .with_inner_size(desk.size)
        .with_drag_and_drop(true);
    let options = NativeOptions {
        viewport,
        wgpu_options: WgpuConfiguration {
            wgpu_setup: WgpuSetup::CreateNew(setup),
            ..WgpuConfiguration::default().with_surface_config(SurfaceConfig::LOW_LATENCY)
        },
        persist_window: false,
        ..NativeOptions::default()
    };
    let result = eframe::run_native(
        "fracas",
        options,
        Box::new(|creation| {
            let state = creation.wgpu_render_state.clone().ok_or("no device")?;
            Ok(Box::new(App::new(&mut *desk, &creation.egui_ctx, state)))
        }),
    );
    desk.simulation.wake(None);
    result.map_err(refused)
}

fn refused(error: eframe::Error) -> WindowError {
    match error {
        eframe::Error::WinitEventLoop(reason) => {
            // before the last colon stands the place in somebody else's code
            let reason = reason.to_string();
            let reason = reason.rsplit(": ").next().unwrap_or_default().to_owned();
            WindowError::NoDisplay { reason }
        }
        eframe::Error::Wgpu(WgpuError::CreateSurfaceError(reason)) => {
            GpuError::NoAdapter { reason: reason.to_string() }.into()
        }
        eframe::Error::Wgpu(WgpuError::RequestAdapterError(reason)) => {
            GpuError::NoAdapter { reason: reason.to_string() }.into()
        }
        eframe::Error::Wgpu(WgpuError::RequestDeviceError(reason)) => GpuError::NoDevice {
            adapter: "the graphics driver".to_owned(),
            reason: reason.to_string(),
        }
        .into(),
        other => WindowError::Refused(other.to_string()),
    }
}
