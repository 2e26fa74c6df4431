//! How good the tetrahedra are.

use std::fmt;

use super::{EDGES, TetMesh};

/// Least, greatest and typical value of many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// One in a hundred lies below it.
    pub percentile: f64,
    /// Half lie below it.
    pub median: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// Of these values; zeros if there are none.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let Some(last) = values.len().checked_sub(1) else { return Self::default() };
        let at = |part: f64| values[(part * last as f64).round() as usize];
        Self { least: at(0.0), percentile: at(0.01), median: at(0.5), greatest: at(1.0) }
    }
}

/// Size and shape of the tetrahedra of a mesh. Prints as a table.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// Number of tetrahedra.
    pub tets: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// Faces that only one tetrahedron has.
    pub boundary_triangles: usize,
    /// Volume of all, in m³.
    pub volume: f64,
    /// Angles between the faces of a tetrahedron, in degrees: 70.5 in the regular one.
    pub dihedral: Spread,
    /// Mean ratio of the tetrahedra: 1 for the regular one, 0 for a flat one.
    pub shape: Spread,
    /// Lengths of the edges, each counted once, in m.
    pub edge: Spread,
}

impl Quality {
    /// Measures a mesh, which [`TetMesh::check`] should have accepted.
    pub fn of(mesh: &TetMesh) -> Self {
        let all = || 0..mesh.tets.len();
        Self {
            tets: mesh.tets.len(),
            vertices: mesh.vertices.len(),
            boundary_triangles: mesh.boundary().len(),
            volume: mesh.volume(),
            dihedral: Spread::of(all().flat_map(|tet| dihedral_angles(mesh, tet)).collect()),
            shape: Spread::of(all().map(|tet| mean_ratio(mesh, tet)).collect()),
            edge: Spread::of(edge_lengths(mesh)),
        }
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tets, vertices, boundary_triangles, volume, .. } = self;
        writeln!(f, "{:<18}{:>10}{:>10}{:>10}{:>10}", "", "least", "1 %", "median", "greatest")?;
        let rows = [
            ("dihedral angle, °", &self.dihedral, 1),
            ("mean ratio", &self.shape, 3),
            ("edge, m", &self.edge, digits(self.edge.least, 3)),
        ];
        for (name, spread, digits) in rows {
            let Spread { least, percentile, median, greatest } = spread;
            write!(f, "{name:<18}{least:>10.digits$}{percentile:>10.digits$}")?;
            writeln!(f, "{median:>10.digits$}{greatest:>10.digits$}")?;
        }
        writeln!(f, "{:<18}{tets:>10}", "tetrahedra")?;
        writeln!(f, "{:<18}{vertices:>10}", "vertices")?;
        writeln!(f, "{:<18}{boundary_triangles:>10}", "boundary triangles")?;
        write!(f, "{:<18}{volume:>10.*}", "volume, m³", digits(*volume, 4))
    }
}

/// Digits after the point that show so many figures of a number.
fn digits(value: f64, figures: i32) -> usize {
    let before = if value > 0.0 { value.log10().floor() as i32 + 1 } else { 1 };
    (figures - before).clamp(0, 12) as usize
}

/// The six angles between faces, in degrees.
///
/// At the edge from a to b, where c and d are the other corners, the faces make the angle between
/// the parts of c − a and d − a across the edge.
fn dihedral_angles(mesh: &TetMesh, tet: usize) -> [f64; 6] {
    let corners = mesh.corners(tet);
    std::array::from_fn(|k| {
        let [[a, b], [c, d]] = [EDGES[k], EDGES[5 - k]].map(|edge| edge.map(|i| corners[i]));
        let along = b - a;
        let (m, n) = (along.cross(c - a), along.cross(d - a));
        m.cross(n).length().atan2(m.dot(n)).to_degrees()
    })
}

/// Mean ratio of a tetrahedron, 12 (3V)^⅔ / Σ l² over its edges (Liu, Joe, *Relationship between
/// tetrahedron shape measures*, BIT 1994).
fn mean_ratio(mesh: &TetMesh, tet: usize) -> f64 {
    let corners = mesh.corners(tet);
    let squares: f64 = EDGES.iter().map(|&[i, j]| corners[i].distance_squared(corners[j])).sum();
    let root = (3.0 * mesh.tet_volume(tet)).cbrt();
    if squares > 0.0 { 12.0 * root * root.abs() / squares } else { 0.0 }
}

/// Length of every edge, once.
fn edge_lengths(mesh: &TetMesh) -> Vec<f64> {
    let ends = |corners: &[u32; 4]| EDGES.map(|[i, j]| [corners[i], corners[j]]);
    let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let mut edges: Vec<[u32; 2]> = mesh.tets.iter().flat_map(ends).map(sorted).collect();
    edges.sort_unstable();
    edges.dedup();
    let length = |&[a, b]: &[u32; 2]| mesh.vertices[a as usize].distance(mesh.vertices[b as usize]);
    edges.iter().map(length).collect()
}
