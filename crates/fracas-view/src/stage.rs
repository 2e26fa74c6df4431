//! From a world to a drawing.

use std::collections::BTreeMap;
use std::sync::Arc;

use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::VaryingDirection;
use fracas::skin::{Binding, GONE, ShapeSurface, Skin, SkinError, Speck};
use fracas::world::{Body, Obstacle, ObstacleId};
use fracas::{BodyId, World};
use fracas_scene::Look;

use crate::colour;
use crate::drawing::{Drawing, Ellipsoid, Ground, Line, Paint, Vertex};
use crate::scale::{Ends, Scale};
use crate::shown::{Shown, ShownSkin};

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
    /// A quantity, from dark to bright.
    Scale(Scale),
}

impl Colour {
    /// Linear light as a screen takes it, sRGB.
    pub fn of_light(light: [f32; 3]) -> [u8; 3] {
        colour::of_light(light)
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
    /// The direction of the grain, where there is one.
    pub fibres: bool,
    /// Where something pushes, and how hard: longer lines for larger forces.
    pub contacts: bool,
}

impl Overlays {
    fn any(self) -> bool {
        self.particles || self.bonds || self.tets || self.fibres
    }
}

/// How a world is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// What colours tell.
    pub colour: Colour,
    /// What is drawn besides; with any of them surfaces are drawn as glass.
    pub overlays: Overlays,
    /// How many times as large the deformation of brittle bodies is drawn; none draws them as they move.
    pub deformation: Option<f32>,
}

/// The surfaces of the bodies and obstacles of a world, ready to follow them.
#[derive(Debug)]
pub struct Stage {
    actors: Vec<Actor>,
    /// Number of the next.
    next: u32,
    /// Of the obstacles seen so far.
    props: BTreeMap<ObstacleId, ShapeSurface>,
}

#[derive(Debug)]
struct Actor {
    body: BodyId,
    number: u32,
    binding: Binding,
    /// Follows the edges of tetrahedra while they are shown.
    edges: Option<Skin>,
    /// Of what was always outside.
    paint: Option<Paint>,
    /// Of each state, as shown last.
    paints: Arc<[Paint]>,
    grain: [f32; 3],
}

const BOND: Paint = Paint::plain([235, 235, 240], 255);
const EDGE: Paint = Paint::plain([40, 44, 60], 255);
const FIBRE: Paint = Paint::plain([120, 40, 20], 255);
const FORCE: Paint = Paint::plain([220, 40, 120], 255);
/// Obstacles: lighter than the ground, and of no material.
const OBSTACLE: Paint = Paint::plain([168, 170, 174], 190);
/// Edges around obstacles that are round.
const AROUND: u32 = 64;

impl Stage {
    /// Binds what bodies look like to the bodies, which must not have been stepped yet or broken.
    ///
    /// # Errors
    /// If a look does not fit its body.
    pub fn new(world: &World, looks: Vec<Look>) -> Result<Self, SkinError> {
        let mut stage = Self { actors: Vec::new(), next: 0, props: BTreeMap::new() };
        stage.add(world, looks)?;
        Ok(stage)
    }

    /// Adds what later bodies look like.
    ///
    /// # Errors
    /// If a look does not fit its body; those before it are there.
    pub fn add(&mut self, world: &World, looks: Vec<Look>) -> Result<(), SkinError> {
        for look in looks {
            let Some(body) = world.body(look.body) else { continue };
            self.actors.push(Actor {
                body: look.body,
                number: self.next,
                binding: Binding::new(look.skin, body)?,
                edges: None,
                paint: look.paint.map(|finish| colour::of_finish(&finish)),
                paints: Arc::default(),
                grain: grain(body),
            });
            self.next += 1;
        }
        Ok(())
    }

    /// Shows everything from the start again: for another who draws.
    ///
    /// # Errors
    /// If a body can no longer be bound.
    pub fn begin_anew(&mut self, world: &World) -> Result<(), SkinError> {
        for actor in &mut self.actors {
            if let Some(body) = world.body(actor.body) {
                actor.binding = Binding::new(Arc::clone(actor.binding.mesh()), body)?;
            }
        }
        Ok(())
    }

    /// The world as it is now, with what changed of its skins since it was shown last. Positions are relative to
    /// `origin`, which should be near.
    pub fn show(&mut self, world: &World, style: &Style, origin: DVec3) -> Shown {
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
        self.actors.retain(|actor| world.body(actor.body).is_some());
        let ends = match style.colour {
            Colour::Scale(scale) => Some(self.ends(world, scale)),
            _ => None,
        };
        let mut skins = Vec::with_capacity(self.actors.len());
        for actor in &mut self.actors {
            let Some(body) = world.body(actor.body) else { continue };
            let paints = paints(body, u64::from(actor.number), style.colour, ends);
            skins.push(actor.show(body, style, &paints, &drawing));
            actor.show_edges(body, style, &mut drawing);
            add_particles(&mut drawing, body, &paints, style.overlays);
        }
        if style.overlays.contacts {
            add_contacts(&mut drawing, world);
        }
        Shown { skins, drawing, ends }
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

    /// The ends of a scale, as of now.
    pub fn ends(&self, world: &World, scale: Scale) -> Ends {
        let bodies = self.actors.iter().filter_map(|actor| world.body(actor.body));
        scale.ends(bodies.flat_map(|body| scale.of.of(body)))
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
        grain: position,
    }));
    drawing.triangles.extend(surface.triangles.iter().map(|t| t.map(|k| first + k)));
}

/// The paint of each particle; by these ends if there is a scale.
fn paints(body: &Body, number: u64, colour: Colour, ends: Option<Ends>) -> Vec<Paint> {
    let count = body.particle_count();
    match (colour, ends) {
        (Colour::Material, _) | (Colour::Scale(_), None) => {
            let insides = body.materials().iter().map(|material| material.inside());
            let of: Vec<Paint> = insides.map(colour::of_finish).collect();
            body.particle_materials().iter().map(|&k| of[usize::from(k)]).collect()
        }
        (Colour::Body, _) => vec![colour::of_number(number); count],
        (Colour::Piece, _) => {
            let pieces = body.pieces().iter();
            pieces
                .flat_map(|piece| {
                    let paint = colour::of_number(piece.id().0);
                    std::iter::repeat_n(paint, piece.particle_count())
                })
                .collect()
        }
        (Colour::Scale(scale), Some(ends)) => {
            let values = scale.of.of(body).into_iter();
            values.map(|value| colour::of_share(ends.share(value))).collect()
        }
    }
}

/// The inside of the material that it came from.
fn paint_of_speck(world: &World, speck: &Speck) -> Paint {
    let body = world.body(speck.body);
    let material = body.and_then(|body| body.materials().get(usize::from(speck.material)));
    material.map_or(OBSTACLE, |material| colour::of_finish(material.inside()))
}

/// Along the grain of the first material that has one direction.
fn grain(body: &Body) -> [f32; 3] {
    let directions = body.materials().iter().map(|material| &material.desc().grain.direction);
    let constant = |direction: &VaryingDirection| match direction {
        VaryingDirection::Constant(direction) => Vec3::from(*direction).try_normalize(),
        _ => None,
    };
    directions.filter_map(constant).next().unwrap_or(Vec3::Y).to_array()
}

impl Actor {
    fn show(
        &mut self,
        body: &Body,
        style: &Style,
        paints: &[Paint],
        around: &Drawing,
    ) -> ShownSkin {
        self.binding.draw_deformation(style.deformation);
        let update = self.binding.update(body, around.origin).clone();
        let of = |&column: &u32| match column {
            GONE => OBSTACLE,
            column => paints[column as usize],
        };
        let paints: Vec<Paint> = self.binding.columns().iter().map(of).collect();
        if *self.paints != *paints {
            self.paints = paints.into();
        }
        ShownSkin {
            number: self.number,
            update,
            paints: Arc::clone(&self.paints),
            outside: self.paint.filter(|_| style.colour == Colour::Material),
            grain: self.grain,
        }
    }

    fn show_edges(&mut self, body: &Body, style: &Style, drawing: &mut Drawing) {
        if !style.overlays.tets {
            self.edges = None;
            return;
        }
        if self.edges.is_none() {
            self.edges = Skin::new(Arc::clone(self.binding.mesh()), body).ok();
        }
        let Some(skin) = &mut self.edges else { return };
        skin.draw_deformation(style.deformation);
        let skinned = skin.update_lines(body, drawing.origin);
        let at = |k: u32| skinned.positions[k as usize];
        let lines = skinned.lines.iter();
        drawing.lines.extend(lines.map(|&[a, b]| Line { from: at(a), to: at(b), paint: EDGE }));
    }
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
    if overlays.fibres {
        add_fibres(drawing, body, &centres);
    }
    if overlays.bonds {
        for (a, &from) in centres.iter().enumerate() {
            let later = body.neighbours(a).iter().map(|&b| b as usize).filter(|&b| b > a);
            drawing.lines.extend(later.map(|b| Line { from, to: centres[b], paint: BOND }));
        }
    }
}

/// A line through every particle along its grain, as long as the particle.
fn add_fibres(drawing: &mut Drawing, body: &Body, centres: &[[f32; 3]]) {
    let shapes = body.ellipsoids().zip(body.fibres()).zip(centres);
    drawing.lines.extend(shapes.map(|((half_axes, fibre), &centre)| {
        let (centre, fibre) = (Vec3::from(centre), Vec3::from(fibre));
        let reach = half_axes.map(|axis| fibre.dot(axis.into()).abs()).into_iter().sum::<f32>();
        let [from, to] = [-reach, reach].map(|along| (centre + along * fibre).to_array());
        Line { from, to, paint: FIBRE }
    }));
}

/// A line along every force, the longest a tenth of all that is drawn; shorter by the root of the force, so that many are
/// seen.
fn add_contacts(drawing: &mut Drawing, world: &World) {
    let origin = DVec3::from(drawing.origin);
    let forces: Vec<(Vec3, Vec3)> = world
        .contacts()
        .map(|contact| {
            let at = (DVec3::from(contact.position) - origin).as_vec3();
            (at, Vec3::from(contact.force))
        })
        .collect();
    let most = forces.iter().map(|(_, force)| force.length()).fold(0.0, f32::max);
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for body in world.body_ids().filter_map(|id| world.body(id)) {
        for x in body.world_positions() {
            let at = (DVec3::from(x) - origin).as_vec3();
            (low, high) = (low.min(at), high.max(at));
        }
    }
    let longest = 0.1 * low.distance(high);
    for (at, force) in forces.into_iter().filter(|(_, force)| force.length() > 0.0) {
        let length = longest * (force.length() / most).sqrt();
        let to = (at + length * force.normalize()).to_array();
        drawing.lines.push(Line { from: at.to_array(), to, paint: FORCE });
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
            let drawing = stage.show(&world, &Style::default(), DVec3::new(1e6, 0.0, 0.0)).drawing;
            let [low, high] = drawing.bounds().unwrap();
            assert!((low - Vec3::new(-0.5, height - 0.1, -0.5)).length() < 1e-3, "{low}");
            assert!((high - Vec3::new(0.5, height + 0.1, 0.5)).length() < 1e-3, "{high}");
            assert_eq!((drawing.triangles.len(), drawing.grounds.len()), (12, 1));
        }
    }
}
