//! Fragments in parts: the groups around them.
//!
//! A bond of the fragment goes to the parts that face it. Parts get groups of their own, with n, weight and stiffness from
//! what they are; a neighbour keeps its n, and its stiffness follows its group, so that what it had lost by cuts stays
//! lost:
//!
//! ```text
//! k ← k · (tr P⁴/tr P³) before / (tr P⁴/tr P³) after
//! ```
//!
//! No group becomes stiffer per weight than that of the fragment was, or than E/(ρ V^⅔) of one that was alone: the sweeps
//! reach no more, and small cells that fell off flew away.

use super::{Oriented, elastic};
use crate::math::{Rot, Sym3, ops};
use crate::solids::{Division, Joined, Part, Particles};
use glam::{DVec3, Vec3};

/// A part faces a neighbour if it reaches at least this share of how far the fragment reached towards it,
const REACHES: f64 = 0.9;
/// and is not farther from it than this many times the part that reaches farthest.
const NEAR: f32 = 1.5;
/// Members of a list that room is taken for, per part.
const LIST: usize = 16;

/// A bond of the fragment: the neighbour, and the area of the face.
type Bond = (u32, f32);

/// Room for so many particles in all.
pub(super) fn make_room(solid: &mut Oriented, count: usize) {
    fn room<T>(list: &mut Vec<T>, count: usize) {
        list.reserve(count.saturating_sub(list.len()));
    }
    let new = count.saturating_sub(solid.rotation.len());
    let Oriented { rest, rotation, audited, moved, scratch, room: stage, frame, .. } = solid;
    let lists = rest.groups.member.len() + LIST * new;
    room(&mut rest.groups.first, count);
    room(&mut rest.groups.count, count);
    room(&mut rest.groups.member, lists);
    room(&mut rest.groups.area, lists);
    rest.float_columns_mut().for_each(|column| room(column, count));
    room(rotation, count);
    room(audited, count);
    room(&mut moved.0, count);
    room(&mut moved.1, lists);
    room(&mut moved.2, count);
    scratch.grow(count);
    stage.grow(count);
    frame.grow(count);
}

/// Puts parts in the place of a particle, in the columns and in the groups.
pub(super) fn divide(solid: &mut Oriented, particles: &mut Particles, division: &Division<'_>) {
    let (j, count) = (division.particle, particles.len());
    let bonds = bonds_of(solid, j);
    let mass = f64::from(particles.mass[j]);
    let side = ops::cbrt(solid.rest.volume[j]);
    let stiffest = solid.rest.stiffness_per_modulus[j].max(side / particles.mass[j]);
    let centre = particles.rest[j];
    particles.divide(division);
    repeat_columns(solid, j, division.parts.len() - 1);

    let places: Vec<u32> =
        (0..division.parts.len()).map(|k| division.place(k, count) as u32).collect();
    let mut lists: Vec<Vec<Bond>> = places.iter().map(|&place| vec![(place, 0.0)]).collect();
    for &Joined { parts: [a, b], area } in division.joined {
        lists[a].push((places[b], area));
        lists[b].push((places[a], area));
    }
    let before: Vec<_> = bonds.iter().map(|&(i, _)| solid.rest.spread_powers(i as usize)).collect();
    for &(i, area) in &bonds {
        let facing = facing(division.parts, particles.rest[i as usize] - centre);
        let share = area / facing.len() as f32;
        facing.iter().for_each(|&k| lists[k].push((i, share)));
        let inherited: Vec<Bond> = facing.iter().map(|&k| (places[k], share)).collect();
        replace(solid, i as usize, j as u32, &inherited);
    }
    for (k, list) in lists.iter().enumerate() {
        write_list(solid, places[k] as usize, list);
        solid.set_part(particles, places[k] as usize, division, k, mass);
    }
    let members = |n: &Vec<Bond>| n.len() - 1;
    // bonds to others are listed in one of the parts' lists, those of parts in two
    let ends: usize = lists.iter().map(members).sum();
    solid.bond_count = solid.bond_count + ends - division.joined.len() - bonds.len();
    solid.rebuild_around(particles, &places, &bonds, &before, stiffest);
}

/// What particle `j` is joined to.
fn bonds_of(solid: &Oriented, j: usize) -> Vec<Bond> {
    let groups = &solid.rest.groups;
    let at = groups.first[j] as usize;
    let areas = &groups.area[at..at + groups.count[j] as usize];
    groups.of(j).iter().copied().zip(areas.iter().copied()).skip(1).collect()
}

/// As many copies of row `j` at the end of every column.
fn repeat_columns(solid: &mut Oriented, j: usize, times: usize) {
    fn repeat<T: Copy>(column: &mut Vec<T>, j: usize, times: usize) {
        let value = column[j];
        column.extend(std::iter::repeat_n(value, times));
    }
    solid.rest.float_columns_mut().for_each(|column| repeat(column, j, times));
    let count = solid.rotation.len() + times;
    // without room of their own yet
    solid.rest.groups.first.resize(count, 0);
    solid.rest.groups.count.resize(count, 0);
    repeat(&mut solid.rotation, j, times);
    solid.audited.resize(count, Rot::IDENTITY);
    solid.scratch.grow(count);
    solid.room.grow(count);
    solid.frame.grow(count);
}

/// The parts that face a neighbour, which is `away` from the centre of the fragment at rest: the one that reaches farthest
/// towards it first.
fn facing(parts: &[Part], away: Vec3) -> Vec<usize> {
    let direction = away.as_dvec3().normalize_or(DVec3::X);
    let reach = |part: &Part| part.cell.extent(direction).1;
    let distance = |part: &Part| part.measure.centre.as_vec3().distance(away);
    let mut best = 0;
    for k in 1..parts.len() {
        let [new, old] = [k, best].map(|k| (reach(&parts[k]), distance(&parts[k])));
        // of parts that reach equally far, up to rounding, the nearest
        let same = (new.0 - old.0).abs() <= 1e-6 * old.0.abs();
        if if same { new.1 < old.1 } else { new.0 > old.0 } {
            best = k;
        }
    }
    let (far, near) = (REACHES * reach(&parts[best]), NEAR * distance(&parts[best]));
    let others = (0..parts.len()).filter(|&k| k != best);
    let others = others.filter(|&k| reach(&parts[k]) >= far && distance(&parts[k]) <= near);
    std::iter::once(best).chain(others).collect()
}

/// Puts others in the place of `j` in the list of group `i`.
fn replace(solid: &mut Oriented, i: usize, j: u32, others: &[Bond]) {
    let groups = &solid.rest.groups;
    let at = groups.first[i] as usize;
    let areas = &groups.area[at..at + groups.count[i] as usize];
    let kept = groups.of(i).iter().copied().zip(areas.iter().copied());
    let mut list: Vec<Bond> = kept.filter(|&(member, _)| member != j).collect();
    list.extend(others);
    write_list(solid, i, &list);
}

/// Writes the list of group `i`: where it was if it fits, else at the end of all lists.
fn write_list(solid: &mut Oriented, i: usize, list: &[Bond]) {
    let groups = &mut solid.rest.groups;
    if list.len() > groups.count[i] as usize {
        groups.first[i] = groups.member.len() as u32;
        groups.member.resize(groups.member.len() + list.len(), 0);
        groups.area.resize(groups.member.len(), 0.0);
    }
    groups.count[i] = list.len() as u32;
    let at = groups.first[i] as usize;
    for (slot, &(member, area)) in (at..).zip(list) {
        (groups.member[slot], groups.area[slot]) = (member, area);
    }
}

impl Oriented {
    /// What part `k` of a division, which stands at `g`, has of its own.
    fn set_part(
        &mut self,
        particles: &Particles,
        g: usize,
        division: &Division<'_>,
        k: usize,
        mass: f64,
    ) {
        let rest = &mut self.rest;
        let n = rest.groups.count[g] as f32;
        rest.group_count[g] = n;
        rest.weight[g] = particles.mass[g] / n;
        let whole = f64::from(rest.volume[g]);
        rest.volume[g] = (whole * division.parts[k].measure.volume / division.volume()) as f32;
        let moment: Sym3 = division.moment(k, mass) * (1.0 / n);
        for (column, value) in rest.moment.iter_mut().zip(moment.to_array()) {
            column[g] = value;
        }
    }

    /// Everything that follows from the lists of parts and of their neighbours.
    fn rebuild_around(
        &mut self,
        particles: &Particles,
        parts: &[u32],
        bonds: &[Bond],
        before: &[(f64, f64)],
        stiffest: f32,
    ) {
        let neighbours = bonds.iter().map(|&(i, _)| i);
        let changed: Vec<u32> = parts.iter().copied().chain(neighbours).collect();
        for &g in &changed {
            let g = g as usize;
            self.rest.rebuild_group(g, &particles.rest);
            self.rest.limits.spacing[g] = self.rest.spacing(g, &particles.rest);
        }
        for &g in parts {
            self.rest.rebuild_stiffness(g as usize);
            self.set_stiffness(g as usize, stiffest);
        }
        for (&(i, _), &(cubed, fourth)) in bonds.iter().zip(before) {
            let (i, after) = (i as usize, self.rest.spread_powers(i as usize));
            let ratio = fourth / cubed * after.0 / after.1;
            if ratio.is_finite() {
                let now = self.rest.stiffness_per_modulus[i];
                self.rest.stiffness_per_modulus[i] *= ratio as f32;
                self.set_stiffness(i, stiffest.max(now));
            }
        }
        for &g in &changed {
            let g = g as usize;
            let (r, _) = elastic::stretch(&self.rest, particles, self.rotation[g], g);
            self.rotation[g] = r;
            for k in 0..self.rest.groups.count[g] as usize {
                let member = self.rest.groups.of(g)[k] as usize;
                self.rest.rebuild_share(member);
                self.rest.rebuild_limit(member);
            }
        }
        // a fragment alone had none
        let total: f64 = self.rest.share.iter().map(|&s| f64::from(s)).sum();
        self.mean_share = self.mean_share.max((total / self.rest.share.len() as f64) as f32);
    }

    /// k of a group from its k/E, which is at most `stiffest`.
    fn set_stiffness(&mut self, g: usize, stiffest: f32) {
        let rest = &mut self.rest;
        rest.stiffness_per_modulus[g] = rest.stiffness_per_modulus[g].min(stiffest);
        rest.stiffness[g] = rest.stiffness_per_modulus[g] * rest.limits.modulus[g];
    }
}
