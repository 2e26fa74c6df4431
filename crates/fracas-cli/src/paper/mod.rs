//! `fracas paper`: what the documents that Fracas implements claim, and what comes out here.

mod figures_000;
mod figures_001;
mod figures_002;
mod seed_000;
mod seed_001;
mod seed_002;
mod seed_003;
mod seed_004;

use crate::exit::Exit;
use crate::output;
use crate::table::{Align, Table};
use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Compare our numbers with those of the documents Fracas implements.
///
/// Ends with exit code 4 if a claim does not hold. Claims about time mean something only in a
/// release build on a quiet machine.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Which document [default: all]
    #[arg(value_enum, value_name = "SEED")]
    seed: Option<Seed>,

    /// Also write the rows to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Leave out what takes running whole scenes
    #[arg(long)]
    without_scenes: bool,
}

/// A document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Seed {
    /// Ductile fracture of oriented particles
    #[value(name = "000")]
    Oriented,
    /// Brittle objects around rigid references
    #[value(name = "001")]
    Brittle,
    /// Tearing of smoothed particles
    #[value(name = "002")]
    Meshless,
    /// Sheets of triangles that tear
    #[value(name = "004")]
    Sheet,
    /// Deformation and fracture in games
    #[value(name = "003")]
    Game,
}

impl Seed {
    fn rows(self, without_scenes: bool) -> Result<Vec<Row>> {
        match self {
            Self::Oriented if without_scenes => seed_000::rows(),
            Self::Oriented => Ok([seed_000::rows()?, figures_000::rows()?].concat()),
            Self::Brittle if without_scenes => seed_001::rows(),
            Self::Brittle => Ok([seed_001::rows()?, figures_001::rows()?].concat()),
            Self::Meshless if without_scenes => seed_002::rows(),
            Self::Meshless => Ok([seed_002::rows()?, figures_002::rows()?].concat()),
            // nothing of it does without
            Self::Sheet if without_scenes => Ok(Vec::new()),
            Self::Sheet => seed_004::rows(),
            Self::Game => seed_003::rows(),
        }
    }

    /// What of it is not there on purpose, and why.
    fn left_out(self) -> &'static [&'static str] {
        match self {
            Self::Oriented => &[],
            Self::Brittle => &seed_001::LEFT_OUT,
            Self::Meshless => &seed_002::LEFT_OUT,
            Self::Sheet => &seed_004::LEFT_OUT,
            Self::Game => &seed_003::LEFT_OUT,
        }
    }
}

/// When our number bears out the document's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// They differ by at most the tolerance.
    Equal,
    /// Ours is at most the document's plus the tolerance.
    AtMost,
    /// Ours is at least the document's less the tolerance.
    AtLeast,
}

impl Rule {
    /// NaN holds nowhere.
    fn holds(self, seed: f64, ours: f64, tolerance: f64) -> bool {
        match self {
            Self::Equal => (ours - seed).abs() <= tolerance,
            Self::AtMost => ours <= seed + tolerance,
            Self::AtLeast => ours >= seed - tolerance,
        }
    }
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Document and place.
    pub id: &'static str,
    /// What it says.
    pub claim: &'static str,
    /// Its number, or the exact value where it prints none.
    pub seed: f64,
    /// Our number.
    pub ours: f64,
    /// How far they may be apart.
    pub tolerance: f64,
    /// Whether ours bears out the claim; computed, never written by hand.
    pub holds: bool,
    /// In which way it must.
    pub rule: Rule,
    /// How our number came about.
    pub how: &'static str,
}

impl Row {
    /// A claim that two numbers are equal within `tolerance`.
    pub fn equal(
        id: &'static str,
        claim: &'static str,
        how: &'static str,
        seed: f64,
        tolerance: f64,
        ours: f64,
    ) -> Self {
        Self::new(id, claim, how, seed, tolerance, ours, Rule::Equal)
    }

    /// A claim that is borne out by a number no larger.
    pub fn at_most(
        id: &'static str,
        claim: &'static str,
        how: &'static str,
        seed: f64,
        ours: f64,
    ) -> Self {
        Self::new(id, claim, how, seed, 0.0, ours, Rule::AtMost)
    }

    /// A claim that is borne out by a number no smaller.
    pub fn at_least(
        id: &'static str,
        claim: &'static str,
        how: &'static str,
        seed: f64,
        ours: f64,
    ) -> Self {
        Self::new(id, claim, how, seed, 0.0, ours, Rule::AtLeast)
    }

    fn new(
        id: &'static str,
        claim: &'static str,
        how: &'static str,
        seed: f64,
        tolerance: f64,
        ours: f64,
        rule: Rule,
    ) -> Self {
        let holds = rule.holds(seed, ours, tolerance);
        Self { id, claim, seed, ours, tolerance, holds, rule, how }
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
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build, its timings say nothing; use --release");
    }
    let seeds = arguments.seed.as_ref().map_or(Seed::value_variants(), std::slice::from_ref);
    let mut rows = Vec::new();
    for seed in seeds {
        rows.extend(seed.rows(arguments.without_scenes)?);
    }
    write!(io::stdout(), "{}", table(&rows))?;
    for what in seeds.iter().flat_map(|seed| seed.left_out()) {
        writeln!(io::stdout(), "left out: {what}")?;
    }
    if let Some(path) = &arguments.json {
        output::write_whole(path, &rows)?;
    }
    let all_hold = rows.iter().all(|row| row.holds);
    Ok(if all_hold { Exit::Fine } else { Exit::Failed })
}

fn table(rows: &[Row]) -> Table<7> {
    let mut table = Table::new([
        ("id", Align::Left),
        ("seed", Align::Right),
        ("ours", Align::Right),
        ("tolerance", Align::Right),
        ("holds", Align::Left),
        ("claim", Align::Left),
        ("how", Align::Left),
    ]);
    for row in rows {
        let seed = match row.rule {
            Rule::Equal => digits(row.seed),
            Rule::AtMost => format!("≤ {}", digits(row.seed)),
            Rule::AtLeast => format!("≥ {}", digits(row.seed)),
        };
        table.row([
            row.id.to_owned(),
            seed,
            digits(row.ours),
            row.tolerance.to_string(),
            if row.holds { "yes" } else { "NO" }.to_owned(),
            row.claim.to_owned(),
            row.how.to_owned(),
        ]);
    }
    table
}

/// Ten digits, enough to see by how much two numbers differ, without zeros at the end.
fn digits(x: f64) -> String {
    let decimals = (9 - x.abs().max(1.0).log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{x:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_follows_from_the_numbers() {
        let equal = |ours| Row::equal("1", "c", "h", 2.0, 0.5, ours).holds;
        assert_eq!([2.0, 1.5, 2.6, f64::NAN].map(equal), [true, true, false, false]);
        let at_most = |ours| Row::at_most("1", "c", "h", 2.0, ours).holds;
        assert_eq!([-9.0, 2.0, 2.1, f64::NAN].map(at_most), [true, true, false, false]);
        let at_least = |ours| Row::at_least("1", "c", "h", 2.0, ours).holds;
        assert_eq!([9.0, 2.0, 1.9, f64::NAN].map(at_least), [true, true, false, false]);
    }

    #[test]
    fn json_has_the_promised_keys() {
        let json = serde_json::to_value(Row::equal("1", "c", "h", 2.0, 0.5, f64::NAN)).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"id": "1", "claim": "c", "seed": 2.0, "ours": null,
                "tolerance": 0.5, "holds": false, "rule": "equal", "how": "h"})
        );
    }

    #[test]
    fn digits_show_small_differences() {
        let cases = [
            (1.402724687, "1.402724687"),
            (320.0, "320"),
            (33.33333333333, "33.33333333"),
            (0.0, "0"),
            (0.1, "0.1"),
            (1.0e10, "10000000000"),
            (f64::NAN, "NaN"),
        ];
        for (x, expected) in cases {
            assert_eq!(digits(x), expected);
        }
    }
}
