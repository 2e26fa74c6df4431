//! What the program refuses, with which message and exit code, before it simulates anything.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use std::process::{Command, Output};

fn fracas(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fracas")).args(arguments).output().unwrap()
}

/// Runs the program, which must refuse with this code, print nothing on stdout and name all of
/// `words` on stderr.
fn refuses(arguments: &[&str], code: i32, words: &[&str]) {
    let output = fracas(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?} said {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?} wrote to stdout");
    for word in words {
        assert!(stderr.contains(word), "{arguments:?} does not name {word:?} but said {stderr}");
    }
}

#[test]
fn wrong_usage_is_code_2() {
    refuses(&[], 2, &["Usage"]);
    refuses(&["chek"], 2, &["'check'"]);
    refuses(&["run"], 2, &["SCENE", "--replay"]);
    refuses(&["run", "falling-bar", "--replay", "a.jsonl"], 2, &["SCENE", "--replay"]);
    refuses(&["run", "--replay", "a.jsonl", "--frames", "3"], 2, &["--replay", "--frames"]);
    refuses(&["run", "--replay", "a.jsonl", "--pictures", "a"], 2, &["--replay", "--pictures"]);
    refuses(&["check"], 2, &["SCENE"]);
    refuses(&["run", "falling-bar", "--frames", "0"], 2, &["--frames"]);
    refuses(&["run", "falling-bar", "--threads", "65"], 2, &["--threads", "64"]);
    refuses(&["run", "falling-bar", "--threads", "two"], 2, &["--threads"]);
}

#[test]
fn an_unknown_benchmark_names_the_nearest_and_all() {
    refuses(&["bench", "orientd"], 2, &["similar", "oriented", "rotation", "calibration"]);
    refuses(&["paper", "00"], 2, &["000"]);
}

#[test]
fn an_unknown_stats_format_names_the_known_ones() {
    refuses(&["run", "falling-bar", "--stats", "a.csv"], 2, &["a.csv", ".json", ".jsonl"]);
}

#[test]
fn an_unknown_scene_names_the_nearest() {
    refuses(&["run", "fallin-bar"], 1, &["fallin-bar", "falling-bar"]);
    refuses(&["check", "fallin-bar"], 1, &["falling-bar"]);
    refuses(&["run", "no-such-folder/a.toml"], 1, &["no-such-folder/a.toml"]);
    refuses(&["run", "--replay", "no-such-folder/a.jsonl"], 1, &["no-such-folder/a.jsonl"]);
}

#[test]
fn an_unwritable_file_is_code_3() {
    for name in ["a.json", "a.jsonl"] {
        let path = format!("no-such-folder/{name}");
        refuses(&["run", "falling-bar", "--stats", &path], 3, &["cannot write", &path]);
    }
    refuses(&["bench", "calibration", "--json", "no-such-folder/a.json"], 3, &["cannot write"]);
    refuses(&["paper", "--json", "no-such-folder/a.json"], 3, &["cannot write"]);
}

/// A folder cannot be replaced by a file.
#[test]
fn a_folder_named_like_the_stats_is_code_3() {
    let folder = std::env::temp_dir().join(format!("fracas-{}.json", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let path = folder.to_str().unwrap();
    refuses(&["run", "falling-bar", "--stats", path], 3, &["cannot write", "directory"]);
    std::fs::remove_dir(&folder).unwrap();
}

#[test]
fn help_documents_the_exit_codes() {
    let output = fracas(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).unwrap();
    for line in ["Exit codes:", "    0  fine", "    3  output", "  130  interrupted"] {
        assert!(help.contains(line), "{help}");
    }
    for command in ["run", "check", "scenes", "bench", "paper"] {
        assert!(help.contains(command), "{help}");
    }
}

#[test]
fn version_is_the_crates() {
    let output = fracas(&["--version"]);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        concat!("fracas ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
