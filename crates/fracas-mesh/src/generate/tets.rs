//! Blocks as tetrahedra: a lattice of cells with five in each.
//!
//! The one in the middle of a cell has the four corners whose coordinates, counted in cells, sum to an even number; the
//! other four corners are cut off. So the diagonal of a face between two cells is the same for both, and no
//! direction is preferred over its mirror image.

use fracas::glam::DVec3;

use super::error::{require_length, require_size};
use super::resolution::block_counts;
use super::{GenerateError, MAX_ELEMENTS, Resolution};
use crate::tets::TetMesh;

/// Tetrahedra of a cell.
const OF_CELL: u64 = 5;

/// The corners of a cell, as bits of x, y and z, in a cell whose first corner is even; those of the others are mirrored.
const CORNERS: [[usize; 4]; OF_CELL as usize] =
    [[0, 5, 3, 6], [1, 3, 0, 5], [2, 0, 3, 6], [4, 5, 0, 6], [7, 5, 6, 3]];

/// A block of `size` along x, y and z, in m, around the origin. A `Count` is that of tetrahedra.
///
/// ```
/// use fracas_mesh::generate::{Resolution, tets};
///
/// let cube = tets::block([1.0; 3], Resolution::Lattice([2, 2, 2]))?;
/// assert_eq!((cube.tets.len(), cube.vertices.len()), (40, 27));
/// # Ok::<(), fracas_mesh::generate::GenerateError>(())
/// ```
///
/// # Errors
///
/// See [`GenerateError`].
pub fn block(size: [f64; 3], resolution: Resolution) -> Result<TetMesh, GenerateError> {
    for (what, length) in ["size along x", "size along y", "size along z"].into_iter().zip(size) {
        require_length(what, length)?;
    }
    Ok(filled(size, cells(size, resolution)?))
}

/// A block of `length` along x, `height` along y and `width` along z, in m.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn bar(
    length: f64,
    width: f64,
    height: f64,
    resolution: Resolution,
) -> Result<TetMesh, GenerateError> {
    block([length, height, width], resolution)
}

/// A block of `length` along x, `thickness` along y and `width` along z, in m.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn plate(
    length: f64,
    width: f64,
    thickness: f64,
    resolution: Resolution,
) -> Result<TetMesh, GenerateError> {
    block([length, thickness, width], resolution)
}

/// Cells along x, y and z.
fn cells(size: [f64; 3], resolution: Resolution) -> Result<[u32; 3], GenerateError> {
    let counts = match resolution {
        Resolution::Count(0) => return Err(GenerateError::NoTets),
        Resolution::Count(tets) => {
            require_elements(f64::from(tets))?;
            block_counts(size, tets.div_ceil(OF_CELL as u32))?
        }
        Resolution::Lattice(counts) if counts.contains(&0) => {
            return Err(GenerateError::EmptyLattice(counts));
        }
        Resolution::Lattice(counts) => counts,
        Resolution::Spacing(spacing) => {
            require_size("spacing", spacing)?;
            let counts = size.map(|length| (length / f64::from(spacing)).round().max(1.0));
            require_elements(OF_CELL as f64 * counts.iter().product::<f64>())?;
            counts.map(|count| count as u32)
        }
    };
    require_elements(OF_CELL as f64 * counts.iter().map(|&n| f64::from(n)).product::<f64>())?;
    Ok(counts)
}

fn require_elements(count: f64) -> Result<(), GenerateError> {
    if count <= MAX_ELEMENTS as f64 {
        return Ok(());
    }
    Err(GenerateError::TooManyElements { count: count as u64 })
}

/// All cells, row by row.
fn filled(size: [f64; 3], cells: [u32; 3]) -> TetMesh {
    let [nx, ny, nz] = cells.map(|n| n as usize + 1);
    let vertex = |[i, j, k]: [usize; 3]| ((i * ny + j) * nz + k) as u32;
    let mut mesh = TetMesh::default();
    for at in triples([nx, ny, nz]) {
        let place = |axis: usize| size[axis] * (at[axis] as f64 / f64::from(cells[axis]) - 0.5);
        mesh.vertices.push(DVec3::from([0, 1, 2].map(place)));
    }
    for at in triples(cells.map(|n| n as usize)) {
        let odd = at.iter().sum::<usize>() % 2 == 1;
        for corners in CORNERS {
            // the mirror image along x, turned so that it is not inside out
            let [a, b, c, d] = corners.map(|k| if odd { k ^ 1 } else { k });
            let ordered = if odd { [a, c, b, d] } else { [a, b, c, d] };
            let corner =
                |k: usize| vertex([at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)]);
            mesh.tets.push(ordered.map(corner));
        }
    }
    mesh
}

fn triples([x, y, z]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..x).flat_map(move |i| (0..y).flat_map(move |j| (0..z).map(move |k| [i, j, k])))
}
