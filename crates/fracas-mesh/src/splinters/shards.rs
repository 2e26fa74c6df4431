//! Voronoi cells of random points, round or drawn out.

use std::collections::BTreeMap;

use fracas::geometry::Convex;
use fracas::glam::DVec3;

use crate::clip::{Partition, PartitionFace};
use crate::random;
use crate::surface::Surface;
use crate::tets::TetMesh;

/// How far the partition goes on beyond the bounds, over their size.
const BEYOND: f64 = 0.2;

/// Corners of two cells nearer than this are one, over the size of all.
const ONE_PLACE: f64 = 1.0e-7;

/// How much nearer to its own site than to another the middle of a face may be, over the size of all, to be between the two.
const BETWEEN: f64 = 1.0e-6;

/// Shortens what lies along a direction by a factor, or lengthens it with its reciprocal.
fn pressed(x: DVec3, direction: DVec3, factor: f64) -> DVec3 {
    x + (1.0 / factor - 1.0) * x.dot(direction) * direction
}

/// Points in the tetrahedra, as many per volume everywhere, pressed along the direction that cells are drawn out by.
pub(super) fn sites(
    mesh: &TetMesh,
    count: u32,
    (direction, factor): (DVec3, f64),
    [seed, attempt]: [u64; 2],
) -> Vec<DVec3> {
    let mut ends = Vec::with_capacity(mesh.tets.len());
    let mut volume = 0.0;
    for tet in 0..mesh.tets.len() {
        volume += mesh.tet_volume(tet);
        ends.push(volume);
    }
    let site = |k: u32| {
        let unit = |what: u64| random::unit(seed, &[attempt, u64::from(k), what]);
        // one in every share of the volume: more even than by chance alone
        let at = volume * (f64::from(k) + unit(0)) / f64::from(count);
        let tet = ends.partition_point(|&end| end < at).min(ends.len() - 1);
        let [a, b, c, d] = mesh.corners(tet);
        // shares of four corners: gaps between three sorted numbers
        let mut cuts = [unit(1), unit(2), unit(3)];
        cuts.sort_unstable_by(f64::total_cmp);
        let [x, y, z] = cuts;
        let place = x * a + (y - x) * b + (z - y) * c + (1.0 - z) * d;
        pressed(place, direction, factor)
    };
    (0..count).map(site).collect()
}

/// What is nearest to each of the sites, drawn out again.
pub(super) fn partition(
    surface: &Surface,
    sites: &[DVec3],
    (direction, factor): (DVec3, f64),
) -> Partition {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let all = surface.vertices.iter().map(|&x| pressed(x, direction, factor));
    let (low, high) = all.fold(start, |(low, high), x| (low.min(x), high.max(x)));
    let (middle, size) = (0.5 * (low + high), low.distance(high));
    let half = 0.5 * (high - low) + BEYOND * size;
    let mut partition = Partition::default();
    let Ok(whole) = Convex::block(half) else { return partition };
    let sites: Vec<DVec3> = sites.iter().map(|&x| x - middle).collect();
    let mut corners = Corners::new(ONE_PLACE * size);
    for (i, &site) in sites.iter().enumerate() {
        let Some(cell) = cell(&whole, &sites, i) else { continue };
        for face in cell.faces() {
            let places: Vec<DVec3> = face.iter().map(|&v| cell.vertices()[v as usize]).collect();
            let centre = places.iter().sum::<DVec3>() / places.len() as f64;
            let others = sites.iter().enumerate().filter(|(j, _)| *j != i);
            let distance = |x: &DVec3| x.distance(centre);
            let nearest = others.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            let Some((j, other)) = nearest else { continue };
            // the rim of the whole is between no two
            if j < i || distance(other) > distance(&site) + BETWEEN * size {
                continue;
            }
            let mut numbers: Vec<u32> = places.into_iter().map(|x| corners.number(x)).collect();
            numbers.dedup();
            while numbers.len() > 1 && numbers.first() == numbers.last() {
                numbers.pop();
            }
            for k in 2..numbers.len() {
                let between = [i as u32, j as u32];
                let corners = [numbers[0], numbers[k - 1], numbers[k]];
                partition.faces.push(PartitionFace { corners, between });
            }
        }
    }
    let back = |x: DVec3| pressed(x + middle, direction, 1.0 / factor);
    partition.vertices = corners.places.into_iter().map(back).collect();
    partition
}

/// What is nearer to site `i` than to any other.
fn cell(whole: &Convex, sites: &[DVec3], i: usize) -> Option<Convex> {
    let site = sites[i];
    let others = sites.iter().enumerate().filter(|(j, _)| *j != i);
    let mut others: Vec<(f64, usize)> =
        others.map(|(j, x)| (x.distance_squared(site), j)).collect();
    others.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let farthest = |solid: &Convex| {
        solid.vertices().iter().map(|v| v.distance_squared(site)).fold(0.0, f64::max)
    };
    let mut solid = whole.clone();
    let mut reach = farthest(&solid);
    for (squared, j) in others {
        // beyond twice the farthest corner a bisector cannot reach it
        if squared > 4.0 * reach {
            break;
        }
        // taken from the lower number, so that both have one plane
        let (a, b) = (sites[i.min(j)], sites[i.max(j)]);
        let (below, above) = solid.cut(b - a, 0.5 * (b - a).dot(a + b));
        solid = if i < j { below } else { above }?;
        reach = farthest(&solid);
    }
    Some(solid)
}

/// Places that are one if they are near.
struct Corners {
    near: f64,
    places: Vec<DVec3>,
    by_box: BTreeMap<[i64; 3], u32>,
}

impl Corners {
    fn new(near: f64) -> Self {
        Self { near, places: Vec::new(), by_box: BTreeMap::new() }
    }

    fn number(&mut self, place: DVec3) -> u32 {
        let at = (place / (4.0 * self.near)).to_array().map(|x| x.floor() as i64);
        for k in 0..27 {
            let beside = [at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1];
            if let Some(&known) = self.by_box.get(&beside)
                && self.places[known as usize].distance(place) <= self.near
            {
                return known;
            }
        }
        let number = self.places.len() as u32;
        self.places.push(place);
        self.by_box.insert(at, number);
        number
    }
}
