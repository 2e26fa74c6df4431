//! Corotated linear elasticity on tetrahedra (seed 003): every element measures its strain in a frame that turns with it, and the
//! substep is one linear solve. What is strained beyond yield flows, what is loaded beyond its strength tears.
//!
//! `elastic` holds energy, forces and rotations, `plastic` what flows, `fracture` what fails, `crumbs` the smallest pieces, which are rigid. What it shares with other models of tetrahedra is in [`fem`](super::fem); see
//! `docs/corotated.md`.

mod crumbs;
mod elastic;
mod fracture;
mod plastic;
#[cfg(test)]
mod tests;

use crate::geometry::Patch;
use crate::material::{Material, MaterialField, PointValues};
use crate::math::{Rot, Sym3, log_stretches, ops, symmetric_eigen};
use crate::parallel::Span;
use crate::solids::fem::breaking::{Breaking, FractureCounts};
use crate::solids::fem::elements::Elements;
use crate::solids::fem::lanes::vector;
use crate::solids::fem::stress;
use crate::solids::fem::system::{Frame, Pose, System, workers_of};
use crate::solids::fem::tets::{Built, TetBuildError, Tets};
use crate::solids::fem::topology::Topology;
use crate::solids::fem::{TetOptions, TetShape, TetShapeError, TetSolver};
use crate::solids::particles::{split, whole};
use crate::solids::{
    Anchor, Boundary, DofsMut, DofsRef, NeedsReload, Particles, Residual, Solid, Step,
};
use crate::solve::Held;
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::Changes;
use glam::{DMat3, Mat3, Vec3};

/// Newton steps that bring rotations fully up for an audit.
const AUDIT_STEPS: u32 = 3;

/// A body of corotated tetrahedra. Particles are their vertices.
#[derive(Clone, Debug)]
pub struct Corotated {
    elements: Elements,
    options: TetOptions,
    /// R of each tetrahedron: warm start of the next fit, and so part of the state.
    rotation: Vec<Rot>,
    /// F_P⁻¹ − I of each, column by column; none as long as nothing has flowed. State.
    plastic: Option<[Vec<f32>; 9]>,
    /// α of each. State.
    hardened: Vec<f32>,
    /// σ of each as the break test averages it, in its frame, Pa. State.
    felt: Vec<Sym3>,
    /// Id of the next vertex that begins.
    next_id: u64,
    breaking: Breaking,
    /// Whether something may flow: follows from the material.
    flows: bool,
    system: System,
    /// ε of each after the flow of this substep. Scratch.
    strain: Vec<Sym3>,
    /// Rotations of an audit.
    audited: Vec<Rot>,
}

impl Corotated {
    /// Particles and model from a shape and its materials, and what materials can follow at the particles. Where two faces lie on each other
    /// that are not one, it begins with a crack.
    pub(crate) fn build(
        shape: &TetShape,
        options: TetOptions,
        materials: &[Material],
        seed: u64,
    ) -> Result<(Particles, Self, PointValues), TetBuildError> {
        if !options.solver.is_built_in() {
            return Err(TetShapeError::NoDirectSolver.into());
        }
        if options.solver == TetSolver::Broyden {
            return Err(TetShapeError::OnlyBrittle.into());
        }
        let Built { mut particles, tets, values, .. } = Tets::build(shape, materials, seed)?;
        let mut topology = Topology::new(&tets.corners);
        for face in topology.open_coinciding(&tets.corners, &particles.rest) {
            face.into_iter().for_each(|v| particles.broken[v as usize] = true);
        }
        let elements = Elements::new(tets, topology, particles.len());
        Ok((particles, Self::from_elements(elements, options), values))
    }

    /// A model of nothing, to load a snapshot into.
    pub(crate) fn empty() -> Self {
        Self::from_elements(Elements::default(), TetOptions::default())
    }

    fn from_elements(elements: Elements, options: TetOptions) -> Self {
        let (vertices, count) = (elements.stars.len(), elements.tets.len());
        Self {
            options,
            rotation: vec![Rot::IDENTITY; count],
            plastic: None,
            hardened: vec![0.0; count],
            felt: vec![Sym3::ZERO; count],
            next_id: 0,
            breaking: Breaking::new(&elements.tets),
            flows: elements.tets.may_flow(),
            system: System::new(vertices, count, options),
            strain: vec![Sym3::ZERO; count],
            audited: vec![Rot::IDENTITY; count],
            elements,
        }
    }

    /// R, a and ∇Ψ as the particles are now.
    fn bring_up(&mut self, particles: &Particles, span: &Span, step: &Step) {
        let Some(pose) = self.system.frame(span).map(Frame::pose) else { return };
        let Self { elements: Elements { tets, stars, .. }, rotation, plastic, system, .. } = self;
        let of = tets.of(span);
        let workers = workers_of(of.len(), step);
        system.follow_places(particles, span, pose, workers);
        let written = (&mut rotation[..], &mut *system);
        elastic::linearise(tets, plastic.as_ref(), of, pose.turn, written, workers);
        system.sum_forces(stars, span, workers);
    }

    /// F_P⁻¹ − I of a tetrahedron.
    fn plastic_of(&self, t: usize) -> Mat3 {
        let columns = self.plastic.as_ref();
        columns.map_or(Mat3::ZERO, |columns| {
            Mat3::from_cols_array(&columns.each_ref().map(|column| column[t]))
        })
    }

    /// sym(RᵀF) − I of a tetrahedron, turned to the world.
    fn strain_of(&self, particles: &Particles, t: usize) -> Sym3 {
        symmetric(self.distortion(particles, t)).conjugate(self.rotation[t])
    }

    /// σ of a tetrahedron, in the world, Pa.
    fn stress_of(&self, particles: &Particles, t: usize) -> Sym3 {
        let strain = symmetric(self.distortion(particles, t));
        let stress = stress_in(&self.elements.tets, t, &strain, self.options.keeps_volume);
        stress.conjugate(self.rotation[t])
    }

    /// RᵀF_E − I of a tetrahedron, from RᵀF − I = Σ (Rᵀ (x_j − x_0) − (x̄_j − x̄_0)) g_jᵀ without the rounding of F.
    fn distortion(&self, particles: &Particles, t: usize) -> DMat3 {
        let back = self.rotation[t].to_dmat3().transpose();
        let tets = &self.elements.tets;
        let [x0, corners @ ..] = tets.corners[t].map(|v| v as usize);
        let (place, rest) = (particles.place(x0), particles.rest[x0].as_dvec3());
        let mut sum = DMat3::ZERO;
        for (&v, corner) in corners.iter().zip(1..) {
            let g = tets.gradient_of(t, corner);
            let d = back * (particles.place(v) - place) - (particles.rest[v].as_dvec3() - rest);
            sum += DMat3::from_cols(g.x * d, g.y * d, g.z * d);
        }
        sum + (DMat3::IDENTITY + sum) * self.plastic_of(t).as_dmat3()
    }
}

/// ½ (A + Aᵀ).
fn symmetric(a: DMat3) -> Sym3 {
    Sym3::from_mat3(&(0.5 * (a + a.transpose())).as_mat3())
}

/// λ tr(ε) I + 2 μ ε of a tetrahedron, Pa; J − 1 instead of the trace where volume is kept by a term of its own.
fn stress_in(tets: &Tets, t: usize, strain: &Sym3, keeps_volume: bool) -> Sym3 {
    let grown = match keeps_volume {
        true => (Sym3::IDENTITY + *strain).determinant() - 1.0,
        false => strain.trace(),
    };
    let [lambda, mu] = [0, 1].map(|k| tets.lame[k][t] / tets.volume[t]);
    2.0 * mu * *strain + Sym3::from_diagonal(Vec3::splat(lambda * grown))
}

impl Solid for Corotated {
    fn name(&self) -> &'static str {
        "corotated"
    }

    fn turn(&mut self, span: Span, rotation: Rot) {
        let of = self.elements.tets.of(&span);
        self.rotation[of].iter_mut().for_each(|r| *r = (rotation * *r).normalized());
    }

    fn turns_along_arcs(&self) -> bool {
        true
    }

    /// Any stiffness is reached.
    fn begin(&mut self, _: &Particles, _: &Step) -> f32 {
        self.system.iterations = 0;
        1.0
    }

    fn measure(&mut self, particles: &Particles, span: Span, step: &Step) {
        if self.is_crumb(particles, &span) {
            return;
        }
        let Elements { tets, stars, .. } = &self.elements;
        self.system.prepare(particles, tets, stars, &span, step);
    }

    fn linearise(&mut self, particles: &Particles, span: Span, step: &Step) {
        if !self.is_crumb(particles, &span) {
            self.bring_up(particles, &span, step);
        }
    }

    /// Of crumbs without ∇Ψ.
    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        let inv_h2 = 1.0 / (step.h * step.h);
        if self.is_crumb(particles, &span) {
            for (k, j) in span.enumerate() {
                r.linear[k] = -inv_h2 * particles.mass[j] * particles.correction[j];
            }
            return;
        }
        let Some(frame) = self.system.frame(&span) else { return };
        let turn = frame.turn.to_mat3();
        for (k, j) in span.enumerate() {
            r.linear[k] = self.system.gradient_at(particles, &turn, inv_h2, j);
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
        if self.is_crumb(particles, &span) {
            let inv_h2 = 1.0 / (step.h * step.h);
            for (k, j) in span.enumerate() {
                out.linear[k] = inv_h2 * particles.mass[j] * p.linear[k];
            }
            return;
        }
        let Self { system, elements: Elements { tets, stars, .. }, .. } = self;
        system.product(particles, tets, stars, &span, step, p.linear, out.linear);
    }

    /// Of crumbs nothing: they move as the rigid modes of the solver do.
    fn precondition(
        &self,
        particles: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        if self.is_crumb(particles, &span) {
            z.linear.fill(Vec3::ZERO);
            return;
        }
        let workers = workers_of(self.elements.tets.of(&span).len(), step);
        self.system.precondition(&span, extra, r.linear, z.linear, workers);
    }

    fn compliance(&self, _: &Particles, anchor: &Anchor, n: Vec3, _: &Step) -> f32 {
        let frame = self.system.frame_of(anchor.particle as usize);
        frame.map_or(0.0, |frame| frame.compliance_at(anchor, n))
    }

    fn moves_as_a_whole(&self, particles: &Particles, span: &Span) -> bool {
        self.is_crumb(particles, span) && !crumbs::is_held(particles, span)
    }

    /// Crumbs stay rigid.
    fn settle(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        _: DofsRef<'_>,
        _: &Step,
    ) -> Option<Residual> {
        if !self.is_crumb(particles, &span) {
            return None;
        }
        crumbs::carry(particles, &span, held);
        // pressed between two halves, a hundredth of what pushes it out of balance would throw it away
        Some(Residual { adrift: true, ..Residual::default() })
    }

    fn solves_held(&self) -> bool {
        true
    }

    /// One linear solve from x_n + h v_n, with rotations of there.
    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        step: &Step,
    ) -> Residual {
        if self.is_crumb(particles, &span) {
            for j in span.clone() {
                particles.set_place(j, particles.inertial_place(j));
            }
            crumbs::carry(particles, &span, held);
            return Residual::default();
        }
        let h2 = step.h * step.h;
        let Particles { position, remainder, correction, .. } = particles;
        let Particles { acceleration, inertial, inertial_remainder, .. } = particles;
        let columns = [position, remainder, correction].map(|column| &mut column[span.clone()]);
        let workers = workers_of(self.elements.tets.of(&span).len(), step);
        workers.for_span(span.clone(), columns, &|range, [position, remainder, correction]| {
            for (k, j) in range.enumerate() {
                correction[k] = -h2 * acceleration[j];
                let place = whole(inertial, inertial_remainder, j) + correction[k].as_dvec3();
                split(place, k, position, remainder);
            }
        });
        for target in held.iter() {
            let (j, place) = (target.particle as usize, target.position.as_dvec3());
            particles.set_place(j, place);
            particles.correction[j] = (place - particles.inertial_place(j)).as_vec3();
        }
        let Elements { tets, stars, .. } = &self.elements;
        self.system.prepare(particles, tets, stars, &span, step);
        self.bring_up(particles, &span, step);
        let Self { system, elements: Elements { tets, stars, .. }, .. } = self;
        let mut targets = held.iter_mut();
        system.solve(particles, tets, stars, &span, step, |particle, force| {
            let mine = targets.find(|target| target.particle as usize == particle);
            if let Some(target) = mine {
                (target.force, target.torque) = (force, Vec3::ZERO);
            }
        })
    }

    /// Only where the material yields at all.
    fn flow_plastic(&mut self, particles: &Particles, span: Span, step: &Step) -> f64 {
        let of = self.elements.tets.of(&span);
        let still = self.is_crumb(particles, &span);
        if !still && !self.flows && !self.breaking.may_break(of.clone()) {
            return 0.0;
        }
        self.feel_strain(particles, &span, step);
        if still {
            return 0.0;
        }
        if self.flows { self.flow(of, step.h) } else { 0.0 }
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
        let breaks = self.breaking.may_break(self.elements.tets.of(&span));
        if breaks && !self.is_crumb(particles, &span) {
            self.break_piece(particles, &span, step, residual, credit, changes);
        }
        // faces open between tetrahedra, which keep what they store
        0.0
    }

    fn plastic_strain(&self, i: usize) -> f32 {
        let (mut sum, mut volume) = (0.0, 0.0);
        for t in self.elements.stars.tets_of(i) {
            sum += self.elements.tets.volume[t] * self.hardened[t];
            volume += self.elements.tets.volume[t];
        }
        sum / volume
    }

    /// Crumbs store nothing that could come back.
    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64 {
        if self.is_crumb(particles, &span) {
            force.linear.fill(Vec3::ZERO);
            return 0.0;
        }
        let Self { elements: Elements { tets, stars, .. }, plastic, system, .. } = self;
        let of = tets.of(&span);
        let workers = workers_of(of.len(), step);
        self.audited[of.clone()].copy_from_slice(&self.rotation[of.clone()]);
        let pose = Pose::of(particles, &span, workers);
        system.follow_places(particles, &span, pose, workers);
        let mut energy = 0.0;
        for _ in 0..AUDIT_STEPS {
            let written = (&mut self.audited[..], &mut *system);
            let plastic = plastic.as_ref();
            energy = elastic::linearise(tets, plastic, of.clone(), pose.turn, written, workers);
        }
        system.sum_forces(stars, &span, workers);
        let turn = pose.turn.to_mat3();
        for (k, j) in span.enumerate() {
            force.linear[k] = -(turn * vector(system.force[j]));
        }
        energy
    }

    /// Of the mean strain of the tetrahedra around, by volume.
    fn strain(&self, particles: &Particles, i: usize) -> [f32; 3] {
        let Elements { tets, stars, .. } = &self.elements;
        let mean = stress::mean(tets, stars, i, |t| self.strain_of(particles, t));
        let (values, _) = symmetric_eigen(&mean);
        log_stretches(values.map(|e| 1.0 + e)).value
    }

    /// Fitted over two rings; see [`fem::stress`](crate::solids::fem).
    fn stress(&self, particles: &Particles, i: usize) -> Option<Sym3> {
        let Elements { tets, stars, .. } = &self.elements;
        Some(stress::at_vertex(tets, stars, particles, i, |t| self.stress_of(particles, t)))
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

    /// Crumbs fall through each other and through what they come from: stiff ones between two halves would be pressed by a thousand times
    /// their weight, which no solve of the whole converges for.
    fn touches_own(&self, span: &Span) -> bool {
        !self.is_small(span) && !self.is_stiff(span)
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
        let Self { elements, breaking, .. } = self;
        breaking.slice(elements, None, patch, particles, &span, next_id, changes);
    }

    /// Every vertex may become as many as it has tetrahedra.
    fn reserve_ids(&mut self, first: u64) -> u64 {
        self.next_id = first;
        4 * self.elements.tets.len() as u64
    }

    fn permute(&mut self, span: Span, _: &[u32], place: &[u32]) {
        fn permuted<T: Copy>(column: &mut Vec<T>, order: &[u32]) {
            *column = order.iter().map(|&t| column[t as usize]).collect();
        }
        let order = self.elements.permute(span.clone(), place);
        permuted(&mut self.rotation, &order);
        permuted(&mut self.hardened, &order);
        permuted(&mut self.felt, &order);
        self.plastic.iter_mut().flatten().for_each(|column| permuted(column, &order));
        self.breaking.permute(&order);
        self.system.permute(&span, place);
        self.system.resize(self.elements.stars.len(), self.elements.tets.len());
    }

    fn truncate(&mut self, count: usize) {
        let kept = self.elements.truncate(count);
        self.rotation.truncate(kept);
        self.hardened.truncate(kept);
        self.felt.truncate(kept);
        self.plastic.iter_mut().flatten().for_each(|column| column.truncate(kept));
        self.breaking.truncate(kept);
        self.strain.truncate(kept);
        self.audited.truncate(kept);
        self.system = System::new(count, kept, self.options);
    }

    fn set_material(&mut self, field: MaterialField, value: f32) -> Result<(), NeedsReload> {
        if field == MaterialField::Density {
            return Err(NeedsReload);
        }
        if self.elements.tets.set(field, value) {
            self.system.forget();
            self.follow_material();
        }
        Ok(())
    }

    fn validate(&self, particles: &Particles) {
        self.elements.validate(particles);
        assert_eq!(particles.remainder.len(), particles.len(), "positions without remainders");
        assert_eq!(self.rotation.len(), self.elements.tets.len(), "rotations of others");
        for (t, r) in self.rotation.iter().enumerate() {
            let norm = r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w;
            assert!((norm - 1.0).abs() < 1e-5, "rotation {t} has norm² {norm}");
            let volume = (Mat3::IDENTITY + self.plastic_of(t)).determinant();
            assert!((volume - 1.0).abs() < 1e-3, "flow of {t} made its volume {volume}");
        }
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.floats_side_by_side(&self.rotation);
        hash.floats_side_by_side(&self.felt);
        if let Some(plastic) = &self.plastic {
            plastic.iter().for_each(|column| hash.floats_side_by_side(column));
            hash.floats_side_by_side(&self.hardened);
        }
        hash.number(self.next_id);
        self.elements.hash(hash);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let direct = self.options.solver == TetSolver::Direct;
        let flowed = self.plastic.is_some();
        let options = [self.options.keeps_volume, direct, flowed];
        bytes.number(options.iter().rev().fold(0, |sum, &set| 2 * sum + u64::from(set)));
        self.elements.save(bytes);
        bytes.floats(&self.rotation);
        bytes.floats(&self.felt);
        if let Some(plastic) = &self.plastic {
            plastic.iter().for_each(|column| bytes.floats(column));
            bytes.floats(&self.hardened);
        }
        bytes.number(self.next_id);
    }

    fn load(
        &mut self,
        reader: &mut Reader<'_>,
        particles: &Particles,
    ) -> Result<(), SnapshotError> {
        let options = reader.number()?;
        let solver = if options & 2 == 0 { TetSolver::Iterative } else { TetSolver::Direct };
        if !solver.is_built_in() {
            return Err(reader.damaged("a body of the direct solver, which is not built in"));
        }
        let flowed = options & 4 != 0;
        let options = TetOptions { solver, keeps_volume: options & 1 != 0 };
        let mut loaded = Self::from_elements(Elements::load(reader, particles.len())?, options);
        let count = loaded.elements.tets.len();
        loaded.rotation = reader.column_of(count)?;
        loaded.felt = reader.column_of(count)?;
        if flowed {
            let plastic = loaded.plastic.insert(Default::default());
            for column in plastic {
                *column = reader.column_of(count)?;
            }
            loaded.hardened = reader.column_of(count)?;
        }
        loaded.next_id = reader.number()?;
        *self = loaded;
        Ok(())
    }
}

impl Corotated {
    /// What follows from the materials.
    fn follow_material(&mut self) {
        self.breaking.follow_material(&self.elements.tets);
        self.flows = self.elements.tets.may_flow();
    }

    /// Strains of a piece as its particles are.
    fn feel_strain(&mut self, particles: &Particles, span: &Span, step: &Step) {
        let Self { elements: Elements { tets, .. }, rotation, plastic, strain, system, .. } = self;
        let of = tets.of(span);
        let workers = workers_of(of.len(), step);
        let pose = system.frame(span).map(Frame::pose);
        let pose = pose.unwrap_or_else(|| Pose::of(particles, span, workers));
        system.follow_places(particles, span, pose, workers);
        let (plastic, moved_by) = (plastic.as_ref(), &system.moved_by[..]);
        elastic::measure(tets, plastic, of, pose.turn, moved_by, (rotation, strain), workers);
    }

    /// Lets those tetrahedra flow that have yielded. Returns the work, J.
    fn flow(&mut self, of: Span, h: f32) -> f64 {
        let mut work = 0.0;
        for t in of {
            let (tets, strain) = (&self.elements.tets, &self.strain[t]);
            let Some(beyond) = plastic::beyond(tets, t, self.hardened[t], strain) else { continue };
            let before = Mat3::IDENTITY + self.plastic_of(t);
            let Some(flow) = plastic::flow(tets, t, beyond, &before, strain, h) else { continue };
            let mut after = before * flow.factor.to_mat3();
            // rounding would add up
            after *= 1.0 / ops::cbrt(after.determinant());
            let count = self.elements.tets.len();
            let columns =
                self.plastic.get_or_insert_with(|| std::array::from_fn(|_| vec![0.0; count]));
            let values = (after - Mat3::IDENTITY).to_cols_array();
            columns.iter_mut().zip(values).for_each(|(column, value)| column[t] = value);
            self.hardened[t] += flow.strain;
            self.strain[t] = flow.left;
            work += flow.work;
        }
        work
    }
}
