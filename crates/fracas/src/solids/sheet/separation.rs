//! The separation tensor of the seed (004 eqs. 12–17 with errata 004.3–5) as the test of where a sheet begins to tear.
//!
//! ```text
//! S⁺ = Σ max(0, s_i) m(n_i),  S⁻ = S − S⁺,   m(a) = a aᵀ/|a|                        the parts of the stress in tension and in compression
//! f⁺ = −A t F S⁺ g,  f⁻ = −A t F S⁻ g                                               what they do to a corner of a triangle
//! ζ  = ½ ( −m(Σf⁺) + Σ m(f⁺) + m(Σf⁻) − Σ m(f⁻) )                                   over the triangles around a vertex
//! ```
//!
//! A crack begins across the axis of the largest value ζ⁺ of ζ where that is beyond τ = σ_t h t, h the mean edge: ζ is a force, and the seed's
//! "toughness" of it one, too. Under an even pull σ inside a sheet ζ⁺ = ½ σ t H, H how wide the triangles around the vertex are across the pull,
//! between 1 and 2.8 edges; along a free border half of that. So it tells what pulls apart, but not at which stress (`docs/sheet.md`).

use super::elastic::outer;
use crate::math::{Sym3, symmetric_eigen};
use glam::{DMat3, DVec3};

/// ζ⁺, N, and its axis, of what triangles do to a vertex: each by f⁺ and f⁻, N.
pub(super) fn separation(forces: impl Iterator<Item = [DVec3; 2]>) -> (f64, DVec3) {
    let (mut sums, mut each) = ([DVec3::ZERO; 2], [DMat3::ZERO; 2]);
    for force in forces {
        for k in 0..2 {
            sums[k] += force[k];
            each[k] += spread(force[k]);
        }
    }
    let tensor = 0.5 * (each[0] - spread(sums[0]) + spread(sums[1]) - each[1]);
    let (values, axes) = symmetric_eigen(&Sym3::from_mat3(&tensor.as_mat3()));
    (f64::from(values[0]), axes.x_axis.as_dvec3())
}

/// m(a) = a aᵀ/|a|, 0 of 0.
fn spread(a: DVec3) -> DMat3 {
    let length = a.length();
    if length > 0.0 { outer(a, a) * (1.0 / length) } else { DMat3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Erratum 004.5: values of ζ of forces that act on one vertex.
    #[test]
    fn separation_of_forces_is_that_of_erratum_004_5() {
        let (x, y) = (DVec3::X, DVec3::Y);
        let turned = |turn: f64| DVec3::new(turn.to_radians().cos(), turn.to_radians().sin(), 0.0);
        let pull = |f: DVec3| [f, DVec3::ZERO];
        let push = |f: DVec3| [DVec3::ZERO, f];
        let of = |forces: &[[DVec3; 2]]| separation(forces.iter().copied());
        let cases: [(&[[DVec3; 2]], f64); 6] = [
            (&[pull(x), pull(-x)], 1.0),
            (&[pull(x)], 0.0),
            (&[push(x), push(-x)], 0.0),
            (&[pull(x), pull(-x), pull(x), pull(-x), pull(y), pull(-y)], 2.0),
            (&[0.0, 120.0, 240.0].map(|turn| pull(turned(turn))), 0.75),
            (&[pull(x), pull(-x), push(x), push(-x)], 0.0),
        ];
        for (forces, wanted) in cases {
            let (found, axis) = of(forces);
            assert!((found - wanted).abs() < 1e-6, "{found} N instead of {wanted} N");
            if wanted >= 1.0 {
                assert!(axis.dot(x).abs() > 0.999_999, "across {axis}");
            }
        }
    }
}
