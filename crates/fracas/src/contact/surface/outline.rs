//! Whether two faces are worth a look. Of the pairs whose boxes meet between fitting sides of a crack, one in twenty is.

use super::facet::{RIM, SHARP};
use glam::Vec3;

/// What rounding of f32 may hide, over the size of a face.
const ROUNDING: f32 = 1e-4;

/// A face in short, in the frame of its piece.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outline {
    /// Where its corners are at the start of the substep.
    pub corners: [Vec3; 3],
    /// Outward, unit length.
    normal: Vec3,
    /// In its plane out of the edge from corner k to the next, unit length.
    sides: [Vec3; 3],
    /// The way of its corners within the substep, and how far one of them is off it, in m.
    way: Vec3,
    spread: f32,
    margin: f32,
    height: f32,
    /// Longest edge, in m.
    size: f32,
    /// Corners that it answers for and, three bits above, edges that stick out.
    owns: u8,
    /// Edges of a sheet that are bent either way, three bits up.
    folded: u8,
    /// Half the thickness of a sheet, in m.
    offset: f32,
}

impl Outline {
    /// From its corners and their ways, the corners across its edges, and what [`Facet`](super::Facet) is made of.
    pub fn new(
        corners: [Vec3; 3],
        ways: [Vec3; 3],
        across: [Option<Vec3>; 3],
        owns: u8,
        margin: f32,
        height: f32,
    ) -> Self {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let edges = [b - a, c - b, a - c];
        let way = (ways[0] + ways[1] + ways[2]) / 3.0;
        let (mut sharp, mut folded) = (0, 0);
        for k in 0..3 {
            let bent = across[k].is_none_or(|across| {
                let there = across - corners[k];
                -normal.dot(there) > (SHARP as f32 - ROUNDING) * there.length()
            });
            sharp |= u8::from(bent) << (3 + k);
            let hollow = across[k].is_some_and(|across| {
                let there = across - corners[k];
                normal.dot(there) > (SHARP as f32 - ROUNDING) * there.length()
            });
            folded |= owns & u8::from(hollow) << (3 + k);
        }
        Self {
            corners,
            normal,
            sides: edges.map(|edge| edge.cross(normal).normalize_or_zero()),
            way,
            spread: ways.iter().map(|one| one.distance(way)).fold(0.0, f32::max),
            margin,
            height,
            size: edges.iter().map(|edge| edge.length()).fold(0.0, f32::max),
            owns: owns & (sharp | 0b111),
            folded,
            offset: 0.0,
        }
    }

    /// The same as a triangle of a sheet, with this much of it on either side.
    pub fn with_offset(mut self, two_sided: bool, offset: f32) -> Self {
        if two_sided {
            self.owns |= self.folded;
            self.offset = offset;
            // from behind as from the front
            self.height = self.margin + 2.0 * offset;
        }
        self
    }

    /// Whether a corner may be over it or behind it, now or on its way.
    fn may_hold(&self, p: Vec3, margin: f32, closing: f32) -> bool {
        let slack = ROUNDING * self.size;
        let height = self.normal.dot(p - self.corners[0]);
        if height > margin.max(closing) + slack || height < -self.height.max(closing) - slack {
            return false;
        }
        let beside = closing.max(RIM as f32 * self.size) + slack;
        (0..3).all(|k| self.sides[k].dot(p - self.corners[k]) <= beside)
    }

    fn edge(&self, k: usize) -> [Vec3; 2] {
        [self.corners[k], self.corners[(k + 1) % 3]]
    }
}

/// What of two faces is worth a look: corners of the first over the second, corners of the second over the first, and of each edge of the
/// first the edges of the second, three bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u16);

impl Marks {
    /// Everything.
    pub const ALL: Self = Self(0x7fff);

    /// Whether nothing is.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether a corner of the first is.
    pub fn first_corner(self, k: usize) -> bool {
        self.0 >> k & 1 == 1
    }

    /// Whether a corner of the second is.
    pub fn second_corner(self, k: usize) -> bool {
        self.0 >> (3 + k) & 1 == 1
    }

    /// Whether an edge of the first and one of the second are.
    pub fn edges(self, i: usize, j: usize) -> bool {
        self.0 >> (6 + 3 * i + j) & 1 == 1
    }
}

/// Where [`meet_facets`](super::meet_facets) could find something. The second lies at `shift` from the first.
pub fn may_meet(a: &Outline, b: &Outline, shift: Vec3) -> Marks {
    let thick = a.offset + b.offset;
    let margin = a.margin.min(b.margin) + thick;
    let closing = a.way.distance(b.way) + a.spread + b.spread + thick;
    let slack = ROUNDING * a.size.max(b.size);
    let beside = margin.max(closing) + slack;
    let deep = beside.max(a.height.min(b.height) + slack);
    let mut marks = 0;
    let corners = |of: &Outline, on: &Outline, shift: Vec3| {
        let held = |&k: &usize| {
            of.owns >> k & 1 == 1 && on.may_hold(of.corners[k] + shift, margin, closing)
        };
        (0..3).filter(held).fold(0u16, |bits, k| bits | 1 << k)
    };
    marks |= corners(a, b, -shift) | corners(b, a, shift) << 3;
    for i in (0..3).filter(|i| a.owns >> (3 + i) & 1 == 1) {
        for j in (0..3).filter(|j| b.owns >> (3 + j) & 1 == 1) {
            let ([p, q], [r, s]) = (a.edge(i), b.edge(j));
            let cross = may_cross(q - p, s - r, r + shift - p, beside, deep);
            marks |= u16::from(cross) << (6 + 3 * i + j);
        }
    }
    Marks(marks)
}

/// Whether two edges u and v, of which the second begins at w from the first, are nearer than `beside`, or than `deep` where the points that
/// are nearest lie between their ends.
fn may_cross(u: Vec3, v: Vec3, w: Vec3, beside: f32, deep: f32) -> bool {
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let across = uu * vv - uv * uv;
    let between = |t: f32| (-0.01..=1.01).contains(&t);
    // all but parallel: no telling in f32
    if across <= 1e-4 * uu * vv {
        return true;
    }
    let s = (uw * vv - vw * uv) / across;
    let t = (uw * uv - vw * uu) / across;
    if between(s) && between(t) {
        return (s * u - w - t * v).length_squared() <= deep * deep;
    }
    // nearest at an end of one of them
    let near = |point: Vec3, along: Vec3, length: f32| {
        let t = (point.dot(along) / length).clamp(0.0, 1.0);
        (point - t * along).length_squared()
    };
    let least = near(w, u, uu).min(near(w + v, u, uu)).min(near(-w, v, vv)).min(near(u - w, v, vv));
    least <= beside * beside
}
