//! TetGen meshes: a `.node` file with vertices and an `.ele` file with tetrahedra.
//!
//! Numbers count from 0 or 1, whichever the first vertex has. Attributes of vertices are called
//! `attribute1`, `attribute2` and so on; of tetrahedra the first is `region`. Boundary markers
//! are skipped. Tetrahedra of 10 nodes are read by their four corners; the other nodes stay as
//! vertices that no tetrahedron uses.

use fracas::glam::DVec3;
use fracas_mesh::{Attribute, Objects, TetMesh};

use super::MeshFileError;
use super::columns::Columns;
use super::cursor::{Cursor, quoted};

/// Reads a mesh from the bytes of its two files.
///
/// # Errors
///
/// Tells the file and the line of what is wrong.
pub fn read(node: &[u8], ele: &[u8]) -> Result<TetMesh, MeshFileError> {
    let nodes = read_nodes(node).map_err(|error| in_file(".node", error))?;
    let (tets, tet_attributes) = read_tets(ele, &nodes).map_err(|error| in_file(".ele", error))?;
    let Nodes { vertices, attributes: vertex_attributes, .. } = nodes;
    Ok(TetMesh { vertices, tets, objects: Objects::NONE, vertex_attributes, tet_attributes })
}

fn in_file(file: &str, error: MeshFileError) -> MeshFileError {
    MeshFileError::at(error.place, format!("{} (in the {file} file)", error.what))
}

struct Nodes {
    vertices: Vec<DVec3>,
    attributes: Vec<Attribute>,
    /// Number of the first vertex, 0 or 1.
    base: i64,
}

fn read_nodes(bytes: &[u8]) -> Result<Nodes, MeshFileError> {
    let mut lines = Lines(Cursor::new(bytes));
    let mut header =
        lines.expect("number of points, 3, number of attributes, number of markers")?;
    let count = header.count("the number of points")?;
    let dimension = header.count("the dimension")?;
    if dimension != 3 {
        return Err(header.error(format!("the dimension must be 3, but is {dimension}")));
    }
    let attributes = header.optional_count("the number of attributes")?;
    let mut table = Table::new(bytes.len(), attributes);
    let mut vertices = Vec::new();
    let mut base = 0;
    for row in 0..count {
        let mut line = lines.expect_row("point", row, count)?;
        let number: i64 = line.number("the number of a point", "a whole number")?;
        if row == 0 {
            base = number;
            if !matches!(base, 0 | 1) {
                return Err(line.error(format!("points count from 0 or 1, but not from {base}")));
            }
        }
        line.follows(number, base, row)?;
        let mut p = [0.0; 3];
        for c in &mut p {
            *c = line.real("a coordinate")?;
        }
        vertices.push(DVec3::from_array(p));
        table.read(&mut line)?;
    }
    if u32::try_from(vertices.len()).is_err() {
        return Err(header.error("there are more points than 32 bits can number"));
    }
    lines.end("points", count)?;
    let attributes = table.into_attributes(&header, |k| format!("attribute{}", k + 1))?;
    Ok(Nodes { vertices, attributes, base })
}

fn read_tets(
    bytes: &[u8],
    nodes: &Nodes,
) -> Result<(Vec<[u32; 4]>, Vec<Attribute>), MeshFileError> {
    let mut lines = Lines(Cursor::new(bytes));
    let mut header = lines.expect("number of tetrahedra, nodes of each, number of attributes")?;
    let count = header.count("the number of tetrahedra")?;
    let corners = header.count("the number of nodes of a tetrahedron")?;
    if !matches!(corners, 4 | 10) {
        let what = format!("a tetrahedron must have 4 or 10 nodes, but has {corners}");
        return Err(header.error(what));
    }
    let attributes = header.optional_count("the number of attributes")?;
    let mut table = Table::new(bytes.len(), attributes);
    let mut tets = Vec::new();
    for row in 0..count {
        let mut line = lines.expect_row("tetrahedron", row, count)?;
        let number: i64 = line.number("the number of a tetrahedron", "a whole number")?;
        line.follows(number, nodes.base, row)?;
        let mut tet = [0; 4];
        for k in 0..corners {
            let corner = line.corner(nodes)?;
            if k < 4 {
                tet[k] = corner;
            }
        }
        tets.push(tet);
        table.read(&mut line)?;
    }
    if tets.is_empty() {
        return Err(header.error("the file has no tetrahedra"));
    }
    lines.end("tetrahedra", count)?;
    let attributes = table.into_attributes(&header, |k| match k {
        0 => "region".to_owned(),
        _ => format!("attribute{}", k + 1),
    })?;
    Ok((tets, attributes))
}

/// The attributes of the rows of a file.
struct Table {
    columns: Columns,
    count: usize,
    /// Row after row; not by column, because only the rows prove that the columns are there.
    values: Vec<f32>,
}

impl Table {
    fn new(input: usize, count: usize) -> Self {
        Self { columns: Columns::new(input), count, values: Vec::new() }
    }

    fn read(&mut self, line: &mut Line) -> Result<(), MeshFileError> {
        for _ in 0..self.count {
            self.values.push(line.single("an attribute")?);
        }
        Ok(())
    }

    fn into_attributes(
        mut self,
        header: &Line,
        name: impl Fn(usize) -> String,
    ) -> Result<Vec<Attribute>, MeshFileError> {
        let rows = self.values.len().checked_div(self.count).unwrap_or(0);
        // Without rows nothing proves the number of columns.
        let count = if rows == 0 { 0 } else { self.count };
        for k in 0..count {
            let name = name(k);
            self.columns.reserve(&name, 1, rows).map_err(|what| header.error(what))?;
            let values = self.values.iter().skip(k).step_by(count).copied().collect();
            self.columns.insert(&name, vec![values]);
        }
        Ok(self.columns.into_attributes())
    }
}

/// The lines of a file that are not blank, without comments.
struct Lines<'a>(Cursor<'a>);

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            let line = self.0.line()?;
            let text = line.split(|&b| b == b'#').next().unwrap_or_default().trim_ascii();
            if !text.is_empty() {
                return Some(Line { rest: text, cursor: self.0.clone() });
            }
        }
    }

    fn expect(&mut self, what: &str) -> Result<Line<'a>, MeshFileError> {
        let line = self.next();
        line.ok_or_else(|| self.0.error(format!("the data ends where a line should stand: {what}")))
    }

    fn expect_row(
        &mut self,
        what: &str,
        row: usize,
        count: usize,
    ) -> Result<Line<'a>, MeshFileError> {
        let line = self.next();
        line.ok_or_else(|| {
            self.0.error(format!("the data ends before {what} {} of {count}", row + 1))
        })
    }

    /// Nothing may follow the last row: a wrong number of rows would go unnoticed.
    fn end(&mut self, what: &str, count: usize) -> Result<(), MeshFileError> {
        match self.next() {
            None => Ok(()),
            Some(line) => {
                let found = quoted(line.rest);
                Err(line.error(format!("after {count} {what} the file must end, not {found}")))
            }
        }
    }
}

/// What is left of a line.
struct Line<'a> {
    rest: &'a [u8],
    /// Behind the line; knows its place.
    cursor: Cursor<'a>,
}

impl<'a> Line<'a> {
    fn error(&self, what: impl Into<String>) -> MeshFileError {
        self.cursor.error(what)
    }

    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.trim_ascii_start();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(length);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str, kind: &str) -> Result<T, MeshFileError> {
        let word = self
            .word()
            .ok_or_else(|| self.error(format!("the line ends where {what} should stand")))?;
        let value = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        value.ok_or_else(|| {
            self.error(format!("{what} must be {kind}, but here stands {}", quoted(word)))
        })
    }

    fn count(&mut self, what: &str) -> Result<usize, MeshFileError> {
        self.number(what, "a whole number of at least 0")
    }

    /// 0 if the line has ended.
    fn optional_count(&mut self, what: &str) -> Result<usize, MeshFileError> {
        if self.rest.trim_ascii().is_empty() { Ok(0) } else { self.count(what) }
    }

    fn real(&mut self, what: &str) -> Result<f64, MeshFileError> {
        let value: f64 = self.number(what, "a number")?;
        if value.is_finite() { Ok(value) } else { Err(self.not_finite(what, value)) }
    }

    fn single(&mut self, what: &str) -> Result<f32, MeshFileError> {
        let value: f32 = self.number(what, "a number")?;
        if value.is_finite() { Ok(value) } else { Err(self.not_finite(what, value.into())) }
    }

    fn not_finite(&self, what: &str, value: f64) -> MeshFileError {
        self.error(format!("{what} must be finite in its precision, but is {value}"))
    }

    /// The numbers of rows must follow each other without a gap.
    fn follows(&self, number: i64, base: i64, row: usize) -> Result<(), MeshFileError> {
        let wanted = base.saturating_add_unsigned(row as u64);
        if number == wanted {
            return Ok(());
        }
        Err(self.error(format!("numbers must follow each other: {wanted} here, not {number}")))
    }

    fn corner(&mut self, nodes: &Nodes) -> Result<u32, MeshFileError> {
        let number: i64 = self.number("a corner", "a whole number")?;
        let index = number.checked_sub(nodes.base).and_then(|index| u32::try_from(index).ok());
        match index {
            Some(index) if (index as usize) < nodes.vertices.len() => Ok(index),
            _ => {
                let last = nodes.base.saturating_add_unsigned(nodes.vertices.len() as u64) - 1;
                let base = nodes.base;
                Err(self
                    .error(format!("there is no point {number}: corners must be {base} to {last}")))
            }
        }
    }
}
