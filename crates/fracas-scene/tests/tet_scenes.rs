//! Scenes with bodies of tetrahedra.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::f64::consts::PI;

use fracas::World;
use fracas::glam::{DVec3, Vec3};
use fracas::material::MaterialField;
use fracas::skin::{Owners, Skin, Skinned};
use fracas_scene::{Look, Scene, model_uses};

fn scene(bodies: &str) -> Scene {
    let text = format!(
        "title = \"Tetrahedra\"\nformat = 1\n[materials.jelly]\ndensity = 1000\nyoungs_modulus = 1e5\n{bodies}"
    );
    Scene::parse("tets.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn body(shape: &str) -> String {
    format!(
        "[[bodies]]\nname = \"a\"\nmodel = \"corotated\"\nmaterial = \"jelly\"\nshape = {{ {shape} }}\n"
    )
}

fn build(scene: &Scene) -> (World, Vec<Look>) {
    scene.build_looks(scene.world_config()).unwrap_or_else(|error| panic!("{error}"))
}

fn tets(look: &Look) -> usize {
    match &look.skin.owners {
        Owners::Tets(tets) => tets.len(),
        Owners::Particles => panic!("no tetrahedra"),
    }
}

/// Volume inside closed triangles, in m³, and how many edges are open.
fn enclosed(skinned: &Skinned) -> (f64, usize) {
    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    let mut volume = 0.0;
    for corners in &skinned.triangles {
        let points = corners.map(|v| skinned.positions[v as usize]);
        let [a, b, c] = points.map(|x| Vec3::from(x).as_dvec3());
        volume += a.dot(b.cross(c)) / 6.0;
        let [i, j, k] = points.map(|x| x.map(f32::to_bits));
        for (from, to) in [(i, j), (j, k), (k, i)] {
            *edges.entry((from.min(to), from.max(to))).or_default() +=
                if from < to { 1 } else { -1 };
        }
    }
    (volume, edges.values().filter(|&&sum| sum != 0).count())
}

/// Every shape that can be filled is: with its volume, about the wished number of tetrahedra, and a closed skin.
#[test]
fn every_shape_is_made_of_tetrahedra() {
    let own = "surface = \"own\"";
    let around = |radius: f64| 2.0 * PI * PI * radius * 0.01;
    for (shape, volume, wished) in [
        ("kind = \"block\", size = [0.3, 0.2, 0.1], tets = 1000", 0.006, 1000),
        ("kind = \"block\", size = [0.3, 0.2, 0.1], counts = [6, 4, 2]", 0.006, 240),
        ("kind = \"bar\", length = 1, width = 0.2, spacing = 0.1", 0.04, 200),
        ("kind = \"plate\", length = 1, width = 0.5, thickness = 0.05, tets = 800", 0.025, 800),
        ("kind = \"sphere\", radius = 0.2, tets = 900", 4.0 / 3.0 * PI * 0.008, 900),
        (
            &format!("kind = \"sphere\", radius = 0.2, tets = 300, {own}"),
            4.0 / 3.0 * PI * 0.008,
            300,
        ),
        ("kind = \"cylinder\", radius = 0.2, height = 0.3, tets = 1500", PI * 0.04 * 0.3, 1500),
        (
            &format!("kind = \"torus\", radius = 0.3, tube = 0.1, tets = 1500, {own}"),
            around(0.3),
            1500,
        ),
        (
            "kind = \"lathe\", profile = [[0, 0], [0.1, 0], [0.1, 0.2], [0, 0.2]], tets = 700",
            PI * 0.002,
            700,
        ),
        (
            "kind = \"lathe\", profile = [[0.1, 0], [0.1, 0.2]], wall = 0.02, tets = 700",
            PI * 0.2 * 0.0036,
            700,
        ),
        ("kind = \"shell\", file = \"gallery:panel.obj\", thickness = 0.03", 0.0, 0),
        ("kind = \"mesh\", file = \"gallery:bunny.obj\", scale = 3, tets = 2000", 0.0, 2000),
    ] {
        let (mut world, looks) = build(&scene(&body(shape)));
        let id = looks[0].body;
        assert_eq!(world.body(id).unwrap().model(), "corotated");
        let count = tets(&looks[0]) as f64;
        let ratio = count / f64::from(wished);
        assert!(wished == 0 || (0.85..1.15).contains(&ratio), "{shape}: {count} tetrahedra");
        let found = world.body(id).unwrap().mass() / 1000.0;
        let off = found / volume - 1.0;
        assert!(volume == 0.0 || off.abs() < 0.02, "{shape}: {found} m³ instead of {volume}");
        let mut skin = Skin::new(looks[0].skin.clone(), world.body(id).unwrap()).unwrap();
        let (drawn, open) = enclosed(skin.update(world.body(id).unwrap(), [0.0; 3]));
        assert_eq!(open, 0, "{shape}");
        assert!((drawn / found - 1.0).abs() < 0.02, "{shape}: {drawn} m³ drawn of {found}");
        // it falls as it is
        (0..3).for_each(|_| {
            world.step(1.0 / 60.0);
        });
        let (fallen, open) = enclosed(skin.update(world.body(id).unwrap(), [0.0; 3]));
        assert_eq!(open, 0, "{shape}, falling");
        assert!((fallen / drawn - 1.0).abs() < 1e-3, "{shape}: {fallen} m³ of {drawn} falling");
    }
}

/// A tile of glass breaks where it is thrown on the floor, and is drawn closed with all that it showed inside; its material uses what breaks it.
#[test]
fn a_brittle_tile_breaks() {
    let text = "title = \"T\"\nformat = 1\n[world]\nsubsteps = 4\n[materials.glass]\npreset = \"glass\"\nstrength = 2e7\ntoughness = 5e5\nload_time = 0\nyield_stress = 1e9\n";
    let tile = "[[bodies]]\nname = \"tile\"\nmodel = \"brittle\"\nmaterial = \"glass\"\nposition = [0, 0.3, 0]\nrotation = { axis = [1, 0, 0.3], angle = 20 }\nvelocity = [0, -5, 0]\n";
    let shape = "shape = { kind = \"plate\", length = 0.4, width = 0.3, thickness = 0.04, counts = [10, 1, 8] }\n";
    let floor = "[[obstacles]]\nkind = \"half-space\"\n";
    let scene = Scene::parse("t.toml", &format!("{text}{tile}{shape}{floor}")).unwrap();
    let told: Vec<&str> = scene.warnings().iter().map(|warning| warning.message()).collect();
    assert_eq!(told, ["the model `brittle` does not use `yield_stress`"]);
    let (mut world, looks) = build(&scene);
    let look = &looks[0];
    let tile = world.body(look.body).unwrap();
    assert_eq!((tile.model(), tets(look)), ("brittle", 400));
    // four faces of each
    assert_eq!(look.skin.outside.len() + 2 * look.skin.inside.len(), 1600);
    let mut skin = Skin::new(look.skin.clone(), tile).unwrap();
    let (whole, _) = enclosed(skin.update(tile, tile.pieces()[0].origin()));
    while world.body(look.body).unwrap().pieces().len() < 3 {
        world.step(1.0 / 60.0);
        assert!(world.time() < 0.5, "it did not break");
    }
    let tile = world.body(look.body).unwrap();
    let skinned = skin.update(tile, tile.pieces()[0].origin());
    assert!(skinned.inside.contains(&true), "no crack face is shown");
    let (broken, open) = enclosed(skinned);
    assert_eq!(open, 0);
    assert!((broken / whole - 1.0).abs() < 1e-3, "{broken} m³ of {whole}");
}

/// A surface of 58,784 triangles in 2,000 tetrahedra: drawn as it is in the file, within a cell of the tetrahedra.
#[test]
fn a_fine_bunny_is_held_by_coarse_tetrahedra() {
    let shape = "kind = \"mesh\", file = \"gallery:bunny.obj\", scale = 3, subdivide = 2, tets = 2000, surface = \"own\"";
    let (world, looks) = build(&scene(&body(shape)));
    let look = &looks[0];
    assert_eq!(look.skin.outside.len(), 58_784);
    assert!((1940..=2060).contains(&tets(look)), "{}", tets(look));
    let body = world.body(look.body).unwrap();
    let mut skin = Skin::new(look.skin.clone(), body).unwrap();
    let skinned = skin.update(body, [0.0; 3]);
    assert_eq!(skinned.triangles.len(), 58_784);
    let (volume, open) = enclosed(skinned);
    assert_eq!(open, 0);
    assert!((1000.0 * volume / body.mass() - 1.0).abs() < 1e-3, "{volume}");
    let corners: Vec<DVec3> = body.world_positions().map(DVec3::from).collect();
    let nearest = |x: &[f32; 3]| {
        let x = Vec3::from(*x).as_dvec3();
        corners.iter().map(|corner| corner.distance(x)).fold(f64::INFINITY, f64::min)
    };
    let far = skinned.positions.iter().step_by(50).map(nearest).fold(0.0, f64::max);
    assert!(far < 0.1, "{far} m from every corner");
}

/// Copies are bodies of their own; regions of grips hold corners.
#[test]
fn copies_and_grips_work_on_corners() {
    let bar = body("kind = \"bar\", length = 1, width = 0.2, counts = [10, 2, 2]");
    let grip = "[[grips]]\nbody = \"a\"\nregion = { min = [-0.51, -1, -1], max = [-0.49, 1, 1] }\nhold = true\n";
    let copies = "copies = { counts = [3, 1, 1], spacing = [0, 0, 1] }\n";
    let (mut world, looks) = build(&scene(&format!("{bar}{copies}{grip}")));
    assert_eq!(looks.len(), 3);
    for _ in 0..20 {
        world.step(1.0 / 60.0);
    }
    for look in &looks {
        let body = world.body(look.body).unwrap();
        for (rest, now) in body.rest_positions().iter().zip(body.world_positions()) {
            let fallen = f64::from(rest[1]) - now[1];
            if rest[0] < -0.49 {
                assert!(fallen.abs() < 1e-5, "a held corner fell by {fallen} m");
            } else if rest[0] > 0.49 {
                assert!(fallen > 0.01, "a free corner fell by {fallen} m");
            }
        }
    }
}

/// What the model does not use is told, what it uses is not.
#[test]
fn what_tetrahedra_do_not_use_is_told() {
    let text = "title = \"T\"\nformat = 1\n[materials.jelly]\nyoungs_modulus = 1e5\npoisson_ratio = 0.45\ndamping_time = 0.5\nstrength = 1e4\nthickness = 0.01\ntear_rigidity = 0.5\n";
    let ball = body("kind = \"sphere\", radius = 0.1, tets = 300");
    let scene = Scene::parse("t.toml", &format!("{text}{ball}")).unwrap();
    let told: Vec<&str> = scene.warnings().iter().map(|warning| warning.message()).collect();
    let unused = ["thickness", "tear_rigidity"];
    let expected = unused.map(|field| format!("the model `corotated` does not use `{field}`"));
    assert!(
        told.len() == 2 && expected.iter().all(|line| told.contains(&line.as_str())),
        "{told:?}"
    );
    assert!(model_uses("corotated", MaterialField::PoissonRatio));
    assert!(model_uses("corotated", MaterialField::Strength));
    assert!(model_uses("brittle", MaterialField::Strength));
    assert!(!model_uses("brittle", MaterialField::Restitution));
    let block = body("kind = \"block\", size = [1, 1, 1], surface = \"own\"");
    let scene = self::scene(&block);
    let told: Vec<&str> = scene.warnings().iter().map(|warning| warning.message()).collect();
    assert_eq!(told, ["`surface` has no effect on a shape that is made of tetrahedra"]);
}

/// Volume of every tetrahedron of a body over that at rest.
fn ratios(world: &World, look: &Look) -> Vec<f64> {
    let body = world.body(look.body).unwrap();
    let Owners::Tets(tets) = &look.skin.owners else { panic!("no tetrahedra") };
    let now: Vec<DVec3> = body.world_positions().map(DVec3::from).collect();
    let rest: Vec<DVec3> =
        body.rest_positions().iter().map(|&x| Vec3::from(x).as_dvec3()).collect();
    let volume = |at: &[DVec3], tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| at[v as usize]);
        (b - a).cross(c - a).dot(d - a)
    };
    tets.iter().map(|tet| volume(&now, tet) / volume(&rest, tet)).collect()
}

/// The gelatine of the gallery wobbles, then lies still: nothing is below the table, nothing inside out, the cube still on
/// top of the pudding, and every body keeps its volume to what ν = 0.45 allows under its own weight.
#[test]
fn gelatine_wobbles_and_lies_still() {
    let scene = Scene::open("gelatine").unwrap();
    let (mut world, looks) = build(&scene);
    let low = |world: &World, look: &Look| {
        let positions = world.body(look.body).unwrap().world_positions();
        positions.map(|x| x[1]).fold(f64::INFINITY, f64::min)
    };
    let high = |world: &World, look: &Look| {
        let positions = world.body(look.body).unwrap().world_positions();
        positions.map(|x| x[1]).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut heights = Vec::new();
    let mut deepest: f64 = 0.0;
    for _ in 0..scene.frames() {
        world.step(scene.dt());
        heights.push(high(&world, &looks[0]));
        deepest = looks.iter().map(|look| -low(&world, look)).fold(deepest, f64::max);
    }
    // a hundredth of the cubes
    assert!(deepest < 6e-4, "{deepest} m below the table");
    // the top of the pudding goes up and down by more than a millimetre at least three times
    let turns =
        heights.windows(3).filter(|w| w[1] > w[0] && w[1] > w[2] && w[1] > heights[299] + 1e-3);
    assert!(turns.clone().count() >= 3, "{} swings", turns.count());
    for look in &looks {
        let body = world.body(look.body).unwrap();
        let speeds = body.pieces().iter().flat_map(|piece| body.velocities(piece));
        let speed = speeds.map(|&v| Vec3::from(v).length()).fold(0.0, f32::max);
        assert!(speed < 1e-3, "{} moves with {speed} m/s", body.name());
        let ratios = ratios(&world, look);
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least > 0.3, "{}: a tetrahedron has {least} of its volume", body.name());
        // p (1 − 2ν)/E of the pressure at the foot, 910 Pa: 2 %, and as much again from what lies on it
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        assert!((0.96..1.01).contains(&mean), "{}: {mean} of its volume", body.name());
    }
    let gap = low(&world, &looks[3]) - high(&world, &looks[0]);
    assert!(gap > -5e-3, "the cube is {} m inside of the pudding", -gap);
}

/// Tetrahedra of a region are of its material, the last of those that overlap.
#[test]
fn regions_have_their_materials() {
    let wood = "[materials.wood]\npreset = \"oak\"\n[materials.steel]\npreset = \"steel\"\n";
    let shape = body("kind = \"block\", size = [0.4, 0.4, 0.4], counts = [4, 4, 4]");
    let regions = "regions = [{ material = \"wood\", max = [0, inf, inf] }, \
                   { material = \"steel\", min = [-inf, 0.1, -inf], max = [inf, inf, inf] }]\n";
    let (mut world, looks) = build(&scene(&format!("{wood}{shape}{regions}")));
    world.apply_commands();
    let body = world.body(looks[0].body).unwrap();
    assert_eq!(body.materials().len(), 3);
    // half of three quarters is jelly, the other oak, a quarter steel; each in its own volume
    let density = |k: usize| f64::from(body.materials()[k].desc().density.constant().unwrap());
    let expected = 0.064 * (0.375 * density(0) + 0.375 * density(1) + 0.25 * density(2));
    assert!((body.mass() / expected - 1.0).abs() < 1e-5, "{} and {expected}", body.mass());
}

/// A wall drawn in bricks has as many as fit in bond, closed, in the volume less the joints.
#[test]
fn walls_are_drawn_in_bricks() {
    let shape = body("kind = \"block\", size = [0.8, 0.4, 0.1], counts = [8, 4, 1]");
    let bricks = "splinters = { kind = \"bricks\", size = [0.2, 0.1, 0.1], joint = 0.01 }\n";
    let (mut world, looks) = build(&scene(&format!("{shape}{bricks}")));
    world.apply_commands();
    // courses of four, and of three with two halves
    assert_eq!(looks[0].skin.splinters.len(), 4 + 5 + 4 + 5);
    let mut skin = Skin::new(looks[0].skin.clone(), world.body(looks[0].body).unwrap()).unwrap();
    let (volume, open) = enclosed(skin.update(world.body(looks[0].body).unwrap(), [0.0; 3]));
    assert_eq!(open, 0);
    let joints = (0.4 - 3.0 * 0.01) * (2.0 * (0.8 - 3.0 * 0.01) + 2.0 * (0.8 - 4.0 * 0.01)) / 4.0;
    assert!((volume / (0.1 * joints) - 1.0).abs() < 2e-3, "{volume} of {}", 0.1 * joints);
}

/// Glued to a post, a board hangs on; without glue it falls.
#[test]
fn attachments_hold_bodies() {
    let post = "[[bodies]]\nname = \"post\"\nmodel = \"corotated\"\nmaterial = \"jelly\"\nposition = [-0.3, 0, 0]\n\
                shape = { kind = \"block\", size = [0.2, 0.2, 0.2], counts = [2, 2, 2] }\n\
                [[grips]]\nbody = \"post\"\nregion = { }\nhold = true\n";
    let board = body("kind = \"block\", size = [0.4, 0.2, 0.2], counts = [4, 2, 2]");
    let glue = "[[attachments]]\nkind = \"glue\"\nbody = \"a\"\nto = \"post\"\ndistance = 0.02\n";
    let fallen = |attached: &str| {
        let (mut world, looks) = build(&scene(&format!("{board}{post}{attached}")));
        for _ in 0..60 {
            world.step(1.0 / 60.0);
        }
        let places = world.body(looks[0].body).unwrap();
        places.world_positions().map(|x| x[1]).fold(f64::INFINITY, f64::min)
    };
    let (glued, free) = (fallen(glue), fallen(""));
    assert!(glued > -0.8 && free < -4.0, "{glued} m and {free} m");
}
