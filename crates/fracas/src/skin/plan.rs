//! A skin's mesh sorted for use: clusters, interfaces, and who meets at which vertex. Knows no positions but those
//! at rest, and nothing of what is broken.

use super::SkinMesh;
use super::smooth::{self, Triangle};
use super::splinters::InReach;
use super::update::{ClusterMesh, SkinPart, SkinPoint};
use glam::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// Triangles from which on a cluster is full. Small ones are cheap to bind anew where something breaks, large
/// ones have fewer vertices in common while they are whole.
const FULL: usize = 512;

/// A mesh as clusters of owners.
#[derive(Debug)]
pub(super) struct Plan {
    /// By owner, the outside first, then by the owner across.
    triangles: Vec<Triangle>,
    /// Of every group of corners.
    normals: Vec<Vec3>,
    /// The outside of an owner, or its side of an interface, in order.
    pub sides: Vec<Side>,
    /// Owners that are consecutive in number.
    pub clusters: Vec<Cluster>,
    /// Cluster of each owner.
    pub cluster_of: Vec<u32>,
    /// Every vertex with every owner that has a face or an edge there, or is its home, in order.
    pub places: Vec<[u32; 2]>,
    /// First place of each vertex, and the end.
    of_vertex: Vec<u32>,
    /// Places by owner.
    by_owner: Vec<u32>,
    /// First of them of each owner, and the end.
    of_owner: Vec<u32>,
    /// Splinters around each owner.
    pub in_reach: InReach,
    /// Every cluster as it is drawn once it has broken: made before, so that no crack waits for it.
    in_parts: Vec<Drawable>,
}

/// A cluster's mesh, and the plan's place for each of its places.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawable {
    pub mesh: Arc<ClusterMesh>,
    pub places: Arc<[u32]>,
}

/// Triangles that are drawn or not as one.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub owner: u32,
    /// The owner on the other side; itself on the outside.
    pub across: u32,
    triangles: Range<usize>,
}

impl Side {
    pub fn is_inside(&self) -> bool {
        self.owner != self.across
    }
}

/// Some owners.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub owners: Range<u32>,
    /// Their sides.
    pub sides: Range<usize>,
}

impl Plan {
    pub fn new(mesh: &SkinMesh, owners: usize) -> Self {
        let triangles = smooth::triangles(mesh);
        let normals = smooth::normals(mesh, &triangles);
        let sides = sides(&triangles);
        let clusters = clusters(&sides, owners);
        let mut cluster_of = vec![0; owners];
        for (k, cluster) in clusters.iter().enumerate() {
            for owner in cluster.owners.clone() {
                cluster_of[owner as usize] = k as u32;
            }
        }
        let places = places(mesh, &triangles);
        let of_vertex = starts(mesh.vertices.len(), places.iter().map(|place| place[0]));
        let mut by_owner: Vec<u32> = (0..places.len() as u32).collect();
        by_owner.sort_by_key(|&place| places[place as usize][1]);
        let of_owner = starts(owners, by_owner.iter().map(|&place| places[place as usize][1]));
        let mut plan = Self {
            triangles,
            normals,
            sides,
            clusters,
            cluster_of,
            places,
            of_vertex,
            by_owner,
            of_owner,
            in_reach: InReach::new(mesh),
            in_parts: Vec::new(),
        };
        plan.in_parts = (0..plan.clusters.len()).map(|k| plan.parts_of(mesh, k)).collect();
        plan
    }

    /// Places at a vertex, one for each owner there.
    pub fn at_vertex(&self, vertex: u32) -> Range<usize> {
        let v = vertex as usize;
        self.of_vertex[v] as usize..self.of_vertex[v + 1] as usize
    }

    /// Places of an owner.
    pub fn of_owner(&self, owner: u32) -> &[u32] {
        let o = owner as usize;
        &self.by_owner[self.of_owner[o] as usize..self.of_owner[o + 1] as usize]
    }

    /// The place of an owner at a vertex.
    pub fn place(&self, vertex: u32, owner: u32) -> Option<usize> {
        self.places.binary_search(&[vertex, owner]).ok()
    }

    /// The outside of a cluster whose owners hold together: vertices that they share are there once.
    pub fn whole(&self, mesh: &SkinMesh, cluster: usize) -> Drawable {
        let sides = self.clusters[cluster].sides.clone();
        let outside = self.sides[sides].iter().filter(|side| !side.is_inside());
        let triangles: Vec<usize> = outside.flat_map(|side| side.triangles.clone()).collect();
        let mut builder = Builder::default();
        builder.add(self, mesh, &triangles, false, |vertex, _| [vertex, 0]);
        builder.finish(self, mesh)
    }

    /// All sides of a cluster, each with vertices of its own, in the order of [`Plan::sides`].
    pub fn in_parts(&self, cluster: usize) -> &Drawable {
        &self.in_parts[cluster]
    }

    fn parts_of(&self, mesh: &SkinMesh, cluster: usize) -> Drawable {
        let mut builder = Builder::default();
        for side in &self.sides[self.clusters[cluster].sides.clone()] {
            let triangles: Vec<usize> = side.triangles.clone().collect();
            builder.add(self, mesh, &triangles, side.is_inside(), |vertex, owner| [vertex, owner]);
        }
        builder.finish(self, mesh)
    }
}

/// A cluster's mesh as it grows.
#[derive(Default)]
struct Builder {
    mesh: ClusterMesh,
    /// What tells places apart, and the plan's place, of each point.
    keys: Vec<([u32; 2], u32)>,
}

impl Builder {
    /// Adds triangles as one part. Corners of one group and texture coordinate become one point.
    fn add(
        &mut self,
        plan: &Plan,
        mesh: &SkinMesh,
        triangles: &[usize],
        inside: bool,
        key: impl Fn(u32, u32) -> [u32; 2],
    ) {
        let first_point = self.mesh.points.len() as u32;
        let first_triangle = self.mesh.triangles.len();
        let mut corners = Vec::with_capacity(3 * triangles.len());
        for (t, &index) in triangles.iter().enumerate() {
            let triangle = &plan.triangles[index];
            let (Triangle { vertices, group, owner, .. }, uvs) = (*triangle, triangle.uvs(mesh));
            for k in 0..3 {
                let apart = (key(vertices[k], owner), group[k], uvs[k].map(f32::to_bits));
                corners.push((apart, vertices[k], owner, (t, k)));
            }
        }
        corners.sort_unstable();
        self.mesh.triangles.resize(first_triangle + triangles.len(), [0; 3]);
        for same in corners.chunk_by(|a, b| a.0 == b.0) {
            let ((key, group, uv), vertex, owner, _) = same[0];
            let Some(place) = plan.place(vertex, owner) else { continue };
            let point = self.mesh.points.len() as u32;
            self.keys.push((key, place as u32));
            self.mesh.points.push(SkinPoint {
                place: 0,
                normal: plan.normals[group as usize].to_array(),
                uv: uv.map(f32::from_bits),
            });
            for &(.., (t, k)) in same {
                self.mesh.triangles[first_triangle + t][k] = point;
            }
        }
        self.mesh.parts.push(SkinPart {
            points: first_point..self.mesh.points.len() as u32,
            triangles: first_triangle as u32..self.mesh.triangles.len() as u32,
            inside,
        });
    }

    /// Points with the same key have one place.
    fn finish(mut self, plan: &Plan, mesh: &SkinMesh) -> Drawable {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        keys.dedup_by_key(|(key, _)| *key);
        for (point, (key, _)) in self.mesh.points.iter_mut().zip(&self.keys) {
            point.place = keys.partition_point(|other| other.0 < *key) as u32;
        }
        let places: Vec<u32> = keys.into_iter().map(|(_, place)| place).collect();
        let at = |&place: &u32| mesh.vertices[plan.places[place as usize][0] as usize];
        self.mesh.places = places.iter().map(at).collect();
        Drawable { mesh: Arc::new(self.mesh), places: places.into() }
    }
}

fn sides(triangles: &[Triangle]) -> Vec<Side> {
    let mut sides = Vec::new();
    let mut start = 0;
    for same in triangles.chunk_by(|a, b| (a.owner, a.across) == (b.owner, b.across)) {
        let (owner, across) = (same[0].owner, same[0].across);
        sides.push(Side { owner, across, triangles: start..start + same.len() });
        start += same.len();
    }
    sides
}

/// Consecutive owners until their triangles fill a cluster.
fn clusters(sides: &[Side], owners: usize) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    let (mut first, mut from, mut count, mut next) = (0, 0, 0, 0);
    for owner in 0..owners as u32 {
        while next < sides.len() && sides[next].owner == owner {
            count += sides[next].triangles.len();
            next += 1;
        }
        if count >= FULL || owner + 1 == owners as u32 {
            clusters.push(Cluster { owners: first..owner + 1, sides: from..next });
            (first, from, count) = (owner + 1, next, 0);
        }
    }
    clusters
}

fn places(mesh: &SkinMesh, triangles: &[Triangle]) -> Vec<[u32; 2]> {
    let mut places = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        places.extend(triangle.vertices.map(|v| [v, triangle.owner]));
    }
    for edge in &mesh.edges {
        places.extend(edge.ends.map(|v| [v, edge.owner]));
    }
    places.extend((0..).zip(&mesh.homes).map(|(vertex, &home)| [vertex, home]));
    places.sort_unstable();
    places.dedup();
    places
}

/// Where each of `count` numbers begins in a sorted list, and where the last ends.
fn starts(count: usize, sorted: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; count + 1];
    for number in sorted {
        starts[number as usize + 1] += 1;
    }
    for k in 0..count {
        starts[k + 1] += starts[k];
    }
    starts
}
