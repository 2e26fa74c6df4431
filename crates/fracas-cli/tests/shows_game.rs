//! What corotated tetrahedra that yield and tear show. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_game -- --include-ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "../../fracas/tests/common/brittle_figures.rs"]
mod brittle_figures;
#[path = "../../fracas/tests/common/game_figures.rs"]
mod figures;
mod shows;
#[path = "../../fracas/tests/common/tets.rs"]
mod tets;

use shows::*;
use std::process::Command;

const REBUILT: &str =
    "the coarse space is built anew for every crack, and lips that touch are solved without one";

const SHOWS: Shows = Shows {
    open: &[
        (
            "bar that bursts: energy that is won in a frame, of the first",
            "some 2e-8: elements store what f32 tells of them",
        ),
        ("W6, tearing bar of 6,000 tets: mean", REBUILT),
        ("W6, tearing bar of 6,000 tets: longest", REBUILT),
    ],
    names: &[
        ("ramp", false),
        ("flow", false),
        ("notch", false),
        ("grain", false),
        ("flight", false),
        ("gallery", false),
        ("speed", true),
        ("cracks", true),
        ("paper", true),
    ],
};

fn percent(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0).abs()
}

/// Bars are pulled by a force that grows.
#[test]
fn ramp() {
    show(&SHOWS, "ramp", || {
        let mut rows = Vec::new();
        for layers in [2, 4, 6] {
            let (share, pieces) = figures::ramped_bar(layers, 1e6);
            let row = format!("pulled bar of {layers} layers: first crack off strength times area");
            rows.push(Row::at_most(&row, percent(share), 10.0, " %"));
            let row = format!("pulled bar of {layers} layers: pieces in the end");
            rows.push(Row::at_least(&row, pieces as f64, 2.0, ""));
        }
        rows
    });
}

/// A bar is stretched by 4 %, let go, and stays longer.
#[test]
fn flow() {
    show(&SHOWS, "flow", || {
        let sets = [30.0, 60.0, 120.0].map(figures::plastic_set);
        let spread = sets.iter().fold(0.0f64, |most, set| most.max(percent(set / sets[1])));
        vec![
            Row::at_most(
                "plastic set at 60 Hz off (E ε − σ_Y)/(E + H)",
                percent(sets[1]),
                3.0,
                " %",
            ),
            Row::at_most("plastic set at 30 and 120 Hz off that at 60 Hz", spread, 3.0, " %"),
        ]
    });
}

/// A plate with a notch is pulled apart.
#[test]
fn notch() {
    show(&SHOWS, "notch", || {
        let found = figures::notched_plate(20);
        vec![
            Row::at_most(
                "notched plate: first face off the tip, cells",
                found.first_off_tip,
                1.5,
                "",
            ),
            Row::at_most(
                "notched plate: tear off the line of the notch, cells",
                found.off_line,
                1.0,
                "",
            ),
            Row::at_most("notched plate: mass off", found.mass, 1e-6, ""),
            Row::new(
                "notched plate: large pieces",
                found.halves.to_string(),
                "2".into(),
                found.halves == 2,
            ),
        ]
    });
}

/// The same beam with a grain and without.
#[test]
fn grain() {
    show(&SHOWS, "grain", || {
        let [(with, _), (without, _)] = [0.05, 1.0].map(figures::beam_faces);
        vec![Row::at_most(
            "beam with a grain: |n·d| of what opens, of that without one",
            with / without,
            0.8,
            "",
        )]
    });
}

/// A bar that spins bursts in flight, on 1, 2 and 3 threads.
#[test]
fn flight() {
    show(&SHOWS, "flight", || {
        let all = [1, 2, 3].map(figures::torn_in_flight);
        let worst = |of: &dyn Fn(&figures::Torn) -> f64| all.iter().map(of).fold(0.0, f64::max);
        let differ = all.iter().filter(|torn| torn.hash != all[0].hash).count();
        vec![
            Row::at_least("bar that bursts: pieces", all[0].pieces as f64, 2.0, ""),
            Row::at_most("bar that bursts: momentum off", worst(&|torn| torn.momentum), 1e-6, ""),
            Row::at_most(
                "bar that bursts: angular momentum off",
                worst(&|torn| torn.angular),
                1e-5,
                "",
            ),
            Row::at_most(
                "bar that bursts: energy that is won in a frame, of the first",
                worst(&|torn| torn.won),
                0.0,
                "",
            ),
            Row::at_most("bar that bursts: mass off", worst(&|torn| torn.mass), 1e-6, ""),
            Row::at_most(
                "bar that bursts: hashes that differ on 1, 2, 3 threads",
                differ as f64,
                0.0,
                "",
            ),
        ]
    });
}

/// Scenes of this model that break.
#[test]
fn gallery() {
    show(&SHOWS, "gallery", || {
        let wanted = ["wooden-beam", "steel-plate", "brick-wall", "pillar", "barn-door"];
        let scenes = fracas_scene::gallery();
        let there = wanted.iter().filter(|name| scenes.iter().any(|scene| scene.name == **name));
        vec![Row::at_least("gallery: scenes that yield and tear", there.count() as f64, 5.0, "")]
    });
}

/// A cantilever of 10,000 tetrahedra that yields, and a bar that tears.
#[test]
#[ignore = "times whole frames; run with --include-ignored in release"]
fn speed() {
    show(&SHOWS, "speed", || {
        let (bent, _) = figures::bending_times();
        let (torn, opened) = figures::tearing_times();
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let worst = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
        vec![
            Row::at_most("10,000 tets that yield, 1/60 s on 2 threads", mean(&bent), 4.0, " ms"),
            Row::at_least("W6, tearing bar of 6,000 tets: faces that open", opened as f64, 1.0, ""),
            Row::at_most("W6, tearing bar of 6,000 tets: mean", mean(&torn), 5.0, " ms"),
            Row::at_most("W6, tearing bar of 6,000 tets: longest", worst(&torn), 12.0, " ms"),
        ]
    });
}

/// Blocks burst until ten thousand faces have opened.
#[test]
#[ignore = "bursts dozens of blocks; run with --include-ignored in release"]
fn cracks() {
    show(&SHOWS, "cracks", || {
        let (opened, blocks) = figures::random_cracks(10_000);
        let row = "faces that opened at random, every body validated in every frame";
        vec![
            Row::at_least(row, opened as f64, 1e4, ""),
            Row::told("blocks in which they did", blocks.to_string()),
        ]
    });
}

/// What the notes define.
#[test]
#[ignore = "runs bars for seconds; run with --include-ignored in release"]
fn paper() {
    show(&SHOWS, "paper", || {
        let file = std::env::temp_dir().join(format!("fracas-003-{}.json", std::process::id()));
        let program = env!("CARGO_BIN_EXE_fracas");
        let run =
            Command::new(program).args(["paper", "003", "--json"]).arg(&file).output().unwrap();
        assert!([Some(0), Some(4)].contains(&run.status.code()), "{run:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows = value.as_array().unwrap();
        let holding = rows.iter().filter(|row| row["holds"].as_bool() == Some(true)).count();
        vec![
            Row::at_least("paper 003: rows", rows.len() as f64, 6.0, ""),
            Row::at_least("paper 003: rows that hold", holding as f64, rows.len() as f64, ""),
        ]
    });
}
