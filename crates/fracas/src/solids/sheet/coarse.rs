//! The coarse space of a piece of a sheet: rigid motions of parts that hang together, as they lie now.
//!
//! Vertices of one box of the rest plane that are joined within it are an aggregate; a crack through a box makes two. Of a sheet as stiff as
//! paper an iteration without it moves what is a few edges around:
//!
//! ```text
//! A_c = Pᵀ (M/h² + K) P = L Lᵀ,   z += P A_c⁻¹ Pᵀ r,   P_i = [1, −d_i×]
//! ```

use super::elastic::{Elements, Stretched, outer};
use super::remesh::Plane;
use crate::parallel::Span;
use crate::solids::Particles;
use crate::solids::fem::skyline::Skyline;
use glam::{DMat3, DVec2, DVec3};

/// Size of a box, in mean edges; more where there would be more aggregates than [`MOST`].
const BOX: f64 = 4.0;
const MOST: f64 = 250.0;
/// A pivot this much below its diagonal is that of a motion which others can do, or that none feels.
const DEPENDENT: f64 = 1e-12;

/// The aggregate of a vertex, and its arm; no aggregate of what is held.
#[derive(Clone, Copy, Debug)]
struct Member {
    of: Option<u32>,
    arm: DVec3,
}

/// Which vertices of a piece move together: follows from the rest plane.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregates {
    /// Of each vertex.
    label: Vec<u32>,
    count: usize,
    /// The lowest that each is joined with.
    lowest: Vec<u32>,
    members: Vec<Member>,
    matrix: Skyline,
    force: Vec<f64>,
}

impl Aggregates {
    /// Of the particles of a span.
    pub fn new(plane: &Plane, elements: &Elements, span: &Span) -> Self {
        let rest = &plane.rest[span.clone()];
        let (mut low, mut high) = (rest[0], rest[0]);
        rest.iter().for_each(|&p| (low, high) = (low.min(p), high.max(p)));
        let many = (rest.len() as f64 / MOST).sqrt();
        let size = plane.edge * BOX.max(many);
        let key = |p: DVec2| ((p - low) / size).floor();
        let mut label = vec![u32::MAX; rest.len()];
        let (mut queue, mut middle) = (Vec::new(), Vec::new());
        for first in 0..rest.len() {
            if label[first] != u32::MAX {
                continue;
            }
            let number = middle.len() as u32;
            label[first] = number;
            queue.push(first);
            let (mut sum, mut count) = (DVec2::ZERO, 0.0);
            while let Some(k) = queue.pop() {
                sum += rest[k];
                count += 1.0;
                for &j in elements.neighbours(span.start + k) {
                    let other = j as usize - span.start;
                    if label[other] == u32::MAX && key(rest[other]) == key(rest[k]) {
                        label[other] = number;
                        queue.push(other);
                    }
                }
            }
            middle.push(sum / count);
        }
        // in the order of the longer side, so that those joined are near each other
        let along = |p: DVec2| if high.x - low.x >= high.y - low.y { p.x } else { p.y };
        let mut order: Vec<u32> = (0..middle.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let [p, q] = [a, b].map(|k| along(middle[k as usize]));
            p.total_cmp(&q).then(a.cmp(&b))
        });
        let mut rank = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&of, place)| rank[of as usize] = place);
        label.iter_mut().for_each(|of| *of = rank[*of as usize]);
        let count = middle.len();
        let mut lowest: Vec<u32> = (0..count as u32).collect();
        let mut join = |corners: &[u32]| {
            let of = |&v: &u32| label[v as usize - span.start];
            let Some(least) = corners.iter().map(of).min() else { return };
            for a in corners.iter().map(of) {
                lowest[a as usize] = lowest[a as usize].min(least);
            }
        };
        elements.triangles[elements.of(span)].iter().for_each(|element| join(&element.corners));
        for v in span.clone() {
            elements.bending.rows.of(v).0.iter().for_each(|&w| join(&[v as u32, w]));
        }
        Self { label, count, lowest, ..Self::default() }
    }

    /// Factors A_c with the vertices at `x`.
    pub fn factor(
        &mut self,
        particles: &Particles,
        elements: &Elements,
        stretched: &[Stretched],
        x: &[DVec3],
        span: &Span,
        h: f32,
    ) {
        let mut middle = vec![(DVec3::ZERO, 0.0); self.count];
        for (&of, j) in self.label.iter().zip(span.clone()) {
            let (sum, number) = &mut middle[of as usize];
            *sum += x[j];
            *number += 1.0;
        }
        self.members.clear();
        self.members.extend(self.label.iter().zip(span.clone()).map(|(&of, j)| {
            let (sum, number) = middle[of as usize];
            Member { of: (!particles.held[j]).then_some(of), arm: x[j] - sum / number }
        }));
        let mut matrix = Skyline::new(6, &self.lowest);
        let members = &self.members;
        let inv_h2 = 1.0 / (f64::from(h) * f64::from(h));
        for (&member, j) in members.iter().zip(span.clone()) {
            add_alike(&mut matrix, member, member, inv_h2 * f64::from(particles.mass[j]));
        }
        for t in elements.of(span) {
            let (element, now) = (&elements.triangles[t], &stretched[t]);
            let of = element.corners.map(|v| members[v as usize - span.start]);
            if of.iter().all(|member| member.of == of[0].of) {
                // turned as a whole it feels its tension alone
                if let Some(number) = of[0].of {
                    let at = 6 * number as usize + 3;
                    matrix.add(at, at, &turning(now));
                }
                continue;
            }
            for i in 0..3 {
                for j in 0..3 {
                    add_pair(&mut matrix, of[i], of[j], element.block(now, i, j));
                }
            }
        }
        for v in span.clone() {
            let own = members[v - span.start];
            let (columns, values) = elements.bending.rows.of(v);
            for (&w, &stiffness) in columns.iter().zip(values) {
                add_alike(&mut matrix, own, members[w as usize - span.start], stiffness);
            }
        }
        matrix.factor(DEPENDENT);
        self.matrix = matrix;
    }

    /// Adds P A_c⁻¹ Pᵀ r to z; both of the piece.
    pub fn add_answer(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        let Self { members, matrix, force, count, .. } = self;
        force.clear();
        force.resize(6 * *count, 0.0);
        for (Member { of, arm }, push) in members.iter().zip(r) {
            let Some(of) = of else { continue };
            let at = 6 * *of as usize;
            let torque = arm.cross(*push);
            for k in 0..3 {
                force[at + k] += push[k];
                force[at + 3 + k] += torque[k];
            }
        }
        matrix.solve(force);
        for (Member { of, arm }, z) in members.iter().zip(z) {
            let Some(of) = of else { continue };
            let at = 6 * *of as usize;
            let of = |k: usize| DVec3::new(force[at + k], force[at + k + 1], force[at + k + 2]);
            *z += of(0) + of(3).cross(*arm);
        }
    }
}

/// Σ S_ab ((F_a·F_b) 1 − F_b F_aᵀ): what its tension does to a triangle that is turned.
fn turning(now: &Stretched) -> DMat3 {
    let Stretched { f: [a, b], tension: [xx, yy, xy], .. } = *now;
    let of = |p: DVec3, q: DVec3| DMat3::from_diagonal(DVec3::splat(p.dot(q))) - outer(q, p);
    xx * of(a, a) + yy * of(b, b) + xy * (of(a, b) + of(b, a))
}

/// Adds Pᵀ K P of two vertices: [K, −K d'×; d× K, −d× K d'×].
fn add_pair(matrix: &mut Skyline, a: Member, b: Member, block: DMat3) {
    let (Some(p), Some(q)) = (a.of, b.of) else { return };
    // the other half is the same
    if q <= p {
        let (left, right) = (cross(a.arm), cross(b.arm) * -1.0);
        add_blocks(matrix, p, q, [block, block * right, left * block, left * block * right]);
    }
}

/// The same for K that is as stiff in all directions.
fn add_alike(matrix: &mut Skyline, a: Member, b: Member, stiffness: f64) {
    let (Some(p), Some(q)) = (a.of, b.of) else { return };
    if q <= p {
        let (d, e) = (a.arm, b.arm);
        // −d× e× = d·e − e dᵀ
        let both = DMat3::from_diagonal(DVec3::splat(d.dot(e))) - outer(e, d);
        let own = DMat3::from_diagonal(DVec3::splat(stiffness));
        let turns = [cross(e) * -stiffness, cross(d) * stiffness, both * stiffness];
        add_blocks(matrix, p, q, [own, turns[0], turns[1], turns[2]]);
    }
}

fn add_blocks(matrix: &mut Skyline, p: u32, q: u32, blocks: [DMat3; 4]) {
    let (row, column) = (6 * p as usize, 6 * q as usize);
    for (k, block) in blocks.iter().enumerate() {
        matrix.add(row + 3 * (k / 2), column + 3 * (k % 2), block);
    }
}

/// d×.
fn cross(DVec3 { x, y, z }: DVec3) -> DMat3 {
    DMat3::from_cols_array(&[0.0, z, -y, -z, 0.0, x, y, -x, 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is as stiff in all directions is a block that is.
    #[test]
    fn both_ways_to_add_agree() {
        let member = |of: u32, x: f64| Member { of: Some(of), arm: DVec3::new(x, 0.3, -0.7 * x) };
        for (a, b) in [(member(1, 0.2), member(0, 0.9)), (member(1, 0.5), member(1, -0.4))] {
            let [mut one, mut other] = [0; 2].map(|_| Skyline::new(6, &[0, 0]));
            add_pair(&mut one, a, b, DMat3::from_diagonal(DVec3::splat(3.0)));
            add_alike(&mut other, a, b, 3.0);
            let pairs = one.to_dense().into_iter().zip(other.to_dense());
            assert!(pairs.into_iter().all(|(x, y)| (x - y).abs() < 1e-12));
        }
    }
}
