//! The columns that every model shares.

use crate::math::{Rot, Sym3};
use crate::parallel::Span;
use crate::world::ParticleId;
use glam::{DVec3, Vec3};

/// Instead of the index of a shape: others touch the ellipsoid.
pub const NO_SHAPE: u32 = u32::MAX;

/// Particles of one body, as columns. Positions are relative to the origin of their piece.
///
/// Orientations are relative to rest: all start at the identity, the goal orientation of a rigid
/// motion is its rotation, and an ellipsoid's axes are `orientation * axes`. A model without
/// orientations leaves every column of that kind empty.
///
/// Half a metre from the origin of a piece an f32 is told to 3e-8 m: in 1 cm a strain of 3e-6, which in glass is a tenth of what
/// it stands. Models whose strains are smaller than that [keep](Self::keep_remainders) what f32 leaves out of a position; x is the sum of both.
/// Of others those columns are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    // ---- constant ----
    /// Stable for life.
    pub id: Vec<ParticleId>,
    /// Number, in the shape that was spawned, of the fragment that it is or is a part of.
    pub number: Vec<u32>,
    /// Index into the body's shapes, or [`NO_SHAPE`]. Once it is broken, others touch that shape instead of
    /// the ellipsoid.
    pub shape: Vec<u32>,
    /// Position in the shape's frame, in m.
    pub rest: Vec<Vec3>,
    /// Mass, in kg; above 0.
    pub mass: Vec<f32>,
    /// Inertia about the own centre in the rest orientation, in kg m².
    pub inertia: Vec<Sym3>,
    /// Its inverse.
    pub inv_inertia: Vec<Sym3>,
    /// Radii of the ellipsoid that others touch, in m.
    pub radii: Vec<[f32; 3]>,
    /// Axes of that ellipsoid in the rest orientation.
    pub axes: Vec<Rot>,
    /// Coefficients of sliding and static friction.
    pub friction: Vec<[f32; 2]>,
    /// Coefficient of restitution.
    pub restitution: Vec<f32>,
    /// Index into the body's materials.
    pub material: Vec<u16>,

    // ---- state ----
    /// Where it is, in m; during the solve the unknown.
    pub position: Vec<Vec3>,
    /// What `position` leaves out, in m.
    pub remainder: Vec<Vec3>,
    /// Turned by this since rest.
    pub orientation: Vec<Rot>,
    /// In m/s; between predict and commit the velocity without constraint, v*.
    pub velocity: Vec<Vec3>,
    /// Rate of turning, in rad/s.
    pub spin: Vec<Vec3>,
    /// Factor on the strength of the material here, 0 to 1: what damage has left of it.
    pub strength: Vec<f32>,
    /// Whether it has lost a bond. Rigid solids never had any, and count as broken.
    pub broken: Vec<bool>,
    /// Whether contacts were looked for since it broke. Before, what it overlaps as a shape it did not run
    /// into, and is allowed to.
    pub shown: Vec<bool>,

    // ---- of the substep ----
    /// Position at its start.
    pub previous: Vec<Vec3>,
    /// What `previous` leaves out.
    pub previous_remainder: Vec<Vec3>,
    /// Orientation at its start.
    pub previous_orientation: Vec<Rot>,
    /// x* = x + h v*: where it would go if nothing held it.
    pub inertial: Vec<Vec3>,
    /// What `inertial` leaves out.
    pub inertial_remainder: Vec<Vec3>,
    /// q* = exp(h w*) q.
    pub inertial_orientation: Vec<Rot>,
    /// Acceleration by gravity and forces, in m/s²: x* − h² a is where the solve starts.
    pub acceleration: Vec<Vec3>,
    /// The same for turning, in rad/s².
    pub spin_acceleration: Vec<Vec3>,
    /// x − x*, kept as a small number of its own (erratum 000.19).
    pub correction: Vec<Vec3>,
    /// Turn from q to q*, as a rotation vector; from the commit on log(q q*⁻¹).
    pub turn: Vec<Vec3>,
    /// Moved by a grip: not an unknown of the solve.
    pub held: Vec<bool>,
}

/// One particle to add; see the columns of [`Particles`].
#[derive(Clone, Copy, Debug)]
pub struct NewParticle {
    /// Position in the shape's frame, in m.
    pub rest: Vec3,
    /// Mass, in kg.
    pub mass: f32,
    /// Inertia in the rest orientation, in kg m²; `None` for a particle without orientation.
    pub inertia: Option<Sym3>,
    /// Radii of the ellipsoid that others touch, in m.
    pub radii: [f32; 3],
    /// Axes of that ellipsoid.
    pub axes: Rot,
    /// Coefficients of sliding and static friction.
    pub friction: [f32; 2],
    /// Coefficient of restitution.
    pub restitution: f32,
    /// Index into the body's materials.
    pub material: u16,
}

/// Calls a macro with every column, so that no list of them can forget one.
macro_rules! for_each_column {
    ($call:ident, $target:expr) => {
        $call!(
            $target; id, number, shape, rest, mass, inertia, inv_inertia, radii, axes, friction, restitution, material,
            position, remainder, orientation, velocity, spin, strength, broken, shown, previous, previous_remainder,
            previous_orientation, inertial, inertial_remainder, inertial_orientation, acceleration, spin_acceleration, correction, turn, held
        )
    };
}
pub(super) use for_each_column;

impl Particles {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// Whether these particles have orientations.
    pub fn oriented(&self) -> bool {
        !self.orientation.is_empty()
    }

    /// From now on positions are kept with what f32 leaves out of them.
    pub fn keep_remainders(&mut self) {
        let count = self.len();
        for column in
            [&mut self.remainder, &mut self.previous_remainder, &mut self.inertial_remainder]
        {
            column.resize(count, Vec3::ZERO);
        }
    }

    /// Where particle `j` is, relative to the origin of its piece, in m.
    #[inline(always)]
    pub fn place(&self, j: usize) -> DVec3 {
        whole(&self.position, &self.remainder, j)
    }

    /// The same at the start of the substep.
    #[inline(always)]
    pub fn previous_place(&self, j: usize) -> DVec3 {
        whole(&self.previous, &self.previous_remainder, j)
    }

    /// x* of particle `j`.
    #[inline(always)]
    pub fn inertial_place(&self, j: usize) -> DVec3 {
        whole(&self.inertial, &self.inertial_remainder, j)
    }

    /// Puts particle `j` there, with what f32 leaves out if that is kept.
    #[inline(always)]
    pub fn set_place(&mut self, j: usize, x: DVec3) {
        split(x, j, &mut self.position, &mut self.remainder);
    }

    /// The same for x*.
    #[inline(always)]
    pub fn set_inertial_place(&mut self, j: usize, x: DVec3) {
        split(x, j, &mut self.inertial, &mut self.inertial_remainder);
    }

    /// The same for the start of the substep.
    pub(crate) fn set_previous_place(&mut self, j: usize, x: DVec3) {
        split(x, j, &mut self.previous, &mut self.previous_remainder);
    }

    /// The start of the substep of particle `j` is where it is now.
    #[inline(always)]
    pub fn remember_place(&mut self, j: usize) {
        self.previous[j] = self.position[j];
        if let Some(remainder) = self.remainder.get(j) {
            self.previous_remainder[j] = *remainder;
        }
    }

    /// Puts particle `j` back there.
    pub fn return_to_previous_place(&mut self, j: usize) {
        self.position[j] = self.previous[j];
        if let Some(remainder) = self.previous_remainder.get(j) {
            self.remainder[j] = *remainder;
        }
    }

    /// Adds one at rest, in the shape's frame; the world gives it its id when it spawns the body.
    pub fn push(&mut self, new: NewParticle) {
        self.id.push(ParticleId(u64::MAX));
        self.number.push(self.number.len() as u32);
        self.shape.push(NO_SHAPE);
        self.rest.push(new.rest);
        self.mass.push(new.mass);
        self.radii.push(new.radii);
        self.axes.push(new.axes);
        self.friction.push(new.friction);
        self.restitution.push(new.restitution);
        self.material.push(new.material);
        self.position.push(new.rest);
        self.velocity.push(Vec3::ZERO);
        self.strength.push(1.0);
        self.broken.push(false);
        self.shown.push(false);
        self.previous.push(new.rest);
        self.inertial.push(new.rest);
        self.acceleration.push(Vec3::ZERO);
        self.correction.push(Vec3::ZERO);
        self.held.push(false);
        if let Some(inertia) = new.inertia {
            self.inertia.push(inertia);
            self.inv_inertia.push(inertia.inverse().unwrap_or_default());
            self.orientation.push(Rot::IDENTITY);
            self.spin.push(Vec3::ZERO);
            self.previous_orientation.push(Rot::IDENTITY);
            self.inertial_orientation.push(Rot::IDENTITY);
            self.spin_acceleration.push(Vec3::ZERO);
            self.turn.push(Vec3::ZERO);
        }
    }

    /// Adds one that is as particle `j` is now, but for its id.
    pub fn push_copy(&mut self, j: usize, id: ParticleId) {
        macro_rules! push_all {
            ($target:expr; $($column:ident),+) => {$(
                if let Some(&value) = $target.$column.get(j) {
                    $target.$column.push(value);
                }
            )+};
        }
        for_each_column!(push_all, self);
        if let Some(last) = self.id.last_mut() {
            *last = id;
        }
    }

    /// The shape that others touch of particle `i`, as an index into the body's; none if that is its
    /// ellipsoid.
    #[inline(always)]
    pub fn touched_shape(&self, i: usize) -> Option<usize> {
        (self.broken[i] && self.shape[i] != NO_SHAPE).then_some(self.shape[i] as usize)
    }

    /// World inertia times a vector: Q J̄ Qᵀ v.
    #[inline(always)]
    pub fn inertia_times(&self, i: usize, v: Vec3) -> Vec3 {
        conjugate_times(&self.inertia[i], self.orientation[i], v)
    }

    /// Inverse world inertia times a vector.
    #[inline(always)]
    pub fn inv_inertia_times(&self, i: usize, v: Vec3) -> Vec3 {
        conjugate_times(&self.inv_inertia[i], self.orientation[i], v)
    }

    /// Puts element `order[k]` of every column at place `span.start + k`; an order of the span.
    ///
    /// `scratch` is where some are kept meanwhile; it grows to the longest call.
    pub fn permute(&mut self, span: Span, order: &[u32], scratch: &mut Particles) {
        let moves = Moves::new(span, order);
        macro_rules! permute_all {
            ($target:expr; $($column:ident),+) => {$(
                moves.permute(&mut $target.$column, &mut scratch.$column);
            )+};
        }
        for_each_column!(permute_all, self);
    }

    /// Keeps the first `count` of every column.
    pub fn truncate(&mut self, count: usize) {
        macro_rules! truncate_all {
            ($target:expr; $($column:ident),+) => {$( $target.$column.truncate(count); )+};
        }
        for_each_column!(truncate_all, self);
    }

    /// Area of the shadow that the ellipsoid of particle `i` throws along a unit vector n in the
    /// world, in m²: with n₁, n₂, n₃ along its axes
    ///
    /// ```text
    /// A = π √( (r₂ r₃ n₁)² + (r₃ r₁ n₂)² + (r₁ r₂ n₃)² )
    /// ```
    pub fn cross_section(&self, i: usize, n: Vec3) -> f64 {
        let axes = match self.orientation.get(i) {
            Some(&q) => q * self.axes[i],
            None => self.axes[i],
        };
        let n = (axes.inverse() * n).as_dvec3();
        let [a, b, c] = self.radii[i].map(f64::from);
        std::f64::consts::PI * (n * DVec3::new(b * c, c * a, a * b)).length()
    }
}

/// An order of the particles of a span, without those at its ends that stay.
pub(crate) struct Moves<'a> {
    span: Span,
    order: &'a [u32],
    /// How many at the start keep their order among each other, and so only move down.
    falling: usize,
}

impl<'a> Moves<'a> {
    /// Particle `order[k]` becomes particle `span.start + k`.
    pub fn new(span: Span, order: &'a [u32]) -> Self {
        let stays = |&(place, &from): &(usize, &u32)| place == from as usize;
        let before = span.clone().zip(order).take_while(stays).count();
        let after = span.clone().zip(order).skip(before).rev().take_while(stays).count();
        let order = &order[before..order.len() - after];
        let falls = order.windows(2).take_while(|pair| pair[0] < pair[1]).count();
        let falling = order.len().min(falls + 1);
        Self { span: span.start + before..span.end - after, order, falling }
    }

    /// Moves the elements of a column; an empty one stays empty. `scratch` is where some are kept
    /// meanwhile.
    pub fn permute<T: Copy>(&self, column: &mut [T], scratch: &mut Vec<T>) {
        if column.is_empty() {
            return;
        }
        let (falling, others) = self.order.split_at(self.falling);
        scratch.clear();
        scratch.extend(others.iter().map(|&from| column[from as usize]));
        // none is written over before it has moved
        for (to, &from) in self.span.clone().zip(falling) {
            column[to] = column[from as usize];
        }
        column[self.span.start + self.falling..self.span.end].copy_from_slice(scratch);
    }
}

/// A number and what f32 leaves out of it.
#[inline(always)]
pub(crate) fn whole(column: &[Vec3], remainder: &[Vec3], j: usize) -> DVec3 {
    let x = column[j].as_dvec3();
    remainder.get(j).map_or(x, |rest| x + rest.as_dvec3())
}

#[inline(always)]
pub(crate) fn split(x: DVec3, j: usize, column: &mut [Vec3], remainder: &mut [Vec3]) {
    let rounded = x.as_vec3();
    column[j] = rounded;
    if let Some(rest) = remainder.get_mut(j) {
        *rest = (x - rounded.as_dvec3()).as_vec3();
    }
}

/// Whether a matrix is a multiple of the identity, so that turning it changes nothing.
#[inline(always)]
pub(crate) fn is_isotropic(a: &Sym3) -> bool {
    a.xx == a.yy && a.yy == a.zz && a.xy == 0.0 && a.yz == 0.0 && a.zx == 0.0
}

/// Q A Qᵀ v, without the products of matrices where A is a multiple of the identity.
#[inline(always)]
fn conjugate_times(a: &Sym3, q: Rot, v: Vec3) -> Vec3 {
    if is_isotropic(a) { a.xx * v } else { q * a.mul_vec(q.inverse() * v) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Particles {
        let mut particles = Particles::default();
        particles.push(NewParticle {
            rest: Vec3::ZERO,
            mass: 1.0,
            inertia: None,
            radii: [0.1; 3],
            axes: Rot::IDENTITY,
            friction: [0.0; 2],
            restitution: 0.0,
            material: 0,
        });
        particles
    }

    /// A thousand steps of 1e-9 m half a metre out are a micrometre with remainders, and nothing without.
    #[test]
    fn remainders_keep_what_f32_leaves_out() {
        for (precise, wanted) in [(true, 1e-6), (false, 0.0)] {
            let mut particles = one();
            if precise {
                particles.keep_remainders();
            }
            particles.set_place(0, DVec3::splat(0.5));
            for _ in 0..1000 {
                particles.set_place(0, particles.place(0) + DVec3::splat(1e-9));
            }
            let way = particles.place(0).x - 0.5;
            assert!((way - wanted).abs() < 1e-11, "{way} m instead of {wanted} m");
        }
    }
}
