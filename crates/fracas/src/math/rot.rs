//! Rotations as unit quaternions, written out so that the bits are the same everywhere.

use core::ops::Mul;

use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DVec3, Mat3, Vec3};

use super::ops;
use super::wide::WideRot;

/// A rotation: the unit quaternion x i + y j + z k + w, in memory in this order.
///
/// glam's `Quat` is not used because its bits depend on the instruction set. q and −q are the
/// same turn. Nothing here swaps them: turned on in small steps, rotations of neighbours keep to
/// the same of the two, and their mean is a plain sum even beyond a half turn. Only [`Rot::log`]
/// and [`Rot::from_mat3`] choose the one with w ≥ 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rot {
    /// First component of the vector part.
    pub x: f32,
    /// Second component of the vector part.
    pub y: f32,
    /// Third component of the vector part.
    pub z: f32,
    /// Scalar part, the cosine of half the angle.
    pub w: f32,
}

impl Default for Rot {
    /// No turn.
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Rot {
    /// No turn.
    pub const IDENTITY: Self = Self { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };

    /// The turn back.
    #[inline]
    pub fn inverse(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    /// Unit length.
    ///
    /// Zero, a component that is not finite, and components outside about 1e-15 to 1e15 give
    /// [`Rot::IDENTITY`].
    #[inline]
    pub fn normalized(self) -> Self {
        WideRot::from(self).normalized_or(WideRot::from(Self::IDENTITY)).into()
    }

    /// The rotation as a matrix.
    #[inline]
    pub fn to_mat3(self) -> Mat3 {
        WideRot::from(self).to_mat3().into()
    }

    /// The same in f64, of unit length first: what it turns keeps its size to 1e-15, where f32 would stretch it by 1e-7.
    pub fn to_dmat3(self) -> DMat3 {
        let [x, y, z, w] = [self.x, self.y, self.z, self.w].map(f64::from);
        let two = 2.0 / (x * x + y * y + z * z + w * w);
        let (xx, yy, zz) = (two * x * x, two * y * y, two * z * z);
        let (xy, yz, zx) = (two * x * y, two * y * z, two * z * x);
        let (wx, wy, wz) = (two * w * x, two * w * y, two * w * z);
        DMat3::from_cols(
            DVec3::new(1.0 - (yy + zz), xy + wz, zx - wy),
            DVec3::new(xy - wz, 1.0 - (zz + xx), yz + wx),
            DVec3::new(zx + wy, yz - wx, 1.0 - (xx + yy)),
        )
    }

    /// The rotation that an orthonormal, right-handed matrix does.
    ///
    /// For a matrix that is only near a rotation use [`rotation`](super::rotation()).
    pub fn from_mat3(r: &Mat3) -> Self {
        Self::from_columns(r.to_cols_array_2d().map(|column| column.map(f64::from)))
    }

    /// `from_mat3` before rounding: divides by the largest of the four components, which is at
    /// least ½ (Shepperd 1978).
    pub(super) fn from_columns(c: [[f64; 3]; 3]) -> Self {
        // 4 x², 4 y², 4 z², 4 w²
        let four = [
            1.0 + c[0][0] - c[1][1] - c[2][2],
            1.0 - c[0][0] + c[1][1] - c[2][2],
            1.0 - c[0][0] - c[1][1] + c[2][2],
            1.0 + c[0][0] + c[1][1] + c[2][2],
        ];
        let mut largest = 3;
        for i in 0..3 {
            if four[i] > four[largest] {
                largest = i;
            }
        }
        // q times four times its largest component
        let (wx, wy, wz) = (c[1][2] - c[2][1], c[2][0] - c[0][2], c[0][1] - c[1][0]);
        let (xy, yz, zx) = (c[0][1] + c[1][0], c[1][2] + c[2][1], c[2][0] + c[0][2]);
        let [x, y, z, w] = match largest {
            0 => [four[0], xy, zx, wx],
            1 => [xy, four[1], yz, wy],
            2 => [zx, yz, four[2], wz],
            _ => [wx, wy, wz, four[3]],
        };
        let n: f64 = (x * x + y * y + z * z + w * w).sqrt();
        if !(n > 0.0 && n.is_finite()) {
            return Self::IDENTITY;
        }
        let s = if w < 0.0 { -1.0 / n } else { 1.0 / n };
        Self { x: (s * x) as f32, y: (s * y) as f32, z: (s * z) as f32, w: (s * w) as f32 }
    }

    /// The turn by |v| rad about v: q = (v̂ sin |v|/2, cos |v|/2), 000 sec. 3.2 with v = h w.
    ///
    /// A vector that is not finite, or longer than 1e18, gives [`Rot::IDENTITY`].
    pub fn exp(rotation_vector: Vec3) -> Self {
        let v = rotation_vector;
        let angle_squared = v.dot(v);
        // Below this the next term of sin(a/2)/a = ½ − a²/48 + a⁴/3840 is under one rounding.
        let (sine_over_angle, cosine) = if angle_squared < 1.0e-3 {
            (
                0.5 - angle_squared / 48.0,
                1.0 - angle_squared / 8.0 + angle_squared * angle_squared / 384.0,
            )
        } else {
            if !angle_squared.is_finite() {
                return Self::IDENTITY;
            }
            let angle = angle_squared.sqrt();
            (ops::sin(0.5 * angle) / angle, ops::cos(0.5 * angle))
        };
        let v = sine_over_angle * v;
        Self { x: v.x, y: v.y, z: v.z, w: cosine }
    }

    /// The rotation vector v with exp(v) = self, |v| ≤ π: inverse of [`Rot::exp`].
    ///
    /// The scalar part is made positive first (erratum 000.8): without that, a rate of turning
    /// read back from −q is 2π/h away from the true one.
    pub fn log(self) -> Vec3 {
        let q = if self.w < 0.0 {
            Self { x: -self.x, y: -self.y, z: -self.z, w: -self.w }
        } else {
            self
        };
        let v = Vec3::new(q.x, q.y, q.z);
        let sine_squared = v.dot(v);
        // angle / sine = 2 asin(s)/s; below this the next term is under one rounding
        let angle_over_sine = if sine_squared < 0.04 {
            2.0 + sine_squared
                * (1.0 / 3.0
                    + sine_squared
                        * (0.15 + sine_squared * (5.0 / 56.0 + sine_squared * (35.0 / 576.0))))
        } else {
            let sine = sine_squared.sqrt();
            2.0 * ops::atan2(sine, q.w) / sine
        };
        angle_over_sine * v
    }

    /// The turn by `angle` rad about the unit vector `axis`.
    pub fn from_axis_angle(axis: Vec3, angle: f32) -> Self {
        let v = ops::sin(0.5 * angle) * axis;
        Self { x: v.x, y: v.y, z: v.z, w: ops::cos(0.5 * angle) }.normalized()
    }
}

impl Mul for Rot {
    type Output = Self;
    /// First `b`, then `self`.
    #[inline]
    fn mul(self, b: Self) -> Self {
        (WideRot::from(self) * WideRot::from(b)).into()
    }
}

impl Mul<Vec3> for Rot {
    type Output = Vec3;
    /// The turned vector.
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        (WideRot::from(self) * super::wide::WideVec3::from(v)).into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(a: Vec3, b: Vec3, tolerance: f32) -> bool {
        (a - b).abs().max_element() <= tolerance
    }

    /// Oracle of erratum 000.8 (`docs/papers.md`).
    #[test]
    fn turning_for_one_step_gives_the_printed_quaternion() {
        let h = 1.0 / 60.0;
        let q = Rot::exp(h * Vec3::new(1.0, 2.0, 3.0));
        let expected = Rot { x: 0.008_331_983, y: 0.016_663_966, z: 0.024_995_95, w: 0.999_513_9 };
        for (a, b) in [(q.x, expected.x), (q.y, expected.y), (q.z, expected.z), (q.w, expected.w)] {
            assert!((a - b).abs() < 1.0e-7, "{q:?}");
        }
    }

    /// The rate read back is the same for q and −q; without the sign it would be 373.249 rad/s.
    #[test]
    fn rate_of_turning_ignores_the_sign_of_the_quaternion() {
        let h = 1.0 / 60.0;
        let rate = Vec3::new(1.0, 2.0, 3.0);
        let q = Rot::exp(h * rate);
        let minus = Rot { x: -q.x, y: -q.y, z: -q.z, w: -q.w };
        assert!(near(q.log() / h, rate, 1.0e-5), "{}", q.log() / h);
        assert_eq!(minus.log(), q.log());
    }

    #[test]
    fn tiny_turns_survive_exp_and_log() {
        for size in [1.0e-20, 1.0e-12, 1.0e-6, 1.0e-4, 3.0e-3, 3.2e-2] {
            let v = size * Vec3::new(1.0, -2.0, 0.5);
            let back = Rot::exp(v).log();
            assert!(near(back, v, 3.0e-7 * size), "{v} came back as {back}");
        }
    }

    #[test]
    fn half_turn_has_length_pi() {
        let v = Rot { x: 0.0, y: 1.0, z: 0.0, w: 0.0 }.log();
        assert!(near(v, core::f32::consts::PI * Vec3::Y, 1.0e-6), "{v}");
        assert_eq!(Rot::IDENTITY.log(), Vec3::ZERO);
    }

    #[test]
    fn axis_angle_turns_x_to_y() {
        let q = Rot::from_axis_angle(Vec3::Z, core::f32::consts::FRAC_PI_2);
        assert!(near(q * Vec3::X, Vec3::Y, 1.0e-6));
        assert!(near(q.to_mat3() * Vec3::X, Vec3::Y, 1.0e-6));
    }

    /// Nothing that it turns is stretched, though the quaternion is rounded.
    #[test]
    fn matrix_in_f64_is_a_rotation() {
        let q = Rot::exp(Vec3::new(0.7, -0.4, 1.1));
        let r = q.to_dmat3();
        assert!((r * r.transpose()).abs_diff_eq(DMat3::IDENTITY, 1e-15), "{r}");
        assert!(r.as_mat3().abs_diff_eq(q.to_mat3(), 2e-7), "{r}");
    }

    #[test]
    fn nothing_to_normalise_gives_the_identity() {
        for bad in [0.0, f32::NAN, f32::INFINITY, 1.0e-30, 1.0e30] {
            let q = Rot { x: bad, y: 0.0, z: 0.0, w: 0.0 };
            assert_eq!(q.normalized(), Rot::IDENTITY, "{bad}");
        }
        assert_eq!(Rot::exp(Vec3::splat(f32::NAN)), Rot::IDENTITY);
        assert_eq!(Rot::exp(Vec3::splat(1.0e30)), Rot::IDENTITY);
        assert_eq!(Rot::default(), Rot::IDENTITY);
    }

    fn any_turn() -> impl Strategy<Value = Rot> {
        proptest::array::uniform4(-1.0f32..1.0)
            .prop_map(|[x, y, z, w]| Rot { x, y, z, w }.normalized())
    }

    proptest! {
        #[test]
        fn log_undoes_exp_up_to_a_half_turn(x in -1.8f32..1.8, y in -1.8f32..1.8, z in -1.8f32..1.8) {
            let v = Vec3::new(x, y, z);
            let back = Rot::exp(v).log();
            prop_assert!(near(back, v, 2.0e-6), "{v} came back as {back}");
        }

        #[test]
        fn exp_undoes_log(q in any_turn()) {
            let v = q.log();
            prop_assert!(v.length() <= core::f32::consts::PI + 1.0e-6);
            let back = Rot::exp(v) * q.inverse();
            prop_assert!(back.log().length() < 2.0e-6, "{q:?} came back {back:?} off");
        }

        #[test]
        fn matrix_and_back_is_the_same_turn(q in any_turn()) {
            let back = Rot::from_mat3(&q.to_mat3());
            prop_assert!((back * q.inverse()).log().length() < 1.0e-6);
            prop_assert!(back.w >= 0.0);
        }

        #[test]
        fn product_of_turns_is_product_of_matrices(a in any_turn(), b in any_turn(), x in -1.0f32..1.0) {
            let v = Vec3::new(x, 0.3, -0.7);
            prop_assert!(near((a * b) * v, a * (b * v), 2.0e-6));
            prop_assert!(near((a * b) * v, a.to_mat3() * (b.to_mat3() * v), 2.0e-6));
            prop_assert!(near(a.inverse() * (a * v), v, 2.0e-6));
        }
    }
}
