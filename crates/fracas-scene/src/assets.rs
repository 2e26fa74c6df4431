//! Where files come from.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Where scenes read their files from: a folder, memory, a web page.
pub trait Assets {
    /// The bytes of the file at `path`, which is relative and uses `/`.
    ///
    /// # Errors
    /// If there is no such file, it cannot be read, or the path leads elsewhere.
    fn read(&self, path: &str) -> Result<Vec<u8>, AssetError>;
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssetError {
    /// There is no such file.
    #[error("there is no file {path:?}")]
    NotFound {
        /// The path asked for.
        path: String,
    },
    /// The path leads out of the folder.
    #[error("the path {path:?} leads out of the scene's folder")]
    OutsideFolder {
        /// The path asked for.
        path: String,
    },
    /// The system refused.
    #[error("cannot read {path:?}: {reason}")]
    Unreadable {
        /// The path asked for.
        path: String,
        /// What the system said.
        reason: String,
    },
}

/// The files of one folder and the folders in it; nothing outside.
///
/// Absolute paths and paths with `..` are refused before the file system is asked, and links
/// that lead out of the folder after it has answered.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The files below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl Assets for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, AssetError> {
        let outside = || AssetError::OutsideFolder { path: path.into() };
        // On Windows `\` and `C:` would be understood too; refused everywhere, so that a scene
        // that loads here loads there.
        let mut parts = Path::new(path).components();
        let inside = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside || path.contains(['\\', ':', '\0']) {
            return Err(outside());
        }
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => AssetError::NotFound { path: path.into() },
            _ => AssetError::Unreadable { path: path.into(), reason: error.to_string() },
        };
        let root = if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root };
        let file = root.join(path).canonicalize().map_err(failed)?;
        if !file.starts_with(root.canonicalize().map_err(failed)?) {
            return Err(outside());
        }
        std::fs::read(file).map_err(failed)
    }
}

/// Files held in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// Adds a file, or replaces it.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }
}

impl Assets for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, AssetError> {
        let file = self.files.get(path);
        file.cloned().ok_or_else(|| AssetError::NotFound { path: path.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_nothing_from_outside() {
        let folder = Folder::new(env!("CARGO_MANIFEST_DIR"));
        assert!(folder.read("src/assets.rs").is_ok());
        assert_eq!(folder.read("./src/assets.rs"), folder.read("src/assets.rs"));
        for path in ["../Cargo.toml", "/etc/passwd", "src/../../Cargo.toml", "C:\\x", "..", "a\0b"]
        {
            let outside = AssetError::OutsideFolder { path: path.into() };
            assert_eq!(folder.read(path), Err(outside), "{path:?}");
        }
        let missing = AssetError::NotFound { path: "src/nothing.toml".into() };
        assert_eq!(folder.read("src/nothing.toml"), Err(missing));
        assert!(matches!(folder.read("src"), Err(AssetError::Unreadable { .. })));
    }

    /// A link is a way out that the spelling of the path does not show.
    #[cfg(unix)]
    #[test]
    fn a_folder_follows_no_link_that_leads_out() {
        let root = std::env::temp_dir().join(format!("fracas-link-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        let link = root.join("escape.toml");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), &link)
            .unwrap();
        let outcome = Folder::new(&root).read("escape.toml");
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(outcome, Err(AssetError::OutsideFolder { path: "escape.toml".into() }));
    }

    #[test]
    fn memory_gives_what_was_put_in() {
        let mut memory = Memory::default();
        memory.insert("a.toml", "x = 1");
        assert_eq!(memory.read("a.toml"), Ok(b"x = 1".to_vec()));
        assert_eq!(memory.read("b.toml"), Err(AssetError::NotFound { path: "b.toml".into() }));
    }
}
