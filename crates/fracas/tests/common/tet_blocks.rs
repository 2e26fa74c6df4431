//! Blocks of tetrahedra.

use fracas::glam::{Mat3, Vec3};
use fracas::material::{Material, MaterialDesc, MaterialSample, SamplePoint};
use fracas::math::{Rot, rotation};
use fracas::parallel::Span;
use fracas::solids::{
    Anchor, Boundary, DofsMut, DofsRef, Face, NewParticle, Particles, Residual, Solid, Step,
};
use fracas::state::{Reader, Sink, SnapshotError, StateHash};
use fracas::world::{BodyDesc, Changes, ShapeDesc};

/// A block of cells of six tetrahedra each, around the origin.
pub fn block(counts: [usize; 3], spacing: f32) -> (Vec<[f32; 3]>, Vec<[u32; 4]>) {
    block_of(counts, [spacing; 3])
}

/// The same with cells of three sizes.
pub fn block_of(counts: [usize; 3], spacing: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 4]>) {
    let [nx, ny, nz] = counts;
    let index = |x: usize, y: usize, z: usize| ((x * (ny + 1) + y) * (nz + 1) + z) as u32;
    let mut vertices = Vec::new();
    for x in 0..=nx {
        for y in 0..=ny {
            for z in 0..=nz {
                let at = [x, y, z];
                vertices.push([0, 1, 2].map(|k| (at[k] as f32 - 0.5 * counts[k] as f32) * spacing[k]));
            }
        }
    }
    let mut tets = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                // along the six ways from one corner to the opposite one, by single steps
                for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
                    let mut at = [x, y, z];
                    let mut tet = [index(x, y, z); 4];
                    for (k, axis) in order.into_iter().enumerate() {
                        at[axis] += 1;
                        tet[k + 1] = index(at[0], at[1], at[2]);
                    }
                    let [a, b, c, d] = tet.map(|i| Vec3::from(vertices[i as usize]));
                    if (b - a).cross(c - a).dot(d - a) < 0.0 {
                        tet.swap(2, 3);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    (vertices, tets)
}

/// A body of these.
pub fn tets((vertices, tets): (Vec<[f32; 3]>, Vec<[u32; 4]>), material: &MaterialDesc) -> BodyDesc {
    let made = Material::try_from(material).unwrap();
    let at = SamplePoint { position: [0.0; 3], seed: 0, curvature: None, attributes: &[] };
    let sample = made.sample(&at).unwrap();
    let (solid, particles) = Standin::new(vertices, tets, &sample);
    let shape = ShapeDesc::Custom { particles: Box::new(particles), solid: Box::new(solid) };
    BodyDesc::new("tets", shape, vec![made])
}

/// Linear tetrahedra whose rotations follow, with a block diagonal.
#[derive(Debug, Default)]
pub struct Standin {
    tets: Vec<[u32; 4]>,
    faces: Vec<Face>,
    /// Gradients of the four shape functions, volume.
    shapes: Vec<([Vec3; 4], f32)>,
    lame: [f32; 2],
    rotations: Vec<Mat3>,
    blocks: Vec<Mat3>,
    neighbours: Vec<Vec<u32>>,
    incident: Vec<Vec<(u32, u8)>>,
}

impl Standin {
    pub fn new(vertices: Vec<[f32; 3]>, tets: Vec<[u32; 4]>, sample: &MaterialSample) -> (Self, Particles) {
        let mut masses = vec![0.0; vertices.len()];
        let mut shapes = Vec::new();
        let mut sides: Vec<([u32; 3], [u32; 3], u32)> = Vec::new();
        for (tet, t) in tets.iter().zip(0..) {
            let x = tet.map(|i| Vec3::from(vertices[i as usize]));
            let d = Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
            let inverse = d.inverse();
            let g = [inverse.row(0), inverse.row(1), inverse.row(2)];
            let volume = d.determinant() / 6.0;
            assert!(volume > 0.0);
            shapes.push(([-(g[0] + g[1] + g[2]), g[0], g[1], g[2]], volume));
            for &i in tet {
                masses[i as usize] += 0.25 * volume * sample.density;
            }
            let [a, b, c, d] = *tet;
            for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
                let mut key = face;
                key.sort_unstable();
                sides.push((key, face, t));
            }
        }
        sides.sort_unstable();
        let mut faces = Vec::new();
        for side in sides.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, corners, tet)] = *side {
                faces.push(Face { corners, tet });
            }
        }
        let mut particles = Particles::default();
        for (x, mass) in vertices.iter().zip(masses) {
            particles.push(NewParticle {
                rest: (*x).into(),
                mass,
                inertia: None,
                radii: [0.01; 3],
                axes: Rot::IDENTITY,
                friction: [sample.friction, sample.friction_static],
                restitution: sample.restitution,
                material: 0,
            });
        }
        let mut solid = Self { tets, faces, shapes, lame: [sample.lambda(), sample.mu()], ..Self::default() };
        solid.topology(vertices.len());
        (solid, particles)
    }

    fn topology(&mut self, count: usize) {
        self.rotations = vec![Mat3::IDENTITY; self.tets.len()];
        self.blocks = vec![Mat3::ZERO; count];
        self.neighbours = vec![Vec::new(); count];
        self.incident = vec![Vec::new(); count];
        for (tet, t) in self.tets.iter().zip(0..) {
            for (k, &i) in tet.iter().enumerate() {
                self.incident[i as usize].push((t, k as u8));
                for &j in tet.iter().filter(|&&j| j != i) {
                    if !self.neighbours[i as usize].contains(&j) {
                        self.neighbours[i as usize].push(j);
                    }
                }
            }
        }
    }

    fn gradient_of(&self, t: usize, x: impl Fn(u32) -> Vec3) -> Mat3 {
        let (g, _) = &self.shapes[t];
        let mut f = Mat3::ZERO;
        for (k, &i) in self.tets[t].iter().enumerate() {
            let x = x(i);
            f += Mat3::from_cols(g[k].x * x, g[k].y * x, g[k].z * x);
        }
        f
    }

    /// P of the strain of RᵀF.
    fn stress(&self, r: Mat3, f: Mat3) -> Mat3 {
        let s = r.transpose() * f;
        let e = 0.5 * (s + s.transpose());
        let trace = e.x_axis.x + e.y_axis.y + e.z_axis.z;
        r * (2.0 * self.lame[1] * e + self.lame[0] * trace * Mat3::IDENTITY)
    }

    fn force(&self, particles: &Particles, j: usize) -> Vec3 {
        let mut force = Vec3::ZERO;
        for &(t, k) in &self.incident[j] {
            let t = t as usize;
            let r = self.rotations[t];
            let f = self.gradient_of(t, |i| particles.position[i as usize]) - r;
            let (g, volume) = &self.shapes[t];
            force -= *volume * (self.stress(r, f) * g[k as usize]);
        }
        force
    }

    fn residual(&self, particles: &Particles, j: usize, step: &Step) -> Vec3 {
        let inertia = particles.mass[j] / (step.h * step.h);
        inertia * (particles.inertial[j] - particles.position[j]) + self.force(particles, j)
    }

    fn times(&self, particles: &Particles, span: &Span, step: &Step, p: &[Vec3], j: usize) -> Vec3 {
        let mut out = particles.mass[j] / (step.h * step.h) * p[j - span.start];
        for &(t, k) in &self.incident[j] {
            let t = t as usize;
            let f = self.gradient_of(t, |i| p[i as usize - span.start]);
            let (g, volume) = &self.shapes[t];
            out += *volume * (self.stress(self.rotations[t], f) * g[k as usize]);
        }
        out
    }
}

impl Solid for Standin {
    fn name(&self) -> &'static str {
        "standin"
    }

    fn measure(&mut self, particles: &Particles, span: Span, step: &Step) {
        self.linearise(particles, span.clone(), step);
        for j in span {
            let mut block = particles.mass[j] / (step.h * step.h) * Mat3::IDENTITY;
            for &(t, k) in &self.incident[j] {
                let (t, k) = (t as usize, k as usize);
                let (g, volume) = &self.shapes[t];
                let g = self.rotations[t] * g[k];
                let outer = Mat3::from_cols(g.x * g, g.y * g, g.z * g);
                let [lambda, mu] = self.lame;
                block += *volume * ((lambda + mu) * outer + mu * g.length_squared() * Mat3::IDENTITY);
            }
            self.blocks[j] = block;
        }
    }

    fn linearise(&mut self, particles: &Particles, _: Span, _: &Step) {
        for t in 0..self.tets.len() {
            let f = self.gradient_of(t, |i| particles.position[i as usize]);
            self.rotations[t] = rotation(&f).to_mat3();
        }
    }

    fn gradient(&self, particles: &Particles, span: Span, step: &Step, r: DofsMut<'_>) {
        for (k, j) in span.enumerate() {
            r.linear[k] = self.residual(particles, j, step);
        }
    }

    fn product(&mut self, particles: &Particles, span: Span, step: &Step, p: DofsRef<'_>, out: DofsMut<'_>) {
        for (k, j) in span.clone().enumerate() {
            out.linear[k] = self.times(particles, &span, step, p.linear, j);
        }
    }

    fn precondition(&self, _: &Particles, span: Span, _: &Step, extra: &[f32], r: DofsRef<'_>, z: DofsMut<'_>) {
        for (k, j) in span.enumerate() {
            let block = self.blocks[j] + Mat3::from_diagonal(Vec3::splat(extra[k]));
            z.linear[k] = block.inverse() * r.linear[k];
        }
    }

    fn compliance(&self, _: &Particles, anchor: &Anchor, n: Vec3, _: &Step) -> f32 {
        let of = |(j, share): (u32, f32)| share * share * n.dot(self.blocks[j as usize].inverse() * n);
        anchor.carriers().map(of).into_iter().sum()
    }

    fn solve_alone(&mut self, particles: &mut Particles, span: Span, step: &Step) -> Residual {
        for j in span.clone() {
            particles.position[j] = particles.inertial[j];
        }
        let count = span.len();
        for _ in 0..3 {
            self.measure(particles, span.clone(), step);
            let mut r: Vec<Vec3> = span.clone().map(|j| self.residual(particles, j, step)).collect();
            let z = |r: &[Vec3]| -> Vec<Vec3> {
                r.iter().zip(&self.blocks[span.clone()]).map(|(r, b)| b.inverse() * *r).collect()
            };
            let dot = |a: &[Vec3], b: &[Vec3]| -> f64 {
                a.iter().zip(b).map(|(a, b)| f64::from(a.dot(*b))).sum()
            };
            let mut p = z(&r);
            let mut rz = dot(&r, &p);
            let mut x = vec![Vec3::ZERO; count];
            for _ in 0..30 {
                let ap: Vec<Vec3> =
                    span.clone().map(|j| self.times(particles, &span, step, &p, j)).collect();
                let curvature = dot(&p, &ap);
                if !(curvature > 0.0 && rz > 0.0) {
                    break;
                }
                let alpha = (rz / curvature) as f32;
                for k in 0..count {
                    x[k] += alpha * p[k];
                    r[k] -= alpha * ap[k];
                }
                let next = z(&r);
                let after = dot(&r, &next);
                let beta = (after / rz) as f32;
                rz = after;
                for k in 0..count {
                    p[k] = next[k] + beta * p[k];
                }
            }
            for (k, j) in span.clone().enumerate() {
                particles.position[j] += x[k];
            }
        }
        Residual::default()
    }

    fn audit(&mut self, particles: &Particles, span: Span, step: &Step, force: DofsMut<'_>) -> f64 {
        self.linearise(particles, span.clone(), step);
        let mut energy = 0.0;
        for t in 0..self.tets.len() {
            let r = self.rotations[t];
            let f = self.gradient_of(t, |i| particles.position[i as usize]) - r;
            let p = self.stress(r, f);
            let sum = (0..3).map(|k| p.col(k).dot(f.col(k))).sum::<f32>();
            energy += 0.5 * f64::from(self.shapes[t].1 * sum);
        }
        for (k, j) in span.enumerate() {
            force.linear[k] = self.force(particles, j);
        }
        energy
    }

    fn strain(&self, _: &Particles, _: usize) -> [f32; 3] {
        [0.0; 3]
    }

    fn boundary(&self) -> Boundary<'_> {
        Boundary::Tets { faces: &self.faces, tets: &self.tets }
    }

    fn particle_count(&self) -> usize {
        self.blocks.len()
    }

    fn neighbours(&self, i: usize) -> &[u32] {
        &self.neighbours[i]
    }

    fn bond_count(&self) -> usize {
        self.neighbours.iter().map(Vec::len).sum::<usize>() / 2
    }

    fn cut(&mut self, _: &mut Particles, _: usize, _: usize, _: &mut Changes) -> f64 {
        0.0
    }

    fn permute(&mut self, _: Span, _: &[u32], _: &[u32]) {}

    fn truncate(&mut self, _: usize) {}

    fn validate(&self, _: &Particles) {}

    fn hash(&self, _: &mut StateHash) {}

    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.column(&self.tets.concat());
        bytes.column(&self.faces.iter().flat_map(|f| [f.corners[0], f.corners[1], f.corners[2], f.tet]).collect::<Vec<u32>>());
        bytes.floats(&self.lame);
    }

    fn load(&mut self, reader: &mut Reader<'_>, particles: &Particles) -> Result<(), SnapshotError> {
        let tets: Vec<u32> = reader.column()?;
        self.tets = tets.as_chunks::<4>().0.to_vec();
        let faces: Vec<u32> = reader.column()?;
        let face = |f: &[u32; 4]| Face { corners: [f[0], f[1], f[2]], tet: f[3] };
        self.faces = faces.as_chunks::<4>().0.iter().map(face).collect();
        let lame: Vec<f32> = reader.column_of(2)?;
        self.lame = [lame[0], lame[1]];
        for tet in &self.tets {
            let x = tet.map(|i| particles.rest[i as usize]);
            let d = Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
            let inverse = d.inverse();
            let g = [inverse.row(0), inverse.row(1), inverse.row(2)];
            self.shapes.push(([-(g[0] + g[1] + g[2]), g[0], g[1], g[2]], d.determinant() / 6.0));
        }
        self.topology(particles.len());
        Ok(())
    }
}
