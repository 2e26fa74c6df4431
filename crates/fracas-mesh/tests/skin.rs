//! Skins against what they must be: rigid motion, known deformations, closed pieces.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::collections::{BTreeMap, BTreeSet};

use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, presets};
use fracas::math::Rot;
use fracas::skin::{Skin, SkinError, SkinMesh, Skinned};
use fracas::solids::oriented::OrientedShape;
use fracas::world::{BodyDesc, MoveKey, Region, ShapeDesc};
use fracas::{Body, BodyId, GripDesc, GripMotion, World, WorldConfig};
use fracas_mesh::fragments::{Fracture, Pattern};
use fracas_mesh::generate::{self, Sampling, surfaces};
use fracas_mesh::solid::FragmentedSolid;
use fracas_mesh::stuffing::{self, Filling};
use fracas_mesh::{ClosedSurface, Surface, skin};

fn fragmented(surface: Surface, tets: u32, count: u32) -> FragmentedSolid {
    let surface = ClosedSurface::new(surface).unwrap();
    let mesh = stuffing::fill(&surface, &Filling::tets(tets)).unwrap();
    FragmentedSolid::of_surface(&surface, mesh, &Fracture::new(Pattern::KMeans, count)).unwrap()
}

fn ring() -> FragmentedSolid {
    fragmented(surfaces::torus(0.3, 0.1, 48, 24).unwrap(), 3000, 100)
}

/// A world without gravity and one body in it.
fn world_of(shape: &OrientedShape, position: [f64; 3], rotation: Rot) -> (World, BodyId) {
    let config = WorldConfig { gravity: [0.0; 3], ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let rubber = Material::try_from(&presets::rubber()).unwrap();
    let desc = BodyDesc::new("body", ShapeDesc::Oriented(shape.clone()), vec![rubber]);
    let id = world.spawn(BodyDesc { position, rotation, ..desc }).unwrap();
    (world, id)
}

/// Volume of each piece from its triangles, in m³. Every edge of a piece must be there once in
/// each direction.
fn volumes(body: &Body, skinned: &Skinned) -> Vec<f64> {
    let pieces: Vec<_> = body.pieces().iter().map(|piece| piece.id()).collect();
    let mut volumes = vec![0.0; body.pieces().len()];
    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    for corners in &skinned.triangles {
        let [p, q, r] = corners.map(|v| skinned.pieces[v as usize]);
        assert!(p == q && q == r, "a triangle in two pieces");
        let p = pieces.iter().position(|&id| id == p).unwrap();
        let points = corners.map(|v| skinned.positions[v as usize]);
        let [a, b, c] = points.map(|x| Vec3::from(x).as_dvec3());
        volumes[p] += a.dot(b.cross(c)) / 6.0;
        let [i, j, k] = points.map(|x| x.map(f32::to_bits));
        for (from, to) in [(i, j), (j, k), (k, i)] {
            *edges.entry((p, from.min(to), from.max(to))).or_default() +=
                if from < to { 1 } else { -1 };
        }
    }
    assert!(edges.values().all(|&sum| sum == 0), "a piece is not closed");
    volumes
}

/// Particles whose rest position has its x in this range are carried rigidly.
fn carry(world: &mut World, body: BodyId, x: [f32; 2], pivot: [f64; 3], offset: Vec3, angle: f32) {
    let far = f32::INFINITY;
    let region = Region::Box { min: [x[0], -far, -far], max: [x[1], far, far] };
    let moved = |time, share: f32| MoveKey {
        time,
        offset: (share * offset).to_array(),
        angle: share * angle,
    };
    let keys = vec![moved(0.0, 0.0), moved(0.001, 1.0)];
    let motion = GripMotion::Move { pivot, axis: [0.0, 0.0, 1.0], keys };
    world.grip(GripDesc { body, region, motion, release: None }).unwrap();
}

/// The beam of the tests that follow: 0.1 m per particle.
fn beam(neighbourhood: generate::Neighbourhood) -> (OrientedShape, SkinMesh) {
    let sampling = Sampling { neighbourhood, ..Sampling::lattice([16, 4, 4]) };
    let shape = generate::block([1.6, 0.4, 0.4], &sampling).unwrap();
    let surface = surfaces::block_grid([1.6, 0.4, 0.4], [64, 16, 16]).unwrap();
    let skin = skin::of_surface(&surface, &shape);
    (shape, skin)
}

/// Carries the 16 slices of the beam to `offset` and `angle` about `pivot`, and returns the greatest
/// distance of the skin's vertices from `truth`, in particle spacings, as well as the least and the
/// greatest length of its edges along x over what `truth` makes of them.
fn deformed(
    neighbourhood: generate::Neighbourhood,
    pivot: [f64; 3],
    slice: impl Fn(f32) -> (Vec3, f32),
    truth: impl Fn(DVec3) -> DVec3,
) -> (f64, f64, f64) {
    let (shape, mesh) = beam(neighbourhood);
    let (mut world, id) = world_of(&shape, [0.0; 3], Rot::IDENTITY);
    for k in 0..16 {
        let x = 0.1 * (k as f32 - 7.5);
        let (offset, angle) = slice(x);
        carry(&mut world, id, [x - 0.01, x + 0.01], pivot, offset, angle);
    }
    for _ in 0..2 {
        world.step(1.0 / 60.0);
    }
    let body = world.body(id).unwrap();
    let mut skin = Skin::new(mesh, body).unwrap();
    let skinned = skin.update(body, [0.0; 3]).clone();
    // the skin at rest has the same order of points
    let (resting, id) = world_of(&shape, [0.0; 3], Rot::IDENTITY);
    let body = resting.body(id).unwrap();
    let rest = Skin::new(skin.mesh().clone(), body).unwrap().update(body, [0.0; 3]).clone();
    assert_eq!(rest.triangles, skinned.triangles);
    let at = |points: &[[f32; 3]], v: u32| Vec3::from(points[v as usize]).as_dvec3();
    let mut worst: f64 = 0.0;
    for v in 0..rest.positions.len() as u32 {
        let off = at(&skinned.positions, v).distance(truth(at(&rest.positions, v)));
        worst = worst.max(off / 0.1);
    }
    let (mut shortest, mut longest) = (f64::INFINITY, 0.0f64);
    for [a, b, c] in &rest.triangles {
        for (i, j) in [(*a, *b), (*b, *c), (*c, *a)] {
            let along = at(&rest.positions, j) - at(&rest.positions, i);
            // the outermost half spacing follows the last slice alone
            let inner = at(&rest.positions, i).x.abs().max(at(&rest.positions, j).x.abs()) < 0.65;
            if inner && along.y.abs() + along.z.abs() < 1e-6 {
                let wished = truth(at(&rest.positions, j)) - truth(at(&rest.positions, i));
                let found = at(&skinned.positions, j) - at(&skinned.positions, i);
                let ratio = found.length() / wished.length();
                (shortest, longest) = (shortest.min(ratio), longest.max(ratio));
            }
        }
    }
    (worst, shortest, longest)
}

#[test]
fn a_stretched_beam_has_no_steps() {
    let slice = |x: f32| (Vec3::X * 0.2 * x, 0.0);
    let truth = |x: DVec3| DVec3::new(1.2 * x.x, x.y, x.z);
    let (worst, shortest, longest) =
        deformed(generate::Neighbourhood::Full, [0.0; 3], slice, truth);
    println!("stretch by 20 %: off by {worst:.4} spacings, edges {shortest:.4} to {longest:.4}");
    // the end caps lie half a spacing outside the last particles: off by 0.2 · 0.5 at most
    assert!(worst < 0.11);
    assert!(shortest > 0.9 && longest < 1.1);
}

#[test]
fn a_bent_beam_is_smooth() {
    let radius = 1.0f32;
    let turned = |x: DVec3| {
        let (sine, cosine) = (x.x / f64::from(radius)).sin_cos();
        let out = f64::from(radius) - x.y;
        DVec3::new(out * sine, f64::from(radius) - out * cosine, x.z)
    };
    let slice = |x: f32| {
        let angle = x / radius;
        (-x * Vec3::new(angle.cos(), angle.sin(), 0.0), angle)
    };
    let pivot = [0.0, f64::from(radius), 0.0];
    let (worst, shortest, longest) = deformed(generate::Neighbourhood::Full, pivot, slice, turned);
    println!("bend to 1 m: off by {worst:.4} spacings, edges {shortest:.4} to {longest:.4}");
    assert!(worst < 0.11);
    assert!(shortest > 0.9 && longest < 1.1);
}

#[test]
fn rigid_motion_moves_the_skin_rigidly() {
    let ring = ring();
    let position = [1.0e6, -2.0e5, 3.0e4];
    let rotation = Rot::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 2.2);
    let skin_at = |position, rotation| {
        let (world, id) = world_of(&ring.shape, position, rotation);
        let body = world.body(id).unwrap();
        Skin::new(ring.skin(), body).unwrap().update(body, position).clone()
    };
    let (rest, moved) = (skin_at([0.0; 3], Rot::IDENTITY), skin_at(position, rotation));
    assert_eq!(moved.triangles, rest.triangles);
    let turned = rotation.to_mat3().as_dmat3();
    let double = |x: [f32; 3]| DVec3::from(x.map(f64::from));
    let mut worst: f64 = 0.0;
    for v in 0..rest.positions.len() {
        worst = worst.max(double(moved.positions[v]).distance(turned * double(rest.positions[v])));
        let off = double(moved.normals[v]).distance(turned * double(rest.normals[v]));
        assert!(off < 1e-4, "normal {v} is off by {off}");
    }
    println!("rigid motion: off by {worst:.1e} m of 0.8 m");
    assert!(worst < 2e-7);
}

/// At rest the vertices are where the mesh has them, to rounding.
#[test]
fn at_rest_the_skin_is_the_mesh() {
    let ring = ring();
    let (world, id) = world_of(&ring.shape, [0.0; 3], Rot::IDENTITY);
    let body = world.body(id).unwrap();
    let mut skin = Skin::new(ring.skin(), body).unwrap();
    let skinned = skin.update(body, [0.0; 3]);
    assert!(skinned.inside.iter().all(|&inside| !inside));
    assert_eq!(skinned.triangles.len(), ring.mesh.boundary().len());
    let found = volumes(body, skinned)[0];
    assert!((found / ring.mesh.volume() - 1.0).abs() < 1e-5, "{found}");

    let lines = skin.update_lines(body, [0.0; 3]);
    let mesh = ring.skin();
    assert_eq!(lines.lines.len(), mesh.edges.len());
    for (line, edge) in lines.lines.iter().zip(&mesh.edges) {
        for k in 0..2 {
            let at = Vec3::from(lines.positions[line[k] as usize]);
            assert!(at.distance(Vec3::from(mesh.vertices[edge.ends[k] as usize])) < 1e-6);
        }
    }
}

/// Cuts every bond whose ends lie on both sides of `side`.
fn cut(world: &mut World, id: BodyId, side: impl Fn([f32; 3]) -> bool) {
    let body = world.body(id).unwrap();
    let rest: BTreeMap<_, _> = body
        .particle_ids()
        .iter()
        .zip(body.rest_positions())
        .map(|(&id, &x)| (id, side(x)))
        .collect();
    let bonds: Vec<_> = body.bonds().filter(|[a, b]| rest[a] != rest[b]).collect();
    for [a, b] in bonds {
        world.cut(id, a, b).unwrap();
    }
    world.step(1.0 / 60.0);
}

#[test]
fn a_ring_cut_through_the_middle_is_two_closed_pieces() {
    let ring = ring();
    let (mut world, id) = world_of(&ring.shape, [0.0; 3], Rot::IDENTITY);
    let mut skin = Skin::new(ring.skin(), world.body(id).unwrap()).unwrap();
    cut(&mut world, id, |[x, ..]| x > 0.0);
    let body = world.body(id).unwrap();
    assert_eq!(body.pieces().len(), 2);
    let skinned = skin.update(body, [0.0; 3]);
    assert!(skinned.inside.contains(&true));
    let parts = volumes(body, skinned);
    let sum: f64 = parts.iter().sum();
    assert!((sum / ring.mesh.volume() - 1.0).abs() < 1e-5, "{sum}");
    // what each has is what its fragments have
    let first = body.particle_ids().iter().map(|id| id.0).min().unwrap();
    for (piece, volume) in body.pieces().iter().zip(parts) {
        let of = |id: &fracas::ParticleId| ring.fragments.fragments[(id.0 - first) as usize].volume;
        let wanted: f64 = body.ids(piece).iter().map(of).sum();
        assert!((volume / wanted - 1.0).abs() < 1e-5, "{volume}, not {wanted}");
    }
    // and a skin bound to the broken body is the same
    let again = Skin::new(ring.skin(), body).unwrap().update(body, [0.0; 3]).clone();
    assert_eq!(&again.triangles, &skin.update(body, [0.0; 3]).triangles);
}

#[test]
fn all_fragments_apart_are_closed_and_fly_rigidly() {
    let ring = ring();
    let (mut world, id) = world_of(&ring.shape, [0.0; 3], Rot::IDENTITY);
    let mut skin = Skin::new(ring.skin(), world.body(id).unwrap()).unwrap();
    let bonds: Vec<_> = world.body(id).unwrap().bonds().collect();
    for [a, b] in bonds {
        world.cut(id, a, b).unwrap();
    }
    world.step(1.0 / 60.0);
    // each is pushed its own way, and turns
    let ids = world.body(id).unwrap().particle_ids().to_vec();
    for (k, particle) in ids.into_iter().enumerate() {
        let k = k as f32;
        world.push(id, particle, [k.sin(), k.cos(), 0.5], [0.01, 0.0, 0.01 * k.sin()]).unwrap();
    }
    for _ in 0..10 {
        world.step(1.0 / 60.0);
    }
    let body = world.body(id).unwrap();
    assert_eq!(body.pieces().len(), 100);
    let first = body.particle_ids().iter().map(|id| id.0).min().unwrap();
    let parts = volumes(body, skin.update(body, [0.0; 3]));
    for (particle, volume) in body.particle_ids().iter().zip(parts) {
        let wanted = ring.fragments.fragments[(particle.0 - first) as usize].volume;
        assert!((volume / wanted - 1.0).abs() < 1e-3, "{volume}, not {wanted}");
    }
}

#[test]
fn a_ball_is_smooth_and_a_block_has_sharp_edges() {
    let shape = generate::sphere(0.5, &Sampling::count(200)).unwrap();
    let (world, id) = world_of(&shape, [0.0; 3], Rot::IDENTITY);
    let body = world.body(id).unwrap();
    let mesh = skin::sphere(0.5, &Sampling::count(200)).unwrap();
    let on_surface: BTreeSet<u32> = mesh.outside.iter().flat_map(|face| face.corners).collect();
    let mut skin = Skin::new(mesh, body).unwrap();
    let ball = skin.update(body, [0.0; 3]);
    // each vertex once, but that clusters do not share theirs
    let places: BTreeSet<_> = ball.positions.iter().map(|x| x.map(f32::to_bits)).collect();
    assert_eq!(places.len(), on_surface.len());
    assert!(ball.positions.len() < 2 * places.len(), "{}", ball.positions.len());
    for (x, n) in ball.positions.iter().zip(&ball.normals) {
        assert!(Vec3::from(*n).dot(Vec3::from(*x).normalize()) > 0.999);
    }

    let shape = generate::block([1.0, 0.5, 0.5], &Sampling::lattice([8, 4, 4])).unwrap();
    let (world, id) = world_of(&shape, [0.0; 3], Rot::IDENTITY);
    let body = world.body(id).unwrap();
    let mut skin =
        Skin::new(skin::block([1.0, 0.5, 0.5], &Sampling::lattice([8, 4, 4])).unwrap(), body)
            .unwrap();
    let block = skin.update(body, [0.0; 3]);
    // six sides, each with all of its own vertices
    let corners = block.positions.iter().zip(&block.normals);
    let corners: BTreeSet<_> = corners.map(|(x, n)| [x, n].map(|x| x.map(f32::to_bits))).collect();
    assert_eq!(corners.len(), 2 * (9 * 5 + 5 * 5 + 5 * 9));
    assert!(block.normals.iter().all(|n| n.iter().any(|x| x.abs() > 0.999_999)));
    assert!((volumes(body, block)[0] - 0.25).abs() < 1e-6);
}

#[test]
fn simple_shapes_have_closed_skins_of_their_volume() {
    let pi = std::f64::consts::PI;
    let fine = Sampling::count(500);
    let ball = generate::sphere(0.5, &fine).unwrap();
    let drum = generate::cylinder(0.3, 1.0, &fine).unwrap();
    let ring = generate::torus(0.4, 0.1, &fine).unwrap();
    let sheet = generate::sheet(1.0, 0.5, 0.01, &fine).unwrap();
    let cases = [
        (skin::sphere(0.5, &fine).unwrap(), ball, pi / 6.0, 0.02),
        (skin::cylinder(0.3, 1.0, &fine).unwrap(), drum, pi * 0.09, 1e-3),
        (skin::torus(0.4, 0.1, &fine).unwrap(), ring, 2.0 * pi * pi * 0.004, 0.02),
        (skin::sheet([1.0, 0.01, 0.5], &fine).unwrap(), sheet, 0.005, 1e-5),
    ];
    for (mesh, shape, wanted, tolerance) in cases {
        let (world, id) = world_of(&shape, [0.0; 3], Rot::IDENTITY);
        let body = world.body(id).unwrap();
        let mut skin = Skin::new(mesh, body).unwrap();
        let volume = volumes(body, skin.update(body, [0.0; 3]))[0];
        assert!((volume / wanted - 1.0).abs() < tolerance, "{volume}, not {wanted}");
    }
}

#[test]
fn a_skin_that_does_not_fit_is_refused() {
    let shape = generate::block([1.0; 3], &Sampling::lattice([2, 2, 2])).unwrap();
    let (mut world, id) = world_of(&shape, [0.0; 3], Rot::IDENTITY);
    let right = skin::block([1.0; 3], &Sampling::lattice([2, 2, 2])).unwrap();
    let body = world.body(id).unwrap();
    let mut wrong = right.clone();
    wrong.outside[3].owner = 8;
    let refused = SkinError::NoParticle { particle: 8, count: 8 };
    assert_eq!(Skin::new(wrong, body).unwrap_err(), refused);
    let mut wrong = right.clone();
    let count = wrong.vertices.len();
    wrong.outside[3].corners[1] = count as u32;
    let refused = SkinError::NoVertex { vertex: count as u32, count };
    assert_eq!(Skin::new(wrong, body).unwrap_err(), refused);
    let mut wrong = right.clone();
    wrong.vertices[5][1] = f32::NAN;
    assert_eq!(Skin::new(wrong, body).unwrap_err(), SkinError::NotFinite { vertex: 5 });

    // of another body nothing is drawn, and after it everything again
    let mut skin = Skin::new(right, body).unwrap();
    let rubber = Material::try_from(&presets::rubber()).unwrap();
    let desc = BodyDesc::new("other", ShapeDesc::Oriented(shape), vec![rubber]);
    let other = world.spawn(desc).unwrap();
    assert_eq!(*skin.update(world.body(other).unwrap(), [0.0; 3]), Skinned::default());
    let again = skin.update(world.body(id).unwrap(), [0.0; 3]);
    assert_eq!(again.triangles.len(), 12 * 16);
}
