//! Questions about what is where: rays, moved shapes, overlaps, contacts. They change nothing.

use super::World;
use super::body::Body;
use super::desc::Layers;
use super::error::{CommandError, require};
use super::finding::Form;
use super::ids::{BodyId, ObstacleId, ParticleId, PieceId};
use crate::contact::narrow::{Way, sweep};
use crate::contact::ray::{self, Ray};
use crate::contact::shape::Shape;
use crate::contact::{Other, Spot};
use crate::math::Rot;
use glam::{DVec3, Vec3};

/// A ray to cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayDesc {
    /// Where it starts, in m.
    pub origin: [f64; 3],
    /// Where it goes; need not be unit length.
    pub direction: [f32; 3],
    /// How far, in m; may be infinite.
    pub length: f64,
    /// What it may hit.
    pub layers: Layers,
}

impl RayDesc {
    /// Without end, hitting all that meets the first layer.
    pub fn new(origin: [f64; 3], direction: [f32; 3]) -> Self {
        Self { origin, direction, length: f64::INFINITY, layers: Layers::default() }
    }
}

/// Where something is in the world: x ↦ rotation x + position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// In m.
    pub position: [f64; 3],
    /// How it is turned.
    pub rotation: Rot,
}

/// What was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitTarget {
    /// A particle of a body, or one of its rigid solids.
    Body {
        /// The body.
        body: BodyId,
        /// The piece.
        piece: PieceId,
        /// The particle.
        particle: ParticleId,
    },
    /// An obstacle.
    Obstacle(ObstacleId),
}

/// Where a ray or a moved shape meets something first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// From the start, in m.
    pub distance: f64,
    /// On the surface of what was hit, in m. Of a ray that starts inside, its start.
    pub position: [f64; 3],
    /// Outward there, unit length; of a mesh on the side that was hit. What starts inside has a distance of
    /// 0, and the normal of a ray is then straight against it, that of a shape its shortest way out.
    pub normal: [f32; 3],
    /// What was hit.
    pub target: HitTarget,
    /// The triangle of a mesh or height field, counted from 0, or the part of a compound.
    ///
    /// Triangles of a height field are 2 (row · columns + column), and one more for that of the larger x.
    pub element: Option<u32>,
    /// Weights of that triangle's corners, where a ray has hit one.
    pub barycentric: Option<[f32; 3]>,
}

/// A place where two have pushed each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The one that the normal points to; never an obstacle.
    pub first: HitTarget,
    /// The other.
    pub second: HitTarget,
    /// Where, in m.
    pub position: [f64; 3],
    /// From the second to the first, unit length.
    pub normal: [f32; 3],
    /// Pressure and friction on the first, in N; the second feels the opposite.
    pub force: [f32; 3],
    /// Whether it slid.
    pub sliding: bool,
}

/// Something that may be hit, at its place.
struct Thing<'a> {
    shape: &'a Shape,
    rotation: Rot,
    position: DVec3,
    target: HitTarget,
}

/// What is looked for: all that comes within `reach` of a part of a straight line.
#[derive(Clone, Copy)]
struct Probe {
    line: Ray,
    reach: f64,
    layers: Layers,
}

impl Probe {
    fn of_ray(ray: &RayDesc) -> Result<Self, CommandError> {
        check_finite("origin", ray.origin)?;
        let way = Vec3::from(ray.direction).as_dvec3();
        let allowed = "finite and longer than 0";
        let size = way.length();
        require(size > 0.0 && size.is_finite(), "direction", allowed, size as f32)?;
        require(ray.length >= 0.0, "length", "0 or above", ray.length as f32)?;
        let direction = way / size;
        let line = Ray { origin: ray.origin.into(), direction, length: ray.length };
        Ok(Self { line, reach: 0.0, layers: ray.layers })
    }

    fn of_shape(
        shape: &Shape,
        pose: &WorldPose,
        way: [f32; 3],
        layers: Layers,
    ) -> Result<Self, CommandError> {
        if shape.is_fixed() {
            return Err(CommandError::FixedShape(shape.kind()));
        }
        check_finite("position", pose.position)?;
        let Rot { x, y, z, w } = pose.rotation;
        check_finite("rotation", [x, y, z, w].map(f64::from))?;
        check_finite("way", way.map(f64::from))?;
        let way = Vec3::from(way).as_dvec3();
        let length = way.length();
        let direction = if length > 0.0 { way / length } else { DVec3::ZERO };
        let line = Ray { origin: pose.position.into(), direction, length };
        Ok(Self { line, reach: shape.bounding_radius().into(), layers })
    }

    /// Whether a ball may be met.
    fn passes(&self, centre: DVec3, radius: f64) -> bool {
        let Ray { origin, direction, length } = self.line;
        let to = centre - origin;
        let along = to.dot(direction).clamp(0.0, length);
        let reach = (self.reach + radius) * (1.0 + 1e-6);
        (to - along * direction).length_squared() <= reach * reach
    }

    /// Where the line hits something.
    fn strike(&self, thing: &Thing<'_>) -> Option<Hit> {
        let struck = ray::cast(thing.shape, thing.rotation, thing.position, &self.line)?;
        Some(Hit {
            distance: struck.distance,
            position: self.line.at(struck.distance).to_array(),
            normal: struck.normal.as_vec3().to_array(),
            target: thing.target,
            element: struck.element,
            barycentric: struck.weights.map(|weights| weights.map(|w| w as f32)),
        })
    }

    /// Where a shape that moves along the line meets something.
    fn meet(&self, shape: &Shape, rotation: Rot, thing: &Thing<'_>) -> Option<Hit> {
        let Ray { origin, direction, length } = self.line;
        let way = Way { direction, length };
        let place = thing.position - origin;
        let met = sweep(shape, rotation, thing.shape, thing.rotation, place, &way)?;
        Some(Hit {
            distance: met.distance,
            position: (origin + met.point).to_array(),
            normal: met.normal.as_vec3().to_array(),
            target: thing.target,
            element: met.element,
            barycentric: None,
        })
    }
}

fn check_finite<const N: usize>(field: &'static str, values: [f64; N]) -> Result<(), CommandError> {
    for value in values {
        require(value.is_finite(), field, "finite", value as f32)?;
    }
    Ok(())
}

/// Keeps the first of all hits, by distance and then by what was hit.
#[derive(Default)]
struct First(Option<Hit>);

impl First {
    /// The farthest that a better one may be, in m.
    fn limit(&self, length: f64) -> f64 {
        self.0.map_or(length, |hit| hit.distance)
    }

    fn take(&mut self, hit: Hit) {
        if self.0.is_none_or(|best| before(&hit, &best).is_lt()) {
            self.0 = Some(hit);
        }
    }
}

/// The order of hits.
fn before(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    a.distance.total_cmp(&b.distance).then(a.target.cmp(&b.target))
}

impl World {
    /// The first thing that a ray hits: an ellipsoid of a particle, a rigid solid, or an obstacle that
    /// is no sensor. What waits for the next step counts too.
    ///
    /// Solids are closed: a ray that starts on a surface is inside.
    ///
    /// ```
    /// use fracas::world::{HalfSpaceDesc, HitTarget, RayDesc, World, WorldConfig};
    ///
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ground = world.add_half_space(HalfSpaceDesc::default())?;
    /// let down = RayDesc::new([3.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    /// let hit = world.cast_ray(down)?.ok_or("no ground")?;
    /// assert_eq!((hit.distance, hit.target), (2.0, HitTarget::Obstacle(ground)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`] for a start that is not finite, a direction of no length, or a
    /// negative length.
    pub fn cast_ray(&self, ray: RayDesc) -> Result<Option<Hit>, CommandError> {
        let mut probe = Probe::of_ray(&ray)?;
        let mut first = First::default();
        self.each_near(&mut probe, &mut |probe, thing| {
            if let Some(hit) = probe.strike(thing) {
                first.take(hit);
            }
            first.limit(ray.length)
        });
        Ok(first.0)
    }

    /// All that a ray passes through, each particle and obstacle once where it is hit first, by distance
    /// and then by [`HitTarget`].
    ///
    /// # Errors
    /// As [`cast_ray`](Self::cast_ray).
    pub fn cast_ray_all(&self, ray: RayDesc) -> Result<Vec<Hit>, CommandError> {
        let mut probe = Probe::of_ray(&ray)?;
        let mut hits = Vec::new();
        self.each_near(&mut probe, &mut |probe, thing| {
            hits.extend(probe.strike(thing));
            ray.length
        });
        hits.sort_unstable_by(before);
        Ok(hits)
    }

    /// The first thing that a shape meets when it is moved straight by `way`, in m, without turning.
    ///
    /// ```
    /// use fracas::contact::shape::Shape;
    /// use fracas::world::{HalfSpaceDesc, Layers, World, WorldConfig, WorldPose};
    ///
    /// let mut world = World::new(WorldConfig::default())?;
    /// world.add_half_space(HalfSpaceDesc::default())?;
    /// let ball = Shape::sphere(0.5)?;
    /// let above = WorldPose { position: [0.0, 2.0, 0.0], ..WorldPose::default() };
    /// let hit = world.cast_shape(&ball, above, [0.0, -10.0, 0.0], Layers::default())?;
    /// assert_eq!(hit.map(|hit| hit.distance), Some(1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CommandError`] for numbers that are not finite, or a shape that cannot be moved.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: WorldPose,
        way: [f32; 3],
        layers: Layers,
    ) -> Result<Option<Hit>, CommandError> {
        let mut probe = Probe::of_shape(shape, &pose, way, layers)?;
        let length = probe.line.length;
        let mut first = First::default();
        self.each_near(&mut probe, &mut |probe, thing| {
            if let Some(hit) = probe.meet(shape, pose.rotation, thing) {
                first.take(hit);
            }
            first.limit(length)
        });
        Ok(first.0)
    }

    /// All that overlaps a shape, in order: particles, rigid solids, and obstacles that are no sensors.
    ///
    /// # Errors
    /// As [`cast_shape`](Self::cast_shape).
    pub fn overlaps(
        &self,
        shape: &Shape,
        pose: WorldPose,
        layers: Layers,
    ) -> Result<Vec<HitTarget>, CommandError> {
        let mut probe = Probe::of_shape(shape, &pose, [0.0; 3], layers)?;
        let mut found = Vec::new();
        self.each_near(&mut probe, &mut |probe, thing| {
            found.extend(probe.meet(shape, pose.rotation, thing).map(|hit| hit.target));
            0.0
        });
        found.sort_unstable();
        Ok(found)
    }

    /// Every contact that carried force in the last substep, in a fixed order. None before the first step
    /// and right after loading.
    pub fn contacts(&self) -> impl Iterator<Item = ContactPoint> {
        let touching = &self.touching;
        touching.contacts.iter().zip(&touching.touches).filter_map(|(contact, touch)| {
            let force = touch.felt * contact.normal + touch.felt_slip;
            if force == Vec3::ZERO {
                return None;
            }
            let (first, at) = self.found(contact.first, contact.key.first)?;
            let second = match (contact.key.second, contact.second) {
                (Other::Particle(particle), Some(spot)) => self.found(spot, particle)?.0,
                (Other::Obstacle(id), _) => HitTarget::Obstacle(id),
                (Other::Particle(_), None) => return None,
            };
            Some(ContactPoint {
                first,
                second,
                position: (at + contact.first.anchor.arm.as_dvec3()).to_array(),
                normal: contact.normal.to_array(),
                force: force.to_array(),
                sliding: contact.sliding,
            })
        })
    }

    /// Sum of the contact forces on a body in the last substep, in N; `None` if there is no such body.
    /// What its pieces do to each other adds up to nothing.
    pub fn force_on(&self, body: BodyId) -> Option<[f64; 3]> {
        self.body(body)?;
        let is_it = |target| matches!(target, HitTarget::Body { body: id, .. } if id == body);
        let mut sum = DVec3::ZERO;
        for contact in self.contacts() {
            let force = Vec3::from(contact.force).as_dvec3();
            sum += if is_it(contact.first) { force } else { DVec3::ZERO };
            sum -= if is_it(contact.second) { force } else { DVec3::ZERO };
        }
        Some(sum.to_array())
    }

    /// A particle of a contact, and where its centre is. Splits since have put columns in another
    /// order, and bodies may be gone.
    fn found(&self, spot: Spot, particle: ParticleId) -> Option<(HitTarget, DVec3)> {
        let holds = |body: &&Body| body.particles.id.contains(&particle);
        let noted = self.bodies.get(spot.body as usize);
        let at = spot.anchor.particle as usize;
        let (body, j) = match noted.filter(|body| body.particles.id.get(at) == Some(&particle)) {
            Some(body) => (body, at),
            None => {
                let body = self.bodies.iter().find(holds)?;
                (body, body.particles.id.iter().position(|id| *id == particle)?)
            }
        };
        let piece = &body.pieces[body.piece_of(j as u32) as usize];
        let target = HitTarget::Body { body: body.id, piece: piece.id, particle };
        Some((target, piece.origin + body.particles.position[j].as_dvec3()))
    }

    /// Calls `visit` with all that may be met; it returns how far to look on, in m.
    fn each_near(&self, probe: &mut Probe, visit: &mut dyn FnMut(&Probe, &Thing<'_>) -> f64) {
        let layers = probe.layers;
        for body in self.all_bodies().filter(|body| body.layers.meet(layers)) {
            body.each_near(probe, visit);
        }
        for obstacle in self.obstacles().filter(|o| !o.sensor && o.layers.meet(layers)) {
            let thing = Thing {
                shape: &obstacle.shape,
                rotation: obstacle.now.rotation,
                position: obstacle.now.position,
                target: HitTarget::Obstacle(obstacle.id),
            };
            probe.line.length = visit(probe, &thing);
        }
    }
}

impl Body {
    fn each_near(&self, probe: &mut Probe, visit: &mut dyn FnMut(&Probe, &Thing<'_>) -> f64) {
        for piece in &self.pieces {
            for j in piece.span.clone() {
                let (centre, radius) = self.ball_around(j);
                if !probe.passes(piece.origin + centre.as_dvec3(), radius.into()) {
                    continue;
                }
                let pose = self.pose(j, self.turned_now(j));
                let (body, particle) = (self.id, self.particles.id[j]);
                let form = self.form(j);
                let thing = Thing {
                    shape: form.shape(),
                    rotation: pose.rotation,
                    position: piece.origin + pose.position.as_dvec3(),
                    target: HitTarget::Body { body, piece: piece.id, particle },
                };
                probe.line.length = visit(probe, &thing);
            }
        }
    }

    /// A ball around particle `j`, in the frame of its piece.
    fn ball_around(&self, j: usize) -> (Vec3, f32) {
        match self.shaped(j) {
            Some(shaped) => {
                let place = self.pose(j, self.turned_now(j)).position;
                (place, shaped.shape.bounding_radius())
            }
            None => {
                let [a, b, c] = self.particles.radii[j];
                (self.particles.position[j], a.max(b).max(c))
            }
        }
    }

    /// Its orientation as it is.
    fn turned_now(&self, j: usize) -> Rot {
        self.particles.orientation.get(j).copied().unwrap_or_default()
    }
}

impl Form<'_> {
    fn shape(&self) -> &Shape {
        match self {
            Self::Own(shaped) => &shaped.shape,
            Self::Round(shape) => shape,
        }
    }
}
