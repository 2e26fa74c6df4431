//! A model of your own: a rope of springs, handed to the world as `ShapeDesc::Custom`.
//!
//! The world moves particles, finds contacts, holds grips and keeps momentum. A model says what
//! its energy Ψ costs: the force −∇Ψ, the stiffness K, its diagonal, and a solver for the time
//! when nothing touches it. Everything else in the trait is book-keeping about bonds and state.
//!
//! Here Ψ = ½ k Σ (|x_b − x_a| − l)². The rope carries a heavy bob and swings from a grip; its
//! period must be 2π√(l/g). Then a link is cut, and the bob must fly as a thrown stone does.
//!
//! ```text
//! cargo run --release -p fracas --example own_model
//! ```

use fracas::glam::{DVec3, Mat3, Vec3};
use fracas::math::{Rot, log_stretches};
use fracas::parallel::Span;
use fracas::solids::{Anchor, DofsMut, DofsRef, NewParticle, Particles, Residual, Solid, Step};
use fracas::solve::Held;
use fracas::state::{Reader, Sink, SnapshotError, StateHash};
use fracas::world::{Changes, Region, ShapeDesc};
use fracas::{BodyDesc, Event, GripDesc, GripMotion, World, WorldConfig};

/// Link i joins particles i and i + 1; the last one joins nobody and is never whole. Cut ropes
/// stay consecutive ranges, so a piece is a span of particles and of links alike.
#[derive(Debug)]
struct Rope {
    /// k, in N/m, and l, in m, of every link.
    stiffness: f32,
    length: f32,
    /// 1 while a link holds: all of the state, so all that is hashed and saved.
    whole: Vec<u8>,
    /// The two sides of every particle, for [`Solid::neighbours`].
    sides: Vec<[u32; 2]>,
    /// Room for the tridiagonal solve, never read across steps; taken once, not in the step.
    rows: Vec<(Mat3, Vec3)>,
}

impl Rope {
    fn new(count: usize, length: f32, stiffness: f32) -> Self {
        let whole = (1..=count).map(|i| u8::from(i < count)).collect();
        let sides = (0..count as u32).map(|i| [i.wrapping_sub(1), i + 1]).collect();
        Self { stiffness, length, whole, sides, rows: vec![(Mat3::ZERO, Vec3::ZERO); count] }
    }

    /// Pull of link i on particle i, and K of the link with its direction n frozen. The part
    /// across n is left out under compression, where it would be negative: K must be ≥ 0.
    fn link(&self, particles: &Particles, i: usize) -> (Vec3, Mat3) {
        if self.whole[i] == 0 {
            return (Vec3::ZERO, Mat3::ZERO);
        }
        let (n, length) =
            (particles.position[i + 1] - particles.position[i]).normalize_and_length();
        let along = Mat3::from_cols(n * n.x, n * n.y, n * n.z);
        let across = (1.0 - self.length / length).max(0.0) * (Mat3::IDENTITY - along);
        let pull = self.stiffness * (length - self.length) * n;
        (pull, self.stiffness * (along + across))
    }

    /// Link i − 1, which particle 0 does not have.
    fn link_before(&self, particles: &Particles, i: usize) -> (Vec3, Mat3) {
        if i == 0 { (Vec3::ZERO, Mat3::ZERO) } else { self.link(particles, i - 1) }
    }

    /// −∇Ψ at particle j.
    fn force(&self, particles: &Particles, j: usize) -> Vec3 {
        self.link(particles, j).0 - self.link_before(particles, j).0
    }

    /// Diagonal block of A = M/h² + K.
    fn block(&self, particles: &Particles, j: usize, step: &Step) -> Mat3 {
        let inertia = Mat3::from_diagonal(Vec3::splat(particles.mass[j] / (step.h * step.h)));
        inertia + self.link(particles, j).1 + self.link_before(particles, j).1
    }

    fn residual(&self, particles: &Particles, j: usize, step: &Step) -> Vec3 {
        let inertia = particles.mass[j] / (step.h * step.h);
        inertia * (particles.inertial[j] - particles.position[j]) + self.force(particles, j)
    }
}

impl Solid for Rope {
    fn name(&self) -> &'static str {
        "rope"
    }

    /// r = M (x* − x)/h² − ∇Ψ. Vectors begin at the start of the span, columns do not.
    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        for (k, j) in span.enumerate() {
            r.linear[k] = self.residual(particles, j, step);
        }
    }

    /// A p. A link has the stiffness K at both of its ends and −K between them.
    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    ) {
        for (k, j) in span.enumerate() {
            out.linear[k] = self.block(particles, j, step) * p.linear[k];
            if self.whole[j] == 1 {
                out.linear[k] -= self.link(particles, j).1 * p.linear[k + 1];
            }
            if k > 0 {
                out.linear[k] -= self.link(particles, j - 1).1 * p.linear[k - 1];
            }
        }
    }

    /// `extra` is what contacts add to the diagonal.
    fn precondition(
        &self,
        particles: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        for (k, j) in span.enumerate() {
            let contact = Mat3::from_diagonal(Vec3::splat(extra[k]));
            z.linear[k] = (self.block(particles, j, step) + contact).inverse() * r.linear[k];
        }
    }

    /// How far a point gives way per force. The arm does not count: nothing here can turn.
    fn compliance(&self, particles: &Particles, anchor: &Anchor, n: Vec3, step: &Step) -> f32 {
        n.dot(self.block(particles, anchor.particle as usize, step).inverse() * n)
    }

    /// Newton's method; A of a rope is tridiagonal, so every step of it is solved directly.
    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        _: &mut [Held],
        step: &Step,
    ) -> Residual {
        for j in span.clone() {
            particles.position[j] = particles.inertial[j];
        }
        for _ in 0..step.sweeps {
            for j in span.clone() {
                let (mut block, mut r) =
                    (self.block(particles, j, step), self.residual(particles, j, step));
                if j > span.start {
                    let k = self.link(particles, j - 1).1;
                    let (inverse, before) = self.rows[j - 1];
                    block -= k * inverse * k;
                    r += k * inverse * before;
                }
                self.rows[j] = (block.inverse(), r);
            }
            let mut next = Vec3::ZERO;
            let mut link = Mat3::ZERO;
            for j in span.clone().rev() {
                let (inverse, r) = self.rows[j];
                next = inverse * (r + link * next);
                // its direction before either of its ends moves
                link = if j > span.start { self.link(particles, j - 1).1 } else { Mat3::ZERO };
                particles.position[j] += next;
            }
        }
        let sum = |of: &dyn Fn(usize) -> Vec3| -> f32 {
            span.clone().map(|j| of(j).length_squared()).sum()
        };
        let left = sum(&|j| self.residual(particles, j, step));
        let forces = sum(&|j| self.force(particles, j));
        Residual::new(left.into(), forces.into(), span.len())
    }

    /// Ψ, for the books of energy.
    fn audit(&mut self, particles: &Particles, span: Span, _: &Step, force: DofsMut<'_>) -> f64 {
        let mut energy = 0.0;
        for (k, j) in span.enumerate() {
            force.linear[k] = self.force(particles, j);
            energy += f64::from(self.link(particles, j).0.length_squared() / self.stiffness);
        }
        0.5 * energy
    }

    /// A rope is stretched along itself, by the mean of the links at both sides of a particle.
    fn strain(&self, particles: &Particles, i: usize) -> [f32; 3] {
        let links = [i.checked_sub(1), Some(i)].into_iter().flatten();
        let whole: Vec<usize> = links.filter(|&link| self.whole[link] == 1).collect();
        let length = |&link: &usize| {
            particles.position[link].distance(particles.position[link + 1]) / self.length
        };
        let sum: f32 = whole.iter().map(length).sum();
        let stretch = if whole.is_empty() { 1.0 } else { sum / whole.len() as f32 };
        let [a, b, c] = log_stretches([stretch, 1.0, 1.0]).value;
        if a < 0.0 { [b, c, a] } else { [a, b, c] }
    }

    fn particle_count(&self) -> usize {
        self.whole.len()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        let before = i > 0 && self.whole[i - 1] == 1;
        &self.sides[i][usize::from(!before)..1 + usize::from(self.whole[i])]
    }

    fn bond_count(&self) -> usize {
        self.whole.iter().map(|&w| usize::from(w)).sum()
    }

    /// The world asks for pieces afterwards, by `neighbours`.
    fn cut(&mut self, particles: &mut Particles, a: usize, b: usize, changes: &mut Changes) -> f64 {
        self.whole[a.min(b)] = 0;
        [a, b].into_iter().for_each(|j| particles.broken[j] = true);
        changes.bonds_cut.push([particles.id[a], particles.id[b]]);
        // what it had stored is small
        0.0
    }

    /// Pieces of a rope are in order already: the world moves them only as a whole, to take some
    /// away, and every link goes with its first particle.
    fn permute(&mut self, span: Span, order: &[u32], _: &[u32]) {
        let whole: Vec<_> = order.iter().map(|&i| self.whole[i as usize]).collect();
        self.whole[span].copy_from_slice(&whole);
    }

    fn truncate(&mut self, count: usize) {
        self.whole.truncate(count);
        self.sides.truncate(count);
        self.rows.truncate(count);
    }

    fn validate(&self, particles: &Particles) {
        assert_eq!(self.whole.len(), particles.len());
        assert_eq!(self.whole.last(), Some(&0), "the last link joins nobody");
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.column(&self.whole);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.floats(&[self.stiffness, self.length]);
        bytes.column(&self.whole);
    }

    fn load(
        &mut self,
        reader: &mut Reader<'_>,
        particles: &Particles,
    ) -> Result<(), SnapshotError> {
        let numbers: Vec<f32> = reader.column_of(2)?;
        let whole: Vec<u8> = reader.column_of(particles.len())?;
        if whole.last() != Some(&0) || whole.iter().any(|&w| w > 1) {
            return Err(reader.damaged("links that are neither whole nor cut"));
        }
        *self = Self { whole, ..Self::new(particles.len(), numbers[1], numbers[0]) };
        Ok(())
    }
}

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f64 = 9.81;
/// Links, and their length l, in m.
const LINKS: usize = 10;
const LENGTH: f32 = 0.1;

/// A rope hanging down from the origin, nearly massless, with a bob of 10 kg at its end.
fn rope() -> ShapeDesc {
    let mut particles = Particles::default();
    for i in 0..=LINKS {
        particles.push(NewParticle {
            rest: Vec3::new(0.0, -LENGTH * i as f32, 0.0),
            mass: if i == LINKS { 10.0 } else { 0.01 },
            inertia: None,
            radii: [0.02; 3],
            axes: Rot::IDENTITY,
            friction: [0.5; 2],
            restitution: 0.0,
            material: 0,
        });
    }
    // 98 N stretch a link of 1 MN/m by 0.1 mm, a thousandth of its length
    let solid = Box::new(Rope::new(LINKS + 1, LENGTH, 1.0e6));
    ShapeDesc::Custom { particles: Box::new(particles), solid }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gravity = [0.0, -GRAVITY as f32, 0.0];
    let mut world = World::new(WorldConfig { gravity, ..WorldConfig::default() })?;
    // a body without a material is not damped
    let mut pendulum = BodyDesc::new("pendulum", rope(), Vec::new());
    pendulum.rotation = Rot::from_axis_angle(Vec3::Z, 0.1);
    let body = world.spawn(pendulum)?;
    let ids = world.body(body).ok_or("no body")?.particle_ids().to_vec();
    let region = Region::Particles(vec![ids[0]]);
    world.grip(GripDesc { body, region, motion: GripMotion::Hold, release: None })?;
    let bob = |world: &World| -> DVec3 {
        let place = world.body(body).and_then(|body| body.world_positions().last());
        place.map_or(DVec3::NAN, DVec3::from)
    };

    // times at which the bob passes the lowest point, half a period apart
    let mut passes: Vec<f64> = Vec::new();
    let mut before = bob(&world);
    while passes.len() < 11 {
        let time = world.time();
        world.step(DT);
        let now = bob(&world);
        if before.x * now.x < 0.0 {
            passes.push(time + f64::from(DT) * before.x / (before.x - now.x));
        }
        before = now;
        assert!(world.time() < 60.0, "it does not swing");
    }
    let period = (passes[10] - passes[0]) / 5.0;
    let expected = std::f64::consts::TAU * (f64::from(LENGTH) * LINKS as f64 / GRAVITY).sqrt();
    println!("period {period:.4} s, 2π√(l/g) = {expected:.4} s");
    assert!((period / expected - 1.0).abs() < 0.002);

    // saved and loaded it goes on with the same bits; the world asks for models it does not know
    let own = &mut |name: &str| -> Option<Box<dyn Solid>> {
        (name == "rope").then(|| -> Box<dyn Solid> { Box::new(Rope::new(1, 0.0, 0.0)) })
    };
    let mut copy = World::load_with(&world.save(), 1, own)?;
    assert_eq!(world.step(DT).hash, copy.step(DT).hash);
    before = bob(&world);

    // cut the last link: the bob goes on alone
    world.cut(body, ids[LINKS - 1], ids[LINKS])?;
    world.step(DT);
    let parted = world.events().filter(|event| matches!(event, Event::Split { .. })).count();
    assert_eq!(parted, 2, "the rope and the bob");
    let (start, velocity) = (bob(&world), (bob(&world) - before) / f64::from(DT));
    for _ in 0..30 {
        world.step(DT);
    }
    let t = 30.0 * f64::from(DT);
    // the mean velocity of the step before is that of half a step earlier
    let fall = GRAVITY * t * (t + f64::from(DT)) / 2.0;
    let stone = start + velocity * t - DVec3::new(0.0, fall, 0.0);
    let off = bob(&world).distance(stone);
    println!("0.5 s after the cut the bob has fallen {fall:.2} m, {:.1} mm off a stone", 1e3 * off);
    assert!(off < 1e-3);

    // take the rope away: the bob stays
    let found = world.body(body).ok_or("no body")?;
    let rope = found.pieces()[0].id();
    world.remove_piece(body, rope)?;
    world.step(DT);
    let found = world.body(body).ok_or("no body")?;
    assert_eq!((found.particle_ids(), found.bond_count()), (&ids[LINKS..], 0));
    world.validate();
    Ok(())
}
