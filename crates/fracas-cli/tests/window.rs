//! The window on a screen that nobody sees, driven by scripts.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")]

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A screen, and a folder for what the window writes. Both go with it.
struct Screen {
    server: Child,
    name: String,
    folder: PathBuf,
}

impl Screen {
    /// `None`, with a printed reason, where there is no Xvfb.
    fn open(test: &str) -> Option<Self> {
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

    fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fracas"));
        command.current_dir(&self.folder).env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Plays a script in a small window.
    fn play(&self, arguments: &[&str], script: &str) -> Output {
        fs::write(self.folder.join("a.script"), script).unwrap();
        let fixed = ["--size", "640x480", "--script", "a.script"];
        self.program().arg("view").args(arguments).args(fixed).output().unwrap()
    }

    /// The lines that a script had reported.
    fn reports(&self) -> Vec<Value> {
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

fn assert_fine(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn size_of_png(path: &Path) -> [u32; 2] {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let reader = decoder.read_info().unwrap();
    [reader.info().width, reader.info().height]
}

/// A pot falls and breaks; a pause, a step, a turn of the camera, another scene and pictures do what
/// they should, and the states are those of `fracas run`.
#[test]
fn a_script_plays_a_scene() {
    let Some(screen) = Screen::open("window") else { return };
    let script = "wait idle\nreport facts.jsonl\nkey space\nwait frame 40\nkey space\nwait draws 3\n\
                  report facts.jsonl\nkey .\nwait frames 1\nreport facts.jsonl\n\
                  drag middle 50% 50% 70% 50% 4\nscreenshot view.png\nwindow-screenshot window.png\n\
                  wait idle\nreport facts.jsonl\nopen shot\nwait idle\nwait draws 2\nreport facts.jsonl\nclose";
    assert_fine(&screen.play(&["pot", "--paused", "--threads", "2"], script));
    let reports = screen.reports();
    let [start, broken, stepped, turned, other] = reports.as_slice() else {
        panic!("{} reports", reports.len())
    };
    assert_eq!(
        (&start["scene"], &start["frame"], &start["pieces"]),
        (&"pot".into(), &0.into(), &1.into())
    );
    assert_eq!(start["paused"], true);
    let frame = broken["frame"].as_u64().unwrap();
    assert!(frame >= 40 && broken["pieces"].as_u64().unwrap() > 1, "{broken}");
    assert_eq!(stepped["frame"].as_u64().unwrap(), frame + 1, "one step");
    assert_eq!((&turned["hash"], &turned["target"]), (&stepped["hash"], &stepped["target"]));
    assert_ne!(turned["eye"], stepped["eye"], "the camera did not turn");
    assert_eq!((&other["scene"], &other["frame"]), (&"shot".into(), &0.into()));
    let view = turned["view"].as_array().unwrap();
    let side = |k: usize| view[k].as_f64().unwrap() as u32;
    assert_eq!(size_of_png(&screen.folder.join("view.png")), [side(2), side(3)]);
    assert_eq!(size_of_png(&screen.folder.join("window.png")), [640, 480]);

    let frames = (frame + 1).to_string();
    let run = screen.program().args(["run", "pot", "--frames", &frames]).output().unwrap();
    let line = String::from_utf8(run.stdout).unwrap();
    let hash = stepped["hash"].as_str().unwrap();
    assert!(line.contains(hash), "the window came to {hash}, but: {line}");
}

/// Scenes that are wrong, tiny windows and lost devices do not end the program.
#[test]
fn a_window_survives() {
    let Some(screen) = Screen::open("window-survives") else { return };
    fs::write(screen.folder.join("bad.toml"), "format = 1\ntitle = 3\n").unwrap();
    let script = "wait idle\nopen bad.toml\nwait idle\nreport facts.jsonl\nresize 1 1\nwait draws 4\n\
                  resize 500 400\nwait draws 4\nlose-device\nwait draws 4\nreport facts.jsonl\nclose";
    assert_fine(&screen.play(&["pot", "--paused"], script));
    let reports = screen.reports();
    let error = reports[0]["error"].as_str().unwrap();
    assert!(error.contains("bad.toml:2"), "{error}");
    assert_eq!(reports[0]["scene"], "pot", "the scene before must be there still");
    let toasts = reports[1]["toasts"].to_string();
    assert!(toasts.contains("device was lost"), "{toasts}");
}

/// What a script waits for in vain, and what it gets wrong, ends the program with an error.
#[test]
fn scripts_fail_loudly() {
    let Some(screen) = Screen::open("window-scripts") else { return };
    for (script, expected) in [
        ("wait idle\ntimeout 0.5\nwait frame 1000000", "a.script:3: waited for 0.5 s in vain"),
        ("wait idle\nfly", "a.script:2: there is no `fly`"),
    ] {
        let output = screen.play(&["pot", "--paused"], script);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(expected), "{text}");
        assert_eq!(output.status.code(), Some(1));
    }
}

/// Without a display the message names what works without one.
#[cfg(target_os = "linux")]
#[test]
fn without_a_display_there_is_advice() {
    let output = Command::new(env!("CARGO_BIN_EXE_fracas"))
        .args(["view", "pot"])
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("no display to open a window on"), "{text}");
    assert!(text.contains("`fracas picture`"), "{text}");
    assert_eq!(output.status.code(), Some(3));
}
