//! Seed 002, ch. 4: what its samples take and show, as scenes of the gallery.

use super::Row;
use crate::clock;
use crate::stats::median;
use anyhow::Result;
use fracas::WorldConfig;
use fracas_scene::Scene;

const TABLE_4_1: &str = "002 table 4.1";
const TABLE_4_2: &str = "002 table 4.2";
const FIG_3_2: &str = "002 fig. 3.2";
const FIG_4_1: &str = "002 fig. 4.1";
const SEC_4: &str = "002 sec. 4.1";

/// Opacity from which on a pair is damaged.
const DAMAGED: f32 = 0.02;

/// All claims.
pub fn rows() -> Result<Vec<Row>> {
    const TIMED: &str = "gallery scene, two threads: median of its frames of 5 ms";
    const PHYSICS: &str = "the same; 29 ms of theirs are physics alone (erratum 002.19)";
    const SHARE: &str =
        "gallery scene: time of tearing over that of all else, medians; theirs is 29 ms over 25 ms";
    const LATER: &str = "gallery scene: median of the last 50 frames over that of the first 20";
    const LOOKED: &str = "gallery scene, 1 s: of damaged pairs, % that still see each other; that of fig. 4.1b as theirs";
    const PARTED: &str = "gallery scene, at its end";

    let clean = watch("hanging-slab", 200)?;
    let strands = watch("hanging-slab-strands", 200)?;
    let (thread, peel) = (watch("thread", u64::MAX)?, watch("peel", u64::MAX)?);
    Ok(vec![
        Row::at_least(TABLE_4_1, "fig. 3.2: frames a second", TIMED, 65.0, thread.rate()),
        Row::at_least(TABLE_4_1, "fig. 3.4: frames a second", TIMED, 86.0, peel.rate()),
        Row::at_least(TABLE_4_1, "fig. 4.1b: frames a second", TIMED, 37.0, clean.rate()),
        Row::at_least(TABLE_4_1, "fig. 4.1c: frames a second", TIMED, 34.0, strands.rate()),
        Row::at_most(TABLE_4_2, "fig. 4.1b: ms of physics a frame", PHYSICS, 29.0, clean.median()),
        Row::at_most(TABLE_4_2, "fig. 4.1b: what tearing adds, %", SHARE, 16.0, clean.tearing()),
        Row::at_most(
            SEC_4,
            "faster as partitions grow: time over the first",
            LATER,
            1.0,
            clean.later(),
        ),
        Row::at_least(
            FIG_4_1,
            "soft tears are half seen through",
            LOOKED,
            clean.half_seen,
            strands.half_seen,
        ),
        Row::at_least(FIG_4_1, "b: pieces after 1 s", "gallery scene", 2.0, clean.pieces as f64),
        Row::at_most(
            FIG_4_1,
            "b: % in pieces of 3 and fewer",
            "gallery scene, 1 s; they have no figure: 0.2 asked for",
            0.2,
            clean.dust,
        ),
        Row::at_least(FIG_3_2, "pieces", PARTED, 2.0, thread.pieces as f64),
        Row::at_least("002 fig. 3.4", "bonds cut by the peel", PARTED, 1.0, peel.cut as f64),
    ])
}

/// What came of a scene.
struct Outcome {
    /// All of it, of each frame.
    ms: Vec<f64>,
    /// Of that, tearing.
    tearing: Vec<f64>,
    pieces: usize,
    cut: usize,
    /// Of damaged pairs, those that still see each other, %.
    half_seen: f64,
    /// Of particles, those in pieces of at most three, %.
    dust: f64,
}

fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median(&sorted)
}

impl Outcome {
    fn median(&self) -> f64 {
        middle(&self.ms)
    }

    /// Frames a second.
    fn rate(&self) -> f64 {
        1e3 / self.median()
    }

    /// What tearing takes over what all else does, %.
    fn tearing(&self) -> f64 {
        let tearing = middle(&self.tearing);
        100.0 * tearing / (self.median() - tearing)
    }

    /// Time of the last frames over that of the first.
    fn later(&self) -> f64 {
        let last = &self.ms[self.ms.len().saturating_sub(50)..];
        middle(last) / middle(&self.ms[..self.ms.len().min(20)])
    }
}

/// Runs a scene for so many frames at most, and looks at its first body.
fn watch(name: &str, frames: u64) -> Result<Outcome> {
    let scene = Scene::open(name)?;
    let config = WorldConfig { threads: 2, ..scene.world_config() };
    let mut world = scene.build_with(config)?;
    world.set_clock(clock::seconds);
    let bonds = |world: &fracas::World| {
        world
            .body_ids()
            .filter_map(|id| world.body(id))
            .map(|body| body.bond_count())
            .sum::<usize>()
    };
    world.apply_commands();
    let before = bonds(&world);
    let (mut ms, mut tearing) = (Vec::new(), Vec::new());
    for _ in 0..scene.frames().min(frames) {
        let report = world.step(scene.dt());
        world.events(); // drained: nobody here reads them
        ms.push(report.ms.total);
        tearing.push(report.ms.fracture);
    }
    let cut = before - bonds(&world);
    let (mut pieces, mut dust, mut seen) = (0, 0.0, 0);
    if let Some(body) = world.body_ids().filter_map(|id| world.body(id)).next() {
        pieces = body.pieces().len();
        let small = body.pieces().iter().map(|piece| piece.particle_count());
        let small: usize = small.filter(|&count| count <= 3).sum();
        dust = 100.0 * small as f64 / body.particle_count() as f64;
        let pairs = body.meshless().into_iter().flat_map(|meshless| meshless.opacities());
        seen = pairs.filter(|(_, opacity)| *opacity > DAMAGED).count();
    }
    let half_seen = 100.0 * seen as f64 / (seen + cut).max(1) as f64;
    Ok(Outcome { ms, tearing, pieces, cut, half_seen, dust })
}
