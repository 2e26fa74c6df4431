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
        let Self { id, bodies, strength, toughness, joints, quiet } = self;
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
            sink.column(&[ends[0].id.0, ends[1].id.0, condition]);
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
                // they follow each other, which was checked when the body was read
                let first = body.particles.id.iter().map(|id| id.0).min().unwrap_or(0);
                let range = first..first + body.particle_count() as u64;
                attachment.joints.iter().all(|joint| range.contains(&joint.ends[side].id.0))
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
    Ok(Attachment { id, bodies, strength, toughness, joints, quiet })
}

fn load_joint(reader: &mut Reader<'_>) -> Result<Joint, SnapshotError> {
    let numbers: Vec<u64> = reader.column_of(3)?;
    let vectors: Vec<Vec3> = reader.column_of(5)?;
    let [area, share] = floats(reader)?;
    let condition = match numbers[2] {
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
    let end =
        |side: usize| End { id: ParticleId(numbers[side]), particle: u32::MAX, arm: vectors[side] };
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
