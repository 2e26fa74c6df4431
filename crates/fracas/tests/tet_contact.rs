//! Contact of bodies of tetrahedra by their surfaces: floors, obstacles, rigid and oriented bodies, each other, themselves.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::blocks::{block, block_of, faces_of, tets};
use common::tet_figures::lowest_layer;
use common::{FRAME, Random, body, centre_of_mass, floor, grip_box, lattice, material};
use fracas::contact::shape::{HeightField, Shape, TriangleMesh};
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::{
    Body, BodyDesc, GripDesc, GripMotion, HitTarget, Layers, MoveKey, ObstacleDesc, RayDesc,
    ShapeDesc, WorldPose,
};
use fracas::{BodyId, Event, World, WorldConfig};

const G: f64 = 9.81;

fn awake(substeps: u32) -> World {
    World::new(WorldConfig { substeps, sleeping: false, ..WorldConfig::default() }).unwrap()
}

fn weightless(substeps: u32) -> World {
    let gravity = [0.0; 3];
    World::new(WorldConfig { substeps, gravity, sleeping: false, ..WorldConfig::default() })
        .unwrap()
}

fn rigid(shape: Shape, density: f32) -> BodyDesc {
    let desc = MaterialDesc { density: density.into(), restitution: 0.0.into(), ..material(1e9) };
    BodyDesc::new("rigid", ShapeDesc::rigid(shape), vec![Material::try_from(&desc).unwrap()])
}

fn at(mut desc: BodyDesc, position: [f64; 3]) -> BodyDesc {
    desc.position = position;
    desc
}

fn places(world: &World, id: BodyId) -> Vec<DVec3> {
    world.body(id).unwrap().world_positions().map(DVec3::from).collect()
}

fn lowest(world: &World, id: BodyId) -> f64 {
    places(world, id).iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
}

fn velocities(body: &Body) -> impl Iterator<Item = Vec3> {
    body.pieces().iter().flat_map(|piece| body.velocities(piece)).map(|&v| v.into())
}

fn fastest(world: &World, id: BodyId) -> f32 {
    velocities(world.body(id).unwrap()).map(Vec3::length).fold(0.0, f32::max)
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / FRAME).round() as usize {
        world.step(FRAME);
    }
}

/// Mean force on a body over a second.
fn mean_force(world: &mut World, id: BodyId) -> DVec3 {
    let mut mean = DVec3::ZERO;
    for _ in 0..60 {
        world.step(FRAME);
        mean += DVec3::from(world.force_on(id).unwrap()) / 60.0;
    }
    mean
}

/// Depth of a point in tetrahedra at these places: how far it is from their surface, if it is inside.
fn depth(x: &[DVec3], tets: &[[u32; 4]], faces: &[[u32; 3]], p: DVec3) -> f64 {
    let inside = tets.iter().any(|tet| {
        let [a, b, c, d] = tet.map(|i| x[i as usize]);
        let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
        let all = volume(a, b, c, d);
        let parts =
            [volume(p, b, c, d), volume(a, p, c, d), volume(a, b, p, d), volume(a, b, c, p)];
        all != 0.0 && parts.iter().all(|part| part / all > 0.0)
    });
    if !inside {
        return 0.0;
    }
    let away = faces.iter().map(|face| distance(face.map(|i| x[i as usize]), p));
    away.fold(f64::INFINITY, f64::min)
}

/// From a point to a triangle, by its inside and its edges.
fn distance([a, b, c]: [DVec3; 3], p: DVec3) -> f64 {
    let n = (b - a).cross(c - a);
    let over = |a: DVec3, b: DVec3| n.cross(b - a).dot(p - a) >= 0.0;
    if over(a, b) && over(b, c) && over(c, a) {
        return n.normalize().dot(p - a).abs();
    }
    let edge = |a: DVec3, b: DVec3| {
        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        p.distance(a + t * (b - a))
    };
    edge(a, b).min(edge(b, c)).min(edge(c, a))
}

/// Vertices and tetrahedra.
type Mesh = (Vec<[f32; 3]>, Vec<[u32; 4]>);

/// The deepest corner of either body in the other.
fn deepest(world: &World, [a, b]: [BodyId; 2], mesh: &[&Mesh; 2]) -> f64 {
    let (x, y) = (places(world, a), places(world, b));
    let one = x.iter().map(|&p| depth(&y, &mesh[1].1, &faces_of(&mesh[1].1), p));
    let other = y.iter().map(|&p| depth(&x, &mesh[0].1, &faces_of(&mesh[0].1), p));
    one.chain(other).fold(0.0, f64::max)
}

/// On a half-space, a box, a mesh and a height field a block lies with its weight, and neither sinks nor moves.
#[test]
fn a_block_lies_with_its_weight() {
    let table = Shape::block([0.5, 0.1, 0.5].into()).unwrap();
    let corners = [[-0.5, 0.1, -0.5], [0.5, 0.1, -0.5], [0.5, 0.1, 0.5], [-0.5, 0.1, 0.5]];
    let sheet = TriangleMesh::new(corners.map(Vec3::from).to_vec(), vec![[0, 2, 1], [0, 3, 2]]);
    let field = HeightField::new(12, vec![0.1; 144], [0.1, 0.1]).unwrap();
    let grounds = [
        ("plane", None),
        ("box", Some(table)),
        ("mesh", Some(Shape::TriangleMesh(sheet.unwrap()))),
        ("height field", Some(Shape::HeightField(field))),
    ];
    for substeps in [1, 4] {
        for (ground, shape) in grounds.clone() {
            let mut world = awake(substeps);
            match shape {
                None => {
                    world.add_half_space(floor()).unwrap();
                }
                Some(shape) => {
                    let corner = if ground == "height field" { -0.53 } else { 0.003 };
                    let position = [corner, -0.1, corner];
                    let desc = ObstacleDesc { position, ..ObstacleDesc::new(shape) };
                    world.add_obstacle(desc).unwrap();
                }
            }
            let desc = tets(block([4, 2, 4], 0.05), &material(1e6));
            let id = world.spawn(at(desc, [0.0, 0.051, 0.0])).unwrap();
            run(&mut world, 2.0);
            let weight = G * world.body(id).unwrap().mass();
            let force = mean_force(&mut world, id) / weight;
            let (low, speed) = (lowest(&world, id), fastest(&world, id));
            println!(
                "{ground}, {substeps} substeps: force {:.5}, lowest {low:.2e} m, fastest {speed:.2e} m/s, {} contacts",
                force.y,
                world.contacts().count(),
            );
            assert!((force - DVec3::Y).length() < 2e-3, "{ground}, {substeps}: {force} weights");
            assert!(low > -1e-4, "{ground}, {substeps}: sank to {low}");
            assert!(speed < 1e-3, "{ground}, {substeps}: moves with {speed}");
        }
    }
}

fn on_incline(tangent: f64, substeps: u32) -> (World, BodyId) {
    let angle = tangent.atan();
    let gravity = [(G * angle.sin()) as f32, -(G * angle.cos()) as f32, 0.0];
    let config = WorldConfig { gravity, substeps, sleeping: false, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    world.add_half_space(floor()).unwrap();
    let desc = tets(block([4, 2, 4], 0.05), &material(1e6));
    let id = world.spawn(at(desc, [0.0, 0.05, 0.0])).unwrap();
    (world, id)
}

/// Below the limit of friction, 0.5, a block stays; above it slides with g (sin θ − μ cos θ).
#[test]
fn a_block_slides_as_coulomb_says() {
    for substeps in [1, 4] {
        let (mut world, id) = on_incline(0.45, substeps);
        run(&mut world, 1.0);
        let before = centre_of_mass(world.body(id).unwrap())[0];
        run(&mut world, 1.0);
        let creep = centre_of_mass(world.body(id).unwrap())[0] - before;
        println!("{substeps} substeps: creeps {creep:.2e} m/s");
        assert!(creep.abs() < 1e-4, "{substeps} substeps: creeps by {creep} m/s");
        for tangent in [0.6, 0.8] {
            let (mut world, id) = on_incline(tangent, substeps);
            let speed = |world: &World| {
                let body = world.body(id).unwrap();
                let sum: f64 =
                    velocities(body).zip(body.masses()).map(|(v, m)| f64::from(v.x * m)).sum();
                sum / body.mass()
            };
            run(&mut world, 0.5);
            let before = speed(&world);
            run(&mut world, 0.5);
            let angle = tangent.atan();
            let ratio = 2.0 * (speed(&world) - before) / (G * (angle.sin() - 0.5 * angle.cos()));
            println!("{substeps} substeps, tan {tangent}: {ratio:.4} of Coulomb's acceleration");
            assert!((ratio - 1.0).abs() < 0.02, "{substeps} substeps, tan {tangent}: {ratio}");
        }
    }
}

/// The lowest of 30 layers carries the weight of all above: ε = ρ g (H − d/2) / E without friction and with ν = 0, by its middle.
#[test]
fn the_lowest_layer_of_a_column_carries_the_others() {
    for substeps in [1, 2, 8] {
        let ratio = lowest_layer(substeps);
        println!("{substeps} substeps: {ratio:.4} of statics");
        assert!((ratio - 1.0).abs() < 0.1, "{substeps} substeps: {ratio}");
    }
}

fn momenta(world: &World, bodies: [BodyId; 2]) -> (DVec3, DVec3) {
    let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for body in bodies.map(|id| world.body(id).unwrap()) {
        let x = body.world_positions().map(DVec3::from);
        for ((v, &m), x) in velocities(body).zip(body.masses()).zip(x) {
            let p = f64::from(m) * v.as_dvec3();
            momentum += p;
            angular += x.cross(p);
        }
    }
    (momentum, angular)
}

/// Two blocks that meet off centre, with friction, keep momentum and angular momentum.
#[test]
fn collisions_keep_momentum() {
    for substeps in [1, 4] {
        let mut world = weightless(substeps);
        let mut one = at(tets(block([3, 3, 3], 0.05), &material(1e5)), [-0.1, 0.03, 0.02]);
        one.velocity = [2.0, 0.0, 0.3];
        one.spin = [0.5, 1.0, -0.7];
        let mut other = at(tets(block([3, 3, 3], 0.04), &material(1e5)), [0.1, -0.03, -0.01]);
        other.velocity = [-2.0, 0.2, 0.0];
        other.rotation = Rot::from_axis_angle(Vec3::new(1.0, 0.4, 0.2), 0.5);
        let ids = [world.spawn(one).unwrap(), world.spawn(other).unwrap()];
        world.step(FRAME);
        let (p, l) = momenta(&world, ids);
        let mut touched = false;
        for _ in 0..60 {
            world.step(FRAME);
            touched |= world.contacts().next().is_some();
        }
        let (p1, l1) = momenta(&world, ids);
        // what each brings along: 3.4 kg at 2 m/s, on arms of 4 cm
        let (scale, turning) = (3.4 * 2.0, 3.4 * 2.0 * 0.04);
        let (dp, dl) = ((p1 - p).length() / scale, (l1 - l).length() / turning);
        println!("{substeps} substeps: momentum {dp:.1e}, angular momentum {dl:.1e}");
        assert!(touched, "they did not meet");
        assert!(dp < 1e-6, "{substeps} substeps: {dp} of the momentum");
        assert!(dl < 1e-5, "{substeps} substeps: {dl} of the angular momentum");
    }
}

/// Two bodies that fall on each other in random poses come to rest apart.
#[test]
fn random_drops_end_apart() {
    let (first, second) = (block([3, 3, 3], 0.05), block_of([4, 2, 3], [0.05, 0.04, 0.06]));
    let mut random = Random(7);
    let mut unit = || random.below(2000) as f32 / 1000.0 - 1.0;
    let (mut worst, mut touching): (f64, usize) = (0.0, 0);
    for drop in 0..50 {
        let mut world = awake(2);
        world.add_half_space(floor()).unwrap();
        let mut turn =
            || Rot::from_axis_angle(Vec3::new(unit(), unit(), unit() + 1e-3), 3.0 * unit());
        let (q, r) = (turn(), turn());
        let soft = MaterialDesc { damping_time: 0.05.into(), ..material(3e5) };
        let mut below = at(tets(first.clone(), &soft), [0.0, 0.15, 0.0]);
        below.rotation = q;
        let mut above = at(tets(second.clone(), &soft), [f64::from(0.05 * unit()), 0.42, 0.03]);
        above.rotation = r;
        let ids = [world.spawn(below).unwrap(), world.spawn(above).unwrap()];
        run(&mut world, 2.5);
        let deep = deepest(&world, ids, &[&first, &second]) / 0.05;
        let low = lowest(&world, ids[0]).min(lowest(&world, ids[1]));
        let speed = fastest(&world, ids[0]).max(fastest(&world, ids[1]));
        println!(
            "drop {drop}: {:.2} % of an edge deep, lowest {low:.1e}, {speed:.1e} m/s",
            100.0 * deep
        );
        worst = worst.max(deep);
        touching += usize::from(world.contacts().any(|c| c.bodies().iter().all(Option::is_some)));
        assert!(low > -2e-3, "drop {drop}: {low} m below the floor");
    }
    println!("deepest: {:.2} % of an edge, {touching} of 50 rest on each other", 100.0 * worst);
    assert!(touching >= 10, "only {touching} of 50 rest on each other");
    assert!(worst < 0.05, "{worst} edges deep");
}

/// A block at 100 m/s.
fn shot(modulus: f32) -> BodyDesc {
    let mut desc = at(tets(block([3, 3, 3], 0.04), &material(modulus)), [-0.5, 0.01, 0.013]);
    desc.velocity = [100.0, 0.0, 0.0];
    desc
}

/// At 100 m/s and 4 substeps a block does not get through a wall of 2 cm that stands.
#[test]
fn shots_do_not_pass_a_wall() {
    for modulus in [1e7, 1e8, 1e9, 1e10] {
        let mut world = weightless(4);
        let wall = Shape::block([0.01, 0.5, 0.5].into()).unwrap();
        world.add_obstacle(ObstacleDesc::new(wall)).unwrap();
        let id = world.spawn(shot(modulus)).unwrap();
        let mut farthest = f64::NEG_INFINITY;
        for _ in 0..30 {
            world.step(FRAME);
            farthest = places(&world, id).iter().map(|x| x.x).fold(farthest, f64::max);
        }
        println!(
            "wall, {modulus:e} Pa: farthest {farthest:.4} m, {:.1} m/s in the end",
            fastest(&world, id)
        );
        assert!(farthest < -0.005, "{modulus:e} Pa: into the wall to {farthest}");
    }
}

/// Nor through a plate of tetrahedra of 1 cm, held at its rim.
#[test]
fn shots_do_not_pass_a_plate() {
    let mut world = weightless(4);
    let id = world.spawn(shot(1e8)).unwrap();
    let plate = tets(block_of([1, 10, 10], [0.01, 0.06, 0.06]), &material(1e10));
    let plate = world.spawn(plate).unwrap();
    for [min, max] in [
        [[-1.0, -1.0, -1.0], [1.0, -0.29, 1.0]],
        [[-1.0, 0.29, -1.0], [1.0, 1.0, 1.0]],
        [[-1.0, -0.29, -1.0], [1.0, 0.29, -0.29]],
        [[-1.0, -0.29, 0.29], [1.0, 0.29, 1.0]],
    ] {
        world.grip(grip_box(plate, min, max, GripMotion::Hold)).unwrap();
    }
    // while they press against each other
    for _ in 0..12 {
        world.step(FRAME);
        let side = |id: BodyId| centre_of_mass(world.body(id).unwrap())[0];
        assert!(side(id) < side(plate), "through the plate, from {} to {}", side(plate), side(id));
    }
}

/// A rigid ball of 2 cm lies in the middle of a triangle of 40 cm, far from all corners.
#[test]
fn a_ball_lies_on_a_large_triangle() {
    let mut world = awake(2);
    world.add_half_space(floor()).unwrap();
    let bed = tets(block([1, 1, 1], 0.4), &material(1e6));
    world.spawn(at(bed, [0.0, 0.2, 0.0])).unwrap();
    let ball = at(rigid(Shape::sphere(0.02).unwrap(), 7850.0), [0.08, 0.45, -0.06]);
    let id = world.spawn(ball).unwrap();
    run(&mut world, 3.0);
    let weight = G * world.body(id).unwrap().mass();
    let force = mean_force(&mut world, id).y / weight;
    let height = places(&world, id)[0].y;
    println!("ball: at {height:.5} m, force {force:.4} weights");
    assert!((height - 0.42).abs() < 2e-3, "at {height} m");
    assert!((force - 1.0).abs() < 0.01, "{force} weights");
}

/// A rigid box within one triangle of 40 cm stands on its four corners: points of one solid in one plane are no doubles.
#[test]
fn a_box_stands_on_a_large_triangle() {
    let mut world = awake(2);
    world.add_half_space(floor()).unwrap();
    let bed = tets(block([1, 1, 1], 0.4), &material(1e6));
    world.spawn(at(bed, [0.0, 0.2, 0.0])).unwrap();
    let cube = rigid(Shape::block([0.03, 0.03, 0.03].into()).unwrap(), 7850.0);
    let id = world.spawn(at(cube, [0.1, 0.431, -0.1])).unwrap();
    run(&mut world, 3.0);
    let weight = G * world.body(id).unwrap().mass();
    let force = mean_force(&mut world, id).y / weight;
    let (x, speed) = (places(&world, id)[0], fastest(&world, id));
    let touching = world.contacts().filter(|c| c.bodies().iter().all(Option::is_some)).count();
    println!("box: at {x:.5} m, {speed:.1e} m/s, force {force:.4} weights, {touching} points");
    assert_eq!(touching, 4, "it stands on its corners");
    assert!((force - 1.0).abs() < 0.01, "{force} weights");
    assert!((x.y - 0.43).abs() < 2e-3 && (x.x - 0.1).hypot(x.z + 0.1) < 1e-3, "at {x}");
    assert!(speed < 1e-4, "{speed} m/s");
}

/// A block of steel of 59 kg sinks into foam by some millimetres and comes to rest there, foam and all.
#[test]
fn a_weight_on_foam_comes_to_rest() {
    let mut world = awake(8);
    world.add_half_space(floor()).unwrap();
    let foam = MaterialDesc {
        density: 300.0.into(),
        poisson_ratio: 0.35.into(),
        damping_time: 0.2.into(),
        friction: 0.7.into(),
        friction_static: 0.7.into(),
        ..material(6e5)
    };
    let bed = tets(block([8, 3, 8], 0.05), &foam);
    let bed = world.spawn(at(bed, [0.0, 0.076, 0.0])).unwrap();
    let steel = rigid(Shape::block([0.125, 0.06, 0.125].into()).unwrap(), 7850.0);
    let weight = world.spawn(at(steel, [0.0, 0.22, 0.0])).unwrap();
    run(&mut world, 3.0);
    let speeds = [bed, weight].map(|id| fastest(&world, id));
    println!("foam {:.1e} m/s, steel {:.1e} m/s", speeds[0], speeds[1]);
    assert!(speeds.into_iter().all(|speed| speed < 1e-3), "{speeds:?} m/s");
}

/// Two bars across each other touch at four pairs of edges, where no corner is.
#[test]
fn crossed_bars_rest_on_each_other() {
    let mut world = awake(2);
    world.add_half_space(floor()).unwrap();
    let along = tets(block_of([1, 1, 1], [0.4, 0.06, 0.06]), &material(1e7));
    let across = tets(block_of([1, 1, 1], [0.06, 0.06, 0.4]), &material(1e7));
    let below = world.spawn(at(along, [0.0, 0.03, 0.0])).unwrap();
    let above = world.spawn(at(across, [0.01, 0.095, 0.02])).unwrap();
    run(&mut world, 2.0);
    let weight = G * world.body(above).unwrap().mass();
    let force = mean_force(&mut world, above).y / weight;
    let (low, x) = (lowest(&world, above), centre_of_mass(world.body(above).unwrap()));
    println!(
        "bars: upper at {low:.5} m, force {force:.4}, fastest {:.1e} m/s",
        fastest(&world, above)
    );
    assert!((force - 1.0).abs() < 0.01, "{force} weights");
    assert!((low - 0.06).abs() < 1e-3, "upper bar at {low}");
    assert!((x[0] - 0.01).abs() + (x[2] - 0.02).abs() < 1e-3, "it moved to {x:?}");
    assert!(lowest(&world, below) > -1e-4);
}

/// A long soft strip whose end is carried over and pressed down onto the other does not go through itself.
#[test]
fn a_strip_folded_onto_itself_does_not_pass_through() {
    let mesh = block_of([24, 1, 3], [0.03, 0.02, 0.03]);
    let faces = faces_of(&mesh.1);
    for substeps in [2, 4] {
        let mut world = weightless(substeps);
        let soft = MaterialDesc { damping_time: 0.05.into(), ..material(2e5) };
        let id = world.spawn(tets(mesh.clone(), &soft)).unwrap();
        let hold = grip_box(id, [-1.0, -1.0, -1.0], [-0.2, 1.0, 1.0], GripMotion::Hold);
        world.grip(hold).unwrap();
        let over = GripMotion::Move {
            pivot: [0.08, 0.0, 0.0],
            axis: [0.0, 0.0, 1.0],
            keys: vec![
                MoveKey::default(),
                MoveKey { time: 1.0, offset: [0.0, 0.14, 0.0], angle: std::f32::consts::PI },
                // the end would come to lie 6 cm below the rest of it
                MoveKey { time: 1.6, offset: [0.0, -0.06, 0.0], angle: std::f32::consts::PI },
            ],
        };
        let end = grip_box(id, [0.34, -1.0, -1.0], [1.0, 1.0, 1.0], over);
        world.grip(end).unwrap();
        let (mut deep, mut touched) = (0.0_f64, 0);
        for _ in 0..95 {
            world.step(FRAME);
            touched = touched.max(world.contacts().count());
            if world.time() > 1.45 {
                // what is held does not give way
                break;
            }
            let x = places(&world, id);
            for (i, &p) in x.iter().enumerate() {
                let others: Vec<[u32; 4]> =
                    mesh.1.iter().copied().filter(|tet| !tet.contains(&(i as u32))).collect();
                deep = deep.max(depth(&x, &others, &faces, p));
            }
        }
        println!("strip, {substeps} substeps: {deep:.2e} m deep, {touched} contacts");
        assert!(touched > 3, "it did not touch itself");
        assert!(deep < 0.05 * 0.02, "{substeps} substeps: {deep} m deep");
    }
}

/// Both ends of a strip are held and pressed into each other, which neither can give way to. When they are let go they spring apart, with no
/// more than what the strip holds.
#[test]
fn ends_that_grips_press_together_spring_apart() {
    let mut world = weightless(4);
    let soft = MaterialDesc { damping_time: 0.05.into(), ..material(2e5) };
    let id = world.spawn(tets(block_of([24, 1, 3], [0.03, 0.02, 0.03]), &soft)).unwrap();
    let angle = std::f32::consts::PI;
    let keys = vec![
        MoveKey::default(),
        MoveKey { time: 1.0, offset: [0.0, 0.14, 0.0], angle },
        MoveKey { time: 1.6, offset: [0.0, -0.02, 0.0], angle },
    ];
    let over = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 0.0, 1.0], keys };
    for (min, max, motion) in [(-1.0, -0.2, GripMotion::Hold), (0.34, 1.0, over)] {
        let grip = grip_box(id, [min, -1.0, -1.0], [max, 1.0, 1.0], motion);
        world.grip(GripDesc { release: Some(1.8), ..grip }).unwrap();
    }
    let mut touched = 0;
    for _ in 0..180 {
        world.step(FRAME);
        touched = touched.max(world.contacts().count());
        let speed = fastest(&world, id);
        // 2e5 Pa and 1000 kg/m³: waves run at 14 m/s
        assert!(speed < 14.0, "{speed} m/s at {:.2} s", world.time());
        assert!(!world.events().any(|event| matches!(event, Event::Quarantined { .. })));
    }
    assert!(touched > 3, "it did not touch itself");
}

/// A rigid block of a hundred times its mass lies on a soft one.
#[test]
fn a_heavy_rigid_block_lies_on_a_soft_one() {
    for substeps in [1, 4] {
        let mut world = awake(substeps);
        world.add_half_space(floor()).unwrap();
        let soft = MaterialDesc { damping_time: 0.1.into(), ..material(2e7) };
        let bed = tets(block([4, 3, 4], 0.05), &soft);
        let bed = world.spawn(at(bed, [0.0, 0.075, 0.0])).unwrap();
        // 6 kg below, 600 kg above
        let cube = Shape::block([0.08, 0.08, 0.08].into()).unwrap();
        let top = rigid(cube, 600.0 / 0.16_f32.powi(3));
        let top = world.spawn(at(top, [0.0, 0.2305, 0.0])).unwrap();
        run(&mut world, 3.0);
        let weight = G * world.body(top).unwrap().mass();
        let force = mean_force(&mut world, top).y / weight;
        let height = places(&world, top)[0].y;
        let ratio = world.body(top).unwrap().mass() / world.body(bed).unwrap().mass();
        println!(
            "{substeps} substeps: {ratio:.0} : 1, at {height:.4} m, force {force:.4}, {} contacts",
            world.contacts().count(),
        );
        assert!((force - 1.0).abs() < 0.02, "{substeps} substeps: {force} weights");
        // 230 kPa on 20 MPa and 15 cm, spread out below
        assert!((0.22..0.2305).contains(&height), "{substeps} substeps: at {height} m");
    }
}

/// A body of oriented particles on top of one of tetrahedra, and one of tetrahedra on top of that.
#[test]
fn mixed_stacks_stand() {
    let mut world = awake(4);
    world.add_half_space(floor()).unwrap();
    let soft = MaterialDesc { damping_time: 0.1.into(), ..material(1e6) };
    let low = world.spawn(at(tets(block([4, 2, 4], 0.05), &soft), [0.0, 0.05, 0.0])).unwrap();
    let middle = body(lattice([4, 2, 4], 0.05, 3), &soft);
    let middle = world.spawn(at(middle, [0.0, 0.151, 0.0])).unwrap();
    let top = world.spawn(at(tets(block([3, 2, 3], 0.05), &soft), [0.0, 0.252, 0.0])).unwrap();
    run(&mut world, 4.0);
    let mass = |id: BodyId| world.body(id).unwrap().mass();
    let [a, b, c] = [low, middle, top].map(mass);
    let force = mean_force(&mut world, low).y;
    let on_top = mean_force(&mut world, top).y;
    println!("stack: {:.4}, {:.4}", force / (G * a), on_top / (G * c));
    assert!((force / (G * a) - 1.0).abs() < 0.02, "{force} N on the lowest, of {} N", G * a);
    assert!((on_top / (G * c) - 1.0).abs() < 0.02, "{on_top} N on the top, of {} N", G * c);
    let floor: f64 =
        world.contacts().filter(|c| c.bodies()[1].is_none()).map(|c| f64::from(c.force[1])).sum();
    assert!((floor / (G * (a + b + c)) - 1.0).abs() < 0.05, "{floor} N on the floor");
    let x = centre_of_mass(world.body(top).unwrap());
    println!("top at {x:?}, fastest {:.1e} m/s", fastest(&world, top));
    assert!(x[0].hypot(x[2]) < 0.01 && (0.22..0.26).contains(&x[1]), "top at {x:?}");
}

/// Rays, moved shapes and overlaps meet the surface, the same by a tree or without.
#[test]
fn questions_meet_the_surface() {
    let mut world = weightless(1);
    let id = world.spawn(at(tets(block([2, 2, 2], 0.1), &material(1e6)), [1.0, 2.0, 3.0])).unwrap();
    world.step(FRAME);
    // between corners, where ellipsoids would not be
    let ray = RayDesc::new([1.03, 5.0, 3.02], [0.0, -2.0, 0.0]);
    let hit = world.cast_ray(ray).unwrap().unwrap();
    assert!((hit.distance - 2.9).abs() < 1e-6, "{hit:?}");
    assert!((hit.normal[1] - 1.0).abs() < 1e-6 && hit.element.is_some(), "{hit:?}");
    let HitTarget::Body { body: hit_body, particle, .. } = hit.target else { panic!("{hit:?}") };
    assert_eq!(hit_body, id);
    let body = world.body(id).unwrap();
    let place = body.particle_ids().iter().position(|&p| p == particle).unwrap();
    let corner = DVec3::from(body.world_positions().nth(place).unwrap());
    assert!(
        corner.distance(DVec3::new(1.0, 2.1, 3.0)) < 1e-6,
        "the corner next to it, not {corner}"
    );
    assert_eq!(world.cast_ray_all(ray).unwrap().len(), 1);
    let past = RayDesc::new([1.101, 5.0, 3.02], [0.0, -1.0, 0.0]);
    assert_eq!(world.cast_ray(past).unwrap(), None);
    let inside = RayDesc::new([1.01, 2.02, 3.03], [0.0, 1.0, 0.0]);
    assert_eq!(world.cast_ray(inside).unwrap().unwrap().distance, 0.0);

    let ball = Shape::sphere(0.05).unwrap();
    let pose = |position: [f64; 3]| WorldPose { position, ..WorldPose::default() };
    let way = [0.0, -5.0, 0.0];
    let hit =
        world.cast_shape(&ball, pose([1.03, 5.0, 3.02]), way, Layers::default()).unwrap().unwrap();
    assert!((hit.distance - 2.85).abs() < 1e-5, "{hit:?}");
    let overlaps =
        |position| world.overlaps(&ball, pose(position), Layers::default()).unwrap().len();
    assert_eq!(overlaps([1.0, 2.0, 3.0]), 1, "all inside");
    assert_eq!(overlaps([1.14, 2.03, 3.02]), 1, "through a side");
    assert_eq!(overlaps([1.16, 2.03, 3.02]), 0, "beside it");
    let casts = world.casts();
    assert_eq!(casts.cast_ray(ray).unwrap(), world.cast_ray(ray).unwrap());
    assert_eq!(casts.cast_ray(past).unwrap(), None);
    assert_eq!(casts.overlaps(&ball, pose([1.0, 2.0, 3.0]), Layers::default()).unwrap().len(), 1);
}

/// A sensor tells who comes and goes, layers that do not meet pass through each other, and what rests sleeps until it is hit.
#[test]
fn sensors_layers_and_sleep() {
    let mut world = World::new(WorldConfig { substeps: 2, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    let gate = Shape::block([0.5, 0.05, 0.5].into()).unwrap();
    let gate = ObstacleDesc { position: [0.0, 0.4, 0.0], sensor: true, ..ObstacleDesc::new(gate) };
    let gate = world.add_obstacle(gate).unwrap();
    let soft = MaterialDesc { damping_time: 0.05.into(), ..material(1e6) };
    let id = world.spawn(at(tets(block([3, 2, 3], 0.05), &soft), [0.0, 0.6, 0.0])).unwrap();
    let mut ghost = at(tets(block([3, 2, 3], 0.05), &soft), [0.01, 0.05, 0.0]);
    ghost.layers = Layers { member: 2, meets: 2 };
    let ghost = world.spawn(ghost).unwrap();
    let (mut came, mut went) = (0, 0);
    for _ in 0..180 {
        world.step(FRAME);
        for event in world.events() {
            let mine = |sensor, body| usize::from(sensor == gate && body == id);
            match event {
                Event::Entered { sensor, body, .. } => came += mine(sensor, body),
                Event::Left { sensor, body, .. } => went += mine(sensor, body),
                _ => {}
            }
        }
    }
    assert_eq!((came, went), (1, 1));
    assert!((lowest(&world, id)).abs() < 1e-3, "it fell through the other layer to the floor");
    assert!(lowest(&world, ghost) < -1.0, "layer 2 meets no floor");
    let asleep = |world: &World| world.body(id).unwrap().pieces()[0].is_asleep();
    assert!(asleep(&world), "it rests");
    let hammer = at(rigid(Shape::sphere(0.03).unwrap(), 3000.0), [0.01, 0.3, 0.02]);
    world.spawn(hammer).unwrap();
    run(&mut world, 0.3);
    assert!(!asleep(&world), "it was hit");
    run(&mut world, 1.0);
    assert!(lowest(&world, id) > -1e-3);
}

/// A heap of all kinds.
fn heap(threads: u32) -> World {
    let mut world =
        World::new(WorldConfig { threads, substeps: 2, ..WorldConfig::default() }).unwrap();
    world.add_half_space(floor()).unwrap();
    for k in 0..4 {
        let mut desc = tets(block([3, 2, 3], 0.05), &material(3e5));
        desc.rotation = Rot::from_axis_angle(Vec3::new(1.0, 0.3 * k as f32, 0.5), 0.4 * k as f32);
        let x = 0.03 * f64::from(k);
        world.spawn(at(desc, [x, 0.1 + 0.16 * f64::from(k), 0.02 * x])).unwrap();
    }
    let cube = rigid(Shape::block([0.03, 0.03, 0.03].into()).unwrap(), 2000.0);
    world.spawn(at(cube, [0.02, 0.8, 0.01])).unwrap();
    let other = body(lattice([2, 2, 2], 0.05, 3), &material(1e5));
    world.spawn(at(other, [-0.1, 0.5, 0.0])).unwrap();
    world
}

#[test]
fn a_heap_is_the_same_on_any_number_of_threads() {
    let hashes = |threads: u32| {
        let mut world = heap(threads);
        (0..60).map(|_| world.step(FRAME).hash).collect::<Vec<u64>>()
    };
    let one = hashes(1);
    assert_eq!(one, hashes(2));
    assert_eq!(one, hashes(3));
}

#[test]
fn a_heap_goes_on_after_loading() {
    let mut world = heap(2);
    for _ in 0..45 {
        world.step(FRAME);
    }
    let mut copy = World::load(&world.save(), 2).unwrap();
    for step in 0..30 {
        assert_eq!(world.step(FRAME).hash, copy.step(FRAME).hash, "step {step}");
    }
}
