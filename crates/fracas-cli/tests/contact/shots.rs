//! Nothing goes through anything, and nothing flies apart that was one.

use crate::SHOWS;
use crate::common::bodies::{awake_weightless, body, rigid, stuff, turn};
use crate::common::{self, FRAME, lattice, material};
use crate::shows::{MACHINE, Row, centre, show};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::MaterialDesc;
use fracas::world::ObstacleDesc;
use fracas::{BodyId, World};

const RADIUS: f64 = 0.02;

fn steel() -> MaterialDesc {
    MaterialDesc { youngs_modulus: 2.1e11.into(), ..stuff(7850.0, 0.4, 0.5) }
}

/// A steel sphere that comes from the left.
fn shot(world: &mut World, speed: f32, start: [f64; 3]) -> BodyId {
    let mut desc = rigid(Shape::sphere(RADIUS as f32).unwrap(), &steel(), start);
    desc.velocity[0] = speed;
    world.spawn(desc).unwrap()
}

/// Starts that meet the wall at different moments of a step and at different points of it.
fn starts(count: u32, way: f64) -> impl Iterator<Item = [f64; 3]> {
    (0..count).map(move |k| {
        let share = f64::from(k) / f64::from(count);
        [-0.1 - way * share, 0.06 * (share - 0.4), 0.05 * (0.7 - share)]
    })
}

/// Momentum that came or went, of `scale`.
fn momentum_off(now: [f64; 3], start: [f64; 3], scale: f64) -> f64 {
    DVec3::from(now).distance(DVec3::from(start)) / scale
}

// ---- 100 m/s ----

#[test]
fn shots() {
    let _reading = MACHINE.read();
    show(&SHOWS, "shots", || {
        let mut rows = Vec::new();
        for substeps in [1, 4] {
            let plate: Vec<_> = starts(10, 1.7).map(|start| at_plate(substeps, start)).collect();
            let wall = |matter: &MaterialDesc| -> Vec<_> {
                starts(10, 1.7).map(|start| at_wall(substeps, matter, start)).collect()
            };
            let targets = [
                ("1 cm plate", plate),
                ("steel wall one particle thick", wall(&steel())),
                ("rubber wall one particle thick", wall(&material(1e7))),
            ];
            for (target, shots) in targets {
                let name = |what| format!("100 m/s, {target}, {substeps} substeps: {what}");
                let through = shots.iter().filter(|shot| shot.through).count();
                let off = shots.iter().map(|shot| shot.momentum).fold(0.0, f64::max);
                let missed = shots.iter().filter(|shot| !shot.hit).count();
                assert_eq!(missed, 0, "{target}: shots that never touched it");
                rows.push(never(&name("through"), through, shots.len()));
                rows.push(Row::at_most(&name("momentum off"), off, 1e-5, ""));
            }
        }
        rows
    });
}

struct Shot {
    hit: bool,
    through: bool,
    /// Off, of the shot's at first.
    momentum: f64,
}

/// A steel plate of 50 × 50 × 1 cm that floats.
fn at_plate(substeps: u32, start: [f64; 3]) -> Shot {
    const HALF: Vec3 = Vec3::new(0.005, 0.25, 0.25);
    let mut world = World::new(awake_weightless(substeps)).unwrap();
    let plate = world.spawn(rigid(Shape::block(HALF).unwrap(), &steel(), [0.0; 3])).unwrap();
    let shot = shot(&mut world, 100.0, start);
    // seen from the plate, as long as it is in front of it or behind
    let side = |world: &World| {
        let away = centre(body(world, shot)) - centre(body(world, plate));
        let seen = turn(world, plate).inverse() * away.as_vec3();
        (seen.y.abs() < HALF.y && seen.z.abs() < HALF.z).then_some(seen.x)
    };
    fly(world, shot, |world| side(world).is_some_and(|x| x > 0.0))
}

/// 13 × 13 particles that are 5 cm apart and float.
fn at_wall(substeps: u32, matter: &MaterialDesc, start: [f64; 3]) -> Shot {
    let mut world = World::new(awake_weightless(substeps)).unwrap();
    let wall = world.spawn(common::body(lattice([1, 13, 13], 0.05, 3), matter)).unwrap();
    let shot = shot(&mut world, 100.0, start);
    // seen from the four that are next to it
    let behind = |world: &World| {
        let at = centre(body(world, shot));
        let mut next: Vec<DVec3> = body(world, wall).world_positions().map(DVec3::from).collect();
        next.sort_by(|a, b| a.distance_squared(at).total_cmp(&b.distance_squared(at)));
        at.x > next[..4].iter().map(|x| x.x).sum::<f64>() / 4.0
    };
    fly(world, shot, behind)
}

/// Half a second at 60 Hz.
fn fly(mut world: World, shot: BodyId, is_behind: impl Fn(&World) -> bool) -> Shot {
    let start = world.step(1e-5);
    let scale = body(&world, shot).mass() * 100.0;
    let mut told = Shot { hit: false, through: false, momentum: 0.0 };
    for _ in 0..30 {
        let now = world.step(FRAME);
        told.hit |= world.events().count() > 0;
        told.through |= is_behind(&world);
        told.momentum = told.momentum.max(momentum_off(now.momentum, start.momentum, scale));
    }
    told
}

// ---- 20 m/s in long steps ----

#[test]
fn long_steps() {
    let _reading = MACHINE.read();
    show(&SHOWS, "long_steps", || {
        let mut rows = Vec::new();
        for substeps in [1, 4] {
            for soft in [false, true] {
                for free in [false, true] {
                    let through = starts(20, 1.4)
                        .filter(|&start| goes_through(substeps, soft, free, start))
                        .count();
                    let (what, wall) =
                        (["sphere", "soft cube"][usize::from(soft)], ["fixed", "soft"]);
                    let wall = wall[usize::from(free)];
                    let name = format!(
                        "20 m/s at dt = 1/15, {substeps} substeps: {what} through {wall} wall of 10 cm"
                    );
                    rows.push(never(&name, through, 20));
                }
            }
        }
        rows
    });
}

fn goes_through(substeps: u32, soft: bool, free: bool, start: [f64; 3]) -> bool {
    let mut world = World::new(awake_weightless(substeps)).unwrap();
    let wall = if free {
        Some(world.spawn(common::body(lattice([2, 10, 10], 0.05, 3), &material(1e7))).unwrap())
    } else {
        let block = Shape::block(Vec3::new(0.05, 0.25, 0.25)).unwrap();
        world.add_obstacle(ObstacleDesc::new(block)).unwrap();
        None
    };
    let start = [start[0] - 0.15, start[1], start[2]];
    let thrown = if soft {
        let mut desc = common::body(lattice([2, 2, 2], 0.05, 3), &material(1e6));
        (desc.position, desc.velocity) = (start, [20.0, 0.0, 0.0]);
        world.spawn(desc).unwrap()
    } else {
        shot(&mut world, 20.0, start)
    };
    (0..15).any(|_| {
        // cut to 1/15 s
        world.step(1.0);
        let wall = wall.map_or(0.0, |wall| centre(body(&world, wall)).x);
        centre(body(&world, thrown)).x > wall
    })
}

// ---- halves ----

#[test]
fn halves() {
    let _reading = MACHINE.read();
    show(&SHOWS, "halves", || {
        let speed = cut_in_half();
        vec![Row::at_most("block cut in half: fastest in 2 s", 1e3 * speed, 1.0, " mm/s")]
    });
}

/// Largest speed in the two seconds after all bonds across the middle were cut.
fn cut_in_half() -> f64 {
    let mut world = World::new(awake_weightless(4)).unwrap();
    let id = world.spawn(common::body(lattice([6, 4, 4], 0.05, 3), &material(1e6))).unwrap();
    for _ in 0..10 {
        world.step(FRAME);
    }
    let block = body(&world, id);
    let places = block.particle_ids().iter().zip(block.rest_positions());
    let left: Vec<_> = places.filter(|(_, x)| x[0] < 0.0).map(|(id, _)| *id).collect();
    assert_eq!(left.len(), 48, "half of the block");
    let bonds = block.bonds();
    let across: Vec<_> = bonds.filter(|[a, b]| left.contains(a) != left.contains(b)).collect();
    for [a, b] in across {
        world.cut(id, a, b).unwrap();
    }
    let mut fastest = 0.0_f32;
    for _ in 0..120 {
        fastest = fastest.max(world.step(FRAME).max_speed);
    }
    assert_eq!(body(&world, id).pieces().len(), 2);
    fastest.into()
}

/// A claim that holds always or is missed.
fn never(name: &str, times: usize, of: usize) -> Row {
    Row::new(name, format!("{times} of {of}"), "0".to_owned(), times == 0)
}
