//! Finer and rounder surfaces.

use std::collections::BTreeMap;

use fracas::glam::DVec3;

use super::Surface;
use crate::attributes::{Attribute, Objects};

impl Surface {
    /// The surface with every triangle in four, rounded by Loop's rules (*Smooth Subdivision Surfaces Based on
    /// Triangles*, University of Utah 1987). Texture coordinates and attributes are halved along edges; rims of
    /// open surfaces keep to themselves.
    ///
    /// ```
    /// use fracas_mesh::generate::surfaces;
    ///
    /// let block = surfaces::block([1.0; 3])?;
    /// assert_eq!(block.subdivided().triangles.len(), 4 * block.triangles.len());
    /// # Ok::<(), fracas_mesh::generate::GenerateError>(())
    /// ```
    pub fn subdivided(&self) -> Self {
        let edges = Edges::new(self);
        let mut vertices = edges.moved(self);
        vertices.extend(edges.all.iter().map(|(ends, edge)| edge.middle(*ends, self)));
        let middle = |a: u32, b: u32| edges.all[&sorted(a, b)].vertex;
        let mut triangles = Vec::with_capacity(4 * self.triangles.len());
        for &[a, b, c] in &self.triangles {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        let attribute = |attribute: &Attribute| {
            let at = |v: u32| attribute.values[v as usize];
            let halves = edges.all.keys().map(|&[a, b]| 0.5 * (at(a) + at(b)));
            let values = attribute.values.iter().copied().chain(halves).collect();
            Attribute { name: attribute.name.clone(), values }
        };
        let of = self.objects.of.iter().flat_map(|&object| [object; 4]).collect();
        Self {
            vertices,
            triangles,
            uvs: self.uvs.iter().flat_map(quarters).collect(),
            objects: Objects { of, ..self.objects.clone() },
            attributes: self.attributes.iter().map(attribute).collect(),
        }
    }
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn quarters(&[a, b, c]: &[[f32; 2]; 3]) -> [[[f32; 2]; 3]; 4] {
    let half = |p: [f32; 2], q: [f32; 2]| [0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])];
    let [ab, bc, ca] = [half(a, b), half(b, c), half(c, a)];
    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

struct Edges {
    /// By their ends, in order.
    all: BTreeMap<[u32; 2], Edge>,
}

#[derive(Default)]
struct Edge {
    /// Number of the vertex in its middle.
    vertex: u32,
    /// The corners opposite it.
    opposite: Vec<u32>,
}

impl Edge {
    fn is_rim(&self) -> bool {
        self.opposite.len() != 2
    }

    fn middle(&self, ends: [u32; 2], surface: &Surface) -> DVec3 {
        let at = |v: u32| surface.vertices[v as usize];
        let sum = at(ends[0]) + at(ends[1]);
        match self.opposite[..] {
            [c, d] => 0.375 * sum + 0.125 * (at(c) + at(d)),
            _ => 0.5 * sum,
        }
    }
}

impl Edges {
    fn new(surface: &Surface) -> Self {
        let mut all: BTreeMap<[u32; 2], Edge> = BTreeMap::new();
        for corners in &surface.triangles {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                all.entry(sorted(a, b)).or_default().opposite.push(corners[(k + 2) % 3]);
            }
        }
        for (edge, vertex) in all.values_mut().zip(surface.vertices.len() as u32..) {
            edge.vertex = vertex;
        }
        Self { all }
    }

    /// Where the old vertices go.
    fn moved(&self, surface: &Surface) -> Vec<DVec3> {
        let count = surface.vertices.len();
        let (mut sums, mut valences) = (vec![DVec3::ZERO; count], vec![0u32; count]);
        let (mut rims, mut rim_sums) = (vec![0u32; count], vec![DVec3::ZERO; count]);
        for (&[a, b], edge) in &self.all {
            for (v, w) in [(a as usize, b as usize), (b as usize, a as usize)] {
                sums[v] += surface.vertices[w];
                valences[v] += 1;
                if edge.is_rim() {
                    rims[v] += 1;
                    rim_sums[v] += surface.vertices[w];
                }
            }
        }
        let moved = |v: usize| {
            let at = surface.vertices[v];
            match (rims[v], valences[v]) {
                (_, 0) => at,
                (0, n) => {
                    let share = share_of_neighbour(n);
                    (1.0 - f64::from(n) * share) * at + share * sums[v]
                }
                (2, _) => 0.75 * at + 0.125 * rim_sums[v],
                _ => at,
            }
        };
        (0..count).map(moved).collect()
    }
}

/// β = (5/8 − (3/8 + cos(2π/n)/4)²)/n
fn share_of_neighbour(n: u32) -> f64 {
    let n = f64::from(n);
    let inner = 0.375 + 0.25 * (std::f64::consts::TAU / n).cos();
    (0.625 - inner * inner) / n
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]
    use super::*;
    use crate::ClosedSurface;
    use crate::generate::surfaces;

    /// Of a ball it stays a ball, and converges; of a block it stays closed and within its box.
    #[test]
    fn a_finer_ball_is_a_ball() {
        let mut ball = surfaces::sphere(1.0, 2).unwrap();
        for _ in 0..2 {
            let finer = ball.subdivided();
            assert_eq!(finer.triangles.len(), 4 * ball.triangles.len());
            ball = finer;
        }
        let (low, high) = ball
            .vertices
            .iter()
            .fold((f64::MAX, 0.0f64), |(low, high), x| (low.min(x.length()), high.max(x.length())));
        // Loop's limit of an inscribed ball lies a little inside it, evenly
        assert!(high / low < 1.01 && low > 0.97, "{low} {high}");
        ClosedSurface::new(ball).unwrap();

        let block = surfaces::block_grid([1.0, 0.5, 0.2], [4, 4, 4]).unwrap();
        let finer = ClosedSurface::new(block.subdivided()).unwrap();
        let inside = |x: &DVec3| x.abs().cmple(DVec3::new(0.5, 0.25, 0.1) + 1e-12).all();
        assert!(finer.surface().vertices.iter().all(inside));
    }

    /// A flat sheet stays as it is, with straight rims, and values stay linear.
    #[test]
    fn a_flat_sheet_stays_flat() {
        let vertices = (0..9).map(|k| DVec3::new(f64::from(k % 3), f64::from(k / 3), 0.0));
        let mut triangles = Vec::new();
        for k in [0, 1, 3, 4] {
            triangles.extend([[k, k + 1, k + 4], [k, k + 4, k + 3]]);
        }
        let vertices: Vec<DVec3> = vertices.collect();
        let uv = |v: u32| [vertices[v as usize].x as f32, vertices[v as usize].y as f32];
        let uvs = triangles.iter().map(|t: &[u32; 3]| t.map(uv)).collect();
        let values = vertices.iter().map(|x| x.x as f32).collect();
        let attributes = vec![Attribute { name: "x".into(), values }];
        let sheet = Surface { vertices, triangles, uvs, attributes, ..Surface::default() };
        let finer = sheet.subdivided();
        assert_eq!((finer.vertices.len(), finer.triangles.len()), (25, 32));
        assert_eq!(finer.uvs.len(), 32);
        assert_eq!(finer.attributes[0].values.len(), 25);
        for x in &finer.vertices {
            let on_rim = [x.x, x.y].iter().any(|&x| x == 0.0 || x == 2.0);
            let inside = (0.0..=2.0).contains(&x.x) && (0.0..=2.0).contains(&x.y);
            assert!(x.z == 0.0 && (on_rim || inside), "{x}");
        }
    }
}
