//! Neighbours at rest: pairs of particles of one body that never fight while they are in one piece.

use super::broad::{Broad, Item, NO_GROUP};
use super::margin;
use super::narrow::ellipsoid_ellipsoid;
use super::shape::Pose;
use crate::parallel::Workers;
use crate::solids::Particles;
use glam::Vec3;

/// The pairs of a body whose ellipsoids overlap at rest or are closer than the margin of contact. All
/// others are farther apart than that at rest, so they can only meet where the body is bent.
///
/// Particles are named by the order of their ids, which splits do not change.
#[derive(Clone, Debug, Default)]
pub struct Near {
    first_id: u64,
    /// Where the list of each particle ends.
    ends: Vec<u32>,
    others: Vec<u32>,
    /// Largest deviation of particles from rigid motion at which no others can meet, in m.
    pub slack: f32,
}

impl Near {
    /// Of particles at rest, whose ids are among the `count` from `first_id` on.
    pub fn new(particles: &Particles, first_id: u64, count: usize, workers: &Workers) -> Self {
        let mut order: Vec<usize> = (0..particles.len()).collect();
        order.sort_unstable_by_key(|&j| particles.id[j]);
        let number = |k: u32| (particles.id[order[k as usize]].0 - first_id) as u32;
        let items: Vec<Item> = order
            .iter()
            .map(|&j| {
                let reach = particles.radii[j].into_iter().fold(0.0, f32::max);
                let half = Vec3::splat(reach + 0.5 * margin(particles.radii[j]));
                Item { centre: particles.rest[j].as_dvec3(), half, group: NO_GROUP }
            })
            .collect();
        let mut broad = Broad::default();
        let mut pairs = Vec::new();
        broad.update(workers, &items);
        let close = |a: u32, b: u32| {
            let [i, j] = [order[a as usize], order[b as usize]];
            let pose = |j: usize| Pose { rotation: particles.axes[j], position: particles.rest[j] };
            let reach = margin(particles.radii[i]).min(margin(particles.radii[j]));
            let [ra, rb] = [i, j].map(|j| Vec3::from(particles.radii[j]));
            ellipsoid_ellipsoid(ra, &pose(i), rb, &pose(j), reach).is_some()
        };
        broad.find_pairs(workers, &close, &mut pairs);
        let numbers = pairs.iter().map(|&(a, b)| (number(a), number(b)));
        let mut both: Vec<(u32, u32)> = numbers.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
        both.sort_unstable();
        let end = |k: u32| both.partition_point(|&(a, _)| a <= k) as u32;
        let smallest = particles.radii.iter().map(|&r| margin(r)).fold(f32::INFINITY, f32::min);
        Self {
            slack: 0.5 * smallest,
            first_id,
            ends: (0..count as u32).map(end).collect(),
            others: both.iter().map(|&(_, b)| b).collect(),
        }
    }

    /// Whether two particles of the body, by their ids, are neighbours at rest.
    pub fn contains(&self, a: u64, b: u64) -> bool {
        let [a, b] = [a, b].map(|id| (id - self.first_id) as u32);
        let start = if a == 0 { 0 } else { self.ends[a as usize - 1] };
        self.others[start as usize..self.ends[a as usize] as usize].binary_search(&b).is_ok()
    }
}
