//! Contacts of the world: found, gathered into islands, solved, told to the bodies.

use super::attach::Attachments;
use super::body::{Body, Impulse, Scratch};
use super::bounce::{self, Bounce};
use super::finding::{Finding, Scene};
use super::ids::PieceId;
use super::obstacle::Obstacle;
use super::sleep::{self, Dormant};
use super::step::{Around, carry_touched, range_of, solve_alone};
use crate::contact::surface::keep_true;
use crate::contact::{Contact, Other, Spot, carry_over};
use crate::parallel::Workers;
use crate::sets::Sets;
use crate::solids::{Anchor, Particles, Residual, Solid};
use crate::solve::links::{Link, of_group};
use crate::solve::{
    self, Held, Part, Pulled, Side, Touch, is_explicit, is_rigid, solve_explicit_island,
    solve_island, solve_rigid_island,
};
use glam::{DVec3, Vec3};

/// Contacts, and room to find and solve them.
#[derive(Debug, Default)]
pub(super) struct Touching {
    /// In the order of their keys. Their forces are state.
    pub contacts: Vec<Contact>,
    /// Beside them: what the last solve made of each.
    pub touches: Vec<Touch>,
    old: Vec<Contact>,
    /// Contacts of islands that sleep, in the order of their keys. State.
    pub dormant: Vec<Dormant>,
    /// Contacts of islands that just woke, in order.
    pub woken: Vec<Contact>,
    pub(super) names: Vec<PieceId>,
    pub(super) sleep: sleep::Scratch,
    pub finding: Finding,
    bounces: Vec<Bounce>,
    /// Pieces, numbered through all bodies, that touch each other.
    pub(super) islands: Sets,
    /// Bodies that do.
    clusters: Sets,
    /// The number of the first piece of each body.
    pub(super) first_piece: Vec<u32>,
    /// Which pieces touch something.
    pub(super) touched: Vec<bool>,
    /// Share of the pushes on each piece that counts.
    shares: Vec<f32>,
    /// Place of each body in its cluster.
    side_of: Vec<u32>,
    /// Group and index of each contact, in the order of groups; beside it copies for the solve.
    order: Vec<([u32; 2], u32)>,
    local: Vec<Contact>,
    local_touches: Vec<Touch>,
    parts: Vec<Part>,
    lists: Lists,
    rooms: Vec<solve::Scratch>,
}

/// Contacts of a particle that room is taken for when it is spawned: a particle of dust has about
/// six, each shared by two, and more while it is thrown together.
const CONTACTS: usize = 6;

/// Fragments that room is taken for beforehand, as if they were broken, in all bodies together: with all of
/// their neighbours they have six times the contacts of dust. Where more break, lists grow.
pub(super) const BREAKING: usize = 512;

impl Touching {
    /// Takes room for all bodies, down to dust, so that steps take none.
    pub fn reserve(&mut self, bodies: &[Body], obstacles: usize) {
        let (mut particles, mut shaped, mut left) = (0, 0, BREAKING);
        let (mut count, mut pieces) = (0, 0);
        for body in bodies {
            if self.rooms.len() <= count {
                self.rooms.push(solve::Scratch::default());
            }
            particles += body.particle_count();
            let breaking = body.breakable_count().min(left);
            left -= breaking;
            shaped += body.shaped_count() + breaking;
            // for islands within one body; larger ones take their room when they come together
            self.rooms[count].reserve(body.particle_count(), breaking);
            if let Some((faces, _)) = body.model.solid().boundary().surface() {
                self.rooms[count].reserve_faces(faces.len());
                // what is boxed and touched are faces
                particles += faces.len();
                pieces = bodies.iter().map(|body| body.pieces.len()).sum();
            }
            count += 1;
        }
        // shapes touch with whole sides
        let contacts = CONTACTS * (particles + 6 * shaped);
        fn room<T>(list: &mut Vec<T>, count: usize) {
            list.reserve(count.saturating_sub(list.len()));
        }
        for list in [&mut self.contacts, &mut self.old, &mut self.local, &mut self.woken] {
            room(list, contacts);
        }
        room(&mut self.touches, contacts);
        room(&mut self.bounces, contacts);
        room(&mut self.dormant, contacts);
        room(&mut self.names, particles);
        self.sleep.reserve(particles);
        room(&mut self.local_touches, contacts);
        room(&mut self.order, contacts);
        room(&mut self.touched, particles);
        room(&mut self.shares, particles);
        room(&mut self.parts, particles);
        room(&mut self.lists.islands, particles);
        room(&mut self.lists.clusters, count);
        room(&mut self.first_piece, count + 1);
        room(&mut self.side_of, count);
        self.islands.reset(particles);
        self.clusters.reset(count);
        self.finding.reserve(particles, shaped, obstacles, pieces);
    }

    /// All that may touch within the substep: what bodies have found of obstacles, and each other.
    pub fn find(
        &mut self,
        bodies: &mut [Body],
        obstacles: &[Obstacle],
        attachments: &Attachments,
        h: f32,
        workers: &Workers,
    ) {
        std::mem::swap(&mut self.contacts, &mut self.old);
        self.contacts.clear();
        for body in bodies.iter_mut() {
            self.contacts.append(&mut body.scratch.found);
        }
        let scene = Scene { bodies, obstacles, attachments, h };
        self.finding.find(scene, workers, &mut self.contacts);
        for Particles { shown, broken, .. } in bodies.iter_mut().map(|body| &mut body.particles) {
            shown.copy_from_slice(broken);
        }
        self.contacts.sort_unstable_by_key(|contact| contact.key);
        if bodies.iter().any(Body::is_surface) {
            let known = [&self.old[..], &self.woken];
            let triangle = |spot: Spot| bodies[spot.body as usize].carriers_at(spot.anchor);
            let is_surface = |body: u32| bodies[body as usize].is_surface();
            keep_true(&mut self.contacts, known, &is_surface, &triangle);
        }
        carry_over(&self.old, &self.woken, &mut self.contacts, h);
        self.woken.clear();
        self.touches.clear();
        self.touches.resize(self.contacts.len(), Touch::default());
    }

    /// Solves all pieces: those that touch, are held or pulled by a spring with all they touch, the others alone.
    pub fn solve(
        &mut self,
        bodies: &mut [Body],
        attachments: &mut Attachments,
        around: Around<'_>,
    ) {
        bounce::bounce(bodies, &self.contacts, around.step.h, &mut self.bounces);
        self.join(bodies, attachments);
        for body in bodies.iter_mut() {
            body.scratch.cluster = self.clusters.find(body.scratch.number);
        }
        // bodies of a cluster side by side, so that clusters can be given to threads
        bodies.sort_unstable_by_key(|body| (body.scratch.cluster, body.scratch.number));
        self.list_parts(bodies);
        self.list_contacts();
        self.list_links(attachments);
        self.list_islands(bodies, attachments.links());
        let Self { parts, local, local_touches, rooms, lists, .. } = self;
        rooms.resize_with(rooms.len().max(lists.clusters.len()), Default::default);
        let touches = &mut local_touches[..];
        let clusters = &lists.clusters[..];
        let links = attachments.links_mut();
        let work = Work { bodies, parts, contacts: local, touches, links, clusters, rooms };
        work.run(&lists.islands, around);
        bodies.sort_unstable_by_key(|body| body.scratch.number);
        for (k, &(_, index)) in self.order.iter().enumerate() {
            let Contact { force, slip_force, sliding, .. } = self.local[k];
            let kept = &mut self.contacts[index as usize];
            (kept.force, kept.slip_force, kept.sliding) = (force, slip_force, sliding);
            self.touches[index as usize] = self.local_touches[k];
        }
        attachments.tell(bodies, self.contacts.len());
    }

    /// Pieces that touch something, are held or pulled by a spring, island by island.
    fn list_parts(&mut self, bodies: &mut [Body]) {
        self.parts.clear();
        self.side_of.clear();
        self.side_of.resize(bodies.len(), 0);
        let mut side = 0;
        for b in 0..bodies.len() {
            let first = b == 0 || bodies[b - 1].scratch.cluster != bodies[b].scratch.cluster;
            side = if first { 0 } else { side + 1 };
            let body = &mut bodies[b];
            let number = body.scratch.number as usize;
            self.side_of[number] = side as u32;
            for (p, piece) in body.pieces.iter_mut().enumerate() {
                let place = self.first_piece[number] + p as u32;
                let held = range_of(&body.scratch.held, &piece.span, |target| target.particle);
                let touched = self.touched[place as usize];
                let mut particles =
                    body.scratch.pulled.iter().map(|pulled| pulled.particle as usize);
                let pulled = particles.any(|particle| piece.span.contains(&particle));
                let gripped = !held.is_empty() && !body.model.solid().solves_held();
                piece.together = !piece.is_still() && (touched || pulled || gripped);
                if piece.together {
                    self.parts.push(Part {
                        side,
                        span: piece.span.clone(),
                        held,
                        pulled,
                        first: 0,
                        number: 0,
                        motion: piece.predicted,
                        residual: Residual::default(),
                        group: [body.scratch.cluster, self.islands.find(place)],
                    });
                }
            }
        }
        self.parts.sort_unstable_by_key(|part| (part.group, part.side, part.span.start));
    }

    /// Copies of the contacts, island by island, with bodies named by their place in the cluster.
    fn list_contacts(&mut self) {
        self.order.clear();
        for (contact, index) in self.contacts.iter().zip(0..) {
            let number = contact.first.body;
            let cluster = self.clusters.find(number);
            let piece = self.first_piece[number as usize] + contact.first.piece;
            let island = self.islands.find(piece);
            self.order.push(([cluster, island], index));
        }
        self.order.sort_unstable();
        self.local.clear();
        for &(_, index) in &self.order {
            let mut contact = self.contacts[index as usize];
            contact.first.body = self.side_of[contact.first.body as usize];
            if let Some(second) = &mut contact.second {
                second.body = self.side_of[second.body as usize];
            }
            self.local.push(contact);
        }
        self.local_touches.clear();
        self.local_touches.resize(self.local.len(), Touch::default());
    }

    /// Links, island by island, with bodies named by their place in the cluster.
    fn list_links(&mut self, attachments: &mut Attachments) {
        let Self { islands, clusters, first_piece, side_of, .. } = self;
        attachments.list_links(|body, piece| {
            let island = islands.find(first_piece[body as usize] + piece);
            ([clusters.find(body), island], side_of[body as usize])
        });
    }

    /// Where islands and clusters end in the lists of bodies, parts, contacts and links.
    fn list_islands(&mut self, bodies: &[Body], links: &[Link]) {
        let Lists { islands, clusters } = &mut self.lists;
        islands.clear();
        let mut contacts = 0;
        for (k, part) in self.parts.iter().enumerate() {
            if self.parts.get(k + 1).is_some_and(|next| next.group == part.group) {
                continue;
            }
            contacts += self.order[contacts..].partition_point(|&(group, _)| group <= part.group);
            islands.push(Island { parts: k + 1, contacts });
        }
        clusters.clear();
        let mut island = 0;
        for (k, body) in bodies.iter().enumerate() {
            let cluster = body.scratch.cluster;
            if bodies.get(k + 1).is_some_and(|next| next.scratch.cluster == cluster) {
                continue;
            }
            let in_cluster = |island: &Island| self.parts[island.parts - 1].group[0] <= cluster;
            island += islands[island..].partition_point(in_cluster);
            let links = links.partition_point(|link| link.group[0] <= cluster);
            clusters.push(Cluster { bodies: k + 1, islands: island, links });
        }
    }

    /// Joins what touches, and notes which pieces do.
    fn join(&mut self, bodies: &[Body], attachments: &Attachments) {
        self.first_piece.clear();
        let mut number = 0;
        for body in bodies {
            self.first_piece.push(number);
            number += body.pieces.len() as u32;
        }
        self.first_piece.push(number);
        self.islands.reset(number as usize);
        self.clusters.reset(bodies.len());
        self.touched.clear();
        self.touched.resize(number as usize, false);
        for contact in &self.contacts {
            let piece = |spot: Spot| self.first_piece[spot.body as usize] + spot.piece;
            let first = piece(contact.first);
            self.touched[first as usize] = true;
            if let Some(spot) = contact.second {
                let second = piece(spot);
                self.touched[second as usize] = true;
                self.islands.join(first, second);
                self.clusters.join(contact.first.body, spot.body);
            }
        }
        for [(a, p), (b, q)] in attachments.joined() {
            let [first, second] = [(a, p), (b, q)].map(|(b, p)| self.first_piece[b as usize] + p);
            self.touched[first as usize] = true;
            self.touched[second as usize] = true;
            self.islands.join(first, second);
            self.clusters.join(a, b);
        }
    }

    /// Contacts start the next solve without force.
    pub fn forget_forces(&mut self) {
        for contact in &mut self.contacts {
            (contact.force, contact.slip_force) = (0.0, Vec3::ZERO);
        }
    }

    /// Which share of the pushes on each piece counts: what breaks by a hit has not been stopped, nor has what hit it.
    ///
    /// A body that had been stopped as a whole before it broke would hang in the air in pieces, and a pane would stop the ball that goes through it. Every
    /// piece ends between its velocities with and without all pushes on it, so that none wins energy. Where nothing holds an island its momentum must
    /// stay: there the share is the same for all.
    fn list_shares(&mut self, bodies: &[Body]) {
        let Self { shares, islands, first_piece, contacts, .. } = self;
        shares.clear();
        let pieces = || bodies.iter().flat_map(|body| &body.pieces);
        shares.extend(pieces().map(|piece| piece.passed_on));
        if shares.iter().all(|&share| share == 1.0) {
            return;
        }
        let place = |spot: Spot| (first_piece[spot.body as usize] + spot.piece) as usize;
        let held = held_islands(bodies, islands, first_piece, contacts);
        let mut least = vec![1.0f32; shares.len()];
        for (piece, number) in pieces().zip(0..) {
            let share = &mut least[islands.find(number) as usize];
            *share = share.min(piece.passed_on);
        }
        for contact in contacts.iter() {
            let Some(second) = contact.second.filter(|spot| spot.body != contact.first.body) else {
                continue;
            };
            let passed_on =
                |spot: Spot| bodies[spot.body as usize].pieces[spot.piece as usize].passed_on;
            for (spot, other) in [(contact.first, second), (second, contact.first)] {
                let share = &mut shares[place(spot)];
                *share = share.min(passed_on(other));
            }
        }
        for (share, number) in shares.iter_mut().zip(0..) {
            let island = islands.find(number) as usize;
            if !held[island] {
                *share = share.min(least[island]);
            }
        }
    }

    /// Where pieces have strayed (`Residual::adrift`), gives back what they have of momentum and nobody has given them: their island as a whole, if
    /// nothing holds it, is as much slower. What its pieces do to each other does not change by that.
    pub fn give_back(&mut self, bodies: &mut [Body]) {
        let Self { islands, first_piece, contacts, .. } = self;
        let pieces = bodies.iter().flat_map(|body| &body.pieces);
        if pieces.clone().all(|piece| piece.strayed == DVec3::ZERO) {
            return;
        }
        let held = held_islands(bodies, islands, first_piece, contacts);
        // momentum and mass of each island
        let mut sums = vec![(DVec3::ZERO, 0.0); held.len()];
        for (piece, number) in pieces.zip(0..) {
            let (strayed, mass) = &mut sums[islands.find(number) as usize];
            *strayed += piece.strayed;
            *mass += piece.predicted.mass;
        }
        for (body, &first) in bodies.iter_mut().zip(first_piece.iter()) {
            let Body { pieces, particles, .. } = body;
            for (piece, number) in pieces.iter_mut().zip(first..) {
                let island = islands.find(number) as usize;
                let (strayed, mass) = sums[island];
                if !held[island] && strayed != DVec3::ZERO {
                    let slower = (strayed / mass).as_vec3();
                    particles.velocity[piece.span.clone()].iter_mut().for_each(|v| *v -= slower);
                    piece.shape = None;
                }
            }
        }
    }

    /// Gives every body the pushes it felt, as far as they count.
    pub fn tell(&mut self, bodies: &mut [Body], h: f32) {
        self.list_shares(bodies);
        let Self { shares, first_piece, .. } = self;
        let share_of = |spot: Spot| shares[(first_piece[spot.body as usize] + spot.piece) as usize];
        for ((contact, touch), index) in self.contacts.iter().zip(&mut self.touches).zip(0..) {
            let share = share_of(contact.first);
            let mutual = contact.second.map(|spot| share == 1.0 && share_of(spot) == 1.0);
            if contact.second.is_none() {
                touch.felt *= share;
                touch.felt_slip *= share;
            }
            let force = touch.felt * contact.normal + touch.felt_slip;
            if force == Vec3::ZERO {
                continue;
            }
            let spots = match contact.second {
                Some(second) => [
                    Some((contact.first, share * force)),
                    Some((second, -share_of(second) * force)),
                ],
                None => [Some((contact.first, force)), None],
            };
            for (Spot { body, anchor, .. }, force) in spots.into_iter().flatten() {
                let body = &mut bodies[body as usize];
                body.scratch.impulses.push(Impulse {
                    particle: anchor.particle,
                    contact: index,
                    point: body.particles.previous[anchor.particle as usize] + anchor.arm,
                    force,
                    pressing: touch.felt > 0.0,
                    mutual: mutual.unwrap_or(false),
                    approach: contact.approach,
                });
            }
            // what both lose together is booked once
            let spent = &mut bodies[contact.first.body as usize].spent;
            let along = touch.moved.dot(contact.normal);
            let across = touch.moved - contact.normal * along;
            spent.contact_loss -= f64::from(touch.felt) * f64::from(along);
            spent.friction -= touch.felt_slip.as_dvec3().dot(across.as_dvec3());
            spent.external_work += force.as_dvec3().dot(contact.drift.as_dvec3());
        }
        bounce::tell(bodies, &self.contacts, &self.bounces, h);
        bodies.iter_mut().for_each(Body::feel_springs);
        for Bounce { contact, impulse, .. } in &self.bounces {
            let touch = &mut self.touches[*contact as usize];
            let n = self.contacts[*contact as usize].normal;
            let force = *impulse / h;
            touch.felt += force.dot(n);
            touch.felt_slip += force - n * force.dot(n);
        }
        for body in bodies {
            body.scratch.impulses.sort_unstable_by_key(|push| (push.particle, push.contact));
        }
    }

    /// Adds what obstacles felt in this substep, a share of the step, to their reactions.
    pub fn tell_obstacles(&self, bodies: &[Body], obstacles: &mut [Obstacle], share: f64) {
        for (contact, touch) in self.contacts.iter().zip(&self.touches) {
            let Other::Obstacle(id) = contact.key.second else { continue };
            let Ok(k) = obstacles.binary_search_by_key(&id, |obstacle| obstacle.id) else {
                continue;
            };
            let body = &bodies[contact.first.body as usize];
            let anchor = contact.first.anchor;
            let origin = body.pieces[contact.first.piece as usize].origin;
            let place = body.particles.previous[anchor.particle as usize] + anchor.arm;
            let arm = origin + place.as_dvec3() - obstacles[k].now.position;
            let force = share * (touch.felt * contact.normal + touch.felt_slip).as_dvec3();
            let reaction = &mut obstacles[k].reaction;
            reaction.force = (DVec3::from(reaction.force) + force).to_array();
            reaction.torque = (DVec3::from(reaction.torque) + arm.cross(force)).to_array();
        }
    }

    /// Deepest overlap of a pair that touches, beyond what it is allowed, at the start of the last
    /// substep, in m.
    pub fn deepest_pair(&self) -> f32 {
        let pairs = self.contacts.iter().filter(|contact| contact.second.is_some());
        pairs.map(|contact| -contact.gap).fold(0.0, f32::max)
    }
}

/// Where an island ends among parts and contacts.
#[derive(Clone, Copy, Debug)]
struct Island {
    parts: usize,
    contacts: usize,
}

/// Bodies that touch each other, directly or through others: where they end among bodies, and their
/// islands and links among islands and links.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    bodies: usize,
    islands: usize,
    links: usize,
}

#[derive(Debug, Default)]
struct Lists {
    islands: Vec<Island>,
    clusters: Vec<Cluster>,
}

/// Some clusters in a row, with all that is theirs.
struct Work<'a> {
    bodies: &'a mut [Body],
    parts: &'a mut [Part],
    contacts: &'a mut [Contact],
    touches: &'a mut [Touch],
    links: &'a mut [Link],
    clusters: &'a [Cluster],
    rooms: &'a mut [solve::Scratch],
}

/// How many of all bodies, islands, parts, contacts and links come before a row of clusters.
#[derive(Clone, Copy, Default)]
struct Before {
    bodies: usize,
    islands: usize,
    parts: usize,
    contacts: usize,
    links: usize,
}

impl Work<'_> {
    fn run(self, islands: &[Island], around: Around<'_>) {
        self.run_from(Before::default(), islands, around);
    }

    /// Splits the row until single clusters are left, which are solved.
    fn run_from(self, before: Before, islands: &[Island], around: Around<'_>) {
        let Self { bodies, parts, contacts, touches, links, clusters, rooms } = self;
        let count = clusters.len();
        if count < 2 {
            if count == 1 {
                let mine = &islands[before.islands..clusters[0].islands];
                solve_cluster(
                    bodies,
                    parts,
                    contacts,
                    touches,
                    links,
                    mine,
                    before,
                    &mut rooms[0],
                    around,
                );
            }
            return;
        }
        let half = count / 2;
        let Cluster { bodies: bodies_end, islands: islands_end, links: links_end } =
            clusters[half - 1];
        let last = islands_end.checked_sub(1).map(|k| islands[k]);
        let Island { parts: parts_end, contacts: contacts_end } =
            last.unwrap_or(Island { parts: 0, contacts: 0 });
        let middle = Before {
            bodies: bodies_end,
            islands: islands_end,
            parts: parts_end,
            contacts: contacts_end,
            links: links_end,
        };
        let (bodies_a, bodies_b) = bodies.split_at_mut(middle.bodies - before.bodies);
        let (parts_a, parts_b) = parts.split_at_mut(middle.parts - before.parts);
        let (contacts_a, contacts_b) = contacts.split_at_mut(middle.contacts - before.contacts);
        let (touches_a, touches_b) = touches.split_at_mut(middle.contacts - before.contacts);
        let (links_a, links_b) = links.split_at_mut(middle.links - before.links);
        let (clusters_a, clusters_b) = clusters.split_at(half);
        let (rooms_a, rooms_b) = rooms.split_at_mut(half);
        let a = Work {
            bodies: bodies_a,
            parts: parts_a,
            contacts: contacts_a,
            touches: touches_a,
            links: links_a,
            clusters: clusters_a,
            rooms: rooms_a,
        };
        let b = Work {
            bodies: bodies_b,
            parts: parts_b,
            contacts: contacts_b,
            touches: touches_b,
            links: links_b,
            clusters: clusters_b,
            rooms: rooms_b,
        };
        let workers = &around.step.workers;
        workers
            .join(|| a.run_from(before, islands, around), || b.run_from(middle, islands, around));
    }
}

/// Of each piece, by its number, whether grips or obstacles hold the island that is named after it.
fn held_islands(
    bodies: &[Body],
    islands: &mut Sets,
    first_piece: &[u32],
    contacts: &[Contact],
) -> Vec<bool> {
    let pieces = bodies.iter().flat_map(|body| body.pieces.iter().map(move |piece| (body, piece)));
    let mut held = vec![false; pieces.clone().count()];
    for ((body, piece), number) in pieces.zip(0..) {
        let gripped = range_of(&body.scratch.held, &piece.span, |target| target.particle);
        held[islands.find(number) as usize] |= !gripped.is_empty();
    }
    for Spot { body, piece, .. } in
        contacts.iter().filter(|contact| contact.second.is_none()).map(|contact| contact.first)
    {
        held[islands.find(first_piece[body as usize] + piece) as usize] = true;
    }
    held
}

/// Pieces that nothing touches alone, the others island by island.
fn solve_cluster(
    bodies: &mut [Body],
    parts: &mut [Part],
    contacts: &mut [Contact],
    touches: &mut [Touch],
    links: &mut [Link],
    islands: &[Island],
    before: Before,
    room: &mut solve::Scratch,
    around: Around<'_>,
) {
    for body in bodies.iter_mut() {
        solve_alone(body, around);
    }
    let (mut part, mut contact) = (0, 0);
    for island in islands {
        let mine = part..island.parts - before.parts;
        let theirs = contact..island.contacts - before.contacts;
        (part, contact) = (mine.end, theirs.end);
        let (contacts, touches) = (&mut contacts[theirs.clone()], &mut touches[theirs]);
        let joined = of_group(links, parts[mine.start].group);
        let (mine, links, step) = (&mut parts[mine], &mut links[joined], around.step);
        if is_rigid(bodies, mine) && links.is_empty() {
            solve_rigid_island(bodies, mine, contacts, touches, step, &mut room.rigid);
        } else if is_explicit(bodies, mine) && links.is_empty() {
            solve_explicit_island(bodies, mine, contacts, touches, step, &mut room.explicit);
        } else {
            for part in mine.iter() {
                let Body { particles, model, .. } = &mut bodies[part.side];
                carry_touched(
                    particles,
                    part.span.clone(),
                    &part.motion,
                    model.solid_mut(),
                    step.h,
                );
            }
            solve_island(bodies, mine, contacts, touches, links, step, room);
        }
    }
    for part in parts.iter() {
        let body = &mut bodies[part.side];
        let piece = body.piece_of(part.span.start as u32) as usize;
        body.pieces[piece].residual = part.residual;
        body.pieces[piece].unconverged += u32::from(!part.residual.converged());
    }
}

impl Side for Body {
    fn solid(&self) -> &dyn Solid {
        self.model.solid()
    }

    fn particles(&self) -> &Particles {
        &self.particles
    }

    fn held(&self) -> &[Held] {
        &self.scratch.held
    }

    fn all_mut(&mut self) -> (&mut dyn Solid, &mut Particles, &mut [Held]) {
        (self.model.solid_mut(), &mut self.particles, &mut self.scratch.held)
    }

    fn pulled(&self) -> &[Pulled] {
        &self.scratch.pulled
    }

    fn pulled_mut(&mut self) -> &mut [Pulled] {
        &mut self.scratch.pulled
    }
}

impl Body {
    /// What springs pulled with, beside what contacts pushed with.
    fn feel_springs(&mut self) {
        let Scratch { pulled, impulses, .. } = &mut self.scratch;
        impulses.extend(pulled.iter().map(|pulled| Impulse {
            particle: pulled.particle,
            // after all contacts
            contact: u32::MAX - pulled.grip,
            point: self.particles.previous[pulled.particle as usize],
            force: pulled.force,
            pressing: false,
            mutual: false,
            approach: 0.0,
        }));
    }

    /// Particles that others touch by their shapes.
    fn shaped_count(&self) -> usize {
        self.particles.broken.iter().filter(|&&broken| broken).count()
    }

    /// Particles of which others will touch the shapes once they are broken.
    fn breakable_count(&self) -> usize {
        let breaks = self.model.solid().bond_count() > 0 && !self.shapes.is_empty();
        if breaks { self.particles.len() - self.shaped_count() } else { 0 }
    }

    /// Where the corners of the triangle are that carries a point.
    fn carriers_at(&self, anchor: Anchor) -> [Vec3; 3] {
        anchor.carriers().map(|(j, _)| self.particles.position[j as usize])
    }

    /// The index of the piece that a particle is in.
    pub(super) fn piece_of(&self, particle: u32) -> u32 {
        self.pieces.partition_point(|piece| piece.span.end <= particle as usize) as u32
    }
}
