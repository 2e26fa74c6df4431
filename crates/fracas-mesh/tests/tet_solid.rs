//! Tetrahedra that become bodies: generated, put in order, with what is known and what is drawn of them.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;

use fracas::glam::{DMat3, DVec3, Vec3};
use fracas::skin::{Owners, SkinMesh};
use fracas_mesh::generate::{GenerateError, MAX_ELEMENTS, Resolution, surfaces, tets};
use fracas_mesh::stuffing::{self, Filling};
use fracas_mesh::tet_solid::{TetSolid, TetSolidError};
use fracas_mesh::{Attribute, ClosedSurface, Objects, TetMesh, skin};

fn closed(surface: fracas_mesh::Surface) -> ClosedSurface {
    ClosedSurface::new(surface).unwrap()
}

/// Positive, conforming, with the block's volume and its surface, whatever the number of cells along each side.
#[test]
fn lattices_of_five_to_a_cell_are_whole_blocks() {
    let size = [1.3, 0.4, 0.7];
    for counts in [[1, 1, 1], [1, 1, 2], [3, 1, 2], [4, 3, 2], [2, 2, 2], [5, 5, 5]] {
        let mesh = tets::block(size, Resolution::Lattice(counts)).unwrap();
        mesh.check().unwrap();
        let [x, y, z] = counts.map(|n| n as usize);
        assert_eq!(mesh.tets.len(), 5 * x * y * z);
        assert_eq!(mesh.vertices.len(), (x + 1) * (y + 1) * (z + 1));
        let volume: f64 = size.iter().product();
        assert!((mesh.volume() / volume - 1.0).abs() < 1e-13, "{}", mesh.volume());
        // every face inside is shared: what is left is the surface of the block, closed and of its area
        let boundary = closed(mesh.surface());
        let surface = boundary.surface();
        assert_eq!(surface.triangles.len(), 4 * (x * y + y * z + z * x));
        let area = 2.0 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
        let found: f64 = mesh.boundary().iter().map(|(face, _)| area_of(&mesh, *face)).sum();
        assert!((found / area - 1.0).abs() < 1e-13, "{found}");
        assert!((surface.volume() / volume - 1.0).abs() < 1e-13);
    }
}

fn area_of(mesh: &TetMesh, face: [u32; 3]) -> f64 {
    let [a, b, c] = face.map(|v| mesh.vertices[v as usize]);
    0.5 * (b - a).cross(c - a).length()
}

/// The first cell is mirrored along every axis by its neighbour, so a block of even counts is its own mirror image.
#[test]
fn lattices_are_their_own_mirror_images() {
    let mesh = tets::block([2.0, 4.0, 6.0], Resolution::Lattice([2, 4, 6])).unwrap();
    let key = |x: DVec3| x.to_array().map(|x| (10.0 * x).round() as i32);
    let sorted = |sign: DVec3| {
        let mut tets: Vec<[[i32; 3]; 4]> = Vec::new();
        for tet in 0..mesh.tets.len() {
            let mut corners = mesh.corners(tet).map(|x| key(sign * x));
            corners.sort_unstable();
            tets.push(corners);
        }
        tets.sort_unstable();
        tets
    };
    for axis in 0..3 {
        let mut sign = DVec3::ONE;
        sign[axis] = -1.0;
        assert_eq!(sorted(sign), sorted(DVec3::ONE), "axis {axis}");
    }
}

/// Counts are met to a tenth, spacings as well as they divide the sides; bars and plates lie as their particles do.
#[test]
fn wishes_are_met() {
    for wish in [100, 500, 2000, 30_000] {
        for size in [[1.0; 3], [2.0, 0.3, 0.4], [1.0, 0.05, 1.0]] {
            let found = tets::block(size, Resolution::Count(wish)).unwrap().tets.len() as f64;
            let ratio = found / f64::from(wish);
            assert!((0.85..1.15).contains(&ratio), "{found} of {wish} in {size:?}");
        }
    }
    let bar = tets::bar(1.0, 0.2, 0.1, Resolution::Spacing(0.1)).unwrap();
    assert_eq!(bar.tets.len(), 5 * 10 * 2);
    let extent = |mesh: &TetMesh| mesh.vertices.iter().fold(DVec3::ZERO, |most, x| most.max(*x));
    assert_eq!(extent(&bar), DVec3::new(0.5, 0.05, 0.1));
    let plate = tets::plate(1.0, 0.2, 0.1, Resolution::Spacing(0.1)).unwrap();
    assert_eq!(extent(&plate), DVec3::new(0.5, 0.05, 0.1));

    let refuse = |resolution| tets::block([1.0; 3], resolution).unwrap_err();
    assert_eq!(refuse(Resolution::Count(0)), GenerateError::NoTets);
    assert_eq!(refuse(Resolution::Lattice([1, 0, 1])), GenerateError::EmptyLattice([1, 0, 1]));
    for much in [Resolution::Count(u32::MAX), Resolution::Lattice([u32::MAX; 3])] {
        assert!(
            matches!(refuse(much), GenerateError::TooManyElements { count } if count > MAX_ELEMENTS)
        );
    }
    let much = refuse(Resolution::Spacing(1e-9));
    assert!(matches!(much, GenerateError::TooManyElements { .. }));
    assert!(matches!(refuse(Resolution::Spacing(f32::NAN)), GenerateError::BadSize { .. }));
    let flat = tets::block([1.0, 0.0, 1.0], Resolution::Count(5)).unwrap_err();
    assert!(matches!(flat, GenerateError::BadLength { what: "size along y", .. }));
}

fn labelled() -> TetMesh {
    let mut mesh = tets::block([1.0; 3], Resolution::Lattice([6, 6, 6])).unwrap();
    // a vertex that nothing uses
    mesh.vertices.push(DVec3::splat(9.0));
    let x = |x: &DVec3| x.x as f32;
    let height: Vec<f32> = (0..mesh.tets.len()).map(|tet| mesh.centre(tet).y as f32).collect();
    mesh.objects = Objects {
        names: vec!["low".into(), "high".into()],
        of: height.iter().map(|&y| u32::from(y > 0.0)).collect(),
    };
    let values = mesh.vertices.iter().map(x).collect();
    mesh.vertex_attributes = vec![Attribute { name: "x".into(), values }];
    mesh.tet_attributes = vec![Attribute { name: "y".into(), values: height }];
    mesh
}

/// In order, it is the same solid: corners, objects and attributes are still those of their tetrahedra, and what is
/// near in memory is near in space.
#[test]
fn order_changes_nothing_but_the_order() {
    let before = labelled();
    let after = before.clone().in_order();
    after.check().unwrap();
    assert_eq!(after.vertices.len(), before.vertices.len() - 1);
    let bits = |mesh: &TetMesh| {
        let corners = |tet: usize| mesh.corners(tet).map(|x| x.to_array().map(f64::to_bits));
        let mut tets: Vec<_> = (0..mesh.tets.len())
            .map(|tet| {
                (corners(tet), mesh.objects.of[tet], mesh.tet_attributes[0].values[tet].to_bits())
            })
            .collect();
        tets.sort_unstable();
        tets
    };
    assert_eq!(bits(&before), bits(&after));
    for (x, &value) in after.vertices.iter().zip(&after.vertex_attributes[0].values) {
        assert_eq!(x.x as f32, value);
    }
    // steps from tetrahedron to tetrahedron: rows jump from end to end, the curve never farther than some cells
    let steps = |mesh: &TetMesh| {
        let step = |t: usize| mesh.centre(t).distance(mesh.centre(t + 1));
        (0..mesh.tets.len() - 1).map(step).fold(0.0, f64::max)
    };
    assert!(steps(&before) > 0.8, "{}", steps(&before));
    assert!(steps(&after) < 0.5, "{}", steps(&after));
}

/// A shape has the values of the middles of its tetrahedra, and the materials of their objects.
#[test]
fn shapes_know_what_their_mesh_knows() {
    let solid = TetSolid::new(labelled()).unwrap().with_materials(|name| match name {
        "low" => 3,
        _ => 1,
    });
    let TetSolid { mesh, shape, .. } = &solid;
    assert_eq!(shape.vertices.len(), mesh.vertices.len());
    assert_eq!(shape.tets, mesh.tets);
    let [(x_name, x), (y_name, y)] = &shape.values.attributes[..] else { panic!("two attributes") };
    assert_eq!((x_name.as_str(), y_name.as_str()), ("x", "y"));
    for tet in 0..mesh.tets.len() {
        let centre = mesh.centre(tet);
        assert!((f64::from(x[tet]) - centre.x).abs() < 1e-6);
        assert!((f64::from(y[tet]) - centre.y).abs() < 1e-6);
        assert_eq!(shape.materials[tet], if centre.y > 0.0 { 1 } else { 3 });
    }
    assert_eq!(shape.values.curvature.len(), mesh.tets.len());
}

/// A filled ball has the curvature 1/r at every tetrahedron, and its volume.
#[test]
fn filled_shapes_know_their_surface() {
    let ball = closed(surfaces::sphere(0.5, 4).unwrap());
    let mesh = stuffing::fill(&ball, &Filling::tets(2000)).unwrap();
    let solid = TetSolid::of_surface(&ball, mesh).unwrap();
    assert!((solid.mesh.volume() / ball.surface().volume() - 1.0).abs() < 1e-6);
    for &curvature in &solid.shape.values.curvature {
        assert!((curvature - 2.0).abs() < 0.1, "{curvature}");
    }
    let ring = closed(surfaces::torus(0.3, 0.1, 48, 24).unwrap());
    let mesh = stuffing::fill(&ring, &Filling::tets(2000)).unwrap();
    let solid = TetSolid::of_surface(&ring, mesh).unwrap();
    assert_eq!(solid.mesh.surface().euler_characteristic(), 0);
}

/// What is no solid is refused, also if only single precision makes it none.
#[test]
fn what_is_flat_is_refused() {
    let mut mesh = tets::block([1.0; 3], Resolution::Count(5)).unwrap();
    mesh.vertices.iter_mut().for_each(|x| *x = 1e-3 * *x + DVec3::splat(1e6));
    let refused = TetSolid::new(mesh.clone()).unwrap_err();
    assert!(matches!(refused, TetSolidError::TooFine { .. }), "{refused}");
    mesh.tets[0].swap(0, 1);
    assert!(matches!(TetSolid::new(mesh), Err(TetSolidError::Tets(_))));
}

/// The boundary is closed and outside, each face of a tetrahedron that has its corners; edges are there once.
#[test]
fn boundaries_are_skins() {
    let solid = TetSolid::new(labelled()).unwrap();
    let skin = solid.skin();
    assert_eq!(skin.owners, Owners::Tets(solid.mesh.tets.clone()));
    assert_eq!(skin.outside.len(), 12 * 36);
    for face in &skin.outside {
        let owner = solid.mesh.tets[face.owner as usize];
        assert!(face.corners.iter().all(|v| owner.contains(v)));
    }
    assert_eq!(open_edges(&skin), 0);
    assert!((volume_of(&skin) - 1.0).abs() < 1e-6);
    // V − E + F − T = 1 of a ball
    let faces = 2 * solid.mesh.tets.len() + skin.outside.len() / 2;
    let found = skin.vertices.len() + faces - skin.edges.len() - solid.mesh.tets.len();
    assert_eq!(found, 1);
}

fn open_edges(skin: &SkinMesh) -> usize {
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for face in &skin.outside {
        for k in 0..3 {
            let (a, b) = (face.corners[k], face.corners[(k + 1) % 3]);
            *edges.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
        }
    }
    edges.values().filter(|&&sum| sum != 0).count()
}

fn volume_of(skin: &SkinMesh) -> f64 {
    let at = |v: u32| Vec3::from(skin.vertices[v as usize]).as_dvec3();
    let of = |face: &fracas::skin::Face| {
        let [a, b, c] = face.corners.map(at);
        a.dot(b.cross(c)) / 6.0
    };
    skin.outside.iter().map(of).sum()
}

/// Barycentric coordinates of a point in a tetrahedron.
fn shares(mesh: &TetMesh, tet: usize, point: DVec3) -> [f64; 4] {
    let [a, b, c, d] = mesh.corners(tet);
    let [b, c, d] = (DMat3::from_cols(b - a, c - a, d - a).inverse() * (point - a)).to_array();
    [1.0 - b - c - d, b, c, d]
}

/// Every vertex of a fine ring is at home in the tetrahedron that a search through all of them finds, or in one that
/// touches the point of their boundary nearest to it; and the skin is the surface, whole.
#[test]
fn vertices_are_at_home_where_they_are() {
    let surface = surfaces::torus(0.3, 0.1, 96, 48).unwrap();
    let ring = closed(surface.clone());
    let mesh = stuffing::fill(&ring, &Filling::tets(600)).unwrap().in_order();
    let skin = skin::held(&surface, &mesh);
    assert_eq!(skin.outside.len(), surface.triangles.len());
    assert_eq!(open_edges(&skin), 0);
    assert_eq!(skin.homes.len(), skin.vertices.len());
    let least = |tet: usize, x: DVec3| shares(&mesh, tet, x).into_iter().fold(1.0, f64::min);
    let (mut inside, mut outside) = (0, 0);
    for (x, &home) in surface.vertices.iter().zip(&skin.homes) {
        let all = (0..mesh.tets.len()).map(|tet| least(tet, *x)).fold(-9.0, f64::max);
        if all >= 0.0 {
            inside += 1;
            assert!(least(home as usize, *x) >= -1e-9, "{x} is not in tetrahedron {home}");
        } else {
            outside += 1;
            let truth = (0..mesh.tets.len()).map(|tet| away(&mesh, tet, *x)).fold(9.0, f64::min);
            let found = away(&mesh, home as usize, *x);
            assert!(found <= truth + 1e-9, "{x}: {found} m from {home}, {truth} from another");
        }
    }
    assert!(inside > 500 && outside > 500, "{inside}, {outside}");
    // the corners of tetrahedra, for their edges, are at home in one of their own
    for (v, &home) in skin.homes[surface.vertices.len()..].iter().enumerate() {
        assert!(mesh.tets[home as usize].contains(&(v as u32)));
    }
}

/// How far a point outside of a tetrahedron is from it: from the nearest of its faces.
fn away(mesh: &TetMesh, tet: usize, x: DVec3) -> f64 {
    let triangles = (0..4).map(|face| mesh.face(tet, face)).collect();
    let face =
        fracas_mesh::Surface { vertices: mesh.vertices.clone(), triangles, ..Default::default() };
    fracas_mesh::nearest::NearestOnSurface::new(&face).unwrap().distance(x)
}
