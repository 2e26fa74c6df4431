//! What the world asks of a model.

use super::division::Division;
use super::fem::FractureCounts;
use super::particles::Particles;
use crate::geometry::Patch;
use crate::material::MaterialField;
use crate::math::{Rot, Sym3};
use crate::parallel::{Columns, Span, Workers};
use crate::solve::Held;
use crate::state::{Reader, SnapshotError, StateHash};
use crate::world::Changes;
use glam::Vec3;

/// What is the same for all bodies during a substep.
#[derive(Clone, Debug)]
pub struct Step {
    /// Length of the substep h, in s.
    pub h: f32,
    /// Iterations of a body's own solver.
    pub sweeps: u32,
    /// The threads.
    pub workers: Workers,
}

/// A vector over the unknowns of a span: three numbers of position and, for oriented particles,
/// three of rotation (a rotation vector in the world).
#[derive(Debug)]
pub struct DofsMut<'a> {
    /// Per particle of the span.
    pub linear: &'a mut [Vec3],
    /// The same, or empty.
    pub angular: &'a mut [Vec3],
}

/// The same, to read.
#[derive(Clone, Copy, Debug)]
pub struct DofsRef<'a> {
    /// Per particle of the span.
    pub linear: &'a [Vec3],
    /// The same, or empty.
    pub angular: &'a [Vec3],
}

/// A point of a body that something may touch.
///
/// Of a body of particles: a particle and a lever arm from its centre, with which it turns. Of a triangle: its three
/// corners, which carry it in shares that sum up to 1 and are not turned by it; the arm then only tells where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Index of the particle that carries it, alone or with two mates.
    pub particle: u32,
    /// From the centre of that particle to the point, in world axes, in m.
    pub arm: Vec3,
    /// The other corners of the triangle.
    pub mates: [u32; 2],
    /// What they carry; 0 if the particle is alone.
    pub shares: [f32; 2],
}

impl Anchor {
    /// A point of one particle.
    pub fn new(particle: u32, arm: Vec3) -> Self {
        Self { particle, arm, mates: [particle; 2], shares: [0.0; 2] }
    }

    /// The particles that carry it, with their shares: one, or the corners of a triangle.
    pub fn carriers(&self) -> [(u32, f32); 3] {
        let [a, b] = self.shares;
        [(self.particle, 1.0 - a - b), (self.mates[0], a), (self.mates[1], b)]
    }

    /// Whether a triangle carries it, so that it has no torque.
    pub fn is_shared(&self) -> bool {
        self.shares != [0.0; 2] || self.mates != [self.particle; 2]
    }
}

/// What others may touch of a body.
#[derive(Clone, Copy, Debug)]
pub enum Boundary<'a> {
    /// Every particle, by its ellipsoid or shape.
    Particles,
    /// A closed surface of triangles between the particles, and what is behind it.
    Tets {
        /// Triangles, corners counter-clockwise seen from outside, and the tetrahedron behind each. They name particles by
        /// their places in the columns.
        faces: &'a [Face],
        /// Corners of all tetrahedra.
        tets: &'a [[u32; 4]],
    },
    /// Triangles between the particles with nothing behind them, touched from both sides. The radii of the particles are half the thickness.
    Sheet {
        /// Triangles, each its own `tet`.
        faces: &'a [Face],
    },
}

impl<'a> Boundary<'a> {
    /// Its triangles and the tetrahedra behind them, none behind those of a sheet; `None` where particles are touched by themselves.
    pub fn surface(self) -> Option<(&'a [Face], &'a [[u32; 4]])> {
        match self {
            Self::Particles => None,
            Self::Tets { faces, tets } => Some((faces, tets)),
            Self::Sheet { faces } => Some((faces, &[])),
        }
    }
}

/// A triangle of the surface of tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Places of its corners in the columns, counter-clockwise seen from outside.
    pub corners: [u32; 3],
    /// The tetrahedron behind it.
    pub tet: u32,
    /// Whether it was inside, and has opened.
    pub opened: bool,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Norm of the forces that are not in balance, over the norm of those that act.
    pub relative: f32,
    /// Root mean square of what is not in balance at a particle, in N.
    pub force: f32,
    /// Whether the forces of contacts do not tell how the piece moves: its momentum is then what it moves with. Of a crumb between
    /// two blocks both push with a thousand times its weight, and a hundredth of that out of balance throws it away.
    pub adrift: bool,
    /// Whether velocities are those of the end of the substep already: of a model that [integrates](Solid::integrates) by itself.
    pub integrated: bool,
    /// Whether all of its island moved as whole pieces, whose velocities are exactly those of the pushes.
    pub whole: bool,
}

impl Residual {
    /// Relative residual of a solve that counts as converged.
    pub const CONVERGED: f32 = 1e-2;
    /// What may be out of balance at a particle where a crack opens, of the force that it takes.
    pub const TOLERATED: f32 = 0.1;

    /// From sums of squares over some particles: what is not in balance, and what acts.
    pub fn new(left: f64, all: f64, count: usize) -> Self {
        let relative = if all > 0.0 { (left / all).sqrt() as f32 } else { 0.0 };
        Self { relative, force: (left / count.max(1) as f64).sqrt() as f32, ..Self::default() }
    }

    /// Whether it is small against all that acts.
    pub fn converged(self) -> bool {
        self.relative <= Self::CONVERGED
    }

    /// Whether a crack may open that takes this force, in N: a break test is a test of the material, not of the solver.
    /// In an impact forces are balanced to some percent only; what counts for a crack is the error of the stress
    /// against the strength.
    pub fn allows_crack(self, force: f32) -> bool {
        self.converged() || self.force <= Self::TOLERATED * force
    }
}

/// What a fragment stands by itself, and how it is loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fragment {
    /// V, in m³.
    pub volume: f32,
    /// E, in Pa.
    pub modulus: f32,
    /// σ_t, in Pa; infinite if it does not break.
    pub strength: f32,
    /// Averaging window of the break test, in s.
    pub load_time: f32,
    /// Averaged strain: of what it carries, and of what touches it alone. State.
    pub loads: [f32; 2],
}

/// The end of a crack in a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrackTip {
    /// Index of the particle.
    pub particle: u32,
    /// Where it is in the rest plane, in m.
    pub place: [f64; 2],
    /// Where the crack points to, in the rest plane, of unit length.
    pub direction: [f64; 2],
    /// K_I and K_II as of the last look for tears, in Pa√m.
    pub intensity: [f64; 2],
    /// G, the elastic energy that it would set free per area, by stretch in and out of the plane, as of then, in J/m².
    pub release: f64,
}

/// A value that a running body cannot take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsReload;

/// A model: an elastic energy Ψ over the particles of a body, with what a solver needs of it, and
/// the ways in which it flows and breaks.
///
/// The solver works on spans, the particles of one piece. Vectors begin at the start of the span.
/// [`linearise`](Self::linearise) is called before [`gradient`](Self::gradient) whenever the particles have
/// moved, [`measure`](Self::measure) before the first [`product`](Self::product) of a substep.
pub trait Solid: std::fmt::Debug + Send + Sync {
    /// For messages and snapshots.
    fn name(&self) -> &'static str;

    /// These particles are turned by this, rigidly: the body when it is spawned, a piece that spins fast in every
    /// substep. Models without rotations need not care.
    fn turn(&mut self, span: Span, rotation: Rot) {
        let _ = (span, rotation);
    }

    /// Whether its pieces that nothing holds are carried along arcs at any speed, and feel their spin as a force. Along chords what is stiff is
    /// stretched by (h ω)²/2 in every substep, and its solve has to take that back: glass at 3 rad/s burst.
    fn turns_along_arcs(&self) -> bool {
        false
    }

    /// Once per substep. Returns the factor, at most 1, by which the stiffness is reduced to what
    /// the sweeps can reach.
    fn begin(&mut self, particles: &Particles, step: &Step) -> f32 {
        let _ = (particles, step);
        1.0
    }

    /// Takes from the particles what [`product`](Self::product) and
    /// [`precondition`](Self::precondition) need of them, at the start of every round. (Only at the start of the
    /// solve, a soft body under a heavy one burst: it is far from there when the rounds end.)
    fn measure(&mut self, particles: &Particles, span: Span, step: &Step) {
        let _ = (particles, span, step);
    }

    /// Brings rotations, and whatever else the gradient needs, up to the particles.
    fn linearise(&mut self, particles: &Particles, span: Span, step: &Step) {
        let _ = (particles, span, step);
    }

    /// r = M (x* − x)/h² − ∇Ψ(x), as of the last [`linearise`](Self::linearise).
    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>);

    /// out = A p with A = M/h² + K; contact is not in it. `p` is 0 at held particles.
    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    );

    /// z = D⁻¹ r with D the diagonal (blocks) of A plus `extra`, in N/m per particle, on the
    /// linear part. The solver adds the rigid modes of the piece by itself.
    fn precondition(
        &self,
        particles: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    );

    /// nᵀ D⁻¹ n at this point, in m/N: what the stiffness of a contact is formed from. Asked
    /// after [`measure`](Self::measure).
    fn compliance(&self, particles: &Particles, anchor: &Anchor, n: Vec3, step: &Step) -> f32;

    /// Whether [`solve_alone`](Self::solve_alone) carries a piece through the substep by itself, velocities included: from where it is, at
    /// the velocity before accelerations (v − h a), to position and velocity at the end.
    fn integrates(&self) -> bool {
        false
    }

    /// The same step by step, for pieces that touch each other or obstacles: of a model that [integrates](Self::integrates).
    fn explicit(&mut self) -> Option<&mut dyn Explicit> {
        None
    }

    /// Whether [`solve_alone`](Self::solve_alone) also solves pieces that grips hold.
    fn solves_held(&self) -> bool {
        false
    }

    /// The model's own fastest iteration for a piece that nothing touches, from x* on.
    ///
    /// `held` are those of its particles that grips hold, in order: they end at their targets, and the model tells the
    /// forces that this takes. It is empty unless the model [solves held pieces](Self::solves_held).
    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        step: &Step,
    ) -> Residual;

    /// After a piece was solved with what touches it: `left` is what is out of balance at its particles with the forces of contacts in it,
    /// in N. A model whose pieces move rigidly in that solve finds its own state for these loads, and tells how that ended; `held` are as in
    /// [`solve_alone`](Self::solve_alone). The default is a model that needs no more.
    fn settle(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        left: DofsRef<'_>,
        step: &Step,
    ) -> Option<Residual> {
        let _ = (particles, span, held, left, step);
        None
    }

    /// Whether a piece moves as a whole among contacts, and what they push is told to [`settle`](Self::settle) afterwards. Islands of such
    /// pieces are solved as rigid bodies are.
    fn moves_as_a_whole(&self, particles: &Particles, span: &Span) -> bool {
        let _ = (particles, span);
        false
    }

    /// Share of what hit a piece in this substep that it passed on while it broke, 1 if it did not: the next substep meets its parts as
    /// fast as that leaves them.
    fn passed_on(&self, span: &Span) -> f32 {
        let _ = span;
        1.0
    }

    /// Moves the rest shape towards the current one where the material has yielded. Returns the
    /// work it took, in J. The default is a material that does not yield.
    fn flow_plastic(&mut self, particles: &Particles, span: Span, step: &Step) -> f64 {
        let _ = (particles, span, step);
        0.0
    }

    /// Opens cracks where the material fails and logs every edit, after [`flow_plastic`](Self::flow_plastic) of the
    /// same substep. Returns the elastic energy that it set free, in J. The default is a material that does not break.
    ///
    /// `residual` is how the solve of the piece ended; no crack may open that it does not
    /// [allow](Residual::allows_crack). `credit` is state of the piece: time, in s, for which the model may still spend what it allows itself per second.
    /// The model adds the substep and takes what it has used.
    fn fracture(
        &mut self,
        particles: &mut Particles,
        span: Span,
        step: &Step,
        residual: Residual,
        credit: &mut f32,
        changes: &mut Changes,
    ) -> f64 {
        let _ = (particles, span, step, residual, credit, changes);
        0.0
    }

    /// What particle `i` stands by itself; none for a model whose fragments do not break again.
    fn fragment(&self, i: usize) -> Option<Fragment> {
        let _ = i;
        None
    }

    /// Takes over the loads of particle `i` that the world has averaged; see [`Fragment`].
    fn set_loads(&mut self, i: usize, loads: [f32; 2]) {
        let _ = (i, loads);
    }

    /// Takes room for so many particles in all, so that [`divide`](Self::divide) takes little.
    fn make_room(&mut self, count: usize) {
        let _ = count;
    }

    /// Puts parts in the place of a fragment, in the particles and in the model: bonds of the fragment go to the parts
    /// that face them, and among each other only those of `joined` are bonded. The world asks this only of what
    /// is a [`fragment`](Self::fragment).
    fn divide(&mut self, particles: &mut Particles, division: &Division<'_>) {
        let _ = (particles, division);
    }

    /// Plastic strain around particle `i` so far: what is drawn.
    fn plastic_strain(&self, i: usize) -> f32 {
        let _ = i;
        0.0
    }

    /// Direction of a line of the material that had this one at rest, as it lies now at particle `i`, of unit length; none of a model whose
    /// particles turn with the material.
    fn carried(&self, particles: &Particles, i: usize, line: Vec3) -> Option<Vec3> {
        let _ = (particles, i, line);
        None
    }

    /// Ψ of the span, in J, and its forces −∇Ψ, with rotations brought fully up to the particles.
    /// Changes nothing that a later step reads.
    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64;

    /// Principal strains around particle `i`, logarithms of stretches, largest first: what is
    /// drawn. Changes nothing.
    fn strain(&self, particles: &Particles, i: usize) -> [f32; 3];

    /// Stress at particle `i`, in the world, in Pa; none of a model that has no measure of its own, and E times the
    /// principal strain is shown instead. Changes nothing.
    fn stress(&self, particles: &Particles, i: usize) -> Option<Sym3> {
        let _ = (particles, i);
        None
    }

    /// Corners of its triangles, if it is a sheet.
    fn sheet(&self) -> &[[u32; 3]] {
        &[]
    }

    /// Area of a sheet around a particle along its normal, a third of each triangle there, in m²: what the air presses on.
    fn area_around(&self, particles: &Particles, i: usize) -> Option<Vec3> {
        let _ = (particles, i);
        None
    }

    /// Ends of its cracks, of a model that knows them.
    fn tips(&self) -> Vec<CrackTip> {
        Vec::new()
    }

    /// Where the particles of a piece would be if it were rigid, relative to its origin, and how far its loads take each off that, in m, both in
    /// the world; none of a model without such a reference. Changes nothing.
    fn references(&self, particles: &Particles, span: Span) -> Option<Vec<[Vec3; 2]>> {
        let _ = (particles, span);
        None
    }

    /// How often its tests of a break were asked and how they answered; none of a model that does not count.
    fn fracture_counts(&self) -> Option<FractureCounts> {
        None
    }

    /// Iterations of its own solves in the last substep; 0 of a model that has none.
    fn iterations(&self) -> u32 {
        0
    }

    /// What others may touch of it.
    fn boundary(&self) -> Boundary<'_> {
        Boundary::Particles
    }

    /// How the material has turned since rest at each particle, of a model whose particles have no orientations of their own but that knows;
    /// else empty.
    fn rotations(&self) -> &[Rot] {
        &[]
    }

    /// Whether particle `i` has others all around it, so that nothing touches it.
    fn is_inside(&self, i: usize) -> bool {
        let _ = i;
        false
    }

    /// Whether a piece is bent so far that it could touch itself; none of a model that leaves that to the world.
    fn is_bent(&self, span: &Span) -> Option<bool> {
        let _ = span;
        None
    }

    /// Whether it splits tetrahedra or triangles, so that it has others than those it was built of.
    fn remeshes(&self) -> bool {
        false
    }

    /// Whether a piece touches other pieces of its body.
    fn touches_own(&self, span: &Span) -> bool {
        let _ = span;
        true
    }

    /// How many particles it has.
    fn particle_count(&self) -> usize;

    /// Whether two particles are joined directly.
    fn bonded(&self, a: usize, b: usize) -> bool {
        self.neighbours(a).contains(&(b as u32))
    }

    /// Particles joined directly to `i`.
    fn neighbours(&self, i: usize) -> &[u32];

    /// Live bonds.
    fn bond_count(&self) -> usize;

    /// Removes the bond of `a` and `b`, which exists, marks both as broken and logs it. Returns the elastic energy that it set free, in J.
    fn cut(&mut self, particles: &mut Particles, a: usize, b: usize, changes: &mut Changes) -> f64;

    /// Cuts what crosses the way of a blade through a piece, and logs every edit; nothing moves. Particles that begin stand behind all others, with
    /// ids from `next_id` on, until the world takes them into the piece. What is only crossed in part ends in the tip of a crack.
    ///
    /// The default [cuts](Self::cut) bonds between particles on both sides.
    fn slice(
        &mut self,
        particles: &mut Particles,
        span: Span,
        patch: &Patch,
        next_id: &mut u64,
        changes: &mut Changes,
    ) {
        let _ = next_id;
        let mut crossed = Vec::new();
        for i in span {
            let place = particles.place(i);
            for j in self.neighbours(i).iter().map(|&j| j as usize).filter(|&j| j > i) {
                if patch.crossing(place, particles.place(j)).is_some() {
                    crossed.push([i, j]);
                }
            }
        }
        for [i, j] in crossed {
            self.cut(particles, i, j, changes);
        }
    }

    /// Puts the particles of a span in another order. They are whole pieces: no bond joins them to
    /// others. Particle `order[k]` becomes particle `span.start + k`, and particle `span.start + k`
    /// becomes particle `place[k]`.
    fn permute(&mut self, span: Span, order: &[u32], place: &[u32]);

    /// Keeps the first `count` particles. The others are whole pieces, which the world has put to
    /// the end by [`permute`](Self::permute): no bond joins them to those that stay.
    fn truncate(&mut self, count: usize);

    /// Takes over the first of the ids for particles that begin while it breaks, and tells how many it may need: they are its own from
    /// the start, so that bodies break side by side.
    fn reserve_ids(&mut self, first: u64) -> u64 {
        let _ = first;
        0
    }

    /// Takes over a changed value of the material.
    ///
    /// # Errors
    /// [`NeedsReload`] if it enters the rest shape.
    fn set_material(&mut self, field: MaterialField, value: f32) -> Result<(), NeedsReload> {
        let _ = (field, value);
        Ok(())
    }

    /// Checks every invariant.
    ///
    /// # Panics
    /// If one does not hold: that is a bug.
    fn validate(&self, particles: &Particles);

    /// Everything a step reads and that changes over time, in a fixed order.
    fn hash(&self, hash: &mut StateHash);

    /// The whole model as bytes.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Takes over what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`SnapshotError`] if the bytes are not that.
    fn load(&mut self, reader: &mut Reader<'_>, particles: &Particles)
    -> Result<(), SnapshotError>;
}

/// Explicit steps of a model, with contacts between them. All are given the same number of steps in a substep; each is a drift, a kick and
/// a drift, of which the drifts between two kicks are one.
pub trait Explicit {
    /// How many it needs in this substep.
    fn steps(&self) -> u32;

    /// Takes over where the particles of a piece are, and half a drift.
    fn start(
        &mut self,
        particles: &Particles,
        span: Span,
        held: &mut [Held],
        step: &Step,
        steps: u32,
    );

    /// v ← v + d (a + f/m).
    fn kick(&mut self, span: Span, held: &mut [Held], step: &Step, steps: u32);

    /// v of a particle.
    fn velocity(&self, i: usize) -> Vec3;

    /// v of a particle, changed by a contact.
    fn set_velocity(&mut self, i: usize, v: Vec3);

    /// x ← x + d v, with d in s.
    fn drift(&mut self, span: Span, d: f32);

    /// Gives places and velocities back.
    fn finish(&mut self, particles: &mut Particles, span: Span, held: &[Held], step: &Step);
}

impl<'a> DofsMut<'a> {
    /// The same, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> DofsMut<'_> {
        DofsMut { linear: self.linear, angular: self.angular }
    }
}

/// Columns of a vector are cut together; an empty angular part stays empty.
impl Columns for DofsMut<'_> {
    fn split_at(self, i: usize) -> (Self, Self) {
        let (l0, l1) = self.linear.split_at_mut(i);
        let (a0, a1) = self.angular.split_at_mut(if self.angular.is_empty() { 0 } else { i });
        (DofsMut { linear: l0, angular: a0 }, DofsMut { linear: l1, angular: a1 })
    }
}
