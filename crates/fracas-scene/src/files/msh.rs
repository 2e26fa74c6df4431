//! Gmsh meshes, `.msh` of versions 2 and 4.1, ASCII and binary.
//!
//! Read are the sections `$PhysicalNames`, `$Entities`, `$Nodes`, `$Elements`, `$NodeData` and
//! `$ElementData`; others are skipped. Of the elements, tetrahedra are kept, points, lines and
//! surfaces skipped, other solids refused. Tetrahedra of higher order are read by their four
//! corners; their other nodes stay as vertices that no tetrahedron uses. Nothing is reordered:
//! vertices and tetrahedra stand in the order of the file.
//!
//! Physical groups of dimension 3 become named objects; a group without a name is called
//! `group 7` after its number, and tetrahedra outside of all groups `ungrouped`. Of an entity in
//! several groups the first counts.
//!
//! A view must have a value for each tetrahedron, or for each vertex of one (other vertices get
//! 0 where it has none). Of several steps of a view the last counts. Views of the elements of a
//! surface only are skipped.

mod elements;
mod reader;
mod write;

pub use reader::read;
pub use write::write;
