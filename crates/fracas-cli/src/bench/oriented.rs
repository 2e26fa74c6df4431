//! Oriented particles on the lattices that other engines were timed on.

use super::{Row, Timing, time};
use anyhow::{Context, Result};
use fracas::material::{Material, MaterialDesc};
use fracas::math::Rot;
use fracas::world::ShapeDesc;
use fracas::{BodyDesc, HalfSpaceDesc, World, WorldConfig};
use fracas_mesh::generate::{self, Neighbourhood, Sampling};

/// Length of a frame, in s.
pub const FRAME: f32 = 1.0 / 60.0;
/// Distance of neighbours in the lattice, in m.
const SPACING: f32 = 0.1;
/// Frames before the first timed one, so that the body lies on the floor and is warm.
const SETTLE_FRAMES: usize = 30;

/// The lattices: 300, 2,700 and 24,000 particles.
const LATTICES: [[u32; 3]; 3] = [[12, 5, 5], [27, 10, 10], [60, 20, 20]];
const MEDIUM: [u32; 3] = LATTICES[1];
const LARGE: [u32; 3] = LATTICES[2];

/// A lattice, what it is asked to do in a frame, and on how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Particles along each axis.
    pub lattice: [u32; 3],
    /// Which of them are bonded: faces make groups of about 7, full ones of about 25.
    pub neighbours: Neighbourhood,
    /// Substeps per frame.
    pub substeps: u32,
    /// Sweeps per substep.
    pub sweeps: u32,
    /// Threads of the step.
    pub threads: u32,
    /// It lies on a floor under gravity, or floats.
    pub floor: bool,
}

impl Work {
    /// A frame of 2,700 particles with ~25 members per group in flight, on one thread.
    pub const FRAME: Self = Self {
        lattice: MEDIUM,
        neighbours: Neighbourhood::Full,
        substeps: 4,
        sweeps: 8,
        threads: 1,
        floor: false,
    };

    /// Particles.
    pub fn size(&self) -> u64 {
        self.lattice.iter().map(|&n| u64::from(n)).product()
    }

    /// A world with nothing but this body in it, and the floor if there is one.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn world(&self) -> Result<World> {
        let config = WorldConfig {
            gravity: if self.floor { [0.0, -9.81, 0.0] } else { [0.0; 3] },
            substeps: self.substeps,
            sweeps: self.sweeps,
            threads: self.threads,
            ..WorldConfig::default()
        };
        let mut world = World::new(config)?;
        world.spawn(self.body()?)?;
        if self.floor {
            world.add_half_space(HalfSpaceDesc::default())?;
        }
        Ok(world)
    }

    fn body(&self) -> Result<BodyDesc> {
        // Within reach of the sweeps at every size here, and it never breaks
        let material = MaterialDesc { youngs_modulus: 1.0e6.into(), ..MaterialDesc::default() };
        let sampling =
            Sampling { neighbourhood: self.neighbours, ..Sampling::lattice(self.lattice) };
        let size = self.lattice.map(|n| n as f32 * SPACING);
        Ok(BodyDesc {
            name: "lattice".to_owned(),
            shape: ShapeDesc::Oriented(generate::block(size, &sampling)?),
            materials: vec![Material::try_from(&material)?],
            // the lowest layer touches the floor
            position: [0.0, f64::from(0.5 * size[1]), 0.0],
            rotation: Rot::IDENTITY,
            // what floats moves, so that it never sleeps
            velocity: if self.floor { [0.0; 3] } else { [1.0, 0.0, 0.0] },
            spin: [0.0; 3],
            seed: 0,
            layers: Default::default(),
            pattern: None,
        })
    }
}

/// Times a whole frame, contact included.
///
/// # Errors
/// What the engine refuses.
pub fn time_frame(work: Work) -> Result<Timing> {
    let mut world = work.world().context("cannot build the benchmark's body")?;
    let mut step = || {
        world.step(FRAME);
        world.events(); // drained, or they would pile up
    };
    for _ in 0..SETTLE_FRAMES {
        step();
    }
    Ok(time(work.threads, step))
}

/// `sweep-7` and `sweep-25` over three sizes; a whole frame in flight (by sweeps) and lying on a
/// floor (by conjugate gradients with contact inside), on one and two threads.
pub fn rows() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, neighbours) in [("sweep-7", Neighbourhood::Faces), ("sweep-25", Neighbourhood::Full)]
    {
        for lattice in LATTICES {
            rows.push(sweep_row(name, lattice, neighbours)?);
        }
    }
    let frames = [
        ("frame", MEDIUM, false),
        ("frame-floor", MEDIUM, true),
        ("frame-24000", LARGE, false),
        ("frame-24000-floor", LARGE, true),
    ];
    for (name, lattice, floor) in frames {
        for threads in [1, 2] {
            let work = Work { lattice, threads, floor, ..Work::FRAME };
            rows.push(Row::new(name, work.size(), 1, threads, time_frame(work)?));
        }
    }
    Ok(rows)
}

/// One sweep of the elastic solver over a lattice: what sixteen more of them add to a frame of a
/// body that floats, so that prediction, velocities and momentum are not counted in.
fn sweep_row(name: &'static str, lattice: [u32; 3], neighbours: Neighbourhood) -> Result<Row> {
    const MORE: u32 = 16;
    let few = Work { lattice, neighbours, substeps: 1, sweeps: 8, threads: 1, floor: false };
    let many = Work { sweeps: few.sweeps + MORE, ..few };
    // a difference of two figures feels a busy moment twice as much: the best of three of each,
    // taken in turn
    let (mut few_time, mut many_time) = (time_frame(few)?, time_frame(many)?);
    for _ in 0..2 {
        few_time = few_time.best(time_frame(few)?);
        many_time = many_time.best(time_frame(many)?);
    }
    let timing = Timing {
        ms_median: many_time.ms_median - few_time.ms_median,
        ms_max: many_time.ms_max - few_time.ms_median,
    };
    Ok(Row::new(name, few.size(), MORE.into(), few.threads, timing))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bodies that other engines were timed on, and the two neighbourhoods: a box of
    /// n × m × l has (n−1)ml + n(m−1)l + nm(l−1) pairs over faces, and with those over edges and
    /// corners ((3n−2)(3m−2)(3l−2) − nml)/2.
    #[test]
    fn bodies_are_the_lattices_of_the_peers() {
        for lattice in LATTICES {
            let [n, m, l] = lattice.map(|n| n as usize);
            let faces = (n - 1) * m * l + n * (m - 1) * l + n * m * (l - 1);
            let full = ((3 * n - 2) * (3 * m - 2) * (3 * l - 2) - n * m * l) / 2;
            for (neighbours, bonds) in [(Neighbourhood::Faces, faces), (Neighbourhood::Full, full)]
            {
                let body = Work { lattice, neighbours, ..Work::FRAME }.body().unwrap();
                let ShapeDesc::Oriented(shape) = body.shape else { panic!("not oriented") };
                assert_eq!((shape.points.len(), shape.bonds.len()), (n * m * l, bonds));
            }
        }
    }
}
