//! One million matrices of every kind against nalgebra's SVD in f64.
//!
//! The reference rotation is R = U diag(1, 1, det(UVᵀ)) Vᵀ, whose objective tr(RᵀA) is
//! s₁ + s₂ ± s₃ with the sign of det(A). R is unique when the gap s₂ ± s₃ is not zero; rounding of
//! size ε in A turns it by about ε s₁/(s₂ ± s₃). *Well conditioned* here means a gap above
//! `GAP` times s₁.

use fracas::glam::{Mat3, Vec3};
use fracas::math::{Rot, newton_step, rotation, svd};
use nalgebra::{Matrix3, SVD};

const COUNT: usize = 1_000_000;
/// Cold start in f64: nalgebra's 3×3 case works on AᵀA, so the reference itself is off by about
/// 1e-16/gap²; the answer's own error is the rounding to f32.
const COLD_GAP: f64 = 1.0e-4;
/// Warm start in f32: errors of 6e-8 in M, a few of them, are enlarged by 1/gap.
const WARM_GAP: f64 = 1.0e-2;

#[test]
fn million_matrices_give_the_best_rotation() {
    let mut random = Random(2026);
    let (mut cold_checked, mut warm_checked) = (0, 0);
    for i in 0..COUNT {
        let a = matrix(&mut random, i);
        let r = rotation(&a);
        assert_is_rotation(r, &a);
        let reference = Reference::new(&a);

        // The best there is, up to rounding of the four components of q.
        let reached = reference.objective(r);
        assert!(
            reached >= reference.best - 1.0e-6 * reference.size,
            "{a}: tr(RᵀA) is {reached}, not {}",
            reference.best
        );
        if reference.gap > COLD_GAP * reference.size {
            cold_checked += 1;
            let off = reference.angle(r);
            assert!(off < 1.0e-6, "{a}: off by {off} rad");
        }

        // From a warm start: nothing bad ever, and the same rotation where it is well defined.
        let warm = r * Rot::exp(0.05 * random.vec3());
        let mut q = warm;
        for _ in 0..3 {
            q = newton_step(&a, q);
            assert_is_rotation(q, &a);
        }
        if reference.gap > WARM_GAP * reference.size {
            warm_checked += 1;
            let off = reference.angle(q);
            assert!(off < 3.0e-5, "{a}: three steps leave {off} rad");
        }
        assert_is_rotation(newton_step(&a, Rot::exp(4.0 * random.vec3())), &a);

        if i % 16 == 0 {
            let decomposed = svd(&a);
            for (ours, theirs) in decomposed.s.to_array().into_iter().zip(reference.s) {
                let error = (f64::from(ours.abs()) - theirs).abs();
                assert!(error <= 1.0e-6 * reference.size, "{a}: {}", decomposed.s);
            }
        }
    }
    // So that a slip in the definitions cannot empty the test.
    assert!(cold_checked > COUNT / 2, "{cold_checked} were well conditioned");
    assert!(warm_checked > COUNT / 2, "{warm_checked} were well conditioned");
}

/// Orthonormal to 1e-5, right-handed by construction, not NaN.
fn assert_is_rotation(q: Rot, a: &Mat3) {
    let norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    assert!((norm - 1.0).abs() < 1.0e-6, "{a}: {q:?}");
    let r = q.to_mat3();
    assert!((r.transpose() * r).abs_diff_eq(Mat3::IDENTITY, 1.0e-5), "{a}: {q:?}");
}

/// nalgebra's answer, for A divided by its largest entry.
struct Reference {
    a: Matrix3<f64>,
    r: Matrix3<f64>,
    s: [f64; 3],
    /// s₁ + s₂ ± s₃.
    best: f64,
    /// s₂ ± s₃.
    gap: f64,
    /// s₁.
    size: f64,
}

impl Reference {
    fn new(a: &Mat3) -> Self {
        let a = Matrix3::from_column_slice(&a.to_cols_array().map(f64::from));
        let scale = a.amax();
        if scale == 0.0 {
            let r = Matrix3::identity();
            return Self { a, r, s: [0.0; 3], best: 0.0, gap: 0.0, size: 0.0 };
        }
        // Sorted, largest first.
        let SVD { u: Some(mut u), v_t: Some(v_t), singular_values: s } =
            (a / scale).svd(true, true)
        else {
            unreachable!("both were asked for");
        };
        let sign = (u * v_t).determinant().signum();
        u.column_mut(2).scale_mut(sign);
        let s = [s[0] * scale, s[1] * scale, s[2] * scale];
        let gap = s[1] + sign * s[2];
        Self { a, r: u * v_t, s, best: s[0] + gap, gap, size: s[0] }
    }

    fn matrix(q: Rot) -> Matrix3<f64> {
        let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(f64::from);
        let q = nalgebra::Quaternion::new(w, x, y, z);
        nalgebra::UnitQuaternion::from_quaternion(q).to_rotation_matrix().into_inner()
    }

    fn objective(&self, q: Rot) -> f64 {
        (Self::matrix(q).transpose() * self.a).trace()
    }

    /// Angle between q and the reference, in rad: ‖R − R'‖_F = 2√2 sin(angle/2).
    fn angle(&self, q: Rot) -> f64 {
        let half_sine = (Self::matrix(q) - self.r).norm() / 8.0f64.sqrt();
        2.0 * half_sine.min(1.0).asin()
    }
}

/// Every kind in turn: random, near a rotation, inverted, flat, collinear, zero, equal values,
/// nearly flat, nearly collinear; in three scales.
fn matrix(random: &mut Random, i: usize) -> Mat3 {
    let turn = Rot::exp(3.0 * random.vec3()).to_mat3();
    let values = |x: f32, y: f32, z: f32| turn * Mat3::from_diagonal(Vec3::new(x, y, z));
    let other = Rot::exp(3.0 * random.vec3()).to_mat3();
    let a = match i % 16 {
        0..4 => random.mat3(),
        4..7 => turn * (Mat3::IDENTITY + 0.3 * random.mat3()),
        7 => values(1.0, 0.9 + 0.1 * random.unit(), -0.5 + 0.4 * random.unit()) * other,
        8 => Mat3::from_cols(random.vec3(), random.vec3(), Vec3::ZERO) * other,
        9 => values(1.0, 0.5, 0.0),
        10 => values(1.0, 0.0, 0.0) * other,
        11 => Mat3::from_cols(random.vec3(), Vec3::ZERO, Vec3::ZERO),
        12 => values(1.0, 1.0, -1.0) * other,
        13 => values(1.0, 1.0, 1.0e-4 * random.unit()) * other,
        14 => values(1.0, 1.0e-3 * random.unit(), 1.0e-3 * random.unit()) * other,
        _ if i % 32 == 15 => Mat3::ZERO,
        _ => values(-1.0, -1.0, -1.0),
    };
    match (i / 16) % 4 {
        0 => a * 1.0e20,
        1 => a * 1.0e-20,
        _ => a,
    }
}

/// SplitMix64: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Even in −1 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    fn mat3(&mut self) -> Mat3 {
        Mat3::from_cols(self.vec3(), self.vec3(), self.vec3())
    }
}
