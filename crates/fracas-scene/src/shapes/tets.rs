//! Shapes of bodies that are made of tetrahedra.

use std::sync::Arc;

use fracas_mesh::generate::{Lathe, LatheResolution, Resolution};
use fracas_mesh::tet_solid::TetSolid;

use super::Model;
use super::lattice::{self, FILLED, Solid};
use super::meshed::{self, Source};
use crate::error::Problem;
use crate::format::MOST_PARTICLES;
use crate::meshes::{Mesher, Parts};
use crate::reader::Reader;

/// Where the tetrahedra come from.
#[derive(Clone, Debug)]
pub(super) struct Tetrahedra {
    source: Source,
    /// Whether the surface is drawn instead of the tetrahedra that fill it.
    own_surface: bool,
    /// How rough the faces are along which it breaks, in m.
    pub grain: Option<f32>,
    /// The named objects of its file, or why there are none.
    pub objects: Result<Arc<Parts>, String>,
}

/// Fields that say how rows of particles are made.
const OF_ROWS: [&str; 3] = ["particles", "neighbours", "jitter"];
/// Fields that say how fragments are made.
const OF_FRAGMENTS: [&str; 3] = ["fragments", "pattern", "focus"];
/// Fields that say how fine the tetrahedra are.
const FINENESS: [&str; 3] = ["tets", "counts", "spacing"];

impl Tetrahedra {
    /// About how many particles it has, the vertices of its tetrahedra, rather too high than too low.
    pub fn particle_count(&self) -> u64 {
        // a thin shape has a vertex for two tetrahedra, a thick one for five
        let of_tets = |tets: u32| u64::from(tets) / 2 + 8;
        match &self.source {
            Source::Surface { filling, .. } => of_tets(filling.tets),
            Source::Simple(_, tets) | Source::Cells(_, Resolution::Count(tets)) => of_tets(*tets),
            Source::Cells(size, resolution) => {
                let cells = lattice::cells_along(*size, *resolution);
                cells.map(|n| n + 1.0).iter().product::<f64>() as u64
            }
            Source::Tets(mesh) | Source::Fragments(mesh, _) => mesh.vertices.len() as u64,
            Source::Lathe(Lathe { resolution: LatheResolution::Tets(tets), .. }) => of_tets(*tets),
            Source::Lathe(_) => u64::MAX,
            Source::Shell { surface, layers, .. } => {
                surface.vertices.len() as u64 * (u64::from(*layers) + 1)
            }
        }
    }

    /// The tetrahedra, or what is wrong.
    pub fn make(&self, mesher: &Mesher) -> Result<TetSolid, String> {
        let (mesh, surface) = self.source.fill(mesher)?;
        let solid = match &surface {
            Some(surface) => TetSolid::of_surface(surface, mesh),
            None => TetSolid::new(mesh),
        };
        let solid = solid.map_err(|error| error.to_string())?;
        Ok(match surface.filter(|_| self.own_surface) {
            Some(surface) => solid.with_surface(&surface),
            None => solid,
        })
    }
}

/// `None` if it is wrong.
pub(super) fn read(reader: &Reader<'_>, model: Model) -> Option<Tetrahedra> {
    let right = refuse_fields_of_others(reader, model) && refuse_fixed_of_split(reader, model);
    let source = match reader.kind() {
        "mesh" => meshed::read_mesh(reader),
        "lathe" => meshed::read_lathe(reader),
        "shell" => meshed::read_shell(reader),
        _ => read_simple(reader),
    };
    let file = (reader.kind() == "mesh").then(|| reader.optional_text("file"));
    let objects = match file.flatten() {
        Some(file) => {
            let loaded = reader.context.files.load(file.get_ref(), reader.number("scale"));
            let parts = loaded.map_err(|error| error.to_string());
            parts.and_then(|loaded| loaded.parts().map_err(|error| error.to_string()))
        }
        None => Err("it is made of no file".into()),
    };
    let own_surface = reader.text("surface") == "own";
    let grain = reader.optional_number("grain").map(|grain| grain.into_inner() as f32);
    let source = source?;
    if !source.has_surface() {
        reader.warn_in_vain("surface", "on a shape that is made of tetrahedra");
    }
    let tets = Tetrahedra { source, own_surface, grain, objects };
    (right && have_room(reader, &tets)).then_some(tets)
}

/// A simple shape: blocks in cells of five tetrahedra, round ones filled.
fn read_simple(reader: &Reader<'_>) -> Option<Source> {
    let solid = lattice::read_solid(reader);
    let tets = u32::try_from(reader.count("tets")).unwrap_or(u32::MAX);
    let (counts, spacing) = (reader.optional_counts("counts"), reader.optional_number("spacing"));
    let given = reader.given(FINENESS);
    if let [(first, a), (second, b), ..] = given.as_slice() {
        let message = format!("{} has both `{a}` and `{b}`", reader.name);
        let error = reader.context.error(Problem::Conflict, second.clone(), message);
        let error = error.other(first.clone(), format!("`{a}` is here"));
        reader.context.report(error.help("keep one: each of them decides how fine the shape is"));
        return None;
    }
    let is_block = matches!(solid, Solid::Block { .. } | Solid::Bar { .. } | Solid::Plate { .. });
    match given.first() {
        Some((span, name)) if !is_block && *name != "tets" => {
            let kind = reader.kind();
            let message = format!("a {kind} of tetrahedra is not filled in rows: `{name}`");
            let error = reader.context.error(Problem::Conflict, span.clone(), message);
            reader.context.report(error.help("write `tets = 2000` instead, for about so many"));
            None
        }
        _ if !is_block => Some(Source::Simple(solid, tets)),
        _ => {
            let counts = counts.map(|counts| Resolution::Lattice(counts.into_inner()));
            let spacing = spacing.map(|width| Resolution::Spacing(width.into_inner() as f32));
            let resolution = counts.or(spacing).unwrap_or(Resolution::Count(tets));
            Some(Source::Cells(solid.size(), resolution))
        }
    }
}

/// Refuses what says how particles in rows or fragments are made; whether there was nothing of it.
fn refuse_fields_of_others(reader: &Reader<'_>, model: Model) -> bool {
    let of_rows = if FILLED.contains(&reader.kind()) { reader.given(OF_ROWS) } else { Vec::new() };
    let mut of_fragments = reader.given(OF_FRAGMENTS);
    if !matches!(model, Model::Brittle(_)) {
        of_fragments.extend(reader.given(["grain"]));
    }
    let rows = "it is for rows of particles; `tets = 2000` says how fine a body of tetrahedra is";
    let fragments = model.without_fragments().unwrap_or_default();
    let fields = of_rows.iter().map(|field| (field, rows));
    let fields = fields.chain(of_fragments.iter().map(|field| (field, fragments)));
    for ((span, name), help) in fields {
        let message = format!("`{name}` does not go with `model = {:?}`", model.name());
        let error = reader.context.error(Problem::Conflict, span.clone(), message);
        reader.context.report(error.help(help));
    }
    of_rows.is_empty() && of_fragments.is_empty()
}

/// What is drawn along the tetrahedra as they are at first does not follow when these are split; whether that is not asked for.
fn refuse_fixed_of_split(reader: &Reader<'_>, model: Model) -> bool {
    let split = matches!(model, Model::Brittle(options) if options.remesh);
    let own = (reader.text("surface") == "own").then_some(("surface", "surface = \"own\""));
    let grain = reader.key("grain").map(|_| ("grain", "grain"));
    let Some((name, what)) = own.or(grain).filter(|_| split) else { return true };
    let span = reader.value_span(name).unwrap_or_else(|| reader.span.clone());
    let message = format!("`{what}` does not go with `remesh = true`");
    let error = reader.context.error(Problem::Conflict, span, message);
    let help = "it is made along the tetrahedra as they are at first: leave one of the two out";
    reader.context.report(error.help(help));
    false
}

/// A sheet has one layer.
pub(super) fn refuse_sheet(reader: &Reader<'_>) {
    let span = reader.value_span("kind").unwrap_or_else(|| reader.span.clone());
    let message = "a sheet is one particle thick and cannot be of tetrahedra".into();
    let error = reader.context.error(Problem::Conflict, span, message);
    reader.context.report(error.help("use `kind = \"plate\"`, or `model = \"oriented\"`"));
}

/// Refuses what is finer than this machine should be asked for.
fn have_room(reader: &Reader<'_>, tets: &Tetrahedra) -> bool {
    let count = tets.particle_count();
    if count <= MOST_PARTICLES {
        return true;
    }
    let message = format!("{} would have about {count} particles", reader.name);
    let written = FINENESS.iter().find_map(|name| reader.key(name));
    let span = written.unwrap_or_else(|| reader.span.clone());
    let error = reader.context.error(Problem::TooLarge, span, message);
    let help =
        format!("each corner of a tetrahedron is one, and a body has at most {MOST_PARTICLES}");
    reader.context.report(error.help(help));
    false
}
