//! Questions about what is where: rays, moved shapes, overlaps, contacts. They change nothing.

use super::body::Body;
use super::desc::Layers;
use super::error::{CommandError, require};
use super::finding::Form;
use super::ids::{BodyId, ObstacleId, ParticleId, PieceId};
use super::{Piece, World};
use crate::contact::narrow::{Way, sweep, sweep_triangles};
use crate::contact::ray::{self, Ray};
use crate::contact::shape::{Aabb, Shape};
use crate::math::Rot;
use crate::solids::Face;
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
    /// A particle of a body, or one of its rigid solids; of tetrahedra the corner next to where they were hit.
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
    /// The triangle of a mesh, of a height field or of the surface of tetrahedra, counted from 0, or the part of a compound.
    ///
    /// Triangles of a height field are 2 (row · columns + column), and one more for that of the larger x.
    pub element: Option<u32>,
    /// Weights of that triangle's corners, where a ray has hit one.
    pub barycentric: Option<[f32; 3]>,
}

/// Something that may be hit.
pub(super) enum Thing<'a> {
    /// A shape, at its place.
    Solid { shape: &'a Shape, rotation: Rot, position: DVec3, target: HitTarget },
    /// A piece of a body of tetrahedra.
    Tets(Tets<'a>),
}

/// A piece of a body of tetrahedra: its surface, and what is behind it.
#[derive(Clone, Copy)]
pub(super) struct Tets<'a> {
    body: &'a Body,
    piece: &'a Piece,
    faces: &'a [Face],
    tets: &'a [[u32; 4]],
}

impl<'a> Tets<'a> {
    fn place(&self, j: u32) -> DVec3 {
        self.piece.origin + self.body.particles.position[j as usize].as_dvec3()
    }

    fn is_mine(&self, j: u32) -> bool {
        self.piece.span.contains(&(j as usize))
    }

    /// Its triangles, seen from somewhere.
    fn triangles(self, from: DVec3) -> impl Iterator<Item = [DVec3; 3]> + Clone + use<'a> {
        let mine = self.faces.iter().filter(move |face| self.is_mine(face.corners[0]));
        mine.map(move |face| face.corners.map(|j| self.place(j) - from))
    }

    /// A tetrahedron that a point is in.
    fn holds(&self, p: DVec3) -> Option<[u32; 4]> {
        let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
        let inside = |tet: &&[u32; 4]| {
            let [a, b, c, d] = tet.map(|j| self.place(j));
            let all = volume(a, b, c, d);
            let low = a.min(b).min(c).min(d);
            let high = a.max(b).max(c).max(d);
            low.cmple(p).all()
                && p.cmple(high).all()
                && [volume(p, b, c, d), volume(a, p, c, d), volume(a, b, p, d), volume(a, b, c, p)]
                    .iter()
                    .all(|part| part * all >= 0.0)
        };
        self.tets.iter().filter(|tet| self.is_mine(tet[0])).find(inside).copied()
    }

    /// The one of these particles that is nearest to a point, as what was hit.
    fn target(&self, corners: &[u32], p: DVec3) -> HitTarget {
        let away = |j: &&u32| self.place(**j).distance_squared(p);
        let nearest = corners.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        let particle =
            self.body.particles.id[nearest.map_or(self.piece.span.start, |&j| j as usize)];
        HitTarget::Body { body: self.body.id, piece: self.piece.id, particle }
    }

    /// A face by its number among those of the piece, and its number among all.
    fn face(&self, number: u32) -> Option<(usize, &Face)> {
        let mine = self.faces.iter().enumerate().filter(|(_, face)| self.is_mine(face.corners[0]));
        mine.into_iter().nth(number as usize)
    }

    /// What was met on its surface, or of what starts in it.
    fn hit(
        &self,
        distance: f64,
        [position, normal]: [DVec3; 2],
        element: Option<u32>,
        weights: Option<[f64; 3]>,
    ) -> Option<Hit> {
        let (number, face) = self.face(element?)?;
        Some(Hit {
            distance,
            position: position.to_array(),
            normal: normal.as_vec3().to_array(),
            target: self.target(&face.corners, position),
            element: Some(number as u32),
            barycentric: weights.map(|weights| weights.map(|w| w as f32)),
        })
    }

    /// Of what starts inside.
    fn hit_inside(&self, tet: [u32; 4], position: DVec3, normal: DVec3) -> Hit {
        Hit {
            distance: 0.0,
            position: position.to_array(),
            normal: normal.as_vec3().to_array(),
            target: self.target(&tet, position),
            element: None,
            barycentric: None,
        }
    }

    fn strike(&self, line: &Ray) -> Option<Hit> {
        if let Some(tet) = self.holds(line.origin) {
            return Some(self.hit_inside(tet, line.origin, -line.direction));
        }
        let near = Ray { origin: DVec3::ZERO, ..*line };
        let struck = ray::cast_triangles(self.triangles(line.origin), &near)?;
        let place = [line.at(struck.distance), struck.normal];
        self.hit(struck.distance, place, struck.element, struck.weights)
    }

    fn meet(&self, shape: &Shape, rotation: Rot, line: &Ray) -> Option<Hit> {
        let Ray { origin, direction, length } = *line;
        let way = Way { direction, length };
        let met = sweep_triangles(shape, rotation, self.triangles(origin), &way);
        match (met, self.holds(origin)) {
            // all of it is inside
            (None, Some(tet)) => Some(self.hit_inside(tet, origin, -direction)),
            (Some(met), Some(tet)) if met.distance > 0.0 => {
                Some(self.hit_inside(tet, origin, -direction))
            }
            (met, _) => {
                let met = met?;
                self.hit(met.distance, [origin + met.point, met.normal], met.element, None)
            }
        }
    }
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
        let (shape, rotation, position, target) = match *thing {
            Thing::Solid { shape, rotation, position, target } => {
                (shape, rotation, position, target)
            }
            Thing::Tets(tets) => return tets.strike(&self.line),
        };
        let struck = ray::cast(shape, rotation, position, &self.line)?;
        Some(Hit {
            distance: struck.distance,
            position: self.line.at(struck.distance).to_array(),
            normal: struck.normal.as_vec3().to_array(),
            target,
            element: struck.element,
            barycentric: struck.weights.map(|weights| weights.map(|w| w as f32)),
        })
    }

    /// Where a shape that moves along the line meets something.
    fn meet(&self, shape: &Shape, rotation: Rot, thing: &Thing<'_>) -> Option<Hit> {
        let Ray { origin, direction, length } = self.line;
        let (other, turned, position, target) = match *thing {
            Thing::Solid { shape, rotation, position, target } => {
                (shape, rotation, position, target)
            }
            Thing::Tets(tets) => return tets.meet(shape, rotation, &self.line),
        };
        let way = Way { direction, length };
        let met = sweep(shape, rotation, other, turned, position - origin, &way)?;
        Some(Hit {
            distance: met.distance,
            position: (origin + met.point).to_array(),
            normal: met.normal.as_vec3().to_array(),
            target,
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
    /// rigid solid, a triangle of the surface of tetrahedra, or an obstacle that
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

    /// All that a ray passes through, each particle, piece of tetrahedra and obstacle once where it is hit first, by distance
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

    /// All that overlaps a shape, in order: particles, rigid solids, pieces of tetrahedra, and obstacles that are no sensors.
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
            let thing = Thing::Solid {
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
            if self.show_tets(piece, probe, visit) {
                continue;
            }
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
            let thing = Thing::Solid { shape, rotation: pose.rotation, position, target };
            probe.line.length = visit(probe, &thing);
        }
    }

    /// Has a piece of tetrahedra visited as a whole; false of other bodies.
    pub(super) fn show_tets(
        &self,
        piece: &Piece,
        probe: &mut Probe,
        visit: &mut Visit<'_>,
    ) -> bool {
        let Some((faces, tets)) = self.model.solid().boundary().surface() else { return false };
        let x = &self.particles.position[piece.span.clone()];
        let around = Aabb::around(x.iter().copied());
        let centre = piece.origin + around.centre().as_dvec3();
        if probe.passes(centre, 0.5 * f64::from(around.max.distance(around.min))) {
            let thing = Thing::Tets(Tets { body: self, piece, faces, tets });
            probe.line.length = visit(probe, &thing);
        }
        true
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
