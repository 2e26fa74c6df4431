//! What the window knows, as a line of JSON for scripts.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use eframe::egui::Rect;
use fracas::glam::DVec3;
use fracas::material::MaterialDesc;
use serde::Serialize;

use super::app::Adapter;
use super::deeds::SPEEDS;
use super::desk::Desk;

/// What the window knows.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report<'a> {
    scene: &'a str,
    frame: u64,
    time: f64,
    pieces: usize,
    particles: usize,
    bodies: usize,
    /// What the first body is made of.
    material: Option<&'a MaterialDesc>,
    hash: String,
    paused: bool,
    /// Simulated seconds per second: asked for, and over the last second.
    speed_asked: f64,
    speed: f64,
    ms_per_step: f64,
    fps: f64,
    draws: u64,
    /// To the graphics device, for the last moment.
    bytes: u64,
    adapter: &'a str,
    software: bool,
    /// The force on what is held, in N.
    grabbed_force: Option<f64>,
    /// Where that is held, and where it is pulled to, in m.
    grabbed_point: Option<[f64; 3]>,
    grabbed_target: Option<[f64; 3]>,
    eye: [f64; 3],
    target: [f64; 3],
    /// The 3-D view in points: left, top, width, height.
    view: [f32; 4],
    building: Option<&'a str>,
    error: Option<&'a str>,
    /// The last messages, the newest at the end.
    told: &'a [String],
}

impl<'a> Report<'a> {
    /// What is known now.
    pub fn new(desk: &'a Desk, adapter: &'a Adapter, view: Rect) -> Self {
        let moment = desk.moment.as_ref();
        let grabbed = moment.and_then(|moment| moment.grabbed);
        Self {
            scene: moment.map_or("", |moment| &moment.facts.name),
            frame: desk.frame(),
            time: moment.map_or(0.0, |moment| moment.time),
            pieces: moment.map_or(0, |moment| moment.pieces),
            particles: moment.map_or(0, |moment| moment.particles),
            bodies: moment.map_or(0, |moment| moment.facts.bodies.len()),
            material: moment.and_then(|moment| Some(&moment.facts.bodies.first()?.material)),
            hash: moment.map_or_else(String::new, |moment| format!("{:016x}", moment.hash)),
            paused: desk.paused,
            speed_asked: SPEEDS[desk.speed].0,
            speed: moment.map_or(0.0, |moment| moment.speed),
            ms_per_step: moment.map_or(0.0, |moment| moment.ms),
            fps: desk.frames.speed(desk.now()),
            draws: desk.draws,
            bytes: desk.bytes,
            adapter: &adapter.name,
            software: adapter.is_software,
            grabbed_force: grabbed.map(|grabbed| DVec3::from(grabbed.force).length()),
            grabbed_point: grabbed.map(|grabbed| grabbed.point),
            grabbed_target: grabbed.map(|grabbed| grabbed.target),
            eye: desk.orbit.camera.eye.to_array(),
            target: desk.orbit.camera.target.to_array(),
            view: [view.left(), view.top(), view.width(), view.height()],
            building: desk.building.as_deref(),
            error: desk.error.as_deref(),
            told: desk.toasts.told(),
        }
    }

    /// Appends it to a file, as one line.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn append(&self, path: &Path) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        File::options().create(true).append(true).open(path)?.write_all(&line)
    }
}
