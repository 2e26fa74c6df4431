//! Contact in scenes: bodies of the gallery, drawn ones.

use super::soft::{drawn_row, extent, overlap_row, radius};
use super::speed::timed;
use crate::SHOWS;
use crate::common::FRAME;
use crate::common::bodies::{awake, body, settle};
use crate::shows::{MACHINE, Row, show};
use fracas::contact::shape::Shape;
use fracas::glam::{DVec3, Vec3};
use fracas::math::Rot;
use fracas::skin::{Skin, Skinned};
use fracas::world::ObstacleDesc;
use fracas::{Body, World, WorldConfig};
use fracas_scene::{Look, Scene};
use std::time::Instant;

// ---- bunnies ----

#[test]
fn bunnies() {
    let _reading = MACHINE.read();
    show(&SHOWS, "bunnies", || {
        let scene = Scene::open("soft-bunnies").unwrap();
        let config = WorldConfig { sleeping: false, ..scene.world_config() };
        let (mut world, looks) = scene.build_looks(config).unwrap();
        let mut deepest = 0.0_f32;
        let (mut drawn, mut met) = (0.0_f64, 0.0_f64);
        let mut skins = skins(&world, &looks);
        for frame in 0..600 {
            let report = world.step(FRAME);
            if frame >= 540 {
                deepest = deepest.max(report.max_penetration);
            }
            // while they meet in the air, and at the end
            if (15..75).contains(&frame) && frame % 3 == 0 {
                met = met.max(overlap_of_skins(&world, &mut skins));
            } else if frame == 599 {
                drawn = overlap_of_skins(&world, &mut skins);
            }
        }
        let left = body(&world, looks[0].body);
        let size = extent(left);
        vec![
            overlap_row("bunnies", deepest.into(), radius(left)),
            drawn_row("bunnies, at rest", drawn, size),
            drawn_row("bunnies, as they meet", met, size),
        ]
    });
}

fn skins(world: &World, looks: &[Look]) -> Vec<Skin> {
    let skin = |look: &Look| Skin::new(look.skin.clone(), body(world, look.body)).unwrap();
    looks.iter().map(skin).collect()
}

/// How deep a drawn vertex of one body lies in the other.
fn overlap_of_skins(world: &World, skins: &mut [Skin]) -> f64 {
    let ids: Vec<_> = world.body_ids().collect();
    let drawn: Vec<Skinned> = skins
        .iter_mut()
        .zip(&ids)
        .map(|(skin, id)| skin.update(body(world, *id), [0.0; 3]).clone())
        .collect();
    let point = |x: &[f32; 3]| Vec3::from(*x).as_dvec3();
    let mut deepest = 0.0_f64;
    for (one, other) in [(&drawn[0], &drawn[1]), (&drawn[1], &drawn[0])] {
        let triangles: Vec<[DVec3; 3]> = other
            .triangles
            .iter()
            .map(|corners| corners.map(|k| point(&other.positions[k as usize])))
            .collect();
        let all = triangles.iter().flatten();
        let low = all.clone().fold(DVec3::MAX, |low, x| low.min(*x));
        let high = all.fold(DVec3::MIN, |high, x| high.max(*x));
        for x in one.positions.iter().map(point) {
            if x.cmpge(low).all() && x.cmple(high).all() && is_inside(x, &triangles) {
                let near = triangles.iter().map(|t| distance(x, t)).fold(f64::MAX, f64::min);
                deepest = deepest.max(near);
            }
        }
    }
    deepest
}

/// By the winding number: the triangles' solid angles (Van Oosterom & Strackee 1983).
fn is_inside(x: DVec3, triangles: &[[DVec3; 3]]) -> bool {
    let angle = |t: &[DVec3; 3]| {
        let [a, b, c] = t.map(|corner| corner - x);
        let [p, q, r] = [a.length(), b.length(), c.length()];
        let below = p * q * r + a.dot(b) * r + b.dot(c) * p + c.dot(a) * q;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    triangles.iter().map(angle).sum::<f64>() > std::f64::consts::TAU
}

/// Of a point from a triangle: from its plane if the foot lies inside, else from an edge.
fn distance(x: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let normal = (*b - *a).cross(*c - *a);
    let left_of = |p: DVec3, q: DVec3| (q - p).cross(x - p).dot(normal) >= 0.0;
    if left_of(*a, *b) && left_of(*b, *c) && left_of(*c, *a) {
        return (x - *a).dot(normal.normalize_or_zero()).abs();
    }
    let edge = |p: DVec3, q: DVec3| {
        let along = ((x - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        x.distance(p + along * (q - p))
    };
    edge(*a, *b).min(edge(*b, *c)).min(edge(*c, *a))
}

// ---- torus on a rod ----

const TORUS: &str = r#"
title = "A soft ring hangs on a rod"
format = 1
[materials.rubber]
preset = "rubber"
density = 1000
youngs_modulus = 3e5
[[bodies]]
name = "ring"
material = "rubber"
shape = { kind = "torus", radius = 0.15, tube = 0.055, particles = 225 }
rotation = { axis = [1, 0, 0], angle = 90 }
"#;

/// Radius of the rod, in m.
const ROD: f64 = 0.03;

/// How deep an ellipsoid is in the rod along z at this height, seen from its axis.
fn depth_in_rod(ring: &Body, height: f64) -> f64 {
    let depth = |(x, axes): ([f64; 3], [[f32; 3]; 3])| {
        let away = DVec3::new(x[0], x[1] - height, 0.0);
        let n = away.normalize_or_zero();
        let along = |axis: [f32; 3]| Vec3::from(axis).as_dvec3().dot(n).powi(2);
        ROD + axes.map(along).iter().sum::<f64>().sqrt() - away.length()
    };
    ring.world_positions().zip(ring.ellipsoids()).map(depth).fold(0.0, f64::max)
}

#[test]
fn torus_on_a_rod() {
    let _reading = MACHINE.read();
    show(&SHOWS, "torus_on_a_rod", || {
        let scene = Scene::parse("torus", TORUS).unwrap();
        let (mut world, looks) = scene.build_looks(awake(4)).unwrap();
        // along z, 2 mm below the ring's upper inner side
        let top = 0.15 - 0.055 - ROD - 0.002;
        let rod = Shape::capsule(0.4, ROD as f32).unwrap();
        let rotation = Rot::from_axis_angle(Vec3::X, std::f32::consts::FRAC_PI_2);
        let place = [0.0, top, 0.0];
        world
            .add_obstacle(ObstacleDesc { position: place, rotation, ..ObstacleDesc::new(rod) })
            .unwrap();
        settle(&mut world, 300);
        let mut deepest = 0.0_f64;
        for _ in 0..60 {
            world.step(FRAME);
            deepest = deepest.max(depth_in_rod(body(&world, looks[0].body), top));
        }
        let mut skins = skins(&world, &looks);
        let ring = body(&world, looks[0].body);
        let lowest = ring.world_positions().map(|x| x[1]).fold(f64::MAX, f64::min);
        assert!(lowest > -0.5, "the ring has fallen off");
        let depth = |x: &[f32; 3]| ROD - f64::from(x[0]).hypot(f64::from(x[1]) - top);
        let drawn = skins[0].update(ring, [0.0; 3]);
        let drawn = drawn.positions.iter().map(depth).fold(0.0, f64::max);
        vec![
            overlap_row("torus on a rod", deepest, radius(ring)),
            drawn_row("torus on a rod", drawn, extent(ring)),
        ]
    });
}

// ---- twelve bodies ----

#[test]
#[ignore = "full length; run with --include-ignored in release"]
fn twelve_bodies() {
    let _alone = MACHINE.write();
    show(&SHOWS, "twelve_bodies", || {
        timed(|| {
            let [one, two] = [1, 2].map(frame_ms);
            vec![
                Row::at_most("12 soft bodies, 2 threads: a frame of 2 substeps", two, 2.5, " ms"),
                Row::at_least("12 soft bodies: 2 threads over 1", one / two, 1.5, "×"),
            ]
        })
    });
}

/// Mean over the 6 s of the scene, from the fall to rest.
fn frame_ms(threads: u32) -> f64 {
    let scene = Scene::open("heap").unwrap();
    let config = WorldConfig { substeps: 2, threads, sleeping: false, ..scene.world_config() };
    let mut world = scene.build_with(config).unwrap();
    let begin = Instant::now();
    for _ in 0..scene.frames() {
        world.step(FRAME);
        world.events();
    }
    1e3 * begin.elapsed().as_secs_f64() / scene.frames() as f64
}
