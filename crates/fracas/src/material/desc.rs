//! A material as written.

use super::field::MaterialField;
use super::varying::{Varying, VaryingDirection};

/// A material as written in a scene file. Nothing is checked yet.
///
/// One set of SI values for all models, so that the same thing breaks at about the same load
/// whichever model moves it; a model reports what it does not use. Every value may vary in space,
/// see [`Varying`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct MaterialDesc {
    /// Mass per volume ρ, in kg/m³; from 1e-6 to 1e9.
    pub density: Varying,
    /// Stiffness in uniaxial stretch E, along the grain if there is one, in Pa; from 1e-6 to 1e15.
    pub youngs_modulus: Varying,
    /// Sideways contraction over stretch ν; above −1, at most 0.499 (volume is kept at 0.5).
    pub poisson_ratio: Varying,
    /// Time in which the amplitude of free vibration falls to 1/e, in s; at least 1e-9, `inf` rings
    /// for ever.
    pub damping_time: Varying,
    /// Coefficient of sliding friction μ; at least 0 and finite. Two materials that touch combine
    /// by the geometric mean, here and in the next two.
    pub friction: Varying,
    /// Coefficient of static friction μ_s; at least `friction` and finite.
    pub friction_static: Varying,
    /// Rebound speed over impact speed e; from 0 to 1.
    pub restitution: Varying,
    /// Uniaxial stress above which it deforms for good σ_Y, in Pa; above 0, `inf` never flows.
    pub yield_stress: Varying,
    /// Rate at which strain beyond yield turns plastic, in 1/s: a share 1 − exp(−rate Δt) of it
    /// in a time Δt; at least 0 and finite.
    pub creep_rate: Varying,
    /// Growth of the yield stress per plastic strain H, in Pa; from 0 to 1e15.
    pub hardening_modulus: Varying,
    /// Largest plastic stretch: where it is reached, in length or as its inverse in thickness, the
    /// material flows no further; from 1 (never flows) to 10.
    pub plastic_limit: Varying,
    /// Tensile stress of the first crack σ_t, where none is open nearby, along the grain if there
    /// is one, in Pa; above 0, `inf` never breaks.
    pub strength: Varying,
    /// Compressive stress at which it is crushed σ_c, in Pa; above 0, `inf` never.
    pub compressive_strength: Varying,
    /// Stress intensity at which an open crack runs on K_c, in Pa√m; above 0, `inf` never.
    pub toughness: Varying,
    /// Time over which the load is averaged before it is compared with the strength, in s; at
    /// least 0 and finite.
    pub load_time: Varying,
    /// Direction of the grain and what it changes.
    pub grain: Grain,
    /// Share γ of a fracture disk's radius within which the tear is complete (seed 002 eq. 3.2);
    /// at least 0, below 1. Only `meshless`.
    pub tear_rigidity: Varying,
    /// How freely a slow tear crosses the fibres β₀ (seed 002 eq. 3.6): 0 only along them, 1 as if
    /// there were none; from 0 to 1. Only `meshless`.
    pub fibre_influence: Varying,
    /// Strain rate ε̇₀ beyond which tears cross the fibres more and more freely, in 1/s; above 0,
    /// `inf` at no rate. Only `meshless`.
    pub rate_reference: Varying,
    /// Strain ε_s at which the stress of a pulled bar is twice that of a linear one, as tissue stiffens:
    /// σ = E ε (1 + (ε/ε_s)²); at least 1e-3, `inf` never stiffens. Only `meshless`.
    pub stiffening_strain: Varying,
    /// Thickness of a sheet t, in m; from 1e-9 to 1e3. Only `sheet`.
    pub thickness: Varying,
    /// Bending stiffness of a sheet D, in N m, E t³/(12 (1 − ν²)) for a plain plate; at least 0
    /// and finite. Only `sheet`.
    pub bending_stiffness: Varying,
    /// What a broken surface looks like.
    pub inside: Finish,
}

/// Direction of the grain and what it changes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Grain {
    /// Along the grain or the fibres θ; not 0, need not be unit length.
    pub direction: VaryingDirection,
    /// Stiffness across the grain over that along it; from 1e-3 to 1e3, 1 if the same.
    pub stiffness_ratio: Varying,
    /// Strength and toughness across the grain over those along it; from 1e-3 to 1e3, 1 if the
    /// same.
    pub strength_ratio: Varying,
}

/// What a surface looks like. Never seen by the physics.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Finish {
    /// Linear red, green and blue; each from 0 to 1.
    pub colour: [f32; 3],
    /// Roughness as renderers use it, 0 a mirror, 1 chalk; from 0 to 1.
    pub roughness: f32,
    /// How much of it is metal, which mirrors in its own colour; from 0 to 1.
    pub metallic: f32,
    /// How much of what is behind is seen through it, in its colour; from 0 to 1.
    pub transparency: f32,
    /// Distance of growth rings around the direction of the grain, in m; at least 0, 0 if there are none.
    pub rings: f32,
}

impl Default for MaterialDesc {
    /// Soft rubber: sags visibly under its own weight, never flows and never breaks.
    fn default() -> Self {
        Self {
            density: 1.0e3.into(),
            youngs_modulus: 1.0e5.into(),
            poisson_ratio: 0.4.into(),
            damping_time: 1.0.into(),
            friction: 0.5.into(),
            friction_static: 0.6.into(),
            restitution: 0.2.into(),
            yield_stress: f32::INFINITY.into(),
            creep_rate: 30.0.into(),
            hardening_modulus: 0.0.into(),
            plastic_limit: 4.0.into(),
            strength: f32::INFINITY.into(),
            compressive_strength: f32::INFINITY.into(),
            toughness: f32::INFINITY.into(),
            load_time: 0.02.into(),
            grain: Grain::default(),
            tear_rigidity: 0.4.into(),
            fibre_influence: 1.0.into(),
            rate_reference: 1.0.into(),
            stiffening_strain: f32::INFINITY.into(),
            thickness: 1.0e-3.into(),
            bending_stiffness: 0.0.into(),
            inside: Finish::default(),
        }
    }
}

impl Default for Grain {
    /// None: the same in all directions.
    fn default() -> Self {
        Self {
            direction: [1.0, 0.0, 0.0].into(),
            stiffness_ratio: 1.0.into(),
            strength_ratio: 1.0.into(),
        }
    }
}

impl Default for Finish {
    /// Light grey and dull.
    fn default() -> Self {
        Self { colour: [0.6; 3], roughness: 0.8, metallic: 0.0, transparency: 0.0, rings: 0.0 }
    }
}

impl MaterialDesc {
    /// The value of a field.
    pub fn get(&self, field: MaterialField) -> &Varying {
        match field {
            MaterialField::Density => &self.density,
            MaterialField::YoungsModulus => &self.youngs_modulus,
            MaterialField::PoissonRatio => &self.poisson_ratio,
            MaterialField::DampingTime => &self.damping_time,
            MaterialField::Friction => &self.friction,
            MaterialField::FrictionStatic => &self.friction_static,
            MaterialField::Restitution => &self.restitution,
            MaterialField::YieldStress => &self.yield_stress,
            MaterialField::CreepRate => &self.creep_rate,
            MaterialField::HardeningModulus => &self.hardening_modulus,
            MaterialField::PlasticLimit => &self.plastic_limit,
            MaterialField::Strength => &self.strength,
            MaterialField::CompressiveStrength => &self.compressive_strength,
            MaterialField::Toughness => &self.toughness,
            MaterialField::LoadTime => &self.load_time,
            MaterialField::GrainStiffnessRatio => &self.grain.stiffness_ratio,
            MaterialField::GrainStrengthRatio => &self.grain.strength_ratio,
            MaterialField::TearRigidity => &self.tear_rigidity,
            MaterialField::FibreInfluence => &self.fibre_influence,
            MaterialField::RateReference => &self.rate_reference,
            MaterialField::StiffeningStrain => &self.stiffening_strain,
            MaterialField::Thickness => &self.thickness,
            MaterialField::BendingStiffness => &self.bending_stiffness,
        }
    }

    /// The place of a field's value, to change it.
    pub fn get_mut(&mut self, field: MaterialField) -> &mut Varying {
        match field {
            MaterialField::Density => &mut self.density,
            MaterialField::YoungsModulus => &mut self.youngs_modulus,
            MaterialField::PoissonRatio => &mut self.poisson_ratio,
            MaterialField::DampingTime => &mut self.damping_time,
            MaterialField::Friction => &mut self.friction,
            MaterialField::FrictionStatic => &mut self.friction_static,
            MaterialField::Restitution => &mut self.restitution,
            MaterialField::YieldStress => &mut self.yield_stress,
            MaterialField::CreepRate => &mut self.creep_rate,
            MaterialField::HardeningModulus => &mut self.hardening_modulus,
            MaterialField::PlasticLimit => &mut self.plastic_limit,
            MaterialField::Strength => &mut self.strength,
            MaterialField::CompressiveStrength => &mut self.compressive_strength,
            MaterialField::Toughness => &mut self.toughness,
            MaterialField::LoadTime => &mut self.load_time,
            MaterialField::GrainStiffnessRatio => &mut self.grain.stiffness_ratio,
            MaterialField::GrainStrengthRatio => &mut self.grain.strength_ratio,
            MaterialField::TearRigidity => &mut self.tear_rigidity,
            MaterialField::FibreInfluence => &mut self.fibre_influence,
            MaterialField::RateReference => &mut self.rate_reference,
            MaterialField::StiffeningStrain => &mut self.stiffening_strain,
            MaterialField::Thickness => &mut self.thickness,
            MaterialField::BendingStiffness => &mut self.bending_stiffness,
        }
    }

    /// Replaces every file of curves by its contents: `read` gets the name as written and returns
    /// the curves. The engine itself reads no files.
    ///
    /// # Errors
    ///
    /// The first error of `read`; what was read before it stays.
    pub fn resolve_curves<E>(
        &mut self,
        mut read: impl FnMut(&str) -> Result<Vec<Vec<[f32; 3]>>, E>,
    ) -> Result<(), E> {
        let mut resolve = |file: &mut Option<String>, lines: &mut Vec<Vec<[f32; 3]>>| {
            if let Some(name) = file.as_deref() {
                lines.extend(read(name)?);
                *file = None;
            }
            Ok(())
        };
        for field in MaterialField::ALL {
            if let Varying::Curves(curves) = self.get_mut(field) {
                resolve(&mut curves.file, &mut curves.lines)?;
            }
        }
        if let VaryingDirection::Curves(curves) = &mut self.grain.direction {
            resolve(&mut curves.file, &mut curves.lines)?;
        }
        Ok(())
    }
}
