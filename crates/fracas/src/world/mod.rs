//! The world: everything that exists, and the step that moves it.

mod attach;
mod blade;
mod blast;
mod body;
mod bounce;
mod casts;
mod changes;
mod command;
mod config;
mod contacts;
mod debris;
mod desc;
mod divide;
mod error;
mod event;
mod field;
mod finding;
mod grip;
mod hulls;
mod ids;
mod impulse;
mod obstacle;
mod pace;
mod pieces;
mod query;
mod report;
mod sleep;
mod snapshot;
mod step;
#[cfg(test)]
mod tests;
mod touching;
mod views;
mod zone;

pub use attach::{AttachDesc, AttachKind, AttachRegion, Attachment};
pub use blade::{BladeDesc, BladeKey, Stroke};
pub use blast::Blast;
pub use body::{Body, Piece};
pub use casts::Casts;
pub use changes::{Changes, Opened};
pub use command::Command;
pub use config::WorldConfig;
pub use contacts::ContactPoint;
pub use debris::DebrisRule;
pub use desc::{
    BodyDesc, GripDesc, GripMotion, HalfSpaceDesc, Layers, MoveKey, ObstacleDesc, ObstacleMotion,
    PullKey, Region, RigidPart, ShapeDesc,
};
pub use error::CommandError;
pub use event::Event;
pub use field::{FieldDesc, FieldKind};
pub use ids::{AttachmentId, BladeId, BodyId, FieldId, GripId, ObstacleId, ParticleId, PieceId};
pub use obstacle::Obstacle;
pub use pace::{Pace, Paced};
pub use query::{Hit, HitTarget, RayDesc, WorldPose};
pub use report::{Energy, StageTimes, StepReport};
pub use snapshot::OwnModels;
pub use zone::Zone;

use crate::contact::{HalfSpace, Other};
use crate::parallel::Workers;
use crate::solids::{Motion, Step};
use crate::state::{Sink, StateHash};
use attach::Attachments;
use blade::Blade;
use debris::Debris;
use field::Field;
use glam::{DVec3, Vec3};
use touching::Touching;

/// Force and torque that a grip exerts on its body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Total force on the body, in N.
    pub force: [f64; 3],
    /// Total torque about the grip's pivot (of a hold: where the held particles' centre was; of a
    /// spring: its target), in N m.
    pub torque: [f64; 3],
}

/// Everything that exists.
///
/// Whatever changes it (spawn, remove, grip, attach, push, impulse, field, material, cut, slice) is checked at once, queued as a
/// [`Command`], and done at the start of the next step.
///
/// Two worlds with the same commands at the same steps have the same bits, for any number of
/// threads.
#[derive(Debug)]
pub struct World {
    config: WorldConfig,
    workers: Workers,
    clock: fn() -> f64,
    time: f64,
    steps: u64,
    /// Gravity at the end of the last substep.
    gravity_now: Vec3,
    /// Length of the last substep, s.
    last_h: f32,
    /// Length of the substep that the forces of contacts are of, s.
    forces_of: f32,
    bodies: Vec<Body>,
    /// In the order of their handles.
    obstacles: Vec<Obstacle>,
    /// Those of them that ellipsoids touch directly, made anew in every substep.
    half_spaces: Vec<HalfSpace>,
    fields: Vec<Field>,
    /// In the order of their handles.
    blades: Vec<Blade>,
    touching: Touching,
    attachments: Attachments,
    /// What removed bodies had spent.
    spent: Energy,
    queue: Vec<Command>,
    /// Whether commands were done since the last step: their changes belong to the next.
    commands_done: bool,
    events: Vec<Event>,
    /// Room to find what is too old or too many.
    debris: Vec<Debris>,
    next_body: u64,
    next_piece: u64,
    next_particle: u64,
    next_grip: u64,
    next_obstacle: u64,
    next_field: u64,
    next_blade: u64,
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// [`CommandError`] if a setting is out of range or the threads cannot be started.
    pub fn new(config: WorldConfig) -> Result<Self, CommandError> {
        config.check()?;
        let workers = Workers::new(config.threads)?;
        let gravity_now = Vec3::from(config.gravity);
        let mut world = Self {
            config,
            workers,
            clock: || 0.0,
            time: 0.0,
            steps: 0,
            gravity_now,
            last_h: 0.0,
            forces_of: 0.0,
            bodies: Vec::new(),
            obstacles: Vec::new(),
            half_spaces: Vec::new(),
            fields: Vec::new(),
            blades: Vec::new(),
            touching: Touching::default(),
            attachments: Attachments::default(),
            spent: Energy::default(),
            queue: Vec::new(),
            commands_done: false,
            events: Vec::new(),
            debris: Vec::new(),
            next_body: 1,
            next_piece: 1,
            next_particle: 1,
            next_grip: 1,
            next_obstacle: 1,
            next_field: 1,
            next_blade: 1,
        };
        world.gravity_now = world.gravity_at(0.0);
        Ok(world)
    }

    /// As given when it was made.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// World time, in s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Times stages by this clock, in s from any origin. The engine asks no clock by itself.
    pub fn set_clock(&mut self, clock: fn() -> f64) {
        self.clock = clock;
    }

    /// Steps on a pool that the caller owns, instead of threads of its own. The results do not
    /// depend on it.
    #[cfg(feature = "parallel")]
    pub fn set_pool(&mut self, pool: std::sync::Arc<rayon::ThreadPool>) {
        self.workers = Workers::of_pool(pool);
    }

    /// Gravity grows with time while the world settles.
    fn gravity_at(&self, time: f64) -> Vec3 {
        let settle = f64::from(self.config.settle);
        let share = if time < settle { time / settle } else { 1.0 };
        Vec3::from(self.config.gravity) * share as f32
    }

    /// Advances everything by `dt` seconds and tells what happened.
    ///
    /// A step above 1/15 s is cut to that, and the report says how much time was dropped; one
    /// below 1e-5 s is dropped, one that is not a number changes nothing.
    pub fn step(&mut self, dt: f32) -> StepReport {
        if dt.is_nan() || dt < step::SHORTEST {
            return self.report(StageTimes::default(), dt.max(0.0));
        }
        let taken = dt.min(step::LONGEST);
        let h = taken / self.config.substeps as f32;
        let mut ms = StageTimes::default();
        let start = (self.clock)();
        let workers = self.workers.clone();
        workers.enter(|| {
            self.begin_step(taken);
            self.last_h = h;
            ms.predict += 1e3 * ((self.clock)() - start);
            for left in (1..=self.config.substeps).rev() {
                step::substep(self, h, left, &mut ms);
            }
            self.end_step(taken);
        });
        ms.total = 1e3 * ((self.clock)() - start);
        workers.enter(|| self.report(ms, dt - taken))
    }

    /// Commands, blades, debris, and grips whose time is over.
    fn begin_step(&mut self, dt: f32) {
        self.clear_changes();
        self.commands_done = false;
        for body in &mut self.bodies {
            body.pushes.clear();
            body.pieces.iter_mut().for_each(|piece| piece.unconverged = 0);
        }
        for obstacle in &mut self.obstacles {
            obstacle.begin_step();
        }
        self.apply_queue();
        self.move_blades(dt);
        self.clear_debris();
        let time = self.time;
        for body in &mut self.bodies {
            body.grips.retain(|grip| grip.release.is_none_or(|release| time < release));
        }
    }

    /// Origins follow their pieces.
    fn end_step(&mut self, dt: f32) {
        self.steps += 1;
        self.fall_asleep(dt);
        for body in &mut self.bodies {
            body.recentre();
            #[cfg(debug_assertions)]
            body.validate();
        }
    }

    /// What happened since the last call, in order.
    pub fn events(&mut self) -> std::vec::Drain<'_, Event> {
        self.events.drain(..)
    }

    /// Handles of all bodies, spawned ones that wait for the next step included.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> {
        self.all_bodies().map(Body::id)
    }

    /// A body, also one that waits for the next step.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.all_bodies().find(|body| body.id == id)
    }

    fn all_bodies(&self) -> impl Iterator<Item = &Body> {
        self.bodies.iter().chain(self.queue.iter().filter_map(|command| match command {
            Command::Spawn(body) => Some(body.as_ref()),
            _ => None,
        }))
    }

    /// What a grip exerts on its body, averaged over the last substep; `None` if it has let go.
    pub fn reaction(&self, id: GripId) -> Option<Reaction> {
        let mut grips = self.bodies.iter().flat_map(|body| &body.grips);
        grips.find(|grip| grip.id == id).map(|grip| grip.reaction)
    }

    /// Where the centre of mass of what a grip holds is now, in m; `None` if it has let go, or waits for the
    /// next step.
    pub fn grip_centre(&self, id: GripId) -> Option<[f64; 3]> {
        self.bodies.iter().find_map(|body| {
            let grip = body.grips.iter().find(|grip| grip.id == id)?;
            let origin_of = |particle| body.pieces[body.piece_of(particle) as usize].origin;
            Some(grip.mass_and_centre(&body.particles, origin_of).1.to_array())
        })
    }

    /// Checks every invariant of every body.
    ///
    /// # Panics
    /// If one does not hold: that is a bug.
    pub fn validate(&self) {
        self.bodies.iter().for_each(Body::validate);
        let contacts = &self.touching.contacts;
        let ordered = contacts.windows(2).all(|pair| pair[0].key < pair[1].key);
        assert!(ordered, "contacts are out of order, or two are of the same pair");
        self.attachments.validate(&self.bodies);
    }

    /// Hash of everything that a later step reads. The same for any number of threads.
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::default();
        hash.number(self.time.to_bits());
        hash.number(self.steps);
        for body in &self.bodies {
            body.hash(&mut hash);
        }
        self.contact_state(&mut hash);
        self.attachments.state(&mut hash);
        self.field_state(&mut hash);
        self.blade_state(&mut hash);
        hash.number(self.next_piece);
        hash.number(self.next_particle);
        hash.finish()
    }

    fn report(&mut self, ms: StageTimes, time_dropped: f32) -> StepReport {
        let mut report = StepReport {
            step: self.steps,
            time: self.time,
            time_dropped,
            ms,
            stiffness_reached: 1.0,
            energy: self.spent,
            hash: self.hash(),
            ..StepReport::default()
        };
        let gravity = self.gravity_now.as_dvec3();
        let workers = self.workers.clone();
        let h = if self.last_h > 0.0 { self.last_h } else { 1.0 / 240.0 };
        let step = Step { h, sweeps: self.config.sweeps, workers: workers.clone() };
        let (mut mass, mut first) = (0.0, DVec3::ZERO);
        let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        if self.config.books {
            report.energy.elastic += self.attachments.stored();
        }
        for body in &mut self.bodies {
            report.particles += body.particles.len() as u64;
            report.bonds += body.bond_count() as u64;
            report.pieces += body.pieces.len() as u64;
            report.cracks += body.changes.bonds_cut.len() as u64;
            report.stiffness_reached = report.stiffness_reached.min(body.reached);
            report.energy.add_spent(&body.spent);
            for index in 0..body.pieces.len() {
                let piece = &body.pieces[index];
                let (span, origin) = (piece.span.clone(), piece.origin);
                report.quarantined += u64::from(piece.frozen);
                report.sleeping += u64::from(piece.is_asleep());
                report.unconverged += u64::from(piece.unconverged);
                let position = &body.particles.position;
                let motion = match (&piece.shape, piece.asleep) {
                    (Some(shape), Some(_)) => shape.at_rest(),
                    _ => Motion::of(&body.particles, position, span.clone(), &workers),
                };
                let place = origin + motion.centre;
                mass += motion.mass;
                first += motion.mass * place;
                momentum += motion.momentum;
                angular += motion.angular + place.cross(motion.momentum);
                report.energy.kinetic += motion.kinetic;
                report.energy.gravity -= motion.mass * gravity.dot(place);
                if self.config.books {
                    report.energy.elastic += body.audit(index, &step);
                }
                for v in &body.particles.velocity[span] {
                    report.max_speed = report.max_speed.max(v.length());
                }
            }
        }
        let pressing = self.touching.touches.iter().filter(|touch| touch.felt > 0.0);
        report.contacts = pressing.count() as u64;
        report.max_penetration = self.deepest();
        let centre = if mass > 0.0 { first / mass } else { DVec3::ZERO };
        report.momentum = momentum.to_array();
        report.angular_momentum = (angular - centre.cross(momentum)).to_array();
        report
    }
}

impl World {
    /// Deepest point of a particle that touches something, in m.
    fn deepest(&self) -> f32 {
        let mut deepest = self.touching.deepest_pair();
        for contact in self.touching.contacts.iter().filter(|contact| contact.second.is_none()) {
            let Some(body) = self.bodies.get(contact.first.body as usize) else { continue };
            // columns may have been put in another order by a split since
            let noted = contact.first.anchor.particle as usize;
            let is_it = |j: &usize| body.particles.id.get(*j) == Some(&contact.key.first);
            let found = Some(noted).filter(is_it).or_else(|| (0..body.particles.len()).find(is_it));
            let Some(j) = found else { continue };
            if body.shaped(j).is_some() {
                deepest = deepest.max(-contact.gap);
                continue;
            }
            let piece = body.pieces.partition_point(|piece| piece.span.end <= j);
            let origin = body.pieces[piece].origin;
            for half_space in &self.half_spaces {
                if contact.key.second == Other::Obstacle(half_space.id) {
                    let centre = half_space.height(origin, body.particles.position[j]);
                    let q = body.particles.orientation.get(j);
                    let lowest = half_space.support(&body.particles, j, q).dot(half_space.normal);
                    deepest = deepest.max(-(centre + lowest));
                }
            }
        }
        deepest
    }
}

impl Body {
    /// Ψ of a piece, in J.
    fn audit(&mut self, index: usize, step: &Step) -> f64 {
        let span = self.pieces[index].span.clone();
        let oriented = self.particles.oriented();
        let force = self.scratch.force.span_mut(span.clone(), oriented);
        self.model.solid_mut().audit(&self.particles, span, step, force)
    }

    /// Moves the origin of pieces that have gone farther than eight of their radii from it, so
    /// that f32 positions stay small numbers.
    fn recentre(&mut self) {
        for piece in self.pieces.iter_mut().filter(|piece| !piece.is_still()) {
            let positions = &self.particles.position[piece.span.clone()];
            let sum: DVec3 = positions.iter().map(|x| x.as_dvec3()).sum();
            let centre = (sum / positions.len() as f64).as_vec3();
            let far = |x: &Vec3| x.distance_squared(centre);
            let radius2 = positions.iter().map(far).fold(0.0, f32::max);
            let own = self.particles.radii[piece.span.start][0];
            if centre.length_squared() > 64.0 * radius2.max(own * own) {
                let centre = centre.as_dvec3();
                for j in piece.span.clone() {
                    self.particles.set_place(j, self.particles.place(j) - centre);
                }
                piece.origin += centre;
                piece.shape = None;
            }
        }
    }
}
