//! Which state every particle of a body has: one number for life, whatever its place in the columns.
//!
//! It is the particle's number in the shape. A vertex that began when a body of tetrahedra broke has the number of the one that it was, and a state of
//! its own behind those of the shape, in the order of ids.

use super::Owners;
use super::remeshed::Vertices;
use super::update::GONE;
use crate::world::{Body, ParticleId};

/// States of the particles of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    shape_count: usize,
    /// Id less number of a particle that was spawned.
    first: u64,
    /// Vertices that began, and their numbers, in order.
    born: Vec<(ParticleId, u32)>,
}

impl Numbers {
    /// Of the particles that were spawned.
    pub fn new(body: &Body) -> Self {
        let ids = body.particle_ids().iter().zip(body.shape_numbers());
        // they had their ids in the order of the shape; those that began later had higher ones
        let first = ids.map(|(id, number)| id.0 - u64::from(number)).min().unwrap_or(0);
        Self { shape_count: body.shape_particle_count(), first, born: Vec::new() }
    }

    /// Particles that the shape has.
    pub fn shape_count(&self) -> usize {
        self.shape_count
    }

    /// States that were given so far.
    pub fn count(&self) -> usize {
        self.shape_count + self.born.len()
    }

    /// Vertices that began, in order.
    fn born_of(&self, body: &Body) -> Vec<(ParticleId, u32)> {
        if body.tets().is_empty() {
            return Vec::new();
        }
        let all = body.particle_ids().iter().copied().zip(body.shape_numbers());
        let mut born: Vec<_> =
            all.filter(|(id, number)| id.0 - u64::from(*number) != self.first).collect();
        born.sort_unstable();
        born
    }

    /// Whether all that is known still names the same, and what is not known began later.
    pub fn agrees(&self, body: &Body) -> bool {
        let last = self.born.last().map(|born| born.0);
        self.born_of(body)
            .iter()
            .all(|born| Some(born.0) > last || self.born.binary_search(born).is_ok())
    }

    /// Gives states to vertices that began; each is told with its number and its place at rest.
    pub fn grow(&mut self, body: &Body, mut told: impl FnMut(u32, [f32; 3])) {
        let last = self.born.last().map(|born| born.0);
        let new: Vec<_> = self.born_of(body).into_iter().filter(|b| Some(b.0) > last).collect();
        if new.is_empty() {
            return;
        }
        let ids = body.particle_ids().iter().copied();
        let mut places: Vec<_> = ids.zip(body.rest_positions()).collect();
        places.sort_unstable_by_key(|place| place.0);
        for &(id, number) in &new {
            let place = places.binary_search_by_key(&id, |place| place.0);
            told(number, place.map_or([0.0; 3], |k| *places[k].1));
        }
        self.born.extend(new);
    }

    /// State of the particle in a column, which is no part of a fragment.
    pub fn state(&self, body: &Body, column: usize) -> usize {
        let id = body.particle_ids()[column];
        let born = self.born.binary_search_by_key(&id, |born| born.0);
        born.map_or(body.shape_number(column), |k| self.shape_count + k)
    }
}

/// Finds tetrahedra by the numbers of their corners, whatever their order in the model.
#[derive(Clone, Debug, Default)]
pub(super) struct TetNumbers {
    /// Corners from the lowest on, and the owner.
    sorted: Vec<([u32; 4], u32)>,
    vertices: Vertices,
}

impl TetNumbers {
    pub fn new(owners: &Owners, vertices: Vertices) -> Self {
        let Owners::Tets(tets) = owners else { return Self::default() };
        let mut all: Vec<_> = tets.iter().zip(0..).map(|(&tet, k)| (sorted(tet), k)).collect();
        all.sort_unstable();
        Self { sorted: all, vertices }
    }

    /// The owner that a tetrahedron of the body is, and the numbers of its corners.
    fn find(&self, body: &Body, tet: [u32; 4]) -> Option<(usize, [u32; 4])> {
        let mut numbers = [0; 4];
        for (number, column) in numbers.iter_mut().zip(tet) {
            *number = self.vertices.of(body, column)?;
        }
        let key = sorted(numbers);
        let at = self.sorted.binary_search_by_key(&key, |known| known.0).ok()?;
        Some((self.sorted[at].1 as usize, numbers))
    }

    /// Whether every tetrahedron of the body is one of these.
    pub fn know_all(&self, body: &Body) -> bool {
        body.tets().iter().all(|&tet| self.find(body, tet).is_some())
    }

    /// Columns of the corners of each owner, as the body has them now, or [`GONE`]. `columns` are those of all numbers, for bodies that are not of
    /// tetrahedra.
    pub fn corners(&self, owners: &Owners, columns: &[u32], body: &Body) -> Vec<[u32; 4]> {
        let Owners::Tets(tets) = owners else { return Vec::new() };
        if body.tets().is_empty() {
            return tets.iter().map(|tet| tet.map(|number| columns[number as usize])).collect();
        }
        let mut corners = vec![[GONE; 4]; tets.len()];
        for &tet in body.tets() {
            let Some((owner, numbers)) = self.find(body, tet) else { continue };
            corners[owner] = tets[owner]
                .map(|number| numbers.iter().position(|&n| n == number).map_or(GONE, |k| tet[k]));
        }
        corners
    }
}

fn sorted(mut corners: [u32; 4]) -> [u32; 4] {
    corners.sort_unstable();
    corners
}
