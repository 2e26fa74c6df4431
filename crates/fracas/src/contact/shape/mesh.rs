//! Triangle meshes for things that do not move freely.

use super::{Aabb, ShapeError, require_points};
use crate::math::ops;
use glam::{DVec3, Vec3};

/// Triangles with a search tree. Both sides can be touched: a body meets the side its centre is on.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Outward of each triangle by its winding.
    normals: Vec<DVec3>,
    /// Across the edge from corner k to k + 1.
    rims: Vec<[Rim; 3]>,
    /// Angle-weighted normal at each vertex: tells inside from outside (Bærentzen, Aanæs 2005).
    vertex_normals: Vec<DVec3>,
    /// Vertices joined to vertex v by an edge: `ring[ring_start[v]..ring_start[v + 1]]`.
    ring_start: Vec<u32>,
    ring: Vec<u32>,
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
}

/// What lies across an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rim {
    /// Nothing, or more than one triangle: the edge can be touched from everywhere.
    Open,
    /// A triangle.
    Shared {
        /// By its winding, unit length.
        normal: DVec3,
        /// Its corner that is not on the edge.
        opposite: DVec3,
    },
}

/// A triangle as the narrow phase sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// In the frame of the mesh.
    pub corners: [DVec3; 3],
    /// By winding, unit length.
    pub normal: DVec3,
    /// Across the edge from corner k to k + 1.
    pub rims: [Rim; 3],
}

/// A node of the tree: its right child, or its triangles `start..start + count`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    /// Of a leaf: how many triangles; 0 for an inner node.
    count: u32,
    /// Of a leaf: its first place in `order`; of an inner node: its right child. The left child
    /// follows its parent.
    start: u32,
}

/// Triangles per leaf.
const LEAF: usize = 4;

impl TriangleMesh {
    /// The mesh of these triangles, counter-clockwise from outside.
    ///
    /// # Errors
    /// If there are none, a coordinate is not finite, a triangle has no area or names a vertex that
    /// is not there.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        require_points("vertices", &vertices)?;
        if triangles.is_empty() {
            let (list, allowed) = ("triangles", "at least 1".to_owned());
            return Err(ShapeError::WrongCount { list, allowed, found: 0 });
        }
        let count = vertices.len();
        for (triangle, t) in triangles.iter().enumerate() {
            if let Some(&vertex) = t.iter().find(|&&v| v as usize >= count) {
                return Err(ShapeError::NoSuchVertex { triangle, vertex, count });
            }
        }
        let mut normals = Vec::with_capacity(triangles.len());
        for (triangle, t) in triangles.iter().enumerate() {
            let [a, b, c] = t.map(|v| vertices[v as usize].as_dvec3());
            let area = (b - a).cross(c - a);
            let longest = (b - a).length_squared().max((c - a).length_squared());
            // less than a rounding of f32 coordinates high
            if area.length() <= 1.0e-7 * longest {
                return Err(ShapeError::NoArea { triangle });
            }
            normals.push(area.normalize());
        }
        let rims = rims(&vertices, &triangles, &normals);
        let (ring_start, ring) = rings(count, &triangles);
        let vertex_normals = vertex_normals(&vertices, &triangles, &normals);
        let (nodes, order) = tree(&vertices, &triangles);
        Ok(Self {
            vertices,
            triangles,
            normals,
            rims,
            vertex_normals,
            ring_start,
            ring,
            nodes,
            order,
        })
    }

    /// In m.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Indices of the corners, counter-clockwise from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    pub(crate) fn triangle(&self, i: u32) -> Triangle {
        let i = i as usize;
        let corners = self.triangles[i].map(|v| self.vertices[v as usize].as_dvec3());
        Triangle { corners, normal: self.normals[i], rims: self.rims[i] }
    }

    /// The angle-weighted normals of the corners of a triangle.
    pub(crate) fn corner_normals(&self, i: u32) -> [DVec3; 3] {
        self.triangles[i as usize].map(|v| self.vertex_normals[v as usize])
    }

    /// Whether `holds` for all vertices around corner `k` of a triangle.
    pub(crate) fn around(&self, i: u32, k: usize, mut holds: impl FnMut(DVec3) -> bool) -> bool {
        let v = self.triangles[i as usize][k] as usize;
        let ring = &self.ring[self.ring_start[v] as usize..self.ring_start[v + 1] as usize];
        ring.iter().all(|&u| holds(self.vertices[u as usize].as_dvec3()))
    }

    /// Calls `visit` for every triangle whose box meets `bounds`, always in the same order.
    pub(crate) fn near(&self, bounds: &Aabb, visit: impl FnMut(u32)) {
        self.walk(|around| around.overlaps(bounds), visit);
    }

    /// Calls `visit` for every triangle in whose box, and all larger boxes of the tree around it, one may
    /// `enter`; always in the same order.
    pub(crate) fn walk(&self, enter: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        // The tree is halved by count, hence at most 32 deep.
        let mut stack = [0u32; 64];
        let mut open = 1;
        while open > 0 {
            open -= 1;
            let index = stack[open];
            let node = &self.nodes[index as usize];
            if !enter(&node.bounds) {
                continue;
            }
            if node.count > 0 {
                for &i in &self.order[node.start as usize..(node.start + node.count) as usize] {
                    let corners = self.triangles[i as usize].map(|v| self.vertices[v as usize]);
                    if enter(&Aabb::around(corners)) {
                        visit(i);
                    }
                }
            } else {
                stack[open] = node.start;
                stack[open + 1] = index + 1;
                open += 2;
            }
        }
    }
}

/// What lies across every edge.
fn rims(vertices: &[Vec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> Vec<[Rim; 3]> {
    let mut edges: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * triangles.len());
    for (i, t) in triangles.iter().enumerate() {
        edges.extend([0, 1, 2].map(|e| ([t[e], t[(e + 1) % 3]], i)));
    }
    edges.sort_unstable();
    let run = |key: [u32; 2]| {
        let start = edges.partition_point(|e| e.0 < key);
        let end = edges.partition_point(|e| e.0 <= key);
        &edges[start..end]
    };
    let across = |u: u32, v: u32| match (run([u, v]), run([v, u])) {
        ([_], [(_, other)]) => {
            let corner = triangles[*other].iter().find(|&&w| w != u && w != v).unwrap_or(&u);
            let opposite = vertices[*corner as usize].as_dvec3();
            Rim::Shared { normal: normals[*other], opposite }
        }
        _ => Rim::Open,
    };
    triangles.iter().map(|t| [0, 1, 2].map(|e| across(t[e], t[(e + 1) % 3]))).collect()
}

/// Vertices joined to each vertex by an edge, in order.
fn rings(count: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(6 * triangles.len());
    for &[a, b, c] in triangles {
        pairs.extend([[a, b], [b, c], [c, a], [b, a], [c, b], [a, c]]);
    }
    pairs.sort_unstable();
    pairs.dedup();
    let start = (0..=count as u32).map(|v| pairs.partition_point(|p| p[0] < v) as u32).collect();
    (start, pairs.iter().map(|p| p[1]).collect())
}

fn vertex_normals(vertices: &[Vec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; vertices.len()];
    for (t, normal) in triangles.iter().zip(normals) {
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|e| vertices[t[(k + e) % 3] as usize].as_dvec3());
            let (u, v) = (b - a, c - a);
            let angle = ops::atan2(u.cross(v).length() as f32, u.dot(v) as f32);
            sum[t[k] as usize] += f64::from(angle) * *normal;
        }
    }
    sum
}

/// A tree that halves the triangles at the median of their centres along the longest side.
fn tree(vertices: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Node>, Vec<u32>) {
    let bounds: Vec<Aabb> =
        triangles.iter().map(|t| Aabb::around(t.map(|v| vertices[v as usize]))).collect();
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut nodes = Vec::with_capacity(2 * triangles.len() / LEAF + 1);
    split(&bounds, &mut order, 0, &mut nodes);
    (nodes, order)
}

fn split(bounds: &[Aabb], order: &mut [u32], start: u32, nodes: &mut Vec<Node>) {
    let around = order.iter().fold(Aabb::EMPTY, |b, &i| b.join(bounds[i as usize]));
    let place = nodes.len();
    nodes.push(Node { bounds: around, count: order.len() as u32, start });
    if order.len() <= LEAF {
        return;
    }
    let centres = Aabb::around(order.iter().map(|&i| bounds[i as usize].centre()));
    let size = (centres.max - centres.min).to_array();
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let at = |i: &u32| bounds[*i as usize].centre().to_array()[axis];
    order.sort_by(|i, j| at(i).total_cmp(&at(j)).then(i.cmp(j)));
    let half = order.len() / 2;
    let (left, right) = order.split_at_mut(half);
    split(bounds, left, start, nodes);
    let right_child = nodes.len() as u32;
    split(bounds, right, start + half as u32, nodes);
    nodes[place] = Node { bounds: around, count: 0, start: right_child };
}
