//! Scenes with bodies from mesh files and generators: what they weigh, how they are cut, and what
//! their materials follow.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::f64::consts::PI;
use std::fmt::Write;

use fracas::World;
use fracas::glam::DVec3;
use fracas::material::SamplePoint;
use fracas::world::Body;
use fracas_mesh::fragments::{Fracture, Pattern};
use fracas_mesh::generate::{self, Lathe, LatheResolution, surfaces};
use fracas_mesh::solid::FragmentedSolid;
use fracas_mesh::stuffing::{self, Filling, Fit};
use fracas_mesh::{Attribute, ClosedSurface, Surface, TetMesh};
use fracas_scene::files::{msh, vtu};
use fracas_scene::{Memory, Scene, SceneError};

const DENSITY: f64 = 1000.0;

/// One body of this shape, with these lines in its material.
fn scene(shape: &str, material: &str, files: &Memory) -> Result<Scene, SceneError> {
    let text = format!(
        "title = \"A shape\"\nformat = 1\n[materials.stuff]\npreset = \"rubber\"\n{material}\n\
         [[bodies]]\nname = \"thing\"\nmaterial = \"stuff\"\nshape = {{ {shape} }}\n"
    );
    Scene::parse_with("shape.toml", &text, files)
}

fn try_world(shape: &str, material: &str, files: &Memory) -> Result<World, SceneError> {
    scene(shape, material, files)?.build(1)
}

fn world_of(shape: &str, material: &str, files: &Memory) -> World {
    try_world(shape, material, files).unwrap_or_else(|error| panic!("{shape}: {error}"))
}

fn world(shape: &str, files: &Memory) -> World {
    world_of(shape, "density = 1000", files)
}

fn body(world: &World) -> &Body {
    world.body(world.body_ids().next().unwrap()).unwrap()
}

#[track_caller]
fn assert_near(found: f64, wanted: f64, tolerance: f64) {
    let miss = (found - wanted).abs() / wanted.abs();
    assert!(miss <= tolerance, "{found} instead of {wanted}: off by {miss:.2e}");
}

/// Pairs of particles by number.
fn bonds(body: &Body) -> Vec<[usize; 2]> {
    let number = |id| body.particle_ids().iter().position(|&known| known == id).unwrap();
    body.bonds().map(|bond| bond.map(number)).collect()
}

/// With objects as `o` lines.
fn obj(surface: &Surface) -> String {
    let mut text = String::new();
    for v in &surface.vertices {
        writeln!(text, "v {:?} {:?} {:?}", v.x, v.y, v.z).unwrap();
    }
    let mut object = None;
    for (t, corners) in surface.triangles.iter().enumerate() {
        if surface.objects.get(t) != object {
            object = surface.objects.get(t);
            writeln!(text, "o {}", surface.objects.names[object.unwrap() as usize]).unwrap();
        }
        let [a, b, c] = corners.map(|v| v + 1);
        writeln!(text, "f {a} {b} {c}").unwrap();
    }
    text
}

/// With one value at each vertex.
fn ply(surface: &Surface, name: &str, value: impl Fn(DVec3) -> f64) -> String {
    let (vertices, triangles) = (surface.vertices.len(), surface.triangles.len());
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty double x\nproperty double y\n\
         property double z\nproperty float {name}\nelement face {triangles}\n\
         property list uchar int vertex_indices\nend_header\n"
    );
    for &v in &surface.vertices {
        writeln!(text, "{:?} {:?} {:?} {:?}", v.x, v.y, v.z, value(v)).unwrap();
    }
    for [a, b, c] in &surface.triangles {
        writeln!(text, "3 {a} {b} {c}").unwrap();
    }
    text
}

fn ball() -> Surface {
    surfaces::sphere(0.1, 3).unwrap()
}

fn with(files: &[(&str, Vec<u8>)]) -> Memory {
    let mut memory = Memory::default();
    for (name, bytes) in files {
        memory.insert(*name, bytes.clone());
    }
    memory
}

fn filled(surface: &Surface, tets: u32) -> TetMesh {
    let surface = ClosedSurface::new(surface.clone()).unwrap();
    stuffing::fill(&surface, &Filling::tets(tets)).unwrap()
}

/// Volumes by their formulas; the filling keeps 0.2 % of them, and 48 edges around a tube 0.3 %.
#[test]
fn simple_shapes_in_fragments_have_their_volume_and_count() {
    let none = Memory::default();
    let shapes = [
        ("kind = \"block\", size = [0.3, 0.2, 0.4]", 0.3 * 0.2 * 0.4),
        ("kind = \"bar\", length = 0.8, width = 0.2, height = 0.1", 0.8 * 0.2 * 0.1),
        ("kind = \"plate\", length = 0.8, width = 0.5, thickness = 0.08", 0.8 * 0.5 * 0.08),
        ("kind = \"sphere\", radius = 0.2", 4.0 / 3.0 * PI * 0.008),
        ("kind = \"cylinder\", radius = 0.1, height = 0.5", PI * 0.01 * 0.5),
        ("kind = \"torus\", radius = 0.3, tube = 0.1", 2.0 * PI * PI * 0.3 * 0.01),
    ];
    for (shape, volume) in shapes {
        let world = world(&format!("{shape}, tets = 3000, fragments = 60"), &none);
        assert_near(body(&world).mass(), DENSITY * volume, 6e-3);
        assert_eq!(body(&world).particle_count(), 60, "{shape}");
    }
}

/// Small where it is asked for: the mean distance of fragments from the focus falls.
#[test]
fn a_simple_shape_in_fragments_follows_its_focus() {
    let plate = "kind = \"plate\", length = 0.8, width = 0.5, thickness = 0.08, fragments = 80";
    let focus = "focus = { point = [0.4, 0, 0], radius = 0.5, ratio = 0.2 }, pattern = \"voronoi\"";
    let mean_x = |shape: &str| {
        let world = world(shape, &Memory::default());
        let centres = body(&world).world_positions().map(|x| x[0]).sum::<f64>();
        centres / 80.0
    };
    assert!(mean_x(plate).abs() < 0.03);
    assert!(mean_x(&format!("{plate}, {focus}")) > 0.1);
}

/// With `fragments` a rigid shape has come apart; without, it is one solid that they do not matter for.
#[test]
fn a_rigid_shape_in_fragments_has_come_apart() {
    let of = |fragments: &str| {
        let text = format!(
            "title = \"A shape\"\nformat = 1\n[materials.stone]\n[[bodies]]\nname = \"ring\"\n\
             model = \"rigid\"\nmaterial = \"stone\"\n\
             shape = {{ kind = \"torus\", radius = 0.3, tube = 0.1{fragments} }}\n"
        );
        Scene::parse_with("shape.toml", &text, &Memory::default())
    };
    let world = of(", tets = 2000, fragments = 20").unwrap().build(1).unwrap();
    assert_eq!(body(&world).pieces().len(), 20);
    assert!(of("").unwrap_err().to_string().contains("cannot be a torus"));
}

#[test]
fn tori_and_sheets_weigh_what_they_should() {
    let none = Memory::default();
    let torus = world("kind = \"torus\", radius = 0.3, tube = 0.1, particles = 400", &none);
    assert_near(body(&torus).mass(), DENSITY * 2.0 * PI * PI * 0.3 * 0.01, 1e-3);
    assert_near(body(&torus).particle_count() as f64, 400.0, 0.1);

    let sheet =
        "kind = \"sheet\", length = 0.5, width = 0.3, thickness = 0.004, counts = [10, 1, 6]";
    let sheet = world(sheet, &none);
    assert_near(body(&sheet).mass(), DENSITY * 0.5 * 0.3 * 0.004, 1e-5);
    assert_eq!(body(&sheet).particle_count(), 60);
}

/// A tube has a closed form; a cup with a foot the volume of its tetrahedra.
#[test]
fn lathes_weigh_what_they_should() {
    let none = Memory::default();
    let tube = "kind = \"lathe\", profile = [[0.1, 0], [0.1, 0.2]], wall = 0.01, tets = 8000, fragments = 30";
    let tube = world(tube, &none);
    assert_near(body(&tube).mass(), DENSITY * PI * (0.01 - 0.0081) * 0.2, 1e-3);
    assert_eq!(body(&tube).particle_count(), 30);

    let cup = "kind = \"lathe\", profile = [[0, 0], [0.04, 0], [0.05, 0.1]], wall = 0.004, layers = 2, tets = 1500, fragments = 20, pattern = \"voronoi\"";
    let cup = world(cup, &none);
    let profile = vec![[0.0, 0.0], [0.04, 0.0], [0.05, 0.1]];
    let resolution = LatheResolution::Tets(1500);
    let mesh = generate::lathe(&Lathe { profile, wall: 0.004, layers: 2, resolution }).unwrap();
    assert_near(body(&cup).mass(), DENSITY * mesh.volume(), 1e-5);
    assert_eq!(body(&cup).particle_count(), 20);
}

/// Without a wall a lathe is solid: a cone, from a line that begins and ends on the axis.
#[test]
fn a_lathe_without_wall_is_solid() {
    let shape =
        "kind = \"lathe\", profile = [[0, 0], [0.1, 0], [0, 0.2]], tets = 2000, fragments = 25";
    let cone = world(shape, &Memory::default());
    let volume = PI * 0.01 * 0.2 / 3.0;
    assert_near(body(&cone).mass(), DENSITY * volume, 2e-3);
    let surface = surfaces::revolved(&[[0.0, 0.0], [0.1, 0.0], [0.0, 0.2]], 96).unwrap();
    assert_near(body(&cone).mass(), DENSITY * filled(&surface, 2000).volume(), 1e-5);
    assert_eq!(body(&cone).particle_count(), 25);
    let layered = scene(&format!("{shape}, layers = 2"), "", &Memory::default()).unwrap();
    assert_eq!(layered.warnings()[0].message(), "`layers` has no effect without `wall`");
}

/// Half the thickness lies on each side, so a pane and a ball have closed forms.
#[test]
fn shells_weigh_what_they_should() {
    let pane = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 1 4 3\n";
    let files = with(&[("pane.obj", pane.into()), ("ball.obj", obj(&ball()).into())]);
    let pane =
        world("kind = \"shell\", file = \"pane.obj\", thickness = 0.01, fragments = 2", &files);
    assert_near(body(&pane).mass(), DENSITY * 0.01, 1e-5);
    let hollow =
        "kind = \"shell\", file = \"ball.obj\", thickness = 0.004, layers = 2, fragments = 40";
    let hollow = world(hollow, &files);
    let mesh = generate::shell(&ball(), 0.004, 2).unwrap();
    assert_near(body(&hollow).mass(), DENSITY * mesh.volume(), 1e-5);
    assert_near(mesh.volume(), ball().area() * 0.004, 1e-3);
    assert_eq!(body(&hollow).particle_count(), 40);
    // thickness is in m, whatever the unit of the file
    let large = "kind = \"shell\", file = \"pane.obj\", scale = 2, thickness = 0.01, fragments = 2";
    assert_near(body(&world(large, &files)).mass(), DENSITY * 0.04, 1e-5);
}

#[test]
fn every_pattern_keeps_the_mass() {
    let files = with(&[("ball.obj", obj(&ball()).into())]);
    let volume = filled(&ball(), 1500).volume();
    assert_near(volume, ball().volume(), 1e-3);
    // for convex parts the number is the most there may be
    for (pattern, counts) in [("kmeans", 30..=30), ("voronoi", 30..=30), ("convex", 1..=30)] {
        let shape = format!(
            "kind = \"mesh\", file = \"ball.obj\", tets = 1500, fragments = 30, pattern = \"{pattern}\""
        );
        let world = world(&shape, &files);
        assert_near(body(&world).mass(), DENSITY * volume, 1e-5);
        let count = body(&world).particle_count();
        assert!(counts.contains(&count), "{pattern}: {count} fragments");
    }
    let bar = with(&[("bar.obj", obj(&surfaces::block([0.3, 0.1, 0.1]).unwrap()).into())]);
    let convex =
        "kind = \"mesh\", file = \"bar.obj\", tets = 1000, fragments = 30, pattern = \"convex\"";
    assert_eq!(body(&world(convex, &bar)).particle_count(), 1, "it is convex as it is");
    let enclosing =
        "kind = \"mesh\", file = \"ball.obj\", tets = 1500, fit = \"enclose\", fragments = 30";
    let enclosing = world(enclosing, &files);
    assert!(body(&enclosing).mass() > DENSITY * ball().volume(), "it holds the ball inside");
    let filling = Filling { tets: 1500, fit: Fit::Enclose };
    let mesh = stuffing::fill(&ClosedSurface::new(ball()).unwrap(), &filling).unwrap();
    assert_near(body(&enclosing).mass(), DENSITY * mesh.volume(), 1e-5);
}

/// The same file in other units: the same fragments, and mass grows with the third power.
#[test]
fn scale_is_a_unit() {
    let files = with(&[("ball.obj", obj(&ball()).into())]);
    let shape = |scale: f64| {
        format!(
            "kind = \"mesh\", file = \"ball.obj\", scale = {scale:?}, tets = 1000, fragments = 20"
        )
    };
    let one = world(&shape(1.0), &files);
    for scale in [0.01, 2.5, 100.0] {
        let other = world(&shape(scale), &files);
        assert_near(body(&other).mass(), body(&one).mass() * scale.powi(3), 1e-5);
        assert_eq!(body(&other).particle_count(), 20);
    }
}

/// Fragments near the focus are lighter than those on the far side.
#[test]
fn fragments_are_smaller_at_the_focus() {
    let files = with(&[("ball.obj", obj(&ball()).into())]);
    let focused = "kind = \"mesh\", file = \"ball.obj\", tets = 2000, fragments = 60, \
                   focus = { point = [0.1, 0, 0], radius = 0.12, ratio = 0.3 }";
    let world = world(focused, &files);
    let body = body(&world);
    let mean = |here: &dyn Fn(f32) -> bool| {
        let masses = body.rest_positions().iter().zip(body.masses());
        let masses: Vec<f32> = masses.filter(|(x, _)| here(x[0])).map(|(_, &m)| m).collect();
        masses.iter().sum::<f32>() / masses.len() as f32
    };
    let (near, far) = (mean(&|x| x > 0.05), mean(&|x| x < -0.05));
    assert!(near < 0.5 * far, "{near} kg at the focus, {far} kg far from it");
    assert_eq!(body.particle_count(), 60);
}

/// Two boxes that share a face, with vertices of their own, as programs write them.
fn two_boxes() -> Surface {
    let mut surface = Surface::default();
    for (part, (name, low, length)) in [("short", 0.0, 0.1), ("long", 0.1, 0.2)].iter().enumerate()
    {
        let block = surfaces::block([*length, 0.1, 0.1]).unwrap();
        let first = surface.vertices.len() as u32;
        let shift = DVec3::X * (low + 0.5 * length);
        surface.vertices.extend(block.vertices.iter().map(|&v| v + shift));
        surface.triangles.extend(block.triangles.iter().map(|t| t.map(|v| v + first)));
        surface.objects.of.extend([part as u32; 12]);
        surface.objects.names.push((*name).into());
    }
    surface
}

#[test]
fn objects_that_touch_become_one_body_of_two_fragments() {
    let files = with(&[("boxes.obj", obj(&two_boxes()).into())]);
    let shape = "kind = \"mesh\", file = \"boxes.obj\", tets = 2000, pattern = \"objects\"";
    let scene = scene(shape, "density = 1000", &files).unwrap();
    let warnings: Vec<&str> = scene.warnings().iter().map(|warning| warning.message()).collect();
    assert!(
        warnings.iter().any(|text| text.contains("2 faces between objects removed")),
        "{warnings:?}"
    );
    let world = scene.build(1).unwrap();
    let body = body(&world);
    assert_eq!((body.particle_count(), body.bond_count()), (2, 1));
    assert_near(body.mass(), 1000.0 * 0.003, 1e-3);
    for (place, &mass) in body.rest_positions().iter().zip(body.masses()) {
        let wanted = if place[0] < 0.1 { 1.0 } else { 2.0 };
        assert_near(f64::from(mass), wanted, 0.03);
    }
}

#[test]
fn a_file_of_tetrahedra_is_a_body() {
    let mesh = filled(&ball(), 1000);
    let mut node = format!("{} 3 0 0\n", mesh.vertices.len());
    for (k, v) in mesh.vertices.iter().enumerate() {
        writeln!(node, "{k} {:?} {:?} {:?}", v.x, v.y, v.z).unwrap();
    }
    let mut ele = format!("{} 4 0\n", mesh.tets.len());
    for (k, [a, b, c, d]) in mesh.tets.iter().enumerate() {
        writeln!(ele, "{k} {a} {b} {c} {d}").unwrap();
    }
    let files = with(&[
        ("ball.msh", msh::write(&mesh)),
        ("ball.vtu", vtu::write(&mesh)),
        ("ball.node", node.into()),
        ("ball.ele", ele.into()),
    ]);
    let mut hashes = Vec::new();
    for file in ["ball.msh", "ball.vtu", "ball.node", "ball.ele"] {
        let world = world(&format!("kind = \"mesh\", file = \"{file}\", fragments = 20"), &files);
        assert_near(body(&world).mass(), DENSITY * mesh.volume(), 1e-5);
        assert_eq!(body(&world).particle_count(), 20, "{file}");
        hashes.push(world.hash());
    }
    assert!(
        hashes.iter().all(|hash| *hash == hashes[0]),
        "the same mesh, other bodies: {hashes:?}"
    );
    let fit = "kind = \"mesh\", file = \"ball.msh\", fit = \"enclose\", fragments = 20";
    let scene = scene(fit, "", &files).unwrap();
    assert_eq!(scene.warnings()[0].message(), "`fit` has no effect on a file of tetrahedra");
}

/// Cut once, written, read: the same particles and bonds, whatever `seed` or `fragments` say.
#[test]
fn a_body_keeps_the_fragments_of_its_file() {
    let fracture = Fracture::new(Pattern::Voronoi, 20);
    let mut solid = FragmentedSolid::new(filled(&ball(), 1000), &fracture).unwrap();
    let values = solid.fragments.of_tet.iter().map(|&fragment| fragment as f32).collect();
    solid.mesh.tet_attributes.push(Attribute { name: "fragment".into(), values });
    let files = with(&[("cut.msh", msh::write(&solid.mesh)), ("cut.vtu", vtu::write(&solid.mesh))]);
    for file in ["cut.msh", "cut.vtu"] {
        let shape = format!("kind = \"mesh\", file = \"{file}\", pattern = \"file\"");
        let world = world(&shape, &files);
        assert_eq!(body(&world).particle_count(), 20);
        let wanted: Vec<[usize; 2]> =
            solid.shape.bonds.iter().map(|bond| bond.map(|i| i as usize)).collect();
        assert_eq!(bonds(body(&world)), wanted, "{file}");
        let masses = solid.fragments.fragments.iter().map(|fragment| DENSITY * fragment.volume);
        for (&mass, wanted) in body(&world).masses().iter().zip(masses) {
            assert_near(f64::from(mass), wanted, 1e-5);
        }
    }
    let in_vain = "kind = \"mesh\", file = \"cut.msh\", pattern = \"file\", fragments = 7, \
                   focus = { point = [0, 0, 0], radius = 0.1, ratio = 0.5 }";
    let scene = scene(in_vain, "", &files).unwrap();
    let warnings: Vec<&str> = scene.warnings().iter().map(|warning| warning.message()).collect();
    let name = "has no effect with `pattern = \"file\"`";
    assert_eq!(warnings, [format!("`fragments` {name}"), format!("`focus` {name}")]);
}

/// A label need not be small: what counts is how many there are.
#[test]
fn fragments_of_a_file_may_have_any_numbers() {
    let mut mesh = filled(&ball(), 1000);
    let values = (0..mesh.tets.len()).map(|t| if mesh.centre(t).x > 0.0 { 9e6 } else { 3.0 });
    let values = values.collect();
    mesh.tet_attributes.push(Attribute { name: "fragment".into(), values });
    let files = with(&[("halves.msh", msh::write(&mesh))]);
    let world = world("kind = \"mesh\", file = \"halves.msh\", pattern = \"file\"", &files);
    assert_eq!((body(&world).particle_count(), body(&world).bond_count()), (2, 1));

    for bad in [0.5, -1.0, 2e7] {
        mesh.tet_attributes[0].values[7] = bad;
        let files = with(&[("halves.msh", msh::write(&mesh))]);
        let error =
            try_world("kind = \"mesh\", file = \"halves.msh\", pattern = \"file\"", "", &files);
        let message = error.err().unwrap().message().to_string();
        assert!(message.contains("does not say to which fragment"), "{bad}: {message}");
    }
}

/// A buffer in a file of its own, in a folder below.
#[test]
fn a_gltf_file_finds_its_buffer() {
    let surface = ball();
    let mut buffer = Vec::new();
    for x in surface.vertices.iter().flat_map(|v| v.to_array()) {
        buffer.extend((x as f32).to_le_bytes());
    }
    let places = buffer.len();
    for v in surface.triangles.iter().flatten() {
        buffer.extend(v.to_le_bytes());
    }
    let (bytes, vertices, corners) =
        (buffer.len(), surface.vertices.len(), 3 * surface.triangles.len());
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "buffers":[{{"uri":"ball.bin","byteLength":{bytes}}}],
        "bufferViews":[{{"buffer":0,"byteLength":{places}}},
            {{"buffer":0,"byteOffset":{places},"byteLength":{}}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{vertices},"type":"VEC3",
            "min":[-0.1,-0.1,-0.1],"max":[0.1,0.1,0.1]}},
            {{"bufferView":1,"componentType":5125,"count":{corners},"type":"SCALAR"}}]}}"#,
        bytes - places
    );
    let shape = "kind = \"mesh\", file = \"props/ball.gltf\", tets = 1000, fragments = 15";
    let files = with(&[("props/ball.gltf", json.clone().into()), ("props/ball.bin", buffer)]);
    assert_near(body(&world(shape, &files)).mass(), DENSITY * ball().volume(), 1e-3);
    let alone = with(&[("props/ball.gltf", json.into())]);
    let message = try_world(shape, "", &alone).err().unwrap().message().to_string();
    assert!(message.contains("props/ball.bin"), "{message}");
}

/// Density of each particle with a material, from the masses with density 1000.
fn densities(shape: &str, material: &str, files: &Memory) -> Vec<([f32; 3], f64)> {
    let (plain, varied) = (world(shape, files), world_of(shape, material, files));
    let masses = body(&plain).masses().iter().zip(body(&varied).masses());
    let density = masses.map(|(&plain, &varied)| 1000.0 * f64::from(varied) / f64::from(plain));
    body(&plain).rest_positions().iter().copied().zip(density).collect()
}

#[test]
fn density_follows_an_attribute_of_vertices() {
    let value = |v: DVec3| if v.x > 0.0 { 3.0 } else { 1.0 };
    let files = with(&[("ball.ply", ply(&ball(), "weight", value).into())]);
    let shape = "kind = \"mesh\", file = \"ball.ply\", tets = 1500, fragments = 40";
    let material = "density = { attribute = { name = \"weight\", scale = 500, offset = 100 } }";
    let (mut light, mut heavy) = (0, 0);
    for (place, density) in densities(shape, material, &files) {
        if place[0] > 0.03 {
            assert_near(density, 1600.0, 1e-5);
            heavy += 1;
        } else if place[0] < -0.03 {
            assert_near(density, 600.0, 1e-5);
            light += 1;
        }
    }
    assert!(light > 5 && heavy > 5, "{light} light, {heavy} heavy");
}

/// A value that is linear in space has its mean over a fragment at the fragment's centre.
#[test]
fn density_follows_an_attribute_of_tetrahedra_and_of_nodes() {
    let mut mesh = filled(&ball(), 1000);
    let linear = |x: DVec3| (2000.0 + 1e4 * x.x - 5e3 * x.z) as f32;
    let of_tets = (0..mesh.tets.len()).map(|t| linear(mesh.centre(t))).collect();
    let of_nodes = mesh.vertices.iter().map(|&v| linear(v)).collect();
    mesh.tet_attributes.push(Attribute { name: "rho".into(), values: of_tets });
    mesh.vertex_attributes.push(Attribute { name: "sigma".into(), values: of_nodes });
    let files = with(&[("ball.msh", msh::write(&mesh)), ("ball.vtu", vtu::write(&mesh))]);
    for (file, name) in [("msh", "rho"), ("msh", "sigma"), ("vtu", "rho"), ("vtu", "sigma")] {
        let shape = format!("kind = \"mesh\", file = \"ball.{file}\", fragments = 25");
        let material = format!("density = {{ attribute = {{ name = \"{name}\" }} }}");
        for (place, density) in densities(&shape, &material, &files) {
            let wanted = linear(fracas::glam::Vec3::from(place).as_dvec3());
            assert_near(density, f64::from(wanted), 1e-4);
        }
    }
}

/// Attributes of a surface reach the wall that a shell makes of it.
#[test]
fn density_follows_an_attribute_of_a_shell() {
    let files = with(&[("ball.ply", ply(&ball(), "weight", |v| 2000.0 + 1e4 * v.y).into())]);
    let shape = "kind = \"shell\", file = \"ball.ply\", thickness = 0.002, fragments = 60";
    for (place, density) in
        densities(shape, "density = { attribute = { name = \"weight\" } }", &files)
    {
        assert_near(density, 2000.0 + 1e4 * f64::from(place[1]), 1e-3);
    }
}

/// A spheroid of 0.3 × 0.1 × 0.1 m: the mean curvature is 5.6/m at the waist and 30/m at the tips.
#[test]
fn density_follows_the_curvature() {
    let mut surface = surfaces::sphere(0.1, 4).unwrap();
    surface.vertices.iter_mut().for_each(|v| v.x *= 3.0);
    let mesh = filled(&surface, 2000);
    let files = with(&[("long.obj", obj(&surface).into()), ("long.msh", msh::write(&mesh))]);
    let material = "density = { curvature = { low = 1000, high = 2000, range = [8, 12] } }";
    for file in ["\"long.obj\", tets = 2000", "\"long.msh\""] {
        let shape = format!("kind = \"mesh\", file = {file}, fragments = 150");
        let (mut waist, mut tips) = (0, 0);
        for (place, density) in densities(&shape, material, &files) {
            if place[0].abs() > 0.26 {
                assert_near(density, 2000.0, 1e-5);
                tips += 1;
            } else if place[0].abs() < 0.08 {
                assert_near(density, 1000.0, 0.05);
                waist += 1;
            }
        }
        assert!(waist > 5 && tips >= 2, "{file}: {waist} at the waist, {tips} at the tips");
    }
}

/// `l` lines of an OBJ file: values near them, and a grain along them.
#[test]
fn values_and_grain_follow_curves() {
    // bent: along x below, along y on the right
    let lines = "v -1 0 0\nv 1 0 0\nv 1 2 0\nl 1 2 3\n";
    let files = with(&[("fibres.obj", lines.into()), ("ball.obj", obj(&ball()).into())]);
    let shape = "kind = \"mesh\", file = \"ball.obj\", tets = 1000, fragments = 25";
    let material =
        "density = { curves = { near = 2000, far = 1000, radius = 0.08, file = \"fibres.obj\" } }";
    for (place, density) in densities(shape, material, &files) {
        let distance = f64::from(place[1].hypot(place[2]));
        assert_near(density, 2000.0 - 1000.0 * (distance / 0.08).min(1.0), 1e-4);
    }
    let grain = "density = 1000\ngrain.direction = { curves = { file = \"fibres.obj\" } }";
    let world = world_of(shape, grain, &files);
    let material = &body(&world).materials()[0];
    for (position, wanted) in
        [([0.0, -0.1, 0.0], [1.0, 0.0, 0.0]), ([1.1, 1.0, 0.0], [0.0, 1.0, 0.0])]
    {
        let sample = material.sample(&SamplePoint { position, ..SamplePoint::default() }).unwrap();
        assert_eq!(sample.grain_direction.map(f32::abs), wanted);
    }
}

/// Two bodies from one file, filled once, are each as they would be alone.
#[test]
fn bodies_share_a_file() {
    let files = with(&[("ball.obj", obj(&ball()).into())]);
    let shape = "{ kind = \"mesh\", file = \"ball.obj\", tets = 1000, fragments = 10 }";
    let text = format!(
        "title = \"Two\"\nformat = 1\n[materials.stuff]\npreset = \"rubber\"\ndensity = 1000\n\
         [[bodies]]\nname = \"a\"\nmaterial = \"stuff\"\nshape = {shape}\n\
         [[bodies]]\nname = \"b\"\nmaterial = \"stuff\"\nposition = [1, 0, 0]\nshape = {shape}\n"
    );
    let world = Scene::parse_with("two.toml", &text, &files).unwrap().build(1).unwrap();
    let bodies: Vec<&Body> = world.body_ids().map(|id| world.body(id).unwrap()).collect();
    assert_eq!(bodies[0].masses(), bodies[1].masses());
    assert_eq!(bonds(bodies[0]), bonds(bodies[1]));
}
