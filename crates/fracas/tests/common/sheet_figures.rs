//! What sheets do, as figures: for the tests of the engine and the table of what it shows.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use super::FRAME;
use super::sheets::{STIFF, Stuff, body, config, grid, pull, random, rectangle, rows_one_way};
use fracas::glam::{DVec2, DVec3};
use fracas::material::{Material, MaterialDesc};
use fracas::solids::sheet::remesh::Plane;
use fracas::solids::sheet::topology::CornerTable;
use fracas::solids::sheet::{Criterion, SheetOptions, SheetShape, TipTest};
use fracas::world::{
    BodyDesc, FieldDesc, FieldKind, GripDesc, GripMotion, MoveKey, Region, ShapeDesc, Zone,
};
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
    tear_strip_of(shape, edge, threads, PAPER.material())
}

fn tear_strip_of(shape: SheetShape, edge: f64, threads: u32, material: Material) -> NotchTear {
    let height = shape.vertices.iter().map(|p| p[1]).fold(0.0, f32::max);
    let mut world = World::new(WorldConfig { threads, ..config(0.0) }).unwrap();
    let desc = BodyDesc::new("sheet", ShapeDesc::Sheet(shape), vec![material]);
    let id = world.spawn(desc).unwrap();
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
    /// √(E G) of its tips over the same.
    pub release: Vec<f64>,
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
    centre_crack_by(TipTest::Disc, edges, angle, turn)
}

/// The same, with what tells the load of its tips.
pub fn centre_crack_by(tips: TipTest, edges: f64, angle: f64, turn: f64) -> CentreCrack {
    let edge = 0.004;
    let half = edges * edge;
    let (width, height) = (6.6 * half, 8.0 * half);
    let mut shape = rectangle([width, height], edge, turn, 0.3);
    let (sin, cos) = angle.to_radians().sin_cos();
    let end = [(half * sin) as f32, (half * cos) as f32];
    shape.cuts = vec![[[0.0; 2], end], [[0.0; 2], end.map(|x| -x)]];
    shape.options.tips = tips;
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
    let modulus = f64::from(stuff.modulus);
    let release = tips.iter().map(|tip| (modulus * tip.release).sqrt() / unit).collect();
    CentreCrack { intensity, release, width: added }
}

/// The stress at which a strip without a notch begins to tear, over its strength.
pub fn first_crack(criterion: Criterion, turn: f64, shaken: f64) -> f64 {
    let (width, height, edge) = (0.1, 0.1, 0.1 / 16.0);
    let mut shape = rectangle([width, height], edge, turn, shaken);
    shape.options = SheetOptions { criterion, ..SheetOptions::default() };
    // without sideways contraction grips leave the stress as it is
    let stuff = Stuff { strength: 3e6, toughness: 1e12, poisson: 0.0, ..PAPER };
    let mut world = World::new(config(0.0)).unwrap();
    let id = world.spawn(body(shape, stuff)).unwrap();
    let reach = 0.5 * height as f32 - 1e-5;
    let grip = pull(&mut world, id, [-1.0, -reach], 0.0);
    // 1 % of the strength in a frame
    let strain = f64::from(stuff.strength / stuff.modulus);
    pull(&mut world, id, [reach, 1.0], (60.0 * 0.01 * strain * height) as f32);
    let mut stress = 0.0;
    for _ in 0..400 {
        world.step(FRAME);
        if !world.body(id).unwrap().changes().opened.is_empty() {
            break;
        }
        stress = world.reaction(grip).unwrap().force[2] / f64::from(stuff.thickness) / width;
    }
    stress / f64::from(stuff.strength)
}

/// Angle of a tear through a notched strip that is weaker across its weave by this ratio, woven at this angle to the notch, in degrees.
pub fn woven_strip(ratio: f32, weave: f64) -> f64 {
    let (width, height, cells) = (0.1, 0.15, 30.0);
    let edge = width / cells;
    let mut shape = rectangle([width, height], edge, 0.0, 0.3);
    shape.cuts = vec![[[-0.05, 0.0], [-0.025, 0.0]]];
    let (sin, cos) = weave.to_radians().sin_cos();
    let mut desc = PAPER.desc();
    // v of the rest plane is −z
    desc.grain.direction = [cos as f32, 0.0, -sin as f32].into();
    desc.grain.strength_ratio = ratio.into();
    tear_strip_of(shape, edge, 1, Material::try_from(&desc).unwrap()).angle
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

/// Where edges opened, in the rest plane, for the cracks from the left and from the right.
pub type Paths = [Vec<[f64; 2]>; 2];

/// Paper of 10 × 15 cm, notched by a quarter from both sides, one notch so far above the other, pulled apart until nothing runs. With shares of
/// edges that the mesh is shaken by, and substeps.
pub fn offset_notches(apart: f64, shaken: f64, substeps: u32) -> Paths {
    let (width, height, edge) = (0.1, 0.15, 0.1 / 30.0);
    let mut shape = rectangle([width, height], edge, 0.0, shaken);
    let half = 0.5 * apart as f32;
    shape.cuts = vec![[[-0.05, half], [-0.025, half]], [[0.05, -half], [0.025, -half]]];
    let mut world = World::new(WorldConfig { substeps, ..config(0.0) }).unwrap();
    let id = world.spawn(body(shape, PAPER)).unwrap();
    let reach = 0.5 * height as f32 - 1e-5;
    pull(&mut world, id, [-1.0, -reach], 0.0);
    pull(&mut world, id, [reach, 1.0], 0.02);
    let (mut paths, mut ends) = ([Vec::new(), Vec::new()], [[-0.025, half], [0.025, -half]]);
    let mut still = 0;
    for _ in 0..400 {
        world.step(FRAME);
        let found = world.body(id).unwrap();
        let opened: Vec<[f64; 2]> =
            found.changes().opened.iter().map(|o| [o.position.x, -o.position.z]).collect();
        still = if opened.is_empty() { still + 1 } else { 0 };
        for p in opened {
            // of the crack whose end is nearer
            let away =
                |k: usize| (p[0] - f64::from(ends[k][0])).hypot(p[1] - f64::from(ends[k][1]));
            let k = usize::from(away(1) < away(0));
            ends[k] = p.map(|x| x as f32);
            paths[k].push(p);
        }
        let torn = !paths[0].is_empty();
        if found.pieces().len() > 1 || torn && still > 60 {
            break;
        }
    }
    paths
}

/// The largest distance of a place of one path from the line through the places of the other.
pub fn off_path(path: &[[f64; 2]], other: &[[f64; 2]]) -> f64 {
    let to_segment = |p: [f64; 2], a: [f64; 2], b: [f64; 2]| {
        let (ab, ap) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
        let share = (ab[0] * ap[0] + ab[1] * ap[1]) / (ab[0] * ab[0] + ab[1] * ab[1]);
        let share = share.clamp(0.0, 1.0);
        (ap[0] - share * ab[0]).hypot(ap[1] - share * ab[1])
    };
    let nearest = |&p: &[f64; 2]| {
        other.windows(2).map(|ends| to_segment(p, ends[0], ends[1])).fold(f64::INFINITY, f64::min)
    };
    path.iter().map(nearest).fold(0.0, f64::max)
}

/// A long strip of paper, clamped along both sides and drawn apart: the energy that a crack along its middle takes per area, over K_c²/E.
/// With so many cells between the clamps.
pub fn tear_energy(cells: usize) -> f64 {
    let (length, height) = (0.24, 0.06);
    let edge = height / cells as f64;
    let mut shape = rectangle([length, height], edge, 0.0, 0.3);
    let start = -0.5 * length as f32;
    shape.cuts = vec![[[start, 0.0], [start + 0.06, 0.0]]];
    let mut world = World::new(WorldConfig { books: true, ..config(0.0) }).unwrap();
    let id = world.spawn(body(shape, PAPER)).unwrap();
    let reach = 0.5 * height as f32 - 1e-5;
    pull(&mut world, id, [-1.0, -reach], 0.0);
    pull(&mut world, id, [reach, 1.0], 1e-4);
    // area and what is not held any more, as the crack passes the middle part
    let (mut area, mut passed) = (0.0, Vec::new());
    for _ in 0..1200 {
        let energy = world.step(FRAME).energy;
        let found = world.body(id).unwrap();
        let opened = &found.changes().opened;
        area += opened.iter().map(|o| f64::from(o.area)).sum::<f64>();
        let far = opened.iter().map(|o| o.position.x).fold(f64::NEG_INFINITY, f64::max);
        if (-0.04..0.06).contains(&far) {
            passed.push((area, energy.external_work - energy.held()));
        }
        if far > 0.06 {
            break;
        }
    }
    let (Some(first), Some(last)) = (passed.first(), passed.last()) else { return f64::NAN };
    let [e, k] = [PAPER.modulus, PAPER.toughness].map(f64::from);
    (last.1 - first.1) / (last.0 - first.0) / (k * k / e)
}

/// A trouser tear.
#[derive(Clone, Debug, Default)]
pub struct Trousers {
    /// Angle of the tear against the line between the legs over its first ten edges, in degrees.
    pub angle: f64,
    /// Edges that opened.
    pub opened: usize,
    /// Force on a leg, averaged while it tears, over G_c t/2.
    pub force: f64,
}

/// Paper of 6 × 12 cm, cut halfway along its middle: one leg is drawn up and the other down.
pub fn trousers(cells: usize) -> Trousers {
    let (width, length) = (0.06, 0.12);
    let edge = width / cells as f64;
    let mut shape = rectangle([width, length], edge, 0.0, 0.2);
    shape.cuts = vec![[[0.0, -0.06], [0.0, 0.0]]];
    let stuff = Stuff { modulus: 3e8, toughness: 3e5, bending: 2e-6, ..PAPER };
    let mut world = World::new(WorldConfig { substeps: 2, ..config(0.0) }).unwrap();
    let id = world.spawn(body(shape, stuff)).unwrap();
    let inf = f32::INFINITY;
    // the ends of the legs are at v = −0.06, which is z = 0.06
    let leg = |side: f32| {
        let (low, high) = if side < 0.0 { (-inf, -1e-4) } else { (1e-4, inf) };
        let region = Region::Box { min: [low, -inf, 0.0599], max: [high, inf, inf] };
        let keys = vec![
            MoveKey::default(),
            MoveKey { time: 10.0, offset: [0.0, side * 0.6, -0.6], angle: 0.0 },
        ];
        let motion = GripMotion::Move { pivot: [0.0; 3], axis: [1.0, 0.0, 0.0], keys };
        GripDesc { body: id, region, motion, release: None }
    };
    let grip = world.grip(leg(1.0)).unwrap();
    world.grip(leg(-1.0)).unwrap();
    let (mut path, mut forces) = (Vec::new(), Vec::new());
    for _ in 0..400 {
        world.step(FRAME);
        let opened = world.body(id).unwrap().changes().opened.len();
        if opened > 0 || !path.is_empty() {
            forces.push(world.reaction(grip).unwrap().force[1]);
        }
        let tips = world.body(id).unwrap().crack_tips();
        (0..opened).for_each(|_| path.extend(tips.first().map(|tip| tip.place)));
        if path.len() >= 12 || world.body(id).unwrap().pieces().len() > 1 {
            break;
        }
    }
    let [e, k, t] = [stuff.modulus, stuff.toughness, stuff.thickness].map(f64::from);
    let mean = forces.iter().sum::<f64>() / forces.len() as f64;
    let last = path.last().copied().unwrap_or([0.0; 2]);
    Trousers {
        angle: last[0].atan2(last[1]).to_degrees(),
        opened: path.len(),
        force: mean / (0.5 * k * k / e * t),
    }
}

/// A cloth of 100 × 100 vertices that falls over a ball: its largest stretch along an edge in the end, and how many of its edges cross it.
pub fn drape(threads: u32) -> [f64; 2] {
    let cells = 99;
    let stuff = Stuff {
        density: 500.0,
        modulus: 1e7,
        poisson: 0.2,
        thickness: 5e-4,
        bending: 1e-6,
        ..STIFF
    };
    let mut world = World::new(WorldConfig { threads, substeps: 2, ..config(-G as f32) }).unwrap();
    let ball = fracas::contact::shape::Shape::sphere(0.25).unwrap();
    world.add_obstacle(fracas::world::ObstacleDesc::new(ball)).unwrap();
    let shape = grid([cells, cells], 1.0 / cells as f32);
    let desc = BodyDesc { position: [0.03, 0.27, 0.02], ..body(shape, stuff) };
    let id = world.spawn(desc).unwrap();
    for _ in 0..120 {
        world.step(FRAME);
    }
    let all = places(&world, id);
    let mut most: f64 = 0.0;
    for triangle in world.body(id).unwrap().sheet() {
        for k in 0..3 {
            let [a, b] = [triangle[k], triangle[(k + 1) % 3]].map(|v| all[v as usize]);
            let rest = (a.0[0] - b.0[0]).hypot(a.0[1] - b.0[1]);
            let now = DVec3::from(a.1).distance(DVec3::from(b.1));
            most = most.max(now / rest - 1.0);
        }
    }
    [most, crossings(&world, id) as f64]
}

/// A plate of steel of 20 × 20 cm and 1 mm, held at its border and bent by its weight at 60 Hz: its sag over that of theory (Navier), and by how
/// much of the work of its weight the energy ever rises above what it was. With diagonals all one way or not.
pub fn steel_foil(one_way: bool) -> [f64; 2] {
    let (side, cells) = (0.2, 24);
    let (e, nu, t) = (2e11f64, 0.3, 1e-3f64);
    let rigidity = e * t.powi(3) / (12.0 * (1.0 - nu * nu));
    let stuff = Stuff {
        density: 7850.0,
        modulus: e as f32,
        poisson: nu as f32,
        thickness: t as f32,
        bending: rigidity as f32,
        ..STIFF
    };
    let mut world = World::new(WorldConfig { books: true, ..config(-G as f32) }).unwrap();
    let cell = (side / cells as f64) as f32;
    let shape = if one_way { rows_one_way } else { grid }([cells, cells], cell);
    let id = world.spawn(body(shape, stuff)).unwrap();
    let (inf, edge) = (f32::INFINITY, 0.5 * side as f32 - 1e-4);
    for axis in [0, 2] {
        for side in [-1.0f32, 1.0] {
            let (mut min, mut max) = ([-inf; 3], [inf; 3]);
            if side > 0.0 {
                min[axis] = edge
            } else {
                max[axis] = -edge
            }
            // corners once
            if axis == 2 {
                (min[0], max[0]) = (-edge, edge);
            }
            let region = Region::Box { min, max };
            let motion = GripMotion::Hold;
            world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
        }
    }
    let mut totals = Vec::new();
    for _ in 0..120 {
        let energy = world.step(FRAME).energy;
        totals.push(energy.held() - energy.external_work);
    }
    let middle = places(&world, id).into_iter().map(|(_, x)| -x[1]).fold(0.0, f64::max);
    let load = f64::from(stuff.density) * t * G;
    let theory = 0.004_062_35 * load * side.powi(4) / rigidity;
    let (mut lowest, mut up) = (f64::INFINITY, 0.0f64);
    for total in &totals {
        lowest = lowest.min(*total);
        up = up.max(total - lowest);
    }
    let scale = load * side * side * theory;
    [middle / theory, up / scale]
}

/// What random cuts through sheets of 20 × 20 squares left, checked after each.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    pub cuts: usize,
    pub hops: usize,
    /// Sheets that were no manifold with a border, or had a triangle that runs the wrong way.
    pub errors: usize,
    /// Smallest angle, in degrees.
    pub smallest: f64,
    /// Most triangles over those at the start.
    pub triangles: f64,
    /// Largest change of the rest area by a cut and over all cuts of a sheet, as shares of the whole.
    pub area: [f64; 2],
    /// Share of the hops of running tips that opened an edge that was there.
    pub fell_back: f64,
}

/// Cuts from random vertices in random directions, 1 to 8 edges long.
pub fn random_cuts(count: usize) -> Cuts {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut found = Cuts { smallest: f64::INFINITY, ..Cuts::default() };
    let (mut running, mut fell_back) = (0.0, 0.0);
    while found.cuts < count {
        let shape =
            rectangle([20.0, 20.0], 1.0, (found.cuts % 90) as f64, [0.0, 0.4][found.cuts % 2]);
        let mut plane = plane_of(&shape);
        let (start, whole) = (plane.table.len() as f64, area_and_angle(&plane).0);
        let (mut before, mut refused) = (whole, 0);
        for cut in 0..2000 {
            if found.cuts == count || cut >= 200 && refused * 10 > cut * 6 {
                break;
            }
            let mut v = (random(&mut state) * plane.rest.len() as f64) as u32;
            let turn = random(&mut state) * std::f64::consts::TAU;
            let step = DVec2::new(turn.cos(), turn.sin()) * plane.edge;
            for k in 0..1 + (random(&mut state) * 8.0) as usize {
                let Some(hop) = plane.hop(v, step) else {
                    refused += usize::from(k == 0);
                    break;
                };
                found.hops += 1;
                running += f64::from(k > 0);
                fell_back += f64::from(k > 0 && hop.fell_back);
                plane.commit();
                if !hop.is_tip {
                    break;
                }
                v = hop.end;
            }
            plane.changes.clear();
            plane.opened.clear();
            found.cuts += 1;
            found.errors += usize::from(plane.table.check().is_err());
            let (area, smallest) = area_and_angle(&plane);
            found.errors += usize::from(smallest <= 0.0);
            found.smallest = found.smallest.min(smallest);
            found.triangles = found.triangles.max(plane.table.len() as f64 / start);
            let off = [(area - before).abs() / whole, (area - whole).abs() / whole];
            (0..2).for_each(|k| found.area[k] = found.area[k].max(off[k]));
            before = area;
        }
    }
    found.fell_back = fell_back / running;
    found
}

fn plane_of(shape: &SheetShape) -> Plane {
    let rest = shape.vertices.iter().map(|p| DVec2::new(p[0].into(), p[1].into())).collect();
    let table = CornerTable::new(shape.triangles.clone(), shape.vertices.len()).unwrap();
    Plane::new(table, rest)
}

/// Rest area, and the smallest angle of all triangles in degrees; of one that runs the wrong way −1.
fn area_and_angle(plane: &Plane) -> (f64, f64) {
    let (mut area, mut smallest) = (0.0, f64::INFINITY);
    for triangle in plane.table.corners() {
        let corners = triangle.map(|v| plane.rest[v as usize]);
        let [a, b, c] = corners;
        let twice = (b - a).perp_dot(c - a);
        area += 0.5 * twice;
        for k in 0..3 {
            let p = corners[k];
            let (q, r) = (corners[(k + 1) % 3] - p, corners[(k + 2) % 3] - p);
            let angle = if twice > 0.0 { q.angle_to(r).abs().to_degrees() } else { -1.0 };
            smallest = smallest.min(angle);
        }
    }
    (area, smallest)
}

/// Mean time of a hop through 100 × 100 vertices, by this clock, in s.
pub fn hop_time(clock: impl Fn() -> f64) -> f64 {
    let shape = rectangle([99.0, 99.0], 1.0, 20.0, 0.3);
    let mut state = 11;
    let (mut time, mut hops) = (0.0, 0.0);
    for _ in 0..4 {
        let mut plane = plane_of(&shape);
        for _ in 0..40 {
            let mut v = (random(&mut state) * plane.rest.len() as f64) as u32;
            let turn = random(&mut state) * std::f64::consts::TAU;
            let step = DVec2::new(turn.cos(), turn.sin()) * plane.edge;
            for _ in 0..20 {
                let start = clock();
                let hop = plane.hop(v, step);
                plane.commit();
                time += clock() - start;
                hops += 1.0;
                match hop {
                    Some(hop) if hop.is_tip => v = hop.end,
                    _ => break,
                }
            }
            plane.changes.clear();
            plane.opened.clear();
        }
    }
    time / hops
}

/// Stress of a strip that is drawn to 4 %, four times as far as it yields at, over σ_Y + H α; and what is left of its stretch when it is let back
/// until nothing pulls, over α.
pub fn yielding_strip(hardening: f64) -> [f64; 2] {
    let (e, limit, stretch) = (1e7, 1e5, 0.04);
    let desc = MaterialDesc {
        density: 800.0.into(),
        youngs_modulus: (e as f32).into(),
        poisson_ratio: 0.3.into(),
        thickness: 1e-3.into(),
        bending_stiffness: 1e-3.into(),
        yield_stress: (limit as f32).into(),
        hardening_modulus: (hardening as f32).into(),
        creep_rate: 1e3.into(),
        ..MaterialDesc::default()
    };
    let mut world = World::new(config(0.0)).unwrap();
    let shape = rectangle([0.1, 0.4], 0.02, 20.0, 0.2);
    let material = Material::try_from(&desc).unwrap();
    let id = world.spawn(BodyDesc::new("strip", ShapeDesc::Sheet(shape), vec![material])).unwrap();
    let inf = f32::INFINITY;
    let grip = pull(&mut world, id, [-1.0, -0.2 + 1e-4], 0.0);
    let region = Region::Box { min: [-inf; 3], max: [inf, inf, -0.2 + 1e-4] };
    let key = |time: f64, share: f64| MoveKey {
        time,
        offset: [0.0, 0.0, (-0.4 * stretch * share) as f32],
        angle: 0.0,
    };
    let keys = vec![key(0.0, 0.0), key(2.0, 1.0), key(3.0, 1.0), key(6.0, 0.0)];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
    world.grip(GripDesc { body: id, region, motion, release: None }).unwrap();
    let stress = |world: &World| world.reaction(grip).unwrap().force[2] / (1e-3 * 0.1);
    for _ in 0..180 {
        world.step(FRAME);
    }
    // S acts on the rest area, and Green's strain is that of lengths and half its square
    let strain = stretch + 0.5 * stretch * stretch;
    let pulled = stress(&world) / (1.0 + stretch);
    let flowed = (strain - limit / e) / (1.0 + hardening / e);
    let wanted = limit + hardening * flowed;
    let mut left = f64::NAN;
    for frame in 180..360 {
        world.step(FRAME);
        if stress(&world) <= 0.0 {
            left = stretch * (1.0 - (f64::from(frame + 1) / 60.0 - 3.0) / 3.0);
            break;
        }
    }
    [pulled / wanted, (left + 0.5 * left * left) / flowed]
}

/// Speed that a free sheet takes up within a frame from wind across it, over that of ½ ρ c u² on its area, and from wind along it, in m/s.
pub fn blown() -> [f64; 2] {
    let speed = |velocity: [f32; 3]| {
        let mut world = World::new(config(0.0)).unwrap();
        let id = world.spawn(body(grid([8, 5], 0.02), STIFF)).unwrap();
        let kind = FieldKind::Wind { velocity, density: 1.2, coefficient: 1.1 };
        world.add_field(FieldDesc { kind, zone: Zone::Everywhere }).unwrap();
        world.step(1e-4);
        let found = world.body(id).unwrap();
        let piece = &found.pieces()[0];
        let sum: DVec3 = found
            .velocities(piece)
            .iter()
            .zip(found.masses())
            .map(|(v, &m)| f64::from(m) * DVec3::from(v.map(f64::from)))
            .sum();
        (sum / found.mass()).length()
    };
    let load = 0.5 * 1.2 * 1.1 * 25.0 / f64::from(STIFF.density * STIFF.thickness);
    [speed([0.0, 5.0, 0.0]) / (1e-4 * load), speed([3.0, 0.0, 4.0])]
}
