//! Held pieces of sheets that are near to something and press on nothing, as a cloth is that hangs in folds: solved by the model itself, as if they were
//! alone, and believed if that opens all contacts. Most of the time it does, at a fraction of what rounds with contacts take.

use super::rows::opens;
use super::{Part, Scratch, Side, Touch};
use crate::contact::{Contact, Spot};
use crate::parallel::Span;
use crate::solids::Step;
use glam::Vec3;

/// Solves an island of one such piece; false if it is none, or touches something after all, and has to be solved anew.
pub(super) fn solve_untouched<S: Side>(
    sides: &mut [S],
    parts: &mut [Part],
    contacts: &[Contact],
    touches: &mut [Touch],
    step: &Step,
    scratch: &mut Scratch,
) -> bool {
    let [part] = parts else { return false };
    let presses = |contact: &Contact| contact.force != 0.0 || contact.slip_force != Vec3::ZERO;
    let side = &mut sides[part.side];
    let free = part.held.is_empty() || part.pulled;
    if free || side.solid().sheet().is_empty() || contacts.iter().any(presses) {
        return false;
    }
    let (solid, particles, held) = side.all_mut();
    let held = &mut held[part.held.clone()];
    part.residual = solid.solve_alone(particles, part.span.clone(), held, step);
    let Span { start, end } = part.places();
    let moved = &mut scratch.moved;
    for (k, j) in (start..end).zip(part.span.clone()) {
        let way = particles.place(j) - particles.previous_place(j);
        moved.all_mut().set(k, (way.as_vec3(), Vec3::ZERO));
    }
    let place = |spot: Spot| part.place(spot.anchor.particle) as u32;
    contacts.iter().zip(touches).all(|(contact, touch)| {
        touch.places = [Some(contact.first), contact.second].map(|spot| spot.map(place));
        opens(contact, touch, scratch.moved.all())
    })
}
