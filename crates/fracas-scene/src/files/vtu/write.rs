//! Writes a `.vtu` file.

use std::fmt::Write;

use fracas_mesh::{Attribute, TetMesh};

use super::xml::escaped;
use super::{OBJECT, OBJECT_NAMES};
use crate::files::columns::{arrays, row_count};

/// VTK's number of the tetrahedron.
const TETRA: u8 = 10;

/// Writes a mesh as VTK XML, ASCII: objects as the cell array `object` (see the module on their
/// names), attributes as point and cell data. Reading it back gives the same numbers to the last
/// bit.
///
/// ASCII, because meshio takes raw data only from some files, and because two files can then be
/// compared line by line.
pub fn write(mesh: &TetMesh) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_mesh(&mut text, mesh);
    text.into_bytes()
}

fn write_mesh(text: &mut String, mesh: &TetMesh) -> std::fmt::Result {
    writeln!(text, "<?xml version=\"1.0\"?>")?;
    writeln!(
        text,
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<UnstructuredGrid>"
    )?;
    let names = &mesh.objects.names;
    if !names.is_empty() {
        write_names(text, names)?;
    }
    let (points, cells) = (mesh.vertices.len(), mesh.tets.len());
    writeln!(text, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n<Points>")?;
    open_array(text, "Float64", "Points", 3)?;
    for p in &mesh.vertices {
        writeln!(text, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    writeln!(text, "</DataArray>\n</Points>\n<Cells>")?;
    open_array(text, "Int64", "connectivity", 1)?;
    for [a, b, c, d] in &mesh.tets {
        writeln!(text, "{a} {b} {c} {d}")?;
    }
    writeln!(text, "</DataArray>")?;
    write_array(text, "Int64", "offsets", (1..=cells).map(|tet| 4 * tet))?;
    write_array(text, "UInt8", "types", (0..cells).map(|_| TETRA))?;
    writeln!(text, "</Cells>\n<PointData>")?;
    write_data(text, &mesh.vertex_attributes)?;
    writeln!(text, "</PointData>\n<CellData>")?;
    if !names.is_empty() {
        write_array(text, "Int32", OBJECT, &mesh.objects.of)?;
    }
    write_data(text, &mesh.tet_attributes)?;
    writeln!(text, "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")
}

/// The names as bytes. A line feed ends each, so one inside a name is written as a blank.
fn write_names(text: &mut String, names: &[String]) -> std::fmt::Result {
    let names: String =
        names.iter().flat_map(|name| [name.replace('\n', " "), "\n".into()]).collect();
    writeln!(
        text,
        "<FieldData>\n<DataArray type=\"UInt8\" Name=\"{OBJECT_NAMES}\" NumberOfTuples=\"{}\" \
         format=\"ascii\">",
        names.len()
    )?;
    for line in names.as_bytes().chunks(24) {
        let words: Vec<String> = line.iter().map(u8::to_string).collect();
        writeln!(text, "{}", words.join(" "))?;
    }
    writeln!(text, "</DataArray>\n</FieldData>")
}

fn write_data(text: &mut String, attributes: &[Attribute]) -> std::fmt::Result {
    for (name, components) in arrays(attributes) {
        open_array(text, "Float32", name, components.len())?;
        for row in 0..row_count(components) {
            let words: Vec<String> =
                components.iter().map(|component| format!("{:?}", component.values[row])).collect();
            writeln!(text, "{}", words.join(" "))?;
        }
        writeln!(text, "</DataArray>")?;
    }
    Ok(())
}

fn write_array(
    text: &mut String,
    kind: &str,
    name: &str,
    values: impl IntoIterator<Item: std::fmt::Display>,
) -> std::fmt::Result {
    open_array(text, kind, name, 1)?;
    for value in values {
        writeln!(text, "{value}")?;
    }
    writeln!(text, "</DataArray>")
}

fn open_array(text: &mut String, kind: &str, name: &str, components: usize) -> std::fmt::Result {
    writeln!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{}\" NumberOfComponents=\"{components}\" \
         format=\"ascii\">",
        escaped(name)
    )
}
