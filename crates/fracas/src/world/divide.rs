//! Fragments break again: in two where they are overloaded, and in a pattern where they are hit.
//!
//! A fragment by itself is a rigid solid under the forces f_k at arms r_k of what touches it. Its mean stress is what is
//! left of them once its own inertia is taken off (Ē is its second moment of mass, α = H⁻¹(Σ r × f − ω × Hω)):
//!
//! ```text
//! σ̄ = (1/V) sym[ Σ f_k r_kᵀ − ([α]× + [ω]×²) Ē ]
//! σ = max( σ₁, −σ₃/2 )                           pulled, or pressed: a Brazilian test splits at half the pressure
//! s̄ ← e^(−h/T) s̄ + (1 − e^(−h/T)) σ_s/E + (h/T) σ_i/E,    T = max(load time, V^⅓/c),   c = √(E/ρ)
//! ```
//!
//! It parts through its centre, across e₁, where s̄ is beyond strength over E. σ_s is of forces that last. An impact is over
//! within a substep, and what is known of it is its impulse: σ_i h, felt within T, the same for any substep.

use super::World;
use super::attach::Attachments;
use super::body::{Body, Impulse};
use super::command::find_mut;
use super::error::{CommandError, require};
use super::event::Event;
use super::finding::Shaped;
use super::ids::{BodyId, ParticleId};
use super::step::range_of;
use super::{Command, Opened};
use crate::contact::shape::Shape;
use crate::geometry::{Convex, Pattern};
use crate::math::{Sym3, ops, symmetric_eigen};
use crate::sets::Sets;
use crate::solids::division::mass_moment;
use crate::solids::{Division, Fragment, Joined, NO_SHAPE, Part, Particles, Solid, Step};
use crate::state::{Reader, Sink, SnapshotError, StateHash};
use glam::{DMat3, DVec3, Vec3};

/// Half a fragment is at least this share of the mean volume of fragments as they were spawned.
const SMALLEST: f64 = 1.0 / 16.0;
/// The same for cells of patterns.
const SMALLEST_CELL: f64 = 1.0 / 128.0;
/// Particles that room is taken for where fragments can break, over those that were spawned,
const ROOM: usize = 2;
/// and these more at least,
const ROOM_LEAST: usize = 32;
/// or these with a pattern.
const ROOM_OF_PATTERN: usize = 256;
/// Fragments of a body that may break in two within [`BUDGET_TIME`].
const BUDGET: f32 = 16.0;
/// The time that the budget is for, s.
const BUDGET_TIME: f32 = 1.0 / 60.0;
/// What comes nearer so fast that it could bring this share of the strength by itself, ρ c v, is an impact.
const IMPACT: f32 = 0.1;

/// How the fragments of a body break again.
#[derive(Debug)]
pub(super) struct Again {
    /// Into what a hit breaks those that are whole.
    pattern: Option<Pattern>,
    /// Shapes from this one on are those of parts.
    first_part: u32,
    /// Of the fragments as they were spawned, m³.
    mean_volume: f32,
    /// Particles that there may be; 0 if fragments never break.
    most: usize,
    /// Time for which fragments may still break in two, s.
    credit: f32,
    /// Whether the user was told that there is no more room.
    full: bool,
}

impl Again {
    /// For the fragments of a new body, whose first shapes are theirs.
    pub fn new(solid: &dyn Solid, shapes: usize, pattern: Option<Pattern>) -> Self {
        let count = solid.particle_count();
        let fragments = || (0..count).filter_map(|i| solid.fragment(i));
        let volume: f64 = fragments().map(|fragment| f64::from(fragment.volume)).sum();
        let breaks = fragments().any(|fragment| fragment.strength < f32::INFINITY);
        let known = fragments().next().is_some() && shapes > 0;
        let more = if pattern.is_some() { ROOM_OF_PATTERN } else { ROOM_LEAST };
        let may = known && (breaks || pattern.is_some());
        Self {
            pattern,
            first_part: shapes as u32,
            mean_volume: (volume / count.max(1) as f64) as f32,
            most: if may { (ROOM * count).max(count + more) } else { 0 },
            credit: 0.0,
            full: false,
        }
    }

    /// Particles that room is taken for, of a body that has so many.
    pub fn room(&self, count: usize) -> usize {
        self.most.min(ROOM * count + ROOM_OF_PATTERN).max(count)
    }

    /// Whether a particle is a part of a fragment.
    pub fn is_part(&self, particles: &Particles, i: usize) -> bool {
        particles.shape[i] != NO_SHAPE && particles.shape[i] >= self.first_part
    }

    pub fn hash(&self, hash: &mut StateHash) {
        hash.floats(&[self.credit]);
        hash.number(self.full.into());
    }

    pub fn save(&self, bytes: &mut Vec<u8>) {
        let flags = [self.full, self.pattern.is_some()].map(u64::from);
        bytes.column(&[self.first_part.into(), self.most as u64, flags[0], flags[1]]);
        bytes.floats(&[self.mean_volume, self.credit]);
        if let Some(pattern) = &self.pattern {
            pattern.save(bytes);
        }
    }

    pub fn load(reader: &mut Reader<'_>, shapes: usize) -> Result<Self, SnapshotError> {
        let numbers: Vec<u64> = reader.column_of(4)?;
        let floats: Vec<f32> = reader.column_of(2)?;
        let first_part = u32::try_from(numbers[0]).ok().filter(|&first| first as usize <= shapes);
        let most = u32::try_from(numbers[1]).ok();
        let (Some(first_part), Some(most)) = (first_part, most) else {
            return Err(reader.damaged("parts of fragments beyond what a body may have"));
        };
        let pattern = if numbers[3] != 0 { Some(Pattern::load(reader)?) } else { None };
        Ok(Self {
            pattern,
            first_part,
            mean_volume: floats[0],
            most: most as usize,
            credit: floats[1],
            full: numbers[2] != 0,
        })
    }
}

/// A fragment that is to break in two.
#[derive(Clone, Copy, Debug)]
struct Overload {
    /// Load over what it stands.
    ratio: f32,
    id: ParticleId,
    /// Of the plane, in the world.
    normal: Vec3,
}

/// A fragment that is hit so hard that it breaks in a pattern.
#[derive(Clone, Copy, Debug)]
struct Hit {
    ratio: f32,
    id: ParticleId,
    /// Relative to the origin of the piece, in m.
    point: Vec3,
    direction: Vec3,
}

/// What the fragments of a body need of the world in order to break.
struct Tools<'a> {
    attachments: &'a Attachments,
    next_particle: &'a mut u64,
    events: &'a mut Vec<Event>,
    /// Of every particle that was added: the index of its piece.
    homes: Vec<usize>,
}

impl World {
    /// Breaks the fragments around a point as a hit in this direction would, in a pattern, at the start of the next step:
    /// those of the piece that is nearest, within the radius of the pattern, that are whole. Their cells stay bonded
    /// until the load parts them. What is held or attached stays whole.
    ///
    /// # Errors
    /// [`CommandError`] if there is no such body, or a number is not finite.
    pub fn shatter(
        &mut self,
        body: BodyId,
        point: [f64; 3],
        direction: [f32; 3],
        pattern: &Pattern,
    ) -> Result<(), CommandError> {
        for x in point {
            require(x.is_finite(), "point", "finite", x as f32)?;
        }
        for x in direction {
            require(x.is_finite(), "direction", "finite", x)?;
        }
        self.find(body)?;
        self.queue.push(Command::Shatter(body, point, direction, pattern.clone()));
        Ok(())
    }

    pub(super) fn apply_shatter(
        &mut self,
        id: BodyId,
        point: DVec3,
        direction: Vec3,
        pattern: &Pattern,
    ) {
        let (step, books) = (self.audit_step(), self.config.books);
        let Self { bodies, attachments, events, next_particle, .. } = self;
        let Some(body) = find_mut(bodies, id) else { return };
        let Some((id, point)) = body.nearest(point) else { return };
        let mut tools = Tools { attachments, next_particle, events, homes: Vec::new() };
        let before = body.stored(&step, books);
        body.shatter(&Hit { ratio: 1.0, id, point, direction }, pattern, &mut tools);
        body.take_in(tools.homes);
        body.spent.fracture_work += before - body.stored(&step, books);
        self.split_pieces(&step);
    }

    /// Breaks all fragments that the last substep has overloaded.
    pub(super) fn break_again(&mut self, step: &Step) {
        let (books, splits) = (self.config.books, self.config.fragments_split);
        let Self { bodies, attachments, events, next_particle, .. } = self;
        for body in bodies.iter_mut().filter(|body| body.again.most > 0) {
            body.again.credit = (body.again.credit + step.h).min(BUDGET_TIME);
            let hits = body.hits(step);
            let overloads = if splits { body.overloads(step) } else { Vec::new() };
            if hits.is_empty() && overloads.is_empty() {
                continue;
            }
            let before = body.stored(step, books);
            let mut tools = Tools {
                attachments,
                next_particle: &mut *next_particle,
                events,
                homes: Vec::new(),
            };
            if let Some(pattern) = body.again.pattern.clone() {
                hits.iter().for_each(|hit| body.shatter(hit, &pattern, &mut tools));
            }
            body.halve(&overloads, &mut tools);
            body.take_in(tools.homes);
            body.spent.fracture_work += before - body.stored(step, books);
        }
    }
}

/// How forces of a substep enter the mean over a fragment's own time.
#[derive(Clone, Copy)]
struct Window {
    h: f32,
    /// 1 − e^(−h/T): of what lasts.
    lasting: f32,
    /// h/T: of impulses.
    impact: f32,
    /// Faster than this what comes nearer is an impact, m/s.
    speed: f32,
    /// 1/E, as the sweeps reach it.
    per_stress: f32,
    /// Strain at which it breaks.
    limit: f32,
}

impl Window {
    fn new(fragment: &Fragment, mass: f32, strength: f32, reached: f32, h: f32) -> Self {
        let Fragment { volume, modulus, load_time, .. } = *fragment;
        let (density, effective) = (mass / volume, modulus * reached);
        let wave = (effective / density).sqrt();
        let time = load_time.max(ops::cbrt(volume) / wave);
        let limit = strength * fragment.strength / modulus;
        Self {
            h,
            lasting: -ops::exp_m1(-h / time),
            impact: h / time,
            speed: IMPACT * limit * wave,
            per_stress: 1.0 / effective,
            limit,
        }
    }

    /// Whether a push on a particle with this acceleration is that of an impact: what gravity adds in a substep is none.
    fn is_impact(&self, push: &Impulse, acceleration: Vec3) -> bool {
        push.approach - self.h * acceleration.length() > self.speed
    }

    /// How much of it counts.
    fn share(&self, push: &Impulse, acceleration: Vec3) -> f32 {
        if self.is_impact(push, acceleration) { self.impact } else { self.lasting }
    }

    /// What is left of a load. An impact that stops at a surface first and then for good takes two substeps, and is
    /// one: within it nothing fades.
    fn kept(&self, pushes: &[Impulse], acceleration: Vec3) -> f32 {
        let impact = pushes.iter().any(|push| self.is_impact(push, acceleration));
        if impact { 1.0 } else { 1.0 - self.lasting }
    }
}

impl Body {
    fn window(&self, j: usize, h: f32) -> Option<(Fragment, Window)> {
        let fragment = self.model.solid().fragment(j)?;
        let (mass, strength) = (self.particles.mass[j], self.particles.strength[j]);
        Some((fragment, Window::new(&fragment, mass, strength, self.reached, h)))
    }

    fn pushes_on(&self, j: usize) -> &[Impulse] {
        let impulses = &self.scratch.impulses;
        &impulses[range_of(impulses, &(j..j + 1), |push| push.particle)]
    }

    /// Fragments alone that are beyond their strength, the most overloaded first. Brings their loads up to this substep.
    fn overloads(&mut self, step: &Step) -> Vec<Overload> {
        let mut found = Vec::new();
        for k in 0..self.pieces.len() {
            let piece = &self.pieces[k];
            if piece.span.len() > 1 || piece.is_still() {
                continue;
            }
            let j = piece.span.start;
            let Some((Fragment { loads, strength, volume, .. }, window)) = self.window(j, step.h)
            else {
                continue;
            };
            if strength == f32::INFINITY {
                continue;
            }
            let stress = self.mean_stress(j, f64::from(volume), &window);
            let (values, vectors) = symmetric_eigen(&stress);
            let felt = values[0].max(-0.5 * values[2]) * window.per_stress;
            let kept = window.kept(self.pushes_on(j), self.particles.acceleration[j]);
            let load = loads[0] * kept + felt;
            if load > window.limit {
                let ratio = if window.limit > 0.0 { load / window.limit } else { f32::MAX };
                let (id, normal) = (self.particles.id[j], vectors.x_axis);
                found.push(Overload { ratio, id, normal });
            }
            self.model.solid_mut().set_loads(j, [load, loads[1]]);
        }
        found.sort_unstable_by(|a, b| b.ratio.total_cmp(&a.ratio).then(a.id.cmp(&b.id)));
        found
    }

    /// σ̄ of a fragment alone, with forces counted as the window says, in Pa.
    fn mean_stress(&self, j: usize, volume: f64, window: &Window) -> Sym3 {
        let particles = &self.particles;
        let (spin, lasting) = (particles.spin[j].as_dvec3(), f64::from(window.lasting));
        let (mut sum, mut torque) = (DMat3::ZERO, DVec3::ZERO);
        for push in self.pushes_on(j) {
            let share = f64::from(window.share(push, particles.acceleration[j]));
            let force = push.force.as_dvec3() * share;
            let arm = (push.point - particles.previous[j]).as_dvec3();
            sum += DMat3::from_cols(force * arm.x, force * arm.y, force * arm.z);
            torque += arm.cross(force);
        }
        let momentum = particles.inertia_times(j, particles.spin[j]).as_dvec3();
        torque -= lasting * spin.cross(momentum);
        let turning = particles.inv_inertia_times(j, torque.as_vec3()).as_dvec3();
        let q = particles.orientation[j].to_mat3().as_dmat3();
        let moment = q * mass_moment(&particles.inertia[j]) * q.transpose();
        let own = |r: DVec3| turning.cross(r) + lasting * spin.cross(spin.cross(r));
        let own = DMat3::from_cols(own(moment.x_axis), own(moment.y_axis), own(moment.z_axis));
        let stress = (sum - own) * (1.0 / volume);
        Sym3::from_mat3(&((stress + stress.transpose()) * 0.5).as_mat3())
    }

    /// Breaks fragments in two, as many as the budget allows.
    fn halve(&mut self, overloads: &[Overload], tools: &mut Tools<'_>) {
        let per_second = BUDGET / BUDGET_TIME;
        let mut left = (self.again.credit * per_second) as usize;
        for overload in overloads {
            // it may be in cells by now
            let Some(j) = self.places.of(overload.id).filter(|_| left > 0) else { continue };
            if self.particles.id[j] != overload.id || self.is_held(j, tools) {
                continue;
            }
            let normal = self.particles.orientation[j].inverse() * overload.normal;
            let Some((parts, area)) = self.halves(j, normal.as_dvec3()) else { continue };
            if self.divide(j, &parts, &[], area as f32, overload.normal, tools) {
                left -= 1;
                self.again.credit -= 1.0 / per_second;
            }
        }
    }

    /// Both halves of a fragment and the area between them, unless one is too small.
    fn halves(&self, j: usize, normal: DVec3) -> Option<(Vec<Part>, f64)> {
        let solid = self.solid_of(j)?;
        let (Some(below), Some(above)) = solid.cut(normal, 0.0) else { return None };
        let parts = vec![Part::new(below), Part::new(above)];
        let whole = f64::from(self.model.solid().fragment(j)?.volume) / solid.volume();
        let least = SMALLEST * f64::from(self.again.mean_volume);
        let large = parts.iter().all(|part| part.measure.volume * whole >= least);
        large.then(|| (parts, solid.area_of_cap(normal, 0.0)))
    }

    /// The hull of a fragment about its centre, in its rest orientation, with the moments of the fragment: its parts add
    /// up to it. None for an ellipsoid.
    fn solid_of(&self, j: usize) -> Option<Convex> {
        let particles = &self.particles;
        let shaped = self.shapes.get(particles.shape[j] as usize)?;
        let hull = match &shaped.shape {
            Shape::Box(block) => Convex::block(block.half().as_dvec3()).ok()?,
            Shape::Hull(hull) => Convex::hull(hull.vertices()).ok()?,
            _ => return None,
        };
        let axes = particles.axes[j].to_mat3().as_dmat3();
        let covariance = mass_moment(&particles.inertia[j]) * (1.0 / f64::from(particles.mass[j]));
        let solid = hull.transformed(axes, DVec3::ZERO)?.with_moments(covariance)?;
        let centre = solid.measure().centre;
        solid.transformed(DMat3::IDENTITY, -centre)
    }

    /// Whether something holds a particle that is not a matter of the body alone.
    fn is_held(&self, j: usize, tools: &Tools<'_>) -> bool {
        let mut members = self.grips.iter().flat_map(|grip| &grip.members);
        members.any(|member| member.particle as usize == j)
            || tools.attachments.hold(self.particles.id[j])
    }

    /// Puts parts in the place of a fragment, unless there is no room or one has no shape. Those that no joint
    /// connects part, across a plane with this normal.
    fn divide(
        &mut self,
        j: usize,
        parts: &[Part],
        joined: &[Joined],
        area: f32,
        normal: Vec3,
        tools: &mut Tools<'_>,
    ) -> bool {
        if self.particles.len() + parts.len() - 1 > self.again.most {
            if !std::mem::replace(&mut self.again.full, true) {
                let what = "room for parts of fragments";
                tools.events.push(Event::LimitReached { body: self.id, what });
            }
            return false;
        }
        let shapes: Option<Vec<Shaped>> = parts.iter().map(shape_of).collect();
        let Some(shapes) = shapes else { return false };
        let home = self.piece_of(j as u32) as usize;
        let (parent, first) = (self.particles.id[j], ParticleId(*tools.next_particle));
        let first_shape = self.shapes.len() as u32;
        let division = Division { particle: j, parts, joined, first_id: first, first_shape };
        let opened = Opened {
            piece: self.pieces[home].id,
            ends: [first; 2],
            position: self.pieces[home].origin + self.particles.position[j].as_dvec3(),
            normal,
            area,
            energy: 0.0,
            material: self.particles.material[j],
            through: true,
        };
        self.model.solid_mut().divide(&mut self.particles, &division);
        self.shapes.extend(shapes);
        self.pieces[home].shape = None;
        tools.homes.extend(std::iter::repeat_n(home, parts.len() - 1));
        *tools.next_particle += parts.len() as u64;
        let children = (0..parts.len() as u64).map(|k| ParticleId(first.0 + k));
        self.changes.divided.extend(children.map(|child| (parent, child)));
        for k in apart(parts.len(), joined) {
            let ends = [first, ParticleId(first.0 + k as u64)];
            self.changes.bonds_cut.push(ends);
            self.changes.opened.push(Opened { ends, ..opened });
        }
        true
    }

    /// Parts that were added go to their pieces.
    pub(super) fn take_in(&mut self, homes: Vec<usize>) {
        self.scratch.grow(self.particles.len());
        super::pieces::take_in(self, &homes);
    }

    /// Fragments that are hit beyond their strength where the body has a pattern, the hardest hit first. Brings
    /// their loads up to this substep.
    ///
    /// ```text
    /// σ = |F| V^⅓ / V
    /// ```
    fn hits(&mut self, step: &Step) -> Vec<Hit> {
        let mut found = Vec::new();
        if self.again.pattern.is_none() {
            return found;
        }
        for k in 0..self.pieces.len() {
            if self.pieces[k].is_still() {
                continue;
            }
            for j in self.pieces[k].span.clone() {
                if self.is_part(j) {
                    continue;
                }
                let Some((Fragment { loads, volume, .. }, window)) = self.window(j, step.h) else {
                    continue;
                };
                let (mut force, mut point, mut weight) = (Vec3::ZERO, Vec3::ZERO, 0.0);
                for push in self.pushes_on(j) {
                    let share = window.share(push, self.particles.acceleration[j]);
                    force += share * push.force;
                    point += push.force.length() * push.point;
                    weight += push.force.length();
                }
                let side = ops::cbrt(volume);
                let felt = force.length() / (side * side) * window.per_stress;
                let kept = window.kept(self.pushes_on(j), self.particles.acceleration[j]);
                let load = loads[1] * kept + felt;
                let beyond = load > window.limit && weight > 0.0;
                if beyond {
                    let ratio = if window.limit > 0.0 { load / window.limit } else { f32::MAX };
                    let (id, point) = (self.particles.id[j], point / weight);
                    found.push(Hit { ratio, id, point, direction: force });
                }
                // a hit breaks once
                let load = if beyond { 0.0 } else { load };
                self.model.solid_mut().set_loads(j, [loads[0], load]);
            }
        }
        found.sort_unstable_by(|a, b| b.ratio.total_cmp(&a.ratio).then(a.id.cmp(&b.id)));
        found
    }

    /// The particle whose centre is nearest to a point of the world, and that point in the frame of its piece.
    fn nearest(&self, point: DVec3) -> Option<(ParticleId, Vec3)> {
        let places = self.pieces.iter().filter(|piece| !piece.frozen).flat_map(|piece| {
            let from = point - piece.origin;
            piece.span.clone().map(move |j| (j, from))
        });
        let far = |&(j, from): &(usize, DVec3)| {
            from.distance_squared(self.particles.position[j].as_dvec3())
        };
        let nearest = places.min_by(|a, b| far(a).total_cmp(&far(b)));
        nearest.map(|(j, from)| (self.particles.id[j], from.as_vec3()))
    }

    /// Breaks the whole fragments around a hit in a pattern, all in the rest frame of the one that was hit, so that cracks run
    /// on from one to the next.
    fn shatter(&mut self, hit: &Hit, pattern: &Pattern, tools: &mut Tools<'_>) {
        let Some(j) = self.places.of(hit.id) else { return };
        // it may be in cells by now
        if self.particles.id[j] != hit.id {
            return;
        }
        let particles = &self.particles;
        let back = particles.orientation[j].inverse();
        let point = (particles.rest[j] + back * (hit.point - particles.position[j])).as_dvec3();
        let direction = (back * hit.direction).as_dvec3();
        let home = self.piece_of(j as u32) as usize;
        for j in self.pieces[home].span.clone() {
            if self.is_part(j) || self.is_held(j, tools) {
                continue;
            }
            let Some(parts) = self.cells(j, pattern, point, direction) else { continue };
            let joined = joined(&parts);
            self.divide(j, &parts, &joined, 0.0, hit.direction.normalize_or(Vec3::Y), tools);
        }
    }

    /// The cells of a fragment around a hit at `point` of the rest shape, if it breaks.
    fn cells(
        &self,
        j: usize,
        pattern: &Pattern,
        point: DVec3,
        direction: DVec3,
    ) -> Option<Vec<Part>> {
        let rest = self.particles.rest[j].as_dvec3();
        let around = self.shapes.get(self.particles.shape[j] as usize)?;
        let reach = f64::from(pattern.radius() + around.shape.bounding_radius());
        if rest.distance(point) > reach {
            return None;
        }
        let solid = self.solid_of(j)?.transformed(DMat3::IDENTITY, rest)?;
        let least = SMALLEST_CELL * f64::from(self.again.mean_volume);
        let cells = pattern.cells(point, direction, &solid, least);
        if cells.len() < 2 {
            return None;
        }
        let about = |cell: &Convex| Some(Part::new(cell.transformed(DMat3::IDENTITY, -rest)?));
        cells.iter().map(about).collect()
    }
}

/// What others touch of a part, in the frame of its axes.
fn shape_of(part: &Part) -> Option<Shaped> {
    let (back, centre) = (part.axes.inverse(), part.measure.centre);
    let corners: Vec<Vec3> =
        part.cell.vertices().iter().map(|&corner| back * (corner - centre).as_vec3()).collect();
    Some(Shaped::new(Shape::hull(&corners).ok()?, Vec3::ZERO))
}

/// Parts that share faces.
fn joined(parts: &[Part]) -> Vec<Joined> {
    let mut joined = Vec::new();
    for a in 0..parts.len() {
        for b in a + 1..parts.len() {
            let area = parts[a].cell.shared_area(&parts[b].cell);
            if area > 0.0 {
                joined.push(Joined { parts: [a, b], area: area as f32 });
            }
        }
    }
    joined
}

/// A part of every set of joined parts but that of the first.
fn apart(count: usize, joined: &[Joined]) -> impl Iterator<Item = usize> {
    let mut sets = Sets::new(count);
    joined.iter().for_each(|j| sets.join(j.parts[0] as u32, j.parts[1] as u32));
    (1..count).filter(move |&k| sets.find(k as u32) as usize == k)
}
