//! The integrator of seed 001, for comparison: implicit Euler by Broyden's method, without a Jacobian.
//!
//! The text only cites it. It is the "good" update of rank one from J₀ = M/h² on (methods, "001 leaves out"); J is never formed, since the
//! steps s tell its inverse (Sherman and Morrison):
//!
//! ```text
//! z = J₀⁻¹ r,   z += s_{j+1} (s_j·z)/|s_j|² for all j before the last,   s = z/(1 − s_last·z/|s_last|²),   x += s
//! ```
//!
//! Of n unknowns it takes about 2n iterations, and it diverges where h²K is far beyond M: a chain of a hundred masses for h²k/m ≥ 10. So what it ends
//! with is the best it came by, and says how far off that is.

/// What is out of balance may grow by this, squared, before it has diverged.
const DIVERGED: f64 = 1e24;
/// A step that the update would make longer than by the inverse of this has no direction.
const SINGULAR: f64 = 1e-12;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ended {
    /// The square of what is out of balance at the end.
    pub left: f64,
    pub iterations: u32,
    /// Whether it had to be given up, and not only ended before it was there.
    pub diverged: bool,
}

/// Solves r(x) = 0 from `x` on until |r|² ≤ `enough`, in at most so many iterations, with the inverse of a diagonal J₀ at the start. What grows
/// beyond all bounds is given up; `x` ends where r was least.
pub(crate) fn solve(
    x: &mut [f64],
    inverse: &[f64],
    most: u32,
    enough: f64,
    mut unbalance: impl FnMut(&[f64], &mut [f64]),
) -> Ended {
    let mut r = vec![0.0; x.len()];
    unbalance(x, &mut r);
    let first = dot(&r, &r);
    let (mut best, mut left) = (x.to_vec(), first);
    let mut steps: Vec<Vec<f64>> = Vec::new();
    let (mut diverged, mut iterations) = (false, 0);
    while left > enough && iterations < most {
        let Some(step) = next_step(&steps, inverse, &r) else {
            diverged = true;
            break;
        };
        x.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
        steps.push(step);
        iterations += 1;
        unbalance(x, &mut r);
        let square = dot(&r, &r);
        if square < left {
            left = square;
            best.copy_from_slice(x);
        }
        if square.is_nan() || square > DIVERGED * first {
            diverged = true;
            break;
        }
    }
    x.copy_from_slice(&best);
    Ended { left, iterations, diverged }
}

/// J⁻¹ r; none where the update has no inverse.
fn next_step(steps: &[Vec<f64>], inverse: &[f64], r: &[f64]) -> Option<Vec<f64>> {
    let mut z: Vec<f64> = inverse.iter().zip(r).map(|(d, r)| d * r).collect();
    let Some(last) = steps.last() else { return Some(z) };
    for pair in steps.windows(2) {
        let share = dot(&pair[0], &z) / dot(&pair[0], &pair[0]);
        z.iter_mut().zip(&pair[1]).for_each(|(z, s)| *z += share * s);
    }
    let scale = 1.0 - dot(last, &z) / dot(last, last);
    if scale.is_nan() || scale.abs() <= SINGULAR {
        return None;
    }
    z.iter_mut().for_each(|z| *z /= scale);
    Some(z)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m = 1 kg on k = 1000 N/m, h = 0.01 s, 1 m off: v = −10 m/s, then −9.0909….
    #[test]
    fn one_mass_is_exact_in_two() {
        let unbalance =
            |v: &[f64], r: &mut [f64]| r[0] = -(v[0] + 0.01 * 1000.0 * (1.0 + 0.01 * v[0]));
        let found = [1, 2].map(|most| {
            let mut v = [0.0];
            solve(&mut v, &[1.0], most, 0.0, unbalance);
            v[0]
        });
        assert_eq!(found[0], -10.0);
        assert!((found[1] + 9.090909090909).abs() < 1e-11, "{} m/s", found[1]);
    }

    /// Masses between springs with h²k/m as given, one end held; they start at sin i.
    fn chain(count: usize, stiffness: f64) -> (Ended, f64, Vec<f64>) {
        let pull = |x: &[f64], i: usize| {
            let before = if i > 0 { x[i - 1] } else { 0.0 };
            let after = if i + 1 < x.len() { x[i] - x[i + 1] } else { 0.0 };
            stiffness * (x[i] - before + after)
        };
        let start: Vec<f64> = (0..count).map(|i| (i as f64).sin()).collect();
        let unbalance = |v: &[f64], r: &mut [f64]| {
            for (i, r) in r.iter_mut().enumerate() {
                *r = -(v[i] + pull(&start, i) + pull(v, i));
            }
        };
        let mut v = vec![0.0; count];
        let mut first = vec![0.0; count];
        unbalance(&v, &mut first);
        let first = dot(&first, &first);
        let ended =
            solve(&mut v, &vec![1.0; count], 4 * count as u32 + 10, 1e-12 * first, unbalance);
        (ended, first, v)
    }

    /// As many iterations as the prototype took (001-M): 16, 18, 20 for ten masses, 34 for a hundred soft ones.
    #[test]
    fn chains_take_about_two_iterations_a_mass() {
        for (count, stiffness, most) in
            [(10, 1.0, 16), (10, 10.0, 18), (10, 1000.0, 20), (30, 10.0, 52), (100, 1.0, 34)]
        {
            let (ended, first, _) = chain(count, stiffness);
            assert!(
                !ended.diverged && ended.left <= 1e-12 * first,
                "{count}, {stiffness}: {ended:?}"
            );
            assert!(
                ended.iterations.abs_diff(most) <= 1,
                "{count} masses at {stiffness}: {} iterations instead of {most}",
                ended.iterations
            );
        }
    }

    /// A chain of a hundred stiff masses is given up, and ends with numbers no worse than it began with.
    #[test]
    fn long_stiff_chains_diverge() {
        for stiffness in [10.0, 100.0, 1000.0] {
            let (ended, first, v) = chain(100, stiffness);
            assert!(ended.diverged, "h²k/m = {stiffness}: {ended:?}");
            assert!(ended.left <= first && ended.left > 1e-12 * first, "{ended:?} of {first}");
            assert!(v.iter().all(|v| v.is_finite()));
        }
    }
}
