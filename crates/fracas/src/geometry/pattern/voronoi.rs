//! Voronoi cells of sites in a convex solid.

use super::{Frame, Random};
use crate::geometry::Convex;
use glam::DVec3;

/// Random points of a solid around the hit, as many per m of distance near as far: their density
/// falls as 1/r².
pub(super) fn sites(
    frame: &Frame,
    radius: f32,
    count: u32,
    core: &Convex,
    random: &mut Random,
) -> Vec<DVec3> {
    let planes: Vec<(DVec3, f64)> = core.half_spaces().collect();
    let mut sites = Vec::new();
    // 64 tries each are enough for a plate of 1/50 of the radius
    for _ in 0..64 * count {
        if sites.len() == count as usize {
            break;
        }
        let p = DVec3::new(random.signed(), random.signed(), random.signed());
        let distance = 0.5 * (1.0 + random.signed()) * f64::from(radius);
        let inside_ball = (1.0e-6..1.0).contains(&p.length_squared());
        let site = frame.point(p.normalize_or_zero() * distance);
        if inside_ball && planes.iter().all(|(normal, offset)| normal.dot(site) <= *offset) {
            sites.push(site);
        }
    }
    sites
}

/// A cell, and the sites whose bisectors bound it.
struct Cell {
    solid: Convex,
    volume: f64,
    cutters: Vec<usize>,
}

/// The parts of a solid that are nearest to each of the sites. Sites whose cell would be too small
/// are left out, the smallest first, so that their neighbours take over.
pub(super) fn cells(core: &Convex, mut sites: Vec<DVec3>, min_volume: f64) -> Vec<Convex> {
    // More cannot be large enough.
    if min_volume > 0.0 {
        sites.truncate((core.volume() / min_volume) as usize);
    }
    let mut alive = vec![true; sites.len()];
    let mut cells: Vec<Option<Cell>> =
        (0..sites.len()).map(|i| cell(core, &sites, &alive, i)).collect();
    while let Some(small) = too_small(&cells, &alive, min_volume) {
        alive[small] = false;
        cells[small] = None;
        for i in 0..sites.len() {
            if cells[i].as_ref().is_some_and(|c| c.cutters.contains(&small)) {
                cells[i] = cell(core, &sites, &alive, i);
            }
        }
    }
    let found: Vec<Convex> = cells.into_iter().flatten().map(|c| c.solid).collect();
    if found.is_empty() { vec![core.clone()] } else { found }
}

/// The smallest cell below the least volume; the first of equals.
fn too_small(cells: &[Option<Cell>], alive: &[bool], min_volume: f64) -> Option<usize> {
    let volume = |i: usize| cells[i].as_ref().map_or(0.0, |c| c.volume);
    let small = |i: &usize| alive[*i] && (cells[*i].is_none() || volume(*i) < min_volume);
    (0..cells.len()).filter(small).min_by(|&i, &j| volume(i).total_cmp(&volume(j)))
}

/// What is nearer to site `i` than to any other: cut by the bisectors to the others, nearest first,
/// up to those that are farther than twice the farthest corner and cannot reach it.
fn cell(core: &Convex, sites: &[DVec3], alive: &[bool], i: usize) -> Option<Cell> {
    let site = sites[i];
    let mut others: Vec<(f64, usize)> = (0..sites.len())
        .filter(|&j| j != i && alive[j])
        .map(|j| (sites[j].distance_squared(site), j))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));

    let mut solid = core.clone();
    let mut reach = farthest(&solid, site);
    let mut cutters = Vec::new();
    for (squared, j) in others {
        if squared > 4.0 * reach {
            break;
        }
        // (s_j − s_i)·x ≤ (s_j² − s_i²)/2, taken from the lower index so that both have one plane
        let (a, b) = (sites[i.min(j)], sites[i.max(j)]);
        let (normal, offset) = (b - a, 0.5 * (b - a).dot(a + b));
        let (below, above) = solid.cut(normal, offset);
        let (near, far) = if i < j { (below, above) } else { (above, below) };
        let near = near?;
        if far.is_some() {
            solid = near;
            reach = farthest(&solid, site);
            cutters.push(j);
        }
    }
    let volume = solid.volume();
    Some(Cell { solid, volume, cutters })
}

/// Squared distance of the farthest corner from a site.
fn farthest(solid: &Convex, site: DVec3) -> f64 {
    solid.vertices().iter().map(|v| v.distance_squared(site)).fold(0.0, f64::max)
}
