//! Blades: what they pass is cut, in bodies of every model.
#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "common/blades.rs"]
mod blades;
#[path = "common/blocks.rs"]
mod blocks;
#[path = "common/sheets.rs"]
mod sheets;

use blades::*;

/// Random strokes through bodies of every model leave them sound, and mass and motion what they were.
#[test]
fn random_strokes_change_no_motion() {
    for kind in KINDS {
        let found = strokes(kind, 60, 15, 0x51ed_270b_a7f3_09c5);
        println!("{kind:?}: {found:?}");
        assert!(found.cuts > 20 && found.pieces > 3, "{kind:?}: {found:?}");
        let [mass, momentum, angular] = found.off;
        assert!(mass < 1e-7, "{kind:?}: mass off by {mass}");
        assert!(momentum < 1e-6 && angular < 1e-6, "{kind:?}: {found:?}");
    }
}
