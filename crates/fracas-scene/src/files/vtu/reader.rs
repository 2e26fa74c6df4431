//! Reads a `.vtu` file: first the tags, then the arrays they describe.

use fracas::glam::DVec3;
use fracas_mesh::{Objects, TetMesh};

use super::arrays::{Appended, DataArray, Storage};
use super::xml::{Tag, TagKind, Tags};
use super::{OBJECT, OBJECT_NAMES};
use crate::files::cells::{Cells, TetCells};
use crate::files::columns::Columns;
use crate::files::cursor::{Encoding, Kind, find, line_of, quoted};
use crate::files::{MeshFileError, Place};

/// Reads a mesh of tetrahedra; see the module on what is kept.
///
/// # Errors
///
/// Tells the line of what is wrong; in binary data, of the array it is in.
pub fn read(bytes: &[u8]) -> Result<TetMesh, MeshFileError> {
    let mut document = Document::parse(bytes)?;
    let storage = &mut document.storage;
    let points = one(&document.points, document.line, "Points", |_| true)?;
    let vertices = read_points(storage, points, document.vertices)?;
    let cells = read_cells(storage, &document.cells, document.line, vertices.len())?;
    if cells.types.len() != document.cell_count {
        let (found, due) = (cells.types.len(), document.cell_count);
        let what = format!("the piece has {due} cells, but {found} types");
        return Err(MeshFileError::at(cells.place, what));
    }
    let tets = cells.tets()?;

    let names = document.fields.iter().find(|array| array.name == OBJECT_NAMES);
    let mut names = names.map(|array| read_names(storage, array)).transpose()?;
    let mut objects = Objects::NONE;
    let mut vertex_columns = Columns::new(bytes.len());
    for array in &document.point_data {
        read_columns(storage, array, vertices.len(), None, &mut vertex_columns)?;
    }
    let mut tet_columns = Columns::new(bytes.len());
    for array in &document.cell_data {
        match names.take_if(|_| array.name == OBJECT) {
            Some(names) => {
                objects = read_objects(storage, array, names, &cells, &tets)?;
            }
            None => read_columns(storage, array, cells.types.len(), Some(&tets), &mut tet_columns)?,
        }
    }
    Ok(TetMesh {
        vertices,
        tets: tets.tets,
        objects,
        vertex_attributes: vertex_columns.into_attributes(),
        tet_attributes: tet_columns.into_attributes(),
    })
}

/// What the tags of a file say.
struct Document<'a> {
    storage: Storage<'a>,
    /// Line of the piece.
    line: usize,
    /// Number of points and of cells that the piece promises.
    vertices: usize,
    cell_count: usize,
    points: Vec<DataArray>,
    cells: Vec<DataArray>,
    point_data: Vec<DataArray>,
    cell_data: Vec<DataArray>,
    fields: Vec<DataArray>,
}

impl<'a> Document<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, MeshFileError> {
        let mut tags = Tags::new(bytes);
        let storage = match tags.next()? {
            Some(tag) if tag.name == "VTKFile" => storage(bytes, &tag)?,
            Some(tag) => {
                let found = quoted(tag.name.as_bytes());
                let what = format!("the file must begin with the tag `VTKFile`, not {found}");
                return Err(tag.error(what));
            }
            None => {
                let what = "the file must begin with the tag `VTKFile`, but has no tags";
                return Err(MeshFileError::at_line(1, what));
            }
        };
        let mut document = Self {
            storage,
            line: 0,
            vertices: 0,
            cell_count: 0,
            points: Vec::new(),
            cells: Vec::new(),
            point_data: Vec::new(),
            cell_data: Vec::new(),
            fields: Vec::new(),
        };
        let mut section = "";
        let mut ended = false;
        while let Some(tag) = tags.next()? {
            match (tag.kind, tag.name) {
                (TagKind::Close, "VTKFile") => ended = true,
                (TagKind::Open | TagKind::Empty, "Piece") => document.piece(&tag)?,
                (TagKind::Open, "DataArray") => {
                    let array = DataArray::new(&tag, (tags.at(), tags.text_end()))?;
                    document.push(section, array);
                }
                (TagKind::Empty, "DataArray") => {
                    let array = DataArray::new(&tag, (tags.at(), tags.at()))?;
                    document.push(section, array);
                }
                (
                    TagKind::Open,
                    name @ ("Points" | "Cells" | "PointData" | "CellData" | "FieldData"),
                ) => section = name,
                (TagKind::Close, name) if name == section => section = "",
                (TagKind::Open, "AppendedData") => {
                    // The last section; what follows need not be XML.
                    document.storage.appended = Some(appended(bytes, tags.at(), &tag)?);
                    ended = true;
                    break;
                }
                _ => {}
            }
        }
        if !ended {
            let what = "the file ends before its tag `</VTKFile>`";
            return Err(MeshFileError::at_line(line_of(bytes, bytes.len()), what));
        }
        if document.line == 0 {
            return Err(MeshFileError::at_line(1, "the file has no `Piece` of a grid"));
        }
        Ok(document)
    }

    fn piece(&mut self, tag: &Tag) -> Result<(), MeshFileError> {
        if self.line != 0 {
            let what = "the grid has more than one `Piece`: merge them before it is saved";
            return Err(tag.error(what));
        }
        let count = |name| {
            tag.count(name)?
                .ok_or_else(|| tag.error(format!("`Piece` needs the attribute `{name}`")))
        };
        self.line = tag.line;
        self.vertices = count("NumberOfPoints")?;
        self.cell_count = count("NumberOfCells")?;
        Ok(())
    }

    fn push(&mut self, section: &str, array: DataArray) {
        match section {
            "Points" => self.points.push(array),
            "Cells" => self.cells.push(array),
            "PointData" => self.point_data.push(array),
            "CellData" => self.cell_data.push(array),
            "FieldData" => self.fields.push(array),
            _ => {}
        }
    }
}

/// What the first tag says about the arrays.
fn storage<'a>(file: &'a [u8], tag: &Tag) -> Result<Storage<'a>, MeshFileError> {
    let wrong = |name: &str, right: &str, found: &str| {
        Err(tag.error(format!("`{name}` must be {right}, not {}", quoted(found.as_bytes()))))
    };
    match tag.get("type").unwrap_or_default() {
        "UnstructuredGrid" => {}
        other => return wrong("type", "`UnstructuredGrid`", other),
    }
    let byte_order = match tag.get("byte_order").unwrap_or("LittleEndian") {
        "LittleEndian" => Encoding::Little,
        "BigEndian" => Encoding::Big,
        other => return wrong("byte_order", "`LittleEndian` or `BigEndian`", other),
    };
    let header = match tag.get("header_type").unwrap_or("UInt32") {
        "UInt32" => Kind::U32,
        "UInt64" => Kind::U64,
        other => return wrong("header_type", "`UInt32` or `UInt64`", other),
    };
    let zlib = match tag.get("compressor").unwrap_or_default() {
        "" => false,
        "vtkZLibDataCompressor" => true,
        other => return wrong("compressor", "`vtkZLibDataCompressor` or missing", other),
    };
    let left = file.len().saturating_mul(32).saturating_add(8 << 20);
    Ok(Storage { file, byte_order, header, zlib, appended: None, left })
}

/// Where appended data lies; `at` is behind its tag.
fn appended(bytes: &[u8], at: usize, tag: &Tag) -> Result<Appended, MeshFileError> {
    let base64 = match tag.get("encoding").unwrap_or("base64") {
        "base64" => true,
        "raw" => false,
        other => {
            let found = quoted(other.as_bytes());
            return Err(tag.error(format!("`encoding` must be `raw` or `base64`, not {found}")));
        }
    };
    let white = bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    if bytes.get(at + white) != Some(&b'_') {
        return Err(tag.error("appended data must begin with `_`"));
    }
    let start = at + white + 1;
    // Raw data may hold any bytes, also those of a tag.
    let end = find(&bytes[start..], b"<").filter(|_| base64);
    Ok(Appended { start, end: end.map_or(bytes.len(), |end| start + end), base64 })
}

/// The only array of a section that is wanted.
fn one<'a>(
    arrays: &'a [DataArray],
    line: usize,
    what: &str,
    wanted: impl Fn(&DataArray) -> bool,
) -> Result<&'a DataArray, MeshFileError> {
    let mut found = arrays.iter().filter(|array| wanted(array));
    match (found.next(), found.next()) {
        (Some(array), None) => Ok(array),
        (None, _) => Err(MeshFileError::at_line(line, format!("the piece has no array `{what}`"))),
        (_, Some(second)) => Err(second.error(format!("there may be only one array `{what}`"))),
    }
}

fn read_points(
    storage: &mut Storage,
    array: &DataArray,
    count: usize,
) -> Result<Vec<DVec3>, MeshFileError> {
    if array.components != 3 {
        let components = array.components;
        return Err(array.error(format!("points must have 3 components, but have {components}")));
    }
    storage.with(array, |numbers| {
        let mut vertices = Vec::with_capacity(numbers.known_count() / 3);
        while numbers.more() {
            let mut p = [0.0; 3];
            for c in &mut p {
                *c = numbers.real("a coordinate")?;
            }
            vertices.push(DVec3::from_array(p));
        }
        let found = vertices.len();
        if found != count || u32::try_from(found).is_err() {
            return Err(array.error(format!("the piece has {count} points, but here are {found}")));
        }
        Ok(vertices)
    })
}

fn read_cells(
    storage: &mut Storage,
    arrays: &[DataArray],
    line: usize,
    vertices: usize,
) -> Result<Cells, MeshFileError> {
    let array = |name: &str| one(arrays, line, name, |array| array.name == name);
    let connectivity = storage.with(array("connectivity")?, |numbers| {
        let mut connectivity = Vec::with_capacity(numbers.known_count());
        while numbers.more() {
            let corner = numbers.integer("a corner of a cell")?;
            match u32::try_from(corner) {
                Ok(vertex) if (vertex as usize) < vertices => connectivity.push(vertex),
                _ => {
                    let what = format!("there is no point {corner}: there are {vertices}, from 0");
                    return Err(numbers.error(what));
                }
            }
        }
        Ok(connectivity)
    })?;
    let ends = storage.with(array("offsets")?, |numbers| {
        let mut ends: Vec<usize> =
            Vec::with_capacity(numbers.known_count().min(connectivity.len()));
        while numbers.more() {
            let offset = numbers.integer("an offset")?;
            let end = usize::try_from(offset).ok().filter(|&end| {
                end > ends.last().copied().unwrap_or(0) && end <= connectivity.len()
            });
            let end = end.ok_or_else(|| {
                let size = connectivity.len();
                numbers.error(format!("offsets must rise to {size}, but here stands {offset}"))
            })?;
            ends.push(end);
        }
        Ok(ends)
    })?;
    let types = array("types")?;
    let place = Place::Line(types.line);
    let types = storage.with(types, |numbers| {
        let mut types = Vec::with_capacity(numbers.known_count());
        while numbers.more() {
            let kind = numbers.integer("the type of a cell")?;
            let wrong = |_| numbers.error(format!("there is no cell type {kind}"));
            types.push(u8::try_from(kind).map_err(wrong)?);
        }
        Ok(types)
    })?;
    Ok(Cells { ends, connectivity, types, place })
}

/// An array of data; of cells, only the tetrahedra are kept.
fn read_columns(
    storage: &mut Storage,
    array: &DataArray,
    rows: usize,
    tets: Option<&TetCells>,
    columns: &mut Columns,
) -> Result<(), MeshFileError> {
    columns.reserve(&array.name, array.components, rows).map_err(|what| array.error(what))?;
    let mut values: Vec<Vec<f32>> =
        (0..array.components).map(|_| Vec::with_capacity(rows)).collect();
    storage.with(array, |numbers| {
        for _ in 0..rows {
            for column in &mut values {
                column.push(numbers.single("a value")?);
            }
        }
        expect_end(array, numbers.more(), rows)
    })?;
    if let Some(tets) = tets {
        for column in &mut values {
            tets.select(column);
        }
    }
    columns.insert(&array.name, values);
    Ok(())
}

fn expect_end(array: &DataArray, more: bool, rows: usize) -> Result<(), MeshFileError> {
    if more {
        let DataArray { name, components, .. } = array;
        let what = format!("array `{name}` has more than {rows} × {components} values");
        return Err(array.error(what));
    }
    Ok(())
}

/// The names of objects, each ended by a line feed.
fn read_names(storage: &mut Storage, array: &DataArray) -> Result<Vec<String>, MeshFileError> {
    let bytes = storage.with(array, |numbers| {
        let mut bytes = Vec::new();
        while numbers.more() {
            let byte = numbers.integer("a byte of a name")?;
            let wrong = |_| numbers.error(format!("a byte of a name must be 0 to 255, not {byte}"));
            bytes.push(u8::try_from(byte).map_err(wrong)?);
        }
        Ok(bytes)
    })?;
    // A name takes more than its bytes: itself, and twice that while the list grows.
    let ends = bytes.iter().filter(|&&byte| byte == b'\n').count();
    storage.charge(ends.saturating_mul(96)).map_err(|what| array.error(what))?;
    let text = str::from_utf8(&bytes).map_err(|_| array.error("the names must be UTF-8 text"))?;
    Ok(text.split_terminator('\n').map(str::to_owned).collect())
}

fn read_objects(
    storage: &mut Storage,
    array: &DataArray,
    names: Vec<String>,
    cells: &Cells,
    tets: &TetCells,
) -> Result<Objects, MeshFileError> {
    let mut of_cells = Vec::new();
    storage.with(array, |numbers| {
        for _ in 0..cells.types.len() {
            let object = numbers.integer("the object of a cell")?;
            match u32::try_from(object) {
                Ok(object) if (object as usize) < names.len() => of_cells.push(object),
                _ => {
                    let count = names.len();
                    let what = format!("there is no object {object}: there are {count}, from 0");
                    return Err(numbers.error(what));
                }
            }
        }
        expect_end(array, numbers.more(), cells.types.len())
    })?;
    let of = tets.cells.iter().map(|&cell| of_cells[cell as usize]).collect();
    Ok(Objects { names, of })
}
