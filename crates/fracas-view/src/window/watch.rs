//! Scene files that are opened again when they are saved.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How often a file is looked at, in s.
pub(super) const PERIOD: f64 = 0.5;

/// A file, and when it was saved last.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    path: PathBuf,
    saved: Option<SystemTime>,
    /// When to look again, in s of the clock of the simulation.
    next: f64,
}

impl Watch {
    /// Watches the file of a scene; `None` for scenes of the gallery.
    pub fn new(name: &str, now: f64) -> Option<Self> {
        let known = fracas_scene::gallery().iter().any(|scene| scene.name == name);
        let path = Path::new(name);
        (!known && path.is_file()).then(|| Self {
            saved: saved(path),
            path: path.to_owned(),
            next: now + PERIOD,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file was saved since this was asked last.
    pub fn was_saved(&mut self, now: f64) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + PERIOD;
        // while an editor replaces it, there may be no file
        let Some(saved) = saved(&self.path) else { return false };
        self.saved.replace(saved) != Some(saved)
    }
}

fn saved(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_file_is_saved_once() {
        let path = std::env::temp_dir().join(format!("fracas-watch-{}.toml", std::process::id()));
        fs::write(&path, "a").unwrap();
        let name = path.display().to_string();
        let mut watch = Watch::new(&name, 0.0).unwrap();
        assert!(!watch.was_saved(1.0));
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(!watch.was_saved(1.1), "looked at too often");
        assert!(watch.was_saved(2.0));
        assert!(!watch.was_saved(3.0));
        fs::remove_file(&path).unwrap();
        assert!(!watch.was_saved(4.0));
        assert!(Watch::new("pot", 0.0).is_none() && Watch::new(&name, 0.0).is_none());
    }
}
