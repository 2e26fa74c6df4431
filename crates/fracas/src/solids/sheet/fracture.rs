//! Where a sheet tears: strength where it is whole, toughness at the tips of its cracks.
//!
//! At a tip the stress S of the rest plane is averaged over a disc of radius r, of what hangs together with the tip, and read in the frame of the
//! crack, e₁ along it and e₂ across. That gives both stress intensities, whatever the mesh:
//!
//! ```text
//! S̄ = Σ w A S / Σ w A,   w = 1 − d²/r²,   K_I = S̄₂₂ √(2πr) / (1.5238 c₁),   K_II = S̄₁₂ √(2πr) / (1.5238 c₂)
//! θ  = 2 atan( (K_I − √(K_I² + 8 K_II²)) / (4 K_II) ),   K_eq = cos³(θ/2) K_I − 3 cos²(θ/2) sin(θ/2) K_II
//! ```
//!
//! The crack runs where the hoop stress is largest (θ) once K_eq is beyond K_c. The stress along it, S̄₁₁, does not enter: a principal axis would.
//!
//! Where the banks part out of the plane more than in it (trousers), K_I and K_II tell neither load nor direction. There the crack runs on
//! straight once the energy that it sets free is beyond K_c²/E. That is the force on the tip in the rest plane (Eshelby), over the same disc:
//!
//! ```text
//! G = Σ A ( e₁·C S ∇q − Ψ e₁·∇q ),   C = FᵀF,   q = 1 within 0.4 r of the tip, from there straight to 0 at r
//! ```

use super::Sheet;
use super::elastic::{positive, principal, principal_axis};
use super::remesh::{Change, OpenEdge, Placed, Plane};
use super::rest::{Criterion, Fabric, Grain, TipTest, in_frame, mass_of, mean};
use super::separation::separation;
use crate::math::ops;
use crate::parallel::Span;
use crate::solids::{Particles, Residual, Step};
use crate::world::{Changes, Opened, ParticleId, PieceId};
use glam::{DMat2, DVec2, DVec3, Vec3};

/// Hops of a piece within 1/60 s: what looks like fast tearing. A real crack would be through in a tenth of a millisecond.
const BUDGET: f32 = 8.0;
/// The time that a budget is for, s.
const BUDGET_TIME: f32 = 1.0 / 60.0;
/// Hops on one solved stress; more leave curved paths.
const HOPS: usize = 4;
/// Share of the turn that a hop takes: the estimate overshoots by a tenth, full turns zigzag, and the rest comes with the next hop.
const GAIN: f64 = 0.7;
/// Largest turn of a hop, rad: 70°.
const TURN: f64 = 1.221_730_476_396_030_6;
/// Tips that are loaded at least this much of the most loaded one advance with it.
const TOGETHER: f64 = 0.9;
/// Least and largest radius of the disc, in edges.
const RADIUS: f64 = 3.0;
const WIDEST: f64 = 6.0;
/// c₁ and c₂: means over the disc of cos(θ/2) (1 ± sin(θ/2) sin(3θ/2)).
const MODES: [f64; 2] = [0.7639, 0.5093];
/// ∫(1−ρ²)√ρ dρ / ∫(1−ρ²)ρ dρ.
const PROFILE: f64 = 1.5238;
/// The part of the disc, in radii, that moves with a tip when the energy it sets free is asked for.
const INNER: f64 = 0.4;
/// Edges by which banks are followed at most, to where they are an edge away from the tip.
const BANK: usize = 4;
/// Turns that a tip with a grain looks at to either side, up to the tangent of half of 70°.
const TURNS: i32 = 50;
const WIDEST_HALF: f64 = 0.700_207_538_209_709_8;
/// By how much the disc reads too much: triangles behind the tip are too stiff to show the free banks.
const WAKE: f64 = 1.12;

/// The end of a crack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tip {
    pub vertex: u32,
    /// Of unit length, in the rest plane.
    pub direction: DVec2,
}

/// How a tip is loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Intensity {
    /// K_I and K_II, Pa√m.
    pub modes: [f64; 2],
    /// Where the crack would go, from its direction, rad.
    pub turn: f64,
    /// K_eq, Pa√m.
    pub equal: f64,
}

impl Intensity {
    fn new([one, two]: [f64; 2]) -> Self {
        if one <= 0.0 {
            return Self { modes: [one, two], turn: 0.0, equal: 0.0 };
        }
        let half = if two == 0.0 {
            0.0
        } else {
            (one - (one * one + 8.0 * two * two).sqrt()) / (4.0 * two)
        };
        let turn = 2.0 * f64::from(ops::atan2(half as f32, 1.0));
        Self { modes: [one, two], turn, equal: hoop([one, two], half) }
    }

    /// The same of what stands less across its grain: where the hoop stress is largest against what a tear that way takes.
    fn along_grain(self, grain: Grain, direction: DVec2) -> Self {
        if self.equal <= 0.0 {
            return self;
        }
        let share = |half: f64| {
            let square = half * half;
            // cos and sin of the turn from the tangent of its half
            let turn = DVec2::new(1.0 - square, 2.0 * half) / (1.0 + square);
            hoop(self.modes, half) / grain.stands(turn.rotate(direction).perp())
        };
        let at = |k: i32| WIDEST_HALF * f64::from(k) / f64::from(TURNS);
        let of = |k: i32| share(at(k));
        let best = (-TURNS..=TURNS).fold(0, |best, k| if of(k) > of(best) { k } else { best });
        // the top of the parabola through it and those beside it
        let [low, middle, high] = [of(best - 1), of(best), of(best + 1)];
        let bend = 2.0 * middle - low - high;
        let off = if bend > 0.0 { (0.5 * (high - low) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        let half = at(best) + off * WIDEST_HALF / f64::from(TURNS);
        let turn = 2.0 * f64::from(ops::atan2(half as f32, 1.0));
        Self { turn, equal: share(half), ..self }
    }
}

/// K of the hoop stress where a crack would turn by twice the angle of this tangent, Pa√m.
fn hoop([one, two]: [f64; 2], half: f64) -> f64 {
    let cos = 1.0 / (1.0 + half * half).sqrt();
    let sin = half * cos;
    cos * cos * (cos * one - 3.0 * sin * two)
}

/// How often the tests of a break were asked, and how they answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TearCounts {
    /// Cracks that began.
    pub starts: u64,
    /// Hops of tips.
    pub hops: u64,
    /// Those that had to open an edge that was there.
    pub fell_back: u64,
    /// Substeps in which an overloaded piece had to wait for a solve that tells its stress.
    pub waited: u64,
}

/// What a tear of a piece works with.
struct Tear<'a> {
    particles: &'a mut Particles,
    span: Span,
    /// Tips of the piece.
    tips: Vec<Tip>,
    residual: Residual,
    /// Time for which the piece may still tear, s.
    credit: &'a mut f32,
    changes: &'a mut Changes,
    hops: usize,
    /// Ψ of the piece before the first of them, J.
    energy: f64,
}

impl Tear<'_> {
    /// Takes the time of a hop, if there is some left.
    fn may_hop(&self) -> bool {
        self.hops < HOPS && *self.credit >= BUDGET_TIME / BUDGET
    }
}

impl Sheet {
    /// Lets cracks run and begin. Returns the elastic energy that remeshing took away, J.
    pub(super) fn tear(
        &mut self,
        particles: &mut Particles,
        span: Span,
        step: &Step,
        residual: Residual,
        credit: &mut f32,
        changes: &mut Changes,
    ) -> f64 {
        *credit = (*credit + step.h).min(BUDGET_TIME);
        if self.elements.is_whole {
            return 0.0;
        }
        let here = |tip: &Tip| span.contains(&(tip.vertex as usize));
        let tips: Vec<Tip> = self.tips.iter().copied().filter(here).collect();
        let loaded = self.is_loaded(particles, &span);
        if tips.is_empty() && !loaded {
            return 0.0;
        }
        for j in span.clone() {
            self.plane.shape[j] = particles.place(j);
            self.plane.fixed[j] = particles.held[j];
        }
        let (old, of) = (self.plane.table.len(), self.elements.of(&span));
        let mut tear = Tear {
            particles,
            span: span.clone(),
            tips,
            residual,
            credit,
            changes,
            hops: 0,
            energy: 0.0,
        };
        self.run_tips(&mut tear);
        if tear.hops == 0 && loaded {
            self.start(&mut tear);
        }
        if tear.hops == 0 {
            return 0.0;
        }
        self.tips.retain(|tip| !here(tip));
        self.tips.extend(&tear.tips);
        self.tips.sort_by_key(|tip| tip.vertex);
        self.follow_hops(tear.particles);
        let after = self.elements.energy_where(&self.plane.shape, |t| of.contains(&t) || t >= old);
        tear.energy - after
    }

    /// Whether a triangle of a piece is stressed so far that a look at its vertices is worth it.
    fn is_loaded(&self, particles: &Particles, span: &Span) -> bool {
        let Self { elements, fabric, options, .. } = self;
        // what the tensor of a vertex reads, no triangle tells
        if options.criterion == Criterion::Separation {
            return true;
        }
        let least = |v: usize| fabric.strength[v] * fabric.grain_ratio[v].min(1.0);
        elements.triangles[elements.of(span)].iter().any(|element| {
            let least = element
                .corners
                .map(|v| least(v as usize) * particles.strength[v as usize])
                .into_iter()
                .fold(f32::INFINITY, f32::min);
            let f = element.slope_of(element.corners.map(|v| particles.place(v as usize)));
            principal(element.stress(f))[0] >= f64::from(least)
        })
    }

    /// Advances tips that are loaded beyond their toughness, the most loaded first. One that the mesh refuses does not hold up the others.
    fn run_tips(&mut self, tear: &mut Tear<'_>) {
        let mut refused: Vec<u32> = Vec::new();
        loop {
            let mut loads: Vec<(f64, Option<f64>, usize)> = Vec::new();
            let tips = tear.tips.iter().enumerate();
            for (k, tip) in tips.filter(|(_, tip)| !refused.contains(&tip.vertex)) {
                let limit = self.toughness_at(tear.particles, tip.vertex);
                let (load, turn) = self.load_of(tip);
                loads.push((load / limit, turn, k));
            }
            let most = loads.iter().map(|load| load.0).fold(0.0, f64::max);
            if most < 1.0 {
                return;
            }
            let parts = |load: &(f64, Option<f64>, usize)| {
                self.force_at_tip(tear.particles, tear.tips[load.2].vertex)
            };
            let least = loads.iter().map(parts).fold(f64::INFINITY, f64::min);
            if !tear.residual.allows_crack(least as f32) {
                self.counts.waited += 1;
                return;
            }
            loads.retain(|load| load.0 >= (TOGETHER * most).max(1.0));
            let id = |k: usize| tear.particles.id[tear.tips[k].vertex as usize];
            loads.sort_by(|a, b| b.0.total_cmp(&a.0).then(id(a.2).cmp(&id(b.2))));
            let (hops, mut ended) = (tear.hops, Vec::new());
            for (_, turn, k) in loads {
                let Tip { vertex, direction } = tear.tips[k];
                let bend = turn.map_or(0.0, |turn| (GAIN * turn).clamp(-TURN, TURN));
                let direction = turned(direction, bend);
                match self.hop(tear, vertex, direction) {
                    // straight on is where it was going, whatever edges the mesh had for that
                    Some(Some(tip)) if turn.is_none() => tear.tips[k] = Tip { direction, ..tip },
                    Some(Some(tip)) => tear.tips[k] = tip,
                    Some(None) => ended.push(k),
                    None => refused.push(vertex),
                }
            }
            ended.sort_unstable();
            for k in ended.into_iter().rev() {
                tear.tips.remove(k);
            }
            if tear.hops == hops && !tear.may_hop() {
                return;
            }
        }
    }

    /// One hop from a vertex, if the piece may still tear and the mesh allows it: the tip that it ends in, if it does not run into a border.
    fn hop(&mut self, tear: &mut Tear<'_>, vertex: u32, direction: DVec2) -> Option<Option<Tip>> {
        if !tear.may_hop() || self.next_id + MOST_BORN > self.last_id {
            return None;
        }
        if tear.hops == 0 {
            tear.energy = self.elements.energy(&self.plane.shape, &tear.span);
        }
        let hop = self.plane.hop(vertex, self.plane.edge * direction)?;
        tear.hops += 1;
        *tear.credit -= BUDGET_TIME / BUDGET;
        self.counts.hops += 1;
        self.counts.fell_back += u64::from(hop.fell_back);
        self.take_hop(tear.particles, tear.changes);
        let way = self.plane.rest[hop.end as usize] - self.plane.rest[vertex as usize];
        let tip = Tip { vertex: hop.end, direction: way.normalize_or(direction) };
        Some(hop.is_tip.then_some(tip))
    }

    /// Begins a crack across the largest stress of the most overloaded vertex, if there is one far from other cracks.
    fn start(&mut self, tear: &mut Tear<'_>) {
        let Some((vertex, normal)) = self.overloaded(tear) else { return };
        let v = vertex as usize;
        let strength = self.fabric.strength[v] * tear.particles.strength[v];
        let parts = strength * self.plane.edge as f32 * self.fabric.thickness[v];
        if !tear.residual.allows_crack(parts) {
            self.counts.waited += 1;
            return;
        }
        let along = normal.perp();
        // from a border one way, from within both
        for direction in [along, -along] {
            if let Some(tip) = self.hop(tear, vertex, direction) {
                tear.tips.extend(tip);
            }
        }
        self.counts.starts += u64::from(tear.hops > 0);
    }

    /// The vertex of a piece that is most beyond its strength, with the normal of the crack that it asks for.
    fn overloaded(&self, tear: &Tear<'_>) -> Option<(u32, DVec2)> {
        let Tear { particles, span, .. } = tear;
        let mut best = (1.0, None);
        for v in span.clone().filter(|&v| !particles.held[v]) {
            let (felt, normal) = match self.options.criterion {
                Criterion::Stress => self.pulled_at(v),
                Criterion::Separation => self.separated_at(v),
            };
            let limit = f64::from(self.fabric.strength[v] * particles.strength[v]);
            let ratio = felt / limit;
            if ratio > best.0 && !self.is_near_crack(particles, span, v) {
                best = (ratio, Some((v as u32, normal)));
            }
        }
        best.1
    }

    /// The largest mean stress around a vertex over what the grain leaves of the strength across it, Pa, and across what.
    fn pulled_at(&self, v: usize) -> (f64, DVec2) {
        let stress = self.stress_at(v as u32);
        match self.fabric.grain_at(v) {
            None => (principal(stress)[0], principal_axis(stress)),
            Some(grain) => grain.largest(stress),
        }
    }

    /// The separation tensor of a vertex (004 eq. 17): its largest value over h t, which is a stress, and across what, in the rest plane.
    pub(super) fn separated_at(&self, v: usize) -> (f64, DVec2) {
        let (mut slope, mut forces) = ([DVec3::ZERO; 2], Vec::new());
        for (t, k) in self.plane.table.fan(v as u32) {
            let (f, stress) = (slope_of(&self.plane, t), self.stress_of(t));
            let corners = self.plane.table.from_corner(t, k);
            let [_, b, c] = corners.map(|v| self.plane.rest[v as usize]);
            let thickness = mean(&self.fabric.thickness, corners);
            // A g of a corner is half the edge opposite, turned inwards
            let g = 0.5 * thickness * (c - b).perp();
            let force = |[xx, yy, xy]: [f64; 3]| {
                -((xx * g.x + xy * g.y) * f[0] + (xy * g.x + yy * g.y) * f[1])
            };
            let tension = positive(stress);
            let pressure = [0, 1, 2].map(|k: usize| stress[k] - tension[k]);
            forces.push([force(tension), force(pressure)]);
            (0..2).for_each(|k| slope[k] += self.plane.twice_area(t) * f[k]);
        }
        let (value, axis) = separation(forces.into_iter());
        // the plane across that axis meets the sheet where Fᵀn is across
        let normal = DVec2::new(slope[0].dot(axis), slope[1].dot(axis)).normalize_or(DVec2::X);
        let felt = value / (self.plane.edge * f64::from(self.fabric.thickness[v]));
        (felt / self.fabric.grain_at(v).map_or(1.0, |grain| grain.stands(normal)), normal)
    }

    /// Whether a crack is within the radius of the disc.
    fn is_near_crack(&self, particles: &Particles, span: &Span, v: usize) -> bool {
        let (here, radius) = (self.plane.rest[v], self.radius_at(v as u32));
        span.clone().any(|w| {
            particles.broken[w] && self.plane.rest[w].distance_squared(here) < radius * radius
        })
    }

    /// S of a triangle, Pa.
    pub(super) fn stress_of(&self, t: u32) -> [f64; 3] {
        stress_of(&self.plane, &self.fabric, t)
    }

    /// Mean of S over the triangles around a vertex, by area, Pa.
    fn stress_at(&self, v: u32) -> [f64; 3] {
        let (mut sum, mut whole) = ([0.0; 3], 0.0);
        for (t, _) in self.plane.table.fan(v) {
            let (area, stress) = (self.plane.twice_area(t), self.stress_of(t));
            (0..3).for_each(|k| sum[k] += area * stress[k]);
            whole += area;
        }
        sum.map(|x| x / whole)
    }

    /// r, m: where toughness and strength meet, K_c² / (2π σ_t²), as far as triangles tell it.
    pub(super) fn radius_at(&self, v: u32) -> f64 {
        let (toughness, strength) = (
            f64::from(self.fabric.toughness[v as usize]),
            f64::from(self.fabric.strength[v as usize]),
        );
        let length = (toughness / strength).powi(2) / std::f64::consts::TAU;
        let edge = self.plane.edge;
        if length.is_finite() { length.clamp(RADIUS * edge, WIDEST * edge) } else { RADIUS * edge }
    }

    /// K_c at a vertex, Pa√m. What has none is held by its strength, as the mean of K/√(2πr) over an edge.
    fn toughness_at(&self, particles: &Particles, v: u32) -> f64 {
        let v = v as usize;
        let toughness = f64::from(self.fabric.toughness[v]);
        let limit = if toughness.is_finite() {
            toughness
        } else {
            let edge = std::f64::consts::FRAC_PI_2 * self.plane.edge;
            f64::from(self.fabric.strength[v]) * edge.sqrt()
        };
        limit * f64::from(particles.strength[v])
    }

    /// What parts an edge ahead of a tip, N: the mean of K_c/√(2πr) over its length.
    fn force_at_tip(&self, particles: &Particles, v: u32) -> f64 {
        let thickness = f64::from(self.fabric.thickness[v as usize]);
        let length = 2.0 * self.plane.edge / std::f64::consts::PI;
        self.toughness_at(particles, v) * thickness * length.sqrt()
    }

    /// K_I and K_II of a tip, and what they ask for.
    pub(super) fn intensity(&self, tip: &Tip) -> Intensity {
        Intensity::new(match self.options.tips {
            TipTest::Disc => self.modes_of_disc(tip),
            TipTest::Integral => self.interaction(tip),
        })
    }

    /// K_I and K_II of a tip from the mean stress around it.
    fn modes_of_disc(&self, tip: &Tip) -> [f64; 2] {
        let radius = self.radius_at(tip.vertex);
        let s = self.mean_stress(tip.vertex, radius);
        let (e1, e2) = (tip.direction, tip.direction.perp());
        let pull = |e: DVec2| DVec2::new(s[0] * e.x + s[2] * e.y, s[2] * e.x + s[1] * e.y);
        let across = pull(e2);
        let scale = (std::f64::consts::TAU * radius).sqrt() / (PROFILE * WAKE);
        [across.dot(e2) * scale / MODES[0], across.dot(e1) * scale / MODES[1]]
    }

    /// What is held against K_c along the grain at a tip, Pa√m, and by how much it turns; none if it goes straight on.
    fn load_of(&self, tip: &Tip) -> (f64, Option<f64>) {
        let grain = self.fabric.grain_at(tip.vertex as usize);
        if self.opens_out_of_plane(tip) {
            let modulus = f64::from(self.fabric.modulus[tip.vertex as usize]);
            let load = (modulus * self.release(tip).max(0.0)).sqrt();
            return (load / grain.map_or(1.0, |grain| grain.stands(tip.direction.perp())), None);
        }
        let load = self.intensity(tip);
        let load = grain.map_or(load, |grain| load.along_grain(grain, tip.direction));
        (load.equal, Some(load.turn))
    }

    /// Whether the banks behind a tip part out of the plane more than in it.
    fn opens_out_of_plane(&self, tip: &Tip) -> bool {
        let Plane { table, rest, shape, .. } = &self.plane;
        let mut mean = [DVec3::ZERO; 2];
        for (t, _) in table.fan(tip.vertex) {
            let f = slope_of(&self.plane, t);
            (0..2).for_each(|k| mean[k] += self.plane.twice_area(t) * f[k]);
        }
        let normal = mean[0].cross(mean[1]).normalize_or_zero();
        // along both banks, by an edge or more
        let reach = |clockwise: bool| {
            let mut at = tip.vertex;
            for _ in 0..BANK {
                let fan = table.fan(at);
                let end = if clockwise { fan.clone().next() } else { fan.last() };
                let Some((t, k)) = end else { return at };
                let [_, a, b] = table.from_corner(t, k);
                at = if clockwise { a } else { b };
                if rest[at as usize].distance(rest[tip.vertex as usize]) >= self.plane.edge {
                    break;
                }
            }
            at
        };
        let [a, b] = [reach(true), reach(false)].map(|v| shape[v as usize]);
        let out = normal.dot(a - b);
        let within = (a - b) - out * normal;
        out.abs() > within.length()
    }

    /// G at a tip, J/m².
    pub(super) fn release(&self, tip: &Tip) -> f64 {
        let radius = self.radius_at(tip.vertex);
        let mut sum = 0.0;
        self.visit_disc(tip.vertex, radius, |t, corners, _| {
            let slope = self.slope_of_share(tip.vertex, radius, corners);
            let f = slope_of(&self.plane, t);
            let [xx, yy, xy] = self.stress_of(t);
            let along = tip.direction;
            let pulled = DVec2::new(xx * slope.x + xy * slope.y, xy * slope.x + yy * slope.y);
            let [one, other] = [along, pulled].map(|e| e.x * f[0] + e.y * f[1]);
            let [exx, eyy, exy] = self.elastic_of(t, f);
            let stored = 0.5 * (xx * exx + yy * eyy + 2.0 * xy * exy);
            sum += 0.5 * self.plane.twice_area(t) * (one.dot(other) - stored * along.dot(slope));
        });
        sum
    }

    /// ∇q of a triangle: how the part that moves with a tip falls off, from 1 within 0.4 r to 0 at r.
    pub(super) fn slope_of_share(&self, v: u32, radius: f64, corners: [DVec2; 3]) -> DVec2 {
        let (here, inner) = (self.plane.rest[v as usize], INNER * radius);
        let share = |p: DVec2| ((radius - p.distance(here)) / (radius - inner)).clamp(0.0, 1.0);
        let [q, dq, eq] = corners.map(share);
        let inverse = DMat2::from_cols(corners[1] - corners[0], corners[2] - corners[0])
            .inverse()
            .transpose();
        (dq - q) * inverse.x_axis + (eq - q) * inverse.y_axis
    }

    pub(super) fn elastic_of(&self, t: u32, f: [DVec3; 2]) -> [f64; 3] {
        let plastic = self.fabric.plastic_of(self.plane.table.corners()[t as usize]);
        let strain = green(f);
        [0, 1, 2].map(|k| strain[k] - plastic[k])
    }

    /// S over a disc around a vertex, of the triangles that hang together with it.
    fn mean_stress(&self, v: u32, radius: f64) -> [f64; 3] {
        let (mut sum, mut whole) = ([0.0; 3], 0.0);
        self.visit_disc(v, radius, |t, _, weight| {
            let weight = weight * self.plane.twice_area(t);
            let stress = self.stress_of(t);
            (0..3).for_each(|k| sum[k] += weight * stress[k]);
            whole += weight;
        });
        sum.map(|x| x / whole)
    }

    /// Triangles within a radius of a vertex that hang together with it, with their corners at rest and their share of 1 − d²/r².
    pub(super) fn visit_disc(
        &self,
        v: u32,
        radius: f64,
        mut visit: impl FnMut(u32, [DVec2; 3], f64),
    ) {
        let mut reached: Vec<u32> = self.plane.table.fan(v).map(|(t, _)| t).collect();
        let mut seen = vec![false; self.plane.table.len()];
        reached.iter().for_each(|&t| seen[t as usize] = true);
        let here = self.plane.rest[v as usize];
        let mut next = 0;
        while let Some(&t) = reached.get(next) {
            next += 1;
            let corners =
                self.plane.table.corners()[t as usize].map(|v| self.plane.rest[v as usize]);
            let weight: f64 = SAMPLES
                .iter()
                .map(|[a, b, c]| *a * corners[0] + *b * corners[1] + *c * corners[2])
                .map(|p| (1.0 - p.distance_squared(here) / (radius * radius)).max(0.0))
                .sum();
            let inside = corners.iter().any(|p| p.distance(here) < radius);
            if weight <= 0.0 && !inside {
                continue;
            }
            visit(t, corners, weight);
            for k in 0..3 {
                if let Some(u) = self.plane.table.beyond(t, k).filter(|&u| !seen[u as usize]) {
                    seen[u as usize] = true;
                    reached.push(u);
                }
            }
        }
    }

    /// Takes over what a hop did to vertices: particles, what they are made of, and the log.
    pub(super) fn take_hop(&mut self, particles: &mut Particles, changes: &mut Changes) {
        let Self { plane, fabric, next_id, .. } = self;
        let mut id = || {
            *next_id += 1;
            ParticleId(*next_id - 1)
        };
        for change in plane.changes.drain(..) {
            match change {
                Change::Placed(placed) => {
                    if placed.is_new {
                        let heavy = heaviest(&placed);
                        let new = id();
                        let ends = [heavy, other_than(&placed, heavy)];
                        let ends = ends.map(|v| particles.id[v as usize]);
                        changes.on_edges.push((ends, new));
                        particles.push_copy(heavy as usize, new);
                        fabric.columns_mut().into_iter().for_each(|column| column.push(0.0));
                        particles.broken[placed.vertex as usize] = false;
                        particles.held[placed.vertex as usize] = false;
                    }
                    place_between(particles, fabric, &placed);
                    let at = in_frame(plane.rest[placed.vertex as usize]);
                    particles.rest[placed.vertex as usize] = at.as_vec3();
                }
                Change::Doubled { parent, .. } => {
                    let (parent, new) = (parent as usize, id());
                    changes.born.push((particles.id[parent], new));
                    particles.push_copy(parent, new);
                    fabric.columns_mut().into_iter().for_each(|column| column.push(column[parent]));
                }
            }
        }
        for open in std::mem::take(&mut plane.opened) {
            for v in open.ends.into_iter().chain(open.others) {
                particles.broken[v as usize] = true;
            }
            let logged = log_of(&open, plane, fabric, particles);
            changes.bonds_cut.push(logged.ends);
            changes.opened.push(logged);
        }
    }

    /// After hops: masses of what they touched, and all that follows from the rest plane.
    pub(super) fn follow_hops(&mut self, particles: &mut Particles) {
        let Self { plane, fabric, .. } = self;
        let mut changed: Vec<u32> = plane.table.written_since(0).collect();
        changed.extend(plane.moved().flat_map(|v| plane.table.fan(v).map(|(t, _)| t)));
        changed.sort_unstable();
        changed.dedup();
        let corners = changed.iter().flat_map(|&t| plane.table.corners()[t as usize]);
        let mut touched: Vec<u32> = corners.collect();
        touched.sort_unstable();
        touched.dedup();
        for v in touched {
            particles.mass[v as usize] = mass_of(plane, fabric, v) as f32;
        }
        plane.commit();
        self.follow_some(&changed);
    }
}

/// Ids that a hop takes at most: one vertex that is placed, two that are doubled.
const MOST_BORN: u64 = 3;

/// Six places within a triangle that stand for a sixth of it each.
pub(super) const SAMPLES: [[f64; 3]; 6] = {
    const A: f64 = 2.0 / 3.0;
    const B: f64 = 1.0 / 6.0;
    const C: f64 = 5.0 / 12.0;
    [[A, B, B], [B, A, B], [B, B, A], [B, C, C], [C, B, C], [C, C, B]]
};

/// Turned counter-clockwise by so many radians.
fn turned(direction: DVec2, by: f64) -> DVec2 {
    let (sin, cos) = (ops::sin(by as f32), ops::cos(by as f32));
    DVec2::new(cos.into(), sin.into()).rotate(direction).normalize_or(direction)
}

/// Columns of F of a triangle where its corners are in the shape of the plane.
pub(super) fn slope_of(plane: &Plane, t: u32) -> [DVec3; 2] {
    let corners = plane.table.corners()[t as usize];
    let [a, b, c] = corners.map(|v| plane.rest[v as usize]);
    let inverse = DMat2::from_cols(b - a, c - a).inverse();
    let [p, q, r] = corners.map(|v| plane.shape[v as usize]);
    let (d1, d2) = (q - p, r - p);
    let (x, y) = (inverse.x_axis, inverse.y_axis);
    [x.x * d1 + x.y * d2, y.x * d1 + y.y * d2]
}

/// Green's strain: xx, yy, xy.
fn green(f: [DVec3; 2]) -> [f64; 3] {
    [0.5 * (f[0].length_squared() - 1.0), 0.5 * (f[1].length_squared() - 1.0), 0.5 * f[0].dot(f[1])]
}

/// S of a triangle where its corners are in the shape of the plane, Pa.
fn stress_of(plane: &Plane, fabric: &Fabric, t: u32) -> [f64; 3] {
    let corners = plane.table.corners()[t as usize];
    let strain = green(slope_of(plane, t));
    let plastic = fabric.plastic_of(corners);
    let strain = [0, 1, 2].map(|k: usize| strain[k] - plastic[k]);
    let (e, nu) = (mean(&fabric.modulus, corners), mean(&fabric.poisson, corners));
    let (lambda, mu) = (e * nu / (1.0 - nu * nu), e / (2.0 * (1.0 + nu)));
    let pressure = lambda * (strain[0] + strain[1]);
    [pressure + 2.0 * mu * strain[0], pressure + 2.0 * mu * strain[1], 2.0 * mu * strain[2]]
}

fn heaviest(placed: &Placed) -> u32 {
    let Placed { corners, weights, .. } = placed;
    let best = (0..3).fold(0, |best, k| if weights[k] > weights[best] { k } else { best });
    corners[best]
}

fn other_than(placed: &Placed, v: u32) -> u32 {
    placed.corners.into_iter().find(|&w| w != v).unwrap_or(v)
}

/// Puts the particle of a vertex between the corners of a triangle, with all that changes from place to place.
fn place_between(particles: &mut Particles, fabric: &mut Fabric, placed: &Placed) {
    let Placed { vertex, corners, weights, .. } = *placed;
    let (v, corners) = (vertex as usize, corners.map(|c| c as usize));
    let blend = |of: &dyn Fn(usize) -> DVec3| -> DVec3 {
        (0..3).map(|k| weights[k] * of(corners[k])).sum()
    };
    let place = blend(&|j| particles.place(j));
    let previous = blend(&|j| particles.previous_place(j));
    let inertial = blend(&|j| particles.inertial_place(j));
    let of = |column: &[Vec3]| blend(&|j| column[j].as_dvec3()).as_vec3();
    let (velocity, acceleration) = (of(&particles.velocity), of(&particles.acceleration));
    let correction = of(&particles.correction);
    particles.set_place(v, place);
    particles.set_previous_place(v, previous);
    particles.set_inertial_place(v, inertial);
    particles.velocity[v] = velocity;
    particles.acceleration[v] = acceleration;
    particles.correction[v] = correction;
    let number = |column: &[f32]| {
        // infinite as all around, and no product of that with 0
        let [a, b, c] = corners.map(|j| f64::from(column[j]));
        if a == b && b == c {
            a as f32
        } else {
            (weights[0] * a + weights[1] * b + weights[2] * c) as f32
        }
    };
    particles.strength[v] = number(&particles.strength);
    for column in fabric.columns_mut() {
        column[v] = number(column);
    }
}

/// An edge as it has opened. It takes K_c²/E times its area (Griffith), which the next solve sets free.
fn log_of(open: &OpenEdge, plane: &Plane, fabric: &Fabric, particles: &Particles) -> Opened {
    let [a, b] = open.ends.map(|v| plane.shape[v as usize]);
    let [v, w] = open.ends;
    let half =
        |column: &[f32]| 0.5 * (f64::from(column[v as usize]) + f64::from(column[w as usize]));
    let length = plane.rest[v as usize].distance(plane.rest[w as usize]);
    let area = length * half(&fabric.thickness);
    let along = plane.rest[w as usize] - plane.rest[v as usize];
    let grain = fabric.grain_at(v as usize);
    let stands = grain.map_or(1.0, |grain| grain.stands(along.perp().normalize_or_zero()));
    let toughness = half(&fabric.toughness) * stands;
    let energy = area * toughness * toughness / half(&fabric.modulus);
    let [c, d] = open.sides.map(|v| plane.shape[v as usize]);
    // across the edge, within the sheet
    let along = (b - a).normalize_or_zero();
    let across = (c - d) - along * along.dot(c - d);
    let apart = |k: usize| open.ends[k] != open.others[k];
    Opened {
        // told by the world
        piece: PieceId(0),
        ends: open.sides.map(|v| particles.id[v as usize]),
        position: 0.5 * (a + b),
        normal: across.as_vec3().normalize_or(Vec3::X),
        area: area as f32,
        energy: if energy.is_finite() { energy as f32 } else { 0.0 },
        material: particles.material[v as usize],
        through: apart(0) && apart(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found for a grain is the largest of what it is said to be, looked for everywhere: at a tip and in a whole sheet.
    #[test]
    fn a_grain_asks_for_the_weakest_way() {
        let (grain, direction) = (Grain { along: DVec2::new(0.6, 0.7), ratio: 0.3 }, DVec2::X);
        let angles = || (-1_000..=1_000).map(|k| f64::from(k) / 1_000.0);
        for modes in [[2.0, 0.0], [2.0, 0.7], [1.0, -1.2]] {
            let found = Intensity::new(modes).along_grain(grain, direction);
            let best = angles().map(|share| {
                let turn = share * TURN;
                let normal = DVec2::new(-turn.sin(), turn.cos());
                hoop(modes, (0.5 * turn).tan()) / grain.stands(normal)
            });
            let best = best.fold(0.0, f64::max);
            assert!((found.equal / best - 1.0).abs() < 1e-3, "{} not {best}", found.equal);
        }
        for stress in [[1.0, 0.2, 0.0], [1.0, -0.5, 0.6], [0.3, 0.9, -0.4]] {
            let (found, normal) = grain.largest(stress);
            let over = |n: DVec2| {
                let [xx, yy, xy] = stress;
                (xx * n.x * n.x + yy * n.y * n.y + 2.0 * xy * n.x * n.y) / grain.stands(n)
            };
            let half = std::f64::consts::FRAC_PI_2;
            let best = angles().map(|share| over(DVec2::from_angle(share * half)));
            let best = best.fold(0.0, f64::max);
            assert!((found / best - 1.0).abs() < 1e-5, "{found} Pa instead of {best} Pa");
            assert!((over(normal) / found - 1.0).abs() < 1e-9, "across {normal}");
        }
    }
}
