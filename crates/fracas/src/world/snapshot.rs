//! Saving a world to bytes, loading it back, and the hash of its state.
//!
//! ```text
//! mark (8 bytes) · format (u64) · world · bodies · CRC-32C of all before (u64)
//! ```
//!
//! Numbers are little-endian, columns begin with their length; nothing is read past the end, and
//! nothing is taken on trust: indices are checked before they are used.

mod touching;

use super::body::{Body, Piece, Scratch};
use super::desc::Layers;
use super::divide::Again;
use super::finding::Shaped;
use super::grip::{Grip, Member};
use super::obstacle::Obstacle;
use super::pieces::Places;
use super::report::Energy;
use super::{
    BodyId, Changes, DebrisRule, GripId, GripMotion, MoveKey, ParticleId, PieceId, PullKey,
    Reaction, World, WorldConfig,
};
use crate::contact::near::Near;
use crate::contact::shape::Shape;
use crate::material::{Material, PointValues};
use crate::math::Rot;
use crate::solids::brittle::Brittle;
use crate::solids::corotated::Corotated;
use crate::solids::meshless::Meshless;
use crate::solids::oriented::Oriented;
use crate::solids::sheet::Sheet;
use crate::solids::{Model, Motion, NO_SHAPE, Particles, Residual, RigidSet, Solid};
use crate::state::{Reader, Sink, SnapshotError, StateHash, crc32c};
use glam::{DVec3, Vec3};

const MARK: &[u8; 8] = b"FRACAS\r\n";
/// Counted up with every change of what is saved.
const FORMAT: u64 = 12;

/// Makes the empty model of a user's own kind that the saved bytes are then loaded into.
pub type OwnModels<'a> = &'a mut dyn FnMut(&str) -> Option<Box<dyn Solid>>;

impl World {
    /// The whole world as bytes. What is queued is done first. Events that were not drained are
    /// not saved.
    pub fn save(&mut self) -> Vec<u8> {
        self.apply_commands();
        let mut bytes = MARK.to_vec();
        bytes.number(FORMAT);
        let c = &self.config;
        bytes.floats(&[c.gravity[0], c.gravity[1], c.gravity[2], c.settle]);
        let flags = [c.momentum_correction, c.books, c.sleeping, c.fragments_split].map(u64::from);
        for number in [u64::from(c.substeps), u64::from(c.sweeps)].into_iter().chain(flags) {
            bytes.number(number);
        }
        let rule = c.debris.map(|rule| [rule.lifetime, rule.min_size]);
        bytes.floats(rule.as_ref().map_or(&[][..], |numbers| numbers));
        bytes.number(c.debris.map_or(0, |rule| rule.budget.into()));
        save_f64s(&[self.time], &mut bytes);
        bytes.floats(&self.gravity_now.to_array());
        bytes.floats(&[self.last_h, self.forces_of]);
        let counters = [
            self.steps,
            self.next_body,
            self.next_piece,
            self.next_particle,
            self.next_grip,
            self.next_obstacle,
            self.next_field,
            self.next_blade,
        ];
        bytes.column(&counters);
        save_energy(&self.spent, &mut bytes);
        bytes.number(self.obstacles.len() as u64);
        for obstacle in &self.obstacles {
            obstacle.save(&mut bytes);
        }
        bytes.number(self.bodies.len() as u64);
        for body in &self.bodies {
            body.save(&mut bytes);
        }
        self.contact_state(&mut bytes);
        self.field_state(&mut bytes);
        bytes.number(self.blades.len() as u64);
        self.blade_state(&mut bytes);
        self.attachments.state(&mut bytes);
        let crc = crc32c(&bytes);
        bytes.number(crc.into());
        bytes
    }

    /// A world from the bytes of [`save`](Self::save), on this many threads: it goes on with the
    /// same bits.
    ///
    /// # Errors
    /// [`SnapshotError`] says why the bytes are not a snapshot of a world that this version can
    /// run. Bodies of a user's own model need [`load_with`](Self::load_with).
    pub fn load(bytes: &[u8], threads: u32) -> Result<Self, SnapshotError> {
        Self::load_with(bytes, threads, &mut |_| None)
    }

    /// The same, asking for an empty model of every name that is not the engine's own.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with(
        bytes: &[u8],
        threads: u32,
        own_models: OwnModels<'_>,
    ) -> Result<Self, SnapshotError> {
        let content = checked_content(bytes)?;
        let mut reader = Reader::new(content);
        let reader = &mut reader;
        let [x, y, z, settle] = floats(reader)?;
        let mut numbers = [0; 6];
        for number in &mut numbers {
            *number = reader.number()?;
        }
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let (rule, budget): (Vec<f32>, _) = (reader.column()?, small(reader.number()?));
        let debris = match rule[..] {
            [] => None,
            [lifetime, min_size] => Some(DebrisRule { lifetime, min_size, budget }),
            _ => return Err(reader.damaged("a column of wrong length")),
        };
        let config = WorldConfig {
            gravity: [x, y, z],
            settle,
            substeps: small(numbers[0]),
            sweeps: small(numbers[1]),
            momentum_correction: numbers[2] != 0,
            books: numbers[3] != 0,
            sleeping: numbers[4] != 0,
            fragments_split: numbers[5] != 0,
            debris,
            threads,
        };
        let mut world =
            Self::new(config).map_err(|_| reader.damaged("settings that no world can have"))?;
        [world.time] = f64s(reader)?;
        world.gravity_now = Vec3::from(floats::<3>(reader)?);
        [world.last_h, world.forces_of] = floats(reader)?;
        let counters: Vec<u64> = reader.column_of(8)?;
        world.steps = counters[0];
        world.next_body = counters[1];
        world.next_piece = counters[2];
        world.next_particle = counters[3];
        world.next_grip = counters[4];
        world.next_obstacle = counters[5];
        world.next_field = counters[6];
        world.next_blade = counters[7];
        world.spent = load_energy(reader)?;
        for _ in 0..reader.number()? {
            world.obstacles.push(Obstacle::load(reader)?);
        }
        if world.obstacles.windows(2).any(|pair| pair[0].id >= pair[1].id) {
            return Err(reader.damaged("obstacles out of order"));
        }
        for _ in 0..reader.number()? {
            let body = Body::load(reader, own_models)?;
            world.reserve_events(&body);
            world.bodies.push(body);
        }
        world.touching.reserve(&world.bodies, world.obstacles.len());
        world.load_contact_state(reader)?;
        world.load_fields(reader)?;
        world.load_blades(reader)?;
        world.load_attachments(reader)?;
        if reader.is_done() { Ok(world) } else { Err(reader.damaged("there is more than a world")) }
    }
}

/// What lies between the mark and the checksum, if both are right.
fn checked_content(bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    let after_mark = bytes.strip_prefix(MARK).ok_or(SnapshotError::NotASnapshot)?;
    let mut reader = Reader::new(after_mark);
    let format = reader.number()?;
    if format != FORMAT {
        return Err(SnapshotError::Version { found: format, expected: FORMAT });
    }
    let Some(end) = bytes.len().checked_sub(8).filter(|&end| end >= 16) else {
        return Err(reader.damaged("it ends early"));
    };
    let found = Reader::new(&bytes[end..]).number()?;
    let expected = crc32c(&bytes[..end]);
    if found != u64::from(expected) {
        return Err(SnapshotError::Checksum { found: found as u32, expected });
    }
    Ok(&bytes[16..end])
}

/// Every column that a later step reads and that changes over time.
fn particle_state(particles: &Particles, sink: &mut impl Sink) {
    sink.floats(&particles.position);
    sink.floats(&particles.orientation);
    sink.floats(&particles.velocity);
    sink.floats(&particles.spin);
    sink.floats(&particles.strength);
    for flags in [&particles.broken, &particles.shown] {
        sink.column(bytemuck::cast_slice::<bool, u8>(flags));
    }
}

impl Body {
    /// Everything that a later step reads and that changes over time.
    pub(super) fn hash(&self, hash: &mut StateHash) {
        hash.number(self.id.0);
        hash.floats(&self.particles.mass);
        hash.floats(&self.particles.rest);
        hash.column(&self.particles.shape);
        particle_state(&self.particles, hash);
        if !self.particles.remainder.is_empty() {
            hash.floats_side_by_side(&self.particles.remainder);
        }
        self.model.solid().hash(hash);
        for piece in &self.pieces {
            hash.number(piece.id.0);
            hash.number(piece.span.end as u64);
            hash.number(u64::from(piece.frozen) | u64::from(piece.touched_before) << 1);
            hash.number(piece.asleep.map_or(0, |id| id.0));
            hash.floats(&[piece.quiet, piece.credit]);
            hash.number(piece.born.unwrap_or(f64::INFINITY).to_bits());
            for x in piece.origin.to_array() {
                hash.number(x.to_bits());
            }
        }
        self.again.hash(hash);
        hash.floats(&[self.damping]);
        hash.floats(&self.particles.friction);
        for grip in &self.grips {
            hash.number(grip.id.0);
            hash.number(grip.members.len() as u64);
            // time tables do not change, but a spring is moved
            if let GripMotion::Spring { target, .. } = &grip.motion {
                hash.column(target);
            }
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.number(self.id.0);
        bytes.column(self.name.as_bytes());
        bytes.number(self.materials.len() as u64);
        self.materials.iter().for_each(|material| material.save(bytes));
        bytes.floats(&[self.damping, self.reached]);
        bytes.floats(&self.gravity.to_array());
        save_energy(&self.spent, bytes);
        bytes.column(&[self.layers.member, self.layers.meets]);
        bytes.number(self.shapes.len() as u64);
        for Shaped { shape, centre, .. } in &self.shapes {
            shape.save(bytes);
            bytes.floats(&centre.to_array());
        }
        self.again.save(bytes);

        let particles = &self.particles;
        let ids: Vec<u64> = particles.id.iter().map(|id| id.0).collect();
        bytes.column(&ids);
        bytes.number(self.shape_count as u64);
        bytes.number(self.seed);
        save_known(&self.known, bytes);
        bytes.column(&particles.number);
        bytes.column(&particles.shape);
        self.near.save(bytes);
        bytes.floats(&particles.rest);
        bytes.floats(&particles.mass);
        bytes.floats(&particles.inertia);
        bytes.floats(&particles.radii);
        bytes.floats(&particles.axes);
        bytes.floats(&particles.friction);
        bytes.floats(&particles.restitution);
        bytes.column(&particles.material);
        particle_state(particles, bytes);
        bytes.floats(&particles.remainder);

        bytes.column(self.model.solid().name().as_bytes());
        self.model.solid().save(bytes);

        bytes.number(self.pieces.len() as u64);
        for piece in &self.pieces {
            let flags = [piece.frozen, piece.touching, piece.touched_before].map(u64::from);
            let end = piece.span.end as u64;
            let asleep = piece.asleep.map_or(0, |id| id.0);
            bytes.column(&[piece.id.0, end, flags[0], flags[1], flags[2], asleep]);
            let [x, y, z] = piece.origin.to_array();
            let born = piece.born.unwrap_or(f64::INFINITY);
            save_f64s(&[x, y, z, piece.elastic, born], bytes);
            bytes.floats(&[piece.residual.relative, piece.quiet, piece.credit]);
        }
        bytes.number(self.grips.len() as u64);
        for grip in &self.grips {
            save_grip(grip, bytes);
        }
    }

    fn load(reader: &mut Reader<'_>, own_models: OwnModels<'_>) -> Result<Self, SnapshotError> {
        let id = BodyId(reader.number()?);
        let name = reader.text()?;
        let mut materials = Vec::new();
        for _ in 0..reader.number()? {
            materials.push(Material::load(reader)?);
        }
        let [damping, reached] = floats(reader)?;
        let gravity = Vec3::from(floats::<3>(reader)?);
        let spent = load_energy(reader)?;
        let layers: Vec<u32> = reader.column_of(2)?;
        let layers = Layers { member: layers[0], meets: layers[1] };
        let mut shapes = Vec::new();
        for _ in 0..reader.number()? {
            let shape = Shape::load(reader)?;
            shapes.push(Shaped::new(shape, Vec3::from(floats::<3>(reader)?)));
        }
        let again = Again::load(reader, shapes.len())?;
        let mut ids = load_ids(reader)?;
        let near = Near::load(reader)?;
        let (shape_count, seed) = (ids.shape_count, ids.seed);
        let known = std::mem::take(&mut ids.known);
        let mut particles = load_particles(reader, ids)?;
        let count = particles.len();
        let fits = |&shape: &u32| shape == NO_SHAPE || (shape as usize) < shapes.len();
        if !particles.shape.iter().all(fits) {
            return Err(reader.damaged("a particle whose shape is not there"));
        }

        let model_name = reader.text()?;
        let mut model = match model_name.as_str() {
            "oriented" => Model::Oriented(Box::new(Oriented::empty())),
            "corotated" => Model::Corotated(Box::new(Corotated::empty())),
            "brittle" => Model::Brittle(Box::new(Brittle::empty())),
            "meshless" => Model::Meshless(Box::new(Meshless::empty())),
            "sheet" => Model::Sheet(Box::new(Sheet::empty())),
            "rigid" => Model::Rigid(RigidSet::default()),
            own => match own_models(own) {
                Some(solid) => Model::Custom(solid),
                None => return Err(SnapshotError::UnknownModel { name, model: model_name }),
            },
        };
        let touched = |j: usize| particles.touched_shape(j).is_some();
        if matches!(model, Model::Rigid(_)) && !(0..count).all(touched) {
            return Err(reader.damaged("rigid solids without a shape"));
        }
        model.solid_mut().load(reader, &particles)?;
        let room = again.room(count);
        particles.reserve(room);
        model.solid_mut().make_room(room);

        let mut pieces = Vec::with_capacity(count);
        let mut start = 0;
        for _ in 0..reader.number()? {
            let numbers: Vec<u64> = reader.column_of(6)?;
            let end = usize::try_from(numbers[1]).unwrap_or(usize::MAX);
            if end <= start || end > count {
                return Err(reader.damaged("pieces that do not follow each other"));
            }
            let [x, y, z, elastic, born] = f64s(reader)?;
            let [relative, quiet, credit] = floats(reader)?;
            pieces.push(Piece {
                id: PieceId(numbers[0]),
                span: start..end,
                origin: DVec3::new(x, y, z),
                frozen: numbers[2] != 0,
                asleep: (numbers[5] != 0).then_some(PieceId(numbers[5])),
                quiet,
                together: false,
                touching: numbers[3] != 0,
                touched_before: numbers[4] != 0,
                unconverged: 0,
                elastic,
                born: born.is_finite().then_some(born),
                residual: Residual { relative, ..Residual::default() },
                passed_on: 1.0,
                strayed: DVec3::ZERO,
                shape: None,
                predicted: Motion::default(),
                credit,
                turning: None,
            });
            start = end;
        }
        if start != count {
            return Err(reader.damaged("pieces that leave particles out"));
        }
        let connected = super::pieces::components(model.solid());
        let is_whole = |piece: &Piece| {
            let labels = connected.get(piece.span.clone()).unwrap_or_default();
            !labels.is_empty() && labels.iter().all(|&first| first as usize == piece.span.start)
        };
        if connected.len() != count || !pieces.iter().all(is_whole) {
            return Err(reader.damaged("pieces that bonds contradict"));
        }
        let mut grips = Vec::new();
        for _ in 0..reader.number()? {
            grips.push(load_grip(reader, count)?);
        }
        Ok(Self {
            id,
            name,
            materials,
            damping,
            again,
            scratch: Scratch::new(&particles, room),
            changes: Changes::with_room(model.solid().bond_count(), count),
            near,
            shape_count,
            seed,
            known,
            shapes,
            layers,
            places: Places::new(&particles.id),
            particles,
            model,
            pieces,
            grips,
            pushes: Vec::new(),
            spent,
            cuts_seen: 0,
            gravity,
            reached,
        })
    }
}

/// Who the particles are, of how many fragments that a shape was spawned with.
struct Ids {
    id: Vec<ParticleId>,
    number: Vec<u32>,
    shape: Vec<u32>,
    shape_count: usize,
    seed: u64,
    known: PointValues,
}

fn save_known(known: &PointValues, bytes: &mut Vec<u8>) {
    bytes.floats(&known.curvature);
    bytes.number(known.attributes.len() as u64);
    for (name, values) in &known.attributes {
        bytes.column(name.as_bytes());
        bytes.floats(values);
    }
}

fn load_known(reader: &mut Reader<'_>, count: usize) -> Result<PointValues, SnapshotError> {
    let mut known = PointValues { curvature: reader.column()?, attributes: Vec::new() };
    for _ in 0..reader.number()? {
        known.attributes.push((reader.text()?, reader.column()?));
    }
    known.check(count).map_err(|_| reader.damaged("values of points that do not exist"))?;
    Ok(known)
}

fn load_ids(reader: &mut Reader<'_>) -> Result<Ids, SnapshotError> {
    let id: Vec<u64> = reader.column()?;
    let mut sorted = id.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(reader.damaged("a particle id that is used twice"));
    }
    let shape_count = u32::try_from(reader.number()?);
    let shape_count = shape_count.map_err(|_| reader.damaged("a shape of too many particles"))?;
    let seed = reader.number()?;
    let known = load_known(reader, shape_count as usize)?;
    let number: Vec<u32> = reader.column_of(id.len())?;
    if number.iter().any(|&number| number >= shape_count) {
        return Err(reader.damaged("a particle that is not of its body's shape"));
    }
    let shape = reader.column_of(id.len())?;
    let id = id.into_iter().map(ParticleId).collect();
    Ok(Ids { id, number, shape, shape_count: shape_count as usize, seed, known })
}

/// Constants and state; the columns of the substep are made anew.
fn load_particles(reader: &mut Reader<'_>, ids: Ids) -> Result<Particles, SnapshotError> {
    let Ids { id, number, shape, .. } = ids;
    let count = id.len();
    if count == 0 {
        return Err(reader.damaged("a body without particles"));
    }
    let rest: Vec<Vec3> = reader.column_of(count)?;
    let mass: Vec<f32> = reader.column_of(count)?;
    let inertia: Vec<crate::math::Sym3> = reader.column()?;
    let oriented = inertia.len();
    if oriented != 0 && oriented != count {
        return Err(reader.damaged("a column of wrong length"));
    }
    let radii = reader.column_of(count)?;
    let axes = reader.column_of(count)?;
    let friction = reader.column_of(count)?;
    let restitution = reader.column_of(count)?;
    let material = reader.column_of(count)?;
    let position: Vec<Vec3> = reader.column_of(count)?;
    let orientation: Vec<Rot> = reader.column_of(oriented)?;
    let velocity = reader.column_of(count)?;
    let spin = reader.column_of(oriented)?;
    let strength = reader.column_of(count)?;
    let [broken, shown] = [load_flags(reader, count)?, load_flags(reader, count)?];
    let remainder: Vec<Vec3> = reader.column()?;
    if !remainder.is_empty() && remainder.len() != count {
        return Err(reader.damaged("a column of wrong length"));
    }
    Ok(Particles {
        id,
        number,
        shape,
        broken,
        shown,
        inv_inertia: inertia.iter().map(|j| j.inverse().unwrap_or_default()).collect(),
        previous: position.clone(),
        inertial: position.clone(),
        previous_remainder: remainder.clone(),
        inertial_remainder: remainder.clone(),
        remainder,
        previous_orientation: orientation.clone(),
        inertial_orientation: orientation.clone(),
        acceleration: vec![Vec3::ZERO; count],
        spin_acceleration: vec![Vec3::ZERO; oriented],
        correction: vec![Vec3::ZERO; count],
        turn: vec![Vec3::ZERO; oriented],
        held: vec![false; count],
        rest,
        mass,
        inertia,
        radii,
        axes,
        friction,
        restitution,
        material,
        position,
        orientation,
        velocity,
        spin,
        strength,
    })
}

fn load_flags(reader: &mut Reader<'_>, count: usize) -> Result<Vec<bool>, SnapshotError> {
    let flags: Vec<u8> = reader.column_of(count)?;
    Ok(flags.into_iter().map(|flag| flag != 0).collect())
}

fn save_grip(grip: &Grip, bytes: &mut Vec<u8>) {
    bytes.number(grip.id.0);
    save_f64s(&[grip.release.unwrap_or(f64::INFINITY)], bytes);
    match &grip.motion {
        GripMotion::Hold => bytes.number(0),
        GripMotion::Move { pivot, axis, keys } => {
            bytes.number(1);
            save_f64s(pivot, bytes);
            bytes.floats(axis);
            save_move_keys(keys, bytes);
        }
        GripMotion::Pull { keys } => {
            bytes.number(2);
            bytes.number(keys.len() as u64);
            for PullKey { time, force, torque } in keys {
                save_f64s(&[*time], bytes);
                bytes.floats(&[*force, *torque]);
            }
        }
        GripMotion::Spring { target, stiffness, damping } => {
            bytes.number(3);
            save_f64s(target, bytes);
            bytes.floats(&[*stiffness, *damping]);
        }
    }
    bytes.number(grip.members.len() as u64);
    for member in &grip.members {
        bytes.number(member.id.0);
        bytes.number(member.particle.into());
        save_f64s(&member.position.to_array(), bytes);
        bytes.floats(&[member.orientation]);
    }
}

fn load_grip(reader: &mut Reader<'_>, particles: usize) -> Result<Grip, SnapshotError> {
    let id = GripId(reader.number()?);
    let [release] = f64s(reader)?;
    let motion = match reader.number()? {
        0 => GripMotion::Hold,
        1 => {
            let (pivot, axis) = (f64s(reader)?, floats(reader)?);
            GripMotion::Move { pivot, axis, keys: load_move_keys(reader)? }
        }
        2 => {
            let mut keys = Vec::new();
            for _ in 0..reader.number()? {
                let [time] = f64s(reader)?;
                let both: Vec<[f32; 3]> = reader.column_of(2)?;
                keys.push(PullKey { time, force: both[0], torque: both[1] });
            }
            GripMotion::Pull { keys }
        }
        3 => {
            let (target, [stiffness, damping]) = (f64s(reader)?, floats(reader)?);
            GripMotion::Spring { target, stiffness, damping }
        }
        _ => return Err(reader.damaged("an unknown kind of grip")),
    };
    super::grip::check_motion(&motion).map_err(|_| reader.damaged("a grip out of range"))?;
    let mut members = Vec::new();
    for _ in 0..reader.number()? {
        let id = ParticleId(reader.number()?);
        let particle = reader.number()?;
        if particle >= particles as u64 {
            return Err(reader.damaged("a grip on a particle that does not exist"));
        }
        let position = DVec3::from(f64s::<3>(reader)?);
        let orientation: Vec<Rot> = reader.column_of(1)?;
        members.push(Member {
            id,
            particle: particle as u32,
            position,
            orientation: orientation[0],
        });
    }
    if members.is_empty() {
        return Err(reader.damaged("a grip that holds nothing"));
    }
    let release = release.is_finite().then_some(release);
    Ok(Grip { id, members, motion, release, reaction: Reaction::default() })
}

fn save_move_keys(keys: &[MoveKey], bytes: &mut Vec<u8>) {
    bytes.number(keys.len() as u64);
    for MoveKey { time, offset, angle } in keys {
        save_f64s(&[*time], bytes);
        bytes.floats(&[offset[0], offset[1], offset[2], *angle]);
    }
}

fn load_move_keys(reader: &mut Reader<'_>) -> Result<Vec<MoveKey>, SnapshotError> {
    let mut keys = Vec::new();
    for _ in 0..reader.number()? {
        let [time] = f64s(reader)?;
        let [x, y, z, angle] = floats(reader)?;
        keys.push(MoveKey { time, offset: [x, y, z], angle });
    }
    Ok(keys)
}

fn save_energy(energy: &Energy, bytes: &mut Vec<u8>) {
    let e = energy;
    let spent = [
        e.plastic_work,
        e.fracture_work,
        e.friction,
        e.damping,
        e.contact_loss,
        e.solver_loss,
        e.external_work,
    ];
    save_f64s(&spent, bytes);
}

fn load_energy(reader: &mut Reader<'_>) -> Result<Energy, SnapshotError> {
    let [plastic_work, fracture_work, friction, damping, contact_loss, solver_loss, external_work] =
        f64s(reader)?;
    Ok(Energy {
        plastic_work,
        fracture_work,
        friction,
        damping,
        contact_loss,
        solver_loss,
        external_work,
        ..Energy::default()
    })
}

fn save_f64s(values: &[f64], bytes: &mut Vec<u8>) {
    bytes.column(values);
}

fn f64s<const N: usize>(reader: &mut Reader<'_>) -> Result<[f64; N], SnapshotError> {
    let values: Vec<f64> = reader.column_of(N)?;
    values.try_into().map_err(|_| reader.damaged("a column of wrong length"))
}

pub(super) fn floats<const N: usize>(reader: &mut Reader<'_>) -> Result<[f32; N], SnapshotError> {
    let values: Vec<f32> = reader.column_of(N)?;
    values.try_into().map_err(|_| reader.damaged("a column of wrong length"))
}
