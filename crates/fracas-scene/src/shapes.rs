//! Reads shapes and has them generated.

use fracas::solids::oriented::OrientedShape;
use fracas_mesh::generate::{self, GenerateError, Neighbourhood, Resolution, Sampling};
use toml::Spanned;

use crate::error::Problem;
use crate::format::MOST_PARTICLES;
use crate::reader::{Reader, Span};

/// A shape as written, checked but not generated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub geometry: Geometry,
    pub sampling: Sampling,
    pub span: Span,
}

/// Lengths in m.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Geometry {
    Block { size: [f32; 3] },
    Bar { length: f32, width: f32, height: f32 },
    Plate { length: f32, width: f32, thickness: f32 },
    Sphere { radius: f32 },
    Cylinder { radius: f32, height: f32 },
}

impl Default for Geometry {
    /// A metre.
    fn default() -> Self {
        Self::Block { size: [1.0; 3] }
    }
}

impl Geometry {
    /// Lengths of the box around it.
    fn size(self) -> [f32; 3] {
        match self {
            Self::Block { size } => size,
            Self::Bar { length, width, height } => [length, height, width],
            Self::Plate { length, width, thickness } => [length, thickness, width],
            Self::Sphere { radius } => [2.0 * radius; 3],
            Self::Cylinder { radius, height } => [2.0 * radius, height, 2.0 * radius],
        }
    }

    /// Rows of this spacing, or these, in the box around it.
    fn cells(self, resolution: Resolution) -> u64 {
        let product = |counts: [f64; 3]| counts.iter().product::<f64>() as u64;
        match resolution {
            Resolution::Count(count) => u64::from(count),
            Resolution::Lattice(counts) => product(counts.map(f64::from)),
            Resolution::Spacing(spacing) => {
                product(self.size().map(|side| f64::from(side / spacing).round().max(1.0)))
            }
            _ => u64::MAX,
        }
    }
}

impl Shape {
    /// About how many particles it has, rather too high than too low.
    pub fn particle_count(&self) -> u64 {
        self.geometry.cells(self.sampling.resolution)
    }

    /// Particles and bonds.
    pub fn generate(&self, seed: u64) -> Result<OrientedShape, GenerateError> {
        let sampling = &Sampling { seed, ..self.sampling };
        match self.geometry {
            Geometry::Block { size } => generate::block(size, sampling),
            Geometry::Bar { length, width, height } => {
                generate::bar(length, width, height, sampling)
            }
            Geometry::Plate { length, width, thickness } => {
                generate::plate(length, width, thickness, sampling)
            }
            Geometry::Sphere { radius } => generate::sphere(radius, sampling),
            Geometry::Cylinder { radius, height } => generate::cylinder(radius, height, sampling),
        }
    }
}

/// `None` if it is wrong.
pub(crate) fn read(reader: Reader<'_>) -> Option<Shape> {
    let length = |name| reader.number(name) as f32;
    let geometry = match reader.kind() {
        "block" => Geometry::Block { size: reader.vector_f32("size") },
        "bar" => {
            let width = length("width");
            let height = reader.optional_number("height");
            let height = height.map_or(width, |height| height.into_inner() as f32);
            Geometry::Bar { length: length("length"), width, height }
        }
        "plate" => Geometry::Plate {
            length: length("length"),
            width: length("width"),
            thickness: length("thickness"),
        },
        "sphere" => Geometry::Sphere { radius: length("radius") },
        "cylinder" => Geometry::Cylinder { radius: length("radius"), height: length("height") },
        other => unreachable!("the format has a shape {other} that is never read"),
    };
    let resolution = read_resolution(&reader, geometry);
    let neighbourhood = match reader.text("neighbours").as_str() {
        "faces" => Neighbourhood::Faces,
        "edges" => Neighbourhood::Edges,
        _ => Neighbourhood::Full,
    };
    let jitter = reader.number("jitter") as f32;
    let span = reader.span.clone();
    reader.finish();
    let sampling = Sampling { resolution: resolution?, neighbourhood, jitter, seed: 0 };
    Some(Shape { geometry, sampling, span })
}

/// Exactly one of `particles`, `counts` and `spacing`.
fn read_resolution(reader: &Reader<'_>, geometry: Geometry) -> Option<Resolution> {
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
        let ways = "`particles = 300`, `counts = [12, 5, 5]` or `spacing = 0.05`";
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
    let cells = geometry.cells(*resolution.get_ref());
    // A length that is wrong is 0 here, and reported elsewhere.
    let known = geometry.size().iter().all(|&side| side > 0.0);
    if known && cells > MOST_PARTICLES {
        let message = format!("{} would have about {cells} particles", reader.name);
        let error = context.error(Problem::TooLarge, resolution.span(), message);
        context.report(error.help(format!("a body has at most {MOST_PARTICLES} particles")));
        return None;
    }
    Some(resolution.into_inner())
}
