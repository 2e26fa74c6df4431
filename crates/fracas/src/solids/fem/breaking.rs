//! What fails and where (001 sec. 4), for every model of tetrahedra: where the largest principal stress of a vertex is beyond what the
//! material stands, a crack runs along the plane across it.
//!
//! ```text
//! σ of a vertex: fitted over two rings, at a crack their mean
//! λ_max ≤ max_i (σ_ii + Σ |σ_ij|)                         Gerschgorin, 001 eq. 7
//! λ_max ≤ tr σ/3 + √(2/3) |dev σ|                         erratum 001.8
//! limit: strength, and at open faces what a tip stands if that is less
//! ```
//!
//! Wood and the like stand less across their grain. Across a plane of normal n they stand nᵀBn times what they stand along the grain d,
//! and the plane that is overloaded most follows from one eigenvector:
//!
//! ```text
//! B = r I + (1 − r) d dᵀ,   nᵀσn / nᵀBn is largest for n = A m/|A m|,   A = B^−½,   m of the largest eigenvalue of A σ A
//! ```
//!
//! Of a tip the mean over the tetrahedra around it tells K, as far as they fill a ball of radius r around a point of its front, whole or in part by
//! planes across the front. With the opening stress of a crack, K/√(2πρ) cos(θ/2) (1 + sin(θ/2) sin(3θ/2)), whose sum over θ is 24/5:
//!
//! ```text
//! mean = K/√(2π) · 24/5 · ∫ ⅔ (r² − z²)^¾ dz / (4/3 π r³) = 12/(5π) B(½, 7/4) K/√(2πr) = 1.0984 K/√(2πr),   r = 4/3 of the mean distance
//! ```
//!
//! The other terms of the field leave the mean as it is: stress along the crack has no part across it. On meshes of five and six tetrahedra to a cell, even and shaken, with 4 to 16 cells in the
//! crack, K is read within 9 %. (The mean of K/√(2πρ) over an edge ahead of the tip, which has a factor of 2 there, reads 0.55 to 0.78 of it.)
//!
//! The most overloaded vertex comes first. What lies in the shadow of a crack of this substep waits: its stress is that of before.

use super::cracks::{Cracks, OpenFace, Plane};
use super::elements::Elements;
use super::remesh::Remesh;
use super::slice::Slice;
use super::stress;
use super::tets::Tets;
use crate::geometry::Patch;
use crate::math::{Rot, Sym3, ops, symmetric_eigen};
use crate::parallel::{Span, Workers};
use crate::solids::Particles;
use crate::world::{Changes, Opened, PieceId};
use glam::Vec3;

/// Cracks that a piece may begin within 1/60 s.
const BUDGET: f32 = 64.0;
/// The time that a budget is for, s.
const BUDGET_TIME: f32 = 1.0 / 60.0;
/// How far around what a crack has opened in this substep nothing else begins, in edges. The shadow, and not the budget, keeps a plate from
/// being crushed (recipe C).
const SHADOW: f32 = 4.0;
/// Vertices are looked at where the mean around them is at least this share of the limit: of two bent layers it tells 0.46 of the stress
/// at their surface.
const LOOKED_AT: f32 = 0.4;

/// Of a regular tetrahedron: from a corner to its middle, of its edge.
const CORNER: f32 = 0.612_372_4;
/// √(2πr)/K times the mean opening stress in a ball of radius r around a point of the front of a crack, 12/(5π) B(½, 7/4).
const BALL: f32 = 1.098_374;

/// How often the tests of a break were asked, and how they answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FractureCounts {
    /// Vertices whose stress was looked at.
    pub vertices: u64,
    /// Those that Gerschgorin's bound alone would let through (001 eq. 7).
    pub gerschgorin: u64,
    /// Those that both bounds let through: whose eigenvalues were found.
    pub bounded: u64,
    /// Those that are truly beyond their limit.
    pub overloaded: u64,
    /// Cracks that began.
    pub cracks: u64,
    /// Fans that cracks have split: the fractures of 001 table 3.
    pub fans: u64,
    /// Those of them in which the oracle let a face through.
    pub fans_through: u64,
    /// Vertices that became two.
    pub splits: u64,
    /// Tetrahedra that became two.
    pub remeshed: u64,
    /// Faces that opened.
    pub faces: u64,
    /// Those of which all corners had parted: what the oracle lets through. Of these as many were right as there are pieces more than at
    /// the start, since a face parts two at most.
    pub through: u64,
    /// Substeps in which a piece that was looked at had to wait for a solve that tells its stress.
    pub waited: u64,
}

/// A vertex that is beyond its limit.
#[derive(Clone, Copy, Debug)]
struct Overload {
    /// Stress over limit.
    ratio: f32,
    vertex: u32,
    normal: Vec3,
}

/// How a vertex was looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    /// Whether its stress was.
    looked: bool,
    /// Whether Gerschgorin's bound alone lets it through.
    by_circles: bool,
    /// Whether both do.
    bounded: bool,
    overload: Option<Overload>,
}

/// What a vertex feels and stands.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Pa.
    stress: Sym3,
    /// Along the grain, Pa.
    limit: f32,
    /// B, if it has a grain.
    grain: Option<Sym3>,
}

/// What tetrahedra feel as the break test averages it, and in which space cracks are to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Felt<'a> {
    /// σ of each, in its frame, Pa.
    pub stress: &'a [Sym3],
    /// How that frame is turned in the space of the cracks; not at all if there are none.
    pub turn: Option<&'a [Rot]>,
    /// Where the vertices are in that space, m.
    pub places: &'a [Vec3],
}

impl<'a> Felt<'a> {
    /// With all stresses of a piece in the space of the cracks.
    fn turned(self, of: Span, room: &'a mut Vec<Sym3>) -> Self {
        let Some(turn) = self.turn else { return self };
        room.resize(self.stress.len(), Sym3::ZERO);
        of.for_each(|t| room[t] = self.stress[t].conjugate(turn[t]));
        Self { stress: room, ..self }
    }

    /// B of a tetrahedron.
    fn grain_of(&self, tets: &Tets, t: usize) -> Sym3 {
        let (ratio, grain) = (tets.grain_ratio[t], tets.grain_of(t));
        let grain = self.turn.map_or(grain, |turn| turn[t] * grain);
        Sym3::from_diagonal(Vec3::splat(ratio)) + (1.0 - ratio) * Sym3::outer(grain)
    }
}

/// The break test of a body, and the cracks that follow from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Breaking {
    /// The least that a vertex of each tetrahedron may stand in any direction, Pa: follows from the material.
    limits: Vec<f32>,
    /// The same where no crack is open.
    strengths: Vec<f32>,
    /// Whether some tetrahedron has a grain: follows from the material.
    grained: bool,
    cracks: Cracks,
    /// Room for stresses in the space of the cracks.
    turned: Vec<Sym3>,
    /// Room for what was made of each vertex.
    looks: Vec<Look>,
    pub counts: FractureCounts,
}

impl Breaking {
    pub fn new(tets: &Tets) -> Self {
        let mut breaking = Self::default();
        breaking.follow_material(tets);
        breaking
    }

    /// After materials or tetrahedra have changed.
    pub fn follow_material(&mut self, tets: &Tets) {
        let at_tip = |t: usize| {
            // edge of a regular one
            let edge = ops::cbrt(6.0 * std::f32::consts::SQRT_2 * tets.volume[t]);
            at_tip(tets.toughness[t], CORNER * edge)
        };
        let across = |t: usize| tets.grain_ratio[t].min(1.0);
        let all = 0..tets.len();
        self.strengths = all.clone().map(|t| tets.strength[t] * across(t)).collect();
        self.limits = all.map(|t| tets.strength[t].min(at_tip(t)) * across(t)).collect();
        self.grained = tets.grain_ratio.iter().any(|&ratio| ratio != 1.0);
    }

    /// Tetrahedra come in another order.
    pub fn permute(&mut self, order: &[u32]) {
        for column in [&mut self.limits, &mut self.strengths] {
            *column = order.iter().map(|&t| column[t as usize]).collect();
        }
    }

    /// Keeps the first of them.
    pub fn truncate(&mut self, count: usize) {
        self.limits.truncate(count);
        self.strengths.truncate(count);
    }

    /// The least that a vertex of each tetrahedron may stand, Pa.
    pub fn limits(&self) -> &[f32] {
        &self.limits
    }

    /// Whether some tetrahedron could ever break.
    pub fn may_break(&self, of: Span) -> bool {
        self.limits[of].iter().any(|limit| limit.is_finite())
    }

    /// Whether a tetrahedron that feels this is worth a look.
    pub fn is_near(&self, t: usize, stress: &Sym3) -> bool {
        stress_bound(stress) >= LOOKED_AT * self.limits[t]
    }

    /// Opens cracks in a piece where its vertices are overloaded, as many as the credit allows, and takes over what they have opened. Returns
    /// them if there are some: what only the model knows of their vertices and tetrahedra is left to it.
    pub fn open(
        &mut self,
        elements: &mut Elements,
        mut remesh: Option<&mut Remesh>,
        felt: Felt<'_>,
        particles: &mut Particles,
        span: &Span,
        credit: &mut f32,
        next_id: &mut u64,
        changes: &mut Changes,
        workers: &Workers,
    ) -> Option<&Cracks> {
        let mut turned = std::mem::take(&mut self.turned);
        let felt = felt.turned(elements.tets.of(span), &mut turned);
        let overloads = self.overloads(elements, felt, particles, span, workers);
        if overloads.is_empty() {
            self.turned = turned;
            return None;
        }
        let Elements { stars, .. } = &*elements;
        let home = (0..stars.len()).map(|v| stars.tets_of(v).next().unwrap_or_default() as u32);
        self.cracks.begin(felt.places, home);
        let mut opened: Vec<Vec3> = Vec::new();
        // stars are those of before the first crack
        let before = elements.tets.corners.clone();
        for overload in overloads {
            let cost = BUDGET_TIME / BUDGET;
            if *credit < cost {
                break;
            }
            let here = particles.rest[overload.vertex as usize];
            // what was split casts no shorter shadow
            let edge = edge_at(elements, particles, overload.vertex as usize);
            let shadow = SHADOW * remesh.as_ref().map_or(edge, |remesh| remesh.edge().max(edge));
            if opened.iter().any(|x| x.distance(here) < shadow) {
                continue;
            }
            let remesh = remesh.as_deref_mut();
            if self.run(elements, remesh, felt, particles, &overload, &before) > 0 {
                *credit -= cost;
                self.counts.cracks += 1;
                opened.extend(self.cracks.passed().iter().map(|&v| particles.rest[v as usize]));
            }
        }
        self.turned = turned;
        if self.cracks.opened.is_empty() && self.cracks.born.is_empty() {
            return None;
        }
        self.take(elements, particles, next_id, changes);
        Some(&self.cracks)
    }

    /// Vertices of a piece that are beyond their limits, the most overloaded first.
    fn overloads(
        &mut self,
        elements: &Elements,
        felt: Felt<'_>,
        particles: &Particles,
        span: &Span,
        workers: &Workers,
    ) -> Vec<Overload> {
        let mut looks = std::mem::take(&mut self.looks);
        looks.clear();
        looks.resize(span.len(), Look::default());
        workers.for_span(span.clone(), &mut looks[..], &|range, looks| {
            for (look, v) in looks.iter_mut().zip(range) {
                *look = self.look_at(elements, felt, particles, v);
            }
        });
        let count =
            |which: &dyn Fn(&Look) -> bool| looks.iter().filter(|l| which(l)).count() as u64;
        self.counts.vertices += count(&|look| look.looked);
        self.counts.gerschgorin += count(&|look| look.by_circles);
        self.counts.bounded += count(&|look| look.bounded);
        let mut found: Vec<Overload> = looks.iter().filter_map(|look| look.overload).collect();
        self.counts.overloaded += found.len() as u64;
        self.looks = looks;
        let id = |overload: &Overload| particles.id[overload.vertex as usize];
        found.sort_unstable_by(|a, b| b.ratio.total_cmp(&a.ratio).then(id(a).cmp(&id(b))));
        found
    }

    /// Whether a vertex is beyond its limit.
    fn look_at(
        &self,
        elements: &Elements,
        felt: Felt<'_>,
        particles: &Particles,
        v: usize,
    ) -> Look {
        let Elements { tets, stars, .. } = elements;
        let mut look = Look::default();
        let column = if particles.broken[v] { &self.limits } else { &self.strengths };
        let least = stars.tets_of(v).map(|t| column[t]).fold(f32::INFINITY, f32::min);
        if least == f32::INFINITY {
            return look;
        }
        let mean = stress::mean(tets, stars, v, |t| felt.stress[t]);
        if stress_bound(&mean) < LOOKED_AT * least * particles.strength[v] {
            return look;
        }
        look.looked = true;
        let Load { stress, limit, grain } = self.load_of(elements, felt, particles, v);
        let scale = grain.map(inverse_root);
        let stress = scale.map_or(stress, |a| between(a, stress));
        look.by_circles = gerschgorin(&stress) >= limit;
        if stress_bound(&stress) < limit {
            return look;
        }
        look.bounded = true;
        let (values, axes) = symmetric_eigen(&stress);
        if values[0] >= limit {
            let ratio = values[0] / limit;
            let normal = scale.map_or(axes.x_axis, |a| a.mul_vec(axes.x_axis).normalize());
            look.overload = Some(Overload { ratio, vertex: v as u32, normal });
        }
        look
    }

    /// What a vertex feels, and what it stands.
    fn load_of(
        &self,
        elements: &Elements,
        felt: Felt<'_>,
        particles: &Particles,
        v: usize,
    ) -> Load {
        let Elements { tets, stars, .. } = elements;
        let of = |t: usize| felt.stress[t];
        let mean = |column: &[f32]| {
            let (mut sum, mut volume) = (0.0, 0.0);
            for t in stars.tets_of(v) {
                sum += tets.volume[t] * column[t];
                volume += tets.volume[t];
            }
            sum / volume
        };
        let mut limit = mean(&tets.strength);
        let mut stress = stress::at_vertex(tets, stars, particles, v, of);
        if particles.broken[v] {
            let reach = stress::reach(&tets.corners, &tets.volume, stars, &particles.rest, v);
            let tip = at_tip(mean(&tets.toughness), reach);
            if tip < limit {
                limit = tip;
                // at a tip there is a mean, and no value
                stress = stress::mean(tets, stars, v, of);
            }
        }
        let grain = self.grained.then(|| stress::mean(tets, stars, v, |t| felt.grain_of(tets, t)));
        Load { stress, limit: limit * particles.strength[v], grain }
    }

    /// Runs a crack from a vertex, on where the stress across its plane is beyond what a tip stands.
    fn run(
        &mut self,
        elements: &mut Elements,
        remesh: Option<&mut Remesh>,
        felt: Felt<'_>,
        particles: &Particles,
        overload: &Overload,
        before: &[[u32; 4]],
    ) -> usize {
        let mut topology = std::mem::take(&mut elements.topology);
        let mut corners = std::mem::take(&mut elements.tets.corners);
        let normal = overload.normal;
        let plane = Plane { normal, point: felt.places[overload.vertex as usize] };
        let Elements { tets, stars, .. } = &*elements;
        let goes_on = |w: u32| {
            let w = w as usize;
            let stress = stress::mean(tets, stars, w, |t| felt.stress[t]);
            let (mut limit, mut toughness, mut count) = (0.0, 0.0, 0.0);
            for t in stars.tets_of(w) {
                limit += tets.strength[t];
                toughness += tets.toughness[t];
                count += 1.0;
            }
            let reach = stress::reach(before, &tets.volume, stars, &particles.rest, w);
            let tip = at_tip(toughness / count, reach);
            let mut stands = (limit / count).min(tip) * particles.strength[w];
            if self.grained {
                let grain = stress::mean(tets, stars, w, |t| felt.grain_of(tets, t));
                stands *= normal.dot(grain.mul_vec(normal));
            }
            normal.dot(stress.mul_vec(normal)) >= stands
        };
        let mut cracks = std::mem::take(&mut self.cracks);
        let opened =
            cracks.run(&mut topology, &mut corners, remesh, overload.vertex, plane, goes_on);
        (self.cracks, elements.topology, elements.tets.corners) = (cracks, topology, corners);
        opened
    }

    /// Opens what a blade passes of a piece. What only the model knows of vertices and tetrahedra that begin is left to it.
    pub fn slice(
        &mut self,
        elements: &mut Elements,
        remesh: Option<&Remesh>,
        patch: &Patch,
        particles: &mut Particles,
        span: &Span,
        next_id: &mut u64,
        changes: &mut Changes,
    ) {
        let of = elements.tets.of(span);
        let Elements { stars, topology, tets, passed, .. } = elements;
        let home = (0..stars.len()).map(|v| stars.tets_of(v).next().unwrap_or_default() as u32);
        self.cracks.begin(&particles.rest, home);
        if remesh.is_some() {
            passed.resize(particles.len(), 0);
        }
        let slice = Slice {
            patch,
            places: (0..particles.len()).map(|v| particles.place(v)).collect(),
            passed,
            topology,
            corners: &mut tets.corners,
            cracks: &mut self.cracks,
            heights: Vec::new(),
            fresh: Vec::new(),
        };
        slice.run(of, remesh);
        if passed.iter().all(|&blade| blade == 0) {
            passed.clear();
        }
        if !self.cracks.opened.is_empty() || !self.cracks.born.is_empty() {
            let seen = changes.opened.len();
            self.take(elements, particles, next_id, changes);
            // it is the blade that takes them apart
            changes.opened[seen..].iter_mut().for_each(|opened| opened.energy = 0.0);
        }
    }

    /// What was opened last.
    pub fn cracks(&self) -> &Cracks {
        &self.cracks
    }

    /// Takes over what cracks have opened, but for what only the model knows.
    fn take(
        &mut self,
        elements: &mut Elements,
        particles: &mut Particles,
        next_id: &mut u64,
        changes: &mut Changes,
    ) {
        let Self { cracks, counts, .. } = self;
        elements.take_cracks(particles, cracks, next_id, changes);
        let mut on_edges = cracks.on_edges.iter().peekable();
        for born in &cracks.born {
            let new = on_edges.next_if(|new| new.vertex == born.vertex);
            particles.broken[born.vertex as usize] = new.is_none();
        }
        counts.fans += cracks.fans[0];
        counts.fans_through += cracks.fans[1];
        counts.splits += (cracks.born.len() - cracks.on_edges.len()) as u64;
        counts.remeshed += cracks.halves.len() as u64;
        counts.faces += cracks.opened.len() as u64;
        for open in &cracks.opened {
            counts.through += u64::from(open.through);
            open.corners.iter().for_each(|&v| particles.broken[v as usize] = true);
            let logged = log_of(open, elements, particles);
            changes.bonds_cut.push(logged.ends);
            changes.opened.push(logged);
        }
        if !cracks.halves.is_empty() {
            self.follow_material(&elements.tets);
        }
    }
}

/// Adds the time of a substep to what a piece may still spend.
pub(crate) fn earn(credit: &mut f32, h: f32) {
    *credit = (*credit + h).min(BUDGET_TIME);
}

/// B^−½.
fn inverse_root(b: Sym3) -> Sym3 {
    let (values, axes) = symmetric_eigen(&b);
    let [x, y, z] = values.map(|value| 1.0 / value.sqrt());
    x * Sym3::outer(axes.x_axis) + y * Sym3::outer(axes.y_axis) + z * Sym3::outer(axes.z_axis)
}

/// A σ A.
fn between(a: Sym3, stress: Sym3) -> Sym3 {
    let a = a.to_mat3();
    Sym3::from_mat3(&(a * stress.to_mat3() * a))
}

/// Mean edge of a vertex at rest, m.
fn edge_at(elements: &Elements, particles: &Particles, v: usize) -> f32 {
    let around = elements.stars.neighbours(v);
    let way = |&w: &u32| particles.rest[v].distance(particles.rest[w as usize]);
    around.iter().map(way).sum::<f32>() / around.len() as f32
}

/// What no eigenvalue of a symmetric matrix is above, by Gerschgorin's circles (001 eq. 7).
pub fn gerschgorin(a: &Sym3) -> f32 {
    let Sym3 { xx, yy, zz, xy, yz, zx } = *a;
    (xx + xy.abs() + zx.abs()).max(yy + xy.abs() + yz.abs()).max(zz + yz.abs() + zx.abs())
}

/// The same by two bounds, the less of [`gerschgorin`] and tr/3 + √(2/3) |dev| (001.8): before the break test finds eigenvalues.
pub fn stress_bound(a: &Sym3) -> f32 {
    let mean = a.trace() / 3.0;
    let deviator = *a - Sym3::from_diagonal(Vec3::splat(mean));
    gerschgorin(a).min(mean + (2.0f32 / 3.0).sqrt() * deviator.norm())
}

/// What a tip stands as the mean over tetrahedra whose middles are so far from it in the mean, Pa.
fn at_tip(toughness: f32, reach: f32) -> f32 {
    // of a ball the mean distance from its middle is 3/4 of its radius
    let radius = 4.0 / 3.0 * reach;
    BALL * toughness / (std::f32::consts::TAU * radius).sqrt()
}

/// A face as it has opened. It takes K_c²/E times its area (Griffith), whatever was stored: what is free stores nothing.
fn log_of(open: &OpenFace, elements: &Elements, particles: &Particles) -> Opened {
    let tets = &elements.tets;
    let [a, b, c] = open.corners.map(|v| particles.position[v as usize]);
    let across = (b - a).cross(c - a);
    let (area, first) = (0.5 * across.length(), open.tets[0] as usize);
    let (toughness, modulus) = (tets.toughness[first], tets.modulus[first]);
    // what only strength holds takes none by itself
    let energy = if toughness.is_finite() { area * toughness * toughness / modulus } else { 0.0 };
    let end = |t: u32| particles.id[tets.corners[t as usize][0] as usize];
    Opened {
        // told by the world
        piece: PieceId(0),
        ends: open.tets.map(end),
        position: ((a + b + c) / 3.0).as_dvec3(),
        normal: across.normalize_or(Vec3::X),
        area,
        energy,
        material: tets.material[first],
        through: open.through,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over a ball around a point of a straight front, with ρ = s² so that nothing is singular.
    #[test]
    fn a_tip_has_the_mean_of_its_field() {
        let (turns, heights, ways) = (180, 200, 100);
        let middle = |k: usize, of: usize| (k as f64 + 0.5) / of as f64;
        let (mut sum, mut distance) = (0.0, 0.0);
        for i in 0..heights {
            let z = 2.0 * middle(i, heights) - 1.0;
            let reach = (1.0 - z * z).powf(0.25);
            for j in 0..ways {
                let s = reach * middle(j, ways);
                let rho = s * s;
                // ρ dρ = 2 s³ ds
                let part = 2.0 * s.powi(3) * (reach / ways as f64) * (2.0 / heights as f64);
                distance += std::f64::consts::TAU * part * (rho * rho + z * z).sqrt();
                for k in 0..turns {
                    let half = std::f64::consts::PI * (middle(k, turns) - 0.5);
                    let field = half.cos() * (1.0 + half.sin() * (3.0 * half).sin()) / s;
                    sum += part * field * std::f64::consts::TAU / turns as f64;
                }
            }
        }
        let volume = 4.0 / 3.0 * std::f64::consts::PI;
        let mean = sum / volume;
        assert!((mean / f64::from(BALL) - 1.0).abs() < 1e-3, "{mean} instead of {BALL}");
        assert!((distance / volume - 0.75).abs() < 1e-3, "{} instead of 3/4", distance / volume);
        // K = 1 Pa √m, and a ball of 1 m
        let stands = f64::from(at_tip(1.0, 0.75)) * std::f64::consts::TAU.sqrt();
        assert!((stands / mean - 1.0).abs() < 1e-3, "{stands} instead of {mean}");
    }

    /// Of this one both bounds are the eigenvalue (001-G).
    #[test]
    fn bounds_are_those_of_the_oracle() {
        let a = Sym3 { xx: 2.0, yy: 2.0, zz: 1.0, xy: 1.0, yz: 0.0, zx: 0.0 };
        let largest = symmetric_eigen(&a).0[0];
        for found in [gerschgorin(&a), stress_bound(&a), largest] {
            assert!((found - 3.0).abs() < 1e-5, "{found} instead of 3");
        }
    }
}
