//! R24: `validate` finds planted faults.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::material::{Material, MaterialDesc};
use crate::math::Rot;
use crate::solids::oriented::{OrientedPoint, OrientedShape};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A chain of six in two pieces of three.
fn two_pieces() -> World {
    two_pieces_of(&MaterialDesc::default())
}

fn two_pieces_of(material: &MaterialDesc) -> World {
    let mut shape = OrientedShape::default();
    for i in 0..6 {
        shape.points.push(OrientedPoint {
            position: [0.1 * i as f32, 0.0, 0.0],
            volume: 1e-3,
            second_moment: [1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0],
            radii: [0.05; 3],
            axes: [0.0, 0.0, 0.0, 1.0],
            material: 0,
        });
    }
    shape.bonds = vec![[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]];
    let mut world = World::new(WorldConfig::default()).unwrap();
    let id = world
        .spawn(BodyDesc {
            name: "chain".into(),
            shape: ShapeDesc::Oriented(shape),
            materials: vec![Material::try_from(material).unwrap()],
            position: [0.0; 3],
            rotation: Rot::IDENTITY,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            seed: 0,
            layers: Default::default(),
            pattern: None,
        })
        .unwrap();
    let ids = world.body(id).unwrap().particle_ids().to_vec();
    world.cut(id, ids[2], ids[3]).unwrap();
    world.step(1.0 / 60.0);
    world
}

/// One piece becomes invalid in the substep in which the other breaks: it is put back before anything comes apart, and the other goes on.
#[test]
fn r6_what_is_no_number_is_put_back_before_pieces_part() {
    let weak =
        MaterialDesc { strength: 1e3.into(), load_time: 0.0.into(), ..MaterialDesc::default() };
    let mut world = two_pieces_of(&weak);
    let Body { particles, pieces, .. } = &mut world.bodies[0];
    particles.position[0].x -= 0.1;
    pieces[0].shape = None;
    pieces[1].shape.as_mut().unwrap().centre = DVec3::NAN;
    let report = world.step(1.0 / 60.0);
    assert!(report.cracks > 0 && report.pieces > 2, "nothing broke");
    assert_eq!(report.quarantined, 1);
    world.validate();
}

/// What `validate` says to a body changed by `fault`; empty if nothing.
fn complaint(fault: impl FnOnce(&mut Body)) -> String {
    complaint_of(two_pieces(), |world| fault(&mut world.bodies[0]))
}

fn complaint_of(mut world: World, fault: impl FnOnce(&mut World)) -> String {
    world.validate();
    fault(&mut world);
    match catch_unwind(AssertUnwindSafe(|| world.validate())) {
        Ok(()) => String::new(),
        Err(panic) => match panic.downcast_ref::<String>() {
            Some(text) => text.clone(),
            None => panic.downcast_ref::<&str>().unwrap().to_string(),
        },
    }
}

fn assert_found(expected: &str, fault: impl FnOnce(&mut Body)) {
    let found = complaint(fault);
    assert!(found.contains(expected), "expected {expected:?}, but validate said {found:?}");
}

#[test]
fn r24_validate_is_silent_on_a_valid_body() {
    assert_eq!(complaint(|_| ()), "");
}

#[test]
fn r24_validate_finds_pieces_that_do_not_cover_the_particles() {
    assert_found("do not cover", |body| body.pieces[1].span.end -= 1);
    assert_found("do not cover", |body| body.pieces[1].span.start += 1);
    assert_found("do not cover", |body| body.pieces.truncate(1));
    assert_found("is empty", |body| {
        let mut none = body.pieces[1].clone();
        none.span = 3..3;
        body.pieces.insert(1, none);
    });
}

#[test]
fn r24_validate_finds_pieces_that_bonds_contradict() {
    assert_found("not connected", |body| {
        body.pieces[0].span = 0..6;
        body.pieces.pop();
    });
    assert_found("not whole", |body| {
        let mut part = body.pieces[1].clone();
        (body.pieces[1].span, part.span) = (3..5, 5..6);
        body.pieces.push(part);
    });
    // cut behind the back of the pieces
    assert_found("not connected", |body| {
        body.model.solid_mut().cut(&mut body.particles, 0, 1, &mut body.changes);
    });
}

#[test]
fn r24_validate_finds_numbers_that_are_not_finite() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_found("position 4 is not finite", |body| body.particles.position[4].y = bad);
        assert_found("velocity 0 is not finite", |body| body.particles.velocity[0].z = bad);
    }
}

/// Spins enter every later step, as velocities do.
#[test]
fn r24_validate_finds_spins_that_are_not_finite() {
    assert_found("spin", |body| body.particles.spin[2].x = f32::NAN);
}

#[test]
fn r24_validate_finds_orientations_that_are_not_of_unit_length() {
    assert_found("orientation of norm", |body| body.particles.orientation[1].w *= 1.01);
    assert_found("orientation of norm", |body| body.particles.orientation[1].x = f32::NAN);
}

#[test]
fn r24_validate_finds_contacts_out_of_order() {
    let mut world = two_pieces();
    let ground = HalfSpaceDesc { point: [0.0, -0.05, 0.0], ..HalfSpaceDesc::default() };
    world.add_half_space(ground).unwrap();
    world.step(1.0 / 60.0);
    assert!(world.touching.contacts.len() > 1);
    let found = complaint_of(world, |world| world.touching.contacts.reverse());
    assert!(found.contains("out of order"), "{found}");
}

/// The pieces' own ids are handles of the user: two of the same would be one piece to him.
#[test]
fn r24_validate_finds_ids_that_are_used_twice() {
    assert_found("id", |body| body.pieces[1].id = body.pieces[0].id);
    assert_found("id", |body| body.particles.id[1] = body.particles.id[0]);
}

/// Members of a grip follow their particles through splits; one that points elsewhere would carry
/// another particle.
#[test]
fn r24_validate_finds_grips_that_hold_the_wrong_particle() {
    assert_found("grip", |body| {
        body.grips.push(grip::Grip {
            id: GripId(1),
            members: vec![grip::Member {
                id: body.particles.id[2],
                particle: 4,
                position: DVec3::ZERO,
                orientation: Rot::IDENTITY,
            }],
            motion: GripMotion::Hold,
            release: None,
            reaction: Reaction::default(),
        });
    });
}

/// A length of a column that is not that of the others is found before something reads past it.
#[test]
fn r24_validate_finds_a_missing_rotation() {
    let mut world = two_pieces();
    world.bodies[0].particles.mass.pop();
    assert!(catch_unwind(AssertUnwindSafe(|| world.validate())).is_err());
}

/// What was checked one by one may be wrong together: a sliding friction that is allowed beside
/// the static one of now, which an earlier command of the same step lowers.
#[test]
fn commands_of_one_step_leave_static_friction_above_sliding() {
    use crate::material::MaterialField::{Friction, FrictionStatic};
    let mut world = two_pieces();
    let id = world.bodies[0].id;
    // 0.5 and 0.6 by default
    world.set_material(id, FrictionStatic, 0.5).unwrap();
    let _refused_or_not = world.set_material(id, Friction, 0.6);
    world.step(1.0 / 60.0);
    let [slide, stick] = world.bodies[0].particles.friction[0];
    assert!(slide <= stick, "sliding {slide}, static {stick}");
}

/// R10: all particles of a body are put to one point. Tells the largest speed in the 2 s after, in
/// m/s, and how far distances of neighbours are off then, of what they should be.
fn from_one_point() -> (f32, f32) {
    let side = 10;
    let mut shape = OrientedShape::default();
    for k in 0..side * side * side {
        let at = [k / (side * side), k / side % side, k % side];
        shape.points.push(OrientedPoint {
            position: at.map(|n| 0.05 * n as f32),
            volume: 1.25e-4,
            second_moment: [2.6e-8, 2.6e-8, 2.6e-8, 0.0, 0.0, 0.0],
            radii: [0.025; 3],
            axes: [0.0, 0.0, 0.0, 1.0],
            material: 0,
        });
        for (axis, stride) in [side * side, side, 1].into_iter().enumerate() {
            if at[axis] + 1 < side {
                shape.bonds.push([k as u32, (k + stride) as u32]);
            }
        }
    }
    let config = WorldConfig { gravity: [0.0; 3], sleeping: false, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let rubber = MaterialDesc { youngs_modulus: 1e6.into(), ..MaterialDesc::default() };
    let materials = vec![Material::try_from(&rubber).unwrap()];
    world.spawn(BodyDesc::new("cube", ShapeDesc::Oriented(shape), materials)).unwrap();
    world.step(1.0 / 60.0);
    world.bodies[0].particles.position.fill(Vec3::ZERO);
    world.bodies[0].particles.velocity.fill(Vec3::ZERO);
    let mut fastest = 0.0_f32;
    for _ in 0..120 {
        let report = world.step(1.0 / 60.0);
        fastest = fastest.max(report.max_speed);
        assert_eq!(report.quarantined, 0);
    }
    let particles = &world.bodies[0].particles;
    let mut off = 0.0_f32;
    for (j, &x) in particles.position.iter().enumerate() {
        for &i in world.bodies[0].model.solid().neighbours(j) {
            let length = x.distance(particles.position[i as usize]);
            off = off.max((length / 0.05 - 1.0).abs());
        }
    }
    (fastest, off)
}

#[test]
fn r10_coincident_particles_find_back_to_their_shape() {
    let (_, off) = from_one_point();
    assert!(off <= 0.01, "a distance is off by {off}");
}

/// No particle moves by more than half its radius within a substep.
#[test]
#[ignore = "open: nothing limits speeds, and it unfolds with 22 m/s; run with --include-ignored"]
fn r10_coincident_particles_part_slowly() {
    let (fastest, _) = from_one_point();
    let limit = 0.5 * 0.025 * 240.0;
    assert!(fastest <= limit, "{fastest} m/s, at most {limit}");
}
