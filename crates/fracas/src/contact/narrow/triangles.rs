//! A convex solid and triangles: of a mesh, or of a height field.
//!
//! Contacts inside a triangle have its normal. At an edge or corner a normal is true if nothing of the
//! surface around rises above it; any other comes from looking at one triangle alone and would trip
//! a box that slides over a flat floor made of many. There the triangle answers with its own normal,
//! for what lies above itself.

use super::super::shape::{Aabb, HeightField, Pose, Rim, Shape, Triangle, TriangleMesh};
use super::super::surface::Facet;
use super::super::surface::ccd::Moving;
use super::Point;
use super::convex::{self, Nearest};
use super::core::{Core, rotation_f64};
use super::gjk;
use super::manifold::{Candidate, DEEPEST, Few, Manifold, OF_B, reduce_to_four, to_point};
use glam::{DMat3, DVec3};

/// What all triangles of a pair share.
struct Ground<'a> {
    body: &'a Core<'a>,
    rotation: DMat3,
    position: DVec3,
    origin: DVec3,
    reach: f64,
    /// 1 if the body is on the side the normals point to, else −1.
    side: f64,
    surface: Surface<'a>,
}

/// Whose triangles they are.
enum Surface<'a> {
    Mesh(&'a TriangleMesh),
    /// Solid below.
    Field(&'a HeightField),
}

/// The box around a shape in the frame of something else, grown by all that rounding may move.
pub(super) fn local_bounds(shape: &Shape, pose: &Pose, frame: &Pose, reach: f32) -> Aabb {
    let rotation = frame.rotation.inverse() * pose.rotation;
    let bounds = shape.aabb(&Pose { rotation, position: frame.undo(pose.position) });
    let far = bounds.min.abs().max(bounds.max.abs()).max_element();
    bounds.grown(reach + 1.0e-5 * far)
}

/// Points between a convex solid and a triangle mesh.
pub(super) fn convex_mesh(
    shape: &Shape,
    pose: &Pose,
    mesh: &TriangleMesh,
    mesh_pose: &Pose,
    reach: f32,
    out: &mut Vec<Point>,
) {
    let origin = pose.position.as_dvec3();
    let Some(body) = Core::new(shape, pose, origin) else { return };
    let bounds = local_bounds(shape, pose, mesh_pose, reach);
    let rotation = rotation_f64(mesh_pose.rotation);
    let position = mesh_pose.position.as_dvec3() - origin;
    let centre = rotation.transpose() * (body.centre() - position);
    let side = side_of(mesh, &bounds, centre);
    let (body, reach, surface) = (&body, f64::from(reach), Surface::Mesh(mesh));
    let ground = Ground { body, rotation, position, origin, reach, side, surface };
    let start = out.len();
    mesh.near(&bounds, |i| ground.collide(&mesh.triangle(i), i, out));
    ground.thin_out(out, start);
}

/// Points between a convex solid and a height field.
pub(super) fn convex_height_field(
    shape: &Shape,
    pose: &Pose,
    field: &HeightField,
    field_pose: &Pose,
    reach: f32,
    out: &mut Vec<Point>,
) {
    let origin = pose.position.as_dvec3();
    let Some(body) = Core::new(shape, pose, origin) else { return };
    let rotation = rotation_f64(field_pose.rotation);
    let position = field_pose.position.as_dvec3() - origin;
    let cells = field.under(&local_bounds(shape, pose, field_pose, reach));
    let (body, reach, surface) = (&body, f64::from(reach), Surface::Field(field));
    let ground = Ground { body, rotation, position, origin, reach, side: 1.0, surface };
    let start = out.len();
    for row in cells.rows[0]..cells.rows[1] {
        for column in cells.columns[0]..cells.columns[1] {
            for second in [false, true] {
                let number = field.number(column, row, second);
                ground.collide(&field.triangle(column, row, second), number, out);
            }
        }
    }
    ground.thin_out(out, start);
}

/// Calls `visit` with every triangle of a mesh or height field near a face of a surface, seen from the side that the face is
/// on, and its number. All of it moves by `way`.
pub fn each_facet(
    shape: &Shape,
    pose: &Pose,
    face: &Facet,
    way: DVec3,
    mut visit: impl FnMut(&Facet, u32),
) {
    let rotation = rotation_f64(pose.rotation);
    let position = pose.position.as_dvec3();
    let local = |p: DVec3| rotation.transpose() * (p - position);
    let ends = face.corners.iter().flat_map(|c| [c.start, c.at(1.0) - way]);
    let inner = face.corners.iter().map(|c| c.start).sum::<DVec3>() / 3.0
        - 0.25 * face.height * face.normal;
    let bounds = Aabb::around(ends.chain([inner]).map(|p| local(p).as_vec3()));
    let far = bounds.min.abs().max(bounds.max.abs()).max_element();
    let bounds = bounds.grown(face.margin as f32 + 1.0e-5 * far);
    let placed = |p: DVec3| Moving { start: rotation * p + position, way };
    let mut show = |triangle: &Triangle, number: u32, side: f64| {
        let across = triangle.rims.map(|rim| match rim {
            Rim::Open => None,
            Rim::Shared { opposite, .. } => Some(placed(opposite)),
        });
        let [a, b, c] = triangle.corners.map(placed);
        let ([a, b, c], across) = match side > 0.0 {
            true => ([a, b, c], across),
            false => ([a, c, b], [across[2], across[1], across[0]]),
        };
        visit(&Facet::new([a, b, c], across, 0b11_1111, face.margin, face.height), number);
    };
    match shape {
        Shape::TriangleMesh(mesh) => {
            let side = side_of(mesh, &bounds, local(inner));
            mesh.near(&bounds, |i| show(&mesh.triangle(i), i, side));
        }
        Shape::HeightField(field) => {
            let cells = field.under(&bounds);
            for row in cells.rows[0]..cells.rows[1] {
                for column in cells.columns[0]..cells.columns[1] {
                    for second in [false, true] {
                        let number = field.number(column, row, second);
                        show(&field.triangle(column, row, second), number, 1.0);
                    }
                }
            }
        }
        _ => {}
    }
}

/// 1 if `centre` is where the normals of the mesh point to, else −1: by the normal of the nearest
/// face, edge or vertex of the triangles in `bounds` (Bærentzen, Aanæs 2005).
fn side_of(mesh: &TriangleMesh, bounds: &Aabb, centre: DVec3) -> f64 {
    let mut best = (f64::INFINITY, 1.0);
    mesh.near(bounds, |i| {
        let triangle = mesh.triangle(i);
        let [a, b, c] = triangle.corners.map(|p| p - centre);
        let weights = gjk::triangle(a, b, c);
        let nearest = weights[0] * a + weights[1] * b + weights[2] * c;
        if nearest.length_squared() >= best.0 {
            return;
        }
        let normal = match weights.map(|w| w > 0.0) {
            [true, true, true] => triangle.normal,
            [true, false, false] => mesh.corner_normals(i)[0],
            [false, true, false] => mesh.corner_normals(i)[1],
            [false, false, true] => mesh.corner_normals(i)[2],
            [true, true, false] => triangle.normal + across(&triangle, 0),
            [false, true, true] => triangle.normal + across(&triangle, 1),
            _ => triangle.normal + across(&triangle, 2),
        };
        best = (nearest.length_squared(), if -nearest.dot(normal) < 0.0 { -1.0 } else { 1.0 });
    });
    best.1
}

/// The normal across an edge, or nothing to add.
fn across(triangle: &Triangle, edge: usize) -> DVec3 {
    match triangle.rims[edge] {
        Rim::Shared { normal, .. } => normal,
        Rim::Open => DVec3::ZERO,
    }
}

impl Ground<'_> {
    /// Appends the points of one triangle.
    fn collide(&self, triangle: &Triangle, number: u32, out: &mut Vec<Point>) {
        let (body, reach) = (self.body, self.reach);
        let core = Core::of_triangle(triangle, self.rotation, self.position);
        let face = self.rotation * triangle.normal * self.side;
        let corners = triangle.corners.map(|p| self.rotation * p + self.position);
        if matches!(self.surface, Surface::Field(_)) && self.is_over(triangle) {
            let point = self.deepest(&corners, face);
            if point.gap <= reach {
                out.push(to_point(&point, face, self.origin));
            }
            return;
        }
        if self.is_far(&corners) {
            return;
        }
        let (normal, few) = if self.is_sheltered(triangle) {
            // others answer for what is on the other side
            if (body.centre() - corners[0]).dot(face) < 0.0 {
                return;
            }
            (face, self.above(&core, &corners, face))
        } else {
            let Some(nearest) = convex::nearest(body, &core, reach) else { return };
            let along = nearest.normal.dot(face);
            if along < -1.0e-3 {
                return;
            }
            let verdict = match along > 1.0 - 1.0e-10 {
                true => Verdict::Normal,
                false => self.judge(triangle, number, &nearest),
            };
            match verdict {
                Verdict::Normal => (nearest.normal, convex::manifold(body, &core, &nearest, reach)),
                Verdict::Face => (face, self.above(&core, &corners, face)),
                Verdict::Others => return,
            }
        };
        let points = few.points().iter().map(|c| {
            let feature =
                if names_triangle(c.feature) { mix(c.feature, number) } else { c.feature };
            to_point(&Candidate { feature, ..*c }, normal, self.origin)
        });
        out.extend(points);
    }

    /// Whether the direction from the triangle to the centre of the body parts the two: cheap, and
    /// true of most triangles in the box around the body.
    fn is_far(&self, corners: &[DVec3; 3]) -> bool {
        let centre = self.body.centre();
        let [a, b, c] = corners.map(|p| p - centre);
        let [u, v, w] = gjk::triangle(a, b, c);
        let away = u * a + v * b + w * c;
        // the triangle lies beyond the plane through its nearest point
        let between = (away + centre - self.body.support(away)).dot(away);
        let length = away.length();
        between > (self.reach + self.body.radius) * length * (1.0 + 1.0e-9) && length > 0.0
    }

    /// Whether all neighbours continue the triangle or rise above it: then it is never touched at
    /// its edges but only from above, and nothing needs to be searched.
    fn is_sheltered(&self, triangle: &Triangle) -> bool {
        triangle.rims.iter().zip(&triangle.corners).all(|(rim, corner)| match rim {
            Rim::Open => false,
            Rim::Shared { opposite, .. } => {
                let there = *opposite - *corner;
                triangle.normal.dot(there) * self.side >= -LEVEL * there.length()
            }
        })
    }

    /// Whether a triangle of a height field lies straight above the centre of the body.
    fn is_over(&self, triangle: &Triangle) -> bool {
        let centre = self.rotation.transpose() * (self.body.centre() - self.position);
        let [a, b, c] = triangle.corners;
        if triangle.normal.dot(centre - a) >= 0.0 {
            return false;
        }
        let left = |p: DVec3, q: DVec3| {
            (q.z - p.z) * (centre.x - p.x) - (q.x - p.x) * (centre.z - p.z) >= 0.0
        };
        left(a, b) && left(b, c) && left(c, a)
    }

    /// The lowest point of the body along `face`, and the plane of the triangle.
    fn deepest(&self, corners: &[DVec3; 3], face: DVec3) -> Candidate {
        let on_a = self.body.support(-face) - self.body.radius * face;
        let gap = (on_a - corners[0]).dot(face);
        Candidate { on_a, on_b: on_a - gap * face, gap, feature: DEEPEST }
    }

    /// A normal is one of the surface, and not just of this triangle, if nothing around rises above
    /// the plane across it.
    fn judge(&self, triangle: &Triangle, number: u32, nearest: &Nearest) -> Verdict {
        let n = self.rotation.transpose() * nearest.normal;
        let at = self.rotation.transpose() * (nearest.on_b - self.position);
        let [a, b, c] = triangle.corners.map(|p| p - at);
        let weights = gjk::triangle(a, b, c);
        // the nearest point of a round body is known to a few digits only
        let heavy = weights.map(|w| w > 1.0e-2);
        // the point is on the edges whose opposite corner has no weight
        let edges = || (0..3).filter(|&e| !heavy[(e + 2) % 3]);
        // so is its normal; beside a flat edge, where it would tell, only the exact rule counts
        let slack = self.body.is_round() && n.dot(triangle.normal).abs() < 0.999;
        let level = if slack { 50.0 * LEVEL } else { LEVEL };
        let below = |p: DVec3| n.dot(p - at) <= level * p.distance(at);
        let corner = (0..3).find(|&k| !heavy[(k + 1) % 3] && !heavy[(k + 2) % 3]);
        let is_normal = match (corner, &self.surface) {
            (Some(k), Surface::Mesh(mesh)) => mesh.around(number, k, below),
            (Some(k), Surface::Field(field)) => field.around(triangle.corners[k], below),
            (None, _) => {
                edges().next().is_some()
                    && edges().all(|e| match triangle.rims[e] {
                        Rim::Shared { opposite, .. } => below(opposite),
                        Rim::Open => true,
                    })
            }
        };
        if is_normal {
            return Verdict::Normal;
        }
        // Leaning over a convex edge by more than the neighbour does: that one has the answer. Over
        // a flat or concave one this triangle has it.
        let [mut convex, mut other] = [false; 2];
        for e in edges() {
            let Rim::Shared { normal, .. } = triangle.rims[e] else { continue };
            let along = triangle.corners[(e + 1) % 3] - triangle.corners[e];
            let outward = along.cross(triangle.normal).normalize();
            if n.dot(outward) > LEVEL {
                let bend = normal.dot(outward) * self.side;
                convex |= bend > LEVEL;
                other |= bend <= LEVEL;
            }
        }
        let face = self.rotation * triangle.normal * self.side;
        let corners = triangle.corners.map(|p| self.rotation * p + self.position);
        let far = || self.deepest(&corners, face).gap < nearest.gap - 0.2 * self.body.size;
        if convex && (!other || far()) { Verdict::Others } else { Verdict::Face }
    }

    /// What lies over the triangle, along its normal.
    fn above(&self, core: &Core, corners: &[DVec3; 3], face: DVec3) -> Few {
        let (body, reach) = (self.body, self.reach);
        let mut manifold = Manifold::new();
        manifold.fill(body, core, face, reach);
        let deepest = self.deepest(corners, face);
        let gap = deepest.gap;
        let [a, b, c] = corners.map(|p| p - deepest.on_b);
        let [u, v, w] = gjk::triangle(a, b, c);
        let off = (u * a + v * b + w * c).length();
        let known = manifold.points().iter().any(|c| c.gap <= gap + 1.0e-5 * body.size);
        if !known && gap <= reach && off <= 5.0e-3 * body.size {
            manifold.push(deepest);
        }
        manifold.reduce(face, body.size)
    }

    /// Keeps four points of each direction: a floor of many triangles holds a box like one plane.
    fn thin_out(&self, out: &mut Vec<Point>, start: usize) {
        let mut done = start;
        let mut from = start;
        while from < out.len() {
            let normal = out[from].normal;
            let mut to = from;
            for i in from..out.len() {
                if out[i].normal.dot(normal) > SAME_DIRECTION {
                    out.swap(i, to);
                    to += 1;
                }
            }
            let mut chosen = [out[from]; 4];
            let read = |p: &Point| (p.on_a.as_dvec3(), f64::from(p.gap));
            let n = normal.as_dvec3();
            let apart = 1.0e-3 * self.body.size;
            let count = reduce_to_four(&out[from..to], n, apart, read, &mut chosen);
            for point in &chosen[..count] {
                let mut point = *point;
                while out[start..done].iter().any(|p| p.feature == point.feature) {
                    point.feature = mix(point.feature, done as u32);
                }
                out[done] = point;
                done += 1;
            }
            from = to;
        }
        out.truncate(done);
    }
}

/// Cosine of the angle between normals of points that count as one direction: 2.5°.
const SAME_DIRECTION: f32 = 0.999;

/// What a normal to one triangle is worth.
enum Verdict {
    /// It is a normal of the surface.
    Normal,
    /// The triangle answers with its own normal.
    Face,
    /// Neighbours have the answer.
    Others,
}

/// Sine of the angle by which the surface may rise above a contact normal.
const LEVEL: f64 = 1.0e-4;

/// Whether an edge of the triangle takes part in the name.
fn names_triangle(feature: u32) -> bool {
    feature != DEEPEST && (feature as u16 & OF_B) != 0
}

/// Another name from a name and a number.
pub(super) fn mix(feature: u32, number: u32) -> u32 {
    (feature ^ number.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b1).rotate_left(13)
}
