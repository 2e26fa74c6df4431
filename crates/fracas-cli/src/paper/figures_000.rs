//! Seed 000, sec. 5: what its figures show, as scenes of the gallery.

use super::Row;
use crate::check;
use crate::clock;
use crate::stats::{median, percentile};
use anyhow::Result;
use fracas::glam::DVec3;
use fracas::math::ops;
use fracas::world::{Body, StageTimes};
use fracas::{StepReport, World, WorldConfig};
use fracas_scene::Scene;

const SEC_5: &str = "000 sec. 5";

/// All claims.
pub fn rows() -> Result<Vec<Row>> {
    let mut rows = twisted_bars()?;
    rows.extend(plates()?);
    rows.extend(bunnies()?);
    rows.extend(dozen()?);
    Ok(rows)
}

/// Runs a scene of the gallery to its end.
fn watch(
    name: &str,
    config: impl Fn(WorldConfig) -> WorldConfig,
    mut each: impl FnMut(&World, &StepReport),
) -> Result<()> {
    let scene = Scene::open(name)?;
    let mut world = scene.build_with(config(scene.world_config()))?;
    world.set_clock(clock::seconds);
    for _ in 0..scene.frames() {
        let report = world.step(scene.dt());
        world.events(); // drained: nobody here reads them
        each(&world, &report);
    }
    Ok(())
}

fn bodies(world: &World) -> impl Iterator<Item = &Body> {
    world.body_ids().filter_map(|id| world.body(id))
}

/// Fig. 4: the turn that is left of a full one, in degrees, of an elastic bar and of those of low,
/// medium and high plasticity.
fn twisted_bars() -> Result<Vec<Row>> {
    const HOW: &str = "gallery scene twisted-bars: turn of the top at the end";

    let elastic = turns("twist")?[0];
    let left = turns("twisted-bars")?;
    let [low, medium, high] = left[..] else { return Ok(Vec::new()) };
    let how = "gallery scene twist: turn of the top at the end";
    Ok(vec![
        Row::at_most(SEC_5, "twisted bar without plasticity: ° left", how, 2.0, elastic),
        Row::at_least(SEC_5, "with low plasticity: ° left, more than without", HOW, elastic, low),
        Row::at_least(SEC_5, "with medium plasticity: ° left, more than low", HOW, low, medium),
        Row::at_least(SEC_5, "with high plasticity: ° left, more than medium", HOW, medium, high),
    ])
}

/// By how much the top of each bar is turned at the end, whole turns counted.
fn turns(name: &str) -> Result<Vec<f64>> {
    let mut turns: Vec<(f64, f64)> = Vec::new();
    watch(
        name,
        |config| config,
        |world, _| {
            let headings = bodies(world).map(heading_of_top);
            for (k, now) in headings.enumerate() {
                if turns.len() <= k {
                    turns.push((0.0, 0.0));
                }
                let (turned, before) = &mut turns[k];
                // less than half a turn per frame
                *turned += (now - *before + 180.0).rem_euclid(360.0) - 180.0;
                *before = now;
            }
        },
    )?;
    Ok(turns.into_iter().map(|(turned, _)| turned).collect())
}

/// The angle about y that fits best what is above 0.45 m at rest, in degrees.
fn heading_of_top(bar: &Body) -> f64 {
    let at = |x: [f64; 3]| DVec3::from(x);
    let top: Vec<(DVec3, DVec3)> = bar
        .rest_positions()
        .iter()
        .map(|rest| at(rest.map(f64::from)))
        .zip(bar.world_positions().map(at))
        .filter(|(rest, _)| rest.y > 0.45)
        .collect();
    let centre = top.iter().map(|(_, x)| *x).sum::<DVec3>() / top.len().max(1) as f64;
    let (mut sine, mut cosine) = (0.0, 0.0);
    for (rest, x) in top {
        let x = x - centre;
        sine += rest.z * x.x - rest.x * x.z;
        cosine += rest.x * x.x + rest.z * x.z;
    }
    f64::from(ops::atan2(sine as f32, cosine as f32)).to_degrees()
}

/// What became of a plate.
#[derive(Clone, Copy, Debug, Default)]
struct Plate {
    bonds: usize,
    pieces: usize,
    /// Largest plastic strain at the end of the frame of the first crack.
    flowed: f64,
    cracked: bool,
}

/// Fig. 5: from left to right, plates flow more before they crack, and fall into fewer pieces.
fn plates() -> Result<Vec<Row>> {
    const HOW: &str = "gallery scene plates";

    let mut plates: Vec<Plate> = Vec::new();
    watch(
        "plates",
        |config| config,
        |world, _| {
            let deforming = bodies(world).filter(|body| body.model() == "oriented");
            for (k, body) in deforming.enumerate() {
                if plates.len() <= k {
                    plates.push(Plate { bonds: body.bond_count(), ..Plate::default() });
                }
                let plate = &mut plates[k];
                if !plate.cracked {
                    let strains = body.plastic_strains();
                    plate.flowed = strains.into_iter().fold(0.0, f32::max).into();
                }
                plate.cracked = body.bond_count() < plate.bonds;
                plate.pieces = body.pieces().len();
            }
        },
    )?;
    let mut rows = Vec::new();
    const FLOWED: [&str; 3] = [
        "second plate: plastic strain at its first crack, more than the first",
        "third plate: likewise, more than the second",
        "fourth plate: likewise, more than the third",
    ];
    const PIECES: [&str; 3] = [
        "second plate: pieces, fewer than the first",
        "third plate: pieces, fewer than the second",
        "fourth plate: pieces, fewer than the third",
    ];
    for (k, pair) in plates.windows(2).enumerate().take(3) {
        rows.push(Row::at_least(SEC_5, FLOWED[k], HOW, pair[0].flowed, pair[1].flowed));
        let (before, now) = (pair[0].pieces as f64, pair[1].pieces as f64);
        rows.push(Row::at_most(SEC_5, PIECES[k], HOW, before - 1.0, now));
    }
    Ok(rows)
}

/// Fig. 6: the meshes of two bunnies.
fn bunnies() -> Result<[Row; 2]> {
    const HOW: &str = "gallery scene bunnies: half of what is not a weight";

    let all = check::contents("bunnies")?;
    // two weights are one particle each
    let (particles, bonds) = ((all.particles - 2) as f64 / 2.0, all.bonds as f64 / 2.0);
    Ok([
        Row::equal(SEC_5, "a bunny: particles", HOW, 300.0, 0.0, particles),
        // the seed's mesh is not told: k-means of other tetrahedra
        Row::equal(SEC_5, "a bunny: edges", HOW, 1288.0, 129.0, bonds),
    ])
}

/// Fig. 7: a game scene of 12 models, 2.7K particles, 9.4K edges and 2 substeps at 30 frames per second;
/// 849 components at the end.
fn dozen() -> Result<Vec<Row>> {
    const NAME: &str = "dozen";
    const HOW: &str = "gallery scene dozen";
    const TIMED: &str =
        "gallery scene dozen from its first crack to its last, 2 threads, without sleep";

    let mesh = check::contents(NAME)?;
    let (mut pieces, mut quarantined) = (0, 0);
    let mut frames: Vec<(u64, StageTimes)> = Vec::new();
    let awake = |config| WorldConfig { threads: 2, sleeping: false, ..config };
    watch(NAME, awake, |_, report| {
        (pieces, quarantined) = (report.pieces, report.quarantined);
        frames.push((report.cracks, report.ms));
    })?;
    let cracked = |frame: &(u64, StageTimes)| frame.0 > 0;
    let first = frames.iter().position(cracked).unwrap_or(0);
    let last = frames.iter().rposition(cracked).map_or(0, |last| last + 1);
    let times: Vec<StageTimes> = frames[first..last].iter().map(|frame| frame.1).collect();
    let sum = |stage: fn(&StageTimes) -> f64| times.iter().map(stage).sum::<f64>();
    let total = sum(|ms| ms.total);
    let share = |stage: fn(&StageTimes) -> f64| 100.0 * sum(stage) / total;
    let mut sorted: Vec<f64> = times.iter().map(|ms| ms.total).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = median(&sorted);
    let hitch = |ms: f64| ms / middle;
    let per_second = 1000.0 * times.len() as f64 / total;
    let longest = sorted.last().copied().unwrap_or(f64::NAN);
    Ok(vec![
        Row::equal(SEC_5, "game scene: models", HOW, 12.0, 0.0, mesh.bodies as f64),
        Row::equal(SEC_5, "game scene: particles", HOW, 2700.0, 100.0, mesh.particles as f64),
        Row::equal(SEC_5, "game scene: edges", HOW, 9400.0, 940.0, mesh.bonds as f64),
        Row::at_least(SEC_5, "game scene: pieces at the end, of 849", HOW, 300.0, pieces as f64),
        Row::at_most(SEC_5, "game scene: pieces quarantined", HOW, 0.0, quarantined as f64),
        Row::at_least(SEC_5, "game scene: frames per second, of 30", TIMED, 300.0, per_second),
        Row::at_most(
            SEC_5,
            "game scene: 99th of 100 frames over the median",
            TIMED,
            3.0,
            hitch(percentile(&sorted, 99)),
        ),
        Row::at_most(
            SEC_5,
            "game scene: longest frame over the median",
            TIMED,
            5.0,
            hitch(longest),
        ),
        // their contact forces stand with finding, ours with the elastic solve
        Row::at_most(
            SEC_5,
            "game scene: % of the time to find contacts",
            TIMED,
            45.0,
            share(|ms| ms.contact),
        ),
        Row::at_most(
            SEC_5,
            "game scene: % of the time for shape matching and contact forces",
            TIMED,
            99.0,
            share(|ms| ms.elastic),
        ),
        Row::at_most(
            SEC_5,
            "game scene: % of the time to fracture",
            TIMED,
            1.0,
            share(|ms| ms.fracture),
        ),
    ])
}
