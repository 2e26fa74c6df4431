//! `fracas check`: reads and builds scenes without running them.

use crate::exit::{self, Exit};
use crate::table::{Align, Table, number};
use anyhow::Result;
use fracas::skin::Owners;
use fracas_scene::Scene;
use std::io::{self, Write};

/// Read and build scenes without running them, and tell what they hold.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Scene files, or names of gallery scenes
    #[arg(required = true, value_name = "SCENE")]
    scenes: Vec<String>,
}

/// What a scene holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Bodies.
    pub bodies: usize,
    /// Their particles.
    pub particles: usize,
    /// Their bonds.
    pub bonds: usize,
    /// Their tetrahedra, of models that are made of them.
    pub tets: usize,
    /// Their mass, in kg.
    pub mass: f64,
    /// Materials it defines.
    pub materials: usize,
}

/// Runs the subcommand.
///
/// # Errors
/// If standard output cannot be written; a scene that is wrong is told and chooses the exit code.
pub fn run(arguments: &Arguments) -> Result<Exit> {
    let mut table = Table::new([
        ("scene", Align::Left),
        ("bodies", Align::Right),
        ("particles", Align::Right),
        ("bonds", Align::Right),
        ("tets", Align::Right),
        ("mass kg", Align::Right),
        ("materials", Align::Right),
    ]);
    let mut exit = Exit::Fine;
    for name in &arguments.scenes {
        match contents(name) {
            Ok(contents) => table.row(cells(name, &contents)),
            Err(error) => {
                exit::tell(&error);
                exit = Exit::BadInput;
            }
        }
    }
    if !table.is_empty() {
        write!(io::stdout(), "{table}")?;
    }
    Ok(exit)
}

/// Reads and builds a scene and counts what is in it.
///
/// # Errors
/// What is wrong with it.
pub fn contents(name: &str) -> Result<Contents> {
    let scene = Scene::open(name)?;
    for warning in scene.warnings() {
        eprintln!("{warning}");
    }
    let (world, looks) = scene.build_looks(scene.world_config())?;
    let mut contents = Contents { materials: scene.material_names().len(), ..Contents::default() };
    for id in world.body_ids() {
        let Some(body) = world.body(id) else { continue };
        contents.bodies += 1;
        contents.particles += body.particle_count();
        contents.bonds += body.bond_count();
        contents.mass += body.mass();
    }
    for look in &looks {
        if let Owners::Tets(tets) = &look.skin.owners {
            contents.tets += tets.len();
        }
    }
    Ok(contents)
}

fn cells(name: &str, contents: &Contents) -> [String; 7] {
    [
        name.to_owned(),
        contents.bodies.to_string(),
        contents.particles.to_string(),
        contents.bonds.to_string(),
        contents.tets.to_string(),
        number(contents.mass),
        contents.materials.to_string(),
    ]
}
