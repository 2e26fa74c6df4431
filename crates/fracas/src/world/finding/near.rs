//! Boxes around whole pieces, before those around faces: of a piece that is far from all others, or at rest among others at rest, no
//! face is looked at.
//!
//! What is left out could not have met anything, so that this shows in no contact.

use super::{NO_FACE, OBSTACLE, OBSTACLES, Owner, STILL, Scene, pieces_may_touch};
use crate::contact::broad::{Bounds, Broad, Item, Pair};
use crate::contact::shape::Aabb;
use crate::parallel::Workers;
use crate::world::body::Body;
use glam::Vec3;

/// What is taken for rounding, over half the size of a box.
const ROUNDING: f32 = 1e-5;

/// Who is near whom, as a whole. Room, made anew in every substep.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Around every piece, in the order of bodies, then around every obstacle.
    items: Vec<Item>,
    owners: Vec<Owner>,
    broad: Broad,
    pairs: Vec<Pair>,
    /// Of a piece with a surface and of something that its box meets, both ways, in order.
    meetings: Vec<(u32, Bounds)>,
    /// Whether all faces count: a half-space that only feels has no box.
    all: bool,
}

impl Near {
    /// Takes room for so many pieces and obstacles, each near to a few others.
    pub fn reserve(&mut self, count: usize) {
        fn room<T>(list: &mut Vec<T>, count: usize) {
            list.reserve(count.saturating_sub(list.len()));
        }
        room(&mut self.items, count);
        room(&mut self.owners, count);
        room(&mut self.pairs, 8 * count);
        room(&mut self.meetings, 16 * count);
        self.broad.reserve(count);
    }

    /// Finds who is near whom. Of worlds without surfaces nothing is asked.
    pub fn find(&mut self, scene: Scene<'_>, workers: &Workers) {
        let Self { items, owners, broad, pairs, meetings, all } = self;
        items.clear();
        owners.clear();
        meetings.clear();
        if !scene.bodies.iter().any(Body::is_surface) {
            return;
        }
        for (body, index) in scene.bodies.iter().zip(0..) {
            for (piece, k) in body.pieces.iter().zip(0..) {
                let group = if piece.is_still() { STILL } else { items.len() as u32 };
                items.push(Item { group, ..body.item_around(k as usize, scene.h) });
                owners.push(Owner { body: index, piece: k, particle: 0, outline: NO_FACE });
            }
        }
        for (obstacle, index) in scene.obstacles.iter().zip(0..) {
            let (centre, half) = obstacle.extent();
            items.push(Item { centre, half, group: OBSTACLES });
            owners.push(Owner { body: OBSTACLE, piece: 0, particle: index, outline: NO_FACE });
        }
        *all = scene.obstacles.iter().any(|o| o.sensor && o.plane().is_some());
        let is_surface =
            |owner: Owner| owner.body != OBSTACLE && scene.bodies[owner.body as usize].is_surface();
        let keep = |i: u32, j: u32| {
            let [a, b] = [owners[i as usize], owners[j as usize]];
            (is_surface(a) || is_surface(b)) && pieces_may_touch(a, b, scene)
        };
        broad.update(workers, items);
        broad.find_pairs(workers, &keep, pairs);
        for &(i, j) in pairs.iter() {
            for (one, other) in [(i, j), (j, i)] {
                if is_surface(owners[one as usize]) {
                    meetings.push((one, items[other as usize].bounds()));
                }
            }
        }
        meetings.sort_unstable_by_key(|meeting| meeting.0);
    }

    /// What is near a piece, which is numbered through all bodies.
    pub fn of(&self, piece: u32) -> NearTo<'_> {
        let start = self.meetings.partition_point(|meeting| meeting.0 < piece);
        let end = self.meetings.partition_point(|meeting| meeting.0 <= piece);
        NearTo { meetings: &self.meetings[start..end], all: self.all }
    }
}

/// What is near one piece.
#[derive(Clone, Copy)]
pub(super) struct NearTo<'a> {
    meetings: &'a [(u32, Bounds)],
    all: bool,
}

impl NearTo<'_> {
    /// Whether there is nothing.
    pub fn is_nothing(&self) -> bool {
        self.meetings.is_empty() && !self.all
    }

    /// Whether a part of the piece may be touched.
    pub fn may_touch(&self, part: &Item) -> bool {
        let part = part.bounds();
        self.all || self.meetings.iter().any(|(_, other)| other.meets(&part))
    }
}

impl Body {
    /// The box around the way of a piece and all that makes contacts around it. Its group is left to the caller.
    fn item_around(&self, piece: usize, h: f32) -> Item {
        let span = self.pieces[piece].span.clone();
        let particles = &self.particles;
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let is_surface = self.is_surface();
        for j in span {
            let reach = if is_surface { 0.0 } else { self.reach(j) };
            let from = particles.position[j];
            let to = from + h * particles.velocity[j];
            low = low.min(from.min(to) - reach);
            high = high.max(from.max(to) + reach);
        }
        let margin = if is_surface { 0.5 * self.scratch.surface.widest_margin() } else { 0.0 };
        let around = Aabb { min: low, max: high };
        let half = 0.5 * (high - low);
        Item {
            centre: self.pieces[piece].origin + around.centre().as_dvec3(),
            half: half + Vec3::splat(margin + ROUNDING * half.max_element()),
            group: STILL,
        }
    }

    /// How far all that others touch of particle `j` is from it at most, margin included, in m.
    fn reach(&self, j: usize) -> f32 {
        let radius = match self.shaped(j) {
            Some(shaped) => shaped.radius + shaped.centre.length(),
            None => self.particles.radii[j].into_iter().fold(0.0, f32::max),
        };
        radius * (1.0 + ROUNDING) + 0.5 * self.margin(j)
    }
}
