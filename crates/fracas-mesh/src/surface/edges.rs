//! Which triangles meet at an edge, and which hang together.

use fracas::sets::Sets;

/// One side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Side {
    /// Its ends, the lower vertex first.
    pub edge: [u32; 2],
    /// The triangle.
    pub triangle: u32,
    /// Which of its sides: from corner k to the next.
    pub side: u32,
    /// Whether the triangle runs from the lower vertex to the higher.
    pub forward: bool,
}

/// All sides of all triangles, those of an edge together (`chunk_by` edge gives the edges).
pub(crate) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            let edge = [a.min(b), a.max(b)];
            sides.push(Side { edge, triangle: triangle as u32, side: k as u32, forward: a < b });
        }
    }
    sides.sort_unstable();
    sides
}

/// The groups of sides that share an edge.
pub(crate) fn by_edge(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(|a, b| a.edge == b.edge)
}

/// Triangles that hang together over edges, each set in order, the sets by their first triangle.
pub(crate) fn components(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut sets = Sets::new(triangles.len());
    for same in by_edge(&sides(triangles)) {
        for pair in same.windows(2) {
            sets.join(pair[0].triangle, pair[1].triangle);
        }
    }
    let mut number = vec![u32::MAX; triangles.len()];
    let mut components: Vec<Vec<u32>> = Vec::new();
    for triangle in 0..triangles.len() as u32 {
        let first = sets.find(triangle) as usize;
        if number[first] == u32::MAX {
            number[first] = components.len() as u32;
            components.push(Vec::new());
        }
        components[number[first] as usize].push(triangle);
    }
    components
}

/// For each corner (3 × triangle + k) the lowest corner of its fan: of those at the same vertex that
/// hang together over edges. A vertex with more than one fan is where parts touch in a point.
pub(crate) fn fans(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut sets = Sets::new(3 * triangles.len());
    for same in by_edge(&sides(triangles)) {
        for pair in same.windows(2) {
            let ends = |s: &Side| {
                let (start, end) = (3 * s.triangle + s.side, 3 * s.triangle + (s.side + 1) % 3);
                if s.forward { [start, end] } else { [end, start] }
            };
            let ([a, b], [c, d]) = (ends(&pair[0]), ends(&pair[1]));
            sets.join(a, c);
            sets.join(b, d);
        }
    }
    (0..3 * triangles.len() as u32).map(|corner| sets.find(corner)).collect()
}
