//! What is drawn of a rigid shape: triangles on its surface.

use super::{Face, SkinMesh, smooth};
use crate::contact::shape::{HeightField, Hull, Pose, Shape};
use crate::math::ops;
use crate::world::RigidPart;
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, TAU};

/// Fewest edges around something round.
const LEAST_AROUND: u32 = 8;

/// Triangles on the surface of a shape, in the shape's frame.
///
/// ```
/// use fracas::contact::shape::Shape;
/// use fracas::skin::ShapeSurface;
///
/// let cube = ShapeSurface::new(&Shape::block([0.5; 3].into())?, 48);
/// assert_eq!((cube.vertices.len(), cube.triangles.len()), (24, 12)); // sharp at its edges
/// # Ok::<(), fracas::contact::shape::ShapeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeSurface {
    /// Positions, in m. One on a sharp edge is listed once for each side.
    pub vertices: Vec<[f32; 3]>,
    /// Outward, unit length.
    pub normals: Vec<[f32; 3]>,
    /// Three vertices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl ShapeSurface {
    /// The surface with `around` edges (8 at least) around what is round; nothing for a half-space, which has no end.
    ///
    /// All vertices lie on the surface, so that the volume is too small: of a sphere and of what is like
    /// it by 17/around² of the whole at most, of a cylinder by 6.6/around². A height field is drawn from above only.
    pub fn new(shape: &Shape, around: u32) -> Self {
        let mut mesh = Triangles::default();
        mesh.add(shape, &Pose::IDENTITY, around.max(LEAST_AROUND));
        mesh.with_normals()
    }
}

impl SkinMesh {
    /// The surfaces of rigid solids, each following its own: what is drawn of a body made of them.
    /// For `around` see [`ShapeSurface::new`].
    pub fn of_rigid(parts: &[RigidPart], around: u32) -> Self {
        let mut mesh = Triangles::default();
        let mut skin = Self::default();
        for (part, owner) in parts.iter().zip(0..) {
            let pose =
                Pose { rotation: part.rotation.normalized(), position: part.position.into() };
            mesh.add(&part.shape, &pose, around.max(LEAST_AROUND));
            let new = &mesh.triangles[skin.outside.len()..];
            skin.outside.extend(new.iter().map(|&corners| Face { corners, owner }));
        }
        skin.vertices = mesh.vertices.iter().map(|x| x.to_array()).collect();
        skin
    }
}

/// Points of a circle of this radius about (0, `height`), as radius and height: `quarter` steps from the
/// equator, which is 0, to a pole, where the radius is 0 to the last bit.
fn arc(
    quarter: i32,
    range: std::ops::RangeInclusive<i32>,
    radius: f32,
    height: f32,
) -> Vec<[f32; 2]> {
    let point = |k: i32| {
        let angle = FRAC_PI_2 * k as f32 / quarter as f32;
        let out = if k.abs() == quarter { 0.0 } else { radius * ops::cos(angle) };
        [out, height + radius * ops::sin(angle)]
    };
    range.map(point).collect()
}

/// Triangles that share vertices where the surface is smooth or has one sharp edge of 40° or more.
#[derive(Default)]
struct Triangles {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Triangles {
    fn add(&mut self, shape: &Shape, pose: &Pose, around: u32) {
        let quarter = around.div_ceil(4) as i32;
        let first = self.vertices.len();
        match shape {
            Shape::Sphere(s) => {
                self.revolve(&arc(quarter, -quarter..=quarter, s.radius(), 0.0), around)
            }
            Shape::Ellipsoid(e) => {
                self.revolve(&arc(quarter, -quarter..=quarter, 1.0, 0.0), around);
                self.vertices[first..].iter_mut().for_each(|x| *x *= e.radii());
            }
            Shape::Capsule(c) => {
                let (r, l) = (c.radius(), c.half_length());
                let lower = arc(quarter, -quarter..=0, r, -l);
                let upper = arc(quarter, 0..=quarter, r, l);
                self.revolve(&[lower, upper].concat(), around);
            }
            Shape::Cylinder(c) => {
                let (r, l) = (c.radius(), c.half_length());
                self.revolve(&[[0.0, -l], [r, -l], [r, l], [0.0, l]], around);
            }
            Shape::Box(b) => self.cuboid(b.half()),
            Shape::Hull(hull) => self.hull(hull),
            Shape::Compound(c) => {
                for (part, shape) in c.parts() {
                    self.add(shape, &pose.of(part), around);
                }
                return;
            }
            Shape::TriangleMesh(mesh) => {
                self.vertices.extend(mesh.vertices());
                let of = mesh.triangles().iter();
                self.triangles.extend(of.map(|t| t.map(|v| v + first as u32)));
            }
            Shape::HeightField(field) => self.heights(field),
            Shape::HalfSpace(_) => {}
        }
        self.vertices[first..].iter_mut().for_each(|x| *x = pose.apply(*x));
    }

    /// Turns a line of radius and height, from the bottom upwards, about y. Where the radius is 0, there
    /// is one vertex.
    fn revolve(&mut self, profile: &[[f32; 2]], around: u32) {
        let mut rings = Vec::with_capacity(profile.len());
        for &[radius, height] in profile {
            let (first, count) =
                (self.vertices.len() as u32, if radius > 0.0 { around } else { 1 });
            self.vertices.extend((0..count).map(|k| {
                let angle = TAU * k as f32 / around as f32;
                Vec3::new(radius * ops::sin(angle), height, radius * ops::cos(angle))
            }));
            rings.push((first, count));
        }
        for pair in rings.windows(2) {
            let at = |(first, count): (u32, u32), k: u32| first + k % count;
            for k in 0..around {
                let [a, b] = [at(pair[0], k), at(pair[0], k + 1)];
                let [d, c] = [at(pair[1], k), at(pair[1], k + 1)];
                let halves = [[a, b, c], [a, c, d]];
                self.triangles.extend(halves.iter().filter(|[a, b, c]| a != b && b != c));
            }
        }
    }

    fn cuboid(&mut self, half: Vec3) {
        let first = self.vertices.len() as u32;
        let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
        self.vertices
            .extend((0..8).map(|k| half * Vec3::new(sign(k & 1), sign(k & 2), sign(k & 4))));
        let sides =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        for side in sides {
            let [a, b, c, d] = side.map(|k| first + k);
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// Faces have vertices of their own: a polyhedron is drawn as one, however blunt its edges.
    fn hull(&mut self, hull: &Hull) {
        for polygon in hull.polygons() {
            let first = self.vertices.len() as u32;
            self.vertices.extend(polygon.iter().map(|&v| hull.vertices()[usize::from(v)]));
            let last = first + polygon.len() as u32 - 1;
            self.triangles.extend((first + 1..last).map(|k| [first, k, k + 1]));
        }
    }

    fn heights(&mut self, field: &HeightField) {
        let (first, columns) = (self.vertices.len() as u32, field.columns());
        let [dx, dz] = field.spacing();
        self.vertices.extend(field.heights().iter().enumerate().map(|(k, &height)| {
            Vec3::new((k % columns) as f32 * dx, height, (k / columns) as f32 * dz)
        }));
        let columns = columns as u32;
        for row in 0..field.rows() as u32 - 1 {
            for column in 0..columns - 1 {
                let a = first + row * columns + column;
                let (b, c, d) = (a + columns, a + columns + 1, a + 1);
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }

    /// Vertices at sharp edges are parted; normals are means of the triangles around, by area.
    fn with_normals(&self) -> ShapeSurface {
        let outside = self.triangles.iter().map(|&corners| Face { corners, owner: 0 }).collect();
        let vertices = self.vertices.iter().map(|x| x.to_array()).collect();
        let shared = smooth::triangles(&SkinMesh { vertices, outside, ..SkinMesh::default() });
        let mut place = vec![u32::MAX; 3 * shared.len()];
        let mut surface = ShapeSurface::default();
        for triangle in &shared {
            let [a, b, c] = triangle.vertices.map(|v| self.vertices[v as usize]);
            let area = (b - a).cross(c - a);
            let corners = [0, 1, 2].map(|k| {
                let place = &mut place[triangle.group[k] as usize];
                if *place == u32::MAX {
                    *place = surface.vertices.len() as u32;
                    surface.vertices.push([a, b, c][k].to_array());
                    surface.normals.push([0.0; 3]);
                }
                let normal = &mut surface.normals[*place as usize];
                *normal = (Vec3::from(*normal) + area).to_array();
                *place
            });
            surface.triangles.push(corners);
        }
        for normal in &mut surface.normals {
            *normal = Vec3::from(*normal).normalize_or(Vec3::Y).to_array();
        }
        surface
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]
    use super::*;
    use crate::contact::shape::TriangleMesh;
    use crate::math::Rot;
    use glam::DVec3;
    use std::collections::BTreeMap;

    fn turned() -> Pose {
        let rotation = Rot::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7);
        Pose { rotation, position: Vec3::new(3.0, -0.2, 0.4) }
    }

    fn solids() -> Vec<(Shape, f64)> {
        let corners =
            [[0.0; 3], [1.0, 0.0, 0.0], [0.2, 0.9, 0.1], [0.1, 0.2, 1.1], [0.9, 0.8, 0.9]];
        let hull = Shape::hull(&corners.map(Vec3::from)).unwrap();
        let block = Shape::block(Vec3::new(0.1, 0.2, 0.7)).unwrap();
        let compound = vec![(turned(), hull.clone()), (Pose::IDENTITY, block.clone())];
        vec![
            (Shape::sphere(0.3).unwrap(), 17.0),
            (Shape::ellipsoid(Vec3::new(0.1, 0.5, 0.3)).unwrap(), 17.0),
            // a quarter of it is the sphere of its ends
            (Shape::capsule(0.4, 0.2).unwrap(), 0.75 * 6.6 + 0.25 * 17.0),
            (Shape::cylinder(0.4, 0.2).unwrap(), 6.6),
            (block, 0.0),
            (hull, 0.0),
            (Shape::compound(compound).unwrap(), 0.0),
        ]
    }

    /// Volume inside, after a look that every edge is passed once in each direction.
    fn volume(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> f64 {
        let mut edges: BTreeMap<_, i32> = BTreeMap::new();
        let mut volume = 0.0;
        for t in triangles {
            let points = t.map(|v| vertices[v as usize]);
            let [a, b, c] = points.map(|x| DVec3::from(x.map(f64::from)));
            assert!((b - a).cross(c - a).length() > 0.0, "a triangle without area");
            volume += a.dot(b.cross(c)) / 6.0;
            let bits = points.map(|x| x.map(f32::to_bits));
            for k in 0..3 {
                let (from, to) = (bits[k], bits[(k + 1) % 3]);
                let sign = if from < to { 1 } else { -1 };
                *edges.entry((from.min(to), from.max(to))).or_default() += sign;
            }
        }
        assert!(edges.values().all(|&sum| sum == 0), "not closed");
        volume
    }

    #[test]
    fn surfaces_are_closed_and_hold_the_volume() {
        for (shape, short) in solids() {
            let truth = f64::from(shape.mass_properties(1.0).unwrap().mass);
            for around in [8, 12, 30, 48, 96] {
                let surface = ShapeSurface::new(&shape, around);
                let lost = 1.0 - volume(&surface.vertices, &surface.triangles) / truth;
                let most = short / f64::from(around * around) + 2e-6;
                let kind = shape.kind();
                assert!(
                    (-2e-6..most).contains(&lost),
                    "{kind}, {around} around: {lost}, not {most}"
                );
                // no finer than said: the bound is not idle
                assert!(lost >= 0.6 * short / f64::from(around * around) - 1e-5, "{kind}: {lost}");
            }
        }
    }

    /// Every normal points away from the solid, and where it is smooth along the true one.
    #[test]
    fn normals_point_outwards() {
        for (shape, _) in solids() {
            let surface = ShapeSurface::new(&shape, 64);
            for t in &surface.triangles {
                let [a, b, c] = t.map(|v| Vec3::from(surface.vertices[v as usize]));
                let flat = (b - a).cross(c - a).normalize();
                for &v in t {
                    let normal = Vec3::from(surface.normals[v as usize]);
                    assert!((normal.length() - 1.0).abs() < 1e-5);
                    assert!(normal.dot(flat) > 0.75, "{}: {normal} on {flat}", shape.kind());
                }
            }
        }
        let ball = ShapeSurface::new(&Shape::sphere(2.0).unwrap(), 64);
        for (x, n) in ball.vertices.iter().zip(&ball.normals) {
            assert!(Vec3::from(*x).dot(Vec3::from(*n)) > 2.0 * 0.998, "{x:?} {n:?}");
        }
        // flat sides of a block and a hull
        let cube = ShapeSurface::new(&Shape::block(Vec3::ONE).unwrap(), 8);
        assert!(cube.normals.iter().all(|n| n.iter().filter(|x| x.abs() == 1.0).count() == 1));
    }

    #[test]
    fn what_is_fixed_is_drawn_as_it_is() {
        let tent = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        let field = Shape::HeightField(HeightField::new(2, tent, [1.0, 0.5]).unwrap());
        let ground = ShapeSurface::new(&field, 48);
        assert_eq!(ground.triangles.len(), 4);
        assert!(ground.normals.iter().all(|n| n[1] > 0.0));
        assert!(ground.vertices.contains(&[1.0, 1.0, 0.5]));

        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]].map(Vec3::from);
        let mesh = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        let mesh = ShapeSurface::new(&Shape::TriangleMesh(mesh), 48);
        assert_eq!((mesh.triangles.len(), mesh.normals[0]), (1, [0.0, 1.0, 0.0]));
        let plane = Shape::half_space(Vec3::Y).unwrap();
        assert_eq!(ShapeSurface::new(&plane, 48), ShapeSurface::default());
    }

    /// Parts stand where they are in the body, each with its own particle.
    #[test]
    fn a_skin_of_rigid_parts_names_its_owners() {
        let Pose { rotation, position } = turned();
        let mut parts = Vec::new();
        for (shape, _) in solids() {
            let position = (position + Vec3::X * 8.0 * parts.len() as f32).to_array();
            parts.push(RigidPart { shape, position, rotation, material: 0 });
        }
        let skin = SkinMesh::of_rigid(&parts, 96);
        for (owner, part) in parts.iter().enumerate() {
            let own = skin.outside.iter().filter(|face| face.owner as usize == owner);
            let own: Vec<[u32; 3]> = own.map(|face| face.corners).collect();
            let mass = part.shape.mass_properties(1.0).unwrap();
            let ratio = volume(&skin.vertices, &own) / f64::from(mass.mass);
            assert!((ratio - 1.0).abs() < 2e-3, "{}: {ratio}", part.shape.kind());
            let centre = Vec3::from(part.position) + rotation * mass.centre;
            let near = |v: &u32| Vec3::from(skin.vertices[*v as usize]).distance(centre) < 3.5;
            assert!(own.iter().flatten().all(near), "{} is elsewhere", part.shape.kind());
        }
    }
}
