//! A thousand stones that fall onto a floor and come to rest in a pile: rigid bodies and contact,
//! and nothing else.

use super::{FRAME, Peer, Row, Timing};
use crate::clock::{self, Stopwatch};
use crate::stats::median;
use anyhow::{Context, Result};
use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::{RigidPart, ShapeDesc, StageTimes};
use fracas::{BodyDesc, HalfSpaceDesc, StepReport, World, WorldConfig};
use std::collections::BTreeMap;
use std::ops::Range;

/// Stones along each axis of the grid they are dropped as.
const SIDE: usize = 10;
/// Points on the sphere whose hull a stone is, and the radius of that sphere, in m.
const CORNERS: usize = 16;
const RADIUS: f32 = 0.5;
/// Distances of neighbours in a layer and of layers, in m, and how far a stone may stand off.
const SPACING: [f32; 2] = [1.1, 1.05];
const STRAY: f32 = 0.02;

/// Density in kg/m³, and the friction of everything.
pub const DENSITY: f32 = 1000.0;
pub const FRICTION: f32 = 0.5;

/// Frames that count: from when all of the stones have met others until most lie.
const MOVING: Range<usize> = 60..300;
/// Runs of which the best counts.
const ROUNDS: usize = 3;
/// Frames after which a pile that is still awake is given up, and those timed of one asleep.
const PATIENCE: usize = 1800;
const ASLEEP_FRAMES: usize = 200;

/// Where a stone begins.
#[derive(Clone, Debug)]
pub struct Stone {
    /// The points whose hull it is, in m.
    pub points: Vec<Vec3>,
    /// Where the origin of those points is, in m.
    pub position: Vec3,
    /// How they are turned there.
    pub rotation: Rot,
}

/// The stones, the same on every machine.
pub fn stones() -> Vec<Stone> {
    let mut seed = 1_u64;
    // Knuth's linear congruential generator, its upper 24 bits as a number from −1 to 1
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut vector = || Vec3::new(random(), random(), random());
    let stone = |place: usize| {
        let [x, z, y] = [place % SIDE, place / SIDE % SIDE, place / SIDE / SIDE];
        // every other layer is shifted, so that stones fall between those below
        let [across, up] = SPACING;
        let shift = 0.5 * (y % 2) as f32;
        let grid = Vec3::new(across * (x as f32 + shift), up * y as f32, across * z as f32);
        Stone {
            points: (0..CORNERS).map(|_| RADIUS * vector().normalize_or(Vec3::X)).collect(),
            position: grid + Vec3::Y * 0.6 + STRAY * vector() * Vec3::new(1.0, 0.0, 1.0),
            rotation: Rot::exp(3.0 * vector()),
        }
    };
    (0..SIDE * SIDE * SIDE).map(stone).collect()
}

/// An engine with the stones in it.
pub trait Engine {
    /// Takes a frame, and tells what its stages took if it measures them.
    fn step(&mut self) -> StageTimes;
    /// Deepest overlap that the last step met, in m.
    fn overlap(&self) -> f32;
    /// Stones asleep.
    fn sleeping(&self) -> u64;
}

struct Ours {
    world: World,
    report: StepReport,
}

impl Ours {
    fn new(stones: &[Stone], threads: u32, sleeping: bool) -> Result<Self> {
        let mut world = World::new(WorldConfig { threads, sleeping, ..WorldConfig::default() })?;
        world.set_clock(if threads == 1 { clock::processor_seconds } else { clock::seconds });
        world.add_half_space(HalfSpaceDesc {
            friction: FRICTION,
            friction_static: FRICTION,
            restitution: 0.0,
            ..HalfSpaceDesc::default()
        })?;
        let material = MaterialDesc {
            density: DENSITY.into(),
            friction: FRICTION.into(),
            friction_static: FRICTION.into(),
            restitution: 0.0.into(),
            ..MaterialDesc::default()
        };
        let part = |stone: &Stone| {
            Ok(RigidPart {
                shape: Shape::hull(&stone.points)?,
                position: stone.position.to_array(),
                rotation: stone.rotation,
                material: 0,
            })
        };
        let shape = ShapeDesc::Rigid(stones.iter().map(part).collect::<Result<_>>()?);
        world.spawn(BodyDesc::new("pile", shape, vec![Material::try_from(&material)?]))?;
        Ok(Self { world, report: StepReport::default() })
    }
}

impl Engine for Ours {
    fn step(&mut self) -> StageTimes {
        self.report = self.world.step(FRAME);
        self.world.events(); // drained, or they would pile up
        self.report.ms
    }

    fn overlap(&self) -> f32 {
        self.report.max_penetration
    }

    fn sleeping(&self) -> u64 {
        self.report.sleeping
    }
}

/// Another engine with the same stones, on one thread.
#[cfg(feature = "peers")]
fn peer(stones: &[Stone], sleeping: bool) -> Result<Option<Box<dyn Engine>>> {
    Ok(Some(Box::new(super::rapier::Pile::new(stones, sleeping)?)))
}

#[cfg(not(feature = "peers"))]
fn peer(_: &[Stone], _: bool) -> Result<Option<Box<dyn Engine>>> {
    Ok(None)
}

#[cfg(feature = "peers")]
use super::rapier::NAME as PEER;
#[cfg(not(feature = "peers"))]
const PEER: &str = "";

/// What the frames that count took, and how deep stones were in each other.
#[derive(Debug)]
struct Run {
    whole: Timing,
    stages: [(&'static str, Timing); STAGES.len()],
    /// After the last frame, and the deepest in all that count, in m.
    overlap: f32,
    overlap_max: f32,
}

const STAGES: [&str; 4] = ["pile-predict", "pile-contact", "pile-elastic", "pile-commit"];

impl Run {
    fn new(engine: &mut dyn Engine, threads: u32) -> Self {
        let mut whole = Vec::new();
        let mut stages = STAGES.map(|name| (name, Vec::new()));
        let mut overlap_max = 0.0_f32;
        for frame in 0..MOVING.end {
            let (ms, stage) = timed_step(engine, threads);
            if frame < MOVING.start {
                continue;
            }
            whole.push(ms);
            let stage = [stage.predict, stage.contact, stage.elastic, stage.commit];
            for ((_, all), ms) in stages.iter_mut().zip(stage) {
                all.push(ms);
            }
            overlap_max = overlap_max.max(engine.overlap());
        }
        Self {
            whole: timing(whole),
            stages: stages.map(|(name, ms)| (name, timing(ms))),
            overlap: engine.overlap(),
            overlap_max,
        }
    }

    fn facts(&self) -> BTreeMap<&'static str, f64> {
        let facts = [("overlap", self.overlap), ("overlap_max", self.overlap_max)];
        facts.map(|(name, metres)| (name, f64::from(metres))).into()
    }
}

/// The run with the least median.
fn best(runs: Vec<Run>) -> Option<Run> {
    runs.into_iter().min_by(|a, b| a.whole.ms_median.total_cmp(&b.whole.ms_median))
}

fn timed_step(engine: &mut dyn Engine, threads: u32) -> (f64, StageTimes) {
    let watch = Stopwatch::start(threads);
    let stages = engine.step();
    (1.0e3 * watch.elapsed().as_secs_f64(), stages)
}

fn timing(mut ms: Vec<f64>) -> Timing {
    ms.sort_by(f64::total_cmp);
    Timing { ms_median: median(&ms), ms_max: ms.last().copied().unwrap_or(f64::NAN) }
}

/// `pile`: a frame while the stones move and none may sleep, and its stages. `pile-asleep`: a
/// frame after all fell asleep.
pub fn rows() -> Result<Vec<Row>> {
    let stones = stones();
    let mut rows = moving(&stones).context("cannot build the benchmark's pile")?;
    rows.push(asleep(&stones).context("cannot build the benchmark's pile")?);
    Ok(rows)
}

/// All engines in turn, so that a busy moment of the machine does not hit one alone.
fn moving(stones: &[Stone]) -> Result<Vec<Row>> {
    let (mut one, mut two, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        one.push(Run::new(&mut Ours::new(stones, 1, false)?, 1));
        theirs.extend(peer(stones, false)?.map(|mut engine| Run::new(&mut *engine, 1)));
        two.push(Run::new(&mut Ours::new(stones, 2, false)?, 2));
    }
    let mut rows = Vec::new();
    for (threads, run, theirs) in [(1, best(one), best(theirs)), (2, best(two), None)] {
        let row = |name, timing| Row::new(name, stones.len() as u64, 1, threads, timing);
        let Some(run) = run else { continue };
        let mut whole = Row { facts: run.facts(), ..row("pile", run.whole) };
        if let Some(theirs) = theirs {
            whole.peer = Some(Peer::new(PEER, theirs.whole.ms_median));
            whole.facts.insert("overlap_peer", theirs.overlap.into());
            whole.facts.insert("overlap_max_peer", theirs.overlap_max.into());
        }
        rows.push(whole);
        rows.extend(run.stages.map(|(name, timing)| row(name, timing)));
    }
    Ok(rows)
}

fn asleep(stones: &[Stone]) -> Result<Row> {
    let size = stones.len() as u64;
    let mut ours = Ours::new(stones, 1, true)?;
    let (seconds, timing) = sleep(&mut ours, size);
    let mut row = Row::new("pile-asleep", size, 1, 1, timing);
    row.facts.insert("asleep", ours.sleeping() as f64);
    row.facts.insert("asleep_after", seconds);
    if let Some(mut engine) = peer(stones, true)? {
        let (seconds, timing) = sleep(&mut *engine, size);
        row.peer = Some(Peer::new(PEER, timing.ms_median));
        row.facts.insert("asleep_peer", engine.sleeping() as f64);
        row.facts.insert("asleep_after_peer", seconds);
    }
    Ok(row)
}

/// Simulated time until all stones sleep, in s, and what a frame takes from then on; not finite if
/// some stay awake.
fn sleep(engine: &mut dyn Engine, stones: u64) -> (f64, Timing) {
    for frame in 1..=PATIENCE {
        engine.step();
        if engine.sleeping() == stones {
            let ms = (0..ASLEEP_FRAMES).map(|_| timed_step(engine, 1).0).collect();
            return (frame as f64 * f64::from(FRAME), timing(ms));
        }
    }
    (f64::INFINITY, timing(Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their origins are farther apart than any point is from its own, or they would begin inside
    /// each other: what is timed must be contact that the engines made.
    #[test]
    fn stones_begin_apart_above_the_floor() {
        let stones = stones();
        assert_eq!(stones.len(), 1000);
        for (i, a) in stones.iter().enumerate() {
            assert!(a.points.iter().all(|p| (p.length() - RADIUS).abs() < 1.0e-6));
            assert!(a.position.y > RADIUS);
            for b in &stones[..i] {
                assert!(a.position.distance(b.position) > 2.0 * RADIUS, "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn the_best_run_counts_with_its_own_overlap() {
        let run = |ms_median, overlap| Run {
            whole: Timing { ms_median, ms_max: 9.0 },
            stages: STAGES.map(|name| (name, Timing { ms_median, ms_max: 9.0 })),
            overlap,
            overlap_max: overlap,
        };
        let best = best(vec![run(3.0, 0.3), run(2.0, 0.2), run(4.0, 0.4)]).unwrap();
        assert_eq!(best.facts()["overlap"], f64::from(0.2_f32));
    }
}
