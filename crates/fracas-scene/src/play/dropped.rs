//! Mesh files that become bodies while a scene runs.

use std::path::Path;
use std::sync::Arc;

use fracas::glam::DVec3;
use fracas::material::Material;
use fracas::state::{Sink, StateHash};
use fracas::world::BodyDesc;

use super::PlayError;
use crate::assets::{AssetError, Assets};
use crate::files::MeshFile;
use crate::meshes::{Loaded, Mesher, read_bytes, read_file};
use crate::shapes::Shape;
use fracas::skin::SkinMesh;

/// All files, also outside of the scene's folder: whoever drops a file on a window means that one.
struct Anywhere;

impl Assets for Anywhere {
    fn read(&self, path: &str) -> Result<Vec<u8>, AssetError> {
        std::fs::read(Path::new(path)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => AssetError::NotFound { path: path.into() },
            _ => AssetError::Unreadable { path: path.into(), reason: error.to_string() },
        })
    }
}

/// A mesh file and what becomes of it.
pub(super) struct Dropped<'a> {
    pub file: &'a str,
    pub pieces: u32,
    pub position: [f64; 3],
    /// Longest side, in m.
    pub size: f32,
    pub seed: u64,
}

impl Dropped<'_> {
    /// The body, and what is drawn of it.
    pub fn make(
        &self,
        name: String,
        material: Material,
        mesher: &Mesher,
    ) -> Result<(BodyDesc, Arc<SkinMesh>), PlayError> {
        let refused = |what: String| PlayError::Mesh { file: self.file.into(), what };
        let mesh = read_file(self.file, &Anywhere).map_err(|error| refused(error.to_string()))?;
        let (low, high) = match &mesh {
            MeshFile::Surface(surface) => bounds(&surface.vertices),
            MeshFile::Tets(tets) => bounds(&tets.vertices),
        };
        let longest = (high - low).max_element();
        if !(longest > 0.0 && longest.is_finite()) {
            return Err(refused("it has no extent".into()));
        }
        let scale = f64::from(self.size) / longest;
        let loaded = Loaded::of(mesh, scale).map_err(|error| refused(error.to_string()))?;
        let shape = Shape::of_mesh(&loaded, self.pieces).map_err(refused)?;
        let made = shape.make(self.seed, mesher).map_err(refused)?;
        let skin = Arc::new(made.skin(std::slice::from_ref(&material), false).map_err(refused)?);
        let middle = 0.5 * scale * (low + high);
        let desc = BodyDesc {
            position: (DVec3::from(self.position) - middle).to_array(),
            seed: self.seed,
            ..BodyDesc::new(name, made.desc(), vec![material])
        };
        Ok((desc, skin))
    }
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.iter().fold(none, |(low, high), &point| (low.min(point), high.max(point)))
}

/// A number for the content of a file; `None` if it cannot be read.
pub(super) fn content_hash(file: &str) -> Option<u64> {
    let mut hash = StateHash::default();
    hash.column(&read_bytes(file, &Anywhere).ok()?);
    Some(hash.finish())
}
