//! One line of facts.

use eframe::egui::Ui;

use crate::window::app::Adapter;
use crate::window::desk::Desk;
use crate::window::sliders;

/// Shows the bar.
pub(super) fn show(desk: &Desk, ui: &mut Ui, adapter: &Adapter) {
    ui.horizontal_wrapped(|ui| {
        let Some(moment) = &desk.moment else {
            ui.label("no scene yet");
            return;
        };
        ui.strong(moment.facts.stem());
        fact(ui, format!("{:.2} s", moment.time), "simulated time");
        fact(ui, format!("frame {}", moment.frame), "frames done");
        fact(ui, count(moment.pieces, "piece"), "connected pieces");
        fact(ui, count(moment.particles, "particle"), "live particles");
        let speed = if desk.paused { "paused".to_owned() } else { factor(moment.speed) };
        fact(ui, speed, "simulated seconds per second, over the last second");
        let ms = format!("{} ms per step", sliders::text(moment.ms));
        fact(ui, ms, "mean over the last second");
        let fps = desk.frames.speed(desk.now());
        fact(ui, format!("{fps:.0} fps"), "pictures of the window in the last second");
        fact(ui, bytes(desk.bytes), "to the graphics device for the last moment");
        fact(ui, format!("hash {:016x}", moment.hash), "hash of the whole state");
        fact(ui, adapter.short(), &adapter.about);
    });
}

fn fact(ui: &mut Ui, text: String, meaning: &str) {
    ui.separator();
    ui.label(text).on_hover_text(meaning);
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn bytes(number: u64) -> String {
    match number {
        n if n < 1_000_000 => format!("{:.0} kB", 1e-3 * n as f64),
        n => format!("{:.1} MB", 1e-6 * n as f64),
    }
}

/// How fast it is, as people say it.
fn factor(speed: f64) -> String {
    format!("{speed:.2} × real time")
}
