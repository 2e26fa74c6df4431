//! Pause, pace and the camera.

use eframe::egui::{Align, Button, Layout, Ui};

use crate::window::deeds::SPEEDS;
use crate::window::desk::Desk;
use crate::window::keys::{self, Deed};

/// Shows the bar; returns what its buttons ask for.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui) -> Vec<Deed> {
    let mut deeds = Vec::new();
    ui.horizontal(|ui| {
        let pause = if desk.paused { "Go on" } else { "Pause" };
        button(ui, &mut deeds, Deed::Pause, pause);
        button(ui, &mut deeds, Deed::Step, "Step");
        button(ui, &mut deeds, Deed::Reset, "Reset");
        ui.separator();
        speeds(desk, ui);
        ui.separator();
        button(ui, &mut deeds, Deed::FrameAll, "Frame all");
        button(ui, &mut deeds, Deed::Home, "Home");
        ui.separator();
        button(ui, &mut deeds, Deed::Screenshot, "Picture");
        let record = if desk.album.is_some() { "Stop recording" } else { "Record" };
        button(ui, &mut deeds, Deed::RecordFrames, record);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            button(ui, &mut deeds, Deed::Help, "Keys");
        });
    });
    deeds
}

fn button(ui: &mut Ui, deeds: &mut Vec<Deed>, deed: Deed, text: &str) {
    if ui.add(Button::new(text)).on_hover_text(tip(deed)).clicked() {
        deeds.push(deed);
    }
}

fn tip(deed: Deed) -> String {
    let binding = keys::BINDINGS.iter().find(|binding| binding.deed == deed);
    binding.map_or_else(String::new, |binding| format!("{} ({})", binding.text, binding.names))
}

fn speeds(desk: &mut Desk, ui: &mut Ui) {
    ui.label("Speed").on_hover_text(format!(
        "simulated seconds in a second: fewer steps, never other ones ({} slower, {} faster)",
        keys::names(Deed::Slower),
        keys::names(Deed::Faster)
    ));
    for (index, (_, name)) in SPEEDS.iter().enumerate() {
        if ui.selectable_label(desk.speed == index, *name).clicked() {
            desk.set_speed(index);
        }
    }
}
