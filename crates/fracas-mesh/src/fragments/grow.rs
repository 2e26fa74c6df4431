//! Fragments that grow from seeds over the faces of tetrahedra, so that each is connected.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fracas::glam::DVec3;

use super::{Fracture, FractureError, curve};
use crate::random::unit;
use crate::tets::{TetMesh, components};

/// Rounds of Lloyd's iteration. Bunnies of 6,207 and 12,379 tetrahedra in 300 fragments: ∫|x−c|² over
/// V^(5/3) n^(−2/3) is 0.331 and 0.338 at the seeds, 0.288 and 0.294 after 10 rounds, 0.287 and 0.293
/// after 20, and no more than 0.2 % less after 100.
const ROUNDS: usize = 20;

const NONE: u32 = u32::MAX;

/// K-means of the centres of tetrahedra that takes the connectivity of the mesh into account (000
/// sec. 5): clusters grow, and seeds move to the means of their clusters, by turns.
///
/// With a focus the means are weighted by the −5th power of the wished width, for which widths of
/// optimal clusters in space follow the wish (Gersho, *Asymptotically optimal block quantization*,
/// 1979: density^(−1/5)).
pub(super) fn k_means(
    mesh: &TetMesh,
    neighbours: &[[Option<u32>; 4]],
    fracture: &Fracture,
) -> Result<Vec<u32>, FractureError> {
    let cells = Cells::new(mesh, neighbours, fracture);
    let stratified = |seeds: usize| {
        let random = |i| (i as f64 + unit(fracture.seed, &[i as u64])) / seeds as f64;
        (0..seeds).map(random).collect()
    };
    let mut seeds = cells.seeds(fracture.count, stratified)?;
    let mut centres: Vec<DVec3> = seeds.iter().map(|&tet| cells.centre[tet]).collect();
    for _ in 0..ROUNDS {
        let cluster = cells.grow(&seeds, &centres);
        centres = cells.means(&cluster, seeds.len());
        seeds = cells.nearest(&cluster, &centres);
    }
    Ok(cells.grow(&seeds, &centres))
}

/// Cells around random points, as far as the mesh connects them.
pub(super) fn voronoi(
    mesh: &TetMesh,
    neighbours: &[[Option<u32>; 4]],
    fracture: &Fracture,
) -> Result<Vec<u32>, FractureError> {
    let cells = Cells::new(mesh, neighbours, fracture);
    let independent = |seeds: usize| {
        let mut parts: Vec<f64> = (0..seeds).map(|i| unit(fracture.seed, &[i as u64])).collect();
        parts.sort_unstable_by(f64::total_cmp);
        parts
    };
    let seeds = cells.seeds(fracture.count, independent)?;
    let centres: Vec<DVec3> = seeds.iter().map(|&tet| cells.centre[tet]).collect();
    Ok(cells.grow(&seeds, &centres))
}

/// What growing needs of the tetrahedra.
struct Cells<'a> {
    neighbours: &'a [[Option<u32>; 4]],
    centre: Vec<DVec3>,
    volume: Vec<f64>,
    /// Wished width of fragments, 1 without a focus.
    width: Vec<f64>,
}

impl<'a> Cells<'a> {
    fn new(mesh: &TetMesh, neighbours: &'a [[Option<u32>; 4]], fracture: &Fracture) -> Self {
        let all = || 0..mesh.tets.len();
        let width = |tet| fracture.focus.map_or(1.0, |focus| focus.width(mesh.centre(tet)));
        Self {
            neighbours,
            centre: all().map(|tet| mesh.centre(tet)).collect(),
            volume: all().map(|tet| mesh.tet_volume(tet)).collect(),
            width: all().map(width).collect(),
        }
    }

    /// Chooses tetrahedra to grow from: each component gets seeds by its share of the wished
    /// fragments, at least one, and they lie at `parts(number)` (from 0 to 1, sorted) of the way
    /// along a curve that fills space. Even parts of the curve lie evenly in space.
    fn seeds(
        &self,
        count: u32,
        parts: impl Fn(usize) -> Vec<f64>,
    ) -> Result<Vec<usize>, FractureError> {
        let tets = self.centre.len();
        if count as usize > tets {
            return Err(FractureError::TooManyFragments { count, tets });
        }
        let (of, components) = components(self.neighbours, |_, _| true);
        if (count as usize) < components {
            return Err(FractureError::FewerThanComponents { count, components });
        }
        let mut members = vec![Vec::new(); components];
        for tet in curve::order(&self.centre) {
            members[of[tet] as usize].push(tet);
        }
        // fragments per volume are the −3rd power of their width
        let weight = |tet: usize| self.volume[tet] / self.width[tet].powi(3);
        let shares = shares(count, &members, weight);
        let pick = |(members, share): (&Vec<usize>, usize)| pick(members, &parts(share), weight);
        Ok(members.iter().zip(shares).flat_map(pick).collect())
    }

    /// Lets all clusters grow at once over faces, the tetrahedron nearest to a centre first, ties
    /// by number: Voronoi cells of the centres as far as they are connected.
    fn grow(&self, seeds: &[usize], centres: &[DVec3]) -> Vec<u32> {
        let mut cluster = vec![NONE; self.centre.len()];
        for (number, &seed) in seeds.iter().enumerate() {
            cluster[seed] = number as u32;
        }
        let mut open = BinaryHeap::new();
        let reach = |open: &mut BinaryHeap<_>, cluster: &[u32], from: usize| {
            let number = cluster[from];
            for tet in self.neighbours[from].into_iter().flatten() {
                if cluster[tet as usize] == NONE {
                    let square =
                        self.centre[tet as usize].distance_squared(centres[number as usize]);
                    open.push(Reverse((ordered(square), number, tet)));
                }
            }
        };
        for &seed in seeds {
            reach(&mut open, &cluster, seed);
        }
        while let Some(Reverse((_, number, tet))) = open.pop() {
            if cluster[tet as usize] == NONE {
                cluster[tet as usize] = number;
                reach(&mut open, &cluster, tet as usize);
            }
        }
        cluster
    }

    /// Mean of each cluster.
    fn means(&self, cluster: &[u32], count: usize) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; count];
        let mut weights = vec![0.0; count];
        for (tet, &number) in cluster.iter().enumerate() {
            let weight = self.volume[tet] / self.width[tet].powi(5);
            sums[number as usize] += weight * self.centre[tet];
            weights[number as usize] += weight;
        }
        sums.into_iter().zip(weights).map(|(sum, weight)| sum / weight).collect()
    }

    /// The tetrahedron of each cluster that lies nearest to its centre, the first of equals.
    fn nearest(&self, cluster: &[u32], centres: &[DVec3]) -> Vec<usize> {
        let mut best = vec![(f64::INFINITY, 0); centres.len()];
        for (tet, &number) in cluster.iter().enumerate() {
            let square = self.centre[tet].distance_squared(centres[number as usize]);
            let best = &mut best[number as usize];
            if square < best.0 {
                *best = (square, tet);
            }
        }
        best.into_iter().map(|(_, tet)| tet).collect()
    }
}

/// How many seeds each component gets: one, and every further one goes where most weight per seed
/// is left, as seats are given to parties (Sainte-Laguë).
fn shares(count: u32, members: &[Vec<usize>], weight: impl Fn(usize) -> f64) -> Vec<usize> {
    let weights: Vec<f64> =
        members.iter().map(|members| members.iter().map(|&tet| weight(tet)).sum()).collect();
    let mut shares = vec![1; members.len()];
    let claim = |component: usize, share: usize| {
        let claim = weights[component] / (share as f64 + 0.5);
        (members[component].len() > share).then_some((ordered(claim), Reverse(component)))
    };
    let mut claims: BinaryHeap<_> = (0..members.len()).filter_map(|c| claim(c, 1)).collect();
    for _ in members.len()..count as usize {
        if let Some((_, Reverse(component))) = claims.pop() {
            shares[component] += 1;
            claims.extend(claim(component, shares[component]));
        }
    }
    shares
}

/// Members at these parts of their total weight, no member twice. At most as many parts as members.
fn pick(members: &[usize], parts: &[f64], weight: impl Fn(usize) -> f64) -> Vec<usize> {
    let total: f64 = members.iter().map(|&tet| weight(tet)).sum();
    let spare = members.len() - parts.len();
    let (mut at, mut before) = (0, 0.0);
    let mut picked = Vec::with_capacity(parts.len());
    for (i, part) in parts.iter().enumerate() {
        while at < spare + i && before + weight(members[at]) <= part * total {
            before += weight(members[at]);
            at += 1;
        }
        picked.push(members[at]);
        before += weight(members[at]);
        at += 1;
    }
    picked
}

/// Bits in the order of the numbers, which must not be negative.
fn ordered(value: f64) -> u64 {
    value.to_bits()
}
