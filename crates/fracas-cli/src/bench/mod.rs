//! `fracas bench`: how fast the parts are on this machine.
//!
//! A figure is the best of five medians, processor time for one thread and wall time for several:
//! what the code can do, as far as a shared machine lets it show.

mod calibration;
mod measure;
mod meshless;
mod oriented;
mod pile;
#[cfg(feature = "peers")]
mod rapier;
mod rotation;
mod sheet;
mod skin;
mod tets;

use crate::exit::Exit;
use crate::output;
use crate::table::{Align, Table, number};
use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

pub use measure::{Timing, time};
pub use oriented::{FRAME, Work, time_frame};

/// Above this load of the machine its figures say little.
const QUIET_LOAD: f64 = 0.5;

/// Measure the speed of the parts on this machine.
///
/// A figure is the best of five medians: processor time for one thread, wall time for several. A
/// fixed calculation is always timed with them, so that machines can be compared.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// What to measure [default: all]
    #[arg(value_enum, value_name = "NAME")]
    names: Vec<Name>,

    /// Also write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Smoothed particles: an evaluation of forces, and whole steps of a slab
    Meshless,
    /// Oriented particles: a sweep, and a whole frame
    Oriented,
    /// A thousand rigid stones that fall and pile up
    Pile,
    /// The rotation of 8 matrices at a time
    Rotation,
    /// A cloth of 100 × 100 vertices that hangs, and one that tears
    Sheet,
    /// Skins: told, handed to the graphics device, moved by the processor
    Skin,
    /// Bars of tetrahedra that are held at one end
    Tets,
    /// A fixed calculation that never changes
    Calibration,
}

impl Name {
    fn rows(self) -> Result<Vec<Row>> {
        match self {
            Self::Meshless => meshless::rows(),
            Self::Oriented => oriented::rows(),
            Self::Pile => pile::rows(),
            Self::Rotation => Ok(rotation::rows()),
            Self::Sheet => sheet::rows(),
            Self::Skin => skin::rows(),
            Self::Tets => tets::rows(),
            Self::Calibration => Ok(calibration::rows()),
        }
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: &'static str,
    /// How many units (particles, matrices, operations) one run works on.
    pub size: u64,
    /// Threads it ran on.
    pub threads: u32,
    /// Best of the medians, in ms.
    pub ms_median: f64,
    /// The slowest run of the round that gave that median, in ms.
    pub ms_max: f64,
    /// Nanoseconds per unit, and per sweep where the run makes several.
    pub ns_per_unit: f64,
    /// Another engine at the same work, where it is built in.
    pub peer: Option<Peer>,
    /// What else is worth knowing of the run, in m, s and counts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<&'static str, f64>,
}

/// Another engine at the same work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Peer {
    /// Its name and version.
    pub name: String,
    /// Its figure, in ms.
    pub ms_median: f64,
}

impl Peer {
    /// A figure of the engine of this name and version.
    pub fn new(name: &str, ms_median: f64) -> Self {
        Self { name: name.to_owned(), ms_median }
    }
}

impl Row {
    /// A row of a run over `size` units that makes `passes` over them.
    pub fn new(name: &'static str, size: u64, passes: u64, threads: u32, timing: Timing) -> Self {
        let Timing { ms_median, ms_max } = timing;
        let ns_per_unit = 1.0e6 * ms_median / (size * passes) as f64;
        let facts = BTreeMap::new();
        Self { name, size, threads, ms_median, ms_max, ns_per_unit, peer: None, facts }
    }

    /// The other engine's figure, and how many times as long as it ours takes.
    fn compared(&self) -> String {
        let Some(peer) = &self.peer else { return String::new() };
        let ratio = self.ms_median / peer.ms_median;
        format!("{} {} ms, ours {}×", peer.name, number(peer.ms_median), number(ratio))
    }
}

/// Runs the subcommand.
///
/// # Errors
/// A body that cannot be built, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    if let Some(path) = &arguments.json {
        output::probe_whole(path)?;
    }
    tell_conditions(&mut io::stdout())?;

    let mut rows = Vec::new();
    for name in chosen(&arguments.names) {
        rows.extend(name.rows()?);
    }
    write!(io::stdout(), "{}", table(&rows))?;
    tell_facts(&mut io::stdout(), &rows)?;
    if let Some(path) = &arguments.json {
        output::write_whole(path, &rows)?;
    }
    Ok(Exit::Fine)
}

/// All benchmarks if none is named, each once, calibration first and always.
fn chosen(names: &[Name]) -> Vec<Name> {
    let wanted = |name: &Name| names.is_empty() || names.contains(name);
    let others = Name::value_variants().iter().filter(|&n| *n != Name::Calibration && wanted(n));
    std::iter::once(Name::Calibration).chain(others.copied()).collect()
}

/// Says what the figures below are worth.
fn tell_conditions(out: &mut impl Write) -> io::Result<()> {
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build, its figures say nothing; use --release");
    }
    match calibration::load() {
        Some(load) if load > QUIET_LOAD => {
            writeln!(out, "load of the machine: {load}")?;
            eprintln!("warning: other programs are at work; figures count below load {QUIET_LOAD}");
            Ok(())
        }
        Some(load) => writeln!(out, "load of the machine: {load}"),
        None => writeln!(out, "load of the machine: unknown"),
    }
}

/// What does not fit into the table.
fn tell_facts(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    for row in rows.iter().filter(|row| !row.facts.is_empty()) {
        let facts: Vec<String> =
            row.facts.iter().map(|(name, value)| format!("{name} {}", number(*value))).collect();
        writeln!(out, "{} on {} thread(s): {}", row.name, row.threads, facts.join(", "))?;
    }
    Ok(())
}

fn table(rows: &[Row]) -> Table<7> {
    let mut table = Table::new([
        ("name", Align::Left),
        ("size", Align::Right),
        ("threads", Align::Right),
        ("ms median", Align::Right),
        ("ms max", Align::Right),
        ("ns per unit", Align::Right),
        ("peer", Align::Left),
    ]);
    for row in rows {
        table.row([
            row.name.to_owned(),
            row.size.to_string(),
            row.threads.to_string(),
            number(row.ms_median),
            number(row.ms_max),
            number(row.ns_per_unit),
            row.compared(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_has_the_promised_keys() {
        let mut row = Row::new("sweep-7", 300, 16, 1, Timing { ms_median: 0.48, ms_max: 0.5 });
        assert!((row.ns_per_unit - 100.0).abs() < 1.0e-9, "0.48 ms over 300 × 16 is 100 ns");
        row.ns_per_unit = f64::INFINITY;
        assert_eq!(
            serde_json::to_value(&row).unwrap(),
            json!({"name": "sweep-7", "size": 300, "threads": 1, "ms_median": 0.48,
                   "ms_max": 0.5, "ns_per_unit": null, "peer": null})
        );
        row.peer = Some(Peer::new("Rapier", 0.24));
        row.facts.insert("overlap", 0.5);
        let json = serde_json::to_value(&row).unwrap();
        assert_eq!(json["peer"], json!({"name": "Rapier", "ms_median": 0.24}));
        assert_eq!(json["facts"], json!({"overlap": 0.5}));
        assert_eq!(row.compared(), "Rapier 0.2400 ms, ours 2.000×", "0.48 ms are twice 0.24 ms");
    }

    #[test]
    fn calibration_always_runs_and_nothing_twice() {
        use Name::{Calibration, Meshless, Oriented, Pile, Rotation, Sheet, Skin, Tets};
        assert_eq!(
            chosen(&[]),
            [Calibration, Meshless, Oriented, Pile, Rotation, Sheet, Skin, Tets]
        );
        assert_eq!(chosen(&[Rotation, Rotation]), [Calibration, Rotation]);
        assert_eq!(chosen(&[Calibration]), [Calibration]);
    }
}
