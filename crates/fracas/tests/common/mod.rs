//! Lattice bodies and small helpers for the tests of the engine.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

pub mod blocks;
pub mod bodies;
pub mod column;
pub mod extreme;
pub mod meshless_figures;
pub mod sheet_figures;
pub mod sheets;
pub mod tet_figures;
pub mod tets;

use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::solids::oriented::{OrientedPoint, OrientedShape};
use fracas::world::{
    Body, BodyDesc, BodyId, GripDesc, GripMotion, HalfSpaceDesc, Region, ShapeDesc, WorldConfig,
};

pub const FRAME: f32 = 1.0 / 60.0;

/// Which cells of a lattice are joined: 6, 18 or 26 neighbours.
pub fn lattice(counts: [usize; 3], spacing: f32, reach2: i32) -> OrientedShape {
    let [nx, ny, nz] = counts;
    let index = |x: usize, y: usize, z: usize| ((x * ny + y) * nz + z) as u32;
    let mut shape = OrientedShape::default();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                let at = [x, y, z];
                let position =
                    [0, 1, 2].map(|k| (at[k] as f32 - 0.5 * (counts[k] as f32 - 1.0)) * spacing);
                let moment = spacing.powi(5) / 12.0;
                shape.points.push(OrientedPoint {
                    position,
                    volume: spacing.powi(3),
                    second_moment: [moment, moment, moment, 0.0, 0.0, 0.0],
                    radii: [0.5 * spacing; 3],
                    axes: [0.0, 0.0, 0.0, 1.0],
                    material: 0,
                });
                for dx in -1i32..=1 {
                    for dy in -1i32..=1 {
                        for dz in -1i32..=1 {
                            let to = [x as i32 + dx, y as i32 + dy, z as i32 + dz];
                            let inside = (0..3).all(|k| to[k] >= 0 && to[k] < counts[k] as i32);
                            let length = dx * dx + dy * dy + dz * dz;
                            let later = (dx, dy, dz) > (0, 0, 0);
                            if inside && later && length <= reach2 {
                                let [a, b, c] = to.map(|t| t as usize);
                                shape.bonds.push([index(x, y, z), index(a, b, c)]);
                            }
                        }
                    }
                }
            }
        }
    }
    shape
}

/// Rubber-like, with this modulus; no damping.
pub fn material(youngs_modulus: f32) -> MaterialDesc {
    MaterialDesc {
        density: 1000.0.into(),
        youngs_modulus: youngs_modulus.into(),
        damping_time: f32::INFINITY.into(),
        friction: 0.5.into(),
        friction_static: 0.5.into(),
        ..MaterialDesc::default()
    }
}

pub fn body(shape: OrientedShape, material: &MaterialDesc) -> BodyDesc {
    BodyDesc {
        name: "body".into(),
        shape: ShapeDesc::Oriented(shape),
        materials: vec![Material::try_from(material).unwrap()],
        position: [0.0; 3],
        rotation: Rot::IDENTITY,
        velocity: [0.0; 3],
        spin: [0.0; 3],
        seed: 0,
        layers: Default::default(),
        pattern: None,
    }
}

pub fn floor() -> HalfSpaceDesc {
    HalfSpaceDesc::default()
}

/// A world without gravity.
pub fn weightless() -> WorldConfig {
    WorldConfig { gravity: [0.0; 3], ..WorldConfig::default() }
}

/// Particles whose rest position lies in this box.
pub fn grip_box(body: BodyId, min: [f32; 3], max: [f32; 3], motion: GripMotion) -> GripDesc {
    GripDesc { body, region: Region::Box { min, max }, motion, release: None }
}

/// Mass-weighted mean position of a body.
pub fn centre_of_mass(body: &Body) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (x, &m) in body.world_positions().zip(body.masses()) {
        (0..3).for_each(|k| sum[k] += f64::from(m) * x[k]);
    }
    sum.map(|s| s / body.mass())
}

/// Numerical Recipes' linear congruential generator: the same numbers everywhere.
pub struct Random(pub u32);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(self.0) * end as u64) >> 32) as usize
    }
}
