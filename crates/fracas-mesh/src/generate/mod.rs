//! Shapes that need no file: lattices of particles, meshes of tetrahedra ([`lathe`], [`shell`]) and
//! closed [`surfaces`].
//!
//! Simple shapes are filled with a lattice of cells: one particle in the centre of each cell, bonded
//! to the cells around it.
//!
//! The origin is the centre of the shape and of its mass. Volumes and second moments are exact for
//! blocks. Spheres, cylinders and tori keep the cells whose centre lies inside, and their volumes
//! sum to that of the shape: a lattice found from a count has cells of just that volume (the
//! outermost centres may then lie outside by up to a tenth of the spacing), the particles of a
//! lattice that was given, and those of a torus, are scaled alike. Particles are numbered along the
//! rows of the lattice with the axis of most cells outermost, so that neighbours in memory are near
//! in space.

mod circle;
mod error;
mod lathe;
mod lattice;
mod prisms;
mod profile;
mod resolution;
mod shell;
pub mod surfaces;
pub mod tets;
mod torus;
mod triangles;

pub use error::GenerateError;
pub use lathe::{Lathe, LatheResolution, lathe};
pub use lattice::Neighbourhood;
pub use prisms::MAX_ELEMENTS;
pub use shell::shell;
pub use triangles::triangle_sheet;

pub(crate) use lattice::Cells;

use fracas::solids::oriented::OrientedShape;

use error::require_size;
use lattice::Lattice;
use torus::Torus;

/// The most particles a generator makes.
pub const MAX_PARTICLES: u64 = 2_000_000;

/// How a shape is filled with particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// How fine the lattice is.
    pub resolution: Resolution,
    /// Which cells are bonded.
    pub neighbourhood: Neighbourhood,
    /// Largest random shift of a particle along each axis, as a share of the spacing; from 0 to
    /// 0.4. Cracks follow the rows of a lattice without it; 0.15 to 0.2 hides them.
    pub jitter: f32,
    /// Seed of the jitter.
    pub seed: u64,
}

/// How fine a lattice is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Resolution {
    /// About so many particles, in cells as nearly cubic as the count allows.
    ///
    /// Blocks are met to 10 % from 100 particles on, unless the shape is too thin for it; spheres
    /// and cylinders to 5 % from 300 on; tori too, where about 7 times their radius over that of the
    /// tube is less than the count.
    Count(u32),
    /// So many cells along x, y and z of the shape's bounding box; none may be 0.
    Lattice([u32; 3]),
    /// Cells about so wide, in m: the number along each axis is rounded, so that they fill the
    /// bounding box; at least one.
    Spacing(f32),
}

impl Default for Sampling {
    /// A thousand particles that hold together in all directions, on a regular lattice.
    fn default() -> Self {
        Self {
            resolution: Resolution::Count(1000),
            neighbourhood: Neighbourhood::Full,
            jitter: 0.0,
            seed: 0,
        }
    }
}

impl Sampling {
    /// About so many particles.
    pub fn count(count: u32) -> Self {
        Self { resolution: Resolution::Count(count), ..Self::default() }
    }

    /// So many cells along x, y and z.
    pub fn lattice(counts: [u32; 3]) -> Self {
        Self { resolution: Resolution::Lattice(counts), ..Self::default() }
    }

    /// Cells about so wide, in m.
    pub fn spacing(spacing: f32) -> Self {
        Self { resolution: Resolution::Spacing(spacing), ..Self::default() }
    }
}

/// A block of `size` along x, y and z, in m.
///
/// ```
/// use fracas_mesh::generate::{Neighbourhood, Sampling, block};
///
/// let sampling = Sampling { neighbourhood: Neighbourhood::Faces, ..Sampling::lattice([2, 2, 2]) };
/// let cube = block([1.0; 3], &sampling)?;
/// assert_eq!((cube.points.len(), cube.bonds.len()), (8, 12));
/// assert_eq!(cube.points[0].position, [-0.25; 3]);
/// # Ok::<(), fracas_mesh::generate::GenerateError>(())
/// ```
///
/// # Errors
///
/// See [`GenerateError`].
pub fn block(size: [f32; 3], sampling: &Sampling) -> Result<OrientedShape, GenerateError> {
    for (what, length) in ["size along x", "size along y", "size along z"].into_iter().zip(size) {
        require_size(what, length)?;
    }
    fill_block(size, sampling)
}

/// A block of `length` along x, `height` along y and `width` along z, in m: a beam lying on the
/// ground.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn bar(
    length: f32,
    width: f32,
    height: f32,
    sampling: &Sampling,
) -> Result<OrientedShape, GenerateError> {
    require_size("length", length)?;
    require_size("width", width)?;
    require_size("height", height)?;
    fill_block([length, height, width], sampling)
}

/// A block of `length` along x, `thickness` along y and `width` along z, in m: a plate lying on the
/// ground.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn plate(
    length: f32,
    width: f32,
    thickness: f32,
    sampling: &Sampling,
) -> Result<OrientedShape, GenerateError> {
    require_size("length", length)?;
    require_size("width", width)?;
    require_size("thickness", thickness)?;
    fill_block([length, thickness, width], sampling)
}

fn fill_block(size: [f32; 3], sampling: &Sampling) -> Result<OrientedShape, GenerateError> {
    let size = size.map(f64::from);
    block_lattice(size, sampling)?.fill(size.iter().product(), |_| true, sampling)
}

fn block_lattice(size: [f64; 3], sampling: &Sampling) -> Result<Lattice, GenerateError> {
    let counts = match sampling.resolution {
        Resolution::Count(count) => resolution::block_counts(size, count)?,
        Resolution::Lattice(counts) => counts,
        Resolution::Spacing(spacing) => resolution::counts_of_spacing(size, spacing)?,
    };
    Lattice::in_box(size, counts)
}

/// The cells that [`block`] fills.
pub(crate) fn block_cells(size: [f64; 3], sampling: &Sampling) -> Result<Cells, GenerateError> {
    Ok(block_lattice(size, sampling)?.cells(|_| true))
}

/// A ball, in m.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn sphere(radius: f32, sampling: &Sampling) -> Result<OrientedShape, GenerateError> {
    require_size("radius", radius)?;
    let radius = f64::from(radius);
    let (lattice, reach) = sphere_lattice(radius, sampling)?;
    let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    lattice.fill(volume, in_sphere(reach), sampling)
}

/// With the radius of the sphere that the centres of its cells lie in.
fn sphere_lattice(radius: f64, sampling: &Sampling) -> Result<(Lattice, f64), GenerateError> {
    let size = [2.0 * radius; 3];
    match sampling.resolution {
        Resolution::Count(count) => resolution::sphere_lattice(radius, count),
        Resolution::Lattice(counts) => Ok((Lattice::in_box(size, counts)?, radius)),
        Resolution::Spacing(spacing) => {
            let counts = resolution::counts_of_spacing(size, spacing)?;
            Ok((Lattice::in_box(size, counts)?, radius))
        }
    }
}

fn in_sphere(reach: f64) -> impl Fn([f64; 3]) -> bool {
    move |[x, y, z]| x * x + y * y + z * z <= reach * reach
}

/// The cells that [`sphere`] fills.
pub(crate) fn sphere_cells(radius: f64, sampling: &Sampling) -> Result<Cells, GenerateError> {
    let (lattice, reach) = sphere_lattice(radius, sampling)?;
    Ok(lattice.cells(in_sphere(reach)))
}

/// A cylinder of `height` along y, in m.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn cylinder(
    radius: f32,
    height: f32,
    sampling: &Sampling,
) -> Result<OrientedShape, GenerateError> {
    require_size("radius", radius)?;
    require_size("height", height)?;
    let (radius, height) = (f64::from(radius), f64::from(height));
    let (lattice, reach) = cylinder_lattice(radius, height, sampling)?;
    let volume = std::f64::consts::PI * radius * radius * height;
    lattice.fill(volume, in_cylinder(reach), sampling)
}

/// With the radius of the cylinder that the centres of its cells lie in.
fn cylinder_lattice(
    radius: f64,
    height: f64,
    sampling: &Sampling,
) -> Result<(Lattice, f64), GenerateError> {
    let size = [2.0 * radius, height, 2.0 * radius];
    match sampling.resolution {
        Resolution::Count(count) => resolution::cylinder_lattice(radius, height, count),
        Resolution::Lattice(counts) => Ok((Lattice::in_box(size, counts)?, radius)),
        Resolution::Spacing(spacing) => {
            let counts = resolution::counts_of_spacing(size, spacing)?;
            Ok((Lattice::in_box(size, counts)?, radius))
        }
    }
}

fn in_cylinder(reach: f64) -> impl Fn([f64; 3]) -> bool {
    move |[x, _, z]| x * x + z * z <= reach * reach
}

/// The cells that [`cylinder`] fills.
pub(crate) fn cylinder_cells(
    radius: f64,
    height: f64,
    sampling: &Sampling,
) -> Result<Cells, GenerateError> {
    let (lattice, reach) = cylinder_lattice(radius, height, sampling)?;
    Ok(lattice.cells(in_cylinder(reach)))
}

/// A ring in the xz plane: `radius` from the y axis to the middle of the `tube`, whose radius is
/// smaller, in m. Cells that the middle of the tube passes through are kept too, so that the thinnest
/// ring holds together.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn torus(radius: f32, tube: f32, sampling: &Sampling) -> Result<OrientedShape, GenerateError> {
    require_size("radius", radius)?;
    require_size("tube", tube)?;
    let ring = Torus::new(f64::from(radius), f64::from(tube))?;
    let lattice = torus_lattice(&ring, sampling)?;
    lattice.fill(ring.volume(), |centre| ring.keeps(centre, lattice.spacing()), sampling)
}

fn torus_lattice(ring: &Torus, sampling: &Sampling) -> Result<Lattice, GenerateError> {
    match sampling.resolution {
        Resolution::Count(count) => ring.lattice(count),
        Resolution::Lattice(counts) => Lattice::in_box(ring.size(), counts),
        Resolution::Spacing(spacing) => {
            Lattice::in_box(ring.size(), resolution::counts_of_spacing(ring.size(), spacing)?)
        }
    }
}

/// The cells that [`torus`] fills.
pub(crate) fn torus_cells(
    radius: f64,
    tube: f64,
    sampling: &Sampling,
) -> Result<Cells, GenerateError> {
    let ring = Torus::new(radius, tube)?;
    let lattice = torus_lattice(&ring, sampling)?;
    Ok(lattice.cells(|centre| ring.keeps(centre, lattice.spacing())))
}

/// A sheet of `length` along x, `width` along z and `thickness` along y, in m, one particle thick. A
/// count is met to 10 % from 100 particles on; a lattice has one cell along y.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn sheet(
    length: f32,
    width: f32,
    thickness: f32,
    sampling: &Sampling,
) -> Result<OrientedShape, GenerateError> {
    require_size("length", length)?;
    require_size("width", width)?;
    require_size("thickness", thickness)?;
    let size = [length, thickness, width].map(f64::from);
    sheet_lattice(size, sampling)?.fill(size.iter().product(), |_| true, sampling)
}

fn sheet_lattice(size: [f64; 3], sampling: &Sampling) -> Result<Lattice, GenerateError> {
    let counts = match sampling.resolution {
        Resolution::Count(count) => resolution::sheet_counts(size, count)?,
        Resolution::Lattice(counts @ [_, 0 | 1, _]) => counts,
        Resolution::Lattice(counts) => return Err(GenerateError::ThickSheet(counts)),
        Resolution::Spacing(spacing) => {
            // along y the width of a cell, for one cell
            let flat = [size[0], f64::from(spacing), size[2]];
            resolution::counts_of_spacing(flat, spacing)?
        }
    };
    Lattice::in_box(size, counts)
}

/// The cells that [`sheet`] fills.
pub(crate) fn sheet_cells(size: [f64; 3], sampling: &Sampling) -> Result<Cells, GenerateError> {
    Ok(sheet_lattice(size, sampling)?.cells(|_| true))
}
