//! What keys, buttons and files do.

use std::path::Path;

use fracas::glam::{DVec2, DVec3};
use fracas_scene::play::Action;

use super::desk::{Desk, Shot};
use super::files;
use super::keys::Deed;
use super::moment::Command;

/// Simulated seconds in a second, as the window offers them.
pub(super) const SPEEDS: [(f64, &str); 5] =
    [(1.0, "1"), (0.5, "1/2"), (0.25, "1/4"), (0.1, "1/10"), (1.0 / 30.0, "1/30")];

/// A ball to shoot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ball {
    /// In m/s.
    pub speed: f32,
    /// In m.
    pub radius: f32,
    pub preset: String,
}

/// What becomes of a mesh that is let go over the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Falling {
    pub preset: String,
    pub pieces: u32,
    /// Its largest extent, in m.
    pub size: f32,
}

impl Desk {
    /// Balls and meshes fit what is in the scene.
    pub fn fit_sizes(&mut self) {
        let Some(moment) = &self.moment else { return };
        let extent = moment.facts.extent();
        self.ball.radius = one_digit(0.04 * extent) as f32;
        self.ball.speed = one_digit(12.0 * extent.sqrt()) as f32;
        self.falling.size = one_digit(0.3 * extent) as f32;
    }

    /// Does what a key or button asks for; `pointer` is where it points in the view, if it does.
    pub fn perform(&mut self, deed: Deed, pointer: Option<DVec2>) {
        match deed {
            Deed::Pause => self.pause(!self.paused),
            Deed::Step => {
                self.pause(true);
                self.send(Command::Step);
            }
            Deed::Slower => self.set_speed((self.speed + 1).min(SPEEDS.len() - 1)),
            Deed::Faster => self.set_speed(self.speed.saturating_sub(1)),
            Deed::Reset => self.send(Command::Reset),
            Deed::Shoot => self.shoot(pointer.unwrap_or(0.5 * self.orbit.size)),
            Deed::FrameAll => self.frame_all(),
            Deed::Home => self.home(),
            Deed::Screenshot => self.shots.push(Shot::View(None)),
            Deed::WindowScreenshot => self.shots.push(Shot::Window(None)),
            Deed::RecordFrames => self.record_frames(),
            Deed::Help => self.help = !self.help,
            Deed::Close => self.close_one(),
            // the window itself sees to it
            Deed::Quit => {}
        }
    }

    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.send(Command::Pause(paused));
    }

    pub fn set_speed(&mut self, index: usize) {
        self.speed = index;
        self.send(Command::Speed(SPEEDS[index].0));
    }

    pub fn open(&mut self, name: &str) {
        self.send(Command::Open(name.to_owned()));
    }

    /// Shoots a ball from the eye through a pixel.
    pub fn shoot(&self, pixel: DVec2) {
        let ray = self.orbit.ray(pixel);
        let Ball { speed, radius, preset } = self.ball.clone();
        self.act(Action::Shoot {
            origin: ray.origin.to_array(),
            direction: ray.direction.as_vec3().to_array(),
            speed,
            radius,
            preset,
        });
    }

    /// Cuts all that is seen along a line between two pixels.
    pub fn slice(&self, pixels: [DVec2; 2]) {
        let extent = self.moment.as_ref().map_or(1.0, |moment| moment.facts.extent());
        let far = self.orbit.camera.eye.distance(self.orbit.camera.target) + 2.0 * extent;
        let [from, to] = pixels.map(|pixel| {
            let ray = self.orbit.ray(pixel);
            [ray.origin, ray.origin + far * ray.direction].map(|end| end.to_array())
        });
        self.act(Action::Slice { from, to });
    }

    /// A scene is opened; a mesh falls from above where the camera looks.
    pub fn take_file(&mut self, path: &Path) {
        let file = path.display().to_string();
        if is_scene(path) {
            return self.open(&file);
        }
        let Some(moment) = &self.moment else { return };
        let Falling { preset, pieces, size } = self.falling.clone();
        let above = DVec3::Y * (0.75 * f64::from(size) + 0.05 * moment.facts.extent());
        // what has flown far away must not draw it along
        let mut position = moment.facts.framing.top() + above;
        (position.x, position.z) = (self.orbit.camera.target.x, self.orbit.camera.target.z);
        let position = position.to_array();
        self.act(Action::Drop { file, preset, pieces, position, size });
    }

    /// Back to the camera of the scene.
    pub fn home(&mut self) {
        let Some(moment) = &self.moment else { return };
        let aspect = (self.orbit.size.x / self.orbit.size.y) as f32;
        let found = || moment.facts.framing.camera(aspect);
        self.orbit.camera = moment.facts.camera.unwrap_or_else(found);
    }

    fn frame_all(&mut self) {
        let Some(moment) = &self.moment else { return };
        let aspect = (self.orbit.size.x / self.orbit.size.y) as f32;
        self.orbit.stand_as(&moment.framing.camera(aspect));
    }

    fn record_frames(&mut self) {
        let now = self.now();
        match self.album.take() {
            Some((folder, _)) => {
                self.toasts.tell(now, format!("frames are in {}", folder.display()));
            }
            None => match files::new_folder(Path::new("."), &self.stem()) {
                Ok(folder) => self.album = Some((folder, None)),
                Err(reason) => self.toasts.refuse(now, format!("no frames: {reason}")),
            },
        }
        self.send(Command::EveryFrame(self.album.is_some()));
    }

    /// Lets go, else closes the topmost of what is open.
    fn close_one(&mut self) {
        if self.hand.let_go() {
            self.act(Action::Release);
        } else if self.help {
            self.help = false;
        } else {
            self.error = None;
        }
    }
}

/// Whether a file is a scene, by its name.
pub(super) fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// A number above 0 rounded to one digit that counts.
fn one_digit(number: f64) -> f64 {
    let decade = 10.0_f64.powf(number.log10().floor());
    (number / decade).round() * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_round() {
        for (number, round) in [(0.0437, 0.04), (11.6, 10.0), (0.96, 1.0), (300.0, 300.0)] {
            assert!(
                (one_digit(number) - round).abs() < 1e-9,
                "{number} became {}",
                one_digit(number)
            );
        }
    }

    #[test]
    fn scenes_are_known_by_their_ending() {
        assert!(is_scene(Path::new("a/b.TOML")));
        assert!(!is_scene(Path::new("a.toml/b.obj")));
    }
}
