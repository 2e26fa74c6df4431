//! What overlays show of a body, asked between steps. Nothing here is read by a step.

use super::body::{Body, Piece};
use crate::material::{Material, MaterialError, MaterialField, SamplePoint};
use crate::math::symmetric_eigen;
use crate::solids::CrackTip;
use crate::solids::fem::FractureCounts;
use glam::Vec3;

impl Body {
    /// The value of a material field at every particle, as it varies in space, in the order of
    /// [`particle_ids`](Self::particle_ids) and the unit of the field. Damage is not in it, see
    /// [`strengths`](Self::strengths).
    pub fn values(&self, field: MaterialField) -> Vec<f32> {
        self.sampled(|material, at| material.value(field, at))
    }

    /// The principal stress that is largest by size at every particle, in Pa, above 0 where it is pulled, in the
    /// same order.
    ///
    /// Where the model measures stress, as tetrahedra do, it is that. Elsewhere
    /// this is E times the principal [strain](Self::strains) that is largest by size, with E sampled at the particle: the stress
    /// along that axis of a material without sideways contraction, as `oriented` is. It is that of the material also where sweeps do
    /// not reach its stiffness, see [`StepReport::stiffness_reached`](super::StepReport::stiffness_reached).
    pub fn stresses(&self) -> Vec<f32> {
        let moduli = self.values(MaterialField::YoungsModulus);
        let largest = |strain: [f32; 3]| {
            strain.into_iter().fold(0.0, |most: f32, e| if e.abs() > most.abs() { e } else { most })
        };
        let solid = self.model.solid();
        let at = |(j, e): (usize, f32)| match solid.stress(&self.particles, j) {
            Some(stress) => largest(symmetric_eigen(&stress).0),
            None => e * largest(solid.strain(&self.particles, j)),
        };
        moduli.into_iter().enumerate().map(at).collect()
    }

    /// Ends of the cracks of a sheet, with what loads them; none of other models.
    pub fn crack_tips(&self) -> Vec<CrackTip> {
        self.model.solid().tips()
    }

    /// Triangles of a sheet; 0 of other models.
    pub fn triangle_count(&self) -> usize {
        self.sheet().len()
    }

    /// How large a sheet is at rest, in m²; 0 of other models.
    pub fn rest_area(&self) -> f64 {
        let of = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|j| self.particles.rest[j as usize].as_dvec3());
            0.5 * (b - a).cross(c - a).length()
        };
        self.sheet().iter().map(of).sum()
    }

    /// Where the particles of a piece would be if it were rigid, relative to its origin, and how far loads take each off that, in m; none
    /// of models without such a reference.
    pub fn references(&self, piece: &Piece) -> Option<Vec<[[f32; 3]; 2]>> {
        let all = self.model.solid().references(&self.particles, piece.span.clone())?;
        Some(all.into_iter().map(|of| of.map(|x| x.to_array())).collect())
    }

    /// How often the tests of a break were asked and how they answered, since the body was spawned or loaded; none of models that do not
    /// count.
    pub fn fracture_counts(&self) -> Option<FractureCounts> {
        self.model.solid().fracture_counts()
    }

    /// Iterations of the model's own solves in the last substep.
    pub fn solver_iterations(&self) -> u32 {
        self.model.solid().iterations()
    }

    /// Direction of the grain at every particle as it lies in the world now, of unit length, in the same order.
    /// Empty if the materials are the same along the grain and across, and tears are not led by it.
    pub fn fibres(&self) -> Vec<[f32; 3]> {
        let plain = |field| {
            let ratio = |material: &Material| material.get(field).constant() == Some(1.0);
            self.materials.iter().all(ratio)
        };
        let ratios = [MaterialField::GrainStiffnessRatio, MaterialField::GrainStrengthRatio];
        if ratios.into_iter().chain([MaterialField::FibreInfluence]).all(plain) {
            return Vec::new();
        }
        let at_rest = self.sampled(Material::grain_direction);
        let now = |(j, direction)| {
            let line = Vec3::from(direction);
            let carried = self.model.solid().carried(&self.particles, j, line);
            carried.unwrap_or_else(|| self.turned_now(j) * line).to_array()
        };
        at_rest.into_iter().enumerate().map(now).collect()
    }

    /// What the material of each particle is where that was at rest.
    fn sampled<T: Default>(
        &self,
        sample: impl Fn(&Material, &SamplePoint<'_>) -> Result<T, MaterialError>,
    ) -> Vec<T> {
        let particles = &self.particles;
        let numbers = particles.number.iter().map(|&number| number as usize);
        let points = numbers.zip(particles.rest.iter().map(|rest| rest.to_array()));
        let mut values = Vec::with_capacity(particles.len());
        let Ok(()) = self.known.sample_points(points, self.seed, |_, at| {
            let material = self.materials.get(particles.material[values.len()] as usize);
            // all was sampled when the body was spawned
            let value = material.and_then(|material| sample(material, at).ok());
            values.push(value.unwrap_or_default());
            Ok::<_, std::convert::Infallible>(())
        });
        values
    }
}
