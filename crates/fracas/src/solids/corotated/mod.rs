//! Corotated linear elasticity on tetrahedra (seed 003): every element measures its strain in a frame that turns with it, and the
//! substep is one linear solve.
//!
//! `elastic` holds energy, forces and rotations. What it shares with other models of tetrahedra is in [`fem`](super::fem); see
//! `docs/corotated.md`.

mod elastic;

use crate::material::{Material, MaterialField, PointValues};
use crate::math::{Rot, Sym3, log_stretches, symmetric_eigen};
use crate::parallel::Span;
use crate::solids::fem::lanes::{point, vector};
use crate::solids::fem::stars::Stars;
use crate::solids::fem::system::{System, workers_of};
use crate::solids::fem::tets::{Built, TetBuildError, Tets};
use crate::solids::fem::{TetOptions, TetShape, TetShapeError, TetSolver};
use crate::solids::{
    Anchor, Boundary, DofsMut, DofsRef, Face, NeedsReload, Particles, Residual, Solid, Step,
};
use crate::solve::Held;
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::Changes;
use glam::{Mat3, Vec3};

/// Newton steps that bring rotations fully up for an audit.
const AUDIT_STEPS: u32 = 3;

/// A body of corotated tetrahedra. Particles are their vertices.
#[derive(Clone, Debug)]
pub struct Corotated {
    tets: Tets,
    stars: Stars,
    /// Surface.
    faces: Vec<Face>,
    options: TetOptions,
    /// R of each tetrahedron: warm start of the next fit, and so part of the state.
    rotation: Vec<Rot>,
    system: System,
    /// Rotations of an audit.
    audited: Vec<Rot>,
}

impl Corotated {
    /// Particles and model from a shape and its materials, and what materials can follow at the particles.
    pub(crate) fn build(
        shape: &TetShape,
        options: TetOptions,
        materials: &[Material],
        seed: u64,
    ) -> Result<(Particles, Self, PointValues), TetBuildError> {
        if options.solver == TetSolver::Direct {
            return Err(TetShapeError::NoDirectSolver.into());
        }
        let Built { particles, tets, stars, values } = Tets::build(shape, materials, seed)?;
        Ok((particles, Self::from_tets(tets, stars, options), values))
    }

    /// A model of nothing, to load a snapshot into.
    pub(crate) fn empty() -> Self {
        Self::from_tets(Tets::default(), Stars::default(), TetOptions::default())
    }

    fn from_tets(tets: Tets, stars: Stars, options: TetOptions) -> Self {
        let (vertices, count) = (stars.len(), tets.len());
        let mut body = Self {
            tets,
            stars,
            faces: Vec::new(),
            options,
            rotation: vec![Rot::IDENTITY; count],
            system: System::new(vertices, count),
            audited: vec![Rot::IDENTITY; count],
        };
        body.faces = boundary_faces(&body.tets.corners);
        body
    }

    /// R, a and ∇Ψ as the particles are now.
    fn bring_up(&mut self, span: &Span, step: &Step) {
        let Some(turn) = self.system.frame(span).map(|frame| frame.turn.to_mat3()) else { return };
        let of = self.tets.of(span);
        let workers = workers_of(of.len(), step);
        let System { place, gradient, slots, .. } = &mut self.system;
        let written = (&mut self.rotation[..], gradient, &mut slots[..]);
        elastic::linearise(&self.tets, place, of, turn, written, workers);
        self.system.sum_forces(&self.stars, span, workers);
    }

    /// sym(RᵀF) − I of a tetrahedron, turned to the world.
    fn strain_of(&self, particles: &Particles, t: usize) -> Sym3 {
        let r = self.rotation[t].to_mat3();
        let f = self.deformation(particles, t);
        let strain = Sym3::from_mat3(&(r.transpose() * f)) - Sym3::IDENTITY;
        strain.conjugate(self.rotation[t])
    }

    /// F of a tetrahedron.
    fn deformation(&self, particles: &Particles, t: usize) -> Mat3 {
        let tet = self.tets.corners[t].map(|v| particles.position[v as usize]);
        let mut f = Mat3::ZERO;
        for corner in 1..4 {
            let g = self.tets.gradient_of(t, corner).as_vec3();
            let d = tet[corner] - tet[0];
            f += Mat3::from_cols(g.x * d, g.y * d, g.z * d);
        }
        f
    }
}

/// Faces that one tetrahedron has alone, in the order of tetrahedra.
fn boundary_faces(corners: &[[u32; 4]]) -> Vec<Face> {
    let sorted = |face: [u32; 3]| {
        let mut face = face;
        face.sort_unstable();
        face
    };
    let all = || {
        corners
            .iter()
            .zip(0u32..)
            .flat_map(|(&tet, t)| outward(tet).map(move |corners| Face { corners, tet: t }))
    };
    let mut keys: Vec<[u32; 3]> = all().map(|face| sorted(face.corners)).collect();
    keys.sort_unstable();
    let count = |key: [u32; 3]| {
        keys.partition_point(|other| *other <= key) - keys.partition_point(|other| *other < key)
    };
    all().filter(|face| count(sorted(face.corners)) == 1).collect()
}

/// Faces of a tetrahedron, counter-clockwise seen from outside; the one opposite corner k is the k-th.
fn outward([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 4] {
    [[b, c, d], [a, d, c], [a, b, d], [a, c, b]]
}

impl Solid for Corotated {
    fn name(&self) -> &'static str {
        "corotated"
    }

    fn turn(&mut self, span: Span, rotation: Rot) {
        let of = self.tets.of(&span);
        self.rotation[of].iter_mut().for_each(|r| *r = (rotation * *r).normalized());
    }

    fn measure(&mut self, particles: &Particles, span: Span, step: &Step) {
        self.system.prepare(particles, &self.tets, &span, step);
    }

    fn linearise(&mut self, particles: &Particles, span: Span, step: &Step) {
        for j in span.clone() {
            self.system.place[j] = point(particles.position[j]);
        }
        self.bring_up(&span, step);
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
        &mut self,
        _: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        self.system.precondition(&span, extra, r.linear, z.linear, step);
    }

    fn compliance(&self, _: &Particles, anchor: &Anchor, n: Vec3, _: &Step) -> f32 {
        let Some(frame) = self.system.frame_of(anchor.particle as usize) else { return 0.0 };
        let carried = anchor.carriers().into_iter().filter(|&(_, share)| share != 0.0);
        carried.map(|(j, share)| share * share * frame.compliance(j as usize, n)).sum()
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
        for j in span.clone() {
            particles.correction[j] = -h2 * particles.acceleration[j];
            particles.position[j] = particles.inertial[j] + particles.correction[j];
        }
        for target in held.iter() {
            let j = target.particle as usize;
            particles.position[j] = target.position;
            particles.correction[j] = target.position - particles.inertial[j];
        }
        self.system.prepare(particles, &self.tets, &span, step);
        self.bring_up(&span, step);
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
        for j in span.clone() {
            self.system.place[j] = point(particles.position[j]);
        }
        let mut energy = 0.0;
        for _ in 0..AUDIT_STEPS {
            let System { place, gradient, slots, .. } = &mut self.system;
            let written = (&mut self.audited[..], gradient, &mut slots[..]);
            let turn = Mat3::IDENTITY;
            energy = elastic::linearise(&self.tets, place, of.clone(), turn, written, workers);
        }
        self.system.sum_forces(&self.stars, &span, workers);
        for (k, j) in span.enumerate() {
            force.linear[k] = -vector(self.system.force[j]);
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
        self.rotation = order.iter().map(|&t| self.rotation[t as usize]).collect();
        self.follow_tets();
    }

    fn truncate(&mut self, count: usize) {
        let kept = self.tets.of(&(0..count)).len();
        self.tets.truncate(kept);
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
        assert_eq!(self.stars, Stars::new(particles.len(), &self.tets.corners), "stale stars");
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
        hash.floats(&self.rotation);
        hash.column(&self.tets.corners);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.number(u64::from(self.options.keeps_volume));
        bytes.column(&self.tets.corners);
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
        let keeps_volume = reader.number()? != 0;
        let corners: Vec<[u32; 4]> = reader.column()?;
        let inside = |&v: &u32| (v as usize) < particles.len();
        if !corners.iter().flatten().all(inside) {
            return Err(reader.damaged("a corner that does not exist"));
        }
        let count = corners.len();
        let mut tets = Tets { corners, material: reader.column_of(count)?, ..Tets::default() };
        for column in tets.float_columns_mut() {
            *column = reader.column_of(count)?;
        }
        tets.lame = std::array::from_fn(|_| vec![0.0; count]);
        tets.follow_material();
        let stars = Stars::new(particles.len(), &tets.corners);
        let options = TetOptions { keeps_volume, ..TetOptions::default() };
        let rotation = reader.column_of(count)?;
        *self = Self { rotation, ..Self::from_tets(tets, stars, options) };
        Ok(())
    }
}

impl Corotated {
    /// All that follows from who is a corner of what.
    fn follow_tets(&mut self) {
        let count = self.stars.len();
        self.stars.rebuild(count, &self.tets.corners);
        self.faces = boundary_faces(&self.tets.corners);
        self.system = System::new(count, self.tets.len());
        self.audited.resize(self.tets.len(), Rot::IDENTITY);
    }
}
