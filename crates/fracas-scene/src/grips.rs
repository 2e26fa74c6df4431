//! Reads grips.

use fracas::world::{GripMotion, MoveKey, ObstacleMotion, PullKey};
use toml::Spanned;

use crate::bodies::Bodies;
use crate::error::Problem;
use crate::reader::{Context, Reader, Span};
use crate::scene::Grip;

pub(crate) fn read_grips(top: &Reader<'_>, bodies: &Bodies) -> Vec<Grip> {
    let mut grips = Vec::new();
    for reader in top.list("grips", |number, _| format!("grip {number}")) {
        grips.extend(read_grip(&reader, top, bodies));
        reader.finish();
    }
    grips
}

fn read_grip(reader: &Reader<'_>, top: &Reader<'_>, bodies: &Bodies) -> Option<Grip> {
    let name = reader.optional_text("body");
    let targets = name.and_then(|name| find_targets(reader.context, &name, top, bodies, "grip"));
    let region = reader.table("region").and_then(|region| read_region(&region));
    let motion = read_motion(reader);
    let release = reader.optional_number("release").map(Spanned::into_inner);
    let (min, max, region_span) = region?;
    Some(Grip { targets: targets?, min, max, motion: motion?, release, region_span })
}

/// The instances that a name stands for, counted over all bodies.
pub(crate) fn find_targets(
    context: &Context,
    name: &Spanned<String>,
    top: &Reader<'_>,
    bodies: &Bodies,
    what: &str,
) -> Option<std::ops::Range<usize>> {
    if let Some(claim) = bodies.names.get(name.get_ref()) {
        return Some(claim.instances.clone());
    }
    if !context.would_be_first(&name.span()) {
        return None;
    }
    // Nobody knows the copies of a body that is wrong.
    let written = top.names_in_list("bodies", "name");
    if bodies.wrong > 0 && copies_of_some(name.get_ref(), &written) {
        return None;
    }
    let message = format!("there is no body {:?} to {what}", name.get_ref());
    let copies = bodies.names.iter().filter(|(_, claim)| claim.copy_of.is_some());
    let copies = copies.map(|(name, _)| name);
    let known = written.iter().chain(copies).map(String::as_str);
    let all = "bodies of this scene";
    context.report(context.unknown_name(name.span(), message, name.get_ref(), known, all));
    None
}

/// Whether `name` may be that of a copy.
fn copies_of_some(name: &str, written: &[String]) -> bool {
    written.iter().any(|body| name.strip_prefix(body).is_some_and(|rest| rest.starts_with('-')))
}

/// A box that holds something; `None` if it is wrong.
pub(crate) fn read_box(reader: &Reader<'_>) -> Option<[[f64; 3]; 2]> {
    let (min_span, max_span) = (reader.optional_vector("min"), reader.optional_vector("max"));
    let (min, max) = (reader.vector("min"), reader.vector("max"));
    let wrong =
        (reader.has("min") && min_span.is_none()) || (reader.has("max") && max_span.is_none());
    if wrong {
        return None;
    }
    let axes = ["x", "y", "z"];
    for k in 0..3 {
        if min[k] > max[k] {
            let span =
                max_span.as_ref().or(min_span.as_ref()).map_or(reader.span.clone(), Spanned::span);
            let axis = axes[k];
            let message = format!(
                "the region is empty: along {axis}, `max` is {} and `min` is {}",
                max[k], min[k]
            );
            let error = reader.context.error(Problem::EmptyRegion, span, message);
            let error = error.help(format!("let `max[{k}]` be `min[{k}]` or above"));
            reader.context.report(match &min_span {
                Some(min) if max_span.is_some() => error.other(min.span(), "`min` is given here"),
                _ => error,
            });
            return None;
        }
    }
    Some([min, max])
}

fn read_region(reader: &Reader<'_>) -> Option<([f32; 3], [f32; 3], Span)> {
    let [min, max] = read_box(reader)?;
    Some((min.map(|x| x as f32), max.map(|x| x as f32), reader.span.clone()))
}

/// What the grip does: exactly one of three things.
fn read_motion(reader: &Reader<'_>) -> Option<GripMotion> {
    let (hold, moves, pull) =
        (reader.optional_flag("hold"), reader.table("move"), reader.table("pull"));
    let given = reader.given(["hold", "move", "pull"]);
    let choice = "a grip does exactly one thing: `hold = true`, `move = { … }` or `pull = { … }`";
    if let [(first, a), (second, b), ..] = given.as_slice() {
        let message = format!("{} has both `{a}` and `{b}`", reader.name);
        let error = reader.context.error(Problem::Conflict, second.clone(), message);
        reader.context.report(error.other(first.clone(), format!("`{a}` is here")).help(choice));
        return None;
    }
    if given.is_empty() {
        let message = format!("{} does nothing", reader.name);
        let error = reader.context.error(Problem::MissingField, reader.span.clone(), message);
        reader.report_missing(error.help(choice));
        return None;
    }
    if let Some(hold) = hold {
        if !hold.get_ref() {
            let message = format!("{} does nothing: `hold` is `false`", reader.name);
            let error = reader.context.error(Problem::OutOfRange, hold.span(), message);
            reader.context.report(error.help(choice));
        }
        return Some(GripMotion::Hold);
    }
    if let Some(moves) = moves {
        let ObstacleMotion { pivot, axis, keys } = read_move(moves);
        return Some(GripMotion::Move { pivot, axis, keys });
    }
    let pull = pull?;
    let keys = read_keys(&pull, |key, time| PullKey {
        time,
        force: key.vector_f32("force"),
        torque: key.vector_f32("torque"),
    });
    pull.finish();
    Some(GripMotion::Pull { keys })
}

/// A path, of grips and of obstacles.
pub(crate) fn read_move(reader: Reader<'_>) -> ObstacleMotion {
    let keys = read_keys(&reader, |key, time| MoveKey {
        time,
        offset: key.vector_f32("offset"),
        angle: key.number("angle").to_radians() as f32,
    });
    let (pivot, axis) = (reader.vector("pivot"), reader.vector_f32("axis"));
    reader.finish();
    ObstacleMotion { pivot, axis, keys }
}

/// A time table: at least one key, times rising.
pub(crate) fn read_keys<K>(reader: &Reader<'_>, read: impl Fn(&Reader<'_>, f64) -> K) -> Vec<K> {
    let context = reader.context;
    let owner = reader.name.clone();
    let mut before: Option<Spanned<f64>> = None;
    let mut keys = Vec::new();
    let readers = reader.list("keys", |number, _| format!("key {number} in {owner}"));
    if readers.is_empty()
        && let Some(span) = reader.value_span("keys")
    {
        let message = format!("the time table in {owner} is empty");
        let error = context.error(Problem::BadTimes, span, message);
        context.report(error.help("give at least one key: `keys = [{ time = 0.0, … }]`"));
    }
    for key in readers {
        let time = key.optional_number("time");
        if let (Some(before), Some(time)) = (&before, &time)
            && time.get_ref() <= before.get_ref()
        {
            let message =
                format!("times must rise, but {} s follows {} s", time.get_ref(), before.get_ref());
            let error = context.error(Problem::BadTimes, time.span(), message);
            let error = error.other(before.span(), "the key before");
            context.report(error.help("write the keys in the order of time, no two at one moment"));
        }
        keys.push(read(&key, time.as_ref().map_or(0.0, |time| *time.get_ref())));
        before = time.or(before);
        key.finish();
    }
    keys
}
