//! Blades: what their edge passes is cut, in bodies of every model but rigid ones.

use super::body::Body;
use super::command::Command;
use super::error::{CommandError, require};
use super::event::Event;
use super::grip::check_times;
use super::ids::{BladeId, BodyId};
use super::{World, step};
use crate::geometry::Patch;
use crate::parallel::Workers;
use crate::solids::Motion;
use crate::solids::motion::replace_rigid_motion;
use crate::state::{Reader, Sink, SnapshotError};
use glam::DVec3;

/// A blade that moves on a time table. Its edge is a straight line between two ends; what it passes is cut, and where it ends within a body
/// the cut ends there.
///
/// Rigid bodies and obstacles are not cut.
///
/// ```
/// use fracas::world::{BladeDesc, BladeKey, World, WorldConfig};
///
/// let mut world = World::new(WorldConfig::default())?;
/// let edge = |y| [[0.0, y, -1.0], [0.0, y, 1.0]];
/// // comes down by a metre within two seconds
/// let keys = vec![
///     BladeKey { time: 0.0, ends: edge(1.0) },
///     BladeKey { time: 2.0, ends: edge(0.0) },
/// ];
/// world.add_blade(BladeDesc { keys, body: None })?;
/// world.step(1.0 / 60.0);
/// # Ok::<(), fracas::CommandError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BladeDesc {
    /// Where it is when. It cuts from the first to the last; in between ends move straight.
    pub keys: Vec<BladeKey>,
    /// The only body that it cuts, if not all.
    pub body: Option<BodyId>,
}

/// A moment of a blade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BladeKey {
    /// World time, in s.
    pub time: f64,
    /// Ends of its edge in the world, in m.
    pub ends: [[f64; 3]; 2],
}

/// A blade of the world.
#[derive(Clone, Debug)]
pub struct Blade {
    pub(super) id: BladeId,
    desc: BladeDesc,
    /// Where its edge was when it last cut. State.
    last: Option<[DVec3; 2]>,
}

impl Blade {
    /// The only body that it cuts, if not all.
    pub fn body(&self) -> Option<BodyId> {
        self.desc.body
    }
}

/// One cut, as it was checked.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    patch: Patch,
    body: Option<BodyId>,
}

impl World {
    /// Cuts once: the edge of a blade moves from one pair of ends to another, in m, at the start of the next step. Cuts one body, or all.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such body, a number is not finite, or the edge passes no area.
    pub fn slice(
        &mut self,
        from: [[f64; 3]; 2],
        to: [[f64; 3]; 2],
        body: Option<BodyId>,
    ) -> Result<(), CommandError> {
        check_ends(&from)?;
        check_ends(&to)?;
        if let Some(body) = body {
            self.find(body)?;
        }
        let [from, to] = [from, to].map(|ends| ends.map(DVec3::from));
        let patch = Patch::new(from, to, self.next_blade).ok_or(CommandError::NothingPassed)?;
        self.next_blade += 1;
        self.queue.push(Command::Slice(Stroke { patch, body }));
        Ok(())
    }

    /// Adds a blade on a time table, from the next step on.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such body, a number is not finite, or times do not rise.
    pub fn add_blade(&mut self, desc: BladeDesc) -> Result<BladeId, CommandError> {
        check_times(desc.keys.iter().map(|key| key.time))?;
        desc.keys.iter().try_for_each(|key| check_ends(&key.ends))?;
        if let Some(body) = desc.body {
            self.find(body)?;
        }
        let id = BladeId(self.next_blade);
        self.next_blade += 1;
        self.queue.push(Command::AddBlade(Box::new(Blade { id, desc, last: None })));
        Ok(id)
    }

    /// Takes a blade away at the start of the next step.
    ///
    /// # Errors
    /// [`CommandError::NoBlade`].
    pub fn remove_blade(&mut self, blade: BladeId) -> Result<(), CommandError> {
        let queued = |c: &Command| matches!(c, Command::AddBlade(new) if new.id == blade);
        if !self.blades.iter().any(|b| b.id == blade) && !self.queue.iter().any(queued) {
            return Err(CommandError::NoBlade(blade));
        }
        self.queue.push(Command::RemoveBlade(blade));
        Ok(())
    }

    /// Ends of the edges of all blades now, in m, in the order in which they were added; none of one whose time has not come or is over.
    pub fn blades(&self) -> impl Iterator<Item = (BladeId, Option<[[f64; 3]; 2]>)> {
        self.blades.iter().map(|blade| {
            let ends = blade.desc.ends_within([self.time; 2]).map(|(_, ends)| ends);
            (blade.id, ends.map(|ends| ends.map(|end| end.to_array())))
        })
    }

    /// Moves all blades on by a step and cuts what they pass.
    pub(super) fn move_blades(&mut self, dt: f32) {
        let times = [self.time, self.time + f64::from(dt)];
        let mut blades = std::mem::take(&mut self.blades);
        for Blade { id, desc, last } in &mut blades {
            let Some((from, to)) = desc.ends_within(times) else {
                *last = None;
                continue;
            };
            // exactly from where it was: nothing may be left between two steps
            let from = last.replace(to).unwrap_or(from);
            if let Some(patch) = Patch::new(from, to, id.0) {
                self.apply_slice(Stroke { patch, body: desc.body });
            }
        }
        self.blades = blades;
    }

    pub(super) fn apply_slice(&mut self, stroke: Stroke) {
        let step = self.audit_step();
        let Stroke { patch, body: only } = stroke;
        let books = self.config.books;
        for k in 0..self.bodies.len() {
            let body = &mut self.bodies[k];
            if only.is_some_and(|only| only != body.id) {
                continue;
            }
            let seen = body.changes.opened.len();
            let before: f64 = body.pieces.iter().map(|piece| piece.elastic).sum();
            if !body.slice(&patch, &mut self.next_particle, &step.workers) {
                continue;
            }
            let id = body.id;
            let opened = &body.changes.opened[seen..];
            self.events.extend(opened.iter().map(|opened| Event::crack(id, opened)));
            super::pieces::split(body, Some(self.time), &mut self.next_piece, &mut self.events);
            if books {
                body.spent.fracture_work += before - body.stored(&step, books);
            }
            self.wake_body(id);
        }
    }

    /// Blades, for hash and snapshot.
    pub(super) fn blade_state(&self, sink: &mut impl Sink) {
        for Blade { id, desc, last } in &self.blades {
            sink.number(id.0);
            sink.number(desc.body.map_or(0, |body| body.0));
            sink.number(desc.keys.len() as u64);
            for BladeKey { time, ends } in &desc.keys {
                sink.column(&[*time]);
                sink.column(ends.as_flattened());
            }
            let last = last.map(|ends| ends.map(|end| end.to_array()));
            sink.column(last.as_ref().map_or(&[][..], |ends| ends.as_flattened()));
        }
    }

    pub(super) fn load_blades(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let ends = |six: &[f64]| -> [[f64; 3]; 2] {
            std::array::from_fn(|k| std::array::from_fn(|axis| six[3 * k + axis]))
        };
        for _ in 0..reader.number()? {
            let id = BladeId(reader.number()?);
            let body = reader.number()?;
            let mut keys = Vec::new();
            for _ in 0..reader.number()? {
                let time: Vec<f64> = reader.column_of(1)?;
                let six: Vec<f64> = reader.column_of(6)?;
                keys.push(BladeKey { time: time[0], ends: ends(&six) });
            }
            let times = check_times(keys.iter().map(|key| key.time));
            let sound = keys.iter().try_for_each(|key| check_ends(&key.ends)).and(times);
            sound.map_err(|_| reader.damaged("a blade that no world can have"))?;
            let last: Vec<f64> = reader.column()?;
            let last = match last.len() {
                0 => None,
                6 => Some(ends(&last).map(DVec3::from)),
                _ => return Err(reader.damaged("a column of wrong length")),
            };
            let body = (body != 0).then_some(BodyId(body));
            self.blades.push(Blade { id, desc: BladeDesc { keys, body }, last });
        }
        Ok(())
    }
}

impl BladeDesc {
    /// Where its edge is at the start and end of what of this time it cuts in; none if it does not.
    fn ends_within(&self, [from, to]: [f64; 2]) -> Option<([DVec3; 2], [DVec3; 2])> {
        let (first, last) = (self.keys.first()?.time, self.keys.last()?.time);
        (from <= last && to >= first)
            .then(|| (self.ends_at(from.max(first)), self.ends_at(to.min(last))))
    }

    fn ends_at(&self, time: f64) -> [DVec3; 2] {
        let next = self.keys.partition_point(|key| key.time <= time);
        let [a, b] = [next.saturating_sub(1), next.min(self.keys.len() - 1)].map(|k| self.keys[k]);
        let length = b.time - a.time;
        let share = if length > 0.0 { ((time - a.time) / length).clamp(0.0, 1.0) } else { 0.0 };
        [0, 1].map(|k| DVec3::from(a.ends[k]).lerp(DVec3::from(b.ends[k]), share))
    }
}

fn check_ends(ends: &[[f64; 3]; 2]) -> Result<(), CommandError> {
    for &x in ends.as_flattened() {
        // beyond this squares are no numbers
        require(x.abs() < 1e15, "ends", "finite", x as f32)?;
    }
    Ok(())
}

impl Body {
    /// Cuts all pieces where a blade has passed; whether it has changed anything. Nothing moves: of each piece the momentum and the angular
    /// momentum stay what they were.
    fn slice(&mut self, patch: &Patch, next_particle: &mut u64, workers: &Workers) -> bool {
        let mut cut = false;
        for index in 0..self.pieces.len() {
            let piece = self.pieces[index].clone();
            let patch = patch.seen_from(piece.origin);
            let places = piece.span.clone().map(|j| self.particles.place(j));
            if piece.frozen || !patch.may_pass(places) {
                continue;
            }
            let seen = (self.changes.opened.len(), self.particles.len());
            let motion = |body: &Self, span| {
                Motion::of(&body.particles, &body.particles.position, span, workers)
            };
            let before = motion(self, piece.span.clone());
            let Self { model, particles, changes, .. } = self;
            model.solid_mut().slice(particles, piece.span, &patch, next_particle, changes);
            step::place_cracks(&mut self.changes.opened[seen.0..], &self.pieces[index]);
            if (self.changes.opened.len(), self.particles.len()) == seen {
                continue;
            }
            cut = true;
            step::take_born(self);
            self.pieces[index].shape = None;
            let span = self.pieces[index].span.clone();
            let after = motion(self, span.clone());
            let mut wanted = Motion { momentum: before.momentum, ..after };
            // about a centre that may be elsewhere by rounding, and by what a vertex was moved
            wanted.angular = before.angular + (before.centre - after.centre).cross(before.momentum);
            if self.particles.len() > seen.1 {
                let particles = &mut self.particles;
                replace_rigid_motion(particles, span.clone(), &after, &wanted, 1.0, workers);
            }
            let now = motion(self, span);
            self.spent.solver_loss += before.kinetic - now.kinetic;
            #[cfg(debug_assertions)]
            assert_same_motion(&wanted, &now);
        }
        if cut {
            // of the substep before, and found anew in the next
            self.scratch.impulses.clear();
            *next_particle += self.model.solid_mut().reserve_ids(*next_particle);
        }
        cut
    }
}

#[cfg(debug_assertions)]
fn assert_same_motion(wanted: &Motion, now: &Motion) {
    let (mass, size) = (now.mass, (now.inertia.x_axis.x / now.mass).sqrt());
    let off = (wanted.momentum - now.momentum).length();
    let fast = (2.0 * now.kinetic / mass).sqrt() + 1.0;
    assert!(off <= 1e-6 * mass * fast, "a cut changed the momentum by {off} kg m/s");
    let off = (wanted.angular - now.angular).length();
    assert!(
        off <= 1e-6 * mass * fast * (size + 1.0),
        "a cut changed the angular momentum by {off}"
    );
}
