//! Shapes that are filled with tetrahedra and gathered into fragments.

use std::collections::BTreeSet;
use std::sync::Arc;

use fracas::glam::DVec3;
use fracas_mesh::fragments::{FRAGMENT, Focus, Fracture, Pattern};
use fracas_mesh::generate::{self, Lathe, LatheResolution, Resolution, surfaces};
use fracas_mesh::objects;
use fracas_mesh::solid::FragmentedSolid;
use fracas_mesh::stuffing::{Filling, Fit, MAX_TETS};
use fracas_mesh::surface::SurfaceError;
use fracas_mesh::{ClosedSurface, Surface, TetMesh};
use toml::Spanned;

use super::lattice::{self, SEGMENTS, Solid};
use crate::assets::AssetError;
use crate::error::{Diagnostic, Problem};
use crate::meshes::{self, Loaded, Mesh, Mesher, Parts};
use crate::reader::{Reader, short};

/// Where the tetrahedra come from, and how they are gathered.
#[derive(Clone, Debug)]
pub(super) struct Meshed {
    source: Source,
    fracture: Fracture,
    /// Whether the surface is drawn instead of the tetrahedra that fill it.
    own_surface: bool,
    /// How rough the faces are along which it breaks, in m.
    grain: Option<f32>,
}

#[derive(Clone, Debug)]
pub(super) enum Source {
    Surface {
        surface: Arc<ClosedSurface>,
        filling: Filling,
        parts: Option<Arc<Parts>>,
    },
    /// One of the simple shapes, filled with about so many tetrahedra.
    Simple(Solid, u32),
    /// A block of this size, in cells of five tetrahedra.
    Cells([f32; 3], Resolution),
    Tets(Arc<TetMesh>),
    /// Tetrahedra with the fragment of each.
    Fragments(Arc<TetMesh>, Vec<u32>),
    Lathe(Lathe),
    Shell {
        surface: Arc<Surface>,
        thickness: f64,
        layers: u32,
    },
}

/// Tetrahedra per fragment, and at least, where nobody says how fine a mesh is to be filled.
const TETS_PER_FRAGMENT: u32 = 20;
const LEAST_TETS: u32 = 6000;

impl Meshed {
    /// A mesh that was read, to break into so many round and even fragments; or what is wrong.
    pub fn of_mesh(mesh: &Loaded, fragments: u32) -> Result<Self, String> {
        let source = match &mesh.mesh {
            Mesh::Surface(_) => {
                let surface = mesh.closed().map_err(|error| error.to_string())?;
                let tets = fragments.saturating_mul(TETS_PER_FRAGMENT).max(LEAST_TETS);
                let filling = Filling::tets(tets.min(MAX_TETS));
                Source::Surface { surface, filling, parts: None }
            }
            Mesh::Tets(tets) => Source::Tets(Arc::clone(tets)),
        };
        let fracture =
            Fracture { count: fragments, pattern: Pattern::KMeans, focus: None, seed: 0 };
        Ok(Self { source, fracture, own_surface: false, grain: None })
    }

    /// About how many fragments there are. Where the file decides, those that do not hang together
    /// count as one.
    pub fn particle_count(&self) -> u64 {
        match (&self.source, &self.fracture.pattern) {
            (Source::Fragments(_, labels), _) => {
                labels.iter().collect::<BTreeSet<_>>().len() as u64
            }
            (Source::Tets(mesh), Pattern::Objects) => mesh.objects.names.len() as u64,
            (Source::Surface { parts: Some(parts), .. }, _) => parts.len() as u64,
            _ => u64::from(self.fracture.count),
        }
    }

    /// How rough the faces are along which it breaks, in m.
    pub fn grain(&self) -> Option<f32> {
        self.grain
    }

    /// Fragments and bonds, or what is wrong.
    pub fn make(&self, seed: u64, mesher: &Mesher) -> Result<FragmentedSolid, String> {
        let fracture = Fracture { seed, ..self.fracture };
        let (mesh, surface) = self.source.fill(mesher)?;
        let solid = match (&self.source, &surface) {
            (Source::Fragments(_, labels), _) => FragmentedSolid::from_labels(mesh, labels),
            (_, Some(surface)) => FragmentedSolid::of_surface(surface, mesh, &fracture),
            (_, None) => FragmentedSolid::new(mesh, &fracture),
        };
        let solid = solid.map_err(|error| error.to_string())?;
        match surface.filter(|_| self.own_surface) {
            Some(surface) => solid.with_surface(&surface).map_err(|error| error.to_string()),
            None => Ok(solid),
        }
    }
}

impl Source {
    /// The tetrahedra, and the surface that they fill, if they fill one; or what is wrong.
    pub fn fill(&self, mesher: &Mesher) -> Result<(TetMesh, Option<Arc<ClosedSurface>>), String> {
        let text = |error: &dyn std::error::Error| error.to_string();
        match self {
            Self::Surface { surface, filling, parts } => {
                let mut mesh = mesher.fill(surface, filling).map_err(|error| text(&error))?;
                if let Some(parts) = parts {
                    objects::assign(&mut mesh, parts);
                }
                Ok((mesh, Some(Arc::clone(surface))))
            }
            Self::Simple(solid, tets) => {
                let surface = solid.surface().map_err(|error| text(&error))?;
                let surface = ClosedSurface::new(surface).map_err(|error| text(&error))?;
                let mesh = mesher.fill(&surface, &Filling::tets(*tets));
                Ok((mesh.map_err(|error| text(&error))?, Some(Arc::new(surface))))
            }
            Self::Cells(size, resolution) => {
                let mesh = generate::tets::block(size.map(f64::from), *resolution);
                Ok((mesh.map_err(|error| text(&error))?, None))
            }
            Self::Tets(mesh) | Self::Fragments(mesh, _) => Ok((TetMesh::clone(mesh), None)),
            Self::Lathe(lathe) => Ok((generate::lathe(lathe).map_err(|error| text(&error))?, None)),
            Self::Shell { surface, thickness, layers } => {
                let mesh = generate::shell(surface, *thickness, *layers);
                Ok((mesh.map_err(|error| text(&error))?, None))
            }
        }
    }

    /// Whether tetrahedra fill a surface.
    pub fn has_surface(&self) -> bool {
        matches!(self, Self::Surface { .. } | Self::Simple(..))
    }
}

/// `None` if it is wrong.
pub(super) fn read(reader: &Reader<'_>) -> Option<Meshed> {
    let source = match reader.kind() {
        "mesh" => read_mesh(reader),
        "lathe" => read_lathe(reader),
        "shell" => read_shell(reader),
        _ => read_simple(reader),
    };
    let fracture = read_fracture(reader);
    let own_surface = reader.text("surface") == "own";
    let grain = reader.optional_number("grain").map(|grain| grain.into_inner() as f32);
    let source = source?;
    require_fragments_of_file(reader, &source)?;
    if !source.has_surface() {
        reader.warn_in_vain("surface", "on a shape that is made of tetrahedra");
    }
    Some(Meshed { source, fracture: fracture?, own_surface, grain })
}

/// Only a file of tetrahedra can say which fragment each belongs to.
fn require_fragments_of_file(reader: &Reader<'_>, source: &Source) -> Option<()> {
    let in_file = matches!(source, Source::Fragments(..));
    if reader.text("pattern") != "file" || in_file {
        return Some(());
    }
    let span = reader.value_span("pattern").unwrap_or_else(|| reader.span.clone());
    let message = "the pattern \"file\" is for files of tetrahedra that were cut up before".into();
    let error = reader.context.error(Problem::Conflict, span, message);
    let help = "choose another pattern; `fracas mesh … --fragments 300` writes such files";
    reader.context.report(error.help(help));
    None
}

pub(super) fn read_mesh(reader: &Reader<'_>) -> Option<Source> {
    let file = load(reader, reader.optional_text("file"), reader.number("scale"));
    let tets = reader.optional_count("tets");
    let fit = match reader.text("fit").as_str() {
        "enclose" => Fit::Enclose,
        _ => Fit::Conform,
    };
    let subdivide = reader.count("subdivide");
    let (file, loaded) = file?;
    if matches!(loaded.mesh, Mesh::Tets(_)) {
        reader.warn_in_vain("fit", "on a file of tetrahedra");
        reader.warn_in_vain("subdivide", "on a file of tetrahedra");
    }
    match (&loaded.mesh, tets) {
        (Mesh::Surface(_), Some(tets)) => {
            let surface = match loaded.closed().and_then(|surface| finer(surface, subdivide)) {
                Ok(surface) => surface,
                Err(error) => {
                    reader.context.report(refused(reader, &file, &error.to_string()));
                    return None;
                }
            };
            let parts = match (reader.text("pattern") == "objects").then(|| loaded.parts()) {
                None => None,
                Some(Ok(parts)) => Some(parts),
                Some(Err(error)) => {
                    reader.context.report(refused(reader, &file, &error.to_string()));
                    return None;
                }
            };
            let tets = u32::try_from(tets.into_inner()).unwrap_or(u32::MAX);
            Some(Source::Surface { surface, filling: Filling { tets, fit }, parts })
        }
        (Mesh::Surface(_), None) => {
            let message = format!("{} does not say how fine it is", reader.name);
            let error = reader.context.error(Problem::MissingField, reader.span.clone(), message);
            let help =
                "add `tets = 6000`: the file holds a surface, which is filled with tetrahedra";
            reader.report_missing(error.help(help));
            None
        }
        (Mesh::Tets(_), Some(tets)) => {
            let message = format!("`tets` is given, but {} holds tetrahedra", named(&file));
            let error = reader.context.error(Problem::Conflict, tets.span(), message);
            reader.context.report(error.help("leave `tets` out: the file decides how fine it is"));
            None
        }
        (Mesh::Tets(mesh), None) if reader.text("pattern") == "file" => {
            let labels = labels(mesh);
            if labels.is_none() {
                let what = "it does not say to which fragment each tetrahedron belongs";
                let error = refused(reader, &file, what);
                let help =
                    "`fracas mesh … --fragments 300` writes such files: a cell value `fragment`";
                reader.context.report(error.help(help));
            }
            Some(Source::Fragments(Arc::clone(mesh), labels?))
        }
        (Mesh::Tets(mesh), None) => Some(Source::Tets(Arc::clone(mesh))),
    }
}

/// A surface subdivided so often.
fn finer(mut surface: Arc<ClosedSurface>, times: u64) -> Result<Arc<ClosedSurface>, SurfaceError> {
    for _ in 0..times {
        surface = Arc::new(ClosedSurface::new(surface.surface().subdivided())?);
    }
    Ok(surface)
}

/// The fragment of each tetrahedron, if the file has whole numbers for it.
fn labels(mesh: &TetMesh) -> Option<Vec<u32>> {
    let attribute = mesh.tet_attributes.iter().find(|attribute| attribute.name == FRAGMENT)?;
    // f32 counts without gaps up to 2²⁴
    let whole =
        |&x: &f32| (x.fract() == 0.0 && (0.0..16_777_216.0).contains(&x)).then_some(x as u32);
    attribute.values.iter().map(whole).collect()
}

/// A simple shape, which is either in fragments or in rows of particles.
fn read_simple(reader: &Reader<'_>) -> Option<Source> {
    let solid = lattice::read_solid(reader);
    let tets = u32::try_from(reader.count("tets")).unwrap_or(u32::MAX);
    let rows = reader.given(lattice::OF_ROWS);
    if let (Some((span, name)), Some(fragments)) = (rows.first(), reader.key("fragments")) {
        let message = format!("{} has both `fragments` and `{name}`", reader.name);
        let error = reader.context.error(Problem::Conflict, span.clone(), message);
        let error = error.other(fragments, "`fragments` is here");
        let help =
            format!("keep one: `fragments` cuts the shape up, `{name}` is for rows of particles");
        reader.context.report(error.help(help));
        return None;
    }
    Some(Source::Simple(solid, tets))
}

pub(super) fn read_lathe(reader: &Reader<'_>) -> Option<Source> {
    let wall = reader.optional_number("wall");
    let tets = u32::try_from(reader.count("tets")).unwrap_or(u32::MAX);
    let layers = reader.count("layers") as u32;
    let profile = reader.pairs("profile")?;
    let Some(wall) = wall else {
        reader.warn_in_vain("layers", "without `wall`");
        return solid_of_revolution(reader, &profile, tets);
    };
    let (profile, wall) = (profile.into_inner(), wall.into_inner());
    let resolution = LatheResolution::Tets(tets);
    Some(Source::Lathe(Lathe { profile, wall, layers, resolution }))
}

/// Without a wall the line bounds a solid, which is filled like a surface from a file.
fn solid_of_revolution(
    reader: &Reader<'_>,
    profile: &Spanned<Vec<[f64; 2]>>,
    tets: u32,
) -> Option<Source> {
    let surface = surfaces::revolved(profile.get_ref(), SEGMENTS).map_err(|e| e.to_string());
    let closed = surface.and_then(|s| ClosedSurface::new(s).map_err(|error| error.to_string()));
    match closed {
        Ok(surface) => {
            let filling = Filling { tets, fit: Fit::Conform };
            Some(Source::Surface { surface: Arc::new(surface), filling, parts: None })
        }
        Err(what) => {
            let message = format!("the `profile` bounds no solid: {what}");
            let error = reader.context.error(Problem::BadMesh, profile.span(), message);
            reader.context.report(error);
            None
        }
    }
}

pub(super) fn read_shell(reader: &Reader<'_>) -> Option<Source> {
    let file = load(reader, reader.optional_text("file"), reader.number("scale"));
    let (thickness, layers) = (reader.number("thickness"), reader.count("layers") as u32);
    let (file, loaded) = file?;
    match &loaded.mesh {
        Mesh::Surface(surface) => {
            Some(Source::Shell { surface: Arc::clone(surface), thickness, layers })
        }
        Mesh::Tets(_) => {
            let message =
                format!("a shell is made of a surface, but {} holds tetrahedra", named(&file));
            let error = reader.context.error(Problem::Refused, file.span(), message);
            reader.context.report(error.help("use `kind = \"mesh\"` for it"));
            None
        }
    }
}

/// The mesh that `file` names, scaled; what was repaired in it is a warning.
pub(super) fn load(
    reader: &Reader<'_>,
    file: Option<Spanned<String>>,
    scale: f64,
) -> Option<(Spanned<String>, Arc<Loaded>)> {
    let file = file?;
    match reader.context.files.load(file.get_ref(), scale) {
        Ok(loaded) => {
            if !loaded.repairs.is_empty() {
                let message = format!("{}: {}", named(&file), loaded.repairs);
                let warning = reader.context.error(Problem::Repaired, file.span(), message);
                reader.context.warn(warning);
            }
            Some((file, loaded))
        }
        Err(error) => {
            let gallery = meshes::instead_of(file.get_ref());
            let missing = AssetError::NotFound { path: file.get_ref().clone() };
            let error = if gallery.is_empty() && error.what == missing.to_string() {
                let message = format!("there is no mesh file {}", named(&file));
                let error = reader.context.error(Problem::NotFound, file.span(), message);
                error.help("its path begins at the folder of the scene; `gallery:bunny.obj` comes with the program")
            } else if gallery.is_empty() {
                refused(reader, &file, &error.to_string())
            } else {
                let message = format!("the gallery has no file {}", named(&file));
                let (name, known) = (file.get_ref(), gallery.iter().map(String::as_str));
                let all = "the files of the gallery";
                reader.context.unknown_name(file.span(), message, name, known, all)
            };
            reader.context.report(error);
            None
        }
    }
}

pub(super) fn refused(reader: &Reader<'_>, file: &Spanned<String>, what: &str) -> Diagnostic {
    let message = format!("{}: {what}", named(file));
    reader.context.error(Problem::BadMesh, file.span(), message)
}

fn named(file: &Spanned<String>) -> String {
    format!("`{}`", short(file.get_ref()))
}

fn read_fracture(reader: &Reader<'_>) -> Option<Fracture> {
    let count = reader.optional_count("fragments");
    let pattern = match reader.text("pattern").as_str() {
        "voronoi" => Pattern::Voronoi,
        "convex" => Pattern::Convex,
        "objects" => Pattern::Objects,
        _ => Pattern::KMeans,
    };
    let focus = reader.table("focus").map(|focus| {
        let point = DVec3::from(focus.vector("point"));
        let (radius, ratio) = (focus.number("radius"), focus.number("ratio"));
        focus.finish();
        Focus { point, radius, ratio }
    });
    let context = reader.context;
    let name = reader.text("pattern");
    let file_decides = ["objects", "file"].contains(&name.as_str());
    let fracture = |count: u64| {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        Fracture { count, pattern, focus, seed: 0 }
    };
    if file_decides {
        reader.warn_in_vain("fragments", &format!("with `pattern = {name:?}`"));
    }
    if name == "file" {
        reader.warn_in_vain("focus", "with `pattern = \"file\"`");
    }
    match count {
        _ if file_decides => Some(fracture(1)),
        Some(count) => Some(fracture(count.into_inner())),
        None => {
            let message = format!("{} has no `fragments`", reader.name);
            let error = context.error(Problem::MissingField, reader.span.clone(), message);
            let help =
                "`fragments` is how many fragments the body can break into, one particle each";
            reader.report_missing(error.label("add `fragments = 300` here").help(help));
            None
        }
    }
}
