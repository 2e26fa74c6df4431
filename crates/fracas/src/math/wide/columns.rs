//! Eight particles or groups side by side: columns and points to lanes and back.

use super::{Rotx8, Sym3x8, Vec3x8, WideRot, WideSym3, WideVec3};
use crate::math::Rot;
use crate::parallel::Span;
use fearless_simd::{Simd, f32x4, f32x8, prelude::*};
use glam::Vec3;

/// Eight consecutive floats from `i` on, or as many as there are.
#[inline(always)]
pub(crate) fn load_lanes<S: Simd>(simd: S, column: &[f32], i: usize) -> f32x8<S> {
    match column.get(i..i + 8) {
        Some(all) => f32x8::from_slice(simd, all),
        None => {
            let mut lanes = [0.0; 8];
            let left = &column[i..];
            lanes[..left.len()].copy_from_slice(left);
            f32x8::from_slice(simd, &lanes)
        }
    }
}

#[inline(always)]
pub(crate) fn vec3<S: Simd>(x: f32x8<S>, y: f32x8<S>, z: f32x8<S>) -> Vec3x8<S> {
    WideVec3 { x, y, z }
}

/// Eight points from `j` on, side by side; past the end of the column they are zero.
#[inline(always)]
pub(crate) fn load_points<S: Simd>(simd: S, points: &[Vec3], j: usize) -> Vec3x8<S> {
    let floats: &[f32] = bytemuck::cast_slice(points);
    let at = 3 * j;
    // four floats per point, the fourth being the next point's first
    match floats.get(at..at + 25) {
        Some(f) => {
            let row = |k: usize| f32x4::from_slice(simd, &f[3 * k..3 * k + 4]);
            let (ax, ay, az) = turn_rows(row(0), row(1), row(2), row(3));
            let (bx, by, bz) = turn_rows(row(4), row(5), row(6), row(7));
            vec3(ax.combine(bx), ay.combine(by), az.combine(bz))
        }
        None => {
            let mut rows = [[0.0; 8]; 3];
            for (lane, p) in points[j..].iter().take(8).enumerate() {
                rows[0][lane] = p.x;
                rows[1][lane] = p.y;
                rows[2][lane] = p.z;
            }
            Vec3x8::load(simd, &rows)
        }
    }
}

/// Transposes 4 × 4, without the last row: a perfect shuffle, twice over.
#[inline(always)]
pub(crate) fn turn_rows<S: Simd>(
    a: f32x4<S>,
    b: f32x4<S>,
    c: f32x4<S>,
    d: f32x4<S>,
) -> (f32x4<S>, f32x4<S>, f32x4<S>) {
    let (e, f) = a.interleave(c);
    let (g, h) = b.interleave(d);
    let (x, y) = e.interleave(g);
    let (z, _) = f.interleave(h);
    (x, y, z)
}

#[inline(always)]
pub(crate) fn store_points<S: Simd>(v: Vec3x8<S>, points: &mut [Vec3]) {
    let (mut x, mut y, mut z) = ([0.0; 8], [0.0; 8], [0.0; 8]);
    v.x.store_slice(&mut x);
    v.y.store_slice(&mut y);
    v.z.store_slice(&mut z);
    for (lane, p) in points.iter_mut().enumerate() {
        *p = Vec3::new(x[lane], y[lane], z[lane]);
    }
}

#[inline(always)]
pub(crate) fn store_pairs<S: Simd>(a: f32x8<S>, b: f32x8<S>, pairs: &mut [[f32; 2]]) {
    let (mut first, mut second) = ([0.0; 8], [0.0; 8]);
    a.store_slice(&mut first);
    b.store_slice(&mut second);
    for (lane, pair) in pairs.iter_mut().enumerate() {
        *pair = [first[lane], second[lane]];
    }
}

#[inline(always)]
pub(crate) fn load_vec3<S: Simd>(simd: S, columns: &[Vec<f32>; 3], i: usize) -> Vec3x8<S> {
    vec3(
        load_lanes(simd, &columns[0], i),
        load_lanes(simd, &columns[1], i),
        load_lanes(simd, &columns[2], i),
    )
}

#[inline(always)]
pub(crate) fn load_sym3<S: Simd>(simd: S, columns: &[Vec<f32>; 6], i: usize) -> Sym3x8<S> {
    WideSym3 {
        xx: load_lanes(simd, &columns[0], i),
        yy: load_lanes(simd, &columns[1], i),
        zz: load_lanes(simd, &columns[2], i),
        xy: load_lanes(simd, &columns[3], i),
        yz: load_lanes(simd, &columns[4], i),
        zx: load_lanes(simd, &columns[5], i),
    }
}

/// Lanes to the range of a column, as many as it is long.
#[inline(always)]
fn store_lanes<S: Simd>(v: f32x8<S>, column: &mut [f32]) {
    match <&mut [f32; 8]>::try_from(&mut *column) {
        Ok(all) => v.store_slice(all),
        Err(_) => {
            let mut lanes = [0.0; 8];
            v.store_slice(&mut lanes);
            column.copy_from_slice(&lanes[..column.len()]);
        }
    }
}

#[inline(always)]
pub(crate) fn store_vec3<S: Simd>(v: Vec3x8<S>, columns: &mut [&mut [f32]; 3], range: Span) {
    for (lanes, column) in [v.x, v.y, v.z].into_iter().zip(columns) {
        store_lanes(lanes, &mut column[range.clone()]);
    }
}

#[inline(always)]
pub(crate) fn store_sym3<S: Simd>(a: &Sym3x8<S>, columns: &mut [&mut [f32]; 6], range: Span) {
    for (lanes, column) in [a.xx, a.yy, a.zz, a.xy, a.yz, a.zx].into_iter().zip(columns) {
        store_lanes(lanes, &mut column[range.clone()]);
    }
}

#[inline(always)]
pub(crate) fn load_rotations<S: Simd>(simd: S, rotation: &[Rot]) -> Rotx8<S> {
    let padded;
    let lanes = match <&[Rot; 8]>::try_from(rotation) {
        Ok(all) => all,
        Err(_) => {
            let mut lanes = [Rot::IDENTITY; 8];
            lanes[..rotation.len()].copy_from_slice(rotation);
            padded = lanes;
            &padded
        }
    };
    let floats: &[f32] = bytemuck::cast_slice(lanes);
    let a = f32x4::load_four_interleaved(simd, &floats[..16]);
    let b = f32x4::load_four_interleaved(simd, &floats[16..]);
    WideRot {
        x: a[0].combine(b[0]),
        y: a[1].combine(b[1]),
        z: a[2].combine(b[2]),
        w: a[3].combine(b[3]),
    }
}

#[inline(always)]
pub(crate) fn store_rotations<S: Simd>(q: Rotx8<S>, rotation: &mut [Rot]) {
    let mut lanes = [Rot::IDENTITY; 8];
    let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut lanes);
    let (x, y, z, w) = (q.x.split(), q.y.split(), q.z.split(), q.w.split());
    f32x4::store_four_interleaved([x.0, y.0, z.0, w.0], &mut floats[..16]);
    f32x4::store_four_interleaved([x.1, y.1, z.1, w.1], &mut floats[16..]);
    match <&mut [Rot; 8]>::try_from(&mut *rotation) {
        Ok(all) => *all = lanes,
        Err(_) => rotation.copy_from_slice(&lanes[..rotation.len()]),
    }
}

/// Transposes 8 × 8: a perfect shuffle of the rows, three times over.
#[inline(always)]
pub(crate) fn transpose<S: Simd>(rows: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    shuffle(shuffle(shuffle(rows)))
}

#[inline(always)]
fn shuffle<S: Simd>(r: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    let (a, b) = r[0].interleave(r[4]);
    let (c, d) = r[1].interleave(r[5]);
    let (e, f) = r[2].interleave(r[6]);
    let (g, h) = r[3].interleave(r[7]);
    [a, b, c, d, e, f, g, h]
}
