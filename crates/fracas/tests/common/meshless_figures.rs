//! What meshless bodies do, as figures: for the tests of the engine and the table of what it shows.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use super::{grip_box, lattice, tets};
use fracas::glam::{DVec3, Mat3, Vec3};
use fracas::material::{Material, MaterialDesc, Noise, Varying};
use fracas::math::{log_stretches, symmetric_eigen};
use fracas::solids::meshless::MeshlessShape;
use fracas::world::{Body, BodyDesc, GripId, GripMotion, MoveKey, ShapeDesc};
use fracas::{BodyId, World, WorldConfig};

/// Length of a frame of the thesis, s.
pub const FRAME: f32 = 0.005;
const FAR: f32 = 100.0;

/// Soft, without damping, and it does not tear.
pub fn flesh(youngs_modulus: f32, poisson_ratio: f32) -> MaterialDesc {
    MaterialDesc {
        density: 1000.0.into(),
        youngs_modulus: youngs_modulus.into(),
        poisson_ratio: poisson_ratio.into(),
        damping_time: f32::INFINITY.into(),
        ..MaterialDesc::default()
    }
}

pub fn config(threads: u32) -> WorldConfig {
    WorldConfig { gravity: [0.0; 3], substeps: 1, threads, ..WorldConfig::default() }
}

/// Rows of particles around the origin.
pub fn block(counts: [usize; 3], spacing: f32, desc: &MaterialDesc) -> BodyDesc {
    let shape = MeshlessShape::from(&lattice(counts, spacing, 0));
    let material = Material::try_from(desc).unwrap();
    BodyDesc::new("body", ShapeDesc::Meshless(shape), vec![material])
}

/// The same, shaken by up to a share of the spacing along each axis.
pub fn shaken(counts: [usize; 3], spacing: f32, jitter: f32, desc: &MaterialDesc) -> BodyDesc {
    let mut shape = MeshlessShape::from(&lattice(counts, spacing, 0));
    let mut seed = 7u32;
    for x in shape.points.iter_mut().flat_map(|point| &mut point.position) {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *x += jitter * spacing * ((seed >> 8) as f32 / (1 << 23) as f32 - 1.0);
    }
    let material = Material::try_from(desc).unwrap();
    BodyDesc::new("body", ShapeDesc::Meshless(shape), vec![material])
}

/// A value that differs by up to this share from particle to particle.
pub fn uneven(mean: f32, share: f32, spacing: f32) -> Varying {
    Varying::Noise(Noise { mean, spread: share * mean, wavelength: spacing })
}

/// Holds what lies beyond x at rest, between two numbers.
pub fn hold(world: &mut World, body: BodyId, [low, high]: [f32; 2], motion: GripMotion) -> GripId {
    world.grip(grip_box(body, [low, -FAR, -FAR], [high, FAR, FAR], motion)).unwrap()
}

/// Moves along x from rest to so far within so many seconds.
pub fn drawn(along: f32, seconds: f64) -> GripMotion {
    let key = |time: f64, x: f32| MoveKey { time, offset: [x, 0.0, 0.0], angle: 0.0 };
    let keys = vec![key(0.0, 0.0), key(seconds, along)];
    GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys }
}

/// Where the particles of a body are, in the order of its shape.
pub fn positions(body: &Body) -> Vec<DVec3> {
    let mut all: Vec<_> = body.particle_ids().iter().zip(body.world_positions()).collect();
    all.sort_by_key(|(id, _)| **id);
    all.into_iter().map(|(_, x)| DVec3::from(x)).collect()
}

/// Frequency of a bar of these counts that is held at one end and swings along itself, over √(E/ρ)/4L, at a step of 5 ms.
pub fn axial_frequency(youngs_modulus: f32) -> f64 {
    let (counts, spacing) = ([24, 6, 6], 0.05);
    let mut world = World::new(config(1)).unwrap();
    let id = world.spawn(block(counts, spacing, &flesh(youngs_modulus, 0.3))).unwrap();
    let end = -0.5 * 23.0 * spacing;
    hold(&mut world, id, [-FAR, end + 0.1 * spacing], GripMotion::Hold);
    // from the middle of the held row to the free end
    let length = 23.5 * f64::from(spacing);
    let wanted = f64::from(youngs_modulus / 1000.0).sqrt() / (4.0 * length);
    world.apply_commands();
    // a quarter wave
    let push = |x: f64| (std::f64::consts::FRAC_PI_2 * (x - f64::from(end)) / length).sin();
    let body = world.body(id).unwrap();
    let at: Vec<_> = body.particle_ids().to_vec().into_iter().zip(body.world_positions()).collect();
    for (particle, x) in at {
        let force = (0.1 * push(x[0])) as f32 * 1000.0 * spacing.powi(3) / FRAME;
        world.push(id, particle, [force, 0.0, 0.0], [0.0; 3]).unwrap();
    }
    let mean = |world: &World| {
        let body = world.body(id).unwrap();
        let sum: f64 = body.world_positions().map(|x| x[0]).sum();
        sum / body.particle_count() as f64
    };
    let (start, mut before) = (mean(&world), 0.0);
    let mut crossings = Vec::new();
    let steps = (4.2 / wanted / f64::from(FRAME)) as usize;
    for k in 0..steps {
        world.step(FRAME);
        let now = mean(&world) - start;
        if k > 0 && (before < 0.0) != (now < 0.0) {
            let share = before / (before - now);
            crossings.push((k as f64 + share) * f64::from(FRAME));
        }
        before = now;
    }
    let (first, last) = (crossings[0], *crossings.last().unwrap());
    0.5 * (crossings.len() - 1) as f64 / (last - first) / wanted
}

/// What a bar of 24 particles and so many across shows in its middle when it is drawn by a strain within half a second and then held.
pub struct Pulled {
    /// Pa.
    pub stress: f64,
    /// In its middle third.
    pub strain: f64,
    /// What it has become narrower by along y, over its strain.
    pub narrower: f64,
    /// The same strain a second after it was let go.
    pub left: f64,
}

pub fn pulled([wide, deep]: [usize; 2], desc: &MaterialDesc, strain: f32) -> Pulled {
    let (counts, spacing) = ([24, wide, deep], 0.05f32);
    let desc = MaterialDesc { damping_time: 0.05.into(), ..desc.clone() };
    let mut world = World::new(config(1)).unwrap();
    let id = world.spawn(block(counts, spacing, &desc)).unwrap();
    let end = 11.5 * spacing - 0.1 * spacing;
    let still = hold(&mut world, id, [-FAR, -end], GripMotion::Hold);
    let grip = hold(&mut world, id, [end, FAR], drawn(strain * 23.0 * spacing, 0.5));
    world.apply_commands();
    let rest = positions(world.body(id).unwrap());
    for _ in 0..600 {
        world.step(FRAME);
    }
    let force = world.reaction(grip).unwrap().force[0];
    let now = positions(world.body(id).unwrap());
    for grip in [still, grip] {
        world.release(grip).unwrap();
    }
    for _ in 0..200 {
        world.step(FRAME);
    }
    let later = positions(world.body(id).unwrap());
    // slopes over the middle third, whole sections and whole sides
    let mean = |now: &[DVec3], axis: usize, keep: &dyn Fn(DVec3) -> bool| {
        let kept = rest.iter().zip(now).filter(|(rest, _)| keep(**rest));
        let (sum, count) = kept.fold((0.0, 0.0), |(s, n), (_, x)| (s + x[axis], n + 1.0));
        sum / count
    };
    let d = f64::from(spacing);
    let near = |a: f64, b: f64| (a - b).abs() < 0.1 * d;
    let along = |now: &[DVec3]| {
        let at = |x: f64| mean(now, 0, &|rest| near(rest.x, x * d));
        (at(3.5) - at(-3.5)) / (7.0 * d) - 1.0
    };
    let side = 0.5 * (wide as f64 - 1.0) * d;
    let at = |y: f64| mean(&now, 1, &|x: DVec3| x.x.abs() < 4.0 * d && near(x.y, y));
    let strain = along(&now);
    Pulled {
        stress: force / (wide as f64 * deep as f64 * d * d),
        strain,
        narrower: -((at(side) - at(-side)) / (2.0 * side) - 1.0) / strain,
        left: along(&later),
    }
}

/// E and ν of such a bar that is drawn by 2 %, over those of its material.
pub fn pulled_bar(across: usize) -> [f64; 2] {
    of_material([across; 2], 1.0, [1.0, 0.0, 0.0])
}

/// The same of a bar, a membrane or a rope that is stiffer along its fibres; E over that along them.
pub fn of_material(across: [usize; 2], stiffness_ratio: f32, fibre: [f32; 3]) -> [f64; 2] {
    let (e, nu) = (1e5, 0.3);
    let mut desc = flesh(e, nu);
    desc.grain.direction = fibre.into();
    desc.grain.stiffness_ratio = stiffness_ratio.into();
    let found = pulled(across, &desc, 0.02);
    [found.stress / found.strain / f64::from(e), found.narrower / f64::from(nu)]
}

/// Stress of a bar that stiffens, drawn by this strain, over E ε (1 + (ε/ε_s)²). Its ends are clamped, which a law so far from linear feels in its middle,
/// too, unless ν is 0.
pub fn stiffened(strain: f32, poisson_ratio: f32) -> f64 {
    let desc = MaterialDesc { stiffening_strain: 0.1.into(), ..flesh(1e5, poisson_ratio) };
    let found = pulled([6, 6], &desc, strain);
    found.stress / (1e5 * found.strain * (1.0 + (found.strain / 0.1).powi(2)))
}

/// Stress of a bar that yields, drawn by 10 %, and the strain that is left of it when it is let go, both over theory:
///
/// ```text
/// T = σ_Y + H α,   1 + ε = (1 + T/E) e^α,   σ = T e^−α on the section that it had at rest
/// ```
pub fn yielded() -> [f64; 2] {
    let (e, limit, hardening) = (1e5f32, 2e3f32, 2e4f32);
    let desc = MaterialDesc {
        yield_stress: limit.into(),
        hardening_modulus: hardening.into(),
        ..flesh(e, 0.3)
    };
    let found = pulled([6, 6], &desc, 0.1);
    let [e, limit, hardening] = [e, limit, hardening].map(f64::from);
    let stress = |alpha: f64| limit + hardening * alpha;
    let (mut low, mut high) = (0.0f64, 0.2);
    for _ in 0..60 {
        let alpha = 0.5 * (low + high);
        let long = (1.0 + stress(alpha) / e) * alpha.exp() > 1.0 + found.strain;
        *(if long { &mut high } else { &mut low }) = alpha;
    }
    [found.stress / (stress(low) * (-low).exp()), found.left / low.exp_m1()]
}

/// A block all of whose particles are carried to where a linear map has them, each by a grip of its own.
pub fn mapped(counts: [usize; 3], jitter: f32, desc: &MaterialDesc, map: Mat3) -> (World, BodyId) {
    let spacing = 0.05;
    let mut world = World::new(config(1)).unwrap();
    let id = world.spawn(shaken(counts, spacing, jitter, desc)).unwrap();
    world.apply_commands();
    for x in world.body(id).unwrap().rest_positions().to_vec() {
        let x = Vec3::from(x);
        let [min, max] = [-0.01, 0.01].map(|side| (x + Vec3::splat(side * spacing)).to_array());
        let way = map * x - x;
        let key =
            |time: f64, share: f32| MoveKey { time, offset: (share * way).into(), angle: 0.0 };
        let keys = vec![key(0.0, 0.0), key(0.4, 1.0)];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
        world.grip(grip_box(id, min, max, motion)).unwrap();
    }
    for _ in 0..100 {
        world.step(FRAME);
    }
    (world, id)
}

/// Largest difference of a principal strain of any particle from that of the linear map that carries them all.
pub fn field_error(jitter: f32, map: Mat3) -> f64 {
    let (world, id) = mapped([7, 6, 5], jitter, &flesh(1e5, 0.3), map);
    let squared = fracas::math::Sym3::from_mat3(&(map.transpose() * map));
    let wanted = log_stretches(symmetric_eigen(&squared).0.map(f32::sqrt)).value;
    let strains = world.body(id).unwrap().strains();
    let off = |e: &[f32; 3]| (0..3).map(|k| (e[k] - wanted[k]).abs()).fold(0.0, f32::max);
    strains.iter().map(off).fold(0.0, f32::max).into()
}

/// Sag of the end row of a cantilever of so many particles across and four times as many along under its weight, over that of one of corotated tetrahedra as large, with
/// as many layers.
pub fn cantilever(across: usize) -> f64 {
    let (along, spacing, e, density) = (4 * across, 0.25 / across as f32, 1e7, 1000.0);
    let gravity = [0.0, -9.81, 0.0];
    let desc = MaterialDesc { damping_time: 0.1.into(), ..flesh(e, 0.3) };
    let mut world = World::new(WorldConfig { gravity, ..config(2) }).unwrap();
    let id = world.spawn(block([along, across, across], spacing, &desc)).unwrap();
    let end = 0.5 * (along as f32 - 1.0) * spacing;
    hold(&mut world, id, [-FAR, -end + 0.1 * spacing], GripMotion::Hold);
    // it swings at 4 Hz about where it would rest: the mean over 2 s, of weights that leave no swing in it
    let (mut sag, mut all) = (0.0, 0.0);
    for k in 0..400 {
        world.step(FRAME);
        let x = positions(world.body(id).unwrap());
        let last = &x[x.len() - across * across..];
        let weight = (std::f64::consts::PI * (f64::from(k) + 0.5) / 400.0).sin().powi(2);
        sag -= weight * last.iter().map(|x| x.y).sum::<f64>() / last.len() as f64;
        all += weight;
    }
    let sag = sag / all;

    // from the middle of the held row to the free end
    let cell = [(along as f32 - 0.5) / along as f32 * spacing, spacing, spacing];
    let shape = tets::block([along, across, across], cell);
    let rest = shape.vertices.clone();
    let config = WorldConfig { gravity, substeps: 1, sweeps: 32, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let id = world.spawn(tets::body(shape, tets::elastic(density, e, 0.3))).unwrap();
    tets::hold_start(&mut world, id, 1e-6);
    for _ in 0..120 {
        world.step(1.0 / 60.0);
    }
    let now = positions(world.body(id).unwrap());
    let section = |column: usize| {
        let per = (across + 1) * (across + 1);
        let places = column * per..(column + 1) * per;
        let sum: f64 = places.map(|k| f64::from(rest[k][1]) - now[k].y).sum();
        sum / per as f64
    };
    // half a spacing before its end, as the last row of particles
    let share = f64::from(0.5 * spacing / cell[0]);
    let wanted = (1.0 - share) * section(along) + share * section(along - 1);
    sag / wanted
}

/// Angle of a fibre that was upright, off the upright, in a block of simple shear 1, in degrees: how far from 45° at worst.
pub fn sheared_fibre() -> f64 {
    let mut desc = MaterialDesc { fibre_influence: 0.1.into(), ..flesh(1e5, 0.3) };
    desc.grain.direction = [0.0, 1.0, 0.0].into();
    desc.grain.strength_ratio = 2.0.into();
    let map = Mat3::from_cols_array(&[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let (world, id) = mapped([8, 8, 4], 0.0, &desc, map);
    let fibres = world.body(id).unwrap().fibres();
    let off = |f: &[f32; 3]| (f64::from(f[0]).atan2(f64::from(f[1])).to_degrees() - 45.0).abs();
    if fibres.is_empty() { f64::NAN } else { fibres.iter().map(off).fold(0.0, f64::max) }
}

/// Change of momentum and angular momentum of a noisy block that flies and spins for a second, over Σ m |v| and over what it had.
pub fn free_flight(threads: u32) -> ([f64; 2], u64) {
    free_flight_of([16, 8, 8], threads)
}

/// The same of a block of so many particles.
pub fn free_flight_of(counts: [usize; 3], threads: u32) -> ([f64; 2], u64) {
    let spacing = 0.05;
    let mut world =
        World::new(WorldConfig { momentum_correction: false, ..config(threads) }).unwrap();
    let mut desc = block(counts, spacing, &flesh(1e5, 0.3));
    desc.spin = [3.0, 1.0, 4.0];
    let id = world.spawn(desc).unwrap();
    world.apply_commands();
    let ids = world.body(id).unwrap().particle_ids().to_vec();
    for (k, &particle) in ids.iter().enumerate() {
        let phase = k as f32;
        let push = Vec3::new(phase.sin(), (1.7 * phase).cos(), (0.3 * phase).sin());
        let force = 0.3 * 1000.0 * spacing.powi(3) / FRAME * push;
        world.push(id, particle, force.to_array(), [0.0; 3]).unwrap();
    }
    world.step(FRAME);
    let motion = |world: &World| {
        let body = world.body(id).unwrap();
        let (mut p, mut l, mut all) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        let velocities = body.pieces().iter().flat_map(|piece| body.velocities(piece));
        for ((x, v), &m) in body.world_positions().zip(velocities).zip(body.masses()) {
            let (x, v) = (DVec3::from(x), Vec3::from(*v).as_dvec3());
            p += f64::from(m) * v;
            l += f64::from(m) * x.cross(v);
            all += f64::from(m) * v.length();
        }
        (p, l, all)
    };
    let (p, l, all) = motion(&world);
    for _ in 0..200 {
        world.step(FRAME);
    }
    let (p1, l1, _) = motion(&world);
    ([p1.distance(p) / all, l1.distance(l) / l.length()], world.hash())
}

/// Largest part of a checkerboard in the positions of a block, over the spacing, over 10 s after it got one of 0.05 m/s.
pub fn hourglass() -> f64 {
    let (counts, spacing) = ([16, 8, 8], 0.05);
    let mut world = World::new(config(2)).unwrap();
    let id = world.spawn(block(counts, spacing, &flesh(1e5, 0.3))).unwrap();
    world.apply_commands();
    let signs: Vec<f32> = (0..counts.iter().product::<usize>())
        .map(|k| k / 64 + k / 8 % 8 + k % 8)
        .map(|sum| if sum % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    let ids = world.body(id).unwrap().particle_ids().to_vec();
    for (&particle, sign) in ids.iter().zip(&signs) {
        let force = sign * 0.05 * 1000.0 * spacing.powi(3) / FRAME;
        world.push(id, particle, [force, 0.0, 0.0], [0.0; 3]).unwrap();
    }
    let mut worst = 0.0f64;
    for _ in 0..2000 {
        world.step(FRAME);
        let x = positions(world.body(id).unwrap());
        let part: f64 = x.iter().zip(&signs).map(|(x, s)| x.x * f64::from(*s)).sum();
        worst = worst.max(part.abs() / x.len() as f64 / f64::from(spacing));
    }
    worst
}

/// Largest mean stress of a bar that is drawn ever longer until it tears, over its strength, and the time from there to a tenth of it, in ms. It is
/// drawn to 4 % within 2 s and then slowly, so that waves along it do not load it.
pub fn ramped_bar(across: usize, poisson_ratio: f32, jitter: f32) -> [f64; 2] {
    ramped(across, jitter, &flesh(1e5, poisson_ratio))
}

/// The same of a bar of a given material, whose strength is that along its fibres.
pub fn ramped(across: usize, jitter: f32, desc: &MaterialDesc) -> [f64; 2] {
    let spacing = 0.2 / across as f32;
    let along = 10 * across;
    let strength = 5e3f32;
    let desc = MaterialDesc {
        strength: uneven(strength, 0.02, spacing),
        tear_rigidity: 0.85.into(),
        damping_time: 0.2.into(),
        ..desc.clone()
    };
    let mut world = World::new(config(2)).unwrap();
    let id = world.spawn(shaken([along, across, across], spacing, jitter, &desc)).unwrap();
    let end = (0.5 * along as f32 - 2.0) * spacing;
    let still = hold(&mut world, id, [-FAR, -end], GripMotion::Hold);
    let key = |time: f64, strain: f32| MoveKey {
        time,
        offset: [strain * 2.0 * end, 0.0, 0.0],
        angle: 0.0,
    };
    let keys = vec![key(0.0, 0.0), key(2.0, 0.04), key(6.0, 0.065)];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
    let grips = [still, hold(&mut world, id, [end, FAR], motion)];
    let area = 0.04;
    let (mut peak, mut at, mut now) = (0.0f64, 0.0, 0.0);
    for _ in 0..1200 {
        world.step(FRAME);
        now += f64::from(FRAME);
        // of both ends, since the tear may be beside one
        let pulls = grips.map(|grip| world.reaction(grip).unwrap().force[0].abs());
        let stress = 0.5 * (pulls[0] + pulls[1]) / area / f64::from(strength);
        if stress > peak {
            (peak, at) = (stress, now);
        }
        if stress < 0.1 * peak && now > 1.0 {
            break;
        }
    }
    [peak, 1e3 * (now - at)]
}

/// A coarse slab after 1 s, with weak places where a seed has them: of its damaged pairs, those that still see each other.
pub fn half_visible_of(rigidity: f32, seed: u64) -> f64 {
    let desc = MaterialDesc { strength: uneven(20e3, 0.05, 0.1), ..Slab::flesh(1e5, rigidity) };
    let mut slab = Slab::of_seed(2, [25, 24, 5], &desc, seed);
    let bonds = slab.body().bond_count();
    for _ in 0..200 {
        slab.world.step(FRAME);
    }
    let cut = bonds - slab.body().bond_count();
    let seen = slab.body().meshless().unwrap().opacities().filter(|(_, a)| *a > 0.02).count();
    seen as f64 / (seen + cut) as f64
}

/// Rank correlation of γ with the share of half-visible among damaged pairs, over five values and so many seeds.
pub fn cleanness(seeds: u64) -> f64 {
    let mut all = Vec::new();
    for seed in 0..seeds {
        let of = |rigidity: f32| [f64::from(rigidity), half_visible_of(rigidity, seed)];
        all.extend([0.1, 0.3, 0.5, 0.7, 0.95].map(of));
    }
    rank_correlation(&all)
}

/// Spearman's, with mean ranks of what is equal.
pub fn rank_correlation(pairs: &[[f64; 2]]) -> f64 {
    let ranks = |k: usize| -> Vec<f64> {
        let rank = |x: f64| {
            let below = pairs.iter().filter(|p| p[k] < x).count();
            let equal = pairs.iter().filter(|p| p[k] == x).count();
            below as f64 + 0.5 * (equal as f64 - 1.0)
        };
        let middle = 0.5 * (pairs.len() as f64 - 1.0);
        pairs.iter().map(|p| rank(p[k]) - middle).collect()
    };
    let (x, y) = (ranks(0), ranks(1));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt()
}

/// Speeds of peels, m/s, and ε̇₀ of what they tear, 1/s.
pub const PEELS: [f32; 5] = [0.02, 0.05, 0.1, 0.2, 0.5];
pub const RATE: f32 = 0.3;

/// Angle of the tear that a notched sheet opens when its upper and lower edge are drawn apart, in degrees; its fibres are at 45°. `influence` is
/// β₀, none if there are no fibres; `speed` is that of each edge, in m/s, and the rate counts unless its reference is infinite. Points are shaken a
/// little: along the rows of a lattice tears run at 0°, 27° and 45° and at little between.
pub fn peel(influence: Option<f32>, rate_reference: f32, speed: f32) -> f64 {
    let (counts, spacing) = ([44, 36, 3], 0.05f32);
    let mut desc = MaterialDesc {
        strength: uneven(8e3, 0.02, spacing),
        tear_rigidity: 0.9.into(),
        damping_time: 0.1.into(),
        fibre_influence: influence.unwrap_or(1.0).into(),
        rate_reference: rate_reference.into(),
        ..flesh(1e5, 0.3)
    };
    desc.grain.direction = [1.0, 1.0, 0.0].into();
    let mut world = World::new(config(2)).unwrap();
    let id = world.spawn(shaken(counts, spacing, 0.05, &desc)).unwrap();
    world.apply_commands();
    // half way in from the left
    let tip = -0.25;
    let rest: std::collections::BTreeMap<_, _> = {
        let body = world.body(id).unwrap();
        let places = body.rest_positions().iter().map(|x| Vec3::from(*x));
        body.particle_ids().iter().copied().zip(places).collect()
    };
    let bonds: Vec<_> = world.body(id).unwrap().bonds().collect();
    for [a, b] in bonds {
        let (x, y) = (rest[&a], rest[&b]);
        if (x.y > 0.0) != (y.y > 0.0) && 0.5 * (x.x + y.x) < tip {
            world.cut(id, a, b).unwrap();
        }
    }
    let top = (0.5 * counts[1] as f32 - 1.5) * spacing;
    for (low, high, sign) in [(top, FAR, 1.0), (-FAR, -top, -1.0)] {
        let key = |time: f64| MoveKey {
            time,
            offset: [0.0, sign * speed * time as f32, 0.0],
            angle: 0.0,
        };
        let keys = vec![key(0.0), key(20.0)];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
        world.grip(grip_box(id, [-FAR, low, -FAR], [FAR, high, FAR], motion)).unwrap();
    }
    world.step(FRAME);
    let steps = (0.5 / speed / FRAME) as usize;
    let mut path = Vec::new();
    for _ in 0..steps.max(100) {
        world.step(FRAME);
        for [a, b] in &world.body(id).unwrap().changes().bonds_cut {
            let middle = 0.5 * (rest[a] + rest[b]) - Vec3::new(tip, 0.0, 0.0);
            if middle.x > 1.5 * spacing && middle.truncate().length() < 0.6 {
                path.push(middle);
            }
        }
        if path.iter().any(|x| x.truncate().length() > 0.55) {
            break;
        }
    }
    // the line through the tip that is nearest to them
    let (xx, xy, yy) = path.iter().fold((0.0, 0.0, 0.0), |(xx, xy, yy), p| {
        (xx + f64::from(p.x * p.x), xy + f64::from(p.x * p.y), yy + f64::from(p.y * p.y))
    });
    if path.is_empty() { f64::NAN } else { 0.5 * (2.0 * xy).atan2(xx - yy).to_degrees() }
}

/// The slab of 002 fig. 4.1: 24,000 particles that hang by both upper corners and tear by their weight.
pub struct Slab {
    pub world: World,
    pub id: BodyId,
    pub counts: [usize; 3],
}

impl Slab {
    pub fn new(threads: u32, counts: [usize; 3], desc: &MaterialDesc) -> Self {
        Self::of_seed(threads, counts, desc, 0)
    }

    pub fn of_seed(threads: u32, counts: [usize; 3], desc: &MaterialDesc, seed: u64) -> Self {
        let spacing = 2.5 / counts[0] as f32;
        let gravity = [0.0, -9.81, 0.0];
        let mut world = World::new(WorldConfig { gravity, ..config(threads) }).unwrap();
        let body = BodyDesc { seed, ..block(counts, spacing, desc) };
        let id = world.spawn(body).unwrap();
        let top = (0.5 * counts[1] as f32 - 2.0) * spacing;
        let inner = 0.3 * 2.5;
        for [low, high] in [[-FAR, -inner], [inner, FAR]] {
            let held = grip_box(id, [low, top, -FAR], [high, FAR, FAR], GripMotion::Hold);
            world.grip(held).unwrap();
        }
        world.apply_commands();
        Self { world, id, counts }
    }

    /// Flesh that its weight tears.
    pub fn flesh(modulus: f32, rigidity: f32) -> MaterialDesc {
        MaterialDesc {
            strength: uneven(22e3, 0.05, 0.05),
            tear_rigidity: rigidity.into(),
            damping_time: 2.0.into(),
            ..flesh(modulus, 0.3)
        }
    }

    pub fn body(&self) -> &Body {
        self.world.body(self.id).unwrap()
    }

    /// Share of the particles that are in pieces of at most three.
    pub fn dust(&self) -> f64 {
        let small = self.body().pieces().iter().map(|piece| piece.particle_count());
        let dust: usize = small.filter(|&count| count <= 3).sum();
        dust as f64 / self.body().particle_count() as f64
    }

    /// Largest speed, m/s.
    pub fn fastest(&self) -> f32 {
        let body = self.body();
        let all = body.pieces().iter().flat_map(|piece| body.velocities(piece));
        all.map(|v| Vec3::from(*v).length()).fold(0.0, f32::max)
    }
}
