//! A screen that nobody sees, for tests of the window.

#![allow(dead_code, reason = "each test uses its share")]

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A screen, and a folder for what the window writes. Both go with it.
pub struct Screen {
    server: Child,
    name: String,
    pub folder: PathBuf,
}

impl Screen {
    /// `None`, with a printed reason, where there is no Xvfb.
    pub fn open(test: &str) -> Option<Self> {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|reason| println!("skipped: no Xvfb: {reason}"))
            .ok()?;
        let mut name = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut name).unwrap();
        let folder = std::env::temp_dir().join(format!("fracas-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let screen = Self { server, name: format!(":{}", name.trim()), folder };
        if screen.has_driver() {
            return Some(screen);
        }
        println!("skipped: there is nothing to draw with");
        None
    }

    /// Whether there is something to draw with.
    fn has_driver(&self) -> bool {
        let picture = self.program().args(["picture", "pot", "-o", "probe.png"]).output().unwrap();
        picture.status.success()
    }

    pub fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fracas"));
        command.current_dir(&self.folder).env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        // what an earlier run has filled is not what is tested
        command.env("FRACAS_CACHE", "");
        command
    }

    /// Plays a script in a window of this size.
    pub fn play(&self, size: &str, arguments: &[&str], script: &str) -> Output {
        fs::write(self.folder.join("a.script"), script).unwrap();
        let fixed = ["--size", size, "--script", "a.script"];
        self.program().arg("view").args(arguments).args(fixed).output().unwrap()
    }

    /// The lines that a script had reported.
    pub fn reports(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.join("facts.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub fn assert_fine(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub fn size_of_png(path: &Path) -> [u32; 2] {
    let decoder = png::Decoder::new(BufReader::new(fs::File::open(path).unwrap()));
    let reader = decoder.read_info().unwrap();
    [reader.info().width, reader.info().height]
}
