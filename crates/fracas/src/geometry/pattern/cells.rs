//! Cells given by their corners.

use super::desc::PatternError;
use super::{Frame, trimmed};
use crate::geometry::convex::{Convex, area_vector};
use glam::{DVec3, Vec3};

/// The half-space n·x ≤ d.
type HalfSpace = (DVec3, f64);

/// Cells as half-spaces, in the frame of the pattern. Faces of neighbours are one plane, not two
/// that `f32` corners put a rounding apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CellList {
    /// Of the solid that all fill together.
    outer: Vec<HalfSpace>,
    cells: Vec<Vec<HalfSpace>>,
}

/// What corners in `f32` may leave of gaps and overlaps, relative to the volume.
const LOOSE: f64 = 1.0e-4;

impl CellList {
    pub(super) fn new(cells: &[Vec<[f32; 3]>]) -> Result<Self, PatternError> {
        let mut solids = Vec::with_capacity(cells.len());
        for (cell, corners) in cells.iter().enumerate() {
            let corners: Vec<Vec3> = corners.iter().map(|c| Vec3::from_array(*c)).collect();
            solids.push(Convex::hull(&corners).map_err(|why| PatternError::BadCell { cell, why })?);
        }
        let all: Vec<Vec3> = cells.iter().flatten().map(|c| Vec3::from_array(*c)).collect();
        let whole = Convex::hull(&all).map_err(|why| PatternError::BadCell { cell: 0, why })?;

        // Planes nearer than this are one: well above the rounding of corners.
        let tolerance = 1.0e-5 * whole.size();
        let mut planes = Vec::new();
        let outer = half_spaces(&whole, &mut planes, tolerance);
        let spaces: Vec<Vec<HalfSpace>> =
            solids.iter().map(|solid| half_spaces(solid, &mut planes, tolerance)).collect();
        require_no_overlap(&solids, &spaces)?;
        let (sum, hull) = (solids.iter().map(Convex::volume).sum::<f64>(), whole.volume());
        if sum < (1.0 - LOOSE) * hull {
            return Err(PatternError::Gap { sum, hull });
        }
        Ok(Self { outer, cells: spaces })
    }

    /// The fragment in these cells; what is outside of all stays in as few parts as their outline
    /// has faces.
    pub(super) fn cells(&self, frame: &Frame, fragment: &Convex) -> Option<Vec<Convex>> {
        let placed = |(normal, offset): &HalfSpace| {
            let normal = frame.axes * *normal;
            (normal, offset + normal.dot(frame.origin))
        };
        let outer = self.outer.iter().map(placed);
        let (core, mut found) = trimmed(fragment, outer, 0.0)?;
        for cell in &self.cells {
            found.extend(within(core.clone(), cell.iter().map(placed)));
        }
        Some(found)
    }
}

/// The part of a solid in all half-spaces.
fn within(solid: Convex, spaces: impl IntoIterator<Item = HalfSpace>) -> Option<Convex> {
    spaces.into_iter().try_fold(solid, |rest, (normal, offset)| rest.cut(normal, offset).0)
}

/// The half-spaces that bound a solid, taken from `planes` where these hold one with the same plane
/// on either side, and added to them where not.
fn half_spaces(solid: &Convex, planes: &mut Vec<HalfSpace>, tolerance: f64) -> Vec<HalfSpace> {
    // The largest face of a plane comes first and knows it best; what is thinner than the tolerance
    // only repeats those beside it.
    let area = |face: &&[u32]| area_vector(solid.points(face)).length();
    let mut faces: Vec<&[u32]> =
        solid.faces().filter(|face| solid.width(face) > tolerance).collect();
    faces.sort_by(|a, b| area(b).total_cmp(&area(a)));

    let mut found: Vec<HalfSpace> = Vec::new();
    for face in faces {
        let (normal, offset) = solid.plane(face);
        let lies = |plane: &&HalfSpace| {
            solid.points(face).all(|p| (plane.0.dot(p) - plane.1).abs() <= tolerance)
        };
        let space = match planes.iter().find(lies) {
            Some(known) if known.0.dot(normal) < 0.0 => (-known.0, -known.1),
            Some(known) => *known,
            None => {
                planes.push((normal, offset));
                (normal, offset)
            }
        };
        if !found.contains(&space) {
            found.push(space);
        }
    }
    found
}

fn require_no_overlap(solids: &[Convex], spaces: &[Vec<HalfSpace>]) -> Result<(), PatternError> {
    let bounds: Vec<(DVec3, DVec3)> = solids.iter().map(Convex::bounds).collect();
    for second in 0..solids.len() {
        for first in 0..second {
            let ((low, high), (least, most)) = (bounds[first], bounds[second]);
            if low.cmpgt(most).any() || least.cmpgt(high).any() {
                continue;
            }
            let both = within(solids[first].clone(), spaces[second].iter().copied());
            let volume = both.map_or(0.0, |solid| solid.volume());
            let allowed = LOOSE * solids[first].volume().min(solids[second].volume());
            if volume > allowed {
                return Err(PatternError::Overlap { first, second, volume });
            }
        }
    }
    Ok(())
}
