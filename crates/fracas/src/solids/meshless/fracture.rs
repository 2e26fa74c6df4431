//! Tearing (002 sec. 3.1): where the material fails, a disk is put between its particles that grows and takes them out of each other's sight.
//!
//! ```text
//! T̄ = (¼ Σ c T_i + Σ c T_j) / (5/4 Σ c)                     over those a particle sees
//! tears where ν = a·T̄ a > τ, a the principal direction, turned off the fibre           see `fibres`
//! τ = min(σ_t, K_c √(2/(π d))) beside a tear, σ_t elsewhere
//! c = X ± ½ d n,   k = h min(2.5, 1 + 2 (ν − τ)/τ)                                       errata 002.14, 15
//! α = 1 − s²,   s = clamp((|p − c| − γ k)/(k (1 − γ)), 0, 1)                             erratum 002.13
//! ```
//!
//! Disks live in the rest shape: there the normal is S a, neighbours are who they were, and a disk that grows need not be carried along.
//! A pair that crosses a disk at p gets A ← min(1, A + α), spread over the time that the disk grows. Pairs that no longer see each other are
//! bonds cut.
//!
//! What keeps a tear from becoming dust, beyond the text: stress is averaged over those in sight; only the most overloaded of a neighbourhood
//! tears; particles that see less than a share of their neighbours, or were touched just now, do not tear; threads, damaged pairs that
//! are stretched to a multiple of the strain of failure, fade out. The softer the tear (γ), the longer they last.

use super::fibres;
use super::rest::WHOLE;
use super::{Constants, Meshless, elastic};
use crate::geometry::Patch;
use crate::math::Sym3;
use crate::parallel::Span;
use crate::solids::{Particles, Residual, Step};
use crate::world::Changes;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Disks that a piece may open per second.
const PER_SECOND: f32 = 6400.0;
/// Share of its neighbourhood below which a particle opens no disk of its own.
pub(super) const COVERED: f32 = 0.4;
/// Time for which a particle that was touched by a disk opens none, s.
const COOLING: f32 = 0.01;
/// Largest radius of a disk, in h.
const LARGEST: f32 = 2.5;
/// What a disk begins with, of its radius.
const BEGINNING: f32 = 0.25;
/// Time in which a disk of a clean tear grows, s.
const GROWTH: f32 = 0.025;
/// Strains of failure at which a thread of a clean tear fades.
const THREAD: f32 = 4.0;
/// Rate at which a thread fades, 1/s.
const FADING: f32 = 50.0;
/// Opacity from which on a pair is damaged.
const DAMAGED: f32 = 0.02;
/// Stretch, in h, beyond which a damaged pair is parted (002 sec. 3.1).
const APART: f32 = 2.5;

/// A fracture disk that grows, in the rest shape. State.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Disk {
    centre: [f32; 3],
    normal: [f32; 3],
    /// k, m.
    radius: f32,
    /// γ.
    rigidity: f32,
    /// How long it has grown, and until when it does, s.
    age: f32,
    growth: f32,
}

/// What a particle is loaded by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tension {
    /// ν/τ; 0 if it does not tear.
    ratio: f32,
    /// a, in the frame that turns with it.
    axis: Vec3,
}

/// Room for the stage; never read across steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    tension: Vec<Tension>,
    /// Neighbours of a particle whose thread fades, one bit each.
    fading: Vec<u64>,
    queue: Vec<u32>,
    /// Particles whose pairs have changed.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Round in which a walk came by.
    seen: Vec<u32>,
    round: u32,
    walk: Vec<u32>,
    parted: Vec<[u32; 2]>,
    readings: Vec<f32>,
}

impl Room {
    pub(super) fn new(count: usize) -> Self {
        Self {
            tension: vec![Tension::default(); count],
            fading: vec![0; count],
            is_touched: vec![false; count],
            seen: vec![0; count],
            ..Self::default()
        }
    }

    fn touch(&mut self, i: usize) {
        if !self.is_touched[i] {
            self.is_touched[i] = true;
            self.touched.push(i as u32);
        }
    }
}

/// Strains of failure at which threads fade: 4 in a clean tear, 16 where it is soft, so that strands hang on.
fn thread_strain(rigidity: f32) -> f32 {
    (22.0 - 21.0 * rigidity).max(THREAD)
}

/// α of a disk of this radius at a distance from its centre (002 eq. 3.2, erratum 002.13).
fn opacity(distance: f32, radius: f32, rigidity: f32) -> f32 {
    if distance > radius {
        return 0.0;
    }
    let s = ((distance - rigidity * radius) / (radius * (1.0 - rigidity))).clamp(0.0, 1.0);
    1.0 - s * s
}

impl Disk {
    fn radius_at(&self, age: f32) -> f32 {
        let grown = if self.growth > 0.0 { (age / self.growth).min(1.0) } else { 1.0 };
        self.radius * (BEGINNING + (1.0 - BEGINNING) * grown)
    }
}

/// Opens disks where the material fails, lets all grow and threads fade. Returns the elastic energy that this set free, in J.
pub(super) fn fracture(
    solid: &mut Meshless,
    particles: &mut Particles,
    span: Span,
    step: &Step,
    residual: Residual,
    credit: &mut f32,
    changes: &mut Changes,
) -> f64 {
    // at least one, however short the steps are
    *credit = (*credit + step.h).min(step.h.max(1.0 / PER_SECOND));
    for time in &mut solid.cooling[span.clone()] {
        *time = (*time - step.h).max(0.0);
    }
    let rate = solid.strain_rate(particles, span.clone(), step);
    scan(solid, particles, span.clone(), (rate, residual), step);
    choose(solid, particles, span.clone());
    let allowed = (*credit * PER_SECOND) as usize;
    let queue = std::mem::take(&mut solid.room.queue);
    let opened = queue.len().min(allowed);
    for &i in &queue[..opened] {
        let disk = place(solid, particles, i as usize);
        solid.disks.push((i, disk));
    }
    *credit -= opened as f32 / PER_SECOND;
    solid.room.queue = queue;
    grow(solid, particles, &span, step.h);
    fade_threads(solid, particles, span, step);
    follow(solid, particles, changes)
}

/// What every particle of a piece is loaded by.
fn scan(
    solid: &mut Meshless,
    particles: &Particles,
    span: Span,
    how: (f32, Residual),
    step: &Step,
) {
    let mut tension = std::mem::take(&mut solid.room.tension);
    let seen = &*solid;
    step.workers.for_span(span.clone(), &mut tension[span], &|range, tension| {
        for (tension, i) in tension.iter_mut().zip(range) {
            *tension = seen.tension(particles, i, how);
        }
    });
    solid.room.tension = tension;
}

/// Queues the most overloaded particle of every neighbourhood, the most overloaded first.
fn choose(solid: &mut Meshless, particles: &Particles, span: Span) {
    let mut queue = std::mem::take(&mut solid.room.queue);
    queue.clear();
    let tension = &solid.room.tension;
    let order = |a: usize, b: usize| {
        let by_ratio = tension[b].ratio.total_cmp(&tension[a].ratio);
        by_ratio.then(particles.id[a].cmp(&particles.id[b]))
    };
    for i in span.filter(|&i| tension[i].ratio > 1.0) {
        let others = solid.rest.pairs.of(i);
        if others.iter().all(|&j| order(i, j as usize).is_lt()) {
            queue.push(i as u32);
        }
    }
    queue.sort_unstable_by(|&a, &b| order(a as usize, b as usize));
    solid.room.queue = queue;
}

impl Meshless {
    /// Stress that toughness allows a particle beside a tear, Pa: the mean of K/√(2πr) over its spacing.
    fn tip_limit(&self, i: usize) -> f32 {
        let spread = (std::f32::consts::FRAC_2_PI / self.rest.spacing[i]).sqrt();
        self.rest.matter.toughness[i] * spread
    }

    /// τ of a particle, Pa.
    fn limit(&self, particles: &Particles, i: usize) -> f32 {
        let matter = &self.rest.matter;
        let whole = |&j: &u32| self.rest.coverage[j as usize] >= WHOLE;
        let mut limit = matter.strength[i];
        if matter.toughness[i] < f32::INFINITY && !self.rest.pairs.of(i).iter().all(whole) {
            limit = limit.min(self.tip_limit(i));
        }
        limit * particles.strength[i]
    }

    /// What a particle is loaded by; nothing if it may not tear.
    fn tension(
        &self,
        particles: &Particles,
        i: usize,
        (rate, residual): (f32, Residual),
    ) -> Tension {
        let rest = &self.rest;
        let none = Tension::default();
        let own = rest.stress(i, self.scratch.strain[i]);
        let across = rest.matter.strength_ratio[i];
        let least = rest.matter.strength[i].min(self.tip_limit(i)) * particles.strength[i];
        let least = least * across.min(1.0);
        if own.dot(own) < 0.5 * least * least || self.cooling[i] > 0.0 {
            return none;
        }
        if particles.held[i] || rest.coverage[i] < COVERED || rest.pairs.count[i] == 0 {
            return none;
        }
        let limit = self.limit(particles, i);
        let area = rest.spacing[i] * rest.spacing[i];
        if limit == f32::INFINITY || !residual.allows_crack(limit * area) {
            return none;
        }
        let (mut sum, mut all) = (Sym3::ZERO, 0.0);
        for slot in rest.pairs.slots(i) {
            let j = rest.pairs.other[slot] as usize;
            let c = self.visible_weight(i, slot);
            sum = sum + c * rest.stress(j, self.scratch.strain[j]);
            all += c;
        }
        let mean = (sum + (0.25 * all) * own) * (1.0 / (1.25 * all));
        let fibre = fibres::carried(rest.axis_of(i), self.scratch.strain[i]);
        let mut axis = fibres::weakest(mean, fibre, across);
        let influence = rest.matter.influence[i];
        if influence < 1.0 {
            let beta = fibres::influence(influence, rate, rest.matter.rate[i]);
            axis = fibres::bent(axis, fibre, beta);
        }
        let limit = limit * fibres::strength(axis, fibre, across);
        // a tear beside the fibre is pulled by what pulls across it, not by the largest stress
        let ratio = if limit > 0.0 { axis.dot(mean.mul_vec(axis)) / limit } else { f32::MAX };
        if ratio > 1.0 { Tension { ratio, axis } } else { none }
    }

    /// c of a pair, 1/m² with the factor on all weights.
    fn visible_weight(&self, i: usize, slot: usize) -> f32 {
        let kappa = &self.rest.hourglass;
        let j = self.rest.pairs.other[slot] as usize;
        self.rest.pairs.weight[slot].0[3] / (kappa[i] + kappa[j])
    }

    /// ε̇ of a piece as its fibres feel it, 1/s; 0 if there are none.
    fn strain_rate(&mut self, particles: &Particles, span: Span, step: &Step) -> f32 {
        if self.pace.is_empty() {
            return 0.0;
        }
        let mut pace = std::mem::take(&mut self.pace);
        let seen = &*self;
        step.workers.for_span(span.clone(), &mut pace[span.clone()], &|range, pace| {
            let matter = &seen.rest.matter;
            for (pace, i) in pace.iter_mut().zip(range) {
                let failure = matter.strength[i] / matter.modulus[i];
                pace.follow(seen.scratch.strain[i].norm(), failure, step.h);
            }
        });
        self.pace = pace;
        let mut readings = std::mem::take(&mut self.room.readings);
        readings.clear();
        readings.extend(
            span.filter(|&i| self.rest.coverage[i] >= WHOLE && !particles.held[i])
                .map(|i| self.pace[i].rate()),
        );
        let rate = fibres::median(&mut readings);
        self.room.readings = readings;
        rate
    }
}

/// The disk of an overloaded particle: half a spacing beside it, on the side that is pulled more.
fn place(solid: &Meshless, particles: &Particles, i: usize) -> Disk {
    let rest = &solid.rest;
    let Tension { ratio, axis } = solid.room.tension[i];
    let strain = solid.scratch.strain[i];
    // F_Pᵀ S a: the plane as it lies in the rest shape
    let normal = axis + strain.mul_vec(axis);
    let normal = (rest.flowed(i).transpose() * normal).normalize_or(axis);
    // averages over both sides, not sums (erratum 002.15)
    let mut sides = [(0.0, 0.0); 2];
    for slot in rest.pairs.slots(i) {
        let j = rest.pairs.other[slot] as usize;
        let c = solid.visible_weight(i, slot);
        let height = rest.pairs.weight[slot].vector().dot(normal);
        let stress = rest.stress(j, solid.scratch.strain[j]);
        let (sum, all) = &mut sides[usize::from(height > 0.0)];
        *sum += c * axis.dot(stress.mul_vec(axis));
        *all += c;
    }
    let [left, right] = sides.map(|(sum, all)| if all > 0.0 { sum / all } else { f32::MIN });
    let side = if right >= left { 0.5 } else { -0.5 };
    let rigidity = rest.matter.rigidity[i];
    Disk {
        centre: (particles.rest[i] + side * rest.spacing[i] * normal).to_array(),
        normal: normal.to_array(),
        radius: rest.support * (1.0 + 2.0 * (ratio - 1.0)).min(LARGEST),
        rigidity,
        age: 0.0,
        growth: GROWTH * (thread_strain(rigidity) / THREAD).sqrt(),
    }
}

/// Disks of a piece grow and dim the pairs that they cross.
fn grow(solid: &mut Meshless, particles: &Particles, span: &Span, h: f32) {
    let mut disks = std::mem::take(&mut solid.disks);
    disks.retain_mut(|(seed, disk)| {
        if !span.contains(&(*seed as usize)) {
            return true;
        }
        let before = if disk.age > 0.0 { disk.radius_at(disk.age) } else { 0.0 };
        disk.age += h;
        dim(solid, &particles.rest, *seed as usize, disk, [before, disk.radius_at(disk.age)]);
        disk.age < disk.growth
    });
    solid.disks = disks;
}

/// Pairs around a particle that cross a disk get what it has become more opaque by. What is reached by walking from neighbour to neighbour
/// around it: other parts of the body, or what lies behind another tear, are not hit.
fn dim(solid: &mut Meshless, rest: &[Vec3], seed: usize, disk: &Disk, [before, now]: [f32; 2]) {
    let Meshless { rest: shape, room, .. } = solid;
    let (centre, normal) = (Vec3::from(disk.centre), Vec3::from(disk.normal));
    let height = |i: usize| (rest[i] - centre).dot(normal);
    let (h, reach) = (shape.support, now + shape.support);
    let near = |i: usize| rest[i].distance_squared(centre) <= reach * reach && height(i).abs() <= h;
    room.round += 1;
    let round = room.round;
    let mut walk = std::mem::take(&mut room.walk);
    walk.clear();
    walk.push(seed as u32);
    room.seen[seed] = round;
    let mut at = 0;
    while at < walk.len() {
        let i = walk[at] as usize;
        at += 1;
        for slot in shape.pairs.slots(i) {
            let j = shape.pairs.other[slot] as usize;
            if room.seen[j] != round && near(j) {
                room.seen[j] = round;
                walk.push(j as u32);
            }
            // from the lower place, so that both find the same point; one that is not walked to is met from here alone
            if j < i && room.seen[j] == round {
                continue;
            }
            let [a, b] = [i.min(j), i.max(j)];
            let (below, above) = (height(a), height(b));
            if (below > 0.0) == (above > 0.0) {
                continue;
            }
            let point = rest[a] + (rest[b] - rest[a]) * (below / (below - above));
            let distance = point.distance(centre);
            let old = if before > 0.0 { opacity(distance, before, disk.rigidity) } else { 0.0 };
            let more = opacity(distance, now, disk.rigidity) - old;
            if more <= 0.0 {
                continue;
            }
            darken(shape, slot, [i, j], more);
            room.touch(i);
            room.touch(j);
        }
    }
    room.walk = walk;
}

/// A ← min(1, A + α) in both lists.
fn darken(rest: &mut super::Rest, slot: usize, [i, j]: [usize; 2], more: f32) {
    let pairs = &mut rest.pairs;
    let opacity = (pairs.opacity[slot] + more).min(1.0);
    pairs.opacity[slot] = opacity;
    if let Some(back) = pairs.slot(j, i) {
        pairs.opacity[back] = opacity;
    }
}

/// Pairs on both sides of the way of a blade no longer see each other.
pub(super) fn slice(
    solid: &mut Meshless,
    particles: &mut Particles,
    span: Span,
    patch: &Patch,
    changes: &mut Changes,
) {
    let Meshless { rest, room, .. } = &mut *solid;
    for i in span {
        let place = particles.place(i);
        for slot in rest.pairs.slots(i) {
            let j = rest.pairs.other[slot] as usize;
            if i < j && patch.crossing(place, particles.place(j)).is_some() {
                darken(rest, slot, [i, j], 1.0);
                room.touch(i);
                room.touch(j);
            }
        }
    }
    follow(solid, particles, changes);
}

/// Threads of damaged particles fade where they are stretched too far.
fn fade_threads(solid: &mut Meshless, particles: &Particles, span: Span, step: &Step) {
    let mut fading = std::mem::take(&mut solid.room.fading);
    let seen = &*solid;
    step.workers.for_span(span.clone(), &mut fading[span.clone()], &|range, fading| {
        for (fading, i) in fading.iter_mut().zip(range) {
            *fading = seen.threads(particles, i);
        }
    });
    let more = FADING * step.h;
    for i in span {
        let mut bits = fading[i];
        while bits != 0 {
            let k = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let slot = solid.rest.pairs.first[i] as usize + k;
            let j = solid.rest.pairs.other[slot] as usize;
            let far = particles.position[i].distance(particles.position[j]);
            let more = if far > APART * solid.rest.support { 1.0 } else { more };
            darken(&mut solid.rest, slot, [i, j], more);
            solid.room.touch(i);
            solid.room.touch(j);
        }
    }
    solid.room.fading = fading;
}

impl Meshless {
    /// Which pairs of a particle fade, one bit each in the order of its list. Every pair is looked at from one of its ends, and the same from
    /// either.
    fn threads(&self, particles: &Particles, i: usize) -> u64 {
        let rest = &self.rest;
        if rest.coverage[i] >= WHOLE {
            return 0;
        }
        let matter = &rest.matter;
        let strain = |i: usize| matter.strength[i] * particles.strength[i] / matter.modulus[i];
        let mut bits = 0;
        for (slot, k) in rest.pairs.slots(i).zip(0..) {
            let j = rest.pairs.other[slot] as usize;
            if j < i && rest.coverage[j] < WHOLE {
                continue;
            }
            let thin = rest.coverage[i].min(rest.coverage[j]) < COVERED;
            let damaged = rest.pairs.opacity[slot] > DAMAGED || thin;
            let times = thread_strain(matter.rigidity[i].min(matter.rigidity[j]));
            let times = if damaged { times } else { 2.0 * times };
            let longest = 1.0 + times * strain(i).min(strain(j));
            let x = particles.rest[j] - particles.rest[i];
            let length = match rest.tissue {
                // as long as flow has left it
                Some(_) => {
                    0.5 * ((rest.flowed(i) * x).length_squared()
                        + (rest.flowed(j) * x).length_squared())
                }
                None => x.length_squared(),
            };
            let now = particles.position[i].distance_squared(particles.position[j]);
            bits |= u64::from(now > longest * longest * length) << k;
        }
        bits
    }
}

/// What follows for the particles whose pairs have changed. Returns the energy set free, in J.
fn follow(solid: &mut Meshless, particles: &mut Particles, changes: &mut Changes) -> f64 {
    let mut touched = std::mem::take(&mut solid.room.touched);
    if touched.is_empty() {
        solid.room.touched = touched;
        return 0.0;
    }
    touched.sort_unstable();
    let before = solid.energy_of(particles, &touched);
    let seen = changes.opened.len();
    let mut parted = std::mem::take(&mut solid.room.parted);
    for &i in &touched {
        parted.clear();
        for slot in solid.rest.pairs.slots(i as usize) {
            let j = solid.rest.pairs.other[slot];
            let r = particles.rest[i as usize].distance(particles.rest[j as usize]);
            let a = solid.rest.pairs.opacity[slot];
            if super::kernel::weight(r, a, solid.rest.support) == 0.0 {
                parted.push([i, j]);
            }
        }
        for &[i, j] in &parted {
            solid.part(particles, i as usize, j as usize, changes);
        }
    }
    solid.room.parted = parted;
    for &i in &touched {
        solid.rest.rebuild(i as usize, &particles.rest);
        solid.cooling[i as usize] = COOLING;
        solid.room.is_touched[i as usize] = false;
    }
    solid.measured = false;
    let freed = before - solid.energy_of(particles, &touched);
    let opened = &mut changes.opened[seen..];
    let share = freed / opened.len().max(1) as f64;
    opened.iter_mut().for_each(|opened| opened.energy = share as f32);
    touched.clear();
    solid.room.touched = touched;
    freed
}

impl Meshless {
    /// What some particles add to Ψ, in J.
    fn energy_of(&self, particles: &Particles, some: &[u32]) -> f64 {
        let constants = Constants { rest: &self.rest, reached: self.reached, level: self.level };
        let of = |i: usize| elastic::energy(constants, &particles.position, self.rotation[i], i);
        some.iter().map(|&i| of(i as usize)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle of erratum 002.13, and nothing beyond the rim.
    #[test]
    fn disks_are_clear_towards_their_rim() {
        let gamma = 1.0 / 2.4;
        for (d, wanted) in [(0.05, 1.0), (0.10, 0.979592), (0.15, 0.673469), (0.2, 0.0f32)] {
            let found = opacity(d, 0.2, gamma);
            assert!((found - wanted).abs() < 1e-5, "{found} instead of {wanted} at {d}");
        }
        assert_eq!(opacity(0.25, 0.2, gamma), 0.0);
    }
}
