//! Steps of one length under frames of any, and poses between steps to draw.

use super::body::Body;
use super::error::{CommandError, require};
use super::ids::{BodyId, ObstacleId, ParticleId};
use super::query::WorldPose;
use super::{World, step};
use crate::math::Rot;
use glam::DVec3;

/// Takes steps of one length however long frames are, so that a world does the same at every frame rate,
/// and blends poses between the last two steps, so that it still moves smoothly.
///
/// What is drawn is up to one step in the past.
///
/// ```
/// use fracas::world::{Pace, World, WorldConfig};
///
/// let mut world = World::new(WorldConfig::default())?;
/// let mut pace = Pace::new(1.0 / 60.0, 4)?;
/// // a frame of 40 ms: two steps, and 40 % of the next
/// let paced = pace.advance(&mut world, 0.04)?;
/// assert_eq!((paced.steps, (100.0 * paced.share).round()), (2, 40.0));
/// # Ok::<(), fracas::CommandError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pace {
    dt: f64,
    most_steps: u32,
    /// Time that no step has covered yet, in s.
    owed: f64,
    /// Of all particles before the last step, in the order of their ids.
    particles: Vec<(ParticleId, Pose)>,
    /// Of all obstacles, in the order of theirs.
    obstacles: Vec<(ObstacleId, Pose)>,
    /// How many steps the world had taken when the last one of this pace was done.
    steps: u64,
}

/// What [`Pace::advance`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Paced {
    /// Steps taken.
    pub steps: u32,
    /// Share of the next step that has passed, 0 to 1.
    pub share: f64,
    /// Time given up because it would have taken too many steps, in s.
    pub dropped: f64,
}

#[derive(Clone, Copy, Debug)]
struct Pose {
    position: DVec3,
    rotation: Rot,
}

/// Share of a step by which sums of frame times may be rounded.
const ROUNDING: f64 = 1e-9;

impl Pace {
    /// Steps of `dt` seconds, at most `most_steps` per frame: a world that cannot keep up gets slower
    /// instead of taking ever more steps.
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`] if `dt` is no step that a world takes whole, or there are no steps.
    pub fn new(dt: f64, most_steps: u32) -> Result<Self, CommandError> {
        let range = f64::from(step::SHORTEST)..=f64::from(step::LONGEST);
        require(range.contains(&dt), "dt", "from 1e-9 to 1/15 s", dt as f32)?;
        require(most_steps > 0, "most_steps", "1 or above", most_steps as f32)?;
        let (particles, obstacles) = (Vec::new(), Vec::new());
        Ok(Self { dt, most_steps, owed: 0.0, particles, obstacles, steps: 0 })
    }

    /// Takes the steps that have become due after `elapsed` seconds.
    ///
    /// # Errors
    /// [`CommandError::OutOfRange`] if the time is negative or not finite; nothing is done then.
    pub fn advance(&mut self, world: &mut World, elapsed: f64) -> Result<Paced, CommandError> {
        let fine = elapsed >= 0.0 && elapsed.is_finite();
        require(fine, "elapsed", "finite and 0 or above", elapsed as f32)?;
        self.owed += elapsed;
        let due = (self.owed / self.dt + ROUNDING).floor();
        let steps = due.min(f64::from(self.most_steps)) as u32;
        for left in (0..steps).rev() {
            if left == 0 {
                self.note(world);
            }
            world.step(self.dt as f32);
        }
        if steps > 0 {
            self.steps = world.steps;
        }
        let dropped = (due - f64::from(steps)) * self.dt;
        self.owed = (self.owed - due * self.dt).clamp(0.0, self.dt);
        Ok(Paced { steps, share: self.share(), dropped })
    }

    /// Share of the next step that has passed, 0 to 1.
    pub fn share(&self) -> f64 {
        self.owed / self.dt
    }

    /// Where a particle is to be drawn: between where it was before the last step and where it is. The
    /// rotation is that since rest. `None` if there is no such particle.
    pub fn pose(&self, world: &World, body: BodyId, particle: ParticleId) -> Option<WorldPose> {
        let body = world.body(body)?;
        let j = body.particles.id.iter().position(|id| *id == particle)?;
        let piece = &body.pieces[body.piece_of(j as u32) as usize];
        Some(self.blend(world, particle, body.pose_of(j, piece.origin)))
    }

    /// Where all particles of a body are to be drawn, in the order of
    /// [`particle_ids`](Body::particle_ids); none if there is no such body.
    pub fn poses(
        &self,
        world: &World,
        body: BodyId,
    ) -> impl Iterator<Item = (ParticleId, WorldPose)> {
        world
            .body(body)
            .into_iter()
            .flat_map(Body::all_poses)
            .map(|(id, now)| (id, self.blend(world, id, now)))
    }

    /// Where an obstacle is to be drawn; `None` if there is no such obstacle.
    pub fn obstacle(&self, world: &World, id: ObstacleId) -> Option<WorldPose> {
        let now = world.obstacle(id)?.now;
        let now = Pose { position: now.position, rotation: now.rotation };
        let before = self.obstacles.binary_search_by_key(&id, |(id, _)| *id);
        Some(self.between(world, before.ok().map(|k| self.obstacles[k].1), now))
    }

    fn blend(&self, world: &World, id: ParticleId, now: Pose) -> WorldPose {
        let before = self.particles.binary_search_by_key(&id, |(id, _)| *id);
        self.between(world, before.ok().map(|k| self.particles[k].1), now)
    }

    /// What is new, and all of a world that was stepped by others, is where it is now.
    fn between(&self, world: &World, before: Option<Pose>, now: Pose) -> WorldPose {
        let pose = match before {
            Some(before) if world.steps == self.steps => before.towards(now, self.share()),
            _ => now,
        };
        WorldPose { position: pose.position.to_array(), rotation: pose.rotation }
    }

    /// Where everything is before a step.
    fn note(&mut self, world: &World) {
        self.particles.clear();
        self.particles.extend(world.all_bodies().flat_map(Body::all_poses));
        self.particles.sort_unstable_by_key(|(id, _)| *id);
        self.obstacles.clear();
        let pose =
            |o: &super::Obstacle| Pose { position: o.now.position, rotation: o.now.rotation };
        self.obstacles.extend(world.obstacles().map(|o| (o.id, pose(o))));
    }
}

impl Pose {
    /// Straight, and by the mean of quaternions on the shorter way round.
    fn towards(self, end: Self, share: f64) -> Self {
        let (a, b) = (self.rotation, end.rotation);
        let along = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        let [p, q] = [1.0 - share as f32, if along < 0.0 { -share as f32 } else { share as f32 }];
        let rotation = Rot {
            x: p * a.x + q * b.x,
            y: p * a.y + q * b.y,
            z: p * a.z + q * b.z,
            w: p * a.w + q * b.w,
        };
        Self { position: self.position.lerp(end.position, share), rotation: rotation.normalized() }
    }
}

impl Body {
    fn pose_of(&self, j: usize, origin: DVec3) -> Pose {
        let rotation = self.particles.orientation.get(j).copied().unwrap_or_default();
        Pose { position: origin + self.particles.position[j].as_dvec3(), rotation }
    }

    fn all_poses(&self) -> impl Iterator<Item = (ParticleId, Pose)> {
        self.pieces.iter().flat_map(move |piece| {
            let span = piece.span.clone();
            span.map(move |j| (self.particles.id[j], self.pose_of(j, piece.origin)))
        })
    }
}
