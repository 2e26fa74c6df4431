//! The pile in Rapier, as it comes: its default parameters, one thread. `bar` is the bar of tetrahedra.

pub mod bar;

use super::pile::{DENSITY, Engine, FRICTION, Stone};
use anyhow::{Context, Result};
use fracas::world::StageTimes;
use rapier3d::parry::query;
use rapier3d::prelude::*;

/// Name and version; the version is pinned in the manifest.
pub const NAME: &str = "Rapier 0.36.1";

/// The stones on a floor.
pub struct Pile {
    world: PhysicsWorld,
}

impl Pile {
    /// # Errors
    /// If Rapier finds no hull.
    pub fn new(stones: &[Stone], sleeping: bool) -> Result<Self> {
        let mut world = PhysicsWorld::new();
        let floor = ColliderBuilder::new(SharedShape::halfspace(Vector::Y));
        world.insert_collider(floor.friction(FRICTION).restitution(0.0), None);
        for stone in stones {
            let points: Vec<Vector> =
                stone.points.iter().map(|p| Vector::from_array(p.to_array())).collect();
            let hull = ColliderBuilder::convex_hull(&points).context("Rapier finds no hull")?;
            let body = RigidBodyBuilder::dynamic()
                .translation(Vector::from_array(stone.position.to_array()))
                .rotation(AngVector::from_array(stone.rotation.log().to_array()))
                .can_sleep(sleeping);
            world.insert(body, hull.density(DENSITY).friction(FRICTION).restitution(0.0));
        }
        Ok(Self { world })
    }
}

impl Engine for Pile {
    fn step(&mut self) -> StageTimes {
        self.world.step(); // 1/60 s by default
        StageTimes::default()
    }

    /// Measured anew where its stones are: it reuses contacts while they move little, and with
    /// them the depth they had.
    fn overlap(&self) -> f32 {
        let world = &self.world;
        let mut deepest = 0.0_f32;
        for pair in world.narrow_phase.contact_pairs() {
            let [a, b] = [pair.collider1, pair.collider2].map(|handle| &world.colliders[handle]);
            let contact = query::contact(a.position(), a.shape(), b.position(), b.shape(), 0.0);
            if let Ok(Some(contact)) = contact {
                deepest = deepest.max(-contact.dist);
            }
        }
        deepest
    }

    fn sleeping(&self) -> u64 {
        self.world.bodies.iter().filter(|(_, body)| body.is_sleeping()).count() as u64
    }
}
