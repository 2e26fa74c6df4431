//! Smoothed particles: one evaluation of forces, and steps of 5 ms of a slab that hangs, as the thesis and other engines were timed on it.

use super::{Row, Timing, time};
use anyhow::{Context, Result};
use fracas::material::{Material, MaterialDesc};
use fracas::solids::meshless::MeshlessShape;
use fracas::world::{GripDesc, GripMotion, Region, ShapeDesc};
use fracas::{BodyDesc, World, WorldConfig};
use fracas_mesh::generate::{self, Sampling};

/// A frame of the thesis, in s.
const FRAME: f32 = 0.005;
/// Edge of a cell, in m.
const SPACING: f32 = 0.05;
/// Cells of the slabs of 3,000, 24,000 and 200,000 particles.
const SLABS: [[u32; 3]; 3] = [[25, 24, 5], [50, 48, 10], [100, 100, 20]];
/// Moduli at which a step takes 2 and 7 evaluations, in Pa.
const MODULI: [(&str, f32); 2] = [("slab-1e5", 1e5), ("slab-1e6", 1e6)];
/// Modulus at which it takes 64, in Pa: what they cost is not hidden by what a step costs besides.
const STIFF: f32 = 1.064e8;
const EVALUATIONS: u64 = 64;
/// Steps before the clock.
const WARM_UP: usize = 8;

/// A slab that hangs by its upper rows.
#[derive(Clone, Copy, Debug)]
struct Slab {
    cells: [u32; 3],
    modulus: f32,
    /// In Pa; what does not tear is not looked at for tears.
    strength: f32,
    threads: u32,
}

impl Slab {
    fn size(&self) -> u64 {
        self.cells.iter().map(|&n| u64::from(n)).product()
    }

    fn world(&self) -> Result<World> {
        let material = Material::try_from(&MaterialDesc {
            density: 1000.0.into(),
            youngs_modulus: self.modulus.into(),
            poisson_ratio: 0.3.into(),
            strength: self.strength.into(),
            tear_rigidity: 0.85.into(),
            ..MaterialDesc::default()
        })?;
        let size = self.cells.map(|n| n as f32 * SPACING);
        let shape = MeshlessShape::from(&generate::block(size, &Sampling::lattice(self.cells))?);
        let config = WorldConfig { substeps: 1, threads: self.threads, ..WorldConfig::default() };
        let mut world = World::new(config)?;
        let slab = BodyDesc::new("slab", ShapeDesc::Meshless(shape), vec![material]);
        let body = world.spawn(slab)?;
        let (low, far) = (0.5 * size[1] - 1.5 * SPACING, 1e3);
        let region = Region::Box { min: [-far, low, -far], max: [far; 3] };
        world.grip(GripDesc { body, region, motion: GripMotion::Hold, release: None })?;
        Ok(world)
    }

    fn time(&self) -> Result<Timing> {
        let mut world = self.world().context("cannot build the benchmark's slab")?;
        let mut step = || {
            world.step(FRAME);
            world.events();
        };
        (0..WARM_UP).for_each(|_| step());
        Ok(time(self.threads, step))
    }
}

/// Evaluations of three sizes on one thread, and steps of 24,000 particles that could tear, on one and two.
pub fn rows() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for cells in SLABS {
        let slab = Slab { cells, modulus: STIFF, strength: f32::INFINITY, threads: 1 };
        rows.push(Row::new("meshless-evaluation", slab.size(), EVALUATIONS, 1, slab.time()?));
    }
    for (name, modulus) in MODULI {
        for threads in [1, 2] {
            let slab = Slab { cells: SLABS[1], modulus, strength: 1e6, threads };
            rows.push(Row::new(name, slab.size(), 1, threads, slab.time()?));
        }
    }
    Ok(rows)
}
