//! Sheets for tests.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use fracas::material::{Material, MaterialDesc};
use fracas::solids::sheet::SheetShape;
use fracas::world::{BodyDesc, BodyId, GripDesc, GripId, GripMotion, MoveKey, Region, ShapeDesc};
use fracas::{World, WorldConfig};
use spade::{DelaunayTriangulation, Point2, Triangulation};

pub fn random(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// A rectangle about the origin, filled by the points of a square lattice that is turned by so many degrees and shaken by a share of its spacing.
pub fn rectangle([width, height]: [f64; 2], spacing: f64, turn: f64, shaken: f64) -> SheetShape {
    let mut state = 0x1234_5678_9abc_def1 ^ (turn * 64.0) as u64;
    let (mut points, half) = (Vec::new(), [0.5 * width, 0.5 * height]);
    for axis in 0..2 {
        let count = (2.0 * half[axis] / spacing).round().max(1.0) as usize;
        for k in 0..count {
            let along = half[axis] * (2.0 * k as f64 / count as f64 - 1.0);
            for side in [1.0, -1.0] {
                let (along, across) = (side * along, -side * half[1 - axis]);
                points.push(if axis == 0 { [along, across] } else { [-across, along] });
            }
        }
    }
    let (sin, cos) = turn.to_radians().sin_cos();
    let reach = ((width + height) / spacing) as i64;
    let inner = |x: f64, half: f64| x.abs() < half - 0.6 * spacing;
    for i in -reach..=reach {
        for j in -reach..=reach {
            let mut shake = || shaken * (random(&mut state) - 0.5);
            let (u, v) = (i as f64 + 0.5 + shake(), j as f64 + 0.5 + shake());
            let p = [spacing * (cos * u - sin * v), spacing * (sin * u + cos * v)];
            if inner(p[0], half[0]) && inner(p[1], half[1]) {
                points.push(p);
            }
        }
    }
    triangulate(&points)
}

/// Delaunay.
pub fn triangulate(points: &[[f64; 2]]) -> SheetShape {
    let mut net = DelaunayTriangulation::<Point2<f64>>::new();
    let mut shape = SheetShape::default();
    for p in points {
        net.insert(Point2::new(p[0], p[1])).unwrap();
    }
    for vertex in net.vertices() {
        let p = vertex.position();
        shape.vertices.push([p.x as f32, p.y as f32]);
    }
    for face in net.inner_faces() {
        let corners = face.vertices().map(|v| v.fix().index() as u32);
        let [a, b, c] = corners.map(|v| shape.vertices[v as usize].map(f64::from));
        let twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        // along a straight border rounding leaves triangles of nothing
        if twice > 1e-9 {
            shape.triangles.push(corners);
        }
    }
    shape
}

/// Rows and columns of squares about the origin, each of two triangles whose diagonals alternate.
pub fn grid([columns, rows]: [usize; 2], spacing: f32) -> SheetShape {
    let mut shape = SheetShape::default();
    let at = |i: usize, j: usize| (i * (rows + 1) + j) as u32;
    for i in 0..=columns {
        for j in 0..=rows {
            let place = |k: usize, n: usize| spacing * (k as f32 - 0.5 * n as f32);
            shape.vertices.push([place(i, columns), place(j, rows)]);
        }
    }
    for i in 0..columns {
        for j in 0..rows {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 {
                shape.triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                shape.triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    shape
}

/// The same with all diagonals one way: there bending stores what it should of twist, too.
pub fn rows_one_way(counts: [usize; 2], spacing: f32) -> SheetShape {
    let mut shape = grid(counts, spacing);
    let [columns, rows] = counts.map(|n| n as u32);
    let at = |i: u32, j: u32| i * (rows + 1) + j;
    let squares = (0..columns).flat_map(|i| (0..rows).map(move |j| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    shape.triangles = triangles.collect();
    shape
}

/// What a sheet of a test is made of.
#[derive(Clone, Copy, Debug)]
pub struct Stuff {
    pub density: f32,
    pub modulus: f32,
    pub poisson: f32,
    pub thickness: f32,
    pub bending: f32,
    pub strength: f32,
    pub toughness: f32,
}

/// Stiff and light, and does not tear.
pub const STIFF: Stuff = Stuff {
    density: 800.0,
    modulus: 3e9,
    poisson: 0.3,
    thickness: 1e-4,
    bending: 2.7e-4,
    strength: f32::INFINITY,
    toughness: f32::INFINITY,
};

impl Stuff {
    pub fn material(&self) -> Material {
        Material::try_from(&self.desc()).unwrap()
    }

    pub fn desc(&self) -> MaterialDesc {
        MaterialDesc {
            density: self.density.into(),
            youngs_modulus: self.modulus.into(),
            poisson_ratio: self.poisson.into(),
            damping_time: f32::INFINITY.into(),
            thickness: self.thickness.into(),
            bending_stiffness: self.bending.into(),
            strength: self.strength.into(),
            toughness: self.toughness.into(),
            ..MaterialDesc::default()
        }
    }
}

pub fn body(shape: SheetShape, stuff: Stuff) -> BodyDesc {
    BodyDesc::new("sheet", ShapeDesc::Sheet(shape), vec![stuff.material()])
}

pub fn config(gravity: f32) -> WorldConfig {
    WorldConfig { gravity: [0.0, gravity, 0.0], substeps: 1, ..WorldConfig::default() }
}

/// Takes hold of what lies between two places along v of the rest plane and moves it so fast along v, m/s.
pub fn pull(world: &mut World, body: BodyId, [low, high]: [f32; 2], speed: f32) -> GripId {
    let inf = f32::INFINITY;
    // v is −z
    let region = Region::Box { min: [-inf, -inf, -high], max: [inf, inf, -low] };
    let last = 1000.0;
    let key = MoveKey { time: last, offset: [0.0, 0.0, -speed * last as f32], angle: 0.0 };
    let keys = vec![MoveKey::default(), key];
    let motion = GripMotion::Move { pivot: [0.0; 3], axis: [0.0, 1.0, 0.0], keys };
    world.grip(GripDesc { body, region, motion, release: None }).unwrap()
}
