//! What is drawn over the 3-D view.

use eframe::egui::{self, Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, Ui, pos2, vec2};
use fracas::glam::DVec3;
use fracas_scene::play::Grabbed;

use super::deeds::is_scene;
use super::desk::Desk;
use super::hand::Hand;
use super::orbit::Orbit;
use super::theme::ACCENT;
use crate::colour;
use crate::scale::Ends;

const SHADE: Color32 = Color32::from_black_alpha(150);
const LEGEND: egui::Vec2 = vec2(160.0, 10.0);

/// All of it.
pub(super) fn show(desk: &Desk, ui: &Ui, view: Rect) {
    let painter = ui.painter_at(view);
    if let Some(moment) = &desk.moment {
        if let Some(grabbed) = &moment.grabbed {
            pull(&painter, &desk.orbit, view, grabbed);
        }
        if let Some(ends) = &desk.ends {
            legend(&painter, view, ends);
        }
    }
    if let Hand::Cutting { from } = desk.hand
        && let Some(to) = ui.input(|input| input.pointer.latest_pos())
    {
        let from = view.min + vec2(from.x as f32, from.y as f32);
        painter.line_segment([from, to], Stroke::new(4.0, SHADE));
        painter.line_segment([from, to], Stroke::new(2.0, ACCENT));
    }
    if let Some(name) = &desk.building {
        note(&painter, view.center_top() + vec2(0.0, 24.0), &format!("building {name} …"));
    } else if desk.moment.is_some() && desk.paused {
        note(&painter, view.center_top() + vec2(0.0, 24.0), "paused");
    }
    hovering(desk, ui, &painter, view);
}

/// The line from where something is held to where it is pulled, and the force.
fn pull(painter: &Painter, orbit: &Orbit, view: Rect, grabbed: &Grabbed) {
    let at = |x: [f64; 3]| {
        let pixel = orbit.pixel(DVec3::from(x))?;
        Some(view.min + vec2(pixel.x as f32, pixel.y as f32))
    };
    let (Some(from), Some(to)) = (at(grabbed.point), at(grabbed.target)) else { return };
    painter.line_segment([from, to], Stroke::new(4.0, SHADE));
    painter.line_segment([from, to], Stroke::new(2.0, ACCENT));
    painter.circle_filled(from, 4.0, ACCENT);
    painter.circle_stroke(to, 6.0, Stroke::new(2.0, ACCENT));
    note(painter, to + vec2(0.0, -20.0), &force(DVec3::from(grabbed.force).length()));
}

/// A force as people say it.
pub(super) fn force(newtons: f64) -> String {
    match newtons {
        n if n >= 1e6 => format!("{:.1} MN", 1e-6 * n),
        n if n >= 1e4 => format!("{:.1} kN", 1e-3 * n),
        n if n >= 100.0 => format!("{n:.0} N"),
        n => format!("{n:.1} N"),
    }
}

/// The scale of colours.
fn legend(painter: &Painter, view: Rect, ends: &Ends) {
    let corner = view.min + vec2(14.0, 14.0);
    let step = LEGEND.x / 32.0;
    for k in 0..32_u8 {
        let [r, g, b] = colour::of_share(f32::from(k) / 31.0).colour;
        let left = corner + vec2(step * f32::from(k), 0.0);
        let bar = Rect::from_min_size(left, vec2(step + 0.5, LEGEND.y));
        painter.rect_filled(bar, 0.0, Color32::from_rgb(r, g, b));
    }
    words(painter, corner + vec2(0.0, LEGEND.y + 4.0), Align2::LEFT_TOP, &ends.text());
}

/// What would become of the files that are held over the window.
fn hovering(desk: &Desk, ui: &Ui, painter: &Painter, view: Rect) {
    let files = ui.input(|input| input.raw.hovered_files.clone());
    let Some(path) = files.first().map(|file| file.path.clone().unwrap_or_default()) else {
        return;
    };
    let falling = &desk.falling;
    let text = match () {
        () if is_scene(&path) => "let go to open this scene".to_owned(),
        () => format!(
            "let go: it falls into the scene, of {}, in {} pieces",
            falling.preset, falling.pieces
        ),
    };
    painter.rect_filled(view, 0.0, SHADE);
    note(painter, view.center(), &text);
}

/// Words on a dark ground, around a place.
fn note(painter: &Painter, at: Pos2, text: &str) {
    let font = FontId::proportional(15.0);
    let galley = painter.layout_no_wrap(text.to_owned(), font, Color32::WHITE);
    let rect = Align2::CENTER_CENTER.anchor_size(at, galley.size());
    painter.rect_filled(rect.expand2(vec2(8.0, 4.0)), 4.0, SHADE);
    painter.galley(rect.min, galley, Color32::WHITE);
}

/// Words that can be read on anything.
fn words(painter: &Painter, at: Pos2, align: Align2, text: &str) {
    let font = FontId::proportional(13.0);
    painter.text(at + vec2(1.0, 1.0), align, text, font.clone(), Color32::BLACK);
    painter.text(at, align, text, font, Color32::WHITE);
}

/// The middle of a view that shows nothing yet.
pub(super) fn nothing(ui: &Ui, view: Rect) {
    let painter = ui.painter_at(view);
    painter.rect_filled(view, 0.0, Color32::from_rgb(44, 47, 53));
    let line = [pos2(view.left(), view.bottom()), pos2(view.right(), view.bottom())];
    painter.line_segment(line, Stroke::new(1.0, Color32::BLACK));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_are_said_as_people_do() {
        let text = [0.0, 3.12, 250.0, 12_345.0, 4.2e6].map(force);
        assert_eq!(text, ["0.0 N", "3.1 N", "250 N", "12.3 kN", "4.2 MN"]);
    }
}
