//! Where and at what load bars and beams break.

use crate::SHOWS;
use crate::common::bodies::awake_weightless;
use crate::common::{body, grip_box, lattice, material};
use crate::shows::{MACHINE, Row, show};
use fracas::glam::DVec3;
use fracas::material::{Attribute, MaterialDesc, Varying};
use fracas::solids::oriented::OrientedShape;
use fracas::world::{Event, GripMotion, MoveKey};
use fracas::{BodyId, GripId, World, WorldConfig};

const D: f32 = 0.05;
/// Within reach of a single substep of 1/30 s.
const E: f32 = 1e5;
/// Strain at which bars break.
const BREAK: f32 = 0.05;

/// How a bar is moved at its right end: shift and angle about z at the end of the ramp.
#[derive(Clone, Copy)]
struct Ramp {
    shift: [f32; 3],
    seconds: f64,
}

/// Held at the left end; the right one follows the ramp.
fn loaded(
    config: WorldConfig,
    shape: OrientedShape,
    material: &MaterialDesc,
    ramp: Ramp,
) -> (World, BodyId, GripId) {
    let end = shape.points.iter().map(|p| p.position[0]).fold(0.0, f32::max);
    let mut world = World::new(config).unwrap();
    let id = world.spawn(body(shape, material)).unwrap();
    let at =
        |x: f32, motion| grip_box(id, [x - 0.1 * D, -9.0, -9.0], [x + 0.1 * D, 9.0, 9.0], motion);
    world.grip(at(-end, GripMotion::Hold)).unwrap();
    let key = |time: f64, offset: [f32; 3]| MoveKey { time, offset, angle: 0.0 };
    let keys = vec![key(0.0, [0.0; 3]), key(ramp.seconds, ramp.shift)];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
    let grip = world.grip(at(end, motion)).unwrap();
    (world, id, grip)
}

/// The first crack: the last pull that it has not changed, and where it opened.
struct FirstCrack {
    pull: f64,
    position: DVec3,
}

fn run(world: &mut World, grip: GripId, hz: u32, seconds: f64) -> Option<FirstCrack> {
    let mut pull = 0.0;
    for _ in 0..(seconds * f64::from(hz)) as u32 {
        world.step(1.0 / hz as f32);
        let position = world.events().find_map(|event| match event {
            Event::Crack { position, .. } => Some(position),
            _ => None,
        });
        // a substep solves before it breaks: where a step has but one, its pull is that of the crack
        if position.is_none() || world.config().substeps == 1 {
            pull = world.reaction(grip).unwrap().force[0];
        }
        if let Some(position) = position {
            return Some(FirstCrack { pull, position: position.into() });
        }
    }
    None
}

fn brittle() -> MaterialDesc {
    MaterialDesc { strength: (BREAK * E).into(), ..material(E) }
}

/// A bar of 4 × 4 particles across that is a tenth weaker in its middle.
fn weak_in_the_middle(radius: f32) -> (OrientedShape, MaterialDesc) {
    let mut shape = lattice([21, 4, 4], D, 3);
    shape.points.iter_mut().for_each(|p| p.radii = [radius * D; 3]);
    let strength = |x: f32| 1.0 - 0.1 * (1.0 - x.abs() / (10.0 * D));
    let values = shape.points.iter().map(|p| strength(p.position[0])).collect();
    shape.values.attributes.push(("share".into(), values));
    let follows = Attribute { name: "share".into(), scale: BREAK * E, offset: 0.0 };
    let material = MaterialDesc { strength: Varying::Attribute(follows), ..material(E) };
    (shape, material)
}

/// Pulls it to its break within 2 s and a bit: share of strength × area, and how far from the middle.
fn pull_weak(substeps: u32, hz: u32, radius: f32) -> (f64, f64) {
    let (shape, material) = weak_in_the_middle(radius);
    let ramp = Ramp { shift: [20.0 * D * 0.06, 0.0, 0.0], seconds: 2.4 };
    let config = awake_weightless(substeps);
    let (mut world, _, grip) = loaded(config, shape, &material, ramp);
    let crack = run(&mut world, grip, hz, 2.5).unwrap();
    let wanted = f64::from(0.9 * BREAK * E * (4.0 * D) * (4.0 * D));
    (crack.pull / wanted - 1.0, crack.position.x.abs() / f64::from(D))
}

#[test]
fn pull() {
    let _reading = MACHINE.read();
    show(&SHOWS, "pull", || {
        let (mut off, mut away) = (0.0_f64, 0.0_f64);
        for substeps in [1, 2, 4, 8] {
            for hz in [30, 60, 120] {
                let (load, place) = pull_weak(substeps, hz, 0.5);
                off = off.max(load.abs());
                away = away.max(place);
            }
        }
        vec![
            Row::at_most(
                "ramped pull, 1–8 substeps × 30–120 Hz: load at the first crack off",
                100.0 * off,
                5.0,
                " %",
            ),
            Row::at_most("ramped pull: first crack away from its place", away, 1.0, " spacings"),
        ]
    });
}

#[test]
fn radius() {
    let _reading = MACHINE.read();
    show(&SHOWS, "radius", || {
        let loads = [0.3, 0.5, 0.6].map(|radius| pull_weak(4, 60, radius).0);
        let spread =
            loads.into_iter().fold(0.0_f64, |most, load| most.max((load - loads[0]).abs()));
        let name = "ramped pull, radii of 0.3 to 0.6 spacings: loads apart";
        vec![Row::at_most(name, 100.0 * spread, 1e-3, " %")]
    });
}

#[test]
fn places() {
    let _reading = MACHINE.read();
    show(&SHOWS, "places", || vec![notch(), bend(), press()]);
}

/// A notch one layer deep across the upper side.
fn notch() -> Row {
    let mut shape = lattice([21, 5, 3], D, 3);
    let gone: Vec<bool> = shape
        .points
        .iter()
        .map(|p| p.position[0].abs() < 0.1 * D && p.position[1] > 1.5 * D)
        .collect();
    let mut place = vec![0_u32; gone.len()];
    let mut next = 0;
    for (k, &gone) in gone.iter().enumerate() {
        place[k] = next;
        next += u32::from(!gone);
    }
    let mut all = gone.iter();
    shape.points.retain(|_| !all.next().unwrap());
    shape.bonds.retain(|bond| bond.iter().all(|&i| !gone[i as usize]));
    for bond in &mut shape.bonds {
        *bond = bond.map(|i| place[i as usize]);
    }
    let ramp = Ramp { shift: [20.0 * D * 0.06, 0.0, 0.0], seconds: 2.4 };
    let (mut world, _, grip) = loaded(awake_weightless(4), shape, &brittle(), ramp);
    let crack = run(&mut world, grip, 60, 2.5).unwrap();
    let away = crack.position.x.abs() / f64::from(D);
    Row::at_most("notched bar: first crack away from the notch", away, 1.5, " spacings")
}

/// The end goes down: the upper side is stretched.
fn bend() -> Row {
    let ramp = Ramp { shift: [0.0, -0.3, 0.0], seconds: 2.0 };
    let shape = lattice([20, 5, 3], D, 3);
    let (mut world, _, grip) = loaded(awake_weightless(4), shape, &brittle(), ramp);
    let crack = run(&mut world, grip, 60, 2.5);
    let height = crack.map_or(f64::NAN, |crack| {
        // both ends are held straight: the left half is stretched above, the right one below
        let side = if crack.position.x < 0.0 { 1.0 } else { -1.0 };
        side * crack.position.y / f64::from(D)
    });
    Row::at_least("bent beam: first crack towards the stretched side", height, 0.5, " spacings")
}

/// Twice the strain of the break, pressed.
fn press() -> Row {
    let ramp = Ramp { shift: [-20.0 * D * 2.0 * BREAK, 0.0, 0.0], seconds: 2.0 };
    let shape = lattice([21, 6, 6], D, 3);
    let (mut world, _, grip) = loaded(awake_weightless(4), shape, &brittle(), ramp);
    let cracked = run(&mut world, grip, 60, 2.5).is_some();
    let text = if cracked { "yes" } else { "no" };
    Row::new("pressed bar: cracks", text.into(), "no".into(), !cracked)
}
