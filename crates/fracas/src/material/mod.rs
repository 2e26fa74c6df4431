//! What bodies are made of: [`MaterialDesc`] as written, [`Material`] as checked,
//! [`MaterialSample`] as found at one point.
//!
//! ```
//! use fracas::material::{Material, MaterialDesc, SamplePoint, presets};
//!
//! let tougher = MaterialDesc { toughness: 2.0e6.into(), ..presets::glass() };
//! let material = Material::try_from(&tougher)?;
//! let here = material.sample(&SamplePoint { position: [0.1, 0.0, 0.0], ..Default::default() })?;
//! assert_eq!(here.toughness, 2.0e6);
//! # Ok::<(), fracas::material::MaterialError>(())
//! ```

mod bytes;
mod desc;
mod error;
mod field;
#[cfg(feature = "serde")]
mod file;
pub(crate) mod noise;
mod points;
pub mod presets;
#[cfg(test)]
mod tests;
mod varying;

pub use desc::{Finish, Grain, MaterialDesc};
pub use error::MaterialError;
pub use field::MaterialField;
pub use points::PointValues;
pub use presets::preset;
pub use varying::{
    Attribute, Curvature, Curves, DirectionAttribute, DirectionCurves, Gradient, Noise, Varying,
    VaryingDirection,
};

use error::require;

/// A checked material: every value it can take lies in its range.
///
/// Only values that follow an attribute of the mesh file are checked later, when they are sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    desc: MaterialDesc,
}

/// Where a material is sampled, and what is known there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SamplePoint<'a> {
    /// Rest position in the frame of the shape, in m.
    pub position: [f32; 3],
    /// The body's seed.
    pub seed: u64,
    /// Mean curvature of the surface nearby, in 1/m, if the shape knows it.
    pub curvature: Option<f32>,
    /// Attributes of the mesh file here.
    pub attributes: &'a [(&'a str, f32)],
}

/// The values of a material at one point: what a model computes with. See [`MaterialDesc`] for
/// meanings and units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialSample {
    /// ρ, in kg/m³.
    pub density: f32,
    /// E, in Pa.
    pub youngs_modulus: f32,
    /// ν.
    pub poisson_ratio: f32,
    /// In s; may be `inf`.
    pub damping_time: f32,
    /// μ.
    pub friction: f32,
    /// μ_s.
    pub friction_static: f32,
    /// e.
    pub restitution: f32,
    /// σ_Y, in Pa; may be `inf`.
    pub yield_stress: f32,
    /// In 1/s.
    pub creep_rate: f32,
    /// H, in Pa.
    pub hardening_modulus: f32,
    /// Largest plastic stretch.
    pub plastic_limit: f32,
    /// σ_t, in Pa; may be `inf`.
    pub strength: f32,
    /// σ_c, in Pa; may be `inf`.
    pub compressive_strength: f32,
    /// K_c, in Pa√m; may be `inf`.
    pub toughness: f32,
    /// In s.
    pub load_time: f32,
    /// θ, of unit length.
    pub grain_direction: [f32; 3],
    /// Stiffness across the grain over along it.
    pub grain_stiffness_ratio: f32,
    /// Strength across the grain over along it.
    pub grain_strength_ratio: f32,
    /// γ.
    pub tear_rigidity: f32,
    /// β₀.
    pub fibre_influence: f32,
    /// ε̇₀, in 1/s; may be `inf`.
    pub rate_reference: f32,
    /// ε_s; may be `inf`.
    pub stiffening_strain: f32,
    /// t, in m.
    pub thickness: f32,
    /// D, in N m.
    pub bending_stiffness: f32,
}

impl TryFrom<&MaterialDesc> for Material {
    type Error = MaterialError;

    fn try_from(desc: &MaterialDesc) -> Result<Self, MaterialError> {
        for field in MaterialField::ALL {
            check_field(field, desc.get(field))?;
        }
        check_friction(&desc.friction, &desc.friction_static)?;
        desc.grain.direction.check(GRAIN_DIRECTION)?;
        for part in desc.inside.colour {
            require((0.0..=1.0).contains(&part), "inside.colour", "from 0 to 1", part)?;
        }
        let roughness = desc.inside.roughness;
        require((0.0..=1.0).contains(&roughness), "inside.roughness", "from 0 to 1", roughness)?;
        let Finish { metallic, transparency, rings, .. } = desc.inside;
        require((0.0..=1.0).contains(&metallic), "inside.metallic", "from 0 to 1", metallic)?;
        let clear = (0.0..=1.0).contains(&transparency);
        require(clear, "inside.transparency", "from 0 to 1", transparency)?;
        let apart = rings >= 0.0 && rings.is_finite();
        require(apart, "inside.rings", "at least 0 and finite", rings)?;
        Ok(Self { desc: desc.clone() })
    }
}

const GRAIN_DIRECTION: &str = "grain.direction";

fn check_field(field: MaterialField, value: &Varying) -> Result<(), MaterialError> {
    value.check(field.name())?;
    if let Some((lowest, highest)) = value.bounds() {
        check_value(field, lowest)?;
        check_value(field, highest)?;
    }
    Ok(())
}

fn check_value(field: MaterialField, value: f32) -> Result<(), MaterialError> {
    require(field.allows(value), field.name(), field.range_text(), value)
}

/// Refuses what must fail somewhere. Where both vary, whether static friction is the larger one
/// everywhere shows only when they are sampled.
fn check_friction(sliding: &Varying, at_rest: &Varying) -> Result<(), MaterialError> {
    if let (Some((lowest_sliding, _)), Some((_, highest_at_rest))) =
        (sliding.bounds(), at_rest.bounds())
    {
        check_friction_values(lowest_sliding, highest_at_rest)?;
    }
    Ok(())
}

fn check_friction_values(sliding: f32, at_rest: f32) -> Result<(), MaterialError> {
    let field = MaterialField::FrictionStatic;
    require(at_rest >= sliding, field.name(), field.range_text(), at_rest)
}

impl Material {
    /// What it was made from.
    pub fn desc(&self) -> &MaterialDesc {
        &self.desc
    }

    /// The value of a field, as written.
    pub fn get(&self, field: MaterialField) -> &Varying {
        self.desc.get(field)
    }

    /// What a broken surface looks like.
    pub fn inside(&self) -> &Finish {
        &self.desc.inside
    }

    /// The same material with one value changed.
    ///
    /// # Errors
    ///
    /// If the field does not allow the value, alone or beside the others.
    ///
    /// ```
    /// use fracas::material::{Material, MaterialField, presets};
    ///
    /// let glass = Material::try_from(&presets::glass())?;
    /// let weak = glass.with(MaterialField::Strength, 1.0e6)?;
    /// assert_eq!(weak.get(MaterialField::Strength).constant(), Some(1.0e6));
    /// let refused = glass.with(MaterialField::Strength, -1.0).unwrap_err();
    /// assert_eq!(refused.to_string(), "strength must be above 0 or inf, but is -1");
    /// # Ok::<(), fracas::material::MaterialError>(())
    /// ```
    pub fn with(
        &self,
        field: MaterialField,
        value: impl Into<Varying>,
    ) -> Result<Self, MaterialError> {
        let mut desc = self.desc.clone();
        *desc.get_mut(field) = value.into();
        Self::try_from(&desc)
    }

    /// One value at one point.
    ///
    /// # Errors
    ///
    /// If it follows something that is not known at this point (curvature, an attribute), or follows an
    /// attribute out of its range.
    pub fn value(&self, field: MaterialField, at: &SamplePoint<'_>) -> Result<f32, MaterialError> {
        let value = self.desc.get(field).sample(field.name(), at)?;
        check_value(field, value)?;
        Ok(value)
    }

    /// The direction of the grain at one point, of unit length.
    ///
    /// # Errors
    ///
    /// If it follows an attribute that is not known at this point.
    pub fn grain_direction(&self, at: &SamplePoint<'_>) -> Result<[f32; 3], MaterialError> {
        self.desc.grain.direction.sample(GRAIN_DIRECTION, at)
    }

    /// The values at one point.
    ///
    /// # Errors
    ///
    /// If a value follows something that is not known at this point (curvature, an attribute), or
    /// follows an attribute out of its range, or static friction falls below sliding friction.
    pub fn sample(&self, at: &SamplePoint<'_>) -> Result<MaterialSample, MaterialError> {
        let value = |field: MaterialField| self.value(field, at);
        let sample = MaterialSample {
            density: value(MaterialField::Density)?,
            youngs_modulus: value(MaterialField::YoungsModulus)?,
            poisson_ratio: value(MaterialField::PoissonRatio)?,
            damping_time: value(MaterialField::DampingTime)?,
            friction: value(MaterialField::Friction)?,
            friction_static: value(MaterialField::FrictionStatic)?,
            restitution: value(MaterialField::Restitution)?,
            yield_stress: value(MaterialField::YieldStress)?,
            creep_rate: value(MaterialField::CreepRate)?,
            hardening_modulus: value(MaterialField::HardeningModulus)?,
            plastic_limit: value(MaterialField::PlasticLimit)?,
            strength: value(MaterialField::Strength)?,
            compressive_strength: value(MaterialField::CompressiveStrength)?,
            toughness: value(MaterialField::Toughness)?,
            load_time: value(MaterialField::LoadTime)?,
            grain_direction: self.grain_direction(at)?,
            grain_stiffness_ratio: value(MaterialField::GrainStiffnessRatio)?,
            grain_strength_ratio: value(MaterialField::GrainStrengthRatio)?,
            tear_rigidity: value(MaterialField::TearRigidity)?,
            fibre_influence: value(MaterialField::FibreInfluence)?,
            rate_reference: value(MaterialField::RateReference)?,
            stiffening_strain: value(MaterialField::StiffeningStrain)?,
            thickness: value(MaterialField::Thickness)?,
            bending_stiffness: value(MaterialField::BendingStiffness)?,
        };
        check_friction_values(sample.friction, sample.friction_static)?;
        Ok(sample)
    }
}

impl MaterialSample {
    /// First Lamé parameter λ = E ν / ((1 + ν)(1 − 2ν)), in Pa (erratum 003.1).
    pub fn lambda(&self) -> f32 {
        let (e, nu) = (self.youngs_modulus, self.poisson_ratio);
        e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    }

    /// Shear modulus, the second Lamé parameter μ = E / (2 (1 + ν)), in Pa.
    pub fn mu(&self) -> f32 {
        self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))
    }

    /// Speed of a compression wave √((λ + 2μ) / ρ), in m/s.
    ///
    /// An explicit solver with element size `l` is stable only for substeps below about `l` over
    /// this speed.
    ///
    /// ```
    /// use fracas::material::{Material, MaterialDesc, SamplePoint};
    ///
    /// let steel = MaterialDesc {
    ///     density: 7850.0.into(),
    ///     youngs_modulus: 2.0e11.into(),
    ///     poisson_ratio: 0.3.into(),
    ///     ..Default::default()
    /// };
    /// let sample = Material::try_from(&steel)?.sample(&SamplePoint::default())?;
    /// assert!((sample.wave_speed() - 5856.0).abs() < 1.0);
    /// # Ok::<(), fracas::material::MaterialError>(())
    /// ```
    pub fn wave_speed(&self) -> f32 {
        ((self.lambda() + 2.0 * self.mu()) / self.density).sqrt()
    }

    /// Rate d = 2 / `damping_time` of the drag −d m v that damps free vibration as asked, in 1/s.
    ///
    /// ẍ + d ẋ + ω² x = 0 has the amplitude e^(−d t / 2) as long as it is underdamped.
    pub fn damping_rate(&self) -> f32 {
        2.0 / self.damping_time
    }
}

/// Coefficient of friction (or restitution) between two materials: the geometric mean √(a b).
///
/// ```
/// assert!((fracas::material::combine_friction(0.2, 0.8) - 0.4).abs() < 1.0e-6);
/// ```
pub fn combine_friction(a: f32, b: f32) -> f32 {
    // Roots first: the product of two large values would overflow.
    a.sqrt() * b.sqrt()
}
