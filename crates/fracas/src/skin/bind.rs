//! Whom every vertex follows, as of the bonds that hold.

use super::SkinMesh;
use super::smooth::Triangle;
use crate::world::Body;
use glam::Vec3;
use std::ops::Range;

/// The most particles that a vertex follows.
const MOST_INFLUENCES: usize = 16;

/// r_p over the spacing of particles around p. In a lattice where all 26 neighbours are bonded,
/// every particle that is not bonded to the owner of a vertex is at least so far from the vertex:
/// its weight is 0 where the owner changes, and the skin has no steps.
const REACH: f32 = 1.5;

/// How many of the nearest bonded particles tell the spacing: as many as a cell has faces.
const NEAREST: usize = 6;

/// r_p over the distance of the farthest vertex that p owns, so that it has a say there.
const BEYOND_OWN: f32 = 1.25;

/// Least weight of a vertex's owner: after a cut it may lie out of everyone's reach.
const LEAST_OWN: f32 = 1e-3;

/// A vertex as part of one piece.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub vertex: u32,
    pub piece: u32,
    /// The particle it belongs to, a column.
    pub owner: u32,
    /// Whom it follows.
    pub influences: Range<usize>,
}

/// Everything that changes only where bonds are cut. Particles are columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    pub places: Vec<Place>,
    /// How many of them, the first, are corners of triangles.
    pub surface: usize,
    /// Particles and weights, which sum to 1 for each place.
    pub influences: Vec<(u32, f32)>,
    /// Place of each point that is drawn.
    pub points: Vec<u32>,
    /// Whether each point belongs to an inner face.
    pub inside: Vec<bool>,
    /// Three points each.
    pub triangles: Vec<[u32; 3]>,
    /// Two places each.
    pub lines: Vec<[u32; 2]>,
}

/// Column, or piece, of a particle of the shape that was taken away or is in parts.
const GONE: u32 = u32::MAX;

/// Column of each particle of the shape.
fn columns(body: &Body) -> Vec<u32> {
    let mut columns = vec![GONE; body.shape_particle_count()];
    let whole = (0..).zip(body.shape_numbers()).filter(|&(j, _)| !body.is_part(j as usize));
    for (column, number) in whole {
        columns[number as usize] = column;
    }
    columns
}

/// Vertices with the particles whose faces or edges meet there, each pair once, in order.
fn owners_at_vertices(mesh: &SkinMesh) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for face in &mesh.outside {
        pairs.extend(face.corners.map(|v| [v, face.owner]));
    }
    for face in &mesh.inside {
        pairs.extend(face.between.iter().flat_map(|&p| face.corners.map(|v| [v, p])));
    }
    for edge in &mesh.edges {
        pairs.extend(edge.ends.map(|v| [v, edge.owner]));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// r_p of each particle of the shape, in m: how far around it vertices follow it.
pub(super) fn reach(mesh: &SkinMesh, body: &Body) -> Vec<f32> {
    let (columns, rest) = (columns(body), body.rest_positions());
    let at = |column: u32| Vec3::from(rest[column as usize]);
    let mut reach: Vec<f32> = columns
        .iter()
        .map(|&p| {
            if p == GONE {
                return 0.0;
            }
            let bonded = body.neighbours(p as usize).iter();
            let mut lengths: Vec<f32> = bonded.map(|&q| at(p).distance(at(q))).collect();
            lengths.sort_unstable_by(f32::total_cmp);
            lengths.truncate(NEAREST);
            REACH * lengths.iter().sum::<f32>() / lengths.len().max(1) as f32
        })
        .collect();
    for around in owners_at_vertices(mesh).chunk_by(|a, b| a[0] == b[0]) {
        let vertex = Vec3::from(mesh.vertices[around[0][0] as usize]);
        let far = |p: u32| vertex.distance(at(columns[p as usize]));
        let there = around.iter().map(|pair| pair[1]).filter(|&p| columns[p as usize] != GONE);
        let nearest = there.min_by(|&a, &b| far(a).total_cmp(&far(b)));
        if let Some(p) = nearest {
            reach[p as usize] = reach[p as usize].max(BEYOND_OWN * far(p));
        }
    }
    reach
}

impl Bound {
    pub fn new(mesh: &SkinMesh, triangles: &[Triangle], reach: &[f32], body: &Body) -> Self {
        let columns = columns(body);
        let pieces = body.piece_indices();
        let piece_of = |particle: u32| match columns[particle as usize] {
            GONE => GONE,
            column => pieces[column as usize],
        };
        let drawn = |t: &&Triangle| {
            let piece = piece_of(t.owner);
            piece != GONE && (!t.is_inside() || piece != piece_of(t.across))
        };
        let edges = || mesh.edges.iter().filter(|edge| piece_of(edge.owner) != GONE);

        // points: corners that share a normal and a piece
        let mut corners = Vec::new();
        let mut bound = Self::default();
        for triangle in triangles.iter().filter(drawn) {
            let piece = piece_of(triangle.owner);
            for k in 0..3 {
                let at = (bound.triangles.len(), k);
                let key = (triangle.vertices[k], piece);
                corners.push((triangle.group[k], piece, key, triangle.is_inside(), at));
            }
            bound.triangles.push([0; 3]);
        }
        corners.sort_unstable();
        let mut keys: Vec<(u32, u32)> = corners.iter().map(|corner| corner.2).collect();
        keys.sort_unstable();
        keys.dedup();
        bound.surface = keys.len();
        let surface = keys.clone();
        for edge in edges() {
            keys.extend(edge.ends.map(|v| (v, piece_of(edge.owner))));
        }
        let inner = &mut keys[surface.len()..];
        inner.sort_unstable();
        let mut inner = inner.to_vec();
        inner.dedup();
        inner.retain(|key| surface.binary_search(key).is_err());
        let place_of = |key: &(u32, u32)| match surface.binary_search(key) {
            Ok(place) => place as u32,
            Err(_) => (surface.len() + inner.partition_point(|other| other < key)) as u32,
        };

        for point in corners.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let index = bound.points.len() as u32;
            bound.points.push(place_of(&point[0].2));
            bound.inside.push(point[0].3);
            for &(.., (t, k)) in point {
                bound.triangles[t][k] = index;
            }
        }
        let line = |edge: &super::Edge| edge.ends.map(|v| place_of(&(v, piece_of(edge.owner))));
        bound.lines = edges().map(line).collect();

        let owners = owners_at_vertices(mesh);
        for &(vertex, piece) in surface.iter().chain(&inner) {
            let start = owners.partition_point(|pair| pair[0] < vertex);
            let around = owners[start..].iter().take_while(|pair| pair[0] == vertex);
            let candidates = around.map(|pair| pair[1]).filter(|&p| piece_of(p) == piece);
            bound.bind(mesh, candidates, vertex, piece, &columns, reach, body);
        }
        bound
    }

    /// Adds a place: its owner is the nearest of `candidates`.
    fn bind(
        &mut self,
        mesh: &SkinMesh,
        candidates: impl Iterator<Item = u32>,
        vertex: u32,
        piece: u32,
        columns: &[u32],
        reach: &[f32],
        body: &Body,
    ) {
        let at = Vec3::from(mesh.vertices[vertex as usize]);
        let rest = body.rest_positions();
        let far2 = |p: u32| at.distance_squared(Vec3::from(rest[p as usize]));
        let columns_of = candidates.map(|p| columns[p as usize]);
        let Some(owner) = columns_of.min_by(|&a, &b| far2(a).total_cmp(&far2(b))) else { return };

        let weight = |p: u32| {
            let r = reach[body.shape_number(p as usize)];
            let inner = if r > 0.0 { (1.0 - far2(p) / (r * r)).max(0.0) } else { 0.0 };
            let weight = inner * inner;
            if p == owner { weight.max(LEAST_OWN) } else { weight }
        };
        let ring = std::iter::once(owner).chain(body.neighbours(owner as usize).iter().copied());
        let mut followed: Vec<(u32, f32)> = ring.map(|p| (p, weight(p))).collect();
        followed.retain(|&(_, weight)| weight > 0.0);
        followed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        followed.truncate(MOST_INFLUENCES);
        let sum: f32 = followed.iter().map(|&(_, weight)| weight).sum();

        let start = self.influences.len();
        self.influences.extend(followed.into_iter().map(|(p, weight)| (p, weight / sum)));
        let influences = start..self.influences.len();
        self.places.push(Place { vertex, piece, owner, influences });
    }
}
