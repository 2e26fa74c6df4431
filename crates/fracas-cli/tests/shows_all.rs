//! What all models show together. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_all -- --include-ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "../../fracas/tests/common/blades.rs"]
mod blades;
#[path = "../../fracas/tests/common/blocks.rs"]
#[allow(dead_code, reason = "each test file uses some of it")]
mod blocks;
#[path = "../../fracas/tests/common/sheets.rs"]
mod sheets;
mod shows;

use blades::{KINDS, Kind};
use fracas::WorldConfig;
use fracas::glam::DVec3;
use fracas_scene::Scene;
use shows::*;
use std::process::Command;
use std::time::Instant;

const SHOWS: Shows = Shows {
    open: OPEN,
    names: &[
        ("flight", false),
        ("together", true),
        ("compare", true),
        ("papers", true),
        ("halves", false),
        ("shapes", false),
        ("strokes", true),
    ],
};

/// Rows that miss their bound today, each with the reason.
const OPEN: &[(&str, &str)] = &[
    (
        "all-together: speed after 10 s",
        "balls roll on: there is no rolling resistance, and nothing in the way of the one that was shot",
    ),
    (
        "all-together, 2 threads: mean of 600 frames",
        "three times too long: contacts of some 500 pieces are looked for and solved in every substep, islands of several models by the solver of what is touched",
    ),
];

const TOGETHER: &str = include_str!("../../../scenes/all-together.toml");

// ---- one world ----

/// All models in one scene, for 10 s, on one, two and three threads.
#[test]
#[ignore = "takes minutes; run with --include-ignored in release"]
fn together() {
    show(&SHOWS, "together", || {
        let scene = Scene::open("all-together").unwrap();
        let mut hashes: Vec<Vec<u64>> = Vec::new();
        let (mut speed, mut lost, mut ms) = (0.0, 0, Vec::new());
        for threads in [2, 1, 3] {
            let mut world = scene.build(threads).unwrap();
            let mut found = Vec::new();
            for _ in 0..600 {
                let start = Instant::now();
                let report = world.step(scene.dt());
                if threads == 2 {
                    ms.push(1e3 * start.elapsed().as_secs_f64());
                    lost += report.quarantined;
                    speed = f64::from(report.max_speed);
                }
                found.push(report.hash);
            }
            world.validate();
            hashes.push(found);
        }
        let mean = ms.iter().sum::<f64>() / ms.len() as f64;
        let longest = ms.iter().copied().fold(0.0, f64::max);
        let differ = hashes.iter().filter(|found| **found != hashes[0]).count();
        vec![
            Row::at_most("all-together: pieces that are no numbers", lost as f64, 0.0, ""),
            Row::at_most(
                "all-together: hashes on 1 and 3 threads that differ",
                differ as f64,
                0.0,
                "",
            ),
            Row::at_most("all-together: speed after 10 s", 100.0 * speed, 5.0, " cm/s"),
            Row::at_most("all-together, 2 threads: mean of 600 frames", mean, 1e3 / 60.0, " ms"),
            Row::told("all-together, 2 threads: longest frame", format!("{} ms", short(longest))),
        ]
    });
}

/// The scene without what would take momentum: ground, grips, gravity.
fn in_flight() -> Scene {
    let part = |text: &&str| !text.starts_with("grips]]") && !text.starts_with("obstacles]]");
    let parts: Vec<&str> = TOGETHER.split("[[").filter(part).collect();
    let text = parts.join("[[").replace("[world]\n", "[world]\ngravity = [0, 0, 0]\n");
    Scene::parse("in-flight", &text).unwrap()
}

/// The same bodies where nothing holds them: what they have of momentum they keep, whatever breaks.
#[test]
fn flight() {
    show(&SHOWS, "flight", || {
        let scene = in_flight();
        let config = WorldConfig { threads: 2, ..scene.world_config() };
        let mut world = scene.build_with(config).unwrap();
        let momentum = |of: [f64; 3]| DVec3::from(of);
        let mut first = None;
        let (mut off, mut pieces) = (0.0f64, 0);
        for _ in 0..40 {
            let report = world.step(scene.dt());
            let now = momentum(report.momentum);
            let start = *first.get_or_insert(now);
            off = off.max(now.distance(start) / start.length());
            pieces = report.pieces;
        }
        vec![
            Row::at_least("all models in flight: pieces after 40 frames", pieces as f64, 20.0, ""),
            Row::at_most("all models in flight: momentum off", off, 1e-5, ""),
        ]
    });
}

/// What `fracas compare` promises of every model.
#[test]
#[ignore = "takes minutes; run with --include-ignored in release"]
fn compare() {
    show(&SHOWS, "compare", || {
        let path = std::env::temp_dir().join(format!("fracas-all-{}.csv", std::process::id()));
        let mut program = Command::new(env!("CARGO_BIN_EXE_fracas"));
        let output = program.args(["compare", "uniaxial", "ramp", "--csv"]).arg(&path);
        let output = output.output().unwrap();
        assert!(path.exists(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut rows = Vec::new();
        for line in text.lines().skip(1) {
            // the name of a figure is in quotes, and may have a comma in it
            let cells: Vec<&str> = line.split('"').collect();
            let numbers: Vec<&str> = cells[2].split(',').skip(1).collect();
            let [measured, theory] = [0, 1].map(|k| numbers[k].parse::<f64>().unwrap());
            let Ok(within) = numbers[2].parse::<f64>() else { continue };
            let name = format!("{}{}, of theory", cells[0].replace(',', ", "), cells[1]);
            let off = 100.0 * (measured / theory - 1.0).abs();
            rows.push(Row::at_most(&format!("compare: {name}: off"), off, 100.0 * within, " %"));
        }
        rows
    });
}

/// Rows of `fracas paper`, one per figure or table entry of a text.
#[test]
#[ignore = "runs all scenes of the texts; run with --include-ignored in release"]
fn papers() {
    show(&SHOWS, "papers", || {
        let mut rows = Vec::new();
        for (seed, least) in
            [("000", 8.0), ("001", 14.0), ("002", 10.0), ("003", 6.0), ("004", 6.0)]
        {
            let path =
                std::env::temp_dir().join(format!("fracas-{seed}-{}.json", std::process::id()));
            // it ends with 4 where a claim is open
            let mut program = Command::new(env!("CARGO_BIN_EXE_fracas"));
            program.args(["paper", seed, "--json"]).arg(&path).output().unwrap();
            let told: Vec<serde_json::Value> =
                serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            std::fs::remove_file(&path).unwrap();
            let holding = told.iter().filter(|row| row["holds"] == true).count();
            let unexplained =
                told.iter().filter(|row| row["how"].as_str().is_none_or(str::is_empty));
            let name = |what: &str| format!("paper {seed}: {what}");
            rows.push(Row::at_least(&name("rows"), told.len() as f64, least, ""));
            rows.push(Row::told(&name("of these hold"), holding.to_string()));
            let unexplained = unexplained.count() as f64;
            rows.push(Row::at_most(&name("rows without a word on how"), unexplained, 0.0, ""));
        }
        rows
    });
}

// ---- blades ----

/// Blocks of every model are cut in two by twelve planes.
#[test]
fn halves() {
    show(&SHOWS, "halves", || {
        let mut rows = Vec::new();
        for kind in KINDS {
            let cuts: Vec<_> =
                (1..=12).map(|k| blades::halves(kind, 0x9e37_79b9_7f4a_7c15 >> k)).collect();
            let two = cuts.iter().filter(|cut| cut.pieces == 2).count();
            let row =
                format!("block of {} cut by a plane: of 12, those in two pieces", kind.name());
            rows.push(Row::at_least(&row, two as f64, 12.0, ""));
            let off = 100.0 * cuts.iter().map(|cut| cut.off).fold(0.0, f64::max);
            let row = format!("block of {} cut by a plane: mass of a piece off", kind.name());
            rows.push(match kind {
                Kind::Remeshed => Row::at_most(&row, off, 1.0, " %"),
                Kind::Sheet => Row::at_most(&row, off, 0.1, " %"),
                _ => Row::told(&row, format!("{} %", short(off))),
            });
        }
        rows
    });
}

/// What twenty random strokes leave.
#[test]
fn shapes() {
    show(&SHOWS, "shapes", || {
        let of = |kind: Kind| blades::after_strokes(kind, 20);
        let [tets, sheet] = [Kind::Remeshed, Kind::Sheet].map(of);
        vec![
            Row::at_least("20 strokes: smallest angle of a sheet", sheet.0, 10.0, "°"),
            Row::told(
                "20 strokes: smallest dihedral angle of tetrahedra",
                format!("{}°", short(tets.0)),
            ),
            Row::new("20 strokes: closed surfaces", tets.1.to_string(), "true".into(), tets.1),
        ]
    });
}

/// 10⁵ strokes over all models, every one followed by `validate`.
#[test]
#[ignore = "takes minutes; run with --include-ignored in release"]
fn strokes() {
    show(&SHOWS, "strokes", || {
        let mut rows = Vec::new();
        let mut count = 0;
        for kind in KINDS {
            let found = blades::strokes(kind, 16_700, 20, 0x1234_5678_9abc_def1);
            count += found.count;
            let row = format!("strokes through blocks of {}: mass off", kind.name());
            rows.push(Row::at_most(&row, found.off[0], 1e-7, ""));
            let row = format!("strokes through blocks of {}: momentum off, per kg", kind.name());
            rows.push(Row::at_most(&row, found.off[1].max(found.off[2]), 1e-6, ""));
            let row = format!("strokes through blocks of {}: that cut", kind.name());
            rows.push(Row::told(&row, format!("{} of {}", found.cuts, found.count)));
        }
        rows.push(Row::at_least("random strokes, validated after each", count as f64, 1e5, ""));
        rows
    });
}
