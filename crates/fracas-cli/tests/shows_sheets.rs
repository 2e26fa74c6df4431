//! What sheets show. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_sheets -- --include-ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "../../fracas/tests/common/mod.rs"]
mod common;
mod shows;

use common::sheet_figures::{self as figures, NotchTear, off_path};
use fracas::solids::sheet::{Criterion, TipTest};
use serde_json::Value;
use shows::*;
use std::time::Instant;

const SHOWS: Shows = Shows {
    open: OPEN,
    names: &[
        ("strip", false),
        ("elastica", true),
        ("drape", true),
        ("foil", false),
        ("notches", true),
        ("intensity", false),
        ("kink", false),
        ("integral", false),
        ("separation", true),
        ("weave", false),
        ("offset", true),
        ("energy", true),
        ("trousers", true),
        ("cuts", true),
        ("hop", true),
        ("threads", false),
        ("speed", true),
    ],
};

/// Rows that miss their bound today, each with the reason.
const OPEN: &[(&str, &str)] = &[
    (
        "offset notches: path off that of half the substep, in edges",
        "0.44 before the tip of a cut took the direction of its cut; until the cracks have passed each other paths agree to an edge, the last centimetre does not",
    ),
    (
        "tear energy, 12 edges between the clamps: off K_c²/E",
        "the disc of 3 edges reaches half of the way to the clamps, and reads their load as that of the tip: it tears too early",
    ),
    ("tear energy, 18 edges between the clamps: off K_c²/E", "the same, with a third of the way"),
    (
        "cloth of 100 × 100 over a ball: stretch",
        "10.5 % in the end, 18 % at most: in contact a sheet as stiff as that is solved with its diagonal alone, and no solve converges",
    ),
    (
        "cloth of 100 × 100, 2 threads: a frame",
        "12.6 ms, measured beside the tests of the same table",
    ),
    (
        "trousers: force off G_c t/2",
        "26 times of it (4.4 with 16 edges across): legs that swing are not solved well enough for the tear to run on, and are stretched meanwhile",
    ),
];

fn percent(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0).abs()
}

// ---- shape ----

/// A strip is pulled.
#[test]
fn strip() {
    show(&SHOWS, "strip", || {
        let [modulus, poisson] = figures::pulled_strip();
        vec![
            Row::at_most("pulled strip: E off", percent(modulus), 1.0, " %"),
            Row::at_most("pulled strip: ν off", percent(poisson), 1.0, " %"),
        ]
    });
}

/// A sheet sticks out and hangs.
#[test]
#[ignore = "10 s of 242 vertices"]
fn elastica() {
    show(&SHOWS, "elastica", || {
        let drop = percent(figures::sticking_out());
        vec![Row::at_most("cantilevered sheet: drop off that of the elastica", drop, 5.0, " %")]
    });
}

/// A cloth falls over a ball.
#[test]
#[ignore = "2 s of 10,000 vertices with contacts"]
fn drape() {
    show(&SHOWS, "drape", || {
        let [stretch, crossings] = figures::drape(2);
        vec![
            Row::at_most("cloth of 100 × 100 over a ball: stretch", 100.0 * stretch, 2.0, " %"),
            Row::told("cloth of 100 × 100 over a ball: crossings", short(crossings)),
        ]
    });
}

/// A plate of steel sags.
#[test]
fn foil() {
    show(&SHOWS, "foil", || {
        let mut rows = Vec::new();
        for (mesh, one_way) in [("one way", true), ("alternating", false)] {
            let [sag, up] = figures::steel_foil(one_way);
            let name = |what: &str| format!("1 mm of steel at 60 Hz, diagonals {mesh}: {what}");
            rows.push(Row::at_most(&name("sag off plate theory"), percent(sag), 5.0, " %"));
            rows.push(Row::at_most(&name("energy up, of its weight's work"), up, 1e-3, ""));
        }
        rows
    });
}

// ---- tears ----

/// Notched strips, rows of triangles turned by 0 to 90° and shaken ones.
#[test]
#[ignore = "20 strips of 1,500 vertices"]
fn notches() {
    show(&SHOWS, "notches", || {
        let mut rows = Vec::new();
        let mut all = Vec::new();
        for (mesh, shaken) in [("rows", 0.0), ("shaken", 0.5)] {
            let turns = (0..10).map(|k| 10.0 * f64::from(k));
            let tears: Vec<NotchTear> =
                turns.map(|turn| figures::notched_strip(turn, shaken, 1)).collect();
            let most = |of: &dyn Fn(&NotchTear) -> f64| tears.iter().map(of).fold(0.0, f64::max);
            let name = |what: &str| format!("notched strip, {mesh} at 0 to 90°: {what}");
            let angle = most(&|tear| tear.angle.abs());
            rows.push(Row::at_most(&name("off the straight line"), angle, 2.0, "°"));
            let rough = most(&|tear| tear.roughness);
            rows.push(Row::at_most(&name("roughness in edges"), rough, 0.1, ""));
            let grown = 100.0 * (most(&|tear| tear.triangles) - 1.0);
            rows.push(Row::at_most(&name("triangles added"), grown, 2.0, " %"));
            let mass = most(&|tear| tear.kept[0].abs());
            rows.push(Row::at_most(&name("mass off"), mass, 1e-7, ""));
            let pieces = most(&|tear| (tear.pieces as f64 - 2.0).abs());
            rows.push(Row::at_most(&name("not in two"), pieces, 0.0, ""));
            all.extend(tears);
        }
        let least = all.iter().map(|tear| tear.force).fold(f64::INFINITY, f64::min);
        let most = all.iter().map(|tear| tear.force).fold(0.0, f64::max);
        let name = "notched strip, all meshes: spread of the load at first advance";
        rows.push(Row::at_most(name, percent(most / least), 5.0, " %"));
        rows
    });
}

/// A crack in the middle of a plate.
#[test]
fn intensity() {
    show(&SHOWS, "intensity", || {
        let crack = figures::centre_crack(12.0, 90.0, 0.0);
        let off = crack.intensity.iter().map(|[one, _]| percent(one / crack.width));
        let off = off.fold(0.0, f64::max);
        vec![Row::at_most("centre crack of 24 edges: K_I off theory", off, 3.0, " %")]
    });
}

/// A slanted crack would turn.
#[test]
fn kink() {
    show(&SHOWS, "kink", || {
        let kinks: Vec<f64> = [0.0, 30.0, 60.0]
            .into_iter()
            .flat_map(|turn| figures::centre_crack(12.0, 75.0, turn).kinks())
            .collect();
        let off = kinks.iter().map(|kink| (kink.abs() - 26.7).abs()).fold(0.0, f64::max);
        vec![
            Row::at_most("crack slanted by 15°: turn off −26.7°", off, 5.0, "°"),
            Row::told(
                "crack slanted by 15°: turns",
                kinks.iter().map(|k| short(k.abs())).collect::<Vec<_>>().join(", "),
            ),
        ]
    });
}

/// The same by the interaction integral.
#[test]
fn integral() {
    show(&SHOWS, "integral", || {
        let crack =
            |angle: f64, turn: f64| figures::centre_crack_by(TipTest::Integral, 12.0, angle, turn);
        let straight = crack(90.0, 0.0);
        let off = straight.intensity.iter().map(|[one, _]| percent(one / straight.width));
        let kinks: Vec<f64> =
            [0.0, 30.0, 60.0].into_iter().flat_map(|turn| crack(75.0, turn).kinks()).collect();
        let turned = kinks.iter().map(|kink| (kink.abs() - 26.7).abs()).fold(0.0, f64::max);
        vec![
            Row::at_most(
                "centre crack by the integral: K_I off theory",
                off.fold(0.0, f64::max),
                3.0,
                " %",
            ),
            Row::at_most(
                "crack slanted by 15°, by the integral: turn off −26.7°",
                turned,
                2.0,
                "°",
            ),
        ]
    });
}

/// At what an even strip begins to tear.
#[test]
#[ignore = "40 strips of 300 vertices"]
fn separation() {
    show(&SHOWS, "separation", || {
        let mut rows = Vec::new();
        for (mesh, shaken) in [("rows", 0.0), ("shaken", 0.4)] {
            let of = |criterion: Criterion| {
                let turns = (0..10).map(|k| 10.0 * f64::from(k));
                let all: Vec<f64> =
                    turns.map(|turn| figures::first_crack(criterion, turn, shaken)).collect();
                let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                (least, all.iter().copied().fold(0.0, f64::max))
            };
            let (low, high) = of(Criterion::Stress);
            let name = format!("even strip, {mesh} at 0 to 90°: first crack off the strength");
            rows.push(Row::at_most(&name, percent(low).max(percent(high)), 3.0, " %"));
            let (low, high) = of(Criterion::Separation);
            let name = format!("even strip, {mesh}: first crack by the separation tensor");
            rows.push(Row::told(&name, format!("{} to {} σ_t", short(low), short(high))));
        }
        rows
    });
}

/// A cloth whose weave runs aslant.
#[test]
fn weave() {
    show(&SHOWS, "weave", || {
        let off = [30.0, -30.0].map(|weave| (figures::woven_strip(0.2, weave) - weave).abs());
        let name = "woven at ±30°, a fifth as strong across: tear off the weave";
        vec![Row::at_most(name, off[0].max(off[1]), 10.0, "°")]
    });
}

/// Two notches, one above the other.
#[test]
#[ignore = "three strips of 1,500 vertices"]
fn offset() {
    show(&SHOWS, "offset", || {
        let (apart, edge) = (0.02, 0.1 / 30.0);
        let coarse = figures::offset_notches(apart, 0.3, 1);
        let tight = figures::offset_notches(apart, 0.3, 2);
        let off = (0..2).map(|k| off_path(&coarse[k], &tight[k])).fold(0.0, f64::max) / edge;
        // how far each comes towards the other, of the way between them
        let towards = |p: &[f64; 2], sign: f64| 0.5 - sign * p[1] / apart;
        let most = |path: &[[f64; 2]], sign: f64| {
            path.iter().map(|p| towards(p, sign)).fold(f64::NEG_INFINITY, f64::max)
        };
        let least = most(&coarse[0], 1.0).min(most(&coarse[1], -1.0));
        let away = |path: &[[f64; 2]], sign: f64| {
            path.iter().map(|p| -towards(p, sign)).fold(f64::NEG_INFINITY, f64::max)
        };
        let apart_first = away(&coarse[0], 1.0).min(away(&coarse[1], -1.0));
        vec![
            Row::at_most(
                "offset notches: path off that of half the substep, in edges",
                off,
                1.0,
                "",
            ),
            Row::at_least(
                "offset notches: way towards the other, of that between",
                least,
                0.25,
                "",
            ),
            Row::at_least("offset notches: first away from it, of that", apart_first, 0.0, ""),
        ]
    });
}

/// What a tear takes.
#[test]
#[ignore = "four strips, the finest of 6,500 vertices"]
fn energy() {
    show(&SHOWS, "energy", || {
        let row = |cells: usize| {
            let name = format!("tear energy, {cells} edges between the clamps: off K_c²/E");
            Row::at_most(&name, percent(figures::tear_energy(cells)), 15.0, " %")
        };
        [12, 18, 27, 40].map(row).into()
    });
}

/// Legs of a sheet are drawn up and down.
#[test]
#[ignore = "a tear out of the plane"]
fn trousers() {
    show(&SHOWS, "trousers", || {
        let tear = figures::trousers(24);
        vec![
            Row::at_most("trousers: off the line between the legs", tear.angle.abs(), 10.0, "°"),
            Row::at_least("trousers: edges torn", tear.opened as f64, 10.0, ""),
            Row::at_most("trousers: force off G_c t/2", percent(tear.force), 25.0, " %"),
        ]
    });
}

// ---- triangles ----

/// Random cuts, looked at after each.
#[test]
#[ignore = "100,000 cuts"]
fn cuts() {
    show(&SHOWS, "cuts", || {
        let found = figures::random_cuts(100_000);
        let name = |what: &str| format!("{} random cuts: {what}", found.cuts);
        vec![
            Row::at_most(&name("no manifold"), found.errors as f64, 0.0, ""),
            Row::at_least(&name("smallest angle"), found.smallest, 10.0, "°"),
            Row::at_most(&name("triangles over those at the start"), found.triangles, 2.0, ""),
            Row::at_most(&name("area off by a cut"), found.area[0], 1e-6, ""),
            Row::at_most(&name("area off in all"), found.area[1], 1e-4, ""),
            Row::told(&name("hops"), found.hops.to_string()),
            Row::told(
                &name("hops along edges that were there"),
                format!("{} %", short(100.0 * found.fell_back)),
            ),
        ]
    });
}

/// A hop in a large sheet.
#[test]
#[ignore = "takes time, which a busy machine lengthens"]
fn hop() {
    show(&SHOWS, "hop", || {
        let start = Instant::now();
        let mean = figures::hop_time(|| start.elapsed().as_secs_f64());
        vec![Row::at_most("a hop through 100 × 100 vertices", 1e6 * mean, 100.0, " µs")]
    });
}

/// The same tear for any number of threads.
#[test]
fn threads() {
    show(&SHOWS, "threads", || {
        let hash = |threads: u32| figures::notched_strip(10.0, 0.4, threads).hash;
        let one = hash(1);
        let differ = [2, 3].into_iter().filter(|&threads| hash(threads) != one).count();
        vec![Row::at_most("tear on 1, 2, 3 threads: hashes that differ", differ as f64, 0.0, "")]
    });
}

/// What `fracas bench sheet` tells.
#[test]
#[ignore = "a quiet machine and a release build"]
fn speed() {
    show(&SHOWS, "speed", || {
        let _alone = MACHINE.write();
        let busy = busy_cores();
        let rows = json_of(&["bench", "sheet", "--json"], "sheet.json");
        let find = |name: &str, threads: u64| -> Value {
            let fits = |row: &&Value| row["name"] == name && row["threads"] == threads;
            rows.as_array().unwrap().iter().find(fits).unwrap().clone()
        };
        let number = |row: &Value, field: &str| row[field].as_f64().unwrap();
        let (cloth, tear) = (find("cloth", 2), find("cloth-tearing", 2));
        let mut rows = vec![
            Row::at_most(
                "cloth of 100 × 100, 2 threads: a frame",
                number(&cloth, "ms_median"),
                8.0,
                " ms",
            ),
            Row::at_most(
                "while it tears: p99 over the median",
                number(&tear["facts"], "p99") / number(&tear, "ms_median"),
                3.0,
                "",
            ),
        ];
        if busy > QUIET {
            let excuse = format!("others use {} cores", short(busy));
            rows.iter_mut().for_each(|row| row.excuse = Some(excuse.clone()));
        }
        rows
    });
}
