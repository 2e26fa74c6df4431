//! The shapes of bodies.

use super::Absent::{self, Fine, Refused};
use super::Value::{self, Choice, Count, Counts, Number, Pairs, Text, Vector};
use super::{FAR, Field, MOST_PARTICLES, Range, Table, field};

const SIZE: Range = Range::Between(1.0e-4, 1.0e4);
const PARTICLES: Field = field(
    "particles",
    Count(1, MOST_PARTICLES),
    Fine,
    "",
    "about how many particles the shape is made of; one of `particles`, `counts`, `spacing`",
);
const COUNTS: Field = field(
    "counts",
    Counts(1, 10_000),
    Fine,
    "",
    "how many rows of particles fill the box around the shape along x, y and z",
);
const SPACING: Field =
    field("spacing", Number(SIZE), Fine, "m", "about how far apart the rows are");
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
    "how many fragments the body can break into, one particle each; the most there may be for `convex`, left out for `objects` and `file`",
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
const LAYERS: Field = field(
    "layers",
    Count(1, 16),
    Absent::Number(1.0),
    "",
    "how many layers of tetrahedra the wall has",
);

pub(crate) static SHAPES: &[Table] = &[
    Table {
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
        ],
    },
    Table {
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
        ],
    },
    Table {
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
        ],
    },
    Table {
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
        ],
    },
    Table {
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
        ],
    },
    Table {
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
        ],
    },
    Table {
        name: "a sheet",
        kind: "sheet",
        place: "`shape = { … }`",
        fields: &[
            field("length", Number(SIZE), Refused, "m", "the length along x"),
            field("width", Number(SIZE), Refused, "m", "the length along z"),
            field("thickness", Number(SIZE), Refused, "m", "the length along y, one particle"),
            PARTICLES,
            COUNTS,
            SPACING,
            NEIGHBOURS,
            JITTER,
        ],
    },
    Table {
        name: "a mesh",
        kind: "mesh",
        place: "`shape = { … }`",
        fields: &[
            FILE,
            SCALE,
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
        ],
    },
    Table {
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
        ],
    },
    Table {
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
        ],
    },
];

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
