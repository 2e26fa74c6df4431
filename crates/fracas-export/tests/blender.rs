//! Blender opens what is written, where Blender is installed.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::{points, sheet};
use fracas_export::{Frame, ply};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Imports the file that its last argument names and tells what came in.
const SCRIPT: &str = "
import bpy, sys
bpy.ops.wm.read_factory_settings(use_empty=True)
if 'ply_import' in dir(bpy.ops.wm):
    bpy.ops.wm.ply_import(filepath=sys.argv[-1])
else:
    bpy.ops.import_mesh.ply(filepath=sys.argv[-1])
mesh = next(thing.data for thing in bpy.data.objects if thing.type == 'MESH')
print('FRACAS vertices', len(mesh.vertices))
print('FRACAS faces', len(mesh.polygons))
print('FRACAS colours', len(mesh.color_attributes))
print('FRACAS uvs', len(mesh.uv_layers))
print('FRACAS version', '.'.join(map(str, bpy.app.version)))
piece = mesh.attributes.get('piece')
if piece is not None:
    print('FRACAS piece', int(piece.data[1].value))
";

/// Something that runs the script: Blender itself, or Python with its module.
fn blender(file: &Path) -> Option<Command> {
    if runs("blender", &["--version"]) {
        let mut command = Command::new("blender");
        command.args(["-b", "--factory-startup", "--python-expr", SCRIPT, "--"]).arg(file);
        return Some(command);
    }
    if runs("python3", &["-c", "import bpy"]) {
        let mut command = Command::new("python3");
        command.args(["-c", SCRIPT]).arg(file);
        return Some(command);
    }
    None
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A file that is removed at the end.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn blender_opens_a_frame() {
    let name = format!("fracas-blender-{}.ply", std::process::id());
    let file = Temporary(std::env::temp_dir().join(name));
    let Some(mut command) = blender(&file.0) else {
        println!("skipped: neither `blender` nor the Python module `bpy` is installed");
        return;
    };
    let frame = Frame { points: points(5), ..sheet(9, true) };
    ply::write(&frame, &mut fs::File::create(&file.0).unwrap()).unwrap();
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let told = |what: &str| {
        let lines = said.lines().filter_map(|line| line.strip_prefix("FRACAS "));
        lines.filter_map(|line| line.strip_prefix(what)).map(|value| value.trim().to_owned()).next()
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    println!("Blender {}", told("version").unwrap_or_default());
    assert_eq!(told("vertices").as_deref(), Some("105"), "{said}{complaint}");
    assert_eq!(told("faces").as_deref(), Some("162"));
    assert_eq!(told("colours").as_deref(), Some("1"));
    assert_eq!(told("uvs").as_deref(), Some("1"));
    // older importers drop properties of our own
    assert!(told("piece").is_none_or(|piece| piece == "70001"), "{said}");
}
