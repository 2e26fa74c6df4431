//! Curves of the last seconds.

use std::collections::VecDeque;

use eframe::egui::{TextStyle, Ui};
use egui_plot::{Legend, Line, Plot, PlotPoints};
use fracas::StepReport;

use crate::window::desk::Desk;

/// Height of a plot, in points, without and with each curve in its legend.
const HEIGHT: [f32; 2] = [90.0, 16.0];
/// Points of a curve; more cannot be told apart.
const MOST: usize = 300;

/// A name, and what it is in a step.
type Curve = (&'static str, fn(&StepReport) -> f64);

/// What is held and what is lost add up to what was put in: the last curve stays where it is.
const ENERGY: [Curve; 11] = [
    ("kinetic", |report| report.energy.kinetic),
    ("elastic", |report| report.energy.elastic),
    ("gravity", |report| report.energy.gravity),
    ("plastic", |report| report.energy.plastic_work),
    ("fracture", |report| report.energy.fracture_work),
    ("friction", |report| report.energy.friction),
    ("damping", |report| report.energy.damping),
    ("contact", |report| report.energy.contact_loss),
    ("solver", |report| report.energy.solver_loss),
    ("put in", |report| report.energy.external_work),
    ("balance", |report| report.energy.held() + report.energy.lost() - report.energy.external_work),
];

const COUNTS: [Curve; 3] = [
    ("pieces", |report| report.pieces as f64),
    ("cracks in a step", |report| report.cracks as f64),
    ("contacts", |report| report.contacts as f64),
];

const MOMENTUM: [Curve; 3] = [
    ("x", |report| report.momentum[0]),
    ("y", |report| report.momentum[1]),
    ("z", |report| report.momentum[2]),
];

const TIMES: [Curve; 7] = [
    ("total", |report| report.ms.total),
    ("predict", |report| report.ms.predict),
    ("contact", |report| report.ms.contact),
    ("elastic", |report| report.ms.elastic),
    ("plastic", |report| report.ms.plastic),
    ("fracture", |report| report.ms.fracture),
    ("commit", |report| report.ms.commit),
];

/// Shows the section.
pub(super) fn show(desk: &mut Desk, ui: &mut Ui) {
    plot(ui, "Energy, in J", &ENERGY, &desk.history);
    plot(ui, "Pieces, cracks, contacts", &COUNTS, &desk.history);
    plot(ui, "Momentum, in kg m/s", &MOMENTUM, &desk.history);
    plot(ui, "Milliseconds of a step", &TIMES, &desk.history);
}

fn plot(ui: &mut Ui, title: &str, curves: &[Curve], history: &VecDeque<StepReport>) {
    ui.label(title);
    let plot = Plot::new(title)
        .height(HEIGHT[0] + HEIGHT[1] * curves.len() as f32)
        .y_axis_min_width(30.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .legend(
            Legend::default()
                .text_style(TextStyle::Small)
                .background_alpha(0.4)
                .follow_insertion_order(true),
        );
    let step = history.len().div_ceil(MOST).max(1);
    plot.show(ui, |plot| {
        for (name, value) in curves {
            let point = |report: &StepReport| [report.time, value(report)];
            // from the end, so that the newest is always there
            let points: Vec<_> = history.iter().rev().step_by(step).map(point).collect();
            plot.line(Line::new(*name, PlotPoints::from(points)));
        }
    });
}
