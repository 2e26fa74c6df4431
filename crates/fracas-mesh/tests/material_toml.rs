//! Materials as written in TOML. The engine has no file format of its own, so this stands here,
//! with the first crate that can have one for its tests.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use fracas::material::{Material, MaterialDesc, MaterialField, Varying, VaryingDirection, presets};

#[test]
fn an_empty_table_is_the_default() {
    assert_eq!(toml::from_str::<MaterialDesc>("").unwrap(), MaterialDesc::default());
}

#[test]
fn every_form_is_read() {
    let desc: MaterialDesc = toml::from_str(
        r#"
        density = 7850
        youngs_modulus = 2e11
        strength = inf
        yield_stress = { gradient = { from = [0, 0, 0], to = [0, 1, 0], start = 1e5, end = 2e5 } }
        toughness = { noise = { mean = 1e5, spread = 1e4, wavelength = 0.1 } }
        friction = { curvature = { low = 0.1, high = 0.3, range = [0, 20] } }
        thickness = { attribute = { name = "t", scale = 1e-3 } }
        compressive_strength = { curves = { near = 1, far = 2, radius = 0.1, file = "veins.obj" } }
        restitution = { curves = { near = 0, far = 1, radius = 1, lines = [[[0, 0, 0], [1, 0, 0]]] } }

        [grain]
        direction = [0, 1, 0]
        strength_ratio = 0.5

        [inside]
        colour = [1, 0.5, 0]
        "#,
    )
    .unwrap();
    assert_eq!(desc.density, Varying::Constant(7850.0));
    assert_eq!(desc.strength, Varying::Constant(f32::INFINITY));
    assert_eq!(desc.yield_stress.bounds(), Some((1.0e5, 2.0e5)));
    assert_eq!(desc.toughness.bounds(), Some((0.9e5, 1.1e5)));
    assert_eq!(desc.friction.bounds(), Some((0.1, 0.3)));
    assert_eq!(desc.grain.direction, VaryingDirection::Constant([0.0, 1.0, 0.0]));
    assert_eq!(desc.inside.colour, [1.0, 0.5, 0.0]);
    assert_eq!(desc.inside.roughness, MaterialDesc::default().inside.roughness);
    let Varying::Attribute(attribute) = &desc.thickness else { panic!("{:?}", desc.thickness) };
    assert_eq!((attribute.scale, attribute.offset), (1.0e-3, 0.0));

    let refused = Material::try_from(&desc).unwrap_err().to_string();
    assert!(refused.starts_with("compressive_strength follows the curves in \"veins.obj\""));
    let again: MaterialDesc = toml::from_str(&toml::to_string(&desc).unwrap()).unwrap();
    assert_eq!(again, desc);
}

#[test]
fn directions_that_vary_are_read_and_written() {
    for text in [
        "grain.direction = { attribute = { name = \"fibre\" } }",
        "grain.direction = { curves = { file = \"fibres.obj\" } }",
        "grain.direction = { curves = { lines = [[[0, 0, 0], [0, 0, 1]]] } }",
    ] {
        let desc: MaterialDesc = toml::from_str(text).unwrap();
        let again: MaterialDesc = toml::from_str(&toml::to_string(&desc).unwrap()).unwrap();
        assert_eq!(again, desc);
    }
}

/// As text and as a table: a scene merges its own values over the table of a preset.
#[test]
fn presets_survive_writing_and_reading() {
    for (name, make) in presets::PRESETS {
        let desc = make();
        let from_text: MaterialDesc = toml::from_str(&toml::to_string(&desc).unwrap()).unwrap();
        assert_eq!(from_text, desc, "{name} as text");
        let table = toml::Table::try_from(&desc).unwrap();
        assert_eq!(table.try_into::<MaterialDesc>().unwrap(), desc, "{name} as a table");
    }
}

/// The names of `MaterialField` are those of the file, dots included.
#[test]
fn field_names_are_those_of_the_file() {
    for field in MaterialField::ALL {
        let desc: MaterialDesc = toml::from_str(&format!("{field} = 0.25")).unwrap();
        assert_eq!(desc.get(field), &Varying::Constant(0.25));
        let mut expected = MaterialDesc::default();
        *expected.get_mut(field) = 0.25.into();
        assert_eq!(desc, expected);
    }
}

/// What is wrong is said at the place where it is wrong.
#[test]
fn mistakes_are_named_and_located() {
    let cases = [
        ("strenght = 1", "strenght", "unknown field `strenght`"),
        (
            "strength = { nose = { mean = 1 } }",
            "nose",
            "unknown variant `nose`, expected one of `gradient`, `noise`, `curvature`, `attribute`, `curves`",
        ),
        (
            "strength = \"strong\"",
            "\"strong\"",
            "expected a number, or a table with one of gradient, noise, curvature, attribute, curves",
        ),
        ("strength = { noise = { mean = 1, spread = 1 } }", "{ mean", "missing field `wavelength`"),
        (
            "strength = { noise = { mean = 1, spread = 1, wavelength = 1, size = 2 } }",
            "size",
            "unknown field `size`, expected one of `mean`, `spread`, `wavelength`",
        ),
        (
            "strength = { noise = { mean = 1, spread = 1, wavelength = 1 }, attribute = { name = \"a\" } }",
            "{ noise",
            "a value varies in one way only",
        ),
        ("strength = {}", "{}", "expected a number, or a table with one of gradient"),
        ("strength = 1e99", "1e99", "expected a number below 3.4e38"),
        ("grain.direction = [1, 0]", "[1, 0]", "expected three numbers, or a table with one of"),
        ("grain.direction = [1, 0, 0, 0]", "[1, 0, 0, 0]", "expected three numbers"),
        ("grain.direction = 1", "1", "expected three numbers"),
        (
            "grain.direction = { noise = 1 }",
            "noise",
            "unknown variant `noise`, expected `attribute` or `curves`",
        ),
    ];
    for (text, place, message) in cases {
        let error = toml::from_str::<MaterialDesc>(text).unwrap_err();
        assert!(error.message().contains(message), "{text}\n{error}");
        let span = error.span().unwrap();
        assert!(text[span.clone()].starts_with(place), "{text}: points at {:?}", &text[span]);
    }
}
