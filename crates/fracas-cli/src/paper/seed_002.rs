//! Seed 002: tearing of elastic solids of smoothed particles, as scenes of the gallery.
//!
//! Left out on purpose: its solver on a graphics card, and the fluids that its framework is shared with.

use super::Row;
use crate::check;
use anyhow::Result;

const TABLE_4_1: &str = "002 table 4.1";

/// What is left out on purpose, and why.
pub const LEFT_OUT: [&str; 3] = [
    "002 sec. 2.1 and 4, fluids in the same framework: Fracas is for solids",
    "002 sec. 4, a solver on a graphics card: steps here run on processors",
    "002 fig. 4.1 and 3.4, pictures: those of hanging-slab and peel in docs/gallery are ours, to be compared by eye",
];

/// All claims but those of whole scenes.
pub fn rows() -> Result<Vec<Row>> {
    const HOW: &str = "gallery scene";
    const FINER: &str = "gallery scene: finer than theirs, so that angles can be read";

    let count = |name: &str| Ok::<_, anyhow::Error>(check::contents(name)?.particles as f64);
    let (thread, peel) = (count("thread")?, count("peel")?);
    let (clean, strands) = (count("hanging-slab")?, count("hanging-slab-strands")?);
    Ok(vec![
        Row::equal(TABLE_4_1, "fig. 3.2: particles", HOW, 700.0, 0.0, thread),
        Row::at_least(TABLE_4_1, "fig. 3.4: particles", FINER, 300.0, peel),
        Row::equal(TABLE_4_1, "fig. 4.1b: particles", HOW, 24_000.0, 0.0, clean),
        Row::equal(TABLE_4_1, "fig. 4.1c: particles", HOW, 24_000.0, 0.0, strands),
    ])
}
