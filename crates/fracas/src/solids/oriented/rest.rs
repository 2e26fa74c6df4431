//! From geometry to the rest shape.

use crate::material::{Material, MaterialError, MaterialField, MaterialSample, PointValues};
use crate::math::{Rot, Sym3, symmetric_eigen};
use crate::solids::division::inertia_of;
use crate::solids::{NewParticle, Particles};
use glam::{DMat3, DVec3, Vec3};

/// Fragments of a solid and the bonds between them: what a body of oriented particles is made of.
///
/// Neighbours in `points` should be near each other in space: the sweep is up to twice as fast in
/// rows of a lattice or along a space-filling curve as in random order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrientedShape {
    /// The fragments.
    pub points: Vec<OrientedPoint>,
    /// Pairs of indices into `points`, each pair once, in any order.
    pub bonds: Vec<[u32; 2]>,
    /// Area of the face that each of `bonds` joins, in m²; empty if it is not known, and estimated then.
    pub areas: Vec<f32>,
    /// What a material can follow at each of `points`; empty if nothing is known.
    pub values: PointValues,
    /// Corners of the convex hull of each of `points`, relative to its position, in m: what others touch of
    /// it once it has lost a bond, scaled to its volume. Where there are many corners, the sharpest are
    /// kept. Empty: every fragment is a box with its second moment.
    pub hulls: Vec<Vec<[f32; 3]>>,
}

/// One fragment, in the frame of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedPoint {
    /// Centre of mass, in m.
    pub position: [f32; 3],
    /// Volume, in m³; above 0, and times the density within single precision.
    pub volume: f32,
    /// ∫(x−c)(x−c)ᵀ dV over the fragment about its centre, as xx, yy, zz, xy, yz, zx, in m⁵.
    /// Positive definite, and times the density within single precision.
    pub second_moment: [f32; 6],
    /// Radii of the ellipsoid that others touch, along its axes, in m; above 0.
    pub radii: [f32; 3],
    /// Axes of that ellipsoid as a unit quaternion x, y, z, w.
    pub axes: [f32; 4],
    /// Index into the body's materials.
    pub material: u16,
}

/// Which particles are joined. Group i of shape matching is particle i and its neighbours, and
/// since bonds are mutual, the groups that hold particle i are those of the same list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// Where the list of each group begins.
    pub first: Vec<u32>,
    /// How long it is now; cuts only shorten it.
    pub count: Vec<u32>,
    /// The lists: the particle itself first.
    pub member: Vec<u32>,
    /// Area of the face between the particle and each of its list, in m²; 0 for itself.
    pub area: Vec<f32>,
}

impl Groups {
    /// From pairs, each given once.
    pub fn new(particle_count: usize, bonds: &[[u32; 2]]) -> Self {
        let mut count = vec![1u32; particle_count];
        for bond in bonds {
            bond.iter().for_each(|&i| count[i as usize] += 1);
        }
        let first: Vec<u32> = count
            .iter()
            .scan(0, |next, &n| {
                *next += n;
                Some(*next - n)
            })
            .collect();
        let mut member = vec![0; particle_count + 2 * bonds.len()];
        let mut filled = vec![1; particle_count];
        for (i, &at) in first.iter().enumerate() {
            member[at as usize] = i as u32;
        }
        for &[a, b] in bonds {
            for (i, j) in [(a, b), (b, a)] {
                member[(first[i as usize] + filled[i as usize]) as usize] = j;
                filled[i as usize] += 1;
            }
        }
        let area = vec![0.0; member.len()];
        let mut groups = Self { first, count, member, area };
        for i in 0..particle_count {
            let (at, n) = (groups.first[i] as usize, groups.count[i] as usize);
            groups.member[at + 1..at + n].sort_unstable();
        }
        groups
    }

    /// Place in the lists where group `i` holds `j`.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let at = self.first[i] as usize;
        self.of(i).iter().position(|&m| m as usize == j).map(|k| at + k)
    }

    /// Members of group `i`, the particle itself first.
    #[inline(always)]
    pub fn of(&self, i: usize) -> &[u32] {
        let at = self.first[i] as usize;
        &self.member[at..at + self.count[i] as usize]
    }

    /// Whether lists lie within bounds, name particles that exist, and are mutual: for bytes that
    /// come from outside.
    pub(super) fn check(&self, particle_count: usize) -> Result<(), &'static str> {
        for i in 0..particle_count {
            let list = (self.first[i] as usize)
                .checked_add(self.count[i] as usize)
                .and_then(|end| self.member.get(self.first[i] as usize..end))
                .ok_or("a group's list lies outside the lists")?;
            if list.first() != Some(&(i as u32)) {
                return Err("a group does not begin with its own particle");
            }
            if list.iter().any(|&j| j as usize >= particle_count) {
                return Err("a group holds a particle that does not exist");
            }
        }
        let mutual =
            |i: usize| self.of(i).iter().all(|&j| self.of(j as usize).contains(&(i as u32)));
        if (0..particle_count).all(mutual) { Ok(()) } else { Err("a bond has only one end") }
    }

    /// Takes `j` out of group `i`, keeping the order of the others.
    pub fn remove(&mut self, i: usize, j: usize) {
        let (at, n) = (self.first[i] as usize, self.count[i] as usize);
        let list = &mut self.member[at..at + n];
        if let Some(k) = list[1..].iter().position(|&m| m as usize == j) {
            list[1 + k..].rotate_left(1);
            self.area[at + 1 + k..at + n].rotate_left(1);
            self.count[i] -= 1;
        }
    }
}

/// What shape matching needs of the rest shape, as columns: floats of a kind side by side for
/// eight groups at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// Who is in which group.
    pub groups: Groups,
    /// n_j: in how many groups particle j was before anything broke.
    pub group_count: Vec<f32>,
    /// w_j = m_j / n_j, kg.
    pub weight: Vec<f32>,
    /// V_j, m³.
    pub volume: Vec<f32>,
    /// Ē_j / n_j: second moment of the fragment's mass about its centre as xx, yy, zz, xy, yz,
    /// zx, kg m².
    pub moment: [Vec<f32>; 6],
    /// k_g / E_g, m s²/kg: see [`Rest::rebuild_stiffness`].
    pub stiffness_per_modulus: Vec<f32>,
    /// k_g, 1/s²: how hard group g pulls its members to their goals, per weight.
    pub stiffness: Vec<f32>,
    /// s_j = Σ_g k_g / n_j over the groups that hold particle j now, 1/s².
    pub share: Vec<f32>,
    /// c̄_g, centre of mass of the group, m.
    pub centre: [Vec<f32>; 3],
    /// 1 / M_g, M_g = Σ w_j.
    pub inv_mass: Vec<f32>,
    /// P_g = Σ w_j (x̄_j − c̄)(x̄_j − c̄)ᵀ as xx, yy, zz, xy, yz, zx, kg m².
    pub spread: [Vec<f32>; 6],
    /// F_P of the group, symmetric and of determinant 1 (000 sec. 3.4): its rest shape is F_P (x̄ − c̄).
    pub plastic: [Vec<f32>; 6],
    /// Smallest eigenvalue of F_P P F_P, kg m².
    pub least: Vec<f32>,
    /// When the group flows and breaks.
    pub limits: Limits,
}

/// Of each group, what its material stands and how far it has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// E, Pa.
    pub modulus: Vec<f32>,
    /// σ_Y, Pa.
    pub yield_stress: Vec<f32>,
    /// Rate at which strain beyond yield turns plastic, 1/s.
    pub creep_rate: Vec<f32>,
    /// H, Pa.
    pub hardening: Vec<f32>,
    /// Largest principal value of F_P, and its inverse the smallest.
    pub plastic_limit: Vec<f32>,
    /// σ_t, Pa.
    pub strength: Vec<f32>,
    /// σ_c, Pa.
    pub compressive: Vec<f32>,
    /// K_c, Pa√m.
    pub toughness: Vec<f32>,
    /// Averaging window of the break test, s.
    pub load_time: Vec<f32>,
    /// Mean distance of its neighbours at rest, m.
    pub spacing: Vec<f32>,
    /// Plastic strain so far: state.
    pub flowed: Vec<f32>,
    /// Averaged strain that the break test compares: state.
    pub load: Vec<f32>,
    /// The same of what touches the fragment alone, for patterns: state.
    pub hit: Vec<f32>,
    /// Strain at which it flows, hardening included. Follows from the above, like the next.
    pub yield_strain: Vec<f32>,
    /// Strain at which it parts, without damage.
    pub break_strain: Vec<f32>,
}

/// Strains beyond this are none; so that quotients of strains stay numbers.
const NEVER: f32 = 1e6;

impl Limits {
    fn with_room(count: usize) -> Self {
        let mut limits = Self::default();
        limits.columns_mut().into_iter().for_each(|column| column.reserve(count));
        limits
    }

    pub(super) fn push(&mut self, sample: &MaterialSample, spacing: f32) {
        self.modulus.push(sample.youngs_modulus);
        self.yield_stress.push(sample.yield_stress);
        self.creep_rate.push(sample.creep_rate);
        self.hardening.push(sample.hardening_modulus);
        self.plastic_limit.push(sample.plastic_limit);
        self.strength.push(sample.strength);
        self.compressive.push(sample.compressive_strength);
        self.toughness.push(sample.toughness);
        self.load_time.push(sample.load_time);
        self.spacing.push(spacing);
        self.flowed.push(0.0);
        self.load.push(0.0);
        self.hit.push(0.0);
        self.yield_strain.push(NEVER);
        self.break_strain.push(NEVER);
    }

    /// Every column, in the order in which they are saved.
    pub(super) fn columns(&self) -> [&Vec<f32>; 15] {
        [
            &self.modulus,
            &self.yield_stress,
            &self.creep_rate,
            &self.hardening,
            &self.plastic_limit,
            &self.strength,
            &self.compressive,
            &self.toughness,
            &self.load_time,
            &self.spacing,
            &self.flowed,
            &self.load,
            &self.hit,
            &self.yield_strain,
            &self.break_strain,
        ]
    }

    /// The same, to change.
    pub(super) fn columns_mut(&mut self) -> [&mut Vec<f32>; 15] {
        [
            &mut self.modulus,
            &mut self.yield_stress,
            &mut self.creep_rate,
            &mut self.hardening,
            &mut self.plastic_limit,
            &mut self.strength,
            &mut self.compressive,
            &mut self.toughness,
            &mut self.load_time,
            &mut self.spacing,
            &mut self.flowed,
            &mut self.load,
            &mut self.hit,
            &mut self.yield_strain,
            &mut self.break_strain,
        ]
    }

    /// The column of a value that may change while a body lives.
    pub(super) fn of_field(&mut self, field: MaterialField) -> Option<&mut Vec<f32>> {
        Some(match field {
            MaterialField::YoungsModulus => &mut self.modulus,
            MaterialField::YieldStress => &mut self.yield_stress,
            MaterialField::CreepRate => &mut self.creep_rate,
            MaterialField::HardeningModulus => &mut self.hardening,
            MaterialField::PlasticLimit => &mut self.plastic_limit,
            MaterialField::Strength => &mut self.strength,
            MaterialField::CompressiveStrength => &mut self.compressive,
            MaterialField::Toughness => &mut self.toughness,
            MaterialField::LoadTime => &mut self.load_time,
            _ => return None,
        })
    }

    /// Strain beyond which group `g` is crushed.
    pub(super) fn crush_strain(&self, g: usize) -> f32 {
        (self.compressive[g] / self.modulus[g]).min(NEVER)
    }

    /// ε_Y = (σ_Y + H α) / E.
    pub(super) fn harden(&mut self, g: usize) {
        let stress = self.yield_stress[g] + self.hardening[g] * self.flowed[g];
        self.yield_strain[g] = (stress / self.modulus[g]).min(NEVER);
    }

    /// Whether nothing here can ever flow or break.
    pub(super) fn are_none(&self) -> bool {
        let never = |column: &[f32]| column.iter().all(|&stress| stress == f32::INFINITY);
        never(&self.yield_stress) && never(&self.strength) && never(&self.compressive)
    }
}

/// What is wrong with a shape.
pub(super) type BadShape = String;

/// Refuses what cannot become a body, with words that name the point or bond.
fn check(shape: &OrientedShape) -> Result<(), BadShape> {
    let count = shape.points.len();
    if count == 0 {
        return Err("it has no points".into());
    }
    if count > u32::MAX as usize / 64 {
        return Err(format!("{count} points are more than a body may have"));
    }
    for (i, p) in shape.points.iter().enumerate() {
        let numbers = p.position.iter().chain(&p.second_moment).chain(&p.axes);
        if !numbers.into_iter().all(|x| x.is_finite()) {
            return Err(format!("point {i} has a number that is not finite"));
        }
        if !(p.volume > 0.0 && p.volume.is_finite()) {
            return Err(format!("point {i} has volume {}, which must be above 0", p.volume));
        }
        if !p.radii.iter().all(|&r| r > 0.0 && r.is_finite()) {
            return Err(format!("point {i} has radii {:?}, which must be above 0", p.radii));
        }
        let moment = Sym3::from_array(p.second_moment).to_mat3().as_dmat3();
        let [x, y] = [moment.x_axis, moment.y_axis];
        if !(x.x > 0.0 && x.x * y.y - x.y * y.x > 0.0 && moment.determinant() > 0.0) {
            return Err(format!("the second moment of point {i} is not positive definite"));
        }
    }
    shape.values.check(count)?;
    let mut bonds: Vec<[u32; 2]> = Vec::with_capacity(shape.bonds.len());
    for (k, &[a, b]) in shape.bonds.iter().enumerate() {
        if a as usize >= count || b as usize >= count {
            return Err(format!("bond {k} joins {a} and {b}, but there are {count} points"));
        }
        if a == b {
            return Err(format!("bond {k} joins point {a} to itself"));
        }
        bonds.push([a.min(b), a.max(b)]);
    }
    if !shape.areas.is_empty() && shape.areas.len() != shape.bonds.len() {
        let (found, wanted) = (shape.areas.len(), shape.bonds.len());
        return Err(format!("there are {found} areas for {wanted} bonds"));
    }
    if let Some(k) = shape.areas.iter().position(|&a| !(a > 0.0 && a.is_finite())) {
        return Err(format!("bond {k} has area {}, which must be above 0", shape.areas[k]));
    }
    bonds.sort_unstable();
    match bonds.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("points {} and {} are joined twice", pair[0][0], pair[0][1])),
        None => Ok(()),
    }
}

/// A shape with its material sampled at every point.
pub(super) struct Sampled {
    pub particles: Particles,
    pub samples: Vec<MaterialSample>,
}

/// Why a shape was refused: its geometry, or its material at some point.
pub(super) enum Refused {
    Shape(BadShape),
    Material(MaterialError),
}

/// Columns of the particles at rest, with masses from the material.
pub(super) fn particles(
    shape: &OrientedShape,
    materials: &[Material],
    seed: u64,
) -> Result<Sampled, Refused> {
    check(shape).map_err(Refused::Shape)?;
    let mut particles = Particles::default();
    let mut samples = Vec::with_capacity(shape.points.len());
    let positions = shape.points.iter().map(|p| p.position);
    shape.values.sample_each(positions, seed, |i, at| {
        let p = &shape.points[i];
        let material = materials.get(p.material as usize).ok_or_else(|| {
            let (index, count) = (p.material, materials.len());
            Refused::Shape(format!("point {i} is of material {index}, but there are {count}"))
        })?;
        let sample = material.sample(at).map_err(Refused::Material)?;
        let moment = mass_moment(p, sample.density);
        let mass = sample.density * p.volume;
        if !(mass > 0.0 && mass.is_finite() && moment.trace().is_finite()) {
            let what =
                format!("point {i} has a mass of {mass} kg or a moment beyond single precision");
            return Err(Refused::Shape(what));
        }
        let [x, y, z, w] = p.axes;
        particles.push(NewParticle {
            rest: p.position.into(),
            mass,
            inertia: Some(inertia_of(moment)),
            radii: p.radii,
            axes: Rot { x, y, z, w }.normalized(),
            friction: [sample.friction, sample.friction_static],
            restitution: sample.restitution,
            material: p.material,
        });
        samples.push(sample);
        Ok(())
    })?;
    Ok(Sampled { particles, samples })
}

/// Ē_j = ρ ∫ (x−c)(x−c)ᵀ dV. The seed's m/5 diag(a², b², c²) is this of an ellipsoid; here it is
/// that of the fragment itself, never derived from the contact radii.
///
/// The moment of a cube whose sides differ by rounding is made that of a cube: it then turns
/// without a gyroscopic term, at a third of the cost.
fn mass_moment(point: &OrientedPoint, density: f32) -> Sym3 {
    let moment = density * Sym3::from_array(point.second_moment);
    let mean = moment.trace() / 3.0;
    let even = Sym3::from_diagonal(Vec3::splat(mean));
    if (moment - even).norm() <= 1e-5 * mean { even } else { moment }
}

impl Rest {
    /// Groups, weights and stiffness from a checked shape.
    pub(super) fn new(shape: &OrientedShape, sampled: &Sampled) -> Self {
        let count = shape.points.len();
        let groups = Groups::new(count, &shape.bonds);
        let group_count: Vec<f32> = groups.count.iter().map(|&n| n as f32).collect();
        let weight = (0..count).map(|j| sampled.particles.mass[j] / group_count[j]).collect();
        let mut moment: [Vec<f32>; 6] = std::array::from_fn(|_| Vec::with_capacity(count));
        for (j, point) in shape.points.iter().enumerate() {
            let density = sampled.samples[j].density / group_count[j];
            for (column, value) in moment.iter_mut().zip(mass_moment(point, density).to_array()) {
                column.push(value);
            }
        }
        let zeros = || vec![0.0; count];
        let mut rest = Self {
            groups,
            group_count,
            weight,
            volume: shape.points.iter().map(|point| point.volume).collect(),
            moment,
            stiffness_per_modulus: zeros(),
            stiffness: zeros(),
            share: zeros(),
            centre: std::array::from_fn(|_| zeros()),
            inv_mass: zeros(),
            spread: std::array::from_fn(|_| zeros()),
            plastic: std::array::from_fn(|k| vec![if k < 3 { 1.0 } else { 0.0 }; count]),
            least: zeros(),
            limits: Limits::with_room(count),
        };
        rest.measure_areas(shape);
        for g in 0..count {
            let spacing = rest.spacing(g, &sampled.particles.rest);
            rest.limits.push(&sampled.samples[g], spacing);
            rest.rebuild_group(g, &sampled.particles.rest);
            rest.rebuild_stiffness(g);
        }
        for j in 0..count {
            rest.rebuild_share(j);
            rest.limits.harden(j);
            rest.rebuild_limit(j);
        }
        rest
    }

    /// Mean distance of the neighbours of group `g` at rest, in m; of its size if it has none.
    pub(super) fn spacing(&self, g: usize, rest: &[Vec3]) -> f32 {
        let others = &self.groups.of(g)[1..];
        let sum: f32 = others.iter().map(|&j| rest[j as usize].distance(rest[g])).sum();
        sum / others.len().max(1) as f32
    }

    /// Areas of bonds as given, or estimated: the bonds around a particle carry together, in every direction, what
    /// a cube of its volume would,
    ///
    /// ```text
    /// Σ_b' A_b' |e_b · e_b'| = 2 V^⅔,   hence   A_b = 2 V^⅔ / Σ_b' |e_b · e_b'|
    /// ```
    ///
    /// if all are alike; the mean of both ends is taken.
    fn measure_areas(&mut self, shape: &OrientedShape) {
        let at = |i: u32| Vec3::from(shape.points[i as usize].position);
        let along = |i: u32, j: u32| (at(j) - at(i)).normalize_or(Vec3::X);
        let estimate = |groups: &Groups, i: u32, j: u32| {
            let e = along(i, j);
            let others = &groups.of(i as usize)[1..];
            let carried: f32 = others.iter().map(|&k| e.dot(along(i, k)).abs()).sum();
            let side = crate::math::ops::cbrt(shape.points[i as usize].volume);
            2.0 * side * side / carried
        };
        for (k, &[i, j]) in shape.bonds.iter().enumerate() {
            let area = match shape.areas.get(k) {
                Some(&given) => given,
                None => 0.5 * (estimate(&self.groups, i, j) + estimate(&self.groups, j, i)),
            };
            for (i, j) in [(i, j), (j, i)] {
                if let Some(slot) = self.groups.slot(i as usize, j as usize) {
                    self.groups.area[slot] = area;
                }
            }
        }
    }

    /// Strain at which group `g` parts: strength where no crack is near, toughness at a tip (methods, "Strength
    /// and toughness"), whichever is less:
    ///
    /// ```text
    /// τ = min( σ_t, K_c √(2/(π d)) ) / E
    /// ```
    ///
    /// The stress that a group of size d measures before a tip is the mean of K/√(2πr) over d. Where that allows more
    /// than the strength, the zone that yields before the tip is larger than the group, and strength decides.
    pub(super) fn rebuild_limit(&mut self, g: usize) {
        let near_crack = self.groups.of(g).iter().any(|&j| self.is_broken(j as usize));
        let limits = &mut self.limits;
        let tip = if near_crack && limits.spacing[g] > 0.0 {
            limits.toughness[g] * (std::f32::consts::FRAC_2_PI / limits.spacing[g]).sqrt()
        } else {
            f32::INFINITY
        };
        limits.break_strain[g] = (limits.strength[g].min(tip) / limits.modulus[g]).min(NEVER);
    }

    /// Whether particle `j` has lost a bond.
    pub(super) fn is_broken(&self, j: usize) -> bool {
        (self.groups.count[j] as f32) < self.group_count[j]
    }

    /// What follows from the plastic strain of group `g`.
    pub(super) fn follow_flow(&mut self, g: usize) {
        self.limits.harden(g);
        self.rebuild_least(g);
    }

    /// Whether some group has flowed.
    pub(super) fn has_flowed(&self) -> bool {
        self.limits.flowed.iter().any(|&strain| strain > 0.0)
    }

    /// k_g / E such that a uniform strain ε costs the group ½ E ε² of its own fragment's volume V:
    ///
    /// ```text
    /// ½ k_g Σ_j w_j (ε e·q_j)² = ½ E ε² V,   hence   k_g = E V / (eᵀ P e)
    /// ```
    ///
    /// P is not isotropic at a surface, where groups are cut off on one side. Free surfaces are
    /// loaded along themselves, so the wide directions of P must be right: eᵀPe is taken as
    /// tr P⁴ / tr P³, a mean over directions that leans to the largest eigenvalue. (The body's
    /// mean over all groups, tried before, made bars of 4 × 4 particles 7 % too stiff.)
    /// A group without extent pulls nobody: k = 0.
    pub(super) fn rebuild_stiffness(&mut self, g: usize) {
        let (cubed, fourth) = self.spread_powers(g);
        let volume = f64::from(self.volume[g]);
        let per_modulus = if fourth > 0.0 { (volume * cubed / fourth) as f32 } else { 0.0 };
        self.stiffness_per_modulus[g] = per_modulus;
        self.stiffness[g] = per_modulus * self.limits.modulus[g];
    }

    /// tr P³ and tr P⁴ of group `g`; 0 without extent.
    pub(super) fn spread_powers(&self, g: usize) -> (f64, f64) {
        let p = self.spread_of(g).to_mat3().as_dmat3();
        let p2 = p * p;
        let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        (trace(&(p2 * p)), trace(&(p2 * p2)))
    }

    /// Every column of one float per particle or group, in the order in which they are saved.
    pub(super) fn float_columns(&self) -> impl Iterator<Item = &Vec<f32>> {
        let single = [
            &self.group_count,
            &self.weight,
            &self.volume,
            &self.stiffness_per_modulus,
            &self.stiffness,
            &self.share,
            &self.inv_mass,
            &self.least,
        ];
        let blocks = self.centre.iter().chain(&self.spread).chain(&self.plastic);
        single.into_iter().chain(blocks).chain(&self.moment).chain(self.limits.columns())
    }

    /// The same, to change.
    pub(super) fn float_columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Self { group_count, weight, volume, stiffness_per_modulus, stiffness, .. } = self;
        let Self { share, inv_mass, least, centre, spread, plastic, moment, limits, .. } = self;
        let single =
            [group_count, weight, volume, stiffness_per_modulus, stiffness, share, inv_mass, least];
        let blocks = centre.iter_mut().chain(spread).chain(plastic);
        single.into_iter().chain(blocks).chain(moment).chain(limits.columns_mut())
    }

    pub(super) fn spread_of(&self, g: usize) -> Sym3 {
        sym3_at(&self.spread, g)
    }

    pub(super) fn centre_of(&self, g: usize) -> Vec3 {
        Vec3::from(std::array::from_fn(|k| self.centre[k][g]))
    }

    /// Everything of group `g` that follows from its members: after a cut only the two groups at
    /// its ends change, because weights and stiffness stay those of the whole body.
    pub(super) fn rebuild_group(&mut self, g: usize, rest: &[Vec3]) {
        let (mut mass, mut first) = (0.0, DVec3::ZERO);
        for &j in self.groups.of(g) {
            let w = f64::from(self.weight[j as usize]);
            mass += w;
            first += w * rest[j as usize].as_dvec3();
        }
        let centre = first / mass;
        let mut spread = DMat3::ZERO;
        for &j in self.groups.of(g) {
            let w = f64::from(self.weight[j as usize]);
            let q = rest[j as usize].as_dvec3() - centre;
            spread += DMat3::from_cols(q * (w * q.x), q * (w * q.y), q * (w * q.z));
        }
        self.inv_mass[g] = (1.0 / mass) as f32;
        for k in 0..3 {
            self.centre[k][g] = centre[k] as f32;
        }
        for (k, value) in six(&spread).into_iter().enumerate() {
            self.spread[k][g] = value;
        }
        self.rebuild_least(g);
        // alone it has nobody to pull
        if self.groups.count[g] == 1 {
            self.stiffness_per_modulus[g] = 0.0;
            self.stiffness[g] = 0.0;
            // and what it carried is gone
            self.limits.load[g] = 0.0;
        }
    }

    /// λ_min of F_P P F_P, not more than it is.
    pub(super) fn rebuild_least(&mut self, g: usize) {
        let (p, f) = (self.spread_of(g).to_mat3(), self.plastic_of(g).to_mat3());
        let (values, _) = symmetric_eigen(&Sym3::from_mat3(&(f * p * f)));
        self.least[g] = (values[2] - 4.0 * f32::EPSILON * values[0]).max(0.0);
    }

    /// F_P of group `g`.
    pub(super) fn plastic_of(&self, g: usize) -> Sym3 {
        sym3_at(&self.plastic, g)
    }

    /// s_j from the groups that hold particle j now.
    pub(super) fn rebuild_share(&mut self, j: usize) {
        let total: f32 = self.groups.of(j).iter().map(|&g| self.stiffness[g as usize]).sum();
        self.share[j] = total / self.group_count[j];
    }
}

/// Row `i` of six columns.
pub(super) fn sym3_at(columns: &[Vec<f32>; 6], i: usize) -> Sym3 {
    Sym3::from_array(std::array::from_fn(|k| columns[k][i]))
}

/// xx, yy, zz, xy, yz, zx of a symmetric matrix.
fn six(m: &DMat3) -> [f32; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x].map(|x| x as f32)
}
