//! From ids to places in the columns.

use crate::parallel::Span;
use crate::world::ParticleId;

/// Where every particle of a body is, by id.
#[derive(Debug, Default)]
pub(in crate::world) struct Places {
    /// In the order of ids.
    list: Vec<(ParticleId, u32)>,
}

impl Places {
    /// Of these, in the order of the columns.
    pub fn new(ids: &[ParticleId]) -> Self {
        let mut list: Vec<(ParticleId, u32)> = ids.iter().copied().zip(0..).collect();
        list.sort_unstable();
        Self { list }
    }

    /// The same of others, in the room that there is.
    pub fn list_anew(&mut self, ids: &[ParticleId]) {
        self.list.clear();
        self.list.extend(ids.iter().copied().zip(0..));
        self.list.sort_unstable();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The place of a particle.
    pub fn of(&self, id: ParticleId) -> Option<usize> {
        let found = self.list.binary_search_by_key(&id, |&(id, _)| id);
        found.ok().map(|k| self.list[k].1 as usize)
    }

    /// Follows the particles of a span that were put in another order.
    pub fn follow(&mut self, ids: &[ParticleId], span: Span) {
        let mut next = 0;
        for place in span {
            // ids of a piece mostly follow each other
            if self.list.get(next).is_none_or(|&(id, _)| id != ids[place]) {
                let found = self.list.binary_search_by_key(&ids[place], |&(id, _)| id);
                let (Ok(k) | Err(k)) = found;
                next = k;
            }
            if let Some((_, at)) = self.list.get_mut(next) {
                *at = place as u32;
            }
            next += 1;
        }
    }

    /// Keeps those at the first `count` places.
    pub fn truncate(&mut self, count: usize) {
        self.list.retain(|&(_, place)| (place as usize) < count);
    }
}
