//! Debris: pieces that were split off, and when they go.

use super::body::Body;
use super::command::Command;
use super::error::{CommandError, require};
use super::event::Event;
use super::ids::{BodyId, PieceId};
use super::{World, pieces};
use crate::solids::Motion;
use glam::Vec3;

/// When pieces that were split off are taken away, looked at when a step starts.
///
/// Debris is every part of a piece that fell apart but the heaviest, which stays what the piece
/// was. Each that goes is told by [`Event::DebrisRemoved`], the oldest first; it goes also if a grip
/// holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebrisRule {
    /// Debris that is small goes so long after it was split off, in s; 0 or above.
    pub lifetime: f32,
    /// Debris is small if it fits, unbent, into a ball around its middle of less than this
    /// diameter, in m; 0 or above.
    pub min_size: f32,
    /// The most debris that stays, small or large: the oldest goes first, of equals that with the
    /// lower id.
    pub budget: u32,
}

impl DebrisRule {
    pub(super) fn check(&self) -> Result<(), CommandError> {
        let from_zero = |field, x: f32| require(x >= 0.0 && x.is_finite(), field, "0 or above", x);
        from_zero("debris.lifetime", self.lifetime)?;
        from_zero("debris.min_size", self.min_size)
    }
}

/// A piece that was split off, in the order in which it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Debris {
    born: f64,
    piece: PieceId,
    body: BodyId,
    gone: bool,
}

impl World {
    /// Takes a piece of a body away at the start of the next step, with its particles, and the
    /// body if it is the last. Grips lose the particles and end with their last. The energy of the
    /// piece leaves the books as external work.
    ///
    /// # Errors
    /// [`CommandError::NoBody`], [`CommandError::NoPiece`].
    pub fn remove_piece(&mut self, body: BodyId, piece: PieceId) -> Result<(), CommandError> {
        if !self.find(body)?.pieces.iter().any(|p| p.id == piece) {
            return Err(CommandError::NoPiece { body, piece });
        }
        self.queue.push(Command::RemovePiece(body, piece));
        Ok(())
    }

    pub(super) fn apply_remove_piece(&mut self, id: BodyId, piece: PieceId) {
        self.take_away(id, &|p| p == piece);
    }

    /// Takes away what the rule says.
    pub(super) fn clear_debris(&mut self) {
        let Some(rule) = self.config.debris else { return };
        let mut debris = std::mem::take(&mut self.debris);
        debris.clear();
        let mut left = 0;
        for body in &self.bodies {
            for piece in &body.pieces {
                let Some(born) = piece.born else { continue };
                let old = self.time - born >= f64::from(rule.lifetime);
                let gone = old && body.size(&piece.span) < rule.min_size;
                left += u32::from(!gone);
                debris.push(Debris { born, piece: piece.id, body: body.id, gone });
            }
        }
        debris.sort_unstable_by(|a, b| a.born.total_cmp(&b.born).then(a.piece.cmp(&b.piece)));
        let stays = debris.iter_mut().filter(|debris| !debris.gone);
        for oldest in stays.take(left.saturating_sub(rule.budget) as usize) {
            oldest.gone = true;
        }
        debris.retain(|debris| debris.gone);
        if !debris.is_empty() {
            // others may have rested on it
            self.wake_all();
        }
        for &Debris { body, piece, .. } in &debris {
            self.tell_removed(body, piece);
        }
        // body by body, all of its pieces at once
        debris.sort_unstable_by_key(|debris| (debris.body, debris.piece));
        for of_body in debris.chunk_by(|a, b| a.body == b.body) {
            let is_gone = |p: PieceId| of_body.binary_search_by_key(&p, |d| d.piece).is_ok();
            self.take_away(of_body[0].body, &is_gone);
        }
        self.debris = debris; // keeps its room
    }

    fn tell_removed(&mut self, id: BodyId, piece: PieceId) {
        let Some(body) = self.bodies.iter().find(|body| body.id == id) else { return };
        let Some(found) = body.pieces.iter().find(|p| p.id == piece) else { return };
        let (particles, span) = (&body.particles, found.span.clone());
        let motion = Motion::of(particles, &particles.position, span, &self.workers);
        let position = (found.origin + motion.centre).to_array();
        self.events.push(Event::DebrisRemoved { body: id, piece, position, mass: motion.mass });
    }

    /// Pieces of a body go, and the body with the last of them.
    fn take_away(&mut self, id: BodyId, is_gone: &dyn Fn(PieceId) -> bool) {
        let Some(k) = self.bodies.iter().position(|body| body.id == id) else { return };
        let (step, books) = (self.audit_step(), self.config.books);
        let body = &mut self.bodies[k];
        for index in 0..body.pieces.len() {
            if is_gone(body.pieces[index].id) {
                let piece = &body.pieces[index];
                let (span, origin) = (piece.span.clone(), piece.origin);
                let particles = &body.particles;
                let motion = Motion::of(particles, &particles.position, span, &self.workers);
                let place = origin + motion.centre;
                let elastic = if books { body.audit(index, &step) } else { 0.0 };
                let gravity = -motion.mass * body.gravity.as_dvec3().dot(place);
                body.spent.external_work -= motion.kinetic + elastic + gravity;
            }
        }
        if body.pieces.iter().all(|piece| is_gone(piece.id)) {
            let body = self.bodies.remove(k);
            self.attachments.forget(id);
            self.spent.add_spent(&body.spent);
            self.events.push(Event::BodyRemoved { body: id });
        } else {
            pieces::remove(body, |piece| is_gone(piece.id));
        }
    }

    /// Room to list all debris, so that steps take none.
    pub(super) fn reserve_debris(&mut self, new: usize) {
        if self.config.debris.is_some() {
            let all = self.bodies.iter().map(Body::particle_count).sum::<usize>() + new;
            self.debris.reserve(all.saturating_sub(self.debris.len()));
        }
    }
}

impl Body {
    /// Diameter of the ball around the mean of some particles that holds their ellipsoids, at
    /// rest, in m.
    fn size(&self, span: &crate::parallel::Span) -> f32 {
        let rest = &self.particles.rest[span.clone()];
        let sum: glam::DVec3 = rest.iter().map(|x| x.as_dvec3()).sum();
        let middle = (sum / rest.len() as f64).as_vec3();
        let radius = |radii: &[f32; 3]| radii.iter().copied().fold(0.0, f32::max);
        let radii = self.particles.radii[span.clone()].iter().map(radius);
        let reach = rest.iter().zip(radii).map(|(x, r): (&Vec3, f32)| x.distance(middle) + r);
        2.0 * reach.fold(0.0, f32::max)
    }
}
