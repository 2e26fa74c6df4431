//! From a world to a drawing.

use fracas::glam::DVec3;
use fracas::skin::{Skin, SkinError};
use fracas::world::Body;
use fracas::{BodyId, HalfSpaceDesc, World};
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

/// The surfaces of the bodies of a world, ready to follow them.
#[derive(Debug)]
pub struct Stage {
    actors: Vec<Actor>,
}

#[derive(Debug)]
struct Actor {
    body: BodyId,
    skin: Skin,
}

const BOND: Paint = [235, 235, 240, 255];
const EDGE: Paint = [40, 44, 60, 255];

impl Stage {
    /// Binds what bodies look like to the bodies, which must not have been stepped yet or broken.
    ///
    /// # Errors
    /// If a look does not fit its body.
    pub fn new(world: &World, looks: Vec<Look>) -> Result<Self, SkinError> {
        let mut actors = Vec::new();
        for look in looks {
            if let Some(body) = world.body(look.body) {
                actors.push(Actor { body: look.body, skin: Skin::new(look.skin, body)? });
            }
        }
        Ok(Self { actors })
    }

    /// The world as it is now. Positions are relative to `origin`, which should be near.
    pub fn drawing(&mut self, world: &World, style: &Style, origin: DVec3) -> Drawing {
        let mut drawing = Drawing {
            origin: origin.to_array(),
            see_through: style.overlays.any(),
            grounds: world.half_spaces().map(ground).collect(),
            ..Drawing::default()
        };
        for (number, actor) in self.actors.iter_mut().enumerate() {
            let Some(body) = world.body(actor.body) else { continue };
            let paints = paints(body, number as u64, style.colour);
            add_surface(&mut drawing, &mut actor.skin, body, &paints, style.overlays.tets);
            add_particles(&mut drawing, body, &paints, style.overlays);
        }
        drawing
    }

    /// The largest principal strain anywhere, by size: what [`Colour::Strain`] shows at its brightest.
    pub fn largest_strain(&self, world: &World) -> f32 {
        let bodies = self.actors.iter().filter_map(|actor| world.body(actor.body));
        bodies.flat_map(|body| body.strains()).map(size_of_strain).fold(0.0, f32::max)
    }
}

fn ground(half_space: HalfSpaceDesc) -> Ground {
    Ground { point: half_space.point, normal: half_space.normal }
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

fn add_surface(drawing: &mut Drawing, skin: &mut Skin, body: &Body, paints: &[Paint], edges: bool) {
    let skinned = skin.update(body, drawing.origin);
    let first = drawing.vertices.len() as u32;
    let corners = skinned.positions.iter().zip(&skinned.normals).zip(&skinned.owners);
    drawing.vertices.extend(corners.map(|((&position, &normal), &owner)| Vertex {
        position,
        normal,
        paint: paints[owner as usize],
    }));
    drawing.triangles.extend(skinned.triangles.iter().map(|t| t.map(|k| first + k)));
    if edges {
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
    if overlays.bonds {
        for (a, &from) in centres.iter().enumerate() {
            let later = body.neighbours(a).iter().map(|&b| b as usize).filter(|&b| b > a);
            drawing.lines.extend(later.map(|b| Line { from, to: centres[b], paint: BOND }));
        }
    }
}
