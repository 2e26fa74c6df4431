//! Balls and meshes.

use eframe::egui::{DragValue, Grid, Slider, Ui};

use super::presets;
use crate::window::desk::Desk;
use crate::window::keys::{self, Deed};
use crate::window::sliders;

/// Shows the section.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui) {
    if let Some(moment) = &desk.moment {
        ui.label(moment.facts.title.as_str());
        ui.add_space(4.0);
    }
    ui.label("Drag a body to pull it. Right click to shoot a ball there. Drag with Ctrl to cut.");
    ui.add_space(4.0);
    let extent = desk.moment.as_ref().map_or(1.0, |moment| moment.facts.extent()) as f32;
    Grid::new("ball").num_columns(2).show(ui, |ui| {
        let text = |value, _| sliders::text(value);
        ui.label("Ball of");
        presets(ui, "ball of", &mut desk.ball.preset);
        ui.end_row();
        ui.label("Speed");
        let speed = Slider::new(&mut desk.ball.speed, 0.1..=300.0).logarithmic(true);
        ui.add(speed.suffix(" m/s").custom_formatter(text));
        ui.end_row();
        ui.label("Radius");
        let range = 0.002 * extent..=0.5 * extent;
        let radius = Slider::new(&mut desk.ball.radius, range).logarithmic(true);
        ui.add(radius.suffix(" m").custom_formatter(text));
        ui.end_row();
    });
    let middle =
        format!("shoots at the middle of the view ({} at the pointer)", keys::names(Deed::Shoot));
    if ui.button("Shoot").on_hover_text(middle).clicked() {
        desk.shoot(0.5 * desk.orbit.size);
    }
    ui.add_space(6.0);
    ui.label("Let a mesh file go over the window: it falls and breaks.");
    Grid::new("mesh").num_columns(2).show(ui, |ui| {
        ui.label("Mesh of");
        presets(ui, "mesh of", &mut desk.falling.preset);
        ui.end_row();
        ui.label("Pieces");
        ui.add(DragValue::new(&mut desk.falling.pieces).range(1..=5000));
        ui.end_row();
        ui.label("Size");
        let size = &mut desk.falling.size;
        ui.add(DragValue::new(size).range(1e-3..=1e3).speed(0.005).suffix(" m"));
        ui.end_row();
    });
}
