//! Triangles of a sheet and who lies across which edge, as a table of corners.
//!
//! ```text
//!            c = corner 0                 across[t][k] is the triangle beyond the edge opposite corner k,
//!           /  \                          or NONE at a border or crack; corners run counter-clockwise in the
//!    across[1]  across[2]                 rest plane; home[v] is one triangle of vertex v.
//!         /  t   \
//!  corner 2 -------- corner 1
//!         across[0]
//! ```
//!
//! Operators change who is a corner of what and nothing else. All that they write goes into a journal first, so that a step that
//! turns out badly is taken back ([`CornerTable::roll_back`]).

/// Instead of a triangle, at a border or a crack.
pub const NONE: u32 = u32::MAX;

/// Corner after this one, counter-clockwise.
pub const fn next(k: usize) -> usize {
    (k + 1) % 3
}

/// Corner before this one.
pub const fn previous(k: usize) -> usize {
    (k + 2) % 3
}

/// What a journal takes back.
#[derive(Clone, Copy, Debug)]
enum Edit {
    /// A triangle as it was.
    Triangle { t: u32, corners: [u32; 3], across: [u32; 3] },
    /// The triangle of a vertex as it was.
    Home { v: u32, t: u32 },
    /// The last triangle began.
    NewTriangle,
    /// The last vertex began.
    NewVertex,
}

/// Vertices that an opened edge has doubled: each as (what it was, what began).
pub type Doubled = [Option<(u32, u32)>; 2];

/// Triangles, who is across their edges, and one triangle of each vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CornerTable {
    corners: Vec<[u32; 3]>,
    across: Vec<[u32; 3]>,
    home: Vec<u32>,
    journal: Journal,
}

#[derive(Clone, Debug, Default)]
struct Journal(Vec<Edit>);

/// Two tables are the same whatever has been taken back in them.
impl PartialEq for Journal {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl CornerTable {
    /// Joins triangles along the edges that two of them share.
    ///
    /// # Errors
    /// An edge that has more than two triangles, or two that run along it the same way; a vertex without a triangle, or whose triangles hang
    /// together by nothing but itself.
    pub fn new(corners: Vec<[u32; 3]>, vertex_count: usize) -> Result<Self, TopologyError> {
        let exists = |v: &u32| (*v as usize) < vertex_count;
        if let Some(t) = corners.iter().position(|triangle| !triangle.iter().all(exists)) {
            return Err(TopologyError::Triangle(t as u32));
        }
        let mut edges: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * corners.len());
        for (triangle, t) in corners.iter().zip(0..) {
            for k in 0..3 {
                let (a, b) = (triangle[next(k)], triangle[previous(k)]);
                edges.push(([a.min(b), a.max(b)], t, k));
            }
        }
        edges.sort_unstable();
        let mut across = vec![[NONE; 3]; corners.len()];
        for edge in edges.chunk_by(|a, b| a.0 == b.0) {
            let &[(ends, t, k), (_, u, l)] = edge else {
                if let [(ends, ..), ..] = edge
                    && edge.len() > 2
                {
                    return Err(TopologyError::Edge(*ends));
                }
                continue;
            };
            if corners[t as usize][next(k)] == corners[u as usize][next(l)] {
                return Err(TopologyError::Edge(ends));
            }
            across[t as usize][k] = u;
            across[u as usize][l] = t;
        }
        let table = Self::of_across(corners, across, vertex_count);
        table.check()?;
        Ok(table)
    }

    /// From tables that are known to fit.
    pub(super) fn of_across(
        corners: Vec<[u32; 3]>,
        across: Vec<[u32; 3]>,
        vertex_count: usize,
    ) -> Self {
        let mut table = Self { corners, across, ..Self::default() };
        table.follow(vertex_count);
        table
    }

    /// One triangle of each vertex, from the corners.
    fn follow(&mut self, vertex_count: usize) {
        self.home.clear();
        self.home.resize(vertex_count, NONE);
        // the first of each, so that it follows from the corners alone
        for (t, triangle) in self.corners.iter().enumerate().rev() {
            triangle.iter().for_each(|&v| self.home[v as usize] = t as u32);
        }
    }

    /// How many triangles there are.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> usize {
        self.home.len()
    }

    /// Corners of all triangles.
    pub fn corners(&self) -> &[[u32; 3]] {
        &self.corners
    }

    /// Who is across their edges.
    pub fn across(&self) -> &[[u32; 3]] {
        &self.across
    }

    /// Corners of a triangle, that at `k` first.
    pub fn from_corner(&self, t: u32, k: usize) -> [u32; 3] {
        let triangle = self.corners[t as usize];
        [triangle[k], triangle[next(k)], triangle[previous(k)]]
    }

    /// The triangle beyond the edge opposite corner `k`, if there is one.
    pub fn beyond(&self, t: u32, k: usize) -> Option<u32> {
        Some(self.across[t as usize][k]).filter(|&u| u != NONE)
    }

    /// Which corner of a triangle a vertex is.
    pub fn corner_of(&self, t: u32, v: u32) -> Option<usize> {
        self.corners[t as usize].iter().position(|&w| w == v)
    }

    /// Which corner of `u` is opposite the edge that `t` lies across.
    fn corner_across(&self, u: u32, t: u32) -> usize {
        self.across[u as usize].iter().position(|&w| w == t).unwrap_or(0)
    }

    /// The triangles around a vertex with its corner in each, counter-clockwise; at a border from its first to its last.
    pub fn fan(&self, v: u32) -> Fan<'_> {
        let home = self.home[v as usize];
        let Some(k) = (home != NONE).then(|| self.corner_of(home, v)).flatten() else {
            return Fan { table: self, v, first: NONE, at: None };
        };
        // clockwise to the border, or once around
        let (mut t, mut k) = (home, k);
        while let Some(u) = self.beyond(t, previous(k)) {
            let Some(l) = self.corner_of(u, v).filter(|_| u != home) else { break };
            (t, k) = (u, l);
        }
        if self.beyond(t, previous(k)) == Some(home) && t != home {
            // closed: begin at home, whatever was walked
            (t, k) = (home, self.corner_of(home, v).unwrap_or(0));
        }
        Fan { table: self, v, first: t, at: Some((t, k)) }
    }

    /// Whether a vertex is at a border or a crack.
    pub fn is_border(&self, v: u32) -> bool {
        self.fan(v).any(|(t, k)| self.beyond(t, previous(k)).is_none())
    }

    /// The triangle and corner opposite the edge from `v` to `w`, if both are joined.
    pub fn edge(&self, v: u32, w: u32) -> Option<(u32, usize)> {
        self.fan(v).find_map(|(t, k)| {
            let [_, a, b] = self.from_corner(t, k);
            if a == w { Some((t, previous(k))) } else { (b == w).then_some((t, next(k))) }
        })
    }

    /// Makes a vertex in the edge opposite corner `k` of `t`: two triangles become four, or at a border one two. Returns the vertex.
    pub fn split_edge(&mut self, t: u32, k: usize) -> u32 {
        let v = self.begin_vertex();
        let [c, a, b] = self.from_corner(t, k);
        let [beyond_t, beyond_a, beyond_b] = self.across_from(t, k);
        let half = self.begin_triangle();
        self.relink(beyond_a, t, half);
        if beyond_t == NONE {
            self.set(t, [c, a, v], [NONE, half, beyond_b]);
            self.set(half, [c, v, b], [NONE, beyond_a, t]);
            return v;
        }
        let u = beyond_t;
        let l = self.corner_across(u, t);
        let d = self.corners[u as usize][l];
        // around u: d, b, a
        let [_, across_b, across_a] = self.across_from(u, l);
        let other = self.begin_triangle();
        self.relink(across_b, u, other);
        self.set(t, [c, a, v], [other, half, beyond_b]);
        self.set(half, [c, v, b], [u, beyond_a, t]);
        self.set(u, [d, b, v], [half, other, across_a]);
        self.set(other, [d, v, a], [t, across_b, u]);
        v
    }

    /// Makes a vertex inside a triangle: one becomes three. Returns the vertex.
    pub fn split_triangle(&mut self, t: u32) -> u32 {
        let v = self.begin_vertex();
        let [a, b, c] = self.corners[t as usize];
        let [beyond_a, beyond_b, beyond_c] = self.across[t as usize];
        let (first, second) = (self.begin_triangle(), self.begin_triangle());
        self.relink(beyond_a, t, first);
        self.relink(beyond_b, t, second);
        self.set(t, [a, b, v], [first, second, beyond_c]);
        self.set(first, [b, c, v], [second, t, beyond_a]);
        self.set(second, [c, a, v], [t, first, beyond_b]);
        v
    }

    /// Turns the edge opposite corner `k` of `t` within its two triangles. False at a border.
    pub fn flip(&mut self, t: u32, k: usize) -> bool {
        let Some(u) = self.beyond(t, k) else { return false };
        let l = self.corner_across(u, t);
        let [c, a, b] = self.from_corner(t, k);
        let d = self.corners[u as usize][l];
        let [_, beyond_a, beyond_b] = self.across_from(t, k);
        let [_, across_b, across_a] = self.across_from(u, l);
        self.relink(across_b, u, t);
        self.relink(beyond_a, t, u);
        self.set(t, [c, a, d], [across_b, u, beyond_b]);
        self.set(u, [d, b, c], [beyond_a, t, across_a]);
        true
    }

    /// Opens the edge opposite corner `k` of `t`, by the one rule for every case: an end whose triangles no longer hang together around it is
    /// doubled. So a crack starts, runs, reaches a border, meets another and cuts a sheet in two without being told which. None at a border.
    pub fn open_edge(&mut self, t: u32, k: usize) -> Option<Doubled> {
        let u = self.beyond(t, k)?;
        let l = self.corner_across(u, t);
        let [_, a, b] = self.from_corner(t, k);
        let (mut mine, mut theirs) = (self.across[t as usize], self.across[u as usize]);
        (mine[k], theirs[l]) = (NONE, NONE);
        self.set(t, self.corners[t as usize], mine);
        self.set(u, self.corners[u as usize], theirs);
        Some([a, b].map(|v| {
            if self.reaches(t, u, v) {
                return None;
            }
            let new = self.begin_vertex();
            let mut theirs: Vec<u32> = Vec::new();
            self.walk(u, v, |at| {
                theirs.push(at);
                false
            });
            for at in theirs {
                let corners = self.corners[at as usize].map(|w| if w == v { new } else { w });
                self.set(at, corners, self.across[at as usize]);
            }
            // the triangle of v may have been one of those
            self.set(t, self.corners[t as usize], self.across[t as usize]);
            Some((v, new))
        }))
    }

    /// Whether two triangles hang together around a vertex.
    fn reaches(&self, t: u32, u: u32, v: u32) -> bool {
        self.walk(t, v, |at| at == u)
    }

    /// Calls `visit` with the triangles around `v` that hang together with `t`, both ways, until one is found.
    fn walk(&self, t: u32, v: u32, mut visit: impl FnMut(u32) -> bool) -> bool {
        if visit(t) {
            return true;
        }
        for way in [next as fn(usize) -> usize, previous] {
            let mut at = t;
            while let Some(beyond) =
                self.corner_of(at, v).and_then(|k| self.beyond(at, way(k))).filter(|&u| u != t)
            {
                at = beyond;
                if visit(at) {
                    return true;
                }
            }
        }
        false
    }

    /// Where the journal is now.
    pub fn mark(&self) -> usize {
        self.journal.0.len()
    }

    /// Triangles that were written since a mark and are there, some more than once.
    pub fn written_since(&self, mark: usize) -> impl Iterator<Item = u32> {
        self.journal.0[mark..].iter().filter_map(|edit| match edit {
            Edit::Triangle { t, .. } => Some(*t),
            _ => None,
        })
    }

    /// Takes back all that happened since a mark.
    pub fn roll_back(&mut self, mark: usize) {
        while self.journal.0.len() > mark {
            match self.journal.0.pop() {
                Some(Edit::Triangle { t, corners, across }) => {
                    self.corners[t as usize] = corners;
                    self.across[t as usize] = across;
                }
                Some(Edit::Home { v, t }) => self.home[v as usize] = t,
                Some(Edit::NewTriangle) => {
                    self.corners.pop();
                    self.across.pop();
                }
                Some(Edit::NewVertex) => {
                    self.home.pop();
                }
                None => {}
            }
        }
    }

    /// Forgets the journal: all is as it is meant to be.
    pub fn commit(&mut self) {
        self.journal.0.clear();
    }

    /// Vertices are put elsewhere, and triangles in the order of the lowest vertex: `place` tells where each vertex goes. Tells which
    /// triangle becomes which, by the order of those that are now.
    pub fn permute(&mut self, place: impl Fn(u32) -> u32) -> Vec<u32> {
        self.commit();
        self.corners.iter_mut().flatten().for_each(|v| *v = place(*v));
        let mut order: Vec<u32> = (0..self.corners.len() as u32).collect();
        order.sort_by_key(|&t| self.corners[t as usize].into_iter().min());
        let mut now = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&was, to)| now[was as usize] = to);
        let moved = |u: u32| if u == NONE { NONE } else { now[u as usize] };
        self.across = order.iter().map(|&t| self.across[t as usize].map(moved)).collect();
        self.corners = order.iter().map(|&t| self.corners[t as usize]).collect();
        self.follow(self.home.len());
        order
    }

    /// Keeps the first vertices and triangles, which share nothing with the others.
    pub fn truncate(&mut self, vertex_count: usize, count: usize) {
        self.commit();
        self.corners.truncate(count);
        self.across.truncate(count);
        self.follow(vertex_count);
    }

    fn across_from(&self, t: u32, k: usize) -> [u32; 3] {
        let across = self.across[t as usize];
        [across[k], across[next(k)], across[previous(k)]]
    }

    fn begin_vertex(&mut self) -> u32 {
        self.journal.0.push(Edit::NewVertex);
        self.home.push(NONE);
        self.home.len() as u32 - 1
    }

    fn begin_triangle(&mut self) -> u32 {
        self.journal.0.push(Edit::NewTriangle);
        self.corners.push([NONE; 3]);
        self.across.push([NONE; 3]);
        self.corners.len() as u32 - 1
    }

    /// Writes a triangle, and makes it that of all its corners.
    fn set(&mut self, t: u32, corners: [u32; 3], across: [u32; 3]) {
        let at = t as usize;
        let old = Edit::Triangle { t, corners: self.corners[at], across: self.across[at] };
        self.journal.0.push(old);
        (self.corners[at], self.across[at]) = (corners, across);
        for v in corners {
            self.journal.0.push(Edit::Home { v, t: self.home[v as usize] });
            self.home[v as usize] = t;
        }
    }

    /// What lay across `old` lies across `new`.
    fn relink(&mut self, u: u32, old: u32, new: u32) {
        if u == NONE {
            return;
        }
        let across = self.across[u as usize].map(|t| if t == old { new } else { t });
        self.set(u, self.corners[u as usize], across);
    }

    /// What is wrong, if something is: everything that operators rely on.
    pub fn check(&self) -> Result<(), TopologyError> {
        if self.across.len() != self.corners.len() {
            return Err(TopologyError::Table);
        }
        let mut count = vec![0u32; self.home.len()];
        for (triangle, t) in self.corners.iter().zip(0..) {
            let [a, b, c] = *triangle;
            if a == b || b == c || c == a || triangle.iter().any(|&v| v as usize >= count.len()) {
                return Err(TopologyError::Triangle(t));
            }
            triangle.iter().for_each(|&v| count[v as usize] += 1);
            let across = self.across[t as usize];
            for (k, u) in across.into_iter().enumerate().filter(|&(_, u)| u != NONE) {
                let ends = [triangle[next(k)], triangle[previous(k)]];
                let back = |l: usize| {
                    let other = self.corners[u as usize];
                    self.across[u as usize][l] == t && [other[previous(l)], other[next(l)]] == ends
                };
                if u as usize >= self.len() || !(0..3).any(back) {
                    return Err(TopologyError::Edge(ends));
                }
                // two triangles that share two edges are one folded onto itself
                if across.iter().filter(|&&other| other == u).count() > 1 {
                    return Err(TopologyError::Edge(ends));
                }
            }
        }
        for (&wanted, v) in count.iter().zip(0..) {
            let home = self.home[v as usize];
            let fits = (home as usize) < self.len() && self.corner_of(home, v).is_some();
            if !fits {
                return Err(TopologyError::Alone(v));
            }
            if self.fan(v).take(wanted as usize + 1).count() != wanted as usize {
                return Err(TopologyError::Fans(v));
            }
        }
        Ok(())
    }

    /// Checks every invariant.
    ///
    /// # Panics
    /// If one does not hold: that is a bug.
    pub fn validate(&self) {
        if let Err(error) = self.check() {
            panic!("{error}");
        }
    }
}

/// What is wrong with triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyError {
    /// Columns of different lengths.
    Table,
    /// A triangle with a corner twice, or one that does not exist.
    Triangle(u32),
    /// An edge that is not between two triangles on either side of it, by its ends.
    Edge([u32; 2]),
    /// A vertex without a triangle.
    Alone(u32),
    /// A vertex whose triangles hang together by nothing but itself.
    Fans(u32),
}

impl std::fmt::Display for TopologyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Table => write!(f, "triangles and their neighbours are not as many"),
            Self::Triangle(t) => write!(f, "triangle {t} has not three corners that exist"),
            Self::Edge([a, b]) => {
                write!(f, "the edge from vertex {a} to {b} has not one triangle on either side")
            }
            Self::Alone(v) => write!(f, "vertex {v} has no triangle"),
            Self::Fans(v) => write!(f, "triangles at vertex {v} share no edge"),
        }
    }
}

impl std::error::Error for TopologyError {}

/// The triangles around a vertex; see [`CornerTable::fan`].
#[derive(Clone, Debug)]
pub struct Fan<'a> {
    table: &'a CornerTable,
    v: u32,
    first: u32,
    at: Option<(u32, usize)>,
}

impl Iterator for Fan<'_> {
    type Item = (u32, usize);

    fn next(&mut self) -> Option<(u32, usize)> {
        let (t, k) = self.at?;
        let beyond = self.table.beyond(t, next(k)).filter(|&u| u != self.first);
        self.at = beyond.and_then(|u| Some((u, self.table.corner_of(u, self.v)?)));
        Some((t, k))
    }
}
