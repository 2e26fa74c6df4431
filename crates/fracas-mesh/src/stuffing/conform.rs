//! Finds the lattice that gives the wished count and keeps the shape.

use fracas::glam::DVec3;

use super::improve::{self, Improver};
use super::lattice::Lattice;
use super::shape::Shape;
use super::{Advice, COUNT_TOLERANCE, FillError, Flaw, topology};
use crate::distance::SignedDistance;
use crate::surface::{Surface, crossings};
use crate::tets::TetMesh;

/// Tetrahedra in a cell of a body-centred cubic lattice.
const TETS_PER_CELL: f64 = 12.0;

/// Cosine of the lowest angle that is let through: 9°. Stuffing gives more than 10° and
/// improvement keeps that.
const LEAST_ANGLE: f64 = 0.987_688_341;

/// Greatest error of the volume that is let through.
const VOLUME_TOLERANCE: f64 = 2.0e-3;

/// A point of the surface farther from the mesh than this, in cells, shows that a part was lost.
const FAR: f64 = 1.0;

/// A mesh closer to the surface than this in the mean, in cells, is taken at once. That of the bunny
/// is 0.03 to 0.08.
const CLOSE: f64 = 0.06;

/// Of this many meshes the closest one is taken, though none is [`CLOSE`].
const ENOUGH: u32 = 4;

/// Lattices that are tried for a mesh: more for small meshes, where each is cheap and luck counts.
fn attempts(tets: u32) -> u32 {
    (600_000 / tets.max(1)).clamp(6, 24)
}

/// Most tetrahedra of meshes that are tried only to say how many would do.
const MOST_FOR_ADVICE: u32 = 50_000;

/// Thickness that thin parts are raised to, in cells, for one attempt after the other. Raised parts
/// are seen by the lattice, but holes in them get narrower.
const RAISED_TO: [f64; 4] = [1.2, 1.0, 1.4, 0.0];

/// Walls thinner than this, in cells, are not tried: raised so far, neighbouring parts grow together.
/// A flat plate is kept from 0.4 on.
const THINNEST: f64 = 0.35;

/// Fills a shape with about `tets` tetrahedra whose boundary is the surface.
pub(super) fn conform(shape: &Shape, tets: u32) -> Result<TetMesh, FillError> {
    let width = (TETS_PER_CELL * shape.volume / f64::from(tets)).cbrt();
    let wall = shape.median_thickness();
    if wall < THINNEST * width {
        let least = TETS_PER_CELL * shape.volume * (THINNEST / wall).powi(3);
        let (width, wall) = (width * shape.scale, wall * shape.scale);
        return Err(FillError::TooThin { tets, width, wall, least: least.ceil() as u64 });
    }
    search(shape, tets, attempts(tets)).map_err(|miss| match miss {
        Miss::Impossible(error) => error,
        Miss::Flaw { flaw, width } => {
            let width = width * shape.scale;
            let counts = std::iter::successors(tets.checked_mul(2), |count| count.checked_mul(2));
            let needed = counts
                .take_while(|&count| count <= MOST_FOR_ADVICE)
                .find(|&count| search(shape, count, RAISED_TO.len() as u32).is_ok());
            FillError::ShapeLost { tets, width, flaw, advice: Advice { needed } }
        }
    })
}

/// Goes through places of the lattice, at most `attempts`, and takes the first mesh that is close
/// to the surface, else the closest of some.
fn search(shape: &Shape, tets: u32, attempts: u32) -> Result<TetMesh, Miss> {
    let mut widths = [(TETS_PER_CELL * shape.volume / f64::from(tets)).cbrt(); RAISED_TO.len()];
    let mut flaw = Flaw::Count { found: 0 };
    let (mut best, mut finished): (Option<(f64, TetMesh)>, _) = (None, 0);
    for attempt in 0..attempts {
        // the R3 sequence (Roberts 2018): shifts that fill the cell evenly, however many
        let step = DVec3::new(0.819_172_513, 0.671_043_607, 0.549_700_478);
        let shift = (f64::from(attempt) * step).fract();
        let way = attempt as usize % RAISED_TO.len();
        match attempt_at(shape, tets, &mut widths[way], shift, RAISED_TO[way]) {
            Ok((far, mesh)) => {
                finished += 1;
                if best.as_ref().is_none_or(|(least, _)| far < *least) {
                    best = Some((far, mesh));
                }
            }
            Err(Miss::Flaw { flaw: found, .. }) => flaw = found.worse(flaw),
            Err(impossible) => return Err(impossible),
        }
        if finished == ENOUGH || best.as_ref().is_some_and(|(far, _)| *far <= CLOSE) {
            break;
        }
    }
    best.map(|(_, mesh)| mesh).ok_or(Miss::Flaw { flaw, width: widths[0] })
}

/// Why a lattice did not do.
enum Miss {
    /// Another may.
    Flaw {
        /// What was wrong.
        flaw: Flaw,
        /// Width of its cells.
        width: f64,
    },
    /// None will.
    Impossible(FillError),
}

/// One place of the lattice: finds the width for the count, starting from the last one, then
/// checks and improves.
fn attempt_at(
    shape: &Shape,
    tets: u32,
    width: &mut f64,
    shift: DVec3,
    raised_to: f64,
) -> Result<(f64, TetMesh), Miss> {
    let wished = f64::from(tets);
    let mut found = 0;
    // the count goes with the inverse cube of the width, with noise of some percent
    for _ in 0..6 {
        let lattice =
            Lattice::sample(shape, *width, shift, raised_to * *width).map_err(Miss::Impossible)?;
        let mesh = lattice.stuff();
        found = mesh.tets.len();
        if (found as f64 - wished).abs() <= COUNT_TOLERANCE * wished {
            return finish(shape, mesh, *width).map_err(|flaw| Miss::Flaw { flaw, width: *width });
        }
        *width *= (found as f64 / wished).cbrt().clamp(0.7, 1.4);
    }
    Err(Miss::Flaw { flaw: Flaw::Count { found }, width: *width })
}

/// Checks a stuffed mesh, improves it and checks it again. Says also how far it is from the surface
/// in the mean, in cells.
fn finish(shape: &Shape, mesh: TetMesh, width: f64) -> Result<(f64, TetMesh), Flaw> {
    let faces: Vec<[u32; 3]> = mesh.boundary().into_iter().map(|(face, _)| face).collect();
    topology::check_manifold(&faces).map_err(|_| Flaw::Pinched)?;
    let parts = topology::parts(&faces).map_err(|_| Flaw::Pinched)?;
    if parts != shape.parts {
        let count = |parts: &[i64]| (parts.len(), parts.iter().sum());
        return Err(Flaw::Parts { found: count(&parts), wanted: count(&shape.parts) });
    }
    let improver = Improver::new(mesh, faces.clone(), shape, width);
    let mesh = improver.run();
    let cosine = improve::worst(&mesh);
    if cosine > LEAST_ANGLE {
        return Err(Flaw::Angle);
    }
    let error = mesh.volume() / shape.volume - 1.0;
    if error.is_nan() || error.abs() > VOLUME_TOLERANCE {
        return Err(Flaw::Volume { error });
    }
    let (farthest, mean) = deviation(shape, &mesh, &faces);
    if farthest > FAR * width {
        return Err(Flaw::Far { cells: farthest / width });
    }
    // each tetrahedron is positive, but parts that were drawn back may have passed each other
    let boundary =
        Surface { vertices: mesh.vertices.clone(), triangles: faces, ..Surface::default() };
    if !crossings(&boundary).is_empty() {
        return Err(Flaw::Crossing);
    }
    Ok((mean / width, mesh))
}

/// How far the surface and the boundary of a mesh are from each other: the greatest way, which tells
/// of a spike or wall that is missing or too thick, and the root of the mean square over the areas,
/// which tells of the whole.
fn deviation(shape: &Shape, mesh: &TetMesh, faces: &[[u32; 3]]) -> (f64, f64) {
    let Some(boundary) = improve::boundary(mesh, faces) else {
        return (f64::INFINITY, f64::INFINITY);
    };
    let way = |distance: &SignedDistance, x: DVec3| distance.foot(x).distance(x);
    let lost =
        Deviation::of(&shape.surface.vertices, &shape.surface.triangles, |x| way(&boundary, x));
    let added = Deviation::of(&mesh.vertices, faces, |x| way(&shape.distance, x));
    let corners = shape.surface.vertices.iter().map(|&x| way(&boundary, x)).fold(0.0, f64::max);
    (corners.max(lost.greatest).max(added.greatest), lost.mean().max(added.mean()))
}

/// Ways from the middles of triangles.
#[derive(Default)]
struct Deviation {
    greatest: f64,
    /// Σ A d² and Σ A.
    squares: f64,
    area: f64,
}

impl Deviation {
    fn of(vertices: &[DVec3], triangles: &[[u32; 3]], way: impl Fn(DVec3) -> f64) -> Self {
        let mut all = Self::default();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|v| vertices[v as usize]);
            let (way, area) = (way((a + b + c) / 3.0), (b - a).cross(c - a).length());
            all.greatest = all.greatest.max(way);
            all.squares += area * way * way;
            all.area += area;
        }
        all
    }

    fn mean(&self) -> f64 {
        (self.squares / self.area).sqrt()
    }
}
