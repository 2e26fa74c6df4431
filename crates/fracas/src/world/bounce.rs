//! Restitution: rigid bodies that meet faster than a threshold bounce before the solve.
//!
//! One impact after the other, each between two bodies, until none is left: so a row of balls passes the
//! momentum of the first on to the last, which no solve of all contacts at once does. What rests
//! on each other is slower than the threshold and left to the solve.
//!
//! Only pieces of one particle and obstacles bounce. What deforms has its elasticity for that.

use super::body::{Body, Impulse};
use crate::contact::{Contact, Spot};
use glam::Vec3;

/// Rounds over all contacts; each passes impacts on by at least one body.
const ROUNDS: usize = 16;
/// What comes nearer more slowly than by twice what gravity adds in a substep, and this, in m/s, does not bounce.
const SLOWEST: f32 = 0.05;

/// An impact that took place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounce {
    /// Index of the contact.
    pub contact: u32,
    /// On the first, in N s.
    pub impulse: Vec3,
    /// Energy that the two lost, in J.
    loss: f32,
}

/// Bounces all that meet within the substep: velocities and x* change, and `out` tells what happened.
pub(super) fn bounce(bodies: &mut [Body], contacts: &[Contact], h: f32, out: &mut Vec<Bounce>) {
    out.clear();
    let bouncy = |contact: &Contact| {
        contact.restitution > 0.0
            && contact.approach > SLOWEST
            && is_rigid(bodies, contact.first)
            && contact.second.is_none_or(|spot| is_rigid(bodies, spot))
    };
    if !contacts.iter().any(bouncy) {
        return;
    }
    for _ in 0..ROUNDS {
        let mut quiet = true;
        for (contact, index) in contacts.iter().zip(0..) {
            if let Some((impulse, loss)) = impact(bodies, contact, h) {
                stop_at_surface(bodies, contact);
                push(bodies, contact.first, impulse);
                if let Some(spot) = contact.second {
                    push(bodies, spot, -impulse);
                }
                out.push(Bounce { contact: index, impulse, loss });
                quiet = false;
            }
        }
        if quiet {
            return;
        }
    }
}

/// Whether a point is of a piece of one particle that turns and nothing holds.
fn is_rigid(bodies: &[Body], spot: Spot) -> bool {
    let body = &bodies[spot.body as usize];
    let j = spot.anchor.particle as usize;
    body.particles.oriented()
        && !body.particles.held[j]
        && body.pieces[spot.piece as usize].span.len() == 1
}

/// The impulse of an impact and the energy it takes, if there is one:
///
/// ```text
/// w = v_n − ½ h a_n,   v_n⁺ = e √(w² + 2 |a_n| gap) − ½ h a_n
/// ```
///
/// v_n is the speed before the solve, with the h a_n of this substep in it. ½ w² + |a| gap is what
/// symplectic Euler conserves, hence a ball rises to e² of its height whatever the substep. It counts from the
/// surface, where the substep leaves the two ([`stop_at_surface`]).
fn impact(bodies: &[Body], contact: &Contact, h: f32) -> Option<(Vec3, f32)> {
    if contact.restitution == 0.0 {
        return None;
    }
    let n = contact.normal;
    let velocity = speed(bodies, contact, h);
    let along = velocity.dot(n);
    let acceleration = acceleration(bodies, contact).dot(n).min(0.0);
    if along >= 2.0 * h * acceleration - SLOWEST || contact.gap + h * along > 0.0 {
        return None;
    }
    let spots = [Some(contact.first), contact.second];
    if !spots.into_iter().flatten().all(|spot| is_rigid(bodies, spot)) {
        return None;
    }
    let gives_way = |d: Vec3| -> f32 {
        spots.into_iter().flatten().map(|spot| compliance(bodies, spot, d)).sum()
    };
    let w = along - 0.5 * h * acceleration;
    let fall = 2.0 * -acceleration * contact.gap.max(0.0);
    let after = contact.restitution * (w * w + fall).sqrt() - 0.5 * h * acceleration;
    let push = (after - along) / gives_way(n);
    let across = velocity - n * along;
    let slip = across.length();
    let (mut rub, mut slower) = (Vec3::ZERO, 0.0);
    if slip > 0.0 {
        let t = across / slip;
        let gives = gives_way(t);
        let rubbed = (slip / gives).min(contact.friction[0] * push);
        (rub, slower) = (-rubbed * t, rubbed * (slip - 0.5 * rubbed * gives));
    }
    Some((push * n + rub, slower - 0.5 * push * (along + after)))
}

/// Velocity of the first point relative to the second.
fn speed(bodies: &[Body], contact: &Contact, h: f32) -> Vec3 {
    let at = |spot: Spot| {
        let particles = &bodies[spot.body as usize].particles;
        let j = spot.anchor.particle as usize;
        let turning = particles.spin.get(j).map_or(Vec3::ZERO, |w| w.cross(spot.anchor.arm));
        particles.velocity[j] + turning
    };
    at(contact.first) - contact.second.map_or(Vec3::ZERO, at) - contact.drift / h
}

/// Acceleration of the first relative to the second.
fn acceleration(bodies: &[Body], contact: &Contact) -> Vec3 {
    let of = |spot: Spot| {
        let particles = &bodies[spot.body as usize].particles;
        particles.acceleration[spot.anchor.particle as usize]
    };
    of(contact.first) - contact.second.map_or(Vec3::ZERO, of)
}

/// What an impulse of 1 along `d` moves the point by.
fn compliance(bodies: &[Body], spot: Spot, d: Vec3) -> f32 {
    let particles = &bodies[spot.body as usize].particles;
    let j = spot.anchor.particle as usize;
    let lever = spot.anchor.arm.cross(d);
    1.0 / particles.mass[j] + lever.dot(particles.inv_inertia_times(j, lever))
}

/// Takes back what x* of the two goes into each other, and nothing of the motion of both together: with the
/// new velocities they set off in the next substep.
fn stop_at_surface(bodies: &mut [Body], contact: &Contact) {
    let of = |spot: Spot| {
        let particles = &bodies[spot.body as usize].particles;
        let j = spot.anchor.particle as usize;
        (particles.inertial[j] - particles.previous[j], 1.0 / particles.mass[j])
    };
    let (way, light) = of(contact.first);
    let (other_way, other_light) = contact.second.map_or((contact.drift, 0.0), of);
    let depth = -(contact.gap.max(0.0) + contact.normal.dot(way - other_way));
    if depth > 0.0 {
        let shift = depth / (light + other_light) * contact.normal;
        let spots = [Some((contact.first, light)), contact.second.map(|s| (s, -other_light))];
        for (spot, share) in spots.into_iter().flatten() {
            let particles = &mut bodies[spot.body as usize].particles;
            particles.inertial[spot.anchor.particle as usize] += share * shift;
        }
    }
}

fn push(bodies: &mut [Body], spot: Spot, impulse: Vec3) {
    let particles = &mut bodies[spot.body as usize].particles;
    let j = spot.anchor.particle as usize;
    particles.velocity[j] += impulse / particles.mass[j];
    let turning = particles.inv_inertia_times(j, spot.anchor.arm.cross(impulse));
    particles.spin[j] += turning;
}

/// Gives every body the impacts it felt; what they lost goes into the books.
pub(super) fn tell(bodies: &mut [Body], contacts: &[Contact], bounces: &[Bounce], h: f32) {
    for bounce in bounces {
        let contact = &contacts[bounce.contact as usize];
        let force = bounce.impulse / h;
        let spent = &mut bodies[contact.first.body as usize].spent;
        spent.contact_loss += f64::from(bounce.loss);
        spent.external_work += force.as_dvec3().dot(contact.drift.as_dvec3());
        let spots = [Some((contact.first, force)), contact.second.map(|spot| (spot, -force))];
        for (Spot { body, anchor, .. }, force) in spots.into_iter().flatten() {
            let body = &mut bodies[body as usize];
            body.scratch.impulses.push(Impulse {
                particle: anchor.particle,
                contact: bounce.contact,
                point: body.particles.previous[anchor.particle as usize] + anchor.arm,
                force,
                pressing: true,
                mutual: contact.second.is_some(),
                approach: contact.approach,
            });
        }
    }
}
