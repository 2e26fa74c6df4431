//! The closed-surface test for the pieces of a body, as they are and as they were at rest.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use fracas::glam::{DVec3, Vec3};
use fracas::skin::{Binding, Drawn, SkinMesh, SkinRest, SkinUpdate, Skinned};
use fracas::{Body, PieceId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A skin that is drawn twice: where the body is, and with all that is broken at rest.
pub struct Puppet {
    pub binding: Binding,
    pub now: Drawn,
    pub rest: Drawn,
    particles: Vec<SkinRest>,
}

impl Puppet {
    pub fn new(mesh: &Arc<SkinMesh>, body: &Body) -> Self {
        Self {
            binding: Binding::new(Arc::clone(mesh), body).unwrap(),
            now: Drawn::default(),
            rest: Drawn::default(),
            particles: Vec::new(),
        }
    }

    pub fn update(&mut self, body: &Body, origin: [f64; 3]) {
        let update = self.binding.update(body, origin);
        if let Some(basis) = &update.begun {
            self.particles.clone_from(&basis.particles);
        }
        self.particles.extend(&update.grown);
        self.now.apply(update);
        self.now.evaluate();
        let mut resting: SkinUpdate = update.clone();
        for (state, rest) in resting.states.iter_mut().zip(&self.particles) {
            (state.position, state.rotation) = (rest.position, [0.0, 0.0, 0.0, 1.0]);
        }
        self.rest.apply(&resting);
        self.rest.evaluate();
    }
}

/// What the triangles of a piece enclose.
#[derive(Clone, Debug, Default)]
pub struct Enclosed {
    pub triangles: usize,
    /// In m³.
    pub volume: f64,
    /// Edges, by the bits of their ends, that are not passed as often one way as the other.
    pub open: usize,
    /// Edges with more than two faces.
    pub crowded: usize,
    /// Faces that are there twice.
    pub twice: usize,
}

pub fn enclosed(skinned: &Skinned) -> BTreeMap<PieceId, Enclosed> {
    let mut pieces: BTreeMap<PieceId, (Enclosed, Edges, Vec<[Bits; 3]>)> = BTreeMap::new();
    for corners in &skinned.triangles {
        let [p, q, r] = corners.map(|v| skinned.pieces[v as usize]);
        assert!(p == q && q == r, "a triangle in two pieces");
        let points = corners.map(|v| skinned.positions[v as usize]);
        assert!(points.iter().flatten().all(|x| x.is_finite()), "not finite");
        let [a, b, c] = points.map(|x| Vec3::from(x).as_dvec3());
        let (piece, edges, faces) = pieces.entry(p).or_default();
        piece.triangles += 1;
        // about a corner of the first triangle of the piece it would lose fewer digits; enough here
        piece.volume += a.dot(b.cross(c)) / 6.0;
        let bits = points.map(|x| x.map(|x| (x + 0.0).to_bits()));
        // a needle that rounding has made a line of: its edges cancel
        if bits[0] == bits[1] || bits[1] == bits[2] || bits[2] == bits[0] {
            continue;
        }
        for (from, to) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (bits[i], bits[j])) {
            edges.push(([from.min(to), from.max(to)], if from < to { 1 } else { -1 }));
        }
        let first = (0..3).min_by_key(|&k| bits[k]).unwrap();
        faces.push([0, 1, 2].map(|k| bits[(first + k) % 3]));
    }
    let mut all = BTreeMap::new();
    for (id, (mut piece, mut edges, mut faces)) in pieces {
        edges.sort_unstable();
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            piece.open += usize::from(same.iter().map(|edge| edge.1).sum::<i32>() != 0);
            piece.crowded += usize::from(same.len() > 2);
        }
        faces.sort_unstable();
        piece.twice = faces.windows(2).filter(|two| two[0] == two[1]).count();
        all.insert(id, piece);
    }
    all
}

type Bits = [u32; 3];
/// Ends, and which way they are passed.
type Edges = Vec<([Bits; 2], i32)>;

/// Volume of each piece from the densities and masses of its particles, in m³.
pub fn volumes_of_particles(body: &Body) -> BTreeMap<PieceId, f64> {
    let density = |k: usize| {
        let material = &body.materials()[usize::from(body.particle_materials()[k])];
        f64::from(material.desc().density.constant().unwrap_or(f32::NAN))
    };
    let mut column = 0;
    let mut volumes = BTreeMap::new();
    for piece in body.pieces() {
        let own = column..column + piece.particle_count();
        column = own.end;
        volumes.insert(piece.id(), own.map(|k| f64::from(body.masses()[k]) / density(k)).sum());
    }
    volumes
}

/// Whether a fragment has broken again.
pub fn has_parts(body: &Body) -> bool {
    (0..body.particle_count()).any(|k| body.is_part(k))
}

/// Volume of the closed surface of each owner at rest.
pub fn volumes_of_owners(mesh: &SkinMesh, count: usize) -> Vec<f64> {
    let mut volumes = vec![0.0; count];
    let volume = |corners: [u32; 3]| {
        let [a, b, c]: [DVec3; 3] =
            corners.map(|v| Vec3::from(mesh.vertices[v as usize]).as_dvec3());
        a.dot(b.cross(c)) / 6.0
    };
    for face in &mesh.outside {
        volumes[face.owner as usize] += volume(face.corners);
    }
    for face in &mesh.inside {
        volumes[face.between[0] as usize] += volume(face.corners);
        // nothing is across a face of a splinter
        if let Some(across) = volumes.get_mut(face.between[1] as usize) {
            *across -= volume(face.corners);
        }
    }
    volumes
}
