//! Sheets of triangles.

use super::{GenerateError, Resolution, Sampling, require_size, resolution};
use fracas::solids::sheet::SheetShape;

/// A sheet of `length` along x and `width` along z, in m, as squares of two triangles each whose diagonals alternate. A lattice tells how
/// many squares, a count about how many vertices; the jitter shifts vertices within, so that nothing runs along rows.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn triangle_sheet(
    length: f32,
    width: f32,
    sampling: &Sampling,
) -> Result<SheetShape, GenerateError> {
    require_size("length", length)?;
    require_size("width", width)?;
    let size = [length, width].map(f64::from);
    let [columns, rows] = squares(size, sampling.resolution)?;
    let mut shape = SheetShape::default();
    let mut state = sampling.seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut shake = |cell: f64| {
        // xorshift
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let share = (state >> 11) as f64 / (1u64 << 53) as f64;
        f64::from(sampling.jitter) * cell * (2.0 * share - 1.0)
    };
    let cell = [size[0] / f64::from(columns), size[1] / f64::from(rows)];
    for i in 0..=columns {
        for j in 0..=rows {
            let inside = i > 0 && j > 0 && i < columns && j < rows;
            let mut along = |k: u32, axis: usize| {
                let shift = if inside { shake(cell[axis]) } else { 0.0 };
                (f64::from(k) * cell[axis] - 0.5 * size[axis] + shift) as f32
            };
            shape.vertices.push([along(i, 0), along(j, 1)]);
        }
    }
    let at = |i: u32, j: u32| i * (rows + 1) + j;
    for i in 0..columns {
        for j in 0..rows {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 {
                shape.triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                shape.triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    Ok(shape)
}

/// Columns and rows of squares.
fn squares(size: [f64; 2], wanted: Resolution) -> Result<[u32; 2], GenerateError> {
    let flat = |thin: f64| [size[0], thin, size[1]];
    let counts = match wanted {
        Resolution::Count(count) => resolution::sheet_counts(flat(1.0), count)?,
        Resolution::Lattice(counts @ [_, 0 | 1, _]) => counts,
        Resolution::Lattice(counts) => return Err(GenerateError::ThickSheet(counts)),
        Resolution::Spacing(spacing) => {
            resolution::counts_of_spacing(flat(f64::from(spacing)), spacing)?
        }
    };
    Ok([counts[0].max(1), counts[2].max(1)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Neighbourhood;

    /// All of the area, each triangle counter-clockwise, none sharper than 20° without jitter.
    #[test]
    fn triangles_fill_the_sheet() {
        for (resolution, jitter) in [
            (Resolution::Lattice([7, 1, 5]), 0.0),
            (Resolution::Spacing(0.03), 0.2),
            (Resolution::Count(400), 0.1),
        ] {
            let neighbourhood = Neighbourhood::Full;
            let sampling = Sampling { resolution, neighbourhood, jitter, seed: 3 };
            let shape = triangle_sheet(0.4, 0.3, &sampling).unwrap();
            let mut area = 0.0;
            for corners in &shape.triangles {
                let [a, b, c] = corners.map(|v| shape.vertices[v as usize].map(f64::from));
                let twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
                assert!(twice > 0.0, "{corners:?} is clockwise");
                area += 0.5 * twice;
            }
            assert!((area - 0.12).abs() < 1e-6, "{area} m² instead of 0.12 m²");
        }
    }
}
