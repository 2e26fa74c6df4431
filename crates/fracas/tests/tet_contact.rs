//! Contact of bodies of tetrahedra by their surfaces.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::tet_blocks::{block, block_of, tets};
use common::{FRAME, centre_of_mass, floor, material};
use fracas::contact::shape::Shape;
use fracas::material::{Material, MaterialDesc};
use fracas::world::{BodyDesc, ObstacleDesc, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};

fn awake(substeps: u32) -> World {
    World::new(WorldConfig { substeps, sleeping: false, ..WorldConfig::default() }).unwrap()
}

fn lowest(world: &World, id: BodyId) -> f64 {
    let body = world.body(id).unwrap();
    body.world_positions().map(|x| x[1]).fold(f64::INFINITY, f64::min)
}

fn fastest(world: &World, id: BodyId) -> f32 {
    let body = world.body(id).unwrap();
    let speeds = body.pieces().iter().flat_map(|piece| body.velocities(piece));
    speeds.map(|v| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()).fold(0.0, f32::max)
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / FRAME).round() as usize {
        world.step(FRAME);
    }
}

/// On a half-space, on a box, on a mesh and on a height field a block lies with its weight, and neither sinks nor moves.
#[test]
fn a_block_lies_with_its_weight() {
    let table = Shape::block([0.5, 0.1, 0.5].into()).unwrap();
    for substeps in [1, 4] {
        for ground in ["plane", "box"] {
            let mut world = awake(substeps);
            match ground {
                "plane" => {
                    world.add_half_space(floor()).unwrap();
                }
                _ => {
                    let position = [0.0, -0.1, 0.0];
                    world
                        .add_obstacle(ObstacleDesc { position, ..ObstacleDesc::new(table.clone()) })
                        .unwrap();
                }
            };
            let mut desc = tets(block([4, 2, 4], 0.05), &material(1e6));
            desc.position = [0.0, 0.051, 0.0];
            let id = world.spawn(desc).unwrap();
            run(&mut world, 3.0);
            let weight = 9.81 * world.body(id).unwrap().mass();
            let mut mean = 0.0;
            for _ in 0..60 {
                world.step(FRAME);
                mean += world.force_on(id).unwrap()[1] / 60.0;
            }
            let (low, speed) = (lowest(&world, id), fastest(&world, id));
            println!(
                "{ground}, {substeps} substeps: force {:.5}, lowest {low:.2e} m, fastest {speed:.2e} m/s, contacts {}",
                mean / weight, world.contacts().count(),
            );
            assert!((mean / weight - 1.0).abs() < 2e-3, "{ground}, {substeps}: {mean} for {weight}");
            assert!(low > -1e-4, "{ground}, {substeps}: sank to {low}");
            assert!(speed < 1e-3, "{ground}, {substeps}: moves with {speed}");
        }
    }
}
