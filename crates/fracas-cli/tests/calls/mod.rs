//! The program as a user calls it.
#![allow(dead_code, reason = "each test uses its share")]
#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own for each test, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fracas-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn fracas(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fracas")).args(arguments).output().unwrap()
}

pub fn fine(arguments: &[&str]) -> String {
    let output = fracas(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?} said {said}");
    String::from_utf8(output.stdout).unwrap()
}
