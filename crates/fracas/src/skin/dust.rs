//! Chips and dust of cracks (000 sec. 6).
//!
//! ```text
//! World::step → events → Dust::emit → Dust::advance → Dust::specks
//! ```
//!
//! A crack of area A throws `per_area` · A specks on average, spread evenly over a disk of that
//! area. They start with the velocity of the material on both sides, and a part across the crack of
//! up to
//!
//! ```text
//! v = √(2 η E / m),   m = ρ A d
//! ```
//!
//! with E the energy that the crack set free, d the size of a chip and η the share of E that crumbs
//! carry away.

#[cfg(test)]
mod tests;

use crate::contact::shape::Shape;
use crate::material::noise::mix;
use crate::material::{Material, MaterialField};
use crate::math::ops;
use crate::world::{Body, BodyId, Event, Obstacle, ParticleId, World};
use glam::{DVec3, Vec3};
use std::f32::consts::{PI, TAU};

/// Radii of chips as shares of the root of the crack's area, smallest and largest.
const CHIP_SIZES: [f32; 2] = [0.03, 0.08];
/// The same of dust.
const DUST_SIZES: [f32; 2] = [0.001, 0.004];
/// η: share of a crack's energy that crumbs carry away.
const CARRIED: f64 = 0.1;
/// Fastest that a crack throws, in m/s.
const FASTEST: f64 = 3.0;
/// How much of that speed goes outward along the crack, at its rim.
const SIDEWAYS: f32 = 0.3;
/// Share of the speed across a floor that a chip keeps when it bounces.
const BOUNCE: f32 = 0.25;
/// Share of the speed along it.
const SLIDE: f32 = 0.5;
/// Chips lie on floors whose normal has at least this cosine to the upright.
const STEEPEST: f32 = 0.7;
/// A floor catches what is at most this deep in it, in m; what is deeper never was in front of it.
const CATCH: f64 = 0.1;
/// And no less than this, in m: what lies on it stays where it is to the last bit.
const ROUNDING: f64 = 1e-9;
/// Time in which air slows dust down to a third, in s.
const SLOWING: f32 = 0.1;
/// Speed at which dust sinks in the end, in m/s per m/s² of gravity.
const SINKING: f32 = 0.02;
/// A step may emit this part of the budget.
const SHARE_OF_STEP: usize = 4;

/// Settings of [`Dust`].
#[derive(Clone, Debug, PartialEq)]
pub struct DustConfig {
    /// Specks alive at most; a step emits at most a quarter of it. The oldest go first.
    pub most: usize,
    /// Chips per m² of crack.
    pub chips_per_area: f32,
    /// Grains of dust per m² of crack.
    pub dust_per_area: f32,
    /// How long dust lasts, in s.
    pub fade: f32,
    /// Another seed gives other specks.
    pub seed: u64,
}

impl Default for DustConfig {
    /// Some hundred specks for a pot, and never more than is drawn in no time.
    fn default() -> Self {
        Self { most: 20_000, chips_per_area: 1_000.0, dust_per_area: 4_000.0, fade: 2.0, seed: 0 }
    }
}

/// What a speck is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeckKind {
    /// Flies, bounces once and lies.
    Chip,
    /// Is slowed down by the air, sinks and fades.
    Dust,
}

/// A crumb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speck {
    /// Its middle, in m.
    pub position: [f64; 3],
    /// In m/s.
    pub velocity: [f32; 3],
    /// In m.
    pub radius: f32,
    /// Since its crack, in s.
    pub age: f32,
    /// The body that it came from, which may be gone.
    pub body: BodyId,
    /// Index into that body's materials.
    pub material: u16,
    /// What it is.
    pub kind: SpeckKind,
    flight: Flight,
}

/// How far a chip has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Flight {
    Thrown,
    Bounced,
    Resting,
}

/// Chips and dust from cracks: drawn and exported, never felt by the simulation.
///
/// The same events in the same order give the same specks to the last bit.
#[derive(Clone, Debug)]
pub struct Dust {
    config: DustConfig,
    /// The oldest first.
    specks: Vec<Speck>,
    /// Cracks seen so far, the number of the next.
    cracks: u64,
}

impl Dust {
    /// None yet.
    pub fn new(config: DustConfig) -> Self {
        Self { config, specks: Vec::new(), cracks: 0 }
    }

    /// As given when it was made.
    pub fn config(&self) -> &DustConfig {
        &self.config
    }

    /// All that there is, the oldest first.
    pub fn specks(&self) -> &[Speck] {
        &self.specks
    }

    /// Emits for every crack of a step, right after it: `world` tells how fast the material is at
    /// its last cracks. Those of earlier steps throw from rest.
    ///
    /// Cracks that together want more than the share of a step emit every k-th of their specks.
    pub fn emit(&mut self, world: &World, events: &[Event]) {
        let share = self.config.most.div_ceil(SHARE_OF_STEP) as u64;
        let cracks = self.cracks_of(world, events, share);
        let wanted: u64 = cracks.iter().flat_map(|crack| crack.counts).sum();
        if wanted == 0 {
            return;
        }
        let floors = floors_of(world);
        let every = wanted.div_ceil(share);
        // of chips and of dust apart, so that no regular mixture can lose all of one kind
        let mut passed = [0; 2];
        for crack in &cracks {
            for (k, kind) in [SpeckKind::Chip, SpeckKind::Dust].into_iter().enumerate() {
                let first = every - 1 - passed[k] % every;
                for number in (first..crack.counts[k]).step_by(every as usize) {
                    self.specks.push(crack.speck(kind, number, &floors));
                }
                passed[k] += crack.counts[k];
            }
        }
        let excess = self.specks.len().saturating_sub(self.config.most);
        self.specks.drain(..excess);
    }

    /// Moves all specks by `dt` seconds: chips fly, bounce once and come to rest on half-spaces;
    /// dust is slowed down, sinks and fades.
    pub fn advance(&mut self, world: &World, dt: f32) {
        if !(dt > 0.0 && dt.is_finite()) {
            return;
        }
        let gravity = Vec3::from(world.config().gravity);
        let floors = floors_of(world);
        for speck in &mut self.specks {
            speck.age += dt;
            match (speck.kind, speck.flight) {
                (SpeckKind::Dust, _) => speck.drift(&floors, gravity, dt),
                (SpeckKind::Chip, Flight::Resting) => speck.lie(&floors, gravity),
                (SpeckKind::Chip, _) => speck.fly(&floors, gravity, dt),
            }
        }
        let fade = self.config.fade;
        self.specks.retain(|speck| speck.kind == SpeckKind::Chip || speck.age < fade);
    }

    /// The cracks among the events, each with how much it wants to emit: at most `share` of a kind.
    fn cracks_of(&mut self, world: &World, events: &[Event], share: u64) -> Vec<Crack> {
        let mut sides = Sides::default();
        let mut cracks = Vec::new();
        for event in events {
            let &Event::Crack { body, position, normal, area, energy, material, .. } = event else {
                continue;
            };
            let stream = mix(mix(self.config.seed) ^ self.cracks);
            self.cracks += 1;
            if !(area > 0.0 && area.is_finite() && DVec3::from(position).is_finite()) {
                continue;
            }
            let mut draws = Draws(stream);
            let counts = [self.config.chips_per_area, self.config.dust_per_area]
                .map(|per_area| draws.count(per_area * area, share));
            if counts == [0; 2] {
                continue;
            }
            let normal = Vec3::from(normal).normalize_or(Vec3::Y);
            let (first, second) = normal.any_orthonormal_pair();
            let known = world.body(body);
            let made_of = known.and_then(|body| body.materials().get(usize::from(material)));
            cracks.push(Crack {
                body,
                material,
                position: position.into(),
                frame: [first, second, normal],
                size: area.sqrt(),
                speed: speed_of_crumbs(energy, area, made_of),
                velocity: known.map_or(Vec3::ZERO, |body| sides.velocity(body, position)),
                stream,
                counts,
            });
        }
        cracks
    }
}

/// The fastest that a crack throws, in m/s.
fn speed_of_crumbs(energy: f32, area: f32, material: Option<&Material>) -> f32 {
    let bounds = material.and_then(|material| material.get(MaterialField::Density).bounds());
    // where only a mesh file knows, that of water is near enough
    let density = bounds.map_or(1e3, |(low, high)| 0.5 * (f64::from(low) + f64::from(high)));
    let chip = f64::from(0.5 * (CHIP_SIZES[0] + CHIP_SIZES[1])) * f64::from(area).sqrt();
    let mass = density * f64::from(area) * chip;
    (2.0 * CARRIED * f64::from(energy.max(0.0)) / mass).sqrt().min(FASTEST) as f32
}

/// A crack that emits.
#[derive(Debug)]
struct Crack {
    body: BodyId,
    material: u16,
    position: DVec3,
    /// Two axes along it and its normal.
    frame: [Vec3; 3],
    /// Root of its area, in m.
    size: f32,
    /// The fastest that it throws, in m/s.
    speed: f32,
    /// Of the material, in m/s.
    velocity: Vec3,
    /// Where its random numbers begin.
    stream: u64,
    /// Chips and grains of dust that it wants to emit.
    counts: [u64; 2],
}

impl Crack {
    /// One of its specks. It does not depend on which others are emitted.
    fn speck(&self, kind: SpeckKind, number: u64, floors: &[Floor]) -> Speck {
        let sizes = match kind {
            SpeckKind::Chip => CHIP_SIZES,
            SpeckKind::Dust => DUST_SIZES,
        };
        let mut draws = Draws(mix(self.stream ^ mix(2 * number + kind as u64)));
        let [first, second, normal] = self.frame;
        let (out, angle) = (draws.share().sqrt(), TAU * draws.share());
        let along = out * (ops::cos(angle) * first + ops::sin(angle) * second);
        let across = 2.0 * draws.share() - 1.0;
        let thrown = self.speed * (across * normal + SIDEWAYS * along);
        // small ones are more frequent
        let size = sizes[0] + (sizes[1] - sizes[0]) * draws.share() * draws.share();
        let radius = size * self.size;
        let rim = self.size / PI.sqrt();
        let at = self.position + (rim * along).as_dvec3();
        let lift = |at, floor: &Floor| floor.lift(self.position, at, radius).unwrap_or(at);
        Speck {
            position: floors.iter().fold(at, lift).to_array(),
            velocity: (self.velocity + thrown).to_array(),
            radius,
            age: 0.0,
            body: self.body,
            material: self.material,
            kind,
            flight: Flight::Thrown,
        }
    }
}

/// Random numbers of one crack or speck.
struct Draws(u64);

impl Draws {
    /// Uniform, at least 0 and below 1.
    fn share(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(1);
        (mix(self.0) >> 40) as f32 / (1u32 << 24) as f32
    }

    /// A whole number that is `expected` on average, cut to `most`.
    fn count(&mut self, expected: f32, most: u64) -> u64 {
        let share = self.share();
        let expected = expected.max(0.0).min(most as f32);
        (expected as u64 + u64::from(share < expected.fract())).min(most)
    }
}

/// How fast the material is at the cracks of the last step, of each body that was asked for.
#[derive(Default)]
struct Sides(Vec<(BodyId, Vec<(Key, Vec3)>)>);

/// Bits of a position, by which a crack is found again.
type Key = [u64; 3];

impl Sides {
    fn velocity(&mut self, body: &Body, position: [f64; 3]) -> Vec3 {
        let known = self.0.iter().position(|&(id, _)| id == body.id());
        let place = known.unwrap_or_else(|| {
            self.0.push((body.id(), velocities_at_cracks(body)));
            self.0.len() - 1
        });
        let cracks = &self.0[place].1;
        let found = cracks.binary_search_by_key(&position.map(f64::to_bits), |&(key, _)| key);
        found.map_or(Vec3::ZERO, |k| cracks[k].1)
    }
}

/// Of every face that opened in the last step the mean velocity of its two sides, by position.
fn velocities_at_cracks(body: &Body) -> Vec<(Key, Vec3)> {
    let moving = body.pieces().iter().flat_map(|piece| {
        body.ids(piece).iter().copied().zip(body.velocities(piece).iter().copied())
    });
    let mut moving: Vec<(ParticleId, [f32; 3])> = moving.collect();
    moving.sort_unstable_by_key(|&(id, _)| id);
    let velocity = |id| {
        let found = moving.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(Vec3::from(moving[found].1))
    };
    let mut cracks: Vec<(Key, Vec3)> = Vec::with_capacity(body.changes().opened.len());
    for opened in &body.changes().opened {
        // a side that broke again or was taken away is left out
        let mean = match opened.ends.map(velocity) {
            [Some(a), Some(b)] => 0.5 * (a + b),
            [a, b] => a.or(b).unwrap_or(Vec3::ZERO),
        };
        cracks.push((opened.position.to_array().map(f64::to_bits), mean));
    }
    cracks.sort_by_key(|&(key, _)| key);
    cracks
}

/// The surface of a half-space.
struct Floor {
    point: DVec3,
    /// Outward, of unit length.
    normal: DVec3,
}

impl Floor {
    fn of(obstacle: &Obstacle) -> Option<Self> {
        let Shape::HalfSpace(plane) = obstacle.shape() else { return None };
        let normal = (obstacle.rotation() * plane.normal()).as_dvec3().normalize_or(DVec3::Y);
        Some(Self { point: obstacle.position().into(), normal })
    }

    fn height(&self, at: DVec3) -> f64 {
        (at - self.point).dot(self.normal)
    }

    /// Where a speck lies on it that came from `before` and is in it; none if it is not.
    fn lift(&self, before: DVec3, at: DVec3, radius: f32) -> Option<DVec3> {
        let depth = f64::from(radius) - self.height(at);
        (depth > ROUNDING && self.height(before) > -CATCH).then(|| at + depth * self.normal)
    }

    /// Whether chips come to rest on it.
    fn carries(&self, gravity: Vec3) -> bool {
        self.normal.as_vec3().dot(gravity) < -STEEPEST * gravity.length()
    }
}

/// All half-spaces that are solid.
fn floors_of(world: &World) -> Vec<Floor> {
    let solid = world.obstacles().filter(|obstacle| !obstacle.is_sensor());
    solid.filter_map(Floor::of).collect()
}

impl Speck {
    /// A chip in the air.
    fn fly(&mut self, floors: &[Floor], gravity: Vec3, dt: f32) {
        let before = DVec3::from(self.position);
        let mut velocity = Vec3::from(self.velocity);
        let mut at = before + (dt * velocity + 0.5 * dt * dt * gravity).as_dvec3();
        velocity += dt * gravity;
        for floor in floors {
            let Some(lifted) = floor.lift(before, at, self.radius) else { continue };
            at = lifted;
            let normal = floor.normal.as_vec3();
            let into = velocity.dot(normal).min(0.0) * normal;
            (velocity, self.flight) = match self.flight {
                Flight::Thrown => (SLIDE * (velocity - into) - BOUNCE * into, Flight::Bounced),
                Flight::Bounced if !floor.carries(gravity) => (velocity - into, Flight::Bounced),
                _ => (Vec3::ZERO, Flight::Resting),
            };
        }
        (self.position, self.velocity) = (at.to_array(), velocity.to_array());
    }

    /// A chip at rest: it goes where its floor goes, and falls if that is gone.
    fn lie(&mut self, floors: &[Floor], gravity: Vec3) {
        let before = DVec3::from(self.position);
        let lift = |at, floor: &Floor| floor.lift(before, at, self.radius).unwrap_or(at);
        let at = floors.iter().fold(before, lift);
        let near = 1.5 * f64::from(self.radius);
        let mut under = floors.iter().filter(|floor| floor.carries(gravity));
        if !under.any(|floor| floor.height(at) < near) {
            self.flight = Flight::Bounced;
        }
        self.position = at.to_array();
    }

    /// A grain of dust: v goes to that of sinking as exp(−t/τ), whatever the steps are.
    fn drift(&mut self, floors: &[Floor], gravity: Vec3, dt: f32) {
        let before = DVec3::from(self.position);
        let sinking = SINKING * gravity;
        let faster = Vec3::from(self.velocity) - sinking;
        let lost = -ops::exp_m1(-dt / SLOWING);
        let mut at = before + (dt * sinking + SLOWING * lost * faster).as_dvec3();
        let mut velocity = sinking + (1.0 - lost) * faster;
        for floor in floors {
            let Some(lifted) = floor.lift(before, at, self.radius) else { continue };
            at = lifted;
            let normal = floor.normal.as_vec3();
            velocity -= velocity.dot(normal).min(0.0) * normal;
        }
        (self.position, self.velocity) = (at.to_array(), velocity.to_array());
    }
}
