//! Help, and what is wrong with a scene: windows over the view.

use eframe::egui::{Align2, Context, Grid, RichText, ScrollArea, Window, vec2};

use super::desk::Desk;
use super::keys;

/// Shows those that are open.
pub(super) fn show(desk: &mut Desk, context: &Context) {
    if desk.help {
        help(desk, context);
    }
    if let Some(error) = desk.error.clone() {
        refusal(desk, context, &error);
    }
}

fn help(desk: &mut Desk, context: &Context) {
    Window::new("Mouse and keys")
        .open(&mut desk.help)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .show(context, |ui| {
            let room = ui.ctx().content_rect().height() - 120.0;
            ScrollArea::vertical().max_height(room).min_scrolled_height(room).show(ui, |ui| {
                Grid::new("keys").num_columns(2).striped(true).show(ui, |ui| {
                    let bindings =
                        keys::BINDINGS.iter().map(|binding| (binding.names, binding.text));
                    for (names, text) in keys::MOUSE.into_iter().chain(bindings) {
                        ui.strong(names);
                        ui.label(text);
                        ui.end_row();
                    }
                });
            });
        });
}

fn refusal(desk: &mut Desk, context: &Context, error: &str) {
    let mut open = true;
    Window::new("This scene cannot be shown")
        .open(&mut open)
        .collapsible(false)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .show(context, |ui| {
            let room = ui.ctx().content_rect().size() - vec2(120.0, 160.0);
            ScrollArea::both().max_width(room.x).max_height(room.y).show(ui, |ui| {
                ui.label(RichText::new(error).monospace());
            });
            ui.weak("A scene file is read again when it is saved. The scene before it goes on.");
        });
    if !open {
        desk.error = None;
    }
}
