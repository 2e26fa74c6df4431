//! How far the sliders of materials reach.

use fracas::material::MaterialField;

/// What a slider offers. Other values can be typed; the engine says what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    /// The left end.
    pub low: f32,
    /// The right end, or the last number before `inf`.
    pub high: f32,
    /// Decades, with 0 below this number if the slider reaches 0.
    pub decades: Option<f32>,
    /// Ends with `inf`.
    pub endless: bool,
}

const fn even(low: f32, high: f32) -> Range {
    Range { low, high, decades: None, endless: false }
}

const fn decades(low: f32, high: f32) -> Range {
    Range { low, high, decades: Some(low), endless: false }
}

const fn endless(low: f32, high: f32) -> Range {
    Range { endless: true, ..decades(low, high) }
}

const fn from_zero(smallest: f32, high: f32) -> Range {
    Range { low: 0.0, high, decades: Some(smallest), endless: false }
}

/// From jelly to diamond, from sand to steel.
pub(super) fn range(field: MaterialField) -> Range {
    use MaterialField as F;
    match field {
        F::Density => decades(1.0, 2.0e4),
        F::YoungsModulus => decades(1.0e3, 1.0e12),
        F::PoissonRatio => even(-0.5, 0.499),
        F::DampingTime => endless(1.0e-4, 1.0e2),
        F::Friction | F::FrictionStatic => even(0.0, 2.0),
        F::YieldStress | F::Strength | F::CompressiveStrength => endless(1.0e2, 1.0e10),
        F::CreepRate => from_zero(1.0e-3, 1.0e4),
        F::HardeningModulus => from_zero(1.0e3, 1.0e11),
        F::PlasticLimit => even(1.0, 10.0),
        F::Toughness => endless(1.0e1, 1.0e9),
        F::LoadTime => from_zero(1.0e-5, 1.0),
        F::GrainStiffnessRatio | F::GrainStrengthRatio => decades(1.0e-3, 1.0e3),
        F::TearRigidity => even(0.0, 0.99),
        F::RateReference => endless(1.0e-3, 1.0e4),
        F::StiffeningStrain => endless(1.0e-3, 10.0),
        F::Thickness => decades(1.0e-5, 1.0),
        F::BendingStiffness => from_zero(1.0e-6, 1.0e8),
        // restitution, the influence of fibres, and what is not known yet: shares
        _ => even(0.0, 1.0),
    }
}

/// A value with three digits that count, or `inf`.
pub(super) fn text(value: f64) -> String {
    let size = value.abs();
    if value.is_infinite() {
        if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() }
    } else if size == 0.0 {
        "0".to_owned()
    } else if (1e-2..1e4).contains(&size) {
        let digits = (2 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        let text = format!("{value:.2e}");
        text.replace(".00e", "e").replace("0e", "e").replace(".e", "e")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of every slider are allowed, and `inf` only where it is.
    #[test]
    fn sliders_offer_what_is_allowed() {
        for field in MaterialField::ALL {
            let Range { low, high, decades, endless } = range(field);
            assert!(low < high, "{field}");
            assert!(field.allows(low) && field.allows(high), "{field}: {low} to {high}");
            assert_eq!(endless, field.allows(f32::INFINITY), "{field}");
            if let Some(smallest) = decades {
                assert!(smallest > 0.0 && field.allows(smallest), "{field}");
            }
            assert!(high / low.abs().max(1e-9) < 1e2 || decades.is_some() || low <= 0.0, "{field}");
        }
    }

    /// All presets lie within the sliders.
    #[test]
    fn presets_are_within_reach() {
        for (name, preset) in fracas::material::presets::PRESETS {
            for field in MaterialField::ALL {
                let Some(value) = preset().get(field).constant() else { continue };
                let Range { low, high, endless, .. } = range(field);
                let within = (low..=high).contains(&value) || endless && value == f32::INFINITY;
                assert!(within, "{field} of {name} is {value}");
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        let found =
            [0.0, 0.22, 1.5, 2480.0, 7.0e10, 3.3e7, 0.499, 1e-5, f64::INFINITY, 0.05, 100.0];
        let expected =
            ["0", "0.22", "1.5", "2480", "7e10", "3.3e7", "0.499", "1e-5", "inf", "0.05", "100"];
        assert_eq!(found.map(text), expected);
    }
}
