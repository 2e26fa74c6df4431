//! The loop of a game: frames of any length, a crate that is blown up, triangles to draw, sounds to play.
//!
//! Nothing here needs a window: an engine draws `positions`, `normals` and `triangles` as it draws any other mesh.
//!
//! ```text
//! cargo run --release -p fracas-scene --example game_loop
//! ```

use fracas::skin::Skin;
use fracas::world::{Blast, Pace};
use fracas::{BodyId, Event};
use fracas_scene::Scene;

/// A file in a game; `Scene::open("crate.toml")` reads one.
const CRATE: &str = r#"
title = "A wooden crate stands on the ground, and is blown up."
format = 1

[materials.boards]
preset = "oak"
strength = 2e5

[[bodies]]
name = "crate"
material = "boards"
shape = { kind = "block", size = [0.6, 0.6, 0.6], counts = [6, 6, 6] }
position = [0, 0.3, 0]

[[obstacles]]
kind = "half-space"
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse("crate.toml", CRATE)?;
    let (mut world, looks) = scene.build_looks(scene.world_config())?;
    let mut skins: Vec<(BodyId, Skin)> = Vec::new();
    for look in looks {
        let body = world.body(look.body).ok_or("a body of the scene is in its world")?;
        skins.push((look.body, Skin::new(look.skin, body)?));
    }

    // Steps of one length, however long frames are: a world that cannot keep up gets slower and never chokes.
    let mut pace = Pace::new(f64::from(scene.dt()), 3)?;
    let mut frames = [1.0 / 144.0, 1.0 / 60.0, 1.0 / 40.0].into_iter().cycle();
    let (mut time, mut cracks, mut pieces) = (0.0, 0, 0);
    let mut blast = Some(Blast { centre: [0.1, 0.1, 0.2], radius: 2.0, energy: 2e4 });
    while time < 2.0 {
        let elapsed = frames.next().unwrap_or(1.0 / 60.0);
        time += elapsed;
        if time > 0.5
            && let Some(blast) = blast.take()
        {
            world.explode(blast)?;
        }
        pace.advance(&mut world, elapsed)?;

        for event in world.events() {
            match event {
                Event::Crack { .. } => cracks += 1, // a sound, louder with the `energy` of the crack
                Event::Split { .. } => pieces += 1, // dust
                _ => {}
            }
        }

        // Relative to the camera, so that f32 is fine anywhere in a large world.
        let camera = [0.0, 1.0, 3.0];
        for (id, skin) in &mut skins {
            if let Some(body) = world.body(*id) {
                let drawn = skin.update(body, camera);
                assert_eq!(drawn.positions.len(), drawn.normals.len());
            }
        }
    }

    let triangles: usize = skins.iter().map(|(_, skin)| skin.skinned().triangles.len()).sum();
    println!("{cracks} cracks, {pieces} new pieces, {triangles} triangles to draw");
    Ok(())
}
