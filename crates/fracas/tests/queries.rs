//! What can be asked of a body and of a world to draw them.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, body, floor, grip_box, lattice, material, weightless};
use fracas::glam::Vec3;
use fracas::material::MaterialDesc;
use fracas::math::Rot;
use fracas::world::{BodyDesc, HalfSpaceDesc, MoveKey};
use fracas::{GripMotion, World};

/// A bar pulled by 10 % and held: logarithmic strain ln 1.1 along it, and 0 across (ν = 0).
#[test]
fn a_stretched_bar_reads_the_logarithm_of_its_stretch() {
    let shape = lattice([24, 4, 4], 0.1, 3);
    let mut world = World::new(weightless()).unwrap();
    // damped, so that no wave of the pull is left at the end
    let rubber = MaterialDesc { damping_time: 0.05.into(), ..material(1e5) };
    let id = world.spawn(body(shape, &rubber)).unwrap();
    let inf = f32::INFINITY;
    // held in the outermost layer, at ±1.15 m: 2.3 m between them become 2.53 m
    world.grip(grip_box(id, [-inf; 3], [-1.1, inf, inf], GripMotion::Hold)).unwrap();
    let keys =
        vec![MoveKey::default(), MoveKey { time: 2.0, offset: [0.23, 0.0, 0.0], angle: 0.0 }];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
    world.grip(grip_box(id, [1.1, -inf, -inf], [inf; 3], motion)).unwrap();
    for _ in 0..240 {
        world.step(FRAME);
    }
    let hash = world.hash();
    let found = world.body(id).unwrap();
    let strains = found.strains();
    let mut middle = 0;
    let (mut least, mut most) = (f32::INFINITY, 0.0f32);
    for (x, [along, across, least_across]) in found.rest_positions().iter().zip(strains) {
        if x[0].abs() < 0.5 {
            middle += 1;
            (least, most) = (least.min(along), most.max(along));
            assert!(across.abs() < 0.003 && least_across.abs() < 0.003, "{across} {least_across}");
        }
    }
    println!("strain {least:.5} to {most:.5}, ln 1.1 = {:.5}", 1.1f32.ln());
    assert_eq!(middle, 10 * 16);
    assert!((least / 1.1f32.ln() - 1.0).abs() < 0.02 && (most / 1.1f32.ln() - 1.0).abs() < 0.02);
    assert_eq!(hash, world.hash(), "asking changes nothing");
}

/// A turned body at rest has no strain, and its ellipsoids are turned with it.
#[test]
fn a_turned_body_has_turned_ellipsoids_and_no_strain() {
    let rotation = Rot::from_axis_angle(Vec3::Z, std::f32::consts::FRAC_PI_2);
    let mut shape = lattice([3, 2, 2], 0.1, 3);
    shape.points.iter_mut().for_each(|point| point.radii = [0.05, 0.04, 0.03]);
    shape.points[4].material = 1;
    let desc = body(shape, &material(1e6));
    let materials = vec![desc.materials[0].clone(), desc.materials[0].clone()];
    let mut world = World::new(weightless()).unwrap();
    let id = world.spawn(BodyDesc { rotation, materials, ..desc }).unwrap();
    let found = world.body(id).unwrap();
    for [a, b, c] in found.ellipsoids().map(|axes| axes.map(Vec3::from)) {
        assert!(a.distance(Vec3::Y * 0.05) < 1e-7, "{a}");
        assert!(b.distance(Vec3::NEG_X * 0.04) < 1e-7, "{b}");
        assert!(c.distance(Vec3::Z * 0.03) < 1e-7, "{c}");
    }
    assert!(found.strains().into_iter().flatten().all(|strain| strain.abs() < 1e-5));
    let materials: Vec<u16> = (0..12).map(|i| u16::from(i == 4)).collect();
    assert_eq!(found.particle_materials(), materials);
    assert_eq!(found.piece_indices(), [0; 12]);
    assert_eq!(found.neighbours(0), [1, 2, 3, 4, 5, 6, 7]);
    assert!(found.neighbours(12).is_empty());

    for other in 1..8 {
        let ids = world.body(id).unwrap().particle_ids();
        let (a, b) = (ids[0], ids[other]);
        world.cut(id, a, b).unwrap();
    }
    world.step(FRAME);
    let found = world.body(id).unwrap();
    assert_eq!(found.piece_indices(), [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(found.strains()[0], [0.0; 3], "one particle alone is not stretched");
}

#[test]
fn half_spaces_come_back_in_order() {
    let mut world = World::new(weightless()).unwrap();
    let wall = HalfSpaceDesc {
        point: [1.0e6, 0.0, -3.0],
        normal: [-2.0, 0.0, 0.0],
        friction: 0.25,
        friction_static: 0.75,
        restitution: 0.3,
    };
    world.add_half_space(floor()).unwrap();
    world.add_half_space(wall.clone()).unwrap();
    let found: Vec<HalfSpaceDesc> = world.half_spaces().collect();
    assert_eq!(found, [floor(), HalfSpaceDesc { normal: [-1.0, 0.0, 0.0], ..wall }]);
}
