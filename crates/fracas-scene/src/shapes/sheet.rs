//! Sheets of triangles.

use super::lattice::{Solid, read_resolution};
use crate::error::Problem;
use crate::reader::Reader;
use fracas::solids::sheet::SheetShape;
use fracas_mesh::generate::{self, GenerateError, Neighbourhood, Resolution, Sampling};
use toml::Spanned;

/// A sheet as written.
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    size: [f32; 2],
    resolution: Resolution,
    jitter: f32,
    /// Places along which it is cut, `[x, z]`.
    cut: Vec<[f64; 2]>,
}

impl Triangles {
    /// About how many vertices it has.
    pub fn particle_count(&self) -> u64 {
        let along = |side: f32, spacing: f32| f64::from(side / spacing).round() + 1.0;
        match self.resolution {
            Resolution::Count(count) => u64::from(count),
            Resolution::Lattice([x, _, z]) => (u64::from(x) + 1) * (u64::from(z) + 1),
            Resolution::Spacing(spacing) => {
                let [x, z] = self.size.map(|side| along(side, spacing));
                (x * z) as u64
            }
            _ => u64::MAX,
        }
    }

    /// Triangles and cuts.
    pub fn make(&self, seed: u64) -> Result<SheetShape, GenerateError> {
        let Self { size: [length, width], resolution, jitter, .. } = *self;
        let neighbourhood = Neighbourhood::Full;
        let sampling = Sampling { resolution, neighbourhood, jitter, seed };
        let mut shape = generate::triangle_sheet(length, width, &sampling)?;
        // z is −v of the rest plane
        let place = |p: [f64; 2]| [p[0] as f32, -p[1] as f32];
        shape.cuts = self.cut.windows(2).map(|ends| [place(ends[0]), place(ends[1])]).collect();
        Ok(shape)
    }
}

/// `None` if it is wrong.
pub(super) fn read(reader: &Reader<'_>) -> Option<Triangles> {
    let [length, width] = ["length", "width"].map(|name| reader.number(name) as f32);
    let solid = Solid::Sheet { length, width, thickness: 1.0 };
    let resolution = read_resolution(reader, solid);
    let jitter = reader.number("jitter") as f32;
    let cut = reader.pairs("cut");
    if let Some(cut) = &cut {
        refuse_outside(reader, cut, [length, width]);
    }
    let cut = cut.map(|cut| cut.into_inner()).unwrap_or_default();
    let of_others = [("thickness", "it is that of the material"), ("neighbours", "of triangles")];
    for (name, why) in of_others {
        reader.warn_in_vain(name, why);
    }
    Some(Triangles { size: [length, width], resolution: resolution?, jitter, cut })
}

/// A cut begins on the sheet; it may end beyond its border.
fn refuse_outside(reader: &Reader<'_>, cut: &Spanned<Vec<[f64; 2]>>, size: [f32; 2]) {
    let [x, z] = size.map(|side| 0.5 * side);
    // numbers of a file are not those of an f32
    let within = |a: f64, most: f32| a.abs() <= f64::from(most) * (1.0 + 1e-6);
    let begins = cut.get_ref().split_last().map_or(&[][..], |(_, begins)| begins);
    let Some([a, b]) = begins.iter().find(|[a, b]| !within(*a, x) || !within(*b, z)) else {
        return;
    };
    let message = format!("a cut begins at [{a}, {b}], which is not on the sheet");
    let error = reader.context.error(Problem::OutOfRange, cut.span(), message);
    let help =
        format!("around its own origin the sheet has x from -{x} to {x} and z from -{z} to {z}");
    reader.context.report(error.help(help));
}

/// A sheet of particles is as thick as it says.
pub(super) fn require_thickness(reader: &Reader<'_>) {
    if reader.key("thickness").is_none() {
        let message = format!("{} has no `thickness`", reader.name);
        let error = reader.context.error(Problem::MissingField, reader.span.clone(), message);
        let help = "add `thickness = 0.01`, or write `model = \"sheet\"` for one of triangles";
        reader.report_missing(error.help(help));
    }
}

/// Only sheets are of triangles.
pub(super) fn refuse_solid(reader: &Reader<'_>) {
    let span = reader.value_span("kind").unwrap_or_else(|| reader.span.clone());
    let message = format!("a {} does not go with `model = \"sheet\"`", reader.kind());
    let error = reader.context.error(Problem::Conflict, span, message);
    reader.context.report(error.help("use `kind = \"sheet\"`, or another model"));
}
