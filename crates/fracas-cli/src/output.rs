//! Files that are whole or absent, and lines that survive a kill.

use serde::Serialize;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that could not be written.
#[derive(Debug)]
pub struct Unwritable {
    path: PathBuf,
    reason: io::Error,
}

impl Unwritable {
    /// What went wrong with which file.
    pub fn new(path: &Path, reason: io::Error) -> Self {
        Self { path: path.to_owned(), reason }
    }
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for Unwritable {}

/// Finds out whether [`write_whole`] can write this file, before the work that fills it.
///
/// # Errors
/// What writing would fail with: no such folder, no permission, a folder of that name.
pub fn probe_whole(path: &Path) -> Result<(), Unwritable> {
    let probe = || {
        if path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        let temporary = temporary_beside(path)?;
        File::create_new(&temporary)?;
        fs::remove_file(&temporary)
    };
    probe().map_err(|reason| Unwritable::new(path, reason))
}

/// Writes `value` as JSON, as [`write_bytes`] writes bytes.
///
/// # Errors
/// Whatever the system says. The old file, if there was one, is untouched.
pub fn write_whole(path: &Path, value: &impl Serialize) -> Result<(), Unwritable> {
    write_with(path, |writer| {
        serde_json::to_writer_pretty(&mut *writer, value)?;
        writer.write_all(b"\n")
    })
}

/// Writes a file so that at every moment, also after a crash, there is either the old file or the
/// whole new one: temporary name, flush to disk, rename, flush the folder.
///
/// # Errors
/// Whatever the system says. The old file, if there was one, is untouched.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Unwritable> {
    write_with(path, |writer| writer.write_all(bytes))
}

/// What a file is written through.
pub type Writer = BufWriter<File>;

/// The same, of what `fill` writes.
///
/// # Errors
/// Whatever the system says, or `fill`. The old file, if there was one, is untouched.
pub fn write_with(
    path: &Path,
    fill: impl Fn(&mut Writer) -> io::Result<()>,
) -> Result<(), Unwritable> {
    let write = || {
        let temporary = temporary_beside(path)?;
        let filled = || {
            let mut writer = BufWriter::new(File::create_new(&temporary)?);
            fill(&mut writer)?;
            writer.into_inner()?.sync_all()
        };
        let written = filled().and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            // The first error is the one to tell; a file that was never made cannot be removed
            let _ = fs::remove_file(&temporary);
        }
        written?;
        sync_folder(path)
    };
    write().map_err(|reason| Unwritable::new(path, reason))
}

/// A hidden name in the same folder (renaming does not cross disks), free of other runs' names.
fn temporary_beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(temporary))
}

/// Makes a rename in the folder of `path` last. Only Unix can open a folder for it.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// A file of one JSON value per line. A line is handed to the system when it is complete, so a
/// killed program leaves whole lines.
#[derive(Debug)]
pub struct Lines {
    path: PathBuf,
    file: File,
    line: Vec<u8>,
}

impl Lines {
    /// Begins the file anew.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn create(path: &Path) -> Result<Self, Unwritable> {
        let file = File::create(path).map_err(|reason| Unwritable::new(path, reason))?;
        Ok(Self { path: path.to_owned(), file, line: Vec::new() })
    }

    /// Appends a line, in one write.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn push(&mut self, value: &impl Serialize) -> Result<(), Unwritable> {
        self.line.clear();
        let written =
            serde_json::to_writer(&mut self.line, value).map_err(io::Error::from).and_then(|()| {
                self.line.push(b'\n');
                self.file.write_all(&self.line)
            });
        written.map_err(|reason| Unwritable::new(&self.path, reason))
    }

    /// Makes all lines last.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn finish(self) -> Result<(), Unwritable> {
        self.file.sync_all().map_err(|reason| Unwritable::new(&self.path, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for each test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("fracas-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<OsString> {
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_whole_file_replaces_the_old_and_leaves_nothing_else() {
        let folder = Folder::new("whole");
        let path = folder.0.join("a.json");
        fs::write(&path, "old").unwrap();
        probe_whole(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old", "the probe must not touch the file");
        write_whole(&path, &[1, 2]).unwrap();
        assert_eq!(serde_json::from_slice::<Vec<u8>>(&fs::read(&path).unwrap()).unwrap(), [1, 2]);
        assert_eq!(folder.names(), ["a.json"]);
    }

    #[test]
    fn the_probe_refuses_what_cannot_be_written() {
        let folder = Folder::new("probe");
        for bad in ["no-such-folder/a.json", "", ".."] {
            let error = probe_whole(&folder.0.join(bad)).unwrap_err().to_string();
            assert!(error.starts_with("cannot write "), "{bad:?} gave {error:?}");
        }
    }

    #[test]
    fn lines_are_there_before_the_file_is_finished() {
        let folder = Folder::new("lines");
        let path = folder.0.join("a.jsonl");
        let mut lines = Lines::create(&path).unwrap();
        lines.push(&1).unwrap();
        lines.push(&"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n\"two\"\n");
        lines.finish().unwrap();
    }
}
