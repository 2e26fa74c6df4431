//! The shapes of bodies and obstacles.

use super::Absent::{self, Fine, Refused};
use super::Value::{
    self, Choice, Count, Counts, Kinds, List, Number, Pairs, Points, Rows, Text, Vector,
};
use super::{FAR, Field, MOST_PARTICLES, OneOf, ROTATION, Range, Table, field};

const SIZE: Range = Range::Between(1.0e-4, 1.0e4);
const PARTICLES: Field = field(
    "particles",
    Count(1, MOST_PARTICLES),
    Fine,
    "",
    "about how many particles the shape is made of; one of `particles`, `counts`, `spacing` or `fragments`, none of them for what is rigid; not for `corotated` and `brittle`",
);
const COUNTS: Field = field(
    "counts",
    Counts(1, 10_000),
    Fine,
    "",
    "how many rows of particles fill the box around the shape along x, y and z; of a `corotated` or `brittle` block, bar or plate: cells of five tetrahedra",
);
const SPACING: Field = field(
    "spacing",
    Number(SIZE),
    Fine,
    "m",
    "about how far apart the rows are, or how wide the cells",
);
const NEIGHBOURS: Field = field(
    "neighbours",
    Choice(&["faces", "edges", "full"]),
    Absent::Text("full"),
    "",
    "which particles are bonded: cells that share a face (6), also an edge (18), or also a corner (26)",
);
const JITTER: Field = field(
    "jitter",
    Number(Range::Between(0.0, 0.4)),
    Absent::Number(0.0),
    "spacings",
    "how far particles are shifted at random, so that cracks do not follow the rows; 0.15 to 0.2 hides them",
);

/// The most tetrahedra of one body.
const MOST_TETS: u64 = fracas_mesh::stuffing::MAX_TETS as u64;
const FILE: Field = field(
    "file",
    Text,
    Refused,
    "",
    "a mesh file, beside the scene or below its folder; `gallery:NAME` for one that comes with the program",
);
const SCALE: Field = field(
    "scale",
    Number(Range::Between(1.0e-6, 1.0e6)),
    Absent::Number(1.0),
    "",
    "the factor from the file's unit to metres: 0.001 for millimetres",
);
const FRAGMENTS: Field = field(
    "fragments",
    Count(1, MOST_PARTICLES),
    Fine,
    "",
    "how many fragments the body can break into, one particle each, or of which it consists if it is rigid; the most there may be for `convex`, left out for `objects` and `file`",
);
const PATTERNS: &[&str] = &["kmeans", "voronoi", "convex", "objects", "file"];
const PATTERN: Field = field(
    "pattern",
    Choice(PATTERNS),
    Absent::Text("kmeans"),
    "",
    "how fragments are cut: round and even, irregular shards, nearly convex parts, the named objects of the file, or as the file of tetrahedra says",
);
const FOCUS: Field = field(
    "focus",
    Value::Table(&FOCUS_TABLE),
    Fine,
    "",
    "where fragments are smaller; for `kmeans` and `voronoi`",
);
/// Of shapes that may also be filled with rows of particles.
const SHARDS: Field = field(
    "fragments",
    Count(1, MOST_PARTICLES),
    Fine,
    "",
    "how many fragments the body can break into, one particle each, or of which it consists if it is rigid; in place of `particles`, `counts` and `spacing`",
);
const SHARD_PATTERN: Field = field(
    "pattern",
    Choice(&["kmeans", "voronoi", "convex"]),
    Absent::Text("kmeans"),
    "",
    "how fragments are cut: round and even, irregular shards, or nearly convex parts",
);
const TETS: Field = field(
    "tets",
    Count(1, MOST_TETS),
    Absent::Number(6000.0),
    "",
    "about how many tetrahedra `fragments` or a `corotated` or `brittle` body are made of",
);
const SURFACE: Field = field(
    "surface",
    Choice(&["tets", "own"]),
    Absent::Text("tets"),
    "",
    "what is drawn and weighed: the tetrahedra, or the surface that they fill, as fine as it is and with its texture coordinates, cut along the fragments; of what is `corotated` or `brittle` drawn only, and cut along the tetrahedra of what is `brittle`",
);
const GRAIN: Field = field(
    "grain",
    Number(SIZE),
    Fine,
    "m",
    "how rough the faces are along which it breaks: they are divided this finely and displaced; left out, they are flat",
);
const LAYERS: Field = field(
    "layers",
    Count(1, 16),
    Absent::Number(1.0),
    "",
    "how many layers of tetrahedra the wall has",
);

static BLOCK: Table = Table {
    name: "a block",
    kind: "block",
    place: "`shape = { … }`",
    fields: &[
        field("size", Vector(SIZE), Refused, "m", "the lengths along x, y and z"),
        PARTICLES,
        COUNTS,
        SPACING,
        NEIGHBOURS,
        JITTER,
        SHARDS,
        TETS,
        SHARD_PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static BAR: Table = Table {
    name: "a bar",
    kind: "bar",
    place: "`shape = { … }`",
    fields: &[
        field("length", Number(SIZE), Refused, "m", "the length along x"),
        field("width", Number(SIZE), Refused, "m", "the length along z"),
        field(
            "height",
            Number(SIZE),
            Fine,
            "m",
            "the length along y; equal to `width` if left out",
        ),
        PARTICLES,
        COUNTS,
        SPACING,
        NEIGHBOURS,
        JITTER,
        SHARDS,
        TETS,
        SHARD_PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static PLATE: Table = Table {
    name: "a plate",
    kind: "plate",
    place: "`shape = { … }`",
    fields: &[
        field("length", Number(SIZE), Refused, "m", "the length along x"),
        field("width", Number(SIZE), Refused, "m", "the length along z"),
        field("thickness", Number(SIZE), Refused, "m", "the length along y"),
        PARTICLES,
        COUNTS,
        SPACING,
        NEIGHBOURS,
        JITTER,
        SHARDS,
        TETS,
        SHARD_PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static SPHERE: Table = Table {
    name: "a sphere",
    kind: "sphere",
    place: "`shape = { … }`",
    fields: &[
        field("radius", Number(SIZE), Refused, "m", "the radius"),
        PARTICLES,
        COUNTS,
        SPACING,
        NEIGHBOURS,
        JITTER,
        SHARDS,
        TETS,
        SHARD_PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static CYLINDER: Table = Table {
    name: "a cylinder",
    kind: "cylinder",
    place: "`shape = { … }`",
    fields: &[
        field("radius", Number(SIZE), Refused, "m", "the radius"),
        field("height", Number(SIZE), Refused, "m", "the length along y"),
        PARTICLES,
        COUNTS,
        SPACING,
        NEIGHBOURS,
        JITTER,
        SHARDS,
        TETS,
        SHARD_PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static TORUS: Table = Table {
    name: "a torus",
    kind: "torus",
    place: "`shape = { … }`",
    fields: &[
        field("radius", Number(SIZE), Refused, "m", "the radius of the ring, about y"),
        field("tube", Number(SIZE), Refused, "m", "the radius of the tube"),
        PARTICLES,
        COUNTS,
        SPACING,
        NEIGHBOURS,
        JITTER,
        SHARDS,
        TETS,
        SHARD_PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static SHEET: Table = Table {
    name: "a sheet",
    kind: "sheet",
    place: "`shape = { … }`",
    fields: &[
        field("length", Number(SIZE), Refused, "m", "the length along x"),
        field("width", Number(SIZE), Refused, "m", "the length along z"),
        field(
            "thickness",
            Number(SIZE),
            Fine,
            "m",
            "the length along y, one particle; of a `sheet` that of its material, and left out here",
        ),
        field(
            "cut",
            Pairs(Range::Between(-1.0e4, 1.0e4)),
            Fine,
            "m",
            "places `[x, z]` along which a body of `model = \"sheet\"` is cut from the start, from one to the next",
        ),
        PARTICLES,
        COUNTS,
        SPACING,
        NEIGHBOURS,
        JITTER,
    ],
};

static MESH: Table = Table {
    name: "a mesh",
    kind: "mesh",
    place: "`shape = { … }`",
    fields: &[
        FILE,
        SCALE,
        field(
            "subdivide",
            Count(0, 4),
            Absent::Number(0.0),
            "",
            "how often every triangle of the surface is divided in four and rounded",
        ),
        field(
            "tets",
            Count(1, MOST_TETS),
            Fine,
            "",
            "about how many tetrahedra a closed surface is filled with; not for files that hold tetrahedra",
        ),
        field(
            "fit",
            Choice(&["conform", "enclose"]),
            Absent::Text("conform"),
            "",
            "whether the tetrahedra end at the surface or hold it inside, which makes them more and the body larger",
        ),
        FRAGMENTS,
        PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static LATHE: Table = Table {
    name: "a lathe",
    kind: "lathe",
    place: "`shape = { … }`",
    fields: &[
        field(
            "profile",
            Pairs(Range::Between(-1.0e4, 1.0e4)),
            Refused,
            "m",
            "the outline that is turned about y, as pairs of radius and height, from the bottom upwards",
        ),
        field(
            "wall",
            Number(SIZE),
            Fine,
            "m",
            "the thickness of the wall, inwards from the profile; solid if left out",
        ),
        field(
            "tets",
            Count(1, MOST_TETS),
            Absent::Number(6000.0),
            "",
            "about how many tetrahedra it is made of",
        ),
        LAYERS,
        FRAGMENTS,
        PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static SHELL: Table = Table {
    name: "a shell",
    kind: "shell",
    place: "`shape = { … }`",
    fields: &[
        FILE,
        SCALE,
        field(
            "thickness",
            Number(SIZE),
            Refused,
            "m",
            "the thickness, half of it on each side of the surface",
        ),
        LAYERS,
        FRAGMENTS,
        PATTERN,
        FOCUS,
        SURFACE,
        GRAIN,
    ],
};

static CAPSULE: Table = Table {
    name: "a capsule",
    kind: "capsule",
    place: "`shape = { … }`",
    fields: &[
        field("radius", Number(SIZE), Refused, "m", "the radius"),
        field(
            "height",
            Number(SIZE),
            Refused,
            "m",
            "the length along y with both round ends; more than twice `radius`",
        ),
    ],
};

static ELLIPSOID: Table = Table {
    name: "an ellipsoid",
    kind: "ellipsoid",
    place: "`shape = { … }`",
    fields: &[field("radii", Vector(SIZE), Refused, "m", "half of the lengths along x, y and z")],
};

static HULL: Table = Table {
    name: "a hull",
    kind: "hull",
    place: "`shape = { … }`",
    fields: &[
        field(
            "points",
            Points(Range::Between(-1.0e4, 1.0e4)),
            Fine,
            "m",
            "points that the smallest convex solid is put around; one of `points` and `file`",
        ),
        field(
            "file",
            Text,
            Fine,
            "",
            "a mesh file whose vertices are the points; `gallery:NAME` for one that comes with the program",
        ),
        SCALE,
    ],
};

static COMPOUND: Table = Table {
    name: "a compound",
    kind: "compound",
    place: "`shape = { … }`",
    fields: &[field(
        "parts",
        List(&PART),
        Refused,
        "",
        "convex solids that are held together; where they overlap, mass counts twice",
    )],
};

static PART: Table = Table {
    name: "a part",
    kind: "",
    place: "`parts = [{ … }]`",
    fields: &[
        field("shape", Kinds(&PART_SHAPES), Refused, "", "a convex solid"),
        field(
            "position",
            Vector(Range::Between(-1.0e4, 1.0e4)),
            Absent::Vector([0.0; 3]),
            "m",
            "where it is in the compound",
        ),
        field("rotation", Value::Table(&ROTATION), Fine, "", "how it is turned there"),
    ],
};

static HEIGHT_FIELD: Table = Table {
    name: "a height field",
    kind: "height-field",
    place: "`shape = { … }`",
    fields: &[
        field(
            "rows",
            Rows(Range::Between(-1.0e4, 1.0e4)),
            Refused,
            "m",
            "heights of the ground, from the smallest z on; in each row from the smallest x on",
        ),
        field(
            "spacing",
            Number(SIZE),
            Refused,
            "m",
            "how far apart heights are, along x and along z",
        ),
    ],
};

/// What a body can be; its model decides how it fills the shape.
pub(super) static SHAPES: OneOf = OneOf {
    what: "shape",
    tables: &[
        &BLOCK, &BAR, &PLATE, &SPHERE, &CYLINDER, &TORUS, &SHEET, &MESH, &LATHE, &SHELL, &CAPSULE,
        &ELLIPSOID, &HULL, &COMPOUND,
    ],
};

/// What a part of a compound can be.
static PART_SHAPES: OneOf = OneOf {
    what: "shape for a part of a compound",
    tables: &[&BLOCK, &BAR, &PLATE, &SPHERE, &CYLINDER, &SHEET, &CAPSULE, &ELLIPSOID, &HULL],
};

/// What an obstacle can be.
pub(super) static OBSTACLE_SHAPES: OneOf = OneOf {
    what: "shape for an obstacle",
    tables: &[
        &BLOCK,
        &BAR,
        &PLATE,
        &SPHERE,
        &CYLINDER,
        &SHEET,
        &CAPSULE,
        &ELLIPSOID,
        &HULL,
        &COMPOUND,
        &MESH,
        &HEIGHT_FIELD,
    ],
};

pub(crate) static FOCUS_TABLE: Table = Table {
    name: "a focus",
    kind: "",
    place: "`focus = { … }`",
    fields: &[
        field(
            "point",
            Vector(Range::Between(-FAR, FAR)),
            Refused,
            "m",
            "where fragments are smallest, in the shape's own frame",
        ),
        field("radius", Number(SIZE), Refused, "m", "how far away they have their full size"),
        field(
            "ratio",
            Number(Range::Between(0.01, 1.0)),
            Refused,
            "",
            "their size at the point over their size far away",
        ),
    ],
};
