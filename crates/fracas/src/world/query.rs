//! Questions about what is where: rays, moved shapes, overlaps, contacts. They change nothing.

use super::body::Body;
use super::desc::Layers;
use super::error::{CommandError, require};
use super::finding::Form;
use super::ids::{BodyId, ObstacleId, ParticleId, PieceId};
use super::{Piece, World};
use crate::contact::narrow::{Way, sweep};
use crate::contact::ray::{self, Ray};
use crate::contact::shape::Shape;
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

/// Something that may be hit, at its place.
pub(super) struct Thing<'a> {
    shape: &'a Shape,
    rotation: Rot,
    position: DVec3,
    target: HitTarget,
}

/// What is looked for: all that comes within `reach` of a part of a straight line.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    pub line: Ray,
    pub reach: f64,
    pub layers: Layers,
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

/// A probe in the frame of a piece and in f32, for a first look at thousands of particles. What passes
/// may still not be met; what is met passes.
struct Near {
    /// The point of the line that is nearest to the origin of the piece.
    from: Vec3,
    direction: Vec3,
    reach: f32,
    /// Room for rounding, in m².
    slack: f32,
}

impl Near {
    fn new(probe: &Probe, origin: DVec3) -> Self {
        let Ray { origin: start, direction, .. } = probe.line;
        let from = start - origin;
        let from = (from - from.dot(direction) * direction).as_vec3();
        let (reach, slack) = (probe.reach as f32, 1e-9 * from.length_squared());
        Self { from, direction: direction.as_vec3(), reach, slack }
    }

    /// Whether the line passes a ball.
    #[inline]
    fn passes(&self, centre: Vec3, radius: f32) -> bool {
        let to = centre - self.from;
        let across = to - to.dot(self.direction) * self.direction;
        let reach = self.reach + radius;
        // (r + e)² ≤ 1.001 r² + 1001 e², where e is a millionth of what is subtracted above
        across.length_squared() <= 1.001 * reach * reach + 1e-9 * to.length_squared() + self.slack
    }
}

/// Keeps the first of all hits, by distance and then by what was hit.
#[derive(Default)]
struct First(Option<Hit>);

impl First {
    /// The farthest that a better one may be, in m.
    fn limit(&self, length: f64) -> f64 {
        self.0.map_or(length, |hit| hit.distance)
    }

    fn take(&mut self, hit: Option<Hit>) {
        if let Some(hit) = hit
            && self.0.is_none_or(|best| before(&hit, &best).is_lt())
        {
            self.0 = Some(hit);
        }
    }
}

/// The order of hits.
fn before(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    a.distance.total_cmp(&b.distance).then(a.target.cmp(&b.target))
}

/// Who tells a [`Space`] what it finds, and is told how far to look on, in m.
pub(super) type Visit<'a> = dyn FnMut(&Probe, &Thing<'_>) -> f64 + 'a;

/// Where things to be met are found.
pub(super) trait Space {
    /// Calls `visit` with all that may be met. It returns how far to look on.
    fn each_near(&self, probe: &mut Probe, visit: &mut Visit<'_>);

    fn first_on_ray(&self, ray: RayDesc) -> Result<Option<Hit>, CommandError> {
        let mut first = First::default();
        self.each_near(&mut Probe::of_ray(&ray)?, &mut |probe, thing| {
            first.take(probe.strike(thing));
            first.limit(ray.length)
        });
        Ok(first.0)
    }

    fn all_on_ray(&self, ray: RayDesc) -> Result<Vec<Hit>, CommandError> {
        let mut hits = Vec::new();
        self.each_near(&mut Probe::of_ray(&ray)?, &mut |probe, thing| {
            hits.extend(probe.strike(thing));
            ray.length
        });
        hits.sort_unstable_by(before);
        Ok(hits)
    }

    fn first_on_way(
        &self,
        shape: &Shape,
        pose: WorldPose,
        way: [f32; 3],
        layers: Layers,
    ) -> Result<Option<Hit>, CommandError> {
        let mut probe = Probe::of_shape(shape, &pose, way, layers)?;
        let (length, rotation) = (probe.line.length, pose.rotation.normalized());
        let mut first = First::default();
        self.each_near(&mut probe, &mut |probe, thing| {
            first.take(probe.meet(shape, rotation, thing));
            first.limit(length)
        });
        Ok(first.0)
    }

    fn all_in(
        &self,
        shape: &Shape,
        pose: WorldPose,
        layers: Layers,
    ) -> Result<Vec<HitTarget>, CommandError> {
        let mut found = Vec::new();
        let rotation = pose.rotation.normalized();
        let mut probe = Probe::of_shape(shape, &pose, [0.0; 3], layers)?;
        self.each_near(&mut probe, &mut |probe, thing| {
            found.extend(probe.meet(shape, rotation, thing).map(|hit| hit.target));
            0.0
        });
        found.sort_unstable();
        Ok(found)
    }
}

impl Space for World {
    fn each_near(&self, probe: &mut Probe, visit: &mut Visit<'_>) {
        let layers = probe.layers;
        for body in self.all_bodies().filter(|body| body.layers.meet(layers)) {
            body.each_near(probe, visit);
        }
        self.each_obstacle(probe, visit);
    }
}

impl World {
    /// The first thing that a ray hits: an ellipsoid of a particle, the hull of one that has lost a bond, a
    /// rigid solid, or an obstacle that
    /// is no sensor. What waits for the next step counts too.
    ///
    /// Solids are closed: a ray that starts on a surface is inside. For many rays between two steps see
    /// [`casts`](Self::casts).
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
        self.first_on_ray(ray)
    }

    /// All that a ray passes through, each particle and obstacle once where it is hit first, by distance
    /// and then by [`HitTarget`].
    ///
    /// # Errors
    /// As [`cast_ray`](Self::cast_ray).
    pub fn cast_ray_all(&self, ray: RayDesc) -> Result<Vec<Hit>, CommandError> {
        self.all_on_ray(ray)
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
        self.first_on_way(shape, pose, way, layers)
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
        self.all_in(shape, pose, layers)
    }

    /// Obstacles are few, and those with many triangles have trees of their own.
    pub(super) fn each_obstacle(&self, probe: &mut Probe, visit: &mut Visit<'_>) {
        let layers = probe.layers;
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
    fn each_near(&self, probe: &mut Probe, visit: &mut Visit<'_>) {
        for piece in &self.pieces {
            let near = Near::new(probe, piece.origin);
            let span = piece.span.clone();
            let particles = &self.particles;
            let centres = particles.position[span.clone()].iter();
            let broken = &particles.broken[span.clone()];
            let balls = centres.zip(&particles.radii[span.clone()]).zip(broken).zip(span);
            for (((&centre, radii), &broken), j) in balls {
                let [a, b, c] = *radii;
                // the shape of what is broken may be larger
                if broken || near.passes(centre, a.max(b).max(c)) {
                    self.show(piece, j, probe, visit);
                }
            }
        }
    }

    /// Has a particle visited, if the probe may meet it.
    pub(super) fn show(&self, piece: &Piece, j: usize, probe: &mut Probe, visit: &mut Visit<'_>) {
        let form = self.form(j);
        let shape = form.shape();
        let pose = self.pose(j, self.turned_now(j));
        let position = piece.origin + pose.position.as_dvec3();
        if probe.passes(position, shape.bounding_radius().into()) {
            let (body, particle) = (self.id, self.particles.id[j]);
            let target = HitTarget::Body { body, piece: piece.id, particle };
            let thing = Thing { shape, rotation: pose.rotation, position, target };
            probe.line.length = visit(probe, &thing);
        }
    }

    /// Its orientation as it is.
    pub(super) fn turned_now(&self, j: usize) -> Rot {
        self.particles.orientation.get(j).copied().unwrap_or_default()
    }
}

impl Form<'_> {
    pub(super) fn shape(&self) -> &Shape {
        match self {
            Self::Own(shaped) => &shaped.shape,
            Self::Round(shape) => shape,
        }
    }
}
