//! Commands: checked when given, done at the start of the next step.

use super::World;
use super::attach::Attachment;
use super::blade::{Blade, Stroke};
use super::blast::Blast;
use super::body::{Body, Piece, Push, Scratch};
use super::desc::{BodyDesc, GripDesc, GripMotion, Region, RigidPart, ShapeDesc};
use super::divide::Again;
use super::error::{CommandError, require};
use super::event::Event;
use super::field::{Field, FieldDesc};
use super::finding::Shaped;
use super::grip::{self, Grip, Member};
use super::hulls;
use super::ids::{AttachmentId, BladeId, BodyId, FieldId, GripId, ObstacleId, ParticleId, PieceId};
use super::obstacle::{Obstacle, Place};
use super::pieces::{Places, Walks};
use super::report::Energy;
use super::touching::BREAKING;
use super::zone::Zone;
use crate::contact::near::Near;
use crate::contact::surface::Surface;
use crate::geometry::Pattern;
use crate::material::{Material, MaterialField, PointValues};
use crate::math::Rot;
use crate::solids::brittle::Brittle;
use crate::solids::corotated::Corotated;
use crate::solids::fem::tets::TetBuildError;
use crate::solids::meshless::{Meshless, Refused};
use crate::solids::oriented::{BuildError, Oriented};
use crate::solids::particles::is_isotropic;
use crate::solids::sheet::{Sheet, SheetBuildError};
use crate::solids::{Model, Motion, NewParticle, Particles, Residual, RigidSet, Step};
use crate::solve;
use glam::{DVec3, Vec3};

/// A change of the world that waits for the next step.
#[derive(Debug)]
#[non_exhaustive]
pub enum Command {
    /// A checked body begins.
    Spawn(Box<Body>),
    /// A body ends.
    Remove(BodyId),
    /// A grip takes hold.
    Grip(GripId, GripDesc),
    /// A grip lets go.
    Release(GripId),
    /// A spring pulls towards another place.
    MoveGrip(GripId, [f64; 3]),
    /// Two bodies are joined.
    Attach(Box<Attachment>),
    /// They are no longer.
    Detach(AttachmentId),
    /// A force and torque on a particle, for one step.
    Push(BodyId, ParticleId, [f32; 3], [f32; 3]),
    /// A value of all of a body's materials.
    SetMaterial(BodyId, MaterialField, f32),
    /// A bond is cut.
    Cut(BodyId, ParticleId, ParticleId),
    /// The fragments around a point break in a pattern.
    Shatter(BodyId, [f64; 3], [f32; 3], Pattern),
    /// A checked obstacle begins.
    AddObstacle(Box<Obstacle>),
    /// An obstacle ends.
    RemoveObstacle(ObstacleId),
    /// An obstacle is to be there at the end of the step.
    MoveObstacle(ObstacleId, [f64; 3], Rot),
    /// An impulse at a point.
    Impulse(BodyId, [f64; 3], [f32; 3]),
    /// An explosion.
    Explode(Blast),
    /// Particles of a part of space are weakened.
    Damage(Zone, f32),
    /// A field begins to act.
    AddField(FieldId, FieldDesc),
    /// A field ends.
    RemoveField(FieldId),
    /// A piece ends.
    RemovePiece(BodyId, PieceId),
    /// A blade cuts once.
    Slice(Stroke),
    /// A checked blade begins.
    AddBlade(Box<Blade>),
    /// A blade ends.
    RemoveBlade(BladeId),
}

impl World {
    /// Adds a body. It stands from the next step on; its handle is valid at once.
    ///
    /// # Errors
    /// [`CommandError`] says what is wrong with the description.
    pub fn spawn(&mut self, desc: BodyDesc) -> Result<BodyId, CommandError> {
        let body = self.build(desc)?;
        let id = body.id;
        self.queue.push(Command::Spawn(Box::new(body)));
        Ok(id)
    }

    /// Takes a body, its grips and its attachments away.
    ///
    /// # Errors
    /// [`CommandError::NoBody`].
    pub fn remove(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.find(body)?;
        self.queue.push(Command::Remove(body));
        Ok(())
    }

    /// Takes hold of particles of a body.
    ///
    /// # Errors
    /// [`CommandError`] if the body or a particle does not exist, the region is empty, or the
    /// motion has numbers that no grip can follow.
    pub fn grip(&mut self, desc: GripDesc) -> Result<GripId, CommandError> {
        grip::check_motion(&desc.motion)?;
        if let Some(release) = desc.release {
            require(release >= 0.0, "release", "0 or above", release as f32)?;
        }
        let body = self.find(desc.body)?;
        let particles = match &desc.region {
            Region::Particles(list) => {
                for &particle in list {
                    index_of(body, particle)?;
                }
                list.clone()
            }
            Region::Box { min, max } => {
                let inside = |x: &Vec3| (0..3).all(|k| x[k] >= min[k] && x[k] <= max[k]);
                let all = body.particles.rest.iter().zip(&body.particles.id);
                all.filter(|(x, _)| inside(x)).map(|(_, &id)| id).collect()
            }
        };
        if particles.is_empty() {
            return Err(CommandError::EmptyGrip(desc.body));
        }
        let id = GripId(self.next_grip);
        self.next_grip += 1;
        let region = Region::Particles(particles);
        self.queue.push(Command::Grip(id, GripDesc { region, ..desc }));
        Ok(id)
    }

    /// Lets go.
    ///
    /// # Errors
    /// [`CommandError::NoGrip`].
    pub fn release(&mut self, grip: GripId) -> Result<(), CommandError> {
        let queued = |c: &Command| matches!(c, Command::Grip(id, _) if *id == grip);
        let stands = self.bodies.iter().flat_map(|body| &body.grips).any(|g| g.id == grip);
        if !stands && !self.queue.iter().any(queued) {
            return Err(CommandError::NoGrip(grip));
        }
        self.queue.push(Command::Release(grip));
        Ok(())
    }

    /// Has a spring pull towards another place, in m, from the next step on.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such grip, it is not a [`GripMotion::Spring`], or a number is not
    /// finite.
    pub fn move_grip(&mut self, grip: GripId, target: [f64; 3]) -> Result<(), CommandError> {
        grip::check_target(&target)?;
        let standing = self.bodies.iter().flat_map(|body| &body.grips);
        let standing = standing.filter(|g| g.id == grip).map(|g| &g.motion);
        let queued = self.queue.iter().filter_map(|command| match command {
            Command::Grip(id, desc) if *id == grip => Some(&desc.motion),
            _ => None,
        });
        match standing.chain(queued).next() {
            None => return Err(CommandError::NoGrip(grip)),
            Some(GripMotion::Spring { .. }) => {}
            Some(_) => return Err(CommandError::NotASpring(grip)),
        }
        self.queue.push(Command::MoveGrip(grip, target));
        Ok(())
    }

    /// Pushes a particle with a force, in N, and a torque, in N m, during the next step.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such particle or a number is not finite.
    pub fn push(
        &mut self,
        body: BodyId,
        particle: ParticleId,
        force: [f32; 3],
        torque: [f32; 3],
    ) -> Result<(), CommandError> {
        for (field, values) in [("force", force), ("torque", torque)] {
            for value in values {
                require(value.is_finite(), field, "finite", value)?;
            }
        }
        index_of(self.find(body)?, particle)?;
        self.queue.push(Command::Push(body, particle, force, torque));
        Ok(())
    }

    /// Changes a value of all of a body's materials, constant in space from then on.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such body, the value is out of range, or it enters the rest
    /// shape and the body must be spawned anew.
    pub fn set_material(
        &mut self,
        body: BodyId,
        field: MaterialField,
        value: f32,
    ) -> Result<(), CommandError> {
        self.set_material_values(body, &[(field, value)])
    }

    /// Changes several values of all of a body's materials, or none: in this order, each allowed beside those
    /// before it.
    ///
    /// # Errors
    /// As [`set_material`](Self::set_material).
    pub fn set_material_values(
        &mut self,
        body: BodyId,
        values: &[(MaterialField, f32)],
    ) -> Result<(), CommandError> {
        for material in &self.find(body)?.materials {
            let with = |material: Material, &(field, value): &_| material.with(field, value);
            values.iter().try_fold(material.clone(), with)?;
        }
        if values.iter().any(|(field, _)| *field == MaterialField::Density) {
            let field = MaterialField::Density.name();
            return Err(CommandError::NeedsReload { field, body });
        }
        let change = |&(field, value): &_| Command::SetMaterial(body, field, value);
        self.queue.extend(values.iter().map(change));
        Ok(())
    }

    /// Cuts the bond between two particles.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such bond.
    pub fn cut(&mut self, body: BodyId, a: ParticleId, b: ParticleId) -> Result<(), CommandError> {
        let found = self.find(body)?;
        let (i, j) = (index_of(found, a)?, index_of(found, b)?);
        if !found.model.solid().bonded(i, j) {
            return Err(CommandError::NoBond(a, b));
        }
        self.queue.push(Command::Cut(body, a, b));
        Ok(())
    }

    pub(super) fn find(&self, id: BodyId) -> Result<&Body, CommandError> {
        self.body(id).ok_or(CommandError::NoBody(id))
    }

    /// A body from its description, with fresh ids.
    fn build(&mut self, desc: BodyDesc) -> Result<Body, CommandError> {
        let BodyDesc { name, shape, materials, position, rotation, velocity, spin, seed, .. } =
            desc;
        let (layers, pattern) = (desc.layers, desc.pattern);
        let mut shapes = Vec::new();
        for x in position {
            require(x.is_finite(), "position", "finite", x as f32)?;
        }
        let q = [rotation.x, rotation.y, rotation.z, rotation.w];
        let numbers = [("rotation", &q[..]), ("velocity", &velocity), ("spin", &spin)];
        for (field, values) in numbers {
            for &value in values {
                require(value.is_finite(), field, "finite", value)?;
            }
        }
        let (mut particles, mut model, values) = match shape {
            ShapeDesc::Oriented(shape) => match Oriented::build(&shape, &materials, seed) {
                Ok((mut particles, solid)) => {
                    match hulls::of_fragments(&shape, &mut particles) {
                        Ok(found) => shapes = found,
                        Err(what) => return Err(CommandError::BadShape { name, what }),
                    }
                    (particles, Model::Oriented(Box::new(solid)), shape.values)
                }
                Err(BuildError::Shape(what)) => return Err(CommandError::BadShape { name, what }),
                Err(BuildError::Material(error)) => return Err(error.into()),
            },
            ShapeDesc::Tets { shape, options } => {
                let built = Corotated::build(&shape, options, &materials, seed);
                let (particles, solid, values) = of_tets(built, &name)?;
                (particles, Model::Corotated(Box::new(solid)), values)
            }
            ShapeDesc::Brittle { shape, options } => {
                let built = Brittle::build(&shape, options, &materials, seed);
                let (particles, solid, values) = of_tets(built, &name)?;
                (particles, Model::Brittle(Box::new(solid)), values)
            }
            ShapeDesc::Meshless(shape) => match Meshless::build(&shape, &materials, seed) {
                Ok((particles, solid)) => {
                    (particles, Model::Meshless(Box::new(solid)), shape.values)
                }
                Err(Refused::Shape(what)) => return Err(CommandError::BadShape { name, what }),
                Err(Refused::Material(error)) => return Err(error.into()),
            },
            ShapeDesc::Sheet(shape) => match Sheet::build(&shape, &materials, seed) {
                Ok((particles, solid, values)) => {
                    (particles, Model::Sheet(Box::new(solid)), values)
                }
                Err(SheetBuildError::Shape(error)) => {
                    return Err(CommandError::BadShape { name, what: error.to_string() });
                }
                Err(SheetBuildError::Material(error)) => return Err(error.into()),
            },
            ShapeDesc::Rigid(parts) => {
                let particles;
                (particles, shapes) = build_rigid(&name, parts, &materials, seed)?;
                let set = RigidSet::new(particles.len());
                (particles, Model::Rigid(set), PointValues::default())
            }
            ShapeDesc::Custom { particles, solid } => {
                if let Err(what) = check_custom(&particles, solid.particle_count()) {
                    return Err(CommandError::BadShape { name, what });
                }
                (*particles, Model::Custom(solid), PointValues::default())
            }
        };
        if particles.is_empty() {
            let what = "it has no particles".into();
            return Err(CommandError::BadShape { name, what });
        }
        let damping = damping_rate(&particles, &materials, &values, seed)?;
        for id in &mut particles.id {
            *id = ParticleId(self.next_particle);
            self.next_particle += 1;
        }
        self.next_particle += model.solid_mut().reserve_ids(self.next_particle);

        let all = 0..particles.len();
        let rotation = rotation.normalized();
        model.solid_mut().turn(all.clone(), rotation);
        let centre = Motion::of(&particles, &particles.rest, all.clone(), &self.workers).centre;
        let turned = rotation.to_mat3().as_dmat3();
        let origin = DVec3::from(position) + turned * centre;
        for j in all.clone() {
            particles.set_place(j, turned * (particles.rest[j].as_dvec3() - centre));
            particles.remember_place(j);
            let r = particles.position[j];
            particles.velocity[j] = Vec3::from(velocity) + Vec3::from(spin).cross(r);
            if particles.oriented() {
                particles.orientation[j] = rotation;
                particles.previous_orientation[j] = rotation;
                particles.spin[j] = spin.into();
            }
        }
        let id = BodyId(self.next_body);
        self.next_body += 1;
        let piece = Piece {
            id: PieceId(self.next_piece),
            span: all.clone(),
            origin,
            frozen: false,
            asleep: None,
            quiet: 0.0,
            together: false,
            touching: false,
            touched_before: false,
            unconverged: 0,
            elastic: 0.0,
            residual: Residual::default(),
            passed_on: 1.0,
            strayed: DVec3::ZERO,
            born: None,
            shape: None,
            predicted: Motion::default(),
            credit: 0.0,
            turning: None,
        };
        self.next_piece += 1;
        let again = Again::new(model.solid(), shapes.len(), pattern);
        let room = again.room(all.len());
        particles.reserve(room);
        model.solid_mut().make_room(room);
        let mut body = Body {
            id,
            name,
            materials,
            damping,
            again,
            scratch: Scratch::new(&particles, room),
            changes: super::Changes::with_room(model.solid().bond_count(), all.len()),
            shapes,
            layers,
            near: Near::default(),
            shape_count: all.len(),
            seed,
            known: values,
            places: Places::new(&particles.id),
            particles,
            model,
            pieces: Vec::with_capacity(room),
            grips: Vec::new(),
            pushes: Vec::new(),
            spent: Energy::default(),
            cuts_seen: 0,
            gravity: self.gravity_now,
            reached: 1.0,
        };
        body.pieces.push(piece);
        // a shape of several parts is several pieces from the start
        super::pieces::split_built(&mut body, &mut self.next_piece);
        Ok(body)
    }

    /// Does what is queued now instead of at the next step.
    pub fn apply_commands(&mut self) {
        self.clear_changes();
        self.commands_done = true;
        self.apply_queue();
    }

    /// Forgets the changes of the last step, once.
    pub(super) fn clear_changes(&mut self) {
        if self.commands_done {
            return;
        }
        for body in &mut self.bodies {
            body.changes.clear();
            body.cuts_seen = 0;
        }
    }

    pub(super) fn apply_queue(&mut self) {
        let mut queue = std::mem::take(&mut self.queue);
        let takes_room = |c: &Command| matches!(c, Command::Spawn(_) | Command::AddObstacle(_));
        let grown = queue.iter().any(takes_room);
        for command in queue.drain(..) {
            self.apply(command);
        }
        self.queue = queue; // keeps its room
        if grown {
            self.touching.reserve(&self.bodies, self.obstacles.len());
            self.half_spaces.reserve(self.obstacles.len());
        }
    }

    /// Does one command. What it names may have ended meanwhile; then it does nothing.
    fn apply(&mut self, command: Command) {
        match &command {
            Command::Grip(_, GripDesc { body: id, .. })
            | Command::Push(id, ..)
            | Command::SetMaterial(id, ..)
            | Command::Cut(id, ..)
            | Command::Shatter(id, ..)
            | Command::Impulse(id, ..) => self.wake_body(*id),
            Command::Explode(_)
            | Command::Attach(_)
            | Command::Detach(_)
            | Command::AddField(..)
            | Command::RemoveField(_)
            | Command::RemovePiece(..)
            | Command::Remove(_)
            | Command::AddObstacle(_)
            | Command::RemoveObstacle(_) => {
                self.wake_all();
            }
            // what these concern is awake, or woken by touch
            Command::Spawn(_)
            | Command::Release(_)
            | Command::MoveGrip(..)
            | Command::MoveObstacle(..)
            | Command::Slice(_)
            | Command::AddBlade(_)
            | Command::RemoveBlade(_)
            | Command::Damage(..) => {}
        }
        match command {
            Command::Spawn(mut body) => {
                body.gravity = self.gravity_now;
                if body.bond_count() > 0 {
                    let around = |j| body.around_at_rest(j);
                    body.near = Near::new(&body.particles, &around, &self.workers);
                }
                self.reserve_events(&body);
                self.bodies.push(*body);
            }
            Command::Remove(id) => {
                self.blades.retain(|blade| blade.body() != Some(id));
                if let Some(k) = self.bodies.iter().position(|body| body.id == id) {
                    let body = self.bodies.remove(k);
                    self.spent.add_spent(&body.spent);
                    self.attachments.forget(id);
                }
            }
            Command::Grip(id, desc) => {
                if let Some(body) = self.bodies.iter_mut().find(|body| body.id == desc.body) {
                    take_hold(body, id, desc);
                }
            }
            Command::Release(id) => {
                for body in &mut self.bodies {
                    body.grips.retain(|grip| grip.id != id);
                }
            }
            Command::MoveGrip(id, place) => {
                let mut grips = self.bodies.iter_mut().flat_map(|body| &mut body.grips);
                if let Some(grip) = grips.find(|grip| grip.id == id)
                    && let GripMotion::Spring { target, .. } = &mut grip.motion
                {
                    *target = place;
                }
            }
            Command::Attach(attachment) => self.apply_attachment(*attachment),
            Command::Detach(id) => self.attachments.detach(id),
            Command::Push(id, particle, force, torque) => {
                let Some(body) = self.bodies.iter_mut().find(|body| body.id == id) else { return };
                if let Ok(index) = index_of(body, particle) {
                    let (force, torque) = (force.into(), torque.into());
                    body.pushes.push(Push { particle: index as u32, force, torque });
                }
            }
            Command::SetMaterial(id, field, value) => {
                let step = self.audit_step();
                if let Some(body) = self.bodies.iter_mut().find(|body| body.id == id) {
                    let before = body.stored(&step, self.config.books);
                    body.set_material(field, value);
                    body.spent.external_work += body.stored(&step, self.config.books) - before;
                }
            }
            Command::Cut(id, a, b) => self.apply_cut(id, a, b),
            Command::Shatter(id, point, direction, pattern) => {
                self.apply_shatter(id, point.into(), direction.into(), &pattern);
            }
            Command::AddObstacle(obstacle) => self.obstacles.push(*obstacle),
            Command::RemoveObstacle(id) => self.obstacles.retain(|obstacle| obstacle.id != id),
            Command::MoveObstacle(id, position, rotation) => {
                let wanted = Place { position: position.into(), rotation };
                if let Some(obstacle) = self.obstacles.iter_mut().find(|o| o.id == id) {
                    obstacle.wanted = Some(wanted);
                }
            }
            Command::Impulse(id, point, impulse) => self.apply_impulse(id, point, impulse),
            Command::Explode(blast) => self.apply_blast(blast),
            Command::Damage(zone, factor) => self.apply_damage(zone, factor),
            Command::AddField(id, desc) => self.fields.push(Field { id, desc }),
            Command::RemoveField(id) => self.fields.retain(|field| field.id != id),
            Command::RemovePiece(id, piece) => self.apply_remove_piece(id, piece),
            Command::Slice(stroke) => self.apply_slice(stroke),
            Command::AddBlade(blade) => self.blades.push(*blade),
            Command::RemoveBlade(id) => self.blades.retain(|blade| blade.id != id),
        }
    }

    fn apply_cut(&mut self, id: BodyId, a: ParticleId, b: ParticleId) {
        let step = self.audit_step();
        let Some(body) = self.bodies.iter_mut().find(|body| body.id == id) else { return };
        let (Ok(i), Ok(j)) = (index_of(body, a), index_of(body, b)) else { return };
        if !body.model.solid().bonded(i, j) {
            return;
        }
        let before = body.stored(&step, self.config.books);
        let (seen, piece) = (body.changes.opened.len(), body.piece_of(i as u32) as usize);
        body.model.solid_mut().cut(&mut body.particles, i, j, &mut body.changes);
        let opened = &mut body.changes.opened[seen..];
        super::step::place_cracks(opened, &body.pieces[piece]);
        self.events.extend(opened.iter().map(|opened| Event::crack(id, opened)));
        super::pieces::split(body, Some(self.time), &mut self.next_piece, &mut self.events);
        body.spent.fracture_work += before - body.stored(&step, self.config.books);
    }

    /// A step to audit with between steps.
    pub(super) fn audit_step(&self) -> Step {
        let h = if self.last_h > 0.0 { self.last_h } else { 1.0 / 240.0 };
        Step { h, sweeps: self.config.sweeps, workers: self.workers.clone() }
    }

    /// Room for every crack, split and contact of a step, so that it takes no memory for them.
    pub(super) fn reserve_events(&mut self, new: &Body) {
        // every bond cut, every particle split off, removed, and touched anew in every substep
        let times = 2 + self.config.substeps as usize;
        let most = |body: &Body| body.bond_count() + times * body.particles.len();
        let all = self.bodies.iter().map(most).sum::<usize>() + most(new);
        self.events.reserve(all);
        self.reserve_debris(new.particle_count());
    }
}

impl Body {
    /// Ψ of all pieces, in J, remembered as the energy their next substep starts from; 0 without
    /// books.
    pub(super) fn stored(&mut self, step: &Step, books: bool) -> f64 {
        if !books {
            return 0.0;
        }
        let mut sum = 0.0;
        for index in 0..self.pieces.len() {
            let elastic = self.audit(index, step);
            self.pieces[index].elastic = elastic;
            sum += elastic;
        }
        sum
    }

    /// Takes over a value that was checked.
    fn set_material(&mut self, field: MaterialField, value: f32) {
        // another command of the same step may have made it impossible since it was checked
        let changed: Result<Vec<_>, _> =
            self.materials.iter().map(|material| material.with(field, value)).collect();
        let Ok(changed) = changed else { return };
        self.materials = changed;
        match field {
            MaterialField::DampingTime => self.damping = 2.0 / value,
            MaterialField::Friction => {
                self.particles.friction.iter_mut().for_each(|f| f[0] = value)
            }
            MaterialField::FrictionStatic => {
                self.particles.friction.iter_mut().for_each(|f| f[1] = value);
            }
            MaterialField::Restitution => self.particles.restitution.fill(value),
            _ => {
                let _needs_reload_was_checked = self.model.solid_mut().set_material(field, value);
            }
        }
    }
}

impl Scratch {
    /// With room for so many particles.
    pub(super) fn new(particles: &Particles, count: usize) -> Self {
        let mut permuted = particles.clone();
        permuted.reserve(count);
        Self {
            number: 0,
            cluster: 0,
            force: solve::Dofs::new(count),
            held: Vec::with_capacity(count),
            pulled: Vec::new(),
            found: Vec::with_capacity(count),
            // twice the contacts that the world has room for, and more where fragments break
            impulses: Vec::with_capacity(8 * count + 16 * count.min(BREAKING)),
            touches_own: Vec::new(),
            surface: Surface::default(),
            permuted,
            order: Vec::with_capacity(count),
            place: Vec::with_capacity(count),
            walks: Walks::with_room(count),
            torn: Vec::with_capacity(count),
            label: vec![0; count],
            ends: vec![0; count],
            parts: Vec::with_capacity(count),
        }
    }

    /// For so many particles at least: what was loaded may grow beyond the room that was taken.
    pub(super) fn grow(&mut self, count: usize) {
        if self.label.len() < count {
            self.force = solve::Dofs::new(count);
            self.label.resize(count, 0);
            self.ends.resize(count, 0);
        }
    }
}

/// What tetrahedra became, or why they did not.
fn of_tets<T>(built: Result<T, TetBuildError>, name: &str) -> Result<T, CommandError> {
    built.map_err(|error| match error {
        TetBuildError::Shape(error) => CommandError::Tets { name: name.to_owned(), error },
        TetBuildError::Material(error) => error.into(),
    })
}

/// A particle for every rigid solid, and what others touch of it.
fn build_rigid(
    name: &str,
    parts: Vec<RigidPart>,
    materials: &[Material],
    seed: u64,
) -> Result<(Particles, Vec<Shaped>), CommandError> {
    let refused = |k: usize, what: String| CommandError::BadShape {
        name: name.to_owned(),
        what: format!("part {k} {what}"),
    };
    let mut samples = Vec::with_capacity(parts.len());
    let places = parts.iter().map(|part| part.position);
    PointValues::default().sample_each(places, seed, |k, at| {
        let Rot { x, y, z, w } = parts[k].rotation;
        if parts[k].position.iter().chain(&[x, y, z, w]).any(|x| !x.is_finite()) {
            return Err(refused(k, "is at a place that is not finite".into()));
        }
        let (index, count) = (parts[k].material, materials.len());
        let Some(material) = materials.get(index as usize) else {
            return Err(refused(k, format!("is of material {index}, but there are {count}")));
        };
        samples.push(material.sample(at)?);
        Ok(())
    })?;
    let mut particles = Particles::default();
    let mut shapes = Vec::with_capacity(parts.len());
    for (k, (part, sample)) in parts.into_iter().zip(samples).enumerate() {
        let RigidPart { shape, position, rotation, material } = part;
        let Some(mass) = shape.mass_properties(sample.density) else {
            let kind = shape.kind();
            return Err(refused(k, format!("is a {kind}, which has no mass: make it an obstacle")));
        };
        let axes = rotation.normalized();
        // what is the same about all axes stays so to the last bit
        let even = is_isotropic(&mass.inertia);
        let inertia = if even { mass.inertia } else { mass.inertia.conjugate(axes) };
        let usable = mass.mass > 0.0 && mass.mass.is_finite() && inertia.inverse().is_some();
        if !usable {
            return Err(refused(k, format!("has a mass of {} kg", mass.mass)));
        }
        let around = shape.aabb(&crate::contact::shape::Pose::IDENTITY);
        particles.push(NewParticle {
            rest: Vec3::from(position) + axes * mass.centre,
            mass: mass.mass,
            inertia: Some(inertia),
            radii: (0.5 * (around.max - around.min)).to_array(),
            axes,
            friction: [sample.friction, sample.friction_static],
            restitution: sample.restitution,
            material,
        });
        particles.shape[k] = k as u32;
        shapes.push(Shaped::new(shape, mass.centre));
    }
    // they have no bonds, and nothing else to be touched by
    particles.broken.fill(true);
    particles.shown.fill(true);
    Ok((particles, shapes))
}

/// Refuses particles of a user's own model that no solver could move.
fn check_custom(particles: &Particles, solid_count: usize) -> Result<(), String> {
    let count = particles.len();
    if solid_count != count {
        return Err(format!("its model has {solid_count} particles, but {count} were given"));
    }
    for j in 0..count {
        let mass = particles.mass[j];
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(format!("particle {j} has mass {mass}, which must be above 0"));
        }
        if !particles.rest[j].is_finite() {
            return Err(format!("the rest position of particle {j} is not finite"));
        }
        if !particles.radii[j].iter().all(|&r| r >= 0.0 && r.is_finite()) {
            return Err(format!("particle {j} has radii {:?}, below 0", particles.radii[j]));
        }
    }
    Ok(())
}

/// The body of this id among those that stand.
pub(super) fn find_mut(bodies: &mut [Body], id: BodyId) -> Option<&mut Body> {
    bodies.iter_mut().find(|body| body.id == id)
}

/// Index of a particle of a body.
fn index_of(body: &Body, particle: ParticleId) -> Result<usize, CommandError> {
    body.places.of(particle).ok_or(CommandError::NoParticle { body: body.id, particle })
}

/// A grip closes on its particles where they are now.
fn take_hold(body: &mut Body, id: GripId, desc: GripDesc) {
    let Region::Particles(list) = desc.region else { return };
    let mut members = Vec::with_capacity(list.len());
    for particle in list {
        let Ok(j) = index_of(body, particle) else { continue };
        let piece = body.pieces.partition_point(|piece| piece.span.end <= j);
        members.push(Member {
            id: particle,
            particle: j as u32,
            position: body.pieces[piece].origin + body.particles.position[j].as_dvec3(),
            orientation: body.particles.orientation.get(j).copied().unwrap_or_default(),
        });
    }
    let (motion, release) = (desc.motion, desc.release);
    body.grips.push(Grip { id, members, motion, release, reaction: super::Reaction::default() });
}

/// Mean damping rate of a body by mass, 1/s.
fn damping_rate(
    particles: &Particles,
    materials: &[Material],
    values: &PointValues,
    seed: u64,
) -> Result<f32, CommandError> {
    let (mut mass, mut rate) = (0.0, 0.0);
    let positions = particles.rest.iter().map(|rest| rest.to_array());
    values.sample_each(positions, seed, |j, at| {
        let Some(material) = materials.get(particles.material[j] as usize) else { return Ok(()) };
        mass += f64::from(particles.mass[j]);
        rate += f64::from(particles.mass[j]) * f64::from(material.sample(at)?.damping_rate());
        Ok::<_, CommandError>(())
    })?;
    Ok(if mass > 0.0 { (rate / mass) as f32 } else { 0.0 })
}
