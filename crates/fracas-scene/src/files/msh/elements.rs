//! The element types of Gmsh.

/// What is done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A tetrahedron: its first four nodes are its corners.
    Tet,
    /// A point, line or surface.
    Skipped,
    /// Another solid, by its name in the plural.
    Refused(&'static str),
}

/// Number of nodes and role of an element type (Gmsh manual, MSH file format, `elementType`).
pub(super) fn element(kind: i64) -> Option<(usize, Role)> {
    let flat = |nodes| (nodes, Role::Skipped);
    let tet = |nodes| (nodes, Role::Tet);
    let solid = |nodes, name| (nodes, Role::Refused(name));
    Some(match kind {
        1 => flat(2),
        2 => flat(3),
        3 => flat(4),
        4 => tet(4),
        5 => solid(8, "hexahedra"),
        6 => solid(6, "prisms"),
        7 => solid(5, "pyramids"),
        8 => flat(3),
        9 => flat(6),
        10 => flat(9),
        11 => tet(10),
        12 => solid(27, "hexahedra of order 2"),
        13 => solid(18, "prisms of order 2"),
        14 => solid(14, "pyramids of order 2"),
        15 => flat(1),
        16 => flat(8),
        17 => solid(20, "hexahedra of order 2"),
        18 => solid(15, "prisms of order 2"),
        19 => solid(13, "pyramids of order 2"),
        20 => flat(9),
        21 => flat(10),
        22 => flat(12),
        23 | 24 => flat(15),
        25 => flat(21),
        26 => flat(4),
        27 => flat(5),
        28 => flat(6),
        29 => tet(20),
        30 => tet(35),
        31 => tet(56),
        36 => flat(16),
        37 => flat(25),
        38 => flat(36),
        92 => solid(64, "hexahedra of order 3"),
        93 => solid(125, "hexahedra of order 4"),
        _ => return None,
    })
}
