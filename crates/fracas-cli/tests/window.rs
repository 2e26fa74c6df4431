//! The window on a screen that nobody sees, driven by scripts.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")]

mod screen;

use screen::{Screen, assert_fine, size_of_png};
use std::fs;
use std::process::Command;

/// Windows of most tests.
const SMALL: &str = "640x480";

/// A pot falls and breaks; a pause, a step, a turn of the camera, another scene and pictures do what
/// they should, and the states are those of `fracas run`.
#[test]
fn a_script_plays_a_scene() {
    let Some(screen) = Screen::open("window") else { return };
    let script = "wait idle\nreport facts.jsonl\nkey space\nwait frame 40\nkey space\nwait draws 3\n\
                  report facts.jsonl\nkey .\nwait frames 1\nreport facts.jsonl\n\
                  drag middle 50% 50% 70% 50% 4\nscreenshot view.png\nwindow-screenshot window.png\n\
                  wait idle\nreport facts.jsonl\nopen shot\nwait idle\nwait draws 2\nreport facts.jsonl\nclose";
    assert_fine(&screen.play(SMALL, &["pot", "--paused", "--threads", "2"], script));
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

/// A line drawn with Ctrl across a bar cuts it in two, and is recorded.
#[test]
fn a_drag_with_ctrl_cuts() {
    let Some(screen) = Screen::open("window-cuts") else { return };
    let script = "wait idle\nreport facts.jsonl\ndrag ctrl+left 50% 2% 51% 98% 4\nwait idle\nkey .\nwait frames 1\n\
                  wait idle\nreport facts.jsonl\nclose";
    let options = ["falling-bar", "--paused", "--record", "cut.jsonl"];
    assert_fine(&screen.play(SMALL, &options, script));
    let reports = screen.reports();
    let pieces = |k: usize| reports[k]["pieces"].as_u64().unwrap();
    assert_eq!([pieces(0), pieces(1)], [1, 2]);
    let recorded = fs::read_to_string(screen.folder.join("cut.jsonl")).unwrap();
    assert!(recorded.contains("\"slice\""), "{recorded}");
    let replay = screen.program().args(["run", "--replay", "cut.jsonl"]).output().unwrap();
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stderr));
}

/// Scenes that are wrong, tiny windows and lost devices do not end the program.
#[test]
fn a_window_survives() {
    let Some(screen) = Screen::open("window-survives") else { return };
    fs::write(screen.folder.join("bad.toml"), "format = 1\ntitle = 3\n").unwrap();
    let script = "wait idle\nopen bad.toml\nwait idle\nreport facts.jsonl\nresize 1 1\nwait draws 4\n\
                  resize 500 400\nwait draws 4\nlose-device\nwait draws 4\nreport facts.jsonl\nclose";
    assert_fine(&screen.play(SMALL, &["pot", "--paused"], script));
    let reports = screen.reports();
    let error = reports[0]["error"].as_str().unwrap();
    assert!(error.contains("bad.toml:2"), "{error}");
    assert_eq!(reports[0]["scene"], "pot", "the scene before must be there still");
    let told = reports[1]["told"].to_string();
    assert!(told.contains("device was lost"), "{told}");
}

/// What a script waits for in vain, and what it gets wrong, ends the program with an error.
#[test]
fn scripts_fail_loudly() {
    let Some(screen) = Screen::open("window-scripts") else { return };
    for (script, expected) in [
        ("wait idle\ntimeout 0.5\nwait frame 1000000", "a.script:3: waited for 0.5 s in vain"),
        ("wait idle\nfly", "a.script:2: there is no `fly`"),
    ] {
        let output = screen.play(SMALL, &["pot", "--paused"], script);
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
