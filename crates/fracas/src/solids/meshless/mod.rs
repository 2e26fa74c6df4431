//! Corotated smoothed particles that tear (seed 002): strains are fitted to the neighbourhood of every particle, fracture disks take
//! neighbours out of sight, fibres lead them.
//!
//! `kernel` has the weights of pairs, `rest` who sees whom and what follows, `elastic` energy, forces and the explicit integrator,
//! `tissue` what flows, stiffens and is stiffer along its fibres, `fracture` disks and threads, `fibres` how tears follow fibres. See `docs/meshless.md`.

mod elastic;
mod fibres;
mod fracture;
mod kernel;
mod rest;
#[cfg(test)]
mod tests;
mod tissue;

pub use rest::{Extent, MeshlessPoint, MeshlessShape};

use crate::geometry::Patch;
use crate::material::{Material, MaterialField};
use crate::math::fearless_simd::Level;
use crate::math::{Rot, Sym3, log_stretches, symmetric_eigen};
use crate::parallel::Span;
use crate::solids::particles::Moves;
use crate::solids::{
    Anchor, DofsMut, DofsRef, Explicit, NeedsReload, Particles, Residual, Solid, Step,
};
use crate::solve::Held;
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::{Changes, Opened, PieceId};
use elastic::{Constants, Quad, Scratch};
use fibres::Pace;
use fracture::{COVERED, Disk, Room};
use glam::Vec3;
pub(crate) use rest::Refused;
use rest::{Matter, Pairs, Rest};
use tissue::Tissue;

/// Newton steps that bring rotations fully up for an audit.
const AUDIT_STEPS: u32 = 3;
/// Pieces of fewer particles touch nothing of their own body: dust that flies off is no contact of what it comes from.
const CRUMB: usize = 8;
/// Cosine of half the turn between two particles of a piece, from which on it may touch itself: 45°.
const BENT: f32 = 0.923_879_5;
/// Share of its neighbourhood from which on a particle is inside.
const INSIDE: f32 = 0.95;

/// A body of corotated smoothed particles.
///
/// Invariants (checked by `validate`): lists are mutual with one opacity per pair and name nobody twice, all in them see each other,
/// weights are those of the opacities, rotations are unit quaternions.
#[derive(Clone, Debug)]
pub struct Meshless {
    rest: Rest,
    /// R: warm start of the next fit, and so part of the state.
    rotation: Vec<Rot>,
    /// Time for which a particle opens no disk, s: state.
    cooling: Vec<f32>,
    /// Disks that grow, each with the particle that opened it: state.
    disks: Vec<(u32, Disk)>,
    /// How fast each particle is loaded: state. Empty unless there are fibres.
    pace: Vec<Pace>,
    /// How much faster waves are for what is stretched, in this substep and as of the last: state.
    quickened: [f32; 2],
    /// Whether nothing of it can tear: follows from the material, like the next.
    lasting: bool,
    /// Whether the material has changed since all that follows from it was found.
    stale: bool,
    /// Factor on the stiffness in this substep; see [`Solid::begin`].
    reached: f32,
    /// Explicit substeps of this substep.
    substeps: u32,
    /// Longest of them, s; follows from the material.
    longest: f32,
    bond_count: usize,
    /// Whether the diagonal is that of the weights as they are.
    measured: bool,
    level: Level,
    scratch: Scratch,
    room: Room,
    /// Rotations of an audit.
    audited: Vec<Rot>,
    /// Room for [`Solid::permute`].
    moved: Moved,
}

/// Room to put columns in another order.
#[derive(Clone, Debug, Default)]
struct Moved {
    floats: Vec<f32>,
    whole: Vec<u32>,
    turns: Vec<Rot>,
    points: Vec<Vec3>,
    paces: Vec<Pace>,
    flags: Vec<bool>,
}

impl Meshless {
    /// Particles and model from a shape and its materials.
    pub(crate) fn build(
        shape: &MeshlessShape,
        materials: &[Material],
        seed: u64,
    ) -> Result<(Particles, Self), Refused> {
        let (particles, rest) = rest::build(shape, materials, seed)?;
        let solid = Self::from_rest(rest, &particles.mass);
        Ok((particles, solid))
    }

    /// A model of nothing, to load a snapshot into.
    pub(crate) fn empty() -> Self {
        Self::from_rest(Rest::default(), &[])
    }

    fn from_rest(rest: Rest, mass: &[f32]) -> Self {
        let count = mass.len();
        let bond_count = rest.pairs.count.iter().map(|&n| n as usize).sum::<usize>() / 2;
        Self {
            rotation: vec![Rot::IDENTITY; count],
            cooling: vec![0.0; count],
            disks: Vec::new(),
            pace: vec![Pace::default(); if rest.matter.is_fibrous() { count } else { 0 }],
            quickened: [1.0, 0.0],
            lasting: rest.matter.is_lasting(),
            stale: false,
            reached: 1.0,
            substeps: 1,
            longest: rest.longest_substep(mass, elastic::COURANT),
            bond_count,
            measured: true,
            level: Level::new(),
            scratch: Scratch::new(count),
            room: Room::new(count),
            audited: vec![Rot::IDENTITY; count],
            moved: Moved::default(),
            rest,
        }
    }

    /// A of every pair that still sees each other, by the places of both particles, the lower first.
    pub fn opacities(&self) -> impl Iterator<Item = ([usize; 2], f32)> {
        let pairs = &self.rest.pairs;
        (0..self.rotation.len()).flat_map(move |i| {
            let slots = pairs.slots(i).map(move |slot| (pairs.other[slot] as usize, slot));
            slots.filter(move |&(j, _)| i < j).map(move |(j, slot)| ([i, j], pairs.opacity[slot]))
        })
    }
}

/// Borrows the constants beside the mutable columns.
macro_rules! constants {
    ($self:ident) => {
        Constants { rest: &$self.rest, reached: $self.reached, level: $self.level }
    };
}

impl Solid for Meshless {
    fn name(&self) -> &'static str {
        "meshless"
    }

    fn turn(&mut self, span: Span, rotation: Rot) {
        self.rotation[span].iter_mut().for_each(|r| *r = (rotation * *r).normalized());
    }

    /// As many explicit substeps as the Courant number asks for; what is too stiff for the most of them is made softer.
    fn begin(&mut self, particles: &Particles, step: &Step) -> f32 {
        if self.stale {
            self.follow_material(particles);
        }
        // as of the last substep in which something moved
        let [now, then] = self.quickened;
        self.quickened = [if then > 0.0 { then } else { now }, 0.0];
        let wanted = (step.h * self.quickened[0] / self.longest).ceil().max(1.0);
        let most = elastic::MOST_SUBSTEPS as f32;
        self.substeps = wanted.min(most) as u32;
        self.reached = if wanted > most { (most / wanted) * (most / wanted) } else { 1.0 };
        self.reached
    }

    fn measure(&mut self, _: &Particles, _: Span, _: &Step) {
        if !self.measured {
            self.rest.follow_diagonal();
            self.measured = true;
        }
    }

    fn linearise(&mut self, particles: &Particles, span: Span, step: &Step) {
        let workers = &step.workers;
        let Scratch { x, records, strain, .. } = &mut self.scratch;
        workers.for_span(span.clone(), &mut x[span.clone()], &|range, x| {
            for (x, j) in x.iter_mut().zip(range) {
                *x = Quad::new(particles.position[j], 0.0);
            }
        });
        let written = (&mut records[..], Some(&mut strain[..]));
        elastic::fit(constants!(self), x, &mut self.rotation, written, span, workers);
    }

    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        let inv_h2 = 1.0 / (step.h * step.h);
        for (r, j) in r.linear.iter_mut().zip(span.clone()) {
            *r = -(particles.mass[j] * inv_h2) * particles.correction[j];
        }
        let records = &self.scratch.records;
        elastic::add_forces(constants!(self), records, span, 1.0, r.linear, &step.workers);
    }

    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    ) {
        let (workers, inv_h2) = (&step.workers, 1.0 / (step.h * step.h));
        let Scratch { x, products, strain, .. } = &mut self.scratch;
        let columns = (&mut x[span.clone()], &mut out.linear[..]);
        workers.for_span(span.clone(), columns, &|range, (x, out)| {
            for (k, j) in range.enumerate() {
                let p = p.linear[j - span.start];
                x[k] = Quad::new(p, 0.0);
                out[k] = particles.mass[j] * inv_h2 * p;
            }
        });
        let constants = constants!(self);
        let written = (&mut products[..], &mut strain[..]);
        elastic::fit_linear(constants, x, &mut self.rotation, written, span.clone(), workers);
        elastic::add_forces(constants, products, span, -1.0, out.linear, workers);
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
        for (k, j) in span.enumerate() {
            z.linear[k] = r.linear[k] / (self.diagonal(particles, j, step.h) + extra[k]);
        }
    }

    fn compliance(&self, particles: &Particles, anchor: &Anchor, _: Vec3, step: &Step) -> f32 {
        1.0 / self.diagonal(particles, anchor.particle as usize, step.h)
    }

    fn integrates(&self) -> bool {
        true
    }

    fn solves_held(&self) -> bool {
        true
    }

    fn explicit(&mut self) -> Option<&mut dyn Explicit> {
        Some(self)
    }

    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        step: &Step,
    ) -> Residual {
        let (steps, workers) = (self.substeps, &step.workers);
        let (d, share) = (step.h / steps as f32, 1.0 / steps as f32);
        let (rotation, scratch) = (&mut self.rotation, &mut self.scratch);
        elastic::start(particles, scratch, span.clone(), held, [step.h, d], workers);
        for k in 1..=steps {
            let last = k == steps;
            let times = ([d, if last { 0.5 * d } else { d }, share], last);
            let constants = constants!(self);
            elastic::kick(constants, rotation, scratch, span.clone(), held, times, workers);
        }
        elastic::finish(particles, scratch, span, held, workers);
        Residual { integrated: true, ..Residual::default() }
    }

    fn flow_plastic(&mut self, _: &Particles, span: Span, step: &Step) -> f64 {
        if self.rest.tissue.is_none() {
            return 0.0;
        }
        let (mut work, mut quickened) = (0.0, 0.0f32);
        for i in span {
            let strain = self.scratch.strain[i];
            if let Some((left, taken)) = tissue::flow(&mut self.rest, i, strain, step.h) {
                self.scratch.strain[i] = left;
                work += f64::from(self.reached) * taken;
            }
            quickened = quickened.max(self.rest.quickened(i, self.scratch.strain[i]));
        }
        self.quickened[1] = self.quickened[1].max(quickened);
        work
    }

    fn plastic_strain(&self, i: usize) -> f32 {
        self.rest.tissue.as_ref().map_or(0.0, |tissue| tissue.hardened[i])
    }

    fn carried(&self, particles: &Particles, i: usize, line: Vec3) -> Option<Vec3> {
        let f = elastic::gradient(&self.rest, &particles.position, self.rotation[i], i);
        Some((f * line).normalize_or(line))
    }

    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64 {
        let (constants, workers) = (constants!(self), &step.workers);
        let Self { rotation, audited, scratch, .. } = self;
        audited[span.clone()].copy_from_slice(&rotation[span.clone()]);
        let Scratch { x, products, .. } = scratch;
        for j in span.clone() {
            x[j] = Quad::new(particles.position[j], 0.0);
        }
        for _ in 0..AUDIT_STEPS {
            elastic::fit(constants, x, audited, (products, None), span.clone(), workers);
        }
        force.linear.fill(Vec3::ZERO);
        elastic::add_forces(constants, products, span.clone(), 1.0, force.linear, workers);
        let position = &particles.position;
        let of = |i: usize| elastic::energy(constants, position, audited[i], i);
        workers.sum(span, &|leaf: Span| leaf.map(of).sum::<f64>())
    }

    fn strain(&self, particles: &Particles, i: usize) -> [f32; 3] {
        let (.., e) = elastic::stretch(&self.rest, &particles.position, self.rotation[i], i);
        log_stretches(symmetric_eigen(&e).0.map(|e| 1.0 + e)).value
    }

    fn stress(&self, particles: &Particles, i: usize) -> Option<Sym3> {
        let (r, _, e) = elastic::stretch(&self.rest, &particles.position, self.rotation[i], i);
        Some(self.rest.stress(i, e).conjugate(r))
    }

    fn iterations(&self) -> u32 {
        self.substeps
    }

    fn rotations(&self) -> &[Rot] {
        &self.rotation
    }

    fn is_inside(&self, i: usize) -> bool {
        self.rest.full[i] * self.rest.coverage[i] >= 3.0 * INSIDE
    }

    /// What is nowhere turned by more than 45° against its middle does not touch itself; what hangs by a thread turns anyhow.
    fn is_bent(&self, span: &Span) -> Option<bool> {
        let back = self.rotation[(span.start + span.end) / 2].inverse();
        let held_up = |i: &usize| self.rest.coverage[*i] >= COVERED;
        let turned = |i: usize| (back * self.rotation[i]).w.abs() < BENT;
        Some(span.clone().filter(held_up).any(turned))
    }

    fn touches_own(&self, span: &Span) -> bool {
        span.len() >= CRUMB
    }

    fn particle_count(&self) -> usize {
        self.rotation.len()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        self.rest.pairs.of(i)
    }

    fn bond_count(&self) -> usize {
        self.bond_count
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

    fn cut(&mut self, particles: &mut Particles, a: usize, b: usize, changes: &mut Changes) -> f64 {
        let before = self.energy_of_two(particles, a, b);
        self.part(particles, a, b, changes);
        for i in [a, b] {
            self.rest.rebuild(i, &particles.rest);
        }
        self.measured = false;
        let freed = before - self.energy_of_two(particles, a, b);
        if let Some(opened) = changes.opened.last_mut() {
            opened.energy = freed as f32;
        }
        freed
    }

    fn slice(
        &mut self,
        particles: &mut Particles,
        span: Span,
        patch: &Patch,
        _: &mut u64,
        changes: &mut Changes,
    ) {
        fracture::slice(self, particles, span, patch, changes);
    }

    fn permute(&mut self, span: Span, order: &[u32], place: &[u32]) {
        let Self { rest, rotation, cooling, disks, pace, moved, .. } = self;
        for (seed, _) in disks.iter_mut().filter(|(seed, _)| span.contains(&(*seed as usize))) {
            *seed = place[*seed as usize - span.start];
        }
        // the lists stay where they are and name their members' new places
        for i in span.clone() {
            for slot in rest.pairs.slots(i) {
                let other = &mut rest.pairs.other[slot];
                *other = place[*other as usize - span.start];
            }
        }
        let moves = Moves::new(span, order);
        moves.permute(&mut rest.pairs.first, &mut moved.whole);
        moves.permute(&mut rest.pairs.count, &mut moved.whole);
        moves.permute(rotation, &mut moved.turns);
        moves.permute(pace, &mut moved.paces);
        moves.permute(&mut rest.matter.fibre, &mut moved.points);
        moves.permute(&mut rest.gaps, &mut moved.flags);
        for column in rest.float_columns_mut().chain([cooling]) {
            moves.permute(column, &mut moved.floats);
        }
    }

    fn truncate(&mut self, count: usize) {
        let gone = self.rest.pairs.count[count..].iter().map(|&n| n as usize);
        self.bond_count -= gone.sum::<usize>() / 2;
        self.rest.float_columns_mut().for_each(|column| column.truncate(count));
        self.rest.pairs.first.truncate(count);
        self.rest.pairs.count.truncate(count);
        self.rest.gaps.truncate(count);
        self.rest.matter.fibre.truncate(count);
        self.cooling.truncate(count);
        self.pace.truncate(count);
        self.disks.retain(|(seed, _)| (*seed as usize) < count);
        self.rotation.truncate(count);
        self.audited.truncate(count);
    }

    fn set_material(&mut self, field: MaterialField, value: f32) -> Result<(), NeedsReload> {
        if field == MaterialField::Density {
            return Err(NeedsReload);
        }
        let Some(column) = self.rest.matter.of_field(field) else { return Ok(()) };
        column.fill(value);
        self.stale = true;
        Ok(())
    }

    fn validate(&self, particles: &Particles) {
        let Rest { pairs, coverage, .. } = &self.rest;
        assert_eq!(self.rotation.len(), particles.len());
        assert_eq!(pairs.check(particles.len()), Ok(()));
        let mut bonds = 0;
        for i in 0..particles.len() {
            let list = pairs.of(i);
            bonds += list.len();
            for (k, &j) in list.iter().enumerate() {
                assert!(j as usize != i, "particle {i} sees itself");
                assert!(!list[..k].contains(&j), "particle {i} sees {j} twice");
            }
            let r = self.rotation[i];
            let norm = r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w;
            assert!((norm - 1.0).abs() < 1e-5, "rotation {i} has norm² {norm}");
            assert!(coverage[i] <= 1.0 + 1e-5, "particle {i} sees more than at rest");
        }
        assert_eq!(bonds, 2 * self.bond_count, "bonds are miscounted");
        // some of them: all take long
        let mut fresh = self.rest.clone();
        for i in (0..particles.len()).step_by(61) {
            fresh.rebuild(i, &particles.rest);
            let slots = pairs.slots(i);
            assert_eq!(
                pairs.weight[slots.clone()],
                fresh.pairs.weight[slots],
                "stale weights of {i}"
            );
            assert_eq!(coverage[i], fresh.coverage[i], "stale coverage of {i}");
        }
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.floats(&self.rotation);
        hash.column(&self.rest.pairs.count);
        hash.floats(&self.rest.coverage);
        hash.floats(&self.cooling);
        hash.floats(&self.pace);
        hash.floats(&self.quickened);
        if let Some(tissue) = &self.rest.tissue {
            tissue.plastic.iter().for_each(|column| hash.floats(column));
        }
        for (seed, disk) in &self.disks {
            hash.number(u64::from(*seed));
            hash.floats(&[*disk]);
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let Rest { pairs, matter, full, support, scale, stiffest, extent, tissue, .. } = &self.rest;
        bytes.floats(&[*support, *scale, *stiffest]);
        bytes.floats(&extent.to_floats());
        bytes.column(&pairs.first);
        bytes.column(&pairs.count);
        bytes.column(&pairs.other);
        bytes.floats(&pairs.opacity);
        bytes.floats(full);
        for column in matter.columns() {
            bytes.floats(column);
        }
        bytes.floats(bytemuck::cast_slice::<Vec3, [f32; 3]>(&matter.fibre));
        bytes.floats(&self.rotation);
        bytes.floats(&self.cooling);
        bytes.floats(&self.pace);
        bytes.floats(&self.quickened);
        let flowed = tissue.as_ref().map_or(0.0, |tissue| tissue.squeezed);
        bytes.floats(&[flowed]);
        if let Some(tissue) = tissue {
            tissue.plastic.iter().chain([&tissue.hardened]).for_each(|column| bytes.floats(column));
        }
        bytes.column(&self.disks.iter().map(|(seed, _)| *seed).collect::<Vec<_>>());
        bytes.floats(&self.disks.iter().map(|(_, disk)| *disk).collect::<Vec<_>>());
    }

    fn load(
        &mut self,
        reader: &mut Reader<'_>,
        particles: &Particles,
    ) -> Result<(), SnapshotError> {
        let count = particles.len();
        let scalars: Vec<f32> = reader.column_of(3)?;
        let extent: Vec<f32> = reader.column_of(2)?;
        let pairs = Pairs {
            first: reader.column_of(count)?,
            count: reader.column_of(count)?,
            other: reader.column()?,
            opacity: reader.column()?,
            weight: Vec::new(),
        };
        pairs.check(count).map_err(|what| reader.damaged(what))?;
        let full = reader.column_of(count)?;
        let mut matter = Matter::default();
        for column in matter.columns_mut() {
            *column = reader.column_of(count)?;
        }
        let fibre: Vec<[f32; 3]> = reader.column_of(count)?;
        matter.fibre = fibre.into_iter().map(Vec3::from).collect();
        let mut rest = Rest {
            pairs,
            support: scalars[0],
            scale: scalars[1],
            stiffest: scalars[2],
            extent: Extent::from_floats([extent[0], extent[1]]),
            matter,
            full,
            ..Rest::default()
        };
        let rotation = reader.column_of(count)?;
        let cooling = reader.column_of(count)?;
        let pace: Vec<Pace> = reader.column()?;
        if pace.len() != if rest.matter.is_fibrous() { count } else { 0 } {
            return Err(reader.damaged("a column of wrong length"));
        }
        let quickened: Vec<f32> = reader.column_of(2)?;
        let quickened = [quickened[0], quickened[1]];
        let squeezed: Vec<f32> = reader.column_of(1)?;
        if squeezed[0] > 0.0 {
            let mut tissue = Tissue { squeezed: squeezed[0], ..Tissue::new(count) };
            for column in tissue.plastic.iter_mut().chain([&mut tissue.hardened]) {
                *column = reader.column_of(count)?;
            }
            rest.tissue = Some(tissue);
        }
        rest.follow(&particles.rest);
        let seeds: Vec<u32> = reader.column()?;
        let disks: Vec<Disk> = reader.column_of(seeds.len())?;
        if seeds.iter().any(|&seed| seed as usize >= count) {
            return Err(reader.damaged("a disk of a particle that does not exist"));
        }
        let disks = seeds.into_iter().zip(disks).collect();
        let fresh = Self::from_rest(rest, &particles.mass);
        *self = Self { rotation, cooling, pace, quickened, disks, ..fresh };
        Ok(())
    }
}

impl Explicit for Meshless {
    fn steps(&self) -> u32 {
        self.substeps
    }

    fn start(
        &mut self,
        particles: &Particles,
        span: Span,
        held: &mut [Held],
        step: &Step,
        steps: u32,
    ) {
        let times = [step.h, step.h / steps as f32];
        elastic::start(particles, &mut self.scratch, span, held, times, &step.workers);
    }

    fn kick(&mut self, span: Span, held: &mut [Held], step: &Step, steps: u32) {
        let times = ([step.h / steps as f32, 0.0, 1.0 / steps as f32], true);
        let (rotation, scratch) = (&mut self.rotation, &mut self.scratch);
        elastic::kick(constants!(self), rotation, scratch, span, held, times, &step.workers);
    }

    fn velocity(&self, i: usize) -> Vec3 {
        self.scratch.v[i].vector()
    }

    fn set_velocity(&mut self, i: usize, v: Vec3) {
        self.scratch.v[i] = Quad::new(v, 0.0);
    }

    fn drift(&mut self, span: Span, d: f32) {
        elastic::drift(&mut self.scratch, span, d);
    }

    fn finish(&mut self, particles: &mut Particles, span: Span, held: &[Held], step: &Step) {
        elastic::finish(particles, &self.scratch, span, held, &step.workers);
    }
}

impl Meshless {
    /// All that follows from a material that has changed.
    fn follow_material(&mut self, particles: &Particles) {
        self.rest.follow(&particles.rest);
        let Self { rest, pace, .. } = self;
        self.longest = rest.longest_substep(&particles.mass, elastic::COURANT);
        self.lasting = rest.matter.is_lasting();
        let count = if rest.matter.is_fibrous() { particles.len() } else { 0 };
        pace.resize(count, Pace::default());
        self.measured = true;
        self.stale = false;
    }

    /// D at a particle, in N/m.
    fn diagonal(&self, particles: &Particles, j: usize, h: f32) -> f32 {
        particles.mass[j] / (h * h) + self.reached * self.rest.diagonal[j]
    }

    /// What two particles add to Ψ, in J.
    fn energy_of_two(&self, particles: &Particles, a: usize, b: usize) -> f64 {
        let of = |i| elastic::energy(constants!(self), &particles.position, self.rotation[i], i);
        of(a) + of(b)
    }

    /// Takes two particles out of each other's sight and logs it; their weights are not yet those of what is left.
    fn part(&mut self, particles: &mut Particles, a: usize, b: usize, changes: &mut Changes) {
        self.rest.part(a, b);
        self.bond_count -= 1;
        let [x, y] = [a, b].map(|i| particles.position[i]);
        for i in [a, b] {
            particles.broken[i] = true;
        }
        let spacing = self.rest.spacing[a].min(self.rest.spacing[b]);
        changes.bonds_cut.push([particles.id[a], particles.id[b]]);
        changes.opened.push(Opened {
            // told by the world
            piece: PieceId(0),
            ends: [particles.id[a], particles.id[b]],
            position: (0.5 * (x + y)).as_dvec3(),
            normal: (y - x).normalize_or(Vec3::X),
            // a face of the lattice belongs to nine pairs that cross it
            area: spacing * spacing / 9.0,
            energy: 0.0,
            material: particles.material[a],
            through: true,
        });
    }
}
