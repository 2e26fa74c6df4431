//! Skins of brittle bodies: tetrahedra that come apart along their faces.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod closed;

use closed::{Puppet, enclosed, volumes_of_owners};
use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc, presets};
use fracas::skin::{Drawn, Owners, Skin, SkinError, SkinMesh, Skinned};
use fracas::solids::brittle::BrittleOptions;
use fracas::world::{Body, BodyDesc, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};
use fracas_mesh::generate::{Resolution, surfaces, tets};
use fracas_mesh::skin::{of_breaking_tets, roughen};
use fracas_mesh::stuffing::{self, Filling};
use fracas_mesh::tet_solid::TetSolid;
use fracas_mesh::{ClosedSurface, TetMesh};
use std::collections::BTreeMap;
use std::sync::Arc;

const FRAME: f32 = 1.0 / 60.0;

/// A world in which the solid, made of weak glass, spins so fast that it breaks.
fn spun(solid: &TetSolid, spin: [f32; 3]) -> (World, BodyId) {
    spun_with(solid, spin, BrittleOptions::default())
}

fn spun_with(solid: &TetSolid, spin: [f32; 3], options: BrittleOptions) -> (World, BodyId) {
    let config = WorldConfig { gravity: [0.0; 3], substeps: 4, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let glass = MaterialDesc { strength: 1e5.into(), toughness: 1e4.into(), ..presets::glass() };
    let glass = Material::try_from(&glass).unwrap();
    let shape = solid.shape.clone();
    let mut desc = BodyDesc::new("glass", ShapeDesc::Brittle { shape, options }, vec![glass]);
    desc.position = [3.0, 0.4, -2.0];
    desc.spin = spin;
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    (world, id)
}

fn plate() -> TetSolid {
    let mesh = tets::plate(0.6, 0.5, 0.1, Resolution::Lattice([12, 2, 10])).unwrap();
    TetSolid::new(mesh).unwrap()
}

/// A ring drawn with a surface finer than its tetrahedra.
fn ring() -> TetSolid {
    let surface = ClosedSurface::new(surfaces::torus(0.25, 0.07, 48, 24).unwrap()).unwrap();
    let mesh: TetMesh = stuffing::fill(&surface, &Filling::tets(1500)).unwrap();
    TetSolid::of_surface(&surface, mesh).unwrap().with_surface(&surface)
}

fn kinds() -> [(&'static str, TetSolid); 2] {
    [("plate", plate()), ("ring", ring())]
}

const SPIN: [f32; 3] = [4.0, 40.0, -8.0];

/// The owner that each tetrahedron of the body is, by the numbers of its corners.
fn owners_of(mesh: &SkinMesh, body: &Body) -> Vec<usize> {
    let Owners::Tets(tets) = &mesh.owners else { panic!("no tetrahedra") };
    let known: BTreeMap<[u32; 4], usize> =
        tets.iter().enumerate().map(|(k, &tet)| (tet, k)).collect();
    let numbers: Vec<u32> = body.shape_numbers().collect();
    body.tets().iter().map(|tet| known[&tet.map(|v| numbers[v as usize])]).collect()
}

/// In every frame every piece is closed to the bit, no face is there twice, and at rest it encloses the volume of its tetrahedra; in some a crack ends
/// within a piece.
#[test]
fn every_piece_stays_closed() {
    let smooth = kinds().map(|(kind, solid)| (kind, None, solid));
    let rough = [("rough plate", Some(0.02), plate()), ("rough ring", Some(0.02), ring())];
    for (kind, grain, solid) in smooth.into_iter().chain(rough) {
        let (mut world, id) = spun(&solid, SPIN);
        let mesh = solid.breaking_skin().unwrap();
        let mesh = Arc::new(match grain {
            Some(grain) => roughen(mesh, grain, 3),
            None => mesh,
        });
        let own = volumes_of_owners(&mesh, solid.mesh.tets.len());
        let mut puppet = Puppet::new(&mesh, world.body(id).unwrap());
        let (mut crowded, mut inside) = (0, 0);
        for frame in 0..50 {
            let body = world.body(id).unwrap();
            puppet.update(body, body.pieces()[0].origin());
            let (now, rest) = (enclosed(puppet.now.skinned()), enclosed(puppet.rest.skinned()));
            assert_eq!(now.len(), body.pieces().len(), "{kind}, frame {frame}");
            for (id, piece) in now.iter().chain(&rest) {
                let wrong = (piece.open, piece.twice);
                assert_eq!(wrong, (0, 0), "{kind}, frame {frame}, {id:?}: {piece:?}");
                crowded += piece.crowded;
            }
            let mut wanted = BTreeMap::new();
            let (pieces, owners) = (body.piece_indices(), owners_of(&mesh, body));
            for (tet, owner) in body.tets().iter().zip(owners) {
                let piece = body.pieces()[pieces[tet[0] as usize] as usize].id();
                *wanted.entry(piece).or_insert(0.0) += own[owner];
            }
            for (id, volume) in wanted {
                let off = rest[&id].volume / volume - 1.0;
                assert!(off.abs() < 1e-4, "{kind}, frame {frame}: {id:?} is off by {off}");
                let off = now[&id].volume / volume - 1.0;
                assert!(off.abs() < 1e-3, "{kind}, frame {frame}: {id:?} is now off by {off}");
            }
            inside = puppet.now.skinned().inside.iter().filter(|&&inside| inside).count();
            world.step(FRAME);
        }
        let pieces = world.body(id).unwrap().pieces().len();
        println!("{kind}: {pieces} pieces, {inside} vertices of crack faces, {crowded} crowded");
        assert!(pieces > 3 && inside > 100 && crowded > 0, "{pieces}, {inside}, {crowded}");
    }
}

/// The same of tetrahedra that are split along cracks: every piece is closed and encloses its tetrahedra, the surface stays outside and cracks are
/// inside.
#[test]
fn pieces_of_split_tetrahedra_stay_closed() {
    let options = BrittleOptions { remesh: true, ..BrittleOptions::default() };
    for (kind, solid) in kinds() {
        let (mut world, id) = spun_with(&solid, SPIN, options);
        let mesh = Arc::new(of_breaking_tets(&solid.mesh));
        let surface: f64 = areas(&mesh.vertices, mesh.outside.iter().map(|face| face.corners));
        let mut puppet = Puppet::new(&mesh, world.body(id).unwrap());
        for frame in 0..50 {
            let body = world.body(id).unwrap();
            puppet.update(body, body.pieces()[0].origin());
            let (now, rest) = (enclosed(puppet.now.skinned()), enclosed(puppet.rest.skinned()));
            assert_eq!(now.len(), body.pieces().len(), "{kind}, frame {frame}");
            for (id, piece) in now.iter().chain(&rest) {
                let wrong = (piece.open, piece.twice);
                assert_eq!(wrong, (0, 0), "{kind}, frame {frame}, {id:?}: {piece:?}");
            }
            let mut wanted = BTreeMap::new();
            let (pieces, places) = (body.piece_indices(), body.rest_positions());
            for tet in body.tets() {
                let [a, b, c, d] = tet.map(|v| Vec3::from(places[v as usize]).as_dvec3());
                let piece = body.pieces()[pieces[tet[0] as usize] as usize].id();
                *wanted.entry(piece).or_insert(0.0) += (b - a).cross(c - a).dot(d - a) / 6.0;
            }
            for (id, volume) in wanted {
                let off = rest[&id].volume / volume - 1.0;
                assert!(off.abs() < 1e-4, "{kind}, frame {frame}: {id:?} is off by {off}");
            }
            let skinned = puppet.rest.skinned();
            let outside = skinned.triangles.iter().filter(|t| !skinned.inside[t[0] as usize]);
            let outside = areas(&skinned.positions, outside.copied());
            let off = outside / surface - 1.0;
            assert!(off.abs() < 1e-4, "{kind}, frame {frame}: surface off by {off}");
            world.step(FRAME);
        }
        let (body, count) = (world.body(id).unwrap(), solid.mesh.tets.len());
        let (pieces, tets) = (body.pieces().len(), body.tets().len());
        println!("{kind}: {pieces} pieces, {tets} tetrahedra of {count}");
        assert!(pieces > 3 && tets > count, "{kind}: {pieces} pieces, {tets} of {count}");
    }
}

fn areas(places: &[[f32; 3]], triangles: impl Iterator<Item = [u32; 3]>) -> f64 {
    let area = |corners: [u32; 3]| {
        let [a, b, c] = corners.map(|v| Vec3::from(places[v as usize]).as_dvec3());
        0.5 * (b - a).cross(c - a).length()
    };
    triangles.map(area).sum()
}

/// A surface that is cut along tetrahedra cannot follow when these are split, and says so.
#[test]
fn fine_surfaces_of_split_tetrahedra_are_refused() {
    let options = BrittleOptions { remesh: true, ..BrittleOptions::default() };
    let solid = ring();
    let (world, id) = spun_with(&solid, SPIN, options);
    let skin = Skin::new(solid.breaking_skin().unwrap(), world.body(id).unwrap());
    assert_eq!(skin.err(), Some(SkinError::Remeshed));
}

/// Against the model: the corners of what is drawn are its particles, one place each, where the body has them.
#[test]
fn vertices_split_as_the_models_do() {
    let solid = plate();
    let (mut world, id) = spun(&solid, SPIN);
    let mesh = Arc::new(solid.breaking_skin().unwrap());
    let mut skin = Skin::new(Arc::clone(&mesh), world.body(id).unwrap()).unwrap();
    let mut born = 0;
    for _ in 0..50 {
        let body = world.body(id).unwrap();
        let origin = body.pieces()[0].origin();
        let skinned = skin.update(body, origin).clone();
        let mut places: BTreeMap<u32, [u32; 3]> = BTreeMap::new();
        let at: Vec<[f64; 3]> = body.world_positions().collect();
        let of_piece: BTreeMap<_, _> =
            body.pieces().iter().zip(0..).map(|(piece, k)| (piece.id(), k)).collect();
        let pieces = body.piece_indices();
        for (k, &state) in skinned.owners.iter().enumerate() {
            let column = skin.columns()[state as usize];
            let truth = [0, 1, 2].map(|i| at[column as usize][i] - origin[i]);
            let truth = Vec3::from(truth.map(|x| x as f32));
            let off = truth.distance(skinned.positions[k].into());
            assert!(off < 1e-6 * (1.0 + truth.length()), "a vertex is {off} m from its particle");
            assert_eq!(pieces[column as usize], of_piece[&skinned.pieces[k]]);
            let bits = skinned.positions[k].map(|x| (x + 0.0).to_bits());
            let known = *places.entry(column).or_insert(bits);
            assert_eq!(known, bits, "a particle in two places");
        }
        // a face that is drawn as inside has nothing across it that shares its corners
        let mut faces: BTreeMap<[u32; 3], usize> = BTreeMap::new();
        for corners in &skinned.triangles {
            let mut face = corners.map(|v| skin.columns()[skinned.owners[v as usize] as usize]);
            face.sort_unstable();
            *faces.entry(face).or_default() += 1;
        }
        let mut all: BTreeMap<[u32; 3], usize> = BTreeMap::new();
        for &[a, b, c, d] in body.tets() {
            for mut face in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
                face.sort_unstable();
                *all.entry(face).or_default() += 1;
            }
        }
        all.retain(|_, count| *count == 1);
        assert!(faces == all, "the faces drawn are not those that have one tetrahedron");
        born = body.particle_count() - body.shape_particle_count();
        world.step(FRAME);
    }
    assert!(born > 50, "{born} vertices began");
}

/// What was told crack by crack is what a skin that was bound late is told at once; applied late, in one, it is the same.
#[test]
fn updates_add_up() {
    for (_, solid) in kinds() {
        let (mut world, id) = spun(&solid, SPIN);
        let mesh = Arc::new(solid.breaking_skin().unwrap());
        let mut skin = Skin::new(Arc::clone(&mesh), world.body(id).unwrap()).unwrap();
        skin.update(world.body(id).unwrap(), [0.0; 3]);
        let mut sum = skin.last().clone();
        for frame in 0..40 {
            world.step(FRAME);
            let body = world.body(id).unwrap();
            let mut late = Skin::new(Arc::clone(&mesh), body).unwrap();
            let (early, late) =
                (skin.update(body, [3.0, 0.4, -2.0]), late.update(body, [3.0, 0.4, -2.0]));
            assert!(early == late, "frame {frame}");
            let early = early.clone();
            sum.absorb(skin.last().clone());
            if frame % 13 == 12 {
                let mut drawn = Drawn::default();
                drawn.apply(&sum);
                assert!(drawn.evaluate() == &early, "frame {frame}, absorbed");
            }
        }
        assert!(world.body(id).unwrap().pieces().len() > 3);
    }
}

/// All triangles with the normals of their corners, whatever their order.
fn triangles(skinned: &Skinned) -> Vec<[[[u32; 3]; 2]; 3]> {
    let corner = |v: u32| {
        [skinned.positions[v as usize], skinned.normals[v as usize]].map(|x| x.map(f32::to_bits))
    };
    let turned = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(corner);
        [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap()
    };
    let mut all: Vec<_> = skinned.triangles.iter().map(turned).collect();
    all.sort_unstable();
    all
}

/// A world that is taken back to before the break, in which it then breaks in another way, is drawn as it is.
#[test]
fn a_break_undone_is_drawn_whole() {
    let solid = plate();
    let (mut world, id) = spun(&solid, SPIN);
    let mesh = Arc::new(solid.breaking_skin().unwrap());
    let before = world.save();
    let mut skin = Skin::new(Arc::clone(&mesh), world.body(id).unwrap()).unwrap();
    let whole = triangles(skin.update(world.body(id).unwrap(), [0.0; 3]));
    (0..40).for_each(|_| {
        world.step(FRAME);
    });
    skin.update(world.body(id).unwrap(), [0.0; 3]);
    let mut world = World::load(&before, 1).unwrap();
    assert!(triangles(skin.update(world.body(id).unwrap(), [0.0; 3])) == whole);
    // now one end is pulled
    let first = world.body(id).unwrap().particle_ids()[0];
    world.push(id, first, [2e4, -1e4, 3e4], [0.0; 3]).unwrap();
    for _ in 0..40 {
        world.step(FRAME);
        let body = world.body(id).unwrap();
        let mut late = Skin::new(Arc::clone(&mesh), body).unwrap();
        let [kept, late] =
            [&mut skin, &mut late].map(|skin| triangles(skin.update(body, [0.0; 3])));
        assert!(kept == late);
    }
    assert!(world.body(id).unwrap().pieces().len() > 3);
}

/// A bar that spins grows by ρ ω² L³/(12 E), here 1.2 µm. Drawn ten thousand times as large that is seen; drawn 0 times the bar is rigid, and the
/// world does not know.
#[test]
fn deformation_is_drawn_as_large_as_asked_for() {
    let solid =
        TetSolid::new(tets::block([1.0, 0.1, 0.1], Resolution::Lattice([20, 2, 2])).unwrap());
    let solid = solid.unwrap();
    let config = WorldConfig { gravity: [0.0; 3], substeps: 4, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let desc = MaterialDesc { strength: f32::INFINITY.into(), ..presets::glass() };
    let glass = Material::try_from(&desc).unwrap();
    let (density, modulus) =
        (desc.density.constant().unwrap(), desc.youngs_modulus.constant().unwrap());
    let shape = solid.shape.clone();
    let options = BrittleOptions::default();
    let mut desc = BodyDesc::new("bar", ShapeDesc::Brittle { shape, options }, vec![glass]);
    desc.spin = [0.0, 20.0, 0.0];
    let id = world.spawn(desc).unwrap();
    for _ in 0..60 {
        world.step(FRAME);
    }
    let (body, hash) = (world.body(id).unwrap(), world.hash());
    let mut skin = Skin::new(solid.breaking_skin().unwrap(), body).unwrap();
    let mut length = |times| {
        skin.draw_deformation(times);
        let at = &skin.update(body, body.pieces()[0].origin()).positions;
        let far = |x: &Vec3| at.iter().map(|&y| x.distance(y.into())).fold(0.0, f32::max);
        at.iter().map(|&x| far(&x.into())).fold(0.0, f32::max)
    };
    let [bare, rigid, large] = [None, Some(0.0), Some(1e4)].map(&mut length);
    assert!((bare - rigid).abs() < 1e-6, "{bare} m as it moves, {rigid} m rigid");
    let theory = 1e4 * density * 400.0 / (12.0 * modulus);
    let grown = large - rigid;
    assert!((grown / theory - 1.0).abs() < 0.1, "{grown} m longer instead of {theory}");
    assert_eq!(world.hash(), hash);
}
