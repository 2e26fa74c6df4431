//! What holds over the whole format: gallery, schema, documentation, robustness.

use std::path::Path;

use fracas::WorldConfig;
use fracas::geometry::PatternDesc;
use fracas::material::{Finish, MaterialDesc, MaterialField};
use fracas::world::GripMotion;
use serde_json::Value as Json;

use crate::format::{self, Absent, Table, Value};
use crate::{Folder, Memory, Problem, Scene, experiments, gallery, materials, schema};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A scene with these lines after its head.
fn scene(rest: &str) -> Scene {
    Scene::parse("test.toml", &format!("title = \"Test\"\nformat = 1\n{rest}")).unwrap()
}

const BAR: &str = r#"
[materials.rubber]
preset = "rubber"
[[bodies]]
name = "bar"
material = "rubber"
shape = { kind = "bar", length = 1.0, width = 0.2, counts = [10, 2, 2] }
"#;

#[test]
fn every_scene_of_the_gallery_is_right() {
    for entry in gallery() {
        let scene = Scene::open(entry.name).unwrap_or_else(|error| panic!("{error}"));
        scene.check().unwrap_or_else(|error| panic!("{error}"));
        let world = scene.build(1).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(world.body_ids().count(), scene.body_names().len());
        assert_eq!(scene.warnings(), [], "{}", entry.name);
        assert_eq!(scene.title(), entry.title, "the first line is the title");
        let lines = entry.text.lines().count();
        assert!((20..=180).contains(&lines), "{} has {lines} lines", entry.name);
        assert!(!scene.body_names().is_empty() && scene.camera().is_some(), "{}", entry.name);
    }
}

#[test]
fn every_scene_in_the_folder_is_in_the_gallery() {
    let mut files: Vec<String> = std::fs::read_dir(Path::new(ROOT).join("scenes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let all = gallery().into_iter().chain(experiments());
    let mut names: Vec<String> = all.map(|entry| format!("{}.toml", entry.name)).collect();
    names.sort();
    assert_eq!(files, names);
}

/// The format repeats the engine's defaults so that schema and documentation can tell them.
#[test]
fn the_defaults_are_those_of_the_engine() {
    let scene = scene("");
    assert_eq!(scene.world_config(), WorldConfig::default());
    assert_eq!(scene.dt(), 1.0 / 60.0);
}

#[test]
fn what_is_written_arrives_in_the_units_of_the_engine() {
    let scene = scene(&format!(
        r#"
seed = 7
settle = true
[world]
gravity = [0, 0, -1.62]
substeps = 2
sweeps = 16
frame_rate = 120
frames = 30
fragments_split = true
momentum_correction = false
{BAR}
pattern = {{ kind = "radial", radius = 0.3, rays = 9, rings = 3, seed = 5 }}
paint = {{ colour = [0.1, 0.2, 0.3], roughness = 0.25, rings = 0.002 }}
position = [1000, 2, 3]
rotation = {{ axis = [0, 0, 2], angle = 90 }}
velocity = [3, 0, 0]
spin = [0, 180, 0]
copies = {{ counts = [2, 1, 2], spacing = [2, 0, 3] }}
[[obstacles]]
kind = "half-space"
friction = 0.3
[[grips]]
body = "bar-3"
region = {{ max = [0, inf, inf] }}
release = 2.5
move = {{ axis = [0, 0, 1], keys = [{{ time = 0 }}, {{ time = 1, angle = 180, offset = [0, 1, 0] }}] }}
[[grips]]
body = "bar"
region = {{}}
hold = true
"#
    ));
    let expected = WorldConfig {
        gravity: [0.0, 0.0, -1.62],
        substeps: 2,
        sweeps: 16,
        fragments_split: true,
        momentum_correction: false,
        settle: 0.5,
        ..WorldConfig::default()
    };
    assert_eq!(scene.world_config(), expected);
    assert_eq!((scene.frames(), scene.frame_rate(), scene.seed()), (30, 120.0, 7));
    assert_eq!(scene.body_names(), ["bar-1", "bar-2", "bar-3", "bar-4"]);
    assert_eq!(scene.material_names(), ["rubber"]);

    let body = &scene.bodies[0];
    assert_eq!(body.spin, [0.0, std::f32::consts::PI, 0.0]);
    let paint =
        Finish { colour: [0.1, 0.2, 0.3], roughness: 0.25, rings: 0.002, ..Finish::default() };
    assert_eq!(body.paint, Some(paint));
    let radial = PatternDesc::Radial { radius: 0.3, rays: 9, rings: 3, seed: 5 };
    assert_eq!(body.pattern.as_ref().unwrap().desc(), &radial);
    let shifts: Vec<[f64; 3]> = body.instances().into_iter().map(|(_, shift)| shift).collect();
    assert_eq!(shifts, [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 0.0, 3.0], [2.0, 0.0, 3.0]]);

    let [moving, holding] = scene.grips.as_slice() else { panic!() };
    assert_eq!((moving.targets.clone(), holding.targets.clone()), (2..3, 0..4));
    assert_eq!(moving.release, Some(2.5));
    let GripMotion::Move { keys, .. } = &moving.motion else { panic!() };
    assert_eq!(keys[1].angle, std::f32::consts::PI);
    assert_eq!(scene.obstacles[0].desc.friction_static, 0.3);
}

/// A preset is where a material begins, whatever is written over it.
#[test]
fn what_is_written_replaces_the_preset_and_nothing_else() {
    let scene = scene(
        r#"
[materials.oak]
preset = "oak"
density = 700
grain = { strength_ratio = 0.1 }
friction = 5
"#,
    );
    let oak = fracas::material::presets::oak();
    let desc = scene.materials[0].material.as_ref().unwrap().desc().clone();
    let mut expected = oak.clone();
    expected.density = 700.0.into();
    expected.grain.strength_ratio = 0.1.into();
    expected.friction = 5.0.into();
    // Who writes only `friction` does not want to hear about `friction_static`.
    expected.friction_static = 5.0.into();
    assert_eq!(desc, expected);
}

#[test]
fn what_has_no_effect_is_a_warning() {
    let scene = scene(
        r#"
[materials.rubber]
preset = "rubber"
poisson_ratio = 0.3
[materials.spare]
[[bodies]]
name = "bar"
material = "rubber"
shape = { kind = "sphere", radius = 0.2, particles = 10 }
"#,
    );
    let warnings: Vec<String> = scene.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "\
warning: the model `oriented` does not use `poisson_ratio`
 --> test.toml:6:17
  |
6 | poisson_ratio = 0.3
  |                 ^^^
  |
  = help: the value is kept for other models",
            "\
warning: no body is made of material `spare`
 --> test.toml:7:1
  |
7 | [materials.spare]
  | ^^^^^^^^^^^^^^^^^"
        ]
    );
    assert!(scene.warnings().iter().all(|warning| warning.problem() == Problem::NoEffect));
}

#[test]
fn what_cannot_be_opened_says_so() {
    let message = |outcome: Result<Scene, crate::SceneError>| outcome.unwrap_err().to_string();
    assert_eq!(
        message(Scene::open("falling-bra")),
        "\
error: there is no scene \"falling-bra\"
 |
 = help: did you mean `falling-bar`?
 = help: scenes of the gallery: `first-steps`, `falling-bar`, `hanging-bar`, `twist`, `uniaxial`, `free-spin`, `drop-bunny`, `drop-spot`, `drop-gear`, `drop-nut`, `drop-glass`, `drop-panel`, `soft-bunnies`, `heap`, `shot`, `pile`, `dominoes`, `press`, `incline`, `terrain`, `twisted-bars`, `plates`, `bunnies`, `dozen`, `pot`, `statuette`, `through`, `pane`, `chain`, `crumple`, `crash`, `gelatine`, `beach-ball-bunny`, `stack`, `struck-monolith`, `strained-block`, `falling-bunny`, `broken-ring`, `dropped-plate`, `stone-column`, `figure-8`, `wine-glass`, `window-pane`, `wooden-beam`, `steel-plate`, `brick-wall`, `pillar`, `hanging-slab`, `hanging-slab-strands`, `peel`, `thread`, `shear`, `muscle`, `fibre-states`, `plastic-tear`, `rope`, `membrane`, `wound`, `sheet`, `paper`, `flag-shot`, `foil`, `tent`, `all-together`; or give the path of a file"
    );
    assert_eq!(
        message(Scene::open("no/such/scene.toml")),
        "\
error: there is no file \"no/such/scene.toml\"
 |
 = help: give the path of a scene file, or the name of a scene of the gallery"
    );
    assert_eq!(
        message(Scene::read(&Folder::new("."), "../secret.toml")),
        "\
error: the path \"../secret.toml\" leads out of the scene's folder
 |
 = help: paths are relative, without `..`, and use `/`"
    );
    let problem = Scene::load(Path::new(ROOT)).unwrap_err().problem();
    assert!(matches!(problem, Problem::Unreadable | Problem::NotFound), "{problem:?}");
}

/// A small generator of numbers, so that failures repeat.
struct Lot(u64);

impl Lot {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Reads bytes as a scene; whatever comes out, nothing panics, messages included.
fn survive(bytes: Vec<u8>) {
    let mut memory = Memory::default();
    memory.insert("x.toml", bytes);
    match Scene::read(&memory, "x.toml") {
        Ok(scene) => {
            for warning in scene.warnings() {
                assert!(!warning.to_string().is_empty());
            }
        }
        Err(error) => {
            assert!(error.to_string().starts_with("error: "));
            assert!(!error.coloured().is_empty());
            let _ = (error.line(), error.column());
        }
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let nasty: Vec<Vec<u8>> = [
        "1e999",
        "-1e999",
        "nan",
        "inf",
        "-inf",
        "99999999999999999999999999999999999999999",
        "-9223372036854775808",
        "0xffffffffffffffff",
        "\"\"",
        "\"\\u0000\"",
        "[]",
        "{}",
        "[[[[]]]]",
        "true",
        "1979-05-27",
        "\0",
        "\u{feff}",
        "🦀",
        "\r\n",
        "=",
        "]",
        "}",
        "\"",
        "'''",
        "a.b.c = 1\n",
        "[[bodies]]\n",
        "[materials]\n",
        "[[materials]]\n",
        "[bodies]\n",
        "[x.y]\n",
        "0",
        "-1",
        "4294967296",
        "{ kind = 3 }",
        "[1, 2, 3, 4]",
        "1e-400",
        "#",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .chain([vec![0xff, 0xfe], vec![0xc3], vec![b'['; 1000], vec![b'{'; 1000], b"a.".repeat(1000)])
    .collect();

    let mut lot = Lot(1);
    for entry in gallery() {
        // the smallest of the meshes, since it is read thousands of times
        let text = ["bunny.obj", "spot.ply", "gear.stl", "nut.ply", "car.obj"]
            .iter()
            .fold(entry.text.to_string(), |text, name| text.replace(name, "panel.obj"));
        let text = text.as_bytes();
        let lines = entry.text.replace('\n', "\r\n");
        assert!(Scene::parse("crlf.toml", &lines).is_ok(), "line ends of Windows are refused");
        assert!(Scene::parse("bom.toml", &format!("\u{feff}{}", entry.text)).is_ok());
        survive(lines.replace("format", "fromat").into_bytes());
        for end in (0..text.len()).step_by(7) {
            survive(text[..end].to_vec());
        }
        for _ in 0..600 {
            let mut bytes = text.to_vec();
            for _ in 0..=lot.below(3) {
                let (a, b) = (lot.below(bytes.len()), lot.below(24));
                let insert = nasty[lot.below(nasty.len())].clone();
                let end = (a + b).min(bytes.len());
                match lot.below(3) {
                    0 => bytes.splice(a..a, insert).for_each(drop),
                    1 => bytes.splice(a..end, insert).for_each(drop),
                    _ => bytes.splice(a..end, []).for_each(drop),
                }
            }
            survive(bytes);
        }
        // Every value replaced by every nasty one.
        for (at, _) in entry.text.match_indices(" = ") {
            let end = entry.text[at..].find('\n').map_or(entry.text.len(), |n| at + n);
            for value in &nasty {
                survive([&text[..at + 3], value, &text[end..]].concat());
            }
        }
    }
}

/// Time and memory stay in proportion: many mistakes, long names and long lines.
#[test]
fn large_files_are_read_in_time() {
    let head = "title = \"Large\"\nformat = 1\n";
    let mistakes: String = (0..20_000).map(|n| format!("mistake_{n} = 1\n")).collect();
    survive(format!("{head}{mistakes}").into_bytes());
    survive(format!("{head}{} = 1\n", "x".repeat(1 << 20)).into_bytes());
    survive(format!("{head}seed = [{}]\n", "1,".repeat(1 << 18)).into_bytes());
    survive(format!("{head}{}", "[[bodies]]\n".repeat(20_000)).into_bytes());
    let grips = "[[grips]]\nbody = \"foo\"\nregion = {}\nhold = true\n".repeat(10_000);
    let many = "copies = { counts = [10, 10, 10], spacing = [1, 1, 1] }\n";
    let bars: String = (0..50)
        .map(|n| {
            BAR.replace("[materials.rubber]\npreset = \"rubber\"\n", "")
                .replace("\"bar\"\nm", &format!("\"bar {n}\"\nm"))
                + many
        })
        .collect();
    let rubber = "[materials.rubber]\n";
    survive(format!("{head}{rubber}{bars}{grips}").into_bytes());
}

/// The names of all fields in a schema, once each.
fn field_names(schema: &Json, names: &mut Vec<String>) {
    match schema {
        Json::Object(object) => {
            for (key, inner) in object {
                if key == "properties" {
                    names.extend(inner.as_object().unwrap().keys().cloned());
                }
                field_names(inner, names);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| field_names(item, names)),
        _ => {}
    }
    names.sort();
    names.dedup();
}

fn tables() -> Vec<&'static Table> {
    fn add(table: &'static Table, tables: &mut Vec<&'static Table>) {
        tables.push(table);
        for field in table.fields {
            match &field.value {
                Value::Table(inner) | Value::List(inner) => add(inner, tables),
                Value::Kinds(all) | Value::ListOfKinds(all) => {
                    all.tables.iter().for_each(|inner| add(inner, tables));
                }
                _ => {}
            }
        }
    }
    let mut tables = Vec::new();
    add(&format::SCENE, &mut tables);
    tables
}

#[test]
fn the_schema_names_every_field() {
    let mut names = Vec::new();
    field_names(&schema(), &mut names);
    for field in tables().iter().flat_map(|table| table.fields) {
        assert!(names.iter().any(|name| name == field.name), "{} is missing", field.name);
    }
    for field in MaterialField::ALL {
        let name = field.name().split('.').next_back().unwrap();
        assert!(names.iter().any(|known| known == name), "{name} is missing");
    }
}

/// Enough of JSON schema for what ours uses; `Err` says where and why.
fn validate(value: &toml::Value, node: &Json, root: &Json, at: &str) -> Result<(), String> {
    let no = |why: &str| Err(format!("{at}: {why}"));
    if let Some(reference) = node.get("$ref").and_then(Json::as_str) {
        validate(value, root.pointer(&reference[1..]).unwrap(), root, at)?;
    }
    if let Some(all) = node.get("oneOf").and_then(Json::as_array) {
        let fits = all.iter().filter(|one| validate(value, one, root, at).is_ok()).count();
        if fits != 1 {
            return no(&format!("{fits} alternatives fit"));
        }
    }
    let types: Vec<&str> = match node.get("type") {
        Some(Json::String(one)) => vec![one],
        Some(Json::Array(all)) => all.iter().filter_map(Json::as_str).collect(),
        _ => vec![],
    };
    let is = match value {
        toml::Value::String(_) => "string",
        toml::Value::Integer(_) => "integer",
        toml::Value::Float(_) => "number",
        toml::Value::Boolean(_) => "boolean",
        toml::Value::Datetime(_) => "date",
        toml::Value::Array(_) => "array",
        toml::Value::Table(_) => "object",
    };
    let fits = types.contains(&is) || is == "integer" && types.contains(&"number");
    if !types.is_empty() && !fits {
        return no(&format!("is {is}, not {types:?}"));
    }
    if let Some(number) = value.as_float().or(value.as_integer().map(|n| n as f64)) {
        let bound = |name: &str| node.get(name).and_then(Json::as_f64);
        if bound("minimum").is_some_and(|low| number < low)
            || bound("maximum").is_some_and(|high| number > high)
        {
            return no("out of range");
        }
    }
    if let Some(text) = value.as_str() {
        let choices = node.get("enum").and_then(Json::as_array);
        if choices.is_some_and(|all| !all.iter().any(|one| one == text))
            || node.get("const").is_some_and(|one| one != text)
        {
            return no("not a choice");
        }
    }
    if let (Some(items), Some(inner)) = (value.as_array(), node.get("items")) {
        let count = |name: &str| node.get(name).and_then(Json::as_u64);
        if count("minItems").is_some_and(|least| (items.len() as u64) < least)
            || count("maxItems").is_some_and(|most| (items.len() as u64) > most)
        {
            return no("wrong length");
        }
        for (k, item) in items.iter().enumerate() {
            validate(item, inner, root, &format!("{at}[{k}]"))?;
        }
    }
    if let Some(table) = value.as_table() {
        let required = node.get("required").and_then(Json::as_array).into_iter().flatten();
        for name in required.filter_map(Json::as_str) {
            if !table.contains_key(name) {
                return no(&format!("{name} is missing"));
            }
        }
        for (key, inner) in table {
            let at = format!("{at}.{key}");
            match (
                node.get("properties").and_then(|all| all.get(key)),
                node.get("additionalProperties"),
            ) {
                (Some(node), _) => validate(inner, node, root, &at)?,
                (None, Some(Json::Bool(false))) => return no(&format!("{key} is unknown")),
                (None, Some(node)) => validate(inner, node, root, &at)?,
                (None, None) => {}
            }
        }
    }
    Ok(())
}

#[test]
fn the_schema_accepts_the_gallery_and_refuses_mistakes() {
    let schema = schema();
    for entry in gallery() {
        let value: toml::Table = toml::from_str(entry.text).unwrap();
        validate(&value.into(), &schema, &schema, entry.name).unwrap();
    }
    let refused = [
        "unknown-field-material",
        "unknown-field-shape",
        "unknown-preset",
        "unknown-model",
        "wrong-type-vector-of-two",
        "out-of-range-substeps",
        "missing-field-body",
        "varying-missing-part",
        "single-brackets",
    ];
    for name in refused {
        let path = Path::new(ROOT).join(format!("tests/bad-scenes/{name}.toml"));
        let value: toml::Table = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert!(validate(&value.into(), &schema, &schema, name).is_err(), "{name}");
    }
}

/// A table of fields as in the documentation.
fn field_table(table: &Table) -> String {
    let mut text = String::from(
        "| field | value | unit | if left out | meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    if !table.kind.is_empty() {
        text += &format!("| `kind` | `\"{}\"` | | refused | which kind this is |\n", table.kind);
    }
    for field in table.fields {
        let value = match field.value.range() {
            Some(range) => format!("{}, {range}", field.value.text()),
            None => field.value.text(),
        };
        let absent = match &field.absent {
            Absent::Refused => "refused".into(),
            Absent::Fine => "–".into(),
            other => other.text().unwrap(),
        };
        let unit = field.unit;
        text += &format!("| `{}` | {value} | {unit} | {absent} | {} |\n", field.name, field.about);
    }
    text.replace("|  |", "| |")
}

fn material_table() -> String {
    let mut text = String::from("| field | if left out | meaning |\n| --- | --- | --- |\n");
    text += &format!("| `preset` | – | {} |\n", materials::PRESET_ABOUT);
    let default = toml::Table::try_from(MaterialDesc::default()).unwrap();
    let schema = &*materials::SCHEMA;
    let node = |path: &str| {
        let mut node = schema;
        for part in path.split('.') {
            if let Some(reference) = node.get("$ref").and_then(Json::as_str) {
                node = schema.pointer(&reference[1..]).unwrap();
            }
            node = &node["properties"][part];
        }
        node
    };
    const LOOKS: [&str; 6] = [
        "grain.direction",
        "inside.colour",
        "inside.roughness",
        "inside.metallic",
        "inside.transparency",
        "inside.rings",
    ];
    let scalars = MaterialField::ALL.map(MaterialField::name);
    for path in scalars.into_iter().chain(LOOKS) {
        let mut value = &toml::Value::Table(default.clone());
        for part in path.split('.') {
            value = &value[part];
        }
        let about = materials::sentence(node(path)["description"].as_str().unwrap());
        // Values are f32; their digits in f64 would frighten.
        let shown = match value {
            toml::Value::Float(x) => format!("{}", *x as f32),
            toml::Value::Array(v) => {
                let v: Vec<String> =
                    v.iter().map(|x| format!("{}", x.as_float().unwrap() as f32)).collect();
                format!("[{}]", v.join(", "))
            }
            other => other.to_string(),
        };
        text += &format!("| `{path}` | `{shown}` | {about} |\n");
    }
    text
}

/// The tables of `docs/scenes.md` are made from the format. After a change run the test with
/// `UPDATE_DOCS=1`.
#[test]
fn the_documentation_tells_every_field() {
    let path = Path::new(ROOT).join("docs/scenes.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let mut expected = written.clone();
    let all = tables().into_iter().map(|table| (table.name, field_table(table)));
    for (name, fields) in all.chain([("a material", material_table())]) {
        let (begin, end) = (format!("<!-- fields of {name} -->\n"), "<!-- end -->");
        let Some((before, rest)) = expected.split_once(&begin) else {
            panic!("docs/scenes.md has no place for the {begin}");
        };
        let (_, after) = rest.split_once(end).unwrap();
        expected = format!("{before}{begin}\n{fields}\n{end}{after}");
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert!(written == expected, "docs/scenes.md is not up to date: run with UPDATE_DOCS=1");
    }
    let mut names = Vec::new();
    field_names(&schema(), &mut names);
    for name in names {
        assert!(expected.contains(&name), "docs/scenes.md does not mention `{name}`");
    }
}

/// Examples in the documentation are scenes that can be read.
#[test]
fn the_examples_of_the_documentation_are_right() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/scenes.md")).unwrap();
    let examples: Vec<&str> =
        text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 8, "only {} examples", examples.len());
    for example in examples {
        let has = |what: &str| example.contains(what);
        let head = if has("format = ") { "" } else { "title = \"Example\"\nformat = 1\n" };
        let uses_bodies = has("[[grips]]") && !has("[[bodies]]");
        let bar = if uses_bodies { BAR } else { "" };
        let defines = has("[materials") || uses_bodies || !has("[[bodies]]");
        let rubber = if defines { "" } else { "[materials.rubber]\npreset = \"rubber\"\n" };
        let text = format!("{head}{example}\n{rubber}{bar}");
        let scene = Scene::parse("example.toml", &text).unwrap_or_else(|error| panic!("{error}"));
        scene.check().unwrap_or_else(|error| panic!("{error}"));
    }
}
