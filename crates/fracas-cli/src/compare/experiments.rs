//! What is done with every model, and what theory says of it.

use super::swap::swapped;
use crate::clock;
use anyhow::{Context, Result};
use fracas::glam::DVec3;
use fracas::world::Event;
use fracas::{StepReport, World, WorldConfig};
use fracas_scene::{Scene, experiments};
use std::collections::BTreeMap;

/// What the scenes have in common: E in Pa, ν, σ of the first crack in Pa.
const E: f64 = 1e6;
const NU: f64 = 0.3;
const STRENGTH: f64 = 2e4;
/// The bar of most of them: height and width, in m.
const SIDE: f64 = 0.3;

const SOLIDS: &[&str] = &["oriented", "corotated", "brittle", "meshless"];
const ALL: &[&str] = &["oriented", "corotated", "brittle", "meshless", "sheet"];

/// An experiment.
pub struct Experiment {
    /// Its scene, without `compare-`.
    pub name: &'static str,
    /// The models that can do it.
    pub models: &'static [&'static str],
    /// Whether energy counts.
    books: bool,
    /// What it tells.
    figures: fn(&Done) -> Vec<Figure>,
}

/// All of them, each with its scene `scenes/compare-NAME.toml`.
pub const EXPERIMENTS: [Experiment; 6] = [
    Experiment { name: "uniaxial", models: ALL, books: false, figures: uniaxial },
    Experiment { name: "ramp", models: ALL, books: false, figures: ramp },
    Experiment { name: "cantilever", models: SOLIDS, books: false, figures: cantilever },
    Experiment { name: "bending", models: SOLIDS, books: false, figures: bending },
    Experiment { name: "spin", models: SOLIDS, books: true, figures: spin },
    Experiment { name: "drop", models: SOLIDS, books: true, figures: drop },
];

/// A number that an experiment tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is, with its unit.
    pub name: &'static str,
    /// As measured; NaN if the model does not tell it.
    pub value: f64,
    /// As theory has it.
    pub theory: f64,
    /// How far off it may be, of the theory; none if nothing was promised.
    pub within: Option<f64>,
}

impl Figure {
    fn new(name: &'static str, value: f64, theory: f64) -> Self {
        Self { name, value, theory, within: None }
    }

    fn within(self, share: f64) -> Self {
        Self { within: Some(share), ..self }
    }

    /// Measured over theory.
    pub fn ratio(&self) -> f64 {
        self.value / self.theory
    }

    /// Whether it is as near as was promised; NaN is not.
    pub fn holds(&self) -> bool {
        self.within.is_none_or(|share| (self.ratio() - 1.0).abs() <= share)
    }
}

/// One experiment with one model.
pub struct Comparison {
    /// What came out.
    pub figures: Vec<Figure>,
    /// Median time of a frame, in ms.
    pub ms: f64,
}

/// What an experiment leaves to be measured.
struct Done {
    /// Every particle where it was at the start, and how far it has gone, in m.
    moved: Vec<(DVec3, DVec3)>,
    /// When and where the first crack opened, in s and m.
    crack: Option<(f64, DVec3)>,
    first: StepReport,
    last: StepReport,
    /// The largest rise of the energy above what it was, in J.
    won: f64,
}

impl Experiment {
    /// Does it with this model.
    ///
    /// # Errors
    /// If the scene cannot be read or built with it.
    pub fn run(&self, model: &str, threads: u32) -> Result<Comparison> {
        let file = format!("compare-{}", self.name);
        let all = experiments();
        let entry = all.iter().find(|entry| entry.name == file);
        let entry = entry.with_context(|| format!("there is no scene {file}"))?;
        let scene = Scene::parse(&format!("scenes/{file}.toml"), &swapped(entry.text, model))?;
        let config = WorldConfig { threads, books: self.books, ..scene.world_config() };
        let mut world = scene.build_with(config)?;
        world.set_clock(clock::seconds);
        world.apply_commands();
        let start = places(&world);
        let (mut ms, mut crack, mut won) = (Vec::new(), None, 0.0f64);
        let mut first: Option<StepReport> = None;
        let mut last = StepReport::default();
        for _ in 0..scene.frames() {
            last = world.step(scene.dt());
            ms.push(last.ms.total);
            for event in world.events() {
                if let Event::Crack { position, .. } = event {
                    crack.get_or_insert((last.time, DVec3::from(position)));
                }
            }
            let before = first.get_or_insert_with(|| last.clone());
            won = won.max(last.energy.held() - before.energy.held());
        }
        let end = places(&world);
        let moved = start.iter().filter_map(|(id, &x)| Some((x, *end.get(id)? - x))).collect();
        ms.sort_by(f64::total_cmp);
        let done = Done { moved, crack, first: first.unwrap_or_default(), last, won };
        let ms = ms.get(ms.len() / 2).copied().unwrap_or(f64::NAN);
        Ok(Comparison { figures: (self.figures)(&done), ms })
    }
}

/// Where the particles are, by id.
fn places(world: &World) -> BTreeMap<u64, DVec3> {
    let bodies = world.body_ids().filter_map(|id| world.body(id));
    bodies
        .flat_map(|body| {
            let ids = body.particle_ids().iter().map(|id| id.0);
            ids.zip(body.world_positions().map(DVec3::from))
        })
        .collect()
}

impl Done {
    /// ∂u/∂x along an axis, fitted to the particles of the middle half along x.
    fn strain(&self, axis: usize) -> f64 {
        let half = 0.5 * self.reach(1.0);
        let middle = || self.moved.iter().filter(|(x, _)| x.x.abs() <= half);
        let count = middle().count() as f64;
        let mean = |of: &dyn Fn(&(DVec3, DVec3)) -> f64| middle().map(of).sum::<f64>() / count;
        let (x0, u0) = (mean(&|m| m.0[axis]), mean(&|m| m.1[axis]));
        let xx = mean(&|m| (m.0[axis] - x0).powi(2));
        mean(&|m| (m.0[axis] - x0) * (m.1[axis] - u0)) / xx
    }

    /// How far particles were along x at the start, towards this side.
    fn reach(&self, side: f64) -> f64 {
        self.moved.iter().map(|(x, _)| side * x.x).fold(f64::NEG_INFINITY, f64::max)
    }

    /// From the particles at one end to those at the other, in m: what grips have between them.
    fn length(&self) -> f64 {
        self.reach(1.0) + self.reach(-1.0)
    }

    /// The share of a load that grows for 2 s to 1.5 times what theory says, when the first crack opened.
    fn load(&self) -> f64 {
        self.crack.map_or(f64::NAN, |(time, _)| 1.5 * time / 2.0)
    }
}

/// E = F/(A ε) and ν = −ε_z/ε_x in the middle of the bar.
fn uniaxial(done: &Done) -> Vec<Figure> {
    let (along, across) = (done.strain(0), done.strain(2));
    let modulus = 450.0 / (SIDE * SIDE) / along;
    vec![
        Figure::new("E, Pa", modulus, E).within(0.05),
        Figure::new("Poisson's ratio", -across / along, NU),
    ]
}

/// It parts where it is weakest, at σ A.
fn ramp(done: &Done) -> Vec<Figure> {
    let theory = STRENGTH * SIDE * SIDE;
    let place = done.crack.map_or(f64::NAN, |(_, x)| x.x.abs());
    vec![
        Figure::new("load of the first crack, N", done.load() * theory, theory).within(0.1),
        Figure::new("off the middle, m", place, 0.0),
    ]
}

/// F L³/(3 E I) + F L/(κ G A), κ = 5/6, L between the particles that are held and those that are pulled.
fn cantilever(done: &Done) -> Vec<Figure> {
    let (force, length, end) = (23.4, done.length(), done.reach(1.0));
    let (area, second) = (SIDE * SIDE, SIDE.powi(4) / 12.0);
    let shear = E / (2.0 * (1.0 + NU));
    let theory =
        force * length.powi(3) / (3.0 * E * second) + force * length / (5.0 / 6.0 * shear * area);
    let tip = || done.moved.iter().filter(|(x, _)| x.x > end - 1e-3);
    let sunk = -tip().map(|(_, u)| u.y).sum::<f64>() / tip().count() as f64;
    vec![Figure::new("deflection, m", sunk, theory)]
}

/// 2 b h² σ/(3 L), in the middle.
fn bending(done: &Done) -> Vec<Figure> {
    // 100 N more every second
    let (width, rate) = (0.2, 100.0);
    let theory = 2.0 * width * SIDE * SIDE * STRENGTH / (3.0 * done.length());
    let load = done.crack.map_or(f64::NAN, |(time, _)| rate * time);
    let place = done.crack.map_or(f64::NAN, |(_, x)| x.x.abs());
    vec![
        Figure::new("load of the first crack, N", load, theory),
        Figure::new("off the middle, m", place, 0.0),
    ]
}

/// Nothing acts on it: energy and angular momentum stay.
fn spin(done: &Done) -> Vec<Figure> {
    let energy = |report: &StepReport| report.energy.held();
    let turning = |report: &StepReport| DVec3::from(report.angular_momentum).length();
    vec![
        Figure::new("energy, J", energy(&done.last), energy(&done.first)),
        Figure::new("angular momentum, kg m²/s", turning(&done.last), turning(&done.first)),
    ]
}

/// It wins no energy, and lies still in the end.
fn drop(done: &Done) -> Vec<Figure> {
    vec![
        Figure::new("energy won, J", done.won, 0.0),
        Figure::new("speed at the end, m/s", done.last.max_speed.into(), 0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bar that is stretched by 1 % along x, thinner by 0.3 of that, and has moved as a whole.
    fn stretched() -> Done {
        let strain = DVec3::new(0.01, -0.003, -0.003);
        let mut moved = Vec::new();
        for i in 0..13 {
            for j in 0..4 {
                let x = DVec3::new(f64::from(i) * 0.1 - 0.6, f64::from(j % 2), f64::from(j / 2));
                moved.push((x, strain * x + DVec3::ONE));
            }
        }
        let (first, last) = (StepReport::default(), StepReport::default());
        Done { moved, crack: Some((1.0, DVec3::X)), first, last, won: 0.0 }
    }

    #[test]
    fn strains_loads_and_lengths_are_those_of_a_known_field() {
        let done = stretched();
        assert!((done.strain(0) - 0.01).abs() < 1e-12);
        assert!((done.strain(2) + 0.003).abs() < 1e-12);
        assert!((done.length() - 1.2).abs() < 1e-12);
        assert!((done.load() - 0.75).abs() < 1e-12);
        let [e, nu] = uniaxial(&done).try_into().unwrap();
        // 450 N on 0.09 m² stretch what has 0.5 MPa by 1 %
        assert!((e.ratio() - 0.5).abs() < 1e-9 && !e.holds());
        assert!((nu.ratio() - 1.0).abs() < 1e-9 && nu.holds());
    }

    #[test]
    fn what_did_not_happen_holds_no_promise() {
        let done = Done { crack: None, ..stretched() };
        assert!(!ramp(&done)[0].holds());
    }

    /// Every scene can be read and built with every model that is to do it, without a warning that is not about the model.
    #[test]
    fn every_model_can_do_its_experiments() {
        for experiment in EXPERIMENTS {
            let file = format!("compare-{}", experiment.name);
            let text = experiments().into_iter().find(|entry| entry.name == file).unwrap().text;
            for model in experiment.models {
                let scene = Scene::parse(&file, &swapped(text, model));
                let world = scene.unwrap_or_else(|e| panic!("{e}")).build(1);
                let world = world.unwrap_or_else(|e| panic!("{e}"));
                let bodies = world.body_ids().filter_map(|id| world.body(id));
                assert!(bodies.map(|body| body.model()).eq([*model]), "{file}");
            }
        }
    }
}
