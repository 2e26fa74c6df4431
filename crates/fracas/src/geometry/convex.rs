//! Convex polyhedra: how they are made, measured and mapped.

use crate::contact::shape::{Hull, ShapeError};
use glam::{DMat3, DVec3, Vec3};

/// A convex polyhedron in f64, in m.
///
/// Its surface is closed: every edge runs once in either direction. Faces are flat to 1e-12 of the
/// size; those of a hull of `f32` points that are not are given as triangles, so that parts always
/// add up to the whole. It is convex to 1e-6 of the size, as exactly as such points can say.
#[derive(Clone, Debug, PartialEq)]
pub struct Convex {
    pub(super) vertices: Vec<DVec3>,
    /// Faces one after the other, each a loop of vertices, counter-clockwise from outside.
    pub(super) loops: Vec<u32>,
    /// Where each face ends in `loops`.
    pub(super) ends: Vec<u32>,
}

/// Volume, centre and second moment of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// V, in m³.
    pub volume: f64,
    /// Centre c of the volume, in m.
    pub centre: DVec3,
    /// ∫ (x − c)(x − c)ᵀ dV, in m⁵.
    pub second_moment: DMat3,
}

/// How far a face may leave its plane, relative to the size.
pub(super) const FLAT: f64 = 1.0e-12;

/// Width below which the normal of a face is made of tolerances, relative to the size.
pub(super) const THIN: f64 = 1.0e-5;

impl Convex {
    /// The smallest that holds all `points`, given in m in any order.
    ///
    /// # Errors
    /// If a coordinate is not finite, or the points lie in a plane, on a line or in one place.
    pub fn hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        let hull = Hull::new(points)?;
        let mut faces: Vec<Vec<u32>> =
            hull.polygons().map(|face| face.iter().map(|&v| u32::from(v)).collect()).collect();
        // A vertex of only two faces lies on an edge: cut through, it would make faces without area.
        let mut uses = vec![0; hull.vertices().len()];
        faces.iter().flatten().for_each(|&v| uses[v as usize] += 1);
        faces.iter_mut().for_each(|face| face.retain(|&v| uses[v as usize] > 2));
        faces.retain(|face| face.len() > 2);

        let vertices: Vec<DVec3> = hull.vertices().iter().map(|v| v.as_dvec3()).collect();
        let mut convex = Self::empty(vertices);
        let tolerance = FLAT * convex.size();
        for face in &faces {
            if convex.is_flat(face, tolerance) {
                convex.push_face(face);
            } else {
                let mut triangles = Vec::new();
                bulging_triangles(&convex.vertices, face, &mut triangles);
                triangles.iter().for_each(|t| convex.push_face(t));
            }
        }
        let thickness = 1.0e-6 * convex.size() as f32;
        let vertices = core::mem::take(&mut convex.vertices);
        let convex = convex.with_used(&vertices);
        let flat = ShapeError::Flat { count: points.len(), what: "a plane", thickness };
        if convex.is_closed() { Ok(convex) } else { Err(flat) }
    }

    /// The box from −`half` to `half`, in m.
    ///
    /// # Errors
    /// If a coordinate is not between 1e-6 and 1e6 m.
    pub fn block(half: DVec3) -> Result<Self, ShapeError> {
        for h in half.to_array() {
            if !(1.0e-6..=1.0e6).contains(&h) {
                let (field, allowed) = ("half extent of the block", "between 1e-6 and 1e6 m");
                return Err(ShapeError::OutOfRange { field, allowed, found: h as f32 });
            }
        }
        let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
        let corner = |i: u32| half * DVec3::new(sign(i & 1), sign(i & 2), sign(i & 4));
        let mut block = Self::empty((0..8).map(corner).collect());
        let faces =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        for face in &faces {
            block.push_face(face);
        }
        Ok(block)
    }

    /// Vertices without faces yet.
    pub(super) fn empty(vertices: Vec<DVec3>) -> Self {
        Self { vertices, loops: Vec::new(), ends: Vec::new() }
    }

    pub(super) fn push_face(&mut self, face: &[u32]) {
        self.loops.extend(face);
        self.ends.push(self.loops.len() as u32);
    }

    /// The same faces with only those of `vertices` that they use.
    pub(super) fn with_used(mut self, vertices: &[DVec3]) -> Self {
        let mut number = vec![u32::MAX; vertices.len()];
        for &v in &self.loops {
            number[v as usize] = 0;
        }
        for (old, new) in number.iter_mut().enumerate().filter(|(_, new)| **new == 0) {
            *new = self.vertices.len() as u32;
            self.vertices.push(vertices[old]);
        }
        for v in &mut self.loops {
            *v = number[*v as usize];
        }
        self
    }

    /// Whether every edge runs once in either direction.
    pub(super) fn is_closed(&self) -> bool {
        let mut all: Vec<[u32; 2]> = self.faces().flat_map(edges).collect();
        all.sort_unstable();
        let twice = all.windows(2).any(|w| w[0] == w[1]);
        !twice && all.iter().all(|&[a, b]| all.binary_search(&[b, a]).is_ok())
    }

    fn is_flat(&self, face: &[u32], tolerance: f64) -> bool {
        let (normal, offset) = self.plane(face);
        face.iter().all(|&v| (normal.dot(self.vertices[v as usize]) - offset).abs() <= tolerance)
    }

    /// Its corners, in m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Its corners as contact takes them, in m.
    pub fn corners(&self) -> Vec<[f32; 3]> {
        self.vertices.iter().map(|v| v.as_vec3().to_array()).collect()
    }

    /// Vertices of every face, counter-clockwise from outside.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let face = &self.loops[start..end as usize];
            start = end as usize;
            face
        })
    }

    /// The points of a face.
    pub(super) fn points(&self, face: &[u32]) -> impl Iterator<Item = DVec3> + Clone {
        face.iter().map(|&v| self.vertices[v as usize])
    }

    /// Unit normal n, outward, and offset d of n·x = d; n = 0 of a face without area.
    pub(super) fn plane(&self, face: &[u32]) -> (DVec3, f64) {
        let normal = area_vector(self.points(face)).normalize_or_zero();
        let mean = self.points(face).sum::<DVec3>() / face.len() as f64;
        (normal, normal.dot(mean))
    }

    /// Mean width of a face, in m: area over length of the rim.
    pub(super) fn width(&self, face: &[u32]) -> f64 {
        let length =
            |[a, b]: [u32; 2]| self.vertices[a as usize].distance(self.vertices[b as usize]);
        area_vector(self.points(face)).length() / edges(face).map(length).sum::<f64>()
    }

    /// The half-spaces n·x ≤ d that it lies in, of all faces wide enough to have a normal: others are
    /// where faces meet.
    pub(super) fn half_spaces(&self) -> impl Iterator<Item = (DVec3, f64)> {
        let least = THIN * self.size();
        self.faces().filter(move |face| self.width(face) > least).map(|face| self.plane(face))
    }

    /// Lowest and highest corner of the box around it.
    pub(super) fn bounds(&self) -> (DVec3, DVec3) {
        let low = self.vertices.iter().fold(DVec3::INFINITY, |m, v| m.min(*v));
        let high = self.vertices.iter().fold(DVec3::NEG_INFINITY, |m, v| m.max(*v));
        (low, high)
    }

    /// What tolerances are relative to, in m: the largest side of the box around it, and never less
    /// than 1e-5 of its distance from the origin, where coordinates are rounded.
    pub(super) fn size(&self) -> f64 {
        let (low, high) = self.bounds();
        (high - low).max_element().max(1.0e-5 * high.abs().max(low.abs()).max_element())
    }

    /// Least and largest `direction`·x over the solid.
    pub fn extent(&self, direction: DVec3) -> (f64, f64) {
        let heights = self.vertices.iter().map(|v| direction.dot(*v));
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
    }

    /// Whether a point is inside or on the surface, to 1e-5 of the size.
    pub fn contains(&self, point: DVec3) -> bool {
        self.half_spaces().all(|(normal, offset)| normal.dot(point) <= offset)
    }

    /// Triangles of all faces, seen from a point inside, and that point.
    fn triangles(&self) -> (DVec3, impl Iterator<Item = [DVec3; 3]>) {
        let inside = self.vertices.iter().sum::<DVec3>() / self.vertices.len() as f64;
        let triangles = self.faces().flat_map(move |face| {
            let corner = move |i: usize| self.vertices[face[i] as usize] - inside;
            (2..face.len()).map(move |i| [corner(0), corner(i - 1), corner(i)])
        });
        (inside, triangles)
    }

    /// In m³.
    pub fn volume(&self) -> f64 {
        self.triangles().1.map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0
    }

    /// Volume, centre and second moment, exact: sums over the tetrahedra from a point inside to the
    /// triangles of the surface.
    ///
    /// ```text
    /// V = a·(b×c)/6,   ∫x = V (a+b+c)/4,   ∫xxᵀ = V/20 (aaᵀ + bbᵀ + ccᵀ + ssᵀ),  s = a+b+c
    /// ```
    pub fn measure(&self) -> Measure {
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let (inside, triangles) = self.triangles();
        for [a, b, c] in triangles {
            let six_volumes = a.dot(b.cross(c));
            let s = a + b + c;
            volume += six_volumes;
            first += s * six_volumes;
            second += (outer(a) + outer(b) + outer(c) + outer(s)) * six_volumes;
        }
        volume /= 6.0;
        let arm = first / (24.0 * volume);
        let second_moment = second * (1.0 / 120.0) - outer(arm) * volume;
        Measure { volume, centre: inside + arm, second_moment }
    }

    /// The image under x ↦ `linear` x + `shift`; none if that is flat or not finite.
    pub fn transformed(&self, linear: DMat3, shift: DVec3) -> Option<Self> {
        self.mapped(linear.determinant(), |v| linear * v + shift)
    }

    /// The image under an affine map with this determinant.
    fn mapped(&self, determinant: f64, map: impl Fn(DVec3) -> DVec3) -> Option<Self> {
        let mut image =
            Self { vertices: self.vertices.iter().map(|v| map(*v)).collect(), ..self.clone() };
        // a mirror turns faces inside out
        if determinant < 0.0 {
            let mut start = 0;
            for &end in &self.ends {
                image.loops[start..end as usize].reverse();
                start = end as usize;
            }
        }
        let usable = determinant != 0.0 && image.vertices.iter().all(|v| v.is_finite());
        (usable && image.volume() > 0.0).then_some(image)
    }

    /// The image under x ↦ c + L (x − c) that has ∫rrᵀdV / V = `covariance` about the same centre
    /// c, in m²; none if the covariance is not symmetric, positive and finite.
    ///
    /// Of all such L it is the symmetric positive one, nearest to no change at all. With the
    /// covariance M before,
    ///
    /// ```text
    /// L M L = C,   L = M^-½ (M^½ C M^½)^½ M^-½ = M⁻¹ # C
    /// ```
    ///
    /// the geometric mean of M⁻¹ and C. So the hull of a fragment that is not convex gets the moments
    /// of the fragment, and its parts add up to them.
    pub fn with_moments(&self, covariance: DMat3) -> Option<Self> {
        let now = self.measure();
        let m = now.second_moment * (1.0 / now.volume);
        if !is_positive(&covariance) {
            return None;
        }
        let l = geometric_mean(m.inverse(), covariance);
        self.mapped(l.determinant(), |v| now.centre + l * (v - now.centre))
    }
}

/// a aᵀ.
pub(super) fn outer(a: DVec3) -> DMat3 {
    DMat3::from_cols(a * a.x, a * a.y, a * a.z)
}

/// Area times normal of a polygon.
pub(super) fn area_vector(mut points: impl Iterator<Item = DVec3>) -> DVec3 {
    let Some(first) = points.next() else { return DVec3::ZERO };
    let mut sum = DVec3::ZERO;
    let mut last = DVec3::ZERO;
    for point in points {
        let arm = point - first;
        sum += last.cross(arm);
        last = arm;
    }
    sum * 0.5
}

/// From every vertex of a loop to the next.
pub(super) fn edges(face: &[u32]) -> impl Iterator<Item = [u32; 2]> {
    (0..face.len()).map(|i| [face[i], face[(i + 1) % face.len()]])
}

/// Triangles of a polygon that is not quite flat, such that they bulge outwards: of all triangles on
/// the edge from the last vertex to the first that with no vertex above it, then the same for what is
/// left on its other two sides.
pub(super) fn bulging_triangles(points: &[DVec3], face: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let &[first, .., last] = face else { return };
    if face.len() < 3 {
        return;
    }
    let point = |v: u32| points[v as usize];
    let mut top = 1;
    let mut normal = DVec3::ZERO;
    for k in 1..face.len() - 1 {
        let arm = point(face[k]) - point(first);
        if normal == DVec3::ZERO || normal.dot(arm) > 0.0 {
            top = k;
            normal = arm.cross(point(last) - point(first));
        }
    }
    triangles.push([first, face[top], last]);
    bulging_triangles(points, &face[..=top], triangles);
    bulging_triangles(points, &face[top..], triangles);
}

/// Whether a matrix is symmetric, positive definite and finite; its leading minors say so.
fn is_positive(c: &DMat3) -> bool {
    let minor = c.x_axis.x * c.y_axis.y - c.x_axis.y * c.y_axis.x;
    let trace = c.x_axis.x + c.y_axis.y + c.z_axis.z;
    let symmetric = c.abs_diff_eq(c.transpose(), 1.0e-12 * trace);
    let positive = c.x_axis.x > 0.0 && minor > 0.0 && c.determinant() > 0.0;
    symmetric && positive && c.is_finite()
}

/// A # B of symmetric positive matrices, the X with X A⁻¹ X = B, as the limit of
///
/// ```text
/// A ← (A + B)/2,   B ← 2 (A⁻¹ + B⁻¹)⁻¹
/// ```
///
/// (Bhatia, *Positive Definite Matrices*, 2007, ch. 4), which in the end doubles its digits with every
/// round.
fn geometric_mean(a: DMat3, b: DMat3) -> DMat3 {
    let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
    // (sA) # (B/s) is the same for every s; means of like numbers converge soonest.
    let scale = (trace(&b) / trace(&a)).sqrt();
    let (mut a, mut b) = (a * scale, b * (1.0 / scale));
    // A round quarters the ratio of both: 1e12 takes 20, and 6 more bring all digits.
    for _ in 0..26 {
        let harmonic = (a.inverse() + b.inverse()).inverse() * 2.0;
        (a, b) = ((a + b) * 0.5, harmonic);
    }
    (a + a.transpose()) * 0.5
}
