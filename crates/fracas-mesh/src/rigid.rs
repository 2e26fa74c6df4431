//! Fragments as rigid solids.

use fracas::contact::shape::{Shape, ShapeError};
use fracas::glam::Vec3;
use fracas::math::Rot;
use fracas::world::RigidPart;

use crate::fragments::Fragment;
use crate::solid::FragmentedSolid;

impl FragmentedSolid {
    /// The convex hull of every fragment, where it is, shrunk to the volume of the fragment: a body of the
    /// same mass that has come apart already. Where fragments are not convex, they may reach into their
    /// neighbours.
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
            let Fragment { volume, centre, material, .. } = self.fragments.fragments[fragment];
            let around = |scale: f64| {
                let at = |&v: &u32| (scale * (self.mesh.vertices[v as usize] - centre)).as_vec3();
                Shape::hull(&vertices.iter().map(at).collect::<Vec<Vec3>>())
            };
            let hull = around(1.0)?;
            let of_hull = hull.mass_properties(1.0).map_or(volume, |mass| f64::from(mass.mass));
            let shape = around((volume / of_hull).cbrt().min(1.0))?;
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
    use fracas::contact::shape::Pose;

    /// As heavy as their fragments, and not far beyond the solid.
    #[test]
    fn hulls_have_the_volume_of_their_fragments() {
        let block = ClosedSurface::new(surfaces::block([0.4, 0.3, 0.2]).unwrap()).unwrap();
        let tets = stuffing::fill(&block, &Filling::tets(2000)).unwrap();
        let fracture = Fracture::new(Pattern::Voronoi, 12);
        let solid = FragmentedSolid::of_surface(&block, tets, &fracture).unwrap();
        let parts = solid.hulls().unwrap();
        assert_eq!(parts.len(), 12);
        for (part, fragment) in parts.iter().zip(&solid.fragments.fragments) {
            let mass = part.shape.mass_properties(1.0).unwrap();
            let ratio = f64::from(mass.mass) / fragment.volume;
            assert!((ratio - 1.0).abs() < 1e-5, "{ratio} of the volume");
            let position = Vec3::from(part.position);
            assert!(position.distance(fragment.centre.as_vec3()) < 1e-6);
            let pose = Pose { rotation: part.rotation, position };
            let around = part.shape.aabb(&pose);
            let beyond = around.max.abs().max(around.min.abs()) - Vec3::new(0.2, 0.15, 0.1);
            assert!(beyond.max_element() < 1e-3, "{beyond}");
        }
    }
}
