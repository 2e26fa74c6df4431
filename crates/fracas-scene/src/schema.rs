//! The format as a JSON schema, for editors.

use serde_json::{Map, Value as Json, json};

use crate::format::{self, Absent, Field, OneOf, Range, Table, Value};
use crate::materials;

/// The JSON schema of a scene file.
///
/// Editors that know it complete field names and mark mistakes while a scene is written. `inf`,
/// which JSON does not have, is a number here as it is in TOML.
pub fn schema() -> Json {
    let mut material = materials::SCHEMA.clone();
    // Definitions are shared by the whole document and stand at its top.
    let definitions = material.as_object_mut().and_then(|object| object.remove("$defs"));
    if let Some(object) = material.as_object_mut() {
        object.remove("$schema");
    }
    if let Some(properties) = material.get_mut("properties").and_then(Json::as_object_mut) {
        let names: Vec<&str> =
            fracas::material::presets::PRESETS.iter().map(|(name, _)| *name).collect();
        let preset =
            json!({ "type": "string", "enum": names, "description": materials::PRESET_ABOUT });
        properties.insert(materials::PRESET.into(), preset);
    }
    let mut scene = table(&format::SCENE, &material);
    if let Some(object) = scene.as_object_mut() {
        object.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        object.insert("title".into(), "Fracas scene".into());
        object.insert("$defs".into(), definitions.unwrap_or_else(|| json!({})));
    }
    scene
}

fn table(table: &Table, material: &Json) -> Json {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if !table.kind.is_empty() {
        properties.insert("kind".into(), json!({ "const": table.kind }));
        required.push("kind");
    }
    for field in table.fields {
        properties.insert(field.name.into(), self::field(field, material));
        if matches!(field.absent, Absent::Refused) {
            required.push(field.name);
        }
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn field(field: &Field, material: &Json) -> Json {
    let mut schema = value(&field.value, material);
    let mut about = field.about.to_string();
    if !field.unit.is_empty() {
        about = format!("{about}, in {}", field.unit);
    }
    let default = match &field.absent {
        Absent::Refused | Absent::Fine => None,
        Absent::Flag(flag) => Some(json!(flag)),
        Absent::Number(x) if x.fract() == 0.0 => Some(json!(*x as i64)),
        Absent::Number(x) => Some(json!(x)),
        // JSON has no infinity.
        Absent::Vector(v) if v.iter().any(|x| x.is_infinite()) => None,
        Absent::Vector(v) => Some(json!(v)),
        Absent::Text(text) => Some(json!(text)),
    };
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".into(), about.into());
        if let Some(default) = default {
            object.insert("default".into(), default);
        }
    }
    schema
}

fn value(value: &Value, material: &Json) -> Json {
    let kinds =
        |kinds: &OneOf| -> Vec<Json> { kinds.tables.iter().map(|k| table(k, material)).collect() };
    match value {
        Value::Text => json!({ "type": "string", "minLength": 1 }),
        Value::Flag => json!({ "type": "boolean" }),
        Value::Number(range) => number(*range),
        Value::Count(low, high) => json!({ "type": "integer", "minimum": low, "maximum": high }),
        Value::Vector(range) => three(number(*range)),
        Value::Direction => three(number(Range::Finite)),
        Value::Counts(low, high) => {
            three(json!({ "type": "integer", "minimum": low, "maximum": high }))
        }
        Value::Pairs(range) => {
            let pair = number(*range);
            let pair = json!({ "type": "array", "items": pair, "minItems": 2, "maxItems": 2 });
            json!({ "type": "array", "items": pair, "minItems": 2 })
        }
        Value::Points(range) => {
            json!({ "type": "array", "items": three(number(*range)), "minItems": 4 })
        }
        Value::Rows(range) => {
            let row = json!({ "type": "array", "items": number(*range), "minItems": 2 });
            json!({ "type": "array", "items": row, "minItems": 2 })
        }
        Value::CountList(low, high) => {
            let item = json!({ "type": "integer", "minimum": low, "maximum": high });
            json!({ "type": "array", "items": item })
        }
        Value::Choice(names) => json!({ "type": "string", "enum": names }),
        Value::Table(inner) => table(inner, material),
        Value::Kinds(all) => json!({ "oneOf": kinds(all) }),
        Value::List(inner) => json!({ "type": "array", "items": table(inner, material) }),
        Value::ListOfKinds(all) => {
            json!({ "type": "array", "items": { "oneOf": kinds(all) } })
        }
        Value::Materials => json!({ "type": "object", "additionalProperties": material }),
    }
}

fn three(item: Json) -> Json {
    json!({ "type": "array", "items": item, "minItems": 3, "maxItems": 3 })
}

fn number(range: Range) -> Json {
    match range {
        Range::Finite | Range::WithInfinity => json!({ "type": "number" }),
        Range::From0 => json!({ "type": "number", "minimum": 0 }),
        Range::Between(low, high) => json!({ "type": "number", "minimum": low, "maximum": high }),
    }
}
