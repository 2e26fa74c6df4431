//! Files of tetrahedra: every variant that is read, what is written, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod gmsh;
mod round_trips;
mod tetgen_files;
mod vtk_files;
mod vtu_files;

use fracas::glam::DVec3;
use fracas_mesh::{Attribute, Objects, TetMesh};
use fracas_scene::files::{MeshFileError, msh, tetgen, vtk, vtu};
use proptest::prelude::*;

/// Two tetrahedra that share a face, with data. All samples below hold this mesh.
fn sample() -> TetMesh {
    let p = DVec3::new;
    TetMesh {
        vertices: vec![
            p(0.0, 0.0, 0.0),
            p(1.0, 0.0, 0.0),
            p(0.0, 1.0, 0.0),
            p(0.0, 0.0, 1.5),
            p(0.1, 0.2, -2e-3),
        ],
        tets: vec![[0, 1, 2, 3], [0, 2, 1, 4]],
        objects: Objects::NONE,
        vertex_attributes: vec![attribute("heat", &[1.0, 2.0, 3.5, -4.0, 5e-3])],
        tet_attributes: vec![
            attribute("load.x", &[1.0, 4.0]),
            attribute("load.y", &[2.0, 5.0]),
            attribute("load.z", &[3.0, 6.0]),
        ],
    }
}

fn attribute(name: &str, values: &[f32]) -> Attribute {
    Attribute { name: name.to_owned(), values: values.to_vec() }
}

fn objects(names: &[&str], of: &[u32]) -> Objects {
    Objects { names: names.iter().map(|&name| name.to_owned()).collect(), of: of.to_vec() }
}

/// Order of bytes of a binary file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Little,
    Big,
}

/// Bytes of a binary file under construction.
struct Bytes(Vec<u8>, Order);

impl Bytes {
    fn put<const N: usize>(&mut self, little: [u8; N]) {
        let mut bytes = little;
        if self.1 == Order::Big {
            bytes.reverse();
        }
        self.0.extend(bytes);
    }

    fn ints(&mut self, values: &[i32]) {
        values.iter().for_each(|v| self.put(v.to_le_bytes()));
    }

    fn longs(&mut self, values: &[i64]) {
        values.iter().for_each(|v| self.put(v.to_le_bytes()));
    }

    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|v| self.put(v.to_le_bytes()));
    }

    fn doubles(&mut self, values: &[f64]) {
        values.iter().for_each(|v| self.put(v.to_le_bytes()));
    }

    fn text(&mut self, text: &str) {
        self.0.extend(text.bytes());
    }
}

/// For each row, replaces the first text by the second in a good file, once, and expects an error
/// that begins with the third.
fn refused(
    read: fn(&[u8]) -> Result<TetMesh, MeshFileError>,
    sample: &str,
    table: &[(&str, &str, &str)],
) {
    let mut failures = String::new();
    for (good, bad, message) in table {
        assert!(sample.contains(good), "{good:?} is not in the sample");
        let text = sample.replacen(good, bad, 1);
        match read(text.as_bytes()) {
            Ok(_) => failures += &format!("{bad:?} was read, but should say: {message}\n"),
            Err(error) if error.to_string().starts_with(message) => {}
            Err(error) => failures += &format!("{bad:?} says\n  {error}\nand not\n  {message}\n"),
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Every file cut short at every byte is refused or read, and never a panic.
#[test]
fn files_cut_short_never_panic() {
    let texts = [gmsh::ASCII_2, gmsh::ASCII_4, vtk_files::ASCII_4, vtu_files::ASCII];
    for (which, text) in texts.into_iter().enumerate() {
        for end in 0..text.len() {
            let file = &text.as_bytes()[..end];
            let read = match which {
                0 | 1 => msh::read(file),
                2 => vtk::read(file),
                _ => vtu::read(file),
            };
            if let Err(error) = read {
                assert_ne!(error.place, fracas_scene::files::Place::File, "{error}");
            }
        }
    }
}

/// Counts in headers are claims: with nothing behind them they cost nothing.
#[test]
fn huge_counts_are_refused_at_once() {
    let huge = "9000000000000000000";
    for (sample, good) in [(gmsh::ASCII_2, "$Nodes\n5"), (gmsh::ASCII_2, "$Elements\n4")] {
        let bad = good.replace(['5', '4'], huge);
        assert!(msh::read(sample.replace(good, &bad).as_bytes()).is_err());
    }
    for good in ["POINTS 5", "CELLS 3", "CELL_TYPES 3", "POINT_DATA 5", "load 3", "TIME 1"] {
        let bad = format!("{} {huge}", good.split(' ').next().unwrap());
        assert!(vtk::read(vtk_files::ASCII_4.replace(good, &bad).as_bytes()).is_err());
    }
    let node = format!("{huge} 3 {huge} 1\n1 0 0 0\n");
    assert!(tetgen::read(node.as_bytes(), b"").is_err());
}
