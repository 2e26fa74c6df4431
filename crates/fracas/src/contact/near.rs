//! Neighbours at rest: pairs of particles of one body that never fight while they are in one piece.

use super::broad::{Broad, Item, NO_GROUP};
use super::margin;
use super::narrow::ellipsoid_ellipsoid;
use super::shape::{Aabb, Pose};
use crate::parallel::Workers;
use crate::solids::Particles;
use crate::state::{Reader, Sink, SnapshotError};
use glam::Vec3;

/// The pairs of a body whose ellipsoids overlap at rest or are closer than the margin of contact, and
/// those whose boxes around their shapes are. All others are farther apart than that at rest, so they can
/// only meet where the body is bent.
///
/// Particles are named by their [`number`](Particles::number), which splits do not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Near {
    /// Where the list of each fragment ends.
    ends: Vec<u32>,
    others: Vec<u32>,
    /// Beside it: 1 if the ellipsoids are near too, 0 if only the shapes are.
    round: Vec<u8>,
    /// Largest deviation of particles from rigid motion at which no others can meet, in m.
    pub slack: f32,
}

impl Near {
    /// Of the particles of a new body, the fragments of a shape. `around(j)` is the box around the shape of
    /// particle `j` about its centre, at rest, if it has one.
    pub fn new(
        particles: &Particles,
        around: &dyn Fn(usize) -> Option<Aabb>,
        workers: &Workers,
    ) -> Self {
        let boxes: Vec<Option<Aabb>> = (0..particles.len()).map(around).collect();
        let items: Vec<Item> = (0..particles.len())
            .map(|j| {
                let round = Vec3::splat(particles.radii[j].into_iter().fold(0.0, f32::max));
                let reach = boxes[j].map_or(round, |b| round.max(b.max).max(-b.min));
                let half = reach + Vec3::splat(0.5 * margin(particles.radii[j]));
                Item { centre: particles.rest[j].as_dvec3(), half, group: NO_GROUP }
            })
            .collect();
        let reach = |i: usize, j: usize| margin(particles.radii[i]).min(margin(particles.radii[j]));
        let round = |i: usize, j: usize| {
            let pose = |j: usize| Pose { rotation: particles.axes[j], position: particles.rest[j] };
            let [ra, rb] = [i, j].map(|j| Vec3::from(particles.radii[j]));
            ellipsoid_ellipsoid(ra, &pose(i), rb, &pose(j), reach(i, j)).is_some()
        };
        let boxes_near = |i: usize, j: usize| {
            let (Some(a), Some(b)) = (boxes[i], boxes[j]) else { return false };
            let away = particles.rest[j] - particles.rest[i];
            let apart = (away + b.min - a.max).max(a.min - b.max - away);
            apart.max_element() <= reach(i, j)
        };
        let mut broad = Broad::default();
        let mut pairs = Vec::new();
        broad.update(workers, &items);
        let close = |i: u32, j: u32| {
            let [i, j] = [i as usize, j as usize];
            boxes_near(i, j) || round(i, j)
        };
        broad.find_pairs(workers, &close, &mut pairs);
        let mut both = Vec::with_capacity(2 * pairs.len());
        for (i, j) in pairs {
            let round = u8::from(round(i as usize, j as usize));
            let [a, b] = [i, j].map(|j| particles.number[j as usize]);
            both.extend([(a, b, round), (b, a, round)]);
        }
        both.sort_unstable();
        let count = particles.len() as u32;
        let end = |k: u32| both.partition_point(|&(a, ..)| a <= k) as u32;
        let smallest = particles.radii.iter().map(|&r| margin(r)).fold(f32::INFINITY, f32::min);
        Self {
            slack: 0.5 * smallest,
            ends: (0..count).map(end).collect(),
            others: both.iter().map(|&(_, b, _)| b).collect(),
            round: both.iter().map(|&(.., round)| round).collect(),
        }
    }

    /// Whether two particles of the body, by their numbers, are neighbours at rest; `shaped` if others
    /// touch the shape of at least one of them. Parts of one fragment are.
    pub fn contains(&self, a: u32, b: u32, shaped: bool) -> bool {
        if a == b {
            return true;
        }
        let Some(&end) = self.ends.get(a as usize) else { return false };
        let start = if a == 0 { 0 } else { self.ends[a as usize - 1] } as usize;
        match self.others[start..end as usize].binary_search(&b) {
            Ok(k) => shaped || self.round[start + k] == 1,
            Err(_) => false,
        }
    }

    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        bytes.column(&self.ends);
        bytes.column(&self.others);
        bytes.column(&self.round);
        bytes.floats(&[self.slack]);
    }

    pub(crate) fn load(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let ends: Vec<u32> = reader.column()?;
        let others: Vec<u32> = reader.column()?;
        let round = reader.column_of(others.len())?;
        let in_order = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        if !in_order || ends.last().is_some_and(|&end| end as usize > others.len()) {
            return Err(reader.damaged("lists of neighbours that do not follow each other"));
        }
        let slack: Vec<f32> = reader.column_of(1)?;
        Ok(Self { ends, others, round, slack: slack[0] })
    }
}
