//! What bodies of tetrahedra show. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_tets -- --include-ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "../../fracas/tests/common/tet_figures.rs"]
mod figures;
mod shows;
#[path = "../../fracas/tests/common/tets.rs"]
mod tets;

use serde_json::Value;
use shows::*;
use std::path::Path;

const SHOWS: Shows = Shows {
    open: &[(
        "tets-50000: two threads, times as fast as one",
        "1.42 to 1.46 on a quiet machine; what of a substep does not divide was not looked for",
    )],
    names: &[
        ("bar", false),
        ("cantilever", false),
        ("frequency", false),
        ("volume", false),
        ("flight", false),
        ("recover", false),
        ("column", false),
        ("glass", false),
        ("threads", false),
        ("gallery", false),
        ("speed", true),
    ],
};

fn percent(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0).abs()
}

/// A bar is pulled.
#[test]
fn bar() {
    show(&SHOWS, "bar", || {
        let [modulus, poisson] = figures::pulled_bar();
        vec![
            Row::at_most("pulled bar: E off", percent(modulus), 1.0, " %"),
            Row::at_most("pulled bar: ν off", percent(poisson), 1.0, " %"),
        ]
    });
}

/// A bar sags far, and one sags a little.
#[test]
fn cantilever() {
    show(&SHOWS, "cantilever", || {
        let figures::Cantilever { sag, off, carried } = figures::cantilever();
        let found = [2, 4, 8].map(figures::sag_over_theory);
        let errors = found.map(|ratio| 1.0 - ratio);
        vec![
            Row::told("cantilever of 0.8 m: sag", format!("{} m", short(sag))),
            Row::at_most(
                "cantilever: a vertex off an independent solve, of the sag",
                100.0 * off,
                1.0,
                " %",
            ),
            Row::at_most("cantilever: its grip off the weight", percent(carried), 0.1, " %"),
            Row::new(
                "cantilever: of beam theory with 2, 4, 8 layers",
                found.map(short).join(", "),
                "nearer with layers".into(),
                errors[0] > errors[1] && errors[1] > errors[2],
            ),
            Row::at_most(
                "cantilever: limit of these off beam theory",
                percent(figures::limit(found)),
                2.0,
                " %",
            ),
        ]
    });
}

/// A bar swings.
#[test]
fn frequency() {
    show(&SHOWS, "frequency", || {
        let ratio = figures::frequency_over_theory();
        vec![Row::at_most("bar: first bending frequency off", percent(ratio), 3.0, " %")]
    });
}

/// A nearly incompressible block is stretched and pressed.
#[test]
fn volume() {
    show(&SHOWS, "volume", || {
        let at = |strain: f32| percent(figures::volume_at(0.49, strain));
        let worst = [-0.15, -0.08, 0.08, 0.15].map(at).into_iter().fold(0.0, f64::max);
        vec![Row::at_most("ν = 0.49, ±15 % strain: volume off", worst, 3.0, " %")]
    });
}

/// A body turns freely.
#[test]
fn flight() {
    show(&SHOWS, "flight", || {
        let flight = figures::free_rotation();
        let [most, last] = flight.energy;
        vec![
            Row::at_most("600 frames of flight: momentum off", flight.momentum, 1e-6, ""),
            Row::at_most("600 frames of flight: angular momentum off", flight.angular, 1e-5, ""),
            Row::at_most(
                "600 frames of flight: kinetic and elastic energy above the start",
                (most - 1.0).max(0.0),
                1e-4,
                "",
            ),
            Row::told("600 frames of flight: energy left", format!("{} %", short(100.0 * last))),
            Row::told("600 frames of flight: largest strain", short(flight.strain.into())),
        ]
    });
}

/// Cubes that were crushed flat and turned inside out.
#[test]
fn recover() {
    show(&SHOWS, "recover", || {
        let strain = |times| f64::from(figures::strain_after_push(times));
        vec![
            Row::at_most("cube crushed flat: strain 2 s later", strain(1.0), 0.02, ""),
            Row::at_most("cube turned inside out: strain 2 s later", strain(2.0), 0.02, ""),
        ]
    });
}

/// A column stands.
#[test]
fn column() {
    show(&SHOWS, "column", || {
        let found = [1, 2, 8].map(figures::lowest_layer);
        let worst = found.map(percent).into_iter().fold(0.0, f64::max);
        vec![
            Row::at_most("column of 30: strain of the lowest layer off statics", worst, 10.0, " %"),
            Row::told("column of 30: of statics at 1, 2, 8 substeps", found.map(short).join(", ")),
        ]
    });
}

/// Glass flies.
#[test]
fn glass() {
    show(&SHOWS, "glass", || {
        // as the preset has it
        const STRENGTH: f64 = 33e6;
        let share = 100.0 * f64::from(figures::stress_in_flight()) / STRENGTH;
        vec![Row::at_most(
            "glass in flight, 1 m of 1 cm: stress, of its strength",
            share,
            1.0,
            " %",
        )]
    });
}

/// One, two, three threads.
#[test]
fn threads() {
    show(&SHOWS, "threads", || {
        let differ = |cells| {
            let one = figures::hash_on(1, cells);
            [2, 3].into_iter().filter(|&threads| figures::hash_on(threads, cells) != one).count()
        };
        let count = differ([8, 4, 4]) + differ([18, 16, 16]);
        vec![Row::at_most(
            "1, 2, 3 threads, 640 and 23,040 tets: hashes that differ",
            count as f64,
            0.0,
            "",
        )]
    });
}

/// The scenes are in the gallery.
#[test]
fn gallery() {
    show(&SHOWS, "gallery", || {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery");
        let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let names = ["gelatine", "beach-ball-bunny", "stack"];
        let there = |name: &&&str| {
            let picture = format!("{name}.png");
            page.contains(&picture) && folder.join(&picture).exists()
        };
        let count = names.iter().filter(there).count();
        vec![Row::at_least("gallery: pictures of scenes of tetrahedra", count as f64, 3.0, "")]
    });
}

/// `fracas bench tets`.
#[test]
#[ignore = "measures time"]
fn speed() {
    show(&SHOWS, "speed", || {
        let _alone = MACHINE.write();
        if cfg!(debug_assertions) {
            return vec![Row::told("speed", "left out: debug assertions are on".to_owned())];
        }
        let busy = busy_cores();
        let json = json_of(&["bench", "tets", "--json"], "tets.json");
        let rows = json["rows"].as_array().or(json.as_array()).unwrap();
        let mut shown = rows_of_speed(rows);
        let busy = busy.max(busy_cores());
        if busy > QUIET {
            for row in &mut shown {
                row.excuse = Some(format!("others use {busy:.1} cores"));
            }
        }
        shown
    });
}

fn rows_of_speed(rows: &[Value]) -> Vec<Row> {
    let find = |name: &str, threads: u64| {
        let same = |row: &&Value| row["name"] == name && row["threads"] == threads;
        rows.iter().find(same).unwrap_or_else(|| panic!("no row {name}"))
    };
    let ms = |name: &str, threads| find(name, threads)["ms_median"].as_f64().unwrap();
    let fact = |name: &str, fact: &str| find(name, 1)["facts"][fact].as_f64().unwrap_or(f64::NAN);
    let mut shown = Vec::new();
    for (name, bound) in [("tets-6000", 1.5), ("tets-50000", 10.0)] {
        let row = |what: &str| format!("{name}: {what}");
        shown.push(Row::at_most(&row("1/60 s on one thread"), ms(name, 1), bound, " ms"));
        shown.push(Row::at_most(&row("sag off"), fact(name, "error of the sag (%)"), 0.5, " %"));
        shown.push(Row::at_most(
            &row("stress of the worst vertex off"),
            fact(name, "error of the stress (%)"),
            1.0,
            " %",
        ));
        shown.push(Row::told(&row("iterations"), short(fact(name, "iterations"))));
        let peer = &find(name, 1)["peer"];
        match peer["ms_median"].as_f64() {
            Some(theirs) => shown.push(Row::at_least(
                &row(&format!("times as fast as {}", peer["name"].as_str().unwrap_or("a peer"))),
                theirs / ms(name, 1),
                10.0,
                "",
            )),
            None => shown.push(Row::told(
                &row("times as fast as rapier"),
                "not built in: --features peers".to_owned(),
            )),
        }
    }
    shown.push(Row::at_least(
        "tets-50000: two threads, times as fast as one",
        ms("tets-50000", 1) / ms("tets-50000", 2),
        1.5,
        "",
    ));
    let sizes: Vec<&Value> = rows.iter().filter(|row| row["name"] == "tets-by-size").collect();
    let costs: Vec<f64> = sizes.iter().map(|row| row["ns_per_unit"].as_f64().unwrap()).collect();
    let counts: Vec<String> = sizes.iter().map(|row| row["size"].to_string()).collect();
    let its: Vec<String> = sizes.iter().map(|row| row["facts"]["iterations"].to_string()).collect();
    shown.push(Row::at_most(
        &format!("cost of a tet at {}: last over first", counts.join(", ")),
        costs[costs.len() - 1] / costs[0],
        2.0,
        "",
    ));
    shown.push(Row::told("iterations of these", its.join(", ")));
    shown
}
