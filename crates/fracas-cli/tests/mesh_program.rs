//! `fracas mesh` from arguments to files, and the cache of filled surfaces that runs share.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use fracas_mesh::Surface;
use fracas_mesh::generate::surfaces;
use fracas_scene::files::{self, MeshFile};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    /// With a closed surface, `ball.obj`.
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fracas-mesh-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        folder.write("ball.obj", &obj(&surfaces::sphere(0.1, 2).unwrap(), "ball"));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn names(&self) -> Vec<String> {
        names(&self.0)
    }

    /// Runs the program in this folder, without a cache.
    fn fracas(&self, arguments: &str) -> Output {
        self.command(arguments).env("FRACAS_CACHE", "").output().unwrap()
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fracas"));
        command.args(arguments.split_whitespace()).current_dir(&self.0);
        command
    }

    /// Runs the program, which must succeed, and gives its stdout.
    fn fine(&self, arguments: &str) -> String {
        fine(&self.fracas(arguments))
    }

    /// Runs the program, which must refuse with this code, and gives what it said.
    fn refuse(&self, code: i32, arguments: &str) -> String {
        let output = self.fracas(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {stderr}");
        assert!(output.stdout.is_empty(), "{arguments} printed a result");
        assert!(stderr.starts_with("error: "), "{arguments}: {stderr}");
        stderr
    }

    /// The tetrahedra in a file.
    fn tets(&self, name: &str) -> fracas_mesh::TetMesh {
        match files::read(name, &fracas_scene::Folder::new(&self.0)).unwrap() {
            MeshFile::Tets(mesh) => mesh,
            MeshFile::Surface(_) => panic!("{name} holds a surface"),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn fine(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn obj(surface: &Surface, name: &str) -> String {
    let mut text = format!("o {name}\n");
    for v in &surface.vertices {
        writeln!(text, "v {:?} {:?} {:?}", v.x, v.y, v.z).unwrap();
    }
    // counted backwards, so that texts can be put together
    let count = surface.vertices.len() as i64;
    for [a, b, c] in surface.triangles.iter().map(|t| t.map(|v| i64::from(v) - count)) {
        writeln!(text, "f {a} {b} {c}").unwrap();
    }
    text
}

/// The numbers of a last line, whose words must be these.
fn numbers(stdout: &str, words: &[&str]) -> Vec<usize> {
    let line = stdout.lines().last().unwrap();
    let items: Vec<(&str, &str)> =
        line.split(", ").map(|item| item.split_once(' ').unwrap()).collect();
    assert_eq!(items.iter().map(|item| item.1).collect::<Vec<_>>(), words, "{line:?}");
    let number = |text: &str| {
        let value: usize = text.replace(',', "").parse().unwrap();
        let ungrouped = text.rsplit(',').skip(1).any(|group| group.is_empty() || group.len() > 3);
        assert!(!ungrouped && (value < 1000 || text.contains(',')), "{text:?} is not grouped");
        value
    };
    items.iter().map(|item| number(item.0)).collect()
}

const ALL: [&str; 4] = ["tets", "vertices", "fragments", "edges"];

#[test]
fn the_bunny_becomes_a_file_and_a_table() {
    let folder = Folder::new("bunny");
    let bunny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/bunny.obj");
    fs::copy(bunny, folder.0.join("bunny.obj")).unwrap();
    let stdout = folder.fine("mesh bunny.obj -o bunny.msh --tets 1500 --fragments 40");
    for row in ["dihedral angle", "mean ratio", "edge, m", "tetrahedra", "vertices", "volume, m³"]
    {
        assert!(stdout.lines().any(|line| line.starts_with(row)), "no {row:?} in\n{stdout}");
    }
    let counts = numbers(&stdout, &ALL);
    assert!(counts[0].abs_diff(1500) <= 45, "{counts:?}");
    assert_eq!(counts[2], 40);
    let mesh = folder.tets("bunny.msh");
    assert_eq!((mesh.tets.len(), mesh.vertices.len()), (counts[0], counts[1]));
    let labels = &mesh.tet_attributes[0];
    assert_eq!(labels.name, "fragment");
    assert!((0..40).all(|k| labels.values.contains(&(k as f32))), "labels are not 0 to 39");
    assert_eq!(folder.names(), ["ball.obj", "bunny.msh", "bunny.obj"]);
}

#[test]
fn without_fragments_there_are_none() {
    let folder = Folder::new("plain");
    let stdout = folder.fine("mesh ball.obj -o ball.vtu --tets 1000");
    let counts = numbers(&stdout, &["tets", "vertices"]);
    assert!(counts[0].abs_diff(1000) <= 30, "{counts:?}");
    let mesh = folder.tets("ball.vtu");
    assert_eq!((mesh.tets.len(), mesh.vertices.len()), (counts[0], counts[1]));
    assert!(mesh.tet_attributes.is_empty(), "{:?}", mesh.tet_attributes[0].name);
}

#[test]
fn the_same_arguments_give_the_same_bytes() {
    let folder = Folder::new("twice");
    for file in ["a.msh", "b.msh", "a.vtu", "b.vtu"] {
        folder.fine(&format!("mesh ball.obj -o {file} --tets 1000 --fragments 30"));
    }
    let bytes = |name: &str| fs::read(folder.0.join(name)).unwrap();
    assert!(bytes("a.msh") == bytes("b.msh") && bytes("a.vtu") == bytes("b.vtu"));
    folder.fine("mesh ball.obj -o c.msh --tets 1000 --fragments 30 --seed 1");
    assert!(bytes("a.msh") != bytes("c.msh"), "the seed does nothing");
}

#[test]
fn options_do_what_they_say() {
    let folder = Folder::new("options");
    let ball = surfaces::sphere(0.1, 2).unwrap();
    folder.fine("mesh ball.obj -o fit.msh --tets 1000 --fit enclose");
    assert!(folder.tets("fit.msh").volume() > ball.volume(), "the ball is not inside");

    folder.fine("mesh ball.obj -o large.msh --tets 1000 --scale 10");
    let volume = folder.tets("large.msh").volume() / 1000.0;
    assert!((volume / ball.volume() - 1.0).abs() < 2e-3, "{volume} not {}", ball.volume());

    let stdout = folder.fine("mesh ball.obj -o wall.msh --thickness 0.002 --layers 2");
    let mesh = folder.tets("wall.msh");
    assert_eq!(mesh.tets.len(), 6 * ball.triangles.len());
    assert_eq!(numbers(&stdout, &["tets", "vertices"])[0], mesh.tets.len());
    let wanted = 0.002 * ball.area();
    assert!((mesh.volume() / wanted - 1.0).abs() < 0.03, "{} not {wanted}", mesh.volume());

    for pattern in ["kmeans", "voronoi", "convex"] {
        let stdout = folder.fine(&format!(
            "mesh ball.obj -o p.msh --tets 1000 --fragments 12 --pattern {pattern}"
        ));
        let count = numbers(&stdout, &ALL)[2];
        assert!(if pattern == "convex" { count <= 12 } else { count == 12 }, "{pattern}: {count}");
    }
}

/// Two boxes of 1 and 2 litres that share a face.
#[test]
fn named_objects_become_fragments() {
    let folder = Folder::new("objects");
    let block = |low: f64, length: f64| {
        let mut block = surfaces::block([length, 0.1, 0.1]).unwrap();
        block.vertices.iter_mut().for_each(|v| v.x += low + 0.5 * length);
        block
    };
    folder.write("boxes.obj", &(obj(&block(0.0, 0.1), "short") + &obj(&block(0.1, 0.2), "long")));
    let output = folder.fracas("mesh boxes.obj -o boxes.msh --tets 1500 --pattern objects");
    let counts = numbers(&fine(&output), &ALL);
    assert_eq!(counts[2..], [2, 1]);
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(note.starts_with("note: boxes.obj: ") && note.contains("between objects"), "{note}");
    let mesh = folder.tets("boxes.msh");
    assert_eq!(mesh.objects.names, ["short", "long"]);
    for (part, wanted) in [(0, 0.001), (1, 0.002)] {
        let of_part = (0..mesh.tets.len()).filter(|&t| mesh.objects.get(t) == Some(part));
        let volume: f64 = of_part.map(|t| mesh.tet_volume(t)).sum();
        // the cut between the two follows faces of tetrahedra, which are 2 cm wide
        assert!((volume / wanted - 1.0).abs() < 0.1, "part {part}: {volume} not {wanted}");
    }
}

/// What was cut up once can be cut up anew, and a scene takes the last cut.
#[test]
fn a_scene_takes_the_fragments_of_the_file() {
    let folder = Folder::new("again");
    folder.fine("mesh ball.obj -o first.msh --tets 1000 --fragments 5");
    let stdout = folder.fine("mesh first.msh -o ball.msh --fragments 20");
    let edges = numbers(&stdout, &ALL)[3];
    let mesh = folder.tets("ball.msh");
    assert_eq!(mesh.tet_attributes.len(), 1);
    let text = fs::read_to_string(folder.0.join("ball.msh")).unwrap();
    assert_eq!(text.matches("\"fragment\"").count(), 1, "there are two cuts in the file");

    let scene = "title = \"A ball\"\nformat = 1\n[materials.rubber]\npreset = \"rubber\"\n\
                 [[bodies]]\nname = \"ball\"\nmaterial = \"rubber\"\n\
                 shape = { kind = \"mesh\", file = \"ball.msh\", pattern = \"file\" }\n";
    folder.write("ball.toml", scene);
    let world = fracas_scene::Scene::load(&folder.0.join("ball.toml")).unwrap().build(1).unwrap();
    let body = world.body(world.body_ids().next().unwrap()).unwrap();
    assert_eq!((body.particle_count(), body.bond_count()), (20, edges));
}

/// Nothing is written, an old file stays as it was, and the message names the cause.
#[test]
fn what_is_wrong_is_refused_and_nothing_is_written() {
    let folder = Folder::new("wrong");
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
    folder.write("open.obj", square);
    folder.write("empty.obj", "");
    folder.fine("mesh ball.obj -o tets.msh --tets 1000");
    folder.write("old.msh", "old");
    folder.write("text.txt", "text");
    let before = folder.names();
    let cases = [
        (1, "ball.obj -o new.obj --tets 1000", "must end in .msh or .vtu"),
        (1, "ball.obj -o new --tets 1000", "must end in .msh or .vtu"),
        (1, "none.obj -o old.msh --tets 1000", "there is no file \"none.obj\""),
        (1, "text.txt -o old.msh --tets 1000", ".obj"),
        (1, "empty.obj -o old.msh --tets 1000", "empty.obj: the file is empty"),
        (1, "open.obj -o old.msh --tets 1000", "open.obj: "),
        (1, "tets.msh -o old.msh --tets 1000", "leave --tets out"),
        (1, "tets.msh -o old.msh --thickness 0.1", "leave --thickness out"),
        (1, "ball.obj -o old.msh", "--tets N"),
        (1, "ball.obj -o old.msh --tets 0", "0"),
        (1, "ball.obj -o old.msh --tets 4294967295", "at most"),
        (1, "ball.obj -o old.msh --tets 1000 --fragments 0", "at least 1, but is 0"),
        (1, "ball.obj -o old.msh --tets 1000 --fragments 9999", "more than there are tetrahedra"),
        (
            1,
            "ball.obj -o old.msh --tets 1000 --scale 0",
            "--scale must be from 1e-9 to 1e9, but is 0.0",
        ),
        (
            1,
            "ball.obj -o old.msh --tets 1000 --scale nan",
            "--scale must be from 1e-9 to 1e9, but is NaN",
        ),
        (
            1,
            "ball.obj -o old.msh --tets 1000 --scale -1",
            "--scale must be from 1e-9 to 1e9, but is -1.0",
        ),
        (1, "tets.msh -o old.msh --fit enclose", "leave --fit out"),
        (1, "ball.obj -o old.msh --thickness -0.01", "thickness"),
        (1, "ball.obj -o old.msh --thickness nan", "thickness"),
        (1, "ball.obj -o old.msh --thickness 1", "thick"),
        (1, "ball.obj -o old.msh --thickness 0.01 --layers 0", "layer"),
        (1, "ball.obj -o old.msh --thickness 0.01 --layers 4294967295", "ball.obj: "),
        (1, "ball.obj -o old.msh --tets 1000 --pattern voronoi", "--fragments"),
        (1, "tets.msh -o old.msh --pattern objects", "named objects"),
        (2, "ball.obj -o old.msh --tets -1", "--tets"),
        (2, "ball.obj -o old.msh --tets many", "--tets"),
        (2, "ball.obj -o old.msh --tets 1000 --thickness 0.1", "--thickness"),
        (2, "ball.obj -o old.msh --thickness 0.01 --fit enclose", "--thickness"),
        (2, "ball.obj -o old.msh --tets 1000 --pattern stripes", "kmeans"),
        (2, "ball.obj --tets 1000", "--output"),
        (
            3,
            "ball.obj -o no-such-folder/new.msh --tets 1000",
            "cannot write no-such-folder/new.msh",
        ),
    ];
    for (code, arguments, wanted) in cases {
        let said = folder.refuse(code, &format!("mesh {arguments}"));
        assert!(said.contains(wanted), "{arguments}: {said}");
        assert_eq!(folder.names(), before, "{arguments} left something behind");
        assert_eq!(fs::read(folder.0.join("old.msh")).unwrap(), b"old", "{arguments}");
    }
}

/// The hash at the end of the line that a run prints.
fn hash(output: &Output) -> String {
    let stdout = fine(output);
    stdout.trim_end().rsplit_once("hash ").unwrap().1.to_string()
}

#[test]
fn runs_share_filled_surfaces() {
    let folder = Folder::new("cache");
    let scene = "title = \"A ball\"\nformat = 1\n[materials.rubber]\npreset = \"rubber\"\n\
                 [[bodies]]\nname = \"ball\"\nmaterial = \"rubber\"\n\
                 shape = { kind = \"mesh\", file = \"ball.obj\", tets = 1000, fragments = 20 }\n";
    folder.write("ball.toml", scene);
    let cache = folder.0.join("deep/cache");
    let run = |place: &Path| {
        let mut command = folder.command("run ball.toml --frames 2 --threads 1");
        hash(&command.env("FRACAS_CACHE", place).output().unwrap())
    };
    // without a cache nothing appears, here or where the user's would be
    let home = folder.0.join("home");
    let mut command = folder.command("run ball.toml --frames 2 --threads 1");
    command.env("FRACAS_CACHE", "").env("XDG_CACHE_HOME", &home).env("HOME", &home);
    let truth = hash(&command.output().unwrap());
    assert_eq!(folder.names(), ["ball.obj", "ball.toml"]);

    assert_eq!(run(&cache), truth);
    let kept = names(&cache);
    assert!(kept.len() == 1 && kept[0].ends_with(".tets"), "{kept:?}");
    let file = cache.join(&kept[0]);
    let bytes = fs::read(&file).unwrap();

    // a file that cannot be written again is read again
    let age = || fs::metadata(&file).unwrap().modified().unwrap();
    let first = age();
    assert_eq!(run(&cache), truth);
    assert_eq!(age(), first, "the file was written again, so it was not used");

    for damaged in [&bytes[..bytes.len() / 2], b"", b"nonsense"] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(run(&cache), truth);
        assert!(fs::read(&file).unwrap() == bytes, "it was not mended");
    }
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    fs::write(&file, flipped).unwrap();
    assert_eq!(run(&cache), truth);
    assert_eq!(names(&cache), kept);

    // no folder can be made below a file
    assert_eq!(run(&folder.0.join("ball.toml/cache")), truth);

    // another number of tetrahedra is another file
    folder.write("ball.toml", &scene.replace("1000", "1200"));
    assert_ne!(run(&cache), truth);
    assert_eq!(names(&cache).len(), 2);

    // the user's own, if nothing else is said
    let mut command = folder.command("check ball.toml");
    command.env_remove("FRACAS_CACHE").env("XDG_CACHE_HOME", &home);
    fine(&command.output().unwrap());
    assert_eq!(names(&home.join("fracas")).len(), 1);
}
