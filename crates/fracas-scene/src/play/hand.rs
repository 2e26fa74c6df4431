//! The hand that takes hold of bodies.

use std::f64::consts::PI;

use fracas::glam::{DVec3, Vec3};
use fracas::world::{Body, GripDesc, GripMotion, HitTarget, RayDesc, Region};
use fracas::{BodyId, GripId, ParticleId, World};

use super::PlayError;

/// How fast a free piece follows the hand, in Hz: ω = 2π · 3/s.
const RATE: f64 = 3.0;

/// How far from the point that is hit particles are held, over the length of the one that is hit, or of the edges there.
const REACH: f32 = 1.5;

/// What is held by the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grabbed {
    /// The body.
    pub body: BodyId,
    /// Where the point is that was taken hold of, in m.
    pub point: [f64; 3],
    /// Where the hand is, in m.
    pub target: [f64; 3],
    /// What the hand pulls with, in N.
    pub force: [f64; 3],
}

/// A hand that holds something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    pub grip: GripId,
    body: BodyId,
    /// From the centre of what is held to the point that was hit.
    offset: DVec3,
    /// Where that centre was then.
    centre: DVec3,
    target: DVec3,
}

impl Hand {
    /// Takes hold of what a ray hits first, with a spring that does not pull yet.
    ///
    /// M ω² and 2 M ω, with M the mass of the whole piece: a free piece follows critically damped, whatever it weighs.
    pub fn grab(
        world: &mut World,
        origin: [f64; 3],
        direction: [f32; 3],
    ) -> Result<Self, PlayError> {
        let hit = world.cast_ray(RayDesc::new(origin, direction))?.ok_or(PlayError::Nothing)?;
        let HitTarget::Body { body: id, piece, particle } = hit.target else {
            return Err(PlayError::Nothing);
        };
        let (body, point) = (world.body(id).ok_or(PlayError::Nothing)?, DVec3::from(hit.position));
        let piece = body.pieces().iter().find(|known| known.id() == piece);
        let held = around(body, piece.ok_or(PlayError::Nothing)?, particle, point);
        let rate = 2.0 * PI * RATE;
        let motion = GripMotion::Spring {
            target: held.centre.to_array(),
            stiffness: (held.mass_of_piece * rate * rate) as f32,
            damping: (2.0 * held.mass_of_piece * rate) as f32,
        };
        let region = Region::Particles(held.particles);
        let grip = world.grip(GripDesc { body: id, region, motion, release: None })?;
        let offset = point - held.centre;
        Ok(Self { grip, body: id, offset, centre: held.centre, target: point })
    }

    /// Pulls the point that was hit to another place.
    pub fn drag(&mut self, world: &mut World, target: [f64; 3]) -> Result<(), PlayError> {
        let target = DVec3::from(target);
        world.move_grip(self.grip, (target - self.offset).to_array())?;
        self.target = target;
        Ok(())
    }

    /// What it holds now.
    pub fn holds(&self, world: &World) -> Grabbed {
        // it closes with the next step
        let centre = world.grip_centre(self.grip).map_or(self.centre, DVec3::from);
        Grabbed {
            body: self.body,
            point: (centre + self.offset).to_array(),
            target: self.target.to_array(),
            force: world.reaction(self.grip).unwrap_or_default().force,
        }
    }
}

/// Some particles of a piece.
struct Held {
    particles: Vec<ParticleId>,
    /// Their centre of mass.
    centre: DVec3,
    /// Of all particles of the piece, in kg.
    mass_of_piece: f64,
}

/// The particle that was hit, and those of its piece whose centres are near the point.
fn around(body: &Body, piece: &fracas::world::Piece, hit: ParticleId, point: DVec3) -> Held {
    let (ids, origin) = (body.particle_ids(), DVec3::from(piece.origin()));
    let first = ids.iter().position(|id| body.ids(piece).first() == Some(id)).unwrap_or(0);
    let place_of_hit = ids.iter().position(|&id| id == hit).unwrap_or(first);
    let is_corner = body.orientations(piece).is_empty();
    let length =
        if is_corner { edge_at(body, place_of_hit) } else { length_at(body, place_of_hit) };
    let reach = f64::from(REACH * length);

    let mut held = Held { particles: Vec::new(), centre: DVec3::ZERO, mass_of_piece: 0.0 };
    let mut mass = 0.0;
    for (k, (&id, &position)) in body.ids(piece).iter().zip(body.positions(piece)).enumerate() {
        let m = f64::from(body.masses()[first + k]);
        held.mass_of_piece += m;
        let position = origin + Vec3::from(position).as_dvec3();
        if id == hit || position.distance(point) <= reach {
            held.particles.push(id);
            held.centre += m * position;
            mass += m;
        }
    }
    held.centre /= mass;
    held
}

/// Length of a particle, in m.
fn length_at(body: &Body, place: usize) -> f32 {
    let axes = body.ellipsoids().nth(place).unwrap_or_default();
    2.0 * axes.map(|axis| Vec3::from(axis).length()).into_iter().fold(0.0, f32::max)
}

/// Mean length of the edges at a corner of tetrahedra, at rest, in m.
fn edge_at(body: &Body, place: usize) -> f32 {
    let (rest, around) = (body.rest_positions(), body.neighbours(place));
    let at = |place: usize| Vec3::from(rest[place]);
    let sum: f32 = around.iter().map(|&k| at(place).distance(at(k as usize))).sum();
    sum / around.len().max(1) as f32
}
