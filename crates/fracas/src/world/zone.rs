//! Parts of space.

use super::error::{CommandError, require};
use glam::DVec3;

/// A part of space. A particle is in it if its centre is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Zone {
    /// All of it.
    #[default]
    Everywhere,
    /// A ball.
    Sphere {
        /// Its centre, in m.
        centre: [f64; 3],
        /// Its radius, in m; 0 or above.
        radius: f64,
    },
    /// A box along the axes of the world.
    Box {
        /// Its lowest corner, in m.
        min: [f64; 3],
        /// Its highest corner, in m; nowhere below the lowest.
        max: [f64; 3],
    },
}

impl Zone {
    /// Whether a point of the world lies in it, its surface included.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        match *self {
            Zone::Everywhere => true,
            Zone::Sphere { centre, radius } => {
                DVec3::from(point).distance_squared(DVec3::from(centre)) <= radius * radius
            }
            Zone::Box { min, max } => (0..3).all(|k| min[k] <= point[k] && point[k] <= max[k]),
        }
    }

    pub(super) fn check(&self) -> Result<(), CommandError> {
        match *self {
            Zone::Everywhere => Ok(()),
            Zone::Sphere { centre, radius } => {
                for x in centre {
                    require(x.is_finite(), "centre", "finite", x as f32)?;
                }
                let allowed = radius >= 0.0 && radius.is_finite();
                require(allowed, "radius", "0 or above", radius as f32)
            }
            Zone::Box { min, max } => {
                for k in 0..3 {
                    require(min[k].is_finite(), "min", "finite", min[k] as f32)?;
                    let allowed = max[k] >= min[k] && max[k].is_finite();
                    require(allowed, "max", "finite and at least min", max[k] as f32)?;
                }
                Ok(())
            }
        }
    }

    /// Its kind and numbers, for hash and snapshot.
    pub(super) fn numbers(&self) -> [f64; 7] {
        match *self {
            Zone::Everywhere => [0.0; 7],
            Zone::Sphere { centre: [x, y, z], radius } => [1.0, x, y, z, radius, 0.0, 0.0],
            Zone::Box { min: [a, b, c], max: [d, e, f] } => [2.0, a, b, c, d, e, f],
        }
    }

    /// Back from [`numbers`](Self::numbers).
    pub(super) fn from_numbers([kind, a, b, c, d, e, f]: [f64; 7]) -> Option<Self> {
        let zone = match kind {
            0.0 => Zone::Everywhere,
            1.0 => Zone::Sphere { centre: [a, b, c], radius: d },
            2.0 => Zone::Box { min: [a, b, c], max: [d, e, f] },
            _ => return None,
        };
        zone.check().is_ok().then_some(zone)
    }
}
