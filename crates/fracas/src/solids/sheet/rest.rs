//! A sheet at rest: what is handed in, what is wrong with it, and what follows from its rest plane.

use super::elastic::{principal, principal_axis};
use super::remesh::Plane;
use super::topology::{CornerTable, TopologyError};
use crate::material::{Material, MaterialError, MaterialField, MaterialSample, PointValues};
use crate::math::Rot;
use crate::solids::{NewParticle, Particles};
use glam::{DVec2, DVec3};

/// Triangles in a plane, as they are when nothing pulls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SheetShape {
    /// Places in the rest plane, in m. (u, v) is (u, 0, −v) in the shape's frame: the sheet lies flat and its front looks up.
    pub vertices: Vec<[f32; 2]>,
    /// Corners of each triangle, counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// Cuts that it begins with, each from a place to a place in the rest plane, in m.
    pub cuts: Vec<[[f32; 2]; 2]>,
    /// How it is told where it tears.
    pub options: SheetOptions,
}

/// How it is told where a sheet tears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SheetOptions {
    /// What begins a crack.
    pub criterion: Criterion,
    /// What tells the load of its tips.
    pub tips: TipTest,
}

/// What begins a crack where a sheet is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// The mean stress around a vertex against the strength.
    #[default]
    Stress,
    /// The separation tensor of the seed (004 eq. 17) against strength, mean edge and thickness. What it stands depends on how triangles lie.
    Separation,
}

/// What tells K_I and K_II of a tip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TipTest {
    /// The mean stress over a disc.
    #[default]
    Disc,
    /// The interaction integral over the same disc: more exact, for about three times the time.
    Integral,
}

impl SheetOptions {
    /// As a number, for snapshots.
    pub(super) fn code(self) -> u64 {
        u64::from(self.criterion == Criterion::Separation)
            + 2 * u64::from(self.tips == TipTest::Integral)
    }

    /// Of such a number; none if it is none.
    pub(super) fn of_code(code: u64) -> Option<Self> {
        let criterion = if code & 1 == 0 { Criterion::Stress } else { Criterion::Separation };
        let tips = if code & 2 == 0 { TipTest::Disc } else { TipTest::Integral };
        (code < 4).then_some(Self { criterion, tips })
    }
}

/// Why triangles are no sheet.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SheetShapeError {
    /// There are none.
    Empty,
    /// A place that is not finite.
    NotFinite {
        /// Its vertex.
        vertex: usize,
    },
    /// A triangle without area, or with its corners clockwise.
    Area {
        /// Which.
        triangle: usize,
        /// In m².
        area: f64,
    },
    /// Triangles that do not make a sheet.
    Topology(TopologyError),
    /// More than one material, or none.
    Materials(usize),
    /// A vertex whose mass is no number above 0.
    Mass {
        /// Which.
        vertex: usize,
        /// In kg.
        mass: f64,
    },
    /// A cut that could not be made: it begins outside, or is shorter than half an edge.
    Cut {
        /// Which.
        cut: usize,
    },
}

impl std::fmt::Display for SheetShapeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "it has no triangles"),
            Self::NotFinite { vertex } => write!(f, "vertex {vertex} is at no finite place"),
            Self::Area { triangle, area } => {
                write!(f, "triangle {triangle} has area {area} m², but must be above 0")
            }
            Self::Topology(error) => error.fmt(f),
            Self::Materials(count) => {
                write!(f, "a sheet is of one material, but {count} are given")
            }
            Self::Mass { vertex, mass } => {
                write!(f, "vertex {vertex} would have a mass of {mass} kg")
            }
            Self::Cut { cut } => {
                write!(f, "cut {cut} begins outside of the sheet or is shorter than half an edge")
            }
        }
    }
}

impl std::error::Error for SheetShapeError {}

/// Why a sheet did not become a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SheetBuildError {
    /// Its triangles.
    Shape(SheetShapeError),
    /// Its material at some point.
    Material(MaterialError),
}

impl From<SheetShapeError> for SheetBuildError {
    fn from(error: SheetShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<MaterialError> for SheetBuildError {
    fn from(error: MaterialError) -> Self {
        Self::Material(error)
    }
}

/// The least that others keep off a sheet, in edges: contacts of what is thinner would come through.
const KEPT_OFF: f32 = 0.05;

/// A place of the rest plane in the shape's frame.
pub(crate) fn in_frame(p: DVec2) -> DVec3 {
    DVec3::new(p.x, 0.0, -p.y)
}

/// What a sheet is made of, at its vertices: a triangle has the mean of its corners, so that remeshing has only vertices to care for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fabric {
    /// t, m.
    pub thickness: Vec<f32>,
    /// ρ, kg/m³.
    pub density: Vec<f32>,
    /// E, Pa.
    pub modulus: Vec<f32>,
    /// ν.
    pub poisson: Vec<f32>,
    /// D, N m.
    pub bending: Vec<f32>,
    /// σ_t, Pa.
    pub strength: Vec<f32>,
    /// K_c, Pa√m.
    pub toughness: Vec<f32>,
    /// σ_Y, Pa.
    pub yield_stress: Vec<f32>,
    /// c, 1/s.
    pub creep_rate: Vec<f32>,
    /// H, Pa.
    pub hardening: Vec<f32>,
    /// Largest plastic stretch.
    pub plastic_limit: Vec<f32>,
    /// The grain as it lies in the rest plane, u and v: shorter than 1 where it sticks out of it.
    pub grain: [Vec<f32>; 2],
    /// Strength and toughness across the grain over those along it.
    pub grain_ratio: Vec<f32>,
    /// E_P in the rest plane: xx, yy, xy. State.
    pub plastic: [Vec<f32>; 3],
    /// α, by which it has hardened. State.
    pub hardened: Vec<f32>,
}

/// What threads or fibres do to strength and toughness. Across a line of normal n a sheet stands nᵀBn times what it stands along the grain d,
/// `B = r 1 + (1 − r) d dᵀ`, r the ratio: as bodies of tetrahedra do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grain {
    /// d in the rest plane: shorter than 1 where it sticks out of it.
    pub along: DVec2,
    pub ratio: f64,
}

impl Grain {
    /// nᵀBn.
    pub fn stands(self, normal: DVec2) -> f64 {
        let along = self.along.dot(normal);
        self.ratio + (1.0 - self.ratio) * along * along
    }

    /// The largest nᵀSn / nᵀBn of a stress xx, yy, xy, and its n, of unit length: the largest value of B^-½ S B^-½.
    pub fn largest(self, [xx, yy, xy]: [f64; 3]) -> (f64, DVec2) {
        let d = self.along.normalize_or(DVec2::X);
        let e = d.perp();
        let times = |a: DVec2| DVec2::new(xx * a.x + xy * a.y, xy * a.x + yy * a.y);
        // B has the axes d and e
        let [b, c] = [self.stands(d).sqrt(), self.ratio.sqrt()];
        let scaled =
            [times(d).dot(d) / (b * b), times(e).dot(e) / (c * c), times(d).dot(e) / (b * c)];
        let axis = principal_axis(scaled);
        let normal = axis.x / b * d + axis.y / c * e;
        (principal(scaled)[0], normal.normalize_or(d))
    }
}

/// Columns of a [`Fabric`].
const COLUMNS: usize = 18;

impl Fabric {
    fn push(&mut self, sample: &MaterialSample) {
        self.thickness.push(sample.thickness);
        self.density.push(sample.density);
        self.modulus.push(sample.youngs_modulus);
        self.poisson.push(sample.poisson_ratio);
        self.bending.push(sample.bending_stiffness);
        self.strength.push(sample.strength);
        self.toughness.push(sample.toughness);
        self.yield_stress.push(sample.yield_stress);
        self.creep_rate.push(sample.creep_rate);
        self.hardening.push(sample.hardening_modulus);
        self.plastic_limit.push(sample.plastic_limit);
        let [x, _, z] = sample.grain_direction;
        // z is −v of the rest plane
        self.grain.iter_mut().zip([x, -z]).for_each(|(column, along)| column.push(along));
        self.grain_ratio.push(sample.grain_strength_ratio);
        self.plastic.iter_mut().for_each(|column| column.push(0.0));
        self.hardened.push(0.0);
    }

    /// All columns, in a fixed order.
    pub fn columns(&self) -> [&Vec<f32>; COLUMNS] {
        let Self { thickness, density, modulus, poisson, bending, strength, toughness, .. } = self;
        let Self { yield_stress, creep_rate, hardening, plastic_limit, hardened, .. } = self;
        let ([along_u, along_v], grain_ratio) = (&self.grain, &self.grain_ratio);
        let [xx, yy, xy] = &self.plastic;
        [
            thickness,
            density,
            modulus,
            poisson,
            bending,
            strength,
            toughness,
            yield_stress,
            creep_rate,
            hardening,
            plastic_limit,
            along_u,
            along_v,
            grain_ratio,
            xx,
            yy,
            xy,
            hardened,
        ]
    }

    /// The same, to change.
    pub fn columns_mut(&mut self) -> [&mut Vec<f32>; COLUMNS] {
        let Self {
            thickness,
            density,
            modulus,
            poisson,
            bending,
            strength,
            toughness,
            yield_stress,
            creep_rate,
            hardening,
            plastic_limit,
            grain: [along_u, along_v],
            grain_ratio,
            plastic: [xx, yy, xy],
            hardened,
        } = self;
        [
            thickness,
            density,
            modulus,
            poisson,
            bending,
            strength,
            toughness,
            yield_stress,
            creep_rate,
            hardening,
            plastic_limit,
            along_u,
            along_v,
            grain_ratio,
            xx,
            yy,
            xy,
            hardened,
        ]
    }

    /// The grain at a vertex, if it stands less or more across it.
    pub fn grain_at(&self, v: usize) -> Option<Grain> {
        let along = [0, 1].map(|k: usize| f64::from(self.grain[k][v]));
        let grain = Grain { along: along.into(), ratio: self.grain_ratio[v].into() };
        (grain.ratio != 1.0).then_some(grain)
    }

    /// E_P of a triangle: xx, yy, xy.
    pub fn plastic_of(&self, corners: [u32; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| mean(&self.plastic[k], corners))
    }

    /// Takes over a value for all; false if it is not one of these.
    pub fn set(&mut self, field: MaterialField, value: f32) -> bool {
        let column = match field {
            MaterialField::YoungsModulus => &mut self.modulus,
            MaterialField::PoissonRatio => &mut self.poisson,
            MaterialField::BendingStiffness => &mut self.bending,
            MaterialField::Strength => &mut self.strength,
            MaterialField::Toughness => &mut self.toughness,
            MaterialField::YieldStress => &mut self.yield_stress,
            MaterialField::CreepRate => &mut self.creep_rate,
            MaterialField::HardeningModulus => &mut self.hardening,
            MaterialField::PlasticLimit => &mut self.plastic_limit,
            MaterialField::GrainStrengthRatio => &mut self.grain_ratio,
            _ => return false,
        };
        column.fill(value);
        true
    }
}

/// Mean of a column over the corners of a triangle.
pub(crate) fn mean(column: &[f32], corners: [u32; 3]) -> f64 {
    corners.into_iter().map(|v| f64::from(column[v as usize])).sum::<f64>() / 3.0
}

impl SheetShape {
    /// Its vertices in the shape's frame, in m.
    pub fn in_frame(&self) -> impl Iterator<Item = [f32; 3]> {
        self.vertices.iter().map(|&[u, v]| [u, 0.0, -v])
    }

    fn check(&self) -> Result<Plane, SheetShapeError> {
        if self.triangles.is_empty() {
            return Err(SheetShapeError::Empty);
        }
        let finite = |p: &[f32; 2]| p.iter().all(|x| x.is_finite());
        if let Some(vertex) = self.vertices.iter().position(|p| !finite(p)) {
            return Err(SheetShapeError::NotFinite { vertex });
        }
        let table = CornerTable::new(self.triangles.clone(), self.vertices.len())
            .map_err(SheetShapeError::Topology)?;
        let rest = self.vertices.iter().map(|p| DVec2::new(p[0].into(), p[1].into())).collect();
        let plane = Plane::new(table, rest);
        for t in 0..self.triangles.len() {
            let area = 0.5 * plane.twice_area(t as u32);
            if area <= 1e-12 * plane.edge * plane.edge || area.is_nan() {
                return Err(SheetShapeError::Area { triangle: t, area });
            }
        }
        Ok(plane)
    }
}

/// Particles at the vertices, and what the model is made from. Cuts are made, pieces that fell off by them are not told.
pub(super) fn build(
    shape: &SheetShape,
    materials: &[Material],
    seed: u64,
) -> Result<(Particles, Plane, Fabric), SheetBuildError> {
    let plane = shape.check()?;
    let [material] = materials else {
        return Err(SheetShapeError::Materials(materials.len()).into());
    };
    let (mut fabric, mut particles) = (Fabric::default(), Particles::default());
    let place = |p: &DVec2| in_frame(*p).as_vec3();
    let positions = plane.rest.iter().map(|p| place(p).to_array());
    PointValues::default().sample_each(positions, seed, |vertex, at| {
        let sample = material.sample(at)?;
        fabric.push(&sample);
        particles.push(NewParticle {
            rest: place(&plane.rest[vertex]),
            mass: 1.0,
            inertia: None,
            // half of what others keep off
            radii: [(0.5 * sample.thickness).max(KEPT_OFF * plane.edge as f32); 3],
            axes: Rot::IDENTITY,
            friction: [sample.friction, sample.friction_static],
            restitution: sample.restitution,
            material: 0,
        });
        Ok::<_, MaterialError>(())
    })?;
    for v in 0..particles.len() {
        let mass = mass_of(&plane, &fabric, v as u32);
        if !(mass as f32 > 0.0 && (mass as f32).is_finite()) {
            return Err(SheetShapeError::Mass { vertex: v, mass }.into());
        }
        particles.mass[v] = mass as f32;
    }
    particles.keep_remainders();
    Ok((particles, plane, fabric))
}

/// Mass of a vertex: a third of each triangle around it, kg. So momentum is that of the velocities as they lie between the vertices.
pub(crate) fn mass_of(plane: &Plane, fabric: &Fabric, v: u32) -> f64 {
    let of = |t: u32| {
        let corners = plane.table.corners()[t as usize];
        let (density, thickness) =
            (mean(&fabric.density, corners), mean(&fabric.thickness, corners));
        density * thickness * 0.5 * plane.twice_area(t) / 3.0
    };
    plane.table.fan(v).map(|(t, _)| of(t)).sum()
}
