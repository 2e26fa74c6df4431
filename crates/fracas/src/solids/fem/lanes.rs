//! Eight points at a time, from anywhere in a column and back.

use crate::math::fearless_simd::{Simd, f32x4, prelude::*};
use crate::math::wide::Vec3x8;
use crate::math::wide::columns::{turn_rows, vec3};
use glam::Vec3;

/// A point or a force with a zero behind it: 16 bytes are one load.
pub(crate) type Point = [f32; 4];

/// With a zero behind it.
#[inline(always)]
pub(crate) fn point(v: Vec3) -> Point {
    [v.x, v.y, v.z, 0.0]
}

/// Without.
#[inline(always)]
pub(crate) fn vector(p: Point) -> Vec3 {
    Vec3::new(p[0], p[1], p[2])
}

/// Corner `corner` of eight tetrahedra or triangles from `at` on; past the end the last again.
#[inline(always)]
pub(crate) fn gather<S: Simd, const N: usize>(
    simd: S,
    points: &[Point],
    corners: &[[u32; N]],
    at: usize,
    corner: usize,
) -> Vec3x8<S> {
    let last = corners.len() - 1;
    let row = |k: usize| {
        let of = corners[(at + k).min(last)];
        f32x4::from_slice(simd, &points[of[corner] as usize])
    };
    let (ax, ay, az) = turn_rows(row(0), row(1), row(2), row(3));
    let (bx, by, bz) = turn_rows(row(4), row(5), row(6), row(7));
    vec3(ax.combine(bx), ay.combine(by), az.combine(bz))
}

/// Eight vectors to the start of a column, or as many as it has room for.
#[inline(always)]
pub(crate) fn store<S: Simd>(simd: S, v: Vec3x8<S>, points: &mut [Point]) {
    let zero = f32x4::splat(simd, 0.0);
    let (x, y, z) = (v.x.split(), v.y.split(), v.z.split());
    if let Some(eight) = points.first_chunk_mut::<8>() {
        let floats: &mut [f32] = bytemuck::cast_slice_mut(eight);
        f32x4::store_four_interleaved([x.0, y.0, z.0, zero], &mut floats[..16]);
        f32x4::store_four_interleaved([x.1, y.1, z.1, zero], &mut floats[16..]);
        return;
    }
    let mut eight = [[0.0; 4]; 8];
    let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut eight);
    f32x4::store_four_interleaved([x.0, y.0, z.0, zero], &mut floats[..16]);
    f32x4::store_four_interleaved([x.1, y.1, z.1, zero], &mut floats[16..]);
    points.copy_from_slice(&eight[..points.len()]);
}

/// Sum of some slots, in their order.
#[inline(always)]
pub(crate) fn sum_slots<S: Simd>(simd: S, slots: &[Point], list: &[u32]) -> f32x4<S> {
    let mut sum = f32x4::splat(simd, 0.0);
    for &slot in list {
        sum += f32x4::from_slice(simd, &slots[slot as usize]);
    }
    sum
}
