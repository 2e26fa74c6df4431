//! Tetrahedral meshes: repaired, checked, measured.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod tet_blocks;

use fracas::glam::DVec3;
use fracas_mesh::tets::{Quality, TetError, TetRepairs};
use fracas_mesh::{Attribute, Objects, TetMesh};
use proptest::prelude::*;
use tet_blocks::{block, jittered, kuhn, regular};

/// A jittered block with an object for each half, the number of each tetrahedron, and x at each
/// vertex.
fn labelled() -> TetMesh {
    let mut mesh = kuhn(&block([3, 2, 2]), jittered(0.1, 7));
    let tets = mesh.tets.len();
    mesh.objects = Objects {
        names: vec!["left".into(), "right".into()],
        of: (0..tets).map(|tet| u32::from(2 * tet >= tets)).collect(),
    };
    let number = (0..tets).map(|tet| tet as f32).collect();
    mesh.tet_attributes = vec![Attribute { name: "number".into(), values: number }];
    let x = mesh.vertices.iter().map(|x| x.x as f32).collect();
    mesh.vertex_attributes = vec![Attribute { name: "x".into(), values: x }];
    mesh
}

/// Every tetrahedron with four vertices of its own.
fn soup(mesh: &TetMesh) -> TetMesh {
    let corners: Vec<usize> = mesh.tets.iter().flatten().map(|&v| v as usize).collect();
    let tet = |t: u32| [4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3];
    let attributes = mesh.vertex_attributes.iter();
    TetMesh {
        vertices: corners.iter().map(|&v| mesh.vertices[v]).collect(),
        tets: (0..mesh.tets.len() as u32).map(tet).collect(),
        vertex_attributes: attributes.map(|a| a.select(corners.iter().copied())).collect(),
        ..mesh.clone()
    }
}

/// Appends a tetrahedron with the object and number 99.
fn append(mesh: &mut TetMesh, tet: [u32; 4]) {
    mesh.tets.push(tet);
    mesh.objects.of.push(1);
    mesh.tet_attributes[0].values.push(99.0);
}

#[test]
fn a_good_mesh_is_left_alone() {
    let mesh = labelled();
    assert_eq!(mesh.check(), Ok(()));
    let (repaired, repairs) = mesh.clone().repair().unwrap();
    assert_eq!(repaired, mesh);
    assert!(repairs.is_empty());
    assert_eq!(repairs.to_string(), "");
}

#[test]
fn every_kind_of_damage_is_mended_and_counted() {
    let good = labelled();
    let mut bad = soup(&good);
    let welded = bad.vertices.len() - good.vertices.len();
    for tet in [3, 20] {
        bad.tets[tet].swap(0, 1);
    }
    let [a, b, c, d] = bad.tets[5];
    append(&mut bad, [c, a, b, d]); // the same again
    append(&mut bad, [a, b, c, a]); // flat
    bad.vertices.push(DVec3::splat(50.0));
    bad.vertices.push(DVec3::splat(51.0));
    bad.vertex_attributes[0].values.extend([0.0; 2]);

    let (mended, repairs) = bad.repair().unwrap();
    assert_eq!(
        repairs.to_string(),
        format!(
            "2 inverted tetrahedra turned, 1 zero-volume tetrahedron removed, \
             1 duplicate tetrahedron removed, {welded} duplicate vertices welded, \
             2 unused vertices removed"
        )
    );
    assert_eq!(mended.check(), Ok(()));
    assert_eq!(mended.vertices.len(), good.vertices.len());
    assert_eq!(mended.objects, good.objects);
    assert_eq!(mended.tet_attributes, good.tet_attributes);
    // the value at each vertex is still its x
    for (x, &value) in mended.vertices.iter().zip(&mended.vertex_attributes[0].values) {
        assert_eq!(x.x as f32, value);
    }
    assert!((mended.volume() - good.volume()).abs() < 1e-12);
    assert_eq!(mended.surface().euler_characteristic(), 2);
    assert!(mended.clone().repair().unwrap().1.is_empty());
}

#[test]
fn zeros_of_both_signs_are_one_place() {
    let mut mesh = soup(&kuhn(&block([1, 1, 1]), regular));
    for x in mesh.vertices.iter_mut().step_by(2) {
        *x = DVec3::from_array(x.to_array().map(|x| if x == 0.0 { -0.0 } else { x }));
    }
    assert_eq!(mesh.repair().unwrap().0.vertices.len(), 8);
}

/// A tetrahedron over the triangle (0, 0), (1, 0), (0, 1) with its tip at this height.
fn of_height(height: f64) -> TetMesh {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.3, 0.3, height)];
    TetMesh { vertices, tets: vec![[0, 1, 2, 3]], ..TetMesh::default() }
}

#[test]
fn flat_means_below_rounding_and_thin_is_kept() {
    // volume h/6 over the longest edge √2 cubed
    let at_limit = 6.0 * 2f64.powf(1.5) * 1.0e-12;
    assert_eq!(of_height(1.01 * at_limit).check(), Ok(()));
    let refused = of_height(0.99 * at_limit).check();
    assert!(matches!(refused, Err(TetError::NoVolume { tet: 0, .. })), "{refused:?}");
    assert!(matches!(of_height(-0.1).check(), Err(TetError::Inverted { tet: 0, .. })));
    let (mesh, repairs) = of_height(0.0).repair().unwrap();
    assert_eq!((repairs.no_volume, repairs.unused, mesh.tets.len()), (1, 4, 0));
    assert_eq!(mesh.check(), Err(TetError::Empty));
}

#[test]
fn what_cannot_be_mended_is_named() {
    let good = labelled();
    let refused = |change: &dyn Fn(&mut TetMesh)| {
        let mut mesh = good.clone();
        change(&mut mesh);
        let error = mesh.check().unwrap_err();
        assert_eq!(mesh.repair().unwrap_err().to_string(), error.to_string());
        error.to_string()
    };
    assert_eq!(
        refused(&|mesh| mesh.tets[4][2] = 36),
        "tetrahedron 4 has vertex 36, but there are 36 vertices, counted from 0"
    );
    for bad in [f64::NAN, f64::INFINITY, -1.1e9] {
        let message = refused(&|mesh| mesh.vertices[9].y = bad);
        assert!(message.starts_with("vertex 9 lies at ["), "{message}");
    }
    assert_eq!(
        refused(&|mesh| mesh.objects.of.truncate(70)),
        "the list of objects has 70 values, but must have 72, one for each tetrahedron"
    );
    assert_eq!(
        refused(&|mesh| mesh.objects.of[8] = 2),
        "tetrahedron 8 belongs to object 2, but there are 2 objects"
    );
    assert_eq!(
        refused(&|mesh| mesh.vertex_attributes[0].values.clear()),
        "the attribute `x` has 0 values, but must have 36, one for each vertex"
    );
    assert_eq!(
        refused(&|mesh| mesh.tet_attributes[0].values.push(0.0)),
        "the attribute `number` has 73 values, but must have 72, one for each tetrahedron"
    );
}

#[test]
fn faces_with_three_tetrahedra_and_overlaps_are_refused() {
    let mut mesh = of_height(0.5);
    mesh.vertices.extend([DVec3::new(0.2, 0.2, -0.5), DVec3::new(0.2, 0.2, -0.7)]);
    mesh.tets.push([0, 2, 1, 4]);
    assert_eq!(mesh.check(), Ok(()));
    mesh.tets.push([0, 2, 1, 5]);
    let third = DVec3::new(1.0, 1.0, 0.0) / 3.0;
    assert_eq!(mesh.check(), Err(TetError::CrowdedFace { face: [0, 1, 2], tets: 3, at: third }));

    // a mesh folded over at a face: turning the inverted tetrahedron makes it overlap
    let mut mesh = of_height(0.5);
    mesh.vertices.push(DVec3::new(0.2, 0.2, 0.4));
    mesh.tets.push([0, 2, 1, 4]);
    let (mesh, repairs) = mesh.repair().unwrap();
    assert_eq!(repairs.inverted, 1);
    assert_eq!(mesh.check(), Err(TetError::Overlap { tets: [0, 1], at: third }));
}

#[test]
fn surfaces_and_components_of_blocks_rings_and_pairs() {
    let ring: Vec<_> = block([3, 3, 1]).into_iter().filter(|&[x, y, _]| [x, y] != [1, 1]).collect();
    let pair: Vec<_> = block([5, 2, 2]).into_iter().filter(|&[x, ..]| x != 2).collect();
    // cubes that share only an edge are two components and touch at two vertices
    let corner = vec![[0, 0, 0], [1, 1, 0]];
    for (cells, characteristic, components) in
        [(block([3, 2, 4]), 2, 1), (ring, 0, 1), (pair, 4, 2), (corner, 3, 2)]
    {
        let mesh = kuhn(&cells, regular);
        assert_eq!(mesh.check(), Ok(()));
        let surface = mesh.surface();
        assert_eq!(surface.euler_characteristic(), characteristic);
        assert!((surface.volume() - cells.len() as f64).abs() < 1e-12);
        let (of, count) = mesh.components();
        assert_eq!(count, components);
        assert_eq!(of.iter().max(), Some(&(components as u32 - 1)));
        // 6 tetrahedra are one cube
        assert!(of.chunks(6).all(|cube| cube.iter().all(|&c| c == cube[0])));
    }
    let surface = labelled().surface();
    assert_eq!(surface.vertices.len(), 36 - 2); // two lattice points lie inside
    for (x, &value) in surface.vertices.iter().zip(&surface.attributes[0].values) {
        assert_eq!(x.x as f32, value);
    }
    assert_eq!(surface.objects.of.len(), surface.triangles.len());
    assert!((surface.volume() - labelled().volume()).abs() < 1e-12);
}

fn single(corners: [[f64; 3]; 4]) -> Quality {
    let vertices = corners.map(DVec3::from_array).to_vec();
    let mesh = TetMesh { vertices, tets: vec![[0, 1, 2, 3]], ..TetMesh::default() };
    assert_eq!(mesh.check(), Ok(()));
    Quality::of(&mesh)
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} not {expected}");
}

#[test]
fn angles_and_shapes_of_known_tetrahedra() {
    let regular = single([[1., 1., 1.], [-1., 1., -1.], [1., -1., -1.], [-1., -1., 1.]]);
    assert_near(regular.dihedral.least, (1.0f64 / 3.0).acos().to_degrees()); // 70.528779°
    assert_near(regular.dihedral.greatest, regular.dihedral.least);
    assert_near(regular.shape.least, 1.0);
    assert_near(regular.edge.median, 8f64.sqrt());
    assert_near(regular.volume, 8.0 / 3.0);
    assert_eq!((regular.tets, regular.vertices, regular.boundary_triangles), (1, 4, 4));

    // three right angles, three of arccos 1/√3
    let corner = single([[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]);
    assert_near(corner.dihedral.least, (1.0 / 3f64.sqrt()).acos().to_degrees());
    assert_near(corner.dihedral.greatest, 90.0);
    // 12 (3/6)^⅔ / (3·1 + 3·2)
    assert_near(corner.shape.least, 12.0 * 0.25f64.cbrt() / 9.0);
    assert_near(corner.edge.greatest, 2f64.sqrt());

    // of the body-centred cubic lattice: two edges of length 2, four of √3
    let bcc = single([[0., 0., 0.], [2., 0., 0.], [1., 1., 1.], [1., -1., 1.]]);
    assert_near(bcc.dihedral.least, 60.0);
    assert_near(bcc.dihedral.median, 60.0);
    assert_near(bcc.dihedral.greatest, 90.0);
    assert_near(bcc.edge.least, 3f64.sqrt());
    assert_near(bcc.edge.greatest, 2.0);
}

#[test]
fn edges_count_once_and_the_table_is_aligned() {
    let quality = Quality::of(&kuhn(&block([3, 3, 3]), regular));
    assert_near(quality.edge.least, 1.0);
    // of 3·4²·3 + 3·4·3² + 3³ edges 144 have length 1, 108 √2, 27 √3
    assert_near(quality.edge.median, 1.0);
    assert_near(quality.edge.greatest, 3f64.sqrt());
    assert_eq!(quality.boundary_triangles, 6 * 9 * 2);
    assert_near(quality.volume, 27.0);

    let table = quality.to_string();
    let widths: Vec<usize> = table.lines().take(4).map(|line| line.chars().count()).collect();
    assert_eq!(widths, [58; 4], "\n{table}");
    assert!(table.contains("dihedral angle, °       45.0      45.0"), "\n{table}");
    assert!(table.ends_with("volume, m³             27.00"), "\n{table}");
    assert_eq!(Quality::of(&TetMesh::default()), Quality::default());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any lists of numbers: an error or a mesh that needs no more repair, and never a panic.
    #[test]
    fn random_meshes_are_mended_or_refused(
        points in prop::collection::vec((0..3i32, 0..3i32, 0..3i32), 0..14),
        tets in prop::collection::vec(prop::array::uniform4(0..14u32), 0..12),
    ) {
        let vertices: Vec<DVec3> = points.iter().map(|&(x, y, z)| regular([x, y, z])).collect();
        let out_of_range = tets.iter().flatten().any(|&v| v as usize >= vertices.len());
        let mesh = TetMesh { vertices, tets, ..TetMesh::default() };
        let before = mesh.tets.len();
        match mesh.repair() {
            Err(error) => {
                let named = matches!(error, TetError::BadIndex { .. });
                prop_assert!(named && out_of_range);
            }
            Ok((mesh, repairs)) => {
                prop_assert!(!out_of_range);
                prop_assert_eq!(before, mesh.tets.len() + repairs.no_volume + repairs.duplicates);
                prop_assert!((0..mesh.tets.len()).all(|tet| mesh.tet_volume(tet) > 0.0));
                if let Err(error) = mesh.check() {
                    let topology = matches!(
                        error,
                        TetError::Empty | TetError::CrowdedFace { .. } | TetError::Overlap { .. }
                    );
                    prop_assert!(topology, "{error}");
                }
                prop_assert_eq!(mesh.repair().unwrap().1, TetRepairs::default());
            }
        }
    }
}
