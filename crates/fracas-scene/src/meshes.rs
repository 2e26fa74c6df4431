//! Mesh files that scenes name, read once each, and surfaces filled once each.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use fracas_mesh::objects::{self, PartError};
use fracas_mesh::stuffing::{self, FillError, Filling};
use fracas_mesh::surface::SurfaceError;
use fracas_mesh::{ClosedSurface, Surface, TetMesh};

use crate::assets::{AssetError, Assets};
use crate::cache::Cache;
use crate::files::{self, MeshFile, MeshFileError};
use crate::gallery::{ASSETS, gallery_asset};

/// What a path begins with that names a file of the gallery.
const GALLERY: &str = "gallery:";

/// A mesh file, read, scaled and repaired.
#[derive(Debug)]
pub struct Loaded {
    /// What it holds.
    pub mesh: Mesh,
    /// What was repaired, as a sentence; empty if nothing was.
    pub repairs: String,
    /// The surface with its named parts before inner faces between them were taken out.
    raw: Option<Surface>,
    closed: OnceCell<Result<Arc<ClosedSurface>, SurfaceError>>,
    parts: OnceCell<Result<Arc<Parts>, PartError>>,
}

/// Named parts of a surface.
pub type Parts = Vec<(String, ClosedSurface)>;

/// What a mesh file holds.
#[derive(Debug)]
pub enum Mesh {
    /// Triangles.
    Surface(Arc<Surface>),
    /// Tetrahedra.
    Tets(Arc<TetMesh>),
}

impl Loaded {
    /// Reads, scales and repairs the mesh in a file.
    ///
    /// # Errors
    /// If the file cannot be read, or what it holds is neither a surface nor a solid.
    pub fn read(path: &str, assets: &dyn Assets, scale: f64) -> Result<Self, MeshFileError> {
        Self::of(files::read(path, assets)?, scale)
    }

    /// The same of a mesh that was read.
    ///
    /// # Errors
    /// If it is neither a surface nor a solid.
    pub fn of(file: MeshFile, scale: f64) -> Result<Self, MeshFileError> {
        let refused = |what: String| MeshFileError::new(what);
        let mut raw = None;
        let (mesh, repairs) = match file {
            MeshFile::Surface(mut surface) => {
                surface.vertices.iter_mut().for_each(|v| *v *= scale);
                raw = (!surface.objects.names.is_empty()).then(|| surface.clone());
                let (surface, repairs) = surface.repair();
                (Mesh::Surface(Arc::new(surface)), repairs.to_string())
            }
            MeshFile::Tets(mut mesh) => {
                mesh.vertices.iter_mut().for_each(|v| *v *= scale);
                let (mesh, repairs) = mesh.repair().map_err(|error| refused(error.to_string()))?;
                mesh.check().map_err(|error| refused(error.to_string()))?;
                (Mesh::Tets(Arc::new(mesh)), repairs.to_string())
            }
        };
        Ok(Self { mesh, repairs, raw, closed: OnceCell::new(), parts: OnceCell::new() })
    }

    /// The surface, if it bounds a solid.
    ///
    /// # Errors
    /// Why it does not.
    pub fn closed(&self) -> Result<Arc<ClosedSurface>, SurfaceError> {
        let check = || match &self.mesh {
            Mesh::Surface(surface) => ClosedSurface::new(surface.as_ref().clone()).map(Arc::new),
            Mesh::Tets(_) => Err(SurfaceError::Empty),
        };
        self.closed.get_or_init(check).clone()
    }

    /// The named parts of the surface, if each bounds a solid.
    ///
    /// # Errors
    /// If there are none, or one is not closed.
    pub fn parts(&self) -> Result<Arc<Parts>, PartError> {
        let raw = self.raw.as_ref().ok_or(PartError::NoNames);
        self.parts.get_or_init(|| objects::parts(raw?).map(Arc::new)).clone()
    }
}

type Outcome = Result<Arc<Loaded>, MeshFileError>;

/// The mesh files of one scene.
pub(crate) struct Files<'a> {
    assets: &'a dyn Assets,
    /// By path and the bits of the scale.
    read: RefCell<BTreeMap<(String, u64), Outcome>>,
}

impl<'a> Files<'a> {
    pub fn new(assets: &'a dyn Assets) -> Self {
        Self { assets, read: RefCell::default() }
    }

    /// The mesh in a file, in m.
    pub fn load(&self, path: &str, scale: f64) -> Outcome {
        let key = (path.to_string(), scale.to_bits());
        if let Some(known) = self.read.borrow().get(&key) {
            return known.clone();
        }
        let file = read_file(path, self.assets);
        let loaded = file.and_then(|file| Loaded::of(file, scale)).map(Arc::new);
        self.read.borrow_mut().insert(key, loaded.clone());
        loaded
    }

    /// The curves in a file.
    pub fn curves(&self, path: &str) -> Result<Vec<Vec<[f32; 3]>>, MeshFileError> {
        match path.strip_prefix(GALLERY) {
            Some(name) => files::read_curves(name, &Gallery),
            None => files::read_curves(path, self.assets),
        }
    }
}

/// The mesh in a file, or in one that comes with the program.
pub(crate) fn read_file(path: &str, assets: &dyn Assets) -> Result<MeshFile, MeshFileError> {
    match path.strip_prefix(GALLERY) {
        Some(name) => files::read(name, &Gallery),
        None => files::read(path, assets),
    }
}

/// The bytes of a file, or of one that comes with the program.
pub(crate) fn read_bytes(path: &str, assets: &dyn Assets) -> Result<Vec<u8>, AssetError> {
    match path.strip_prefix(GALLERY) {
        Some(name) => Gallery.read(name),
        None => assets.read(path),
    }
}

/// What a path that names no file of the gallery could have been; empty if it names one, or means
/// none.
pub(crate) fn instead_of(path: &str) -> Vec<String> {
    match path.strip_prefix(GALLERY) {
        Some(name) if gallery_asset(name).is_none() => {
            ASSETS.iter().map(|(known, _)| format!("{GALLERY}{known}")).collect()
        }
        _ => Vec::new(),
    }
}

/// The files that come with the program.
struct Gallery;

impl Assets for Gallery {
    fn read(&self, path: &str) -> Result<Vec<u8>, AssetError> {
        let found = gallery_asset(path).map(<[u8]>::to_vec);
        found.ok_or_else(|| AssetError::NotFound { path: format!("{GALLERY}{path}") })
    }
}

/// Fills surfaces, the same one only once.
#[derive(Debug, Default)]
pub(crate) struct Mesher {
    cache: Option<Cache>,
    filled: RefCell<BTreeMap<u64, Arc<TetMesh>>>,
}

impl Mesher {
    pub fn new(cache: Option<Cache>) -> Self {
        Self { cache, filled: RefCell::default() }
    }

    pub fn fill(&self, surface: &ClosedSurface, filling: &Filling) -> Result<TetMesh, FillError> {
        let key = Cache::key(surface, filling);
        if let Some(mesh) = self.filled.borrow().get(&key) {
            return Ok(TetMesh::clone(mesh));
        }
        let kept = self.cache.as_ref().and_then(|cache| cache.get(key));
        let mesh = match kept {
            Some(mesh) => mesh,
            None => {
                let mesh = stuffing::fill(surface, filling)?;
                if let Some(cache) = &self.cache {
                    cache.put(key, &mesh);
                }
                mesh
            }
        };
        self.filled.borrow_mut().insert(key, Arc::new(mesh.clone()));
        Ok(mesh)
    }
}
