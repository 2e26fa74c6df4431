//! The goals of reliability, each a test named after its id.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::*;
use fracas::contact::shape::Shape;
use fracas::material::{Material, MaterialField};
use fracas::math::Rot;
use fracas::world::{
    AttachDesc, AttachKind, AttachRegion, Blast, DebrisRule, FieldDesc, FieldKind, GripDesc,
    GripMotion, Layers, MoveKey, Pace, PullKey, RayDesc, Region, ShapeDesc, StepReport, World,
    WorldConfig, WorldPose, Zone,
};
use fracas::{BodyDesc, BodyId, CommandError, Event, HalfSpaceDesc, ParticleId};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

const INF: f32 = f32::INFINITY;

/// A hash per step, and everything that happened.
#[derive(Debug, PartialEq)]
struct Run {
    hashes: Vec<u64>,
    events: Vec<String>,
}

/// Bodies in every state: free, falling on a floor, twisted by grips, cut into pieces while they
/// fly and while they lie, and one large enough that its passes are split over threads.
fn busy_run(threads: u32, steps: usize, large: [usize; 3]) -> Run {
    let mut world =
        World::new(WorldConfig { threads, books: true, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let spawn = |world: &mut World, counts, height: f64, spin, modulus| {
        let mut desc = body(lattice(counts, 0.05, 3), &material(modulus));
        desc.position = [height, height, 0.0];
        desc.velocity = [0.3, -1.0, 0.2];
        desc.spin = spin;
        world.spawn(desc).unwrap()
    };
    let _free = spawn(&mut world, [3, 3, 8], 5.0, [1.0, 2.0, 3.0], 1e6);
    let lying = spawn(&mut world, [6, 2, 6], 0.051, [0.0; 3], 1e5);
    let gripped = spawn(&mut world, [8, 3, 3], 1.0, [0.0; 3], 1e6);
    let flying = spawn(&mut world, [5, 5, 5], 0.4, [5.0, 0.0, 3.0], 1e6);
    spawn(&mut world, large, 0.5 * 0.05 * large[1] as f64 + 0.01, [0.0; 3], 1e6);
    let keys = vec![MoveKey::default(), MoveKey { time: 0.5, offset: [0.0, 0.1, 0.0], angle: 1.0 }];
    let axis = [1.0, 0.0, 0.0];
    let twist = GripMotion::Move { pivot: [1.0, 1.0, 0.0], axis, keys };
    world.grip(grip_box(gripped, [0.1; 3].map(|_| -INF), [-0.1, INF, INF], twist)).unwrap();
    let hold = grip_box(gripped, [0.1, -INF, -INF], [INF; 3], GripMotion::Hold);
    world.grip(GripDesc { release: Some(0.1), ..hold }).unwrap();

    let mut run = Run { hashes: Vec::new(), events: Vec::new() };
    for step in 0..steps {
        for id in [lying, flying, gripped] {
            if step >= 2 && step % 2 == 0 {
                cut_across(&mut world, id, step / 2 - 1);
            }
        }
        run.hashes.push(world.step(FRAME).hash);
        run.events.extend(world.events().map(|event| format!("{event:?}")));
    }
    run
}

/// Cuts every bond that crosses the `index`-th gap between layers along x.
fn cut_across(world: &mut World, id: BodyId, index: usize) {
    let body = world.body(id).unwrap();
    let places = body.particle_ids().iter().zip(body.rest_positions());
    let at: BTreeMap<_, _> = places.map(|(&id, x)| (id, x[0])).collect();
    let lowest = at.values().copied().fold(INF, f32::min);
    let plane = lowest + 0.05 * (index as f32 + 0.5);
    let crosses = |[a, b]: &[ParticleId; 2]| (at[a] < plane) != (at[b] < plane);
    let bonds: Vec<_> = body.bonds().filter(crosses).collect();
    for [a, b] in bonds {
        world.cut(id, a, b).unwrap();
    }
}

/// Every pass is cut over threads by rules that cannot show in the result. 5,600 particles are
/// eleven chunks of a pass and six leaves of a sum.
#[test]
fn r1_same_bits_over_thread_counts() {
    let one = busy_run(1, 12, [20, 14, 20]);
    for threads in [2, 3, 4, 8] {
        let many = busy_run(threads, 12, [20, 14, 20]);
        for (step, (a, b)) in one.hashes.iter().zip(&many.hashes).enumerate() {
            assert_eq!(a, b, "step {step}: hash on one thread and on {threads}");
        }
    }
    let distinct: BTreeSet<_> = one.hashes.iter().collect();
    assert_eq!(distinct.len(), 12, "a hash that does not change sees nothing");
}

/// Nothing of the process may enter: no address, no order of a hash map, no environment.
#[test]
fn r2_same_bits_over_restarts() {
    let here: Vec<String> =
        busy_run(2, 30, [6, 6, 6]).hashes.iter().map(|hash| format!("hash {hash:016x}")).collect();
    let folders = [std::env::temp_dir(), std::env::current_dir().unwrap(), "/".into()];
    for process in 0..5 {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "r2_helper_prints_hashes", "--nocapture"])
            .env("FRACAS_R2", "x".repeat(1 + 977 * process))
            .current_dir(&folders[process % folders.len()])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        // the harness may write its own words in front of the first
        let found: Vec<_> = text.lines().filter_map(|l| l.find("hash ").map(|k| &l[k..])).collect();
        assert_eq!(found, here, "process {process}");
    }
}

/// Does nothing unless the test above asks.
#[test]
fn r2_helper_prints_hashes() {
    if std::env::var_os("FRACAS_R2").is_some() {
        println!();
        for hash in busy_run(2, 30, [6, 6, 6]).hashes {
            println!("hash {hash:016x}");
        }
    }
}

/// Events come in the order of bodies and particles, never in that of threads.
#[test]
fn r5_same_events_over_thread_counts() {
    let one = busy_run(1, 40, [6, 6, 6]);
    let splits = one.events.iter().filter(|e| e.starts_with("Split")).count();
    let contacts = one.events.iter().filter(|e| e.starts_with("Contact")).count();
    assert!(splits >= 12 && contacts >= 4, "only {splits} splits and {contacts} contacts");
    for threads in [2, 3, 4] {
        assert_eq!(one, busy_run(threads, 40, [6, 6, 6]), "{threads} threads");
    }
}

const VALUES: [f32; 7] = [f32::NAN, INF, -INF, -1.0, 0.0, 1e-45, f32::MAX];
const VALUES_BUT_TINY: [f32; 6] = [f32::NAN, INF, -INF, -1.0, 0.0, f32::MAX];

fn any_finite(x: f32) -> bool {
    x.is_finite()
}

fn from_zero(x: f32) -> bool {
    x >= 0.0 && x.is_finite()
}

fn above_zero(x: f32) -> bool {
    x > 0.0 && x.is_finite()
}

/// A small world with a body on a floor and one in the air, three steps old.
fn small_world() -> (World, BodyId) {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut desc = body(lattice([3, 3, 3], 0.1, 3), &material(1e5));
    desc.position = [0.0, 0.15, 0.0];
    let id = world.spawn(desc).unwrap();
    let mut other = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
    other.position = [2.0, 0.5, 0.0];
    world.spawn(other).unwrap();
    for _ in 0..3 {
        world.step(FRAME);
    }
    (world, id)
}

/// Every number of the world is finite, or its piece is in quarantine (and finite again).
fn assert_finite(world: &World) {
    for id in world.body_ids() {
        let body = world.body(id).unwrap();
        for piece in body.pieces() {
            let flat = body.positions(piece).iter().chain(body.velocities(piece)).flatten();
            let turned = body.orientations(piece).iter().flatten();
            assert!(flat.chain(turned).all(|x| x.is_finite()), "body {id} holds NaN or Inf");
        }
    }
}

/// Collects what went wrong over a table of setters and values.
#[derive(Default)]
struct Table(Vec<String>);

impl Table {
    /// `set` on a fresh small world with every value of the table.
    fn row(
        &mut self,
        name: &str,
        allowed: impl Fn(f32) -> bool,
        set: impl Fn(&mut World, BodyId, f32) -> Result<(), CommandError>,
    ) {
        self.row_of(&VALUES, name, allowed, set);
    }

    /// The same with these values.
    fn row_of(
        &mut self,
        values: &[f32],
        name: &str,
        allowed: impl Fn(f32) -> bool,
        set: impl Fn(&mut World, BodyId, f32) -> Result<(), CommandError>,
    ) {
        for &value in values {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let (mut world, id) = small_world();
                let before = world.hash();
                let result = set(&mut world, id, value);
                if result.is_ok() != allowed(value) {
                    return Err(format!("gave {:?}", result.err()));
                }
                if result.is_err() {
                    let (mut twin, _) = small_world();
                    assert_eq!(world.hash(), before, "a refused command changed the state");
                    let (a, b) = (world.step(FRAME).hash, twin.step(FRAME).hash);
                    assert_eq!(a, b, "a refused command changed the next step");
                } else {
                    for _ in 0..3 {
                        world.step(FRAME);
                        assert_finite(&world);
                    }
                }
                Ok(())
            }));
            let wrong = match outcome {
                Ok(Ok(())) => continue,
                Ok(Err(text)) => text,
                Err(panic) => panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or(panic.downcast_ref::<&str>().copied())
                    .unwrap_or("panic")
                    .to_owned(),
            };
            self.0.push(format!("{name} = {value:e}: {wrong}"));
        }
    }

    fn finish(self) {
        assert!(self.0.is_empty(), "{} cells are wrong:\n{}", self.0.len(), self.0.join("\n"));
    }
}

/// Settings: refused with a typed error, or the world runs.
#[test]
fn r7_numbers_of_the_configuration() {
    let mut table = Table::default();
    let with_config = |world: &mut World, config: WorldConfig| {
        let mut new = World::new(config)?;
        new.add_half_space(floor())?;
        let mut desc = body(lattice([3, 3, 3], 0.1, 3), &material(1e5));
        desc.position = [0.0, 0.15, 0.0];
        new.spawn(desc)?;
        *world = new;
        Ok(())
    };
    for k in 0..3 {
        table.row(&format!("gravity[{k}]"), any_finite, |world, _, value| {
            let mut config = WorldConfig::default();
            config.gravity[k] = value;
            with_config(world, config)
        });
    }
    table.row("settle", from_zero, |world, _, settle| {
        with_config(world, WorldConfig { settle, ..WorldConfig::default() })
    });
    let with_rule = |world: &mut World, lifetime, min_size| {
        let debris = Some(DebrisRule { lifetime, min_size, budget: 1 });
        with_config(world, WorldConfig { debris, ..WorldConfig::default() })
    };
    table.row("debris.lifetime", from_zero, |world, _, value| with_rule(world, value, 0.1));
    table.row("debris.min_size", from_zero, |world, _, value| with_rule(world, 0.1, value));
    for count in [0, 1, 64, 65, u32::MAX] {
        let base = WorldConfig::default;
        for config in [
            WorldConfig { substeps: count, ..base() },
            WorldConfig { sweeps: count, ..base() },
            WorldConfig { threads: count, ..base() },
        ] {
            let accepted = World::new(config.clone()).is_ok();
            assert_eq!(accepted, (1..=64).contains(&count), "{config:?}");
        }
    }
    table.finish();
}

#[test]
fn r7_numbers_of_half_spaces() {
    let mut table = Table::default();
    let add = |world: &mut World, change: &dyn Fn(&mut HalfSpaceDesc)| {
        let mut desc = floor();
        change(&mut desc);
        world.add_half_space(desc).map(|_| ())
    };
    for k in 0..3 {
        table.row(&format!("point[{k}]"), any_finite, |world, _, value| {
            add(world, &|desc| desc.point[k] = f64::from(value))
        });
        table.row(
            &format!("normal[{k}]"),
            |x| x.is_finite() && x != 0.0,
            |world, _, value| {
                add(world, &|desc| {
                    desc.normal = [0.0; 3];
                    desc.normal[k] = value;
                })
            },
        );
    }
    table.row("friction", from_zero, |world, _, value| {
        add(world, &|desc| (desc.friction, desc.friction_static) = (value, value))
    });
    table.row(
        "friction_static",
        |x| x >= 0.5 && x.is_finite(),
        |world, _, value| add(world, &|desc| desc.friction_static = value),
    );
    table.finish();
}

/// Questions are refused like commands, and answered without a change.
#[test]
fn r7_numbers_of_queries() {
    let mut table = Table::default();
    let ray = RayDesc::new([0.0, 1.0, 0.0], [0.0, -1.0, 0.0]);
    let ask = |world: &World, ray: RayDesc| {
        let (first, all) = (world.cast_ray(ray)?, world.cast_ray_all(ray)?);
        assert_eq!(first, all.first().copied());
        assert_eq!(world.casts().cast_ray(ray)?, first);
        Ok(())
    };
    let moved = |world: &World, pose: WorldPose, way: [f32; 3]| {
        let block = Shape::block([0.1; 3].into())?;
        world.overlaps(&block, pose, Layers::default())?;
        world.cast_shape(&block, pose, way, Layers::default()).map(|_| ())
    };
    table.row("ray.origin", any_finite, |world, _, value| {
        ask(world, RayDesc { origin: [0.1, f64::from(value), 0.0], ..ray })
    });
    table.row(
        "ray.direction",
        |x| x.is_finite() && x != 0.0,
        |world, _, value| ask(world, RayDesc { direction: [0.0, value, 0.0], ..ray }),
    );
    table.row(
        "ray.length",
        |x| x >= 0.0,
        |world, _, value| ask(world, RayDesc { length: f64::from(value), ..ray }),
    );
    let here = WorldPose { position: [0.0, 1.0, 0.0], rotation: Rot::IDENTITY };
    table.row("cast.position", any_finite, |world, _, value| {
        let pose = WorldPose { position: [f64::from(value), 1.0, 0.0], ..here };
        moved(world, pose, [0.0, -2.0, 0.0])
    });
    table.row("cast.rotation", any_finite, |world, _, value| {
        let rotation = Rot { x: value, y: 0.0, z: 0.0, w: 0.0 };
        moved(world, WorldPose { rotation, ..here }, [0.0, -2.0, 0.0])
    });
    table.row("cast.way", any_finite, |world, _, value| moved(world, here, [0.0, value, 0.0]));
    table.row(
        "pace.dt",
        |x| (1e-5..=1.0 / 15.0).contains(&x),
        |world, _, value| {
            Pace::new(f64::from(value), 2)?.advance(world, f64::from(value)).map(|_| ())
        },
    );
    table.row("pace.elapsed", from_zero, |world, _, value| {
        Pace::new(1.0 / 60.0, 2)?.advance(world, f64::from(value)).map(|_| ())
    });
    table.finish();
}

#[test]
fn r7_numbers_of_grips() {
    let mut table = Table::default();
    let hold = |world: &mut World, body, motion, release| {
        // the upper layer
        let region = Region::Box { min: [-INF, 0.05, -INF], max: [INF; 3] };
        world.grip(GripDesc { body, region, motion, release }).map(|_| ())
    };
    let turn = |pivot, axis, key| GripMotion::Move { pivot, axis, keys: vec![key] };
    let up = [0.0, 1.0, 0.0];
    table.row(
        "release",
        |x| x >= 0.0,
        |world, id, value| hold(world, id, GripMotion::Hold, Some(f64::from(value))),
    );
    // the region is [min, ∞) and (−∞, max] in x, the particles stand at −0.1, 0 and 0.1
    table.row(
        "region.min",
        |x| x <= 0.1,
        |world, id, value| {
            let min = [value, -INF, -INF];
            world.grip(grip_box(id, min, [INF; 3], GripMotion::Hold)).map(|_| ())
        },
    );
    table.row(
        "region.max",
        |x| x >= -0.1,
        |world, id, value| {
            let max = [value, INF, INF];
            world.grip(grip_box(id, [-INF; 3], max, GripMotion::Hold)).map(|_| ())
        },
    );
    for k in 0..3 {
        let one = |value: f32| {
            let mut vector = [0.0; 3];
            vector[k] = value;
            vector
        };
        table.row(&format!("pivot[{k}]"), any_finite, |world, id, value| {
            let key = MoveKey { angle: 0.1, ..MoveKey::default() };
            hold(world, id, turn(one(value).map(f64::from), up, key), None)
        });
        // 1e-45 has a test of its own
        table.row_of(
            &VALUES_BUT_TINY,
            &format!("axis[{k}]"),
            |x| x.is_finite() && x != 0.0,
            |world, id, value| {
                let key = MoveKey { angle: 0.1, ..MoveKey::default() };
                hold(world, id, turn([0.0; 3], one(value), key), None)
            },
        );
        table.row(&format!("offset[{k}]"), any_finite, |world, id, value| {
            let key = MoveKey { offset: one(value), ..MoveKey::default() };
            hold(world, id, turn([0.0; 3], up, key), None)
        });
        table.row(&format!("pull.force[{k}]"), any_finite, |world, id, value| {
            let keys = vec![PullKey { time: 0.0, force: one(value), torque: [0.0; 3] }];
            hold(world, id, GripMotion::Pull { keys }, None)
        });
        table.row(&format!("pull.torque[{k}]"), any_finite, |world, id, value| {
            let keys = vec![PullKey { time: 0.0, force: [0.0; 3], torque: one(value) }];
            hold(world, id, GripMotion::Pull { keys }, None)
        });
    }
    let spring = |target: [f32; 3], stiffness, damping| GripMotion::Spring {
        target: target.map(f64::from),
        stiffness,
        damping,
    };
    for k in 0..3 {
        table.row(&format!("spring.target[{k}]"), any_finite, |world, id, value| {
            let target = [0, 1, 2].map(|axis| if axis == k { value } else { 0.0 });
            hold(world, id, spring(target, 100.0, 1.0), None)
        });
    }
    table.row("spring.stiffness", from_zero, |world, id, value| {
        hold(world, id, spring([0.1; 3], value, 1.0), None)
    });
    table.row("spring.damping", from_zero, |world, id, value| {
        hold(world, id, spring([0.1; 3], 100.0, value), None)
    });
    table.row("angle", any_finite, |world, id, angle| {
        hold(world, id, turn([0.0; 3], up, MoveKey { angle, ..MoveKey::default() }), None)
    });
    table.row("move.time", from_zero, |world, id, value| {
        let key = MoveKey { time: f64::from(value), ..MoveKey::default() };
        hold(world, id, turn([0.0; 3], up, key), None)
    });
    table.row("pull.time", from_zero, |world, id, value| {
        let keys = vec![PullKey { time: f64::from(value), ..PullKey::default() }];
        hold(world, id, GripMotion::Pull { keys }, None)
    });
    table.finish();
}

#[test]
fn r7_numbers_of_attachments() {
    let mut table = Table::default();
    // one block on another, half a cell beside it
    let attach = |world: &mut World, change: &dyn Fn(&mut AttachDesc)| {
        let mut new = World::new(WorldConfig::default())?;
        let mut desc = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
        let under = new.spawn(desc)?;
        desc = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
        desc.position = [0.05, 0.2, 0.0];
        let over = new.spawn(desc)?;
        let region = AttachRegion::Near { distance: 0.03 };
        let mut desc = AttachDesc { region, ..AttachDesc::new([under, over]) };
        change(&mut desc);
        new.attach(desc)?;
        *world = new;
        Ok(())
    };
    let or_inf = |x: f32| x > 0.0;
    table.row("strength", or_inf, |world, _, value| attach(world, &|desc| desc.strength = value));
    table.row("toughness", or_inf, |world, _, value| attach(world, &|desc| desc.toughness = value));
    // particles are 0.0118 m from their nearest
    table.row(
        "distance",
        |x| x > 0.0118 && x.is_finite(),
        |world, _, distance| attach(world, &|desc| desc.region = AttachRegion::Near { distance }),
    );
    let hinge = |point, axis| AttachKind::Hinge { point, axis };
    for k in 0..3 {
        // through the middle of the face, along any axis
        table.row(
            &format!("axis[{k}]"),
            |x| x.is_finite() && x != 0.0,
            |world, _, value| {
                let mut axis = [0.0; 3];
                axis[k] = value;
                attach(world, &|desc| desc.kind = hinge([0.025, 0.1, 0.0], axis))
            },
        );
    }
    table.row(
        "point[2]",
        |x| x.is_finite(),
        |world, _, value| {
            let point = [0.025, 0.1, f64::from(value)];
            attach(world, &|desc| desc.kind = hinge(point, [0.0, 0.0, 1.0]))
        },
    );
    table.finish();
}

#[test]
fn r7_numbers_of_bodies() {
    let mut table = Table::default();
    let spawn = |world: &mut World, change: &dyn Fn(&mut BodyDesc)| {
        let mut desc = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
        desc.position = [-2.0, 0.5, 0.0];
        change(&mut desc);
        world.spawn(desc).map(|_| ())
    };
    for k in 0..3 {
        table.row(&format!("position[{k}]"), any_finite, |world, _, value| {
            spawn(world, &|desc| desc.position[k] = f64::from(value))
        });
        table.row(&format!("velocity[{k}]"), any_finite, |world, _, value| {
            spawn(world, &|desc| desc.velocity[k] = value)
        });
        table.row(&format!("spin[{k}]"), any_finite, |world, _, value| {
            spawn(world, &|desc| desc.spin[k] = value)
        });
    }
    for k in 0..4 {
        table.row(&format!("rotation[{k}]"), any_finite, |world, _, value| {
            spawn(world, &|desc| {
                let mut q = [0.0, 0.0, 0.0, 1.0];
                q[k] = value;
                desc.rotation = Rot { x: q[0], y: q[1], z: q[2], w: q[3] };
            })
        });
    }
    table.finish();
}

#[test]
fn r7_numbers_of_impulses_explosions_and_damage() {
    let mut table = Table::default();
    let one = |k: usize, value: f32| {
        let mut vector = [0.0; 3];
        vector[k] = value;
        vector
    };
    for k in 0..3 {
        // the body's particles are within 0.2 m of the origin, and its middle 0.15 m above
        let near = |x: f32| x == 0.0 || x == 1e-45;
        table.row(&format!("point[{k}]"), near, |world, id, value| {
            world.impulse(id, one(k, value).map(f64::from), [1.0, 0.0, 0.0])
        });
        table.row(&format!("impulse[{k}]"), any_finite, |world, id, value| {
            world.impulse(id, [0.0, 0.15, 0.0], one(k, value))
        });
        table.row(&format!("blast.centre[{k}]"), any_finite, |world, _, value| {
            let centre = one(k, value).map(f64::from);
            world.explode(Blast { centre, radius: 3.0, energy: 10.0 })
        });
        table.row(&format!("zone.centre[{k}]"), any_finite, |world, _, value| {
            let zone = Zone::Sphere { centre: one(k, value).map(f64::from), radius: 1.0 };
            world.damage(zone, 0.5)
        });
        table.row(
            &format!("zone.min[{k}]"),
            |x| x.is_finite() && x <= 1.0,
            |world, _, value| {
                let min = one(k, value).map(f64::from);
                world.damage(Zone::Box { min, max: [1.0; 3] }, 0.5)
            },
        );
        table.row(&format!("zone.max[{k}]"), from_zero, |world, _, value| {
            let max = one(k, value).map(f64::from);
            world.damage(Zone::Box { min: [0.0; 3], max }, 0.5)
        });
    }
    table.row("blast.radius", above_zero, |world, _, radius| {
        world.explode(Blast { centre: [0.0, 0.2, 0.1], radius, energy: 10.0 })
    });
    table.row("blast.energy", from_zero, |world, _, energy| {
        world.explode(Blast { centre: [0.0, 0.2, 0.1], radius: 3.0, energy })
    });
    table.row("zone.radius", from_zero, |world, _, value| {
        world.damage(Zone::Sphere { centre: [0.0; 3], radius: f64::from(value) }, 0.5)
    });
    let share = |x: f32| (0.0..=1.0).contains(&x);
    table.row("damage.factor", share, |world, _, factor| world.damage(Zone::Everywhere, factor));
    table.finish();
}

#[test]
fn r7_numbers_of_fields() {
    let mut table = Table::default();
    let add = |world: &mut World, kind| {
        world.add_field(FieldDesc { kind, zone: Zone::Everywhere }).map(|_| ())
    };
    let wind = |velocity, density, coefficient| FieldKind::Wind { velocity, density, coefficient };
    for k in 0..3 {
        table.row(&format!("wind.velocity[{k}]"), any_finite, |world, _, value| {
            let mut velocity = [0.0; 3];
            velocity[k] = value;
            add(world, wind(velocity, 1.2, 1.0))
        });
    }
    table.row("wind.density", from_zero, |world, _, value| {
        add(world, wind([5.0, 0.0, 0.0], value, 1.0))
    });
    table.row("wind.coefficient", from_zero, |world, _, value| {
        add(world, wind([5.0, 0.0, 0.0], 1.2, value))
    });
    table.row("drag.rate", from_zero, |world, _, rate| add(world, FieldKind::Drag { rate }));
    table.row("field.zone", from_zero, |world, _, value| {
        let zone = Zone::Sphere { centre: [0.0; 3], radius: f64::from(value) };
        world.add_field(FieldDesc { kind: FieldKind::Drag { rate: 1.0 }, zone }).map(|_| ())
    });
    table.finish();
}

/// A fragment's numbers: positions and axes finite, volume and radii above 0, the second moment
/// positive definite, which 0 and −1 on its diagonal and large numbers off it are not.
#[test]
fn r7_numbers_of_shapes() {
    use fracas::solids::oriented::OrientedPoint;
    let mut table = Table::default();
    let spawn = |world: &mut World, change: &dyn Fn(&mut OrientedPoint)| {
        let mut desc = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
        desc.position = [-2.0, 0.5, 0.0];
        if let ShapeDesc::Oriented(shape) = &mut desc.shape {
            change(&mut shape.points[3]);
        }
        world.spawn(desc).map(|_| ())
    };
    // f32::MAX has a test of its own
    table.row_of(&VALUES[..6], "volume", above_zero, |world, _, value| {
        spawn(world, &|point| point.volume = value)
    });
    for k in 0..3 {
        table.row(&format!("point.position[{k}]"), any_finite, |world, _, value| {
            spawn(world, &|point| point.position[k] = value)
        });
        table.row(&format!("radii[{k}]"), above_zero, |world, _, value| {
            spawn(world, &|point| point.radii[k] = value)
        });
        let name = format!("second_moment[{k}]");
        // times the density, f32::MAX is beyond single precision
        let allowed = |x: f32| above_zero(x) && x < f32::MAX;
        table.row_of(&VALUES_BUT_TINY, &name, allowed, |world, _, value| {
            spawn(world, &|point| point.second_moment[k] = value)
        });
        table.row(
            &format!("second_moment[{}]", k + 3),
            |x| x == 0.0 || x == 1e-45,
            |world, _, value| spawn(world, &|point| point.second_moment[k + 3] = value),
        );
    }
    for k in 0..4 {
        table.row(&format!("axes[{k}]"), any_finite, |world, _, value| {
            spawn(world, &|point| point.axes[k] = value)
        });
    }
    table.finish();
}

/// Positive definite is what a tiny fragment's moment is, too: that of a cube of 20 µm is 3e-25,
/// and its square 0 in f32.
#[test]
fn r7_second_moment_of_a_tiny_fragment_is_accepted() {
    for spacing in [1e-3, 1e-4, 2e-5, 1e-6] {
        let mut world = World::new(weightless()).unwrap();
        let spawned = world.spawn(body(lattice([2, 2, 2], spacing, 3), &material(1e5)));
        assert!(spawned.is_ok(), "spacing {spacing:e} m: {}", spawned.unwrap_err());
        world.step(FRAME);
        assert_finite(&world);
    }
}

/// Density times volume is above f32's largest number: no body can have that mass.
#[test]
fn r7_mass_beyond_f32_is_refused() {
    let mut world = World::new(weightless()).unwrap();
    let mut desc = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
    if let ShapeDesc::Oriented(shape) = &mut desc.shape {
        shape.points[3].volume = f32::MAX;
    }
    assert!(world.spawn(desc).is_err(), "a mass of inf was accepted");
}

/// Any length above 0 is a direction.
#[test]
fn r7_axis_of_a_grip_may_be_short() {
    let (mut world, body) = small_world();
    let keys = vec![MoveKey { angle: 0.1, ..MoveKey::default() }];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1e-30, 0.0], keys };
    let region = Region::Box { min: [-INF; 3], max: [INF; 3] };
    let gripped = world.grip(GripDesc { body, region, motion, release: None });
    assert!(gripped.is_ok(), "{}", gripped.unwrap_err());
}

#[test]
fn r7_numbers_of_pushes() {
    let mut table = Table::default();
    for k in 0..6 {
        table.row(&format!("push[{k}]"), any_finite, |world, id, value| {
            let mut both = [0.0; 6];
            both[k] = value;
            let particle = world.body(id).unwrap().particle_ids()[13];
            world.push(id, particle, [both[0], both[1], both[2]], [both[3], both[4], both[5]])
        });
    }
    table.finish();
}

#[test]
fn r7_numbers_of_materials() {
    let mut table = Table::default();
    for field in MaterialField::ALL {
        let allowed = |value: f32| match field {
            MaterialField::Density => false,
            // beside the other of the two, which is 0.5
            MaterialField::Friction => (0.0..=0.5).contains(&value),
            MaterialField::FrictionStatic => value >= 0.5 && value.is_finite(),
            _ => field.allows(value),
        };
        table.row(field.name(), allowed, |world, id, value| world.set_material(id, field, value));
        let described = |value: f32| match field {
            MaterialField::Density => field.allows(value),
            _ => allowed(value),
        };
        table.row(&format!("described {field}"), described, |world, _, value| {
            let mut desc = material(1e5);
            *desc.get_mut(field) = value.into();
            let mut spawned = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
            spawned.materials = vec![Material::try_from(&desc)?];
            spawned.position = [-2.0, 0.5, 0.0];
            world.spawn(spawned).map(|_| ())
        });
    }
    table.finish();
}

/// A step of no length, or of a length that is no number, changes nothing; one that is too long is
/// cut, and the report tells by how much.
#[test]
fn r7_numbers_of_steps() {
    for dt in [f32::NAN, -INF, -1.0, 0.0, -0.0, 1e-45, 1e-9, 9e-6] {
        let (mut world, _) = small_world();
        let (before, time) = (world.hash(), world.time());
        let report = world.step(dt);
        assert_eq!((report.hash, world.time()), (before, time), "dt = {dt:e} changed the world");
        assert_eq!(report.time_dropped, dt.max(0.0), "dt = {dt:e}");
    }
    for dt in [1e-5, 2e-5, 1e-4, 1.0 / 15.0, 1.0, 10.0, f32::MAX, INF] {
        let (mut world, _) = small_world();
        let time = world.time();
        let report = world.step(dt);
        assert_finite(&world);
        assert_eq!(report.quarantined, 0, "dt = {dt:e} s");
        let taken = world.time() - time;
        let allowed = f64::from(dt).min(1.0 / 15.0);
        assert!((taken - allowed).abs() < 1e-6 * allowed, "dt = {dt:e} took {taken} s");
        let dropped = if dt > 1.0 / 15.0 { dt - 1.0 / 15.0 } else { 0.0 };
        assert_eq!(report.time_dropped, dropped, "dt = {dt:e} s");
        for _ in 0..10 {
            world.step(FRAME);
            assert_finite(&world);
        }
    }
}

/// Steps a world and asserts that it never holds more than at the first step, within 1e-4; if
/// `strict`, never more than at any step before, within 1e-4 of the first.
fn assert_no_gain(world: &mut World, steps: usize, strict: bool, what: &str) {
    let first = world.step(FRAME).energy.held();
    assert!(first > 0.0, "{what}: there is nothing to lose");
    let mut bound = first;
    for step in 0..steps {
        let report = world.step(FRAME);
        let now = report.energy.held();
        assert!(
            now <= bound + 1e-4 * first,
            "{what}: {now} J after {step} steps, {bound} J before, {first} J at first"
        );
        if strict {
            bound = bound.min(now);
        }
        assert_eq!(report.quarantined, 0, "{what}");
    }
}

const MODULI: [f32; 7] = [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const SMALL: [usize; 3] = [3, 6, 3];

/// A bar drawn out by a tenth and let go.
#[test]
fn r13_energy_of_free_vibration_never_grows() {
    for modulus in MODULI {
        let mut world = World::new(WorldConfig { books: true, ..weightless() }).unwrap();
        let id = world.spawn(body(lattice(SMALL, 0.05, 3), &material(modulus))).unwrap();
        let low = [INF, -0.12, INF];
        let hold = grip_box(id, [-INF; 3], low, GripMotion::Hold);
        world.grip(GripDesc { release: Some(0.5), ..hold }).unwrap();
        let keys =
            vec![MoveKey::default(), MoveKey { time: 0.4, offset: [0.01, 0.03, 0.0], angle: 0.3 }];
        let draw = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
        let draw = grip_box(id, [-INF, 0.12, -INF], [INF; 3], draw);
        world.grip(GripDesc { release: Some(0.5), ..draw }).unwrap();
        for _ in 0..31 {
            world.step(FRAME);
        }
        assert_no_gain(&mut world, 2000, true, &format!("E = {modulus:e}"));
    }
}

/// A bar that spins about no principal axis, fast enough to be stretched by it.
#[test]
fn r13_energy_of_a_spinning_body_never_grows() {
    for modulus in MODULI {
        let mut world = World::new(WorldConfig { books: true, ..weightless() }).unwrap();
        let mut bar = body(lattice(SMALL, 0.05, 3), &material(modulus));
        bar.spin = [2.0, 1.0, 6.0];
        bar.velocity = [0.5, 0.0, 0.0];
        world.spawn(bar).unwrap();
        assert_no_gain(&mut world, 2000, false, &format!("E = {modulus:e}"));
    }
}

/// What the integrator has taken from a spinning body it must not give back later.
#[test]
#[ignore = "open: spinning bodies win back up to 0.1 % of their first energy; run with --include-ignored"]
fn r13_spinning_body_wins_back_no_energy() {
    for modulus in MODULI {
        let mut world = World::new(WorldConfig { books: true, ..weightless() }).unwrap();
        let mut bar = body(lattice(SMALL, 0.05, 3), &material(modulus));
        bar.spin = [2.0, 1.0, 6.0];
        world.spawn(bar).unwrap();
        assert_no_gain(&mut world, 2000, true, &format!("E = {modulus:e}"));
    }
}

/// A bar that falls on a floor, askew, and comes to rest there. Held energy counts the weight's.
#[test]
fn r13_energy_of_a_falling_body_never_grows() {
    for modulus in MODULI {
        let mut world = World::new(WorldConfig { books: true, ..WorldConfig::default() }).unwrap();
        world.add_half_space(floor()).unwrap();
        let mut bar = body(lattice(SMALL, 0.05, 3), &material(modulus));
        bar.position = [0.0, 0.6, 0.0];
        bar.rotation = Rot::from_axis_angle([1.0, 0.2, 0.4].into(), 0.5);
        bar.spin = [0.0, 1.0, 2.0];
        world.spawn(bar).unwrap();
        assert_no_gain(&mut world, 600, false, &format!("E = {modulus:e}"));
    }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    length([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}

/// A body 1 km out that flies and spins.
fn far_spinner(modulus: f32) -> (World, BodyId, f64) {
    let mut world = World::new(weightless()).unwrap();
    let mut desc = body(lattice([5, 4, 3], 0.05, 3), &material(modulus));
    desc.position = [600.0, 640.0, -480.0];
    desc.velocity = [1.0, -2.0, 0.5];
    desc.spin = [3.0, -1.0, 2.0];
    let id = world.spawn(desc).unwrap();
    let mass = world.body(id).unwrap().mass();
    (world, id, mass)
}

/// Asserts that momenta stay what they were, `start` being of the first step.
fn assert_momenta(start: &StepReport, now: &StepReport, mass: f64, top_speed: f32, what: &str) {
    let off = distance(now.momentum, start.momentum);
    let scale = mass * f64::from(top_speed);
    assert!(off <= 1e-6 * scale, "{what}: momentum off by {} of M v", off / scale);
    let off = distance(now.angular_momentum, start.angular_momentum);
    let scale = length(start.angular_momentum);
    assert!(off <= 1e-5 * scale, "{what}: angular momentum off by {} of itself", off / scale);
}

/// Without forces both momenta are constants of motion: erratum 000.19 says that f32 with local
/// frames can keep 2e-7 and 4e-7.
#[test]
fn r14_momentum_of_a_free_body_stays() {
    for modulus in [1e4, 1e6] {
        let (mut world, _, mass) = far_spinner(modulus);
        let start = world.step(FRAME);
        for step in 1..3000 {
            let now = world.step(FRAME);
            assert_momenta(&start, &now, mass, start.max_speed, &format!("step {step}"));
        }
    }
}

/// A lattice of fragments that are not cubes but boxes of 1 : 1.2 : 1.4 and all between.
fn uneven(counts: [usize; 3]) -> fracas::solids::oriented::OrientedShape {
    let mut shape = lattice(counts, 0.05, 3);
    let mut random = Random(2);
    for point in &mut shape.points {
        let mut part = || 1.0 + random.below(1000) as f32 * 1e-3;
        let moment = 0.05f32.powi(5) / 12.0;
        point.second_moment =
            [part() * moment, part() * moment, part() * moment, 0.1 * moment, 0.0, 0.0];
    }
    shape
}

/// Gyroscopic terms do no work: the midpoint rule may err by 4e-5 (erratum 000.9) to either side
/// for a lone fragment; in a body the integrator takes more.
#[test]
fn r13_energy_of_uneven_fragments_never_grows() {
    for modulus in [1e3, 1e5, 1e7] {
        let mut world = World::new(WorldConfig { books: true, ..weightless() }).unwrap();
        let mut bar = body(uneven(SMALL), &material(modulus));
        bar.spin = [2.0, 1.0, 6.0];
        world.spawn(bar).unwrap();
        assert_no_gain(&mut world, 2000, false, &format!("E = {modulus:e}"));
    }
}

/// The same for fragments that are not cubes: their spin is not constant, their momentum is.
#[test]
fn r14_momentum_of_uneven_fragments_stays() {
    for counts in [[1, 1, 1], [5, 4, 3]] {
        let mut world = World::new(weightless()).unwrap();
        let mut desc = body(uneven(counts), &material(1e6));
        desc.position = [600.0, 640.0, -480.0];
        desc.velocity = [1.0, -2.0, 0.5];
        desc.spin = [3.0, -1.0, 2.0];
        let id = world.spawn(desc).unwrap();
        let mass = world.body(id).unwrap().mass();
        let start = world.step(FRAME);
        for step in 1..3000 {
            let now = world.step(FRAME);
            assert_momenta(
                &start,
                &now,
                mass,
                start.max_speed,
                &format!("{counts:?}, step {step}"),
            );
        }
    }
}

/// A cut removes an attraction between two particles, which has no sum and no torque.
#[test]
fn r14_momentum_stays_through_a_hundred_cuts() {
    let (mut world, id, mass) = far_spinner(1e5);
    let start = world.step(FRAME);
    let mut random = Random(7);
    for cut in 0..100 {
        for _ in 0..3 {
            let bonds: Vec<_> = world.body(id).unwrap().bonds().collect();
            let [a, b] = bonds[random.below(bonds.len())];
            // the same bond may be drawn again before the step: then the second does nothing
            world.cut(id, a, b).unwrap();
        }
        let mut now = world.step(FRAME);
        for _ in 0..3 {
            now = world.step(FRAME);
        }
        assert_momenta(&start, &now, mass, start.max_speed, &format!("cut {cut}"));
    }
    assert!(world.body(id).unwrap().pieces().len() > 1, "nothing fell apart");
}

/// Components by union-find over the bonds, as sets of particles.
fn components(ids: &[ParticleId], bonds: &[[ParticleId; 2]]) -> BTreeSet<BTreeSet<ParticleId>> {
    let place: BTreeMap<_, _> = ids.iter().enumerate().map(|(i, &id)| (id, i)).collect();
    let mut parent: Vec<usize> = (0..ids.len()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for [a, b] in bonds {
        let (a, b) = (root(&mut parent, place[a]), root(&mut parent, place[b]));
        parent[a] = b;
    }
    let mut sets = BTreeMap::<usize, BTreeSet<ParticleId>>::new();
    for (i, &id) in ids.iter().enumerate() {
        sets.entry(root(&mut parent, i)).or_default().insert(id);
    }
    sets.into_values().collect()
}

/// Ten thousand of 10,476 bonds, in random order, down to dust.
#[test]
fn r19_topology_is_valid_through_ten_thousand_cuts() {
    let config = WorldConfig { substeps: 1, sweeps: 2, ..weightless() };
    let mut world = World::new(config).unwrap();
    let mut desc = body(lattice([10, 10, 10], 0.05, 3), &material(1e4));
    desc.spin = [1.0, 0.0, 2.0];
    let id = world.spawn(desc).unwrap();
    world.step(FRAME);
    let body = world.body(id).unwrap();
    let mass = body.mass();
    let everyone: BTreeSet<_> = body.particle_ids().iter().copied().collect();
    let mut bonds: Vec<_> = body.bonds().collect();
    assert_eq!((everyone.len(), bonds.len()), (1000, 10_476));
    let mut ended = BTreeSet::new();
    let mut random = Random(1);
    for batch in 0..100 {
        let mut cut = BTreeSet::new();
        for _ in 0..100 {
            let bond = bonds.swap_remove(random.below(bonds.len()));
            cut.insert(bond);
            world.cut(id, bond[0], bond[1]).unwrap();
        }
        world.step(FRAME);
        world.validate();
        for event in world.events() {
            if let Event::Split { parent, .. } = event {
                ended.insert(parent);
            }
        }
        let body = world.body(id).unwrap();
        let left: BTreeSet<_> = body.bonds().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let expected: BTreeSet<_> = bonds.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        assert_eq!(left, expected, "batch {batch}");
        let logged: BTreeSet<_> = body.changes().bonds_cut.iter().copied().collect();
        let sorted = |set: &BTreeSet<[ParticleId; 2]>| -> BTreeSet<_> {
            set.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect()
        };
        assert_eq!(sorted(&logged), sorted(&cut), "batch {batch}: the log of cuts");

        let found: BTreeSet<BTreeSet<_>> =
            body.pieces().iter().map(|piece| body.ids(piece).iter().copied().collect()).collect();
        assert_eq!(found.len(), body.pieces().len(), "batch {batch}: a piece twice");
        assert_eq!(found, components(body.particle_ids(), &bonds), "batch {batch}");
        let ids: BTreeSet<_> = body.particle_ids().iter().copied().collect();
        assert_eq!((&ids, body.particle_count()), (&everyone, 1000), "batch {batch}");
        assert!(body.pieces().iter().all(|piece| !ended.contains(&piece.id())), "batch {batch}");
        assert!((body.mass() / mass - 1.0).abs() < 1e-12, "mass {} was {mass}", body.mass());
    }
    assert!(world.body(id).unwrap().pieces().len() > 400, "hardly anything fell apart");
}
