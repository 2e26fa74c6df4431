//! Skins by the processor: for pictures in files, and where the graphics device is itself software.

use fracas::glam::Vec3;
use fracas::parallel::Workers;
use fracas::skin::Drawn;
use std::collections::BTreeMap;

use crate::drawing::{Drawing, Vertex};
use crate::shown::{Shown, ShownSkin};

/// Turns what a [`Stage`](crate::Stage) shows into triangles. Must see every moment that the stage shows, or the sum of
/// several.
#[derive(Debug, Default)]
pub struct CpuSkins {
    workers: Workers,
    /// By the number of the body.
    drawn: BTreeMap<u32, Skin>,
}

#[derive(Debug)]
struct Skin {
    drawn: Drawn,
    /// Where every vertex is in the wood.
    grain: Vec<[f32; 3]>,
}

impl CpuSkins {
    /// On several threads. Results do not depend on it.
    pub fn new(workers: Workers) -> Self {
        Self { workers, drawn: BTreeMap::new() }
    }

    /// All that is shown, as triangles.
    pub fn drawing(&mut self, shown: &Shown) -> Drawing {
        let Self { workers, drawn } = self;
        drawn.retain(|number, _| shown.skins.iter().any(|skin| skin.number == *number));
        let mut drawing = shown.drawing.clone();
        for given in &shown.skins {
            let new = || Skin {
                drawn: Drawn::default().with_workers(workers.clone()),
                grain: Vec::new(),
            };
            let skin = drawn.entry(given.number).or_insert_with(new);
            skin.drawn.apply(&given.update);
            skin.drawn.evaluate();
            if !given.update.clusters.is_empty() {
                skin.lay_grain(given);
            }
            skin.add_to(&mut drawing, given);
        }
        drawing
    }
}

impl Skin {
    fn lay_grain(&mut self, given: &ShownSkin) {
        let [u, v, axis] = across(given.grain.into());
        self.grain.clear();
        let rests = self.drawn.rests().map(Vec3::from);
        self.grain.extend(rests.map(|rest| [rest.dot(u), rest.dot(v), rest.dot(axis)]));
    }

    /// What was always outside has the paint of the body, if there is one.
    fn add_to(&self, drawing: &mut Drawing, given: &ShownSkin) {
        let skinned = self.drawn.skinned();
        let first = drawing.vertices.len();
        let corners = skinned.positions.iter().zip(&skinned.normals);
        let kinds = skinned.owners.iter().zip(&skinned.inside).zip(self.drawn.shares());
        let all = corners.zip(kinds).zip(&self.grain);
        let paint_of = |state: u32| given.paints.get(state as usize).copied().unwrap_or_default();
        drawing.vertices.extend(all.map(|((corner, ((&owner, &inside), shares)), &grain)| {
            let (&position, &normal) = corner;
            let own =
                || paint_of(owner).mixed(shares.map(|(state, share)| (paint_of(state), share)));
            let paint = given.outside.filter(|_| !inside).unwrap_or_else(own);
            Vertex { position, normal, paint, grain }
        }));
        let Drawing { vertices, triangles, clear, .. } = drawing;
        for corners in &skinned.triangles {
            let corners = corners.map(|k| first as u32 + k);
            let is_clear = corners.iter().any(|&k| vertices[k as usize].paint.transparency > 0);
            if is_clear { clear.push(corners) } else { triangles.push(corners) }
        }
    }
}

/// Axes across and along a unit vector; as `along_grain` in `frame.wgsl`.
fn across(axis: Vec3) -> [Vec3; 3] {
    let other = if axis.x.abs() > 0.7 { Vec3::Y } else { Vec3::X };
    let u = other.cross(axis).normalize();
    [u, axis.cross(u), axis]
}
