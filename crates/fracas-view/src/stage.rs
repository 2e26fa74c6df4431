//! From a world to a drawing.

use std::collections::BTreeMap;

use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::skin::{ShapeSurface, Skin, SkinError, Speck};
use fracas::world::{Body, Obstacle, ObstacleId};
use fracas::{BodyId, World};
use fracas_scene::Look;

use crate::colour;
use crate::drawing::{Drawing, Ellipsoid, Ground, Line, Paint, Vertex};

/// What colours tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Colour {
    /// What a body is made of.
    #[default]
    Material,
    /// Bodies.
    Body,
    /// Connected pieces.
    Piece,
    /// The largest principal strain (logarithmic, by size).
    Strain {
        /// The strain at the bright end of the scale.
        full: f32,
    },
}

impl Colour {
    /// Linear light as a screen takes it, sRGB.
    pub fn of_light(light: [f32; 3]) -> [u8; 3] {
        let [r, g, b, _] = colour::of_material(light, 0.0);
        [r, g, b]
    }
}

/// What is drawn of bodies, beside or inside their surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlays {
    /// Particles, as their ellipsoids.
    pub particles: bool,
    /// Bonds between particles.
    pub bonds: bool,
    /// Edges of the tetrahedra that a body was made of.
    pub tets: bool,
}

impl Overlays {
    fn any(self) -> bool {
        self.particles || self.bonds || self.tets
    }
}

/// How a world is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// What colours tell.
    pub colour: Colour,
    /// What is drawn besides; with any of them surfaces are drawn as glass.
    pub overlays: Overlays,
}

/// The surfaces of the bodies and obstacles of a world, ready to follow them.
#[derive(Debug)]
pub struct Stage {
    actors: Vec<Actor>,
    /// Of the obstacles seen so far.
    props: BTreeMap<ObstacleId, ShapeSurface>,
}

#[derive(Debug)]
struct Actor {
    body: BodyId,
    skin: Skin,
    paint: Option<Paint>,
}

const BOND: Paint = [235, 235, 240, 255];
const EDGE: Paint = [40, 44, 60, 255];
/// Obstacles: lighter than the ground, and of no material.
const OBSTACLE: Paint = [168, 170, 174, 190];
/// Edges around obstacles that are round.
const AROUND: u32 = 64;

impl Stage {
    /// Binds what bodies look like to the bodies, which must not have been stepped yet or broken.
    ///
    /// # Errors
    /// If a look does not fit its body.
    pub fn new(world: &World, looks: Vec<Look>) -> Result<Self, SkinError> {
        let mut stage = Self { actors: Vec::new(), props: BTreeMap::new() };
        stage.add(world, looks)?;
        Ok(stage)
    }

    /// Binds what later bodies look like, which must not have been stepped yet or broken.
    ///
    /// # Errors
    /// If a look does not fit its body.
    pub fn add(&mut self, world: &World, looks: Vec<Look>) -> Result<(), SkinError> {
        for look in looks {
            if let Some(body) = world.body(look.body) {
                let paint = look.paint.map(|p| colour::of_material(p.colour, p.roughness));
                let skin = Skin::new(look.skin, body)?;
                self.actors.push(Actor { body: look.body, skin, paint });
            }
        }
        Ok(())
    }

    /// The world as it is now. Positions are relative to `origin`, which should be near.
    pub fn drawing(&mut self, world: &World, style: &Style, origin: DVec3) -> Drawing {
        let mut drawing = Drawing {
            origin: origin.to_array(),
            see_through: style.overlays.any(),
            grounds: seen(world).filter_map(ground).collect(),
            ..Drawing::default()
        };
        for obstacle in seen(world) {
            let made = || ShapeSurface::new(obstacle.shape(), AROUND);
            let surface = self.props.entry(obstacle.id()).or_insert_with(made);
            add_obstacle(&mut drawing, surface, obstacle);
        }
        for (number, actor) in self.actors.iter_mut().enumerate() {
            let Some(body) = world.body(actor.body) else { continue };
            let paints = paints(body, number as u64, style.colour);
            let paint = actor.paint.filter(|_| style.colour == Colour::Material);
            add_surface(&mut drawing, &mut actor.skin, body, &paints, paint);
            if style.overlays.tets {
                add_edges(&mut drawing, &mut actor.skin, body);
            }
            add_particles(&mut drawing, body, &paints, style.overlays);
        }
        drawing
    }

    /// Adds chips and dust to a drawing, in the colours of what they were.
    pub fn add_specks(&self, drawing: &mut Drawing, world: &World, specks: &[Speck]) {
        let origin = DVec3::from(drawing.origin);
        drawing.ellipsoids.extend(specks.iter().map(|speck| {
            let centre = (DVec3::from(speck.position) - origin).as_vec3().to_array();
            let r = speck.radius;
            let half_axes = [[r, 0.0, 0.0], [0.0, r, 0.0], [0.0, 0.0, r]];
            Ellipsoid { centre, half_axes, paint: paint_of_speck(world, speck) }
        }));
    }

    /// The largest principal strain anywhere, by size: what [`Colour::Strain`] shows at its brightest.
    pub fn largest_strain(&self, world: &World) -> f32 {
        let bodies = self.actors.iter().filter_map(|actor| world.body(actor.body));
        bodies.flat_map(|body| body.strains()).map(size_of_strain).fold(0.0, f32::max)
    }
}

/// Obstacles that stop something.
fn seen(world: &World) -> impl Iterator<Item = &Obstacle> {
    world.obstacles().filter(|obstacle| !obstacle.is_sensor())
}

fn ground(obstacle: &Obstacle) -> Option<Ground> {
    let Shape::HalfSpace(plane) = obstacle.shape() else { return None };
    let normal = (obstacle.rotation() * plane.normal()).to_array();
    Some(Ground { point: obstacle.position(), normal })
}

/// The surface of an obstacle where it is now; nothing of a half-space, which is a ground.
fn add_obstacle(drawing: &mut Drawing, surface: &ShapeSurface, obstacle: &Obstacle) {
    let turn = obstacle.rotation().to_mat3();
    let origin = DVec3::from(drawing.origin);
    let shift = (DVec3::from(obstacle.position()) - origin).as_vec3();
    let first = drawing.vertices.len() as u32;
    let corners = surface.vertices.iter().zip(&surface.normals);
    drawing.vertices.extend(corners.map(|(&position, &normal)| Vertex {
        position: (turn * Vec3::from(position) + shift).to_array(),
        normal: (turn * Vec3::from(normal)).to_array(),
        paint: OBSTACLE,
    }));
    drawing.triangles.extend(surface.triangles.iter().map(|t| t.map(|k| first + k)));
}

fn size_of_strain([first, _, last]: [f32; 3]) -> f32 {
    first.abs().max(last.abs())
}

/// The paint of each particle.
fn paints(body: &Body, number: u64, colour: Colour) -> Vec<Paint> {
    let count = body.particle_count();
    match colour {
        Colour::Material => {
            let insides = body.materials().iter().map(|material| material.inside());
            let of: Vec<Paint> = insides
                .map(|inside| colour::of_material(inside.colour, inside.roughness))
                .collect();
            body.particle_materials().iter().map(|&k| of[usize::from(k)]).collect()
        }
        Colour::Body => vec![colour::of_number(number); count],
        Colour::Piece => {
            let pieces = body.pieces().iter();
            pieces
                .flat_map(|piece| {
                    let paint = colour::of_number(piece.id().0);
                    std::iter::repeat_n(paint, piece.particle_count())
                })
                .collect()
        }
        Colour::Strain { full } => {
            let strains = body.strains().into_iter().map(size_of_strain);
            strains.map(|strain| colour::of_share(strain / full)).collect()
        }
    }
}

/// The inside of the material that it came from.
fn paint_of_speck(world: &World, speck: &Speck) -> Paint {
    let body = world.body(speck.body);
    let material = body.and_then(|body| body.materials().get(usize::from(speck.material)));
    material.map_or(OBSTACLE, |material| {
        colour::of_material(material.inside().colour, material.inside().roughness)
    })
}

/// The surface of a body; what was always outside has the paint of the body, if there is one.
fn add_surface(
    drawing: &mut Drawing,
    skin: &mut Skin,
    body: &Body,
    paints: &[Paint],
    outside: Option<Paint>,
) {
    skin.update(body, drawing.origin);
    let paint_of = |&column: &u32| paints.get(column as usize).copied().unwrap_or(OBSTACLE);
    let paints: Vec<Paint> = skin.columns().iter().map(paint_of).collect();
    let skinned = skin.skinned();
    let first = drawing.vertices.len() as u32;
    let corners = skinned.positions.iter().zip(&skinned.normals);
    let kinds = skinned.owners.iter().zip(&skinned.inside);
    let vertices = corners.zip(kinds).map(|((&position, &normal), (&owner, &inside))| {
        let paint = outside.filter(|_| !inside).unwrap_or(paints[owner as usize]);
        Vertex { position, normal, paint }
    });
    drawing.vertices.extend(vertices);
    drawing.triangles.extend(skinned.triangles.iter().map(|t| t.map(|k| first + k)));
}

fn add_edges(drawing: &mut Drawing, skin: &mut Skin, body: &Body) {
    let skinned = skin.update_lines(body, drawing.origin);
    let at = |k: u32| skinned.positions[k as usize];
    let lines = skinned.lines.iter();
    drawing.lines.extend(lines.map(|&[a, b]| Line { from: at(a), to: at(b), paint: EDGE }));
}

fn add_particles(drawing: &mut Drawing, body: &Body, paints: &[Paint], overlays: Overlays) {
    let origin = DVec3::from(drawing.origin);
    let centres: Vec<[f32; 3]> =
        body.world_positions().map(|x| (DVec3::from(x) - origin).as_vec3().to_array()).collect();
    if overlays.particles {
        let shapes = body.ellipsoids().zip(&centres).zip(paints);
        drawing.ellipsoids.extend(shapes.map(|((half_axes, &centre), &paint)| Ellipsoid {
            centre,
            half_axes,
            paint,
        }));
    }
    if overlays.bonds {
        for (a, &from) in centres.iter().enumerate() {
            let later = body.neighbours(a).iter().map(|&b| b as usize).filter(|&b| b > a);
            drawing.lines.extend(later.map(|b| Line { from, to: centres[b], paint: BOND }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::WorldConfig;
    use fracas::world::{MoveKey, ObstacleDesc, ObstacleMotion};

    /// A block that moves is drawn where it is; sensors and planes have no surface.
    #[test]
    fn obstacles_are_drawn_where_they_are() {
        let mut world = World::new(WorldConfig::default()).unwrap();
        let block = Shape::block(Vec3::new(0.5, 0.1, 0.5)).unwrap();
        let far = [1e6, 2.0, 0.0];
        let down = MoveKey { time: 0.5, offset: [0.0, -1.0, 0.0], angle: 0.0 };
        let motion = ObstacleMotion { keys: vec![MoveKey::default(), down], ..Default::default() };
        let press = ObstacleDesc::new(block.clone());
        let press = ObstacleDesc { position: far, motion: Some(motion), ..press };
        world.add_obstacle(press).unwrap();
        let sensor = ObstacleDesc { sensor: true, ..ObstacleDesc::new(block) };
        world.add_obstacle(sensor).unwrap();
        let plane = Shape::half_space(Vec3::Y).unwrap();
        world
            .add_obstacle(ObstacleDesc { sensor: true, ..ObstacleDesc::new(plane.clone()) })
            .unwrap();
        world.add_obstacle(ObstacleDesc::new(plane)).unwrap();
        let mut stage = Stage::new(&world, Vec::new()).unwrap();
        for (frames, height) in [(0, 2.0), (15, 1.5), (60, 1.0)] {
            for _ in 0..frames {
                world.step(1.0 / 60.0);
            }
            let drawing = stage.drawing(&world, &Style::default(), DVec3::new(1e6, 0.0, 0.0));
            let [low, high] = drawing.bounds().unwrap();
            assert!((low - Vec3::new(-0.5, height - 0.1, -0.5)).length() < 1e-3, "{low}");
            assert!((high - Vec3::new(0.5, height + 0.1, 0.5)).length() < 1e-3, "{high}");
            assert_eq!((drawing.triangles.len(), drawing.grounds.len()), (12, 1));
        }
    }
}
