//! Glue and hinges between bodies of tetrahedra, against closed forms and conservation.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::tets::{block, body};
use common::{FRAME, centre_of_mass, grip_box, weightless};
use fracas::contact::shape::Shape;
use fracas::material::{Material, MaterialDesc};
use fracas::solids::brittle::BrittleOptions;
use fracas::world::{
    AttachDesc, AttachKind, AttachRegion, BodyDesc, Event, GripMotion, MoveKey, ShapeDesc,
};
use fracas::{AttachmentId, BodyId, World, WorldConfig};

const INF: f32 = f32::INFINITY;

fn stuff(youngs_modulus: f32) -> MaterialDesc {
    MaterialDesc {
        density: 700.0.into(),
        youngs_modulus: youngs_modulus.into(),
        poisson_ratio: 0.3.into(),
        damping_time: INF.into(),
        ..MaterialDesc::default()
    }
}

fn checked(desc: &MaterialDesc) -> Material {
    Material::try_from(desc).unwrap()
}

/// A block of so many cells of this size, its lowest corner there.
fn spawn(
    world: &mut World,
    cells: [usize; 3],
    size: f32,
    desc: &MaterialDesc,
    corner: [f64; 3],
) -> BodyId {
    let shape = block(cells, [size; 3]);
    world.spawn(BodyDesc { position: corner, ..body(shape, checked(desc)) }).unwrap()
}

fn ball(world: &mut World, radius: f32, position: [f64; 3], velocity: [f32; 3]) -> BodyId {
    let steel = MaterialDesc { density: 7800.0.into(), ..MaterialDesc::default() };
    let shape = ShapeDesc::rigid(Shape::sphere(radius).unwrap());
    let desc = BodyDesc::new("ball", shape, vec![checked(&steel)]);
    world.spawn(BodyDesc { position, velocity, ..desc }).unwrap()
}

fn glue(world: &mut World, bodies: [BodyId; 2]) -> AttachmentId {
    world.attach(AttachDesc::new(bodies)).unwrap()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

/// A ball hits two blocks that are glued together, of wood-like to rubber-like stiffness: energy never comes above the first, momenta stay, and
/// the blocks stay together.
#[test]
fn a_ball_that_hits_glued_blocks_leaves_them_glued() {
    for (modulus, cells) in [(1e6, 4), (1e8, 4)] {
        let mut world = World::new(WorldConfig { substeps: 4, ..weightless() }).unwrap();
        let a = spawn(&mut world, [4; 3], 0.05, &stuff(modulus), [0.0; 3]);
        let size = 0.2 / cells as f32;
        let b = spawn(
            &mut world,
            [cells; 3],
            size,
            &stuff(modulus),
            [f64::from(0.05f32 * 4.0), 0.0, 0.0],
        );
        let glued = glue(&mut world, [a, b]);
        let area = world.attachment(glued).unwrap().area();
        assert!((area / 0.04 - 1.0).abs() < 1e-5, "{area} m²");
        ball(&mut world, 0.05, [0.31, 0.11, 0.4], [0.0, 0.0, -15.0]);
        let start = world.step(1e-4);
        let scale = distance(start.momentum, [0.0; 3]);
        let turn = scale * 0.2;
        let (first, mut most, mut turned) = (start.energy.held(), 0.0f64, 0.0f64);
        for frame in 0..120 {
            let now = world.step(FRAME);
            most = most.max(now.energy.held() / first);
            let off = distance(now.momentum, start.momentum) / scale;
            assert!(
                off < 1e-6,
                "{modulus} Pa, {cells} cells, frame {frame}: momentum off by {off}"
            );
            let off = distance(now.angular_momentum, start.angular_momentum) / turn;
            turned = turned.max(off);
            // forces of links times the rounding of where they act: more the stiffer the blocks
            assert!(off < 1e-4, "{modulus} Pa, {cells} cells, frame {frame}: angular off by {off}");
        }
        let [p, q] = [a, b].map(|id| centre_of_mass(world.body(id).unwrap()));
        println!(
            "{modulus} Pa, {cells} cells: {most} of the energy, {} m apart, angular off {turned}",
            distance(p, q)
        );
        assert!(most < 1.0 + 1e-4, "{modulus} Pa, {cells} cells: {most} of the energy");
        assert!((distance(p, q) - 0.2).abs() < 0.01, "{} m apart", distance(p, q));
        world.validate();
    }
}

/// What hangs on glue is carried by it, over the face that both share, whether their vertices meet or not.
#[test]
fn glue_carries_the_weight_over_the_shared_face() {
    for (shift, cells, area) in [(0.0, 4, 0.04), (0.025, 4, 0.035), (0.0, 3, 0.04), (0.0, 7, 0.04)]
    {
        let mut world = World::new(WorldConfig::default()).unwrap();
        let soft = MaterialDesc { damping_time: 0.05.into(), ..stuff(1e6) };
        let upper = spawn(&mut world, [4; 3], 0.05, &soft, [shift, f64::from(0.05f32 * 4.0), 0.0]);
        let lower = spawn(&mut world, [cells; 3], 0.2 / cells as f32, &soft, [0.0; 3]);
        world.grip(grip_box(upper, [-INF, 0.199, -INF], [INF; 3], GripMotion::Hold)).unwrap();
        let glue = glue(&mut world, [upper, lower]);
        let held = world.attachment(glue).unwrap().area();
        assert!((held / area - 1.0).abs() < 0.05, "shift {shift}, {cells} cells: {held} m²");
        for _ in 0..120 {
            world.step(FRAME);
        }
        let weight = world.body(lower).unwrap().mass() * 9.81;
        let force = world.attachment(glue).unwrap().force();
        assert!((force[1] + weight).abs() < 0.01 * weight, "{force:?} N for {weight} N");
        assert!(force[0].hypot(force[2]) < 0.01 * weight, "{force:?} N are not upright");
    }
}

/// Two bars, one held and one pulled, part at strength times area.
#[test]
fn glue_parts_at_strength_times_area() {
    for cells in [2, 3] {
        let mut world = World::new(weightless()).unwrap();
        let (rubber, strength) = (MaterialDesc { damping_time: 0.05.into(), ..stuff(1e6) }, 2e4);
        let fixed = spawn(&mut world, [4, 2, 2], 0.05, &rubber, [0.0; 3]);
        let size = 0.1 / cells as f32;
        let pulled = spawn(
            &mut world,
            [2 * cells, cells, cells],
            size,
            &rubber,
            [f64::from(4.0 * 0.05f32), 0.0, 0.0],
        );
        world.grip(grip_box(fixed, [-INF; 3], [0.01, INF, INF], GripMotion::Hold)).unwrap();
        let end = MoveKey { time: 1.5, offset: [2.0 * strength / 1e6 * 0.4, 0.0, 0.0], angle: 0.0 };
        let keys = vec![MoveKey::default(), end];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
        world.grip(grip_box(pulled, [0.19, -INF, -INF], [INF; 3], motion)).unwrap();
        let glue =
            world.attach(AttachDesc { strength, ..AttachDesc::new([fixed, pulled]) }).unwrap();
        let (mut most, mut last) = (0.0f64, 0);
        for _ in 0..90 {
            world.step(FRAME);
            most = most.max(world.attachment(glue).unwrap().force()[0]);
            last += world.events().filter(|event| matches!(event, Event::Detached { .. })).count();
        }
        let share = most / (f64::from(strength) * 0.01);
        println!("{cells} cells: parts at {share} of strength times area");
        assert_eq!((world.attachment(glue).unwrap().links(), last), (0, 1));
        assert!((0.8..1.05).contains(&share), "{cells} cells: {share}");
    }
}

/// Two that are glued with a gap between them turn as one, and keep their momenta and energy.
#[test]
fn a_spinning_pair_keeps_its_momenta() {
    for gap in [0.0, 0.01] {
        let mut world = World::new(weightless()).unwrap();
        let spin = [0.3, 0.5, 5.0];
        let reach = 0.1 + 0.5 * gap;
        let mut spawn = |side: f32| {
            let shape = block([4; 3], [0.05; 3]);
            let x = side * reach;
            let position = [f64::from(x) - 0.1, -0.1, -0.1];
            let velocity = [3.0, spin[2] * x, -spin[1] * x];
            let desc = BodyDesc { position, velocity, spin, ..body(shape, checked(&stuff(1e8))) };
            world.spawn(desc).unwrap()
        };
        let pair = [spawn(-1.0), spawn(1.0)];
        let region = AttachRegion::Near { distance: 0.011 };
        let glue = world.attach(AttachDesc { region, ..AttachDesc::new(pair) }).unwrap();
        let start = world.step(1e-4);
        let scale = distance(start.momentum, [0.0; 3]);
        let turn = distance(start.angular_momentum, [0.0; 3]);
        let mut last = start.clone();
        let mut carried = 0.0f64;
        for frame in 0..120 {
            last = world.step(FRAME);
            let off = distance(last.momentum, start.momentum) / scale;
            assert!(off < 1e-6, "frame {frame}: momentum off by {off}");
            let off = distance(last.angular_momentum, start.angular_momentum) / turn;
            assert!(off < 1e-5, "frame {frame}: angular momentum off by {off}");
            carried = carried.max(distance(world.attachment(glue).unwrap().force(), [0.0; 3]));
        }
        let centripetal = world.body(pair[0]).unwrap().mass() * 25.25 * f64::from(reach);
        assert!(carried > 0.9 * centripetal, "{carried} N, {centripetal} N are needed");
        let lost = 1.0 - last.energy.kinetic / start.energy.kinetic;
        assert!((-2e-5..1e-2).contains(&lost), "gap {gap}: {lost} of the energy is gone");
        let [a, b] = pair.map(|id| centre_of_mass(world.body(id).unwrap()));
        let apart = 2.0 * f64::from(reach);
        assert!((distance(a, b) / apart - 1.0).abs() < 5e-3, "{} m apart", distance(a, b));
    }
}

/// A door that hangs from a hinge swings like the compound pendulum it is.
#[test]
fn a_hinged_door_swings_like_a_compound_pendulum() {
    let mut world = World::new(WorldConfig { substeps: 4, ..WorldConfig::default() }).unwrap();
    let wood = stuff(1e8);
    let post = spawn(&mut world, [1, 1, 4], 0.05, &wood, [-0.025, 0.0, 0.0]);
    world.grip(grip_box(post, [-INF; 3], [INF; 3], GripMotion::Hold)).unwrap();
    let shape = block([1, 8, 4], [0.05; 3]);
    let spin = 0.6;
    let desc = BodyDesc {
        position: [-0.025, -0.4, 0.0],
        velocity: [0.2 * spin, 0.0, 0.0],
        spin: [0.0, 0.0, spin],
        ..body(shape, checked(&wood))
    };
    let door = world.spawn(desc).unwrap();
    let kind = AttachKind::Hinge { point: [0.0; 3], axis: [0.0, 0.0, 1.0] };
    let hinge = world.attach(AttachDesc { kind, ..AttachDesc::new([post, door]) }).unwrap();
    assert!(world.attachment(hinge).unwrap().links() >= 2);
    // about the hinge: I = m (h²/3 + t²/12), its centre h/2 below
    let (h, t) = (0.4_f64, 0.05_f64);
    let period = std::f64::consts::TAU * ((h * h / 3.0 + t * t / 12.0) / (9.81 * 0.5 * h)).sqrt();
    let (mut crossings, mut before, mut swing) = (Vec::new(), 0.0, [0.0_f64; 2]);
    for frame in 0..240 {
        world.step(FRAME);
        let [x, y, _] = centre_of_mass(world.body(door).unwrap());
        let radius = x.hypot(y);
        assert!((radius - 0.2).abs() < 2e-3, "frame {frame}: {radius} m from the hinge");
        if before < 0.0 && x >= 0.0 {
            crossings.push((f64::from(frame) + before / (before - x)) / 60.0);
        }
        before = x;
        let k = usize::from(frame >= 120);
        swing[k] = swing[k].max(x.abs());
    }
    let measured = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
    println!("period {measured} s, {period} s by theory; swing {swing:?} m");
    assert!((measured / period - 1.0).abs() < 0.02, "{measured} s, not {period} s");
    assert!(swing[1] > 0.95 * swing[0], "it swings {swing:?} m: the hinge is not free");
}

/// A body that tears while it is glued stays glued with all its parts, through snapshots and on any number of threads.
#[test]
fn parts_of_a_torn_body_stay_glued() {
    let make = |threads: u32| {
        let mut world = World::new(WorldConfig { threads, substeps: 2, ..weightless() }).unwrap();
        let strong = MaterialDesc { damping_time: 0.05.into(), ..stuff(1e7) };
        let weak = MaterialDesc { strength: 2e5.into(), toughness: 1e3.into(), ..strong.clone() };
        let bar = spawn(&mut world, [8, 2, 2], 0.05, &weak, [0.0; 3]);
        let above =
            spawn(&mut world, [8, 1, 2], 0.05, &strong, [0.0, f64::from(0.05f32 * 2.0), 0.0]);
        glue(&mut world, [bar, above]);
        for (from, to, way) in [(-INF, 0.01, -0.03), (0.39, INF, 0.03)] {
            let end = MoveKey { time: 0.5, offset: [way, 0.0, 0.0], angle: 0.0 };
            let keys = vec![MoveKey::default(), end];
            let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
            world.grip(grip_box(bar, [from, -INF, -INF], [to, INF, INF], motion)).unwrap();
        }
        (world, bar)
    };
    let ((mut one, bar), (mut two, _)) = (make(1), make(2));
    let mut loaded: Option<World> = None;
    let before = one.attachment(AttachmentId(1)).unwrap().links();
    for frame in 0..60 {
        one.step(FRAME);
        two.step(FRAME);
        assert_eq!(one.hash(), two.hash(), "two threads, frame {frame}");
        if let Some(world) = &mut loaded {
            world.step(FRAME);
            assert_eq!(one.hash(), world.hash(), "after a snapshot, frame {frame}");
        }
        if frame % 5 == 4 {
            loaded = Some(World::load(&one.save(), 1).unwrap());
        }
        one.validate();
    }
    let attachment = one.attachment(AttachmentId(1)).unwrap();
    assert!(one.body(bar).unwrap().pieces().len() > 1, "nothing has torn");
    assert_eq!(attachment.links(), before, "links are lost");
    // every link still holds a face of the body as it is
    assert!((attachment.area() / 0.04 - 1.0).abs() < 1e-3);
}

/// Six planks on two straps that hang from a post on hinges, and a ball of 24 kg that comes at 25 m/s.
struct Door {
    world: World,
    planks: Vec<AttachmentId>,
    hinges: Vec<AttachmentId>,
}

/// How a door is hung.
#[derive(Clone, Copy)]
struct Hung {
    /// Whether planks and straps do not deform.
    brittle: bool,
    /// Of what holds the planks, Pa.
    strength: f32,
    /// Where the backs of straps and post are, and the line of the hinges, m: in front of the planks the post is in their way.
    back: [f64; 3],
}

/// The line of the hinges is at the back of everything.
const FREE: [f64; 3] = [-0.04, -0.04, -0.04];

fn door(hung: Hung) -> Door {
    let Hung { brittle, strength, back: [strap_z, post_z, line] } = hung;
    let config = WorldConfig { substeps: 4, books: true, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let oak = MaterialDesc { damping_time: 0.05.into(), ..stuff(1e9) };
    let iron = MaterialDesc { density: 7800.0.into(), ..stuff(2e10) };
    let mut part = |cells: [usize; 3], size: [f32; 3], corner: [f64; 3], desc: &MaterialDesc| {
        let shape = block(cells, [0, 1, 2].map(|k| size[k] / cells[k] as f32));
        let body = match brittle {
            true => {
                let shape = ShapeDesc::Brittle { shape, options: BrittleOptions::default() };
                BodyDesc::new("part", shape, vec![checked(desc)])
            }
            false => body(shape, checked(desc)),
        };
        world.spawn(BodyDesc { position: corner, ..body }).unwrap()
    };
    let post = part([1, 14, 1], [0.12, 1.8, 0.12], [-0.76, 0.0, post_z], &oak);
    let planks: Vec<BodyId> = (0..6)
        .map(|k| {
            part([2, 12, 1], [0.2, 1.6, 0.04], [-0.63 + 0.2 * f64::from(k), 0.05, -0.02], &oak)
        })
        .collect();
    let straps =
        [0.31, 1.31].map(|y| (y, part([12, 1, 1], [1.2, 0.08, 0.02], [-0.64, y, strap_z], &iron)));
    world.grip(grip_box(post, [-INF; 3], [0.01, INF, INF], GripMotion::Hold)).unwrap();
    let (mut hinges, mut nails) = (Vec::new(), Vec::new());
    for (y, strap) in straps {
        let kind = AttachKind::Hinge { point: [-0.64, y, line], axis: [0.0, 1.0, 0.0] };
        hinges.push(world.attach(AttachDesc { kind, ..AttachDesc::new([strap, post]) }).unwrap());
        for &plank in &planks {
            let glue = AttachDesc {
                strength,
                toughness: 0.1 * strength,
                ..AttachDesc::new([plank, strap])
            };
            nails.push(world.attach(glue).unwrap());
        }
    }
    ball(&mut world, 0.09, [0.3, 0.9, 0.5], [0.0, 0.0, -25.0]);
    Door { world, planks: nails, hinges }
}

impl Door {
    /// Most energy that is won in one of so many frames, and most that there is, of the first.
    fn swing(&mut self, frames: u32) -> (f64, f64) {
        let first = self.world.step(1e-4).energy.held();
        let (mut last, mut won, mut most) = (first, 0.0f64, 0.0f64);
        for _ in 0..frames {
            let held = self.world.step(FRAME).energy.held();
            won = won.max((held - last) / first);
            most = most.max(held / first);
            last = held;
        }
        self.world.validate();
        (won, most)
    }

    fn links(&self, of: &[AttachmentId]) -> usize {
        of.iter().map(|&id| self.world.attachment(id).unwrap().links()).sum()
    }
}

/// A door that its post is not in the way of swings open when a ball hits it, on nails that hold: nothing wins energy, what links store included.
#[test]
fn a_ball_that_opens_a_barn_door_wins_no_energy() {
    let mut door = door(Hung { brittle: false, strength: 3e6, back: FREE });
    let nails = door.links(&door.planks);
    let (won, _) = door.swing(20);
    println!("energy won in a frame, of the first: {won}");
    assert!(won < 2e-4, "{won} of the energy is won in a frame");
    assert_eq!(door.links(&door.planks), nails, "nails have let go");
    assert_eq!(door.links(&door.hinges), 4, "the door has fallen off its hinges");
}

/// Of planks that do not deform nails let go; the straps stay on the post.
#[test]
fn a_ball_that_bursts_a_barn_door_wins_no_energy() {
    let mut door = door(Hung { brittle: true, strength: 2e5, back: FREE });
    let (won, most) = door.swing(60);
    println!("energy won in a frame, of the first: {won}, most {most}");
    assert!(won < 1e-3, "{won} of the energy is won in a frame");
    assert_eq!(door.links(&door.planks), 0, "nails hold a door that was shot at");
    assert_eq!(door.links(&door.hinges), 4, "the straps have fallen off their hinges");
}

/// A door that is hung so that it jams: its planks come up against the post after a fifth of a radian, a twentieth of their length from the hinge.
#[test]
#[ignore = "open: what is pressed into each other by a long lever is pushed out against links, which store more than there was"]
fn a_barn_door_that_jams_wins_no_energy() {
    let mut door = door(Hung { brittle: false, strength: 3e6, back: [0.02, -0.06, 0.03] });
    let (won, most) = door.swing(90);
    println!("energy won in a frame, of the first: {won}, most {most}");
    assert!(won < 1e-3, "{won} of the energy is won in a frame");
    assert!(most < 1.0, "{most} of the energy");
    assert!(door.links(&door.hinges) > 0, "the door has fallen off its hinges");
}
