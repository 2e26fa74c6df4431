//! Mesh files against the real meshio and gmsh: they read ours, we read theirs.
//!
//! Needs `python3` with the modules `meshio` and `gmsh`; without them the tests are skipped and
//! say so.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use fracas::glam::DVec3;
use fracas_mesh::{Attribute, Objects, TetMesh};
use fracas_scene::files::{msh, tetgen, vtk, vtu};
use serde_json::Value;

/// Can the other side run here? Asked once, because starting it takes a second.
fn available() -> bool {
    static AVAILABLE: OnceLock<Result<(), String>> = OnceLock::new();
    let available = AVAILABLE.get_or_init(find_modules);
    if let Err(why) = available {
        eprintln!("skipped: {why}");
    }
    available.is_ok()
}

fn find_modules() -> Result<(), String> {
    let modules = Command::new("python3").args(["-c", "import meshio, gmsh"]).output();
    match modules {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr);
            Err(why.lines().last().unwrap_or("python3 failed").to_owned())
        }
        Err(error) => Err(format!("python3 does not run ({error})")),
    }
}

/// Runs a function of `meshio_gmsh.py` on a path.
fn python(task: &str, path: &Path) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshio_gmsh.py");
    let output =
        Command::new("python3").arg("-B").arg(script).arg(task).arg(path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{task}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(said.lines().last().unwrap()).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Boxes of six tetrahedra each in a row, of unequal width; two objects take turns.
fn boxes() -> TetMesh {
    let mut mesh = TetMesh::default();
    for i in 0..4 {
        let x = 0.1 + f64::from(i) / 3.0;
        for (y, z) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            mesh.vertices.push(DVec3::new(x, y * 0.7, z / 7.0));
        }
    }
    for i in 0..3 {
        // Corner of bits x, y, z; all tetrahedra share the diagonal from 0 to 7.
        let corner = |bits: u32| 4 * (i + (bits & 1)) + (bits >> 1);
        for (p, q) in [(1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1)] {
            mesh.tets.push([0, p, q, 7].map(corner));
        }
    }
    let count = mesh.tets.len();
    mesh.objects = Objects {
        names: vec!["the glass".into(), "a stem & <foot>".into()],
        of: (0..count as u32).map(|tet| tet % 2).collect(),
    };
    let attribute = |name: &str, values: Vec<f32>| Attribute { name: name.into(), values };
    let vertex = |f: fn(DVec3) -> f64| mesh.vertices.iter().map(|&p| f(p) as f32).collect();
    mesh.vertex_attributes = vec![
        attribute("heat", vertex(|p| p.x + 0.1)),
        attribute("flow.x", vertex(|p| p.x)),
        attribute("flow.y", vertex(|p| p.y * 1e-20)),
        attribute("flow.z", vertex(|p| p.z * 1e20)),
    ];
    let fragments = (0..count).map(|tet| (tet / 4) as f32).collect();
    mesh.tet_attributes = vec![attribute("fragment", fragments)];
    mesh
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        Value::String(float) => vec![float.parse().unwrap()],
        integer => vec![integer.as_i64().unwrap() as f64],
    }
}

/// Values of attributes, row after row.
fn rows(attributes: &[Attribute], names: &[&str]) -> Vec<f64> {
    let find = |name: &&str| attributes.iter().find(|a| a.name == *name).unwrap();
    let columns: Vec<_> = names.iter().map(find).collect();
    let count = columns[0].values.len();
    (0..count).flat_map(|row| columns.iter().map(move |c| f64::from(c.values[row]))).collect()
}

/// Equal as the single precision that attributes have.
fn same_singles(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a as f32 == b as f32)
}

fn flat_points(mesh: &TetMesh) -> Vec<f64> {
    mesh.vertices.iter().flat_map(|p| p.to_array()).collect()
}

fn flat_tets(mesh: &TetMesh) -> Vec<f64> {
    mesh.tets.as_flattened().iter().map(|&v| f64::from(v)).collect()
}

const FLOW: [&str; 3] = ["flow.x", "flow.y", "flow.z"];

#[test]
fn meshio_reads_what_we_write() {
    if !available() {
        return;
    }
    let mesh = boxes();
    let folder = folder("meshio-reads");
    let of: Vec<f64> = mesh.objects.of.iter().map(|&o| o.into()).collect();
    for (file, bytes) in [("ours.msh", msh::write(&mesh)), ("ours.vtu", vtu::write(&mesh))] {
        std::fs::write(folder.join(file), bytes).unwrap();
        let theirs = python("read_with_meshio", &folder.join(file));
        assert_eq!(numbers(&theirs["points"]), flat_points(&mesh), "{file}");
        assert_eq!(numbers(&theirs["tets"]), flat_tets(&mesh), "{file}");
        let at = |section: &str, name: &str| numbers(&theirs[section][name]);
        assert!(same_singles(&at("point_data", "heat"), &rows(&mesh.vertex_attributes, &["heat"])));
        assert!(same_singles(&at("point_data", "flow"), &rows(&mesh.vertex_attributes, &FLOW)));
        assert_eq!(at("cell_data", "fragment"), rows(&mesh.tet_attributes, &["fragment"]));
        if file == "ours.msh" {
            let groups: Vec<f64> = of.iter().map(|o| o + 1.0).collect();
            assert_eq!(at("cell_data", "gmsh:physical"), groups);
            assert_eq!(at("field_data", "the glass"), [1.0, 3.0]);
            assert_eq!(at("field_data", "a stem & <foot>"), [2.0, 3.0]);
        } else {
            assert_eq!(at("cell_data", "object"), of);
            let names: Vec<u8> =
                at("field_data", "object names").iter().map(|&byte| byte as u8).collect();
            assert_eq!(names, b"the glass\na stem & <foot>\n");
        }
    }
}

#[test]
fn gmsh_reads_what_we_write() {
    if !available() {
        return;
    }
    let mesh = boxes();
    let path = folder("gmsh-reads").join("ours.msh");
    std::fs::write(&path, msh::write(&mesh)).unwrap();
    let theirs = python("read_with_gmsh", &path);
    assert_eq!(numbers(&theirs["points"]), flat_points(&mesh));
    assert_eq!(numbers(&theirs["tets"]), flat_tets(&mesh));
    let volume = 0.7 / 7.0;
    assert!((numbers(&theirs["volume"])[0] - volume).abs() < 1e-12);
    assert!((mesh.volume() - volume).abs() < 1e-12);
    let data = |name: &str| numbers(&theirs["data"][name]);
    assert!(same_singles(&data("NodeData heat"), &rows(&mesh.vertex_attributes, &["heat"])));
    assert!(same_singles(&data("NodeData flow"), &rows(&mesh.vertex_attributes, &FLOW)));
    assert_eq!(data("ElementData fragment"), rows(&mesh.tet_attributes, &["fragment"]));
    for (object, name) in (0..).zip(&mesh.objects.names) {
        let inside: Vec<f64> = (0..mesh.tets.len())
            .filter(|&tet| mesh.objects.of[tet] == object)
            .map(|tet| tet as f64)
            .collect();
        assert_eq!(numbers(&theirs["groups"][name]), inside, "{name}");
    }

    // Without objects and data it is still a mesh.
    let bare =
        TetMesh { vertices: mesh.vertices.clone(), tets: mesh.tets.clone(), ..TetMesh::default() };
    std::fs::write(&path, msh::write(&bare)).unwrap();
    let theirs = python("read_with_gmsh", &path);
    assert_eq!(numbers(&theirs["tets"]), flat_tets(&mesh));
}

#[test]
fn we_read_what_gmsh_writes() {
    if !available() {
        return;
    }
    let folder = folder("gmsh-writes");
    let files = python("write_with_gmsh", &folder);
    let files = files.as_object().unwrap();
    assert_eq!(files.len(), 16);
    for (file, truth) in files {
        let mesh = msh::read(&std::fs::read(folder.join(file)).unwrap());
        let mesh = mesh.unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(mesh.tets.len() as u64, truth["tets"].as_u64().unwrap(), "{file}");
        assert!((mesh.volume() - numbers(&truth["volume"])[0]).abs() < 1e-9, "{file}");
        if let Some(groups) = truth["groups"].as_object() {
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            for tet in 0..mesh.tets.len() {
                let object = mesh.objects.get(tet).unwrap() as usize;
                *counts.entry(&mesh.objects.names[object]).or_default() += 1;
            }
            let groups: BTreeMap<&str, u64> =
                groups.iter().map(|(name, n)| (name.as_str(), n.as_u64().unwrap())).collect();
            assert_eq!(counts, groups, "{file}");
        }
    }
}

#[test]
fn we_read_the_views_that_gmsh_writes() {
    if !available() {
        return;
    }
    let folder = folder("gmsh-views");
    let files = python("write_views_with_gmsh", &folder);
    let files = files.as_object().unwrap();
    assert_eq!(files.len(), 4);
    for (file, truth) in files {
        let mesh = msh::read(&std::fs::read(folder.join(file)).unwrap());
        let mesh = mesh.unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(mesh.tets.len() as u64, truth["tets"].as_u64().unwrap(), "{file}");
        assert_eq!(mesh.vertices.len() as u64, truth["points"].as_u64().unwrap(), "{file}");
        // The views hold functions of the position, so they are known without the file. ASCII
        // files of gmsh have 16 digits, and centres are summed in another order.
        let heat = rows(&mesh.vertex_attributes, &["heat"]);
        for (p, heat) in mesh.vertices.iter().zip(heat) {
            assert!((p.x + 2.0 * p.y + 4.0 * p.z - heat).abs() < 1e-6, "{file}");
        }
        let flow = rows(&mesh.tet_attributes, &FLOW);
        for (tet, flow) in flow.chunks(3).enumerate() {
            assert!(mesh.centre(tet).distance(DVec3::from_slice(flow)) < 1e-6, "{file}");
        }
    }
}

#[test]
fn we_read_what_meshio_writes() {
    if !available() {
        return;
    }
    let folder = folder("meshio-writes");
    let truth = python("write_with_meshio", &folder);
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
    for file in [
        "meshio-4.2-0.vtk",
        "meshio-4.2-1.vtk",
        "meshio-5.1-0.vtk",
        "meshio-5.1-1.vtk",
        "meshio-ascii.vtu",
        "meshio-binary.vtu",
        "meshio-zlib.vtu",
        "meshio-2.2-0.msh",
        "meshio-2.2-1.msh",
        "meshio-4.1-0.msh",
        "meshio-4.1-1.msh",
    ] {
        let bytes = read(file);
        let mesh = match &file[file.len() - 4..] {
            ".vtk" => vtk::read(&bytes),
            ".vtu" => vtu::read(&bytes),
            _ => msh::read(&bytes),
        };
        let mesh = mesh.unwrap_or_else(|error| panic!("{file}: {error}"));
        // Text of meshio has 11 to 17 digits, depending on the format.
        let points = flat_points(&mesh);
        let truth_points = numbers(&truth["points"]);
        assert_eq!(points.len(), truth_points.len(), "{file}");
        assert!(points.iter().zip(&truth_points).all(|(a, b)| (a - b).abs() < 1e-9), "{file}");
        assert_eq!(flat_tets(&mesh), numbers(&truth["tets"]), "{file}");
        let close = |a: &[f64], b: &Value| {
            let b = numbers(b);
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6)
        };
        assert!(close(&rows(&mesh.vertex_attributes, &["heat"]), &truth["heat"]), "{file}");
        assert!(close(&rows(&mesh.vertex_attributes, &FLOW), &truth["flow"]), "{file}");
        let load = rows(&mesh.tet_attributes, &["load.x", "load.y", "load.z"]);
        assert!(close(&load, &truth["load"]), "{file}");
        assert!(close(&rows(&mesh.tet_attributes, &["ident"]), &truth["ident"]), "{file}");
    }

    let mesh = tetgen::read(&read("meshio.node"), &read("meshio.ele")).unwrap();
    assert_eq!(flat_points(&mesh), numbers(&truth["points"]));
    assert_eq!(flat_tets(&mesh), numbers(&truth["tets"]));
    assert_eq!(rows(&mesh.tet_attributes, &["region"]), numbers(&truth["ident"]));
    let heat = rows(&mesh.vertex_attributes, &["attribute1"]);
    assert!(same_singles(&heat, &numbers(&truth["heat"])));
}
