//! Nearly convex parts.

use std::collections::BTreeMap;

use fracas::glam::DVec3;
use parry3d_f64::transformation::try_convex_hull;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

use super::{FractureError, connect};
use crate::tets::TetMesh;

/// Approximate convex decomposition: parry's V-HACD (Mamou, Ghorbel, *A simple and efficient
/// approach for 3D mesh approximate convex decomposition*, ICIP 2009) cuts the voxels of the solid
/// by planes, each tetrahedron goes to the part that holds its centre, and parts are joined where
/// that leaves them most convex until there are at most `count` (the step of V-HACD that parry
/// leaves out). Hollows without a way out count as filled: telling them from the solid, parry takes
/// the middle layer of a plate for one.
pub(super) fn parts(
    mesh: &TetMesh,
    neighbours: &[[Option<u32>; 4]],
    count: u32,
) -> Result<Vec<u32>, FractureError> {
    let (_, components) = mesh.components();
    if (count as usize) < components {
        return Err(FractureError::FewerThanComponents { count, components });
    }
    // what is more than the tetrahedra cannot be met anyway
    let most = count.min(mesh.tets.len() as u32);
    let surface = mesh.surface();
    // from every voxel: a hull of every fourth is too small, and two blocks joined by a bridge then
    // count as convex halves
    let parameters = VHACDParameters {
        max_convex_hulls: most,
        convex_hull_downsampling: 1,
        ..VHACDParameters::default()
    };
    let decomposition = VHACD::decompose(&parameters, &surface.vertices, &surface.triangles, false);
    let voxels = Voxels::new(&decomposition);
    let labels: Vec<u32> =
        (0..mesh.tets.len()).map(|tet| voxels.part_at(mesh.centre(tet))).collect();
    let (labels, found) = connect::connect(mesh, neighbours, &labels);
    Ok(join(mesh, neighbours, labels, found, most as usize))
}

/// The part that each voxel of the box around the solid belongs to.
struct Voxels {
    origin: DVec3,
    scale: f64,
    size: [usize; 3],
    part: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Voxels {
    /// Voxels outside all parts get that of the nearest, counted in steps over faces.
    fn new(decomposition: &VHACD) -> Self {
        let parts = decomposition.voxel_parts();
        let first = parts.iter().find(|part| !part.is_empty());
        let (origin, scale) = first.map_or((DVec3::ZERO, 1.0), |part| (part.origin, part.scale));
        let mut size = [1; 3];
        let coordinates = |voxel: [i32; 3]| voxel.map(|x| x.max(0) as usize);
        for voxel in parts.iter().flat_map(|part| part.voxels()) {
            let at = coordinates(voxel.coords.to_array().map(|x| x as i32));
            size = std::array::from_fn(|axis| size[axis].max(at[axis] + 1));
        }
        let mut voxels = Self { origin, scale, size, part: vec![NONE; size.iter().product()] };
        let mut filled = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            for voxel in part.voxels() {
                let at = coordinates(voxel.coords.to_array().map(|x| x as i32));
                let index = voxels.index(at);
                voxels.part[index] = number as u32;
                filled.push(at);
            }
        }
        voxels.spread(filled);
        voxels
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    /// Fills the empty voxels from those around them.
    fn spread(&mut self, mut filled: Vec<[usize; 3]>) {
        let mut next = 0;
        while let Some(&at) = filled.get(next) {
            next += 1;
            for axis in 0..3 {
                for to in [at[axis].wrapping_sub(1), at[axis] + 1] {
                    let mut beside = at;
                    beside[axis] = to;
                    if to < self.size[axis] && self.part[self.index(beside)] == NONE {
                        let (from, to) = (self.index(at), self.index(beside));
                        self.part[to] = self.part[from];
                        filled.push(beside);
                    }
                }
            }
        }
    }

    /// The part at a place; the nearest voxel of the box counts outside.
    fn part_at(&self, place: DVec3) -> u32 {
        // voxel i reaches from i − ½ to i + ½
        let voxel = ((place - self.origin) / self.scale).round().to_array();
        let at =
            std::array::from_fn(|axis| (voxel[axis].max(0.0) as usize).min(self.size[axis] - 1));
        self.part[self.index(at)]
    }
}

/// A part and the corners of its convex hull.
struct Part {
    volume: f64,
    hull: Vec<DVec3>,
}

/// Joins the two neighbours whose union lacks least volume to its convex hull, until there are at
/// most `most`.
fn join(
    mesh: &TetMesh,
    neighbours: &[[Option<u32>; 4]],
    mut labels: Vec<u32>,
    count: usize,
    most: usize,
) -> Vec<u32> {
    if count <= most {
        return labels;
    }
    let mut parts: Vec<Part> = (0..count).map(|_| Part { volume: 0.0, hull: Vec::new() }).collect();
    for (tet, &label) in labels.iter().enumerate() {
        parts[label as usize].volume += mesh.tet_volume(tet);
        parts[label as usize].hull.extend(mesh.corners(tet));
    }
    for part in &mut parts {
        part.hull = convex_hull(&part.hull).0;
    }
    let mut lacks: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for (a, areas) in connect::shared_areas(mesh, neighbours, &labels, count).iter().enumerate() {
        for &b in areas.keys().filter(|&&b| b as usize > a) {
            lacks.insert([a as u32, b], lack(&parts[a], &parts[b as usize]));
        }
    }

    let mut into: Vec<u32> = (0..count as u32).collect();
    for _ in most..count {
        // the first of equals
        let least = lacks.iter().min_by(|a, b| a.1.total_cmp(b.1));
        let Some((&[a, b], _)) = least else { break };
        let gone = std::mem::replace(&mut parts[b as usize], Part { volume: 0.0, hull: vec![] });
        let kept = &mut parts[a as usize];
        kept.volume += gone.volume;
        kept.hull.extend(gone.hull);
        kept.hull = convex_hull(&kept.hull).0;
        into.iter_mut().filter(|to| **to == b).for_each(|to| *to = a);

        let touched: Vec<[u32; 2]> =
            lacks.keys().filter(|pair| pair.contains(&a) || pair.contains(&b)).copied().collect();
        for pair in touched {
            lacks.remove(&pair);
            let [c, d] = pair.map(|part| if part == b { a } else { part });
            if c != d {
                let lack = lack(&parts[c as usize], &parts[d as usize]);
                lacks.insert([c.min(d), c.max(d)], lack);
            }
        }
    }
    labels.iter_mut().for_each(|label| *label = into[*label as usize]);
    labels
}

/// Volume that the union of two parts lacks to its convex hull.
fn lack(a: &Part, b: &Part) -> f64 {
    let points: Vec<DVec3> = a.hull.iter().chain(&b.hull).copied().collect();
    convex_hull(&points).1 - a.volume - b.volume
}

/// Corners and volume of the convex hull; of what has none, the points and no bound on the volume.
fn convex_hull(points: &[DVec3]) -> (Vec<DVec3>, f64) {
    match try_convex_hull(points) {
        Ok((corners, triangles)) => {
            let origin = corners.first().copied().unwrap_or_default();
            let volume = |triangle: [u32; 3]| {
                let [a, b, c] = triangle.map(|v| corners[v as usize] - origin);
                a.dot(b.cross(c)) / 6.0
            };
            let volume = triangles.into_iter().map(volume).sum();
            (corners, volume)
        }
        Err(_) => (points.to_vec(), f64::INFINITY),
    }
}
