//! The linear system of a piece, (M/h² + K) d = r, and its solve.
//!
//! Everything here is in the frame of the piece, turned with it: the rest shape turned by the rotation that fits it best. So what follows from
//! the rest shape alone, the blocks on the diagonal and the coarse space, is built once and serves at every angle. Nothing but the
//! gradients of the elements changes from substep to substep:
//!
//! ```text
//! a_i = Q g_i,   G = Σ (p_j − p_0) a_jᵀ,   f_i = V (λ tr G I + μ (G + Gᵀ)) a_i,   f_0 = −Σ f_i
//! ```
//!
//! Differences vanish exactly for a shift. Forces of elements are written to slots, and every vertex sums its own in a fixed
//! order: the same bits for any number of threads. Where a term of its own keeps the volume, λ tr G I is replaced by
//! λ (Σ c_j·(p_j − p_0)) and acts along c = cof(F) g, the gradient of the volume.

use super::aggregates::Aggregates;
use super::broyden::{self, Ended};
#[cfg(feature = "direct")]
use super::direct::Factor;
use super::lanes::{Point, gather, point, store, sum_slots, vector};
use super::lattice::{Lattice, Leaves};
use super::stars::Stars;
use super::tets::Tets;
use super::{TetOptions, TetSolver};
use crate::math::fearless_simd::{Level, Simd, dispatch, f32x4, f32x8, prelude::*};
use crate::math::wide::columns::{load_lanes, vec3};
use crate::math::wide::{Vec3x8, WideMat3};
use crate::math::{Rot, Sym3, rotation};
use crate::parallel::{Span, Workers};
use crate::solids::particles::{split, whole};
use crate::solids::{Anchor, Particles, Residual, Step};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// Tetrahedra from which on a piece is worked on by several threads; below, what they tell each other costs more.
const LARGE: usize = 20_000;
/// Iterations at least, of the sweeps of the world: 4 of 8. With the lattice three leave the tip of a bar of 6,000 within 0.1 % of the
/// solution, and its stress within 1 %.
const LEAST_SHARE: u32 = 2;
/// At most, for each of those.
const MOST: u32 = 16;

/// What changes with the particles, and room for the solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    /// a₁, a₂, a₃, 1/m.
    pub gradient: [Vec<f32>; 9],
    /// c₁, c₂, c₃: gradients of the volume over V, 1/m, where a term of its own keeps it.
    pub swelling: Option<[Vec<f32>; 9]>,
    /// A force per corner of each tetrahedron, N; see [`Stars`].
    pub slots: Vec<Point>,
    /// How far the particles are from the rest shape as it is placed by a [`Pose`], in its frame, m.
    pub moved_by: Vec<Point>,
    /// ∇Ψ at the vertices, N.
    pub force: Vec<Point>,
    residual: Vec<Point>,
    preconditioned: Vec<Point>,
    direction: Vec<Point>,
    image: Vec<Point>,
    moved: Vec<Point>,
    /// In the order of their spans.
    pieces: Vec<Frame>,
    /// Of all solves since it was set to 0.
    pub iterations: u32,
    solver: TetSolver,
}

/// What the rest shape of a piece gives the solver.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    span: Span,
    /// What it was built for.
    h: f32,
    held: Vec<bool>,
    any_held: bool,
    /// Whether faces of it have opened.
    cracked: bool,
    /// How the piece is turned in this substep.
    pub turn: Rot,
    /// Its centres of mass, at rest and now, m.
    centres: [DVec3; 2],
    /// D, N/m.
    blocks: Vec<Sym3>,
    /// D⁻¹ by columns; 0 of what is held.
    inverse: Vec<[Point; 3]>,
    coarse: Coarse,
    /// Instead of D⁻¹ where a factor alone preconditions: 0. Empty elsewhere.
    nothing: Vec<[Point; 3]>,
}

/// Where the rest shape of a piece fits it best.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    pub turn: Rot,
    /// Centres of mass, at rest and now, m.
    pub centres: [DVec3; 2],
}

/// Sums of m, m x̄, m x and m x x̄ᵀ.
#[derive(Clone, Copy)]
struct Moments {
    mass: f64,
    centres: [DVec3; 2],
    product: DMat3,
}

impl std::ops::Add for Moments {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        let ([a0, a1], [b0, b1]) = (self.centres, b.centres);
        Self {
            mass: self.mass + b.mass,
            centres: [a0 + b0, a1 + b1],
            product: self.product + b.product,
        }
    }
}

impl Pose {
    /// The rotation is that of Σ m (x − c) (x̄ − c̄)ᵀ.
    pub fn of(particles: &Particles, span: &Span, workers: &Workers) -> Self {
        let sums = workers.sum(span.clone(), &|leaf: Span| {
            let (mut mass, mut centres) = (0.0, [DVec3::ZERO; 2]);
            let mut product = DMat3::ZERO;
            for j in leaf {
                let m = f64::from(particles.mass[j]);
                let (rest, x) = (particles.rest[j].as_dvec3(), particles.position[j].as_dvec3());
                let weighted = m * x;
                mass += m;
                centres[0] += m * rest;
                centres[1] += weighted;
                product += outer(weighted, rest);
            }
            Moments { mass, centres, product }
        });
        let centres = sums.centres.map(|sum| sum / sums.mass);
        let product = sums.product - outer(sums.centres[1], centres[0]);
        let size = product.to_cols_array().iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let turn =
            if size > 0.0 { rotation(&(product * (1.0 / size)).as_mat3()) } else { Rot::IDENTITY };
        Self { turn, centres }
    }
}

/// a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

/// The coarse space of a piece.
///
/// Whole, the lattice is better: fewer iterations and each cheaper. Across cracks it moves both sides together, and is worse than none.
#[derive(Clone, Debug)]
enum Coarse {
    /// While no face has opened.
    Lattice(Lattice),
    /// From then on.
    Aggregates(Aggregates),
    /// No coarse space: the whole matrix at rest.
    #[cfg(feature = "direct")]
    Factor(Factor),
}

impl Coarse {
    /// Where Pᵀ r is summed while r is at hand, if it is.
    fn leaves(&mut self) -> Option<Leaves<'_>> {
        match self {
            Self::Lattice(lattice) => Some(lattice.leaves()),
            Self::Aggregates(_) => None,
            #[cfg(feature = "direct")]
            Self::Factor(_) => None,
        }
    }

    /// y = A_c⁻¹ Pᵀ r, kept for [`motion`](Self::motion), with [`leaves`](Self::leaves) of this r. Returns r·P y.
    fn answer(&mut self, r: &[Point]) -> f64 {
        match self {
            Self::Lattice(lattice) => lattice.answer(),
            Self::Aggregates(aggregates) => aggregates.answer(r),
            #[cfg(feature = "direct")]
            Self::Factor(factor) => factor.solve(r),
        }
    }

    /// (P y) of a vertex of the piece.
    #[inline(always)]
    fn motion<S: Simd>(&self, simd: S, k: usize) -> f32x4<S> {
        match self {
            Self::Lattice(lattice) => lattice.motion(simd, k),
            Self::Aggregates(aggregates) => {
                f32x4::from_slice(simd, &point(aggregates.motion_of(k)))
            }
            #[cfg(feature = "direct")]
            Self::Factor(factor) => f32x4::from_slice(simd, &point(factor.motion_of(k))),
        }
    }

    /// Iterations that a solve makes at least, of the sweeps of the world.
    fn iterations(&self, sweeps: u32) -> u32 {
        match self {
            Self::Lattice(_) => sweeps.div_ceil(LEAST_SHARE),
            Self::Aggregates(_) => sweeps,
            // as many, though one is enough where nothing is bent: who asks for a factor asks for digits
            #[cfg(feature = "direct")]
            Self::Factor(_) => sweeps.div_ceil(LEAST_SHARE),
        }
    }
}

/// Sums that an iteration needs.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// r·z or p·A p.
    product: f64,
    /// r·r of what is not held.
    square: f64,
}

impl std::ops::Add for Sums {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { product: self.product + b.product, square: self.square + b.square }
    }
}

impl System {
    pub fn new(vertex_count: usize, tet_count: usize, options: TetOptions) -> Self {
        let gradients = || std::array::from_fn(|_| vec![0.0; tet_count]);
        let points = || vec![[0.0; 4]; vertex_count];
        Self {
            gradient: gradients(),
            swelling: options.keeps_volume.then(gradients),
            slots: vec![[0.0; 4]; 4 * tet_count],
            moved_by: points(),
            force: points(),
            residual: points(),
            preconditioned: points(),
            direction: points(),
            image: points(),
            moved: points(),
            pieces: Vec::new(),
            iterations: 0,
            solver: options.solver,
        }
    }

    /// Everything that was built is built anew when it is asked for: materials or pieces have changed.
    pub fn forget(&mut self) {
        self.pieces.clear();
    }

    /// After particles of a span were put in another order, see [`Solid::permute`](crate::solids::Solid::permute): what was built for pieces that have
    /// only moved as a whole stays.
    pub fn permute(&mut self, span: &Span, place: &[u32]) {
        self.pieces.retain_mut(|frame| {
            if frame.span.start < span.start {
                return true;
            }
            let Some(places) =
                place.get(frame.span.start - span.start..frame.span.end - span.start)
            else {
                return false;
            };
            let start = places[0];
            frame.span = start as usize..start as usize + places.len();
            places.iter().zip(start..).all(|(&to, wanted)| to == wanted)
        });
        self.pieces.sort_unstable_by_key(|frame| frame.span.start);
    }

    /// Room for so many.
    pub fn resize(&mut self, vertex_count: usize, tet_count: usize) {
        let columns = self.gradient.iter_mut().chain(self.swelling.iter_mut().flatten());
        columns.for_each(|column| column.resize(tet_count, 0.0));
        self.slots.resize(4 * tet_count, [0.0; 4]);
        let Self { moved_by, force, residual, preconditioned, direction, image, moved, .. } = self;
        for points in [moved_by, force, residual, preconditioned, direction, image, moved] {
            points.resize(vertex_count, [0.0; 4]);
        }
    }

    /// The frame of a piece, which [`prepare`](Self::prepare) has made.
    pub fn frame(&self, span: &Span) -> Option<&Frame> {
        self.index_of(span).ok().map(|k| &self.pieces[k])
    }

    fn index_of(&self, span: &Span) -> Result<usize, usize> {
        self.pieces.binary_search_by_key(&span.start, |frame| frame.span.start)
    }

    /// The frame of the piece that a particle is in.
    pub fn frame_of(&self, particle: usize) -> Option<&Frame> {
        let k = self.pieces.partition_point(|frame| frame.span.end <= particle);
        self.pieces.get(k).filter(|frame| frame.span.contains(&particle))
    }

    /// Builds what follows from the rest shape, unless it is there, and finds how the piece is turned.
    pub fn prepare(
        &mut self,
        particles: &Particles,
        tets: &Tets,
        stars: &Stars,
        span: &Span,
        step: &Step,
    ) {
        let workers = workers_of(tets.of(span).len(), step);
        let frame = self.build(particles, tets, stars, span, step.h);
        Pose { turn: frame.turn, centres: frame.centres } = Pose::of(particles, span, workers);
    }

    /// What follows from the rest shape of a piece, as it is built or built now.
    pub fn build(
        &mut self,
        particles: &Particles,
        tets: &Tets,
        stars: &Stars,
        span: &Span,
        h: f32,
    ) -> &mut Frame {
        let held = &particles.held[span.clone()];
        // the same as would be built now, so that a world that was loaded goes on with the same bits
        let cracked = particles.broken[span.clone()].contains(&true);
        let fits = |frame: &Frame| {
            frame.span == *span && frame.h == h && frame.held == held && frame.cracked == cracked
        };
        let new = || Frame::new(particles, tets, stars, span.clone(), h, self.solver);
        let index = match self.index_of(span) {
            Ok(k) if fits(&self.pieces[k]) => k,
            Ok(k) => {
                self.pieces[k] = new();
                k
            }
            Err(k) => {
                self.pieces.insert(k, new());
                k
            }
        };
        &mut self.pieces[index]
    }

    /// Takes over where the particles are: u = Tᵀ (x − c) − (x̄ − c̄). Of a stiff body these are small numbers, so that its strains are not lost in the
    /// rounding of its size.
    pub fn follow_places(
        &mut self,
        particles: &Particles,
        span: &Span,
        pose: Pose,
        workers: &Workers,
    ) {
        let back = pose.turn.to_dmat3().transpose();
        let [rest, now] = pose.centres;
        workers.for_span(span.clone(), &mut self.moved_by[span.clone()], &|range, moved_by| {
            for (u, j) in moved_by.iter_mut().zip(range) {
                let place = back * (particles.place(j) - now);
                *u = point((place - (particles.rest[j].as_dvec3() - rest)).as_vec3());
            }
        });
    }
}

/// The threads that a piece of so many tetrahedra is worth.
pub(crate) fn workers_of(tet_count: usize, step: &Step) -> &Workers {
    static ONE: std::sync::LazyLock<Workers> = std::sync::LazyLock::new(Workers::default);
    if tet_count < LARGE { &ONE } else { &step.workers }
}

impl Frame {
    fn new(
        particles: &Particles,
        tets: &Tets,
        stars: &Stars,
        span: Span,
        h: f32,
        solver: TetSolver,
    ) -> Self {
        let of = tets.of(&span);
        let blocks = blocks(particles, tets, span.clone(), of.clone(), h);
        let inverse = blocks.iter().zip(span.clone()).map(|(block, j)| {
            let free = if particles.held[j] { None } else { block.inverse() };
            columns(free.unwrap_or_default())
        });
        let factor = whole_matrix(particles, tets, span.clone(), h, solver);
        let nothing = factor.iter().flat_map(|_| vec![[[0.0; 4]; 3]; span.len()]).collect();
        let coarse = factor.unwrap_or_else(|| {
            if particles.broken[span.clone()].contains(&true) {
                Coarse::Aggregates(Aggregates::new(particles, tets, stars, span.clone(), of, h))
            } else {
                Coarse::Lattice(Lattice::new(particles, tets, span.clone(), of, h))
            }
        });
        Self {
            h,
            held: particles.held[span.clone()].to_vec(),
            any_held: particles.held[span.clone()].contains(&true),
            cracked: particles.broken[span.clone()].contains(&true),
            turn: Rot::IDENTITY,
            centres: [DVec3::ZERO; 2],
            inverse: inverse.collect(),
            coarse,
            nothing,
            blocks,
            span,
        }
    }

    /// Where the rest shape was placed by [`System::prepare`].
    pub fn pose(&self) -> Pose {
        Pose { turn: self.turn, centres: self.centres }
    }

    /// Whether grips hold some of it.
    pub fn is_held(&self) -> bool {
        self.any_held
    }

    /// nᵀ D⁻¹ n at a point of its surface, m/N.
    pub fn compliance_at(&self, anchor: &Anchor, n: Vec3) -> f32 {
        let carried = anchor.carriers().into_iter().filter(|&(_, share)| share != 0.0);
        carried.map(|(j, share)| share * share * self.compliance(j as usize, n)).sum()
    }

    /// D⁻¹ of a particle of it, in the world, m/N.
    fn compliance(&self, particle: usize, n: Vec3) -> f32 {
        let n = self.turn.inverse() * n;
        let [x, y, z] = self.inverse[particle - self.span.start].map(vector);
        n.dot(n.x * x + n.y * y + n.z * z)
    }
}

/// The factor of the whole matrix, if that is to solve it.
#[cfg(feature = "direct")]
fn whole_matrix(
    particles: &Particles,
    tets: &Tets,
    span: Span,
    h: f32,
    solver: TetSolver,
) -> Option<Coarse> {
    match solver {
        TetSolver::Direct => Factor::new(particles, tets, span, h).map(Coarse::Factor),
        TetSolver::Iterative | TetSolver::Broyden => None,
    }
}

/// None is built in.
#[cfg(not(feature = "direct"))]
fn whole_matrix(_: &Particles, _: &Tets, _: Span, _: f32, _: TetSolver) -> Option<Coarse> {
    None
}

fn columns(a: Sym3) -> [Point; 3] {
    let m = a.to_mat3();
    [m.x_axis, m.y_axis, m.z_axis].map(point)
}

/// D at rest: m/h² + Σ V ((λ+μ) g gᵀ + μ |g|² I).
fn blocks(particles: &Particles, tets: &Tets, span: Span, of: Span, h: f32) -> Vec<Sym3> {
    let inv_h2 = 1.0 / (f64::from(h) * f64::from(h));
    let mass = |j: usize| [inv_h2 * f64::from(particles.mass[j]); 3];
    let start = |j: usize| {
        let [x, y, z] = mass(j);
        [x, y, z, 0.0, 0.0, 0.0]
    };
    let mut blocks: Vec<[f64; 6]> = span.clone().map(start).collect();
    for t in of {
        let [lambda, mu] = [0, 1].map(|k| f64::from(tets.lame[k][t]));
        for (corner, &v) in tets.corners[t].iter().enumerate() {
            let g = tets.gradient_of(t, corner);
            let (both, own) = (lambda + mu, mu * g.length_squared());
            let block = &mut blocks[v as usize - span.start];
            let outer = [g.x * g.x, g.y * g.y, g.z * g.z, g.x * g.y, g.y * g.z, g.z * g.x];
            for k in 0..6 {
                block[k] += both * outer[k] + if k < 3 { own } else { 0.0 };
            }
        }
    }
    blocks.into_iter().map(|block| Sym3::from_array(block.map(|x| x as f32))).collect()
}

/// What the product of a piece reads.
#[derive(Clone, Copy)]
struct Operator<'a> {
    tets: &'a Tets,
    stars: &'a Stars,
    gradient: &'a [Vec<f32>; 9],
    swelling: Option<&'a [Vec<f32>; 9]>,
    mass: &'a [f32],
    span: &'a Span,
    inv_h2: f32,
    workers: &'a Workers,
}

impl Operator<'_> {
    /// Forces of all elements to `slots`, then image = M p/h² + Σ slots. Returns p·image over all that is not held: there p is 0.
    fn multiply(&self, p: &[Point], slots: &mut [Point], image: &mut [Point]) -> f64 {
        let of = self.tets.of(self.span);
        let columns = slot_columns(slots, self.tets.len(), of.clone());
        self.workers.for_span(of, columns, &|range, columns| {
            dispatch!(Level::new(), simd => self.element_forces(simd, p, range, columns));
        });
        let slots = &*slots;
        self.workers.fold_span(self.span.clone(), image, &|range, image| {
            dispatch!(Level::new(), simd => self.gather_forces(simd, p, slots, range, image))
        })
    }

    #[inline(always)]
    fn element_forces<S: Simd>(
        &self,
        simd: S,
        p: &[Point],
        range: Span,
        [f0, f1, f2, f3]: [&mut [Point]; 4],
    ) {
        let corners = &self.tets.corners[..];
        let a = self.gradient;
        let [lambda, mu] = &self.tets.lame;
        let mut at = 0;
        while at < range.len() {
            let t = range.start + at;
            let p0 = gather(simd, p, corners, t, 0);
            let d1 = gather(simd, p, corners, t, 1) - p0;
            let d2 = gather(simd, p, corners, t, 2) - p0;
            let d3 = gather(simd, p, corners, t, 3) - p0;
            let [a1, a2, a3] = load_gradients(simd, a, t);
            let g = outer_sum(d1, a1, d2, a2, d3, a3);
            let (lambda, mu) = (load_lanes(simd, lambda, t), load_lanes(simd, mu, t));
            let mut stress = g.symmetric_part() * (mu + mu);
            let swelling = self.swelling.map(|c| load_gradients(simd, c, t));
            if swelling.is_none() {
                let pressure = lambda * (g.x_axis.x + g.y_axis.y + g.z_axis.z);
                stress.xx += pressure;
                stress.yy += pressure;
                stress.zz += pressure;
            }
            let (mut b1, mut b2, mut b3) = (stress * a1, stress * a2, stress * a3);
            if let Some([c1, c2, c3]) = swelling {
                let pressure = lambda * (c1.dot(d1) + c2.dot(d2) + c3.dot(d3));
                b1 = b1 + c1 * pressure;
                b2 = b2 + c2 * pressure;
                b3 = b3 + c3 * pressure;
            }
            let sum = b1 + b2 + b3;
            let zero = f32x8::splat(simd, 0.0);
            let end = range.len().min(at + 8);
            store(simd, vec3(zero, zero, zero) - sum, &mut f0[at..end]);
            store(simd, b1, &mut f1[at..end]);
            store(simd, b2, &mut f2[at..end]);
            store(simd, b3, &mut f3[at..end]);
            at += 8;
        }
    }

    #[inline(always)]
    fn gather_forces<S: Simd>(
        &self,
        simd: S,
        p: &[Point],
        slots: &[Point],
        range: Span,
        image: &mut [Point],
    ) -> f64 {
        let mut product = f32x4::splat(simd, 0.0);
        for (image, j) in image.iter_mut().zip(range) {
            let own = f32x4::from_slice(simd, &p[j]);
            let inertia = own * f32x4::splat(simd, self.inv_h2 * self.mass[j]);
            let sum = inertia + sum_slots(simd, slots, self.stars.slots(j));
            sum.store_slice(image);
            product += own * sum;
        }
        sum_of_four(product)
    }
}

#[inline(always)]
fn sum_of_four<S: Simd>(v: f32x4<S>) -> f64 {
    let mut four = [0.0; 4];
    v.store_slice(&mut four);
    four.iter().map(|&x| f64::from(x)).sum()
}

/// Σ d aᵀ.
#[inline(always)]
pub(crate) fn outer_sum<S: Simd>(
    d1: Vec3x8<S>,
    a1: Vec3x8<S>,
    d2: Vec3x8<S>,
    a2: Vec3x8<S>,
    d3: Vec3x8<S>,
    a3: Vec3x8<S>,
) -> WideMat3<f32x8<S>> {
    WideMat3 {
        x_axis: d1 * a1.x + d2 * a2.x + d3 * a3.x,
        y_axis: d1 * a1.y + d2 * a2.y + d3 * a3.y,
        z_axis: d1 * a1.z + d2 * a2.z + d3 * a3.z,
    }
}

/// The three gradients of eight tetrahedra.
#[inline(always)]
pub(crate) fn load_gradients<S: Simd>(
    simd: S,
    columns: &[Vec<f32>; 9],
    t: usize,
) -> [Vec3x8<S>; 3] {
    let load = |k: usize| load_lanes(simd, &columns[k], t);
    [
        vec3(load(0), load(1), load(2)),
        vec3(load(3), load(4), load(5)),
        vec3(load(6), load(7), load(8)),
    ]
}

/// The slots of some tetrahedra, corner by corner.
pub(crate) fn slot_columns(slots: &mut [Point], count: usize, of: Span) -> [&mut [Point]; 4] {
    let (a, rest) = slots.split_at_mut(count);
    let (b, rest) = rest.split_at_mut(count);
    let (c, d) = rest.split_at_mut(count);
    [a, b, c, d].map(|column| &mut column[of.clone()])
}

impl System {
    /// Sums the slots of a piece to forces at its vertices.
    pub fn sum_forces(&mut self, stars: &Stars, span: &Span, workers: &Workers) {
        let slots = &self.slots;
        workers.for_span(span.clone(), &mut self.force[span.clone()], &|range, force| {
            dispatch!(Level::new(), simd => sum_range(simd, slots, stars, range, force));
        });
    }

    /// r = −M (x − x*)/h² − ∇Ψ of all particles, in the frame of the piece, N.
    fn unbalance(
        &mut self,
        particles: &Particles,
        turn: &Mat3,
        inv_h2: f32,
        span: &Span,
        workers: &Workers,
    ) {
        let (force, back) = (&self.force, turn.transpose());
        workers.for_span(span.clone(), &mut self.residual[span.clone()], &|range, residual| {
            for (r, j) in residual.iter_mut().zip(range) {
                let inertia = -inv_h2 * particles.mass[j] * particles.correction[j];
                *r = point(back * inertia - vector(force[j]));
            }
        });
    }

    /// The same of one particle, in the world.
    pub fn gradient_at(&self, particles: &Particles, turn: &Mat3, inv_h2: f32, j: usize) -> Vec3 {
        -inv_h2 * particles.mass[j] * particles.correction[j] - *turn * vector(self.force[j])
    }

    /// out = (M/h² + K) p, both in the world.
    pub fn product(
        &mut self,
        particles: &Particles,
        tets: &Tets,
        stars: &Stars,
        span: &Span,
        step: &Step,
        p: &[Vec3],
        out: &mut [Vec3],
    ) {
        let Ok(index) = self.index_of(span) else { return };
        let turn = self.pieces[index].turn.to_mat3();
        let Self { gradient, swelling, slots, direction, image, .. } = self;
        let back = turn.transpose();
        for (k, j) in span.clone().enumerate() {
            direction[j] = point(back * p[k]);
        }
        let operator = Operator {
            tets,
            stars,
            gradient,
            swelling: swelling.as_ref(),
            mass: &particles.mass,
            span,
            inv_h2: 1.0 / (step.h * step.h),
            workers: workers_of(tets.of(span).len(), step),
        };
        operator.multiply(direction, slots, &mut image[span.clone()]);
        for (k, j) in span.clone().enumerate() {
            out[k] = turn * vector(image[j]);
        }
    }

    /// Solves for the motion of a piece from where its particles are, as far as the iterations go, and moves them. What is left at held
    /// particles, the reaction, goes to `reaction` with its particle.
    pub fn solve(
        &mut self,
        particles: &mut Particles,
        tets: &Tets,
        stars: &Stars,
        span: &Span,
        step: &Step,
        mut reaction: impl FnMut(usize, Vec3),
    ) -> Residual {
        let Ok(index) = self.index_of(span) else { return Residual::default() };
        let turn = self.pieces[index].turn.to_mat3();
        let inv_h2 = 1.0 / (step.h * step.h);
        let workers = workers_of(tets.of(span).len(), step);
        self.unbalance(particles, &turn, inv_h2, span, workers);
        // what acts: forces of the world, and all that is out of balance at the start
        let weight =
            |j: usize| f64::from((particles.mass[j] * particles.acceleration[j]).length_squared());
        let mut acts = workers.sum(span.clone(), &|leaf: Span| leaf.map(weight).sum::<f64>());
        let Self { gradient, swelling, .. } = self;
        let (gradient, swelling) = (std::mem::take(gradient), std::mem::take(swelling));
        let operator = Operator {
            tets,
            stars,
            gradient: &gradient,
            swelling: swelling.as_ref(),
            mass: &particles.mass,
            span,
            inv_h2,
            workers,
        };
        let least = self.pieces[index].coarse.iterations(step.sweeps);
        let left =
            self.iterate(index, &operator, [least, MOST * least], Residual::CONVERGED, &mut acts);
        (self.gradient, self.swelling) = (gradient, swelling);
        let Self { moved, residual, pieces, .. } = self;
        let (d, r, held) = (&moved[span.clone()], &residual[span.clone()], &pieces[index].held);
        let Particles { position, remainder, correction, .. } = particles;
        let columns = [position, remainder, correction].map(|column| &mut column[span.clone()]);
        workers.for_span(0..span.len(), columns, &|range, [position, remainder, correction]| {
            for (k, d) in d[range].iter().enumerate() {
                let way = turn * vector(*d);
                split(whole(position, remainder, k) + way.as_dvec3(), k, position, remainder);
                correction[k] += way;
            }
        });
        for (k, j) in span.clone().enumerate().filter(|&(k, _)| held[k]) {
            let force = -(turn * vector(r[k]));
            acts += f64::from(force.length_squared());
            reaction(j, force);
        }
        Residual::new(left, acts, span.len())
    }

    /// Conjugate gradients on (M/h² + K) d = r from d = 0 on, between so many iterations, until what is out
    /// of balance is the given share of what acts, to which what it begins with is added. r is in `residual` and d goes to
    /// `moved`, both in the frame of the piece. Returns the square of what is left.
    fn iterate(
        &mut self,
        index: usize,
        operator: &Operator<'_>,
        [least, most]: [u32; 2],
        share: f32,
        acts: &mut f64,
    ) -> f64 {
        let Self { slots, residual, preconditioned, direction, image, moved, .. } = self;
        let (span, workers) = (operator.span, operator.workers);
        let Frame { inverse, nothing, coarse, held, .. } = &mut self.pieces[index];
        let inverse: &[[Point; 3]] = if nothing.is_empty() { inverse } else { nothing };
        let (r, z, d) = (
            &mut residual[span.clone()],
            &mut preconditioned[span.clone()],
            &mut moved[span.clone()],
        );
        d.fill([0.0; 4]);
        let columns = (&mut *d, &mut *r, &mut *z, coarse.leaves());
        let mut sums = advance(workers, 0.0, span, columns, (direction, image, inverse, held));
        *acts += sums.square;
        let enough = f64::from(share * share);
        let mut rz = sums.product + coarse.answer(r);
        let mut beta = 0.0;
        for count in 0..most {
            let done = count >= least && sums.square <= enough * *acts;
            if done || rz <= 0.0 || rz.is_nan() {
                break;
            }
            self.iterations += 1;
            follow(workers, beta, span, direction, z, coarse);
            let curvature = operator.multiply(direction, slots, &mut image[span.clone()]);
            // rounding has made the direction worthless
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let alpha = (rz / curvature) as f32;
            let columns = (&mut *d, &mut *r, &mut *z, coarse.leaves());
            sums = advance(workers, alpha, span, columns, (direction, image, inverse, held));
            let next = sums.product + coarse.answer(r);
            beta = (next / rz) as f32;
            rz = next;
        }
        sums.square
    }

    /// As [`iterate`](Self::iterate), by Broyden's method from J₀ = M/h² on. Where it diverges d is what was best.
    fn iterate_broyden(
        &mut self,
        index: usize,
        operator: &Operator<'_>,
        most: u32,
        share: f32,
        acts: &mut f64,
    ) -> f64 {
        let Self { slots, residual, direction, image, moved, .. } = self;
        let (span, held) = (operator.span, &self.pieces[index].held);
        let (first, r) = (residual[span.clone()].to_vec(), &mut residual[span.clone()]);
        let free: Vec<usize> = (0..span.len()).filter(|&k| !held[k]).collect();
        *acts += free.iter().map(|&k| f64::from(vector(first[k]).length_squared())).sum::<f64>();
        let enough = f64::from(share * share) * *acts;
        let mass = |k: usize| f64::from(operator.inv_h2 * operator.mass[span.start + k]);
        let inverse: Vec<f64> = free.iter().flat_map(|&k| [1.0 / mass(k); 3]).collect();
        let place = |d: &[f64], to: &mut [Point]| {
            to.fill([0.0; 4]);
            for (d, &k) in d.chunks_exact(3).zip(&free) {
                to[k] = [d[0] as f32, d[1] as f32, d[2] as f32, 0.0];
            }
        };
        let mut unbalance = |d: &[f64], left: &mut [f64]| {
            place(d, &mut direction[span.clone()]);
            operator.multiply(direction, slots, &mut image[span.clone()]);
            for ((r, first), image) in r.iter_mut().zip(&first).zip(&image[span.clone()]) {
                *r = point(vector(*first) - vector(*image));
            }
            for (left, &k) in left.chunks_exact_mut(3).zip(&free) {
                left.copy_from_slice(&vector(r[k]).as_dvec3().to_array());
            }
        };
        let mut d = vec![0.0; inverse.len()];
        let Ended { left, iterations, .. } =
            broyden::solve(&mut d, &inverse, most, enough, &mut unbalance);
        // what is left at held particles is that of the best
        unbalance(&d, &mut vec![0.0; inverse.len()]);
        place(&d, &mut moved[span.clone()]);
        self.iterations += iterations;
        left
    }

    /// Solves (M/h² + K) u = b for a piece whose elements are as at rest, from the u of before on: `load` tells b in the frame of the piece,
    /// N, and `deviation` holds u of the body, m. What is held keeps its u, and what that takes stays in [`reaction`](Self::reaction).
    /// `floor` is the square of a force, N, beside which what is out of balance at a vertex counts for nothing.
    pub fn solve_deviation(
        &mut self,
        particles: &Particles,
        tets: &Tets,
        stars: &Stars,
        span: &Span,
        step: &Step,
        (most, share, floor): (u32, f32, f64),
        load: impl Fn(usize) -> Vec3,
        deviation: &mut [Point],
    ) -> Residual {
        let Ok(index) = self.index_of(span) else { return Residual::default() };
        let operator = Operator {
            tets,
            stars,
            gradient: &tets.gradient,
            swelling: None,
            mass: &particles.mass,
            span,
            inv_h2: 1.0 / (step.h * step.h),
            workers: workers_of(tets.of(span).len(), step),
        };
        let Self { slots, image, residual, .. } = self;
        operator.multiply(deviation, slots, &mut image[span.clone()]);
        let mut acts = floor * span.len() as f64;
        for j in span.clone() {
            let load = load(j);
            acts += f64::from(load.length_squared());
            residual[j] = point(load - vector(image[j]));
        }
        let left = match self.solver {
            TetSolver::Broyden => self.iterate_broyden(index, &operator, most, share, &mut acts),
            _ => self.iterate(index, &operator, [0, most], share, &mut acts),
        };
        for (u, d) in deviation[span.clone()].iter_mut().zip(&self.moved[span.clone()]) {
            *u = std::array::from_fn(|k| u[k] + d[k]);
        }
        for j in span.clone().filter(|&j| particles.held[j]) {
            acts += f64::from(vector(self.residual[j]).length_squared());
        }
        Residual::new(left, acts, span.len())
    }

    /// ∇Ψ = K u at the vertices of a piece whose elements are as at rest, in its frame.
    pub fn restore(
        &mut self,
        particles: &Particles,
        tets: &Tets,
        stars: &Stars,
        span: &Span,
        step: &Step,
        deviation: impl Fn(usize) -> Point,
    ) {
        let Self { slots, direction, force, .. } = self;
        for j in span.clone() {
            direction[j] = deviation(j);
        }
        let operator = Operator {
            tets,
            stars,
            gradient: &tets.gradient,
            swelling: None,
            mass: &particles.mass,
            span,
            inv_h2: 0.0,
            workers: workers_of(tets.of(span).len(), step),
        };
        operator.multiply(direction, slots, &mut force[span.clone()]);
    }

    /// What holds a held particle after [`solve_deviation`](Self::solve_deviation), in the frame of the piece, N.
    pub fn reaction(&self, j: usize) -> Vec3 {
        -vector(self.residual[j])
    }

    /// z = (D + extra)⁻¹ r, in the world: for the solve with contacts, which adds the rigid motions of the piece with its contacts by
    /// itself. The coarse space knows no contacts; with it a block of 1 GPa flew through a wall, and puddings did not come to rest.
    pub fn precondition(
        &self,
        span: &Span,
        extra: &[f32],
        r: &[Vec3],
        z: &mut [Vec3],
        workers: &Workers,
    ) {
        let Ok(index) = self.index_of(span) else { return };
        let Frame { turn, inverse, blocks, .. } = &self.pieces[index];
        let turn = turn.to_mat3();
        let back = turn.transpose();
        workers.for_span(0..span.len(), z, &|range, z| {
            for (z, k) in z.iter_mut().zip(range) {
                let force = back * r[k];
                let own = match extra[k] {
                    0.0 => {
                        let [x, y, w] = inverse[k].map(vector);
                        force.x * x + force.y * y + force.z * w
                    }
                    stiffness => {
                        let block = blocks[k] + Sym3::from_diagonal(Vec3::splat(stiffness));
                        block.inverse().unwrap_or_default() * force
                    }
                };
                *z = turn * own;
            }
        });
    }
}

#[inline(always)]
fn sum_range<S: Simd>(simd: S, slots: &[Point], stars: &Stars, range: Span, force: &mut [Point]) {
    for (force, j) in force.iter_mut().zip(range) {
        sum_slots(simd, slots, stars.slots(j)).store_slice(force);
    }
}

type Advanced<'a> = (&'a mut [Point], &'a mut [Point], &'a mut [Point], Option<Leaves<'a>>);
type Given<'a> = (&'a [Point], &'a [Point], &'a [[Point; 3]], &'a [bool]);

/// d += α p, r −= α A p, z = D⁻¹ r, and Pᵀ r of the leaves.
fn advance(
    workers: &Workers,
    alpha: f32,
    span: &Span,
    columns: Advanced<'_>,
    (p, image, inverse, held): Given<'_>,
) -> Sums {
    let start = span.start;
    workers.fold_span(0..span.len(), columns, &|range, columns| {
        let theirs = start + range.start..start + range.end;
        let given = (&p[theirs.clone()], &image[theirs], &inverse[range.clone()], &held[range]);
        dispatch!(Level::new(), simd => advance_range(simd, alpha, columns, given))
    })
}

#[inline(always)]
fn advance_range<S: Simd>(
    simd: S,
    alpha: f32,
    (d, r, z, leaves): Advanced<'_>,
    (p, image, inverse, held): Given<'_>,
) -> Sums {
    let zero = f32x4::splat(simd, 0.0);
    let (mut product, mut square) = (zero, zero);
    let alphas = f32x4::splat(simd, alpha);
    for k in 0..d.len() {
        if alpha != 0.0 {
            let way = f32x4::from_slice(simd, &p[k]) * alphas;
            (f32x4::from_slice(simd, &d[k]) + way).store_slice(&mut d[k]);
            let force = f32x4::from_slice(simd, &image[k]) * alphas;
            (f32x4::from_slice(simd, &r[k]) - force).store_slice(&mut r[k]);
        }
        let [x, y, w, _] = r[k];
        let [a, b, c] = &inverse[k];
        let answer = f32x4::from_slice(simd, a) * f32x4::splat(simd, x)
            + f32x4::from_slice(simd, b) * f32x4::splat(simd, y)
            + f32x4::from_slice(simd, c) * f32x4::splat(simd, w);
        answer.store_slice(&mut z[k]);
        let left = f32x4::from_slice(simd, &r[k]);
        product += left * answer;
        if !held[k] {
            square += left * left;
        }
    }
    if let Some(leaves) = leaves {
        leaves.restrict(simd, r);
    }
    Sums { product: sum_of_four(product), square: sum_of_four(square) }
}

/// p = z + P y + β p.
fn follow(
    workers: &Workers,
    beta: f32,
    span: &Span,
    p: &mut [Point],
    z: &[Point],
    coarse: &Coarse,
) {
    workers.for_span(0..span.len(), &mut p[span.clone()], &|range, p| {
        dispatch!(Level::new(), simd => follow_range(simd, beta, range, p, z, coarse));
    });
}

#[inline(always)]
fn follow_range<S: Simd>(
    simd: S,
    beta: f32,
    range: Span,
    p: &mut [Point],
    z: &[Point],
    coarse: &Coarse,
) {
    let betas = f32x4::splat(simd, beta);
    for (p, k) in p.iter_mut().zip(range) {
        let mut sum = f32x4::from_slice(simd, &z[k]) + coarse.motion(simd, k);
        if beta != 0.0 {
            sum += f32x4::from_slice(simd, p) * betas;
        }
        sum.store_slice(p);
    }
}
