//! Joints in the course of a substep: brought into the solve, told to the bodies, broken.

use super::faces::{has_faces, over};
use super::glue::ordered;
use super::{Attachment, AttachmentId, Body, BodyId, Condition, End, Joint, ParticleId, Quiet};
use crate::contact::Spot;
use crate::contact::narrow::nearest_on_triangle;
use crate::math::Rot;
use crate::solids::{Anchor, Boundary};
use crate::solve::links::{Beside, Link};
use crate::world::body::Impulse;
use crate::world::event::Event;
use crate::world::step::Around;
use glam::Vec3;

/// All attachments, and room to solve them.
#[derive(Debug, Default)]
pub(in crate::world) struct Attachments {
    list: Vec<Attachment>,
    /// How many there ever were.
    made: u64,
    /// Pairs that do not fight, in order. Follows from the list.
    quiet: Vec<[ParticleId; 2]>,
    /// Joints of this substep, and the links made of them.
    active: Vec<Active>,
    links: Vec<Link>,
    /// Those of `active` that break in this substep.
    breaking: Vec<u32>,
    /// Where the particles of a body stand, in the order of their ids.
    places: Vec<u32>,
}

/// A joint that takes part in the substep: its attachment, its place in it, and the bodies and
/// pieces of its ends.
#[derive(Clone, Copy, Debug)]
struct Active {
    attachment: u32,
    joint: u32,
    bodies: [u32; 2],
    pieces: [u32; 2],
    /// Whether its points are farther apart than its face is wide: a load that no solve can hold.
    torn: bool,
}

impl Attachments {
    pub fn iter(&self) -> impl Iterator<Item = &Attachment> {
        self.list.iter()
    }

    pub fn next_id(&self) -> AttachmentId {
        AttachmentId(self.made + 1)
    }

    pub fn count_up(&mut self) {
        self.made += 1;
    }

    pub(super) fn set_made(&mut self, made: u64) {
        self.made = made;
    }

    pub fn made(&self) -> u64 {
        self.made
    }

    /// Adds one and takes the room that steps will need.
    pub fn add(&mut self, attachment: Attachment, bodies: &mut [Body]) {
        let ends = attachment.joints.len();
        let joints: usize = self.list.iter().map(|other| other.joints.len()).sum::<usize>() + ends;
        self.active.reserve(joints.saturating_sub(self.active.len()));
        self.links.reserve(joints.saturating_sub(self.links.len()));
        self.breaking.reserve(joints.saturating_sub(self.breaking.len()));
        for body in bodies.iter_mut().filter(|body| attachment.bodies.contains(&body.id)) {
            let impulses = &mut body.scratch.impulses;
            impulses.reserve(impulses.capacity() - impulses.len() + ends);
            self.places.reserve(body.shape_count.saturating_sub(self.places.len()));
        }
        self.list.push(attachment);
        self.list_quiet();
    }

    pub fn detach(&mut self, id: AttachmentId) {
        self.list.retain(|attachment| attachment.id != id);
        self.list_quiet();
    }

    /// A body was removed.
    pub fn forget(&mut self, body: BodyId) {
        self.list.retain(|attachment| !attachment.bodies.contains(&body));
        self.list_quiet();
    }

    fn list_quiet(&mut self) {
        self.quiet.clear();
        for attachment in &self.list {
            let joints = &attachment.joints;
            let holds = |joint: u32| joints[joint as usize].condition != Condition::Broken;
            let pairs = attachment.quiet.iter().filter(|quiet| holds(quiet.joint));
            self.quiet.extend(pairs.map(|quiet| ordered(quiet.pair[0], quiet.pair[1])));
        }
        self.quiet.sort_unstable();
    }

    /// Whether a joint holds this particle.
    pub fn hold(&self, particle: ParticleId) -> bool {
        let joints = self.list.iter().flat_map(|attachment| &attachment.joints);
        let mut holding = joints.filter(|joint| joint.condition != Condition::Broken);
        holding.any(|joint| joint.ends.iter().any(|end| end.ids.contains(&particle)))
    }

    /// Whether two particles of two bodies do not fight.
    pub fn are_quiet(&self, a: ParticleId, b: ParticleId) -> bool {
        !self.quiet.is_empty() && self.quiet.binary_search(&ordered(a, b)).is_ok()
    }

    /// Makes links of the joints that hold. Bodies are in the order of their numbers.
    pub fn begin(&mut self, bodies: &[Body]) {
        self.active.clear();
        self.links.clear();
        let mut regrown = false;
        for (attachment, index) in self.list.iter_mut().zip(0..) {
            let Some(numbers) = numbers(attachment, bodies) else { continue };
            let both = numbers.map(|k| &bodies[k as usize]);
            regrown |= follow(attachment, both, &mut self.places);
            for (joint, k) in attachment.joints.iter().zip(0..) {
                if joint.condition == Condition::Broken {
                    continue;
                }
                let ends = joint.ends;
                let pieces = [0, 1].map(|side| both[side].piece_of(ends[side].places[0]));
                let piece = |side: usize| &both[side].pieces[pieces[side] as usize];
                if piece(0).is_still() || piece(1).is_still() {
                    continue;
                }
                // all seen from the origin of the first piece
                let shift = [Vec3::ZERO, (piece(1).origin - piece(0).origin).as_vec3()];
                let centre = |side: usize| {
                    let j = ends[side].places[0] as usize;
                    both[side].particles.previous[j] + shift[side]
                };
                let beside = [0, 1].map(|side| {
                    let at = |j: u32| both[side].particles.previous[j as usize];
                    ends[side].beside(&at)
                });
                let place = |side: usize| {
                    let j = ends[side].places[0] as usize;
                    let turned = both[side].particles.previous_orientation.get(j);
                    let arm = || *turned.unwrap_or(&Rot::IDENTITY) * ends[side].arm;
                    centre(side) + beside[side].map_or_else(arm, |beside| beside.reach())
                };
                // arms to one point, so that the pair has no torque of its own
                let (first, second) = (place(0), place(1));
                let middle = 0.5 * (first + second);
                let spots = [0, 1].map(|side| {
                    let [particle, mates @ ..] = ends[side].places;
                    let shares = beside[side].map_or([0.0; 2], |beside| beside.shares());
                    let arm = middle - centre(side);
                    let anchor = Anchor { particle, arm, mates, shares };
                    Spot { body: numbers[side], piece: pieces[side], anchor }
                });
                let number = self.active.len() as u32;
                self.active.push(Active {
                    attachment: index,
                    joint: k,
                    bodies: numbers,
                    pieces,
                    torn: false,
                });
                self.links.push(Link::new(number, spots, beside, first - second, joint.share));
            }
        }
        if regrown {
            self.list_quiet();
        }
    }

    /// Bodies and pieces that links hold together.
    pub fn joined(&self) -> impl Iterator<Item = [(u32, u32); 2]> {
        self.active.iter().map(|active| {
            let Active { bodies, pieces, .. } = active;
            [(bodies[0], pieces[0]), (bodies[1], pieces[1])]
        })
    }

    /// Puts links in the order of their islands. `place` tells group and side of a body's piece.
    pub fn list_links(&mut self, mut place: impl FnMut(u32, u32) -> ([u32; 2], u32)) {
        for link in &mut self.links {
            let Active { bodies, pieces, .. } = self.active[link.index as usize];
            for side in 0..2 {
                (link.group, link.spots[side].body) = place(bodies[side], pieces[side]);
            }
        }
        self.links.sort_unstable_by_key(|link| (link.group, link.index));
    }

    pub fn links(&self) -> &[Link] {
        &self.links
    }

    pub fn links_mut(&mut self) -> &mut [Link] {
        &mut self.links
    }

    /// What the links of the last substep store, as the springs that they are, in J.
    pub fn stored(&self) -> f64 {
        self.links.iter().map(Link::stored).sum()
    }

    /// Nothing moves, so nothing is stretched any more.
    pub fn rest(&mut self) {
        self.active.clear();
        self.links.clear();
    }

    /// Keeps the forces, and gives every body those it felt. `contacts` have been numbered before.
    pub fn tell(&mut self, bodies: &mut [Body], contacts: usize) {
        for link in &self.links {
            let active = &mut self.active[link.index as usize];
            let joint = &mut self.list[active.attachment as usize].joints[active.joint as usize];
            active.torn = (link.gap + link.moved).length() > joint.face();
            // quarantine will find the piece whose numbers are not finite
            joint.force = if link.force.is_finite() { link.force } else { Vec3::ZERO };
            for (side, force) in [link.force, -link.force].into_iter().enumerate() {
                let anchor = link.spots[side].anchor;
                let body = &mut bodies[active.bodies[side] as usize];
                body.scratch.impulses.push(Impulse {
                    particle: anchor.particle,
                    contact: contacts as u32 + link.index,
                    point: body.particles.previous[anchor.particle as usize] + anchor.arm,
                    force,
                    pressing: false,
                    mutual: true,
                    approach: 0.0,
                });
            }
            // what both lose together, and the link does not store, is booked once
            let work = link.force.as_dvec3().dot(link.moved.as_dvec3());
            let lost = work + link.stored() - link.stored_before();
            bodies[active.bodies[0] as usize].spent.contact_loss -= lost;
        }
    }

    /// Breaks what its load parts, only where the solve of both pieces has converged: a break test
    /// is a test of the material. All are judged before one is broken. What is torn is gone anyway.
    pub fn break_links(&mut self, bodies: &[Body], around: Around<'_>, events: &mut Vec<Event>) {
        self.breaking.clear();
        for (active, index) in self.active.iter().zip(0..) {
            let attachment = &self.list[active.attachment as usize];
            let joint = &attachment.joints[active.joint as usize];
            let converged = |side: usize| {
                let pieces = &bodies[active.bodies[side] as usize].pieces;
                pieces[active.pieces[side] as usize].residual.converged()
            };
            let body = &bodies[active.bodies[0] as usize];
            let at = |j: u32| body.particles.position[j as usize];
            let normal = match joint.ends[0].beside(&at) {
                Some(Beside { edges: [e, f], .. }) => -e.cross(f).normalize_or_zero(),
                None => turned(body, &joint.ends[0]) * joint.normal,
            };
            let may_part = around.breaking && converged(0) && converged(1);
            if active.torn || may_part && attachment.parts(joint, normal) {
                self.breaking.push(index);
            }
        }
        for k in 0..self.breaking.len() {
            self.break_link(self.active[self.breaking[k] as usize], bodies, events);
        }
        if !self.breaking.is_empty() {
            self.list_quiet();
        }
    }

    fn break_link(&mut self, active: Active, bodies: &[Body], events: &mut Vec<Event>) {
        let attachment = &mut self.list[active.attachment as usize];
        let broken = attachment.joints[active.joint as usize];
        for joint in &mut attachment.joints {
            if joint.condition == Condition::Inside && joint.is_next_to(&broken) {
                joint.condition = Condition::Exposed;
            }
        }
        let joint = &mut attachment.joints[active.joint as usize];
        (joint.condition, joint.force) = (Condition::Broken, Vec3::ZERO);

        let body = &bodies[active.bodies[0] as usize];
        let end = broken.ends[0];
        let at = |j: u32| body.particles.position[j as usize];
        let arm = || turned(body, &end) * end.arm;
        let reach = end.beside(&at).map_or_else(arm, |beside| beside.reach());
        let local = at(end.places[0]) + reach;
        let position =
            (body.pieces[active.pieces[0] as usize].origin + local.as_dvec3()).to_array();
        let (attachment, left) = (attachment.id, attachment.links());
        events.push(Event::LinkBroken { attachment, position, force: broken.force.to_array() });
        if left == 0 {
            events.push(Event::Detached { attachment, position });
        }
    }

    /// Checks every invariant.
    ///
    /// # Panics
    /// If one does not hold: that is a bug.
    pub fn validate(&self, bodies: &[Body]) {
        for attachment in &self.list {
            for (side, id) in attachment.bodies.into_iter().enumerate() {
                let body = bodies.iter().find(|body| body.id == id);
                assert!(body.is_some(), "attachment {} has lost a body", attachment.id);
                let holds = |joint: &&Joint| joint.condition != Condition::Broken;
                for joint in attachment.joints.iter().filter(holds) {
                    for id in joint.ends[side].ids {
                        let stands = body.is_some_and(|body| body.particles.id.contains(&id));
                        assert!(stands, "attachment {} has lost particle {id}", attachment.id);
                    }
                    assert!(joint.force.is_finite(), "a force of {} is not finite", attachment.id);
                }
            }
        }
    }
}

/// How a particle is turned now; one without orientation is not.
fn turned(body: &Body, end: &End) -> Rot {
    let orientations = &body.particles.orientation;
    orientations.get(end.places[0] as usize).copied().unwrap_or(Rot::IDENTITY)
}

/// Where the bodies of an attachment stand.
fn numbers(attachment: &Attachment, bodies: &[Body]) -> Option<[u32; 2]> {
    let number = |id: BodyId| bodies.iter().position(|body| body.id == id);
    let [a, b] = attachment.bodies.map(number);
    Some([a? as u32, b? as u32])
}

impl End {
    /// Where it is on its face, if it is on one, with the corners where this tells.
    fn beside(&self, at: &dyn Fn(u32) -> Vec3) -> Option<Beside> {
        let [a, b, c] = self.places;
        self.is_face().then(|| Beside { edges: [at(b) - at(a), at(c) - at(a)], at: self.arm })
    }
}

/// Finds the particles of joints where splits have put them in another order, and their faces where these have other corners since
/// cracks opened or tetrahedra were split. Joints of particles that were taken away are broken. Returns whether some joints have other
/// particles than before.
fn follow(attachment: &mut Attachment, bodies: [&Body; 2], places: &mut Vec<u32>) -> bool {
    let mut regrown = false;
    for (side, body) in bodies.into_iter().enumerate() {
        let ids = &body.particles.id;
        let stands =
            |end: &End| (0..3).all(|k| ids.get(end.places[k] as usize) == Some(&end.ids[k]));
        let held = |joint: &Joint| joint.condition != Condition::Broken;
        let mut joints = attachment.joints.iter().filter(|joint| held(joint));
        if !joints.all(|joint| stands(&joint.ends[side])) {
            places.clear();
            places.extend(0..ids.len() as u32);
            places.sort_unstable_by_key(|&place| ids[place as usize]);
            for joint in &mut attachment.joints {
                let end = &mut joint.ends[side];
                let found = end
                    .ids
                    .map(|id| places.binary_search_by_key(&id, |&place| ids[place as usize]).ok());
                match found {
                    [Some(a), Some(b), Some(c)] => end.places = [a, b, c].map(|k| places[k]),
                    _ => (end.places, joint.condition) = ([0; 3], Condition::Broken),
                }
            }
        }
        if has_faces(body) && attachment.followed[side] != ids.len() {
            attachment.followed[side] = ids.len();
            regrown |= follow_faces(attachment, side, body);
        }
    }
    regrown
}

/// Joints of faces that are no more go to those in their place. Returns whether there are such.
fn follow_faces(attachment: &mut Attachment, side: usize, body: &Body) -> bool {
    let Boundary::Tets { faces, .. } = body.model.solid().boundary() else { return false };
    let sorted = |mut corners: [u32; 3]| {
        corners.sort_unstable();
        corners
    };
    let mut all: Vec<[u32; 3]> = faces.iter().map(|face| sorted(face.corners)).collect();
    all.sort_unstable();
    let rest = |j: u32| body.particles.rest[j as usize].as_dvec3();
    let mut regrown = false;
    for (joint, index) in attachment.joints.iter_mut().zip(0..) {
        let end = &mut joint.ends[side];
        let stands = all.binary_search(&sorted(end.places)).is_ok();
        if joint.condition == Condition::Broken || stands {
            continue;
        }
        let [a, b, c] = end.places.map(rest);
        let [u, v, _] = end.arm.to_array().map(f64::from);
        let at = a + u * (b - a) + v * (c - a);
        let nearest = faces.iter().filter(|face| !face.opened).map(|face| {
            let [p, q, r] = face.corners.map(|j| rest(j) - at);
            let [x, y, z] = nearest_on_triangle(p, q, r);
            ((x * p + y * q + z * r).length_squared(), face.corners)
        });
        let Some((_, corners)) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let (weights, _, _) = over(corners.map(rest), at);
        end.places = corners;
        end.ids = corners.map(|j| body.particles.id[j as usize]);
        (end.arm.x, end.arm.y) = (weights[1] as f32, weights[2] as f32);
        attachment.quiet.extend(joint.quiet().map(|pair| Quiet { pair, joint: index }));
        regrown = true;
    }
    regrown
}
