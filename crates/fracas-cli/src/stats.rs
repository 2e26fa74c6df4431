//! What `--stats` writes: one record per frame and a summary.
//!
//! Keys may be added, never changed. Numbers that are not finite become `null`, as serde_json
//! writes them: JSON has no other word for them.

use crate::output::{self, Lines, Unwritable};
use fracas::StepReport;
use fracas::world::StageTimes;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A file for stats, its format chosen by the extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatsFile {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// One JSON value, written whole at the end.
    Json,
    /// A header, one line per frame, a summary.
    JsonLines,
}

impl FromStr for StatsFile {
    type Err = String;

    fn from_str(path: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let format = match path.extension().and_then(|e| e.to_str()) {
            Some("json") => Format::Json,
            Some("jsonl") => Format::JsonLines,
            _ => {
                return Err("the name must end in .json (one file, written whole at the end) or \
                     .jsonl (one frame per line, written as it runs)"
                    .to_owned());
            }
        };
        Ok(Self { path, format })
    }
}

/// What a run is known by.
#[derive(Clone, Debug, Serialize)]
pub struct Header {
    /// The scene as named on the command line.
    pub scene: String,
    /// Version of the program.
    pub version: &'static str,
    /// Threads of the step.
    pub threads: u32,
}

/// One frame.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    frame: u64,
    time: f64,
    ms: Milliseconds,
    particles: u64,
    elements: u64,
    bonds: u64,
    pieces: u64,
    cracks: u64,
    contacts: u64,
    sleeping: u64,
    unconverged: u64,
    quarantined: u64,
    stiffness_reached: f32,
    kinetic: f64,
    elastic: f64,
    gravity: f64,
    plastic_work: f64,
    fracture_work: f64,
    friction: f64,
    damping: f64,
    contact_loss: f64,
    solver_loss: f64,
    external_work: f64,
    momentum: [f64; 3],
    angular_momentum: [f64; 3],
    max_speed: f32,
    max_penetration: f32,
    hash: String,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Milliseconds {
    predict: f64,
    contact: f64,
    elastic: f64,
    plastic: f64,
    fracture: f64,
    commit: f64,
    skin: f64,
    total: f64,
}

impl From<StageTimes> for Milliseconds {
    fn from(ms: StageTimes) -> Self {
        let StageTimes { predict, contact, elastic, plastic, fracture, commit, skin, total } = ms;
        Self { predict, contact, elastic, plastic, fracture, commit, skin, total }
    }
}

impl Frame {
    /// The record of frame number `frame`, counted from 1.
    pub fn new(frame: u64, report: &StepReport) -> Self {
        let energy = &report.energy;
        Self {
            frame,
            time: report.time,
            ms: report.ms.into(),
            particles: report.particles,
            elements: report.elements,
            bonds: report.bonds,
            pieces: report.pieces,
            cracks: report.cracks,
            contacts: report.contacts,
            sleeping: report.sleeping,
            unconverged: report.unconverged,
            quarantined: report.quarantined,
            stiffness_reached: report.stiffness_reached,
            kinetic: energy.kinetic,
            elastic: energy.elastic,
            gravity: energy.gravity,
            plastic_work: energy.plastic_work,
            fracture_work: energy.fracture_work,
            friction: energy.friction,
            damping: energy.damping,
            contact_loss: energy.contact_loss,
            solver_loss: energy.solver_loss,
            external_work: energy.external_work,
            momentum: report.momentum,
            angular_momentum: report.angular_momentum,
            max_speed: report.max_speed,
            max_penetration: report.max_penetration,
            hash: hash_text(report.hash),
        }
    }
}

/// A state hash as it is printed everywhere: 16 hex digits.
pub fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Timings of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Median of a frame's milliseconds.
    pub ms_median: f64,
    /// 99 of 100 frames took at most this long, in ms.
    pub ms_p99: f64,
    /// The longest frame, in ms.
    pub ms_max: f64,
    /// Simulated seconds per second of stepping.
    pub realtime_factor: f64,
    /// Whether Ctrl-C ended the run before its last frame.
    pub interrupted: bool,
}

impl Summary {
    /// Sums up frames that took `ms` each and simulated `seconds` in all. Without frames there is
    /// nothing to tell, and every figure is NaN.
    pub fn new(ms: &[f64], seconds: f64, interrupted: bool) -> Self {
        let mut sorted = ms.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            ms_median: median(&sorted),
            ms_p99: percentile(&sorted, 99),
            ms_max: sorted.last().copied().unwrap_or(f64::NAN),
            realtime_factor: seconds / (1.0e-3 * ms.iter().sum::<f64>()),
            interrupted,
        }
    }
}

/// The middle of sorted numbers, between the two middle ones if their count is even; NaN of none.
pub fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    }
}

/// The smallest of sorted numbers that `percent` of them do not exceed; NaN of none.
pub fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (percent * sorted.len()).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// Where frames go while the scene runs.
#[derive(Debug)]
pub enum Recorder {
    /// Nowhere.
    Off,
    /// Into memory, and into one file at the end.
    Json {
        /// That file.
        path: PathBuf,
        /// The run.
        header: Header,
        /// What it did so far.
        frames: Vec<Frame>,
    },
    /// Into a file, line by line.
    JsonLines(Lines),
}

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    header: &'a Header,
    frames: &'a [Frame],
    summary: &'a Summary,
}

#[derive(Serialize)]
struct LastLine<'a> {
    summary: &'a Summary,
}

impl Recorder {
    /// Makes sure that the file can be written, so that a long run does not end in an error.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn new(file: Option<&StatsFile>, header: Header) -> Result<Self, Unwritable> {
        let Some(StatsFile { path, format }) = file else { return Ok(Self::Off) };
        match format {
            Format::Json => {
                output::probe_whole(path)?;
                Ok(Self::Json { path: path.clone(), header, frames: Vec::new() })
            }
            Format::JsonLines => Self::lines(path, &header),
        }
    }

    fn lines(path: &Path, header: &Header) -> Result<Self, Unwritable> {
        let mut lines = Lines::create(path)?;
        lines.push(header)?;
        Ok(Self::JsonLines(lines))
    }

    /// Takes down frame number `frame`, counted from 1.
    ///
    /// # Errors
    /// Why a line could not be written.
    pub fn push(&mut self, frame: u64, report: &StepReport) -> Result<(), Unwritable> {
        match self {
            Self::Off => Ok(()),
            Self::Json { frames, .. } => {
                frames.push(Frame::new(frame, report));
                Ok(())
            }
            Self::JsonLines(lines) => lines.push(&Frame::new(frame, report)),
        }
    }

    /// Writes what is left to write.
    ///
    /// # Errors
    /// Why it could not be written.
    pub fn finish(self, summary: &Summary) -> Result<(), Unwritable> {
        match self {
            Self::Off => Ok(()),
            Self::Json { path, header, frames } => {
                output::write_whole(&path, &Whole { header: &header, frames: &frames, summary })
            }
            Self::JsonLines(mut lines) => {
                lines.push(&LastLine { summary })?;
                lines.finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::world::Energy;
    use serde_json::Value;

    const FRAME_KEYS: [&str; 26] = [
        "frame",
        "time",
        "ms",
        "particles",
        "elements",
        "bonds",
        "pieces",
        "cracks",
        "contacts",
        "sleeping",
        "unconverged",
        "kinetic",
        "elastic",
        "gravity",
        "plastic_work",
        "fracture_work",
        "friction",
        "damping",
        "contact_loss",
        "solver_loss",
        "external_work",
        "momentum",
        "angular_momentum",
        "max_speed",
        "max_penetration",
        "hash",
    ];

    fn header() -> Header {
        Header { scene: "bar".into(), version: "1.2.3", threads: 2 }
    }

    fn report() -> StepReport {
        StepReport {
            time: 0.5,
            ms: StageTimes { elastic: 1.5, total: 2.0, ..StageTimes::default() },
            particles: 320,
            energy: Energy { kinetic: f64::NAN, gravity: -3.0, ..Energy::default() },
            momentum: [1.0, f64::INFINITY, 3.0],
            max_speed: 0.1,
            hash: 0xab,
            ..StepReport::default()
        }
    }

    fn check_frame(frame: &Value) {
        for key in FRAME_KEYS {
            assert!(frame.get(key).is_some(), "{key} is missing");
        }
        for key in
            ["predict", "contact", "elastic", "plastic", "fracture", "commit", "skin", "total"]
        {
            assert!(frame["ms"][key].is_number(), "ms.{key} is missing");
        }
        assert_eq!(frame["hash"], "00000000000000ab");
        assert_eq!(frame["particles"], 320);
        assert_eq!(frame["max_speed"], 0.1);
        assert_eq!(frame["gravity"], -3.0);
        assert_eq!(frame["kinetic"], Value::Null, "NaN must become null");
        assert_eq!(frame["momentum"], serde_json::json!([1.0, null, 3.0]));
    }

    fn check_summary(summary: &Value) {
        for key in ["ms_median", "ms_p99", "ms_max", "realtime_factor"] {
            assert!(summary[key].is_number(), "summary.{key} is missing");
        }
    }

    #[test]
    fn json_has_the_promised_keys() {
        let whole = Whole {
            header: &header(),
            frames: &[Frame::new(1, &report())],
            summary: &Summary::new(&[2.0], 0.5, false),
        };
        // Through text, as a reader gets it: `to_value` would widen f32 to f64
        let text = serde_json::to_string(&whole).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["scene"], "bar");
        assert_eq!(json["version"], "1.2.3");
        assert_eq!(json["threads"], 2);
        check_frame(&json["frames"][0]);
        check_summary(&json["summary"]);
    }

    /// A run of no frames divides 0 by 0 everywhere.
    #[test]
    fn a_summary_of_nothing_is_valid_json() {
        let text = serde_json::to_string(&Summary::new(&[], 0.0, true)).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["ms_median"], Value::Null);
        assert_eq!(json["realtime_factor"], Value::Null);
    }

    #[test]
    fn json_lines_are_header_frames_summary() {
        let path = std::env::temp_dir().join(format!("fracas-{}.jsonl", std::process::id()));
        let file: StatsFile = path.to_str().unwrap().parse().unwrap();
        let mut recorder = Recorder::new(Some(&file), header()).unwrap();
        recorder.push(1, &report()).unwrap();
        recorder.finish(&Summary::new(&[2.0], 0.5, false)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();

        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0]["scene"], "bar");
        check_frame(&lines[1]);
        check_summary(&lines[2]["summary"]);
    }

    #[test]
    fn the_extension_chooses_the_format() {
        assert_eq!("a.json".parse::<StatsFile>().unwrap().format, Format::Json);
        assert_eq!("b/a.b.jsonl".parse::<StatsFile>().unwrap().format, Format::JsonLines);
        for bad in ["a.csv", "a", ".json", "json", ""] {
            let message = bad.parse::<StatsFile>().unwrap_err();
            assert!(message.contains(".jsonl"), "{bad:?} gave {message:?}");
        }
    }

    #[test]
    fn summary_of_a_hundred_frames() {
        let ms: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let summary = Summary::new(&ms, 10.1, false);
        assert_eq!((summary.ms_median, summary.ms_p99, summary.ms_max), (50.5, 99.0, 100.0));
        // 10.1 s simulated in 5.05 s
        assert!((summary.realtime_factor - 2.0).abs() < 1.0e-12);
    }
}
