//! The cells of VTK files, of which the tetrahedra are kept.

use std::collections::BTreeMap;

use super::{MeshFileError, Place};

/// Cells as VTK stores them.
pub(super) struct Cells {
    /// Where the corners of each cell end in `connectivity`.
    pub(super) ends: Vec<usize>,
    /// Corners of all cells, one after the other; each is a vertex of the mesh.
    pub(super) connectivity: Vec<u32>,
    /// Type of each cell.
    pub(super) types: Vec<u8>,
    /// Where the types stand in the file.
    pub(super) place: Place,
}

/// The tetrahedra among cells.
pub(super) struct TetCells {
    pub(super) tets: Vec<[u32; 4]>,
    /// Index of each among all cells.
    pub(super) cells: Vec<u32>,
}

/// What is done with a cell.
enum Role {
    /// A tetrahedron with so many nodes, of which the first four are its corners.
    Tet(usize),
    /// A point, line or surface.
    Skipped,
    /// Another solid, by its name in the plural.
    Refused(&'static str),
}

/// Role of a cell type (VTK, `vtkCellType.h`).
fn role(kind: u8) -> Option<Role> {
    Some(match kind {
        0..=9 | 21..=23 | 28 | 30 | 34..=36 | 68..=70 | 75..=77 => Role::Skipped,
        10 => Role::Tet(4),
        24 => Role::Tet(10),
        11 => Role::Refused("voxels"),
        12 => Role::Refused("hexahedra"),
        13 => Role::Refused("wedges"),
        14 => Role::Refused("pyramids"),
        15 => Role::Refused("pentagonal prisms"),
        16 => Role::Refused("hexagonal prisms"),
        25 | 29 | 33 => Role::Refused("hexahedra of order 2"),
        26 | 31 | 32 => Role::Refused("wedges of order 2"),
        27 | 37 => Role::Refused("pyramids of order 2"),
        41 => Role::Refused("convex point sets"),
        42 => Role::Refused("polyhedra"),
        71 | 78 => Role::Refused("tetrahedra of higher order"),
        72 | 79 => Role::Refused("hexahedra of higher order"),
        73 | 80 => Role::Refused("wedges of higher order"),
        74 | 81 => Role::Refused("pyramids of higher order"),
        _ => return None,
    })
}

impl Cells {
    /// Keeps the tetrahedra, skips what is no solid and refuses other solids.
    pub(super) fn tets(&self) -> Result<TetCells, MeshFileError> {
        let error = |what: String| MeshFileError::at(self.place, what);
        if self.ends.len() != self.types.len() {
            let (cells, types) = (self.ends.len(), self.types.len());
            return Err(error(format!("{cells} cells need as many types, but there are {types}")));
        }
        let count =
            self.types.iter().filter(|kind| matches!(role(**kind), Some(Role::Tet(_)))).count();
        let mut found =
            TetCells { tets: Vec::with_capacity(count), cells: Vec::with_capacity(count) };
        let mut refused: BTreeMap<u8, (usize, &str)> = BTreeMap::new();
        let mut start = 0;
        for ((&kind, &end), cell) in self.types.iter().zip(&self.ends).zip(0..) {
            let corners = &self.connectivity[start..end];
            start = end;
            match role(kind) {
                None => return Err(error(format!("cell {cell} has the unknown type {kind}"))),
                Some(Role::Skipped) => {}
                Some(Role::Refused(name)) => refused.entry(kind).or_insert((0, name)).0 += 1,
                Some(Role::Tet(nodes)) => match *corners {
                    [a, b, c, d, ..] if corners.len() == nodes => {
                        found.tets.push([a, b, c, d]);
                        found.cells.push(cell);
                    }
                    _ => {
                        let count = corners.len();
                        return Err(error(format!(
                            "cell {cell} is a tetrahedron (type {kind}) of {nodes} nodes, but has \
                             {count}"
                        )));
                    }
                },
            }
        }
        if let Some((kind, (count, name))) = refused.first_key_value() {
            return Err(error(format!(
                "{count} cells are {name} (type {kind}), but a body is made of tetrahedra (type \
                 10): mesh it with tetrahedra only"
            )));
        }
        if found.tets.is_empty() {
            return Err(error("the file has no tetrahedra (cells of type 10)".to_owned()));
        }
        Ok(found)
    }
}

impl TetCells {
    /// Of values of all cells, keeps those of the tetrahedra.
    pub(super) fn select(&self, values: &mut Vec<f32>) {
        for (tet, &cell) in self.cells.iter().enumerate() {
            values[tet] = values[cell as usize]; // cell ≥ tet, so nothing is overwritten too soon
        }
        values.truncate(self.cells.len());
    }
}
