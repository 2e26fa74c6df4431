//! What contact shows: every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_contact -- --include-ignored --nocapture
//! ```
//!
//! Sleeping is off but in the rows on sleep. Nothing is damped but by what materials have.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "../../fracas/tests/common/mod.rs"]
mod common;
mod contact;
mod shows;

use shows::Shows;

/// Rows that miss their bound today, each with the reason.
const OPEN: &[(&str, &str)] = &[(
    contact::columns::ROUNDS,
    "rounds are a constant of the solver, and no setting is made for one test",
)];

/// The shows, in the order of the table; those that take long are left out of quick runs.
const SHOWS: Shows = Shows {
    open: OPEN,
    names: &[
        ("columns", false),
        ("incline", false),
        ("bounce", false),
        ("rolling", false),
        ("cradle", false),
        ("shots", false),
        ("long_steps", false),
        ("halves", false),
        ("light_under_heavy", false),
        ("bunnies", false),
        ("folded_bar", false),
        ("torus_on_a_rod", false),
        ("small_pile", false),
        ("large_pile", true),
        ("twelve_bodies", true),
        ("tool", false),
        ("not_finite", false),
        ("mass_ratio", false),
        ("coincident", false),
        ("spikes", false),
        ("threads", false),
    ],
};
