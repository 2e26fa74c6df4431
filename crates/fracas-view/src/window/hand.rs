//! The pointer in the 3-D view: turning, moving, grabbing, shooting.

use eframe::egui::{Key, PointerButton, Pos2, Response, Ui, Vec2};
use fracas::glam::{DVec2, DVec3};
use fracas_scene::play::Action;

use super::desk::Desk;
use super::orbit::Orbit;

/// How much a point of the wheel zooms.
const ZOOM: f64 = 0.002;
/// Shares of the distance to the target walked in a second.
const WALK: f64 = 0.8;
/// The longest time between two pictures that a walk takes notice of, in s.
const LONGEST: f64 = 0.1;

/// What the left button does while it is held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Hand {
    /// Nothing.
    #[default]
    Free,
    /// Whether there is something to hold is not known yet: only the simulation can tell. What was
    /// moved meanwhile turns the camera if there is not.
    Asking { moved: DVec2, down: bool },
    /// Holds something, which it pulls along the plane at this depth.
    Holding { depth: f64, target: Option<DVec3> },
    /// Draws a cut from this pixel to where it is let go.
    Cutting { from: DVec2 },
    /// Turns the camera.
    Turning,
    /// Moves it.
    Panning,
    /// Looks around.
    Looking,
}

impl Hand {
    /// The simulation has taken hold of something there, or of nothing.
    pub fn answer(&mut self, point: Option<DVec3>, orbit: &mut Orbit) {
        let Self::Asking { moved, down } = *self else { return };
        *self = match point {
            Some(point) if down => Self::Holding { depth: orbit.depth(point), target: None },
            Some(_) => Self::Free,
            None => {
                orbit.turn(moved);
                if down { Self::Turning } else { Self::Free }
            }
        };
    }

    /// Opens the hand; tells whether it held something.
    pub fn let_go(&mut self) -> bool {
        matches!(std::mem::take(self), Self::Holding { .. } | Self::Asking { .. })
    }

    /// Whether an answer of the simulation is outstanding.
    pub fn is_asking(&self) -> bool {
        matches!(self, Self::Asking { .. })
    }
}

/// What the pointer did since the last picture.
struct Pointer {
    at: Option<Pos2>,
    moved: Vec2,
    pressed: bool,
    down: bool,
    alt: bool,
    shift: bool,
    ctrl: bool,
    wheel: f64,
    pinch: f64,
}

/// Does what the pointer and the keys of the camera ask for in the view.
pub(super) fn handle(desk: &mut Desk, ui: &Ui, response: &Response) {
    let pointer = ui.input(|input| Pointer {
        at: input.pointer.latest_pos(),
        moved: input.pointer.delta(),
        pressed: input.pointer.primary_pressed(),
        down: input.pointer.primary_down(),
        alt: input.modifiers.alt,
        shift: input.modifiers.shift,
        ctrl: input.modifiers.command || input.modifiers.ctrl,
        wheel: f64::from(input.smooth_scroll_delta().y),
        pinch: f64::from(input.zoom_delta()),
    });
    if response.contains_pointer() && pointer.pressed {
        // keys are the camera's again
        ui.memory_mut(|memory| memory.focused().map(|id| memory.surrender_focus(id)));
        begin(desk, response, &pointer);
    }
    go_on(desk, response, &pointer);
    if response.dragged_by(PointerButton::Middle) {
        desk.orbit.turn(pixels(response.drag_delta()));
    }
    if response.dragged_by(PointerButton::Secondary) {
        desk.orbit.pan(pixels(response.drag_delta()));
    }
    let at = pointer.at.map(|at| pixels(at - response.rect.min));
    if let (true, Some(at)) = (response.secondary_clicked(), at) {
        desk.shoot(at);
    }
    if let (true, Some(at)) = (response.contains_pointer(), at) {
        turn_wheel(desk, &pointer, at);
    }
    walk(desk, ui);
    if desk.hand != Hand::Free {
        ui.ctx().request_repaint();
    }
}

/// The left button was pressed.
fn begin(desk: &mut Desk, response: &Response, pointer: &Pointer) {
    let Some(at) = pointer.at else { return };
    desk.hand = match (pointer.alt, pointer.shift, pointer.ctrl) {
        (true, ..) => Hand::Looking,
        (_, true, _) => Hand::Panning,
        (.., true) => Hand::Cutting { from: pixels(at - response.rect.min) },
        _ => {
            let ray = desk.orbit.ray(pixels(at - response.rect.min));
            let direction = ray.direction.as_vec3().to_array();
            desk.act(Action::Grab { origin: ray.origin.to_array(), direction });
            Hand::Asking { moved: DVec2::ZERO, down: true }
        }
    };
}

/// The left button is held, or was let go.
fn go_on(desk: &mut Desk, response: &Response, pointer: &Pointer) {
    let moved = pixels(pointer.moved);
    let mut hand = desk.hand;
    match &mut hand {
        Hand::Free => {}
        Hand::Asking { moved: sum, down } => {
            *sum += moved;
            if *down && !pointer.down {
                *down = false;
                desk.act(Action::Release);
            }
        }
        Hand::Holding { depth, target } => {
            let at = pointer.at.map(|at| pixels(at - response.rect.min));
            let pulled = at.map(|at| desk.orbit.point(at, *depth));
            if let Some(place) = pulled.filter(|_| pulled != *target) {
                *target = pulled;
                desk.act(Action::Drag { target: place.to_array() });
            }
            if !pointer.down {
                desk.act(Action::Release);
                hand = Hand::Free;
            }
        }
        Hand::Cutting { from } => {
            let at = pointer.at.map(|at| pixels(at - response.rect.min));
            if let (false, Some(to)) = (pointer.down, at) {
                if to != *from {
                    desk.slice([*from, to]);
                }
                hand = Hand::Free;
            }
        }
        Hand::Turning => desk.orbit.turn(moved),
        Hand::Panning => desk.orbit.pan(moved),
        Hand::Looking => desk.orbit.look(moved),
    }
    if !pointer.down && matches!(hand, Hand::Turning | Hand::Panning | Hand::Looking) {
        hand = Hand::Free;
    }
    desk.hand = hand;
}

/// Zooms, or brings what is held nearer or farther.
fn turn_wheel(desk: &mut Desk, pointer: &Pointer, at: DVec2) {
    if let Hand::Holding { depth, .. } = &mut desk.hand {
        *depth *= (ZOOM * pointer.wheel).exp();
        return;
    }
    let factor = (-ZOOM * pointer.wheel).exp() / pointer.pinch.max(0.1);
    if factor != 1.0 {
        desk.orbit.zoom(factor, at);
    }
}

/// Moves the camera while its keys are held.
fn walk(desk: &mut Desk, ui: &Ui) {
    if ui.ctx().egui_wants_keyboard_input() {
        return;
    }
    let (steps, seconds) = ui.input(|input| {
        let along = |less: &[Key], more: &[Key]| {
            let held =
                |keys: &[Key]| f64::from(u8::from(keys.iter().any(|&key| input.key_down(key))));
            held(more) - held(less)
        };
        let steps = DVec3::new(
            along(&[Key::A, Key::ArrowLeft], &[Key::D, Key::ArrowRight]),
            along(&[Key::Q], &[Key::E]),
            along(&[Key::S, Key::ArrowDown], &[Key::W, Key::ArrowUp]),
        );
        let chord = input.modifiers.command || input.modifiers.ctrl;
        (if chord { DVec3::ZERO } else { steps }, f64::from(input.stable_dt))
    });
    if steps != DVec3::ZERO {
        desk.orbit.walk(steps * WALK * seconds.min(LONGEST));
        ui.ctx().request_repaint();
    }
}

fn pixels(points: Vec2) -> DVec2 {
    DVec2::new(f64::from(points.x), f64::from(points.y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;

    fn orbit() -> Orbit {
        let camera = Camera { eye: 2.0 * DVec3::Z, target: DVec3::ZERO, field_of_view: 0.7 };
        Orbit { camera, size: DVec2::new(300.0, 200.0) }
    }

    /// What was moved while nobody knew whether there was something to hold is not lost.
    #[test]
    fn a_hand_that_finds_nothing_turns_the_camera() {
        let (mut late, mut prompt) = (orbit(), orbit());
        let moved = DVec2::new(12.0, 5.0);
        let mut hand = Hand::Asking { moved, down: true };
        hand.answer(None, &mut late);
        prompt.turn(moved);
        assert_eq!((hand, late), (Hand::Turning, prompt));
    }

    /// What is held stays at its depth.
    #[test]
    fn a_hand_that_finds_something_holds_it() {
        let mut hand = Hand::Asking { moved: DVec2::ONE, down: true };
        let mut turned = orbit();
        hand.answer(Some(DVec3::new(0.1, 0.2, 0.5)), &mut turned);
        assert!(matches!(hand, Hand::Holding { depth, .. } if (depth - 1.5).abs() < 1e-6));
        assert_eq!(turned, orbit());
        assert!(hand.let_go() && !hand.let_go());
    }

    /// The button may be up again before the answer comes.
    #[test]
    fn a_late_answer_finds_an_open_hand() {
        for answer in [None, Some(DVec3::ZERO)] {
            let mut hand = Hand::Asking { moved: DVec2::ZERO, down: false };
            hand.answer(answer, &mut orbit());
            assert_eq!(hand, Hand::Free);
        }
    }
}
