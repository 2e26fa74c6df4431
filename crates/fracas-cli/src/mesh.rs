//! `fracas mesh`: a surface becomes tetrahedra and fragments, in a file.

use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use fracas_mesh::fragments::{FRAGMENT, Fracture, Fragments, Pattern};
use fracas_mesh::nearest::NearestOnSurface;
use fracas_mesh::stuffing::{self, Filling, Fit};
use fracas_mesh::tets::Quality;
use fracas_mesh::{Attribute, Surface, TetMesh, generate, objects};
use fracas_scene::Folder;
use fracas_scene::files::{msh, vtu};
use fracas_scene::meshes::{Loaded, Mesh};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Fill a closed surface with tetrahedra, gather them into fragments, and write them to a file.
///
/// Surfaces are read from OBJ, STL, PLY, glTF and GLB; files of tetrahedra (Gmsh .msh, TetGen
/// .node/.ele, VTK, VTU) are gathered as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
    fracas mesh bunny.obj -o bunny.msh --tets 6000 --fragments 300
    fracas mesh gear.stl -o gear.vtu --tets 20000 --scale 0.001
    fracas mesh panel.obj -o panel.vtu --thickness 0.002 --fragments 200 --pattern voronoi")]
pub struct Arguments {
    /// Mesh file to read
    #[arg(value_name = "SURFACE")]
    surface: PathBuf,
    /// File to write: .msh (Gmsh) or .vtu (ParaView, meshio)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// About how many tetrahedra fill the surface
    #[arg(long, value_name = "N", conflicts_with = "thickness", allow_negative_numbers = true)]
    tets: Option<u32>,
    /// Whether the tetrahedra end at the surface or hold it inside
    #[arg(long, value_enum, default_value_t, conflicts_with = "thickness")]
    fit: FitArgument,
    /// Take the surface, open or closed, as a wall of this thickness, in m
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    thickness: Option<f64>,
    /// Layers of tetrahedra across that wall
    #[arg(long, value_name = "N", default_value_t = 1, requires = "thickness")]
    layers: u32,
    /// Into how many fragments the body can break
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    fragments: Option<u32>,
    /// How fragments are cut
    #[arg(long, value_enum, default_value_t)]
    pattern: PatternArgument,
    /// Seed of the fragments
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Factor from the file's unit to metres, e.g. 0.001 for millimetres
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true)]
    scale: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FitArgument {
    /// They end at the surface
    #[default]
    Conform,
    /// They hold the surface inside, for a skin that is embedded in them
    Enclose,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PatternArgument {
    /// Round fragments of even size
    #[default]
    Kmeans,
    /// Irregular shards
    Voronoi,
    /// Convex parts; --fragments is the most there can be
    Convex,
    /// The named objects of the file
    Objects,
}

/// Runs the subcommand.
///
/// # Errors
/// If the file cannot be read, is no solid, or the result cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    let write = writer(&arguments.output)?;
    if !(1e-9..=1e9).contains(&arguments.scale) {
        bail!("--scale must be from 1e-9 to 1e9, but is {:?}", arguments.scale);
    }
    let fracture = fracture(arguments)?;
    output::probe_whole(&arguments.output)?;
    let shown = arguments.surface.display();
    let loaded = load(&arguments.surface, arguments.scale).with_context(|| shown.to_string())?;
    if !loaded.repairs.is_empty() {
        eprintln!("note: {shown}: {}", loaded.repairs);
    }
    let mut mesh = tetrahedra(arguments, &loaded).with_context(|| shown.to_string())?;
    let fragments = match fracture {
        Some(fracture) => {
            Some(Fragments::new(&mesh, &fracture).with_context(|| shown.to_string())?)
        }
        None => None,
    };
    if let Some(fragments) = &fragments {
        let values = fragments.of_tet.iter().map(|&fragment| fragment as f32).collect();
        // in a file that was cut up before, the new fragments take the place of the old
        mesh.tet_attributes.retain(|attribute| attribute.name != FRAGMENT);
        mesh.tet_attributes.push(Attribute { name: FRAGMENT.into(), values });
    }
    output::write_bytes(&arguments.output, &write(&mesh))?;

    let mut out = io::stdout();
    writeln!(out, "{}", Quality::of(&mesh))?;
    if let (Mesh::Surface(surface), None) = (&loaded.mesh, arguments.thickness) {
        let [mean, greatest] = deviation(surface, &mesh.surface());
        writeln!(out, "off the surface, m    {mean:.2e} in the mean, {greatest:.2e} at most")?;
    }
    if let Some(edges) = fragments.as_ref().map(|fragments| fragments.interfaces.len()) {
        let count = fragments.as_ref().map_or(0, |fragments| fragments.fragments.len());
        writeln!(
            out,
            "{} tets, {} vertices, {} fragments, {} edges",
            grouped(mesh.tets.len()),
            grouped(mesh.vertices.len()),
            grouped(count),
            grouped(edges)
        )?;
    } else {
        let (tets, vertices) = (grouped(mesh.tets.len()), grouped(mesh.vertices.len()));
        writeln!(out, "{tets} tets, {vertices} vertices")?;
    }
    Ok(Exit::Fine)
}

/// How a mesh becomes a file of the kind that the name asks for.
fn writer(path: &Path) -> Result<fn(&TetMesh) -> Vec<u8>> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("msh") => Ok(msh::write),
        Some("vtu") => Ok(vtu::write),
        _ => bail!("cannot write {}: its name must end in .msh or .vtu", path.display()),
    }
}

fn load(path: &Path, scale: f64) -> Result<Loaded> {
    let folder = Folder::new(path.parent().unwrap_or(Path::new("")));
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| anyhow!("this is no name of a file"))?;
    Ok(Loaded::read(name, &folder, scale)?)
}

fn tetrahedra(arguments: &Arguments, loaded: &Loaded) -> Result<TetMesh> {
    match (&loaded.mesh, arguments.thickness, arguments.tets) {
        (Mesh::Surface(surface), Some(thickness), _) => {
            Ok(generate::shell(surface, thickness, arguments.layers)?)
        }
        (Mesh::Surface(_), None, Some(tets)) => {
            let fit = match arguments.fit {
                FitArgument::Conform => Fit::Conform,
                FitArgument::Enclose => Fit::Enclose,
            };
            let mut mesh = stuffing::fill(loaded.closed()?.as_ref(), &Filling { tets, fit })?;
            if arguments.pattern == PatternArgument::Objects {
                objects::assign(&mut mesh, &loaded.parts()?);
            }
            Ok(mesh)
        }
        (Mesh::Surface(_), None, None) => {
            bail!(
                "the file holds a surface: say --tets N to fill it, or --thickness METRES to make a wall of it"
            )
        }
        (Mesh::Tets(_), Some(_), _) => bail!("the file holds tetrahedra: leave --thickness out"),
        (Mesh::Tets(_), None, Some(_)) => {
            bail!("the file holds tetrahedra: leave --tets out, they are taken as they are")
        }
        (Mesh::Tets(_), None, None) if arguments.fit == FitArgument::Enclose => {
            bail!("the file holds tetrahedra: leave --fit out, they are taken as they are")
        }
        (Mesh::Tets(mesh), None, None) => Ok(TetMesh::clone(mesh)),
    }
}

/// How far a surface is from the boundary of its mesh, at its vertices and the middles of its
/// triangles: what the tetrahedra are too coarse for.
fn deviation(surface: &Surface, boundary: &Surface) -> [f64; 2] {
    let Some(nearest) = NearestOnSurface::new(boundary) else { return [0.0; 2] };
    let middles = (0..surface.triangles.len()).map(|t| surface.centre(t));
    let points = middles.chain(surface.vertices.iter().copied());
    let (mut sum, mut greatest, mut count) = (0.0, 0.0f64, 0.0);
    for way in points.map(|point| nearest.distance(point)) {
        (sum, greatest, count) = (sum + way, greatest.max(way), count + 1.0);
    }
    [sum / count, greatest]
}

/// `None` if no fragments were asked for.
fn fracture(arguments: &Arguments) -> Result<Option<Fracture>> {
    let pattern = match arguments.pattern {
        PatternArgument::Kmeans => Pattern::KMeans,
        PatternArgument::Voronoi => Pattern::Voronoi,
        PatternArgument::Convex => Pattern::Convex,
        PatternArgument::Objects => Pattern::Objects,
    };
    let count = match (arguments.fragments, &pattern) {
        (Some(count), _) => count,
        // the file decides
        (None, Pattern::Objects) => 1,
        (None, Pattern::KMeans) => return Ok(None),
        (None, _) => bail!("--pattern cuts nothing without --fragments K"),
    };
    Ok(Some(Fracture { count, pattern, focus: None, seed: arguments.seed }))
}

/// "6,142".
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let texts = [0, 12, 999, 1000, 6142, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1,000", "6,142", "1,234,567"]);
    }
}
