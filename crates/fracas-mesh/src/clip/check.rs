//! Whether what comes in can be cut, and whether what goes out is closed.

use super::{ClipError, Clipped, Partition};
use crate::surface::Surface;

/// Whether all corners exist and are finite, and all faces lie between two cells.
pub(super) fn input(surface: &Surface, partition: &Partition) -> Result<(), ClipError> {
    let exist = |corners: &[u32; 3], count: usize| corners.iter().all(|&v| (v as usize) < count);
    let missing = |corners: &[u32; 3]| !exist(corners, surface.vertices.len());
    if let Some(triangle) = surface.triangles.iter().position(missing) {
        return Err(ClipError::MissingVertex { triangle });
    }
    if !surface.vertices.iter().chain(&partition.vertices).all(|x| x.is_finite()) {
        return Err(ClipError::NotFinite);
    }
    for (number, face) in partition.faces.iter().enumerate() {
        if !exist(&face.corners, partition.vertices.len()) {
            return Err(ClipError::MissingPartitionVertex { face: number });
        }
        if face.between[0] == face.between[1] {
            return Err(ClipError::SameCell { face: number, cell: face.between[0] });
        }
    }
    Ok(())
}

/// Whether every cell is closed: it has each edge as often one way as the other.
pub(super) fn closed(clipped: &Clipped) -> Result<(), ClipError> {
    let count = 3 * clipped.outside.len() + 6 * clipped.inside.len();
    let mut sides = Vec::with_capacity(count);
    let mut add = |cell: u32, [a, b, c]: [u32; 3]| {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            sides.push((cell, from.min(to), from.max(to), from < to));
        }
    };
    for part in &clipped.outside {
        add(part.cell, part.corners);
    }
    for part in &clipped.inside {
        let [a, b, c] = part.corners;
        add(part.between[0], [a, b, c]);
        add(part.between[1], [a, c, b]);
    }
    sides.sort_unstable();
    for same in sides.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        if 2 * same.iter().filter(|side| side.3).count() != same.len() {
            return Err(ClipError::Open { cell: same[0].0 });
        }
    }
    Ok(())
}
