//! Sheets of triangles that tear where they are pulled (seed 004).

mod remesh;
pub mod topology;
