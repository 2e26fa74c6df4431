//! Reads blades.

use fracas::world::BladeKey;

use crate::bodies::Bodies;
use crate::error::Problem;
use crate::grips::{find_targets, read_keys};
use crate::reader::Reader;
use crate::scene::Blade;

pub(crate) fn read_blades(top: &Reader<'_>, bodies: &Bodies) -> Vec<Blade> {
    let mut blades = Vec::new();
    for reader in top.list("blades", |number, _| format!("blade {number}")) {
        blades.extend(read_blade(&reader, top, bodies));
        reader.finish();
    }
    blades
}

/// `None` if it is wrong.
fn read_blade(reader: &Reader<'_>, top: &Reader<'_>, bodies: &Bodies) -> Option<Blade> {
    let name = reader.optional_text("body");
    let targets = name.map(|name| find_targets(reader.context, &name, top, bodies, "cut"));
    let keys = read_keys(reader, |key, time| BladeKey {
        time,
        ends: [key.vector("from"), key.vector("to")],
    });
    if keys.len() == 1 {
        let span = reader.value_span("keys").unwrap_or_else(|| reader.span.clone());
        let message = format!("{} has one key, so it never moves and cuts nothing", reader.name);
        let error = reader.context.error(Problem::BadTimes, span, message);
        reader.context.report(error.help("give a second key, where its edge is later"));
    }
    let targets = match targets {
        Some(found) => Some(found?),
        None => None,
    };
    Some(Blade { keys, targets, span: reader.span.clone() })
}
