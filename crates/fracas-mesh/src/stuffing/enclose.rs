//! Whole cells around a surface, by parry.

use parry3d_f64::transformation::{VolumeMeshParameters, volume_mesh};

use super::lattice::MAX_POINTS;
use super::shape::Shape;
use super::{COUNT_TOLERANCE, FillError};
use crate::tets::TetMesh;

/// Tetrahedra in a cell of parry's lattice, a body-centred cubic one.
const TETS_PER_CELL: f64 = 12.0;

/// Cell sizes that are tried. The count jumps by whole cells, so the search may have to try some
/// beside the best one.
const ATTEMPTS: u32 = 60;

/// Encloses a shape in about `tets` tetrahedra.
pub(super) fn enclose(shape: &Shape, tets: u32) -> Result<TetMesh, FillError> {
    let wished = f64::from(tets);
    let mut size = (TETS_PER_CELL * shape.volume / wished).cbrt();
    // sizes known to give too many and too few
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    let mut closest: Option<usize> = None;
    for attempt in 0..ATTEMPTS {
        let cells = (shape.bounds[1] - shape.bounds[0]) / size + 5.0;
        let points = 2.0 * cells.element_product();
        if points.is_nan() || points > MAX_POINTS {
            return Err(FillError::LatticeTooLarge { points });
        }
        let parameters = VolumeMeshParameters::new(size);
        let (vertices, triangles) = (&shape.surface.vertices, &shape.surface.triangles);
        let Some(found) = volume_mesh(vertices, triangles, &parameters) else {
            return Err(FillError::NotClosed);
        };
        let count = found.cells.len();
        if (count as f64 - wished).abs() <= COUNT_TOLERANCE * wished {
            let (vertices, tets) = (found.vertices, found.cells);
            return Ok(TetMesh { vertices, tets, ..TetMesh::default() });
        }
        if closest.is_none_or(|best| best.abs_diff(tets as usize) > count.abs_diff(tets as usize)) {
            closest = Some(count);
        }
        if count as f64 > wished {
            low = low.max(size);
        } else {
            high = high.min(size);
        }
        let guess = size * (count as f64 / wished).cbrt();
        size = if low < high && high.is_finite() && low > 0.0 {
            // between the two, nearer to one side each time: the count is not monotone
            let part = [0.5, 0.3, 0.7, 0.1, 0.9][attempt as usize % 5];
            if guess > low && guess < high && attempt % 2 == 0 {
                guess
            } else {
                low + part * (high - low)
            }
        } else if low < high {
            guess
        } else {
            // crossed: the noise is greater than the bracket, so open it again
            (low, high) = (0.0, f64::INFINITY);
            guess * (1.0 + 0.01 * f64::from(attempt % 7))
        };
    }
    Err(FillError::CountMissed { tets, closest: closest.unwrap_or(0) })
}
