//! A curve that fills space: what is near on it is near in space.

use fracas::glam::DVec3;

use crate::tets::TetMesh;

/// Bits of each coordinate in a place on the curve.
const BITS: u32 = 21;

/// How far along the Hilbert curve through a box a point lies (Skilling, *Programming the Hilbert
/// curve*, AIP Conf. Proc. 707, 2004: coordinates to the transposed index, whose bits are then
/// interleaved).
fn hilbert(place: DVec3, [low, high]: [DVec3; 2]) -> u64 {
    let cells = f64::from((1u32 << BITS) - 1);
    // one scale for all axes, so that cells are cubes
    let extent = (high - low).max_element();
    let scale = if extent > 0.0 { cells / extent } else { 0.0 };
    let mut x = ((place - low) * scale).to_array().map(|x| x.clamp(0.0, cells) as u32);

    // undo the rotations and reflections of the larger cubes
    let mut bit = 1 << (BITS - 1);
    while bit > 1 {
        let below = bit - 1;
        for i in 0..3 {
            if x[i] & bit != 0 {
                x[0] ^= below;
            } else {
                let exchanged = (x[0] ^ x[i]) & below;
                x[0] ^= exchanged;
                x[i] ^= exchanged;
            }
        }
        bit >>= 1;
    }
    // Gray code
    x[1] ^= x[0];
    x[2] ^= x[1];
    let mut flipped = 0;
    let mut bit = 1 << (BITS - 1);
    while bit > 1 {
        if x[2] & bit != 0 {
            flipped ^= bit - 1;
        }
        bit >>= 1;
    }
    x = x.map(|x| x ^ flipped);

    (0..BITS)
        .rev()
        .fold(0, |code, bit| x.iter().fold(code, |code, &x| code << 1 | u64::from(x >> bit & 1)))
}

/// Indices of points in the order of the curve through the box around them; those at one place by
/// index.
pub(crate) fn order(points: &[DVec3]) -> Vec<usize> {
    let Some(&first) = points.first() else { return Vec::new() };
    let bounds = points.iter().fold([first; 2], |[low, high], &x| [low.min(x), high.max(x)]);
    let mut order: Vec<(u64, usize)> =
        points.iter().enumerate().map(|(i, &x)| (hilbert(x, bounds), i)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

/// The part of each tetrahedron, parts numbered anew along the curve by their centres.
pub(super) fn numbered(mesh: &TetMesh, parts: &[u32], count: usize) -> Vec<u32> {
    let mut centres = vec![DVec3::ZERO; count];
    let mut volumes = vec![0.0; count];
    for (tet, &part) in parts.iter().enumerate() {
        let volume = mesh.tet_volume(tet);
        centres[part as usize] += volume * mesh.centre(tet);
        volumes[part as usize] += volume;
    }
    for (centre, volume) in centres.iter_mut().zip(volumes) {
        *centre /= volume;
    }
    let mut new = vec![0; count];
    for (number, part) in order(&centres).into_iter().enumerate() {
        new[part] = number as u32;
    }
    parts.iter().map(|&part| new[part as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve visits every cell of a cube, each step to a cell that shares a face.
    #[test]
    fn the_curve_steps_from_cell_to_neighbouring_cell() {
        let mut cells = Vec::new();
        for x in 0..8 {
            for y in 0..8 {
                for z in 0..8 {
                    cells.push(DVec3::new(x.into(), y.into(), z.into()));
                }
            }
        }
        let order = order(&cells);
        for pair in order.windows(2) {
            assert_eq!((cells[pair[0]] - cells[pair[1]]).abs().element_sum(), 1.0);
        }
    }
}
