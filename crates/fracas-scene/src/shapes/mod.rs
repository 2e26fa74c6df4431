//! Reads shapes and has them made.

mod lattice;
mod meshed;
mod sheet;
mod solid;
mod tets;

use std::sync::Arc;

use fracas::contact::shape::Shape as RigidShape;
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, PointValues};
use fracas::math::Rot;
use fracas::skin::SkinMesh;
use fracas::solids::brittle::BrittleOptions;
use fracas::solids::fem::TetOptions;
use fracas::solids::meshless::MeshlessShape;
use fracas::solids::oriented::OrientedShape;
use fracas::solids::sheet::{SheetOptions, SheetShape};
use fracas::world::{RigidPart, ShapeDesc};
use fracas_mesh::skin;
use fracas_mesh::solid::FragmentedSolid;
use fracas_mesh::splinters::Splinters;
use fracas_mesh::tet_solid::TetSolid;

use crate::error::Problem;
use crate::meshes::{Loaded, Mesher, Parts};
use crate::reader::{Reader, Span};
use lattice::Lattice;
use meshed::Meshed;
use tets::Tetrahedra;

/// Edges around what is round and rigid: a silhouette without corners.
const AROUND: u32 = 48;

/// The way a body deforms and breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Oriented,
    Corotated(TetOptions),
    Brittle(BrittleOptions),
    Meshless,
    Sheet(SheetOptions),
    Rigid,
}

impl Model {
    /// One of each.
    pub fn all() -> [Self; 6] {
        let (soft, brittle) = (TetOptions::default(), BrittleOptions::default());
        let (breaking, sheet) = (Self::Brittle(brittle), Self::Sheet(SheetOptions::default()));
        [Self::Oriented, Self::Corotated(soft), breaking, Self::Meshless, sheet, Self::Rigid]
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Oriented => "oriented",
            Self::Corotated(_) => "corotated",
            Self::Brittle(_) => "brittle",
            Self::Meshless => "meshless",
            Self::Sheet(_) => "sheet",
            Self::Rigid => "rigid",
        }
    }

    /// What helps whoever says how the fragments of a body of this model are made, if it has none.
    pub fn without_fragments(self) -> Option<&'static str> {
        match self {
            Self::Corotated(_) => {
                Some("it tears along its tetrahedra: leave it out, or use `model = \"oriented\"`")
            }
            Self::Brittle(_) => {
                Some("it breaks along its tetrahedra: leave it out, or use `model = \"oriented\"`")
            }
            Self::Meshless => {
                Some("it tears between its particles: leave it out, or use `model = \"oriented\"`")
            }
            Self::Sheet(_) => {
                Some("a sheet tears by itself: leave it out, or use `model = \"oriented\"`")
            }
            Self::Oriented | Self::Rigid => None,
        }
    }
}

/// A shape as written, checked but not made.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    geometry: Geometry,
    pub model: Model,
    pub span: Span,
}

#[derive(Clone, Debug)]
enum Geometry {
    /// Filled with rows of particles.
    Lattice(Lattice),
    /// Filled with tetrahedra, which are gathered into fragments.
    Meshed(Meshed),
    /// Filled with tetrahedra, which it is made of.
    Tets(Tetrahedra),
    /// Triangles.
    Sheet(sheet::Triangles),
    /// One rigid solid.
    Solid(RigidShape),
}

impl Shape {
    /// About how many particles it has, rather too high than too low.
    pub fn particle_count(&self) -> u64 {
        match &self.geometry {
            Geometry::Lattice(lattice) => lattice.particle_count(),
            Geometry::Meshed(meshed) => meshed.particle_count(),
            Geometry::Tets(tets) => tets.particle_count(),
            Geometry::Sheet(sheet) => sheet.particle_count(),
            Geometry::Solid(_) => 1,
        }
    }

    /// What a body is spawned with, or what is wrong.
    pub fn make(&self, seed: u64, mesher: &Mesher) -> Result<Made, String> {
        match &self.geometry {
            Geometry::Lattice(lattice) => {
                let shape = lattice.make(seed).map_err(|error| error.to_string())?;
                Ok(match self.model {
                    Model::Meshless => Made::Meshless(*lattice, MeshlessShape::from(&shape)),
                    _ => Made::Lattice(*lattice, shape),
                })
            }
            Geometry::Meshed(meshed) => {
                let solid = meshed.make(seed, mesher)?;
                match self.model {
                    Model::Rigid => {
                        solid.hulls().map(Made::Rigid).map_err(|error| error.to_string())
                    }
                    _ => Ok(Made::Fragments(Box::new(solid), meshed.grain())),
                }
            }
            Geometry::Tets(tets) => {
                let solid = Box::new(tets.make(mesher)?);
                Ok(match self.model {
                    Model::Brittle(options) => Made::Brittle(solid, options, tets.grain),
                    Model::Corotated(options) => Made::Tets(solid, options),
                    _ => Made::Tets(solid, TetOptions::default()),
                })
            }
            Geometry::Sheet(sheet) => {
                let mut shape = sheet.make(seed).map_err(|error| error.to_string())?;
                if let Model::Sheet(options) = self.model {
                    shape.options = options;
                }
                Ok(Made::Sheet(shape))
            }
            Geometry::Solid(shape) => Ok(Made::solid(shape.clone())),
        }
    }

    /// The named objects of the file that it is made of; or what is wrong.
    pub fn objects(&self) -> Result<Arc<Parts>, String> {
        match &self.geometry {
            Geometry::Tets(tets) => tets.objects.clone(),
            _ => Err("it is made of no file".into()),
        }
    }

    /// A mesh that was read, to break into so many fragments; or what is wrong.
    pub fn of_mesh(mesh: &Loaded, fragments: u32) -> Result<Self, String> {
        let geometry = Geometry::Meshed(Meshed::of_mesh(mesh, fragments)?);
        Ok(Self { geometry, model: Model::Oriented, span: 0..0 })
    }
}

/// A shape that was made.
pub(crate) enum Made {
    Lattice(Lattice, OrientedShape),
    /// With the grain of its faces, in m.
    Fragments(Box<FragmentedSolid>, Option<f32>),
    Tets(Box<TetSolid>, TetOptions),
    /// With the grain of its faces, in m.
    Brittle(Box<TetSolid>, BrittleOptions, Option<f32>),
    Meshless(Lattice, MeshlessShape),
    Sheet(SheetShape),
    Rigid(Vec<RigidPart>),
}

impl Made {
    /// One rigid solid.
    pub fn solid(shape: RigidShape) -> Self {
        let (position, rotation) = ([0.0; 3], Rot::IDENTITY);
        Self::Rigid(vec![RigidPart { shape, position, rotation, material: 0 }])
    }

    /// What the engine is given.
    pub fn desc(&self) -> ShapeDesc {
        match self {
            Self::Lattice(_, shape) => ShapeDesc::Oriented(shape.clone()),
            Self::Fragments(solid, _) => ShapeDesc::Oriented(solid.shape.clone()),
            Self::Tets(solid, options) => {
                ShapeDesc::Tets { shape: solid.shape.clone(), options: *options }
            }
            Self::Brittle(solid, options, _) => {
                ShapeDesc::Brittle { shape: solid.shape.clone(), options: *options }
            }
            Self::Meshless(_, shape) => ShapeDesc::Meshless(shape.clone()),
            Self::Sheet(shape) => ShapeDesc::Sheet(shape.clone()),
            Self::Rigid(parts) => ShapeDesc::Rigid(parts.clone()),
        }
    }

    /// The centres of its particles.
    pub fn centres(&self) -> Vec<[f32; 3]> {
        match self {
            Self::Lattice(_, shape) => shape.points.iter().map(|point| point.position).collect(),
            Self::Fragments(solid, _) => {
                solid.shape.points.iter().map(|point| point.position).collect()
            }
            Self::Tets(solid, _) | Self::Brittle(solid, ..) => solid.shape.vertices.clone(),
            Self::Meshless(_, shape) => shape.points.iter().map(|point| point.position).collect(),
            Self::Sheet(shape) => shape.in_frame().collect(),
            Self::Rigid(parts) => {
                let centre = |part: &RigidPart| {
                    let of_mass = part.shape.mass_properties(1.0).map(|mass| mass.centre);
                    let of_mass = part.rotation * of_mass.unwrap_or(Vec3::ZERO);
                    (Vec3::from(part.position) + of_mass).to_array()
                };
                parts.iter().map(centre).collect()
            }
        }
    }

    /// What is known at each particle or tetrahedron for materials to follow, if anything can be.
    pub fn values(&self) -> Option<&PointValues> {
        match self {
            Self::Lattice(_, shape) => Some(&shape.values),
            Self::Fragments(solid, _) => Some(&solid.shape.values),
            Self::Tets(solid, _) | Self::Brittle(solid, ..) => Some(&solid.shape.values),
            Self::Meshless(_, shape) => Some(&shape.values),
            Self::Sheet(_) | Self::Rigid(_) => None,
        }
    }

    /// Gives tetrahedra other materials than the first where `of` says so, by their middles.
    pub fn set_materials(&mut self, of: impl Fn([f32; 3]) -> u16) {
        if let Self::Tets(solid, _) | Self::Brittle(solid, ..) = self {
            let middle = |tet: usize| solid.mesh.centre(tet).as_vec3().to_array();
            solid.shape.materials = (0..solid.mesh.tets.len()).map(|tet| of(middle(tet))).collect();
        }
    }

    /// What is drawn of it in splinters, or what is wrong.
    pub fn splintered_skin(&self, splinters: &Splinters, seed: u64) -> Result<SkinMesh, String> {
        match self {
            Self::Tets(solid, _) | Self::Brittle(solid, ..) => {
                solid.splintered_skin(splinters, seed).map_err(|error| error.to_string())
            }
            _ => Err("only bodies of tetrahedra are drawn in splinters".into()),
        }
    }

    /// What is drawn of it if it is of these materials, or what is wrong. What never breaks has nothing inside, unless it is
    /// to be cut.
    pub fn skin(&self, materials: &[Material], is_cut: bool) -> Result<SkinMesh, String> {
        let holds =
            |material: &Material| material.desc().strength.constant() == Some(f32::INFINITY);
        let breaks = is_cut || !materials.iter().all(holds);
        let uncut = |error| format!("its own surface cannot be cut along the tetrahedra: {error}");
        match self {
            Self::Lattice(lattice, _) | Self::Meshless(lattice, _) => {
                lattice.skin().map_err(|error| error.to_string())
            }
            Self::Fragments(solid, None) => Ok(solid.skin()),
            Self::Fragments(solid, Some(grain)) => Ok(skin::roughen(solid.skin(), *grain, 0)),
            Self::Tets(solid, _) if !breaks => Ok(solid.skin()),
            Self::Tets(solid, _) => solid.breaking_skin().map_err(uncut),
            Self::Brittle(solid, _, grain) => {
                let smooth = solid.breaking_skin().map_err(uncut)?;
                Ok(match grain {
                    Some(grain) => skin::roughen(smooth, *grain, 0),
                    None => smooth,
                })
            }
            Self::Sheet(shape) => Ok(SkinMesh::of_sheet(shape)),
            Self::Rigid(parts) => Ok(SkinMesh::of_rigid(parts, AROUND)),
        }
    }
}

/// The shape of a body; `None` if it is wrong.
pub(crate) fn read(reader: Reader<'_>, model: Model) -> Option<Shape> {
    let span = reader.span.clone();
    let geometry = match (reader.kind(), model) {
        ("capsule" | "ellipsoid" | "hull" | "compound", model) if model != Model::Rigid => {
            report_rigid_only(&reader);
            return None;
        }
        ("sheet", Model::Sheet(_)) => sheet::read(&reader).map(Geometry::Sheet),
        (_, Model::Sheet(_)) => {
            sheet::refuse_solid(&reader);
            return None;
        }
        ("sheet", Model::Corotated(_) | Model::Brittle(_)) => {
            tets::refuse_sheet(&reader);
            return None;
        }
        (_, Model::Corotated(_) | Model::Brittle(_)) => {
            tets::read(&reader, model).map(Geometry::Tets)
        }
        ("mesh" | "lathe" | "shell", Model::Meshless) => {
            report_lattices_only(&reader);
            return None;
        }
        (_, Model::Meshless) => lattice::read_meshless(&reader).map(Geometry::Lattice),
        ("mesh" | "lathe" | "shell", _) => meshed::read(&reader).map(Geometry::Meshed),
        (kind, _) if lattice::FILLED.contains(&kind) && !reader.given(["fragments"]).is_empty() => {
            meshed::read(&reader).map(Geometry::Meshed)
        }
        (_, Model::Oriented) => lattice::read(&reader).map(Geometry::Lattice),
        (_, Model::Rigid) => solid::read(&reader).map(Geometry::Solid),
    };
    reader.finish();
    Some(Shape { geometry: geometry?, model, span })
}

/// The shape of an obstacle, and where its middle is in the frame of the engine's shape; `None` if it
/// is wrong.
pub(crate) fn read_obstacle(reader: Reader<'_>) -> Option<(RigidShape, DVec3)> {
    let read = solid::read_obstacle(&reader);
    reader.finish();
    read
}

fn report_lattices_only(reader: &Reader<'_>) {
    let span = reader.value_span("kind").unwrap_or_else(|| reader.span.clone());
    let message = format!("a {} cannot be `meshless`", reader.kind());
    let error = reader.context.error(Problem::Conflict, span, message);
    let help = "it is made of rows of particles: write one of block, bar, plate, sphere, cylinder, torus and sheet, or choose another model";
    reader.context.report(error.help(help));
}

fn report_rigid_only(reader: &Reader<'_>) {
    let span = reader.value_span("kind").unwrap_or_else(|| reader.span.clone());
    let message = format!("only rigid bodies can have a {} as their shape", reader.kind());
    let error = reader.context.error(Problem::Conflict, span, message);
    reader.context.report(error.help("write `model = \"rigid\"`, or choose another shape"));
}
