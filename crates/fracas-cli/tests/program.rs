//! The program at work, from arguments to files. Needs the engine and the gallery.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("fracas-program-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn fracas(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fracas")).args(arguments).output().unwrap()
}

/// Runs the program, which must succeed, and gives its stdout.
fn fine(arguments: &[&str]) -> String {
    let output = fracas(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?} said {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn json_lines(path: impl AsRef<Path>) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_gallery_lists_and_checks() {
    let list = fine(&["scenes"]);
    let names: Vec<&str> =
        list.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    for name in ["falling-bar", "free-spin", "twist"] {
        assert!(names.contains(&name), "{list}");
    }
    let checked = fine(&[&["check"], &names[..]].concat());
    assert_eq!(checked.lines().count(), 1 + names.len(), "{checked}");
}

#[test]
fn the_schema_is_json() {
    let schema: Value = serde_json::from_str(&fine(&["scenes", "--schema"])).unwrap();
    assert!(schema["properties"].is_object(), "{schema}");
}

/// One wrong scene does not hide the others.
#[test]
fn check_tells_of_every_scene() {
    let output = fracas(&["check", "falling-bar", "no-such-scene", "twist"]);
    assert_eq!(output.status.code(), Some(1));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("falling-bar") && stdout.contains("twist"), "{stdout}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("no-such-scene"));
}

/// In a pipe there is one line and no bar.
#[test]
fn run_prints_one_line_in_a_pipe() {
    let output = fracas(&["run", "falling-bar", "--frames", "3"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.starts_with("falling-bar: 3 frames"), "{stdout}");
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    assert!(!output.stderr.contains(&b'\r'), "a bar was drawn in a pipe");
}

#[test]
fn stats_hold_every_frame_and_the_same_hashes_for_any_threads() {
    let folder = Folder::new("stats");
    let (one, two) = (folder.file("one.json"), folder.file("two.jsonl"));
    let run = ["run", "falling-bar", "--frames", "5", "--threads"];
    fine(&[&run[..], &["1", "--stats", &one]].concat());
    fine(&[&run[..], &["2", "--stats", &two]].concat());

    let one = json(&one);
    assert_eq!(one["scene"], "falling-bar");
    assert_eq!(one["threads"], 1);
    let frames = one["frames"].as_array().unwrap();
    let numbers: Vec<u64> = frames.iter().map(|f| f["frame"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert!(frames[4]["ms"]["total"].as_f64().unwrap() > 0.0, "no clock was given to the world");
    assert!(one["summary"]["realtime_factor"].as_f64().unwrap() > 0.0);

    let two = json_lines(&two);
    assert_eq!(two.len(), 1 + 5 + 1);
    assert_eq!(two[0]["threads"], 2);
    assert_eq!(two[6]["summary"]["interrupted"], false);
    for (frame, line) in frames.iter().zip(&two[1..6]) {
        assert_eq!(frame["hash"], line["hash"], "1 and 2 threads differ");
        assert_eq!(frame["hash"].as_str().unwrap().len(), 16);
    }
}

/// A run without end that has written its header and two frames.
fn running(stats: &str) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fracas"))
        .args(["run", "falling-bar", "--frames", "100000000", "--stats", stats])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::fs::read_to_string(stats).map_or(0, |text| text.lines().count()) < 3 {
        assert!(Instant::now() < deadline, "no frame was written in a minute");
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

/// Ctrl-C finishes the frame and keeps what is written.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_written() {
    let folder = Folder::new("interrupt");
    let stats = folder.file("a.jsonl");
    let mut child = running(&stats);
    // the shell's own: a bare system has no program of that name
    let kill = format!("kill -INT {}", child.id());
    let killed = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let lines = json_lines(&stats);
    assert_eq!(lines.last().unwrap()["summary"]["interrupted"], true);
}

/// A kill leaves whole lines, whenever it comes (R22).
#[test]
fn a_kill_leaves_whole_lines() {
    let folder = Folder::new("kill");
    let stats = folder.file("a.jsonl");
    let mut child = running(&stats);
    child.kill().unwrap();
    child.wait().unwrap();
    let lines = json_lines(&stats);
    assert!(lines.iter().skip(1).all(|frame| frame["hash"].is_string()));
}

#[test]
fn bench_writes_its_rows() {
    let folder = Folder::new("bench");
    let file = folder.file("rows.json");
    let table = fine(&["bench", "rotation", "--json", &file]);
    assert!(table.contains("calibration") && table.contains("rotation"), "{table}");
    let rows = json(&file);
    let names: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["calibration", "calibration", "rotation"]);
    assert!(rows[2]["ns_per_unit"].as_f64().unwrap() > 0.0);
    assert_eq!(rows[2]["peer"], Value::Null);
}

/// Every claim that does not measure time must hold in every build.
#[test]
fn paper_bears_out_its_claims() {
    let folder = Folder::new("paper");
    let file = folder.file("rows.json");
    let output = fracas(&["paper", "000", "--without-scenes", "--json", &file]);
    let rows = json(&file);
    for row in rows.as_array().unwrap() {
        let is_timing = row["rule"] == "at-most";
        assert!(is_timing || row["holds"] == true, "{row:#}");
    }
    assert!(matches!(output.status.code(), Some(0 | 4)));
}
