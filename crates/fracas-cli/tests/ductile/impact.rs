//! Whether what breaks depends on how time is cut.

use crate::SHOWS;
use crate::common::bodies::{awake_weightless, rigid, stuff};
use crate::common::{body, grip_box, lattice, material};
use crate::shows::{MACHINE, Row, show};
use fracas::World;
use fracas::contact::shape::Shape;
use fracas::material::MaterialDesc;
use fracas::world::{BodyDesc, GripMotion};

const D: f32 = 0.05;
const RADIUS: f32 = 0.1;

/// Pieces of a held plate 0.3 s after a ball went into it, off its middle by these shares of the ball's radius.
fn pieces(substeps: u32, hz: u32, off: [f32; 2]) -> f64 {
    let plate = MaterialDesc {
        strength: 4e4.into(),
        toughness: 6e3.into(),
        load_time: 0.005.into(),
        damping_time: 1.0.into(),
        ..material(1e6)
    };
    let mut world = World::new(awake_weightless(substeps)).unwrap();
    let id = world.spawn(body(lattice([16, 3, 16], D, 3), &plate)).unwrap();
    for (min, max) in
        [([-9.0, -9.0, -9.0], [-7.0 * D, 9.0, 9.0]), ([7.0 * D, -9.0, -9.0], [9.0; 3])]
    {
        world.grip(grip_box(id, min, max, GripMotion::Hold)).unwrap();
    }
    let ball = Shape::sphere(RADIUS).unwrap();
    let [x, z] = off.map(|share| f64::from(share * RADIUS));
    let ball = rigid(ball, &stuff(5000.0, 0.3, 0.0), [x, 0.3, z]);
    world.spawn(BodyDesc { velocity: [0.0, -10.0, 0.0], ..ball }).unwrap();
    for _ in 0..3 * hz / 10 {
        world.step(1.0 / hz as f32);
    }
    world.body(id).unwrap().pieces().len() as f64
}

#[test]
#[ignore = "some hundred impacts; run with --include-ignored in release"]
fn impact() {
    let _reading = MACHINE.read();
    show(&SHOWS, "impact", || {
        let mut rows = Vec::new();
        let mut means = Vec::new();
        for (substeps, hz) in [(2, 60), (4, 60), (8, 60), (4, 30), (4, 120)] {
            let runs = (0..20).map(|k| {
                // on a circle of up to a hundredth of the radius
                let angle = 0.61803 * std::f32::consts::TAU * k as f32;
                let reach = 0.01 * (k as f32 / 19.0).sqrt();
                pieces(substeps, hz, [reach * angle.cos(), reach * angle.sin()])
            });
            let mean = runs.sum::<f64>() / 20.0;
            means.push(mean);
            let name = format!("impact, {substeps} substeps at {hz} Hz: mean number of pieces");
            rows.push(Row::told(&name, format!("{mean:.1}")));
        }
        let middle = means.iter().sum::<f64>() / means.len() as f64;
        let spread = means.iter().map(|mean| (mean / middle - 1.0).abs()).fold(0.0, f64::max);
        let name = "impact: means of 20 runs off their mean";
        rows.push(Row::at_most(name, 100.0 * spread, 15.0, " %"));
        rows
    });
}
