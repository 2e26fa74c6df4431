//! Grips: particles held, carried or pulled.

use super::Reaction;
use super::body::Piece;
use super::desc::{GripMotion, MoveKey, PullKey};
use super::error::{CommandError, require};
use super::ids::{GripId, ParticleId};
use crate::math::Rot;
use crate::solids::Particles;
use crate::solve::{Held, Pulled};
use glam::{DMat3, DVec3, Vec3};

/// Stiffness of a spring, damping included, over m/h² of the heaviest piece that it pulls: a hundredth of the way is
/// left after a substep. Stiffer, the rounding of a position would be a force that shows.
const STIFFEST: f64 = 100.0;

/// A grip that has taken hold of particles of one body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grip {
    pub id: GripId,
    pub members: Vec<Member>,
    pub motion: GripMotion,
    pub release: Option<f64>,
    /// Summed over the last substep.
    pub reaction: Reaction,
}

/// A particle in a grip and where it was when the grip took hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Member {
    pub id: ParticleId,
    /// Where it stands now; follows the body's splits.
    pub particle: u32,
    pub position: DVec3,
    pub orientation: Rot,
}

fn finite(field: &'static str, values: &[f32]) -> Result<(), CommandError> {
    values.iter().try_for_each(|&v| require(v.is_finite(), field, "finite", v))
}

/// Refuses a time table of shifts and turns that nothing can follow.
pub(super) fn check_move(
    pivot: &[f64; 3],
    axis: &[f32; 3],
    keys: &[MoveKey],
) -> Result<(), CommandError> {
    finite("pivot", &pivot.map(|x| x as f32))?;
    finite("axis", axis)?;
    let length = Vec3::from(*axis).as_dvec3().length();
    require(length > 0.0, "axis", "longer than 0", length as f32)?;
    check_times(keys.iter().map(|key| key.time))?;
    for key in keys {
        finite("offset", &key.offset)?;
        finite("angle", &[key.angle])?;
    }
    Ok(())
}

/// Refuses motions with numbers that no grip can follow.
pub(super) fn check_motion(motion: &GripMotion) -> Result<(), CommandError> {
    match motion {
        GripMotion::Hold => Ok(()),
        GripMotion::Move { pivot, axis, keys } => check_move(pivot, axis, keys),
        GripMotion::Pull { keys } => {
            check_times(keys.iter().map(|key| key.time))?;
            for key in keys {
                finite("force", &key.force)?;
                finite("torque", &key.torque)?;
            }
            Ok(())
        }
        GripMotion::Spring { target, stiffness, damping } => {
            check_target(target)?;
            let allowed = "at least 0 and finite";
            let from_zero = |x: f32| x >= 0.0 && x.is_finite();
            require(from_zero(*stiffness), "stiffness", allowed, *stiffness)?;
            require(from_zero(*damping), "damping", allowed, *damping)
        }
    }
}

/// Refuses places that no spring can pull to.
pub(super) fn check_target(target: &[f64; 3]) -> Result<(), CommandError> {
    finite("target", &target.map(|x| x as f32))
}

pub(super) fn check_times(times: impl Iterator<Item = f64>) -> Result<(), CommandError> {
    let mut last = f64::NEG_INFINITY;
    for (index, time) in times.enumerate() {
        if !(time.is_finite() && time >= 0.0 && time > last) {
            return Err(CommandError::BadTimes { index, time });
        }
        last = time;
    }
    if last.is_finite() { Ok(()) } else { Err(CommandError::NoKeys) }
}

/// The two keys around `time` and how far it is from the first to the second.
fn between<K: Copy>(keys: &[K], time: f64, of: impl Fn(&K) -> f64) -> (K, K, f32) {
    let next = keys.partition_point(|key| of(key) <= time);
    let a = keys[next.saturating_sub(1)];
    let b = keys[next.min(keys.len() - 1)];
    let length = of(&b) - of(&a);
    let share = if length > 0.0 { ((time - of(&a)) / length).clamp(0.0, 1.0) } else { 0.0 };
    (a, b, share as f32)
}

fn lerp(a: [f32; 3], b: [f32; 3], share: f32) -> Vec3 {
    Vec3::from(a).lerp(Vec3::from(b), share)
}

fn move_at(keys: &[MoveKey], time: f64) -> (Vec3, f32) {
    let (a, b, share) = between(keys, time, |key| key.time);
    (lerp(a.offset, b.offset, share), a.angle + share * (b.angle - a.angle))
}

fn pull_at(keys: &[PullKey], time: f64) -> (Vec3, Vec3) {
    let (a, b, share) = between(keys, time, |key| key.time);
    (lerp(a.force, b.force, share), lerp(a.torque, b.torque, share))
}

/// Turn and shift of a time table at `time`.
pub(super) fn moved_at(axis: [f32; 3], keys: &[MoveKey], time: f64) -> (Rot, DVec3) {
    let (offset, angle) = move_at(keys, time);
    let axis = Vec3::from(axis).as_dvec3().normalize().as_vec3();
    (Rot::from_axis_angle(axis, angle), offset.as_dvec3())
}

impl Grip {
    /// Appends where the members have to be at `time`, in the frame of `origin_of` their piece.
    pub fn targets(
        &self,
        index: u32,
        time: f64,
        particles: &mut Particles,
        origin_of: impl Fn(u32) -> DVec3,
        held: &mut Vec<Held>,
    ) {
        let (pivot, turn, offset) = match &self.motion {
            GripMotion::Pull { .. } | GripMotion::Spring { .. } => return,
            GripMotion::Hold => (DVec3::ZERO, Rot::IDENTITY, DVec3::ZERO),
            GripMotion::Move { pivot, axis, keys } => {
                let (turn, offset) = moved_at(*axis, keys, time);
                (DVec3::from(*pivot), turn, offset)
            }
        };
        let matrix = turn.to_mat3().as_dmat3();
        for member in &self.members {
            let j = member.particle as usize;
            // the first grip on a particle has it
            if std::mem::replace(&mut particles.held[j], true) {
                continue;
            }
            let position = pivot + matrix * (member.position - pivot) + offset;
            held.push(Held {
                particle: member.particle,
                grip: index,
                position: (position - origin_of(member.particle)).as_vec3(),
                orientation: (turn * member.orientation).normalized(),
                force: Vec3::ZERO,
                torque: Vec3::ZERO,
            });
        }
    }

    /// Adds the accelerations of a pull at `time`: a force by mass, a torque as angular
    /// acceleration of the members as one rigid body.
    pub fn pull(&mut self, time: f64, particles: &mut Particles, origin_of: impl Fn(u32) -> DVec3) {
        let GripMotion::Pull { keys } = &self.motion else { return };
        let (force, torque) = pull_at(keys, time);
        self.reaction =
            Reaction { force: force.as_dvec3().to_array(), torque: torque.as_dvec3().to_array() };

        let place =
            |m: &Member| origin_of(m.particle) + particles.position[m.particle as usize].as_dvec3();
        let (mass, centre) = self.mass_and_centre(particles, &origin_of);
        let mut inertia = DMat3::ZERO;
        for member in &self.members {
            let j = member.particle as usize;
            let r = place(member) - centre;
            let m = f64::from(particles.mass[j]);
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            inertia += m * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
            if particles.oriented() {
                inertia +=
                    particles.inertia[j].conjugate(particles.orientation[j]).to_mat3().as_dmat3();
            }
        }
        let turning = if inertia.determinant() > 0.0 {
            inertia.inverse() * torque.as_dvec3()
        } else {
            DVec3::ZERO
        };
        for k in 0..self.members.len() {
            let member = self.members[k];
            let j = member.particle as usize;
            let r = origin_of(member.particle) + particles.position[j].as_dvec3() - centre;
            let a = force.as_dvec3() / mass + turning.cross(r);
            particles.acceleration[j] += a.as_vec3();
            if particles.oriented() {
                particles.spin_acceleration[j] += turning.as_vec3();
            }
        }
    }

    /// Appends what a spring pulls in a substep of length `h`. Pieces have been predicted.
    pub fn spring(
        &self,
        index: u32,
        h: f32,
        particles: &Particles,
        pieces: &[Piece],
        pulled: &mut Vec<Pulled>,
    ) {
        let GripMotion::Spring { target, stiffness, damping } = &self.motion else { return };
        let piece_of =
            |particle: u32| &pieces[pieces.partition_point(|p| p.span.end <= particle as usize)];
        let (mass, centre) = self.mass_and_centre(particles, |j| piece_of(j).origin);
        let masses = self.members.iter().map(|member| piece_of(member.particle).predicted.mass);
        let h = f64::from(h);
        let limit = STIFFEST * masses.fold(0.0, f64::max) / (h * h);
        let k = f64::from(*stiffness).min(limit);
        let all = k + (f64::from(*damping) / h).min(limit - k);
        if all == 0.0 {
            return;
        }
        let gap = (k / all * (centre - DVec3::from(*target))).as_vec3();
        pulled.extend(self.members.iter().map(|&Member { particle, .. }| {
            let share = f64::from(particles.mass[particle as usize]) / mass;
            Pulled::new(particle, index, gap, (share * all) as f32)
        }));
    }

    /// Mass of the members, in kg, and its centre in the world.
    pub fn mass_and_centre(
        &self,
        particles: &Particles,
        origin_of: impl Fn(u32) -> DVec3,
    ) -> (f64, DVec3) {
        let (mut mass, mut first) = (0.0, DVec3::ZERO);
        for &Member { particle, .. } in &self.members {
            let j = particle as usize;
            let m = f64::from(particles.mass[j]);
            mass += m;
            first += m * (origin_of(particle) + particles.position[j].as_dvec3());
        }
        (mass, first / mass)
    }

    /// Where torques of the reaction are taken about.
    pub fn pivot(&self) -> DVec3 {
        match &self.motion {
            GripMotion::Move { pivot, .. } => DVec3::from(*pivot),
            GripMotion::Spring { target, .. } => DVec3::from(*target),
            _ => {
                let sum: DVec3 = self.members.iter().map(|m| m.position).sum();
                sum / self.members.len().max(1) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_linear_between_keys_and_constant_outside() {
        let key = |time, angle| MoveKey { time, offset: [angle, 0.0, 0.0], angle };
        let keys = [key(1.0, 2.0), key(3.0, 6.0), key(4.0, 6.0)];
        for (time, expected) in [(0.0, 2.0), (1.0, 2.0), (2.0, 4.0), (3.5, 6.0), (9.0, 6.0)] {
            let (offset, angle) = move_at(&keys, time);
            assert_eq!((offset.x, angle), (expected, expected), "at {time} s");
        }
    }

    #[test]
    fn times_must_rise() {
        assert!(check_times([0.0, 1.0, 2.0].into_iter()).is_ok());
        for bad in [vec![], vec![1.0, 1.0], vec![-1.0], vec![f64::NAN], vec![0.0, f64::INFINITY]] {
            assert!(check_times(bad.into_iter()).is_err());
        }
    }
}
