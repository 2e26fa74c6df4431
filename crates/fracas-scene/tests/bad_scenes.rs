//! Every way to get a scene wrong that we know of, with the message a user reads.
//!
//! `tests/bad-scenes/NAME.toml` is the scene and `NAME.txt` the message. After a change of
//! wording run the test with `UPDATE_BAD_SCENES=1` and read the difference as a user would.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::path::{Path, PathBuf};

use fracas_scene::{Folder, Scene, SceneError};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bad-scenes")
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".toml").map(String::from))
        .collect();
    names.sort();
    names
}

fn refuse(name: &str) -> SceneError {
    let assets = Folder::new(folder());
    let outcome = Scene::read(&assets, &format!("{name}.toml")).and_then(|scene| {
        scene.check()?;
        Ok(scene)
    });
    match outcome {
        Ok(_) => panic!("{name}.toml should be refused"),
        Err(error) => error,
    }
}

#[test]
fn every_bad_scene_is_refused_with_its_message() {
    let update = std::env::var_os("UPDATE_BAD_SCENES").is_some();
    let names = names();
    assert!(names.len() >= 30, "only {} bad scenes", names.len());
    let mut wrong = Vec::new();
    for name in names {
        let path = folder().join(format!("{name}.txt"));
        let drawn = format!("{}\n", refuse(&name));
        if update {
            std::fs::write(&path, drawn).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != drawn {
            wrong.push(format!("{name}:\n{drawn}"));
        }
    }
    assert!(wrong.is_empty(), "messages differ from their files:\n{}", wrong.join("\n"));
}

/// What programs read is what people read.
#[test]
fn every_message_has_its_place_and_no_escape_codes() {
    for name in names() {
        let error = refuse(&name);
        let drawn = error.to_string();
        assert!(!drawn.contains('\u{1b}'), "{name}: {drawn:?}");
        assert_eq!(error.file(), format!("{name}.toml"));
        let (line, column) = (error.line().unwrap(), error.column().unwrap());
        let place = format!("{}:{line}:{column}\n", error.file());
        assert!(drawn.contains(&place), "{name}: {place} is not in\n{drawn}");
        assert!(drawn.starts_with(&format!("error: {}\n", error.message())), "{drawn}");
        assert!(drawn.contains('^'), "{name} has no caret:\n{drawn}");
        let coloured = error.coloured();
        assert!(coloured.contains("\u{1b}["), "{name} is not coloured");
    }
}
