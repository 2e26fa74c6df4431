//! Shapes that do not deform: of rigid bodies, of their parts, of obstacles.

use fracas::contact::shape::{HeightField, Pose, Shape, ShapeError, TriangleMesh};
use fracas::glam::{DVec3, Vec3};
use toml::Spanned;

use super::lattice::{self, Solid};
use super::meshed::{self, load};
use crate::error::Problem;
use crate::meshes::Mesh;
use crate::obstacles::read_rotation;
use crate::reader::Reader;

/// A solid of a rigid body, an obstacle or a part; `None` if it is wrong.
pub(super) fn read(reader: &Reader<'_>) -> Option<Shape> {
    match reader.kind() {
        "capsule" => read_capsule(reader),
        "ellipsoid" => read_ellipsoid(reader),
        "hull" => read_hull(reader),
        "compound" => read_compound(reader),
        _ => read_simple(reader),
    }
}

/// The shape of an obstacle, and where its middle is in its own frame; `None` if it is wrong.
pub(super) fn read_obstacle(reader: &Reader<'_>) -> Option<(Shape, DVec3)> {
    match reader.kind() {
        "mesh" => Some((read_triangles(reader)?, DVec3::ZERO)),
        "height-field" => read_heights(reader),
        _ => Some((read(reader)?, DVec3::ZERO)),
    }
}

/// The solids that can also be filled with particles.
fn read_simple(reader: &Reader<'_>) -> Option<Shape> {
    for name in lattice::OF_ROWS {
        reader.warn_in_vain(name, "on what is rigid: it has no particles inside");
    }
    if lattice::FILLED.contains(&reader.kind()) {
        reader.warn_in_vain("fragments", "here: the solid stays in one piece");
        for name in lattice::OF_FRAGMENTS {
            reader.warn_in_vain(name, "on a solid in one piece");
        }
    }
    let shape = match lattice::read_solid(reader) {
        Solid::Sphere { radius } => Shape::sphere(radius),
        Solid::Cylinder { radius, height } => Shape::cylinder(0.5 * height, radius),
        Solid::Torus { .. } => return refuse_torus(reader),
        block => Shape::block(0.5 * Vec3::from(block.size())),
    };
    // The format allows no size that the engine refuses: one that is wrong was reported and is 0.
    shape.ok()
}

fn read_ellipsoid(reader: &Reader<'_>) -> Option<Shape> {
    let radii = reader.optional_vector("radii")?;
    made(reader, Shape::ellipsoid(DVec3::from(radii.into_inner()).as_vec3()))
}

/// What the engine makes of numbers that are right by themselves.
fn made(reader: &Reader<'_>, shape: Result<Shape, ShapeError>) -> Option<Shape> {
    let refused = |error: ShapeError| {
        let message = format!("{} cannot be made: {error}", reader.name);
        let error = reader.context.error(Problem::Refused, reader.span.clone(), message);
        reader.context.report(error);
    };
    shape.map_err(refused).ok()
}

fn read_capsule(reader: &Reader<'_>) -> Option<Shape> {
    let (radius, height) = (reader.optional_number("radius"), reader.optional_number("height"));
    let (radius, height) = (radius?, height?);
    let half = 0.5 * height.get_ref() - radius.get_ref();
    if half <= 0.0 {
        let (found, twice) = (reader.context.source.quote(height.span()), 2.0 * radius.get_ref());
        let message = format!("`height` must be more than twice `radius`, {twice}, but is {found}");
        let error = reader.context.error(Problem::OutOfRange, height.span(), message);
        let help =
            "`height` reaches from one round end to the other; of equal length, it is a sphere";
        reader.context.report(error.other(radius.span(), "`radius` is given here").help(help));
        return None;
    }
    made(reader, Shape::capsule(half as f32, radius.into_inner() as f32))
}

fn read_hull(reader: &Reader<'_>) -> Option<Shape> {
    let points = reader.points("points");
    let (file, scale) = (reader.optional_text("file"), reader.number("scale"));
    let given = reader.given(["points", "file"]);
    if let [(first, a), (second, b)] = given.as_slice() {
        let message = format!("{} has both `{a}` and `{b}`", reader.name);
        let error = reader.context.error(Problem::Conflict, second.clone(), message);
        let error = error.other(first.clone(), format!("`{a}` is here"));
        reader.context.report(error.help("keep one: each of them says what it is put around"));
        return None;
    }
    if given.is_empty() {
        let message = format!("{} has no points", reader.name);
        let error = reader.context.error(Problem::MissingField, reader.span.clone(), message);
        let ways = "`points = [[0, 0, 0], [1, 0, 0], …]` or `file = \"gallery:gear.stl\"`";
        reader.report_missing(error.help(format!("add {ways}")));
        return None;
    }
    let points: Vec<Vec3> = match points {
        Some(points) => {
            reader.warn_in_vain("scale", "on `points`, which are in metres");
            points.get_ref().iter().map(|&point| DVec3::from(point).as_vec3()).collect()
        }
        None => {
            let loaded = load(reader, file, scale)?.1;
            let vertices = match &loaded.mesh {
                Mesh::Surface(surface) => &surface.vertices,
                Mesh::Tets(mesh) => &mesh.vertices,
            };
            vertices.iter().map(|point| point.as_vec3()).collect()
        }
    };
    made(reader, Shape::hull(&points))
}

fn read_compound(reader: &Reader<'_>) -> Option<Shape> {
    let owner = reader.name.clone();
    let readers = reader.list("parts", |number, _| format!("part {number} of {owner}"));
    if readers.is_empty()
        && let Some(span) = reader.value_span("parts")
    {
        let message = format!("{owner} has no parts");
        let error = reader.context.error(Problem::OutOfRange, span, message);
        let help = "give at least one: `parts = [{ shape = { kind = \"sphere\", radius = 0.1 } }]`";
        reader.context.report(error.help(help));
        return None;
    }
    let mut parts = Vec::new();
    let count = readers.len();
    for part in readers {
        let rotation = read_rotation(&part);
        let position = part.vector_f32("position").into();
        let shape = part.table("shape").and_then(|shape| {
            let read = read(&shape);
            shape.finish();
            read
        });
        parts.extend(shape.map(|shape| (Pose { rotation, position }, shape)));
        part.finish();
    }
    // Those that are wrong were reported.
    if parts.len() < count { None } else { made(reader, Shape::compound(parts)) }
}

fn read_triangles(reader: &Reader<'_>) -> Option<Shape> {
    for name in ["subdivide", "tets", "fit", "fragments", "pattern", "focus", "surface", "grain"] {
        reader.warn_in_vain(name, "on an obstacle: bodies touch the triangles of the file");
    }
    let (file, scale) = (reader.optional_text("file"), reader.number("scale"));
    let (file, loaded) = load(reader, file, scale)?;
    let surface = match &loaded.mesh {
        Mesh::Surface(surface) => surface.as_ref(),
        Mesh::Tets(mesh) => &mesh.surface(),
    };
    let vertices = surface.vertices.iter().map(|x| x.as_vec3()).collect();
    match TriangleMesh::new(vertices, surface.triangles.clone()) {
        Ok(mesh) => Some(Shape::TriangleMesh(mesh)),
        Err(error) => {
            reader.context.report(meshed::refused(reader, &file, &error.to_string()));
            None
        }
    }
}

fn read_heights(reader: &Reader<'_>) -> Option<(Shape, DVec3)> {
    let spacing = reader.optional_number("spacing").map(Spanned::into_inner);
    let rows = reader.rows("rows")?.into_inner();
    let columns = rows.first()?.len();
    let side = |points: usize| (points - 1) as f64 * spacing.unwrap_or(1.0);
    let middle = 0.5 * DVec3::new(side(columns), 0.0, side(rows.len()));
    let heights = rows.into_iter().flatten().map(|height| height as f32).collect();
    let field = HeightField::new(columns, heights, [spacing? as f32; 2]);
    Some((made(reader, field.map(Shape::HeightField))?, middle))
}

fn refuse_torus(reader: &Reader<'_>) -> Option<Shape> {
    let span = reader.value_span("kind").unwrap_or_else(|| reader.span.clone());
    let message = "a rigid body cannot be a torus, which is not convex".into();
    let error = reader.context.error(Problem::Refused, span, message);
    let help = "make it of convex parts: `compound`, or a `mesh` in `fragments`";
    reader.context.report(error.help(help));
    None
}
