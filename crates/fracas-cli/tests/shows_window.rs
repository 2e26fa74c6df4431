//! What the window shows. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_window -- --include-ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod screen;
mod shows;
#[path = "../../fracas-view/tests/twins/mod.rs"]
mod twins;

use fracas::glam::DVec3;
use fracas_scene::Scene;
use fracas_view::Gpu;
use screen::{Screen, assert_fine};
use serde_json::Value;
use shows::*;
use std::fs;
use std::path::{Path, PathBuf};

const SHOWS: Shows = Shows {
    open: &[],
    names: &[
        ("hands", false),
        ("device", false),
        ("whole_shatter", true),
        ("upload", true),
        ("readme", false),
    ],
};

/// Where the workspace is.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Nothing to draw on: figures that say so.
fn nowhere(name: &str) -> Vec<Row> {
    let mut row = Row::new(name, "no screen or driver".into(), "drawn".into(), false);
    row.excuse = Some("there is no Xvfb, or nothing to draw with".to_owned());
    vec![row]
}

/// Pixels as they are in a file.
fn pixels(path: &Path) -> Vec<[u8; 3]> {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let channels = info.color_type.samples();
    bytes.chunks_exact(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

/// Share of the pixels that two pictures of one size differ in by more than a shade.
fn differing(a: &Path, b: &Path) -> f64 {
    let (a, b) = (pixels(a), pixels(b));
    assert_eq!(a.len(), b.len(), "pictures of different size");
    let far = |(a, b): (&[u8; 3], &[u8; 3])| (0..3).any(|c| a[c].abs_diff(b[c]) > 24);
    a.iter().zip(&b).filter(|&pair| far(pair)).count() as f64 / a.len() as f64
}

fn number(report: &Value, key: &str) -> f64 {
    report[key].as_f64().unwrap_or(f64::NAN)
}

fn place(report: &Value, key: &str) -> DVec3 {
    let at = |k: usize| report[key][k].as_f64().unwrap_or(f64::NAN);
    DVec3::new(at(0), at(1), at(2))
}

// ---- everything a hand can do ----

/// Takes hold of the pot of `dozen`, shoots at what falls, makes everything weaker by a slider, lets a mesh go over the window.
const SCRIPT: &str = "\
timeout 300
wait idle
screenshot start.png
report facts.jsonl
move 59% 34%
press left
wait idle
move 45% 20%
steps 30
wait frames 30
screenshot held.png
report facts.jsonl
release left
click right 59% 60%
steps 12
wait frames 12
screenshot shot.png
report facts.jsonl
click left Play:20% Play:50%
click left Scenes:20% Scenes:50%
click left Material:20% Material:50%
wait draws 20
drag left strength:45% strength:50% strength:15% strength:50% 6
steps 2
wait frames 2
report facts.jsonl
drop bunny.obj
wait idle
steps 6
wait frames 6
screenshot dropped.png
report facts.jsonl
act {\"drop\":{\"file\":\"bunny.obj\",\"preset\":\"glass\",\"pieces\":1500,\"position\":[0,9,0],\"size\":1}}
wait draws 4
report facts.jsonl
wait idle
click left Look:20% Look:50%
window-screenshot window.png
wait idle
close";

#[test]
fn hands() {
    show(&SHOWS, "hands", || {
        let Some(screen) = Screen::open("shows-window") else {
            return nowhere("a script plays with dozen");
        };
        fs::copy(root().join("assets/bunny.obj"), screen.folder.join("bunny.obj")).unwrap();
        let arguments = ["dozen", "--paused", "--threads", "2", "--record", "played.jsonl"];
        assert_fine(&screen.play("1000x640", &arguments, SCRIPT));
        let mut rows = rows_of_hands(&screen);
        let replay = screen.program().args(["run", "--replay", "played.jsonl"]).output().unwrap();
        let said = String::from_utf8_lossy(&replay.stdout).lines().last().unwrap_or("").to_owned();
        rows.push(Row::new(
            "recording done again without a window: hashes",
            said,
            "the same".into(),
            replay.status.success(),
        ));
        rows
    });
}

fn rows_of_hands(screen: &Screen) -> Vec<Row> {
    let reports = screen.reports();
    let [start, held, shot, weaker, dropped, filling] = reports.as_slice() else {
        panic!("{} reports", reports.len())
    };
    let picture = |name: &str| screen.folder.join(name);
    let changed = |name: &str, a: &str, b: &str, least: f64| {
        Row::at_least(name, 100.0 * differing(&picture(a), &picture(b)), least, " %")
    };
    let away = place(held, "grabbed_point").distance(place(held, "grabbed_target"));
    let [strong, weak] = [start, weaker].map(|report| number(&report["material"], "strength"));
    let draws = number(filling, "draws") - number(dropped, "draws");
    vec![
        Row::at_least("grab: force of the hand", number(held, "grabbed_force"), 1.0, " N"),
        Row::at_most("grab: held point off the hand after 0.5 s", away, 0.5, " m"),
        Row::at_least(
            "grab: held point above the floor, where all else falls 1.2 m",
            place(held, "grabbed_point").y,
            1.5,
            " m",
        ),
        changed("grab: pixels of the view that change", "start.png", "held.png", 3.0),
        Row::at_least(
            "shot: bodies more",
            number(shot, "bodies") - number(held, "bodies"),
            1.0,
            "",
        ),
        changed("shot: pixels of the view that change", "held.png", "shot.png", 3.0),
        Row::at_most("slider: strength after, of that before", weak / strong, 0.5, ""),
        Row::at_least(
            "drop: bodies more",
            number(dropped, "bodies") - number(weaker, "bodies"),
            1.0,
            "",
        ),
        Row::at_least(
            "drop: particles more",
            number(dropped, "particles") - number(weaker, "particles"),
            40.0,
            "",
        ),
        changed("drop: pixels of the view that change", "shot.png", "dropped.png", 1.0),
        Row::new(
            "a mesh in 1,500 pieces is filled: the window is drawn meanwhile",
            format!("{draws} times while {} is built", filling["building"]),
            "≥ 4 times".into(),
            draws >= 4.0 && filling["building"] == "bunny.obj",
        ),
        Row::at_least(
            "dozen: pieces at the start, and now at least",
            number(dropped, "pieces"),
            number(start, "pieces") + 2.0,
            "",
        ),
    ]
}

// ---- skins on the device ----

fn equality(name: &str, frames: u32, every: u32) -> Vec<Row> {
    // no more than a browser has
    let Ok(gpu) = Gpu::open_as_webgl2() else { return nowhere(name) };
    let twins = twins::run(&gpu, name, frames, every);
    let row = |what: &str| format!("{name}, {} moments: {what}", twins.moments);
    vec![
        Row::told(&row("vertices"), twins.vertices.to_string()),
        Row::at_most(
            &row("vertices of device and processor apart"),
            twins.off[0].into(),
            1e-5,
            " m",
        ),
        Row::at_most(&row("open edges of what is read back"), twins.open as f64, 0.0, ""),
    ]
}

/// Two scenes, thinned.
#[test]
fn device() {
    show(&SHOWS, "device", || {
        [equality("pot", 24, 6), equality("pane", 24, 8)].into_iter().flatten().collect()
    });
}

/// From the first to the last frame, every one.
#[test]
#[ignore = "takes minutes"]
fn whole_shatter() {
    show(&SHOWS, "whole_shatter", || {
        let whole = |name: &str, every| {
            let frames = Scene::open(name).unwrap().frames();
            equality(name, frames.try_into().unwrap(), every)
        };
        [whole("pot", 1), whole("dozen", 10)].into_iter().flatten().collect()
    });
}

/// `fracas bench skin`.
#[test]
#[ignore = "measures time"]
fn upload() {
    show(&SHOWS, "upload", || {
        let _alone = MACHINE.write();
        let json = json_of(&["bench", "skin", "--json"], "skin.json");
        let row = |name: &str| {
            let rows = json["rows"].as_array().or(json.as_array()).unwrap();
            rows.iter().find(|row| row["name"] == name).cloned()
        };
        let Some(quiet) = row("skin-upload") else { return nowhere("upload of dozen") };
        let ms = |row: &Value| number(row, "ms_median");
        // the paper's
        let off = 100.0 * (number(&quiet, "size") / 479e3 - 1.0).abs();
        let mut rows = vec![
            Row::at_most("upload of dozen: vertices off 479,000", off, 5.0, " %"),
            Row::at_most("upload of dozen: processor time", ms(&quiet), 1.0, " ms"),
            Row::told("upload of dozen: bytes", quiet["facts"]["bytes"].to_string()),
        ];
        if let Some(cracked) = row("skin-upload-cracks") {
            rows.push(Row::told(
                "upload of dozen while it breaks: median, longest",
                format!("{:.2}, {:.2} ms", ms(&cracked), number(&cracked, "ms_max")),
            ));
        }
        rows
    });
}

// ---- the pictures of the README ----

/// The README shows the window, tells the command, and the command still makes that picture.
#[test]
fn readme() {
    show(&SHOWS, "readme", || {
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let told = readme.contains("docs/gallery/window.png")
            && readme.contains("--script docs/gallery/window.script");
        let told = Row::new(
            "README: shows the window and its command",
            if told { "both" } else { "not both" }.into(),
            "both".into(),
            told,
        );
        let Some(screen) = Screen::open("shows-readme") else { return vec![told] };
        let script = fs::read_to_string(root().join("docs/gallery/window.script")).unwrap();
        assert_fine(&screen.play("1200x760", &["dozen", "--paused"], &script));
        let new = screen.folder.join("window.png");
        let kept = root().join("docs/gallery/window.png");
        if std::env::var_os("UPDATE_GALLERY").is_some() {
            fs::copy(&new, &kept).unwrap();
        }
        let off = 100.0 * differing(&new, &kept);
        vec![told, Row::at_most("README: pixels of the window that changed", off, 5.0, " %")]
    });
}
