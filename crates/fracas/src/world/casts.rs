//! Many questions between two steps: the same answers from a tree.

use super::body::Body;
use super::desc::Layers;
use super::error::CommandError;
use super::query::{Hit, HitTarget, Probe, RayDesc, Space, Visit, WorldPose};
use super::{Piece, World};
use crate::contact::broad::{Broad, Item, NO_GROUP};
use crate::contact::ray::Ray;
use crate::contact::shape::{Aabb, Shape};
use glam::{DVec3, Vec3};

/// A world prepared for many rays and moved shapes; see [`World::casts`].
#[derive(Debug)]
pub struct Casts<'a> {
    world: &'a World,
    broad: Broad,
    /// Body, place of the piece and of the particle, or [`WHOLE`], behind each item of the tree.
    owners: Vec<(&'a Body, u32, u32)>,
    /// A ball around all of them.
    centre: DVec3,
    radius: f64,
}

impl World {
    /// Prepares for many questions until the next change, by a tree over all particles. Answers are those of
    /// the world's own methods of the same names; more than about ten rays are faster this way.
    ///
    /// ```
    /// use fracas::world::{HalfSpaceDesc, RayDesc, World, WorldConfig};
    ///
    /// let mut world = World::new(WorldConfig::default())?;
    /// world.add_half_space(HalfSpaceDesc::default())?;
    /// let casts = world.casts();
    /// for x in 0..100 {
    ///     let down = RayDesc::new([f64::from(x), 1.0, 0.0], [0.0, -1.0, 0.0]);
    ///     assert!(casts.cast_ray(down)?.is_some());
    /// }
    /// # Ok::<(), fracas::CommandError>(())
    /// ```
    pub fn casts(&self) -> Casts<'_> {
        let (mut items, mut owners) = (Vec::new(), Vec::new());
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for body in self.all_bodies() {
            let whole = body.model.solid().boundary().surface().is_some();
            for (piece, k) in body.pieces.iter().zip(0..) {
                let mut add = |particle: u32, (centre, half): (Vec3, Vec3)| {
                    let centre = piece.origin + centre.as_dvec3();
                    items.push(Item { centre, half, group: NO_GROUP });
                    owners.push((body, k, particle));
                    low = low.min(centre - half.as_dvec3());
                    high = high.max(centre + half.as_dvec3());
                };
                if whole {
                    add(WHOLE, body.extent_of_piece(piece));
                    continue;
                }
                piece.span.clone().for_each(|j| add(j as u32, body.extent_now(j)));
            }
        }
        let mut broad = Broad::default();
        broad.update(&self.workers, &items);
        let (centre, radius) = match items.is_empty() {
            true => (DVec3::ZERO, 0.0),
            false => (0.5 * (low + high), 0.5 * low.distance(high)),
        };
        Casts { world: self, broad, owners, centre, radius }
    }
}

impl Space for Casts<'_> {
    fn each_near(&self, probe: &mut Probe, visit: &mut Visit<'_>) {
        let Ray { origin, direction, length } = probe.line;
        // an end, beyond all there is
        let far = origin.distance(self.centre) + self.radius + probe.reach;
        let end = origin + length.min(far) * direction;
        let mut found = Vec::new();
        self.broad.along(origin, end, Vec3::splat(probe.reach as f32), &mut found);
        for (body, piece, particle) in found.into_iter().map(|i| self.owners[i as usize]) {
            let piece = &body.pieces[piece as usize];
            if !body.layers.meet(probe.layers) {
                continue;
            }
            if particle == WHOLE {
                body.show_tets(piece, probe, visit);
            } else {
                body.show(piece, particle as usize, probe, visit);
            }
        }
        self.world.each_obstacle(probe, visit);
    }
}

impl Casts<'_> {
    /// See [`World::cast_ray`].
    ///
    /// # Errors
    /// As there.
    pub fn cast_ray(&self, ray: RayDesc) -> Result<Option<Hit>, CommandError> {
        self.first_on_ray(ray)
    }

    /// See [`World::cast_ray_all`].
    ///
    /// # Errors
    /// As there.
    pub fn cast_ray_all(&self, ray: RayDesc) -> Result<Vec<Hit>, CommandError> {
        self.all_on_ray(ray)
    }

    /// See [`World::cast_shape`].
    ///
    /// # Errors
    /// As there.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: WorldPose,
        way: [f32; 3],
        layers: Layers,
    ) -> Result<Option<Hit>, CommandError> {
        self.first_on_way(shape, pose, way, layers)
    }

    /// See [`World::overlaps`].
    ///
    /// # Errors
    /// As there.
    pub fn overlaps(
        &self,
        shape: &Shape,
        pose: WorldPose,
        layers: Layers,
    ) -> Result<Vec<HitTarget>, CommandError> {
        self.all_in(shape, pose, layers)
    }
}

/// Instead of a particle: a piece of tetrahedra as a whole.
const WHOLE: u32 = u32::MAX;

impl Body {
    /// Centre and half size of a box around a piece as it is, in its frame.
    fn extent_of_piece(&self, piece: &Piece) -> (Vec3, Vec3) {
        let x = self.particles.position[piece.span.clone()].iter().copied();
        let around = Aabb::around(x);
        let far = around.min.abs().max(around.max.abs()).max_element();
        (around.centre(), 0.5 * (around.max - around.min) + Vec3::splat(1e-6 * far))
    }

    /// Centre and half size of a box around particle `j` as it is, in the frame of its piece.
    fn extent_now(&self, j: usize) -> (Vec3, Vec3) {
        let around = self.form(j).shape().aabb(&self.pose(j, self.turned_now(j)));
        let far = around.min.abs().max(around.max.abs()).max_element();
        (around.centre(), 0.5 * (around.max - around.min) + Vec3::splat(1e-6 * far))
    }
}
