//! A model with a stiff K, for the tests of contact: a column of springs that shortens by 0.1 % under
//! its own weight, far stiffer than the iterations of a substep could follow from x*.

use super::material;
use fracas::glam::Vec3;
use fracas::material::Material;
use fracas::math::{Rot, Sym3};
use fracas::parallel::Span;
use fracas::solids::{Anchor, DofsMut, DofsRef, NewParticle, Particles, Residual, Solid, Step};
use fracas::solve::Held;
use fracas::state::{Reader, SnapshotError, StateHash};
use fracas::world::{BodyDesc, Changes, ShapeDesc};
use fracas::{BodyId, World};

/// Distance of layers, in m.
pub const SPACING: f32 = 0.02;
/// Mass of a layer, in kg.
pub const MASS: f32 = 0.01;
pub const GRAVITY: f64 = 9.81;

/// Ψ = ½ k Σ |x_{i+1} − x_i − d|²: springs that hold direction as well as length, so that nothing
/// buckles and K is constant.
#[derive(Debug)]
pub struct Chain {
    stiffness: f32,
    /// Both neighbours of every particle.
    sides: Vec<[u32; 2]>,
}

impl Chain {
    pub fn new(count: u32, stiffness: f32) -> Self {
        Self { stiffness, sides: (0..count).map(|i| [i.wrapping_sub(1), i + 1]).collect() }
    }

    fn links(&self, j: usize) -> f32 {
        self.neighbours(j).len() as f32
    }

    fn force(&self, particles: &Particles, j: usize) -> Vec3 {
        let pull = |&i: &u32| {
            let (i, at) = (i as usize, &particles.position);
            self.stiffness * (at[i] - at[j] - (particles.rest[i] - particles.rest[j]))
        };
        self.neighbours(j).iter().map(pull).sum()
    }

    fn diagonal(&self, particles: &Particles, j: usize, step: &Step) -> f32 {
        particles.mass[j] / (step.h * step.h) + self.stiffness * self.links(j)
    }
}

impl Solid for Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        for (k, j) in span.enumerate() {
            let inertia = particles.mass[j] / (step.h * step.h);
            let away = particles.inertial[j] - particles.position[j];
            r.linear[k] = inertia * away + self.force(particles, j);
        }
    }

    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    ) {
        for (k, j) in span.clone().enumerate() {
            let others = self.neighbours(j).iter().map(|&i| p.linear[i as usize - span.start]);
            let others: Vec3 = others.sum();
            out.linear[k] =
                self.diagonal(particles, j, step) * p.linear[k] - self.stiffness * others;
        }
    }

    fn precondition(
        &self,
        particles: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        for (k, j) in span.enumerate() {
            z.linear[k] = r.linear[k] / (self.diagonal(particles, j, step) + extra[k]);
        }
    }

    fn compliance(&self, particles: &Particles, anchor: &Anchor, _: Vec3, step: &Step) -> f32 {
        1.0 / self.diagonal(particles, anchor.particle as usize, step)
    }

    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        _: &mut [Held],
        _: &Step,
    ) -> Residual {
        // in flight it keeps its shape: these tests never let it fly
        for j in span {
            particles.position[j] = particles.inertial[j];
        }
        Residual::default()
    }

    fn audit(&mut self, particles: &Particles, span: Span, _: &Step, force: DofsMut<'_>) -> f64 {
        for (k, j) in span.enumerate() {
            force.linear[k] = self.force(particles, j);
        }
        0.0
    }

    fn strain(&self, _: &Particles, _: usize) -> [f32; 3] {
        [0.0; 3]
    }

    fn particle_count(&self) -> usize {
        self.sides.len()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        let (first, last) = (i == 0, i + 1 == self.sides.len());
        &self.sides[i][usize::from(first)..2 - usize::from(last)]
    }

    fn bond_count(&self) -> usize {
        self.sides.len() - 1
    }

    fn cut(&mut self, _: &mut Particles, _: usize, _: usize, _: &mut Changes) -> f64 {
        0.0
    }

    fn truncate(&mut self, count: usize) {
        self.sides.truncate(count);
    }

    fn permute(&mut self, _: Span, _: &[u32], _: &[u32]) {}

    fn validate(&self, _: &Particles) {}

    fn hash(&self, _: &mut StateHash) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &mut Reader<'_>, _: &Particles) -> Result<(), SnapshotError> {
        Ok(())
    }
}

/// A column of so many layers whose lowest stands at `height`; it shortens by 0.1 % under the weight
/// of itself.
pub fn column(count: u32, height: f64) -> BodyDesc {
    let weight = MASS * GRAVITY as f32;
    let stiffness = weight * 0.5 * (count - 1) as f32 / (1e-3 * SPACING);
    springs(&vec![MASS; count as usize], stiffness, height)
}

/// Layers of these masses, the lowest first and at `height`.
pub fn springs(masses: &[f32], stiffness: f32, height: f64) -> BodyDesc {
    let mut particles = Particles::default();
    for (i, &mass) in masses.iter().enumerate() {
        particles.push(NewParticle {
            rest: Vec3::new(0.0, i as f32 * SPACING, 0.0),
            mass,
            inertia: None::<Sym3>,
            radii: [0.5 * SPACING; 3],
            axes: Rot::IDENTITY,
            friction: [0.5; 2],
            restitution: 0.0,
            material: 0,
        });
    }
    let solid = Box::new(Chain::new(masses.len() as u32, stiffness));
    let material = Material::try_from(&material(1e6)).unwrap();
    let shape = ShapeDesc::Custom { particles: Box::new(particles), solid };
    BodyDesc { position: [0.0, height, 0.0], ..BodyDesc::new("column", shape, vec![material]) }
}

/// Strain of the lowest layer of a column, compressed is positive.
pub fn lowest_strain(world: &World, id: BodyId) -> f64 {
    let heights: Vec<f64> = world.body(id).unwrap().world_positions().map(|x| x[1]).collect();
    1.0 - (heights[1] - heights[0]) / f64::from(SPACING)
}
