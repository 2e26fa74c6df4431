//! Mesh files: one module per format, all on bytes in memory.
//!
//! Readers never trust a count in a file before they have compared it with the bytes that are
//! left: memory stays below 64 times the input plus 16 MiB, whatever the input says.

mod base64;
mod cells;
mod columns;
mod cursor;
mod error;
mod gltf;
pub mod msh;
mod obj;
mod parts;
mod ply;
mod polygon;
mod stl;
pub mod tetgen;
mod text;
pub mod vtk;
pub mod vtu;

pub use error::{MeshFileError, Place};

use fracas_mesh::{Surface, TetMesh};

use crate::assets::Assets;

/// Files beyond are refused, in bytes.
const LARGEST: usize = 1 << 30;

/// What a mesh file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshFile {
    /// Triangles: OBJ, STL, PLY, glTF.
    Surface(Surface),
    /// Tetrahedra: Gmsh, TetGen, VTK, VTU.
    Tets(TetMesh),
}

/// Reads a mesh file, in the format that its ending names.
///
/// # Errors
///
/// If the ending is unknown, the file is missing, or its content is not what the ending says.
pub fn read(path: &str, assets: &dyn Assets) -> Result<MeshFile, MeshFileError> {
    let format = Format::of(path)?;
    let bytes = load(path, assets)?;
    format.check(&bytes)?;
    Ok(match format {
        Format::Obj => MeshFile::Surface(obj::read(&bytes)?),
        Format::Stl => MeshFile::Surface(stl::read(&bytes)?),
        Format::Ply => MeshFile::Surface(ply::read(&bytes)?),
        Format::Gltf => MeshFile::Surface(gltf::read(&bytes, folder(path), assets)?),
        Format::Msh => MeshFile::Tets(msh::read(&bytes)?),
        Format::Node => MeshFile::Tets(tetgen::read(&bytes, &load(&beside(path, "ele"), assets)?)?),
        Format::Ele => MeshFile::Tets(tetgen::read(&load(&beside(path, "node"), assets)?, &bytes)?),
        Format::Vtk => MeshFile::Tets(vtk::read(&bytes)?),
        Format::Vtu => MeshFile::Tets(vtu::read(&bytes)?),
    })
}

/// The file of the same name with another ending.
fn beside(path: &str, ending: &str) -> String {
    let (name, _) = path.rsplit_once('.').unwrap_or((path, ""));
    format!("{name}.{ending}")
}

/// Reads the polylines of an OBJ file, its `l` elements: the course of fibres, for example.
///
/// # Errors
///
/// As for [`read`], and if there are none.
pub fn read_curves(path: &str, assets: &dyn Assets) -> Result<Vec<Vec<[f32; 3]>>, MeshFileError> {
    let format = Format::of(path)?;
    if format != Format::Obj {
        return Err(MeshFileError::new("curves are read from `.obj` files only"));
    }
    let bytes = load(path, assets)?;
    format.check(&bytes)?;
    obj::read_curves(&bytes)
}

fn load(path: &str, assets: &dyn Assets) -> Result<Vec<u8>, MeshFileError> {
    let bytes = assets.read(path).map_err(|error| MeshFileError::new(error.to_string()))?;
    match bytes.len() {
        0 => Err(MeshFileError::new("the file is empty")),
        1..=LARGEST => Ok(bytes),
        size => Err(MeshFileError::new(format!(
            "the file has {size} bytes; at most {LARGEST} (1 GiB) can be read"
        ))),
    }
}

/// The folder of a path, with the slash; empty if the path is a name.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..=slash])
}

/// What can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Obj,
    Stl,
    Ply,
    Gltf,
    Msh,
    /// TetGen's vertices; the tetrahedra are in the file beside.
    Node,
    /// TetGen's tetrahedra; the vertices are in the file beside.
    Ele,
    Vtk,
    Vtu,
}

/// Endings, and what they stand for.
const ENDINGS: [(&str, Format); 10] = [
    ("obj", Format::Obj),
    ("stl", Format::Stl),
    ("ply", Format::Ply),
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
    ("msh", Format::Msh),
    ("node", Format::Node),
    ("ele", Format::Ele),
    ("vtk", Format::Vtk),
    ("vtu", Format::Vtu),
];

/// How files begin that say what they are.
const BEGINNINGS: [(&[u8], Format); 6] = [
    (b"ply\n", Format::Ply),
    (b"ply\r", Format::Ply),
    (b"glTF", Format::Gltf),
    (b"$MeshFormat", Format::Msh),
    (b"# vtk DataFile", Format::Vtk),
    (b"<VTKFile", Format::Vtu),
];

impl Format {
    fn of(path: &str) -> Result<Self, MeshFileError> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let found = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        found.map(|(_, format)| *format).ok_or_else(|| {
            let known: Vec<_> = ENDINGS.iter().map(|(known, _)| format!(".{known}")).collect();
            MeshFileError::new(format!(
                "the ending of {name:?} is none that can be read; known are {}",
                known.join(", ")
            ))
        })
    }

    /// Refuses what begins like another format.
    fn check(self, bytes: &[u8]) -> Result<(), MeshFileError> {
        let other = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning));
        let json = bytes.trim_ascii_start().starts_with(b"{").then_some(Self::Gltf);
        match other.map(|(_, format)| *format).or(json) {
            Some(other) if other != self => {
                let (mine, other) = (self.name(), other.name());
                Err(MeshFileError::new(format!(
                    "the ending says {mine}, but the content is {other}; give the file the ending \
                     of what it is"
                )))
            }
            _ => Ok(()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
            Self::Msh => "Gmsh",
            Self::Node | Self::Ele => "TetGen",
            Self::Vtk => "VTK",
            Self::Vtu => "VTU",
        }
    }
}
