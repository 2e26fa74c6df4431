//! Distance of convex cores, after Gilbert, Johnson and Keerthi 1988, in the form of van den
//! Bergen, *Collision Detection in Interactive 3D Environments*, 2003, ch. 4: the point of A − B
//! nearest to the origin is searched on simplices of support points.

use super::core::Core;
use glam::DVec3;

/// A point of A − B and where it comes from.
#[derive(Clone, Copy)]
pub(super) struct Vertex {
    /// `a − b`.
    pub w: DVec3,
    pub a: DVec3,
    pub b: DVec3,
}

impl Vertex {
    pub(super) const ZERO: Self = Self { w: DVec3::ZERO, a: DVec3::ZERO, b: DVec3::ZERO };

    /// The point of A − B farthest along `d`.
    #[inline]
    pub(super) fn farthest(a: &Core, b: &Core, d: DVec3) -> Self {
        let (a, b) = (a.support(d), b.support(-d));
        Self { w: a - b, a, b }
    }
}

/// Up to four points, with the weights of the point of their hull that is nearest to the origin.
#[derive(Clone, Copy)]
pub(super) struct Simplex {
    pub vertices: [Vertex; 4],
    weights: [f64; 4],
    pub count: usize,
}

/// What the search found.
#[expect(clippy::large_enum_variant, reason = "lives on the stack for one call")]
pub(super) enum Answer {
    /// The cores are farther apart than asked for.
    Far,
    /// The cores are apart.
    Apart {
        /// Unit, out of b towards a.
        normal: DVec3,
        distance: f64,
        on_a: DVec3,
        on_b: DVec3,
    },
    /// The cores overlap or touch; the simplex holds the origin up to rounding.
    Overlap(Simplex),
}

/// Beyond this many steps a round core has been found to more digits than f32 has.
const STEPS: usize = 48;

/// Distance of two cores, as far as `limit`.
pub(super) fn distance(a: &Core, b: &Core, limit: f64) -> Answer {
    let size = a.size.min(b.size);
    let round = a.is_round() || b.is_round();
    // of the distance, in m; polyhedra end by themselves in finitely many steps
    let tolerance = if round { 1.0e-6 } else { 1.0e-12 } * size;
    let touching = 1.0e-9 * size;

    let mut simplex = Simplex { vertices: [Vertex::ZERO; 4], weights: [0.0; 4], count: 0 };
    let between = a.centre() - b.centre();
    let start = if between.length_squared() > 0.0 { between } else { DVec3::Y };
    let first = Vertex::farthest(a, b, -start);
    let (mut v, mut length) = (first.w, f64::INFINITY);
    simplex.push(first);
    simplex.weights[0] = 1.0;
    let mut before = (simplex, v);
    for _ in 0..STEPS {
        let squared = v.length_squared();
        if squared <= touching * touching {
            return Answer::Overlap(simplex);
        }
        // Rounding has the last word: the nearest point no longer comes nearer. Of a simplex that has
        // become flat it may even be far off.
        let now = squared.sqrt();
        if now >= length {
            (simplex, v) = before;
            break;
        }
        length = now;
        let vertex = Vertex::farthest(a, b, -v);
        let lower = v.dot(vertex.w) / length;
        if lower > limit {
            return Answer::Far;
        }
        let known = simplex.vertices[..simplex.count].iter().any(|s| s.w == vertex.w);
        if known || length - lower <= tolerance + 1.0e-10 * length {
            break;
        }
        before = (simplex, v);
        simplex.push(vertex);
        v = simplex.reduce();
        if simplex.count == 4 {
            return Answer::Overlap(simplex);
        }
    }
    let (on_a, on_b) = simplex.witness();
    Answer::Apart { normal: v / v.length(), distance: v.length(), on_a, on_b }
}

impl Simplex {
    fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    /// The points of a and b whose difference is nearest to the origin.
    pub(super) fn witness(&self) -> (DVec3, DVec3) {
        let mut on = (DVec3::ZERO, DVec3::ZERO);
        for k in 0..self.count {
            on.0 += self.weights[k] * self.vertices[k].a;
            on.1 += self.weights[k] * self.vertices[k].b;
        }
        on
    }

    /// Keeps the points that the nearest point of the hull is made of, and returns it.
    fn reduce(&mut self) -> DVec3 {
        let w = |k: usize| self.vertices[k].w;
        let weights = match self.count {
            2 => with_rest(segment(w(0), w(1))),
            3 => with_rest(triangle(w(0), w(1), w(2))),
            4 => tetrahedron([w(0), w(1), w(2), w(3)]),
            _ => [1.0, 0.0, 0.0, 0.0],
        };
        let (mut kept, mut nearest) = (0, DVec3::ZERO);
        for k in 0..self.count {
            if weights[k] > 0.0 {
                self.vertices[kept] = self.vertices[k];
                self.weights[kept] = weights[k];
                nearest += weights[k] * self.vertices[k].w;
                kept += 1;
            }
        }
        self.count = kept;
        nearest
    }
}

fn with_rest<const N: usize>(weights: [f64; N]) -> [f64; 4] {
    let mut all = [0.0; 4];
    all[..N].copy_from_slice(&weights);
    all
}

/// Weights of the point of a segment nearest to the origin.
fn segment(a: DVec3, b: DVec3) -> [f64; 2] {
    let ab = b - a;
    let (t, whole) = (-a.dot(ab), ab.length_squared());
    if t <= 0.0 {
        [1.0, 0.0]
    } else if t >= whole {
        [0.0, 1.0]
    } else {
        [1.0 - t / whole, t / whole]
    }
}

/// Weights of the point of a triangle nearest to the origin (Ericson, *Real-Time Collision
/// Detection*, 2005, sec. 5.1.5).
pub(crate) fn triangle(a: DVec3, b: DVec3, c: DVec3) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}

/// Where two segments, from 0 along `u` and from `w` along `v`, are nearest to each other: shares of both (Ericson 2005, sec. 5.1.9).
pub(in super::super) fn nearest_on_segments(u: DVec3, v: DVec3, w: DVec3) -> [f64; 2] {
    let (a, e, f) = (u.length_squared(), v.length_squared(), -v.dot(w));
    let (b, c) = (u.dot(v), -u.dot(w));
    let square = a * e - b * b;
    let along = |x: f64, whole: f64| if whole > 0.0 { (x / whole).clamp(0.0, 1.0) } else { 0.0 };
    // of parallel ones any point of the first will do
    let s = if square > 0.0 { ((b * f - c * e) / square).clamp(0.0, 1.0) } else { 0.0 };
    let t = if e > 0.0 { (b * s + f) / e } else { 0.0 };
    if t < 0.0 {
        [along(-c, a), 0.0]
    } else if t > 1.0 {
        [along(b - c, a), 1.0]
    } else {
        [s, t]
    }
}

/// Weights of the corners of a triangle at the foot of a point in its plane; below 0 beyond its edges.
pub(crate) fn weights_in_triangle([a, b, c]: [DVec3; 3], p: DVec3) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    if square == 0.0 {
        return [f64::NEG_INFINITY; 3];
    }
    let v = (p - a).cross(c - a).dot(normal) / square;
    let w = (b - a).cross(p - a).dot(normal) / square;
    [1.0 - v - w, v, w]
}

/// Weights of the point of a tetrahedron nearest to the origin: all above 0 if it is inside.
fn tetrahedron(w: [DVec3; 4]) -> [f64; 4] {
    let mut best = (f64::INFINITY, [0.0; 4]);
    let mut inside = true;
    for [i, j, k, l] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]] {
        let normal = (w[j] - w[i]).cross(w[k] - w[i]);
        // Whether the origin is on the other side of this face than the fourth corner.
        let (origin, fourth) = (-normal.dot(w[i]), normal.dot(w[l] - w[i]));
        if origin * fourth > 0.0 {
            continue;
        }
        inside = false;
        let weights = triangle(w[i], w[j], w[k]);
        let nearest = weights[0] * w[i] + weights[1] * w[j] + weights[2] * w[k];
        if nearest.length_squared() < best.0 {
            let mut all = [0.0; 4];
            (all[i], all[j], all[k]) = (weights[0], weights[1], weights[2]);
            best = (nearest.length_squared(), all);
        }
    }
    if inside { [0.25; 4] } else { best.1 }
}
