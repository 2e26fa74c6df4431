//! Pieces that are taken away, by rule and by command, and bodies that come and go.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{FRAME, Random, body, centre_of_mass, floor, grip_box, lattice, material, weightless};
use fracas::glam::DVec3;
use fracas::skin::{Edge, Face, InsideFace, Skin, SkinMesh};
use fracas::world::{CommandError, DebrisRule, GripMotion, World, WorldConfig};
use fracas::{BodyDesc, BodyId, Event, ParticleId, PieceId};
use std::collections::BTreeSet;

/// A row of particles of 1 kg, 0.1 m apart, joined one to the next.
fn row(world: &mut World, count: usize, position: [f64; 3]) -> (BodyId, Vec<ParticleId>) {
    let desc = BodyDesc { position, ..body(lattice([count, 1, 1], 0.1, 3), &material(1e5)) };
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    let ids = world.body(id).unwrap().particle_ids().to_vec();
    (id, ids)
}

fn debris(lifetime: f32, min_size: f32, budget: u32) -> WorldConfig {
    let rule = DebrisRule { lifetime, min_size, budget };
    WorldConfig { debris: Some(rule), ..weightless() }
}

/// Numbers within the row of the particles of every piece.
fn parts(world: &World, id: BodyId, ids: &[ParticleId]) -> Vec<Vec<usize>> {
    let body = world.body(id).unwrap();
    let number = |id: &ParticleId| ids.iter().position(|i| i == id).unwrap();
    body.pieces().iter().map(|piece| body.ids(piece).iter().map(number).collect()).collect()
}

fn removed(world: &mut World) -> Vec<(BodyId, PieceId, [f64; 3], f64)> {
    let mut list = Vec::new();
    for event in world.events() {
        if let Event::DebrisRemoved { body, piece, position, mass } = event {
            list.push((body, piece, position, mass));
        }
    }
    list
}

/// A row of 10 falls into 2, 5 and 3: the 5 are the body, the 2 are small (0.2 m), the 3 are not.
#[test]
fn small_debris_goes_after_its_lifetime() {
    let mut world = World::new(debris(0.5, 0.25, 100)).unwrap();
    let (id, ids) = row(&mut world, 10, [1e5, 0.0, 0.0]);
    for _ in 0..3 {
        world.step(FRAME);
    }
    world.cut(id, ids[1], ids[2]).unwrap();
    world.cut(id, ids[6], ids[7]).unwrap();
    let born = world.time();
    world.step(FRAME);
    let pieces = world.body(id).unwrap().pieces().to_vec();
    let births: Vec<Option<f64>> = pieces.iter().map(|piece| piece.born()).collect();
    assert_eq!(births, [Some(born), None, Some(born)]);
    let mut events = removed(&mut world);
    while events.is_empty() {
        assert!(world.time() < born + 1.0, "nothing goes");
        world.step(FRAME);
        events = removed(&mut world);
    }
    let age = world.time() - f64::from(FRAME) - born;
    assert!((0.4999..0.5 + f64::from(FRAME)).contains(&age), "went after {age} s");
    let &[(body, piece, position, mass)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((body, piece), (id, pieces[0].id()));
    assert!((mass - 2.0).abs() < 1e-5);
    assert!(DVec3::from(position).distance(DVec3::new(1e5 - 0.4, 0.0, 0.0)) < 1e-3);
    assert_eq!(parts(&world, id, &ids), [vec![2, 3, 4, 5, 6], vec![7, 8, 9]]);
    assert_eq!(world.body(id).unwrap().changes().pieces_removed, [piece]);
    assert_eq!(world.body(id).unwrap().bond_count(), 6);
    for _ in 0..60 {
        world.step(FRAME);
    }
    assert!(removed(&mut world).is_empty());
    world.validate();
}

/// More debris than the budget: the oldest goes, of the same age that with the lower id.
#[test]
fn a_budget_takes_the_oldest_first() {
    let mut world = World::new(debris(1e6, 0.0, 3)).unwrap();
    let (a, of_a) = row(&mut world, 9, [0.0; 3]);
    let (b, of_b) = row(&mut world, 9, [0.0, 5.0, 0.0]);
    let mut expected = Vec::new();
    // single particles off the ends: two of b, then two of a at once, then one of b
    for cuts in
        [&[(b, &of_b, 0), (b, &of_b, 1)][..], &[(a, &of_a, 0), (a, &of_a, 1)], &[(b, &of_b, 2)]]
    {
        for &(id, ids, k) in cuts {
            world.cut(id, ids[k], ids[k + 1]).unwrap();
        }
        world.step(FRAME);
        for &(id, ids, k) in cuts {
            let body = world.body(id).unwrap();
            let of = |particle| body.pieces().iter().find(|p| body.ids(p).contains(&particle));
            if let Some(piece) = of(ids[k]) {
                expected.push((id, piece.id()));
            }
        }
    }
    world.step(FRAME);
    // five were born, three may stay
    let found: Vec<_> =
        removed(&mut world).iter().map(|&(body, piece, ..)| (body, piece)).collect();
    assert_eq!(expected.len(), 5);
    assert!(expected.windows(2).all(|pair| pair[0].1 < pair[1].1));
    assert_eq!(found, expected[..2]);
    world.step(FRAME);
    assert!(removed(&mut world).is_empty());
    assert_eq!(parts(&world, b, &of_b), [vec![2], vec![3, 4, 5, 6, 7, 8]]);
    assert_eq!(parts(&world, a, &of_a), [vec![0], vec![1], vec![2, 3, 4, 5, 6, 7, 8]]);
}

/// The other pieces go on with the bits that they would have had.
#[test]
fn what_stays_does_not_notice() {
    let run = |take: bool| {
        let mut world = World::new(WorldConfig { books: true, ..weightless() }).unwrap();
        let mut desc = body(lattice([9, 3, 3], 0.1, 3), &material(1e5));
        desc.spin = [0.1, 4.0, 0.3];
        let id = world.spawn(desc).unwrap();
        world.apply_commands();
        let found = world.body(id).unwrap();
        let (ids, rest) = (found.particle_ids().to_vec(), found.rest_positions().to_vec());
        let third = |id| {
            let number = ids.iter().position(|&i| i == id).unwrap();
            ((rest[number][0] + 0.45) / 0.3) as i32
        };
        let across: Vec<_> = found.bonds().filter(|&[a, b]| third(a) != third(b)).collect();
        for [a, b] in across {
            world.cut(id, a, b).unwrap();
        }
        // the pieces fly apart from each other
        for _ in 0..60 {
            world.step(FRAME);
        }
        let pieces: Vec<PieceId> =
            world.body(id).unwrap().pieces().iter().map(|p| p.id()).collect();
        assert_eq!(pieces.len(), 3);
        let before = world.step(0.0).energy;
        if take {
            // the middle one: what comes after it moves down
            world.remove_piece(id, pieces[1]).unwrap();
            world.apply_commands();
        }
        let after = world.step(0.0).energy;
        let books = after.held() - before.held() - (after.external_work - before.external_work);
        assert!(books.abs() < 1e-6 * before.held(), "the books open by {books} J");
        for _ in 0..60 {
            world.step(FRAME);
        }
        world.validate();
        let body = world.body(id).unwrap();
        let others = body.pieces().iter().filter(|piece| piece.id() != pieces[1]);
        let state: Vec<_> = others
            .map(|p| (p.id(), p.origin(), body.positions(p).to_vec(), body.velocities(p).to_vec()))
            .collect();
        (state, body.particle_count(), body.bond_count())
    };
    let ((left, count, bonds), (taken, fewer, fewer_bonds)) = (run(false), run(true));
    assert_eq!((count, fewer), (81, 54));
    assert_eq!(3 * fewer_bonds, 2 * bonds);
    assert!(left == taken, "what stays has other bits");
}

/// Grips lose what is taken away and end with their last particle; forces on it are dropped.
#[test]
fn grips_and_pushes_follow() {
    let mut world = World::new(weightless()).unwrap();
    let (id, ids) = row(&mut world, 8, [0.0; 3]);
    world.cut(id, ids[3], ids[4]).unwrap();
    let [most, few] = [[-9.0, 0.3], [-9.0, -0.2]].map(|[min, max]| {
        let grip = grip_box(id, [min, -1.0, -1.0], [max, 1.0, 1.0], GripMotion::Hold);
        world.grip(grip).unwrap()
    });
    world.step(FRAME);
    let first = world.body(id).unwrap().pieces()[0].id();
    world.push(id, ids[0], [1.0, 0.0, 0.0], [0.0; 3]).unwrap();
    world.push(id, ids[7], [0.0, 1.0, 0.0], [0.0; 3]).unwrap();
    world.remove_piece(id, first).unwrap();
    let refused = CommandError::NoPiece { body: id, piece: PieceId(999) };
    assert_eq!(world.remove_piece(id, PieceId(999)), Err(refused));
    world.step(FRAME);
    world.validate();
    assert!(world.reaction(few).is_none() && world.reaction(most).is_some());
    let body = world.body(id).unwrap();
    let v = body.velocities(&body.pieces()[0]);
    assert!(v[3][1] > 1e-3, "the push on the last particle is still there: {v:?}");
    assert_eq!(body.particle_ids(), &ids[4..]);
}

#[test]
fn the_last_piece_takes_its_body_with_it() {
    let mut world = World::new(weightless()).unwrap();
    let (id, _) = row(&mut world, 3, [0.0; 3]);
    let (other, _) = row(&mut world, 3, [5.0, 0.0, 0.0]);
    let piece = world.body(id).unwrap().pieces()[0].id();
    world.remove_piece(id, piece).unwrap();
    world.impulse(id, [0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    world.step(FRAME);
    assert!(world.body(id).is_none());
    assert_eq!(world.body_ids().collect::<Vec<_>>(), [other]);
    assert!(world.events().any(|event| event == Event::BodyRemoved { body: id }));
    assert_eq!(world.remove_piece(id, piece), Err(CommandError::NoBody(id)));
    assert_eq!(world.step(FRAME).max_speed, 0.0);
}

/// A strip of squares, one per particle, with a wall between each two.
fn strip(count: usize) -> SkinMesh {
    let mut mesh = SkinMesh::default();
    for k in 0..=count {
        let x = 0.1 * (k as f32 - 0.5 * count as f32);
        mesh.vertices.extend([[x, -0.05, 0.0], [x, 0.05, 0.0], [x, 0.0, 0.05]]);
    }
    for k in 0..count as u32 {
        let a = 3 * k;
        for corners in [[a, a + 3, a + 1], [a + 3, a + 4, a + 1]] {
            mesh.outside.push(Face { corners, owner: k });
        }
        mesh.edges.push(Edge { ends: [a, a + 3], owner: k });
        if k > 0 {
            mesh.inside.push(InsideFace { corners: [a, a + 1, a + 2], between: [k - 1, k] });
        }
    }
    mesh
}

#[test]
fn the_skin_of_what_is_gone_vanishes() {
    let mut world = World::new(weightless()).unwrap();
    let (id, ids) = row(&mut world, 6, [0.0; 3]);
    let mut skin = Skin::new(strip(6), world.body(id).unwrap()).unwrap();
    let drawn = |skin: &mut Skin, world: &World| {
        let body = world.body(id).unwrap();
        let skinned = skin.update(body, [0.0; 3]).clone();
        assert!(skinned.positions.iter().flatten().all(|x| x.is_finite()));
        let lines = skin.update_lines(body, [0.0; 3]).lines.len();
        let inside = skinned.triangles.iter().filter(|t| skinned.inside[t[0] as usize]).count();
        let lowest = skinned.positions.iter().map(|x| x[0]).fold(f32::INFINITY, f32::min);
        (skinned.triangles.len() - inside, inside, lines, (10.0 * lowest).round())
    };
    assert_eq!(drawn(&mut skin, &world), (12, 0, 6, -3.0));
    world.cut(id, ids[1], ids[2]).unwrap();
    world.step(FRAME);
    assert_eq!(drawn(&mut skin, &world), (12, 2, 6, -3.0));
    let first = world.body(id).unwrap().pieces()[0].id();
    world.remove_piece(id, first).unwrap();
    world.step(FRAME);
    // of four particles, with the wall that faced the others
    assert_eq!(drawn(&mut skin, &world), (8, 1, 4, -1.0));
    let mut bound_later = Skin::new(strip(6), world.body(id).unwrap()).unwrap();
    assert_eq!(drawn(&mut bound_later, &world), (8, 1, 4, -1.0));
}

/// Blocks fall apart on a floor under a rule: same bits for all numbers of threads and when saved
/// and loaded on the way; the budget holds.
#[test]
fn same_bits_for_all_threads_and_after_loading() {
    let run = |threads: u32, reload: bool| {
        let rule = DebrisRule { lifetime: 0.4, min_size: 0.2, budget: 12 };
        let config = WorldConfig { threads, debris: Some(rule), ..WorldConfig::default() };
        let mut world = World::new(config).unwrap();
        world.add_half_space(floor()).unwrap();
        let mut random = Random(3);
        let mut bodies = Vec::new();
        for k in 0..3 {
            let mut desc = body(lattice([4, 3, 3], 0.1, 1), &material(1e5));
            desc.position = [0.7 * f64::from(k), 0.3, 0.0];
            bodies.push(world.spawn(desc).unwrap());
        }
        world.apply_commands();
        let (mut gone, mut lost) = (0, 0);
        for step in 0..90 {
            for &id in bodies.iter().filter(|_| step % 3 == 0) {
                let Some(body) = world.body(id) else { continue };
                let bonds: Vec<_> = body.bonds().collect();
                for _ in 0..4.min(bonds.len()) {
                    let [a, b] = bonds[random.below(bonds.len())];
                    world.cut(id, a, b).unwrap();
                }
            }
            if reload && step % 20 == 10 {
                let bytes = world.save();
                world = World::load(&bytes, threads).unwrap();
                assert_eq!(world.save(), bytes, "what is loaded is saved the same");
            }
            world.step(FRAME);
            gone += removed(&mut world).len();
            let mut left = 0;
            for &id in &bodies {
                let Some(body) = world.body(id) else { continue };
                lost = lost.max(36 - body.particle_count());
                let debris = body.pieces().iter().filter(|piece| piece.born().is_some());
                // those born in this step are looked at when the next starts
                left += debris.filter(|p| p.born().unwrap() < world.time() - 0.02).count();
            }
            assert!(left <= 12, "step {step}: {left} pieces of debris");
            world.validate();
        }
        (gone, lost, world.hash())
    };
    let one = run(1, false);
    println!("{} pieces went, up to {} particles of one body", one.0, one.1);
    assert!(one.0 > 30 && one.1 > 10, "{one:?}");
    assert_eq!(one, run(2, true));
    assert_eq!(one, run(3, false));
    assert_eq!(one, run(1, true));
}

/// Bodies that come and go while others lean on them: ids are never used twice.
#[test]
fn a_thousand_bodies_come_and_go() {
    let run = |threads: u32| {
        let config = WorldConfig { threads, substeps: 1, sweeps: 4, ..WorldConfig::default() };
        let mut world = World::new(config).unwrap();
        world.add_half_space(floor()).unwrap();
        let spawn = |world: &mut World, k: u32| {
            // two thirds of a body apart: each is born onto those that are there
            let mut desc = body(lattice([2, 2, 2], 0.1, 3), &material(1e5));
            desc.position = [0.15 * f64::from(k % 4), 0.12 + 0.05 * f64::from(k % 3), 0.0];
            desc.velocity = [0.0, -0.5, 0.0];
            world.spawn(desc).unwrap()
        };
        let mut live: Vec<BodyId> = (0..5).map(|k| spawn(&mut world, k)).collect();
        let (mut bodies, mut particles, mut touched) = (BTreeSet::new(), BTreeSet::new(), 0);
        bodies.extend(live.iter().copied());
        for k in 5..1005 {
            world.remove(live.remove(k as usize * 7 % live.len())).unwrap();
            let id = spawn(&mut world, k);
            assert!(bodies.insert(id), "{id} was there before");
            for &particle in world.body(id).unwrap().particle_ids() {
                assert!(particles.insert(particle), "{particle} was there before");
            }
            live.push(id);
            touched += world.step(FRAME).contacts;
            assert_eq!(world.body_ids().count(), 5);
        }
        let pieces = world.body(*live.last().unwrap()).unwrap().pieces()[0].id();
        assert_eq!(pieces, PieceId(1005));
        let heights = live.iter().map(|&id| centre_of_mass(world.body(id).unwrap())[1]);
        assert!(heights.into_iter().all(|y| (0.0..2.0).contains(&y)));
        assert!(touched > 20_000, "only {touched} contacts");
        world.hash()
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

/// Debris that breaks again: its heaviest part is as old as it was, though its id is new.
#[test]
fn the_heaviest_part_keeps_its_age() {
    let mut world = World::new(debris(1e6, 0.0, 2)).unwrap();
    let (a, of_a) = row(&mut world, 9, [0.0; 3]);
    let (b, of_b) = row(&mut world, 9, [0.0, 5.0, 0.0]);
    let first = world.time();
    for (id, ids, k) in [(a, &of_a, 2), (b, &of_b, 0)] {
        world.cut(id, ids[k], ids[k + 1]).unwrap();
        world.step(FRAME);
    }
    world.cut(a, of_a[0], of_a[1]).unwrap();
    world.apply_commands();
    // 1 and 2 of a, split off first with 0; then 0 of b; then 0 of a
    let births: Vec<_> = world.body(a).unwrap().pieces().iter().map(|p| p.born()).collect();
    assert_eq!(births[1..], [Some(first), None]);
    world.step(FRAME);
    assert_eq!(parts(&world, a, &of_a), [vec![0], vec![3, 4, 5, 6, 7, 8]]);
    assert_eq!(parts(&world, b, &of_b), [vec![0], vec![1, 2, 3, 4, 5, 6, 7, 8]]);
}
