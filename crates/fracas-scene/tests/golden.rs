//! Every scene of the gallery runs, and ends in the bits that are written down: a build, a machine or a change that gives others is told.
//!
//! A change that is meant to give other bits writes them anew, and says why in its commit:
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p fracas-scene --test golden
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use fracas::glam::DVec3;
use fracas::world::Body;
use fracas_scene::{Scene, gallery};
use std::fmt::Write;
use std::path::Path;

const FRAMES: usize = 60;

fn centre(body: &Body) -> DVec3 {
    let at = body.world_positions().zip(body.masses());
    let sum: DVec3 = at.map(|(x, &mass)| f64::from(mass) * DVec3::from(x)).sum();
    sum / body.mass()
}

#[test]
fn every_scene_ends_in_the_bits_that_are_written_down() {
    let mut found = String::from("# scene, hash after 60 frames\n");
    for entry in gallery() {
        let scene = Scene::open(entry.name).unwrap();
        let mut world = scene.build(2).unwrap();
        let start: Vec<_> =
            world.body_ids().map(|id| (id, centre(world.body(id).unwrap()))).collect();
        for frame in 0..FRAMES {
            let report = world.step(scene.dt());
            assert_eq!(report.quarantined, 0, "{}, frame {frame}", entry.name);
        }
        world.validate();
        for (id, before) in start {
            let Some(body) = world.body(id) else { continue };
            let far = centre(body).distance(before);
            assert!(far < 20.0, "{}: body `{}` went {far} m", entry.name, body.name());
        }
        writeln!(found, "{} {:016x}", entry.name, world.hash()).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return std::fs::write(&path, found).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    let other: Vec<_> = found.lines().filter(|line| !wanted.lines().any(|w| w == *line)).collect();
    assert!(other.is_empty(), "other bits than those of tests/golden.txt: {other:#?}");
    assert_eq!(found.lines().count(), wanted.lines().count(), "scenes that are no longer there");
}
