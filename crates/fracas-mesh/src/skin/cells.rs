//! Skins of lattices: the cells themselves, or a round surface cut along them.

use std::collections::BTreeMap;

use fracas::glam::{DVec3, Vec3};
use fracas::skin::{Face, InsideFace, SkinMesh};

use super::nearest::NearestPoint;
use super::of_clipped;
use crate::clip::{self, Partition, PartitionFace};
use crate::generate::Cells;
use crate::surface::Surface;

/// Fewest quads along an edge of a block that is more than one particle thick: enough to show how it bends.
const FEWEST: usize = 4;

/// Cells that the partition goes on beyond the surface, in which it ends nowhere near it.
const BEYOND: i64 = 1;

/// All cells with their faces, finer than the lattice where that is coarse.
pub(super) fn boxes(cells: &Cells) -> SkinMesh {
    let fine = cells.counts.map(|n| if n > 1 { FEWEST.div_ceil(n) as i64 } else { 1 });
    let mut mesh = SkinMesh::default();
    let mut known = BTreeMap::new();
    let mut vertex = |at: [i64; 3]| {
        *known.entry(at).or_insert_with(|| {
            let place = |k: usize| {
                let (cell, part) = (at[k].div_euclid(fine[k]), at[k].rem_euclid(fine[k]));
                let share = part as f64 / fine[k] as f64;
                (1.0 - share) * cells.side(k, cell) + share * cells.side(k, cell + 1)
            };
            mesh.vertices.push([0, 1, 2].map(|k| place(k) as f32));
            mesh.vertices.len() as u32 - 1
        })
    };
    let counts = cells.counts.map(|n| n as i64);
    let whole = [0, 1, 2].map(|axis| 0..counts[axis]);
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for_faces(&whole, |axis, at| {
        let (below, above) = (cells.number(before(axis, at)), cells.number(at));
        for triangle in quads(axis, at, fine) {
            let [a, b, c] = triangle.map(&mut vertex);
            match (below, above) {
                (Some(first), Some(second)) => {
                    inside.push(InsideFace { corners: [a, b, c], between: [first, second] });
                }
                (Some(owner), None) => outside.push(Face { corners: [a, b, c], owner }),
                (None, Some(owner)) => outside.push(Face { corners: [a, c, b], owner }),
                (None, None) => {}
            }
        }
    });
    SkinMesh { outside, inside, ..mesh }
}

/// A closed surface cut along the cells of a lattice that was made to fill it. Where a cell was left out, the
/// nearest that was kept takes its place. Without its inside, should it not be possible to cut it.
pub(super) fn cut(surface: &Surface, cells: &Cells) -> SkinMesh {
    match clip::clip(surface, &partition(surface, cells), 0) {
        Ok(clipped) => of_clipped(surface, &clipped),
        Err(_) => {
            let owners = Owners::new(cells);
            let vertices = surface.vertices.iter().map(|x| x.as_vec3().to_array()).collect();
            let face = |t: usize| {
                let owner = owners.nearest(surface.centre(t).as_vec3());
                Face { corners: surface.triangles[t], owner }
            };
            let outside = (0..surface.triangles.len()).map(face).collect();
            SkinMesh { vertices, outside, ..SkinMesh::default() }
        }
    }
}

/// Cells that were kept, by place.
struct Owners {
    tree: NearestPoint,
    numbers: Vec<u32>,
}

impl Owners {
    fn new(cells: &Cells) -> Self {
        let mut kept = Vec::new();
        let [x, y, z] = cells.counts.map(|n| n as i64);
        for at in (0..x * y * z).map(|k| [k % x, k / x % y, k / (x * y)]) {
            kept.extend(cells.number(at).map(|number| (middle(cells, at), number)));
        }
        let tree = NearestPoint::new(kept.iter().map(|(middle, _)| *middle));
        Self { tree, numbers: kept.into_iter().map(|(_, number)| number).collect() }
    }

    fn nearest(&self, at: Vec3) -> u32 {
        self.tree.of(at).map_or(0, |k| self.numbers[k as usize])
    }
}

fn middle(cells: &Cells, at: [i64; 3]) -> Vec3 {
    let side = |k: usize, i: i64| cells.side(k, i);
    Vec3::from([0, 1, 2].map(|k| (0.5 * (side(k, at[k]) + side(k, at[k] + 1))) as f32))
}

/// Faces between cells with different owners, from before the surface to beyond it.
fn partition(surface: &Surface, cells: &Cells) -> Partition {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) =
        surface.vertices.iter().fold(start, |(low, high), &x| (low.min(x), high.max(x)));
    let whole = [0, 1, 2].map(|axis| {
        let cell = |x: f64| ((x - cells.side(axis, 0)) / cells.spacing[axis]).floor() as i64;
        cell(low[axis]) - BEYOND..cell(high[axis]) + 1 + BEYOND
    });
    let owners = Owners::new(cells);
    let owner = |at| cells.number(at).unwrap_or_else(|| owners.nearest(middle(cells, at)));
    let mut known = BTreeMap::new();
    let mut partition =
        Partition { lone: owner(whole.each_ref().map(|r| r.start)), ..Partition::default() };
    for_faces(&whole, |axis, at| {
        if at[axis] == whole[axis].start || at[axis] == whole[axis].end {
            return;
        }
        let between = [owner(before(axis, at)), owner(at)];
        if between[0] == between[1] {
            return;
        }
        for triangle in quads(axis, at, [1; 3]) {
            let corners = triangle.map(|at| {
                *known.entry(at).or_insert_with(|| {
                    let place = [0, 1, 2].map(|k| cells.side(k, at[k]));
                    partition.vertices.push(DVec3::from(place));
                    partition.vertices.len() as u32 - 1
                })
            });
            partition.faces.push(PartitionFace { corners, between });
        }
    });
    partition
}

/// The cell on the other side of the lower face along an axis.
fn before(axis: usize, mut at: [i64; 3]) -> [i64; 3] {
    at[axis] -= 1;
    at
}

/// Calls `face(axis, cell)` for the lower face of every cell along every axis, with those of the cells beyond the
/// end.
fn for_faces(whole: &[std::ops::Range<i64>; 3], mut face: impl FnMut(usize, [i64; 3])) {
    for axis in 0..3 {
        let mut ranges = whole.clone();
        ranges[axis].end += 1;
        for z in ranges[2].clone() {
            for y in ranges[1].clone() {
                for x in ranges[0].clone() {
                    face(axis, [x, y, z]);
                }
            }
        }
    }
}

/// The lower face of a cell along an axis as triangles, in a lattice so many times finer; they look along the axis.
fn quads(axis: usize, cell: [i64; 3], fine: [i64; 3]) -> Vec<[[i64; 3]; 3]> {
    let (along, across) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut triangles = Vec::with_capacity(2 * (fine[along] * fine[across]) as usize);
    for i in 0..fine[along] {
        for j in 0..fine[across] {
            let [a, b, c, d] = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[di, dj]| {
                let mut at = [0, 1, 2].map(|k| cell[k] * fine[k]);
                at[along] += i + di;
                at[across] += j + dj;
                at
            });
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    triangles
}
