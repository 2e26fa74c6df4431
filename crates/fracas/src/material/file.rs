//! How a value that varies is read from and written to a file.
//!
//! By hand, because serde's `untagged` forgets where in the file a mistake was and only says that
//! no variant matched.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::varying::{
    Attribute, Curvature, Curves, DirectionAttribute, DirectionCurves, Gradient, Noise, Varying,
    VaryingDirection,
};

/// The keys a value may have instead of a number. An unknown one is refused with this list.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Gradient,
    Noise,
    Curvature,
    Attribute,
    Curves,
}

/// The keys a direction may have instead of a vector.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum DirectionKind {
    Attribute,
    Curves,
}

impl<'de> Deserialize<'de> for Varying {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VaryingVisitor)
    }
}

struct VaryingVisitor;

impl<'de> Visitor<'de> for VaryingVisitor {
    type Value = Varying;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a number, or a table with one of gradient, noise, curvature, attribute, curves",
        )
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Varying, E> {
        let single = value as f32;
        // `inf` may be written, but 1e99 must not turn into it unseen.
        if value.is_finite() && !single.is_finite() {
            return Err(E::invalid_value(Unexpected::Float(value), &"a number below 3.4e38"));
        }
        Ok(Varying::Constant(single))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Varying, E> {
        Ok(Varying::Constant(value as f32))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Varying, E> {
        Ok(Varying::Constant(value as f32))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Varying, A::Error> {
        let value = match map.next_key()? {
            Some(Kind::Gradient) => Varying::Gradient(map.next_value()?),
            Some(Kind::Noise) => Varying::Noise(map.next_value()?),
            Some(Kind::Curvature) => Varying::Curvature(map.next_value()?),
            Some(Kind::Attribute) => Varying::Attribute(map.next_value()?),
            Some(Kind::Curves) => Varying::Curves(map.next_value()?),
            None => return Err(A::Error::invalid_length(0, &self)),
        };
        match map.next_key::<Kind>()? {
            None => Ok(value),
            Some(_) => Err(A::Error::custom("a value varies in one way only, but two are given")),
        }
    }
}

impl<'de> Deserialize<'de> for VaryingDirection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DirectionVisitor)
    }
}

struct DirectionVisitor;

impl<'de> Visitor<'de> for DirectionVisitor {
    type Value = VaryingDirection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("three numbers, or a table with one of attribute, curves")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<VaryingDirection, A::Error> {
        let mut direction = [0.0; 3];
        for (count, part) in direction.iter_mut().enumerate() {
            *part = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(count, &self))?;
        }
        match seq.next_element::<f32>()? {
            None => Ok(VaryingDirection::Constant(direction)),
            Some(_) => Err(A::Error::invalid_length(4, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<VaryingDirection, A::Error> {
        let value = match map.next_key()? {
            Some(DirectionKind::Attribute) => VaryingDirection::Attribute(map.next_value()?),
            Some(DirectionKind::Curves) => VaryingDirection::Curves(map.next_value()?),
            None => return Err(A::Error::invalid_length(0, &self)),
        };
        match map.next_key::<DirectionKind>()? {
            None => Ok(value),
            Some(_) => {
                Err(A::Error::custom("a direction varies in one way only, but two are given"))
            }
        }
    }
}

impl Serialize for Varying {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(value) => serializer.serialize_f32(*value),
            Self::Gradient(v) => one_entry(serializer, "gradient", v),
            Self::Noise(v) => one_entry(serializer, "noise", v),
            Self::Curvature(v) => one_entry(serializer, "curvature", v),
            Self::Attribute(v) => one_entry(serializer, "attribute", v),
            Self::Curves(v) => one_entry(serializer, "curves", v),
        }
    }
}

impl Serialize for VaryingDirection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(direction) => direction.serialize(serializer),
            Self::Attribute(v) => one_entry(serializer, "attribute", v),
            Self::Curves(v) => one_entry(serializer, "curves", v),
        }
    }
}

fn one_entry<S: Serializer>(
    serializer: S,
    key: &'static str,
    value: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

impl JsonSchema for Varying {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Varying".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or one way to vary it in space.",
            "oneOf": [
                { "type": "number" },
                table_schema("gradient", &generator.subschema_for::<Gradient>()),
                table_schema("noise", &generator.subschema_for::<Noise>()),
                table_schema("curvature", &generator.subschema_for::<Curvature>()),
                table_schema("attribute", &generator.subschema_for::<Attribute>()),
                table_schema("curves", &generator.subschema_for::<Curves>()),
            ]
        })
    }
}

impl JsonSchema for VaryingDirection {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "VaryingDirection".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A direction, or one way to vary it in space.",
            "oneOf": [
                generator.subschema_for::<[f32; 3]>(),
                table_schema("attribute", &generator.subschema_for::<DirectionAttribute>()),
                table_schema("curves", &generator.subschema_for::<DirectionCurves>()),
            ]
        })
    }
}

/// A table that holds exactly this key.
fn table_schema(key: &str, value: &Schema) -> Schema {
    json_schema!({
        "type": "object",
        "properties": { key: value },
        "required": [key],
        "additionalProperties": false
    })
}
