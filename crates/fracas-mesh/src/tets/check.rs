//! Is a tetrahedral mesh a solid, and what could be mended?

use std::collections::BTreeMap;
use std::fmt;

use fracas::glam::DVec3;

use super::{TetMesh, volume};
use crate::attributes::Objects;

/// A tetrahedron has no volume if it is at most this times the cube of its longest edge (a regular
/// one has 0.118).
///
/// Its height over its largest face is then below 1e-11 of that edge. Differences of coordinates
/// are exact to 1e-16 times their distance from the origin, so even 1,000 edges from there the sign
/// of the volume is still true above this number; below it, neither the sign nor a gradient over
/// the tetrahedron says anything. Flat shapes that are meant, down to foil, lie far above it.
pub const NO_VOLUME: f64 = 1.0e-12;

/// A volume this small, in m³, is none either: second moments of it would come near to underflow.
const LEAST_VOLUME: f64 = 1.0e-100;

/// How far from the origin a vertex may lie, in m. Larger solids overflow single precision, in which
/// second moments, a fifth power of lengths, are simulated.
pub const MAX_COORDINATE: f64 = 1.0e9;

/// What was repaired, counted. Prints as a list, and as nothing if there was nothing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TetRepairs {
    /// Tetrahedra that were inside out.
    pub inverted: usize,
    /// Tetrahedra without volume, removed.
    pub no_volume: usize,
    /// Tetrahedra with the corners of an earlier one, removed.
    pub duplicates: usize,
    /// Vertices at exactly the place of another, joined with it.
    pub welded: usize,
    /// Vertices that no tetrahedron uses, removed.
    pub unused: usize,
}

impl TetRepairs {
    /// Whether nothing was repaired.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for TetRepairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.inverted, "inverted tetrahedron", "inverted tetrahedra", "turned"),
            (self.no_volume, "zero-volume tetrahedron", "zero-volume tetrahedra", "removed"),
            (self.duplicates, "duplicate tetrahedron", "duplicate tetrahedra", "removed"),
            (self.welded, "duplicate vertex", "duplicate vertices", "welded"),
            (self.unused, "unused vertex", "unused vertices", "removed"),
        ];
        let mut separator = "";
        for (count, one, many, done) in kinds {
            if count > 0 {
                let what = if count == 1 { one } else { many };
                write!(f, "{separator}{count} {what} {done}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// Why a tetrahedral mesh was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TetError {
    /// There is no tetrahedron.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// A corner is no vertex.
    #[error(
        "tetrahedron {tet} has vertex {vertex}, but there are {vertices} vertices, counted from 0"
    )]
    BadIndex {
        /// Which tetrahedron.
        tet: usize,
        /// What it names.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A coordinate is not finite or too large.
    #[error(
        "vertex {vertex} lies at {position}; coordinates must be finite and within {MAX_COORDINATE:e} m"
    )]
    BadPosition {
        /// Which vertex.
        vertex: usize,
        /// Where it lies.
        position: DVec3,
    },
    /// A list of values does not fit the mesh.
    #[error("{what} has {found} values, but must have {expected}, one for each {element}")]
    WrongLength {
        /// Which list.
        what: String,
        /// Its length.
        found: usize,
        /// The length that fits.
        expected: usize,
        /// What each value belongs to.
        element: &'static str,
    },
    /// A tetrahedron belongs to an object that has no name.
    #[error("tetrahedron {tet} belongs to object {object}, but there are {names} objects")]
    BadObject {
        /// Which tetrahedron.
        tet: usize,
        /// The object it names.
        object: u32,
        /// How many there are.
        names: usize,
    },
    /// A tetrahedron is flat.
    #[error("tetrahedron {tet} at {at} has no volume; `repair` removes such")]
    NoVolume {
        /// Which tetrahedron.
        tet: usize,
        /// Its centre.
        at: DVec3,
    },
    /// A tetrahedron is inside out.
    #[error("tetrahedron {tet} at {at} is inside out; `repair` turns such")]
    Inverted {
        /// Which tetrahedron.
        tet: usize,
        /// Its centre.
        at: DVec3,
    },
    /// More than two tetrahedra have the same face.
    #[error("{tets} tetrahedra share the face {face:?} at {at}; a solid has at most two there")]
    CrowdedFace {
        /// Its vertices.
        face: [u32; 3],
        /// How many tetrahedra have it.
        tets: usize,
        /// Its centre.
        at: DVec3,
    },
    /// Two neighbours lie on the same side of the face they share.
    #[error(
        "tetrahedra {} and {} lie on the same side of the face they share at {at}: they overlap",
        tets[0], tets[1]
    )]
    Overlap {
        /// Which two.
        tets: [u32; 2],
        /// Centre of the face.
        at: DVec3,
    },
}

impl TetMesh {
    /// Mends what can be mended without changing the shape: vertices at exactly the same position
    /// become one (the values of the first stay), tetrahedra without volume and those that occur
    /// twice go, the inverted are turned, and vertices that none uses go.
    ///
    /// Where a flat tetrahedron goes, its neighbours on both sides no longer share faces: the solid
    /// is open there like a closed crack, unless the tetrahedron had two corners at one place.
    ///
    /// # Errors
    ///
    /// [`TetError::BadIndex`], [`TetError::BadPosition`], [`TetError::BadObject`] and
    /// [`TetError::WrongLength`], which leave nothing to work on. What may be wrong beyond that,
    /// also that nothing is left, [`TetMesh::check`] tells.
    pub fn repair(mut self) -> Result<(Self, TetRepairs), TetError> {
        self.check_lists()?;
        let welded = self.weld();
        // before duplicates, since tetrahedra with two equal corners are flat above all
        let no_volume = self.keep_tets(|mesh, tet| !has_no_volume(mesh.corners(tet)));
        let first = self.first_of_equals();
        let duplicates = self.keep_tets(|_, tet| first[tet]);
        let mut inverted = 0;
        for tet in 0..self.tets.len() {
            if self.tet_volume(tet) < 0.0 {
                self.tets[tet].swap(2, 3);
                inverted += 1;
            }
        }
        // those welded away are not used either
        let unused = self.remove_unused() - welded;
        Ok((self, TetRepairs { inverted, no_volume, duplicates, welded, unused }))
    }

    /// Refuses a mesh that is no solid. Several separate solids are one mesh too, and so are solids
    /// that touch along an edge or at a vertex.
    ///
    /// # Errors
    ///
    /// See [`TetError`]; the first problem found.
    pub fn check(&self) -> Result<(), TetError> {
        self.check_lists()?;
        if self.tets.is_empty() {
            return Err(TetError::Empty);
        }
        for tet in 0..self.tets.len() {
            let at = self.centre(tet);
            if has_no_volume(self.corners(tet)) {
                return Err(TetError::NoVolume { tet, at });
            }
            if self.tet_volume(tet) < 0.0 {
                return Err(TetError::Inverted { tet, at });
            }
        }
        self.check_faces()
    }

    /// Whether every number may be used: indices, positions, lengths.
    fn check_lists(&self) -> Result<(), TetError> {
        let (vertices, tets) = (self.vertices.len(), self.tets.len());
        let usable = |x: &DVec3| x.to_array().iter().all(|x| x.abs() <= MAX_COORDINATE);
        if let Some(vertex) = self.vertices.iter().position(|x| !usable(x)) {
            return Err(TetError::BadPosition { vertex, position: self.vertices[vertex] });
        }
        for (tet, corners) in self.tets.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(TetError::BadIndex { tet, vertex, vertices });
            }
        }
        let length = |what: String, found: usize, expected: usize, element: &'static str| {
            let fits = found == expected;
            if fits {
                Ok(())
            } else {
                Err(TetError::WrongLength { what, found, expected, element })
            }
        };
        let Objects { names, of } = &self.objects;
        if !(names.is_empty() && of.is_empty()) {
            length("the list of objects".into(), of.len(), tets, "tetrahedron")?;
        }
        if let Some(tet) = of.iter().position(|&object| object as usize >= names.len()) {
            return Err(TetError::BadObject { tet, object: of[tet], names: names.len() });
        }
        for attribute in &self.vertex_attributes {
            let what = format!("the attribute `{}`", attribute.name);
            length(what, attribute.values.len(), vertices, "vertex")?;
        }
        for attribute in &self.tet_attributes {
            let what = format!("the attribute `{}`", attribute.name);
            length(what, attribute.values.len(), tets, "tetrahedron")?;
        }
        Ok(())
    }

    /// At most two tetrahedra at a face, one on each side.
    fn check_faces(&self) -> Result<(), TetError> {
        let at =
            |face: [u32; 3]| face.iter().map(|&v| self.vertices[v as usize]).sum::<DVec3>() / 3.0;
        for same in self.sorted_faces().chunk_by(|a, b| a.corners == b.corners) {
            match same {
                [_] => {}
                [a, b] if a.even != b.even => {}
                [a, b] => {
                    return Err(TetError::Overlap { tets: [a.tet, b.tet], at: at(a.corners) });
                }
                _ => {
                    let (face, tets) = (same[0].corners, same.len());
                    return Err(TetError::CrowdedFace { face, tets, at: at(face) });
                }
            }
        }
        Ok(())
    }

    /// Makes the corners of all tetrahedra the first vertex at their place, and counts the vertices
    /// that are not the first.
    fn weld(&mut self) -> usize {
        let mut first_at: BTreeMap<[u64; 3], u32> = BTreeMap::new();
        let mut first = Vec::with_capacity(self.vertices.len());
        for (vertex, x) in self.vertices.iter().enumerate() {
            // −0 + 0 is 0, so that the bits are equal where the numbers are
            let place = x.to_array().map(|x| (x + 0.0).to_bits());
            first.push(*first_at.entry(place).or_insert(vertex as u32));
        }
        for corner in self.tets.iter_mut().flatten() {
            *corner = first[*corner as usize];
        }
        self.vertices.len() - first_at.len()
    }

    /// Whether each tetrahedron is the first with its corners.
    fn first_of_equals(&self) -> Vec<bool> {
        let sorted = |tet: usize| {
            let mut corners = self.tets[tet];
            corners.sort_unstable();
            (corners, tet)
        };
        let mut keys: Vec<_> = (0..self.tets.len()).map(sorted).collect();
        keys.sort_unstable();
        let mut first = vec![false; self.tets.len()];
        for same in keys.chunk_by(|a, b| a.0 == b.0) {
            first[same[0].1] = true;
        }
        first
    }

    /// Removes the tetrahedra that are not wanted, and counts them.
    fn keep_tets(&mut self, keep: impl Fn(&Self, usize) -> bool) -> usize {
        let kept: Vec<usize> = (0..self.tets.len()).filter(|&tet| keep(self, tet)).collect();
        let removed = self.tets.len() - kept.len();
        if removed > 0 {
            self.tets = kept.iter().map(|&tet| self.tets[tet]).collect();
            self.objects = self.objects.select(kept.iter().copied());
            for attribute in &mut self.tet_attributes {
                *attribute = attribute.select(kept.iter().copied());
            }
        }
        removed
    }

    /// Removes the vertices that no tetrahedron uses, and counts them.
    pub(super) fn remove_unused(&mut self) -> usize {
        let (kept, corners) = compacted(&self.tets, self.vertices.len());
        let removed = self.vertices.len() - kept.len();
        if removed > 0 {
            self.tets = corners;
            self.vertices = kept.iter().map(|&vertex| self.vertices[vertex]).collect();
            for attribute in &mut self.vertex_attributes {
                *attribute = attribute.select(kept.iter().copied());
            }
        }
        removed
    }
}

/// The vertices that elements use, in their order, and the elements counted in these.
pub(super) fn compacted<const N: usize>(
    elements: &[[u32; N]],
    vertices: usize,
) -> (Vec<usize>, Vec<[u32; N]>) {
    let mut used = vec![false; vertices];
    elements.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let kept: Vec<usize> = (0..vertices).filter(|&vertex| used[vertex]).collect();
    let mut new = vec![0; vertices];
    for (i, &vertex) in kept.iter().enumerate() {
        new[vertex] = i as u32;
    }
    (kept, elements.iter().map(|corners| corners.map(|v| new[v as usize])).collect())
}

/// See [`NO_VOLUME`] and [`LEAST_VOLUME`].
fn has_no_volume(corners: [DVec3; 4]) -> bool {
    let longest = super::EDGES
        .map(|[i, j]| corners[i].distance_squared(corners[j]))
        .into_iter()
        .fold(0.0, f64::max)
        .sqrt();
    volume(corners).abs() <= (NO_VOLUME * longest.powi(3)).max(LEAST_VOLUME)
}
