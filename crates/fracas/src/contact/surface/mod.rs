//! Surfaces of tetrahedra: what others touch of bodies whose particles are the corners of a closed surface.
//!
//! ```text
//! faces of the model → Surface: who is across which edge, who answers for which corner and edge
//! two faces          → Facet × Facet: corners on triangles, edges on edges, now or on their way (ccd)
//! ```
//!
//! A surface of tetrahedra has no thickness and one outside. A sheet has both sides and half its thickness on either (`offset`): what is nearer than
//! that has not come through yet. Every corner and every edge belongs to one of its faces, which answers for it, so that a
//! corner meets a triangle once and an edge an edge (representative triangles; Curtis, Tamstorf, Manocha 2008).

pub mod ccd;
mod facet;
mod folds;
mod keep;
mod outline;
mod tangles;
#[cfg(test)]
mod tests;

pub use facet::{Facet, Feature, Meeting, Rules, meet_facets};
pub use keep::keep_true;
pub use outline::{Marks, Outline, may_meet};

use super::shape::Aabb;
use crate::math::rotation;
use crate::parallel::{Span, Workers};
use crate::solids::{Face, Particles};
use ccd::Moving;
use folds::Folds;
use glam::{DVec3, Mat3, Vec3};
use tangles::Tangles;

/// Distance within which contacts are made though nothing moves, over the shortest edge of a face.
pub(super) const MARGIN: f32 = 0.1;
/// The same of a sheet: what has come through it is lost, and buckling is faster than what a substep begins with.
const SHEET_MARGIN: f32 = 0.4;
/// Deviation from rigid motion at which a piece is looked at for contact with itself, in margins.
const BENT: f32 = 2.5;
/// Distance between the middles of two triangles of a sheet at rest up to which they are neighbours, in edges.
const BANKS: f32 = 2.0;
/// Instead of the index of a face.
const NOBODY: u32 = u32::MAX;

/// The surface of a body, made anew whenever the faces of its model change: a cache, not state.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    faces: Vec<Face>,
    sides: Vec<Side>,
    /// Particles that are corners, in order, and the margin of each.
    corners: Vec<(u32, f32)>,
    /// Edges as (lower corner, higher corner, face, edge of it), in order; room.
    edges: Vec<([u32; 2], u32, u8)>,
    /// Of each piece, whether it is bent so far that it could touch itself.
    bent: Vec<bool>,
    tangles: Tangles,
    /// Of a sheet, where it could touch itself.
    folds: Folds,
    /// Room: where the particles of each piece are.
    spans: Vec<Span>,
    /// Whether it is a sheet, which is touched from both sides.
    two_sided: bool,
    /// The largest margin of all faces, m.
    widest: f32,
}

/// What is around a face.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// The face across the edge from corner k to the next, and the edge there.
    across: [(u32, u8); 3],
    /// Corners and, three bits above, edges that it answers for.
    owns: u8,
    /// The corner of the tetrahedron behind it that is not its own.
    inner: u32,
    /// Height of that tetrahedron at rest, in m.
    height: f32,
    /// Its middle at rest, in m.
    middle: Vec3,
    /// Shortest edge at rest, in m.
    edge: f32,
    /// Distance within which it makes contacts though nothing moves, in m.
    margin: f32,
    /// Half the thickness of a sheet, in m; 0 of tetrahedra.
    offset: f32,
}

impl Surface {
    /// Brings it up to what the model tells, which seldom changes.
    pub fn follow(&mut self, faces: &[Face], tets: &[[u32; 4]], particles: &Particles) {
        // a crack in a sheet may move its vertices at rest and leave who is a corner of what
        let lies_alike = |(side, face): (&Side, &Face)| side.middle == middle_of(face, particles);
        let stays = !self.two_sided || self.sides.iter().zip(faces).all(lies_alike);
        if self.faces == faces && stays {
            return;
        }
        self.faces.clear();
        self.faces.extend_from_slice(faces);
        self.sides.clear();
        self.two_sided = tets.is_empty();
        self.sides.extend(faces.iter().map(|face| Side::new(face, tets, particles)));
        self.folds.forget();
        self.join_edges();
        self.list_corners();
        self.widest = (0..self.sides.len()).map(|face| self.margin(face)).fold(0.0, f32::max);
    }

    /// Brings up to where the particles are what a piece needs to touch itself. Of every piece `pieces` tells where its particles are and, if that
    /// is known, whether it is bent so far that it could. h is the length of the substep.
    pub fn follow_motion(
        &mut self,
        pieces: impl Iterator<Item = (Span, Option<bool>)>,
        tets: &[[u32; 4]],
        particles: &Particles,
        h: f32,
        workers: &Workers,
    ) {
        self.bent.clear();
        self.spans.clear();
        for (span, known) in pieces {
            self.spans.push(span.clone());
            if let Some(bent) = known {
                self.bent.push(bent);
                continue;
            }
            let place =
                |j: usize| self.corners.partition_point(|&(corner, _)| (corner as usize) < j);
            let corners = &self.corners[place(span.start)..place(span.end)];
            self.bent.push(is_bent(corners, particles));
        }
        if self.two_sided {
            let Self { folds, faces, sides, spans, bent, .. } = self;
            folds.follow(faces, sides, spans, bent, particles, h, workers);
            return;
        }
        if self.bent.contains(&true) {
            self.tangles.find(tets, particles);
        } else {
            self.tangles.clear();
        }
    }

    /// Whether a piece is bent so far that it could touch itself.
    pub fn may_fold(&self, piece: usize) -> bool {
        self.bent[piece]
    }

    /// Whether something of its piece may touch a face.
    pub fn may_meet_own(&self, face: usize) -> bool {
        !self.two_sided || self.folds.may_meet(face)
    }

    /// Whether two faces of a piece may touch each other: they are no neighbours, and not where it is flat or inside out.
    pub fn may_touch_itself(&self, [a, b]: [usize; 2]) -> bool {
        let [p, q] = [a, b].map(|face| self.faces[face].corners);
        let stay_apart = self.two_sided && self.folds.part([a, b]);
        !self.are_banks([a, b])
            && p.iter().all(|j| !q.contains(j))
            && !stay_apart
            && !self.tangles.part(self.sides[a].middle, self.sides[b].middle)
    }

    /// Whether two faces of a sheet lie side by side at rest: they are neighbours, or were before a crack parted them.
    pub fn are_banks(&self, [a, b]: [usize; 2]) -> bool {
        let [a, b] = [&self.sides[a], &self.sides[b]];
        let near = BANKS * 0.5 * (a.edge + b.edge);
        self.two_sided && a.middle.distance_squared(b.middle) < near * near
    }

    /// Whether it is touched from both sides.
    pub fn is_two_sided(&self) -> bool {
        self.two_sided
    }

    /// Half its thickness at a face, in m; 0 of tetrahedra.
    pub fn offset(&self, face: usize) -> f32 {
        self.sides[face].offset
    }

    /// Its faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Particles that are corners, in order, with their margins.
    pub fn corners(&self) -> &[(u32, f32)] {
        &self.corners
    }

    /// Distance within which a face makes contacts though nothing moves, in m.
    pub fn margin(&self, face: usize) -> f32 {
        self.sides[face].margin + 2.0 * self.sides[face].offset
    }

    /// The largest of these margins.
    pub fn widest_margin(&self) -> f32 {
        self.widest
    }

    /// The same with a solid, which has an inside to be pushed out of.
    pub fn margin_of_solids(&self, face: usize) -> f32 {
        MARGIN * self.sides[face].edge
    }

    /// Its shortest edge at rest, in m.
    pub fn edge(&self, face: usize) -> f32 {
        self.sides[face].edge
    }

    /// The box around the way of a face within a substep of length h and around the tetrahedron behind it, in the frame of its piece.
    pub fn bounds(&self, face: usize, particles: &Particles, h: f32) -> Aabb {
        let inner = particles.position[self.sides[face].inner as usize];
        let mut around = Aabb { min: inner, max: inner };
        for j in self.faces[face].corners {
            let from = particles.position[j as usize];
            let to = from + h * particles.velocity[j as usize];
            around.min = around.min.min(from.min(to));
            around.max = around.max.max(from.max(to));
        }
        around
    }

    /// A face in short, in the frame of its piece.
    pub fn outline(&self, face: usize, particles: &Particles, h: f32) -> Outline {
        let side = &self.sides[face];
        let corners = self.faces[face].corners;
        let across = side.across.map(|(face, edge)| {
            Some(self.faces.get(face as usize)?.corners[(edge as usize + 2) % 3])
        });
        let place = |j: u32| particles.position[j as usize];
        Outline::new(
            corners.map(place),
            corners.map(|j| h * particles.velocity[j as usize]),
            across.map(|j| j.map(place)),
            side.owns,
            side.margin,
            side.height,
        )
        .with_offset(self.two_sided, side.offset)
    }

    /// A face as it starts into a substep of length h, in a frame whose origin lies at `shift` from that of its piece.
    pub fn facet(&self, face: usize, particles: &Particles, shift: Vec3, h: f32) -> Facet {
        let side = &self.sides[face];
        let moving = |j: u32| {
            let j = j as usize;
            let start = (particles.position[j] + shift).as_dvec3();
            Moving { start, way: f64::from(h) * particles.velocity[j].as_dvec3() }
        };
        let across = side.across.map(|(face, edge)| {
            let face = self.faces.get(face as usize)?;
            Some(moving(face.corners[(edge as usize + 2) % 3]))
        });
        Facet::new(
            self.faces[face].corners.map(moving),
            across,
            side.owns,
            f64::from(side.margin),
            f64::from(side.height),
        )
        .with_offset(self.two_sided, side.offset.into())
    }

    /// Calls `visit` with the other two corners of all faces around corner `k` of a face, as far as they hang together.
    pub fn around(&self, face: usize, k: usize, mut visit: impl FnMut([u32; 2])) {
        let (mut at, mut corner) = (face, k);
        // from face to face about the corner; more than these no corner has
        for _ in 0..64 {
            let before = (corner + 2) % 3;
            let corners = self.faces[at].corners;
            visit([corners[(corner + 1) % 3], corners[before]]);
            let (beyond, edge) = self.sides[at].across[before];
            if beyond == NOBODY || beyond as usize == face {
                return;
            }
            (at, corner) = (beyond as usize, edge as usize);
        }
    }

    /// Outward at corner `k` of a face, from the faces around it by their areas; of no length where they cancel out.
    pub fn normal_at(&self, face: usize, k: usize, particles: &Particles) -> Vec3 {
        let x = &particles.position;
        let at = x[self.faces[face].corners[k] as usize];
        let mut sum = Vec3::ZERO;
        self.around(face, k, |[b, c]| sum += (x[b as usize] - at).cross(x[c as usize] - at));
        sum.normalize_or_zero()
    }

    fn join_edges(&mut self) {
        let Self { faces, sides, edges, .. } = self;
        edges.clear();
        for (face, index) in faces.iter().zip(0..) {
            for k in 0..3 {
                let (a, b) = (face.corners[k], face.corners[(k + 1) % 3]);
                edges.push(([a.min(b), a.max(b)], index, k as u8));
            }
        }
        edges.sort_unstable();
        let along = |&(ends, face, k): &([u32; 2], u32, u8)| {
            faces[face as usize].corners[k as usize] == ends[0]
        };
        for edge in edges.chunk_by(|a, b| a.0 == b.0) {
            // faces on both sides run along it the opposite way; where more than two meet, in their order
            let ways = [true, false].map(|way| edge.iter().filter(move |e| along(e) == way));
            let [one, other] = ways;
            for (&(_, f, k), &(_, g, l)) in one.zip(other) {
                sides[f as usize].across[k as usize] = (g, l);
                sides[g as usize].across[l as usize] = (f, k);
            }
            let (_, face, k) = edge[0];
            sides[face as usize].owns |= 8 << k;
        }
    }

    fn list_corners(&mut self) {
        let Self { faces, sides, corners, edges, .. } = self;
        // (corner, corner), face, place: sorted, the first face of each answers for it
        edges.clear();
        for (face, index) in faces.iter().zip(0..) {
            edges.extend((0..3).map(|k| ([face.corners[k]; 2], index, k as u8)));
        }
        edges.sort_unstable();
        corners.clear();
        for corner in edges.chunk_by(|a, b| a.0 == b.0) {
            let ([j, _], face, k) = corner[0];
            sides[face as usize].owns |= 1 << k;
            let margin = |&(_, face, _): &([u32; 2], u32, u8)| sides[face as usize].margin;
            corners.push((j, corner.iter().map(margin).fold(f32::INFINITY, f32::min)));
        }
    }
}

impl Side {
    fn new(face: &Face, tets: &[[u32; 4]], particles: &Particles) -> Self {
        let rest = &particles.rest;
        let [a, b, c] = face.corners.map(|j| rest[j as usize].as_dvec3());
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let tet = tets.get(face.tet as usize);
        let inner = tet.and_then(|tet| tet.iter().copied().find(|j| !face.corners.contains(j)));
        // behind a triangle of a sheet there is nothing
        let inner = inner.unwrap_or(face.corners[0]);
        let height = normal.dot(a - rest[inner as usize].as_dvec3()).max(0.0);
        let edge = a.distance(b).min(b.distance(c)).min(c.distance(a));
        let radius = |j: u32| particles.radii[j as usize][0];
        let thin = face.corners.map(radius).into_iter().fold(f32::INFINITY, f32::min);
        Self {
            across: [(NOBODY, 0); 3],
            owns: 0,
            inner,
            height: height as f32,
            middle: middle_of(face, particles),
            edge: edge as f32,
            margin: if tet.is_some() { MARGIN } else { SHEET_MARGIN } * edge as f32,
            offset: if tet.is_some() { 0.0 } else { thin },
        }
    }
}

/// The middle of a face at rest.
fn middle_of(face: &Face, particles: &Particles) -> Vec3 {
    face.corners.into_iter().map(|j| particles.rest[j as usize]).sum::<Vec3>() / 3.0
}

/// The point of a triangle with these weights.
fn weighted(corners: [DVec3; 3], weights: [f64; 3]) -> DVec3 {
    weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2]
}

/// Whether some of these corners are farther from where a rigid motion would carry them than what is apart at rest may
/// come nearer: the piece could touch itself.
fn is_bent(corners: &[(u32, f32)], particles: &Particles) -> bool {
    let count = corners.len().max(1) as f32;
    let mean = |column: &[Vec3]| -> Vec3 {
        corners.iter().map(|&(j, _)| column[j as usize]).sum::<Vec3>() / count
    };
    let (rest, now) = (&particles.rest, &particles.position);
    let (from, to) = (mean(rest), mean(now));
    let mut spread = Mat3::ZERO;
    for &(j, _) in corners {
        let (x, y) = (rest[j as usize] - from, now[j as usize] - to);
        spread += Mat3::from_cols(x.x * y, x.y * y, x.z * y);
    }
    let turn = rotation(&spread).to_mat3();
    corners.iter().any(|&(j, margin)| {
        let wanted = to + turn * (rest[j as usize] - from);
        now[j as usize].distance(wanted) > BENT * margin
    })
}
