//! One function per format: reads bytes that anybody may have written. It must not panic, hang or
//! take memory without bound, and what it accepts must be whole.
//!
//! `cargo +nightly fuzz run obj` mutates the stored corpus with coverage for a guide; the test
//! `fuzz_corpus` of `fracas-scene` replays and mutates it on any compiler.

use fracas::World;
use fracas_scene::files::{self, MeshFile};
use fracas_scene::{Memory, Scene};

/// A target: its name, which is also its folder in `corpus`, and what it runs.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 10] = [
    ("obj", obj),
    ("stl", stl),
    ("ply", ply),
    ("gltf", gltf),
    ("msh", msh),
    ("tetgen", tetgen),
    ("vtk", vtk),
    ("vtu", vtu),
    ("scene", scene),
    ("snapshot", snapshot),
];

/// Stands between the two files of TetGen in one input.
pub const TETGEN_SPLIT: &[u8] = b"\n=== ele ===\n";

/// Wavefront OBJ, faces and curves.
pub fn obj(data: &[u8]) {
    mesh("a.obj", &[("a.obj", data)]);
    let mut assets = Memory::default();
    assets.insert("a.obj", data);
    if let Ok(curves) = files::read_curves("a.obj", &assets) {
        assert!(curves.iter().all(|curve| curve.len() >= 2));
        assert!(curves.iter().flatten().flatten().all(|x| x.is_finite()));
    }
}

/// STL.
pub fn stl(data: &[u8]) {
    mesh("a.stl", &[("a.stl", data)]);
}

/// PLY.
pub fn ply(data: &[u8]) {
    mesh("a.ply", &[("a.ply", data)]);
}

/// glTF and GLB, with a file beside it that buffers may name.
pub fn gltf(data: &[u8]) {
    mesh("a.gltf", &[("a.gltf", data), ("b.bin", &[0x3c; 256])]);
}

/// Gmsh.
pub fn msh(data: &[u8]) {
    mesh("a.msh", &[("a.msh", data)]);
}

/// TetGen: `.node`, the line of [`TETGEN_SPLIT`], `.ele`.
pub fn tetgen(data: &[u8]) {
    let split = data.windows(TETGEN_SPLIT.len()).position(|window| window == TETGEN_SPLIT);
    let (node, ele) = match split {
        Some(at) => (&data[..at + 1], &data[at + TETGEN_SPLIT.len()..]),
        None => data.split_at(data.len() / 2),
    };
    mesh("a.node", &[("a.node", node), ("a.ele", ele)]);
}

/// VTK legacy.
pub fn vtk(data: &[u8]) {
    mesh("a.vtk", &[("a.vtk", data)]);
}

/// VTK XML.
pub fn vtu(data: &[u8]) {
    mesh("a.vtu", &[("a.vtu", data)]);
}

/// Longer scenes are not tried: the parser of TOML takes up to 275 times its input.
const LONGEST_SCENE: usize = 64 << 10;

/// A scene file. It is not built: a few letters may ask for a million particles.
pub fn scene(data: &[u8]) {
    let data = &data[..data.len().min(LONGEST_SCENE)];
    let mut assets = Memory::default();
    assets.insert("a.toml", data);
    match Scene::read(&assets, "a.toml") {
        Ok(scene) => assert!(scene.dt().is_finite() && scene.dt() > 0.0),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A snapshot; the checksum is put right first, or no change would get past it.
pub fn snapshot(data: &[u8]) {
    let mut bytes = data.to_vec();
    if let Some(end) = bytes.len().checked_sub(8) {
        let crc = u64::from(crc32c(&bytes[..end]));
        bytes[end..].copy_from_slice(&crc.to_le_bytes());
    }
    if let Ok(mut world) = World::load(&bytes, 1) {
        assert!(World::load(&world.save(), 1).is_ok(), "what was loaded cannot be saved");
    }
}

/// Reads a mesh, and checks what it gives: indices in range, numbers finite, columns of full length.
fn mesh(path: &str, files: &[(&str, &[u8])]) {
    let mut assets = Memory::default();
    files.iter().for_each(|(path, bytes)| assets.insert(*path, *bytes));
    let (vertices, cells, objects, per_vertex) = match files::read(path, &assets) {
        Err(error) => {
            let message = error.to_string();
            assert!(
                !message.is_empty() && message.len() < 600,
                "a message of {} bytes",
                message.len()
            );
            return;
        }
        Ok(MeshFile::Surface(surface)) => {
            assert!(surface.uvs.is_empty() || surface.uvs.len() == surface.triangles.len());
            assert!(surface.uvs.iter().flatten().flatten().all(|x| x.is_finite()));
            let corners = surface.triangles.iter().flatten();
            assert!(corners.copied().all(|v| (v as usize) < surface.vertices.len()));
            (surface.vertices, surface.triangles.len(), surface.objects, surface.attributes)
        }
        Ok(MeshFile::Tets(mesh)) => {
            assert!(mesh.tets.iter().flatten().all(|&v| (v as usize) < mesh.vertices.len()));
            (mesh.vertices, mesh.tets.len(), mesh.objects, mesh.vertex_attributes)
        }
    };
    assert!(cells > 0, "an empty mesh");
    assert!(vertices.iter().all(|v| v.is_finite()));
    assert!(objects.of.len() == if objects.names.is_empty() { 0 } else { cells });
    assert!(objects.of.iter().all(|&name| (name as usize) < objects.names.len()));
    for attribute in per_vertex {
        assert_eq!(attribute.values.len(), vertices.len());
        assert!(attribute.values.iter().all(|x| x.is_finite()));
    }
}

/// CRC-32C (Castagnoli), bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg())
        })
    })
}
