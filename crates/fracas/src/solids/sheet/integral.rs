//! K_I and K_II of a tip by the interaction integral: what the field around it does to the known fields of either mode (Yau, Wang and Corten 1980,
//! over an area).
//!
//! ```text
//! I_k = Σ A ( S ∂₁uᵏ + Sᵏ ∂₁u − (Sᵏ:E) e₁ )·∇q,   K_k = ½ E_Y I_k          in the frame of the crack; k = I, II; E_Y Young's modulus, plane stress
//! Sᵏ, ∂₁uᵏ those of a straight crack with K_k = 1;   q as for G: 1 within 0.4 r, from there straight to 0 at r
//! ```
//!
//! ∇q is 0 near the tip, where triangles do not know the field, and no constant of the disc enters. ∂₁u is that of the sheet without the mean turn
//! of the disc, so that it may lie anyhow in space; where it is bent within the disc that is no more than a guess.

use super::Sheet;
use super::fracture::{SAMPLES, Tip, slope_of};
use glam::{DMat2, DVec2, DVec3};

/// A field in the frame of a crack.
struct Field {
    /// xx, yy, xy.
    stress: [f64; 3],
    /// ∂₁u.
    slope: DVec2,
}

impl Field {
    /// Of a straight crack along −x with K_I = 1 and of one with K_II = 1, at a place seen from its tip, for E and ν.
    fn both(p: DVec2, [e, nu]: [f64; 2]) -> [Self; 2] {
        let r = p.length();
        // of half the angle, that which is not small first
        let root = |x: f64| (0.5 * (1.0 + x / r)).max(0.0).sqrt();
        let (c, s) = if p.x > 0.0 {
            let c = root(p.x);
            (c, p.y / (2.0 * r * c))
        } else {
            let s = root(-p.x).copysign(p.y);
            (p.y / (2.0 * r * s), s)
        };
        // and of one and a half
        let (c3, s3) = (c * (4.0 * c * c - 3.0), s * (3.0 - 4.0 * s * s));
        let one = [c * (1.0 - s * s3), c * (1.0 + s * s3), s * c * c3];
        let two = [-s * (2.0 + c * c3), s * c * c3, c * (1.0 - s * s3)];
        let scale = 1.0 / (std::f64::consts::TAU * r).sqrt();
        let of = |stress: [f64; 3], turn: f64| {
            let [xx, yy, xy] = stress.map(|s| scale * s);
            // ∂₁u = (ε₁₁, ε₁₂ + ω), the turn ω from κ + 1 over 4 μ
            let slope = DVec2::new((xx - nu * yy) / e, ((1.0 + nu) * xy - 2.0 * scale * turn) / e);
            Self { stress: [xx, yy, xy], slope }
        };
        [of(one, s), of(two, c)]
    }
}

impl Sheet {
    /// K_I and K_II of a tip, Pa√m.
    pub(super) fn interaction(&self, tip: &Tip) -> [f64; 2] {
        let (v, radius) = (tip.vertex as usize, self.radius_at(tip.vertex));
        let stuff = [f64::from(self.fabric.modulus[v]), f64::from(self.fabric.poisson[v])];
        let axes = self.axes_of_disc(tip.vertex, radius);
        let here = self.plane.rest[v];
        let (e1, e2) = (tip.direction, tip.direction.perp());
        let within = |a: DVec2| DVec2::new(a.dot(e1), a.dot(e2));
        // xx, yy, xy in the frame of the crack
        let turned = |[xx, yy, xy]: [f64; 3]| {
            let times = |e: DVec2| DVec2::new(xx * e.x + xy * e.y, xy * e.x + yy * e.y);
            [times(e1).dot(e1), times(e2).dot(e2), times(e1).dot(e2)]
        };
        let mut sums = [0.0; 2];
        self.visit_disc(tip.vertex, radius, |t, corners, _| {
            let fall = within(self.slope_of_share(tip.vertex, radius, corners));
            if fall == DVec2::ZERO {
                return;
            }
            let f = slope_of(&self.plane, t);
            let (stress, strain) = (turned(self.stress_of(t)), turned(self.elastic_of(t, f)));
            let along = e1.x * f[0] + e1.y * f[1];
            let slope = within(DVec2::new(axes[0].dot(along), axes[1].dot(along)) - e1);
            let area = 0.5 * self.plane.twice_area(t);
            for [a, b, c] in SAMPLES {
                let p = a * corners[0] + b * corners[1] + c * corners[2] - here;
                let fields = Field::both(within(p), stuff);
                for (sum, field) in sums.iter_mut().zip(fields) {
                    let pull = |s: [f64; 3], u: DVec2| {
                        DVec2::new(s[0] * u.x + s[2] * u.y, s[2] * u.x + s[1] * u.y)
                    };
                    let [xx, yy, xy] = field.stress;
                    let work = xx * strain[0] + yy * strain[1] + 2.0 * xy * strain[2];
                    let flow = pull(stress, field.slope) + pull(field.stress, slope);
                    *sum += area / SAMPLES.len() as f64 * (flow.dot(fall) - work * fall.x);
                }
            }
        });
        sums.map(|sum| 0.5 * stuff[0] * sum)
    }

    /// Where u and v of the rest plane point in space, as a mean over a disc: F without its stretch.
    fn axes_of_disc(&self, v: u32, radius: f64) -> [DVec3; 2] {
        let mut mean = [DVec3::ZERO; 2];
        self.visit_disc(v, radius, |t, _, weight| {
            let (f, weight) = (slope_of(&self.plane, t), weight * self.plane.twice_area(t));
            (0..2).for_each(|k| mean[k] += weight * f[k]);
        });
        let [x, y] = mean;
        // U = √(FᵀF) = (FᵀF + d 1) / √(tr FᵀF + 2 d), d = det U
        let square =
            DMat2::from_cols(DVec2::new(x.dot(x), x.dot(y)), DVec2::new(x.dot(y), y.dot(y)));
        let root = square.determinant().max(0.0).sqrt();
        let trace = square.x_axis.x + square.y_axis.y;
        let stretch = (square + DMat2::from_diagonal(DVec2::splat(root)))
            * (1.0 / (trace + 2.0 * root).sqrt());
        let inverse = stretch.inverse();
        [inverse.x_axis, inverse.y_axis].map(|c| c.x * x + c.y * y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Either field is in balance (div S = 0), its strain is that of its stress, and its crack is free of load.
    #[test]
    fn fields_of_a_crack_are_in_balance() {
        let stuff = [3.0, 0.3];
        let step = 1e-5;
        for turn in [-3.0f64, -2.0, -0.7, 0.0, 0.4, 1.5, 2.9] {
            let p = 0.8 * DVec2::new(turn.cos(), turn.sin());
            let at = |x: f64, y: f64| Field::both(p + DVec2::new(x, y), stuff);
            let (right, left) = (at(step, 0.0), at(-step, 0.0));
            let (up, down) = (at(0.0, step), at(0.0, -step));
            for mode in 0..2 {
                let dx = |k: usize| (right[mode].stress[k] - left[mode].stress[k]) / (2.0 * step);
                let dy = |k: usize| (up[mode].stress[k] - down[mode].stress[k]) / (2.0 * step);
                let balance = [dx(0) + dy(2), dx(2) + dy(1)];
                assert!(balance.iter().all(|x| x.abs() < 1e-8), "{balance:?}");
                // ∂₁ε₁₂ = ½ (∂₂ε₁₁ + ∂₁∂₁u₂): what is told of the turn fits the strain
                let strain = |f: &Field| (1.0 + stuff[1]) / stuff[0] * f.stress[2];
                let shear = (strain(&right[mode]) - strain(&left[mode])) / (2.0 * step);
                let slope = |f: &Field| f.slope;
                let second = 0.5
                    * ((slope(&up[mode]).x - slope(&down[mode]).x)
                        + (slope(&right[mode]).y - slope(&left[mode]).y))
                    / (2.0 * step);
                assert!((shear - second).abs() < 1e-7, "{shear} instead of {second}");
            }
        }
        for side in [1.0, -1.0] {
            for field in Field::both(DVec2::new(-1.0, side * 1e-12), stuff) {
                assert!(field.stress[1].abs() < 1e-5 && field.stress[2].abs() < 1e-5);
            }
        }
    }
}
