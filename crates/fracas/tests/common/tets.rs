//! Bodies of tetrahedra for tests.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc};
use fracas::solids::fem::{TetOptions, TetShape};
use fracas::world::{BodyDesc, BodyId, GripDesc, GripId, GripMotion, Region, ShapeDesc, World};

/// A block of cells, five tetrahedra each: the one in the middle, mirrored from cell to cell, so that faces meet. It begins at the
/// origin.
pub fn block(cells: [usize; 3], spacing: [f32; 3]) -> TetShape {
    let [nx, ny, nz] = cells.map(|n| n + 1);
    let mut shape = TetShape::default();
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let at = [i, j, k].map(|n| n as f32);
                shape.vertices.push([0, 1, 2].map(|a| spacing[a] * at[a]));
            }
        }
    }
    let vertex = |i: usize, j: usize, k: usize| ((i * ny + j) * nz + k) as u32;
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                let odd = (i + j + k) % 2 == 1;
                let at = |corner: usize| {
                    let x = corner & 1;
                    let x = if odd { 1 - x } else { x };
                    vertex(i + x, j + (corner >> 1 & 1), k + (corner >> 2 & 1))
                };
                for tet in [[0, 1, 2, 4], [3, 2, 1, 7], [5, 1, 4, 7], [6, 4, 2, 7], [1, 2, 4, 7]] {
                    let [a, b, c, d] = tet.map(at);
                    shape.tets.push(if odd { [a, c, b, d] } else { [a, b, c, d] });
                }
            }
        }
    }
    // whichever way the five turn, none may be inside out
    for tet in &mut shape.tets {
        let [a, b, c, d] = tet.map(|v| Vec3::from(shape.vertices[v as usize]));
        if (b - a).cross(c - a).dot(d - a) < 0.0 {
            tet.swap(2, 3);
        }
    }
    shape
}

/// A material that does not break.
pub fn elastic(density: f32, youngs_modulus: f32, poisson_ratio: f32) -> Material {
    let desc = MaterialDesc {
        density: density.into(),
        youngs_modulus: youngs_modulus.into(),
        poisson_ratio: poisson_ratio.into(),
        damping_time: f32::INFINITY.into(),
        ..MaterialDesc::default()
    };
    Material::try_from(&desc).unwrap()
}

/// Of tetrahedra, as they come.
pub fn body(shape: TetShape, material: Material) -> BodyDesc {
    let shape = ShapeDesc::Tets { shape, options: TetOptions::default() };
    BodyDesc::new("tets", shape, vec![material])
}

/// Holds what has a rest x of at most this.
pub fn hold_start(world: &mut World, body: BodyId, x: f32) -> GripId {
    let (min, max) = ([f32::NEG_INFINITY; 3], [x, f32::INFINITY, f32::INFINITY]);
    let region = Region::Box { min, max };
    world.grip(GripDesc { body, region, motion: GripMotion::Hold, release: None }).unwrap()
}

/// Runs a world for so many frames of `dt` s, saves every third, and checks that each, loaded again, ends with the same bits.
pub fn go_on_after_loading(world: &mut World, frames: usize, dt: f32) {
    let mut saved = Vec::new();
    for frame in 0..frames {
        if frame % 3 == 0 {
            saved.push(world.save());
        }
        world.step(dt);
    }
    for (bytes, frame) in saved.iter().zip((0..).step_by(3)) {
        let mut again = World::load(bytes, 1).unwrap();
        for _ in frame..frames {
            again.step(dt);
        }
        assert_eq!(again.hash(), world.hash(), "saved at frame {frame}");
    }
}
