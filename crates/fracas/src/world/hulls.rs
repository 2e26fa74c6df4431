//! From the fragments of a shape to what others touch of them once they are broken.

use super::finding::Shaped;
use crate::contact::shape::{Hull, Shape, ShapeError};
use crate::math::{Rot, Sym3, ops, symmetric_eigen};
use crate::solids::Particles;
use crate::solids::oriented::{OrientedPoint, OrientedShape};
use glam::Vec3;
use std::collections::BTreeMap;

/// Corners of a hull: the time to find contacts grows with them.
const MOST_CORNERS: usize = 26;
/// How far the axes of a box may be from those of the ellipsoid: products of inertia over its trace.
const ALIGNED: f32 = 1e-5;

/// The shapes of all fragments, in the frames of their particles' axes, which are told which is theirs.
/// Fragments with boxes of the same size share one. A box beyond the sizes of shapes stays an ellipsoid.
pub(super) fn of_fragments(
    shape: &OrientedShape,
    particles: &mut Particles,
) -> Result<Vec<Shaped>, String> {
    let OrientedShape { points, hulls, .. } = shape;
    if !hulls.is_empty() && hulls.len() != points.len() {
        let (found, count) = (hulls.len(), points.len());
        return Err(format!("it has {found} hulls, but {count} points: one each, or none at all"));
    }
    let mut shapes: Vec<Shaped> = Vec::new();
    let mut blocks = BTreeMap::new();
    for (k, point) in points.iter().enumerate() {
        let axes = particles.axes[k];
        let refused = |what: String| format!("the hull of point {k} {what}");
        let next = shapes.len() as u32;
        let found = if let Some(corners) = hulls.get(k) {
            // turned, the corners of a thin one may lie in a plane
            let hull = hull_of(corners, point.volume, axes).map_err(refused)?;
            hull.or_else(|| Shape::hull(&box_corners(point, axes)).ok())
        } else if let Some(half) = half_sides(point, axes) {
            let size = half.to_array().map(f32::to_bits);
            if let Some(&same) = blocks.get(&size) {
                particles.shape[k] = same;
                continue;
            }
            let block = Shape::block(half).ok();
            block.inspect(|_| {
                blocks.insert(size, next);
            })
        } else {
            Shape::hull(&box_corners(point, axes)).ok()
        };
        if let Some(found) = found {
            particles.shape[k] = next;
            shapes.push(Shaped::new(found, Vec3::ZERO));
        }
    }
    Ok(shapes)
}

/// The hull of corners about a position, scaled to a volume, in the frame of these axes.
fn hull_of(corners: &[[f32; 3]], volume: f32, axes: Rot) -> Result<Option<Shape>, String> {
    let corners: Vec<Vec3> = corners.iter().map(|&corner| corner.into()).collect();
    let hull = few_corners(&corners).map_err(|error| format!("is none: {error}"))?;
    if !hull.holds_origin() {
        // with fewer corners a thin one may not
        if Hull::new(&corners).is_ok_and(|whole| whole.holds_origin()) {
            return Ok(None);
        }
        return Err("does not hold its position, which its corners are relative to".into());
    }
    let corners = hull.vertices().to_vec();
    let found = Shape::Hull(hull).mass_properties(1.0).map_or(volume, |mass| mass.mass);
    let (scale, back) = (ops::cbrt(volume / found), axes.inverse());
    let placed: Vec<Vec3> = corners.iter().map(|&corner| back * (scale * corner)).collect();
    Ok(Shape::hull(&placed).ok())
}

/// Half sides of the box with the second moment A of a fragment, in the frame of the axes of its ellipsoid
/// if they are its own: A_kk = V a_k²/3, scaled to the volume V.
fn half_sides(point: &OrientedPoint, axes: Rot) -> Option<Vec3> {
    let moment = Sym3::from_array(point.second_moment).conjugate(axes.inverse());
    let across = moment.xy.abs().max(moment.yz.abs()).max(moment.zx.abs());
    let along = Vec3::new(moment.xx, moment.yy, moment.zz);
    (across <= ALIGNED * moment.trace()).then(|| sides_of(along, point.volume))
}

fn sides_of(along: Vec3, volume: f32) -> Vec3 {
    let sides = along.to_array().map(|a| (3.0 * a / volume).sqrt());
    let half = Vec3::from(sides);
    half * ops::cbrt(volume / (8.0 * half.element_product()))
}

/// The same of a box along the principal axes of the second moment, as its corners.
fn box_corners(point: &OrientedPoint, axes: Rot) -> [Vec3; 8] {
    let moment = Sym3::from_array(point.second_moment).conjugate(axes.inverse());
    let (along, turn) = symmetric_eigen(&moment);
    let half = sides_of(along.into(), point.volume);
    std::array::from_fn(|k| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        turn * (half * Vec3::new(sign(0), sign(1), sign(2)))
    })
}

/// The hull of some points, or of those that lie farthest along the sides, edges and corners of a cube.
fn few_corners(points: &[Vec3]) -> Result<Hull, ShapeError> {
    let whole = Hull::new(points);
    match &whole {
        Ok(hull) if hull.vertices().len() <= MOST_CORNERS => return whole,
        Ok(_) | Err(ShapeError::WrongCount { .. }) => {}
        Err(_) => return whole,
    }
    let mut chosen = Vec::with_capacity(MOST_CORNERS);
    for k in (0..27).filter(|&k| k != 13) {
        let step = |k: i32| (k % 3 - 1) as f32;
        let way = Vec3::new(step(k), step(k / 3), step(k / 9));
        let along = |i: &usize, j: &usize| way.dot(points[*i]).total_cmp(&way.dot(points[*j]));
        chosen.extend((0..points.len()).max_by(along));
    }
    chosen.sort_unstable();
    chosen.dedup();
    let corners: Vec<Vec3> = chosen.into_iter().map(|k| points[k]).collect();
    Hull::new(&corners).or(whole)
}
