//! Tetrahedra of a body with all that follows from who is a corner of what.

use super::cracks::Cracks;
use super::remesh::push_on_edge;
use super::stars::Stars;
use super::tets::Tets;
use super::topology::Topology;
use crate::parallel::Span;
use crate::solids::{Face, Particles};
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::{Changes, ParticleId};

/// Elements, stars, faces: what models of tetrahedra that open faces have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    pub tets: Tets,
    pub stars: Stars,
    pub topology: Topology,
    /// Surface.
    pub faces: Vec<Face>,
    /// Which blade has passed each vertex last, 0 for none. Empty as long as none has. State.
    pub passed: Vec<u64>,
    /// Hash of who is a corner of what and lies across what: far more than changes in a step.
    joined: u64,
}

impl Elements {
    pub fn new(tets: Tets, topology: Topology, vertex_count: usize) -> Self {
        let mut elements = Self { tets, topology, ..Self::default() };
        elements.follow(vertex_count);
        elements
    }

    /// All that follows from who is a corner of what.
    fn follow(&mut self, vertex_count: usize) {
        let corners = &self.tets.corners;
        self.stars.rebuild(vertex_count, corners);
        self.topology.list_surface(corners, &mut self.faces);
        self.joined = self.hash_of_joined();
    }

    fn hash_of_joined(&self) -> u64 {
        let mut hash = StateHash::default();
        hash.column(&self.tets.corners);
        hash.column(self.topology.across());
        hash.finish()
    }

    /// Particles of a span come in another order, see [`Solid::permute`](crate::solids::Solid::permute). Tells which tetrahedron becomes
    /// which, by the order of those that are now.
    pub fn permute(&mut self, span: Span, place: &[u32]) -> Vec<u32> {
        let corners = &mut self.tets.corners;
        for v in corners.iter_mut().flatten() {
            if let Some(&to) = (*v as usize).checked_sub(span.start).and_then(|k| place.get(k)) {
                *v = to;
            }
        }
        // pieces come in the order of their particles
        let mut order: Vec<u32> = (0..corners.len() as u32).collect();
        order.sort_by_key(|&t| corners[t as usize].into_iter().min());
        self.tets.permute(&order);
        self.topology.permute(&order);
        if !self.passed.is_empty() {
            let before = self.passed[span.clone()].to_vec();
            before.iter().zip(place).for_each(|(&blade, &to)| self.passed[to as usize] = blade);
        }
        self.follow(self.stars.len());
        order
    }

    /// Keeps the first particles, which share no tetrahedron with the others. Returns how many tetrahedra that are.
    pub fn truncate(&mut self, count: usize) -> usize {
        let kept = self.tets.of(&(0..count)).len();
        self.tets.truncate(kept);
        self.topology.truncate(kept);
        self.passed.truncate(count);
        self.follow(count);
        kept
    }

    /// After cracks: particles for the vertices that began by them, behind all others, where their parents are and as fast, until
    /// the world takes them into their pieces. The tetrahedra of each give it its mass.
    pub fn take_cracks(
        &mut self,
        particles: &mut Particles,
        cracks: &Cracks,
        next_id: &mut u64,
        changes: &mut Changes,
    ) {
        let mut on_edges = cracks.on_edges.iter().peekable();
        for born in &cracks.born {
            let id = ParticleId(*next_id);
            *next_id += 1;
            if let Some(new) = on_edges.next_if(|new| new.vertex == born.vertex) {
                push_on_edge(particles, new, id);
                let ends = new.ends.map(|v| particles.id[v as usize]);
                changes.on_edges.push((ends, id));
            } else {
                particles.push_copy(born.parent as usize, id);
                changes.born.push((particles.id[born.parent as usize], id));
            }
        }
        // a blade that began them has told it already
        if !self.passed.is_empty() {
            self.passed.resize(particles.len(), 0);
        }
        let first = self.tets.volume.len();
        cracks.halves.iter().for_each(|half| self.tets.push_half(half));
        let halves = cracks.halves.iter().map(|half| half.parent as usize);
        let split: Vec<usize> = halves.chain(first..self.tets.len()).collect();
        split.iter().for_each(|&t| self.tets.follow_split(t, &particles.rest));
        self.follow(particles.len());
        let born = cracks.born.iter().flat_map(|born| [born.parent, born.vertex]);
        for v in born.chain(split.iter().flat_map(|&t| self.tets.corners[t])) {
            particles.mass[v as usize] = self.tets.mass_of(&self.stars, v as usize) as f32;
        }
    }

    /// Checks every invariant.
    ///
    /// # Panics
    /// If one does not hold: that is a bug.
    pub fn validate(&self, particles: &Particles) {
        assert_eq!(self.stars.len(), particles.len(), "vertices are not particles");
        assert!(!particles.oriented(), "vertices with orientations");
        assert_eq!(self.stars, Stars::new(particles.len(), &self.tets.corners), "stale stars");
        self.topology.validate(&self.tets.corners);
        assert_eq!(self.joined, self.hash_of_joined(), "a stale hash");
        for j in 0..particles.len() {
            let (mass, sum) = (particles.mass[j], self.tets.mass_of(&self.stars, j) as f32);
            assert_eq!(mass, sum, "mass of vertex {j} is not that of its tetrahedra");
        }
    }

    pub fn hash(&self, hash: &mut StateHash) {
        hash.number(self.joined);
        if !self.passed.is_empty() {
            hash.column(&self.passed);
        }
    }

    pub fn save(&self, bytes: &mut Vec<u8>) {
        bytes.column(&self.tets.corners);
        bytes.column(self.topology.across());
        bytes.column(&self.tets.material);
        for column in self.tets.float_columns() {
            bytes.floats(column);
        }
        bytes.column(&self.passed);
    }

    pub fn load(reader: &mut Reader<'_>, vertex_count: usize) -> Result<Self, SnapshotError> {
        let corners: Vec<[u32; 4]> = reader.column()?;
        let inside = |&v: &u32| (v as usize) < vertex_count;
        if !corners.iter().flatten().all(inside) {
            return Err(reader.damaged("a corner that does not exist"));
        }
        let count = corners.len();
        let topology = Topology::of_across(reader.column_of(count)?);
        topology.check(&corners).map_err(|what| reader.damaged(what))?;
        let mut tets = Tets { corners, material: reader.column_of(count)?, ..Tets::default() };
        for column in tets.float_columns_mut() {
            *column = reader.column_of(count)?;
        }
        tets.lame = std::array::from_fn(|_| vec![0.0; count]);
        tets.follow_material();
        tets.follow_pieces();
        let passed: Vec<u64> = reader.column()?;
        if !passed.is_empty() && passed.len() != vertex_count {
            return Err(reader.damaged("a column of wrong length"));
        }
        Ok(Self { passed, ..Self::new(tets, topology, vertex_count) })
    }
}
