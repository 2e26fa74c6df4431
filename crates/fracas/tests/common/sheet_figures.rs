//! What sheets do, as figures: for the tests of the engine and the table of what it shows.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use super::FRAME;
use super::sheets::{STIFF, Stuff, body, config, grid, pull, rectangle};
use fracas::glam::DVec3;
use fracas::solids::sheet::SheetShape;
use fracas::world::{GripDesc, GripMotion, MoveKey, Region};
use fracas::{BodyId, World, WorldConfig};

const G: f64 = 9.81;

/// Places of particles in the world beside those at rest, (u, v) in the rest plane.
fn places(world: &World, id: BodyId) -> Vec<([f64; 2], [f64; 3])> {
    let body = world.body(id).unwrap();
    let rest = body.rest_positions().iter().map(|r| [f64::from(r[0]), -f64::from(r[2])]);
    rest.zip(body.world_positions()).collect()
}

/// E and ν that a strip pulled at both ends shows in its middle, over those that it has.
pub fn pulled_strip() -> [f64; 2] {
    let stuff = Stuff { modulus: 1e7, thickness: 1e-3, ..STIFF };
    let mut world = World::new(config(0.0)).unwrap();
    let id = world.spawn(body(rectangle([0.2, 0.8], 0.02, 20.0, 0.3), stuff)).unwrap();
    // 0.1 % of stretch: Green's strain is 0.15 % off there
    let grip = pull(&mut world, id, [-1.0, -0.4 + 1e-4], 0.0);
    pull(&mut world, id, [0.4 - 1e-4, 1.0], 8e-4);
    for _ in 0..60 {
        world.step(FRAME);
    }
    let force = world.reaction(grip).unwrap().force[2];
    // slopes of places over rest, a strip's width from the ends
    let all = places(&world, id);
    let slope = |axis: usize, of: &dyn Fn(&[f64; 3]) -> f64| {
        let middle = all.iter().filter(|(rest, _)| rest[1].abs() < 0.2);
        let (mut xx, mut xy) = (0.0, 0.0);
        for (rest, x) in middle {
            xx += rest[axis] * rest[axis];
            xy += rest[axis] * of(x);
        }
        xy / xx - 1.0
    };
    let along = slope(1, &|x| -x[2]);
    let across = slope(0, &|x| x[0]);
    let modulus = force / f64::from(stuff.thickness * 0.2) / along;
    [modulus / f64::from(stuff.modulus), -across / along / f64::from(stuff.poisson)]
}

/// How far the end of a sheet that sticks out hangs down, over that of the elastica under its own weight.
pub fn sticking_out() -> f64 {
    let (length, spacing) = (20.5 * 0.004, 0.004);
    let stuff = Stuff { poisson: 0.0, bending: 1.25e-4, ..STIFF };
    let mut world = World::new(config(-G as f32)).unwrap();
    let id = world.spawn(body(grid([21, 10], spacing as f32), stuff)).unwrap();
    // two columns, so that it is clamped: F is that of the middle between them, from where on it is bent
    let inf = f32::INFINITY;
    let start = -0.5 * 21.0 * spacing as f32;
    let region = Region::Box { min: [-inf; 3], max: [start + 1.1 * spacing as f32, inf, inf] };
    let motion = GripMotion::Hold;
    world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    for _ in 0..600 {
        world.step(FRAME);
    }
    let end = places(&world, id).into_iter().filter(|(rest, _)| rest[0] > -f64::from(start) - 1e-4);
    let (sum, count) = end.fold((0.0, 0.0), |(sum, n), (_, x)| (sum - x[1], n + 1.0));
    let weight = f64::from(stuff.density * stuff.thickness) * G;
    sum / count / heavy_elastica(length, weight / f64::from(stuff.bending))
}

/// Drop of the end of an elastica under its weight: θ″ = −(w/D) (L − s) cos θ, θ(0) = 0, θ′(L) = 0, by shooting.
fn heavy_elastica(length: f64, load: f64) -> f64 {
    let steps = 2000;
    let ds = length / f64::from(steps);
    // curvature at the end, and the drop, for a curvature at the start
    let shoot = |start: f64| {
        let (mut angle, mut curvature, mut drop) = (0.0f64, start, 0.0);
        for k in 0..steps {
            let s = (f64::from(k) + 0.5) * ds;
            let middle = angle + 0.5 * ds * curvature;
            curvature -= ds * load * (length - s) * middle.cos();
            drop += ds * middle.sin();
            angle = middle + 0.5 * ds * curvature;
        }
        (curvature, drop)
    };
    let (mut low, mut high) = (0.0, 2.0 * load * length * length);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if shoot(middle).0 > 0.0 { high = middle } else { low = middle }
    }
    shoot(low).1
}

/// A tear through a notched strip.
#[derive(Clone, Debug, Default)]
pub struct NotchTear {
    /// Angle of the line through the tear against the notch, in degrees.
    pub angle: f64,
    /// Root mean square of its way off that line, in edges.
    pub roughness: f64,
    /// Force at the grips when it first ran, N.
    pub force: f64,
    /// Pieces in the end.
    pub pieces: usize,
    /// Triangles in the end over those at the start.
    pub triangles: f64,
    /// Frames from the first hop to the last.
    pub frames: usize,
    /// Mass in the end over that at the start, and the rest area, less 1.
    pub kept: [f64; 2],
    /// Hash of the world in the end.
    pub hash: u64,
    /// Solves that did not converge.
    pub unconverged: u64,
}

/// Paper of 10 × 15 cm, notched by a quarter from the left and pulled apart at 2 cm/s, until it is in two.
pub fn notched_strip(turn: f64, shaken: f64, threads: u32) -> NotchTear {
    let (width, height, cells) = (0.1, 0.15, 30.0);
    let edge = width / cells;
    let mut shape = rectangle([width, height], edge, turn, shaken);
    shape.cuts = vec![[[-0.05, 0.0], [-0.025, 0.0]]];
    tear_strip(shape, edge, threads)
}

pub const PAPER: Stuff = Stuff { strength: 1e9, toughness: 3e6, ..STIFF };

pub fn tear_strip(shape: SheetShape, edge: f64, threads: u32) -> NotchTear {
    let height = shape.vertices.iter().map(|p| p[1]).fold(0.0, f32::max);
    let mut world = World::new(WorldConfig { threads, ..config(0.0) }).unwrap();
    let id = world.spawn(body(shape, PAPER)).unwrap();
    let low = pull(&mut world, id, [-1.0, -height + 1e-5], 0.0);
    pull(&mut world, id, [height - 1e-5, 1.0], 0.02);
    let area = |world: &World| world.body(id).unwrap().rest_area();
    let (mass, whole) = (world.body(id).unwrap().mass(), area(&world));
    let start = world.body(id).unwrap().triangle_count() as f64;
    let mut tear = NotchTear::default();
    let mut path: Vec<[f64; 2]> = Vec::new();
    let mut force = 0.0;
    for _ in 0..400 {
        let report = world.step(FRAME);
        tear.unconverged += report.unconverged;
        let found = world.body(id).unwrap();
        found.validate();
        for opened in &found.changes().opened {
            path.push([opened.position.x, -opened.position.z]);
            tear.force = if path.len() == 1 { force } else { tear.force };
        }
        tear.frames += usize::from(!path.is_empty());
        force = world.reaction(low).unwrap().force[2];
        if found.pieces().len() > 1 {
            break;
        }
    }
    // without the last tenth, where what is left bends
    let path: Vec<_> = path.into_iter().filter(|p| p[0] < 0.04).collect();
    let count = path.len() as f64;
    let mean = |k: usize| path.iter().map(|p| p[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let (mut xx, mut xy) = (0.0, 0.0);
    for p in &path {
        xx += (p[0] - x) * (p[0] - x);
        xy += (p[0] - x) * (p[1] - y);
    }
    let slope = xy / xx;
    let off = path.iter().map(|p| (p[1] - y - slope * (p[0] - x)).powi(2)).sum::<f64>() / count;
    let end = world.body(id).unwrap();
    NotchTear {
        angle: slope.atan().to_degrees(),
        roughness: off.sqrt() / edge,
        pieces: end.pieces().len(),
        triangles: end.triangle_count() as f64 / start,
        kept: [end.mass() / mass - 1.0, area(&world) / whole - 1.0],
        hash: world.hash(),
        ..tear
    }
}

/// A crack in the middle of a plate that is pulled.
#[derive(Clone, Debug, Default)]
pub struct CentreCrack {
    /// K_I and K_II of its tips over σ √(πa), σ that of the grips.
    pub intensity: Vec<[f64; 2]>,
    /// What the width of the plate adds to K_I: √sec(πa/W).
    pub width: f64,
}

impl CentreCrack {
    /// The angle by which its tips would turn, in degrees, by the largest hoop stress.
    pub fn kinks(&self) -> Vec<f64> {
        let of = |&[one, two]: &[f64; 2]| {
            let half = (one - (one * one + 8.0 * two * two).sqrt()) / (4.0 * two);
            (2.0 * half.atan()).to_degrees()
        };
        self.intensity.iter().map(of).collect()
    }
}

/// With half its length in edges, the angle between crack and pull, and the mesh turned, in degrees.
pub fn centre_crack(edges: f64, angle: f64, turn: f64) -> CentreCrack {
    let edge = 0.004;
    let half = edges * edge;
    let (width, height) = (6.6 * half, 8.0 * half);
    let mut shape = rectangle([width, height], edge, turn, 0.3);
    let (sin, cos) = angle.to_radians().sin_cos();
    let end = [(half * sin) as f32, (half * cos) as f32];
    shape.cuts = vec![[[0.0; 2], end], [[0.0; 2], end.map(|x| -x)]];
    // without sideways contraction grips leave the stress as it is
    let stuff = Stuff { toughness: 1e12, poisson: 0.0, ..PAPER };
    let mut world = World::new(config(0.0)).unwrap();
    let id = world.spawn(body(shape, stuff)).unwrap();
    let reach = 0.5 * height as f32 - 1e-5;
    let grip = pull(&mut world, id, [-1.0, -reach], 0.0);
    pull(&mut world, id, [reach, 1.0], 2e-4);
    for _ in 0..30 {
        world.step(FRAME);
    }
    let tips = world.body(id).unwrap().crack_tips();
    let length = tips.iter().map(|t| t.place[0].hypot(t.place[1])).sum::<f64>() / 2.0;
    let stress = world.reaction(grip).unwrap().force[2] / f64::from(stuff.thickness) / width;
    let unit = stress * (std::f64::consts::PI * length).sqrt();
    let added = (1.0 / (std::f64::consts::PI * length / width).cos()).sqrt();
    let intensity = tips.iter().map(|tip| tip.intensity.map(|k| k / unit)).collect();
    CentreCrack { intensity, width: added }
}

/// Edges of a sheet that go through triangles of it, by looking at all of them.
pub fn crossings(world: &World, id: BodyId) -> usize {
    let body = world.body(id).unwrap();
    let x: Vec<DVec3> = body.world_positions().map(DVec3::from).collect();
    let mut found = 0;
    for triangle in body.sheet() {
        let [a, b, c] = triangle.map(|v| x[v as usize]);
        let normal = (b - a).cross(c - a);
        for edges in body.sheet() {
            for (p, q) in [(edges[0], edges[1]), (edges[1], edges[2]), (edges[2], edges[0])] {
                if p > q || triangle.contains(&p) || triangle.contains(&q) {
                    continue;
                }
                let (p, q) = (x[p as usize], x[q as usize]);
                let (above, below) = (normal.dot(p - a), normal.dot(q - a));
                if (above > 0.0) == (below > 0.0) {
                    continue;
                }
                let at = p + above / (above - below) * (q - p);
                let inside = |s: DVec3, t: DVec3| normal.dot((t - s).cross(at - s)) > 0.0;
                found += usize::from(inside(a, b) && inside(b, c) && inside(c, a));
            }
        }
    }
    found
}

/// A tear that a hand makes in a sheet held at its border.
#[derive(Clone, Debug, Default)]
pub struct Dragged {
    /// Edges that opened.
    pub opened: usize,
    /// Ends of cracks that are left.
    pub tips: usize,
    /// Largest K_I of those over the toughness.
    pub overload: f64,
}

/// The sheet of the scene of that name: thin rubber of half a metre, held at its border and dragged up beside its middle for so many frames.
pub fn dragged_sheet(frames: usize) -> Dragged {
    let stuff = Stuff {
        density: 1000.0,
        modulus: 2e6,
        poisson: 0.4,
        thickness: 1e-3,
        bending: 2e-4,
        strength: 6e5,
        toughness: 3e4,
    };
    let mut world = World::new(WorldConfig { substeps: 2, ..config(-G as f32) }).unwrap();
    let cell = 0.5 / 24.0;
    let id = world.spawn(body(grid([24, 24], cell), stuff)).unwrap();
    let inf = f32::INFINITY;
    let mut grip = |min: [f32; 3], max: [f32; 3], motion: GripMotion| {
        let region = Region::Box { min, max };
        world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    };
    grip([-inf; 3], [-0.249, inf, inf], GripMotion::Hold);
    grip([0.249, -inf, -inf], [inf; 3], GripMotion::Hold);
    grip([-0.24, -inf, -inf], [0.24, inf, -0.249], GripMotion::Hold);
    grip([-0.24, -inf, 0.249], [0.24, inf, inf], GripMotion::Hold);
    let end = MoveKey { time: 3.0, offset: [0.05, 0.3, 0.02], angle: 0.0 };
    let keys = vec![MoveKey::default(), end];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
    grip([0.03, -inf, -0.05], [0.09, inf, 0.01], motion);
    let mut opened = 0;
    for _ in 0..frames {
        world.step(FRAME);
        opened += world.body(id).unwrap().changes().opened.len();
    }
    let tips = world.body(id).unwrap().crack_tips();
    let most = tips.iter().map(|tip| tip.intensity[0]).fold(0.0, f64::max);
    Dragged { opened, tips: tips.len(), overload: most / f64::from(stuff.toughness) }
}
