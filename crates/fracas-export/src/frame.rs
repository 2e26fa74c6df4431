//! One moment as plain columns, and what may be wrong with it.

/// All that can be seen at one moment. Every column but [`triangles`](Self::triangles) and
/// [`points`](Self::points) has one entry per vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its number in the film.
    pub number: u64,
    /// World time, in s.
    pub time: f64,
    /// Vertices of the triangles, in m.
    pub positions: Vec<[f32; 3]>,
    /// Outward, of unit length.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates; empty if there are none.
    pub uvs: Vec<[f32; 2]>,
    /// Red, green and blue, in sRGB.
    pub colours: Vec<[u8; 3]>,
    /// Number of the body in the scene.
    pub bodies: Vec<u32>,
    /// Id of the piece.
    pub pieces: Vec<u32>,
    /// Index into the body's materials.
    pub materials: Vec<u16>,
    /// Whether it lies on a face that was inside the solid.
    pub inside: Vec<bool>,
    /// Three vertices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Debris and dust.
    pub points: Vec<Point>,
}

/// A loose point: a crumb that is too small for triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Its middle, in m.
    pub position: [f32; 3],
    /// In m, above 0.
    pub radius: f32,
    /// Red, green and blue, in sRGB.
    pub colour: [u8; 3],
    /// Number of the body in the scene that it came from.
    pub body: u32,
    /// Index into that body's materials.
    pub material: u16,
    /// What it is.
    pub kind: PointKind,
}

/// What a loose point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// A crumb that falls and lies.
    Chip,
    /// A grain that hangs in the air and fades.
    Dust,
}

/// Why a frame cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A column is longer or shorter than that of the positions.
    #[error("the frame has {vertices} vertices, but {length} {column}")]
    Length {
        /// The column.
        column: &'static str,
        /// How many entries it has.
        length: usize,
        /// How many it should have.
        vertices: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are {count}")]
    NoVertex {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A number is infinite or not a number.
    #[error("{column}: the value at index {index} is not finite")]
    NotFinite {
        /// The column.
        column: &'static str,
        /// Where in it.
        index: usize,
    },
    /// A loose point has no size.
    #[error("point {index} has the radius {radius}; it must be above 0")]
    NoRadius {
        /// Index of the point.
        index: usize,
        /// What was given, in m.
        radius: f32,
    },
    /// More than an index can name.
    #[error("the frame has {count} vertices and points; a file can hold 4294967295")]
    TooMany {
        /// How many there are.
        count: usize,
    },
}

impl Frame {
    /// Adds everything of `part`, such as the next body, and leaves number and time as they are.
    ///
    /// If only one of the two has texture coordinates, the vertices of the other get zeros.
    pub fn append(&mut self, mut part: Self) {
        let first = self.positions.len();
        match (self.uvs.is_empty(), part.uvs.is_empty()) {
            (true, false) => self.uvs = vec![[0.0; 2]; first],
            (false, true) => part.uvs = vec![[0.0; 2]; part.positions.len()],
            _ => (),
        }
        self.positions.append(&mut part.positions);
        self.normals.append(&mut part.normals);
        self.uvs.append(&mut part.uvs);
        self.colours.append(&mut part.colours);
        self.bodies.append(&mut part.bodies);
        self.pieces.append(&mut part.pieces);
        self.materials.append(&mut part.materials);
        self.inside.append(&mut part.inside);
        // beyond u32 the frame is refused for its number of vertices, whatever this gives
        let shifted = |corner: u32| corner.wrapping_add(first as u32);
        self.triangles.extend(part.triangles.iter().map(|corners| corners.map(shifted)));
        self.points.append(&mut part.points);
    }

    /// Refuses what no reader could make sense of.
    ///
    /// # Errors
    /// [`FrameError`] tells the first fault.
    pub fn check(&self) -> Result<(), FrameError> {
        let count = self.positions.len() + self.points.len();
        if u32::try_from(count).is_err() {
            return Err(FrameError::TooMany { count });
        }
        self.check_lengths()?;
        if !self.time.is_finite() {
            return Err(FrameError::NotFinite { column: "time", index: 0 });
        }
        check_finite("positions", &self.positions)?;
        check_finite("normals", &self.normals)?;
        check_finite("uvs", &self.uvs)?;
        self.check_triangles()?;
        self.check_points()
    }

    fn check_lengths(&self) -> Result<(), FrameError> {
        let vertices = self.positions.len();
        let columns = [
            ("normals", self.normals.len()),
            ("uvs", if self.uvs.is_empty() { vertices } else { self.uvs.len() }),
            ("colours", self.colours.len()),
            ("bodies", self.bodies.len()),
            ("pieces", self.pieces.len()),
            ("materials", self.materials.len()),
            ("inside", self.inside.len()),
        ];
        match columns.into_iter().find(|&(_, length)| length != vertices) {
            Some((column, length)) => Err(FrameError::Length { column, length, vertices }),
            None => Ok(()),
        }
    }

    fn check_triangles(&self) -> Result<(), FrameError> {
        let count = self.positions.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&corner| corner as usize >= count) {
                return Err(FrameError::NoVertex { triangle, vertex, count });
            }
        }
        Ok(())
    }

    fn check_points(&self) -> Result<(), FrameError> {
        for (index, Point { position, radius, .. }) in self.points.iter().enumerate() {
            if !position.iter().chain([radius]).all(|x| x.is_finite()) {
                return Err(FrameError::NotFinite { column: "points", index });
            }
            if *radius <= 0.0 {
                return Err(FrameError::NoRadius { index, radius: *radius });
            }
        }
        Ok(())
    }
}

fn check_finite<const N: usize>(column: &'static str, rows: &[[f32; N]]) -> Result<(), FrameError> {
    match rows.iter().position(|row| !row.iter().all(|x| x.is_finite())) {
        Some(index) => Err(FrameError::NotFinite { column, index }),
        None => Ok(()),
    }
}
