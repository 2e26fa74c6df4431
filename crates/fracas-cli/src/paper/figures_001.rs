//! Seed 001, sec. 5: what its scenarios take and give, as scenes of the gallery.

use super::Row;
use crate::clock;
use anyhow::{Result, anyhow};
use fracas::sets::Sets;
use fracas::solids::fem::FractureCounts;
use fracas::world::Body;
use fracas::{World, WorldConfig};
use fracas_scene::Scene;

const TABLE_2: &str = "001 table 2";
const TABLE_3: &str = "001 table 3";
const SEC_5: &str = "001 sec. 5";

/// Of scenes in which nothing breaks: how much of them is run, in s. What grips would have torn apart goes on beyond sense.
const UNBROKEN: f64 = 2.0;

/// What the text tells of a scenario, and what our rows of it are called.
struct Scenario {
    name: &'static str,
    /// Mean times of a step: corotated, its own without and with fracture; the longest with.
    ms: [f64; 4],
    /// Share of predictions of Gerschgorin's test that are right, fractures, components, share of those of the oracle, in %.
    counts: [f64; 4],
    claims: [&'static str; 12],
}

/// What the rows of a scenario are called.
macro_rules! claims {
    ($name:literal) => {
        [
            concat!($name, " without fracture: ms a frame"),
            concat!($name, " with fracture: ms a frame"),
            concat!($name, " with fracture: ms of the longest frame"),
            concat!($name, " without fracture: time over that of corotated"),
            concat!($name, ": largest stress of corotated, MPa, below ours"),
            concat!($name, ": % of stresses beyond both bounds that are beyond the limit"),
            concat!($name, ": vertices that split"),
            concat!($name, ": components that began"),
            concat!($name, ": % of predictions of the oracle that are right"),
            concat!($name, ": components that the oracle missed"),
            concat!($name, ": corotated breaks into fewer pieces"),
            concat!($name, ": pieces quarantined"),
        ]
    };
}

const SCENARIOS: [Scenario; 3] = [
    Scenario {
        name: "struck-monolith",
        ms: [34.0, 28.0, 34.0, 84.0],
        counts: [85.0, 198.0, 112.0, 94.1],
        claims: claims!("monolith"),
    },
    Scenario {
        name: "strained-block",
        ms: [27.0, 17.0, 20.0, 70.0],
        counts: [92.0, 190.0, 104.0, 93.7],
        claims: claims!("block"),
    },
    Scenario {
        name: "falling-bunny",
        ms: [291.0, 218.0, 340.0, 1320.0],
        counts: [78.0, 1639.0, 759.0, 91.1],
        claims: claims!("bunny"),
    },
];

/// All claims.
pub fn rows() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for scenario in &SCENARIOS {
        rows.extend(scenario.rows()?);
    }
    Ok(rows)
}

/// What came of a scene.
#[derive(Clone, Debug, Default)]
struct Outcome {
    /// Of each frame.
    ms: Vec<f64>,
    counts: FractureCounts,
    pieces: usize,
    /// Components that are not pieces of their own.
    missed: usize,
    quarantined: u64,
}

impl Outcome {
    fn mean(&self) -> f64 {
        self.ms.iter().sum::<f64>() / self.ms.len().max(1) as f64
    }

    fn longest(&self) -> f64 {
        self.ms.iter().copied().fold(0.0, f64::max)
    }
}

impl Scenario {
    fn rows(&self) -> Result<Vec<Row>> {
        const TIMED: &str = "gallery scene, one thread, without sleep; a frame is four substeps";
        const UNBROKEN: &str =
            "gallery scene with infinite strength, two seconds, one thread, without sleep";
        const SAME: &str =
            "the same as corotated; of what grips hold u is solved to a thousandth of what acts";
        const STRESSED: &str = "gallery scene, every substep up to its first crack, both models";
        const COUNTED: &str =
            "gallery scene: both bounds, of vertices with half of their limit around them";
        const RUNNING: &str =
            "gallery scene: cracks run along planes, so that shards are left and no gravel";
        const MEETING: &str = "gallery scene: faces of long cracks that have not met are predictions too, and walks from both sides stop early";
        const FLOOD: &str = "gallery scene, every frame: a fill through all tetrahedra";
        const NOT_YET: &str = "open: not compared yet";

        let broken = watch(&self.scene(|line| line.into())?, f64::INFINITY)?;
        let whole = watch(&self.scene(unbreakable)?, self::UNBROKEN)?;
        let soft = watch(&self.scene(corotated)?, self::UNBROKEN)?;
        let (most, cracked) = largest_stress(&self.scene(|line| line.into())?, f64::INFINITY)?;
        let (most_soft, _) = largest_stress(&self.scene(corotated)?, cracked)?;
        let [theirs_soft, theirs_whole, theirs_broken, theirs_longest] = self.ms;
        let [bounds, fractures, components, oracle] = self.counts;
        let share = |part: u64, of: u64| 100.0 * part as f64 / of as f64;
        let begun = broken.pieces as f64 - 1.0;
        let counts = &broken.counts;
        let right = share(counts.overloaded, counts.bounded);
        let ratio = whole.mean() / soft.mean();
        let predicted = 100.0 * begun / counts.through as f64;
        let splits = counts.splits as f64;
        let of = &self.claims;
        Ok(vec![
            Row::at_most(TABLE_2, of[0], UNBROKEN, theirs_whole, whole.mean()),
            Row::at_most(TABLE_2, of[1], TIMED, theirs_broken, broken.mean()),
            Row::at_most(TABLE_2, of[2], TIMED, theirs_longest, broken.longest()),
            Row::at_most(TABLE_2, of[3], SAME, theirs_whole / theirs_soft, ratio),
            Row::at_most(SEC_5, of[4], STRESSED, 1e-6 * most, 1e-6 * most_soft),
            Row::at_least(TABLE_3, of[5], COUNTED, bounds, right),
            Row::at_most(TABLE_3, of[6], RUNNING, fractures, splits),
            Row::at_most(TABLE_3, of[7], RUNNING, components, begun),
            Row::at_least(TABLE_3, of[8], MEETING, oracle, predicted),
            Row::at_most(TABLE_3, of[9], FLOOD, 0.0, broken.missed as f64),
            Row::at_most(SEC_5, of[10], NOT_YET, broken.pieces as f64 - 1.0, f64::NAN),
            Row::at_most(SEC_5, of[11], TIMED, 0.0, broken.quarantined as f64),
        ])
    }

    /// The scene with its lines changed.
    fn scene(&self, change: impl Fn(&str) -> String) -> Result<Scene> {
        let gallery = fracas_scene::gallery();
        let entry = gallery.iter().find(|entry| entry.name == self.name);
        let entry = entry.ok_or_else(|| anyhow!("the gallery has no scene {}", self.name))?;
        let text: String = entry.text.lines().map(|line| change(line) + "\n").collect();
        Ok(Scene::parse(self.name, &text)?)
    }
}

fn unbreakable(line: &str) -> String {
    if line.starts_with("strength = ") { "strength = inf".into() } else { line.into() }
}

/// What corotated bodies do not know is left out.
fn corotated(line: &str) -> String {
    if line.starts_with("remesh = ") {
        return String::new();
    }
    let line = unbreakable(line).replace("model = \"brittle\"", "model = \"corotated\"");
    match line.split_once(", grain = ") {
        Some((before, _)) => format!("{before} }}"),
        None => line,
    }
}

/// Runs a scene for so long at most, in s, and looks at the body that the scenario is about: the first.
fn watch(scene: &Scene, time: f64) -> Result<Outcome> {
    let config = WorldConfig { threads: 1, sleeping: false, ..scene.world_config() };
    let mut world = scene.build_with(config)?;
    world.set_clock(clock::processor_seconds);
    let mut outcome = Outcome::default();
    for _ in 0..scene.frames() {
        let report = world.step(scene.dt());
        world.events(); // drained: nobody here reads them
        outcome.ms.push(report.ms.total);
        outcome.quarantined = report.quarantined;
        if let Some(body) = first_body(&world) {
            outcome.missed += component_count(body).abs_diff(body.pieces().len());
        }
        if world.time() >= time {
            break;
        }
    }
    if let Some(body) = first_body(&world) {
        outcome.counts = body.fracture_counts().unwrap_or_default();
        outcome.pieces = body.pieces().len();
    }
    Ok(outcome)
}

/// The largest principal stress of a vertex in any substep up to the first crack, in Pa, and when that is; or up to this time. An impact is over within a
/// substep, and infinite strength would hide it: what counts as an impact is told by the strength.
fn largest_stress(scene: &Scene, until: f64) -> Result<(f64, f64)> {
    let config = scene.world_config();
    let h = scene.dt() / config.substeps as f32;
    let mut world = scene.build_with(WorldConfig { substeps: 1, threads: 1, ..config })?;
    let (mut largest, end) = (0.0f32, until.min(f64::from(scene.dt()) * scene.frames() as f64));
    while world.time() + 0.5 * f64::from(h) < end {
        world.step(h);
        world.events(); // drained: nobody here reads them
        let Some(body) = first_body(&world) else { break };
        largest = body.stresses().into_iter().fold(largest, f32::max);
        if !body.changes().opened.is_empty() {
            break;
        }
    }
    Ok((largest.into(), world.time()))
}

fn first_body(world: &World) -> Option<&Body> {
    world.body_ids().filter_map(|id| world.body(id)).next()
}

/// Components of the tetrahedra of a body: what shares a vertex hangs together.
fn component_count(body: &Body) -> usize {
    let mut sets = Sets::default();
    sets.reset(body.particle_count());
    for tet in body.tets() {
        tet[1..].iter().for_each(|&v| sets.join(tet[0], v));
    }
    (0..body.particle_count() as u32).filter(|&v| sets.find(v) == v).count()
}
