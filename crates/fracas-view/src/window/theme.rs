//! Dark and calm: the scene has the colours.

use eframe::egui::{self, Color32, Context, CornerRadius, Stroke, Visuals};

/// Of what is chosen or moves.
pub(super) const ACCENT: Color32 = Color32::from_rgb(104, 160, 214);
/// Behind panels.
const PANEL: Color32 = Color32::from_rgb(30, 32, 36);
/// Behind windows over the view.
const WINDOW: Color32 = Color32::from_rgb(38, 40, 45);

/// Dresses a window.
pub(super) fn apply(context: &Context) {
    let mut visuals = Visuals::dark();
    visuals.panel_fill = PANEL;
    visuals.window_fill = WINDOW;
    visuals.extreme_bg_color = Color32::from_rgb(22, 23, 26);
    visuals.selection.bg_fill = ACCENT.gamma_multiply(0.45);
    visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
    visuals.hyperlink_color = ACCENT;
    visuals.slider_trailing_fill = true;
    visuals.window_shadow = egui::Shadow::NONE;
    visuals.popup_shadow = egui::Shadow::NONE;
    for widget in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
        &mut visuals.widgets.noninteractive,
    ] {
        widget.corner_radius = CornerRadius::same(4);
    }
    visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(196);
    visuals.widgets.inactive.fg_stroke.color = Color32::from_gray(214);
    context.set_theme(egui::Theme::Dark);
    context.set_visuals(visuals);
}
