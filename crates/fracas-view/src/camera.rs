//! Where a picture is seen from.

use fracas::World;
use fracas::contact::shape::{Aabb, Pose};
use fracas::glam::{DVec3, Mat4, Vec3, Vec4};

/// Where to look from, in the world. Up is +y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera stands, in m.
    pub eye: DVec3,
    /// What it looks at, in m; not where it stands.
    pub target: DVec3,
    /// Angle between the lower and upper edge of the picture, in radians.
    pub field_of_view: f32,
}

impl From<fracas_scene::Camera> for Camera {
    fn from(camera: fracas_scene::Camera) -> Self {
        Self {
            eye: camera.eye.into(),
            target: camera.target.into(),
            field_of_view: camera.field_of_view.to_radians(),
        }
    }
}

impl Camera {
    /// Field of view of a camera that finds its place by itself, in radians.
    const FIELD_OF_VIEW: f32 = 0.6;

    /// Sees the whole of a box from above the corner of x and z, in a picture of this width over
    /// height. A box without extent is seen from 1 m.
    pub fn framing(low: DVec3, high: DVec3, aspect: f32) -> Self {
        let (target, radius) = (0.5 * (low + high), 0.5 * low.distance(high));
        let radius = if radius > 0.0 { radius } else { 0.3 };
        let half = 0.5 * Self::FIELD_OF_VIEW;
        // half the angle of the narrower side of the picture
        let narrow = f64::from((half.tan() * aspect.min(1.0)).atan());
        let away = DVec3::new(0.55, 0.35, 0.76).normalize();
        let eye = target + away * (1.05 * radius / narrow.sin());
        Self { eye, target, field_of_view: Self::FIELD_OF_VIEW }
    }

    /// Unit vectors to the right, up and back, towards the viewer.
    pub(crate) fn axes(&self) -> [Vec3; 3] {
        let back = (self.eye - self.target).as_vec3().normalize_or(Vec3::Z);
        // seen from straight above or below, z is up on the screen
        let up = if back.y.abs() > 0.9999 { Vec3::NEG_Z } else { Vec3::Y };
        let right = up.cross(back).normalize();
        [right, back.cross(right), back]
    }

    /// From coordinates relative to `origin` to those of the camera, which looks along -z.
    pub(crate) fn view(&self, origin: DVec3) -> Mat4 {
        let [right, up, back] = self.axes();
        let eye = (self.eye - origin).as_vec3();
        let row = |axis: Vec3| Vec4::new(axis.x, axis.y, axis.z, -axis.dot(eye));
        Mat4::from_cols(row(right), row(up), row(back), Vec4::W).transpose()
    }

    /// Perspective with reversed depth: 1 at the distance `near`, 0 infinitely far, which spreads
    /// the digits of f32 evenly.
    pub(crate) fn projection(&self, aspect: f32, near: f32) -> Mat4 {
        let scale = 1.0 / (0.5 * self.field_of_view).tan();
        Mat4::from_cols(
            Vec4::new(scale / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, scale, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 0.0, -1.0),
            Vec4::new(0.0, 0.0, near, 0.0),
        )
    }
}

/// A box that grows with what it has seen, for a camera that finds its place by itself.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    low: DVec3,
    high: DVec3,
}

impl Default for Framing {
    fn default() -> Self {
        Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY }
    }
}

impl Framing {
    /// Takes in where all bodies are now, the grounds under them that are near enough to fall onto
    /// within the picture, and what of other obstacles is no farther away than the bodies reach.
    pub fn include(&mut self, world: &World) {
        let (mut now_low, mut now_high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for body in world.body_ids().filter_map(|id| world.body(id)) {
            for (x, half_axes) in body.world_positions().zip(body.ellipsoids()) {
                let reach =
                    half_axes.map(Vec3::from).iter().fold(Vec3::ZERO, |sum, &a| sum + a * a);
                let reach = reach.map(f32::sqrt).as_dvec3();
                now_low = now_low.min(DVec3::from(x) - reach);
                now_high = now_high.max(DVec3::from(x) + reach);
            }
        }
        if !now_low.cmple(now_high).all() {
            return;
        }
        (self.low, self.high) = (self.low.min(now_low), self.high.max(now_high));
        let extent = self.low.distance(self.high);
        let (centre, half) = (0.5 * (self.low + self.high), 0.5 * (self.high - self.low));
        for ground in world.half_spaces() {
            let normal = DVec3::from(ground.normal.map(f64::from)).normalize_or(DVec3::Y);
            let height = (centre - DVec3::from(ground.point)).dot(normal);
            // of the box over the plane, the side towards it
            let gap = height - half.dot(normal.abs());
            if gap > 0.0 && gap < 3.0 * extent {
                let foot = centre - normal * height;
                self.low = self.low.min(foot);
                self.high = self.high.max(foot);
            }
        }
        // of what reaches far, such as a terrain, only what is near: seen again and again, it must not grow
        let near = now_low.distance(now_high);
        let (near_low, near_high) = (now_low - near, now_high + near);
        for obstacle in world.obstacles().filter(|obstacle| !obstacle.is_sensor()) {
            // relative to its own place, where f32 is fine enough
            let pose = Pose { rotation: obstacle.rotation(), position: Vec3::ZERO };
            let Aabb { min, max } = obstacle.shape().aabb(&pose);
            let at = DVec3::from(obstacle.position());
            let (low, high) = (at + min.as_dvec3(), at + max.as_dvec3());
            let (low, high) = (low.max(near_low), high.min(near_high));
            if max.is_finite() && low.cmple(high).all() {
                self.low = self.low.min(low);
                self.high = self.high.max(high);
            }
        }
    }

    /// Size of what was taken in, in m; 1 if that is nothing.
    pub fn extent(&self) -> f64 {
        let extent = self.low.distance(self.high);
        if extent.is_finite() && extent > 0.0 { extent } else { 1.0 }
    }

    /// The middle of the upper side of what was taken in, in m.
    pub(crate) fn top(&self) -> DVec3 {
        if self.low.cmple(self.high).all() {
            let middle = 0.5 * (self.low + self.high);
            DVec3::new(middle.x, self.high.y, middle.z)
        } else {
            DVec3::ZERO
        }
    }

    /// Sees all that was taken in, or 1 m around the origin if that is nothing.
    pub fn camera(&self, aspect: f32) -> Camera {
        if self.low.cmple(self.high).all() {
            Camera::framing(self.low, self.high, aspect)
        } else {
            Camera::framing(DVec3::splat(-0.5), DVec3::splat(0.5), aspect)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_screen(camera: &Camera, aspect: f32, x: DVec3) -> Vec3 {
        let origin = DVec3::splat(1e7);
        let m = camera.projection(aspect, 0.01) * camera.view(origin);
        m.project_point3((x - origin).as_vec3())
    }

    /// All corners of the box are in the picture, and fill most of it, wide or high.
    #[test]
    fn framing_shows_the_whole_box_and_little_else() {
        for aspect in [0.4, 1.0, 2.5] {
            let low = DVec3::splat(1e7) + DVec3::new(-0.3, 0.0, 0.2);
            let high = low + DVec3::new(2.0, 0.5, 1.0);
            let camera = Camera::framing(low, high, aspect);
            let corners = (0..8).map(|k| {
                DVec3::select(fracas::glam::BVec3::new(k & 1 > 0, k & 2 > 0, k & 4 > 0), high, low)
            });
            let far: f32 = corners
                .map(|x| on_screen(&camera, aspect, x))
                .map(|p| p.x.abs().max(p.y.abs()))
                .fold(0.0, f32::max);
            assert!((0.55..1.0).contains(&far), "{far} of the picture at aspect {aspect}");
        }
    }

    /// The target is in the middle, above is above, and depth falls with distance.
    #[test]
    fn a_camera_looks_at_its_target() {
        let eye = DVec3::new(1e7 + 3.0, 1e7 + 1.0, 1e7);
        let camera = Camera { eye, target: DVec3::splat(1e7), field_of_view: 0.7 };
        let middle = on_screen(&camera, 1.5, camera.target);
        assert!(middle.truncate().length() < 1e-6, "{middle}");
        assert!((middle.z - 0.01 / 10.0_f32.sqrt()).abs() < 1e-6, "{middle}");
        assert!(on_screen(&camera, 1.5, camera.target + DVec3::Y).y > 0.1);
        // from +x, +z is to the left
        assert!(on_screen(&camera, 1.5, camera.target + DVec3::Z).x < -0.1);
        let above = Camera { eye: camera.target + 2.0 * DVec3::Y, ..camera };
        assert!(on_screen(&above, 1.0, camera.target + 0.1 * DVec3::X).x > 0.01);
    }

    /// A point on the upper edge of the field of view is on the upper edge of the picture.
    #[test]
    fn the_field_of_view_is_the_angle_of_the_height() {
        let camera = Camera { eye: DVec3::Z, target: DVec3::ZERO, field_of_view: 1.0 };
        let x = DVec3::new(0.0, 0.5_f64.tan(), 0.0);
        let m = camera.projection(2.0, 0.1) * camera.view(DVec3::ZERO);
        assert!((m.project_point3(x.as_vec3()).y - 1.0).abs() < 1e-6);
    }
}
