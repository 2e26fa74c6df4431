//! Reads materials.
//!
//! Names, meanings and types come from the engine's own description of a material, its ranges
//! from [`MaterialField`]: a value that the engine gains can be written in a scene at once.

use std::sync::LazyLock;

use fracas::material::{
    Material, MaterialDesc, MaterialError, MaterialField, Varying, VaryingDirection, presets,
};
use serde::Deserialize;
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Diagnostic, Problem};
use crate::nearest::nearest;
use crate::reader::{Context, Read, Reader, Span, read_number, short, wrong_type};
use crate::scene::Body;
use crate::shapes::Model;

/// A checked material and where it is defined.
#[derive(Clone, Debug)]
pub(crate) struct NamedMaterial {
    pub name: String,
    pub span: Span,
    /// `None` while the scene is read, if the material is wrong.
    pub material: Option<Material>,
    /// The fields written in the scene, with the places of their values.
    pub written: Vec<(String, Span)>,
}

impl NamedMaterial {
    /// Where a field is written, else the header.
    pub fn place(&self, field: &str) -> Span {
        let written = self.written.iter().find(|(name, _)| name == field);
        written.map_or_else(|| self.span.clone(), |(_, span)| span.clone())
    }
}

/// The field of a material that is ours, not the engine's.
pub(crate) const PRESET: &str = "preset";
/// What it means.
pub(crate) const PRESET_ABOUT: &str =
    "the name of a material to start from; fields that are written replace its values";

/// JSON schema of the engine's material.
pub(crate) static SCHEMA: LazyLock<Json> =
    LazyLock::new(|| schemars::schema_for!(MaterialDesc).to_value());

pub(crate) fn is_preset(name: &str) -> bool {
    fracas::material::preset(name).is_some()
}

/// Whether bodies of the model of this name use a value; a model that scenes do not know uses all.
pub fn model_uses(model: &str, field: MaterialField) -> bool {
    let known = Model::all().into_iter().find(|known| known.name() == model);
    known.is_none_or(|known| uses(known, field))
}

/// Whether bodies of this model use a value.
fn uses(model: Model, field: MaterialField) -> bool {
    use MaterialField as F;
    match model {
        Model::Oriented => !matches!(
            field,
            F::PoissonRatio
                | F::TearRigidity
                | F::FibreInfluence
                | F::RateReference
                | F::StiffeningStrain
                | F::Thickness
                | F::BendingStiffness
        ),
        Model::Corotated(_) => matches!(
            field,
            F::Density
                | F::YoungsModulus
                | F::PoissonRatio
                | F::DampingTime
                | F::Friction
                | F::FrictionStatic
                | F::YieldStress
                | F::CreepRate
                | F::HardeningModulus
                | F::PlasticLimit
                | F::Strength
                | F::CompressiveStrength
                | F::Toughness
                | F::LoadTime
                | F::GrainStrengthRatio
        ),
        Model::Brittle(_) => matches!(
            field,
            F::Density
                | F::YoungsModulus
                | F::PoissonRatio
                | F::Friction
                | F::FrictionStatic
                | F::Strength
                | F::Toughness
                | F::LoadTime
                | F::GrainStrengthRatio
        ),
        Model::Meshless => matches!(
            field,
            F::Density
                | F::YoungsModulus
                | F::PoissonRatio
                | F::DampingTime
                | F::Friction
                | F::FrictionStatic
                | F::YieldStress
                | F::CreepRate
                | F::HardeningModulus
                | F::PlasticLimit
                | F::Strength
                | F::Toughness
                | F::GrainStiffnessRatio
                | F::GrainStrengthRatio
                | F::TearRigidity
                | F::FibreInfluence
                | F::RateReference
                | F::StiffeningStrain
        ),
        Model::Sheet(_) => matches!(
            field,
            F::Density
                | F::YoungsModulus
                | F::PoissonRatio
                | F::DampingTime
                | F::Friction
                | F::FrictionStatic
                | F::YieldStress
                | F::CreepRate
                | F::HardeningModulus
                | F::PlasticLimit
                | F::Strength
                | F::Toughness
                | F::Thickness
                | F::BendingStiffness
                | F::GrainStrengthRatio
        ),
        Model::Rigid => {
            matches!(field, F::Density | F::Friction | F::FrictionStatic | F::Restitution)
        }
    }
}

pub(crate) fn read(top: &Reader<'_>) -> Vec<NamedMaterial> {
    let mut materials = Vec::new();
    for (key, values, span) in top.named("materials") {
        let material = read_material(top.context, key.get_ref(), values, span.clone());
        let mut written = Vec::new();
        collect_written("", values, &mut written);
        materials.push(NamedMaterial { name: key.into_inner(), span, material, written });
    }
    materials
}

/// Warns of what has no effect: values that the model does not use, materials of no body.
pub(crate) fn warn_unused(context: &Context, materials: &[NamedMaterial], bodies: &[Body]) {
    for (index, material) in materials.iter().enumerate() {
        let name = short(&material.name);
        let of_it = bodies.iter().filter(|body| {
            body.material == index || body.regions.iter().any(|region| region.material == index)
        });
        let mut models: Vec<Model> = of_it.map(|body| body.shape.model).collect();
        models.dedup();
        if models.is_empty() {
            let message = format!("no body is made of material `{name}`");
            context.warn(context.error(Problem::NoEffect, material.span.clone(), message));
            continue;
        }
        for field in MaterialField::ALL {
            if models.iter().any(|&model| uses(model, field)) {
                continue;
            }
            let field = field.name();
            if let Some((_, span)) = material.written.iter().find(|(written, _)| written == field) {
                let message = format!("the model `{}` does not use `{field}`", models[0].name());
                let warning = context.error(Problem::NoEffect, span.clone(), message);
                context.warn(warning.help("the value is kept for other models"));
            }
        }
    }
}

fn read_material(
    context: &Context,
    name: &str,
    values: &DeTable<'_>,
    span: Span,
) -> Option<Material> {
    let title = format!("material `{}`", short(name));
    let base = read_preset(context, values);
    let fields = Walk { context, title: &title };
    let right = fields.table(&SCHEMA, "", values, span.clone());
    let mut desc = toml::Table::try_from(base?).ok()?;
    if !right {
        return None;
    }
    for (key, value) in values {
        if key.get_ref() != PRESET {
            merge(&mut desc, key.get_ref(), to_value(value.get_ref())?);
        }
    }
    let mut desc = match MaterialDesc::deserialize(desc) {
        Ok(desc) => desc,
        Err(error) => {
            let message = format!("{title} cannot be read: {}", error.message());
            context.report(context.error(Problem::Refused, span, message));
            return None;
        }
    };
    raise_static_friction(&mut desc, values);
    read_curves(context, &title, values, span.clone(), &mut desc)?;
    match Material::try_from(&desc) {
        Ok(material) => Some(material),
        Err(error) => {
            context.report(refused(context, &title, values, span, &error));
            None
        }
    }
}

/// Reads the files that curves come from; `None` if one is wrong.
fn read_curves(
    context: &Context,
    title: &str,
    values: &DeTable<'_>,
    span: Span,
    desc: &mut MaterialDesc,
) -> Option<()> {
    let read = |field: &str, file: &Option<String>, lines: &mut Vec<Vec<[f32; 3]>>| {
        let Some(file) = file else { return Some(()) };
        match context.files.curves(file) {
            Ok(curves) => lines.extend(curves),
            Err(error) => {
                let path = format!("{field}.curves.file");
                let span = deepest(values, &path).unwrap_or(span.clone());
                let message = format!("{title}: `{}`: {error}", short(file));
                context.report(context.error(Problem::BadMesh, span, message));
                return None;
            }
        }
        Some(())
    };
    for field in MaterialField::ALL {
        if let Varying::Curves(curves) = desc.get_mut(field) {
            read(field.name(), &curves.file, &mut curves.lines)?;
        }
    }
    if let VaryingDirection::Curves(curves) = &mut desc.grain.direction {
        read("grain.direction", &curves.file, &mut curves.lines)?;
    }
    Some(())
}

fn read_preset(context: &Context, values: &DeTable<'_>) -> Option<MaterialDesc> {
    let Some((key, value)) = values.get_key_value(PRESET) else {
        return Some(MaterialDesc::default());
    };
    let Some(name) = value.get_ref().as_str() else {
        let start = key.span().start;
        context.report(wrong_type(context, PRESET, "text in quotes", value, start));
        return None;
    };
    let preset = fracas::material::preset(name);
    if preset.is_none() {
        let message = format!("there is no preset {:?}", name);
        let known = presets::PRESETS.iter().map(|(known, _)| *known);
        let all = "the presets that exist";
        context.report(context.unknown_name(value.span(), message, name, known, all));
    }
    preset
}

/// Who writes only `friction` means friction; at rest it is then at least as high.
fn raise_static_friction(desc: &mut MaterialDesc, values: &DeTable<'_>) {
    if values.contains_key(MaterialField::FrictionStatic.name()) {
        return;
    }
    let (sliding, at_rest) = (desc.friction.constant(), desc.friction_static.constant());
    if let (Some(sliding), Some(at_rest)) = (sliding, at_rest)
        && at_rest < sliding
    {
        desc.friction_static = Varying::Constant(sliding);
    }
}

/// What the engine refused, at the value it is about.
fn refused(
    context: &Context,
    title: &str,
    values: &DeTable<'_>,
    header: Span,
    error: &MaterialError,
) -> Diagnostic {
    let path = match error {
        MaterialError::OutOfRange { field, .. }
        | MaterialError::NoCurvature { field }
        | MaterialError::NoAttribute { field, .. }
        | MaterialError::CurvesNotRead { field, .. } => (*field).to_string(),
        MaterialError::BadVariation { field, part, .. } => format!("{field}.{part}"),
        _ => String::new(),
    };
    let span = deepest(values, &path).unwrap_or(header);
    let (problem, message) = match error {
        MaterialError::OutOfRange { field: "grain.direction", .. } => {
            (Problem::OutOfRange, format!("`{path}` must not be 0: it is a direction"))
        }
        MaterialError::OutOfRange { allowed, found, .. }
        | MaterialError::BadVariation { allowed, found, .. } => {
            let varies = context.source.quote(span.clone()).starts_with('{');
            let is = if varies { "reaches" } else { "is" };
            (Problem::OutOfRange, format!("`{path}` must be {allowed}, but {is} {found}"))
        }
        _ => (Problem::Refused, format!("{title} cannot be used: {error}")),
    };
    let parts: Vec<&str> = path.split('.').collect();
    // Of `strength.noise.wavelength` the first is the field, of `grain.direction` both.
    let field = [path.as_str(), parts[0]].into_iter().find_map(about);
    context.error(problem, span, message).maybe_help(field)
}

/// The place of the innermost part of a dotted path that is written.
fn deepest(values: &DeTable<'_>, path: &str) -> Option<Span> {
    let mut table = Some(values);
    let mut span = None;
    for part in path.split('.') {
        let Some(value) = table.and_then(|table| table.get(part)) else {
            break;
        };
        span = Some(value.span());
        table = value.get_ref().as_table();
    }
    span
}

/// The engine's sentence about a field (`density`, `grain.direction`), for a help line.
fn about(field: &str) -> Option<String> {
    let mut node = &*SCHEMA;
    for part in field.split('.') {
        if let Some(reference) = node.get("$ref").and_then(Json::as_str) {
            node = SCHEMA.pointer(reference.strip_prefix('#')?)?;
        }
        node = node.get("properties")?.get(part)?;
    }
    Some(format!("`{field}`: {}", sentence(node.get("description")?.as_str()?)))
}

/// One line, without the last full stop.
pub(crate) fn sentence(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches('.').to_string()
}

/// Compares what is written with the engine's schema: names, types and ranges.
struct Walk<'a> {
    context: &'a Context<'a>,
    /// "material `oak`".
    title: &'a str,
}

impl Walk<'_> {
    /// Whether the table at `path` (empty for the whole material) is right.
    fn table(&self, node: &Json, path: &str, values: &DeTable<'_>, span: Span) -> bool {
        let allowed = Allowed::of(node);
        let mut right = true;
        for (key, value) in values {
            let name = key.get_ref().as_ref();
            if path.is_empty() && name == PRESET {
                continue;
            }
            match allowed.properties.iter().find(|(known, _)| *known == name) {
                Some((_, inner)) => right &= self.value(inner, &join(path, name), key, value),
                None => {
                    self.context.report(self.unknown(&allowed, path, key));
                    right = false;
                }
            }
        }
        // A value varies in exactly one way.
        if allowed.number && values.len() != 1 && right {
            let message = match values.len() {
                0 => format!("`{path}` is an empty table"),
                ways => format!("`{path}` varies in {ways} ways at once"),
            };
            let error = self.context.error(Problem::Conflict, span.clone(), message);
            self.context.report(error.help(allowed.list(path)));
            right = false;
        }
        for name in allowed.required {
            if !values.contains_key(name) {
                let message = format!("`{path}` has no `{name}`");
                let error = self.context.error(Problem::MissingField, span.clone(), message);
                let inner = allowed.properties.iter().find(|(known, _)| *known == name);
                let about = inner.and_then(|(_, node)| node.get("description")?.as_str());
                let about = about.map(|about| format!("`{name}`: {}", sentence(about)));
                self.context.report(error.maybe_help(about));
                right = false;
            }
        }
        right
    }

    fn value(
        &self,
        node: &Json,
        path: &str,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> bool {
        let allowed = Allowed::of(node);
        match value.get_ref() {
            DeValue::Table(values) if !allowed.properties.is_empty() => {
                self.table(node, path, values, value.span())
            }
            DeValue::Integer(_) | DeValue::Float(_) if allowed.number => self.number(path, value),
            DeValue::String(_) if allowed.text => true,
            DeValue::Array(items) if allowed.items.is_some() => {
                let Some((item, count)) = allowed.items else {
                    return false;
                };
                if let Some(count) = count
                    && items.len() as u64 != count
                {
                    let message =
                        format!("`{path}` must be {count} numbers, but has {}", items.len());
                    let error = self.context.error(Problem::WrongType, value.span(), message);
                    self.context.report(error.maybe_help(about(path)));
                    return false;
                }
                let inside = |(k, element)| self.value(item, &format!("{path}[{k}]"), key, element);
                items.iter().enumerate().all(inside)
            }
            _ => {
                let start = key.span().start;
                let error = wrong_type(self.context, path, &allowed.text(), value, start);
                self.context.report(error.maybe_help(about(path)));
                false
            }
        }
    }

    fn number(&self, path: &str, value: &Spanned<DeValue<'_>>) -> bool {
        let field = MaterialField::from_name(path);
        let allowed = match (read_number(value.get_ref()), field) {
            (Read::Is(x), Some(field)) if !field.allows(x as f32) => field.range_text(),
            (Read::TooLarge, Some(field)) if !field.allows(f32::INFINITY) => field.range_text(),
            (Read::Is(x), _) if x.is_finite() && !(x as f32).is_finite() => "within ±3.4e38",
            (Read::Is(x), None) if !x.is_finite() => "finite",
            (Read::Is(_), _) => return true,
            (Read::TooLarge | Read::Other, _) => "within ±3.4e38",
        };
        let found = self.context.source.quote(value.span());
        let message = format!("`{path}` must be {allowed}, but is {found}");
        let error = self.context.error(Problem::OutOfRange, value.span(), message);
        self.context.report(error.maybe_help(about(path)));
        false
    }

    fn unknown(
        &self,
        allowed: &Allowed<'_>,
        path: &str,
        key: &Spanned<std::borrow::Cow<'_, str>>,
    ) -> Diagnostic {
        let name = short(key.get_ref());
        let owner = if path.is_empty() { self.title.to_string() } else { format!("`{path}`") };
        let message = format!("{owner} has no field `{name}`");
        let error = self.context.error(Problem::UnknownField, key.span(), message);
        let preset = path.is_empty().then_some(PRESET);
        let known = allowed.properties.iter().map(|(name, _)| *name).chain(preset);
        let error = match nearest(key.get_ref(), known) {
            Some(near) => error.label(format!("did you mean `{near}`?")),
            None => error,
        };
        error.help(allowed.list(path))
    }
}

/// What a node of the schema allows, with alternatives and references followed.
#[derive(Default)]
struct Allowed<'a> {
    number: bool,
    text: bool,
    items: Option<(&'a Json, Option<u64>)>,
    properties: Vec<(&'a str, &'a Json)>,
    /// Fields that must be there; not of alternatives, which require different ones.
    required: Vec<&'a str>,
}

impl<'a> Allowed<'a> {
    fn of(node: &'a Json) -> Self {
        let mut allowed = Self::default();
        allowed.add(node, true);
        allowed
    }

    fn add(&mut self, node: &'a Json, alone: bool) {
        if let Some(reference) = node.get("$ref").and_then(Json::as_str)
            && let Some(target) = reference.strip_prefix("#").and_then(|path| SCHEMA.pointer(path))
        {
            self.add(target, alone);
        }
        for alternatives in ["oneOf", "anyOf"] {
            for inner in node.get(alternatives).and_then(Json::as_array).into_iter().flatten() {
                self.add(inner, false);
            }
        }
        // `["string", "null"]` for what may be left out.
        let types = node.get("type");
        let is = |name: &str| {
            types.is_some_and(|types| {
                types == name || types.as_array().is_some_and(|all| all.iter().any(|t| t == name))
            })
        };
        self.number |= is("number") || is("integer");
        self.text |= is("string");
        if let Some(items) = node.get("items").filter(|_| is("array")) {
            let exactly = node.get("minItems").and_then(Json::as_u64);
            self.items = Some((items, exactly.filter(|_| node.get("maxItems").is_some())));
        }
        let properties = node.get("properties").and_then(Json::as_object);
        for (name, inner) in properties.into_iter().flatten() {
            self.properties.push((name, inner));
        }
        if alone {
            let required = node.get("required").and_then(Json::as_array);
            self.required.extend(required.into_iter().flatten().filter_map(Json::as_str));
        }
    }

    /// As in "must be …".
    fn text(&self) -> String {
        let mut parts = Vec::new();
        if self.number {
            parts.push("a number".to_string());
        }
        if self.text {
            parts.push("text in quotes".to_string());
        }
        match self.items {
            Some((_, Some(count))) => parts.push(format!("{count} numbers")),
            Some((_, None)) => parts.push("a list".to_string()),
            None => {}
        }
        if !self.properties.is_empty() {
            let names: Vec<String> =
                self.properties.iter().map(|(name, _)| format!("`{name}`")).collect();
            parts.push(if parts.is_empty() {
                format!("a table with {}", names.join(", "))
            } else {
                "a table that says how it varies".into()
            });
        }
        parts.join(" or ")
    }

    fn list(&self, path: &str) -> String {
        let preset = path.is_empty().then_some(PRESET);
        let names = preset.into_iter().chain(self.properties.iter().map(|(name, _)| *name));
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        if path.is_empty() {
            format!("fields of a material: {names}")
        } else if self.number || self.items.is_some() {
            format!("`{path}` is one value, or a table with one of {names}")
        } else {
            format!("fields of `{path}`: {names}")
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

/// The fields written in a material, dotted, with the places of their values.
fn collect_written(path: &str, values: &DeTable<'_>, written: &mut Vec<(String, Span)>) {
    for (key, value) in values {
        let path = join(path, key.get_ref());
        if let Some(inner) = value.get_ref().as_table() {
            collect_written(&path, inner, written);
        }
        written.push((path, value.span()));
    }
}

/// Replaces a value; of `grain` and `inside` only the parts that are written.
fn merge(desc: &mut toml::Table, key: &str, value: toml::Value) {
    let groups = ["grain", "inside"];
    match (desc.get_mut(key), value) {
        (Some(toml::Value::Table(old)), toml::Value::Table(new)) if groups.contains(&key) => {
            old.extend(new);
        }
        (_, value) => {
            desc.insert(key.into(), value);
        }
    }
}

/// The value without its places; `None` for what was refused before.
fn to_value(value: &DeValue<'_>) -> Option<toml::Value> {
    Some(match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(_) | DeValue::Float(_) => match read_number(value) {
            Read::Is(x) => toml::Value::Float(x),
            _ => return None,
        },
        DeValue::Boolean(flag) => toml::Value::Boolean(*flag),
        DeValue::Datetime(date) => toml::Value::Datetime(*date),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| to_value(item.get_ref()));
            toml::Value::Array(items.collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| Some((key.get_ref().to_string(), to_value(value.get_ref())?)));
            toml::Value::Table(entries.collect::<Option<_>>()?)
        }
    })
}
