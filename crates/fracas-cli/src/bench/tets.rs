//! Tetrahedra: a bar that is held at one end and sags, as other engines were timed on it.

#[cfg(feature = "peers")]
use super::Peer;
use super::{FRAME, Row, Timing, time};
#[cfg(feature = "peers")]
use crate::{clock::Stopwatch, stats::median};
use anyhow::{Context, Result};
use fracas::material::{Material, MaterialDesc};
use fracas::solids::fem::{TetOptions, TetShape};
use fracas::world::{GripDesc, GripMotion, Region, ShapeDesc};
use fracas::{BodyDesc, BodyId, World, WorldConfig};

/// Edge of a cell, in m.
const SPACING: f32 = 0.1;
/// What is held, from the start on, in m.
const HELD_TO: f32 = 0.5 * SPACING;
/// Mean mass of a vertex, in kg.
const VERTEX_MASS: f32 = 0.1;
/// Young's modulus, in Pa, and Poisson's ratio.
const MODULUS: f32 = 1.0e6;
const POISSON: f32 = 0.3;
/// Frames over which the sag is compared with that of a solve that has converged.
const COMPARED: usize = 60;
/// Frames at which stress is.
const STRESSED: [usize; 2] = [4, 10];
/// Sweeps of the world for which the solve has converged: 32 iterations at least.
const MANY_SWEEPS: u32 = 64;

/// Cells of the bars of 6,000 and 50,000 tetrahedra: 13 × 11 × 11 and 26 × 21 × 21 vertices.
const SMALL: [usize; 3] = [12, 10, 10];
const LARGE: [usize; 3] = [25, 20, 20];
/// And of those over which the cost of one is followed, from 1,000 to 100,000.
const SIZES: [[usize; 3]; 4] = [[8, 5, 5], [12, 10, 10], [20, 16, 16], [34, 24, 24]];

/// A bar that is held at one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Cells along each axis, five tetrahedra each.
    pub cells: [usize; 3],
    /// Threads of the step.
    pub threads: u32,
    /// Sweeps of the world; half of them are the iterations that a solve makes at least.
    pub sweeps: u32,
}

impl Bar {
    /// Tetrahedra.
    pub fn size(&self) -> u64 {
        5 * self.cells.iter().map(|&n| n as u64).product::<u64>()
    }

    /// A world with this bar, held where x is 0.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn world(&self) -> Result<(World, BodyId)> {
        let vertices: f32 = self.cells.iter().map(|&n| (n + 1) as f32).product();
        let volume: f32 = self.cells.iter().map(|&n| n as f32 * SPACING).product();
        let material = MaterialDesc {
            density: (VERTEX_MASS * vertices / volume).into(),
            youngs_modulus: MODULUS.into(),
            poisson_ratio: POISSON.into(),
            ..MaterialDesc::default()
        };
        let config = WorldConfig {
            substeps: 1,
            sweeps: self.sweeps,
            threads: self.threads,
            // at rest it would be left out
            sleeping: false,
            ..WorldConfig::default()
        };
        let mut world = World::new(config)?;
        let shape = ShapeDesc::Tets { shape: block(self.cells), options: TetOptions::default() };
        let body =
            world.spawn(BodyDesc::new("bar", shape, vec![Material::try_from(&material)?]))?;
        let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
        let region = Region::Box { min: [low; 3], max: [HELD_TO, high, high] };
        world.grip(GripDesc { body, region, motion: GripMotion::Hold, release: None })?;
        Ok((world, body))
    }
}

/// Cells of five tetrahedra, the one in the middle mirrored from cell to cell so that faces meet.
pub fn block(cells: [usize; 3]) -> TetShape {
    const FIVE: [[usize; 4]; 5] =
        [[0, 1, 2, 4], [3, 2, 1, 7], [5, 1, 4, 7], [6, 4, 2, 7], [1, 2, 4, 7]];
    let [ny, nz] = [cells[1] + 1, cells[2] + 1];
    let mut shape = TetShape::default();
    for i in 0..=cells[0] {
        for j in 0..ny {
            for k in 0..nz {
                shape.vertices.push([i, j, k].map(|n| SPACING * n as f32));
            }
        }
    }
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                let odd = (i + j + k) % 2;
                let at = |corner: usize| {
                    let [x, y, z] = [0, 1, 2].map(|axis| corner >> axis & 1);
                    (((i + (x ^ odd)) * ny + j + y) * nz + k + z) as u32
                };
                // mirrored, they would be inside out
                let turned =
                    |[a, b, c, d]: [u32; 4]| if odd == 1 { [a, c, b, d] } else { [a, b, c, d] };
                shape.tets.extend(FIVE.map(|tet| turned(tet.map(at))));
            }
        }
    }
    shape
}

/// Bars of two sizes on one and two threads, with how far their sag and stress are from the solution; then the cost of a
/// tetrahedron by size.
pub fn rows() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, cells) in [("tets-6000", SMALL), ("tets-50000", LARGE)] {
        for threads in [1, 2] {
            let bar = Bar { cells, threads, sweeps: 8 };
            let mut row = row(name, bar)?;
            if threads == 1 {
                compare(bar, &mut row)?;
                compare_peer(bar, &mut row)?;
            }
            rows.push(row);
        }
    }
    for cells in SIZES {
        rows.push(row("tets-by-size", Bar { cells, threads: 1, sweeps: 8 })?);
    }
    Ok(rows)
}

fn row(name: &'static str, bar: Bar) -> Result<Row> {
    let (mut world, body) = bar.world().context("cannot build the benchmark's bar")?;
    let timing: Timing = time(bar.threads, || {
        world.step(FRAME);
        world.events(); // drained, or they would pile up
    });
    let mut row = Row::new(name, bar.size(), 1, bar.threads, timing);
    let body = world.body(body).context("the bar is gone")?;
    row.facts.insert("iterations", f64::from(body.solver_iterations()));
    Ok(row)
}

/// The sag over the whole run and the stress at its start, against those of a solve that has converged.
fn compare(bar: Bar, row: &mut Row) -> Result<()> {
    let (mut world, body) = bar.world()?;
    let (mut truth, true_body) = Bar { sweeps: MANY_SWEEPS, ..bar }.world()?;
    let (mut deepest, mut apart, mut stress) = (0.0f64, 0.0f64, 0.0f64);
    for frame in 1..=COMPARED {
        world.step(FRAME);
        truth.step(FRAME);
        let [found, wanted] = [sag(&world, body)?, sag(&truth, true_body)?];
        deepest = deepest.max(wanted);
        apart = apart.max((found - wanted).abs());
        if STRESSED.contains(&frame) {
            let [found, wanted] =
                [largest_stress(&world, body)?, largest_stress(&truth, true_body)?];
            stress = stress.max((found / wanted - 1.0).abs());
        }
    }
    row.facts.insert("sag (m)", deepest);
    row.facts.insert("error of the sag (%)", 100.0 * apart / deepest);
    row.facts.insert("error of the stress (%)", 100.0 * stress);
    Ok(())
}

/// Another engine at the same bar, over the same frames and with the same masses.
#[cfg(feature = "peers")]
fn compare_peer(bar: Bar, row: &mut Row) -> Result<()> {
    use super::rapier::{NAME, bar as rapier};
    let (mut world, body) = bar.world()?;
    world.apply_commands();
    let masses = world.body(body).context("the bar is gone")?.masses();
    let TetShape { vertices, tets, .. } = block(bar.cells);
    let mut engine = rapier::Sagging::new(rapier::Bar {
        vertices: &vertices,
        masses,
        tets: &tets,
        held_to: HELD_TO,
        modulus: MODULUS,
        poisson: POISSON,
    });
    let (mut ms, mut deepest) = (Vec::new(), 0.0f64);
    for _ in 0..COMPARED {
        let watch = Stopwatch::start(bar.threads);
        engine.step();
        ms.push(1.0e3 * watch.elapsed().as_secs_f64());
        deepest = deepest.max(engine.sag());
    }
    ms.sort_by(f64::total_cmp);
    row.peer = Some(Peer::new(NAME, median(&ms)));
    row.facts.insert("sag of the peer (m)", deepest);
    Ok(())
}

#[cfg(not(feature = "peers"))]
fn compare_peer(_: Bar, _: &mut Row) -> Result<()> {
    Ok(())
}

/// How far the lowest vertex has come down, in m.
fn sag(world: &World, body: BodyId) -> Result<f64> {
    let body = world.body(body).context("the bar is gone")?;
    Ok(body.world_positions().map(|x| -x[1]).fold(0.0, f64::max))
}

fn largest_stress(world: &World, body: BodyId) -> Result<f64> {
    let body = world.body(body).context("the bar is gone")?;
    Ok(body.stresses().into_iter().map(f64::from).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bars that other engines were timed on: as many vertices and tetrahedra, none inside out, of 0.1 kg per vertex.
    #[test]
    fn bars_are_those_of_the_peers() {
        for (cells, vertices, tets) in [(SMALL, 1573, 6000), (LARGE, 11_466, 50_000)] {
            let bar = Bar { cells, threads: 1, sweeps: 8 };
            let shape = block(cells);
            assert_eq!((shape.vertices.len(), shape.tets.len()), (vertices, tets));
            assert_eq!(bar.size(), tets as u64);
            let (mut world, body) = bar.world().unwrap();
            world.apply_commands();
            let mass = world.body(body).unwrap().mass() / vertices as f64;
            assert!((mass - 0.1).abs() < 1e-4, "{mass} kg per vertex");
        }
    }
}
