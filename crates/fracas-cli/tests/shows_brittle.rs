//! What brittle bodies show. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_brittle -- --include-ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "../../fracas/tests/common/brittle_figures.rs"]
mod figures;
mod shows;
#[path = "../../fracas/tests/common/tets.rs"]
mod tets;

use fracas::material::MaterialField;
use fracas_scene::Scene;
use shows::*;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const RUBBLE: &str = "pairs of faces are looked for in every substep, and pieces of an island are settled one after the other";
const CRACKING: &str = "what cracks takes 100 ms of one thread in a frame: contacts 25, solves 40, of that coarse spaces built anew 13, cracks 27";

const SHOWS: Shows = Shows {
    open: &[
        ("falling-bunny that holds, 2 threads: mean", RUBBLE),
        ("falling-bunny, 2 threads: mean", RUBBLE),
        ("falling-bunny: 99 of 100 of these over it", CRACKING),
        ("falling-bunny: the longest over it", CRACKING),
    ],
    names: &[
        ("bending", false),
        ("notch", false),
        ("hanging", false),
        ("spin", false),
        ("flight", false),
        ("oracle", false),
        ("rupture", true),
        ("bounds", true),
        ("broyden", false),
        ("threads", false),
        ("gallery", false),
        ("speed", true),
        ("paper", true),
    ],
};

fn percent(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0).abs()
}

// ---- truth ----

/// Bars of 4, 6 and 8 layers are bent between two supports until they crack.
#[test]
fn bending() {
    show(&SHOWS, "bending", || {
        let mut rows = Vec::new();
        for layers in [4, 6, 8] {
            let figures::Bending { load, off_middle, off_face } = figures::bending(layers);
            let row = |what: &str| format!("bent bar of {layers} layers: {what}");
            rows.push(Row::at_most(
                &row("load of the first crack off beam theory"),
                percent(load),
                10.0,
                " %",
            ));
            rows.push(Row::at_most(
                &row("first crack off the middle, of the span"),
                100.0 * off_middle,
                100.0 / 6.0,
                " %",
            ));
            // within the outermost layer
            rows.push(Row::at_most(
                &row("first crack off the stretched face, of the height"),
                100.0 * off_face,
                100.0 / layers as f64,
                " %",
            ));
        }
        rows
    });
}

/// Plates with a notch in one edge are pulled until it grows.
#[test]
fn notch() {
    show(&SHOWS, "notch", || {
        let mut rows = Vec::new();
        for cells in [10, 20, 30] {
            let figures::Notch { grows, parts, off_tip } = figures::notch(cells);
            let row = |what: &str| format!("notched plate of {cells} cells: {what}");
            for (what, stress) in [("its notch grows", grows), ("it is in two", parts)] {
                rows.push(Row::at_most(
                    &row(&format!("stress at which {what} off K_c/(Y √(π a))")),
                    percent(stress),
                    15.0,
                    " %",
                ));
            }
            rows.push(Row::told(
                &row("first face off the tip, of the notch"),
                format!("{} %", short(100.0 * off_tip)),
            ));
        }
        rows
    });
}

/// A bar hangs and gets weaker.
#[test]
fn hanging() {
    show(&SHOWS, "hanging", || {
        let figures::Hanging { place, strength } = figures::hanging();
        vec![
            Row::at_most(
                "hanging bar: first crack below its support, of its length",
                100.0 * place,
                10.0,
                " %",
            ),
            Row::told("hanging bar: strength at the first crack, of ρ g L", short(strength)),
        ]
    });
}

/// A bar spins.
#[test]
fn spin() {
    show(&SHOWS, "spin", || {
        vec![Row::at_most(
            "spinning bar: stress in its middle off ρ ω² L²/8",
            percent(figures::stress_of_spin()),
            5.0,
            " %",
        )]
    });
}

/// A block tumbles, and one breaks by its spin.
#[test]
fn flight() {
    show(&SHOWS, "flight", || {
        let mut rows = Vec::new();
        for (strength, name) in [(f32::INFINITY, "whole"), (1e5, "broken by its spin")] {
            let figures::Flight { pieces, momentum, angular } = figures::flight(strength);
            let row = |what: &str| format!("2 s of flight, {name}: {what}");
            rows.push(Row::told(&row("pieces"), pieces.to_string()));
            rows.push(Row::at_most(&row("momentum off"), momentum, 1e-6, ""));
            rows.push(Row::at_most(&row("angular momentum off"), angular, 1e-5, ""));
        }
        rows
    });
}

/// 10⁵ faces open.
#[test]
fn oracle() {
    show(&SHOWS, "oracle", || {
        let mut rows = Vec::new();
        for (in_fans, name) in [(false, "in random order"), (true, "fan by fan")] {
            let found = figures::random_splits(100_000, in_fans);
            let row = |what: &str| format!("10⁵ faces {name}: {what}");
            rows.push(Row::at_most(
                &row("pieces that the oracle missed"),
                found.missed as f64,
                0.0,
                "",
            ));
            rows.push(Row::at_most(
                &row("times that pieces differ from brute force"),
                found.wrong as f64,
                0.0,
                "",
            ));
            rows.push(Row::at_least(
                &row("oracle right where it says yes"),
                100.0 * found.efficiency(),
                91.0,
                " %",
            ));
        }
        let [once, twice] = figures::ring();
        rows.push(Row::new(
            "ring cut once, then twice: yes of the oracle, pieces more",
            format!("{}, {}; {}, {}", once.yes, once.parted, twice.yes, twice.parted),
            "1, 0; 1, 1".to_owned(),
            [once.yes, once.parted, twice.yes, twice.parted] == [1, 0, 1, 1],
        ));
        let [first, last] = figures::fan_order();
        rows.push(Row::at_most(
            "fans below the surface, faces at the surface first: false alarms",
            (first.yes - first.parted) as f64,
            0.0,
            "",
        ));
        rows.push(Row::told(
            "fans below the surface, faces at the surface last: false alarms",
            format!("{} of {} faces", last.yes - last.parted, last.asked),
        ));
        rows
    });
}

/// What the oracle costs and saves.
#[test]
#[ignore = "measures time; run with --include-ignored in release"]
fn rupture() {
    show(&SHOWS, "rupture", || {
        let _alone = MACHINE.write();
        let [whole, smaller] = figures::rupture();
        let times = |of: &figures::Rupture| {
            let both = [of.without, of.with].map(|[new, none]| [short(new), short(none)]);
            both.map(|times| times.join(", ")).join("; ")
        };
        vec![
            Row::told(
                "split fans, whole pieces walked: µs with a new piece, none; with the oracle",
                times(&whole),
            ),
            Row::told(
                "split fans, smaller sides walked: µs with a new piece, none; with the oracle",
                times(&smaller),
            ),
            Row::at_least(
                "split fans, whole pieces walked: saved by the oracle where none is new",
                100.0 * whole.saving(),
                55.0,
                " %",
            ),
            Row::told(
                "split fans, smaller sides walked: saved by the oracle where none is new",
                format!("{} %", short(100.0 * smaller.saving())),
            ),
            Row::told(
                "split fans, whole pieces walked: more time by the oracle where one is new",
                format!("{} %", short(100.0 * whole.cost())),
            ),
            Row::at_most(
                "split fans, smaller sides walked: more time by the oracle where one is new",
                100.0 * smaller.cost(),
                2.0,
                " %",
            ),
        ]
    });
}

/// Bounds before eigenvalues.
#[test]
#[ignore = "measures time; run with --include-ignored in release"]
fn bounds() {
    show(&SHOWS, "bounds", || {
        let _alone = MACHINE.write();
        let counts = figures::counts_of_breaking();
        let share = |part: u64, all: u64| 100.0 * part as f64 / all as f64;
        let found = figures::bounds(100_000);
        vec![
            Row::at_least(
                "breaking plate: what both bounds let through is overloaded",
                share(counts.overloaded, counts.bounded),
                78.0,
                " %",
            ),
            Row::told(
                "breaking plate: what Gerschgorin alone would let through is overloaded",
                format!("{} %", short(share(counts.overloaded, counts.gerschgorin))),
            ),
            Row::told(
                "breaking plate: eigenvalues that bounds spare",
                format!("{} %", short(share(counts.vertices - counts.bounded, counts.vertices))),
            ),
            Row::told(
                "random stresses, a tenth overloaded: let through rightly by Gerschgorin, by both",
                found.efficiency.map(|share| format!("{} %", short(100.0 * share))).join(", "),
            ),
            Row::at_most("random stresses: overloads missed", found.missed as f64, 0.0, ""),
            Row::at_least(
                "Gerschgorin, times as fast as eigenvalues",
                found.eigenvalues / found.gerschgorin,
                3.0,
                "",
            ),
            Row::at_least(
                "both bounds, times as fast as eigenvalues",
                found.eigenvalues / found.both,
                3.0,
                "",
            ),
        ]
    });
}

/// The solver of seed 001.
#[test]
fn broyden() {
    show(&SHOWS, "broyden", || {
        let soft = figures::by_broyden(1e5, f32::INFINITY);
        let glass = figures::by_broyden(7e10, 100.0);
        vec![
            Row::at_most(
                "solver of seed 001, E = 0.1 MPa: stress off conjugate gradients",
                100.0 * soft.off,
                1.0,
                " %",
            ),
            Row::at_most(
                "solver of seed 001, E = 0.1 MPa: substeps that did not converge",
                soft.unconverged as f64,
                0.0,
                "",
            ),
            Row::told(
                "solver of seed 001, glass: substeps of 240 that did not converge",
                glass.unconverged.to_string(),
            ),
            Row::new(
                "solver of seed 001, glass: numbers are finite, and nothing breaks",
                format!("{}, {} piece", glass.finite, glass.pieces),
                "true, 1 piece".to_owned(),
                glass.finite && glass.pieces == 1,
            ),
        ]
    });
}

/// One, two, three threads.
#[test]
fn threads() {
    show(&SHOWS, "threads", || {
        let (one, pieces) = figures::hash_on(1);
        let differ = [2, 3].into_iter().filter(|&threads| figures::hash_on(threads).0 != one);
        vec![
            Row::at_most(
                "1, 2, 3 threads, a plate that breaks: hashes that differ",
                differ.count() as f64,
                0.0,
                "",
            ),
            Row::at_least("a plate that breaks: pieces", pieces as f64, 4.0, ""),
        ]
    });
}

// ---- scenes ----

/// The scenes are in the gallery.
#[test]
fn gallery() {
    show(&SHOWS, "gallery", || {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery");
        let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let names = [
            "struck-monolith",
            "strained-block",
            "falling-bunny",
            "figure-8",
            "wine-glass",
            "window-pane",
            "dropped-plate",
            "stone-column",
        ];
        let there = |name: &&&str| {
            let picture = format!("{name}.png");
            page.contains(&picture) && folder.join(&picture).exists()
        };
        let count = names.iter().filter(there).count();
        let all = names.len() as f64;
        vec![Row::at_least("gallery: pictures of brittle scenes", count as f64, all, "")]
    });
}

// ---- speed: `falling-bunny` ----

/// Milliseconds of every frame on two threads, and the frames in which something opened.
fn frames_of_bunny(breaks: bool) -> (Vec<f64>, Vec<usize>, u64) {
    let scene = Scene::open("falling-bunny").unwrap();
    let mut world = scene.build(2).unwrap();
    let body = world.body_ids().next().unwrap();
    if !breaks {
        for field in [MaterialField::Strength, MaterialField::Toughness] {
            world.set_material(body, field, f32::INFINITY).unwrap();
        }
    }
    let (mut times, mut cracking, mut pieces) = (Vec::new(), Vec::new(), 0);
    for frame in 0..scene.frames() as usize {
        let start = Instant::now();
        let report = world.step(scene.dt());
        times.push(1e3 * start.elapsed().as_secs_f64());
        if report.cracks > 0 {
            cracking.push(frame);
        }
        pieces = report.pieces;
    }
    (times, cracking, pieces)
}

/// The bunny falls, and breaks.
#[test]
#[ignore = "measures time; run with --include-ignored in release"]
fn speed() {
    show(&SHOWS, "speed", || {
        let _alone = MACHINE.write();
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let (whole, ..) = frames_of_bunny(false);
        let (times, cracking, pieces) = frames_of_bunny(true);
        let [first, last] = [cracking.first(), cracking.last()].map(|frame| *frame.unwrap());
        let mut breaking = times[first..=last].to_vec();
        breaking.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| breaking[((breaking.len() - 1) as f64 * share).round() as usize];
        let median = at(0.5);
        vec![
            Row::at_most("falling-bunny that holds, 2 threads: mean", mean(&whole), 2.0, " ms"),
            Row::at_most("falling-bunny, 2 threads: mean", mean(&times), 8.0, " ms"),
            Row::told(
                "falling-bunny: median from first to last crack",
                format!("{} ms in {} frames", short(median), breaking.len()),
            ),
            Row::at_most("falling-bunny: 99 of 100 of these over it", at(0.99) / median, 2.0, ""),
            Row::at_most("falling-bunny: the longest over it", at(1.0) / median, 4.0, ""),
            Row::at_least("falling-bunny: pieces", pieces as f64, 20.0, ""),
        ]
    });
}

// ---- `fracas paper 001` ----

/// Rows of `fracas paper 001`.
#[test]
#[ignore = "runs all scenes of the seed; run with --include-ignored in release"]
fn paper() {
    show(&SHOWS, "paper", || {
        let _alone = MACHINE.write();
        let file = std::env::temp_dir().join(format!("fracas-001-{}.json", std::process::id()));
        let program = env!("CARGO_BIN_EXE_fracas");
        let run =
            Command::new(program).args(["paper", "001", "--json"]).arg(&file).output().unwrap();
        assert!([Some(0), Some(4)].contains(&run.status.code()), "{run:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows = value.as_array().or_else(|| value["rows"].as_array()).unwrap();
        let holding = rows.iter().filter(|row| row["holds"].as_bool() == Some(true)).count();
        vec![
            Row::at_least("paper 001: rows", rows.len() as f64, 14.0, ""),
            Row::told("paper 001: rows that hold", holding.to_string()),
        ]
    });
}
