//! A lattice of box-shaped cells, and the particles and bonds made from it.

use fracas::solids::oriented::{OrientedPoint, OrientedShape};

use super::error::require_count;
use super::{GenerateError, Sampling};
use crate::random::signed;

/// Which cells of a lattice are bonded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Neighbourhood {
    /// The 6 that share a face: cheapest, weak against shear.
    Faces,
    /// The 18 that share a face or an edge.
    Edges,
    /// All 26 around: the stiffest, cracks follow the lattice least.
    #[default]
    Full,
}

impl Neighbourhood {
    /// Along how many axes a neighbour may differ.
    fn most_axes(self) -> usize {
        match self {
            Self::Faces => 1,
            Self::Edges => 2,
            Self::Full => 3,
        }
    }
}

/// Cells around the origin.
pub(super) struct Lattice {
    /// Cells along x, y and z; their product is at most what may be asked for, or, for shapes that
    /// leave cells out, about twice that.
    counts: [usize; 3],
    /// Width of a cell along x, y and z, in m.
    spacing: [f64; 3],
}

/// Of an ellipsoid with the proportions and the volume of a box: radius over side, ∛(3/4π).
const RADIUS_OVER_SIDE: f64 = 0.620_350_490_899_400_1;

/// Where a cell was left out.
const NONE: u32 = u32::MAX;

/// The cells of a lattice by place, with the particles in them.
pub(crate) struct Cells {
    /// Along x, y and z.
    pub counts: [usize; 3],
    /// Width along x, y and z, in m.
    pub spacing: [f64; 3],
    /// Particle of each cell, x innermost; none where it was left out.
    numbers: Vec<u32>,
}

impl Cells {
    /// Particle of a cell, if it is in the lattice and was kept.
    pub fn number(&self, at: [i64; 3]) -> Option<u32> {
        let [x, y, z] = at.map(|i| usize::try_from(i).unwrap_or(usize::MAX));
        let [nx, ny, nz] = self.counts;
        let inside = x < nx && y < ny && z < nz;
        let number = *self.numbers.get(inside.then(|| (z * ny + y) * nx + x)?)?;
        (number != NONE).then_some(number)
    }

    /// Side of a cube of the volume of a cell, in m.
    pub fn width(&self) -> f64 {
        self.spacing.iter().product::<f64>().cbrt()
    }

    /// Coordinate of the lower side of a cell along an axis, in m.
    pub fn side(&self, axis: usize, i: i64) -> f64 {
        (i as f64 - 0.5 * self.counts[axis] as f64) * self.spacing[axis]
    }
}

impl Lattice {
    /// Fills a box around the origin with so many cells.
    pub(super) fn in_box(size: [f64; 3], counts: [u32; 3]) -> Result<Self, GenerateError> {
        if counts.contains(&0) {
            return Err(GenerateError::EmptyLattice(counts));
        }
        let cells = counts.iter().fold(1u64, |cells, &n| cells.saturating_mul(u64::from(n)));
        require_count(cells)?;
        let spacing = std::array::from_fn(|axis| size[axis] / f64::from(counts[axis]));
        Self::new(counts.map(|n| n as usize), spacing)
    }

    /// So many cells of this width.
    pub(super) fn new(counts: [usize; 3], spacing: [f64; 3]) -> Result<Self, GenerateError> {
        for width in spacing {
            if !(1.0e-6..=1.0e6).contains(&width) {
                return Err(GenerateError::BadCell { found: width as f32 });
            }
        }
        Ok(Self { counts, spacing })
    }

    /// Width of a cell along x, y and z, in m.
    pub(super) fn spacing(&self) -> [f64; 3] {
        self.spacing
    }

    /// One particle for each cell whose centre `keeps`, with volumes that sum to `volume`.
    pub(super) fn fill(
        &self,
        volume: f64,
        keeps: impl Fn([f64; 3]) -> bool,
        sampling: &Sampling,
    ) -> Result<OrientedShape, GenerateError> {
        if !(0.0..=0.4).contains(&sampling.jitter) {
            return Err(GenerateError::BadJitter { found: sampling.jitter });
        }

        let (centres, index) = self.keep(keeps);
        let cell = self.cell(volume / centres.len() as f64);
        let centres = jittered(centres, self.spacing, sampling);
        let points = centres
            .into_iter()
            .map(|centre| OrientedPoint { position: centre.map(|x| x as f32), ..cell })
            .collect();
        let bonds = self.bonds(&index, sampling.neighbourhood);
        Ok(OrientedShape { points, bonds, ..OrientedShape::default() })
    }

    /// Axes from the innermost loop to the outermost: from fewest cells to most.
    fn axes(&self) -> [usize; 3] {
        let mut axes = [0, 1, 2];
        axes.sort_by_key(|&axis| self.counts[axis]);
        axes
    }

    /// Cells along each loop, from the innermost to the outermost.
    fn rows(&self) -> [usize; 3] {
        self.axes().map(|axis| self.counts[axis])
    }

    /// Centres of the cells that are kept, and the number of each cell's particle.
    fn keep(&self, keeps: impl Fn([f64; 3]) -> bool) -> (Vec<[f64; 3]>, Vec<u32>) {
        let (axes, rows) = (self.axes(), self.rows());
        let mut centres = Vec::new();
        let mut index = Vec::with_capacity(rows[0] * rows[1] * rows[2]);
        for outer in 0..rows[2] {
            for middle in 0..rows[1] {
                for inner in 0..rows[0] {
                    let mut centre = [0.0; 3];
                    for (axis, i) in axes.into_iter().zip([inner, middle, outer]) {
                        // exact halves, so that opposite cells are mirror images to the bit
                        let from_middle = i as f64 - 0.5 * (self.counts[axis] - 1) as f64;
                        centre[axis] = from_middle * self.spacing[axis];
                    }
                    if keeps(centre) {
                        index.push(centres.len() as u32);
                        centres.push(centre);
                    } else {
                        index.push(NONE);
                    }
                }
            }
        }
        (centres, index)
    }

    /// All cells, with the particles of those that are kept.
    pub(super) fn cells(&self, keeps: impl Fn([f64; 3]) -> bool) -> Cells {
        let (axes, rows) = (self.axes(), self.rows());
        let (_, index) = self.keep(keeps);
        let mut numbers = vec![NONE; index.len()];
        for (k, &number) in index.iter().enumerate() {
            let mut at = [0; 3];
            let loops = [k % rows[0], k / rows[0] % rows[1], k / (rows[0] * rows[1])];
            for (axis, i) in axes.into_iter().zip(loops) {
                at[axis] = i;
            }
            numbers[(at[2] * self.counts[1] + at[1]) * self.counts[0] + at[0]] = number;
        }
        Cells { counts: self.counts, spacing: self.spacing, numbers }
    }

    /// A particle of this volume with the proportions of a cell, at the origin.
    fn cell(&self, volume: f64) -> OrientedPoint {
        let [x, y, z] = self.spacing;
        let scale = (volume / (x * y * z)).cbrt();
        let sides = self.spacing.map(|side| scale * side);
        // ∫ x² dV over a box of side a is V a²/12
        let [xx, yy, zz] = sides.map(|side| (volume * side * side / 12.0) as f32);
        OrientedPoint {
            position: [0.0; 3],
            volume: volume as f32,
            second_moment: [xx, yy, zz, 0.0, 0.0, 0.0],
            radii: sides.map(|side| (RADIUS_OVER_SIDE * side) as f32),
            axes: [0.0, 0.0, 0.0, 1.0],
            material: 0,
        }
    }

    /// Pairs of neighbours, the lower number first, in order.
    fn bonds(&self, index: &[u32], neighbourhood: Neighbourhood) -> Vec<[u32; 2]> {
        let rows = self.rows().map(|n| n as i64);
        let offsets = offsets_ahead(neighbourhood);
        let mut bonds = Vec::new();
        let mut cell = 0;
        for outer in 0..rows[2] {
            for middle in 0..rows[1] {
                for inner in 0..rows[0] {
                    let from = index[cell];
                    cell += 1;
                    if from == NONE {
                        continue;
                    }
                    for [o, m, i] in &offsets {
                        let at = [inner + i, middle + m, outer + o];
                        if (0..3).any(|axis| at[axis] < 0 || at[axis] >= rows[axis]) {
                            continue;
                        }
                        let to = index[((at[2] * rows[1] + at[1]) * rows[0] + at[0]) as usize];
                        if to != NONE {
                            bonds.push([from, to]);
                        }
                    }
                }
            }
        }
        bonds
    }
}

/// Steps (outer, middle, inner) to the neighbours that come later in the loops, in their order:
/// with the steps back from those, each pair is met once.
fn offsets_ahead(neighbourhood: Neighbourhood) -> Vec<[i64; 3]> {
    let mut offsets = Vec::new();
    for outer in -1..=1 {
        for middle in -1..=1 {
            for inner in -1..=1 {
                let step = [outer, middle, inner];
                let axes = step.iter().filter(|&&s| s != 0).count();
                if step > [0, 0, 0] && axes <= neighbourhood.most_axes() {
                    offsets.push(step);
                }
            }
        }
    }
    offsets
}

/// Shifts each centre at random; their mean, the centre of mass, stays.
fn jittered(mut centres: Vec<[f64; 3]>, spacing: [f64; 3], sampling: &Sampling) -> Vec<[f64; 3]> {
    if sampling.jitter == 0.0 {
        return centres;
    }
    for axis in 0..3 {
        let reach = f64::from(sampling.jitter) * spacing[axis];
        let shift = |i: usize| reach * signed(sampling.seed, &[i as u64, axis as u64]);
        let mean = (0..centres.len()).map(shift).sum::<f64>() / centres.len() as f64;
        for (i, centre) in centres.iter_mut().enumerate() {
            centre[axis] += shift(i) - mean;
        }
    }
    centres
}
