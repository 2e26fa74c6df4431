//! Shapes that are filled with rows of particles.

use fracas::skin::SkinMesh;
use fracas::solids::oriented::OrientedShape;
use fracas_mesh::generate::{self, GenerateError, Neighbourhood, Resolution, Sampling, surfaces};
use fracas_mesh::{Surface, skin};
use toml::Spanned;

use crate::error::Problem;
use crate::format::MOST_PARTICLES;
use crate::reader::Reader;

/// Edges around what is round, where it is filled with tetrahedra.
pub(super) const SEGMENTS: u32 = 96;
/// How often an icosahedron is divided into a ball: 5,120 triangles.
const DIVISIONS: u32 = 4;

/// Shapes that may be filled with tetrahedra as well.
pub(super) const FILLED: [&str; 6] = ["block", "bar", "plate", "sphere", "cylinder", "torus"];
/// Their fields that say how fine the rows of particles are.
pub(super) const OF_ROWS: [&str; 5] = ["particles", "counts", "spacing", "neighbours", "jitter"];
/// Their fields that say how fragments are made.
pub(super) const OF_FRAGMENTS: [&str; 5] = ["tets", "pattern", "focus", "surface", "grain"];

/// A solid and how finely it is filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    solid: Solid,
    sampling: Sampling,
}

/// Lengths in m.
#[derive(Clone, Copy, Debug)]
pub(super) enum Solid {
    Block { size: [f32; 3] },
    Bar { length: f32, width: f32, height: f32 },
    Plate { length: f32, width: f32, thickness: f32 },
    Sphere { radius: f32 },
    Cylinder { radius: f32, height: f32 },
    Torus { radius: f32, tube: f32 },
    Sheet { length: f32, width: f32, thickness: f32 },
}

impl Solid {
    /// Lengths of the box around it.
    pub(super) fn size(self) -> [f32; 3] {
        match self {
            Self::Block { size } => size,
            Self::Bar { length, width, height } => [length, height, width],
            Self::Plate { length, width, thickness } => [length, thickness, width],
            Self::Sphere { radius } => [2.0 * radius; 3],
            Self::Cylinder { radius, height } => [2.0 * radius, height, 2.0 * radius],
            Self::Torus { radius, tube } => {
                let across = 2.0 * (radius + tube);
                [across, 2.0 * tube, across]
            }
            Self::Sheet { length, width, thickness } => [length, thickness, width],
        }
    }

    /// The closed surface around it, finer than what tetrahedra show.
    pub(super) fn surface(self) -> Result<Surface, GenerateError> {
        match self {
            Self::Sphere { radius } => surfaces::sphere(radius.into(), DIVISIONS),
            Self::Cylinder { radius, height } => {
                surfaces::cylinder(radius.into(), height.into(), SEGMENTS)
            }
            Self::Torus { radius, tube } => {
                surfaces::torus(radius.into(), tube.into(), SEGMENTS, SEGMENTS / 2)
            }
            block => surfaces::block(block.size().map(f64::from)),
        }
    }

    /// Rows of this spacing, or these, in the box around it.
    fn cells(self, resolution: Resolution) -> u64 {
        match resolution {
            Resolution::Count(count) => u64::from(count),
            rows => cells_along(self.size(), rows).iter().product::<f64>() as u64,
        }
    }
}

/// Cells along x, y and z of a box, of this spacing, or these.
pub(super) fn cells_along(size: [f32; 3], rows: Resolution) -> [f64; 3] {
    match rows {
        Resolution::Lattice(counts) => counts.map(f64::from),
        Resolution::Spacing(spacing) => size.map(|side| f64::from(side / spacing).round().max(1.0)),
        _ => [f64::INFINITY; 3],
    }
}

impl Lattice {
    /// About how many particles it has, rather too high than too low.
    pub fn particle_count(&self) -> u64 {
        self.solid.cells(self.sampling.resolution)
    }

    /// Particles and bonds.
    pub fn make(&self, seed: u64) -> Result<OrientedShape, GenerateError> {
        let sampling = &Sampling { seed, ..self.sampling };
        match self.solid {
            Solid::Block { size } => generate::block(size, sampling),
            Solid::Bar { length, width, height } => generate::bar(length, width, height, sampling),
            Solid::Plate { length, width, thickness } => {
                generate::plate(length, width, thickness, sampling)
            }
            Solid::Sphere { radius } => generate::sphere(radius, sampling),
            Solid::Cylinder { radius, height } => generate::cylinder(radius, height, sampling),
            Solid::Torus { radius, tube } => generate::torus(radius, tube, sampling),
            Solid::Sheet { length, width, thickness } => {
                generate::sheet(length, width, thickness, sampling)
            }
        }
    }

    /// What is drawn of what [`Lattice::make`] made.
    pub fn skin(&self) -> Result<SkinMesh, GenerateError> {
        let (size, sampling) = (self.solid.size().map(f64::from), &self.sampling);
        match self.solid {
            Solid::Block { .. } | Solid::Bar { .. } | Solid::Plate { .. } => {
                skin::block(size, sampling)
            }
            Solid::Sheet { .. } => skin::sheet(size, sampling),
            Solid::Sphere { radius } => skin::sphere(radius.into(), sampling),
            Solid::Cylinder { radius, height } => {
                skin::cylinder(radius.into(), height.into(), sampling)
            }
            Solid::Torus { radius, tube } => skin::torus(radius.into(), tube.into(), sampling),
        }
    }
}

/// The lengths of a solid.
pub(super) fn read_solid(reader: &Reader<'_>) -> Solid {
    let length = |name| reader.number(name) as f32;
    match reader.kind() {
        "block" => Solid::Block { size: reader.vector_f32("size") },
        "bar" => {
            let width = length("width");
            let height = reader.optional_number("height");
            let height = height.map_or(width, |height| height.into_inner() as f32);
            Solid::Bar { length: length("length"), width, height }
        }
        "plate" => Solid::Plate {
            length: length("length"),
            width: length("width"),
            thickness: length("thickness"),
        },
        "sphere" => Solid::Sphere { radius: length("radius") },
        "cylinder" => Solid::Cylinder { radius: length("radius"), height: length("height") },
        "torus" => Solid::Torus { radius: length("radius"), tube: length("tube") },
        "sheet" => {
            super::sheet::require_thickness(reader);
            reader.warn_in_vain("cut", "of particles");
            let thickness = reader.optional_number("thickness");
            Solid::Sheet {
                length: length("length"),
                width: length("width"),
                thickness: thickness.map_or(0.0, |thickness| thickness.into_inner() as f32),
            }
        }
        other => unreachable!("the format has a shape {other} that is never read"),
    }
}

/// `None` if it is wrong.
pub(super) fn read(reader: &Reader<'_>) -> Option<Lattice> {
    let solid = read_solid(reader);
    let resolution = read_resolution(reader, solid);
    if FILLED.contains(&reader.kind()) {
        for name in OF_FRAGMENTS {
            reader.warn_in_vain(name, "without `fragments`");
        }
    }
    let neighbourhood = match reader.text("neighbours").as_str() {
        "faces" => Neighbourhood::Faces,
        "edges" => Neighbourhood::Edges,
        _ => Neighbourhood::Full,
    };
    let jitter = reader.number("jitter") as f32;
    let sampling = Sampling { resolution: resolution?, neighbourhood, jitter, seed: 0 };
    Some(Lattice { solid, sampling })
}

/// The same for `meshless`, which is neither made of fragments nor told who is bonded; `None` if it is wrong.
pub(super) fn read_meshless(reader: &Reader<'_>) -> Option<Lattice> {
    if let Some((span, name)) = reader.given(["fragments", "neighbours"]).into_iter().next() {
        let message = format!("`{name}` does not go with `model = \"meshless\"`");
        let error = reader.context.error(Problem::Conflict, span, message);
        let help = match name {
            "fragments" => {
                "say how fine its rows of particles are by `particles`, `counts` or `spacing`"
            }
            _ => "who sees whom follows from distances: leave it out",
        };
        reader.context.report(error.help(help));
        // all else is as it may be
        read_solid(reader);
        reader.given(OF_ROWS);
        reader.given(OF_FRAGMENTS);
        return None;
    }
    read(reader)
}

/// Exactly one of `particles`, `counts` and `spacing`.
pub(super) fn read_resolution(reader: &Reader<'_>, solid: Solid) -> Option<Resolution> {
    let context = reader.context;
    let particles = reader.optional_count("particles");
    let counts = reader.optional_counts("counts");
    let spacing = reader.optional_number("spacing");

    let given = reader.given(["particles", "counts", "spacing"]);
    if let [(first, a), (second, b), ..] = given.as_slice() {
        let message = format!("{} has both `{a}` and `{b}`", reader.name);
        let error = context.error(Problem::Conflict, second.clone(), message);
        let error = error.other(first.clone(), format!("`{a}` is here"));
        context.report(error.help("keep one: each of them decides how fine the shape is"));
        return None;
    }
    if given.is_empty() {
        let message = format!("{} does not say how fine it is", reader.name);
        let error = context.error(Problem::MissingField, reader.span.clone(), message);
        let ways = match solid {
            Solid::Sheet { .. } => "`particles = 300`, `counts = [12, 1, 25]` or `spacing = 0.05`",
            _ => "`particles = 300`, `counts = [12, 5, 5]`, `spacing = 0.05` or `fragments = 300`",
        };
        reader.report_missing(error.help(format!("add one of {ways}")));
        return None;
    }

    let particles = particles.map(|n| {
        let span = n.span();
        Spanned::new(span, Resolution::Count(u32::try_from(n.into_inner()).unwrap_or(u32::MAX)))
    });
    let counts = counts.map(|n| Spanned::new(n.span(), Resolution::Lattice(n.into_inner())));
    let spacing =
        spacing.map(|d| Spanned::new(d.span(), Resolution::Spacing(d.into_inner() as f32)));
    let resolution = particles.or(counts).or(spacing)?;
    let cells = solid.cells(*resolution.get_ref());
    // A length that is wrong is 0 here, and reported elsewhere.
    let known = solid.size().iter().all(|&side| side > 0.0);
    if known && cells > MOST_PARTICLES {
        let message = format!("{} would have about {cells} particles", reader.name);
        let error = context.error(Problem::TooLarge, resolution.span(), message);
        context.report(error.help(format!("a body has at most {MOST_PARTICLES} particles")));
        return None;
    }
    Some(resolution.into_inner())
}
