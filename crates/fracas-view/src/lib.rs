//! Pictures of [Fracas](fracas) worlds, drawn through wgpu, with or without a screen.
//!
//! ```text
//! world, looks → Stage → Shown ─┬─────────────────────────────→ Renderer → view of a window, or Picture → PNG
//!                               └→ CpuSkins → Drawing (columns) ──┘
//! ```

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")
)]

mod camera;
mod caption;
mod chart;
mod colour;
mod cpu_skins;
mod drawing;
mod film;
mod gpu;
mod picture;
mod render;
mod scale;
mod shown;
mod stage;
pub mod window;

pub use camera::{Camera, Framing};
pub use chart::bar_chart;
pub use cpu_skins::CpuSkins;
pub use drawing::{Drawing, Ellipsoid, Ground, Line, Paint, Vertex};
pub use film::contact_sheet;
pub use fracas::glam;
pub use gpu::{Gpu, GpuError};
pub use picture::{Artist, Picture, PictureError};
pub use render::{Quality, Renderer, SkinOnDevice, grid_cell};
pub use scale::{Ends, Quantity, Scale};
pub use shown::{Shown, ShownSkin};
pub use stage::{Colour, Overlays, Stage, Style};
pub use wgpu;
