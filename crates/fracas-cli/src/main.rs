//! The program `fracas`: run, check and measure scenes of things that break.
//!
//! One file per subcommand. Each takes its arguments, turns them into checked options, works and
//! writes; libraries return typed errors, and only here they get a file name and an exit code.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")
)]

mod bench;
mod check;
mod clock;
mod compare;
mod exit;
mod film;
mod frames;
mod mesh;
mod output;
mod paper;
mod picture;
mod progress;
mod replay;
mod run;
mod running;
mod scenes;
mod stats;
mod studio;
mod table;
mod view;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Real-time deformation and fracture: run, check and measure scenes.
#[derive(Debug, Parser)]
#[command(name = "fracas", version, after_help = exit::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    View(view::Arguments),
    Run(run::Arguments),
    Picture(picture::Arguments),
    Film(film::Arguments),
    Check(check::Arguments),
    Scenes(scenes::Arguments),
    Mesh(mesh::Arguments),
    Bench(bench::Arguments),
    Paper(paper::Arguments),
    Compare(compare::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::View(arguments) => view::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Picture(arguments) => picture::run(&arguments),
        Command::Film(arguments) => film::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Scenes(arguments) => scenes::run(&arguments),
        Command::Mesh(arguments) => mesh::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Paper(arguments) => paper::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
    };
    exit::report(result).into()
}
