//! What pictures show. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_pictures -- --include-ignored --nocapture
//! ```
//!
//! With `UPDATE_GALLERY=1` the pictures of the gallery are drawn anew; look at them before they are
//! kept. The row on an empty Debian root needs root, debootstrap and `FRACAS_EMPTY_DEBIAN=FOLDER`, see
//! `tests/empty-debian`.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod shows;

use cpu_time::ProcessTime;
use fracas::WorldConfig;
use fracas::material::{Material, presets};
use fracas::world::{BodyDesc, ShapeDesc, World};
use fracas_mesh::generate::{self, Sampling, surfaces};
use fracas_mesh::skin;
use fracas_scene::Look;
use fracas_view::{Artist, CpuSkins, Framing, Gpu, Stage, Style};
use shows::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const SHOWS: Shows = Shows {
    open: &[],
    names: &[
        ("gallery", false),
        ("gallery_is_true", true),
        ("cost", false),
        ("empty_debian", true),
    ],
};

/// Four moments of each scene.
const MOMENTS: [(&str, &str); 67] = [
    ("first-steps", "0,28,60,110"),
    ("falling-bar", "0,24,34,600"),
    ("hanging-bar", "0,20,40,600"),
    ("twist", "0,60,120,170"),
    ("uniaxial", "0,60,120,300"),
    ("free-spin", "0,6,12,18"),
    ("drop-bunny", "0,14,22,600"),
    ("drop-spot", "0,20,50,600"),
    ("drop-gear", "0,16,24,600"),
    ("drop-nut", "0,16,24,600"),
    ("drop-glass", "0,10,18,600"),
    ("drop-panel", "0,22,28,600"),
    ("soft-bunnies", "0,16,22,60"),
    ("heap", "0,40,80,360"),
    ("shot", "8,11,14,60"),
    ("pile", "0,30,60,300"),
    ("dominoes", "0,40,80,160"),
    ("press", "0,60,120,180"),
    ("incline", "0,40,80,160"),
    ("terrain", "0,30,60,300"),
    ("twisted-bars", "0,60,120,360"),
    ("plates", "0,4,7,60"),
    ("bunnies", "0,6,14,40"),
    ("dozen", "30,56,80,300"),
    ("pot", "0,5,12,200"),
    ("statuette", "0,3,6,170"),
    ("through", "8,12,24,60"),
    ("pane", "2,4,8,140"),
    ("chain", "0,50,85,140"),
    ("crumple", "0,8,16,240"),
    ("crash", "0,8,14,60"),
    ("gelatine", "0,8,16,300"),
    ("beach-ball-bunny", "0,16,22,45"),
    ("stack", "0,10,22,360"),
    ("struck-monolith", "2,14,30,119"),
    ("strained-block", "0,60,130,179"),
    ("falling-bunny", "3,8,20,179"),
    ("broken-ring", "2,7,20,119"),
    ("dropped-plate", "4,8,14,119"),
    ("stone-column", "0,80,112,239"),
    ("figure-8", "2,6,20,119"),
    ("wine-glass", "3,8,14,119"),
    ("window-pane", "0,2,4,40"),
    ("wooden-beam", "20,100,140,179"),
    ("steel-plate", "30,70,110,179"),
    ("brick-wall", "3,8,20,149"),
    ("pillar", "20,60,100,179"),
    ("barn-door", "2,10,24,119"),
    ("hanging-slab", "0,30,60,100"),
    ("hanging-slab-strands", "0,30,60,100"),
    ("peel", "0,300,500,800"),
    ("thread", "0,150,250,400"),
    ("shear", "0,200,400,600"),
    ("muscle", "0,200,350,500"),
    ("fibre-states", "0,200,300,450"),
    ("plastic-tear", "0,200,300,450"),
    ("rope", "0,200,400,550"),
    ("membrane", "0,70,110,200"),
    ("wound", "0,120,200,350"),
    ("canvas-cut", "60,120,190,239"),
    ("tet-cut", "30,100,112,200"),
    ("sheet", "0,90,150,239"),
    ("paper", "0,30,45,60"),
    ("flag-shot", "76,82,88,239"),
    ("foil", "0,60,100,239"),
    ("tent", "30,132,150,239"),
    ("all-together", "2,8,14,120"),
];

/// Scenes drawn with a colour for every piece.
const IN_PIECES: [&str; 1] = ["figure-8"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn stored(scene: &str) -> PathBuf {
    root().join(format!("docs/gallery/{scene}.png"))
}

/// Every scene has its picture and its sentence.
#[test]
fn gallery() {
    show(&SHOWS, "gallery", || {
        let scenes: Vec<&str> = fracas_scene::gallery().iter().map(|entry| entry.name).collect();
        let page = fs::read_to_string(root().join("docs/gallery/README.md")).unwrap();
        let told = |scene: &&&str| {
            stored(scene).exists()
                && MOMENTS.iter().any(|(name, at)| name == *scene && at.split(',').count() == 4)
                && page.contains(&format!("({scene}.png)"))
        };
        let (count, all) = (scenes.iter().filter(told).count(), scenes.len());
        let figure = format!("{count} of {all}");
        vec![Row::new(
            "scenes with four moments and a sentence in the gallery",
            figure,
            "all".into(),
            count == all,
        )]
    });
}

/// Drawn anew, the pictures of the gallery are those that are there.
#[test]
#[ignore = "runs all scenes; run with --include-ignored in release"]
fn gallery_is_true() {
    show(&SHOWS, "gallery_is_true", || {
        let same = |(scene, at): &&(&str, &str)| {
            let file =
                std::env::temp_dir().join(format!("fracas-{}-{scene}.png", std::process::id()));
            let path = file.to_str().unwrap();
            let colour = if IN_PIECES.contains(scene) { "piece" } else { "material" };
            let size = "480x270";
            program(&["film", scene, "--at", at, "--size", size, "--colour", colour, "-o", path]);
            if std::env::var_os("UPDATE_GALLERY").is_some() {
                fs::copy(&file, stored(scene)).unwrap();
            }
            let off = differing(&file, &stored(scene));
            fs::remove_file(&file).unwrap();
            off < 0.01
        };
        let count = MOMENTS.iter().filter(same).count();
        let figure = format!("{count} of {}", MOMENTS.len());
        vec![Row::new(
            "gallery pictures drawn anew, ≤ 1 % of pixels off",
            figure,
            "all".into(),
            count == MOMENTS.len(),
        )]
    });
}

/// The share of pixels that differ by more than 16 of 255; all, if the sizes do.
fn differing(a: &Path, b: &Path) -> f64 {
    let read = |path: &Path| {
        let file = std::io::BufReader::new(fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        ([info.width, info.height], bytes)
    };
    let ((size, a), (other, b)) = (read(a), read(b));
    if size != other {
        return 1.0;
    }
    let off = a.chunks_exact(4).zip(b.chunks_exact(4));
    let off = off.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 16)).count();
    off as f64 / f64::from(size[0] * size[1])
}

/// Processor time from nothing to the bytes of the file: finding the device, making the pipelines,
/// binding and moving the skin, drawing, reading back, packing.
fn seconds_of_picture(segments: u32, sides: u32) -> (usize, bool, f64) {
    let ring = generate::torus(0.3, 0.1, &Sampling::count(1000)).unwrap();
    let surface = surfaces::torus(0.3, 0.1, segments, sides).unwrap();
    let skin = Arc::new(skin::of_surface(&surface, &ring));
    let vertices = skin.vertices.len();
    let mut world = World::new(WorldConfig::default()).unwrap();
    let jelly = Material::try_from(&presets::gelatine()).unwrap();
    let body = world.spawn(BodyDesc::new("ring", ShapeDesc::Oriented(ring), vec![jelly])).unwrap();
    world.step(1.0 / 60.0);

    let start = ProcessTime::now();
    let gpu = Gpu::open().unwrap();
    let software = gpu.is_cpu();
    let mut artist = Artist::new(gpu);
    let mut stage = Stage::new(&world, vec![Look { body, skin, paint: None }]).unwrap();
    let mut framing = Framing::default();
    framing.include(&world);
    let camera = framing.camera(1280.0 / 720.0);
    let drawing =
        CpuSkins::default().drawing(&stage.show(&world, &Style::default(), camera.target));
    let picture = artist.draw(&drawing, &camera, [1280, 720]).unwrap();
    assert!(picture.to_png().unwrap().len() > 10_000);
    (vertices, software, start.elapsed().as_secs_f64())
}

#[test]
fn cost() {
    let _alone = MACHINE.write().unwrap();
    show(&SHOWS, "cost", || {
        let row = |segments, sides, bound| {
            let (vertices, software, seconds) = seconds_of_picture(segments, sides);
            let adapter = if software { "software adapter" } else { "graphics card" };
            let name = format!("picture of {vertices} vertices, 1280 × 720, {adapter}: CPU time");
            Row::at_most(&name, seconds, bound, " s")
        };
        vec![row(60, 40, 3.0), row(400, 250, 30.0)]
    });
}

/// The README's two commands, from nothing but rustup and git.
#[test]
#[ignore = "builds everything in an empty Debian root, an hour; run with --include-ignored in release, FRACAS_EMPTY_DEBIAN=FOLDER"]
fn empty_debian() {
    show(&SHOWS, "empty_debian", || {
        let name = "empty Debian root: both commands of the README";
        let Some(folder) = std::env::var_os("FRACAS_EMPTY_DEBIAN") else {
            let mut row = Row::new(name, "–".into(), "all as it must".into(), false);
            row.excuse = Some("FRACAS_EMPTY_DEBIAN names no folder for it".into());
            return vec![row];
        };
        let script = root().join("tests/empty-debian");
        let output = Command::new(script).arg(folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let figures: Vec<&str> = said.lines().filter(|line| line.contains(": exit ")).collect();
        println!("{said}");
        let right = figures.iter().filter(|line| line.trim_start().starts_with("right")).count();
        let figure = format!("{right} of {} as it must", figures.len());
        vec![Row::new(name, figure, "all".into(), output.status.success())]
    });
}
