//! Reads obstacles, and what they share with bodies: place and layers.

use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::math::Rot;
use fracas::world::{Layers, ObstacleDesc};
use toml::Spanned;

use crate::error::Problem;
use crate::grips::read_move;
use crate::reader::Reader;
use crate::scene::Obstacle;
use crate::shapes;

pub(crate) fn read_obstacles(top: &Reader<'_>) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    for reader in top.list("obstacles", |number, _| format!("obstacle {number}")) {
        obstacles.extend(read_obstacle(&reader));
        reader.finish();
    }
    obstacles
}

/// `None` if it is wrong.
fn read_obstacle(reader: &Reader<'_>) -> Option<Obstacle> {
    let placed = match reader.kind() {
        "half-space" => read_half_space(reader),
        _ => read_solid(reader),
    };
    let [friction, friction_static] = read_friction(reader);
    let restitution = reader.number("restitution") as f32;
    let motion = reader.table("move").map(read_move);
    let (layers, sensor) = (read_layers(reader), reader.flag("sensor"));
    let (shape, position, rotation) = placed?;
    let desc = ObstacleDesc {
        shape,
        position,
        rotation,
        friction,
        friction_static,
        restitution,
        motion,
        layers,
        sensor,
    };
    Some(Obstacle { desc, span: reader.span.clone() })
}

type Placed = (Shape, [f64; 3], Rot);

fn read_half_space(reader: &Reader<'_>) -> Option<Placed> {
    let (point, normal) = (reader.vector("point"), unit(reader.vector_f32("normal")));
    Some((Shape::half_space(normal).ok()?, point, Rot::IDENTITY))
}

fn read_solid(reader: &Reader<'_>) -> Option<Placed> {
    let rotation = read_rotation(reader);
    let position = DVec3::from(reader.vector("position"));
    let (shape, middle) = reader.table("shape").and_then(shapes::read_obstacle)?;
    let shift = rotation.to_mat3().as_dmat3() * middle;
    Some((shape, (position - shift).to_array(), rotation))
}

fn read_friction(reader: &Reader<'_>) -> [f32; 2] {
    let friction = reader.number("friction");
    let friction_static = reader.optional_number("friction_static");
    if let Some(given) = &friction_static
        && *given.get_ref() < friction
    {
        let found = reader.context.source.quote(given.span());
        let message =
            format!("`friction_static` must be at least `friction`, {friction}, but is {found}");
        let error = reader.context.error(Problem::OutOfRange, given.span(), message);
        let error = error.help("what rests grips at least as well as what slides");
        reader.context.report(match reader.key("friction") {
            Some(key) => error.other(key, "`friction` is given here"),
            None => error,
        });
    }
    [friction, friction_static.map_or(friction, Spanned::into_inner)].map(|mu| mu as f32)
}

/// The `rotation` of a body, an obstacle or a part.
pub(crate) fn read_rotation(reader: &Reader<'_>) -> Rot {
    let Some(rotation) = reader.table("rotation") else {
        return Rot::IDENTITY;
    };
    let (axis, angle) = (unit(rotation.vector_f32("axis")), rotation.number("angle"));
    rotation.finish();
    Rot::from_axis_angle(axis, angle.to_radians() as f32)
}

/// A direction of any length, as a unit vector: in f64 the square of no f32 overflows or vanishes.
fn unit(direction: [f32; 3]) -> Vec3 {
    let direction = Vec3::from(direction).as_dvec3();
    (direction / direction.length()).as_vec3()
}

/// The `layers` of a body or an obstacle.
pub(crate) fn read_layers(reader: &Reader<'_>) -> Layers {
    let Some(layers) = reader.table("layers") else {
        return Layers::default();
    };
    let bits = |name: &str, absent: u32| {
        let list = layers.count_list(name);
        list.map_or(absent, |list| list.iter().fold(0, |bits, layer| bits | 1 << (layer - 1)))
    };
    let Layers { member, meets } = Layers::default();
    let read = Layers { member: bits("member", member), meets: bits("meets", meets) };
    layers.finish();
    read
}
