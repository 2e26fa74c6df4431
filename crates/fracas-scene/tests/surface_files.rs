//! Surfaces from OBJ, STL, PLY and glTF: what is in the file arrives, and what is wrong with it is
//! told with its place.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use fracas::glam::DVec3;
use fracas_mesh::Surface;
use fracas_scene::files::{self, MeshFile};
use fracas_scene::{Assets, Folder, Memory};

fn memory(path: &str, bytes: &[u8]) -> Memory {
    let mut memory = Memory::default();
    memory.insert(path, bytes);
    memory
}

fn read_from(path: &str, assets: &dyn Assets) -> Surface {
    match files::read(path, assets) {
        Ok(MeshFile::Surface(surface)) => surface,
        other => panic!("{path}: {other:?}"),
    }
}

fn read(path: &str, bytes: impl AsRef<[u8]>) -> Surface {
    read_from(path, &memory(path, bytes.as_ref()))
}

fn error(path: &str, bytes: impl AsRef<[u8]>) -> String {
    match files::read(path, &memory(path, bytes.as_ref())) {
        Err(error) => error.to_string(),
        Ok(file) => panic!("{path} was read: {file:?}"),
    }
}

fn asset(name: &str) -> Surface {
    read_from(name, &Folder::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets")))
}

fn values<'a>(surface: &'a Surface, name: &str) -> &'a [f32] {
    let found = surface.attributes.iter().find(|attribute| attribute.name == name);
    &found.unwrap_or_else(|| panic!("no {name} in {:?}", surface.attributes)).values
}

/// A tetrahedron of volume 1/6, corners counter-clockwise seen from outside.
const CORNERS: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn assert_is_tetrahedron(surface: &Surface) {
    assert!((surface.volume() - 1.0 / 6.0).abs() < 1e-7, "{}", surface.volume());
    assert_eq!(surface.euler_characteristic(), 2);
    assert_eq!(surface.vertices.len(), 4);
    assert_eq!(surface.triangles.len(), 4);
}

// ------------------------------------------------------------------------------------ real meshes

#[test]
fn the_assets_are_read_whole() {
    for (name, vertices, triangles, euler) in [
        ("bunny.obj", Some(1_839), 3_674, 2),
        ("spot.ply", Some(2_930), 5_856, 2),
        ("nut.ply", Some(523), 1_046, 0),
        // a list of triangles: how many corners coincide is for the next test
        ("gear.stl", None, 2_444, 0),
    ] {
        let surface = asset(name);
        assert_eq!(surface.triangles.len(), triangles, "{name}");
        if let Some(vertices) = vertices {
            assert_eq!(surface.vertices.len(), vertices, "{name}");
            assert_eq!(surface.euler_characteristic(), euler, "{name}");
        }
        assert!(surface.volume() > 0.0, "{name}");
        assert!(surface.vertices.iter().all(|v| v.is_finite()));
    }
    assert_eq!(asset("bunny.obj").objects.names, ["bunny"]);
}

/// Every corner of the file is a vertex, none twice, and each triangle has the corners that
/// stand at its place in the file.
#[test]
fn corners_of_an_stl_file_become_shared_vertices() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/gear.stl"));
    let bytes = bytes.unwrap();
    let surface = asset("gear.stl");
    for (t, record) in bytes[84..].chunks(50).enumerate() {
        for (k, place) in record[12..48].chunks(12).enumerate() {
            let value = |at: usize| f32::from_le_bytes(place[at..at + 4].try_into().unwrap());
            let corner = DVec3::new(value(0).into(), value(4).into(), value(8).into());
            assert_eq!(surface.corners(t)[k], corner);
        }
    }
    let mut sorted: Vec<_> = surface.vertices.iter().map(|v| v.to_array()).collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]));
}

// -------------------------------------------------------------------------------------------- OBJ

#[test]
fn obj_with_everything() {
    let surface = read(
        "a.OBJ",
        b"# caf\xe9 C:\\meshes\\\r\n\
        mtllib a.mtl\r\n\
        v 0 0 0 1 0 0\r\nv 1 0 0 0 1 0\r\nv 0 1 0 0 0 1\r\nv 0 0 1 0.5 0.5 0.5\r\n\
        vt 0 0\r\nvt 1 0\r\nvt 0.25 0.75 0\r\nvn 0 0 1\r\n\
        f 1 3 2\r\n\
        o base # comment\r\nusemtl red\r\ns 1\r\n\
        f 1/1/1 2/2/1 \\\r\n4/3/1\r\n\
        g side\r\nf -4//1 -1//1 -2//1\r\n\
        o base\r\nf 2/1 3/2 4/3\r\nl 1 2",
    );
    assert_is_tetrahedron(&surface);
    assert_eq!(surface.triangles, FACES);
    assert_eq!(surface.objects.names, ["default", "base", "side"]);
    assert_eq!(surface.objects.of, [0, 1, 2, 1]);
    let (none, some) = ([[0.0; 2]; 3], [[0.0, 0.0], [1.0, 0.0], [0.25, 0.75]]);
    assert_eq!(surface.uvs, [none, some, none, some]);
    assert_eq!(values(&surface, "colour.r"), [1.0, 0.0, 0.0, 0.5]);
    assert_eq!(values(&surface, "colour.b"), [0.0, 0.0, 1.0, 0.5]);
}

#[test]
fn obj_polygons_are_split_concave_ones_too() {
    let text = "v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nv 3 3 0\nv 4 3 0\nv 4 4 0\nv 3 4 0\n";
    let surface = read("a.obj", format!("{text}f 5 6 7 8\nf 1 2 3 4\n"));
    assert_eq!(surface.triangles.len(), 4);
    assert!((surface.area() - 2.0).abs() < 1e-12, "{}", surface.area());
    assert!(surface.uvs.is_empty() && surface.objects.names.is_empty());
}

#[test]
fn obj_curves() {
    let text = b"v 0 0 0\nv 1 0 0\nv 1 2 0\nf 1 2 3\nl 1 2 3\nvt 0 0\nl -1/1 -2/1\n";
    let curves = files::read_curves("a.obj", &memory("a.obj", text)).unwrap();
    let [a, b, c] = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]];
    assert_eq!(curves, [vec![a, b, c], vec![c, b]]);
    let message =
        |text: &[u8]| files::read_curves("a.obj", &memory("a.obj", text)).unwrap_err().to_string();
    assert_eq!(message(b"v 0 0 0\nl 1\n"), "line 2: a curve has at least 2 points; here are 1");
    assert_eq!(
        message(b"v 0 0 0\nl 1 2\n"),
        "line 2: curve point 2 names vertex 2, but only 1 vertices are defined so far"
    );
    assert!(message(b"v 0 0 0\n").starts_with("the file holds no curves"));
}

// -------------------------------------------------------------------------------------------- STL

fn stl_text(name: &str, faces: &[[u32; 3]]) -> String {
    let mut text = format!("solid {name}\n");
    for face in faces {
        text += "  facet normal NaN 0 0\n    outer loop\n";
        for [x, y, z] in face.map(|v| CORNERS[v as usize]) {
            text += &format!("      vertex {x} {y} {z:e}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + &format!("endsolid {name}\n")
}

fn stl_binary(header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend(4_u32.to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        let corners = face.map(|v| CORNERS[v as usize]);
        corners.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn stl_text_and_binary() {
    let one = read("a.stl", stl_text("tetrahedron", &FACES));
    assert_is_tetrahedron(&one);
    assert!(one.objects.names.is_empty());
    assert_eq!(read("a.stl", stl_text("", &FACES).to_uppercase()), one);
    assert_eq!(read("a.stl", stl_binary(b"gear")), one);
    // many writers begin binary files with the word of the others
    assert_eq!(read("a.stl", stl_binary(b"solid tetrahedron")), one);

    let two = stl_text("low part", &FACES[..1]) + &stl_text("high", &FACES[1..]);
    let two = read("a.stl", two);
    assert_eq!(two.triangles, one.triangles);
    assert_eq!(two.objects.names, ["low part", "high"]);
    assert_eq!(two.objects.of, [0, 1, 1, 1]);
}

#[test]
fn stl_minus_zero_is_zero() {
    let text = stl_text("", &FACES).replacen("vertex 0 0 0e0", "vertex -0 0 -0.0", 1);
    assert_is_tetrahedron(&read("a.stl", text));
}

// -------------------------------------------------------------------------------------------- PLY

const PLY_HEADER: &str = "ply\nformat FORMAT 1.0\ncomment by hand\nobj_info none\n\
    element vertex 4\nproperty float x\nproperty double y\nproperty short z\n\
    property float nx\nproperty uchar red\nproperty list uchar ushort near\n\
    property float s\nproperty float t\nproperty int quality\n\
    element face 3\nproperty uchar flags\nproperty list uchar int vertex_indices\n\
    element edge 1\nproperty int v\nend_header\n";

/// The tetrahedron with two of its faces joined to a (bent) quadrilateral.
fn ply(format: &str) -> Vec<u8> {
    let polygons: [&[i32]; 3] = [&[0, 1, 3], &[0, 3, 2], &[1, 0, 2, 3]];
    let mut bytes = PLY_HEADER.replace("FORMAT", format).into_bytes();
    if format == "ascii" {
        for (i, [x, y, z]) in CORNERS.iter().enumerate() {
            let line = format!("{x} {y} {z} 7 51 2 8 9 {x} 0.5 {}\n\n", i as i32 - 1);
            bytes.extend(line.into_bytes());
        }
        for polygon in polygons {
            let corners: Vec<_> = polygon.iter().map(i32::to_string).collect();
            let line = format!("1 {} {}\r\n", polygon.len(), corners.join("  "));
            bytes.extend(line.into_bytes());
        }
        bytes.extend(b"7");
        return bytes;
    }
    let mut put = |little: &[u8]| {
        let mut word = little.to_vec();
        if format == "binary_big_endian" {
            word.reverse();
        }
        bytes.extend(word);
    };
    for (i, [x, y, z]) in CORNERS.iter().enumerate() {
        put(&x.to_le_bytes());
        put(&f64::from(*y).to_le_bytes());
        put(&(*z as i16).to_le_bytes());
        put(&7_f32.to_le_bytes());
        put(&[51]);
        put(&[2]);
        put(&8_u16.to_le_bytes());
        put(&9_u16.to_le_bytes());
        put(&x.to_le_bytes());
        put(&0.5_f32.to_le_bytes());
        put(&(i as i32 - 1).to_le_bytes());
    }
    for polygon in polygons {
        put(&[1]);
        put(&[polygon.len() as u8]);
        polygon.iter().for_each(|v| put(&v.to_le_bytes()));
    }
    put(&7_i32.to_le_bytes());
    bytes
}

#[test]
fn ply_in_all_encodings() {
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let surface = read("a.ply", ply(format));
        assert_is_tetrahedron(&surface);
        assert_eq!(surface.triangles, [[0, 1, 3], [0, 3, 2], [1, 0, 2], [1, 2, 3]]);
        let names: Vec<_> = surface.attributes.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["colour.r", "quality"], "{format}");
        assert_eq!(values(&surface, "colour.r"), [0.2; 4]);
        assert_eq!(values(&surface, "quality"), [-1.0, 0.0, 1.0, 2.0]);
        let uv = |v: u32| [CORNERS[v as usize][0], 0.5];
        let expected: Vec<_> = surface.triangles.iter().map(|t| t.map(uv)).collect();
        assert_eq!(surface.uvs, expected, "{format}");
    }
}

#[test]
fn ply_texture_coordinates_of_corners() {
    let text = "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\n\
        property float y\r\nproperty float z\r\nelement face 1\r\n\
        property list uchar uint vertex_index\r\nproperty list uchar float texcoord\r\n\
        end_header\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2 6 0 0 1 0 0 1\r\n";
    let surface = read("a.ply", text);
    assert_eq!(surface.uvs, [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]);
}

// ------------------------------------------------------------------------------------------- glTF

/// Corners, texture coordinates, colours, a scalar, a vector, and the indices of the faces.
fn gltf_buffer() -> Vec<u8> {
    let mut bytes = Vec::new();
    CORNERS.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes())); // 0..48
    (0..8_u16).for_each(|x| bytes.extend((x * 8191).to_le_bytes())); // 48..64
    (0..16_u8).for_each(|x| bytes.push(x * 17)); // 64..80
    (0..4).for_each(|x| bytes.extend((x as f32).to_le_bytes())); // 80..96
    FACES.iter().flatten().for_each(|&x| bytes.extend((x as u16).to_le_bytes())); // 96..120
    bytes
}

fn encode(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| letters[(bits & 63) as usize] as char;
    assert_eq!(bytes.len() % 3, 0);
    let groups = bytes.chunks(3).map(|b| u32::from_be_bytes([0, b[0], b[1], b[2]]));
    groups.flat_map(|g| [g >> 18, g >> 12, g >> 6, g].map(letter)).collect()
}

/// Two nodes with the same mesh, the second twice as large, turned, and behind the first.
fn gltf_json(uri: &str) -> String {
    r#"{"asset": {"version": "2.0"}, "scene": 0,
"extensionsRequired": ["KHR_mesh_quantization"], "scenes": [{"nodes": [0, 2]}],
"nodes": [
  {"name": "root", "children": [1], "translation": [10, 0, 0]},
  {"name": "big", "mesh": 0, "scale": [2, 2, 2], "rotation": [0, 0, 0.70710678118654757, 0.70710678118654757]},
  {"mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,-1,0, 0,0,5,1]}],
"meshes": [{"name": "tetrahedron", "primitives": [
  {"attributes": {"POSITION": 0, "TEXCOORD_0": 1, "COLOR_0": 2, "_HEAT": 3, "_FIBRE": 0,
   "NORMAL": 99}, "indices": 4}, {"attributes": {}, "mode": 1}]}],
"accessors": [
  {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
  {"bufferView": 1, "componentType": 5123, "normalized": true, "count": 4, "type": "VEC2"},
  {"bufferView": 2, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC3"},
  {"bufferView": 3, "componentType": 5126, "count": 4, "type": "SCALAR"},
  {"bufferView": 3, "componentType": 5123, "count": 12, "type": "SCALAR", "byteOffset": 16}],
"bufferViews": [
  {"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 16},
  {"buffer": 0, "byteOffset": 64, "byteLength": 16, "byteStride": 4},
  {"buffer": 0, "byteOffset": 80, "byteLength": 40}],
"buffers": [{URI"byteLength": 120}]}"#
        .replace("URI", uri)
}

fn glb(json: &str, blob: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((28 + json.len() as u32 + blob.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((blob.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(blob);
    bytes
}

#[test]
fn gltf_with_everything() {
    let surface = read("a.glb", glb(&gltf_json(""), &gltf_buffer()));
    assert_eq!(surface.vertices.len(), 8);
    assert_eq!(surface.triangles.len(), 8);
    // (1, 0, 0) turned by 90° about z is (0, 1, 0); doubled and moved by the parent
    assert!((surface.vertices[1] - DVec3::new(10.0, 2.0, 0.0)).length() < 1e-12);
    // the mirror must not turn the solid inside out
    assert_eq!(surface.vertices[7], DVec3::new(0.0, 0.0, 4.0));
    assert!((surface.volume() - (8.0 + 1.0) / 6.0).abs() < 1e-6, "{}", surface.volume());
    assert_eq!(surface.euler_characteristic(), 4);
    assert_eq!(surface.objects.names, ["big", "tetrahedron"]);
    assert_eq!(surface.objects.of, [0, 0, 0, 0, 1, 1, 1, 1]);

    let expected: Vec<f32> = [0, 2, 4, 6, 0, 2, 4, 6].map(|k| k as f32 * 8191.0 / 65535.0).into();
    let u = |v: u32| expected[v as usize];
    for (triangle, uv) in surface.triangles.iter().zip(&surface.uvs) {
        assert_eq!(uv.map(|uv| uv[0]), triangle.map(u));
    }
    let names: Vec<_> = surface.attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(
        names,
        ["FIBRE.x", "FIBRE.y", "FIBRE.z", "HEAT", "colour.b", "colour.g", "colour.r"]
    );
    assert_eq!(values(&surface, "HEAT"), [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0]);
    let green = [1, 5, 9, 13, 1, 5, 9, 13].map(|k| (f64::from(k * 17) / 255.0) as f32);
    assert_eq!(values(&surface, "colour.g"), green);
    assert_eq!(values(&surface, "FIBRE.y"), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn gltf_buffers_in_the_file_and_beside_it() {
    let surface = read("a.glb", glb(&gltf_json(""), &gltf_buffer()));
    let data = encode(&gltf_buffer());
    let data = gltf_json(&format!(r#""uri": "data:application/octet-stream;base64,{data}", "#));
    assert_eq!(read("a.gltf", &data), surface);
    assert_eq!(read("a.gltf", format!("\n  {data}")), surface);
    // the same content under the other ending
    assert_eq!(read("a.gltf", glb(&gltf_json(""), &gltf_buffer())), surface);

    let mut assets = Memory::default();
    assets.insert("meshes/a.gltf", gltf_json(r#""uri": "the%20corners.bin", "#));
    assets.insert("meshes/the corners.bin", gltf_buffer());
    assert_eq!(read_from("meshes/a.gltf", &assets), surface);
}

#[test]
fn gltf_strips_and_fans() {
    let json = |mode: u32| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "mode": {mode}}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5121, "count": 5, "type": "VEC3"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 15}}], "buffers": [{{"byteLength": 15}}]}}"#
        )
    };
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 2, 0_u8]];
    let strip = read("a.glb", glb(&json(5), corners.as_flattened()));
    assert_eq!(strip.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    assert_eq!(strip.objects.names, ["node 0"]);
    let fan = read("a.glb", glb(&json(6), corners.as_flattened()));
    assert_eq!(fan.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
}

// ------------------------------------------------------------------------------------- bad inputs

fn bad_gltf(wrong: &str, right: &str) -> String {
    let json = gltf_json("");
    assert!(json.contains(right), "{right}");
    error("a.glb", glb(&json.replacen(right, wrong, 1), &gltf_buffer()))
}

#[test]
fn bad_obj_files() {
    let cases = [
        ("", "the file is empty"),
        ("hello world\n", "line 1: \"hello\" is no statement of OBJ such as `v`, `vt`, `f` or `o`"),
        (
            "v 0 0\n",
            "line 1: a vertex has 3 coordinates, then perhaps a colour of 3; here are 2 numbers",
        ),
        // an empty line ends what a backslash joins
        (
            "v 0 0 \\\n\n0\n",
            "line 1: a vertex has 3 coordinates, then perhaps a colour of 3; here are 2 numbers",
        ),
        ("v 0 0 x1\n", "line 1: \"x1\" is no number that can be used"),
        ("v 0 nan 0\n", "line 1: \"nan\" is no number that can be used"),
        ("v 0 1e999 0\n", "line 1: \"1e999\" is no number that can be used"),
        (
            "v 0 0 0 1 1 1\nv 0 0 0\n",
            "line 2: vertex 2 has no colour, but those before it have a colour; all or none must",
        ),
        (
            "# only talk\nv 0 0 0\n",
            "the file holds no faces: there must be at least one line `f 1 2 3`",
        ),
        (
            "v 0 0 0\nv 1 0 0\nl 1 2\n",
            "the file holds no faces, only 1 curves: there must be at least one line `f 1 2 3`",
        ),
        ("v 0 0 0\nf 1 1\n", "line 2: a face has at least 3 corners; here are 2"),
        (
            "v 0 0 0\n\nf 1 1 1200\n",
            "line 3: face corner 3 names vertex 1200, but only 1 vertices are defined so far",
        ),
        (
            "v 0 0 0\nf 1 0 1\n",
            "line 2: face corner 2 names vertex 0, but vertices are counted from 1",
        ),
        (
            "v 0 0 0\nf -1 -1 -2\n",
            "line 2: face corner 3 names vertex -2, but only 1 vertices are defined so far",
        ),
        (
            "v 0 0 0\nf 1 -9223372036854775808 1\n",
            "line 2: face corner 2 names vertex -9223372036854775808, but only 1 vertices are \
             defined so far",
        ),
        (
            "v 0 0 0\nf 1/2 1 1\n",
            "line 2: face corner 1 names texture coordinate 2, but only 0 texture coordinates are \
             defined so far",
        ),
        (
            "v 0 0 0\nvt 0 0\nf 1/1 1 1\n",
            "line 3: some corners of the face have texture coordinates and some have not; all or \
             none must",
        ),
        (
            "v 0 0 0\nf a b c\n",
            "line 2: face corner 1 names vertex \"a\", which is no whole number",
        ),
        ("vt\n", "line 1: a texture coordinate has 1 to 3 numbers; here are none"),
        ("cstype bspline\n", "line 1: \"cstype\" is a free-form shape; export polygons instead"),
        (
            "ply\nformat ascii 1.0\n",
            "the ending says OBJ, but the content is PLY; give the file the ending of what it is",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(error("a.obj", text), message);
    }
}

#[test]
fn bad_stl_files() {
    let facet = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
    let cases = [
        (
            "gear".to_string(),
            "the file has 4 bytes; an STL file begins with the word `solid` or with a header of 84 bytes",
        ),
        ("solid a\nendsolid a\n".into(), "the file holds no triangles"),
        (
            "solid a\nfacet\n".into(),
            "line 2: the file ends where `outer loop` after the normal should stand",
        ),
        (
            "solid a\nfacet normal 0 0 1 2 outer loop".into(),
            "line 2: \"2\" stands where `outer loop` after the normal should",
        ),
        (format!("{facet}endloop\n"), "line 6: \"endloop\" stands where `vertex` should"),
        (
            format!("{facet}vertex 0 1 0\nvertex 1 1 0\n"),
            "line 7: \"vertex\" stands where `endloop` should",
        ),
        (format!("{facet}vertex 0 1 inf\n"), "line 6: \"inf\" stands where a number should"),
        (
            format!("{facet}vertex 0 1 0\nendloop\nendfacet\n"),
            "line 8: the file ends where `facet` or `endsolid` should stand",
        ),
        (
            format!("{facet}vertex 0 1 0\nendloop\nendfacet\nendsolid\nhello"),
            "line 10: \"hello\" stands where `solid`, or the end of the file should",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(error("a.stl", text), message);
    }

    let mut bytes = stl_binary(b"");
    bytes[80] = 66;
    let message = "byte 80: the header announces 66 triangles, which makes a file of 3384 bytes, but it has 284";
    assert_eq!(error("a.stl", &bytes), message);
    bytes = stl_binary(b"");
    bytes[84 + 50 + 24..84 + 50 + 28].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(error("a.stl", &bytes), "byte 158: corner 1 of triangle 1 is at [NaN, 0, 0]");
}

#[test]
fn bad_ply_files() {
    let right = String::from_utf8(ply("ascii")).unwrap();
    for (from, to, message) in [
        ("ply\n", "plx\n", "line 1: a PLY file begins with the line `ply`, not with \"plx\""),
        (
            "end_header",
            "end",
            "line 20: \"end\" stands in the header where `element`, `property` or `end_header` should",
        ),
        (
            "format ascii 1.0\n",
            "",
            "line 19: the header ends without a line `format ascii 1.0` or `format binary_little_endian 1.0`",
        ),
        (
            "ascii",
            "text",
            "line 2: \"text\" is no format; known are ascii, binary_little_endian and binary_big_endian",
        ),
        ("1.0", "2.0", "line 2: the version is \"2.0\"; only 1.0 exists"),
        (
            "double",
            "real",
            "line 7: \"real\" is no type; known are char, uchar, short, ushort, int, uint, float and double",
        ),
        ("double y", "double x", "line 7: `vertex` has two properties `x`"),
        ("double y", "double why", "line 5: the element `vertex` has no property `y`"),
        (
            "element vertex 4",
            "element vertex -4",
            "line 5: the element `vertex` has the count \"-4\"; it must be a whole number",
        ),
        (
            "element vertex 4",
            "element vertex 4294967295",
            "line 5: 4294967295 elements `vertex` of at least 18 bytes each are announced, but only 148 bytes follow",
        ),
        (
            "element vertex 4",
            "element vertex 3",
            "line 27: face 0 ends with \"1\", which is beyond its last property",
        ),
        (
            "element vertex",
            "element point",
            "line 15: the element `face` comes before `vertex`; it must come after",
        ),
        (
            "element face",
            "element faces",
            "there is no element `face`; the file has: vertex, faces, edge",
        ),
        (
            "vertex_indices",
            "corners",
            "line 15: the element `face` has no list `vertex_indices` or `vertex_index`",
        ),
        (
            "element edge 1\nproperty int v\n",
            "element edge 9\n",
            "line 18: the element `edge` has no properties",
        ),
        ("0.5 -1", "0.5", "line 21: `quality` of vertex 0 is missing at the end of the line"),
        ("0 0 0 7", "0 zero 0 7", "line 21: `y` of vertex 0 is \"zero\", which is no number"),
        ("0 0 0 7", "0 nan 0 7", "line 21: `y` of vertex 0 is \"nan\", which is no number"),
        (
            "0.5 -1",
            "0.5 -1 9",
            "line 21: vertex 0 ends with \"9\", which is beyond its last property",
        ),
        (
            "1 3 0  1  3",
            "1 -3 0  1  3",
            "line 29: `vertex_indices` of face 0 has the length -3; it must be a whole number",
        ),
        (
            "1 3 0  1  3",
            "1 99 0  1  3",
            "line 29: `vertex_indices` of face 0 has 99 items, but only 9 bytes are left for them",
        ),
        ("1 3 0  1  3", "1 2 0  1", "line 29: face 0 has 2 corners; it must have at least 3"),
        (
            "1 3 0  1  3",
            "1 3 0  1  4",
            "line 29: face 0 names vertex 4, but there are only 4 vertices",
        ),
        (
            "1 3 0  1  3",
            "1 3 0  1  0.5",
            "line 29: face 0 names vertex 0.5, but there are only 4 vertices",
        ),
        (
            "\r\n7",
            "",
            "line 18: 1 elements `edge` of at least 2 bytes each are announced, but only 0 bytes follow",
        ),
        ("\r\n7", "\n\n\n", "line 34: the file ends after 0 of 1 elements `edge`"),
    ] {
        assert!(right.contains(from), "{from}");
        let found = error("a.ply", right.replacen(from, to, 1));
        assert!(found.starts_with(message), "{found}\nnot {message}");
    }
    let mut bytes = ply("binary_little_endian");
    bytes.truncate(bytes.len() - 20);
    let found = error("a.ply", &bytes);
    assert!(found.contains("of face 2 has 4 items, but only"), "{found}");
    let mut bytes = ply("binary_big_endian");
    let start = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    bytes[start..start + 4].copy_from_slice(&f32::INFINITY.to_be_bytes());
    assert_eq!(error("a.ply", &bytes), format!("byte {start}: `x` of vertex 0 is inf"));
}

#[test]
fn bad_gltf_files() {
    for (right, wrong, message) in [
        ("\"2.0\"", "\"1.0\"", "the version of glTF is \"1.0\"; it must be 2.0"),
        (
            "KHR_mesh_quantization",
            "KHR_draco_mesh_compression",
            "the file requires the extension \"KHR_draco_mesh_compression\", which cannot be read; export it without compression and without extensions",
        ),
        ("\"scene\": 0", "\"scene\": 3", "the scene is number 3, but there are only 1"),
        ("\"nodes\": [0, 2]", "\"nodes\": [0, 7]", "node 7 is named, but there are only 3 nodes"),
        (
            "\"children\": [1]",
            "\"children\": [2]",
            "node 2 has more than one parent; nodes must form a tree",
        ),
        (
            "\"children\": [1]",
            "\"children\": [0]",
            "node 0 has more than one parent; nodes must form a tree",
        ),
        ("\"mesh\": 0", "\"mesh\": 9", "node 1 names mesh 9, but there are only 1"),
        (
            "[10, 0, 0]",
            "[1e308, 0, 0], \"scale\": [1e308, 1, 1]",
            "node 1 has a transform that is not finite",
        ),
        (
            "\"POSITION\": 0",
            "\"POSITIO\": 0",
            "mesh 0, primitive 0: there is no attribute POSITION",
        ),
        (
            "\"POSITION\": 0",
            "\"POSITION\": 9",
            "mesh 0, primitive 0: accessor 9 is named, but there are only 5",
        ),
        (
            "\"POSITION\": 0",
            "\"POSITION\": 3",
            "mesh 0, primitive 0: POSITION has 1 numbers each; it must have 3",
        ),
        (
            "\"count\": 4",
            "\"count\": 0",
            "mesh 0, primitive 0: accessor 0 has 0 values of 12 bytes, 12 apart, but its view has 48 bytes for them",
        ),
        (
            "\"count\": 4",
            "\"count\": 18446744073709551615",
            "mesh 0, primitive 0: accessor 0 has 18446744073709551615 values of 12 bytes, 12 apart, but its view has 48 bytes for them",
        ),
        (
            "\"count\": 4",
            "\"count\": 3",
            "mesh 0, primitive 0: COLOR_0 has 4 values, but there are 3 vertices",
        ),
        (
            "\"count\": 12",
            "\"count\": 11",
            "mesh 0, primitive 0: there are 11 corners, which is no multiple of 3",
        ),
        (
            "\"indices\": 4",
            "\"indices\": 3",
            "mesh 0, primitive 0: the indices must be SCALAR, unsigned and not normalized",
        ),
        ("\"indices\": 4", "\"mode\": 7", "mesh 0, primitive 0: there is no mode 7"),
        ("\"indices\": 4", "\"mode\": 1", "the file holds no triangles in its scene"),
        ("5126", "5130", "mesh 0, primitive 0: accessor 0 has the unknown component type 5130"),
        (
            "\"VEC3\"",
            "\"MAT4\"",
            "mesh 0, primitive 0: accessor 0 has the type \"MAT4\"; SCALAR and VEC2 to VEC4 can be read",
        ),
        (
            "\"VEC3\"",
            "\"VEC3\", \"sparse\": {}",
            "mesh 0, primitive 0: accessor 0 is sparse or has no buffer view, which cannot be read; export plain ones",
        ),
        (
            "\"byteStride\": 4",
            "\"byteStride\": 2",
            "mesh 0, primitive 0: accessor 2 has a stride of 2 bytes for values of 3",
        ),
        (
            "\"byteLength\": 16, \"byteStride\"",
            "\"byteLength\": 99, \"byteStride\"",
            "mesh 0, primitive 0: buffer view 2 spans bytes 64 to 163 of a buffer of 120 bytes",
        ),
        (
            "{\"buffer\": 0,",
            "{\"buffer\": 2,",
            "mesh 0, primitive 0: buffer view 0 names buffer 2, but there are only 1",
        ),
        (
            "\"byteLength\": 120",
            "\"byteLength\": 121",
            "buffer 0 should have 121 bytes, but has only 120",
        ),
        (
            "\"byteLength\": 120",
            "\"uri\": \"x.bin\", \"byteLength\": 120",
            "buffer 0 is missing: there is no file \"x.bin\"",
        ),
        (
            "\"byteLength\": 120",
            "\"uri\": \"data:,x\", \"byteLength\": 120",
            "buffer 0 is a `data:` address without `;base64,`",
        ),
        (
            "\"byteLength\": 120",
            "\"uri\": \"data:;base64,AAA!\", \"byteLength\": 120",
            "buffer 0 is no base64 at its character 3",
        ),
        (
            "\"asset\": {",
            "\"asset\": 3, {",
            "byte 30: the JSON is not glTF: invalid type: integer `3`, expected struct Asset",
        ),
        (
            "\"byteOffset\": 16",
            "\"byteOffset\": 14",
            "mesh 0 of \"big\": triangle 0 names vertex 16448, but there are only 4",
        ),
    ] {
        assert_eq!(bad_gltf(wrong, right), message);
    }

    let right = glb(&gltf_json(""), &gltf_buffer());
    for length in 4..right.len() {
        let found = error("a.glb", &right[..length]);
        let cut_off = found
            .starts_with(&format!("byte {length}: the file ends inside a GLB header"))
            || found.contains(&format!("but has {length}: it is cut off"));
        assert!(cut_off, "{length}: {found}");
    }
    let mut bytes = right.clone();
    bytes[8] = 4;
    bytes[9] = 0;
    assert_eq!(error("a.glb", &bytes), "byte 4: the file ends inside a GLB header");
    bytes = right.clone();
    bytes[16] = b'X';
    assert_eq!(
        error("a.glb", &bytes),
        "byte 16: the chunk is of kind \"XSON\", but \"JSON\" should stand here"
    );
    assert_eq!(
        error("a.gltf", "\n\n{\"asset\": 3}"),
        "line 3: the JSON is not glTF: invalid type: integer `3`, expected struct Asset"
    );
    assert_eq!(error("a.gltf", "{}"), "line 1: the JSON is not glTF: missing field `asset`");
    assert_eq!(
        error("a.obj", &right),
        "the ending says OBJ, but the content is glTF; give the file the ending of what it is"
    );
}

#[test]
fn bad_paths() {
    let message = |path: &str| files::read(path, &Memory::default()).unwrap_err().to_string();
    assert_eq!(message("a.obj"), "there is no file \"a.obj\"");
    let known = message("meshes.d/fracture");
    assert!(
        known.starts_with("the ending of \"fracture\" is none that can be read; known are .obj")
    );
    assert!(known.contains(".glb"));
    assert!(message("a.fbx").contains("\"a.fbx\""));
}

// -------------------------------------------------------------------------------- hostile inputs

/// Bytes that would grow by repetition: each is refused, or is small.
#[test]
fn repetition_does_not_multiply() {
    // one mesh of 30,000 vertices, placed by 30,000 nodes
    let corners = vec![0_u8; 90_000];
    let nodes = format!("{{\"mesh\":0}}{}", ",{\"mesh\":0}".repeat(29_999));
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{nodes}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5121, "count": 30000, "type": "VEC3"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 90000}}], "buffers": [{{"byteLength": 90000}}]}}"#
    );
    assert_eq!(
        error("a.glb", glb(&json, &corners)),
        "30000 nodes repeat meshes until there are 900000000 vertices and 300000000 triangles, \
         more than 32 times the size of the file"
    );
    // a file that is its own buffer, a hundred times
    let buffers = vec![r#"{"uri":"a.gltf","byteLength":1}"#; 100].join(",");
    let json = format!(r#"{{"asset": {{"version": "2.0"}}, "buffers": [{buffers}]}}"#);
    assert_eq!(error("a.gltf", json), "the file holds no triangles in its scene");
    // nesting
    let json = format!(r#"{{"asset": {{"version": "2.0", "extras": {}"#, "[".repeat(100_000));
    assert!(error("a.gltf", json).starts_with("line 1: the JSON is not glTF: EOF"));
}
