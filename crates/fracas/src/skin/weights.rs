//! The two rules by which a vertex follows particles (000 sec. 4.2, 003's embedding).
//!
//! ```text
//! blend:   x = Σ_p ω_p (x_p + R_p (X − X_p)),  ω_p = w_p / Σ w,  w_p = (1 − |X − X_p|²/r_p²)²
//! affine:  x = Σ_i λ_i x_i,                    λ barycentric in the tetrahedron at rest
//! ```
//!
//! Both are sums over influences, and so is the deformation gradient ∂x/∂X, by which normals turn:
//! n ∝ cof(∂x/∂X) N.

use super::Owners;
use super::update::SkinBasis;
use glam::{Mat3, Vec3};

/// Least weight of a vertex's owner: after a cut it may lie out of everyone's reach.
const LEAST_OWN: f32 = 1e-3;

/// A particle that a place follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Influence {
    /// Its state.
    pub state: u32,
    /// ω
    pub weight: f32,
    /// ∂ω/∂X, in 1/m.
    pub gradient: Vec3,
}

/// How a particle moves what follows it: R and x − R X of the blend, 0 and x of the affine rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub turn: Mat3,
    pub shift: Vec3,
}

/// Whom a place at rest follows that belongs to `owner`, whose ring is `members`: added to `influences`.
pub(super) fn follow(
    basis: &SkinBasis,
    owner: u32,
    members: &[u32],
    at: Vec3,
    influences: &mut Vec<Influence>,
) {
    match basis.owners {
        Owners::Tets(_) => affine(basis, members, at, influences),
        Owners::Particles => blend(basis, owner, members, at, influences),
    }
}

fn blend(
    basis: &SkinBasis,
    owner: u32,
    members: &[u32],
    at: Vec3,
    influences: &mut Vec<Influence>,
) {
    let start = influences.len();
    let (mut sum, mut slope) = (0.0, Vec3::ZERO);
    for &state in members {
        let rest = basis.rest(state);
        let away = at - Vec3::from(rest.position);
        let r2 = rest.reach * rest.reach;
        let inner = if r2 > 0.0 { (1.0 - away.length_squared() / r2).max(0.0) } else { 0.0 };
        let mut weight = inner * inner;
        let mut gradient = if r2 > 0.0 { -4.0 * inner / r2 * away } else { Vec3::ZERO };
        if state == owner && weight < LEAST_OWN {
            (weight, gradient) = (LEAST_OWN, Vec3::ZERO);
        }
        if weight > 0.0 {
            sum += weight;
            slope += gradient;
            influences.push(Influence { state, weight, gradient });
        }
    }
    for influence in &mut influences[start..] {
        influence.weight /= sum;
        influence.gradient = (influence.gradient - influence.weight * slope) / sum;
    }
}

/// Outside of the tetrahedron weights are negative: the place goes on as the tetrahedron does. One without volume holds
/// no place, and moves what it has by its middle.
fn affine(basis: &SkinBasis, members: &[u32], at: Vec3, influences: &mut Vec<Influence>) {
    let &[a, b, c, d] = members else { return };
    let [x_a, x_b, x_c, x_d] = [a, b, c, d].map(|state| Vec3::from(basis.rest(state).position));
    let edges = Mat3::from_cols(x_b - x_a, x_c - x_a, x_d - x_a);
    if edges.determinant() == 0.0 {
        let even = |state| Influence { state, weight: 0.25, gradient: Vec3::ZERO };
        influences.extend([a, b, c, d].map(even));
        return;
    }
    // rows of the inverse are the gradients of λ_b, λ_c, λ_d
    let rows = edges.inverse().transpose();
    let gradients =
        [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis];
    let away = at - x_a;
    for (k, (state, gradient)) in [a, b, c, d].into_iter().zip(gradients).enumerate() {
        let weight = gradient.dot(away) + if k == 0 { 1.0 } else { 0.0 };
        influences.push(Influence { state, weight, gradient });
    }
}

/// Where a place is, and ∂x/∂X there.
pub(super) fn place(frames: &[Frame], influences: &[Influence], at: Vec3) -> (Vec3, Mat3) {
    if let [Influence { state, weight: 1.0, .. }] = influences {
        let Frame { turn, shift } = frames[*state as usize];
        return (turn * at + shift, turn);
    }
    let (mut x, mut slope) = (Vec3::ZERO, Mat3::ZERO);
    // about a place near by, since Σ ∂ω/∂X = 0 only to rounding
    let near = influences.first().map_or(Vec3::ZERO, |first| {
        let Frame { turn, shift } = &frames[first.state as usize];
        *turn * at + *shift
    });
    for &Influence { state, weight, gradient } in influences {
        let Frame { turn, shift } = &frames[state as usize];
        let moved = *turn * at + *shift - near;
        x += weight * moved;
        slope.x_axis += weight * turn.x_axis + gradient.x * moved;
        slope.y_axis += weight * turn.y_axis + gradient.y * moved;
        slope.z_axis += weight * turn.z_axis + gradient.z * moved;
    }
    (near + x, slope)
}

/// Least of the volume that a turned-about neighbourhood keeps before its normals follow its rotation alone.
const LEAST_VOLUME: f32 = 1e-3;

/// What turns normals along: the cofactors of ∂x/∂X. Where particles have folded the surface onto itself they
/// mean nothing, and the mean rotation stands in.
pub(super) fn of_normals(slope: &Mat3, frames: &[Frame], influences: &[Influence]) -> Mat3 {
    let cofactors = Mat3::from_cols(
        slope.y_axis.cross(slope.z_axis),
        slope.z_axis.cross(slope.x_axis),
        slope.x_axis.cross(slope.y_axis),
    );
    if slope.x_axis.dot(cofactors.x_axis) > LEAST_VOLUME {
        return cofactors;
    }
    let mut turn = Mat3::ZERO;
    for influence in influences {
        turn += influence.weight * frames[influence.state as usize].turn;
    }
    if turn == Mat3::ZERO { cofactors } else { turn }
}

#[cfg(test)]
mod tests {
    use super::super::update::SkinRest;
    use super::*;
    use crate::math::Rot;

    /// A row of particles, each turned and moved in its own way.
    fn bent(owners: Owners) -> (SkinBasis, Vec<Frame>) {
        let at =
            |k: u32| Vec3::new(0.1 * k as f32, 0.03 * (k % 2) as f32, 0.04 * (k * k % 5) as f32);
        let rest = |k| SkinRest { position: at(k).to_array(), reach: 0.17 + 0.01 * k as f32 };
        let basis = SkinBasis { owners, particles: (0..6).map(rest).collect(), clusters: 0 };
        let frame = |k: u32| {
            let turn = Rot::from_axis_angle(Vec3::new(1.0, 2.0, 0.5).normalize(), 0.2 * k as f32);
            let turn = turn.to_mat3();
            Frame { turn, shift: Vec3::new(0.01 * k as f32, -0.02, 0.3) - 0.1 * turn * at(k) }
        };
        let mut frames: Vec<Frame> = (0..6).map(frame).collect();
        if matches!(basis.owners, Owners::Tets(_)) {
            for (k, frame) in (0..).zip(&mut frames) {
                *frame = Frame { turn: Mat3::ZERO, shift: frame.turn * at(k) + frame.shift };
            }
        }
        (basis, frames)
    }

    /// Weights sum to 1 everywhere, and ∂x/∂X is what differences of x say.
    #[test]
    fn gradients_are_those_of_the_map() {
        for (owners, ring) in [
            (Owners::Particles, vec![2, 1, 3, 4]),
            (Owners::Tets(vec![[1, 2, 3, 4]]), vec![1, 2, 3, 4]),
        ] {
            let (basis, frames) = bent(owners);
            let owner = ring[0];
            let map = |at: Vec3| {
                let mut influences = Vec::new();
                follow(&basis, owner, &ring, at, &mut influences);
                let sum: f32 = influences.iter().map(|i| i.weight).sum();
                assert!((sum - 1.0).abs() < 2e-6, "{sum}");
                place(&frames, &influences, at)
            };
            for k in 0..20 {
                let at = Vec3::new(0.15 + 0.005 * k as f32, 0.02 * (k % 3) as f32, 0.03);
                let (_, slope) = map(at);
                let step = 1e-3;
                for axis in 0..3 {
                    let along = step * Vec3::AXES[axis];
                    let truth = (map(at + along).0 - map(at - along).0) / (2.0 * step);
                    let off = slope.col(axis).distance(truth);
                    assert!(off < 2e-3 * (1.0 + truth.length()), "{off} at {at}, axis {axis}");
                }
            }
        }
    }

    /// Alone, a vertex follows rigidly, to the bit of the frame.
    #[test]
    fn what_has_one_particle_is_rigid() {
        let (basis, frames) = bent(Owners::Particles);
        let mut influences = Vec::new();
        follow(&basis, 3, &[3], Vec3::new(5.0, 0.0, 0.0), &mut influences);
        let (x, slope) = place(&frames, &influences, Vec3::new(5.0, 0.0, 0.0));
        assert_eq!(x, frames[3].turn * Vec3::new(5.0, 0.0, 0.0) + frames[3].shift);
        assert_eq!(slope, frames[3].turn);
    }

    /// Normals of what is folded onto itself follow the rotation, and are never those of the other side.
    #[test]
    fn folded_normals_stay_outside() {
        let (_, frames) = bent(Owners::Particles);
        let influence = [Influence { state: 0, weight: 1.0, gradient: Vec3::ZERO }];
        let folded = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
        let turn = of_normals(&folded, &frames, &influence);
        assert_eq!(turn, frames[0].turn);
    }
}
