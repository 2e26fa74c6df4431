//! The window itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eframe::egui::{self, CentralPanel, Color32, Context, Id, Rect, Sense, Ui, ViewportCommand};
use eframe::egui_wgpu::RenderState;
use fracas::glam::DVec2;

use super::desk::{Desk, Developed, Ending, Shot};
use super::driver::Known;
use super::keys::{self, Deed};
use super::moment::Command;
use super::report::Report;
use super::viewport::Viewport;
use super::{files, hand, overlays, panels, script, theme};
use crate::picture::Picture;
use crate::render::Quality;

/// The whole of a texture.
const WHOLE: Rect = Rect { min: egui::pos2(0.0, 0.0), max: egui::pos2(1.0, 1.0) };

/// What the window draws with.
#[derive(Clone, Debug)]
pub(super) struct Adapter {
    pub name: String,
    /// More of it.
    pub about: String,
    /// It is a program, not a graphics card: it is asked for no more than needed.
    pub is_software: bool,
}

impl Adapter {
    fn new(info: &wgpu::AdapterInfo) -> Self {
        Self {
            name: info.name.clone(),
            about: format!("{}: {} {}", info.backend, info.name, info.driver_info),
            is_software: info.device_type == wgpu::DeviceType::Cpu,
        }
    }

    /// For the status bar.
    pub fn short(&self) -> String {
        // drivers in software list the features of the processor in brackets
        let name = self.name.split(" (").next().unwrap_or(&self.name);
        if self.is_software { format!("software ({name})") } else { name.to_owned() }
    }
}

/// A window on a desk.
pub(super) struct App<'a> {
    desk: &'a mut Desk,
    viewport: Viewport,
    adapter: Adapter,
    lost: Arc<AtomicBool>,
    /// The 3-D view, in points.
    view: Rect,
    /// The view was drawn with fewer pixels than it has.
    coarse: bool,
    /// The scene in the title.
    titled: String,
}

impl<'a> App<'a> {
    /// A window that draws with this device.
    pub fn new(desk: &'a mut Desk, context: &Context, state: RenderState) -> Self {
        theme::apply(context);
        if desk.draws > 0 {
            let now = desk.now();
            desk.toasts.tell(now, "the graphics device was lost; the window uses a new one");
            desk.send(Command::Anew);
        }
        desk.simulation.wake(Some(context.clone()));
        let lost = Arc::new(AtomicBool::new(false));
        watch_device(&state.device, context, &lost);
        let viewport = Viewport::new(state);
        let adapter = Adapter::new(&viewport.adapter());
        Self {
            desk,
            viewport,
            adapter,
            lost,
            view: Rect::ZERO,
            coarse: false,
            titled: String::new(),
        }
    }

    /// The 3-D view and what lies over it.
    fn show_view(&mut self, ui: &mut Ui) {
        let view = ui.available_rect_before_wrap();
        self.view = view;
        self.desk.orbit.size =
            DVec2::new(view.width().max(1.0).into(), view.height().max(1.0).into());
        let response = ui.interact(view, Id::unique("view"), Sense::click_and_drag());
        hand::handle(self.desk, ui, &response);
        self.desk.follow_camera();
        if view.width() < 2.0 || view.height() < 2.0 || self.lost.load(Ordering::Relaxed) {
            return;
        }
        self.draw(ui, view);
        overlays::show(self.desk, ui, view);
    }

    fn draw(&mut self, ui: &Ui, view: Rect) {
        if self.desk.moment.is_none() {
            return overlays::nothing(ui, view);
        }
        let pixels = view.size() * ui.ctx().pixels_per_point();
        // a driver in software keeps up only with few pixels; what stands still has time
        let pictured = !self.desk.shots.is_empty() || self.desk.awaited > 0;
        let wanted = pictured || self.desk.album.is_some();
        let still = self.desk.paused && self.desk.hand == hand::Hand::Free;
        self.coarse = self.adapter.is_software && !still && !wanted;
        let share = if self.coarse { 0.5 } else { 1.0 };
        let size = [pixels.x, pixels.y].map(|side| (share * side).round().max(1.0) as u32);
        let quality = if self.coarse { Quality::Draft } else { Quality::Full };
        let camera = self.desk.orbit.camera;
        let (viewport, version, undrawn) =
            (&mut self.viewport, self.desk.version, self.desk.undrawn.take());
        let mut taken = Ok(());
        // wgpu panics where it needs memory of a device that is gone: the window is opened again
        let draw = || {
            taken = undrawn.map_or(Ok(()), |shown| viewport.take(&shown));
            viewport.draw(version, &camera, size, quality)
        };
        match catch_unwind(AssertUnwindSafe(draw)) {
            Ok(id) => drop(ui.painter().image(id, view, WHOLE, Color32::WHITE)),
            Err(_) => self.lost.store(true, Ordering::Relaxed),
        }
        self.desk.bytes = self.viewport.bytes;
        if taken.is_err() {
            // the processor has room; it must be told everything anew
            self.viewport.by_device = false;
            self.desk.send(Command::Anew);
        }
    }

    /// Writes pictures that were asked for.
    fn shoot(&mut self, context: &Context) {
        let (stem, frame) = (self.desk.stem(), self.desk.frame());
        for shot in std::mem::take(&mut self.desk.shots) {
            match shot {
                Shot::View(path) => {
                    let picture = self.viewport.picture().map_err(|reason| reason.to_string());
                    let written = picture.and_then(|picture| write(path, &stem, frame, &picture));
                    self.desk.tell_of_picture(written);
                }
                Shot::Window(path) => {
                    self.desk.awaited += 1;
                    let tell = self.desk.developed.0.clone();
                    let (wake, stem) = (context.clone(), stem.clone());
                    context.request_screenshot(move |image| {
                        let picture = picture_of(&image);
                        // nobody listens any more if the program ends
                        let _ = tell.send(write(path, &stem, frame, &picture));
                        wake.request_repaint();
                    });
                }
            }
        }
        self.fill_album();
    }

    /// Writes the frame, if every frame is to be written and this one is not yet.
    fn fill_album(&mut self) {
        let frame = self.desk.frame();
        let Some((folder, last)) = &mut self.desk.album else { return };
        if *last == Some(frame) || self.desk.moment.is_none() {
            return;
        }
        *last = Some(frame);
        let path = folder.join(format!("{frame:06}.png"));
        let picture = self.viewport.picture().map_err(|reason| reason.to_string());
        let write = |picture| files::write(&path, &picture).map_err(|reason| reason.to_string());
        if let Err(reason) = picture.and_then(write) {
            self.desk.perform(Deed::RecordFrames, None);
            self.desk.tell_of_picture(Err(reason));
        }
    }

    /// Does what a script asks of the window.
    fn obey(&mut self, context: &Context) {
        let Some(asked) = self.desk.asked.take() else { return };
        match asked {
            script::Deed::Act(action) => self.desk.act(action),
            script::Deed::Open(name) => self.desk.open(&name),
            script::Deed::Steps(count) => {
                self.desk.pause(true);
                (0..count).for_each(|_| self.desk.send(Command::Step));
            }
            script::Deed::Resize([x, y]) => {
                context.send_viewport_cmd(ViewportCommand::InnerSize(egui::vec2(x, y)));
            }
            script::Deed::Screenshot(path) => self.desk.shots.push(Shot::View(Some(path))),
            script::Deed::WindowScreenshot(path) => self.desk.shots.push(Shot::Window(Some(path))),
            script::Deed::Report(path) => {
                if let Err(reason) = Report::new(self.desk, &self.adapter, self.view).append(&path)
                {
                    let now = self.desk.now();
                    self.desk.toasts.refuse(now, format!("no report: {reason}"));
                }
            }
            script::Deed::LoseDevice => self.viewport.lose_device(),
            script::Deed::Close => context.send_viewport_cmd(ViewportCommand::Close),
            // the others are events
            _ => {}
        }
    }

    /// The window is called by its scene.
    fn title(&mut self, context: &Context) {
        let name = self.desk.stem();
        if name != self.titled {
            context.send_viewport_cmd(ViewportCommand::Title(format!("{name} – Fracas")));
            self.titled = name;
        }
    }

    /// Closes the window if its device is gone. Nothing is painted any more: egui cannot without one.
    fn leave_if_lost(&mut self, context: &Context) {
        if self.lost.load(Ordering::Relaxed) {
            self.desk.ending = Some(Ending::Lost);
            context.send_viewport_cmd(ViewportCommand::Close);
            context.graphics_mut(|layers| *layers = Default::default());
        }
    }

    fn perform(&mut self, deeds: Vec<Deed>, context: &Context) {
        let at = context.input(|input| input.pointer.hover_pos());
        let inside = at.filter(|at| self.view.contains(*at)).map(|at| at - self.view.min);
        let pointer = inside.map(|at| DVec2::new(at.x.into(), at.y.into()));
        for deed in deeds {
            if deed == Deed::Quit {
                context.send_viewport_cmd(ViewportCommand::Close);
            }
            self.desk.perform(deed, pointer);
        }
    }
}

impl eframe::App for App<'_> {
    fn raw_input_hook(&mut self, context: &Context, raw: &mut egui::RawInput) {
        let known = Known {
            frame: self.desk.frame(),
            draws: self.desk.draws,
            idle: self.desk.is_idle(),
            view: self.view,
            marks: &self.desk.marks,
            now: self.desk.now(),
        };
        let Some(driver) = &mut self.desk.driver else { return };
        match driver.advance(&known, raw) {
            Ok(asked) => self.desk.asked = asked,
            Err(error) => {
                self.desk.ending = Some(Ending::Script(error));
                context.send_viewport_cmd(ViewportCommand::Close);
            }
        }
        if driver.is_busy() {
            context.request_repaint();
        }
    }

    fn logic(&mut self, _: &Context, _: &mut eframe::Frame) {
        self.desk.receive();
    }

    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        let context = ui.ctx().clone();
        self.desk.begin_what_was_seen();
        self.desk.draws += 1;
        self.desk.size = context.content_rect().size().into();
        self.desk.frames.push(self.desk.now(), 0.0, 1.0);
        self.title(&context);
        self.obey(&context);
        let dropped = context.input(|input| input.raw.dropped_files.clone());
        for file in dropped {
            self.desk.take_file(file.path());
        }
        let mut deeds = keys::pressed(&context);
        deeds.extend(panels::show(self.desk, ui, &self.adapter));
        self.perform(deeds, &context);
        CentralPanel::no_frame().show(ui, |ui| self.show_view(ui));
        self.shoot(&context);
        super::dialogs::show(self.desk, &context);
        let now = self.desk.now();
        self.desk.toasts.show(&context, self.view, now);
        if self.coarse && self.desk.paused || self.desk.is_waited_for() {
            context.request_repaint();
        }
        self.leave_if_lost(&context);
    }
}

/// Notices when the device is gone, and keeps its complaints from ending the program.
fn watch_device(device: &wgpu::Device, context: &Context, lost: &Arc<AtomicBool>) {
    let (flag, wake) = (Arc::clone(lost), context.clone());
    device.set_device_lost_callback(move |_, _| {
        flag.store(true, Ordering::Relaxed);
        wake.request_repaint();
    });
    let (flag, wake) = (Arc::clone(lost), context.clone());
    device.on_uncaptured_error(Arc::new(move |error| {
        eprintln!("error: the graphics device refused something: {error}");
        flag.store(true, Ordering::Relaxed);
        wake.request_repaint();
    }));
}

/// To this path, or under a new name in the working directory.
fn write(path: Option<PathBuf>, stem: &str, frame: u64, picture: &Picture) -> Developed {
    let written = match path {
        Some(path) => files::write(&path, picture).map(|()| path),
        None => files::write_new(Path::new("."), stem, frame, picture),
    };
    written.map_err(|reason| reason.to_string())
}

fn picture_of(image: &egui::ColorImage) -> Picture {
    let [width, height] = image.size.map(|side| side as u32);
    let pixels = image.pixels.iter().map(|pixel| pixel.to_array()).collect();
    Picture { size: [width, height], pixels }
}
