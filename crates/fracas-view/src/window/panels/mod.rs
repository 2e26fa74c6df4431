//! The panels around the 3-D view.

pub(super) mod look;
pub(super) mod material;
mod play;
mod plots;
mod scenes;
mod status;
mod toolbar;

use std::collections::BTreeMap;

use eframe::egui::{CollapsingHeader, ComboBox, Panel, Rect, ScrollArea, Ui};

use super::app::Adapter;
use super::desk::Desk;
use super::keys::Deed;

/// Where sliders and titles were drawn last, by name: what scripts take hold of.
pub(super) type Marks = BTreeMap<&'static str, Rect>;

/// Room that the panel beside the view has at first, in points.
const WIDTH: f32 = 320.0;

/// Shows them all; what is left of the window is the view. Returns what their buttons ask for.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui, adapter: &Adapter) -> Vec<Deed> {
    desk.marks.clear();
    let deeds = Panel::top("toolbar").show(ui, |ui| toolbar::show(desk, ui)).inner;
    Panel::bottom("status").show(ui, |ui| status::show(desk, ui, adapter));
    // in a small window, the view comes first
    if ui.available_width() < 1.5 * WIDTH {
        return deeds;
    }
    Panel::right("side").default_size(WIDTH).size_range(200.0..=600.0).show(ui, |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            section(desk, ui, "Play", true, play::show);
            section(desk, ui, "Scenes", true, scenes::show);
            section(desk, ui, "Material", false, material::show);
            section(desk, ui, "Look", false, look::show);
            section(desk, ui, "Plots", false, plots::show);
        });
    });
    deeds
}

fn section(
    desk: &mut Desk,
    ui: &mut Ui,
    title: &'static str,
    open: bool,
    show: fn(&mut Desk, &mut Ui),
) {
    let header = CollapsingHeader::new(title).default_open(open).show(ui, |ui| show(desk, ui));
    desk.marks.insert(title, header.header_response.rect);
}

/// A choice of the presets of materials; tells whether another was chosen.
fn presets(ui: &mut Ui, id: &str, chosen: &mut String) -> bool {
    let before = chosen.clone();
    ComboBox::from_id_salt(id).selected_text(chosen.as_str()).show_ui(ui, |ui| {
        for (name, _) in fracas::material::presets::PRESETS {
            ui.selectable_value(chosen, name.to_owned(), name);
        }
    });
    *chosen != before
}
