//! Snapshots go on with the same bits, and bytes that are none are refused.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, body, floor, grip_box, lattice, material, weightless};
use fracas::material::MaterialDesc;
use fracas::state::SnapshotError;
use fracas::world::{GripDesc, GripMotion, MoveKey, PullKey, Region, World, WorldConfig};

/// A bar that is twisted and pulled, a block on the floor that a spring lifts, and a bar cut in two in flight.
fn busy_world(threads: u32) -> World {
    let mut world =
        World::new(WorldConfig { threads, books: true, settle: 0.1, ..WorldConfig::default() })
            .unwrap();
    world.add_half_space(floor()).unwrap();
    let mut held = body(lattice([12, 3, 3], 0.05, 3), &material(1e6));
    held.position = [0.0, 1.0, 0.0];
    let held = world.spawn(held).unwrap();
    let key = |time, angle| MoveKey { time, offset: [0.0; 3], angle };
    let end = |sign: f32| Region::Box {
        min: [if sign > 0.0 { 0.26 } else { -9.0 }, -9.0, -9.0],
        max: [if sign > 0.0 { 9.0 } else { -0.26 }, 9.0, 9.0],
    };
    let top = Region::Box { min: [-9.0, 0.02, -9.0], max: [9.0; 3] };
    let twist = GripMotion::Move {
        pivot: [0.0, 1.0, 0.0],
        axis: [1.0, 0.0, 0.0],
        keys: vec![key(0.0, 0.0), key(2.0, 3.0)],
    };
    world
        .grip(GripDesc { body: held, region: end(1.0), motion: twist, release: Some(1.2) })
        .unwrap();
    let pull = GripMotion::Pull {
        keys: vec![PullKey { time: 0.0, force: [-20.0, 5.0, 0.0], torque: [0.1, 0.0, 0.0] }],
    };
    world.grip(GripDesc { body: held, region: end(-1.0), motion: pull, release: None }).unwrap();

    let mut block = body(lattice([4, 3, 5], 0.05, 3), &material(5e5));
    block.position = [2.0, 0.1, 0.0];
    block.velocity = [0.4, 0.0, 0.1];
    let block = world.spawn(block).unwrap();
    let motion = GripMotion::Spring { target: [2.2, 0.4, 0.0], stiffness: 500.0, damping: 40.0 };
    world.grip(GripDesc { body: block, region: top, motion, release: None }).unwrap();

    let mut flying = body(lattice([8, 2, 2], 0.05, 3), &material(1e6));
    flying.position = [-3.0, 2.0, 0.0];
    flying.spin = [1.0, 5.0, 0.0];
    let flying = world.spawn(flying).unwrap();
    for _ in 0..10 {
        world.step(FRAME);
    }
    // every bond across the middle
    let ids: Vec<_> = world.body(flying).unwrap().particle_ids().to_vec();
    let bonds: Vec<_> = world.body(flying).unwrap().bonds().collect();
    for [a, b] in bonds {
        let left = |id| ids.iter().position(|&i| i == id).unwrap() < ids.len() / 2;
        if left(a) != left(b) {
            world.cut(flying, a, b).unwrap();
        }
    }
    world
}

#[test]
fn a_loaded_world_goes_on_with_the_same_bits() {
    let mut world = busy_world(1);
    for round in 0..4 {
        for _ in 0..17 {
            world.step(FRAME);
        }
        let bytes = world.save();
        let mut again = World::load(&bytes, 1 + round % 3).unwrap();
        assert_eq!(again.hash(), world.hash());
        assert_eq!(again.save(), bytes, "what is loaded is saved the same");
        for step in 0..40 {
            let (a, b) = (world.step(FRAME), again.step(FRAME));
            assert_eq!(a.hash, b.hash, "round {round}, step {step}");
            assert_eq!(a.energy, b.energy, "round {round}, step {step}");
        }
    }
    assert_eq!(world.body_ids().count(), 3);
}

#[test]
fn damaged_bytes_are_refused_and_never_panic() {
    let bytes = busy_world(1).save();
    assert_eq!(World::load(b"OFF 8 6 12", 1).unwrap_err(), SnapshotError::NotASnapshot);
    for end in (0..bytes.len()).step_by(97).chain(bytes.len() - 20..bytes.len()) {
        assert!(World::load(&bytes[..end], 1).is_err(), "cut at {end} of {}", bytes.len());
    }
    for bit in (0..8 * bytes.len()).step_by(1009) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(World::load(&flipped, 1).is_err(), "bit {bit} flipped");
    }
    // the same with a checksum that fits: whatever is accepted must step without a panic
    for byte in (16..bytes.len() - 8).step_by(211) {
        let mut forged = bytes.clone();
        forged[byte] ^= 0x55;
        let end = forged.len() - 8;
        let crc = u64::from(fracas::state::crc32c(&forged[..end]));
        forged[end..].copy_from_slice(&crc.to_le_bytes());
        let _refused_or_not = World::load(&forged, 1);
    }
}

/// A game moves its world to another thread and lends it a pool.
#[test]
fn a_world_is_sent_to_a_thread_and_steps_on_a_lent_pool() {
    let mut world = busy_world(1);
    let mut lent = World::load(&world.save(), 1).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    lent.set_pool(std::sync::Arc::new(pool));
    let hashes = std::thread::spawn(move || [0; 5].map(|_| lent.step(FRAME).hash));
    assert_eq!([0; 5].map(|_| world.step(FRAME).hash), hashes.join().unwrap());
}

/// How hard a body is loaded on average is state too: saved while a bar is pulled, it breaks at the same moment.
#[test]
fn a_loaded_world_breaks_when_it_would_have() {
    let e = 3e5;
    let desc = MaterialDesc { strength: (0.03 * e).into(), load_time: 0.1.into(), ..material(e) };
    let mut world = World::new(weightless()).unwrap();
    let id = world.spawn(body(lattice([8, 2, 2], 0.1, 3), &desc)).unwrap();
    world.grip(grip_box(id, [-9.0; 3], [-0.3, 9.0, 9.0], GripMotion::Hold)).unwrap();
    let keys = [(0.0, 0.0), (1.0, 0.05)].map(|(time, x)| MoveKey {
        time,
        offset: [x, 0.0, 0.0],
        angle: 0.0,
    });
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys: keys.to_vec() };
    world.grip(grip_box(id, [0.3, -9.0, -9.0], [9.0; 3], motion)).unwrap();
    let mut broke = None;
    for frame in 0..90 {
        let mut again = World::load(&world.save(), 1).unwrap();
        assert_eq!(again.hash(), world.hash(), "as loaded at frame {frame}");
        let report = world.step(1.0 / 60.0);
        assert_eq!(again.step(1.0 / 60.0).hash, report.hash, "a frame after {frame}");
        if report.cracks > 0 {
            broke = broke.or(Some(frame));
        }
    }
    assert!(broke.is_some_and(|frame| frame > 20), "it broke at {broke:?}");
}
