//! The seam between models and the solver, on a model with a stiff K, see `common/column.rs`. Statics
//! says what its layers carry.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::column::{SPACING, column, lowest_strain};
use common::{FRAME, centre_of_mass, floor};
use fracas::{BodyId, World, WorldConfig};

fn mean_strain(world: &mut World, id: BodyId, seconds: usize) -> f64 {
    for _ in 0..60 * (seconds - 1) {
        world.step(FRAME);
    }
    let mut sum = 0.0;
    for _ in 0..60 {
        world.step(FRAME);
        sum += lowest_strain(world, id);
    }
    sum / 60.0
}

fn world_of(substeps: u32) -> World {
    let mut world = World::new(WorldConfig { substeps, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    world
}

/// The lowest layer carries the weight of all above it: twice the mean strain.
#[test]
fn the_lowest_layer_of_a_column_carries_the_others() {
    for count in [30, 300] {
        for substeps in [1, 2, 8] {
            let mut world = world_of(substeps);
            let id = world.spawn(column(count, 0.5 * f64::from(SPACING))).unwrap();
            let ratio = mean_strain(&mut world, id, 6) / 2e-3;
            println!("{count} layers, {substeps} substeps: {ratio:.4} of statics");
            assert!((ratio - 1.0).abs() < 0.1, "{count} layers, {substeps} substeps: {ratio}");
        }
    }
}

/// A column that stands on another presses with its weight: twice the strain below, and none
/// of it is lost between the two.
#[test]
fn a_column_on_a_column_presses_with_its_weight() {
    for substeps in [1, 2, 8] {
        let mut world = world_of(substeps);
        let low = world.spawn(column(20, 0.5 * f64::from(SPACING))).unwrap();
        let high = world.spawn(column(20, 20.5 * f64::from(SPACING))).unwrap();
        let below = mean_strain(&mut world, low, 6);
        let above = lowest_strain(&world, high);
        // 39 layers press on the lowest spring where 19 would
        let statics = 2e-3 * 39.0 / 19.0;
        println!("{substeps} substeps: {:.4} below, {:.4} above", below / statics, above / 2e-3);
        assert!((below / statics - 1.0).abs() < 0.1, "{substeps} substeps: {below}");
        assert!((above / 2e-3 - 1.0).abs() < 0.15, "{substeps} substeps: {above}");
        let [x, y, z] = centre_of_mass(world.body(high).unwrap());
        assert!(x.hypot(z) < 1e-3, "it leans by {x}, {z}");
        assert!((y - 30.0 * f64::from(SPACING)).abs() < 2e-3, "it sank to {y}");
    }
}
