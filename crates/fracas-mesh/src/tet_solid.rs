//! A solid of tetrahedra with all that is known about it: what becomes a body of a model that is made of them.

use fracas::glam::{DVec3, Vec3};
use fracas::material::PointValues;
use fracas::skin::SkinMesh;
use fracas::solids::fem::TetShape;

use crate::clip::ClipError;
use crate::fragments::measure;
use crate::skin::{embedded, held, of_breaking_tets, of_tets};
use crate::solid::values_near;
use crate::splinters::{SplinterError, Splinters, splintered};
use crate::surface::{ClosedSurface, Surface};
use crate::tets::{TetError, TetMesh, volume};

/// Tetrahedra along a curve that fills space, and the shape made of them.
///
/// ```
/// use fracas_mesh::generate::surfaces;
/// use fracas_mesh::stuffing::{self, Filling};
/// use fracas_mesh::tet_solid::TetSolid;
/// use fracas_mesh::ClosedSurface;
///
/// let ball = ClosedSurface::new(surfaces::sphere(0.3, 4)?)?;
/// let coarse = stuffing::fill(&ball, &Filling::tets(500))?;
/// let solid = TetSolid::of_surface(&ball, coarse)?.with_surface(&ball);
/// assert_eq!(solid.shape.tets.len(), solid.mesh.tets.len());
/// assert_eq!(solid.skin().outside.len(), 5120); // as fine as the surface is
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TetSolid {
    /// The tetrahedra.
    pub mesh: TetMesh,
    /// The same for the engine, with curvature and attributes at the middle of each.
    pub shape: TetShape,
    /// The surface that is drawn, if it is not that of the tetrahedra.
    own: Option<Surface>,
}

/// Why tetrahedra make no shape.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TetSolidError {
    /// They are no solid.
    #[error(transparent)]
    Tets(#[from] TetError),
    /// Single precision, in which they are simulated, cannot tell corners apart.
    #[error(
        "tetrahedron {tet} at {at} has no volume in single precision: \
         move the shape nearer to its origin, or make it coarser"
    )]
    TooFine {
        /// Which.
        tet: usize,
        /// Its centre.
        at: DVec3,
    },
}

impl TetSolid {
    /// Takes a mesh whose attributes are its own.
    ///
    /// # Errors
    ///
    /// See [`TetSolidError`].
    pub fn new(mesh: TetMesh) -> Result<Self, TetSolidError> {
        mesh.check()?;
        let mesh = mesh.in_order();
        let surface = Surface { attributes: Vec::new(), ..mesh.surface() };
        let each: Vec<u32> = (0..mesh.tets.len() as u32).collect();
        let known = measure::attributes(&mesh, &each, each.len());
        let values = values_near(centres(&mesh), &surface, known);
        Self::of_values(mesh, values)
    }

    /// Takes a mesh that fills a surface, which has the attributes. A tetrahedron has those, and the curvature, of the
    /// point of the surface that is nearest to its middle.
    ///
    /// # Errors
    ///
    /// See [`TetSolidError`].
    pub fn of_surface(surface: &ClosedSurface, mesh: TetMesh) -> Result<Self, TetSolidError> {
        mesh.check()?;
        let mesh = mesh.in_order();
        let values = values_near(centres(&mesh), surface.surface(), Vec::new());
        Self::of_values(mesh, values)
    }

    fn of_values(mesh: TetMesh, values: PointValues) -> Result<Self, TetSolidError> {
        let single = |x: &DVec3| x.as_vec3().to_array();
        let vertices: Vec<[f32; 3]> = mesh.vertices.iter().map(single).collect();
        let at = |v: u32| Vec3::from(vertices[v as usize]).as_dvec3();
        let flat = mesh.tets.iter().position(|tet| volume(tet.map(at)) <= 0.0);
        if let Some(tet) = flat {
            return Err(TetSolidError::TooFine { tet, at: mesh.centre(tet) });
        }
        let shape = TetShape { vertices, tets: mesh.tets.clone(), materials: Vec::new(), values };
        Ok(Self { mesh, shape, own: None })
    }

    /// The same with a material for each named object of the mesh: `of` tells its index among those of the body.
    pub fn with_materials(mut self, of: impl Fn(&str) -> u16) -> Self {
        let of_object: Vec<u16> = self.mesh.objects.names.iter().map(|name| of(name)).collect();
        let objects = self.mesh.objects.of.iter();
        self.shape.materials = objects.map(|&object| of_object[object as usize]).collect();
        self
    }

    /// The same, drawn with a surface of any resolution in place of the boundary of the tetrahedra. It is not cut:
    /// every vertex keeps its place in the tetrahedron that holds it, or goes on as the nearest does.
    pub fn with_surface(self, surface: &ClosedSurface) -> Self {
        Self { own: Some(surface.surface().clone()), ..self }
    }

    /// What is drawn of it, with the edges of the tetrahedra.
    pub fn skin(&self) -> SkinMesh {
        match &self.own {
            Some(surface) => held(surface, &self.mesh),
            None => of_tets(&self.mesh),
        }
    }

    /// What is drawn of it in splinters, which stay whole where it breaks.
    ///
    /// # Errors
    ///
    /// See [`SplinterError`].
    pub fn splintered_skin(
        &self,
        splinters: &Splinters,
        seed: u64,
    ) -> Result<SkinMesh, SplinterError> {
        match &self.own {
            Some(surface) => splintered(surface, &self.mesh, splinters, seed),
            None => splintered(&self.mesh.surface(), &self.mesh, splinters, seed),
        }
    }

    /// The same of a body that breaks, with every face between two tetrahedra. A surface of its own is cut along them.
    ///
    /// # Errors
    ///
    /// [`ClipError`] if that cannot be, as where it is far from the tetrahedra.
    pub fn breaking_skin(&self) -> Result<SkinMesh, ClipError> {
        match &self.own {
            Some(surface) => embedded(surface, &self.mesh),
            None => Ok(of_breaking_tets(&self.mesh)),
        }
    }
}

fn centres(mesh: &TetMesh) -> impl Iterator<Item = DVec3> {
    (0..mesh.tets.len()).map(|tet| mesh.centre(tet))
}
