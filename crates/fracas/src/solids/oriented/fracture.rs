//! Fracture (000 sec. 3.5): groups whose elastic strain is beyond what their material stands lose the bonds that cross
//! the plane of the crack.
//!
//! ```text
//! s̄ ← s̄ + (1 − exp(−h/T)) (log λ_max − s̄)          load averaged over T
//! parts where s̄ > τ,   plane through c with the normal R e_max              erratum 000.20
//! side of a member: sign of (x_j − c)·n                                      erratum 000.21
//! ```
//!
//! The most overloaded group is cut first. Those that have lost a member by it are measured again before they are cut.

use super::elastic;
use super::{Oriented, Tension};
use crate::math::{log_stretches, ops, symmetric_eigen};
use crate::parallel::Span;
use crate::solids::{Particles, Residual, Step};
use crate::world::{Changes, Opened, PieceId};
use glam::Vec3;

/// Bonds that a piece may lose within 1/60 s: this share of them,
const BUDGET_SHARE: f32 = 0.1;
/// and these in any case: with 128 a plate of 300 particles stopped a ball that otherwise goes through, a hidden strength.
const BUDGET_LEAST: f32 = 1024.0;
/// The time that a budget is for, s.
const BUDGET_TIME: f32 = 1.0 / 60.0;
/// Members closer to the plane than this, in spacings, are on neither side.
const ON_PLANE: f32 = 0.05;
/// Members closer to it than this lie beside the middle: the crack may have come through them.
const BESIDE: f32 = 0.5;
/// The centre of a group that a crack has passed is farther than this from its particle, in spacings.
const SHIFTED: f32 = 0.05;

/// A group that is to be cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overload {
    /// Load over what it stands.
    ratio: f32,
    group: u32,
}

/// Room for a stage; never read across steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    pub tension: Vec<Tension>,
    queue: Vec<Overload>,
    /// Whether a group has lost a member in this substep.
    touched: Vec<bool>,
    /// Members across the plane.
    across: Vec<u32>,
}

impl Room {
    pub(super) fn new(count: usize) -> Self {
        Self {
            tension: vec![Tension::default(); count],
            queue: Vec::with_capacity(count),
            touched: vec![false; count],
            across: Vec::with_capacity(64),
        }
    }

    /// At least so many.
    pub(super) fn grow(&mut self, count: usize) {
        if self.tension.len() < count {
            self.tension.resize(count, Tension::default());
            self.queue.reserve(count);
            self.touched.resize(count, false);
        }
    }
}

/// Cuts what is overloaded. `credit` is the time, in s, for which cuts are still allowed. Returns the elastic energy that
/// the cuts have set free, in J.
pub(super) fn fracture(
    solid: &mut Oriented,
    particles: &mut Particles,
    span: Span,
    step: &Step,
    residual: Residual,
    credit: &mut f32,
    changes: &mut Changes,
) -> f64 {
    *credit = (*credit + step.h).min(step.h);
    average_loads(solid, particles, span.clone(), step.h, residual);
    if solid.room.queue.is_empty() {
        return 0.0;
    }
    let bonds: u32 = solid.rest.groups.count[span.clone()].iter().map(|n| n - 1).sum();
    let per_second = (0.5 * BUDGET_SHARE * bonds as f32).max(BUDGET_LEAST) / BUDGET_TIME;
    let mut left = (*credit * per_second) as usize;
    let allowed = left;

    let mut queue = std::mem::take(&mut solid.room.queue);
    queue.sort_unstable_by(|a, b| {
        let id = |o: &Overload| particles.id[o.group as usize];
        b.ratio.total_cmp(&a.ratio).then(id(a).cmp(&id(b)))
    });
    solid.room.touched[span].fill(false);
    let mut work = 0.0;
    for overload in queue.drain(..) {
        if left == 0 {
            break;
        }
        let g = overload.group as usize;
        let Some(normal) = solid.crack_normal(particles, g) else { continue };
        work += open(solid, particles, g, normal, &mut left, changes);
    }
    solid.room.queue = queue;
    *credit -= (allowed - left) as f32 / per_second;
    work
}

/// Brings the loads up to this substep and queues what is beyond its limit.
fn average_loads(
    solid: &mut Oriented,
    particles: &Particles,
    span: Span,
    h: f32,
    residual: Residual,
) {
    let Oriented { rest, room, reached, .. } = solid;
    let limits = &mut rest.limits;
    room.queue.clear();
    // of most bodies all groups have one
    let (mut time, mut blend) = (0.0, 1.0);
    for g in span {
        if limits.load_time[g] != time {
            time = limits.load_time[g];
            blend = if time > 0.0 { -ops::exp_m1(-h / time) } else { 1.0 };
        }
        limits.load[g] += blend * (room.tension[g].strain - limits.load[g]);
        let limit = limits.break_strain[g] * particles.strength[g];
        if limits.load[g] > limit && rest.groups.count[g] > 1 {
            let area = limits.spacing[g] * limits.spacing[g];
            if !residual.allows_crack(limit * limits.modulus[g] * *reached * area) {
                continue;
            }
            let ratio = if limit > 0.0 { limits.load[g] / limit } else { f32::MAX };
            room.queue.push(Overload { ratio, group: g as u32 });
        }
    }
}

impl Oriented {
    /// Normal of the crack that group `g` is to open, in the world; none if it no longer has to.
    fn crack_normal(&self, particles: &Particles, g: usize) -> Option<Vec3> {
        let measured = self.room.tension[g];
        if !self.room.touched[g] && measured.normal != Vec3::ZERO {
            return Some(measured.normal);
        }
        if self.rest.groups.count[g] == 1 {
            return None;
        }
        let (r, stretch) = elastic::stretch(&self.rest, particles, self.rotation[g], g);
        let (values, vectors) = symmetric_eigen(&stretch);
        let log = log_stretches(values);
        let limit = self.rest.limits.break_strain[g] * particles.strength[g];
        (!log.clamped && log.value[0] > limit).then(|| r * vectors.x_axis)
    }
}

/// Cuts the bonds of particle `g` that cross a plane through the centre of its group, `left` at most.
fn open(
    solid: &mut Oriented,
    particles: &mut Particles,
    g: usize,
    normal: Vec3,
    left: &mut usize,
    changes: &mut Changes,
) -> f64 {
    let mut across = std::mem::take(&mut solid.room.across);
    find_across(solid, particles, g, normal, &mut across);
    let mut work = 0.0;
    for &j in across.iter().take(*left) {
        let j = j as usize;
        let cut = cut(solid, particles, g, j, normal, changes);
        solid.room.touched[j] = true;
        work += cut;
    }
    *left -= across.len().min(*left);
    // what it carried is gone; what is left must show itself again
    solid.rest.limits.load[g] = 0.0;
    solid.room.touched[g] = true;
    across.clear();
    solid.room.across = across;
    work
}

/// Members of group `g` on the other side of the plane than its own particle.
fn find_across(
    solid: &Oriented,
    particles: &Particles,
    g: usize,
    normal: Vec3,
    across: &mut Vec<u32>,
) {
    let rest = &solid.rest;
    let list = rest.groups.of(g);
    let weighted = |&j: &u32| rest.weight[j as usize] * particles.position[j as usize];
    let centre = list.iter().map(weighted).sum::<Vec3>() * rest.inv_mass[g];
    let height = |j: usize| (particles.position[j] - centre).dot(normal);
    let near = ON_PLANE * rest.limits.spacing[g];
    let own = height(g);
    let above = if own.abs() > near { own > 0.0 } else { solid.side(particles, g, normal, height) };
    across.clear();
    across.extend(list[1..].iter().filter(|&&j| {
        let s = height(j as usize);
        s.abs() > near && (s > 0.0) != above
    }));
}

impl Oriented {
    /// On which side of its plane a particle stays that lies in it: where those beside it stay that the crack has passed
    /// already, so that it runs on straight; else where more mass is; else where the oldest neighbour is.
    fn side(
        &self,
        particles: &Particles,
        g: usize,
        normal: Vec3,
        height: impl Fn(usize) -> f32,
    ) -> bool {
        let rest = &self.rest;
        let (spacing, list) = (rest.limits.spacing[g], &rest.groups.of(g)[1..]);
        let (mut passed, mut mass) = (0.0, 0.0);
        let mut oldest: Option<usize> = None;
        for &j in list {
            let j = j as usize;
            let s = height(j);
            if s.abs() < BESIDE * spacing {
                if rest.is_broken(j) {
                    let shift = rest.centre_of(j) - particles.rest[j];
                    passed += (self.rotation[j] * shift).dot(normal);
                }
                continue;
            }
            mass += particles.mass[j] * s.signum();
            if oldest.is_none_or(|o| particles.id[j] < particles.id[o]) {
                oldest = Some(j);
            }
        }
        if passed.abs() > SHIFTED * spacing {
            return passed > 0.0;
        }
        if mass.abs() > 1e-3 * particles.mass[g] {
            return mass > 0.0;
        }
        oldest.is_some_and(|j| height(j) > 0.0)
    }
}

/// Removes the bond of particles `a` and `b` and rebuilds the two groups centred on them; no
/// other group has lost a member ("After a cut" of 000). Returns the energy set free, in J: groups keep their stiffness
/// and lose a member, so it is at least 0.
pub(super) fn cut(
    solid: &mut Oriented,
    particles: &mut Particles,
    a: usize,
    b: usize,
    normal: Vec3,
    changes: &mut Changes,
) -> f64 {
    let before = solid.energy_of_two(particles, a, b);
    let area = solid.rest.groups.slot(a, b).map_or(0.0, |slot| solid.rest.groups.area[slot]);
    for (g, j) in [(a, b), (b, a)] {
        solid.rest.groups.remove(g, j);
        solid.rest.rebuild_group(g, &particles.rest);
        let (r, _) = elastic::stretch(&solid.rest, particles, solid.rotation[g], g);
        solid.rotation[g] = r;
    }
    for j in [a, b] {
        solid.rest.rebuild_share(j);
        particles.broken[j] = true;
        for k in 0..solid.rest.groups.count[j] as usize {
            let g = solid.rest.groups.of(j)[k] as usize;
            solid.rest.rebuild_limit(g);
        }
    }
    solid.bond_count -= 1;
    let energy = before - solid.energy_of_two(particles, a, b);
    let (x, y) = (particles.position[a], particles.position[b]);
    changes.bonds_cut.push([particles.id[a], particles.id[b]]);
    changes.opened.push(Opened {
        // told by the world
        piece: PieceId(0),
        ends: [particles.id[a], particles.id[b]],
        position: (0.5 * (x + y)).as_dvec3(),
        normal,
        area,
        energy: energy as f32,
        material: particles.material[a],
        through: true,
    });
    energy
}

impl Oriented {
    /// What the groups of two particles add to Ψ, in J.
    fn energy_of_two(&self, particles: &Particles, a: usize, b: usize) -> f64 {
        let of = |g: usize| elastic::group_energy(self.constants(), particles, self.rotation[g], g);
        of(a) + of(b)
    }
}
