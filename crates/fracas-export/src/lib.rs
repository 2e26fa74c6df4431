//! Frames as files that other programs read, one module per format.
//!
//! A [`Frame`] is everything that can be seen at one moment, as plain columns. It knows nothing of
//! worlds; whoever has one fills it body by body:
//!
//! ```
//! use fracas_export::{Frame, ply};
//!
//! let body = Frame {
//!     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!     normals: vec![[0.0, 0.0, 1.0]; 3],
//!     colours: vec![[200, 180, 160]; 3],
//!     bodies: vec![0; 3],
//!     pieces: vec![1; 3],
//!     materials: vec![0; 3],
//!     inside: vec![false; 3],
//!     triangles: vec![[0, 1, 2]],
//!     ..Frame::default()
//! };
//! let mut frame = Frame { number: 12, time: 0.2, ..Frame::default() };
//! frame.append(body);
//! let mut file = Vec::new();
//! ply::write(&frame, &mut file)?;
//! assert!(file.starts_with(b"ply\nformat binary_little_endian 1.0\n"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod frame;
pub mod ply;

pub use frame::{Frame, FrameError, Point, PointKind};
