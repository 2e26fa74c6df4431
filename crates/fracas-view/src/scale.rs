//! Numbers as colours: dark where they are small, bright where they are large.

use fracas::Body;
use fracas::material::MaterialField;

/// What can be told of every particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// The largest principal strain (logarithmic, by size).
    Strain,
    /// The largest principal stress, by size.
    Stress,
    /// What will stay of the strain.
    PlasticStrain,
    /// A value of the material, as it varies in space.
    Value(MaterialField),
}

/// A quantity and what is brightest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// What is told.
    pub of: Quantity,
    /// Where the scale is brightest; the largest there is if this is `None`.
    pub full: Option<f32>,
}

/// A scale as it was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    /// What was told.
    pub of: Quantity,
    /// Where it is darkest.
    pub dark: f32,
    /// Where it is brightest.
    pub bright: f32,
    /// The largest there is.
    pub largest: f32,
}

impl Quantity {
    /// In a few words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strain => "strain",
            Self::Stress => "stress",
            Self::PlasticStrain => "plastic strain",
            Self::Value(field) => field.name(),
        }
    }

    /// Of every particle.
    pub(crate) fn of(self, body: &Body) -> Vec<f32> {
        match self {
            Self::Strain => {
                let size = |[first, _, last]: [f32; 3]| first.abs().max(last.abs());
                body.strains().into_iter().map(size).collect()
            }
            Self::Stress => body.stresses().into_iter().map(f32::abs).collect(),
            Self::PlasticStrain => body.plastic_strains(),
            Self::Value(field) => body.values(field),
        }
    }

    /// A value as people say it.
    fn say(self, value: f32) -> String {
        match self {
            Self::Strain | Self::PlasticStrain => percent(value),
            Self::Stress => with_unit(value, "Pa"),
            Self::Value(field) => with_unit(value, field.unit()),
        }
    }
}

impl Scale {
    /// The ends for the values of all bodies. Values of materials begin where the least is, everything else at 0.
    pub(crate) fn ends(self, values: impl Iterator<Item = f32>) -> Ends {
        let finite = values.filter(|value| value.is_finite());
        let none = [f32::INFINITY, 0.0];
        let [least, largest] = finite.fold(none, |[a, b], x| [x.min(a), x.max(b)]);
        let dark = match self.of {
            Quantity::Value(_) if least < largest => least,
            _ => 0.0,
        };
        Ends { of: self.of, dark, bright: self.full.unwrap_or(largest), largest }
    }
}

impl Ends {
    /// How bright a value is, from 0 to 1.
    pub(crate) fn share(&self, value: f32) -> f32 {
        let length = self.bright - self.dark;
        if length > 0.0 { ((value - self.dark) / length).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// For the scale beside a picture.
    pub fn text(&self) -> String {
        let dark = if self.dark == 0.0 { "0".to_owned() } else { self.of.say(self.dark) };
        let [bright, largest] = [self.bright, self.largest].map(|value| self.of.say(value));
        format!("{} {dark} to {bright}, largest {largest}", self.of.name())
    }
}

/// With two digits that count.
fn percent(share: f32) -> String {
    format!("{} %", two_digits(100.0 * share))
}

fn two_digits(number: f32) -> String {
    let digits = if number > 0.0 { (1.0 - number.log10().floor()).clamp(0.0, 9.0) } else { 0.0 };
    format!("{number:.*}", digits as usize)
}

/// With the prefix that keeps it short.
fn with_unit(value: f32, unit: &str) -> String {
    if unit.is_empty() {
        return two_digits(value);
    }
    let prefixes = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    // grams and centimetres aside, units of one letter and powers take no prefix well
    let fits = matches!(unit, "Pa" | "N" | "J");
    let fitting = prefixes.into_iter().find(|&(size, _)| fits && value.abs() >= size);
    let (size, prefix) = fitting.unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", two_digits(value / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_as_people_do() {
        let text = [0.1, 1.5, 0.0123, 0.000_45, 0.0].map(percent);
        assert_eq!(text, ["10 %", "150 %", "1.2 %", "0.045 %", "0 %"]);
        let text = [0.0, 12.0, 2.5e4, 7.0e10].map(|value| with_unit(value, "Pa"));
        assert_eq!(text, ["0 Pa", "12 Pa", "25 kPa", "70 GPa"]);
        assert_eq!(with_unit(2700.0, "kg/m³"), "2700 kg/m³");
    }

    #[test]
    fn scales_reach_as_far_as_asked_or_as_there_is() {
        let values = [0.02, f32::INFINITY, 0.05];
        let strain = Scale { of: Quantity::Strain, full: Some(0.1) };
        let ends = strain.ends(values.into_iter());
        assert_eq!((ends.share(0.05), ends.share(0.2), ends.share(-1.0)), (0.5, 1.0, 0.0));
        assert_eq!(ends.text(), "strain 0 to 10 %, largest 5.0 %");
        let strength = Scale { of: Quantity::Value(MaterialField::Strength), full: None };
        let ends = strength.ends([2.0e4, 5.0e4].into_iter());
        assert_eq!((ends.share(2.0e4), ends.share(5.0e4)), (0.0, 1.0));
        assert_eq!(ends.text(), "strength 20 kPa to 50 kPa, largest 50 kPa");
        // all the same, or nothing at all
        assert_eq!(strength.ends([3.0; 2].into_iter()).share(3.0), 1.0);
        assert_eq!(strength.ends(std::iter::empty()).share(3.0), 0.0);
    }
}
