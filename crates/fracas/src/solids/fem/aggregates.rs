//! The coarse space of a piece that has cracks: rigid motions of parts that hang together.
//!
//! Vertices of one box that are joined within it are an aggregate; a crack through a box makes two. Each moves rigidly,
//! P_i = [1, −d_i×] with d the arm from its middle at rest. Elements within an aggregate are not strained by that, so only those between some enter A_c:
//!
//! ```text
//! A_c = Pᵀ (M/h² + K) P = L Lᵀ,   y = A_c⁻¹ Pᵀ r,   z += P y
//! ```
//!
//! L is kept from the first entry of each row on, in f64, with aggregates in the order of the longest axis of the piece.

use super::lanes::{Point, vector};
use super::skyline::Skyline;
use super::stars::Stars;
use super::tets::Tets;
use crate::parallel::Span;
use crate::solids::Particles;
use glam::{DMat3, DVec3, Vec3};

/// Size of a box, in mean edges; more where there would be more aggregates than [`MOST`]. With 2.2 there are some iterations fewer, and a
/// breaking bunny of 6,000 tetrahedra spends half of its time on the factor and its solves.
const BOX: f32 = 3.0;
const MOST: f32 = 250.0;
/// A pivot this much below its diagonal is that of a motion which others can do, or that none feels.
const DEPENDENT: f64 = 1e-12;

/// The aggregate of a vertex, and its arm; no aggregate of what is held.
#[derive(Clone, Copy, Debug)]
struct Member {
    of: Option<u32>,
    arm: Vec3,
}

/// The coarse space of a piece with cracks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aggregates {
    members: Vec<Member>,
    matrix: Skyline,
    force: Vec<f64>,
    /// Shift and turn of each.
    moved: Vec<[Vec3; 2]>,
}

impl Aggregates {
    /// Of the particles of a span and the tetrahedra between them.
    pub fn new(
        particles: &Particles,
        tets: &Tets,
        stars: &Stars,
        span: Span,
        of: Span,
        h: f32,
    ) -> Self {
        let (label, count) = labels(particles, stars, span.clone());
        let mut middle = vec![(DVec3::ZERO, 0.0); count];
        for (k, j) in span.clone().enumerate() {
            let (sum, number) = &mut middle[label[k] as usize];
            *sum += particles.rest[j].as_dvec3();
            *number += 1.0;
        }
        let middle: Vec<DVec3> = middle.into_iter().map(|(sum, number)| sum / number).collect();
        let rank = ranks(&middle);
        let member = |(k, j): (usize, usize)| Member {
            of: (!particles.held[j]).then(|| rank[label[k] as usize]),
            arm: (particles.rest[j].as_dvec3() - middle[label[k] as usize]).as_vec3(),
        };
        let members: Vec<Member> = span.clone().enumerate().map(member).collect();
        let lowest = lowest(tets, &members, of.clone(), span.start, count);
        let mut matrix = Skyline::new(6, &lowest);
        for (member, j) in members.iter().zip(span.clone()) {
            let mass = f64::from(particles.mass[j]) / (f64::from(h) * f64::from(h));
            add_pair(&mut matrix, *member, *member, DMat3::from_diagonal(DVec3::splat(mass)));
        }
        for t in of.filter(|&t| is_between(tets, &members, t, span.start)) {
            let corners = tets.corners[t].map(|v| members[v as usize - span.start]);
            let [lambda, mu] = [0, 1].map(|k| f64::from(tets.lame[k][t]));
            let g = [0, 1, 2, 3].map(|corner| tets.gradient_of(t, corner));
            for (i, &a) in g.iter().enumerate() {
                for (j, &b) in g.iter().enumerate() {
                    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(b.x * a, b.y * a, b.z * a);
                    let block = lambda * outer(a, b) + mu * outer(b, a);
                    let block = block + DMat3::from_diagonal(DVec3::splat(mu * a.dot(b)));
                    add_pair(&mut matrix, corners[i], corners[j], block);
                }
            }
        }
        matrix.factor(DEPENDENT);
        Self { members, matrix, force: vec![0.0; 6 * count], moved: vec![[Vec3::ZERO; 2]; count] }
    }

    /// y = A_c⁻¹ Pᵀ r, kept for [`motion_of`](Self::motion_of). Returns r·P y.
    pub fn answer(&mut self, r: &[Point]) -> f64 {
        let Self { members, matrix, force, moved } = self;
        force.fill(0.0);
        for (Member { of, arm }, r) in members.iter().zip(r) {
            let Some(of) = of else { continue };
            let (push, at) = (vector(*r), 6 * *of as usize);
            let torque = arm.cross(push);
            for k in 0..3 {
                force[at + k] += f64::from(push[k]);
                force[at + 3 + k] += f64::from(torque[k]);
            }
        }
        let square = matrix.solve(force);
        for (moved, y) in moved.iter_mut().zip(force.chunks_exact(6)) {
            let of = |k: usize| Vec3::new(y[k] as f32, y[k + 1] as f32, y[k + 2] as f32);
            *moved = [of(0), of(3)];
        }
        square
    }

    /// (P y) of a vertex of the piece.
    #[inline(always)]
    pub fn motion_of(&self, k: usize) -> Vec3 {
        let Member { of, arm } = self.members[k];
        let Some(of) = of else { return Vec3::ZERO };
        let [shift, turn] = self.moved[of as usize];
        shift + turn.cross(arm)
    }
}

/// Numbers of the aggregates of all vertices of a piece, by flood fill within boxes, and how many there are.
fn labels(particles: &Particles, stars: &Stars, span: Span) -> (Vec<u32>, usize) {
    let rest = &particles.rest[span.clone()];
    let (mut low, mut high) = (rest[0], rest[0]);
    let (mut edges, mut count) = (0.0f64, 0.0f64);
    for (&x, j) in rest.iter().zip(span.clone()) {
        (low, high) = (low.min(x), high.max(x));
        for &i in stars.neighbours(j) {
            edges += f64::from(x.distance(particles.rest[i as usize]));
            count += 1.0;
        }
    }
    let edge = (edges / count.max(1.0)) as f32;
    // each holds about the cube of its size in edges
    let many = (rest.len() as f32 / MOST).cbrt();
    let size = edge * BOX.max(many);
    let key = |x: Vec3| ((x - low) / size).floor();
    let mut label = vec![u32::MAX; rest.len()];
    let mut queue = Vec::new();
    let mut next = 0;
    for first in 0..rest.len() {
        if label[first] != u32::MAX {
            continue;
        }
        label[first] = next;
        queue.push(first);
        while let Some(k) = queue.pop() {
            for &j in stars.neighbours(span.start + k) {
                let other = j as usize - span.start;
                if label[other] == u32::MAX && key(rest[other]) == key(rest[k]) {
                    label[other] = next;
                    queue.push(other);
                }
            }
        }
        next += 1;
    }
    (label, next as usize)
}

/// The place of each in the order along the longest axis.
fn ranks(middle: &[DVec3]) -> Vec<u32> {
    let (mut low, mut high) = (middle[0], middle[0]);
    for &x in middle {
        (low, high) = (low.min(x), high.max(x));
    }
    let size = high - low;
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let mut order: Vec<u32> = (0..middle.len() as u32).collect();
    order.sort_by(|&a, &b| {
        middle[a as usize][axis].total_cmp(&middle[b as usize][axis]).then(a.cmp(&b))
    });
    let mut rank = vec![0; middle.len()];
    for (&of, place) in order.iter().zip(0..) {
        rank[of as usize] = place;
    }
    rank
}

/// Whether a tetrahedron has corners in different aggregates, or some that are held.
fn is_between(tets: &Tets, members: &[Member], t: usize, start: usize) -> bool {
    let of = tets.corners[t].map(|v| members[v as usize - start].of);
    of.iter().any(|other| *other != of[0])
}

/// The lowest aggregate that some tetrahedron joins each with.
fn lowest(tets: &Tets, members: &[Member], of: Span, start: usize, count: usize) -> Vec<u32> {
    let mut lowest: Vec<u32> = (0..count as u32).collect();
    for t in of.filter(|&t| is_between(tets, members, t, start)) {
        let of = tets.corners[t].map(|v| members[v as usize - start].of);
        let Some(least) = of.into_iter().flatten().min() else { continue };
        for a in of.into_iter().flatten() {
            lowest[a as usize] = lowest[a as usize].min(least);
        }
    }
    lowest
}

/// Adds Pᵀ K P of two vertices: [K, −K d'×; d× K, −d× K d'×].
fn add_pair(matrix: &mut Skyline, a: Member, b: Member, block: DMat3) {
    let (Some(p), Some(q)) = (a.of, b.of) else { return };
    // the other half is the same
    if p < q {
        return;
    }
    let cross = |d: Vec3| {
        let DVec3 { x, y, z } = d.as_dvec3();
        DMat3::from_cols_array(&[0.0, z, -y, -z, 0.0, x, y, -x, 0.0])
    };
    let (left, right) = (cross(a.arm), cross(b.arm) * -1.0);
    let blocks = [[block, block * right], [left * block, left * block * right]];
    for (i, row) in blocks.iter().enumerate() {
        for (j, block) in row.iter().enumerate() {
            matrix.add(6 * p as usize + 3 * i, 6 * q as usize + 3 * j, block);
        }
    }
}
