//! Attachments in snapshots and hashes.

use super::{Attachment, Attachments, Condition, End, Joint, Quiet};
use crate::state::{Reader, Sink, SnapshotError};
use crate::world::snapshot::floats;
use crate::world::{AttachmentId, BodyId, ParticleId, World};
use glam::Vec3;

impl Attachments {
    /// All of them, whole.
    pub fn state(&self, sink: &mut impl Sink) {
        sink.number(self.made());
        sink.number(self.iter().count() as u64);
        for attachment in self.iter() {
            attachment.state(sink);
        }
    }
}

impl Attachment {
    fn state(&self, sink: &mut impl Sink) {
        let Self { id, bodies, strength, toughness, joints, quiet, .. } = self;
        sink.column(&[id.0, bodies[0].0, bodies[1].0]);
        sink.floats(&[*strength, *toughness]);
        sink.number(joints.len() as u64);
        for joint in joints {
            let Joint { ends, normal, place, area, share, condition, force } = joint;
            let condition = match condition {
                Condition::Inside => 0,
                Condition::Exposed => 1,
                Condition::Broken => 2,
            };
            let [[a, b, c], [p, q, r]] = ends.map(|end| end.ids.map(|id| id.0));
            sink.column(&[a, b, c, p, q, r, condition]);
            sink.floats(&[ends[0].arm, ends[1].arm, *normal, *place, *force]);
            sink.floats(&[*area, *share]);
        }
        sink.number(quiet.len() as u64);
        for Quiet { pair, joint } in quiet {
            sink.column(&[pair[0].0, pair[1].0, (*joint).into()]);
        }
    }
}

impl World {
    /// Reads what [`Attachments::state`] wrote, after the bodies.
    pub(in crate::world) fn load_attachments(
        &mut self,
        reader: &mut Reader<'_>,
    ) -> Result<(), SnapshotError> {
        let made = reader.number()?;
        self.attachments.set_made(made);
        let mut last = 0;
        for _ in 0..reader.number()? {
            let attachment = load(reader)?;
            if attachment.id.0 <= last || attachment.id.0 > made {
                return Err(reader.damaged("attachments out of order"));
            }
            last = attachment.id.0;
            if !self.knows(&attachment) {
                return Err(reader.damaged("an attachment to particles that do not exist"));
            }
            self.apply_attachment(attachment);
        }
        Ok(())
    }

    /// Whether all that an attachment names is there.
    fn knows(&self, attachment: &Attachment) -> bool {
        let [a, b] = attachment.bodies;
        a != b
            && [a, b].into_iter().enumerate().all(|(side, id)| {
                let Some(body) = self.bodies.iter().find(|body| body.id == id) else {
                    return false;
                };
                let mut ids = body.particles.id.clone();
                ids.sort_unstable();
                let holding = attachment.holding().map(|joint| joint.ends[side]);
                holding.flat_map(|end| end.ids).all(|id| ids.binary_search(&id).is_ok())
            })
    }
}

fn load(reader: &mut Reader<'_>) -> Result<Attachment, SnapshotError> {
    let ids: Vec<u64> = reader.column_of(3)?;
    let [strength, toughness] = floats(reader)?;
    if !(strength > 0.0 && toughness > 0.0) {
        return Err(reader.damaged("an attachment without strength"));
    }
    let mut joints = Vec::new();
    for _ in 0..reader.number()? {
        joints.push(load_joint(reader)?);
    }
    let mut quiet = Vec::new();
    for _ in 0..reader.number()? {
        let numbers: Vec<u64> = reader.column_of(3)?;
        if numbers[2] >= joints.len() as u64 {
            return Err(reader.damaged("a pair next to no joint"));
        }
        let pair = [ParticleId(numbers[0]), ParticleId(numbers[1])];
        quiet.push(Quiet { pair, joint: numbers[2] as u32 });
    }
    let (id, bodies) = (AttachmentId(ids[0]), [BodyId(ids[1]), BodyId(ids[2])]);
    Ok(Attachment { id, bodies, strength, toughness, joints, quiet, followed: [0; 2] })
}

fn load_joint(reader: &mut Reader<'_>) -> Result<Joint, SnapshotError> {
    let numbers: Vec<u64> = reader.column_of(7)?;
    let vectors: Vec<Vec3> = reader.column_of(5)?;
    let [area, share] = floats(reader)?;
    let condition = match numbers[6] {
        0 => Condition::Inside,
        1 => Condition::Exposed,
        2 => Condition::Broken,
        _ => return Err(reader.damaged("an unknown condition of a joint")),
    };
    let positive = |x: f32| x > 0.0 && x.is_finite();
    if !(vectors.iter().all(|v| v.is_finite()) && positive(area) && positive(share)) {
        return Err(reader.damaged("a joint out of range"));
    }
    // where the particle stands is found before it is read
    let end = |side: usize| {
        let ids = [0, 1, 2].map(|k| ParticleId(numbers[3 * side + k]));
        End { ids, places: [u32::MAX; 3], arm: vectors[side] }
    };
    let whole = |end: &End| end.ids == [end.ids[0]; 3] || distinct(end.ids);
    if ![end(0), end(1)].iter().all(whole) {
        return Err(reader.damaged("a joint on no face"));
    }
    Ok(Joint {
        ends: [end(0), end(1)],
        normal: vectors[2],
        place: vectors[3],
        force: vectors[4],
        area,
        share,
        condition,
    })
}

fn distinct([a, b, c]: [ParticleId; 3]) -> bool {
    a != b && b != c && c != a
}
