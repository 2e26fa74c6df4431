//! What somebody can do to a scene while it runs.

use serde::{Deserialize, Serialize};

/// Something done to a scene while it runs. Lengths are in m, in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// Takes hold of the first body that a ray hits, where it hits.
    Grab {
        /// Where the ray starts.
        origin: [f64; 3],
        /// Where it goes; need not be unit length.
        direction: [f32; 3],
    },
    /// Pulls the point that was taken hold of towards a place. Nothing if nothing is held.
    Drag {
        /// The place.
        target: [f64; 3],
    },
    /// Lets go. Nothing if nothing is held.
    Release,
    /// Shoots a rigid ball.
    Shoot {
        /// Where its centre starts.
        origin: [f64; 3],
        /// Where it goes; need not be unit length.
        direction: [f32; 3],
        /// In m/s, above 0.
        speed: f32,
        /// Above 0.
        radius: f32,
        /// What it is made of.
        preset: String,
    },
    /// Cuts all bodies once: the edge of a blade moves straight from here to there.
    Slice {
        /// Both ends of its edge.
        from: [[f64; 3]; 2],
        /// Where these go.
        to: [[f64; 3]; 2],
    },
    /// Changes a value of the material of a body, or of all.
    Material {
        /// The number of its [`BodyId`](fracas::BodyId); all without.
        body: Option<u64>,
        /// As in a scene file, see [`MaterialField`](fracas::material::MaterialField).
        field: String,
        /// In the field's unit; may be infinite where the field allows it.
        #[serde(with = "number")]
        value: f32,
    },
    /// Makes a body, or all, of another material: all values but those that need a reload.
    Preset {
        /// The number of its [`BodyId`](fracas::BodyId); all without.
        body: Option<u64>,
        /// The material.
        preset: String,
    },
    /// Makes a body of a mesh file.
    Drop {
        /// The file, relative to the current folder; `gallery:NAME` for one that comes with the program.
        file: String,
        /// What it is made of.
        preset: String,
        /// How many fragments it can break into.
        pieces: u32,
        /// Where the middle of the box around it goes.
        position: [f64; 3],
        /// Its longest side.
        size: f32,
    },
}

/// Numbers that may be infinite, for which JSON has no number: they are written as text.
mod number {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f32),
        Text(String),
    }

    pub fn serialize<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() {
            serializer.serialize_f32(*value)
        } else {
            serializer.collect_str(value)
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        match Written::deserialize(deserializer) {
            Ok(Written::Number(value)) => Ok(value),
            Ok(Written::Text(text)) if text == "inf" => Ok(f32::INFINITY),
            _ => Err(D::Error::custom("`value` must be a number or \"inf\"")),
        }
    }
}
