//! Skins on the graphics device against those of the processor, vertex by vertex, while things break.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")]

mod twins;

use fracas_scene::Scene;
use fracas_view::glam::DVec3;
use fracas_view::{Artist, Camera, CpuSkins, Gpu, Shown, Stage, Style};

/// A pot shatters; a bunny with its own surface; lattices; parts of fragments; tetrahedra, with their own surface and a finer
/// one. The device may do no more than WebGL2.
#[test]
fn the_device_puts_every_vertex_where_the_processor_does() {
    let gpu = Gpu::open_as_webgl2().unwrap();
    for (name, frames, every) in [
        ("pot", 24, 6),
        ("statuette", 12, 4),
        ("plates", 40, 8),
        ("bunnies", 40, 8),
        ("pane", 40, 8),
        ("stack", 12, 4),
        ("beach-ball-bunny", 20, 4),
    ] {
        let twins = twins::run(&gpu, name, frames, every);
        let [place, normal] = twins.off;
        assert_eq!(twins.open, 0, "{name}: open edges");
        assert!(place < 1e-5, "{name}: {place} m");
        assert!(normal < 1e-2, "{name}: {normal}");
    }
}

/// Glass, metal, wood, paint and what is inside look the same by both ways, also after several moments were taken in as one and
/// a body is gone.
#[test]
fn both_ways_draw_the_same_picture() {
    let text = r#"
title = "finishes"
format = 1
[materials]
oak = { preset = "oak", inside = { rings = 0.02 } }
steel = { preset = "steel" }
glass = { preset = "glass", youngs_modulus = 1e7, strength = 1e4, toughness = 1e3 }
[[bodies]]
name = "steel"
model = "rigid"
material = "steel"
shape = { kind = "sphere", radius = 0.1 }
position = [0.4, 0.1, 0.0]
[[bodies]]
name = "oak"
model = "rigid"
material = "oak"
shape = { kind = "block", size = [0.3, 0.2, 0.2] }
position = [0.0, 0.1, -0.3]
[[bodies]]
name = "glass"
material = "glass"
shape = { kind = "block", size = [0.25, 0.3, 0.1], tets = 800, fragments = 20 }
position = [0.0, 0.25, 0.0]
velocity = [0, -6, 0]
[[bodies]]
name = "painted"
material = "glass"
paint = { colour = [0.6, 0.1, 0.1], roughness = 0.3 }
shape = { kind = "block", size = [0.2, 0.2, 0.1], tets = 800, fragments = 20 }
position = [-0.35, 0.2, 0.0]
velocity = [0, -6, 0]
[[obstacles]]
kind = "half-space"
"#;
    let scene = Scene::parse("finishes.toml", text).unwrap();
    let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
    let mut stage = Stage::new(&world, looks).unwrap();
    let gpu = Gpu::open().unwrap();
    let mut cpu = CpuSkins::default();
    let (mut by_device, mut artist) = (Artist::new(gpu.clone()), Artist::new(gpu));
    let camera = Camera {
        eye: DVec3::new(0.4, 0.5, 1.2),
        target: DVec3::new(0.0, 0.1, 0.0),
        field_of_view: 0.8,
    };
    let mut compare = |shown: &Shown, when: &str| {
        let by_cpu = artist.draw(&cpu.drawing(shown), &camera, [320, 240]).unwrap();
        by_device.take(&shown.skins).unwrap();
        let picture = by_device.draw(&shown.drawing, &camera, [320, 240]).unwrap();
        let far = |a: &[u8; 4], b: &[u8; 4]| (0..3).any(|c| a[c].abs_diff(b[c]) > 24);
        let pairs = by_cpu.pixels.iter().zip(&picture.pixels);
        let off = pairs.filter(|(a, b)| far(a, b)).count();
        assert!(off < by_cpu.pixels.len() / 100, "{when}: {off} pixels differ");
    };
    let style = Style::default();
    compare(&stage.show(&world, &style, camera.target), "at the start");
    let mut sum = Shown::default();
    for _ in 0..12 {
        world.step(scene.dt());
        sum.absorb(stage.show(&world, &style, camera.target));
    }
    assert!(sum.skins.iter().any(|skin| !skin.update.clusters.is_empty()), "nothing broke");
    compare(&sum, "after twelve frames at once");
    let steel = world.body_ids().next().unwrap();
    world.remove(steel).unwrap();
    world.step(scene.dt());
    compare(&stage.show(&world, &style, camera.target), "without the first body");
}
