//! Reads attachments.

use fracas::world::AttachKind;
use toml::Spanned;

use crate::bodies::Bodies;
use crate::error::Problem;
use crate::grips::{find_targets, read_box};
use crate::reader::Reader;
use crate::scene::Attachment;

pub(crate) fn read_attachments(top: &Reader<'_>, bodies: &Bodies) -> Vec<Attachment> {
    let mut attachments = Vec::new();
    for reader in top.list("attachments", |number, _| format!("attachment {number}")) {
        attachments.extend(read_attachment(&reader, top, bodies));
        reader.finish();
    }
    attachments
}

fn read_attachment(reader: &Reader<'_>, top: &Reader<'_>, bodies: &Bodies) -> Option<Attachment> {
    let ends = ["body", "to"].map(|field| {
        let name = reader.optional_text(field)?;
        one_body(reader, &name, top, bodies)
    });
    let region = reader.table("region").map(|region| {
        let bounds = read_box(&region);
        region.finish();
        bounds
    });
    let distance = reader.number("distance") as f32;
    let [strength, toughness] = ["strength", "toughness"].map(|name| above_0(reader, name));
    let kind = match reader.kind() {
        "hinge" => {
            let point = reader.optional_vector("point");
            let axis = reader.optional_vector("axis");
            let axis = axis?.into_inner().map(|x| x as f32);
            AttachKind::Hinge { point: point?.into_inner(), axis }
        }
        _ => AttachKind::Glue,
    };
    let region = match region {
        Some(bounds) => Some(bounds?),
        None => None,
    };
    let [a, b] = ends;
    let (bodies, span) = ([a?, b?], reader.span.clone());
    Some(Attachment {
        bodies,
        kind,
        distance,
        region,
        strength: strength?,
        toughness: toughness?,
        span,
    })
}

/// The instance that a name stands for; a body with copies stands for several.
fn one_body(
    reader: &Reader<'_>,
    name: &Spanned<String>,
    top: &Reader<'_>,
    bodies: &Bodies,
) -> Option<usize> {
    let found = find_targets(reader.context, name, top, bodies, "attach")?;
    if found.len() > 1 {
        let name_of_all = name.get_ref();
        let message = format!("there are {} copies of body `{name_of_all}`", found.len());
        let error = reader.context.error(Problem::Conflict, name.span(), message);
        let help =
            format!("an attachment joins two bodies: name one of them, as `{name_of_all}-1`");
        reader.context.report(error.help(help));
        return None;
    }
    found.clone().next()
}

fn above_0(reader: &Reader<'_>, name: &str) -> Option<f32> {
    let value = reader.number(name) as f32;
    if value > 0.0 {
        return Some(value);
    }
    let span = reader.value_span(name).unwrap_or_else(|| reader.span.clone());
    let message = format!("`{name}` of {} is {value}, not above 0", reader.name);
    let error = reader.context.error(Problem::OutOfRange, span, message);
    reader.context.report(error.help("write a number above 0 or `inf`"));
    None
}
