//! Glue and hinges between bodies, against closed forms.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::{FRAME, body, centre_of_mass, grip_box, lattice, material, weightless};
use fracas::material::MaterialDesc;
use fracas::world::{
    AttachDesc, AttachKind, AttachRegion, BodyDesc, CommandError, Event, GripMotion, MoveKey,
};
use fracas::{AttachmentId, BodyId, GripId, World, WorldConfig};

const INF: f32 = f32::INFINITY;
const D: f32 = 0.05;

/// Rubber that comes to rest.
fn damped(youngs_modulus: f32) -> MaterialDesc {
    MaterialDesc { damping_time: 0.05.into(), ..material(youngs_modulus) }
}

fn block(counts: [usize; 3], material: &MaterialDesc, position: [f64; 3]) -> BodyDesc {
    BodyDesc { position, ..body(lattice(counts, D, 3), material) }
}

fn near(bodies: [BodyId; 2]) -> AttachDesc {
    AttachDesc { region: AttachRegion::Near { distance: 0.01 }, ..AttachDesc::new(bodies) }
}

fn hold_above(world: &mut World, body: BodyId, y: f32) -> GripId {
    let min = [-INF, y, -INF];
    world.grip(grip_box(body, min, [INF; 3], GripMotion::Hold)).unwrap()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.step(FRAME);
    }
}

/// A block held at its top, another glued under it.
fn hanging(config: WorldConfig, shift: f64) -> (World, [BodyId; 2], AttachmentId) {
    let mut world = World::new(config).unwrap();
    let rubber = damped(1e6);
    let upper = world.spawn(block([4, 4, 4], &rubber, [shift, 0.2, 0.0])).unwrap();
    let lower = world.spawn(block([4, 4, 4], &rubber, [0.0; 3])).unwrap();
    hold_above(&mut world, upper, 0.06);
    let glue = world.attach(near([upper, lower])).unwrap();
    (world, [upper, lower], glue)
}

/// The glue carries what hangs on it, over the face that both blocks share: all of it, half a cell
/// less, or a whole cell less.
#[test]
fn glue_carries_the_weight_over_the_shared_face() {
    for (shift, cells) in [(0.0, 16.0), (0.025, 14.0), (0.05, 12.0)] {
        let (mut world, [_, lower], glue) = hanging(WorldConfig::default(), shift);
        let area = world.attachment(glue).unwrap().area();
        let expected = cells * f64::from(D * D);
        assert!((area - expected).abs() < 1e-3 * expected, "shift {shift}: {area} m²");
        run(&mut world, 120);
        let weight = world.body(lower).unwrap().mass() * 9.81;
        let attachment = world.attachment(glue).unwrap();
        let force = attachment.force();
        println!("shift {shift}: {force:?} for {weight}, links {}", attachment.links());
        // on the upper block, downwards
        assert!((force[1] + weight).abs() < 0.01 * weight, "{force:?} N for {weight} N");
        assert!(force[0].hypot(force[2]) < 0.01 * weight, "{force:?} N are not upright");
        let [x, y, z] = centre_of_mass(world.body(lower).unwrap());
        println!("centre {x} {y} {z}");
    }
}

/// Sag of the free end of a beam that is held at the other.
fn sag(parts: &[usize], across: usize, seconds: f32) -> f64 {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let mut ids = Vec::new();
    let mut end = 0.0;
    for &count in parts {
        let middle = end + 0.5 * count as f64 * f64::from(D);
        end += count as f64 * f64::from(D);
        ids.push(world.spawn(block([count, across, across], &damped(3e6), [middle, 0.0, 0.0])).unwrap());
    }
    let side = -0.5 * parts[0] as f32 * D;
    let max = [side + 1.5 * D, INF, INF];
    world.grip(grip_box(ids[0], [-INF; 3], max, GripMotion::Hold)).unwrap();
    for pair in ids.windows(2) {
        world.attach(near([pair[0], pair[1]])).unwrap();
    }
    run(&mut world, (seconds * 60.0) as u32);
    let last = world.body(*ids.last().unwrap()).unwrap();
    -last.world_positions().map(|x| x[1]).sum::<f64>() / last.particle_count() as f64
}

/// Glued halves bend like one piece; also where there is a single row, whose faces must carry the
/// moment by themselves.
#[test]
fn a_glued_beam_bends_like_one_piece() {
    for across in [1, 3] {
        let whole = sag(&[10], across, 2.0);
        let glued = sag(&[5, 5], across, 2.0);
        println!("{across}: whole {whole} glued {glued}");
    }
}
