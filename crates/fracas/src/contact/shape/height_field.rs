//! Ground given by heights on a grid.

use super::mesh::{Rim, Triangle};
use super::{Aabb, ShapeError, require_points, require_size};
use glam::{DVec3, Vec3};

/// Ground given by heights on a grid over x and z, solid below. Two triangles per cell, parted along
/// the diagonal from the corner with the smallest to the one with the largest x and z.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    columns: usize,
    spacing: [f32; 2],
    /// Row by row, rows along x.
    heights: Vec<f32>,
    bounds: Aabb,
}

/// A range of cells: columns from, to; rows from, to; ends not included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cells {
    pub columns: [usize; 2],
    pub rows: [usize; 2],
}

impl HeightField {
    /// Heights in m: `heights[row * columns + column]` is the ground at x = column · spacing₀,
    /// z = row · spacing₁.
    ///
    /// # Errors
    /// If a height is not finite, a spacing is no usable size, or there are fewer than 2 × 2
    /// heights or no whole number of rows.
    pub fn new(columns: usize, heights: Vec<f32>, spacing: [f32; 2]) -> Result<Self, ShapeError> {
        require_size("spacing of the height field along x", spacing[0])?;
        require_size("spacing of the height field along z", spacing[1])?;
        let found = heights.len();
        if columns < 2 || found < 2 * columns || !found.is_multiple_of(columns) {
            let columns = columns.max(2);
            let allowed =
                format!("a multiple of {columns} (its columns) and at least {}", 2 * columns);
            return Err(ShapeError::WrongCount { list: "heights", allowed, found });
        }
        let at = |i: usize| {
            let (row, column) = (i / columns, i % columns);
            Vec3::new(column as f32 * spacing[0], heights[i], row as f32 * spacing[1])
        };
        let points: Vec<Vec3> = (0..found).map(at).collect();
        require_points("heights", &points)?;
        Ok(Self { columns, spacing, heights, bounds: Aabb::around(points) })
    }

    /// As given, row by row.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Between columns and between rows, in m.
    pub fn spacing(&self) -> [f32; 2] {
        self.spacing
    }

    /// Heights per row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.heights.len() / self.columns
    }

    /// The box around the ground's surface, in its own frame.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The cells under a box given in the frame of the field, none if the box is above all ground.
    pub(crate) fn under(&self, bounds: &Aabb) -> Cells {
        let range = |low: f32, high: f32, spacing: f32, points: usize| {
            let cells = (points - 1) as f32;
            let from = (low / spacing).floor().clamp(0.0, cells) as usize;
            let to = ((high / spacing).floor() + 1.0).clamp(0.0, cells) as usize;
            [from, to.max(from)]
        };
        let b = bounds;
        let outside = b.min.y > self.bounds.max.y
            || b.max.x < 0.0
            || b.max.z < 0.0
            || b.min.x > self.bounds.max.x
            || b.min.z > self.bounds.max.z;
        if outside {
            return Cells { columns: [0, 0], rows: [0, 0] };
        }
        Cells {
            columns: range(b.min.x, b.max.x, self.spacing[0], self.columns),
            rows: range(b.min.z, b.max.z, self.spacing[1], self.rows()),
        }
    }

    fn point(&self, column: usize, row: usize) -> DVec3 {
        let height = self.heights[row * self.columns + column];
        let [dx, dz] = self.spacing.map(f64::from);
        DVec3::new(column as f64 * dx, f64::from(height), row as f64 * dz)
    }

    /// The number of one of the two triangles of a cell.
    pub(crate) fn number(&self, column: usize, row: usize, second: bool) -> u32 {
        2 * (row * self.columns + column) as u32 + u32::from(second)
    }

    /// The ground at a place, which is moved onto the field if it is beside it.
    pub(crate) fn height_at(&self, x: f64, z: f64) -> f64 {
        let [dx, dz] = self.spacing.map(f64::from);
        let cell = |at: f64, count: usize| {
            let at = at.clamp(0.0, (count - 1) as f64);
            let low = at.floor().min((count - 2) as f64);
            (low as usize, at - low)
        };
        let ((c, u), (r, v)) = (cell(x / dx, self.columns), cell(z / dz, self.rows()));
        let at = |c: usize, r: usize| self.point(c, r).y;
        let (near, far) = (at(c, r), at(c + 1, r + 1));
        // beyond the diagonal the triangle of the larger x
        if u > v {
            near + (u - v) * (at(c + 1, r) - near) + v * (far - near)
        } else {
            near + (v - u) * (at(c, r + 1) - near) + u * (far - near)
        }
    }

    /// Corners of one of the two triangles of a cell, counter-clockwise from above.
    pub(crate) fn corners(&self, column: usize, row: usize, second: bool) -> [DVec3; 3] {
        let (c, r) = (column, row);
        if second {
            [self.point(c, r), self.point(c + 1, r + 1), self.point(c + 1, r)]
        } else {
            [self.point(c, r), self.point(c, r + 1), self.point(c + 1, r + 1)]
        }
    }

    /// Across an edge: a triangle of a cell that may lie off the field, and the place of its corner
    /// that is not on the edge.
    fn rim(&self, cell: [Option<usize>; 2], second: bool, opposite: usize) -> Rim {
        let [Some(c), Some(r)] = cell else { return Rim::Open };
        if c + 1 >= self.columns || r + 1 >= self.rows() {
            return Rim::Open;
        }
        let corners = self.corners(c, r, second);
        Rim::Shared { normal: normal(corners), opposite: corners[opposite] }
    }

    /// One of the two triangles of a cell.
    pub(crate) fn triangle(&self, column: usize, row: usize, second: bool) -> Triangle {
        let (c, r) = (column, row);
        let corners = self.corners(c, r, second);
        let rims = if second {
            // diagonal; side of the larger x; side of the smaller z
            [
                self.rim([Some(c), Some(r)], false, 1),
                self.rim([Some(c + 1), Some(r)], false, 2),
                self.rim([Some(c), r.checked_sub(1)], false, 0),
            ]
        } else {
            // side of the smaller x; side of the larger z; diagonal
            [
                self.rim([c.checked_sub(1), Some(r)], true, 0),
                self.rim([Some(c), Some(r + 1)], true, 1),
                self.rim([Some(c), Some(r)], true, 2),
            ]
        };
        Triangle { corners, normal: normal(corners), rims }
    }

    /// Whether `holds` for all points of the grid joined by an edge to the one at this place.
    pub(crate) fn around(&self, at: DVec3, mut holds: impl FnMut(DVec3) -> bool) -> bool {
        let [dx, dz] = self.spacing.map(f64::from);
        let (c, r) = ((at.x / dx).round() as usize, (at.z / dz).round() as usize);
        let ring = [(0, 1), (1, 0), (2, 1), (1, 2), (0, 0), (2, 2)];
        ring.iter().all(|&(i, j)| {
            let (i, j) = (c + i, r + j);
            let on_field = i >= 1 && j >= 1 && i <= self.columns && j <= self.rows();
            !on_field || holds(self.point(i - 1, j - 1))
        })
    }
}

/// Never without direction: a triangle of a height field covers half a cell.
fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize()
}
