//! Bodies of every model that a blade cuts, and what a cut must leave as it was.
#![allow(dead_code, reason = "each test file uses some of it")]

use fracas::geometry::Convex;
use fracas::glam::{DVec3, Vec3};
use fracas::material::{Material, MaterialDesc, presets};
use fracas::solids::brittle::BrittleOptions;
use fracas::solids::fem::{TetOptions, TetShape};
use fracas::solids::meshless::{MeshlessPoint, MeshlessShape};
use fracas::solids::oriented::{OrientedPoint, OrientedShape};
use fracas::solids::sheet::SheetShape;
use fracas::world::{Body, BodyDesc, BodyId, ShapeDesc, World, WorldConfig};
use std::collections::BTreeMap;

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

pub const KINDS: [Kind; 6] =
    [Kind::Oriented, Kind::Meshless, Kind::Corotated, Kind::Brittle, Kind::Remeshed, Kind::Sheet];

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Oriented => "oriented",
            Self::Meshless => "meshless",
            Self::Corotated => "corotated",
            Self::Brittle => "brittle",
            Self::Remeshed => "brittle, remeshed",
            Self::Sheet => "sheet",
        }
    }
}

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
    Material::try_from(&MaterialDesc {
        strength: f32::INFINITY.into(),
        toughness: f32::INFINITY.into(),
        ..desc
    })
    .unwrap()
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
    let mut shape =
        OrientedShape { points: positions.iter().map(point).collect(), ..OrientedShape::default() };
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
    let mut shake = || 0.15 * spacing * random.point().as_vec3();
    let shaken = |x: [f32; 3]| {
        let inside = (0..3).all(|a| x[a].abs() < half[a]);
        if inside { (Vec3::from(x) + shake()).to_array() } else { x }
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
    World::new(WorldConfig { gravity: [0.0; 3], substeps: 2, threads, ..WorldConfig::default() })
        .unwrap()
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

/// A plane through a point, as a stroke that passes all of a block.
pub fn whole_plane(point: DVec3, normal: DVec3) -> [[[f64; 3]; 2]; 2] {
    let along = normal.any_orthonormal_vector();
    let way = normal.cross(along);
    let ends = |share: f64| [point - along + share * way, point + along + share * way];
    [ends(-1.0), ends(1.0)].map(|ends| ends.map(|end| end.to_array()))
}

/// How a block that was cut in two by a plane is off.
#[derive(Clone, Copy, Debug)]
pub struct Halves {
    pub pieces: usize,
    /// Of the heavier piece, of the mass of the block.
    pub off: f64,
}

/// Cuts a block by a plane that passes near its middle.
pub fn halves(kind: Kind, seed: u64) -> Halves {
    let mut random = Random(seed);
    let mut world = weightless(1);
    let id = spawn(&mut world, kind);
    let point = 0.03 * random.point();
    // a sheet lies in the plane across y
    let tilt = if kind == Kind::Sheet { DVec3::new(1.0, 0.3, 1.0) } else { DVec3::ONE };
    let normal = (random.point() * tilt).normalize_or(DVec3::X);
    let [from, to] = whole_plane(point, normal);
    world.slice(from, to, None).unwrap();
    world.apply_commands();
    world.validate();
    let masses = pieces(world.body(id).unwrap());
    let share =
        if kind == Kind::Sheet { below_in_sheet(point, normal) } else { below(point, normal) };
    let truth = share.max(1.0 - share);
    Halves { pieces: masses.len(), off: (masses[0] / masses.iter().sum::<f64>() - truth).abs() }
}

/// Share of the block below a plane.
fn below(point: DVec3, normal: DVec3) -> f64 {
    let block = Convex::block(DVec3::new(0.15, 0.1, 0.1)).unwrap();
    let (part, _) = block.cut(normal, normal.dot(point));
    part.map_or(0.0, |part| part.volume()) / block.volume()
}

/// Share of the sheet below a plane, by corners of what is left of a rectangle.
fn below_in_sheet(point: DVec3, normal: DVec3) -> f64 {
    let corners = [[-0.15, -0.1], [0.15, -0.1], [0.15, 0.1], [-0.15, 0.1]];
    let corners = corners.map(|[x, z]| DVec3::new(x, 0.0, z));
    let height = |x: DVec3| normal.dot(x - point);
    let mut left = Vec::new();
    for k in 0..4 {
        let [a, b] = [corners[k], corners[(k + 1) % 4]];
        let [h, g] = [a, b].map(height);
        if h < 0.0 {
            left.push(a);
        }
        if (h < 0.0) != (g < 0.0) {
            left.push(a.lerp(b, h / (h - g)));
        }
    }
    let across = |k: usize| left[k].cross(left[(k + 1) % left.len()]).y;
    0.5 * (0..left.len()).map(across).sum::<f64>().abs() / (0.3 * 0.2)
}

/// Cuts a block so many times at random: its smallest angle, and whether its surface is closed.
pub fn after_strokes(kind: Kind, count: usize) -> (f64, bool) {
    let mut random = Random(0x0bad_5eed_1234_5679);
    let mut world = weightless(1);
    let id = spawn(&mut world, kind);
    for _ in 0..count {
        let [from, to] = stroke(&mut random);
        world.slice(from, to, None).unwrap();
        world.apply_commands();
    }
    let body = world.body(id).unwrap();
    (smallest_angle(body), is_closed(body))
}

/// The surface of its tetrahedra is closed: every edge of faces without a neighbour is passed once either way as often.
pub fn is_closed(body: &Body) -> bool {
    let mut faces: BTreeMap<[u32; 3], Vec<[u32; 3]>> = BTreeMap::new();
    for &[a, b, c, d] in body.tets() {
        for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
            let mut key = face;
            key.sort_unstable();
            faces.entry(key).or_default().push(face);
        }
    }
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for sides in faces.values().filter(|sides| sides.len() == 1) {
        for k in 0..3 {
            let (from, to) = (sides[0][k], sides[0][(k + 1) % 3]);
            *edges.entry((from.min(to), from.max(to))).or_default() +=
                if from < to { 1 } else { -1 };
        }
    }
    faces.values().all(|sides| sides.len() <= 2) && edges.values().all(|&n| n == 0)
}

/// The smallest angle at rest: between faces of tetrahedra, or sides of triangles, in degrees.
pub fn smallest_angle(body: &Body) -> f64 {
    let at = |v: u32| Vec3::from(body.rest_positions()[v as usize]).as_dvec3();
    let mut least = f64::INFINITY;
    for tet in body.tets() {
        let p = tet.map(at);
        for [i, j, k, l] in
            [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]]
        {
            let axis = (p[j] - p[i]).normalize();
            let [a, b] = [p[k] - p[i], p[l] - p[i]].map(|x| x - axis * axis.dot(x));
            least = least.min(a.angle_between(b));
        }
    }
    for triangle in body.sheet() {
        let p = triangle.map(at);
        for k in 0..3 {
            let [a, b] = [p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]];
            least = least.min(a.angle_between(b));
        }
    }
    least.to_degrees()
}
