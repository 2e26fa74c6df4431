//! Values of materials, while the scene runs.

use std::sync::Arc;

use eframe::egui::{ComboBox, Rect, Slider, SliderClamping, Ui, vec2};
use fracas::material::{MaterialDesc, MaterialField};
use fracas_scene::model_uses;
use fracas_scene::play::Action;

use super::presets;
use crate::window::desk::Desk;
use crate::window::moment::{BodyFacts, Facts};
use crate::window::sliders::{self, Range};

/// How long sliders are, in points.
const RAIL: f32 = 90.0;

/// Which body is looked at, and its values as the sliders have them.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// `None` is all.
    body: Option<u64>,
    preset: String,
    values: MaterialDesc,
    /// What the values were read from.
    read: Option<Arc<Facts>>,
}

/// Shows the section.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui) {
    let Some(facts) = desk.moment.as_ref().map(|moment| Arc::clone(&moment.facts)) else { return };
    let body = choose(&mut desk.chosen, ui, &facts);
    let Some(first) = facts.bodies.iter().find(|known| body.is_none_or(|body| known.id == body))
    else {
        return;
    };
    read(&mut desk.chosen, &facts, first, ui.ctx().egui_is_using_pointer());
    ui.horizontal(|ui| {
        ui.label("Preset");
        if presets(ui, "preset of body", &mut desk.chosen.preset) {
            let preset = desk.chosen.preset.clone();
            if let Some(values) = fracas::material::preset(&preset) {
                desk.chosen.values = values;
            }
            desk.act(Action::Preset { body, preset });
        }
    });
    ui.spacing_mut().slider_width = RAIL;
    for field in MaterialField::ALL {
        let unusable = unusable(field, &facts, body);
        let (rail, set) = slider(ui, field, &mut desk.chosen.values, unusable);
        desk.marks.insert(field.name(), rail);
        if let Some(value) = set {
            desk.act(Action::Material { body, field: field.name().to_owned(), value });
        }
    }
}

/// One body or all.
fn choose(chosen: &mut Chosen, ui: &mut Ui, facts: &Arc<Facts>) -> Option<u64> {
    let name = |id: u64| facts.bodies.iter().find(|body| body.id == id).map(|body| &body.name);
    let before = chosen.body;
    if chosen.body.is_some_and(|id| name(id).is_none()) {
        chosen.body = None;
    }
    let shown = chosen.body.and_then(name).map_or("all bodies", String::as_str);
    ComboBox::from_id_salt("body").selected_text(shown).show_ui(ui, |ui| {
        ui.selectable_value(&mut chosen.body, None, "all bodies");
        for body in &facts.bodies {
            ui.selectable_value(&mut chosen.body, Some(body.id), &body.name);
        }
    });
    if chosen.body != before {
        chosen.read = None;
    }
    chosen.body
}

/// Takes the values of a body, unless a slider is being moved or they were taken already.
fn read(chosen: &mut Chosen, facts: &Arc<Facts>, body: &BodyFacts, moving: bool) {
    let known = chosen.read.as_ref();
    let same_scene = known.is_some_and(|known| known.number == facts.number);
    let up_to_date = known.is_some_and(|known| Arc::ptr_eq(known, facts));
    if up_to_date || same_scene && moving {
        return;
    }
    if !same_scene {
        chosen.preset = "choose".to_owned();
    }
    chosen.values = body.material.clone();
    chosen.read = Some(Arc::clone(facts));
}

/// Why a value cannot be changed here.
fn unusable(field: MaterialField, facts: &Facts, body: Option<u64>) -> Option<String> {
    let mut bodies = facts.bodies.iter().filter(|known| body.is_none_or(|body| known.id == body));
    if field == MaterialField::Density {
        return Some("enters the rest shape: change it in the scene file".to_owned());
    }
    let model = bodies.clone().next().map_or("", |body| body.model);
    (!bodies.any(|body| model_uses(body.model, field)))
        .then(|| format!("the model `{model}` does not use it"))
}

/// A slider of a value; returns where it can be taken hold of, and what it was set to.
fn slider(
    ui: &mut Ui,
    field: MaterialField,
    values: &mut MaterialDesc,
    unusable: Option<String>,
) -> (Rect, Option<f32>) {
    let constant = values.get(field).constant();
    let mut value = constant.unwrap_or(f32::NAN);
    if constant.is_none() {
        value = sliders::range(field).low;
    }
    let before = value;
    let Range { low, high, decades, endless } = sliders::range(field);
    let end = if endless { f32::INFINITY } else { high };
    let mut slider = Slider::new(&mut value, low..=end)
        .clamping(SliderClamping::Never)
        .text(field.name())
        .suffix(if field.unit().is_empty() { String::new() } else { format!(" {}", field.unit()) })
        .custom_formatter(|value, _| sliders::text(value))
        .custom_parser(|text| text.trim().parse().ok());
    if let Some(smallest) = decades {
        slider = slider.logarithmic(true).smallest_positive(f64::from(smallest));
    }
    if endless {
        slider = slider.largest_finite(f64::from(high));
    }
    let varies = if constant.is_none() {
        "\nvaries in the body; moved, it is the same everywhere"
    } else {
        ""
    };
    let response = ui.add_enabled(unusable.is_none(), slider);
    let rail = Rect::from_min_size(response.rect.min, vec2(RAIL, response.rect.height()));
    response
        .on_hover_text(format!("{}{varies}", field.range_text()))
        .on_disabled_hover_text(unusable.unwrap_or_default());
    // NaN cannot be typed: the parser of numbers takes it, the engine does not
    let set = (value != before).then(|| {
        *values.get_mut(field) = value.into();
        value
    });
    (rail, set)
}
