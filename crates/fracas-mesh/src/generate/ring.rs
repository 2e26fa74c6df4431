//! A torus, and the lattice for a wished number of particles in it.

use super::GenerateError;
use super::error::{MAX_CELLS, require_count};
use super::lattice::Lattice;

/// A torus around the y axis.
pub(super) struct Ring {
    /// From the axis to the middle of the tube, in m.
    radius: f64,
    /// Radius of the tube, in m.
    tube: f64,
}

/// The search for a lattice ends at this miss of the count.
const MET: f64 = 0.01;

impl Ring {
    /// Checks the radii.
    pub fn new(radius: f64, tube: f64) -> Result<Self, GenerateError> {
        if tube < radius {
            Ok(Self { radius, tube })
        } else {
            Err(GenerateError::ThickTube { radius, tube })
        }
    }

    /// 2π²Rr², in m³.
    pub fn volume(&self) -> f64 {
        let pi = std::f64::consts::PI;
        2.0 * pi * pi * self.radius * self.tube * self.tube
    }

    /// Sides of the box around it, in m.
    pub fn size(&self) -> [f64; 3] {
        let across = 2.0 * (self.radius + self.tube);
        [across, 2.0 * self.tube, across]
    }

    /// Whether a cell belongs to it: its centre lies inside, or the middle of the tube passes
    /// through it. The latter alone hang together by their faces.
    pub fn keeps(&self, [x, y, z]: [f64; 3], spacing: [f64; 3]) -> bool {
        let out = (x * x + z * z).sqrt() - self.radius;
        if out * out + y * y <= self.tube * self.tube {
            return true;
        }
        let [half_x, half_y, half_z] = spacing.map(|width| 0.5 * width);
        let [x, y, z] = [x.abs(), y.abs(), z.abs()];
        let near = [(x - half_x).max(0.0), (z - half_z).max(0.0)];
        let far = [x + half_x, z + half_z];
        let square = |[x, z]: [f64; 2]| x * x + z * z;
        let radius = self.radius * self.radius;
        y <= half_y && square(near) <= radius && radius <= square(far)
    }

    /// A lattice of cubic cells of which about `wished` are kept.
    ///
    /// How many are kept falls with their width, up to steps: bisection, once with a layer of cells
    /// in the middle plane and once with two at its sides, and of all that were met the nearest.
    pub fn lattice(&self, wished: u32) -> Result<Lattice, GenerateError> {
        require_count(u64::from(wished))?;
        let wished = f64::from(wished);
        let cubic = (self.volume() / wished).cbrt();
        // the cells that the middle passes through alone are about 8 R/h
        let widest = cubic.max(8.0 * self.radius / wished);
        let mut best = (f64::INFINITY, [1; 3], widest);
        for parity in [1, 0] {
            let (mut narrow, mut wide) = (0.5 * cubic, 2.0 * widest);
            // first where the count is to be expected
            let mut width = cubic;
            for _ in 0..24 {
                let counts = self.cells(width, parity);
                let count = self.count(counts, width)?;
                let miss = (count / wished - 1.0).abs();
                if miss < best.0 {
                    best = (miss, counts, width);
                }
                if miss <= MET {
                    break;
                }
                if count > wished {
                    narrow = width;
                } else {
                    wide = width;
                }
                width = (narrow * wide).sqrt();
            }
        }
        let (_, counts, width) = best;
        Lattice::new(counts, [width; 3])
    }

    /// Cells along each axis that hold the ring; those along y even or odd.
    fn cells(&self, width: f64, parity: usize) -> [usize; 3] {
        let [across, up, _] = self.size().map(|size| (size / width).ceil().max(1.0) as usize);
        let up = if up % 2 == parity { up } else { up + 1 };
        [across, up, across]
    }

    /// How many cells are kept.
    fn count(&self, counts: [usize; 3], width: f64) -> Result<f64, GenerateError> {
        let cells = counts.iter().fold(1u64, |cells, &n| cells.saturating_mul(n as u64));
        if cells > MAX_CELLS {
            return Err(GenerateError::TooManyCells { count: cells });
        }
        let centre = |i: usize, axis: usize| (i as f64 - 0.5 * (counts[axis] - 1) as f64) * width;
        let mut kept = 0u64;
        for i in 0..counts[0] {
            for j in 0..counts[1] {
                for k in 0..counts[2] {
                    let at = [centre(i, 0), centre(j, 1), centre(k, 2)];
                    kept += u64::from(self.keeps(at, [width; 3]));
                }
            }
        }
        Ok(kept as f64)
    }
}
