//! From a wished number of particles to a lattice.

use super::error::{require_count, require_size};
use super::lattice::Lattice;
use super::{GenerateError, MAX_PARTICLES};

/// A count of a block is taken as met if the ln of its ratio to the wish is at most this, a little
/// less than 10 %; then the shape of the cells counts too.
const BLOCK_TOLERANCE: f64 = 0.095;

/// The same for round shapes, a little less than 5 %.
const ROUND_TOLERANCE: f64 = 0.048;

/// Cells along each axis for cells about `spacing` wide.
pub(super) fn counts_of_spacing(size: [f64; 3], spacing: f32) -> Result<[u32; 3], GenerateError> {
    require_size("spacing", spacing)?;
    let counts = size.map(|length| (length / f64::from(spacing)).round().max(1.0));
    let cells: f64 = counts.iter().product();
    if cells > MAX_PARTICLES as f64 {
        return Err(GenerateError::TooManyParticles { count: cells as u64 });
    }
    Ok(counts.map(|n| n as u32))
}

/// What speaks against a lattice; lower is better. Those that meet the count come first, by the
/// errors of count and cells together; then those nearest to the count.
type Cost = (bool, f64);

const WORST: Cost = (true, f64::INFINITY);

/// `stretch` is the ln of how many times longer than wide the cells are, against the best there is.
fn cost(count: f64, wished: f64, tolerance: f64, stretch: f64) -> Cost {
    let miss = (count / wished).ln().abs();
    let missed = miss > tolerance;
    (missed, if missed { miss } else { miss + stretch })
}

/// The lattice of a block with about `wished` cells, as nearly cubic as that allows.
pub(super) fn block_counts(size: [f64; 3], wished: u32) -> Result<[u32; 3], GenerateError> {
    require_count(u64::from(wished))?;
    let wished = f64::from(wished);
    let ideal = ideal_counts(size, wished);

    // Two axes are tried around the ideal, the third, with most cells, follows from the count.
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| ideal[a].total_cmp(&ideal[b]));

    let mut best = ([1; 3], WORST);
    for a in around(ideal[axes[0]]) {
        for b in around(ideal[axes[1]]) {
            let c = (wished / f64::from(a) / f64::from(b)).round().max(1.0);
            let mut counts = [0; 3];
            for (axis, n) in axes.into_iter().zip([a, b, c as u32]) {
                counts[axis] = n;
            }
            let count = f64::from(a) * f64::from(b) * c;
            let cost = cost(count, wished, BLOCK_TOLERANCE, stretch(counts, ideal));
            if cost < best.1 {
                best = (counts, cost);
            }
        }
    }
    Ok(best.0)
}

/// The lattice of a sheet in the xz plane with about `wished` cells, as nearly square as that allows.
pub(super) fn sheet_counts(size: [f64; 3], wished: u32) -> Result<[u32; 3], GenerateError> {
    require_count(u64::from(wished))?;
    let wished = f64::from(wished);
    let [long, wide] = [size[0].max(size[2]), size[0].min(size[2])];
    let across = (wished * wide / long).sqrt().clamp(1.0, wished);
    let ideal = [wished / across, 1.0, across];
    let mut best = ([1; 3], WORST);
    for b in around(across) {
        let a = (wished / f64::from(b)).round().max(1.0);
        let counts = [a as u32, 1, b];
        let cost = cost(a * f64::from(b), wished, BLOCK_TOLERANCE, stretch(counts, ideal));
        if cost < best.1 {
            best = (counts, cost);
        }
    }
    let [a, _, b] = best.0;
    Ok(if size[0] >= size[2] { [a, 1, b] } else { [b, 1, a] })
}

/// The counts to try.
fn around(ideal: f64) -> std::ops::RangeInclusive<u32> {
    (ideal / 2.0).max(1.0) as u32..=(1.5 * ideal).ceil() as u32
}

/// Real-valued counts of cubic cells; an axis shorter than such a cell gets one flat layer.
fn ideal_counts(size: [f64; 3], wished: f64) -> [f64; 3] {
    let mut flat = [false; 3];
    loop {
        let free = (0..3).filter(|&axis| !flat[axis]);
        let (count, product) =
            free.fold((0, 1.0), |(count, product), axis| (count + 1, product * size[axis]));
        if count == 0 {
            return [1.0; 3];
        }
        let side = (product / wished).powf(1.0 / f64::from(count));
        let counts: [f64; 3] =
            std::array::from_fn(|axis| if flat[axis] { 1.0 } else { size[axis] / side });
        match (0..3).find(|&axis| counts[axis] < 1.0) {
            Some(axis) => flat[axis] = true,
            None => return counts,
        }
    }
}

/// How much the cells differ from the ideal ones in proportion, as the ln of a ratio.
fn stretch(counts: [u32; 3], ideal: [f64; 3]) -> f64 {
    let ratios: [f64; 3] = std::array::from_fn(|axis| f64::from(counts[axis]) / ideal[axis]);
    let most = ratios.into_iter().fold(f64::MIN, f64::max);
    let least = ratios.into_iter().fold(f64::MAX, f64::min);
    (most / least).ln()
}

/// Whether the middle of the lattice along each axis is a cell's centre or the face between two.
type Centred = [bool; 3];

/// A lattice, and how far from the origin (or the axis) a kept centre may lie, in m.
pub(super) type Round = (Lattice, f64);

/// The cubic lattice with about `wished` cells that make a ball, their volume that of the ball.
///
/// In units of half a spacing, centres have even coordinates along a centred axis and odd ones
/// along the others, so their squared distance from the origin is an integer m. How many lie within
/// m grows with m: bisection finds the two nearest to the wish, for each of the four ways to centre
/// the lattice that differ in more than the names of the axes. The two ways that treat all axes
/// alike come first: with the others the inertia differs by some per cent between the axes.
pub(super) fn sphere_lattice(radius: f64, wished: u32) -> Result<Round, GenerateError> {
    require_count(u64::from(wished))?;
    let ways: [Centred; 4] = [[true; 3], [false; 3], [true, true, false], [true, false, false]];
    let mut best = (0, ways[0], WORST);
    for centred in ways {
        for m in straddle(u64::from(wished), |m| count_in_ball(m, centred)) {
            let count = count_in_ball(m, centred) as f64;
            let alike = centred[0] == centred[1] && centred[1] == centred[2];
            let stretch = if alike { 0.0 } else { ROUND_TOLERANCE };
            let cost = cost(count, f64::from(wished), ROUND_TOLERANCE, stretch);
            if cost < best.2 {
                best = (m, centred, cost);
            }
        }
    }
    let (m, centred, _) = best;
    let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let spacing = (volume / count_in_ball(m, centred) as f64).cbrt();
    let lattice = Lattice::new(centred.map(|centred| cells_across(m, centred)), [spacing; 3])?;
    Ok((lattice, reach(m, spacing)))
}

/// The lattice with about `wished` cells that make a cylinder along y: a disc found as the ball in
/// [`sphere_lattice`], in layers that divide the height. The layers leave enough choice to treat x
/// and z alike.
pub(super) fn cylinder_lattice(
    radius: f64,
    height: f64,
    wished: u32,
) -> Result<Round, GenerateError> {
    require_count(u64::from(wished))?;
    let wished = f64::from(wished);
    let area = std::f64::consts::PI * radius * radius;
    let across = |in_layer: f64| (area / in_layer).sqrt();
    let aspect = |layers: f64, in_layer: f64| across(in_layer) * layers / height;
    let ideal_layers = ideal_layers(area, height, wished);
    let ideal_aspect = aspect(ideal_layers, wished / ideal_layers);

    let mut best = (1, 0, [true; 2], WORST);
    for layers in around(ideal_layers) {
        let in_layer = (wished / f64::from(layers)).round().max(1.0);
        for centred in [[true; 2], [false; 2]] {
            for m in straddle(in_layer as u64, |m| count_in_disc(m, centred)) {
                let in_layer = count_in_disc(m, centred) as f64;
                let stretch = (aspect(layers.into(), in_layer) / ideal_aspect).ln().abs();
                let count = f64::from(layers) * in_layer;
                let cost = cost(count, wished, ROUND_TOLERANCE, stretch);
                if cost < best.3 {
                    best = (layers, m, centred, cost);
                }
            }
        }
    }
    let (layers, m, centred, _) = best;
    let spacing = across(count_in_disc(m, centred) as f64);
    let lattice = Lattice::new(
        [cells_across(m, centred[0]), layers as usize, cells_across(m, centred[1])],
        [spacing, height / f64::from(layers), spacing],
    )?;
    Ok((lattice, reach(m, spacing)))
}

/// Real-valued number of layers of cubic cells, between one layer and one cell per layer.
fn ideal_layers(area: f64, height: f64, wished: f64) -> f64 {
    let side = (area * height / wished).cbrt();
    (height / side).clamp(1.0, wished)
}

/// The largest m whose count is at most `wished`, if that holds anything, and the next m that
/// counts more. `count` grows with m.
fn straddle(wished: u64, count: impl Fn(u64) -> u64) -> Vec<u64> {
    let mut high = 1;
    while count(high) <= wished {
        high *= 2;
    }
    // count(low) ≤ wished < count(high), where low = −1 stands for nothing inside
    let mut low = -1;
    while high as i64 - low > 1 {
        let middle = (low + high as i64) / 2;
        if count(middle as u64) <= wished {
            low = middle;
        } else {
            high = middle as u64;
        }
    }
    let below = u64::try_from(low).ok().filter(|&m| count(m) > 0);
    below.into_iter().chain([high]).collect()
}

/// A distance that the centres within m, and no others, are nearer than: half way in m to the next
/// integer, far from rounding.
fn reach(m: u64, spacing: f64) -> f64 {
    0.5 * spacing * (m as f64 + 0.5).sqrt()
}

/// Cells along an axis that hold all centres within m.
fn cells_across(m: u64, centred: bool) -> usize {
    count_on_line(m, centred) as usize
}

/// Even (or odd) integers whose square is at most m.
fn count_on_line(m: u64, centred: bool) -> u64 {
    let root = m.isqrt();
    if centred { 2 * (root / 2) + 1 } else { 2 * root.div_ceil(2) }
}

/// Points of the plane lattice within m.
fn count_in_disc(m: u64, centred: [bool; 2]) -> u64 {
    sum_over_line(m, centred[0], |rest| count_on_line(rest, centred[1]))
}

/// Points of the lattice within m.
fn count_in_ball(m: u64, centred: Centred) -> u64 {
    sum_over_line(m, centred[0], |rest| count_in_disc(rest, [centred[1], centred[2]]))
}

/// Σ over even (or odd) integers x with x² ≤ m of `inner(m − x²)`.
fn sum_over_line(m: u64, centred: bool, inner: impl Fn(u64) -> u64) -> u64 {
    let (mut x, mut sum) = if centred { (2, inner(m)) } else { (1, 0) };
    while x * x <= m {
        sum += 2 * inner(m - x * x);
        x += 2;
    }
    sum
}
