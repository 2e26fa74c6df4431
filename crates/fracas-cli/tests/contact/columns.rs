//! What lies above presses on what lies below.

use crate::SHOWS;
use crate::common::FRAME;
use crate::common::bodies::{awake, settle};
use crate::common::column::{SPACING, column, lowest_strain};
use crate::shows::{MACHINE, Row, short, show};
use fracas::World;
use fracas::world::HalfSpaceDesc;

#[test]
fn columns() {
    let _reading = MACHINE.read();
    show(&SHOWS, "columns", || {
        let mut rows = Vec::new();
        for count in [30, 300] {
            let ratios = [1, 2, 8].map(|substeps| lowest_layer(count, substeps));
            let off = ratios.map(|ratio| (ratio - 1.0).abs()).into_iter().fold(0.0, f64::max);
            let name = format!("column of {count}: strain of the lowest layer off statics");
            rows.push(Row::at_most(&name, 100.0 * off, 10.0, " %"));
            rows.push(Row::told(
                &format!("column of {count}: of statics at 1, 2, 8 substeps"),
                ratios.map(short).join(", "),
            ));
        }
        rows.push(Row::new(ROUNDS, "not measured".to_owned(), "< 1 %".to_owned(), false));
        rows
    });
}

pub const ROUNDS: &str = "hanging bar: 1, 2, 4, 8 rounds change the sag by";

/// Strain of the lowest layer over that of statics, mean of the sixth second.
fn lowest_layer(count: u32, substeps: u32) -> f64 {
    let mut world = World::new(awake(substeps)).unwrap();
    world.add_half_space(HalfSpaceDesc::default()).unwrap();
    let id = world.spawn(column(count, 0.5 * f64::from(SPACING))).unwrap();
    settle(&mut world, 300);
    let mut sum = 0.0;
    for _ in 0..60 {
        world.step(FRAME);
        sum += lowest_strain(&world, id);
    }
    // twice the mean strain
    sum / 60.0 / 2e-3
}
