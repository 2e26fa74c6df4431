//! Sleeping: islands at rest are left out of steps until something wakes them.
//!
//! An island falls asleep when all its pieces have been slow for [`REST`], and wakes as a whole: by something
//! that moves and would touch it within the substep, by a command that concerns it, by a body or obstacle
//! that is added or taken away. Its contacts wait with their forces, so that it wakes in balance.

use super::World;
use super::body::{Body, Piece};
use super::ids::{BodyId, PieceId};
use super::step::{Around, predict_piece};
use super::touching::Touching;
use crate::contact::{Contact, Spot};
use glam::Vec3;

/// Slower than this, in m/s, counts as rest.
const SLOW: f32 = 0.05;
/// How long it takes to fall asleep, in s.
const REST: f32 = 0.5;

/// A contact of a sleeping island.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dormant {
    pub island: PieceId,
    pub contact: Contact,
}

/// Room for falling asleep, never read across steps.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Least time of rest, and first piece, of each island.
    islands: Vec<(f32, PieceId)>,
}

impl Scratch {
    /// Room for so many pieces.
    pub fn reserve(&mut self, count: usize) {
        self.islands.reserve(count.saturating_sub(self.islands.len()));
    }
}

impl World {
    /// At the end of a step: what has rested long enough falls asleep.
    pub(super) fn fall_asleep(&mut self, dt: f32) {
        if !self.config.sleeping || self.time < f64::from(self.config.settle) {
            return;
        }
        let Self { bodies, touching, .. } = self;
        for body in bodies.iter_mut() {
            body.count_rest(dt);
        }
        // what a moving obstacle touches will be moved by it
        for contact in touching.contacts.iter().filter(|c| c.drift != Vec3::ZERO) {
            let Spot { body, piece, .. } = contact.first;
            bodies[body as usize].pieces[piece as usize].quiet = 0.0;
        }
        if touching.list_rest(bodies) {
            touching.lay_down(bodies);
        }
    }

    /// Wakes the islands that pieces of a body sleep in.
    pub(super) fn wake_body(&mut self, id: BodyId) {
        self.wake_bodies(|body| body.id == id);
    }

    /// Wakes everything.
    pub(super) fn wake_all(&mut self) {
        self.wake_bodies(|_| true);
    }

    /// Whether nothing moves: a substep changes the time and nothing else.
    pub(super) fn is_still(&self) -> bool {
        let still = |body: &Body| body.pieces.iter().all(Piece::is_still);
        self.bodies.iter().all(still)
            && !self.bodies.is_empty()
            && !self.obstacles.iter().any(super::Obstacle::moves)
    }

    fn wake_bodies(&mut self, which: impl Fn(&Body) -> bool) {
        let mut names = std::mem::take(&mut self.touching.names);
        names.clear();
        for body in self.bodies.iter().filter(|body| which(body)) {
            names.extend(body.pieces.iter().filter_map(|piece| piece.asleep));
        }
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            for piece in self.bodies.iter_mut().flat_map(|body| &mut body.pieces) {
                piece.wake(&names);
            }
            self.touching.wake_contacts(&names);
        }
        self.touching.names = names; // keeps its room
    }
}

impl Piece {
    /// Whether this woke it.
    fn wake(&mut self, names: &[PieceId]) -> bool {
        let woken = self.asleep.is_some_and(|name| names.binary_search(&name).is_ok());
        if woken {
            self.asleep = None;
            self.quiet = 0.0;
        }
        woken
    }
}

impl Body {
    fn count_rest(&mut self, dt: f32) {
        let busy = !self.grips.is_empty() || !self.pushes.is_empty();
        let particles = &self.particles;
        for piece in self.pieces.iter_mut().filter(|piece| !piece.is_still()) {
            let span = piece.span.clone();
            let alone = span.len() == 1;
            let slow = |j: usize| {
                // a body of many particles turns by moving them
                let turning = match particles.spin.get(j) {
                    Some(w) if alone => {
                        w.length() * particles.radii[j].into_iter().fold(0.0, f32::max)
                    }
                    _ => 0.0,
                };
                particles.velocity[j].length() + turning < SLOW
            };
            let rests = !busy && span.into_iter().all(slow);
            piece.quiet = if rests { piece.quiet + dt } else { 0.0 };
        }
    }
}

impl Touching {
    /// Least rest of every island; whether there is one that may sleep.
    fn list_rest(&mut self, bodies: &[Body]) -> bool {
        let count: usize = bodies.iter().map(|body| body.pieces.len()).sum();
        // a split or removal in the last substep: islands are known again in the next
        let known = self.first_piece.last().is_some_and(|&last| last as usize == count)
            && self.first_piece.len() == bodies.len() + 1;
        if !known {
            return false;
        }
        let list = &mut self.sleep.islands;
        list.clear();
        list.resize(count, (f32::INFINITY, PieceId(u64::MAX)));
        for (place, piece) in bodies.iter().flat_map(|body| &body.pieces).enumerate() {
            if piece.is_still() {
                continue;
            }
            // what touches nothing is not at rest, but on its way
            let rest = if self.touched[place] { piece.quiet } else { 0.0 };
            let island = &mut list[self.islands.find(place as u32) as usize];
            *island = (island.0.min(rest), island.1.min(piece.id));
        }
        list.iter().any(|island| island.0 >= REST && island.0 < f32::INFINITY)
    }

    /// Stops the islands that have rested long enough and puts their contacts away.
    fn lay_down(&mut self, bodies: &mut [Body]) {
        let mut number = 0;
        for body in bodies.iter_mut() {
            for index in 0..body.pieces.len() {
                let (rest, name) = self.sleep.islands[self.islands.find(number) as usize];
                number += 1;
                if !body.pieces[index].is_still() && rest >= REST {
                    body.lay_down(index, name);
                }
            }
        }
        let asleep = |spot: Spot| bodies[spot.body as usize].pieces[spot.piece as usize].asleep;
        for contact in &self.contacts {
            if let Some(island) = asleep(contact.first) {
                self.dormant.push(Dormant { island, contact: *contact });
            }
        }
        self.dormant.sort_unstable_by_key(|dormant| dormant.contact.key);
        let mut kept = 0;
        for k in 0..self.contacts.len() {
            if asleep(self.contacts[k].first).is_none() {
                self.contacts[kept] = self.contacts[k];
                self.touches[kept] = self.touches[k];
                kept += 1;
            }
        }
        self.contacts.truncate(kept);
        self.touches.truncate(kept);
    }

    /// Nothing moves, so nothing touches anew.
    pub(super) fn rest(&mut self) {
        self.contacts.clear();
        self.touches.clear();
    }

    /// Contacts of islands that wake are there for the next search to take over.
    fn wake_contacts(&mut self, names: &[PieceId]) {
        for dormant in &self.dormant {
            if names.binary_search(&dormant.island).is_ok() {
                self.woken.push(dormant.contact);
            }
        }
        self.dormant.retain(|dormant| names.binary_search(&dormant.island).is_err());
        self.woken.sort_unstable_by_key(|contact| contact.key);
    }

    /// After a search: wakes what something would touch within the substep, and tells whether there was
    /// such; then contacts must be searched anew. Other contacts with sleepers are dropped.
    pub(super) fn wake_touched(&mut self, bodies: &mut [Body], around: Around<'_>) -> bool {
        let h = around.step.h;
        let mut names = std::mem::take(&mut self.names);
        names.clear();
        let asleep = |spot: Spot| bodies[spot.body as usize].pieces[spot.piece as usize].asleep;
        let sleeper = |c: &Contact| asleep(c.first).or_else(|| c.second.and_then(asleep));
        for contact in &self.contacts {
            let Some(name) = sleeper(contact) else { continue };
            if contact.gap - h * contact.approach.max(0.0) <= 0.0 {
                names.push(name);
            }
        }
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            self.contacts.retain(|contact| sleeper(contact).is_none());
            self.touches.truncate(self.contacts.len());
        } else {
            for Body { pieces, particles, model, .. } in bodies.iter_mut() {
                for piece in pieces.iter_mut() {
                    if piece.wake(&names) {
                        predict_piece(particles, piece, model.solid_mut(), around);
                    }
                }
            }
            self.wake_contacts(&names);
        }
        let woken = !names.is_empty();
        self.names = names;
        woken
    }
}

impl Body {
    fn lay_down(&mut self, index: usize, name: PieceId) {
        let Self { particles, pieces, spent, .. } = self;
        let piece = &mut pieces[index];
        piece.asleep = Some(name);
        for j in piece.span.clone() {
            let v = std::mem::take(&mut particles.velocity[j]);
            spent.damping += 0.5 * f64::from(particles.mass[j] * v.length_squared());
            particles.remember_place(j);
            if particles.oriented() {
                let w = particles.spin[j];
                let turning = w.dot(particles.inertia_times(j, w));
                spent.damping += 0.5 * f64::from(turning);
                particles.spin[j] = Vec3::ZERO;
                particles.previous_orientation[j] = particles.orientation[j];
            }
        }
    }
}
