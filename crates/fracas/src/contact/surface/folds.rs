//! Where a sheet is so flat that it cannot touch itself: most of it, most of the time.
//!
//! Its rest plane is cut into cells. On a cell, seen along the two directions Q of a plane, a way between two places of the rest plane is kept at least
//! at the smallest eigenvalue of what its triangles do there:
//!
//! ```text
//! |x(p) − x(q)| ≥ |Qᵀ x(p) − Qᵀ x(q)| ≥ c |p − q|,   c = min λ(½ (Qᵀ F + Fᵀ Q)),   with Q′ for Q: c′ ≥ c − |Q′ − Q| |F|
//! ```
//!
//! if the straight way from p to q is in triangles for which that holds. So where a cell and all around it have c ≥ ½, at the start of a
//! substep and where velocities lead (in between c is larger than the smaller of both), nothing of the cell meets anything of those.
//!
//! Straight ways leave the sheet at cracks, holes and bays: cells at a border count only of pieces that are convex at rest.

use super::super::broad::{Broad, Item, NO_GROUP, Pair};
use super::super::shape::Aabb;
use super::Side;
use crate::parallel::{Span, Workers};
use crate::solids::{Face, Particles};
use glam::{Vec2, Vec3};

/// Size of a cell, in mean edges.
const CELL: f32 = 3.0;
/// c from which on what is beside each other stays apart.
const FLAT: f32 = 0.5;
/// How far triangles that are no neighbours are apart at rest, in edges.
const APART: f32 = 0.5;
/// Sine of the angle by which a straight border may turn inwards, by rounding.
const STRAIGHT: f32 = 1e-3;
/// Instead of the index of a cell.
const NOBODY: u32 = u32::MAX;

/// A cell of the rest plane of a piece.
#[derive(Clone, Debug)]
struct Cell {
    piece: u32,
    at: [i32; 2],
    /// Its triangles, of those in the order of cells.
    faces: Span,
    /// Those around it and itself.
    around: [u32; 9],
    /// Whether straight ways stay in the sheet here, and half of what keeps triangles apart at rest is more than its thickness.
    whole: bool,
    /// The largest margin of its triangles, m.
    margin: f32,
    /// Q, c and the largest stretch.
    frame: [Vec3; 2],
    least: f32,
    most: f32,
    /// Around its way within the substep.
    bounds: Aabb,
}

/// A triangle at rest.
#[derive(Clone, Copy, Debug)]
struct Flat {
    corners: [u32; 3],
    /// Gradients of the shape functions of corners 1 and 2, 1/m.
    g: [Vec2; 2],
}

/// The cells of a sheet: follows from the rest plane and from where vertices are.
#[derive(Debug, Default)]
pub(super) struct Folds {
    cells: Vec<Cell>,
    /// In the order of cells.
    flats: Vec<Flat>,
    /// Of each face.
    cell_of: Vec<u32>,
    /// Of each cell: whether it and all around it are flat, and whether something of the piece may meet it.
    flat: Vec<bool>,
    meets: Vec<bool>,
    broad: Broad,
    items: Vec<Item>,
    pairs: Vec<Pair>,
}

/// Room is made anew.
impl Clone for Folds {
    fn clone(&self) -> Self {
        let Self { cells, flats, cell_of, flat, meets, .. } = self;
        Self {
            cells: cells.clone(),
            flats: flats.clone(),
            cell_of: cell_of.clone(),
            flat: flat.clone(),
            meets: meets.clone(),
            ..Self::default()
        }
    }
}

impl Folds {
    /// Forgets all cells: faces have changed.
    pub fn forget(&mut self) {
        self.cell_of.clear();
    }

    /// Anew from faces at rest, of pieces that are these particles.
    fn build(&mut self, faces: &[Face], sides: &[Side], pieces: &[Span], particles: &Particles) {
        let Self { cells, flats, cell_of, flat, meets, .. } = self;
        cells.clear();
        flats.clear();
        cell_of.clear();
        cell_of.resize(faces.len(), NOBODY);
        let rest = |j: u32| {
            let at = particles.rest[j as usize];
            Vec2::new(at.x, -at.z)
        };
        let size = CELL * sides.iter().map(|side| side.edge).sum::<f32>() / sides.len() as f32;
        let key = |face: usize| {
            let at = sides[face].middle;
            let cell = (Vec2::new(at.x, -at.z) / size).floor();
            // pieces come in order, and share no corner
            let corner = faces[face].corners[0] as usize;
            let piece = pieces.partition_point(|span| span.end <= corner);
            (piece as u32, [cell.x as i32, cell.y as i32], face as u32)
        };
        let mut order: Vec<(u32, [i32; 2], u32)> = (0..faces.len()).map(key).collect();
        order.sort_unstable();
        for of_piece in order.chunk_by(|a, b| a.0 == b.0) {
            let convex = is_convex(of_piece.iter().map(|of| of.2 as usize), faces, sides, &rest);
            let before = cells.len();
            for of in of_piece.chunk_by(|a, b| a.1 == b.1) {
                let start = flats.len();
                let at_border = |&(_, _, face): &(u32, [i32; 2], u32)| {
                    sides[face as usize].across.iter().any(|&(beyond, _)| beyond == super::NOBODY)
                };
                for &(_, _, face) in of {
                    cell_of[face as usize] = cells.len() as u32;
                    let corners = faces[face as usize].corners;
                    let [a, b, c] = corners.map(rest);
                    let (d, e) = (b - a, c - a);
                    let inverse = 1.0 / d.perp_dot(e);
                    let g = [Vec2::new(e.y, -e.x) * inverse, Vec2::new(-d.y, d.x) * inverse];
                    flats.push(Flat { corners, g });
                }
                let thin = |&(_, _, face): &(u32, [i32; 2], u32)| {
                    let side = &sides[face as usize];
                    2.0 * side.offset <= FLAT * APART * side.edge
                };
                let margin = |&(_, _, face): &(u32, [i32; 2], u32)| {
                    sides[face as usize].margin + 2.0 * sides[face as usize].offset
                };
                cells.push(Cell {
                    piece: of[0].0,
                    at: of[0].1,
                    faces: start..flats.len(),
                    around: [NOBODY; 9],
                    whole: (convex || !of.iter().any(at_border)) && of.iter().all(thin),
                    margin: of.iter().map(margin).fold(0.0, f32::max),
                    frame: [Vec3::ZERO; 2],
                    least: 0.0,
                    most: 0.0,
                    bounds: Aabb::around([]),
                });
            }
            for k in before..cells.len() {
                let [x, y] = cells[k].at;
                for (side, n) in (0..9).zip(0i32..) {
                    let at = [x + n / 3 - 1, y + n % 3 - 1];
                    let found = cells[before..].binary_search_by_key(&at, |cell| cell.at);
                    cells[k].around[side] = found.map_or(NOBODY, |found| (before + found) as u32);
                }
            }
        }
        flat.resize(cells.len(), false);
        meets.resize(cells.len(), false);
    }

    /// Brings it up to where particles are and where their velocities lead within h. Of each piece `folds` tells whether it is looked at.
    pub fn follow(
        &mut self,
        faces: &[Face],
        sides: &[Side],
        pieces: &[Span],
        folds: &[bool],
        particles: &Particles,
        h: f32,
        workers: &Workers,
    ) {
        if self.cell_of.len() != faces.len() {
            self.build(faces, sides, pieces, particles);
        }
        let Self { cells, flats, flat, meets, broad, items, pairs, .. } = self;
        meets.fill(false);
        flat.fill(false);
        if !folds.contains(&true) {
            return;
        }
        workers.for_each(cells, &|cell: &mut Cell| {
            if folds[cell.piece as usize] {
                cell.follow(&flats[cell.faces.clone()], particles, h);
            }
        });
        for (flat, cell) in flat.iter_mut().zip(&*cells) {
            *flat = folds[cell.piece as usize] && cell.is_flat(cells);
        }
        items.clear();
        items.extend(cells.iter().map(|cell| {
            let half = 0.5 * (cell.bounds.max - cell.bounds.min);
            let half = half + Vec3::splat(0.5 * cell.margin);
            Item { centre: cell.bounds.centre().as_dvec3(), half, group: NO_GROUP }
        }));
        let keep = |i: u32, j: u32| {
            let [a, b] = [&cells[i as usize], &cells[j as usize]];
            a.piece == b.piece && folds[a.piece as usize] && !are_apart(cells, flat, [i, j])
        };
        broad.update(workers, items);
        broad.find_pairs(workers, &keep, pairs);
        for &(i, j) in pairs.iter() {
            (meets[i as usize], meets[j as usize]) = (true, true);
        }
        for ((meets, flat), cell) in meets.iter_mut().zip(&*flat).zip(&*cells) {
            *meets |= folds[cell.piece as usize] && !flat;
        }
    }

    /// Whether something of its piece may meet a face.
    pub fn may_meet(&self, face: usize) -> bool {
        self.meets[self.cell_of[face] as usize]
    }

    /// Whether two faces of a piece lie so near to each other in a flat part of it that they stay apart.
    pub fn part(&self, faces: [usize; 2]) -> bool {
        are_apart(&self.cells, &self.flat, faces.map(|face| self.cell_of[face]))
    }
}

fn are_apart(cells: &[Cell], flat: &[bool], [i, j]: [u32; 2]) -> bool {
    (flat[i as usize] || flat[j as usize]) && cells[i as usize].around.contains(&j)
}

impl Cell {
    fn follow(&mut self, flats: &[Flat], particles: &Particles, h: f32) {
        let place = |j: u32| particles.position[j as usize];
        let mut sum = [Vec3::ZERO; 2];
        for flat in flats {
            let [u, v] = flat.slope(place);
            sum = [sum[0] + u, sum[1] + v];
        }
        self.frame = turned(sum);
        let [a, b] = self.frame;
        (self.least, self.most) = (f32::INFINITY, 0.0);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for flat in flats {
            let start = flat.corners.map(place);
            let end = [0, 1, 2].map(|k| {
                let j = flat.corners[k] as usize;
                start[k] + h * particles.velocity[j]
            });
            for x in [start, end] {
                x.into_iter().for_each(|x| (low, high) = (low.min(x), high.max(x)));
                let [u, v] = flat.slope_of(x);
                let (xx, yy) = (a.dot(u), b.dot(v));
                let (half, xy) = (0.5 * (xx - yy), 0.5 * (a.dot(v) + b.dot(u)));
                let least = 0.5 * (xx + yy) - (half * half + xy * xy).sqrt();
                self.least = self.least.min(least);
                // at least the larger stretch
                self.most = self.most.max(u.length_squared() + v.length_squared());
            }
        }
        self.most = self.most.sqrt();
        self.bounds = Aabb { min: low, max: high };
    }

    /// Whether it and all around it are flat, seen along its own frame.
    fn is_flat(&self, cells: &[Self]) -> bool {
        let around = self.around.iter().filter_map(|&k| cells.get(k as usize));
        around.into_iter().all(|other| {
            let [a, b] = [0, 1].map(|k| (other.frame[k] - self.frame[k]).length_squared());
            // what is no number is not flat
            other.whole && other.least - (a + b).sqrt() * other.most >= FLAT
        })
    }
}

impl Flat {
    fn slope(&self, place: impl Fn(u32) -> Vec3) -> [Vec3; 2] {
        self.slope_of(self.corners.map(place))
    }

    /// Columns of F.
    fn slope_of(&self, [x0, x1, x2]: [Vec3; 3]) -> [Vec3; 2] {
        let (d, e) = (x1 - x0, x2 - x0);
        let [b, c] = self.g;
        [b.x * d + c.x * e, b.y * d + c.y * e]
    }
}

/// The turned plane next to columns of F: F (FᵀF)^−½.
fn turned([u, v]: [Vec3; 2]) -> [Vec3; 2] {
    let (xx, yy, xy) = (u.length_squared(), v.length_squared(), u.dot(v));
    let root = (xx * yy - xy * xy).max(0.0).sqrt();
    // (FᵀF)^½ = (FᵀF + root)/s, s² = tr FᵀF + 2 root, and its determinant is root
    let scale = 1.0 / (root * (xx + yy + 2.0 * root).sqrt());
    [((yy + root) * u - xy * v) * scale, ((xx + root) * v - xy * u) * scale]
}

/// Whether a piece turns outwards all along its border, at rest.
fn is_convex(
    of: impl Iterator<Item = usize>,
    faces: &[Face],
    sides: &[Side],
    rest: &impl Fn(u32) -> Vec2,
) -> bool {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for face in of {
        let (corners, across) = (faces[face].corners, sides[face].across);
        for k in (0..3).filter(|&k| across[k].0 == super::NOBODY) {
            edges.push([corners[k], corners[(k + 1) % 3]]);
        }
    }
    edges.sort_unstable();
    edges.iter().all(|&[a, b]| {
        let from = edges.partition_point(|edge| edge[0] < b);
        let to = edges.partition_point(|edge| edge[0] <= b);
        if to != from + 1 {
            return false;
        }
        let (along, next) = (rest(b) - rest(a), rest(edges[from][1]) - rest(b));
        let sine = along.perp_dot(next) / (along.length() * next.length());
        // the end of a crack turns back
        sine > STRAIGHT || sine > -STRAIGHT && along.dot(next) > 0.0
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::Surface;
    use super::*;
    use crate::math::Rot;
    use crate::solids::particles::NewParticle;

    const CELLS: u32 = 30;

    /// Rows of squares of 1 m, with vertices where `place` puts them and velocities that lead to `next` within 1 s.
    fn sheet(place: impl Fn(Vec2) -> Vec3, next: impl Fn(Vec2) -> Vec3) -> (Surface, Particles) {
        let mut particles = Particles::default();
        for i in 0..=CELLS {
            for j in 0..=CELLS {
                particles.push(NewParticle {
                    rest: Vec3::new(i as f32, 0.0, -(j as f32)),
                    mass: 1.0,
                    inertia: None,
                    radii: [0.01; 3],
                    axes: Rot::IDENTITY,
                    friction: [0.0; 2],
                    restitution: 0.0,
                    material: 0,
                });
                let at = Vec2::new(i as f32, j as f32);
                let k = particles.len() - 1;
                particles.position[k] = place(at);
                particles.velocity[k] = next(at) - place(at);
            }
        }
        let at = |i: u32, j: u32| i * (CELLS + 1) + j;
        let squares = (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| (i, j)));
        let corners = squares.flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        });
        let face = |(corners, tet)| Face { corners, tet, opened: false };
        let faces: Vec<Face> = corners.zip(0..).map(face).collect();
        let mut surface = Surface::default();
        surface.follow(&faces, &[], &particles);
        let pieces = std::iter::once((0..particles.len(), Some(true)));
        surface.follow_motion(pieces, &[], &particles, 1.0, &Workers::default());
        (surface, particles)
    }

    /// Bent to a curve of this direction at each length along it.
    fn rolled(angle: impl Fn(f32) -> f32) -> impl Fn(Vec2) -> Vec3 {
        move |p| {
            let steps = 64;
            let ds = p.x / steps as f32;
            let mut at = Vec3::new(0.0, 0.0, -p.y);
            for k in 0..steps {
                let turned = Rot::exp(Vec3::new(0.0, 0.0, angle((k as f32 + 0.5) * ds)));
                at += ds * (turned * Vec3::X);
            }
            at
        }
    }

    /// What is gently bent is left out, and what is folded is not; nor is what will be.
    #[test]
    fn flat_sheets_meet_nothing_of_themselves_and_folded_ones_do() {
        let flat = |p: Vec2| Vec3::new(p.x, 0.0, -p.y);
        let wavy = rolled(|s| 0.3 * crate::math::ops::sin(0.3 * s));
        let fold = rolled(|s| (1.2 * (s - 14.0)).clamp(0.0, 3.1));
        let looked_at = |surface: &Surface| {
            (0..surface.faces().len()).filter(|&face| surface.may_meet_own(face)).count()
        };
        assert_eq!(looked_at(&sheet(flat, flat).0), 0);
        assert_eq!(looked_at(&sheet(&wavy, flat).0), 0);
        for (place, next) in
            [(&fold as &dyn Fn(Vec2) -> Vec3, &fold as &dyn Fn(Vec2) -> Vec3), (&flat, &fold)]
        {
            let (surface, _) = sheet(place, next);
            // the bend and what is beside it; layers are farther apart than they reach
            assert!(looked_at(&surface) > surface.faces().len() / 10, "{}", looked_at(&surface));
        }
    }

    /// Triangles of which is said that they stay apart do: by all pairs of their corners and middles, at ten moments.
    #[test]
    fn what_is_said_to_stay_apart_does() {
        let bent = rolled(|s| 0.05 * s);
        let crumpled = |p: Vec2| {
            let wave = |x: f32| crate::math::ops::sin(x);
            Vec3::new(p.x - 0.15 * wave(1.1 * p.x), 0.3 * wave(0.4 * p.x + 0.5 * p.y), -p.y)
        };
        let (surface, particles) = sheet(bent, crumpled);
        let (mut apart, mut nearest) = (0, f32::INFINITY);
        let count = surface.faces().len();
        for a in 0..count {
            for b in (0..a).filter(|&b| surface.folds.part([a, b]) && !surface.are_banks([a, b])) {
                apart += 1;
                for time in (0..=10).map(|k| 0.1 * k as f32) {
                    let of = |face: usize| {
                        let x = surface.faces()[face].corners.map(|j| {
                            let j = j as usize;
                            particles.position[j] + time * particles.velocity[j]
                        });
                        [x[0], x[1], x[2], (x[0] + x[1] + x[2]) / 3.0]
                    };
                    let (p, q) = (of(a), of(b));
                    let pairs = p.iter().flat_map(|p| q.iter().map(|q| p.distance(*q)));
                    nearest = pairs.fold(nearest, f32::min);
                }
            }
        }
        assert!(apart > 1000, "{apart} pairs");
        assert!(nearest > FLAT * APART, "{nearest} m");
    }
}
