//! What is drawn of the bodies of the gallery.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

#[path = "common/closed.rs"]
mod closed;

use std::collections::BTreeMap;
use std::time::Instant;

use closed::volume;
use fracas::glam::Vec3;
use fracas::skin::{Binding, Drawn, Skin, SkinUpdate};
use fracas_scene::{Scene, gallery};

#[test]
fn every_body_of_the_gallery_has_a_closed_skin_of_its_volume() {
    for entry in gallery() {
        let scene = Scene::open(entry.name).unwrap();
        let (world, looks) = scene.build_looks(scene.world_config()).unwrap();
        let ids: Vec<_> = world.body_ids().collect();
        assert_eq!(looks.iter().map(|look| look.body).collect::<Vec<_>>(), ids);
        for look in looks {
            let body = world.body(look.body).unwrap();
            let mut skin = Skin::new(look.skin.clone(), body).unwrap();
            let [x, y, z] = body.pieces()[0].origin();
            let skinned = skin.update(body, [x, y, z]);
            // Euler: a closed surface has an even number of faces, three edges for two of them
            // of a sheet both sides are drawn, and nothing is between them
            let is_sheet = body.model() == "sheet";
            let sides = if is_sheet { 2 } else { 1 };
            let outside = sides * look.skin.outside.len();
            if look.skin.splinters.is_empty() {
                assert_eq!(skinned.triangles.len(), outside, "{}", entry.name);
            } else {
                // each is drawn whole, with all its sides
                assert!(skinned.triangles.len() > outside, "{}", entry.name);
            }
            if is_sheet {
                continue;
            }
            // what cannot bend needs no more triangles than it has sides
            let fewest = if body.model() == "rigid" { 4 } else { 100 };
            assert!(skinned.triangles.len() >= fewest, "{}: too coarse", entry.name);
            // of several materials there is no one density
            let density = match body.materials() {
                [material] => material.desc().density.constant(),
                _ => None,
            };
            let volume = volume(skinned);
            if let Some(density) = density {
                let ratio = volume * f64::from(density) / body.mass();
                // between bricks there are joints
                let least = if look.skin.splinters.is_empty() { 0.98 } else { 0.7 };
                assert!(least < ratio && ratio < 1.02, "{}: volume off by {ratio}", entry.name);
            }
            println!("{:13} {:6} triangles, {volume:.5} m³", entry.name, skinned.triangles.len());
        }
    }
}

#[test]
fn looks_change_nothing_of_the_world() {
    let scene = Scene::open("drop-bunny").unwrap();
    let (mut with, looks) = scene.build_looks(scene.world_config()).unwrap();
    let mut without = scene.build_with(scene.world_config()).unwrap();
    let mut skin = Skin::new(looks[0].skin.clone(), with.body(looks[0].body).unwrap()).unwrap();
    for _ in 0..5 {
        with.step(scene.dt());
        without.step(scene.dt());
        let body = with.body(looks[0].body).unwrap();
        skin.update(body, [0.0; 3]);
        body.strains();
        assert_eq!(with.hash(), without.hash());
    }
}

/// A rubber bunny that has hit the ground is squeezed, not torn or blown up.
#[test]
fn a_fallen_bunny_keeps_its_volume_and_is_drawn_quickly() {
    let scene = Scene::open("drop-bunny").unwrap();
    let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
    let mut skin = Skin::new(looks[0].skin.clone(), world.body(looks[0].body).unwrap()).unwrap();
    let at_rest = volume(skin.update(world.body(looks[0].body).unwrap(), [0.0; 3]));
    for _ in 0..40 {
        world.step(scene.dt());
    }
    let body = world.body(looks[0].body).unwrap();
    let now = volume(skin.update(body, [0.0; 3]));
    println!("bunny on the ground: volume {:.4} of that at rest", now / at_rest);
    assert!((now / at_rest - 1.0).abs() < 0.05);
    let lowest = skin.update(body, [0.0; 3]).positions.iter().map(|x| x[1]).fold(1.0, f32::min);
    println!("lowest vertex at {lowest:.4} m");
    assert!(lowest > -0.03, "the skin is far below the ground");

    let start = Instant::now();
    for _ in 0..20 {
        skin.update(body, [0.0; 3]);
    }
    let ms = start.elapsed().as_secs_f64() * 1e3 / 20.0;
    println!("bunny of {} tetrahedron edges: {ms:.3} ms per update", look_edges(&looks[0]));
    let start = Instant::now();
    Skin::new(looks[0].skin.clone(), body).unwrap();
    println!("bound in {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    assert!(ms < 50.0, "{ms} ms, expected below 1 and limited for slow machines");
}

fn look_edges(look: &fracas_scene::Look) -> usize {
    look.skin.edges.len()
}

/// Every closed mesh of the gallery, as fine as it is, cut along the fragments that fill it: closed, of its volume, and as
/// heavy as it is drawn.
#[test]
fn own_surfaces_of_real_meshes() {
    for (file, scale, tets) in [
        ("bunny.obj", 2.0, 4000),
        ("spot.ply", 0.3, 4000),
        ("gear.stl", 0.01, 6000),
        ("nut.ply", 0.01, 3000),
        ("goblet.obj", 3.0, 12000),
    ] {
        for (pattern, count) in [("voronoi", 80), ("kmeans", 150)] {
            // of so many in a wall of half a cell one has nothing left, which is refused
            if (file, pattern) == ("goblet.obj", "kmeans") {
                continue;
            }
            let text = format!(
                r#"
title = "it"
format = 1
[materials.clay]
density = 1000
[[bodies]]
name = "it"
material = "clay"
shape = {{ kind = "mesh", file = "gallery:{file}", scale = {scale}, tets = {tets}, fragments = {count}, pattern = "{pattern}", surface = "own", grain = 0.02 }}
"#
            );
            let scene = Scene::parse("own.toml", &text).unwrap();
            let start = Instant::now();
            let (world, looks) = scene.build_looks(scene.world_config()).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let (body, mesh) = (world.body(looks[0].body).unwrap(), &looks[0].skin);
            let volume = |corners: [u32; 3]| {
                let [a, b, c] = corners.map(|v| Vec3::from(mesh.vertices[v as usize]).as_dvec3());
                a.dot(b.cross(c)) / 6.0
            };
            let mut own = vec![0.0; body.particle_count()];
            let mut edges = BTreeMap::new();
            let mut pass = |owner: u32, [a, b, c]: [u32; 3], own: &mut Vec<f64>| {
                own[owner as usize] += volume([a, b, c]);
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    let sign = if from < to { 1 } else { -1 };
                    *edges.entry((owner, from.min(to), from.max(to))).or_insert(0) += sign;
                }
            };
            for face in &mesh.outside {
                pass(face.owner, face.corners, &mut own);
            }
            for face in &mesh.inside {
                let [a, b, c] = face.corners;
                pass(face.between[0], [a, b, c], &mut own);
                pass(face.between[1], [a, c, b], &mut own);
            }
            assert!(edges.values().all(|&sum| sum == 0), "{file}, {pattern}: a fragment is open");
            let off =
                own.iter().zip(body.masses()).map(|(v, m)| (1e3 * v / f64::from(*m) - 1.0).abs());
            let worst = off.fold(0.0, f64::max);
            println!(
                "{file}, {pattern}: {} + {} triangles in {seconds:.2} s, fragments off by {:.3} %",
                mesh.outside.len(),
                mesh.inside.len(),
                100.0 * worst
            );
            assert!(worst < 0.01, "{file}, {pattern}: a fragment is off by {worst}");
        }
    }
}

/// Whoever takes in several updates as one draws what those draw that took in each.
#[test]
fn updates_add_up() {
    let scene = Scene::open("pot").unwrap();
    let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
    let look = &looks[0];
    let mut binding = Binding::new(look.skin.clone(), world.body(look.body).unwrap()).unwrap();
    let (mut each, mut some) = (Drawn::default(), Drawn::default());
    let mut sum: Option<SkinUpdate> = None;
    let mut broke = 0;
    for frame in 0..30 {
        let update = binding.update(world.body(look.body).unwrap(), [0.0; 3]).clone();
        broke += usize::from(frame > 0 && !update.clusters.is_empty());
        each.apply(&update);
        match &mut sum {
            Some(sum) => sum.absorb(update),
            None => sum = Some(update),
        }
        if frame % 7 == 6 {
            some.apply(&sum.take().unwrap());
            assert!(some.evaluate() == each.evaluate(), "frame {frame}");
        }
        world.step(scene.dt());
    }
    assert!(broke > 2, "{broke} frames with cracks");
}
