//! Reads bodies: each by itself, then their names and number together.

use std::collections::BTreeMap;

use fracas::geometry::{Pattern, PatternDesc};
use fracas::glam::DVec3;
use fracas::material::Finish;
use fracas::solids::brittle::BrittleOptions;
use fracas::solids::fem::{TetOptions, TetSolver};
use fracas::solids::sheet::{Criterion, SheetOptions, TipTest};
use fracas_mesh::splinters::Splinters;
use toml::Spanned;
use toml::de::DeTable;

use crate::error::{Diagnostic, Problem};
use crate::format::{MOST_BODIES, MOST_COPIES, MOST_PARTICLES, MOST_PARTICLES_OF_SCENE};
use crate::grips::read_box;
use crate::materials::{self, NamedMaterial};
use crate::obstacles::{read_layers, read_rotation};
use crate::reader::{Context, Reader, Span, short};
use crate::scene::{Body, Copies, OfMaterial};
use crate::shapes::{self, Model, Shape};

/// "body `bar`", or "body 3" while its name is not known.
fn body_title(number: usize, values: &DeTable<'_>) -> String {
    match values.get("name").and_then(|name| name.get_ref().as_str()) {
        Some(name) if !name.is_empty() => format!("body `{}`", short(name)),
        _ => format!("body {number}"),
    }
}

/// The bodies read so far.
#[derive(Default)]
pub(crate) struct Bodies {
    pub right: Vec<Body>,
    /// Those that are wrong; what refers to them by name may still be right.
    pub wrong: usize,
    pub names: BTreeMap<String, Claim>,
    instance_count: usize,
    particle_count: u64,
}

/// Who has a name.
pub(crate) struct Claim {
    span: Span,
    /// The body whose copy it is.
    pub copy_of: Option<String>,
    /// The instances it stands for, counted over all bodies that are right.
    pub instances: std::ops::Range<usize>,
}

pub(crate) fn read_bodies(top: &Reader<'_>, materials: &[NamedMaterial]) -> Bodies {
    let mut bodies = Bodies::default();
    for reader in top.list("bodies", body_title) {
        let name = reader.optional_text("name");
        let body = read_body(&reader, materials, name.as_ref());
        match body.filter(|body| bodies.have_room(&reader, body)) {
            Some(body) => {
                bodies.claim_names(top.context, name.as_ref(), Some(&body));
                bodies.right.push(body);
            }
            None => {
                bodies.claim_names(top.context, name.as_ref(), None);
                bodies.wrong += 1;
            }
        }
        reader.finish();
    }
    bodies
}

fn read_body(
    reader: &Reader<'_>,
    materials: &[NamedMaterial],
    name: Option<&Spanned<String>>,
) -> Option<Body> {
    let model = read_model(reader);
    let material = find_material(reader, materials);
    let regions = read_regions(reader, materials);
    let shape = reader.table("shape").and_then(|shape| shapes::read(shape, model));
    let splinters = reader.table("splinters").and_then(|splinters| {
        let read = read_splinters(&splinters, shape.as_ref());
        splinters.finish();
        read
    });
    let (rotation, layers) = (read_rotation(reader), read_layers(reader));
    let pattern = reader.table("pattern").and_then(|pattern| read_pattern(&pattern));
    refuse_pattern(reader, model);
    let paint = reader.table("paint").map(|paint| {
        let number = |name| paint.number(name) as f32;
        let finish = Finish {
            colour: paint.vector_f32("colour"),
            roughness: number("roughness"),
            metallic: number("metallic"),
            transparency: number("transparency"),
            rings: number("rings"),
        };
        paint.finish();
        finish
    });
    let copies = reader.table("copies").and_then(|copies| read_copies(&copies, shape.as_ref()));
    let (position, velocity) = (reader.vector("position"), reader.vector_f32("velocity"));
    let spin = reader.vector("spin").map(|rate| rate.to_radians() as f32);
    Some(Body {
        name: name?.get_ref().clone(),
        span: reader.span.clone(),
        material: material?,
        regions,
        shape: shape?,
        splinters,
        position,
        rotation,
        velocity,
        spin,
        pattern,
        paint,
        copies,
        layers,
    })
}

/// The material that a table names; `None` if there is none such.
fn find_material(reader: &Reader<'_>, materials: &[NamedMaterial]) -> Option<usize> {
    let material = reader.optional_text("material")?;
    let found = materials.iter().position(|known| known.name == *material.get_ref());
    if found.is_none() && reader.context.would_be_first(&material.span()) {
        reader.context.report(unknown_material(reader, &material, materials));
    }
    found
}

fn read_regions(reader: &Reader<'_>, materials: &[NamedMaterial]) -> Vec<OfMaterial> {
    let mut regions = Vec::new();
    let owner = reader.name.clone();
    for region in reader.list("regions", |number, _| format!("region {number} of {owner}")) {
        let (material, bounds) = (find_material(&region, materials), read_box(&region));
        if let (Some(material), Some([min, max])) = (material, bounds) {
            let [min, max] = [min, max].map(|corner| corner.map(|x| x as f32));
            regions.push(OfMaterial { material, min, max });
        }
        region.finish();
    }
    regions
}

/// What the body is drawn in.
fn read_splinters(reader: &Reader<'_>, shape: Option<&Shape>) -> Option<Splinters> {
    match reader.kind() {
        "bricks" => {
            let (size, joint) = (reader.optional_vector("size"), reader.number("joint"));
            Some(Splinters::Bricks { size: size?.into_inner().into(), joint })
        }
        "shards" => {
            let count = reader.optional_count("count")?.into_inner();
            Some(Splinters::Shards { count: count as u32 })
        }
        "slivers" => {
            let [length, width] = ["length", "width"].map(|name| reader.optional_number(name));
            let direction = DVec3::from(reader.vector("direction"));
            let [length, width] = [length?.into_inner(), width?.into_inner()];
            Some(Splinters::Slivers { direction, length, width })
        }
        _ => match shape?.objects() {
            Ok(parts) => Some(Splinters::Objects(parts)),
            Err(what) => {
                let message = format!("there are no objects to draw: {what}");
                let span = reader.span.clone();
                reader.context.report(reader.context.error(Problem::BadMesh, span, message));
                None
            }
        },
    }
}

/// How the body deforms, and what only some models can be told about it.
fn read_model(reader: &Reader<'_>) -> Model {
    let name = reader.text("model");
    let (solver, keeps_volume) = (reader.text("solver"), reader.flag("keeps_volume"));
    let remesh = reader.flag("remesh");
    let (criterion, tips) = (reader.text("criterion"), reader.text("tips"));
    let solver = if solver == "direct" { TetSolver::Direct } else { TetSolver::Iterative };
    let model = match name.as_str() {
        "rigid" => Model::Rigid,
        "corotated" => Model::Corotated(TetOptions { solver, keeps_volume }),
        "brittle" => Model::Brittle(BrittleOptions { solver, remesh }),
        "meshless" => Model::Meshless,
        "sheet" => Model::Sheet(SheetOptions {
            criterion: match criterion.as_str() {
                "separation" => Criterion::Separation,
                _ => Criterion::Stress,
            },
            tips: if tips == "integral" { TipTest::Integral } else { TipTest::Disc },
        }),
        _ => Model::Oriented,
    };
    let soft = "it is for soft bodies: write `model = \"corotated\"`, or leave it out";
    let tets = "it is for bodies of tetrahedra: write `model = \"corotated\"`, or leave it out";
    let hard = "it is for bodies that crack: write `model = \"brittle\"`, or leave it out";
    let thin = "it is for what tears as a sheet: write `model = \"sheet\"`, or leave it out";
    let of_sheets = [("criterion", thin), ("tips", thin)];
    let in_vain: &[(&str, &str)] = match model {
        Model::Corotated(_) => &[("remesh", hard)],
        Model::Brittle(options) if options.remesh => {
            &[("keeps_volume", soft), ("splinters", "leave out `remesh`: splinters are not cut")]
        }
        Model::Brittle(_) => &[("keeps_volume", soft)],
        _ => &[
            ("solver", tets),
            ("keeps_volume", tets),
            ("remesh", hard),
            ("regions", tets),
            ("splinters", tets),
        ],
    };
    let of_sheets = of_sheets.iter().filter(|_| !matches!(model, Model::Sheet(_)));
    for &(name, help) in in_vain.iter().chain(of_sheets) {
        let Some(span) = reader.key(name) else { continue };
        let message = format!("`{name}` does not go with `model = {:?}`", model.name());
        let error = reader.context.error(Problem::Conflict, span, message);
        reader.context.report(error.help(help));
    }
    model
}

/// What does not break has no pattern to break in, and what breaks along tetrahedra takes none.
fn refuse_pattern(reader: &Reader<'_>, model: Model) {
    let (Some(help), Some(span)) = (model.without_fragments(), reader.key("pattern")) else {
        return;
    };
    let message = format!("`pattern` does not go with `model = {:?}`", model.name());
    let error = reader.context.error(Problem::Conflict, span, message);
    reader.context.report(error.help(help));
}

/// Into what a hit breaks the body.
fn read_pattern(reader: &Reader<'_>) -> Option<Pattern> {
    let radius = reader.optional_number("radius");
    let desc = match reader.kind() {
        "voronoi" => {
            let count = reader.optional_count("count");
            let seed = reader.count("seed");
            let radius = radius?.into_inner() as f32;
            PatternDesc::Voronoi { radius, count: count?.into_inner() as u32, seed }
        }
        "radial" => {
            let [rays, rings] = ["rays", "rings"].map(|name| reader.optional_count(name));
            let seed = reader.count("seed");
            let [rays, rings] = [rays?, rings?].map(|count| count.into_inner() as u32);
            PatternDesc::Radial { radius: radius?.into_inner() as f32, rays, rings, seed }
        }
        _ => {
            let size = reader.optional_vector("size");
            let (along, up) = (reader.vector_f32("along"), reader.vector_f32("up"));
            let size = size?.into_inner().map(|length| length as f32);
            let radius = radius?.into_inner() as f32;
            PatternDesc::Brick { size, radius, along, up, origin: [0.0; 3] }
        }
    };
    let made = Pattern::try_from(&desc);
    if let Err(error) = &made {
        let message = format!("{} cannot be made: {error}", reader.name);
        let error = reader.context.error(Problem::Refused, reader.span.clone(), message);
        reader.context.report(error);
    }
    made.ok()
}

impl Bodies {
    /// Counts a body with its copies, and refuses it if the scene becomes too large.
    fn have_room(&mut self, reader: &Reader<'_>, body: &Body) -> bool {
        let copies = body.instance_count();
        self.particle_count += copies as u64 * body.shape.particle_count();
        let bodies = self.instance_count + copies;
        let particles = self.particle_count;
        let (what, most) = if bodies > MOST_BODIES {
            (format!("{bodies} bodies"), format!("{MOST_BODIES} bodies, copies included"))
        } else if particles > MOST_PARTICLES_OF_SCENE {
            let most = format!("{MOST_PARTICLES_OF_SCENE} particles, copies included");
            (format!("about {particles} particles"), most)
        } else {
            return true;
        };
        let message = format!("with {} the scene has {what}", reader.name);
        let error = reader.context.error(Problem::TooLarge, reader.span.clone(), message);
        reader.context.report(error.help(format!("a scene has at most {most}")));
        false
    }

    /// Refuses a name, of a body or of a copy, that is taken. A body that is wrong has a name
    /// too, but no copies that are known.
    fn claim_names(
        &mut self,
        context: &Context,
        name: Option<&Spanned<String>>,
        body: Option<&Body>,
    ) {
        let Some(name) = name else {
            return;
        };
        let first = self.instance_count;
        self.instance_count += body.map_or(0, Body::instance_count);
        let mut claims = vec![(name.get_ref().clone(), first..self.instance_count)];
        if let Some(body) = body.filter(|body| body.copies.is_some()) {
            let copies = body.instances().into_iter().enumerate();
            claims.extend(copies.map(|(k, (copy, _))| (copy, first + k..first + k + 1)));
        }
        for (taken, instances) in claims {
            let copy_of = (taken != *name.get_ref()).then(|| name.get_ref().clone());
            if let Some(first) = self.names.get(&taken) {
                context.report(name_taken(context, name, &taken, first, copy_of));
                return;
            }
            self.names.insert(taken, Claim { span: name.span(), copy_of, instances });
        }
    }
}

fn name_taken(
    context: &Context,
    name: &Spanned<String>,
    taken: &str,
    first: &Claim,
    copy_of: Option<String>,
) -> Diagnostic {
    let message = format!("two bodies are called `{}`", short(taken));
    let error = context.error(Problem::DuplicateName, name.span(), message);
    let other = if first.copy_of.is_some() { "a copy of this one" } else { "the first one" };
    let error = error.other(first.span.clone(), other);
    match first.copy_of.as_ref().or(copy_of.as_ref()) {
        Some(owner) => {
            let owner = short(owner);
            error.help(format!("copies of `{owner}` are called `{owner}-1`, `{owner}-2` …"))
        }
        None => error.help("give every body its own name; `copies` makes many of one"),
    }
}

fn unknown_material(
    reader: &Reader<'_>,
    material: &Spanned<String>,
    materials: &[NamedMaterial],
) -> Diagnostic {
    let (context, name) = (reader.context, material.get_ref());
    let message =
        format!("{} uses material {:?}, which the scene does not define", reader.name, name);
    let known = materials.iter().map(|material| material.name.as_str());
    let all = "materials of this scene";
    let error = context.unknown_name(material.span(), message, name, known, all);
    if materials::is_preset(name) {
        let short = short(name);
        error.help(format!("to use the preset: `[materials.{short}]` with `preset = {name:?}`"))
    } else {
        error
    }
}

fn read_copies(reader: &Reader<'_>, shape: Option<&Shape>) -> Option<Copies> {
    let counts = reader.optional_counts("counts");
    let (spacing, turn) = (reader.vector("spacing"), reader.number("turn").to_radians());
    let counts = counts?;
    let copies: u64 = counts.get_ref().iter().map(|&n| u64::from(n)).product();
    let particles = copies.saturating_mul(shape.map_or(1, Shape::particle_count));
    let too_many = |message: String, most: u64, what: &str| {
        let error = reader.context.error(Problem::TooLarge, counts.span(), message);
        reader.context.report(error.help(format!("at most {most} {what}")));
    };
    if copies > MOST_COPIES {
        let [x, y, z] = *counts.get_ref();
        too_many(format!("{x} × {y} × {z} are {copies} copies"), MOST_COPIES, "copies of a body");
        return None;
    }
    if particles > MOST_PARTICLES {
        let message = format!("{copies} copies have {particles} particles together");
        too_many(message, MOST_PARTICLES, "particles of a body with its copies");
        return None;
    }
    Some(Copies { counts: counts.into_inner(), spacing, turn })
}
