//! Sheets of triangles that stretch, bend and tear where they are pulled (seed 004).
//!
//! `rest` is what is handed in and what follows from the rest plane, `elastic` stretch, `bending` how it bends, `plastic` flow, `system` the substep of a piece, `coarse` its
//! coarse space, `soft` its conjugate gradients where it is soft beside its inertia, `fracture` what tears and where to, `separation` and `integral` its tests that are a choice, `topology` who lies across which edge,
//! `remesh` how a crack runs through triangles, `slice` what blades do; see
//! `docs/sheet.md`.

mod bending;
mod coarse;
mod elastic;
mod fracture;
mod integral;
mod plastic;
pub mod remesh;
mod rest;
mod separation;
mod slice;
mod soft;
mod system;
pub mod topology;

use crate::geometry::Patch;
use crate::material::{Material, MaterialField, PointValues};
use crate::math::{Sym3, log_stretches};
use crate::parallel::Span;
use crate::solids::{
    Anchor, Boundary, CrackTip, DofsMut, DofsRef, Face, NeedsReload, Particles, Residual, Solid,
    Step,
};
use crate::solve::Held;
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use crate::world::Changes;
use elastic::{Elements, outer, principal};
pub use fracture::TearCounts;
use fracture::Tip;
use glam::{DMat3, DVec2, Vec3};
use remesh::Plane;
pub(crate) use rest::SheetBuildError;
pub use rest::{Criterion, SheetOptions, SheetShape, SheetShapeError, TipTest};
use rest::{Fabric, mass_of};
use system::System;
use topology::CornerTable;

/// Ids that are kept for vertices that begin, for each triangle.
const IDS: u64 = 12;

/// A body of triangles. Particles are their vertices.
#[derive(Clone, Debug)]
pub struct Sheet {
    plane: Plane,
    fabric: Fabric,
    elements: Elements,
    options: SheetOptions,
    /// What others touch.
    faces: Vec<Face>,
    /// Ends of cracks, by vertex. State.
    tips: Vec<Tip>,
    /// Which blade has passed each vertex last, 0 for none. Empty as long as none has. State.
    passed: Vec<u64>,
    /// What elasticity and contacts did to vertices in the last substep, m/s²: where the next one begins its search. State.
    pulled: Vec<Vec3>,
    /// Id of the next vertex that begins, and where ids end.
    next_id: u64,
    last_id: u64,
    system: System,
    counts: TearCounts,
    /// Hash of who is a corner of what and lies where at rest: far more than changes in a step.
    joined: u64,
}

impl Sheet {
    /// Particles and model from a shape and its material, and what materials can follow at the particles.
    pub(crate) fn build(
        shape: &SheetShape,
        materials: &[Material],
        seed: u64,
    ) -> Result<(Particles, Self, PointValues), SheetBuildError> {
        let (mut particles, plane, fabric) = rest::build(shape, materials, seed)?;
        let mut sheet = Self { options: shape.options, ..Self::of_plane(plane, fabric) };
        // of nobody else yet: the world gives new ones
        sheet.last_id = u64::MAX;
        for (cut, [from, to]) in shape.cuts.iter().enumerate() {
            let [from, to] = [from, to].map(|p| DVec2::new(p[0].into(), p[1].into()));
            if !sheet.cut_along(&mut particles, from, to) {
                return Err(SheetShapeError::Cut { cut }.into());
            }
        }
        for (number, v) in particles.number.iter_mut().zip(0..) {
            *number = v;
        }
        Ok((particles, sheet, PointValues::default()))
    }

    /// A model of nothing, to load a snapshot into.
    pub(crate) fn empty() -> Self {
        Self::of_plane(Plane::default(), Fabric::default())
    }

    fn of_plane(plane: Plane, fabric: Fabric) -> Self {
        let mut sheet = Self {
            elements: Elements::new(&plane, &fabric),
            plane,
            fabric,
            options: SheetOptions::default(),
            faces: Vec::new(),
            tips: Vec::new(),
            passed: Vec::new(),
            pulled: Vec::new(),
            next_id: 0,
            last_id: 0,
            system: System::default(),
            counts: TearCounts::default(),
            joined: 0,
        };
        sheet.follow();
        sheet
    }

    /// How often its tests were asked and how they answered, since it was built or loaded.
    pub fn counts(&self) -> &TearCounts {
        &self.counts
    }

    /// All that follows from who is a corner of what and lies where at rest.
    fn follow(&mut self) {
        self.elements.follow(&self.plane, &self.fabric);
        self.follow_elements();
    }

    /// The same after these triangles have changed, or begun.
    fn follow_some(&mut self, changed: &[u32]) {
        self.elements.follow_some(&self.plane, &self.fabric, changed);
        self.follow_elements();
    }

    fn follow_elements(&mut self) {
        let Self { plane, faces, system, pulled, .. } = self;
        pulled.resize(plane.table.vertex_count(), Vec3::ZERO);
        faces.clear();
        let face = |(&corners, tet)| Face { corners, tet, opened: false };
        faces.extend(plane.table.corners().iter().zip(0..).map(face));
        system.resize(plane.table.vertex_count(), plane.table.len());
        self.joined = self.hash_of_joined();
    }

    fn hash_of_joined(&self) -> u64 {
        let mut hash = StateHash::default();
        hash.column(self.plane.table.corners());
        hash.column(self.plane.table.across());
        for p in &self.plane.rest {
            p.to_array().into_iter().for_each(|x| hash.number((x + 0.0).to_bits()));
        }
        hash.finish()
    }

    /// Cuts a sheet at rest that nobody else knows yet, hop by hop.
    fn cut_along(&mut self, particles: &mut Particles, from: DVec2, to: DVec2) -> bool {
        let plane = &mut self.plane;
        let away = |v: usize| plane.rest[v].distance_squared(from);
        let nearest = (0..plane.rest.len()).min_by(|&a, &b| away(a).total_cmp(&away(b)));
        let Some(mut v) = nearest.map(|v| v as u32) else { return false };
        if plane.rest[v as usize].distance(from) > plane.edge {
            return false;
        }
        plane.put(v, from);
        let mut changes = Changes::default();
        let mut cut = false;
        loop {
            let left = to - self.plane.rest[v as usize];
            let hops = (left.length() / self.plane.edge - 0.3).ceil();
            if left.length() < 0.5 * self.plane.edge {
                break;
            }
            let Some(hop) = self.plane.hop(v, left / hops.max(1.0)) else { break };
            cut = true;
            self.take_hop(particles, &mut changes);
            v = hop.end;
            self.tips.retain(|tip| tip.vertex != hop.end);
            if !hop.is_tip {
                break;
            }
            let last = (to - self.plane.rest[v as usize]).length() < 0.5 * self.plane.edge;
            if last {
                // that of the cut: a last hop from a vertex beside the line is some degrees off it
                let direction = (to - from).normalize_or(left);
                self.tips.push(Tip { vertex: v, direction });
                break;
            }
        }
        self.tips.sort_by_key(|tip| tip.vertex);
        self.follow_hops(particles);
        self.elements.follow_pieces(&self.plane);
        cut
    }

    /// Mean over the triangles around a vertex by area, of something in the world.
    fn mean_around(&self, v: usize, of: impl Fn(usize) -> DMat3) -> DMat3 {
        let (mut sum, mut whole) = (DMat3::ZERO, 0.0);
        for (t, _) in self.plane.table.fan(v as u32) {
            let area = self.elements.triangles[t as usize].area;
            sum += area * of(t as usize);
            whole += area;
        }
        sum * (1.0 / whole)
    }
}

impl Solid for Sheet {
    fn name(&self) -> &'static str {
        "sheet"
    }

    fn turns_along_arcs(&self) -> bool {
        true
    }

    /// Any stiffness is reached.
    fn begin(&mut self, _: &Particles, _: &Step) -> f32 {
        self.system.iterations = 0;
        1.0
    }

    fn measure(&mut self, particles: &Particles, span: Span, step: &Step) {
        self.system.follow(particles, &span);
        self.system.weigh(particles, &self.elements, &span, step);
        self.system.linearise(&self.elements, &span, &step.workers);
        self.system.find_blocks(particles, &self.elements, &span, step);
    }

    /// Measuring has done it: what bends a sheet is what its matrix is made from.
    fn linearise(&mut self, _: &Particles, _: Span, _: &Step) {}

    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        for (r, j) in r.linear.iter_mut().zip(span) {
            *r = self.system.gradient_at(particles, step.h, j);
        }
    }

    fn product(
        &mut self,
        particles: &Particles,
        span: Span,
        step: &Step,
        p: DofsRef<'_>,
        out: DofsMut<'_>,
    ) {
        let Self { system, elements, .. } = self;
        system.product(particles, elements, &span, step, p.linear, out.linear);
    }

    fn precondition(
        &self,
        _: &Particles,
        span: Span,
        step: &Step,
        extra: &[f32],
        r: DofsRef<'_>,
        z: DofsMut<'_>,
    ) {
        self.system.precondition(&span, extra, r.linear, z.linear, &step.workers);
    }

    fn compliance(&self, _: &Particles, anchor: &Anchor, n: Vec3, _: &Step) -> f32 {
        self.system.compliance_at(anchor, n)
    }

    fn solves_held(&self) -> bool {
        true
    }

    fn solve_alone(
        &mut self,
        particles: &mut Particles,
        span: Span,
        held: &mut [Held],
        step: &Step,
    ) -> Residual {
        let Self { system, plane, elements, pulled, .. } = self;
        system.solve(particles, plane, elements, &span, held, pulled, step)
    }

    fn flow_plastic(&mut self, particles: &Particles, span: Span, step: &Step) -> f64 {
        for j in span.clone() {
            let pull = particles.correction[j] / (step.h * step.h);
            // of what is put back there may be no number
            self.pulled[j] = if pull.is_finite() { pull } else { Vec3::ZERO };
        }
        self.flow(particles, span, step)
    }

    fn fracture(
        &mut self,
        particles: &mut Particles,
        span: Span,
        step: &Step,
        residual: Residual,
        credit: &mut f32,
        changes: &mut Changes,
    ) -> f64 {
        self.tear(particles, span, step, residual, credit, changes)
    }

    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64 {
        let Self { system, elements, .. } = self;
        system.follow(particles, &span);
        system.weigh(particles, elements, &span, step);
        system.linearise(elements, &span, &step.workers);
        for (force, j) in force.linear.iter_mut().zip(span.clone()) {
            *force = -system.force[j].as_vec3();
        }
        elements.energy(&system.x, &span)
    }

    /// Of the mean strain of the triangles around, by area; the third is that of the thickness.
    fn strain(&self, particles: &Particles, i: usize) -> [f32; 3] {
        let (mut sum, mut whole) = ([0.0; 3], 0.0);
        for (t, _) in self.plane.table.fan(i as u32) {
            let element = &self.elements.triangles[t as usize];
            let f = element.slope_of(element.corners.map(|v| particles.place(v as usize)));
            let strain = element.strain(f);
            (0..3).for_each(|k| sum[k] += element.area * strain[k]);
            whole += element.area;
        }
        let [high, low] = principal(sum.map(|x| x / whole));
        let nu = f64::from(self.fabric.poisson[i]);
        let through = -nu / (1.0 - nu) * (high + low);
        let mut stretches = [high, low, through].map(|e| (1.0 + 2.0 * e).max(0.0).sqrt() as f32);
        stretches.sort_unstable_by(|a, b| b.total_cmp(a));
        log_stretches(stretches).value
    }

    /// F S Fᵀ over the area that it has now, as the mean of the triangles around.
    fn stress(&self, particles: &Particles, i: usize) -> Option<Sym3> {
        let mean = self.mean_around(i, |t| {
            let element = &self.elements.triangles[t];
            let f = element.slope_of(element.corners.map(|v| particles.place(v as usize)));
            let [xx, yy, xy] = element.stress(f);
            let grown = f[0].cross(f[1]).length();
            let sum = xx * outer(f[0], f[0])
                + yy * outer(f[1], f[1])
                + xy * (outer(f[0], f[1]) + outer(f[1], f[0]));
            sum * (1.0 / grown)
        });
        Some(Sym3::from_mat3(&mean.as_mat3()))
    }

    fn sheet(&self) -> &[[u32; 3]] {
        self.plane.table.corners()
    }

    fn area_around(&self, particles: &Particles, i: usize) -> Option<Vec3> {
        let of = |t: u32| {
            let corners = self.plane.table.corners()[t as usize];
            let [a, b, c] = corners.map(|v| particles.position[v as usize]);
            (b - a).cross(c - a) / 6.0
        };
        Some(self.plane.table.fan(i as u32).map(|(t, _)| of(t)).sum())
    }

    fn tips(&self) -> Vec<CrackTip> {
        let of = |tip: &Tip| CrackTip {
            particle: tip.vertex,
            place: self.plane.rest[tip.vertex as usize].to_array(),
            direction: tip.direction.to_array(),
            intensity: self.intensity(tip).modes,
            release: self.release(tip),
        };
        self.tips.iter().map(of).collect()
    }

    fn iterations(&self) -> u32 {
        self.system.iterations
    }

    fn boundary(&self) -> Boundary<'_> {
        Boundary::Sheet { faces: &self.faces }
    }

    fn remeshes(&self) -> bool {
        true
    }

    fn particle_count(&self) -> usize {
        self.plane.table.vertex_count()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        self.elements.neighbours(i)
    }

    fn bond_count(&self) -> usize {
        self.elements.edge_count()
    }

    /// Does nothing: a sheet tears along edges, from tip to tip.
    fn cut(&mut self, _: &mut Particles, _: usize, _: usize, _: &mut Changes) -> f64 {
        0.0
    }

    fn slice(
        &mut self,
        particles: &mut Particles,
        span: Span,
        patch: &Patch,
        next_id: &mut u64,
        changes: &mut Changes,
    ) {
        self.slice_piece(particles, span, patch, next_id, changes);
    }

    fn reserve_ids(&mut self, first: u64) -> u64 {
        let count = IDS * self.plane.table.len() as u64;
        (self.next_id, self.last_id) = (first, first + count);
        count
    }

    fn permute(&mut self, span: Span, order: &[u32], place: &[u32]) {
        let to = |v: u32| {
            let inside = (v as usize).checked_sub(span.start);
            inside.and_then(|k| place.get(k)).copied().unwrap_or(v)
        };
        fn permuted<T: Copy>(column: &mut [T], span: &Span, order: &[u32]) {
            let before = column[span.clone()].to_vec();
            for (to, &from) in span.clone().zip(order) {
                column[to] = before[from as usize - span.start];
            }
        }
        let Self { plane, fabric, tips, passed, pulled, .. } = self;
        permuted(pulled, &span, order);
        plane.table.permute(to);
        if !passed.is_empty() {
            permuted(passed, &span, order);
        }
        permuted(&mut plane.rest, &span, order);
        permuted(&mut plane.shape, &span, order);
        permuted(&mut plane.fixed, &span, order);
        for column in fabric.columns_mut() {
            permuted(column, &span, order);
        }
        tips.iter_mut().for_each(|tip| tip.vertex = to(tip.vertex));
        tips.sort_by_key(|tip| tip.vertex);
        self.follow();
        self.elements.follow_pieces(&self.plane);
    }

    fn truncate(&mut self, count: usize) {
        let kept = self.elements.of(&(0..count)).len();
        let Self { plane, fabric, tips, elements, passed, .. } = self;
        plane.table.truncate(count, kept);
        plane.rest.truncate(count);
        plane.shape.truncate(count);
        plane.fixed.truncate(count);
        passed.truncate(count);
        fabric.columns_mut().into_iter().for_each(|column| column.truncate(count));
        tips.retain(|tip| (tip.vertex as usize) < count);
        elements.follow_pieces(plane);
        self.follow();
    }

    fn set_material(&mut self, field: MaterialField, value: f32) -> Result<(), NeedsReload> {
        if matches!(field, MaterialField::Density | MaterialField::Thickness) {
            return Err(NeedsReload);
        }
        if self.fabric.set(field, value) {
            self.elements.follow(&self.plane, &self.fabric);
        }
        Ok(())
    }

    fn validate(&self, particles: &Particles) {
        let Self { plane, fabric, .. } = self;
        plane.validate();
        assert_eq!(plane.table.vertex_count(), particles.len(), "vertices are not particles");
        assert!(!particles.oriented(), "vertices with orientations");
        assert_eq!(particles.remainder.len(), particles.len(), "positions without remainders");
        assert_eq!(self.joined, self.hash_of_joined(), "a stale hash");
        for column in fabric.columns() {
            assert_eq!(column.len(), particles.len(), "a fabric of other vertices");
        }
        for j in 0..particles.len() {
            let (mass, sum) = (particles.mass[j], mass_of(plane, fabric, j as u32) as f32);
            assert!(
                (mass - sum).abs() <= 1e-6 * sum,
                "mass {mass} kg of vertex {j} is not the {sum} kg of its triangles"
            );
        }
        for tip in &self.tips {
            assert!(plane.table.is_border(tip.vertex), "tip {} is at no crack", tip.vertex);
        }
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.number(self.joined);
        hash.number(self.next_id);
        if !self.passed.is_empty() {
            hash.column(&self.passed);
        }
        hash.floats(&self.fabric.hardened);
        self.fabric.plastic.iter().for_each(|column| hash.floats(column));
        self.pulled.iter().for_each(|pull| hash.floats(&pull.to_array()));
        for Tip { vertex, direction } in &self.tips {
            hash.number(u64::from(*vertex));
            direction.to_array().into_iter().for_each(|x| hash.number((x + 0.0).to_bits()));
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let Self { plane, fabric, tips, .. } = self;
        bytes.column(plane.table.corners());
        bytes.column(plane.table.across());
        let places: Vec<[f64; 2]> = plane.rest.iter().map(|p| p.to_array()).collect();
        bytes.column(&places);
        bytes.column(&[plane.edge, plane.sharpest]);
        bytes.number(self.options.code());
        for column in fabric.columns() {
            bytes.floats(column);
        }
        bytes.column(&tips.iter().map(|tip| tip.vertex).collect::<Vec<_>>());
        bytes.column(&tips.iter().map(|tip| tip.direction.to_array()).collect::<Vec<_>>());
        bytes.column(&self.passed);
        bytes.column(&self.pulled.iter().map(|pull| pull.to_array()).collect::<Vec<_>>());
        bytes.number(self.next_id);
        bytes.number(self.last_id);
    }

    fn load(
        &mut self,
        reader: &mut Reader<'_>,
        particles: &Particles,
    ) -> Result<(), SnapshotError> {
        let count = particles.len();
        let corners: Vec<[u32; 3]> = reader.column()?;
        let across: Vec<[u32; 3]> = reader.column_of(corners.len())?;
        if !corners.iter().flatten().all(|&v| (v as usize) < count) {
            return Err(reader.damaged("a corner that does not exist"));
        }
        let table = CornerTable::of_across(corners, across, count);
        if table.check().is_err() {
            return Err(reader.damaged("triangles that make no sheet"));
        }
        let rest: Vec<[f64; 2]> = reader.column_of(count)?;
        if !rest.iter().flatten().all(|x| x.is_finite()) {
            return Err(reader.damaged("a vertex at no finite place"));
        }
        let mut plane = Plane::new(table, rest.into_iter().map(DVec2::from).collect());
        let measures: Vec<f64> = reader.column_of(2)?;
        (plane.edge, plane.sharpest) = (measures[0], measures[1]);
        if !(plane.edge > 0.0 && plane.edge.is_finite()) {
            return Err(reader.damaged("a sheet without edges"));
        }
        let Some(options) = SheetOptions::of_code(reader.number()?) else {
            return Err(reader.damaged("a sheet that tears in no known way"));
        };
        let mut fabric = Fabric::default();
        for column in fabric.columns_mut() {
            *column = reader.column_of(count)?;
        }
        let vertices: Vec<u32> = reader.column()?;
        let directions: Vec<[f64; 2]> = reader.column_of(vertices.len())?;
        if !vertices.iter().all(|&v| (v as usize) < count) {
            return Err(reader.damaged("a tip that does not exist"));
        }
        let tip = |(vertex, direction)| Tip { vertex, direction: DVec2::from(direction) };
        let tips = vertices.into_iter().zip(directions).map(tip).collect();
        let passed: Vec<u64> = reader.column()?;
        if !passed.is_empty() && passed.len() != count {
            return Err(reader.damaged("a column of wrong length"));
        }
        let pulled: Vec<[f32; 3]> = reader.column_of(count)?;
        if !pulled.iter().flatten().all(|x| x.is_finite()) {
            return Err(reader.damaged("a vertex that no finite force pulls"));
        }
        let pulled = pulled.into_iter().map(Vec3::from).collect();
        let (next_id, last_id) = (reader.number()?, reader.number()?);
        *self = Self {
            options,
            tips,
            passed,
            pulled,
            next_id,
            last_id,
            ..Self::of_plane(plane, fabric)
        };
        Ok(())
    }
}
