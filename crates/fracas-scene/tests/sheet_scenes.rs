//! Scenes of sheets: they run from their files, tear, and stay sound.
#![allow(clippy::unwrap_used, reason = "tests")]

use fracas::World;
use fracas::skin::Skin;
use fracas_scene::Scene;

/// Runs a scene of one sheet to its end, with its skin: edges that opened, what is drawn of them, and the world.
fn run(name: &str) -> (usize, Skin, World) {
    let scene = Scene::open(name).unwrap();
    let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
    let id = looks[0].body;
    let mut skin = Skin::new(looks[0].skin.clone(), world.body(id).unwrap()).unwrap();
    let mut opened = 0;
    let start = std::time::Instant::now();
    for _ in 0..scene.frames() {
        world.step(scene.dt());
        let body = world.body(id).unwrap();
        body.validate();
        opened += body.changes().opened.len();
        skin.update(body, [0.0; 3]);
    }
    println!("{name}: {:?} for {} frames", start.elapsed(), scene.frames());
    (opened, skin, world)
}

/// The paper is in two, one half in each grip.
#[test]
fn paper_tears_in_two() {
    let (opened, _, world) = run("paper");
    let body = world.body(world.body_ids().next().unwrap()).unwrap();
    println!("{opened} edges, {} pieces", body.pieces().len());
    assert!(opened > 15, "{opened} edges opened");
    let large = body.pieces().iter().filter(|piece| piece.particle_count() > 100).count();
    assert_eq!(large, 2, "halves");
}

/// The sheet that is dragged up tears, and its skin has both sides of all its triangles.
#[test]
fn a_dragged_sheet_tears_and_is_drawn() {
    let (opened, skin, world) = run("sheet");
    let body = world.body(world.body_ids().next().unwrap()).unwrap();
    println!("{opened} edges, {} pieces, {} triangles", body.pieces().len(), body.triangle_count());
    assert!(opened > 4, "{opened} edges opened");
    let drawn = skin.skinned();
    assert_eq!(drawn.triangles.len(), 2 * body.triangle_count());
    assert!(drawn.uvs.iter().flatten().all(|uv| (-1e-3..=1.001).contains(uv)), "texture lost");
    let far = drawn.positions.iter().flatten().fold(0.0f32, |most, x| most.max(x.abs()));
    assert!(far < 2.0, "drawn {far} m away");
}

/// What does not go together is said.
#[test]
fn sheets_of_other_shapes_are_refused() {
    let text = "title = \"x\"\nformat = 1\n[materials.a]\npreset = \"paper\"\n[[bodies]]\nname = \"b\"\nmodel = \"sheet\"\nmaterial = \"a\"\nshape = { kind = \"block\", size = [1, 1, 1], counts = [2, 2, 2] }\n";
    let error = Scene::parse("x", text).unwrap_err().to_string();
    assert!(error.contains("a block does not go with `model = \"sheet\"`"), "{error}");
}

/// How a sheet tears is asked of sheets alone, and only in the ways that there are.
#[test]
fn ways_to_tear_are_checked() {
    let text = |model: &str, more: &str| {
        let thickness = if model == "sheet" { "" } else { ", thickness = 0.01" };
        format!(
            "title = \"x\"\nformat = 1\n[materials.a]\npreset = \"paper\"\n[[bodies]]\nname = \"b\"\nmodel = \"{model}\"\nmaterial = \"a\"\n{more}\nshape = {{ kind = \"sheet\", length = 1, width = 1, counts = [4, 1, 4]{thickness} }}\n"
        )
    };
    let refused =
        |model: &str, more: &str| Scene::parse("x", &text(model, more)).unwrap_err().to_string();
    let both = "criterion = \"separation\"\ntips = \"integral\"";
    Scene::parse("x", &text("sheet", both)).unwrap().build(1).unwrap();
    let error = refused("oriented", "criterion = \"separation\"");
    assert!(error.contains("`criterion` does not go with `model = \"oriented\"`"), "{error}");
    let error = refused("sheet", "tips = \"guess\"");
    assert!(error.contains("guess") && error.contains("integral"), "{error}");
}
