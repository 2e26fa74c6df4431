//! A camera that is moved by hand, and rays through pixels.

use fracas::glam::{DVec2, DVec3, Vec3};

use crate::camera::Camera;

/// Nearest to straight up or down that a camera looks, as the angle to the horizon, in rad.
const STEEPEST: f64 = 1.55;
/// How near to its target a camera comes, in m.
const NEAREST: f64 = 1e-4;
/// How far from it, in m.
const FARTHEST: f64 = 1e7;

/// A ray through a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ray {
    /// Where it begins, in m.
    pub origin: DVec3,
    /// A unit vector.
    pub direction: DVec3,
}

/// A camera that is moved by hand. Pixels are counted from the upper left corner of its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Orbit {
    /// Where it stands and looks.
    pub camera: Camera,
    /// Pixels across and down; at least 1.
    pub size: DVec2,
}

impl Orbit {
    /// The ray through a pixel.
    pub fn ray(&self, pixel: DVec2) -> Ray {
        let [right, up, back] = self.camera.axes().map(Vec3::as_dvec3);
        let shift = (2.0 * pixel - self.size) / self.size.y * self.half();
        let direction = (shift.x * right - shift.y * up - back).normalize();
        Ray { origin: self.camera.eye, direction }
    }

    /// The pixel that shows a point; `None` for what is behind the camera.
    pub fn pixel(&self, point: DVec3) -> Option<DVec2> {
        let [right, up, back] = self.camera.axes().map(Vec3::as_dvec3);
        let away = point - self.camera.eye;
        let depth = -away.dot(back);
        let shift = DVec2::new(away.dot(right), -away.dot(up)) / (depth * self.half());
        (depth > 0.0).then(|| 0.5 * (self.size + shift * self.size.y))
    }

    /// How far in front of the camera a point is, in m; below 0 behind it.
    pub fn depth(&self, point: DVec3) -> f64 {
        self.camera.axes()[2].as_dvec3().dot(self.camera.eye - point)
    }

    /// The point that a pixel shows in the plane at this depth.
    pub fn point(&self, pixel: DVec2, depth: f64) -> DVec3 {
        let Ray { origin, direction } = self.ray(pixel);
        let back = self.camera.axes()[2].as_dvec3();
        origin - direction * (depth / direction.dot(back))
    }

    /// Turns around the target: the full height of the picture is half a turn.
    pub fn turn(&mut self, pixels: DVec2) {
        let away = self.turned(self.camera.eye - self.camera.target, pixels);
        self.camera.eye = self.camera.target + away;
    }

    /// Turns the head.
    pub fn look(&mut self, pixels: DVec2) {
        let ahead = self.turned(self.camera.eye - self.camera.target, 0.5 * pixels);
        self.camera.target = self.camera.eye - ahead;
    }

    /// Moves along the picture, so that what is at the depth of the target follows the pointer.
    pub fn pan(&mut self, pixels: DVec2) {
        let [right, up, _] = self.camera.axes().map(Vec3::as_dvec3);
        let scale = 2.0 * self.distance() * self.half() / self.size.y;
        self.shift(scale * (pixels.y * up - pixels.x * right));
    }

    /// Brings the camera nearer to its target by a factor; the pixel keeps what it shows there.
    pub fn zoom(&mut self, factor: f64, pixel: DVec2) {
        let factor = factor.clamp(NEAREST / self.distance(), FARTHEST / self.distance());
        let fixed = self.point(pixel, self.distance());
        let Camera { eye, target, .. } = self.camera;
        self.camera.eye = fixed + (eye - fixed) * factor;
        self.camera.target = fixed + (target - fixed) * factor;
    }

    /// Walks to the right, up and ahead by shares of the distance to the target.
    pub fn walk(&mut self, shares: DVec3) {
        let [right, up, back] = self.camera.axes().map(Vec3::as_dvec3);
        self.shift(self.distance() * (shares.x * right + shares.y * up - shares.z * back));
    }

    /// Stands where another camera sees all from, without turning.
    pub fn stand_as(&mut self, other: &Camera) {
        let back = self.camera.axes()[2].as_dvec3();
        let distance = other.eye.distance(other.target);
        // the same share of the picture with another field of view
        let wide = f64::from((0.5 * other.field_of_view).tan()) / self.half();
        self.camera.target = other.target;
        self.camera.eye = other.target + back * (distance * wide);
    }

    /// From the camera to its target, in m.
    pub fn distance(&self) -> f64 {
        self.camera.eye.distance(self.camera.target).max(NEAREST)
    }

    fn shift(&mut self, by: DVec3) {
        self.camera.eye += by;
        self.camera.target += by;
    }

    /// Half the height of the picture at a depth of 1.
    fn half(&self) -> f64 {
        f64::from((0.5 * self.camera.field_of_view).tan())
    }

    /// A vector turned around the upright, then up or down without going over the top.
    fn turned(&self, vector: DVec3, pixels: DVec2) -> DVec3 {
        let angles = pixels / self.size.y * std::f64::consts::PI;
        let length = vector.length().max(NEAREST);
        let level = f64::atan2(vector.x, vector.z) - angles.x;
        let rise = (vector.y / length).clamp(-1.0, 1.0).asin() + angles.y;
        let rise = rise.clamp(-STEEPEST, STEEPEST);
        let flat = length * rise.cos();
        DVec3::new(flat * level.sin(), length * rise.sin(), flat * level.cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orbit() -> Orbit {
        let target = DVec3::new(1e6, 2.0, -3.0);
        let eye = target + DVec3::new(1.0, 0.8, 2.0);
        let camera = Camera { eye, target, field_of_view: 0.7 };
        Orbit { camera, size: DVec2::new(800.0, 500.0) }
    }

    /// A point is seen at the pixel whose ray leads to it, in the corners too.
    #[test]
    fn rays_lead_back_to_the_points_that_pixels_show() {
        let orbit = orbit();
        for pixel in [[400.0, 250.0], [0.0, 0.0], [799.0, 3.0], [123.4, 456.7]] {
            let pixel = DVec2::from(pixel);
            let ray = orbit.ray(pixel);
            for far in [0.01, 1.0, 500.0] {
                let seen = orbit.pixel(ray.origin + ray.direction * far).unwrap();
                assert!(seen.distance(pixel) < 1e-2, "{pixel} became {seen} at {far} m");
            }
            let point = orbit.point(pixel, 1.7);
            assert!((orbit.depth(point) - 1.7).abs() < 1e-6);
            assert!(orbit.pixel(point).unwrap().distance(pixel) < 1e-2);
        }
        let behind = orbit.camera.eye + (orbit.camera.eye - orbit.camera.target);
        assert_eq!(orbit.pixel(behind), None);
    }

    /// The renderer's own matrices put a point at the same pixel.
    #[test]
    fn pixels_are_those_of_the_renderer() {
        let orbit = orbit();
        let point = orbit.camera.target + DVec3::new(0.2, -0.3, 0.1);
        let aspect = (orbit.size.x / orbit.size.y) as f32;
        let origin = orbit.camera.target;
        let m = orbit.camera.projection(aspect, 0.01) * orbit.camera.view(origin);
        let clip = m.project_point3((point - origin).as_vec3()).as_dvec3();
        let expected = 0.5 * orbit.size * DVec2::new(1.0 + clip.x, 1.0 - clip.y);
        let found = orbit.pixel(point).unwrap();
        assert!(found.distance(expected) < 1e-2, "{found} instead of {expected}");
    }

    /// Zooming keeps what is under the pointer there, and never passes through the target.
    #[test]
    fn zoom_goes_towards_the_pointer() {
        let mut orbit = orbit();
        let pixel = DVec2::new(600.0, 100.0);
        let point = orbit.point(pixel, orbit.distance());
        let before = orbit.distance();
        orbit.zoom(0.5, pixel);
        assert!((orbit.distance() - 0.5 * before).abs() < 1e-6);
        assert!(orbit.pixel(point).unwrap().distance(pixel) < 1e-2);
        for _ in 0..200 {
            orbit.zoom(0.5, pixel);
        }
        assert!(orbit.distance() >= 0.9 * NEAREST);
    }

    /// A pan by some pixels moves the target by these pixels.
    #[test]
    fn what_is_panned_follows_the_pointer() {
        let mut orbit = orbit();
        let target = orbit.camera.target;
        orbit.pan(DVec2::new(30.0, -20.0));
        let seen = orbit.pixel(target).unwrap();
        assert!(seen.distance(DVec2::new(430.0, 230.0)) < 1e-2, "{seen}");
    }

    /// Turning keeps the distance and stops before the top; to the right, the scene turns right.
    #[test]
    fn turns_keep_the_distance_and_do_not_go_over_the_top() {
        let mut orbit = orbit();
        let far = orbit.distance();
        let near = orbit.camera.target + 0.2 * (orbit.camera.eye - orbit.camera.target);
        orbit.turn(DVec2::new(10.0, 0.0));
        assert!(orbit.pixel(near).unwrap().x > 401.0);
        orbit.turn(DVec2::new(0.0, 1e5));
        assert!((orbit.distance() - far).abs() < 1e-6);
        let rise = ((orbit.camera.eye.y - orbit.camera.target.y) / far).asin();
        assert!((rise - STEEPEST).abs() < 1e-6, "{rise}");
    }

    /// Looking around leaves the camera where it stands; walking ahead passes the same things.
    #[test]
    fn the_first_person_looks_and_walks() {
        let mut orbit = orbit();
        let (eye, target) = (orbit.camera.eye, orbit.camera.target);
        orbit.look(DVec2::new(40.0, 10.0));
        assert_eq!(orbit.camera.eye, eye);
        // the head turned to the right: the old target is left of the middle
        assert!(orbit.pixel(target).unwrap().x < 399.0);
        let ahead = orbit.ray(0.5 * orbit.size).direction;
        orbit.walk(DVec3::new(0.0, 0.0, 0.1));
        assert!(((orbit.camera.eye - eye).normalize() - ahead).length() < 1e-6);
    }

    #[test]
    fn framing_keeps_the_direction() {
        let mut orbit = orbit();
        let before = orbit.ray(0.5 * orbit.size).direction;
        let other = Camera::framing(DVec3::ZERO, DVec3::ONE, 1.6);
        orbit.stand_as(&other);
        assert_eq!(orbit.camera.target, other.target);
        assert!((orbit.ray(0.5 * orbit.size).direction - before).length() < 1e-6);
    }
}
