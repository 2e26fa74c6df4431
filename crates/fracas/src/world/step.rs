//! The step: the physics, read off the order of calls.

use super::body::{Body, Impulse, Piece, Scratch};
use super::changes::Changes;
use super::event::Event;
use super::field::{self, Field};
use super::grip::Member;
use super::obstacle::Obstacle;
use super::report::StageTimes;
use super::{Opened, Reaction, World};
use crate::contact::{HalfSpace, touch_half_spaces, touch_half_spaces_by_corners};
use crate::math::{Rot, ops};
use crate::parallel::{Span, Workers};
use crate::solids::motion::{Turning, replace_rigid_motion};
use crate::solids::particles::is_isotropic;
use crate::solids::{Motion, Particles, Solid, Step};
use crate::solve::Pair;
use glam::{DVec3, Vec3};

/// Longest step, in s; a longer one is cut to it.
pub(super) const LONGEST: f32 = 1.0 / 15.0;
/// A substep may be this much longer than the one before, and start from its forces.
const SAME_FORCE: f32 = 16.0;
/// Turn of a piece within a substep, in radians, from which on it is carried along arcs.
const FAST_TURN: f64 = 0.5;
/// Energy of turning that the pushes on a piece tell, over that which it was turned with, from which on they are not believed. Lower, what flutters
/// loses angular momentum.
const SPUN_UP: f64 = 2.0;
/// Steps below this, in s, do nothing: the rounding of a position over a substep of a microsecond is a speed of
/// centimetres per second, and over less of metres.
pub(super) const SHORTEST: f32 = 1e-5;

/// What stages need to know of the world.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub step: &'a Step,
    pub gravity: Vec3,
    /// World time at the end of the substep, s.
    pub time: f64,
    pub half_spaces: &'a [HalfSpace],
    pub fields: &'a [Field],
    pub momentum_correction: bool,
    pub books: bool,
    /// Whether cracks may open.
    pub breaking: bool,
}

/// One substep of every body.
pub(super) fn substep(world: &mut World, h: f32, left: u32, ms: &mut StageTimes) {
    let step = Step { h, sweeps: world.config.sweeps, workers: world.workers.clone() };
    let time = world.time + f64::from(h);
    let gravity = world.gravity_at(time);
    world.obstacles.iter_mut().for_each(|obstacle| obstacle.advance(time, left));
    // a plane is everywhere
    if world.obstacles.iter().any(|obstacle| obstacle.moves() && obstacle.plane().is_some()) {
        world.wake_all();
    }
    // a force of a far shorter step is rounding over next to nothing
    if h > SAME_FORCE * world.forces_of {
        world.touching.forget_forces();
    }
    world.forces_of = h;
    world.half_spaces.clear();
    world.half_spaces.extend(world.obstacles.iter().filter_map(Obstacle::half_space));
    if world.is_still() {
        world.touching.rest();
        world.attachments.rest();
        world.gravity_now = gravity;
        world.time = time;
        return;
    }
    let around = Around {
        step: &step,
        gravity,
        time,
        half_spaces: &world.half_spaces,
        fields: &world.fields,
        momentum_correction: world.config.momentum_correction,
        books: world.config.books,
        breaking: time >= f64::from(world.config.settle),
    };
    let clock = world.clock;
    let (bodies, touching) = (&mut world.bodies[..], &mut world.touching);
    let obstacles = &mut world.obstacles;
    let attachments = &mut world.attachments;
    let timed = |slot: &mut f64, bodies: &mut [Body], stage: &(dyn Fn(&mut Body) + Sync)| {
        let start = clock();
        step.workers.for_each(bodies, &|body: &mut Body| stage(body));
        *slot += 1e3 * (clock() - start);
    };

    timed(&mut ms.predict, bodies, &|body| predict(body, around));
    // before the others of its island meet it
    quarantine(bodies, &mut world.events);
    number_bodies(bodies);
    loop {
        timed(&mut ms.contact, bodies, &|body| touch_obstacles(body, around));
        let start = clock();
        touching.find(bodies, obstacles, attachments, h, &step.workers);
        let woken = touching.wake_touched(bodies, around);
        ms.contact += 1e3 * (clock() - start);
        if !woken {
            break;
        }
    }
    let found = clock();
    attachments.begin(bodies);
    touching.solve(bodies, attachments, around);
    ms.elastic += 1e3 * (clock() - found);
    timed(&mut ms.plastic, bodies, &|body| flow_plastic(body, around));
    timed(&mut ms.fracture, bodies, &|body| fracture(body, around));
    touching.tell(bodies, h);
    touching.tell_obstacles(bodies, obstacles, 1.0 / f64::from(world.config.substeps));
    timed(&mut ms.fracture, bodies, &|body| take_born(body));
    attachments.break_links(bodies, around, &mut world.events);
    timed(&mut ms.commit, bodies, &|body| commit(body, around));
    touching.give_back(bodies);

    let start = clock();
    world.gravity_now = gravity;
    world.time = time;
    // what is no number is put back whole, before it comes apart
    quarantine(&mut world.bodies, &mut world.events);
    world.split_pieces(&step);
    if time >= f64::from(world.config.settle) {
        world.break_again(&step);
        world.split_pieces(&step);
    }
    quarantine(&mut world.bodies, &mut world.events);
    world.collect_contacts();
    world.collect_sensed();
    world.obstacles.iter_mut().for_each(Obstacle::arrive);
    ms.commit += 1e3 * (clock() - start);
}

/// Where every particle would go if nothing held it (000 sec. 3.2):
///
/// ```text
/// v ← v + h a,   x* = x + h v,   w ← w + h α,   q* = exp(h w) q
/// ```
fn predict(body: &mut Body, around: Around<'_>) {
    let Body { particles, pieces, grips, pushes, model, scratch, spent, gravity, reached, .. } =
        body;
    *reached = model.solid_mut().begin(particles, around.step);

    particles.acceleration.fill(around.gravity);
    particles.spin_acceleration.fill(Vec3::ZERO);
    for push in pushes.iter() {
        let j = push.particle as usize;
        particles.acceleration[j] += push.force / particles.mass[j];
        if particles.oriented() {
            let turning = particles.inv_inertia_times(j, push.torque);
            particles.spin_acceleration[j] += turning;
        }
    }
    particles.held.fill(false);
    scratch.held.clear();
    let origin_of = |particle: u32| {
        let index = pieces.partition_point(|p| p.span.end <= particle as usize);
        pieces[index].origin
    };
    for (index, grip) in grips.iter_mut().enumerate() {
        grip.pull(around.time, particles, origin_of);
        grip.targets(index as u32, around.time, particles, origin_of, &mut scratch.held);
    }
    scratch.held.sort_unstable_by_key(|target| target.particle);
    field::accelerate(around.fields, particles, pieces, model.solid(), around.step.h);

    for piece in pieces.iter_mut().filter(|piece| !piece.is_still()) {
        predict_piece(particles, piece, model.solid_mut(), around);
        // a change of gravity lifts or lowers everything at once
        let place = piece.origin + piece.predicted.centre;
        let change = (around.gravity - *gravity).as_dvec3();
        spent.external_work -= piece.predicted.mass * change.dot(place);
    }
    *gravity = around.gravity;
    scratch.pulled.clear();
    for (grip, index) in grips.iter().zip(0..) {
        grip.spring(index, around.step.h, particles, pieces, &mut scratch.pulled);
    }
}

/// The same for the particles of one piece, whose accelerations are known.
pub(super) fn predict_piece(
    particles: &mut Particles,
    piece: &mut Piece,
    solid: &mut dyn Solid,
    around: Around<'_>,
) {
    let h = around.step.h;
    for j in piece.span.clone() {
        particles.remember_place(j);
        particles.velocity[j] += h * particles.acceleration[j];
        let way = h * particles.velocity[j];
        particles.set_inertial_place(j, particles.place(j) + way.as_dvec3());
    }
    if particles.oriented() {
        for j in piece.span.clone() {
            particles.spin[j] += h * particles.spin_acceleration[j];
        }
    }
    // before the ellipsoids turn: back from their new spins, L would drift by rounding
    let workers = &around.step.workers;
    let (previous, span) = (&particles.previous, piece.span.clone());
    piece.predicted = match &piece.shape {
        Some(shape) => shape.with_velocities(particles, previous, span, workers),
        None => Motion::of(particles, previous, span, workers),
    };
    let span = piece.span.clone();
    // what integrates by itself has short steps of its own, unless it is touched
    let fast = span.len() > 1 && !solid.integrates() && turns_fast(&piece.predicted, h);
    let along_arcs = solid.turns_along_arcs()
        && !particles.held[span.clone()].contains(&true)
        && (fast || f64::from(h) * piece.predicted.spin().length() <= FAST_TURN);
    piece.turning = along_arcs.then(|| Turning::new(&piece.predicted, h.into()));
    if let Some(turning) = &piece.turning {
        turn_along_arcs(particles, span.clone(), &piece.predicted, turning, h);
        solid.turn(span, Rot::from_mat3(&turning.turned.as_mat3()));
    } else if fast {
        let turn = turn_rigidly(particles, span.clone(), &piece.predicted, h);
        solid.turn(span, turn);
    }
    if particles.oriented() {
        for j in piece.span.clone() {
            predict_orientation(particles, j, h);
        }
    }
}

/// Carries a piece that turns fast along arcs, of a model that integrates by itself where nothing else is in the way.
pub(super) fn carry_touched(
    particles: &mut Particles,
    span: Span,
    motion: &Motion,
    solid: &mut dyn Solid,
    h: f32,
) {
    if solid.integrates() && span.len() > 1 && turns_fast(motion, h) {
        let turn = turn_rigidly(particles, span.clone(), motion, h);
        solid.turn(span, turn);
    }
}

/// Whether a piece turns so far within a substep that chords have nothing to do with its way, and does little else: particles
/// that were pressed into one point turn too, by rounding, while they part.
fn turns_fast(motion: &Motion, h: f32) -> bool {
    let spin = motion.spin();
    f64::from(h) * spin.length() > FAST_TURN && {
        let shifting = 0.5 * motion.momentum.dot(motion.velocity());
        spin.dot(motion.angular) > motion.kinetic - shifting
    }
}

/// Carries a piece on along arcs instead of chords, velocities with it: x* = c + h V + R (x − c + h v'), v* = V + R (v − V), with v'
/// what is not rigid in it. It is not stretched by its spin, which such steps could not tell anyway; along chords small fragments that
/// spin won energy without end.
fn turn_rigidly(particles: &mut Particles, span: Span, motion: &Motion, h: f32) -> Rot {
    let (centre, v, w) =
        (motion.centre.as_vec3(), motion.velocity().as_vec3(), motion.spin().as_vec3());
    let turn = Rot::exp(h * w);
    for j in span {
        let r = particles.previous[j] - centre;
        let own = particles.velocity[j] - v;
        let place = centre + h * v + turn * (r + h * (own - w.cross(r)));
        particles.set_inertial_place(j, place.as_dvec3());
        particles.velocity[j] = v + turn * own;
    }
    turn
}

/// Carries a piece on along arcs and lets it feel its spin, with [`Turning`]:
///
/// ```text
/// v* = V + Ω⁺ × R r + v' + h a,   x* = c + h V + R r + h v' + h² a,   r = x − c,   v' = v − V − Ω × r
/// ```
///
/// Where elasticity takes the spin up, x = x* − h² a: the shape has turned, exactly, and neither momentum nor energy has changed.
fn turn_along_arcs(
    particles: &mut Particles,
    span: Span,
    motion: &Motion,
    turning: &Turning,
    h: f32,
) {
    let h = f64::from(h);
    let (centre, v, spin) = (motion.centre, motion.velocity(), motion.spin());
    for j in span {
        let arm = particles.previous_place(j) - centre;
        let own = particles.velocity[j].as_dvec3() - v - spin.cross(arm);
        let arm = turning.turned * arm;
        let force = turning.force(arm);
        let straight = v + own + h * force;
        particles.acceleration[j] += force.as_vec3();
        particles.velocity[j] = (straight + turning.spin.cross(arm)).as_vec3();
        particles.set_inertial_place(j, centre + arm + h * straight);
    }
}

/// Turns particle `j` freely. An ellipsoid keeps its angular momentum and not its spin
/// (erratum 000.9): midpoint of w = J(q)⁻¹ L.
fn predict_orientation(particles: &mut Particles, j: usize, h: f32) {
    let q = particles.orientation[j];
    particles.previous_orientation[j] = q;
    let spin = particles.spin[j];
    if is_isotropic(&particles.inertia[j]) {
        particles.turn[j] = h * spin;
        particles.orientation[j] = (Rot::exp(h * spin) * q).normalized();
    } else {
        let momentum = particles.inertia_times(j, spin);
        particles.orientation[j] = (Rot::exp(0.5 * h * spin) * q).normalized();
        let middle = particles.inv_inertia_times(j, momentum);
        particles.turn[j] = h * middle;
        particles.orientation[j] = (Rot::exp(h * middle) * q).normalized();
        particles.spin[j] = particles.inv_inertia_times(j, momentum);
    }
    particles.inertial_orientation[j] = particles.orientation[j];
}

/// Contacts name bodies by their place in the world's list.
fn number_bodies(bodies: &mut [Body]) {
    for (body, number) in bodies.iter_mut().zip(0..) {
        body.scratch.number = number;
    }
}

/// Obstacles that may be touched within the substep.
fn touch_obstacles(body: &mut Body, around: Around<'_>) {
    body.follow_surface(around.step.h, &around.step.workers);
    let is_surface = body.is_surface();
    let Body { particles, pieces, scratch, layers, .. } = body;
    let Scratch { surface, found, .. } = scratch;
    scratch.impulses.clear();
    found.clear();
    for (piece, index) in pieces.iter().zip(0..).filter(|(piece, _)| !piece.is_still()) {
        if is_surface {
            let corners = range_of(surface.corners(), &piece.span, |corner| corner.0);
            touch_half_spaces_by_corners(
                [scratch.number, index],
                particles,
                &surface.corners()[corners],
                surface.is_two_sided(),
                piece.origin,
                *layers,
                around.half_spaces,
                around.step.h,
                found,
            );
            continue;
        }
        touch_half_spaces(
            [scratch.number, index],
            particles,
            piece.span.clone(),
            piece.origin,
            *layers,
            around.half_spaces,
            around.step.h,
            found,
        );
    }
}

/// Elasticity of pieces that nothing touches, by their model's own iteration; of those that are held, if it can.
pub(super) fn solve_alone(body: &mut Body, around: Around<'_>) {
    let Body { particles, pieces, model, scratch, .. } = body;
    let solid = model.solid_mut();
    for piece in pieces.iter_mut().filter(|piece| !piece.is_still() && !piece.together) {
        let span = piece.span.clone();
        let held = range_of(&scratch.held, &span, |target| target.particle);
        let held = &mut scratch.held[held];
        piece.residual = solid.solve_alone(particles, span.clone(), held, around.step);
        if piece.residual.integrated {
            particles.correction[span].fill(Vec3::ZERO);
            continue;
        }
        if around.momentum_correction && held.is_empty() {
            remove_net_force(particles, piece, around.step);
        }
        for j in span {
            particles.correction[j] = (particles.place(j) - particles.inertial_place(j)).as_vec3();
        }
        piece.unconverged += u32::from(!piece.residual.converged());
    }
}

/// Internal forces have no sum and no torque. Few sweeps leave both; the rigid motion that takes
/// them away costs no elastic energy:
///
/// ```text
/// Σ m (x − x*) = 0,   Σ ( r × m (x − x*) + J log(q q*⁻¹) ) = 0
/// ```
///
/// Without this the momentum would be right after commit, but the positions would not follow it.
fn remove_net_force(particles: &mut Particles, piece: &Piece, step: &Step) {
    let Piece { span, predicted: motion, turning, .. } = piece;
    let inv_inertia = turning.map_or(motion.inv_inertia, |turning| turning.inv_inertia);
    let sums = step.workers.sum(span.clone(), &|leaf: Span| {
        let mut sum = Pair(DVec3::ZERO, DVec3::ZERO);
        for j in leaf {
            let x = particles.place(j);
            let force = f64::from(particles.mass[j]) * (x - particles.inertial_place(j));
            sum = sum + Pair(force, (x - motion.centre).cross(force));
            if let Some(&q) = particles.orientation.get(j) {
                let turn = (q * particles.inertial_orientation[j].inverse()).log();
                sum.1 += particles.inertia_times(j, turn).as_dvec3();
            }
        }
        sum
    });
    let shift = -sums.0 / motion.mass;
    // about the centre of mass, which `shift` has moved the force away from
    let centre = motion.centre + motion.velocity() * f64::from(step.h);
    let torque = sums.1 - (centre - motion.centre).cross(sums.0);
    let turn = -(inv_inertia * torque);
    let (shift, turn, centre) = (shift.as_vec3(), turn.as_vec3(), centre.as_vec3());
    let turned = Rot::exp(turn);
    for j in span.clone() {
        let r = particles.position[j] - centre;
        let way = shift + turn.cross(r);
        particles.set_place(j, particles.place(j) + way.as_dvec3());
        if let Some(q) = particles.orientation.get_mut(j) {
            *q = turned * *q;
        }
    }
}

/// The part of a list, sorted by particle, that belongs to a span.
pub(super) fn range_of<T>(list: &[T], span: &Span, particle: impl Fn(&T) -> u32) -> Span {
    let start = list.partition_point(|item| (particle(item) as usize) < span.start);
    let end = list.partition_point(|item| (particle(item) as usize) < span.end);
    start..end
}

fn flow_plastic(body: &mut Body, around: Around<'_>) {
    let solid = body.model.solid_mut();
    for piece in body.pieces.iter_mut().filter(|piece| !piece.is_still()) {
        let work = solid.flow_plastic(&body.particles, piece.span.clone(), around.step);
        body.spent.plastic_work += work;
        piece.elastic -= work;
    }
}

/// Cracks open where the material fails and the solve tells its stress.
fn fracture(body: &mut Body, around: Around<'_>) {
    let Body { model, pieces, particles, changes, spent, .. } = body;
    pieces.iter_mut().for_each(|piece| piece.passed_on = 1.0);
    if !around.breaking {
        return;
    }
    let solid = model.solid_mut();
    for piece in pieces.iter_mut().filter(|piece| !piece.is_still()) {
        let (span, seen) = (piece.span.clone(), changes.opened.len());
        let Piece { residual, credit, .. } = piece;
        let freed = solid.fracture(particles, span, around.step, *residual, credit, changes);
        spent.fracture_work += freed;
        piece.elastic -= freed;
        // elsewhere pushes are those of a solve that may not have converged, and tell nothing one by one
        piece.passed_on = if piece.residual.whole { solid.passed_on(&piece.span) } else { 1.0 };
        place_cracks(&mut changes.opened[seen..], piece);
    }
}

/// Particles that began go to the pieces of those that they were or lie between. Where faces opened they are held as those that they were.
pub(super) fn take_born(body: &mut Body) {
    let known = body.places.len();
    let new = &body.particles.id[known..];
    let mut homes = Vec::with_capacity(new.len());
    let Changes { born, on_edges, .. } = &body.changes;
    for (k, &id) in new.iter().enumerate() {
        let split = born.binary_search_by_key(&id, |born| born.1).map(|at| born[at].0);
        let between = on_edges.binary_search_by_key(&id, |new| new.1).map(|at| on_edges[at].0[0]);
        let (Ok(parent) | Err(Some(parent))) = split.map_err(|_| between.ok()) else { continue };
        // of one that began just before: the piece of that
        let earlier = new[..k].binary_search(&parent);
        let home = match (earlier, body.places.of(parent)) {
            (Ok(earlier), _) => homes[earlier],
            (_, Some(place)) => body.piece_of(place as u32) as usize,
            (_, None) => continue,
        };
        homes.push(home);
        body.pieces[home].shape = None;
        if split.is_err() {
            continue;
        }
        let particle = (known + k) as u32;
        for grip in &mut body.grips {
            let held = grip.members.iter().find(|member| member.id == parent).copied();
            grip.members.extend(held.map(|member| Member { id, particle, ..member }));
        }
    }
    body.take_in(homes);
}

/// Cracks that a model has opened in a piece, from its frame to the world.
pub(super) fn place_cracks(opened: &mut [Opened], piece: &Piece) {
    for opened in opened {
        opened.piece = piece.id;
        opened.position += piece.origin;
    }
}

/// Velocities from corrections (erratum 000.19: never from differences of positions), then the
/// rigid motion that momentum asks for, then damping.
///
/// ```text
/// v ← v + (x − x*)/h,   w ← w + log(q q*⁻¹)/h
/// ```
fn commit(body: &mut Body, around: Around<'_>) {
    for index in 0..body.pieces.len() {
        if !body.pieces[index].is_still() {
            commit_piece(body, index, around);
        }
    }
    collect_reactions(body);
}

fn commit_piece(body: &mut Body, index: usize, around: Around<'_>) {
    let (h, workers) = (around.step.h, &around.step.workers);
    let piece = body.pieces[index].clone();
    let span = piece.span.clone();
    let particles = &mut body.particles;
    for j in span.clone() {
        particles.velocity[j] += particles.correction[j] / h;
        if particles.oriented() {
            let back = particles.inertial_orientation[j].inverse();
            particles.turn[j] = (particles.orientation[j] * back).log();
            particles.spin[j] += particles.turn[j] / h;
        }
    }
    let mut solved = Motion::of(particles, &particles.position, span.clone(), workers);

    let touched = range_of(&body.scratch.impulses, &span, |push| push.particle);
    let gripped = range_of(&body.scratch.held, &span, |target| target.particle);
    // what was pushed between steps of its own has its momentum from there
    let own = piece.residual.integrated && !touched.is_empty();
    let free = gripped.is_empty() && around.momentum_correction && !own;
    let mutual = free && body.scratch.impulses[touched.clone()].iter().any(|push| push.mutual);
    let mut wanted = solved;
    let mut guard = 1.0;
    body.pieces[index].strayed = DVec3::ZERO;
    if free && piece.residual.adrift {
        let pushes = body.scratch.impulses[touched.clone()].iter().map(|push| push.force);
        let push = f64::from(h) * pushes.map(|force| force.as_dvec3()).sum::<DVec3>();
        body.pieces[index].strayed = solved.momentum - piece.predicted.momentum - push;
    } else if free {
        (wanted.momentum, wanted.angular) = (piece.predicted.momentum, piece.predicted.angular);
        for k in touched.clone() {
            let Impulse { point, force, .. } = body.scratch.impulses[k];
            let push = force.as_dvec3() * f64::from(h);
            wanted.momentum += push;
            // x' = x + h v': what turns is the push times its arm at the start
            wanted.angular += (point.as_dvec3() - piece.predicted.centre).cross(push);
        }
        if !piece.residual.whole && !touched.is_empty() && turns_beyond_arms(&solved, &wanted, h) {
            wanted.angular = solved.angular;
        }
        if mutual {
            follow_momentum(particles, span.clone(), &mut solved, &wanted, h);
        }
        // what touches does work of its own, which the guard would take for the correction's
        if touched.is_empty() {
            let chords = piece.turning.is_none() && !turns_fast(&solved, h);
            guard = energy_guard(particles, span.clone(), &solved, &wanted, chords, h, workers);
        }
    }
    let fade = f64::from(ops::exp(-body.damping * h));

    if around.books {
        let alone = touched.is_empty() && gripped.is_empty();
        let loss = if piece.residual.integrated {
            explicit_loss(body, index, &solved, gripped.clone(), around)
        } else {
            integrator_loss(body, index, &solved, alone, around)
        };
        body.spent.solver_loss += loss;
    }
    let deviations = (solved.kinetic - solved.rigid_energy()).max(0.0);
    let corrected = wanted.rigid_energy() + guard * guard * deviations;
    body.spent.solver_loss += solved.kinetic - corrected;
    body.spent.damping += guard * guard * (1.0 - fade * fade) * deviations;
    book_work(body, &piece, gripped, around);
    let keep = guard * fade;
    if free || keep != 1.0 {
        replace_rigid_motion(&mut body.particles, span, &solved, &wanted, keep, workers);
    }
    let touching = body.scratch.impulses[touched].iter().any(|push| push.pressing);
    body.pieces[index].touching = touching;
    // moved after it was summed
    body.pieces[index].shape = if mutual { None } else { Some(solved) };
}

/// The forces that a solve has felt are not quite those that it moved the piece by. The momentum is
/// that of the forces, and the place must follow it: x' = x + h P/M, or the angular momentum of two
/// that meet would not stay.
fn follow_momentum(
    particles: &mut Particles,
    span: Span,
    solved: &mut Motion,
    wanted: &Motion,
    h: f32,
) {
    let shift = f64::from(h) / solved.mass * (wanted.momentum - solved.momentum);
    solved.centre += shift;
    for j in span {
        particles.set_place(j, particles.place(j) + shift.as_vec3().as_dvec3());
    }
}

/// Erratum 000.12: restoring angular momentum adds Δw·L + ½ Δw·H Δw of energy, and the total must
/// not rise by it. Two things have been taken before and may be given back: what backward Euler
/// dissipates at least, and what a turning body loses by moving along chords (L falls by (hΩ)²):
///
/// ```text
/// ½ Σ m |v − v*|² + 2 (hΩ)² · ½ Ω·L
/// ```
///
/// What the correction adds beyond that is taken from the deviations from rigid motion, which
/// carry no momentum. Returns the factor on them.
fn energy_guard(
    particles: &Particles,
    span: Span,
    solved: &Motion,
    wanted: &Motion,
    chords: bool,
    h: f32,
    workers: &Workers,
) -> f64 {
    let added = wanted.rigid_energy() - solved.rigid_energy();
    let deviations = solved.kinetic - solved.rigid_energy();
    let spin = wanted.spin();
    let h2 = f64::from(h) * f64::from(h);
    let chords = if chords { h2 * spin.length_squared() * spin.dot(wanted.angular) } else { 0.0 };
    // most substeps end here, without a look at the particles
    if added <= chords || deviations <= 0.0 {
        return 1.0;
    }
    let twice = workers.sum(span, &|leaf: Span| {
        let mut sum = 0.0;
        for j in leaf {
            sum += f64::from(particles.mass[j] * particles.correction[j].length_squared());
            if particles.oriented() {
                let turn = particles.turn[j];
                sum += f64::from(turn.dot(particles.inertia_times(j, turn)));
            }
        }
        sum
    });
    let excess = added - chords - 0.5 * twice / h2;
    (1.0 - excess.max(0.0) / deviations).max(0.0).sqrt()
}

/// Whether pushes would turn a piece so far within the substep that their arms at its start say nothing, and with far more energy than it was turned:
/// a shard among others got forty times its spin from pushes that were in balance where it ended.
fn turns_beyond_arms(solved: &Motion, wanted: &Motion, h: f32) -> bool {
    let turning = |motion: &Motion| motion.spin().dot(motion.angular);
    let spin = wanted.spin().length();
    f64::from(h) * spin > FAST_TURN && turning(wanted) > SPUN_UP * turning(solved)
}

/// What backward Euler dissipates in a substep of a piece, in J:
///
/// ```text
/// ½ Σ m |v⁺ − v_n|²  +  ∇Ψ(x⁺)·Δx − (Ψ⁺ − Ψ_n)
/// ```
///
/// Both terms are measured, not inferred from the total: the books close only as far as the
/// solve has converged. Internal forces do no work on rigid motion, which is left out of Δx: times
/// the way of a flight, their rounding alone would look like a loss. What rounding of positions
/// leaves of a net force on a free piece is booked for what it is, `stray`.
fn integrator_loss(
    body: &mut Body,
    index: usize,
    solved: &Motion,
    alone: bool,
    around: Around<'_>,
) -> f64 {
    let Body { particles, pieces, model, scratch, .. } = body;
    let piece = &mut pieces[index];
    let (span, h) = (piece.span.clone(), around.step.h);
    let oriented = particles.oriented();
    let force = &mut scratch.force;
    let room = force.span_mut(span.clone(), oriented);
    let elastic = model.solid_mut().audit(particles, span.clone(), around.step, room);
    let force = force.span(span.clone(), oriented);
    let (shift, turn) = (solved.velocity() * f64::from(h), solved.spin() * f64::from(h));
    let (mut inertia, mut work, mut stray) = (0.0, 0.0, 0.0);
    for (k, j) in span.enumerate() {
        // v⁺ − v_n = (x − x*)/h + h a
        let dv = particles.correction[j] / h + h * particles.acceleration[j];
        let x = particles.place(j);
        let rigid = shift + turn.cross(x - solved.centre);
        let dx = x - particles.previous_place(j) - rigid;
        inertia += f64::from(particles.mass[j] * dv.length_squared());
        work += force.linear[k].as_dvec3().dot(dx);
        let solved_force = f64::from(particles.mass[j]) * particles.correction[j].as_dvec3();
        stray += solved_force.dot(rigid);
        if particles.oriented() {
            let dw = particles.turn[j] / h + h * particles.spin_acceleration[j];
            let turned = particles.orientation[j] * particles.previous_orientation[j].inverse();
            inertia += f64::from(dw.dot(particles.inertia_times(j, dw)));
            work += force.angular[k].as_dvec3().dot(turned.log().as_dvec3() - turn);
            stray += particles.inertia_times(j, particles.turn[j]).as_dvec3().dot(turn);
        }
    }
    // obstacles and grips do work on rigid motion, which is booked where they are
    let stray = if alone { stray / (f64::from(h) * f64::from(h)) } else { 0.0 };
    let loss = 0.5 * inertia - work - (elastic - piece.elastic) - stray;
    piece.elastic = elastic;
    loss
}

/// What the integrator of a model of its own loses in a substep of a piece, in J: it has no formula, so it is what energy and work leave,
///
/// ```text
/// T_n + Ψ_n + Σ (m a + f_grip)·Δx − T − Ψ
/// ```
fn explicit_loss(
    body: &mut Body,
    index: usize,
    solved: &Motion,
    gripped: Span,
    around: Around<'_>,
) -> f64 {
    let Body { particles, pieces, model, scratch, .. } = body;
    let piece = &mut pieces[index];
    let (span, h) = (piece.span.clone(), f64::from(around.step.h));
    let room = scratch.force.span_mut(span.clone(), particles.oriented());
    let elastic = model.solid_mut().audit(particles, span.clone(), around.step, room);
    let moved = |j: usize| particles.place(j) - particles.previous_place(j);
    let mut left = piece.elastic - elastic - solved.kinetic;
    for j in span {
        let (mass, a) = (f64::from(particles.mass[j]), particles.acceleration[j].as_dvec3());
        let before = (particles.inertial_place(j) - particles.previous_place(j)) / h - h * a;
        left += mass * (0.5 * before.length_squared() + a.dot(moved(j)));
    }
    for target in &scratch.held[gripped] {
        left += target.force.as_dvec3().dot(moved(target.particle as usize));
    }
    piece.elastic = elastic;
    left
}

/// Work of forces, fields, pulls, springs and grips.
fn book_work(body: &mut Body, piece: &Piece, gripped: Span, around: Around<'_>) {
    let span = piece.span.clone();
    let Body { particles, scratch, spent, grips, pushes, .. } = body;
    let moved = |j: usize| (particles.position[j] - particles.previous[j]).as_dvec3();
    let turned = |j: usize| {
        let back = particles.previous_orientation[j].inverse();
        (particles.orientation[j] * back).log().as_dvec3()
    };
    for target in &scratch.held[gripped] {
        let j = target.particle as usize;
        spent.external_work += target.force.as_dvec3().dot(moved(j));
        if particles.oriented() {
            spent.external_work += target.torque.as_dvec3().dot(turned(j));
        }
    }
    for pulled in &scratch.pulled {
        let j = pulled.particle as usize;
        if span.contains(&j) {
            spent.external_work += pulled.force.as_dvec3().dot(moved(j));
        }
    }
    if grips.is_empty() && pushes.is_empty() && around.fields.is_empty() {
        return;
    }
    for j in span {
        let mut acceleration = particles.acceleration[j] - around.gravity;
        // its spin is no force from outside
        if let Some(turning) = &piece.turning {
            let arm = turning.turned * (particles.previous_place(j) - piece.predicted.centre);
            acceleration -= turning.force(arm).as_vec3();
        }
        let force = particles.mass[j] * acceleration;
        spent.external_work += force.as_dvec3().dot(moved(j));
        if particles.oriented() {
            let torque = particles.inertia_times(j, particles.spin_acceleration[j]);
            spent.external_work += torque.as_dvec3().dot(turned(j));
        }
    }
}

/// Sums the forces on held and pulled particles to their grips' reactions.
fn collect_reactions(body: &mut Body) {
    let Body { particles, pieces, grips, scratch, .. } = body;
    for (index, grip) in grips.iter_mut().enumerate() {
        if matches!(grip.motion, super::GripMotion::Pull { .. }) {
            continue;
        }
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        let pivot = grip.pivot();
        let mut add = |particle: u32, f: Vec3, own: Vec3| {
            let j = particle as usize;
            let piece = pieces.partition_point(|p| p.span.end <= j);
            let place = pieces[piece].origin + particles.position[j].as_dvec3();
            let f = f.as_dvec3();
            force += f;
            torque += (place - pivot).cross(f) + own.as_dvec3();
        };
        for target in scratch.held.iter().filter(|target| target.grip == index as u32) {
            add(target.particle, target.force, target.torque);
        }
        for pulled in scratch.pulled.iter().filter(|pulled| pulled.grip == index as u32) {
            add(pulled.particle, pulled.force, Vec3::ZERO);
        }
        grip.reaction = Reaction { force: force.to_array(), torque: torque.to_array() };
    }
}

impl World {
    /// Pieces that cuts left unconnected become pieces of their own.
    pub(super) fn split_pieces(&mut self, step: &Step) {
        for body in &mut self.bodies {
            if body.changes.bonds_cut.len() > body.cuts_seen {
                let opened = body.changes.opened.get(body.cuts_seen..).unwrap_or_default();
                self.events.extend(opened.iter().map(|opened| Event::crack(body.id, opened)));
                let born = Some(self.time);
                super::pieces::split(body, born, &mut self.next_piece, &mut self.events);
                body.stored(step, self.config.books);
            }
        }
    }

    /// Reports pieces that came into a sensor or left it.
    fn collect_sensed(&mut self) {
        let Self { obstacles, events, touching, .. } = self;
        for obstacle in obstacles.iter_mut().filter(|obstacle| obstacle.sensor) {
            let sensor = obstacle.id;
            let sensed = &touching.finding.sensed;
            let start = sensed.partition_point(|&(id, ..)| id < sensor);
            let end = sensed.partition_point(|&(id, ..)| id <= sensor);
            let now = || sensed[start..end].iter().map(|&(_, body, piece)| (body, piece));
            for &(body, piece) in &obstacle.inside {
                if now().all(|inside| inside != (body, piece)) {
                    events.push(Event::Left { sensor, body, piece });
                }
            }
            for (body, piece) in now() {
                if obstacle.inside.binary_search(&(body, piece)).is_err() {
                    events.push(Event::Entered { sensor, body, piece });
                }
            }
            obstacle.inside.clear();
            obstacle.inside.extend(now());
        }
    }

    /// Reports pieces that something began to push.
    fn collect_contacts(&mut self) {
        for body in &mut self.bodies {
            let impulses = &body.scratch.impulses;
            for piece in &mut body.pieces {
                if piece.touching && !piece.touched_before {
                    let range = range_of(impulses, &piece.span, |push| push.particle);
                    let Some(push) = impulses[range].iter().find(|push| push.pressing) else {
                        continue;
                    };
                    self.events.push(Event::Contact {
                        body: body.id,
                        piece: piece.id,
                        position: (piece.origin + push.point.as_dvec3()).to_array(),
                        speed: push.approach,
                    });
                }
                piece.touched_before = piece.touching;
            }
        }
    }
}

/// Puts pieces with numbers that are not finite back to the start of the substep, freezes
/// and reports them; the others go on.
fn quarantine(bodies: &mut [Body], events: &mut Vec<Event>) {
    for body in bodies {
        let particles = &mut body.particles;
        for piece in body.pieces.iter_mut().filter(|piece| !piece.is_still()) {
            let Some(field) = first_bad(particles, piece.span.clone()) else { continue };
            piece.frozen = true;
            for j in piece.span.clone() {
                particles.return_to_previous_place(j);
                particles.velocity[j] = Vec3::ZERO;
                if particles.oriented() {
                    particles.orientation[j] = particles.previous_orientation[j];
                    particles.spin[j] = Vec3::ZERO;
                }
            }
            let (body, piece) = (body.id, piece.id);
            events.push(Event::Quarantined { body, piece, field });
        }
    }
}

/// The column in which the first number that is not finite stands.
fn first_bad(particles: &Particles, span: Span) -> Option<&'static str> {
    // beyond this the squares that every solve takes are not finite
    let fine = |v: &Vec3| v.abs().max_element() < 1e15;
    let finite = |column: &[Vec3]| column[span.clone()].iter().all(|v| v.is_finite() && fine(v));
    if !finite(&particles.position) {
        return Some("position");
    }
    // where it goes may be beyond numbers though its velocity is not
    if !finite(&particles.velocity) || !finite(&particles.inertial) {
        return Some("velocity");
    }
    if particles.oriented() && !finite(&particles.spin) {
        return Some("spin");
    }
    None
}
