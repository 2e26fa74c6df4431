//! The names, units and ranges of the scalar values, each written once.

/// A scalar value of a material: what live changes, messages and overlays refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MaterialField {
    /// Mass per volume.
    Density,
    /// Stiffness in uniaxial stretch.
    YoungsModulus,
    /// Sideways contraction over stretch.
    PoissonRatio,
    /// Time in which free vibration falls to 1/e.
    DampingTime,
    /// Coefficient of sliding friction.
    Friction,
    /// Coefficient of static friction.
    FrictionStatic,
    /// Rebound speed over impact speed.
    Restitution,
    /// Stress above which it deforms for good.
    YieldStress,
    /// How fast stress above yield relaxes.
    CreepRate,
    /// Growth of the yield stress with plastic strain.
    HardeningModulus,
    /// Largest plastic stretch.
    PlasticLimit,
    /// Tensile stress of the first crack.
    Strength,
    /// Stress at which it is crushed.
    CompressiveStrength,
    /// Stress intensity at which a crack runs on.
    Toughness,
    /// Averaging window of the break test.
    LoadTime,
    /// Stiffness across the grain over along it.
    GrainStiffnessRatio,
    /// Strength across the grain over along it.
    GrainStrengthRatio,
    /// Share of a fracture disk that separates fully.
    TearRigidity,
    /// How little tears follow the fibres.
    FibreInfluence,
    /// Strain rate beyond which tears ignore the fibres.
    RateReference,
    /// Strain at which stretching has doubled the stiffness.
    StiffeningStrain,
    /// Thickness of a sheet.
    Thickness,
    /// Bending stiffness of a sheet.
    BendingStiffness,
}

/// What a field is called, measured in and allows.
struct FieldInfo {
    name: &'static str,
    unit: &'static str,
    allowed: &'static str,
    /// True for what is allowed; false for NaN.
    allows: fn(f32) -> bool,
}

// Bounds many decades from any solid, because the masses, Lamé parameters and damping rates formed
// from these must be neither 0 nor infinite in f32.
const DENSITY: (f32, f32) = (1.0e-6, 1.0e9);
const STIFFNESS: (f32, f32) = (1.0e-6, 1.0e15);
const DAMPING_TIME: f32 = 1.0e-9;
const STIFFENING: f32 = 1.0e-3;
const THICKNESS: (f32, f32) = (1.0e-9, 1.0e3);

fn positive(x: f32) -> bool {
    x > 0.0
}

fn from_zero(x: f32) -> bool {
    x >= 0.0 && x.is_finite()
}

fn share(x: f32) -> bool {
    (0.0..=1.0).contains(&x)
}

fn ratio(x: f32) -> bool {
    (1.0e-3..=1.0e3).contains(&x)
}

const POSITIVE: &str = "above 0 or inf";
const FROM_ZERO: &str = "at least 0 and finite";
const SHARE: &str = "from 0 to 1";
const RATIO: &str = "from 1e-3 to 1e3";

impl MaterialField {
    /// All fields, in the order of [`MaterialDesc`](super::MaterialDesc).
    pub const ALL: [Self; 23] = [
        Self::Density,
        Self::YoungsModulus,
        Self::PoissonRatio,
        Self::DampingTime,
        Self::Friction,
        Self::FrictionStatic,
        Self::Restitution,
        Self::YieldStress,
        Self::CreepRate,
        Self::HardeningModulus,
        Self::PlasticLimit,
        Self::Strength,
        Self::CompressiveStrength,
        Self::Toughness,
        Self::LoadTime,
        Self::GrainStiffnessRatio,
        Self::GrainStrengthRatio,
        Self::TearRigidity,
        Self::FibreInfluence,
        Self::RateReference,
        Self::StiffeningStrain,
        Self::Thickness,
        Self::BendingStiffness,
    ];

    const fn info(self) -> FieldInfo {
        let (name, unit, allowed, allows): (_, _, _, fn(f32) -> bool) = match self {
            Self::Density => {
                ("density", "kg/m³", "from 1e-6 to 1e9", |x| x >= DENSITY.0 && x <= DENSITY.1)
            }
            Self::YoungsModulus => ("youngs_modulus", "Pa", "from 1e-6 to 1e15", |x| {
                x >= STIFFNESS.0 && x <= STIFFNESS.1
            }),
            Self::PoissonRatio => {
                ("poisson_ratio", "", "above -1, at most 0.499", |x| x > -1.0 && x <= 0.499)
            }
            Self::DampingTime => {
                ("damping_time", "s", "at least 1e-9 or inf", |x| x >= DAMPING_TIME)
            }
            Self::Friction => ("friction", "", FROM_ZERO, from_zero),
            Self::FrictionStatic => {
                ("friction_static", "", "at least friction and finite", from_zero)
            }
            Self::Restitution => ("restitution", "", SHARE, share),
            Self::YieldStress => ("yield_stress", "Pa", POSITIVE, positive),
            Self::CreepRate => ("creep_rate", "1/s", FROM_ZERO, from_zero),
            Self::HardeningModulus => {
                ("hardening_modulus", "Pa", "from 0 to 1e15", |x| x >= 0.0 && x <= STIFFNESS.1)
            }
            Self::PlasticLimit => {
                ("plastic_limit", "", "from 1 to 10", |x| (1.0..=10.0).contains(&x))
            }
            Self::Strength => ("strength", "Pa", POSITIVE, positive),
            Self::CompressiveStrength => ("compressive_strength", "Pa", POSITIVE, positive),
            Self::Toughness => ("toughness", "Pa√m", POSITIVE, positive),
            Self::LoadTime => ("load_time", "s", FROM_ZERO, from_zero),
            Self::GrainStiffnessRatio => ("grain.stiffness_ratio", "", RATIO, ratio),
            Self::GrainStrengthRatio => ("grain.strength_ratio", "", RATIO, ratio),
            Self::TearRigidity => {
                ("tear_rigidity", "", "at least 0, below 1", |x| (0.0..1.0).contains(&x))
            }
            Self::FibreInfluence => ("fibre_influence", "", SHARE, share),
            Self::RateReference => ("rate_reference", "1/s", POSITIVE, positive),
            Self::StiffeningStrain => {
                ("stiffening_strain", "", "at least 1e-3 or inf", |x| x >= STIFFENING)
            }
            Self::Thickness => {
                ("thickness", "m", "from 1e-9 to 1e3", |x| x >= THICKNESS.0 && x <= THICKNESS.1)
            }
            Self::BendingStiffness => ("bending_stiffness", "N m", FROM_ZERO, from_zero),
        };
        FieldInfo { name, unit, allowed, allows }
    }

    /// The name in a scene file; a dot leads into a table (`grain.strength_ratio`).
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The unit, empty for a pure number.
    pub const fn unit(self) -> &'static str {
        self.info().unit
    }

    /// What the field allows, in the words of the error messages.
    pub const fn range_text(self) -> &'static str {
        self.info().allowed
    }

    /// Whether the field alone allows `value`; NaN never. That static friction is not below sliding
    /// friction concerns two fields and is checked where both are known.
    pub fn allows(self, value: f32) -> bool {
        (self.info().allows)(value)
    }

    /// The field of this [`name`](Self::name).
    ///
    /// ```
    /// use fracas::material::MaterialField;
    ///
    /// assert_eq!(MaterialField::from_name("strength"), Some(MaterialField::Strength));
    /// assert_eq!(MaterialField::from_name("strenght"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

impl std::fmt::Display for MaterialField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
