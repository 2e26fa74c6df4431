//! Sheets: a cloth of 100 × 100 vertices held at two corners, as other engines were timed on it, and the same while it tears.

use super::{FRAME, Row, Timing, time};
use crate::clock;
use anyhow::{Context, Result};
use fracas::material::{Material, MaterialDesc};
use fracas::world::{GripDesc, GripMotion, MoveKey, Region, ShapeDesc};
use fracas::{BodyDesc, BodyId, World, WorldConfig};
use fracas_mesh::generate::{self, Neighbourhood, Resolution, Sampling};

/// Squares along each side.
const CELLS: u32 = 99;
/// Edge of a square, in m.
const SPACING: f32 = 0.05;
/// Mass of a vertex, in kg.
const MASS: f32 = 0.02;
/// In m.
const THICKNESS: f32 = 1e-3;
/// Frames before the clock: it hangs, and touches itself.
const WARM_UP: usize = 60;
/// Frames of a tear.
const TORN: usize = 120;

fn world(threads: u32, strength: f32, toughness: f32) -> Result<(World, BodyId)> {
    let material = Material::try_from(&MaterialDesc {
        density: (MASS / (SPACING * SPACING * THICKNESS)).into(),
        youngs_modulus: 1e6.into(),
        poisson_ratio: 0.3.into(),
        thickness: THICKNESS.into(),
        bending_stiffness: 1e-4.into(),
        strength: strength.into(),
        toughness: toughness.into(),
        ..MaterialDesc::default()
    })?;
    let side = CELLS as f32 * SPACING;
    let sampling = Sampling {
        resolution: Resolution::Lattice([CELLS, 1, CELLS]),
        neighbourhood: Neighbourhood::Full,
        jitter: 0.0,
        seed: 0,
    };
    let shape = generate::triangle_sheet(side, side, &sampling)?;
    let config = WorldConfig { substeps: 1, threads, ..WorldConfig::default() };
    let mut world = World::new(config)?;
    let body = world.spawn(BodyDesc::new("cloth", ShapeDesc::Sheet(shape), vec![material]))?;
    Ok((world, body))
}

/// Holds two corners; drawn apart by so many m/s.
fn hold(world: &mut World, body: BodyId, speed: f32) -> Result<()> {
    let (edge, far) = (0.5 * CELLS as f32 * SPACING - 0.1 * SPACING, 1e3);
    for side in [-1.0f32, 1.0] {
        let (low, high) = if side < 0.0 { (-far, -edge) } else { (edge, far) };
        let region = Region::Box { min: [low, -far, edge], max: [high, far, far] };
        let end = MoveKey { time: 100.0, offset: [side * speed * 100.0, 0.0, 0.0], angle: 0.0 };
        let keys = vec![MoveKey::default(), end];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
        world.grip(GripDesc { body, region, motion, release: None })?;
    }
    Ok(())
}

/// Frames of a cloth that hangs, and of one whose corners are drawn apart until it tears.
pub fn rows() -> Result<Vec<Row>> {
    let size = u64::from(CELLS + 1).pow(2);
    let mut rows = Vec::new();
    for threads in [1, 2] {
        let (mut cloth, body) = world(threads, f32::INFINITY, f32::INFINITY)
            .context("cannot build the benchmark's cloth")?;
        hold(&mut cloth, body, 0.0)?;
        let mut step = || {
            cloth.step(FRAME);
            cloth.events();
        };
        (0..WARM_UP).for_each(|_| step());
        let mut row = Row::new("cloth", size, 1, threads, time(threads, step));
        let iterations = cloth.body(body).map_or(0, |body| body.solver_iterations());
        row.facts.insert("iterations", iterations.into());
        rows.push(row);
    }
    rows.push(tearing(size, 2)?);
    Ok(rows)
}

fn tearing(size: u64, threads: u32) -> Result<Row> {
    let (mut cloth, body) = world(threads, 1e5, 1e4)?;
    hold(&mut cloth, body, 1.0)?;
    let (mut times, mut opened) = (Vec::new(), 0);
    for _ in 0..WARM_UP + TORN {
        let start = clock::seconds();
        cloth.step(FRAME);
        let passed = 1e3 * (clock::seconds() - start);
        cloth.events();
        let torn = cloth.body(body).map_or(0, |body| body.changes().opened.len());
        opened += torn;
        // from the first crack on
        if opened > 0 {
            times.push(passed);
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let last = times.len().saturating_sub(1);
        times.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    };
    let timing = Timing { ms_median: at(0.5), ms_max: at(1.0) };
    let mut row = Row::new("cloth-tearing", size, 1, threads, timing);
    row.facts.insert("p99", at(0.99));
    row.facts.insert("edges torn", opened as f64);
    Ok(row)
}
