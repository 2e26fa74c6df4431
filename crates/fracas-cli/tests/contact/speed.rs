//! In real time: many soft bodies, and a tool in a hand.

use crate::SHOWS;
use crate::common::bodies::awake;
use crate::common::{self, floor, lattice};
use crate::shows::{MACHINE, QUIET, Row, busy_cores, short, show};
use fracas::contact::shape::Shape;
use fracas::glam::DVec3;
use fracas::material::{MaterialDesc, preset};
use fracas::math::Rot;
use fracas::world::ObstacleDesc;
use fracas::{World, WorldConfig};
use std::time::Instant;

/// Rows of times are no figures while others keep the machine busy, or with debug assertions.
pub fn timed(measure: impl FnOnce() -> Vec<Row>) -> Vec<Row> {
    let before = busy_cores();
    let mut rows = measure();
    let busy = before.max(busy_cores());
    let excuse = if cfg!(debug_assertions) {
        Some("debug assertions are on".to_owned())
    } else {
        (busy > QUIET).then(|| format!("others use {} cores", short(busy)))
    };
    rows.iter_mut().for_each(|row| row.excuse = excuse.clone());
    rows
}

// ---- a tool ----

/// Steps per second.
const RATE: f64 = 500.0;
/// Steps in which the tool moves, and in which it is held then.
const MOVING: usize = 600;
const HELD: usize = 200;

#[test]
fn tool() {
    let _alone = MACHINE.write();
    show(&SHOWS, "tool", || {
        let mut felt = None;
        let mut rows = timed(|| {
            let pressed = press();
            let factor = pressed.seconds / pressed.simulated;
            felt = Some(pressed);
            vec![Row::at_most(
                "tool at 500 Hz, 2,000 particles: time over real time",
                factor,
                1.0,
                "×",
            )]
        });
        let Press { moving, held, force, .. } = felt.unwrap();
        let name = |what: &str| format!("tool at 500 Hz: {what}");
        rows.push(Row::at_most(&name("force jumps, pressing deeper"), 100.0 * moving, 10.0, " %"));
        rows.push(Row::at_most(&name("force jumps, held"), 100.0 * held, 10.0, " %"));
        rows.push(Row::told(&name("force at the end"), format!("{} N", short(force))));
        rows
    });
}

struct Press {
    /// Time it took and time that passed in the world, from where the tool starts.
    seconds: f64,
    simulated: f64,
    /// Largest change of force from substep to substep, of the force.
    moving: f64,
    held: f64,
    /// In N.
    force: f64,
}

/// A ball of 10 cm comes down on a soft block at 5 cm/s, presses into it and is held there.
fn press() -> Press {
    let mut world = World::new(WorldConfig { threads: 2, ..awake(1) }).unwrap();
    world.add_half_space(floor()).unwrap();
    let rubber = MaterialDesc {
        density: 1000.0.into(),
        youngs_modulus: 1e5.into(),
        ..preset("rubber").unwrap()
    };
    let mut block = common::body(lattice([20, 10, 10], 0.05, 3), &rubber);
    block.position = [0.0, 0.25, 0.0];
    world.spawn(block).unwrap();
    let top = 0.5 + 0.1 + 0.002;
    let ball = ObstacleDesc {
        position: [0.0, top, 0.0],
        ..ObstacleDesc::new(Shape::sphere(0.1).unwrap())
    };
    let tool = world.add_obstacle(ball).unwrap();
    let dt = (1.0 / RATE) as f32;
    // it sags under its weight first
    for _ in 0..250 {
        world.step(dt);
    }
    let begin = Instant::now();
    let mut forces = Vec::new();
    for step in 1..=MOVING + HELD {
        let depth = 0.05 * (step.min(MOVING) as f64 / RATE);
        world.move_obstacle(tool, [0.0, top - depth, 0.0], Rot::IDENTITY).unwrap();
        world.step(dt);
        forces.push(DVec3::from(world.obstacle(tool).unwrap().reaction().force).length());
    }
    let seconds = begin.elapsed().as_secs_f64();
    let touched = forces.iter().position(|&force| force > 0.0).unwrap();
    // steady from 5 mm of pressing on
    let steady = touched + RATE as usize / 10;
    assert!(steady + 200 < MOVING, "the tool touches too late: step {touched}");
    let jump = |forces: &[f64]| {
        forces.windows(2).map(|pair| (pair[1] - pair[0]).abs() / pair[0]).fold(0.0, f64::max)
    };
    Press {
        seconds,
        simulated: forces.len() as f64 / RATE,
        moving: jump(&forces[steady..MOVING]),
        held: jump(&forces[MOVING..]),
        force: forces[forces.len() - 1],
    }
}
