//! Patterns in which a hit breaks a convex solid.
//!
//! A pattern is given in a frame of its own: the hit is the origin, y runs along the impact.

mod cells;
mod desc;
mod state;
#[cfg(test)]
mod tests;
mod voronoi;

pub use desc::{PatternDesc, PatternError};

use super::convex::Convex;
use crate::material::noise::mix;
use crate::math::ops;
use cells::CellList;
use core::f32::consts::PI;
use glam::{DMat3, DVec3, Vec3};
use std::sync::Arc;

/// A checked pattern, made from a [`PatternDesc`]. Copies are cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    desc: Arc<PatternDesc>,
    /// The cells of a list, ready to cut with; empty for all other patterns.
    list: Arc<CellList>,
}

impl TryFrom<&PatternDesc> for Pattern {
    type Error = PatternError;

    fn try_from(desc: &PatternDesc) -> Result<Self, PatternError> {
        desc.check()?;
        let list = match desc {
            PatternDesc::Cells(cells) => CellList::new(cells)?,
            _ => CellList::default(),
        };
        Ok(Self { desc: Arc::new(desc.clone()), list: Arc::new(list) })
    }
}

impl Pattern {
    /// What it was made from.
    pub fn desc(&self) -> &PatternDesc {
        &self.desc
    }

    /// How far from the hit it breaks at most, in m; a list of cells as far as its corners are.
    pub fn radius(&self) -> f32 {
        match &*self.desc {
            PatternDesc::Voronoi { radius, .. }
            | PatternDesc::Radial { radius, .. }
            | PatternDesc::Brick { radius, .. } => *radius,
            PatternDesc::Cells(cells) => {
                let corners = cells.iter().flatten().map(|&corner| Vec3::from(corner));
                corners.map(Vec3::length).fold(0.0, f32::max)
            }
        }
    }

    /// The cells into which a hit at `hit` (in m) along `normal` (of any length) breaks `fragment`,
    /// all in one frame. Together they are the fragment; one cell means that it holds.
    ///
    /// Nothing below `min_volume` in m³ is cut off: it stays with what it would be cut from. Only
    /// [`PatternDesc::Cells`] are cut as drawn, since a cell that grows would dent its neighbours.
    ///
    /// The same hit gives the same cells; hits at different places break differently.
    pub fn cells(
        &self,
        hit: DVec3,
        normal: DVec3,
        fragment: &Convex,
        min_volume: f64,
    ) -> Vec<Convex> {
        let usable = hit.is_finite() && !min_volume.is_nan();
        let found = if usable { self.try_cells(hit, normal, fragment, min_volume) } else { None };
        found.unwrap_or_else(|| vec![fragment.clone()])
    }

    /// The same; none if the hit is elsewhere.
    fn try_cells(
        &self,
        hit: DVec3,
        normal: DVec3,
        fragment: &Convex,
        min_volume: f64,
    ) -> Option<Vec<Convex>> {
        let frame = Frame::new(hit, normal);
        match &*self.desc {
            &PatternDesc::Voronoi { radius, count, seed } => {
                let mut random = Random::new(seed, hit);
                let (core, mut cells) =
                    around_hit(&frame, radius, fragment, min_volume, &mut random)?;
                let sites = voronoi::sites(&frame, radius, count, &core, &mut random);
                cells.extend(voronoi::cells(&core, sites, min_volume));
                Some(cells)
            }
            &PatternDesc::Radial { radius, rays, rings, seed } => {
                let mut random = Random::new(seed, hit);
                let (core, mut cells) =
                    around_hit(&frame, radius, fragment, min_volume, &mut random)?;
                let star = Star { frame, radius: f64::from(radius), rays, rings, min_volume };
                cells.extend(star.cells(core, &mut random));
                Some(cells)
            }
            PatternDesc::Brick { size, radius, along, up, origin } => {
                let axes = brick_axes(*along, *up);
                let size = DVec3::from_array(size.map(f64::from));
                let origin = DVec3::from_array(origin.map(f64::from));
                let wall = Wall { axes, size, origin, min_volume };
                wall.cells(fragment, hit, f64::from(*radius))
            }
            PatternDesc::Cells(_) => self.list.cells(&frame, fragment),
        }
    }
}

/// Where a pattern is: its origin and its axes.
#[derive(Clone, Copy)]
struct Frame {
    origin: DVec3,
    axes: DMat3,
}

impl Frame {
    /// With y along `normal`; without a direction it is that of the fragment.
    fn new(hit: DVec3, normal: DVec3) -> Self {
        let axes = normal.try_normalize().map_or(DMat3::IDENTITY, |y| {
            let (z, x) = y.any_orthonormal_pair();
            DMat3::from_cols(x, y, z)
        });
        Self { origin: hit, axes }
    }

    fn point(&self, p: DVec3) -> DVec3 {
        self.origin + self.axes * p
    }
}

/// Numbers from a seed and a place, the same on every machine.
struct Random {
    key: u64,
    drawn: u64,
}

impl Random {
    fn new(seed: u64, hit: DVec3) -> Self {
        // + 0 turns −0 into 0
        let fold = |key: u64, x: f64| mix(key ^ (x + 0.0).to_bits());
        Self { key: hit.to_array().into_iter().fold(mix(seed), fold), drawn: 0 }
    }

    /// Uniform between −1 and 1, from the upper 53 bits of the hash.
    fn signed(&mut self) -> f64 {
        self.drawn += 1;
        let half_steps = 2 * (mix(self.key ^ self.drawn) >> 11) + 1;
        half_steps as f64 / (1u64 << 53) as f64 - 1.0
    }
}

/// Both parts of a cut, if neither is too small.
fn parted(solid: &Convex, normal: DVec3, offset: f64, min_volume: f64) -> Option<[Convex; 2]> {
    let (Some(below), Some(above)) = solid.cut(normal, offset) else { return None };
    (below.volume() >= min_volume && above.volume() >= min_volume).then_some([below, above])
}

/// Cuts a solid at rising offsets along a normal. Cuts that would leave too little are not made.
fn sliced(
    mut solid: Convex,
    normal: DVec3,
    offsets: impl Iterator<Item = f64>,
    min_volume: f64,
) -> Vec<Convex> {
    let mut slices = Vec::new();
    for offset in offsets {
        if let Some([below, above]) = parted(&solid, normal, offset, min_volume) {
            slices.push(below);
            solid = above;
        }
    }
    slices.push(solid);
    slices
}

/// What of a solid is below all planes, and the parts cut off around it; none if that is too small.
fn trimmed(
    solid: &Convex,
    planes: impl Iterator<Item = (DVec3, f64)>,
    min_volume: f64,
) -> Option<(Convex, Vec<Convex>)> {
    let mut core = solid.clone();
    let mut rest = Vec::new();
    for (normal, offset) in planes {
        let (below, above) = core.cut(normal, offset);
        let below = below.filter(|b| b.volume() >= min_volume)?;
        if let Some(above) = above.filter(|a| a.volume() >= min_volume) {
            core = below;
            rest.push(above);
        }
    }
    Some((core, rest))
}

/// What lies within the radius of a hit, and the few parts around it, which stay whole; none if the
/// hit is elsewhere.
///
/// Around a hit that is far from all edges it takes six parts for all to be convex; they leave the
/// hit along planes at the radius, tilted at random. Where a fragment ends within half a radius
/// more, it is not worth a cut.
fn around_hit(
    frame: &Frame,
    radius: f32,
    fragment: &Convex,
    min_volume: f64,
    random: &mut Random,
) -> Option<(Convex, Vec<Convex>)> {
    let radius = f64::from(radius);
    let mut planes = Vec::new();
    for axis in [DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z, DVec3::Y, DVec3::NEG_Y] {
        let tilt = DVec3::new(random.signed(), random.signed(), random.signed()) * 0.25;
        let outward = (frame.axes * (axis + tilt)).normalize();
        let at = outward.dot(frame.origin);
        if fragment.extent(outward).1 > at + 1.5 * radius {
            planes.push((outward, at + radius));
        }
    }
    trimmed(fragment, planes.into_iter(), min_volume)
}

/// Rays from the hit, and rings around it.
struct Star {
    frame: Frame,
    radius: f64,
    rays: u32,
    rings: u32,
    min_volume: f64,
}

impl Star {
    /// Two rays go straight through the hit and part the solid in halves; in each, the others cut
    /// off wedge after wedge.
    fn cells(&self, core: Convex, random: &mut Random) -> Vec<Convex> {
        let turn = random.signed() as f32 * PI;
        let first = self.rays / 2;
        let counts = [self.rays - first, first];
        let (normal, offset) = self.left_of_ray(turn);
        let halves = match parted(&core, normal, offset, self.min_volume) {
            Some([below, above]) => vec![(turn - PI, counts[0], below), (turn, counts[1], above)],
            None if normal.dot(core.measure().centre) < offset => {
                vec![(turn - PI, counts[0], core)]
            }
            None => vec![(turn, counts[1], core)],
        };
        let mut cells = Vec::new();
        for (start, count, half) in halves {
            self.wedges(half, start, count, random, &mut cells);
        }
        cells
    }

    fn wedges(
        &self,
        mut half: Convex,
        start: f32,
        count: u32,
        random: &mut Random,
        cells: &mut Vec<Convex>,
    ) {
        let mut from = start;
        for k in 1..count {
            let to = start + PI * (k as f32 + 0.3 * random.signed() as f32) / count as f32;
            let (normal, offset) = self.left_of_ray(to);
            if let Some([wedge, rest]) = parted(&half, normal, offset, self.min_volume) {
                cells.extend(self.ringed(wedge, 0.5 * (from + to), random));
                half = rest;
                from = to;
            }
        }
        cells.extend(self.ringed(half, 0.5 * (from + start + PI), random));
    }

    /// A wedge cut across its middle, at distances that grow as squares, j²/n² of the radius.
    fn ringed(&self, wedge: Convex, middle: f32, random: &mut Random) -> Vec<Convex> {
        let outward = self.direction(middle);
        let at = outward.dot(self.frame.origin);
        let offsets = (1..self.rings).map(|j| {
            let share = (f64::from(j) + 0.3 * random.signed()) / f64::from(self.rings);
            at + self.radius * share * share
        });
        sliced(wedge, outward, offsets, self.min_volume)
    }

    /// Across the axis, at this angle in rad from x towards z.
    fn direction(&self, angle: f32) -> DVec3 {
        let (x, z) = (f64::from(ops::cos(angle)), f64::from(ops::sin(angle)));
        (self.frame.axes * DVec3::new(x, 0.0, z)).normalize()
    }

    /// The plane through the axis and a ray; angles beyond are above it.
    fn left_of_ray(&self, angle: f32) -> (DVec3, f64) {
        let normal = self.direction(angle + 0.5 * PI);
        (normal, normal.dot(self.frame.origin))
    }
}

/// Unit vectors along the length, the height and the depth of bricks.
fn brick_axes(along: [f32; 3], up: [f32; 3]) -> DMat3 {
    let [along, up] = [along, up].map(|d| DVec3::from_array(d.map(f64::from)).normalize());
    let across = along.cross(up).normalize();
    DMat3::from_cols(along, across.cross(along), across)
}

/// Bricks in courses, each shifted by half a brick.
struct Wall {
    axes: DMat3,
    size: DVec3,
    origin: DVec3,
    min_volume: f64,
}

impl Wall {
    /// Whole courses and whole lengths of bricks around the hit are taken out of the fragment as a
    /// box; what is left around it stays in six parts at most.
    fn cells(&self, fragment: &Convex, hit: DVec3, radius: f64) -> Option<Vec<Convex>> {
        let at = self.axes.transpose() * (hit - self.origin) / self.size;
        let reach = DVec3::splat(radius) / self.size;
        let (low, high) = ((at - reach).floor(), (at + reach).ceil());

        let ends = [1, 0, 2].into_iter().flat_map(|axis| {
            let (normal, top) = self.joint(axis, high[axis]);
            let (_, bottom) = self.joint(axis, low[axis]);
            [(normal, top), (-normal, -bottom)]
        });
        let (core, mut cells) = trimmed(fragment, ends, self.min_volume)?;
        let joints = |axis, shift: f64| {
            let count = (high[axis] - low[axis]) as u32;
            let first = low[axis] + shift;
            (0..count).map(move |i| self.joint(axis, first + f64::from(i)).1)
        };
        for course in sliced(core, self.axes.y_axis, joints(1, 0.0), self.min_volume) {
            let height = self.axes.y_axis.dot(course.measure().centre - self.origin) / self.size.y;
            let shift = 0.5 * height.floor().rem_euclid(2.0);
            for brick in sliced(course, self.axes.x_axis, joints(0, shift), self.min_volume) {
                cells.extend(sliced(brick, self.axes.z_axis, joints(2, 0.0), self.min_volume));
            }
        }
        Some(cells)
    }

    /// The plane across an axis, this many bricks from the origin.
    fn joint(&self, axis: usize, bricks: f64) -> (DVec3, f64) {
        let normal = self.axes.col(axis);
        (normal, normal.dot(self.origin) + bricks * self.size[axis])
    }
}
