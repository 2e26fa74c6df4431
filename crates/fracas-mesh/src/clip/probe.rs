//! What the parts that nothing crosses lie in.

use fracas::glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::Bvh;

use super::crossings::{is_behind, passage};
use super::{ClipError, Partition, Sheets};
use crate::random;

/// The cell that a vertex lies in: the near side of the first face on the way to the nearest.
pub(super) fn cell(sheets: &Sheets, partition: &Partition, vertex: u32) -> Result<u32, ClipError> {
    let point = sheets.vertices[vertex as usize];
    let centres = sheets.partition.iter().map(|&face| sheets.centre(face));
    let near =
        |a: &DVec3, b: &DVec3| a.distance_squared(point).total_cmp(&b.distance_squared(point));
    let Some(nearest) = centres.min_by(near) else { return Ok(partition.lone) };
    // through it, and as far again
    let way = [point, 2.0 * nearest - point];
    let mut first = (f64::INFINITY, partition.lone);
    for (face, &corners) in partition.faces.iter().zip(&sheets.partition) {
        let corners = sheets.corners(corners);
        if let Some(at) = passage(way, corners)?.filter(|&at| at < first.0) {
            first = (at, face.between[usize::from(!is_behind(corners, point)?)]);
        }
    }
    Ok(first.1)
}

/// Whether a vertex lies inside the surface: a way out passes it an odd number of times.
pub(super) fn inside(
    sheets: &Sheets,
    tree: &Bvh,
    vertex: u32,
    key: &[u64; 2],
) -> Result<bool, ClipError> {
    let point = sheets.vertices[vertex as usize];
    let around = tree.root_aabb();
    let size = around.extents().length();
    // almost along x, so that the box of the way holds few triangles
    let aside = |axis| 1.0e-3 * size * random::signed(key[0], &[key[1], u64::from(vertex), axis]);
    let end = DVec3::new(around.maxs.x.max(point.x) + size, point.y + aside(1), point.z + aside(2));
    let mut odd = false;
    for t in tree.intersect_aabb(&Aabb::new(point.min(end), point.max(end))) {
        odd ^= passage([point, end], sheets.corners(sheets.surface[t as usize]))?.is_some();
    }
    Ok(odd)
}
