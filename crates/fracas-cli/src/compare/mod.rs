//! `fracas compare`: the same experiments with every model that can do them, against theory.

mod experiments;
mod swap;

use crate::exit::Exit;
use crate::output;
use crate::running::{MAX_THREADS, available_threads};
use crate::table::{Align, Table, number};
use anyhow::Result;
use experiments::{Comparison, EXPERIMENTS, Figure};
use fracas_view::bar_chart;
use std::io::{self, Write};
use std::path::PathBuf;

/// Do the same experiments with every model, and compare what comes out with theory.
///
/// A bar is pulled, pulled until it parts, bent, bent until it cracks, spun and dropped: one scene file each, one material, the model
/// swapped. Ends with exit code 4 if Young's modulus is more than 5 % off, or the load at which the pulled bar parts more than 10 %. Times mean
/// something only in a release build on a quiet machine.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Which experiments [default: all]
    #[arg(value_name = "NAME", value_parser = EXPERIMENTS.map(|experiment| experiment.name))]
    experiments: Vec<String>,

    /// With this model alone
    #[arg(long, value_parser = ["oriented", "corotated", "brittle", "meshless", "sheet"])]
    model: Option<String>,

    /// Also write the figures to this file, as comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Also draw measured over theory to this file, a PNG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Threads to run on; the figures do not depend on it [default: one per core]
    #[arg(long, value_name = "T",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_THREADS)))]
    threads: Option<u32>,
}

/// A figure of one experiment with one model.
struct Row {
    experiment: &'static str,
    model: &'static str,
    figure: Figure,
    ms: f64,
}

/// Runs the subcommand.
///
/// # Errors
/// If a scene cannot be built, or a file not be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    for path in arguments.csv.iter().chain(&arguments.plot) {
        output::probe_whole(path)?;
    }
    let threads = arguments.threads.unwrap_or_else(available_threads);
    let mut rows = Vec::new();
    for experiment in EXPERIMENTS {
        let asked = &arguments.experiments;
        if !asked.is_empty() && !asked.iter().any(|name| name == experiment.name) {
            continue;
        }
        for &model in experiment.models {
            if arguments.model.as_ref().is_some_and(|only| only != model) {
                continue;
            }
            let Comparison { figures, ms } = experiment.run(model, threads)?;
            let row = |figure| Row { experiment: experiment.name, model, figure, ms };
            rows.extend(figures.into_iter().map(row));
        }
    }
    write!(io::stdout(), "{}", table(&rows))?;
    if let Some(path) = &arguments.csv {
        output::write_bytes(path, csv(&rows).as_bytes())?;
    }
    if let Some(path) = &arguments.plot {
        output::write_bytes(path, &plot(&rows)?)?;
    }
    let holds = rows.iter().all(|row| row.figure.holds());
    Ok(if holds { Exit::Fine } else { Exit::Failed })
}

fn table(rows: &[Row]) -> Table<8> {
    let mut table = Table::new([
        ("experiment", Align::Left),
        ("model", Align::Left),
        ("figure", Align::Left),
        ("measured", Align::Right),
        ("theory", Align::Right),
        ("ratio", Align::Right),
        ("", Align::Left),
        ("ms", Align::Right),
    ]);
    for Row { experiment, model, figure, ms } in rows {
        let verdict = match figure.within {
            Some(_) if figure.holds() => "holds".to_owned(),
            Some(share) => format!("MISSES {} %", 100.0 * share),
            None => String::new(),
        };
        table.row([
            (*experiment).into(),
            (*model).into(),
            figure.name.into(),
            number(figure.value),
            number(figure.theory),
            number(figure.ratio()),
            verdict,
            number(*ms),
        ]);
    }
    table
}

/// Names are ours and have no quotes in them; those with a comma are quoted.
fn csv(rows: &[Row]) -> String {
    let mut text = "experiment,model,figure,measured,theory,within,ms\n".to_owned();
    for Row { experiment, model, figure: Figure { name, value, theory, within }, ms } in rows {
        let within = within.map_or(String::new(), |share| share.to_string());
        text += &format!("{experiment},{model},\"{name}\",{value},{theory},{within},{ms}\n");
    }
    text
}

/// A bar for every figure that theory has a number other than 0 for.
fn plot(rows: &[Row]) -> Result<Vec<u8>> {
    let bars: Vec<(String, f64)> = rows
        .iter()
        .filter(|row| row.figure.theory != 0.0)
        .map(|row| {
            let name = row.figure.name.split(',').next().unwrap_or_default();
            (format!("{}: {name}, {}", row.experiment, row.model), row.figure.ratio())
        })
        .collect();
    Ok(bar_chart("measured over theory", &bars).to_png()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64) -> Row {
        let figure = Figure { name: "E, Pa", value, theory: 2.0, within: Some(0.05) };
        Row { experiment: "uniaxial", model: "sheet", figure, ms: 1.5 }
    }

    #[test]
    fn a_figure_that_is_too_far_off_is_told() {
        let text = table(&[row(2.0), row(2.2), row(f64::NAN)]).to_string();
        let told: Vec<bool> = text.lines().map(|line| line.contains("MISSES 5 %")).collect();
        assert_eq!(told, [false, false, true, true]);
    }

    #[test]
    fn values_are_separated_by_commas() {
        let wanted = "experiment,model,figure,measured,theory,within,ms\n\
                      uniaxial,sheet,\"E, Pa\",2.2,2,0.05,1.5\n";
        assert_eq!(csv(&[row(2.2)]), wanted);
    }

    #[test]
    fn a_plot_is_a_png() {
        assert_eq!(plot(&[row(2.0)]).unwrap()[1..4], *b"PNG");
    }
}
