//! Contacts of the world: found, gathered into islands, solved, told to the bodies.

use super::attach::Attachments;
use super::body::{Body, Impulse};
use super::step::{Around, range_of, solve_alone};
use crate::contact::broad::{Broad, Item, NO_GROUP, Pair};
use crate::contact::{Contact, Key, Other, Spot, carry_over, pairs};
use crate::material::combine_friction;
use crate::parallel::{Span, Workers};
use crate::sets::Sets;
use crate::solids::{Anchor, Particles, Residual, Solid};
use crate::solve::links::{Link, of_group};
use crate::solve::{self, Held, Part, Side, Touch, solve_island};
use glam::Vec3;

/// Contacts, and room to find and solve them.
#[derive(Debug, Default)]
pub(super) struct Touching {
    /// In the order of their keys. Their forces are state.
    pub contacts: Vec<Contact>,
    /// Beside them: what the last solve made of each.
    pub touches: Vec<Touch>,
    old: Vec<Contact>,
    items: Vec<Item>,
    owners: Vec<Owner>,
    pairs: Vec<Pair>,
    broad: Broad,
    /// Pieces, numbered through all bodies, that touch each other.
    islands: Sets,
    /// Bodies that do.
    clusters: Sets,
    /// The number of the first piece of each body.
    first_piece: Vec<u32>,
    /// Which pieces touch something.
    touched: Vec<bool>,
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

/// The particle behind an item of the broad phase.
#[derive(Clone, Copy, Debug)]
struct Owner {
    body: u32,
    piece: u32,
    particle: u32,
}

/// Contacts of a particle that room is taken for when it is spawned: a particle of dust has about
/// six, each shared by two.
const CONTACTS: usize = 4;

impl Touching {
    /// Takes room for all bodies, down to dust, so that steps take none.
    pub fn reserve<'b>(&mut self, bodies: impl Iterator<Item = &'b Body>) {
        let mut particles = 0;
        let mut count = 0;
        for body in bodies {
            if self.rooms.len() <= count {
                self.rooms.push(solve::Scratch::default());
            }
            particles += body.particle_count();
            // for islands within one body; larger ones take their room when they come together
            self.rooms[count].reserve(body.particle_count());
            count += 1;
        }
        let contacts = CONTACTS * particles;
        fn room<T>(list: &mut Vec<T>, count: usize) {
            list.reserve(count.saturating_sub(list.len()));
        }
        for list in [&mut self.contacts, &mut self.old, &mut self.local] {
            room(list, contacts);
        }
        room(&mut self.touches, contacts);
        room(&mut self.local_touches, contacts);
        room(&mut self.order, contacts);
        // boxes meet more often than what is in them
        room(&mut self.pairs, 4 * contacts);
        room(&mut self.items, particles);
        room(&mut self.owners, particles);
        room(&mut self.touched, particles);
        room(&mut self.parts, particles);
        room(&mut self.lists.islands, particles);
        room(&mut self.lists.clusters, count);
        room(&mut self.first_piece, count + 1);
        room(&mut self.side_of, count);
        self.islands.reset(particles);
        self.clusters.reset(count);
        self.broad.reserve(particles);
    }

    /// All that may touch within the substep: what bodies have found of obstacles, and each other.
    pub fn find(
        &mut self,
        bodies: &mut [Body],
        attachments: &Attachments,
        h: f32,
        workers: &Workers,
    ) {
        std::mem::swap(&mut self.contacts, &mut self.old);
        self.contacts.clear();
        for body in bodies.iter_mut() {
            self.contacts.append(&mut body.scratch.found);
        }
        self.find_pairs(bodies, attachments, h, workers);
        self.contacts.sort_unstable_by_key(|contact| contact.key);
        carry_over(&self.old, &mut self.contacts, h);
        self.touches.clear();
        self.touches.resize(self.contacts.len(), Touch::default());
    }

    fn find_pairs(
        &mut self,
        bodies: &[Body],
        attachments: &Attachments,
        h: f32,
        workers: &Workers,
    ) {
        self.list_items(bodies, h);
        let mut groups = self.items.iter().map(|item| item.group);
        let first = groups.next().unwrap_or(0);
        if first != NO_GROUP && groups.all(|group| group == first) {
            return;
        }
        let owners = &self.owners;
        let may_fight = |i: u32, j: u32| {
            let [a, b] = [owners[i as usize], owners[j as usize]];
            if a.body != b.body {
                let id = |o: Owner| bodies[o.body as usize].particles.id[o.particle as usize];
                return !attachments.are_quiet(id(a), id(b));
            }
            if a.piece != b.piece {
                return true;
            }
            let body = &bodies[a.body as usize];
            let [p, q] = [a.particle as usize, b.particle as usize];
            let [x, y] = [body.particles.id[p].0, body.particles.id[q].0];
            !body.near.contains(x, y) && !body.model.solid().bonded(p, q)
        };
        self.broad.update(workers, &self.items);
        self.broad.find_pairs(workers, &may_fight, &mut self.pairs);
        for &(i, j) in &self.pairs {
            let [a, b] = [owners[i as usize], owners[j as usize]];
            self.contacts.extend(touch(bodies, a, b, h));
        }
    }

    /// A box around the way of every particle that is not frozen.
    fn list_items(&mut self, bodies: &[Body], h: f32) {
        self.items.clear();
        self.owners.clear();
        let mut number = 0;
        for (body, index) in bodies.iter().zip(0..) {
            for piece in 0..body.pieces.len() {
                let group = if body.may_fold(piece) { NO_GROUP } else { number };
                number += 1;
                let Body { particles, pieces, .. } = body;
                if pieces[piece].frozen {
                    continue;
                }
                let origin = pieces[piece].origin;
                for j in pieces[piece].span.clone() {
                    let half_way = 0.5 * h * particles.velocity[j];
                    let margin = Vec3::splat(pairs::half_margin(particles, j));
                    let centre = origin + (particles.position[j] + half_way).as_dvec3();
                    let half = pairs::reach(particles, j) + half_way.abs() + margin;
                    self.items.push(Item { centre, half, group });
                    let piece = piece as u32;
                    self.owners.push(Owner { body: index, piece, particle: j as u32 });
                }
            }
        }
    }

    /// Solves all pieces: those that touch or are held with all they touch, the others alone.
    pub fn solve(
        &mut self,
        bodies: &mut [Body],
        attachments: &mut Attachments,
        around: Around<'_>,
    ) {
        self.join(bodies, attachments);
        for body in bodies.iter_mut() {
            body.scratch.cluster = self.clusters.find(body.scratch.number);
        }
        // bodies of a cluster side by side, so that clusters can be given to threads
        bodies.sort_unstable_by_key(|body| (body.scratch.cluster, body.scratch.number));
        self.list_parts(bodies);
        self.list_contacts(bodies);
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
        self.tell(bodies);
    }

    /// Pieces that touch something or are held, island by island.
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
                piece.together = !piece.frozen && (touched || !held.is_empty());
                if piece.together {
                    self.parts.push(Part {
                        side,
                        span: piece.span.clone(),
                        held,
                        first: 0,
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
    fn list_contacts(&mut self, bodies: &[Body]) {
        self.order.clear();
        for (contact, index) in self.contacts.iter().zip(0..) {
            let number = contact.first.body;
            let cluster = self.clusters.find(number);
            // the list is in the order of clusters now; a body is where its cluster and number say
            let key = |body: &Body| (body.scratch.cluster, body.scratch.number);
            let place = bodies.partition_point(|body| key(body) < (cluster, number));
            let piece = bodies[place].piece_of(contact.first.anchor.particle);
            let island = self.islands.find(self.first_piece[number as usize] + piece);
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
            let piece = |spot: Spot| {
                let body = &bodies[spot.body as usize];
                self.first_piece[spot.body as usize] + body.piece_of(spot.anchor.particle)
            };
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

    /// Gives every body the pushes it felt.
    fn tell(&self, bodies: &mut [Body]) {
        for ((contact, touch), index) in self.contacts.iter().zip(&self.touches).zip(0..) {
            let force = touch.felt * contact.normal + touch.felt_slip;
            let spots = [Some((contact.first, force)), contact.second.map(|spot| (spot, -force))];
            for (Spot { body, anchor }, force) in spots.into_iter().flatten() {
                let body = &mut bodies[body as usize];
                body.scratch.impulses.push(Impulse {
                    particle: anchor.particle,
                    contact: index,
                    point: body.particles.previous[anchor.particle as usize] + anchor.arm,
                    force,
                    pressing: touch.felt > 0.0,
                    mutual: contact.second.is_some(),
                    approach: contact.approach,
                });
            }
            // what both lose together is booked once
            let spent = &mut bodies[contact.first.body as usize].spent;
            let along = touch.moved.dot(contact.normal);
            let across = touch.moved - contact.normal * along;
            spent.contact_loss -= f64::from(touch.felt) * f64::from(along);
            spent.friction -= touch.felt_slip.as_dvec3().dot(across.as_dvec3());
        }
        for body in bodies {
            body.scratch.impulses.sort_unstable_by_key(|push| (push.particle, push.contact));
        }
    }

    /// Deepest overlap of a pair that touches, beyond what it is allowed, at the start of the last
    /// substep, in m.
    pub fn deepest_pair(&self) -> f32 {
        let pairs = self.contacts.iter().filter(|contact| contact.second.is_some());
        pairs.map(|contact| -contact.gap).fold(0.0, f32::max)
    }
}

/// The contact of two particles, the older first.
fn touch(bodies: &[Body], a: Owner, b: Owner, h: f32) -> Option<Contact> {
    let id = |o: Owner| bodies[o.body as usize].particles.id[o.particle as usize];
    let [a, b] = if id(a) < id(b) { [a, b] } else { [b, a] };
    let body = |o: Owner| &bodies[o.body as usize];
    let origin = |o: Owner| body(o).pieces[o.piece as usize].origin;
    let shift = (origin(b) - origin(a)).as_vec3();
    let [p, q] = [&body(a).particles, &body(b).particles];
    let [i, j] = [a.particle as usize, b.particle as usize];
    let point = pairs::touch(p, i, q, j, shift, h)?;
    // both arms reach to one point, so that the pair has no torque of its own
    let middle = 0.5 * (point.on_a + point.on_b);
    let spot =
        |o: Owner, arm: Vec3| Spot { body: o.body, anchor: Anchor { particle: o.particle, arm } };
    Some(Contact {
        key: Key { first: id(a), second: Other::Particle(id(b)) },
        first: spot(a, middle - p.position[i]),
        second: Some(spot(b, middle - (q.position[j] + shift))),
        normal: point.normal,
        gap: point.gap,
        approach: -(p.velocity[i] - q.velocity[j]).dot(point.normal),
        friction: [0, 1].map(|k| combine_friction(p.friction[i][k], q.friction[j][k])),
        force: 0.0,
        slip_force: Vec3::ZERO,
        sliding: false,
        allowance: 0.0,
    })
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
        let (parts, links) = (&mut parts[mine], &mut links[joined]);
        solve_island(bodies, parts, contacts, touches, links, around.step, room);
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
}

impl Body {
    /// The index of the piece that a particle is in.
    pub(super) fn piece_of(&self, particle: u32) -> u32 {
        self.pieces.partition_point(|piece| piece.span.end <= particle as usize) as u32
    }

    /// Whether a piece is bent so far that it could touch itself.
    fn may_fold(&self, piece: usize) -> bool {
        let span = self.pieces[piece].span.clone();
        // a few particles are all neighbours
        if span.len() < 8 {
            return false;
        }
        deviates(&self.particles, span, self.near.slack)
    }
}

/// Whether some particle of a span is farther than `slack` from where the particle in its middle, with
/// its rotation, would carry it. Where none is, no distance has changed by more than twice that.
fn deviates(particles: &Particles, span: Span, slack: f32) -> bool {
    let (rest, now) = (&particles.rest, &particles.position);
    let middle = (span.start + span.end) / 2;
    let q = particles.orientation.get(middle).copied();
    let Some(q) = q else { return true };
    let turn = q.to_mat3();
    span.into_iter().any(|j| {
        let wanted = now[middle] + turn * (rest[j] - rest[middle]);
        now[j].distance_squared(wanted) > slack * slack
    })
}
