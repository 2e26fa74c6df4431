//! A solid in fragments with all that is known about it: what becomes a body.

use fracas::glam::{DVec3, Vec3};
use fracas::material::PointValues;
use fracas::skin::SkinMesh;
use fracas::solids::oriented::OrientedShape;

use crate::attributes::Attribute;
use crate::fragments::{Fracture, FractureError, Fragments};
use crate::nearest::NearestOnSurface;
use crate::rigid;
use crate::skin::OwnSurfaceError;
use crate::skin::own;
use crate::surface::{ClosedSurface, Surface};
use crate::tets::TetMesh;

/// Tetrahedra, the fragments they are gathered into, and the body made of those.
///
/// ```
/// use fracas_mesh::fragments::{Fracture, Pattern};
/// use fracas_mesh::generate::surfaces;
/// use fracas_mesh::solid::FragmentedSolid;
/// use fracas_mesh::stuffing::{self, Filling};
/// use fracas_mesh::ClosedSurface;
///
/// let ring = ClosedSurface::new(surfaces::torus(0.3, 0.1, 48, 24)?)?;
/// let tets = stuffing::fill(&ring, &Filling::tets(3000))?;
/// let solid = FragmentedSolid::of_surface(&ring, tets, &Fracture::new(Pattern::KMeans, 100))?;
/// assert_eq!(solid.shape.points.len(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FragmentedSolid {
    /// The tetrahedra.
    pub mesh: TetMesh,
    /// Which of them is in which fragment.
    pub fragments: Fragments,
    /// Particles, their hulls and bonds, with curvature and attributes at each particle.
    pub shape: OrientedShape,
    /// The surface that is drawn, cut along the fragments, if it is not that of the tetrahedra.
    pub own: Option<SkinMesh>,
}

impl FragmentedSolid {
    /// Breaks a mesh whose attributes and objects are its own.
    ///
    /// # Errors
    ///
    /// See [`FractureError`].
    pub fn new(mesh: TetMesh, fracture: &Fracture) -> Result<Self, FractureError> {
        let fragments = Fragments::new(&mesh, fracture)?;
        Ok(Self::of_fragments(mesh, fragments))
    }

    /// Takes a mesh in the fragments that another program gave it: those of
    /// [`Fragments::from_labels`].
    ///
    /// # Errors
    ///
    /// See [`FractureError`].
    pub fn from_labels(mesh: TetMesh, labels: &[u32]) -> Result<Self, FractureError> {
        let fragments = Fragments::from_labels(&mesh, labels)?;
        Ok(Self::of_fragments(mesh, fragments))
    }

    fn of_fragments(mesh: TetMesh, fragments: Fragments) -> Self {
        let surface = Surface { attributes: Vec::new(), ..mesh.surface() };
        let mut shape = fragments.oriented();
        shape.values = values_near(centres(&shape), &surface, fragments.attributes(&mesh));
        shape.hulls = rigid::corners(&mesh, &fragments);
        Self { mesh, fragments, shape, own: None }
    }

    /// Breaks a mesh that fills a surface, which has the attributes and objects.
    ///
    /// A fragment has the attributes and the curvature of the point of the surface that is nearest
    /// to its centre.
    ///
    /// # Errors
    ///
    /// See [`FractureError`].
    pub fn of_surface(
        surface: &ClosedSurface,
        mesh: TetMesh,
        fracture: &Fracture,
    ) -> Result<Self, FractureError> {
        let surface = surface.surface();
        let fragments = Fragments::new(&mesh, fracture)?;
        let mut shape = fragments.oriented();
        shape.values = values_near(centres(&shape), surface, Vec::new());
        shape.hulls = rigid::corners(&mesh, &fragments);
        Ok(Self { mesh, fragments, shape, own: None })
    }

    /// The same with the surface itself, of any resolution, in place of the boundary of the tetrahedra that fill it:
    /// it is cut along the fragments, and these are measured by what was cut.
    ///
    /// # Errors
    ///
    /// See [`OwnSurfaceError`].
    pub fn with_surface(self, surface: &ClosedSurface) -> Result<Self, OwnSurfaceError> {
        let Self { mesh, fragments, mut shape, .. } = self;
        let skin = own::cut_fragments(surface, &mesh, &fragments.of_tet)?;
        let fragments = fragments.measured_by(&skin)?;
        shape.points = fragments.oriented().points;
        shape.hulls = rigid::corners_of_cells(
            &own::closed_cells(&skin, fragments.fragments.len()),
            &fragments,
        );
        Ok(Self { mesh, fragments, shape, own: Some(skin) })
    }
}

/// Curvature and attributes of the surface at its points nearest to the centres of fragments or tetrahedra, after
/// those attributes that are known already.
pub(crate) fn values_near(
    centres: impl Iterator<Item = DVec3>,
    surface: &Surface,
    known: Vec<Attribute>,
) -> PointValues {
    let mut values = PointValues::default();
    values.attributes.extend(known.into_iter().map(|known| (known.name, known.values)));
    let Some(nearest) = NearestOnSurface::new(surface) else { return values };
    let places: Vec<[(u32, f64); 3]> = centres.map(|centre| nearest.weights(centre)).collect();
    let mean = |value: &dyn Fn(usize) -> f64| -> Vec<f32> {
        let at = |place: &[(u32, f64); 3]| -> f64 {
            place.iter().map(|&(v, weight)| weight * value(v as usize)).sum()
        };
        places.iter().map(|place| at(place) as f32).collect()
    };
    let curvature = surface.mean_curvature();
    values.curvature = mean(&|v| curvature[v]);
    for Attribute { name, values: at_vertices } in &surface.attributes {
        values.attributes.push((name.clone(), mean(&|v| f64::from(at_vertices[v]))));
    }
    values
}

fn centres(shape: &OrientedShape) -> impl Iterator<Item = DVec3> {
    shape.points.iter().map(|p| Vec3::from(p.position).as_dvec3())
}
