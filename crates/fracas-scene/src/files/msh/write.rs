//! Writes a `.msh` file.

use std::fmt::Write;

use fracas_mesh::{Attribute, TetMesh};

use crate::files::columns::{arrays, row_count};

/// Writes a mesh as Gmsh 2.2, ASCII: objects as physical groups of dimension 3, attributes as
/// `$NodeData` and `$ElementData`. Reading it back gives the same numbers to the last bit.
///
/// Version 2.2 and not 4.1, though gmsh and meshio read both with groups and data: 4.1 sorts
/// elements by entity, so objects that alternate would be cut into many blocks, where 2.2 keeps
/// one list in its order, with the group beside each element.
///
/// The format knows no escapes: `"` in a name is written as `'`, and a control character as a
/// blank.
pub fn write(mesh: &TetMesh) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_mesh(&mut text, mesh);
    text.into_bytes()
}

fn write_mesh(text: &mut String, mesh: &TetMesh) -> std::fmt::Result {
    writeln!(text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat")?;
    if !mesh.objects.names.is_empty() {
        writeln!(text, "$PhysicalNames\n{}", mesh.objects.names.len())?;
        for (group, name) in (1..).zip(&mesh.objects.names) {
            writeln!(text, "3 {group} \"{}\"", plain(name))?;
        }
        writeln!(text, "$EndPhysicalNames")?;
    }
    writeln!(text, "$Nodes\n{}", mesh.vertices.len())?;
    for (number, p) in (1..).zip(&mesh.vertices) {
        writeln!(text, "{number} {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    writeln!(text, "$EndNodes\n$Elements\n{}", mesh.tets.len())?;
    for (tet, corners) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = corners.map(|corner| u64::from(corner) + 1);
        // Two tags: the physical group (0 is none) and the volume, of which each group is one.
        let group = mesh.objects.get(tet).map_or(0, |object| u64::from(object) + 1);
        writeln!(text, "{} 4 2 {group} {} {a} {b} {c} {d}", tet + 1, group.max(1))?;
    }
    writeln!(text, "$EndElements")?;
    write_data(text, "NodeData", &mesh.vertex_attributes)?;
    write_data(text, "ElementData", &mesh.tet_attributes)
}

fn write_data(text: &mut String, section: &str, attributes: &[Attribute]) -> std::fmt::Result {
    for (name, components) in arrays(attributes) {
        let rows = row_count(components);
        // One string (the name), one real (the time), three integers.
        writeln!(text, "${section}\n1\n\"{}\"\n1\n0.0\n3\n0", plain(name))?;
        writeln!(text, "{}\n{rows}", components.len())?;
        for row in 0..rows {
            write!(text, "{}", row + 1)?;
            for component in components {
                write!(text, " {:?}", component.values[row])?;
            }
            writeln!(text)?;
        }
        writeln!(text, "$End{section}")?;
    }
    Ok(())
}

/// A name that may stand between quotation marks.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().replace('"', "'")
}
