//! Glue and hinges between bodies, against closed forms.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod common;

use common::{FRAME, body, centre_of_mass, grip_box, lattice, material, weightless};
use fracas::material::MaterialDesc;
use fracas::world::{
    AttachDesc, AttachKind, AttachRegion, BodyDesc, CommandError, Event, GripMotion, MoveKey,
};
use fracas::{AttachmentId, BodyId, GripId, World, WorldConfig};

const INF: f32 = f32::INFINITY;
const D: f32 = 0.05;

/// Rubber that comes to rest.
fn damped(youngs_modulus: f32) -> MaterialDesc {
    MaterialDesc { damping_time: 0.05.into(), ..material(youngs_modulus) }
}

fn block(counts: [usize; 3], material: &MaterialDesc, position: [f64; 3]) -> BodyDesc {
    BodyDesc { position, ..body(lattice(counts, D, 3), material) }
}

fn near(bodies: [BodyId; 2]) -> AttachDesc {
    AttachDesc { region: AttachRegion::Near { distance: 0.01 }, ..AttachDesc::new(bodies) }
}

fn hold_above(world: &mut World, body: BodyId, y: f32) -> GripId {
    let min = [-INF, y, -INF];
    world.grip(grip_box(body, min, [INF; 3], GripMotion::Hold)).unwrap()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.step(FRAME);
    }
}

/// A block held at its top, another glued under it.
fn hanging(config: WorldConfig, shift: f64) -> (World, [BodyId; 2], AttachmentId) {
    let mut world = World::new(config).unwrap();
    let rubber = damped(1e6);
    let upper = world.spawn(block([4, 4, 4], &rubber, [shift, 0.2, 0.0])).unwrap();
    let lower = world.spawn(block([4, 4, 4], &rubber, [0.0; 3])).unwrap();
    hold_above(&mut world, upper, 0.06);
    let glue = world.attach(near([upper, lower])).unwrap();
    (world, [upper, lower], glue)
}

/// The glue carries what hangs on it, over the face that both blocks share: all of it, half a cell
/// less, or a whole cell less.
#[test]
fn glue_carries_the_weight_over_the_shared_face() {
    for (shift, cells) in [(0.0, 16.0), (0.025, 14.0), (0.05, 12.0)] {
        let (mut world, [_, lower], glue) = hanging(WorldConfig::default(), shift);
        let area = world.attachment(glue).unwrap().area();
        let expected = cells * f64::from(D * D);
        assert!((area - expected).abs() < 1e-3 * expected, "shift {shift}: {area} m²");
        run(&mut world, 120);
        let weight = world.body(lower).unwrap().mass() * 9.81;
        let attachment = world.attachment(glue).unwrap();
        let force = attachment.force();
        // on the upper block, downwards
        assert!((force[1] + weight).abs() < 0.01 * weight, "{force:?} N for {weight} N");
        assert!(force[0].hypot(force[2]) < 0.01 * weight, "{force:?} N are not upright");
    }
}

/// Sag of the free end of a beam that is held at the other.
fn sag(parts: &[usize], across: usize, seconds: f32) -> f64 {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let mut ids = Vec::new();
    let mut end = 0.0;
    for &count in parts {
        let middle = end + 0.5 * count as f64 * f64::from(D);
        end += count as f64 * f64::from(D);
        ids.push(
            world.spawn(block([count, across, across], &damped(3e6), [middle, 0.0, 0.0])).unwrap(),
        );
    }
    let side = -0.5 * parts[0] as f32 * D;
    let max = [side + 1.5 * D, INF, INF];
    world.grip(grip_box(ids[0], [-INF; 3], max, GripMotion::Hold)).unwrap();
    for pair in ids.windows(2) {
        world.attach(near([pair[0], pair[1]])).unwrap();
    }
    run(&mut world, (seconds * 60.0) as u32);
    let last = world.body(*ids.last().unwrap()).unwrap();
    let rightmost = last.rest_positions().iter().map(|x| x[0]).fold(-INF, f32::max);
    let at_end = last.world_positions().zip(last.rest_positions());
    let heights: Vec<f64> =
        at_end.filter(|(_, rest)| rest[0] == rightmost).map(|(x, _)| x[1]).collect();
    -heights.iter().sum::<f64>() / heights.len() as f64
}

/// Glued halves bend like one piece; also where there is a single row, whose faces must carry the
/// moment by themselves.
#[test]
fn a_glued_beam_bends_like_one_piece() {
    for across in [1, 3] {
        let whole = sag(&[10], across, 2.0);
        let glued = sag(&[5, 5], across, 2.0);
        assert!((glued / whole - 1.0).abs() < 0.1, "{across}: {glued} m, in one piece {whole} m");
    }
}

/// Two bars, `across` particles wide, held at one end and pulled slowly at the other until the glue
/// between them parts. Returns the largest force over strength times area, and events of links and
/// of the last.
fn pull_apart(across: usize, strength: f32) -> (f64, usize, usize) {
    let mut world = World::new(weightless()).unwrap();
    let rubber = damped(1e6);
    let fixed = world.spawn(block([4, across, across], &rubber, [0.0; 3])).unwrap();
    let pulled = world.spawn(block([4, across, across], &rubber, [0.2, 0.0, 0.0])).unwrap();
    world.grip(grip_box(fixed, [-INF; 3], [-0.06, INF, INF], GripMotion::Hold)).unwrap();
    let far = 2.0 * strength / 1e6 * 0.4;
    let end = MoveKey { time: 1.5, offset: [far, 0.0, 0.0], angle: 0.0 };
    let keys = vec![MoveKey::default(), end];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
    world.grip(grip_box(pulled, [0.06, -INF, -INF], [INF; 3], motion)).unwrap();
    let glue = world.attach(AttachDesc { strength, ..near([fixed, pulled]) }).unwrap();
    let expected = f64::from(strength) * world.attachment(glue).unwrap().area();
    let (mut most, mut broken, mut last) = (0.0_f64, 0, 0);
    for _ in 0..90 {
        world.step(FRAME);
        most = most.max(world.attachment(glue).unwrap().force()[0]);
        for event in world.events() {
            match event {
                Event::LinkBroken { attachment, position, .. } => {
                    assert_eq!(attachment, glue);
                    assert!((position[0] - 0.1).abs() < 0.02, "broken at {position:?}");
                    broken += 1;
                }
                Event::Detached { .. } => last += 1,
                _ => {}
            }
        }
    }
    let attachment = world.attachment(glue).unwrap();
    assert_eq!((attachment.links(), attachment.broken_links()), (0, broken));
    assert_eq!(attachment.force(), [0.0; 3]);
    (most / expected, broken, last)
}

/// Pulled apart slowly, a face parts at strength times area. Where it is more than two particles
/// wide, those at the rim carry up to a seventh more than the mean and part first.
#[test]
fn glue_parts_at_strength_times_area() {
    for (across, strength, least) in
        [(1, 5e3, 0.95), (2, 5e3, 0.95), (2, 2e4, 0.95), (4, 5e3, 0.85)]
    {
        let (share, broken, last) = pull_apart(across, strength);
        assert!(share > least && share < 1.05, "{across} wide, {strength} Pa: {share} of it");
        assert_eq!((broken, last), (4 * across * across, 1));
    }
}

/// Pressure does not part glue, however weak it is.
#[test]
fn pressure_does_not_part_glue() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    world.add_half_space(common::floor()).unwrap();
    let rubber = damped(1e6);
    let lower = world.spawn(block([4, 2, 4], &rubber, [0.0, 0.05, 0.0])).unwrap();
    let upper = world.spawn(block([4, 4, 4], &rubber, [0.0, 0.2, 0.0])).unwrap();
    // a pressure of 2 kPa, and shear where the lower one bulges more
    let glue = world.attach(AttachDesc { strength: 500.0, ..near([lower, upper]) }).unwrap();
    run(&mut world, 60);
    let attachment = world.attachment(glue).unwrap();
    assert_eq!(attachment.broken_links(), 0);
    let weight = world.body(upper).unwrap().mass() * 9.81;
    let pressed = -attachment.force()[1];
    assert!((pressed / weight - 1.0).abs() < 0.02, "{pressed} N for {weight} N");
}

/// Peels a bar off another that is held. Returns the mean stress intensity at which the glue went on
/// parting, by beam theory, and how many links are left.
///
/// ```text
/// K² = E G = 6 P² (a + 0.64 h)² / (b² h³):   energy of an arm of length a, height h, width b
/// ```
fn peel(toughness: f32) -> (f64, usize) {
    let mut world = World::new(weightless()).unwrap();
    let rubber = damped(1e6);
    let lower = world.spawn(block([8, 2, 2], &rubber, [0.0; 3])).unwrap();
    let upper = world.spawn(block([8, 2, 2], &rubber, [0.0, 0.1, 0.0])).unwrap();
    world.grip(grip_box(lower, [-INF; 3], [INF, 0.0, INF], GripMotion::Hold)).unwrap();
    let end = MoveKey { time: 1.5, offset: [0.0, 0.008, 0.0], angle: 0.0 };
    let motion = GripMotion::Move {
        pivot: [0.0; 3],
        axis: [1.0, 0.0, 0.0],
        keys: vec![MoveKey::default(), end],
    };
    // the last column of the arm
    world.grip(grip_box(upper, [0.16, 0.0, -INF], [INF; 3], motion)).unwrap();
    let glue = AttachDesc { strength: 2e4, toughness, ..near([lower, upper]) };
    let glue = world.attach(glue).unwrap();
    let (h, b) = (0.1_f64, 0.1_f64);
    let mut found = Vec::new();
    for _ in 0..90 {
        let before = world.attachment(glue).unwrap().clone();
        world.step(FRAME);
        let (was, now) = (before.broken_links(), world.attachment(glue).unwrap().broken_links());
        // past the first column, before the far end: four links every half cell
        if now > was && (8..40).contains(&was) {
            let a = 0.025 * (was as f64 / 4.0 - 1.0);
            found.push(6f64.sqrt() * before.force()[1] * (a + 0.64 * h) / (b * h.powf(1.5)));
        }
    }
    (found.iter().sum::<f64>() / found.len().max(1) as f64, world.attachment(glue).unwrap().links())
}

/// Glue of low toughness goes on parting under a load that tough glue bears, and about at the
/// intensity it was given.
#[test]
fn peeling_takes_the_toughness() {
    let (_, tough) = peel(INF);
    let mut measured = [2e3_f32, 3e3].map(|toughness| {
        let (intensity, left) = peel(toughness);
        assert!(left < tough, "{left} links left, {tough} of tough glue");
        intensity / f64::from(toughness)
    });
    measured.sort_by(f64::total_cmp);
    assert!(measured[0] > 0.8 && measured[1] < 1.3, "{measured:?} of the toughness");
}

/// Two that are glued turn as one: nothing they exert on each other changes their momenta.
#[test]
fn a_spinning_pair_keeps_its_momenta() {
    let mut world = World::new(weightless()).unwrap();
    let rubber = material(1e6);
    let spin = [0.3, 0.5, 5.0];
    // velocities of one rigid motion about the common centre
    let turning = |x: f32| [3.0, spin[2] * x, -spin[1] * x];
    let mut a = block([4, 4, 4], &rubber, [-0.1, 0.0, 0.0]);
    (a.velocity, a.spin) = (turning(-0.1), spin);
    let mut b =
        block([4, 4, 4], &MaterialDesc { density: 2000.0.into(), ..rubber }, [0.1, 0.0, 0.0]);
    (b.velocity, b.spin) = (turning(0.1), spin);
    let (a, b) = (world.spawn(a).unwrap(), world.spawn(b).unwrap());
    let glue = world.attach(near([a, b])).unwrap();
    let start = world.step(1e-4);
    let scale = (start.momentum.iter().map(|p| p * p).sum::<f64>()).sqrt();
    let turn = (start.angular_momentum.iter().map(|p| p * p).sum::<f64>()).sqrt();
    let mut carried = 0.0_f64;
    let mut last = start.clone();
    for frame in 0..120 {
        last = world.step(FRAME);
        let off = distance(last.momentum, start.momentum) / scale;
        assert!(off < 1e-6, "frame {frame}: momentum off by {off}");
        let off = distance(last.angular_momentum, start.angular_momentum) / turn;
        // 1e-5 is what R14 asks of angular momentum
        assert!(off < 1e-5, "frame {frame}: angular momentum off by {off}");
        let [x, y, z] = world.attachment(glue).unwrap().force();
        carried = carried.max(x.hypot(y).hypot(z));
    }
    // what keeps each on its circle: m ω² r, about the common centre
    let mass = world.body(a).unwrap().mass();
    let centripetal = mass * 25.25 * 0.2 * 2.0 / 3.0;
    assert!(carried > 0.9 * centripetal, "{carried} N, {centripetal} N are needed");
    let lost = 1.0 - last.energy.kinetic / start.energy.kinetic;
    assert!(lost.abs() < 1e-3, "{lost} of the energy is gone");
    let [a, b] = [a, b].map(|id| centre_of_mass(world.body(id).unwrap()));
    assert!((distance(a, b) - 0.2).abs() < 1e-3, "{} m apart", distance(a, b));
}

/// A door that hangs from a hinge swings like the compound pendulum it is.
#[test]
fn a_hinged_door_swings_like_a_compound_pendulum() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let stiff = material(1e7);
    let post = world.spawn(block([1, 1, 4], &stiff, [0.0, 0.025, 0.0])).unwrap();
    hold_above(&mut world, post, -INF);
    let mut door = block([1, 8, 4], &stiff, [0.0, -0.2, 0.0]);
    let spin = 0.6;
    (door.velocity, door.spin) = ([0.2 * spin, 0.0, 0.0], [0.0, 0.0, spin]);
    let door = world.spawn(door).unwrap();
    let kind = AttachKind::Hinge { point: [0.0; 3], axis: [0.0, 0.0, 1.0] };
    let hinge = world.attach(AttachDesc { kind, ..near([post, door]) }).unwrap();
    assert_eq!(world.attachment(hinge).unwrap().links(), 8);
    // about the hinge: I = m (h²/3 + t²/12), its centre h/2 below
    let (h, t) = (0.4_f64, 0.05_f64);
    let period = std::f64::consts::TAU * ((h * h / 3.0 + t * t / 12.0) / (9.81 * 0.5 * h)).sqrt();
    let mut crossings = Vec::new();
    let mut before = 0.0;
    let mut swing = [0.0_f64; 2];
    for frame in 0..240 {
        world.step(FRAME);
        let [x, y, _] = centre_of_mass(world.body(door).unwrap());
        let radius = x.hypot(y);
        assert!((radius - 0.2).abs() < 2e-3, "frame {frame}: {radius} m from the hinge");
        if before < 0.0 && x >= 0.0 {
            let share = before / (before - x);
            crossings.push((f64::from(frame) + share) / 60.0);
        }
        before = x;
        let k = usize::from(frame >= 120);
        swing[k] = swing[k].max(x.abs());
    }
    let measured = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
    assert!(crossings.len() >= 3);
    assert!((measured / period - 1.0).abs() < 0.02, "{measured} s, not {period} s");
    assert!(swing[1] > 0.99 * swing[0], "it swings {swing:?} m: the hinge is not free");
}

/// A body that is cut through the glued face goes on hanging, both parts of it.
#[test]
fn parts_of_a_cut_body_stay_glued() {
    let (mut world, [upper, lower], glue) = hanging(WorldConfig::default(), 0.0);
    run(&mut world, 30);
    let body = world.body(lower).unwrap();
    let left: Vec<_> = body
        .particle_ids()
        .iter()
        .zip(body.rest_positions())
        .filter(|(_, rest)| rest[0] < 0.0)
        .map(|(&id, _)| id)
        .collect();
    let across: Vec<_> =
        body.bonds().filter(|[a, b]| left.contains(a) != left.contains(b)).collect();
    for [a, b] in across {
        world.cut(lower, a, b).unwrap();
    }
    run(&mut world, 60);
    let body = world.body(lower).unwrap();
    assert_eq!(body.pieces().len(), 2);
    let weight = body.mass() * 9.81;
    let attachment = world.attachment(glue).unwrap();
    assert_eq!((attachment.links(), attachment.broken_links()), (64, 0));
    assert!((attachment.force()[1] + weight).abs() < 0.02 * weight, "{:?}", attachment.force());
    let [_, y, _] = centre_of_mass(body);
    assert!(y > -2e-3, "it fell to {y} m");
    world.validate();
    // without the other nothing is left to hold on to
    world.remove(upper).unwrap();
    run(&mut world, 30);
    assert!(world.attachment(glue).is_none());
    assert!(centre_of_mass(world.body(lower).unwrap())[1] < -0.5);
}

/// A glued piece that is taken away takes its joints with it; the rest stays glued and goes on.
#[test]
fn a_piece_that_is_taken_away_leaves_no_joints() {
    let (mut world, [_, lower], glue) = hanging(WorldConfig::default(), 0.0);
    run(&mut world, 2);
    let before = world.attachment(glue).unwrap().links();
    let found = world.body(lower).unwrap();
    // a column of the lower block, cut off all round
    let column: Vec<_> = found
        .rest_positions()
        .iter()
        .zip(found.particle_ids())
        .filter(|(x, _)| x[0] < -0.05 && x[2] < -0.05)
        .map(|(_, &id)| id)
        .collect();
    let cut: Vec<_> =
        found.bonds().filter(|[a, b]| column.contains(a) != column.contains(b)).collect();
    for [a, b] in cut {
        world.cut(lower, a, b).unwrap();
    }
    run(&mut world, 1);
    let found = world.body(lower).unwrap();
    let small = found.pieces().iter().min_by_key(|piece| piece.particle_count()).unwrap().id();
    world.remove_piece(lower, small).unwrap();
    run(&mut world, 30);
    world.validate();
    let after = world.attachment(glue).unwrap().links();
    assert!(after < before && after > 0, "{before} joints before, {after} after");
}

/// What is detached falls, and collides with what it was glued to.
#[test]
fn detach_lets_go() {
    let (mut world, [upper, lower], glue) = hanging(WorldConfig::default(), 0.0);
    let lifted = world.attach(near([lower, upper])).unwrap();
    run(&mut world, 30);
    world.detach(lifted).unwrap();
    assert!(world.attachment(lifted).is_some(), "it holds until the next step");
    run(&mut world, 30);
    assert!(world.attachment(lifted).is_none());
    assert_eq!(world.detach(lifted), Err(CommandError::NoAttachment(lifted)));
    assert!(centre_of_mass(world.body(lower).unwrap())[1] > -2e-3);
    world.detach(glue).unwrap();
    run(&mut world, 30);
    let [_, y, _] = centre_of_mass(world.body(lower).unwrap());
    assert!((y + 0.5 * 9.81 * 0.25).abs() < 0.02, "after half a second at {y} m");
    assert!(world.events().all(|event| !matches!(event, Event::LinkBroken { .. })));
}

/// Bodies that overlap where they are glued stay where they are; let go, they part gently.
#[test]
fn what_is_glued_does_not_collide() {
    let mut world = World::new(weightless()).unwrap();
    let rubber = damped(1e6);
    let a = world.spawn(block([4, 4, 4], &rubber, [0.0; 3])).unwrap();
    let b = world.spawn(block([4, 4, 4], &rubber, [0.18, 0.01, 0.0])).unwrap();
    let glue = world.attach(near([a, b])).unwrap();
    run(&mut world, 30);
    let apart = |world: &World| {
        let [a, b] = [a, b].map(|id| centre_of_mass(world.body(id).unwrap()));
        b[0] - a[0]
    };
    assert!((apart(&world) - 0.18).abs() < 1e-6, "{} m", apart(&world));
    world.detach(glue).unwrap();
    let last = (0..30).map(|_| world.step(FRAME)).last().unwrap();
    assert!(apart(&world) > 0.19, "{} m: they went on overlapping", apart(&world));
    assert!(last.max_speed < 0.5, "they fly apart at {} m/s", last.max_speed);
}

/// A description that joins nothing says how far it is; one in a box joins what is in it.
#[test]
fn what_cannot_be_joined_is_refused() {
    let mut world = World::new(weightless()).unwrap();
    let rubber = material(1e6);
    let a = world.spawn(block([4, 4, 4], &rubber, [0.0; 3])).unwrap();
    let b = world.spawn(block([4, 4, 4], &rubber, [0.0, 0.25, 0.0])).unwrap();
    match world.attach(near([a, b])) {
        Err(CommandError::EmptyAttachment { first, second, distance, apart, position }) => {
            assert_eq!((first, second, distance), (a, b, 0.01));
            assert!((apart - 0.05).abs() < 1e-6, "{apart} m");
            assert!((position[1] - 0.125).abs() < 1e-6, "{position:?}");
        }
        other => panic!("{other:?}"),
    }
    let no = |distance| AttachRegion::Near { distance };
    assert!(world.attach(AttachDesc { region: no(0.051), ..near([a, b]) }).is_ok());
    let gone = BodyId(99);
    assert_eq!(world.attach(near([a, gone])), Err(CommandError::NoBody(gone)));
    assert_eq!(world.attach(near([a, a])), Err(CommandError::AttachedToItself(a)));
    assert_eq!(world.detach(AttachmentId(7)), Err(CommandError::NoAttachment(AttachmentId(7))));

    // half of the face, bounds included
    let infinite = f64::from(INF);
    let (min, max) = ([-infinite, -infinite, -infinite], [0.0, infinite, infinite]);
    let region = AttachRegion::Box { min, max, distance: 0.06 };
    let half = world.attach(AttachDesc { region, ..near([a, b]) }).unwrap();
    assert_eq!(world.attachment(half).unwrap().links(), 32);
    let region = AttachRegion::Box { min: [1.0; 3], max: [2.0; 3], distance: 0.06 };
    let beside = world.attach(AttachDesc { region, ..near([a, b]) });
    assert!(matches!(beside, Err(CommandError::EmptyAttachment { .. })), "{beside:?}");
    // a hinge far from both
    let kind = AttachKind::Hinge { point: [1.0, 0.0, 0.0], axis: [0.0, 0.0, 1.0] };
    let far = world.attach(AttachDesc { kind, region: no(0.06), ..near([a, b]) });
    assert!(matches!(far, Err(CommandError::EmptyAttachment { .. })), "{far:?}");
}

/// Several glued pairs, one of which tears, one on a hinge, one cut.
fn busy(threads: u32) -> World {
    let mut world = World::new(WorldConfig { threads, ..WorldConfig::default() }).unwrap();
    world.add_half_space(common::floor()).unwrap();
    let rubber = damped(1e6);
    for k in 0..3 {
        let x = 0.5 * f64::from(k);
        let a = world.spawn(block([3, 3, 3], &rubber, [x, 0.6, 0.0])).unwrap();
        let b = world.spawn(block([3, 3, 3], &rubber, [x + 0.15, 0.6, 0.0])).unwrap();
        let mut glue = near([a, b]);
        if k == 1 {
            hold_above(&mut world, a, -INF);
            glue.strength = 3e3;
        }
        if k == 2 {
            hold_above(&mut world, a, -INF);
            glue.kind = AttachKind::Hinge { point: [x + 0.075, 0.675, 0.0], axis: [0.0, 0.0, 1.0] };
            glue.region = AttachRegion::Near { distance: 0.02 };
        }
        world.attach(glue).unwrap();
        if k == 0 {
            let bonds: Vec<_> = world.body(b).unwrap().bonds().step_by(2).collect();
            bonds.into_iter().for_each(|[p, q]| world.cut(b, p, q).unwrap());
        }
    }
    world
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_after_a_snapshot() {
    let mut one = busy(1);
    let (mut two, mut three) = (busy(2), busy(3));
    let mut loaded: Option<World> = None;
    for step in 0..50 {
        let hash = one.step(FRAME).hash;
        assert_eq!(two.step(FRAME).hash, hash, "two threads, step {step}");
        assert_eq!(three.step(FRAME).hash, hash, "three threads, step {step}");
        if let Some(world) = &mut loaded {
            assert_eq!(world.step(FRAME).hash, hash, "after a snapshot, step {step}");
        }
        // some of the links have broken by then, not all
        if step == 0 {
            let bytes = one.save();
            loaded = Some(World::load(&bytes, 1).unwrap());
            for k in 1..=3 {
                let [before, after] = [&one, loaded.as_ref().unwrap()]
                    .map(|world| world.attachment(AttachmentId(k)).unwrap().clone());
                assert_eq!(before.force(), after.force());
                assert_eq!(before.links(), after.links());
            }
            let torn = one.attachment(AttachmentId(2)).unwrap();
            assert!(torn.links() > 0 && torn.broken_links() > 0, "{torn:?}");
        }
    }
    one.validate();
}

/// Links are springs and keep no memory. With multipliers that are kept from substep to substep, two
/// glued blocks stood and six flew apart within a second.
#[test]
fn a_chain_of_glued_blocks_hangs_still() {
    for heavy in [1.0, 30.0] {
        let mut world = World::new(WorldConfig::default()).unwrap();
        let rubber = damped(1e6);
        let mut blocks = Vec::new();
        for k in 0..6 {
            let density = if k == 5 { 1000.0 * heavy } else { 1000.0 };
            let rubber = MaterialDesc { density: density.into(), ..rubber.clone() };
            let at = [0.0, -0.1 * f64::from(k), 0.0];
            blocks.push(world.spawn(block([2, 2, 2], &rubber, at)).unwrap());
        }
        hold_above(&mut world, blocks[0], -INF);
        let glued = blocks.windows(2).map(|pair| world.attach(near([pair[0], pair[1]])).unwrap());
        let glued: Vec<_> = glued.collect();
        run(&mut world, 180);
        let last = world.step(FRAME);
        assert!(last.max_speed < 0.05, "{heavy}: it moves with {} m/s", last.max_speed);
        let mut weight = 0.0;
        for (k, &glue) in glued.iter().enumerate().rev() {
            weight += world.body(blocks[k + 1]).unwrap().mass() * 9.81;
            let [_, y, _] = world.attachment(glue).unwrap().force();
            assert!((y / weight + 1.0).abs() < 0.02, "{heavy}: {y} N at {k}, not {weight} N");
        }
    }
}

/// Bodies of a single particle are held by their faces, too: four in a row stand out from the wall.
#[test]
fn a_row_of_single_particles_stands_out() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let mut row = Vec::new();
    for k in 0..4 {
        let at = [f64::from(D) * f64::from(k), 0.0, 0.0];
        row.push(world.spawn(block([1, 1, 1], &material(1e6), at)).unwrap());
    }
    hold_above(&mut world, row[0], -INF);
    let glued = row.windows(2).map(|pair| world.attach(near([pair[0], pair[1]])).unwrap());
    let glued: Vec<_> = glued.collect();
    run(&mut world, 60);
    let [_, y, _] = centre_of_mass(world.body(row[3]).unwrap());
    assert!(y.abs() < 0.05 * 0.15, "the end sags by {y} m");
    let weight = 3.0 * world.body(row[1]).unwrap().mass() * 9.81;
    let [_, y, _] = world.attachment(glued[0]).unwrap().force();
    assert!((y / weight + 1.0).abs() < 0.01, "{y} N for {weight} N");
}

/// What links take and give is in the books: energy that is held and lost is what was put in.
#[test]
fn books_close_with_links() {
    let config = WorldConfig { books: true, ..WorldConfig::default() };
    let (mut world, [_, lower], _) = hanging(config, 0.025);
    let start = world.step(1e-4).energy;
    let mut worst = 0.0_f64;
    for _ in 0..60 {
        let now = world.step(FRAME).energy;
        let balance = |e: &fracas::world::Energy| e.held() + e.lost() - e.external_work;
        worst = worst.max((balance(&now) - balance(&start)).abs());
    }
    // what the weight gives in a fall of a millimetre; links take about a fifth of it
    let scale = world.body(lower).unwrap().mass() * 9.81 * 1e-3;
    assert!(worst < 0.05 * scale, "books are off by {worst} J of {scale} J");
}

/// Glue between a light block that is held and a weight of ten thousand times its mass is as soft as
/// the light block, since no solve could hold more; the weight bounces on it and stays.
#[test]
fn a_light_block_keeps_what_is_ten_thousand_times_heavier() {
    let mut world = World::new(WorldConfig { substeps: 8, ..WorldConfig::default() }).unwrap();
    let light = MaterialDesc { density: 10.0.into(), ..damped(1e8) };
    let heavy = MaterialDesc { density: 1e5.into(), ..damped(1e8) };
    let upper = world.spawn(block([2, 2, 2], &light, [0.0, 0.1, 0.0])).unwrap();
    let lower = world.spawn(block([2, 2, 2], &heavy, [0.0; 3])).unwrap();
    hold_above(&mut world, upper, 0.0);
    let glue = world.attach(near([upper, lower])).unwrap();
    let mut mean = 0.0;
    for frame in 0..120 {
        let report = world.step(FRAME);
        assert!(report.max_speed < 1.0, "frame {frame}: {} m/s", report.max_speed);
        mean -= world.attachment(glue).unwrap().force()[1] / 120.0;
    }
    assert_eq!(world.attachment(glue).unwrap().broken_links(), 0);
    let weight = world.body(lower).unwrap().mass() * 9.81;
    assert!((mean / weight - 1.0).abs() < 0.1, "{mean} N for {weight} N");
}
