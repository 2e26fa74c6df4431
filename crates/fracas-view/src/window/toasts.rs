//! Short messages over the view.

use eframe::egui::{self, Align2, Color32, Context, Id, Rect};

/// How long a message stays, in s.
const STAY: f64 = 6.0;
/// Messages seen at once; the oldest go first.
const MOST: usize = 5;

/// Short messages, the newest at the end.
#[derive(Debug, Default)]
pub(super) struct Toasts {
    shown: Vec<Toast>,
    /// The last messages, also those that can no longer be read.
    told: Vec<String>,
}

#[derive(Debug)]
struct Toast {
    text: String,
    bad: bool,
    /// When it goes, in s.
    end: f64,
}

impl Toasts {
    /// Tells that something was done.
    pub fn tell(&mut self, now: f64, text: impl Into<String>) {
        self.push(now, text.into(), false);
    }

    /// Tells that something could not be done.
    pub fn refuse(&mut self, now: f64, text: impl Into<String>) {
        self.push(now, text.into(), true);
    }

    fn push(&mut self, now: f64, text: String, bad: bool) {
        // said again, it stays longer
        self.shown.retain(|toast| toast.text != text);
        self.told.retain(|told| *told != text);
        self.told.push(text.clone());
        self.shown.push(Toast { text, bad, end: now + STAY });
        self.shown.drain(..self.shown.len().saturating_sub(MOST));
        self.told.drain(..self.told.len().saturating_sub(MOST));
    }

    /// The last messages. What reports tell must not depend on how fast a machine draws.
    pub fn told(&self) -> &[String] {
        &self.told
    }

    /// Shows them in the lower left corner of the view; a click removes one.
    pub fn show(&mut self, context: &Context, view: Rect, now: f64) {
        self.shown.retain(|toast| toast.end > now);
        let Some(next) = self.shown.iter().map(|toast| toast.end).reduce(f64::min) else { return };
        context.request_repaint_after_secs((next - now) as f32);
        let mut clicked = None;
        egui::Area::new(Id::unique("toasts"))
            .pivot(Align2::LEFT_BOTTOM)
            .fixed_pos(view.left_bottom() + egui::vec2(10.0, -10.0))
            .constrain_to(view)
            .show(context, |ui| {
                for (k, toast) in self.shown.iter().enumerate() {
                    if card(ui, toast, view.width() - 40.0).clicked() {
                        clicked = Some(k);
                    }
                }
            });
        if let Some(k) = clicked {
            self.shown.remove(k);
        }
    }
}

fn card(ui: &mut egui::Ui, toast: &Toast, width: f32) -> egui::Response {
    let stripe = if toast.bad { Color32::from_rgb(224, 108, 88) } else { super::theme::ACCENT };
    let frame = egui::Frame::popup(ui.style()).stroke(egui::Stroke::new(1.0, stripe));
    let shown = frame.show(ui, |ui| {
        ui.set_max_width(width.clamp(40.0, 460.0));
        ui.label(&toast.text);
    });
    shown.response.interact(egui::Sense::click()).on_hover_text("click to close")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_few_and_not_twice() {
        let mut toasts = Toasts::default();
        for k in 0..10 {
            toasts.tell(f64::from(k), format!("message {}", k % 7));
        }
        assert_eq!([toasts.shown.len(), toasts.told.len()], [MOST; 2]);
        assert_eq!(toasts.told().last().map(String::as_str), Some("message 2"));
        toasts.refuse(11.0, "message 1");
        assert_eq!(toasts.told().iter().filter(|text| *text == "message 1").count(), 1);
    }
}
