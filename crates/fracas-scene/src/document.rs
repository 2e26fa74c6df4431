//! Reads the whole file, and the tables that are small.

use fracas::WorldConfig;
use toml::de::DeTable;

use crate::attachments::read_attachments;
use crate::blades::read_blades;
use crate::bodies::read_bodies;
use crate::error::{Diagnostic, Problem};
use crate::fields::read_fields;
use crate::format;
use crate::grips::read_grips;
use crate::materials;
use crate::obstacles::read_obstacles;
use crate::reader::{Context, Reader, short};
use crate::scene::{Camera, Scene};

/// How long gravity grows in a scene that settles, in s.
const SETTLE_TIME: f32 = 0.5;

/// `None` for a scene of another format, which is not measured by the rules of this one.
pub(crate) fn read_scene(context: &Context, document: &DeTable<'_>) -> Option<Scene> {
    if let Some(error) = other_format(context, document) {
        context.report(error);
        return None;
    }
    // What the whole file lacks is reported at its beginning.
    let top = Reader::new(context, &format::SCENE, "the scene".into(), document, 0..0);
    top.count("format");
    let title = top.text("title");
    let seed = top.count("seed");
    let settle = if top.flag("settle") { SETTLE_TIME } else { 0.0 };
    let (config, frame_rate, frames) = read_world(&top, settle);
    let camera = read_camera(&top);
    let materials = materials::read(&top);
    let bodies = read_bodies(&top, &materials);
    let obstacles = read_obstacles(&top);
    let grips = read_grips(&top, &bodies);
    let blades = read_blades(&top, &bodies);
    let fields = read_fields(&top);
    let attachments = read_attachments(&top, &bodies);
    top.finish();

    let bodies = bodies.right;
    materials::warn_unused(context, &materials, &bodies);
    Some(Scene {
        source: context.source.clone(),
        title,
        seed,
        config,
        frame_rate,
        frames,
        camera,
        materials,
        bodies,
        obstacles,
        grips,
        blades,
        fields,
        attachments,
        warnings: Vec::new(),
    })
}

fn other_format(context: &Context, document: &DeTable<'_>) -> Option<Diagnostic> {
    let value = document.get("format")?;
    let toml::de::DeValue::Integer(integer) = value.get_ref() else {
        return None;
    };
    let version = short(integer.as_str());
    if version == format::FORMAT.to_string() {
        return None;
    }
    let message = format!("this scene has format {version}, which this program does not know");
    let error = context.error(Problem::UnknownFormat, value.span(), message);
    Some(error.help(format!(
        "this program reads format {}; a higher one needs a newer program",
        format::FORMAT
    )))
}

fn read_world(top: &Reader<'_>, settle: f32) -> (WorldConfig, f64, u64) {
    let empty = DeTable::new();
    let written = top.table("world");
    let absent = || Reader::new(top.context, &format::WORLD, String::new(), &empty, 0..0);
    // The defaults stand in the format, also for a scene that says nothing.
    let world = match &written {
        Some(world) => world,
        None => &absent(),
    };
    let config = WorldConfig {
        gravity: world.vector_f32("gravity"),
        substeps: world.count("substeps") as u32,
        sweeps: world.count("sweeps") as u32,
        fragments_split: world.flag("fragments_split"),
        momentum_correction: world.flag("momentum_correction"),
        settle,
        ..WorldConfig::default()
    };
    let length = (world.number("frame_rate"), world.count("frames"));
    if let Some(world) = written {
        world.finish();
    }
    (config, length.0, length.1)
}

fn read_camera(top: &Reader<'_>) -> Option<Camera> {
    let camera = top.table("camera")?;
    let eye = camera.optional_vector("eye");
    let target = camera.vector("target");
    let field_of_view = camera.number("field_of_view") as f32;
    let eye = eye?;
    if *eye.get_ref() == target {
        let message = "the camera stands where it looks: `eye` and `target` are the same".into();
        let error = top.context.error(Problem::Conflict, eye.span(), message);
        let error = match camera.key("target") {
            Some(key) => error.other(key, "`target` is given here"),
            None => error,
        };
        top.context.report(error.help("move `eye` away from `target`"));
    }
    camera.finish();
    Some(Camera { eye: eye.into_inner(), target, field_of_view })
}
