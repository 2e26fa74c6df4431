//! Pictures that the window writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::picture::Picture;

/// Writes a picture under a name that nothing has yet: `fracas-SCENE-FRAME.png`, with a number
/// after it if there is one already.
///
/// # Errors
/// Whatever the system says.
pub(super) fn write_new(
    folder: &Path,
    scene: &str,
    frame: u64,
    picture: &Picture,
) -> io::Result<PathBuf> {
    let bytes = png(picture)?;
    let stem = format!("fracas-{}-{frame:06}", plain(scene));
    let (path, mut file) = free(&stem, |name| {
        let path = folder.join(format!("{name}.png"));
        File::create_new(&path).map(|file| (path, file))
    })?;
    file.write_all(&bytes)?;
    Ok(path)
}

/// Makes a folder under a name that nothing has yet: `fracas-SCENE`, with a number after it if there
/// is one already.
///
/// # Errors
/// Whatever the system says.
pub(super) fn new_folder(parent: &Path, scene: &str) -> io::Result<PathBuf> {
    free(&format!("fracas-{}", plain(scene)), |name| {
        let path = parent.join(name);
        fs::create_dir(&path).map(|()| path)
    })
}

/// Writes a picture, in place of what was there.
///
/// # Errors
/// Whatever the system says.
pub(super) fn write(path: &Path, picture: &Picture) -> io::Result<()> {
    fs::write(path, png(picture)?)
}

fn png(picture: &Picture) -> io::Result<Vec<u8>> {
    picture.to_png().map_err(io::Error::other)
}

/// Tries names until one is free.
fn free<T>(stem: &str, mut make: impl FnMut(&str) -> io::Result<T>) -> io::Result<T> {
    let mut name = stem.to_owned();
    for number in 2.. {
        match make(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                name = format!("{stem}-{number}");
            }
            result => return result,
        }
    }
    unreachable!("numbers do not end")
}

/// Letters and digits that every system takes in names.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    name.chars().map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is ever replaced.
    #[test]
    fn names_are_new() {
        let folder = std::env::temp_dir().join(format!("fracas-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let picture = |grey| Picture { size: [1, 1], pixels: vec![[grey, grey, grey, 255]] };
        let names: Vec<_> = (0..3)
            .map(|k| write_new(&folder, "my pot", 123, &picture(k)).unwrap())
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        let expected = ["", "-2", "-3"].map(|end| format!("fracas-my-pot-000123{end}.png"));
        assert_eq!(names, expected);
        let first = fs::read(folder.join(&names[0])).unwrap();
        assert_eq!(first, picture(0).to_png().unwrap());
        let folders: Vec<_> = (0..2).map(|_| new_folder(&folder, "pot").unwrap()).collect();
        assert!(folders[0].ends_with("fracas-pot") && folders[1].ends_with("fracas-pot-2"));
        fs::remove_dir_all(&folder).unwrap();
        assert!(write_new(&folder, "pot", 0, &picture(0)).is_err());
    }
}
