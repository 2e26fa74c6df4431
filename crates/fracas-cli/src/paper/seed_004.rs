//! Seed 004: fracture carried over to triangles, as scenes of the gallery. The text has no tables; its numbers are those of its scene, its
//! springs, and what it left open.
//!
//! Left out on purpose: the springs between particles (sec. 4.3.2 and 4.3.3), since forces are those of the triangles; one plane at a vertex as the
//! only way to part (sec. 4.3.4), since a crack is a tip that runs.

use super::Row;
use anyhow::{Result, anyhow};
use fracas::World;
use fracas_scene::Scene;
use fracas_scene::play::{Action, Play};

const FIG_2: &str = "004 fig. 2";
const SEC_43: &str = "004 sec. 4.3";
const SEC_433: &str = "004 sec. 4.3.3";
const SEC_5: &str = "004 sec. 5";
const SEC_6: &str = "004 sec. 6";

/// What is left out on purpose, and why.
pub const LEFT_OUT: [&str; 2] = [
    "004 sec. 4.3.3, springs between particles: forces are those of the triangles",
    "004 eq. 17, the separation tensor, is a choice (`criterion = \"separation\"`) and no default: an even strip tears at 0.72 to 0.95 of its strength, as its triangles lie",
];

/// What came of a scene of one sheet.
struct Outcome {
    points: f64,
    triangles: f64,
    /// Triangles in the end over those at the start.
    grown: f64,
    opened: f64,
    pieces: f64,
    quarantined: f64,
    /// Mass in the end over that at the start, less 1.
    mass: f64,
}

/// All claims.
pub fn rows() -> Result<Vec<Row>> {
    const SCENE: &str = "gallery scene `sheet`";
    const TORN: &str = "gallery scene `sheet`: dragged until it tears; hops by vertices that are moved and edges that are flipped";
    const PAPER: &str = "gallery scene `paper`";
    const STIFF: &str = "gallery scene `paper`, E t of its material, backward Euler; quarantined pieces would show as 0";

    const MOUSE: &str = "gallery scene `sheet`, taken hold of by a ray and pulled up at 4.4 m/s for half a second, before the scene's own grip tears it";

    let sheet = watch("sheet")?;
    let paper = watch("paper")?;
    // 6 GPa over 0.1 mm
    let stiffness = if paper.quarantined == 0.0 { 6e5 } else { 0.0 };
    Ok(vec![
        Row::equal(FIG_2, "points of 25 by 25", SCENE, 625.0, 0.0, sheet.points),
        Row::equal(FIG_2, "triangles between them", SCENE, 1152.0, 0.0, sheet.triangles),
        Row::at_least(SEC_43, "a drag by the mouse tears: edges opened", MOUSE, 1.0, dragged()?),
        Row::at_least(SEC_433, "stiffest that stays stable, N/m", STIFF, 800.0, stiffness),
        Row::at_least(
            SEC_5,
            "remeshing: edges opened (0: it was not finished)",
            TORN,
            1.0,
            sheet.opened,
        ),
        Row::at_most(SEC_5, "remeshing: triangles over those at the start", TORN, 2.0, sheet.grown),
        Row::at_most(SEC_5, "remeshing: mass off, 1e-6", TORN, 1.0, 1e6 * sheet.mass.abs()),
        Row::at_least(
            SEC_6,
            "parts of a divided sheet act by themselves",
            PAPER,
            2.0,
            paper.pieces,
        ),
        Row::at_most(SEC_6, "system blows up: pieces quarantined", PAPER, 0.0, paper.quarantined),
    ])
}

/// Edges that open where a hand takes hold of a sheet and pulls, as with the mouse in the window.
fn dragged() -> Result<f64> {
    let scene = Scene::open("sheet")?;
    let config = scene.world_config();
    let mut play = Play::new(scene, config)?;
    play.act(&Action::Grab { origin: [-0.1, 1.0, 0.1], direction: [0.0, -1.0, 0.0] })?;
    let mut opened = 0;
    for frame in 1..=30 {
        let height = 4.4 * f64::from(frame) / 60.0;
        play.act(&Action::Drag { target: [-0.1, height, 0.1] })?;
        play.step();
        let bodies = play.world().body_ids().filter_map(|id| play.world().body(id));
        opened += bodies.map(|body| body.changes().opened.len()).sum::<usize>();
    }
    Ok(opened as f64)
}

/// Runs a scene of one sheet to its end.
fn watch(name: &str) -> Result<Outcome> {
    let scene = Scene::open(name)?;
    let mut world = scene.build(1)?;
    let id = world.body_ids().next().ok_or_else(|| anyhow!("scene {name} has no body"))?;
    let body = |world: &World| -> Result<[f64; 4]> {
        let body = world.body(id).ok_or_else(|| anyhow!("the body of scene {name} is gone"))?;
        let points = body.rest_positions().len() as f64;
        Ok([points, body.triangle_count() as f64, body.mass(), body.pieces().len() as f64])
    };
    let before = body(&world)?;
    let (mut opened, mut quarantined) = (0, 0);
    for _ in 0..scene.frames() {
        quarantined += world.step(scene.dt()).quarantined;
        opened += world.body(id).map_or(0, |body| body.changes().opened.len());
    }
    let after = body(&world)?;
    Ok(Outcome {
        points: before[0],
        triangles: before[1],
        grown: after[1] / before[1],
        opened: opened as f64,
        pieces: after[3],
        quarantined: quarantined as f64,
        mass: after[2] / before[2] - 1.0,
    })
}
