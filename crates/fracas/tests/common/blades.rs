//! Bodies of every model that a blade cuts, and what a cut must leave as it was.
#![allow(dead_code, reason = "each test file uses some of it")]

use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, MaterialDesc, presets};
use fracas::solids::brittle::BrittleOptions;
use fracas::solids::fem::{TetOptions, TetShape};
use fracas::solids::meshless::{MeshlessPoint, MeshlessShape};
use fracas::solids::oriented::{OrientedPoint, OrientedShape};
use fracas::solids::sheet::SheetShape;
use fracas::world::{Body, BodyDesc, BodyId, ShapeDesc, World, WorldConfig};

/// The models that are cut, each in the way that is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Oriented,
    Meshless,
    Corotated,
    Brittle,
    /// With tetrahedra that are split.
    Remeshed,
    Sheet,
}

pub const KINDS: [Kind; 6] = [
    Kind::Oriented,
    Kind::Meshless,
    Kind::Corotated,
    Kind::Brittle,
    Kind::Remeshed,
    Kind::Sheet,
];

/// The same numbers everywhere, from −1 to 1.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }
}

/// A block about the origin, of cells of 5 cm, six by four by four (a sheet of 24 by 16 of 1.25 cm), which nothing but a blade breaks.
pub fn block(kind: Kind) -> BodyDesc {
    let (shape, material) = match kind {
        Kind::Oriented => (ShapeDesc::Oriented(fragments()), of(1e6)),
        Kind::Meshless => (ShapeDesc::Meshless(points()), of(1e5)),
        Kind::Corotated => {
            let options = TetOptions::default();
            (ShapeDesc::Tets { shape: tets([6, 4, 4], 0.05), options }, of(1e6))
        }
        Kind::Brittle | Kind::Remeshed => {
            let remesh = kind == Kind::Remeshed;
            let options = BrittleOptions { remesh, ..BrittleOptions::default() };
            (ShapeDesc::Brittle { shape: tets([6, 4, 4], 0.05), options }, of(1e9))
        }
        Kind::Sheet => (ShapeDesc::Sheet(sheet([24, 16], 0.0125)), of(1e6)),
    };
    BodyDesc::new("block", shape, vec![material])
}

fn of(youngs_modulus: f32) -> Material {
    let desc = MaterialDesc {
        youngs_modulus: youngs_modulus.into(),
        thickness: 1e-3.into(),
        ..presets::rubber()
    };
    Material::try_from(&MaterialDesc { strength: f32::INFINITY.into(), toughness: f32::INFINITY.into(), ..desc }).unwrap()
}

fn cells(counts: [usize; 3], spacing: f32) -> Vec<[f32; 3]> {
    let mut places = Vec::new();
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                let at = [i, j, k];
                let place = |a: usize| (at[a] as f32 - 0.5 * (counts[a] - 1) as f32) * spacing;
                places.push([0, 1, 2].map(place));
            }
        }
    }
    places
}

fn fragments() -> OrientedShape {
    let spacing = 0.025f32;
    let positions = cells([12, 8, 8], spacing);
    let moment = spacing.powi(5) / 12.0;
    let point = |&position: &[f32; 3]| OrientedPoint {
        position,
        volume: spacing.powi(3),
        second_moment: [moment, moment, moment, 0.0, 0.0, 0.0],
        radii: [0.5 * spacing; 3],
        axes: [0.0, 0.0, 0.0, 1.0],
        material: 0,
    };
    let mut shape = OrientedShape { points: positions.iter().map(point).collect(), ..OrientedShape::default() };
    for (i, &a) in positions.iter().enumerate() {
        for (j, &b) in positions.iter().enumerate().skip(i + 1) {
            if Vec3::from(a).distance(Vec3::from(b)) < 1.5 * spacing {
                shape.bonds.push([i as u32, j as u32]);
            }
        }
    }
    shape
}

fn points() -> MeshlessShape {
    let spacing = 0.025f32;
    let point = |position| MeshlessPoint { position, volume: spacing.powi(3), material: 0 };
    let points = cells([12, 8, 8], spacing).into_iter().map(point).collect();
    MeshlessShape { points, ..MeshlessShape::default() }
}

/// Cells of six tetrahedra, vertices within off their places so that no plane goes along faces.
pub fn tets(counts: [usize; 3], spacing: f32) -> TetShape {
    let (vertices, tets) = super::blocks::block(counts, spacing);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let half = counts.map(|n| 0.5 * n as f32 * spacing - 0.1 * spacing);
    let mut shaken = |x: [f32; 3]| {
        let inside = (0..3).all(|a| x[a].abs() < half[a]);
        let shake = 0.15 * spacing * random.point().as_vec3();
        if inside { (Vec3::from(x) + shake).to_array() } else { x }
    };
    TetShape { vertices: vertices.into_iter().map(shaken).collect(), tets, ..TetShape::default() }
}

pub fn sheet(counts: [usize; 2], spacing: f32) -> SheetShape {
    super::sheets::grid(counts, spacing)
}

/// What a cut must leave as it was: mass, momentum, angular momentum about the origin of the world, and what was at rest.
pub fn motion(body: &Body) -> (f64, DVec3, DVec3) {
    let mut sum = (0.0, DVec3::ZERO, DVec3::ZERO);
    let velocities = body.pieces().iter().flat_map(|piece| body.velocities(piece));
    for ((x, v), &m) in body.world_positions().zip(velocities).zip(body.masses()) {
        let push = f64::from(m) * Vec3::from(*v).as_dvec3();
        sum.0 += f64::from(m);
        sum.1 += push;
        sum.2 += DVec3::from(x).cross(push);
    }
    sum
}

pub fn weightless(threads: u32) -> World {
    World::new(WorldConfig { gravity: [0.0; 3], substeps: 2, threads, ..WorldConfig::default() }).unwrap()
}

/// An edge that passes through a body somewhere, as long as 0.1 to 0.5 m.
pub fn stroke(random: &mut Random) -> [[[f64; 3]; 2]; 2] {
    let middle = random.point() * DVec3::new(0.15, 0.1, 0.1);
    let along = random.point().normalize_or(DVec3::X) * (0.15 + 0.1 * random.unit());
    let way = along.cross(random.point()).normalize_or(DVec3::Y) * (0.15 + 0.1 * random.unit());
    let twist = 0.02 * random.point();
    let from = [middle - along - way, middle + along - way];
    let to = [middle - along + way + twist, middle + along + way];
    [from, to].map(|ends| ends.map(|end| end.to_array()))
}

/// Masses of the pieces of a body, the heaviest first.
pub fn pieces(body: &Body) -> Vec<f64> {
    let mut at = 0;
    let mut masses: Vec<f64> = Vec::new();
    for piece in body.pieces() {
        let end = at + piece.particle_count();
        masses.push(body.masses()[at..end].iter().map(|&m| f64::from(m)).sum());
        at = end;
    }
    masses.sort_by(|a, b| b.total_cmp(a));
    masses
}

pub fn spawn(world: &mut World, kind: Kind) -> BodyId {
    let id = world.spawn(block(kind)).unwrap();
    world.apply_commands();
    id
}

/// What strokes have shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strokes {
    pub count: usize,
    /// Those that cut something.
    pub cuts: usize,
    /// Bodies that were cut, one after the other.
    pub bodies: usize,
    /// The most pieces of one.
    pub pieces: usize,
    /// By how much mass, momentum and angular momentum were off at most, of the first; momenta of what the mass would have at 1 m/s and 1 m.
    pub off: [f64; 3],
}

/// Cuts bodies of a model at random, that fly and turn, so many times; a fresh one after every `each` strokes. Checks all invariants after each.
pub fn strokes(kind: Kind, count: usize, each: usize, seed: u64) -> Strokes {
    let mut random = Random(seed);
    let mut found = Strokes { count, ..Strokes::default() };
    let mut world = weightless(1);
    let mut id = None;
    let mut before = (0.0, DVec3::ZERO, DVec3::ZERO);
    for k in 0..count {
        if k % each == 0 {
            world = weightless(1);
            let mut desc = block(kind);
            desc.velocity = (0.3 * random.point().as_vec3()).to_array();
            desc.spin = (0.5 * random.point().as_vec3()).to_array();
            let new = world.spawn(desc).unwrap();
            world.apply_commands();
            before = motion(world.body(new).unwrap());
            id = Some(new);
            found.bodies += 1;
        }
        let Some(id) = id else { continue };
        let [from, to] = stroke(&mut random);
        if world.slice(from, to, Some(id)).is_err() {
            continue;
        }
        let bonds = world.body(id).unwrap().changes().opened.len();
        world.apply_commands();
        world.validate();
        let body = world.body(id).unwrap();
        found.cuts += usize::from(body.changes().opened.len() > bonds);
        found.pieces = found.pieces.max(body.pieces().len());
        let now = motion(body);
        let off = [
            (now.0 / before.0 - 1.0).abs(),
            (now.1 - before.1).length() / before.0,
            (now.2 - before.2).length() / before.0,
        ];
        (0..3).for_each(|k| found.off[k] = found.off[k].max(off[k]));
    }
    found
}
