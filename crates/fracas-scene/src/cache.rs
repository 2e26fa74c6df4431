//! Filled surfaces, kept on disk by content, so that a scene starts at once the second time.
//!
//! A cache may be deleted at any time. A file in it that is damaged, truncated or of another
//! version is as good as none: the surface is filled again.

use std::path::{Path, PathBuf};

use fracas::glam::DVec3;
use fracas::state::{Reader, Sink, StateHash, crc32c};
use fracas_mesh::stuffing::{Filling, Fit};
use fracas_mesh::{ClosedSurface, TetMesh};

/// What every file begins with. The digit counts up whenever the filling of surfaces changes, so
/// that a new program never takes what an old one has made.
const MAGIC: &[u8; 8] = b"FRCTET\x001";

/// A folder of filled surfaces.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The folder that `FRACAS_CACHE` names, else `fracas` where this user's caches are; `None`
    /// if there is no such place or `FRACAS_CACHE` is empty.
    pub fn of_user() -> Option<Self> {
        let variable = |name| std::env::var_os(name).map(PathBuf::from);
        let folder = match variable("FRACAS_CACHE") {
            Some(folder) => folder,
            None => variable("XDG_CACHE_HOME")
                .filter(|folder| folder.is_absolute())
                .or_else(|| Some(variable("HOME")?.join(".cache")))
                .or_else(|| variable("LOCALAPPDATA"))?
                .join("fracas"),
        };
        (!folder.as_os_str().is_empty()).then(|| Self::at(&folder))
    }

    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// A number for a surface and how it is filled: the same for the same content.
    pub fn key(surface: &ClosedSurface, filling: &Filling) -> u64 {
        let surface = surface.surface();
        let mut hash = StateHash::default();
        hash.column(MAGIC);
        hash.number(u64::from(filling.tets));
        hash.number(u64::from(filling.fit == Fit::Enclose));
        hash.column(&surface.vertices);
        hash.column(&surface.triangles);
        hash.finish()
    }

    fn path(&self, key: u64) -> PathBuf {
        self.folder.join(format!("{key:016x}.tets"))
    }

    pub fn get(&self, key: u64) -> Option<TetMesh> {
        decode(&std::fs::read(self.path(key)).ok()?, key)
    }

    /// Keeps a mesh, if that is possible. It appears whole or not at all.
    pub fn put(&self, key: u64, mesh: &TetMesh) {
        let temporary = self.folder.join(format!("{key:016x}.{}.tmp", std::process::id()));
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&temporary, encode(mesh, key)))
            .and_then(|()| std::fs::rename(&temporary, self.path(key)));
        if written.is_err() {
            // Nothing is lost: the surface will be filled again.
            let _nothing_left_behind = std::fs::remove_file(&temporary);
        }
    }
}

fn encode(mesh: &TetMesh, key: u64) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.number(key);
    bytes.column(&mesh.vertices);
    bytes.column(&mesh.tets);
    let crc = crc32c(&bytes);
    bytes.extend_from_slice(&crc.to_le_bytes());
    bytes
}

/// `None` unless the bytes are whole, undamaged and what `key` stands for.
fn decode(bytes: &[u8], key: u64) -> Option<TetMesh> {
    let (content, crc) = bytes.split_last_chunk()?;
    let columns = content.strip_prefix(MAGIC)?;
    if crc32c(content) != u32::from_le_bytes(*crc) {
        return None;
    }
    let mut reader = Reader::new(columns);
    if reader.number().ok()? != key {
        return None;
    }
    let vertices: Vec<DVec3> = reader.column().ok()?;
    let tets = reader.column().ok()?;
    let mesh = TetMesh { vertices, tets, ..TetMesh::default() };
    (reader.is_done() && mesh.check().is_ok()).then_some(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> TetMesh {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        TetMesh { vertices, tets: vec![[0, 1, 2, 3]], ..TetMesh::default() }
    }

    #[test]
    fn only_whole_and_undamaged_files_are_taken() {
        let bytes = encode(&corner(), 7);
        assert_eq!(decode(&bytes, 7), Some(corner()));
        assert_eq!(decode(&bytes, 8), None, "another surface");
        for end in 0..bytes.len() {
            assert_eq!(decode(&bytes[..end], 7), None, "cut at {end}");
        }
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged, 7), None, "bit {bit}");
        }
    }

    #[test]
    fn what_is_put_is_found_again() {
        let folder = std::env::temp_dir().join(format!("fracas-cache-{}", std::process::id()));
        let cache = Cache::at(&folder);
        assert_eq!(cache.get(3), None);
        cache.put(3, &corner());
        assert_eq!(cache.get(3), Some(corner()));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left behind");
        std::fs::remove_dir_all(&folder).unwrap();
        // A folder that cannot be made is no reason to fail.
        Cache::at(Path::new("/dev/null/nowhere")).put(3, &corner());
    }
}
