//! R17: a step takes no memory.
//!
//! Counted by an allocator of this file. With debug assertions a step also calls `validate`, which
//! takes memory; a call by hand on the same state takes the same, and is subtracted. Set
//! `FRACAS_TRACE_ALLOCATIONS` to see where others come from.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]
#![allow(unsafe_code, reason = "GlobalAlloc cannot be implemented without")]

mod common;

use common::*;
use fracas::contact::shape::Shape;
use fracas::glam::Vec3;
use fracas::material::Material;
use fracas::math::Rot;
use fracas::world::{
    AttachDesc, AttachRegion, BodyDesc, DebrisRule, FieldDesc, FieldKind, GripMotion, RigidPart,
    ShapeDesc, World, WorldConfig, Zone,
};
use fracas::{BodyId, ParticleId};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Counting;

/// Of all threads.
static TOTAL: AtomicU64 = AtomicU64::new(0);
/// Bytes that are in use.
static LIVE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Of this thread.
    static OWN: Cell<u64> = const { Cell::new(0) };
    static TRACING: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    TOTAL.fetch_add(1, SeqCst);
    OWN.set(OWN.get() + 1);
    if TRACING.replace(false) {
        let trace = std::backtrace::Backtrace::force_capture().to_string();
        if !trace.contains("validate") {
            eprintln!("{trace}");
        }
        TRACING.set(true);
    }
}

// SAFETY: every call goes to the system's allocator with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        LIVE.fetch_add(layout.size() as u64, SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as u64, SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        LIVE.fetch_add(layout.size() as u64, SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        LIVE.fetch_add(size as u64, SeqCst);
        LIVE.fetch_sub(layout.size() as u64, SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// One test at a time: the total is of all threads.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread in a step, without those of `validate`.
fn allocations_of_step(world: &mut World) -> u64 {
    TRACING.set(std::env::var_os("FRACAS_TRACE_ALLOCATIONS").is_some());
    let begin = OWN.get();
    world.step(FRAME);
    let in_step = OWN.get() - begin;
    TRACING.set(false);
    in_step - allocations_of_validate(world)
}

fn allocations_of_validate(world: &World) -> u64 {
    let begin = OWN.get();
    world.validate();
    if cfg!(debug_assertions) { OWN.get() - begin } else { 0 }
}

/// A world with one body of 8 × 4 × 4 particles, five steps old.
fn warm(config: WorldConfig, height: f64, arrange: impl Fn(&mut World, BodyId)) -> (World, BodyId) {
    let mut world = World::new(config).unwrap();
    let mut desc = body(lattice([8, 4, 4], 0.05, 3), &material(1e6));
    desc.position = [0.0, height, 0.0];
    desc.spin = [0.0, 1.0, 0.5];
    let id = world.spawn(desc).unwrap();
    arrange(&mut world, id);
    for _ in 0..5 {
        world.step(FRAME);
    }
    (world, id)
}

fn assert_none(world: &mut World, steps: usize, what: &str) {
    for step in 0..steps {
        let found = allocations_of_step(world);
        assert_eq!(found, 0, "{what}, step {step}: {found} allocations");
        world.events();
    }
}

#[test]
fn r17_no_allocation_in_flight() {
    let _alone = alone();
    for books in [false, true] {
        let config = WorldConfig { books, ..weightless() };
        let (mut world, _) = warm(config, 0.0, |_, _| ());
        assert_none(&mut world, 20, "in flight");
    }
}

#[test]
fn r17_no_allocation_on_the_floor() {
    let _alone = alone();
    let config = WorldConfig { books: true, ..WorldConfig::default() };
    let (mut world, _) = warm(config, 0.2, |world, _| {
        world.add_half_space(floor()).unwrap();
    });
    // it arrives after warm-up, and tilts, so that contacts come and go
    assert_none(&mut world, 60, "on the floor");
}

#[test]
fn r17_no_allocation_in_a_grip() {
    let _alone = alone();
    let (mut world, _) = warm(WorldConfig::default(), 0.0, |world, id| {
        let end = [-0.1, f32::INFINITY, f32::INFINITY];
        world.grip(grip_box(id, [-f32::INFINITY; 3], end, GripMotion::Hold)).unwrap();
    });
    assert_none(&mut world, 20, "in a grip");
}

/// Tetrahedra held at one end, and in flight.
#[test]
fn r17_no_allocation_of_tetrahedra() {
    let _alone = alone();
    for held in [true, false] {
        let mut world = World::new(WorldConfig { books: true, ..WorldConfig::default() }).unwrap();
        let desc = tets::body(tets::block([6, 3, 3], [0.1; 3]), tets::elastic(1000.0, 1e6, 0.3));
        let id = world.spawn(desc).unwrap();
        if held {
            tets::hold_start(&mut world, id, 0.0);
        }
        for _ in 0..5 {
            world.step(FRAME);
        }
        assert_none(&mut world, 20, "tetrahedra");
    }
}

fn bonds(world: &World, id: BodyId) -> Vec<[ParticleId; 2]> {
    world.body(id).unwrap().bonds().collect()
}

/// Down to dust, forty cuts per step, in the air and on the floor.
#[test]
fn r17_no_allocation_while_breaking() {
    let _alone = alone();
    for on_floor in [false, true] {
        let (mut world, id) = warm(WorldConfig::default(), 0.2, |world, _| {
            if on_floor {
                world.add_half_space(floor()).unwrap();
            }
        });
        let mut random = Random(5);
        let mut left = bonds(&world, id);
        while !left.is_empty() {
            for _ in 0..left.len().min(40) {
                let [a, b] = left.swap_remove(random.below(left.len()));
                world.cut(id, a, b).unwrap();
            }
            assert_none(&mut world, 1, "breaking");
        }
        assert_eq!(world.body(id).unwrap().pieces().len(), 128);
    }
}

/// Wind, drag, and debris that goes while a body turns to dust.
#[test]
fn r17_no_allocation_in_fields_and_while_debris_goes() {
    let _alone = alone();
    let debris = Some(DebrisRule { lifetime: 0.1, min_size: 0.1, budget: 20 });
    let config = WorldConfig { debris, ..WorldConfig::default() };
    let (mut world, id) = warm(config, 0.2, |world, id| {
        world.add_half_space(floor()).unwrap();
        let zone = Zone::Everywhere;
        let kind = FieldKind::Wind { velocity: [3.0, 0.0, 1.0], density: 1.2, coefficient: 1.0 };
        world.add_field(FieldDesc { kind, zone }).unwrap();
        world.add_field(FieldDesc { kind: FieldKind::Drag { rate: 1.0 }, zone }).unwrap();
        let some = [-0.1, f32::INFINITY, f32::INFINITY];
        world.grip(grip_box(id, [-f32::INFINITY; 3], some, GripMotion::Hold)).unwrap();
    });
    let mut random = Random(5);
    for _ in 0..40 {
        let mut left = bonds(&world, id);
        for _ in 0..left.len().min(60) {
            let [a, b] = left.swap_remove(random.below(left.len()));
            world.cut(id, a, b).unwrap();
        }
        assert_none(&mut world, 1, "debris");
    }
    let left = world.body(id).unwrap().particle_count();
    assert!(left < 90, "{left} particles of 128 are left");
}

/// A thousand bodies come and go, and what is in use does not grow.
#[test]
fn r17_memory_does_not_grow_while_bodies_come_and_go() {
    let _alone = alone();
    let mut world = World::new(WorldConfig { substeps: 1, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut live = Vec::with_capacity(8);
    let mut after = Vec::with_capacity(10);
    for k in 0..1000 {
        let mut desc = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
        desc.position = [0.15 * f64::from(k % 4), 0.12 + 0.05 * f64::from(k % 3), 0.0];
        live.push(world.spawn(desc).unwrap());
        if live.len() > 5 {
            world.remove(live.remove(k as usize * 7 % live.len())).unwrap();
        }
        world.step(FRAME);
        world.events();
        if k % 100 == 99 {
            after.push(LIVE.load(SeqCst));
        }
    }
    println!("bytes in use after every hundred: {after:?}");
    // it goes up and down with where they are spawned
    assert!(after[5..].iter().max() <= after[..5].iter().max(), "{after:?}");
}

/// One body after the other has turned to dust, and nobody has asked for events: room for all of
/// them was taken when the bodies were spawned.
#[test]
fn r17_no_allocation_while_several_bodies_break() {
    let _alone = alone();
    let (mut world, first) = warm(weightless(), 0.0, |_, _| ());
    let mut desc = body(lattice([8, 4, 4], 0.05, 3), &material(1e6));
    desc.position = [5.0, 0.0, 0.0];
    let second = world.spawn(desc).unwrap();
    world.step(FRAME);
    for id in [first, second] {
        for [a, b] in bonds(&world, id) {
            world.cut(id, a, b).unwrap();
        }
    }
    let found = allocations_of_step(&mut world);
    assert_eq!(found, 0, "{found} allocations while two bodies turned to dust");
}

/// Glued bodies hang, swing, are cut and tear off, and collide again.
#[test]
fn r17_no_allocation_while_glue_breaks() {
    let _alone = alone();
    let (mut world, upper) = warm(WorldConfig::default(), 1.0, |_, _| ());
    world.remove(upper).unwrap();
    let spawn = |world: &mut World, height| {
        let mut desc = body(lattice([8, 4, 4], 0.05, 3), &material(1e6));
        desc.position = [0.0, height, 0.0];
        world.spawn(desc).unwrap()
    };
    let [upper, lower] = [1.0, 0.8].map(|height| spawn(&mut world, height));
    let top = grip_box(upper, [-1.0, 0.0, -1.0], [1.0; 3], GripMotion::Hold);
    world.grip(top).unwrap();
    let region = AttachRegion::Near { distance: 0.01 };
    let glue = AttachDesc { region, strength: 8e3, ..AttachDesc::new([upper, lower]) };
    let glue = world.attach(glue).unwrap();
    for _ in 0..3 {
        world.step(FRAME);
    }
    assert_eq!(world.attachment(glue).unwrap().broken_links(), 0);
    for [a, b] in bonds(&world, lower).into_iter().step_by(7) {
        world.cut(lower, a, b).unwrap();
    }
    assert_none(&mut world, 5, "glued");
    // four times what it can bear
    let pushed = world.body(lower).unwrap().particle_ids().to_vec();
    for step in 0..10 {
        for &particle in &pushed {
            world.push(lower, particle, [0.0, -20.0, 0.0], [0.0; 3]).unwrap();
        }
        let found = allocations_of_step(&mut world);
        assert!(step == 0 || found == 0, "step {step}: {found} allocations");
    }
    assert!(world.attachment(glue).unwrap().broken_links() > 0, "nothing has broken");
}

/// A push is a force for one step: the list of them keeps its room.
#[test]
fn r17_no_allocation_for_as_many_pushes_as_before() {
    let _alone = alone();
    let (mut world, id) = warm(weightless(), 0.0, |_, _| ());
    let particles: Vec<_> = world.body(id).unwrap().particle_ids()[..20].to_vec();
    for step in 0..5 {
        for &particle in &particles {
            world.push(id, particle, [0.1, 0.0, 0.0], [0.0; 3]).unwrap();
        }
        let found = allocations_of_step(&mut world);
        assert!(step == 0 || found == 0, "step {step}: {found} allocations");
    }
}

/// A pile of hulls as it falls, lands, moves and comes to rest.
#[test]
fn r17_no_allocation_in_a_pile() {
    let _alone = alone();
    let mut world = World::new(WorldConfig { substeps: 2, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut random = Random(3);
    let mut vector = || Vec3::from([0; 3].map(|_| random.below(2001) as f32 * 1e-3 - 1.0));
    let mut parts = Vec::new();
    for k in 0..64 {
        let points: Vec<Vec3> = (0..16).map(|_| 0.5 * vector().normalize_or(Vec3::X)).collect();
        let [x, y, z] = [k % 4, k / 16, k / 4 % 4].map(|n| n as f32);
        parts.push(RigidPart {
            shape: Shape::hull(&points).unwrap(),
            position: [1.1 * x + 0.3 * (y % 2.0), 0.6 + 1.05 * y, 1.1 * z],
            rotation: Rot::exp(3.0 * vector()),
            material: 0,
        });
    }
    let stone = Material::try_from(&material(1e6)).unwrap();
    world.spawn(BodyDesc::new("pile", ShapeDesc::Rigid(parts), vec![stone])).unwrap();
    for _ in 0..5 {
        world.step(FRAME);
    }
    assert_none(&mut world, 240, "in a pile");
}

/// With threads, what the pool itself takes: at most four.
#[test]
fn r17_at_most_four_allocations_with_two_threads() {
    let _alone = alone();
    let mut world = World::new(WorldConfig { threads: 2, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    for k in 0..3 {
        let mut desc = body(lattice([12, 8, 12], 0.05, 3), &material(1e6));
        desc.position = [f64::from(k) * 2.0, 0.21 + f64::from(k), 0.0];
        world.spawn(desc).unwrap();
    }
    // long enough that the harness has written what it had to about the tests before
    for _ in 0..10 {
        world.step(FRAME);
    }
    for step in 0..20 {
        let begin = TOTAL.load(SeqCst);
        world.step(FRAME);
        let found = TOTAL.load(SeqCst) - begin - allocations_of_validate(&world);
        assert!(found <= 4, "step {step}: {found} allocations");
        world.events();
    }
}
