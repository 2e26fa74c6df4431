//! Corotated linear elasticity on tetrahedra (seed 003): every element measures its strain in a frame that turns with it, and the
//! substep is one linear solve.
//!
//! `elastic` holds energy, forces and rotations. What it shares with other models of tetrahedra is in [`fem`](super::fem); see
//! `docs/corotated.md`.

mod elastic;
#[cfg(test)]
mod tests;

use crate::material::{Material, MaterialField, PointValues};
use crate::math::{Rot, Sym3, log_stretches, symmetric_eigen};
use crate::parallel::Span;
use crate::solids::fem::lanes::vector;
use crate::solids::fem::stars::Stars;
use crate::solids::fem::stress;
use crate::solids::fem::system::{Frame, Pose, System, workers_of};
use crate::solids::fem::tets::{Built, TetBuildError, Tets};
use crate::solids::fem::topology::{Born, Topology, is_joined, outward};
use crate::solids::fem::{TetOptions, TetShape, TetShapeError, TetSolver};
use crate::solids::particles::{split, whole};
use crate::solids::{
    Anchor, Boundary, DofsMut, DofsRef, Face, NeedsReload, Particles, Residual, Solid, Step,
};
use crate::solve::Held;
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::{Changes, Opened, ParticleId, PieceId};
use glam::{DMat3, Vec3};

/// Newton steps that bring rotations fully up for an audit.
const AUDIT_STEPS: u32 = 3;

/// A body of corotated tetrahedra. Particles are their vertices.
#[derive(Clone, Debug)]
pub struct Corotated {
    tets: Tets,
    stars: Stars,
    topology: Topology,
    /// Surface.
    faces: Vec<Face>,
    options: TetOptions,
    /// R of each tetrahedron: warm start of the next fit, and so part of the state.
    rotation: Vec<Rot>,
    system: System,
    /// Rotations of an audit.
    audited: Vec<Rot>,
    /// Hash of who is a corner of what and lies across what: far more than changes in a step.
    joined: u64,
}

impl Corotated {
    /// Particles and model from a shape and its materials, and what materials can follow at the particles.
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
        let Built { particles, tets, stars, values } = Tets::build(shape, materials, seed)?;
        let topology = Topology::new(&tets.corners);
        Ok((particles, Self::from_tets(tets, topology, stars, options), values))
    }

    /// A model of nothing, to load a snapshot into.
    pub(crate) fn empty() -> Self {
        let (tets, topology) = (Tets::default(), Topology::default());
        Self::from_tets(tets, topology, Stars::default(), TetOptions::default())
    }

    fn from_tets(tets: Tets, topology: Topology, stars: Stars, options: TetOptions) -> Self {
        let (vertices, count) = (stars.len(), tets.len());
        let mut faces = Vec::new();
        topology.list_surface(&tets.corners, &mut faces);
        Self {
            joined: hash_of_joined(&tets, &topology),
            tets,
            stars,
            topology,
            faces,
            options,
            rotation: vec![Rot::IDENTITY; count],
            system: System::new(vertices, count, options),
            audited: vec![Rot::IDENTITY; count],
        }
    }

    /// R, a and ∇Ψ as the particles are now.
    fn bring_up(&mut self, particles: &Particles, span: &Span, step: &Step) {
        let Some(pose) = self.system.frame(span).map(Frame::pose) else { return };
        let of = self.tets.of(span);
        let workers = workers_of(of.len(), step);
        self.system.follow_places(particles, span, pose, workers);
        let written = (&mut self.rotation[..], &mut self.system);
        elastic::linearise(&self.tets, of, pose.turn, written, workers);
        self.system.sum_forces(&self.stars, span, workers);
    }

    /// sym(RᵀF) − I of a tetrahedron, turned to the world.
    fn strain_of(&self, particles: &Particles, t: usize) -> Sym3 {
        symmetric(self.distortion(particles, t)).conjugate(self.rotation[t])
    }

    /// λ tr(ε) I + 2 μ ε of a tetrahedron, in the world, Pa; J − 1 instead of the trace where volume is kept by a term of its own.
    fn stress_of(&self, particles: &Particles, t: usize) -> Sym3 {
        let distortion = self.distortion(particles, t);
        let strain = symmetric(distortion);
        let grown = match self.options.keeps_volume {
            true => ((DMat3::IDENTITY + distortion).determinant() - 1.0) as f32,
            false => strain.trace(),
        };
        let [lambda, mu] = [0, 1].map(|k| self.tets.lame[k][t] / self.tets.volume[t]);
        let stress = 2.0 * mu * strain + Sym3::from_diagonal(Vec3::splat(lambda * grown));
        stress.conjugate(self.rotation[t])
    }

    /// RᵀF − I = Σ (Rᵀ (x_j − x_0) − (x̄_j − x̄_0)) g_jᵀ of a tetrahedron, without the rounding of F.
    fn distortion(&self, particles: &Particles, t: usize) -> DMat3 {
        let back = self.rotation[t].to_dmat3().transpose();
        let [x0, corners @ ..] = self.tets.corners[t].map(|v| v as usize);
        let (place, rest) = (particles.place(x0), particles.rest[x0].as_dvec3());
        let mut sum = DMat3::ZERO;
        for (&v, corner) in corners.iter().zip(1..) {
            let g = self.tets.gradient_of(t, corner);
            let d = back * (particles.place(v) - place) - (particles.rest[v].as_dvec3() - rest);
            sum += DMat3::from_cols(g.x * d, g.y * d, g.z * d);
        }
        sum
    }
}

/// ½ (A + Aᵀ).
fn symmetric(a: DMat3) -> Sym3 {
    Sym3::from_mat3(&(0.5 * (a + a.transpose())).as_mat3())
}

impl Solid for Corotated {
    fn name(&self) -> &'static str {
        "corotated"
    }

    fn turn(&mut self, span: Span, rotation: Rot) {
        let of = self.tets.of(&span);
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
        self.system.prepare(particles, &self.tets, &self.stars, &span, step);
    }

    fn linearise(&mut self, particles: &Particles, span: Span, step: &Step) {
        self.bring_up(particles, &span, step);
    }

    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        let Some(frame) = self.system.frame(&span) else { return };
        let (turn, inv_h2) = (frame.turn.to_mat3(), 1.0 / (step.h * step.h));
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
        let Self { system, tets, stars, .. } = self;
        system.product(particles, tets, stars, &span, step, p.linear, out.linear);
    }

    fn precondition(
        &self,
        _: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        let workers = workers_of(self.tets.of(&span).len(), step);
        self.system.precondition(&span, extra, r.linear, z.linear, workers);
    }

    fn compliance(&self, _: &Particles, anchor: &Anchor, n: Vec3, _: &Step) -> f32 {
        let frame = self.system.frame_of(anchor.particle as usize);
        frame.map_or(0.0, |frame| frame.compliance_at(anchor, n))
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
        let h2 = step.h * step.h;
        let Particles { position, remainder, correction, .. } = particles;
        let Particles { acceleration, inertial, inertial_remainder, .. } = particles;
        let columns = [position, remainder, correction].map(|column| &mut column[span.clone()]);
        let workers = workers_of(self.tets.of(&span).len(), step);
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
        self.system.prepare(particles, &self.tets, &self.stars, &span, step);
        self.bring_up(particles, &span, step);
        let Self { system, tets, stars, .. } = self;
        let mut targets = held.iter_mut();
        system.solve(particles, tets, stars, &span, step, |particle, force| {
            let mine = targets.find(|target| target.particle as usize == particle);
            if let Some(target) = mine {
                (target.force, target.torque) = (force, Vec3::ZERO);
            }
        })
    }

    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64 {
        let of = self.tets.of(&span);
        let workers = workers_of(of.len(), step);
        self.audited[of.clone()].copy_from_slice(&self.rotation[of.clone()]);
        let pose = Pose::of(particles, &span, workers);
        self.system.follow_places(particles, &span, pose, workers);
        let mut energy = 0.0;
        for _ in 0..AUDIT_STEPS {
            let written = (&mut self.audited[..], &mut self.system);
            energy = elastic::linearise(&self.tets, of.clone(), pose.turn, written, workers);
        }
        self.system.sum_forces(&self.stars, &span, workers);
        let turn = pose.turn.to_mat3();
        for (k, j) in span.enumerate() {
            force.linear[k] = -(turn * vector(self.system.force[j]));
        }
        energy
    }

    /// Of the mean strain of the tetrahedra around, by volume.
    fn strain(&self, particles: &Particles, i: usize) -> [f32; 3] {
        let (mut sum, mut volume) = (Sym3::ZERO, 0.0);
        for t in self.stars.tets_of(i) {
            sum = sum + self.tets.volume[t] * self.strain_of(particles, t);
            volume += self.tets.volume[t];
        }
        let (values, _) = symmetric_eigen(&(sum * (1.0 / volume)));
        log_stretches(values.map(|e| 1.0 + e)).value
    }

    /// Fitted over two rings; see [`fem::stress`](crate::solids::fem).
    fn stress(&self, particles: &Particles, i: usize) -> Option<Sym3> {
        let of = |t: usize| self.stress_of(particles, t);
        Some(stress::at_vertex(&self.tets, &self.stars, particles, i, of))
    }

    fn iterations(&self) -> u32 {
        self.system.iterations
    }

    fn boundary(&self) -> Boundary<'_> {
        Boundary::Tets { faces: &self.faces, tets: &self.tets.corners }
    }

    fn particle_count(&self) -> usize {
        self.stars.len()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        self.stars.neighbours(i)
    }

    fn bond_count(&self) -> usize {
        self.stars.edge_count()
    }

    /// Does nothing: tetrahedra part along faces, and the edge of two particles is none. What opens a face is
    /// [`Corotated::open_face`].
    fn cut(&mut self, _: &mut Particles, _: usize, _: usize, _: &mut Changes) -> f64 {
        0.0
    }

    fn permute(&mut self, span: Span, _: &[u32], place: &[u32]) {
        let of = self.tets.of(&span);
        for v in self.tets.corners[of].iter_mut().flatten() {
            *v = place[*v as usize - span.start];
        }
        // pieces come in the order of their particles
        let corners = &self.tets.corners;
        let mut order: Vec<u32> = (0..corners.len() as u32).collect();
        order.sort_by_key(|&t| corners[t as usize].into_iter().min());
        self.tets.permute(&order);
        self.topology.permute(&order);
        self.rotation = order.iter().map(|&t| self.rotation[t as usize]).collect();
        self.follow_tets();
    }

    fn truncate(&mut self, count: usize) {
        let kept = self.tets.of(&(0..count)).len();
        self.tets.truncate(kept);
        self.topology.truncate(kept);
        self.rotation.truncate(kept);
        self.stars.rebuild(count, &self.tets.corners);
        self.follow_tets();
    }

    fn set_material(&mut self, field: MaterialField, value: f32) -> Result<(), NeedsReload> {
        if field == MaterialField::Density {
            return Err(NeedsReload);
        }
        if self.tets.set(field, value) {
            self.system.forget();
        }
        Ok(())
    }

    fn validate(&self, particles: &Particles) {
        assert_eq!(self.stars.len(), particles.len(), "vertices are not particles");
        assert!(!particles.oriented(), "vertices with orientations");
        assert_eq!(particles.remainder.len(), particles.len(), "positions without remainders");
        assert_eq!(self.stars, Stars::new(particles.len(), &self.tets.corners), "stale stars");
        self.topology.validate(&self.tets.corners);
        assert_eq!(self.joined, hash_of_joined(&self.tets, &self.topology), "a stale hash");
        for j in 0..particles.len() {
            let (mass, sum) = (particles.mass[j], self.tets.mass_of(&self.stars, j) as f32);
            assert_eq!(mass, sum, "mass of vertex {j} is not that of its tetrahedra");
        }
        for (t, r) in self.rotation.iter().enumerate() {
            let norm = r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w;
            assert!((norm - 1.0).abs() < 1e-5, "rotation {t} has norm² {norm}");
        }
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.floats_side_by_side(&self.rotation);
        hash.number(self.joined);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let direct = self.options.solver == TetSolver::Direct;
        bytes.number(u64::from(self.options.keeps_volume) | u64::from(direct) << 1);
        bytes.column(&self.tets.corners);
        bytes.column(self.topology.across());
        bytes.column(&self.tets.material);
        for column in self.tets.float_columns() {
            bytes.floats(column);
        }
        bytes.floats(&self.rotation);
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
        let options = TetOptions { solver, keeps_volume: options & 1 != 0 };
        let corners: Vec<[u32; 4]> = reader.column()?;
        let inside = |&v: &u32| (v as usize) < particles.len();
        if !corners.iter().flatten().all(inside) {
            return Err(reader.damaged("a corner that does not exist"));
        }
        let count = corners.len();
        let topology = Topology::of_across(reader.column_of(count)?);
        topology.check(&corners).map_err(|what| reader.damaged(what))?;
        let mut tets = Tets { corners, material: reader.column_of(count)?, ..Tets::default() };
        for column in tets.float_columns_mut() {
            *column = reader.column_of(count)?;
        }
        tets.lame = std::array::from_fn(|_| vec![0.0; count]);
        tets.follow_material();
        tets.follow_pieces();
        let stars = Stars::new(particles.len(), &tets.corners);
        let rotation = reader.column_of(count)?;
        *self = Self { rotation, ..Self::from_tets(tets, topology, stars, options) };
        Ok(())
    }
}

impl Corotated {
    /// Opens the face of a tetrahedron opposite one of its corners; false if nothing lies across it. Corners that part become two particles:
    /// the new ones stand behind all others, where they were and as fast, until the world takes them into their pieces, with ids from
    /// `next_particle` on. The tetrahedra of each give it its mass.
    pub fn open_face(
        &mut self,
        particles: &mut Particles,
        tet: usize,
        corner: usize,
        next_particle: &mut u64,
        changes: &mut Changes,
    ) -> bool {
        let Self { tets, topology, .. } = self;
        let Some(&other) = topology.across()[tet].get(corner).filter(|&&other| is_joined(other))
        else {
            return false;
        };
        let face = outward(tets.corners[tet])[corner];
        let beyond = tets.corners[other as usize].into_iter().find(|v| !face.contains(v));
        let ends = [tets.corners[tet][corner], beyond.unwrap_or_default()];
        let ends = ends.map(|v| particles.id[v as usize]);
        let mut born = Vec::new();
        topology.split_face(&mut tets.corners, tet as u32, corner, particles.len(), &mut born);
        changes.bonds_cut.push(ends);
        changes.opened.push(opened(particles, ends, face, tets.material[tet]));
        for Born { parent, .. } in &born {
            let id = ParticleId(*next_particle);
            *next_particle += 1;
            particles.push_copy(*parent as usize, id);
            changes.born.push((particles.id[*parent as usize], id));
        }
        for v in face {
            particles.broken[v as usize] = true;
        }
        self.stars.rebuild(particles.len(), &self.tets.corners);
        for Born { parent, vertex } in born {
            for v in [parent as usize, vertex as usize] {
                particles.mass[v] = self.tets.mass_of(&self.stars, v) as f32;
                particles.broken[v] = true;
            }
        }
        self.follow_tets();
        true
    }

    /// All that follows from who is a corner of what.
    fn follow_tets(&mut self) {
        let count = self.stars.len();
        self.stars.rebuild(count, &self.tets.corners);
        self.topology.list_surface(&self.tets.corners, &mut self.faces);
        self.system = System::new(count, self.tets.len(), self.options);
        self.audited.resize(self.tets.len(), Rot::IDENTITY);
        self.joined = hash_of_joined(&self.tets, &self.topology);
    }
}

fn hash_of_joined(tets: &Tets, topology: &Topology) -> u64 {
    let mut hash = StateHash::default();
    hash.column(&tets.corners);
    hash.column(topology.across());
    hash.finish()
}

/// The face of these corners, as it opens.
fn opened(particles: &Particles, ends: [ParticleId; 2], face: [u32; 3], material: u16) -> Opened {
    let [a, b, c] = face.map(|v| particles.position[v as usize]);
    let across = (b - a).cross(c - a);
    Opened {
        piece: PieceId(0),
        ends,
        position: ((a + b + c) / 3.0).as_dvec3(),
        normal: across.normalize_or(Vec3::X),
        area: 0.5 * across.length(),
        energy: 0.0,
        material,
        through: true,
    }
}
