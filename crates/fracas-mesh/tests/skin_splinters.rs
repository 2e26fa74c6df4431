//! Splinters: bricks, shards and slivers stay whole where the tetrahedra that carry them come apart.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod closed;

use closed::{Puppet, enclosed};
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, MaterialDesc, presets};
use fracas::skin::{Owners, Skin, SkinError, SkinMesh, Splinter};
use fracas::solids::fem::TetOptions;
use fracas::world::{BodyDesc, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};
use fracas_mesh::generate::{Resolution, surfaces, tets};
use fracas_mesh::splinters::{SplinterError, Splinters};
use fracas_mesh::stuffing::{self, Filling};
use fracas_mesh::tet_solid::TetSolid;
use fracas_mesh::{ClosedSurface, objects};
use std::collections::BTreeMap;
use std::sync::Arc;

const FRAME: f32 = 1.0 / 60.0;

fn plate() -> TetSolid {
    let mesh = tets::plate(0.6, 0.5, 0.1, Resolution::Lattice([12, 2, 10])).unwrap();
    TetSolid::new(mesh).unwrap()
}

/// A ball drawn with a surface finer than its tetrahedra.
fn ball() -> TetSolid {
    let surface = ClosedSurface::new(surfaces::sphere(0.25, 3).unwrap()).unwrap();
    let mesh = stuffing::fill(&surface, &Filling::tets(1500)).unwrap();
    TetSolid::of_surface(&surface, mesh).unwrap().with_surface(&surface)
}

fn bricks(joint: f64) -> Splinters {
    Splinters::Bricks { size: DVec3::new(0.12, 0.06, 0.1), joint }
}

fn kinds() -> [(&'static str, TetSolid, Splinters); 6] {
    let slivers =
        Splinters::Slivers { direction: DVec3::new(1.0, 0.0, 0.2), length: 0.3, width: 0.05 };
    [
        ("bricks of a plate", plate(), bricks(0.0)),
        ("bricks of a ball", ball(), bricks(0.0)),
        ("shards of a plate", plate(), Splinters::Shards { count: 60 }),
        ("shards of a ball", ball(), Splinters::Shards { count: 40 }),
        ("slivers of a plate", plate(), slivers.clone()),
        ("slivers of a ball", ball(), slivers),
    ]
}

/// Six times the volume that the faces of each splinter enclose, and whether each edge is passed as often either way.
fn volumes(mesh: &SkinMesh, places: impl Fn(u32) -> Vec3) -> Vec<(f64, bool)> {
    let number = |v: u32| mesh.splinters.partition_point(|s| s.vertices.end <= v);
    let mut found = vec![(0.0, Vec::new()); mesh.splinters.len()];
    let outside = mesh.outside.iter().map(|face| face.corners);
    for corners in outside.chain(mesh.inside.iter().map(|face| face.corners)) {
        let (volume, edges) = &mut found[number(corners[0])];
        let [a, b, c] = corners.map(|v| places(v).as_dvec3());
        *volume += a.dot(b.cross(c));
        for k in 0..3 {
            let [from, to] = [corners[k], corners[(k + 1) % 3]];
            edges.push(([from.min(to), from.max(to)], if from < to { 1 } else { -1 }));
        }
    }
    let closed = |mut edges: Vec<([u32; 2], i32)>| {
        edges.sort_unstable();
        edges.chunk_by(|a, b| a.0 == b.0).all(|same| same.iter().map(|e| e.1).sum::<i32>() == 0)
    };
    found.into_iter().map(|(volume, edges)| (volume, closed(edges))).collect()
}

/// All splinters together are the solid, and each is closed; joints part them.
#[test]
fn splinters_fill_the_solid() {
    for (kind, solid, splinters) in kinds() {
        let mesh = solid.splintered_skin(&splinters, 1).unwrap();
        let all = volumes(&mesh, |v| Vec3::from(mesh.vertices[v as usize]));
        assert!(all.len() > 20, "{kind}: {}", all.len());
        assert!(all.iter().all(|&(volume, closed)| closed && volume > 0.0), "{kind}");
        let whole = solid.skin();
        let truth: f64 = whole
            .outside
            .iter()
            .map(|face| {
                let [a, b, c] =
                    face.corners.map(|v| Vec3::from(whole.vertices[v as usize]).as_dvec3());
                a.dot(b.cross(c))
            })
            .sum();
        let sum: f64 = all.iter().map(|splinter| splinter.0).sum();
        assert!((sum / truth - 1.0).abs() < 1e-5, "{kind}: {sum} of {truth}");
    }
    let apart = plate().splintered_skin(&bricks(0.01), 1).unwrap();
    let all = volumes(&apart, |v| Vec3::from(apart.vertices[v as usize]));
    // the largest is in a corner of the lower course, where it loses half a joint along every axis
    let largest = all.iter().map(|splinter| splinter.0).fold(0.0, f64::max) / 6.0;
    let within = 0.115 * 0.055 * 0.095;
    assert!((largest / within - 1.0).abs() < 0.01, "{largest} and {within}");
}

/// A world in which the solid, of weak material, spins so fast that it tears.
fn spun(solid: &TetSolid) -> (World, BodyId) {
    let config = WorldConfig { gravity: [0.0; 3], substeps: 4, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let weak = MaterialDesc {
        youngs_modulus: 1e9.into(),
        strength: 1e5.into(),
        toughness: 1e4.into(),
        ..presets::concrete()
    };
    let weak = Material::try_from(&weak).unwrap();
    let (shape, options) = (solid.shape.clone(), TetOptions::default());
    let mut desc = BodyDesc::new("weak", ShapeDesc::Tets { shape, options }, vec![weak]);
    desc.position = [3.0, 0.4, -2.0];
    desc.spin = [4.0, 60.0, -8.0];
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    (world, id)
}

/// However the body tears, no splinter is stretched across a crack, none is lost, all are closed and in one piece each.
#[test]
fn splinters_stay_whole() {
    for (kind, solid, splinters) in kinds() {
        let (mut world, id) = spun(&solid);
        let mesh = Arc::new(solid.splintered_skin(&splinters, 1).unwrap());
        let mut puppet = Puppet::new(&mesh, world.body(id).unwrap());
        for frame in 0..24 {
            puppet.update(world.body(id).unwrap(), [3.0, 0.4, -2.0]);
            let skinned = puppet.now.skinned();
            let triangles = mesh.outside.len() + mesh.inside.len();
            assert_eq!(skinned.triangles.len(), triangles, "{kind}, frame {frame}");
            for piece in enclosed(skinned).values() {
                assert!(piece.open == 0 && piece.twice == 0, "{kind}, frame {frame}: {piece:?}");
            }
            let rests: Vec<[f32; 3]> = puppet.now.rests().collect();
            let far = |places: &[[f32; 3]], a: u32, b: u32| {
                Vec3::from(places[a as usize]).distance(places[b as usize].into())
            };
            for &[a, b, c] in &skinned.triangles {
                for [a, b] in [[a, b], [b, c], [c, a]] {
                    let (now, rest) = (far(&skinned.positions, a, b), far(&rests, a, b));
                    // within its reach a crack that ends there may gape by a millimetre; pieces fly decimetres apart
                    let strained = (now - rest).abs() < 0.05 * rest + 1e-3;
                    assert!(strained, "{kind}, frame {frame}: {rest} m became {now} m");
                }
            }
            world.step(FRAME);
        }
        let (across, pieces) = across(&mesh, &world, id);
        println!("{kind}: {pieces} pieces, cracks across {across} of {}", mesh.splinters.len());
        assert!(pieces > 4 && across > 10, "{kind} has not torn");
    }
}

/// How many splinters have vertices at home in another piece than their owner, and how many pieces there are.
fn across(mesh: &SkinMesh, world: &World, id: BodyId) -> (usize, usize) {
    let body = world.body(id).unwrap();
    let Owners::Tets(tets) = &mesh.owners else { panic!("no tetrahedra") };
    let numbers: Vec<u32> = body.shape_numbers().collect();
    let pieces = body.piece_indices();
    let piece_of: BTreeMap<[u32; 4], u32> = body
        .tets()
        .iter()
        .map(|tet| (tet.map(|v| numbers[v as usize]), pieces[tet[0] as usize]))
        .collect();
    let piece = |tet: u32| piece_of[&tets[tet as usize]];
    let away = |splinter: &&Splinter| {
        splinter.vertices.clone().any(|v| piece(mesh.homes[v as usize]) != piece(splinter.owner))
    };
    (mesh.splinters.iter().filter(away).count(), body.pieces().len())
}

/// Named closed parts of a surface are splinters as they are.
#[test]
fn objects_are_splinters() {
    let solid = plate();
    let mut surface = surfaces::block([0.3, 0.1, 0.5]).unwrap();
    let other = surface.clone();
    let first = surface.vertices.len() as u32;
    surface.vertices.iter_mut().for_each(|x| x.x -= 0.15);
    surface.vertices.extend(other.vertices.iter().map(|&x| x + 0.15 * DVec3::X));
    let count = surface.triangles.len();
    surface.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    surface.objects.names = vec!["left".into(), "right".into()];
    surface.objects.of = (0..2 * count).map(|t| u32::from(t >= count)).collect();
    let parts = Arc::new(objects::parts(&surface).unwrap());
    let mesh = solid.splintered_skin(&Splinters::Objects(parts), 0).unwrap();
    assert_eq!(mesh.splinters.len(), 2);
    let all = volumes(&mesh, |v| Vec3::from(mesh.vertices[v as usize]));
    assert!(
        all.iter().all(|&(v, closed)| closed && (v / 6.0 / 0.015 - 1.0).abs() < 1e-5),
        "{all:?}"
    );
}

/// Numbers that make no splinters, and splinters that are none, are refused.
#[test]
fn wrong_splinters_are_refused() {
    let refused = |splinters| plate().splintered_skin(&splinters, 0).unwrap_err();
    let flat = Splinters::Bricks { size: DVec3::new(0.1, 0.0, 0.1), joint: 0.0 };
    assert!(matches!(refused(flat), SplinterError::OutOfRange { what: "size", .. }));
    assert!(matches!(refused(bricks(f64::NAN)), SplinterError::OutOfRange { what: "joint", .. }));
    let fine = Splinters::Bricks { size: DVec3::splat(1e-6), joint: 0.0 };
    assert!(matches!(refused(fine), SplinterError::TooMany { .. }));
    let short = Splinters::Slivers { direction: DVec3::X, length: 0.1, width: 0.2 };
    assert!(matches!(refused(short), SplinterError::OutOfRange { what: "length", .. }));

    let (world, id) = spun(&plate());
    let right = plate().splintered_skin(&bricks(0.0), 1).unwrap();
    let Owners::Tets(tets) = &right.owners else { panic!("no tetrahedra") };
    let count = tets.len() as u32;
    let spoil: [fn(&mut SkinMesh, u32); 4] = [
        |mesh, _| mesh.splinters[1].vertices.start -= 1,
        |mesh, count| mesh.splinters[2].reach.push(count),
        |mesh, _| mesh.splinters[0].reach.clear(),
        |mesh, _| mesh.splinters.truncate(3),
    ];
    for spoil in spoil {
        let mut mesh = right.clone();
        spoil(&mut mesh, count);
        let refused = Skin::new(mesh, world.body(id).unwrap()).unwrap_err();
        assert!(matches!(refused, SkinError::BadSplinter { .. }), "{refused}");
    }
}
