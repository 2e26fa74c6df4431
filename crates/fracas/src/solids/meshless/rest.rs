//! From points to the rest shape: who sees whom, weights of pairs, and what follows from them.

use super::kernel::{self, SUPPORT};
use super::tissue::Tissue;
use crate::material::{Material, MaterialError, MaterialField, MaterialSample, PointValues};
use crate::math::{Rot, Sym3, ops, symmetric_eigen};
use crate::solids::oriented::OrientedShape;
use crate::solids::{NewParticle, Particles};
use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DVec3, Mat3, Vec3};
use std::collections::BTreeMap;

/// Points that fill a solid: what a meshless body is made of.
///
/// Points of a lattice are the ones to take: uniform stress is in balance on them, on irregular ones only nearly. Neighbours in `points`
/// should be near each other in space, as in rows of a lattice: in random order a step takes twice as long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshlessShape {
    /// The points.
    pub points: Vec<MeshlessPoint>,
    /// What a material can follow at each of `points`; empty if nothing is known.
    pub values: PointValues,
    /// Along how many directions they fill it.
    pub extent: Extent,
}

/// Along how many directions the points of a body have neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Extent {
    /// All three.
    #[default]
    Solid,
    /// Two: one layer of points. It is stretched in plane stress, and bends as if it were hinged.
    Membrane {
        /// In m; above 0.
        thickness: f32,
    },
    /// One: a row of points. It feels E alone.
    Rope {
        /// Area of its cross-section, in m²; above 0.
        section: f32,
    },
}

impl Extent {
    /// How many they are.
    fn directions(self) -> f32 {
        match self {
            Self::Solid => 3.0,
            Self::Membrane { .. } => 2.0,
            Self::Rope { .. } => 1.0,
        }
    }

    /// Distance of neighbours that stand for so much volume each, m.
    fn spacing(self, volume: f32) -> f32 {
        match self {
            Self::Solid => ops::cbrt(volume),
            Self::Membrane { thickness } => (volume / thickness).sqrt(),
            Self::Rope { section } => volume / section,
        }
    }

    /// What is saved of it.
    pub(super) fn to_floats(self) -> [f32; 2] {
        match self {
            Self::Solid => [3.0, 0.0],
            Self::Membrane { thickness } => [2.0, thickness],
            Self::Rope { section } => [1.0, section],
        }
    }

    /// The same back.
    pub(super) fn from_floats([directions, size]: [f32; 2]) -> Self {
        match directions {
            2.0 => Self::Membrane { thickness: size },
            1.0 => Self::Rope { section: size },
            _ => Self::Solid,
        }
    }
}

/// One point, in the frame of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshlessPoint {
    /// Where, in m.
    pub position: [f32; 3],
    /// Volume that it stands for, in m³; above 0.
    pub volume: f32,
    /// Index into the body's materials.
    pub material: u16,
}

/// The centres of fragments, as generators of lattices make them: a single layer of them is a membrane, a single row a rope. Who is bonded follows
/// from distances, not from `bonds`.
impl From<&OrientedShape> for MeshlessShape {
    fn from(shape: &OrientedShape) -> Self {
        let point = |p: &crate::solids::oriented::OrientedPoint| MeshlessPoint {
            position: p.position,
            volume: p.volume,
            material: p.material,
        };
        let points = shape.points.iter().map(point).collect();
        Self { points, values: shape.values.clone(), extent: extent_of(shape) }
    }
}

/// Whether the cells of a lattice are one layer or one row, and how thick that is: their second moment tells, a²/12 along a side of length a.
fn extent_of(shape: &OrientedShape) -> Extent {
    let Some(first) = shape.points.first().filter(|_| shape.points.len() > 1) else {
        return Extent::Solid;
    };
    let side = |axis: usize| (12.0 * first.second_moment[axis] / first.volume).sqrt();
    let is_flat = |&axis: &usize| {
        shape
            .points
            .iter()
            .all(|p| (p.position[axis] - first.position[axis]).abs() < 0.1 * side(axis))
    };
    match (0..3).filter(is_flat).collect::<Vec<_>>()[..] {
        [axis] => Extent::Membrane { thickness: side(axis) },
        [a, b] => Extent::Rope { section: side(a) * side(b) },
        _ => Extent::Solid,
    }
}

/// α: stiffness of the control of zero-energy modes over the shear modulus.
const HOURGLASS: f32 = 0.1;
/// Eigenvalues of M (1 inside a body) below the first begin to fade out of its inverse; below the second they are gone.
const FADING: f64 = 0.08;
const FADED: f64 = 0.02;
/// Share of its neighbourhood below which a particle loses volume.
const THIN: f32 = 0.35;
/// Share of its neighbourhood below which a particle counts as damaged.
pub(super) const WHOLE: f32 = 0.999;

/// The most neighbours of a particle: a lattice has 26.
const MOST_NEIGHBOURS: u32 = 64;

/// What a pair is for its first particle: (c X, c (κ_i + κ_j)), X = X_j − X_i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub(super) struct Weight(pub [f32; 4]);

/// Who sees whom. Lists are mutual; those that are out of sight are taken out of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    /// Where the list of each particle begins.
    pub first: Vec<u32>,
    /// How long it is now.
    pub count: Vec<u32>,
    /// The lists.
    pub other: Vec<u32>,
    /// A of each pair, the same in both lists. State.
    pub opacity: Vec<f32>,
    /// Follows from the above.
    pub weight: Vec<Weight>,
}

impl Pairs {
    /// Places in the lists of those that particle `i` sees.
    #[inline(always)]
    pub fn slots(&self, i: usize) -> std::ops::Range<usize> {
        let at = self.first[i] as usize;
        at..at + self.count[i] as usize
    }

    /// Those that particle `i` sees.
    #[inline(always)]
    pub fn of(&self, i: usize) -> &[u32] {
        &self.other[self.slots(i)]
    }

    /// Place in the lists where particle `i` has `j`.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        self.slots(i).find(|&slot| self.other[slot] as usize == j)
    }

    /// Takes `j` out of the list of `i`, keeping the order of the others.
    fn remove(&mut self, i: usize, j: usize) {
        let slots = self.slots(i);
        if let Some(slot) = self.slot(i, j) {
            self.other[slot..slots.end].rotate_left(1);
            self.opacity[slot..slots.end].rotate_left(1);
            self.weight[slot..slots.end].rotate_left(1);
            self.count[i] -= 1;
        }
    }

    /// All pairs closer than `h`, in lists in the order of the points.
    fn within(points: &[Vec3], h: f32) -> Self {
        let cell = |x: Vec3| (x / h).floor().to_array().map(|x| x as i64);
        let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
        for (x, i) in points.iter().zip(0..) {
            cells.entry(cell(*x)).or_default().push(i);
        }
        let mut pairs = Self::default();
        let mut near = Vec::new();
        for (&x, i) in points.iter().zip(0u32..) {
            near.clear();
            let [a, b, c] = cell(x);
            for k in 0..27 {
                let beside = [(a, k % 3), (b, k / 3 % 3), (c, k / 9)];
                let beside = beside.map(|(at, step)| at.wrapping_add(step - 1));
                let others = cells.get(&beside).map_or(&[][..], Vec::as_slice);
                near.extend(others.iter().copied().filter(|&j| {
                    let r = points[j as usize].distance(x);
                    j != i && kernel::weight(r, 0.0, h) > 0.0
                }));
            }
            near.sort_unstable();
            pairs.first.push(pairs.other.len() as u32);
            pairs.count.push(near.len() as u32);
            pairs.other.extend_from_slice(&near);
        }
        pairs.opacity = vec![0.0; pairs.other.len()];
        pairs.weight = vec![Weight::default(); pairs.other.len()];
        pairs
    }

    /// Whether lists lie within bounds, name particles that exist, and are mutual with one opacity: for bytes that come from outside.
    pub fn check(&self, count: usize) -> Result<(), &'static str> {
        if self.opacity.len() != self.other.len() {
            return Err("a column of wrong length");
        }
        for i in 0..count {
            let end = (self.first[i] as usize).checked_add(self.count[i] as usize);
            let list = end.and_then(|end| self.other.get(self.first[i] as usize..end));
            let list = list.ok_or("a list of neighbours lies outside the lists")?;
            if list.iter().any(|&j| j as usize >= count) {
                return Err("a neighbour that does not exist");
            }
            if list.len() > MOST_NEIGHBOURS as usize {
                return Err("more neighbours than a particle may have");
            }
        }
        let bits = |slot: usize| self.opacity[slot].to_bits();
        for i in 0..count {
            for slot in self.slots(i) {
                let back = self.slot(self.other[slot] as usize, i).map(bits);
                if back != Some(bits(slot)) {
                    return Err("two particles that do not see each other alike");
                }
            }
        }
        Ok(())
    }
}

/// What elasticity and tearing need of the rest shape, as columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rest {
    /// Who sees whom.
    pub pairs: Pairs,
    /// Along how many directions.
    pub extent: Extent,
    /// h, m.
    pub support: f32,
    /// Factor on all weights, m⁻¹: with it the trace of M is 3 where it is largest.
    pub scale: f32,
    /// Largest Σ |L w|² at rest, 1/m².
    pub stiffest: f32,
    /// What the material is at each particle.
    pub matter: Matter,
    /// What is beyond an isotropic linear material, if anything is.
    pub tissue: Option<Tissue>,
    /// tr M at rest.
    pub full: Vec<f32>,

    // ---- follow from the above, opacities included ----
    /// Distance of neighbours, m.
    pub spacing: Vec<f32>,
    /// tr M over that at rest.
    pub coverage: Vec<f32>,
    /// L, the inverse of M = Σ c X Xᵀ, without directions in which there are too few.
    pub inverse: [Vec<f32>; 6],
    /// 1 − M L: those directions.
    pub missing: [Vec<f32>; 6],
    /// Whether there are some.
    pub gaps: Vec<bool>,
    /// g = Σ c X.
    pub lean: [Vec<f32>; 3],
    /// 2 μ V and λ V, N m.
    pub lame: [Vec<f32>; 2],
    /// κ = α μ V, N m.
    pub hourglass: Vec<f32>,
    /// Diagonal of the stiffness at each particle, N/m, of the last [`Rest::follow_diagonal`].
    pub diagonal: Vec<f32>,
}

/// What the material is at each particle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Matter {
    /// V, m³.
    pub volume: Vec<f32>,
    /// E, Pa.
    pub modulus: Vec<f32>,
    /// ν.
    pub poisson: Vec<f32>,
    /// σ_t, Pa.
    pub strength: Vec<f32>,
    /// K_c, Pa√m.
    pub toughness: Vec<f32>,
    /// γ.
    pub rigidity: Vec<f32>,
    /// β₀.
    pub influence: Vec<f32>,
    /// ε̇₀, 1/s.
    pub rate: Vec<f32>,
    /// θ.
    pub fibre: Vec<Vec3>,
    /// σ_Y, Pa.
    pub yield_stress: Vec<f32>,
    /// 1/s.
    pub creep_rate: Vec<f32>,
    /// H, Pa.
    pub hardening: Vec<f32>,
    /// Largest plastic stretch.
    pub plastic_limit: Vec<f32>,
    /// Stiffness across the fibres over that along them.
    pub stiffness_ratio: Vec<f32>,
    /// Strength across the fibres over that along them.
    pub strength_ratio: Vec<f32>,
    /// ε_s.
    pub stiffening: Vec<f32>,
}

impl Matter {
    fn push(&mut self, sample: &MaterialSample, volume: f32) {
        self.volume.push(volume);
        self.modulus.push(sample.youngs_modulus);
        self.poisson.push(sample.poisson_ratio);
        self.strength.push(sample.strength);
        self.toughness.push(sample.toughness);
        self.rigidity.push(sample.tear_rigidity);
        self.influence.push(sample.fibre_influence);
        self.rate.push(sample.rate_reference);
        self.fibre.push(sample.grain_direction.into());
        self.yield_stress.push(sample.yield_stress);
        self.creep_rate.push(sample.creep_rate);
        self.hardening.push(sample.hardening_modulus);
        self.plastic_limit.push(sample.plastic_limit);
        self.stiffness_ratio.push(sample.grain_stiffness_ratio);
        self.strength_ratio.push(sample.grain_strength_ratio);
        self.stiffening.push(sample.stiffening_strain);
    }

    /// Every column of one float per particle, in the order in which they are saved.
    pub fn columns(&self) -> impl Iterator<Item = &Vec<f32>> {
        let Self { volume, modulus, poisson, strength, .. } = self;
        let Self { toughness, rigidity, influence, rate, .. } = self;
        let Self { yield_stress, creep_rate, hardening, plastic_limit, .. } = self;
        let Self { stiffness_ratio, strength_ratio, stiffening, .. } = self;
        let common = [volume, modulus, poisson, strength, toughness, rigidity, influence, rate];
        let flow = [yield_stress, creep_rate, hardening, plastic_limit];
        common.into_iter().chain(flow).chain([stiffness_ratio, strength_ratio, stiffening])
    }

    /// The same, to change.
    pub fn columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Self { volume, modulus, poisson, strength, .. } = self;
        let Self { toughness, rigidity, influence, rate, .. } = self;
        let Self { yield_stress, creep_rate, hardening, plastic_limit, .. } = self;
        let Self { stiffness_ratio, strength_ratio, stiffening, .. } = self;
        let common = [volume, modulus, poisson, strength, toughness, rigidity, influence, rate];
        let flow = [yield_stress, creep_rate, hardening, plastic_limit];
        common.into_iter().chain(flow).chain([stiffness_ratio, strength_ratio, stiffening])
    }

    /// The column of a value that may change while a body lives.
    pub fn of_field(&mut self, field: MaterialField) -> Option<&mut Vec<f32>> {
        Some(match field {
            MaterialField::YoungsModulus => &mut self.modulus,
            MaterialField::PoissonRatio => &mut self.poisson,
            MaterialField::Strength => &mut self.strength,
            MaterialField::Toughness => &mut self.toughness,
            MaterialField::TearRigidity => &mut self.rigidity,
            MaterialField::FibreInfluence => &mut self.influence,
            MaterialField::RateReference => &mut self.rate,
            MaterialField::YieldStress => &mut self.yield_stress,
            MaterialField::CreepRate => &mut self.creep_rate,
            MaterialField::HardeningModulus => &mut self.hardening,
            MaterialField::PlasticLimit => &mut self.plastic_limit,
            MaterialField::GrainStiffnessRatio => &mut self.stiffness_ratio,
            MaterialField::GrainStrengthRatio => &mut self.strength_ratio,
            MaterialField::StiffeningStrain => &mut self.stiffening,
            _ => return None,
        })
    }

    /// E across the fibres and what these add along them, Pa. With E_m = r E of what they lie in and k = (1 − r) E of their own, it has
    /// E along them and q E across, ν of what is pulled along them:
    ///
    /// ```text
    /// r = q (1 − ν²)/(1 − q ν²)
    /// ```
    fn fibrous(&self, i: usize) -> [f32; 2] {
        let (e, nu, q) = (self.modulus[i], self.poisson[i], self.stiffness_ratio[i]);
        let r = q * (1.0 - nu * nu) / (1.0 - q * nu * nu);
        [r * e, (1.0 - r) * e]
    }

    /// Whether something here flows, is stiffer along its fibres, or stiffens.
    fn is_tissue(&self) -> bool {
        let flows = |(&stress, &limit): (&f32, &f32)| stress < f32::INFINITY && limit > 1.0;
        self.yield_stress.iter().zip(&self.plastic_limit).any(flows)
            || self.stiffness_ratio.iter().any(|&q| q != 1.0)
            || self.stiffening.iter().any(|&e| e < f32::INFINITY)
    }

    /// Whether nothing here can ever tear.
    pub fn is_lasting(&self) -> bool {
        self.strength.iter().all(|&stress| stress == f32::INFINITY)
    }

    /// Whether fibres lead tears anywhere.
    pub fn is_fibrous(&self) -> bool {
        self.influence.iter().any(|&beta| beta < 1.0)
    }
}

/// Why a shape was refused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refused {
    /// Its geometry.
    Shape(String),
    /// Its material at some point.
    Material(MaterialError),
}

/// Refuses what cannot become a body, with words that name the point.
fn check(shape: &MeshlessShape) -> Result<(), String> {
    let count = shape.points.len();
    if count == 0 {
        return Err("it has no points".into());
    }
    if count > u32::MAX as usize / 64 {
        return Err(format!("{count} points are more than a body may have"));
    }
    for (i, p) in shape.points.iter().enumerate() {
        if !p.position.iter().all(|x| x.is_finite()) {
            return Err(format!("point {i} has a number that is not finite"));
        }
        if !(p.volume > 0.0 && p.volume.is_finite()) {
            return Err(format!("point {i} has volume {}, which must be above 0", p.volume));
        }
    }
    let size = match shape.extent {
        Extent::Solid => 1.0,
        Extent::Membrane { thickness } => thickness,
        Extent::Rope { section } => section,
    };
    if !(size > 0.0 && size.is_finite()) {
        return Err(format!("{:?} must have a size above 0", shape.extent));
    }
    shape.values.check(count)
}

/// Particles at rest and what follows from them.
pub(super) fn build(
    shape: &MeshlessShape,
    materials: &[Material],
    seed: u64,
) -> Result<(Particles, Rest), Refused> {
    check(shape).map_err(Refused::Shape)?;
    let mut particles = Particles::default();
    let mut matter = Matter::default();
    let positions = shape.points.iter().map(|p| p.position);
    shape.values.sample_each(positions, seed, |i, at| {
        let p = &shape.points[i];
        let material = materials.get(p.material as usize).ok_or_else(|| {
            let (index, count) = (p.material, materials.len());
            Refused::Shape(format!("point {i} is of material {index}, but there are {count}"))
        })?;
        let sample = material.sample(at).map_err(Refused::Material)?;
        let (ratio, nu) = (sample.grain_stiffness_ratio, sample.poisson_ratio);
        if ratio * nu * nu > 0.9 {
            let most = 0.9 / (nu * nu);
            return Err(Refused::Shape(format!(
                "point {i} has a grain.stiffness_ratio of {ratio}, which may be at most {most} where poisson_ratio is {nu}"
            )));
        }
        let mass = sample.density * p.volume;
        if !(mass > 0.0 && mass.is_finite()) {
            let what = format!("point {i} has a mass of {mass} kg, beyond single precision");
            return Err(Refused::Shape(what));
        }
        particles.push(NewParticle {
            rest: p.position.into(),
            mass,
            inertia: None,
            radii: [0.5 * shape.extent.spacing(p.volume); 3],
            axes: Rot::IDENTITY,
            friction: [sample.friction, sample.friction_static],
            restitution: sample.restitution,
            material: p.material,
        });
        matter.push(&sample, p.volume);
        Ok(())
    })?;
    let rest = Rest::new(matter, shape.extent, &particles.rest);
    match rest.pairs.count.iter().position(|&count| count > MOST_NEIGHBOURS) {
        Some(i) => {
            let (count, h) = (rest.pairs.count[i], rest.support);
            Err(Refused::Shape(format!(
                "point {i} has {count} others within {h} m, and may have {MOST_NEIGHBOURS}: their volumes are too large for their distances"
            )))
        }
        None => Ok((particles, rest)),
    }
}

impl Rest {
    fn new(matter: Matter, extent: Extent, rest: &[Vec3]) -> Self {
        let count = rest.len();
        let total: f64 = matter.volume.iter().map(|&v| f64::from(v)).sum();
        let support = SUPPORT * extent.spacing((total / count as f64) as f32);
        let mut built = Self {
            pairs: Pairs::within(rest, support),
            extent,
            support,
            scale: 1.0,
            full: vec![1.0; count],
            matter,
            ..Self::default()
        };
        built.follow(rest);
        let largest = built.coverage.iter().copied().fold(0.0, f32::max);
        built.scale = if largest > 0.0 { extent.directions() / largest } else { 1.0 };
        let scale = built.scale;
        built.full = built.coverage.iter().map(|&trace| trace * scale).collect();
        built.stiffest = f32::INFINITY;
        built.follow(rest);
        built.stiffest = (0..count).map(|i| built.stiffness(i)).fold(0.0, f32::max);
        built.follow(rest);
        built
    }

    /// λ and μ of what lies between the fibres, Pa (errata 002.1, 003.1): in plane stress for a membrane, E alone for a rope.
    pub fn lame_of(&self, i: usize) -> [f32; 2] {
        let ([e, _], nu) = (self.matter.fibrous(i), self.matter.poisson[i]);
        let (lambda, mu) = (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu)));
        match self.extent {
            Extent::Solid => [lambda, mu],
            Extent::Membrane { .. } => [2.0 * lambda * mu / (lambda + 2.0 * mu), mu],
            Extent::Rope { .. } => [0.0, 0.5 * e],
        }
    }

    /// k of a particle, Pa.
    pub fn fibre_of(&self, i: usize) -> f32 {
        self.matter.fibrous(i)[1]
    }

    /// θ as flow has turned it, of unit length.
    pub fn axis_of(&self, i: usize) -> Vec3 {
        self.tissue.as_ref().map_or(self.matter.fibre[i], |tissue| tissue.axis_of(i))
    }

    /// F_P of a particle.
    pub fn flowed(&self, i: usize) -> Mat3 {
        self.tissue.as_ref().map_or(Mat3::IDENTITY, |tissue| tissue.plastic_of(i).inverse())
    }

    /// All that follows, of all particles.
    pub fn follow(&mut self, rest: &[Vec3]) {
        let count = rest.len();
        if self.tissue.is_none() && self.matter.is_tissue() {
            self.tissue = Some(Tissue::new(count));
        }
        self.make_room(count);
        for i in 0..count {
            let [_, mu] = self.lame_of(i);
            self.hourglass[i] = HOURGLASS * mu * self.matter.volume[i];
            self.spacing[i] = self.extent.spacing(self.matter.volume[i]);
            if let Some(tissue) = &mut self.tissue {
                tissue.set_axis(i, self.matter.fibre[i]);
            }
        }
        for i in 0..count {
            self.rebuild(i, rest);
        }
        self.follow_diagonal();
    }

    fn make_room(&mut self, count: usize) {
        let Self { spacing, coverage, inverse, missing, lean, lame, .. } = self;
        let blocks = inverse.iter_mut().chain(missing).chain(lean).chain(lame);
        let single = [spacing, coverage, &mut self.hourglass, &mut self.diagonal];
        for column in blocks.chain(single) {
            column.resize(count, 0.0);
        }
        self.gaps.resize(count, false);
        if let Some(tissue) = &mut self.tissue {
            tissue.make_room(count);
        }
        self.pairs.weight.resize(self.pairs.other.len(), Weight::default());
    }

    /// Every column of one float per particle.
    pub fn float_columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Self { matter, full, spacing, coverage, inverse, missing, .. } = self;
        let Self { lean, lame, hourglass, diagonal, tissue, .. } = self;
        let blocks = inverse.iter_mut().chain(missing).chain(lean).chain(lame);
        let single = [full, spacing, coverage, hourglass, diagonal];
        let tissue = tissue.iter_mut().flat_map(Tissue::columns_mut);
        blocks.chain(single).chain(matter.columns_mut()).chain(tissue)
    }

    /// Weights of particle `i` and all that follows from them. Of both ends of a pair the weights are the same to the bit, but for the sign
    /// of X.
    ///
    /// ```text
    /// M = Σ c X Xᵀ,   L = Σ_k f(λ_k)/λ_k e_k e_kᵀ,   V' = V min(1, coverage/0.35) min(1, s_rest/s),   s = Σ |L c X|²
    /// ```
    ///
    /// f fades directions out in which there are too few neighbours. A particle with one weak pair along a direction is several times stiffer
    /// than any at rest, and would ask for shorter steps; both factors on its volume keep the step valid.
    pub fn rebuild(&mut self, i: usize, rest: &[Vec3]) {
        let (mut moment, mut lean) = (DMat3::ZERO, DVec3::ZERO);
        for slot in self.pairs.slots(i) {
            let j = self.pairs.other[slot] as usize;
            let x = rest[j] - rest[i];
            let c = self.scale * kernel::weight(x.length(), self.pairs.opacity[slot], self.support);
            let cx = c * x;
            let spring = c * (self.hourglass[i] + self.hourglass[j]);
            self.pairs.weight[slot] = Weight([cx.x, cx.y, cx.z, spring]);
            // of the weights as they are rounded
            let (cx, x) = (cx.as_dvec3(), x.as_dvec3());
            moment += DMat3::from_cols(cx * x.x, cx * x.y, cx * x.z);
            lean += cx;
        }
        let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
        let full = f64::from(self.full[i]);
        self.coverage[i] = if full > 0.0 { (trace / full) as f32 } else { 0.0 };
        let (inverse, missing) = inverse_of(&moment);
        self.gaps[i] = missing != Sym3::ZERO;
        for k in 0..6 {
            self.inverse[k][i] = inverse.to_array()[k];
            self.missing[k][i] = missing.to_array()[k];
        }
        for k in 0..3 {
            self.lean[k][i] = lean[k] as f32;
        }
        let mut volume = self.matter.volume[i];
        if self.coverage[i] < WHOLE {
            volume *= (self.coverage[i] / THIN).min(1.0);
            let stiffness = self.stiffness(i);
            volume *= if stiffness > self.stiffest { self.stiffest / stiffness } else { 1.0 };
        }
        let [lambda, mu] = self.lame_of(i);
        self.lame[0][i] = 2.0 * mu * volume;
        self.lame[1][i] = lambda * volume;
        let along = self.fibre_of(i);
        if let Some(tissue) = &mut self.tissue {
            let strain = self.matter.stiffening[i];
            tissue.fibre[i] = along * volume;
            tissue.stiffening[i] = 2.0 / (self.matter.modulus[i] * strain * strain * volume);
        }
    }

    /// Σ |L c X|² of a particle, 1/m².
    fn stiffness(&self, i: usize) -> f32 {
        let inverse = self.inverse_of(i);
        let of = |slot: usize| inverse.mul_vec(self.pairs.weight[slot].vector()).length_squared();
        self.pairs.slots(i).map(of).sum()
    }

    /// L of a particle.
    pub fn inverse_of(&self, i: usize) -> Sym3 {
        Sym3::from_array(std::array::from_fn(|k| self.inverse[k][i]))
    }

    /// 1 − M L of a particle.
    pub fn missing_of(&self, i: usize) -> Sym3 {
        Sym3::from_array(std::array::from_fn(|k| self.missing[k][i]))
    }

    /// What a particle alone feels if it is moved, N/m: its own strain and those of its neighbours, along their stiffest direction.
    pub fn follow_diagonal(&mut self) {
        let count = self.coverage.len();
        let along = |i: usize| self.tissue.as_ref().map_or(0.0, |tissue| tissue.fibre[i].max(0.0));
        let modulus = |i: usize| self.lame[0][i] + self.lame[1][i] + along(i);
        let of = |i: usize| {
            let lean = Vec3::new(self.lean[0][i], self.lean[1][i], self.lean[2][i]);
            let own = modulus(i) * self.inverse_of(i).mul_vec(lean).length_squared();
            self.pairs.slots(i).fold(own, |sum, slot| {
                let (j, w) = (self.pairs.other[slot] as usize, self.pairs.weight[slot]);
                sum + modulus(j) * self.inverse_of(j).mul_vec(w.vector()).length_squared() + w.0[3]
            })
        };
        self.diagonal = (0..count).map(of).collect();
    }

    /// Takes two particles out of each other's sight.
    pub fn part(&mut self, a: usize, b: usize) {
        self.pairs.remove(a, b);
        self.pairs.remove(b, a);
    }

    /// Longest substep of the explicit integrator, s: a wave of compression passes this share of the spacing.
    pub fn longest_substep(&self, mass: &[f32], courant: f32) -> f32 {
        let of = |i: usize| {
            let ([lambda, mu], along) = (self.lame_of(i), self.fibre_of(i).max(0.0));
            let density = mass[i] / self.matter.volume[i];
            courant * self.spacing[i] / ((lambda + 2.0 * mu + along) / density).sqrt()
        };
        (0..mass.len()).map(of).fold(f32::INFINITY, f32::min)
    }
}

impl Weight {
    /// c X.
    #[inline(always)]
    pub fn vector(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }
}

/// L and 1 − M L of a second moment.
fn inverse_of(moment: &DMat3) -> (Sym3, Sym3) {
    let (x, y, z) = (moment.x_axis, moment.y_axis, moment.z_axis);
    let (values, vectors) =
        symmetric_eigen(&Sym3::from_array([x.x, y.y, z.z, x.y, y.z, z.x].map(|v| v as f32)));
    if f64::from(values[2]) >= FADING {
        let inverse = moment.inverse();
        let (x, y, z) = (inverse.x_axis, inverse.y_axis, inverse.z_axis);
        let six = [x.x, y.y, z.z, x.y, y.z, z.x].map(|v| v as f32);
        return (Sym3::from_array(six), Sym3::ZERO);
    }
    let (mut inverse, mut missing) = (Sym3::ZERO, Sym3::ZERO);
    for (value, e) in values.into_iter().zip([vectors.x_axis, vectors.y_axis, vectors.z_axis]) {
        let kept = ((f64::from(value) - FADED) / (FADING - FADED)).clamp(0.0, 1.0) as f32;
        if kept > 0.0 {
            inverse = inverse + (kept / value) * Sym3::outer(e);
        }
        missing = missing + (1.0 - kept) * Sym3::outer(e);
    }
    (inverse, missing)
}
