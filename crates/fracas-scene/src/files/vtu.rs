//! VTK XML files, `.vtu`, with one piece of an unstructured grid.
//!
//! Arrays may be ASCII, base64 or appended, raw or in base64, plain or packed with zlib, of
//! either order of bytes. Of the cells, tetrahedra are kept, points, lines and surfaces skipped,
//! other solids refused. Tetrahedra of 10 nodes are read by their four corners; the other nodes
//! stay as vertices that no tetrahedron uses. Nothing is reordered. `PointData` and `CellData`
//! become attributes.
//!
//! VTK knows no named cells. [`write()`] puts the index of the object of each tetrahedron into the
//! cell array `object`, and the names into the field array `object names`: their UTF-8 bytes,
//! each name ended by a line feed. [`read`] takes both back; without the names, `object` is an
//! attribute like others.

mod arrays;
mod base64;
mod reader;
mod write;
mod xml;

pub use reader::read;
pub use write::write;

/// The cell array with the object of each tetrahedron.
const OBJECT: &str = "object";
/// The field array with the names of objects.
const OBJECT_NAMES: &str = "object names";
