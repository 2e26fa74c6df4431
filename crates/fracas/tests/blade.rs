//! Blades: what they pass is cut, in bodies of every model.
#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "common/blades.rs"]
mod blades;
#[path = "common/blocks.rs"]
#[allow(dead_code, reason = "each test file uses some of it")]
mod blocks;
#[path = "common/sheets.rs"]
mod sheets;

use blades::*;
use fracas::contact::shape::Shape;
use fracas::glam::DVec3;
use fracas::material::{Material, presets};
use fracas::world::{
    BladeDesc, BladeId, BladeKey, BodyDesc, BodyId, CommandError, ShapeDesc, World,
};

const FRAME: f32 = 1.0 / 60.0;

/// Random strokes through bodies of every model leave them sound, and mass and motion what they were.
#[test]
fn random_strokes_change_no_motion() {
    for kind in KINDS {
        let found = strokes(kind, 60, 15, 0x51ed_270b_a7f3_09c5);
        println!("{kind:?}: {found:?}");
        assert!(found.cuts > 20 && found.pieces > 3, "{kind:?}: {found:?}");
        let [mass, momentum, angular] = found.off;
        assert!(mass < 1e-7, "{kind:?}: mass off by {mass}");
        assert!(momentum < 1e-6 && angular < 1e-6, "{kind:?}: {found:?}");
    }
}

/// A block that a plane cuts is two, whose masses are those on both sides of it: as exactly as what it is made of can be divided.
#[test]
fn a_block_cut_in_two_is_two() {
    for kind in KINDS {
        // a layer of what is not divided is off by half of its thickness at most
        let most = match kind {
            Kind::Oriented | Kind::Meshless => 0.06,
            Kind::Corotated | Kind::Brittle => 0.06,
            Kind::Remeshed => 0.01,
            Kind::Sheet => 1e-3,
        };
        for seed in 1..=12 {
            let found = halves(kind, 0x9e37_79b9_7f4a_7c15 >> seed);
            println!("{kind:?} {seed}: {found:?}");
            assert_eq!(found.pieces, 2, "{kind:?}, {seed}");
            assert!(found.off <= most, "{kind:?}, {seed}: {found:?}");
        }
    }
}

/// Surfaces stay closed, and shapes good enough to go on with.
#[test]
fn what_is_cut_stays_well_shaped() {
    for (kind, most) in [(Kind::Corotated, 30.0f64), (Kind::Remeshed, 1.0), (Kind::Sheet, 10.0)] {
        let (before, _) = after_strokes(kind, 0);
        let (least, closed) = after_strokes(kind, 20);
        println!("{kind:?}: {least}°, before {before}°");
        assert!(closed, "{kind:?} is open");
        assert!(least >= most.min(before), "{kind:?}: {least}°");
    }
}

/// What a blade ends in is not cut through, and the cut ends where the blade did.
#[test]
fn a_cut_ends_with_its_blade() {
    for kind in KINDS {
        let mut world = weightless(1);
        let id = spawn(&mut world, kind);
        // down to the middle along x
        let edge = |x: f64| [[x, -0.5, 0.003], [x, 0.5, 0.003]];
        world.slice(edge(-0.4), edge(0.0), None).unwrap();
        world.apply_commands();
        world.validate();
        let body = world.body(id).unwrap();
        assert_eq!(body.pieces().len(), 1, "{kind:?}");
        let opened = &body.changes().opened;
        let farthest = opened.iter().map(|o| o.position.x).fold(f64::NEG_INFINITY, f64::max);
        assert!((-0.05..0.03).contains(&farthest), "{kind:?} is cut as far as {farthest} m");
        // and on from there
        world.slice(edge(0.0), edge(0.4), None).unwrap();
        world.apply_commands();
        let pieces = world.body(id).unwrap().pieces().len();
        assert!(pieces == 2 || kind == Kind::Remeshed || kind == Kind::Sheet, "{kind:?}: {pieces}");
    }
}

fn edge(x: f64) -> [[f64; 3]; 2] {
    [[x, -0.5, 0.019], [x, 0.5, 0.023]]
}

/// A blade that passes a block within a second.
fn slow_blade(world: &mut World, body: Option<BodyId>) -> BladeId {
    let key = |time, x| BladeKey { time, ends: edge(x) };
    world.add_blade(BladeDesc { keys: vec![key(0.1, -0.2), key(1.1, 0.2)], body }).unwrap()
}

/// Step by step a blade cuts what it has passed, and in the end all: steps are far shorter than tetrahedra and triangles.
#[test]
fn a_blade_goes_on_from_step_to_step() {
    for kind in KINDS {
        let mut world = weightless(1);
        let id = spawn(&mut world, kind);
        let blade = slow_blade(&mut world, None);
        let mut opened = Vec::new();
        for _ in 0..72 {
            world.step(FRAME);
            world.validate();
            let body = world.body(id).unwrap();
            opened.push((world.time(), body.changes().opened.len(), body.pieces().len()));
            let ends = world.blades().next().unwrap();
            assert_eq!(ends.0, blade);
            assert_eq!(ends.1.is_some(), (0.1..=1.1).contains(&world.time()), "{}", world.time());
        }
        // it reaches the block at 0.225 s and leaves it at 0.975 s
        let mut cuts = opened.iter().filter(|(_, count, _)| *count > 0);
        let [first, last] = [cuts.clone().next(), cuts.next_back()].map(|cut| cut.unwrap().0);
        println!("{kind:?}: {first} to {last} s, {:?}", opened.last());
        assert!((0.15..0.35).contains(&first) && (0.85..1.05).contains(&last), "{kind:?}");
        assert_eq!(opened.last().unwrap().2, 2, "{kind:?}");
        let masses = pieces(world.body(id).unwrap());
        let truth = if kind == Kind::Remeshed { 0.01 } else { 0.1 };
        let off = masses[0] / masses.iter().sum::<f64>() - 0.605;
        assert!(off.abs() < truth, "{kind:?}: off by {off}");
    }
}

/// The same bits on any number of threads, and after a world was saved in the middle of a cut.
#[test]
fn threads_and_snapshots_change_no_bit() {
    for kind in KINDS {
        let run = |threads: u32, save_at: Option<usize>| {
            let mut world = weightless(threads);
            let id = spawn(&mut world, kind);
            slow_blade(&mut world, Some(id));
            for k in 0..50 {
                if save_at == Some(k) {
                    world = World::load(&world.save(), threads).unwrap();
                }
                if k == 20 {
                    let [from, to] = stroke(&mut Random(77));
                    world.slice(from, to, None).unwrap();
                }
                world.step(FRAME);
            }
            world.hash()
        };
        let first = run(1, None);
        for (threads, save_at) in [(2, None), (3, None), (1, Some(31))] {
            assert_eq!(run(threads, save_at), first, "{kind:?}: {threads}, {save_at:?}");
        }
    }
}

/// Rigid bodies are left as they are.
#[test]
fn rigid_bodies_are_not_cut() {
    let mut world = weightless(1);
    let shape = Shape::block([0.1, 0.1, 0.1].into()).unwrap();
    let material = Material::try_from(&presets::steel()).unwrap();
    let id = world.spawn(BodyDesc::new("block", ShapeDesc::rigid(shape), vec![material])).unwrap();
    world.slice(edge(-0.2), edge(0.2), Some(id)).unwrap();
    world.step(FRAME);
    let body = world.body(id).unwrap();
    assert!(body.changes().opened.is_empty() && body.pieces().len() == 1);
}

/// What asks for nothing, or for what is not there, is refused.
#[test]
fn bad_strokes_are_refused() {
    let mut world = weightless(1);
    let id = spawn(&mut world, Kind::Sheet);
    let gone = BodyId(id.0 + 1);
    assert_eq!(world.slice(edge(0.0), edge(1.0), Some(gone)), Err(CommandError::NoBody(gone)));
    assert_eq!(world.slice(edge(0.0), edge(0.0), None), Err(CommandError::NothingPassed));
    let nowhere = [[f64::NAN; 3]; 2];
    let refused = world.slice(nowhere, edge(0.0), None);
    assert!(matches!(refused, Err(CommandError::OutOfRange { field: "ends", .. })), "{refused:?}");
    let key = |time| BladeKey { time, ends: edge(0.0) };
    let late = BladeDesc { keys: vec![key(1.0), key(1.0)], body: None };
    let refused = world.add_blade(late);
    assert_eq!(refused, Err(CommandError::BadTimes { index: 1, time: 1.0 }));
    assert_eq!(world.add_blade(BladeDesc::default()), Err(CommandError::NoKeys));
    assert_eq!(world.remove_blade(BladeId(99)), Err(CommandError::NoBlade(BladeId(99))));
    let blade = slow_blade(&mut world, None);
    world.remove_blade(blade).unwrap();
    world.step(FRAME);
    assert_eq!(world.blades().count(), 0);
}

/// Only the body that is meant is cut, and a blade ends with it.
#[test]
fn a_blade_may_be_for_one_body() {
    let mut world = weightless(1);
    let [first, second] = [Kind::Oriented, Kind::Corotated].map(|kind| spawn(&mut world, kind));
    let [from, to] = whole_plane(DVec3::splat(0.003), DVec3::X);
    world.slice(from, to, Some(second)).unwrap();
    world.apply_commands();
    let counts = [first, second].map(|id| world.body(id).unwrap().pieces().len());
    assert_eq!(counts, [1, 2]);
    slow_blade(&mut world, Some(second));
    world.remove(second).unwrap();
    world.apply_commands();
    assert_eq!(world.blades().count(), 0);
}

/// 10⁵ strokes over all models.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_strokes() {
    for kind in KINDS {
        let found = strokes(kind, 16_700, 20, 0x1234_5678_9abc_def1);
        println!("{kind:?}: {found:?}");
        assert!(found.off[0] < 1e-7, "{kind:?}: {found:?}");
    }
}
