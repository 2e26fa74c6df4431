//! The 8-wide forms against the scalar ones, bit for bit, on every instruction set of the machine.

use core::hint::black_box;
use std::time::Instant;

use fearless_simd::{Level, Simd, dispatch};
use glam::{Mat3, Vec3};

use super::*;
use crate::math::{self, Rot, StretchBasis, Sym3};

/// Eight inputs per kernel, among them zero, flat, inverted, tiny, huge and non-finite ones.
struct Batch {
    a: [Mat3; 8],
    q: [Rot; 8],
    s: [Sym3; 8],
}

impl Batch {
    fn new(random: &mut Random) -> Self {
        let q = core::array::from_fn(|_| Rot::exp(3.0 * random.vec3()));
        let a = core::array::from_fn(|i| match random.next() % 16 {
            0 => Mat3::ZERO,
            1 => random.mat3() * 1.0e20,
            2 => random.mat3() * 1.0e-20,
            3 => Mat3::from_cols(random.vec3(), Vec3::ZERO, Vec3::ZERO),
            4 => Mat3::from_cols(random.vec3(), random.vec3(), Vec3::ZERO),
            5 => Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0)),
            6 => random.mat3() * f32::NAN,
            7 => Mat3::from_diagonal(Vec3::new(f32::INFINITY, 1.0, random.unit())),
            8..12 => q[i].to_mat3() * (Mat3::IDENTITY + 0.1 * random.mat3()),
            _ => random.mat3(),
        });
        let s = core::array::from_fn(|_| match random.next() % 8 {
            0 => Sym3::ZERO,
            1 => Sym3::IDENTITY,
            2 => Sym3::outer(random.vec3()),
            3 => Sym3::from_mat3(&random.mat3()) * 1.0e-20,
            4 => Sym3::from_mat3(&random.mat3()),
            _ => {
                let m = random.mat3();
                Sym3::from_mat3(&(m * m.transpose())) + Sym3::IDENTITY * 0.01
            }
        });
        Self { a, q, s }
    }
}

/// What the kernels make of a batch, as numbers.
type Outputs = ([Rot; 8], [Sym3; 8], [Vec3; 8], [Mat3; 8], [[f32; 8]; 3]);

#[inline(always)]
fn run<S: Simd>(simd: S, batch: &Batch) -> Outputs {
    let a = Mat3x8::from_lanes(simd, &batch.a);
    let s = Sym3x8::from_lanes(simd, &batch.s);
    let q = newton_step(&a, Rotx8::from_lanes(simd, &batch.q));
    let stretch = optimal_stretch(&s, &a);
    let (values, vectors) = symmetric_eigen(&s);
    let bound = stretch_bound(&s, &a, s.xx);
    let (low, high) = eigenvalue_bounds(&s);
    let numbers = [bound.into(), low.into(), high.into()];
    (q.to_lanes(), stretch.to_lanes(), values.to_lanes(), vectors.to_lanes(), numbers)
}

/// Bits, with every NaN the same: IEEE 754 does not say which NaN an operation gives.
fn bits<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() })
}

/// The scalar form is the fallback level too: the same code with one lane.
#[test]
fn every_instruction_set_gives_the_bits_of_the_scalar_form() {
    let levels = levels();
    let mut random = Random(1);
    for _ in 0..20_000 {
        let batch = Batch::new(&mut random);
        for &level in &levels {
            let (q, stretch, values, vectors, [bound, low, high]) =
                dispatch!(level, simd => run(simd, &batch));
            for i in 0..8 {
                let (a, s) = (batch.a[i], batch.s[i]);
                let expected = math::newton_step(&a, batch.q[i]);
                let components = |q: Rot| bits([q.x, q.y, q.z, q.w]);
                assert_eq!(components(q[i]), components(expected), "{level:?} {a}");
                let expected = math::optimal_stretch(&s, &a);
                assert_eq!(bits(stretch[i].to_array()), bits(expected.to_array()), "{s:?} {a}");
                let (l, v) = math::symmetric_eigen(&s);
                assert_eq!(bits(values[i].to_array()), bits(l), "{level:?} {s:?}");
                assert_eq!(bits(vectors[i].to_cols_array()), bits(v.to_cols_array()), "{s:?}");
                let expected = math::stretch_bound(&s, &a, s.xx);
                assert_eq!(bits([bound[i]]), bits([expected]), "{level:?} {s:?} {a}");
                let (l, h) = math::eigenvalue_bounds(&s);
                assert_eq!(bits([low[i], high[i]]), bits([l, h]), "{level:?} {s:?}");
            }
        }
    }
}

#[inline(always)]
fn run_algebra<S: Simd>(simd: S, batch: &Batch, v: &[Vec3; 8]) -> ([Vec3; 8], [Rot; 8], [Sym3; 8]) {
    let q = Rotx8::from_lanes(simd, &batch.q);
    let a = q.inverse().to_mat3();
    let turned = a.transpose() * (q.inverse() * Vec3x8::from_lanes(simd, v));
    let back = (q * q.inverse()).normalized_or(q);
    let unit = (a * a.transpose()).symmetric_part();
    (turned.to_lanes(), back.to_lanes(), unit.to_lanes())
}

#[test]
fn eight_turns_there_and_back_change_nothing() {
    let mut random = Random(2);
    let batch = Batch::new(&mut random);
    let v = core::array::from_fn(|_| random.vec3());
    let (turned, back, unit) = dispatch!(Level::new(), simd => run_algebra(simd, &batch, &v));
    for i in 0..8 {
        assert!((turned[i] - v[i]).length() < 2.0e-6, "{} {}", turned[i], v[i]);
        assert!(back[i].log().length() < 1.0e-6, "{:?}", back[i]);
        assert!((unit[i] - Sym3::IDENTITY).norm() < 2.0e-6, "{:?}", unit[i]);
    }
}

#[inline(always)]
fn run_basis<S: Simd>(simd: S, bases: &[StretchBasis; 8], m: &[Mat3; 8]) -> [Sym3; 8] {
    let moment = Sym3x8::from_lanes(simd, &bases.map(|b| b.moment));
    let inverse = Sym3x8::from_lanes(simd, &bases.map(|b| b.inverse));
    let spin = Sym3x8::from_lanes(simd, &bases.map(|b| b.spin));
    stretch_with_basis(&moment, &inverse, &spin, &Mat3x8::from_lanes(simd, m)).to_lanes()
}

#[test]
fn eight_stretches_with_cached_constants_equal_the_scalar_ones() {
    let mut random = Random(3);
    for _ in 0..1000 {
        let bases = core::array::from_fn(|_| {
            let m = random.mat3();
            let a = Sym3::from_mat3(&(m * m.transpose())) + Sym3::IDENTITY * 0.1;
            StretchBasis::new(&a).unwrap()
        });
        let m = core::array::from_fn(|_| random.mat3());
        for level in levels() {
            let s = dispatch!(level, simd => run_basis(simd, &bases, &m));
            for i in 0..8 {
                assert_eq!(s[i], bases[i].stretch(&m[i]), "{level:?}");
            }
        }
    }
}

/// Every instruction set this machine has, weakest first.
fn levels() -> Vec<Level> {
    let best = Level::new();
    let mut levels = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(best.as_sse2().map(|simd| simd.level()));
        levels.extend(best.as_sse4_2().map(|simd| simd.level()));
        levels.extend(best.as_avx2().map(|simd| simd.level()));
        levels.extend(best.as_avx512().map(|simd| simd.level()));
    }
    #[cfg(not(target_arch = "x86_64"))]
    levels.push(best);
    levels
}

/// SplitMix64: numbers for the tests, the same in every run.
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

/// Measured, not asserted, and only without debug assertions, which check every mask:
/// `cargo test --release -p fracas --lib math::wide -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement; run in release with --include-ignored --nocapture"]
fn speed_of_the_kernels() {
    const COUNT: usize = 256; // batches: 90 KB, in the L2 cache
    let mut random = Random(7);
    let mut a = vec![[[0.0; 8]; 9]; COUNT];
    let mut q = vec![[[0.0; 8]; 4]; COUNT];
    let mut s = vec![[[0.0; 8]; 6]; COUNT];
    for i in 0..8 * COUNT {
        let (batch, lane) = (i / 8, i % 8);
        let r = Rot::exp(random.vec3());
        let m = r.to_mat3() * (Mat3::IDENTITY + random.mat3() * 0.2);
        for (row, x) in a[batch].iter_mut().zip(m.to_cols_array()) {
            row[lane] = x;
        }
        let warm = r * Rot::exp(0.02 * random.vec3());
        for (row, x) in q[batch].iter_mut().zip([warm.x, warm.y, warm.z, warm.w]) {
            row[lane] = x;
        }
        let b = random.mat3();
        let p = Sym3::from_mat3(&(b * b.transpose())) + Sym3::IDENTITY * 0.1;
        for (row, x) in s[batch].iter_mut().zip(p.to_array()) {
            row[lane] = x;
        }
    }

    #[inline(always)]
    fn newton<S: Simd>(
        simd: S,
        a: &[[[f32; 8]; 9]],
        q: &[[[f32; 8]; 4]],
        out: &mut [[[f32; 8]; 4]],
    ) {
        for ((a, q), out) in a.iter().zip(q).zip(out) {
            newton_step(&Mat3x8::load(simd, a), Rotx8::load(simd, q)).store(out);
        }
    }
    #[inline(always)]
    fn stretch<S: Simd>(
        simd: S,
        a: &[[[f32; 8]; 6]],
        m: &[[[f32; 8]; 9]],
        out: &mut [[[f32; 8]; 6]],
    ) {
        for ((a, m), out) in a.iter().zip(m).zip(out) {
            optimal_stretch(&Sym3x8::load(simd, a), &Mat3x8::load(simd, m)).store(out);
        }
    }
    #[inline(always)]
    fn stretch_basis<S: Simd>(
        simd: S,
        a: &[[[f32; 8]; 6]],
        m: &[[[f32; 8]; 9]],
        out: &mut [[[f32; 8]; 6]],
    ) {
        for ((a, m), out) in a.iter().zip(m).zip(out) {
            let a = Sym3x8::load(simd, a);
            stretch_with_basis(&a, &a, &a, &Mat3x8::load(simd, m)).store(out);
        }
    }
    #[inline(always)]
    fn eigen<S: Simd>(simd: S, a: &[[[f32; 8]; 6]], out: &mut [[[f32; 8]; 9]]) {
        for (a, out) in a.iter().zip(out) {
            let (values, mut vectors) = symmetric_eigen(&Sym3x8::load(simd, a));
            vectors.z_axis = values;
            vectors.store(out);
        }
    }
    #[inline(always)]
    fn bound<S: Simd>(simd: S, a: &[[[f32; 8]; 6]], m: &[[[f32; 8]; 9]], out: &mut [[f32; 8]]) {
        for ((a, m), out) in a.iter().zip(m).zip(out) {
            let a = Sym3x8::load(simd, a);
            *out = stretch_bound(&a, &Mat3x8::load(simd, m), a.xx).into();
        }
    }

    fn best(name: &str, mut work: impl FnMut()) {
        let mut best = f64::INFINITY;
        for _ in 0..300 {
            let start = Instant::now();
            for _ in 0..10 {
                work();
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name}: {:.2} ns per matrix", best * 1.0e9 / (10 * COUNT * 8) as f64);
    }
    let mut rots = vec![[[0.0; 8]; 4]; COUNT];
    let mut syms = vec![[[0.0; 8]; 6]; COUNT];
    let mut mats = vec![[[0.0; 8]; 9]; COUNT];
    let mut numbers = vec![[0.0; 8]; COUNT];
    for level in levels() {
        println!("{level:?}");
        best("newton_step", || {
            dispatch!(level, simd => newton(simd, black_box(&a), black_box(&q), black_box(&mut rots)));
        });
        best("optimal_stretch", || {
            dispatch!(level, simd => stretch(simd, black_box(&s), black_box(&a), black_box(&mut syms)));
        });
        best("stretch_with_basis", || {
            dispatch!(level, simd => stretch_basis(simd, black_box(&s), black_box(&a), black_box(&mut syms)));
        });
        best("symmetric_eigen", || {
            dispatch!(level, simd => eigen(simd, black_box(&s), black_box(&mut mats)));
        });
        best("stretch_bound", || {
            dispatch!(level, simd => bound(simd, black_box(&s), black_box(&a), black_box(&mut numbers)));
        });
    }
    println!("scalar");
    let lane = |a: &[[[f32; 8]; 9]], i: usize| Mat3::from_cols_array(&a[i / 8].map(|r| r[i % 8]));
    let matrices: Vec<Mat3> = (0..8 * COUNT).map(|i| lane(&a, i)).collect();
    let warm: Vec<Rot> = (0..8 * COUNT)
        .map(|i| {
            let [x, y, z, w] = q[i / 8].map(|r| r[i % 8]);
            Rot { x, y, z, w }
        })
        .collect();
    let mut out = vec![Rot::IDENTITY; 8 * COUNT];
    best("newton_step", || {
        for i in 0..8 * COUNT {
            out[i] = math::newton_step(black_box(&matrices[i]), warm[i]);
        }
    });
    best("rotation (cold)", || {
        for i in 0..8 * COUNT {
            out[i] = math::rotation(black_box(&matrices[i]));
        }
    });
    black_box(&out);
}
