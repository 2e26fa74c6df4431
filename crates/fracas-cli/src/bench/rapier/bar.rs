//! The bar of tetrahedra in Rapier, as it comes: its default parameters, one thread, nothing to collide with.
//!
//! Of its two solvers for corotational tetrahedra the FEM one is the faster here, and its sag at rest is within some per cent of ours; the
//! other, by constraints, sags three times as far at 6,000 tetrahedra.

use rapier3d::prelude::*;

/// What a bar is made of.
#[derive(Clone, Copy, Debug)]
pub struct Bar<'a> {
    /// Where its vertices begin, in m.
    pub vertices: &'a [[f32; 3]],
    /// Their masses, in kg.
    pub masses: &'a [f32],
    /// Corners of its tetrahedra.
    pub tets: &'a [[u32; 4]],
    /// Vertices up to this x are held, in m.
    pub held_to: f32,
    /// Young's modulus, in Pa, and Poisson's ratio.
    pub modulus: f32,
    pub poisson: f32,
}

/// A world with a bar.
pub struct Sagging {
    world: PhysicsWorld,
    body: SoftBodyHandle,
}

impl Sagging {
    /// The bar at rest.
    pub fn new(bar: Bar<'_>) -> Self {
        let places = bar.vertices.iter().map(|&x| Vector::from_array(x)).collect();
        let held = (0..bar.vertices.len()).filter(|&v| bar.vertices[v][0] <= bar.held_to);
        let builder = SoftBodyBuilder::new(places)
            .cells(bar.tets.to_vec())
            .cell_model(SoftBodyCellModel::Corotational)
            .material(SoftBodyMaterial {
                young_modulus: bar.modulus,
                poisson_ratio: bar.poisson,
                ..SoftBodyMaterial::default()
            })
            .solver(SoftBodySolver::Fem)
            .masses(bar.masses.to_vec())
            .pinned_particles(held.map(|v| v as u32))
            .no_surface_collider()
            .can_sleep(false);
        let mut world = PhysicsWorld::new();
        let body = world.insert_soft_body(builder);
        Self { world, body }
    }

    /// Takes a frame of 1/60 s, its default.
    pub fn step(&mut self) {
        self.world.step();
    }

    /// How far the lowest vertex has come down, in m.
    pub fn sag(&self) -> f64 {
        let body = &self.world.soft_bodies[self.body];
        body.particle_positions().map(|x| f64::from(-x.y)).fold(0.0, f64::max)
    }
}
