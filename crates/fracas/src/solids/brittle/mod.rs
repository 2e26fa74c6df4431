//! Brittle solids: linear elements around one rigid reference per piece (seed 001). They do not visibly deform, and then a crack runs.
//!
//! `elastic` holds the reference and the deviation from it, `fracture` what fails and where. What it shares with other models of
//! tetrahedra is in [`fem`](super::fem); see `docs/brittle.md`.

mod elastic;
mod fracture;

use crate::geometry::Patch;
use crate::material::{Material, MaterialField, PointValues};
use crate::math::{Sym3, log_stretches, symmetric_eigen};
use crate::parallel::{Span, Workers};
use crate::solids::fem::breaking::{Breaking, FractureCounts};
use crate::solids::fem::elements::Elements;
use crate::solids::fem::lanes::{Point, vector};
use crate::solids::fem::remesh::Remesh;
use crate::solids::fem::stress;
use crate::solids::fem::system::{System, workers_of};
use crate::solids::fem::tets::{Built, TetBuildError, Tets};
use crate::solids::fem::topology::Topology;
use crate::solids::fem::{TetShape, TetShapeError, TetSolver};
use crate::solids::{
    Anchor, Boundary, DofsMut, DofsRef, NeedsReload, Particles, Residual, Solid, Step,
};
use crate::solve::{Carried, Held};
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::Changes;
use elastic::{Impact, Reference};
use glam::Vec3;

/// A piece of fewer tetrahedra is rigid and does not break.
const RIGID: usize = 20;

/// How a brittle body is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrittleOptions {
    /// What solves the linear system of a substep.
    pub solver: TetSolver,
    /// Whether tetrahedra are split where a crack runs, so that it follows its plane and not the faces that are there.
    pub remesh: bool,
}

/// A body of linear tetrahedra around rigid references. Particles are their vertices.
#[derive(Clone, Debug)]
pub struct Brittle {
    elements: Elements,
    solver: TetSolver,
    /// What may still be split along cracks, if anything is. State.
    remesh: Option<Remesh>,
    /// u: where each vertex is off the reference of its piece, in the frame of that, m. The next solve starts from it, and cracks
    /// are told by it: state.
    deviation: Vec<Point>,
    /// σ of each tetrahedron as the break test averages it, at rest, Pa. State.
    felt: Vec<Sym3>,
    breaking: Breaking,
    /// Id of the next vertex that begins.
    next_id: u64,
    system: System,
    /// Pieces that were hit in this substep. Scratch.
    impacts: Vec<Impact>,
    /// The substep, s. Scratch.
    h: f32,
}

impl Brittle {
    /// Particles and model from a shape and its materials, and what materials can follow at the particles. Where two faces lie on each other
    /// that are not one, it begins with a crack.
    pub(crate) fn build(
        shape: &TetShape,
        options: BrittleOptions,
        materials: &[Material],
        seed: u64,
    ) -> Result<(Particles, Self, PointValues), TetBuildError> {
        if !options.solver.is_built_in() {
            return Err(TetShapeError::NoDirectSolver.into());
        }
        let Built { mut particles, tets, values, .. } = Tets::build(shape, materials, seed)?;
        let mut topology = Topology::new(&tets.corners);
        for face in topology.open_coinciding(&tets.corners, &particles.rest) {
            face.into_iter().for_each(|v| particles.broken[v as usize] = true);
        }
        let elements = Elements::new(tets, topology, particles.len());
        let remesh = options.remesh.then(|| Remesh::new(&elements.tets, &particles.rest));
        let solid = Self { remesh, ..Self::from_elements(elements, options.solver) };
        Ok((particles, solid, values))
    }

    /// A model of nothing, to load a snapshot into.
    pub(crate) fn empty() -> Self {
        Self::from_elements(Elements::default(), TetSolver::default())
    }

    fn from_elements(elements: Elements, solver: TetSolver) -> Self {
        let (vertices, tets) = (elements.stars.len(), elements.tets.len());
        Self {
            system: elastic::system(&elements, solver),
            solver,
            remesh: None,
            breaking: Breaking::new(&elements.tets),
            elements,
            deviation: vec![[0.0; 4]; vertices],
            felt: vec![Sym3::ZERO; tets],
            next_id: 0,
            impacts: Vec::new(),
            h: 0.0,
        }
    }

    /// Whether a piece moves as a whole, with nothing to solve for.
    fn is_rigid(&self, span: &Span) -> bool {
        self.elements.tets.of(span).len() < RIGID
    }

    /// sym ∇u of a tetrahedron, in the frame of its piece.
    fn strain_of(&self, t: usize) -> Sym3 {
        let tets = &self.elements.tets;
        let u = tets.corners[t].map(|v| vector(self.deviation[v as usize]));
        let mut strain = Sym3::ZERO;
        for corner in 1..4 {
            let g = tets.gradient_of(t, corner).as_vec3();
            strain = strain + symmetric_outer(u[corner] - u[0], g);
        }
        strain
    }

    /// λ tr(ε) I + 2 μ ε of a tetrahedron, in the frame of its piece, Pa (001 eq. 5).
    fn stress_of(&self, t: usize) -> Sym3 {
        let strain = self.strain_of(t);
        let tets = &self.elements.tets;
        let [lambda, mu] = [0, 1].map(|k| tets.lame[k][t] / tets.volume[t]);
        2.0 * mu * strain + Sym3::from_diagonal(Vec3::splat(lambda * strain.trace()))
    }
}

/// ½ (a bᵀ + b aᵀ).
fn symmetric_outer(a: Vec3, b: Vec3) -> Sym3 {
    Sym3 {
        xx: a.x * b.x,
        yy: a.y * b.y,
        zz: a.z * b.z,
        xy: 0.5 * (a.x * b.y + a.y * b.x),
        yz: 0.5 * (a.y * b.z + a.z * b.y),
        zx: 0.5 * (a.z * b.x + a.x * b.z),
    }
}

impl Solid for Brittle {
    fn name(&self) -> &'static str {
        "brittle"
    }

    /// Their spin loads them, and chords would read less of it.
    fn turns_along_arcs(&self) -> bool {
        true
    }

    /// Any stiffness is reached.
    fn begin(&mut self, _: &Particles, step: &Step) -> f32 {
        self.h = step.h;
        self.system.iterations = 0;
        self.impacts.clear();
        1.0
    }

    fn measure(&mut self, particles: &Particles, span: Span, step: &Step) {
        if elastic::is_held(particles, &span) {
            let Elements { tets, stars, .. } = &self.elements;
            self.system.prepare(particles, tets, stars, &span, step);
        }
    }

    fn linearise(&mut self, particles: &Particles, span: Span, step: &Step) {
        if elastic::is_held(particles, &span) {
            self.restore(particles, &span, step);
        }
    }

    /// Of what is free without ∇Ψ: in the solve with contacts it is rigid.
    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        let inv_h2 = 1.0 / (step.h * step.h);
        let held = elastic::is_held(particles, &span);
        let frame = self.system.frame(&span).filter(|_| held);
        let turn = frame.map(|frame| frame.turn.to_mat3());
        for (k, j) in span.enumerate() {
            r.linear[k] = match &turn {
                Some(turn) => self.system.gradient_at(particles, turn, inv_h2, j),
                None => -inv_h2 * particles.mass[j] * particles.correction[j],
            };
        }
    }

    /// Of what is free M/h² alone: it moves rigidly, which K does not feel.
    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    ) {
        if elastic::is_held(particles, &span) {
            let Self { system, elements: Elements { tets, stars, .. }, .. } = self;
            system.product(particles, tets, stars, &span, step, p.linear, out.linear);
            return;
        }
        let inv_h2 = 1.0 / (step.h * step.h);
        for (k, j) in span.enumerate() {
            out.linear[k] = inv_h2 * particles.mass[j] * p.linear[k];
        }
    }

    /// Of what is free nothing: it moves as the rigid modes of the solver do.
    fn precondition(
        &self,
        particles: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        if elastic::is_held(particles, &span) {
            let workers = workers_of(self.elements.tets.of(&span).len(), step);
            self.system.precondition(&span, extra, r.linear, z.linear, workers);
            return;
        }
        z.linear.fill(Vec3::ZERO);
    }

    fn compliance(&self, _: &Particles, anchor: &Anchor, n: Vec3, _: &Step) -> f32 {
        let frame = self.system.frame_of(anchor.particle as usize);
        frame.filter(|frame| frame.is_held()).map_or(0.0, |frame| frame.compliance_at(anchor, n))
    }

    fn solves_held(&self) -> bool {
        true
    }

    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        step: &Step,
    ) -> Residual {
        elastic::start(particles, &span, held, step);
        if held.is_empty() || !self.is_stiff(&span) {
            return self.deviate(particles, span, held, None, step);
        }
        let carried = Carried::of(held, particles);
        carried.carry(particles, span.clone());
        let residual = self.deviate(particles, span.clone(), held, None, step);
        carried.leave_velocities(particles, span, step.h);
        residual
    }

    fn moves_as_a_whole(&self, particles: &Particles, span: &Span) -> bool {
        !elastic::is_held(particles, span) || self.is_stiff(span)
    }

    /// The rigid motion that contacts allow is found; what they press and what that takes is the load of the elements.
    fn settle(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        left: DofsRef<'_>,
        step: &Step,
    ) -> Option<Residual> {
        Some(self.deviate(particles, span, held, Some(left.linear), step))
    }

    fn fracture(
        &mut self,
        particles: &mut Particles,
        span: Span,
        step: &Step,
        residual: Residual,
        credit: &mut f32,
        changes: &mut Changes,
    ) -> f64 {
        self.break_piece(particles, span, step, residual, credit, changes);
        // what is free stores nothing that could be set free
        0.0
    }

    /// Cracks run through it within the time of the impact: what a substep opens is a part of that.
    fn passed_on(&self, span: &Span) -> f32 {
        let broke = self.impacts.iter().any(|hit| hit.piece == span.start && hit.broke);
        if broke { 1.0 / elastic::ROUNDS } else { 1.0 }
    }

    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64 {
        force.linear.fill(Vec3::ZERO);
        // what is free stays on its reference, and u stores nothing that could come back
        if !elastic::is_held(particles, &span) {
            return 0.0;
        }
        let turn = Reference::of(particles, &span, &step.workers).turn.to_mat3();
        let tets = &self.elements.tets;
        let mut energy = 0.0;
        for t in tets.of(&span) {
            let (strain, stress) = (self.strain_of(t), self.stress_of(t));
            let volume = tets.volume[t];
            energy += 0.5 * f64::from(volume) * f64::from(stress.dot(strain));
            for corner in 0..4 {
                let push = volume * (turn * stress.mul_vec(tets.gradient_of(t, corner).as_vec3()));
                force.linear[tets.corners[t][corner] as usize - span.start] -= push;
            }
        }
        energy
    }

    /// Of the mean strain of the tetrahedra around, by volume.
    fn strain(&self, _: &Particles, i: usize) -> [f32; 3] {
        let Elements { tets, stars, .. } = &self.elements;
        let mean = stress::mean(tets, stars, i, |t| self.strain_of(t));
        let (values, _) = symmetric_eigen(&mean);
        log_stretches(values.map(|e| 1.0 + e)).value
    }

    /// Fitted over two rings; see [`fem::stress`](crate::solids::fem). In the frame of the piece: principal values are those of the world.
    fn stress(&self, particles: &Particles, i: usize) -> Option<Sym3> {
        let Elements { tets, stars, .. } = &self.elements;
        Some(stress::at_vertex(tets, stars, particles, i, |t| self.stress_of(t)))
    }

    fn references(&self, particles: &Particles, span: Span) -> Option<Vec<[Vec3; 2]>> {
        let reference = Reference::of(particles, &span, &Workers::default());
        let turn = reference.turn.to_mat3();
        let of = |j: usize| {
            [reference.place(particles.rest[j]).as_vec3(), turn * vector(self.deviation[j])]
        };
        Some(span.map(of).collect())
    }

    /// Since it was built or loaded.
    fn fracture_counts(&self) -> Option<FractureCounts> {
        Some(self.breaking.counts)
    }

    fn iterations(&self) -> u32 {
        self.system.iterations
    }

    fn boundary(&self) -> Boundary<'_> {
        Boundary::Tets { faces: &self.elements.faces, tets: &self.elements.tets.corners }
    }

    fn remeshes(&self) -> bool {
        self.remesh.is_some()
    }

    /// Crumbs fall through each other and through what they come from: between two blocks they would be pressed by a thousand times their weight.
    fn touches_own(&self, span: &Span) -> bool {
        !self.is_rigid(span)
    }

    /// What is free is rigid among contacts, and what is held deviates by micrometres.
    fn is_bent(&self, span: &Span) -> Option<bool> {
        self.is_stiff(span).then_some(false)
    }

    fn particle_count(&self) -> usize {
        self.elements.stars.len()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        self.elements.stars.neighbours(i)
    }

    fn bond_count(&self) -> usize {
        self.elements.stars.edge_count()
    }

    /// Does nothing: tetrahedra part along faces, and the edge of two particles is none.
    fn cut(&mut self, _: &mut Particles, _: usize, _: usize, _: &mut Changes) -> f64 {
        0.0
    }

    fn slice(
        &mut self,
        particles: &mut Particles,
        span: Span,
        patch: &Patch,
        next_id: &mut u64,
        changes: &mut Changes,
    ) {
        let Self { elements, breaking, remesh, .. } = self;
        breaking.slice(elements, remesh.as_ref(), patch, particles, &span, next_id, changes);
        self.take_begun();
    }

    /// Every vertex may become as many as it has tetrahedra, with those that may still begin.
    fn reserve_ids(&mut self, first: u64) -> u64 {
        self.next_id = first;
        let more = self.remesh.map_or(0, |remesh| remesh.left());
        4 * (self.elements.tets.len() as u64 + more)
    }

    fn permute(&mut self, span: Span, order: &[u32], place: &[u32]) {
        let moved = self.elements.permute(span.clone(), place);
        self.felt = moved.iter().map(|&t| self.felt[t as usize]).collect();
        self.breaking.permute(&moved);
        let before = self.deviation[span.clone()].to_vec();
        for (to, &from) in span.clone().zip(order) {
            self.deviation[to] = before[from as usize - span.start];
        }
        self.system.permute(&span, place);
        elastic::follow(&mut self.system, &self.elements);
    }

    fn truncate(&mut self, count: usize) {
        let kept = self.elements.truncate(count);
        self.felt.truncate(kept);
        self.breaking.truncate(kept);
        self.deviation.truncate(count);
        self.system = elastic::system(&self.elements, self.solver);
    }

    fn set_material(&mut self, field: MaterialField, value: f32) -> Result<(), NeedsReload> {
        if field == MaterialField::Density {
            return Err(NeedsReload);
        }
        if self.elements.tets.set(field, value) {
            self.system.forget();
            self.breaking.follow_material(&self.elements.tets);
        }
        Ok(())
    }

    fn validate(&self, particles: &Particles) {
        self.elements.validate(particles);
        assert_eq!(self.deviation.len(), particles.len(), "deviations of other vertices");
        assert_eq!(self.felt.len(), self.elements.tets.len(), "stresses of other tetrahedra");
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.floats_side_by_side(&self.deviation);
        hash.floats_side_by_side(&self.felt);
        hash.number(self.next_id);
        self.remesh.iter().for_each(|remesh| remesh.hash(hash));
        self.elements.hash(hash);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.number(match self.solver {
            TetSolver::Iterative => 0,
            TetSolver::Direct => 1,
            TetSolver::Broyden => 2,
        });
        bytes.number(u64::from(self.remesh.is_some()));
        self.remesh.iter().for_each(|remesh| remesh.save(bytes));
        self.elements.save(bytes);
        bytes.floats(&self.deviation);
        bytes.floats(&self.felt);
        bytes.number(self.next_id);
    }

    fn load(
        &mut self,
        reader: &mut Reader<'_>,
        particles: &Particles,
    ) -> Result<(), SnapshotError> {
        let solver = match reader.number()? {
            0 => TetSolver::Iterative,
            1 => TetSolver::Direct,
            2 => TetSolver::Broyden,
            _ => return Err(reader.damaged("a solver that does not exist")),
        };
        if !solver.is_built_in() {
            return Err(reader.damaged("a body of the direct solver, which is not built in"));
        }
        let remesh = if reader.number()? != 0 { Some(Remesh::load(reader)?) } else { None };
        let elements = Elements::load(reader, particles.len())?;
        let deviation = reader.column_of(particles.len())?;
        let felt = reader.column_of(elements.tets.len())?;
        let next_id = reader.number()?;
        let rest = Self::from_elements(elements, solver);
        *self = Self { remesh, deviation, felt, next_id, ..rest };
        Ok(())
    }
}
