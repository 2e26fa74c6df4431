//! `fracas scenes`: what the gallery holds.

use crate::exit::Exit;
use crate::table::{Align, Table};
use anyhow::Result;
use std::io::{self, Write};

/// List the gallery, or print the JSON schema of scene files.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Print the JSON schema of scene files instead
    #[arg(long)]
    schema: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    let mut out = io::stdout().lock();
    if arguments.schema {
        writeln!(out, "{:#}", fracas_scene::schema())?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new([("scene", Align::Left), ("what to watch", Align::Left)]);
    for scene in fracas_scene::gallery() {
        table.row([scene.name.to_owned(), scene.title.to_owned()]);
    }
    write!(out, "{table}")?;
    Ok(Exit::Fine)
}
