//! The one way in which a value or a direction varies in space.

use glam::Vec3;

use super::SamplePoint;
use super::error::MaterialError;
use super::noise::value_noise;

/// A value that may vary in space. In a file it is a number, or a table with one of these keys.
///
/// ```toml
/// strength = 2e6
/// density = { gradient = { from = [0, 0, 0], to = [0, 1, 0], start = 900, end = 1100 } }
/// youngs_modulus = { noise = { mean = 1e6, spread = 2e5, wavelength = 0.05 } }
/// toughness = { curvature = { low = 1e3, high = 5e2, range = [0, 20] } }
/// thickness = { attribute = { name = "thickness", scale = 1e-3 } }
/// friction = { curves = { near = 0.2, far = 0.8, radius = 0.01, file = "scratches.obj" } }
/// ```
///
/// Positions are those of the rest shape in its own frame. Values are read once, when the body is
/// spawned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Varying {
    /// The same everywhere; `inf` where the field allows it.
    Constant(f32),
    /// Changes evenly from one point to another.
    Gradient(Gradient),
    /// Changes at random.
    Noise(Noise),
    /// Follows the curvature of the surface.
    Curvature(Curvature),
    /// Follows an attribute of the mesh file.
    Attribute(Attribute),
    /// Follows the distance to curves.
    Curves(Curves),
}

impl From<f32> for Varying {
    fn from(value: f32) -> Self {
        Self::Constant(value)
    }
}

/// From `start` at one point to `end` at another, linear between and constant beyond.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Gradient {
    /// Where the value is `start`, in m.
    pub from: [f32; 3],
    /// Where the value is `end`, in m; not where `from` is.
    pub to: [f32; 3],
    /// Value at `from`, in the unit of the field; finite.
    pub start: f32,
    /// Value at `to`, in the unit of the field; finite.
    pub end: f32,
}

/// A smooth random field; the body's seed chooses it.
///
/// Fields of one material that have the same wavelength rise and fall together: a weak spot is
/// also a soft spot.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Noise {
    /// Mean over space, in the unit of the field; finite.
    pub mean: f32,
    /// Largest deviation from the mean, in the unit of the field; at least 0 and finite.
    pub spread: f32,
    /// Distance between independent values, in m; above 0 and finite.
    pub wavelength: f32,
}

/// By the mean curvature of the surface: `low` and `high` at the ends of `range`, linear between
/// and constant beyond.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Curvature {
    /// Value at the lower curvature, in the unit of the field; finite.
    pub low: f32,
    /// Value at the higher curvature, in the unit of the field; finite.
    pub high: f32,
    /// Lower and higher curvature, in 1/m, positive where the surface bulges; rising and finite.
    pub range: [f32; 2],
}

/// `scale` times an attribute of the mesh file plus `offset`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Attribute {
    /// The name of the attribute.
    pub name: String,
    /// Factor, in the unit of the field per unit of the attribute; finite.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub scale: f32,
    /// Value where the attribute is 0, in the unit of the field; finite.
    #[cfg_attr(feature = "serde", serde(default))]
    pub offset: f32,
}

#[cfg(feature = "serde")]
fn one() -> f32 {
    1.0
}

/// By the distance to the nearest curve: `near` on it, `far` from `radius` on, linear between.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Curves {
    /// Value on the curve, in the unit of the field; finite.
    pub near: f32,
    /// Value at `radius` and beyond, in the unit of the field; finite.
    pub far: f32,
    /// Distance at which `far` is reached, in m; above 0 and finite.
    pub radius: f32,
    /// The file with the curves; must be read into `lines` before the material is used.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub file: Option<String>,
    /// The curves, each a list of at least one point joined by straight lines, in m.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub lines: Vec<Vec<[f32; 3]>>,
}

/// A direction that may vary in space. In a file it is a vector, or a table with one of the keys
/// `attribute` and `curves`.
///
/// ```toml
/// grain.direction = [0, 1, 0]
/// grain.direction = { attribute = { name = "fibre" } }
/// grain.direction = { curves = { file = "fibres.obj" } }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum VaryingDirection {
    /// The same everywhere; need not be unit length.
    Constant([f32; 3]),
    /// Follows an attribute of the mesh file.
    Attribute(DirectionAttribute),
    /// Runs along the nearest curve.
    Curves(DirectionCurves),
}

impl From<[f32; 3]> for VaryingDirection {
    fn from(direction: [f32; 3]) -> Self {
        Self::Constant(direction)
    }
}

/// A direction from three attributes of the mesh file: `name.x`, `name.y` and `name.z`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DirectionAttribute {
    /// The name before the dot.
    pub name: String,
}

/// The direction of the nearest piece of a curve.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DirectionCurves {
    /// The file with the curves; must be read into `lines` before the material is used.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub file: Option<String>,
    /// The curves, each a list of at least two points joined by straight lines, in m.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub lines: Vec<Vec<[f32; 3]>>,
}

impl Varying {
    /// The value, if it is the same everywhere.
    pub fn constant(&self) -> Option<f32> {
        if let Self::Constant(value) = *self { Some(value) } else { None }
    }

    /// Lowest and highest value it can take; `None` if only the mesh file knows.
    pub fn bounds(&self) -> Option<(f32, f32)> {
        let sorted = |a: f32, b: f32| if a <= b { (a, b) } else { (b, a) };
        match self {
            Self::Constant(value) => Some((*value, *value)),
            Self::Gradient(v) => Some(sorted(v.start, v.end)),
            Self::Noise(v) => Some((v.mean - v.spread, v.mean + v.spread)),
            Self::Curvature(v) => Some(sorted(v.low, v.high)),
            Self::Attribute(_) => None,
            Self::Curves(v) => Some(sorted(v.near, v.far)),
        }
    }

    /// Checks the numbers that say how the value varies; its range is the field's business.
    pub(super) fn check(&self, field: &'static str) -> Result<(), MaterialError> {
        let require = Require { field };
        match self {
            Self::Constant(_) => Ok(()),
            Self::Gradient(Gradient { from, to, start, end }) => {
                require.finite("gradient.start", *start)?;
                require.finite("gradient.end", *end)?;
                require.finite_point("gradient.from", from)?;
                require.finite_point("gradient.to", to)?;
                require.that(from != to, "gradient.to", "away from gradient.from", to[0])
            }
            Self::Noise(Noise { mean, spread, wavelength }) => {
                require.finite("noise.mean", *mean)?;
                let usable = *spread >= 0.0 && spread.is_finite();
                require.that(usable, "noise.spread", "at least 0 and finite", *spread)?;
                require.above_zero("noise.wavelength", *wavelength)
            }
            Self::Curvature(Curvature { low, high, range }) => {
                require.finite("curvature.low", *low)?;
                require.finite("curvature.high", *high)?;
                require.finite_pair("curvature.range", range)?;
                require.that(range[1] > range[0], "curvature.range", "rising", range[1])
            }
            Self::Attribute(Attribute { name: _, scale, offset }) => {
                require.finite("attribute.scale", *scale)?;
                require.finite("attribute.offset", *offset)
            }
            Self::Curves(Curves { near, far, radius, file, lines }) => {
                require.finite("curves.near", *near)?;
                require.finite("curves.far", *far)?;
                require.above_zero("curves.radius", *radius)?;
                require.lines(file.as_deref(), lines, 1)
            }
        }
    }

    /// The value at a point. Parameters were checked; what the point lacks is an error.
    pub(super) fn sample(
        &self,
        field: &'static str,
        at: &SamplePoint<'_>,
    ) -> Result<f32, MaterialError> {
        Ok(match self {
            Self::Constant(value) => *value,
            Self::Gradient(Gradient { from, to, start, end }) => {
                mix(*start, *end, along(at.position, *from, *to))
            }
            Self::Noise(Noise { mean, spread, wavelength }) => {
                mean + spread * value_noise(at.position, *wavelength, at.seed)
            }
            Self::Curvature(Curvature { low, high, range }) => {
                let curvature = at.curvature.ok_or(MaterialError::NoCurvature { field })?;
                let [from, to] = range.map(f64::from);
                mix(*low, *high, (f64::from(curvature) - from) / (to - from))
            }
            Self::Attribute(Attribute { name, scale, offset }) => {
                scale * attribute(field, name, at)? + offset
            }
            Self::Curves(Curves { near, far, radius, lines, .. }) => {
                let distance = nearest(at.position, lines).distance;
                mix(*near, *far, distance / f64::from(*radius))
            }
        })
    }
}

impl VaryingDirection {
    /// Checks the numbers that say how the direction varies, and that a constant has one.
    pub(super) fn check(&self, field: &'static str) -> Result<(), MaterialError> {
        match self {
            Self::Constant(direction) => unit(field, *direction).map(drop),
            Self::Attribute(_) => Ok(()),
            Self::Curves(DirectionCurves { file, lines }) => {
                Require { field }.lines(file.as_deref(), lines, 2)
            }
        }
    }

    /// The direction at a point, of unit length.
    pub(super) fn sample(
        &self,
        field: &'static str,
        at: &SamplePoint<'_>,
    ) -> Result<[f32; 3], MaterialError> {
        let direction = match self {
            Self::Constant(direction) => *direction,
            Self::Attribute(DirectionAttribute { name }) => {
                let part = |axis: &str| attribute(field, &format!("{name}.{axis}"), at);
                [part("x")?, part("y")?, part("z")?]
            }
            Self::Curves(DirectionCurves { lines, .. }) => nearest(at.position, lines).tangent,
        };
        unit(field, direction)
    }
}

fn attribute(field: &'static str, name: &str, at: &SamplePoint<'_>) -> Result<f32, MaterialError> {
    let found = at.attributes.iter().find(|(known, _)| *known == name);
    found
        .map(|&(_, value)| value)
        .ok_or_else(|| MaterialError::NoAttribute { field, name: name.to_owned() })
}

/// `v` at unit length; scaled by its largest part first, so that no square over- or underflows.
fn unit(field: &'static str, v: [f32; 3]) -> Result<[f32; 3], MaterialError> {
    let refused =
        |found| MaterialError::OutOfRange { field, allowed: "finite and not 0 in length", found };
    let v = Vec3::from(v);
    if !v.is_finite() {
        return Err(refused(f32::NAN));
    }
    let largest = v.abs().max_element();
    if largest < f32::MIN_POSITIVE {
        return Err(refused(largest));
    }
    Ok((v / largest).normalize().to_array())
}

/// `a` at t = 0 and `b` at t = 1, never outside the two; t is clamped.
fn mix(a: f32, b: f32, t: f64) -> f32 {
    let t = t.clamp(0.0, 1.0);
    let value = ((1.0 - t) * f64::from(a) + t * f64::from(b)) as f32;
    value.clamp(a.min(b), a.max(b))
}

/// Where the foot of `p` on the line lies: 0 at `from`, 1 at `to`. 0 if the two coincide.
fn along(p: [f32; 3], from: [f32; 3], to: [f32; 3]) -> f64 {
    let (mut dot, mut square) = (0.0, 0.0);
    for axis in 0..3 {
        let edge = f64::from(to[axis]) - f64::from(from[axis]);
        dot += (f64::from(p[axis]) - f64::from(from[axis])) * edge;
        square += edge * edge;
    }
    if square > 0.0 { dot / square } else { 0.0 }
}

/// The piece of curve nearest to a point; of equally near ones, the first.
struct Nearest {
    distance: f64,
    /// Not unit length; 0 for a curve of one point.
    tangent: [f32; 3],
}

fn nearest(p: [f32; 3], lines: &[Vec<[f32; 3]>]) -> Nearest {
    let mut best = Nearest { distance: f64::INFINITY, tangent: [0.0; 3] };
    for line in lines {
        // A curve of one point is a segment of no length.
        let ends = if line.len() > 1 { &line[1..] } else { &line[..] };
        for (from, to) in line.iter().zip(ends) {
            let t = along(p, *from, *to).clamp(0.0, 1.0);
            let mut square = 0.0;
            for axis in 0..3 {
                let (a, b) = (f64::from(from[axis]), f64::from(to[axis]));
                let off = f64::from(p[axis]) - (a + t * (b - a));
                square += off * off;
            }
            let distance = square.sqrt();
            if distance < best.distance {
                let tangent = (Vec3::from(*to) - Vec3::from(*from)).to_array();
                best = Nearest { distance, tangent };
            }
        }
    }
    best
}

/// The checks of one field's variation.
struct Require {
    field: &'static str,
}

impl Require {
    fn that(
        &self,
        holds: bool,
        part: &'static str,
        allowed: &'static str,
        found: f32,
    ) -> Result<(), MaterialError> {
        if holds {
            Ok(())
        } else {
            Err(MaterialError::BadVariation { field: self.field, part, allowed, found })
        }
    }

    fn finite(&self, part: &'static str, found: f32) -> Result<(), MaterialError> {
        self.that(found.is_finite(), part, "finite", found)
    }

    fn above_zero(&self, part: &'static str, found: f32) -> Result<(), MaterialError> {
        self.that(found > 0.0 && found.is_finite(), part, "above 0 and finite", found)
    }

    fn finite_pair(&self, part: &'static str, pair: &[f32; 2]) -> Result<(), MaterialError> {
        pair.iter().try_for_each(|&x| self.finite(part, x))
    }

    fn finite_point(&self, part: &'static str, point: &[f32; 3]) -> Result<(), MaterialError> {
        point.iter().try_for_each(|&x| self.finite(part, x))
    }

    /// Curves must have been read, and each must have enough points; for a direction (two points
    /// or more) no two points in a row may coincide.
    fn lines(
        &self,
        file: Option<&str>,
        lines: &[Vec<[f32; 3]>],
        least: usize,
    ) -> Result<(), MaterialError> {
        if let (Some(file), true) = (file, lines.is_empty()) {
            return Err(MaterialError::CurvesNotRead { field: self.field, file: file.to_owned() });
        }
        self.that(!lines.is_empty(), "curves.lines", "a list of at least one curve", 0.0)?;
        for line in lines {
            let enough =
                if least == 1 { "at least one point long" } else { "at least two points long" };
            self.that(line.len() >= least, "curves.lines", enough, line.len() as f32)?;
            line.iter().try_for_each(|p| self.finite_point("curves.lines", p))?;
            let moves = least == 1 || line.windows(2).all(|pair| pair[0] != pair[1]);
            self.that(moves, "curves.lines", "without points that coincide with the next", 0.0)?;
        }
        Ok(())
    }
}
