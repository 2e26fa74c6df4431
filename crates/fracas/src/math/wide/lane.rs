//! One number or eight: what the kernels ask of their scalar.

use core::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, f32x8, mask32x8};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl<S: fearless_simd::Simd> Sealed for fearless_simd::f32x8<S> {}
}

/// A scalar of the kernels: one `f32`, or eight of them in a vector.
///
/// Only operations that IEEE 754 rounds correctly are here, so a kernel gives the same bits for
/// every lane type; NaN has no agreed bits, so kernels compare and select it away.
pub trait Lane:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + sealed::Sealed
{
    /// One truth value per lane.
    type Mask: Copy;

    /// The same number in every lane; `self` only lends its instruction set.
    fn constant(self, value: f32) -> Self;
    /// √x.
    fn sqrt(self) -> Self;
    /// |x|.
    fn abs(self) -> Self;
    /// Where `self` > `other`; false for NaN.
    fn gt(self, other: Self) -> Self::Mask;
    /// Where both hold.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// The larger of two numbers that are not negative; either of them if one is NaN, which
    /// differs with the instruction set.
    fn larger(self, other: Self) -> Self;
}

impl Lane for f32 {
    type Mask = bool;

    #[inline(always)]
    fn constant(self, value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
    #[inline(always)]
    fn gt(self, other: f32) -> bool {
        self > other
    }
    #[inline(always)]
    fn both(a: bool, b: bool) -> bool {
        a & b
    }
    #[inline(always)]
    fn select(mask: bool, yes: f32, no: f32) -> f32 {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn larger(self, other: f32) -> f32 {
        if self > other { self } else { other }
    }
}

impl<S: Simd> Lane for f32x8<S> {
    type Mask = mask32x8<S>;

    #[inline(always)]
    fn constant(self, value: f32) -> Self {
        SimdBase::splat(self.simd, value)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        SimdFloat::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        SimdBase::abs(self)
    }
    #[inline(always)]
    fn gt(self, other: Self) -> mask32x8<S> {
        SimdBase::simd_gt(self, other)
    }
    #[inline(always)]
    fn both(a: mask32x8<S>, b: mask32x8<S>) -> mask32x8<S> {
        a & b
    }
    #[inline(always)]
    fn select(mask: mask32x8<S>, yes: Self, no: Self) -> Self {
        Select::select(mask, yes, no)
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        SimdBase::max(self, other)
    }
}
