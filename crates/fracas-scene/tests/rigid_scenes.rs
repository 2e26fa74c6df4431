//! Scenes with rigid bodies and with obstacles of every shape: what is written arrives in the world, and runs.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use fracas::World;
use fracas::contact::shape::{Pose, Shape};
use fracas::glam::{DVec3, Vec3};
use fracas::world::{Body, Layers};
use fracas_scene::Scene;

const HEAD: &str = "title = \"Test\"\nformat = 1\n[materials.steel]\ndensity = 8000\n";

fn scene(rest: &str) -> Scene {
    let scene = Scene::parse("test.toml", &format!("{HEAD}{rest}"));
    scene.unwrap_or_else(|error| panic!("{error}"))
}

/// A scene of one rigid body.
fn rigid(shape: &str) -> Scene {
    scene(&format!(
        "[[bodies]]\nname = \"it\"\nmodel = \"rigid\"\nmaterial = \"steel\"\nshape = {shape}\n"
    ))
}

/// The same, soft.
fn scene_of_soft(shape: &str) -> Scene {
    scene(&format!("[[bodies]]\nname = \"it\"\nmaterial = \"steel\"\nshape = {shape}\n"))
}

fn named<'w>(world: &'w World, name: &str) -> &'w Body {
    world.body_ids().filter_map(|id| world.body(id)).find(|body| body.name() == name).unwrap()
}

/// Mean of the places of its particles, by mass.
fn centre(body: &Body) -> DVec3 {
    let at = body.world_positions().zip(body.masses());
    let sum: DVec3 = at.map(|(x, &mass)| f64::from(mass) * DVec3::from(x)).sum();
    sum / body.mass()
}

#[test]
fn every_shape_of_a_rigid_body_has_its_mass() {
    let pi = std::f64::consts::PI;
    let tetrahedron = "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let cases = [
        ("{ kind = \"sphere\", radius = 0.3 }".into(), 4.0 / 3.0 * pi * 0.027),
        ("{ kind = \"block\", size = [0.1, 0.2, 0.3] }".into(), 0.006),
        ("{ kind = \"bar\", length = 1, width = 0.2 }".into(), 0.04),
        ("{ kind = \"plate\", length = 1, width = 0.5, thickness = 0.1 }".into(), 0.05),
        ("{ kind = \"sheet\", length = 1, width = 0.5, thickness = 0.01 }".into(), 0.005),
        ("{ kind = \"cylinder\", radius = 0.1, height = 0.5 }".into(), pi * 0.005),
        (
            "{ kind = \"capsule\", radius = 0.1, height = 0.5 }".into(),
            pi * 0.01 * 0.3 + 4.0 / 3.0 * pi * 0.001,
        ),
        ("{ kind = \"ellipsoid\", radii = [0.1, 0.2, 0.3] }".into(), 4.0 / 3.0 * pi * 0.006),
        (format!("{{ kind = \"hull\", {tetrahedron} }}"), 1.0 / 6.0),
        (
            format!(
                "{{ kind = \"compound\", parts = [{{ shape = {{ kind = \"hull\", {tetrahedron} }}, \
                 position = [2, 0, 0], rotation = {{ axis = [0, 1, 0], angle = 30 }} }}, \
                 {{ shape = {{ kind = \"sphere\", radius = 0.3 }} }}] }}"
            ),
            1.0 / 6.0 + 4.0 / 3.0 * pi * 0.027,
        ),
    ];
    for (shape, volume) in cases {
        let scene = rigid(&shape);
        assert_eq!(scene.warnings(), [], "{shape}");
        let world = scene.build(1).unwrap();
        let body = named(&world, "it");
        assert_eq!((body.model(), body.particle_count()), ("rigid", 1));
        let ratio = body.mass() / (8000.0 * volume);
        assert!((ratio - 1.0).abs() < 1e-5, "{shape}: {ratio} of its mass");
    }
}

/// The hull of the file's vertices is larger than what the file holds, and all of one piece.
#[test]
fn a_hull_of_a_file_holds_the_file() {
    let world =
        rigid("{ kind = \"hull\", file = \"gallery:bunny.obj\", scale = 2 }").build(1).unwrap();
    let volume = named(&world, "it").mass() / 8000.0;
    // the box around it is 0.31 × 0.3 × 0.23 m
    assert!((0.006..0.014).contains(&volume), "{volume}");
}

#[test]
fn fragments_are_rigid_pieces() {
    let shape = "{ kind = \"mesh\", file = \"gallery:nut.ply\", tets = 1500, fragments = 20 }";
    let scene = rigid(shape);
    let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
    let body = named(&world, "it");
    assert_eq!((body.pieces().len(), body.particle_count(), body.bond_count()), (20, 20, 0));
    assert!(looks[0].skin.outside.iter().all(|face| face.owner < 20));
    let soft = scene_of_soft(shape).build(1).unwrap();
    let ratio = body.mass() / named(&soft, "it").mass();
    assert!((ratio - 1.0).abs() < 1e-4, "{ratio} of the mass of the same mesh");
    for _ in 0..10 {
        let report = world.step(scene.dt());
        assert_eq!(report.quarantined, 0);
    }
}

#[test]
fn fineness_of_what_is_rigid_is_a_warning() {
    let scene = rigid("{ kind = \"sphere\", radius = 0.1, particles = 20 }");
    let warnings: Vec<&str> = scene.warnings().iter().map(|warning| warning.message()).collect();
    assert_eq!(
        warnings,
        ["`particles` has no effect on what is rigid: it has no particles inside"]
    );
    let stiff = HEAD.replace("8000", "8000\nyoungs_modulus = 1e9");
    let text = format!(
        "{stiff}[[bodies]]\nname = \"it\"\nmodel = \"rigid\"\nmaterial = \"steel\"\n\
         shape = {{ kind = \"sphere\", radius = 0.1 }}"
    );
    let scene = Scene::parse("test.toml", &text).unwrap();
    assert_eq!(scene.warnings()[0].message(), "the model `rigid` does not use `youngs_modulus`");
}

#[test]
fn what_is_written_of_obstacles_arrives() {
    let scene = scene(
        r#"
[[obstacles]]
kind = "solid"
shape = { kind = "block", size = [2, 0.2, 1] }
position = [1, 2, 3]
rotation = { axis = [0, 0, 2], angle = 90 }
move = { pivot = [1, 2, 3], axis = [0, 0, 1], keys = [{ time = 0 }, { time = 0.5, angle = 90, offset = [0, 1, 0] }] }
[[obstacles]]
kind = "solid"
shape = { kind = "mesh", file = "gallery:panel.obj" }
sensor = true
[[obstacles]]
kind = "solid"
shape = { kind = "height-field", spacing = 0.5, rows = [[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 2]] }
position = [10, 0, 20]
rotation = { axis = [0, 1, 0], angle = 180 }
[[obstacles]]
kind = "half-space"
normal = [0, 3, 4]
[[obstacles]]
kind = "solid"
shape = { kind = "compound", parts = [{ shape = { kind = "sphere", radius = 1 }, position = [5, 0, 0] }] }
"#,
    );
    assert_eq!(scene.warnings().len(), 1, "nothing is made of steel");
    let mut world = scene.build(1).unwrap();
    let boxes = |world: &World| -> Vec<[Vec3; 2]> {
        let around = |o: &fracas::world::Obstacle| {
            let position = Vec3::from(o.position().map(|x| x as f32));
            let b = o.shape().aabb(&Pose { rotation: o.rotation(), position });
            [b.min, b.max]
        };
        world.obstacles().map(around).collect()
    };
    let near = |found: [Vec3; 2], low: [f32; 3], high: [f32; 3]| {
        let far = (found[0] - Vec3::from(low)).length() + (found[1] - Vec3::from(high)).length();
        assert!(far < 1e-4, "{found:?} is not {low:?} to {high:?}");
    };
    let found = boxes(&world);
    near(found[0], [0.9, 1.0, 2.5], [1.1, 3.0, 3.5]);
    near(found[4], [4.0, -1.0, -1.0], [6.0, 1.0, 1.0]);
    // the middle of the field is where it was put; turned by half, its highest corner is at the far end
    near(found[2], [9.5, 0.0, 19.25], [10.5, 2.0, 20.75]);
    let field = world.obstacles().nth(2).unwrap();
    let Shape::HeightField(heights) = field.shape() else { panic!() };
    assert_eq!((heights.columns(), heights.rows(), heights.heights()[11]), (3, 4, 2.0));
    let corner = DVec3::from(field.position())
        + field.rotation().to_mat3().as_dmat3() * DVec3::new(1.0, 2.0, 1.5);
    assert!(corner.distance(DVec3::new(9.5, 2.0, 19.25)) < 1e-5, "{corner}");
    assert!(world.obstacles().nth(1).unwrap().is_sensor());
    let plane = world.half_spaces().next().unwrap();
    assert_eq!(plane.normal, [0.0, 0.6, 0.8]);

    for _ in 0..60 {
        world.step(scene.dt());
    }
    near(boxes(&world)[0], [0.0, 2.9, 2.5], [2.0, 3.1, 3.5]);
}

#[test]
fn layers_are_bits() {
    let ball = |name: &str, rest: &str| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmodel = \"rigid\"\nmaterial = \"steel\"\n\
             shape = {{ kind = \"sphere\", radius = 0.1 }}\nposition = [0, 0.2, 0]\n{rest}\n"
        )
    };
    let floor = "[[obstacles]]\nkind = \"half-space\"\nlayers = { member = [3] }\n";
    let heights = |layers: &str| {
        let scene = scene(&format!("{}{floor}", ball("ball", layers)));
        let mut world = scene.build(1).unwrap();
        for _ in 0..60 {
            world.step(scene.dt());
        }
        centre(named(&world, "ball")).y
    };
    // falls through unless it meets layer 3
    assert!(heights("layers = { meets = [1, 2, 32] }") < -1.0);
    assert!(heights("layers = { member = [4], meets = [3] }") > 0.05);
    assert!(heights("") > 0.05);
    assert_eq!(Layers::default(), Layers { member: 1, meets: u32::MAX });
}

#[test]
fn copies_are_turned_by_no_more_than_said() {
    let heap = |seed: u32, turn: &str| {
        let text = format!(
            "title = \"Test\"\nformat = 1\nseed = {seed}\n[materials.steel]\n[[bodies]]\n\
             name = \"box\"\nmodel = \"rigid\"\nmaterial = \"steel\"\n\
             shape = {{ kind = \"block\", size = [0.1, 0.2, 0.3] }}\n\
             copies = {{ counts = [5, 4, 3], spacing = [1, 1, 1]{turn} }}\n"
        );
        let world = Scene::parse("test.toml", &text).unwrap().build(1).unwrap();
        let bodies = world.body_ids().filter_map(|id| world.body(id));
        bodies.map(|body| body.orientations(&body.pieces()[0])[0]).collect::<Vec<[f32; 4]>>()
    };
    let angle = |q: &[f32; 4]| 2.0 * q[3].abs().min(1.0).acos().to_degrees();
    assert!(heap(1, "").iter().all(|q| *q == [0.0, 0.0, 0.0, 1.0]));
    let turned = heap(1, ", turn = 30");
    let largest = turned.iter().map(angle).fold(0.0, f32::max);
    assert!((24.0..30.01).contains(&largest), "{largest}");
    assert_eq!(turned, heap(1, ", turn = 30"));
    assert_ne!(turned, heap(2, ", turn = 30"));
    assert!(turned.windows(2).all(|pair| pair[0] != pair[1]));
}

/// Runs a scene of the gallery.
fn run(name: &str, frames: u32) -> World {
    let scene = Scene::open(name).unwrap();
    let mut world = scene.build(2).unwrap();
    for _ in 0..frames {
        let report = world.step(scene.dt());
        assert_eq!(report.quarantined, 0, "{name}");
    }
    world.validate();
    world
}

/// Of the momentum of 26 kg m/s the wall gets more than there was, and gives some of it to the ground.
#[test]
fn a_ball_at_100_m_per_s_bounces_off_the_wall() {
    let world = run("shot", 24);
    let (ball, wall) = (named(&world, "ball"), named(&world, "wall"));
    let at = centre(ball);
    assert!((-1.0..-0.08).contains(&at.x), "the ball is at {at}");
    let momentum = |body: &Body| -> f64 {
        let of = body.pieces().iter().flat_map(|piece| body.velocities(piece));
        of.zip(body.masses()).map(|(v, &mass)| f64::from(mass * v[0])).sum()
    };
    let (of_ball, of_wall, all) = (momentum(ball), momentum(wall), 100.0 * ball.mass());
    let kept = (of_ball + of_wall) / all;
    assert!(of_ball < -0.5 && (0.8..1.0001).contains(&kept), "{of_ball}, {of_wall} of {all}");
}

#[test]
fn dominoes_fall_one_after_the_other() {
    let scene = Scene::open("dominoes").unwrap();
    let mut world = scene.build(2).unwrap();
    let mut fallen = Vec::new();
    for _ in 0..scene.frames() {
        world.step(scene.dt());
        for id in world.body_ids() {
            let body = world.body(id).unwrap();
            // one that leans on the next has its middle well below where it stood
            if centre(body).y < 0.21 && !fallen.contains(&id) {
                fallen.push(id);
            }
        }
    }
    let all: Vec<_> = world.body_ids().collect();
    assert_eq!(fallen, all);
}

#[test]
fn the_press_squeezes_the_bunny() {
    let height = |world: &World| {
        let ys = named(world, "bunny").world_positions().map(|x| x[1]);
        ys.fold(0.0, f64::max)
    };
    let (before, pressed) = (height(&run("press", 30)), height(&run("press", 180)));
    assert!(pressed < 0.3 && before > 0.38, "from {before} to {pressed} m");
}

#[test]
fn on_the_incline_friction_decides() {
    let world = run("incline", 90);
    let start = DVec3::new(-0.864, 1.075, 0.0);
    let slid = |name: &str| {
        let at = centre(named(&world, name));
        DVec3::new(at.x, at.y, 0.0).distance(start)
    };
    let (ice, wood, rubber) = (slid("ice"), slid("wood"), slid("rubber"));
    // a = g (sin 25° − μ cos 25°) for 1.5 s would be 2.7 m, beyond the ramp, and 0.41 m; for μ = 0.9 nothing
    assert!(ice > 1.5 && (0.3..0.6).contains(&wood) && rubber < 0.02, "{ice} {wood} {rubber}");
    assert!(slid("roller") > 1.0);
}

#[test]
fn nothing_falls_through_the_terrain() {
    let world = run("terrain", 150);
    for body in world.body_ids().filter_map(|id| world.body(id)) {
        let at = centre(body);
        let inside = at.x.abs() < 2.0 && at.z.abs() < 2.0 && at.y > 0.0;
        assert!(inside, "body `{}` is at {at}", body.name());
    }
}

#[test]
fn the_pile_comes_to_lie() {
    let world = run("pile", 100);
    let bodies = || world.body_ids().filter_map(|id| world.body(id));
    let highest = bodies().map(|body| centre(body).y).fold(0.0, f64::max);
    assert!(bodies().all(|body| centre(body).y > 0.0) && highest < 1.0, "highest at {highest} m");
    let fastest = |body: &Body| {
        let of = body.pieces().iter().flat_map(|piece| body.velocities(piece));
        of.map(|&v| Vec3::from(v).length()).fold(0.0, f32::max)
    };
    let moving = bodies().filter(|body| fastest(body) > 0.5).count();
    assert!(moving <= 5, "{moving} still tumble");
}
