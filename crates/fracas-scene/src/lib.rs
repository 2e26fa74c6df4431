//! Scene files for Fracas: what exists at the start, how it is computed, seen from where.
//!
//! A scene is one TOML file, see `docs/scenes.md`. [`Scene::open`] reads one from the gallery or
//! the disk, [`Scene::build`] makes a world of it. What is wrong with a file is told once, with
//! the line, a caret under the token, what is allowed there and what was probably meant:
//!
//! ```
//! use fracas_scene::Scene;
//!
//! let text = r#"
//! format = 1
//! title = "A rubber ball falls"
//!
//! [materials.rubber]
//! preset = "rubber"
//! densty = 950
//!
//! [[bodies]]
//! name = "ball"
//! material = "rubber"
//! shape = { kind = "sphere", radius = 0.1, particles = 200 }
//! "#;
//! let error = Scene::parse("ball.toml", text).unwrap_err();
//! assert!(error.to_string().starts_with(
//! "error: material `rubber` has no field `densty`
//!  --> ball.toml:7:1
//!   |
//! 7 | densty = 950
//!   | ^^^^^^ did you mean `density`?"));
//!
//! let scene = Scene::parse("ball.toml", &text.replace("densty", "density"))?;
//! assert_eq!(scene.title(), "A rubber ball falls");
//! assert_eq!(scene.body_names(), ["ball"]);
//! let world = scene.build(1)?;
//! assert_eq!(world.body_ids().count(), 1);
//! # Ok::<(), fracas_scene::SceneError>(())
//! ```
//!
//! To run one:
//!
//! ```no_run
//! use fracas_scene::Scene;
//!
//! let scene = Scene::open("falling-bar")?;
//! let mut world = scene.build(2)?;
//! for _ in 0..scene.frames() {
//!     world.step(scene.dt());
//! }
//! # Ok::<(), fracas_scene::SceneError>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that fails may panic"))]

mod assets;
mod attachments;
mod blades;
mod bodies;
mod build;
mod cache;
mod document;
mod error;
mod fields;
pub mod files;
mod format;
mod gallery;
mod grips;
mod materials;
pub mod meshes;
mod nearest;
mod obstacles;
pub mod play;
mod reader;
mod scene;
mod schema;
mod shapes;
mod syntax;
#[cfg(test)]
mod tests;

pub use assets::{AssetError, Assets, Folder, Memory};
pub use build::Look;
pub use error::{Diagnostic, Problem, SceneError, Severity};
pub use gallery::{GalleryScene, experiments, gallery};
pub use materials::model_uses;
pub use scene::{Camera, Scene};
pub use schema::schema;

/// The examples of the README, compiled and run with the others.
#[doc = include_str!("../../../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
