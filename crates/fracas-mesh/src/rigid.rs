//! Fragments as rigid solids.

use fracas::contact::shape::{Shape, ShapeError};
use fracas::glam::Vec3;
use fracas::math::Rot;
use fracas::world::RigidPart;

use crate::fragments::Fragment;
use crate::solid::FragmentedSolid;

impl FragmentedSolid {
    /// The convex hull of every fragment, where it is: a body that has come apart already. A fragment that
    /// is not convex becomes larger and heavier, and may reach into its neighbours.
    ///
    /// # Errors
    ///
    /// If a hull has more corners than the engine takes.
    pub fn hulls(&self) -> Result<Vec<RigidPart>, ShapeError> {
        let mut vertices: Vec<Vec<u32>> = vec![Vec::new(); self.fragments.fragments.len()];
        for (corners, &fragment) in self.mesh.tets.iter().zip(&self.fragments.of_tet) {
            vertices[fragment as usize].extend(corners);
        }
        let part = |(fragment, vertices): (usize, &mut Vec<u32>)| {
            vertices.sort_unstable();
            vertices.dedup();
            let Fragment { centre, material, .. } = self.fragments.fragments[fragment];
            let points: Vec<Vec3> = vertices
                .iter()
                .map(|&v| (self.mesh.vertices[v as usize] - centre).as_vec3())
                .collect();
            let shape = Shape::hull(&points)?;
            let position = centre.as_vec3().to_array();
            Ok(RigidPart { shape, position, rotation: Rot::IDENTITY, material })
        };
        vertices.iter_mut().enumerate().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClosedSurface;
    use crate::fragments::{Fracture, Pattern};
    use crate::generate::surfaces;
    use crate::stuffing::{self, Filling};

    /// Hulls hold their fragments, and of a convex solid hardly more than all of it.
    #[test]
    fn hulls_hold_their_fragments() {
        let block = ClosedSurface::new(surfaces::block([0.4, 0.3, 0.2]).unwrap()).unwrap();
        let tets = stuffing::fill(&block, &Filling::tets(2000)).unwrap();
        let fracture = Fracture::new(Pattern::Voronoi, 12);
        let solid = FragmentedSolid::of_surface(&block, tets, &fracture).unwrap();
        let parts = solid.hulls().unwrap();
        assert_eq!(parts.len(), 12);
        let mut whole = 0.0;
        for (part, fragment) in parts.iter().zip(&solid.fragments.fragments) {
            let volume = f64::from(part.shape.mass_properties(1.0).unwrap().mass);
            assert!(volume > 0.999 * fragment.volume, "{volume} around {}", fragment.volume);
            whole += volume;
        }
        let excess = whole / (0.4 * 0.3 * 0.2);
        assert!((1.0..1.5).contains(&excess), "{excess}");
    }
}
