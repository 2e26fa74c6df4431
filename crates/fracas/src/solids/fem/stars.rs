//! Who is around a vertex: its tetrahedra, and the vertices that share one with it.

use crate::parallel::Span;

/// Lists of every vertex, one after the other. They follow from the corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stars {
    /// Where the slots of each vertex begin, and where those of the last end.
    first_slot: Vec<u32>,
    /// Corner c of tetrahedron t of n is slot c n + t.
    slots: Vec<u32>,
    /// And the tetrahedra of these slots: a division for each would be half of the time of whoever goes around a vertex.
    tets: Vec<u32>,
    first_neighbour: Vec<u32>,
    neighbours: Vec<u32>,
    /// Edges.
    edges: usize,
}

impl Stars {
    pub fn new(vertex_count: usize, corners: &[[u32; 4]]) -> Self {
        let mut stars = Self::default();
        stars.rebuild(vertex_count, corners);
        stars
    }

    /// Lists anew, in the room that there is.
    pub fn rebuild(&mut self, vertex_count: usize, corners: &[[u32; 4]]) {
        let Self { first_slot, slots, tets, .. } = self;
        first_slot.clear();
        first_slot.resize(vertex_count + 1, 0);
        for &v in corners.iter().flatten() {
            first_slot[v as usize + 1] += 1;
        }
        for v in 0..vertex_count {
            first_slot[v + 1] += first_slot[v];
        }
        slots.clear();
        slots.resize(4 * corners.len(), 0);
        tets.clear();
        tets.resize(4 * corners.len(), 0);
        // filled from the back, so that the starts end up where they belong
        for (t, tet) in corners.iter().enumerate().rev() {
            for (c, &v) in tet.iter().enumerate().rev() {
                let end = &mut first_slot[v as usize + 1];
                *end -= 1;
                slots[*end as usize] = (c * corners.len() + t) as u32;
                tets[*end as usize] = t as u32;
            }
        }
        // each now begins where the one before it ended
        first_slot.remove(0);
        first_slot.push(4 * corners.len() as u32);
        self.list_neighbours(vertex_count, corners);
    }

    fn list_neighbours(&mut self, vertex_count: usize, corners: &[[u32; 4]]) {
        let mut neighbours = std::mem::take(&mut self.neighbours);
        self.first_neighbour.clear();
        self.first_neighbour.push(0);
        neighbours.clear();
        let mut seen = vec![u32::MAX; vertex_count];
        for v in 0..vertex_count {
            let start = neighbours.len();
            seen[v] = v as u32;
            for t in self.tets_of(v) {
                for w in corners[t] {
                    if std::mem::replace(&mut seen[w as usize], v as u32) != v as u32 {
                        neighbours.push(w);
                    }
                }
            }
            neighbours[start..].sort_unstable();
            self.first_neighbour.push(neighbours.len() as u32);
        }
        self.edges = neighbours.len() / 2;
        self.neighbours = neighbours;
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.first_slot.len().saturating_sub(1)
    }

    /// Slots of a vertex.
    #[inline(always)]
    pub fn slots(&self, v: usize) -> &[u32] {
        &self.slots[self.places(v)]
    }

    /// Tetrahedra of a vertex.
    #[inline(always)]
    pub fn tets_of(&self, v: usize) -> impl Iterator<Item = usize> {
        self.tets[self.places(v)].iter().map(|&t| t as usize)
    }

    #[inline(always)]
    fn places(&self, v: usize) -> Span {
        self.first_slot[v] as usize..self.first_slot[v + 1] as usize
    }

    /// Vertices that share a tetrahedron with it, in order.
    pub fn neighbours(&self, v: usize) -> &[u32] {
        &self.neighbours[self.first_neighbour[v] as usize..self.first_neighbour[v + 1] as usize]
    }

    /// Edges of all tetrahedra, each once.
    pub fn edge_count(&self) -> usize {
        self.edges
    }
}
