//! Cells against what they are cut from: they are sound, apart, and together the whole.
#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use super::*;
use crate::geometry::tests::{Numbers, assert_sound, random_hull};

fn pattern(desc: PatternDesc) -> Pattern {
    Pattern::try_from(&desc).unwrap()
}

fn brick(size: [f32; 3], radius: f32) -> PatternDesc {
    let (along, up) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    PatternDesc::Brick { size, radius, along, up, origin: [0.0; 3] }
}

/// The corners of a box.
fn corners(low: [f32; 3], high: [f32; 3]) -> Vec<[f32; 3]> {
    let pick = |i: usize, axis: usize| if i >> axis & 1 == 0 { low[axis] } else { high[axis] };
    (0..8).map(|i| [0, 1, 2].map(|axis| pick(i, axis))).collect()
}

/// A box from −0.4 to 0.4 cut in 3 × 2 × 2, skewed so that few faces are exactly flat in f32.
fn skewed_cells() -> PatternDesc {
    let skew = |[x, y, z]: [f32; 3]| [x + 0.31 * y, y + 0.17 * z, z - 0.23 * x + 0.1 * y];
    let mut cells = Vec::new();
    for (low, high) in [(-0.4, -0.1), (-0.1, 0.15), (0.15, 0.4)] {
        for (below, above) in [(-0.4, 0.07), (0.07, 0.4)] {
            for (back, front) in [(-0.4, 0.03), (0.03, 0.4)] {
                let cell = corners([low, below, back], [high, above, front]);
                cells.push(cell.into_iter().map(skew).collect());
            }
        }
    }
    PatternDesc::Cells(cells)
}

fn all_patterns(seed: u64) -> Vec<PatternDesc> {
    vec![
        PatternDesc::Voronoi { radius: 0.5, count: 40, seed },
        PatternDesc::Voronoi { radius: 0.1, count: 12, seed },
        PatternDesc::Radial { radius: 0.5, rays: 11, rings: 4, seed },
        PatternDesc::Radial { radius: 0.15, rays: 3, rings: 2, seed },
        brick([0.3, 0.1, 0.2], 0.4),
        PatternDesc::Brick {
            size: [0.25, 0.15, 0.2],
            radius: 0.5,
            along: [1.0, 0.2, 0.4],
            up: [0.1, 3.0, 0.0],
            origin: [0.03, 0.01, -0.2],
        },
        skewed_cells(),
    ]
}

/// Blocks, plates and hulls, with a hit on the surface, an edge, a corner or inside.
fn solids_and_hits() -> Vec<(Convex, DVec3)> {
    let mut numbers = Numbers(11);
    let block = Convex::block(DVec3::new(0.5, 0.4, 0.3)).unwrap();
    let plate = Convex::block(DVec3::new(1.0, 0.02, 1.0)).unwrap();
    let mut found = vec![
        (block.clone(), DVec3::new(0.1, 0.4, 0.0)),
        (block.clone(), DVec3::new(0.5, 0.4, 0.1)),
        (block.clone(), DVec3::new(0.5, 0.4, 0.3)),
        (block, DVec3::new(0.03, 0.01, -0.02)),
        (plate.clone(), DVec3::new(0.3, 0.02, -0.2)),
        (plate, DVec3::new(0.3, 0.021, -0.2)),
    ];
    for count in [4, 10, 40] {
        let hull = random_hull(&mut numbers, count, DVec3::new(1.0, 0.5, 0.8));
        let hit = hull.vertices()[0].lerp(hull.vertices()[1], 0.3);
        found.push((hull, hit));
    }
    found
}

#[test]
fn cells_are_sound_and_add_up_to_the_fragment() {
    let mut most = 0;
    for (solid, hit) in solids_and_hits() {
        for desc in all_patterns(5) {
            for min_volume in [0.0, 1.0e-3 * solid.volume()] {
                let normal = DVec3::new(0.1, -1.0, 0.3);
                let cells = pattern(desc.clone()).cells(hit, normal, &solid, min_volume);
                let sum: f64 = cells.iter().map(Convex::volume).sum();
                let error = (sum / solid.volume() - 1.0).abs();
                assert!(error < 1.0e-9, "{desc:?} at {hit}: {error:e}");
                most = most.max(cells.len());
                for cell in &cells {
                    assert_sound(cell);
                    let large = cell.volume() >= min_volume;
                    assert!(large || matches!(desc, PatternDesc::Cells(_)), "{desc:?}");
                }
            }
        }
    }
    assert!(most >= 40, "{most}");
}

/// Volumes could add up with gaps and overlaps alike: no two cells hold common room.
#[test]
fn cells_do_not_overlap() {
    let (solid, hit) = solids_and_hits().swap_remove(6);
    for desc in all_patterns(6) {
        let cells = pattern(desc.clone()).cells(hit, DVec3::NEG_Y, &solid, 1.0e-4);
        for (i, a) in cells.iter().enumerate() {
            for b in &cells[..i] {
                let both = b.half_spaces().try_fold(a.clone(), |rest, (n, d)| rest.cut(n, d).0);
                let volume = both.map_or(0.0, |solid| solid.volume());
                assert!(volume < 1.0e-9 * solid.volume(), "{desc:?}: {volume:e}");
            }
        }
    }
}

/// Every cell hangs on others: the areas that cells share are their surface less that of the
/// fragment.
#[test]
fn cells_share_all_the_area_that_was_cut() {
    let surface = |solid: &Convex| -> f64 {
        solid.faces().map(|f| super::super::convex::area_vector(solid.points(f)).length()).sum()
    };
    let (solid, hit) = solids_and_hits().swap_remove(0);
    for desc in all_patterns(7) {
        let cells = pattern(desc.clone()).cells(hit, DVec3::NEG_Y, &solid, 1.0e-4);
        let cut = cells.iter().map(surface).sum::<f64>() - surface(&solid);
        let mut shared = 0.0;
        for (i, a) in cells.iter().enumerate() {
            shared += cells[..i].iter().map(|b| a.shared_area(b)).sum::<f64>();
        }
        assert!(cells.len() > 3, "{desc:?}");
        assert!((2.0 * shared / cut - 1.0).abs() < 1.0e-5, "{desc:?}: {shared} of {cut}");
    }
}

#[test]
fn seed_and_place_choose_the_cells() {
    let (solid, hit) = solids_and_hits().swap_remove(0);
    for (a, b) in all_patterns(1).into_iter().zip(all_patterns(2)) {
        let cells =
            |desc: &PatternDesc, hit| pattern(desc.clone()).cells(hit, DVec3::Y, &solid, 0.0);
        assert_eq!(cells(&a, hit), cells(&a, hit));
        if matches!(a, PatternDesc::Voronoi { .. } | PatternDesc::Radial { .. }) {
            assert_ne!(cells(&a, hit), cells(&b, hit));
            let shift = DVec3::new(0.01, 0.0, 0.0);
            let moved = solid.transformed(DMat3::IDENTITY, shift).unwrap();
            let there = pattern(a.clone()).cells(hit + shift, DVec3::Y, &moved, 0.0);
            let centres = |cells: Vec<Convex>| -> Vec<DVec3> {
                cells.iter().map(|c| c.measure().centre).collect()
            };
            let back: Vec<DVec3> = centres(there).iter().map(|c| *c - shift).collect();
            assert_ne!(centres(cells(&a, hit)), back);
        }
    }
}

/// Of a block that is much larger than the radius, all but six parts stay near the hit.
#[test]
fn what_is_far_from_the_hit_stays_in_few_parts() {
    let solid = Convex::block(DVec3::splat(5.0)).unwrap();
    let hit = DVec3::new(1.0, 5.0, 0.0);
    let cells = corners([-0.2, 0.0, -0.2], [0.2; 3]);
    for desc in [
        PatternDesc::Voronoi { radius: 0.2, count: 30, seed: 3 },
        PatternDesc::Radial { radius: 0.2, rays: 8, rings: 3, seed: 3 },
        brick([0.2, 0.1, 0.1], 0.2),
        PatternDesc::Cells(vec![cells]),
    ] {
        let found = pattern(desc.clone()).cells(hit, DVec3::NEG_Y, &solid, 0.0);
        let is_far = |c: &&Convex| c.vertices().iter().any(|v| v.distance(hit) > 0.6);
        let far = found.iter().filter(is_far).count();
        assert!((1..=6).contains(&far) && found.len() > far, "{desc:?}: {far} of {}", found.len());
        // and what is not hit is not broken
        let missed = pattern(desc.clone()).cells(hit * 3.0, DVec3::NEG_Y, &solid, 0.0);
        assert!(missed.len() == 1, "{desc:?}: {}", missed.len());
    }
}

/// Half of the points are within half of the radius, in an eighth of the room.
#[test]
fn voronoi_cells_are_smaller_near_the_hit() {
    let solid = Convex::block(DVec3::splat(0.5)).unwrap();
    let desc = PatternDesc::Voronoi { radius: 0.5, count: 200, seed: 9 };
    let cells = pattern(desc).cells(DVec3::ZERO, DVec3::Y, &solid, 0.0);
    assert_eq!(cells.len(), 200);
    let near = |c: &&Convex| c.measure().centre.length() < 0.25;
    let share = cells.iter().filter(near).count();
    assert!((85..=115).contains(&share), "{share}");
}

/// A wall of three courses: four bricks, five with a half at either end, four.
#[test]
fn wall_falls_into_its_bricks() {
    let half = DVec3::new(0.5, 0.15, 0.05);
    let wall = Convex::block(half).unwrap().transformed(DMat3::IDENTITY, half).unwrap();
    let hit = DVec3::new(0.5, 0.15, 0.1);
    let cells = pattern(brick([0.25, 0.1, 0.1], 0.6)).cells(hit, DVec3::NEG_Z, &wall, 1.0e-6);
    let mut volumes: Vec<f64> = cells.iter().map(|c| c.volume() / 2.5e-3).collect();
    volumes.sort_by(f64::total_cmp);
    assert_eq!(volumes.len(), 13);
    let close = |v: &f64, truth: f64| (v - truth).abs() < 1.0e-6;
    assert!(
        volumes[..2].iter().all(|v| close(v, 0.5)) && volumes[2..].iter().all(|v| close(v, 1.0))
    );
    // halves of bricks are too small to be cut off
    let cells = pattern(brick([0.25, 0.1, 0.1], 0.6)).cells(hit, DVec3::NEG_Z, &wall, 1.5e-3);
    assert_eq!(cells.len(), 11);
}

/// Around a hit amid a pane every ray and every ring counts, and all wedges meet at the axis.
#[test]
fn star_has_its_rays_and_rings() {
    let pane = Convex::block(DVec3::new(0.3, 0.005, 0.3)).unwrap();
    let hit = DVec3::new(0.02, 0.005, 0.01);
    for (rays, rings) in [(3, 1), (4, 2), (7, 3), (16, 4)] {
        let desc = PatternDesc::Radial { radius: 0.3, rays, rings, seed: 4 };
        let cells = pattern(desc).cells(hit, DVec3::NEG_Y, &pane, 0.0);
        assert_eq!(cells.len() as u32, rays * rings);
        let near = |v: &DVec3| (v.x - hit.x).hypot(v.z - hit.z) < 1.0e-6;
        let at_axis = cells.iter().filter(|c| c.vertices().iter().any(near)).count() as u32;
        // the one cell of a half that no ray cuts has no corner there
        assert_eq!(at_axis, if rays == 3 { 2 } else { rays });
    }
}

#[test]
fn hits_that_are_no_numbers_break_nothing() {
    let solid = Convex::block(DVec3::splat(0.5)).unwrap();
    for desc in all_patterns(8) {
        let pattern = pattern(desc);
        assert_eq!(pattern.cells(DVec3::NAN, DVec3::Y, &solid, 0.0), vec![solid.clone()]);
        assert_eq!(pattern.cells(DVec3::ZERO, DVec3::Y, &solid, f64::NAN).len(), 1);
        let all = pattern.cells(DVec3::ZERO, DVec3::ZERO, &solid, -1.0);
        let sum: f64 = all.iter().map(Convex::volume).sum();
        assert!(all.len() > 1 && (sum - 1.0).abs() < 1.0e-9);
    }
}

#[test]
fn bad_patterns_are_refused_by_name() {
    let bad_brick =
        |along, up, origin| PatternDesc::Brick { size: [0.2; 3], radius: 1.0, along, up, origin };
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let box_of = |low, high| corners([low; 3], [high; 3]);
    for (desc, start) in [
        (PatternDesc::Voronoi { radius: f32::NAN, count: 9, seed: 0 }, "voronoi.radius must be"),
        (PatternDesc::Voronoi { radius: 0.1, count: 1, seed: 0 }, "voronoi.count must be from 2"),
        (PatternDesc::Radial { radius: -1.0, rays: 9, rings: 2, seed: 0 }, "radial.radius must be"),
        (PatternDesc::Radial { radius: 1.0, rays: 2, rings: 2, seed: 0 }, "radial.rays must be"),
        (PatternDesc::Radial { radius: 1.0, rays: 9, rings: 0, seed: 0 }, "radial.rings must be"),
        (brick([0.1, 0.0, 0.1], 1.0), "brick.size must be"),
        (brick([0.1; 3], f32::INFINITY), "brick.radius must be between"),
        (brick([0.01; 3], 1.0), "brick.radius must be so small"),
        (bad_brick([0.0; 3], y, [0.0; 3]), "brick.along must be a direction"),
        (bad_brick(x, [f32::NAN; 3], [0.0; 3]), "brick.up must be a direction"),
        (bad_brick(x, [2.0, 0.01, 0.0], [0.0; 3]), "brick.up must be more than 1°"),
        (bad_brick(x, y, [0.0, f32::NAN, 0.0]), "brick.origin must be"),
        (PatternDesc::Cells(vec![]), "number of cells must be"),
        (PatternDesc::Cells(vec![box_of(0.0, 1.0), vec![[0.0; 3]; 4]]), "cells[1]: a hull needs"),
        (
            PatternDesc::Cells(vec![box_of(0.0, 1.0), box_of(0.9, 2.0)]),
            "cells[0] and cells[1] must not overlap",
        ),
        (PatternDesc::Cells(vec![box_of(0.0, 1.0), box_of(1.0, 2.0)]), "cells must fill"),
    ] {
        let message = Pattern::try_from(&desc).unwrap_err().to_string();
        assert!(message.starts_with(start), "{message}, expected {start}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn schema_names_every_pattern() {
    let schema = schemars::schema_for!(PatternDesc);
    let text = format!("{schema:?}");
    for name in ["voronoi", "radial", "brick", "cells", "rays", "count", "along"] {
        assert!(text.contains(&format!("\"{name}\"")), "{name}");
    }
}
