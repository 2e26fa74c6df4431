//! Two faces of surfaces: where their corners, sides and edges may touch within a substep.

use super::super::narrow::{nearest_on_segments, nearest_on_triangle, weights_in_triangle};
use super::ccd::{Moving, corner_triangle, edge_edge};
use super::outline::Marks;
use super::weighted;
use glam::DVec3;

/// By how much weights may be below 0 where a point still counts as over a triangle, or between the ends of an edge.
pub(super) const RIM: f64 = 1e-3;
/// Sine of the angle by which a surface may rise above the plane across a contact normal at an edge.
const LEVEL: f64 = 0.02;
/// Sine of the angle by which an edge must be bent to be one: flatter ones are left to corners and sides.
pub(super) const SHARP: f64 = 0.03;
/// Sine of the angle from which on two edges cross.
const CROSSING: f64 = 0.02;
/// Depth over the height of the tetrahedron up to which what is behind a face came through it. Deeper it may as well be in
/// front of the other side of a thin plate.
const SHALLOW: f64 = 0.5;

/// A face at the start of a substep, with all that is asked of it.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Counter-clockwise from outside.
    pub corners: [Moving; 3],
    /// The far corner of the face across the edge from corner k to the next; none at an open edge.
    pub across: [Option<Moving>; 3],
    /// Outward, unit length.
    pub normal: DVec3,
    /// Corners and, three bits above, edges that it answers for.
    pub owns: u8,
    /// Distance within which it makes contacts though nothing moves, in m.
    pub margin: f64,
    /// How far it reaches inwards, in m.
    pub height: f64,
    /// Whether it is of a sheet, which has nothing behind its triangles and is touched from both sides.
    pub two_sided: bool,
    /// Half the thickness of a sheet, in m.
    pub offset: f64,
    /// Sines of the angles by which its edges stick out; below 0 where they are hollow.
    bends: [f64; 3],
}

/// What meets of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A corner, by its place.
    Corner(u8),
    /// The edge from a corner to the next.
    Edge(u8),
    /// Its inside.
    Inside,
}

/// Two points that may touch.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// Weights of the corners of both faces.
    pub weights: [[f64; 3]; 2],
    /// What meets of both.
    pub features: [Feature; 2],
    /// From the second to the first, unit length.
    pub normal: DVec3,
    /// Along it at the start of the substep, in m.
    pub gap: f64,
    /// Whether it only counts if the two have touched before: it is so deep that it may as well be something else.
    pub doubtful: bool,
}

/// How two faces are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Whether both are of one piece. Such a piece is not born into itself, so that no overlap is believed that did not
    /// begin as a touch.
    pub own: bool,
}

impl Facet {
    /// From its corners and what is across its edges.
    pub fn new(
        corners: [Moving; 3],
        across: [Option<Moving>; 3],
        owns: u8,
        margin: f64,
        height: f64,
    ) -> Self {
        let [a, b, c] = corners.map(|corner| corner.start);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let (two_sided, offset, bends) = (false, 0.0, [0.0; 3]);
        let mut facet =
            Self { corners, across, normal, owns, margin, height, two_sided, offset, bends };
        facet.bends = [0, 1, 2].map(|k| facet.bend_at(k));
        facet
    }

    /// The same as a triangle of a sheet, with this much of it on either side.
    pub fn with_offset(mut self, two_sided: bool, offset: f64) -> Self {
        if two_sided {
            (self.two_sided, self.offset) = (true, offset);
            self.bends = self.bends.map(f64::abs);
        }
        self
    }

    /// The same seen from behind.
    pub fn reversed(mut self) -> Self {
        self.normal = -self.normal;
        self
    }

    /// Whether it answers for a corner.
    pub fn owns_corner(&self, k: usize) -> bool {
        self.owns >> k & 1 == 1
    }

    /// Whether it answers for the edge from corner k to the next.
    pub fn owns_edge(&self, k: usize) -> bool {
        self.owns >> (3 + k) & 1 == 1
    }

    /// Whether that edge sticks out.
    pub fn is_sharp(&self, k: usize) -> bool {
        self.bends[k] > SHARP
    }

    fn bend_at(&self, k: usize) -> f64 {
        let Some(across) = self.across[k] else { return 1.0 };
        let there = across.start - self.corners[k].start;
        -self.normal.dot(there) / there.length()
    }

    /// Whether a direction points out of the surface at an edge: nothing around rises above the plane across it.
    pub fn is_out_of_edge(&self, k: usize, out: DVec3, time: f64) -> bool {
        self.rise_at(k, out, time) <= LEVEL
    }

    /// Sine of the angle by which the surface rises above the plane across a direction at an edge.
    fn rise_at(&self, k: usize, out: DVec3, time: f64) -> f64 {
        let from = self.corners[k].at(time);
        let rise = |p: DVec3| out.dot(p - from) / p.distance(from);
        let own = rise(self.corners[(k + 2) % 3].at(time));
        self.across[k].map_or(own, |across| own.max(rise(across.at(time))))
    }

    /// How much of an edge the one from corner k to the next is along a direction out of it: from 0, where corners and sides answer for it, to 1.
    fn edginess(&self, k: usize, out: DVec3) -> f64 {
        let bent = (self.bends[k] / SHARP - 1.0).clamp(0.0, 1.0);
        let level = (1.0 - self.rise_at(k, out, 0.0) / LEVEL).clamp(0.0, 1.0);
        bent * level
    }

    /// Its corners at a time between 0 and 1.
    pub fn at(&self, time: f64) -> [DVec3; 3] {
        self.corners.map(|corner| corner.at(time))
    }

    fn edge(&self, k: usize) -> [Moving; 2] {
        [self.corners[k], self.corners[(k + 1) % 3]]
    }
}

/// Calls `found` with all that may touch of two faces within the substep, of what `marks` tell.
pub fn meet_facets(
    a: &Facet,
    b: &Facet,
    rules: Rules,
    marks: Marks,
    mut found: impl FnMut(Meeting),
) {
    let margin = a.margin.min(b.margin);
    for k in (0..3).filter(|&k| marks.first_corner(k) && a.owns_corner(k)) {
        if let Some((weights, normal, gap)) = corner_on_side(&a.corners[k], a.offset, b, margin) {
            found(Meeting {
                weights: [corner_weights(k), weights],
                features: [Feature::Corner(k as u8), Feature::Inside],
                normal,
                gap,
                doubtful: !b.two_sided && rules.doubts(gap, b.height),
            });
        }
    }
    for k in (0..3).filter(|&k| marks.second_corner(k) && b.owns_corner(k)) {
        if let Some((weights, normal, gap)) = corner_on_side(&b.corners[k], b.offset, a, margin) {
            found(Meeting {
                weights: [weights, corner_weights(k)],
                features: [Feature::Inside, Feature::Corner(k as u8)],
                normal: -normal,
                gap,
                doubtful: !a.two_sided && rules.doubts(gap, a.height),
            });
        }
    }
    for i in (0..3).filter(|&i| a.owns_edge(i) && a.is_sharp(i)) {
        let edges = |&j: &usize| marks.edges(i, j) && b.owns_edge(j) && b.is_sharp(j);
        for j in (0..3).filter(edges) {
            if let Some(([s, t], normal, gap)) = edges_cross(a, i, b, j, margin) {
                found(Meeting {
                    weights: [edge_weights(i, s), edge_weights(j, t)],
                    features: [Feature::Edge(i as u8), Feature::Edge(j as u8)],
                    normal,
                    gap,
                    doubtful: !either_sided(a, b) && rules.doubts(gap, a.height.min(b.height)),
                });
            }
        }
    }
}

impl Rules {
    fn doubts(self, gap: f64, height: f64) -> bool {
        gap < 0.0 && (self.own || gap < -SHALLOW * height)
    }
}

/// By how much two points come nearer at most.
fn closing(p: &Moving, q: &Moving) -> f64 {
    (p.way - q.way).length()
}

fn corner_weights(k: usize) -> [f64; 3] {
    let mut weights = [0.0; 3];
    weights[k] = 1.0;
    weights
}

/// Of a point at `t` along the edge from corner k to the next.
fn edge_weights(k: usize, t: f64) -> [f64; 3] {
    let mut weights = [0.0; 3];
    weights[k] = 1.0 - t;
    weights[(k + 1) % 3] = t;
    weights
}

/// Whether one of two is of a sheet: then their edges have no inside to be in.
fn either_sided(a: &Facet, b: &Facet) -> bool {
    a.two_sided || b.two_sided
}

/// A corner over a face, or one that goes through it: weights, outward normal, distance at the start. `offset` is half the thickness at the
/// corner. A sheet is left to the side on which the corner is.
fn corner_on_side(
    p: &Moving,
    offset: f64,
    face: &Facet,
    margin: f64,
) -> Option<([f64; 3], DVec3, f64)> {
    let corners = face.at(0.0);
    let thick = offset + face.offset;
    let height = face.normal.dot(p.start - corners[0]);
    let side = if face.two_sided && height < 0.0 { -1.0 } else { 1.0 };
    let gap = side * height - thick;
    if gap <= margin && (face.two_sided || gap >= -face.height) {
        let weights = weights_in_triangle(corners, p.start);
        if weights.iter().all(|&w| w >= -RIM) {
            return Some((weights, side * face.normal, gap));
        }
    }
    let [a, b, c] = corners.map(|corner| corner - p.start);
    let apart = weighted([a, b, c], nearest_on_triangle(a, b, c)).length();
    if apart > face.corners.iter().map(|c| closing(p, c)).fold(0.0, f64::max) {
        return None;
    }
    let impact = corner_triangle(p, &face.corners)?;
    let [a, b, c] = face.at(impact.time);
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let apart = normal.dot(p.start - weighted(corners, impact.weights));
    let (normal, apart) =
        if face.two_sided && apart < 0.0 { (-normal, -apart) } else { (normal, apart) };
    (apart > 0.0).then_some((impact.weights, normal, apart - thick))
}

/// Two edges that cross each other, or will: places along them, normal from b to a, distance at the start.
fn edges_cross(
    a: &Facet,
    i: usize,
    b: &Facet,
    j: usize,
    margin: f64,
) -> Option<([f64; 2], DVec3, f64)> {
    let (one, other) = (a.edge(i), b.edge(j));
    let thick = a.offset + b.offset;
    let at = |time: f64| [one[0], one[1], other[0], other[1]].map(|m| m.at(time));
    // which way is out of both, when they are where they are at this time
    let across = |time: f64| {
        let [p, q, r, s] = at(time);
        let (u, v) = (q - p, s - r);
        let cross = u.cross(v);
        let sine = cross.length() / (u.length() * v.length());
        let out = if sine > CROSSING { cross.normalize() } else { return None };
        if either_sided(a, b) {
            return side_of(a, i, b, j, out, time);
        }
        // along flat edges both ways may seem to be out: the one above which less rises is
        let rise = |out: DVec3| b.rise_at(j, out, time).max(a.rise_at(i, -out, time));
        let out = if rise(out) <= rise(-out) { out } else { -out };
        (rise(out) <= LEVEL).then_some(out)
    };
    let gap_along = |normal: DVec3, [s, t]: [f64; 2]| {
        let [p, q, r, o] = at(0.0);
        normal.dot(p + s * (q - p) - r - t * (o - r))
    };
    let [p, q, r, o] = at(0.0);
    let places = nearest_on_segments(q - p, o - r, r - p);
    let between = |t: f64| (RIM..=1.0 - RIM).contains(&t);
    if places.into_iter().all(between)
        && let Some(normal) = across(0.0)
    {
        let gap = gap_along(normal, places);
        if either_sided(a, b) {
            if gap - thick <= margin {
                return Some((places, normal, gap - thick));
            }
        } else if gap <= margin && gap >= -a.height.min(b.height) {
            // what an edge that was none overlaps with already it may keep: pushed apart, it would be none again, and so on for good
            let share = a.edginess(i, -normal).min(b.edginess(j, normal));
            let overlap = (-gap).max(0.0).min(SHARP * (q - p).length().min((o - r).length()));
            return Some((places, normal, gap + (1.0 - share) * overlap));
        }
    }
    let apart = (p + places[0] * (q - p) - r - places[1] * (o - r)).length();
    let closing = one.iter().flat_map(|p| other.iter().map(|q| closing(p, q)));
    if apart > closing.fold(0.0, f64::max) + thick {
        return None;
    }
    let impact = edge_edge(&one, &other)?;
    let normal = across(impact.time)?;
    let places = [impact.weights[0], impact.weights[1]];
    let gap = gap_along(normal, places);
    (gap > 0.0).then_some((places, normal, gap - thick))
}

/// Which way is from edge `j` of `b` to edge `i` of `a`, of which one at least is of a sheet: where they are apart at the start. A body behind the
/// other has to be behind it.
fn side_of(a: &Facet, i: usize, b: &Facet, j: usize, out: DVec3, time: f64) -> Option<DVec3> {
    let [p, q] = a.edge(i).map(|m| m.start);
    let [r, s] = b.edge(j).map(|m| m.start);
    let [u, v] = nearest_on_segments(q - p, s - r, r - p);
    let apart = p + u * (q - p) - r - v * (s - r);
    let out = if out.dot(apart) < 0.0 { -out } else { out };
    let behind = |facet: &Facet, k: usize, out: DVec3| {
        facet.two_sided || facet.rise_at(k, out, time) <= LEVEL
    };
    (behind(b, j, out) && behind(a, i, -out)).then_some(out)
}
