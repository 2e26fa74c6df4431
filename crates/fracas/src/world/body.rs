//! Bodies and the pieces they are in.

use super::changes::Changes;
use super::desc::Layers;
use super::divide::Again;
use super::finding::Shaped;
use super::grip::Grip;
use super::ids::{BodyId, ParticleId, PieceId};
use super::pieces::{Places, Walks};
use super::report::Energy;
use crate::contact::near::Near;
use crate::contact::surface::Surface;
use crate::material::{Material, PointValues};
use crate::parallel::Span;
use crate::solids::meshless::Meshless;
use crate::solids::motion::Turning;
use crate::solids::{Face, Model, Motion, Particles, Residual};
use crate::solve::{Dofs, Held, Pulled};
use glam::{DVec3, Vec3};

/// What the user spawned: particles, the model that moves them, and the pieces they are in.
#[derive(Debug)]
pub struct Body {
    pub(super) id: BodyId,
    pub(super) name: String,
    pub(super) materials: Vec<Material>,
    /// Rate at which deviations from rigid motion fade, 1/s.
    pub(super) damping: f32,
    pub(super) particles: Particles,
    pub(super) model: Model,
    /// Where particles are in the columns.
    pub(super) places: Places,
    /// In the order of their spans, which cover all particles.
    pub(super) pieces: Vec<Piece>,
    /// Shapes of rigid solids, and of fragments once they are broken, which
    /// [`Particles::shape`] names. Constant.
    pub(super) shapes: Vec<Shaped>,
    /// What it may touch.
    pub(super) layers: Layers,
    /// How its fragments break again.
    pub(super) again: Again,
    /// Particles that it was spawned with. Constant.
    pub(super) shape_count: usize,
    /// What its materials were sampled with. Constant.
    pub(super) seed: u64,
    pub(super) known: PointValues,
    /// Neighbours at rest. Constant.
    pub(super) near: Near,
    pub(super) grips: Vec<Grip>,
    /// Forces and torques of this step.
    pub(super) pushes: Vec<Push>,
    /// Sums since it was spawned; what it holds now is not kept here.
    pub(super) spent: Energy,
    pub(super) changes: Changes,
    /// How many cuts of `changes` the pieces have followed.
    pub(super) cuts_seen: usize,
    /// Gravity at the last substep, for its books, m/s².
    pub(super) gravity: Vec3,
    /// Factor on the stiffness in the last substep.
    pub(super) reached: f32,
    pub(super) scratch: Scratch,
}

/// A force and torque on one particle during one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Push {
    pub particle: u32,
    pub force: Vec3,
    pub torque: Vec3,
}

/// What a contact did to a particle in the last substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Impulse {
    pub particle: u32,
    /// Index of the contact.
    pub contact: u32,
    /// Where at the start of the substep, relative to the origin of the piece.
    pub point: Vec3,
    /// Pressure and friction together, in N.
    pub force: Vec3,
    /// Whether there was pressure.
    pub pressing: bool,
    /// Whether something that gives way was touched, not an obstacle, and neither broke by it.
    pub mutual: bool,
    /// Speed at which the two came nearer before, in m/s.
    pub approach: f32,
}

/// A connected component of a body.
#[derive(Clone, Debug)]
pub struct Piece {
    pub(super) id: PieceId,
    pub(super) span: Span,
    /// What positions are relative to.
    pub(super) origin: DVec3,
    /// Frozen by quarantine.
    pub(super) frozen: bool,
    /// Asleep, with all pieces that have the same number here.
    pub(super) asleep: Option<PieceId>,
    /// How long it has been slow, in s.
    pub(super) quiet: f32,
    /// Whether it is solved with what touches or holds it in this substep.
    pub(super) together: bool,
    /// Whether something pushed it in the last substep.
    pub(super) touching: bool,
    /// The same a substep before.
    pub(super) touched_before: bool,
    /// Solves of this step that did not converge.
    pub(super) unconverged: u32,
    /// Ψ at the end of the last substep, kept only with books.
    pub(super) elastic: f64,
    /// World time at which it was split off, in s; none for what was spawned, and for the heaviest
    /// part of it.
    pub(super) born: Option<f64>,
    /// How its last solve ended.
    pub(super) residual: Residual,
    /// Share of what hit it in this substep that it passed on while it broke; 1 if it did not.
    pub(super) passed_on: f32,
    /// Momentum that it has from its motion in this substep and that no push has told, kg m/s.
    pub(super) strayed: DVec3,
    /// Mass, centre and inertia for the positions as they are, if they are known: a cache of what
    /// [`Motion::of`] gives, which the substep before has just summed.
    pub(super) shape: Option<Motion>,
    /// Momenta after predict, before the solve.
    pub(super) predicted: Motion,
    /// Time for which it may still break, in s; see [`Solid::fracture`](crate::solids::Solid::fracture).
    pub(super) credit: f32,
    /// How it was carried along arcs in this substep, if it was.
    pub(super) turning: Option<Turning>,
}

/// Room of a body, never read across steps.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Its place in the world's list of bodies.
    pub number: u32,
    /// The lowest place of those that it hangs together with by contacts.
    pub cluster: u32,
    /// A vector over the body.
    pub force: Dofs,
    /// Held particles in the order of their index, with targets of this substep.
    pub held: Vec<Held>,
    /// Particles that springs pull, grip by grip.
    pub pulled: Vec<Pulled>,
    /// Contacts with obstacles, on their way to the world's list.
    pub found: Vec<crate::contact::Contact>,
    /// What contacts did in this substep, in the order of particles.
    pub impulses: Vec<Impulse>,
    /// What others touch of it, if that is a surface; follows the model.
    pub surface: Surface,
    /// Of each piece, whether it touches others of the body; beside the surface.
    pub touches_own: Vec<bool>,
    pub permuted: Particles,
    /// What is at each place of a span, after it is put in order.
    pub order: Vec<u32>,
    /// Where each particle of the span goes.
    pub place: Vec<u32>,
    /// What fell off.
    pub walks: Walks,
    /// Pieces that lost something, in order.
    pub torn: Vec<usize>,
    /// Of particles of those: the lowest of their part.
    pub label: Vec<u32>,
    /// Of those lowest: where their part ends.
    pub ends: Vec<u32>,
    /// What becomes of those pieces.
    pub parts: Vec<Piece>,
}

impl Body {
    /// Its handle.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// As given when it was spawned.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is made of.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The name of its model.
    pub fn model(&self) -> &'static str {
        self.model.solid().name()
    }

    /// Its model, if that is `meshless`: who sees whom, and how well.
    pub fn meshless(&self) -> Option<&Meshless> {
        match &self.model {
            Model::Meshless(meshless) => Some(meshless),
            _ => None,
        }
    }

    /// Its particles, in the order of their pieces.
    pub fn particle_count(&self) -> usize {
        self.particles.len()
    }

    /// Bonds that hold.
    pub fn bond_count(&self) -> usize {
        self.model.solid().bond_count()
    }

    /// Pairs of particles that are joined, each once.
    pub fn bonds(&self) -> impl Iterator<Item = [ParticleId; 2]> {
        let solid = self.model.solid();
        (0..self.particles.len()).flat_map(move |i| {
            let later = solid.neighbours(i).iter().filter(move |&&j| j as usize > i);
            later.map(move |&j| [self.particles.id[i], self.particles.id[j as usize]])
        })
    }

    /// Its connected components.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Ids of the particles of a piece, in the order of [`positions`](Self::positions).
    pub fn ids(&self, piece: &Piece) -> &[ParticleId] {
        &self.particles.id[piece.span.clone()]
    }

    /// Positions of a piece's particles, relative to its [`origin`](Piece::origin).
    pub fn positions(&self, piece: &Piece) -> &[[f32; 3]] {
        bytemuck::cast_slice(&self.particles.position[piece.span.clone()])
    }

    /// Rotations since rest of a piece's particles, as x, y, z, w; empty for models without.
    pub fn orientations(&self, piece: &Piece) -> &[[f32; 4]] {
        let own = self.particles.orientation.get(piece.span.clone());
        let of_material = || self.model.solid().rotations().get(piece.span.clone());
        bytemuck::cast_slice(own.or_else(of_material).unwrap_or(&[]))
    }

    /// Velocities of a piece's particles, in m/s.
    pub fn velocities(&self, piece: &Piece) -> &[[f32; 3]] {
        bytemuck::cast_slice(&self.particles.velocity[piece.span.clone()])
    }

    /// Positions of all particles in the world, piece after piece.
    pub fn world_positions(&self) -> impl Iterator<Item = [f64; 3]> {
        self.pieces.iter().flat_map(|piece| {
            let positions = &self.particles.position[piece.span.clone()];
            positions.iter().map(|x| (piece.origin + x.as_dvec3()).to_array())
        })
    }

    /// Positions in the shape's frame, in the same order.
    pub fn rest_positions(&self) -> &[[f32; 3]] {
        bytemuck::cast_slice(&self.particles.rest)
    }

    /// Ids of all particles, in the same order.
    pub fn particle_ids(&self) -> &[ParticleId] {
        &self.particles.id
    }

    /// Particles that it was spawned with; more than it has once pieces were taken away.
    pub fn shape_particle_count(&self) -> usize {
        self.shape_count
    }

    /// Numbers of all particles in the shape that was spawned, in the same order.
    pub fn shape_numbers(&self) -> impl Iterator<Item = u32> {
        self.particles.number.iter().copied()
    }

    /// Of the particle at this place of that order.
    pub(crate) fn shape_number(&self, place: usize) -> usize {
        self.particles.number[place] as usize
    }

    /// Whether each particle has lost a bond, in the same order: others then touch its hull, no longer its
    /// ellipsoid. Always so of rigid solids.
    pub fn broken(&self) -> &[bool] {
        &self.particles.broken
    }

    /// Whether the particle at this place of that order is a part of a fragment that broke again. Its
    /// [number](Self::shape_numbers) is that of the fragment.
    pub fn is_part(&self, place: usize) -> bool {
        self.again.is_part(&self.particles, place)
    }

    /// Factors on the strength of the material of all particles, in the same order: 1 as spawned,
    /// less after [`World::damage`](super::World::damage).
    pub fn strengths(&self) -> &[f32] {
        &self.particles.strength
    }

    /// Index into [`materials`](Self::materials) of all particles, in the same order.
    pub fn particle_materials(&self) -> &[u16] {
        &self.particles.material
    }

    /// Index into [`pieces`](Self::pieces) of all particles, in the same order.
    pub fn piece_indices(&self) -> Vec<u32> {
        let pieces = self.pieces.iter().enumerate();
        pieces.flat_map(|(k, piece)| std::iter::repeat_n(k as u32, piece.span.len())).collect()
    }

    /// Particles bonded to the particle at this place of that order, as places in it; none where
    /// there is no such particle.
    pub fn neighbours(&self, place: usize) -> &[u32] {
        if place < self.particles.len() { self.model.solid().neighbours(place) } else { &[] }
    }

    /// Corners of all its tetrahedra, as places of that order; none of a model without. When it breaks, a corner where it splits is
    /// another particle with the same [number](Self::shape_numbers), and the order may change.
    pub fn tets(&self) -> &[[u32; 4]] {
        self.model.solid().boundary().surface().map_or(&[], |(_, tets)| tets)
    }

    /// Corners of all triangles of a sheet, as places of that order, counter-clockwise seen from its front; none of other models. Cracks
    /// change them, and what is at rest where.
    pub fn sheet(&self) -> &[[u32; 3]] {
        self.model.solid().sheet()
    }

    /// Half of what others keep off the sheet at the particle in this place, in m.
    pub(crate) fn half_thickness(&self, place: usize) -> f32 {
        self.particles.radii[place][0]
    }

    /// Faces of the surface of its tetrahedra, or the triangles of a sheet.
    pub(crate) fn faces(&self) -> &[Face] {
        self.model.solid().boundary().surface().map_or(&[], |(faces, _)| faces)
    }

    /// Whether it splits its tetrahedra where cracks run: then they are not those of the shape that was spawned, and have corners on edges
    /// of these.
    pub fn remeshes(&self) -> bool {
        self.model.solid().remeshes()
    }

    /// The ellipsoids that others touch: three half axes each, as vectors in the world, in m.
    pub fn ellipsoids(&self) -> impl Iterator<Item = [[f32; 3]; 3]> {
        (0..self.particles.len()).map(|j| {
            let turned = match self.particles.orientation.get(j) {
                Some(&q) => q * self.particles.axes[j],
                None => self.particles.axes[j],
            };
            let axes = turned.to_mat3();
            let [a, b, c] = self.particles.radii[j];
            [a * axes.x_axis, b * axes.y_axis, c * axes.z_axis].map(|axis| axis.to_array())
        })
    }

    /// Principal strains of all particles, logarithms of stretches, largest first.
    pub fn strains(&self) -> Vec<[f32; 3]> {
        let solid = self.model.solid();
        (0..self.particles.len()).map(|j| solid.strain(&self.particles, j)).collect()
    }

    /// Plastic strain of all particles so far, in the same order.
    pub fn plastic_strains(&self) -> Vec<f32> {
        let solid = self.model.solid();
        (0..self.particles.len()).map(|j| solid.plastic_strain(j)).collect()
    }

    /// Mass of all particles, in kg, in the same order.
    pub fn masses(&self) -> &[f32] {
        &self.particles.mass
    }

    /// Total mass, in kg.
    pub fn mass(&self) -> f64 {
        self.particles.mass.iter().map(|&m| f64::from(m)).sum()
    }

    /// What changed in its topology in the last step.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Checks every invariant of the body.
    ///
    /// # Panics
    /// If one does not hold: that is a bug.
    pub fn validate(&self) {
        self.model.solid().validate(&self.particles);
        let mut next = 0;
        for piece in &self.pieces {
            assert_eq!(piece.span.start, next, "pieces do not cover the particles in order");
            assert!(!piece.span.is_empty(), "piece {} is empty", piece.id);
            next = piece.span.end;
        }
        assert_eq!(next, self.particles.len(), "pieces do not cover the particles");
        let labels = super::pieces::components(self.model.solid());
        for piece in &self.pieces {
            let first = labels[piece.span.start];
            let same = labels[piece.span.clone()].iter().all(|&l| l == first);
            assert!(same, "piece {} is not connected", piece.id);
            let elsewhere = labels.iter().filter(|&&l| l == first).count();
            assert_eq!(elsewhere, piece.span.len(), "piece {} is not whole", piece.id);
        }
        for j in 0..self.particles.len() {
            assert!(self.particles.position[j].is_finite(), "position {j} is not finite");
            assert!(self.particles.velocity[j].is_finite(), "velocity {j} is not finite");
        }
        for w in &self.particles.spin {
            assert!(w.is_finite(), "a spin is not finite");
        }
        let mut ids: Vec<u64> = self.particles.id.iter().map(|id| id.0).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "a particle id is used twice");
        for (j, &id) in self.particles.id.iter().enumerate() {
            assert_eq!(self.places.of(id), Some(j), "the place of particle {id} is lost");
        }
        let mut ids: Vec<u64> = self.pieces.iter().map(|piece| piece.id.0).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "a piece id is used twice");
        for member in self.grips.iter().flat_map(|grip| &grip.members) {
            let held = self.particles.id[member.particle as usize];
            assert_eq!(held, member.id, "a grip has lost its particle");
        }
        for q in &self.particles.orientation {
            let norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
            assert!((norm - 1.0).abs() < 1e-5, "orientation of norm² {norm}");
        }
    }
}

impl Piece {
    /// Its handle.
    pub fn id(&self) -> PieceId {
        self.id
    }

    /// What its particles' positions are relative to, in m.
    pub fn origin(&self) -> [f64; 3] {
        self.origin.to_array()
    }

    /// How many particles it has.
    pub fn particle_count(&self) -> usize {
        self.span.len()
    }

    /// Whether it rests so long that it is left out until something wakes it.
    pub fn is_asleep(&self) -> bool {
        self.asleep.is_some()
    }

    /// Whether steps leave it where it is.
    pub(super) fn is_still(&self) -> bool {
        self.frozen || self.asleep.is_some()
    }

    /// World time at which it was split off, in s; `None` for a piece that was spawned, or is the
    /// heaviest part of one.
    pub fn born(&self) -> Option<f64> {
        self.born
    }

    /// Whether quarantine froze it.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }
}
