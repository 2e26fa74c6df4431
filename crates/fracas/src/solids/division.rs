//! A fragment in parts: how its mass and motion go over to them.
//!
//! ```text
//! m_i = m V_i/V,   x_i = x + Q c_i,   v_i = v + ω × Q c_i,   ω_i = ω,   Q_i = Q
//! ```
//!
//! with c_i from the centre of the fragment to that of part i. The parts fill a solid that has the fragment's own
//! moments, so that mass, centre, momentum, angular momentum and inertia are the same before and after.

use super::particles::{Particles, for_each_column};
use crate::geometry::{Convex, Measure};
use crate::math::{Rot, Sym3, ops, symmetric_eigen};
use crate::world::ParticleId;
use glam::{DMat3, DVec3};

/// Least radius of the ellipsoid of a part over the side of a cube of its volume.
const LEAST_RADIUS: f32 = 0.1;

/// A part of a fragment.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Where it is, about the centre of the fragment and in the fragment's rest orientation, in m.
    pub cell: Convex,
    /// Volume, centre and second moment of the cell.
    pub measure: Measure,
    /// Radii of an ellipsoid with its volume and the ratios of its moments, in m.
    pub radii: [f32; 3],
    /// Axes of that ellipsoid.
    pub axes: Rot,
}

/// Two parts that stay joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joined {
    /// Indices of the parts.
    pub parts: [usize; 2],
    /// Area that they share, in m².
    pub area: f32,
}

/// A fragment and the parts that take its place. The first stands where it stood in the columns, the others
/// at their end.
#[derive(Clone, Copy, Debug)]
pub struct Division<'a> {
    /// Index of the particle.
    pub particle: usize,
    /// Two at least; together they have the moments of the fragment.
    pub parts: &'a [Part],
    /// Those of them that stay joined, each pair once.
    pub joined: &'a [Joined],
    /// Id of the first part; those of the others follow.
    pub first_id: ParticleId,
    /// Index of its shape among those of the body; likewise.
    pub first_shape: u32,
}

impl Part {
    /// Measures a cell. Half axes of an ellipsoid with the covariance λ are √(5 λ).
    pub fn new(cell: Convex) -> Self {
        let measure = cell.measure();
        let moment = measure.second_moment;
        let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
        let (values, vectors) =
            symmetric_eigen(&Sym3::from_mat3(&(moment * (1.0 / trace)).as_mat3()));
        let side = ops::cbrt(measure.volume as f32);
        let half = values.map(|value| value.max(0.0).sqrt());
        // 4/3 π s³ a b c = V
        let ball = 4.0 / 3.0 * std::f32::consts::PI * half[0] * half[1] * half[2];
        let scale = if ball > 0.0 { side / ops::cbrt(ball) } else { 0.0 };
        let radii = half.map(|half| (scale * half).clamp(LEAST_RADIUS * side, 10.0 * side));
        Self { cell, measure, radii, axes: Rot::from_mat3(&vectors).normalized() }
    }
}

impl Division<'_> {
    /// Where part `k` stands in columns that had `count` particles before.
    pub fn place(&self, k: usize, count: usize) -> usize {
        if k == 0 { self.particle } else { count + k - 1 }
    }

    /// Volume of all parts, in m³.
    pub fn volume(&self) -> f64 {
        self.parts.iter().map(|part| part.measure.volume).sum()
    }

    /// Second moment of the mass of part `k` about its own centre, of a fragment of this mass, in kg m².
    pub fn moment(&self, k: usize, mass: f64) -> Sym3 {
        let moment = self.parts[k].measure.second_moment * (mass / self.volume());
        Sym3::from_mat3(&moment.as_mat3())
    }
}

/// ∫ρ r rᵀ dV of a particle about its centre, from its inertia H: ½ tr(H) I − H, in kg m².
pub fn mass_moment(inertia: &Sym3) -> DMat3 {
    let h = [inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.yz, inertia.zx];
    let [xx, yy, zz, xy, yz, zx] = h.map(f64::from);
    let half = 0.5 * (xx + yy + zz);
    let column = |x, y, z| DVec3::new(x, y, z);
    DMat3::from_cols(
        column(half - xx, -xy, -zx),
        column(-xy, half - yy, -yz),
        column(-zx, -yz, half - zz),
    )
}

impl Particles {
    /// Takes room for so many in all.
    pub fn reserve(&mut self, count: usize) {
        macro_rules! reserve_all {
            ($target:expr; $($column:ident),+) => {$(
                let column = &mut $target.$column;
                column.reserve(count.saturating_sub(column.len()));
            )+};
        }
        for_each_column!(reserve_all, self);
    }

    /// Puts parts in the place of a particle with an orientation.
    pub fn divide(&mut self, division: &Division<'_>) {
        let (j, count) = (division.particle, self.len());
        macro_rules! repeat_all {
            ($target:expr; $($column:ident),+) => {$(
                if let Some(&value) = $target.$column.get(j) {
                    $target.$column.extend(std::iter::repeat_n(value, division.parts.len() - 1));
                }
            )+};
        }
        for_each_column!(repeat_all, self);
        let (rest, position, velocity) = (self.rest[j], self.position[j], self.velocity[j]);
        let (q, spin) = (self.orientation[j], self.spin[j]);
        let (mass, volume) = (f64::from(self.mass[j]), division.volume());
        for (k, part) in division.parts.iter().enumerate() {
            let i = division.place(k, count);
            let centre = part.measure.centre.as_vec3();
            let arm = q * centre;
            let moment = division.moment(k, mass);
            self.id[i] = ParticleId(division.first_id.0 + k as u64);
            self.shape[i] = division.first_shape + k as u32;
            self.rest[i] = rest + centre;
            self.mass[i] = (mass * part.measure.volume / volume) as f32;
            self.inertia[i] = inertia_of(moment);
            self.inv_inertia[i] = self.inertia[i].inverse().unwrap_or_default();
            self.radii[i] = part.radii;
            self.axes[i] = part.axes;
            self.position[i] = position + arm;
            self.velocity[i] = velocity + spin.cross(arm);
            self.broken[i] = true;
            self.shown[i] = false;
            self.previous[i] = self.position[i];
            self.previous_orientation[i] = q;
            self.inertial[i] = self.position[i];
            self.inertial_orientation[i] = q;
        }
    }
}

/// H = tr(A) I − A, 000 sec. 3.3.
pub(crate) fn inertia_of(moment: Sym3) -> Sym3 {
    let trace = moment.trace();
    Sym3 {
        xx: trace - moment.xx,
        yy: trace - moment.yy,
        zz: trace - moment.zz,
        xy: -moment.xy,
        yz: -moment.yz,
        zx: -moment.zx,
    }
}
