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
const OPEN: &[(&str, &str)] = &[
    (
        contact::columns::ROUNDS,
        "rounds are a constant of the solver; changed by hand, 1, 2, 4, 8 give 57.87 mm within 0.001 %",
    ),
    ("bounce, e = 0.3: mean height off e² h", BOUNCE),
    ("bounce, e = 0.5: mean height off e² h", BOUNCE),
    ("bounce, e = 0.8: mean height off e² h", BOUNCE),
    (
        "cradle of 5, touching: momentum of the last off",
        "one that arrives at the very end of a substep is stopped by the passes that correct velocities",
    ),
    ("100 m/s, steel wall one particle thick, 1 substeps: through", SHOT),
    ("100 m/s, steel wall one particle thick, 4 substeps: through", SHOT),
    ("100 m/s, rubber wall one particle thick, 1 substeps: through", SHOT),
    ("100 m/s, rubber wall one particle thick, 4 substeps: through", SHOT),
    ("20 m/s at dt = 1/15, 1 substeps: sphere through soft wall of 10 cm", SHOT),
    ("20 m/s at dt = 1/15, 1 substeps: soft cube through soft wall of 10 cm", SHOT),
    ("1 g of stone under 10 kg: weight sinks, of the 1 cm", PASSES),
    ("1 g of rubber under 10 kg: weight sinks, of the 1 cm", CRUSHED),
    ("1 g of rubber under 10 kg: energy gained, of the drop", CRUSHED),
    ("1 g of rubber under 10 kg: speed in the fifth second", CRUSHED),
    ("pile of 1,000: sleeps after", ROCKS),
    ("pile of 1,000: drift in the next 10 s", ROCKS),
    ("R6, one of nine that touch is pushed beyond f32: frozen after a step", SPREADS),
    ("R6: the others finite and free after 2 s", SPREADS),
    ("R6: fastest of the others", SPREADS),
    ("R8, oriented chain, 1e4 : 1: length off after 10 s", SOFTENED),
    ("R8, oriented chain, 1e6 : 1: energy gained, of its scale", SOFTENED),
    ("R8, chain of rigid links, 1e4 : 1: length off after 10 s", PASSES),
    ("R8, stack of boxes, 1e4 : 1: length off after 10 s", PASSES),
    ("R8, stack of soft cubes under a box, 1e4 : 1: energy gained, of its scale", CRUSHED),
    ("R8, stack of soft cubes under a box, 1e4 : 1: length off after 10 s", CRUSHED),
    ("R8, stack of soft cubes under a box, 1e6 : 1: energy gained, of its scale", CRUSHED),
    (
        "R12, spikes of dt: resting cubes have moved by",
        "forces of a step of 1e-9 s start the next, 10⁷ times longer one",
    ),
];

const BOUNCE: &str = "a ball turns round where the substep finds it, up to h v above the floor";
const SHOT: &str = "16 iterations leave a shot part of its speed when a wall gives way";
const CRUSHED: &str = "16 iterations do not balance a soft body under a far heavier rigid one";
const ROCKS: &str = "a few stones rock for 11 s, and a pile sleeps as a whole";
const SPREADS: &str = "numbers that are not finite pass through the solve of the island";
const SOFTENED: &str = "its stiffness is reduced to what the sweeps reach";
const PASSES: &str = "4 passes do not carry a load of far more than 10 : 1 down to the floor";

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
        ("coincident", true),
        ("spikes", false),
        ("threads", false),
    ],
};
