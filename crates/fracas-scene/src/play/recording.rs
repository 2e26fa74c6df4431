//! What was done to a scene, as lines of JSON.
//!
//! ```text
//! {"fracas":"0.1.0","scene":"pot","scene_hash":"0123456789abcdef"}     a session begins
//! {"frame":12,"action":{"grab":{…}}}                                   given after 12 frames
//! {"frame":60,"hash":"0123456789abcdef"}                               of the world after 60 frames
//! ```
//!
//! Lines are written one by one, so that a crash takes at most the last.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use fracas::state::{Sink, StateHash};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Action, dropped};
use crate::Scene;

/// How many frames a recording has from one hash of the world to the next.
pub const HASH_EVERY: u64 = 60;

/// What was wrong with a recording, or why it could not be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {reason}", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A line is wrong.
    #[error("{}, line {line}: {what}; {right}", file.display())]
    BadLine {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
        /// What would be right.
        right: &'static str,
    },
    /// Nothing was recorded.
    #[error("{} holds no session: a recording begins with a line that names a scene", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
}

/// The line that a session begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    fracas: String,
    scene: String,
    scene_hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionLine {
    frame: u64,
    action: Action,
    /// Of the content of the file that the action names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file_hash: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HashLine {
    frame: u64,
    hash: String,
}

/// As hashes are printed everywhere: 16 hex digits.
fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

fn read_hash(text: &str) -> Option<u64> {
    let digits = text.len() == 16 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if digits { u64::from_str_radix(text, 16).ok() } else { None }
}

/// A number for the text of a scene.
pub(super) fn hash_of_scene(scene: &Scene) -> u64 {
    let mut hash = StateHash::default();
    hash.column(scene.source.text.as_bytes());
    hash.finish()
}

/// Writes down what is done to scenes.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: File,
}

impl Recorder {
    /// Begins a file, or empties one that exists.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path) -> Result<Self, RecordingError> {
        let file = File::create(path).map_err(|reason| RecordingError::Unwritable {
            file: path.into(),
            reason: reason.to_string(),
        })?;
        Ok(Self { path: path.into(), file })
    }

    /// A session begins: the scene was opened or reset. `name` is what [`Scene::open`] was given.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub fn begin(&mut self, scene: &Scene, name: &str) -> Result<(), RecordingError> {
        self.push(&Header {
            fracas: env!("CARGO_PKG_VERSION").into(),
            scene: name.into(),
            scene_hash: hash_text(hash_of_scene(scene)),
        })
    }

    /// Something was done after so many frames.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub fn action(&mut self, frame: u64, action: &Action) -> Result<(), RecordingError> {
        let file_hash = match action {
            Action::Drop { file, .. } => dropped::content_hash(file).map(hash_text),
            _ => None,
        };
        self.push(&ActionLine { frame, action: action.clone(), file_hash })
    }

    /// The hash of the world after so many frames: every [`HASH_EVERY`] of them, and when a session ends.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub fn hash(&mut self, frame: u64, hash: u64) -> Result<(), RecordingError> {
        self.push(&HashLine { frame, hash: hash_text(hash) })
    }

    fn push(&mut self, line: &impl Serialize) -> Result<(), RecordingError> {
        let written = serde_json::to_string(line).map_err(std::io::Error::from).and_then(|text| {
            // in one piece, so that a crash leaves whole lines
            self.file.write_all(format!("{text}\n").as_bytes())
        });
        written.map_err(|reason| RecordingError::Unwritable {
            file: self.path.clone(),
            reason: reason.to_string(),
        })
    }
}

/// What was recorded in one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// In order.
    pub sessions: Vec<Session>,
    /// Whether its last line broke off, as after a crash, and was left out.
    pub cut_short: bool,
}

/// One scene from its start on.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// The scene, as [`Scene::open`] takes it.
    pub scene: String,
    /// The version of the program that recorded it.
    pub version: String,
    pub(super) scene_hash: u64,
    pub(super) moments: Vec<Moment>,
}

/// A line of a session.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moment {
    /// In the file, counted from 1.
    pub line: usize,
    /// Frames done before.
    pub frame: u64,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// With the hash of the file that it names.
    Action(Action, Option<u64>),
    Hash(u64),
}

/// What is wrong with a line, and what would be right.
type Wrong = (String, &'static str);

const LINES: &str =
    "a line has `fracas`, `scene` and `scene_hash`, or `frame` and `action`, or `frame` and `hash`";
const HASHES: &str = "hashes have 16 hexadecimal digits";
const ORDER: &str =
    "lines of a session come in the order of their frames, after the line that names the scene";

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`RecordingError`] names the file, the line and what would be right.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let text = std::fs::read_to_string(path).map_err(|reason| RecordingError::Unreadable {
            file: path.into(),
            reason: reason.to_string(),
        })?;
        let mut recording = Self { sessions: Vec::new(), cut_short: false };
        let mut lines = text.split_inclusive('\n').zip(1..).peekable();
        while let Some((text, line)) = lines.next() {
            if text.trim().is_empty() {
                continue;
            }
            if let Err((what, right)) = recording.take(text.trim(), line) {
                let last = lines.peek().is_none() && !text.ends_with('\n');
                if !last {
                    return Err(RecordingError::BadLine { file: path.into(), line, what, right });
                }
                recording.cut_short = true;
            }
        }
        if recording.sessions.is_empty() {
            return Err(RecordingError::Empty { file: path.into() });
        }
        Ok(recording)
    }

    fn take(&mut self, text: &str, line: usize) -> Result<(), Wrong> {
        let fields: Map<String, Value> = serde_json::from_str(text)
            .map_err(|error| (format!("it is not JSON ({error})"), LINES))?;
        let refused = |error: serde_json::Error| (error.to_string(), LINES);
        let has = |field: &str| fields.contains_key(field);
        if has("fracas") {
            // from the text, and not from what was read of it: numbers are given back to the last bit
            let header: Header = serde_json::from_str(text).map_err(refused)?;
            let scene_hash = wanted_hash(&header.scene_hash)?;
            let Header { fracas: version, scene, .. } = header;
            self.sessions.push(Session { scene, version, scene_hash, moments: Vec::new() });
            return Ok(());
        }
        let (frame, what) = if has("action") {
            let read: ActionLine = serde_json::from_str(text).map_err(refused)?;
            let file_hash = read.file_hash.as_deref().map(wanted_hash).transpose()?;
            (read.frame, What::Action(read.action, file_hash))
        } else {
            let read: HashLine = serde_json::from_str(text).map_err(refused)?;
            (read.frame, What::Hash(wanted_hash(&read.hash)?))
        };
        let Some(session) = self.sessions.last_mut() else {
            return Err(("no scene was named before".into(), ORDER));
        };
        let before = session.frames();
        if frame < before {
            return Err((format!("frame {frame} comes after frame {before}"), ORDER));
        }
        session.moments.push(Moment { line, frame, what });
        Ok(())
    }
}

fn wanted_hash(text: &str) -> Result<u64, Wrong> {
    read_hash(text).ok_or_else(|| (format!("{text:?} is no hash"), HASHES))
}

impl Session {
    /// Frames that are known of.
    pub fn frames(&self) -> u64 {
        self.moments.last().map_or(0, |moment| moment.frame)
    }

    /// What was done, and after how many frames.
    pub fn actions(&self) -> impl Iterator<Item = (u64, &Action)> {
        self.moments.iter().filter_map(|moment| match &moment.what {
            What::Action(action, _) => Some((moment.frame, action)),
            What::Hash(_) => None,
        })
    }
}
