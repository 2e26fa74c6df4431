//! Where two bodies are joined of which one or both are made of tetrahedra: joints stand on their faces.
//!
//! A vertex of tetrahedra has no orientation, and no arm turns with it. A joint on a face goes with its three corners, which carry what
//! it pulls in shares: where meshes do not fit, where they turn, and at any distance.

use super::glue::{axis, centre, on_line};
use super::{AttachDesc, AttachKind, Condition, End, Joint, Quiet};
use crate::contact::broad::{Broad, Item};
use crate::contact::narrow::{collide, nearest_on_triangle, weights_in_triangle};
use crate::contact::shape::{Pose, Shape};
use crate::math::Rot;
use crate::parallel::Workers;
use crate::solids::Boundary;
use crate::world::finding::Form;
use crate::world::{Body, CommandError};
use glam::{DVec3, Vec3};

/// Gauss points of a triangle: what each takes of the edges from its first corner.
const POINTS: [[f64; 2]; 3] =
    [[1.0 / 6.0, 1.0 / 6.0], [2.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 2.0 / 3.0]];
/// By how much of an edge a point may be beyond a face that it is over, so that rounding leaves no gaps between faces.
const BEYOND: f64 = 1e-4;

/// Where a point was found on a body.
struct Found {
    end: End,
    /// How far it is from the body, in m; below 0 inside a particle.
    gap: f64,
    /// Out of the body.
    out: DVec3,
}

/// What joints can stand on, of one body.
struct Side<'a> {
    body: &'a Body,
    /// Places of the corners of its faces, and where they are in the world; none of a body of particles.
    faces: Vec<([u32; 3], [DVec3; 3])>,
}

/// Whether joints of a body stand on faces.
pub(super) fn has_faces(body: &Body) -> bool {
    matches!(body.model.solid().boundary(), Boundary::Tets { .. })
}

/// The joints of a description, and the pairs of particles that do not fight while they hold.
///
/// Glue holds at the three Gauss points of every face that has something of the other body across from it, of the body with the smaller
/// faces; a hinge at points on its line, about as far apart as vertices.
pub(super) fn joints(
    desc: &AttachDesc,
    bodies: [&Body; 2],
    workers: &Workers,
) -> Result<(Vec<Joint>, Vec<Quiet>), CommandError> {
    let sides = bodies.map(Side::new);
    let areas = sides.each_ref().map(Side::mean_area);
    let finer = usize::from(areas[1] < areas[0]);
    let mut joints = Vec::new();
    let mut add = |at: DVec3, [first, second]: [Found; 2], area: f64, share: f32| {
        let gap = first.gap.abs().max(second.gap.abs());
        if gap > f64::from(desc.region.distance()) || !desc.region.contains(at) {
            return;
        }
        let back = turned(bodies[0], first.end.places[0] as usize).inverse();
        let joint = Joint {
            ends: [first.end, second.end],
            normal: back * second.out.as_vec3(),
            place: Vec3::ZERO,
            area: area as f32,
            share,
            condition: Condition::Inside,
            force: Vec3::ZERO,
        };
        joints.push((at, joint));
    };
    match desc.kind {
        AttachKind::Glue => {
            let (from, onto) = (&sides[finer], &sides[1 - finer]);
            for (face, across) in from.across(onto, desc.region.distance(), workers) {
                let (places, corners) = from.faces[face];
                let [a, b, c] = corners;
                let normal = (b - a).cross(c - a);
                let area = 0.5 * normal.length() / POINTS.len() as f64;
                for [u, v] in POINTS {
                    let at = a + u * (b - a) + v * (c - a);
                    let Some(other) = onto.nearest_across(&across, at, normal) else { continue };
                    let own = from.on_face(places, [u, v, 0.0], normal.normalize_or_zero());
                    let ends = if finer == 0 { [own, other] } else { [other, own] };
                    add(at, ends, area, 1.0 / POINTS.len() as f32);
                }
            }
        }
        AttachKind::Hinge { .. } => {
            let width = areas[finer].sqrt();
            for (at, length) in points_on_line(desc, &sides, width) {
                let [Some(a), Some(b)] = [0, 1].map(|k| sides[k].nearest_of_all(at)) else {
                    continue;
                };
                add(at, [a, b], length * length, 1.0);
            }
        }
    }
    let Some(&(first, _)) = joints.first() else {
        return Err(nothing_joined(desc, &sides[finer], &sides[1 - finer]));
    };
    let joints: Vec<Joint> = joints
        .into_iter()
        .map(|(at, joint)| Joint { place: (at - first).as_vec3(), ..joint })
        .collect();
    let quiet = joints
        .iter()
        .zip(0..)
        .flat_map(|(joint, index)| joint.quiet().map(move |pair| Quiet { pair, joint: index }));
    let quiet = quiet.collect();
    Ok((joints, quiet))
}

/// How a particle is turned now; one without orientation is not.
fn turned(body: &Body, j: usize) -> Rot {
    body.particles.orientation.get(j).copied().unwrap_or(Rot::IDENTITY)
}

/// Middles of equal parts of the hinge's line, about this long, where both bodies reach along it, and how long the parts are.
fn points_on_line(
    desc: &AttachDesc,
    sides: &[Side<'_>; 2],
    width: f64,
) -> impl Iterator<Item = (DVec3, f64)> {
    let (origin, along) = (on_line(desc, DVec3::ZERO), axis(desc).as_dvec3());
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for side in sides {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for j in 0..side.body.particle_count() {
            let at = (centre(side.body, j) - origin).dot(along);
            let reach = if side.faces.is_empty() { side.reach(j) } else { 0.0 };
            (from, to) = (from.min(at - reach), to.max(at + reach));
        }
        (low, high) = (low.max(from), high.min(to));
    }
    // two at least, or it would be a ball joint
    let length = (high - low).max(0.0);
    let count = if length > 0.0 { (length / width).ceil().max(2.0) } else { 0.0 };
    let part = length / count.max(1.0);
    (0..count as u32).map(move |k| (origin + (low + (f64::from(k) + 0.5) * part) * along, part))
}

/// Tells where two bodies are nearest, corner by corner. Slow, for a message.
fn nothing_joined(desc: &AttachDesc, from: &Side<'_>, onto: &Side<'_>) -> CommandError {
    let mut nearest = (f64::INFINITY, DVec3::ZERO);
    for corner in from.faces.iter().flat_map(|(_, corners)| corners) {
        let gap = onto.nearest_of_all(*corner).map_or(f64::INFINITY, |found| found.gap.abs());
        if gap < nearest.0 {
            nearest = (gap, *corner);
        }
    }
    CommandError::EmptyAttachment {
        first: desc.bodies[0],
        second: desc.bodies[1],
        distance: desc.region.distance(),
        apart: nearest.0 as f32,
        position: nearest.1.to_array(),
    }
}

impl<'a> Side<'a> {
    fn new(body: &'a Body) -> Self {
        let faces = match body.model.solid().boundary() {
            Boundary::Tets { faces, .. } => faces,
            _ => &[],
        };
        let world = |places: [u32; 3]| places.map(|j| centre(body, j as usize));
        Self { body, faces: faces.iter().map(|f| (f.corners, world(f.corners))).collect() }
    }

    /// Of its faces; no end of particles.
    fn mean_area(&self) -> f64 {
        let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
        let sum: f64 = self.faces.iter().map(|&(_, corners)| area(corners)).sum();
        if self.faces.is_empty() { f64::INFINITY } else { sum / self.faces.len() as f64 }
    }

    /// How far particle `j` reaches at most, in m.
    fn reach(&self, j: usize) -> f64 {
        let box_of = self.shape(j, |shape, pose| shape.aabb(&pose));
        let far = |x: Vec3| x.abs().max_element();
        f64::from(far(box_of.min).max(far(box_of.max)))
    }

    /// Calls `with` with the shape of particle `j` and its pose about the centre of that.
    fn shape<T>(&self, j: usize, with: impl FnOnce(&Shape, Pose) -> T) -> T {
        let mut pose = self.body.pose(j, turned(self.body, j));
        pose.position -= self.body.particles.position[j];
        match &self.body.form(j) {
            Form::Own(shaped) => with(&shaped.shape, pose),
            Form::Round(shape) => with(shape, pose),
        }
    }

    /// Of each face, in order, the faces or particles of another body whose boxes its own meets, with a margin.
    fn across(&self, other: &Self, margin: f32, workers: &Workers) -> Vec<(usize, Vec<usize>)> {
        let around = |[a, b, c]: [DVec3; 3], group: u32| {
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            // boxes in a plane are as thick as what may be beyond them by rounding
            let slack = margin + (BEYOND * (high - low).max_element()) as f32;
            let half = (0.5 * (high - low)).as_vec3() + Vec3::splat(slack);
            Item { centre: 0.5 * (low + high), half, group }
        };
        let mut items: Vec<Item> =
            self.faces.iter().map(|&(_, corners)| around(corners, 0)).collect();
        if other.faces.is_empty() {
            items.extend((0..other.body.particle_count()).map(|j| {
                let half = Vec3::splat(other.reach(j) as f32 + margin);
                Item { centre: centre(other.body, j), half, group: 1 }
            }));
        } else {
            items.extend(other.faces.iter().map(|&(_, corners)| around(corners, 1)));
        }
        let (mut broad, mut pairs) = (Broad::default(), Vec::new());
        broad.update(workers, &items);
        broad.find_pairs(workers, &|_, _| true, &mut pairs);
        let count = self.faces.len();
        let mut lists = vec![Vec::new(); count];
        for (i, j) in pairs {
            lists[i as usize].push(j as usize - count);
        }
        let met = |(_, list): &(usize, Vec<usize>)| !list.is_empty();
        lists.iter_mut().for_each(|list: &mut Vec<usize>| list.sort_unstable());
        lists.into_iter().enumerate().filter(met).collect()
    }

    /// The nearest of these faces or particles that lies across from a point on a surface with this normal.
    fn nearest_across(&self, among: &[usize], at: DVec3, normal: DVec3) -> Option<Found> {
        let found = among.iter().filter_map(|&k| {
            if self.faces.is_empty() {
                return self.on_particle(k, at);
            }
            let (places, corners) = self.faces[k];
            let (weights, height, out) = over(corners, at);
            let within = weights.into_iter().all(|weight| weight >= -BEYOND);
            within.then(|| self.on_face(places, [weights[1], weights[2], height], out))
        });
        let across = found.filter(|found| found.out.dot(normal) < 0.0);
        across.min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs()))
    }

    /// The nearest face or particle of all.
    fn nearest_of_all(&self, at: DVec3) -> Option<Found> {
        if self.faces.is_empty() {
            let found = (0..self.body.particle_count()).filter_map(|j| self.on_particle(j, at));
            return found.min_by(|a, b| a.gap.total_cmp(&b.gap));
        }
        let away = |corners: [DVec3; 3]| {
            let [a, b, c] = corners.map(|x| x - at);
            let [p, q, r] = nearest_on_triangle(a, b, c);
            (p * a + q * b + r * c).length()
        };
        let distances =
            self.faces.iter().map(|&(places, corners)| (away(corners), places, corners));
        let (gap, places, corners) = distances.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let (weights, height, out) = over(corners, at);
        let found = self.on_face(places, [weights[1], weights[2], height], out);
        Some(Found { gap, ..found })
    }

    /// A point beside or above a face.
    fn on_face(&self, places: [u32; 3], [u, v, height]: [f64; 3], out: DVec3) -> Found {
        let ids = places.map(|j| self.body.particles.id[j as usize]);
        let arm = DVec3::new(u, v, height).as_vec3();
        Found { end: End { ids, places, arm }, gap: height, out }
    }

    /// A point and a particle, if that has a shape to measure from.
    fn on_particle(&self, j: usize, at: DVec3) -> Option<Found> {
        let arm = (at - centre(self.body, j)).as_vec3();
        let mut points = Vec::new();
        self.shape(j, |shape, pose| {
            // a ball so small that it is a point
            let radius = 1e-3 * shape.bounding_radius().min(1.0);
            let point = Shape::sphere(radius).ok()?;
            let rotation = Rot::IDENTITY;
            let reach = arm.length() + shape.bounding_radius();
            let of_point = Pose { rotation, position: arm };
            collide(&point, &of_point, shape, &pose, reach, &mut points).ok()?;
            Some(radius)
        })
        .and_then(|radius| {
            let found = points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))?;
            let gap = f64::from(found.gap + radius);
            let arm = turned(self.body, j).inverse() * arm;
            let end = End::of_particle(self.body.particles.id[j], j as u32, arm);
            Some(Found { end, gap, out: found.normal.as_dvec3() })
        })
    }
}

/// Weights of the corners of a triangle at the foot of a point in its plane, the height of the point above it, and which way that is.
pub(super) fn over(corners: [DVec3; 3], at: DVec3) -> ([f64; 3], f64, DVec3) {
    let [a, b, c] = corners;
    let out = (b - a).cross(c - a).normalize_or_zero();
    (weights_in_triangle(corners, at), out.dot(at - a), out)
}
