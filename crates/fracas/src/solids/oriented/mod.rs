//! Oriented particles (seed 000): shape matching over the neighbourhood of every particle, each
//! with a position and an orientation.
//!
//! [`rest`](self) builds the groups, `elastic` holds the energy and the sweep, `linear` the linearised problem, `plastic`
//! measures strains and lets rest shapes flow, `fracture` cuts bonds, `divide` puts parts in the place of fragments. Poisson's ratio is 0: shape matching resists stretch
//! in each direction by itself.

mod divide;
mod elastic;
mod fracture;
mod linear;
mod plastic;
mod rest;
#[cfg(test)]
mod tests;

pub use rest::{Groups, OrientedPoint, OrientedShape};

use crate::material::{Material, MaterialError, MaterialField};
use crate::math::fearless_simd::Level;
use crate::math::{Rot, log_stretches, symmetric_eigen};
use crate::parallel::Span;
use crate::solids::particles::Moves;
use crate::solids::{
    Anchor, Division, DofsMut, DofsRef, Fragment, NeedsReload, Particles, Residual, Solid, Step,
};
use crate::solve::Held;
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::Changes;
use elastic::{Constants, Scratch};
use glam::Vec3;
use linear::Frame;
use plastic::{Flowing, Tension};
use rest::{Refused, Rest};

/// A body of oriented particles. Group i belongs to particle i.
///
/// Invariants (checked by `validate`): bonds are mutual, lists hold the particle itself first and
/// nobody twice, a group's constants are those of its members, rotations are unit quaternions.
#[derive(Clone, Debug)]
pub struct Oriented {
    rest: Rest,
    /// R_g: warm start of the next fit, and so part of the state.
    rotation: Vec<Rot>,
    /// Factor on the stiffness in this substep; see [`Solid::begin`].
    reached: f32,
    /// Mean of s_j over the particles, 1/s²; its change by cuts is left out on purpose, so that
    /// a body does not stiffen while it breaks.
    mean_share: f32,
    bond_count: usize,
    /// Whether some F_P is not 1: follows from the rest shape.
    flowed: bool,
    /// Whether nothing of it can flow or break: follows from the limits.
    lasting: bool,
    level: Level,
    scratch: Scratch,
    room: fracture::Room,
    frame: Frame,
    /// Rotations of an audit.
    audited: Vec<Rot>,
    /// Room for [`Solid::permute`].
    moved: (Vec<f32>, Vec<u32>, Vec<Rot>),
}

/// Why a shape did not become a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BuildError {
    /// Its geometry.
    Shape(String),
    /// Its material at some point.
    Material(MaterialError),
}

impl Oriented {
    /// Particles and model from a shape and its materials.
    pub(crate) fn build(
        shape: &OrientedShape,
        materials: &[Material],
        seed: u64,
    ) -> Result<(Particles, Self), BuildError> {
        let sampled = rest::particles(shape, materials, seed).map_err(|refused| match refused {
            Refused::Shape(what) => BuildError::Shape(what),
            Refused::Material(error) => BuildError::Material(error),
        })?;
        let rest = Rest::new(shape, &sampled);
        let solid = Self::from_rest(rest);
        Ok((sampled.particles, solid))
    }

    /// A model of nothing, to load a snapshot into.
    pub(crate) fn empty() -> Self {
        Self::from_rest(Rest::default())
    }

    fn from_rest(rest: Rest) -> Self {
        let count = rest.weight.len();
        let total: f64 = rest.share.iter().map(|&s| f64::from(s)).sum();
        let bond_count = rest.groups.count.iter().map(|&n| n as usize - 1).sum::<usize>() / 2;
        let room = rest.groups.member.len();
        Self {
            rotation: vec![Rot::IDENTITY; count],
            reached: 1.0,
            mean_share: (total / count.max(1) as f64) as f32,
            bond_count,
            flowed: rest.has_flowed(),
            lasting: rest.limits.are_none(),
            level: Level::new(),
            scratch: Scratch::new(count),
            room: fracture::Room::new(count),
            frame: Frame::new(count),
            audited: vec![Rot::IDENTITY; count],
            moved: (Vec::with_capacity(count), Vec::with_capacity(room), Vec::with_capacity(count)),
            rest,
        }
    }
}

/// Borrows the constants beside the mutable columns.
macro_rules! constants {
    ($self:ident) => {
        Constants {
            rest: &$self.rest,
            reached: $self.reached,
            flowed: $self.flowed,
            level: $self.level,
        }
    };
}

impl Oriented {
    fn constants(&self) -> Constants<'_> {
        constants!(self)
    }
}

impl Solid for Oriented {
    fn name(&self) -> &'static str {
        "oriented"
    }

    fn turn(&mut self, span: Span, rotation: Rot) {
        self.rotation[span].iter_mut().for_each(|r| *r = (rotation * *r).normalized());
    }

    /// Clamps the stiffness to h² s ≤ n²: with n sweeps a push travels n neighbours per substep,
    /// which for the wave speed reads √(E/ρ) ≤ √c · sweeps per second · spacing.
    fn begin(&mut self, _particles: &Particles, step: &Step) -> f32 {
        let ratio = step.h * step.h * self.mean_share;
        let limit = (step.sweeps * step.sweeps) as f32;
        self.reached = if ratio > limit { limit / ratio } else { 1.0 };
        self.reached
    }

    fn measure(&mut self, particles: &Particles, span: Span, step: &Step) {
        let (members, frame) = (&mut self.scratch.members, &mut self.frame);
        linear::measure(constants!(self), particles, members, frame, span, step);
    }

    fn linearise(&mut self, particles: &Particles, span: Span, step: &Step) {
        let (rotation, scratch) = (&mut self.rotation, &mut self.scratch);
        elastic::linearise(constants!(self), particles, rotation, scratch, span, step);
    }

    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        linear::gradient(constants!(self), particles, &self.scratch.goals, span, step, r);
    }

    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    ) {
        linear::product(constants!(self), particles, &mut self.frame, span, step, p, out);
    }

    fn precondition(
        &self,
        particles: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        linear::precondition(constants!(self), particles, &self.frame, span, step, extra, r, z);
    }

    fn compliance(&self, particles: &Particles, anchor: &Anchor, n: Vec3, step: &Step) -> f32 {
        let j = anchor.particle as usize;
        let d = elastic::diagonal(constants!(self), j, step.h);
        let lever = anchor.arm.cross(n);
        (1.0 / particles.mass[j] + lever.dot(particles.inv_inertia_times(j, lever))) / d
    }

    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        _: &mut [Held],
        step: &Step,
    ) -> Residual {
        let (rotation, scratch) = (&mut self.rotation, &mut self.scratch);
        elastic::sweep_alone(constants!(self), particles, rotation, scratch, span, step)
    }

    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64 {
        let constants = constants!(self);
        let Self { rotation, audited, scratch, .. } = self;
        audited[span.clone()].copy_from_slice(&rotation[span.clone()]);
        for _ in 0..elastic::AUDIT_STEPS {
            elastic::linearise(constants, particles, audited, scratch, span.clone(), step);
        }
        elastic::elastic_force(constants, particles, scratch, span.clone(), step, force);
        elastic::energy(constants, particles, audited, span, &step.workers)
    }

    fn strain(&self, particles: &Particles, i: usize) -> [f32; 3] {
        let (_, stretch) = elastic::stretch(&self.rest, particles, self.rotation[i], i);
        log_stretches(symmetric_eigen(&stretch).0).value
    }

    fn particle_count(&self) -> usize {
        self.rotation.len()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        &self.rest.groups.of(i)[1..]
    }

    fn bond_count(&self) -> usize {
        self.bond_count
    }

    fn flow_plastic(&mut self, particles: &Particles, span: Span, step: &Step) -> f64 {
        if self.lasting || span.len() == 1 {
            return 0.0;
        }
        let (members, workers) = (&mut self.scratch.members, &step.workers);
        elastic::write_members(constants!(self), particles, members, span.clone(), workers);
        // out of the rest shape while it is read
        let mut plastic = std::mem::take(&mut self.rest.plastic);
        let mut flowed = std::mem::take(&mut self.rest.limits.flowed);
        let columns = Flowing {
            rotation: &mut self.rotation[span.clone()],
            plastic: plastic.each_mut().map(|column| &mut column[span.clone()]),
            flowed: &mut flowed[span.clone()],
            tension: &mut self.room.tension[span.clone()],
        };
        let constants = constants!(self);
        let members = &self.scratch.members;
        let work = plastic::flow(constants, particles, members, span.clone(), step, columns);
        self.rest.plastic = plastic;
        self.rest.limits.flowed = flowed;
        if work != 0.0 {
            self.flowed = true;
            for g in span.filter(|&g| self.room.tension[g].flowed) {
                self.rest.follow_flow(g);
            }
        }
        work
    }

    fn fracture(
        &mut self,
        particles: &mut Particles,
        span: Span,
        step: &Step,
        residual: Residual,
        credit: &mut f32,
        changes: &mut Changes,
    ) -> f64 {
        if self.lasting || span.len() == 1 {
            return 0.0;
        }
        fracture::fracture(self, particles, span, step, residual, credit, changes)
    }

    fn fragment(&self, i: usize) -> Option<Fragment> {
        let Rest { volume, limits, .. } = &self.rest;
        Some(Fragment {
            volume: volume[i],
            modulus: limits.modulus[i],
            strength: limits.strength[i],
            load_time: limits.load_time[i],
            loads: [limits.load[i], limits.hit[i]],
        })
    }

    fn set_loads(&mut self, i: usize, loads: [f32; 2]) {
        [self.rest.limits.load[i], self.rest.limits.hit[i]] = loads;
    }

    fn make_room(&mut self, count: usize) {
        divide::make_room(self, count);
    }

    fn divide(&mut self, particles: &mut Particles, division: &Division<'_>) {
        divide::divide(self, particles, division);
    }

    fn plastic_strain(&self, i: usize) -> f32 {
        self.rest.limits.flowed[i]
    }

    fn cut(&mut self, particles: &mut Particles, a: usize, b: usize, changes: &mut Changes) -> f64 {
        let along = (particles.position[b] - particles.position[a]).normalize_or(Vec3::X);
        fracture::cut(self, particles, a, b, along, changes)
    }

    fn permute(&mut self, span: Span, order: &[u32], place: &[u32]) {
        let Self { rest, rotation, moved: (floats, whole, turns), .. } = self;
        // the lists stay where they are and name their members' new places
        let groups = &mut rest.groups;
        for i in span.clone() {
            let at = groups.first[i] as usize;
            for member in &mut groups.member[at..at + groups.count[i] as usize] {
                *member = place[*member as usize - span.start];
            }
        }
        let moves = Moves::new(span, order);
        moves.permute(&mut groups.first, whole);
        moves.permute(&mut groups.count, whole);
        moves.permute(rotation, turns);
        for column in rest.float_columns_mut() {
            moves.permute(column, floats);
        }
    }

    fn truncate(&mut self, count: usize) {
        let gone = self.rest.groups.count[count..].iter().map(|&n| n as usize - 1);
        self.bond_count -= gone.sum::<usize>() / 2;
        self.rest.float_columns_mut().for_each(|column| column.truncate(count));
        self.rest.groups.first.truncate(count);
        self.rest.groups.count.truncate(count);
        self.rotation.truncate(count);
        self.audited.truncate(count);
    }

    fn set_material(&mut self, field: MaterialField, value: f32) -> Result<(), NeedsReload> {
        if let Some(column) = self.rest.limits.of_field(field) {
            column.fill(value);
            for g in 0..self.rotation.len() {
                self.rest.limits.harden(g);
                self.rest.rebuild_limit(g);
            }
            self.lasting = self.rest.limits.are_none();
        }
        match field {
            MaterialField::Density => Err(NeedsReload),
            MaterialField::YoungsModulus => {
                for g in 0..self.rest.stiffness.len() {
                    self.rest.stiffness[g] = self.rest.stiffness_per_modulus[g] * value;
                }
                for j in 0..self.rest.share.len() {
                    self.rest.rebuild_share(j);
                }
                let total: f64 = self.rest.share.iter().map(|&s| f64::from(s)).sum();
                self.mean_share = (total / self.rest.share.len() as f64) as f32;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn validate(&self, particles: &Particles) {
        let groups = &self.rest.groups;
        assert_eq!(self.rotation.len(), particles.len());
        let mut bonds = 0;
        for i in 0..particles.len() {
            let list = groups.of(i);
            assert_eq!(list[0] as usize, i, "group {i} begins with another particle");
            bonds += list.len() - 1;
            for (k, &j) in list.iter().enumerate() {
                assert!(
                    (j as usize) < particles.len(),
                    "group {i} holds {j}, which does not exist"
                );
                assert!(!list[..k].contains(&j), "group {i} holds {j} twice");
                assert!(groups.of(j as usize).contains(&(i as u32)), "bond {i}–{j} has one end");
            }
            let r = self.rotation[i];
            let norm = r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w;
            assert!((norm - 1.0).abs() < 1e-5, "rotation {i} has norm² {norm}");
            let mass: f64 = list.iter().map(|&j| f64::from(self.rest.weight[j as usize])).sum();
            let stored = f64::from(self.rest.inv_mass[i]);
            assert!((mass * stored - 1.0).abs() < 1e-5, "group {i} has a stale mass");
            let volume = self.rest.plastic_of(i).determinant();
            assert!((volume - 1.0).abs() < 1e-5, "F_P of group {i} has determinant {volume}");
        }
        assert_eq!(bonds, 2 * self.bond_count, "bonds are miscounted");
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.floats(&self.rotation);
        hash.column(&self.rest.groups.count);
        hash.floats(&self.rest.share);
        self.rest.plastic.iter().for_each(|column| hash.floats(column));
        hash.floats(&self.rest.limits.flowed);
        hash.floats(&self.rest.limits.load);
        hash.floats(&self.rest.limits.hit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let rest = &self.rest;
        bytes.column(&rest.groups.first);
        bytes.column(&rest.groups.count);
        bytes.column(&rest.groups.member);
        bytes.floats(&rest.groups.area);
        for column in rest.float_columns() {
            bytes.floats(column);
        }
        bytes.floats(&self.rotation);
        bytes.floats(&[self.mean_share]);
    }

    fn load(
        &mut self,
        reader: &mut Reader<'_>,
        particles: &Particles,
    ) -> Result<(), SnapshotError> {
        let count = particles.len();
        let mut rest = Rest {
            groups: Groups {
                first: reader.column_of(count)?,
                count: reader.column_of(count)?,
                member: reader.column()?,
                area: reader.column()?,
            },
            ..Rest::default()
        };
        if rest.groups.area.len() != rest.groups.member.len() {
            return Err(reader.damaged("a column of wrong length"));
        }
        rest.groups.check(count).map_err(|what| reader.damaged(what))?;
        for column in rest.float_columns_mut() {
            *column = reader.column_of(count)?;
        }
        let rotation = reader.column_of(count)?;
        let mean_share: Vec<f32> = reader.column_of(1)?;
        *self = Self { rotation, mean_share: mean_share[0], ..Self::from_rest(rest) };
        Ok(())
    }
}
