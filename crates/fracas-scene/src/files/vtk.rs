//! VTK legacy files, `.vtk` of versions 1 to 5.1, ASCII and binary, with an unstructured grid.
//!
//! Of the cells, tetrahedra are kept, points, lines and surfaces skipped, other solids refused.
//! Tetrahedra of 10 nodes are read by their four corners; the other nodes stay as vertices that
//! no tetrahedron uses. Nothing is reordered. `POINT_DATA` and `CELL_DATA` become attributes;
//! texts, lookup tables, metadata and fields of the whole grid are skipped.

use fracas::glam::DVec3;
use fracas_mesh::{Objects, TetMesh};

use super::cells::{Cells, TetCells};
use super::columns::Columns;
use super::cursor::{Cursor, Encoding, Kind, quoted};
use super::{MeshFileError, Place};

/// Reads a mesh of tetrahedra; see the module on what is kept.
///
/// # Errors
///
/// Tells the line (ASCII) or byte (binary) of what is wrong.
pub fn read(bytes: &[u8]) -> Result<TetMesh, MeshFileError> {
    let mut reader = Reader::open(bytes)?;
    while let Some(word) = reader.keyword()? {
        match word.to_ascii_uppercase().as_str() {
            "POINTS" => reader.points()?,
            "CELLS" => reader.cells()?,
            "CELL_TYPES" => reader.cell_types()?,
            "POINT_DATA" => reader.data(Section::Points)?,
            "CELL_DATA" => reader.data(Section::Cells)?,
            "METADATA" => reader.skip_metadata(),
            "FIELD" => reader.field()?,
            keyword => reader.attribute(keyword)?,
        }
    }
    reader.finish()
}

/// What data is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Grid,
    Points,
    Cells,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    /// From version 5 on, cells are offsets and connectivity.
    has_offsets: bool,
    vertices: Option<Vec<DVec3>>,
    cells: Option<Cells>,
    tets: Option<TetCells>,
    section: Section,
    vertex_columns: Columns,
    tet_columns: Columns,
}

impl<'a> Reader<'a> {
    /// Reads the header.
    fn open(bytes: &'a [u8]) -> Result<Self, MeshFileError> {
        let mut cursor = Cursor::new(bytes);
        let first = cursor.line().unwrap_or_default();
        let version = first.strip_prefix(b"# vtk DataFile Version ").ok_or_else(|| {
            let found = quoted(first);
            cursor.error(format!(
                "a VTK file must begin with `# vtk DataFile Version 5.1` (or another version), \
                 but here stands {found}"
            ))
        })?;
        let major = match version.trim_ascii().split(|&b| b == b'.').next() {
            Some(&[major @ b'1'..=b'5']) => major - b'0',
            _ => {
                let found = quoted(version);
                return Err(cursor.error(format!(
                    "version {found} is not supported: save the file as version 5.1, 4.2 or 2.0"
                )));
            }
        };
        cursor.line(); // the title
        let encoding = match cursor.text_word("`ASCII` or `BINARY`")? {
            "ASCII" => Encoding::Ascii,
            "BINARY" => Encoding::Big,
            other => {
                let found = quoted(other.as_bytes());
                return Err(cursor.error(format!("expected `ASCII` or `BINARY`, not {found}")));
            }
        };
        let dataset = cursor.text_word("`DATASET`")?;
        let kind = cursor.text_word("the kind of the data set")?;
        if dataset != "DATASET" || kind != "UNSTRUCTURED_GRID" {
            let found = quoted(format!("{dataset} {kind}").as_bytes());
            return Err(cursor
                .error(format!("expected `DATASET UNSTRUCTURED_GRID`, but here stands {found}")));
        }
        cursor.encoding = encoding;
        Ok(Self {
            cursor,
            has_offsets: major >= 5,
            vertices: None,
            cells: None,
            tets: None,
            section: Section::Grid,
            vertex_columns: Columns::new(bytes.len()),
            tet_columns: Columns::new(bytes.len()),
        })
    }

    /// The next keyword; `None` at the end of the file.
    fn keyword(&mut self) -> Result<Option<&'a str>, MeshFileError> {
        self.cursor.skip_white_space();
        if self.cursor.left() == 0 {
            Ok(None)
        } else {
            self.cursor.text_word("a keyword").map(Some)
        }
    }

    /// A whole number of a line that is text in binary files too.
    fn text_count(&mut self, what: &str) -> Result<usize, MeshFileError> {
        let encoding = std::mem::replace(&mut self.cursor.encoding, Encoding::Ascii);
        let count = self.cursor.count(Kind::I64, what);
        self.cursor.encoding = encoding;
        count.map_err(|error| self.cursor.error(error.what))
    }

    /// The type of the numbers that follow.
    fn kind(&mut self) -> Result<Kind, MeshFileError> {
        let word = self.cursor.text_word("the type of numbers")?;
        Ok(match word.to_ascii_lowercase().as_str() {
            "char" | "signed_char" | "vtktypeint8" => Kind::I8,
            "unsigned_char" | "vtktypeuint8" => Kind::U8,
            "short" | "vtktypeint16" => Kind::I16,
            "unsigned_short" | "vtktypeuint16" => Kind::U16,
            "int" | "vtktypeint32" => Kind::I32,
            "unsigned_int" | "vtktypeuint32" => Kind::U32,
            // Writers of this type mean 64 bits, as VTK on 64-bit Linux does.
            "long" | "vtkidtype" | "vtktypeint64" => Kind::I64,
            "unsigned_long" | "vtktypeuint64" => Kind::U64,
            "float" => Kind::F32,
            "double" => Kind::F64,
            _ => {
                let found = quoted(word.as_bytes());
                return Err(self.cursor.error(format!(
                    "numbers must be of a type such as `double`, `float` or `int`, not {found}"
                )));
            }
        })
    }

    /// Binary numbers begin after the end of the line.
    fn numbers_follow(&mut self) {
        if self.cursor.encoding != Encoding::Ascii {
            self.cursor.line();
        }
    }

    fn points(&mut self) -> Result<(), MeshFileError> {
        if self.vertices.is_some() {
            return Err(self.cursor.error("there may be only one section `POINTS`"));
        }
        let count = self.text_count("the number of points")?;
        let kind = self.kind()?;
        self.numbers_follow();
        let mut vertices = Vec::new();
        for _ in 0..count {
            let mut p = [0.0; 3];
            for c in &mut p {
                *c = self.cursor.real(kind, "a coordinate")?;
            }
            vertices.push(DVec3::from_array(p));
        }
        if u32::try_from(vertices.len()).is_err() {
            return Err(self.cursor.error("there are more points than 32 bits can number"));
        }
        self.vertices = Some(vertices);
        Ok(())
    }

    fn cells(&mut self) -> Result<(), MeshFileError> {
        if self.vertices.is_none() {
            return Err(self.cursor.error("`POINTS` must stand before `CELLS`"));
        }
        if self.cells.is_some() {
            return Err(self.cursor.error("there may be only one section `CELLS`"));
        }
        let count = self.text_count("the number of cells")?;
        let size = self.text_count("the size of the cell list")?;
        self.numbers_follow();
        let mut cells = Cells {
            ends: Vec::new(),
            connectivity: Vec::new(),
            types: Vec::new(),
            place: Place::File,
        };
        if self.has_offsets {
            self.cells_with_offsets(count, size, &mut cells)?;
        } else {
            self.cells_with_counts(count, size, &mut cells)?;
        }
        self.cells = Some(cells);
        Ok(())
    }

    /// Before version 5: the number of corners stands before the corners of each cell.
    fn cells_with_counts(
        &mut self,
        count: usize,
        size: usize,
        cells: &mut Cells,
    ) -> Result<(), MeshFileError> {
        for _ in 0..count {
            let corners = self.cursor.count(Kind::I32, "the number of corners of a cell")?;
            for _ in 0..corners {
                let corner = self.corner(Kind::I32)?;
                cells.connectivity.push(corner);
            }
            cells.ends.push(cells.connectivity.len());
        }
        let found = cells.ends.len() + cells.connectivity.len();
        if found != size {
            let what = format!("the cell list says it has {size} numbers, but has {found}");
            return Err(self.cursor.error(what));
        }
        Ok(())
    }

    /// Since version 5: `OFFSETS` with one more than there are cells, then `CONNECTIVITY`.
    fn cells_with_offsets(
        &mut self,
        offsets: usize,
        size: usize,
        cells: &mut Cells,
    ) -> Result<(), MeshFileError> {
        let kind = self.expect("OFFSETS")?;
        for k in 0..offsets {
            let offset = self.cursor.count(kind, "an offset")?;
            let before = if k == 0 { 0 } else { cells.ends.last().copied().unwrap_or(0) };
            if offset > size || offset < before || (k == 0 && offset != 0) {
                let what = format!("offsets must rise from 0 to {size}, but here stands {offset}");
                return Err(self.cursor.error(what));
            }
            if k > 0 {
                cells.ends.push(offset);
            }
        }
        if cells.ends.last().is_some_and(|&last| last != size) {
            return Err(self.cursor.error(format!("the last offset must be {size}")));
        }
        let kind = self.expect("CONNECTIVITY")?;
        for _ in 0..size {
            let corner = self.corner(kind)?;
            cells.connectivity.push(corner);
        }
        Ok(())
    }

    fn expect(&mut self, keyword: &str) -> Result<Kind, MeshFileError> {
        let found = self.cursor.text_word(&format!("`{keyword}`"))?;
        if found != keyword {
            let found = quoted(found.as_bytes());
            let what = format!("here should stand `{keyword}`, but here stands {found}");
            return Err(self.cursor.error(what));
        }
        let kind = self.kind()?;
        self.numbers_follow();
        Ok(kind)
    }

    fn corner(&mut self, kind: Kind) -> Result<u32, MeshFileError> {
        let vertices = self.vertices.as_ref().map_or(0, Vec::len);
        let corner = self.cursor.integer(kind, "a corner of a cell")?;
        match u32::try_from(corner) {
            Ok(vertex) if (vertex as usize) < vertices => Ok(vertex),
            _ => Err(self.cursor.error(format!(
                "there is no point {corner}: there are {vertices}, counted from 0"
            ))),
        }
    }

    fn cell_types(&mut self) -> Result<(), MeshFileError> {
        let place = self.cursor.place();
        let count = self.text_count("the number of cell types")?;
        self.numbers_follow();
        let Some(mut cells) = self.cells.take() else {
            return Err(self.cursor.error("`CELLS` must stand before `CELL_TYPES`"));
        };
        for _ in 0..count {
            let kind = self.cursor.integer(Kind::I32, "the type of a cell")?;
            let kind = u8::try_from(kind)
                .map_err(|_| self.cursor.error(format!("there is no cell type {kind}")))?;
            cells.types.push(kind);
        }
        cells.place = place;
        self.tets = Some(cells.tets()?);
        self.cells = Some(cells);
        Ok(())
    }

    fn data(&mut self, section: Section) -> Result<(), MeshFileError> {
        let (Some(vertices), Some(cells), Some(_)) = (&self.vertices, &self.cells, &self.tets)
        else {
            let what = "`POINTS`, `CELLS` and `CELL_TYPES` must stand before data";
            return Err(self.cursor.error(what));
        };
        let (rows, of) = match section {
            Section::Points => (vertices.len(), "points"),
            _ => (cells.types.len(), "cells"),
        };
        let count = self.text_count("the number of values")?;
        if count != rows {
            return Err(self.cursor.error(format!("data of {rows} {of}, not of {count}, is due")));
        }
        self.section = section;
        Ok(())
    }

    /// One array; `keyword` begins it.
    fn attribute(&mut self, keyword: &str) -> Result<(), MeshFileError> {
        if keyword == "LOOKUP_TABLE" {
            return self.skip_lookup_table();
        }
        if !matches!(
            keyword,
            "SCALARS"
                | "COLOR_SCALARS"
                | "VECTORS"
                | "NORMALS"
                | "TENSORS"
                | "TENSORS6"
                | "TEXTURE_COORDINATES"
                | "GLOBAL_IDS"
                | "PEDIGREE_IDS"
        ) {
            let found = quoted(keyword.as_bytes());
            return Err(self.cursor.error(format!(
                "here should stand a keyword such as `POINTS`, `CELLS`, `POINT_DATA` or `SCALARS`, \
                 but here stands {found}"
            )));
        }
        if self.section == Section::Grid {
            let what = format!("`POINT_DATA` or `CELL_DATA` must stand before `{keyword}`");
            return Err(self.cursor.error(what));
        }
        let name = decoded(self.cursor.text_word("the name of an array")?);
        let (components, kind) = match keyword {
            "COLOR_SCALARS" => {
                let components = self.text_count("the number of components")?;
                // Written as numbers from 0 to 1 in text, and as bytes in binary.
                (components, Kind::U8)
            }
            "TEXTURE_COORDINATES" => (self.text_count("the number of components")?, self.kind()?),
            "VECTORS" | "NORMALS" => (3, self.kind()?),
            "TENSORS" => (9, self.kind()?),
            "TENSORS6" => (6, self.kind()?),
            "SCALARS" => {
                let kind = self.kind()?;
                (self.scalar_components()?, kind)
            }
            _ => (1, self.kind()?),
        };
        if keyword != "SCALARS" {
            self.numbers_follow();
        }
        self.array(&name, components, self.rows(), kind)
    }

    /// The rest of the line `SCALARS name type` and the line `LOOKUP_TABLE name`, if there is one.
    fn scalar_components(&mut self) -> Result<usize, MeshFileError> {
        let rest = self.cursor.line().unwrap_or_default();
        let components = match str::from_utf8(rest).map(str::parse) {
            _ if rest.is_empty() => 1,
            Ok(Ok(components)) => components,
            _ => {
                let what = format!("the number of components must be 1 to 4, not {}", quoted(rest));
                return Err(self.cursor.error(what));
            }
        };
        let mut ahead = self.cursor.clone();
        if ahead.line().is_some_and(|line| line.starts_with(b"LOOKUP_TABLE")) {
            self.cursor = ahead;
        }
        Ok(components)
    }

    fn skip_lookup_table(&mut self) -> Result<(), MeshFileError> {
        self.cursor.text_word("the name of a lookup table")?;
        let count = self.text_count("the size of a lookup table")?;
        self.numbers_follow();
        for _ in 0..count.saturating_mul(4) {
            self.cursor.real(Kind::U8, "a colour")?;
        }
        Ok(())
    }

    /// Information of an array: lines up to a blank one.
    fn skip_metadata(&mut self) {
        self.cursor.line();
        while self.cursor.line().is_some_and(|line| !line.is_empty()) {}
    }

    /// A list of arrays, each with its own name, size and type.
    fn field(&mut self) -> Result<(), MeshFileError> {
        self.cursor.text_word("the name of a field")?;
        let arrays = self.text_count("the number of arrays")?;
        for _ in 0..arrays {
            let mut name = self.cursor.text_word("the name of an array")?;
            while name == "METADATA" {
                self.skip_metadata();
                name = self.cursor.text_word("the name of an array")?;
            }
            let name = decoded(name);
            let components = self.text_count("the number of components")?;
            let rows = self.text_count("the number of values")?;
            let count = components.saturating_mul(rows);
            if self.skip_strings(count)? {
                continue;
            }
            let kind = self.kind()?;
            self.numbers_follow();
            if self.section == Section::Grid {
                for _ in 0..count {
                    self.cursor.real(kind, "a value of a field")?;
                }
                continue;
            }
            if rows != self.rows() {
                let due = self.rows();
                let what = format!("array `{name}` needs {due} values, but says {rows}");
                return Err(self.cursor.error(what));
            }
            self.array(&name, components, rows, kind)?;
        }
        Ok(())
    }

    /// Skips an array if its type is `string`: a line for each in text; in binary, the length
    /// and the bytes.
    fn skip_strings(&mut self, count: usize) -> Result<bool, MeshFileError> {
        let mut ahead = self.cursor.clone();
        if ahead.word() != Some(b"string") {
            return Ok(false);
        }
        self.cursor = ahead;
        self.cursor.line();
        for _ in 0..count {
            if self.cursor.encoding == Encoding::Ascii {
                let line = self.cursor.line();
                line.ok_or_else(|| self.cursor.error("the data ends where a text should stand"))?;
            } else {
                let length = self.string_length()?;
                self.cursor.take(length, "a text")?;
            }
        }
        Ok(true)
    }

    /// The length of a text in binary: its two highest bits tell whether 8, 4, 2 or 1 bytes hold
    /// the rest of it (`vtkDataReader`).
    fn string_length(&mut self) -> Result<usize, MeshFileError> {
        let first = usize::from(self.cursor.take(1, "the length of a text")?[0]);
        let more = [7, 3, 1, 0][first >> 6];
        let rest = self.cursor.take(more, "the length of a text")?;
        Ok(rest.iter().fold(first & 0x3f, |length, &byte| length << 8 | usize::from(byte)))
    }

    /// Number of points or cells that data is about.
    fn rows(&self) -> usize {
        match self.section {
            Section::Grid => 0,
            Section::Points => self.vertices.as_ref().map_or(0, Vec::len),
            Section::Cells => self.cells.as_ref().map_or(0, |cells| cells.types.len()),
        }
    }

    fn array(
        &mut self,
        name: &str,
        components: usize,
        rows: usize,
        kind: Kind,
    ) -> Result<(), MeshFileError> {
        let columns = match self.section {
            Section::Points => &mut self.vertex_columns,
            _ => &mut self.tet_columns,
        };
        columns.reserve(name, components, rows).map_err(|what| self.cursor.error(what))?;
        let mut values: Vec<Vec<f32>> = (0..components).map(|_| Vec::with_capacity(rows)).collect();
        for _ in 0..rows {
            for column in &mut values {
                column.push(self.cursor.single(kind, "a value")?);
            }
        }
        if let (Section::Cells, Some(tets)) = (self.section, &self.tets) {
            for column in &mut values {
                tets.select(column);
            }
        }
        columns.insert(name, values);
        Ok(())
    }

    fn finish(self) -> Result<TetMesh, MeshFileError> {
        let (Some(vertices), Some(tets)) = (self.vertices, self.tets) else {
            let what = "the file ends without the sections `POINTS`, `CELLS` and `CELL_TYPES`";
            return Err(self.cursor.error(what));
        };
        Ok(TetMesh {
            vertices,
            tets: tets.tets,
            objects: Objects::NONE,
            vertex_attributes: self.vertex_columns.into_attributes(),
            tet_attributes: self.tet_columns.into_attributes(),
        })
    }
}

/// A name in which `%20` stands for a blank, and the like.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        let code =
            tail.get(..2).and_then(|hex| u8::from_str_radix(str::from_utf8(hex).ok()?, 16).ok());
        match code {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
