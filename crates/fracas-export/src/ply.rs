//! PLY 1.0, binary, little endian: one file per frame.
//!
//! | element | property | what it is |
//! | --- | --- | --- |
//! | vertex | `x y z` | position, in m |
//! | | `nx ny nz` | normal; zeros of loose points |
//! | | `s t` | texture coordinates, if the frame has any |
//! | | `red green blue` | colour, in sRGB |
//! | | `body` | number of the body in the scene |
//! | | `piece` | id of the piece; 0 of loose points |
//! | | `material` | index into the body's materials |
//! | | `inside` | 1 on faces that were inside the solid, and of loose points |
//! | | `radius` | 0 of vertices of triangles; of loose points in m |
//! | | `kind` | 0 of vertices of triangles, 1 of chips, 2 of dust |
//! | face | `vertex_indices` | three vertices, counter-clockwise seen from outside |
//! | | `piece`, `inside` | those of its first vertex |
//!
//! Loose points come after all vertices of triangles. Names and order are those that Blender
//! knows; it keeps the others of vertices as attributes, as floats (numbers above 2²⁴ are rounded),
//! and skips those of faces.

use std::io::{self, Write};

use crate::frame::{Frame, Point, PointKind};

/// Bytes that are gathered before they are handed on.
const CHUNK: usize = 1 << 20;

/// Writes a frame as a whole file.
///
/// # Errors
/// A [`FrameError`](crate::FrameError) as `InvalidInput`, before anything is written; otherwise
/// whatever `to` says.
pub fn write(frame: &Frame, to: &mut impl Write) -> io::Result<()> {
    frame.check().map_err(|fault| io::Error::new(io::ErrorKind::InvalidInput, fault))?;
    let mut out = Chunks { bytes: Vec::with_capacity(CHUNK + 4096), to };
    out.bytes.extend(header(frame).into_bytes());
    for k in 0..frame.positions.len() {
        out.vertex(&Vertex::of_surface(frame, k))?;
    }
    for point in &frame.points {
        out.vertex(&Vertex::of_point(frame, point))?;
    }
    for &corners in &frame.triangles {
        let first = corners[0] as usize;
        out.face(corners, frame.pieces[first], frame.inside[first])?;
    }
    out.finish()
}

fn header(frame: &Frame) -> String {
    let Frame { number, time, .. } = frame;
    let version = env!("CARGO_PKG_VERSION");
    let vertices = frame.positions.len() + frame.points.len();
    let faces = frame.triangles.len();
    let uvs = if frame.uvs.is_empty() { "" } else { "property float s\nproperty float t\n" };
    format!(
        "\
ply
format binary_little_endian 1.0
comment made by Fracas {version}
comment frame {number}, time {time} s
comment lengths in m, colours in sRGB
comment inside: 1 on faces that were inside the solid
comment radius: 0 on the surface, above 0 of loose points
comment kind: 0 surface, 1 chip, 2 dust
element vertex {vertices}
property float x
property float y
property float z
property float nx
property float ny
property float nz
{uvs}property uchar red
property uchar green
property uchar blue
property uint body
property uint piece
property ushort material
property uchar inside
property float radius
property uchar kind
element face {faces}
property list uchar uint vertex_indices
property uint piece
property uchar inside
end_header
"
    )
}

/// One row of the element `vertex`.
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    uv: Option<[f32; 2]>,
    colour: [u8; 3],
    body: u32,
    piece: u32,
    material: u16,
    inside: bool,
    radius: f32,
    kind: u8,
}

impl Vertex {
    fn of_surface(frame: &Frame, k: usize) -> Self {
        Self {
            position: frame.positions[k],
            normal: frame.normals[k],
            uv: frame.uvs.get(k).copied(),
            colour: frame.colours[k],
            body: frame.bodies[k],
            piece: frame.pieces[k],
            material: frame.materials[k],
            inside: frame.inside[k],
            radius: 0.0,
            kind: 0,
        }
    }

    fn of_point(frame: &Frame, point: &Point) -> Self {
        Self {
            position: point.position,
            normal: [0.0; 3],
            uv: (!frame.uvs.is_empty()).then_some([0.0; 2]),
            colour: point.colour,
            body: point.body,
            piece: 0,
            material: point.material,
            inside: true,
            radius: point.radius,
            kind: match point.kind {
                PointKind::Chip => 1,
                PointKind::Dust => 2,
            },
        }
    }
}

/// Gathers rows, so that a file is a few large writes.
struct Chunks<'a, W> {
    bytes: Vec<u8>,
    to: &'a mut W,
}

impl<W: Write> Chunks<'_, W> {
    fn vertex(&mut self, vertex: &Vertex) -> io::Result<()> {
        self.floats(&vertex.position);
        self.floats(&vertex.normal);
        if let Some(uv) = vertex.uv {
            self.floats(&uv);
        }
        self.bytes.extend(vertex.colour);
        self.bytes.extend(vertex.body.to_le_bytes());
        self.bytes.extend(vertex.piece.to_le_bytes());
        self.bytes.extend(vertex.material.to_le_bytes());
        self.bytes.push(vertex.inside.into());
        self.floats(&[vertex.radius]);
        self.bytes.push(vertex.kind);
        self.hand_on()
    }

    fn face(&mut self, corners: [u32; 3], piece: u32, inside: bool) -> io::Result<()> {
        self.bytes.push(3);
        for corner in corners {
            self.bytes.extend(corner.to_le_bytes());
        }
        self.bytes.extend(piece.to_le_bytes());
        self.bytes.push(inside.into());
        self.hand_on()
    }

    fn floats(&mut self, values: &[f32]) {
        for value in values {
            self.bytes.extend(value.to_le_bytes());
        }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        if self.bytes.len() < CHUNK {
            return Ok(());
        }
        self.to.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        self.to.write_all(&self.bytes)?;
        self.to.flush()
    }
}
