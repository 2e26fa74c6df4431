//! Tetrahedra at rest, as columns: floats of a kind side by side for eight at a time.

use super::remesh::Half;
use super::shape::{TetShape, TetShapeError};
use super::stars::Stars;
use crate::material::{Material, MaterialError, MaterialField, MaterialSample, PointValues};
use crate::math::Rot;
use crate::parallel::Span;
use crate::solids::{NewParticle, Particles};
use glam::{DMat3, DVec3, Vec3};

/// Tetrahedra of a body, those of a piece side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tets {
    /// Corners, as places of particles.
    pub corners: Vec<[u32; 4]>,
    /// A particle of the piece that each is in: its first corner, as of when pieces were put in order.
    pub anchor: Vec<u32>,
    /// g₁, g₂, g₃: gradients of the shape functions of corners 1 to 3 at rest, three floats each, 1/m. g₀ = −Σ g.
    pub gradient: [Vec<f32>; 9],
    /// V, m³.
    pub volume: Vec<f32>,
    /// ρ, kg/m³.
    pub density: Vec<f32>,
    /// E, Pa.
    pub modulus: Vec<f32>,
    /// ν.
    pub poisson: Vec<f32>,
    /// σ_t, Pa.
    pub strength: Vec<f32>,
    /// K_c, Pa√m.
    pub toughness: Vec<f32>,
    /// Averaging window of the break test, s.
    pub load_time: Vec<f32>,
    /// σ_Y, Pa.
    pub yield_stress: Vec<f32>,
    /// Rate at which strain beyond yield turns plastic, 1/s.
    pub creep_rate: Vec<f32>,
    /// H, Pa.
    pub hardening: Vec<f32>,
    /// Largest plastic stretch.
    pub plastic_limit: Vec<f32>,
    /// σ_c, Pa.
    pub compressive_strength: Vec<f32>,
    /// Along the grain, of unit length, at rest.
    pub grain: [Vec<f32>; 3],
    /// Strength and toughness across the grain over those along it.
    pub grain_ratio: Vec<f32>,
    /// Index into the body's materials.
    pub material: Vec<u16>,
    /// λ V and μ V, N m: follow from the above.
    pub lame: [Vec<f32>; 2],
}

/// What tetrahedra became: particles at their vertices, and what materials can follow there.
#[derive(Debug)]
pub(crate) struct Built {
    pub particles: Particles,
    pub tets: Tets,
    pub values: PointValues,
}

/// Why tetrahedra did not become a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TetBuildError {
    /// Their geometry.
    Shape(TetShapeError),
    /// Their material at some point.
    Material(MaterialError),
}

impl From<TetShapeError> for TetBuildError {
    fn from(error: TetShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<MaterialError> for TetBuildError {
    fn from(error: MaterialError) -> Self {
        Self::Material(error)
    }
}

/// Half the mean edge at a vertex, times this, is the radius by which others may find it.
const RADIUS: f32 = 0.2;

impl Tets {
    /// Checks a shape and samples its materials at the middle of every tetrahedron.
    pub fn build(
        shape: &TetShape,
        materials: &[Material],
        seed: u64,
    ) -> Result<Built, TetBuildError> {
        shape.check(materials.len())?;
        let mut tets = Self { corners: shape.tets.clone(), ..Self::default() };
        let mut samples = Vec::with_capacity(shape.tets.len());
        let middle = |tet| {
            let sum: DVec3 = shape.corners_of(tet).into_iter().sum();
            (sum / 4.0).as_vec3().to_array()
        };
        shape.values.sample_each((0..shape.tets.len()).map(middle), seed, |tet, at| {
            let sample = materials[shape.material(tet) as usize].sample(at)?;
            tets.push(shape, tet, &sample);
            samples.push(sample);
            Ok::<_, MaterialError>(())
        })?;
        tets.lame = std::array::from_fn(|_| vec![0.0; tets.corners.len()]);
        tets.follow_material();
        tets.follow_pieces();
        let stars = Stars::new(shape.vertices.len(), &tets.corners);
        let particles = particles(shape, &tets, &stars, &samples)?;
        Ok(Built { particles, values: values_at_vertices(shape, &stars), tets })
    }

    fn push(&mut self, shape: &TetShape, tet: usize, sample: &MaterialSample) {
        let g = gradients(shape.corners_of(tet));
        let floats = g.iter().flat_map(|g| g.as_vec3().to_array());
        self.gradient.iter_mut().zip(floats).for_each(|(column, value)| column.push(value));
        self.volume.push(shape.volume(tet) as f32);
        self.density.push(sample.density);
        self.modulus.push(sample.youngs_modulus);
        self.poisson.push(sample.poisson_ratio);
        self.strength.push(sample.strength);
        self.toughness.push(sample.toughness);
        self.load_time.push(sample.load_time);
        self.yield_stress.push(sample.yield_stress);
        self.creep_rate.push(sample.creep_rate);
        self.hardening.push(sample.hardening_modulus);
        self.plastic_limit.push(sample.plastic_limit);
        self.compressive_strength.push(sample.compressive_strength);
        let grain = self.grain.iter_mut().zip(sample.grain_direction);
        grain.for_each(|(column, value)| column.push(value));
        self.grain_ratio.push(sample.grain_strength_ratio);
        self.material.push(shape.material(tet));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// λ = E ν / ((1+ν)(1−2ν)), μ = E / (2(1+ν)) (003, erratum 003.1), times V.
    pub fn follow_material(&mut self) {
        (0..self.len()).for_each(|t| self.follow_material_of(t));
    }

    fn follow_material_of(&mut self, t: usize) {
        let (e, nu) = (self.modulus[t], self.poisson[t]);
        self.lame[0][t] = self.volume[t] * (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)));
        self.lame[1][t] = self.volume[t] * (e / (2.0 * (1.0 + nu)));
    }

    /// After corners have changed and pieces have been put in order.
    pub fn follow_pieces(&mut self) {
        self.anchor.clear();
        self.anchor.extend(self.corners.iter().map(|tet| tet[0]));
    }

    /// Takes over a value for all; false if it is not one of these.
    pub fn set(&mut self, field: MaterialField, value: f32) -> bool {
        let column = match field {
            MaterialField::YoungsModulus => &mut self.modulus,
            MaterialField::PoissonRatio => &mut self.poisson,
            MaterialField::Strength => &mut self.strength,
            MaterialField::Toughness => &mut self.toughness,
            MaterialField::LoadTime => &mut self.load_time,
            MaterialField::YieldStress => &mut self.yield_stress,
            MaterialField::CreepRate => &mut self.creep_rate,
            MaterialField::HardeningModulus => &mut self.hardening,
            MaterialField::PlasticLimit => &mut self.plastic_limit,
            MaterialField::CompressiveStrength => &mut self.compressive_strength,
            MaterialField::GrainStrengthRatio => &mut self.grain_ratio,
            _ => return false,
        };
        column.fill(value);
        self.follow_material();
        true
    }

    /// The tetrahedra of a piece.
    pub fn of(&self, span: &Span) -> Span {
        // pieces share no corner, and come in the same order
        let before = |end: usize| self.anchor.partition_point(|&v| (v as usize) < end);
        before(span.start)..before(span.end)
    }

    /// g of a corner, 1/m.
    pub fn gradient_of(&self, t: usize, corner: usize) -> DVec3 {
        let g = |k: usize| f64::from(self.gradient[k][t]);
        let of = |c: usize| DVec3::new(g(3 * c), g(3 * c + 1), g(3 * c + 2));
        match corner {
            0 => -(of(0) + of(1) + of(2)),
            c => of(c - 1),
        }
    }

    /// Mass at the vertices by tetrahedra alone, each giving a quarter: exact for the total, kg.
    pub fn mass_of(&self, stars: &Stars, v: usize) -> f64 {
        let quarter = |t: usize| 0.25 * f64::from(self.density[t]) * f64::from(self.volume[t]);
        stars.tets_of(v).map(quarter).sum()
    }

    /// Adds a half of one, whose corners are there: all but its shape is that of the other half. It is in no piece until these are put in order.
    pub fn push_half(&mut self, half: &Half) {
        let parent = half.parent as usize;
        self.material.push(self.material[parent]);
        self.anchor.push(u32::MAX);
        self.lame.iter_mut().for_each(|column| column.push(0.0));
        self.float_columns_mut().for_each(|column| column.push(column[parent]));
        let taken = half.share * self.volume[parent];
        self.volume[parent] -= taken;
        self.volume.last_mut().into_iter().for_each(|volume| *volume = taken);
    }

    /// After one was split.
    pub fn follow_split(&mut self, t: usize, rest: &[Vec3]) {
        let g = gradients(self.corners[t].map(|v| rest[v as usize].as_dvec3()));
        let floats = g.iter().flat_map(|g| g.as_vec3().to_array());
        self.gradient.iter_mut().zip(floats).for_each(|(column, value)| column[t] = value);
        self.follow_material_of(t);
    }

    /// Puts them in another order: `order[k]` becomes number k.
    pub fn permute(&mut self, order: &[u32]) {
        fn permuted<T: Copy>(column: &mut Vec<T>, order: &[u32]) {
            *column = order.iter().map(|&t| column[t as usize]).collect();
        }
        permuted(&mut self.corners, order);
        permuted(&mut self.material, order);
        self.float_columns_mut().for_each(|column| permuted(column, order));
        self.follow_material();
        self.follow_pieces();
    }

    /// Keeps the first of them.
    pub fn truncate(&mut self, count: usize) {
        self.corners.truncate(count);
        self.anchor.truncate(count);
        self.material.truncate(count);
        self.float_columns_mut().for_each(|column| column.truncate(count));
        self.lame.iter_mut().for_each(|column| column.truncate(count));
    }

    /// Every column of floats that is saved.
    pub fn float_columns(&self) -> impl Iterator<Item = &Vec<f32>> {
        let Self { gradient, volume, density, modulus, poisson, strength, toughness, .. } = self;
        let Self { load_time, yield_stress, creep_rate, hardening, plastic_limit, .. } = self;
        let Self { compressive_strength, grain, grain_ratio, .. } = self;
        let elastic = [volume, density, modulus, poisson, strength, toughness, load_time];
        let plastic = [yield_stress, creep_rate, hardening, plastic_limit, compressive_strength];
        gradient.iter().chain(elastic).chain(plastic).chain(grain).chain([grain_ratio])
    }

    /// The same, to change.
    pub fn float_columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Self { gradient, volume, density, modulus, poisson, strength, toughness, .. } = self;
        let Self { load_time, yield_stress, creep_rate, hardening, plastic_limit, .. } = self;
        let Self { compressive_strength, grain, grain_ratio, .. } = self;
        let elastic = [volume, density, modulus, poisson, strength, toughness, load_time];
        let plastic = [yield_stress, creep_rate, hardening, plastic_limit, compressive_strength];
        gradient.iter_mut().chain(elastic).chain(plastic).chain(grain).chain([grain_ratio])
    }

    /// Whether some of them may flow.
    pub fn may_flow(&self) -> bool {
        self.yield_stress.iter().chain(&self.compressive_strength).any(|stress| stress.is_finite())
    }

    /// Along the grain, of unit length, at rest.
    pub fn grain_of(&self, t: usize) -> Vec3 {
        Vec3::from_array(self.grain.each_ref().map(|column| column[t]))
    }
}

/// Rows of the inverse of [b−a, c−a, d−a].
fn gradients([a, b, c, d]: [DVec3; 4]) -> [DVec3; 3] {
    let inverse = DMat3::from_cols(b - a, c - a, d - a).inverse().transpose();
    [inverse.x_axis, inverse.y_axis, inverse.z_axis]
}

/// Particles without orientations, at rest.
fn particles(
    shape: &TetShape,
    tets: &Tets,
    stars: &Stars,
    samples: &[MaterialSample],
) -> Result<Particles, TetShapeError> {
    let mut particles = Particles::default();
    for (v, &position) in shape.vertices.iter().enumerate() {
        let mass = tets.mass_of(stars, v);
        if !(mass as f32 > 0.0 && (mass as f32).is_finite()) {
            return Err(TetShapeError::Mass { vertex: v, mass });
        }
        let around = stars.neighbours(v);
        let here = Vec3::from(position);
        let way = |&w: &u32| here.distance(shape.vertices[w as usize].into());
        let edge = around.iter().map(way).sum::<f32>() / around.len() as f32;
        // of several materials, what touches is that of the first
        let sample = stars.tets_of(v).next().map(|t| (samples[t], tets.material[t]));
        let Some((sample, material)) = sample else {
            return Err(TetShapeError::LooseVertex { vertex: v });
        };
        particles.push(NewParticle {
            rest: here,
            mass: mass as f32,
            inertia: None,
            radii: [0.5 * RADIUS * edge; 3],
            axes: Rot::IDENTITY,
            friction: [sample.friction, sample.friction_static],
            restitution: sample.restitution,
            material,
        });
    }
    particles.keep_remainders();
    Ok(particles)
}

/// What materials can follow, at vertices: the mean of the tetrahedra around.
fn values_at_vertices(shape: &TetShape, stars: &Stars) -> PointValues {
    let mean = |values: &Vec<f32>| -> Vec<f32> {
        let at = |v: usize| {
            let sum: f64 = stars.tets_of(v).map(|t| f64::from(values[t])).sum();
            (sum / stars.slots(v).len() as f64) as f32
        };
        if values.is_empty() { Vec::new() } else { (0..shape.vertices.len()).map(at).collect() }
    };
    let PointValues { curvature, attributes } = &shape.values;
    PointValues {
        curvature: mean(curvature),
        attributes: attributes.iter().map(|(name, values)| (name.clone(), mean(values))).collect(),
    }
}
