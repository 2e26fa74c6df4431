//! Splinters: parts of what is drawn that no crack tears (003, "Real-time Fracture").
//!
//! ```text
//! owner   the tetrahedron that holds the middle of the splinter: where it goes the splinter goes
//! within  the tetrahedra in reach that still hang together with the owner through each other
//! vertex  follows its home, the tetrahedron that holds it, while that is within; else the one within that it is least outside of
//! ```
//!
//! The notes give a splinter to another tetrahedron if a crack would separate its middle from its owner. Faces open between tetrahedra and never
//! through one, so that the owner keeps the middle for life; what changes owners are the vertices that a crack has left on its other side.
//! As long as nothing is cracked all vertices follow their homes, and splinters that touch stay together however far a body bends.

use super::Owners;
use super::bind::Bonds;
use super::update::GONE;
use super::{SkinError, SkinMesh};
use glam::{Mat3, Vec3};
use std::ops::Range;

/// A part of what is drawn that stays whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Splinter {
    /// The tetrahedron that takes it along. All of its faces belong to it.
    pub owner: u32,
    /// Its vertices, which are those of no other.
    pub vertices: Range<u32>,
    /// Tetrahedra in its reach: the owner, the homes of its vertices, and those between.
    pub reach: Vec<u32>,
}

impl SkinMesh {
    /// Refuses splinters that share vertices, or that name what does not exist.
    pub(super) fn check_splinters(&self, owner_count: usize) -> Result<(), SkinError> {
        if self.splinters.is_empty() {
            return Ok(());
        }
        let (mut end, mut of_vertex) = (0, vec![None; self.vertices.len()]);
        let exists = |&tet: &u32| (tet as usize) < owner_count;
        for (number, splinter) in self.splinters.iter().enumerate() {
            let Splinter { owner, vertices, reach } = splinter;
            let in_order = vertices.start >= end && vertices.end as usize <= self.vertices.len();
            if !in_order || !reach.iter().all(exists) || !reach.contains(owner) {
                return Err(SkinError::BadSplinter { number });
            }
            end = vertices.end.max(end);
            of_vertex[vertices.start as usize..vertices.end as usize].fill(Some(number));
        }
        if !matches!(self.owners, Owners::Tets(_)) || self.homes.is_empty() {
            return Err(SkinError::BadSplinter { number: 0 });
        }
        let outside = self.outside.iter().map(|face| (face.corners, face.owner));
        let inside = self.inside.iter().map(|face| (face.corners, face.between[0]));
        for (corners, owner) in outside.chain(inside) {
            let [a, b, c] = corners.map(|v| of_vertex[v as usize]);
            let number = a.or(b).or(c).unwrap_or(0);
            if a != Some(number) || b != a || c != a || self.splinters[number].owner != owner {
                return Err(SkinError::BadSplinter { number });
            }
        }
        Ok(())
    }
}

/// Which splinters are in reach of each tetrahedron.
#[derive(Debug, Default)]
pub(super) struct InReach {
    /// Tetrahedron and splinter, in order.
    pairs: Vec<[u32; 2]>,
    /// Whether each vertex is one of a splinter.
    is_of_one: Vec<bool>,
}

impl InReach {
    pub fn new(mesh: &SkinMesh) -> Self {
        if mesh.splinters.is_empty() {
            return Self::default();
        }
        let (mut pairs, mut is_of_one) = (Vec::new(), vec![false; mesh.vertices.len()]);
        for (splinter, number) in mesh.splinters.iter().zip(0..) {
            pairs.extend(splinter.reach.iter().map(|&tet| [tet, number]));
            is_of_one[splinter.vertices.start as usize..splinter.vertices.end as usize].fill(true);
        }
        pairs.sort_unstable();
        Self { pairs, is_of_one }
    }

    /// Whether a vertex is one of a splinter.
    pub fn holds(&self, vertex: u32) -> bool {
        self.is_of_one.get(vertex as usize) == Some(&true)
    }

    /// Splinters in reach of some tetrahedra, in order.
    pub fn of(&self, tets: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        for &tet in tets {
            let first = self.pairs.partition_point(|pair| pair[0] < tet);
            let same = self.pairs[first..].iter().take_while(|pair| pair[0] == tet);
            found.extend(same.map(|pair| pair[1]));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Whom each vertex of a splinter follows, or [`GONE`] if its owner was taken away.
pub(super) fn follow(splinter: &Splinter, mesh: &SkinMesh, bonds: &Bonds<'_>) -> Vec<u32> {
    let count = splinter.vertices.len();
    if bonds.piece(splinter.owner) == GONE {
        return vec![GONE; count];
    }
    let within = within(splinter, mesh, bonds);
    let follow = |vertex: u32| match mesh.home(vertex) {
        Some(home) if within.binary_search(&home).is_ok() => home,
        _ => nearest(Vec3::from(mesh.vertices[vertex as usize]), &within, bonds, splinter.owner),
    };
    splinter.vertices.clone().map(follow).collect()
}

/// Tetrahedra in reach that hang together with the owner through faces among themselves, in order.
fn within(splinter: &Splinter, mesh: &SkinMesh, bonds: &Bonds<'_>) -> Vec<u32> {
    let Owners::Tets(tets) = &mesh.owners else { return vec![splinter.owner] };
    let mut outside: Vec<u32> =
        splinter.reach.iter().copied().filter(|&tet| tet != splinter.owner).collect();
    let mut found = vec![splinter.owner];
    let mut next = 0;
    while let Some(&from) = found.get(next) {
        next += 1;
        outside.retain(|&tet| {
            let [a, b] = [from, tet].map(|tet| tets[tet as usize]);
            let joined = a.iter().filter(|v| b.contains(v)).count() == 3 && bonds.hold(from, tet);
            if joined {
                found.push(tet);
            }
            !joined
        });
    }
    found.sort_unstable();
    found
}

/// That of some tetrahedra in which the least barycentric coordinate of a place at rest is the largest; the first of equals.
fn nearest(at: Vec3, tets: &[u32], bonds: &Bonds<'_>, owner: u32) -> u32 {
    let share = |tet: u32| {
        let [a, b, c, d] = bonds.corner_rests(tet);
        let edges = Mat3::from_cols(b - a, c - a, d - a);
        let shares = edges.inverse() * (at - a);
        let least = shares.min_element().min(1.0 - shares.element_sum());
        if least.is_nan() { f32::NEG_INFINITY } else { least }
    };
    let mut best = (f32::NEG_INFINITY, owner);
    for &tet in tets {
        let share = share(tet);
        if share > best.0 {
            best = (share, tet);
        }
    }
    best.1
}
