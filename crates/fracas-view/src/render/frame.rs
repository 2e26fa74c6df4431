//! The numbers that all shaders of a picture share.

use bytemuck::{Pod, Zeroable};
use fracas::glam::{DVec3, Mat4, Vec3, Vec4};

use super::targets::SHADOW_SIZE;
use crate::camera::Camera;
use crate::drawing::Drawing;

/// As `Frame` in `frame.wgsl`, which explains the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct Frame {
    view: [f32; 16],
    projection: [f32; 16],
    sun_view: [f32; 16],
    eye: [f32; 4],
    sun: [f32; 4],
    size: [f32; 4],
    lengths: [f32; 4],
    grid: [f32; 4],
}

/// Direction to the sun: for a viewer at +x or +z on the left, so that shadows fall into the picture.
const SUN: Vec3 = Vec3::new(-0.25, 0.8, 0.65);
/// Tangent of the half angle at which the sun is seen: wider than the real one, as through haze.
const SUN_WIDTH: f32 = 0.025;
/// How much of what is behind them bodies hide that are drawn as glass.
const GLASS: f32 = 0.25;
/// How far around what the camera looks at shadows are told, in half widths of the picture there.
const SHADOWED: f32 = 3.0;

impl Frame {
    pub fn new(
        drawing: &Drawing,
        skins: Option<[Vec3; 2]>,
        camera: &Camera,
        [width, height]: [u32; 2],
    ) -> Self {
        let origin = DVec3::from(drawing.origin);
        let eye = (camera.eye - origin).as_vec3();
        let target = (camera.target - origin).as_vec3();
        let away = eye.distance(target);
        let both = drawing.bounds().into_iter().chain(skins);
        let all = both.reduce(|[a, b], [low, high]| [a.min(low), b.max(high)]);
        let [low, high] = all.unwrap_or([target; 2]);
        let centre = 0.5 * (low + high);
        let tangent = (0.5 * camera.field_of_view).tan();
        let [w, h] = [width as f32, height as f32];
        let aspect = w / h;
        let (sunlit, radius) = {
            let all = (0.5 * low.distance(high)).max(1e-3 * away);
            let seen = SHADOWED * away * tangent * aspect.max(1.0);
            // one fragment far off must not take the shadow map from all that is looked at
            if all > seen { (target.clamp(low, high), seen) } else { (centre, all) }
        };
        let near = 2e-3 * away;
        let sun = SUN.normalize();
        let reach = away + centre.distance(target);
        Self {
            view: camera.view(origin).to_cols_array(),
            projection: camera.projection(aspect, near).to_cols_array(),
            sun_view: sun_view(sun, sunlit, radius).to_cols_array(),
            eye: [eye.x, eye.y, eye.z, 0.0],
            sun: [sun.x, sun.y, sun.z, SUN_WIDTH],
            size: [w, h, aspect * tangent, tangent],
            lengths: [near, SHADOW_SIZE as f32, 0.2 * tangent * away, radius],
            grid: [
                grid_cell(camera) as f32,
                2.0 * reach,
                15.0 * reach,
                if drawing.see_through { GLASS } else { 1.0 },
            ],
        }
    }

    /// Distance from the eye at which grounds have faded away, in m.
    pub fn horizon(&self) -> f32 {
        self.grid[2]
    }
}

/// Orthographic, of a ball, from the sun.
fn sun_view(sun: Vec3, centre: Vec3, radius: f32) -> Mat4 {
    let across = Vec3::Y.cross(sun).normalize();
    let up = sun.cross(across);
    let row = |axis: Vec3, scale: f32, shift: f32| {
        Vec4::new(axis.x * scale, axis.y * scale, axis.z * scale, shift - axis.dot(centre) * scale)
    };
    let scale = 1.0 / radius;
    let rows = [row(across, scale, 0.0), row(up, scale, 0.0), row(sun, -0.5 * scale, 0.5)];
    Mat4::from_cols(rows[0], rows[1], rows[2], Vec4::W).transpose()
}

/// Width of the cells of the grid on grounds, in m: a power of ten of which 5 to 50 fit into the
/// height of the picture, where the camera looks at.
pub fn grid_cell(camera: &Camera) -> f64 {
    let height =
        2.0 * camera.eye.distance(camera.target) * f64::from((0.5 * camera.field_of_view).tan());
    10f64.powi((height.log10() - 1.2).round() as i32)
}
