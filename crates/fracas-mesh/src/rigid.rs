//! The convex hulls of fragments: rigid solids, or what others touch of a body where it breaks.

use fracas::contact::shape::{Hull, Shape, ShapeError};
use fracas::glam::{DVec3, Vec3};
use fracas::math::Rot;
use fracas::world::RigidPart;

use crate::fragments::{Fragment, Fragments};
use crate::solid::FragmentedSolid;
use crate::tets::TetMesh;

/// Vertices of each fragment, once each.
fn vertices_of(mesh: &TetMesh, fragments: &Fragments) -> Vec<Vec<u32>> {
    let mut vertices: Vec<Vec<u32>> = vec![Vec::new(); fragments.fragments.len()];
    for (corners, &fragment) in mesh.tets.iter().zip(&fragments.of_tet) {
        vertices[fragment as usize].extend(corners);
    }
    for list in &mut vertices {
        list.sort_unstable();
        list.dedup();
    }
    vertices
}

/// Corners of the hull of each fragment about its centre, in m; of a fragment too thin for one those of
/// the box around its ellipsoid.
pub(crate) fn corners(mesh: &TetMesh, fragments: &Fragments) -> Vec<Vec<[f32; 3]>> {
    let around = |(vertices, fragment): (Vec<u32>, &Fragment)| {
        let at = |v: u32| (mesh.vertices[v as usize] - fragment.centre).as_vec3();
        hull_corners(&vertices.into_iter().map(at).collect::<Vec<Vec3>>(), fragment)
    };
    vertices_of(mesh, fragments).into_iter().zip(&fragments.fragments).map(around).collect()
}

/// The same by the triangles of the surface around each fragment, of which there may be many: the farthest points in
/// some directions.
pub(crate) fn corners_of_cells(
    cells: &[Vec<[DVec3; 3]>],
    fragments: &Fragments,
) -> Vec<Vec<[f32; 3]>> {
    let ways = directions();
    let around = |(triangles, fragment): (&Vec<[DVec3; 3]>, &Fragment)| {
        let points: Vec<Vec3> =
            triangles.iter().flatten().map(|&x| (x - fragment.centre).as_vec3()).collect();
        let farthest =
            |way: &Vec3| points.iter().copied().max_by(|a, b| a.dot(*way).total_cmp(&b.dot(*way)));
        let mut corners: Vec<Vec3> = ways.iter().filter_map(farthest).collect();
        corners.sort_by_key(|x| x.to_array().map(f32::to_bits));
        corners.dedup();
        hull_corners(&corners, fragment)
    };
    cells.iter().zip(&fragments.fragments).map(around).collect()
}

/// The corners, edge and face middles of a cube, and those between them.
fn directions() -> Vec<Vec3> {
    let steps = -2..=2;
    let cube = steps.clone().flat_map(|x| {
        let steps = -2..=2;
        steps.clone().flat_map(move |y| (-2..=2).map(move |z| [x, y, z]))
    });
    let outer = cube.filter(|at: &[i32; 3]| at.iter().any(|x| x.abs() == 2));
    outer.map(|at| Vec3::from(at.map(|x| x as f32)).normalize()).collect()
}

fn hull_corners(points: &[Vec3], fragment: &Fragment) -> Vec<[f32; 3]> {
    let corners = match Hull::new(points) {
        Ok(hull) => hull.vertices().to_vec(),
        Err(_) => box_around(fragment).to_vec(),
    };
    corners.into_iter().map(|corner| corner.to_array()).collect()
}

fn box_around(fragment: &Fragment) -> [Vec3; 8] {
    let half = Vec3::from(fragment.radii.map(|radius| radius as f32));
    std::array::from_fn(|k| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        fragment.axes * (half * Vec3::new(sign(0), sign(1), sign(2)))
    })
}

impl FragmentedSolid {
    /// The convex hull of every fragment, where it is, shrunk to the volume of the fragment: a body of the
    /// same mass that has come apart already. Where fragments are not convex, they may reach into their
    /// neighbours.
    ///
    /// # Errors
    ///
    /// If a hull has more corners than the engine takes.
    pub fn hulls(&self) -> Result<Vec<RigidPart>, ShapeError> {
        let part = |(fragment, vertices): (usize, &Vec<u32>)| {
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
        vertices_of(&self.mesh, &self.fragments).iter().enumerate().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]
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
    /// Every corner of a fragment is inside its hull, and every corner of the hull is one of the fragment's.
    #[test]
    fn corners_of_a_shape_are_those_of_its_fragments() {
        let block = ClosedSurface::new(surfaces::block([0.4, 0.3, 0.2]).unwrap()).unwrap();
        let tets = stuffing::fill(&block, &Filling::tets(2000)).unwrap();
        let fracture = Fracture::new(Pattern::KMeans, 20);
        let solid = FragmentedSolid::of_surface(&block, tets, &fracture).unwrap();
        assert_eq!(solid.shape.hulls.len(), 20);
        let mut most = 0;
        for (corners, fragment) in solid.shape.hulls.iter().zip(0..) {
            most = most.max(corners.len());
            let centre = solid.fragments.fragments[fragment as usize].centre;
            let own = solid.mesh.tets.iter().zip(&solid.fragments.of_tet);
            let own = own.filter(|(_, of)| **of == fragment).flat_map(|(tet, _)| tet);
            let own: Vec<Vec3> =
                own.map(|&v| (solid.mesh.vertices[v as usize] - centre).as_vec3()).collect();
            let corners: Vec<Vec3> = corners.iter().map(|&corner| corner.into()).collect();
            assert!(corners.iter().all(|corner| own.contains(corner)));
            for way in [Vec3::X, Vec3::NEG_Y, Vec3::new(0.3, -0.5, 0.8), Vec3::new(-0.9, 0.1, -0.2)]
            {
                let far = |points: &[Vec3]| points.iter().map(|p| p.dot(way)).fold(0.0, f32::max);
                assert!((far(&own) - far(&corners)).abs() < 1e-6);
            }
        }
        println!("at most {most} corners");
    }
}
