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
    use crate::solids::sheet::Sheet;
    use crate::solids::sheet::elastic::tests::fabric;
    use crate::solids::sheet::remesh::tests::square;
    use glam::DVec2;

    /// Under an even pull ζ⁺ = ½ σ t H, H how wide the triangles around a vertex are across it; both ways the sum of both; half along a free border.
    /// Pushed, nothing parts.
    #[test]
    fn an_even_pull_reads_as_wide_as_the_triangles_around() {
        let (e, t, strain) = (1e3f32, 0.01f32, 1e-4);
        let mut plane = square(6, 0.0, &mut 1);
        let places = plane.rest.clone();
        plane.edge = 1.0;
        let count = places.len();
        // no sideways contraction
        let mut sheet = Sheet::of_plane(plane, fabric(count, [e, 0.0, t, 0.0]));
        let mut read = |stretch: DVec2, v: usize| {
            let place = |p: &DVec2| DVec3::new(0.3, stretch.x * p.x, stretch.y * p.y);
            sheet.plane.shape = places.iter().map(place).collect();
            let (felt, normal) = sheet.separated_at(v);
            // over the stress, which strain times E is
            (felt / (f64::from(e) * strain), normal)
        };
        let (one, both) = (DVec2::new(1.0 + strain, 1.0), DVec2::splat(1.0 + strain));
        let at = |i: usize, j: usize| i * 7 + j;
        // eight triangles in a square of two edges, four in one that stands on its corner, those of a border along the pull
        let root = 0.5f64.sqrt();
        let cases = [
            (one, at(2, 2), 1.0),
            (one, at(2, 3), 1.0),
            (one, at(2, 0), 0.5),
            (both, at(2, 2), 1.0),
            (both, at(2, 3), root),
            (DVec2::new(1.0 - strain, 1.0), at(2, 2), 0.0),
        ];
        for (stretch, v, wanted) in cases {
            let (found, normal) = read(stretch, v);
            assert!((found - wanted).abs() < 2e-3, "vertex {v}: {found} instead of {wanted}");
            if stretch == one {
                assert!(normal.dot(DVec2::X).abs() > 0.999, "vertex {v}: across {normal}");
            }
        }
        // askew of the squares they are wider, or less so
        for (v, wanted) in [(at(2, 2), 2f64.sqrt()), (at(2, 3), root)] {
            let slope = 0.5 * strain;
            let askew =
                |p: &DVec2| DVec3::new(p.x + slope * (p.x + p.y), p.y + slope * (p.x + p.y), 0.0);
            sheet.plane.shape = places.iter().map(askew).collect();
            let found = sheet.separated_at(v).0 / (f64::from(e) * strain);
            assert!((found - wanted).abs() < 2e-3, "vertex {v} askew: {found} not {wanted}");
        }
    }

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
