//! Named parts of a surface, each closed by itself: chunks of an object that was cut up before.

use crate::attributes::Objects;
use crate::distance::SignedDistance;
use crate::surface::{ClosedSurface, Surface, SurfaceError};
use crate::tets::TetMesh;

/// Why the named parts of a surface cannot be told apart.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// The file names no parts.
    #[error("the surface has no named objects: use another pattern, or name the parts")]
    NoNames,
    /// A part does not bound a solid.
    #[error("object {name:?} is no solid by itself: {why}")]
    NotClosed {
        /// The part.
        name: String,
        /// What is wrong with it.
        why: SurfaceError,
    },
}

/// The named parts of a surface as read, each repaired and checked to be closed.
///
/// # Errors
///
/// See [`PartError`].
pub fn parts(surface: &Surface) -> Result<Vec<(String, ClosedSurface)>, PartError> {
    if surface.objects.names.is_empty() {
        return Err(PartError::NoNames);
    }
    let mut parts = Vec::new();
    for (index, name) in surface.objects.names.iter().enumerate() {
        let of_part = |&t: &usize| surface.objects.get(t) == Some(index as u32);
        let triangles: Vec<usize> = (0..surface.triangles.len()).filter(of_part).collect();
        if triangles.is_empty() {
            continue;
        }
        let part = Surface {
            vertices: surface.vertices.clone(),
            triangles: triangles.iter().map(|&t| surface.triangles[t]).collect(),
            ..Surface::default()
        };
        let refused = |why| PartError::NotClosed { name: name.clone(), why };
        let (part, _) = part.repair();
        parts.push((name.clone(), ClosedSurface::new(part).map_err(refused)?));
    }
    Ok(parts)
}

/// Gives every tetrahedron to the part that its centre lies deepest in, or nearest to.
pub fn assign(mesh: &mut TetMesh, parts: &[(String, ClosedSurface)]) {
    let mut nearest = vec![(f64::INFINITY, 0); mesh.tets.len()];
    for (index, (_, part)) in parts.iter().enumerate() {
        let Some(distance) = SignedDistance::new(part) else { continue };
        for (tet, best) in nearest.iter_mut().enumerate() {
            let here = distance.at(mesh.centre(tet));
            if here < best.0 {
                *best = (here, index as u32);
            }
        }
    }
    mesh.objects = Objects {
        names: parts.iter().map(|(name, _)| name.clone()).collect(),
        of: nearest.into_iter().map(|(_, index)| index).collect(),
    };
}
