//! Scenes of the gallery as they are drawn: against stored pictures, and against what must be in them.
//!
//! `UPDATE_PICTURES=1 cargo test -p fracas-view --test scenes` stores what is drawn now; look at it
//! before it is kept.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")]

use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock};

use fracas::World;
use fracas_scene::{Look, Scene};
use fracas_view::glam::DVec3;
use fracas_view::{
    Artist, Camera, Colour, CpuSkins, Drawing, Framing, Gpu, Overlays, Picture, Quantity, Scale,
    Stage, Style,
};

const SIZE: [u32; 2] = [320, 180];

fn artist() -> MutexGuard<'static, Artist> {
    static ARTIST: OnceLock<Mutex<Artist>> = OnceLock::new();
    let made = ARTIST.get_or_init(|| Mutex::new(Artist::new(Gpu::open().unwrap())));
    made.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn build(scene: &Scene) -> (World, Vec<Look>) {
    scene.build_looks(scene.world_config()).unwrap()
}

/// A scene after so many frames, from its own camera.
fn draw(name: &str, frames: u32, style: &Style) -> Picture {
    let scene = Scene::open(name).unwrap();
    let (mut world, looks) = build(&scene);
    let mut stage = Stage::new(&world, looks).unwrap();
    for _ in 0..frames {
        world.step(scene.dt());
    }
    let camera = Camera::from(scene.camera().unwrap());
    let drawing = CpuSkins::default().drawing(&stage.show(&world, style, camera.target));
    artist().draw(&drawing, &camera, SIZE).unwrap()
}

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{name}.png"))
}

fn read(path: &Path) -> Picture {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
    Picture { size: [info.width, info.height], pixels }
}

/// Drivers round differently: on edges a pixel may have a sample more or less. So at most 1 % of the
/// pixels may differ by more than 16 of 255, and the mean by 0.5.
fn compare(name: &str, picture: &Picture) {
    let path = stored(name);
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, picture.to_png().unwrap()).unwrap();
        return;
    }
    let wanted = read(&path);
    assert_eq!(picture.size, wanted.size);
    let differences = picture
        .pixels
        .iter()
        .zip(&wanted.pixels)
        .map(|(a, b)| (0..3).map(|k| u32::from(a[k].abs_diff(b[k]))).max().unwrap());
    let (mut off, mut sum) = (0, 0);
    for difference in differences {
        off += usize::from(difference > 16);
        sum += difference;
    }
    let count = picture.pixels.len();
    let mean = f64::from(sum) / count as f64;
    if off * 100 > count || mean > 0.5 {
        let seen = std::env::temp_dir().join(format!("fracas-{name}.png"));
        std::fs::write(&seen, picture.to_png().unwrap()).unwrap();
        panic!("{off} of {count} pixels differ, {mean} in the mean; drawn now: {}", seen.display());
    }
}

/// Frame 0, so that only what is drawn matters and not what is simulated.
#[test]
fn scenes_look_as_they_did() {
    let overlays =
        |particles, bonds, tets| Overlays { particles, bonds, tets, ..Overlays::default() };
    let style = |colour, overlays| Style { colour, overlays, ..Style::default() };
    compare("first-steps", &draw("first-steps", 0, &Style::default()));
    compare("drop-gear", &draw("drop-gear", 0, &Style::default()));
    let inside = style(Colour::Body, overlays(true, true, false));
    compare("falling-bar-inside", &draw("falling-bar", 0, &inside));
    let tets = style(Colour::Material, overlays(false, false, true));
    compare("drop-glass-tets", &draw("drop-glass", 0, &tets));
}

/// How many pixels something covers that is missing in the other picture.
fn covered(picture: &Picture, bare: &Picture) -> usize {
    let pairs = picture.pixels.iter().zip(&bare.pixels);
    pairs.filter(|(a, b)| (0..3).any(|k| a[k].abs_diff(b[k]) > 24)).count()
}

/// Shares of pixels for which something holds.
fn share(picture: &Picture, holds: impl Fn([i32; 3]) -> bool) -> f64 {
    let is = |p: &&[u8; 4]| holds([p[0], p[1], p[2]].map(i32::from));
    picture.pixels.iter().filter(is).count() as f64 / picture.pixels.len() as f64
}

/// Jelly is red, oak is yellow-brown, rubber is near black, steel is light; none covers everything.
#[test]
fn all_materials_of_first_steps_are_seen() {
    let picture = draw("first-steps", 0, &Style::default());
    let red = share(&picture, |[r, g, b]| r > g + 60 && r > b + 60);
    let brown = share(&picture, |[r, g, b]| r > b + 50 && g > b + 15 && r - g < 60);
    let black = share(&picture, |[r, g, b]| r + g + b < 190);
    for (what, share) in [("jelly", red), ("oak", brown), ("rubber", black)] {
        assert!((0.001..0.2).contains(&share), "{what} covers {share} of the picture");
    }
}

/// A ball of particles is drawn as the ball it stands for, however coarse.
#[test]
fn the_skin_of_a_ball_covers_the_disc_of_the_ball() {
    let text = r#"
title = "a ball"
format = 1
[world]
gravity = [0, 0, 0]
[materials]
jelly.preset = "gelatine"
[[bodies]]
name = "ball"
material = "jelly"
shape = { kind = "sphere", radius = 0.3, particles = 120 }
position = [500.0, 2.0, 1.0]
"#;
    let scene = Scene::parse("ball.toml", text).unwrap();
    let (world, looks) = build(&scene);
    let mut stage = Stage::new(&world, looks).unwrap();
    let target = DVec3::new(500.0, 2.0, 1.0);
    let camera = Camera { eye: target + 2.0 * DVec3::Z, target, field_of_view: 0.5 };
    let drawing =
        CpuSkins::default().drawing(&stage.show(&world, &Style::default(), camera.target));
    let picture = artist().draw(&drawing, &camera, SIZE).unwrap();
    let sky = artist().draw(&Drawing::default(), &camera, SIZE).unwrap();
    let covered = covered(&picture, &sky) as f64;
    let disc = 90.0 / 0.25_f64.tan() * (0.3 / 2.0_f64).asin().tan();
    let area = PI * disc * disc;
    assert!((covered / area - 1.0).abs() < 0.03, "{covered} pixels instead of {area}");
}

/// A camera that finds its own place has all bodies in the picture, and the ground they fall onto.
#[test]
fn framing_sees_the_fall() {
    let scene = Scene::open("drop-bunny").unwrap();
    let (mut world, looks) = build(&scene);
    let mut stage = Stage::new(&world, looks).unwrap();
    let mut framing = Framing::default();
    for _ in 0..40 {
        framing.include(&world);
        world.step(scene.dt());
    }
    let camera = framing.camera(320.0 / 180.0);
    let drawing =
        CpuSkins::default().drawing(&stage.show(&world, &Style::default(), camera.target));
    let bare = Drawing { vertices: vec![], triangles: vec![], ..drawing.clone() };
    let mut artist = artist();
    let picture = artist.draw(&drawing, &camera, SIZE).unwrap();
    let bare = artist.draw(&bare, &camera, SIZE).unwrap();
    let inner = |p: &Picture| {
        let rows = p.pixels.chunks_exact(320).skip(2).take(176);
        Picture { size: [316, 176], pixels: rows.flat_map(|row| row[2..318].to_vec()).collect() }
    };
    let within = covered(&inner(&picture), &inner(&bare));
    assert_eq!(within, covered(&picture, &bare), "it reaches the edge of the picture");
    assert!(within > 320 * 180 / 12, "{within} pixels");
}

/// Strain is dark at rest; pulled apart, the bar lights up to the share of the scale it should.
#[test]
fn strain_lights_up() {
    let style = Style {
        colour: Colour::Scale(Scale { of: Quantity::Strain, full: Some(0.05) }),
        ..Style::default()
    };
    let dark = |[r, g, b]: [i32; 3]| b > g + 20 && r + g < 190;
    let rest = share(&draw("uniaxial", 0, &style), dark);
    assert!(rest > 0.01, "{rest} of the picture is dark at rest");
    let pulled = draw("uniaxial", 300, &style);
    let bright = share(&pulled, |[r, g, b]| r > b + 60 && g > b + 60);
    assert!(bright > 0.5 * rest, "{bright} of the picture is bright, {rest} was dark");
}

/// Before a cut a body has one colour, after it each piece has its own.
#[test]
fn pieces_have_their_own_colours() {
    let scene = Scene::open("drop-nut").unwrap();
    let (mut world, looks) = build(&scene);
    let mut stage = Stage::new(&world, looks).unwrap();
    let style = Style { colour: Colour::Piece, ..Style::default() };
    let mut skins = CpuSkins::default();
    let mut paints = |stage: &mut Stage, world: &World| {
        let drawing = skins.drawing(&stage.show(world, &style, DVec3::ZERO));
        let mut paints: Vec<_> = drawing.vertices.iter().map(|vertex| vertex.paint).collect();
        paints.sort_unstable();
        paints.dedup();
        (paints.len(), drawing.triangles.len())
    };
    let (colours, whole) = paints(&mut stage, &world);
    assert_eq!(colours, 1);
    let id = world.body_ids().next().unwrap();
    let body = world.body(id).unwrap();
    let mean =
        body.rest_positions().iter().map(|x| x[0]).sum::<f32>() / body.particle_count() as f32;
    let left: Vec<_> = body
        .particle_ids()
        .iter()
        .zip(body.rest_positions())
        .filter(|(_, x)| x[0] < mean)
        .map(|(id, _)| *id)
        .collect();
    let across: Vec<_> =
        body.bonds().filter(|[a, b]| left.contains(a) != left.contains(b)).collect();
    for [a, b] in across {
        world.cut(id, a, b).unwrap();
    }
    world.step(scene.dt());
    let pieces = world.body(id).unwrap().pieces().len();
    let (colours, open) = paints(&mut stage, &world);
    assert!(pieces >= 2 && colours == pieces, "{colours} colours of {pieces} pieces");
    assert!(open > whole, "the cut shows no inside");
}
