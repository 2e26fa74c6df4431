//! Tetrahedra, gathered into fragments: one oriented particle each (000 sec. 5, fig. 3).
//!
//! ```text
//! pattern → label of each tetrahedron → connected parts → numbers → integrals, faces
//! (grow, convex)                        (connect)         (curve)   (measure, faces)
//! ```
//!
//! ```
//! use fracas::glam::DVec3;
//! use fracas_mesh::TetMesh;
//! use fracas_mesh::fragments::{Fracture, Fragments, Pattern};
//!
//! let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let tets = vec![[0, 1, 2, 3], [4, 2, 1, 3]];
//! let mesh = TetMesh { vertices: vec![o, x, y, z, x + y + z], tets, ..TetMesh::default() };
//! let halves = Fragments::new(&mesh, &Fracture::new(Pattern::KMeans, 2))?;
//! assert_eq!(halves.interfaces[0].faces.len(), 1);
//! # Ok::<(), fracas_mesh::fragments::FractureError>(())
//! ```

mod connect;
mod convex;
pub(crate) mod curve;
mod faces;
mod grow;
pub(crate) mod measure;

use fracas::glam::DVec3;
use fracas::math::Rot;
use fracas::solids::oriented::OrientedShape;

use crate::attributes::Attribute;
use crate::tets::{TetError, TetMesh};

/// What files call the value of a tetrahedron that is the number of its fragment.
pub const FRAGMENT: &str = "fragment";

/// How tetrahedra are gathered into fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pattern {
    /// Round fragments of even size: k-means of the centres of the tetrahedra.
    #[default]
    KMeans,
    /// Shards of uneven size: cells around random points.
    Voronoi,
    /// Nearly convex parts, cut where the body is narrow. The count is the most there may be;
    /// there are fewer if fewer are convex already, to 1 % of the volume of the whole hull.
    Convex,
    /// The named objects of the file, each split into its connected parts. The count does not
    /// matter.
    Objects,
}

/// How a solid is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fracture {
    /// How many fragments; met exactly by [`Pattern::KMeans`] and [`Pattern::Voronoi`].
    pub count: u32,
    /// How tetrahedra are gathered.
    pub pattern: Pattern,
    /// Another seed, other fragments.
    pub seed: u64,
    /// Where fragments are smaller, for [`Pattern::KMeans`] and [`Pattern::Voronoi`].
    pub focus: Option<Focus>,
}

impl Fracture {
    /// So many fragments by a pattern.
    pub fn new(pattern: Pattern, count: u32) -> Self {
        Self { count, pattern, seed: 0, focus: None }
    }
}

/// A point around which fragments are smaller, as where something hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Focus {
    /// The point, in m.
    pub point: DVec3,
    /// Distance beyond which fragments have their full size, in m; above 0.
    pub radius: f64,
    /// Width of fragments at the point over their width beyond the radius; from 0.01 to 1. No
    /// fragment is smaller than a tetrahedron.
    pub ratio: f64,
}

impl Focus {
    /// Wished width of fragments at a place, 1 beyond the radius: a smooth step.
    fn width(&self, place: DVec3) -> f64 {
        let t = (place.distance(self.point) / self.radius).min(1.0);
        self.ratio + (1.0 - self.ratio) * t * t * (3.0 - 2.0 * t)
    }
}

/// Why a solid was not divided.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FractureError {
    /// The mesh is no solid.
    #[error(transparent)]
    Mesh(#[from] TetError),
    /// No fragments were asked for.
    #[error("the number of fragments must be at least 1, but is 0")]
    NoFragments,
    /// More fragments than there is to divide.
    #[error("{count} fragments were asked for, more than there are tetrahedra ({tets})")]
    TooManyFragments {
        /// How many were asked for.
        count: u32,
        /// How many there can be.
        tets: usize,
    },
    /// Fewer fragments than separate parts.
    #[error("{count} fragments were asked for, but the mesh has {components} separate parts")]
    FewerThanComponents {
        /// How many were asked for.
        count: u32,
        /// How many are needed.
        components: usize,
    },
    /// The mesh says nothing of objects.
    #[error("fragments by objects need a mesh with named objects, but this one has none")]
    NoObjects,
    /// A number of the focus cannot be used.
    #[error("the {what} of the focus must be {wanted}, but is {found}")]
    BadFocus {
        /// Which number.
        what: &'static str,
        /// What it must be.
        wanted: &'static str,
        /// What it is.
        found: f64,
    },
    /// A pattern has no use for a focus.
    #[error("a focus works with k-means and Voronoi fragments only")]
    FocusWithoutUse,
    /// There is not one label for each tetrahedron.
    #[error("there are {found} labels, but {tets} tetrahedra")]
    WrongLabels {
        /// How many labels.
        found: usize,
        /// How many there must be.
        tets: usize,
    },
}

/// A solid in fragments, which are numbered along a curve that fills space: neighbours in number
/// are near each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragments {
    /// Fragment of each tetrahedron.
    pub of_tet: Vec<u32>,
    /// What each fragment is as a particle.
    pub fragments: Vec<Fragment>,
    /// The edges of the simulation mesh: pairs of fragments that share faces, sorted.
    pub interfaces: Vec<Interface>,
}

/// A connected group of tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment {
    /// Its volume, in m³.
    pub volume: f64,
    /// Its centre of mass, in m.
    pub centre: DVec3,
    /// ∫(x−c)(x−c)ᵀ dV about its centre, as xx, yy, zz, xy, yz, zx, in m⁵.
    pub second_moment: [f64; 6],
    /// Axes of its ellipsoid: eigenvectors of the second moment, largest first.
    pub axes: Rot,
    /// Radii of the ellipsoid that others touch, along its axes, in m.
    pub radii: [f64; 3],
    /// Index into the body's materials.
    pub material: u16,
    /// Its faces on the boundary of the solid, counter-clockwise seen from outside.
    pub boundary: Vec<[u32; 3]>,
}

/// Where two fragments meet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// The two, the lower first.
    pub fragments: [u32; 2],
    /// The faces they share, counter-clockwise seen from outside the first; reversed, they are
    /// those of the second.
    pub faces: Vec<[u32; 3]>,
    /// Area of the faces, in m².
    pub area: f64,
}

impl Fragments {
    /// Divides a solid.
    ///
    /// # Errors
    ///
    /// See [`FractureError`].
    pub fn new(mesh: &TetMesh, fracture: &Fracture) -> Result<Self, FractureError> {
        mesh.check()?;
        if let Some(focus) = &fracture.focus {
            check_focus(focus, fracture.pattern)?;
        }
        if fracture.count == 0 && fracture.pattern != Pattern::Objects {
            return Err(FractureError::NoFragments);
        }
        let neighbours = mesh.neighbours();
        let labels = match fracture.pattern {
            Pattern::KMeans => grow::k_means(mesh, &neighbours, fracture)?,
            Pattern::Voronoi => grow::voronoi(mesh, &neighbours, fracture)?,
            Pattern::Convex => convex::parts(mesh, &neighbours, fracture.count)?,
            Pattern::Objects if mesh.objects.of.is_empty() => return Err(FractureError::NoObjects),
            Pattern::Objects => mesh.objects.of.clone(),
        };
        Ok(Self::gather(mesh, &neighbours, &labels))
    }

    /// Fragments of tetrahedra with the same label, as another program gave them. Those of a label
    /// that do not hang together by faces become several fragments.
    ///
    /// # Errors
    ///
    /// [`FractureError::Mesh`] and [`FractureError::WrongLabels`].
    pub fn from_labels(mesh: &TetMesh, labels: &[u32]) -> Result<Self, FractureError> {
        mesh.check()?;
        let (found, tets) = (labels.len(), mesh.tets.len());
        if found != tets {
            return Err(FractureError::WrongLabels { found, tets });
        }
        Ok(Self::gather(mesh, &mesh.neighbours(), labels))
    }

    /// Splits, numbers and measures.
    fn gather(mesh: &TetMesh, neighbours: &[[Option<u32>; 4]], labels: &[u32]) -> Self {
        let (parts, count) = connect::split(neighbours, labels);
        let of_tet = curve::numbered(mesh, &parts, count);
        let (boundaries, interfaces) = faces::sort_faces(mesh, neighbours, &of_tet, count);
        let fragments = measure::fragments(mesh, &of_tet, boundaries, &interfaces);
        Self { of_tet, fragments, interfaces }
    }

    /// The body that the engine simulates, in single precision and in the frame of the mesh, which
    /// should lie near the origin.
    pub fn oriented(&self) -> OrientedShape {
        OrientedShape {
            points: self.fragments.iter().map(measure::oriented_point).collect(),
            bonds: self.interfaces.iter().map(|interface| interface.fragments).collect(),
            ..OrientedShape::default()
        }
    }

    /// Measures volumes, centres and moments anew, by the triangles of the closed surface around each.
    pub(crate) fn measure_again(&mut self, surfaces: &[Vec<[DVec3; 3]>]) {
        measure::by_surfaces(&mut self.fragments, &self.interfaces, surfaces);
    }

    /// All faces of each fragment, counter-clockwise seen from outside it: a closed surface.
    pub fn surfaces(&self) -> Vec<Vec<[u32; 3]>> {
        let mut surfaces: Vec<_> = self.fragments.iter().map(|f| f.boundary.clone()).collect();
        for Interface { fragments: [a, b], faces, .. } in &self.interfaces {
            surfaces[*a as usize].extend(faces);
            surfaces[*b as usize].extend(faces.iter().map(|&[i, j, k]| [i, k, j]));
        }
        surfaces
    }

    /// Means over the fragments of the attributes of vertices, then of tetrahedra, of the mesh that
    /// was divided.
    ///
    /// Those of vertices are linear in each tetrahedron, so its mean is that of its corners.
    pub fn attributes(&self, mesh: &TetMesh) -> Vec<Attribute> {
        measure::attributes(mesh, &self.of_tet, self.fragments.len())
    }
}

/// Whether a focus can be used.
fn check_focus(focus: &Focus, pattern: Pattern) -> Result<(), FractureError> {
    let require = |fits: bool, what, wanted, found| {
        if fits { Ok(()) } else { Err(FractureError::BadFocus { what, wanted, found }) }
    };
    for x in focus.point.to_array() {
        require(x.is_finite(), "point", "finite", x)?;
    }
    let Focus { radius, ratio, .. } = *focus;
    require(radius > 0.0 && radius.is_finite(), "radius", "above 0 and finite, in m", radius)?;
    require((0.01..=1.0).contains(&ratio), "ratio", "from 0.01 to 1", ratio)?;
    match pattern {
        Pattern::KMeans | Pattern::Voronoi => Ok(()),
        Pattern::Convex | Pattern::Objects => Err(FractureError::FocusWithoutUse),
    }
}
