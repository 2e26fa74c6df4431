//! The motion of a piece as a whole: sums over its particles, in f64.

use super::particles::{Particles, is_isotropic};
use crate::math::{Rot, Sym3, ops, symmetric_eigen};
use crate::parallel::{Span, Workers};
use glam::{DMat3, DVec3, Vec3};

/// Mass, momentum and angular momentum of a piece, and the rigid motion that has them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// M, in kg.
    pub mass: f64,
    /// Centre of mass in the piece's frame, in m.
    pub centre: DVec3,
    /// P = Σ m v, in kg m/s.
    pub momentum: DVec3,
    /// L = Σ (J w + m r × v) about the centre of mass, in kg m²/s (000 sec. 3.3).
    pub angular: DVec3,
    /// Composite inertia H = Σ (J + m (r·r I − r rᵀ)), in kg m² (000 sec. 3.3).
    pub inertia: DMat3,
    /// Inverse of H, or 0 where there is nothing to turn.
    pub inv_inertia: DMat3,
    /// Σ ½ m v² + ½ w·J w, in J.
    pub kinetic: f64,
}

/// Sums of masses about the frame's origin: additive, unlike [`Motion`].
#[derive(Clone, Copy)]
struct Masses {
    mass: f64,
    first: DVec3,
    /// xx, yy, zz and xy, yz, zx of Σ m x xᵀ.
    second: (DVec3, DVec3),
    own_inertia: DMat3,
    own_isotropic: f64,
}

impl std::ops::Add for Masses {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self {
            mass: self.mass + b.mass,
            first: self.first + b.first,
            second: (self.second.0 + b.second.0, self.second.1 + b.second.1),
            own_inertia: self.own_inertia + b.own_inertia,
            own_isotropic: self.own_isotropic + b.own_isotropic,
        }
    }
}

/// Sums of velocities about the frame's origin.
#[derive(Clone, Copy)]
struct Momenta {
    linear: DVec3,
    angular: DVec3,
    kinetic: f64,
}

impl std::ops::Add for Momenta {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self {
            linear: self.linear + b.linear,
            angular: self.angular + b.angular,
            kinetic: self.kinetic + b.kinetic,
        }
    }
}

/// World inertia of particle `j` that is not a multiple of the identity.
fn turned_inertia(particles: &Particles, j: usize) -> DMat3 {
    let r = particles.orientation[j].to_mat3().as_dmat3();
    r * particles.inertia[j].to_mat3().as_dmat3() * r.transpose()
}

impl Motion {
    /// Of the particles of `span`, with `position` (current or previous) and their velocities.
    pub fn of(particles: &Particles, position: &[Vec3], span: Span, workers: &Workers) -> Self {
        let sums = workers.sum(span.clone(), &|leaf: Span| masses(particles, position, leaf));
        let centre = sums.first / sums.mass;
        let (square, mixed) = sums.second;
        let c = sums.mass * centre;
        let square = square - c * centre;
        let mixed = mixed - c * DVec3::new(centre.y, centre.z, centre.x);
        let trace = square.x + square.y + square.z;
        let inertia = DMat3::from_cols(
            DVec3::new(trace - square.x, -mixed.x, -mixed.z),
            DVec3::new(-mixed.x, trace - square.y, -mixed.y),
            DVec3::new(-mixed.z, -mixed.y, trace - square.z),
        ) + sums.own_inertia
            + DMat3::from_diagonal(DVec3::splat(sums.own_isotropic));
        // points on a line do not turn about it, and a single one not at all: a trace of inertia
        // about every axis keeps the inverse finite where there is no angular momentum anyway
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let padded = inertia + DMat3::from_diagonal(DVec3::splat(1e-9 * trace));
        let inv_inertia = if trace > 0.0 { padded.inverse() } else { DMat3::ZERO };
        let shape = Self { mass: sums.mass, centre, inertia, inv_inertia, ..Self::default() };
        shape.with_velocities(particles, position, span, workers)
    }

    /// The same places with the velocities as they are now.
    pub fn with_velocities(
        &self,
        particles: &Particles,
        position: &[Vec3],
        span: Span,
        workers: &Workers,
    ) -> Self {
        let sums = workers.sum(span, &|leaf: Span| momenta(particles, position, leaf));
        Self {
            momentum: sums.linear,
            angular: sums.angular - self.centre.cross(sums.linear),
            kinetic: sums.kinetic,
            ..*self
        }
    }

    /// The same places without motion.
    pub fn at_rest(&self) -> Self {
        let (momentum, angular) = (DVec3::ZERO, DVec3::ZERO);
        Self { momentum, angular, kinetic: 0.0, ..*self }
    }

    /// P / M.
    pub fn velocity(&self) -> DVec3 {
        self.momentum / self.mass
    }

    /// H⁻¹ L.
    pub fn spin(&self) -> DVec3 {
        self.inv_inertia * self.angular
    }

    /// Kinetic energy of the rigid motion with this momentum and angular momentum, in J.
    pub fn rigid_energy(&self) -> f64 {
        0.5 * (self.momentum.dot(self.velocity()) + self.angular.dot(self.spin()))
    }
}

fn masses(particles: &Particles, position: &[Vec3], leaf: Span) -> Masses {
    let mut s = Masses {
        mass: 0.0,
        first: DVec3::ZERO,
        second: (DVec3::ZERO, DVec3::ZERO),
        own_inertia: DMat3::ZERO,
        own_isotropic: 0.0,
    };
    for j in leaf {
        let m = f64::from(particles.mass[j]);
        let x = position[j].as_dvec3();
        let mx = m * x;
        s.mass += m;
        s.first += mx;
        s.second.0 += mx * x;
        s.second.1 += mx * DVec3::new(x.y, x.z, x.x);
        if particles.oriented() {
            if is_isotropic(&particles.inertia[j]) {
                s.own_isotropic += f64::from(particles.inertia[j].xx);
            } else {
                s.own_inertia += turned_inertia(particles, j);
            }
        }
    }
    s
}

fn momenta(particles: &Particles, position: &[Vec3], leaf: Span) -> Momenta {
    let mut s = Momenta { linear: DVec3::ZERO, angular: DVec3::ZERO, kinetic: 0.0 };
    for j in leaf {
        let v = particles.velocity[j].as_dvec3();
        let p = f64::from(particles.mass[j]) * v;
        s.linear += p;
        s.angular += position[j].as_dvec3().cross(p);
        s.kinetic += 0.5 * p.dot(v);
        if particles.oriented() {
            let w = particles.spin[j].as_dvec3();
            let l = if is_isotropic(&particles.inertia[j]) {
                f64::from(particles.inertia[j].xx) * w
            } else {
                turned_inertia(particles, j) * w
            };
            s.angular += l;
            s.kinetic += 0.5 * l.dot(w);
        }
    }
    s
}

/// Adds the rigid motion (shift and turn about `centre`) to every particle's velocity and spin
/// deviation scaled by `keep`:
///
/// ```text
/// v ← V + Ω × r + keep (v − V₀ − Ω₀ × r),   w ← Ω + keep (w − Ω₀)
/// ```
///
/// The deviations carry neither momentum nor angular momentum, so both are those of V and Ω,
/// exactly, whatever `keep` is: this is the velocity correction of 000 sec. 3.3 with the energy
/// guard of erratum 000.12 and damping in one.
pub fn replace_rigid_motion(
    particles: &mut Particles,
    span: Span,
    solved: &Motion,
    wanted: &Motion,
    keep: f64,
    workers: &Workers,
) {
    let (v0, w0) = (solved.velocity(), solved.spin());
    let (v1, w1) = (wanted.velocity(), solved.inv_inertia * wanted.angular);
    let shift = v1 - keep * v0;
    let turn = w1 - keep * w0;
    let centre = solved.centre;
    let Particles { velocity, spin, position, mass, remainder, .. } = particles;
    let position = &*position;
    let wanted = |j: usize, v: Vec3| {
        let r = position[j].as_dvec3() - centre;
        keep * v.as_dvec3() + shift + turn.cross(r)
    };
    let column = &mut velocity[span.clone()];
    if remainder.is_empty() {
        workers.for_span(span.clone(), column, &|range, velocity| {
            for (v, j) in velocity.iter_mut().zip(range) {
                *v = wanted(j, *v).as_vec3();
            }
        });
    } else {
        // what rounding takes of the momentum of one the next is given: else it would walk away, 2e-6 in 600 frames
        workers.fold_span(span.clone(), column, &|leaf, velocity| {
            let mut owed = DVec3::ZERO;
            for (v, j) in velocity.iter_mut().zip(leaf) {
                let m = f64::from(mass[j]);
                let all = wanted(j, *v) + owed / m;
                *v = all.as_vec3();
                owed = m * (all - v.as_dvec3());
            }
            0.0
        });
    }
    if !spin.is_empty() {
        for w in &mut spin[span] {
            *w = (keep * w.as_dvec3() + turn).as_vec3();
        }
    }
}

/// How a piece turns freely within a substep, and the force per mass that its spin is in a frame that turns with it:
///
/// ```text
/// Ω⁺ = R H⁻¹ Rᵀ L,   Ω' = −R H⁻¹ Rᵀ (Ω⁺ × L),   a = −Ω⁺ × (Ω⁺ × R r) − Ω' × R r
/// ```
///
/// These forces have no sum and no torque.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turning {
    /// R.
    pub turned: DMat3,
    /// R H⁻¹ Rᵀ.
    pub inv_inertia: DMat3,
    /// Ω⁺, in rad/s.
    pub spin: DVec3,
    rate: DVec3,
}

impl Turning {
    pub fn new(motion: &Motion, h: f64) -> Self {
        let turned = free_turn(motion, h);
        let inv_inertia = turned * motion.inv_inertia * turned.transpose();
        let spin = inv_inertia * motion.angular;
        Self { turned, inv_inertia, spin, rate: -(inv_inertia * spin.cross(motion.angular)) }
    }

    /// a where the arm from the centre of mass is R r.
    pub fn force(&self, arm: DVec3) -> DVec3 {
        -self.spin.cross(self.spin.cross(arm)) - self.rate.cross(arm)
    }
}

/// The rotation of a free solid of constant L. Its energy is that of a symmetric top, which turns by
///
/// ```text
/// R = exp(h L/I) exp(h (1/I₁ − 1/I) l₁ e₁),   1/I = ½ (1/I₂ + 1/I₃)
/// ```
///
/// exactly, and ¼ (1/I₂ − 1/I₃) (l₂² − l₃²), half of it before and half after (Touma and Wisdom, *Lie–Poisson integrators for rigid
/// body dynamics in the solar system*, 1994). So neither energy drifts, nor L along the axis of a rod, about which next to nothing is a fast spin: with the
/// spin at the middle of the substep a rod of glass burst within 8 frames.
fn free_turn(motion: &Motion, h: f64) -> DMat3 {
    let Motion { inertia, angular, .. } = *motion;
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if !(trace > 0.0 && trace.is_finite()) {
        return DMat3::IDENTITY;
    }
    let (_, axes) = symmetric_eigen(&Sym3::from_mat3(&(inertia * (1.0 / trace)).as_mat3()));
    let DMat3 { x_axis: a, y_axis: b, z_axis: c } = Rot::from_mat3(&axes).to_dmat3();
    // as [`Motion::inv_inertia`] is
    let inverse = |e: DVec3| 1.0 / (e.dot(inertia * e) + 1e-9 * trace);
    // the first stands alone
    let (a, b, c) =
        if inverse(b) - inverse(a) < inverse(c) - inverse(b) { (c, a, b) } else { (a, b, c) };
    let mean = 0.5 * (inverse(b) + inverse(c));
    let rest = 0.25 * (inverse(b) - inverse(c)) * h;
    let start = DMat3::from_cols(a, b, c);
    let about = |frame: DMat3, axis: usize, share: f64| {
        let e = frame.col(axis);
        turned_by(share * e.dot(angular) * e) * frame
    };
    let mut frame = about(about(start, 1, rest), 2, -rest);
    frame = turned_by(h * mean * angular) * about(frame, 0, h * (inverse(a) - mean));
    frame = about(about(frame, 2, -rest), 1, rest);
    frame * start.transpose()
}

/// The matrix of a turn by a rotation vector, in f64.
fn turned_by(v: DVec3) -> DMat3 {
    let angle = v.length();
    let half = 0.5 * angle;
    let (once, twice) = if angle > 1e-8 {
        let sine = ops::sin_f64(half) / half;
        (ops::sin_f64(angle) / angle, 0.5 * sine * sine)
    } else {
        (1.0, 0.5)
    };
    let column = |e: DVec3| e + once * v.cross(e) + twice * v.cross(v.cross(e));
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}

/// Moves a piece on as it was at the start of the substep, without deforming: x = c + h V + R (x_n − c).
pub fn carry_rigidly(particles: &mut Particles, span: Span, motion: &Motion, h: f32) {
    let (centre, shift) = (motion.centre.as_vec3(), h * motion.velocity().as_vec3());
    let turn = Rot::exp(h * motion.spin().as_vec3());
    let (precise, turned) = (!particles.remainder.is_empty(), turn.to_dmat3());
    for j in span {
        let place = if precise {
            let arm = particles.previous_place(j) - motion.centre;
            motion.centre + shift.as_dvec3() + turned * arm
        } else {
            (centre + shift + turn * (particles.previous[j] - centre)).as_dvec3()
        };
        particles.set_place(j, place);
        particles.correction[j] = (place - particles.inertial_place(j)).as_vec3();
        if particles.oriented() {
            particles.orientation[j] = (turn * particles.previous_orientation[j]).normalized();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Rot, Sym3};
    use crate::solids::NewParticle;

    fn cloud() -> Particles {
        let mut particles = Particles::default();
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state as f32 / u32::MAX as f32 - 0.5
        };
        for _ in 0..50 {
            let inertia = Sym3 { xx: 0.3, yy: 0.2, zz: 0.25, xy: 0.02, yz: -0.01, zx: 0.03 };
            particles.push(NewParticle {
                rest: Vec3::new(next(), next(), next()),
                mass: 1.0 + next(),
                inertia: Some(inertia),
                radii: [0.1; 3],
                axes: Rot::IDENTITY,
                friction: [0.0; 2],
                restitution: 0.0,
                material: 0,
            });
        }
        for j in 0..50 {
            particles.velocity[j] = Vec3::new(next(), next(), next());
            particles.spin[j] = Vec3::new(next(), next(), next());
            particles.orientation[j] = Rot::exp(Vec3::new(next(), next(), next()));
        }
        particles
    }

    fn motion(particles: &Particles) -> Motion {
        Motion::of(particles, &particles.position, 0..particles.len(), &Workers::default())
    }

    /// 000 sec. 3.3: H_j of radii 1, ½, ¼ and mass 2 is diag(.125, .425, .5) (oracle 000.10),
    /// and a lone particle's composite inertia is its own.
    #[test]
    fn inertia_of_one_ellipsoid_is_its_own() {
        let mut particles = Particles::default();
        particles.push(NewParticle {
            rest: Vec3::new(3.0, -2.0, 1.0),
            mass: 2.0,
            inertia: Some(Sym3 { xx: 0.125, yy: 0.425, zz: 0.5, ..Sym3::default() }),
            radii: [1.0, 0.5, 0.25],
            axes: Rot::IDENTITY,
            friction: [0.0; 2],
            restitution: 0.0,
            material: 0,
        });
        let inertia = motion(&particles).inertia;
        let expected = DMat3::from_diagonal(DVec3::new(0.125, 0.425, 0.5));
        assert!((inertia - expected).abs_diff_eq(DMat3::ZERO, 1e-6));
    }

    /// Erratum 000.10 and .12: the correction sets P and L exactly, and its energy is that of
    /// the rigid motion plus `keep`² of the deviations.
    #[test]
    fn replacing_the_rigid_motion_sets_momenta_and_keeps_deviations() {
        for keep in [1.0, 0.7, 0.0] {
            let mut particles = cloud();
            let solved = motion(&particles);
            let mut wanted = solved;
            wanted.momentum += DVec3::new(3.0, -1.0, 2.0);
            wanted.angular += DVec3::new(-0.5, 1.0, 0.25);
            let workers = Workers::default();
            replace_rigid_motion(&mut particles, 0..50, &solved, &wanted, keep, &workers);
            let after = motion(&particles);
            assert!(after.momentum.distance(wanted.momentum) < 1e-5);
            assert!(after.angular.distance(wanted.angular) < 1e-5);
            let deviations = solved.kinetic - solved.rigid_energy();
            let expected = wanted.rigid_energy() + keep * keep * deviations;
            assert!((after.kinetic - expected).abs() < 1e-4 * expected, "keep {keep}");
        }
    }

    /// A solid of these moments, turned by R, with L.
    fn solid(moments: DVec3, turned: DMat3, angular: DVec3) -> Motion {
        let inertia = turned * DMat3::from_diagonal(moments) * turned.transpose();
        let inv_inertia = inertia.inverse();
        Motion { mass: 1.0, inertia, inv_inertia, angular, ..Motion::default() }
    }

    /// The same by many short substeps of dR/dt = Ω R, Ω = H⁻¹ L, each with the spin of its middle.
    fn turned_slowly(moments: DVec3, angular: DVec3, time: f64, count: usize) -> DMat3 {
        let h = time / count as f64;
        let mut turned = DMat3::IDENTITY;
        for _ in 0..count {
            let half = turned_by(0.5 * h * solid(moments, turned, angular).spin()) * turned;
            turned = turned_by(h * solid(moments, half, angular).spin()) * turned;
        }
        turned
    }

    /// Free rotation: a rod keeps its L along itself, no solid wins or loses energy over 10,000 substeps of a tenth of a radian, and the error of a tenth of a second
    /// falls with h².
    #[test]
    fn free_turns_keep_energy_and_converge() {
        let rod = DVec3::new(1.0, 1.0, 8e-4);
        let book = DVec3::new(3.0, 2.0, 1.2);
        for (moments, spin) in
            [(rod, DVec3::new(15.0, 0.0, 5.0)), (book, DVec3::new(3.0, 4.0, -2.0))]
        {
            let angular = moments * spin;
            let start = solid(moments, DMat3::IDENTITY, angular).rigid_energy();
            let h = 0.1 / spin.length();
            let mut turned = DMat3::IDENTITY;
            for _ in 0..10_000 {
                turned = free_turn(&solid(moments, turned, angular), h) * turned;
                let energy = solid(moments, turned, angular).rigid_energy();
                assert!((energy / start - 1.0).abs() < 3e-4, "{energy} J instead of {start} J");
            }
        }
        let angular = book * DVec3::new(3.0, 4.0, -2.0);
        let truth = turned_slowly(book, angular, 0.1, 20_000);
        let off = |count: usize| {
            let mut turned = DMat3::IDENTITY;
            for _ in 0..count {
                turned = free_turn(&solid(book, turned, angular), 0.1 / count as f64) * turned;
            }
            let apart = turned - truth;
            [apart.x_axis, apart.y_axis, apart.z_axis].map(DVec3::length).into_iter().sum::<f64>()
        };
        let [coarse, fine] = [off(4), off(8)];
        assert!(coarse < 1e-3 && fine < 0.3 * coarse, "{coarse} and {fine}");
    }

    /// In a frame that turns, spin is a force without a sum and without a torque.
    #[test]
    fn forces_of_a_spin_have_no_sum_and_no_torque() {
        let particles = cloud();
        let mut motion = motion(&particles);
        // of points alone
        motion.inertia = DMat3::ZERO;
        for j in 0..50 {
            let (m, r) = (f64::from(particles.mass[j]), particles.position[j].as_dvec3());
            let r = r - motion.centre;
            let outer = DMat3::from_cols(r.x * r, r.y * r, r.z * r);
            motion.inertia += m * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
        }
        motion.inv_inertia = motion.inertia.inverse();
        let turning = Turning::new(&motion, 0.1);
        let (mut sum, mut torque, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for j in 0..50 {
            let arm = turning.turned * (particles.position[j].as_dvec3() - motion.centre);
            let force = f64::from(particles.mass[j]) * turning.force(arm);
            sum += force;
            torque += arm.cross(force);
            size += force.length();
        }
        assert!(size > 1e-3 && sum.length() < 1e-9 * size, "{sum} of {size} N");
        assert!(torque.length() < 1e-9 * size, "{torque} of {size} N");
    }
}
