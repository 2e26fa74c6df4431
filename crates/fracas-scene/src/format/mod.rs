//! The format of a scene file: every table and field, with meaning, unit, range and default.
//!
//! This is the one place that knows them. The reader takes allowed names, types, ranges and
//! defaults from here, [`schema`](crate::schema()) is made from it, and so are the tables of
//! `docs/scenes.md`. The fields of a material come from the engine.

/// A table of the file.
#[derive(Debug)]
pub(crate) struct Table {
    /// In messages: "a body".
    pub name: &'static str,
    /// The `kind` that selects it, where several kinds are allowed; else empty.
    pub kind: &'static str,
    /// How it is written: "`[[bodies]]`".
    pub place: &'static str,
    pub fields: &'static [Field],
}

/// A field of a table.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    pub value: Value,
    /// What happens if it is left out.
    pub absent: Absent,
    /// Empty for pure numbers.
    pub unit: &'static str,
    pub about: &'static str,
}

/// Tables of which `kind` selects one.
#[derive(Debug)]
pub(crate) struct OneOf {
    /// In messages: "there is no kind … of shape".
    pub what: &'static str,
    pub tables: &'static [&'static Table],
}

/// What may be written for a field.
#[derive(Debug)]
pub(crate) enum Value {
    Text,
    Flag,
    Number(Range),
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// Three numbers.
    Vector(Range),
    /// Three finite numbers, not all 0.
    Direction,
    /// Three whole numbers.
    Counts(u64, u64),
    /// A list of pairs of numbers, at least two.
    Pairs(Range),
    /// A list of points, at least four.
    Points(Range),
    /// A list of at least two rows of at least two numbers, all of the same length.
    Rows(Range),
    /// A list of whole numbers from the first to the second.
    CountList(u64, u64),
    /// One of these texts.
    Choice(&'static [&'static str]),
    Table(&'static Table),
    /// A table whose fields depend on its `kind`.
    Kinds(&'static OneOf),
    /// A list of tables.
    List(&'static Table),
    /// A list of tables whose fields depend on their `kind`.
    ListOfKinds(&'static OneOf),
    /// Tables by name, each with the fields of a material.
    Materials,
}

/// What happens if a field is left out.
#[derive(Debug)]
pub(crate) enum Absent {
    Refused,
    Fine,
    Flag(bool),
    Number(f64),
    Vector([f64; 3]),
    Text(&'static str),
}

/// The numbers that a field allows; never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    Finite,
    From0,
    Between(f64, f64),
    /// Every number and `inf`, `-inf`.
    WithInfinity,
}

impl Range {
    pub fn contains(self, x: f64) -> bool {
        match self {
            Self::Finite => x.is_finite(),
            Self::From0 => x >= 0.0 && x.is_finite(),
            Self::Between(low, high) => (low..=high).contains(&x),
            Self::WithInfinity => !x.is_nan(),
        }
    }

    pub fn text(self) -> String {
        match self {
            Self::Finite => "finite".into(),
            Self::From0 => "0 or above".into(),
            Self::Between(low, high) => format!("from {} to {}", plain(low), plain(high)),
            Self::WithInfinity => "any number, `inf` or `-inf`".into(),
        }
    }
}

impl Value {
    /// As in "must be …".
    pub fn text(&self) -> String {
        match self {
            Self::Text => "text in quotes".into(),
            Self::Flag => "`true` or `false`".into(),
            Self::Number(_) => "a number".into(),
            Self::Count(..) => "a whole number".into(),
            Self::Vector(_) | Self::Direction => "three numbers, `[x, y, z]`".into(),
            Self::Counts(..) => "three whole numbers, `[x, y, z]`".into(),
            Self::Pairs(_) => "a list of pairs of numbers, `[[a, b], [c, d], …]`".into(),
            Self::Points(_) => "a list of points, `[[x, y, z], …]`".into(),
            Self::Rows(_) => "a list of rows of numbers, `[[a, b, …], [c, d, …], …]`".into(),
            Self::CountList(..) => "a list of whole numbers, `[a, b, …]`".into(),
            Self::Choice(names) => one_of(names.iter().copied()),
            Self::Table(table) if table.place.starts_with("`[") => {
                format!("a table, {}", table.place)
            }
            Self::Table(table) => format!("a table, {}", table.outline()),
            Self::Kinds(_) => "a table, `{ kind = …, … }`".into(),
            Self::List(table) => format!("a list of tables, {}", table.place),
            Self::ListOfKinds(kinds) => {
                let place = kinds.tables.first().map_or("`[[ ]]`", |table| table.place);
                format!("a list of tables, {place}")
            }
            Self::Materials => "tables by name, `[materials.NAME]`".into(),
        }
    }

    /// What is allowed beyond the type.
    pub fn range(&self) -> Option<String> {
        match self {
            Self::Number(range) | Self::Vector(range) => Some(range.text()),
            Self::Pairs(range) | Self::Points(range) | Self::Rows(range) => Some(range.text()),
            Self::Direction => Some("not all 0".into()),
            Self::Count(low, high) | Self::Counts(low, high) | Self::CountList(low, high) => {
                Some(count_range(*low, *high))
            }
            _ => None,
        }
    }
}

impl Table {
    /// "`{ axis = …, angle = … }`": what must be there, or else what may.
    fn outline(&self) -> String {
        let required = |field: &&Field| matches!(field.absent, Refused);
        let mut names: Vec<&str> = self.fields.iter().filter(required).map(|f| f.name).collect();
        if names.is_empty() {
            names = self.fields.iter().map(|field| field.name).collect();
        }
        let names: Vec<String> = names.iter().map(|name| format!("{name} = …")).collect();
        format!("`{{ {} }}`", names.join(", "))
    }
}

impl Field {
    /// Meaning, unit and default in one sentence, for help lines.
    pub fn sentence(&self) -> String {
        let mut text = format!("`{}` is {}", self.name, self.about);
        if !self.unit.is_empty() {
            text = format!("{text}, in {}", self.unit);
        }
        match self.absent.text() {
            Some(default) => format!("{text}; {default} if left out"),
            None => text,
        }
    }
}

impl Absent {
    /// The default as it would be written.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Refused | Self::Fine => None,
            Self::Flag(flag) => Some(format!("`{flag}`")),
            Self::Number(x) => Some(format!("`{x}`")),
            Self::Vector(v) => Some(format!("`[{}, {}, {}]`", v[0], v[1], v[2])),
            Self::Text(text) => Some(format!("`\"{text}\"`")),
        }
    }
}

/// "from 1 to 64", "1".
pub(crate) fn count_range(low: u64, high: u64) -> String {
    match high {
        _ if low == high => format!("{low}"),
        // As far as whole numbers go in TOML.
        _ if high == i64::MAX as u64 => format!("{low} or above"),
        _ => format!("from {low} to {high}"),
    }
}

/// Large numbers as people write them: `1e6`.
fn plain(x: f64) -> String {
    if x.abs() >= 1.0e5 { format!("{x:e}") } else { format!("{x}") }
}

/// "`a`", "`a` or `b`", "one of `a`, `b`, `c`".
pub(crate) fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`\"{name}\"`")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        [one, two] => format!("{one} or {two}"),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

const fn field(
    name: &'static str,
    value: Value,
    absent: Absent,
    unit: &'static str,
    about: &'static str,
) -> Field {
    Field { name, value, absent, unit, about }
}

/// The version of the format that this program reads.
pub(crate) const FORMAT: u64 = 1;
/// The most particles of one body: `copies` included, a scene stays within memory.
pub(crate) const MOST_PARTICLES: u64 = 1_000_000;
/// The most copies of one body along one side; their product is limited too.
pub(crate) const MOST_COPIES: u64 = 1_000;
/// Farther than this, in m, `f64` no longer resolves a tenth of a millimetre.
const FAR: f64 = 1.0e12;

/// The most bodies of a scene, copies included.
pub(crate) const MOST_BODIES: usize = 10_000;
/// The most particles of a scene, copies included.
pub(crate) const MOST_PARTICLES_OF_SCENE: u64 = 4_000_000;

/// The models a body may name.
pub(crate) const MODELS: &[&str] =
    &["oriented", "corotated", "brittle", "meshless", "sheet", "rigid"];
/// The most numbers in one list of lists: points of a hull, heights of a height field.
pub(crate) const MOST_NUMBERS: usize = 1_000_000;

use Absent::{Fine, Refused};
use Value::{
    Choice, Count, CountList, Counts, Direction, Flag, Kinds, List, ListOfKinds, Number, Text,
    Vector,
};

mod shapes;

use shapes::{OBSTACLE_SHAPES, SHAPES};

pub(crate) static SCENE: Table = Table {
    name: "a scene",
    kind: "",
    place: "at the top of the file, before the first `[…]`",
    fields: &[
        field("format", Count(1, FORMAT), Refused, "", "the version of this format"),
        field("title", Text, Refused, "", "what to watch, in one line"),
        field(
            "seed",
            Count(0, i64::MAX as u64),
            Absent::Number(0.0),
            "",
            "the number that all randomness of the scene grows from",
        ),
        field(
            "settle",
            Flag,
            Absent::Flag(false),
            "",
            "whether gravity grows over the first 0.5 s, while nothing breaks, so that bodies start at rest under their own weight",
        ),
        field("world", Value::Table(&WORLD), Fine, "", "gravity, accuracy and length of the run"),
        field("camera", Value::Table(&CAMERA), Fine, "", "where to look from"),
        field("materials", Value::Materials, Fine, "", "what bodies are made of, by name"),
        field("bodies", List(&BODY), Fine, "", "what moves, deforms and breaks"),
        field(
            "obstacles",
            ListOfKinds(&OBSTACLES),
            Fine,
            "",
            "what bodies touch and what does not give way",
        ),
        field("grips", List(&GRIP), Fine, "", "what holds, moves and pulls bodies"),
        field("blades", List(&BLADE), Fine, "", "what cuts bodies"),
        field("fields", ListOfKinds(&FIELDS), Fine, "", "air and water that slow or carry bodies"),
        field("attachments", ListOfKinds(&ATTACHMENTS), Fine, "", "what joins two bodies"),
    ],
};

pub(crate) static WORLD: Table = Table {
    name: "the world",
    kind: "",
    place: "`[world]`",
    fields: &[
        field(
            "gravity",
            Vector(Range::Between(-1.0e6, 1.0e6)),
            Absent::Vector([0.0, -9.81, 0.0]),
            "m/s²",
            "the acceleration of everything",
        ),
        field(
            "substeps",
            Count(1, 64),
            Absent::Number(4.0),
            "",
            "how many parts a frame is computed in",
        ),
        field(
            "sweeps",
            Count(1, 64),
            Absent::Number(8.0),
            "",
            "how often a body's solver runs per substep; substeps × sweeps limits the stiffness that is reached",
        ),
        field(
            "frame_rate",
            Number(Range::Between(15.0, 100_000.0)),
            Absent::Number(60.0),
            "frames per second",
            "how many frames a second of the scene has",
        ),
        field(
            "frames",
            Count(1, 10_000_000),
            Absent::Number(600.0),
            "",
            "how many frames a run does unless told otherwise",
        ),
        field(
            "fragments_split",
            Flag,
            Absent::Flag(false),
            "",
            "whether fragments that are alone break in two where they are overloaded",
        ),
        field(
            "momentum_correction",
            Flag,
            Absent::Flag(true),
            "",
            "whether momentum and angular momentum of free pieces are restored after the elastic solve; `false` only shows what happens without",
        ),
    ],
};

pub(crate) static CAMERA: Table = Table {
    name: "the camera",
    kind: "",
    place: "`[camera]`",
    fields: &[
        field("eye", Vector(Range::Between(-FAR, FAR)), Refused, "m", "where the camera stands"),
        field(
            "target",
            Vector(Range::Between(-FAR, FAR)),
            Absent::Vector([0.0; 3]),
            "m",
            "what it looks at",
        ),
        field(
            "field_of_view",
            Number(Range::Between(1.0, 170.0)),
            Absent::Number(45.0),
            "degrees",
            "the angle between the lower and upper edge of the picture",
        ),
    ],
};

pub(crate) static BODY: Table = Table {
    name: "a body",
    kind: "",
    place: "`[[bodies]]`",
    fields: &[
        field(
            "name",
            Text,
            Refused,
            "",
            "what grips and messages call the body; no two bodies share one",
        ),
        field(
            "model",
            Choice(MODELS),
            Absent::Text("oriented"),
            "",
            "the way it deforms and breaks; what is `corotated` is made of tetrahedra and bends, flows and tears, what is `brittle` is made of them and breaks without being seen to deform, what is `meshless` is soft and tears, what is `sheet` is made of triangles and tears, what is rigid does neither",
        ),
        field(
            "solver",
            Choice(&["iterative", "direct"]),
            Absent::Text("iterative"),
            "",
            "what solves the equations of a `corotated` or `brittle` body: conjugate gradients, or a factor of their matrix",
        ),
        field(
            "keeps_volume",
            Flag,
            Absent::Flag(false),
            "",
            "whether a `corotated` body keeps its volume by equations of its own, for a `poisson_ratio` near 0.5",
        ),
        field(
            "remesh",
            Flag,
            Absent::Flag(false),
            "",
            "whether the tetrahedra of a `brittle` body are split where a crack runs, so that it is flat; not with `surface = \"own\"` or `grain`",
        ),
        field(
            "criterion",
            Choice(&["stress", "separation"]),
            Absent::Text("stress"),
            "",
            "what begins a tear in a `sheet`: the mean stress around a vertex, or the separation tensor of seed 004, whose strength depends on the mesh",
        ),
        field(
            "tips",
            Choice(&["disc", "integral"]),
            Absent::Text("disc"),
            "",
            "what tells the load at the ends of the tears of a `sheet`: the mean stress over a disc, or the interaction integral, which is more exact and takes longer",
        ),
        field("material", Text, Refused, "", "the name of one of the scene's materials"),
        field(
            "regions",
            List(&OF_MATERIAL),
            Fine,
            "",
            "boxes in which a body of tetrahedra is of other materials; where they overlap, the last counts",
        ),
        field("shape", Kinds(&SHAPES), Refused, "", "the geometry, around its own origin"),
        field(
            "splinters",
            Kinds(&SPLINTERS),
            Fine,
            "",
            "pieces that a body of tetrahedra is drawn in, which stay whole where it breaks; not with `remesh`",
        ),
        field(
            "position",
            Vector(Range::Between(-FAR, FAR)),
            Absent::Vector([0.0; 3]),
            "m",
            "where the shape's origin goes",
        ),
        field(
            "rotation",
            Value::Table(&ROTATION),
            Fine,
            "",
            "how the shape is turned about its origin",
        ),
        field(
            "velocity",
            Vector(Range::Between(-1.0e6, 1.0e6)),
            Absent::Vector([0.0; 3]),
            "m/s",
            "the velocity of its centre of mass at the start",
        ),
        field(
            "spin",
            Vector(Range::Between(-1.0e8, 1.0e8)),
            Absent::Vector([0.0; 3]),
            "degrees per second",
            "the rate of turning about its centre of mass at the start",
        ),
        field(
            "pattern",
            Kinds(&PATTERNS),
            Fine,
            "",
            "into what a hit breaks the fragments around it, once each, where the material is overloaded",
        ),
        field(
            "paint",
            Value::Table(&PAINT),
            Fine,
            "",
            "what its surface is painted with; where it breaks, its material shows. Without it, all of it has the colour of its material",
        ),
        field(
            "copies",
            Value::Table(&COPIES),
            Fine,
            "",
            "a lattice of copies; those of `bar` are called `bar-1`, `bar-2` and so on, x first, then y, then z",
        ),
        LAYERS,
    ],
};

pub(crate) static OF_MATERIAL: Table = Table {
    name: "a region of a body",
    kind: "",
    place: "`regions = [{ … }]`",
    fields: &[
        field("material", Text, Refused, "", "the name of one of the scene's materials"),
        REGION_MIN,
        REGION_MAX,
    ],
};

pub(crate) static SPLINTERS: OneOf =
    OneOf { what: "splinters", tables: &[&BRICKS, &SHARDS, &SLIVERS, &OBJECTS] };

static BRICKS: Table = Table {
    name: "splinters that are bricks",
    kind: "bricks",
    place: "`splinters = { … }`",
    fields: &[
        field(
            "size",
            Vector(Range::Between(1.0e-6, 1.0e6)),
            Refused,
            "m",
            "length, height and depth of a brick with its joint; courses are stacked along y, every other shifted by half a length",
        ),
        field("joint", Number(Range::From0), Absent::Number(0.0), "m", "how far two are apart"),
    ],
};

static SHARDS: Table = Table {
    name: "splinters that are shards",
    kind: "shards",
    place: "`splinters = { … }`",
    fields: &[field("count", Count(1, 20_000), Refused, "", "how many Voronoi cells")],
};

static SLIVERS: Table = Table {
    name: "splinters that are slivers",
    kind: "slivers",
    place: "`splinters = { … }`",
    fields: &[
        field(
            "length",
            Number(Range::Between(1.0e-6, 1.0e6)),
            Refused,
            "m",
            "about how long they are",
        ),
        field("width", Number(Range::Between(1.0e-6, 1.0e6)), Refused, "m", "and how wide"),
        field(
            "direction",
            Direction,
            Absent::Vector([1.0, 0.0, 0.0]),
            "",
            "the direction they lie along, in the shape's own frame; any length",
        ),
    ],
};

static OBJECTS: Table = Table {
    name: "splinters that are objects of a file",
    kind: "objects",
    place: "`splinters = { … }`",
    fields: &[],
};

pub(crate) static PATTERNS: OneOf = OneOf { what: "pattern", tables: &[&VORONOI, &RADIAL, &BRICK] };

const PATTERN_RADIUS: Field = field(
    "radius",
    Number(Range::Between(1.0e-6, 1.0e6)),
    Refused,
    "m",
    "how far from the hit it breaks; beyond, fragments stay in few parts",
);

const PATTERN_SEED: Field = field(
    "seed",
    Count(0, 4_294_967_295),
    Absent::Number(0.0),
    "",
    "chooses the random numbers of the pattern",
);

pub(crate) static VORONOI: Table = Table {
    name: "a Voronoi pattern",
    kind: "voronoi",
    place: "`pattern = { … }`",
    fields: &[
        PATTERN_RADIUS,
        field("count", Count(2, 1024), Refused, "", "how many cells, denser towards the hit"),
        PATTERN_SEED,
    ],
};

pub(crate) static RADIAL: Table = Table {
    name: "a radial pattern",
    kind: "radial",
    place: "`pattern = { … }`",
    fields: &[
        PATTERN_RADIUS,
        field("rays", Count(3, 128), Refused, "", "how many cracks run out from the hit"),
        field("rings", Count(1, 64), Refused, "", "how many cells lie between two rays"),
        PATTERN_SEED,
    ],
};

pub(crate) static BRICK: Table = Table {
    name: "a pattern of bricks",
    kind: "brick",
    place: "`pattern = { … }`",
    fields: &[
        PATTERN_RADIUS,
        field(
            "size",
            Vector(Range::Between(1.0e-6, 1.0e6)),
            Refused,
            "m",
            "length, height and depth of a brick",
        ),
        field(
            "along",
            Direction,
            Absent::Vector([1.0, 0.0, 0.0]),
            "",
            "the direction of the length, in the frame of the fragment; any length",
        ),
        field(
            "up",
            Direction,
            Absent::Vector([0.0, 1.0, 0.0]),
            "",
            "the direction from course to course; any length",
        ),
    ],
};

pub(crate) static ROTATION: Table = Table {
    name: "a rotation",
    kind: "",
    place: "`rotation = { … }`",
    fields: &[
        field("axis", Direction, Refused, "", "the direction to turn about; any length"),
        field(
            "angle",
            Number(Range::Finite),
            Refused,
            "degrees",
            "how far, counter-clockwise seen from the tip of the axis",
        ),
    ],
};

pub(crate) static PAINT: Table = Table {
    name: "paint",
    kind: "",
    place: "`paint = { … }`",
    fields: &[
        field(
            "colour",
            Vector(Range::Between(0.0, 1.0)),
            Refused,
            "",
            "red, green and blue, each from 0 to 1, of linear light",
        ),
        field(
            "roughness",
            Number(Range::Between(0.0, 1.0)),
            Absent::Number(0.5),
            "",
            "from a mirror, 0, to chalk, 1",
        ),
        field(
            "metallic",
            Number(Range::Between(0.0, 1.0)),
            Absent::Number(0.0),
            "",
            "how much of it is metal, which mirrors in its own colour",
        ),
        field(
            "transparency",
            Number(Range::Between(0.0, 1.0)),
            Absent::Number(0.0),
            "",
            "how much of what is behind is seen through it, in its colour",
        ),
        field(
            "rings",
            Number(Range::Between(0.0, 1.0)),
            Absent::Number(0.0),
            "m",
            "the distance of growth rings around the direction of the grain; 0 for none",
        ),
    ],
};

pub(crate) static COPIES: Table = Table {
    name: "copies",
    kind: "",
    place: "`copies = { … }`",
    fields: &[
        field("counts", Counts(1, MOST_COPIES), Refused, "", "how many along x, y and z"),
        field(
            "spacing",
            Vector(Range::Between(-1.0e6, 1.0e6)),
            Refused,
            "m",
            "the distance from one to the next along x, y and z",
        ),
        field(
            "turn",
            Number(Range::Between(0.0, 180.0)),
            Absent::Number(0.0),
            "degrees",
            "the largest angle by which each is turned at random about its origin, so that a heap is not in rows",
        ),
    ],
};

const LAYERS: Field = field(
    "layers",
    Value::Table(&LAYERS_TABLE),
    Fine,
    "",
    "what it may touch; everything if left out",
);

pub(crate) static LAYERS_TABLE: Table = Table {
    name: "layers",
    kind: "",
    place: "`layers = { … }`",
    fields: &[
        field("member", CountList(1, 32), Fine, "", "the layers that it is in; `[1]` if left out"),
        field("meets", CountList(1, 32), Fine, "", "the layers that it touches; all if left out"),
    ],
};

const FRICTION: Field = field(
    "friction",
    Number(Range::From0),
    Absent::Number(0.5),
    "",
    "the coefficient of sliding friction; pairs combine by the geometric mean",
);
const FRICTION_STATIC: Field = field(
    "friction_static",
    Number(Range::From0),
    Fine,
    "",
    "the coefficient of friction at rest, at least `friction` and equal to it if left out",
);
const RESTITUTION: Field = field(
    "restitution",
    Number(Range::Between(0.0, 1.0)),
    Absent::Number(0.5),
    "",
    "the share of its speed with which a rigid body bounces off; pairs combine by the geometric mean",
);
const OBSTACLE_MOVE: Field = field(
    "move",
    Value::Table(&MOVE),
    Fine,
    "",
    "carries it along a path, pushing what is in its way",
);
const SENSOR: Field = field(
    "sensor",
    Flag,
    Absent::Flag(false),
    "",
    "whether it only feels what is inside, stops nothing and is not drawn",
);

pub(crate) static OBSTACLES: OneOf = OneOf { what: "obstacle", tables: &[&HALF_SPACE, &SOLID] };

pub(crate) static HALF_SPACE: Table = Table {
    name: "a half-space",
    kind: "half-space",
    place: "`[[obstacles]]`",
    fields: &[
        field(
            "point",
            Vector(Range::Between(-FAR, FAR)),
            Absent::Vector([0.0; 3]),
            "m",
            "a point of the surface",
        ),
        field(
            "normal",
            Direction,
            Absent::Vector([0.0, 1.0, 0.0]),
            "",
            "the direction away from the solid side; any length",
        ),
        FRICTION,
        FRICTION_STATIC,
        RESTITUTION,
        OBSTACLE_MOVE,
        LAYERS,
        SENSOR,
    ],
};

pub(crate) static SOLID: Table = Table {
    name: "a solid",
    kind: "solid",
    place: "`[[obstacles]]`",
    fields: &[
        field("shape", Kinds(&OBSTACLE_SHAPES), Refused, "", "the geometry, around its own origin"),
        field(
            "position",
            Vector(Range::Between(-FAR, FAR)),
            Absent::Vector([0.0; 3]),
            "m",
            "where the shape's origin goes",
        ),
        field(
            "rotation",
            Value::Table(&ROTATION),
            Fine,
            "",
            "how the shape is turned about its origin",
        ),
        FRICTION,
        FRICTION_STATIC,
        RESTITUTION,
        OBSTACLE_MOVE,
        LAYERS,
        SENSOR,
    ],
};

pub(crate) static FIELDS: OneOf = OneOf { what: "field", tables: &[&WIND, &DRAG] };

pub(crate) static WIND: Table = Table {
    name: "wind",
    kind: "wind",
    place: "`[[fields]]`",
    fields: &[
        field(
            "velocity",
            Vector(Range::Between(-1.0e6, 1.0e6)),
            Refused,
            "m/s",
            "the velocity of the air; 0 is air that only slows",
        ),
        field(
            "density",
            Number(Range::Between(0.0, 1.0e6)),
            Absent::Number(1.2),
            "kg/m³",
            "how heavy the air is",
        ),
        field(
            "coefficient",
            Number(Range::Between(0.0, 1.0e6)),
            Absent::Number(1.0),
            "",
            "the drag coefficient: about 0.5 for round things, 1 for blocks, 1.2 for sheets",
        ),
    ],
};

pub(crate) static DRAG: Table = Table {
    name: "drag",
    kind: "drag",
    place: "`[[fields]]`",
    fields: &[field(
        "rate",
        Number(Range::Between(0.0, 1.0e6)),
        Refused,
        "1/s",
        "the share of its velocity that everything loses in a second, while that is small",
    )],
};

pub(crate) static GRIP: Table = Table {
    name: "a grip",
    kind: "",
    place: "`[[grips]]`",
    fields: &[
        field(
            "body",
            Text,
            Refused,
            "",
            "the name of the body it holds; a body with copies means all of them",
        ),
        field("region", Value::Table(&REGION), Refused, "", "which particles of the body it holds"),
        field("hold", Flag, Fine, "", "`true` keeps them where they were"),
        field("move", Value::Table(&MOVE), Fine, "", "carries them along a path"),
        field("pull", Value::Table(&PULL), Fine, "", "pulls them with a force"),
        field(
            "release",
            Number(Range::From0),
            Fine,
            "s",
            "the time at which it lets go; never if left out",
        ),
    ],
};

pub(crate) static REGION: Table = Table {
    name: "a region",
    kind: "",
    place: "`region = { … }`",
    fields: &[REGION_MIN, REGION_MAX],
};

const REGION_MIN: Field = field(
    "min",
    Vector(Range::WithInfinity),
    Absent::Vector([f64::NEG_INFINITY; 3]),
    "m",
    "the lowest corner of a box, in the shape's own frame, before the body is placed",
);

const REGION_MAX: Field = field(
    "max",
    Vector(Range::WithInfinity),
    Absent::Vector([f64::INFINITY; 3]),
    "m",
    "the highest corner",
);

pub(crate) static BLADE: Table = Table {
    name: "a blade",
    kind: "",
    place: "`[[blades]]`",
    fields: &[
        field(
            "body",
            Text,
            Fine,
            "",
            "the name of the only body it cuts; all if left out. A body with copies means all of them",
        ),
        field(
            "keys",
            List(&BLADE_KEY),
            Refused,
            "",
            "the time table, at least two: it cuts what its edge passes from the first to the last, and is not there before and after",
        ),
    ],
};

pub(crate) static BLADE_KEY: Table = Table {
    name: "a key of a blade",
    kind: "",
    place: "`keys = [{ … }]`",
    fields: &[
        field(
            "time",
            Number(Range::From0),
            Refused,
            "s",
            "the moment since the start, later than the key before",
        ),
        field(
            "from",
            Vector(Range::Between(-FAR, FAR)),
            Refused,
            "m",
            "one end of its edge, in the world",
        ),
        field("to", Vector(Range::Between(-FAR, FAR)), Refused, "m", "the other end"),
    ],
};

pub(crate) static ATTACHMENTS: OneOf = OneOf { what: "attachment", tables: &[&GLUE, &HINGE] };

const ATTACHED: Field = field("body", Text, Refused, "", "the name of one body");
const ATTACHED_TO: Field = field("to", Text, Refused, "", "the name of the other");
const ATTACHED_WITHIN: Field = field(
    "distance",
    Number(Range::From0),
    Absent::Number(1.0e-3),
    "m",
    "how far apart their particles may be to be joined; of a hinge, also from its line",
);
const ATTACHED_STRENGTH: Field = field(
    "strength",
    Number(Range::WithInfinity),
    Absent::Number(f64::INFINITY),
    "Pa",
    "the stress of pull and shear at which it parts, above 0",
);
const ATTACHED_TOUGHNESS: Field = field(
    "toughness",
    Number(Range::WithInfinity),
    Absent::Number(f64::INFINITY),
    "Pa √m",
    "the stress intensity at which what has begun to part goes on, above 0",
);
const ATTACHED_REGION: Field = field(
    "region",
    Value::Table(&WORLD_REGION),
    Fine,
    "",
    "where they are joined; wherever they are near if left out",
);

static WORLD_REGION: Table = Table {
    name: "a region of the world",
    kind: "",
    place: "`region = { … }`",
    fields: &[
        field(
            "min",
            Vector(Range::WithInfinity),
            Absent::Vector([f64::NEG_INFINITY; 3]),
            "m",
            "the lowest corner of a box, in the world, as bodies are at the start",
        ),
        REGION_MAX,
    ],
};

static GLUE: Table = Table {
    name: "glue",
    kind: "glue",
    place: "`[[attachments]]`",
    fields: &[
        ATTACHED,
        ATTACHED_TO,
        ATTACHED_WITHIN,
        ATTACHED_REGION,
        ATTACHED_STRENGTH,
        ATTACHED_TOUGHNESS,
    ],
};

static HINGE: Table = Table {
    name: "a hinge",
    kind: "hinge",
    place: "`[[attachments]]`",
    fields: &[
        ATTACHED,
        ATTACHED_TO,
        field("point", Vector(Range::Between(-FAR, FAR)), Refused, "m", "a point of its line"),
        field("axis", Direction, Refused, "", "the direction of its line; any length"),
        ATTACHED_WITHIN,
        ATTACHED_REGION,
        ATTACHED_STRENGTH,
        ATTACHED_TOUGHNESS,
    ],
};

pub(crate) static MOVE: Table = Table {
    name: "a move",
    kind: "",
    place: "`move = { … }`",
    fields: &[
        field(
            "pivot",
            Vector(Range::Between(-FAR, FAR)),
            Absent::Vector([0.0; 3]),
            "m",
            "a point of the axis, in the world",
        ),
        field(
            "axis",
            Direction,
            Absent::Vector([0.0, 1.0, 0.0]),
            "",
            "the direction to turn about; any length",
        ),
        field(
            "keys",
            List(&MOVE_KEY),
            Refused,
            "",
            "the time table: straight from key to key, still before the first and after the last",
        ),
    ],
};

pub(crate) static MOVE_KEY: Table = Table {
    name: "a key of a move",
    kind: "",
    place: "`keys = [{ … }]`",
    fields: &[
        field(
            "time",
            Number(Range::From0),
            Refused,
            "s",
            "the moment since the start, later than the key before",
        ),
        field(
            "offset",
            Vector(Range::Between(-1.0e6, 1.0e6)),
            Absent::Vector([0.0; 3]),
            "m",
            "the shift since the start",
        ),
        field(
            "angle",
            Number(Range::Between(-1.0e6, 1.0e6)),
            Absent::Number(0.0),
            "degrees",
            "the angle turned since the start; may exceed a turn",
        ),
    ],
};

pub(crate) static PULL: Table = Table {
    name: "a pull",
    kind: "",
    place: "`pull = { … }`",
    fields: &[field(
        "keys",
        List(&PULL_KEY),
        Refused,
        "",
        "the time table: straight from key to key, constant before the first and after the last",
    )],
};

pub(crate) static PULL_KEY: Table = Table {
    name: "a key of a pull",
    kind: "",
    place: "`keys = [{ … }]`",
    fields: &[
        field(
            "time",
            Number(Range::From0),
            Refused,
            "s",
            "the moment since the start, later than the key before",
        ),
        field(
            "force",
            Vector(Range::Finite),
            Absent::Vector([0.0; 3]),
            "N",
            "the total force on the held particles",
        ),
        field(
            "torque",
            Vector(Range::Finite),
            Absent::Vector([0.0; 3]),
            "N m",
            "the total torque about their centre of mass",
        ),
    ],
};
