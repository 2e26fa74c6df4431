//! Stress at a vertex.
//!
//! The mean of the tetrahedra around a vertex of the surface tells the stress some way inside: 0.74 of the truth where a bar of four
//! layers is bent. What is fitted over two rings, linearly and by volume, and read off at the vertex tells 0.91 there.

use super::stars::Stars;
use super::tets::Tets;
use crate::math::Sym3;
use crate::solids::Particles;
use glam::{DVec3, Vec3};

/// A pivot this much below its diagonal is none: all middles lie in a plane.
const FLAT: f64 = 1e-4;

/// σ(x̄) = s + Σ_k b_k x̄_k of least Σ V |σ(x̄_t) − σ_t|² over the tetrahedra of the vertex and its neighbours; s at the
/// vertex, and their mean where they do not tell a slope.
pub(crate) fn at_vertex(
    tets: &Tets,
    stars: &Stars,
    particles: &Particles,
    vertex: usize,
    stress_of: impl Fn(usize) -> Sym3,
) -> Sym3 {
    let around = two_rings(stars, vertex);
    let here = particles.rest[vertex].as_dvec3();
    let arm = |t: usize| {
        let sum: DVec3 =
            tets.corners[t].map(|v| particles.rest[v as usize].as_dvec3()).iter().sum();
        0.25 * sum - here
    };
    let rows: Vec<[f64; 4]> = around.iter().map(|&t| row(arm(t))).collect();
    let mut normal = [[0.0; 4]; 4];
    for (&t, row) in around.iter().zip(&rows) {
        let volume = f64::from(tets.volume[t]);
        for i in 0..4 {
            for j in 0..=i {
                normal[i][j] += volume * row[i] * row[j];
            }
        }
    }
    let share = first_of_inverse(normal);
    let mut sum = [0.0; 6];
    for (&t, row) in around.iter().zip(&rows) {
        let weight = f64::from(tets.volume[t]) * (0..4).map(|k| share[k] * row[k]).sum::<f64>();
        for (sum, value) in sum.iter_mut().zip(stress_of(t).to_array()) {
            *sum += weight * f64::from(value);
        }
    }
    Sym3::from_array(sum.map(|x| x as f32))
}

/// The mean over the tetrahedra of a vertex, by volume (001 eq. 6).
pub(crate) fn mean(
    tets: &Tets,
    stars: &Stars,
    vertex: usize,
    stress_of: impl Fn(usize) -> Sym3,
) -> Sym3 {
    let (mut sum, mut volume) = (Sym3::ZERO, 0.0);
    for t in stars.tets_of(vertex) {
        sum = sum + tets.volume[t] * stress_of(t);
        volume += tets.volume[t];
    }
    sum * (1.0 / volume)
}

/// How far the middles of the tetrahedra of a vertex are from it in the mean, by volume, m. Corners are those that the stars were made of.
pub(crate) fn reach(
    corners: &[[u32; 4]],
    volumes: &[f32],
    stars: &Stars,
    rest: &[Vec3],
    vertex: usize,
) -> f32 {
    let (mut sum, mut volume) = (0.0, 0.0);
    for t in stars.tets_of(vertex) {
        let corners: Vec3 = corners[t].iter().map(|&v| rest[v as usize]).sum();
        sum += volumes[t] * rest[vertex].distance(0.25 * corners);
        volume += volumes[t];
    }
    sum / volume
}

fn row(arm: DVec3) -> [f64; 4] {
    [1.0, arm.x, arm.y, arm.z]
}

/// Tetrahedra of the vertex and of its neighbours, each once, in order.
fn two_rings(stars: &Stars, vertex: usize) -> Vec<usize> {
    let mut around: Vec<usize> = stars.tets_of(vertex).collect();
    for &v in stars.neighbours(vertex) {
        around.extend(stars.tets_of(v as usize));
    }
    around.sort_unstable();
    around.dedup();
    around
}

/// The first row of A⁻¹ by its lower half, by Cholesky with slopes that nothing tells left out.
fn first_of_inverse(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    for i in 0..4 {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let left = a[i][j] - sum;
            a[i][j] = match (i == j, a[j][j]) {
                (true, whole) if left > FLAT * whole => left.sqrt(),
                (true, _) => 0.0,
                (false, 0.0) => 0.0,
                (false, pivot) => left / pivot,
            };
        }
    }
    // L y = e₀, Lᵀ x = y
    let mut y = [0.0; 4];
    for i in 0..4 {
        let sum: f64 = (0..i).map(|k| a[i][k] * y[k]).sum();
        y[i] = if a[i][i] > 0.0 { (f64::from(u8::from(i == 0)) - sum) / a[i][i] } else { 0.0 };
    }
    for i in (0..4).rev() {
        let sum: f64 = (i + 1..4).map(|k| a[k][i] * y[k]).sum();
        y[i] = if a[i][i] > 0.0 { (y[i] - sum) / a[i][i] } else { 0.0 };
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field that is linear is read exactly, and without a slope along an axis the others still are.
    #[test]
    fn fit_reproduces_linear_fields() {
        let points = [
            [0.1, 0.2, 0.3],
            [0.4, -0.1, 0.2],
            [-0.3, 0.2, 0.1],
            [0.2, 0.5, -0.4],
            [0.0, 0.1, 0.6],
        ];
        for flat in [1.0, 0.0] {
            let points = points.map(|[x, y, z]| row(DVec3::new(x, y, flat * z)));
            let mut normal = [[0.0; 4]; 4];
            for row in points {
                for i in 0..4 {
                    for j in 0..4 {
                        normal[i][j] += row[i] * row[j];
                    }
                }
            }
            let share = first_of_inverse(normal);
            let field = |row: [f64; 4]| 7.0 + 2.0 * row[1] - 3.0 * row[2] + 5.0 * row[3];
            let weight = |row: [f64; 4]| (0..4).map(|k| share[k] * row[k]).sum::<f64>();
            let read: f64 = points.iter().map(|&row| weight(row) * field(row)).sum();
            assert!((read - 7.0).abs() < 1e-9, "{read}");
        }
    }
}
