//! What colours tell, and what is drawn inside of bodies.

use eframe::egui::{Slider, Ui};

use crate::stage::{Colour, Overlays, Style};
use crate::window::desk::Desk;
use crate::window::moment::Command;
use crate::window::sliders;

/// How the world is drawn, and what the scales reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub style: Style,
    /// The strain at the bright end of the scale.
    full_strain: f32,
}

impl Default for Look {
    fn default() -> Self {
        Self { style: Style::default(), full_strain: 0.1 }
    }
}

/// Name, meaning, and the colour for a scale.
type Choice = (&'static str, &'static str, fn(&Look) -> Colour);

/// What colours can tell.
const COLOURS: [Choice; 4] = [
    ("material", "what a body is made of", |_| Colour::Material),
    ("body", "each body has its own", |_| Colour::Body),
    ("piece", "each connected piece has its own", |_| Colour::Piece),
    ("strain", "the largest principal strain", |look| Colour::Strain { full: look.full_strain }),
];

/// Name, meaning, and the switch.
type Switch = (&'static str, &'static str, fn(&mut Overlays) -> &mut bool);

/// What can be drawn inside of bodies.
const OVERLAYS: [Switch; 3] = [
    ("particles", "as ellipsoids; surfaces become glass", |overlays| &mut overlays.particles),
    ("bonds", "between particles; surfaces become glass", |overlays| &mut overlays.bonds),
    ("tetrahedra", "their edges, of shapes that are made of them", |overlays| &mut overlays.tets),
];

/// Shows the section.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui) {
    let before = desk.look.style;
    let look = &mut desk.look;
    ui.label("Colours tell");
    ui.horizontal_wrapped(|ui| {
        for (name, meaning, colour) in COLOURS {
            let colour = colour(look);
            ui.selectable_value(&mut look.style.colour, colour, name).on_hover_text(meaning);
        }
    });
    if let Colour::Strain { full } = &mut look.style.colour {
        let slider = Slider::new(full, 1e-5..=1.0).logarithmic(true).text("bright at");
        ui.add(slider.custom_formatter(|value, _| sliders::text(value)))
            .on_hover_text("the strain at the bright end of the scale");
        look.full_strain = *full;
    }
    ui.add_space(4.0);
    ui.label("Inside of bodies");
    for (name, meaning, switch) in OVERLAYS {
        ui.checkbox(switch(&mut look.style.overlays), name).on_hover_text(meaning);
    }
    let style = look.style;
    if style != before {
        desk.send(Command::Style(style));
    }
}
