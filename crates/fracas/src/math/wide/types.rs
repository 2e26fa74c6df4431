//! Vectors, matrices and rotations over a [`Lane`], and how eight of them are loaded and stored.

use core::ops::{Add, Mul, Sub};

use fearless_simd::{Simd, SimdFrom, f32x8};
use glam::{Mat3, Vec3};

use super::Lane;
use crate::math::{Rot, Sym3};

/// A vector with one component per lane value.
#[derive(Clone, Copy, Debug)]
pub struct WideVec3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

/// A 3×3 matrix by columns, as glam has it.
#[derive(Clone, Copy, Debug)]
pub struct WideMat3<T> {
    /// First column.
    pub x_axis: WideVec3<T>,
    /// Second column.
    pub y_axis: WideVec3<T>,
    /// Third column.
    pub z_axis: WideVec3<T>,
}

/// A symmetric 3×3 matrix, entries in the order of [`Sym3`].
#[derive(Clone, Copy, Debug)]
pub struct WideSym3<T> {
    /// Entry 1,1.
    pub xx: T,
    /// Entry 2,2.
    pub yy: T,
    /// Entry 3,3.
    pub zz: T,
    /// Entries 1,2 and 2,1.
    pub xy: T,
    /// Entries 2,3 and 3,2.
    pub yz: T,
    /// Entries 3,1 and 1,3.
    pub zx: T,
}

/// A unit quaternion, scalar part last as in [`Rot`].
#[derive(Clone, Copy, Debug)]
pub struct WideRot<T> {
    /// First component of the vector part.
    pub x: T,
    /// Second component of the vector part.
    pub y: T,
    /// Third component of the vector part.
    pub z: T,
    /// Scalar part.
    pub w: T,
}

/// Eight vectors.
pub type Vec3x8<S> = WideVec3<f32x8<S>>;
/// Eight 3×3 matrices.
pub type Mat3x8<S> = WideMat3<f32x8<S>>;
/// Eight symmetric 3×3 matrices.
pub type Sym3x8<S> = WideSym3<f32x8<S>>;
/// Eight rotations.
pub type Rotx8<S> = WideRot<f32x8<S>>;

impl<T: Lane> Add for WideVec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl<T: Lane> Sub for WideVec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

impl<T: Lane> Mul<T> for WideVec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

impl<T: Lane> WideVec3<T> {
    /// a · b.
    #[inline(always)]
    pub fn dot(self, b: Self) -> T {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    /// a × b.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Self {
            x: self.y * b.z - self.z * b.y,
            y: self.z * b.x - self.x * b.z,
            z: self.x * b.y - self.y * b.x,
        }
    }

    /// Largest |component|, if none is NaN.
    #[inline(always)]
    pub fn max_abs(self) -> T {
        self.x.abs().larger(self.y.abs()).larger(self.z.abs())
    }

    /// `yes` where the mask holds, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self {
            x: T::select(mask, yes.x, no.x),
            y: T::select(mask, yes.y, no.y),
            z: T::select(mask, yes.z, no.z),
        }
    }
}

impl<T: Lane> Add for WideMat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self {
            x_axis: self.x_axis + b.x_axis,
            y_axis: self.y_axis + b.y_axis,
            z_axis: self.z_axis + b.z_axis,
        }
    }
}

impl<T: Lane> Sub for WideMat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self {
            x_axis: self.x_axis - b.x_axis,
            y_axis: self.y_axis - b.y_axis,
            z_axis: self.z_axis - b.z_axis,
        }
    }
}

impl<T: Lane> Mul<T> for WideMat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self { x_axis: self.x_axis * s, y_axis: self.y_axis * s, z_axis: self.z_axis * s }
    }
}

impl<T: Lane> Mul<WideVec3<T>> for WideMat3<T> {
    type Output = WideVec3<T>;
    #[inline(always)]
    fn mul(self, v: WideVec3<T>) -> WideVec3<T> {
        self.x_axis * v.x + self.y_axis * v.y + self.z_axis * v.z
    }
}

impl<T: Lane> Mul for WideMat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { x_axis: self * b.x_axis, y_axis: self * b.y_axis, z_axis: self * b.z_axis }
    }
}

impl<T: Lane> WideMat3<T> {
    /// Aᵀ.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let (a, b, c) = (self.x_axis, self.y_axis, self.z_axis);
        Self {
            x_axis: WideVec3 { x: a.x, y: b.x, z: c.x },
            y_axis: WideVec3 { x: a.y, y: b.y, z: c.y },
            z_axis: WideVec3 { x: a.z, y: b.z, z: c.z },
        }
    }

    /// Aᵀ B, without forming Aᵀ.
    #[inline(always)]
    pub fn transpose_mul(&self, b: &Self) -> Self {
        Self {
            x_axis: self.transpose_mul_vec(b.x_axis),
            y_axis: self.transpose_mul_vec(b.y_axis),
            z_axis: self.transpose_mul_vec(b.z_axis),
        }
    }

    /// Aᵀ v, without forming Aᵀ.
    #[inline(always)]
    pub fn transpose_mul_vec(&self, v: WideVec3<T>) -> WideVec3<T> {
        WideVec3 { x: self.x_axis.dot(v), y: self.y_axis.dot(v), z: self.z_axis.dot(v) }
    }

    /// ½ (A + Aᵀ).
    #[inline(always)]
    pub fn symmetric_part(&self) -> WideSym3<T> {
        let (a, b, c) = (self.x_axis, self.y_axis, self.z_axis);
        let half = a.x.constant(0.5);
        WideSym3 {
            xx: a.x,
            yy: b.y,
            zz: c.z,
            xy: half * (a.y + b.x),
            yz: half * (b.z + c.y),
            zx: half * (c.x + a.z),
        }
    }

    /// The vector a with A − Aᵀ = \[a\]×, twice the axis of the skew part.
    #[inline(always)]
    pub fn axial(&self) -> WideVec3<T> {
        let (a, b, c) = (self.x_axis, self.y_axis, self.z_axis);
        WideVec3 { x: b.z - c.y, y: c.x - a.z, z: a.y - b.x }
    }

    /// Largest |entry|, if none is NaN.
    #[inline(always)]
    pub fn max_abs(&self) -> T {
        self.x_axis.max_abs().larger(self.y_axis.max_abs()).larger(self.z_axis.max_abs())
    }
}

impl<T: Lane> Add for WideSym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self {
            xx: self.xx + b.xx,
            yy: self.yy + b.yy,
            zz: self.zz + b.zz,
            xy: self.xy + b.xy,
            yz: self.yz + b.yz,
            zx: self.zx + b.zx,
        }
    }
}

impl<T: Lane> Sub for WideSym3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self {
            xx: self.xx - b.xx,
            yy: self.yy - b.yy,
            zz: self.zz - b.zz,
            xy: self.xy - b.xy,
            yz: self.yz - b.yz,
            zx: self.zx - b.zx,
        }
    }
}

impl<T: Lane> Mul<T> for WideSym3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self {
            xx: self.xx * s,
            yy: self.yy * s,
            zz: self.zz * s,
            xy: self.xy * s,
            yz: self.yz * s,
            zx: self.zx * s,
        }
    }
}

impl<T: Lane> Mul<WideVec3<T>> for WideSym3<T> {
    type Output = WideVec3<T>;
    #[inline(always)]
    fn mul(self, v: WideVec3<T>) -> WideVec3<T> {
        WideVec3 {
            x: self.xx * v.x + self.xy * v.y + self.zx * v.z,
            y: self.xy * v.x + self.yy * v.y + self.yz * v.z,
            z: self.zx * v.x + self.yz * v.y + self.zz * v.z,
        }
    }
}

impl<T: Lane> WideSym3<T> {
    /// s I, with the instruction set of `s`.
    #[inline(always)]
    pub fn diagonal(s: T) -> Self {
        let zero = s.constant(0.0);
        Self { xx: s, yy: s, zz: s, xy: zero, yz: zero, zx: zero }
    }

    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> T {
        self.xx + self.yy + self.zz
    }

    /// tr(A) I − A: for a second moment the inertia, for the skew vector of Lyapunov's equation
    /// its matrix.
    #[inline(always)]
    pub fn trace_minus(&self) -> Self {
        // tr(A) − A₁₁ = A₂₂ + A₃₃, and likewise: nothing cancels
        Self {
            xx: self.yy + self.zz,
            yy: self.zz + self.xx,
            zz: self.xx + self.yy,
            xy: -self.xy,
            yz: -self.yz,
            zx: -self.zx,
        }
    }

    /// Adjugate adj(A), so that A adj(A) = det(A) I.
    #[inline(always)]
    pub fn adjugate(&self) -> Self {
        Self {
            xx: self.yy * self.zz - self.yz * self.yz,
            yy: self.zz * self.xx - self.zx * self.zx,
            zz: self.xx * self.yy - self.xy * self.xy,
            xy: self.yz * self.zx - self.xy * self.zz,
            yz: self.zx * self.xy - self.yz * self.xx,
            zx: self.xy * self.yz - self.zx * self.yy,
        }
    }

    /// det(A), given `adj` = adj(A).
    #[inline(always)]
    pub fn determinant(&self, adj: &Self) -> T {
        self.xx * adj.xx + self.xy * adj.xy + self.zx * adj.zx
    }

    /// Largest |entry|, if none is NaN.
    #[inline(always)]
    pub fn max_abs(&self) -> T {
        let diagonal = self.xx.abs().larger(self.yy.abs()).larger(self.zz.abs());
        let rest = self.xy.abs().larger(self.yz.abs()).larger(self.zx.abs());
        diagonal.larger(rest)
    }

    /// ‖A‖_F² = Σ A_ij².
    #[inline(always)]
    pub fn norm_squared(&self) -> T {
        let diagonal = self.xx * self.xx + self.yy * self.yy + self.zz * self.zz;
        let rest = self.xy * self.xy + self.yz * self.yz + self.zx * self.zx;
        diagonal + (rest + rest)
    }

    /// The same entries as a full matrix.
    #[inline(always)]
    pub fn to_mat3(&self) -> WideMat3<T> {
        WideMat3 {
            x_axis: WideVec3 { x: self.xx, y: self.xy, z: self.zx },
            y_axis: WideVec3 { x: self.xy, y: self.yy, z: self.yz },
            z_axis: WideVec3 { x: self.zx, y: self.yz, z: self.zz },
        }
    }

    /// `yes` where the mask holds, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self {
            xx: T::select(mask, yes.xx, no.xx),
            yy: T::select(mask, yes.yy, no.yy),
            zz: T::select(mask, yes.zz, no.zz),
            xy: T::select(mask, yes.xy, no.xy),
            yz: T::select(mask, yes.yz, no.yz),
            zx: T::select(mask, yes.zx, no.zx),
        }
    }
}

impl<T: Lane> Mul<T> for WideRot<T> {
    type Output = Self;
    /// All four components times `s`; the result is not a unit quaternion.
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s, w: self.w * s }
    }
}

impl<T: Lane> Mul for WideRot<T> {
    type Output = Self;
    /// First `b`, then `self`. Hamilton's product as it is: no normalisation, no choice of sign.
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let a = self;
        Self {
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        }
    }
}

impl<T: Lane> Mul<WideVec3<T>> for WideRot<T> {
    type Output = WideVec3<T>;
    /// v + 2 w (u × v) + 2 u × (u × v), u the vector part.
    #[inline(always)]
    fn mul(self, v: WideVec3<T>) -> WideVec3<T> {
        let u = WideVec3 { x: self.x, y: self.y, z: self.z };
        let t = u.cross(v);
        let t = t + t;
        v + t * self.w + u.cross(t)
    }
}

impl<T: Lane> WideRot<T> {
    /// No turn, with the instruction set of `like`.
    #[inline(always)]
    pub fn identity(like: T) -> Self {
        let zero = like.constant(0.0);
        Self { x: zero, y: zero, z: zero, w: like.constant(1.0) }
    }

    /// The turn back.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    /// x² + y² + z² + w².
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w
    }

    /// Unit length; `fallback` where that cannot be had (zero, not finite, or components outside
    /// about 1e-15 to 1e15).
    #[inline(always)]
    pub fn normalized_or(self, fallback: Self) -> Self {
        let n = self.norm_squared();
        // Not n > 0 and finite: those squares would have lost their digits already.
        let usable = T::both(n.gt(n.constant(1.0e-30)), n.constant(1.0e30).gt(n));
        let inverse = n.constant(1.0) / n.sqrt();
        Self::select(usable, self * inverse, fallback)
    }

    /// The rotation as a matrix.
    #[inline(always)]
    pub fn to_mat3(self) -> WideMat3<T> {
        let one = self.x.constant(1.0);
        let (x2, y2, z2) = (self.x + self.x, self.y + self.y, self.z + self.z);
        let (xx, yy, zz) = (self.x * x2, self.y * y2, self.z * z2);
        let (xy, yz, zx) = (self.x * y2, self.y * z2, self.z * x2);
        let (wx, wy, wz) = (self.w * x2, self.w * y2, self.w * z2);
        WideMat3 {
            x_axis: WideVec3 { x: one - (yy + zz), y: xy + wz, z: zx - wy },
            y_axis: WideVec3 { x: xy - wz, y: one - (zz + xx), z: yz + wx },
            z_axis: WideVec3 { x: zx + wy, y: yz - wx, z: one - (xx + yy) },
        }
    }

    /// `yes` where the mask holds, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self {
            x: T::select(mask, yes.x, no.x),
            y: T::select(mask, yes.y, no.y),
            z: T::select(mask, yes.z, no.z),
            w: T::select(mask, yes.w, no.w),
        }
    }
}

/// Loads and stores of eight at a time: rows of eight numbers per entry, and eight plain values.
///
/// Written out by index: closures and iterators are not `inline(always)` and would leave the
/// instruction set of the caller.
macro_rules! eight {
    ($wide:ident, $plain:ty, $rows:literal, [$($i:literal)*], $order:literal,
     |$v:ident| $to_rows:expr, |$r:ident| $from_rows:expr,
     |$p:ident| $of_plain:expr, |$q:ident| $to_plain:expr) => {
        impl<S: Simd> $wide<f32x8<S>> {
            #[doc = concat!("Loads eight, one row per entry: ", $order, ".")]
            #[inline(always)]
            pub fn load(simd: S, rows: &[[f32; 8]; $rows]) -> Self {
                let $r = [$(f32x8::simd_from(simd, rows[$i])),*];
                $from_rows
            }

            /// Stores eight, in the order of `load`.
            #[inline(always)]
            pub fn store(self, rows: &mut [[f32; 8]; $rows]) {
                let $v = self;
                let entries = $to_rows;
                $(rows[$i] = entries[$i].into();)*
            }

            /// Puts eight plain values side by side.
            #[inline(always)]
            pub fn from_lanes(simd: S, lanes: &[$plain; 8]) -> Self {
                let mut rows = [[0.0; 8]; $rows];
                for lane in 0..8 {
                    let $p = lanes[lane];
                    let entries = $of_plain;
                    $(rows[$i][lane] = entries[$i];)*
                }
                Self::load(simd, &rows)
            }

            /// Takes the eight values apart.
            #[inline(always)]
            pub fn to_lanes(self) -> [$plain; 8] {
                let mut rows = [[0.0; 8]; $rows];
                self.store(&mut rows);
                let mut lanes = [<$plain>::default(); 8];
                for lane in 0..8 {
                    let $q: [f32; $rows] = [$(rows[$i][lane]),*];
                    lanes[lane] = $to_plain;
                }
                lanes
            }
        }

        impl From<$plain> for $wide<f32> {
            #[inline(always)]
            fn from($p: $plain) -> Self {
                let $r = $of_plain;
                $from_rows
            }
        }

        impl From<$wide<f32>> for $plain {
            #[inline(always)]
            fn from($v: $wide<f32>) -> Self {
                let $q = $to_rows;
                $to_plain
            }
        }
    };
}

eight!(
    WideVec3, Vec3, 3, [0 1 2], "x, y, z",
    |v| [v.x, v.y, v.z],
    |row| Self { x: row[0], y: row[1], z: row[2] },
    |p| p.to_array(),
    |a| Vec3::from_array(a)
);

eight!(
    WideMat3, Mat3, 9, [0 1 2 3 4 5 6 7 8], "column by column, as `Mat3::to_cols_array`",
    |m| [
        m.x_axis.x, m.x_axis.y, m.x_axis.z, m.y_axis.x, m.y_axis.y, m.y_axis.z, m.z_axis.x,
        m.z_axis.y, m.z_axis.z
    ],
    |row| Self {
        x_axis: WideVec3 { x: row[0], y: row[1], z: row[2] },
        y_axis: WideVec3 { x: row[3], y: row[4], z: row[5] },
        z_axis: WideVec3 { x: row[6], y: row[7], z: row[8] },
    },
    |p| p.to_cols_array(),
    |a| Mat3::from_cols_array(&a)
);

eight!(
    WideSym3, Sym3, 6, [0 1 2 3 4 5], "xx, yy, zz, xy, yz, zx",
    |m| [m.xx, m.yy, m.zz, m.xy, m.yz, m.zx],
    |row| Self { xx: row[0], yy: row[1], zz: row[2], xy: row[3], yz: row[4], zx: row[5] },
    |p| p.to_array(),
    |a| Sym3::from_array(a)
);

eight!(
    WideRot, Rot, 4, [0 1 2 3], "x, y, z, w",
    |q| [q.x, q.y, q.z, q.w],
    |row| Self { x: row[0], y: row[1], z: row[2], w: row[3] },
    |p| [p.x, p.y, p.z, p.w],
    |a| Rot { x: a[0], y: a[1], z: a[2], w: a[3] }
);
