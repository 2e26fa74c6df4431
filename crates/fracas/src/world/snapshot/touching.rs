//! Contacts, pairs that were looked at, and obstacles.

use super::super::desc::{Layers, ObstacleMotion};
use super::super::obstacle::{Obstacle, Place};
use super::super::sleep::Dormant;
use super::super::{BodyId, ObstacleId, ParticleId, PieceId, Reaction, World, grip};
use super::{f64s, floats, load_move_keys, save_f64s, save_move_keys};
use crate::contact::narrow::Point;
use crate::contact::shape::{Pose, Shape};
use crate::contact::{Contact, Kept, KeptPoint, Key, Look, Other, Spot};
use crate::math::Rot;
use crate::solids::Anchor;
use crate::state::{Reader, Sink, SnapshotError};
use glam::{DVec3, Vec3};

impl World {
    /// Forces of contacts, which the next solve starts from, pairs that the next search starts
    /// from, and obstacles on their way.
    pub(in super::super) fn contact_state(&self, sink: &mut impl Sink) {
        sink.number(self.touching.contacts.len() as u64);
        for contact in &self.touching.contacts {
            contact_state(contact, sink);
        }
        sink.number(self.touching.dormant.len() as u64);
        for Dormant { island, contact } in &self.touching.dormant {
            sink.number(island.0);
            contact_state(contact, sink);
        }
        let finding = &self.touching.finding;
        sink.number(finding.kept.len() as u64);
        for Kept { first, second, look, start, count } in &finding.kept {
            let (kind, id) = other(*second);
            sink.number(first.0);
            sink.number(id);
            sink.number(u64::from(*start) << 32 | u64::from(*count) << 1 | kind);
            sink.floats(&[look.relative.rotation]);
            sink.floats(&[look.relative.position.to_array(), [look.clear, 0.0, 0.0]]);
        }
        sink.number(finding.kept_points.len() as u64);
        for KeptPoint { on_a, on_b, normal, feature } in &finding.kept_points {
            sink.floats(&[*on_a, *on_b, *normal]);
            sink.number((*feature).into());
        }
        for obstacle in &self.obstacles {
            for x in obstacle.now.position.to_array() {
                sink.number(x.to_bits());
            }
            sink.floats(&[obstacle.now.rotation]);
            sink.number(obstacle.inside.len() as u64);
            for (body, piece) in &obstacle.inside {
                sink.number(body.0);
                sink.number(piece.0);
            }
        }
    }

    /// What [`contact_state`](Self::contact_state) wrote; obstacles are there already.
    pub(super) fn load_contact_state(
        &mut self,
        reader: &mut Reader<'_>,
    ) -> Result<(), SnapshotError> {
        for _ in 0..reader.number()? {
            let contact = load_contact(reader)?;
            if self.touching.contacts.last().is_some_and(|last| last.key >= contact.key) {
                return Err(reader.damaged("contacts out of order"));
            }
            self.touching.contacts.push(contact);
        }
        for _ in 0..reader.number()? {
            let island = PieceId(reader.number()?);
            self.touching.dormant.push(Dormant { island, contact: load_contact(reader)? });
        }
        let finding = &mut self.touching.finding;
        for _ in 0..reader.number()? {
            let first = ParticleId(reader.number()?);
            let (id, flags) = (reader.number()?, reader.number()?);
            let second = load_other(flags & 1, id);
            let rotation: Vec<Rot> = reader.column_of(1)?;
            let numbers: Vec<[f32; 3]> = reader.column_of(2)?;
            let relative = Pose { rotation: rotation[0], position: numbers[0].into() };
            let look = Look { relative, clear: numbers[1][0] };
            let (start, count) = ((flags >> 32) as u32, (flags as u32) >> 1);
            if finding.kept.last().is_some_and(|last| (last.first, last.second) >= (first, second))
            {
                return Err(reader.damaged("pairs out of order"));
            }
            finding.kept.push(Kept { first, second, look, start, count });
        }
        for _ in 0..reader.number()? {
            let places: Vec<Vec3> = reader.column_of(3)?;
            let feature = reader.number()? as u32;
            let [on_a, on_b, normal] = [places[0], places[1], places[2]];
            finding.kept_points.push(KeptPoint { on_a, on_b, normal, feature });
        }
        let points = finding.kept_points.len() as u64;
        let end = |kept: &Kept| u64::from(kept.start) + u64::from(kept.count);
        if finding.kept.iter().any(|kept| end(kept) > points) {
            return Err(reader.damaged("a pair whose points are not there"));
        }
        for k in 0..self.obstacles.len() {
            let words = [reader.number()?, reader.number()?, reader.number()?];
            let position = DVec3::from(words.map(f64::from_bits));
            let rotation: Vec<Rot> = reader.column_of(1)?;
            let place = Place { position, rotation: rotation[0] };
            self.obstacles[k].now = place;
            self.obstacles[k].next = place;
            for _ in 0..reader.number()? {
                let inside = (BodyId(reader.number()?), PieceId(reader.number()?));
                self.obstacles[k].inside.push(inside);
            }
        }
        Ok(())
    }
}

/// Above all other bits of the word in which the kind of the second stands.
const SURFACE: u64 = 1 << 40;

fn other(second: Other) -> (u64, u64) {
    match second {
        Other::Obstacle(id) => (0, id.0),
        Other::Particle(id) => (1, id.0),
        Other::Surface(id) => (SURFACE, id.0),
    }
}

fn load_other(flags: u64, id: u64) -> Other {
    match flags & (SURFACE | 1) {
        0 => Other::Obstacle(ObstacleId(id)),
        1 => Other::Particle(ParticleId(id)),
        _ => Other::Surface(BodyId(id)),
    }
}

/// Identity and warm start; the rest is found anew before it is read.
fn contact_state(contact: &Contact, sink: &mut impl Sink) {
    let Key { first, second, feature } = contact.key;
    let (kind, id) = other(second);
    sink.number(first.0);
    sink.number(id);
    sink.number(u64::from(feature) << 2 | u64::from(contact.sliding) << 1 | kind);
    sink.floats(&[contact.force, contact.allowance]);
    sink.floats(&[contact.slip_force, contact.first.anchor.arm]);
}

fn load_contact(reader: &mut Reader<'_>) -> Result<Contact, SnapshotError> {
    let (first, id, flags) = (ParticleId(reader.number()?), reader.number()?, reader.number()?);
    let key = Key { first, second: load_other(flags, id), feature: (flags >> 2) as u32 };
    let [force, allowance] = floats(reader)?;
    let places: Vec<Vec3> = reader.column_of(2)?;
    let [slip_force, arm] = [places[0], places[1]];
    let nowhere = Vec3::ZERO;
    let spot = Spot { body: 0, piece: 0, anchor: Anchor::new(0, arm) };
    let point = Point { on_a: nowhere, on_b: nowhere, normal: nowhere, gap: 0.0, feature: 0 };
    let sliding = flags & 2 != 0;
    Ok(Contact { force, allowance, slip_force, sliding, ..Contact::new(key, spot, &point) })
}

impl Obstacle {
    /// As it was described; where it is now belongs to the state.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        bytes.number(self.id.0);
        self.shape.save(bytes);
        bytes.floats(&[self.friction[0], self.friction[1], self.restitution]);
        bytes.column(&[self.layers.member, self.layers.meets, u32::from(self.sensor)]);
        save_f64s(&self.placed.position.to_array(), bytes);
        bytes.floats(&[self.placed.rotation]);
        bytes.number(u64::from(self.motion.is_some()));
        if let Some(ObstacleMotion { pivot, axis, keys }) = &self.motion {
            save_f64s(pivot, bytes);
            bytes.floats(axis);
            save_move_keys(keys, bytes);
        }
    }

    pub(super) fn load(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let id = ObstacleId(reader.number()?);
        let shape = Shape::load(reader)?;
        let [slide, stick, restitution] = floats(reader)?;
        let numbers: Vec<u32> = reader.column_of(3)?;
        let position = DVec3::from(f64s::<3>(reader)?);
        let rotation: Vec<Rot> = reader.column_of(1)?;
        let placed = Place { position, rotation: rotation[0] };
        let motion = match reader.number()? {
            0 => None,
            _ => {
                let (pivot, axis) = (f64s(reader)?, floats(reader)?);
                let keys = load_move_keys(reader)?;
                let checked = grip::check_move(&pivot, &axis, &keys);
                checked.map_err(|_| reader.damaged("a time table out of range"))?;
                Some(ObstacleMotion { pivot, axis, keys })
            }
        };
        Ok(Self {
            id,
            shape,
            friction: [slide, stick],
            restitution,
            layers: Layers { member: numbers[0], meets: numbers[1] },
            sensor: numbers[2] != 0,
            placed,
            motion,
            now: placed,
            next: placed,
            wanted: None,
            reaction: Reaction::default(),
            inside: Vec::new(),
        })
    }
}
