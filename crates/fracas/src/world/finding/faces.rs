//! Faces of surfaces of tetrahedra: what touches them, and contacts from it.

use super::{Chunk, Owner, Scene};
use crate::contact::narrow::{OnFace, Point, Solid, each_facet};
use crate::contact::shape::{Pose, Shape};
use crate::contact::surface::{Facet, Feature, Marks, Meeting, Rules, Surface, meet_facets};
use crate::contact::{Contact, Key, Other, Spot};
use crate::material::combine_friction;
use crate::solids::{Anchor, Particles};
use crate::world::ParticleId;
use crate::world::body::Body;
use crate::world::obstacle::Obstacle;
use glam::{DVec3, Vec3};

/// One of the two ends of a contact.
#[derive(Clone, Copy)]
struct End {
    spot: Spot,
    /// The particle that the contact is named after.
    id: ParticleId,
    /// What the other calls it.
    name: Other,
    /// It stands like an obstacle.
    frozen: bool,
    velocity: Vec3,
    friction: [f32; 2],
    restitution: f32,
}

/// What two ends have in common.
#[derive(Clone, Copy)]
struct Between {
    /// From the second to the first.
    normal: Vec3,
    gap: f32,
    feature: u32,
    doubtful: bool,
    size: f32,
}

impl Between {
    fn new(normal: Vec3, gap: f32, feature: u32, size: f32) -> Self {
        Self { normal, gap, feature, doubtful: false, size }
    }
}

/// A face of a body and all that is needed to name it.
#[derive(Clone, Copy)]
pub(super) struct FaceOf<'a> {
    body: &'a Body,
    surface: &'a Surface,
    owner: Owner,
    corners: [u32; 3],
    /// Where the origin of its piece is, seen from that of the pair.
    shift: Vec3,
    facet: Facet,
}

impl<'a> FaceOf<'a> {
    /// In the frame of its piece.
    pub(super) fn new(owner: Owner, scene: Scene<'a>) -> Self {
        let piece = &scene.bodies[owner.body as usize].pieces[owner.piece as usize];
        Self::seen_from(piece.origin, owner, scene)
    }

    fn seen_from(origin: DVec3, owner: Owner, scene: Scene<'a>) -> Self {
        let body = &scene.bodies[owner.body as usize];
        let surface = &body.scratch.surface;
        let face = owner.particle as usize;
        let shift = (body.pieces[owner.piece as usize].origin - origin).as_vec3();
        let facet = surface.facet(face, &body.particles, shift, scene.h);
        let corners = surface.faces()[face].corners;
        Self { body, surface, owner, corners, shift, facet }
    }

    fn particles(&self) -> &'a Particles {
        &self.body.particles
    }

    fn edge(&self) -> f32 {
        self.surface.edge(self.owner.particle as usize)
    }

    /// A corner of it, with the point of contact in the frame of the pair.
    fn corner(&self, k: usize, point: Vec3) -> End {
        let j = self.corners[k];
        let arm = point - self.shift - self.particles().position[j as usize];
        let id = self.particles().id[j as usize];
        self.end(Anchor::new(j, arm), k, Other::Particle(id), self.particles().velocity[j as usize])
    }

    /// A point that its corners carry, named after corner `k`.
    fn carried(&self, k: usize, weights: [f64; 3], point: Vec3) -> End {
        let [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3];
        let position = self.particles().position[self.corners[a] as usize];
        let anchor = Anchor {
            particle: self.corners[a],
            arm: point - self.shift - position,
            mates: [self.corners[b], self.corners[c]],
            shares: [weights[b] as f32, weights[c] as f32],
        };
        let of = |(j, share): (u32, f32)| share * self.particles().velocity[j as usize];
        let velocity = anchor.carriers().map(of).into_iter().sum();
        self.end(anchor, k, Other::Surface(self.body.id), velocity)
    }

    fn end(&self, anchor: Anchor, k: usize, name: Other, velocity: Vec3) -> End {
        let Owner { body, piece, .. } = self.owner;
        let j = self.corners[k] as usize;
        End {
            spot: Spot { body, piece, anchor },
            id: self.particles().id[j],
            name,
            frozen: self.body.pieces[piece as usize].frozen,
            velocity,
            friction: self.particles().friction[j],
            restitution: self.particles().restitution[j],
        }
    }

    /// The feature of a meeting as an end of a contact.
    fn of_feature(&self, feature: Feature, weights: [f64; 3], point: Vec3) -> End {
        match feature {
            Feature::Corner(k) => self.corner(k as usize, point),
            Feature::Edge(k) => {
                let (k, next) = (k as usize, (k as usize + 1) % 3);
                let older = if self.id(k) < self.id(next) { k } else { next };
                self.carried(older, weights, point)
            }
            Feature::Inside => self.carried(heaviest(weights), weights, point),
        }
    }

    /// A number for the feature that lasts.
    fn tag(&self, feature: Feature) -> u32 {
        match feature {
            Feature::Corner(k) => mix(0, self.id(k as usize).0),
            Feature::Edge(k) => {
                let (k, next) = (k as usize, (k as usize + 1) % 3);
                mix(0, self.id(k).0) ^ mix(1, self.id(next).0)
            }
            Feature::Inside => {
                let first = (0..3).min_by_key(|&k| self.id(k)).unwrap_or(0);
                let ids = [0, 1, 2].map(|k| self.id((first + k) % 3).0);
                ids.into_iter().fold(0, mix)
            }
        }
    }

    fn id(&self, k: usize) -> ParticleId {
        self.particles().id[self.corners[k] as usize]
    }

    /// Whether nothing around corner `k` rises above the plane across a direction: it is where the surface is touched
    /// along it.
    fn is_out_of_corner(&self, k: usize, out: Vec3) -> bool {
        let x = &self.particles().position;
        let at = x[self.corners[k] as usize];
        let mut below = true;
        self.surface.around(self.owner.particle as usize, k, |[j, _]| {
            let there = x[j as usize] - at;
            below &= out.dot(there) <= LEVEL * there.length();
        });
        below
    }
}

/// Sine of the angle by which a surface may rise above the plane across a contact normal at a corner.
const LEVEL: f32 = 0.05;

/// A number from a number and an id.
fn mix(number: u32, id: u64) -> u32 {
    let folded = (id ^ id >> 32) as u32;
    (number.rotate_left(5) ^ folded.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b1)
}

fn heaviest(weights: [f64; 3]) -> usize {
    (0..3).fold(0, |best, k| if weights[k] > weights[best] { k } else { best })
}

impl Chunk {
    /// Two faces, of two bodies or of one, as far as `marks` tell.
    pub(super) fn touch_faces(&mut self, a: &FaceOf<'_>, b: Owner, marks: Marks, scene: Scene<'_>) {
        let origin = a.body.pieces[a.owner.piece as usize].origin;
        let b = &FaceOf::seen_from(origin, b, scene);
        let own = a.owner.body == b.owner.body && a.owner.piece == b.owner.piece;
        let size = a.edge().min(b.edge());
        meet_facets(&a.facet, &b.facet, Rules { own }, marks, |meeting| {
            let Meeting { weights, features, normal, gap, doubtful } = meeting;
            let on = |face: &FaceOf<'_>, weights: [f64; 3]| {
                let corners = face.facet.at(0.0);
                weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2]
            };
            // both ends are at one point, so that the pair has no torque of its own
            let middle = (0.5 * (on(a, weights[0]) + on(b, weights[1]))).as_vec3();
            let ends = [
                a.of_feature(features[0], weights[0], middle),
                b.of_feature(features[1], weights[1], middle),
            ];
            let [p, q] = [a.tag(features[0]), b.tag(features[1])];
            let normal = normal.as_vec3();
            let gap = gap as f32;
            match features {
                // the corner gives the name, whichever triangle it is over
                [Feature::Corner(_), _] => {
                    self.push(ends, Between { normal, gap, feature: q, doubtful, size });
                }
                [_, Feature::Corner(_)] => {
                    let ends = [ends[1], ends[0]];
                    let between = Between { normal: -normal, gap, feature: p, doubtful, size };
                    self.push(ends, between);
                }
                _ => {
                    let feature = p ^ q.rotate_left(7);
                    self.push(ends, Between { normal, gap, feature, doubtful, size });
                }
            }
        });
    }

    /// A face and a particle of another body, by its ellipsoid or shape.
    pub(super) fn touch_face_and_solid(&mut self, a: Owner, b: Owner, scene: Scene<'_>) {
        let origin = scene.bodies[a.body as usize].pieces[a.piece as usize].origin;
        let face = FaceOf::new(a, scene);
        let other = &scene.bodies[b.body as usize];
        let j = b.particle as usize;
        let shift = (other.pieces[b.piece as usize].origin - origin).as_vec3();
        let form = other.form(j);
        let mover = other.mover(j, &form, shift, scene.h);
        let margin = other.margin(j).min(face.facet.margin as f32);
        let particles = &other.particles;
        let solid = |point: Vec3| {
            let arm = point - (particles.position[j] + shift);
            End {
                spot: b.spot(arm),
                id: particles.id[j],
                name: Other::Particle(particles.id[j]),
                frozen: other.pieces[b.piece as usize].frozen,
                velocity: super::velocity_at(particles, j, arm),
                friction: particles.friction[j],
                restitution: particles.restitution[j],
            }
        };
        let radius = particles.radii[j].into_iter().fold(f32::INFINITY, f32::min);
        let size = face.edge().min(radius);
        each_part(mover.shape, &mover.pose, 0, &mut |shape, pose, number| {
            let Some(mut part) = Solid::new(shape, pose, mover.way.as_dvec3()) else { return };
            face.meet(&mut part, margin, &mut |met| match met {
                Met::Corner(k, Point { on_a, on_b, normal, gap, .. }) => {
                    let middle = 0.5 * (on_a + on_b);
                    let ends = [face.corner(k, middle), solid(middle)];
                    self.push(ends, Between::new(normal, gap, number, size));
                }
                Met::Between(OnFace { weights, point, edge }) => {
                    let middle = 0.5 * (point.on_a + point.on_b);
                    let k = heaviest(weights);
                    let ends = [solid(middle), face.carried(k, weights, middle)];
                    let feature = face.name_point(&point, edge, number);
                    let between = Between::new(-point.normal, point.gap, feature, size);
                    self.push(ends, between);
                }
            });
        });
    }

    /// A face and an obstacle.
    pub(super) fn touch_face_and_obstacle(&mut self, a: Owner, index: usize, scene: Scene<'_>) {
        let obstacle = &scene.obstacles[index];
        let piece = &scene.bodies[a.body as usize].pieces[a.piece as usize];
        let face = FaceOf::new(a, scene);
        let pose = obstacle.now.seen_from(piece.origin);
        let middle = face.facet.at(0.0).into_iter().sum::<DVec3>() / 3.0;
        let way = obstacle.drift(middle.as_vec3() - pose.position).as_dvec3();
        if obstacle.sensor {
            if is_inside(&face, obstacle, &pose) {
                self.sensed.push((obstacle.id, face.body.id, piece.id));
            }
            return;
        }
        let margin = face.facet.margin as f32;
        let wall = Wall { obstacle, pose, h: scene.h };
        each_part(&obstacle.shape, &pose, 0, &mut |shape, pose, number| {
            let Some(mut part) = Solid::new(shape, pose, way) else { return };
            face.meet(&mut part, margin, &mut |met| match met {
                Met::Corner(k, point) => {
                    let end = face.corner(k, point.on_a);
                    let between = Between::new(point.normal, point.gap, number, face.edge());
                    self.push_wall(end, between, point.on_a, &wall);
                }
                Met::Between(OnFace { weights, point, edge }) => {
                    let end = face.carried(heaviest(weights), weights, point.on_a);
                    let feature = face.name_point(&point, edge, number);
                    let between = Between::new(point.normal, point.gap, feature, face.edge());
                    self.push_wall(end, between, point.on_a, &wall);
                }
            });
        });
        each_facet(&obstacle.shape, &pose, &face.facet, way, |ground, number| {
            let rules = Rules { own: false };
            meet_facets(&face.facet, ground, rules, Marks::ALL, |meeting| {
                let Meeting { weights, features, normal, gap, doubtful } = meeting;
                let [p, q, r] = face.facet.at(0.0);
                let [u, v, w] = weights[0];
                let on = (u * p + v * q + w * r).as_vec3();
                let end = face.of_feature(features[0], weights[0], on);
                let feature = match features {
                    // names of corners of the ground are where they are
                    [_, Feature::Corner(k)] => place_tag(ground, k as usize, &wall.pose),
                    [Feature::Edge(_), Feature::Edge(k)] => {
                        let ends = [k as usize, (k as usize + 1) % 3];
                        let [a, b] = ends.map(|k| place_tag(ground, k, &wall.pose));
                        face.tag(features[0]) ^ (a ^ b).rotate_left(7)
                    }
                    _ => number,
                };
                let (normal, gap) = (normal.as_vec3(), gap as f32);
                let between = Between { normal, gap, feature, doubtful, size: face.edge() };
                self.push_wall(end, between, on, &wall);
            });
        });
    }

    fn push(&mut self, [mut a, mut b]: [End; 2], between: Between) {
        let Between { mut normal, gap, feature, doubtful, size } = between;
        // what gives way before what does not
        if a.frozen {
            std::mem::swap(&mut a, &mut b);
            normal = -normal;
        }
        if a.frozen {
            return;
        }
        let key = Key { first: a.id, second: b.name, feature };
        let at = Vec3::ZERO;
        let point = Point { on_a: at, on_b: at, normal, gap, feature };
        let approach = -(a.velocity - b.velocity).dot(normal);
        self.contacts.push(Contact {
            second: (!b.frozen).then_some(b.spot),
            friction: [0, 1].map(|k| combine_friction(a.friction[k], b.friction[k])),
            restitution: combine_friction(a.restitution, b.restitution),
            approach,
            doubtful,
            size,
            ..Contact::new(key, a.spot, &point)
        });
    }

    fn push_wall(&mut self, end: End, between: Between, at: Vec3, wall: &Wall<'_>) {
        let Between { normal, gap, feature, doubtful, size } = between;
        let Wall { obstacle, pose, h } = wall;
        let drift = obstacle.drift(at - pose.position);
        let key = Key { first: end.id, second: Other::Obstacle(obstacle.id), feature };
        let point = Point { on_a: at, on_b: at, normal, gap, feature };
        self.contacts.push(Contact {
            friction: [0, 1].map(|k| combine_friction(end.friction[k], obstacle.friction[k])),
            restitution: combine_friction(end.restitution, obstacle.restitution),
            approach: -(end.velocity - drift / *h).dot(normal),
            drift,
            doubtful,
            size,
            ..Contact::new(key, end.spot, &point)
        });
    }
}

/// An obstacle, seen from a piece.
struct Wall<'a> {
    obstacle: &'a Obstacle,
    pose: Pose,
    h: f32,
}

/// Where a face meets a convex solid.
enum Met {
    /// A corner of it, whose normal points out of the solid.
    Corner(usize, Point),
    /// Between its corners.
    Between(OnFace),
}

impl FaceOf<'_> {
    fn meet(&self, part: &mut Solid<'_>, margin: f32, found: &mut dyn FnMut(Met)) {
        // half the thickness of a sheet is between what touches and its corners
        let face = self.owner.particle as usize;
        let offset = self.surface.offset(face);
        let margin = f64::from(margin.min(self.surface.margin_of_solids(face)) + offset);
        for k in (0..3).filter(|&k| self.facet.owns_corner(k)) {
            let corner = self.facet.corners[k];
            let Some(mut point) = part.meet_corner(corner.start, corner.way, margin) else {
                continue;
            };
            point.gap -= offset;
            if point.gap < 0.0 && !self.facet.two_sided {
                let face = self.owner.particle as usize;
                let out = self.surface.normal_at(face, k, self.particles());
                point = part.back_into_body(corner.start, out.as_dvec3(), point);
            }
            // beside a round side faces answer; a plane across the way of what rolls over them would stop it
            let beside = part.is_round() && point.gap > 0.0;
            if !beside || self.is_out_of_corner(k, -point.normal) {
                found(Met::Corner(k, point));
            }
        }
        part.meet_face(&self.facet, margin, |mut on_face| {
            on_face.point.gap -= offset;
            found(Met::Between(on_face));
        });
    }

    /// A number for a point between corners: of the solid alone inside, so that it lasts from face to face.
    fn name_point(&self, point: &Point, edge: Option<u8>, part: u32) -> u32 {
        let own = edge.map_or(0, |k| self.tag(Feature::Edge(k)));
        mix(point.feature ^ own, u64::from(part))
    }
}

/// Calls `visit` with every convex part of a shape, its pose and its number.
fn each_part(shape: &Shape, pose: &Pose, number: u32, visit: &mut dyn FnMut(&Shape, &Pose, u32)) {
    match shape {
        Shape::Compound(compound) => {
            for ((place, part), k) in compound.parts().iter().zip(0..) {
                each_part(part, &pose.of(place), 31 * number + k, visit);
            }
        }
        _ => visit(shape, pose, number),
    }
}

/// A number for a corner of the ground: where it is there.
fn place_tag(ground: &Facet, k: usize, pose: &Pose) -> u32 {
    let at = pose.undo(ground.corners[k].start.as_vec3());
    // to a hundredth of a millimetre, in spite of rounding
    let grid = |x: f32| (f64::from(x) * 1e5).round() as i64 as u64;
    [at.x, at.y, at.z].into_iter().fold(0, |number, x| mix(number, grid(x)))
}

/// Whether a face is in a sensor, at least in part.
fn is_inside(face: &FaceOf<'_>, obstacle: &Obstacle, pose: &Pose) -> bool {
    if let Some(normal) = obstacle.plane() {
        let below = |at: DVec3| normal.dot(at.as_vec3() - pose.position) <= 0.0;
        return face.facet.at(0.0).into_iter().any(below);
    }
    let mut inside = false;
    each_part(&obstacle.shape, pose, 0, &mut |shape, pose, _| {
        inside |= Solid::new(shape, pose, DVec3::ZERO).is_some_and(|part| part.holds(&face.facet));
    });
    each_facet(&obstacle.shape, pose, &face.facet, DVec3::ZERO, |ground, _| {
        let rules = Rules { own: false };
        meet_facets(&face.facet, ground, rules, Marks::ALL, |met| inside |= met.gap <= 0.0);
    });
    inside
}
