//! What colours tell, and what is drawn inside of bodies.

use eframe::egui::{ComboBox, Slider, Ui};
use fracas::material::MaterialField;

use crate::scale::{Quantity, Scale};
use crate::stage::{Colour, Overlays, Style};
use crate::window::desk::Desk;
use crate::window::moment::Command;
use crate::window::sliders;

/// How the world is drawn, and where scales are bright.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub style: Style,
    /// Where scales of strain and of stress are brightest; at the largest there is if `None`.
    full: [Option<f32>; 2],
    /// The value of materials that is told.
    field: MaterialField,
}

impl Default for Look {
    fn default() -> Self {
        Self { style: Style::default(), full: [None; 2], field: MaterialField::Strength }
    }
}

impl Look {
    /// Where the scale of a quantity is brightest, and the range of its slider.
    fn full(&mut self, of: Quantity) -> Option<(&mut Option<f32>, [f32; 2])> {
        let [strain, stress] = &mut self.full;
        match of {
            Quantity::Strain | Quantity::PlasticStrain => Some((strain, [1e-5, 1.0])),
            Quantity::Stress => Some((stress, [1.0, 1e10])),
            Quantity::Value(_) => None,
        }
    }

    fn scale(&mut self, of: Quantity) -> Colour {
        let full = self.full(of).and_then(|(full, _)| *full);
        Colour::Scale(Scale { of, full })
    }
}

/// Name, meaning, and the colour for a scale.
type Choice = (&'static str, &'static str, fn(&mut Look) -> Colour);

/// What colours can tell.
const COLOURS: [Choice; 7] = [
    ("material", "what a body is made of", |_| Colour::Material),
    ("body", "each body has its own", |_| Colour::Body),
    ("piece", "each connected piece has its own", |_| Colour::Piece),
    ("strain", "the largest principal strain", |look| look.scale(Quantity::Strain)),
    ("stress", "the largest principal stress, by size", |look| look.scale(Quantity::Stress)),
    ("plastic", "the strain that will stay", |look| look.scale(Quantity::PlasticStrain)),
    ("value", "a value of the material, as it varies in space", |look| {
        look.scale(Quantity::Value(look.field))
    }),
];

/// Name, meaning, and the switch.
type Switch = (&'static str, &'static str, fn(&mut Overlays) -> &mut bool);

/// What can be drawn besides.
const OVERLAYS: [Switch; 5] = [
    ("particles", "as ellipsoids; surfaces become glass", |overlays| &mut overlays.particles),
    ("bonds", "between particles; surfaces become glass", |overlays| &mut overlays.bonds),
    ("tetrahedra", "their edges, of shapes that are made of them", |overlays| &mut overlays.tets),
    ("fibres", "the direction of the grain, where there is one", |overlays| &mut overlays.fibres),
    ("contacts", "where something pushes, and how hard", |overlays| &mut overlays.contacts),
];

/// Shows the section.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui) {
    let before = desk.look.style;
    let look = &mut desk.look;
    ui.label("Colours tell");
    ui.horizontal_wrapped(|ui| {
        for (name, meaning, colour) in COLOURS {
            let colour = colour(look);
            let same = std::mem::discriminant(&colour)
                == std::mem::discriminant(&look.style.colour)
                && quantity(colour).map(kind) == quantity(look.style.colour).map(kind);
            if ui.selectable_label(same, name).on_hover_text(meaning).clicked() {
                look.style.colour = colour;
            }
        }
    });
    if let Some(of) = quantity(look.style.colour) {
        show_scale(look, of, ui);
    }
    ui.add_space(4.0);
    ui.label("Also drawn");
    for (name, meaning, switch) in OVERLAYS {
        ui.checkbox(switch(&mut look.style.overlays), name).on_hover_text(meaning);
    }
    let style = look.style;
    if style != before {
        desk.send(Command::Style(style));
    }
}

fn quantity(colour: Colour) -> Option<Quantity> {
    match colour {
        Colour::Scale(scale) => Some(scale.of),
        _ => None,
    }
}

/// All values of materials are one choice.
fn kind(of: Quantity) -> Quantity {
    match of {
        Quantity::Value(_) => Quantity::Value(MaterialField::Strength),
        other => other,
    }
}

/// Where the scale is bright, or which value it tells.
fn show_scale(look: &mut Look, of: Quantity, ui: &mut Ui) {
    if let Quantity::Value(_) = of {
        ComboBox::from_id_salt("value").selected_text(look.field.name()).show_ui(ui, |ui| {
            for field in MaterialField::ALL {
                ui.selectable_value(&mut look.field, field, field.name());
            }
        });
    } else if let Some((full, [low, high])) = look.full(of) {
        let mut fixed = full.is_some();
        ui.checkbox(&mut fixed, "fixed scale").on_hover_text("else bright at the largest there is");
        let middle = (low * high).sqrt();
        *full = fixed.then(|| full.unwrap_or(middle));
        if let Some(full) = full {
            let slider = Slider::new(full, low..=high).logarithmic(true).text("bright at");
            ui.add(slider.custom_formatter(|value, _| sliders::text(value)));
        }
    }
    look.style.colour = match of {
        Quantity::Value(_) => look.scale(Quantity::Value(look.field)),
        other => look.scale(other),
    };
}
