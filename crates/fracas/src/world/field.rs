//! Fields: air and water that slow or carry what moves in them.

use super::body::Piece;
use super::command::Command;
use super::error::{CommandError, require};
use super::ids::FieldId;
use super::{World, Zone};
use crate::math::ops;
use crate::solids::{Particles, Solid};
use crate::state::{Reader, Sink, SnapshotError};
use glam::Vec3;

/// A field to add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldDesc {
    /// What it does.
    pub kind: FieldKind,
    /// Where.
    pub zone: Zone,
}

/// What a field does.
///
/// Each is the exact motion over a substep of a particle on which nothing else acts, so it is
/// stable for every strength and never turns a velocity round. What falls in it reaches its final
/// speed w to h g/2; where the field is so strong that w is below h g, it is h g.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Moving air: a force ½ ρ c A |u − v| (u − v) on every particle, A its cross-section seen
    /// along u − v. Over a substep
    ///
    /// ```text
    /// Δv = (u − v) (1 − 1/(1 + h k |u − v|)),   k = ½ ρ c A ε / m
    /// ```
    ///
    /// Only what is exposed feels it: with n̂ⱼ the directions to the N particles that are bonded to
    /// it and d that from which the air comes,
    ///
    /// ```text
    /// ε = max(0, 1 − 6/N Σⱼ max(0, d·n̂ⱼ)²)
    /// ```
    ///
    /// A particle alone has ε = 1. Inside a solid, where neighbours stand evenly on all sides, the
    /// sum is N/6 and ε = 0; so it is on the lee. A lattice blown at along its rows feels the air
    /// on its front alone. Seen along diagonals, or with neighbours at random places, the exposed
    /// area is the frontal one only to about a third. One body does not shade another, and air does
    /// not turn particles.
    ///
    /// A sheet of triangles is pressed along its normal n, from either side: A is its area around
    /// the particle and u − v above is replaced by n (n·(u − v)).
    Wind {
        /// Velocity of the air u, in m/s.
        velocity: [f32; 3],
        /// Its density ρ, in kg/m³; 0 or above. 1.2 at sea level.
        density: f32,
        /// Drag coefficient c, 0 or above: about 0.5 for round things, 1 for blocks.
        coefficient: f32,
    },
    /// A medium at rest in which velocity and spin of every particle fade, v' = −r v. Over a
    /// substep
    ///
    /// ```text
    /// Δv = −v (1 − exp(−h r))
    /// ```
    Drag {
        /// r, in 1/s; 0 or above.
        rate: f32,
    },
}

/// A field of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Field {
    pub id: FieldId,
    pub desc: FieldDesc,
}

impl World {
    /// Adds a field that acts from the next step on. Its work is booked as external work.
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`].
    pub fn add_field(&mut self, desc: FieldDesc) -> Result<FieldId, CommandError> {
        desc.check()?;
        let id = FieldId(self.next_field);
        self.next_field += 1;
        self.queue.push(Command::AddField(id, desc));
        Ok(id)
    }

    /// Takes a field away at the start of the next step.
    ///
    /// # Errors
    /// [`CommandError::NoField`].
    pub fn remove_field(&mut self, field: FieldId) -> Result<(), CommandError> {
        let queued = |c: &Command| matches!(c, Command::AddField(id, _) if *id == field);
        let stands = self.fields.iter().any(|f| f.id == field);
        if !stands && !self.queue.iter().any(queued) {
            return Err(CommandError::NoField(field));
        }
        self.queue.push(Command::RemoveField(field));
        Ok(())
    }

    /// The fields that act, in the order in which they were added.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, FieldDesc)> {
        self.fields.iter().map(|field| (field.id, field.desc))
    }

    /// Fields, for hash and snapshot.
    pub(super) fn field_state(&self, sink: &mut impl Sink) {
        sink.number(self.fields.len() as u64);
        for Field { id, desc } in &self.fields {
            sink.number(id.0);
            let (kind, numbers) = match desc.kind {
                FieldKind::Wind { velocity: [x, y, z], density, coefficient } => {
                    (0, [x, y, z, density, coefficient])
                }
                FieldKind::Drag { rate } => (1, [rate, 0.0, 0.0, 0.0, 0.0]),
            };
            sink.number(kind);
            sink.floats(&numbers);
            sink.column(&desc.zone.numbers());
        }
    }

    pub(super) fn load_fields(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        for _ in 0..reader.number()? {
            let id = FieldId(reader.number()?);
            let kind = reader.number()?;
            let numbers: Vec<f32> = reader.column_of(5)?;
            let zone: Vec<f64> = reader.column_of(7)?;
            let zone = zone.try_into().ok().and_then(Zone::from_numbers);
            let kind = match kind {
                0 => FieldKind::Wind {
                    velocity: [numbers[0], numbers[1], numbers[2]],
                    density: numbers[3],
                    coefficient: numbers[4],
                },
                1 => FieldKind::Drag { rate: numbers[0] },
                _ => return Err(reader.damaged("an unknown kind of field")),
            };
            let desc = zone.map(|zone| FieldDesc { kind, zone });
            let Some(desc) = desc.filter(|desc| desc.check().is_ok()) else {
                return Err(reader.damaged("a field out of range"));
            };
            self.fields.push(Field { id, desc });
        }
        Ok(())
    }
}

impl FieldDesc {
    fn check(&self) -> Result<(), CommandError> {
        let from_zero = |field, x: f32| require(x >= 0.0 && x.is_finite(), field, "0 or above", x);
        match self.kind {
            FieldKind::Wind { velocity, density, coefficient } => {
                for u in velocity {
                    require(u.is_finite(), "velocity", "finite", u)?;
                }
                from_zero("density", density)?;
                from_zero("coefficient", coefficient)?;
            }
            FieldKind::Drag { rate } => from_zero("rate", rate)?,
        }
        self.zone.check()
    }
}

/// Adds the accelerations of all fields, one after the other, each on the velocity that those
/// before it have left. They are taken from the velocity at the start of the substep, before
/// gravity: what rests keeps its full weight.
pub(super) fn accelerate(
    fields: &[Field],
    particles: &mut Particles,
    pieces: &[Piece],
    solid: &dyn Solid,
    h: f32,
) {
    if fields.is_empty() {
        return;
    }
    for piece in pieces.iter().filter(|piece| !piece.frozen) {
        for j in piece.span.clone() {
            let place = (piece.origin + particles.position[j].as_dvec3()).to_array();
            let (mut v, mut keep) = (particles.velocity[j], 1.0);
            for Field { desc, .. } in fields.iter().filter(|field| field.desc.zone.contains(place))
            {
                match desc.kind {
                    FieldKind::Wind { velocity, density, coefficient } => {
                        let pressure = 0.5 * f64::from(density) * f64::from(coefficient);
                        v += blow(particles, solid, j, Vec3::from(velocity) - v, pressure, h);
                    }
                    FieldKind::Drag { rate } => {
                        let fade = ops::exp(-h * rate);
                        v *= fade;
                        keep *= fade;
                    }
                }
            }
            particles.acceleration[j] += (v - particles.velocity[j]) / h;
            if particles.oriented() {
                particles.spin_acceleration[j] -= (1.0 - keep) / h * particles.spin[j];
            }
        }
    }
}

/// Change of velocity of particle `j` in air that passes it with velocity `wind`; `pressure` is
/// ½ ρ c. In f64, where no product of numbers that were allowed overflows.
fn blow(
    particles: &Particles,
    solid: &dyn Solid,
    j: usize,
    wind: Vec3,
    pressure: f64,
    h: f32,
) -> Vec3 {
    let faces = solid.area_around(particles, j).map(|area| area.as_dvec3());
    let normal = faces.map(|area| area.normalize_or_zero());
    let wind = wind.as_dvec3();
    let wind = normal.map_or(wind, |normal| normal.dot(wind) * normal);
    let speed = wind.length();
    if speed == 0.0 {
        return Vec3::ZERO;
    }
    let along = (wind / speed).as_vec3();
    let seen = || particles.cross_section(j, along) * exposed(particles, solid, j, -along);
    let area = faces.map_or_else(seen, |area| area.length());
    let k = pressure * area / f64::from(particles.mass[j]);
    let share = 1.0 - 1.0 / (1.0 + f64::from(h) * k * speed);
    (share * wind).as_vec3()
}

/// ε of [`FieldKind::Wind`]; `d` is the direction from which the air comes.
fn exposed(particles: &Particles, solid: &dyn Solid, j: usize, d: Vec3) -> f64 {
    let bonded = solid.neighbours(j);
    let mut sum = 0.0;
    for &i in bonded {
        let way = particles.position[i as usize] - particles.position[j];
        let facing = d.dot(way.normalize_or_zero()).max(0.0);
        sum += f64::from(facing * facing);
    }
    (1.0 - 6.0 / bonded.len().max(1) as f64 * sum).max(0.0)
}
