//! `fracas picture`, `fracas film` and `fracas run --pictures`, as a user calls them.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod calls;

use calls::{Folder, fine, fracas};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Width and height of a PNG, from its first bytes.
fn size(path: impl AsRef<Path>) -> [u32; 2] {
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    [16, 20].map(|k| u32::from_be_bytes(bytes[k..k + 4].try_into().unwrap()))
}

#[test]
fn a_picture_is_written_and_named() {
    let folder = Folder::new("picture");
    let file = folder.path("bar.png");
    let said = fine(&["picture", "falling-bar", "--frame", "3", "-o", &file, "--size", "96x64"]);
    assert_eq!(said, format!("{file}: frame 3 of falling-bar\n"));
    assert_eq!(size(&file), [96, 64]);
}

/// `run` draws what `picture` draws, from the start on, every so many frames; and its result is that
/// of a run that nobody looks at.
#[test]
fn a_run_draws_the_same_pictures() {
    let folder = Folder::new("album");
    let (album, single) = (folder.path("deep/album"), folder.path("single.png"));
    let run = ["run", "falling-bar", "--frames", "7"];
    let looks = ["--size", "96x64", "--colour", "piece"];
    let drawn = [&run[..], &["--pictures", &album, "--every", "3"], &looks].concat();
    let hash = |said: &str| said.trim().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(hash(&fine(&drawn)), hash(&fine(&run)));
    let mut names: Vec<_> = fs::read_dir(&album).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000000.png", "000003.png", "000006.png"]);
    fine(&[&["picture", "falling-bar", "--frame", "6", "-o", &single][..], &looks].concat());
    assert_eq!(fs::read(Path::new(&album).join("000006.png")).unwrap(), fs::read(single).unwrap());
}

#[test]
fn a_film_has_its_moments_side_by_side() {
    let folder = Folder::new("film");
    let file = folder.path("film.png");
    let at = ["film", "hanging-bar", "--at", "4,0,2", "--size", "64x48", "-o", &file];
    assert_eq!(fine(&at), format!("{file}: 3 moments of hanging-bar\n"));
    assert_eq!(size(&file), [2 * 64 + 4, 2 * 48 + 4]);
}

#[test]
fn what_cannot_be_drawn_or_written_is_refused_before_the_work() {
    let folder = Folder::new("refused");
    let file = folder.path("a.png");
    for (arguments, code, words) in [
        (&["picture", "no-such-scene", "-o", &file][..], 1, "there is no scene"),
        (&["picture", "twist", "-o", "/no/such/folder/a.png"], 3, "cannot write"),
        (&["picture", "twist", "-o", &file, "--size", "big"], 2, "such as 1280x720"),
        (
            &["picture", "twist", "-o", &file, "--colour", "mood"],
            2,
            "material, body, piece, strain",
        ),
        (&["picture", "twist", "-o", &file, "--show", "bones"], 2, "particles, bonds, tets"),
        (&["picture", "twist"], 2, "--output"),
        (&["film", "twist", "-o", &file, "--at", "soon"], 2, "invalid value 'soon'"),
        (&["run", "twist", "--every", "2"], 2, "--pictures"),
        (&["run", "twist", "--pictures", "/dev/null/a"], 3, "cannot write /dev/null/a"),
    ] {
        let output = fracas(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?} said {said}");
        assert!(said.contains(words), "{arguments:?} said {said}");
    }
    assert!(!Path::new(&file).exists());
}

/// Without a driver the message says what to install, and nothing is simulated first.
#[test]
fn without_a_driver_the_program_says_what_to_install() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = Folder::new("driver");
    let file = folder.path("a.png");
    let output = Command::new(env!("CARGO_BIN_EXE_fracas"))
        .args(["picture", "twist", "--frame", "100000", "-o", &file])
        .env("WGPU_BACKEND", "vulkan")
        .env("VK_DRIVER_FILES", "/no/driver.json")
        .env("VK_ICD_FILENAMES", "/no/driver.json")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("./setup") && said.contains("mesa-vulkan-drivers"), "{said}");
}
