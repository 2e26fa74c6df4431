//! Reads fields: air and water.

use fracas::world::{FieldDesc, FieldKind, Zone};

use crate::reader::{Reader, Span};

pub(crate) fn read_fields(top: &Reader<'_>) -> Vec<(FieldDesc, Span)> {
    let mut fields = Vec::new();
    for reader in top.list("fields", |number, _| format!("field {number}")) {
        let kind = match reader.kind() {
            "drag" => FieldKind::Drag { rate: reader.number("rate") as f32 },
            _ => FieldKind::Wind {
                velocity: reader.vector_f32("velocity"),
                density: reader.number("density") as f32,
                coefficient: reader.number("coefficient") as f32,
            },
        };
        fields.push((FieldDesc { kind, zone: Zone::Everywhere }, reader.span.clone()));
        reader.finish();
    }
    fields
}
