//! What a shape knows at each of its points beyond positions.

use super::SamplePoint;

/// Values at the points of a shape that a material can follow: `curvature` and `attribute` of
/// [`Varying`](super::Varying).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointValues {
    /// Mean curvature of the surface near each point, in 1/m, positive where it bulges; empty if
    /// the shape does not know it.
    pub curvature: Vec<f32>,
    /// Attributes of the mesh file: a name, and a value at each point.
    pub attributes: Vec<(String, Vec<f32>)>,
}

impl PointValues {
    /// What is wrong with values for so many points.
    pub(crate) fn check(&self, count: usize) -> Result<(), String> {
        let columns = self.attributes.iter().map(|(name, values)| (name.as_str(), values));
        let curvature = (!self.curvature.is_empty()).then_some(("curvature", &self.curvature));
        for (name, values) in columns.chain(curvature) {
            if values.len() != count {
                let found = values.len();
                return Err(format!("{name:?} has {found} values, but there are {count} points"));
            }
            if let Some(at) = values.iter().position(|x| !x.is_finite()) {
                return Err(format!("{name:?} at point {at} is {}", values[at]));
            }
        }
        Ok(())
    }

    /// Calls `sample` with the place of every point, in order, until it fails.
    pub(crate) fn sample_each<E>(
        &self,
        positions: impl Iterator<Item = [f32; 3]>,
        seed: u64,
        sample: impl FnMut(usize, &SamplePoint<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.sample_points(positions.enumerate(), seed, sample)
    }

    /// The same of some points, each with its number.
    pub(crate) fn sample_points<E>(
        &self,
        points: impl Iterator<Item = (usize, [f32; 3])>,
        seed: u64,
        mut sample: impl FnMut(usize, &SamplePoint<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut here: Vec<(&str, f32)> =
            self.attributes.iter().map(|(name, _)| (name.as_str(), 0.0)).collect();
        for (i, position) in points {
            for (value, (_, values)) in here.iter_mut().zip(&self.attributes) {
                value.1 = values[i];
            }
            let curvature = self.curvature.get(i).copied();
            sample(i, &SamplePoint { position, seed, curvature, attributes: &here })?;
        }
        Ok(())
    }
}
