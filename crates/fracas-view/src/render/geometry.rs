//! Shapes the renderer makes itself.

use bytemuck::{Pod, Zeroable};
use fracas::glam::{DVec3, Vec3};

use super::frame::grid_cell;
use crate::camera::Camera;
use crate::drawing::Ground;

/// A corner of a ground.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct GroundCorner {
    place: [f32; 3],
    normal: [f32; 3],
    /// In m along the lines of the grid.
    on_ground: [f32; 2],
}

/// Two triangles of a ground that reach so far, in m, from where the eye is above it; none if the eye
/// is behind it.
pub(super) fn ground(
    ground: &Ground,
    drawing_origin: [f64; 3],
    camera: &Camera,
    reach: f32,
) -> Vec<GroundCorner> {
    let origin = DVec3::from(drawing_origin);
    let eye = (camera.eye - origin).as_vec3();
    let normal = Vec3::from(ground.normal);
    let point = DVec3::from(ground.point);
    let height = (camera.eye - point).dot(normal.as_dvec3());
    if height <= 0.0 {
        return Vec::new();
    }
    let foot = eye - normal * height as f32;
    let along = if normal.x.abs() < 0.9 { Vec3::X } else { Vec3::Z };
    let u = along.reject_from_normalized(normal).normalize();
    let v = u.cross(normal);
    // of the grid only the part within ten cells matters, as small numbers
    let from_point = foot.as_dvec3() + (origin - point);
    let period = 10.0 * grid_cell(camera);
    let within = |axis: Vec3| (from_point.dot(axis.as_dvec3()) % period) as f32;
    let (u0, v0) = (within(u), within(v));
    let corner = |a: f32, b: f32| GroundCorner {
        place: (foot + u * a + v * b).to_array(),
        normal: ground.normal,
        on_ground: [u0 + a, v0 + b],
    };
    let [ll, lh] = [corner(-reach, -reach), corner(-reach, reach)];
    let [hl, hh] = [corner(reach, -reach), corner(reach, reach)];
    vec![ll, hl, hh, ll, hh, lh]
}

/// A unit ball: an octahedron, each of whose sides is divided into 64 triangles.
pub(super) fn ball() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    const DIVISIONS: u32 = 8;
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for side in 0..8_u32 {
        let sign = |bit: u32| if side >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let [x, y, z] = [Vec3::X * sign(0), Vec3::Y * sign(1), Vec3::Z * sign(2)];
        let flipped = side.count_ones() % 2 == 1;
        let first = corners.len() as u32;
        // row i has i + 1 corners
        let index = |i: u32, j: u32| first + i * (i + 1) / 2 + j;
        for i in 0..=DIVISIONS {
            for j in 0..=i {
                let [a, b, c] = [DIVISIONS - i, i - j, j].map(|k| k as f32);
                corners.push((x * a + y * b + z * c).normalize().to_array());
            }
        }
        let mut add = |a, b, c| triangles.push(if flipped { [a, c, b] } else { [a, b, c] });
        for i in 0..DIVISIONS {
            for j in 0..=i {
                add(index(i, j), index(i + 1, j), index(i + 1, j + 1));
                if j < i {
                    add(index(i, j), index(i + 1, j + 1), index(i, j + 1));
                }
            }
        }
    }
    (corners, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All triangles face outwards, and the volume is nearly that of a ball.
    #[test]
    fn the_ball_is_round_and_faces_outwards() {
        let (corners, triangles) = ball();
        let volume: f32 = triangles
            .iter()
            .map(|t| t.map(|k| Vec3::from(corners[k as usize])))
            .map(|[a, b, c]| {
                assert!((b - a).cross(c - a).dot(a + b + c) > 0.0);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((volume / 4.18879 - 1.0).abs() < 0.03, "{volume}");
    }
}
