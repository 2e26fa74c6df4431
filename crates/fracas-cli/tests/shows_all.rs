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
use shows::*;

const SHOWS: Shows =
    Shows { open: &[], names: &[("halves", false), ("shapes", false), ("strokes", true)] };

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
