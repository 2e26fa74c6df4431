//! Fragments break again: in two under their load, and in a pattern where they are hit.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, Random, body, floor, lattice, material, weightless};
use fracas::contact::shape::Shape;
use fracas::geometry::{Convex, Pattern, PatternDesc};
use fracas::glam::{DMat3, DVec3, Vec3};
use fracas::material::{Material, MaterialDesc};
use fracas::math::{Rot, Sym3};
use fracas::solids::division::mass_moment;
use fracas::solids::{Division, NewParticle, Part, Particles};
use fracas::world::{
    Body, BodyDesc, BodyId, Event, GripDesc, GripMotion, ParticleId, Region, ShapeDesc, World,
    WorldConfig,
};

/// Side of a fragment, in m.
const SIDE: f32 = 0.1;

/// E = 1e9 Pa, ρ = 1000 kg/m³: c = 1000 m/s, and a cube that lands flat feels ¼ ρ c v.
fn brittle(strength: f32) -> MaterialDesc {
    MaterialDesc {
        strength: strength.into(),
        toughness: 1e9.into(),
        load_time: 1e-5.into(),
        restitution: 0.0.into(),
        ..material(1e9)
    }
}

fn radial(radius: f32) -> Pattern {
    let desc = PatternDesc::Radial { radius, rays: 8, rings: 3, seed: 5 };
    Pattern::try_from(&desc).unwrap()
}

/// Drops a cube flat from this height above the floor; how many parts there are in the end.
fn drop_cube(height: f64, substeps: u32, strength: f32) -> (World, BodyId) {
    let config = WorldConfig { substeps, fragments_split: true, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    world.add_half_space(floor()).unwrap();
    let mut desc = body(lattice([1, 1, 1], SIDE, 3), &brittle(strength));
    // the last metre is enough
    let fall = height.min(0.1);
    desc.position = [0.0, f64::from(0.5 * SIDE) + fall, 0.0];
    desc.velocity = [0.0, -((2.0 * 9.81 * (height - fall)) as f32).sqrt(), 0.0];
    let id = world.spawn(desc).unwrap();
    for _ in 0..30 {
        world.step(FRAME);
    }
    (world, id)
}

fn parts(world: &World, id: BodyId) -> usize {
    world.body(id).unwrap().particle_count()
}

/// ¼ ρ c v = 2 MPa at 8 m/s, 3.3 m. From 20 m it splits, from 10 cm it does not.
#[test]
fn a_cube_splits_after_a_high_fall_only() {
    let (mut world, id) = drop_cube(20.0, 4, 2e6);
    let many = parts(&world, id);
    assert!(many > 1, "it is whole");
    let events: Vec<_> = world.events().collect();
    let cracks = events.iter().filter(|event| matches!(event, Event::Crack { .. })).count();
    let splits = events.iter().filter(|event| matches!(event, Event::Split { .. })).count();
    assert_eq!((cracks, splits), (many - 1, 2 * (many - 1)));
    assert_eq!(world.body(id).unwrap().pieces().len(), many);
    world.validate();
    let (world, id) = drop_cube(0.1, 4, 2e6);
    assert_eq!(parts(&world, id), 1);
}

/// Parts are never below 1/16 of the mean fragment, however hard the fall.
#[test]
fn parts_have_a_least_size() {
    let (world, id) = drop_cube(20.0, 4, 1e2);
    let body = world.body(id).unwrap();
    let least = body.masses().iter().fold(f32::INFINITY, |m, &x| m.min(x));
    println!("{} parts, the least has {least} kg", body.particle_count());
    assert!(body.particle_count() > 4 && body.particle_count() <= 16);
    assert!(least >= 1.0 / 16.0 - 1e-6, "{least} kg");
    assert!((body.mass() - 1.0).abs() < 1e-6);
}

/// The height at which a cube splits is a matter of the material, not of the substeps.
#[test]
fn the_height_at_which_it_splits_does_not_depend_on_substeps() {
    let heights = [1, 4, 8].map(|substeps| {
        let (mut low, mut high) = (0.1, 20.0);
        for _ in 0..8 {
            let middle = 0.5 * (low + high);
            let (world, id) = drop_cube(middle, substeps, 2e6);
            if parts(&world, id) > 1 { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    });
    println!("splits from {heights:?} m on");
    for height in heights {
        assert!((height / heights[1] - 1.0).abs() < 0.2, "{heights:?}");
        assert!((height / 3.26 - 1.0).abs() < 0.2, "{heights:?}, not 3.26 m");
    }
}

/// A unit vector, or any in the cube.
fn random_vector(random: &mut Random) -> DVec3 {
    let mut next = || random.below(20_001) as f64 / 10_000.0 - 1.0;
    DVec3::new(next(), next(), next())
}

/// Mass, momentum, angular momentum and second moment of mass about the origin.
fn totals(particles: &Particles) -> (f64, DVec3, DVec3, DMat3) {
    let mut sum = (0.0, DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
    let outer = |r: DVec3| DMat3::from_cols(r * r.x, r * r.y, r * r.z);
    for j in 0..particles.len() {
        let m = f64::from(particles.mass[j]);
        let [x, v] = [particles.position[j], particles.velocity[j]].map(|v| v.as_dvec3());
        let own = particles.inertia_times(j, particles.spin[j]).as_dvec3();
        let q = particles.orientation[j].to_mat3().as_dmat3();
        sum.0 += m;
        sum.1 += m * v;
        sum.2 += m * x.cross(v) + own;
        sum.3 += q * mass_moment(&particles.inertia[j]) * q.transpose() + outer(x) * m;
    }
    sum
}

/// The solid that a particle is, about its centre, from the corners that contact takes.
fn solid_of(particles: &Particles, j: usize, cell: &Convex) -> Option<Convex> {
    let corners: Vec<Vec3> = cell.corners().into_iter().map(Vec3::from).collect();
    let covariance = mass_moment(&particles.inertia[j]) * (1.0 / f64::from(particles.mass[j]));
    let solid = Convex::hull(&corners).ok()?.with_moments(covariance)?;
    let centre = solid.measure().centre;
    solid.transformed(DMat3::IDENTITY, -centre)
}

/// A thousand random cuts, of parts of parts too: nothing is lost or won.
#[test]
fn parts_add_up_to_what_was_divided() {
    let mut random = Random(7);
    let mut worst = [0.0f64; 4];
    let mut divisions = 0;
    for _ in 0..220 {
        let half = (random_vector(&mut random).abs() + 0.1) * 0.1;
        let block = Convex::block(half).unwrap();
        let mass = 1.0 + random.below(100) as f64 / 10.0;
        let moment = block.measure().second_moment * (mass / block.volume());
        let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
        let inertia =
            Sym3::from_mat3(&(DMat3::from_diagonal(DVec3::splat(trace)) - moment).as_mat3());
        let mut particles = Particles::default();
        particles.push(NewParticle {
            rest: random_vector(&mut random).as_vec3(),
            mass: mass as f32,
            inertia: Some(inertia),
            radii: [0.1; 3],
            axes: Rot::IDENTITY,
            friction: [0.5; 2],
            restitution: 0.0,
            material: 0,
        });
        particles.position[0] = random_vector(&mut random).as_vec3() * 0.1;
        particles.velocity[0] = random_vector(&mut random).as_vec3() * 5.0;
        particles.spin[0] = random_vector(&mut random).as_vec3() * 20.0;
        particles.orientation[0] = Rot::exp(random_vector(&mut random).as_vec3() * 2.0);
        let start = totals(&particles);
        let mut cells = vec![block];
        for _ in 0..5 {
            let j = random.below(particles.len());
            // slivers stay whole
            let Some(solid) = solid_of(&particles, j, &cells[j]) else { continue };
            divisions += 1;
            let (below, above) = solid.cut(random_vector(&mut random), 0.0);
            let parts = [below.unwrap(), above.unwrap()].map(Part::new);
            let (first_id, first_shape) = (ParticleId(9), 0);
            particles.divide(&Division {
                particle: j,
                parts: &parts,
                joined: &[],
                first_id,
                first_shape,
            });
            let centred =
                |part: &Part| part.cell.transformed(DMat3::IDENTITY, -part.measure.centre).unwrap();
            cells[j] = centred(&parts[0]);
            cells.push(centred(&parts[1]));
        }
        let end = totals(&particles);
        let (speed, turning) = (start.1.length() + mass, start.2.length() + 0.1 * mass);
        let size = start.3.x_axis.x + start.3.y_axis.y + start.3.z_axis.z;
        let off = end.3 - start.3;
        let off = off.x_axis.length().max(off.y_axis.length()).max(off.z_axis.length());
        let errors = [
            (end.0 - start.0).abs() / start.0,
            end.1.distance(start.1) / speed,
            end.2.distance(start.2) / turning,
            off / size,
        ];
        (0..4).for_each(|k| worst[k] = worst[k].max(errors[k]));
    }
    println!("{divisions} divisions; mass, momentum, angular momentum, inertia: {worst:?}");
    assert!(divisions >= 1000, "{divisions}");
    assert!(worst[0] < 1e-7 && worst[1] < 1e-6 && worst[2] < 1e-5 && worst[3] < 1e-6, "{worst:?}");
}

/// Patterns at random places of a body that flies and turns: bonds stay mutual, pieces whole, momentum the same.
#[test]
fn random_patterns_keep_bonds_and_momentum() {
    let mut random = Random(11);
    for round in 0..20 {
        let mut world = World::new(WorldConfig { fragments_split: true, ..weightless() }).unwrap();
        let mut desc = body(lattice([3, 2, 3], SIDE, 3), &brittle(1e30));
        desc.velocity = [1.0, 2.0, 3.0];
        desc.spin = [1.0, -2.0, 0.5];
        let id = world.spawn(desc).unwrap();
        for _ in 0..3 {
            world.step(FRAME);
        }
        for _ in 0..3 {
            let before = world.step(0.0);
            let near = world.body(id).unwrap().world_positions().nth(random.below(18)).unwrap();
            let shift = random_vector(&mut random) * 0.05;
            let desc = if round % 2 == 0 {
                PatternDesc::Voronoi { radius: 0.08, count: 6, seed: round }
            } else {
                PatternDesc::Radial { radius: 0.12, rays: 5, rings: 2, seed: round }
            };
            let pattern = Pattern::try_from(&desc).unwrap();
            let point = (DVec3::from(near) + shift).to_array();
            let direction = random_vector(&mut random).as_vec3().to_array();
            world.shatter(id, point, direction, &pattern).unwrap();
            world.apply_commands();
            world.validate();
            let after = world.step(0.0);
            let scale = 18.0 * 4.0;
            for k in 0..3 {
                assert!((after.momentum[k] - before.momentum[k]).abs() < 1e-6 * scale);
                let turned = after.angular_momentum[k] - before.angular_momentum[k];
                assert!(turned.abs() < 1e-5 * scale, "L changed by {turned}");
            }
            world.step(FRAME);
            world.validate();
        }
        let body = world.body(id).unwrap();
        assert!(body.particle_count() > 18, "nothing broke");
        assert!((body.mass() - 18.0).abs() < 1e-4);
        let divided = &body.changes().divided;
        assert!(divided.iter().all(|(parent, _)| !body.particle_ids().contains(parent)));
    }
}

/// A plate that a ball hits in the middle.
fn struck_plate(threads: u32) -> (World, BodyId) {
    let mut world =
        World::new(WorldConfig { threads, books: true, fragments_split: true, ..weightless() })
            .unwrap();
    let stuff = MaterialDesc { strength: 2e5.into(), toughness: 1e9.into(), ..material(5e6) };
    let mut plate = body(lattice([9, 1, 9], SIDE, 3), &stuff);
    plate.pattern = Some(radial(0.22));
    let id = world.spawn(plate).unwrap();
    let steel = MaterialDesc { density: 7850.0.into(), ..MaterialDesc::default() };
    let shape = ShapeDesc::rigid(Shape::sphere(0.06).unwrap());
    let mut ball = BodyDesc::new("ball", shape, vec![Material::try_from(&steel).unwrap()]);
    ball.position = [0.0, 0.2, 0.0];
    ball.velocity = [0.0, -30.0, 0.0];
    world.spawn(ball).unwrap();
    (world, id)
}

fn distance_from_middle(x: &[f32; 3]) -> f32 {
    x[0].hypot(x[2])
}

/// Cells are finer near the hit, all stays finite, and no energy comes from nowhere.
#[test]
fn a_pattern_is_finer_at_the_hit() {
    let (mut world, id) = struck_plate(1);
    let mut last = 0.0;
    let mut start = 0.0;
    let mut divided = 0;
    for frame in 0..120 {
        let report = world.step(FRAME);
        let energy = report.energy.kinetic + report.energy.elastic;
        assert!(energy.is_finite());
        if frame == 0 {
            start = energy;
        }
        assert!(energy <= 1.0001 * start, "frame {frame}: {start} J to {energy} J");
        last = energy;
        world.validate();
        divided += world.body(id).unwrap().changes().divided.len();
    }
    let body = world.body(id).unwrap();
    println!("{divided} cells, {} pieces, {start} J to {last} J", body.pieces().len());
    let mean = |inside: &dyn Fn(f32) -> bool| {
        let there: Vec<f32> = (body.rest_positions().iter().zip(body.masses()).enumerate())
            .filter(|&(j, (x, _))| body.is_part(j) && inside(distance_from_middle(x)))
            .map(|(_, (_, &m))| m)
            .collect();
        (there.iter().sum::<f32>() / there.len() as f32, there.len())
    };
    let (near, far) = (mean(&|r| r < 0.06), mean(&|r| r > 0.12));
    println!("near {near:?}, far {far:?}");
    assert!(near.1 > 3 && far.1 > 3 && near.0 < 0.6 * far.0, "{near:?} {far:?}");
    assert!((body.mass() - 81.0).abs() < 1e-3);
}

/// The same bits for any number of threads, and on from a snapshot.
#[test]
fn parts_are_the_same_on_all_threads_and_from_a_snapshot() {
    let mut hashes: Vec<Vec<u64>> = Vec::new();
    for threads in [1, 2, 3] {
        let (mut world, id) = struck_plate(threads);
        let hash = |world: &mut World| world.step(FRAME).hash;
        let mut list: Vec<u64> = (0..6).map(|_| hash(&mut world)).collect();
        assert!(parts(&world, id) > 81, "nothing broke yet");
        let mut loaded = World::load(&world.save(), threads).unwrap();
        assert_eq!(loaded.hash(), world.hash());
        for _ in 0..10 {
            list.push(hash(&mut world));
            assert_eq!(hash(&mut loaded), list[list.len() - 1], "on from a snapshot");
        }
        loaded.validate();
        hashes.push(list);
    }
    assert!(hashes[1] == hashes[0] && hashes[2] == hashes[0]);
}

/// What a grip holds stays whole, and there is a limit to what a body may become.
#[test]
fn what_is_held_stays_whole_and_room_ends() {
    let mut world = World::new(WorldConfig { fragments_split: true, ..weightless() }).unwrap();
    let id = world.spawn(body(lattice([2, 1, 1], SIDE, 3), &brittle(1e30))).unwrap();
    world.step(FRAME);
    let held = world.body(id).unwrap().particle_ids()[0];
    let region = Region::Particles(vec![held]);
    let grip = GripDesc { body: id, region, motion: GripMotion::Hold, release: None };
    world.grip(grip).unwrap();
    world.step(FRAME);
    let many = PatternDesc::Voronoi { radius: 0.3, count: 200, seed: 1 };
    let few = PatternDesc::Voronoi { radius: 0.3, count: 20, seed: 1 };
    for desc in [many, few] {
        let pattern = Pattern::try_from(&desc).unwrap();
        world.shatter(id, [0.05, 0.05, 0.0], [0.0, -1.0, 0.0], &pattern).unwrap();
        world.step(FRAME);
    }
    let limits = world.events().filter(|event| matches!(event, Event::LimitReached { .. })).count();
    assert_eq!(limits, 1);
    let body: &Body = world.body(id).unwrap();
    assert!(body.particle_ids().contains(&held));
    assert!((4..=34).contains(&body.particle_count()), "{}", body.particle_count());
    world.validate();
}
