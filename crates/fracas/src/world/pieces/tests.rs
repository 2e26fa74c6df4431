//! Pieces after cuts, against components found from scratch.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::material::{Material, MaterialDesc};
use crate::math::Rot;
use crate::sets::Sets;
use crate::solids::Motion;
use crate::solids::oriented::{OrientedPoint, OrientedShape};
use crate::solve::Held;
use crate::world::body::{Impulse, Push};
use crate::world::grip::{Grip, Member};
use crate::world::*;
use std::time::{Duration, Instant};

/// Numerical Recipes' linear congruential generator: the same numbers everywhere.
struct Random(u32);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(self.0) * end as u64) >> 32) as usize
    }
}

fn point(position: [f32; 3], volume: f32) -> OrientedPoint {
    OrientedPoint {
        position,
        volume,
        second_moment: [1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0],
        radii: [0.05; 3],
        axes: [0.0, 0.0, 0.0, 1.0],
        material: 0,
    }
}

/// Joined up to a squared distance of 1, 2 or 3 cells: 6, 18 or 26 neighbours.
fn lattice(counts: [usize; 3], reach2: i32) -> OrientedShape {
    let [_, ny, nz] = counts;
    let mut shape = OrientedShape::default();
    for k in 0..counts.iter().product() {
        let at = [k / (ny * nz), k / nz % ny, k % nz];
        shape.points.push(point(at.map(|n| 0.1 * n as f32), 1e-3));
        for step in 0..27 {
            let step = [step / 9 - 1, step / 3 % 3 - 1, step % 3 - 1];
            let to = [0, 1, 2].map(|axis| at[axis] as i32 + step[axis]);
            let inside = (0..3).all(|axis| (0..counts[axis] as i32).contains(&to[axis]));
            let near = step.iter().map(|s| s * s).sum::<i32>() <= reach2;
            if inside && near && step > [0; 3] {
                let [x, y, z] = to.map(|n| n as usize);
                shape.bonds.push([k as u32, ((x * ny + y) * nz + z) as u32]);
            }
        }
    }
    shape
}

/// Points of different mass anywhere, joined at random: several parts from the start.
fn tangle(count: usize, bonds: usize, random: &mut Random) -> OrientedShape {
    let mut shape = OrientedShape::default();
    for _ in 0..count {
        let position = [0; 3].map(|_| 1e-3 * random.below(1000) as f32);
        shape.points.push(point(position, 1e-4 * (1 + random.below(5)) as f32));
    }
    for _ in 0..bonds {
        let (a, b) = (random.below(count) as u32, random.below(count) as u32);
        if a != b {
            shape.bonds.push([a.min(b), a.max(b)]);
        }
    }
    shape.bonds.sort_unstable();
    shape.bonds.dedup();
    shape
}

fn build(shape: OrientedShape) -> Body {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let materials = vec![Material::try_from(&MaterialDesc::default()).unwrap()];
    let mut desc = BodyDesc::new("body", ShapeDesc::Oriented(shape), materials);
    (desc.velocity, desc.spin) = ([1.0, -2.0, 0.5], [0.3, 1.0, -2.0]);
    world.spawn(desc).unwrap();
    world.apply_commands();
    world.bodies.pop().unwrap()
}

/// A body, its bonds by the test's own list, and what the cuts of it did.
struct Case {
    body: Body,
    bonds: Vec<[ParticleId; 2]>,
    next_piece: u64,
    events: Vec<Event>,
    random: Random,
}

impl Case {
    fn new(shape: OrientedShape, seed: u32) -> Self {
        let body = build(shape);
        let bonds = body.bonds().collect();
        let next_piece = body.pieces.iter().map(|piece| piece.id.0).max().unwrap() + 1;
        Self { body, bonds, next_piece, events: Vec::new(), random: Random(seed) }
    }

    /// Cuts the bond at this place of the list.
    fn cut(&mut self, bond: usize) {
        let [a, b] = self.bonds.swap_remove(bond);
        let Body { model, particles, changes, .. } = &mut self.body;
        let [i, j] = [a, b].map(|id| particles.id.iter().position(|&other| other == id).unwrap());
        model.solid_mut().cut(particles, i, j, changes);
    }

    fn cut_some(&mut self, count: usize) {
        for _ in 0..count.min(self.bonds.len()) {
            let bond = self.random.below(self.bonds.len());
            self.cut(bond);
        }
    }

    fn split(&mut self) {
        split(&mut self.body, Some(7.0), &mut self.next_piece, &mut self.events);
    }

    /// Forgets what happened, as the start of a step does.
    fn clear(&mut self) {
        self.body.changes.clear();
        self.body.cuts_seen = 0;
        self.events.clear();
    }

    /// What the pieces have to be after a split: id, age and particles of each, and who came from
    /// whom.
    fn expected(&self) -> (Vec<Expected>, Vec<(PieceId, PieceId)>) {
        let body = &self.body;
        let first = body.particles.id.iter().min().unwrap().0;
        let mut number = vec![0; body.particles.len()];
        for (id, place) in body.particles.id.iter().zip(0..) {
            number[(id.0 - first) as usize] = place;
        }
        let mut sets = Sets::new(number.len());
        for bond in &self.bonds {
            let [a, b] = bond.map(|id| number[(id.0 - first) as usize]);
            sets.join(a, b);
        }
        let (mut pieces, mut came, mut next) = (Vec::new(), Vec::new(), self.next_piece);
        for piece in &body.pieces {
            let mut parts: Vec<(u32, f64, Vec<ParticleId>)> = Vec::new();
            for i in piece.span.clone() {
                let name = sets.find(i as u32);
                let k = parts.iter().position(|part| part.0 == name).unwrap_or_else(|| {
                    parts.push((name, 0.0, Vec::new()));
                    parts.len() - 1
                });
                parts[k].1 += f64::from(body.particles.mass[i]);
                parts[k].2.push(body.particles.id[i]);
            }
            let most = parts.iter().map(|part| part.1).fold(0.0, f64::max);
            let heaviest = parts.iter().position(|part| part.1 == most).unwrap();
            let whole = parts.len() == 1;
            for (k, (_, _, ids)) in parts.into_iter().enumerate() {
                let mut id = piece.id;
                if !whole {
                    id = PieceId(next);
                    next += 1;
                    came.push((piece.id, id));
                }
                let born = if k == heaviest { piece.born } else { Some(7.0) };
                pieces.push(Expected { id, born, ids, whole });
            }
        }
        (pieces, came)
    }

    fn found(&self) -> Vec<Expected> {
        let pieces = self.body.pieces.iter().map(|piece| Expected {
            id: piece.id,
            born: piece.born,
            ids: self.body.ids(piece).to_vec(),
            whole: piece.shape.is_some(),
        });
        pieces.collect()
    }

    /// Splits and compares all that a split may change.
    fn check_split(&mut self) {
        self.body.pieces.iter_mut().for_each(|piece| piece.shape = Some(Motion::default()));
        let (pieces, came) = self.expected();
        self.split();
        assert_eq!(self.found(), pieces);
        let mut end = 0;
        for piece in &self.body.pieces {
            assert_eq!(piece.span.start, end);
            end = piece.span.end;
        }
        assert_eq!(end, self.body.particles.len());
        assert_eq!(self.body.changes.pieces_split, came);
        let body = self.body.id;
        let told = came.iter().map(|&(parent, piece)| Event::Split { body, parent, piece });
        assert_eq!(self.events, told.collect::<Vec<_>>());
        assert_eq!(self.body.cuts_seen, self.body.changes.bonds_cut.len());
        assert!(self.body.scratch.walks.reached_count() <= end, "a particle was come to twice");
    }

    /// Mass, momentum and angular momentum about the world's origin.
    fn motion(&self) -> [DVec3; 3] {
        let mut sum = [DVec3::ZERO; 3];
        for piece in &self.body.pieces {
            for j in piece.span.clone() {
                let particles = &self.body.particles;
                let m = f64::from(particles.mass[j]);
                let p = m * particles.velocity[j].as_dvec3();
                sum[0].x += m;
                sum[1] += p;
                sum[2] += (piece.origin + particles.position[j].as_dvec3()).cross(p);
            }
        }
        sum
    }
}

#[derive(Debug, PartialEq)]
struct Expected {
    id: PieceId,
    born: Option<f64>,
    ids: Vec<ParticleId>,
    whole: bool,
}

/// Names every third particle wherever a body does, marked with its id.
fn name_particles(body: &mut Body) {
    let mut members = Vec::new();
    for i in (0..body.particles.len() as u32).step_by(3) {
        let id = body.particles.id[i as usize];
        let mark = id.0 as f32 * Vec3::X;
        let (position, orientation) = (DVec3::ZERO, Rot::IDENTITY);
        members.push(Member { id, particle: i, position, orientation });
        body.pushes.push(Push { particle: i, force: mark, torque: Vec3::ZERO });
        body.scratch.impulses.push(Impulse {
            particle: i,
            contact: id.0 as u32,
            point: Vec3::ZERO,
            force: Vec3::ZERO,
            pressing: true,
            mutual: false,
            approach: 0.0,
        });
        let (force, torque) = (mark, Vec3::ZERO);
        let position = Vec3::ZERO;
        body.scratch.held.push(Held { particle: i, grip: 0, position, orientation, force, torque });
    }
    let (id, motion) = (GripId(1), GripMotion::Hold);
    body.grips.push(Grip { id, members, motion, release: None, reaction: Reaction::default() });
}

fn assert_names(body: &Body) {
    let id = |particle: u32| body.particles.id[particle as usize].0;
    let Scratch { impulses, held, .. } = &body.scratch;
    assert!(impulses.iter().all(|push| id(push.particle) == u64::from(push.contact)));
    assert!(impulses.is_sorted_by_key(|push| push.particle));
    assert!(held.iter().all(|target| id(target.particle) as f32 == target.force.x));
    assert!(held.is_sorted_by_key(|target| target.particle));
    assert!(body.pushes.iter().all(|push| id(push.particle) as f32 == push.force.x));
    assert_eq!(held.len(), body.grips[0].members.len());
    // members of grips are looked at by `validate`
}

/// Cuts all bonds of a shape at random, so many at a time, down to dust; tells how many there were.
fn down_to_dust(shape: OrientedShape, seed: u32, batch: usize) -> usize {
    let mut case = Case::new(shape, seed);
    name_particles(&mut case.body);
    let (count, start) = (case.bonds.len(), case.motion());
    let mut original = case.body.particles.clone();
    let mut by_id: Vec<u32> = (0..original.len() as u32).collect();
    let sort = |by_id: &mut Vec<u32>, ids: &[ParticleId]| {
        by_id.sort_unstable_by_key(|&i| ids[i as usize]);
    };
    let mut room = original.clone();
    sort(&mut by_id, &original.id);
    original.permute(0..by_id.len(), &by_id, &mut room);
    let mut done = 0;
    while !case.bonds.is_empty() {
        case.clear();
        let cuts = 1 + case.random.below(batch);
        case.cut_some(cuts);
        case.check_split();
        done += 1;
        if done % 100 == 0 || case.bonds.is_empty() {
            case.body.validate();
            assert_names(&case.body);
            for (now, before) in case.motion().into_iter().zip(start) {
                assert!(now.distance(before) < 1e-10 * (1.0 + before.length()));
            }
            let mut now = case.body.particles.clone();
            sort(&mut by_id, &case.body.particles.id);
            now.permute(0..by_id.len(), &by_id, &mut room);
            // cuts mark their ends
            now.broken.clone_from(&original.broken);
            assert!(now == original, "a column did not follow its particles");
        }
    }
    assert_eq!(case.body.pieces.len(), case.body.particles.len());
    count
}

#[test]
fn pieces_are_those_of_a_flood_fill_through_a_hundred_thousand_cuts() {
    let mut cuts = 0;
    for seed in 0..4 {
        cuts += down_to_dust(lattice([12; 3], 3), seed, 50);
    }
    for (seed, batch) in [(1, 1), (2, 50)] {
        cuts += down_to_dust(lattice([12; 3], 1), seed, batch);
        cuts += down_to_dust(lattice([24, 24, 1], 3), seed, batch);
        cuts += down_to_dust(lattice([6; 3], 3), seed, batch);
        cuts += down_to_dust(lattice([400, 1, 1], 1), seed, batch);
    }
    let mut random = Random(9);
    for seed in 0..60 {
        let (count, batch) = (50 + random.below(200), [1, 5, 50][seed % 3]);
        let bonds = count * (2 + seed % 4) / 2;
        cuts += down_to_dust(tangle(count, bonds, &mut random), seed as u32, batch);
    }
    println!("{cuts} cuts");
    assert!(cuts >= 100_000, "only {cuts} cuts");
}

/// Ends that share a neighbour hold together: nobody walks.
#[test]
fn a_cut_within_a_dense_body_needs_no_walk() {
    let mut case = Case::new(lattice([12; 3], 3), 4);
    for _ in 0..500 {
        case.cut_some(1);
        case.split();
        assert_eq!(case.body.scratch.walks.reached_count(), 0);
    }
    assert_eq!(case.body.pieces.len(), 1);
}

/// Without common neighbours the way around a square is found, however many squares are cut
/// elsewhere at the same time.
#[test]
fn a_walk_around_a_cut_is_short() {
    for cuts in [1, 10] {
        let mut most = 0;
        for seed in 0..20 {
            let mut case = Case::new(lattice([12; 3], 1), seed);
            case.cut_some(cuts);
            case.split();
            most = most.max(case.body.scratch.walks.reached_count());
            assert_eq!(case.body.pieces.len(), 1);
        }
        println!("{cuts} cuts: up to {most} particles");
        // both ends, their ten neighbours, and those of some of these
        assert!(most <= 30 * cuts, "{most} particles for {cuts} cuts");
    }
}

/// What falls off costs as much as the smaller side.
#[test]
fn the_smaller_side_is_walked() {
    for k in [1, 5, 30, 170, 198] {
        let mut case = Case::new(lattice([200, 1, 1], 1), 0);
        let ids = case.body.particles.id.clone();
        case.cut(case.bonds.iter().position(|&bond| bond == [ids[k], ids[k + 1]]).unwrap());
        case.split();
        assert_eq!(case.body.pieces.len(), 2);
        let reached = case.body.scratch.walks.reached_count();
        let smaller = (k + 1).min(199 - k);
        assert!(reached <= 2 * smaller + 2, "{reached} particles, {smaller} fell off");
    }
}

/// A part falls out between two that are not joined to each other by any cut.
#[test]
fn what_is_left_on_both_sides_is_two_parts() {
    let mut case = Case::new(lattice([300, 1, 1], 1), 0);
    let ids = case.body.particles.id.clone();
    for k in [100, 110] {
        case.cut(case.bonds.iter().position(|&bond| bond == [ids[k], ids[k + 1]]).unwrap());
    }
    case.check_split();
    let sizes: Vec<usize> = case.body.pieces.iter().map(Piece::particle_count).collect();
    assert_eq!(sizes, [101, 10, 189]);
}

/// Others stay where they are, and so does what comes before the first that moves.
#[test]
fn only_pieces_that_split_are_put_in_order() {
    let mut case = Case::new(lattice([30, 2, 2], 3), 3);
    let end = |case: &Case, id: ParticleId| case.body.places.of(id).unwrap();
    let ids = case.body.particles.id.clone();
    // in three, then a corner off the middle one
    for plane in [10, 20] {
        let low = |id: &ParticleId| ids.iter().position(|i| i == id).unwrap() < 4 * plane;
        while let Some(k) = case.bonds.iter().position(|[a, b]| low(a) != low(b)) {
            case.cut(k);
        }
    }
    case.split();
    assert_eq!(case.body.pieces.len(), 3);
    let corner = ids[45];
    while let Some(k) = case.bonds.iter().position(|bond| bond.contains(&corner)) {
        case.cut(k);
    }
    let before = case.body.clone_columns();
    case.split();
    let after = case.body.clone_columns();
    assert_eq!(case.body.pieces.len(), 4);
    assert_eq!(end(&case, corner), 79);
    assert_eq!((&before[..45], &before[80..]), (&after[..45], &after[80..]));
}

impl Body {
    fn clone_columns(&self) -> Vec<(ParticleId, Vec3)> {
        self.particles.id.iter().copied().zip(self.particles.position.iter().copied()).collect()
    }
}

/// Time for the split after a cut, as bonds of 2,700 particles are cut at random.
#[test]
#[ignore = "a measurement; run with --release --nocapture --include-ignored"]
fn time_of_a_split() {
    for (reach2, batch) in [(3, 1), (3, 20), (1, 1), (1, 20)] {
        let mut case = Case::new(lattice([15, 15, 12], reach2), 1);
        let mut times = [const { Vec::<Duration>::new() }; 3];
        while !case.bonds.is_empty() {
            case.clear();
            case.cut_some(batch);
            let few = case.body.pieces.len() < 100;
            let begin = Instant::now();
            case.split();
            let time = begin.elapsed();
            let kind = if case.events.is_empty() { 0 } else { 1 + usize::from(!few) };
            times[kind].push(time);
        }
        print!("reach² {reach2}, {batch} at a time:");
        for (what, times) in ["whole", "split", "split of many pieces"].iter().zip(&mut times) {
            times.sort_unstable();
            print!(" {} {what}, median {:?};", times.len(), times[times.len() / 2]);
        }
        println!();
    }
}
