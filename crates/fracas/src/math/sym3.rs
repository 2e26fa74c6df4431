//! Symmetric 3×3 matrices: moments, stretches, strains.

use core::ops::{Add, Mul, Sub};

use bytemuck::{Pod, Zeroable};
use glam::{Mat3, Vec3};

use super::Rot;
use super::wide::{WideMat3, WideSym3};

/// A symmetric 3×3 matrix by its six entries, in Voigt's order but without engineering shear:
/// `xy` is the entry itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sym3 {
    /// Entry 1,1.
    pub xx: f32,
    /// Entry 2,2.
    pub yy: f32,
    /// Entry 3,3.
    pub zz: f32,
    /// Entries 1,2 and 2,1.
    pub xy: f32,
    /// Entries 2,3 and 3,2.
    pub yz: f32,
    /// Entries 3,1 and 1,3.
    pub zx: f32,
}

impl Sym3 {
    /// All entries 0.
    pub const ZERO: Self = Self::from_diagonal(Vec3::ZERO);
    /// The unit matrix I.
    pub const IDENTITY: Self = Self::from_diagonal(Vec3::ONE);

    /// The matrix with this diagonal and nothing beside it.
    pub const fn from_diagonal(d: Vec3) -> Self {
        Self { xx: d.x, yy: d.y, zz: d.z, xy: 0.0, yz: 0.0, zx: 0.0 }
    }

    /// v vᵀ, the second moment of a unit mass at v.
    pub fn outer(v: Vec3) -> Self {
        Self {
            xx: v.x * v.x,
            yy: v.y * v.y,
            zz: v.z * v.z,
            xy: v.x * v.y,
            yz: v.y * v.z,
            zx: v.z * v.x,
        }
    }

    /// Entries in the order xx, yy, zz, xy, yz, zx.
    pub const fn from_array(a: [f32; 6]) -> Self {
        Self { xx: a[0], yy: a[1], zz: a[2], xy: a[3], yz: a[4], zx: a[5] }
    }

    /// Entries in the order xx, yy, zz, xy, yz, zx.
    pub const fn to_array(self) -> [f32; 6] {
        [self.xx, self.yy, self.zz, self.xy, self.yz, self.zx]
    }

    /// The symmetric part ½ (A + Aᵀ).
    #[inline]
    pub fn from_mat3(a: &Mat3) -> Self {
        WideMat3::from(*a).symmetric_part().into()
    }

    /// The same entries as a full matrix.
    #[inline]
    pub fn to_mat3(self) -> Mat3 {
        WideSym3::from(self).to_mat3().into()
    }

    /// A v.
    #[inline]
    pub fn mul_vec(self, v: Vec3) -> Vec3 {
        (WideSym3::from(self) * super::wide::WideVec3::from(v)).into()
    }

    /// Sum of the diagonal.
    #[inline]
    pub fn trace(self) -> f32 {
        WideSym3::from(self).trace()
    }

    /// det(A).
    #[inline]
    pub fn determinant(self) -> f32 {
        let a = WideSym3::from(self);
        a.determinant(&a.adjugate())
    }

    /// A : B = Σ a_ij b_ij.
    pub fn dot(self, b: Self) -> f32 {
        let diagonal = self.xx * b.xx + self.yy * b.yy + self.zz * b.zz;
        diagonal + 2.0 * (self.xy * b.xy + self.yz * b.yz + self.zx * b.zx)
    }

    /// ‖A‖_F = √(Σ A_ij²).
    #[inline]
    pub fn norm(self) -> f32 {
        WideSym3::from(self).norm_squared().sqrt()
    }

    /// A⁻¹ by cofactors, in f64 so that neither scale nor condition matter before the entries
    /// themselves are rounding; `None` when it is singular or not finite in f32.
    pub fn inverse(self) -> Option<Self> {
        let [xx, yy, zz, xy, yz, zx] = self.to_array().map(f64::from);
        let adjugate = [
            yy * zz - yz * yz,
            zz * xx - zx * zx,
            xx * yy - xy * xy,
            yz * zx - xy * zz,
            zx * xy - yz * xx,
            xy * yz - zx * yy,
        ];
        let determinant = xx * adjugate[0] + xy * adjugate[3] + zx * adjugate[5];
        let inverse = adjugate.map(|c| (c / determinant) as f32);
        inverse.iter().all(|c| c.is_finite()).then_some(Self::from_array(inverse))
    }

    /// R A Rᵀ: the same tensor after turning the body by R.
    pub fn conjugate(self, r: Rot) -> Self {
        let r = r.to_mat3();
        Self::from_mat3(&(r * self.to_mat3() * r.transpose()))
    }
}

impl Add for Sym3 {
    type Output = Self;
    #[inline]
    fn add(self, b: Self) -> Self {
        (WideSym3::from(self) + WideSym3::from(b)).into()
    }
}

impl Sub for Sym3 {
    type Output = Self;
    #[inline]
    fn sub(self, b: Self) -> Self {
        (WideSym3::from(self) - WideSym3::from(b)).into()
    }
}

impl Mul<f32> for Sym3 {
    type Output = Self;
    #[inline]
    fn mul(self, s: f32) -> Self {
        (WideSym3::from(self) * s).into()
    }
}

impl Mul<Sym3> for f32 {
    type Output = Sym3;
    #[inline]
    fn mul(self, a: Sym3) -> Sym3 {
        a * self
    }
}

impl Mul<Vec3> for Sym3 {
    type Output = Vec3;
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        self.mul_vec(v)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn entries_stand_where_the_full_matrix_has_them() {
        let a = Sym3 { xx: 1.0, yy: 2.0, zz: 3.0, xy: 4.0, yz: 5.0, zx: 6.0 };
        let full = a.to_mat3();
        assert_eq!(full.row(0), Vec3::new(1.0, 4.0, 6.0));
        assert_eq!(full.row(1), Vec3::new(4.0, 2.0, 5.0));
        assert_eq!(full.row(2), Vec3::new(6.0, 5.0, 3.0));
        assert_eq!(Sym3::from_mat3(&full), a);
        assert_eq!(a.mul_vec(Vec3::X), Vec3::new(1.0, 4.0, 6.0));
        assert_eq!(a.trace(), 6.0);
        assert_eq!(a.determinant(), full.determinant());
        assert_eq!(Sym3::outer(Vec3::new(1.0, 2.0, 3.0)).yz, 6.0);
        assert_eq!((a + a) * 0.5, a);
        assert_eq!(2.0 * a - a, a);
        assert_eq!(
            Sym3::from_mat3(&Mat3::from_cols_array(&[0., 2., 0., 0., 0., 0., 0., 0., 0.])).xy,
            1.0
        );
    }

    #[test]
    fn singular_matrix_has_no_inverse() {
        assert_eq!(Sym3::ZERO.inverse(), None);
        assert_eq!(Sym3::from_diagonal(Vec3::new(1.0, 1.0, 0.0)).inverse(), None);
        assert_eq!((Sym3::IDENTITY * f32::NAN).inverse(), None);
    }

    #[test]
    fn inverse_does_not_care_about_the_unit() {
        for scale in [1.0e-20, 1.0, 1.0e20] {
            let a = Sym3 { xx: 4.0, yy: 3.0, zz: 2.0, xy: 1.0, yz: 0.5, zx: -0.5 } * scale;
            let b = a.inverse().unwrap_or_default();
            let product = (a.to_mat3() * (1.0 / scale)) * (b.to_mat3() * scale);
            assert!(product.abs_diff_eq(Mat3::IDENTITY, 1.0e-6), "{product}");
        }
    }

    proptest! {
        /// Turning the body and then asking, or asking and then turning, is the same.
        #[test]
        fn conjugation_turns_the_map(
            e in proptest::array::uniform6(-1.0f32..1.0),
            v in proptest::array::uniform3(-3.0f32..3.0),
        ) {
            let (a, r) = (Sym3::from_array(e), Rot::exp(Vec3::from_array(v)));
            let turned = a.conjugate(r) * (r * Vec3::new(0.2, -0.5, 1.0));
            let expected = r * (a * Vec3::new(0.2, -0.5, 1.0));
            prop_assert!((turned - expected).length() < 5.0e-6);
            prop_assert!((a.conjugate(r).norm() - a.norm()).abs() < 5.0e-6);
        }
    }
}
