//! What was recorded while somebody played is replayed with the same hashes.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use fracas::StepReport;
use fracas_scene::Scene;
use fracas_scene::play::{Action, Play, Recorder};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A file that is removed when the test ends.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("fracas-replay-{}-{name}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn replay(file: &Temporary, more: &[&str]) -> Output {
    let arguments = [&["run", "--replay", file.path()], more].concat();
    Command::new(env!("CARGO_BIN_EXE_fracas")).args(arguments).output().unwrap()
}

/// What is done to the pot after so many frames.
fn action(play: &Play, frame: u64) -> Option<Action> {
    let pot = play.world().body(play.world().body_ids().next()?)?;
    let [x, y, _] = pot.world_positions().next()?;
    let held = play.grabbed();
    Some(match frame {
        2 => Action::Grab { origin: [x, y, 3.0], direction: [0.0, 0.0, -1.0] },
        3..20 => {
            let [x, y, z] = held?.target;
            Action::Drag { target: [x + 0.01, y + 0.02, z] }
        }
        20 => Action::Shoot {
            origin: [x, y, 1.5],
            direction: [0.01, 0.0, -1.0],
            speed: 30.0,
            radius: 0.04,
            preset: "steel".into(),
        },
        25 => Action::Material { body: None, field: "strength".into(), value: 5.0e4 },
        26 => Action::Preset { body: Some(pot.id().0), preset: "oak".into() },
        30 => Action::Release,
        35 => Action::Drop {
            file: concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/bunny.obj").into(),
            preset: "rubber".into(),
            pieces: 60,
            position: [0.1, 0.6, 0.1],
            size: 0.3,
        },
        _ => return None,
    })
}

/// Plays for a second with a pot, then for a moment with a bar. Returns the last hash of the pot.
fn record(path: &Path) -> u64 {
    let mut recorder = Recorder::create(path).unwrap();
    let mut pot = 0;
    for (name, frames) in [("pot", 60), ("falling-bar", 5)] {
        let scene = Scene::open(name).unwrap();
        let config = scene.world_config();
        recorder.begin(&scene, name).unwrap();
        let mut play = Play::new(scene, config).unwrap();
        let mut report = StepReport::default();
        for frame in 0..frames {
            if let Some(action) = action(&play, frame).filter(|_| name == "pot") {
                play.act(&action).unwrap();
                recorder.action(frame, &action).unwrap();
            }
            report = play.step();
            if frame % 20 == 19 {
                recorder.hash(play.frame(), report.hash).unwrap();
            }
        }
        if frames % 20 != 0 {
            recorder.hash(play.frame(), report.hash).unwrap();
        }
        if name == "pot" {
            pot = report.hash;
            assert!(report.pieces > 2, "the pot did not break");
            assert_eq!(play.world().body_ids().count(), 3);
        }
    }
    pot
}

#[test]
fn replays_have_the_recorded_hashes_on_any_threads() {
    let file = Temporary::new("pot.jsonl");
    let hash = record(&file.0);
    let stats = Temporary::new("stats.json");
    for (threads, more) in [("1", &[][..]), ("2", &["--stats", stats.path()])] {
        let output = replay(&file, &[&["--threads", threads], more].concat());
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
        let lines: Vec<&str> = stdout.lines().collect();
        let expected = format!("pot: 60 frames, 23 actions, 3 hashes compared, hash {hash:016x}");
        assert_eq!(lines[0], expected);
        assert!(lines[1].starts_with("falling-bar: 5 frames, 0 actions, 1 hash compared, hash "));
        assert!(!stderr.contains("changed"), "{stderr}");
    }
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&stats.0).unwrap()).unwrap();
    assert_eq!(stats["frames"].as_array().unwrap().len(), 65);
    assert_eq!(stats["frames"][59]["hash"], format!("{hash:016x}"));
}

/// A short recording, and what the program says to one that was changed.
#[test]
fn changed_recordings_are_found_out() {
    let file = Temporary::new("changed.jsonl");
    let mut recorder = Recorder::create(&file.0).unwrap();
    let scene = Scene::open("falling-bar").unwrap();
    recorder.begin(&scene, "falling-bar").unwrap();
    let config = scene.world_config();
    let mut play = Play::new(scene, config).unwrap();
    recorder.action(0, &Action::Release).unwrap();
    let hash = format!("{:016x}", play.step().hash);
    recorder.hash(1, play.world().hash()).unwrap();
    let whole = std::fs::read_to_string(&file.0).unwrap();
    assert!(whole.contains(&hash), "{whole}");
    let with = |text: String| {
        std::fs::write(&file.0, text).unwrap();
        let output = replay(&file, &["--threads", "1"]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };

    let (code, said) = with(whole.replace(&hash, "0123456789abcdef"));
    let words = format!("line 3: after 1 frame the hash is {hash}, but 0123456789abcdef was");
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains(&words), "{said}");

    let (code, said) = with(whole.replace("\"release\"", "\"relaese\""));
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("line 2: unknown variant `relaese`") && said.contains(file.path()),
        "{said}"
    );

    let scene_hash = &whole[whole.find("scene_hash").unwrap() + 13..][..16];
    let (code, said) = with(whole.replace(scene_hash, "0123456789abcdef"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the text of falling-bar has changed"), "{said}");

    let (code, said) = with(format!("{whole}{{\"frame\":3,\"ac"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("broke off"), "{said}");

    let (code, said) = with(whole.replace("falling-bar", "falling-bra"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("falling-bar"), "{said}");
}
