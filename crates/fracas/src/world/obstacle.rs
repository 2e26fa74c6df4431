//! Obstacles: what others touch and what does not give way, at rest or on its way.

use super::desc::{HalfSpaceDesc, Layers, ObstacleDesc, ObstacleMotion};
use super::error::{CommandError, require};
use super::grip;
use super::ids::{BodyId, ObstacleId, PieceId};
use super::{Command, Reaction, World};
use crate::contact::shape::{Pose, Shape};
use crate::math::Rot;
use glam::{DVec3, Vec3};

/// Ground, wall or tool.
#[derive(Clone, Debug)]
pub struct Obstacle {
    pub(super) id: ObstacleId,
    pub(super) shape: Shape,
    /// Coefficients of sliding and static friction.
    pub(super) friction: [f32; 2],
    pub(super) restitution: f32,
    pub(super) layers: Layers,
    pub(super) sensor: bool,
    /// Where the time table starts from.
    pub(super) placed: Place,
    pub(super) motion: Option<ObstacleMotion>,
    /// Where it is at the start of the substep, and at its end.
    pub(super) now: Place,
    pub(super) next: Place,
    /// Where a command moves it to within the step.
    pub(super) wanted: Option<Place>,
    /// On the bodies, mean of the last step, about its place.
    pub(super) reaction: Reaction,
    /// Pieces inside a sensor, in order.
    pub(super) inside: Vec<(BodyId, PieceId)>,
}

/// Where an obstacle is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub position: DVec3,
    pub rotation: Rot,
}

impl Place {
    /// The same in a frame around `origin`.
    pub fn seen_from(&self, origin: DVec3) -> Pose {
        Pose { rotation: self.rotation, position: (self.position - origin).as_vec3() }
    }

    /// How far its origin has come, in m.
    pub fn shift_from(&self, before: &Self) -> f32 {
        (self.position - before.position).length() as f32
    }
}

impl Obstacle {
    /// Its handle.
    pub fn id(&self) -> ObstacleId {
        self.id
    }

    /// What others touch.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where the shape's origin is, in m.
    pub fn position(&self) -> [f64; 3] {
        self.now.position.to_array()
    }

    /// How the shape is turned.
    pub fn rotation(&self) -> Rot {
        self.now.rotation
    }

    /// Whether it only feels what is inside.
    pub fn is_sensor(&self) -> bool {
        self.sensor
    }

    /// Pieces that are inside, if it is a sensor.
    pub fn inside(&self) -> &[(BodyId, PieceId)] {
        &self.inside
    }

    /// What it does to all that touch it: force in N and torque in N m about its
    /// [`position`](Self::position), means of the last step. What a hand feels that holds it is the opposite.
    pub fn reaction(&self) -> Reaction {
        self.reaction
    }

    /// Whether it moves within the substep.
    pub(super) fn moves(&self) -> bool {
        self.now != self.next
    }

    /// Way of one of its points within the substep, in m; `from` is the point seen from where it is.
    pub(super) fn drift(&self, from: Vec3) -> Vec3 {
        if !self.moves() {
            return Vec3::ZERO;
        }
        let turn = self.next.rotation * self.now.rotation.inverse();
        (self.next.position - self.now.position).as_vec3() + (turn * from - from)
    }

    /// Outward normal, of a half-space.
    pub(super) fn plane(&self) -> Option<Vec3> {
        match &self.shape {
            Shape::HalfSpace(plane) => Some(self.now.rotation * plane.normal()),
            _ => None,
        }
    }

    /// Where it is at `time`, which lies `share` of what is left of the step ahead.
    fn place_at(&self, time: f64, share: f64) -> Place {
        if let Some(ObstacleMotion { pivot, axis, keys }) = &self.motion {
            let pivot = DVec3::from(*pivot);
            let (turn, offset) = grip::moved_at(*axis, keys, time);
            let arm = turn.to_mat3().as_dmat3() * (self.placed.position - pivot);
            let rotation = (turn * self.placed.rotation).normalized();
            return Place { position: pivot + arm + offset, rotation };
        }
        match self.wanted {
            Some(wanted) => {
                let from = self.now;
                let turn = (wanted.rotation * from.rotation.inverse()).log();
                let rotation = Rot::exp(share as f32 * turn) * from.rotation;
                let position = from.position.lerp(wanted.position, share);
                if share < 1.0 {
                    Place { position, rotation: rotation.normalized() }
                } else {
                    wanted
                }
            }
            None => self.now,
        }
    }

    /// Before the commands of a step.
    pub(super) fn begin_step(&mut self) {
        self.wanted = None;
        self.reaction = Reaction::default();
    }

    /// Once per substep: where it will be at its end. `left` counts the substeps of the step that
    /// are not done yet, this one too.
    pub(super) fn advance(&mut self, time: f64, left: u32) {
        self.next = self.place_at(time, 1.0 / f64::from(left));
    }

    /// The end of a substep.
    pub(super) fn arrive(&mut self) {
        self.now = self.next;
    }
}

impl World {
    /// Adds an obstacle. It stands from the next step on; its handle is valid at once.
    ///
    /// # Errors
    /// [`CommandError`] for numbers that are out of range or a time table that does not rise.
    pub fn add_obstacle(&mut self, desc: ObstacleDesc) -> Result<ObstacleId, CommandError> {
        let ObstacleDesc { shape, position, rotation, friction, friction_static, .. } = desc;
        let placed = checked_place(position, rotation)?;
        require(friction >= 0.0 && friction.is_finite(), "friction", "0 or above", friction)?;
        let stick = friction_static;
        let allowed = "at least friction";
        require(stick >= friction && stick.is_finite(), "friction_static", allowed, stick)?;
        let e = desc.restitution;
        require((0.0..=1.0).contains(&e), "restitution", "0 to 1", e)?;
        if let Some(ObstacleMotion { pivot, axis, keys }) = &desc.motion {
            grip::check_move(pivot, axis, keys)?;
        }
        let id = ObstacleId(self.next_obstacle);
        self.next_obstacle += 1;
        let mut obstacle = Obstacle {
            id,
            shape,
            friction: [friction, stick],
            restitution: e,
            layers: desc.layers,
            sensor: desc.sensor,
            placed,
            motion: desc.motion,
            now: placed,
            next: placed,
            wanted: None,
            reaction: Reaction::default(),
            inside: Vec::new(),
        };
        if obstacle.motion.is_some() {
            obstacle.now = obstacle.place_at(self.time, 1.0);
            obstacle.next = obstacle.now;
        }
        self.queue.push(Command::AddObstacle(Box::new(obstacle)));
        Ok(id)
    }

    /// Adds a half-space, such as the ground.
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`] for numbers that are not finite, a normal of no length, or
    /// friction below 0.
    pub fn add_half_space(&mut self, desc: HalfSpaceDesc) -> Result<ObstacleId, CommandError> {
        let HalfSpaceDesc { point, normal, friction, friction_static, restitution } = desc;
        // of any length, also those whose square no f32 holds
        let normal = Vec3::from(normal).as_dvec3();
        let length = normal.length();
        let allowed = "finite and longer than 0";
        require(length > 0.0 && length.is_finite(), "normal", allowed, length as f32)?;
        let shape = Shape::half_space((normal / length).as_vec3())?;
        self.add_obstacle(ObstacleDesc {
            position: point,
            friction,
            friction_static,
            restitution,
            ..ObstacleDesc::new(shape)
        })
    }

    /// Takes an obstacle away.
    ///
    /// # Errors
    /// [`CommandError::NoObstacle`].
    pub fn remove_obstacle(&mut self, obstacle: ObstacleId) -> Result<(), CommandError> {
        self.find_obstacle(obstacle)?;
        self.queue.push(Command::RemoveObstacle(obstacle));
        Ok(())
    }

    /// Moves an obstacle, such as a tool in a hand: it is there at the end of the next step, and pushes what
    /// is in its way with the speed that this takes. One with a time table follows that.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such obstacle or a number is not finite.
    pub fn move_obstacle(
        &mut self,
        obstacle: ObstacleId,
        position: [f64; 3],
        rotation: Rot,
    ) -> Result<(), CommandError> {
        self.find_obstacle(obstacle)?;
        let place = checked_place(position, rotation)?;
        let (position, rotation) = (place.position.to_array(), place.rotation);
        self.queue.push(Command::MoveObstacle(obstacle, position, rotation));
        Ok(())
    }

    /// An obstacle by its handle.
    pub fn obstacle(&self, id: ObstacleId) -> Option<&Obstacle> {
        self.obstacles().find(|obstacle| obstacle.id == id)
    }

    /// All obstacles, those that wait for the next step too, in the order of their handles.
    pub fn obstacles(&self) -> impl Iterator<Item = &Obstacle> {
        let queued = self.queue.iter().filter_map(|command| match command {
            Command::AddObstacle(obstacle) => Some(obstacle.as_ref()),
            _ => None,
        });
        self.obstacles.iter().chain(queued)
    }

    /// The half-spaces among them, as they were described.
    pub fn half_spaces(&self) -> impl Iterator<Item = HalfSpaceDesc> {
        self.obstacles().filter_map(|obstacle| {
            let normal = obstacle.plane()?.to_array();
            let [friction, friction_static] = obstacle.friction;
            let (point, restitution) = (obstacle.position(), obstacle.restitution);
            Some(HalfSpaceDesc { point, normal, friction, friction_static, restitution })
        })
    }

    fn find_obstacle(&self, id: ObstacleId) -> Result<&Obstacle, CommandError> {
        self.obstacle(id).ok_or(CommandError::NoObstacle(id))
    }
}

fn checked_place(position: [f64; 3], rotation: Rot) -> Result<Place, CommandError> {
    for x in position {
        require(x.is_finite(), "position", "finite", x as f32)?;
    }
    for x in [rotation.x, rotation.y, rotation.z, rotation.w] {
        require(x.is_finite(), "rotation", "finite", x)?;
    }
    Ok(Place { position: DVec3::from(position), rotation: rotation.normalized() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]
    use super::super::MoveKey;
    use super::*;

    /// A point of a turning and shifted obstacle moves as the table says, and in even parts.
    #[test]
    fn drift_is_the_way_of_a_point() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let mut obstacle = Obstacle {
            id: ObstacleId(1),
            shape: Shape::sphere(1.0).unwrap(),
            friction: [0.0; 2],
            restitution: 0.0,
            layers: Layers::default(),
            sensor: false,
            placed: Place { position: DVec3::new(1.0, 0.0, 0.0), rotation: Rot::IDENTITY },
            motion: Some(ObstacleMotion {
                keys: vec![
                    MoveKey::default(),
                    MoveKey { time: 1.0, offset: [0.0, 2.0, 0.0], angle: quarter },
                ],
                ..ObstacleMotion::default()
            }),
            now: Place { position: DVec3::new(1.0, 0.0, 0.0), rotation: Rot::IDENTITY },
            next: Place { position: DVec3::ZERO, rotation: Rot::IDENTITY },
            wanted: None,
            reaction: Reaction::default(),
            inside: Vec::new(),
        };
        obstacle.advance(1.0, 1);
        // a quarter turn about y takes x to −z; the point 1 m farther out goes the same way
        let far = Vec3::new(1.0, 0.0, 0.0);
        let way = obstacle.drift(far);
        assert!(way.distance(Vec3::new(-2.0, 2.0, -2.0)) < 1e-5, "{way}");

        obstacle.motion = None;
        obstacle.wanted =
            Some(Place { position: DVec3::new(4.0, 0.0, 0.0), rotation: Rot::IDENTITY });
        for (left, expected) in [(3, 2.0), (2, 3.0), (1, 4.0)] {
            obstacle.advance(0.0, left);
            obstacle.arrive();
            assert!((obstacle.position()[0] - expected).abs() < 1e-12, "{:?}", obstacle.position());
        }
    }
}
