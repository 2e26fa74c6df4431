//! Pictures of [Fracas](fracas) worlds, drawn through wgpu, with or without a screen.
//!
//! ```text
//! world, looks → Drawing (columns of corners, particles, lines) → Renderer → view of a window, or Picture → PNG
//! ```

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")
)]

mod camera;
mod caption;
mod colour;
mod drawing;
mod film;
mod gpu;
mod picture;
mod render;
mod stage;
pub mod window;

pub use camera::{Camera, Framing};
pub use drawing::{Drawing, Ellipsoid, Ground, Line, Paint, Vertex};
pub use film::contact_sheet;
pub use fracas::glam;
pub use gpu::{Gpu, GpuError};
pub use picture::{Artist, Picture, PictureError};
pub use render::{Renderer, grid_cell};
pub use stage::{Colour, Overlays, Stage, Style};
pub use wgpu;
