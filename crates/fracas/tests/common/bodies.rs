//! Rigid bodies, and where bodies are.

use super::{FRAME, material};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::{BodyDesc, HalfSpaceDesc, RigidPart, ShapeDesc};
use fracas::{Body, BodyId, StepReport, World, WorldConfig};

/// Sleeping off: what rests has to rest by itself.
pub fn awake(substeps: u32) -> WorldConfig {
    WorldConfig { substeps, sleeping: false, ..WorldConfig::default() }
}

pub fn awake_weightless(substeps: u32) -> WorldConfig {
    WorldConfig { gravity: [0.0; 3], ..awake(substeps) }
}

/// Of this density in kg/m³, friction and restitution.
pub fn stuff(density: f32, friction: f32, restitution: f32) -> MaterialDesc {
    MaterialDesc {
        density: density.into(),
        friction: friction.into(),
        friction_static: friction.into(),
        restitution: restitution.into(),
        ..material(1e6)
    }
}

/// A floor that leaves friction and restitution to what lies on it.
pub fn floor(friction: f32, restitution: f32) -> HalfSpaceDesc {
    HalfSpaceDesc { friction, friction_static: friction, restitution, ..HalfSpaceDesc::default() }
}

pub fn rigid(shape: Shape, material: &MaterialDesc, position: [f64; 3]) -> BodyDesc {
    let material = Material::try_from(material).unwrap();
    BodyDesc { position, ..BodyDesc::new("rigid", ShapeDesc::rigid(shape), vec![material]) }
}

/// Several of one shape, as one body.
pub fn rigid_row(shape: &Shape, material: &MaterialDesc, at: &[Vec3]) -> BodyDesc {
    let part = |position: &Vec3| RigidPart {
        shape: shape.clone(),
        position: position.to_array(),
        rotation: Rot::IDENTITY,
        material: 0,
    };
    let shape = ShapeDesc::Rigid(at.iter().map(part).collect());
    BodyDesc::new("row", shape, vec![Material::try_from(material).unwrap()])
}

pub fn body(world: &World, id: BodyId) -> &Body {
    world.body(id).unwrap()
}

/// Mass-weighted mean velocity.
pub fn velocity(world: &World, id: BodyId) -> DVec3 {
    let body = body(world, id);
    let velocities = body.pieces().iter().flat_map(|piece| body.velocities(piece));
    let momentum = |(v, &m): (&[f32; 3], &f32)| f64::from(m) * Vec3::from(*v).as_dvec3();
    velocities.zip(body.masses()).map(momentum).sum::<DVec3>() / body.mass()
}

/// How the first particle is turned.
pub fn turn(world: &World, id: BodyId) -> Rot {
    let body = body(world, id);
    let [x, y, z, w] = body.orientations(&body.pieces()[0])[0];
    Rot { x, y, z, w }
}

pub fn settle(world: &mut World, frames: u32) -> StepReport {
    let mut last = StepReport::default();
    for _ in 0..frames {
        last = world.step(FRAME);
    }
    last
}

/// Whether every number of the world is finite and no piece is frozen.
pub fn is_sound(world: &World) -> bool {
    world.body_ids().all(|id| {
        let body = body(world, id);
        body.pieces().iter().all(|piece| {
            let numbers = body.positions(piece).iter().chain(body.velocities(piece)).flatten();
            !piece.is_frozen()
                && numbers.chain(body.orientations(piece).iter().flatten()).all(|x| x.is_finite())
        })
    })
}
