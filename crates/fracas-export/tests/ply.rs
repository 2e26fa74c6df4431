//! Frames written as PLY, read back by a library that knows nothing of the writer.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::{points, sheet};
use fracas_export::{Frame, FrameError, PointKind, ply};
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Encoding, Ply, Property};
use std::io::{self, Write};
use std::time::Instant;

fn written(frame: &Frame) -> Vec<u8> {
    let mut file = Vec::new();
    ply::write(frame, &mut file).unwrap();
    file
}

fn read(mut file: &[u8]) -> Ply<DefaultElement> {
    let ply = Parser::<DefaultElement>::new().read_ply(&mut file).unwrap();
    assert!(file.is_empty(), "{} bytes are left after the last face", file.len());
    ply
}

fn floats<const N: usize>(names: [&str; N], values: [f32; N]) -> Vec<(String, Property)> {
    names.into_iter().zip(values).map(|(name, x)| (name.to_owned(), Property::Float(x))).collect()
}

/// The rows of `vertex` as the format promises them.
fn expected_vertices(frame: &Frame) -> Vec<Vec<(String, Property)>> {
    let surface = (0..frame.positions.len()).map(|k| {
        let uv = frame.uvs.get(k).copied();
        let marks = (frame.bodies[k], frame.pieces[k], frame.materials[k], frame.inside[k]);
        row(frame.positions[k], frame.normals[k], uv, frame.colours[k], marks, 0.0, 0)
    });
    let uv = (!frame.uvs.is_empty()).then_some([0.0; 2]);
    let loose = frame.points.iter().map(|point| {
        let kind = if point.kind == PointKind::Chip { 1 } else { 2 };
        let marks = (point.body, 0, point.material, true);
        row(point.position, [0.0; 3], uv, point.colour, marks, point.radius, kind)
    });
    surface.chain(loose).collect()
}

fn row(
    position: [f32; 3],
    normal: [f32; 3],
    uv: Option<[f32; 2]>,
    colour: [u8; 3],
    (body, piece, material, inside): (u32, u32, u16, bool),
    radius: f32,
    kind: u8,
) -> Vec<(String, Property)> {
    let mut row = floats(["x", "y", "z"], position);
    row.extend(floats(["nx", "ny", "nz"], normal));
    row.extend(uv.into_iter().flat_map(|uv| floats(["s", "t"], uv)));
    let colours = ["red", "green", "blue"].into_iter().zip(colour);
    row.extend(colours.map(|(name, value)| (name.to_owned(), Property::UChar(value))));
    row.push(("body".into(), Property::UInt(body)));
    row.push(("piece".into(), Property::UInt(piece)));
    row.push(("material".into(), Property::UShort(material)));
    row.push(("inside".into(), Property::UChar(inside.into())));
    row.push(("radius".into(), Property::Float(radius)));
    row.push(("kind".into(), Property::UChar(kind)));
    row
}

fn expected_faces(frame: &Frame) -> Vec<Vec<(String, Property)>> {
    let face = |corners: &[u32; 3]| {
        let first = corners[0] as usize;
        vec![
            ("vertex_indices".to_owned(), Property::ListUInt(corners.to_vec())),
            ("piece".to_owned(), Property::UInt(frame.pieces[first])),
            ("inside".to_owned(), Property::UChar(frame.inside[first].into())),
        ]
    };
    frame.triangles.iter().map(face).collect()
}

fn assert_rows(ply: &Ply<DefaultElement>, element: &str, expected: &[Vec<(String, Property)>]) {
    let rows = ply.payload.get(element).map_or(&[][..], |rows| rows);
    assert_eq!(rows.len(), expected.len(), "{element}");
    for (k, (row, expected)) in rows.iter().zip(expected).enumerate() {
        let row: Vec<_> = row.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        assert_eq!(&row, expected, "{element} {k}");
    }
}

fn assert_reads_back(frame: &Frame) {
    let ply = read(&written(frame));
    assert_eq!(ply.header.encoding, Encoding::BinaryLittleEndian);
    assert_rows(&ply, "vertex", &expected_vertices(frame));
    assert_rows(&ply, "face", &expected_faces(frame));
}

#[test]
fn every_value_reads_back() {
    for uvs in [false, true] {
        for loose in [0, 5] {
            assert_reads_back(&Frame { points: points(loose), ..sheet(9, uvs) });
        }
    }
    assert_reads_back(&Frame { points: points(3), ..Frame::default() });
}

/// More than one chunk of bytes.
#[test]
fn large_frames_read_back() {
    assert_reads_back(&Frame { points: points(2000), ..sheet(200, true) });
}

#[test]
fn the_header_is_this_one() {
    let file = written(&Frame { points: points(2), ..sheet(1, true) });
    let end = file.windows(11).position(|word| word == b"end_header\n").unwrap() + 11;
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "\
ply
format binary_little_endian 1.0
comment made by Fracas {version}
comment frame 7, time 0.125 s
comment lengths in m, colours in sRGB
comment inside: 1 on faces that were inside the solid
comment radius: 0 on the surface, above 0 of loose points
comment kind: 0 surface, 1 chip, 2 dust
element vertex 6
property float x
property float y
property float z
property float nx
property float ny
property float nz
property float s
property float t
property uchar red
property uchar green
property uchar blue
property uint body
property uint piece
property ushort material
property uchar inside
property float radius
property uchar kind
element face 2
property list uchar uint vertex_indices
property uint piece
property uchar inside
end_header
"
    );
    assert_eq!(str::from_utf8(&file[..end]).unwrap(), expected);
    assert_eq!(file.len(), end + 6 * 51 + 2 * 18);
}

#[test]
fn an_empty_frame_is_a_valid_file() {
    let file = written(&Frame::default());
    assert!(file.ends_with(b"end_header\n"));
    assert_reads_back(&Frame::default());
}

#[test]
fn bodies_are_appended_with_their_triangles() {
    let mut frame = Frame { number: 40, time: 2.0, ..Frame::default() };
    let plain = Frame { points: points(3), ..sheet(2, false) };
    frame.append(plain.clone());
    assert_eq!(frame, Frame { number: 40, time: 2.0, ..plain });
    frame.append(sheet(3, true));
    frame.append(sheet(1, false));
    frame.check().unwrap();
    assert_eq!(frame.positions.len(), 9 + 16 + 4);
    assert_eq!(frame.triangles[8], sheet(3, true).triangles[0].map(|corner| corner + 9));
    assert_eq!(frame.triangles[8 + 18], sheet(1, false).triangles[0].map(|corner| corner + 25));
    assert_eq!(frame.uvs[8..10], [[0.0; 2], sheet(3, true).uvs[0]]);
    assert_eq!(frame.uvs[25..], [[0.0; 2]; 4]);
    assert_reads_back(&frame);
}

/// What `check` says to a frame changed by `fault`; nothing may be written of it.
fn refused(fault: impl FnOnce(&mut Frame)) -> FrameError {
    let mut frame = Frame { points: points(2), ..sheet(2, true) };
    fault(&mut frame);
    let mut file = Vec::new();
    let error = ply::write(&frame, &mut file).unwrap_err();
    assert!(file.is_empty(), "{} bytes were written", file.len());
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    let inner = error.get_ref().unwrap().downcast_ref::<FrameError>();
    assert_eq!(inner.copied(), frame.check().err());
    *inner.unwrap()
}

#[test]
fn columns_of_other_lengths_are_refused() {
    let message = refused(|frame| frame.pieces.truncate(4)).to_string();
    assert_eq!(message, "the frame has 9 vertices, but 4 pieces");
    type Shorten = fn(&mut Frame);
    let shortened: [(&str, Shorten); 7] = [
        ("normals", |frame| frame.normals.truncate(8)),
        ("uvs", |frame| frame.uvs.truncate(8)),
        ("colours", |frame| frame.colours.truncate(8)),
        ("bodies", |frame| frame.bodies.truncate(8)),
        ("pieces", |frame| frame.pieces.truncate(8)),
        ("materials", |frame| frame.materials.truncate(8)),
        ("inside", |frame| frame.inside.truncate(8)),
    ];
    for (column, shorten) in shortened {
        assert_eq!(refused(shorten), FrameError::Length { column, length: 8, vertices: 9 });
    }
}

/// Loose points are no corners, although they are vertices of the file.
#[test]
fn triangles_of_vertices_that_do_not_exist_are_refused() {
    let message = refused(|frame| frame.triangles[5][2] = 9).to_string();
    assert_eq!(message, "triangle 5 names vertex 9, but there are 9");
    let far = refused(|frame| frame.triangles[0][0] = u32::MAX);
    assert_eq!(far, FrameError::NoVertex { triangle: 0, vertex: u32::MAX, count: 9 });
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let not_finite = |column, index| FrameError::NotFinite { column, index };
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let position = refused(|frame| frame.positions[3][1] = bad);
        assert_eq!(position, not_finite("positions", 3));
        assert_eq!(refused(|frame| frame.normals[8][2] = bad), not_finite("normals", 8));
        assert_eq!(refused(|frame| frame.uvs[0][0] = bad), not_finite("uvs", 0));
        let point = refused(|frame| frame.points[1].position[0] = bad);
        assert_eq!(point, not_finite("points", 1));
        assert_eq!(refused(|frame| frame.points[1].radius = bad), not_finite("points", 1));
        assert_eq!(refused(|frame| frame.time = bad.into()), not_finite("time", 0));
    }
    let message = not_finite("normals", 8).to_string();
    assert_eq!(message, "normals: the value at index 8 is not finite");
    for radius in [0.0, -1.0] {
        let flat = refused(|frame| frame.points[1].radius = radius);
        assert_eq!(flat, FrameError::NoRadius { index: 1, radius });
    }
}

/// Takes some bytes and then no more, as a full disk does; counts the writes.
struct Disk {
    room: usize,
    writes: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told() {
    let frame = sheet(300, false);
    for room in [0, 10, 3_000_000] {
        let error = ply::write(&frame, &mut Disk { room, writes: 0 }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn half_a_million_vertices_take_well_under_a_second() {
    let frame = sheet(707, true);
    let mut disk = Disk { room: usize::MAX, writes: 0 };
    let start = Instant::now();
    ply::write(&frame, &mut disk).unwrap();
    let taken = start.elapsed();
    let (vertices, bytes) = (frame.positions.len(), usize::MAX - disk.room);
    println!(
        "{vertices} vertices and {} triangles, {:.1} MB in {} writes, took {:.0} ms",
        frame.triangles.len(),
        1e-6 * bytes as f64,
        disk.writes,
        1e3 * taken.as_secs_f64()
    );
    assert!(vertices > 500_000 && disk.writes < 100);
    assert!(taken.as_secs_f64() < 1.0, "{taken:?}");
}
