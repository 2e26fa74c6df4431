//! Attachments: glue and hinges between two bodies, broken by their load.
//!
//! An attachment is a set of joints, each a point that a particle or face of one body shares with one
//! of the other (`glue.rs` and `faces.rs` say where they are). During a substep every joint that holds is a link
//! in the solve of its island (`solve/links.rs`); `joints.rs` brings them there and back, and breaks
//! them.

mod faces;
mod glue;
mod joints;
mod state;

pub(super) use joints::Attachments;

use super::command::Command;
use super::error::{CommandError, require};
use super::ids::{AttachmentId, BodyId, ParticleId};
use super::{Body, World};
use glam::{DVec3, Vec3};
use std::f32::consts::PI;

/// Glue or a hinge between two bodies.
///
/// ```
/// use fracas::{AttachDesc, AttachRegion, BodyId};
///
/// # let [shelf, wall] = [BodyId(1), BodyId(2)];
/// let glue = AttachDesc {
///     region: AttachRegion::Near { distance: 0.002 },
///     strength: 5.0e6,
///     ..AttachDesc::new([shelf, wall])
/// };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AttachDesc {
    /// The bodies; two different ones.
    pub bodies: [BodyId; 2],
    /// Where they are joined.
    pub region: AttachRegion,
    /// What the joint lets them do.
    pub kind: AttachKind,
    /// Stress of pull and shear at which it parts, in Pa; above 0, or `inf`. Where the solver cannot
    /// hold a load and two particles are torn apart by their own width, `inf` parts, too.
    pub strength: f32,
    /// Stress intensity at which what has begun to part goes on, in Pa √m; above 0 or `inf`.
    pub toughness: f32,
}

impl AttachDesc {
    /// Glue that holds for ever, wherever the two are within a millimetre of each other.
    pub fn new(bodies: [BodyId; 2]) -> Self {
        Self {
            bodies,
            region: AttachRegion::Near { distance: 1e-3 },
            kind: AttachKind::Glue,
            strength: f32::INFINITY,
            toughness: f32::INFINITY,
        }
    }
}

/// Where two bodies are joined, as they are when the attachment is made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttachRegion {
    /// Wherever they are no farther apart than this.
    Near {
        /// The distance between their particles' ellipsoids or, of tetrahedra, their surfaces, in m; 0 or above.
        distance: f32,
    },
    /// The same, only in a box in the world; bounds included.
    Box {
        /// Lowest corner, in m; `-inf` allowed.
        min: [f64; 3],
        /// Highest corner, in m; `inf` allowed.
        max: [f64; 3],
        /// The distance between their particles' ellipsoids, in m; 0 or above.
        distance: f32,
    },
}

impl AttachRegion {
    fn distance(&self) -> f32 {
        match *self {
            Self::Near { distance } | Self::Box { distance, .. } => distance,
        }
    }

    fn contains(&self, x: DVec3) -> bool {
        match *self {
            Self::Near { .. } => true,
            Self::Box { min, max, .. } => (0..3).all(|k| x[k] >= min[k] && x[k] <= max[k]),
        }
    }
}

/// What an attachment lets its bodies do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttachKind {
    /// Nothing: they are as one.
    Glue,
    /// To turn freely about a line. Only particles are joined that the line passes within the
    /// region's distance.
    Hinge {
        /// A point of the line, in m.
        point: [f64; 3],
        /// Its direction; need not be unit length.
        axis: [f32; 3],
    },
}

/// An attachment and how it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    id: AttachmentId,
    bodies: [BodyId; 2],
    strength: f32,
    toughness: f32,
    joints: Vec<Joint>,
    /// Pairs of particles that do not fight while the joint next to them holds.
    quiet: Vec<Quiet>,
    /// How many particles the bodies had when joints last followed their faces. Not state: following again changes nothing.
    followed: [usize; 2],
}

/// A point that two particles or faces share.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Joint {
    ends: [End; 2],
    /// From the second body to the first, unit length, as the first particle was at rest; not used of a face, which has its own.
    normal: Vec3,
    /// Where it was when it was made, seen from the first joint, in m: tells who is next to whom.
    place: Vec3,
    /// Of the face that it holds together, in m².
    area: f32,
    /// Part that it has in holding its two particles together.
    share: f32,
    condition: Condition,
    /// On the first body in the last substep, in N.
    force: Vec3,
}

/// One side of a joint: a particle, or a face of tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    /// The particle, thrice, or the corners of the face.
    ids: [ParticleId; 3],
    /// Where these stand now; found anew after splits.
    places: [u32; 3],
    /// From the centre of the particle to the joint, as it was at rest, in m. Of a face what it takes of the edges from its first corner, and
    /// its height above it, in m.
    arm: Vec3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// It holds, as do all that are next to it.
    Inside,
    /// It holds; one next to it has broken.
    Exposed,
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quiet {
    pair: [ParticleId; 2],
    joint: u32,
}

impl Attachment {
    /// Its handle.
    pub fn id(&self) -> AttachmentId {
        self.id
    }

    /// The bodies it joins.
    pub fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }

    /// Links that hold.
    pub fn links(&self) -> usize {
        self.holding().count()
    }

    /// Links that have broken.
    pub fn broken_links(&self) -> usize {
        self.joints.len() - self.links()
    }

    /// Area that is still held together, in m².
    pub fn area(&self) -> f64 {
        self.holding().map(|joint| f64::from(joint.area)).sum()
    }

    /// What it exerts on the first of its bodies, in N, in the last substep; the opposite on the
    /// second.
    pub fn force(&self) -> [f64; 3] {
        self.holding().map(|joint| joint.force.as_dvec3()).sum::<DVec3>().to_array()
    }

    fn holding(&self) -> impl Iterator<Item = &Joint> {
        self.joints.iter().filter(|joint| joint.condition != Condition::Broken)
    }

    /// Whether a joint parts under its force. `normal` is in the world.
    ///
    /// ```text
    /// σ = √(max(0, σ_n)² + τ²):   pull and shear count, pressure does not
    /// parts if  σ > strength,  or, at the edge of what has parted,  K = σ √(π w) > toughness
    /// ```
    ///
    /// Ahead of a crack σ(r) = K/√(2πr), whose mean over a length l is K √(2/(πl)): so K follows
    /// from the mean stress there. What the first joint sees is the mean over about two widths w of
    /// the face of a pair: bodies resolve stress no finer than their particles, and glue gives way
    /// like one more layer of them. (Peeled off, a bar takes 0.96 to 1.13 of the toughness, by
    /// the energy of its arm.)
    fn parts(&self, joint: &Joint, normal: Vec3) -> bool {
        let along = joint.force.dot(normal);
        let shear = joint.force - along * normal;
        let pull = (-along).max(0.0);
        let stress = (pull * pull + shear.length_squared()).sqrt() / joint.area;
        let intensity = stress * (PI * joint.face()).sqrt();
        stress > self.strength
            || joint.condition == Condition::Exposed && intensity > self.toughness
    }
}

impl Joint {
    /// Side of the square that it holds together, in m.
    fn width(&self) -> f32 {
        self.area.sqrt()
    }

    /// Side of the square that its two particles share, or as large as the face on which it is, in m.
    fn face(&self) -> f32 {
        (self.area / self.share).sqrt()
    }

    /// Whether two share a side of their squares. Joints stand at the Gauss points of faces, at
    /// most 1.16 widths from the next and at least 1.2 from one across a corner. Those on one triangle are all next to each other.
    fn is_next_to(&self, other: &Self) -> bool {
        const REACH: f32 = 1.18;
        self.place.distance(other.place) <= REACH * self.width().max(other.width())
            || (0..2).any(|k| self.ends[k].is_face() && self.ends[k].ids == other.ends[k].ids)
    }

    /// Particles of both bodies that do not fight while it holds.
    fn quiet(&self) -> impl Iterator<Item = [ParticleId; 2]> {
        let [a, b] =
            self.ends.map(|end| if end.is_face() { end.ids.to_vec() } else { vec![end.ids[0]] });
        a.into_iter().flat_map(move |p| b.clone().into_iter().map(move |q| [p, q]))
    }
}

impl End {
    /// Of a particle, which stands there.
    fn of_particle(id: ParticleId, place: u32, arm: Vec3) -> Self {
        Self { ids: [id; 3], places: [place; 3], arm }
    }

    fn is_face(&self) -> bool {
        self.ids[0] != self.ids[1]
    }
}

impl World {
    /// Joins two bodies where they are next to each other now. What is joined does not collide.
    ///
    /// # Errors
    /// [`CommandError`] if a body does not exist, a number is out of range, or nothing is joined:
    /// then it tells how far apart they are.
    pub fn attach(&mut self, desc: AttachDesc) -> Result<AttachmentId, CommandError> {
        check(&desc)?;
        let [a, b] = desc.bodies;
        if a == b {
            return Err(CommandError::AttachedToItself(a));
        }
        let id = self.attachments.next_id();
        let sides = [self.find(a)?, self.find(b)?];
        let of_faces = sides.iter().any(|body| faces::has_faces(body));
        let joints_of = if of_faces { faces::joints } else { glue::joints };
        let (joints, quiet) = joints_of(&desc, sides, &self.workers)?;
        let AttachDesc { bodies, strength, toughness, .. } = desc;
        let followed = [0; 2];
        let attachment = Attachment { id, bodies, strength, toughness, joints, quiet, followed };
        self.attachments.count_up();
        self.queue.push(Command::Attach(Box::new(attachment)));
        Ok(id)
    }

    /// Takes an attachment away; its bodies are free of each other.
    ///
    /// # Errors
    /// [`CommandError::NoAttachment`].
    pub fn detach(&mut self, attachment: AttachmentId) -> Result<(), CommandError> {
        self.attachment(attachment).ok_or(CommandError::NoAttachment(attachment))?;
        self.queue.push(Command::Detach(attachment));
        Ok(())
    }

    /// An attachment, also one that waits for the next step or has broken; `None` after
    /// [`detach`](Self::detach) and when one of its bodies was removed.
    pub fn attachment(&self, id: AttachmentId) -> Option<&Attachment> {
        let queued = self.queue.iter().filter_map(|command| match command {
            Command::Attach(attachment) => Some(attachment.as_ref()),
            _ => None,
        });
        self.attachments.iter().chain(queued).find(|attachment| attachment.id == id)
    }

    pub(super) fn apply_attachment(&mut self, attachment: Attachment) {
        if !attachment.bodies.iter().all(|&id| self.bodies.iter().any(|body| body.id == id)) {
            return;
        }
        // a link that breaks is an event, and so is the last
        self.events.reserve(attachment.joints.len() + 1);
        self.attachments.add(attachment, &mut self.bodies);
    }
}

/// Refuses numbers that no attachment can have.
fn check(desc: &AttachDesc) -> Result<(), CommandError> {
    let distance = desc.region.distance();
    require(distance >= 0.0 && distance.is_finite(), "distance", "0 or above", distance)?;
    if let AttachRegion::Box { min, max, .. } = desc.region {
        for k in 0..3 {
            require(!min[k].is_nan(), "min", "a number", min[k] as f32)?;
            require(max[k] >= min[k], "max", "at least min", max[k] as f32)?;
        }
    }
    if let AttachKind::Hinge { point, axis } = desc.kind {
        for x in point {
            require(x.is_finite(), "point", "finite", x as f32)?;
        }
        let length = Vec3::from(axis).as_dvec3().length();
        require(length > 0.0 && length.is_finite(), "axis", "longer than 0", length as f32)?;
    }
    require(desc.strength > 0.0, "strength", "above 0 or inf", desc.strength)?;
    require(desc.toughness > 0.0, "toughness", "above 0 or inf", desc.toughness)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment(strength: f32, toughness: f32) -> Attachment {
        let (id, bodies) = (AttachmentId(1), [BodyId(1), BodyId(2)]);
        let (joints, quiet, followed) = (Vec::new(), Vec::new(), [0; 2]);
        Attachment { id, bodies, strength, toughness, joints, quiet, followed }
    }

    /// One of four joints of a face of 0.2 m × 0.2 m under this stress.
    fn joint(condition: Condition, stress: Vec3) -> Joint {
        let end = End::of_particle(ParticleId(1), 0, Vec3::ZERO);
        Joint {
            ends: [end; 2],
            normal: Vec3::Y,
            place: Vec3::ZERO,
            area: 0.01,
            share: 0.25,
            condition,
            force: 0.01 * stress,
        }
    }

    #[test]
    fn pull_and_shear_part_and_pressure_does_not() {
        let glue = attachment(100.0, f32::INFINITY);
        let parts = |stress: Vec3| glue.parts(&joint(Condition::Exposed, stress), Vec3::Y);
        // on the first body, which is above
        assert!(!parts(Vec3::new(0.0, -99.0, 0.0)) && parts(Vec3::new(0.0, -101.0, 0.0)));
        assert!(!parts(Vec3::new(59.0, -79.0, 0.0)) && parts(Vec3::new(61.0, -81.0, 0.0)));
        assert!(!parts(Vec3::new(0.0, 1e9, 99.0)) && parts(Vec3::new(0.0, 1e9, 101.0)));
        let forever = attachment(f32::INFINITY, f32::INFINITY);
        assert!(!forever.parts(&joint(Condition::Exposed, Vec3::splat(-1e30)), Vec3::Y));
    }

    /// The mean of σ = K/√(2πr) over two faces, by the midpoint rule in √r.
    #[test]
    fn toughness_is_the_intensity_that_gives_the_mean_stress_ahead() {
        let (intensity, length) = (1e4_f32, 0.4_f32);
        let steps = 1000;
        let mut sum = 0.0;
        for k in 0..steps {
            // r = s², dr = 2 s ds
            let ds = length.sqrt() / steps as f32;
            let s = (k as f32 + 0.5) * ds;
            sum += intensity / (2.0 * PI * s * s).sqrt() * 2.0 * s * ds;
        }
        let mean = Vec3::new(0.0, -sum / length, 0.0);
        for (share, parted) in [(0.99, false), (1.01, true)] {
            let glue = attachment(f32::INFINITY, intensity);
            assert_eq!(glue.parts(&joint(Condition::Exposed, share * mean), Vec3::Y), parted);
            assert!(!glue.parts(&joint(Condition::Inside, share * mean), Vec3::Y));
        }
    }
}
