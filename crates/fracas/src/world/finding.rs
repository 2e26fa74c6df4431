//! Who may touch whom within the substep: boxes, pairs of boxes, contacts.

mod faces;
mod near;

use super::attach::Attachments;
use super::body::{Body, Piece};
use super::desc::Layers;
use super::obstacle::Obstacle;
use super::{BodyId, ObstacleId, PieceId};
use crate::contact::broad::{Broad, Item, NO_GROUP, Pair};
use crate::contact::narrow::{Point, collide};
use crate::contact::shape::{Aabb, Pose, Shape};
use crate::contact::surface::{Marks, Outline, may_meet};
use crate::contact::{
    Contact, HalfSpace, Kept, KeptPoint, Key, Mover, Other, Spot, margin, meet, pairs,
};
use crate::material::combine_friction;
use crate::math::Rot;
use crate::parallel::{Span, Workers};
use crate::solids::{Anchor, Face, Particles};
use faces::FaceOf;
use glam::{DVec3, Vec3};
use near::Near;

/// Finds contacts. What it keeps of pairs is state; all else is room.
#[derive(Debug, Default)]
pub(super) struct Finding {
    /// Pairs of shapes that were looked at, in order, and their points.
    pub kept: Vec<Kept>,
    pub kept_points: Vec<KeptPoint>,
    /// Pieces found inside sensors, in order.
    pub sensed: Vec<(ObstacleId, BodyId, PieceId)>,
    old: Vec<Kept>,
    old_points: Vec<KeptPoint>,
    items: Vec<Item>,
    owners: Vec<Owner>,
    outlines: Vec<Outline>,
    pairs: Vec<Pair>,
    broad: Broad,
    near: Near,
    chunks: Vec<Chunk>,
}

/// What is behind an item of the broad phase.
#[derive(Clone, Copy, Debug)]
struct Owner {
    /// Place of the body, or [`OBSTACLE`].
    body: u32,
    piece: u32,
    /// Index of the particle, of the face of a surface, or of the obstacle.
    particle: u32,
    /// Of a face, the index of its outline; else [`NO_FACE`].
    outline: u32,
}

impl Owner {
    fn is_face(&self) -> bool {
        self.outline != NO_FACE
    }
}

/// Instead of the index of an outline.
const NO_FACE: u32 = u32::MAX;

/// Instead of the place of a body.
const OBSTACLE: u32 = u32::MAX;
/// Group of all obstacles: they never touch each other.
const OBSTACLES: u32 = u32::MAX - 1;
/// Group of all pieces that are still: they never touch each other either.
const STILL: u32 = u32::MAX - 2;
/// Pairs that one task looks at. Constant, so that results do not depend on the number of threads.
const CHUNK: usize = 64;
/// Margin of a shape over the least radius of its particle. Unlike ellipsoids, of which a body has many
/// to rest on, it touches along whole sides, so that a smaller one keeps the set of contacts.
const SHAPE_MARGIN: f32 = 0.05;

/// Some pairs, and what was found of them.
#[derive(Debug, Default)]
struct Chunk {
    range: Span,
    contacts: Vec<Contact>,
    kept: Vec<Kept>,
    kept_points: Vec<KeptPoint>,
    sensed: Vec<(ObstacleId, BodyId, PieceId)>,
    points: Vec<Point>,
}

/// What may be touched.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub bodies: &'a [Body],
    pub obstacles: &'a [Obstacle],
    pub attachments: &'a Attachments,
    pub h: f32,
}

impl Finding {
    /// Takes room for so many particles, and for so many pieces of surfaces, so that steps take none.
    pub fn reserve(&mut self, particles: usize, shaped: usize, obstacles: usize, pieces: usize) {
        fn room<T>(list: &mut Vec<T>, count: usize) {
            list.reserve(count.saturating_sub(list.len()));
        }
        // boxes meet more often than what is in them
        let most = 16 * particles;
        room(&mut self.pairs, most);
        room(&mut self.items, particles + obstacles);
        room(&mut self.owners, particles + obstacles);
        for list in [&mut self.kept, &mut self.old] {
            room(list, 16 * shaped);
        }
        for list in [&mut self.kept_points, &mut self.old_points] {
            room(list, 64 * shaped);
        }
        let chunks = most.div_ceil(CHUNK);
        if self.chunks.len() < chunks {
            self.chunks.resize_with(chunks, Chunk::default);
        }
        for chunk in &mut self.chunks {
            room(&mut chunk.contacts, CHUNK);
            room(&mut chunk.points, 1);
            // of few shapes among many ellipsoids some chunks have pairs, and grow
            if 2 * shaped >= particles {
                room(&mut chunk.contacts, 4 * CHUNK);
                room(&mut chunk.points, 64);
                room(&mut chunk.kept, CHUNK);
                room(&mut chunk.kept_points, 4 * CHUNK);
            }
        }
        self.broad.reserve(particles + obstacles);
        if pieces > 0 {
            self.near.reserve(pieces + obstacles);
        }
    }

    /// Appends the contacts of all that are not on half-spaces with ellipsoids, which bodies find by
    /// themselves.
    pub fn find(&mut self, scene: Scene<'_>, workers: &Workers, contacts: &mut Vec<Contact>) {
        std::mem::swap(&mut self.kept, &mut self.old);
        std::mem::swap(&mut self.kept_points, &mut self.old_points);
        self.kept.clear();
        self.kept_points.clear();
        self.sensed.clear();
        self.list_items(scene, workers);
        self.list_pairs(scene, workers);

        let count = self.pairs.len().div_ceil(CHUNK);
        if self.chunks.len() < count {
            self.chunks.resize_with(count, Chunk::default);
        }
        let Self { chunks, pairs, owners, outlines, old, old_points, .. } = self;
        for (k, chunk) in chunks[..count].iter_mut().enumerate() {
            chunk.range = k * CHUNK..((k + 1) * CHUNK).min(pairs.len());
        }
        let before = Before { kept: old, points: old_points };
        workers.for_each(&mut chunks[..count], &|chunk: &mut Chunk| {
            chunk.look(&pairs[chunk.range.clone()], owners, outlines, scene, before);
        });
        for chunk in &mut chunks[..count] {
            contacts.append(&mut chunk.contacts);
            let shift = self.kept_points.len() as u32;
            self.kept_points.append(&mut chunk.kept_points);
            let shifted = chunk.kept.drain(..).map(|k| Kept { start: k.start + shift, ..k });
            self.kept.extend(shifted);
            self.sensed.append(&mut chunk.sensed);
        }
        self.kept.sort_unstable_by_key(|kept| (kept.first, kept.second));
        self.sensed.sort_unstable();
        self.sensed.dedup();
    }

    /// A box around the way of every particle and every obstacle, and of every face that something is near to.
    fn list_items(&mut self, scene: Scene<'_>, workers: &Workers) {
        self.items.clear();
        self.owners.clear();
        self.outlines.clear();
        self.near.find(scene, workers);
        let mut number = 0;
        for (body, index) in scene.bodies.iter().zip(0..) {
            if body.is_surface() {
                self.list_faces(body, [index, number], scene.h, workers);
                number += body.pieces.len() as u32;
                continue;
            }
            for piece in 0..body.pieces.len() {
                let still = body.pieces[piece].is_still();
                let group = match still {
                    true => STILL,
                    false if body.may_fold(piece) => NO_GROUP,
                    false => number,
                };
                number += 1;
                let solid = body.model.solid();
                for j in body.pieces[piece].span.clone().filter(|&j| !solid.is_inside(j)) {
                    // still pieces have no velocity
                    let half_way = 0.5 * scene.h * body.particles.velocity[j];
                    let (centre, half) = body.extent(piece, j);
                    let half = half + half_way.abs() + Vec3::splat(0.5 * body.margin(j));
                    let centre = centre + half_way.as_dvec3();
                    self.items.push(Item { centre, half, group });
                    let piece = piece as u32;
                    let particle = j as u32;
                    self.owners.push(Owner { body: index, piece, particle, outline: NO_FACE });
                }
            }
        }
        for (obstacle, index) in scene.obstacles.iter().zip(0..) {
            let (centre, half) = obstacle.extent();
            self.items.push(Item { centre, half, group: OBSTACLES });
            self.owners.push(Owner { body: OBSTACLE, piece: 0, particle: index, outline: NO_FACE });
        }
    }

    /// A box around the way of every face of a surface that something is near to. Pieces are numbered from `first` on.
    fn list_faces(&mut self, body: &Body, [index, first]: [u32; 2], h: f32, workers: &Workers) {
        let Self { items, owners, outlines, near, .. } = self;
        let surface = &body.scratch.surface;
        let (listed, before) = (owners.len(), outlines.len());
        let mut faces = surface.faces().iter().zip(0..).peekable();
        while let Some((face, _)) = faces.peek() {
            // faces of a piece stand side by side
            let piece = body.piece_of(face.corners[0]);
            let Piece { span, origin, .. } = &body.pieces[piece as usize];
            let is_its = |(face, _): &(&Face, u32)| span.contains(&(face.corners[0] as usize));
            let folds = !body.pieces[piece as usize].is_still() && surface.may_fold(piece as usize);
            let group = match body.pieces[piece as usize].is_still() {
                true => STILL,
                false if folds => NO_GROUP,
                false => first + piece,
            };
            let near = near.of(first + piece);
            let left_out = near.is_nothing();
            while let Some((_, k)) = faces.next_if(is_its) {
                let folds = folds && surface.may_meet_own(k as usize);
                if left_out && !folds {
                    continue;
                }
                let around = surface.bounds(k as usize, &body.particles, h);
                let half = 0.5 * (around.max - around.min);
                let item = Item {
                    centre: *origin + around.centre().as_dvec3(),
                    half: half + Vec3::splat(0.5 * surface.margin(k as usize)),
                    group,
                };
                if folds || near.may_touch(&item) {
                    let outline = (before + owners.len() - listed) as u32;
                    items.push(item);
                    owners.push(Owner { body: index, piece, particle: k, outline });
                }
            }
        }
        let owners = &owners[listed..];
        outlines.resize(before + owners.len(), Outline::default());
        workers.for_span(0..owners.len(), &mut outlines[before..], &|range, outlines| {
            for (outline, owner) in outlines.iter_mut().zip(&owners[range]) {
                *outline = surface.outline(owner.particle as usize, &body.particles, h);
            }
        });
    }

    fn list_pairs(&mut self, scene: Scene<'_>, workers: &Workers) {
        self.pairs.clear();
        let mut groups = self.items.iter().map(|item| item.group);
        let first = groups.next().unwrap_or(0);
        if first == NO_GROUP || groups.any(|group| group != first) {
            let owners = &self.owners;
            let keep = |i: u32, j: u32| may_touch(owners[i as usize], owners[j as usize], scene);
            self.broad.update(workers, &self.items);
            self.broad.find_pairs(workers, &keep, &mut self.pairs);
        }
        self.pair_with_planes(scene);
    }

    /// Half-spaces have no box. Ellipsoids find them by themselves, unless they are sensors.
    fn pair_with_planes(&mut self, scene: Scene<'_>) {
        let first = self.owners.len() - scene.obstacles.len();
        for (k, obstacle) in scene.obstacles.iter().enumerate() {
            let Some(normal) = obstacle.plane() else { continue };
            let plane = first + k;
            for (i, owner) in self.owners[..first].iter().enumerate() {
                let particles = &scene.bodies[owner.body as usize].particles;
                let round =
                    owner.is_face() || particles.touched_shape(owner.particle as usize).is_none();
                if round && !obstacle.sensor {
                    continue;
                }
                let Item { centre, half, .. } = self.items[i];
                let height = normal.as_dvec3().dot(centre - obstacle.now.position) as f32;
                let reach = half.dot(normal.abs()) + obstacle.next.shift_from(&obstacle.now);
                if height <= reach && may_touch(*owner, self.owners[plane], scene) {
                    self.pairs.push((i as u32, plane as u32));
                }
            }
        }
        self.pairs.sort_unstable();
    }
}

/// Whether two are of layers that meet, and of pieces of which one moves and that touch each other.
fn pieces_may_touch(a: Owner, b: Owner, scene: Scene<'_>) -> bool {
    let layers = |o: Owner| match o.body {
        OBSTACLE => scene.obstacles[o.particle as usize].layers,
        number => scene.bodies[number as usize].layers,
    };
    let still = |o: Owner| match o.body {
        OBSTACLE => !scene.obstacles[o.particle as usize].moves(),
        number => scene.bodies[number as usize].pieces[o.piece as usize].is_still(),
    };
    // what sleeps in a sensor is still in it
    let sensor = b.body == OBSTACLE && scene.obstacles[b.particle as usize].sensor;
    if still(a) && still(b) && !sensor || !Layers::meet(layers(a), layers(b)) {
        return false;
    }
    if a.body != b.body || a.piece == b.piece {
        return true;
    }
    let body = &scene.bodies[a.body as usize];
    [a, b].iter().all(|o| body.touches_own(o.piece as usize))
}

/// Whether two are of such pieces, and no neighbours at rest.
fn may_touch(a: Owner, b: Owner, scene: Scene<'_>) -> bool {
    // most pairs of a sheet are neighbours
    if a.body == b.body && a.is_face() && b.is_face() {
        let surface = &scene.bodies[a.body as usize].scratch.surface;
        if surface.are_banks([a.particle as usize, b.particle as usize]) {
            return false;
        }
    }
    if !pieces_may_touch(a, b, scene) {
        return false;
    }
    if b.body == OBSTACLE {
        return true;
    }
    if a.is_face() || b.is_face() {
        return faces_may_touch(a, b, scene);
    }
    if a.body != b.body {
        let id = |o: Owner| scene.bodies[o.body as usize].particles.id[o.particle as usize];
        return !scene.attachments.are_quiet(id(a), id(b));
    }
    if a.piece != b.piece {
        return true;
    }
    let body = &scene.bodies[a.body as usize];
    let [p, q] = [a.particle as usize, b.particle as usize];
    let [x, y] = [body.particles.number[p], body.particles.number[q]];
    let shaped = body.shaped(p).is_some() || body.shaped(q).is_some();
    !body.near.contains(x, y, shaped) && !body.model.solid().bonded(p, q)
}

/// The same of a face and something else that moves.
fn faces_may_touch(a: Owner, b: Owner, scene: Scene<'_>) -> bool {
    let corners = |o: Owner| {
        let faces = scene.bodies[o.body as usize].scratch.surface.faces();
        if o.is_face() { faces[o.particle as usize].corners } else { [o.particle; 3] }
    };
    if a.body == b.body {
        let body = &scene.bodies[a.body as usize];
        if a.piece != b.piece {
            let [p, q] = [a, b].map(|o| o.particle as usize);
            return !body.scratch.surface.are_banks([p, q]);
        }
        let faces = [a, b].map(|o| o.particle as usize);
        return body.scratch.surface.may_touch_itself(faces);
    }
    let [p, q] = [a, b].map(corners);
    let id = |o: Owner, j: u32| scene.bodies[o.body as usize].particles.id[j as usize];
    let quiet = |i: u32, j: u32| scene.attachments.are_quiet(id(a, i), id(b, j));
    !p.iter().any(|&i| q.iter().any(|&j| quiet(i, j)))
}

/// What of two faces is worth a look.
fn may_meet_within(a: Owner, b: Owner, outlines: &[Outline], scene: Scene<'_>) -> Marks {
    let origin = |o: Owner| scene.bodies[o.body as usize].pieces[o.piece as usize].origin;
    let [first, second] = [a, b].map(|o| &outlines[o.outline as usize]);
    may_meet(first, second, (origin(b) - origin(a)).as_vec3())
}

/// Pairs of the substep before.
#[derive(Clone, Copy)]
struct Before<'a> {
    kept: &'a [Kept],
    points: &'a [KeptPoint],
}

impl Before<'_> {
    /// Nothing is known of a pair of which one had another shape.
    fn unless(self, fresh: bool) -> Self {
        if fresh { Self { kept: &[], points: &[] } } else { self }
    }

    fn of(&self, first: super::ParticleId, second: Other) -> Option<&Kept> {
        let place = self.kept.binary_search_by_key(&(first, second), |k| (k.first, k.second));
        place.ok().map(|k| &self.kept[k])
    }
}

impl Chunk {
    fn look(
        &mut self,
        pairs: &[Pair],
        owners: &[Owner],
        outlines: &[Outline],
        scene: Scene<'_>,
        before: Before<'_>,
    ) {
        // pairs of one face come one after the other
        let mut known: Option<(u32, FaceOf<'_>)> = None;
        for &(i, j) in pairs {
            let [a, b] = [owners[i as usize], owners[j as usize]];
            if b.body == OBSTACLE && a.is_face() {
                self.touch_face_and_obstacle(a, b.particle as usize, scene);
            } else if b.body != OBSTACLE && (a.is_face() || b.is_face()) {
                match (a.is_face(), b.is_face()) {
                    (true, true) => {
                        let marks = may_meet_within(a, b, outlines, scene);
                        if !marks.is_none() {
                            let face = known.filter(|&(of, _)| of == i);
                            let face = face.map_or_else(|| FaceOf::new(a, scene), |known| known.1);
                            known = Some((i, face));
                            self.touch_faces(&face, b, marks, scene);
                        }
                    }
                    (true, false) => self.touch_face_and_solid(a, b, scene),
                    _ => self.touch_face_and_solid(b, a, scene),
                }
            } else if b.body == OBSTACLE {
                self.touch_obstacle(a, b.particle as usize, scene, before);
            } else {
                let id = |o: Owner| scene.bodies[o.body as usize].particles.id[o.particle as usize];
                let frozen =
                    |o: Owner| scene.bodies[o.body as usize].pieces[o.piece as usize].frozen;
                // the older first, and what gives way before what does not
                let [a, b] = if (frozen(a), id(a)) < (frozen(b), id(b)) { [a, b] } else { [b, a] };
                self.touch_pair(a, b, scene, before);
            }
        }
    }

    /// Two particles. A frozen one stands like an obstacle.
    fn touch_pair(&mut self, a: Owner, b: Owner, scene: Scene<'_>, before: Before<'_>) {
        let [first, second] = [a, b].map(|o| &scene.bodies[o.body as usize]);
        let [i, j] = [a.particle as usize, b.particle as usize];
        let origin = first.pieces[a.piece as usize].origin;
        let shift = (second.pieces[b.piece as usize].origin - origin).as_vec3();
        let [p, q] = [&first.particles, &second.particles];
        let frozen = second.pieces[b.piece as usize].frozen;
        self.points.clear();
        let fresh = first.is_fresh(i) || second.is_fresh(j);
        if first.shaped(i).is_none() && second.shaped(j).is_none() {
            self.points.extend(pairs::touch(p, i, q, j, shift, scene.h));
        } else {
            let [one, other] = [first.form(i), second.form(j)];
            let one = first.mover(i, &one, Vec3::ZERO, scene.h);
            let other = second.mover(j, &other, shift, scene.h);
            let before = before.unless(fresh);
            self.meet(&one, &other, (p.id[i], Other::Particle(q.id[j])), before);
        }
        for point in self.points.drain(..) {
            // both arms reach to one point, so that the pair has no torque of its own
            let middle = 0.5 * (point.on_a + point.on_b);
            let arms = [middle - p.position[i], middle - (q.position[j] + shift)];
            let speed = velocity_at(p, i, arms[0]) - velocity_at(q, j, arms[1]);
            let key =
                Key { first: p.id[i], second: Other::Particle(q.id[j]), feature: point.feature };
            self.contacts.push(Contact {
                second: (!frozen).then(|| b.spot(arms[1])),
                friction: [0, 1].map(|k| combine_friction(p.friction[i][k], q.friction[j][k])),
                restitution: combine_friction(p.restitution[i], q.restitution[j]),
                approach: -speed.dot(point.normal),
                fresh,
                ..Contact::new(key, a.spot(arms[0]), &point)
            });
        }
    }

    /// A particle and an obstacle.
    fn touch_obstacle(&mut self, a: Owner, index: usize, scene: Scene<'_>, before: Before<'_>) {
        let (body, obstacle) = (&scene.bodies[a.body as usize], &scene.obstacles[index]);
        let i = a.particle as usize;
        let particles = &body.particles;
        let piece = &body.pieces[a.piece as usize];
        let pose = obstacle.now.seen_from(piece.origin);
        let form = body.form(i);
        let mover = body.mover(i, &form, Vec3::ZERO, scene.h);
        let from = particles.position[i] - pose.position;
        let way = obstacle.drift(from);
        let margin = f32::INFINITY;
        let other = Mover { shape: &obstacle.shape, pose, way, margin, radius: margin };
        self.points.clear();
        if obstacle.sensor {
            // it feels what is inside, not what is near
            let (a, b) = (&mover, &other);
            let met = collide(a.shape, &a.pose, b.shape, &b.pose, 0.0, &mut self.points);
            if met.is_ok() && !self.points.is_empty() {
                self.sensed.push((obstacle.id, body.id, piece.id));
            }
            return;
        }
        let fresh = body.is_fresh(i);
        let pair = (particles.id[i], Other::Obstacle(obstacle.id));
        self.meet(&mover, &other, pair, before.unless(fresh));
        for point in self.points.drain(..) {
            let arm = point.on_a - particles.position[i];
            let drift = obstacle.drift(point.on_a - pose.position);
            let speed = velocity_at(particles, i, arm) - drift / scene.h;
            let second = Other::Obstacle(obstacle.id);
            let key = Key { first: particles.id[i], second, feature: point.feature };
            let friction =
                [0, 1].map(|k| combine_friction(particles.friction[i][k], obstacle.friction[k]));
            self.contacts.push(Contact {
                friction,
                restitution: combine_friction(particles.restitution[i], obstacle.restitution),
                approach: -speed.dot(point.normal),
                drift,
                fresh,
                ..Contact::new(key, a.spot(arm), &point)
            });
        }
    }

    /// Points of a pair of shapes, and what is kept of it.
    fn meet(
        &mut self,
        a: &Mover<'_>,
        b: &Mover<'_>,
        (first, second): (super::ParticleId, Other),
        before: Before<'_>,
    ) {
        let start = self.kept_points.len();
        let old = before.of(first, second).map(|kept| {
            let range = kept.start as usize..(kept.start + kept.count) as usize;
            (kept.look, &before.points[range])
        });
        let look = meet(a, b, old, &mut self.points, &mut self.kept_points);
        // in the order of the keys of their contacts
        self.points.sort_unstable_by_key(|point| point.feature);
        if let Some(look) = look {
            let count = (self.kept_points.len() - start) as u32;
            self.kept.push(Kept { first, second, look, start: start as u32, count });
        }
    }
}

impl Owner {
    fn spot(self, arm: Vec3) -> Spot {
        let anchor = Anchor::new(self.particle, arm);
        Spot { body: self.body, piece: self.piece, anchor }
    }
}

/// Velocity of a point of a particle before the solve.
fn velocity_at(particles: &Particles, j: usize, arm: Vec3) -> Vec3 {
    let turning = particles.spin.get(j).map_or(Vec3::ZERO, |w| w.cross(arm));
    particles.velocity[j] + turning
}

/// A shape of a body's own or made for the moment.
#[allow(clippy::large_enum_variant, reason = "it lives for one pair")]
pub(super) enum Form<'a> {
    /// Of a rigid solid, or of a broken fragment.
    Own(&'a Shaped),
    /// Of a particle.
    Round(Shape),
}

/// The shape of a rigid solid or fragment, in the frame of the axes of its particle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shaped {
    pub shape: Shape,
    /// Its centre of mass in its own frame.
    pub centre: Vec3,
    /// How far its points are from its origin at most, in m.
    radius: f32,
}

impl Shaped {
    pub fn new(shape: Shape, centre: Vec3) -> Self {
        Self { radius: shape.bounding_radius(), shape, centre }
    }
}

impl Body {
    /// The shape of particle `j`, if others touch that and not its ellipsoid.
    #[inline]
    pub(super) fn shaped(&self, j: usize) -> Option<&Shaped> {
        self.particles.touched_shape(j).and_then(|shape| self.shapes.get(shape))
    }

    /// The box around the shape of particle `j` about its centre, at rest, if it has one.
    pub(super) fn around_at_rest(&self, j: usize) -> Option<Aabb> {
        let (shape, pose) = self.shape_at_rest(j)?;
        Some(shape.aabb(&pose))
    }

    /// The shape of particle `j` and where it is about its centre, at rest, if it has one.
    pub(crate) fn shape_at_rest(&self, j: usize) -> Option<(&Shape, Pose)> {
        let shaped = self.shapes.get(self.particles.shape[j] as usize)?;
        let rotation = self.particles.axes[j];
        Some((&shaped.shape, Pose { rotation, position: -(rotation * shaped.centre) }))
    }

    /// Whether others meet the shape of particle `j` for the first time.
    fn is_fresh(&self, j: usize) -> bool {
        !self.particles.shown[j] && self.shaped(j).is_some()
    }

    /// What others touch of particle `j`.
    pub(super) fn form(&self, j: usize) -> Form<'_> {
        match self.shaped(j) {
            Some(shaped) => Form::Own(shaped),
            None => Form::Round(Shape::of_radii(self.particles.radii[j].into())),
        }
    }

    /// Where the shape of particle `j` is in the frame of its piece, were it turned by `q`.
    pub(super) fn pose(&self, j: usize, q: Rot) -> Pose {
        let rotation = q * self.particles.axes[j];
        let centre = self.shaped(j).map_or(Vec3::ZERO, |shaped| shaped.centre);
        Pose { rotation, position: self.particles.position[j] - rotation * centre }
    }

    /// Its orientation at the start of the substep.
    fn turned(&self, j: usize) -> Rot {
        self.particles.previous_orientation.get(j).copied().unwrap_or_default()
    }

    fn mover<'a>(&self, j: usize, form: &'a Form<'_>, shift: Vec3, h: f32) -> Mover<'a> {
        let shape = match form {
            Form::Own(shaped) => &shaped.shape,
            Form::Round(shape) => shape,
        };
        let mut pose = self.pose(j, self.turned(j));
        pose.position += shift;
        let radius = match form {
            Form::Own(shaped) => shaped.radius,
            Form::Round(_) => self.particles.radii[j].into_iter().fold(0.0, f32::max),
        };
        let way = h * self.particles.velocity[j];
        Mover { shape, pose, way, margin: self.margin(j), radius }
    }

    /// Distance within which particle `j` makes contacts though nothing moves, in m.
    pub(super) fn margin(&self, j: usize) -> f32 {
        let radii = self.particles.radii[j];
        if self.shaped(j).is_none() {
            return margin(radii);
        }
        SHAPE_MARGIN * radii.into_iter().fold(f32::INFINITY, f32::min)
    }

    /// Centre and half size of the box around particle `j` at the start of the substep.
    fn extent(&self, piece: usize, j: usize) -> (DVec3, Vec3) {
        let origin = self.pieces[piece].origin;
        match self.shaped(j) {
            Some(shaped) => {
                let around = shaped.shape.aabb(&self.pose(j, self.turned(j)));
                (origin + around.centre().as_dvec3(), 0.5 * (around.max - around.min))
            }
            None => {
                let centre = origin + self.particles.position[j].as_dvec3();
                (centre, pairs::reach(&self.particles, j))
            }
        }
    }

    /// Whether others touch its surface, and not its particles.
    pub(super) fn is_surface(&self) -> bool {
        !self.scratch.surface.faces().is_empty()
    }

    /// Whether a piece touches other pieces of the body.
    fn touches_own(&self, piece: usize) -> bool {
        if self.is_surface() {
            return self.scratch.touches_own[piece];
        }
        self.model.solid().touches_own(&self.pieces[piece].span)
    }

    /// Brings its surface up to what its model tells, for a substep of length h.
    pub(super) fn follow_surface(&mut self, h: f32, workers: &Workers) {
        let Self { model, scratch, particles, pieces, .. } = self;
        let solid = model.solid();
        if let Some((faces, tets)) = solid.boundary().surface() {
            scratch.surface.follow(faces, tets, particles);
            let looked_at = pieces.iter().map(|piece| {
                // what is still touches nothing that is
                let bent = if piece.is_still() { Some(false) } else { solid.is_bent(&piece.span) };
                (piece.span.clone(), bent)
            });
            scratch.surface.follow_motion(looked_at, tets, particles, h, workers);
            let touches = pieces.iter().map(|piece| solid.touches_own(&piece.span));
            scratch.touches_own.clear();
            scratch.touches_own.extend(touches);
        }
    }

    /// Whether a piece is bent so far that it could touch itself.
    fn may_fold(&self, piece: usize) -> bool {
        let span = self.pieces[piece].span.clone();
        // a few particles are all neighbours
        if span.len() < 8 {
            return false;
        }
        let bent = self.model.solid().is_bent(&span);
        bent.unwrap_or_else(|| deviates(&self.particles, span, self.near.slack))
    }
}

impl Obstacle {
    /// Centre and half size of the box around its way; nowhere for a half-space.
    fn extent(&self) -> (DVec3, Vec3) {
        let around = |place: &super::obstacle::Place| {
            let around = self.shape.aabb(&Pose { position: Vec3::ZERO, rotation: place.rotation });
            let half = 0.5 * (around.max - around.min);
            (place.position + around.centre().as_dvec3(), half)
        };
        let (centre, half) = around(&self.now);
        if !half.is_finite() {
            return (DVec3::ZERO, Vec3::NEG_ONE);
        }
        if !self.moves() {
            return (centre, half);
        }
        let (end, half_end) = around(&self.next);
        let low = (centre - half.as_dvec3()).min(end - half_end.as_dvec3());
        let high = (centre + half.as_dvec3()).max(end + half_end.as_dvec3());
        (0.5 * (low + high), (0.5 * (high - low)).as_vec3())
    }

    /// As a half-space that ellipsoids touch; none of other shapes and of sensors.
    pub(super) fn half_space(&self) -> Option<HalfSpace> {
        let normal = self.plane().filter(|_| !self.sensor)?;
        Some(HalfSpace {
            id: self.id,
            point: self.now.position,
            normal,
            friction: self.friction,
            restitution: self.restitution,
            layers: self.layers,
            shift: (self.next.position - self.now.position).as_vec3(),
            turn: if self.next.rotation == self.now.rotation {
                Rot::IDENTITY
            } else {
                self.next.rotation * self.now.rotation.inverse()
            },
        })
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
