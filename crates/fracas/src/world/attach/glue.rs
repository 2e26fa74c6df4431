//! Where two bodies are joined: from pairs of particles near each other to joints.

use super::{AttachDesc, AttachKind, Condition, End, Joint, Quiet};
use crate::contact::broad::{Broad, Item};
use crate::contact::narrow::{Point, ellipsoid_ellipsoid};
use crate::contact::pairs::{half_margin, pose, reach};
use crate::math::Rot;
use crate::parallel::Workers;
use crate::solids::Particles;
use crate::world::{Body, CommandError, ParticleId};
use glam::{DVec3, Vec3};

/// Two particles, one of each body, that are near each other.
#[derive(Clone, Copy, Debug)]
struct Near {
    particles: [usize; 2],
    /// Halfway between their surfaces, in the world.
    middle: DVec3,
    /// From the second to the first, unit length.
    normal: Vec3,
    gap: f32,
}

/// Pairs as near as the nearest of a particle, up to this part of its smallest radius, are joined
/// alike: lattices that are shifted by half a cell have two or four of them.
const SAME: f32 = 0.1;

/// The joints of a description, and the pairs of particles that do not fight while they hold.
///
/// Every particle in the region is joined to the one nearest to it, over the face that both share:
/// the smaller of the two cross-sections, each divided among its pairs. A face is held at its four
/// Gauss points, so that forces and moments are those of a face that is held all over, also where
/// there is only one; a hinge at two points on its line.
pub(super) fn joints(
    desc: &AttachDesc,
    bodies: [&Body; 2],
    workers: &Workers,
) -> Result<(Vec<Joint>, Vec<Quiet>), CommandError> {
    let near = near_pairs(desc, bodies, workers);
    let glued = nearest_of_each(desc, bodies, &near);
    let counts = counts(&glued, bodies);
    let mut joints = Vec::new();
    for pair in &glued {
        let face = |side: usize| {
            let j = pair.particles[side];
            cross_section(&bodies[side].particles, j, pair.normal) / counts[side][j] as f32
        };
        let area = face(0).min(face(1));
        // without size there is nothing to hold on to
        if area > 0.0 {
            add_joints(&mut joints, desc, bodies, pair, area);
        }
    }
    let Some(&(first, _)) = joints.first() else {
        return Err(nothing_joined(desc, bodies));
    };
    let seen_from_first = |x: DVec3| (x - first).as_vec3();
    let joints: Vec<Joint> = joints
        .into_iter()
        .map(|(at, joint)| Joint { place: seen_from_first(at), ..joint })
        .collect();
    let quiet = near.iter().map(|pair| {
        let id = |side: usize| bodies[side].particles.id[pair.particles[side]];
        Quiet { pair: [id(0), id(1)], joint: nearest_joint(&joints, seen_from_first(pair.middle)) }
    });
    let quiet = quiet.collect();
    Ok((joints, quiet))
}

/// Pairs of the region within its distance or the margin of contact.
fn near_pairs(desc: &AttachDesc, bodies: [&Body; 2], workers: &Workers) -> Vec<Near> {
    let distance = desc.region.distance();
    let mut items = Vec::new();
    for (body, group) in bodies.into_iter().zip(0..) {
        for j in 0..body.particle_count() {
            let margin = half_margin(&body.particles, j).max(0.5 * distance);
            let half = reach(&body.particles, j) + Vec3::splat(margin);
            items.push(Item { centre: centre(body, j), half, group });
        }
    }
    let (mut broad, mut pairs) = (Broad::default(), Vec::new());
    broad.update(workers, &items);
    broad.find_pairs(workers, &|_, _| true, &mut pairs);
    let count = bodies[0].particle_count();
    let mut near = Vec::new();
    for (i, j) in pairs {
        let particles = [i as usize, j as usize - count];
        let margins = [0, 1].map(|side| half_margin(&bodies[side].particles, particles[side]));
        let most = distance.max(margins[0] + margins[1]);
        let Some(pair) = pair_of(bodies, particles, most) else { continue };
        if desc.region.contains(pair.middle) && passes(desc, bodies, &pair) {
            near.push(pair);
        }
    }
    near
}

/// Where a particle is, in the world.
pub(super) fn centre(body: &Body, j: usize) -> DVec3 {
    let piece = body.pieces.partition_point(|piece| piece.span.end <= j);
    body.pieces[piece].origin + body.particles.position[j].as_dvec3()
}

/// Two particles, if they are no farther apart than this.
fn pair_of(bodies: [&Body; 2], particles: [usize; 2], most: f32) -> Option<Near> {
    let [i, j] = particles;
    let [a, b] = bodies.map(|body| &body.particles);
    // seen from the centre of the first
    let origin = centre(bodies[0], i);
    let at = (centre(bodies[1], j) - origin).as_vec3();
    let pose_a = pose(a, i, -a.position[i]);
    let pose_b = pose(b, j, at - b.position[j]);
    let [ra, rb] = [Vec3::from(a.radii[i]), Vec3::from(b.radii[j])];
    let Point { on_a, on_b, normal, gap, .. } =
        ellipsoid_ellipsoid(ra, &pose_a, rb, &pose_b, most)?;
    let middle = origin + (0.5 * (on_a + on_b)).as_dvec3();
    (gap <= most).then_some(Near { particles, middle, normal, gap })
}

/// Whether the line of a hinge passes both particles within the distance. Of glue, always.
fn passes(desc: &AttachDesc, bodies: [&Body; 2], pair: &Near) -> bool {
    let AttachKind::Hinge { .. } = desc.kind else { return true };
    (0..2).all(|side| {
        let j = pair.particles[side];
        let x = centre(bodies[side], j);
        let across = (on_line(desc, x) - x).as_vec3();
        let own = half_width(&bodies[side].particles, j, across.normalize_or(Vec3::X));
        across.length() <= own + desc.region.distance()
    })
}

/// The point of the hinge's line nearest to a point; of glue, the point itself.
pub(super) fn on_line(desc: &AttachDesc, x: DVec3) -> DVec3 {
    let AttachKind::Hinge { point, .. } = desc.kind else { return x };
    let (point, axis) = (DVec3::from(point), axis(desc).as_dvec3());
    point + axis * (x - point).dot(axis)
}

/// Direction of the hinge, unit length; of glue, none.
pub(super) fn axis(desc: &AttachDesc) -> Vec3 {
    let AttachKind::Hinge { axis, .. } = desc.kind else { return Vec3::ZERO };
    Vec3::from(axis).as_dvec3().normalize().as_vec3()
}

/// Of the pairs within the distance, those that are the nearest of one of their particles.
fn nearest_of_each(desc: &AttachDesc, bodies: [&Body; 2], near: &[Near]) -> Vec<Near> {
    let mut least = bodies.map(|body| vec![f32::INFINITY; body.particle_count()]);
    let within = |pair: &&Near| pair.gap <= desc.region.distance();
    for pair in near.iter().filter(within) {
        for side in 0..2 {
            let least = &mut least[side][pair.particles[side]];
            *least = least.min(pair.gap);
        }
    }
    let is_nearest = |pair: &&Near| {
        (0..2).any(|side| {
            let j = pair.particles[side];
            let radii = bodies[side].particles.radii[j];
            let slack = SAME * radii.into_iter().fold(f32::INFINITY, f32::min);
            pair.gap <= least[side][j] + slack
        })
    };
    near.iter().filter(within).filter(is_nearest).copied().collect()
}

/// How many pairs every particle is in.
fn counts(pairs: &[Near], bodies: [&Body; 2]) -> [Vec<u32>; 2] {
    let mut counts = bodies.map(|body| vec![0; body.particle_count()]);
    for pair in pairs {
        (0..2).for_each(|side| counts[side][pair.particles[side]] += 1);
    }
    counts
}

/// How far an ellipsoid reaches along a unit vector, in m.
fn half_width(particles: &Particles, j: usize, n: Vec3) -> f32 {
    let n = pose(particles, j, Vec3::ZERO).rotation.inverse() * n;
    (Vec3::from(particles.radii[j]) * n).length()
}

/// Cross-section of the cell around an ellipsoid, in m²: volume over width of the box with its
/// half axes, 8abc / 2h; for the cells of a lattice, their face.
fn cross_section(particles: &Particles, j: usize, n: Vec3) -> f32 {
    let [a, b, c] = particles.radii[j];
    let h = half_width(particles, j, n);
    if h > 0.0 { 4.0 * a * b * c / h } else { 0.0 }
}

/// Joints at the Gauss points of a pair's face, with their places in the world.
fn add_joints(
    joints: &mut Vec<(DVec3, Joint)>,
    desc: &AttachDesc,
    bodies: [&Body; 2],
    pair: &Near,
    area: f32,
) {
    let half = 0.5 * area.sqrt() / 3f32.sqrt();
    let (u, v) = pair.normal.any_orthonormal_pair();
    let corners = [half * (u + v), half * (u - v), half * (v - u), -half * (u + v)];
    let along = half * axis(desc);
    let offsets = match desc.kind {
        AttachKind::Glue => &corners[..],
        AttachKind::Hinge { .. } => &[along, -along][..],
    };
    let share = 1.0 / offsets.len() as f32;
    for offset in offsets {
        let at = on_line(desc, pair.middle) + offset.as_dvec3();
        let turned = |side: usize| {
            let orientations = &bodies[side].particles.orientation;
            orientations.get(pair.particles[side]).copied().unwrap_or(Rot::IDENTITY)
        };
        let end = |side: usize| {
            let j = pair.particles[side];
            let arm = (at - centre(bodies[side], j)).as_vec3();
            let id = bodies[side].particles.id[j];
            End::of_particle(id, j as u32, turned(side).inverse() * arm)
        };
        let joint = Joint {
            ends: [end(0), end(1)],
            normal: turned(0).inverse() * pair.normal,
            place: Vec3::ZERO,
            area: share * area,
            share,
            condition: Condition::Inside,
            force: Vec3::ZERO,
        };
        joints.push((at, joint));
    }
}

fn nearest_joint(joints: &[Joint], place: Vec3) -> u32 {
    let mut best = (f32::INFINITY, 0);
    for (joint, index) in joints.iter().zip(0..) {
        let distance = joint.place.distance_squared(place);
        if distance < best.0 {
            best = (distance, index);
        }
    }
    best.1
}

/// Tells where two bodies are nearest. Slow, for a message.
fn nothing_joined(desc: &AttachDesc, bodies: [&Body; 2]) -> CommandError {
    let largest = |side: usize, j: usize| {
        f64::from(bodies[side].particles.radii[j].into_iter().fold(0.0, f32::max))
    };
    let mut nearest = (f32::INFINITY, DVec3::ZERO);
    for i in 0..bodies[0].particle_count() {
        let (x, own) = (centre(bodies[0], i), largest(0, i));
        for j in 0..bodies[1].particle_count() {
            let bound = x.distance(centre(bodies[1], j)) - own - largest(1, j);
            if bound < f64::from(nearest.0)
                && let Some(pair) = pair_of(bodies, [i, j], f32::MAX)
                && pair.gap < nearest.0
            {
                nearest = (pair.gap, pair.middle);
            }
        }
    }
    CommandError::EmptyAttachment {
        first: bodies[0].id,
        second: bodies[1].id,
        distance: desc.region.distance(),
        apart: nearest.0,
        position: nearest.1.to_array(),
    }
}

/// A pair of particles in the order in which pairs are looked up.
pub(super) fn ordered(a: ParticleId, b: ParticleId) -> [ParticleId; 2] {
    if a < b { [a, b] } else { [b, a] }
}
