//! The scenes that come with the program.

use eframe::egui::{ScrollArea, Ui};

use crate::window::desk::Desk;

/// Height of the list, in points.
const HEIGHT: f32 = 180.0;

/// Shows the section.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui) {
    let current = desk.moment.as_ref().map(|moment| moment.facts.name.clone());
    ui.weak("Or let a scene file go over the window; it is opened again whenever it is saved.");
    ScrollArea::vertical().id_salt("scenes").max_height(HEIGHT).auto_shrink([false, true]).show(
        ui,
        |ui| {
            for scene in fracas_scene::gallery() {
                let chosen = current.as_deref() == Some(scene.name);
                let label = ui.selectable_label(chosen, scene.name).on_hover_text(scene.title);
                if label.clicked() {
                    desk.open(scene.name);
                }
            }
        },
    );
}
